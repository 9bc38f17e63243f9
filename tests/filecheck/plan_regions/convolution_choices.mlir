// RUN: ptir-opt %s -p 'ptir-to-tiny,form-regions,plan-regions{arch=sm80}' --split-input-file | filecheck %s
// RUN: ptir-opt %s -p 'ptir-to-tiny,form-regions,plan-regions{arch=sm90}' --split-input-file | filecheck %s

// The program asks for an algorithm; the sum keeps the request, and the plan follows it.

// CHECK: region.kernel @asked_0
// CHECK-SAME: algo_choice = {conv = "direct"}
// CHECK: tiny.reduce sum %{{.*}} axes [3, 4, 5] accum f32 {plan.algo_choice = {conv = "direct"}}

builtin.module attributes {ptir.extensions} {
func.func @asked(%x: tensor<8x14x14x96xbf16>, %w: tensor<3x3x96x64xbf16>) -> tensor<8x12x12x64xf32> {
  %0 = ptir.convolution %x, %w accum f32 out f32 {plan.algo_choice = {conv = "direct"}} : (tensor<8x14x14x96xbf16>, tensor<3x3x96x64xbf16>) -> tensor<8x12x12x64xf32>
  func.return %0 : tensor<8x12x12x64xf32>
}
}

// -----

// CHECK: region.kernel @implicit_0
// CHECK-SAME: conv = "implicit_gemm"

func.func @implicit(%x: tensor<8x14x14x96xbf16>, %w: tensor<864x64xbf16>) -> tensor<8x12x12x64xf32> {
  %p = ptir.extract_patches %x window [3, 3] : tensor<8x14x14x96xbf16> -> tensor<8x12x12x864xbf16>
  %0 = ptir.dot_general %p, %w contract [3] x [0] accum f32 out f32 {plan.algo_choice = {conv = "implicit_gemm"}} : (tensor<8x12x12x864xbf16>, tensor<864x64xbf16>) -> tensor<8x12x12x64xf32>
  func.return %0 : tensor<8x12x12x64xf32>
}

// -----

// Elements that are dilated read where 3 divides 2*p + 2*r - 1.

// CHECK: region.kernel @transposed_0
// CHECK-SAME: algo_choice = {conv = "direct"}

builtin.module attributes {ptir.extensions} {
func.func @transposed(%x: tensor<2x4x1xbf16>, %w: tensor<3x1x72xbf16>) -> tensor<2x4x72xf32> {
  %0 = ptir.pad %x with 0.0 : bf16 low [0, 0, 0] high [0, 0, 0] interior [0, 2, 0] : tensor<2x4x1xbf16> -> tensor<2x10x1xbf16>
  %1 = ptir.convolution %0, %w strides [2] padding [(1, 0)] dilation [2] accum f32 out f32 {plan.algo_choice = {conv = "direct"}} : (tensor<2x10x1xbf16>, tensor<3x1x72xbf16>) -> tensor<2x4x72xf32>
  func.return %1 : tensor<2x4x72xf32>
}
}

// -----

// A product, and the window of an image of one row, which only its guard shows, are computed as asked.

// CHECK: region.kernel @product_0
// CHECK-SAME: algo_choice = {conv = "direct"}

func.func @product(%x: tensor<64x64xbf16>, %w: tensor<64x64xbf16>) -> tensor<64x64xf32> {
  %0 = ptir.dot_general %x, %w contract [1] x [0] accum f32 out f32 {plan.algo_choice = {conv = "direct"}} : (tensor<64x64xbf16>, tensor<64x64xbf16>) -> tensor<64x64xf32>
  func.return %0 : tensor<64x64xf32>
}

// -----

// CHECK: region.kernel @one_row_0
// CHECK-SAME: algo_choice = {conv = "direct"}

builtin.module attributes {ptir.extensions} {
func.func @one_row(%x: tensor<1x1x8x4xbf16>, %w: tensor<3x1x4x2xbf16>) -> tensor<1x3x8x2xf32> {
  %0 = ptir.convolution %x, %w padding [(2, 2), (0, 0)] accum f32 out f32 {plan.algo_choice = {conv = "direct"}} : (tensor<1x1x8x4xbf16>, tensor<3x1x4x2xbf16>) -> tensor<1x3x8x2xf32>
  func.return %0 : tensor<1x3x8x2xf32>
}
}
