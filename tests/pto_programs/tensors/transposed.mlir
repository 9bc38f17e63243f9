// The product of x and w, transposed, with a bias for each row of the result.
func.func @transposed(%x: tensor<41x29xbf16>, %w: tensor<29x31xbf16>, %b: tensor<31xf32>) -> tensor<31x41xf32> {
  %0 = ptir.dot_general %x, %w contract [1] x [0] accum f32 out f32 : (tensor<41x29xbf16>, tensor<29x31xbf16>) -> tensor<41x31xf32>
  %bb = ptir.broadcast_to %b : tensor<31xf32> -> tensor<41x31xf32>
  %1 = ptir.add %0, %bb : tensor<41x31xf32>
  %y = ptir.transpose %1 [1, 0] : tensor<41x31xf32> -> tensor<31x41xf32>
  func.return %y : tensor<31x41xf32>
}
