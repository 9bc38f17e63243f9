// RUN: ptir-opt %s -p region-to-pto --split-input-file | filecheck %s

// k in three parts of two steps each: the last begins at 64 of 90. The launch gets a workspace and counters.

// CHECK: pto.kernel @k(%x: memref<4x90xbf16> align 16, %w: memref<90x2xbf16> align 16) -> (%y: memref<2x4xf32> align 256 gmem, %workspace: memref<1x16x16xf32> align 16 workspace, %counters: memref<1xi32> align 16 counters) plan
// CHECK-NEXT: pto.tiles (%m, %n) in [4, 2] step [16, 16] split %s of 3 {
// CHECK-NEXT: %ring = pto.channel
// CHECK-NEXT: %[[ZERO:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[PART:.*]] = arith.constant 32 : index
// CHECK-NEXT: %[[STEP:.*]] = arith.constant 16 : index
// CHECK-NEXT: %first = arith.muli %s, %[[PART]] : index
// CHECK-NEXT: pto.process {
// CHECK-NEXT: scf.for %k = %[[ZERO]] to %[[PART]] step %[[STEP]] {
// CHECK-NEXT: pto.channel.acquire %ring
// CHECK-NEXT: %at = arith.addi %first, %k : index
// CHECK-NEXT: pto.tile.load.map %x[%m, %n, %at] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [4, 2, 90] dims [0, 2]
// CHECK-NEXT: pto.tile.load.map %w[%m, %n, %at] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [4, 2, 90] dims [2, 1]
// CHECK: %[[ACC:.*]] = scf.for %k_1 = %[[ZERO]] to %[[PART]] step %[[STEP]] iter_args
// CHECK: pto.combine serial %[[ACC]] across %s in %workspace counters %counters : tile<16x16xf32, #pto.tile_info<loc=Acc>>, memref<1x16x16xf32>, memref<1xi32> {
// CHECK-NEXT: ^bb0(%sum: !pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>):
// CHECK-NEXT: %[[V:.*]] = pto.tile.mov.a2v %sum
// CHECK-NEXT: %[[T:.*]] = pto.tile.tanh %[[V]]
// CHECK-NEXT: pto.tile.store.map %[[T]], %y[%m, %n] by <"{ [i0, i1] -> [(i1), (i0)] }"> in [4, 2] dims [0, 1]
// CHECK: func.func @f(%x: memref<4x90xbf16>, %w: memref<90x2xbf16>, %y: memref<2x4xf32>) {
// CHECK-NEXT: %[[ROOM:.*]] = memref.alloc() : memref<1x16x16xf32>
// CHECK-NEXT: %[[ZEROS:.*]] = region.zeros : memref<1xi32>
// CHECK-NEXT: region.launch @k ins(%x, %w : memref<4x90xbf16>, memref<90x2xbf16>) outs(%y, %[[ROOM]], %[[ZEROS]] : memref<2x4xf32>, memref<1x16x16xf32>, memref<1xi32>)
region.kernel @k(%x: memref<4x90xbf16> align 16, %w: memref<90x2xbf16> align 16) -> (%y: memref<2x4xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 16], stages = 2, warp_tile = "16x16", split = 3, algo_choice = {matmul = "splitk_serial"}, cache = [{tensor = "A"}, {tensor = "B"}], vectorize = {axis = "n.i.i", width = 2}, predicate_tail = ["m.i.i", "n.i.i", "k.i.i"], epilogue = ["tanh"]}> {
  %0 = region.load %x : memref<4x90xbf16> -> tensor<4x90xbf16>
  %1 = region.load %w : memref<90x2xbf16> -> tensor<90x2xbf16>
  %2 = tiny.unary cast %0 : tensor<4x90xbf16> -> tensor<4x90xf32>
  %3 = tiny.unary cast %1 : tensor<90x2xbf16> -> tensor<90x2xf32>
  %4 = tiny.movement reshape %2 : tensor<4x90xf32> -> tensor<4x90x1xf32>
  %5 = tiny.binary mul %4, %3 : (tensor<4x90x1xf32>, tensor<90x2xf32>) -> tensor<4x90x2xf32>
  %6 = tiny.reduce sum %5 axes [1] accum f32 : tensor<4x90x2xf32> -> tensor<4x2xf32>
  %7 = tiny.movement permute %6 by [1, 0] : tensor<4x2xf32> -> tensor<2x4xf32>
  %8 = tiny.unary tanh %7 : tensor<2x4xf32> -> tensor<2x4xf32>
  region.yield %8 : tensor<2x4xf32>
}
func.func @f(%x: memref<4x90xbf16>, %w: memref<90x2xbf16>, %y: memref<2x4xf32>) {
  region.launch @k ins(%x, %w : memref<4x90xbf16>, memref<90x2xbf16>) outs(%y : memref<2x4xf32>)
  func.return
}

// -----

// In parallel each part has a slot of its own. The names are not those of the host's buffers.

// CHECK: pto.kernel @k({{.*}}) -> (%y: memref<2x4xf32> align 256 gmem, %workspace: memref<2x16x16xf32> align 16 workspace, %counters: memref<1xi32> align 16 counters) plan
// CHECK-NEXT: pto.tiles (%m, %n) in [4, 2] step [16, 16] split %s of 2 {
// CHECK: arith.constant 48 : index
// CHECK: pto.combine parallel %{{.*}} across %s in %workspace counters %counters : tile<16x16xf32, #pto.tile_info<loc=Acc>>, memref<2x16x16xf32>, memref<1xi32> {
// CHECK: func.func @f
// CHECK-NEXT: memref.alloc() : memref<2x16x16xf32>
region.kernel @k(%x: memref<4x90xbf16> align 16, %w: memref<90x2xbf16> align 16) -> (%y: memref<2x4xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 16], stages = 2, warp_tile = "16x16", split = 2, algo_choice = {matmul = "splitk_parallel"}, cache = [{tensor = "A"}, {tensor = "B"}], vectorize = {axis = "n.i.i", width = 2}, predicate_tail = ["m.i.i", "n.i.i", "k.i.i"], epilogue = ["tanh"]}> {
  %0 = region.load %x : memref<4x90xbf16> -> tensor<4x90xbf16>
  %1 = region.load %w : memref<90x2xbf16> -> tensor<90x2xbf16>
  %2 = tiny.unary cast %0 : tensor<4x90xbf16> -> tensor<4x90xf32>
  %3 = tiny.unary cast %1 : tensor<90x2xbf16> -> tensor<90x2xf32>
  %4 = tiny.movement reshape %2 : tensor<4x90xf32> -> tensor<4x90x1xf32>
  %5 = tiny.binary mul %4, %3 : (tensor<4x90x1xf32>, tensor<90x2xf32>) -> tensor<4x90x2xf32>
  %6 = tiny.reduce sum %5 axes [1] accum f32 : tensor<4x90x2xf32> -> tensor<4x2xf32>
  %7 = tiny.movement permute %6 by [1, 0] : tensor<4x2xf32> -> tensor<2x4xf32>
  %8 = tiny.unary tanh %7 : tensor<2x4xf32> -> tensor<2x4xf32>
  region.yield %8 : tensor<2x4xf32>
}
func.func @f(%x: memref<4x90xbf16>, %w: memref<90x2xbf16>, %y: memref<2x4xf32>) {
  region.launch @k ins(%x, %w : memref<4x90xbf16>, memref<90x2xbf16>) outs(%y : memref<2x4xf32>)
  func.return
}
