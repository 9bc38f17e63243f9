func.func @linear(%x: tensor<256x128xf16>, %w: tensor<128x128xf16>, %b: tensor<128xf32>) -> tensor<256x128xf32> {
  %0 = ptir.dot_general %x, %w contract [1] x [0] accum f32 out f32 : (tensor<256x128xf16>, tensor<128x128xf16>) -> tensor<256x128xf32>
  %1 = ptir.broadcast_to %b : tensor<128xf32> -> tensor<256x128xf32>
  %2 = ptir.add %0, %1 : tensor<256x128xf32>
  func.return %2 : tensor<256x128xf32>
}
