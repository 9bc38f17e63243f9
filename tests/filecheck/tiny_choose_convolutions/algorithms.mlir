// RUN: ptir-opt %s -p 'ptir-to-tiny,tiny-choose-convolutions' --split-input-file | filecheck %s

// Winograd: 16 sums of each tile of 4x4, 16 products of matrices, 4 sums for each tile of 2x2.

// CHECK: func.func @winograd
// CHECK: tiny.movement view %{{.*}} offset 0 strides [320, 32, 3200, 640, 64, 1] : tensor<2x10x10x32xbf16> -> tensor<4x4x2x4x4x32xbf16>
// CHECK: tiny.unary cast %{{.*}} : tensor<16x2x4x4x32xf32> -> tensor<16x2x4x4x32xbf16>
// CHECK: tiny.reduce sum %{{.*}} axes [5] accum f32 : tensor<16x2x4x4x64x32xf32> -> tensor<16x2x4x4x64xf32>
// CHECK-NOT: plan.algo_choice
// CHECK: func.return

builtin.module attributes {ptir.extensions} {
func.func @winograd(%x: tensor<2x8x8x32xbf16>, %w: tensor<3x3x32x64xbf16>) -> tensor<2x8x8x64xf32> {
  %0 = ptir.convolution %x, %w padding [(1, 1), (1, 1)] accum f32 out f32 {plan.algo_choice = {conv = "winograd_3x3", tolerance = 0.2}} : (tensor<2x8x8x32xbf16>, tensor<3x3x32x64xbf16>) -> tensor<2x8x8x64xf32>
  func.return %0 : tensor<2x8x8x64xf32>
}
}

// -----

// Of algorithms that fit into one kernel, F(4, 3) along two axes is none. The kernel of the products computes the transformed image.

// CHECK: func.func @fused
// CHECK: tiny.reduce sum %{{.*}} axes [5] accum f32 {plan.computes_lhs} : tensor<16x2x4x4x64x32xf32> -> tensor<16x2x4x4x64xf32>
// CHECK-NOT: plan.algo_choice
// CHECK: func.return

builtin.module attributes {ptir.extensions} {
func.func @fused(%x: tensor<2x8x8x32xf16>, %w: tensor<3x3x32x64xf16>) -> tensor<2x8x8x64xf32> {
  %0 = ptir.convolution %x, %w padding [(1, 1), (1, 1)] accum f32 out f32 {plan.algo_choice = {conv = "winograd_3x3", tolerance = 0.2, fused = true}} : (tensor<2x8x8x32xf16>, tensor<3x3x32x64xf16>) -> tensor<2x8x8x64xf32>
  func.return %0 : tensor<2x8x8x64xf32>
}
}

// -----

// A larger tolerance allows F(4, 3). Points p and -p share two sums.

// CHECK: func.func @larger
// CHECK: tiny.binary add %[[EVEN:[0-9]+]], %[[ODD:[0-9]+]]
// CHECK-NEXT: tiny.binary sub %[[EVEN]], %[[ODD]]
// CHECK: tiny.reduce sum %{{.*}} axes [5] accum f32 : tensor<36x2x2x2x64x32xf32> -> tensor<36x2x2x2x64xf32>

builtin.module attributes {ptir.extensions} {
func.func @larger(%x: tensor<2x8x8x32xf16>, %w: tensor<3x3x32x64xf16>) -> tensor<2x8x8x64xf32> {
  %0 = ptir.convolution %x, %w padding [(1, 1), (1, 1)] accum f32 out f32 {plan.algo_choice = {conv = "winograd_3x3", tolerance = 0.2}} : (tensor<2x8x8x32xf16>, tensor<3x3x32x64xf16>) -> tensor<2x8x8x64xf32>
  func.return %0 : tensor<2x8x8x64xf32>
}
}

// -----

// A DFT of 16: 23 points along each axis, transformed by products with a constant matrix.

// CHECK: func.func @fourier
// CHECK: tiny.const dense<{{.*}}> : tensor<23x16xf16>
// CHECK: tiny.reduce sum %{{.*}} axes [5] accum f32 : tensor<529x1x1x1x16x8xf32> -> tensor<529x1x1x1x16xf32>

