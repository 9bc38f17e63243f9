// RUN: ptir-opt %s -p region-to-pto | filecheck %s

// A reduction that no instruction computes is a loop, whose counter is an axis of the loads' maps but not of the tile.

// CHECK: pto.kernel @columns
// CHECK: pto.tiles (%m, %n) in [1, 8] step [1, 8] {
// CHECK-NEXT: %[[LEAST:.*]] = pto.tile.expands 0xFF800000 : f32 : tile<1x8xf32>
// CHECK-NEXT: %[[C0:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[C5:.*]] = arith.constant 5 : index
// CHECK-NEXT: %[[C1:.*]] = arith.constant 1 : index
// CHECK-NEXT: %[[MAX:.*]] = scf.for %r = %[[C0]] to %[[C5]] step %[[C1]] iter_args(%[[SO_FAR:.*]] = %[[LEAST]]) -> (!pto.tile<1x8xf32>) {
// CHECK-NEXT: %[[X:.*]] = pto.tile.load.map %x[%m, %n, %r] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [1, 8, 5] dims [0, 1] : memref<5x8xf32> -> tile<1x8xf32>
// CHECK-NEXT: %[[NEXT:.*]] = pto.tile.max %[[SO_FAR]], %[[X]] : tile<1x8xf32>
// CHECK-NEXT: scf.yield %[[NEXT]] : !pto.tile<1x8xf32>
// CHECK-NEXT: }
// CHECK-NEXT: pto.tile.store.map %[[MAX]], %y[%m, %n] by <"{ [i0, i1] -> [(i1)] }"> in [1, 8] dims [0, 1] : tile<1x8xf32>, memref<8xf32>
// CHECK-NEXT: }
region.kernel @columns(%x: memref<5x8xf32> align 16) -> (%y: memref<8xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [1, 8], vectorize = {axis = "n.i.i", width = 1}}> {
  %0 = region.load %x : memref<5x8xf32> -> tensor<5x8xf32>
  %1 = tiny.reduce max %0 axes [0] accum f32 : tensor<5x8xf32> -> tensor<8xf32>
  region.yield %1 : tensor<8xf32>
}

// The first axis is the outermost loop. Elements are added as they are, the sum is rounded to the accumulator's type. What
// reads the sum follows the loops.
// CHECK: pto.kernel @two_axes
// CHECK: %[[ZERO:.*]] = pto.tile.expands 0.000000e+00 : bf16 : tile<1x8xbf16>
// CHECK: %[[C3:.*]] = arith.constant 3 : index
// CHECK: %[[OUTER:.*]] = scf.for %r = %{{.*}} to %[[C3]] step %{{.*}} iter_args(%[[A:.*]] = %[[ZERO]]) -> (!pto.tile<1x8xbf16>) {
// CHECK: %[[C5:.*]] = arith.constant 5 : index
// CHECK: %[[INNER:.*]] = scf.for %r_1 = %{{.*}} to %[[C5]] step %{{.*}} iter_args(%[[B:.*]] = %[[A]]) -> (!pto.tile<1x8xbf16>) {
// CHECK-NEXT: %[[X:.*]] = pto.tile.load.map %x[%m, %n, %r, %r_1] by <"{ [i0, i1, i2, i3] -> [(i2), (i3), (i1)] }"> in [1, 8, 3, 5] dims [0, 1]
// CHECK-NEXT: %[[SUM:.*]] = pto.tile.cvt %[[B]] : tile<1x8xbf16> -> tile<1x8xf32>
// CHECK-NEXT: %[[MORE:.*]] = pto.tile.add %[[SUM]], %[[X]] : tile<1x8xf32>
// CHECK-NEXT: %[[NEXT:.*]] = pto.tile.cvt %[[MORE]] : tile<1x8xf32> -> tile<1x8xbf16>
// CHECK-NEXT: scf.yield %[[NEXT]]
// CHECK-NEXT: }
// CHECK-NEXT: scf.yield %[[INNER]]
// CHECK-NEXT: }
// CHECK-NEXT: %[[WIDE:.*]] = pto.tile.cvt %[[OUTER]] : tile<1x8xbf16> -> tile<1x8xf32>
// CHECK-NEXT: %[[BIAS:.*]] = pto.tile.load.map %b[%m, %n]
// CHECK-NEXT: %[[OUT:.*]] = pto.tile.add %[[WIDE]], %[[BIAS]]
// CHECK-NEXT: pto.tile.store.map %[[OUT]]
region.kernel @two_axes(%x: memref<3x5x8xf32> align 16, %b: memref<8xf32> align 16) -> (%y: memref<8xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [1, 8], vectorize = {axis = "n.i.i", width = 1}, epilogue = ["cast", "add"]}> {
  %0 = region.load %x : memref<3x5x8xf32> -> tensor<3x5x8xf32>
  %1 = region.load %b : memref<8xf32> -> tensor<8xf32>
  %2 = tiny.reduce sum %0 axes [0, 1] accum bf16 : tensor<3x5x8xf32> -> tensor<8xbf16>
  %3 = tiny.unary cast %2 : tensor<8xbf16> -> tensor<8xf32>
  %4 = tiny.binary add %3, %1 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  region.yield %4 : tensor<8xf32>
}

