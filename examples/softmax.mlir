// Softmax over rows: one kernel, which reads each row once.
func.func @softmax(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %max = ptir.reduce max %x axes [1] keepdims : tensor<4x8xf32> -> tensor<4x1xf32>
  %0 = ptir.broadcast_to %max : tensor<4x1xf32> -> tensor<4x8xf32>
  %1 = ptir.sub %x, %0 : tensor<4x8xf32>
  %2 = ptir.exp %1 : tensor<4x8xf32>
  %sum = ptir.reduce sum %2 axes [1] keepdims : tensor<4x8xf32> -> tensor<4x1xf32>
  %3 = ptir.broadcast_to %sum : tensor<4x1xf32> -> tensor<4x8xf32>
  %4 = ptir.div %2, %3 : tensor<4x8xf32>
  func.return %4 : tensor<4x8xf32>
}
