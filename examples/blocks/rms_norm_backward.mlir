// The gradients of RMS norm: dx = r * (g * dy - h * mean(g * dy * h)), and dg, a sum over rows.
func.func @rms_norm_backward(%x: tensor<16x256xbf16>, %r: tensor<16x1xf32>, %g: tensor<256xbf16>, %dy: tensor<16x256xbf16>) -> (tensor<16x256xbf16>, tensor<256xf32>) {
  %fx = ptir.cast %x : tensor<16x256xbf16> -> tensor<16x256xf32>
  %fdy = ptir.cast %dy : tensor<16x256xbf16> -> tensor<16x256xf32>
  %rs = ptir.broadcast_to %r : tensor<16x1xf32> -> tensor<16x256xf32>
  %h = ptir.mul %fx, %rs : tensor<16x256xf32>
  %fg = ptir.cast %g : tensor<256xbf16> -> tensor<256xf32>
  %gs = ptir.broadcast_to %fg : tensor<256xf32> -> tensor<16x256xf32>
  %dh = ptir.mul %fdy, %gs : tensor<16x256xf32>
  %p = ptir.mul %dh, %h : tensor<16x256xf32>
  %t = ptir.reduce sum %p axes [1] keepdims : tensor<16x256xf32> -> tensor<16x1xf32>
  %n = ptir.constant dense<256.0> : tensor<16x1xf32>
  %m = ptir.div %t, %n : tensor<16x1xf32>
  %ms = ptir.broadcast_to %m : tensor<16x1xf32> -> tensor<16x256xf32>
  %hm = ptir.mul %h, %ms : tensor<16x256xf32>
  %d = ptir.sub %dh, %hm : tensor<16x256xf32>
  %fdx = ptir.mul %d, %rs : tensor<16x256xf32>
  %dx = ptir.cast %fdx : tensor<16x256xf32> -> tensor<16x256xbf16>
  %q = ptir.mul %fdy, %h : tensor<16x256xf32>
  %dg = ptir.reduce sum %q axes [0] : tensor<16x256xf32> -> tensor<256xf32>
  func.return %dx, %dg : tensor<16x256xbf16>, tensor<256xf32>
}
