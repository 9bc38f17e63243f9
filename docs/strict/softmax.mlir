builtin.module attributes {ptir.strict_floats} {
  func.func @f(%x: tensor<64x96xbf16>, %w: tensor<96x48xbf16>) -> tensor<64x48xf32> {
    %y = ptir.dot_general %x, %w contract [1] x [0] accum f32 out f32 : (tensor<64x96xbf16>, tensor<96x48xbf16>) -> tensor<64x48xf32>
    %max = ptir.reduce max %y axes [1] keepdims : tensor<64x48xf32> -> tensor<64x1xf32>
    %maxes = ptir.broadcast_to %max : tensor<64x1xf32> -> tensor<64x48xf32>
    %d = ptir.sub %y, %maxes : tensor<64x48xf32>
    %e = ptir.exp %d : tensor<64x48xf32>
    %sum = ptir.reduce sum %e axes [1] keepdims : tensor<64x48xf32> -> tensor<64x1xf32>
    %sums = ptir.broadcast_to %sum : tensor<64x1xf32> -> tensor<64x48xf32>
    %p = ptir.div %e, %sums : tensor<64x48xf32>
    func.return %p : tensor<64x48xf32>
  }
}
