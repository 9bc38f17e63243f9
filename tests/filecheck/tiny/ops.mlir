// RUN: ptir-opt %s | filecheck %s
// RUN: ptir-opt %s | ptir-opt | filecheck %s
// RUN: ptir-opt --print-op-generic %s | ptir-opt | filecheck %s

// Each op and each word it takes prints as it is read, and its generic form reads as the same op.

// CHECK: func.func @leaves() {
func.func @leaves() {
  // CHECK-NEXT: %c = tiny.const dense<1.000000e+00> : tensor<2x3xf32>
  %c = tiny.const dense<1.000000e+00> : tensor<2x3xf32>
  // CHECK-NEXT: %i = tiny.iota axis 1 : tensor<2x3xsi64>
  %i = tiny.iota axis 1 : tensor<2x3xsi64>
  // CHECK-NEXT: %j = tiny.iota axis -2 : tensor<0x3xcomplex<f32>>
  %j = tiny.iota axis -2 : tensor<0x3xcomplex<f32>>
  // CHECK-NEXT: func.return
  func.return
}

// CHECK: func.func @movements(%x: tensor<2x3xf32>, %p: tensor<2xi1>, %z: tensor<2xcomplex<f32>>) {
func.func @movements(%x: tensor<2x3xf32>, %p: tensor<2xi1>, %z: tensor<2xcomplex<f32>>) {
  // CHECK-NEXT: %r = tiny.movement reshape %x : tensor<2x3xf32> -> tensor<6xf32>
  %r = tiny.movement reshape %x : tensor<2x3xf32> -> tensor<6xf32>
  // CHECK-NEXT: %t = tiny.movement permute %x by [1, 0] : tensor<2x3xf32> -> tensor<3x2xf32>
  %t = tiny.movement permute %x by [1, 0] : tensor<2x3xf32> -> tensor<3x2xf32>
  // CHECK-NEXT: %u = tiny.movement permute %x by [-1, -2] : tensor<2x3xf32> -> tensor<3x2xf32>
  %u = tiny.movement permute %x by [-1, -2] : tensor<2x3xf32> -> tensor<3x2xf32>
  // CHECK-NEXT: %e = tiny.movement expand %x : tensor<2x3xf32> -> tensor<4x2x3xf32>
  %e = tiny.movement expand %x : tensor<2x3xf32> -> tensor<4x2x3xf32>
  // CHECK-NEXT: %d = tiny.movement pad %x low [1, 0] high [0, 2] value -2.5 : f32 : tensor<2x3xf32> -> tensor<3x5xf32>
  %d = tiny.movement pad %x low [1, 0] high [0, 2] value -2.5 : f32 : tensor<2x3xf32> -> tensor<3x5xf32>
  // CHECK-NEXT: %inf = tiny.movement pad %x low [0, 0] high [0, 1] value "0x000080FF" : f32 : tensor<2x3xf32> -> tensor<2x4xf32>
  %inf = tiny.movement pad %x low [0, 0] high [0, 1] value "0x000080FF" : f32 : tensor<2x3xf32> -> tensor<2x4xf32>
  // CHECK-NEXT: %true = tiny.movement pad %p low [1] high [0] value true : i1 : tensor<2xi1> -> tensor<3xi1>
  %true = tiny.movement pad %p low [1] high [0] value true : i1 : tensor<2xi1> -> tensor<3xi1>
  // CHECK-NEXT: %imag = tiny.movement pad %z low [1] high [0] value (1.0, -2.0) : complex<f32> : tensor<2xcomplex<f32>> -> tensor<3xcomplex<f32>>
  %imag = tiny.movement pad %z low [1] high [0] value (1.0, -2.0) : complex<f32> : tensor<2xcomplex<f32>> -> tensor<3xcomplex<f32>>
  // CHECK-NEXT: %s = tiny.movement shrink %x from [1, 0] : tensor<2x3xf32> -> tensor<1x2xf32>
  %s = tiny.movement shrink %x from [1, 0] : tensor<2x3xf32> -> tensor<1x2xf32>
  // CHECK-NEXT: %none = tiny.movement shrink %x from [2, 3] : tensor<2x3xf32> -> tensor<0x0xf32>
  %none = tiny.movement shrink %x from [2, 3] : tensor<2x3xf32> -> tensor<0x0xf32>
  // CHECK-NEXT: %v = tiny.movement view %x offset 1 strides [3, 0, 1] : tensor<2x3xf32> -> tensor<2x4x2xf32>
  %v = tiny.movement view %x offset 1 strides [3, 0, 1] : tensor<2x3xf32> -> tensor<2x4x2xf32>
  // CHECK-NEXT: %w = tiny.movement view %x offset 5 strides [] : tensor<2x3xf32> -> tensor<f32>
  %w = tiny.movement view %x offset 5 strides [] : tensor<2x3xf32> -> tensor<f32>
  // CHECK-NEXT: %empty = tiny.movement view %x offset 9 strides [7, 1] : tensor<2x3xf32> -> tensor<2x0xf32>
  %empty = tiny.movement view %x offset 9 strides [7, 1] : tensor<2x3xf32> -> tensor<2x0xf32>
  // CHECK-NEXT: func.return
  func.return
}

