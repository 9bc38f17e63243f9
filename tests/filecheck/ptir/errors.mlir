// RUN: ptir-opt %s --split-input-file --verify-diagnostics

// One case for each rule of the dialect's verifiers.

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{the result has shape tensor<3xf32>, expected tensor<2xf32>}}
  %0 = "ptir.constant"() <{value = dense<1.0> : tensor<2xf32>}> : () -> tensor<3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2xi32>) {
  // expected-error@+1 {{the element type is i32; ptir.exp is defined on floats}}
  %0 = ptir.exp %x : tensor<2xi32>
  func.return
}

// -----

func.func @f(%x: tensor<2xi1>) {
  // expected-error@+1 {{the element type is i1; ptir.neg is defined on numbers}}
  %0 = ptir.neg %x : tensor<2xi1>
  func.return
}

// -----

func.func @f(%x: tensor<2xi1>) {
  // expected-error@+1 {{the element type is i1; ptir.add is defined on numbers}}
  %0 = ptir.add %x, %x : tensor<2xi1>
  func.return
}

// -----

func.func @f(%x: tensor<2xi1>) {
  // expected-error@+1 {{the element type is i1; ptir.clamp is defined on real numbers}}
  %0 = ptir.clamp %x, %x, %x : tensor<2xi1>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'op' is 'less'}}
  %0 = ptir.compare less %x, %x : tensor<2x3xf32> -> tensor<2x3xi1>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{the result has shape [3, 2], expected [2, 3]}}
  %0 = ptir.compare lt %x, %x : tensor<2x3xf32> -> tensor<3x2xi1>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{the result has element type i8, expected i1}}
  %0 = ptir.compare lt %x, %x : tensor<2x3xf32> -> tensor<2x3xi8>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>, %p: tensor<2x3xi8>) {
  // expected-error@+1 {{the predicate has element type i8, expected i1}}
  %0 = ptir.select %p, %x, %x : tensor<2x3xi8>, tensor<2x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>, %p: tensor<3xi1>) {
  // expected-error@+1 {{the predicate has shape [3], expected [2, 3]}}
  %0 = ptir.select %p, %x, %x : tensor<3xi1>, tensor<2x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{the result has shape [6], expected [2, 3]}}
  %0 = ptir.cast %x : tensor<2x3xf32> -> tensor<6xbf16>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{complex numbers are cast to complex numbers only}}
  %0 = ptir.cast %x : tensor<2x3xf32> -> tensor<2x3xcomplex<f32>>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>, %w: tensor<3x2xbf16>) {
  // expected-error@+1 {{rhs has element type bf16, expected f32}}
  %0 = ptir.dot_general %x, %w contract [1] x [0] : (tensor<2x3xf32>, tensor<3x2xbf16>) -> tensor<2x2xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'contract' pairs axes [0, 1] of lhs with [0] of rhs}}
  %0 = ptir.dot_general %x, %x contract [0, 1] x [0] : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'batch' pairs axes [0] of lhs with [] of rhs}}
  %0 = ptir.dot_general %x, %x batch [0] x [] contract [1] x [1] : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x2xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'contract' shares axes [0] of lhs with batch}}
  %0 = ptir.dot_general %x, %x batch [0] x [0] contract [0] x [1] : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{axis 2 is out of range for rank 2}}
  %0 = ptir.dot_general %x, %x contract [2] x [1] : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x2xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{axis -1 is given twice in contract of lhs}}
  %0 = ptir.dot_general %x, %x contract [1, -1] x [0, 1] : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{rhs (contract axis 0) has shape 2, expected 3 as axis 1 of lhs}}
  %0 = ptir.dot_general %x, %x contract [1] x [0] : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{rhs (batch axis 1) has shape 3, expected 2 as axis 0 of lhs}}
  %0 = ptir.dot_general %x, %x batch [0] x [1] contract [1] x [0] : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{the result has element type f32, expected bf16}}
  %0 = ptir.dot_general %x, %x contract [1] x [1] out bf16 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x2xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{the result has shape [2, 3], expected [2, 2]}}
  %0 = ptir.dot_general %x, %x contract [1] x [1] : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{accum is i32; it must be of the same kind as f32}}
  %0 = ptir.dot_general %x, %x contract [1] x [1] accum i32 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x2xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'kind' is 'mean'}}
  %0 = ptir.reduce mean %x axes [0] : tensor<2x3xf32> -> tensor<3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{axis -3 is out of range for rank 2}}
  %0 = ptir.reduce sum %x axes [-3] : tensor<2x3xf32> -> tensor<3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{axis -2 is given twice in axes}}
  %0 = ptir.reduce sum %x axes [0, -2] : tensor<2x3xf32> -> tensor<3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{the result has shape [3], expected [1, 3]}}
  %0 = ptir.reduce sum %x axes [0] keepdims : tensor<2x3xf32> -> tensor<3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{the result has element type f32, expected f64}}
  %0 = ptir.reduce sum %x axes [0] out f64 : tensor<2x3xf32> -> tensor<3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<4x8xi1>, %w: tensor<8x2xi1>) {
  // expected-error@+1 {{the element type is i1; ptir.dot_general is defined on numbers}}
  %0 = ptir.dot_general %x, %w contract [1] x [0] : (tensor<4x8xi1>, tensor<8x2xi1>) -> tensor<4x2xi1>
  func.return
}

