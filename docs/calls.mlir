func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = func.call @half(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = ptir.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %2 = ptir.add %0, %1 : tensor<4xf32>
  func.return %2 : tensor<4xf32>
}
func.func private @half(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = ptir.constant dense<0.5> : tensor<4xf32>
  %1 = ptir.mul %a, %0 : tensor<4xf32>
  func.return %1 : tensor<4xf32>
}
