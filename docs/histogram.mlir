// How often each of 256 values occurs.
func.func @histogram(%x: tensor<1000000xsi32>) -> tensor<256xsi32> {
  %one = ptir.constant dense<1> : tensor<1000000xsi32>
  %0 = ptir.segment_reduce sum %one, %x : (tensor<1000000xsi32>, tensor<1000000xsi32>) -> tensor<256xsi32>
  func.return %0 : tensor<256xsi32>
}
