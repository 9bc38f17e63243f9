// RUN: ptir-translate --export-json %s -o %t.json
// RUN: ptir-translate --import-json %t.json -o %t.mlir
// RUN: ptir-translate --export-json %t.mlir | diff %t.json -
// RUN: ptir-translate --import-json %t.json | ptir-opt --verify-roundtrip | diff %t.mlir -
// RUN: filecheck %s --input-file %t.mlir
// RUN: filecheck %s --check-prefix=JSON --input-file %t.json

// Every operation, with every field that it has.

// CHECK:       builtin.module attributes {ptir.spec_version = "ptir.v0.4", ptir.extensions, ptir.entry = "elementwise"} {
// JSON:        "spec_version": "ptir.v0.4",
// JSON-NEXT:   "entry": "elementwise",
builtin.module attributes {ptir.spec_version = "ptir.v0.4", ptir.extensions, ptir.entry = "elementwise"} {

// CHECK-LABEL: func.func @literals
// JSON-LABEL:  "name": "literals"
func.func @literals() -> (tensor<2xf32>, tensor<3xi1>, tensor<3xsi4>, tensor<2xui4>, tensor<2xcomplex<f32>>) {
  // CHECK-NEXT: %a = ptir.constant dense<[1.000000e+00, -0.000000e+00]> : tensor<2xf32>
  // JSON:       {"id": 0, "op": {"Constant": {"spec": {"dtype": "F32", "shape": {"dims": [{"Static": 2}]}}, "bytes": "AACAPwAAAIA="}}, "operands": [], "output": {"Tensor": {"dtype": "F32", "shape": {"dims": [{"Static": 2}]}}}, "names": ["a"]}
  %a = ptir.constant dense<[1.0, -0.0]> : tensor<2xf32>
  // CHECK-NEXT: %{{.*}} = ptir.constant inline dense<[2.000000e+00, 3.000000e+00]> : tensor<2xf32>
  // CHECK-NEXT: %{{.*}} = ptir.add %a, %{{.*}} : tensor<2xf32>
  // JSON-NEXT:  "operands": [{"Value": 0}, {"Literal": {"spec": {"dtype": "F32", "shape": {"dims": [{"Static": 2}]}}, "bytes": "AAAAQAAAQEA="}}]
  %b = ptir.constant inline dense<[2.0, 3.0]> : tensor<2xf32>
  %0 = ptir.add %a, %b : tensor<2xf32>
  // CHECK-NEXT: ptir.constant dense<[true, false, true]> : tensor<3xi1>
  // JSON-NEXT:  "bytes": "AQAB"
  %1 = ptir.constant dense<[true, false, true]> : tensor<3xi1>
  // CHECK-NEXT: ptir.constant dense<[-8, 7, -1]> : tensor<3xsi4>
  // JSON-NEXT:  "bytes": "+Af/"
  %2 = ptir.constant dense<[-8, 7, -1]> : tensor<3xsi4>
  // CHECK-NEXT: ptir.constant dense<[15, 0]> : tensor<2xui4>
  // JSON-NEXT:  "bytes": "DwA="
  %3 = ptir.constant dense<[15, 0]> : tensor<2xui4>
  // CHECK-NEXT: ptir.constant dense<[(1.000000e+00, -2.000000e+00), (0.000000e+00, 5.000000e-01)]> : tensor<2xcomplex<f32>>
  %4 = ptir.constant dense<[(1.0, -2.0), (0.0, 0.5)]> : tensor<2xcomplex<f32>>
  func.return %0, %1, %2, %3, %4 : tensor<2xf32>, tensor<3xi1>, tensor<3xsi4>, tensor<2xui4>, tensor<2xcomplex<f32>>
}

// CHECK-LABEL: func.func @elementwise
// JSON-LABEL:  "name": "elementwise"
func.func @elementwise(%x: tensor<4xf32>, %y: tensor<4xf32>, %i: tensor<4xsi32>, %j: tensor<4xsi32>) -> tensor<4xf32> {
  // JSON: "op": {"ElementwiseUnary": "Neg"}
  %0 = ptir.neg %x : tensor<4xf32>
  %1 = ptir.abs %x : tensor<4xf32>
  %2 = ptir.exp %x : tensor<4xf32>
  %3 = ptir.log %x : tensor<4xf32>
  %4 = ptir.tanh %x : tensor<4xf32>
  %5 = ptir.erf %x : tensor<4xf32>
  %6 = ptir.rsqrt %x : tensor<4xf32>
  %7 = ptir.reciprocal %x : tensor<4xf32>
  %8 = ptir.sqrt %x : tensor<4xf32>
  %9 = ptir.sin %x : tensor<4xf32>
  %10 = ptir.cos %x : tensor<4xf32>
  %11 = ptir.floor %x : tensor<4xf32>
  %12 = ptir.ceil %x : tensor<4xf32>
  %13 = ptir.round %x : tensor<4xf32>
  %14 = ptir.sign %x : tensor<4xf32>
  %15 = ptir.log1p %x : tensor<4xf32>
  %16 = ptir.expm1 %x : tensor<4xf32>
  %exp2 = ptir.exp2 %x : tensor<4xf32>
  %17 = ptir.erfc %x : tensor<4xf32>
  %18 = ptir.logistic %x : tensor<4xf32>
  %19 = ptir.not %i : tensor<4xsi32>
  // JSON: "op": {"ElementwiseBinary": "Add"}
  %20 = ptir.add %x, %y : tensor<4xf32>
  %21 = ptir.sub %x, %y : tensor<4xf32>
  %22 = ptir.mul %x, %y : tensor<4xf32>
  %23 = ptir.div %x, %y : tensor<4xf32>
  %24 = ptir.maximum %x, %y : tensor<4xf32>
  %25 = ptir.minimum %x, %y : tensor<4xf32>
  %26 = ptir.pow %x, %y : tensor<4xf32>
  %27 = ptir.remainder %x, %y : tensor<4xf32>
  %28 = ptir.and %i, %j : tensor<4xsi32>
  %29 = ptir.or %i, %j : tensor<4xsi32>
  %30 = ptir.xor %i, %j : tensor<4xsi32>
  // JSON: "op": {"ElementwiseBinary": "ShiftLeft"}
  %31 = ptir.shift_left %i, %j : tensor<4xsi32>
  %32 = ptir.shift_right_arithmetic %i, %j : tensor<4xsi32>
  %33 = ptir.shift_right_logical %i, %j : tensor<4xsi32>
  // JSON: "op": "IsFinite"
  %34 = ptir.is_finite %x : tensor<4xf32> -> tensor<4xi1>
  // JSON-NEXT: "op": {"Bitcast": {"dtype": "Ui32"}}
  %35 = ptir.bitcast %x : tensor<4xf32> -> tensor<4xui32>
  // JSON-NEXT: "op": {"Compare": {"op": "Less"}}
  %36 = ptir.compare lt %x, %y : tensor<4xf32> -> tensor<4xi1>
  %37 = ptir.compare le %x, %y : tensor<4xf32> -> tensor<4xi1>
  %38 = ptir.compare eq %x, %y : tensor<4xf32> -> tensor<4xi1>
  %39 = ptir.compare ge %x, %y : tensor<4xf32> -> tensor<4xi1>
  %40 = ptir.compare gt %x, %y : tensor<4xf32> -> tensor<4xi1>
  %41 = ptir.compare ne %x, %y : tensor<4xf32> -> tensor<4xi1>
  // JSON: "op": "Select"
  %42 = ptir.select %36, %x, %y : tensor<4xi1>, tensor<4xf32>
  // JSON-NEXT: "op": "Clamp"
  %43 = ptir.clamp %x, %x, %y : tensor<4xf32>
  // JSON-NEXT: "op": {"Cast": {"dtype": "Bf16"}}
  %44 = ptir.cast %x : tensor<4xf32> -> tensor<4xbf16>
  // JSON-NEXT: "op": "StopGradient"
  %45 = ptir.stop_gradient %x : tensor<4xf32>
  func.return %42 : tensor<4xf32>
}

// CHECK-LABEL: func.func @reductions
// JSON-LABEL:  "name": "reductions"
func.func @reductions(%x: tensor<4x8xbf16>, %p: tensor<4x8xi1>, %w: tensor<8x2xbf16>, %f: tensor<4x8xf32>, %g: tensor<8x2xf32>, %b: tensor<3x4x8xf32>, %c: tensor<3x8x2xf32>) -> tensor<4xf32> {
  // CHECK: ptir.reduce sum %x axes [1] accum f32 out f32
  // JSON: {"Reduce": {"kind": "Sum", "axes": [1], "keepdims": false, "accum_dtype": "F32", "out_dtype": "F32"}}
  %0 = ptir.reduce sum %x axes [1] accum f32 out f32 : tensor<4x8xbf16> -> tensor<4xf32>
  // CHECK-NEXT: ptir.reduce max %x axes [0, 1] keepdims : tensor
  // JSON-NEXT: {"Reduce": {"kind": "Max", "axes": [0, 1], "keepdims": true, "accum_dtype": null, "out_dtype": null}}
  %1 = ptir.reduce max %x axes [0, 1] keepdims : tensor<4x8xbf16> -> tensor<1x1xbf16>
  %2 = ptir.reduce min %x axes [0] : tensor<4x8xbf16> -> tensor<8xbf16>
  %3 = ptir.reduce mul %x axes [0] : tensor<4x8xbf16> -> tensor<8xbf16>
  %4 = ptir.reduce any %p axes [0] : tensor<4x8xi1> -> tensor<8xi1>
  %5 = ptir.reduce all %p axes [0] : tensor<4x8xi1> -> tensor<8xi1>
  // JSON: {"ArgMax": {"axis": -1, "keepdims": true, "output_dtype": "Si64"}}
  %6 = ptir.argmax %x axis -1 keepdims : tensor<4x8xbf16> -> tensor<4x1xsi64>
  // CHECK: %v, %at = ptir.top_k smallest %x k 3 axis 1
  // JSON: {"TopK": {"k": 3, "axis": 1, "largest": false, "indices_dtype": "Si32"}}
  %v, %at = ptir.top_k smallest %x k 3 axis 1 : tensor<4x8xbf16> -> tensor<4x3xbf16>, tensor<4x3xsi32>
  // JSON-NEXT: "operands": [{"TupleElement": {"tuple": 14, "index": 1}}]
  %7 = ptir.neg %at : tensor<4x3xsi32>
  // CHECK: ptir.dot_general %x, %w contract [1] x [0] accum f32 out f32
  // JSON: {"DotGeneral": {"batch_lhs": [], "batch_rhs": [], "contract_lhs": [1], "contract_rhs": [0], "accum_dtype": "F32", "out_dtype": "F32"}}
  %8 = ptir.dot_general %x, %w contract [1] x [0] accum f32 out f32 : (tensor<4x8xbf16>, tensor<8x2xbf16>) -> tensor<4x2xf32>
  // CHECK-NEXT: precision tf32
  // JSON-NEXT: "precision": "Tf32"
  %9 = ptir.dot_general %f, %g contract [1] x [0] accum f32 precision tf32 : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  // JSON-NEXT: {"DotGeneral": {"batch_lhs": [0], "batch_rhs": [0], "contract_lhs": [2], "contract_rhs": [1], "accum_dtype": null, "out_dtype": null}}
  %10 = ptir.dot_general %b, %c batch [0] x [0] contract [2] x [1] : (tensor<3x4x8xf32>, tensor<3x8x2xf32>) -> tensor<3x4x2xf32>
  func.return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @movement
// JSON-LABEL:  "name": "movement"
func.func @movement(%x: tensor<4x6xf32>, %d: tensor<?x?x6xf32, #ptir.dims<B, _, _>>) -> tensor<24xf32> {
  // JSON: {"Reshape": {"new_shape": [{"Explicit": {"Static": 24}}]}}
  %0 = ptir.reshape %x : tensor<4x6xf32> -> tensor<24xf32>
  // CHECK: ptir.reshape %d : tensor<?x?x6xf32, #ptir.dims<B, _, _>> -> tensor<?x?xf32, #ptir.dims<B, _>>
  // JSON-NEXT: {"Reshape": {"new_shape": [{"Explicit": {"Dynamic": "B"}}, "Infer"]}}
  %1 = ptir.reshape %d : tensor<?x?x6xf32, #ptir.dims<B, _, _>> -> tensor<?x?xf32, #ptir.dims<B, _>>
  // JSON-NEXT: {"Transpose": {"perm": [1, 0]}}
  %2 = ptir.transpose %x [1, 0] : tensor<4x6xf32> -> tensor<6x4xf32>
  // JSON-NEXT: {"BroadcastTo": {"result_shape": {"dims": [{"Static": 3}, {"Static": 4}, {"Static": 6}]}}}
  %3 = ptir.broadcast_to %x : tensor<4x6xf32> -> tensor<3x4x6xf32>
  // JSON-NEXT: {"Slice": {"starts": [0, 2], "sizes": [2, 3]}}
  %4 = ptir.slice %x [0, 2] : tensor<4x6xf32> -> tensor<2x3xf32>
  // CHECK: ptir.slice %d [0, 1, 0]
  // JSON-NEXT: {"Slice": {"starts": [0, 1, 0], "sizes": [{"Dynamic": "B"}, {"Dynamic": "_"}, 6]}}
  %5 = ptir.slice %d [0, 1, 0] : tensor<?x?x6xf32, #ptir.dims<B, _, _>> -> tensor<?x?x6xf32, #ptir.dims<B, _, _>>
  // JSON-NEXT: {"Concat": {"axis": -1}}
  %6 = ptir.concat %x, %x axis -1 : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x12xf32>
  // CHECK: ptir.pad %x with "0x000080FF" : f32 low [0, 1] high [0, 0] interior [1, 0]
  // JSON-NEXT: {"Pad": {"low": [0, 1], "high": [0, 0], "interior": [1, 0], "pad_value": {"Float": "-inf"}}}
  %7 = ptir.pad %x with "0x000080FF" : f32 low [0, 1] high [0, 0] interior [1, 0] : tensor<4x6xf32> -> tensor<7x7xf32>
  // JSON-NEXT: "pad_value": {"Bytes": "AQCA/w=="}
  %8 = ptir.pad %x with "0x010080FF" : f32 low [0, 1] high [0, 0] interior [1, 0] : tensor<4x6xf32> -> tensor<7x7xf32>
  // JSON-NEXT: "pad_value": {"Float": 0.5}
  %9 = ptir.pad %x with 0.5 : f32 low [0, 1] high [0, 0] interior [1, 0] : tensor<4x6xf32> -> tensor<7x7xf32>
  // JSON-NEXT: {"Tile": {"repeats": [2, 1]}}
  %10 = ptir.tile %x [2, 1] : tensor<4x6xf32> -> tensor<8x6xf32>
  // JSON-NEXT: {"Iota": {"shape": {"dims": [{"Static": 4}, {"Static": 6}]}, "dtype": "Si32", "axis": 1}}
  %11 = ptir.iota axis 1 : tensor<4x6xsi32>
  // JSON-NEXT: {"DimCast": {"result_shape": {"dims": [{"Dynamic": "N"}, {"Static": 8}, {"Static": 6}]}}}
  %12 = ptir.dim_cast %d : tensor<?x?x6xf32, #ptir.dims<B, _, _>> -> tensor<?x8x6xf32, #ptir.dims<N, _, _>>
  func.return %0 : tensor<24xf32>
}

// JSON-LABEL:  "name": "scalars"
func.func @scalars(%i: tensor<2xsi32>, %u: tensor<2xui64>, %p: tensor<2xi1>, %c: tensor<2xcomplex<f64>>) -> tensor<3xsi32> {
  // JSON: "pad_value": {"Signed": -7}
  %0 = ptir.pad %i with -7 : si32 low [0] high [1] interior [0] : tensor<2xsi32> -> tensor<3xsi32>
  // JSON-NEXT: "pad_value": {"Unsigned": 18446744073709551615}
  %1 = ptir.pad %u with 18446744073709551615 : ui64 low [0] high [1] interior [0] : tensor<2xui64> -> tensor<3xui64>
  // JSON-NEXT: "pad_value": {"I1": true}
  %2 = ptir.pad %p with true : i1 low [0] high [1] interior [0] : tensor<2xi1> -> tensor<3xi1>
  // JSON-NEXT: "pad_value": {"Complex": {"re": 1.0, "im": -2.0}}
  %3 = ptir.pad %c with (1.0, -2.0) : complex<f64> low [0] high [1] interior [0] : tensor<2xcomplex<f64>> -> tensor<3xcomplex<f64>>
  func.return %0 : tensor<3xsi32>
}

// CHECK-LABEL: func.func @indexing
// JSON-LABEL:  "name": "indexing"
func.func @indexing(%x: tensor<8x6xf32>, %i: tensor<2x6xsi32>, %u: tensor<2x6xf32>, %k: tensor<2xsi64>, %v: tensor<2x1xsi32>, %ids: tensor<8xsi32>) -> tensor<8x6xf32> {
  // JSON: "op": "Take"
  %0 = ptir.take %x, %k : (tensor<8x6xf32>, tensor<2xsi64>) -> tensor<2x6xf32>
  // JSON-NEXT: {"Gather": {"axis": 0}}
  %1 = ptir.gather %x, %i axis 0 : (tensor<8x6xf32>, tensor<2x6xsi32>) -> tensor<2x6xf32>
  // JSON-NEXT: {"ScatterAdd": {"update_window_dims": [1], "inserted_window_dims": [0], "scatter_dims_to_operand_dims": [0], "index_vector_dim": 1}}
  %2 = ptir.scatter_add %x, %v, %u update_window_dims [1] inserted_window_dims [0] scatter_dims_to_operand_dims [0] index_vector_dim 1 : tensor<8x6xf32>, tensor<2x1xsi32>, tensor<2x6xf32>
  // JSON-NEXT: "index_vector_dim": null
  %3 = ptir.scatter_add %x, %k, %u update_window_dims [1] inserted_window_dims [0] scatter_dims_to_operand_dims [0] : tensor<8x6xf32>, tensor<2xsi64>, tensor<2x6xf32>
  // JSON-NEXT: {"ScatterReduce": {"axis": 0, "reduce": "Add"}}
  %4 = ptir.scatter_reduce add %x, %i, %u axis 0 : tensor<8x6xf32>, tensor<2x6xsi32>, tensor<2x6xf32>
  %5 = ptir.scatter_reduce max %x, %i, %u axis 0 : tensor<8x6xf32>, tensor<2x6xsi32>, tensor<2x6xf32>
  %6 = ptir.scatter_reduce min %x, %i, %u axis 0 : tensor<8x6xf32>, tensor<2x6xsi32>, tensor<2x6xf32>
  %7 = ptir.scatter_reduce replace %x, %i, %u axis 0 : tensor<8x6xf32>, tensor<2x6xsi32>, tensor<2x6xf32>
  %8 = ptir.scatter_reduce mul %x, %i, %u axis 0 : tensor<8x6xf32>, tensor<2x6xsi32>, tensor<2x6xf32>
  // JSON: {"DynamicSlice": {"sizes": [1, 6]}}
  %9 = ptir.dynamic_slice %x, %k : (tensor<8x6xf32>, tensor<2xsi64>) -> tensor<1x6xf32>
  // JSON-NEXT: {"DynamicUpdateSlice": {"sizes": [2, 6]}}
  %10 = ptir.dynamic_update_slice %x, %u, %k : tensor<8x6xf32>, tensor<2x6xf32>, tensor<2xsi64>
  // JSON-NEXT: {"SegmentReduce": {"kind": "Sum", "num_segments": 3, "accum_dtype": "F32", "indices_are_sorted": true, "unique": true}}
  %11 = ptir.segment_reduce sum %x, %ids accum f32 sorted unique : (tensor<8x6xf32>, tensor<8xsi32>) -> tensor<3x6xf32>
  // CHECK: ptir.segment_reduce max %x, %ids : (tensor
  // JSON-NEXT: {"SegmentReduce": {"kind": "Max", "num_segments": {"Dynamic": "S"}, "accum_dtype": null, "indices_are_sorted": false, "unique": false}}
  %12 = ptir.segment_reduce max %x, %ids : (tensor<8x6xf32>, tensor<8xsi32>) -> tensor<?x6xf32, #ptir.dims<S, _>>
  func.return %10 : tensor<8x6xf32>
}

// CHECK-LABEL: func.func @windows
// JSON-LABEL:  "name": "windows"
func.func @windows(%x: tensor<1x8x8x4xbf16>, %w: tensor<3x3x2x6xbf16>, %f: tensor<1x8x4xf32>, %g: tensor<3x4x6xf32>) -> tensor<1x4x4x6xbf16> {
  // CHECK: ptir.reduce_window max %x window [1, 2, 2, 1] strides [1, 2, 2, 1] padding [(0, 0), (1, 1), (0, 2), (0, 0)] base_dilation [1, 2, 1, 1] dilation [1, 1, 2, 1] accum f32 out f32
  // JSON: {"ReduceWindow": {"window_dims": [1, 2, 2, 1], "strides": [1, 2, 2, 1], "padding": {{\[\[0, 0\], \[1, 1\], \[0, 2\], \[0, 0\]\]}}, "base_dilation": [1, 2, 1, 1], "window_dilation": [1, 1, 2, 1], "reduce": "Max", "accum_dtype": "F32", "out_dtype": "F32"}}
  %0 = ptir.reduce_window max %x window [1, 2, 2, 1] strides [1, 2, 2, 1] padding [(0, 0), (1, 1), (0, 2), (0, 0)] base_dilation [1, 2, 1, 1] dilation [1, 1, 2, 1] accum f32 out f32 : tensor<1x8x8x4xbf16> -> tensor<1x8x4x4xf32>
  // CHECK-NEXT: ptir.reduce_window sum %x window [1, 1, 1, 4] : tensor
  // JSON-NEXT: "strides": [1, 1, 1, 1], "padding": {{\[\[0, 0\], \[0, 0\], \[0, 0\], \[0, 0\]\]}}, "base_dilation": [1, 1, 1, 1], "window_dilation": [1, 1, 1, 1], "reduce": "Sum", "accum_dtype": null}}
  %1 = ptir.reduce_window sum %x window [1, 1, 1, 4] : tensor<1x8x8x4xbf16> -> tensor<1x8x8x1xbf16>
  // CHECK-NEXT: ptir.extract_patches %x window [3, 3] padding [(1, 1), (1, 1)] dilation [2, 1] pad_value -1.0 : bf16
  // JSON-NEXT: {"ExtractPatches": {"window": [3, 3], "strides": [1, 1], "padding": {{\[\[1, 1\], \[1, 1\]\]}}, "dilation": [2, 1], "pad_value": {"Float": -1.0}}}
  %2 = ptir.extract_patches %x window [3, 3] padding [(1, 1), (1, 1)] dilation [2, 1] pad_value -1.0 : bf16 : tensor<1x8x8x4xbf16> -> tensor<1x6x8x36xbf16>
  // CHECK-NEXT: ptir.extract_patches %x window [2, 2] strides [2, 2] : tensor
  // JSON-NEXT: "pad_value": {"Float": 0.0}
  %3 = ptir.extract_patches %x window [2, 2] strides [2, 2] : tensor<1x8x8x4xbf16> -> tensor<1x4x4x16xbf16>
  // CHECK-NEXT: ptir.convolution %x, %w strides [2, 2] padding [(1, 1), (1, 1)] groups 2 accum f32 : (tensor
  // JSON-NEXT: {"Convolution": {"strides": [2, 2], "padding": {{\[\[1, 1\], \[1, 1\]\]}}, "dilation": [1, 1], "groups": 2, "accum_dtype": "F32", "out_dtype": null}}
  %4 = ptir.convolution %x, %w strides [2, 2] padding [(1, 1), (1, 1)] groups 2 accum f32 : (tensor<1x8x8x4xbf16>, tensor<3x3x2x6xbf16>) -> tensor<1x4x4x6xbf16>
  // CHECK-NEXT: ptir.convolution %{{.*}} precision tf32
  // JSON: "accum_dtype": null, "out_dtype": null, "precision": "Tf32"
  %5 = ptir.convolution %f, %g precision tf32 : (tensor<1x8x4xf32>, tensor<3x4x6xf32>) -> tensor<1x6x6xf32>
  func.return %4 : tensor<1x4x4x6xbf16>
}

// CHECK-LABEL: func.func @control
// JSON-LABEL:  "name": "control"
func.func @control(%p: tensor<i1>, %n: tensor<si32>, %a: tensor<2xf32>, %xs: tensor<8x2xf32>) -> (tensor<2xf32>, tensor<8x2xf32>) {
  // JSON: {"Cond": {"true_region": 0, "false_region": 1}}, "operands": [{"Value": 0}, {"Value": 2}], "output": {"Tensor": {"dtype": "F32", "shape": {"dims": [{"Static": 2}]}}}
  %c = ptir.cond %p (%a) : (tensor<2xf32>) -> tensor<2xf32> then (%x) {
    %t = ptir.neg %x : tensor<2xf32>
    ptir.yield %t : tensor<2xf32>
  } else (%y) {
    ptir.yield %y : tensor<2xf32>
  }
  // JSON-NEXT: {"While": {"cond_region": 2, "body_region": 3}}, "operands": [{"Value": 1}, {"Value": 4}], "output": {"Tuple"
  %m, %w = ptir.while (%n, %c) : (tensor<si32>, tensor<2xf32>) -> (tensor<si32>, tensor<2xf32>) cond (%j, %q) {
    %zero = ptir.constant inline dense<0> : tensor<si32>
    %more = ptir.compare gt %j, %zero : tensor<si32> -> tensor<i1>
    ptir.yield %more, %j, %q : tensor<i1>, tensor<si32>, tensor<2xf32>
  } do (%k, %b) {
    %one = ptir.constant inline dense<1> : tensor<si32>
    %next = ptir.sub %k, %one : tensor<si32>
    %twice = ptir.add %b, %b : tensor<2xf32>
    ptir.yield %next, %twice : tensor<si32>, tensor<2xf32>
  }
  // JSON-NEXT: {"Scan": {"body_region": 4, "carry_count": 1, "scan_output_count": 1}}
  %last, %sums = ptir.scan (%w) over (%xs) : (tensor<2xf32>, tensor<8x2xf32>) -> (tensor<2xf32>, tensor<8x2xf32>) do (%sum, %x) {
    %s = ptir.add %sum, %x : tensor<2xf32>
    ptir.yield %s, %s : tensor<2xf32>, tensor<2xf32>
  }
  // JSON-NEXT: {"Composite": {"name": "double.v1", "attrs": {"scale": {"kind": "F64", "value": 2.0}, "causal": {"kind": "Unit"}}, "body_region": 5}}
  %d = ptir.composite "double.v1" (%last) {scale = 2.0 : f64, causal} : (tensor<2xf32>) -> tensor<2xf32> do (%x) {
    %s = ptir.add %x, %x : tensor<2xf32>
    ptir.yield %s : tensor<2xf32>
  }
  // JSON: "result_ids": [7, {"TupleElement": {"tuple": 6, "index": 1}}]
  func.return %d, %sums : tensor<2xf32>, tensor<8x2xf32>
}

// CHECK-LABEL: func.func @calls
// JSON-LABEL:  "name": "calls"
func.func @calls(%x: tensor<8xf32>, %seed: tensor<ui64>) -> (tensor<8xf32>, tuple<tensor<2xf32>, tensor<2xsi64>>, tuple<tensor<8xf32>, tensor<8xf32>>) {
  // CHECK: %v, %i = ptir.custom_call "acme.best.f32.v1"(%x) {count = 2 : i64, ratio = 5.000000e-01 : f64, name = "n", largest = true, sizes = [1 : i64, 2 : i64], on = [true, false], words = ["a", "b"], none = []}
  // JSON: {"CustomCall": {"target": "acme.best.f32.v1", "attrs": {"count": {"kind": "I64", "value": 2}, "ratio": {"kind": "F64", "value": 0.5}, "name": {"kind": "String", "value": "n"}, "largest": {"kind": "Bool", "value": true}, "sizes": {"kind": "I64Array", "value": [1, 2]}, "on": {"kind": "BoolArray", "value": [true, false]}, "words": {"kind": "StringArray", "value": ["a", "b"]}, "none": {"kind": "I64Array", "value": []}}}}
  %v, %i = ptir.custom_call "acme.best.f32.v1"(%x) {count = 2 : i64, ratio = 0.5 : f64, name = "n", largest = true, sizes = [1 : i64, 2 : i64], on = [true, false], words = ["a", "b"], none = []} : (tensor<8xf32>) -> (tensor<2xf32>, tensor<2xsi64>)
  // A result that is a tuple, beside several results that are none.
  // JSON-NEXT: "output": {"Tuple": [{"Tuple": [{"Tensor"
  %t = ptir.custom_call "acme.best.f32.v2"(%x) : (tensor<8xf32>) -> tuple<tensor<2xf32>, tensor<2xsi64>>
  // CHECK: %{{.*}} = ptir.tuple %{{.*}}, %{{.*}} : tuple<tensor<8xf32>, tensor<8xf32>>
  // JSON-NEXT: "op": {"RngUniform": {"shape": {"dims": [{"Static": 8}]}, "dtype": "F32", "seed": 42}}
  %u = ptir.rng_uniform seed 42 : tensor<8xf32>
  // JSON-NEXT: "op": {"RngNormal": {"shape": {"dims": [{"Static": 8}]}, "dtype": "F32"}}, "operands": [{"Value": 1}]
  %z = ptir.rng_normal from %seed : tensor<8xf32>
  // JSON-NEXT: "op": "Tuple"
  %pair = ptir.tuple %u, %z : tuple<tensor<8xf32>, tensor<8xf32>>
  // JSON-NEXT: "op": {"ElementwiseUnary": "Neg"}, "operands": [{"TupleElement": {"tuple": 6, "index": 1}}]
  %e = ptir.tuple_element %pair[1] : tuple<tensor<8xf32>, tensor<8xf32>> -> tensor<8xf32>
  %n = ptir.neg %e : tensor<8xf32>
  // JSON-NEXT: "op": {"TupleElement": {"index": 0}}
  %f = ptir.tuple_element %pair[0] : tuple<tensor<8xf32>, tensor<8xf32>> -> tensor<8xf32>
  %g = ptir.add %f, %f : tensor<8xf32>
  func.return %n, %t, %pair : tensor<8xf32>, tuple<tensor<2xf32>, tensor<2xsi64>>, tuple<tensor<8xf32>, tensor<8xf32>>
}

// CHECK-LABEL: func.func @whole
// JSON-LABEL:  "name": "whole"
func.func @whole(%x: tensor<8xf32>) -> tuple<tensor<2xf32>, tensor<2xsi32>> {
  // CHECK-NEXT: %v, %i = ptir.top_k
  // JSON: {"id": 1, "op": {"TopK"
  %v, %i = ptir.top_k largest %x k 2 axis 0 : tensor<8xf32> -> tensor<2xf32>, tensor<2xsi32>
  // CHECK-NEXT: %0 = ptir.tuple %v, %i
  // JSON: "result_ids": [1]
  %all = ptir.tuple %v, %i : tuple<tensor<2xf32>, tensor<2xsi32>>
  func.return %all : tuple<tensor<2xf32>, tensor<2xsi32>>
}

// CHECK-LABEL: func.func @normal
// JSON-LABEL:  "name": "normal"
func.func @normal(%x: tensor<4x8xbf16>, %g: tensor<8xbf16>, %f: tensor<4x8xf32>, %s: tensor<f32>, %z: tensor<si8>, %s8: tensor<8xf32>, %z8: tensor<8xsi8>) -> tensor<4x8xbf16> {
  // JSON: {"LayerNorm": {"epsilon": 0.00001, "feature_axis": -1}}
  %0 = ptir.layer_norm %x, %g, %g axis -1 epsilon 1.0e-05 : tensor<4x8xbf16>, tensor<8xbf16>
  // JSON-NEXT: {"Quantize": {"output_dtype": "Si8", "axis": null}}
  %1 = ptir.quantize %f, %s, %z : (tensor<4x8xf32>, tensor<f32>, tensor<si8>) -> tensor<4x8xsi8>
  // JSON-NEXT: {"Dequantize": {"axis": null, "output_dtype": "Bf16"}}
  %2 = ptir.dequantize %1, %s, %z : (tensor<4x8xsi8>, tensor<f32>, tensor<si8>) -> tensor<4x8xbf16>
  // JSON-NEXT: {"Requantize": {"output_dtype": "Si8", "axis": 1}}
  %3 = ptir.requantize %1 from %s, %z to %s8, %z8 axis 1 : (tensor<4x8xsi8>, tensor<f32>, tensor<si8>, tensor<8xf32>, tensor<8xsi8>) -> tensor<4x8xsi8>
  func.return %0 : tensor<4x8xbf16>
}
}

// The regions stand after the functions, their values have numbers of their own.
// JSON-LABEL: "regions": [
// JSON:       "id": 0
// JSON:       {"id": 1, "op": {"ElementwiseUnary": "Neg"}, "operands": [{"Value": 0}]
// JSON:       "id": 1,
// JSON:       "body": [],
// JSON:       "result_ids": [0]
// JSON:       "extensions": true
