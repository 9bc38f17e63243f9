// Sizes of 1: a product of a row and a column, an outer product, and a softmax of one element.
func.func @ones(%a: tensor<1x13xf32>, %b: tensor<13x1xf32>, %x: tensor<7x1xf32>) -> (tensor<1x1xf32>, tensor<13x13xf32>, tensor<7x1xf32>) {
  %0 = ptir.dot_general %a, %b contract [1] x [0] accum f32 out f32 : (tensor<1x13xf32>, tensor<13x1xf32>) -> tensor<1x1xf32>
  %1 = ptir.dot_general %b, %a contract [1] x [0] accum f32 out f32 : (tensor<13x1xf32>, tensor<1x13xf32>) -> tensor<13x13xf32>
  %m = ptir.reduce max %x axes [1] keepdims : tensor<7x1xf32> -> tensor<7x1xf32>
  %d = ptir.sub %x, %m : tensor<7x1xf32>
  %e = ptir.exp %d : tensor<7x1xf32>
  %s = ptir.reduce sum %e axes [1] keepdims : tensor<7x1xf32> -> tensor<7x1xf32>
  %y = ptir.div %e, %s : tensor<7x1xf32>
  func.return %0, %1, %y : tensor<1x1xf32>, tensor<13x13xf32>, tensor<7x1xf32>
}
