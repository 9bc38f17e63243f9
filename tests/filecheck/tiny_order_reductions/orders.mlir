// RUN: ptir-opt %s -p tiny-order-reductions | filecheck %s
// RUN: ptir-opt %s -p tiny-order-reductions --validate-passes -o /dev/null

// The channels of a group, which are adjacent in memory, become the last axis.
// CHECK: func.func @group
// CHECK: %[[GROUPS:.*]] = tiny.movement reshape %{{.*}} : tensor<2x3x36xf32> -> tensor<2x3x4x9xf32>
// CHECK-NEXT: %[[LAST:.*]] = tiny.movement permute %[[GROUPS]] by [0, 1, 3, 2] : tensor<2x3x4x9xf32> -> tensor<2x3x9x4xf32>
// CHECK-NEXT: tiny.reduce sum %[[LAST]] axes [2, 3] accum f32 : tensor<2x3x9x4xf32> -> tensor<2x3xf32>
func.func @group(%x: tensor<2x9x12xf32>) -> tensor<2x3xf32> {
  %0 = tiny.movement permute %x by [0, 2, 1] : tensor<2x9x12xf32> -> tensor<2x12x9xf32>
  %1 = tiny.movement reshape %0 : tensor<2x12x9xf32> -> tensor<2x3x36xf32>
  %2 = tiny.reduce sum %1 axes [2] accum f32 : tensor<2x3x36xf32> -> tensor<2x3xf32>
  func.return %2 : tensor<2x3xf32>
}

// CHECK: func.func @all
// CHECK: %[[BACK:.*]] = tiny.movement permute %{{.*}} by [1, 0] : tensor<7x5xf32> -> tensor<5x7xf32>
// CHECK-NEXT: tiny.reduce max %[[BACK]] axes [0, 1]
func.func @all(%x: tensor<5x7xf32>) -> tensor<f32> {
  %0 = tiny.movement permute %x by [1, 0] : tensor<5x7xf32> -> tensor<7x5xf32>
  %1 = tiny.reduce max %0 axes [0, 1] accum f32 : tensor<7x5xf32> -> tensor<f32>
  func.return %1 : tensor<f32>
}

// Axes that are not reduced keep their places, and split ones stay whole.
// CHECK: func.func @between
// CHECK: %[[SPLIT:.*]] = tiny.movement reshape %{{.*}} : tensor<6x4x2xf32> -> tensor<3x2x4x2xf32>
// CHECK-NEXT: %[[SORTED:.*]] = tiny.movement permute %[[SPLIT]] by [3, 1, 2, 0] : tensor<3x2x4x2xf32> -> tensor<2x2x4x3xf32>
// CHECK-NEXT: tiny.reduce sum %[[SORTED]] axes [0, 1, 3]
func.func @between(%x: tensor<2x2x4x3xf32>) -> tensor<4xf32> {
  %0 = tiny.movement permute %x by [3, 1, 2, 0] : tensor<2x2x4x3xf32> -> tensor<3x2x4x2xf32>
  %1 = tiny.movement reshape %0 : tensor<3x2x4x2xf32> -> tensor<6x4x2xf32>
  %2 = tiny.reduce sum %1 axes [0, 2] accum f32 : tensor<6x4x2xf32> -> tensor<4xf32>
  func.return %2 : tensor<4xf32>
}

// An axis that is not reduced divides, too.
// CHECK: func.func @both
// CHECK: %[[SPLIT:.*]] = tiny.movement reshape %{{.*}} : tensor<15x8xf32> -> tensor<15x4x2xf32>
// CHECK-NEXT: %[[SORTED:.*]] = tiny.movement permute %[[SPLIT]] by [0, 2, 1] : tensor<15x4x2xf32> -> tensor<15x2x4xf32>
// CHECK-NEXT: tiny.reduce sum %[[SORTED]] axes [1, 2]
func.func @both(%x: tensor<5x3x2x4xf32>) -> tensor<15xf32> {
  %0 = tiny.movement permute %x by [1, 0, 3, 2] : tensor<5x3x2x4xf32> -> tensor<3x5x4x2xf32>
  %1 = tiny.movement reshape %0 : tensor<3x5x4x2xf32> -> tensor<15x8xf32>
  %2 = tiny.reduce sum %1 axes [1] accum f32 : tensor<15x8xf32> -> tensor<15xf32>
  func.return %2 : tensor<15xf32>
}

