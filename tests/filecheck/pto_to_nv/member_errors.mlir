// RUN: ptir-opt %s -p pto-to-nv --split-input-file --verify-diagnostics

// Each product accumulates into a value of its own, and the loop carries them in the order of the products.

pto.kernel @products_0(%x: memref<2x16x16xbf16> align 16, %w: memref<2x16x8xbf16> align 16) -> (%0: memref<16x8xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 8, 16], stages = 2, warp_tile = "16x8", bind = {m.o = "block.y", n.o = "block.x", m.i.o = "warp.y", n.i.o = "warp.x"}, cache = [{tensor = "A", where = "smem", at = "k.i", pingpong = true}, {tensor = "B", where = "smem", at = "k.i", pingpong = true}], vectorize = {axis = "n.i.i", width = 2}, epilogue = ["mul"], layout_hints = {A_swizzle = true, B_swizzle = true, C_stride = "row"}, algo_choice = {matmul = "implicit_gemm"}, local_edges = [{from = "sum", to = "mul", buffer = "reg"}]}> {
  pto.tiles (%m, %n) in [16, 8] step [16, 8] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x8xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x8xbf16, #pto.tile_info<loc=Mat>>]>
    %1 = arith.constant 0 : index
    %2 = arith.constant 16 : index
    %3 = arith.constant 16 : index
    pto.process {
      scf.for %k = %1 to %2 step %3 {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x8xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x8xbf16, #pto.tile_info<loc=Mat>>]>
        %4 = pto.tile.load.map %x[%m, %n, %k] by <"{ [i0, i1, i2] -> [(0), (i0), (i2)] }"> in [16, 8, 16] dims [0, 2] : memref<2x16x16xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        %5 = pto.tile.load.map %w[%m, %n, %k] by <"{ [i0, i1, i2] -> [(0), (i2), (i1)] }"> in [16, 8, 16] dims [2, 1] : memref<2x16x8xbf16> -> tile<16x8xbf16, #pto.tile_info<loc=Mat>>
        %6 = pto.tile.load.map %x[%m, %n, %k] by <"{ [i0, i1, i2] -> [(1), (i0), (i2)] }"> in [16, 8, 16] dims [0, 2] : memref<2x16x16xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        %7 = pto.tile.load.map %w[%m, %n, %k] by <"{ [i0, i1, i2] -> [(1), (i2), (i1)] }"> in [16, 8, 16] dims [2, 1] : memref<2x16x8xbf16> -> tile<16x8xbf16, #pto.tile_info<loc=Mat>>
        pto.channel.commit %ring, %4, %5, %6, %7 : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x8xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x8xbf16, #pto.tile_info<loc=Mat>>]>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x8xbf16, #pto.tile_info<loc=Mat>>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x8xbf16, #pto.tile_info<loc=Mat>>
      }
    }
    %8 = pto.tile.expands 0.000000e+00 : f32 : tile<16x8xf32, #pto.tile_info<loc=Acc>>
    %9 = pto.tile.expands 0.000000e+00 : f32 : tile<16x8xf32, #pto.tile_info<loc=Acc>>
    %10, %11 = scf.for %k_1 = %1 to %2 step %3 iter_args(%12 = %8, %13 = %9) -> (!pto.tile<16x8xf32, #pto.tile_info<loc=Acc>>, !pto.tile<16x8xf32, #pto.tile_info<loc=Acc>>) {
      %14, %15, %16, %17 = pto.channel.wait %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x8xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x8xbf16, #pto.tile_info<loc=Mat>>]> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x8xbf16, #pto.tile_info<loc=Mat>>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x8xbf16, #pto.tile_info<loc=Mat>>
      %18 = pto.tile.mov.m2l %14 : tile<16x16xbf16, #pto.tile_info<loc=Mat>> -> tile<16x16xbf16, #pto.tile_info<loc=Left>>
      %19 = pto.tile.mov.m2r %15 : tile<16x8xbf16, #pto.tile_info<loc=Mat>> -> tile<16x8xbf16, #pto.tile_info<loc=Right>>
      %20 = pto.tile.matmul.acc %12, %18, %19 : tile<16x8xf32, #pto.tile_info<loc=Acc>>, tile<16x16xbf16, #pto.tile_info<loc=Left>>, tile<16x8xbf16, #pto.tile_info<loc=Right>> -> tile<16x8xf32, #pto.tile_info<loc=Acc>>
      %21 = pto.tile.mov.m2l %16 : tile<16x16xbf16, #pto.tile_info<loc=Mat>> -> tile<16x16xbf16, #pto.tile_info<loc=Left>>
      %22 = pto.tile.mov.m2r %17 : tile<16x8xbf16, #pto.tile_info<loc=Mat>> -> tile<16x8xbf16, #pto.tile_info<loc=Right>>
      %23 = pto.tile.matmul.acc %13, %21, %22 : tile<16x8xf32, #pto.tile_info<loc=Acc>>, tile<16x16xbf16, #pto.tile_info<loc=Left>>, tile<16x8xbf16, #pto.tile_info<loc=Right>> -> tile<16x8xf32, #pto.tile_info<loc=Acc>>
      pto.channel.release %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x8xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x8xbf16, #pto.tile_info<loc=Mat>>]>
      // expected-error@+1 {{this data flow in a tile program is not supported yet}}
      scf.yield %23, %20 : !pto.tile<16x8xf32, #pto.tile_info<loc=Acc>>, !pto.tile<16x8xf32, #pto.tile_info<loc=Acc>>
    }
    %24 = pto.tile.mov.a2v %10 : tile<16x8xf32, #pto.tile_info<loc=Acc>> -> tile<16x8xf32>
    %25 = pto.tile.mov.a2v %11 : tile<16x8xf32, #pto.tile_info<loc=Acc>> -> tile<16x8xf32>
    %26 = pto.tile.mul %24, %25 : tile<16x8xf32>
    pto.tile.store.map %26, %0[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [16, 8] dims [0, 1] : tile<16x8xf32>, memref<16x8xf32>
  }
}

