// RUN: ptir-opt %s -p ptir-to-tiny | filecheck %s

// CHECK: func.func @moves(%x: tensor<4x6xf32>) -> tensor<3x24xf32> {
// CHECK-NEXT: %0 = tiny.movement permute %x by [1, 0] : tensor<4x6xf32> -> tensor<6x4xf32>
// CHECK-NEXT: %1 = tiny.movement reshape %0 : tensor<6x4xf32> -> tensor<24xf32>
// CHECK-NEXT: %2 = tiny.movement expand %1 : tensor<24xf32> -> tensor<3x24xf32>
// CHECK-NEXT: func.return %2 : tensor<3x24xf32>
func.func @moves(%x: tensor<4x6xf32>) -> tensor<3x24xf32> {
  %0 = ptir.transpose %x [-1, 0] : tensor<4x6xf32> -> tensor<6x4xf32>
  %1 = ptir.reshape %0 : tensor<6x4xf32> -> tensor<24xf32>
  %2 = ptir.broadcast_to %1 : tensor<24xf32> -> tensor<3x24xf32>
  func.return %2 : tensor<3x24xf32>
}

// What moves nothing is not written.
// CHECK: func.func @still(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
// CHECK-NEXT: func.return %x : tensor<4x6xf32>
func.func @still(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = ptir.transpose %x [0, 1] : tensor<4x6xf32> -> tensor<4x6xf32>
  %1 = ptir.reshape %0 : tensor<4x6xf32> -> tensor<4x6xf32>
  %2 = ptir.broadcast_to %1 : tensor<4x6xf32> -> tensor<4x6xf32>
  %3 = ptir.reduce sum %2 axes [] : tensor<4x6xf32> -> tensor<4x6xf32>
  func.return %3 : tensor<4x6xf32>
}

// What is tiny already, and what is neither, is left alone; so is a module without ptir.
// CHECK: func.func @others(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: %0 = tiny.binary add %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %1 = arith.addf %0, %y : tensor<4xf32>
// CHECK-NEXT: func.return %1 : tensor<4xf32>
func.func @others(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tiny.binary add %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = arith.addf %0, %y : tensor<4xf32>
  func.return %1 : tensor<4xf32>
}
