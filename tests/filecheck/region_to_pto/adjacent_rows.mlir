// RUN: ptir-opt %s -p 'ptir-to-tiny,form-regions,plan-regions{arch=sm80},region-to-pto' | filecheck %s
// RUN: ptir-opt %s -p 'ptir-to-cuda{arch=sm80}' | filecheck %s --check-prefix=NV

// Elements of adjacent rows are contiguous: tiles are transposed, and a row of the region is a column of a tile.

// CHECK: tile = [32, 64], warp_tile = "32x16"
// CHECK-SAME: vectorize = {axis = "m.i.i", width = 4}
// CHECK-SAME: layout_hints = {C_stride = "col"}
// CHECK: %[[X:.*]] = pto.tile.load.map %x[%b0, %m, %n] by <"{ [i0, i1, i2] -> [(i0), (i2), (i1)] }"> in [2, 96, 64] dims [2, 1]
// CHECK-NEXT: %[[M:.*]] = pto.tile.colmax %[[X]] : tile<64x32xf32> -> tile<1x32xf32>
// CHECK-NEXT: %[[B:.*]] = pto.tile.colexpand %[[M]] : tile<1x32xf32> -> tile<64x32xf32>
// CHECK-NEXT: pto.tile.sub %[[X]], %[[B]]
// NV: nv.col_reduce %{{.*}} scratch 0 : !nv.frag<64x32xf32, lane(8: 4j, 4: i) warp(4: 4i) reg(4: j, 4: 16i)> -> !nv.frag<1x32xf32, lane(8: 4j, 4: 0) warp(4: 0) reg(4: j)>
func.func @f(%x: tensor<2x64x96xf32>) -> tensor<2x64x96xf32> {
  %0 = ptir.reduce max %x axes [1] keepdims : tensor<2x64x96xf32> -> tensor<2x1x96xf32>
  %1 = ptir.broadcast_to %0 : tensor<2x1x96xf32> -> tensor<2x64x96xf32>
  %2 = ptir.sub %x, %1 : tensor<2x64x96xf32>
  func.return %2 : tensor<2x64x96xf32>
}

// A plain reduction of columns, and rows of which a block cannot hold as many as fill a sector, are kernels of columns.

// CHECK: pto.kernel @columns_0
// CHECK-SAME: algo_choice = {reduce = "columns"}
func.func @columns(%x: tensor<64x96xf32>) -> tensor<96xf32> {
  %0 = ptir.reduce max %x axes [0] : tensor<64x96xf32> -> tensor<96xf32>
  func.return %0 : tensor<96xf32>
}

// CHECK: pto.kernel @long_0
// CHECK-SAME: algo_choice = {reduce = "columns"}
// CHECK: pto.kernel @long_1
func.func @long(%x: tensor<2049x96xf32>) -> tensor<2049x96xf32> {
  %0 = ptir.reduce max %x axes [0] keepdims : tensor<2049x96xf32> -> tensor<1x96xf32>
  %1 = ptir.broadcast_to %0 : tensor<1x96xf32> -> tensor<2049x96xf32>
  %2 = ptir.sub %x, %1 : tensor<2049x96xf32>
  func.return %2 : tensor<2049x96xf32>
}
