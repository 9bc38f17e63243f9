// A hash of integers: shifts by tiles, xor and products.
builtin.module attributes {ptir.extensions} {
func.func @hash(%x: tensor<21x40xi32>, %s: tensor<21x40xi32>) -> tensor<21x40xi32> {
  %seven = ptir.constant dense<7> : tensor<21x40xi32>
  %k = ptir.and %s, %seven : tensor<21x40xi32>
  %0 = ptir.shift_left %x, %k : tensor<21x40xi32>
  %1 = ptir.xor %x, %0 : tensor<21x40xi32>
  %2 = ptir.shift_right_logical %1, %seven : tensor<21x40xi32>
  %3 = ptir.shift_right_arithmetic %1, %k : tensor<21x40xi32>
  %y = ptir.add %2, %3 : tensor<21x40xi32>
  func.return %y : tensor<21x40xi32>
}
}
