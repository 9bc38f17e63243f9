// RUN: rm -f %t

// The codes of tile programs that have no meaning. Each function is run alone.

// RUN: not ptir-run %s --target reference --entry element --random 0 2>>%t
// CHECK: {{.*}}error[PTIR0544]: the access reaches element [0, 4] of memref<4x4xf32>
// CHECK: help: the guard box must keep the map inside the memref
pto.kernel @element_k(%x: memref<4x4xf32> align 16) -> (%y: memref<4x4xf32> align 16 gmem) {
  pto.tiles (%m, %n) in [4, 4] step [2, 2] {
    %t = pto.tile.load.map %x[%m, %n] by <"{ [i0, i1] -> [(i0), (i1 + 1)] }"> in [4, 4] dims [0, 1] : memref<4x4xf32> -> tile<2x2xf32>
    pto.tile.store.map %t, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [4, 4] dims [0, 1] : tile<2x2xf32>, memref<4x4xf32>
  }
}
func.func @element(%x: memref<4x4xf32>) -> memref<4x4xf32> {
  %y = memref.alloc() : memref<4x4xf32>
  region.launch @element_k ins(%x : memref<4x4xf32>) outs(%y : memref<4x4xf32>)
  func.return %y : memref<4x4xf32>
}

// RUN: not ptir-run %s --target reference --entry tiles --random 0 2>>%t
// CHECK: {{.*}}error[PTIR0547]: element [0, 0] is written twice: another tile has stored it
// CHECK: help: tiles run in any order, so each element must be written by one of them
pto.kernel @tiles_k(%x: memref<4x4xf32> align 16) -> (%y: memref<4x4xf32> align 16 gmem) {
  pto.tiles (%m, %n) in [4, 4] step [2, 2] {
    %t = pto.tile.load.map %x[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [4, 4] dims [0, 1] : memref<4x4xf32> -> tile<2x2xf32>
    pto.tile.store.map %t, %y[%m, %n] by <"{ [i0, i1] -> [(i0 - 2*floor(i0/2)), (i1)] }"> in [4, 4] dims [0, 1] : tile<2x2xf32>, memref<4x4xf32>
  }
}
func.func @tiles(%x: memref<4x4xf32>) -> memref<4x4xf32> {
  %y = memref.alloc() : memref<4x4xf32>
  region.launch @tiles_k ins(%x : memref<4x4xf32>) outs(%y : memref<4x4xf32>)
  func.return %y : memref<4x4xf32>
}

// RUN: not ptir-run %s --target reference --entry points --random 0 2>>%t
// CHECK: {{.*}}error[PTIR0547]: element [0, 0] is written twice: the map sends two points of the tile to it
// CHECK: help: tiles run in any order, so each element must be written by one of them
pto.kernel @points_k(%x: memref<4x4xf32> align 16) -> (%y: memref<4x4xf32> align 16 gmem) {
  pto.tiles (%m, %n) in [4, 4] step [2, 2] {
    %t = pto.tile.load.map %x[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [4, 4] dims [0, 1] : memref<4x4xf32> -> tile<2x2xf32>
    pto.tile.store.map %t, %y[%m, %n] by <"{ [i0, i1] -> [(0), (i1)] }"> in [4, 4] dims [0, 1] : tile<2x2xf32>, memref<4x4xf32>
  }
}
func.func @points(%x: memref<4x4xf32>) -> memref<4x4xf32> {
  %y = memref.alloc() : memref<4x4xf32>
  region.launch @points_k ins(%x : memref<4x4xf32>) outs(%y : memref<4x4xf32>)
  func.return %y : memref<4x4xf32>
}

// RUN: not ptir-run %s --target reference --entry empty --random 0 2>>%t
// CHECK: {{.*}}error[PTIR0545]: waits on an empty channel: nothing before this op commits to it
// CHECK: help: the producer's loop must precede the consumer's and commit as often as that waits
pto.kernel @empty_k(%x: memref<4x4xf32> align 16) -> (%y: memref<4x4xf32> align 16 gmem) {
  pto.tiles (%m, %n) in [4, 4] step [2, 2] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<2x2xf32, #pto.tile_info<loc=Mat>>]>
    %w = pto.channel.wait %ring : !pto.channel<2, [!pto.tile<2x2xf32, #pto.tile_info<loc=Mat>>]> -> tile<2x2xf32, #pto.tile_info<loc=Mat>>
    pto.channel.release %ring : !pto.channel<2, [!pto.tile<2x2xf32, #pto.tile_info<loc=Mat>>]>
    %t = pto.tile.load.map %x[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [4, 4] dims [0, 1] : memref<4x4xf32> -> tile<2x2xf32>
    pto.tile.store.map %t, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [4, 4] dims [0, 1] : tile<2x2xf32>, memref<4x4xf32>
  }
}
func.func @empty(%x: memref<4x4xf32>) -> memref<4x4xf32> {
  %y = memref.alloc() : memref<4x4xf32>
  region.launch @empty_k ins(%x : memref<4x4xf32>) outs(%y : memref<4x4xf32>)
  func.return %y : memref<4x4xf32>
}

// RUN: not ptir-run %s --target reference --entry full --random 0 2>>%t
// CHECK: {{.*}}error[PTIR0546]: the tile cannot make progress here: all 2 slots of the channel are taken
// CHECK: help: increase the channel's depth, or access the channels in the same order on both sides
pto.kernel @full_k(%x: memref<4x4xf32> align 16) -> (%y: memref<4x4xf32> align 16 gmem) {
  pto.tiles (%m, %n) in [4, 4] step [2, 2] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<2x2xf32, #pto.tile_info<loc=Mat>>]>
    pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<2x2xf32, #pto.tile_info<loc=Mat>>]>
    %q0 = pto.tile.load.map %x[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [4, 4] dims [0, 1] : memref<4x4xf32> -> tile<2x2xf32, #pto.tile_info<loc=Mat>>
    pto.channel.commit %ring, %q0 : !pto.channel<2, [!pto.tile<2x2xf32, #pto.tile_info<loc=Mat>>]>, tile<2x2xf32, #pto.tile_info<loc=Mat>>
    pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<2x2xf32, #pto.tile_info<loc=Mat>>]>
    %q1 = pto.tile.load.map %x[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [4, 4] dims [0, 1] : memref<4x4xf32> -> tile<2x2xf32, #pto.tile_info<loc=Mat>>
    pto.channel.commit %ring, %q1 : !pto.channel<2, [!pto.tile<2x2xf32, #pto.tile_info<loc=Mat>>]>, tile<2x2xf32, #pto.tile_info<loc=Mat>>
    pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<2x2xf32, #pto.tile_info<loc=Mat>>]>
    %q2 = pto.tile.load.map %x[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [4, 4] dims [0, 1] : memref<4x4xf32> -> tile<2x2xf32, #pto.tile_info<loc=Mat>>
    pto.channel.commit %ring, %q2 : !pto.channel<2, [!pto.tile<2x2xf32, #pto.tile_info<loc=Mat>>]>, tile<2x2xf32, #pto.tile_info<loc=Mat>>
    %w0 = pto.channel.wait %ring : !pto.channel<2, [!pto.tile<2x2xf32, #pto.tile_info<loc=Mat>>]> -> tile<2x2xf32, #pto.tile_info<loc=Mat>>
    pto.channel.release %ring : !pto.channel<2, [!pto.tile<2x2xf32, #pto.tile_info<loc=Mat>>]>
    %w1 = pto.channel.wait %ring : !pto.channel<2, [!pto.tile<2x2xf32, #pto.tile_info<loc=Mat>>]> -> tile<2x2xf32, #pto.tile_info<loc=Mat>>
    pto.channel.release %ring : !pto.channel<2, [!pto.tile<2x2xf32, #pto.tile_info<loc=Mat>>]>
    %w2 = pto.channel.wait %ring : !pto.channel<2, [!pto.tile<2x2xf32, #pto.tile_info<loc=Mat>>]> -> tile<2x2xf32, #pto.tile_info<loc=Mat>>
    pto.channel.release %ring : !pto.channel<2, [!pto.tile<2x2xf32, #pto.tile_info<loc=Mat>>]>
    %t = pto.tile.load.map %x[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [4, 4] dims [0, 1] : memref<4x4xf32> -> tile<2x2xf32>
    pto.tile.store.map %t, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [4, 4] dims [0, 1] : tile<2x2xf32>, memref<4x4xf32>
  }
}
func.func @full(%x: memref<4x4xf32>) -> memref<4x4xf32> {
  %y = memref.alloc() : memref<4x4xf32>
  region.launch @full_k ins(%x : memref<4x4xf32>) outs(%y : memref<4x4xf32>)
  func.return %y : memref<4x4xf32>
}

// RUN: not ptir-run %s --target reference --entry unspecified --random 0 2>>%t
// CHECK: {{.*}}error[PTIR0548]: element [4, 0] of the tile is unspecified, but is used here
// CHECK: {{.*}}note: the element, or one that it depends on, is unspecified since this op
// CHECK: help: give the op a smaller 'valid', or compute the element
func.func @unspecified(%x: !pto.memref<8x8xf32>, %y: !pto.memref<8x8xf32>) {
  %0 = pto.tile.load %x[0, 0] {valid = [4, 8]} : pto.memref<8x8xf32>, tile<8x8xf32>
  %1 = pto.tile.exp %0 {valid = [5, 8]} : tile<8x8xf32>
  pto.tile.store %1, %y[0, 0] : pto.memref<8x8xf32>, tile<8x8xf32>
  func.return
}

// RUN: not ptir-run %s --target reference --entry valid --random 0 2>>%t
// CHECK: {{.*}}error[PTIR0549]: 'valid' is 9 along axis 0 in this run
// CHECK: help: it is at least 1 and at most 8, the size of the tile
func.func @valid(%a: index, %s: f32) {
  %c = pto.constant 8 : index
  %one = pto.constant 1 : index
  %n = pto.addi %c, %one : index
  %0 = pto.tile.expands %s : f32 {valid = [%n, 8]} : tile<8x8xf32>
  func.return
}

// RUN: filecheck %s --match-full-lines --input-file=%t
