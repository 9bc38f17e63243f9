// The gradient of cross entropy: softmax(x) - one_hot(label).
func.func @cross_entropy_backward(%logits: tensor<16x1000xbf16>, %label: tensor<16xsi32>) -> tensor<16x1000xbf16> {
  %x = ptir.cast %logits : tensor<16x1000xbf16> -> tensor<16x1000xf32>
  %max = ptir.reduce max %x axes [1] keepdims : tensor<16x1000xf32> -> tensor<16x1xf32>
  %maxes = ptir.broadcast_to %max : tensor<16x1xf32> -> tensor<16x1000xf32>
  %d = ptir.sub %x, %maxes : tensor<16x1000xf32>
  %e = ptir.exp %d : tensor<16x1000xf32>
  %sum = ptir.reduce sum %e axes [1] keepdims : tensor<16x1000xf32> -> tensor<16x1xf32>
  %i = ptir.iota axis 1 : tensor<16x1000xsi32>
  %lc = ptir.reshape %label : tensor<16xsi32> -> tensor<16x1xsi32>
  %ls = ptir.broadcast_to %lc : tensor<16x1xsi32> -> tensor<16x1000xsi32>
  %hot = ptir.compare eq %i, %ls : tensor<16x1000xsi32> -> tensor<16x1000xi1>
  %sums = ptir.broadcast_to %sum : tensor<16x1xf32> -> tensor<16x1000xf32>
  %p = ptir.div %e, %sums : tensor<16x1000xf32>
  %one = ptir.cast %hot : tensor<16x1000xi1> -> tensor<16x1000xf32>
  %g = ptir.sub %p, %one : tensor<16x1000xf32>
  %dx = ptir.cast %g : tensor<16x1000xf32> -> tensor<16x1000xbf16>
  func.return %dx : tensor<16x1000xbf16>
}
