// Comparisons of integers, each by a tile, and two by numbers.
func.func @comparisons(%x: tensor<21x40xi32>, %y: tensor<21x40xi32>) -> (tensor<21x40xi1>, tensor<21x40xi1>, tensor<21x40xi1>, tensor<21x40xi1>, tensor<21x40xi1>, tensor<21x40xi1>, tensor<21x40xi32>) {
  %lt = ptir.compare lt %x, %y : tensor<21x40xi32> -> tensor<21x40xi1>
  %le = ptir.compare le %x, %y : tensor<21x40xi32> -> tensor<21x40xi1>
  %gt = ptir.compare gt %x, %y : tensor<21x40xi32> -> tensor<21x40xi1>
  %ge = ptir.compare ge %x, %y : tensor<21x40xi32> -> tensor<21x40xi1>
  %eq = ptir.compare eq %x, %y : tensor<21x40xi32> -> tensor<21x40xi1>
  %ne = ptir.compare ne %x, %y : tensor<21x40xi32> -> tensor<21x40xi1>
  %one = ptir.constant dense<1> : tensor<21x40xi32>
  %minus = ptir.constant dense<-1> : tensor<21x40xi32>
  %seven = ptir.constant dense<7> : tensor<21x40xi32>
  %a = ptir.compare lt %x, %one : tensor<21x40xi32> -> tensor<21x40xi1>
  %b = ptir.compare ge %x, %minus : tensor<21x40xi32> -> tensor<21x40xi1>
  %y1 = ptir.select %a, %y, %seven : tensor<21x40xi1>, tensor<21x40xi32>
  %z = ptir.select %b, %y1, %seven : tensor<21x40xi1>, tensor<21x40xi32>
  func.return %lt, %le, %gt, %ge, %eq, %ne, %z : tensor<21x40xi1>, tensor<21x40xi1>, tensor<21x40xi1>, tensor<21x40xi1>, tensor<21x40xi1>, tensor<21x40xi1>, tensor<21x40xi32>
}
