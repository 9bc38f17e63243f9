func.func @linear(%x: tensor<?x64xbf16, #ptir.dims<B, _>>, %w: tensor<64x32xbf16>) -> tensor<?x32xf32, #ptir.dims<B, _>> {
  %0 = ptir.dot_general %x, %w contract [1] x [0] accum f32 out f32
     : (tensor<?x64xbf16, #ptir.dims<B, _>>, tensor<64x32xbf16>) -> tensor<?x32xf32, #ptir.dims<B, _>>
  func.return %0 : tensor<?x32xf32, #ptir.dims<B, _>>
}
