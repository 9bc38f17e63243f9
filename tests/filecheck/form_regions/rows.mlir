// RUN: ptir-opt %s -p ptir-to-tiny,form-regions | filecheck %s
// RUN: ptir-opt %s -p 'ptir-to-tiny,form-regions,plan-regions,region-to-pto,pto-to-nv' --validate-passes -o /dev/null

// Reductions of the same rows are one kernel, with what is computed of the rows before and after them.

// A residual that is stored, and its norm: what is read is read once.
// CHECK: region.kernel @residual_0(%x: memref<4x8xf32> align 16, %y: memref<4x8xf32> align 16) -> (%{{.*}}: memref<4x8xf32> align 256 gmem, %{{.*}}: memref<4x8xf32> align 256 gmem) {
// CHECK-NEXT: %[[X:.*]] = region.load %x
// CHECK-NEXT: %[[Y:.*]] = region.load %y
// CHECK-NEXT: %[[SUM:.*]] = tiny.binary add %[[X]], %[[Y]]
// CHECK-NEXT: %[[SQUARE:.*]] = tiny.binary mul %[[SUM]], %[[SUM]]
// CHECK-NEXT: %{{.*}} = tiny.reduce sum %[[SQUARE]] axes [1]
// CHECK: %[[NORM:.*]] = tiny.binary mul %[[SUM]]
// CHECK-NEXT: region.yield %[[NORM]], %[[SUM]] : tensor<4x8xf32>, tensor<4x8xf32>
// CHECK-NOT: region.kernel
// CHECK: func.func @residual
func.func @residual(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %0 = ptir.add %x, %y : tensor<4x8xf32>
  %1 = ptir.mul %0, %0 : tensor<4x8xf32>
  %2 = ptir.reduce sum %1 axes [1] keepdims : tensor<4x8xf32> -> tensor<4x1xf32>
  %3 = ptir.rsqrt %2 : tensor<4x1xf32>
  %4 = ptir.broadcast_to %3 : tensor<4x1xf32> -> tensor<4x8xf32>
  %5 = ptir.mul %0, %4 : tensor<4x8xf32>
  func.return %5, %0 : tensor<4x8xf32>, tensor<4x8xf32>
}

// Mean and reciprocal deviation are further outputs, one element a row, of any shape.
// CHECK: region.kernel @layer_norm_0(%x: memref<2x4x8xf32> align 16) -> (%{{.*}}: memref<2x4x8xf32> align 256 gmem, %{{.*}}: memref<2x4xf32> align 256 gmem, %{{.*}}: memref<8x1xf32> align 256 gmem) {
// CHECK-NOT: region.kernel
// CHECK: func.func @layer_norm
func.func @layer_norm(%x: tensor<2x4x8xf32>) -> (tensor<2x4x8xf32>, tensor<2x4xf32>, tensor<8x1xf32>) {
  %n = ptir.constant dense<8.0> : tensor<2x4x1xf32>
  %0 = ptir.reduce sum %x axes [2] keepdims : tensor<2x4x8xf32> -> tensor<2x4x1xf32>
  %mean = ptir.div %0, %n : tensor<2x4x1xf32>
  %1 = ptir.broadcast_to %mean : tensor<2x4x1xf32> -> tensor<2x4x8xf32>
  %2 = ptir.sub %x, %1 : tensor<2x4x8xf32>
  %3 = ptir.mul %2, %2 : tensor<2x4x8xf32>
  %4 = ptir.reduce sum %3 axes [2] keepdims : tensor<2x4x8xf32> -> tensor<2x4x1xf32>
  %rstd = ptir.rsqrt %4 : tensor<2x4x1xf32>
  %5 = ptir.broadcast_to %rstd : tensor<2x4x1xf32> -> tensor<2x4x8xf32>
  %6 = ptir.mul %2, %5 : tensor<2x4x8xf32>
  %7 = ptir.reshape %mean : tensor<2x4x1xf32> -> tensor<2x4xf32>
  %8 = ptir.reshape %rstd : tensor<2x4x1xf32> -> tensor<8x1xf32>
  func.return %6, %7, %8 : tensor<2x4x8xf32>, tensor<2x4xf32>, tensor<8x1xf32>
}

