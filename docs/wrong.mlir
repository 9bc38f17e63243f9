func.func @scale(%x: tensor<4x8xf32>, %s: tensor<8xf32>) -> tensor<4x8xf32> {
  %0 = ptir.mul %y, %s : tensor<8xf32>
  %1 = ptir.broadcast_to %s : tensor<8xf32> -> tensor<4x9xf32>
  %2 = ptir.transpose %x [0, 0] : tensor<4x8xf32> -> tensor<4x4xf32>
  %y = ptir.neg %s : tensor<8xf32>
  func.return %x : tensor<4x8xf32>
}
