// RUN: ptir-opt %s -p ptir-to-tiny | filecheck %s

// Each elementwise op becomes one binary or unary; clamp is two. An unused op stays, a cast to the same type does not.

// CHECK: func.func @f(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xbf16> {
func.func @f(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xbf16> {
  // CHECK-NEXT: %c = tiny.const dense<0.000000e+00> : tensor<4xf32>
  %c = ptir.constant dense<0.0> : tensor<4xf32>
  // CHECK-NEXT: %unused = tiny.unary recip %x : tensor<4xf32> -> tensor<4xf32>
  %unused = ptir.reciprocal %x : tensor<4xf32>
  // CHECK-NEXT: %e = tiny.unary exp %x : tensor<4xf32> -> tensor<4xf32>
  %e = ptir.exp %x : tensor<4xf32>
  // CHECK-NEXT: %m = tiny.binary max %e, %c : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %m = ptir.maximum %e, %c : tensor<4xf32>
  // CHECK-NEXT: %p = tiny.binary lt %m, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %p = ptir.compare lt %m, %y : tensor<4xf32> -> tensor<4xi1>
  // CHECK-NEXT: %s = tiny.binary where %p, %m, %y : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %s = ptir.select %p, %m, %y : tensor<4xi1>, tensor<4xf32>
  // CHECK-NEXT: [[T:%[a-z0-9_]+]] = tiny.binary max %s, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK-NEXT: [[K:%[a-z0-9_]+]] = tiny.binary min [[T]], %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %k = ptir.clamp %s, %x, %y : tensor<4xf32>
  %same = ptir.cast %k : tensor<4xf32> -> tensor<4xf32>
  // CHECK-NEXT: %b = tiny.unary cast [[K]] : tensor<4xf32> -> tensor<4xbf16>
  %b = ptir.cast %same : tensor<4xf32> -> tensor<4xbf16>
  // CHECK-NEXT: func.return %b : tensor<4xbf16>
  func.return %b : tensor<4xbf16>
}
