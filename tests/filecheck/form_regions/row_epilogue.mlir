// RUN: ptir-opt %s -p "ptir-to-tiny,form-regions{strategy=maximal}" | filecheck %s

// The rows of a product that a warp holds are reduced by the kernel of the product.
// CHECK: region.kernel @attention_0(%x: memref<4x8xbf16> align 16, %w: memref<8x4xbf16> align 16) -> (%{{.*}}: memref<4x4xf32> align 256 gmem) {
// CHECK: tiny.reduce max
// CHECK: tiny.reduce sum
// CHECK-NOT: region.kernel
// CHECK: func.func @attention
func.func @attention(%x: tensor<4x8xbf16>, %w: tensor<8x4xbf16>) -> tensor<4x4xf32> {
  %p = ptir.dot_general %x, %w contract [1] x [0] accum f32 out f32 : (tensor<4x8xbf16>, tensor<8x4xbf16>) -> tensor<4x4xf32>
  %0 = ptir.reduce max %p axes [1] keepdims : tensor<4x4xf32> -> tensor<4x1xf32>
  %1 = ptir.broadcast_to %0 : tensor<4x1xf32> -> tensor<4x4xf32>
  %2 = ptir.sub %p, %1 : tensor<4x4xf32>
  %3 = ptir.exp %2 : tensor<4x4xf32>
  %4 = ptir.reduce sum %3 axes [1] keepdims : tensor<4x4xf32> -> tensor<4x1xf32>
  %5 = ptir.broadcast_to %4 : tensor<4x1xf32> -> tensor<4x4xf32>
  %6 = ptir.div %3, %5 : tensor<4x4xf32>
  func.return %6 : tensor<4x4xf32>
}

// Reductions of columns are not: the product is stored.
// CHECK: region.kernel @columns_0(%x: memref<4x8xbf16> align 16, %w: memref<8x4xbf16> align 16) -> (%{{.*}}: memref<4x4xf32> align 256 deferred) {
// CHECK: func.func @columns
func.func @columns(%x: tensor<4x8xbf16>, %w: tensor<8x4xbf16>) -> tensor<4x4xf32> {
  %p = ptir.dot_general %x, %w contract [1] x [0] accum f32 out f32 : (tensor<4x8xbf16>, tensor<8x4xbf16>) -> tensor<4x4xf32>
  %0 = ptir.reduce max %p axes [0] keepdims : tensor<4x4xf32> -> tensor<1x4xf32>
  %1 = ptir.broadcast_to %0 : tensor<1x4xf32> -> tensor<4x4xf32>
  %2 = ptir.sub %p, %1 : tensor<4x4xf32>
  func.return %2 : tensor<4x4xf32>
}

// Neither are rows of doubles, which lanes do not exchange, nor rows of another product.
// CHECK: region.kernel @doubles_0({{.*}}) -> (%{{.*}}: memref<4x4xf64> align 256 deferred) {
// CHECK: func.func @doubles
func.func @doubles(%x: tensor<4x8xf64>, %w: tensor<8x4xf64>) -> tensor<4x4xf64> {
  %p = ptir.dot_general %x, %w contract [1] x [0] accum f64 out f64 : (tensor<4x8xf64>, tensor<8x4xf64>) -> tensor<4x4xf64>
  %0 = ptir.reduce max %p axes [1] keepdims : tensor<4x4xf64> -> tensor<4x1xf64>
  %1 = ptir.broadcast_to %0 : tensor<4x1xf64> -> tensor<4x4xf64>
  %2 = ptir.sub %p, %1 : tensor<4x4xf64>
  func.return %2 : tensor<4x4xf64>
}

// CHECK: region.kernel @two_0(%q: memref<4x4xf32> align 256) -> (%{{.*}}: memref<4xf32> align 256 deferred) {
// CHECK: func.func @two
func.func @two(%x: tensor<4x8xbf16>, %w: tensor<8x4xbf16>, %v: tensor<8x4xbf16>) -> tensor<4x4xf32> {
  %p = ptir.dot_general %x, %w contract [1] x [0] accum f32 out f32 : (tensor<4x8xbf16>, tensor<8x4xbf16>) -> tensor<4x4xf32>
  %q = ptir.dot_general %x, %v contract [1] x [0] accum f32 out f32 : (tensor<4x8xbf16>, tensor<8x4xbf16>) -> tensor<4x4xf32>
  %0 = ptir.reduce max %q axes [1] keepdims : tensor<4x4xf32> -> tensor<4x1xf32>
  %1 = ptir.broadcast_to %0 : tensor<4x1xf32> -> tensor<4x4xf32>
  %2 = ptir.sub %p, %1 : tensor<4x4xf32>
  func.return %2 : tensor<4x4xf32>
}
