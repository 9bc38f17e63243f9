// RUN: ptir-opt %s -p 'ptir-to-tiny,tiny-choose-convolutions{conv=direct}' | filecheck %s
// RUN: not ptir-opt %s -p 'tiny-choose-convolutions{conv=fast}' 2>&1 | filecheck %s --check-prefix UNKNOWN
// RUN: not ptir-opt %s -p 'tiny-choose-convolutions{conv=direct fused}' 2>&1 | filecheck %s --check-prefix IGNORED
// RUN: not ptir-opt %s -p 'tiny-choose-convolutions{tolerance=0.2}' 2>&1 | filecheck %s --check-prefix ALONE

// The option asks for convolutions that do not ask themselves, and for no other sums.

// CHECK: tiny.reduce sum %{{.*}} {plan.algo_choice = {conv = "direct"}} : tensor<2x8x8x3x3x32x64xf32>
// CHECK: tiny.reduce sum %{{.*}} {plan.algo_choice = {conv = "implicit_gemm"}} : tensor<2x6x6x3x3x32x64xf32>
// CHECK: tiny.reduce sum %{{.*}} axes [1] accum f32 :
// UNKNOWN: error[PTIR0604]: option 'conv' of 'tiny-choose-convolutions' is 'fast'
// IGNORED: error[PTIR0604]: option 'fused' of 'tiny-choose-convolutions' has no effect on direct, which transforms no image
// ALONE: error[PTIR0604]: option 'tolerance' of 'tiny-choose-convolutions' is given without conv

builtin.module attributes {ptir.extensions} {
func.func @f(%x: tensor<2x8x8x32xbf16>, %w: tensor<3x3x32x64xbf16>, %a: tensor<4x8xf32>, %b: tensor<8x4xf32>) -> (tensor<2x8x8x64xf32>, tensor<2x6x6x64xf32>, tensor<4x4xf32>) {
  %0 = ptir.convolution %x, %w padding [(1, 1), (1, 1)] accum f32 out f32 : (tensor<2x8x8x32xbf16>, tensor<3x3x32x64xbf16>) -> tensor<2x8x8x64xf32>
  %1 = ptir.convolution %x, %w accum f32 out f32 {plan.algo_choice = {conv = "implicit_gemm"}} : (tensor<2x8x8x32xbf16>, tensor<3x3x32x64xbf16>) -> tensor<2x6x6x64xf32>
  %2 = ptir.dot_general %a, %b contract [1] x [0] accum f32 out f32 : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  func.return %0, %1, %2 : tensor<2x8x8x64xf32>, tensor<2x6x6x64xf32>, tensor<4x4xf32>
}
}
