// RUN: ptir-opt %s -p pto-to-nv --split-input-file | filecheck %s

// Blocks of a tile take turns: all but the first wait and add, all but the last store and pass on. k is guarded: the last
// part reaches beyond it.

// CHECK-LABEL: "gpu.func"
// CHECK: %[[Y:.*]] = "gpu.block_id"() <{dimension = #gpu<dim y>}>
// CHECK: %[[X:.*]] = "gpu.block_id"() <{dimension = #gpu<dim x>}>
// CHECK: %[[S:.*]] = "gpu.block_id"() <{dimension = #gpu<dim z>}>
// CHECK-NEXT: %[[FIRST:.*]] = arith.muli %[[S]], %c48 : index
// CHECK: %k = arith.muli %s, %BK : index
// CHECK-NEXT: %[[AT:.*]] = arith.addi %[[FIRST]], %k : index
// CHECK-NEXT: nv.cp_async %x[%m, %n, %[[AT]]] {{.*}} in [20, 24, 100] dims [0, 2] guard [0, 2] bytes 8
// CHECK: nv.mma_sync
// CHECK: %[[ROW:.*]] = arith.muli %[[Y]], %c2 : index
// CHECK-NEXT: %tile = arith.addi %[[ROW]], %[[X]] : index
// CHECK-NEXT: %follows = arith.cmpi ne, %[[S]], %c0 : index
// CHECK-NEXT: scf.if %follows {
// CHECK-NEXT: nv.semaphore.acquire %counters[%tile] for %[[S]] : memref<4xi32>
// CHECK-NEXT: nv.frag_add %workspace[%tile] to %acc : memref<4x16x16xf32>, !nv.frag<16x16xf32, C of m16n8k16>
// CHECK-NEXT: }
// CHECK-NEXT: %goes_on = arith.cmpi ult, %[[S]], %c2 : index
// CHECK-NEXT: scf.if %goes_on {
// CHECK-NEXT: nv.frag_store %acc to %workspace[%tile] : !nv.frag<16x16xf32, C of m16n8k16>, memref<4x16x16xf32>
// CHECK-NEXT: %next_part = arith.addi %[[S]], %c1 : index
// CHECK-NEXT: nv.semaphore.release %counters[%tile] to %next_part : memref<4xi32>
// CHECK-NEXT: }
// CHECK-NEXT: %is_last = arith.cmpi eq, %[[S]], %c2 : index
// CHECK-NEXT: scf.if %is_last {
// CHECK-NEXT: nv.semaphore.release %counters[%tile] to %c0 : memref<4xi32>
// CHECK: nv.epilogue %acc
// CHECK: "gpu.return"
// CHECK: %[[ROOM:.*]] = memref.alloc() : memref<4x16x16xf32>
// CHECK-NEXT: %[[ZEROS:.*]] = region.zeros : memref<4xi32>
// CHECK-NEXT: nv.launch @kernels::@k grid [2, 2, 3] block [32, 1, 1] shared 2048(%x, %w, %y, %[[ROOM]], %[[ZEROS]] :

