// RUN: ptir-opt %s | filecheck %s
// RUN: ptir-opt %s --print-op-generic | ptir-opt | filecheck %s
// RUN: ptir-opt %s --print-op-generic | filecheck %s --check-prefix GENERIC

builtin.module attributes {ptir.extensions} {
// CHECK-LABEL: @reduce_window
func.func @reduce_window(%x: tensor<8x6xf32>, %i: tensor<5xui8>, %n: tensor<?x6xbf16, #ptir.dims<B, _>>) {
  // CHECK: ptir.reduce_window max %x window [2, 2] : tensor<8x6xf32> -> tensor<7x5xf32>
  // GENERIC: "ptir.reduce_window"(%x) <{kind = "max", window = array<i64: 2, 2>}>
  %0 = ptir.reduce_window max %x window [2, 2] : tensor<8x6xf32> -> tensor<7x5xf32>
  // CHECK: ptir.reduce_window sum %x window [3, 2] strides [2, 1] padding [(1, 1), (0, -1)] base_dilation [2, 1] dilation [1, 3] accum f64 out f16 {hint} : tensor<8x6xf32> -> tensor<8x2xf16>
  // GENERIC: padding = array<i64: 1, 1, 0, -1>
  %1 = ptir.reduce_window sum %x window [3, 2] strides [2, 1] padding [(1, 1), (0, -1)] base_dilation [2, 1] dilation [1, 3] accum f64 out f16 {hint} : tensor<8x6xf32> -> tensor<8x2xf16>
  // CHECK: ptir.reduce_window min %i window [5] : tensor<5xui8> -> tensor<1xui8>
  %2 = ptir.reduce_window min %i window [5] : tensor<5xui8> -> tensor<1xui8>
  // A window of 1 keeps a name, as does one that is padded to keep the size.
  // CHECK: ptir.reduce_window sum %n window [1, 3] padding [(0, 0), (1, 1)] : tensor<?x6xbf16, #ptir.dims<B, _>> -> tensor<?x6xbf16, #ptir.dims<B, _>>
  %3 = ptir.reduce_window sum %n window [1, 3] padding [(0, 0), (1, 1)] : tensor<?x6xbf16, #ptir.dims<B, _>> -> tensor<?x6xbf16, #ptir.dims<B, _>>
  // What a size that is not known becomes, nobody knows: any number may stand.
  // CHECK: -> tensor<7x6xbf16>
  %4 = ptir.reduce_window sum %n window [2, 1] : tensor<?x6xbf16, #ptir.dims<B, _>> -> tensor<7x6xbf16>
  // CHECK: -> tensor<?x6xbf16, #ptir.dims<M, _>>
  %5 = ptir.reduce_window sum %n window [2, 1] : tensor<?x6xbf16, #ptir.dims<B, _>> -> tensor<?x6xbf16, #ptir.dims<M, _>>
  func.return
}

// CHECK-LABEL: @extract_patches
func.func @extract_patches(%x: tensor<2x8x6x3xf32>, %s: tensor<2x8x3xi1>, %n: tensor<?x4x?xsi4, #ptir.dims<B, _, C>>, %p: tensor<4x3xf32>) {
  // CHECK: ptir.extract_patches %x window [3, 2] : tensor<2x8x6x3xf32> -> tensor<2x6x5x18xf32>
  %0 = ptir.extract_patches %x window [3, 2] : tensor<2x8x6x3xf32> -> tensor<2x6x5x18xf32>
  // CHECK: ptir.extract_patches %s window [3] strides [2] padding [(2, 1)] dilation [2] pad_value true : i1 : tensor<2x8x3xi1> -> tensor<2x4x9xi1>
  %1 = ptir.extract_patches %s window [3] strides [2] padding [(2, 1)] dilation [2] pad_value true : i1 : tensor<2x8x3xi1> -> tensor<2x4x9xi1>
  // CHECK: ptir.extract_patches %n window [1] : tensor<?x4x?xsi4, #ptir.dims<B, _, C>> -> tensor<?x4x?xsi4, #ptir.dims<B, _, C>>
  %2 = ptir.extract_patches %n window [1] : tensor<?x4x?xsi4, #ptir.dims<B, _, C>> -> tensor<?x4x?xsi4, #ptir.dims<B, _, C>>
  // CHECK: ptir.extract_patches %p window [] : tensor<4x3xf32> -> tensor<4x3xf32>
  %3 = ptir.extract_patches %p window [] : tensor<4x3xf32> -> tensor<4x3xf32>
  func.return
}

// CHECK-LABEL: @convolution
func.func @convolution(%x: tensor<2x8x6x4xbf16>, %w: tensor<3x2x4x5xbf16>, %g: tensor<3x2x2x6xbf16>, %a: tensor<1x4x2xui8>, %b: tensor<2x2x3xsi8>, %c: tensor<1x4x2xf32>, %d: tensor<2x2x3xf32>) {
  // CHECK: ptir.convolution %x, %w : (tensor<2x8x6x4xbf16>, tensor<3x2x4x5xbf16>) -> tensor<2x6x5x5xbf16>
  %0 = ptir.convolution %x, %w : (tensor<2x8x6x4xbf16>, tensor<3x2x4x5xbf16>) -> tensor<2x6x5x5xbf16>
  // CHECK: ptir.convolution %x, %g strides [2, 1] padding [(1, 1), (0, 1)] dilation [1, 2] groups 2 accum f32 out f32 : (tensor<2x8x6x4xbf16>, tensor<3x2x2x6xbf16>) -> tensor<2x4x5x6xf32>
  %1 = ptir.convolution %x, %g strides [2, 1] padding [(1, 1), (0, 1)] dilation [1, 2] groups 2 accum f32 out f32 : (tensor<2x8x6x4xbf16>, tensor<3x2x2x6xbf16>) -> tensor<2x4x5x6xf32>
  // CHECK: ptir.convolution %a, %b accum i32 out i32 : (tensor<1x4x2xui8>, tensor<2x2x3xsi8>) -> tensor<1x3x3xi32>
  %2 = ptir.convolution %a, %b accum i32 out i32 : (tensor<1x4x2xui8>, tensor<2x2x3xsi8>) -> tensor<1x3x3xi32>
  // CHECK: ptir.convolution %c, %d precision tf32 : (tensor<1x4x2xf32>, tensor<2x2x3xf32>) -> tensor<1x3x3xf32>
  %3 = ptir.convolution %c, %d precision tf32 : (tensor<1x4x2xf32>, tensor<2x2x3xf32>) -> tensor<1x3x3xf32>
  func.return
}
}
