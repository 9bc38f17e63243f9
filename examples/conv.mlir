// A 3 x 3 convolution with stride 2 of what another op computes, written as the contract does: patches times a filter.
func.func @conv(%x: tensor<1x64x64x8xf32>, %w: tensor<72x16xf32>) -> tensor<1x32x32x16xf32> {
  %r = ptir.tanh %x : tensor<1x64x64x8xf32>
  %p = ptir.extract_patches %r window [3, 3] strides [2, 2] padding [(1, 1), (1, 1)]
     : tensor<1x64x64x8xf32> -> tensor<1x32x32x72xf32>
  %y = ptir.dot_general %p, %w contract [3] x [0] accum f32 out f32
     : (tensor<1x32x32x72xf32>, tensor<72x16xf32>) -> tensor<1x32x32x16xf32>
  func.return %y : tensor<1x32x32x16xf32>
}
