// Causal attention of two heads: two products, and the masked softmax between them.
func.func @causal_attention(%q: tensor<2x32x64xbf16>, %k: tensor<2x32x64xbf16>, %v: tensor<2x32x64xbf16>) -> tensor<2x32x64xbf16> {
  %0 = ptir.dot_general %q, %k batch [0] x [0] contract [2] x [2] accum f32 out f32 : (tensor<2x32x64xbf16>, tensor<2x32x64xbf16>) -> tensor<2x32x32xf32>
  %scale = ptir.constant dense<0.125> : tensor<2x32x32xf32>
  %1 = ptir.mul %0, %scale : tensor<2x32x32xf32>
  %i = ptir.iota axis 0 : tensor<32x32xsi32>
  %j = ptir.iota axis 1 : tensor<32x32xsi32>
  %p = ptir.compare le %j, %i : tensor<32x32xsi32> -> tensor<32x32xi1>
  %pp = ptir.broadcast_to %p : tensor<32x32xi1> -> tensor<2x32x32xi1>
  %none = ptir.constant dense<0xFF800000> : tensor<2x32x32xf32>
  %x = ptir.select %pp, %1, %none : tensor<2x32x32xi1>, tensor<2x32x32xf32>
  %max = ptir.reduce max %x axes [2] keepdims : tensor<2x32x32xf32> -> tensor<2x32x1xf32>
  %maxes = ptir.broadcast_to %max : tensor<2x32x1xf32> -> tensor<2x32x32xf32>
  %d = ptir.sub %x, %maxes : tensor<2x32x32xf32>
  %e = ptir.exp %d : tensor<2x32x32xf32>
  %sum = ptir.reduce sum %e axes [2] keepdims : tensor<2x32x32xf32> -> tensor<2x32x1xf32>
  %sums = ptir.broadcast_to %sum : tensor<2x32x1xf32> -> tensor<2x32x32xf32>
  %w = ptir.div %e, %sums : tensor<2x32x32xf32>
  %wb = ptir.cast %w : tensor<2x32x32xf32> -> tensor<2x32x32xbf16>
  %o = ptir.dot_general %wb, %v batch [0] x [0] contract [2] x [1] accum f32 out f32 : (tensor<2x32x32xbf16>, tensor<2x32x64xbf16>) -> tensor<2x32x64xf32>
  %y = ptir.cast %o : tensor<2x32x64xf32> -> tensor<2x32x64xbf16>
  func.return %y : tensor<2x32x64xbf16>
}
