// Dropout with a mask that is given, and a residual.
func.func @dropout(%x: tensor<21x40xf32>, %mask: tensor<21x40xi1>, %r: tensor<21x40xf32>) -> tensor<21x40xf32> {
  %scale = ptir.constant dense<1.25> : tensor<21x40xf32>
  %zero = ptir.constant dense<0.0> : tensor<21x40xf32>
  %0 = ptir.mul %x, %scale : tensor<21x40xf32>
  %1 = ptir.select %mask, %0, %zero : tensor<21x40xi1>, tensor<21x40xf32>
  %y = ptir.add %1, %r : tensor<21x40xf32>
  func.return %y : tensor<21x40xf32>
}
