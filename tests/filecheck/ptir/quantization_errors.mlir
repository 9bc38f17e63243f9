// RUN: ptir-opt %s --split-input-file --verify-diagnostics

// What quantization refuses, and contractions of complex numbers and of names that differ.

func.func @f(%a: tensor<?x3xf32, #ptir.dims<A, _>>, %b: tensor<?x3xf32, #ptir.dims<B, _>>) {
  // expected-error@+1 {{rhs (contract axis 0) has shape B, expected A as axis 0 of lhs}}
  %0 = ptir.dot_general %a, %b contract [0] x [0] : (tensor<?x3xf32, #ptir.dims<A, _>>, tensor<?x3xf32, #ptir.dims<B, _>>) -> tensor<3x3xf32>
  func.return
}

// -----

func.func @f(%a: tensor<?x3xf32, #ptir.dims<A, _>>, %b: tensor<?x3xf32, #ptir.dims<B, _>>) {
  // expected-error@+1 {{the result has shape [B, A], expected [A, B]}}
  %0 = ptir.dot_general %a, %b contract [1] x [1] : (tensor<?x3xf32, #ptir.dims<A, _>>, tensor<?x3xf32, #ptir.dims<B, _>>) -> tensor<?x?xf32, #ptir.dims<B, A>>
  func.return
}

// -----

func.func @f(%x: tensor<2xcomplex<f32>>) {
  // expected-error@+1 {{accum is f32; it must be of the same kind as complex<f32>}}
  %0 = ptir.dot_general %x, %x contract [0] x [0] accum f32 : (tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>) -> tensor<complex<f32>>
  func.return
}

// -----

func.func @f(%x: tensor<2xcomplex<f32>>) {
  // expected-error@+1 {{the cast to out is complex<f32> to f32; complex numbers are cast to complex numbers only}}
  %0 = ptir.dot_general %x, %x contract [0] x [0] out f32 : (tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>) -> tensor<f32>
  func.return
}

// -----

func.func @f(%x: tensor<2xi32>) {
  // expected-error@+1 {{accum is i1; it must be of the same kind as i32}}
  %0 = ptir.dot_general %x, %x contract [0] x [0] accum i1 : (tensor<2xi32>, tensor<2xi32>) -> tensor<i32>
  func.return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %q: tensor<4x8xsi8>, %s: tensor<f32>, %z: tensor<si8>, %v: tensor<8xf32>, %w: tensor<8xsi8>, %o: tensor<f16>, %u: tensor<ui32>) {
  // expected-error@+1 {{the type of the codes is si32; codes are integers of 4, 8 or 16 bits}}
  %0 = ptir.quantize %x, %s, %z : (tensor<4x8xf32>, tensor<f32>, tensor<si8>) -> tensor<4x8xsi32>
  func.return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %q: tensor<4x8xsi8>, %s: tensor<f32>, %z: tensor<si8>, %v: tensor<8xf32>, %w: tensor<8xsi8>, %o: tensor<f16>, %u: tensor<ui32>) {
  // expected-error@+1 {{the type of the codes is f16; codes are integers of 4, 8 or 16 bits}}
  %0 = ptir.quantize %x, %s, %z : (tensor<4x8xf32>, tensor<f32>, tensor<si8>) -> tensor<4x8xf16>
  func.return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %q: tensor<4x8xsi8>, %s: tensor<f32>, %z: tensor<si8>, %v: tensor<8xf32>, %w: tensor<8xsi8>, %o: tensor<f16>, %u: tensor<ui32>) {
  // expected-error@+1 {{the element type is si8; ptir.quantize is defined on floats}}
  %0 = ptir.quantize %q, %s, %z : (tensor<4x8xsi8>, tensor<f32>, tensor<si8>) -> tensor<4x8xsi8>
  func.return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %q: tensor<4x8xsi8>, %s: tensor<f32>, %z: tensor<si8>, %v: tensor<8xf32>, %w: tensor<8xsi8>, %o: tensor<f16>, %u: tensor<ui32>) {
  // expected-error@+1 {{the scale is f16; it must be f32}}
  %0 = ptir.quantize %x, %o, %z : (tensor<4x8xf32>, tensor<f16>, tensor<si8>) -> tensor<4x8xsi8>
  func.return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %q: tensor<4x8xsi8>, %s: tensor<f32>, %z: tensor<si8>, %v: tensor<8xf32>, %w: tensor<8xsi8>, %o: tensor<f16>, %u: tensor<ui32>) {
  // expected-error@+1 {{the zero point is si8; it must be ui8 or i32}}
  %0 = ptir.quantize %x, %s, %z : (tensor<4x8xf32>, tensor<f32>, tensor<si8>) -> tensor<4x8xui8>
  func.return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %q: tensor<4x8xsi8>, %s: tensor<f32>, %z: tensor<si8>, %v: tensor<8xf32>, %w: tensor<8xsi8>, %o: tensor<f16>, %u: tensor<ui32>) {
  // expected-error@+1 {{the zero point is ui32; it must be si8 or i32}}
  %0 = ptir.quantize %x, %s, %u : (tensor<4x8xf32>, tensor<f32>, tensor<ui32>) -> tensor<4x8xsi8>
  func.return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %q: tensor<4x8xsi8>, %s: tensor<f32>, %z: tensor<si8>, %v: tensor<8xf32>, %w: tensor<8xsi8>, %o: tensor<f16>, %u: tensor<ui32>) {
  // expected-error@+1 {{the result has shape [8, 4], expected [4, 8]}}
  %0 = ptir.quantize %x, %s, %z : (tensor<4x8xf32>, tensor<f32>, tensor<si8>) -> tensor<8x4xsi8>
  func.return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %q: tensor<4x8xsi8>, %s: tensor<f32>, %z: tensor<si8>, %v: tensor<8xf32>, %w: tensor<8xsi8>, %o: tensor<f16>, %u: tensor<ui32>) {
  // expected-error@+1 {{the zero point has shape [], expected [8]}}
  %0 = ptir.quantize %x, %v, %z axis 1 : (tensor<4x8xf32>, tensor<8xf32>, tensor<si8>) -> tensor<4x8xsi8>
  func.return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %q: tensor<4x8xsi8>, %s: tensor<f32>, %z: tensor<si8>, %v: tensor<8xf32>, %w: tensor<8xsi8>, %o: tensor<f16>, %u: tensor<ui32>) {
  // expected-error@+1 {{the scale has rank 1, expected 0: there is no axis}}
  %0 = ptir.quantize %x, %v, %w : (tensor<4x8xf32>, tensor<8xf32>, tensor<8xsi8>) -> tensor<4x8xsi8>
  func.return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %q: tensor<4x8xsi8>, %s: tensor<f32>, %z: tensor<si8>, %v: tensor<8xf32>, %w: tensor<8xsi8>, %o: tensor<f16>, %u: tensor<ui32>) {
  // expected-error@+1 {{the scale has shape [8], expected [4]}}
  %0 = ptir.quantize %x, %v, %w axis 0 : (tensor<4x8xf32>, tensor<8xf32>, tensor<8xsi8>) -> tensor<4x8xsi8>
  func.return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %q: tensor<4x8xsi8>, %s: tensor<f32>, %z: tensor<si8>, %v: tensor<8xf32>, %w: tensor<8xsi8>, %o: tensor<f16>, %u: tensor<ui32>) {
  // expected-error@+1 {{axis 2 is out of range for rank 2}}
  %0 = ptir.quantize %x, %v, %w axis 2 : (tensor<4x8xf32>, tensor<8xf32>, tensor<8xsi8>) -> tensor<4x8xsi8>
  func.return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %q: tensor<4x8xsi8>, %s: tensor<f32>, %z: tensor<si8>, %v: tensor<8xf32>, %w: tensor<8xsi8>, %o: tensor<f16>, %u: tensor<ui32>) {
  // expected-error@+1 {{'axis' is 1, but no scale is a vector}}
  %0 = ptir.quantize %x, %s, %z axis 1 : (tensor<4x8xf32>, tensor<f32>, tensor<si8>) -> tensor<4x8xsi8>
  func.return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %q: tensor<4x8xsi8>, %s: tensor<f32>, %z: tensor<si8>, %v: tensor<8xf32>, %w: tensor<8xsi8>, %o: tensor<f16>, %u: tensor<ui32>) {
  // expected-error@+1 {{the element type is si8; ptir.dequantize is defined on floats}}
  %0 = ptir.dequantize %q, %s, %z : (tensor<4x8xsi8>, tensor<f32>, tensor<si8>) -> tensor<4x8xsi8>
  func.return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %q: tensor<4x8xsi8>, %s: tensor<f32>, %z: tensor<si8>, %v: tensor<8xf32>, %w: tensor<8xsi8>, %o: tensor<f16>, %u: tensor<ui32>) {
  // expected-error@+1 {{the type of the codes is f32; codes are integers of 4, 8 or 16 bits}}
  %0 = ptir.dequantize %x, %s, %z : (tensor<4x8xf32>, tensor<f32>, tensor<si8>) -> tensor<4x8xf32>
  func.return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %q: tensor<4x8xsi8>, %s: tensor<f32>, %z: tensor<si8>, %v: tensor<8xf32>, %w: tensor<8xsi8>, %o: tensor<f16>, %u: tensor<ui32>) {
  // expected-error@+1 {{the scale is f16; it must be f32}}
  %0 = ptir.dequantize %q, %o, %z : (tensor<4x8xsi8>, tensor<f16>, tensor<si8>) -> tensor<4x8xf32>
  func.return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %q: tensor<4x8xsi8>, %s: tensor<f32>, %z: tensor<si8>, %v: tensor<8xf32>, %w: tensor<8xsi8>, %o: tensor<f16>, %u: tensor<ui32>) {
  // expected-error@+1 {{the scale is f16; it must be f32}}
  %0 = ptir.requantize %q from %s, %z to %o, %z : (tensor<4x8xsi8>, tensor<f32>, tensor<si8>, tensor<f16>, tensor<si8>) -> tensor<4x8xsi8>
  func.return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %q: tensor<4x8xsi8>, %s: tensor<f32>, %z: tensor<si8>, %v: tensor<8xf32>, %w: tensor<8xsi8>, %o: tensor<f16>, %u: tensor<ui32>) {
  // expected-error@+1 {{the zero point is si8; it must be ui8 or i32}}
  %0 = ptir.requantize %q from %s, %z to %s, %z : (tensor<4x8xsi8>, tensor<f32>, tensor<si8>, tensor<f32>, tensor<si8>) -> tensor<4x8xui8>
  func.return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %q: tensor<4x8xsi8>, %s: tensor<f32>, %z: tensor<si8>, %v: tensor<8xf32>, %w: tensor<8xsi8>, %o: tensor<f16>, %u: tensor<ui32>) {
  // expected-error@+1 {{the scale has rank 1, expected 0: there is no axis}}
  %0 = ptir.requantize %q from %s, %z to %v, %w : (tensor<4x8xsi8>, tensor<f32>, tensor<si8>, tensor<8xf32>, tensor<8xsi8>) -> tensor<4x8xsi8>
  func.return
}
