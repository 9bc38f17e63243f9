// Attention whose second result is how much attention each key gets.
func.func @attention_sums(%q: tensor<3x5x40xbf16>, %x: tensor<3x29x40xbf16>) -> (tensor<3x5x40xbf16>, tensor<3x29xf32>) {
  %s = ptir.dot_general %q, %x batch [0] x [0] contract [2] x [2] accum f32 out f32 : (tensor<3x5x40xbf16>, tensor<3x29x40xbf16>) -> tensor<3x5x29xf32>
  %m = ptir.reduce max %s axes [2] keepdims : tensor<3x5x29xf32> -> tensor<3x5x1xf32>
  %mb = ptir.broadcast_to %m : tensor<3x5x1xf32> -> tensor<3x5x29xf32>
  %d = ptir.sub %s, %mb : tensor<3x5x29xf32>
  %e = ptir.exp %d : tensor<3x5x29xf32>
  %t = ptir.reduce sum %e axes [2] keepdims : tensor<3x5x29xf32> -> tensor<3x5x1xf32>
  %tb = ptir.broadcast_to %t : tensor<3x5x1xf32> -> tensor<3x5x29xf32>
  %p = ptir.div %e, %tb : tensor<3x5x29xf32>
  %pb = ptir.cast %p : tensor<3x5x29xf32> -> tensor<3x5x29xbf16>
  %o = ptir.dot_general %pb, %x batch [0] x [0] contract [2] x [1] accum f32 out bf16 : (tensor<3x5x29xbf16>, tensor<3x29x40xbf16>) -> tensor<3x5x40xbf16>
  %c = ptir.reduce sum %p axes [1] : tensor<3x5x29xf32> -> tensor<3x29xf32>
  func.return %o, %c : tensor<3x5x40xbf16>, tensor<3x29xf32>
}
