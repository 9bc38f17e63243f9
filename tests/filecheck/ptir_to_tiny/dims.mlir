// RUN: ptir-opt %s -p ptir-to-tiny | filecheck %s

// A dim_cast between types that say the same numbers is nothing.
// CHECK: func.func @same(%x: tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: %0 = tiny.unary neg %x : tensor<4xf32> -> tensor<4xf32>
// CHECK-NEXT: func.return %0 : tensor<4xf32>
func.func @same(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = ptir.dim_cast %x : tensor<4xf32> -> tensor<4xf32>
  %1 = ptir.neg %0 : tensor<4xf32>
  func.return %1 : tensor<4xf32>
}

// Named sizes are sizes: elementwise ops, contractions, reductions and softmax go through.
// CHECK: func.func @named(%x: tensor<?x8xbf16, #ptir.dims<B, _>>, %w: tensor<8x2xbf16>) -> tensor<?x2xbf16, #ptir.dims<B, _>> {
// CHECK-NEXT: %0 = tiny.movement reshape %x : tensor<?x8xbf16, #ptir.dims<B, _>> -> tensor<?x8x1xbf16, #ptir.dims<B, _, _>>
// CHECK-NEXT: %1 = tiny.unary cast %0 : tensor<?x8x1xbf16, #ptir.dims<B, _, _>> -> tensor<?x8x1xf32, #ptir.dims<B, _, _>>
// CHECK-NEXT: %2 = tiny.movement reshape %w : tensor<8x2xbf16> -> tensor<1x8x2xbf16>
// CHECK-NEXT: %3 = tiny.unary cast %2 : tensor<1x8x2xbf16> -> tensor<1x8x2xf32>
// CHECK-NEXT: %4 = tiny.binary mul %1, %3 : (tensor<?x8x1xf32, #ptir.dims<B, _, _>>, tensor<1x8x2xf32>) -> tensor<?x8x2xf32, #ptir.dims<B, _, _>>
// CHECK-NEXT: %5 = tiny.reduce sum %4 axes [1] accum f32 : tensor<?x8x2xf32, #ptir.dims<B, _, _>> -> tensor<?x2xf32, #ptir.dims<B, _>>
// CHECK-NEXT: %6 = tiny.unary cast %5 : tensor<?x2xf32, #ptir.dims<B, _>> -> tensor<?x2xbf16, #ptir.dims<B, _>>
// CHECK-NEXT: %7 = tiny.unary cast %6 : tensor<?x2xbf16, #ptir.dims<B, _>> -> tensor<?x2xf32, #ptir.dims<B, _>>
// CHECK-NEXT: %8 = tiny.reduce max %7 axes [1] accum f32 : tensor<?x2xf32, #ptir.dims<B, _>> -> tensor<?xf32, #ptir.dims<B>>
// CHECK-NEXT: %9 = tiny.unary cast %8 : tensor<?xf32, #ptir.dims<B>> -> tensor<?xbf16, #ptir.dims<B>>
// CHECK-NEXT: %10 = tiny.movement reshape %9 : tensor<?xbf16, #ptir.dims<B>> -> tensor<?x1xbf16, #ptir.dims<B, _>>
// CHECK-NEXT: %11 = tiny.movement expand %10 : tensor<?x1xbf16, #ptir.dims<B, _>> -> tensor<?x2xbf16, #ptir.dims<B, _>>
// CHECK-NEXT: %12 = tiny.binary sub %6, %11 : (tensor<?x2xbf16, #ptir.dims<B, _>>, tensor<?x2xbf16, #ptir.dims<B, _>>) -> tensor<?x2xbf16, #ptir.dims<B, _>>
// CHECK-NEXT: func.return %12 : tensor<?x2xbf16, #ptir.dims<B, _>>
func.func @named(%x: tensor<?x8xbf16, #ptir.dims<B, _>>, %w: tensor<8x2xbf16>) -> tensor<?x2xbf16, #ptir.dims<B, _>> {
  %0 = ptir.dot_general %x, %w contract [1] x [0] : (tensor<?x8xbf16, #ptir.dims<B, _>>, tensor<8x2xbf16>) -> tensor<?x2xbf16, #ptir.dims<B, _>>
  %1 = ptir.reduce max %0 axes [1] keepdims : tensor<?x2xbf16, #ptir.dims<B, _>> -> tensor<?x1xbf16, #ptir.dims<B, _>>
  %2 = ptir.broadcast_to %1 : tensor<?x1xbf16, #ptir.dims<B, _>> -> tensor<?x2xbf16, #ptir.dims<B, _>>
  %3 = ptir.sub %0, %2 : tensor<?x2xbf16, #ptir.dims<B, _>>
  func.return %3 : tensor<?x2xbf16, #ptir.dims<B, _>>
}

// What needs a number stays, and so does what a run must tell: whether a size is 1, or what is promised.
// CHECK: func.func @stays(%x: tensor<?x8xf32, #ptir.dims<B, _>>, %y: tensor<?xf32>) -> (tensor<?x8xf32>, tensor<?x8xf32>, tensor<4x8xf32>, tensor<4xf32>, tensor<?x8xf32>, tensor<?x8xf32>) {
// CHECK-NEXT: %0 = ptir.concat %x, %x axis 0 : (tensor<?x8xf32, #ptir.dims<B, _>>, tensor<?x8xf32, #ptir.dims<B, _>>) -> tensor<?x8xf32>
// CHECK-NEXT: %1 = ptir.reduce_window max %x window [2, 1] : tensor<?x8xf32, #ptir.dims<B, _>> -> tensor<?x8xf32>
// CHECK-NEXT: %2 = ptir.dim_cast %x : tensor<?x8xf32, #ptir.dims<B, _>> -> tensor<4x8xf32>
// CHECK-NEXT: %3 = ptir.broadcast_to %y : tensor<?xf32> -> tensor<4xf32>
// CHECK-NEXT: %4 = tiny.movement shrink %x from [1, 0] : tensor<?x8xf32, #ptir.dims<B, _>> -> tensor<?x8xf32>
// CHECK-NEXT: %5 = tiny.movement reshape %x : tensor<?x8xf32, #ptir.dims<B, _>> -> tensor<1x?x8xf32, #ptir.dims<_, B, _>>
// CHECK-NEXT: %6 = tiny.movement expand %5 : tensor<1x?x8xf32, #ptir.dims<_, B, _>> -> tensor<2x?x8xf32, #ptir.dims<_, B, _>>
// CHECK-NEXT: %7 = tiny.movement reshape %6 : tensor<2x?x8xf32, #ptir.dims<_, B, _>> -> tensor<?x8xf32>
// CHECK-NEXT: func.return %0, %1, %2, %3, %4, %7 : tensor<?x8xf32>, tensor<?x8xf32>, tensor<4x8xf32>, tensor<4xf32>, tensor<?x8xf32>, tensor<?x8xf32>
func.func @stays(%x: tensor<?x8xf32, #ptir.dims<B, _>>, %y: tensor<?xf32>) -> (tensor<?x8xf32>, tensor<?x8xf32>, tensor<4x8xf32>, tensor<4xf32>, tensor<?x8xf32>, tensor<?x8xf32>) {
  %0 = ptir.concat %x, %x axis 0 : (tensor<?x8xf32, #ptir.dims<B, _>>, tensor<?x8xf32, #ptir.dims<B, _>>) -> tensor<?x8xf32>
  %1 = ptir.reduce_window max %x window [2, 1] : tensor<?x8xf32, #ptir.dims<B, _>> -> tensor<?x8xf32>
  %2 = ptir.dim_cast %x : tensor<?x8xf32, #ptir.dims<B, _>> -> tensor<4x8xf32>
  %3 = ptir.broadcast_to %y : tensor<?xf32> -> tensor<4xf32>
  %4 = ptir.slice %x [1, 0] : tensor<?x8xf32, #ptir.dims<B, _>> -> tensor<?x8xf32>
  %5 = ptir.tile %x [2, 1] : tensor<?x8xf32, #ptir.dims<B, _>> -> tensor<?x8xf32>
  func.return %0, %1, %2, %3, %4, %5 : tensor<?x8xf32>, tensor<?x8xf32>, tensor<4x8xf32>, tensor<4xf32>, tensor<?x8xf32>, tensor<?x8xf32>
}

// A `?` cannot be inferred beside a size that may be 0, so that what would reshape it stays.
// CHECK: func.func @inferred(%x: tensor<?x?x4xf32, #ptir.dims<_, T, _>>, %y: tensor<?x2x4xf32>) -> (tensor<?x?x1xf32, #ptir.dims<_, T, _>>, tensor<?x2x1xf32>) {
// CHECK-NEXT: %0 = ptir.reduce max %x axes [2] keepdims : tensor<?x?x4xf32, #ptir.dims<_, T, _>> -> tensor<?x?x1xf32, #ptir.dims<_, T, _>>
// CHECK-NEXT: %1 = tiny.reduce max %y axes [2] accum f32 : tensor<?x2x4xf32> -> tensor<?x2xf32>
// CHECK-NEXT: %2 = tiny.movement reshape %1 : tensor<?x2xf32> -> tensor<?x2x1xf32>
// CHECK-NEXT: func.return %0, %2 : tensor<?x?x1xf32, #ptir.dims<_, T, _>>, tensor<?x2x1xf32>
func.func @inferred(%x: tensor<?x?x4xf32, #ptir.dims<_, T, _>>, %y: tensor<?x2x4xf32>) -> (tensor<?x?x1xf32, #ptir.dims<_, T, _>>, tensor<?x2x1xf32>) {
  %0 = ptir.reduce max %x axes [2] keepdims : tensor<?x?x4xf32, #ptir.dims<_, T, _>> -> tensor<?x?x1xf32, #ptir.dims<_, T, _>>
  %1 = ptir.reduce max %y axes [2] keepdims : tensor<?x2x4xf32> -> tensor<?x2x1xf32>
  func.return %0, %1 : tensor<?x?x1xf32, #ptir.dims<_, T, _>>, tensor<?x2x1xf32>
}
