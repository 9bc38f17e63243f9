// RUN: ptir-opt %s | filecheck %s
// RUN: ptir-opt %s | ptir-opt | filecheck %s
// RUN: ptir-opt --print-op-generic %s | ptir-opt | filecheck %s

// Reductions, what is found by order, and contractions of open sizes and complex numbers.

// CHECK: func.func @f(%x: tensor<4x8xf32>, %e: tensor<0x3xf32>, %d: tensor<?x8xf32, #ptir.dims<B, _>>, %z: tensor<2xcomplex<f32>>) {
func.func @f(%x: tensor<4x8xf32>, %e: tensor<0x3xf32>, %d: tensor<?x8xf32, #ptir.dims<B, _>>, %z: tensor<2xcomplex<f32>>) {
  // CHECK-NEXT: %0 = ptir.argmax %x axis -1 : tensor<4x8xf32> -> tensor<4xsi64>
  %0 = ptir.argmax %x axis -1 : tensor<4x8xf32> -> tensor<4xsi64>
  // CHECK-NEXT: %1 = ptir.argmax %x axis 0 keepdims : tensor<4x8xf32> -> tensor<1x8xi32>
  %1 = ptir.argmax %x axis 0 keepdims : tensor<4x8xf32> -> tensor<1x8xi32>
  // CHECK-NEXT: %2 = ptir.argmax %e axis 1 : tensor<0x3xf32> -> tensor<0xsi64>
  %2 = ptir.argmax %e axis 1 : tensor<0x3xf32> -> tensor<0xsi64>
  // CHECK-NEXT: %3 = ptir.argmax %d axis 0 : tensor<?x8xf32, #ptir.dims<B, _>> -> tensor<8xsi64>
  %3 = ptir.argmax %d axis 0 : tensor<?x8xf32, #ptir.dims<B, _>> -> tensor<8xsi64>
  // CHECK-NEXT: %4, %5 = ptir.top_k largest %x k 3 axis -1 : tensor<4x8xf32> -> tensor<4x3xf32>, tensor<4x3xsi32>
  %4, %5 = ptir.top_k largest %x k 3 axis -1 : tensor<4x8xf32> -> tensor<4x3xf32>, tensor<4x3xsi32>
  // CHECK-NEXT: %6, %7 = ptir.top_k smallest %x k 0 axis 0 : tensor<4x8xf32> -> tensor<0x8xf32>, tensor<0x8xi64>
  %6, %7 = ptir.top_k smallest %x k 0 axis 0 : tensor<4x8xf32> -> tensor<0x8xf32>, tensor<0x8xi64>
  // CHECK-NEXT: %8, %9 = ptir.top_k smallest %d k 9 axis 0 : tensor<?x8xf32, #ptir.dims<B, _>> -> tensor<9x8xf32>, tensor<9x8xi64>
  %8, %9 = ptir.top_k smallest %d k 9 axis 0 : tensor<?x8xf32, #ptir.dims<B, _>> -> tensor<9x8xf32>, tensor<9x8xi64>
  // CHECK-NEXT: %10 = ptir.reduce sum %d axes [1] : tensor<?x8xf32, #ptir.dims<B, _>> -> tensor<?xf32, #ptir.dims<B>>
  %10 = ptir.reduce sum %d axes [1] : tensor<?x8xf32, #ptir.dims<B, _>> -> tensor<?xf32, #ptir.dims<B>>
  // CHECK-NEXT: %11 = ptir.reduce sum %z axes [0] : tensor<2xcomplex<f32>> -> tensor<complex<f32>>
  %11 = ptir.reduce sum %z axes [0] : tensor<2xcomplex<f32>> -> tensor<complex<f32>>
  // CHECK-NEXT: %12 = ptir.dot_general %z, %z contract [0] x [0] accum complex<f64> : (tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>) -> tensor<complex<f32>>
  %12 = ptir.dot_general %z, %z contract [0] x [0] accum complex<f64> : (tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>) -> tensor<complex<f32>>
  // CHECK-NEXT: %13 = ptir.dot_general %d, %x contract [1] x [1] : (tensor<?x8xf32, #ptir.dims<B, _>>, tensor<4x8xf32>) -> tensor<?x4xf32, #ptir.dims<B, _>>
  %13 = ptir.dot_general %d, %x contract [1] x [1] : (tensor<?x8xf32, #ptir.dims<B, _>>, tensor<4x8xf32>) -> tensor<?x4xf32, #ptir.dims<B, _>>
  // CHECK-NEXT: func.return
  func.return
}
