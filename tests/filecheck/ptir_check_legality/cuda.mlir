// RUN: ptir-opt %s --split-input-file --allow-unregistered-dialect --verify-diagnostics -p 'ptir-check-legality{target=cuda}'

// Every op that the way to CUDA does not take, not the first.

// expected-error@+1 {{the dynamic dimension 0 (B) of tensor<?x4xf32, #ptir.dims<B, _>> is not supported yet}}
func.func @f(%x: tensor<?x4xf32, #ptir.dims<B, _>>, %y: tensor<4x4xf32>, %i: tensor<4xi32>) -> (tensor<4x1xf32>, tensor<4xi32>) {
  // expected-error@+1 {{'ptir.invented' has no form in tiny}}
  %0 = "ptir.invented"(%y) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %2 = ptir.reduce max %0 axes [1] keepdims : tensor<4x4xf32> -> tensor<4x1xf32>
  // expected-error@+1 {{'ptir.invented' has no form in tiny}}
  %3 = "ptir.invented"(%i) : (tensor<4xi32>) -> tensor<4xi32>
  func.return %2, %3 : tensor<4x1xf32>, tensor<4xi32>
}

// -----

func.func @f(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = ptir.dot_general %x, %x contract [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  func.return %0 : tensor<4x4xf32>
}

// -----

// Reads at indices given by data are legal.

func.func @f(%y: tensor<4x6xf32>, %i: tensor<3xsi32>, %s: tensor<2xsi64>) -> (tensor<3x6xf32>, tensor<4x2xf32>, tensor<4x6xf32>) {
  %0 = ptir.take %y, %i : (tensor<4x6xf32>, tensor<3xsi32>) -> tensor<3x6xf32>
  %1 = ptir.dynamic_slice %y, %s : (tensor<4x6xf32>, tensor<2xsi64>) -> tensor<4x2xf32>
  %2 = ptir.dynamic_update_slice %y, %1, %s : tensor<4x6xf32>, tensor<4x2xf32>, tensor<2xsi64>
  func.return %0, %1, %2 : tensor<3x6xf32>, tensor<4x2xf32>, tensor<4x6xf32>
}

// -----

// Pads, counts, reductions of any kind and contractions of any type that kernels compute with are legal.

builtin.module attributes {ptir.extensions} {
func.func @f(%x: tensor<4xf32>, %y: tensor<4x4xi16>) -> (tensor<6xf32>, tensor<4xsi32>, tensor<f32>, tensor<4xsi64>, tensor<4x4xi16>) {
  %0 = ptir.pad %x with 1.0 : f32 low [1] high [1] interior [0] : tensor<4xf32> -> tensor<6xf32>
  %1 = ptir.iota axis 0 : tensor<4xsi32>
  %2 = ptir.reduce mul %x axes [0] : tensor<4xf32> -> tensor<f32>
  %3 = ptir.argmax %y axis 0 : tensor<4x4xi16> -> tensor<4xsi64>
  %4 = ptir.dot_general %y, %y contract [1] x [0] accum i16 out i16 : (tensor<4x4xi16>, tensor<4x4xi16>) -> tensor<4x4xi16>
  func.return %0, %1, %2, %3, %4 : tensor<6xf32>, tensor<4xsi32>, tensor<f32>, tensor<4xsi64>, tensor<4x4xi16>
}
}

// -----

// The bits of floats have a kernel; what a reduction reads has none if it cannot be computed. Here 4-bit integers are not
// emulated, because an op on them has no form in tiny.

builtin.module attributes {ptir.extensions} {
func.func @f(%x: tensor<4xf32>, %n: tensor<4x4xsi4>, %i: tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>, tensor<4x4xsi4>) {
  %0 = ptir.bitcast %x : tensor<4xf32> -> tensor<4xi32>
  // expected-error@+1 {{'ptir.cast' on si4 in a kernel is not supported yet}}
  %1 = ptir.cast %n : tensor<4x4xsi4> -> tensor<4x4xi32>
  %2 = ptir.reduce max %1 axes [0] : tensor<4x4xi32> -> tensor<4xi32>
  // expected-error@+1 {{'ptir.invented' has no form in tiny}}
  %3 = "ptir.invented"(%n) : (tensor<4x4xsi4>) -> tensor<4x4xsi4>
  func.return %0, %2, %3 : tensor<4xi32>, tensor<4xi32>, tensor<4x4xsi4>
}
}
