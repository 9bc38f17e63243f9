// A linear layer whose weight is stored in 8 bits, with a factor for each column.
func.func @dequantized(%x: tensor<32x256xbf16>, %q: tensor<256x128xi8>, %scale: tensor<128xf32>) -> tensor<32x128xf32> {
  %f = ptir.cast %q : tensor<256x128xi8> -> tensor<256x128xf32>
  %s = ptir.broadcast_to %scale : tensor<128xf32> -> tensor<256x128xf32>
  %fs = ptir.mul %f, %s : tensor<256x128xf32>
  %w = ptir.cast %fs : tensor<256x128xf32> -> tensor<256x128xbf16>
  %y = ptir.dot_general %x, %w contract [1] x [0] accum f32 out f32 : (tensor<32x256xbf16>, tensor<256x128xbf16>) -> tensor<32x128xf32>
  func.return %y : tensor<32x128xf32>
}