builtin.module attributes {ptir.extensions} {
func.func @fourier(%x: tensor<1x10x10x8xf16>, %w: tensor<7x7x8x16xf16>) -> tensor<1x10x10x16xf32> {
  %0 = ptir.convolution %x, %w padding [(3, 3), (3, 3)] accum f32 out f32 {plan.algo_choice = {conv = "fft_conv", tolerance = 2.0}} : (tensor<1x10x10x8xf16>, tensor<7x7x8x16xf16>) -> tensor<1x10x10x16xf32>
  func.return %0 : tensor<1x10x10x16xf32>
}
}

// -----

// A window of 5 at a stride of 2 has 3 taps of each of 2 phases, which are channels: their image has 3 axes after the tiles, and zeros are the last taps.

// CHECK: func.func @strided
// CHECK: tiny.movement view %{{.*}} offset 0 strides [16, 32, 8, 1] : tensor<1x36x8xf16> -> tensor<4x8x2x8xf16>
// CHECK: tiny.movement pad %{{.*}} low [0, 0, 0] high [1, 0, 0]
// CHECK: tiny.reduce sum %{{.*}} axes [4, 5] accum f32 : tensor<4x1x8x16x2x8xf32> -> tensor<4x1x8x16xf32>

builtin.module attributes {ptir.extensions} {
func.func @strided(%x: tensor<1x35x8xf16>, %w: tensor<5x8x16xf16>) -> tensor<1x16x16xf32> {
  %0 = ptir.convolution %x, %w strides [2] accum f32 out f32 {plan.algo_choice = {conv = "winograd_3x3", tolerance = 0.02}} : (tensor<1x35x8xf16>, tensor<5x8x16xf16>) -> tensor<1x16x16xf32>
  func.return %0 : tensor<1x16x16xf32>
}
}

// -----

// With a dilation of 2, the phases are those of the output, between which tiles alternate.

// CHECK: func.func @dilated
// CHECK: tiny.movement view %{{.*}} offset 0 strides [16, 32, 8, 1] : tensor<1x36x8xf16> -> tensor<4x8x2x8xf16>
// CHECK: tiny.movement reshape %{{.*}} : tensor<1x8x2x2x16xf32> -> tensor<1x32x16xf32>

builtin.module attributes {ptir.extensions} {
func.func @dilated(%x: tensor<1x36x8xf16>, %w: tensor<3x8x16xf16>) -> tensor<1x32x16xf32> {
  %0 = ptir.convolution %x, %w dilation [2] accum f32 out f32 {plan.algo_choice = {conv = "winograd_3x3", tolerance = 0.02}} : (tensor<1x36x8xf16>, tensor<3x8x16xf16>) -> tensor<1x32x16xf32>
  func.return %0 : tensor<1x32x16xf32>
}
}

// -----

// Without a request, nothing is rewritten; direct and implicit_gemm are plans.

// CHECK: func.func @kept
// CHECK: tiny.reduce sum %{{.*}} axes [3, 4, 5] accum f32 : tensor<2x8x8x3x3x32x64xf32>
// CHECK: tiny.reduce sum %{{.*}} axes [3, 4, 5] accum f32 {plan.algo_choice = {conv = "direct"}}

builtin.module attributes {ptir.extensions} {
func.func @kept(%x: tensor<2x8x8x32xbf16>, %w: tensor<3x3x32x64xbf16>) -> (tensor<2x8x8x64xf32>, tensor<2x6x6x64xf32>) {
  %0 = ptir.convolution %x, %w padding [(1, 1), (1, 1)] accum f32 out f32 : (tensor<2x8x8x32xbf16>, tensor<3x3x32x64xbf16>) -> tensor<2x8x8x64xf32>
  %1 = ptir.convolution %x, %w accum f32 out f32 {plan.algo_choice = {conv = "direct"}} : (tensor<2x8x8x32xbf16>, tensor<3x3x32x64xbf16>) -> tensor<2x6x6x64xf32>
  func.return %0, %1 : tensor<2x8x8x64xf32>, tensor<2x6x6x64xf32>
}
}
