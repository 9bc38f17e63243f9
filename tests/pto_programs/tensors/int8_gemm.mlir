module attributes {ptir.extensions} {
// A product of i8 with a factor for each column, rounded and clamped to i8.
func.func @int8_gemm(%x: tensor<45x67xi8>, %w: tensor<67x53xi8>, %scale: tensor<53xf32>) -> tensor<45x53xi8> {
  %0 = ptir.dot_general %x, %w contract [1] x [0] accum i32 out i32 : (tensor<45x67xi8>, tensor<67x53xi8>) -> tensor<45x53xi32>
  %f = ptir.cast %0 : tensor<45x53xi32> -> tensor<45x53xf32>
  %sb = ptir.broadcast_to %scale : tensor<53xf32> -> tensor<45x53xf32>
  %1 = ptir.mul %f, %sb : tensor<45x53xf32>
  %2 = ptir.round %1 : tensor<45x53xf32>
  %hi = ptir.constant dense<127.0> : tensor<45x53xf32>
  %lo = ptir.constant dense<-128.0> : tensor<45x53xf32>
  %3 = ptir.minimum %2, %hi : tensor<45x53xf32>
  %4 = ptir.maximum %3, %lo : tensor<45x53xf32>
  %y = ptir.cast %4 : tensor<45x53xf32> -> tensor<45x53xi8>
  func.return %y : tensor<45x53xi8>
}
}
