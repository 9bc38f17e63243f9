// RUN: ptir-opt %s | filecheck %s
// RUN: ptir-opt %s | ptir-opt | filecheck %s
// RUN: ptir-opt --print-op-generic %s | ptir-opt | filecheck %s

// Each op and each word it takes prints as it is read, and its generic form reads as the same op.

// CHECK: func.func @f(%x: tensor<2x3xf32>, %y: tensor<3xf32>, %p: tensor<2x1xi1>) {
func.func @f(%x: tensor<2x3xf32>, %y: tensor<3xf32>, %p: tensor<2x1xi1>) {
  // CHECK-NEXT: %c = tiny.const dense<1.000000e+00> : tensor<2x3xf32>
  %c = tiny.const dense<1.000000e+00> : tensor<2x3xf32>
  // CHECK-NEXT: %r = tiny.movement reshape %x : tensor<2x3xf32> -> tensor<6xf32>
  %r = tiny.movement reshape %x : tensor<2x3xf32> -> tensor<6xf32>
  // CHECK-NEXT: %t = tiny.movement permute %x by [1, 0] : tensor<2x3xf32> -> tensor<3x2xf32>
  %t = tiny.movement permute %x by [1, 0] : tensor<2x3xf32> -> tensor<3x2xf32>
  // CHECK-NEXT: %e = tiny.movement expand %x : tensor<2x3xf32> -> tensor<4x2x3xf32>
  %e = tiny.movement expand %x : tensor<2x3xf32> -> tensor<4x2x3xf32>
  // CHECK-NEXT: %neg = tiny.unary neg %x : tensor<2x3xf32> -> tensor<2x3xf32>
  %neg = tiny.unary neg %x : tensor<2x3xf32> -> tensor<2x3xf32>
  // CHECK-NEXT: %abs = tiny.unary abs %x : tensor<2x3xf32> -> tensor<2x3xf32>
  %abs = tiny.unary abs %x : tensor<2x3xf32> -> tensor<2x3xf32>
  // CHECK-NEXT: %exp = tiny.unary exp %x : tensor<2x3xf32> -> tensor<2x3xf32>
  %exp = tiny.unary exp %x : tensor<2x3xf32> -> tensor<2x3xf32>
  // CHECK-NEXT: %log = tiny.unary log %x : tensor<2x3xf32> -> tensor<2x3xf32>
  %log = tiny.unary log %x : tensor<2x3xf32> -> tensor<2x3xf32>
  // CHECK-NEXT: %tanh = tiny.unary tanh %x : tensor<2x3xf32> -> tensor<2x3xf32>
  %tanh = tiny.unary tanh %x : tensor<2x3xf32> -> tensor<2x3xf32>
  // CHECK-NEXT: %erf = tiny.unary erf %x : tensor<2x3xf32> -> tensor<2x3xf32>
  %erf = tiny.unary erf %x : tensor<2x3xf32> -> tensor<2x3xf32>
  // CHECK-NEXT: %sqrt = tiny.unary sqrt %x : tensor<2x3xf32> -> tensor<2x3xf32>
  %sqrt = tiny.unary sqrt %x : tensor<2x3xf32> -> tensor<2x3xf32>
  // CHECK-NEXT: %rsqrt = tiny.unary rsqrt %x : tensor<2x3xf32> -> tensor<2x3xf32>
  %rsqrt = tiny.unary rsqrt %x : tensor<2x3xf32> -> tensor<2x3xf32>
  // CHECK-NEXT: %recip = tiny.unary recip %x : tensor<2x3xf32> -> tensor<2x3xf32>
  %recip = tiny.unary recip %x : tensor<2x3xf32> -> tensor<2x3xf32>
  // CHECK-NEXT: %tf32 = tiny.unary tf32 %x : tensor<2x3xf32> -> tensor<2x3xf32>
  %tf32 = tiny.unary tf32 %x : tensor<2x3xf32> -> tensor<2x3xf32>
  // CHECK-NEXT: %cast = tiny.unary cast %x : tensor<2x3xf32> -> tensor<2x3xbf16>
  %cast = tiny.unary cast %x : tensor<2x3xf32> -> tensor<2x3xbf16>
  // CHECK-NEXT: %add = tiny.binary add %x, %y : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %add = tiny.binary add %x, %y : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  // CHECK-NEXT: %sub = tiny.binary sub %x, %y : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %sub = tiny.binary sub %x, %y : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  // CHECK-NEXT: %mul = tiny.binary mul %x, %y : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %mul = tiny.binary mul %x, %y : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  // CHECK-NEXT: %div = tiny.binary div %x, %y : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %div = tiny.binary div %x, %y : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  // CHECK-NEXT: %max = tiny.binary max %x, %y : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %max = tiny.binary max %x, %y : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  // CHECK-NEXT: %min = tiny.binary min %x, %y : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %min = tiny.binary min %x, %y : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  // CHECK-NEXT: %lt = tiny.binary lt %x, %y : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>
  %lt = tiny.binary lt %x, %y : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>
  // CHECK-NEXT: %le = tiny.binary le %x, %y : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>
  %le = tiny.binary le %x, %y : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>
  // CHECK-NEXT: %eq = tiny.binary eq %x, %y : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>
  %eq = tiny.binary eq %x, %y : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>
  // CHECK-NEXT: %ge = tiny.binary ge %x, %y : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>
  %ge = tiny.binary ge %x, %y : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>
  // CHECK-NEXT: %gt = tiny.binary gt %x, %y : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>
  %gt = tiny.binary gt %x, %y : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>
  // CHECK-NEXT: %ne = tiny.binary ne %x, %y : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>
  %ne = tiny.binary ne %x, %y : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>
  // CHECK-NEXT: %w = tiny.binary where %p, %x, %y : (tensor<2x1xi1>, tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %w = tiny.binary where %p, %x, %y : (tensor<2x1xi1>, tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  // CHECK-NEXT: %rsum = tiny.reduce sum %x axes [1] accum f32 : tensor<2x3xf32> -> tensor<2xf32>
  %rsum = tiny.reduce sum %x axes [1] accum f32 : tensor<2x3xf32> -> tensor<2xf32>
  // CHECK-NEXT: %rmax = tiny.reduce max %x axes [1] accum f32 : tensor<2x3xf32> -> tensor<2xf32>
  %rmax = tiny.reduce max %x axes [1] accum f32 : tensor<2x3xf32> -> tensor<2xf32>
  // CHECK-NEXT: %rmin = tiny.reduce min %x axes [1] accum f32 : tensor<2x3xf32> -> tensor<2xf32>
  %rmin = tiny.reduce min %x axes [1] accum f32 : tensor<2x3xf32> -> tensor<2xf32>
  // CHECK-NEXT: %all = tiny.reduce sum %x axes [0, -1] accum f64 : tensor<2x3xf32> -> tensor<f64>
  %all = tiny.reduce sum %x axes [0, -1] accum f64 : tensor<2x3xf32> -> tensor<f64>
  // CHECK-NEXT: func.return
  func.return
}
