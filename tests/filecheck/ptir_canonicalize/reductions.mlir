// RUN: ptir-opt %s -p ptir-canonicalize --validate-passes | filecheck %s

// Reductions and contractions.

// A sum starts at +0, so it is never -0: over one element it is that element plus zero.
// CHECK: func.func @of_one(%x: tensor<1x4xf32>, %i: tensor<1x4xi32>, %h: tensor<4xbf16>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xi32>, tensor<4xbf16>) {
// CHECK-NEXT: %0 = ptir.constant dense<0.000000e+00> : tensor<1x4xf32>
// CHECK-NEXT: %1 = ptir.add %x, %0 : tensor<1x4xf32>
// CHECK-NEXT: %2 = ptir.reshape %1 : tensor<1x4xf32> -> tensor<4xf32>
// CHECK-NEXT: %3 = ptir.reshape %x : tensor<1x4xf32> -> tensor<4xf32>
// CHECK-NEXT: %4 = ptir.reshape %i : tensor<1x4xi32> -> tensor<4xi32>
// CHECK-NEXT: func.return %2, %3, %4, %h : tensor<4xf32>, tensor<4xf32>, tensor<4xi32>, tensor<4xbf16>
func.func @of_one(%x: tensor<1x4xf32>, %i: tensor<1x4xi32>, %h: tensor<4xbf16>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xi32>, tensor<4xbf16>) {
  %0 = ptir.reduce sum %x axes [0] : tensor<1x4xf32> -> tensor<4xf32>
  %1 = ptir.reduce max %x axes [0] : tensor<1x4xf32> -> tensor<4xf32>
  %2 = ptir.reduce sum %i axes [0] : tensor<1x4xi32> -> tensor<4xi32>
  %3 = ptir.reduce min %h axes [] accum f32 : tensor<4xbf16> -> tensor<4xbf16>
  func.return %0, %1, %2, %3 : tensor<4xf32>, tensor<4xf32>, tensor<4xi32>, tensor<4xbf16>
}

// CHECK: func.func @unit_axes(%x: tensor<1x4x3xf32>) -> (tensor<3xf32>, tensor<1x1x3xf32>) {
// CHECK-NEXT: %0 = ptir.reduce sum %x axes [1] : tensor<1x4x3xf32> -> tensor<1x3xf32>
// CHECK-NEXT: %1 = ptir.reshape %0 : tensor<1x3xf32> -> tensor<3xf32>
// CHECK-NEXT: %2 = ptir.reduce sum %x axes [1] keepdims : tensor<1x4x3xf32> -> tensor<1x1x3xf32>
// CHECK-NEXT: func.return %1, %2 : tensor<3xf32>, tensor<1x1x3xf32>
func.func @unit_axes(%x: tensor<1x4x3xf32>) -> (tensor<3xf32>, tensor<1x1x3xf32>) {
  %0 = ptir.reduce sum %x axes [0, 1] : tensor<1x4x3xf32> -> tensor<3xf32>
  %1 = ptir.reduce sum %x axes [0, 1] keepdims : tensor<1x4x3xf32> -> tensor<1x1x3xf32>
  func.return %0, %1 : tensor<3xf32>, tensor<1x1x3xf32>
}

// CHECK: func.func @merged(%x: tensor<2x3x4xf32>, %i: tensor<2x3x4xi32>) -> (tensor<4xf32>, tensor<2xi32>) {
// CHECK-NEXT: %0 = ptir.reduce max %x axes [0, 1] : tensor<2x3x4xf32> -> tensor<4xf32>
// CHECK-NEXT: %1 = ptir.reduce sum %i axes [1, 2] : tensor<2x3x4xi32> -> tensor<2xi32>
// CHECK-NEXT: func.return %0, %1 : tensor<4xf32>, tensor<2xi32>
func.func @merged(%x: tensor<2x3x4xf32>, %i: tensor<2x3x4xi32>) -> (tensor<4xf32>, tensor<2xi32>) {
  %0 = ptir.reduce max %x axes [0] : tensor<2x3x4xf32> -> tensor<3x4xf32>
  %1 = ptir.reduce max %0 axes [0] : tensor<3x4xf32> -> tensor<4xf32>
  %2 = ptir.reduce sum %i axes [1] keepdims : tensor<2x3x4xi32> -> tensor<2x1x4xi32>
  %3 = ptir.reduce sum %2 axes [1, 2] : tensor<2x1x4xi32> -> tensor<2xi32>
  func.return %1, %3 : tensor<4xf32>, tensor<2xi32>
}

