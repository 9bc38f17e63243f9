// SwiGLU's product alone: both halves of a row come from one product.
module attributes {ptir.extensions} {
func.func @swiglu_product(%x: tensor<32x256xbf16>) -> tensor<32x128xbf16> {
  %0 = ptir.slice %x [0, 0] : tensor<32x256xbf16> -> tensor<32x128xbf16>
  %1 = ptir.slice %x [0, 128] : tensor<32x256xbf16> -> tensor<32x128xbf16>
  %2 = ptir.cast %0 : tensor<32x128xbf16> -> tensor<32x128xf32>
  %3 = ptir.cast %1 : tensor<32x128xbf16> -> tensor<32x128xf32>
  %4 = ptir.logistic %2 : tensor<32x128xf32>
  %5 = ptir.mul %2, %4 : tensor<32x128xf32>
  %6 = ptir.mul %5, %3 : tensor<32x128xf32>
  %y = ptir.cast %6 : tensor<32x128xf32> -> tensor<32x128xbf16>
  func.return %y : tensor<32x128xbf16>
}
}
