// RUN: ptir-opt %s --split-input-file --verify-diagnostics --allow-unregistered-dialect

// A sample of the rules, with their places; tests/unit/dialects/test_plan.py has them all.

// expected-error@+1 {{invalid plan: missing required field 'arch'}}
"test.op"() {plan = #plan.schedule<{tile = [8, 128], vectorize = {axis = "n.i.i", width = 4}}>} : () -> ()

// -----

// expected-error@+1 {{invalid plan: unknown field 'unrol'}}
"test.op"() {plan = #plan.schedule<{arch = "sm80", tile = [8, 128], vectorize = {axis = "n.i.i", width = 4}, unrol = 4}>} : () -> ()

// -----

// expected-error@+1 {{vectorize.width: unknown value 3}}
"test.op"() {plan = #plan.schedule<{arch = "sm80", tile = [8, 128], vectorize = {axis = "n.i.i", width = 3}}>} : () -> ()

// -----

// expected-error@+1 {{warp_tile 64x48 does not divide tile 128x64}}
"test.op"() {plan = #plan.schedule<{arch = "sm80", tile = [128, 64, 64], stages = 3, warp_tile = "64x48", vectorize = {axis = "n.i.i", width = 4}}>} : () -> ()

// -----

// expected-error@+1 {{split = 2 contradicts algo_choice.matmul = 'implicit_gemm': a split needs splitk_*, and splitk_* needs a split}}
"test.op"() {plan = #plan.schedule<{arch = "sm80", tile = [128, 64, 64], stages = 3, warp_tile = "64x32", split = 2, vectorize = {axis = "n.i.i", width = 4}}>} : () -> ()

// -----

// expected-error@+1 {{roles need arch = sm90, got sm80}}
"test.op"() {plan = #plan.schedule<{arch = "sm80", tile = [128, 256, 64], stages = 4, warp_tile = "64x256", roles = "cooperative", vectorize = {axis = "n.i.i", width = 4}}>} : () -> ()

// -----

// expected-error@+1 {{cluster must be 1, 2 or 4 blocks along each of m and n, at most 8 in total, got [3, 1]}}
"test.op"() {plan = #plan.schedule<{arch = "sm90", tile = [128, 256, 64], stages = 4, warp_tile = "64x256", roles = "cooperative", cluster = [3, 1], vectorize = {axis = "n.i.i", width = 4}}>} : () -> ()

// -----

// expected-error@+1 {{rescale_threshold needs roles and algo_choice.attention: it is that of an online softmax}}
"test.op"() {plan = #plan.schedule<{arch = "sm80", tile = [64, 64, 32], stages = 2, warp_tile = "32x32", rescale_threshold = 8, vectorize = {axis = "n.i.i", width = 4}}>} : () -> ()

// -----

// expected-error@+1 {{order = 'down_8' needs roles and algo_choice.attention: it is that of tiles of batches and heads}}
"test.op"() {plan = #plan.schedule<{arch = "sm80", tile = [64, 64, 32], stages = 2, warp_tile = "32x32", order = "down_8", vectorize = {axis = "n.i.i", width = 4}}>} : () -> ()

// -----

// expected-error@+1 {{order = 'col' belongs to a plan with tile = [BM, BN, BK]}}
"test.op"() {plan = #plan.schedule<{arch = "sm90", tile = [8, 128], order = "col", vectorize = {axis = "n.i.i", width = 4}}>} : () -> ()

// -----

// expected-error@+1 {{warp_tile must have all 256 columns and 128 rows or half or a third of them, got 64x128}}
"test.op"() {plan = #plan.schedule<{arch = "sm90", tile = [128, 256, 64], stages = 4, warp_tile = "64x128", roles = "cooperative", vectorize = {axis = "n.i.i", width = 4}}>} : () -> ()

// -----

// expected-error@+1 {{pingpong warpgroups take whole tiles: warp_tile must be 128x256, got 64x256}}
"test.op"() {plan = #plan.schedule<{arch = "sm90", tile = [128, 256, 64], stages = 4, warp_tile = "64x256", roles = "pingpong", vectorize = {axis = "n.i.i", width = 4}}>} : () -> ()

// -----

// expected-error@+1 {{with roles warp_tile (rows x columns) must have a multiple of 64 rows and 8 to 256 columns in steps of 8, and BK must be a multiple of 8, got 64x256 and 12}}
"test.op"() {plan = #plan.schedule<{arch = "sm90", tile = [128, 256, 12], stages = 4, warp_tile = "64x256", roles = "cooperative", vectorize = {axis = "n.i.i", width = 4}}>} : () -> ()

// -----

// expected-error@+1 {{multiprocessors needs roles = "cooperative" or "pingpong"}}
"test.op"() {plan = #plan.schedule<{arch = "sm90", tile = [128, 64], multiprocessors = 3, vectorize = {axis = "n.i.i", width = 4}}>} : () -> ()

// -----

// expected-error@+1 {{epilogue_tile must be 64 rows and a multiple of 16 columns, as computed, that divides the 256 of warp_tile, got [64, 48]}}
"test.op"() {plan = #plan.schedule<{arch = "sm90", tile = [128, 256, 64], stages = 4, warp_tile = "64x256", roles = "cooperative", epilogue_tile = [64, 48], vectorize = {axis = "n.i.i", width = 4}}>} : () -> ()

// -----

// expected-error@+1 {{without roles stages must be 2 to 8, got 9}}
"test.op"() {plan = #plan.schedule<{arch = "sm90", tile = [128, 64, 64], stages = 9, warp_tile = "64x32", vectorize = {axis = "n.i.i", width = 4}}>} : () -> ()

// -----

// expected-error@+1 {{split = 2 contradicts algo_choice.matmul = 'stream_k'}}
"test.op"() {plan = #plan.schedule<{arch = "sm90", tile = [128, 256, 64], stages = 4, warp_tile = "64x256", roles = "cooperative", split = 2, algo_choice = {matmul = "stream_k"}, vectorize = {axis = "n.i.i", width = 4}}>} : () -> ()

// -----

// expected-error@+1 {{vectorize.width: 4.000000e+00 : f64 has no place in a plan}}
"test.op"() {plan = #plan.schedule<{arch = "sm80", tile = [8, 128], vectorize = {axis = "n.i.i", width = 4.0}}>} : () -> ()

// -----

// expected-error@+1 {{expected #plan.schedule<{…}>}}
region.kernel @k() -> () plan #poly.map<"{ [] }"> {
  region.yield
}
