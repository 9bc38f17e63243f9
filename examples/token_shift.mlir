// Each token is mixed with the one before it, with a factor for each channel, and multiplied by a weight, as in RWKV.
builtin.module attributes {ptir.extensions} {
func.func @mix(%x: tensor<1024x768xbf16>, %mu: tensor<768xf32>, %w: tensor<768x768xbf16>) -> tensor<1024x768xf32> {
  %padded = ptir.pad %x with 0.0 : bf16 low [1, 0] high [0, 0] interior [0, 0] : tensor<1024x768xbf16> -> tensor<1025x768xbf16>
  %before = ptir.slice %padded [0, 0] : tensor<1025x768xbf16> -> tensor<1024x768xbf16>
  %0 = ptir.cast %x : tensor<1024x768xbf16> -> tensor<1024x768xf32>
  %1 = ptir.cast %before : tensor<1024x768xbf16> -> tensor<1024x768xf32>
  %2 = ptir.sub %1, %0 : tensor<1024x768xf32>
  %3 = ptir.broadcast_to %mu : tensor<768xf32> -> tensor<1024x768xf32>
  %4 = ptir.mul %2, %3 : tensor<1024x768xf32>
  %5 = ptir.add %0, %4 : tensor<1024x768xf32>
  %6 = ptir.cast %5 : tensor<1024x768xf32> -> tensor<1024x768xbf16>
  %y = ptir.dot_general %6, %w contract [1] x [0] accum f32 out f32 : (tensor<1024x768xbf16>, tensor<768x768xbf16>) -> tensor<1024x768xf32>
  func.return %y : tensor<1024x768xf32>
}
}
