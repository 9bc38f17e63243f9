// RUN: ptir-opt %s --split-input-file --verify-diagnostics

func.func @f(%x: tensor<8x6xf32>) {
  // expected-error@+1 {{'kind' is 'mean'}}
  %0 = ptir.reduce_window mean %x window [2, 2] : tensor<8x6xf32> -> tensor<7x5xf32>
  func.return
}

// -----

func.func @f(%x: tensor<8x6xf32>) {
  // expected-error@+1 {{the window has rank 1, expected 2}}
  %0 = ptir.reduce_window sum %x window [2] : tensor<8x6xf32> -> tensor<7x6xf32>
  func.return
}

// -----

func.func @f(%x: tensor<8x6xi1>) {
  // expected-error@+1 {{the element type is i1; ptir.reduce_window is defined on numbers}}
  %0 = ptir.reduce_window sum %x window [1, 1] : tensor<8x6xi1> -> tensor<8x6xi1>
  func.return
}

// -----

func.func @f(%x: tensor<8xcomplex<f32>>) {
  // expected-error@+1 {{the element type is complex<f32>; ptir.reduce_window is defined on real numbers}}
  %0 = ptir.reduce_window max %x window [1] : tensor<8xcomplex<f32>> -> tensor<8xcomplex<f32>>
  func.return
}

// -----

func.func @f(%x: tensor<8xf32>) {
  // expected-error@+1 {{accum is i32; it must be of the same kind as f32}}
  %0 = ptir.reduce_window sum %x window [1] accum i32 : tensor<8xf32> -> tensor<8xf32>
  func.return
}

// -----

func.func @f(%x: tensor<8xf32>) {
  // expected-error@+1 {{the cast to out is f32 to complex<f32>; complex numbers are cast to complex numbers only}}
  %0 = ptir.reduce_window sum %x window [1] out complex<f32> : tensor<8xf32> -> tensor<8xcomplex<f32>>
  func.return
}

// -----

func.func @f(%x: tensor<8xf32>) {
  // expected-error@+1 {{the result has element type f32, expected f64}}
  %0 = ptir.reduce_window sum %x window [1] out f64 : tensor<8xf32> -> tensor<8xf32>
  func.return
}

// -----

func.func @f(%x: tensor<8xf32>) {
  // expected-error@+1 {{the result has shape [6], expected [7]}}
  %0 = ptir.reduce_window sum %x window [2] : tensor<8xf32> -> tensor<6xf32>
  func.return
}

// -----

func.func @f(%x: tensor<8x6xf32>) {
  // expected-error@+1 {{'strides' has 1 number for windows over 2 axes}}
  %0 = ptir.reduce_window sum %x window [2, 2] strides [2] : tensor<8x6xf32> -> tensor<4x6xf32>
  func.return
}

// -----

func.func @f(%x: tensor<8x6xf32>) {
  // expected-error@+1 {{'padding' has 2 numbers for windows over 2 axes}}
  %0 = ptir.reduce_window sum %x window [2, 2] padding [(1, 1)] : tensor<8x6xf32> -> tensor<9x5xf32>
  func.return
}

// -----

func.func @f(%x: tensor<8x6xf32>) {
  // expected-error@+1 {{'dilation' has 3 numbers for windows over 2 axes}}
  %0 = ptir.reduce_window sum %x window [2, 2] dilation [1, 1, 1] : tensor<8x6xf32> -> tensor<7x5xf32>
  func.return
}

// -----

func.func @f(%x: tensor<8x6xf32>) {
  // expected-error@+1 {{'base_dilation' has 3 numbers for windows over 2 axes}}
  %0 = ptir.reduce_window sum %x window [2, 2] base_dilation [1, 1, 1] : tensor<8x6xf32> -> tensor<7x5xf32>
  func.return
}

// -----

func.func @f(%x: tensor<8x6xf32>) {
  // expected-error@+1 {{'window' is 0 for axis 1}}
  %0 = ptir.reduce_window sum %x window [1, 0] : tensor<8x6xf32> -> tensor<8x7xf32>
  func.return
}

