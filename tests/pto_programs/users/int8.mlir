// Quantizes rows to int8 by their greatest absolute value, and dequantizes them.
builtin.module attributes {ptir.extensions} {
func.func @int8(%x: tensor<21x40xf32>) -> (tensor<21x40xi8>, tensor<21x40xf32>) {
  %a = ptir.abs %x : tensor<21x40xf32>
  %max = ptir.reduce max %a axes [1] keepdims : tensor<21x40xf32> -> tensor<21x1xf32>
  %most = ptir.constant dense<127.0> : tensor<21x1xf32>
  %least = ptir.constant dense<-127.0> : tensor<21x40xf32>
  %top = ptir.constant dense<127.0> : tensor<21x40xf32>
  %scale = ptir.div %max, %most : tensor<21x1xf32>
  %scales = ptir.broadcast_to %scale : tensor<21x1xf32> -> tensor<21x40xf32>
  %0 = ptir.div %x, %scales : tensor<21x40xf32>
  %1 = ptir.round %0 : tensor<21x40xf32>
  %2 = ptir.clamp %1, %least, %top : tensor<21x40xf32>
  %q = ptir.cast %2 : tensor<21x40xf32> -> tensor<21x40xi8>
  %back = ptir.cast %q : tensor<21x40xi8> -> tensor<21x40xf32>
  %y = ptir.mul %back, %scales : tensor<21x40xf32>
  func.return %q, %y : tensor<21x40xi8>, tensor<21x40xf32>
}
}