// -----

pto.kernel @products_0(%x: memref<2x16x16xbf16> align 16, %w: memref<2x16x8xbf16> align 16) -> (%0: memref<16x8xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 8, 16], stages = 2, warp_tile = "16x8", bind = {m.o = "block.y", n.o = "block.x", m.i.o = "warp.y", n.i.o = "warp.x"}, cache = [{tensor = "A", where = "smem", at = "k.i", pingpong = true}, {tensor = "B", where = "smem", at = "k.i", pingpong = true}], vectorize = {axis = "n.i.i", width = 2}, epilogue = ["mul"], layout_hints = {A_swizzle = true, B_swizzle = true, C_stride = "row"}, algo_choice = {matmul = "implicit_gemm"}, local_edges = [{from = "sum", to = "mul", buffer = "reg"}]}> {
  pto.tiles (%m, %n) in [16, 8] step [16, 8] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x8xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x8xbf16, #pto.tile_info<loc=Mat>>]>
    %1 = arith.constant 0 : index
    %2 = arith.constant 16 : index
    %3 = arith.constant 16 : index
    pto.process {
      scf.for %k = %1 to %2 step %3 {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x8xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x8xbf16, #pto.tile_info<loc=Mat>>]>
        %4 = pto.tile.load.map %x[%m, %n, %k] by <"{ [i0, i1, i2] -> [(0), (i0), (i2)] }"> in [16, 8, 16] dims [0, 2] : memref<2x16x16xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        %5 = pto.tile.load.map %w[%m, %n, %k] by <"{ [i0, i1, i2] -> [(0), (i2), (i1)] }"> in [16, 8, 16] dims [2, 1] : memref<2x16x8xbf16> -> tile<16x8xbf16, #pto.tile_info<loc=Mat>>
        %6 = pto.tile.load.map %x[%m, %n, %k] by <"{ [i0, i1, i2] -> [(1), (i0), (i2)] }"> in [16, 8, 16] dims [0, 2] : memref<2x16x16xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        %7 = pto.tile.load.map %w[%m, %n, %k] by <"{ [i0, i1, i2] -> [(1), (i2), (i1)] }"> in [16, 8, 16] dims [2, 1] : memref<2x16x8xbf16> -> tile<16x8xbf16, #pto.tile_info<loc=Mat>>
        pto.channel.commit %ring, %4, %5, %6, %7 : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x8xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x8xbf16, #pto.tile_info<loc=Mat>>]>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x8xbf16, #pto.tile_info<loc=Mat>>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x8xbf16, #pto.tile_info<loc=Mat>>
      }
    }
    %8 = pto.tile.expands 0.000000e+00 : f32 : tile<16x8xf32, #pto.tile_info<loc=Acc>>
    %9 = pto.tile.expands 0.000000e+00 : f32 : tile<16x8xf32, #pto.tile_info<loc=Acc>>
    %10, %11 = scf.for %k_1 = %1 to %2 step %3 iter_args(%12 = %8, %13 = %9) -> (!pto.tile<16x8xf32, #pto.tile_info<loc=Acc>>, !pto.tile<16x8xf32, #pto.tile_info<loc=Acc>>) {
      %14, %15, %16, %17 = pto.channel.wait %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x8xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x8xbf16, #pto.tile_info<loc=Mat>>]> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x8xbf16, #pto.tile_info<loc=Mat>>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x8xbf16, #pto.tile_info<loc=Mat>>
      %18 = pto.tile.mov.m2l %14 : tile<16x16xbf16, #pto.tile_info<loc=Mat>> -> tile<16x16xbf16, #pto.tile_info<loc=Left>>
      %19 = pto.tile.mov.m2r %15 : tile<16x8xbf16, #pto.tile_info<loc=Mat>> -> tile<16x8xbf16, #pto.tile_info<loc=Right>>
      // expected-error@+1 {{this data flow in a tile program is not supported yet}}
      %20 = pto.tile.matmul.acc %13, %18, %19 : tile<16x8xf32, #pto.tile_info<loc=Acc>>, tile<16x16xbf16, #pto.tile_info<loc=Left>>, tile<16x8xbf16, #pto.tile_info<loc=Right>> -> tile<16x8xf32, #pto.tile_info<loc=Acc>>
      %21 = pto.tile.mov.m2l %16 : tile<16x16xbf16, #pto.tile_info<loc=Mat>> -> tile<16x16xbf16, #pto.tile_info<loc=Left>>
      %22 = pto.tile.mov.m2r %17 : tile<16x8xbf16, #pto.tile_info<loc=Mat>> -> tile<16x8xbf16, #pto.tile_info<loc=Right>>
      %23 = pto.tile.matmul.acc %12, %21, %22 : tile<16x8xf32, #pto.tile_info<loc=Acc>>, tile<16x16xbf16, #pto.tile_info<loc=Left>>, tile<16x8xbf16, #pto.tile_info<loc=Right>> -> tile<16x8xf32, #pto.tile_info<loc=Acc>>
      pto.channel.release %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x8xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x8xbf16, #pto.tile_info<loc=Mat>>]>
      scf.yield %20, %23 : !pto.tile<16x8xf32, #pto.tile_info<loc=Acc>>, !pto.tile<16x8xf32, #pto.tile_info<loc=Acc>>
    }
    %24 = pto.tile.mov.a2v %10 : tile<16x8xf32, #pto.tile_info<loc=Acc>> -> tile<16x8xf32>
    %25 = pto.tile.mov.a2v %11 : tile<16x8xf32, #pto.tile_info<loc=Acc>> -> tile<16x8xf32>
    %26 = pto.tile.mul %24, %25 : tile<16x8xf32>
    pto.tile.store.map %26, %0[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [16, 8] dims [0, 1] : tile<16x8xf32>, memref<16x8xf32>
  }
}

