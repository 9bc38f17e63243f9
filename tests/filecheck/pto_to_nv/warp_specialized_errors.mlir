// RUN: ptir-opt %s -p pto-to-nv --split-input-file --verify-diagnostics

// Roles are for what wgmma multiplies.

pto.kernel @g_0(%x: memref<64x64xf64> align 16, %w: memref<64x64xf64> align 16) -> (%0: memref<64x64xf64> align 256 gmem) plan #plan.schedule<{arch = "sm90", tile = [64, 64, 64], stages = 3, warp_tile = "64x64", roles = "cooperative", cache = [{tensor = "A", where = "smem", at = "k.i", pingpong = true}, {tensor = "B", where = "smem", at = "k.i", pingpong = true}], vectorize = {axis = "n.i.i", width = 8}, layout_hints = {A_swizzle = true, B_swizzle = true, C_stride = "row"}, algo_choice = {matmul = "implicit_gemm"}}> {
  pto.tiles (%m, %n) in [64, 64] step [64, 64] {
    %ring = pto.channel : !pto.channel<3, [!pto.tile<64x64xf64, #pto.tile_info<loc=Mat>>, !pto.tile<64x64xf64, #pto.tile_info<loc=Mat, layout=DN>>]>
    %1 = arith.constant 0 : index
    %2 = arith.constant 64 : index
    %3 = arith.constant 64 : index
    pto.process {
      scf.for %k = %1 to %2 step %3 {
        pto.channel.acquire %ring : !pto.channel<3, [!pto.tile<64x64xf64, #pto.tile_info<loc=Mat>>, !pto.tile<64x64xf64, #pto.tile_info<loc=Mat, layout=DN>>]>
        %4 = pto.tile.load.map %x[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [64, 64, 64] dims [0, 2] : memref<64x64xf64> -> tile<64x64xf64, #pto.tile_info<loc=Mat>>
        %5 = pto.tile.load.map %w[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i1), (i2)] }"> in [64, 64, 64] dims [2, 1] : memref<64x64xf64> -> tile<64x64xf64, #pto.tile_info<loc=Mat, layout=DN>>
        pto.channel.commit %ring, %4, %5 : !pto.channel<3, [!pto.tile<64x64xf64, #pto.tile_info<loc=Mat>>, !pto.tile<64x64xf64, #pto.tile_info<loc=Mat, layout=DN>>]>, tile<64x64xf64, #pto.tile_info<loc=Mat>>, tile<64x64xf64, #pto.tile_info<loc=Mat, layout=DN>>
      }
    }
    %6 = pto.tile.expands 0.000000e+00 : f64 : tile<64x64xf64, #pto.tile_info<loc=Acc>>
    %7 = scf.for %k_1 = %1 to %2 step %3 iter_args(%8 = %6) -> (!pto.tile<64x64xf64, #pto.tile_info<loc=Acc>>) {
      %9, %10 = pto.channel.wait %ring : !pto.channel<3, [!pto.tile<64x64xf64, #pto.tile_info<loc=Mat>>, !pto.tile<64x64xf64, #pto.tile_info<loc=Mat, layout=DN>>]> -> tile<64x64xf64, #pto.tile_info<loc=Mat>>, tile<64x64xf64, #pto.tile_info<loc=Mat, layout=DN>>
      %11 = pto.tile.mov.m2l %9 : tile<64x64xf64, #pto.tile_info<loc=Mat>> -> tile<64x64xf64, #pto.tile_info<loc=Left>>
      %12 = pto.tile.mov.m2r %10 : tile<64x64xf64, #pto.tile_info<loc=Mat, layout=DN>> -> tile<64x64xf64, #pto.tile_info<loc=Right>>
      // expected-error@+1 {{a wgmma of f64 and f64 into f64 is not supported yet}}
      %13 = pto.tile.matmul.acc %8, %11, %12 : tile<64x64xf64, #pto.tile_info<loc=Acc>>, tile<64x64xf64, #pto.tile_info<loc=Left>>, tile<64x64xf64, #pto.tile_info<loc=Right>> -> tile<64x64xf64, #pto.tile_info<loc=Acc>>
      pto.channel.release %ring : !pto.channel<3, [!pto.tile<64x64xf64, #pto.tile_info<loc=Mat>>, !pto.tile<64x64xf64, #pto.tile_info<loc=Mat, layout=DN>>]>
      scf.yield %13 : !pto.tile<64x64xf64, #pto.tile_info<loc=Acc>>
    }
    %14 = pto.tile.mov.a2v %7 : tile<64x64xf64, #pto.tile_info<loc=Acc>> -> tile<64x64xf64>
    pto.tile.store.map %14, %0[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [64, 64] dims [0, 1] : tile<64x64xf64>, memref<64x64xf64>
  }
}

// -----

// A warpgroup that has its turn cannot wait for other blocks.

// expected-error@+1 {{the plan of @g_0 does not fit it: roles is pingpong, whose warpgroups cannot wait for other blocks}}
pto.kernel @g_0(%x: memref<64x256xbf16> align 16, %w: memref<64x256xbf16> align 16) -> (%0: memref<64x64xf32> align 256 gmem, %workspace: memref<1x64x64xf32> align 16 workspace, %counters: memref<1xi32> align 16 counters) plan #plan.schedule<{arch = "sm90", tile = [64, 64, 64], stages = 3, warp_tile = "64x64", roles = "pingpong", split = 2, cache = [{tensor = "A", where = "smem", at = "k.i", pingpong = true}, {tensor = "B", where = "smem", at = "k.i", pingpong = true}], vectorize = {axis = "n.i.i", width = 8}, layout_hints = {A_swizzle = true, B_swizzle = true, C_stride = "row"}, algo_choice = {matmul = "splitk_serial"}}> {
  pto.tiles (%m, %n) in [64, 64] step [64, 64] split %s of 2 {
    %ring = pto.channel : !pto.channel<3, [!pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x64xbf16, #pto.tile_info<loc=Mat, layout=DN>>]>
    %1 = arith.constant 0 : index
    %2 = arith.constant 128 : index
    %3 = arith.constant 64 : index
    %first = arith.muli %s, %2 : index
    pto.process {
      scf.for %k = %1 to %2 step %3 {
        pto.channel.acquire %ring : !pto.channel<3, [!pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x64xbf16, #pto.tile_info<loc=Mat, layout=DN>>]>
        %at = arith.addi %first, %k : index
        %4 = pto.tile.load.map %x[%m, %n, %at] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [64, 64, 256] dims [0, 2] : memref<64x256xbf16> -> tile<64x64xbf16, #pto.tile_info<loc=Mat>>
        %5 = pto.tile.load.map %w[%m, %n, %at] by <"{ [i0, i1, i2] -> [(i1), (i2)] }"> in [64, 64, 256] dims [2, 1] : memref<64x256xbf16> -> tile<64x64xbf16, #pto.tile_info<loc=Mat, layout=DN>>
        pto.channel.commit %ring, %4, %5 : !pto.channel<3, [!pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x64xbf16, #pto.tile_info<loc=Mat, layout=DN>>]>, tile<64x64xbf16, #pto.tile_info<loc=Mat>>, tile<64x64xbf16, #pto.tile_info<loc=Mat, layout=DN>>
      }
    }
    %6 = pto.tile.expands 0.000000e+00 : f32 : tile<64x64xf32, #pto.tile_info<loc=Acc>>
    %7 = scf.for %k_1 = %1 to %2 step %3 iter_args(%8 = %6) -> (!pto.tile<64x64xf32, #pto.tile_info<loc=Acc>>) {
      %9, %10 = pto.channel.wait %ring : !pto.channel<3, [!pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x64xbf16, #pto.tile_info<loc=Mat, layout=DN>>]> -> tile<64x64xbf16, #pto.tile_info<loc=Mat>>, tile<64x64xbf16, #pto.tile_info<loc=Mat, layout=DN>>
      %11 = pto.tile.mov.m2l %9 : tile<64x64xbf16, #pto.tile_info<loc=Mat>> -> tile<64x64xbf16, #pto.tile_info<loc=Left>>
      %12 = pto.tile.mov.m2r %10 : tile<64x64xbf16, #pto.tile_info<loc=Mat, layout=DN>> -> tile<64x64xbf16, #pto.tile_info<loc=Right>>
      %13 = pto.tile.matmul.acc %8, %11, %12 : tile<64x64xf32, #pto.tile_info<loc=Acc>>, tile<64x64xbf16, #pto.tile_info<loc=Left>>, tile<64x64xbf16, #pto.tile_info<loc=Right>> -> tile<64x64xf32, #pto.tile_info<loc=Acc>>
      pto.channel.release %ring : !pto.channel<3, [!pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x64xbf16, #pto.tile_info<loc=Mat, layout=DN>>]>
      scf.yield %13 : !pto.tile<64x64xf32, #pto.tile_info<loc=Acc>>
    }
    pto.combine serial %7 across %s in %workspace counters %counters : tile<64x64xf32, #pto.tile_info<loc=Acc>>, memref<1x64x64xf32>, memref<1xi32> {
    ^bb0(%sum: !pto.tile<64x64xf32, #pto.tile_info<loc=Acc>>):
      %14 = pto.tile.mov.a2v %sum : tile<64x64xf32, #pto.tile_info<loc=Acc>> -> tile<64x64xf32>
      pto.tile.store.map %14, %0[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [64, 64] dims [0, 1] : tile<64x64xf32>, memref<64x64xf32>
    }
  }
}

// -----

// Nor share tiles.

// expected-error@+1 {{the plan of @g_0 does not fit it: roles is pingpong, whose warpgroups cannot wait for other blocks}}
pto.kernel @g_0(%x: memref<64x256xbf16> align 16, %w: memref<64x256xbf16> align 16) -> (%0: memref<64x64xf32> align 256 gmem) plan #plan.schedule<{arch = "sm90", tile = [64, 64, 64], stages = 3, warp_tile = "64x64", roles = "pingpong", cache = [{tensor = "A", where = "smem", at = "k.i", pingpong = true}, {tensor = "B", where = "smem", at = "k.i", pingpong = true}], vectorize = {axis = "n.i.i", width = 8}, layout_hints = {A_swizzle = true, B_swizzle = true, C_stride = "row"}, algo_choice = {matmul = "stream_k"}}> {
  pto.tiles (%m, %n) in [64, 64] step [64, 64] {
    %ring = pto.channel : !pto.channel<3, [!pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x64xbf16, #pto.tile_info<loc=Mat, layout=DN>>]>
    %1 = arith.constant 0 : index
    %2 = arith.constant 256 : index
    %3 = arith.constant 64 : index
    pto.process {
      scf.for %k = %1 to %2 step %3 {
        pto.channel.acquire %ring : !pto.channel<3, [!pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x64xbf16, #pto.tile_info<loc=Mat, layout=DN>>]>
        %4 = pto.tile.load.map %x[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [64, 64, 256] dims [0, 2] : memref<64x256xbf16> -> tile<64x64xbf16, #pto.tile_info<loc=Mat>>
        %5 = pto.tile.load.map %w[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i1), (i2)] }"> in [64, 64, 256] dims [2, 1] : memref<64x256xbf16> -> tile<64x64xbf16, #pto.tile_info<loc=Mat, layout=DN>>
        pto.channel.commit %ring, %4, %5 : !pto.channel<3, [!pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x64xbf16, #pto.tile_info<loc=Mat, layout=DN>>]>, tile<64x64xbf16, #pto.tile_info<loc=Mat>>, tile<64x64xbf16, #pto.tile_info<loc=Mat, layout=DN>>
      }
    }
    %6 = pto.tile.expands 0.000000e+00 : f32 : tile<64x64xf32, #pto.tile_info<loc=Acc>>
    %7 = scf.for %k_1 = %1 to %2 step %3 iter_args(%8 = %6) -> (!pto.tile<64x64xf32, #pto.tile_info<loc=Acc>>) {
      %9, %10 = pto.channel.wait %ring : !pto.channel<3, [!pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x64xbf16, #pto.tile_info<loc=Mat, layout=DN>>]> -> tile<64x64xbf16, #pto.tile_info<loc=Mat>>, tile<64x64xbf16, #pto.tile_info<loc=Mat, layout=DN>>
      %11 = pto.tile.mov.m2l %9 : tile<64x64xbf16, #pto.tile_info<loc=Mat>> -> tile<64x64xbf16, #pto.tile_info<loc=Left>>
      %12 = pto.tile.mov.m2r %10 : tile<64x64xbf16, #pto.tile_info<loc=Mat, layout=DN>> -> tile<64x64xbf16, #pto.tile_info<loc=Right>>
      %13 = pto.tile.matmul.acc %8, %11, %12 : tile<64x64xf32, #pto.tile_info<loc=Acc>>, tile<64x64xbf16, #pto.tile_info<loc=Left>>, tile<64x64xbf16, #pto.tile_info<loc=Right>> -> tile<64x64xf32, #pto.tile_info<loc=Acc>>
      pto.channel.release %ring : !pto.channel<3, [!pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x64xbf16, #pto.tile_info<loc=Mat, layout=DN>>]>
      scf.yield %13 : !pto.tile<64x64xf32, #pto.tile_info<loc=Acc>>
    }
    %14 = pto.tile.mov.a2v %7 : tile<64x64xf32, #pto.tile_info<loc=Acc>> -> tile<64x64xf32>
    pto.tile.store.map %14, %0[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [64, 64] dims [0, 1] : tile<64x64xf32>, memref<64x64xf32>
  }
}

// -----

// A cluster beyond the end of the tiles has no place for its sums.

// expected-error@+1 {{the plan of @g_0 does not fit it: cluster [2, 1] does not divide the 3x1 tiles, whose accumulators are shared}}
pto.kernel @g_0(%x: memref<192x256xbf16> align 16, %w: memref<64x256xbf16> align 16) -> (%0: memref<192x64xf32> align 256 gmem, %workspace: memref<3x64x64xf32> align 16 workspace, %counters: memref<3xi32> align 16 counters) plan #plan.schedule<{arch = "sm90", tile = [64, 64, 64], stages = 3, warp_tile = "64x64", roles = "cooperative", cluster = [2, 1], split = 2, cache = [{tensor = "A", where = "smem", at = "k.i", pingpong = true}, {tensor = "B", where = "smem", at = "k.i", pingpong = true}], vectorize = {axis = "n.i.i", width = 8}, layout_hints = {A_swizzle = true, B_swizzle = true, C_stride = "row"}, algo_choice = {matmul = "splitk_serial"}}> {
  pto.tiles (%m, %n) in [192, 64] step [64, 64] split %s of 2 {
    %ring = pto.channel : !pto.channel<3, [!pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x64xbf16, #pto.tile_info<loc=Mat, layout=DN>>]>
    %1 = arith.constant 0 : index
    %2 = arith.constant 128 : index
    %3 = arith.constant 64 : index
    %first = arith.muli %s, %2 : index
    pto.process {
      scf.for %k = %1 to %2 step %3 {
        pto.channel.acquire %ring : !pto.channel<3, [!pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x64xbf16, #pto.tile_info<loc=Mat, layout=DN>>]>
        %at = arith.addi %first, %k : index
        %4 = pto.tile.load.map %x[%m, %n, %at] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [192, 64, 256] dims [0, 2] : memref<192x256xbf16> -> tile<64x64xbf16, #pto.tile_info<loc=Mat>>
        %5 = pto.tile.load.map %w[%m, %n, %at] by <"{ [i0, i1, i2] -> [(i1), (i2)] }"> in [192, 64, 256] dims [2, 1] : memref<64x256xbf16> -> tile<64x64xbf16, #pto.tile_info<loc=Mat, layout=DN>>
        pto.channel.commit %ring, %4, %5 : !pto.channel<3, [!pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x64xbf16, #pto.tile_info<loc=Mat, layout=DN>>]>, tile<64x64xbf16, #pto.tile_info<loc=Mat>>, tile<64x64xbf16, #pto.tile_info<loc=Mat, layout=DN>>
      }
    }
    %6 = pto.tile.expands 0.000000e+00 : f32 : tile<64x64xf32, #pto.tile_info<loc=Acc>>
    %7 = scf.for %k_1 = %1 to %2 step %3 iter_args(%8 = %6) -> (!pto.tile<64x64xf32, #pto.tile_info<loc=Acc>>) {
      %9, %10 = pto.channel.wait %ring : !pto.channel<3, [!pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x64xbf16, #pto.tile_info<loc=Mat, layout=DN>>]> -> tile<64x64xbf16, #pto.tile_info<loc=Mat>>, tile<64x64xbf16, #pto.tile_info<loc=Mat, layout=DN>>
      %11 = pto.tile.mov.m2l %9 : tile<64x64xbf16, #pto.tile_info<loc=Mat>> -> tile<64x64xbf16, #pto.tile_info<loc=Left>>
      %12 = pto.tile.mov.m2r %10 : tile<64x64xbf16, #pto.tile_info<loc=Mat, layout=DN>> -> tile<64x64xbf16, #pto.tile_info<loc=Right>>
      %13 = pto.tile.matmul.acc %8, %11, %12 : tile<64x64xf32, #pto.tile_info<loc=Acc>>, tile<64x64xbf16, #pto.tile_info<loc=Left>>, tile<64x64xbf16, #pto.tile_info<loc=Right>> -> tile<64x64xf32, #pto.tile_info<loc=Acc>>
      pto.channel.release %ring : !pto.channel<3, [!pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x64xbf16, #pto.tile_info<loc=Mat, layout=DN>>]>
      scf.yield %13 : !pto.tile<64x64xf32, #pto.tile_info<loc=Acc>>
    }
    pto.combine serial %7 across %s in %workspace counters %counters : tile<64x64xf32, #pto.tile_info<loc=Acc>>, memref<3x64x64xf32>, memref<3xi32> {
    ^bb0(%sum: !pto.tile<64x64xf32, #pto.tile_info<loc=Acc>>):
      %14 = pto.tile.mov.a2v %sum : tile<64x64xf32, #pto.tile_info<loc=Acc>> -> tile<64x64xf32>
      pto.tile.store.map %14, %0[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [192, 64] dims [0, 1] : tile<64x64xf32>, memref<192x64xf32>
    }
  }
}

// -----

// Nor for parts of its tiles.

// expected-error@+1 {{the plan of @g_0 does not fit it: cluster [1, 2] does not divide the 1x1 tiles, whose accumulators are shared}}
pto.kernel @g_0(%x: memref<64x256xbf16> align 16, %w: memref<64x256xbf16> align 16) -> (%0: memref<64x64xf32> align 256 gmem) plan #plan.schedule<{arch = "sm90", tile = [64, 64, 64], stages = 3, warp_tile = "64x64", roles = "cooperative", cluster = [1, 2], cache = [{tensor = "A", where = "smem", at = "k.i", pingpong = true}, {tensor = "B", where = "smem", at = "k.i", pingpong = true}], vectorize = {axis = "n.i.i", width = 8}, layout_hints = {A_swizzle = true, B_swizzle = true, C_stride = "row"}, algo_choice = {matmul = "stream_k"}}> {
  pto.tiles (%m, %n) in [64, 64] step [64, 64] {
    %ring = pto.channel : !pto.channel<3, [!pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x64xbf16, #pto.tile_info<loc=Mat, layout=DN>>]>
    %1 = arith.constant 0 : index
    %2 = arith.constant 256 : index
    %3 = arith.constant 64 : index
    pto.process {
      scf.for %k = %1 to %2 step %3 {
        pto.channel.acquire %ring : !pto.channel<3, [!pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x64xbf16, #pto.tile_info<loc=Mat, layout=DN>>]>
        %4 = pto.tile.load.map %x[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [64, 64, 256] dims [0, 2] : memref<64x256xbf16> -> tile<64x64xbf16, #pto.tile_info<loc=Mat>>
        %5 = pto.tile.load.map %w[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i1), (i2)] }"> in [64, 64, 256] dims [2, 1] : memref<64x256xbf16> -> tile<64x64xbf16, #pto.tile_info<loc=Mat, layout=DN>>
        pto.channel.commit %ring, %4, %5 : !pto.channel<3, [!pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x64xbf16, #pto.tile_info<loc=Mat, layout=DN>>]>, tile<64x64xbf16, #pto.tile_info<loc=Mat>>, tile<64x64xbf16, #pto.tile_info<loc=Mat, layout=DN>>
      }
    }
    %6 = pto.tile.expands 0.000000e+00 : f32 : tile<64x64xf32, #pto.tile_info<loc=Acc>>
    %7 = scf.for %k_1 = %1 to %2 step %3 iter_args(%8 = %6) -> (!pto.tile<64x64xf32, #pto.tile_info<loc=Acc>>) {
      %9, %10 = pto.channel.wait %ring : !pto.channel<3, [!pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x64xbf16, #pto.tile_info<loc=Mat, layout=DN>>]> -> tile<64x64xbf16, #pto.tile_info<loc=Mat>>, tile<64x64xbf16, #pto.tile_info<loc=Mat, layout=DN>>
      %11 = pto.tile.mov.m2l %9 : tile<64x64xbf16, #pto.tile_info<loc=Mat>> -> tile<64x64xbf16, #pto.tile_info<loc=Left>>
      %12 = pto.tile.mov.m2r %10 : tile<64x64xbf16, #pto.tile_info<loc=Mat, layout=DN>> -> tile<64x64xbf16, #pto.tile_info<loc=Right>>
      %13 = pto.tile.matmul.acc %8, %11, %12 : tile<64x64xf32, #pto.tile_info<loc=Acc>>, tile<64x64xbf16, #pto.tile_info<loc=Left>>, tile<64x64xbf16, #pto.tile_info<loc=Right>> -> tile<64x64xf32, #pto.tile_info<loc=Acc>>
      pto.channel.release %ring : !pto.channel<3, [!pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x64xbf16, #pto.tile_info<loc=Mat, layout=DN>>]>
      scf.yield %13 : !pto.tile<64x64xf32, #pto.tile_info<loc=Acc>>
    }
    %14 = pto.tile.mov.a2v %7 : tile<64x64xf32, #pto.tile_info<loc=Acc>> -> tile<64x64xf32>
    pto.tile.store.map %14, %0[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [64, 64] dims [0, 1] : tile<64x64xf32>, memref<64x64xf32>
  }
}

// -----

// Nothing is multiplied, and nobody would wait for what nobody sends.

pto.kernel @g_0(%x: memref<64x64xbf16> align 16, %w: memref<64x64xbf16> align 16) -> (%0: memref<64x64xf32> align 256 gmem) plan #plan.schedule<{arch = "sm90", tile = [64, 64, 64], stages = 3, warp_tile = "64x64", roles = "cooperative", cache = [{tensor = "A", where = "smem", at = "k.i", pingpong = true}, {tensor = "B", where = "smem", at = "k.i", pingpong = true}], vectorize = {axis = "n.i.i", width = 8}, layout_hints = {A_swizzle = true, B_swizzle = true, C_stride = "row"}, algo_choice = {matmul = "implicit_gemm"}}> {
  pto.tiles (%m, %n) in [64, 64] step [64, 64] {
    %ring = pto.channel : !pto.channel<3, [!pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x64xbf16, #pto.tile_info<loc=Mat, layout=DN>>]>
    %1 = arith.constant 0 : index
    %2 = arith.constant 0 : index
    %3 = arith.constant 64 : index
    pto.process {
      scf.for %k = %1 to %2 step %3 {
        pto.channel.acquire %ring : !pto.channel<3, [!pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x64xbf16, #pto.tile_info<loc=Mat, layout=DN>>]>
        %4 = pto.tile.load.map %x[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [64, 64, 64] dims [0, 2] : memref<64x64xbf16> -> tile<64x64xbf16, #pto.tile_info<loc=Mat>>
        %5 = pto.tile.load.map %w[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i1), (i2)] }"> in [64, 64, 64] dims [2, 1] : memref<64x64xbf16> -> tile<64x64xbf16, #pto.tile_info<loc=Mat, layout=DN>>
        pto.channel.commit %ring, %4, %5 : !pto.channel<3, [!pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x64xbf16, #pto.tile_info<loc=Mat, layout=DN>>]>, tile<64x64xbf16, #pto.tile_info<loc=Mat>>, tile<64x64xbf16, #pto.tile_info<loc=Mat, layout=DN>>
      }
    }
    %6 = pto.tile.expands 0.000000e+00 : f32 : tile<64x64xf32, #pto.tile_info<loc=Acc>>
    // expected-error@+1 {{a plan with roles for a loop without steps is not supported yet}}
    %7 = scf.for %k_1 = %1 to %2 step %3 iter_args(%8 = %6) -> (!pto.tile<64x64xf32, #pto.tile_info<loc=Acc>>) {
      %9, %10 = pto.channel.wait %ring : !pto.channel<3, [!pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x64xbf16, #pto.tile_info<loc=Mat, layout=DN>>]> -> tile<64x64xbf16, #pto.tile_info<loc=Mat>>, tile<64x64xbf16, #pto.tile_info<loc=Mat, layout=DN>>
      %11 = pto.tile.mov.m2l %9 : tile<64x64xbf16, #pto.tile_info<loc=Mat>> -> tile<64x64xbf16, #pto.tile_info<loc=Left>>
      %12 = pto.tile.mov.m2r %10 : tile<64x64xbf16, #pto.tile_info<loc=Mat, layout=DN>> -> tile<64x64xbf16, #pto.tile_info<loc=Right>>
      %13 = pto.tile.matmul.acc %8, %11, %12 : tile<64x64xf32, #pto.tile_info<loc=Acc>>, tile<64x64xbf16, #pto.tile_info<loc=Left>>, tile<64x64xbf16, #pto.tile_info<loc=Right>> -> tile<64x64xf32, #pto.tile_info<loc=Acc>>
      pto.channel.release %ring : !pto.channel<3, [!pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x64xbf16, #pto.tile_info<loc=Mat, layout=DN>>]>
      scf.yield %13 : !pto.tile<64x64xf32, #pto.tile_info<loc=Acc>>
    }
    %14 = pto.tile.mov.a2v %7 : tile<64x64xf32, #pto.tile_info<loc=Acc>> -> tile<64x64xf32>
    pto.tile.store.map %14, %0[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [64, 64] dims [0, 1] : tile<64x64xf32>, memref<64x64xf32>
  }
}

// -----

// Wgmma reads its operands from shared memory.

// expected-error@+1 {{the plan of @g_0 does not fit it: local_edges has a value that this lowering does not support}}
pto.kernel @g_0(%x: memref<64x64xbf16> align 16, %w: memref<64x64xbf16> align 16) -> (%0: memref<64x64xf32> align 256 gmem) plan #plan.schedule<{arch = "sm90", tile = [64, 64, 64], stages = 3, warp_tile = "64x64", roles = "cooperative", local_edges = [{from = "A", to = "sum", depth = 2}, {from = "B", to = "sum", depth = 2}], cache = [{tensor = "A", where = "smem", at = "k.i", pingpong = true}, {tensor = "B", where = "smem", at = "k.i", pingpong = true}], vectorize = {axis = "n.i.i", width = 8}, layout_hints = {A_swizzle = true, B_swizzle = true, C_stride = "row"}, algo_choice = {matmul = "implicit_gemm"}}> {
  pto.tiles (%m, %n) in [64, 64] step [64, 64] {
    %ring = pto.channel : !pto.channel<3, [!pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x64xbf16, #pto.tile_info<loc=Mat, layout=DN>>]>
    %1 = arith.constant 0 : index
    %2 = arith.constant 64 : index
    %3 = arith.constant 64 : index
    pto.process {
      scf.for %k = %1 to %2 step %3 {
        pto.channel.acquire %ring : !pto.channel<3, [!pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x64xbf16, #pto.tile_info<loc=Mat, layout=DN>>]>
        %4 = pto.tile.load.map %x[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [64, 64, 64] dims [0, 2] : memref<64x64xbf16> -> tile<64x64xbf16, #pto.tile_info<loc=Mat>>
        %5 = pto.tile.load.map %w[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i1), (i2)] }"> in [64, 64, 64] dims [2, 1] : memref<64x64xbf16> -> tile<64x64xbf16, #pto.tile_info<loc=Mat, layout=DN>>
        pto.channel.commit %ring, %4, %5 : !pto.channel<3, [!pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x64xbf16, #pto.tile_info<loc=Mat, layout=DN>>]>, tile<64x64xbf16, #pto.tile_info<loc=Mat>>, tile<64x64xbf16, #pto.tile_info<loc=Mat, layout=DN>>
      }
    }
    %6 = pto.tile.expands 0.000000e+00 : f32 : tile<64x64xf32, #pto.tile_info<loc=Acc>>
    %7 = scf.for %k_1 = %1 to %2 step %3 iter_args(%8 = %6) -> (!pto.tile<64x64xf32, #pto.tile_info<loc=Acc>>) {
      %9, %10 = pto.channel.wait %ring : !pto.channel<3, [!pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x64xbf16, #pto.tile_info<loc=Mat, layout=DN>>]> -> tile<64x64xbf16, #pto.tile_info<loc=Mat>>, tile<64x64xbf16, #pto.tile_info<loc=Mat, layout=DN>>
      %11 = pto.tile.mov.m2l %9 : tile<64x64xbf16, #pto.tile_info<loc=Mat>> -> tile<64x64xbf16, #pto.tile_info<loc=Left>>
      %12 = pto.tile.mov.m2r %10 : tile<64x64xbf16, #pto.tile_info<loc=Mat, layout=DN>> -> tile<64x64xbf16, #pto.tile_info<loc=Right>>
      %13 = pto.tile.matmul.acc %8, %11, %12 : tile<64x64xf32, #pto.tile_info<loc=Acc>>, tile<64x64xbf16, #pto.tile_info<loc=Left>>, tile<64x64xbf16, #pto.tile_info<loc=Right>> -> tile<64x64xf32, #pto.tile_info<loc=Acc>>
      pto.channel.release %ring : !pto.channel<3, [!pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x64xbf16, #pto.tile_info<loc=Mat, layout=DN>>]>
      scf.yield %13 : !pto.tile<64x64xf32, #pto.tile_info<loc=Acc>>
    }
    %14 = pto.tile.mov.a2v %7 : tile<64x64xf32, #pto.tile_info<loc=Acc>> -> tile<64x64xf32>
    pto.tile.store.map %14, %0[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [64, 64] dims [0, 1] : tile<64x64xf32>, memref<64x64xf32>
  }
}

// -----

// Only A and B are staged.

// expected-error@+1 {{the plan of @g_0 does not fit it: cache has a value that this lowering does not support}}
pto.kernel @g_0(%x: memref<64x64xbf16> align 16, %w: memref<64x64xbf16> align 16) -> (%0: memref<64x64xf32> align 256 gmem) plan #plan.schedule<{arch = "sm90", tile = [64, 64, 64], stages = 3, warp_tile = "64x64", roles = "cooperative", cache = [{tensor = "Q", where = "smem", at = "k.i", pingpong = true}, {tensor = "B", where = "smem", at = "k.i", pingpong = true}], vectorize = {axis = "n.i.i", width = 8}, layout_hints = {A_swizzle = true, B_swizzle = true, C_stride = "row"}, algo_choice = {matmul = "implicit_gemm"}}> {
  pto.tiles (%m, %n) in [64, 64] step [64, 64] {
    %ring = pto.channel : !pto.channel<3, [!pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x64xbf16, #pto.tile_info<loc=Mat, layout=DN>>]>
    %1 = arith.constant 0 : index
    %2 = arith.constant 64 : index
    %3 = arith.constant 64 : index
    pto.process {
      scf.for %k = %1 to %2 step %3 {
        pto.channel.acquire %ring : !pto.channel<3, [!pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x64xbf16, #pto.tile_info<loc=Mat, layout=DN>>]>
        %4 = pto.tile.load.map %x[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [64, 64, 64] dims [0, 2] : memref<64x64xbf16> -> tile<64x64xbf16, #pto.tile_info<loc=Mat>>
        %5 = pto.tile.load.map %w[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i1), (i2)] }"> in [64, 64, 64] dims [2, 1] : memref<64x64xbf16> -> tile<64x64xbf16, #pto.tile_info<loc=Mat, layout=DN>>
        pto.channel.commit %ring, %4, %5 : !pto.channel<3, [!pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x64xbf16, #pto.tile_info<loc=Mat, layout=DN>>]>, tile<64x64xbf16, #pto.tile_info<loc=Mat>>, tile<64x64xbf16, #pto.tile_info<loc=Mat, layout=DN>>
      }
    }
    %6 = pto.tile.expands 0.000000e+00 : f32 : tile<64x64xf32, #pto.tile_info<loc=Acc>>
    %7 = scf.for %k_1 = %1 to %2 step %3 iter_args(%8 = %6) -> (!pto.tile<64x64xf32, #pto.tile_info<loc=Acc>>) {
      %9, %10 = pto.channel.wait %ring : !pto.channel<3, [!pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x64xbf16, #pto.tile_info<loc=Mat, layout=DN>>]> -> tile<64x64xbf16, #pto.tile_info<loc=Mat>>, tile<64x64xbf16, #pto.tile_info<loc=Mat, layout=DN>>
      %11 = pto.tile.mov.m2l %9 : tile<64x64xbf16, #pto.tile_info<loc=Mat>> -> tile<64x64xbf16, #pto.tile_info<loc=Left>>
      %12 = pto.tile.mov.m2r %10 : tile<64x64xbf16, #pto.tile_info<loc=Mat, layout=DN>> -> tile<64x64xbf16, #pto.tile_info<loc=Right>>
      %13 = pto.tile.matmul.acc %8, %11, %12 : tile<64x64xf32, #pto.tile_info<loc=Acc>>, tile<64x64xbf16, #pto.tile_info<loc=Left>>, tile<64x64xbf16, #pto.tile_info<loc=Right>> -> tile<64x64xf32, #pto.tile_info<loc=Acc>>
      pto.channel.release %ring : !pto.channel<3, [!pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x64xbf16, #pto.tile_info<loc=Mat, layout=DN>>]>
      scf.yield %13 : !pto.tile<64x64xf32, #pto.tile_info<loc=Acc>>
    }
    %14 = pto.tile.mov.a2v %7 : tile<64x64xf32, #pto.tile_info<loc=Acc>> -> tile<64x64xf32>
    pto.tile.store.map %14, %0[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [64, 64] dims [0, 1] : tile<64x64xf32>, memref<64x64xf32>
  }
}

// -----

// There is no convolution here.

// expected-error@+1 {{the plan of @g_0 does not fit it: algo_choice has a value that this lowering does not support}}
pto.kernel @g_0(%x: memref<64x64xbf16> align 16, %w: memref<64x64xbf16> align 16) -> (%0: memref<64x64xf32> align 256 gmem) plan #plan.schedule<{arch = "sm90", tile = [64, 64, 64], stages = 3, warp_tile = "64x64", roles = "cooperative", cache = [{tensor = "A", where = "smem", at = "k.i", pingpong = true}, {tensor = "B", where = "smem", at = "k.i", pingpong = true}], vectorize = {axis = "n.i.i", width = 8}, layout_hints = {A_swizzle = true, B_swizzle = true, C_stride = "row"}, algo_choice = {matmul = "implicit_gemm", conv = "winograd_3x3"}}> {
  pto.tiles (%m, %n) in [64, 64] step [64, 64] {
    %ring = pto.channel : !pto.channel<3, [!pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x64xbf16, #pto.tile_info<loc=Mat, layout=DN>>]>
    %1 = arith.constant 0 : index
    %2 = arith.constant 64 : index
    %3 = arith.constant 64 : index
    pto.process {
      scf.for %k = %1 to %2 step %3 {
        pto.channel.acquire %ring : !pto.channel<3, [!pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x64xbf16, #pto.tile_info<loc=Mat, layout=DN>>]>
        %4 = pto.tile.load.map %x[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [64, 64, 64] dims [0, 2] : memref<64x64xbf16> -> tile<64x64xbf16, #pto.tile_info<loc=Mat>>
        %5 = pto.tile.load.map %w[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i1), (i2)] }"> in [64, 64, 64] dims [2, 1] : memref<64x64xbf16> -> tile<64x64xbf16, #pto.tile_info<loc=Mat, layout=DN>>
        pto.channel.commit %ring, %4, %5 : !pto.channel<3, [!pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x64xbf16, #pto.tile_info<loc=Mat, layout=DN>>]>, tile<64x64xbf16, #pto.tile_info<loc=Mat>>, tile<64x64xbf16, #pto.tile_info<loc=Mat, layout=DN>>
      }
    }
    %6 = pto.tile.expands 0.000000e+00 : f32 : tile<64x64xf32, #pto.tile_info<loc=Acc>>
    %7 = scf.for %k_1 = %1 to %2 step %3 iter_args(%8 = %6) -> (!pto.tile<64x64xf32, #pto.tile_info<loc=Acc>>) {
      %9, %10 = pto.channel.wait %ring : !pto.channel<3, [!pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x64xbf16, #pto.tile_info<loc=Mat, layout=DN>>]> -> tile<64x64xbf16, #pto.tile_info<loc=Mat>>, tile<64x64xbf16, #pto.tile_info<loc=Mat, layout=DN>>
      %11 = pto.tile.mov.m2l %9 : tile<64x64xbf16, #pto.tile_info<loc=Mat>> -> tile<64x64xbf16, #pto.tile_info<loc=Left>>
      %12 = pto.tile.mov.m2r %10 : tile<64x64xbf16, #pto.tile_info<loc=Mat, layout=DN>> -> tile<64x64xbf16, #pto.tile_info<loc=Right>>
      %13 = pto.tile.matmul.acc %8, %11, %12 : tile<64x64xf32, #pto.tile_info<loc=Acc>>, tile<64x64xbf16, #pto.tile_info<loc=Left>>, tile<64x64xbf16, #pto.tile_info<loc=Right>> -> tile<64x64xf32, #pto.tile_info<loc=Acc>>
      pto.channel.release %ring : !pto.channel<3, [!pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x64xbf16, #pto.tile_info<loc=Mat, layout=DN>>]>
      scf.yield %13 : !pto.tile<64x64xf32, #pto.tile_info<loc=Acc>>
    }
    %14 = pto.tile.mov.a2v %7 : tile<64x64xf32, #pto.tile_info<loc=Acc>> -> tile<64x64xf32>
    pto.tile.store.map %14, %0[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [64, 64] dims [0, 1] : tile<64x64xf32>, memref<64x64xf32>
  }
}

// -----

// Rows of 66 bytes leave from the registers.

// expected-error@+1 {{the plan of @g_0 does not fit it: epilogue_tile asks to stage results that TMA cannot store}}
pto.kernel @g_0(%x: memref<64x64xbf16> align 16, %w: memref<33x64xbf16> align 16) -> (%c: memref<64x33xbf16> align 256 gmem) plan #plan.schedule<{arch = "sm90", tile = [64, 48, 64], stages = 3, warp_tile = "64x48", roles = "cooperative", epilogue_tile = [64, 16], cache = [{tensor = "A", where = "smem", at = "k.i", pingpong = true}, {tensor = "B", where = "smem", at = "k.i", pingpong = true}], vectorize = {axis = "n.i.i", width = 8}, predicate_tail = ["n.i.i"], epilogue = ["cast"], layout_hints = {A_swizzle = true, B_swizzle = true, C_stride = "row"}, algo_choice = {matmul = "implicit_gemm"}}> {
  pto.tiles (%m, %n) in [64, 33] step [64, 48] {
    %ring = pto.channel : !pto.channel<3, [!pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x48xbf16, #pto.tile_info<loc=Mat, layout=DN>>]>
    %0 = arith.constant 0 : index
    %1 = arith.constant 64 : index
    %2 = arith.constant 64 : index
    pto.process {
      scf.for %k = %0 to %1 step %2 {
        pto.channel.acquire %ring : !pto.channel<3, [!pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x48xbf16, #pto.tile_info<loc=Mat, layout=DN>>]>
        %3 = pto.tile.load.map %x[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [64, 33, 64] dims [0, 2] : memref<64x64xbf16> -> tile<64x64xbf16, #pto.tile_info<loc=Mat>>
        %4 = pto.tile.load.map %w[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i1), (i2)] }"> in [64, 33, 64] dims [2, 1] : memref<33x64xbf16> -> tile<64x48xbf16, #pto.tile_info<loc=Mat, layout=DN>>
        pto.channel.commit %ring, %3, %4 : !pto.channel<3, [!pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x48xbf16, #pto.tile_info<loc=Mat, layout=DN>>]>, tile<64x64xbf16, #pto.tile_info<loc=Mat>>, tile<64x48xbf16, #pto.tile_info<loc=Mat, layout=DN>>
      }
    }
    %5 = pto.tile.expands 0.000000e+00 : f32 : tile<64x48xf32, #pto.tile_info<loc=Acc>>
    %6 = scf.for %k_1 = %0 to %1 step %2 iter_args(%7 = %5) -> (!pto.tile<64x48xf32, #pto.tile_info<loc=Acc>>) {
      %8, %9 = pto.channel.wait %ring : !pto.channel<3, [!pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x48xbf16, #pto.tile_info<loc=Mat, layout=DN>>]> -> tile<64x64xbf16, #pto.tile_info<loc=Mat>>, tile<64x48xbf16, #pto.tile_info<loc=Mat, layout=DN>>
      %10 = pto.tile.mov.m2l %8 : tile<64x64xbf16, #pto.tile_info<loc=Mat>> -> tile<64x64xbf16, #pto.tile_info<loc=Left>>
      %11 = pto.tile.mov.m2r %9 : tile<64x48xbf16, #pto.tile_info<loc=Mat, layout=DN>> -> tile<64x48xbf16, #pto.tile_info<loc=Right>>
      %12 = pto.tile.matmul.acc %7, %10, %11 : tile<64x48xf32, #pto.tile_info<loc=Acc>>, tile<64x64xbf16, #pto.tile_info<loc=Left>>, tile<64x48xbf16, #pto.tile_info<loc=Right>> -> tile<64x48xf32, #pto.tile_info<loc=Acc>>
      pto.channel.release %ring : !pto.channel<3, [!pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x48xbf16, #pto.tile_info<loc=Mat, layout=DN>>]>
      scf.yield %12 : !pto.tile<64x48xf32, #pto.tile_info<loc=Acc>>
    }
    %13 = pto.tile.mov.a2v %6 : tile<64x48xf32, #pto.tile_info<loc=Acc>> -> tile<64x48xf32>
    %14 = pto.tile.cvt %13 : tile<64x48xf32> -> tile<64x48xbf16>
    pto.tile.store.map %14, %c[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [64, 33] dims [0, 1] : tile<64x48xbf16>, memref<64x33xbf16>
  }
}

// -----

// No wgmma of integers has 40 columns.

// expected-error@+1 {{the plan of @g_0 does not fit it: warp_tile 64x40 and BK 128 are not made of m64k32_i8}}
pto.kernel @g_0(%x: memref<64x128xi8> align 16, %w: memref<40x128xi8> align 16) -> (%0: memref<64x40xi32> align 256 gmem) plan #plan.schedule<{arch = "sm90", tile = [64, 40, 128], stages = 3, warp_tile = "64x40", roles = "cooperative", cache = [{tensor = "A", where = "smem", at = "k.i", pingpong = true}, {tensor = "B", where = "smem", at = "k.i", pingpong = true}], vectorize = {axis = "n.i.i", width = 8}, predicate_tail = ["n.i.i"], layout_hints = {A_swizzle = true, B_swizzle = true, C_stride = "row"}, algo_choice = {matmul = "implicit_gemm"}}> {
  pto.tiles (%m, %n) in [64, 40] step [64, 40] {
    %ring = pto.channel : !pto.channel<3, [!pto.tile<64x128xi8, #pto.tile_info<loc=Mat>>, !pto.tile<128x40xi8, #pto.tile_info<loc=Mat, layout=DN>>]>
    %1 = arith.constant 0 : index
    %2 = arith.constant 128 : index
    %3 = arith.constant 128 : index
    pto.process {
      scf.for %k = %1 to %2 step %3 {
        pto.channel.acquire %ring : !pto.channel<3, [!pto.tile<64x128xi8, #pto.tile_info<loc=Mat>>, !pto.tile<128x40xi8, #pto.tile_info<loc=Mat, layout=DN>>]>
        %4 = pto.tile.load.map %x[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [64, 40, 128] dims [0, 2] : memref<64x128xi8> -> tile<64x128xi8, #pto.tile_info<loc=Mat>>
        %5 = pto.tile.load.map %w[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i1), (i2)] }"> in [64, 40, 128] dims [2, 1] : memref<40x128xi8> -> tile<128x40xi8, #pto.tile_info<loc=Mat, layout=DN>>
        pto.channel.commit %ring, %4, %5 : !pto.channel<3, [!pto.tile<64x128xi8, #pto.tile_info<loc=Mat>>, !pto.tile<128x40xi8, #pto.tile_info<loc=Mat, layout=DN>>]>, tile<64x128xi8, #pto.tile_info<loc=Mat>>, tile<128x40xi8, #pto.tile_info<loc=Mat, layout=DN>>
      }
    }
    %6 = pto.tile.expands 0 : i32 : tile<64x40xi32, #pto.tile_info<loc=Acc>>
    %7 = scf.for %k_1 = %1 to %2 step %3 iter_args(%8 = %6) -> (!pto.tile<64x40xi32, #pto.tile_info<loc=Acc>>) {
      %9, %10 = pto.channel.wait %ring : !pto.channel<3, [!pto.tile<64x128xi8, #pto.tile_info<loc=Mat>>, !pto.tile<128x40xi8, #pto.tile_info<loc=Mat, layout=DN>>]> -> tile<64x128xi8, #pto.tile_info<loc=Mat>>, tile<128x40xi8, #pto.tile_info<loc=Mat, layout=DN>>
      %11 = pto.tile.mov.m2l %9 : tile<64x128xi8, #pto.tile_info<loc=Mat>> -> tile<64x128xi8, #pto.tile_info<loc=Left>>
      %12 = pto.tile.mov.m2r %10 : tile<128x40xi8, #pto.tile_info<loc=Mat, layout=DN>> -> tile<128x40xi8, #pto.tile_info<loc=Right>>
      %13 = pto.tile.matmul.acc %8, %11, %12 : tile<64x40xi32, #pto.tile_info<loc=Acc>>, tile<64x128xi8, #pto.tile_info<loc=Left>>, tile<128x40xi8, #pto.tile_info<loc=Right>> -> tile<64x40xi32, #pto.tile_info<loc=Acc>>
      pto.channel.release %ring : !pto.channel<3, [!pto.tile<64x128xi8, #pto.tile_info<loc=Mat>>, !pto.tile<128x40xi8, #pto.tile_info<loc=Mat, layout=DN>>]>
      scf.yield %13 : !pto.tile<64x40xi32, #pto.tile_info<loc=Acc>>
    }
    %14 = pto.tile.mov.a2v %7 : tile<64x40xi32, #pto.tile_info<loc=Acc>> -> tile<64x40xi32>
    pto.tile.store.map %14, %0[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [64, 40] dims [0, 1] : tile<64x40xi32>, memref<64x40xi32>
  }
}

// -----

// N is contiguous in memory, and 8 elements of it are 16 bytes: no swizzle of wgmma has such rows.

// expected-error@+1 {{the plan of @g_0 does not fit it: its tile makes 64 rows of 16 bytes of B in shared memory}}
pto.kernel @g_0(%x: memref<64x64xbf16> align 16, %w: memref<64x8xbf16> align 16) -> (%0: memref<64x8xf32> align 256 gmem) plan #plan.schedule<{arch = "sm90", tile = [64, 8, 64], stages = 3, warp_tile = "64x8", roles = "cooperative", cache = [{tensor = "A", where = "smem", at = "k.i", pingpong = true}, {tensor = "B", where = "smem", at = "k.i", pingpong = true}], vectorize = {axis = "n.i.i", width = 8}, predicate_tail = ["n.i.i"], layout_hints = {A_swizzle = true, B_swizzle = true, C_stride = "row"}, algo_choice = {matmul = "implicit_gemm"}}> {
  pto.tiles (%m, %n) in [64, 8] step [64, 8] {
    %ring = pto.channel : !pto.channel<3, [!pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x8xbf16, #pto.tile_info<loc=Mat>>]>
    %1 = arith.constant 0 : index
    %2 = arith.constant 64 : index
    %3 = arith.constant 64 : index
    pto.process {
      scf.for %k = %1 to %2 step %3 {
        pto.channel.acquire %ring : !pto.channel<3, [!pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x8xbf16, #pto.tile_info<loc=Mat>>]>
        %4 = pto.tile.load.map %x[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [64, 8, 64] dims [0, 2] : memref<64x64xbf16> -> tile<64x64xbf16, #pto.tile_info<loc=Mat>>
        %5 = pto.tile.load.map %w[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [64, 8, 64] dims [2, 1] : memref<64x8xbf16> -> tile<64x8xbf16, #pto.tile_info<loc=Mat>>
        pto.channel.commit %ring, %4, %5 : !pto.channel<3, [!pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x8xbf16, #pto.tile_info<loc=Mat>>]>, tile<64x64xbf16, #pto.tile_info<loc=Mat>>, tile<64x8xbf16, #pto.tile_info<loc=Mat>>
      }
    }
    %6 = pto.tile.expands 0.000000e+00 : f32 : tile<64x8xf32, #pto.tile_info<loc=Acc>>
    %7 = scf.for %k_1 = %1 to %2 step %3 iter_args(%8 = %6) -> (!pto.tile<64x8xf32, #pto.tile_info<loc=Acc>>) {
      %9, %10 = pto.channel.wait %ring : !pto.channel<3, [!pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x8xbf16, #pto.tile_info<loc=Mat>>]> -> tile<64x64xbf16, #pto.tile_info<loc=Mat>>, tile<64x8xbf16, #pto.tile_info<loc=Mat>>
      %11 = pto.tile.mov.m2l %9 : tile<64x64xbf16, #pto.tile_info<loc=Mat>> -> tile<64x64xbf16, #pto.tile_info<loc=Left>>
      %12 = pto.tile.mov.m2r %10 : tile<64x8xbf16, #pto.tile_info<loc=Mat>> -> tile<64x8xbf16, #pto.tile_info<loc=Right>>
      %13 = pto.tile.matmul.acc %8, %11, %12 : tile<64x8xf32, #pto.tile_info<loc=Acc>>, tile<64x64xbf16, #pto.tile_info<loc=Left>>, tile<64x8xbf16, #pto.tile_info<loc=Right>> -> tile<64x8xf32, #pto.tile_info<loc=Acc>>
      pto.channel.release %ring : !pto.channel<3, [!pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x8xbf16, #pto.tile_info<loc=Mat>>]>
      scf.yield %13 : !pto.tile<64x8xf32, #pto.tile_info<loc=Acc>>
    }
    %14 = pto.tile.mov.a2v %7 : tile<64x8xf32, #pto.tile_info<loc=Acc>> -> tile<64x8xf32>
    pto.tile.store.map %14, %0[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [64, 8] dims [0, 1] : tile<64x8xf32>, memref<64x8xf32>
  }
}

// -----

// Indices have 32 bits.

// expected-error@+1 {{an axis of 2147483618 elements is not supported yet}}
pto.kernel @g_0(%x: memref<2147483618x64xbf16> align 16, %w: memref<8x64xbf16> align 16) -> (%0: memref<2147483618x8xf32> align 256 gmem) plan #plan.schedule<{arch = "sm90", tile = [64, 8, 64], stages = 3, warp_tile = "64x8", roles = "cooperative", cache = [{tensor = "A", where = "smem", at = "k.i", pingpong = true}, {tensor = "B", where = "smem", at = "k.i", pingpong = true}], vectorize = {axis = "n.i.i", width = 8}, predicate_tail = ["m.i.i"], layout_hints = {A_swizzle = true, B_swizzle = true, C_stride = "row"}, algo_choice = {matmul = "implicit_gemm"}}> {
  pto.tiles (%m, %n) in [2147483618, 8] step [64, 8] {
    %ring = pto.channel : !pto.channel<3, [!pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x8xbf16, #pto.tile_info<loc=Mat, layout=DN>>]>
    %1 = arith.constant 0 : index
    %2 = arith.constant 64 : index
    %3 = arith.constant 64 : index
    pto.process {
      scf.for %k = %1 to %2 step %3 {
        pto.channel.acquire %ring : !pto.channel<3, [!pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x8xbf16, #pto.tile_info<loc=Mat, layout=DN>>]>
        %4 = pto.tile.load.map %x[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [2147483618, 8, 64] dims [0, 2] : memref<2147483618x64xbf16> -> tile<64x64xbf16, #pto.tile_info<loc=Mat>>
        %5 = pto.tile.load.map %w[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i1), (i2)] }"> in [2147483618, 8, 64] dims [2, 1] : memref<8x64xbf16> -> tile<64x8xbf16, #pto.tile_info<loc=Mat, layout=DN>>
        pto.channel.commit %ring, %4, %5 : !pto.channel<3, [!pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x8xbf16, #pto.tile_info<loc=Mat, layout=DN>>]>, tile<64x64xbf16, #pto.tile_info<loc=Mat>>, tile<64x8xbf16, #pto.tile_info<loc=Mat, layout=DN>>
      }
    }
    %6 = pto.tile.expands 0.000000e+00 : f32 : tile<64x8xf32, #pto.tile_info<loc=Acc>>
    %7 = scf.for %k_1 = %1 to %2 step %3 iter_args(%8 = %6) -> (!pto.tile<64x8xf32, #pto.tile_info<loc=Acc>>) {
      %9, %10 = pto.channel.wait %ring : !pto.channel<3, [!pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x8xbf16, #pto.tile_info<loc=Mat, layout=DN>>]> -> tile<64x64xbf16, #pto.tile_info<loc=Mat>>, tile<64x8xbf16, #pto.tile_info<loc=Mat, layout=DN>>
      %11 = pto.tile.mov.m2l %9 : tile<64x64xbf16, #pto.tile_info<loc=Mat>> -> tile<64x64xbf16, #pto.tile_info<loc=Left>>
      %12 = pto.tile.mov.m2r %10 : tile<64x8xbf16, #pto.tile_info<loc=Mat, layout=DN>> -> tile<64x8xbf16, #pto.tile_info<loc=Right>>
      %13 = pto.tile.matmul.acc %8, %11, %12 : tile<64x8xf32, #pto.tile_info<loc=Acc>>, tile<64x64xbf16, #pto.tile_info<loc=Left>>, tile<64x8xbf16, #pto.tile_info<loc=Right>> -> tile<64x8xf32, #pto.tile_info<loc=Acc>>
      pto.channel.release %ring : !pto.channel<3, [!pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x8xbf16, #pto.tile_info<loc=Mat, layout=DN>>]>
      scf.yield %13 : !pto.tile<64x8xf32, #pto.tile_info<loc=Acc>>
    }
    %14 = pto.tile.mov.a2v %7 : tile<64x8xf32, #pto.tile_info<loc=Acc>> -> tile<64x8xf32>
    pto.tile.store.map %14, %0[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [2147483618, 8] dims [0, 1] : tile<64x8xf32>, memref<2147483618x8xf32>
  }
}

// -----

// So have the numbers of tiles.

// expected-error@+1 {{a grid of 2147483648 tiles is not supported yet}}
pto.kernel @g_0(%x: memref<2048x67108864x64xbf16> align 16, %w: memref<2048x8x64xbf16> align 16) -> (%0: memref<2048x67108864x8xf32> align 256 gmem) plan #plan.schedule<{arch = "sm90", tile = [64, 8, 64], stages = 3, warp_tile = "64x8", roles = "cooperative", cache = [{tensor = "A", where = "smem", at = "k.i", pingpong = true}, {tensor = "B", where = "smem", at = "k.i", pingpong = true}], vectorize = {axis = "n.i.i", width = 8}, layout_hints = {A_swizzle = true, B_swizzle = true, C_stride = "row"}, algo_choice = {matmul = "implicit_gemm"}}> {
  pto.tiles (%b0, %m, %n) in [2048, 67108864, 8] step [1, 64, 8] {
    %ring = pto.channel : !pto.channel<3, [!pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x8xbf16, #pto.tile_info<loc=Mat, layout=DN>>]>
    %1 = arith.constant 0 : index
    %2 = arith.constant 64 : index
    %3 = arith.constant 64 : index
    pto.process {
      scf.for %k = %1 to %2 step %3 {
        pto.channel.acquire %ring : !pto.channel<3, [!pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x8xbf16, #pto.tile_info<loc=Mat, layout=DN>>]>
        %4 = pto.tile.load.map %x[%b0, %m, %n, %k] by <"{ [i0, i1, i2, i3] -> [(i0), (i1), (i3)] }"> in [2048, 67108864, 8, 64] dims [1, 3] : memref<2048x67108864x64xbf16> -> tile<64x64xbf16, #pto.tile_info<loc=Mat>>
        %5 = pto.tile.load.map %w[%b0, %m, %n, %k] by <"{ [i0, i1, i2, i3] -> [(i0), (i2), (i3)] }"> in [2048, 67108864, 8, 64] dims [3, 2] : memref<2048x8x64xbf16> -> tile<64x8xbf16, #pto.tile_info<loc=Mat, layout=DN>>
        pto.channel.commit %ring, %4, %5 : !pto.channel<3, [!pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x8xbf16, #pto.tile_info<loc=Mat, layout=DN>>]>, tile<64x64xbf16, #pto.tile_info<loc=Mat>>, tile<64x8xbf16, #pto.tile_info<loc=Mat, layout=DN>>
      }
    }
    %6 = pto.tile.expands 0.000000e+00 : f32 : tile<64x8xf32, #pto.tile_info<loc=Acc>>
    %7 = scf.for %k_1 = %1 to %2 step %3 iter_args(%8 = %6) -> (!pto.tile<64x8xf32, #pto.tile_info<loc=Acc>>) {
      %9, %10 = pto.channel.wait %ring : !pto.channel<3, [!pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x8xbf16, #pto.tile_info<loc=Mat, layout=DN>>]> -> tile<64x64xbf16, #pto.tile_info<loc=Mat>>, tile<64x8xbf16, #pto.tile_info<loc=Mat, layout=DN>>
      %11 = pto.tile.mov.m2l %9 : tile<64x64xbf16, #pto.tile_info<loc=Mat>> -> tile<64x64xbf16, #pto.tile_info<loc=Left>>
      %12 = pto.tile.mov.m2r %10 : tile<64x8xbf16, #pto.tile_info<loc=Mat, layout=DN>> -> tile<64x8xbf16, #pto.tile_info<loc=Right>>
      %13 = pto.tile.matmul.acc %8, %11, %12 : tile<64x8xf32, #pto.tile_info<loc=Acc>>, tile<64x64xbf16, #pto.tile_info<loc=Left>>, tile<64x8xbf16, #pto.tile_info<loc=Right>> -> tile<64x8xf32, #pto.tile_info<loc=Acc>>
      pto.channel.release %ring : !pto.channel<3, [!pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x8xbf16, #pto.tile_info<loc=Mat, layout=DN>>]>
      scf.yield %13 : !pto.tile<64x8xf32, #pto.tile_info<loc=Acc>>
    }
    %14 = pto.tile.mov.a2v %7 : tile<64x8xf32, #pto.tile_info<loc=Acc>> -> tile<64x8xf32>
    pto.tile.store.map %14, %0[%b0, %m, %n] by <"{ [i0, i1, i2] -> [(i0), (i1), (i2)] }"> in [2048, 67108864, 8] dims [1, 2] : tile<64x8xf32>, memref<2048x67108864x8xf32>
  }
}

// -----

// And those of their steps.

// expected-error@+1 {{a total of 1073741824 steps is not supported yet}}
pto.kernel @g_0(%x: memref<67108864x65536xbf16> align 16, %w: memref<8x65536xbf16> align 16) -> (%0: memref<67108864x8xf32> align 256 gmem) plan #plan.schedule<{arch = "sm90", tile = [64, 8, 64], stages = 3, warp_tile = "64x8", roles = "cooperative", cache = [{tensor = "A", where = "smem", at = "k.i", pingpong = true}, {tensor = "B", where = "smem", at = "k.i", pingpong = true}], vectorize = {axis = "n.i.i", width = 8}, layout_hints = {A_swizzle = true, B_swizzle = true, C_stride = "row"}, algo_choice = {matmul = "stream_k"}}> {
  pto.tiles (%m, %n) in [67108864, 8] step [64, 8] {
    %ring = pto.channel : !pto.channel<3, [!pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x8xbf16, #pto.tile_info<loc=Mat, layout=DN>>]>
    %1 = arith.constant 0 : index
    %2 = arith.constant 65536 : index
    %3 = arith.constant 64 : index
    pto.process {
      scf.for %k = %1 to %2 step %3 {
        pto.channel.acquire %ring : !pto.channel<3, [!pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x8xbf16, #pto.tile_info<loc=Mat, layout=DN>>]>
        %4 = pto.tile.load.map %x[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [67108864, 8, 65536] dims [0, 2] : memref<67108864x65536xbf16> -> tile<64x64xbf16, #pto.tile_info<loc=Mat>>
        %5 = pto.tile.load.map %w[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i1), (i2)] }"> in [67108864, 8, 65536] dims [2, 1] : memref<8x65536xbf16> -> tile<64x8xbf16, #pto.tile_info<loc=Mat, layout=DN>>
        pto.channel.commit %ring, %4, %5 : !pto.channel<3, [!pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x8xbf16, #pto.tile_info<loc=Mat, layout=DN>>]>, tile<64x64xbf16, #pto.tile_info<loc=Mat>>, tile<64x8xbf16, #pto.tile_info<loc=Mat, layout=DN>>
      }
    }
    %6 = pto.tile.expands 0.000000e+00 : f32 : tile<64x8xf32, #pto.tile_info<loc=Acc>>
    %7 = scf.for %k_1 = %1 to %2 step %3 iter_args(%8 = %6) -> (!pto.tile<64x8xf32, #pto.tile_info<loc=Acc>>) {
      %9, %10 = pto.channel.wait %ring : !pto.channel<3, [!pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x8xbf16, #pto.tile_info<loc=Mat, layout=DN>>]> -> tile<64x64xbf16, #pto.tile_info<loc=Mat>>, tile<64x8xbf16, #pto.tile_info<loc=Mat, layout=DN>>
      %11 = pto.tile.mov.m2l %9 : tile<64x64xbf16, #pto.tile_info<loc=Mat>> -> tile<64x64xbf16, #pto.tile_info<loc=Left>>
      %12 = pto.tile.mov.m2r %10 : tile<64x8xbf16, #pto.tile_info<loc=Mat, layout=DN>> -> tile<64x8xbf16, #pto.tile_info<loc=Right>>
      %13 = pto.tile.matmul.acc %8, %11, %12 : tile<64x8xf32, #pto.tile_info<loc=Acc>>, tile<64x64xbf16, #pto.tile_info<loc=Left>>, tile<64x8xbf16, #pto.tile_info<loc=Right>> -> tile<64x8xf32, #pto.tile_info<loc=Acc>>
      pto.channel.release %ring : !pto.channel<3, [!pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x8xbf16, #pto.tile_info<loc=Mat, layout=DN>>]>
      scf.yield %13 : !pto.tile<64x8xf32, #pto.tile_info<loc=Acc>>
    }
    %14 = pto.tile.mov.a2v %7 : tile<64x8xf32, #pto.tile_info<loc=Acc>> -> tile<64x8xf32>
    pto.tile.store.map %14, %0[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [67108864, 8] dims [0, 1] : tile<64x8xf32>, memref<67108864x8xf32>
  }
}

// -----

// Roles are for a contraction.

// expected-error@+1 {{a plan with roles for a program without a contraction is not supported yet}}
pto.kernel @k(%x: memref<64x64xf32> align 16) -> (%y: memref<64x64xf32> align 16 gmem) plan #plan.schedule<{arch = "sm90", tile = [64, 64, 64], stages = 2, warp_tile = "64x64", roles = "cooperative", cache = [{tensor = "A"}, {tensor = "B"}], vectorize = {axis = "n.i.i", width = 2}}> {
  pto.tiles (%m, %n) in [64, 64] step [64, 64] {
    %v = pto.tile.load.map %x[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [64, 64] dims [0, 1] : memref<64x64xf32> -> tile<64x64xf32>
    pto.tile.store.map %v, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [64, 64] dims [0, 1] : tile<64x64xf32>, memref<64x64xf32>
  }
}

// -----

pto.kernel @f_0(%x: memref<16x96xbf16> align 16, %w: memref<64x96xbf16> align 16) -> (%y: memref<16x64xf32> align 256 gmem) plan #plan.schedule<{arch = "sm90", tile = [16, 64, 64], stages = 3, warp_tile = "16x64", roles = "cooperative", multiprocessors = 132, cache = [{tensor = "A"}, {tensor = "B"}], vectorize = {axis = "m.i.i", width = 8}, predicate_tail = ["k.i.i"], layout_hints = {A_swizzle = true, B_swizzle = true, C_stride = "col"}}> {
  pto.tiles (%m, %n) in [16, 64] step [16, 64] {
    %ring = pto.channel : !pto.channel<3, [!pto.tile<64x16xbf16, #pto.tile_info<loc=Mat, layout=DN>>, !pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>]>
    %0 = arith.constant 0 : index
    %1 = arith.constant 96 : index
    %2 = arith.constant 64 : index
    pto.process {
      scf.for %k = %0 to %1 step %2 {
        pto.channel.acquire %ring : !pto.channel<3, [!pto.tile<64x16xbf16, #pto.tile_info<loc=Mat, layout=DN>>, !pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>]>
        %3 = pto.tile.load.map %x[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [16, 64, 96] dims [2, 0] : memref<16x96xbf16> -> tile<64x16xbf16, #pto.tile_info<loc=Mat, layout=DN>>
        %4 = pto.tile.load.map %w[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i1), (i2)] }"> in [16, 64, 96] dims [1, 2] : memref<64x96xbf16> -> tile<64x64xbf16, #pto.tile_info<loc=Mat>>
        pto.channel.commit %ring, %3, %4 : !pto.channel<3, [!pto.tile<64x16xbf16, #pto.tile_info<loc=Mat, layout=DN>>, !pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>]>, tile<64x16xbf16, #pto.tile_info<loc=Mat, layout=DN>>, tile<64x64xbf16, #pto.tile_info<loc=Mat>>
      }
    }
    %5 = pto.tile.expands 0.000000e+00 : f32 : tile<64x16xf32, #pto.tile_info<loc=Acc>>
    %6 = scf.for %k_1 = %0 to %1 step %2 iter_args(%7 = %5) -> (!pto.tile<64x16xf32, #pto.tile_info<loc=Acc>>) {
      %8, %9 = pto.channel.wait %ring : !pto.channel<3, [!pto.tile<64x16xbf16, #pto.tile_info<loc=Mat, layout=DN>>, !pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>]> -> tile<64x16xbf16, #pto.tile_info<loc=Mat, layout=DN>>, tile<64x64xbf16, #pto.tile_info<loc=Mat>>
      %10 = pto.tile.mov.m2l %9 : tile<64x64xbf16, #pto.tile_info<loc=Mat>> -> tile<64x64xbf16, #pto.tile_info<loc=Left>>
    %11 = pto.tile.mov.m2v %8 : tile<64x16xbf16, #pto.tile_info<loc=Mat, layout=DN>> -> tile<64x16xbf16>
    %12 = pto.tile.exp %11 : tile<64x16xbf16>
    %13 = pto.tile.mov.v2r %12 : tile<64x16xbf16> -> tile<64x16xbf16, #pto.tile_info<loc=Right>>
      // expected-error@+1 {{a wgmma whose right operand is computed is not supported yet}}
      %14 = pto.tile.matmul.acc %7, %10, %13 : tile<64x16xf32, #pto.tile_info<loc=Acc>>, tile<64x64xbf16, #pto.tile_info<loc=Left>>, tile<64x16xbf16, #pto.tile_info<loc=Right>> -> tile<64x16xf32, #pto.tile_info<loc=Acc>>
    pto.channel.release %ring : !pto.channel<3, [!pto.tile<64x16xbf16, #pto.tile_info<loc=Mat, layout=DN>>, !pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>]>
      scf.yield %14 : !pto.tile<64x16xf32, #pto.tile_info<loc=Acc>>
    }
    %21 = pto.tile.mov.a2v %6 : tile<64x16xf32, #pto.tile_info<loc=Acc>> -> tile<64x16xf32>
    pto.tile.store.map %21, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [16, 64] dims [1, 0] : tile<64x16xf32>, memref<16x64xf32>
  }
}
