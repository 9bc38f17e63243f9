// Unsigned integers: quotients, remainders, conversions, and extremes of rows and columns.
builtin.module attributes {ptir.extensions} {
func.func @bytes(%x: tensor<21x40xui8>, %y: tensor<21x40xui32>, %z: tensor<21x40xf32>) -> (tensor<21x40xui8>, tensor<21x40xui32>, tensor<21x40xf32>, tensor<21x40xui32>, tensor<40xui8>, tensor<21xui32>) {
  %ten = ptir.constant dense<10> : tensor<21x40xui8>
  %large = ptir.constant dense<3000000000> : tensor<21x40xui32>
  %q = ptir.div %x, %ten : tensor<21x40xui8>
  %r = ptir.remainder %y, %large : tensor<21x40xui32>
  %f = ptir.cast %y : tensor<21x40xui32> -> tensor<21x40xf32>
  %u = ptir.cast %z : tensor<21x40xf32> -> tensor<21x40xui32>
  %least = ptir.reduce min %x axes [0] : tensor<21x40xui8> -> tensor<40xui8>
  %most = ptir.reduce max %y axes [1] : tensor<21x40xui32> -> tensor<21xui32>
  func.return %q, %r, %f, %u, %least, %most : tensor<21x40xui8>, tensor<21x40xui32>, tensor<21x40xf32>, tensor<21x40xui32>, tensor<40xui8>, tensor<21xui32>
}
}
