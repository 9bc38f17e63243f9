// Products of rows and columns, and the probability that a normal variable is above each number.
builtin.module attributes {ptir.extensions} {
func.func @likelihood(%x: tensor<21x40xf32>) -> (tensor<21xf32>, tensor<40xf32>, tensor<21x40xf32>) {
  %rows = ptir.reduce mul %x axes [1] : tensor<21x40xf32> -> tensor<21xf32>
  %columns = ptir.reduce mul %x axes [0] : tensor<21x40xf32> -> tensor<40xf32>
  %root = ptir.constant dense<0.70710678> : tensor<21x40xf32>
  %half = ptir.constant dense<0.5> : tensor<21x40xf32>
  %0 = ptir.mul %x, %root : tensor<21x40xf32>
  %1 = ptir.erfc %0 : tensor<21x40xf32>
  %y = ptir.mul %1, %half : tensor<21x40xf32>
  func.return %rows, %columns, %y : tensor<21xf32>, tensor<40xf32>, tensor<21x40xf32>
}
}
