// Functions that PTO has no instruction for.
builtin.module attributes {ptir.extensions} {
func.func @functions(%x: tensor<21x40xf32>, %y: tensor<21x40xf32>) -> (tensor<21x40xf32>, tensor<21x40xf32>, tensor<21x40xf32>, tensor<21x40xf32>) {
  %a = ptir.abs %x : tensor<21x40xf32>
  %l = ptir.log1p %a : tensor<21x40xf32>
  %e = ptir.expm1 %x : tensor<21x40xf32>
  %p = ptir.pow %a, %y : tensor<21x40xf32>
  %r = ptir.remainder %x, %y : tensor<21x40xf32>
  func.return %l, %e, %p, %r : tensor<21x40xf32>, tensor<21x40xf32>, tensor<21x40xf32>, tensor<21x40xf32>
}
}
