// RUN: ptir-opt %s -p ptir-to-tiny,build-poly-view | ptir-translate --export-poly-json | filecheck %s
// RUN: not ptir-translate --export-poly-json %s 2>&1 | filecheck %s --check-prefix=NONE

// CHECK:      "function": "linear",
// CHECK:      {"name": "[[C:v[0-9]+]]", "kind": "contraction_pattern", "domain": {"i0": ["0", "B"], "i1": ["0", "2"], "i2": ["0", "8"]}, "accesses": [{"tensor": "arg0", "map": "[B] -> { [i0, i1, i2] -> [i0, i2] }"}, {"tensor": "arg1", "map": "[B] -> { [i0, i1, i2] -> [i1, i2] }"}], "attrs": {"pattern": "matmul", "lhs_idx": ["i0", "i2"], "rhs_idx": ["i1", "i2"], "out_idx": ["i0", "i1"], "reduce_idx": ["i2"], "affine_offsets": {}}, "reduces": ["i2"]}
// CHECK:      "kind": "ewise", "domain": {"i0": ["0", "B"], "i1": ["0", "2"]}
// CHECK:      "edges": [
// CHECK:      {"from": "[[C]]", "to": "v{{[0-9]+}}", "deps": {"true": ["[B] -> { [i0, i1] -> [i0, i1] }"], "anti": [], "output": []}}

// NONE: error[PTIR0647]: a module without a view cannot be written as Poly-View JSON
// NONE: help: run build-poly-view first
func.func @linear(%x: tensor<?x8xbf16, #ptir.dims<B, _>>, %w: tensor<2x8xbf16>, %b: tensor<2xf32>) -> tensor<?x2xf32, #ptir.dims<B, _>> {
  %0 = ptir.dot_general %x, %w contract [1] x [1] accum f32 out f32 : (tensor<?x8xbf16, #ptir.dims<B, _>>, tensor<2x8xbf16>) -> tensor<?x2xf32, #ptir.dims<B, _>>
  %1 = ptir.broadcast_to %b : tensor<2xf32> -> tensor<?x2xf32, #ptir.dims<B, _>>
  %2 = ptir.add %0, %1 : tensor<?x2xf32, #ptir.dims<B, _>>
  func.return %2 : tensor<?x2xf32, #ptir.dims<B, _>>
}
