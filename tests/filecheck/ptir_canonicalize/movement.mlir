// RUN: ptir-opt %s -p ptir-canonicalize --validate-passes | filecheck %s

// Broadcasts, reshapes, transposes, tiles: merged, dropped, moved to where there is less to move.

// CHECK: func.func @merged(%x: tensor<3xf32>) -> (tensor<2x4x3xf32>, tensor<6x4xf32>) {
// CHECK-NEXT: %0 = ptir.broadcast_to %x : tensor<3xf32> -> tensor<2x4x3xf32>
// CHECK-NEXT: %1 = ptir.reshape %0 : tensor<2x4x3xf32> -> tensor<6x4xf32>
// CHECK-NEXT: func.return %0, %1 : tensor<2x4x3xf32>, tensor<6x4xf32>
func.func @merged(%x: tensor<3xf32>) -> (tensor<2x4x3xf32>, tensor<6x4xf32>) {
  %0 = ptir.broadcast_to %x : tensor<3xf32> -> tensor<4x3xf32>
  %1 = ptir.broadcast_to %0 : tensor<4x3xf32> -> tensor<2x4x3xf32>
  %2 = ptir.reshape %1 : tensor<2x4x3xf32> -> tensor<24xf32>
  %3 = ptir.reshape %2 : tensor<24xf32> -> tensor<6x4xf32>
  func.return %1, %3 : tensor<2x4x3xf32>, tensor<6x4xf32>
}

// CHECK: func.func @nothing(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
// CHECK-NEXT: func.return %x : tensor<4x6xf32>
func.func @nothing(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = ptir.transpose %x [0, -1] : tensor<4x6xf32> -> tensor<4x6xf32>
  %1 = ptir.reshape %0 : tensor<4x6xf32> -> tensor<4x6xf32>
  %2 = ptir.broadcast_to %1 : tensor<4x6xf32> -> tensor<4x6xf32>
  %3 = ptir.tile %2 [1, 1] : tensor<4x6xf32> -> tensor<4x6xf32>
  %4 = ptir.slice %3 [0, 0] : tensor<4x6xf32> -> tensor<4x6xf32>
  %5 = ptir.pad %4 with 0.0 : f32 low [0, 0] high [0, 0] interior [0, 0] : tensor<4x6xf32> -> tensor<4x6xf32>
  %6 = ptir.concat %5 axis 0 : (tensor<4x6xf32>) -> tensor<4x6xf32>
  func.return %6 : tensor<4x6xf32>
}

// CHECK: func.func @transposes(%x: tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>, tensor<4x2x3xf32>) {
// CHECK-NEXT: %0 = ptir.transpose %x [2, 0, 1] : tensor<2x3x4xf32> -> tensor<4x2x3xf32>
// CHECK-NEXT: func.return %x, %0 : tensor<2x3x4xf32>, tensor<4x2x3xf32>
func.func @transposes(%x: tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>, tensor<4x2x3xf32>) {
  %0 = ptir.transpose %x [2, 0, 1] : tensor<2x3x4xf32> -> tensor<4x2x3xf32>
  %1 = ptir.transpose %0 [1, 2, 0] : tensor<4x2x3xf32> -> tensor<2x3x4xf32>
  %2 = ptir.transpose %1 [1, 0, 2] : tensor<2x3x4xf32> -> tensor<3x2x4xf32>
  %3 = ptir.transpose %2 [2, 1, 0] : tensor<3x2x4xf32> -> tensor<4x2x3xf32>
  func.return %1, %3 : tensor<2x3x4xf32>, tensor<4x2x3xf32>
}

// Axes of size 1 move for nothing, so a reshape says it.
// CHECK: func.func @unit_axes(%x: tensor<1x3x1x4xf32>, %y: tensor<3xf32>) -> (tensor<3x1x4x1xf32>, tensor<1x1x3xf32>, tensor<5x3xf32>) {
// CHECK-NEXT: %0 = ptir.reshape %x : tensor<1x3x1x4xf32> -> tensor<3x1x4x1xf32>
// CHECK-NEXT: %1 = ptir.reshape %y : tensor<3xf32> -> tensor<1x1x3xf32>
// CHECK-NEXT: %2 = ptir.broadcast_to %y : tensor<3xf32> -> tensor<5x3xf32>
// CHECK-NEXT: func.return %0, %1, %2 : tensor<3x1x4x1xf32>, tensor<1x1x3xf32>, tensor<5x3xf32>
func.func @unit_axes(%x: tensor<1x3x1x4xf32>, %y: tensor<3xf32>) -> (tensor<3x1x4x1xf32>, tensor<1x1x3xf32>, tensor<5x3xf32>) {
  %0 = ptir.transpose %x [1, 0, 3, 2] : tensor<1x3x1x4xf32> -> tensor<3x1x4x1xf32>
  %1 = ptir.broadcast_to %y : tensor<3xf32> -> tensor<1x1x3xf32>
  %2 = ptir.reshape %y : tensor<3xf32> -> tensor<1x3xf32>
  %3 = ptir.broadcast_to %2 : tensor<1x3xf32> -> tensor<5x3xf32>
  func.return %0, %1, %3 : tensor<3x1x4x1xf32>, tensor<1x1x3xf32>, tensor<5x3xf32>
}

