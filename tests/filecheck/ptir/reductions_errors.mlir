// RUN: ptir-opt %s --split-input-file --verify-diagnostics

// What reductions, argmax and top_k refuse.

func.func @f(%x: tensor<2xi1>) {
  // expected-error@+1 {{the element type is i1; ptir.reduce is defined on numbers}}
  %0 = ptir.reduce max %x axes [0] : tensor<2xi1> -> tensor<i1>
  func.return
}

// -----

func.func @f(%x: tensor<2xi1>) {
  // expected-error@+1 {{the element type is i1; ptir.reduce is defined on numbers}}
  %0 = ptir.reduce sum %x axes [0] accum i32 out i32 : tensor<2xi1> -> tensor<i32>
  func.return
}

// -----

func.func @f(%x: tensor<2xcomplex<f32>>) {
  // expected-error@+1 {{the element type is complex<f32>; complex numbers have no order}}
  %0 = ptir.reduce max %x axes [0] : tensor<2xcomplex<f32>> -> tensor<complex<f32>>
  func.return
}

// -----

func.func @f(%x: tensor<2xcomplex<f32>>) {
  // expected-error@+1 {{the element type is complex<f32>; complex numbers have no order}}
  %0 = ptir.reduce min %x axes [0] : tensor<2xcomplex<f32>> -> tensor<complex<f32>>
  func.return
}

// -----

func.func @f(%x: tensor<2xcomplex<f32>>) {
  // expected-error@+1 {{the cast to out is complex<f32> to f32; complex numbers are cast to complex numbers only}}
  %0 = ptir.reduce sum %x axes [0] out f32 : tensor<2xcomplex<f32>> -> tensor<f32>
  func.return
}

// -----

func.func @f(%x: tensor<2xcomplex<f32>>) {
  // expected-error@+1 {{accum is f32; it must be of the same kind as complex<f32>}}
  %0 = ptir.reduce sum %x axes [0] accum f32 : tensor<2xcomplex<f32>> -> tensor<complex<f32>>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{accum is i32; it must be of the same kind as f32}}
  %0 = ptir.reduce sum %x axes [0] accum i32 : tensor<2x3xf32> -> tensor<3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2xi32>) {
  // expected-error@+1 {{accum is i1; it must be of the same kind as i32}}
  %0 = ptir.reduce sum %x axes [0] accum i1 : tensor<2xi32> -> tensor<i32>
  func.return
}

// -----

builtin.module attributes {ptir.extensions} {
func.func @f(%x: tensor<2xi32>) {
  // expected-error@+1 {{the element type is i32; 'any' is defined on i1}}
  %0 = ptir.reduce any %x axes [0] : tensor<2xi32> -> tensor<i32>
  func.return
}
}

// -----

builtin.module attributes {ptir.extensions} {
func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{the element type is f32; 'all' is defined on i1}}
  %0 = ptir.reduce all %x axes [0] : tensor<2x3xf32> -> tensor<3xf32>
  func.return
}
}

// -----

func.func @f(%x: tensor<?x3xf32, #ptir.dims<A, _>>) {
  // expected-error@+1 {{the result has shape [B], expected [A]}}
  %0 = ptir.reduce sum %x axes [1] : tensor<?x3xf32, #ptir.dims<A, _>> -> tensor<?xf32, #ptir.dims<B>>
  func.return
}

// -----

func.func @f(%x: tensor<2xi1>) {
  // expected-error@+1 {{the element type is i1; ptir.argmax is defined on real numbers}}
  %0 = ptir.argmax %x axis 0 : tensor<2xi1> -> tensor<si64>
  func.return
}

// -----