// Outputs need not share what they read: the first and the last here have the second between them.
// CHECK: region.kernel @chain_0(%x: memref<4x8xf32> align 16) -> (%{{.*}}: memref<4x1xf32> align 256 gmem, %{{.*}}: memref<4x1xf32> align 256 gmem, %{{.*}}: memref<4xf32> align 256 gmem) {
// CHECK: tiny.reduce max
// CHECK: tiny.reduce min
// CHECK-NOT: region.kernel
// CHECK: func.func @chain
func.func @chain(%x: tensor<4x8xf32>) -> (tensor<4x1xf32>, tensor<4xf32>, tensor<4x1xf32>) {
  %0 = ptir.reduce max %x axes [1] keepdims : tensor<4x8xf32> -> tensor<4x1xf32>
  %1 = ptir.reduce min %x axes [1] keepdims : tensor<4x8xf32> -> tensor<4x1xf32>
  %2 = ptir.sub %0, %1 : tensor<4x1xf32>
  %3 = ptir.exp %1 : tensor<4x1xf32>
  %4 = ptir.reshape %3 : tensor<4x1xf32> -> tensor<4xf32>
  func.return %0, %4, %2 : tensor<4x1xf32>, tensor<4xf32>, tensor<4x1xf32>
}

// What both read, one of them turned, is not what aligns their rows.
// CHECK: region.kernel @turned_0(%y: memref<4x4x8xf32> align 16, %x: memref<4x4x8xf32> align 16) -> (%{{.*}}: memref<4x4x8xf32> align 256 gmem, %{{.*}}: memref<4x4x8xf32> align 256 gmem) {
// CHECK-NOT: region.kernel
// CHECK: func.func @turned
func.func @turned(%x: tensor<4x4x8xf32>, %y: tensor<4x4x8xf32>) -> (tensor<4x4x8xf32>, tensor<4x4x8xf32>) {
  %0 = ptir.reduce max %x axes [1, 2] keepdims : tensor<4x4x8xf32> -> tensor<4x1x1xf32>
  %1 = ptir.broadcast_to %0 : tensor<4x1x1xf32> -> tensor<4x4x8xf32>
  %2 = ptir.sub %x, %1 : tensor<4x4x8xf32>
  %3 = ptir.add %y, %2 : tensor<4x4x8xf32>
  %4 = ptir.transpose %y [1, 0, 2] : tensor<4x4x8xf32> -> tensor<4x4x8xf32>
  %5 = ptir.mul %4, %2 : tensor<4x4x8xf32>
  func.return %3, %5 : tensor<4x4x8xf32>, tensor<4x4x8xf32>
}

// The softmax of a softmax.
// CHECK: region.kernel @twice_0(
// CHECK: tiny.reduce sum
// CHECK: tiny.unary exp
// CHECK: tiny.reduce sum
// CHECK-NOT: region.kernel
// CHECK: func.func @twice
func.func @twice(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = ptir.exp %x : tensor<4x8xf32>
  %1 = ptir.reduce sum %0 axes [1] keepdims : tensor<4x8xf32> -> tensor<4x1xf32>
  %2 = ptir.broadcast_to %1 : tensor<4x1xf32> -> tensor<4x8xf32>
  %3 = ptir.div %0, %2 : tensor<4x8xf32>
  %4 = ptir.exp %3 : tensor<4x8xf32>
  %5 = ptir.reduce sum %4 axes [1] keepdims : tensor<4x8xf32> -> tensor<4x1xf32>
  %6 = ptir.broadcast_to %5 : tensor<4x1xf32> -> tensor<4x8xf32>
  %7 = ptir.div %4, %6 : tensor<4x8xf32>
  func.return %7 : tensor<4x8xf32>
}

// A row of the reduction is a group of channels: the axis of the result that has them is split.
// CHECK: region.kernel @groups_0(%x: memref<2x6x4xf32> align 16, %g: memref<6xf32> align 16) -> (%{{.*}}: memref<2x6x4xf32> align 256 gmem) {
// CHECK: tiny.reduce sum
// CHECK-NOT: region.kernel
// CHECK: func.func @groups
func.func @groups(%x: tensor<2x6x4xf32>, %g: tensor<6xf32>) -> tensor<2x6x4xf32> {
  %0 = ptir.reshape %x : tensor<2x6x4xf32> -> tensor<2x3x2x4xf32>
  %1 = ptir.reduce sum %0 axes [2, 3] keepdims : tensor<2x3x2x4xf32> -> tensor<2x3x1x1xf32>
  %2 = ptir.broadcast_to %1 : tensor<2x3x1x1xf32> -> tensor<2x3x2x4xf32>
  %3 = ptir.sub %0, %2 : tensor<2x3x2x4xf32>
  %4 = ptir.reshape %3 : tensor<2x3x2x4xf32> -> tensor<2x6x4xf32>
  %5 = ptir.reshape %g : tensor<6xf32> -> tensor<6x1xf32>
  %6 = ptir.broadcast_to %5 : tensor<6x1xf32> -> tensor<2x6x4xf32>
  %7 = ptir.mul %4, %6 : tensor<2x6x4xf32>
  func.return %7 : tensor<2x6x4xf32>
}
