// SwiGLU: silu(x w1) * (x w3), then w2. The product is in the epilogue of the second of three contractions.
module attributes {ptir.extensions} {
func.func @swiglu(%x: tensor<32x64xbf16>, %w1: tensor<64x128xbf16>, %w3: tensor<64x128xbf16>, %w2: tensor<128x64xbf16>) -> tensor<32x64xbf16> {
  %0 = ptir.dot_general %x, %w1 contract [1] x [0] accum f32 out f32 : (tensor<32x64xbf16>, tensor<64x128xbf16>) -> tensor<32x128xf32>
  %1 = ptir.dot_general %x, %w3 contract [1] x [0] accum f32 out f32 : (tensor<32x64xbf16>, tensor<64x128xbf16>) -> tensor<32x128xf32>
  %2 = ptir.logistic %0 : tensor<32x128xf32>
  %3 = ptir.mul %0, %2 : tensor<32x128xf32>
  %4 = ptir.mul %3, %1 : tensor<32x128xf32>
  %5 = ptir.cast %4 : tensor<32x128xf32> -> tensor<32x128xbf16>
  %6 = ptir.dot_general %5, %w2 contract [1] x [0] accum f32 out f32 : (tensor<32x128xbf16>, tensor<128x64xbf16>) -> tensor<32x64xf32>
  %y = ptir.cast %6 : tensor<32x64xf32> -> tensor<32x64xbf16>
  func.return %y : tensor<32x64xbf16>
}
}
