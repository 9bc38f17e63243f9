func.func @wide_sum(%x: tensor<64x128xf64>) -> tensor<64x128xf64> {
  %y = ptir.add %x, %x : tensor<64x128xf64>
  func.return %y : tensor<64x128xf64>
}
