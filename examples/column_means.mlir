// The mean of each channel of a batch.
func.func @mean(%x: tensor<4096x256xbf16>) -> tensor<256xf32> {
  %0 = ptir.cast %x : tensor<4096x256xbf16> -> tensor<4096x256xf32>
  %1 = ptir.reduce sum %0 axes [0] accum f32 : tensor<4096x256xf32> -> tensor<256xf32>
  %2 = ptir.constant dense<4096.0> : tensor<256xf32>
  %3 = ptir.div %1, %2 : tensor<256xf32>
  func.return %3 : tensor<256xf32>
}
