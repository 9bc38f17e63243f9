// Batch norm in training: means and variances of columns, then a map.
func.func @batch_norm(%x: tensor<4x8x8x32xf32>, %g: tensor<32xf32>, %beta: tensor<32xf32>) -> (tensor<4x8x8x32xf32>, tensor<32xf32>, tensor<32xf32>) {
  %r = ptir.reshape %x : tensor<4x8x8x32xf32> -> tensor<256x32xf32>
  %n = ptir.constant dense<256.0> : tensor<32xf32>
  %t = ptir.reduce sum %r axes [0] : tensor<256x32xf32> -> tensor<32xf32>
  %mean = ptir.div %t, %n : tensor<32xf32>
  %means = ptir.broadcast_to %mean : tensor<32xf32> -> tensor<256x32xf32>
  %d = ptir.sub %r, %means : tensor<256x32xf32>
  %d2 = ptir.mul %d, %d : tensor<256x32xf32>
  %t2 = ptir.reduce sum %d2 axes [0] : tensor<256x32xf32> -> tensor<32xf32>
  %variance = ptir.div %t2, %n : tensor<32xf32>
  %eps = ptir.constant dense<0.00001> : tensor<32xf32>
  %v = ptir.add %variance, %eps : tensor<32xf32>
  %rstd = ptir.rsqrt %v : tensor<32xf32>
  %rs = ptir.broadcast_to %rstd : tensor<32xf32> -> tensor<256x32xf32>
  %h = ptir.mul %d, %rs : tensor<256x32xf32>
  %gs = ptir.broadcast_to %g : tensor<32xf32> -> tensor<256x32xf32>
  %bs = ptir.broadcast_to %beta : tensor<32xf32> -> tensor<256x32xf32>
  %hg = ptir.mul %h, %gs : tensor<256x32xf32>
  %z = ptir.add %hg, %bs : tensor<256x32xf32>
  %y = ptir.reshape %z : tensor<256x32xf32> -> tensor<4x8x8x32xf32>
  func.return %y, %mean, %variance : tensor<4x8x8x32xf32>, tensor<32xf32>, tensor<32xf32>
}
