// RUN: ptir-opt %s --split-input-file --verify-diagnostics --allow-unregistered-dialect

// A sample of the rules, with their places; tests/unit/test_plan.py has them all.

// expected-error@+1 {{invalid plan: Object missing required field `arch`}}
"test.op"() {plan = #plan.schedule<{tile = [8, 128], vectorize = {axis = "n.i.i", width = 4}}>} : () -> ()

// -----

// expected-error@+1 {{invalid plan: Object contains unknown field `unrol`}}
"test.op"() {plan = #plan.schedule<{arch = "sm80", tile = [8, 128], vectorize = {axis = "n.i.i", width = 4}, unrol = 4}>} : () -> ()

// -----

// expected-error@+1 {{Invalid enum value 3 - at `$.vectorize.width`}}
"test.op"() {plan = #plan.schedule<{arch = "sm80", tile = [8, 128], vectorize = {axis = "n.i.i", width = 3}}>} : () -> ()

// -----

// expected-error@+1 {{warp_tile 64x48 does not divide tile 128x64}}
"test.op"() {plan = #plan.schedule<{arch = "sm80", tile = [128, 64, 64], stages = 3, warp_tile = "64x48", vectorize = {axis = "n.i.i", width = 4}}>} : () -> ()

// -----

// expected-error@+1 {{split = 2 contradicts algo_choice.matmul = 'implicit_gemm': splitk_* splits, and only it}}
"test.op"() {plan = #plan.schedule<{arch = "sm80", tile = [128, 64, 64], stages = 3, warp_tile = "64x32", split = 2, vectorize = {axis = "n.i.i", width = 4}}>} : () -> ()

// -----

// expected-error@+1 {{has no place in a plan: use integers, booleans, strings, lists and dictionaries}}
"test.op"() {plan = #plan.schedule<{arch = "sm80", tile = [8, 128], vectorize = {axis = "n.i.i", width = 4.0}}>} : () -> ()

// -----

// expected-error@+1 {{expected #plan.schedule<{…}>}}
region.kernel @k() -> () plan #poly.map<"{ [] }"> {
  region.yield
}
