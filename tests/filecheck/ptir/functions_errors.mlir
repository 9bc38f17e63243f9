// RUN: ptir-opt %s --split-input-file --verify-diagnostics

// Extensions where nothing allows them, and where they are not defined.

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'ptir.sqrt' is an extension of PTIR v0.4}}
  %0 = ptir.sqrt %x : tensor<2x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'ptir.sin' is an extension of PTIR v0.4}}
  %0 = ptir.sin %x : tensor<2x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'ptir.cos' is an extension of PTIR v0.4}}
  %0 = ptir.cos %x : tensor<2x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'ptir.floor' is an extension of PTIR v0.4}}
  %0 = ptir.floor %x : tensor<2x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'ptir.ceil' is an extension of PTIR v0.4}}
  %0 = ptir.ceil %x : tensor<2x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'ptir.round' is an extension of PTIR v0.4}}
  %0 = ptir.round %x : tensor<2x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'ptir.sign' is an extension of PTIR v0.4}}
  %0 = ptir.sign %x : tensor<2x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'ptir.log1p' is an extension of PTIR v0.4}}
  %0 = ptir.log1p %x : tensor<2x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'ptir.exp2' is an extension of PTIR v0.4}}
  %0 = ptir.exp2 %x : tensor<2x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'ptir.expm1' is an extension of PTIR v0.4}}
  %0 = ptir.expm1 %x : tensor<2x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'ptir.erfc' is an extension of PTIR v0.4}}
  %0 = ptir.erfc %x : tensor<2x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'ptir.logistic' is an extension of PTIR v0.4}}
  %0 = ptir.logistic %x : tensor<2x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'ptir.pow' is an extension of PTIR v0.4}}
  %0 = ptir.pow %x, %x : tensor<2x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'ptir.remainder' is an extension of PTIR v0.4}}
  %0 = ptir.remainder %x, %x : tensor<2x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2xi1>) {
  // expected-error@+1 {{'ptir.not' is an extension of PTIR v0.4}}
  %0 = ptir.not %x : tensor<2xi1>
  func.return
}

// -----

func.func @f(%x: tensor<2xi1>) {
  // expected-error@+1 {{'ptir.and' is an extension of PTIR v0.4}}
  %0 = ptir.and %x, %x : tensor<2xi1>
  func.return
}

// -----

func.func @f(%x: tensor<2xi1>) {
  // expected-error@+1 {{'ptir.or' is an extension of PTIR v0.4}}
  %0 = ptir.or %x, %x : tensor<2xi1>
  func.return
}

// -----

func.func @f(%x: tensor<2xi1>) {
  // expected-error@+1 {{'ptir.xor' is an extension of PTIR v0.4}}
  %0 = ptir.xor %x, %x : tensor<2xi1>
  func.return
}

// -----

func.func @f(%x: tensor<2xi32>) {
  // expected-error@+1 {{'ptir.shift_left' is an extension of PTIR v0.4}}
  %0 = ptir.shift_left %x, %x : tensor<2xi32>
  func.return
}

// -----

func.func @f(%x: tensor<2xi32>) {
  // expected-error@+1 {{'ptir.shift_right_arithmetic' is an extension of PTIR v0.4}}
  %0 = ptir.shift_right_arithmetic %x, %x : tensor<2xi32>
  func.return
}

// -----

func.func @f(%x: tensor<2xi32>) {
  // expected-error@+1 {{'ptir.shift_right_logical' is an extension of PTIR v0.4}}
  %0 = ptir.shift_right_logical %x, %x : tensor<2xi32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'ptir.is_finite' is an extension of PTIR v0.4}}
  %0 = ptir.is_finite %x : tensor<2x3xf32> -> tensor<2x3xi1>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'ptir.bitcast' is an extension of PTIR v0.4}}
  %0 = ptir.bitcast %x : tensor<2x3xf32> -> tensor<2x3xi32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'ptir.reduce mul' is an extension of PTIR v0.4}}
  %0 = ptir.reduce mul %x axes [0] : tensor<2x3xf32> -> tensor<3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2xi1>) {
  // expected-error@+1 {{'ptir.reduce any' is an extension of PTIR v0.4}}
  %0 = ptir.reduce any %x axes [0] : tensor<2xi1> -> tensor<i1>
  func.return
}

// -----