// An axis of size 1 takes no loop. What is no sum is cast to the accumulator's type first.
// CHECK: pto.kernel @products
// CHECK: %[[ONE:.*]] = pto.tile.expands 1 : i32 : tile<1x8xi32>
// CHECK: scf.for %r = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[P:.*]] = %[[ONE]]) -> (!pto.tile<1x8xi32>) {
// CHECK-NEXT: %[[X:.*]] = pto.tile.load.map %x[%m, %n, %r] by <"{ [i0, i1, i2] -> [(0), (i2), (i1)] }"> in [1, 8, 5] dims [0, 1] : memref<1x5x8xi8> -> tile<1x8xi8>
// CHECK-NEXT: %[[W:.*]] = pto.tile.cvt %[[X]] : tile<1x8xi8> -> tile<1x8xi32>
// CHECK-NEXT: pto.tile.mul %[[P]], %[[W]] : tile<1x8xi32>
// CHECK-NOT: scf.for
// CHECK: pto.tile.store.map
region.kernel @products(%x: memref<1x5x8xi8> align 16) -> (%y: memref<8xi32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [1, 8], vectorize = {axis = "n.i.i", width = 1}}> {
  %0 = region.load %x : memref<1x5x8xi8> -> tensor<1x5x8xi8>
  %1 = tiny.reduce mul %0 axes [0, 1] accum i32 : tensor<1x5x8xi8> -> tensor<8xi32>
  region.yield %1 : tensor<8xi32>
}

// Of predicates, the maximum is an `or` and the minimum an `and`.
// CHECK: pto.kernel @any
// CHECK: pto.tile.expands false : tile<1x8xi1>
// CHECK: pto.tile.or %{{.*}}, %{{.*}} : tile<1x8xi1>
region.kernel @any(%x: memref<5x8xi1> align 16) -> (%y: memref<8xi1> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [1, 8], vectorize = {axis = "n.i.i", width = 1}}> {
  %0 = region.load %x : memref<5x8xi1> -> tensor<5x8xi1>
  %1 = tiny.reduce max %0 axes [0] accum i1 : tensor<5x8xi1> -> tensor<8xi1>
  region.yield %1 : tensor<8xi1>
}
// CHECK: pto.kernel @all
// CHECK: pto.tile.expands true : tile<1x8xi1>
// CHECK: pto.tile.and %{{.*}}, %{{.*}} : tile<1x8xi1>
region.kernel @all(%x: memref<5x8xi1> align 16) -> (%y: memref<8xi1> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [1, 8], vectorize = {axis = "n.i.i", width = 1}}> {
  %0 = region.load %x : memref<5x8xi1> -> tensor<5x8xi1>
  %1 = tiny.reduce min %0 axes [0] accum i1 : tensor<5x8xi1> -> tensor<8xi1>
  region.yield %1 : tensor<8xi1>
}