// -----

func.func @f(%x: tensor<8x6xf32>) {
  // expected-error@+1 {{'strides' is 0 for axis 0}}
  %0 = ptir.reduce_window sum %x window [1, 1] strides [0, 1] : tensor<8x6xf32> -> tensor<8x6xf32>
  func.return
}

// -----

func.func @f(%x: tensor<8x6xf32>) {
  // expected-error@+1 {{'dilation' is -1 for axis 0}}
  %0 = ptir.reduce_window sum %x window [1, 1] dilation [-1, 1] : tensor<8x6xf32> -> tensor<8x6xf32>
  func.return
}

// -----

func.func @f(%x: tensor<8x6xf32>) {
  // expected-error@+1 {{'base_dilation' is 0 for axis 1}}
  %0 = ptir.reduce_window sum %x window [1, 1] base_dilation [1, 0] : tensor<8x6xf32> -> tensor<8x6xf32>
  func.return
}

// -----

func.func @f(%x: tensor<8xf32>) {
  // expected-error@+1 {{the result has shape [1], expected [0]}}
  %0 = ptir.reduce_window sum %x window [5] dilation [2] : tensor<8xf32> -> tensor<1xf32>
  func.return
}

// -----

func.func @f(%x: tensor<0xf32>) {
  // expected-error@+1 {{the result has shape [1], expected [0]}}
  %0 = ptir.reduce_window sum %x window [2] : tensor<0xf32> -> tensor<1xf32>
  func.return
}

// -----

func.func @f(%x: tensor<?xf32, #ptir.dims<N>>) {
  // expected-error@+1 {{the result has shape [M], expected [N]}}
  %0 = ptir.reduce_window sum %x window [1] : tensor<?xf32, #ptir.dims<N>> -> tensor<?xf32, #ptir.dims<M>>
  func.return
}

// -----

func.func @f(%x: tensor<1x8x6x3xf32>) {
  // expected-error@+1 {{the input has rank 4, expected 3: batch, one for each axis of the window, channels}}
  %0 = ptir.extract_patches %x window [2] : tensor<1x8x6x3xf32> -> tensor<1x7x6x6xf32>
  func.return
}

// -----

func.func @f(%x: tensor<1x8x3xf32>) {
  // expected-error@+1 {{'pad_value' is of type f16}}
  %0 = ptir.extract_patches %x window [2] pad_value 1.0 : f16 : tensor<1x8x3xf32> -> tensor<1x7x6xf32>
  func.return
}

// -----

func.func @f(%x: tensor<1x8x3xf32>) {
  // expected-error@+1 {{the result has element type f16, expected f32}}
  %0 = ptir.extract_patches %x window [2] : tensor<1x8x3xf32> -> tensor<1x7x6xf16>
  func.return
}

// -----

func.func @f(%x: tensor<1x8x3xf32>) {
  // expected-error@+1 {{the result has shape [1, 7, 3], expected [1, 7, 6]}}
  %0 = ptir.extract_patches %x window [2] : tensor<1x8x3xf32> -> tensor<1x7x3xf32>
  func.return
}

// -----

func.func @f(%x: tensor<1x2x3xf32>) {
  // expected-error@+1 {{the result has shape [1, 1, 9], expected [1, 0, 9]}}
  %0 = ptir.extract_patches %x window [3] : tensor<1x2x3xf32> -> tensor<1x1x9xf32>
  func.return
}

// -----

func.func @f(%x: tensor<1x8x4xf32>, %w: tensor<3x4x5xf32>) {
  // expected-error@+1 {{'ptir.convolution' is an extension of PTIR v0.4}}
  %0 = ptir.convolution %x, %w : (tensor<1x8x4xf32>, tensor<3x4x5xf32>) -> tensor<1x6x5xf32>
  func.return
}

// -----

