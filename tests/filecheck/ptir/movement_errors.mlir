// RUN: ptir-opt %s --split-input-file --verify-diagnostics

// One case for each rule of the verifiers of the ops that move elements.

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{the number of elements of the result is 7, expected 6}}
  %0 = ptir.reshape %x : tensor<2x3xf32> -> tensor<7xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{the result has element type f16, expected f32}}
  %0 = ptir.reshape %x : tensor<2x3xf32> -> tensor<6xf16>
  func.return
}

// -----

func.func @f(%x: tensor<0x3xf32>) {
  // expected-error@+1 {{the number of elements of the result is 1, expected 0}}
  %0 = ptir.reshape %x : tensor<0x3xf32> -> tensor<f32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{the number of elements of the result is 4·?, expected 6}}
  %0 = ptir.reshape %x : tensor<2x3xf32> -> tensor<4x?xf32>
  func.return
}

// -----

func.func @f(%x: tensor<?x6xf32>) {
  // expected-error@+1 {{the number of elements of the result is 5, expected 6·?}}
  %0 = ptir.reshape %x : tensor<?x6xf32> -> tensor<5xf32>
  func.return
}

// -----

func.func @f(%x: tensor<?x0xf32>) {
  // expected-error@+1 {{the number of elements of the result is 5, expected 0·?}}
  %0 = ptir.reshape %x : tensor<?x0xf32> -> tensor<5xf32>
  func.return
}

// -----

// Names that both sides have cancel.

func.func @f(%x: tensor<?x6xf32, #ptir.dims<B, _>>) {
  // expected-error@+1 {{the number of elements of the result is 7·B, expected 6·B}}
  %0 = ptir.reshape %x : tensor<?x6xf32, #ptir.dims<B, _>> -> tensor<?x7xf32, #ptir.dims<B, _>>
  func.return
}

// -----

func.func @f(%x: tensor<?x6xf32, #ptir.dims<B, _>>) {
  // expected-error@+1 {{cannot infer the ? of axis 1: only one size can be inferred}}
  %0 = ptir.reshape %x : tensor<?x6xf32, #ptir.dims<B, _>> -> tensor<?x?xf32>
  func.return
}

// -----

func.func @f(%x: tensor<0x3xf32>) {
  // expected-error@+1 {{cannot infer the ? of axis 0: a size beside an extent of 0 cannot be inferred}}
  %0 = ptir.reshape %x : tensor<0x3xf32> -> tensor<?x0xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{the permutation has rank 1, expected 2}}
  %0 = ptir.transpose %x [0] : tensor<2x3xf32> -> tensor<2xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{axis 0 is given twice in the permutation}}
  %0 = ptir.transpose %x [0, 0] : tensor<2x3xf32> -> tensor<2x2xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{axis -1 is given twice in the permutation}}
  %0 = ptir.transpose %x [1, -1] : tensor<2x3xf32> -> tensor<2x2xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{axis 2 is out of range for rank 2}}
  %0 = ptir.transpose %x [2, 0] : tensor<2x3xf32> -> tensor<3x2xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{the result has shape [2, 3], expected [3, 2]}}
  %0 = ptir.transpose %x [1, 0] : tensor<2x3xf32> -> tensor<2x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{the result has element type f64, expected f32}}
  %0 = ptir.transpose %x [1, 0] : tensor<2x3xf32> -> tensor<3x2xf64>
  func.return
}

// -----

func.func @f(%x: tensor<?x6xf32, #ptir.dims<B, _>>) {
  // expected-error@+1 {{the result has shape [6, C], expected [6, B]}}
  %0 = ptir.transpose %x [1, 0] : tensor<?x6xf32, #ptir.dims<B, _>> -> tensor<6x?xf32, #ptir.dims<_, C>>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{this does not fit in 64 bits}}
  %0 = ptir.transpose %x [1, 18446744073709551615] : tensor<2x3xf32> -> tensor<3x2xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{shape [2, 3] does not broadcast to [3, 3]: sizes 2 and 3 differ and neither is 1}}
  %0 = ptir.broadcast_to %x : tensor<2x3xf32> -> tensor<3x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{shape [2, 3] does not broadcast to [1, 3]}}
  %0 = ptir.broadcast_to %x : tensor<2x3xf32> -> tensor<1x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<3x3xf32>) {
  // expected-error@+1 {{shape [3, 3] does not broadcast to [3]}}
  %0 = ptir.broadcast_to %x : tensor<3x3xf32> -> tensor<3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{the result has element type i32, expected f32}}
  %0 = ptir.broadcast_to %x : tensor<2x3xf32> -> tensor<2x3xi32>
  func.return
}

// -----

