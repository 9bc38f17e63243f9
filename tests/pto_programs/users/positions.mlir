// Sines and cosines of positions, added to embeddings.
builtin.module attributes {ptir.extensions} {
func.func @positions(%x: tensor<50x32xf32>) -> tensor<50x64xf32> {
  %p = ptir.iota axis 0 : tensor<50x32xi32>
  %i = ptir.iota axis 1 : tensor<50x32xi32>
  %pf = ptir.cast %p : tensor<50x32xi32> -> tensor<50x32xf32>
  %jf = ptir.cast %i : tensor<50x32xi32> -> tensor<50x32xf32>
  %c = ptir.constant dense<-0.2878231366> : tensor<50x32xf32>
  %e = ptir.mul %jf, %c : tensor<50x32xf32>
  %w = ptir.exp %e : tensor<50x32xf32>
  %a = ptir.mul %pf, %w : tensor<50x32xf32>
  %s = ptir.sin %a : tensor<50x32xf32>
  %co = ptir.cos %a : tensor<50x32xf32>
  %s1 = ptir.add %s, %x : tensor<50x32xf32>
  %c1 = ptir.add %co, %x : tensor<50x32xf32>
  %y = ptir.concat %s1, %c1 axis 1 : (tensor<50x32xf32>, tensor<50x32xf32>) -> tensor<50x64xf32>
  func.return %y : tensor<50x64xf32>
}
}