func.func @f(%x: tensor<2xcomplex<f32>>) {
  // expected-error@+1 {{the element type is complex<f32>; ptir.argmax is defined on real numbers}}
  %0 = ptir.argmax %x axis 0 : tensor<2xcomplex<f32>> -> tensor<si64>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{the type of the indices is ui32; it must be si32 or si64}}
  %0 = ptir.argmax %x axis 0 : tensor<2x3xf32> -> tensor<3xui32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{the type of the indices is si16; it must be si32 or si64}}
  %0 = ptir.argmax %x axis 0 : tensor<2x3xf32> -> tensor<3xsi16>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{the type of the indices is f32; it must be si32 or si64}}
  %0 = ptir.argmax %x axis 0 : tensor<2x3xf32> -> tensor<3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{the type of the indices is i1; it must be si32 or si64}}
  %0 = ptir.argmax %x axis 0 : tensor<2x3xf32> -> tensor<3xi1>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{axis 2 is out of range for rank 2}}
  %0 = ptir.argmax %x axis 2 : tensor<2x3xf32> -> tensor<3xsi64>
  func.return
}

// -----

func.func @f(%x: tensor<f32>) {
  // expected-error@+1 {{axis 0 is out of range for rank 0}}
  %0 = ptir.argmax %x axis 0 : tensor<f32> -> tensor<si64>
  func.return
}

// -----

func.func @f(%x: tensor<2x0xf32>) {
  // expected-error@+1 {{axis 1 has no elements, so it has no largest element}}
  %0 = ptir.argmax %x axis -1 : tensor<2x0xf32> -> tensor<2xsi64>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{the result has shape [2], expected [3]}}
  %0 = ptir.argmax %x axis 0 : tensor<2x3xf32> -> tensor<2xsi64>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{the result has shape [3], expected [1, 3]}}
  %0 = ptir.argmax %x axis 0 keepdims : tensor<2x3xf32> -> tensor<3xsi64>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'order' is 'highest'}}
  %0, %1 = ptir.top_k highest %x k 1 axis 0 : tensor<2x3xf32> -> tensor<1x3xf32>, tensor<1x3xsi32>
  func.return
}

// -----

func.func @f(%x: tensor<2xi1>) {
  // expected-error@+1 {{the element type is i1; ptir.top_k is defined on real numbers}}
  %0, %1 = ptir.top_k largest %x k 1 axis 0 : tensor<2xi1> -> tensor<1xi1>, tensor<1xsi32>
  func.return
}

// -----

func.func @f(%x: tensor<2xcomplex<f32>>) {
  // expected-error@+1 {{the element type is complex<f32>; ptir.top_k is defined on real numbers}}
  %0, %1 = ptir.top_k largest %x k 1 axis 0 : tensor<2xcomplex<f32>> -> tensor<1xcomplex<f32>>, tensor<1xsi32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{the first result has element type f16, expected f32}}
  %0, %1 = ptir.top_k largest %x k 1 axis 0 : tensor<2x3xf32> -> tensor<1x3xf16>, tensor<1x3xsi32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{the type of the indices is ui32; it must be si32 or si64}}
  %0, %1 = ptir.top_k largest %x k 1 axis 0 : tensor<2x3xf32> -> tensor<1x3xf32>, tensor<1x3xui32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{axis -3 is out of range for rank 2}}
  %0, %1 = ptir.top_k largest %x k 1 axis -3 : tensor<2x3xf32> -> tensor<1x3xf32>, tensor<1x3xsi32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{'k' is 3}}
  %0, %1 = ptir.top_k largest %x k 3 axis 0 : tensor<2x3xf32> -> tensor<3x3xf32>, tensor<3x3xsi32>
  func.return
}

// -----

func.func @f(%x: tensor<?xf32>) {
  // expected-error@+1 {{'k' is -1}}
  %0, %1 = ptir.top_k largest %x k -1 axis 0 : tensor<?xf32> -> tensor<?xf32>, tensor<?xsi32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{the first result has shape [2, 3], expected [1, 3]}}
  %0, %1 = ptir.top_k largest %x k 1 axis 0 : tensor<2x3xf32> -> tensor<2x3xf32>, tensor<1x3xsi32>
  func.return
}

// -----

func.func @f(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{the second result has shape [2, 3], expected [1, 3]}}
  %0, %1 = ptir.top_k largest %x k 1 axis 0 : tensor<2x3xf32> -> tensor<1x3xf32>, tensor<2x3xsi32>
  func.return
}
