// RUN: ptir-opt %s -p ptir-to-tiny,form-regions | filecheck %s

// Reductions of the same rows of an array are one kernel, with what has a value for each of their elements.

// CHECK: region.kernel @statistics_0(%x: memref<8x64xf32> align 16) -> (%{{.*}}: memref<8xf32> align 256 gmem, %{{.*}}: memref<8x1xf32> align 256 gmem, %{{.*}}: memref<8x64xf32> align 256 gmem) {
// CHECK-NOT: region.kernel
// CHECK: func.func @statistics
func.func @statistics(%x: tensor<8x64xf32>) -> (tensor<8x1xf32>, tensor<8xf32>, tensor<8x64xf32>) {
  %0 = ptir.reduce max %x axes [1] keepdims : tensor<8x64xf32> -> tensor<8x1xf32>
  %1 = ptir.exp %x : tensor<8x64xf32>
  %2 = ptir.reduce sum %1 axes [1] accum f32 : tensor<8x64xf32> -> tensor<8xf32>
  func.return %0, %2, %1 : tensor<8x1xf32>, tensor<8xf32>, tensor<8x64xf32>
}

// Small reductions of rows of one shape are one kernel, whatever they read. Other rows of the same array are another kernel.

// CHECK: region.kernel @arrays_0(
// CHECK: func.func @arrays
// CHECK: region.launch @arrays_0 ins(%x, %y
// CHECK-NEXT: func.return
func.func @arrays(%x: tensor<8x64xf32>, %y: tensor<8x64xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = ptir.reduce max %x axes [1] : tensor<8x64xf32> -> tensor<8xf32>
  %1 = ptir.reduce max %y axes [1] : tensor<8x64xf32> -> tensor<8xf32>
  func.return %0, %1 : tensor<8xf32>, tensor<8xf32>
}
// CHECK: func.func @rows
// CHECK-COUNT-2: region.launch
// CHECK: func.return
func.func @rows(%x: tensor<8x64xf32>) -> (tensor<8xf32>, tensor<16xf32>) {
  %0 = ptir.reduce max %x axes [1] : tensor<8x64xf32> -> tensor<8xf32>
  %1 = ptir.reshape %x : tensor<8x64xf32> -> tensor<16x32xf32>
  %2 = ptir.reduce max %1 axes [1] : tensor<16x32xf32> -> tensor<16xf32>
  func.return %0, %2 : tensor<8xf32>, tensor<16xf32>
}
// CHECK: func.func @both
// CHECK-COUNT-2: region.launch
// CHECK: func.return
func.func @both(%x: tensor<8x64xf32>) -> (tensor<8xf32>, tensor<64xf32>) {
  %0 = ptir.reduce max %x axes [1] : tensor<8x64xf32> -> tensor<8xf32>
  %1 = ptir.reduce max %x axes [0] : tensor<8x64xf32> -> tensor<64xf32>
  func.return %0, %1 : tensor<8xf32>, tensor<64xf32>
}
// CHECK: func.func @part
// CHECK-COUNT-2: region.launch
// CHECK: func.return
func.func @part(%x: tensor<8x64xf32>) -> (tensor<2xf32>, tensor<8xf32>) {
  %0 = ptir.slice %x [3, 0] : tensor<8x64xf32> -> tensor<2x64xf32>
  %1 = ptir.reduce max %0 axes [1] : tensor<2x64xf32> -> tensor<2xf32>
  %2 = ptir.reduce min %x axes [1] : tensor<8x64xf32> -> tensor<8xf32>
  func.return %1, %2 : tensor<2xf32>, tensor<8xf32>
}

// Rows that merge two axes of an array in another order are one kernel: the axis is split.
// CHECK: func.func @merged
// CHECK-COUNT-1: region.launch
// CHECK-NEXT: func.return
func.func @merged(%x: tensor<4x8x64xf32>) -> tensor<32x64xf32> {
  %0 = ptir.transpose %x [1, 0, 2] : tensor<4x8x64xf32> -> tensor<8x4x64xf32>
  %1 = ptir.reshape %0 : tensor<8x4x64xf32> -> tensor<32x64xf32>
  %2 = ptir.reduce max %1 axes [1] keepdims : tensor<32x64xf32> -> tensor<32x1xf32>
  %3 = ptir.broadcast_to %2 : tensor<32x1xf32> -> tensor<32x64xf32>
  %4 = ptir.sub %1, %3 : tensor<32x64xf32>
  func.return %4 : tensor<32x64xf32>
}
