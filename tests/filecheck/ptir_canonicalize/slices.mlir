// RUN: ptir-opt %s -p ptir-canonicalize --validate-passes | filecheck %s

// Slices, concatenations and pads.

// CHECK: func.func @merged(%x: tensor<8x8xf32>) -> tensor<2x3xf32> {
// CHECK-NEXT: %0 = ptir.slice %x [3, 2] : tensor<8x8xf32> -> tensor<2x3xf32>
// CHECK-NEXT: func.return %0 : tensor<2x3xf32>
func.func @merged(%x: tensor<8x8xf32>) -> tensor<2x3xf32> {
  %0 = ptir.slice %x [1, 2] : tensor<8x8xf32> -> tensor<5x5xf32>
  %1 = ptir.slice %0 [2, 0] : tensor<5x5xf32> -> tensor<2x3xf32>
  func.return %1 : tensor<2x3xf32>
}

// CHECK: func.func @before_broadcast_and_transpose(%x: tensor<8x1xf32>, %y: tensor<8x6xf32>) -> (tensor<2x4x3xf32>, tensor<3x2xf32>) {
// CHECK-NEXT: %0 = ptir.slice %x [2, 0] : tensor<8x1xf32> -> tensor<4x1xf32>
// CHECK-NEXT: %1 = ptir.broadcast_to %0 : tensor<4x1xf32> -> tensor<2x4x3xf32>
// CHECK-NEXT: %2 = ptir.slice %y [4, 1] : tensor<8x6xf32> -> tensor<2x3xf32>
// CHECK-NEXT: %3 = ptir.transpose %2 [1, 0] : tensor<2x3xf32> -> tensor<3x2xf32>
// CHECK-NEXT: func.return %1, %3 : tensor<2x4x3xf32>, tensor<3x2xf32>
func.func @before_broadcast_and_transpose(%x: tensor<8x1xf32>, %y: tensor<8x6xf32>) -> (tensor<2x4x3xf32>, tensor<3x2xf32>) {
  %0 = ptir.broadcast_to %x : tensor<8x1xf32> -> tensor<5x8x9xf32>
  %1 = ptir.slice %0 [1, 2, 3] : tensor<5x8x9xf32> -> tensor<2x4x3xf32>
  %2 = ptir.transpose %y [1, 0] : tensor<8x6xf32> -> tensor<6x8xf32>
  %3 = ptir.slice %2 [1, 4] : tensor<6x8xf32> -> tensor<3x2xf32>
  func.return %1, %3 : tensor<2x4x3xf32>, tensor<3x2xf32>
}

// CHECK: func.func @of_concat(%x: tensor<2x4xf32>, %y: tensor<3x4xf32>, %z: tensor<4x4xf32>) -> (tensor<2x3xf32>, tensor<4x4xf32>, tensor<9x2xf32>) {
// CHECK-NEXT: %0 = ptir.concat %x, %y, %z axis 0 : (tensor<2x4xf32>, tensor<3x4xf32>, tensor<4x4xf32>) -> tensor<9x4xf32>
// CHECK-NEXT: %1 = ptir.slice %y [1, 1] : tensor<3x4xf32> -> tensor<2x3xf32>
// CHECK-NEXT: %2 = ptir.slice %x [1, 0] : tensor<2x4xf32> -> tensor<1x4xf32>
// CHECK-NEXT: %3 = ptir.concat %2, %y axis 0 : (tensor<1x4xf32>, tensor<3x4xf32>) -> tensor<4x4xf32>
// CHECK-NEXT: %4 = ptir.slice %0 [0, 2] : tensor<9x4xf32> -> tensor<9x2xf32>
// CHECK-NEXT: func.return %1, %3, %4 : tensor<2x3xf32>, tensor<4x4xf32>, tensor<9x2xf32>
func.func @of_concat(%x: tensor<2x4xf32>, %y: tensor<3x4xf32>, %z: tensor<4x4xf32>) -> (tensor<2x3xf32>, tensor<4x4xf32>, tensor<9x2xf32>) {
  %0 = ptir.concat %x, %y, %z axis 0 : (tensor<2x4xf32>, tensor<3x4xf32>, tensor<4x4xf32>) -> tensor<9x4xf32>
  %1 = ptir.slice %0 [3, 1] : tensor<9x4xf32> -> tensor<2x3xf32>
  %2 = ptir.slice %0 [1, 0] : tensor<9x4xf32> -> tensor<4x4xf32>
  %3 = ptir.slice %0 [0, 2] : tensor<9x4xf32> -> tensor<9x2xf32>
  func.return %1, %2, %3 : tensor<2x3xf32>, tensor<4x4xf32>, tensor<9x2xf32>
}

