// Rotary embedding of two heads: the halves of each head are rotated by angles that depend on the position.
func.func @rotary(%x: tensor<2x20x32xbf16>, %cos: tensor<20x16xf32>, %sin: tensor<20x16xf32>) -> tensor<2x20x32xbf16> {
  %a = ptir.slice %x [0, 0, 0] : tensor<2x20x32xbf16> -> tensor<2x20x16xbf16>
  %b = ptir.slice %x [0, 0, 16] : tensor<2x20x32xbf16> -> tensor<2x20x16xbf16>
  %p = ptir.cast %a : tensor<2x20x16xbf16> -> tensor<2x20x16xf32>
  %q = ptir.cast %b : tensor<2x20x16xbf16> -> tensor<2x20x16xf32>
  %c = ptir.broadcast_to %cos : tensor<20x16xf32> -> tensor<2x20x16xf32>
  %s = ptir.broadcast_to %sin : tensor<20x16xf32> -> tensor<2x20x16xf32>
  %pc = ptir.mul %p, %c : tensor<2x20x16xf32>
  %qs = ptir.mul %q, %s : tensor<2x20x16xf32>
  %ps = ptir.mul %p, %s : tensor<2x20x16xf32>
  %qc = ptir.mul %q, %c : tensor<2x20x16xf32>
  %first = ptir.sub %pc, %qs : tensor<2x20x16xf32>
  %second = ptir.add %ps, %qc : tensor<2x20x16xf32>
  %both = ptir.concat %first, %second axis 2 : (tensor<2x20x16xf32>, tensor<2x20x16xf32>) -> tensor<2x20x32xf32>
  %y = ptir.cast %both : tensor<2x20x32xf32> -> tensor<2x20x32xbf16>
  func.return %y : tensor<2x20x32xbf16>
}
