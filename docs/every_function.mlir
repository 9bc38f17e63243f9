// Elementwise functions that kernels compute, for the examples of the reference pages of pto and nv.
module attributes {ptir.extensions} {
  func.func @floats(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
    %0 = ptir.sin %x : tensor<4xf32>
    %1 = ptir.cos %0 : tensor<4xf32>
    %2 = ptir.floor %1 : tensor<4xf32>
    %3 = ptir.ceil %2 : tensor<4xf32>
    %4 = ptir.round %3 : tensor<4xf32>
    %5 = ptir.log1p %4 : tensor<4xf32>
    %6 = ptir.expm1 %5 : tensor<4xf32>
    %7 = ptir.erfc %6 : tensor<4xf32>
    %8 = ptir.sign %7 : tensor<4xf32>
    %9 = ptir.pow %8, %y : tensor<4xf32>
    %10 = ptir.remainder %9, %y : tensor<4xf32>
    %11 = ptir.exp2 %10 : tensor<4xf32>
    func.return %11 : tensor<4xf32>
  }
  func.func @integers(%x: tensor<4xi32>, %y: tensor<4xi32>) -> tensor<4xi32> {
    %0 = ptir.and %x, %y : tensor<4xi32>
    %1 = ptir.or %0, %y : tensor<4xi32>
    %2 = ptir.xor %1, %y : tensor<4xi32>
    %3 = ptir.shift_left %2, %y : tensor<4xi32>
    %4 = ptir.shift_right_arithmetic %3, %y : tensor<4xi32>
    %5 = ptir.shift_right_logical %4, %y : tensor<4xi32>
    func.return %5 : tensor<4xi32>
  }
}
