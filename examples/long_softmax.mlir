// Probabilities over a vocabulary: rows that no block holds.
func.func @probabilities(%logits: tensor<512x50304xbf16>) -> tensor<512x50304xbf16> {
  %x = ptir.cast %logits : tensor<512x50304xbf16> -> tensor<512x50304xf32>
  %max = ptir.reduce max %x axes [1] keepdims : tensor<512x50304xf32> -> tensor<512x1xf32>
  %maxes = ptir.broadcast_to %max : tensor<512x1xf32> -> tensor<512x50304xf32>
  %d = ptir.sub %x, %maxes : tensor<512x50304xf32>
  %e = ptir.exp %d : tensor<512x50304xf32>
  %sum = ptir.reduce sum %e axes [1] keepdims : tensor<512x50304xf32> -> tensor<512x1xf32>
  %sums = ptir.broadcast_to %sum : tensor<512x1xf32> -> tensor<512x50304xf32>
  %y = ptir.div %e, %sums : tensor<512x50304xf32>
  %p = ptir.cast %y : tensor<512x50304xf32> -> tensor<512x50304xbf16>
  func.return %p : tensor<512x50304xbf16>
}