// -----

// It would be another op in the generic form.

func.func @f(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{'keepdims' is a property of 'ptir.reduce'}}
  %0 = ptir.reduce sum %x axes [1] {keepdims = 1 : i32} : tensor<4x8xf32> -> tensor<4xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'precision' is 'bf16'}}
  %0 = ptir.dot_general %x, %x contract [1] x [1] precision bf16 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x2xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xbf16>) {
  // expected-error@+1 {{'precision' rounds f32 operands that are summed in f32, got bf16 and f32}}
  %0 = ptir.dot_general %x, %x contract [1] x [1] accum f32 out f32 precision tf32 : (tensor<2x3xbf16>, tensor<2x3xbf16>) -> tensor<2x2xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'precision' rounds f32 operands that are summed in f32, got f32 and f64}}
  %0 = ptir.dot_general %x, %x contract [1] x [1] accum f64 precision tf32 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x2xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xi8>) {
  // expected-error@+1 {{'precision' rounds f32 operands that are summed in f32, got i8 and i32}}
  %0 = ptir.dot_general %x, %x contract [1] x [1] accum i32 out i32 precision tf32 : (tensor<2x3xi8>, tensor<2x3xi8>) -> tensor<2x2xi32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'precision' is a property of 'ptir.dot_general'}}
  %0 = ptir.dot_general %x, %x contract [1] x [1] {precision = "tf32"} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x2xf32>
  func.return
}

// -----

// Two types have no default between them.

func.func @f(%x: tensor<2x3xf8E4M3FN>, %w: tensor<3x2xf8E5M2>) {
  // expected-error@+1 {{'accum' has no default for f8E4M3FN x f8E5M2}}
  %0 = ptir.dot_general %x, %w contract [1] x [0] out f32 : (tensor<2x3xf8E4M3FN>, tensor<3x2xf8E5M2>) -> tensor<2x2xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xui8>, %w: tensor<3x2xsi8>) {
  // expected-error@+1 {{'out' has no default for ui8 x si8}}
  %0 = ptir.dot_general %x, %w contract [1] x [0] accum i32 : (tensor<2x3xui8>, tensor<3x2xsi8>) -> tensor<2x2xui8>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xui8>, %w: tensor<3x2xsi8>) {
  // expected-error@+1 {{accum is f32; it must be of the same kind as ui8}}
  %0 = ptir.dot_general %x, %w contract [1] x [0] accum f32 out f32 : (tensor<2x3xui8>, tensor<3x2xsi8>) -> tensor<2x2xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf8E4M3FN>, %w: tensor<3x2xbf16>) {
  // expected-error@+1 {{rhs has element type bf16, expected f8E4M3FN}}
  %0 = ptir.dot_general %x, %w contract [1] x [0] accum f32 out f32 : (tensor<2x3xf8E4M3FN>, tensor<3x2xbf16>) -> tensor<2x2xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xui8>, %w: tensor<3x2xsi16>) {
  // expected-error@+1 {{rhs has element type si16, expected ui8}}
  %0 = ptir.dot_general %x, %w contract [1] x [0] accum i32 out i32 : (tensor<2x3xui8>, tensor<3x2xsi16>) -> tensor<2x2xi32>
  func.return
}

// -----

// Bytes that are no elements of their type.

func.func @f() {
  // expected-error@+1 {{'value' has the byte 0x7F, which is not a value of si4}}
  %0 = ptir.constant dense<"0x7F80"> : tensor<2xsi4>
  func.return
}

// -----

func.func @f() {
  // expected-error@+1 {{'value' has the byte 0x02, which is not a value of i1}}
  %0 = ptir.constant inline dense<"0x0203"> : tensor<2xi1>
  func.return
}
