// Rotary position embedding of 4 heads of 64: each half of a head is turned by the other.
func.func @rotary(%x: tensor<2x16x4x64xbf16>, %cos: tensor<16x32xf32>, %sin: tensor<16x32xf32>) -> tensor<2x16x4x64xbf16> {
  %f = ptir.cast %x : tensor<2x16x4x64xbf16> -> tensor<2x16x4x64xf32>
  %a = ptir.slice %f [0, 0, 0, 0] : tensor<2x16x4x64xf32> -> tensor<2x16x4x32xf32>
  %b = ptir.slice %f [0, 0, 0, 32] : tensor<2x16x4x64xf32> -> tensor<2x16x4x32xf32>
  %c1 = ptir.reshape %cos : tensor<16x32xf32> -> tensor<16x1x32xf32>
  %c = ptir.broadcast_to %c1 : tensor<16x1x32xf32> -> tensor<2x16x4x32xf32>
  %s1 = ptir.reshape %sin : tensor<16x32xf32> -> tensor<16x1x32xf32>
  %s = ptir.broadcast_to %s1 : tensor<16x1x32xf32> -> tensor<2x16x4x32xf32>
  %ac = ptir.mul %a, %c : tensor<2x16x4x32xf32>
  %bs = ptir.mul %b, %s : tensor<2x16x4x32xf32>
  %first = ptir.sub %ac, %bs : tensor<2x16x4x32xf32>
  %bc = ptir.mul %b, %c : tensor<2x16x4x32xf32>
  %as = ptir.mul %a, %s : tensor<2x16x4x32xf32>
  %second = ptir.add %bc, %as : tensor<2x16x4x32xf32>
  %both = ptir.concat %first, %second axis 3 : (tensor<2x16x4x32xf32>, tensor<2x16x4x32xf32>) -> tensor<2x16x4x64xf32>
  %y = ptir.cast %both : tensor<2x16x4x64xf32> -> tensor<2x16x4x64xbf16>
  func.return %y : tensor<2x16x4x64xbf16>
}