pto.kernel @k(%x: memref<20x100xbf16> align 16, %w: memref<100x24xbf16> align 16) -> (%y: memref<20x24xf32> align 16 gmem, %workspace: memref<4x16x16xf32> align 16 workspace, %counters: memref<4xi32> align 16 counters) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 16], stages = 2, warp_tile = "16x16", split = 3, algo_choice = {matmul = "splitk_serial"}, cache = [{tensor = "A"}, {tensor = "B"}], vectorize = {axis = "n.i.i", width = 2}, predicate_tail = ["m.i.i", "n.i.i", "k.i.i"]}> {
  pto.tiles (%m, %n) in [20, 24] step [16, 16] split %s of 3 {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
    %0 = arith.constant 0 : index
    %1 = arith.constant 48 : index
    %2 = arith.constant 16 : index
    %first = arith.muli %s, %1 : index
    pto.process {
      scf.for %k = %0 to %1 step %2 {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
        %at = arith.addi %first, %k : index
        %3 = pto.tile.load.map %x[%m, %n, %at] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [20, 24, 100] dims [0, 2] : memref<20x100xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        %4 = pto.tile.load.map %w[%m, %n, %at] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [20, 24, 100] dims [2, 1] : memref<100x24xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        pto.channel.commit %ring, %3, %4 : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>
      }
    }
    %5 = pto.tile.expands 0.000000e+00 : f32 : tile<16x16xf32, #pto.tile_info<loc=Acc>>
    %6 = scf.for %k_1 = %0 to %1 step %2 iter_args(%7 = %5) -> (!pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>) {
      %8, %9 = pto.channel.wait %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>
      %10 = pto.tile.mov.m2l %8 : tile<16x16xbf16, #pto.tile_info<loc=Mat>> -> tile<16x16xbf16, #pto.tile_info<loc=Left>>
      %11 = pto.tile.mov.m2r %9 : tile<16x16xbf16, #pto.tile_info<loc=Mat>> -> tile<16x16xbf16, #pto.tile_info<loc=Right>>
      %12 = pto.tile.matmul.acc %7, %10, %11 : tile<16x16xf32, #pto.tile_info<loc=Acc>>, tile<16x16xbf16, #pto.tile_info<loc=Left>>, tile<16x16xbf16, #pto.tile_info<loc=Right>> -> tile<16x16xf32, #pto.tile_info<loc=Acc>>
      pto.channel.release %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
      scf.yield %12 : !pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>
    }
    pto.combine serial %6 across %s in %workspace counters %counters : tile<16x16xf32, #pto.tile_info<loc=Acc>>, memref<4x16x16xf32>, memref<4xi32> {
    ^bb0(%sum: !pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>):
      %13 = pto.tile.mov.a2v %sum : tile<16x16xf32, #pto.tile_info<loc=Acc>> -> tile<16x16xf32>
      pto.tile.store.map %13, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [20, 24] dims [0, 1] : tile<16x16xf32>, memref<20x24xf32>
    }
  }
}
func.func @f(%x: memref<20x100xbf16>, %w: memref<100x24xbf16>, %y: memref<20x24xf32>) {
  %0 = memref.alloc() : memref<4x16x16xf32>
  %1 = region.zeros : memref<4xi32>
  region.launch @k ins(%x, %w : memref<20x100xbf16>, memref<100x24xbf16>) outs(%y, %0, %1 : memref<20x24xf32>, memref<4x16x16xf32>, memref<4xi32>)
  func.return
}

// -----

// Each block stores its part; the last to arrive adds them up in the order of k.

// CHECK-LABEL: "gpu.func"
// CHECK: %[[S:.*]] = "gpu.block_id"() <{dimension = #gpu<dim z>}>
// CHECK: nv.mma_sync
// CHECK: %tile = arith.addi
// CHECK-NEXT: %[[PARTS:.*]] = arith.muli %[[S]], %c4 : index
// CHECK-NEXT: %share = arith.addi %[[PARTS]], %tile : index
// CHECK-NEXT: nv.frag_store %acc to %workspace[%share] : !nv.frag<16x16xf32, C of m16n8k16>, memref<12x16x16xf32>
// CHECK-NEXT: %is_last = nv.arrive_last %counters[%tile] of 3 : memref<4xi32>
// CHECK-NEXT: scf.if %is_last {
// CHECK-NEXT: nv.frag_load %workspace[%tile] to %acc
// CHECK-NEXT: scf.for %added = %c0 to %c2 step %c1 {
// CHECK-NEXT: %other = arith.addi %added, %c1 : index
// CHECK-NEXT: %[[OTHERS:.*]] = arith.muli %other, %c4 : index
// CHECK-NEXT: %[[SHARE:.*]] = arith.addi %[[OTHERS]], %tile : index
// CHECK-NEXT: nv.frag_add %workspace[%[[SHARE]]] to %acc
// CHECK-NEXT: }
// CHECK: nv.epilogue %acc
// CHECK: nv.launch @kernels::@k grid [2, 2, 3]

