// The rows of some tokens in a table.
func.func @lookup(%table: tensor<1000x768xbf16>, %tokens: tensor<64xsi64>) -> tensor<64x768xbf16> {
  %0 = ptir.take %table, %tokens : (tensor<1000x768xbf16>, tensor<64xsi64>) -> tensor<64x768xbf16>
  func.return %0 : tensor<64x768xbf16>
}