// An axis along which the array does not change is no last axis.
// CHECK: func.func @repeated
// CHECK: %[[SORTED:.*]] = tiny.movement permute %{{.*}} by [0, 2, 1] : tensor<2x7x5xf32> -> tensor<2x5x7xf32>
// CHECK-NEXT: tiny.reduce sum %[[SORTED]] axes [1, 2]
func.func @repeated(%x: tensor<2x7xf32>, %y: tensor<5xf32>) -> tensor<2xf32> {
  %0 = tiny.movement reshape %x : tensor<2x7xf32> -> tensor<2x7x1xf32>
  %1 = tiny.movement expand %0 : tensor<2x7x1xf32> -> tensor<2x7x5xf32>
  %2 = tiny.movement reshape %y : tensor<5xf32> -> tensor<1x1x5xf32>
  %3 = tiny.movement expand %2 : tensor<1x1x5xf32> -> tensor<2x7x5xf32>
  %4 = tiny.binary max %1, %3 : (tensor<2x7x5xf32>, tensor<2x7x5xf32>) -> tensor<2x7x5xf32>
  %5 = tiny.reduce sum %4 axes [1, 2] accum f32 : tensor<2x7x5xf32> -> tensor<2xf32>
  func.return %5 : tensor<2xf32>
}

// Rows that lie apart in memory are split; the order stays. The largest array decides, through any elementwise ops.
// CHECK: func.func @apart
// CHECK: %[[ROWS:.*]] = tiny.movement reshape %{{.*}} : tensor<4x15xf32> -> tensor<4x3x5xf32>
// CHECK-NEXT: tiny.reduce sum %[[ROWS]] axes [1, 2]
func.func @apart(%x: tensor<4x3x7xf32>, %y: tensor<15xf32>) -> tensor<4xf32> {
  %0 = tiny.movement shrink %x from [0, 0, 2] : tensor<4x3x7xf32> -> tensor<4x3x5xf32>
  %1 = tiny.movement reshape %0 : tensor<4x3x5xf32> -> tensor<4x15xf32>
  %2 = tiny.movement reshape %y : tensor<15xf32> -> tensor<1x15xf32>
  %3 = tiny.movement expand %2 : tensor<1x15xf32> -> tensor<4x15xf32>
  %4 = tiny.binary mul %3, %1 : (tensor<4x15xf32>, tensor<4x15xf32>) -> tensor<4x15xf32>
  %5 = tiny.unary exp %4 : tensor<4x15xf32> -> tensor<4x15xf32>
  %6 = tiny.reduce sum %5 axes [1] accum f32 : tensor<4x15xf32> -> tensor<4xf32>
  func.return %6 : tensor<4xf32>
}

// Blocks of control flow are visited, too.
// CHECK: func.func @branch
// CHECK: ptir.cond
// CHECK: tiny.movement permute %{{.*}} by [1, 0] : tensor<7x5xf32> -> tensor<5x7xf32>
func.func @branch(%p: tensor<i1>, %x: tensor<5x7xf32>, %y: tensor<f32>) -> tensor<f32> {
  %r = ptir.cond %p (%x, %y) : (tensor<5x7xf32>, tensor<f32>) -> tensor<f32> then (%a, %b) {
    %0 = tiny.movement permute %a by [1, 0] : tensor<5x7xf32> -> tensor<7x5xf32>
    %1 = tiny.reduce max %0 axes [0, 1] accum f32 : tensor<7x5xf32> -> tensor<f32>
    ptir.yield %1 : tensor<f32>
  } else (%u, %v) {
    ptir.yield %v : tensor<f32>
  }
  func.return %r : tensor<f32>
}

// What is not rewritten: one axis of a transposed array, and rows that are contiguous already.
// CHECK: func.func @columns
// CHECK-NEXT: tiny.movement permute
// CHECK-NEXT: tiny.reduce
func.func @columns(%x: tensor<5x7xf32>) -> tensor<7xf32> {
  %0 = tiny.movement permute %x by [1, 0] : tensor<5x7xf32> -> tensor<7x5xf32>
  %1 = tiny.reduce sum %0 axes [1] accum f32 : tensor<7x5xf32> -> tensor<7xf32>
  func.return %1 : tensor<7xf32>
}
// CHECK: func.func @rows
// CHECK-NEXT: tiny.movement permute
// CHECK-NEXT: tiny.reduce
func.func @rows(%x: tensor<5x3x7xf32>) -> tensor<3x5xf32> {
  %0 = tiny.movement permute %x by [1, 0, 2] : tensor<5x3x7xf32> -> tensor<3x5x7xf32>
  %1 = tiny.reduce sum %0 axes [2] accum f32 : tensor<3x5x7xf32> -> tensor<3x5xf32>
  func.return %1 : tensor<3x5xf32>
}

