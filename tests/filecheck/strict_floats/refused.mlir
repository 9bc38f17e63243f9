// Rewrites on request that change roundings are refused.
// RUN: not ptir-opt %s -p 'ptir-to-tiny,tiny-fast-math' 2>&1 | filecheck %s --check-prefix=FAST
// RUN: not ptir-opt %s -p 'ptir-canonicalize{fast=true}' 2>&1 | filecheck %s --check-prefix=RULES
// RUN: not ptir-opt %s -p 'ptir-canonicalize{rules=fast-div-constant}' 2>&1 | filecheck %s --check-prefix=RULE
// RUN: not ptir-opt %s -p 'ptir-to-tiny,tiny-choose-convolutions{conv=fft_conv}' 2>&1 | filecheck %s --check-prefix=FFT
// RUN: not ptir-opt %s -p 'ptir-to-tiny,tiny-choose-convolutions{conv=winograd_3x3}' 2>&1 | filecheck %s --check-prefix=WINOGRAD

// FAST: error[PTIR0221]: tiny-fast-math changes roundings, but the program's floats are strict
// RULES: error[PTIR0221]: ptir-canonicalize{fast} changes roundings
// RULE: error[PTIR0221]: the rule fast-div-constant changes roundings
// FFT: refused.mlir:17:8: error[PTIR0221]: fft_conv changes roundings
// WINOGRAD: refused.mlir:17:8: error[PTIR0221]: winograd_3x3 changes roundings
// WINOGRAD: help: ask for implicit_gemm, direct, or no algorithm

builtin.module attributes {ptir.extensions, ptir.strict_floats} {
func.func @f(%x: tensor<2x9x9x32xf32>, %w: tensor<3x3x32x64xf32>) -> tensor<2x7x7x64xf32> {
  %0 = ptir.convolution %x, %w accum f32 out f32 : (tensor<2x9x9x32xf32>, tensor<3x3x32x64xf32>) -> tensor<2x7x7x64xf32>
  func.return %0 : tensor<2x7x7x64xf32>
}
}
