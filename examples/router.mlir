// The weights with which a router mixes 16 experts: a product and its softmax.
func.func @router(%x: tensor<64x128xbf16>, %w: tensor<128x16xbf16>) -> tensor<64x16xf32> {
  %0 = ptir.dot_general %x, %w contract [1] x [0] accum f32 out f32 : (tensor<64x128xbf16>, tensor<128x16xbf16>) -> tensor<64x16xf32>
  %max = ptir.reduce max %0 axes [1] keepdims : tensor<64x16xf32> -> tensor<64x1xf32>
  %maxes = ptir.broadcast_to %max : tensor<64x1xf32> -> tensor<64x16xf32>
  %d = ptir.sub %0, %maxes : tensor<64x16xf32>
  %e = ptir.exp %d : tensor<64x16xf32>
  %sum = ptir.reduce sum %e axes [1] keepdims : tensor<64x16xf32> -> tensor<64x1xf32>
  %sums = ptir.broadcast_to %sum : tensor<64x1xf32> -> tensor<64x16xf32>
  %y = ptir.div %e, %sums : tensor<64x16xf32>
  func.return %y : tensor<64x16xf32>
}
