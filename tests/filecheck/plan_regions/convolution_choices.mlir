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
