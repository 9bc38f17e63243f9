// RUN: ptir-opt %s -p plan-regions,region-to-pto | filecheck %s

// The indices of a row are one column of positions, and an index out of range is reported. What the rows are computed from is read
// where they are read.

// CHECK-LABEL: pto.kernel @take
// CHECK: %[[I:.*]] = pto.tile.load.map %i[%m, %n] by <"{ [i0, i1] -> [(i0), (0)] }"> in [5, 16] dims [0, 1] : memref<5x1xsi32> -> tile<5x1xsi32>
// CHECK-NEXT: %[[BITS:.*]] = pto.tile.bitcast %[[I]] : tile<5x1xsi32> -> tile<5x1xui32>
// CHECK-NEXT: %[[SIZE:.*]] = pto.tile.expands 9 : ui32 : tile<5x1xui32>
// CHECK-NEXT: %[[OUTSIDE:.*]] = pto.tile.cmp %[[BITS]], %[[SIZE]] {cmpMode = #pto.cmp<GE>} :
// CHECK-NEXT: %[[AT:.*]] = pto.tile.report index %[[I]] if %[[OUTSIDE]] number 1 to %status[%m, %n] in [5, 16] dims [0, 1] :
// CHECK-NEXT: %[[ROWS:.*]] = pto.tile.load.map %x[%m, %n] at(%[[AT]] : tile<5x1xsi32>) by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [5, 16, 9] dims [0, 1] : memref<9x16xf32> -> tile<5x16xf32>
// CHECK-NEXT: %[[NEGATIVE:.*]] = pto.tile.neg %[[ROWS]]
// CHECK-NEXT: pto.tile.store.map %[[NEGATIVE]], %y
region.kernel @take(%x: memref<9x16xf32> align 16, %i: memref<5x1xsi32> align 16) -> (%y: memref<5x16xf32> align 16 gmem) {
  %0 = region.load %x : memref<9x16xf32> -> tensor<9x16xf32>
  %1 = region.load %i : memref<5x1xsi32> -> tensor<5x1xsi32>
  %2 = tiny.unary neg %0 : tensor<9x16xf32> -> tensor<9x16xf32>
  %3 = tiny.movement expand %1 : tensor<5x1xsi32> -> tensor<5x16xsi32>
  %4 = ptir.gather %2, %3 axis 0 report 1 : (tensor<9x16xf32>, tensor<5x16xsi32>) -> tensor<5x16xf32>
  region.yield %4 : tensor<5x16xf32>
}

// Along the columns, each element has its own position. Without a number, indices are known to be in range.

// CHECK-LABEL: pto.kernel @gather
// CHECK-NOT: status
// CHECK: %[[I:.*]] = pto.tile.load.map %i[%m, %n] by {{.*}} -> tile<{{.*}}xi64>
// CHECK-NEXT: pto.tile.load.map %x[%m, %n] at(%[[I]] : tile<{{.*}}xi64>) by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [5, 16, 9]
region.kernel @gather(%x: memref<5x9xf32> align 16, %i: memref<5x16xi64> align 16) -> (%y: memref<5x16xf32> align 16 gmem) {
  %0 = region.load %x : memref<5x9xf32> -> tensor<5x9xf32>
  %1 = region.load %i : memref<5x16xi64> -> tensor<5x16xi64>
  %2 = ptir.gather %0, %1 axis 1 : (tensor<5x9xf32>, tensor<5x16xi64>) -> tensor<5x16xf32>
  region.yield %2 : tensor<5x16xf32>
}

// A start is clamped to the windows inside of the operand, whose padding is not read.

// CHECK-LABEL: pto.kernel @window
// CHECK: %[[S:.*]] = pto.tile.load.map %s[%m, %n] by <"{ [i0, i1] -> [(0)] }"> in [1, 40] dims [0, 1] : memref<2xsi32> -> tile<1x1xsi32>
// CHECK: %[[LOW:.*]] = pto.tile.max %[[S]],
// CHECK: %[[LAST:.*]] = pto.tile.expands 7 : si32
// CHECK-NEXT: %[[AT:.*]] = pto.tile.min %[[LOW]], %[[LAST]]
// CHECK-NEXT: pto.tile.load.map %x[%m, %n] at(%[[AT]] : tile<1x1xsi32>) by <"{ [i0, i1, i2] -> [(-2 + i2 + floor((i1)/8)), ((i1) mod 8)] }"> in [1, 40, 8] dims [0, 1] where <"{ [i0, i1, i2] : 8i2 >= 16 - i1 }">
region.kernel @window(%x: memref<10x8xf32> align 16, %s: memref<2xsi32> align 16) -> (%y: memref<5x8xf32> align 16 gmem) {
  %0 = region.load %x : memref<10x8xf32> -> tensor<10x8xf32>
  %1 = region.load %s : memref<2xsi32> -> tensor<2xsi32>
  %2 = tiny.movement pad %0 low [2, 0] high [0, 0] value 0.0 : f32 : tensor<10x8xf32> -> tensor<12x8xf32>
  %3 = ptir.dynamic_slice %2, %1 : (tensor<12x8xf32>, tensor<2xsi32>) -> tensor<5x8xf32>
  region.yield %3 : tensor<5x8xf32>
}

// Rows that are reduced are read at positions, too.

// CHECK-LABEL: pto.kernel @sums
// CHECK: pto.tile.load.map %x[%m, %n] at(%{{.*}} : tile<{{[0-9]+}}x1xsi32>) by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [5, 64, 9]
// CHECK: pto.tile.rowsum
region.kernel @sums(%x: memref<9x64xf32> align 16, %i: memref<5x1xsi32> align 16) -> (%y: memref<5xf32> align 16 gmem) {
  %0 = region.load %x : memref<9x64xf32> -> tensor<9x64xf32>
  %1 = region.load %i : memref<5x1xsi32> -> tensor<5x1xsi32>
  %2 = tiny.movement expand %1 : tensor<5x1xsi32> -> tensor<5x64xsi32>
  %3 = ptir.gather %0, %2 axis 0 : (tensor<9x64xf32>, tensor<5x64xsi32>) -> tensor<5x64xf32>
  %4 = tiny.reduce sum %3 axes [1] accum f32 : tensor<5x64xf32> -> tensor<5xf32>
  region.yield %4 : tensor<5xf32>
}
