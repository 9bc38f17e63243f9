func.func @add(%x: tensor<3x5xf32>, %y: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %0 = ptir.add %x, %y : tensor<3x5xf32>
  func.return %0 : tensor<3x5xf32>
}
func.func @twice(%r0: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %0 = ptir.add %r0, %r0 : tensor<3x5xf32>
  func.return %0 : tensor<3x5xf32>
}
