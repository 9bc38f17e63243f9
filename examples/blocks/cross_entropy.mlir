// Cross entropy: log(sum(exp(x))) - x[label], the latter as a sum over the positions that equal the label.
func.func @cross_entropy(%logits: tensor<16x1000xbf16>, %label: tensor<16xsi32>) -> tensor<16xf32> {
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
  %none = ptir.constant dense<0.0> : tensor<16x1000xf32>
  %only = ptir.select %hot, %d, %none : tensor<16x1000xi1>, tensor<16x1000xf32>
  %target = ptir.reduce sum %only axes [1] keepdims : tensor<16x1000xf32> -> tensor<16x1xf32>
  %l = ptir.log %sum : tensor<16x1xf32>
  %loss = ptir.sub %l, %target : tensor<16x1xf32>
  %y = ptir.reshape %loss : tensor<16x1xf32> -> tensor<16xf32>
  func.return %y : tensor<16xf32>
}
