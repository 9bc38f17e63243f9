// Softmax over the channels of images, whose pixels are contiguous.
func.func @channel_softmax(%x: tensor<2x64x16x16xbf16>) -> tensor<2x64x16x16xbf16> {
  %f = ptir.cast %x : tensor<2x64x16x16xbf16> -> tensor<2x64x16x16xf32>
  %max = ptir.reduce max %f axes [1] keepdims : tensor<2x64x16x16xf32> -> tensor<2x1x16x16xf32>
  %maxes = ptir.broadcast_to %max : tensor<2x1x16x16xf32> -> tensor<2x64x16x16xf32>
  %d = ptir.sub %f, %maxes : tensor<2x64x16x16xf32>
  %e = ptir.exp %d : tensor<2x64x16x16xf32>
  %sum = ptir.reduce sum %e axes [1] keepdims : tensor<2x64x16x16xf32> -> tensor<2x1x16x16xf32>
  %sums = ptir.broadcast_to %sum : tensor<2x1x16x16xf32> -> tensor<2x64x16x16xf32>
  %q = ptir.div %e, %sums : tensor<2x64x16x16xf32>
  %y = ptir.cast %q : tensor<2x64x16x16xf32> -> tensor<2x64x16x16xbf16>
  func.return %y : tensor<2x64x16x16xbf16>
}
