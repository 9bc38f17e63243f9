// Group norm of channels-last images, 4 groups of 4 channels: a row is what a group has of an image.
func.func @group_norm(%x: tensor<2x8x8x16xf32>, %g: tensor<16xf32>, %beta: tensor<16xf32>) -> tensor<2x8x8x16xf32> {
  %x5 = ptir.reshape %x : tensor<2x8x8x16xf32> -> tensor<2x8x8x4x4xf32>
  %xt = ptir.transpose %x5 [0, 3, 1, 2, 4] : tensor<2x8x8x4x4xf32> -> tensor<2x4x8x8x4xf32>
  %rows = ptir.reshape %xt : tensor<2x4x8x8x4xf32> -> tensor<2x4x256xf32>
  %n = ptir.constant dense<512.0> : tensor<2x4x1xf32>
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
  %ht = ptir.reshape %h : tensor<2x4x256xf32> -> tensor<2x4x8x8x4xf32>
  %h5 = ptir.transpose %ht [0, 2, 3, 1, 4] : tensor<2x4x8x8x4xf32> -> tensor<2x8x8x4x4xf32>
  %hi = ptir.reshape %h5 : tensor<2x8x8x4x4xf32> -> tensor<2x8x8x16xf32>
  %gs = ptir.broadcast_to %g : tensor<16xf32> -> tensor<2x8x8x16xf32>
  %bs = ptir.broadcast_to %beta : tensor<16xf32> -> tensor<2x8x8x16xf32>
  %hg = ptir.mul %hi, %gs : tensor<2x8x8x16xf32>
  %y = ptir.add %hg, %bs : tensor<2x8x8x16xf32>
  func.return %y : tensor<2x8x8x16xf32>
}
