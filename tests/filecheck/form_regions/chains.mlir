// RUN: ptir-opt %s -p ptir-to-tiny,form-regions | filecheck %s

// A product that cannot be fused with its reader is not stored by itself, but after what is added to it: here the residual, so that
// neither the norm nor the next residual reads %x again.

// CHECK: region.kernel @residual_0(%h: memref<16x8xbf16> align 16, %w: memref<8x24xbf16> align 16, %b: memref<24xf32> align 16, %x: memref<16x24xf32> align 16) -> (%stream: memref<16x24xf32> align 256 deferred) {
// CHECK: region.kernel @residual_1(%stream: memref<16x24xf32> align 256) -> (
// CHECK: func.func @residual
func.func @residual(%h: tensor<16x8xbf16>, %w: tensor<8x24xbf16>, %x: tensor<16x24xf32>, %b: tensor<24xf32>) -> tensor<16x24xf32> {
  %p = ptir.dot_general %h, %w contract [1] x [0] accum f32 out f32 : (tensor<16x8xbf16>, tensor<8x24xbf16>) -> tensor<16x24xf32>
  %bias = ptir.broadcast_to %b : tensor<24xf32> -> tensor<16x24xf32>
  %0 = ptir.add %p, %bias : tensor<16x24xf32>
  %stream = ptir.add %0, %x : tensor<16x24xf32>
  %s = ptir.reduce sum %stream axes [0] keepdims accum f32 : tensor<16x24xf32> -> tensor<1x24xf32>
  %1 = ptir.broadcast_to %s : tensor<1x24xf32> -> tensor<16x24xf32>
  %2 = ptir.div %stream, %1 : tensor<16x24xf32>
  func.return %2 : tensor<16x24xf32>
}

// A narrower value is cheaper, a wider one is not: what is stored is bf16, and f32.

// CHECK: region.kernel @narrow_0({{.*}}) -> (%{{.*}}: memref<16x24xbf16> align 256 deferred) {
// CHECK: func.func @narrow
func.func @narrow(%h: tensor<16x8xbf16>, %w: tensor<8x24xbf16>) -> tensor<1x24xbf16> {
  %p = ptir.dot_general %h, %w contract [1] x [0] accum f32 out f32 : (tensor<16x8xbf16>, tensor<8x24xbf16>) -> tensor<16x24xf32>
  %0 = ptir.cast %p : tensor<16x24xf32> -> tensor<16x24xbf16>
  %1 = ptir.reduce max %0 axes [0] keepdims : tensor<16x24xbf16> -> tensor<1x24xbf16>
  func.return %1 : tensor<1x24xbf16>
}
// CHECK: region.kernel @wide_0({{.*}}) -> (%{{.*}}: memref<16x24xf32> align 256 deferred) {
// CHECK: func.func @wide
func.func @wide(%h: tensor<16x8xbf16>, %w: tensor<8x24xbf16>) -> tensor<1x24xf64> {
  %p = ptir.dot_general %h, %w contract [1] x [0] accum f32 out f32 : (tensor<16x8xbf16>, tensor<8x24xbf16>) -> tensor<16x24xf32>
  %0 = ptir.exp %p : tensor<16x24xf32>
  %1 = ptir.cast %0 : tensor<16x24xf32> -> tensor<16x24xf64>
  %2 = ptir.reduce max %1 axes [0] keepdims : tensor<16x24xf64> -> tensor<1x24xf64>
  func.return %2 : tensor<1x24xf64>
}

// What another reduction yields is not added in the product's kernel.

// CHECK: region.kernel @reduced_0(%h: memref<16x8xbf16> align 16, %w: memref<8x24xbf16> align 16) -> (%p: memref<16x24xf32> align 256 deferred) {
// CHECK: func.func @reduced
func.func @reduced(%h: tensor<16x8xbf16>, %w: tensor<8x24xbf16>, %x: tensor<7x24xf32>) -> tensor<1x24xf32> {
  %p = ptir.dot_general %h, %w contract [1] x [0] accum f32 out f32 : (tensor<16x8xbf16>, tensor<8x24xbf16>) -> tensor<16x24xf32>
  %m = ptir.reduce max %x axes [0] keepdims : tensor<7x24xf32> -> tensor<1x24xf32>
  %0 = ptir.broadcast_to %m : tensor<1x24xf32> -> tensor<16x24xf32>
  %1 = ptir.add %p, %0 : tensor<16x24xf32>
  %2 = ptir.reduce max %1 axes [0] keepdims : tensor<16x24xf32> -> tensor<1x24xf32>
  func.return %2 : tensor<1x24xf32>
}
