// The projection to queries, keys and values, split and laid out by head.
func.func @qkv(%x: tensor<32x64xbf16>, %w: tensor<64x192xbf16>, %b: tensor<192xf32>) -> (tensor<4x32x16xbf16>, tensor<4x32x16xbf16>, tensor<4x32x16xbf16>) {
  %0 = ptir.dot_general %x, %w contract [1] x [0] accum f32 out f32 : (tensor<32x64xbf16>, tensor<64x192xbf16>) -> tensor<32x192xf32>
  %1 = ptir.broadcast_to %b : tensor<192xf32> -> tensor<32x192xf32>
  %2 = ptir.add %0, %1 : tensor<32x192xf32>
  %3 = ptir.cast %2 : tensor<32x192xf32> -> tensor<32x192xbf16>
  %q0 = ptir.slice %3 [0, 0] : tensor<32x192xbf16> -> tensor<32x64xbf16>
  %k0 = ptir.slice %3 [0, 64] : tensor<32x192xbf16> -> tensor<32x64xbf16>
  %v0 = ptir.slice %3 [0, 128] : tensor<32x192xbf16> -> tensor<32x64xbf16>
  %q1 = ptir.reshape %q0 : tensor<32x64xbf16> -> tensor<32x4x16xbf16>
  %k1 = ptir.reshape %k0 : tensor<32x64xbf16> -> tensor<32x4x16xbf16>
  %v1 = ptir.reshape %v0 : tensor<32x64xbf16> -> tensor<32x4x16xbf16>
  %q = ptir.transpose %q1 [1, 0, 2] : tensor<32x4x16xbf16> -> tensor<4x32x16xbf16>
  %k = ptir.transpose %k1 [1, 0, 2] : tensor<32x4x16xbf16> -> tensor<4x32x16xbf16>
  %v = ptir.transpose %v1 [1, 0, 2] : tensor<32x4x16xbf16> -> tensor<4x32x16xbf16>
  func.return %q, %k, %v : tensor<4x32x16xbf16>, tensor<4x32x16xbf16>, tensor<4x32x16xbf16>
}