// CHECK: func.func @unary(%x: tensor<2x3xf32>, %n: tensor<2xsi8>, %p: tensor<2xi1>, %z: tensor<2xcomplex<f32>>) {
func.func @unary(%x: tensor<2x3xf32>, %n: tensor<2xsi8>, %p: tensor<2xi1>, %z: tensor<2xcomplex<f32>>) {
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
  // CHECK-NEXT: %sin = tiny.unary sin %x : tensor<2x3xf32> -> tensor<2x3xf32>
  %sin = tiny.unary sin %x : tensor<2x3xf32> -> tensor<2x3xf32>
  // CHECK-NEXT: %cos = tiny.unary cos %x : tensor<2x3xf32> -> tensor<2x3xf32>
  %cos = tiny.unary cos %x : tensor<2x3xf32> -> tensor<2x3xf32>
  // CHECK-NEXT: %floor = tiny.unary floor %x : tensor<2x3xf32> -> tensor<2x3xf32>
  %floor = tiny.unary floor %x : tensor<2x3xf32> -> tensor<2x3xf32>
  // CHECK-NEXT: %ceil = tiny.unary ceil %x : tensor<2x3xf32> -> tensor<2x3xf32>
  %ceil = tiny.unary ceil %x : tensor<2x3xf32> -> tensor<2x3xf32>
  // CHECK-NEXT: %round = tiny.unary round %x : tensor<2x3xf32> -> tensor<2x3xf32>
  %round = tiny.unary round %x : tensor<2x3xf32> -> tensor<2x3xf32>
  // CHECK-NEXT: %sign = tiny.unary sign %x : tensor<2x3xf32> -> tensor<2x3xf32>
  %sign = tiny.unary sign %x : tensor<2x3xf32> -> tensor<2x3xf32>
  // CHECK-NEXT: %log1p = tiny.unary log1p %x : tensor<2x3xf32> -> tensor<2x3xf32>
  %log1p = tiny.unary log1p %x : tensor<2x3xf32> -> tensor<2x3xf32>
  // CHECK-NEXT: %expm1 = tiny.unary expm1 %x : tensor<2x3xf32> -> tensor<2x3xf32>
  %expm1 = tiny.unary expm1 %x : tensor<2x3xf32> -> tensor<2x3xf32>
  // CHECK-NEXT: %erfc = tiny.unary erfc %x : tensor<2x3xf32> -> tensor<2x3xf32>
  %erfc = tiny.unary erfc %x : tensor<2x3xf32> -> tensor<2x3xf32>
  // CHECK-NEXT: %sigmoid = tiny.unary sigmoid %x : tensor<2x3xf32> -> tensor<2x3xf32>
  %sigmoid = tiny.unary sigmoid %x : tensor<2x3xf32> -> tensor<2x3xf32>
  // CHECK-NEXT: %relu = tiny.unary relu %x : tensor<2x3xf32> -> tensor<2x3xf32>
  %relu = tiny.unary relu %x : tensor<2x3xf32> -> tensor<2x3xf32>
  // CHECK-NEXT: %gelu = tiny.unary gelu %x : tensor<2x3xf32> -> tensor<2x3xf32>
  %gelu = tiny.unary gelu %x : tensor<2x3xf32> -> tensor<2x3xf32>
  // CHECK-NEXT: %silu = tiny.unary silu %x : tensor<2x3xf32> -> tensor<2x3xf32>
  %silu = tiny.unary silu %x : tensor<2x3xf32> -> tensor<2x3xf32>
  // CHECK-NEXT: %tf32 = tiny.unary tf32 %x : tensor<2x3xf32> -> tensor<2x3xf32>
  %tf32 = tiny.unary tf32 %x : tensor<2x3xf32> -> tensor<2x3xf32>
  // CHECK-NEXT: %not = tiny.unary not %p : tensor<2xi1> -> tensor<2xi1>
  %not = tiny.unary not %p : tensor<2xi1> -> tensor<2xi1>
  // CHECK-NEXT: %bits = tiny.unary not %n : tensor<2xsi8> -> tensor<2xsi8>
  %bits = tiny.unary not %n : tensor<2xsi8> -> tensor<2xsi8>
  // CHECK-NEXT: %whole = tiny.unary relu %n : tensor<2xsi8> -> tensor<2xsi8>
  %whole = tiny.unary relu %n : tensor<2xsi8> -> tensor<2xsi8>
  // CHECK-NEXT: %finite = tiny.unary is_finite %x : tensor<2x3xf32> -> tensor<2x3xi1>
  %finite = tiny.unary is_finite %x : tensor<2x3xf32> -> tensor<2x3xi1>
  // CHECK-NEXT: %cast = tiny.unary cast %x : tensor<2x3xf32> -> tensor<2x3xbf16>
  %cast = tiny.unary cast %x : tensor<2x3xf32> -> tensor<2x3xbf16>
  // CHECK-NEXT: %bitcast = tiny.unary bitcast %x : tensor<2x3xf32> -> tensor<2x3xui32>
  %bitcast = tiny.unary bitcast %x : tensor<2x3xf32> -> tensor<2x3xui32>
  // CHECK-NEXT: %zsin = tiny.unary sin %z : tensor<2xcomplex<f32>> -> tensor<2xcomplex<f32>>
  %zsin = tiny.unary sin %z : tensor<2xcomplex<f32>> -> tensor<2xcomplex<f32>>
  // CHECK-NEXT: %zcast = tiny.unary cast %z : tensor<2xcomplex<f32>> -> tensor<2xcomplex<f64>>
  %zcast = tiny.unary cast %z : tensor<2xcomplex<f32>> -> tensor<2xcomplex<f64>>
  // CHECK-NEXT: func.return
  func.return
}

