// RUN: ptir-opt %s -p plan-regions,region-to-pto | filecheck %s

// The tiles are those of the updates. Each element has a position, and an index out of range is reported.

// CHECK-LABEL: pto.kernel @sums(%i: memref<300xsi32> align 16) -> (%y: memref<9xsi32> align 16 updated, %status: memref<1xi32> align 16 status)
// CHECK: pto.tiles (%m, %n) in [1, 300]
// CHECK: %[[ONE:.*]] = pto.tile.expands 1 : si32
// CHECK-NEXT: %[[I:.*]] = pto.tile.load.map %i
// CHECK: %[[AT:.*]] = pto.tile.report index %[[I]] if %{{.*}} number 1 to %status
// CHECK-NEXT: pto.tile.scatter.map add %[[ONE]], %y[%m, %n] at(%[[AT]] : tile<{{.*}}>) by <"{ [i0, i1, i2] -> [(i2)] }"> in [1, 300, 9] dims [0, 1]
region.kernel @sums(%i: memref<300xsi32> align 16) -> (%y: memref<9xsi32> align 16 updated) {
  %0 = region.load %i : memref<300xsi32> -> tensor<300xsi32>
  %1 = tiny.const dense<1> : tensor<300xsi32>
  %2 = region.load %y : memref<9xsi32> -> tensor<9xsi32>
  %3 = ptir.scatter_reduce add %2, %0, %1 axis 0 report 1 : tensor<9xsi32>, tensor<300xsi32>, tensor<300xsi32>
  region.yield %3 : tensor<9xsi32>
}

// An index of whole rows is one column. The axes of an update and of its element are not merged.

// CHECK-LABEL: pto.kernel @rows
// CHECK: pto.tiles (%m, %n) in [30, 64]
// CHECK: %[[I:.*]] = pto.tile.load.map %i{{.*}} -> tile<[[M:.*]]x1xsi64>
// CHECK: pto.tile.scatter.map max %{{.*}}, %y[%m, %n] at(%[[I]] : tile<[[M]]x1xsi64>) by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [30, 64, 9] dims [0, 1]
region.kernel @rows(%i: memref<30x1xsi64> align 16, %u: memref<30x64xui32> align 16) -> (%y: memref<9x64xui32> align 16 updated) {
  %0 = region.load %i : memref<30x1xsi64> -> tensor<30x1xsi64>
  %1 = region.load %u : memref<30x64xui32> -> tensor<30x64xui32>
  %2 = tiny.movement expand %0 : tensor<30x1xsi64> -> tensor<30x64xsi64>
  %3 = region.load %y : memref<9x64xui32> -> tensor<9x64xui32>
  %4 = ptir.scatter_reduce max %3, %2, %1 axis 0 : tensor<9x64xui32>, tensor<30x64xsi64>, tensor<30x64xui32>
  region.yield %4 : tensor<9x64xui32>
}
