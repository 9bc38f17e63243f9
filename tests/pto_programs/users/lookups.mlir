// An element of a row that a position selects, of rows that others select.
func.func @lookups(%x: tensor<21x9xf32>, %i: tensor<17xi32>, %j: tensor<17x1xi32>) -> tensor<17x1xf32> {
  %a = ptir.take %x, %i : (tensor<21x9xf32>, tensor<17xi32>) -> tensor<17x9xf32>
  %y = ptir.gather %a, %j axis 1 : (tensor<17x9xf32>, tensor<17x1xi32>) -> tensor<17x1xf32>
  func.return %y : tensor<17x1xf32>
}
