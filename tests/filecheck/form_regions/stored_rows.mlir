// RUN: ptir-opt %s -p "ptir-to-tiny,form-regions{strategy=maximal}" | filecheck %s

// Reductions, and what is computed of rows, that no one kernel holds.

// The reductions of a kernel are equally long; others are stored.
// CHECK: region.kernel @lengths_0(%y: memref<4x16xf32> align 16) -> (%{{.*}}: memref<4xf32> align 256 deferred) {
// CHECK: region.kernel @lengths_1(%x: memref<4x8xf32> align 16, %{{.*}}: memref<4xf32> align 256) -> (%{{.*}}: memref<4x8xf32> align 256 gmem) {
// CHECK: tiny.reduce max
// CHECK-NOT: region.kernel
// CHECK: func.func @lengths
func.func @lengths(%x: tensor<4x8xf32>, %y: tensor<4x16xf32>) -> tensor<4x8xf32> {
  %0 = ptir.reduce max %x axes [1] keepdims : tensor<4x8xf32> -> tensor<4x1xf32>
  %1 = ptir.reduce max %y axes [1] keepdims : tensor<4x16xf32> -> tensor<4x1xf32>
  %2 = ptir.add %0, %1 : tensor<4x1xf32>
  %3 = ptir.broadcast_to %2 : tensor<4x1xf32> -> tensor<4x8xf32>
  %4 = ptir.sub %x, %3 : tensor<4x8xf32>
  func.return %4 : tensor<4x8xf32>
}

// A contraction whose rows no warp holds is stored; its softmax is one kernel.
// CHECK: region.kernel @attention_0(%x: memref<4x8xbf16> align 16, %w: memref<8x256xbf16> align 16) -> (%{{.*}}: memref<4x256xf32> align 256 deferred) {
// CHECK: region.kernel @attention_1(%{{.*}}: memref<4x256xf32> align 256) -> (%{{.*}}: memref<4x256xf32> align 256 gmem) {
// CHECK: tiny.reduce max
// CHECK: tiny.reduce sum
// CHECK-NOT: region.kernel
// CHECK: func.func @attention
func.func @attention(%x: tensor<4x8xbf16>, %w: tensor<8x256xbf16>) -> tensor<4x256xf32> {
  %p = ptir.dot_general %x, %w contract [1] x [0] accum f32 out f32 : (tensor<4x8xbf16>, tensor<8x256xbf16>) -> tensor<4x256xf32>
  %0 = ptir.reduce max %p axes [1] keepdims : tensor<4x256xf32> -> tensor<4x1xf32>
  %1 = ptir.broadcast_to %0 : tensor<4x1xf32> -> tensor<4x256xf32>
  %2 = ptir.sub %p, %1 : tensor<4x256xf32>
  %3 = ptir.exp %2 : tensor<4x256xf32>
  %4 = ptir.reduce sum %3 axes [1] keepdims : tensor<4x256xf32> -> tensor<4x1xf32>
  %5 = ptir.broadcast_to %4 : tensor<4x1xf32> -> tensor<4x256xf32>
  %6 = ptir.div %3, %5 : tensor<4x256xf32>
  func.return %6 : tensor<4x256xf32>
}

// If no reduction reads it, the contraction is fused and the reduction is stored.
// CHECK: region.kernel @bias_0(%y: memref<4x4xf32> align 16) -> (%{{.*}}: memref<4xf32> align 256 deferred) {
// CHECK: region.kernel @bias_1(%x: memref<4x8xbf16> align 16, %w: memref<8x4xbf16> align 16, %{{.*}}: memref<4xf32> align 256) -> (%{{.*}}: memref<4x4xf32> align 256 gmem) {
// CHECK-NOT: region.kernel
// CHECK: func.func @bias
func.func @bias(%x: tensor<4x8xbf16>, %w: tensor<8x4xbf16>, %y: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %p = ptir.dot_general %x, %w contract [1] x [0] accum f32 out f32 : (tensor<4x8xbf16>, tensor<8x4xbf16>) -> tensor<4x4xf32>
  %0 = ptir.reduce max %y axes [1] keepdims : tensor<4x4xf32> -> tensor<4x1xf32>
  %1 = ptir.broadcast_to %0 : tensor<4x1xf32> -> tensor<4x4xf32>
  %2 = ptir.add %p, %1 : tensor<4x4xf32>
  func.return %2 : tensor<4x4xf32>
}

// A group of the last axis of images is no run of memory: the elements of a row are strided.
// CHECK: region.kernel @groups_0(%x: memref<2x4x6xf32> align 16) -> (%{{.*}}: memref<2x3xf32> align 256 deferred) {
// CHECK: region.kernel @groups_1(
// CHECK-NOT: tiny.reduce
// CHECK: func.func @groups
func.func @groups(%x: tensor<2x4x6xf32>) -> tensor<2x4x6xf32> {
  %0 = ptir.reshape %x : tensor<2x4x6xf32> -> tensor<2x4x3x2xf32>
  %1 = ptir.transpose %0 [0, 2, 1, 3] : tensor<2x4x3x2xf32> -> tensor<2x3x4x2xf32>
  %2 = ptir.reshape %1 : tensor<2x3x4x2xf32> -> tensor<2x3x8xf32>
  %3 = ptir.reduce sum %2 axes [2] : tensor<2x3x8xf32> -> tensor<2x3xf32>
  %4 = ptir.reshape %3 : tensor<2x3xf32> -> tensor<2x1x3x1xf32>
  %5 = ptir.broadcast_to %4 : tensor<2x1x3x1xf32> -> tensor<2x4x3x2xf32>
  %6 = ptir.sub %0, %5 : tensor<2x4x3x2xf32>
  %7 = ptir.reshape %6 : tensor<2x4x3x2xf32> -> tensor<2x4x6xf32>
  func.return %7 : tensor<2x4x6xf32>
}

// Two outputs of the same rows are two kernels where the second needs a reduction of the first one's columns.
// CHECK: region.kernel @wait_0(%x: memref<4x8xf32> align 16) -> (%{{.*}}: memref<4xf32> align 256 deferred) {
// CHECK: region.kernel @wait_1(%x: memref<4x8xf32> align 16, %{{.*}}: memref<4xf32> align 256) -> (%{{.*}}: memref<4x8xf32> align 256 gmem) {
// CHECK: region.kernel @wait_2(%{{.*}}: memref<4x8xf32> align 256) -> (%{{.*}}: memref<8xf32> align 256 deferred) {
// CHECK: region.kernel @wait_3(%{{.*}}: memref<4xf32> align 256, %{{.*}}: memref<8xf32> align 256) -> (%{{.*}}: memref<4x8xf32> align 256 gmem) {
// CHECK: func.func @wait
func.func @wait(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %0 = ptir.reduce max %x axes [1] keepdims : tensor<4x8xf32> -> tensor<4x1xf32>
  %1 = ptir.broadcast_to %0 : tensor<4x1xf32> -> tensor<4x8xf32>
  %2 = ptir.sub %x, %1 : tensor<4x8xf32>
  %3 = ptir.reduce sum %2 axes [0] keepdims : tensor<4x8xf32> -> tensor<1x8xf32>
  %4 = ptir.broadcast_to %3 : tensor<1x8xf32> -> tensor<4x8xf32>
  %5 = ptir.add %1, %4 : tensor<4x8xf32>
  func.return %2, %5 : tensor<4x8xf32>, tensor<4x8xf32>
}
