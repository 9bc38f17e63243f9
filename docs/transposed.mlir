func.func @transposed(%x: tensor<32x64xf32>) -> tensor<64x32xf32> {
  %0 = ptir.transpose %x [1, 0] : tensor<32x64xf32> -> tensor<64x32xf32>
  func.return %0 : tensor<64x32xf32>
}