// CHECK: func.func @of_pad(%x: tensor<4x4xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<3x3xf32>, tensor<2x4xf32>) {
// CHECK-NEXT: %0 = ptir.pad %x with 7.0 : f32 low [2, 1] high [3, 0] interior [0, 0] : tensor<4x4xf32> -> tensor<9x5xf32>
// CHECK-NEXT: %1 = ptir.slice %x [1, 1] : tensor<4x4xf32> -> tensor<2x3xf32>
// CHECK-NEXT: %2 = ptir.constant dense<7.000000e+00> : tensor<2x3xf32>
// CHECK-NEXT: %3 = ptir.slice %0 [1, 1] : tensor<9x5xf32> -> tensor<3x3xf32>
// CHECK-NEXT: %4 = ptir.constant dense<7.000000e+00> : tensor<2x4xf32>
// CHECK-NEXT: func.return %1, %2, %3, %4 : tensor<2x3xf32>, tensor<2x3xf32>, tensor<3x3xf32>, tensor<2x4xf32>
func.func @of_pad(%x: tensor<4x4xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<3x3xf32>, tensor<2x4xf32>) {
  %0 = ptir.pad %x with 7.0 : f32 low [2, 1] high [3, 0] interior [0, 0] : tensor<4x4xf32> -> tensor<9x5xf32>
  %1 = ptir.slice %0 [3, 2] : tensor<9x5xf32> -> tensor<2x3xf32>
  %2 = ptir.slice %0 [6, 1] : tensor<9x5xf32> -> tensor<2x3xf32>
  %3 = ptir.slice %0 [1, 1] : tensor<9x5xf32> -> tensor<3x3xf32>
  %4 = ptir.slice %0 [0, 1] : tensor<9x5xf32> -> tensor<2x4xf32>
  func.return %1, %2, %3, %4 : tensor<2x3xf32>, tensor<2x3xf32>, tensor<3x3xf32>, tensor<2x4xf32>
}

// CHECK: func.func @of_iota() -> (tensor<2x3xi32>, tensor<4x3xi32>) {
// CHECK-NEXT: %0 = ptir.iota axis 0 : tensor<2x3xi32>
// CHECK-NEXT: %1 = ptir.iota axis 1 : tensor<4x6xi32>
// CHECK-NEXT: %2 = ptir.slice %1 [0, 3] : tensor<4x6xi32> -> tensor<4x3xi32>
// CHECK-NEXT: func.return %0, %2 : tensor<2x3xi32>, tensor<4x3xi32>
func.func @of_iota() -> (tensor<2x3xi32>, tensor<4x3xi32>) {
  %0 = ptir.iota axis 0 : tensor<4x6xi32>
  %1 = ptir.slice %0 [0, 2] : tensor<4x6xi32> -> tensor<2x3xi32>
  %2 = ptir.iota axis 1 : tensor<4x6xi32>
  %3 = ptir.slice %2 [0, 3] : tensor<4x6xi32> -> tensor<4x3xi32>
  func.return %1, %3 : tensor<2x3xi32>, tensor<4x3xi32>
}