// -----

// One product has rows that an epilogue reduces, or parts of k that are combined, or warpgroups that multiply.

pto.kernel @products_0(%x: memref<2x16x16xbf16> align 16, %w: memref<2x16x8xbf16> align 16) -> (%0: memref<16x8xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 8, 16], stages = 2, warp_tile = "16x8", bind = {m.o = "block.y", n.o = "block.x", m.i.o = "warp.y", n.i.o = "warp.x"}, cache = [{tensor = "A", where = "smem", at = "k.i", pingpong = true}, {tensor = "B", where = "smem", at = "k.i", pingpong = true}], vectorize = {axis = "n.i.i", width = 2}, epilogue = ["mul"], layout_hints = {A_swizzle = true, B_swizzle = true, C_stride = "row"}, algo_choice = {matmul = "implicit_gemm"}, local_edges = [{from = "sum", to = "mul", buffer = "reg"}]}> {
  pto.tiles (%m, %n) in [16, 8] step [16, 8] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x8xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x8xbf16, #pto.tile_info<loc=Mat>>]>
    %1 = arith.constant 0 : index
    %2 = arith.constant 16 : index
    %3 = arith.constant 16 : index
    pto.process {
      scf.for %k = %1 to %2 step %3 {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x8xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x8xbf16, #pto.tile_info<loc=Mat>>]>
        %4 = pto.tile.load.map %x[%m, %n, %k] by <"{ [i0, i1, i2] -> [(0), (i0), (i2)] }"> in [16, 8, 16] dims [0, 2] : memref<2x16x16xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        %5 = pto.tile.load.map %w[%m, %n, %k] by <"{ [i0, i1, i2] -> [(0), (i2), (i1)] }"> in [16, 8, 16] dims [2, 1] : memref<2x16x8xbf16> -> tile<16x8xbf16, #pto.tile_info<loc=Mat>>
        %6 = pto.tile.load.map %x[%m, %n, %k] by <"{ [i0, i1, i2] -> [(1), (i0), (i2)] }"> in [16, 8, 16] dims [0, 2] : memref<2x16x16xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        %7 = pto.tile.load.map %w[%m, %n, %k] by <"{ [i0, i1, i2] -> [(1), (i2), (i1)] }"> in [16, 8, 16] dims [2, 1] : memref<2x16x8xbf16> -> tile<16x8xbf16, #pto.tile_info<loc=Mat>>
        pto.channel.commit %ring, %4, %5, %6, %7 : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x8xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x8xbf16, #pto.tile_info<loc=Mat>>]>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x8xbf16, #pto.tile_info<loc=Mat>>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x8xbf16, #pto.tile_info<loc=Mat>>
      }
    }
    %8 = pto.tile.expands 0.000000e+00 : f32 : tile<16x8xf32, #pto.tile_info<loc=Acc>>
    %9 = pto.tile.expands 0.000000e+00 : f32 : tile<16x8xf32, #pto.tile_info<loc=Acc>>
    %10, %11 = scf.for %k_1 = %1 to %2 step %3 iter_args(%12 = %8, %13 = %9) -> (!pto.tile<16x8xf32, #pto.tile_info<loc=Acc>>, !pto.tile<16x8xf32, #pto.tile_info<loc=Acc>>) {
      %14, %15, %16, %17 = pto.channel.wait %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x8xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x8xbf16, #pto.tile_info<loc=Mat>>]> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x8xbf16, #pto.tile_info<loc=Mat>>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x8xbf16, #pto.tile_info<loc=Mat>>
      %18 = pto.tile.mov.m2l %14 : tile<16x16xbf16, #pto.tile_info<loc=Mat>> -> tile<16x16xbf16, #pto.tile_info<loc=Left>>
      %19 = pto.tile.mov.m2r %15 : tile<16x8xbf16, #pto.tile_info<loc=Mat>> -> tile<16x8xbf16, #pto.tile_info<loc=Right>>
      %20 = pto.tile.matmul.acc %12, %18, %19 : tile<16x8xf32, #pto.tile_info<loc=Acc>>, tile<16x16xbf16, #pto.tile_info<loc=Left>>, tile<16x8xbf16, #pto.tile_info<loc=Right>> -> tile<16x8xf32, #pto.tile_info<loc=Acc>>
      %21 = pto.tile.mov.m2l %16 : tile<16x16xbf16, #pto.tile_info<loc=Mat>> -> tile<16x16xbf16, #pto.tile_info<loc=Left>>
      %22 = pto.tile.mov.m2r %17 : tile<16x8xbf16, #pto.tile_info<loc=Mat>> -> tile<16x8xbf16, #pto.tile_info<loc=Right>>
      // expected-error@+1 {{an epilogue that reduces rows of several accumulators is not supported yet}}
      %23 = pto.tile.matmul.acc %13, %21, %22 : tile<16x8xf32, #pto.tile_info<loc=Acc>>, tile<16x16xbf16, #pto.tile_info<loc=Left>>, tile<16x8xbf16, #pto.tile_info<loc=Right>> -> tile<16x8xf32, #pto.tile_info<loc=Acc>>
      pto.channel.release %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x8xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x8xbf16, #pto.tile_info<loc=Mat>>]>
      scf.yield %20, %23 : !pto.tile<16x8xf32, #pto.tile_info<loc=Acc>>, !pto.tile<16x8xf32, #pto.tile_info<loc=Acc>>
    }
    %24 = pto.tile.mov.a2v %10 : tile<16x8xf32, #pto.tile_info<loc=Acc>> -> tile<16x8xf32>
    %25 = pto.tile.mov.a2v %11 : tile<16x8xf32, #pto.tile_info<loc=Acc>> -> tile<16x8xf32>
    %26 = pto.tile.mul %24, %25 : tile<16x8xf32>
    %27 = pto.tile.rowmax %26 : tile<16x8xf32> -> tile<16x1xf32>
    %28 = pto.tile.rowexpand %27 : tile<16x1xf32> -> tile<16x8xf32>
    pto.tile.store.map %28, %0[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [16, 8] dims [0, 1] : tile<16x8xf32>, memref<16x8xf32>
  }
}

