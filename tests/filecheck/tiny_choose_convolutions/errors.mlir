// RUN: ptir-opt %s -p 'ptir-to-tiny,tiny-choose-convolutions' --split-input-file --verify-diagnostics

builtin.module attributes {ptir.extensions} {
func.func @stride(%x: tensor<2x9x9x32xbf16>, %w: tensor<3x3x32x64xbf16>) -> tensor<2x4x4x64xf32> {
  // expected-error@+1 {{winograd_3x3 is asked for, but its window is 3x3 at strides 2x2, not 3 taps along one or two axes}}
  %0 = ptir.convolution %x, %w strides [2, 2] accum f32 out f32 {plan.algo_choice = {conv = "winograd_3x3", tolerance = 0.2}} : (tensor<2x9x9x32xbf16>, tensor<3x3x32x64xbf16>) -> tensor<2x4x4x64xf32>
  func.return %0 : tensor<2x4x4x64xf32>
}
}

// -----

builtin.module attributes {ptir.extensions} {
func.func @stride_and_dilation(%x: tensor<2x9x9x32xbf16>, %w: tensor<3x3x32x64xbf16>) -> tensor<2x3x3x64xf32> {
  // expected-error@+1 {{fft_conv is asked for, but a window has both a stride and a dilation}}
  %0 = ptir.convolution %x, %w strides [2, 2] dilation [2, 2] accum f32 out f32 {plan.algo_choice = {conv = "fft_conv", tolerance = 0.2}} : (tensor<2x9x9x32xbf16>, tensor<3x3x32x64xbf16>) -> tensor<2x3x3x64xf32>
  func.return %0 : tensor<2x3x3x64xf32>
}
}

// -----

builtin.module attributes {ptir.extensions} {
func.func @window(%x: tensor<2x9x9x32xbf16>, %w: tensor<5x5x32x64xbf16>) -> tensor<2x5x5x64xf32> {
  // expected-error@+1 {{winograd_3x3 is asked for, but its window is 5x5, not 3 taps along one or two axes}}
  %0 = ptir.convolution %x, %w accum f32 out f32 {plan.algo_choice = {conv = "winograd_3x3", tolerance = 0.2}} : (tensor<2x9x9x32xbf16>, tensor<5x5x32x64xbf16>) -> tensor<2x5x5x64xf32>
  func.return %0 : tensor<2x5x5x64xf32>
}
}

// -----

builtin.module attributes {ptir.extensions} {
func.func @longest(%x: tensor<1x40x40x32xbf16>, %w: tensor<33x33x32x64xbf16>) -> tensor<1x8x8x64xf32> {
  // expected-error@+1 {{fft_conv is asked for, but its window of 33 is longer than half of the longest DFT}}
  %0 = ptir.convolution %x, %w accum f32 out f32 {plan.algo_choice = {conv = "fft_conv", tolerance = 0.2}} : (tensor<1x40x40x32xbf16>, tensor<33x33x32x64xbf16>) -> tensor<1x8x8x64xf32>
  func.return %0 : tensor<1x8x8x64xf32>
}
}

// -----

builtin.module attributes {ptir.extensions} {
func.func @integers(%x: tensor<2x9x9x32xsi8>, %w: tensor<3x3x32x64xsi8>) -> tensor<2x7x7x64xsi32> {
  // expected-error@+1 {{winograd_3x3 is asked for, but transforms of si8 and si8 would be inexact or out of range}}
  %0 = ptir.convolution %x, %w accum si32 out si32 {plan.algo_choice = {conv = "winograd_3x3"}} : (tensor<2x9x9x32xsi8>, tensor<3x3x32x64xsi8>) -> tensor<2x7x7x64xsi32>
  func.return %0 : tensor<2x7x7x64xsi32>
}
}

// -----

builtin.module attributes {ptir.extensions} {
func.func @error_above_the_program(%x: tensor<2x9x9x32xbf16>, %w: tensor<3x3x32x64xbf16>) -> tensor<2x7x7x64xf32> {
  // expected-error@+1 {{winograd_3x3 is asked for, but its error is at most 0.15, but the program's own bound is}}
  %0 = ptir.convolution %x, %w accum f32 out f32 {plan.algo_choice = {conv = "winograd_3x3"}} : (tensor<2x9x9x32xbf16>, tensor<3x3x32x64xbf16>) -> tensor<2x7x7x64xf32>
  func.return %0 : tensor<2x7x7x64xf32>
}
}

