// Layer norm of x + residual; its mean and reciprocal deviation are what the backward pass needs.
func.func @layer_norm(%a: tensor<16x256xbf16>, %b: tensor<16x256xbf16>, %g: tensor<256xbf16>, %beta: tensor<256xbf16>) -> (tensor<16x256xbf16>, tensor<16x256xbf16>, tensor<16x1xf32>, tensor<16x1xf32>) {
  %fa = ptir.cast %a : tensor<16x256xbf16> -> tensor<16x256xf32>
  %fb = ptir.cast %b : tensor<16x256xbf16> -> tensor<16x256xf32>
  %x = ptir.add %fa, %fb : tensor<16x256xf32>
  %residual = ptir.cast %x : tensor<16x256xf32> -> tensor<16x256xbf16>
  
  %n = ptir.constant dense<256.0> : tensor<16x1xf32>
  %eps = ptir.constant dense<0.00001> : tensor<16x1xf32>
  %t = ptir.reduce sum %x axes [1] keepdims : tensor<16x256xf32> -> tensor<16x1xf32>
  %mean = ptir.div %t, %n : tensor<16x1xf32>
  %means = ptir.broadcast_to %mean : tensor<16x1xf32> -> tensor<16x256xf32>
  %d = ptir.sub %x, %means : tensor<16x256xf32>
  %d2 = ptir.mul %d, %d : tensor<16x256xf32>
  %t2 = ptir.reduce sum %d2 axes [1] keepdims : tensor<16x256xf32> -> tensor<16x1xf32>
  %variance = ptir.div %t2, %n : tensor<16x1xf32>
  %v = ptir.add %variance, %eps : tensor<16x1xf32>
  %r = ptir.rsqrt %v : tensor<16x1xf32>
  %rs = ptir.broadcast_to %r : tensor<16x1xf32> -> tensor<16x256xf32>
  %h = ptir.mul %d, %rs : tensor<16x256xf32>
  %fg = ptir.cast %g : tensor<256xbf16> -> tensor<256xf32>
  %gs = ptir.broadcast_to %fg : tensor<256xf32> -> tensor<16x256xf32>
  %fbeta = ptir.cast %beta : tensor<256xbf16> -> tensor<256xf32>
  %bs = ptir.broadcast_to %fbeta : tensor<256xf32> -> tensor<16x256xf32>
  %hg = ptir.mul %h, %gs : tensor<16x256xf32>
  %z = ptir.add %hg, %bs : tensor<16x256xf32>
  %y = ptir.cast %z : tensor<16x256xf32> -> tensor<16x256xbf16>
  func.return %y, %residual, %mean, %r : tensor<16x256xbf16>, tensor<16x256xbf16>, tensor<16x1xf32>, tensor<16x1xf32>
}