// What does not depend on the counter is computed before the loop, with what it is computed from.
// CHECK: pto.kernel @hoisted
// CHECK: %[[S:.*]] = pto.tile.load.map %s[%m, %n] by <"{ [i0, i1] -> [(i1)] }"> in [1, 8] dims [0, 1]
// CHECK-NEXT: %[[E:.*]] = pto.tile.exp %[[S]]
// CHECK: scf.for
// CHECK-NEXT: %[[X:.*]] = pto.tile.load.map %x[%m, %n, %r]
// CHECK-NEXT: pto.tile.sub %[[X]], %[[E]]
// CHECK-NEXT: pto.tile.add
// CHECK-NEXT: scf.yield
region.kernel @hoisted(%x: memref<5x8xf32> align 16, %s: memref<8xf32> align 16) -> (%y: memref<8xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [1, 8], vectorize = {axis = "n.i.i", width = 1}, epilogue = ["exp", "sub"]}> {
  %0 = region.load %x : memref<5x8xf32> -> tensor<5x8xf32>
  %1 = region.load %s : memref<8xf32> -> tensor<8xf32>
  %2 = tiny.unary exp %1 : tensor<8xf32> -> tensor<8xf32>
  %3 = tiny.movement reshape %2 : tensor<8xf32> -> tensor<1x8xf32>
  %4 = tiny.binary sub %0, %3 : (tensor<5x8xf32>, tensor<1x8xf32>) -> tensor<5x8xf32>
  %5 = tiny.reduce sum %4 axes [0] accum f32 : tensor<5x8xf32> -> tensor<8xf32>
  region.yield %5 : tensor<8xf32>
}

// So is a reduction that another one reads, if each of its sums is the same for all steps; the loops follow each other.
// CHECK: pto.kernel @exponentials
// CHECK: %[[MAX:.*]] = scf.for %r =
// CHECK: pto.tile.max
// CHECK: scf.yield
// CHECK: }
// CHECK: %[[SUM:.*]] = scf.for %r_1 =
// CHECK-NEXT: %[[X:.*]] = pto.tile.load.map %x[%m, %n, %r_1]
// CHECK-NEXT: %[[D:.*]] = pto.tile.sub %[[X]], %[[MAX]]
// CHECK-NEXT: pto.tile.exp %[[D]]
// CHECK-NEXT: pto.tile.add
// CHECK-NEXT: scf.yield
// CHECK: }
// CHECK: pto.tile.store.map %[[SUM]]
region.kernel @exponentials(%x: memref<5x8xf32> align 16) -> (%y: memref<8xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [1, 8], vectorize = {axis = "n.i.i", width = 1}, epilogue = ["sub", "exp"]}> {
  %0 = region.load %x : memref<5x8xf32> -> tensor<5x8xf32>
  %1 = tiny.reduce max %0 axes [0] accum f32 : tensor<5x8xf32> -> tensor<8xf32>
  %2 = tiny.movement reshape %1 : tensor<8xf32> -> tensor<1x8xf32>
  %3 = tiny.binary sub %0, %2 : (tensor<5x8xf32>, tensor<1x8xf32>) -> tensor<5x8xf32>
  %4 = tiny.unary exp %3 : tensor<5x8xf32> -> tensor<5x8xf32>
  %5 = tiny.reduce sum %4 axes [0] accum f32 : tensor<5x8xf32> -> tensor<8xf32>
  region.yield %5 : tensor<8xf32>
}

// No instruction multiplies these types.
// CHECK: pto.kernel @i16
// CHECK-NOT: pto.channel
// CHECK: scf.for
// CHECK-NEXT: %[[X:.*]] = pto.tile.load.map %x[%m, %n, %r] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [16, 4, 8] dims [0, 1] : memref<16x8xi16> -> tile<8x4xi16>
// CHECK-NEXT: %[[A:.*]] = pto.tile.cvt %[[X]] : tile<8x4xi16> -> tile<8x4xi32>
// CHECK-NEXT: %[[W:.*]] = pto.tile.load.map %w[%m, %n, %r] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [16, 4, 8] dims [0, 1] : memref<8x4xi16> -> tile<8x4xi16>
// CHECK-NEXT: %[[B:.*]] = pto.tile.cvt %[[W]] : tile<8x4xi16> -> tile<8x4xi32>
// CHECK-NEXT: pto.tile.mul %[[A]], %[[B]] : tile<8x4xi32>
// CHECK-NEXT: pto.tile.add
// CHECK-NEXT: scf.yield
region.kernel @i16(%x: memref<16x8xi16> align 16, %w: memref<8x4xi16> align 16) -> (%y: memref<16x4xi32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [8, 4], vectorize = {axis = "n.i.i", width = 1}}> {
  %0 = region.load %x : memref<16x8xi16> -> tensor<16x8xi16>
  %1 = region.load %w : memref<8x4xi16> -> tensor<8x4xi16>
  %2 = tiny.unary cast %0 : tensor<16x8xi16> -> tensor<16x8xi32>
  %3 = tiny.unary cast %1 : tensor<8x4xi16> -> tensor<8x4xi32>
  %4 = tiny.movement reshape %2 : tensor<16x8xi32> -> tensor<16x8x1xi32>
  %5 = tiny.binary mul %4, %3 : (tensor<16x8x1xi32>, tensor<8x4xi32>) -> tensor<16x8x4xi32>
  %6 = tiny.reduce sum %5 axes [1] accum i32 : tensor<16x8x4xi32> -> tensor<16x4xi32>
  region.yield %6 : tensor<16x4xi32>
}

