// RUN: ptir-opt %s -p build-poly-view --dump=indexbook | filecheck %s
// RUN: ptir-opt %s -p ptir-to-tiny,build-poly-view --dump=indexbook | filecheck %s

// Axes with their ids and sizes; ids go through unary ops, permutes and reductions, `*` marks what is repeated.

func.func @axes(%x: tensor<4x8xf32>, %v: tensor<8x1xf32>) -> tensor<8xf32> {
  %0 = tiny.unary exp %x : tensor<4x8xf32> -> tensor<4x8xf32>
  %1 = tiny.movement permute %0 by [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  %2 = tiny.movement expand %v : tensor<8x1xf32> -> tensor<8x4xf32>
  %3 = tiny.binary add %1, %2 : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  %4 = tiny.reduce max %3 axes [1] accum f32 : tensor<8x4xf32> -> tensor<8xf32>
  func.return %4 : tensor<8xf32>
}

// CHECK:      @axes
// CHECK-NEXT:   v0 = unary exp   axes i0:0[4] i1:1[8]
// CHECK-NEXT:     domain  0 <= i0 < 4, 0 <= i1 < 8
// CHECK-NEXT:     arg0  [i0, i1] -> [i0, i1]
// CHECK-NEXT:   v1 = movement permute   axes i0:1[8] i1:0[4]
// CHECK-NEXT:     domain  0 <= i0 < 8, 0 <= i1 < 4
// CHECK-NEXT:     v0  [i0, i1] -> [i1, i0]
// CHECK-NEXT:   v2 = movement expand   axes i0:2[8] i1:4[4]*
// CHECK-NEXT:     domain  0 <= i0 < 8, 0 <= i1 < 4
// CHECK-NEXT:     arg1  [i0, i1] -> [i0, 0]
// CHECK-NEXT:   v3 = binary add   axes i0:5[8] i1:6[4]
// CHECK:        v4 = reduce max   axes i0:5[8]  reduces i1:6[4]
// CHECK-NEXT:     domain  0 <= i0 < 8, 0 <= i1 < 4
// CHECK-NEXT:     v3  [i0, i1] -> [i0, i1]

// Remainders are divisions with a guard; a pad's operand has a guard and a value around it; a view whose digits never
// carry has no divisions.

func.func @movements(%x: tensor<4x8xf32>) -> (tensor<2x16xf32>, tensor<6x10xf32>, tensor<3x2x6xf32>, tensor<2x4xf32>) {
  %0 = tiny.movement permute %x by [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  %1 = tiny.movement reshape %x : tensor<4x8xf32> -> tensor<2x16xf32>
  %2 = tiny.movement pad %x low [1, 0] high [1, 2] value 0.0 : f32 : tensor<4x8xf32> -> tensor<6x10xf32>
  %3 = tiny.movement view %x offset 1 strides [8, 8, 1] : tensor<4x8xf32> -> tensor<3x2x6xf32>
  %4 = tiny.movement shrink %x from [1, 3] : tensor<4x8xf32> -> tensor<2x4xf32>
  func.return %1, %2, %3, %4 : tensor<2x16xf32>, tensor<6x10xf32>, tensor<3x2x6xf32>, tensor<2x4xf32>
}

// CHECK:      @movements
// CHECK:        v1 = movement reshape
// CHECK-NEXT:     domain  0 <= i0 < 2, 0 <= i1 < 16, 0 <= i1 - 8*floor((i1)/8) < 8
// CHECK-NEXT:     arg0  [i0, i1] -> [2*i0 + floor((i1)/8), i1 - 8*floor((i1)/8)]
// CHECK:        v2 = movement pad
// CHECK-NEXT:     domain  0 <= i0 < 6, 0 <= i1 < 10
// CHECK-NEXT:     arg0  [i0, i1] -> [i0 - 1, i1]
// CHECK-NEXT:       where 0 < i0 <= 4 and 0 <= i1 <= 7, else #ptir.scalar<0.0 : f32>
// CHECK:        v3 = movement view
// CHECK-NEXT:     domain  0 <= i0 < 3, 0 <= i1 < 2, 0 <= i2 < 6
// CHECK-NEXT:     arg0  [i0, i1, i2] -> [i0 + i1, i2 + 1]
// CHECK:        v4 = movement shrink
// CHECK-NEXT:     domain  0 <= i0 < 2, 0 <= i1 < 4
// CHECK-NEXT:     arg0  [i0, i1] -> [i0 + 1, i1 + 3]

// Reads at indices given by data are affine in the iteration axes and in positions, which are elements of the indices.

func.func @positions(%x: tensor<5x8xf32>, %i: tensor<3x8xsi32>, %s: tensor<2xsi32>) -> (tensor<3x8xf32>, tensor<2x8xf32>) {
  %0 = ptir.gather %x, %i axis 0 : (tensor<5x8xf32>, tensor<3x8xsi32>) -> tensor<3x8xf32>
  %1 = ptir.dynamic_slice %x, %s : (tensor<5x8xf32>, tensor<2xsi32>) -> tensor<2x8xf32>
  func.return %0, %1 : tensor<3x8xf32>, tensor<2x8xf32>
}

// CHECK:      @positions
// CHECK-NEXT:   v0 = ptir.gather   axes {{.*}}  positions i2:{{[0-9]+}}[5]
// CHECK-NEXT:     no SCoP: 'ptir.gather' reads at indices given by data
// CHECK-NEXT:     domain  0 <= i0 < 3, 0 <= i1 < 8, 0 <= i2 < 5
// CHECK-NEXT:     arg0  [i0, i1, i2] -> [i2, i1]
// CHECK-NEXT:     arg1  [i0, i1, i2] -> [i0, i1]
// CHECK-NEXT:   v1 = ptir.dynamic_slice   axes {{.*}}  positions i2:{{[0-9]+}}[4]
// CHECK-NEXT:     no SCoP: 'ptir.dynamic_slice' reads at indices given by data
// CHECK-NEXT:     domain  0 <= i0 < 2, 0 <= i1 < 8, 0 <= i2 < 4
// CHECK-NEXT:     arg0  [i0, i1, i2] -> [i0 + i2, i1]
// CHECK-NEXT:     arg2  [i0, i1, i2] -> [0]
