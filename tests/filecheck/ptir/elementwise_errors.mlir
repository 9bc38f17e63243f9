// RUN: ptir-opt %s --split-input-file --verify-diagnostics

// Element types on which elementwise ops are not defined, and names that differ.

func.func @f(%x: tensor<2xcomplex<f32>>) {
  // expected-error@+1 {{the element type is complex<f32>; ptir.erf is defined on floats}}
  %0 = ptir.erf %x : tensor<2xcomplex<f32>>
  func.return
}

// -----

func.func @f(%x: tensor<2xi32>) {
  // expected-error@+1 {{the element type is i32; ptir.log is defined on floats and complex numbers}}
  %0 = ptir.log %x : tensor<2xi32>
  func.return
}

// -----

func.func @f(%x: tensor<2xi32>) {
  // expected-error@+1 {{the element type is i32; ptir.tanh is defined on floats and complex numbers}}
  %0 = ptir.tanh %x : tensor<2xi32>
  func.return
}

// -----

func.func @f(%x: tensor<2xi32>) {
  // expected-error@+1 {{the element type is i32; ptir.rsqrt is defined on floats and complex numbers}}
  %0 = ptir.rsqrt %x : tensor<2xi32>
  func.return
}

// -----

func.func @f(%x: tensor<2xi32>) {
  // expected-error@+1 {{the element type is i32; ptir.reciprocal is defined on floats and complex numbers}}
  %0 = ptir.reciprocal %x : tensor<2xi32>
  func.return
}

// -----

func.func @f(%x: tensor<2xi32>) {
  // expected-error@+1 {{the element type is i32; ptir.erf is defined on floats}}
  %0 = ptir.erf %x : tensor<2xi32>
  func.return
}

// -----

func.func @f(%x: tensor<2xi1>) {
  // expected-error@+1 {{the element type is i1; ptir.exp is defined on floats and complex numbers}}
  %0 = ptir.exp %x : tensor<2xi1>
  func.return
}

// -----

func.func @f(%x: tensor<2xcomplex<f32>>) {
  // expected-error@+1 {{the element type is complex<f32>; ptir.abs is defined on real numbers}}
  %0 = ptir.abs %x : tensor<2xcomplex<f32>>
  func.return
}

// -----

func.func @f(%x: tensor<2xi1>) {
  // expected-error@+1 {{the element type is i1; ptir.sub is defined on numbers}}
  %0 = ptir.sub %x, %x : tensor<2xi1>
  func.return
}

// -----

func.func @f(%x: tensor<2xi1>) {
  // expected-error@+1 {{the element type is i1; ptir.mul is defined on numbers}}
  %0 = ptir.mul %x, %x : tensor<2xi1>
  func.return
}

// -----

func.func @f(%x: tensor<2xi1>) {
  // expected-error@+1 {{the element type is i1; ptir.div is defined on numbers}}
  %0 = ptir.div %x, %x : tensor<2xi1>
  func.return
}

// -----

func.func @f(%x: tensor<2xcomplex<f32>>) {
  // expected-error@+1 {{the element type is complex<f32>; ptir.maximum is defined on real numbers}}
  %0 = ptir.maximum %x, %x : tensor<2xcomplex<f32>>
  func.return
}

// -----

func.func @f(%x: tensor<2xcomplex<f32>>) {
  // expected-error@+1 {{the element type is complex<f32>; ptir.minimum is defined on real numbers}}
  %0 = ptir.minimum %x, %x : tensor<2xcomplex<f32>>
  func.return
}

// -----

func.func @f(%x: tensor<2xcomplex<f32>>) {
  // expected-error@+1 {{the element type is complex<f32>; ptir.clamp is defined on real numbers}}
  %0 = ptir.clamp %x, %x, %x : tensor<2xcomplex<f32>>
  func.return
}

// -----

func.func @f(%x: tensor<2xcomplex<f32>>) {
  // expected-error@+1 {{the element type is complex<f32>; ptir.compare is defined on real numbers}}
  %0 = ptir.compare lt %x, %x : tensor<2xcomplex<f32>> -> tensor<2xi1>
  func.return
}

// -----

func.func @f(%x: tensor<2xcomplex<f32>>) {
  // expected-error@+1 {{the element type is complex<f32>; ptir.compare is defined on real numbers}}
  %0 = ptir.compare le %x, %x : tensor<2xcomplex<f32>> -> tensor<2xi1>
  func.return
}

// -----

func.func @f(%x: tensor<2xcomplex<f32>>) {
  // expected-error@+1 {{the element type is complex<f32>; ptir.compare is defined on real numbers}}
  %0 = ptir.compare ge %x, %x : tensor<2xcomplex<f32>> -> tensor<2xi1>
  func.return
}

// -----

func.func @f(%x: tensor<2xcomplex<f32>>) {
  // expected-error@+1 {{the element type is complex<f32>; ptir.compare is defined on real numbers}}
  %0 = ptir.compare gt %x, %x : tensor<2xcomplex<f32>> -> tensor<2xi1>
  func.return
}

// -----

func.func @f(%x: tensor<2xcomplex<f32>>) {
  // expected-error@+1 {{the cast is complex<f32> to f32; complex numbers are cast to complex numbers only}}
  %0 = ptir.cast %x : tensor<2xcomplex<f32>> -> tensor<2xf32>
  func.return
}

// -----

func.func @f(%x: tensor<?xf32, #ptir.dims<A>>, %y: tensor<?xf32, #ptir.dims<B>>) {
  // expected-error@+1 {{the result has shape [B], expected [A]}}
  %0 = ptir.compare lt %x, %x : tensor<?xf32, #ptir.dims<A>> -> tensor<?xi1, #ptir.dims<B>>
  func.return
}

// -----

func.func @f(%x: tensor<?xf32, #ptir.dims<A>>, %y: tensor<?xf32, #ptir.dims<B>>) {
  // expected-error@+1 {{the result has shape [B], expected [A]}}
  %0 = ptir.cast %x : tensor<?xf32, #ptir.dims<A>> -> tensor<?xf16, #ptir.dims<B>>
  func.return
}

// -----

func.func @f(%p: tensor<?xi1, #ptir.dims<B>>, %x: tensor<?xf32, #ptir.dims<A>>) {
  // expected-error@+1 {{the predicate has shape [B], expected [A]}}
  %0 = ptir.select %p, %x, %x : tensor<?xi1, #ptir.dims<B>>, tensor<?xf32, #ptir.dims<A>>
  func.return
}
