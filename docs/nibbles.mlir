func.func @largest(%x: tensor<4x8xui4>, %n: tensor<4xui4>) -> tensor<4xui4> {
  %most = ptir.reduce max %x axes [1] : tensor<4x8xui4> -> tensor<4xui4>
  %0 = ptir.add %most, %n : tensor<4xui4>
  func.return %0 : tensor<4xui4>
}