// Sums of floats would be rounded otherwise, maxima of other types too.
// CHECK: func.func @not_merged(%x: tensor<2x3x4xf32>, %y: tensor<2x3xf32>) -> (tensor<4xf32>, tensor<f32>) {
// CHECK-NEXT: %0 = ptir.reduce sum %x axes [0] : tensor<2x3x4xf32> -> tensor<3x4xf32>
// CHECK-NEXT: %1 = ptir.reduce sum %0 axes [0] : tensor<3x4xf32> -> tensor<4xf32>
// CHECK-NEXT: %2 = ptir.reduce max %y axes [0] out bf16 : tensor<2x3xf32> -> tensor<3xbf16>
// CHECK-NEXT: %3 = ptir.reduce max %2 axes [0] out f32 : tensor<3xbf16> -> tensor<f32>
// CHECK-NEXT: func.return %1, %3 : tensor<4xf32>, tensor<f32>
func.func @not_merged(%x: tensor<2x3x4xf32>, %y: tensor<2x3xf32>) -> (tensor<4xf32>, tensor<f32>) {
  %0 = ptir.reduce sum %x axes [0] : tensor<2x3x4xf32> -> tensor<3x4xf32>
  %1 = ptir.reduce sum %0 axes [0] : tensor<3x4xf32> -> tensor<4xf32>
  %2 = ptir.reduce max %y axes [0] out bf16 : tensor<2x3xf32> -> tensor<3xbf16>
  %3 = ptir.reduce max %2 axes [0] out f32 : tensor<3xbf16> -> tensor<f32>
  func.return %1, %3 : tensor<4xf32>, tensor<f32>
}

// CHECK: func.func @of_movement(%x: tensor<2x3x4xf32>, %y: tensor<3x1xf32>) -> (tensor<4x2xf32>, tensor<4xf32>, tensor<5x3x1xf32>, tensor<3xf32>) {
// CHECK-NEXT: %0 = ptir.reduce sum %x axes [1] : tensor<2x3x4xf32> -> tensor<2x4xf32>
// CHECK-NEXT: %1 = ptir.transpose %0 [1, 0] : tensor<2x4xf32> -> tensor<4x2xf32>
// CHECK-NEXT: %2 = ptir.reduce sum %x axes [0, 1] : tensor<2x3x4xf32> -> tensor<4xf32>
// CHECK-NEXT: %3 = ptir.broadcast_to %y : tensor<3x1xf32> -> tensor<1x3x4xf32>
// CHECK-NEXT: %4 = ptir.reduce sum %3 axes [2] keepdims : tensor<1x3x4xf32> -> tensor<1x3x1xf32>
// CHECK-NEXT: %5 = ptir.broadcast_to %4 : tensor<1x3x1xf32> -> tensor<5x3x1xf32>
// CHECK-NEXT: %6 = ptir.reshape %y : tensor<3x1xf32> -> tensor<3xf32>
// CHECK-NEXT: func.return %1, %2, %5, %6 : tensor<4x2xf32>, tensor<4xf32>, tensor<5x3x1xf32>, tensor<3xf32>
func.func @of_movement(%x: tensor<2x3x4xf32>, %y: tensor<3x1xf32>) -> (tensor<4x2xf32>, tensor<4xf32>, tensor<5x3x1xf32>, tensor<3xf32>) {
  %0 = ptir.transpose %x [2, 1, 0] : tensor<2x3x4xf32> -> tensor<4x3x2xf32>
  %1 = ptir.reduce sum %0 axes [1] : tensor<4x3x2xf32> -> tensor<4x2xf32>
  %2 = ptir.reshape %x : tensor<2x3x4xf32> -> tensor<6x4xf32>
  %3 = ptir.reduce sum %2 axes [0] : tensor<6x4xf32> -> tensor<4xf32>
  %4 = ptir.broadcast_to %y : tensor<3x1xf32> -> tensor<5x3x4xf32>
  %5 = ptir.reduce sum %4 axes [2] keepdims : tensor<5x3x4xf32> -> tensor<5x3x1xf32>
  %6 = ptir.reduce max %4 axes [0, 2] : tensor<5x3x4xf32> -> tensor<3xf32>
  func.return %1, %3, %5, %6 : tensor<4x2xf32>, tensor<4xf32>, tensor<5x3x1xf32>, tensor<3xf32>
}

// CHECK: func.func @not_of_movement(%x: tensor<6x4xf32>, %y: tensor<3xf32>) -> (tensor<2x4xf32>, tensor<3xf32>) {
// CHECK-NEXT: %0 = ptir.reshape %x : tensor<6x4xf32> -> tensor<2x3x4xf32>
// CHECK-NEXT: %1 = ptir.reduce sum %0 axes [1] : tensor<2x3x4xf32> -> tensor<2x4xf32>
// CHECK-NEXT: %2 = ptir.broadcast_to %y : tensor<3xf32> -> tensor<0x3xf32>
// CHECK-NEXT: %3 = ptir.reduce max %2 axes [0] : tensor<0x3xf32> -> tensor<3xf32>
// CHECK-NEXT: func.return %1, %3 : tensor<2x4xf32>, tensor<3xf32>
func.func @not_of_movement(%x: tensor<6x4xf32>, %y: tensor<3xf32>) -> (tensor<2x4xf32>, tensor<3xf32>) {
  %0 = ptir.reshape %x : tensor<6x4xf32> -> tensor<2x3x4xf32>
  %1 = ptir.reduce sum %0 axes [1] : tensor<2x3x4xf32> -> tensor<2x4xf32>
  %2 = ptir.broadcast_to %y : tensor<3xf32> -> tensor<0x3xf32>
  %3 = ptir.reduce max %2 axes [0] : tensor<0x3xf32> -> tensor<3xf32>
  func.return %1, %3 : tensor<2x4xf32>, tensor<3xf32>
}

