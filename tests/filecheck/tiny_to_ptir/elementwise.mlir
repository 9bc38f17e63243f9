// RUN: ptir-opt %s -p tiny-to-ptir | filecheck %s

// Operands are broadcast by ops of their own. Words that the contract lacks make the module one that has extensions.
// CHECK: builtin.module attributes {ptir.extensions} {

// CHECK: func.func @binaries(%p: tensor<2x1xi1>, %x: tensor<2x3xf32>, %y: tensor<3xf32>) -> tensor<2x3xf32> {
// CHECK-NEXT: %0 = ptir.broadcast_to %y : tensor<3xf32> -> tensor<2x3xf32>
// CHECK-NEXT: %1 = ptir.sub %x, %0 : tensor<2x3xf32>
// CHECK-NEXT: %2 = ptir.pow %1, %x : tensor<2x3xf32>
// CHECK-NEXT: %3 = ptir.broadcast_to %y : tensor<3xf32> -> tensor<2x3xf32>
// CHECK-NEXT: %4 = ptir.compare lt %2, %3 : tensor<2x3xf32> -> tensor<2x3xi1>
// CHECK-NEXT: %5 = ptir.select %4, %1, %2 : tensor<2x3xi1>, tensor<2x3xf32>
// CHECK-NEXT: %6 = ptir.broadcast_to %p : tensor<2x1xi1> -> tensor<2x3xi1>
// CHECK-NEXT: %7 = ptir.broadcast_to %y : tensor<3xf32> -> tensor<2x3xf32>
// CHECK-NEXT: %8 = ptir.select %6, %5, %7 : tensor<2x3xi1>, tensor<2x3xf32>
// CHECK-NEXT: func.return %8 : tensor<2x3xf32>
func.func @binaries(%p: tensor<2x1xi1>, %x: tensor<2x3xf32>, %y: tensor<3xf32>) -> tensor<2x3xf32> {
  %0 = tiny.binary sub %x, %y : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %1 = tiny.binary pow %0, %x : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %2 = tiny.binary lt %1, %y : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>
  %3 = tiny.binary where %2, %0, %1 : (tensor<2x3xi1>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %4 = tiny.binary where %p, %3, %y : (tensor<2x1xi1>, tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  func.return %4 : tensor<2x3xf32>
}

// CHECK: func.func @products(%x: tensor<2x3xf32>) -> tensor<2xf32> {
// CHECK-NEXT: %0 = ptir.reduce mul %x axes [1] : tensor<2x3xf32> -> tensor<2xf32>
// CHECK-NEXT: func.return %0 : tensor<2xf32>
func.func @products(%x: tensor<2x3xf32>) -> tensor<2xf32> {
  %0 = tiny.reduce mul %x axes [1] accum f32 : tensor<2x3xf32> -> tensor<2xf32>
  func.return %0 : tensor<2xf32>
}

// CHECK: func.func @unaries(%x: tensor<4xf32>) -> (tensor<4xi1>, tensor<4xbf16>, tensor<4xui32>) {
// CHECK-NEXT: %0 = ptir.logistic %x : tensor<4xf32>
// CHECK-NEXT: %1 = ptir.is_finite %0 : tensor<4xf32> -> tensor<4xi1>
// CHECK-NEXT: %2 = ptir.cast %0 : tensor<4xf32> -> tensor<4xbf16>
// CHECK-NEXT: %3 = ptir.bitcast %0 : tensor<4xf32> -> tensor<4xui32>
// CHECK-NEXT: func.return %1, %2, %3 : tensor<4xi1>, tensor<4xbf16>, tensor<4xui32>
func.func @unaries(%x: tensor<4xf32>) -> (tensor<4xi1>, tensor<4xbf16>, tensor<4xui32>) {
  %0 = tiny.unary sigmoid %x : tensor<4xf32> -> tensor<4xf32>
  %1 = tiny.unary is_finite %0 : tensor<4xf32> -> tensor<4xi1>
  %2 = tiny.unary cast %0 : tensor<4xf32> -> tensor<4xbf16>
  %3 = tiny.unary bitcast %0 : tensor<4xf32> -> tensor<4xui32>
  func.return %1, %2, %3 : tensor<4xi1>, tensor<4xbf16>, tensor<4xui32>
}

// What ptir has no op for is a formula, computed in f64 and rounded once; tf32 is arithmetic on bits.
// CHECK: func.func @formulas(%x: tensor<4xf32>, %i: tensor<4xsi8>) -> (tensor<4xf32>, tensor<4xsi8>) {
// CHECK-NEXT: %0 = ptir.cast %x : tensor<4xf32> -> tensor<4xf64>
// CHECK-NEXT: %1 = ptir.constant dense<-0.70710678118654757> : tensor<f64>
// CHECK-NEXT: %2 = ptir.broadcast_to %1 : tensor<f64> -> tensor<4xf64>
// CHECK-NEXT: %3 = ptir.mul %0, %2 : tensor<4xf64>
// CHECK-NEXT: %4 = ptir.erfc %3 : tensor<4xf64>
// CHECK-NEXT: %5 = ptir.constant dense<5.000000e-01> : tensor<f64>
// CHECK-NEXT: %6 = ptir.broadcast_to %5 : tensor<f64> -> tensor<4xf64>
// CHECK-NEXT: %7 = ptir.mul %0, %6 : tensor<4xf64>
// CHECK-NEXT: %8 = ptir.mul %7, %4 : tensor<4xf64>
// CHECK-NEXT: %9 = ptir.cast %8 : tensor<4xf64> -> tensor<4xf32>
// CHECK-NEXT: %10 = ptir.cast %9 : tensor<4xf32> -> tensor<4xf64>
// CHECK-NEXT: %11 = ptir.logistic %10 : tensor<4xf64>
// CHECK-NEXT: %12 = ptir.mul %10, %11 : tensor<4xf64>
// CHECK-NEXT: %13 = ptir.cast %12 : tensor<4xf64> -> tensor<4xf32>
// CHECK-NEXT: %14 = ptir.bitcast %13 : tensor<4xf32> -> tensor<4xui32>
// CHECK-NEXT: %15 = ptir.constant dense<4096> : tensor<ui32>
// CHECK-NEXT: %16 = ptir.broadcast_to %15 : tensor<ui32> -> tensor<4xui32>
// CHECK-NEXT: %17 = ptir.add %14, %16 : tensor<4xui32>
// CHECK-NEXT: %18 = ptir.constant dense<4294959104> : tensor<ui32>
// CHECK-NEXT: %19 = ptir.broadcast_to %18 : tensor<ui32> -> tensor<4xui32>
// CHECK-NEXT: %20 = ptir.and %17, %19 : tensor<4xui32>
// CHECK-NEXT: %21 = ptir.is_finite %13 : tensor<4xf32> -> tensor<4xi1>
// CHECK-NEXT: %22 = ptir.bitcast %20 : tensor<4xui32> -> tensor<4xf32>
// CHECK-NEXT: %23 = ptir.select %21, %22, %13 : tensor<4xi1>, tensor<4xf32>
// CHECK-NEXT: %24 = ptir.constant dense<0> : tensor<si8>
// CHECK-NEXT: %25 = ptir.broadcast_to %24 : tensor<si8> -> tensor<4xsi8>
// CHECK-NEXT: %26 = ptir.maximum %i, %25 : tensor<4xsi8>
// CHECK-NEXT: func.return %23, %26 : tensor<4xf32>, tensor<4xsi8>
func.func @formulas(%x: tensor<4xf32>, %i: tensor<4xsi8>) -> (tensor<4xf32>, tensor<4xsi8>) {
  %0 = tiny.unary gelu %x : tensor<4xf32> -> tensor<4xf32>
  %1 = tiny.unary silu %0 : tensor<4xf32> -> tensor<4xf32>
  %2 = tiny.unary tf32 %1 : tensor<4xf32> -> tensor<4xf32>
  %3 = tiny.unary relu %i : tensor<4xsi8> -> tensor<4xsi8>
  func.return %2, %3 : tensor<4xf32>, tensor<4xsi8>
}

// Of predicates the greatest is any, the least all.
// CHECK: func.func @reductions(%p: tensor<4x8xi1>, %x: tensor<4x8xbf16>) -> (tensor<4xi1>, tensor<i1>, tensor<8xf32>, tensor<4xbf16>) {
// CHECK-NEXT: %0 = ptir.reduce any %p axes [1] : tensor<4x8xi1> -> tensor<4xi1>
// CHECK-NEXT: %1 = ptir.reduce all %0 axes [0] : tensor<4xi1> -> tensor<i1>
// CHECK-NEXT: %2 = ptir.reduce sum %x axes [0] out f32 : tensor<4x8xbf16> -> tensor<8xf32>
// CHECK-NEXT: %3 = ptir.reduce min %x axes [1] accum bf16 : tensor<4x8xbf16> -> tensor<4xbf16>
// CHECK-NEXT: func.return %0, %1, %2, %3 : tensor<4xi1>, tensor<i1>, tensor<8xf32>, tensor<4xbf16>
func.func @reductions(%p: tensor<4x8xi1>, %x: tensor<4x8xbf16>) -> (tensor<4xi1>, tensor<i1>, tensor<8xf32>, tensor<4xbf16>) {
  %0 = tiny.reduce max %p axes [1] accum i1 : tensor<4x8xi1> -> tensor<4xi1>
  %1 = tiny.reduce min %0 axes [0] accum i1 : tensor<4xi1> -> tensor<i1>
  %2 = tiny.reduce sum %x axes [0] accum f32 : tensor<4x8xbf16> -> tensor<8xf32>
  %3 = tiny.reduce min %x axes [-1] accum bf16 : tensor<4x8xbf16> -> tensor<4xbf16>
  func.return %0, %1, %2, %3 : tensor<4xi1>, tensor<i1>, tensor<8xf32>, tensor<4xbf16>
}
