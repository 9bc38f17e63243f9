// RUN: not ptir-opt %s -p ptir-to-tiny,tiny-choose-convolutions 2>&1 >/dev/null | filecheck %s --match-full-lines

// CHECK: {{.*}}error[PTIR0220]: winograd_3x3 is asked for, but its window is 3x3 at strides 2x2, not 3 taps along one or two axes
builtin.module attributes {ptir.extensions} {
func.func @stride(%x: tensor<2x9x9x32xbf16>, %w: tensor<3x3x32x64xbf16>) -> tensor<2x4x4x64xf32> {
  %0 = ptir.convolution %x, %w strides [2, 2] accum f32 out f32 {plan.algo_choice = {conv = "winograd_3x3", tolerance = 0.2}} : (tensor<2x9x9x32xbf16>, tensor<3x3x32x64xbf16>) -> tensor<2x4x4x64xf32>
  func.return %0 : tensor<2x4x4x64xf32>
}
}
