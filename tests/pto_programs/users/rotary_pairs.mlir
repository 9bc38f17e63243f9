// Rotary embedding of pairs of neighbors, with tables of cosines and sines.
func.func @rotary_pairs(%x: tensor<20x32xf32>, %c: tensor<20x16xf32>, %s: tensor<20x16xf32>) -> tensor<20x32xf32> {
  %pair = ptir.reshape %x : tensor<20x32xf32> -> tensor<20x16x2xf32>
  %a0 = ptir.slice %pair [0, 0, 0] : tensor<20x16x2xf32> -> tensor<20x16x1xf32>
  %b0 = ptir.slice %pair [0, 0, 1] : tensor<20x16x2xf32> -> tensor<20x16x1xf32>
  %a = ptir.reshape %a0 : tensor<20x16x1xf32> -> tensor<20x16xf32>
  %b = ptir.reshape %b0 : tensor<20x16x1xf32> -> tensor<20x16xf32>
  %ac = ptir.mul %a, %c : tensor<20x16xf32>
  %bs = ptir.mul %b, %s : tensor<20x16xf32>
  %as = ptir.mul %a, %s : tensor<20x16xf32>
  %bc = ptir.mul %b, %c : tensor<20x16xf32>
  %first = ptir.sub %ac, %bs : tensor<20x16xf32>
  %second = ptir.add %as, %bc : tensor<20x16xf32>
  %f3 = ptir.reshape %first : tensor<20x16xf32> -> tensor<20x16x1xf32>
  %s3 = ptir.reshape %second : tensor<20x16xf32> -> tensor<20x16x1xf32>
  %both = ptir.concat %f3, %s3 axis 2 : (tensor<20x16x1xf32>, tensor<20x16x1xf32>) -> tensor<20x16x2xf32>
  %y = ptir.reshape %both : tensor<20x16x2xf32> -> tensor<20x32xf32>
  func.return %y : tensor<20x32xf32>
}