func.func @f(%x: tensor<?x6xf32, #ptir.dims<B, _>>) {
  // expected-error@+1 {{shape [B, 6] does not broadcast to [C, 6]: sizes B and C differ and neither is 1}}
  %0 = ptir.broadcast_to %x : tensor<?x6xf32, #ptir.dims<B, _>> -> tensor<?x6xf32, #ptir.dims<C, _>>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{cannot infer the ? of axis 0: the operand lacks this axis}}
  %0 = ptir.broadcast_to %x : tensor<2x3xf32> -> tensor<?x2x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<1x3xf32>) {
  // expected-error@+1 {{cannot infer the ? of axis 0: the operand lacks this axis}}
  %0 = ptir.broadcast_to %x : tensor<1x3xf32> -> tensor<?x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'starts' has rank 1, expected 2}}
  %0 = ptir.slice %x [0] : tensor<2x3xf32> -> tensor<2x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{the result has rank 1, expected 2}}
  %0 = ptir.slice %x [0, 0] : tensor<2x3xf32> -> tensor<2xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'starts' holds -1}}
  %0 = ptir.slice %x [0, -1] : tensor<2x3xf32> -> tensor<2x1xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{axis 1: a window of size 2 at offset 2 exceeds the extent of 3}}
  %0 = ptir.slice %x [0, 2] : tensor<2x3xf32> -> tensor<2x2xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{axis 1: a window of size ? at offset 4 exceeds the extent of 3}}
  %0 = ptir.slice %x [0, 4] : tensor<2x3xf32> -> tensor<2x?xf32>
  func.return
}

// -----

func.func @f(%x: tensor<?x6xf32, #ptir.dims<B, _>>) {
  // expected-error@+1 {{axis 0: a window of size B at offset 1 exceeds the extent of B}}
  %0 = ptir.slice %x [1, 0] : tensor<?x6xf32, #ptir.dims<B, _>> -> tensor<?x6xf32, #ptir.dims<B, _>>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{the result has element type i32, expected f32}}
  %0 = ptir.slice %x [0, 0] : tensor<2x3xf32> -> tensor<2x3xi32>
  func.return
}

// -----

func.func @f() {
  // expected-error@+1 {{ptir.concat takes one or more operands, got 0}}
  %0 = "ptir.concat"() <{axis = 0 : i64}> : () -> tensor<2xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>, %y: tensor<2x3xf16>) {
  // expected-error@+1 {{operand 1 has element type f16, expected f32}}
  %0 = ptir.concat %x, %y axis 0 : (tensor<2x3xf32>, tensor<2x3xf16>) -> tensor<4x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>, %y: tensor<3xf32>) {
  // expected-error@+1 {{operand 1 has rank 1, expected 2}}
  %0 = ptir.concat %x, %y axis 0 : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<5x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>, %y: tensor<2x4xf32>) {
  // expected-error@+1 {{operand 1 has shape [2, 4], expected [?, 3]}}
  %0 = ptir.concat %x, %y axis 0 : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<4x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x?xf32>, %y: tensor<2x4xf32>, %z: tensor<2x5xf32>) {
  // expected-error@+1 {{operand 2 has shape [2, 5], expected [?, 4]}}
  %0 = ptir.concat %x, %y, %z axis 0 : (tensor<2x?xf32>, tensor<2x4xf32>, tensor<2x5xf32>) -> tensor<6x4xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{axis 2 is out of range for rank 2}}
  %0 = ptir.concat %x axis 2 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{the result has shape [3, 3], expected [4, 3]}}
  %0 = ptir.concat %x, %x axis 0 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<3x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'low' has rank 1, expected 2}}
  %0 = ptir.pad %x with 0.0 : f32 low [0] high [0, 0] interior [0, 0] : tensor<2x3xf32> -> tensor<2x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'high' has rank 3, expected 2}}
  %0 = ptir.pad %x with 0.0 : f32 low [0, 0] high [0, 0, 0] interior [0, 0] : tensor<2x3xf32> -> tensor<2x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'interior' has rank 0, expected 2}}
  %0 = ptir.pad %x with 0.0 : f32 low [0, 0] high [0, 0] interior [] : tensor<2x3xf32> -> tensor<2x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'low' holds -1}}
  %0 = ptir.pad %x with 0.0 : f32 low [0, -1] high [0, 0] interior [0, 0] : tensor<2x3xf32> -> tensor<2x2xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'high' holds -2}}
  %0 = ptir.pad %x with 0.0 : f32 low [0, 0] high [0, -2] interior [0, 0] : tensor<2x3xf32> -> tensor<2x1xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'interior' holds -1}}
  %0 = ptir.pad %x with 0.0 : f32 low [0, 0] high [0, 0] interior [-1, 0] : tensor<2x3xf32> -> tensor<1x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{the value has element type f16, expected f32}}
  %0 = ptir.pad %x with 0.0 : f16 low [0, 0] high [0, 0] interior [0, 0] : tensor<2x3xf32> -> tensor<2x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{the result has shape [2, 8], expected [3, 8]}}
  %0 = ptir.pad %x with 0.0 : f32 low [0, 1] high [0, 2] interior [1, 1] : tensor<2x3xf32> -> tensor<2x8xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{the result has element type f16, expected f32}}
  %0 = ptir.pad %x with 0.0 : f32 low [0, 0] high [0, 0] interior [0, 0] : tensor<2x3xf32> -> tensor<2x3xf16>
  func.return
}

