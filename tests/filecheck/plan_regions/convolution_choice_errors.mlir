// RUN: ptir-opt %s -p 'ptir-to-tiny,form-regions,plan-regions{arch=sm80}' --split-input-file --verify-diagnostics

builtin.module attributes {ptir.extensions} {
func.func @depthwise(%x: tensor<8x14x14x96xbf16>, %w: tensor<3x3x1x96xbf16>) -> tensor<8x12x12x96xf32> {
  // expected-error@+1 {{implicit_gemm is asked for, but it multiplies matrices by short vectors}}
  %0 = ptir.convolution %x, %w groups 96 accum f32 out f32 {plan.algo_choice = {conv = "implicit_gemm"}} : (tensor<8x14x14x96xbf16>, tensor<3x3x1x96xbf16>) -> tensor<8x12x12x96xf32>
  func.return %0 : tensor<8x12x12x96xf32>
}
}

// -----

builtin.module attributes {ptir.extensions} {
func.func @no_instruction(%x: tensor<8x14x14x96xsi32>, %w: tensor<3x3x96x64xsi32>) -> tensor<8x12x12x64xsi32> {
  // expected-error@+1 {{implicit_gemm is asked for, but no instruction multiplies its element types}}
  %0 = ptir.convolution %x, %w accum si32 out si32 {plan.algo_choice = {conv = "implicit_gemm"}} : (tensor<8x14x14x96xsi32>, tensor<3x3x96x64xsi32>) -> tensor<8x12x12x64xsi32>
  func.return %0 : tensor<8x12x12x64xsi32>
}
}

// -----

builtin.module attributes {ptir.extensions} {
func.func @several_kernels(%x: tensor<8x14x14x96xbf16>, %w: tensor<3x3x96x64xbf16>) -> tensor<8x12x12x64xf32> {
  // expected-error@+1 {{winograd_3x3 is asked for, which no kernel computes alone}}
  %0 = ptir.convolution %x, %w accum f32 out f32 {plan.algo_choice = {conv = "winograd_3x3"}} : (tensor<8x14x14x96xbf16>, tensor<3x3x96x64xbf16>) -> tensor<8x12x12x64xf32>
  func.return %0 : tensor<8x12x12x64xf32>
}
}

// -----

builtin.module attributes {ptir.extensions} {
func.func @unknown(%x: tensor<8x14x14x96xbf16>, %w: tensor<3x3x96x64xbf16>) -> tensor<8x12x12x64xf32> {
  // expected-error@+1 {{'plan.algo_choice' is {conv = "fast"}}}
  %0 = ptir.convolution %x, %w accum f32 out f32 {plan.algo_choice = {conv = "fast"}} : (tensor<8x14x14x96xbf16>, tensor<3x3x96x64xbf16>) -> tensor<8x12x12x64xf32>
  func.return %0 : tensor<8x12x12x64xf32>
}
}

// -----

builtin.module attributes {ptir.extensions} {
func.func @fused_without_transforms(%x: tensor<8x14x14x96xbf16>, %w: tensor<3x3x96x64xbf16>) -> tensor<8x12x12x64xf32> {
  // expected-error@+1 {{'plan.algo_choice' has fused, which has no effect on implicit_gemm, which transforms no image}}
  %0 = ptir.convolution %x, %w accum f32 out f32 {plan.algo_choice = {conv = "implicit_gemm", fused = true}} : (tensor<8x14x14x96xbf16>, tensor<3x3x96x64xbf16>) -> tensor<8x12x12x64xf32>
  func.return %0 : tensor<8x12x12x64xf32>
}
}
