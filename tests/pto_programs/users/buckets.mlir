// A multiplicative hash of unsigned words into buckets, and a parity.
builtin.module attributes {ptir.extensions} {
func.func @buckets(%x: tensor<33x20xui32>) -> (tensor<33x20xui32>, tensor<33xui32>, tensor<33x20xui8>) {
  %k = ptir.constant dense<2654435761> : tensor<33x20xui32>
  %h = ptir.mul %x, %k : tensor<33x20xui32>
  %s = ptir.constant dense<15> : tensor<33x20xui32>
  %a = ptir.shift_right_logical %h, %s : tensor<33x20xui32>
  %b = ptir.xor %h, %a : tensor<33x20xui32>
  %n = ptir.constant dense<1009> : tensor<33x20xui32>
  %r = ptir.remainder %b, %n : tensor<33x20xui32>
  %q = ptir.reduce sum %r axes [1] : tensor<33x20xui32> -> tensor<33xui32>
  %one = ptir.constant dense<1> : tensor<33x20xui32>
  %p = ptir.and %b, %one : tensor<33x20xui32>
  %p8 = ptir.cast %p : tensor<33x20xui32> -> tensor<33x20xui8>
  func.return %r, %q, %p8 : tensor<33x20xui32>, tensor<33xui32>, tensor<33x20xui8>
}
}
