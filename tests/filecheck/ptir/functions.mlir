// RUN: ptir-opt %s | filecheck %s
// RUN: ptir-opt %s | ptir-opt | filecheck %s
// RUN: ptir-opt --print-op-generic %s | ptir-opt | filecheck %s

// What the contract lacks, under the attribute that allows extensions.

builtin.module attributes {ptir.extensions} {
// CHECK: func.func @f(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>, %p: tensor<2x3xi1>, %i: tensor<4xui4>, %z: tensor<2xcomplex<f32>>) {
func.func @f(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>, %p: tensor<2x3xi1>, %i: tensor<4xui4>, %z: tensor<2xcomplex<f32>>) {
  // CHECK-NEXT: %sqrt = ptir.sqrt %x : tensor<2x3xf32>
  %sqrt = ptir.sqrt %x : tensor<2x3xf32>
  // CHECK-NEXT: %sin = ptir.sin %x : tensor<2x3xf32>
  %sin = ptir.sin %x : tensor<2x3xf32>
  // CHECK-NEXT: %cos = ptir.cos %x : tensor<2x3xf32>
  %cos = ptir.cos %x : tensor<2x3xf32>
  // CHECK-NEXT: %floor = ptir.floor %x : tensor<2x3xf32>
  %floor = ptir.floor %x : tensor<2x3xf32>
  // CHECK-NEXT: %ceil = ptir.ceil %x : tensor<2x3xf32>
  %ceil = ptir.ceil %x : tensor<2x3xf32>
  // CHECK-NEXT: %round = ptir.round %x : tensor<2x3xf32>
  %round = ptir.round %x : tensor<2x3xf32>
  // CHECK-NEXT: %sign = ptir.sign %x : tensor<2x3xf32>
  %sign = ptir.sign %x : tensor<2x3xf32>
  // CHECK-NEXT: %log1p = ptir.log1p %x : tensor<2x3xf32>
  %log1p = ptir.log1p %x : tensor<2x3xf32>
  // CHECK-NEXT: %exp2 = ptir.exp2 %x : tensor<2x3xf32>
  %exp2 = ptir.exp2 %x : tensor<2x3xf32>
  // CHECK-NEXT: %expm1 = ptir.expm1 %x : tensor<2x3xf32>
  %expm1 = ptir.expm1 %x : tensor<2x3xf32>
  // CHECK-NEXT: %erfc = ptir.erfc %x : tensor<2x3xf32>
  %erfc = ptir.erfc %x : tensor<2x3xf32>
  // CHECK-NEXT: %logistic = ptir.logistic %x : tensor<2x3xf32>
  %logistic = ptir.logistic %x : tensor<2x3xf32>
  // CHECK-NEXT: %pow = ptir.pow %x, %y : tensor<2x3xf32>
  %pow = ptir.pow %x, %y : tensor<2x3xf32>
  // CHECK-NEXT: %remainder = ptir.remainder %x, %y : tensor<2x3xf32>
  %remainder = ptir.remainder %x, %y : tensor<2x3xf32>
  // CHECK-NEXT: %not = ptir.not %p : tensor<2x3xi1>
  %not = ptir.not %p : tensor<2x3xi1>
  // CHECK-NEXT: %and = ptir.and %p, %p : tensor<2x3xi1>
  %and = ptir.and %p, %p : tensor<2x3xi1>
  // CHECK-NEXT: %or = ptir.or %p, %p : tensor<2x3xi1>
  %or = ptir.or %p, %p : tensor<2x3xi1>
  // CHECK-NEXT: %xor = ptir.xor %p, %p : tensor<2x3xi1>
  %xor = ptir.xor %p, %p : tensor<2x3xi1>
  // CHECK-NEXT: %shift_left = ptir.shift_left %i, %i : tensor<4xui4>
  %shift_left = ptir.shift_left %i, %i : tensor<4xui4>
  // CHECK-NEXT: %shift_right_arithmetic = ptir.shift_right_arithmetic %i, %i : tensor<4xui4>
  %shift_right_arithmetic = ptir.shift_right_arithmetic %i, %i : tensor<4xui4>
  // CHECK-NEXT: %shift_right_logical = ptir.shift_right_logical %i, %i : tensor<4xui4>
  %shift_right_logical = ptir.shift_right_logical %i, %i : tensor<4xui4>
  // CHECK-NEXT: %finite = ptir.is_finite %x : tensor<2x3xf32> -> tensor<2x3xi1>
  %finite = ptir.is_finite %x : tensor<2x3xf32> -> tensor<2x3xi1>
  // CHECK-NEXT: %same = ptir.bitcast %x : tensor<2x3xf32> -> tensor<2x3xui32>
  %same = ptir.bitcast %x : tensor<2x3xf32> -> tensor<2x3xui32>
  // CHECK-NEXT: %parts = ptir.bitcast %x : tensor<2x3xf32> -> tensor<2x3x4xf8E5M2>
  %parts = ptir.bitcast %x : tensor<2x3xf32> -> tensor<2x3x4xf8E5M2>
  // CHECK-NEXT: %whole = ptir.bitcast %i : tensor<4xui4> -> tensor<si16>
  %whole = ptir.bitcast %i : tensor<4xui4> -> tensor<si16>
  // CHECK-NEXT: %zsign = ptir.sign %z : tensor<2xcomplex<f32>>
  %zsign = ptir.sign %z : tensor<2xcomplex<f32>>
  // CHECK-NEXT: %isign = ptir.sign %i : tensor<4xui4>
  %isign = ptir.sign %i : tensor<4xui4>
  // CHECK-NEXT: %mul = ptir.reduce mul %x axes [0] : tensor<2x3xf32> -> tensor<3xf32>
  %mul = ptir.reduce mul %x axes [0] : tensor<2x3xf32> -> tensor<3xf32>
  // CHECK-NEXT: %any = ptir.reduce any %p axes [-1] keepdims : tensor<2x3xi1> -> tensor<2x1xi1>
  %any = ptir.reduce any %p axes [-1] keepdims : tensor<2x3xi1> -> tensor<2x1xi1>
  // CHECK-NEXT: %all = ptir.reduce all %p axes [0, 1] : tensor<2x3xi1> -> tensor<i1>
  %all = ptir.reduce all %p axes [0, 1] : tensor<2x3xi1> -> tensor<i1>
  // CHECK-NEXT: func.return
  func.return
}
}
