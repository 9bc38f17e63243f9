// Attention with ALiBi and a mask of padding: keys at or after the length of the batch are left out.
func.func @alibi(%q: tensor<2x3x29x32xf16>, %k: tensor<2x3x45x32xf16>, %v: tensor<2x3x45x32xf16>, %slopes: tensor<3xf32>, %keep: tensor<2x45xf32>) -> tensor<2x3x29x32xf16> {
  %dot = ptir.dot_general %q, %k batch [0, 1] x [0, 1] contract [3] x [3] accum f32 out f32 : (tensor<2x3x29x32xf16>, tensor<2x3x45x32xf16>) -> tensor<2x3x29x45xf32>
  %c = ptir.constant dense<0.17677669> : tensor<2x3x29x45xf32>
  %s0 = ptir.mul %dot, %c : tensor<2x3x29x45xf32>
  %row = ptir.iota axis 2 : tensor<2x3x29x45xi32>
  %col = ptir.iota axis 3 : tensor<2x3x29x45xi32>
  %dist = ptir.sub %col, %row : tensor<2x3x29x45xi32>
  %distf = ptir.cast %dist : tensor<2x3x29x45xi32> -> tensor<2x3x29x45xf32>
  %sl = ptir.reshape %slopes : tensor<3xf32> -> tensor<1x3x1x1xf32>
  %slb = ptir.broadcast_to %sl : tensor<1x3x1x1xf32> -> tensor<2x3x29x45xf32>
  %bias = ptir.mul %distf, %slb : tensor<2x3x29x45xf32>
  %s1 = ptir.add %s0, %bias : tensor<2x3x29x45xf32>
  %zero = ptir.constant dense<0.0> : tensor<2x45xf32>
  %m = ptir.compare gt %keep, %zero : tensor<2x45xf32> -> tensor<2x45xi1>
  %m1 = ptir.reshape %m : tensor<2x45xi1> -> tensor<2x1x1x45xi1>
  %mb = ptir.broadcast_to %m1 : tensor<2x1x1x45xi1> -> tensor<2x3x29x45xi1>
  %least = ptir.constant dense<-1.0e30> : tensor<2x3x29x45xf32>
  %s = ptir.select %mb, %s1, %least : tensor<2x3x29x45xi1>, tensor<2x3x29x45xf32>
  %max = ptir.reduce max %s axes [3] keepdims : tensor<2x3x29x45xf32> -> tensor<2x3x29x1xf32>
  %maxb = ptir.broadcast_to %max : tensor<2x3x29x1xf32> -> tensor<2x3x29x45xf32>
  %d = ptir.sub %s, %maxb : tensor<2x3x29x45xf32>
  %e = ptir.exp %d : tensor<2x3x29x45xf32>
  %sum = ptir.reduce sum %e axes [3] keepdims : tensor<2x3x29x45xf32> -> tensor<2x3x29x1xf32>
  %sumb = ptir.broadcast_to %sum : tensor<2x3x29x1xf32> -> tensor<2x3x29x45xf32>
  %p = ptir.div %e, %sumb : tensor<2x3x29x45xf32>
  %ph = ptir.cast %p : tensor<2x3x29x45xf32> -> tensor<2x3x29x45xf16>
  %o = ptir.dot_general %ph, %v batch [0, 1] x [0, 1] contract [3] x [2] accum f32 out f16 : (tensor<2x3x29x45xf16>, tensor<2x3x45x32xf16>) -> tensor<2x3x29x32xf16>
  func.return %o : tensor<2x3x29x32xf16>
}
