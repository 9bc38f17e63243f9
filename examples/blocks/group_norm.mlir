// Group norm of channels-first images, 4 groups of 4 channels: a row is what a group has of an image.
func.func @group_norm(%x: tensor<2x16x8x8xf32>, %g: tensor<16xf32>, %beta: tensor<16xf32>) -> tensor<2x16x8x8xf32> {
  %rows = ptir.reshape %x : tensor<2x16x8x8xf32> -> tensor<2x4x256xf32>
  %n = ptir.constant dense<256.0> : tensor<2x4x1xf32>
  %eps = ptir.constant dense<0.00001> : tensor<2x4x1xf32>
  %t = ptir.reduce sum %rows axes [2] keepdims : tensor<2x4x256xf32> -> tensor<2x4x1xf32>
  %mean = ptir.div %t, %n : tensor<2x4x1xf32>
  %means = ptir.broadcast_to %mean : tensor<2x4x1xf32> -> tensor<2x4x256xf32>
  %d = ptir.sub %rows, %means : tensor<2x4x256xf32>
  %d2 = ptir.mul %d, %d : tensor<2x4x256xf32>
  %t2 = ptir.reduce sum %d2 axes [2] keepdims : tensor<2x4x256xf32> -> tensor<2x4x1xf32>
  %variance = ptir.div %t2, %n : tensor<2x4x1xf32>
  %v = ptir.add %variance, %eps : tensor<2x4x1xf32>
  %r = ptir.rsqrt %v : tensor<2x4x1xf32>
  %rs = ptir.broadcast_to %r : tensor<2x4x1xf32> -> tensor<2x4x256xf32>
  %h = ptir.mul %d, %rs : tensor<2x4x256xf32>
  %hi = ptir.reshape %h : tensor<2x4x256xf32> -> tensor<2x16x8x8xf32>
  %g1 = ptir.reshape %g : tensor<16xf32> -> tensor<16x1x1xf32>
  %gs = ptir.broadcast_to %g1 : tensor<16x1x1xf32> -> tensor<2x16x8x8xf32>
  %b1 = ptir.reshape %beta : tensor<16xf32> -> tensor<16x1x1xf32>
  %bs = ptir.broadcast_to %b1 : tensor<16x1x1xf32> -> tensor<2x16x8x8xf32>
  %hg = ptir.mul %hi, %gs : tensor<2x16x8x8xf32>
  %y = ptir.add %hg, %bs : tensor<2x16x8x8xf32>
  func.return %y : tensor<2x16x8x8xf32>
}
