// gelu(x w1 + b1) w2 + b2 + x: two products; bias, gelu, cast and residual are in them.
func.func @gelu_mlp(%x: tensor<32x64xbf16>, %w1: tensor<64x128xbf16>, %b1: tensor<128xf32>, %w2: tensor<128x64xbf16>, %b2: tensor<64xf32>) -> tensor<32x64xbf16> {
  %0 = ptir.dot_general %x, %w1 contract [1] x [0] accum f32 out f32 : (tensor<32x64xbf16>, tensor<64x128xbf16>) -> tensor<32x128xf32>
  %1 = ptir.broadcast_to %b1 : tensor<128xf32> -> tensor<32x128xf32>
  %2 = ptir.add %0, %1 : tensor<32x128xf32>
  %s = ptir.constant dense<0.70710678> : tensor<32x128xf32>
  %3 = ptir.mul %2, %s : tensor<32x128xf32>
  %4 = ptir.erf %3 : tensor<32x128xf32>
  %one = ptir.constant dense<1.0> : tensor<32x128xf32>
  %5 = ptir.add %4, %one : tensor<32x128xf32>
  %half = ptir.constant dense<0.5> : tensor<32x128xf32>
  %6 = ptir.mul %2, %half : tensor<32x128xf32>
  %7 = ptir.mul %6, %5 : tensor<32x128xf32>
  %8 = ptir.cast %7 : tensor<32x128xf32> -> tensor<32x128xbf16>
  %9 = ptir.dot_general %8, %w2 contract [1] x [0] accum f32 out f32 : (tensor<32x128xbf16>, tensor<128x64xbf16>) -> tensor<32x64xf32>
  %10 = ptir.broadcast_to %b2 : tensor<64xf32> -> tensor<32x64xf32>
  %11 = ptir.add %9, %10 : tensor<32x64xf32>
  %12 = ptir.cast %x : tensor<32x64xbf16> -> tensor<32x64xf32>
  %13 = ptir.add %11, %12 : tensor<32x64xf32>
  %y = ptir.cast %13 : tensor<32x64xf32> -> tensor<32x64xbf16>
  func.return %y : tensor<32x64xbf16>
}
