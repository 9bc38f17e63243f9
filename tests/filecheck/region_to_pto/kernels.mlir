// RUN: ptir-opt %s -p region-to-pto | filecheck %s

// The plan's tile and stages become the grid, the ring and the loops; movements vanish into access maps.

// CHECK: pto.kernel @k(%x: memref<4x8xbf16> align 16, %w: memref<8x2xbf16> align 16) -> (%y: memref<2x4xf32> align 256 gmem) plan
// CHECK-NEXT: pto.tiles (%m, %n) in [4, 2] step [16, 16] {
// CHECK-NEXT: %ring = pto.channel : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
// CHECK: pto.process {
// CHECK-NEXT: scf.for
// CHECK-NEXT: pto.channel.acquire %ring
// CHECK-NEXT: pto.tile.load.map %x[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [4, 2, 8] dims [0, 2]
// CHECK-NEXT: pto.tile.load.map %w[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [4, 2, 8] dims [2, 1]
// CHECK-NEXT: pto.channel.commit %ring
// CHECK: pto.tile.expands 0.000000e+00 : f32 : tile<16x16xf32, #pto.tile_info<loc=Acc>>
// CHECK-NEXT: scf.for
// CHECK-NEXT: pto.channel.wait %ring
// CHECK-NEXT: pto.tile.mov.m2l
// CHECK-NEXT: pto.tile.mov.m2r
// CHECK-NEXT: pto.tile.matmul.acc
// CHECK-NEXT: pto.channel.release %ring
// CHECK-NEXT: scf.yield
// CHECK: pto.tile.mov.a2v
// CHECK-NEXT: pto.tile.tanh
// CHECK-NEXT: pto.tile.store.map %{{.*}}, %y[%m, %n] by <"{ [i0, i1] -> [(i1), (i0)] }"> in [4, 2] dims [0, 1]
region.kernel @k(%x: memref<4x8xbf16> align 16, %w: memref<8x2xbf16> align 16) -> (%y: memref<2x4xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 16], stages = 2, warp_tile = "16x16", cache = [{tensor = "A"}, {tensor = "B"}], vectorize = {axis = "n.i.i", width = 2}, predicate_tail = ["m.i.i", "n.i.i", "k.i.i"], epilogue = ["tanh"]}> {
  %0 = region.load %x : memref<4x8xbf16> -> tensor<4x8xbf16>
  %1 = region.load %w : memref<8x2xbf16> -> tensor<8x2xbf16>
  %2 = tiny.unary cast %0 : tensor<4x8xbf16> -> tensor<4x8xf32>
  %3 = tiny.unary cast %1 : tensor<8x2xbf16> -> tensor<8x2xf32>
  %4 = tiny.movement reshape %2 : tensor<4x8xf32> -> tensor<4x8x1xf32>
  %5 = tiny.binary mul %4, %3 : (tensor<4x8x1xf32>, tensor<8x2xf32>) -> tensor<4x8x2xf32>
  %6 = tiny.reduce sum %5 axes [1] accum f32 : tensor<4x8x2xf32> -> tensor<4x2xf32>
  %7 = tiny.movement permute %6 by [1, 0] : tensor<4x2xf32> -> tensor<2x4xf32>
  %8 = tiny.unary tanh %7 : tensor<2x4xf32> -> tensor<2x4xf32>
  region.yield %8 : tensor<2x4xf32>
}

// Without a contraction there are loads, vector ops and a store.
// CHECK: pto.kernel @where
// CHECK: pto.tiles (%m, %n) in [1, 32] step [1, 32] {
// CHECK-NEXT: %[[X:.*]] = pto.tile.load.map %x[%m, %n]
// CHECK-NEXT: %[[Z:.*]] = pto.tile.expands 0.000000e+00 : f32 : tile<1x32xf32>
// CHECK-NEXT: %[[P:.*]] = pto.tile.cmp %[[X]], %[[Z]] {cmpMode = #pto.cmp<LT>} : tile<1x32xf32> -> tile<1x32xi1>
// CHECK-NEXT: %[[S:.*]] = pto.tile.sel %[[P]], %[[Z]], %[[X]] : tile<1x32xi1>, tile<1x32xf32>
// CHECK-NEXT: pto.tile.store.map %[[S]], %y[%m, %n]
// CHECK-NEXT: }
region.kernel @where(%x: memref<4x8xf32> align 16) -> (%y: memref<4x8xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [1, 32], vectorize = {axis = "n.i.i", width = 4}, epilogue = ["lt", "where"]}> {
  %0 = region.load %x : memref<4x8xf32> -> tensor<4x8xf32>
  %1 = tiny.const dense<0.0> : tensor<4x8xf32>
  %2 = tiny.binary lt %0, %1 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xi1>
  %3 = tiny.binary where %2, %1, %0 : (tensor<4x8xi1>, tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  region.yield %3 : tensor<4x8xf32>
}

// The host is left alone.
// CHECK: func.func @f(%x: memref<4x8xf32>, %y: memref<4x8xf32>) {
// CHECK-NEXT: region.launch @where
func.func @f(%x: memref<4x8xf32>, %y: memref<4x8xf32>) {
  region.launch @where ins(%x : memref<4x8xf32>) outs(%y : memref<4x8xf32>)
  func.return
}