// -----

func.func @f(%x: tensor<2xui8>) {
  // expected-error@+1 {{'value' 256 is not a value of ui8}}
  %0 = ptir.pad %x with 256 : ui8 low [0] high [0] interior [0] : tensor<2xui8> -> tensor<2xui8>
  func.return
}

// -----

func.func @f(%x: tensor<2xui8>) {
  // expected-error@+1 {{'value' 1.5 is not a value of ui8}}
  %0 = ptir.pad %x with 1.5 : ui8 low [0] high [0] interior [0] : tensor<2xui8> -> tensor<2xui8>
  func.return
}

// -----

func.func @f(%x: tensor<2xui8>) {
  // expected-error@+1 {{'value' True is not a value of ui8}}
  %0 = ptir.pad %x with true : ui8 low [0] high [0] interior [0] : tensor<2xui8> -> tensor<2xui8>
  func.return
}

// -----

func.func @f(%x: tensor<2xi1>) {
  // expected-error@+1 {{'value' 1 is not a value of i1}}
  %0 = ptir.pad %x with 1 : i1 low [0] high [0] interior [0] : tensor<2xi1> -> tensor<2xi1>
  func.return
}

// -----

func.func @f(%x: tensor<2xf32>) {
  // expected-error@+1 {{'value' (1+2j) is not a value of f32}}
  %0 = ptir.pad %x with (1.0, 2.0) : f32 low [0] high [0] interior [0] : tensor<2xf32> -> tensor<2xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2xf32>) {
  // expected-error@+1 {{'value' 0xc07f is not a value of f32}}
  %0 = ptir.pad %x with "0xC07F" : f32 low [0] high [0] interior [0] : tensor<2xf32> -> tensor<2xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2xf32>) {
  // expected-error@+1 {{expected the bytes of a value}}
  %0 = ptir.pad %x with "nan" : f32 low [0] high [0] interior [0] : tensor<2xf32> -> tensor<2xf32>
  func.return
}

// -----

// Elsewhere in MLIR a hexadecimal number is the bits of a float.

func.func @f(%x: tensor<2xf32>) {
  // expected-error@+1 {{the least significant one first}}
  %0 = ptir.pad %x with 0x7F800000 : f32 low [0] high [0] interior [0] : tensor<2xf32> -> tensor<2xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2xf32>) {
  // expected-error@+1 {{'value' 0 is not a value of index}}
  %0 = ptir.pad %x with 0 : index low [0] high [0] interior [0] : tensor<2xf32> -> tensor<2xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'repeats' has rank 1, expected 2}}
  %0 = ptir.tile %x [2] : tensor<2x3xf32> -> tensor<4x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'repeats' holds -2}}
  %0 = ptir.tile %x [2, -2] : tensor<2x3xf32> -> tensor<4x6xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{the result has shape [4, 3], expected [4, 6]}}
  %0 = ptir.tile %x [2, 2] : tensor<2x3xf32> -> tensor<4x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{the result has element type f16, expected f32}}
  %0 = ptir.tile %x [1, 1] : tensor<2x3xf32> -> tensor<2x3xf16>
  func.return
}

// -----

func.func @f(%x: tensor<?x6xf32, #ptir.dims<B, _>>) {
  // expected-error@+1 {{the result has shape [C, 6], expected [B, 6]}}
  %0 = ptir.tile %x [1, 1] : tensor<?x6xf32, #ptir.dims<B, _>> -> tensor<?x6xf32, #ptir.dims<C, _>>
  func.return
}

// -----

func.func @f() {
  // expected-error@+1 {{axis 1 is out of range for rank 1}}
  %0 = ptir.iota axis 1 : tensor<3xsi32>
  func.return
}

// -----

func.func @f() {
  // expected-error@+1 {{axis 0 is out of range for rank 0}}
  %0 = ptir.iota axis 0 : tensor<si32>
  func.return
}

// -----

func.func @f() {
  // expected-error@+1 {{the element type is i1; ptir.iota is defined on numbers}}
  %0 = ptir.iota axis 0 : tensor<2xi1>
  func.return
}

// -----

func.func @f() {
  // expected-error@+1 {{cannot infer the ? of axis 1: no operand determines it}}
  %0 = ptir.iota axis 0 : tensor<2x?xsi32>
  func.return
}
