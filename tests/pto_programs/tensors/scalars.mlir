// A factor for all of an array, and one for each batch, before a softmax.
func.func @scalars(%x: tensor<3x29x45xf32>, %s: tensor<f32>, %t: tensor<3xf32>) -> tensor<3x29x45xf32> {
  %sb = ptir.broadcast_to %s : tensor<f32> -> tensor<3x29x45xf32>
  %t1 = ptir.reshape %t : tensor<3xf32> -> tensor<3x1x1xf32>
  %tb = ptir.broadcast_to %t1 : tensor<3x1x1xf32> -> tensor<3x29x45xf32>
  %0 = ptir.mul %x, %sb : tensor<3x29x45xf32>
  %1 = ptir.mul %0, %tb : tensor<3x29x45xf32>
  %max = ptir.reduce max %1 axes [2] keepdims : tensor<3x29x45xf32> -> tensor<3x29x1xf32>
  %mb = ptir.broadcast_to %max : tensor<3x29x1xf32> -> tensor<3x29x45xf32>
  %d = ptir.sub %1, %mb : tensor<3x29x45xf32>
  %e = ptir.exp %d : tensor<3x29x45xf32>
  func.return %e : tensor<3x29x45xf32>
}
