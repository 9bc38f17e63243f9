func.func @wide_sum(%x: tensor<64x128xsi64>) -> tensor<64x128xsi64> {
  %y = ptir.add %x, %x : tensor<64x128xsi64>
  func.return %y : tensor<64x128xsi64>
}
