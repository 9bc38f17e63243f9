// The largest logits and their positions, and the best of a beam.
builtin.module attributes {ptir.extensions} {
func.func @top_k(%x: tensor<5x40xf32>) -> (tensor<5x4xf32>, tensor<5x4xsi32>, tensor<3x40xf32>, tensor<3x40xsi64>) {
  %v, %i = ptir.top_k largest %x k 4 axis 1 : tensor<5x40xf32> -> tensor<5x4xf32>, tensor<5x4xsi32>
  %w, %j = ptir.top_k smallest %x k 3 axis 0 : tensor<5x40xf32> -> tensor<3x40xf32>, tensor<3x40xsi64>
  func.return %v, %i, %w, %j : tensor<5x4xf32>, tensor<5x4xsi32>, tensor<3x40xf32>, tensor<3x40xsi64>
}
}
