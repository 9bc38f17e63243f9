// The gradients of causal attention of two heads. Its weights are computed again, from the logarithms of the sums of the forward pass.
func.func @attention_backward(%q: tensor<2x32x64xbf16>, %k: tensor<2x32x64xbf16>, %v: tensor<2x32x64xbf16>, %o: tensor<2x32x64xbf16>, %lse: tensor<2x32x1xf32>, %do: tensor<2x32x64xbf16>) -> (tensor<2x32x64xbf16>, tensor<2x32x64xbf16>, tensor<2x32x64xbf16>) {
  %0 = ptir.dot_general %q, %k batch [0] x [0] contract [2] x [2] accum f32 out f32 : (tensor<2x32x64xbf16>, tensor<2x32x64xbf16>) -> tensor<2x32x32xf32>
  %scale = ptir.constant dense<0.125> : tensor<2x32x32xf32>
  %1 = ptir.mul %0, %scale : tensor<2x32x32xf32>
  %i = ptir.iota axis 0 : tensor<32x32xsi32>
  %j = ptir.iota axis 1 : tensor<32x32xsi32>
  %le = ptir.compare le %j, %i : tensor<32x32xsi32> -> tensor<32x32xi1>
  %kept = ptir.broadcast_to %le : tensor<32x32xi1> -> tensor<2x32x32xi1>
  %none = ptir.constant dense<0xFF800000> : tensor<2x32x32xf32>
  %x = ptir.select %kept, %1, %none : tensor<2x32x32xi1>, tensor<2x32x32xf32>
  %lses = ptir.broadcast_to %lse : tensor<2x32x1xf32> -> tensor<2x32x32xf32>
  %d = ptir.sub %x, %lses : tensor<2x32x32xf32>
  %p = ptir.exp %d : tensor<2x32x32xf32>
  %pb = ptir.cast %p : tensor<2x32x32xf32> -> tensor<2x32x32xbf16>
  %dv = ptir.dot_general %pb, %do batch [0] x [0] contract [1] x [1] accum f32 out bf16 : (tensor<2x32x32xbf16>, tensor<2x32x64xbf16>) -> tensor<2x32x64xbf16>
  %dp = ptir.dot_general %do, %v batch [0] x [0] contract [2] x [2] accum f32 out f32 : (tensor<2x32x64xbf16>, tensor<2x32x64xbf16>) -> tensor<2x32x32xf32>
  %dof = ptir.cast %do : tensor<2x32x64xbf16> -> tensor<2x32x64xf32>
  %of = ptir.cast %o : tensor<2x32x64xbf16> -> tensor<2x32x64xf32>
  %products = ptir.mul %dof, %of : tensor<2x32x64xf32>
  %sum = ptir.reduce sum %products axes [2] keepdims : tensor<2x32x64xf32> -> tensor<2x32x1xf32>
  %sums = ptir.broadcast_to %sum : tensor<2x32x1xf32> -> tensor<2x32x32xf32>
  %difference = ptir.sub %dp, %sums : tensor<2x32x32xf32>
  %ds = ptir.mul %p, %difference : tensor<2x32x32xf32>
  %dx = ptir.mul %ds, %scale : tensor<2x32x32xf32>
  %dxb = ptir.cast %dx : tensor<2x32x32xf32> -> tensor<2x32x32xbf16>
  %dq = ptir.dot_general %dxb, %k batch [0] x [0] contract [2] x [1] accum f32 out bf16 : (tensor<2x32x32xbf16>, tensor<2x32x64xbf16>) -> tensor<2x32x64xbf16>
  %dk = ptir.dot_general %dxb, %q batch [0] x [0] contract [1] x [1] accum f32 out bf16 : (tensor<2x32x32xbf16>, tensor<2x32x64xbf16>) -> tensor<2x32x64xbf16>
  func.return %dq, %dk, %dv : tensor<2x32x64xbf16>, tensor<2x32x64xbf16>, tensor<2x32x64xbf16>
}