pto.kernel @k(%x: memref<20x100xbf16> align 16, %w: memref<100x24xbf16> align 16) -> (%y: memref<20x24xf32> align 16 gmem, %workspace: memref<12x16x16xf32> align 16 workspace, %counters: memref<4xi32> align 16 counters) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 16], stages = 2, warp_tile = "16x16", split = 3, algo_choice = {matmul = "splitk_parallel"}, cache = [{tensor = "A"}, {tensor = "B"}], vectorize = {axis = "n.i.i", width = 2}, predicate_tail = ["m.i.i", "n.i.i", "k.i.i"]}> {
  pto.tiles (%m, %n) in [20, 24] step [16, 16] split %s of 3 {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
    %0 = arith.constant 0 : index
    %1 = arith.constant 48 : index
    %2 = arith.constant 16 : index
    %first = arith.muli %s, %1 : index
    pto.process {
      scf.for %k = %0 to %1 step %2 {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
        %at = arith.addi %first, %k : index
        %3 = pto.tile.load.map %x[%m, %n, %at] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [20, 24, 100] dims [0, 2] : memref<20x100xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        %4 = pto.tile.load.map %w[%m, %n, %at] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [20, 24, 100] dims [2, 1] : memref<100x24xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        pto.channel.commit %ring, %3, %4 : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>
      }
    }
    %5 = pto.tile.expands 0.000000e+00 : f32 : tile<16x16xf32, #pto.tile_info<loc=Acc>>
    %6 = scf.for %k_1 = %0 to %1 step %2 iter_args(%7 = %5) -> (!pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>) {
      %8, %9 = pto.channel.wait %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>
      %10 = pto.tile.mov.m2l %8 : tile<16x16xbf16, #pto.tile_info<loc=Mat>> -> tile<16x16xbf16, #pto.tile_info<loc=Left>>
      %11 = pto.tile.mov.m2r %9 : tile<16x16xbf16, #pto.tile_info<loc=Mat>> -> tile<16x16xbf16, #pto.tile_info<loc=Right>>
      %12 = pto.tile.matmul.acc %7, %10, %11 : tile<16x16xf32, #pto.tile_info<loc=Acc>>, tile<16x16xbf16, #pto.tile_info<loc=Left>>, tile<16x16xbf16, #pto.tile_info<loc=Right>> -> tile<16x16xf32, #pto.tile_info<loc=Acc>>
      pto.channel.release %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
      scf.yield %12 : !pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>
    }
    pto.combine parallel %6 across %s in %workspace counters %counters : tile<16x16xf32, #pto.tile_info<loc=Acc>>, memref<12x16x16xf32>, memref<4xi32> {
    ^bb0(%sum: !pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>):
      %13 = pto.tile.mov.a2v %sum : tile<16x16xf32, #pto.tile_info<loc=Acc>> -> tile<16x16xf32>
      pto.tile.store.map %13, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [20, 24] dims [0, 1] : tile<16x16xf32>, memref<20x24xf32>
    }
  }
}
func.func @f(%x: memref<20x100xbf16>, %w: memref<100x24xbf16>, %y: memref<20x24xf32>) {
  %0 = memref.alloc() : memref<12x16x16xf32>
  %1 = region.zeros : memref<4xi32>
  region.launch @k ins(%x, %w : memref<20x100xbf16>, memref<100x24xbf16>) outs(%y, %0, %1 : memref<20x24xf32>, memref<12x16x16xf32>, memref<4xi32>)
  func.return
}

// -----

// The part is slower than the batch, so that the blocks of a tile are numbered in the order of their turns.

// CHECK-LABEL: "gpu.func"
// CHECK: %[[Z:.*]] = "gpu.block_id"() <{dimension = #gpu<dim z>}>
// CHECK-NEXT: %[[B:.*]] = arith.remui %[[Z]], %c5 : index
// CHECK-NEXT: %[[S:.*]] = arith.divui %[[Z]], %c5 : index
// CHECK: nv.cp_async %x[%[[B]], %m, %n,
// CHECK: nv.semaphore.acquire %counters[%tile] for %[[S]] : memref<20xi32>
// CHECK: nv.launch @kernels::@k grid [2, 2, 15]