// -----

pto.kernel @products_0(%x: memref<2x16x32xbf16> align 16, %w: memref<2x32x8xbf16> align 16) -> (%0: memref<16x8xf32> align 256 gmem, %workspace: memref<1x16x8xf32> align 16 workspace, %counters: memref<1xi32> align 16 counters) plan #plan.schedule<{arch = "sm80", tile = [16, 8, 16], stages = 2, warp_tile = "16x8", bind = {m.o = "block.y", n.o = "block.x", m.i.o = "warp.y", n.i.o = "warp.x"}, cache = [{tensor = "A", where = "smem", at = "k.i", pingpong = true}, {tensor = "B", where = "smem", at = "k.i", pingpong = true}], vectorize = {axis = "n.i.i", width = 2}, epilogue = ["mul"], layout_hints = {A_swizzle = true, B_swizzle = true, C_stride = "row"}, split = 2, algo_choice = {matmul = "splitk_serial"}, local_edges = [{from = "sum", to = "mul", buffer = "reg"}]}> {
  pto.tiles (%m, %n) in [16, 8] step [16, 8] split %s of 2 {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x8xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x8xbf16, #pto.tile_info<loc=Mat>>]>
    %1 = arith.constant 0 : index
    %2 = arith.constant 16 : index
    %3 = arith.constant 16 : index
    %first = arith.muli %s, %2 : index
    pto.process {
      scf.for %k = %1 to %2 step %3 {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x8xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x8xbf16, #pto.tile_info<loc=Mat>>]>
        %at = arith.addi %first, %k : index
        %4 = pto.tile.load.map %x[%m, %n, %at] by <"{ [i0, i1, i2] -> [(0), (i0), (i2)] }"> in [16, 8, 32] dims [0, 2] : memref<2x16x32xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        %5 = pto.tile.load.map %w[%m, %n, %at] by <"{ [i0, i1, i2] -> [(0), (i2), (i1)] }"> in [16, 8, 32] dims [2, 1] : memref<2x32x8xbf16> -> tile<16x8xbf16, #pto.tile_info<loc=Mat>>
        %6 = pto.tile.load.map %x[%m, %n, %at] by <"{ [i0, i1, i2] -> [(1), (i0), (i2)] }"> in [16, 8, 32] dims [0, 2] : memref<2x16x32xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        %7 = pto.tile.load.map %w[%m, %n, %at] by <"{ [i0, i1, i2] -> [(1), (i2), (i1)] }"> in [16, 8, 32] dims [2, 1] : memref<2x32x8xbf16> -> tile<16x8xbf16, #pto.tile_info<loc=Mat>>
        pto.channel.commit %ring, %4, %5, %6, %7 : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x8xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x8xbf16, #pto.tile_info<loc=Mat>>]>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x8xbf16, #pto.tile_info<loc=Mat>>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x8xbf16, #pto.tile_info<loc=Mat>>
      }
    }
    %8 = pto.tile.expands 0.000000e+00 : f32 : tile<16x8xf32, #pto.tile_info<loc=Acc>>
    %9 = pto.tile.expands 0.000000e+00 : f32 : tile<16x8xf32, #pto.tile_info<loc=Acc>>
    %10, %11 = scf.for %k_1 = %1 to %2 step %3 iter_args(%12 = %8, %13 = %9) -> (!pto.tile<16x8xf32, #pto.tile_info<loc=Acc>>, !pto.tile<16x8xf32, #pto.tile_info<loc=Acc>>) {
      %14, %15, %16, %17 = pto.channel.wait %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x8xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x8xbf16, #pto.tile_info<loc=Mat>>]> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x8xbf16, #pto.tile_info<loc=Mat>>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x8xbf16, #pto.tile_info<loc=Mat>>
      %18 = pto.tile.mov.m2l %14 : tile<16x16xbf16, #pto.tile_info<loc=Mat>> -> tile<16x16xbf16, #pto.tile_info<loc=Left>>
      %19 = pto.tile.mov.m2r %15 : tile<16x8xbf16, #pto.tile_info<loc=Mat>> -> tile<16x8xbf16, #pto.tile_info<loc=Right>>
      %20 = pto.tile.matmul.acc %12, %18, %19 : tile<16x8xf32, #pto.tile_info<loc=Acc>>, tile<16x16xbf16, #pto.tile_info<loc=Left>>, tile<16x8xbf16, #pto.tile_info<loc=Right>> -> tile<16x8xf32, #pto.tile_info<loc=Acc>>
      %21 = pto.tile.mov.m2l %16 : tile<16x16xbf16, #pto.tile_info<loc=Mat>> -> tile<16x16xbf16, #pto.tile_info<loc=Left>>
      %22 = pto.tile.mov.m2r %17 : tile<16x8xbf16, #pto.tile_info<loc=Mat>> -> tile<16x8xbf16, #pto.tile_info<loc=Right>>
      // expected-error@+1 {{a split of several accumulators is not supported yet}}
      %23 = pto.tile.matmul.acc %13, %21, %22 : tile<16x8xf32, #pto.tile_info<loc=Acc>>, tile<16x16xbf16, #pto.tile_info<loc=Left>>, tile<16x8xbf16, #pto.tile_info<loc=Right>> -> tile<16x8xf32, #pto.tile_info<loc=Acc>>
      pto.channel.release %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x8xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x8xbf16, #pto.tile_info<loc=Mat>>]>
      scf.yield %20, %23 : !pto.tile<16x8xf32, #pto.tile_info<loc=Acc>>, !pto.tile<16x8xf32, #pto.tile_info<loc=Acc>>
    }
    pto.combine serial %10 across %s in %workspace counters %counters : tile<16x8xf32, #pto.tile_info<loc=Acc>>, memref<1x16x8xf32>, memref<1xi32> {
    ^bb0(%sum: !pto.tile<16x8xf32, #pto.tile_info<loc=Acc>>):
      %24 = pto.tile.mov.a2v %sum : tile<16x8xf32, #pto.tile_info<loc=Acc>> -> tile<16x8xf32>
      pto.tile.store.map %24, %0[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [16, 8] dims [0, 1] : tile<16x8xf32>, memref<16x8xf32>
    }
    %25 = pto.tile.mov.a2v %11 : tile<16x8xf32, #pto.tile_info<loc=Acc>> -> tile<16x8xf32>
  }
}

