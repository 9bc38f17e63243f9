// The most likely class of each row.
func.func @argmax_logits(%x: tensor<21x30xf32>, %w: tensor<30x40xf32>) -> tensor<21xi32> {
  %0 = ptir.dot_general %x, %w contract [1] x [0] accum f32 out f32 : (tensor<21x30xf32>, tensor<30x40xf32>) -> tensor<21x40xf32>
  %y = ptir.argmax %0 axis -1 : tensor<21x40xf32> -> tensor<21xi32>
  func.return %y : tensor<21xi32>
}
