// RUN: ptir-opt %s | filecheck %s
// RUN: ptir-opt %s | ptir-opt | filecheck %s
// RUN: ptir-opt --print-op-generic %s | ptir-opt | filecheck %s

// Every elementwise op prints as it is read, and its generic form reads as the same op.

// CHECK: func.func @f(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>, %p: tensor<2x3xi1>, %i: tensor<4xsi8>) {
func.func @f(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>, %p: tensor<2x3xi1>, %i: tensor<4xsi8>) {
  // CHECK-NEXT: %neg = ptir.neg %x : tensor<2x3xf32>
  %neg = ptir.neg %x : tensor<2x3xf32>
  // CHECK-NEXT: %abs = ptir.abs %x : tensor<2x3xf32>
  %abs = ptir.abs %x : tensor<2x3xf32>
  // CHECK-NEXT: %exp = ptir.exp %x : tensor<2x3xf32>
  %exp = ptir.exp %x : tensor<2x3xf32>
  // CHECK-NEXT: %log = ptir.log %x : tensor<2x3xf32>
  %log = ptir.log %x : tensor<2x3xf32>
  // CHECK-NEXT: %tanh = ptir.tanh %x : tensor<2x3xf32>
  %tanh = ptir.tanh %x : tensor<2x3xf32>
  // CHECK-NEXT: %erf = ptir.erf %x : tensor<2x3xf32>
  %erf = ptir.erf %x : tensor<2x3xf32>
  // CHECK-NEXT: %rsqrt = ptir.rsqrt %x : tensor<2x3xf32>
  %rsqrt = ptir.rsqrt %x : tensor<2x3xf32>
  // CHECK-NEXT: %reciprocal = ptir.reciprocal %x : tensor<2x3xf32>
  %reciprocal = ptir.reciprocal %x : tensor<2x3xf32>
  // CHECK-NEXT: %add = ptir.add %x, %y : tensor<2x3xf32>
  %add = ptir.add %x, %y : tensor<2x3xf32>
  // CHECK-NEXT: %sub = ptir.sub %x, %y : tensor<2x3xf32>
  %sub = ptir.sub %x, %y : tensor<2x3xf32>
  // CHECK-NEXT: %mul = ptir.mul %x, %y : tensor<2x3xf32>
  %mul = ptir.mul %x, %y : tensor<2x3xf32>
  // CHECK-NEXT: %div = ptir.div %x, %y : tensor<2x3xf32>
  %div = ptir.div %x, %y : tensor<2x3xf32>
  // CHECK-NEXT: %maximum = ptir.maximum %x, %y : tensor<2x3xf32>
  %maximum = ptir.maximum %x, %y : tensor<2x3xf32>
  // CHECK-NEXT: %minimum = ptir.minimum %x, %y : tensor<2x3xf32>
  %minimum = ptir.minimum %x, %y : tensor<2x3xf32>
  // CHECK-NEXT: %lt = ptir.compare lt %x, %y : tensor<2x3xf32> -> tensor<2x3xi1>
  %lt = ptir.compare lt %x, %y : tensor<2x3xf32> -> tensor<2x3xi1>
  // CHECK-NEXT: %le = ptir.compare le %x, %y : tensor<2x3xf32> -> tensor<2x3xi1>
  %le = ptir.compare le %x, %y : tensor<2x3xf32> -> tensor<2x3xi1>
  // CHECK-NEXT: %eq = ptir.compare eq %x, %y : tensor<2x3xf32> -> tensor<2x3xi1>
  %eq = ptir.compare eq %x, %y : tensor<2x3xf32> -> tensor<2x3xi1>
  // CHECK-NEXT: %ge = ptir.compare ge %x, %y : tensor<2x3xf32> -> tensor<2x3xi1>
  %ge = ptir.compare ge %x, %y : tensor<2x3xf32> -> tensor<2x3xi1>
  // CHECK-NEXT: %gt = ptir.compare gt %x, %y : tensor<2x3xf32> -> tensor<2x3xi1>
  %gt = ptir.compare gt %x, %y : tensor<2x3xf32> -> tensor<2x3xi1>
  // CHECK-NEXT: %ne = ptir.compare ne %x, %y : tensor<2x3xf32> -> tensor<2x3xi1>
  %ne = ptir.compare ne %x, %y : tensor<2x3xf32> -> tensor<2x3xi1>
  // CHECK-NEXT: %sel = ptir.select %p, %x, %y : tensor<2x3xi1>, tensor<2x3xf32>
  %sel = ptir.select %p, %x, %y : tensor<2x3xi1>, tensor<2x3xf32>
  // CHECK-NEXT: %clamp = ptir.clamp %x, %x, %y : tensor<2x3xf32>
  %clamp = ptir.clamp %x, %x, %y : tensor<2x3xf32>
  // CHECK-NEXT: %cast = ptir.cast %x : tensor<2x3xf32> -> tensor<2x3xbf16>
  %cast = ptir.cast %x : tensor<2x3xf32> -> tensor<2x3xbf16>
  // CHECK-NEXT: %ineg = ptir.neg %i : tensor<4xsi8>
  %ineg = ptir.neg %i : tensor<4xsi8>
  // CHECK-NEXT: %noted = ptir.add %x, %y {note = "kept"} : tensor<2x3xf32>
  %noted = ptir.add %x, %y {note = "kept"} : tensor<2x3xf32>
  // CHECK-NEXT: func.return
  func.return
}
