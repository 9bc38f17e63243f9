// The rows of some tokens in a table, plus a position, normalized.
func.func @embedding_norm(%table: tensor<50x48xf32>, %tokens: tensor<20xi32>, %position: tensor<20x48xf32>, %g: tensor<48xf32>, %b: tensor<48xf32>) -> tensor<20x48xf32> {
  %0 = ptir.take %table, %tokens : (tensor<50x48xf32>, tensor<20xi32>) -> tensor<20x48xf32>
  %1 = ptir.add %0, %position : tensor<20x48xf32>
  %y = ptir.layer_norm %1, %g, %b axis -1 epsilon 1.0e-05 : tensor<20x48xf32>, tensor<48xf32>
  func.return %y : tensor<20x48xf32>
}