// The operand of a pad is loaded where it is inside, and chosen there.
// CHECK: pto.kernel @padded
// CHECK: %[[X:.*]] = pto.tile.load.map %x[%m, %n] by <"{ [i0, i1] -> [(i0), (-1 + i1)] }"> in [8, 8] dims [0, 1] where <"{ [i0, i1] : 0 < i1 <= 5 }"> : memref<8x5xf32> -> tile<8x8xf32>
// CHECK-NEXT: %[[IN:.*]] = pto.tile.mask{{ ?}}[%m, %n] in [8, 8] dims [0, 1] where <"{ [i0, i1] : 0 < i1 <= 5 }"> : tile<8x8xi1>
// CHECK-NEXT: %[[SEVEN:.*]] = pto.tile.expands 7.000000e+00 : f32 : tile<8x8xf32>
// CHECK-NEXT: %[[P:.*]] = pto.tile.sel %[[IN]], %[[X]], %[[SEVEN]] : tile<8x8xi1>, tile<8x8xf32>
// CHECK-NEXT: pto.tile.store.map %[[P]]
region.kernel @padded(%x: memref<8x5xf32> align 16) -> (%y: memref<8x8xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [8, 8], vectorize = {axis = "n.i.i", width = 4}}> {
  %0 = region.load %x : memref<8x5xf32> -> tensor<8x5xf32>
  %1 = tiny.movement pad %0 low [0, 1] high [0, 2] value 7.0 : f32 : tensor<8x5xf32> -> tensor<8x8xf32>
  region.yield %1 : tensor<8x8xf32>
}

// Of two pads, each has its mask and its value; the operand is loaded where both are inside.
// CHECK: pto.kernel @framed_twice
// CHECK: %[[X:.*]] = pto.tile.load.map %x[%m, %n] {{.*}} where <"{ [i0, i1] : 2 <= i1 <= 7 }">
// CHECK-NEXT: %[[INNER:.*]] = pto.tile.mask{{ ?}}[%m, %n] {{.*}} where <"{ [i0, i1] : 2 <= i1 <= 7 }">
// CHECK-NEXT: %[[THREE:.*]] = pto.tile.expands 3.000000e+00
// CHECK-NEXT: %[[P:.*]] = pto.tile.sel %[[INNER]], %[[X]], %[[THREE]]
// CHECK-NEXT: %[[OUTER:.*]] = pto.tile.mask{{ ?}}[%m, %n] {{.*}} where <"{ [i0, i1] : 0 < i1 <= 8 }">
// CHECK-NEXT: %[[FOUR:.*]] = pto.tile.expands 4.000000e+00
// CHECK-NEXT: pto.tile.sel %[[OUTER]], %[[P]], %[[FOUR]]
region.kernel @framed_twice(%x: memref<6xf32> align 16) -> (%y: memref<10xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [1, 16], vectorize = {axis = "n.i.i", width = 2}, predicate_tail = ["n.i.i"]}> {
  %0 = region.load %x : memref<6xf32> -> tensor<6xf32>
  %1 = tiny.movement pad %0 low [1] high [1] value 3.0 : f32 : tensor<6xf32> -> tensor<8xf32>
  %2 = tiny.movement pad %1 low [1] high [1] value 4.0 : f32 : tensor<8xf32> -> tensor<10xf32>
  region.yield %2 : tensor<10xf32>
}