// -----

pto.kernel @products_0(%x: memref<2x64x64xbf16> align 16, %w: memref<2x64x64xbf16> align 16) -> (%0: memref<64x64xf32> align 256 gmem) plan #plan.schedule<{arch = "sm90", tile = [64, 64, 64], stages = 3, warp_tile = "64x64", roles = "cooperative", cache = [{tensor = "A", where = "smem", at = "k.i", pingpong = true}, {tensor = "B", where = "smem", at = "k.i", pingpong = true}], vectorize = {axis = "n.i.i", width = 8}, epilogue = ["mul"], layout_hints = {A_swizzle = true, B_swizzle = true, C_stride = "row"}, algo_choice = {matmul = "implicit_gemm"}, local_edges = [{from = "sum", to = "mul", buffer = "reg"}]}> {
  pto.tiles (%m, %n) in [64, 64] step [64, 64] {
    %ring = pto.channel : !pto.channel<3, [!pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>]>
    %1 = arith.constant 0 : index
    %2 = arith.constant 64 : index
    %3 = arith.constant 64 : index
    pto.process {
      scf.for %k = %1 to %2 step %3 {
        pto.channel.acquire %ring : !pto.channel<3, [!pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>]>
        %4 = pto.tile.load.map %x[%m, %n, %k] by <"{ [i0, i1, i2] -> [(0), (i0), (i2)] }"> in [64, 64, 64] dims [0, 2] : memref<2x64x64xbf16> -> tile<64x64xbf16, #pto.tile_info<loc=Mat>>
        %5 = pto.tile.load.map %w[%m, %n, %k] by <"{ [i0, i1, i2] -> [(0), (i2), (i1)] }"> in [64, 64, 64] dims [2, 1] : memref<2x64x64xbf16> -> tile<64x64xbf16, #pto.tile_info<loc=Mat>>
        %6 = pto.tile.load.map %x[%m, %n, %k] by <"{ [i0, i1, i2] -> [(1), (i0), (i2)] }"> in [64, 64, 64] dims [0, 2] : memref<2x64x64xbf16> -> tile<64x64xbf16, #pto.tile_info<loc=Mat>>
        %7 = pto.tile.load.map %w[%m, %n, %k] by <"{ [i0, i1, i2] -> [(1), (i2), (i1)] }"> in [64, 64, 64] dims [2, 1] : memref<2x64x64xbf16> -> tile<64x64xbf16, #pto.tile_info<loc=Mat>>
        pto.channel.commit %ring, %4, %5, %6, %7 : !pto.channel<3, [!pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>]>, tile<64x64xbf16, #pto.tile_info<loc=Mat>>, tile<64x64xbf16, #pto.tile_info<loc=Mat>>, tile<64x64xbf16, #pto.tile_info<loc=Mat>>, tile<64x64xbf16, #pto.tile_info<loc=Mat>>
      }
    }
    %8 = pto.tile.expands 0.000000e+00 : f32 : tile<64x64xf32, #pto.tile_info<loc=Acc>>
    %9 = pto.tile.expands 0.000000e+00 : f32 : tile<64x64xf32, #pto.tile_info<loc=Acc>>
    %10, %11 = scf.for %k_1 = %1 to %2 step %3 iter_args(%12 = %8, %13 = %9) -> (!pto.tile<64x64xf32, #pto.tile_info<loc=Acc>>, !pto.tile<64x64xf32, #pto.tile_info<loc=Acc>>) {
      %14, %15, %16, %17 = pto.channel.wait %ring : !pto.channel<3, [!pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>]> -> tile<64x64xbf16, #pto.tile_info<loc=Mat>>, tile<64x64xbf16, #pto.tile_info<loc=Mat>>, tile<64x64xbf16, #pto.tile_info<loc=Mat>>, tile<64x64xbf16, #pto.tile_info<loc=Mat>>
      %18 = pto.tile.mov.m2l %14 : tile<64x64xbf16, #pto.tile_info<loc=Mat>> -> tile<64x64xbf16, #pto.tile_info<loc=Left>>
      %19 = pto.tile.mov.m2r %15 : tile<64x64xbf16, #pto.tile_info<loc=Mat>> -> tile<64x64xbf16, #pto.tile_info<loc=Right>>
      %20 = pto.tile.matmul.acc %12, %18, %19 : tile<64x64xf32, #pto.tile_info<loc=Acc>>, tile<64x64xbf16, #pto.tile_info<loc=Left>>, tile<64x64xbf16, #pto.tile_info<loc=Right>> -> tile<64x64xf32, #pto.tile_info<loc=Acc>>
      %21 = pto.tile.mov.m2l %16 : tile<64x64xbf16, #pto.tile_info<loc=Mat>> -> tile<64x64xbf16, #pto.tile_info<loc=Left>>
      %22 = pto.tile.mov.m2r %17 : tile<64x64xbf16, #pto.tile_info<loc=Mat>> -> tile<64x64xbf16, #pto.tile_info<loc=Right>>
      // expected-error@+1 {{a second accumulator of warpgroups is not supported yet}}
      %23 = pto.tile.matmul.acc %13, %21, %22 : tile<64x64xf32, #pto.tile_info<loc=Acc>>, tile<64x64xbf16, #pto.tile_info<loc=Left>>, tile<64x64xbf16, #pto.tile_info<loc=Right>> -> tile<64x64xf32, #pto.tile_info<loc=Acc>>
      pto.channel.release %ring : !pto.channel<3, [!pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>]>
      scf.yield %20, %23 : !pto.tile<64x64xf32, #pto.tile_info<loc=Acc>>, !pto.tile<64x64xf32, #pto.tile_info<loc=Acc>>
    }
    %24 = pto.tile.mov.a2v %10 : tile<64x64xf32, #pto.tile_info<loc=Acc>> -> tile<64x64xf32>
    %25 = pto.tile.mov.a2v %11 : tile<64x64xf32, #pto.tile_info<loc=Acc>> -> tile<64x64xf32>
    %26 = pto.tile.mul %24, %25 : tile<64x64xf32>
    pto.tile.store.map %26, %0[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [64, 64] dims [0, 1] : tile<64x64xf32>, memref<64x64xf32>
  }
}