pto.kernel @k(%x: memref<5x20x100xbf16> align 16, %w: memref<5x100x24xbf16> align 16) -> (%y: memref<5x20x24xf32> align 16 gmem, %workspace: memref<20x16x16xf32> align 16 workspace, %counters: memref<20xi32> align 16 counters) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 16], stages = 2, warp_tile = "16x16", split = 3, algo_choice = {matmul = "splitk_serial"}, cache = [{tensor = "A"}, {tensor = "B"}], vectorize = {axis = "n.i.i", width = 2}, predicate_tail = ["m.i.i", "n.i.i", "k.i.i"]}> {
  pto.tiles (%b0, %m, %n) in [5, 20, 24] step [1, 16, 16] split %s of 3 {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
    %0 = arith.constant 0 : index
    %1 = arith.constant 48 : index
    %2 = arith.constant 16 : index
    %first = arith.muli %s, %1 : index
    pto.process {
      scf.for %k = %0 to %1 step %2 {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
        %at = arith.addi %first, %k : index
        %3 = pto.tile.load.map %x[%b0, %m, %n, %at] by <"{ [i0, i1, i2, i3] -> [(i0), (i1), (i3)] }"> in [5, 20, 24, 100] dims [1, 3] : memref<5x20x100xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        %4 = pto.tile.load.map %w[%b0, %m, %n, %at] by <"{ [i0, i1, i2, i3] -> [(i0), (i3), (i2)] }"> in [5, 20, 24, 100] dims [3, 2] : memref<5x100x24xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        pto.channel.commit %ring, %3, %4 : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>
      }
    }
    %5 = pto.tile.expands 0.000000e+00 : f32 : tile<16x16xf32, #pto.tile_info<loc=Acc>>
    %6 = scf.for %k_1 = %0 to %1 step %2 iter_args(%7 = %5) -> (!pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>) {
      %8, %9 = pto.channel.wait %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>
      %10 = pto.tile.mov.m2l %8 : tile<16x16xbf16, #pto.tile_info<loc=Mat>> -> tile<16x16xbf16, #pto.tile_info<loc=Left>>
      %11 = pto.tile.mov.m2r %9 : tile<16x16xbf16, #pto.tile_info<loc=Mat>> -> tile<16x16xbf16, #pto.tile_info<loc=Right>>
      %12 = pto.tile.matmul.acc %7, %10, %11 : tile<16x16xf32, #pto.tile_info<loc=Acc>>, tile<16x16xbf16, #pto.tile_info<loc=Left>>, tile<16x16xbf16, #pto.tile_info<loc=Right>> -> tile<16x16xf32, #pto.tile_info<loc=Acc>>
      pto.channel.release %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
      scf.yield %12 : !pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>
    }
    pto.combine serial %6 across %s in %workspace counters %counters : tile<16x16xf32, #pto.tile_info<loc=Acc>>, memref<20x16x16xf32>, memref<20xi32> {
    ^bb0(%sum: !pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>):
      %13 = pto.tile.mov.a2v %sum : tile<16x16xf32, #pto.tile_info<loc=Acc>> -> tile<16x16xf32>
      pto.tile.store.map %13, %y[%b0, %m, %n] by <"{ [i0, i1, i2] -> [(i0), (i1), (i2)] }"> in [5, 20, 24] dims [1, 2] : tile<16x16xf32>, memref<5x20x24xf32>
    }
  }
}
func.func @f(%x: memref<5x20x100xbf16>, %w: memref<5x100x24xbf16>, %y: memref<5x20x24xf32>) {
  %0 = memref.alloc() : memref<20x16x16xf32>
  %1 = region.zeros : memref<20xi32>
  region.launch @k ins(%x, %w : memref<5x20x100xbf16>, memref<5x100x24xbf16>) outs(%y, %0, %1 : memref<5x20x24xf32>, memref<20x16x16xf32>, memref<20xi32>)
  func.return
}

// -----

// Where z cannot count both, x does.

// CHECK-LABEL: "gpu.func"
// CHECK: %[[X:.*]] = "gpu.block_id"() <{dimension = #gpu<dim x>}>
// CHECK-NEXT: %{{.*}} = arith.remui %[[X]], %c2 : index
// CHECK: %[[X:.*]] = "gpu.block_id"() <{dimension = #gpu<dim x>}>
// CHECK-NEXT: %[[Z:.*]] = arith.divui %[[X]], %c2 : index
// CHECK-NEXT: %[[B:.*]] = arith.remui %[[Z]], %c30000 : index
// CHECK-NEXT: %[[S:.*]] = arith.divui %[[Z]], %c30000 : index
// CHECK: nv.semaphore.acquire %counters[%tile] for %[[S]] : memref<120000xi32>
// CHECK: nv.launch @kernels::@k grid [180000, 2, 1]

