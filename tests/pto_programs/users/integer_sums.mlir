// How often each of 12 values occurs in each row, and the sum and the maximum of each row.
func.func @integer_sums(%x: tensor<9x40xi32>) -> (tensor<9x12xi32>, tensor<9xi32>, tensor<9xi32>) {
  %bin = ptir.iota axis 2 : tensor<9x40x12xi32>
  %wide = ptir.reshape %x : tensor<9x40xi32> -> tensor<9x40x1xi32>
  %all = ptir.broadcast_to %wide : tensor<9x40x1xi32> -> tensor<9x40x12xi32>
  %hit = ptir.compare eq %all, %bin : tensor<9x40x12xi32> -> tensor<9x40x12xi1>
  %one = ptir.cast %hit : tensor<9x40x12xi1> -> tensor<9x40x12xi32>
  %count = ptir.reduce sum %one axes [1] : tensor<9x40x12xi32> -> tensor<9x12xi32>
  %sum = ptir.reduce sum %x axes [1] : tensor<9x40xi32> -> tensor<9xi32>
  %max = ptir.reduce max %x axes [1] : tensor<9x40xi32> -> tensor<9xi32>
  func.return %count, %sum, %max : tensor<9x12xi32>, tensor<9xi32>, tensor<9xi32>
}
