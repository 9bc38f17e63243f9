// Examples of the elementwise extensions for the reference pages (generate.py); they are parsed only.
builtin.module attributes {ptir.extensions} {
  func.func @extensions(%a: tensor<4xf32>, %b: tensor<4xf32>, %p: tensor<4xi1>, %q: tensor<4xi1>, %u: tensor<4xui32>, %v: tensor<4xui32>) {
    %sqrt = ptir.sqrt %a : tensor<4xf32>
    %sin = ptir.sin %a : tensor<4xf32>
    %cos = ptir.cos %a : tensor<4xf32>
    %floor = ptir.floor %a : tensor<4xf32>
    %ceil = ptir.ceil %a : tensor<4xf32>
    %round = ptir.round %a : tensor<4xf32>
    %sign = ptir.sign %a : tensor<4xf32>
    %log1p = ptir.log1p %a : tensor<4xf32>
    %exp2 = ptir.exp2 %a : tensor<4xf32>
    %expm1 = ptir.expm1 %a : tensor<4xf32>
    %erfc = ptir.erfc %a : tensor<4xf32>
    %logistic = ptir.logistic %a : tensor<4xf32>
    %not = ptir.not %p : tensor<4xi1>
    %pow = ptir.pow %a, %b : tensor<4xf32>
    %remainder = ptir.remainder %a, %b : tensor<4xf32>
    %and = ptir.and %p, %q : tensor<4xi1>
    %or = ptir.or %p, %q : tensor<4xi1>
    %xor = ptir.xor %p, %q : tensor<4xi1>
    %shift_left = ptir.shift_left %u, %v : tensor<4xui32>
    %shift_right_arithmetic = ptir.shift_right_arithmetic %u, %v : tensor<4xui32>
    %shift_right_logical = ptir.shift_right_logical %u, %v : tensor<4xui32>
    func.return
  }
}