// -----

builtin.module attributes {ptir.extensions} {
func.func @error_above_the_tolerance(%x: tensor<2x9x9x32xbf16>, %w: tensor<3x3x32x64xbf16>) -> tensor<2x7x7x64xf32> {
  // expected-error@+1 {{winograd_3x3 is asked for, but its error is at most 0.15, but its tolerance is 0.1}}
  %0 = ptir.convolution %x, %w accum f32 out f32 {plan.algo_choice = {conv = "winograd_3x3", tolerance = 0.1}} : (tensor<2x9x9x32xbf16>, tensor<3x3x32x64xbf16>) -> tensor<2x7x7x64xf32>
  func.return %0 : tensor<2x7x7x64xf32>
}
}

// -----

func.func @rounded_to_tf32(%x: tensor<2x9x9x32xf32>, %w: tensor<288x64xf32>) -> tensor<2x7x7x64xf32> {
  %p = ptir.extract_patches %x window [3, 3] : tensor<2x9x9x32xf32> -> tensor<2x7x7x288xf32>
  // expected-error@+1 {{winograd_3x3 is asked for, but its error is at most 0.019}}
  %0 = ptir.dot_general %p, %w contract [3] x [0] accum f32 out f32 precision tf32 {plan.algo_choice = {conv = "winograd_3x3"}} : (tensor<2x7x7x288xf32>, tensor<288x64xf32>) -> tensor<2x7x7x64xf32>
  func.return %0 : tensor<2x7x7x64xf32>
}

// -----

func.func @product(%x: tensor<64x64xbf16>, %w: tensor<64x64xbf16>) -> tensor<64x64xf32> {
  // expected-error@+1 {{fft_conv is asked for, but it is no convolution}}
  %0 = ptir.dot_general %x, %w contract [1] x [0] accum f32 out f32 {plan.algo_choice = {conv = "fft_conv"}} : (tensor<64x64xbf16>, tensor<64x64xbf16>) -> tensor<64x64xf32>
  func.return %0 : tensor<64x64xf32>
}

// -----

builtin.module attributes {ptir.extensions} {
func.func @fused_transforms_of_a_dft(%x: tensor<1x10x10x8xf16>, %w: tensor<7x7x8x16xf16>) -> tensor<1x4x4x16xf32> {
  // expected-error@+1 {{fft_conv is asked for, but its transforms are products with matrices, which have kernels of their own}}
  %0 = ptir.convolution %x, %w accum f32 out f32 {plan.algo_choice = {conv = "fft_conv", tolerance = 2.0, fused = true}} : (tensor<1x10x10x8xf16>, tensor<7x7x8x16xf16>) -> tensor<1x4x4x16xf32>
  func.return %0 : tensor<1x4x4x16xf32>
}
}

// -----

builtin.module attributes {ptir.extensions} {
func.func @fused_depthwise(%x: tensor<1x8x8x16xf16>, %w: tensor<3x3x1x16xf16>) -> tensor<1x6x6x16xf32> {
  // expected-error@+1 {{winograd_3x3 is asked for, but it sums one channel for each filter, so that there are no products of matrices}}
  %0 = ptir.convolution %x, %w groups 16 accum f32 out f32 {plan.algo_choice = {conv = "winograd_3x3", tolerance = 2.0, fused = true}} : (tensor<1x8x8x16xf16>, tensor<3x3x1x16xf16>) -> tensor<1x6x6x16xf32>
  func.return %0 : tensor<1x6x6x16xf32>
}
}

// -----

builtin.module attributes {ptir.extensions} {
func.func @fused_is_true_or_false(%x: tensor<2x9x9x32xbf16>, %w: tensor<3x3x32x64xbf16>) -> tensor<2x7x7x64xf32> {
  // expected-error@+1 {{'plan.algo_choice' is {conv = "winograd_3x3", fused = 2 : i64}}}
  %0 = ptir.convolution %x, %w accum f32 out f32 {plan.algo_choice = {conv = "winograd_3x3", fused = 2 : i64}} : (tensor<2x9x9x32xbf16>, tensor<3x3x32x64xbf16>) -> tensor<2x7x7x64xf32>
  func.return %0 : tensor<2x7x7x64xf32>
}
}
