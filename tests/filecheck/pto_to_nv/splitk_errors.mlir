// RUN: ptir-opt %s -p pto-to-nv --split-input-file --verify-diagnostics

// What a split may be is what is lowered.

pto.kernel @k(%x: memref<8x8xf32> align 16) -> (%y: memref<8x8xf32> align 16 gmem, %ws: memref<4x4x4xf32> align 16 workspace, %count: memref<4xi32> align 4 counters) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 16], stages = 2, warp_tile = "16x16", split = 3, algo_choice = {matmul = "splitk_serial"}, vectorize = {axis = "n.i.i", width = 2}}> {
  pto.tiles (%m, %n) in [8, 8] step [4, 4] split %s of 3 {
    %acc = pto.tile.expands 1.0 : f32 : tile<4x4xf32, #pto.tile_info<loc=Acc>>
    // expected-error@+1 {{a split without a contraction is not supported yet}}
    pto.combine serial %acc across %s in %ws counters %count : tile<4x4xf32, #pto.tile_info<loc=Acc>>, memref<4x4x4xf32>, memref<4xi32> {
    ^bb0(%sum: !pto.tile<4x4xf32, #pto.tile_info<loc=Acc>>):
      %v = pto.tile.mov.a2v %sum : tile<4x4xf32, #pto.tile_info<loc=Acc>> -> tile<4x4xf32>
      pto.tile.store.map %v, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 8] dims [0, 1] : tile<4x4xf32>, memref<8x8xf32>
    }
  }
}

// -----

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
      // expected-error@+1 {{an epilogue that reads a part is not supported yet}}
      %13 = pto.tile.mov.a2v %6 : tile<16x16xf32, #pto.tile_info<loc=Acc>> -> tile<16x16xf32>
      pto.tile.store.map %13, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [20, 24] dims [0, 1] : tile<16x16xf32>, memref<20x24xf32>
    }
  }
}

// -----

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
    // expected-error@+1 {{this data flow in a tile program is not supported yet}}
    pto.combine serial %5 across %s in %workspace counters %counters : tile<16x16xf32, #pto.tile_info<loc=Acc>>, memref<4x16x16xf32>, memref<4xi32> {
    ^bb0(%sum: !pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>):
      %13 = pto.tile.mov.a2v %sum : tile<16x16xf32, #pto.tile_info<loc=Acc>> -> tile<16x16xf32>
      pto.tile.store.map %13, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [20, 24] dims [0, 1] : tile<16x16xf32>, memref<20x24xf32>
    }
  }
}

// -----

// expected-error@+1 {{the plan of @k does not fit it: plan: splitk_serial, split 2; program: splitk_serial, split 3}}
pto.kernel @k(%x: memref<20x100xbf16> align 16, %w: memref<100x24xbf16> align 16) -> (%y: memref<20x24xf32> align 16 gmem, %workspace: memref<4x16x16xf32> align 16 workspace, %counters: memref<4xi32> align 16 counters) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 16], stages = 2, warp_tile = "16x16", split = 2, algo_choice = {matmul = "splitk_serial"}, cache = [{tensor = "A"}, {tensor = "B"}], vectorize = {axis = "n.i.i", width = 2}, predicate_tail = ["m.i.i", "n.i.i", "k.i.i"]}> {
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

// -----

// expected-error@+1 {{the plan of @k does not fit it: plan: splitk_parallel, split 3; program: splitk_serial, split 3}}
pto.kernel @k(%x: memref<20x100xbf16> align 16, %w: memref<100x24xbf16> align 16) -> (%y: memref<20x24xf32> align 16 gmem, %workspace: memref<4x16x16xf32> align 16 workspace, %counters: memref<4xi32> align 16 counters) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 16], stages = 2, warp_tile = "16x16", split = 3, algo_choice = {matmul = "splitk_parallel"}, cache = [{tensor = "A"}, {tensor = "B"}], vectorize = {axis = "n.i.i", width = 2}, predicate_tail = ["m.i.i", "n.i.i", "k.i.i"]}> {
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

// -----

// expected-error@+1 {{the plan of @k does not fit it: plan: implicit_gemm, split 1; program: splitk_serial, split 3}}
pto.kernel @k(%x: memref<20x100xbf16> align 16, %w: memref<100x24xbf16> align 16) -> (%y: memref<20x24xf32> align 16 gmem, %workspace: memref<4x16x16xf32> align 16 workspace, %counters: memref<4xi32> align 16 counters) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 16], stages = 2, warp_tile = "16x16", cache = [{tensor = "A"}, {tensor = "B"}], vectorize = {axis = "n.i.i", width = 2}, predicate_tail = ["m.i.i", "n.i.i", "k.i.i"]}> {
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