// -----

// The products have the same types.

pto.kernel @products_0(%x: memref<2x16x16xbf16> align 16, %w: memref<2x16x8xbf16> align 16, %x1: memref<2x16x16xf16> align 16, %w1: memref<2x16x8xf16> align 16) -> (%0: memref<16x8xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 8, 16], stages = 2, warp_tile = "16x8", bind = {m.o = "block.y", n.o = "block.x", m.i.o = "warp.y", n.i.o = "warp.x"}, cache = [{tensor = "A", where = "smem", at = "k.i", pingpong = true}, {tensor = "B", where = "smem", at = "k.i", pingpong = true}], vectorize = {axis = "n.i.i", width = 2}, epilogue = ["mul"], layout_hints = {A_swizzle = true, B_swizzle = true, C_stride = "row"}, algo_choice = {matmul = "implicit_gemm"}, local_edges = [{from = "sum", to = "mul", buffer = "reg"}]}> {
  pto.tiles (%m, %n) in [16, 8] step [16, 8] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x8xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x8xf16, #pto.tile_info<loc=Mat>>]>
    %1 = arith.constant 0 : index
    %2 = arith.constant 16 : index
    %3 = arith.constant 16 : index
    pto.process {
      scf.for %k = %1 to %2 step %3 {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x8xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x8xf16, #pto.tile_info<loc=Mat>>]>
        %4 = pto.tile.load.map %x[%m, %n, %k] by <"{ [i0, i1, i2] -> [(0), (i0), (i2)] }"> in [16, 8, 16] dims [0, 2] : memref<2x16x16xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        %5 = pto.tile.load.map %w[%m, %n, %k] by <"{ [i0, i1, i2] -> [(0), (i2), (i1)] }"> in [16, 8, 16] dims [2, 1] : memref<2x16x8xbf16> -> tile<16x8xbf16, #pto.tile_info<loc=Mat>>
        %6 = pto.tile.load.map %x1[%m, %n, %k] by <"{ [i0, i1, i2] -> [(1), (i0), (i2)] }"> in [16, 8, 16] dims [0, 2] : memref<2x16x16xf16> -> tile<16x16xf16, #pto.tile_info<loc=Mat>>
        %7 = pto.tile.load.map %w1[%m, %n, %k] by <"{ [i0, i1, i2] -> [(1), (i2), (i1)] }"> in [16, 8, 16] dims [2, 1] : memref<2x16x8xf16> -> tile<16x8xf16, #pto.tile_info<loc=Mat>>
        pto.channel.commit %ring, %4, %5, %6, %7 : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x8xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x8xf16, #pto.tile_info<loc=Mat>>]>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x8xbf16, #pto.tile_info<loc=Mat>>, tile<16x16xf16, #pto.tile_info<loc=Mat>>, tile<16x8xf16, #pto.tile_info<loc=Mat>>
      }
    }
    %8 = pto.tile.expands 0.000000e+00 : f32 : tile<16x8xf32, #pto.tile_info<loc=Acc>>
    %9 = pto.tile.expands 0.000000e+00 : f32 : tile<16x8xf32, #pto.tile_info<loc=Acc>>
    // expected-error@+1 {{2 of pto.tile.matmul.acc here is not supported yet}}
    %10, %11 = scf.for %k_1 = %1 to %2 step %3 iter_args(%12 = %8, %13 = %9) -> (!pto.tile<16x8xf32, #pto.tile_info<loc=Acc>>, !pto.tile<16x8xf32, #pto.tile_info<loc=Acc>>) {
      %14, %15, %16, %17 = pto.channel.wait %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x8xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x8xf16, #pto.tile_info<loc=Mat>>]> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x8xbf16, #pto.tile_info<loc=Mat>>, tile<16x16xf16, #pto.tile_info<loc=Mat>>, tile<16x8xf16, #pto.tile_info<loc=Mat>>
      %18 = pto.tile.mov.m2l %14 : tile<16x16xbf16, #pto.tile_info<loc=Mat>> -> tile<16x16xbf16, #pto.tile_info<loc=Left>>
      %19 = pto.tile.mov.m2r %15 : tile<16x8xbf16, #pto.tile_info<loc=Mat>> -> tile<16x8xbf16, #pto.tile_info<loc=Right>>
      %20 = pto.tile.matmul.acc %12, %18, %19 : tile<16x8xf32, #pto.tile_info<loc=Acc>>, tile<16x16xbf16, #pto.tile_info<loc=Left>>, tile<16x8xbf16, #pto.tile_info<loc=Right>> -> tile<16x8xf32, #pto.tile_info<loc=Acc>>
      %21 = pto.tile.mov.m2l %16 : tile<16x16xf16, #pto.tile_info<loc=Mat>> -> tile<16x16xf16, #pto.tile_info<loc=Left>>
      %22 = pto.tile.mov.m2r %17 : tile<16x8xf16, #pto.tile_info<loc=Mat>> -> tile<16x8xf16, #pto.tile_info<loc=Right>>
      %23 = pto.tile.matmul.acc %13, %21, %22 : tile<16x8xf32, #pto.tile_info<loc=Acc>>, tile<16x16xf16, #pto.tile_info<loc=Left>>, tile<16x8xf16, #pto.tile_info<loc=Right>> -> tile<16x8xf32, #pto.tile_info<loc=Acc>>
      pto.channel.release %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x8xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x8xf16, #pto.tile_info<loc=Mat>>]>
      scf.yield %20, %23 : !pto.tile<16x8xf32, #pto.tile_info<loc=Acc>>, !pto.tile<16x8xf32, #pto.tile_info<loc=Acc>>
    }
    %24 = pto.tile.mov.a2v %10 : tile<16x8xf32, #pto.tile_info<loc=Acc>> -> tile<16x8xf32>
    %25 = pto.tile.mov.a2v %11 : tile<16x8xf32, #pto.tile_info<loc=Acc>> -> tile<16x8xf32>
    %26 = pto.tile.mul %24, %25 : tile<16x8xf32>
    pto.tile.store.map %26, %0[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [16, 8] dims [0, 1] : tile<16x8xf32>, memref<16x8xf32>
  }
}
