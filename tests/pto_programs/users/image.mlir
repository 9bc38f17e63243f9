// An image of bytes, normalized by channel.
func.func @image(%x: tensor<2x8x12x3xui8>, %mean: tensor<3xf32>, %std: tensor<3xf32>) -> tensor<2x8x12x3xf32> {
  %a = ptir.cast %x : tensor<2x8x12x3xui8> -> tensor<2x8x12x3xf32>
  %m = ptir.broadcast_to %mean : tensor<3xf32> -> tensor<2x8x12x3xf32>
  %s = ptir.broadcast_to %std : tensor<3xf32> -> tensor<2x8x12x3xf32>
  %b = ptir.sub %a, %m : tensor<2x8x12x3xf32>
  %c = ptir.div %b, %s : tensor<2x8x12x3xf32>
  func.return %c : tensor<2x8x12x3xf32>
}
