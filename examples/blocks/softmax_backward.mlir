// The gradient of softmax: dx = y * (dy - sum(y * dy)).
func.func @softmax_backward(%y: tensor<16x256xbf16>, %dy: tensor<16x256xbf16>) -> tensor<16x256xbf16> {
  %fy = ptir.cast %y : tensor<16x256xbf16> -> tensor<16x256xf32>
  %fdy = ptir.cast %dy : tensor<16x256xbf16> -> tensor<16x256xf32>
  %p = ptir.mul %fy, %fdy : tensor<16x256xf32>
  %s = ptir.reduce sum %p axes [1] keepdims : tensor<16x256xf32> -> tensor<16x1xf32>
  %ss = ptir.broadcast_to %s : tensor<16x1xf32> -> tensor<16x256xf32>
  %d = ptir.sub %fdy, %ss : tensor<16x256xf32>
  %fdx = ptir.mul %fy, %d : tensor<16x256xf32>
  %dx = ptir.cast %fdx : tensor<16x256xf32> -> tensor<16x256xbf16>
  func.return %dx : tensor<16x256xbf16>
}
