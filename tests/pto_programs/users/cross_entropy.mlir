// The loss of labels that are numbers of 64 bits, as a sum and for each row.
func.func @cross_entropy(%x: tensor<21x33xf32>, %t: tensor<21xsi64>) -> (tensor<f32>, tensor<21xf32>) {
  %m = ptir.reduce max %x axes [1] keepdims : tensor<21x33xf32> -> tensor<21x1xf32>
  %mb = ptir.broadcast_to %m : tensor<21x1xf32> -> tensor<21x33xf32>
  %d = ptir.sub %x, %mb : tensor<21x33xf32>
  %e = ptir.exp %d : tensor<21x33xf32>
  %s = ptir.reduce sum %e axes [1] keepdims : tensor<21x33xf32> -> tensor<21x1xf32>
  %l = ptir.log %s : tensor<21x1xf32>
  %lb = ptir.broadcast_to %l : tensor<21x1xf32> -> tensor<21x33xf32>
  %lp = ptir.sub %d, %lb : tensor<21x33xf32>
  %t1 = ptir.reshape %t : tensor<21xsi64> -> tensor<21x1xsi64>
  %g = ptir.gather %lp, %t1 axis 1 : (tensor<21x33xf32>, tensor<21x1xsi64>) -> tensor<21x1xf32>
  %n = ptir.neg %g : tensor<21x1xf32>
  %n1 = ptir.reshape %n : tensor<21x1xf32> -> tensor<21xf32>
  %loss = ptir.reduce sum %n1 axes [0] : tensor<21xf32> -> tensor<f32>
  func.return %loss, %n1 : tensor<f32>, tensor<21xf32>
}