// CHECK: func.func @transposed_broadcast(%x: tensor<3x1xf32>) -> (tensor<3x2x4xf32>, tensor<4x2xi32>) {
// CHECK-NEXT: %0 = ptir.reshape %x : tensor<3x1xf32> -> tensor<3x1x1xf32>
// CHECK-NEXT: %1 = ptir.broadcast_to %0 : tensor<3x1x1xf32> -> tensor<3x2x4xf32>
// CHECK-NEXT: %2 = ptir.iota axis 1 : tensor<4x2xi32>
// CHECK-NEXT: func.return %1, %2 : tensor<3x2x4xf32>, tensor<4x2xi32>
func.func @transposed_broadcast(%x: tensor<3x1xf32>) -> (tensor<3x2x4xf32>, tensor<4x2xi32>) {
  %0 = ptir.broadcast_to %x : tensor<3x1xf32> -> tensor<2x3x4xf32>
  %1 = ptir.transpose %0 [1, 0, 2] : tensor<2x3x4xf32> -> tensor<3x2x4xf32>
  %2 = ptir.iota axis 0 : tensor<2x4xi32>
  %3 = ptir.transpose %2 [1, 0] : tensor<2x4xi32> -> tensor<4x2xi32>
  func.return %1, %3 : tensor<3x2x4xf32>, tensor<4x2xi32>
}

// What is computed for each element is computed before it is repeated.
// CHECK: func.func @sunk(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<8x4xf32> {
// CHECK-NEXT: %0 = ptir.exp %x : tensor<4xf32>
// CHECK-NEXT: %1 = ptir.mul %0, %y : tensor<4xf32>
// CHECK-NEXT: %2 = ptir.constant dense<3.000000e+00> : tensor<4xf32>
// CHECK-NEXT: %3 = ptir.add %1, %2 : tensor<4xf32>
// CHECK-NEXT: %4 = ptir.broadcast_to %3 : tensor<4xf32> -> tensor<8x4xf32>
// CHECK-NEXT: func.return %4 : tensor<8x4xf32>
func.func @sunk(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<8x4xf32> {
  %0 = ptir.broadcast_to %x : tensor<4xf32> -> tensor<8x4xf32>
  %1 = ptir.broadcast_to %y : tensor<4xf32> -> tensor<8x4xf32>
  %2 = ptir.exp %0 : tensor<8x4xf32>
  %3 = ptir.mul %2, %1 : tensor<8x4xf32>
  %4 = ptir.constant dense<3.0> : tensor<8x4xf32>
  %5 = ptir.add %4, %3 : tensor<8x4xf32>
  func.return %5 : tensor<8x4xf32>
}

// Not where operands are of two shapes, or a division may then meet a zero that it did not meet before.
// CHECK: func.func @not_sunk(%x: tensor<4xf32>, %y: tensor<8x1xf32>, %i: tensor<4xi32>, %j: tensor<4xi32>) -> (tensor<8x4xf32>, tensor<0x4xi32>) {
// CHECK-NEXT: %0 = ptir.broadcast_to %x : tensor<4xf32> -> tensor<8x4xf32>
// CHECK-NEXT: %1 = ptir.broadcast_to %y : tensor<8x1xf32> -> tensor<8x4xf32>
// CHECK-NEXT: %2 = ptir.mul %0, %1 : tensor<8x4xf32>
// CHECK-NEXT: %3 = ptir.broadcast_to %i : tensor<4xi32> -> tensor<0x4xi32>
// CHECK-NEXT: %4 = ptir.broadcast_to %j : tensor<4xi32> -> tensor<0x4xi32>
// CHECK-NEXT: %5 = ptir.div %3, %4 : tensor<0x4xi32>
// CHECK-NEXT: func.return %2, %5 : tensor<8x4xf32>, tensor<0x4xi32>
func.func @not_sunk(%x: tensor<4xf32>, %y: tensor<8x1xf32>, %i: tensor<4xi32>, %j: tensor<4xi32>) -> (tensor<8x4xf32>, tensor<0x4xi32>) {
  %0 = ptir.broadcast_to %x : tensor<4xf32> -> tensor<8x4xf32>
  %1 = ptir.broadcast_to %y : tensor<8x1xf32> -> tensor<8x4xf32>
  %2 = ptir.mul %0, %1 : tensor<8x4xf32>
  %3 = ptir.broadcast_to %i : tensor<4xi32> -> tensor<0x4xi32>
  %4 = ptir.broadcast_to %j : tensor<4xi32> -> tensor<0x4xi32>
  %5 = ptir.div %3, %4 : tensor<0x4xi32>
  func.return %2, %5 : tensor<8x4xf32>, tensor<0x4xi32>
}

// CHECK: func.func @tiles(%x: tensor<1x3xf32>, %y: tensor<2x3xf32>) -> (tensor<4x3xf32>, tensor<4x18xf32>) {
// CHECK-NEXT: %0 = ptir.broadcast_to %x : tensor<1x3xf32> -> tensor<4x3xf32>
// CHECK-NEXT: %1 = ptir.tile %y [2, 6] : tensor<2x3xf32> -> tensor<4x18xf32>
// CHECK-NEXT: func.return %0, %1 : tensor<4x3xf32>, tensor<4x18xf32>
func.func @tiles(%x: tensor<1x3xf32>, %y: tensor<2x3xf32>) -> (tensor<4x3xf32>, tensor<4x18xf32>) {
  %0 = ptir.tile %x [4, 1] : tensor<1x3xf32> -> tensor<4x3xf32>
  %1 = ptir.tile %y [2, 3] : tensor<2x3xf32> -> tensor<4x9xf32>
  %2 = ptir.tile %1 [1, 2] : tensor<4x9xf32> -> tensor<4x18xf32>
  func.return %0, %2 : tensor<4x3xf32>, tensor<4x18xf32>
}
