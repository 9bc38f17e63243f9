// Reductions of reductions: the largest sum of squares, the sum of the largest, and the sum of everything.
func.func @reductions(%x: tensor<8x16x64xf32>) -> (tensor<8xf32>, tensor<f32>, tensor<f32>) {
  %q = ptir.mul %x, %x : tensor<8x16x64xf32>
  %rows = ptir.reduce sum %q axes [2] : tensor<8x16x64xf32> -> tensor<8x16xf32>
  %largest = ptir.reduce max %rows axes [1] : tensor<8x16xf32> -> tensor<8xf32>
  %tops = ptir.reduce max %x axes [0, 2] : tensor<8x16x64xf32> -> tensor<16xf32>
  %top = ptir.reduce sum %tops axes [0] : tensor<16xf32> -> tensor<f32>
  %all = ptir.reduce sum %x axes [0, 1, 2] : tensor<8x16x64xf32> -> tensor<f32>
  func.return %largest, %top, %all : tensor<8xf32>, tensor<f32>, tensor<f32>
}
