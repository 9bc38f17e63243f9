// RUN: ptir-translate --import-intent-json %S/Inputs/gemm.json | filecheck %s
// RUN: ptir-translate --import-intent-json %S/Inputs/gemm.json | ptir-translate --export-intent-json | filecheck %s --check-prefix=JSON
// RUN: ptir-translate --import-intent-json %S/Inputs/gemm.json | ptir-translate --export-intent-json | ptir-translate --import-intent-json | filecheck %s
// RUN: sed 's/"output": "s"/"output": "Z"/' %S/Inputs/gemm.json | not ptir-translate --import-intent-json 2>&1 | filecheck %s --check-prefix=TWICE
// RUN: sed 's/"inputs": \["Z"\], "output": "C"/"inputs": ["z"], "output": "C"/' %S/Inputs/gemm.json | not ptir-translate --import-intent-json 2>&1 | filecheck %s --check-prefix=NAME
// RUN: sed 's/"scale"/"factor"/' %S/Inputs/gemm.json | not ptir-translate --import-intent-json 2>&1 | filecheck %s --check-prefix=ATTRIBUTE
// RUN: sed 's/"1.sqrt(K)", "dtype": "f16"/"1"/' %S/Inputs/gemm.json | not ptir-translate --import-intent-json 2>&1 | filecheck %s --check-prefix=TYPE
// RUN: sed 's/"K", "N"\]/"2**K", "N"]/' %S/Inputs/gemm.json | not ptir-translate --import-intent-json 2>&1 | filecheck %s --check-prefix=SIZE
// RUN: sed 's/K % 2 == 0/J > 0/' %S/Inputs/gemm.json | not ptir-translate --import-intent-json 2>&1 | filecheck %s --check-prefix=RULE

// CHECK:      intent.func @gemm(%A: !intent.tensor<[M, K], f16>, %B: !intent.tensor<[K, N], f16>, %bias: !intent.tensor<[N], f16>) attributes {parallel_axes = ["M", "N"], axis_roles = {M = "spatial", N = "spatial", K = "reduction"}, contract = {level = "FULL", assumptions = ["K % 2 == 0"]}, schedule = {
// CHECK-NEXT:   %Y = intent.matmul %A, %B accum f32 epilogue {
// CHECK-NEXT:   ^bb0(%x: !intent.tensor<[M, N], f16>):
// CHECK-NEXT:     %0 = intent.binary add %x, %bias
// CHECK-NEXT:     intent.yield %0
// CHECK:        %c = intent.const expr "1/sqrt(K)" : !intent.tensor<[], f16>
// CHECK-NEXT:   %Z = intent.binary mul %Y, %c
// CHECK-NEXT:   %s = intent.reduce sum %Z axes [1] scale 0.1 : f64
// CHECK-NEXT:   %C = intent.unary relu %Z
// CHECK-NEXT:   intent.return %C, %s

// JSON: "c": {"dtype": "f16", "shape": [], "layout": "row_major"},
// JSON: {"op": "matmul", "inputs": ["A", "B"], "output": "Y", "attrs": {"accum_dtype": "f32", "epilogue": {"op": "add", "inputs": ["$x", "bias"]}}},
// JSON: {"op": "reduce_sum", "inputs": ["Z"], "output": "s", "attrs": {"axes": [1], "scale": 0.1}},
// JSON: "contract": {"level": "FULL", "assumptions": ["K % 2 == 0"]},
// JSON: "schedule": {"tile_m": "BLOCK_M", "vec_width": 4, "axis_bindings": {"tile_m": "M"}, "vec_axis": "N", "memory_hint": {"residency": {"A": "local"}}}

// TWICE:     <stdin>:13:53: error[PTIR0644]: value Z is defined twice
// NAME:      <stdin>:14:31: error[PTIR0643]: value z is not defined
// ATTRIBUTE: <stdin>:13:81: error[PTIR0641]: reduce_sum has no attribute 'factor'
// TYPE:      <stdin>:11:45: error[PTIR0653]: the type of c is not known: nothing else determines the result type of this op
// SIZE:      <stdin>:5:10: error[PTIR0641]: '2**K' is not a size: 'Pow' is not allowed here
// RULE:      <stdin>:2:11: error[PTIR0101]: 'contract.assumptions' has 'J > 0', but J is neither a symbol nor an argument
