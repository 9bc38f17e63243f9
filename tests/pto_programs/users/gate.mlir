// The first of the best experts for each token, as a one-hot row, times its probability.
func.func @gate(%x: tensor<21x30xf32>, %w: tensor<30x8xf32>) -> tensor<21x8xf32> {
  %0 = ptir.dot_general %x, %w contract [1] x [0] accum f32 out f32 : (tensor<21x30xf32>, tensor<30x8xf32>) -> tensor<21x8xf32>
  %max = ptir.reduce max %0 axes [1] keepdims : tensor<21x8xf32> -> tensor<21x1xf32>
  %maxes = ptir.broadcast_to %max : tensor<21x1xf32> -> tensor<21x8xf32>
  %d = ptir.sub %0, %maxes : tensor<21x8xf32>
  %e = ptir.exp %d : tensor<21x8xf32>
  %sum = ptir.reduce sum %e axes [1] keepdims : tensor<21x8xf32> -> tensor<21x1xf32>
  %sums = ptir.broadcast_to %sum : tensor<21x1xf32> -> tensor<21x8xf32>
  %p = ptir.div %e, %sums : tensor<21x8xf32>
  %best = ptir.argmax %p axis -1 : tensor<21x8xf32> -> tensor<21xi32>
  %b2 = ptir.reshape %best : tensor<21xi32> -> tensor<21x1xi32>
  %b3 = ptir.broadcast_to %b2 : tensor<21x1xi32> -> tensor<21x8xi32>
  %i = ptir.iota axis 1 : tensor<21x8xi32>
  %hit = ptir.compare eq %b3, %i : tensor<21x8xi32> -> tensor<21x8xi1>
  %one = ptir.cast %hit : tensor<21x8xi1> -> tensor<21x8xf32>
  %y = ptir.mul %one, %p : tensor<21x8xf32>
  func.return %y : tensor<21x8xf32>
}