// The kept axis divides, but not the reduced one.
// CHECK: func.func @merged
// CHECK-NEXT: tiny.movement permute
// CHECK-NEXT: tiny.movement reshape
// CHECK-NEXT: tiny.reduce
func.func @merged(%x: tensor<5x3x7xf32>) -> tensor<15xf32> {
  %0 = tiny.movement permute %x by [1, 0, 2] : tensor<5x3x7xf32> -> tensor<3x5x7xf32>
  %1 = tiny.movement reshape %0 : tensor<3x5x7xf32> -> tensor<15x7xf32>
  %2 = tiny.reduce sum %1 axes [1] accum f32 : tensor<15x7xf32> -> tensor<15xf32>
  func.return %2 : tensor<15xf32>
}

// A part of an axis that no split gives a stride, and sizes that are not static.
// CHECK: func.func @uneven
// CHECK-NEXT: tiny.movement permute
// CHECK-NEXT: tiny.movement reshape
// CHECK-NEXT: tiny.movement shrink
// CHECK-NEXT: tiny.reduce
func.func @uneven(%x: tensor<5x3xf32>) -> tensor<f32> {
  %0 = tiny.movement permute %x by [1, 0] : tensor<5x3xf32> -> tensor<3x5xf32>
  %1 = tiny.movement reshape %0 : tensor<3x5xf32> -> tensor<15xf32>
  %2 = tiny.movement shrink %1 from [0] : tensor<15xf32> -> tensor<13xf32>
  %3 = tiny.reduce sum %2 axes [0] accum f32 : tensor<13xf32> -> tensor<f32>
  func.return %3 : tensor<f32>
}
// CHECK: func.func @dynamic
// CHECK-NEXT: tiny.movement permute
// CHECK-NEXT: tiny.reduce
func.func @dynamic(%x: tensor<5x?xf32>) -> tensor<f32> {
  %0 = tiny.movement permute %x by [1, 0] : tensor<5x?xf32> -> tensor<?x5xf32>
  %1 = tiny.reduce sum %0 axes [0, 1] accum f32 : tensor<?x5xf32> -> tensor<f32>
  func.return %1 : tensor<f32>
}

// Indices are given by data.
// CHECK: func.func @taken
// CHECK: ptir.gather
// CHECK-NEXT: tiny.reduce
func.func @taken(%x: tensor<4x6xf32>, %i: tensor<50xsi32>) -> tensor<f32> {
  %0 = tiny.movement reshape %i : tensor<50xsi32> -> tensor<50x1xsi32>
  %1 = tiny.movement expand %0 : tensor<50x1xsi32> -> tensor<50x6xsi32>
  %2 = ptir.gather %x, %1 axis 0 : (tensor<4x6xf32>, tensor<50x6xsi32>) -> tensor<50x6xf32>
  %3 = tiny.reduce sum %2 axes [0, 1] accum f32 : tensor<50x6xf32> -> tensor<f32>
  func.return %3 : tensor<f32>
}

// A contraction reads operands of any layout.
// CHECK: func.func @contraction
// CHECK: tiny.binary mul
// CHECK-NEXT: tiny.reduce sum %{{.*}} axes [0, 2]
func.func @contraction(%x: tensor<3x8x4xf32>, %y: tensor<3x4x8xf32>) -> tensor<8x8xf32> {
  %0 = tiny.movement permute %x by [2, 1, 0] : tensor<3x8x4xf32> -> tensor<4x8x3xf32>
  %1 = tiny.movement reshape %0 : tensor<4x8x3xf32> -> tensor<4x8x3x1xf32>
  %2 = tiny.movement expand %1 : tensor<4x8x3x1xf32> -> tensor<4x8x3x8xf32>
  %3 = tiny.movement permute %y by [1, 0, 2] : tensor<3x4x8xf32> -> tensor<4x3x8xf32>
  %4 = tiny.movement reshape %3 : tensor<4x3x8xf32> -> tensor<4x1x3x8xf32>
  %5 = tiny.movement expand %4 : tensor<4x1x3x8xf32> -> tensor<4x8x3x8xf32>
  %6 = tiny.binary mul %2, %5 : (tensor<4x8x3x8xf32>, tensor<4x8x3x8xf32>) -> tensor<4x8x3x8xf32>
  %7 = tiny.reduce sum %6 axes [0, 2] accum f32 : tensor<4x8x3x8xf32> -> tensor<8x8xf32>
  func.return %7 : tensor<8x8xf32>
}