builtin.module attributes {ptir.extensions} {
func.func @f(%x: tensor<1x8x4xbf16>, %w: tensor<3x4x5xbf16>) {
  // expected-error@+1 {{'precision' rounds f32 operands that are summed in f32, got bf16 and f32}}
  %0 = ptir.convolution %x, %w accum f32 precision tf32 : (tensor<1x8x4xbf16>, tensor<3x4x5xbf16>) -> tensor<1x6x5xbf16>
  func.return
}
}

// -----

builtin.module attributes {ptir.extensions} {
func.func @f(%x: tensor<1x8x4xf32>, %w: tensor<3x3x4x5xf32>) {
  // expected-error@+1 {{the filter has rank 4, expected 3, as the input}}
  %0 = ptir.convolution %x, %w : (tensor<1x8x4xf32>, tensor<3x3x4x5xf32>) -> tensor<1x6x5xf32>
  func.return
}
}

// -----

builtin.module attributes {ptir.extensions} {
func.func @f(%x: tensor<4xf32>, %w: tensor<4xf32>) {
  // expected-error@+1 {{the filter has rank 1, expected 2, as the input}}
  %0 = ptir.convolution %x, %w : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  func.return
}
}

// -----

builtin.module attributes {ptir.extensions} {
func.func @f(%x: tensor<1x8x4xf32>, %w: tensor<?x4x5xf32>) {
  // expected-error@+1 {{the filter is tensor<?x4x5xf32>; the sizes of its window must be static}}
  %0 = ptir.convolution %x, %w : (tensor<1x8x4xf32>, tensor<?x4x5xf32>) -> tensor<1x6x5xf32>
  func.return
}
}

// -----

builtin.module attributes {ptir.extensions} {
func.func @f(%x: tensor<1x8x4xf32>, %w: tensor<3x4x5xf16>) {
  // expected-error@+1 {{the filter has element type f16, expected f32}}
  %0 = ptir.convolution %x, %w : (tensor<1x8x4xf32>, tensor<3x4x5xf16>) -> tensor<1x6x5xf32>
  func.return
}
}

// -----

builtin.module attributes {ptir.extensions} {
func.func @f(%x: tensor<1x8x4xui8>, %w: tensor<3x4x5xsi8>) {
  // expected-error@+1 {{'out' has no default for ui8 x si8}}
  %0 = ptir.convolution %x, %w accum i32 : (tensor<1x8x4xui8>, tensor<3x4x5xsi8>) -> tensor<1x6x5xui8>
  func.return
}
}

// -----

builtin.module attributes {ptir.extensions} {
func.func @f(%x: tensor<1x8x4xui8>, %w: tensor<3x4x5xsi8>) {
  // expected-error@+1 {{'accum' has no default for ui8 x si8}}
  %0 = ptir.convolution %x, %w out i32 : (tensor<1x8x4xui8>, tensor<3x4x5xsi8>) -> tensor<1x6x5xi32>
  func.return
}
}

// -----

builtin.module attributes {ptir.extensions} {
func.func @f(%x: tensor<1x8x4xi1>, %w: tensor<3x4x5xi1>) {
  // expected-error@+1 {{the element type is i1; ptir.convolution is defined on numbers}}
  %0 = ptir.convolution %x, %w : (tensor<1x8x4xi1>, tensor<3x4x5xi1>) -> tensor<1x6x5xi1>
  func.return
}
}

// -----

builtin.module attributes {ptir.extensions} {
func.func @f(%x: tensor<1x8x4xf32>, %w: tensor<3x4x5xf32>) {
  // expected-error@+1 {{accum is i32; it must be of the same kind as f32}}
  %0 = ptir.convolution %x, %w accum i32 : (tensor<1x8x4xf32>, tensor<3x4x5xf32>) -> tensor<1x6x5xf32>
  func.return
}
}

// -----

