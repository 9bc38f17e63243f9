func.func @means(%x: tensor<4x8xi32>, %n: tensor<4xi32>) -> tensor<4xi32> {
  %sum = ptir.reduce sum %x axes [1] : tensor<4x8xi32> -> tensor<4xi32>
  %0 = ptir.div %sum, %n : tensor<4xi32>
  func.return %0 : tensor<4xi32>
}
