// Rotary embedding of four heads: the halves of each head are rotated by angles that depend on the position.
func.func @rotary(%x: tensor<4x64x128xbf16>, %cos: tensor<64x64xf32>, %sin: tensor<64x64xf32>) -> tensor<4x64x128xbf16> {
  %a = ptir.slice %x [0, 0, 0] : tensor<4x64x128xbf16> -> tensor<4x64x64xbf16>
  %b = ptir.slice %x [0, 0, 64] : tensor<4x64x128xbf16> -> tensor<4x64x64xbf16>
  %p = ptir.cast %a : tensor<4x64x64xbf16> -> tensor<4x64x64xf32>
  %q = ptir.cast %b : tensor<4x64x64xbf16> -> tensor<4x64x64xf32>
  %c = ptir.broadcast_to %cos : tensor<64x64xf32> -> tensor<4x64x64xf32>
  %s = ptir.broadcast_to %sin : tensor<64x64xf32> -> tensor<4x64x64xf32>
  %pc = ptir.mul %p, %c : tensor<4x64x64xf32>
  %qs = ptir.mul %q, %s : tensor<4x64x64xf32>
  %ps = ptir.mul %p, %s : tensor<4x64x64xf32>
  %qc = ptir.mul %q, %c : tensor<4x64x64xf32>
  %first = ptir.sub %pc, %qs : tensor<4x64x64xf32>
  %second = ptir.add %ps, %qc : tensor<4x64x64xf32>
  %both = ptir.concat %first, %second axis 2 : (tensor<4x64x64xf32>, tensor<4x64x64xf32>) -> tensor<4x64x128xf32>
  %y = ptir.cast %both : tensor<4x64x128xf32> -> tensor<4x64x128xbf16>
  func.return %y : tensor<4x64x128xbf16>
}
