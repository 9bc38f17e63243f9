// RUN: ptir-opt %s -p ptir-canonicalize --validate-passes | filecheck %s

// Constants are computed, up to a limit of elements; what is one number everywhere is computed once.

// CHECK: func.func @folded() -> (tensor<2xf32>, tensor<3xi1>, tensor<2x2xi32>) {
// CHECK-NEXT: %0 = ptir.constant dense<[5.000000e-01, 1.000000e+00]> : tensor<2xf32>
// CHECK-NEXT: %1 = ptir.constant dense<[true, false, true]> : tensor<3xi1>
// CHECK-NEXT: %2 = ptir.constant dense<[[1, 3], [2, 4]]> : tensor<2x2xi32>
// CHECK-NEXT: func.return %0, %1, %2 : tensor<2xf32>, tensor<3xi1>, tensor<2x2xi32>
func.func @folded() -> (tensor<2xf32>, tensor<3xi1>, tensor<2x2xi32>) {
  %0 = ptir.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %1 = ptir.constant dense<0.5> : tensor<2xf32>
  %2 = ptir.mul %0, %1 : tensor<2xf32>
  %3 = ptir.constant dense<[3, 1, 2]> : tensor<3xi32>
  %4 = ptir.constant dense<2> : tensor<3xi32>
  %5 = ptir.compare ge %3, %4 : tensor<3xi32> -> tensor<3xi1>
  %6 = ptir.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %7 = ptir.transpose %6 [1, 0] : tensor<2x2xi32> -> tensor<2x2xi32>
  func.return %2, %5, %7 : tensor<2xf32>, tensor<3xi1>, tensor<2x2xi32>
}

// CHECK: func.func @large(%x: tensor<64x32xf32>) -> tensor<64x32xf32> {
// CHECK-NEXT: %0 = ptir.constant dense<8.000000e+00> : tensor<f32>
// CHECK-NEXT: %1 = ptir.broadcast_to %0 : tensor<f32> -> tensor<64x32xf32>
// CHECK-NEXT: %2 = ptir.mul %x, %1 : tensor<64x32xf32>
// CHECK-NEXT: func.return %2 : tensor<64x32xf32>
func.func @large(%x: tensor<64x32xf32>) -> tensor<64x32xf32> {
  %0 = ptir.constant dense<4.0> : tensor<f32>
  %1 = ptir.broadcast_to %0 : tensor<f32> -> tensor<64x32xf32>
  %2 = ptir.constant dense<2.0> : tensor<32xf32>
  %3 = ptir.broadcast_to %2 : tensor<32xf32> -> tensor<64x32xf32>
  %4 = ptir.mul %1, %3 : tensor<64x32xf32>
  %5 = ptir.mul %x, %4 : tensor<64x32xf32>
  func.return %5 : tensor<64x32xf32>
}

// What has no value is not folded, nor are random numbers or a barrier for gradients.
// CHECK: func.func @opaque() -> (tensor<2xi32>, tensor<f32>) {
// CHECK-NEXT: %0 = ptir.constant dense<[1, 2]> : tensor<2xi32>
// CHECK-NEXT: %1 = ptir.constant dense<[1, 0]> : tensor<2xi32>
// CHECK-NEXT: %2 = ptir.div %0, %1 : tensor<2xi32>
// CHECK-NEXT: %3 = ptir.constant dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT: %4 = ptir.stop_gradient %3 : tensor<f32>
// CHECK-NEXT: %5 = ptir.exp %4 : tensor<f32>
// CHECK-NEXT: func.return %2, %5 : tensor<2xi32>, tensor<f32>
func.func @opaque() -> (tensor<2xi32>, tensor<f32>) {
  %0 = ptir.constant dense<[1, 2]> : tensor<2xi32>
  %1 = ptir.constant dense<[1, 0]> : tensor<2xi32>
  %2 = ptir.div %0, %1 : tensor<2xi32>
  %3 = ptir.constant dense<1.0> : tensor<f32>
  %4 = ptir.stop_gradient %3 : tensor<f32>
  %5 = ptir.exp %4 : tensor<f32>
  func.return %2, %5 : tensor<2xi32>, tensor<f32>
}

// Infinities and -0 survive.
// CHECK: func.func @special() -> (tensor<f32>, tensor<2xf32>) {
// CHECK-NEXT: %0 = ptir.constant dense<-0.000000e+00> : tensor<f32>
// CHECK-NEXT: %1 = ptir.constant dense<[0x7F800000, 0xFF800000]> : tensor<2xf32>
// CHECK-NEXT: func.return %0, %1 : tensor<f32>, tensor<2xf32>
func.func @special() -> (tensor<f32>, tensor<2xf32>) {
  %0 = ptir.constant dense<0.0> : tensor<f32>
  %1 = ptir.neg %0 : tensor<f32>
  %2 = ptir.constant dense<[1.0, -1.0]> : tensor<2xf32>
  %3 = ptir.constant dense<0.0> : tensor<2xf32>
  %4 = ptir.div %2, %3 : tensor<2xf32>
  func.return %1, %4 : tensor<f32>, tensor<2xf32>
}