func.func @f(%x: tensor<2xi1>) {
  // expected-error@+1 {{'ptir.reduce all' is an extension of PTIR v0.4}}
  %0 = ptir.reduce all %x axes [0] : tensor<2xi1> -> tensor<i1>
  func.return
}

// -----

builtin.module attributes {ptir.extensions} {
func.func @f(%x: tensor<2xi32>) {
  // expected-error@+1 {{the element type is i32; ptir.sqrt is defined on floats and complex numbers}}
  %0 = ptir.sqrt %x : tensor<2xi32>
  func.return
}
}

// -----

builtin.module attributes {ptir.extensions} {
func.func @f(%x: tensor<2xi32>) {
  // expected-error@+1 {{the element type is i32; ptir.sin is defined on floats and complex numbers}}
  %0 = ptir.sin %x : tensor<2xi32>
  func.return
}
}

// -----

builtin.module attributes {ptir.extensions} {
func.func @f(%x: tensor<2xi32>) {
  // expected-error@+1 {{the element type is i32; ptir.cos is defined on floats and complex numbers}}
  %0 = ptir.cos %x : tensor<2xi32>
  func.return
}
}

// -----

builtin.module attributes {ptir.extensions} {
func.func @f(%x: tensor<2xi32>) {
  // expected-error@+1 {{the element type is i32; ptir.log1p is defined on floats and complex numbers}}
  %0 = ptir.log1p %x : tensor<2xi32>
  func.return
}
}

// -----

builtin.module attributes {ptir.extensions} {
func.func @f(%x: tensor<2xcomplex<f32>>) {
  // expected-error@+1 {{the element type is complex<f32>; ptir.exp2 is defined on floats}}
  %0 = ptir.exp2 %x : tensor<2xcomplex<f32>>
  func.return
}
}

// -----

builtin.module attributes {ptir.extensions} {
func.func @f(%x: tensor<2xi32>) {
  // expected-error@+1 {{the element type is i32; ptir.expm1 is defined on floats and complex numbers}}
  %0 = ptir.expm1 %x : tensor<2xi32>
  func.return
}
}

// -----

builtin.module attributes {ptir.extensions} {
func.func @f(%x: tensor<2xi32>) {
  // expected-error@+1 {{the element type is i32; ptir.logistic is defined on floats and complex numbers}}
  %0 = ptir.logistic %x : tensor<2xi32>
  func.return
}
}

// -----

builtin.module attributes {ptir.extensions} {
func.func @f(%x: tensor<2xcomplex<f32>>) {
  // expected-error@+1 {{the element type is complex<f32>; ptir.floor is defined on floats}}
  %0 = ptir.floor %x : tensor<2xcomplex<f32>>
  func.return
}
}

// -----

builtin.module attributes {ptir.extensions} {
func.func @f(%x: tensor<2xcomplex<f32>>) {
  // expected-error@+1 {{the element type is complex<f32>; ptir.ceil is defined on floats}}
  %0 = ptir.ceil %x : tensor<2xcomplex<f32>>
  func.return
}
}

// -----

builtin.module attributes {ptir.extensions} {
func.func @f(%x: tensor<2xcomplex<f32>>) {
  // expected-error@+1 {{the element type is complex<f32>; ptir.round is defined on floats}}
  %0 = ptir.round %x : tensor<2xcomplex<f32>>
  func.return
}
}

// -----

builtin.module attributes {ptir.extensions} {
func.func @f(%x: tensor<2xcomplex<f32>>) {
  // expected-error@+1 {{the element type is complex<f32>; ptir.erfc is defined on floats}}
  %0 = ptir.erfc %x : tensor<2xcomplex<f32>>
  func.return
}
}

// -----

builtin.module attributes {ptir.extensions} {
func.func @f(%x: tensor<2xi1>) {
  // expected-error@+1 {{the element type is i1; ptir.sign is defined on numbers}}
  %0 = ptir.sign %x : tensor<2xi1>
  func.return
}
}

// -----

builtin.module attributes {ptir.extensions} {
func.func @f(%x: tensor<2xi1>) {
  // expected-error@+1 {{the element type is i1; ptir.pow is defined on numbers}}
  %0 = ptir.pow %x, %x : tensor<2xi1>
  func.return
}
}

// -----

builtin.module attributes {ptir.extensions} {
func.func @f(%x: tensor<2xcomplex<f32>>) {
  // expected-error@+1 {{the element type is complex<f32>; ptir.remainder is defined on real numbers}}
  %0 = ptir.remainder %x, %x : tensor<2xcomplex<f32>>
  func.return
}
}