// A pad of which only the operand is read chooses nothing.
// CHECK: pto.kernel @inside
// CHECK: pto.tiles
// CHECK-NEXT: %[[X:.*]] = pto.tile.load.map %x[%m, %n] by <"{ [i0, i1] -> [(1 + i1)] }"> in [1, 6] dims [0, 1] : memref<8xf32> -> tile<1x8xf32>
// CHECK-NEXT: pto.tile.store.map %[[X]]
region.kernel @inside(%x: memref<8xf32> align 16) -> (%y: memref<6xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [1, 8], vectorize = {axis = "n.i.i", width = 2}, predicate_tail = ["n.i.i"]}> {
  %0 = region.load %x : memref<8xf32> -> tensor<8xf32>
  %1 = tiny.movement pad %0 low [1] high [1] value 0.0 : f32 : tensor<8xf32> -> tensor<10xf32>
  %2 = tiny.movement shrink %1 from [2] : tensor<10xf32> -> tensor<6xf32>
  region.yield %2 : tensor<6xf32>
}

// The windows of a pad: the mask depends on the counter. And a pad of a reduction: the loop reads nothing outside.
// CHECK: pto.kernel @windows
// CHECK: scf.for
// CHECK-NEXT: %[[X:.*]] = pto.tile.load.map %x[%m, %n, %r] by <"{ [i0, i1, i2] -> [(-1 + i1 + i2), (i0)] }"> in [3, 8, 3] dims [0, 1] where <"{ [i0, i1, i2] : -i1 < i2 <= 8 - i1 }">
// CHECK-NEXT: %[[IN:.*]] = pto.tile.mask{{ ?}}[%m, %n, %r] in [3, 8, 3] dims [0, 1] where <"{ [i0, i1, i2] : -i1 < i2 <= 8 - i1 }">
// CHECK: pto.tile.sel %[[IN]], %[[X]]
// CHECK: scf.yield
region.kernel @windows(%x: memref<8x3xf32> align 16) -> (%y: memref<3x8xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [3, 8], vectorize = {axis = "n.i.i", width = 1}}> {
  %0 = region.load %x : memref<8x3xf32> -> tensor<8x3xf32>
  %1 = tiny.movement pad %0 low [1, 0] high [1, 0] value "0x000080FF" : f32 : tensor<8x3xf32> -> tensor<10x3xf32>
  %2 = tiny.movement view %1 offset 0 strides [1, 3, 3] : tensor<10x3xf32> -> tensor<3x8x3xf32>
  %3 = tiny.reduce max %2 axes [2] accum f32 : tensor<3x8x3xf32> -> tensor<3x8xf32>
  region.yield %3 : tensor<3x8xf32>
}

// CHECK: pto.kernel @framed_sums
// CHECK: %[[SUM:.*]] = scf.for
// CHECK-NEXT: pto.tile.load.map %x[%m, %n, %r] by <"{ [i0, i1, i2] -> [(i2), (-1 + i1)] }"> in [1, 8, 5] dims [0, 1] where <"{ [i0, i1, i2] : 0 < i1 <= 6 }">
// CHECK: scf.yield
// CHECK: %[[IN:.*]] = pto.tile.mask{{ ?}}[%m, %n] in [1, 8] dims [0, 1] where <"{ [i0, i1] : 0 < i1 <= 6 }">
// CHECK: pto.tile.sel %[[IN]], %[[SUM]]
region.kernel @framed_sums(%x: memref<5x6xf32> align 16) -> (%y: memref<8xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [1, 8], vectorize = {axis = "n.i.i", width = 1}}> {
  %0 = region.load %x : memref<5x6xf32> -> tensor<5x6xf32>
  %1 = tiny.reduce sum %0 axes [0] accum f32 : tensor<5x6xf32> -> tensor<6xf32>
  %2 = tiny.movement pad %1 low [1] high [1] value 3.0 : f32 : tensor<6xf32> -> tensor<8xf32>
  region.yield %2 : tensor<8xf32>
}

// Counts are the value of a map, cast to their type. Axes are not merged if it would take them apart.
// CHECK: pto.kernel @counts
// CHECK: %[[I:.*]] = pto.tile.iota{{ ?}}[%m, %n] by <"{ [i0, i1] -> [(i1)] }"> in [4, 8] dims [0, 1] : tile<4x8xsi32>
// CHECK-NEXT: %[[F:.*]] = pto.tile.cvt %[[I]] : tile<4x8xsi32> -> tile<4x8xf32>
// CHECK-NEXT: pto.tile.store.map %[[F]]
region.kernel @counts() -> (%y: memref<4x8xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [4, 8], vectorize = {axis = "n.i.i", width = 4}}> {
  %0 = tiny.iota axis 1 : tensor<4x8xf32>
  region.yield %0 : tensor<4x8xf32>
}
