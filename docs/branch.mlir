func.func @g(%x: tensor<4xf32>) -> tensor<4xf32> {
  %p = ptir.constant dense<true> : tensor<i1>
  %r = ptir.cond %p (%x) : (tensor<4xf32>) -> tensor<4xf32> then (%a) {
    %c = ptir.constant dense<1.0> : tensor<4xf32>
    %d = ptir.add %c, %c : tensor<4xf32>
    ptir.yield %d : tensor<4xf32>
  } else (%b) {
    ptir.yield %b : tensor<4xf32>
  }
  %s = ptir.exp %r : tensor<4xf32>
  func.return %s : tensor<4xf32>
}
