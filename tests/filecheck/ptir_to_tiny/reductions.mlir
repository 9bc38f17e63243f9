// RUN: ptir-opt %s -p ptir-to-tiny | filecheck %s

builtin.module attributes {ptir.extensions} {
// Of predicates `any` is the greatest and `all` the least.
// CHECK: func.func @predicates(%p: tensor<4x8xi1>) -> (tensor<4x1xi1>, tensor<8xi1>) {
// CHECK-NEXT: %0 = tiny.reduce max %p axes [1] accum i1 : tensor<4x8xi1> -> tensor<4xi1>
// CHECK-NEXT: %1 = tiny.movement reshape %0 : tensor<4xi1> -> tensor<4x1xi1>
// CHECK-NEXT: %2 = tiny.reduce min %p axes [0] accum i1 : tensor<4x8xi1> -> tensor<8xi1>
// CHECK-NEXT: func.return %1, %2 : tensor<4x1xi1>, tensor<8xi1>
func.func @predicates(%p: tensor<4x8xi1>) -> (tensor<4x1xi1>, tensor<8xi1>) {
  %0 = ptir.reduce any %p axes [1] keepdims : tensor<4x8xi1> -> tensor<4x1xi1>
  %1 = ptir.reduce all %p axes [0] : tensor<4x8xi1> -> tensor<8xi1>
  func.return %0, %1 : tensor<4x1xi1>, tensor<8xi1>
}

// A product is cast to its accumulator, too.
// CHECK: func.func @products(%x: tensor<4x8xbf16>) -> tensor<4x1xf32> {
// CHECK-NEXT: %0 = tiny.unary cast %x : tensor<4x8xbf16> -> tensor<4x8xf32>
// CHECK-NEXT: %1 = tiny.reduce mul %0 axes [1] accum f32 : tensor<4x8xf32> -> tensor<4xf32>
// CHECK-NEXT: %2 = tiny.movement reshape %1 : tensor<4xf32> -> tensor<4x1xf32>
// CHECK-NEXT: func.return %2 : tensor<4x1xf32>
func.func @products(%x: tensor<4x8xbf16>) -> tensor<4x1xf32> {
  %0 = ptir.reduce mul %x axes [1] keepdims accum f32 out f32 : tensor<4x8xbf16> -> tensor<4x1xf32>
  func.return %0 : tensor<4x1xf32>
}

// The index of the maximum is the least at which an element equals it, or is a NaN; else the last one.
// CHECK: func.func @argmax(%x: tensor<4x8xf32>, %i: tensor<4x8xi32>) -> (tensor<4xsi64>, tensor<1x8xsi32>) {
// CHECK-NEXT: %0 = tiny.reduce max %x axes [1] accum f32 : tensor<4x8xf32> -> tensor<4xf32>
// CHECK-NEXT: %1 = tiny.movement reshape %0 : tensor<4xf32> -> tensor<4x1xf32>
// CHECK-NEXT: %2 = tiny.binary eq %x, %1 : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xi1>
// CHECK-NEXT: %3 = tiny.binary ne %x, %x : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xi1>
// CHECK-NEXT: %4 = tiny.binary or %2, %3 : (tensor<4x8xi1>, tensor<4x8xi1>) -> tensor<4x8xi1>
// CHECK-NEXT: %5 = tiny.iota axis 1 : tensor<1x8xsi64>
// CHECK-NEXT: %6 = tiny.const dense<7> : tensor<si64>
// CHECK-NEXT: %7 = tiny.binary where %4, %5, %6 : (tensor<4x8xi1>, tensor<1x8xsi64>, tensor<si64>) -> tensor<4x8xsi64>
// CHECK-NEXT: %8 = tiny.reduce min %7 axes [1] accum si64 : tensor<4x8xsi64> -> tensor<4xsi64>
// CHECK-NEXT: %9 = tiny.reduce max %i axes [0] accum i32 : tensor<4x8xi32> -> tensor<8xi32>
// CHECK-NEXT: %10 = tiny.movement reshape %9 : tensor<8xi32> -> tensor<1x8xi32>
// CHECK-NEXT: %11 = tiny.binary eq %i, %10 : (tensor<4x8xi32>, tensor<1x8xi32>) -> tensor<4x8xi1>
// CHECK-NEXT: %12 = tiny.iota axis 0 : tensor<4x1xsi32>
// CHECK-NEXT: %13 = tiny.const dense<3> : tensor<si32>
// CHECK-NEXT: %14 = tiny.binary where %11, %12, %13 : (tensor<4x8xi1>, tensor<4x1xsi32>, tensor<si32>) -> tensor<4x8xsi32>
// CHECK-NEXT: %15 = tiny.reduce min %14 axes [0] accum si32 : tensor<4x8xsi32> -> tensor<8xsi32>
// CHECK-NEXT: %16 = tiny.movement reshape %15 : tensor<8xsi32> -> tensor<1x8xsi32>
// CHECK-NEXT: func.return %8, %16 : tensor<4xsi64>, tensor<1x8xsi32>
func.func @argmax(%x: tensor<4x8xf32>, %i: tensor<4x8xi32>) -> (tensor<4xsi64>, tensor<1x8xsi32>) {
  %0 = ptir.argmax %x axis 1 : tensor<4x8xf32> -> tensor<4xsi64>
  %1 = ptir.argmax %i axis 0 keepdims : tensor<4x8xi32> -> tensor<1x8xsi32>
  func.return %0, %1 : tensor<4xsi64>, tensor<1x8xsi32>
}

// Other axes may be dynamic.
// CHECK: func.func @rows(%x: tensor<?x8xi32>, %y: tensor<2x?x8xi32, #ptir.dims<_, B, _>>) -> (tensor<?xsi64>, tensor<2x?xsi64, #ptir.dims<_, B>>) {
// CHECK: tiny.binary where %{{.*}} : (tensor<?x8xi1>, tensor<1x8xsi64>, tensor<si64>) -> tensor<?x8xsi64>
// CHECK: tiny.binary where %{{.*}} : (tensor<2x?x8xi1, #ptir.dims<_, B, _>>, tensor<1x1x8xsi64>, tensor<si64>)
// CHECK-NOT: ptir.argmax
func.func @rows(%x: tensor<?x8xi32>, %y: tensor<2x?x8xi32, #ptir.dims<_, B, _>>) -> (tensor<?xsi64>, tensor<2x?xsi64, #ptir.dims<_, B>>) {
  %0 = ptir.argmax %x axis 1 : tensor<?x8xi32> -> tensor<?xsi64>
  %1 = ptir.argmax %y axis 2 : tensor<2x?x8xi32, #ptir.dims<_, B, _>> -> tensor<2x?xsi64, #ptir.dims<_, B>>
  func.return %0, %1 : tensor<?xsi64>, tensor<2x?xsi64, #ptir.dims<_, B>>
}

// Each term is cast to a type that rounds it; then the sum rounds once.
// CHECK: func.func @narrow(%x: tensor<4x8xf32>, %i: tensor<4xi32>) -> (tensor<4xf32>, tensor<i8>, tensor<4xf32>) {
// CHECK-NEXT: %0 = tiny.unary cast %x : tensor<4x8xf32> -> tensor<4x8xbf16>
// CHECK-NEXT: %1 = tiny.reduce sum %0 axes [1] accum bf16 : tensor<4x8xbf16> -> tensor<4xbf16>
// CHECK-NEXT: %2 = tiny.unary cast %1 : tensor<4xbf16> -> tensor<4xf32>
// CHECK-NEXT: %3 = tiny.unary cast %i : tensor<4xi32> -> tensor<4xi8>
// CHECK-NEXT: %4 = tiny.reduce sum %3 axes [0] accum i8 : tensor<4xi8> -> tensor<i8>
// CHECK-NEXT: %5 = tiny.unary cast %x : tensor<4x8xf32> -> tensor<4x8xbf16>
// CHECK-NEXT: %6 = tiny.reduce max %5 axes [1] accum bf16 : tensor<4x8xbf16> -> tensor<4xbf16>
// CHECK-NEXT: %7 = tiny.unary cast %6 : tensor<4xbf16> -> tensor<4xf32>
// CHECK-NEXT: func.return %2, %4, %7 : tensor<4xf32>, tensor<i8>, tensor<4xf32>
func.func @narrow(%x: tensor<4x8xf32>, %i: tensor<4xi32>) -> (tensor<4xf32>, tensor<i8>, tensor<4xf32>) {
  %0 = ptir.reduce sum %x axes [1] accum bf16 : tensor<4x8xf32> -> tensor<4xf32>
  %1 = ptir.reduce sum %i axes [0] accum i8 out i8 : tensor<4xi32> -> tensor<i8>
  %2 = ptir.reduce max %x axes [1] accum bf16 : tensor<4x8xf32> -> tensor<4xf32>
  func.return %0, %1, %2 : tensor<4xf32>, tensor<i8>, tensor<4xf32>
}

// A layer norm is its formula, whose statistics are in f32 and in two passes.
// CHECK: func.func @layer_norm(%x: tensor<2x4xbf16>, %g: tensor<4xbf16>, %b: tensor<4xbf16>) -> tensor<2x4xbf16> {
// CHECK-NEXT: %0 = tiny.unary cast %x : tensor<2x4xbf16> -> tensor<2x4xf32>
// CHECK-NEXT: %1 = tiny.reduce sum %0 axes [1] accum f32 : tensor<2x4xf32> -> tensor<2xf32>
// CHECK-NEXT: %2 = tiny.movement reshape %1 : tensor<2xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %3 = tiny.const dense<4.000000e+00> : tensor<f32>
// CHECK-NEXT: %4 = tiny.movement expand %3 : tensor<f32> -> tensor<2x1xf32>
// CHECK-NEXT: %5 = tiny.binary div %2, %4 : (tensor<2x1xf32>, tensor<2x1xf32>) -> tensor<2x1xf32>
// CHECK-NEXT: %6 = tiny.movement expand %5 : tensor<2x1xf32> -> tensor<2x4xf32>
// CHECK-NEXT: %7 = tiny.binary sub %0, %6 : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
// CHECK-NEXT: %8 = tiny.binary mul %7, %7 : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
// CHECK-NEXT: %9 = tiny.reduce sum %8 axes [1] accum f32 : tensor<2x4xf32> -> tensor<2xf32>
// CHECK-NEXT: %10 = tiny.movement reshape %9 : tensor<2xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %11 = tiny.const dense<4.000000e+00> : tensor<f32>
// CHECK-NEXT: %12 = tiny.movement expand %11 : tensor<f32> -> tensor<2x1xf32>
// CHECK-NEXT: %13 = tiny.binary div %10, %12 : (tensor<2x1xf32>, tensor<2x1xf32>) -> tensor<2x1xf32>
// CHECK-NEXT: %14 = tiny.const dense<1.000000e-05> : tensor<f32>
// CHECK-NEXT: %15 = tiny.movement expand %14 : tensor<f32> -> tensor<2x1xf32>
// CHECK-NEXT: %16 = tiny.binary add %13, %15 : (tensor<2x1xf32>, tensor<2x1xf32>) -> tensor<2x1xf32>
// CHECK-NEXT: %17 = tiny.unary rsqrt %16 : tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %18 = tiny.movement expand %17 : tensor<2x1xf32> -> tensor<2x4xf32>
// CHECK-NEXT: %19 = tiny.binary mul %7, %18 : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
// CHECK-NEXT: %20 = tiny.unary cast %g : tensor<4xbf16> -> tensor<4xf32>
// CHECK-NEXT: %21 = tiny.movement reshape %20 : tensor<4xf32> -> tensor<1x4xf32>
// CHECK-NEXT: %22 = tiny.movement expand %21 : tensor<1x4xf32> -> tensor<2x4xf32>
// CHECK-NEXT: %23 = tiny.binary mul %19, %22 : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
// CHECK-NEXT: %24 = tiny.unary cast %b : tensor<4xbf16> -> tensor<4xf32>
// CHECK-NEXT: %25 = tiny.movement reshape %24 : tensor<4xf32> -> tensor<1x4xf32>
// CHECK-NEXT: %26 = tiny.movement expand %25 : tensor<1x4xf32> -> tensor<2x4xf32>
// CHECK-NEXT: %27 = tiny.binary add %23, %26 : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
// CHECK-NEXT: %28 = tiny.unary cast %27 : tensor<2x4xf32> -> tensor<2x4xbf16>
// CHECK-NEXT: func.return %28 : tensor<2x4xbf16>
func.func @layer_norm(%x: tensor<2x4xbf16>, %g: tensor<4xbf16>, %b: tensor<4xbf16>) -> tensor<2x4xbf16> {
  %0 = ptir.layer_norm %x, %g, %b axis 1 epsilon 1.0e-05 : tensor<2x4xbf16>, tensor<4xbf16>
  func.return %0 : tensor<2x4xbf16>
}
}