// CHECK: func.func @binary(%x: tensor<2x3xf32>, %y: tensor<3xf32>, %p: tensor<2x1xi1>, %n: tensor<2xsi8>, %z: tensor<2xcomplex<f32>>) {
func.func @binary(%x: tensor<2x3xf32>, %y: tensor<3xf32>, %p: tensor<2x1xi1>, %n: tensor<2xsi8>, %z: tensor<2xcomplex<f32>>) {
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
  // CHECK-NEXT: %pow = tiny.binary pow %x, %y : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %pow = tiny.binary pow %x, %y : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  // CHECK-NEXT: %remainder = tiny.binary remainder %x, %y : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %remainder = tiny.binary remainder %x, %y : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
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
  // CHECK-NEXT: %and = tiny.binary and %n, %n : (tensor<2xsi8>, tensor<2xsi8>) -> tensor<2xsi8>
  %and = tiny.binary and %n, %n : (tensor<2xsi8>, tensor<2xsi8>) -> tensor<2xsi8>
  // CHECK-NEXT: %or = tiny.binary or %n, %n : (tensor<2xsi8>, tensor<2xsi8>) -> tensor<2xsi8>
  %or = tiny.binary or %n, %n : (tensor<2xsi8>, tensor<2xsi8>) -> tensor<2xsi8>
  // CHECK-NEXT: %xor = tiny.binary xor %n, %n : (tensor<2xsi8>, tensor<2xsi8>) -> tensor<2xsi8>
  %xor = tiny.binary xor %n, %n : (tensor<2xsi8>, tensor<2xsi8>) -> tensor<2xsi8>
  // CHECK-NEXT: %shift_left = tiny.binary shift_left %n, %n : (tensor<2xsi8>, tensor<2xsi8>) -> tensor<2xsi8>
  %shift_left = tiny.binary shift_left %n, %n : (tensor<2xsi8>, tensor<2xsi8>) -> tensor<2xsi8>
  // CHECK-NEXT: %shift_right_arithmetic = tiny.binary shift_right_arithmetic %n, %n : (tensor<2xsi8>, tensor<2xsi8>) -> tensor<2xsi8>
  %shift_right_arithmetic = tiny.binary shift_right_arithmetic %n, %n : (tensor<2xsi8>, tensor<2xsi8>) -> tensor<2xsi8>
  // CHECK-NEXT: %shift_right_logical = tiny.binary shift_right_logical %n, %n : (tensor<2xsi8>, tensor<2xsi8>) -> tensor<2xsi8>
  %shift_right_logical = tiny.binary shift_right_logical %n, %n : (tensor<2xsi8>, tensor<2xsi8>) -> tensor<2xsi8>
  // CHECK-NEXT: %w = tiny.binary where %p, %x, %y : (tensor<2x1xi1>, tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %w = tiny.binary where %p, %x, %y : (tensor<2x1xi1>, tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  // CHECK-NEXT: %{{.*}} = tiny.binary require_index %p, %x report 3 : (tensor<2x1xi1>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %v = tiny.binary require_index %p, %x report 3 : (tensor<2x1xi1>, tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK-NEXT: %same = tiny.binary eq %z, %z : (tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>) -> tensor<2xi1>
  %same = tiny.binary eq %z, %z : (tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>) -> tensor<2xi1>
  // CHECK-NEXT: %less = tiny.binary lt %p, %p : (tensor<2x1xi1>, tensor<2x1xi1>) -> tensor<2x1xi1>
  %less = tiny.binary lt %p, %p : (tensor<2x1xi1>, tensor<2x1xi1>) -> tensor<2x1xi1>
  // CHECK-NEXT: func.return
  func.return
}

