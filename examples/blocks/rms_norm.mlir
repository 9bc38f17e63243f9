// RMS norm of x + residual, which the next block needs too.
func.func @rms_norm(%a: tensor<16x256xbf16>, %b: tensor<16x256xbf16>, %g: tensor<256xbf16>) -> (tensor<16x256xbf16>, tensor<16x256xbf16>) {
  %fa = ptir.cast %a : tensor<16x256xbf16> -> tensor<16x256xf32>
  %fb = ptir.cast %b : tensor<16x256xbf16> -> tensor<16x256xf32>
  %x = ptir.add %fa, %fb : tensor<16x256xf32>
  %residual = ptir.cast %x : tensor<16x256xf32> -> tensor<16x256xbf16>
  
  %n = ptir.constant dense<256.0> : tensor<16x1xf32>
  %eps = ptir.constant dense<0.00001> : tensor<16x1xf32>
  %sq = ptir.mul %x, %x : tensor<16x256xf32>
  %t = ptir.reduce sum %sq axes [1] keepdims : tensor<16x256xf32> -> tensor<16x1xf32>
  %mean = ptir.div %t, %n : tensor<16x1xf32>
  %v = ptir.add %mean, %eps : tensor<16x1xf32>
  %r = ptir.rsqrt %v : tensor<16x1xf32>
  %rs = ptir.broadcast_to %r : tensor<16x1xf32> -> tensor<16x256xf32>
  %h = ptir.mul %x, %rs : tensor<16x256xf32>
  %fg = ptir.cast %g : tensor<256xbf16> -> tensor<256xf32>
  %gs = ptir.broadcast_to %fg : tensor<256xf32> -> tensor<16x256xf32>
  %hg = ptir.mul %h, %gs : tensor<16x256xf32>
  %y = ptir.cast %hg : tensor<16x256xf32> -> tensor<16x256xbf16>
  func.return %y, %residual : tensor<16x256xbf16>, tensor<16x256xbf16>
}
