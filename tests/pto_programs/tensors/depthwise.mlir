module attributes {ptir.extensions} {
// A causal depthwise convolution of width 3, SiLU (as in Mamba).
func.func @depthwise(%x: tensor<2x29x40xf16>, %w: tensor<3x40xf16>) -> tensor<2x29x40xf16> {
  
  %p = ptir.pad %x with 0.0 : f16 low [0, 2, 0] high [0, 0, 0] interior [0, 0, 0] : tensor<2x29x40xf16> -> tensor<2x31x40xf16>
  %x0 = ptir.slice %p [0, 0, 0] : tensor<2x31x40xf16> -> tensor<2x29x40xf16>
  %x1 = ptir.slice %p [0, 1, 0] : tensor<2x31x40xf16> -> tensor<2x29x40xf16>
  %x2 = ptir.slice %p [0, 2, 0] : tensor<2x31x40xf16> -> tensor<2x29x40xf16>
  %w0 = ptir.slice %w [0, 0] : tensor<3x40xf16> -> tensor<1x40xf16>
  %w1 = ptir.slice %w [1, 0] : tensor<3x40xf16> -> tensor<1x40xf16>
  %w2 = ptir.slice %w [2, 0] : tensor<3x40xf16> -> tensor<1x40xf16>
  %b0 = ptir.broadcast_to %w0 : tensor<1x40xf16> -> tensor<2x29x40xf16>
  %b1 = ptir.broadcast_to %w1 : tensor<1x40xf16> -> tensor<2x29x40xf16>
  %b2 = ptir.broadcast_to %w2 : tensor<1x40xf16> -> tensor<2x29x40xf16>
  %m0 = ptir.mul %x0, %b0 : tensor<2x29x40xf16>
  %m1 = ptir.mul %x1, %b1 : tensor<2x29x40xf16>
  %m2 = ptir.mul %x2, %b2 : tensor<2x29x40xf16>
  %s0 = ptir.add %m0, %m1 : tensor<2x29x40xf16>
  %s1 = ptir.add %s0, %m2 : tensor<2x29x40xf16>
  %sg = ptir.logistic %s1 : tensor<2x29x40xf16>
  %y = ptir.mul %s1, %sg : tensor<2x29x40xf16>
  func.return %y : tensor<2x29x40xf16>
}
}