// CHECK: func.func @concats(%x: tensor<2x4xf32>, %y: tensor<0x4xf32>, %z: tensor<6x4xf32>) -> (tensor<10x4xf32>, tensor<6x4xf32>, tensor<2x8xf32>) {
// CHECK-NEXT: %0 = ptir.concat %z, %x, %x axis 0 : (tensor<6x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<10x4xf32>
// CHECK-NEXT: %1 = ptir.concat %x, %x axis 1 : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x8xf32>
// CHECK-NEXT: func.return %0, %z, %1 : tensor<10x4xf32>, tensor<6x4xf32>, tensor<2x8xf32>
func.func @concats(%x: tensor<2x4xf32>, %y: tensor<0x4xf32>, %z: tensor<6x4xf32>) -> (tensor<10x4xf32>, tensor<6x4xf32>, tensor<2x8xf32>) {
  %0 = ptir.concat %x, %y axis 0 : (tensor<2x4xf32>, tensor<0x4xf32>) -> tensor<2x4xf32>
  %1 = ptir.concat %0, %x axis 0 : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<4x4xf32>
  %2 = ptir.concat %z, %1 axis 0 : (tensor<6x4xf32>, tensor<4x4xf32>) -> tensor<10x4xf32>
  %3 = ptir.slice %z [0, 0] : tensor<6x4xf32> -> tensor<2x4xf32>
  %4 = ptir.slice %z [2, 0] : tensor<6x4xf32> -> tensor<4x4xf32>
  %5 = ptir.concat %3, %4 axis 0 : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<6x4xf32>
  %6 = ptir.concat %x, %x axis 1 : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x8xf32>
  func.return %2, %5, %6 : tensor<10x4xf32>, tensor<6x4xf32>, tensor<2x8xf32>
}

// CHECK: func.func @not_concats(%x: tensor<2x4xf32>, %z: tensor<6x4xf32>) -> (tensor<4x4xf32>, tensor<4x8xf32>) {
// CHECK-NEXT: %0 = ptir.slice %z [2, 0] : tensor<6x4xf32> -> tensor<2x4xf32>
// CHECK-NEXT: %1 = ptir.slice %z [0, 0] : tensor<6x4xf32> -> tensor<2x4xf32>
// CHECK-NEXT: %2 = ptir.concat %0, %1 axis 0 : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<4x4xf32>
// CHECK-NEXT: %3 = ptir.concat %2, %2 axis 1 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x8xf32>
// CHECK-NEXT: func.return %2, %3 : tensor<4x4xf32>, tensor<4x8xf32>
func.func @not_concats(%x: tensor<2x4xf32>, %z: tensor<6x4xf32>) -> (tensor<4x4xf32>, tensor<4x8xf32>) {
  %0 = ptir.slice %z [2, 0] : tensor<6x4xf32> -> tensor<2x4xf32>
  %1 = ptir.slice %z [0, 0] : tensor<6x4xf32> -> tensor<2x4xf32>
  %2 = ptir.concat %0, %1 axis 0 : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<4x4xf32>
  %3 = ptir.concat %2, %2 axis 1 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x8xf32>
  func.return %2, %3 : tensor<4x4xf32>, tensor<4x8xf32>
}

// CHECK: func.func @pads(%x: tensor<3xf32>) -> (tensor<11xf32>, tensor<6xf32>, tensor<9xf32>) {
// CHECK-NEXT: %0 = ptir.pad %x with 0.0 : f32 low [3] high [3] interior [1] : tensor<3xf32> -> tensor<11xf32>
// CHECK-NEXT: %1 = ptir.pad %x with 0.0 : f32 low [1] high [0] interior [0] : tensor<3xf32> -> tensor<4xf32>
// CHECK-NEXT: %2 = ptir.pad %1 with 1.0 : f32 low [1] high [1] interior [0] : tensor<4xf32> -> tensor<6xf32>
// CHECK-NEXT: %3 = ptir.pad %1 with 0.0 : f32 low [1] high [1] interior [1] : tensor<4xf32> -> tensor<9xf32>
// CHECK-NEXT: func.return %0, %2, %3 : tensor<11xf32>, tensor<6xf32>, tensor<9xf32>
func.func @pads(%x: tensor<3xf32>) -> (tensor<11xf32>, tensor<6xf32>, tensor<9xf32>) {
  %0 = ptir.pad %x with 0.0 : f32 low [1] high [0] interior [1] : tensor<3xf32> -> tensor<6xf32>
  %1 = ptir.pad %0 with 0.0 : f32 low [2] high [3] interior [0] : tensor<6xf32> -> tensor<11xf32>
  %2 = ptir.pad %x with 0.0 : f32 low [1] high [0] interior [0] : tensor<3xf32> -> tensor<4xf32>
  %3 = ptir.pad %2 with 1.0 : f32 low [1] high [1] interior [0] : tensor<4xf32> -> tensor<6xf32>
  %4 = ptir.pad %2 with 0.0 : f32 low [1] high [1] interior [1] : tensor<4xf32> -> tensor<9xf32>
  func.return %1, %3, %4 : tensor<11xf32>, tensor<6xf32>, tensor<9xf32>
}