// -----

builtin.module attributes {ptir.extensions} {
func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{the element type is f32; ptir.not is defined on integers and i1}}
  %0 = ptir.not %x : tensor<2x3xf32>
  func.return
}
}

// -----

builtin.module attributes {ptir.extensions} {
func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{the element type is f32; ptir.and is defined on integers and i1}}
  %0 = ptir.and %x, %x : tensor<2x3xf32>
  func.return
}
}

// -----

builtin.module attributes {ptir.extensions} {
func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{the element type is f32; ptir.or is defined on integers and i1}}
  %0 = ptir.or %x, %x : tensor<2x3xf32>
  func.return
}
}

// -----

builtin.module attributes {ptir.extensions} {
func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{the element type is f32; ptir.xor is defined on integers and i1}}
  %0 = ptir.xor %x, %x : tensor<2x3xf32>
  func.return
}
}

// -----

builtin.module attributes {ptir.extensions} {
func.func @f(%x: tensor<2xi1>) {
  // expected-error@+1 {{the element type is i1; ptir.shift_left is defined on integers}}
  %0 = ptir.shift_left %x, %x : tensor<2xi1>
  func.return
}
}

// -----

builtin.module attributes {ptir.extensions} {
func.func @f(%x: tensor<2xi1>) {
  // expected-error@+1 {{the element type is i1; ptir.shift_right_arithmetic is defined on integers}}
  %0 = ptir.shift_right_arithmetic %x, %x : tensor<2xi1>
  func.return
}
}

// -----

builtin.module attributes {ptir.extensions} {
func.func @f(%x: tensor<2xi1>) {
  // expected-error@+1 {{the element type is i1; ptir.shift_right_logical is defined on integers}}
  %0 = ptir.shift_right_logical %x, %x : tensor<2xi1>
  func.return
}
}

// -----

builtin.module attributes {ptir.extensions} {
func.func @f(%x: tensor<2xi32>) {
  // expected-error@+1 {{the element type is i32; ptir.is_finite is defined on floats}}
  %0 = ptir.is_finite %x : tensor<2xi32> -> tensor<2xi1>
  func.return
}
}

// -----

builtin.module attributes {ptir.extensions} {
func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{the result has shape [3, 2], expected [2, 3]}}
  %0 = ptir.is_finite %x : tensor<2x3xf32> -> tensor<3x2xi1>
  func.return
}
}

// -----

builtin.module attributes {ptir.extensions} {
func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{the result has element type i8, expected i1}}
  %0 = ptir.is_finite %x : tensor<2x3xf32> -> tensor<2x3xi8>
  func.return
}
}

// -----

builtin.module attributes {ptir.extensions} {
func.func @f(%x: tensor<2xi1>) {
  // expected-error@+1 {{the element type is i1; ptir.bitcast is defined on real numbers}}
  %0 = ptir.bitcast %x : tensor<2xi1> -> tensor<2xi8>
  func.return
}
}

// -----

builtin.module attributes {ptir.extensions} {
func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{the result's element type is complex<f32>; ptir.bitcast is defined on real numbers}}
  %0 = ptir.bitcast %x : tensor<2x3xf32> -> tensor<2xcomplex<f32>>
  func.return
}
}

// -----

builtin.module attributes {ptir.extensions} {
func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{the result has shape [6], expected [2, 3]}}
  %0 = ptir.bitcast %x : tensor<2x3xf32> -> tensor<6xi32>
  func.return
}
}

// -----

builtin.module attributes {ptir.extensions} {
func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{the result has shape [2, 3, 4], expected [2, 3, 2]}}
  %0 = ptir.bitcast %x : tensor<2x3xf32> -> tensor<2x3x4xi16>
  func.return
}
}

// -----

builtin.module attributes {ptir.extensions} {
func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{the operand has shape [2, 3], expected [2, 2]}}
  %0 = ptir.bitcast %x : tensor<2x3xf32> -> tensor<2xi64>
  func.return
}
}

// -----

builtin.module attributes {ptir.extensions} {
func.func @f(%x: tensor<f32>) {
  // expected-error@+1 {{the operand has shape [], expected [2]}}
  %0 = ptir.bitcast %x : tensor<f32> -> tensor<i64>
  func.return
}
}