pto.kernel @k(%x: memref<30000x20x100xbf16> align 16, %w: memref<30000x100x24xbf16> align 16) -> (%y: memref<30000x20x24xf32> align 16 gmem, %workspace: memref<120000x16x16xf32> align 16 workspace, %counters: memref<120000xi32> align 16 counters) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 16], stages = 2, warp_tile = "16x16", split = 3, algo_choice = {matmul = "splitk_serial"}, cache = [{tensor = "A"}, {tensor = "B"}], vectorize = {axis = "n.i.i", width = 2}, predicate_tail = ["m.i.i", "n.i.i", "k.i.i"]}> {
  pto.tiles (%b0, %m, %n) in [30000, 20, 24] step [1, 16, 16] split %s of 3 {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
    %0 = arith.constant 0 : index
    %1 = arith.constant 48 : index
    %2 = arith.constant 16 : index
    %first = arith.muli %s, %1 : index
    pto.process {
      scf.for %k = %0 to %1 step %2 {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
        %at = arith.addi %first, %k : index
        %3 = pto.tile.load.map %x[%b0, %m, %n, %at] by <"{ [i0, i1, i2, i3] -> [(i0), (i1), (i3)] }"> in [30000, 20, 24, 100] dims [1, 3] : memref<30000x20x100xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        %4 = pto.tile.load.map %w[%b0, %m, %n, %at] by <"{ [i0, i1, i2, i3] -> [(i0), (i3), (i2)] }"> in [30000, 20, 24, 100] dims [3, 2] : memref<30000x100x24xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        pto.channel.commit %ring, %3, %4 : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>
      }
    }
    %5 = pto.tile.expands 0.000000e+00 : f32 : tile<16x16xf32, #pto.tile_info<loc=Acc>>
    %6 = scf.for %k_1 = %0 to %1 step %2 iter_args(%7 = %5) -> (!pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>) {
      %8, %9 = pto.channel.wait %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>
      %10 = pto.tile.mov.m2l %8 : tile<16x16xbf16, #pto.tile_info<loc=Mat>> -> tile<16x16xbf16, #pto.tile_info<loc=Left>>
      %11 = pto.tile.mov.m2r %9 : tile<16x16xbf16, #pto.tile_info<loc=Mat>> -> tile<16x16xbf16, #pto.tile_info<loc=Right>>
      %12 = pto.tile.matmul.acc %7, %10, %11 : tile<16x16xf32, #pto.tile_info<loc=Acc>>, tile<16x16xbf16, #pto.tile_info<loc=Left>>, tile<16x16xbf16, #pto.tile_info<loc=Right>> -> tile<16x16xf32, #pto.tile_info<loc=Acc>>
      pto.channel.release %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
      scf.yield %12 : !pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>
    }
    pto.combine serial %6 across %s in %workspace counters %counters : tile<16x16xf32, #pto.tile_info<loc=Acc>>, memref<120000x16x16xf32>, memref<120000xi32> {
    ^bb0(%sum: !pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>):
      %13 = pto.tile.mov.a2v %sum : tile<16x16xf32, #pto.tile_info<loc=Acc>> -> tile<16x16xf32>
      pto.tile.store.map %13, %y[%b0, %m, %n] by <"{ [i0, i1, i2] -> [(i0), (i1), (i2)] }"> in [30000, 20, 24] dims [1, 2] : tile<16x16xf32>, memref<30000x20x24xf32>
    }
  }
}
func.func @f(%x: memref<30000x20x100xbf16>, %w: memref<30000x100x24xbf16>, %y: memref<30000x20x24xf32>) {
  %0 = memref.alloc() : memref<120000x16x16xf32>
  %1 = region.zeros : memref<120000xi32>
  region.launch @k ins(%x, %w : memref<30000x20x100xbf16>, memref<30000x100x24xbf16>) outs(%y, %0, %1 : memref<30000x20x24xf32>, memref<120000x16x16xf32>, memref<120000xi32>)
  func.return
}
