// A padded 3 x 3 convolution, batch norm with its running statistics, relu, and 2 x 2 max pooling.
func.func @conv_block(%x: tensor<2x8x8x16xbf16>, %w: tensor<3x3x16x32xbf16>, %scale: tensor<32xf32>, %shift: tensor<32xf32>) -> tensor<2x4x4x32xbf16> {
  %p = ptir.extract_patches %x window [3, 3] padding [(1, 1), (1, 1)] : tensor<2x8x8x16xbf16> -> tensor<2x8x8x144xbf16>
  %w2 = ptir.reshape %w : tensor<3x3x16x32xbf16> -> tensor<144x32xbf16>
  %0 = ptir.dot_general %p, %w2 contract [3] x [0] accum f32 out f32 : (tensor<2x8x8x144xbf16>, tensor<144x32xbf16>) -> tensor<2x8x8x32xf32>
  %s = ptir.broadcast_to %scale : tensor<32xf32> -> tensor<2x8x8x32xf32>
  %t = ptir.broadcast_to %shift : tensor<32xf32> -> tensor<2x8x8x32xf32>
  %1 = ptir.mul %0, %s : tensor<2x8x8x32xf32>
  %2 = ptir.add %1, %t : tensor<2x8x8x32xf32>
  %zero = ptir.constant dense<0.0> : tensor<2x8x8x32xf32>
  %3 = ptir.maximum %2, %zero : tensor<2x8x8x32xf32>
  %4 = ptir.reshape %3 : tensor<2x8x8x32xf32> -> tensor<2x4x2x4x2x32xf32>
  %5 = ptir.reduce max %4 axes [2, 4] : tensor<2x4x2x4x2x32xf32> -> tensor<2x4x4x32xf32>
  %y = ptir.cast %5 : tensor<2x4x4x32xf32> -> tensor<2x4x4x32xbf16>
  func.return %y : tensor<2x4x4x32xbf16>
}