// CHECK: func.func @reduce(%x: tensor<2x3xf32>, %p: tensor<2xi1>, %z: tensor<2xcomplex<f32>>) {
func.func @reduce(%x: tensor<2x3xf32>, %p: tensor<2xi1>, %z: tensor<2xcomplex<f32>>) {
  // CHECK-NEXT: %rsum = tiny.reduce sum %x axes [1] accum f32 : tensor<2x3xf32> -> tensor<2xf32>
  %rsum = tiny.reduce sum %x axes [1] accum f32 : tensor<2x3xf32> -> tensor<2xf32>
  // CHECK-NEXT: %rmax = tiny.reduce max %x axes [1] accum f32 : tensor<2x3xf32> -> tensor<2xf32>
  %rmax = tiny.reduce max %x axes [1] accum f32 : tensor<2x3xf32> -> tensor<2xf32>
  // CHECK-NEXT: %rmin = tiny.reduce min %x axes [1] accum f32 : tensor<2x3xf32> -> tensor<2xf32>
  %rmin = tiny.reduce min %x axes [1] accum f32 : tensor<2x3xf32> -> tensor<2xf32>
  // CHECK-NEXT: %rmul = tiny.reduce mul %x axes [1] accum f32 : tensor<2x3xf32> -> tensor<2xf32>
  %rmul = tiny.reduce mul %x axes [1] accum f32 : tensor<2x3xf32> -> tensor<2xf32>
  // CHECK-NEXT: %all = tiny.reduce sum %x axes [0, -1] accum f64 : tensor<2x3xf32> -> tensor<f64>
  %all = tiny.reduce sum %x axes [0, -1] accum f64 : tensor<2x3xf32> -> tensor<f64>
  // CHECK-NEXT: %none = tiny.reduce sum %x axes [] accum f32 : tensor<2x3xf32> -> tensor<2x3xf32>
  %none = tiny.reduce sum %x axes [] accum f32 : tensor<2x3xf32> -> tensor<2x3xf32>
  // CHECK-NEXT: %any = tiny.reduce max %p axes [0] accum i1 : tensor<2xi1> -> tensor<i1>
  %any = tiny.reduce max %p axes [0] accum i1 : tensor<2xi1> -> tensor<i1>
  // CHECK-NEXT: %zsum = tiny.reduce sum %z axes [0] accum complex<f64> : tensor<2xcomplex<f32>> -> tensor<complex<f64>>
  %zsum = tiny.reduce sum %z axes [0] accum complex<f64> : tensor<2xcomplex<f32>> -> tensor<complex<f64>>
  // CHECK-NEXT: %zmul = tiny.reduce mul %z axes [0] accum complex<f32> : tensor<2xcomplex<f32>> -> tensor<complex<f32>>
  %zmul = tiny.reduce mul %z axes [0] accum complex<f32> : tensor<2xcomplex<f32>> -> tensor<complex<f32>>
  // CHECK-NEXT: func.return
  func.return
}

