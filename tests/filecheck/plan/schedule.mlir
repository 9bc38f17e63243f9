// RUN: ptir-opt --allow-unregistered-dialect %s | filecheck %s
// RUN: ptir-opt --allow-unregistered-dialect %s | ptir-opt --allow-unregistered-dialect | filecheck %s
// RUN: ptir-opt --allow-unregistered-dialect --print-op-generic %s | ptir-opt --allow-unregistered-dialect | filecheck %s

// A plan prints as it is read; only what it says is written.

// CHECK: "test.op"() {plan = #plan.schedule<{arch = "sm80", tile = [8, 128], vectorize = {axis = "n.i.i", width = 4}}>} : () -> ()
"test.op"() {plan = #plan.schedule<{arch = "sm80", tile = [8, 128], vectorize = {axis = "n.i.i", width = 4}}>} : () -> ()
// CHECK-NEXT: "test.op"() {plan = #plan.schedule<{arch = "sm90", tile = [128, 64, 64], stages = 3, warp_tile = "64x32", bind = {m.o = "block.y", n.o = "block.x"}, cache = [{tensor = "A", where = "smem", at = "k.i", pingpong = true}], vectorize = {axis = "n.i.i", width = 8}, predicate_tail = ["m.i.i"], epilogue = ["add", "tanh"], layout_hints = {A_swizzle = true, C_stride = "row"}, algo_choice = {matmul = "implicit_gemm"}, local_edges = [{from = "sum", to = "add", buffer = "reg"}]}>} : () -> ()
"test.op"() {plan = #plan.schedule<{arch = "sm90", tile = [128, 64, 64], stages = 3, warp_tile = "64x32", bind = {m.o = "block.y", n.o = "block.x"}, cache = [{tensor = "A", where = "smem", at = "k.i", pingpong = true}], vectorize = {axis = "n.i.i", width = 8}, predicate_tail = ["m.i.i"], epilogue = ["add", "tanh"], layout_hints = {A_swizzle = true, C_stride = "row"}, algo_choice = {matmul = "implicit_gemm"}, local_edges = [{from = "sum", to = "add", buffer = "reg"}]}>} : () -> ()
// CHECK-NEXT: "test.op"() {plan = #plan.schedule<{arch = "sm80", tile = [64, 64, 64], stages = 3, warp_tile = "32x32", split = 4, vectorize = {axis = "m.i.i", width = 2}, layout_hints = {C_stride = "col"}, algo_choice = {matmul = "splitk_parallel"}, local_edges = [{from = "A", to = "sum", buffer = "reg", depth = 2}]}>} : () -> ()
"test.op"() {plan = #plan.schedule<{arch = "sm80", tile = [64, 64, 64], stages = 3, warp_tile = "32x32", split = 4, vectorize = {axis = "m.i.i", width = 2}, layout_hints = {C_stride = "col"}, algo_choice = {matmul = "splitk_parallel"}, local_edges = [{from = "A", to = "sum", buffer = "reg", depth = 2}]}>} : () -> ()
