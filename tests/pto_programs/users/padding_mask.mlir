// Which tokens are real, as predicates, and attention scores that are masked with them.
func.func @padding_mask(%tokens: tensor<21xi32>, %scores: tensor<21x21xf32>) -> (tensor<21xi1>, tensor<21x21xf32>) {
  %pad = ptir.constant dense<0> : tensor<21xi32>
  %low = ptir.constant dense<-1.0e9> : tensor<21x21xf32>
  %real = ptir.compare ne %tokens, %pad : tensor<21xi32> -> tensor<21xi1>
  %wide = ptir.broadcast_to %real : tensor<21xi1> -> tensor<21x21xi1>
  %y = ptir.select %wide, %scores, %low : tensor<21x21xi1>, tensor<21x21xf32>
  func.return %real, %y : tensor<21xi1>, tensor<21x21xf32>
}