// CHECK: func.func @names(%x: tensor<?x8xf32, #ptir.dims<B, _>>, %u: tensor<?x8xf32>, %row: tensor<8xf32>) {
func.func @names(%x: tensor<?x8xf32, #ptir.dims<B, _>>, %u: tensor<?x8xf32>, %row: tensor<8xf32>) {
  // CHECK-NEXT: %r = tiny.movement reshape %x : tensor<?x8xf32, #ptir.dims<B, _>> -> tensor<4x?x2xf32, #ptir.dims<_, B, _>>
  %r = tiny.movement reshape %x : tensor<?x8xf32, #ptir.dims<B, _>> -> tensor<4x?x2xf32, #ptir.dims<_, B, _>>
  // CHECK-NEXT: %i = tiny.movement reshape %u : tensor<?x8xf32> -> tensor<?xf32>
  %i = tiny.movement reshape %u : tensor<?x8xf32> -> tensor<?xf32>
  // CHECK-NEXT: %t = tiny.movement permute %x by [1, 0] : tensor<?x8xf32, #ptir.dims<B, _>> -> tensor<8x?xf32, #ptir.dims<_, B>>
  %t = tiny.movement permute %x by [1, 0] : tensor<?x8xf32, #ptir.dims<B, _>> -> tensor<8x?xf32, #ptir.dims<_, B>>
  // CHECK-NEXT: %e = tiny.movement expand %row : tensor<8xf32> -> tensor<?x8xf32, #ptir.dims<B, _>>
  %e = tiny.movement expand %row : tensor<8xf32> -> tensor<?x8xf32, #ptir.dims<B, _>>
  // CHECK-NEXT: %f = tiny.movement expand %u : tensor<?x8xf32> -> tensor<4x5x8xf32>
  %f = tiny.movement expand %u : tensor<?x8xf32> -> tensor<4x5x8xf32>
  // CHECK-NEXT: %p = tiny.movement pad %x low [0, 1] high [0, 0] value 0.0 : f32 : tensor<?x8xf32, #ptir.dims<B, _>> -> tensor<?x9xf32, #ptir.dims<B, _>>
  %p = tiny.movement pad %x low [0, 1] high [0, 0] value 0.0 : f32 : tensor<?x8xf32, #ptir.dims<B, _>> -> tensor<?x9xf32, #ptir.dims<B, _>>
  // CHECK-NEXT: %q = tiny.movement pad %x low [1, 0] high [0, 0] value 0.0 : f32 : tensor<?x8xf32, #ptir.dims<B, _>> -> tensor<?x8xf32>
  %q = tiny.movement pad %x low [1, 0] high [0, 0] value 0.0 : f32 : tensor<?x8xf32, #ptir.dims<B, _>> -> tensor<?x8xf32>
  // CHECK-NEXT: %s = tiny.movement shrink %x from [0, 2] : tensor<?x8xf32, #ptir.dims<B, _>> -> tensor<?x3xf32, #ptir.dims<B, _>>
  %s = tiny.movement shrink %x from [0, 2] : tensor<?x8xf32, #ptir.dims<B, _>> -> tensor<?x3xf32, #ptir.dims<B, _>>
  // CHECK-NEXT: %o = tiny.movement shrink %x from [1, 0] : tensor<?x8xf32, #ptir.dims<B, _>> -> tensor<?x8xf32>
  %o = tiny.movement shrink %x from [1, 0] : tensor<?x8xf32, #ptir.dims<B, _>> -> tensor<?x8xf32>
  // CHECK-NEXT: %v = tiny.movement view %x offset 8 strides [8, 1] : tensor<?x8xf32, #ptir.dims<B, _>> -> tensor<2x8xf32>
  %v = tiny.movement view %x offset 8 strides [8, 1] : tensor<?x8xf32, #ptir.dims<B, _>> -> tensor<2x8xf32>
  // CHECK-NEXT: %w = tiny.movement view %row offset 0 strides [0, 1] : tensor<8xf32> -> tensor<?x8xf32, #ptir.dims<B, _>>
  %w = tiny.movement view %row offset 0 strides [0, 1] : tensor<8xf32> -> tensor<?x8xf32, #ptir.dims<B, _>>
  // CHECK-NEXT: %n = tiny.iota axis 0 : tensor<?xsi32, #ptir.dims<B>>
  %n = tiny.iota axis 0 : tensor<?xsi32, #ptir.dims<B>>
  // CHECK-NEXT: %c = tiny.unary cast %x : tensor<?x8xf32, #ptir.dims<B, _>> -> tensor<?x8xbf16, #ptir.dims<B, _>>
  %c = tiny.unary cast %x : tensor<?x8xf32, #ptir.dims<B, _>> -> tensor<?x8xbf16, #ptir.dims<B, _>>
  // CHECK-NEXT: %a = tiny.binary add %x, %row : (tensor<?x8xf32, #ptir.dims<B, _>>, tensor<8xf32>) -> tensor<?x8xf32, #ptir.dims<B, _>>
  %a = tiny.binary add %x, %row : (tensor<?x8xf32, #ptir.dims<B, _>>, tensor<8xf32>) -> tensor<?x8xf32, #ptir.dims<B, _>>
  // CHECK-NEXT: %m = tiny.binary mul %u, %x : (tensor<?x8xf32>, tensor<?x8xf32, #ptir.dims<B, _>>) -> tensor<?x8xf32, #ptir.dims<B, _>>
  %m = tiny.binary mul %u, %x : (tensor<?x8xf32>, tensor<?x8xf32, #ptir.dims<B, _>>) -> tensor<?x8xf32, #ptir.dims<B, _>>
  // CHECK-NEXT: %k = tiny.binary mul %u, %x : (tensor<?x8xf32>, tensor<?x8xf32, #ptir.dims<B, _>>) -> tensor<?x8xf32>
  %k = tiny.binary mul %u, %x : (tensor<?x8xf32>, tensor<?x8xf32, #ptir.dims<B, _>>) -> tensor<?x8xf32>
  // CHECK-NEXT: %g = tiny.reduce sum %x axes [1] accum f32 : tensor<?x8xf32, #ptir.dims<B, _>> -> tensor<?xf32, #ptir.dims<B>>
  %g = tiny.reduce sum %x axes [1] accum f32 : tensor<?x8xf32, #ptir.dims<B, _>> -> tensor<?xf32, #ptir.dims<B>>
  // CHECK-NEXT: func.return
  func.return
}