// CHECK: func.func @contractions(%x: tensor<4x8xf32>, %w: tensor<2x8xf32>, %q: tensor<2x5x3x8xf32>) -> (tensor<4x2xf32>, tensor<2x3x5x5xf32>) {
// CHECK-NEXT: %0 = ptir.dot_general %x, %w contract [1] x [1] accum f32 out f32 precision tf32 : (tensor<4x8xf32>, tensor<2x8xf32>) -> tensor<4x2xf32>
// CHECK-NEXT: %1 = ptir.dot_general %q, %q batch [0, 2] x [0, 2] contract [3] x [3] : (tensor<2x5x3x8xf32>, tensor<2x5x3x8xf32>) -> tensor<2x3x5x5xf32>
// CHECK-NEXT: func.return %0, %1 : tensor<4x2xf32>, tensor<2x3x5x5xf32>
func.func @contractions(%x: tensor<4x8xf32>, %w: tensor<2x8xf32>, %q: tensor<2x5x3x8xf32>) -> (tensor<4x2xf32>, tensor<2x3x5x5xf32>) {
  %0 = ptir.transpose %w [1, 0] : tensor<2x8xf32> -> tensor<8x2xf32>
  %1 = ptir.dot_general %x, %0 contract [1] x [0] accum f32 out f32 precision tf32 : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  %2 = ptir.transpose %q [0, 2, 1, 3] : tensor<2x5x3x8xf32> -> tensor<2x3x5x8xf32>
  %3 = ptir.transpose %q [0, 2, 3, 1] : tensor<2x5x3x8xf32> -> tensor<2x3x8x5xf32>
  %4 = ptir.dot_general %2, %3 batch [0, 1] x [0, 1] contract [3] x [2] : (tensor<2x3x5x8xf32>, tensor<2x3x8x5xf32>) -> tensor<2x3x5x5xf32>
  func.return %1, %4 : tensor<4x2xf32>, tensor<2x3x5x5xf32>
}

// The result's axes would stand in another order.
// CHECK: func.func @not_contractions(%x: tensor<4x5x8xf32>, %w: tensor<8x2xf32>) -> tensor<5x4x2xf32> {
// CHECK-NEXT: %0 = ptir.transpose %x [1, 0, 2] : tensor<4x5x8xf32> -> tensor<5x4x8xf32>
// CHECK-NEXT: %1 = ptir.dot_general %0, %w contract [2] x [0] : (tensor<5x4x8xf32>, tensor<8x2xf32>) -> tensor<5x4x2xf32>
// CHECK-NEXT: func.return %1 : tensor<5x4x2xf32>
func.func @not_contractions(%x: tensor<4x5x8xf32>, %w: tensor<8x2xf32>) -> tensor<5x4x2xf32> {
  %0 = ptir.transpose %x [1, 0, 2] : tensor<4x5x8xf32> -> tensor<5x4x8xf32>
  %1 = ptir.dot_general %0, %w contract [2] x [0] : (tensor<5x4x8xf32>, tensor<8x2xf32>) -> tensor<5x4x2xf32>
  func.return %1 : tensor<5x4x2xf32>
}

// A product starts at 1: times an infinite complex number, that is not the number.
// CHECK: func.func @products(%x: tensor<1x4xf32>, %z: tensor<1x4xcomplex<f32>>) -> (tensor<4xf32>, tensor<4xcomplex<f32>>) {
// CHECK-NEXT: %0 = ptir.reshape %x : tensor<1x4xf32> -> tensor<4xf32>
// CHECK-NEXT: %1 = ptir.reduce mul %z axes [0] : tensor<1x4xcomplex<f32>> -> tensor<4xcomplex<f32>>
// CHECK-NEXT: func.return %0, %1 : tensor<4xf32>, tensor<4xcomplex<f32>>
builtin.module attributes {ptir.extensions} {
  func.func @products(%x: tensor<1x4xf32>, %z: tensor<1x4xcomplex<f32>>) -> (tensor<4xf32>, tensor<4xcomplex<f32>>) {
    %0 = ptir.reduce mul %x axes [0] : tensor<1x4xf32> -> tensor<4xf32>
    %1 = ptir.reduce mul %z axes [0] : tensor<1x4xcomplex<f32>> -> tensor<4xcomplex<f32>>
    func.return %0, %1 : tensor<4xf32>, tensor<4xcomplex<f32>>
  }
}
