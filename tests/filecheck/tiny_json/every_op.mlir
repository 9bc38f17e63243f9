// RUN: ptir-translate --export-tiny-json %s | ptir-translate --import-tiny-json | filecheck %s
// RUN: ptir-translate --export-tiny-json %s | ptir-translate --import-tiny-json | ptir-translate --export-tiny-json | filecheck %s --check-prefix=JSON

// Every op and leaf with all that it can say, there and back.

// JSON: "name": "every"
// JSON-NEXT: "inputs": ["x", "unread", "h", "n", "p", "c", "d"]
// JSON-NEXT: "outputs": ["again", "again", "x", "e"]

// CHECK: func.func @every(%x: tensor<4x?xf32, #ptir.dims<_, M>>, %unread: tensor<?xi1>, %h: tensor<4x8xf16>,
func.func @every(%x: tensor<4x?xf32, #ptir.dims<_, M>>, %unread: tensor<?xi1>, %h: tensor<4x8xf16>, %n: tensor<3xui8>, %p: tensor<i1>, %c: tensor<2xcomplex<f32>>, %d: tensor<?x?xf32>) -> (tensor<?xf32, #ptir.dims<M>>, tensor<?xf32, #ptir.dims<M>>, tensor<4x?xf32, #ptir.dims<_, M>>, tensor<4xf16>) {
  // JSON: {"op": "Movement", "name": "split", "kind": "reshape", "inputs": ["x"], "outputs": ["0"], "attrs": {"new_shape": ["2", "2", "M"]}}
  // CHECK: %0 = tiny.movement reshape %x {tiny.name = "split"} : tensor<4x?xf32, #ptir.dims<_, M>> -> tensor<2x2x?xf32, #ptir.dims<_, _, M>>
  %0 = tiny.movement reshape %x {tiny.name = "split"} : tensor<4x?xf32, #ptir.dims<_, M>> -> tensor<2x2x?xf32, #ptir.dims<_, _, M>>
  // JSON: {"op": "Movement", "name": "turned", "kind": "permute", "inputs": ["0"], "outputs": ["turned"], "attrs": {"perm": [1, -1, 0]}}
  // CHECK: %turned = tiny.movement permute %0 by [1, -1, 0]
  %turned = tiny.movement permute %0 by [1, -1, 0] : tensor<2x2x?xf32, #ptir.dims<_, _, M>> -> tensor<2x?x2xf32, #ptir.dims<_, M, _>>
  // JSON: "kind": "expand", "inputs": ["n"], "outputs": ["1"], "attrs": {"new_shape": ["5", "3"]}
  %1 = tiny.movement expand %n : tensor<3xui8> -> tensor<5x3xui8>
  // JSON: "kind": "pad", "inputs": ["h"], "outputs": ["2"], "attrs": {"low": [1, 0], "high": [0, 2], "value": -0.5}
  // CHECK: tiny.movement pad %h low [1, 0] high [0, 2] value -0.5 : f16
  %2 = tiny.movement pad %h low [1, 0] high [0, 2] value -0.5 : f16 : tensor<4x8xf16> -> tensor<5x10xf16>
  // JSON: "value": "-inf"
  %3 = tiny.movement pad %h low [0, 0] high [0, 0] value "0x00FC" : f16 : tensor<4x8xf16> -> tensor<4x8xf16>
  // JSON: "value": {"bytes": "AX4="}
  // CHECK: value "0x017E" : f16
  %4 = tiny.movement pad %h low [0, 0] high [0, 0] value "0x017E" : f16 : tensor<4x8xf16> -> tensor<4x8xf16>
  // JSON: "value": [1.0, -0.0]
  %5 = tiny.movement pad %c low [1] high [0] value (1.0, -0.0) : complex<f32> : tensor<2xcomplex<f32>> -> tensor<3xcomplex<f32>>
  // JSON: "value": true
  %6 = tiny.movement pad %p low [] high [] value true : i1 : tensor<i1> -> tensor<i1>
  // JSON: "kind": "shrink", "inputs": ["h"], "outputs": ["7"], "attrs": {"new_shape": ["2", "8"], "start": [1, 0]}
  %7 = tiny.movement shrink %h from [1, 0] : tensor<4x8xf16> -> tensor<2x8xf16>
  // JSON: "kind": "view", "inputs": ["h"], "outputs": ["8"], "attrs": {"new_shape": ["2", "3"], "offset": 3, "strides": [8, 2]}
  // CHECK: tiny.movement view %h offset 3 strides [8, 2]
  %8 = tiny.movement view %h offset 3 strides [8, 2] : tensor<4x8xf16> -> tensor<2x3xf16>
  // JSON: {"op": "Unary", "name": "9", "fn": "relu", "inputs": ["h"], "outputs": ["9"]}
  %9 = tiny.unary relu %h : tensor<4x8xf16> -> tensor<4x8xf16>
  // JSON: "fn": "cast", "inputs": ["n"], "outputs": ["10"], "dtype": "bf16"
  %10 = tiny.unary cast %n : tensor<3xui8> -> tensor<3xbf16>
  // JSON: "fn": "bitcast", "inputs": ["n"], "outputs": ["11"], "dtype": "fp8e4m3"
  %11 = tiny.unary bitcast %n : tensor<3xui8> -> tensor<3xf8E4M3FN>
  // JSON: {"op": "Unary", "name": "12", "fn": "is_finite", "inputs": ["h"], "outputs": ["12"]}
  %12 = tiny.unary is_finite %h : tensor<4x8xf16> -> tensor<4x8xi1>
  // JSON: {"op": "Binary", "name": "13", "fn": "lt", "inputs": ["n", "1"], "outputs": ["13"]}
  %13 = tiny.binary lt %n, %1 : (tensor<3xui8>, tensor<5x3xui8>) -> tensor<5x3xi1>
  // JSON: "fn": "where", "inputs": ["p", "1", "n"], "outputs": ["14"]
  // CHECK: tiny.binary where %p, %1, %n
  %14 = tiny.binary where %p, %1, %n : (tensor<i1>, tensor<5x3xui8>, tensor<3xui8>) -> tensor<5x3xui8>
  // JSON: {"op": "Reduce", "name": "15", "fn": "max", "inputs": ["turned"], "outputs": ["15"], "axes": ["M", 2], "accum": "fp32"}
  // CHECK: tiny.reduce max %turned axes [1, 2] accum f32
  %15 = tiny.reduce max %turned axes [1, 2] accum f32 : tensor<2x?x2xf32, #ptir.dims<_, M, _>> -> tensor<2xf32>
  // JSON: {"op": "Reduce", "name": "product", "fn": "mul", "inputs": ["15"], "outputs": ["product"], "axes": [0], "accum": "fp32"}
  // CHECK: %product = tiny.reduce mul %{{[0-9]+}} axes [0] accum f32
  %product = tiny.reduce mul %15 axes [0] accum f32 : tensor<2xf32> -> tensor<f32>
  // JSON: "fn": "sum", "inputs": ["x"], "outputs": ["again"], "axes": [0], "accum": "fp64"
  // CHECK: %{{[0-9]+}} = tiny.reduce sum %x axes [0] accum f64
  // CHECK-NEXT: %again = tiny.unary cast %{{[0-9]+}} {tiny.name = "total"}
  %16 = tiny.reduce sum %x axes [0] accum f64 : tensor<4x?xf32, #ptir.dims<_, M>> -> tensor<?xf64, #ptir.dims<M>>
  %again = tiny.unary cast %16 {tiny.name = "total"} : tensor<?xf64, #ptir.dims<M>> -> tensor<?xf32, #ptir.dims<M>>
  // JSON: "axes": [-1], "accum": "fp16"
  %e = tiny.reduce min %h axes [-1] accum f16 : tensor<4x8xf16> -> tensor<4xf16>
  // JSON: {"op": "Const", "name": "[[THREE:[0-9]+]]", "outputs": ["[[THREE]]"], "value": 3}
  // CHECK: tiny.const dense<3> : tensor<2x2xsi32>
  %17 = tiny.const dense<3> : tensor<2x2xsi32>
  // JSON: "value": {"bytes": "AAABAA=="}
  // CHECK: tiny.const dense<[0, 1]> : tensor<2xsi16>
  %18 = tiny.const dense<[0, 1]> : tensor<2xsi16>
  // JSON: "value": {"bytes": "AAE="}
  %19 = tiny.const dense<[false, true]> : tensor<2xi1>
  // JSON: "value": {"bytes": ""}
  %20 = tiny.const dense<> : tensor<0x3xf32>
  // JSON: {"op": "Iota", {{.*}}"axis": 1}
  // CHECK: tiny.iota axis 1 : tensor<4x?xsi64, #ptir.dims<_, M>>
  %21 = tiny.iota axis 1 : tensor<4x?xsi64, #ptir.dims<_, M>>
  // A sum in two types that something else reads, too, and one that keeps a name, are two ops.
  // JSON: "fn": "sum", {{.*}} "accum": "fp32"
  // JSON-NEXT: "fn": "cast"
  %named = tiny.reduce sum %h axes [0] accum f32 : tensor<4x8xf16> -> tensor<8xf32>
  %22 = tiny.unary cast %named : tensor<8xf32> -> tensor<8xf16>
  // A name that is taken; a size that is less precise than what follows.
  // JSON: "outputs": ["again_1"]
  // JSON: "d": {"dtype": "fp32", "shape": ["?", "?"]}
  // JSON: "again_1": {"dtype": "fp32", "shape": ["?", "M"]}
  // CHECK: %again_1 = tiny.binary add %x, %d : (tensor<4x?xf32, #ptir.dims<_, M>>, tensor<?x?xf32>) -> tensor<?x?xf32, #ptir.dims<_, M>>
  %again_1 = tiny.binary add %x, %d : (tensor<4x?xf32, #ptir.dims<_, M>>, tensor<?x?xf32>) -> tensor<?x?xf32, #ptir.dims<_, M>>
  // CHECK: func.return %again, %again, %x, %e
  func.return %again, %again, %x, %e : tensor<?xf32, #ptir.dims<M>>, tensor<?xf32, #ptir.dims<M>>, tensor<4x?xf32, #ptir.dims<_, M>>, tensor<4xf16>
}
