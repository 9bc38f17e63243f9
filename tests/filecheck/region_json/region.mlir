// RUN: ptir-translate --export-region-json %s | filecheck %s
// RUN: ptir-translate --export-region-json %s | ptir-translate --import-region-json - | filecheck %s --check-prefix=IR
// RUN: ptir-translate --export-region-json %s | ptir-translate --import-region-json - | ptir-translate --export-region-json - | filecheck %s

// The spec's form (§12.4): memrefs at the border, a body of tiny ops. The host function is not part of it.

// CHECK:      {
// CHECK-NEXT:   "region": {
// CHECK-NEXT:     "name": "f_0",
// CHECK-NEXT:     "inputs": [
// CHECK-NEXT:       {"name": "x", "memref": {"shape": [4, 8], "strides": [8, 1], "alignment": 16, "dtype": "fp32", "noalias": true}}
// CHECK-NEXT:     ],
// CHECK-NEXT:     "outputs": [
// CHECK-NEXT:       {"name": "m", "memref": {"shape": [4], "strides": [1], "alignment": 256, "dtype": "fp32", "noalias": true}, "materialize": "gmem"},
// CHECK-NEXT:       {"name": "0", "memref": {"shape": [4, 8], "strides": [8, 1], "alignment": 256, "dtype": "fp32", "noalias": true}, "materialize": "deferred"}
// CHECK-NEXT:     ],
// CHECK-NEXT:     "body": [
// CHECK-NEXT:       {"let": "1", "op": {"op": "Reduce", "name": "1", "fn": "max", "inputs": ["x"], "outputs": ["1"], "axes": [1], "accum": "fp32"}},
// CHECK-NEXT:       {"let": "y", "op": {"op": "Unary", "name": "y", "fn": "exp", "inputs": ["x"], "outputs": ["y"]}},
// CHECK-NEXT:       {"yield": ["1 -> m", "y -> 0"]}
// CHECK-NEXT:     ],

// IR:      region.kernel @f_0(%x: memref<4x8xf32> align 16) -> (%m: memref<4xf32> align 256 gmem, %0: memref<4x8xf32> align 256 deferred) {
// IR-NEXT:   %x_1 = region.load %x : memref<4x8xf32> -> tensor<4x8xf32>
// IR-NEXT:   %1 = tiny.reduce max %x_1 axes [1] accum f32 : tensor<4x8xf32> -> tensor<4xf32>
// IR-NEXT:   %y = tiny.unary exp %x_1 : tensor<4x8xf32> -> tensor<4x8xf32>
// IR-NEXT:   region.yield %1, %y : tensor<4xf32>, tensor<4x8xf32>
region.kernel @f_0(%x: memref<4x8xf32> align 16) -> (%m: memref<4xf32> align 256 gmem, %0: memref<4x8xf32> align 256 deferred) {
  %v = region.load %x : memref<4x8xf32> -> tensor<4x8xf32>
  %1 = tiny.reduce max %v axes [1] accum f32 : tensor<4x8xf32> -> tensor<4xf32>
  %y = tiny.unary exp %v : tensor<4x8xf32> -> tensor<4x8xf32>
  region.yield %1, %y : tensor<4xf32>, tensor<4x8xf32>
}
func.func @f(%x: memref<4x8xf32>) -> memref<4xf32> {
  %m = memref.alloc() : memref<4xf32>
  %0 = memref.alloc() : memref<4x8xf32>
  region.launch @f_0 ins(%x : memref<4x8xf32>) outs(%m, %0 : memref<4xf32>, memref<4x8xf32>)
  func.return %m : memref<4xf32>
}
