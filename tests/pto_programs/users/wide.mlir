// Integers of 64 bits: sums and extremes of rows and columns, a hash of each row, and means.
builtin.module attributes {ptir.extensions} {
func.func @wide(%x: tensor<5x24xsi64>, %u: tensor<5x24xui64>) -> (tensor<5xsi64>, tensor<24xsi64>, tensor<5xsi64>, tensor<24xui64>, tensor<5x24xui64>, tensor<5xf32>, tensor<5x24xsi64>) {
  %rows = ptir.reduce sum %x axes [1] : tensor<5x24xsi64> -> tensor<5xsi64>
  %columns = ptir.reduce sum %x axes [0] : tensor<5x24xsi64> -> tensor<24xsi64>
  %least = ptir.reduce min %x axes [1] : tensor<5x24xsi64> -> tensor<5xsi64>
  %most = ptir.reduce max %u axes [0] : tensor<5x24xui64> -> tensor<24xui64>
  %k = ptir.constant dense<6364136223846793005> : tensor<5x24xui64>
  %s = ptir.constant dense<33> : tensor<5x24xui64>
  %p = ptir.mul %u, %k : tensor<5x24xui64>
  %q = ptir.shift_right_logical %p, %s : tensor<5x24xui64>
  %h = ptir.xor %p, %q : tensor<5x24xui64>
  %f = ptir.cast %rows : tensor<5xsi64> -> tensor<5xf32>
  %column = ptir.reshape %rows : tensor<5xsi64> -> tensor<5x1xsi64>
  %c = ptir.broadcast_to %column : tensor<5x1xsi64> -> tensor<5x24xsi64>
  %d = ptir.sub %x, %c : tensor<5x24xsi64>
  func.return %rows, %columns, %least, %most, %h, %f, %d : tensor<5xsi64>, tensor<24xsi64>, tensor<5xsi64>, tensor<24xui64>, tensor<5x24xui64>, tensor<5xf32>, tensor<5x24xsi64>
}
}
