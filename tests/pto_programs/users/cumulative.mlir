// Cumulative sums of rows, as a product with a triangle of ones, and by a window.
builtin.module attributes {ptir.extensions} {
func.func @cumulative(%x: tensor<21x40xf32>) -> (tensor<21x40xf32>, tensor<21x40xf32>) {
  %i = ptir.iota axis 0 : tensor<40x40xi32>
  %j = ptir.iota axis 1 : tensor<40x40xi32>
  %below = ptir.compare le %i, %j : tensor<40x40xi32> -> tensor<40x40xi1>
  %triangle = ptir.cast %below : tensor<40x40xi1> -> tensor<40x40xf32>
  %0 = ptir.dot_general %x, %triangle contract [1] x [0] accum f32 out f32 : (tensor<21x40xf32>, tensor<40x40xf32>) -> tensor<21x40xf32>
  %padded = ptir.pad %x with 0.0 : f32 low [0, 39] high [0, 0] interior [0, 0] : tensor<21x40xf32> -> tensor<21x79xf32>
  %1 = ptir.reduce_window sum %padded window [1, 40] : tensor<21x79xf32> -> tensor<21x40xf32>
  func.return %0, %1 : tensor<21x40xf32>, tensor<21x40xf32>
}
}