builtin.module attributes {ptir.extensions} {
func.func @f(%x: tensor<1x8x4xf32>, %w: tensor<3x4x5xf32>) {
  // expected-error@+1 {{the cast to out is f32 to complex<f32>; complex numbers are cast to complex numbers only}}
  %0 = ptir.convolution %x, %w out complex<f32> : (tensor<1x8x4xf32>, tensor<3x4x5xf32>) -> tensor<1x6x5xcomplex<f32>>
  func.return
}
}

// -----

builtin.module attributes {ptir.extensions} {
func.func @f(%x: tensor<1x8x4xf32>, %w: tensor<3x3x5xf32>) {
  // expected-error@+1 {{the filter has shape [3, 3, 5], expected [3, 4, 5]}}
  %0 = ptir.convolution %x, %w : (tensor<1x8x4xf32>, tensor<3x3x5xf32>) -> tensor<1x6x5xf32>
  func.return
}
}

// -----

builtin.module attributes {ptir.extensions} {
func.func @f(%x: tensor<1x8x4xf32>, %w: tensor<3x4x6xf32>) {
  // expected-error@+1 {{the filter has shape [3, 4, 6], expected [3, 2, 6]}}
  %0 = ptir.convolution %x, %w groups 2 : (tensor<1x8x4xf32>, tensor<3x4x6xf32>) -> tensor<1x6x6xf32>
  func.return
}
}

// -----

builtin.module attributes {ptir.extensions} {
func.func @f(%x: tensor<1x8x4xf32>, %w: tensor<3x1x6xf32>) {
  // expected-error@+1 {{'groups' is 3, which does not divide 4 channels}}
  %0 = ptir.convolution %x, %w groups 3 : (tensor<1x8x4xf32>, tensor<3x1x6xf32>) -> tensor<1x6x6xf32>
  func.return
}
}

// -----

builtin.module attributes {ptir.extensions} {
func.func @f(%x: tensor<1x8x4xf32>, %w: tensor<3x2x5xf32>) {
  // expected-error@+1 {{'groups' is 2, which does not divide 5 features}}
  %0 = ptir.convolution %x, %w groups 2 : (tensor<1x8x4xf32>, tensor<3x2x5xf32>) -> tensor<1x6x5xf32>
  func.return
}
}

// -----

builtin.module attributes {ptir.extensions} {
func.func @f(%x: tensor<1x8x4xf32>, %w: tensor<3x4x5xf32>) {
  // expected-error@+1 {{'groups' is 0, which does not divide 4 channels}}
  %0 = ptir.convolution %x, %w groups 0 : (tensor<1x8x4xf32>, tensor<3x4x5xf32>) -> tensor<1x6x5xf32>
  func.return
}
}

// -----

builtin.module attributes {ptir.extensions} {
func.func @f(%x: tensor<1x8x4xf32>, %w: tensor<3x4x5xf32>) {
  // expected-error@+1 {{the result has shape [1, 6, 4], expected [1, 6, 5]}}
  %0 = ptir.convolution %x, %w : (tensor<1x8x4xf32>, tensor<3x4x5xf32>) -> tensor<1x6x4xf32>
  func.return
}
}

// -----

builtin.module attributes {ptir.extensions} {
func.func @f(%x: tensor<1x8x4xf32>, %w: tensor<3x4x5xf32>) {
  // expected-error@+1 {{the result has element type f32, expected f16}}
  %0 = ptir.convolution %x, %w out f16 : (tensor<1x8x4xf32>, tensor<3x4x5xf32>) -> tensor<1x6x5xf32>
  func.return
}
}

// -----

builtin.module attributes {ptir.extensions} {
func.func @f(%x: tensor<1x8x4xf32>, %w: tensor<9x4x5xf32>) {
  // expected-error@+1 {{the result has shape [1, 1, 5], expected [1, 0, 5]}}
  %0 = ptir.convolution %x, %w : (tensor<1x8x4xf32>, tensor<9x4x5xf32>) -> tensor<1x1x5xf32>
  func.return
}
}
