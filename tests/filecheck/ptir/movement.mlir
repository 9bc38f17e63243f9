// RUN: ptir-opt %s | filecheck %s
// RUN: ptir-opt %s | ptir-opt | filecheck %s
// RUN: ptir-opt --print-op-generic %s | ptir-opt | filecheck %s

// Literals and movements.

// CHECK: func.func @f(%x: tensor<4x6xf32>, %e: tensor<0x6xf32>) {
func.func @f(%x: tensor<4x6xf32>, %e: tensor<0x6xf32>) {
  // CHECK-NEXT: %0 = ptir.constant dense<[1.000000e+00, -2.500000e+00]> : tensor<2xf32>
  %0 = ptir.constant dense<[1.000000e+00, -2.500000e+00]> : tensor<2xf32>
  // CHECK-NEXT: %1 = ptir.constant dense<true> : tensor<2xi1>
  %1 = ptir.constant dense<true> : tensor<2xi1>
  // CHECK-NEXT: %2 = ptir.constant dense<-7> : tensor<si4>
  %2 = ptir.constant dense<-7> : tensor<si4>
  // CHECK-NEXT: %3 = ptir.reshape %x : tensor<4x6xf32> -> tensor<2x12xf32>
  %3 = ptir.reshape %x : tensor<4x6xf32> -> tensor<2x12xf32>
  // CHECK-NEXT: %4 = ptir.transpose %x [1, 0] : tensor<4x6xf32> -> tensor<6x4xf32>
  %4 = ptir.transpose %x [1, 0] : tensor<4x6xf32> -> tensor<6x4xf32>
  // CHECK-NEXT: %5 = ptir.transpose %x [-1, 0] : tensor<4x6xf32> -> tensor<6x4xf32>
  %5 = ptir.transpose %x [-1, 0] : tensor<4x6xf32> -> tensor<6x4xf32>
  // CHECK-NEXT: %6 = ptir.broadcast_to %x : tensor<4x6xf32> -> tensor<3x4x6xf32>
  %6 = ptir.broadcast_to %x : tensor<4x6xf32> -> tensor<3x4x6xf32>
  // CHECK-NEXT: %7 = ptir.reshape %e : tensor<0x6xf32> -> tensor<2x0xf32>
  %7 = ptir.reshape %e : tensor<0x6xf32> -> tensor<2x0xf32>
  // CHECK-NEXT: func.return
  func.return
}
