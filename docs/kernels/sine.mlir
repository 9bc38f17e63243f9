module attributes {ptir.extensions} {
func.func @sine(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = ptir.sin %x : tensor<64x64xf32>
  func.return %0 : tensor<64x64xf32>
}
}
