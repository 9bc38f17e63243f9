// The gradients of layer norm: rows give dx, columns give those of the weights.
func.func @layer_norm_backward(%x: tensor<16x256xbf16>, %mean: tensor<16x1xf32>, %r: tensor<16x1xf32>, %g: tensor<256xbf16>, %dy: tensor<16x256xbf16>) -> (tensor<16x256xbf16>, tensor<256xf32>, tensor<256xf32>) {
  %fx = ptir.cast %x : tensor<16x256xbf16> -> tensor<16x256xf32>
  %fdy = ptir.cast %dy : tensor<16x256xbf16> -> tensor<16x256xf32>
  %means = ptir.broadcast_to %mean : tensor<16x1xf32> -> tensor<16x256xf32>
  %rs = ptir.broadcast_to %r : tensor<16x1xf32> -> tensor<16x256xf32>
  %d = ptir.sub %fx, %means : tensor<16x256xf32>
  %h = ptir.mul %d, %rs : tensor<16x256xf32>
  %fg = ptir.cast %g : tensor<256xbf16> -> tensor<256xf32>
  %gs = ptir.broadcast_to %fg : tensor<256xf32> -> tensor<16x256xf32>
  %dh = ptir.mul %fdy, %gs : tensor<16x256xf32>
  %n = ptir.constant dense<256.0> : tensor<16x1xf32>
  %t1 = ptir.reduce sum %dh axes [1] keepdims : tensor<16x256xf32> -> tensor<16x1xf32>
  %m1 = ptir.div %t1, %n : tensor<16x1xf32>
  %b1 = ptir.broadcast_to %m1 : tensor<16x1xf32> -> tensor<16x256xf32>
  %p = ptir.mul %dh, %h : tensor<16x256xf32>
  %t2 = ptir.reduce sum %p axes [1] keepdims : tensor<16x256xf32> -> tensor<16x1xf32>
  %m2 = ptir.div %t2, %n : tensor<16x1xf32>
  %b2 = ptir.broadcast_to %m2 : tensor<16x1xf32> -> tensor<16x256xf32>
  %hb = ptir.mul %h, %b2 : tensor<16x256xf32>
  %e1 = ptir.sub %dh, %b1 : tensor<16x256xf32>
  %e2 = ptir.sub %e1, %hb : tensor<16x256xf32>
  %fdx = ptir.mul %e2, %rs : tensor<16x256xf32>
  %dx = ptir.cast %fdx : tensor<16x256xf32> -> tensor<16x256xbf16>
  %q = ptir.mul %fdy, %h : tensor<16x256xf32>
  %dg = ptir.reduce sum %q axes [0] : tensor<16x256xf32> -> tensor<256xf32>
  %dbeta = ptir.reduce sum %fdy axes [0] : tensor<16x256xf32> -> tensor<256xf32>
  func.return %dx, %dg, %dbeta : tensor<16x256xbf16>, tensor<256xf32>, tensor<256xf32>
}
