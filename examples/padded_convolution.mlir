// A block of a residual network in inference: a padded convolution, its norm as scale and shift, the residual and a ReLU.
builtin.module attributes {ptir.extensions} {
func.func @block(%x: tensor<8x14x14x128xbf16>, %w: tensor<3x3x128x128xbf16>, %scale: tensor<128xf32>, %shift: tensor<128xf32>, %r: tensor<8x14x14x128xbf16>) -> tensor<8x14x14x128xbf16> {
  %0 = ptir.convolution %x, %w padding [(1, 1), (1, 1)] accum f32 out f32 : (tensor<8x14x14x128xbf16>, tensor<3x3x128x128xbf16>) -> tensor<8x14x14x128xf32>
  %s = ptir.broadcast_to %scale : tensor<128xf32> -> tensor<8x14x14x128xf32>
  %1 = ptir.mul %0, %s : tensor<8x14x14x128xf32>
  %t = ptir.broadcast_to %shift : tensor<128xf32> -> tensor<8x14x14x128xf32>
  %2 = ptir.add %1, %t : tensor<8x14x14x128xf32>
  %rf = ptir.cast %r : tensor<8x14x14x128xbf16> -> tensor<8x14x14x128xf32>
  %3 = ptir.add %2, %rf : tensor<8x14x14x128xf32>
  %zero = ptir.constant dense<0.0> : tensor<8x14x14x128xf32>
  %4 = ptir.maximum %3, %zero : tensor<8x14x14x128xf32>
  %y = ptir.cast %4 : tensor<8x14x14x128xf32> -> tensor<8x14x14x128xbf16>
  func.return %y : tensor<8x14x14x128xbf16>
}
}
