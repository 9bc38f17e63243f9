// A convolution, its bias and a ReLU, and the maxima of windows of 2x2.
builtin.module attributes {ptir.extensions} {
func.func @pooled(%x: tensor<8x28x28x64xbf16>, %w: tensor<3x3x64x128xbf16>, %b: tensor<128xf32>) -> tensor<8x14x14x128xbf16> {
  %0 = ptir.convolution %x, %w padding [(1, 1), (1, 1)] accum f32 out f32 : (tensor<8x28x28x64xbf16>, tensor<3x3x64x128xbf16>) -> tensor<8x28x28x128xf32>
  %s = ptir.broadcast_to %b : tensor<128xf32> -> tensor<8x28x28x128xf32>
  %1 = ptir.add %0, %s : tensor<8x28x28x128xf32>
  %zero = ptir.constant dense<0.0> : tensor<8x28x28x128xf32>
  %2 = ptir.maximum %1, %zero : tensor<8x28x28x128xf32>
  %3 = ptir.reduce_window max %2 window [1, 2, 2, 1] strides [1, 2, 2, 1] : tensor<8x28x28x128xf32> -> tensor<8x14x14x128xf32>
  %y = ptir.cast %3 : tensor<8x14x14x128xf32> -> tensor<8x14x14x128xbf16>
  func.return %y : tensor<8x14x14x128xbf16>
}
}
