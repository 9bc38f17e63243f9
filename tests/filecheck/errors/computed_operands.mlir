// RUN: not ptir-opt %s -p 'ptir-to-tiny,tiny-choose-convolutions,form-regions{arch=sm80}' 2>&1 >/dev/null | filecheck %s --match-full-lines

// CHECK: {{.*}}error[PTIR0257]: the kernel of this product is asked to compute its left factors, but no kernel multiplies matrices here, of which one is computed
builtin.module attributes {ptir.extensions} {
func.func @one_filter(%x: tensor<2x16x32xbf16>, %w: tensor<3x32x1xbf16>) -> tensor<2x16x1xf32> {
  %0 = ptir.convolution %x, %w padding [(1, 1)] accum f32 out f32 {plan.algo_choice = {conv = "winograd_3x3", tolerance = 0.2, fused = true}} : (tensor<2x16x32xbf16>, tensor<3x32x1xbf16>) -> tensor<2x16x1xf32>
  func.return %0 : tensor<2x16x1xf32>
}
}
