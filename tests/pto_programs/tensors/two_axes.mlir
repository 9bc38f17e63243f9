// Mean and largest over two axes, one of them the first.
func.func @two_axes(%x: tensor<5x17x23xf32>) -> (tensor<17xf32>, tensor<17xf32>) {
  %sum = ptir.reduce sum %x axes [0, 2] : tensor<5x17x23xf32> -> tensor<17xf32>
  %n = ptir.constant dense<115.0> : tensor<17xf32>
  %mean = ptir.div %sum, %n : tensor<17xf32>
  %max = ptir.reduce max %x axes [0, 2] : tensor<5x17x23xf32> -> tensor<17xf32>
  func.return %mean, %max : tensor<17xf32>, tensor<17xf32>
}
