// RUN: ptir-opt %s -p pto-to-nv --split-input-file | filecheck %s

// C_stride = col: n along the rows of the instruction; the result is contiguous along them, so that it is transposed on its way to shared memory.

// CHECK-LABEL: "gpu.func"
// CHECK: ^bb0(%map_a: !nv.tensor_map<16x64xbf16, b128>, %map_b: !nv.tensor_map<64x64xbf16, b128>, %map_c: !nv.tensor_map<16x64xbf16, b128>):
// CHECK: %smem_a = nv.smem at 0 : !nv.smem<3x16x64xbf16, b128>
// CHECK: %smem_b = nv.smem at 6144 : !nv.smem<3x64x64xbf16, b128>
// CHECK: %smem_c = nv.smem at 30720 : !nv.smem<1x16x64xbf16, b128>
// CHECK: %full = nv.mbarrier at 32768 : !nv.mbarrier<3>
// CHECK: %empty = nv.mbarrier at 32792 : !nv.mbarrier<3>
// CHECK: nv.single block {
// CHECK: nv.mbarrier.init %full arrivals 1 : !nv.mbarrier<3>
// CHECK: nv.mbarrier.init %empty arrivals 1 : !nv.mbarrier<3>
// CHECK: nv.mbarrier.init_fence
// CHECK: nv.role producer threads 0 to 128 {
// CHECK: nv.single role {
// CHECK: %{{[0-9]+}}, %{{[0-9]+}} = scf.for %item = %block to %c2 step %c2 iter_args(%slot = %c0, %phase = %c0) -> (index, index) {
// CHECK: %{{[0-9]+}}, %{{[0-9]+}} = scf.for %step = %c0 to %STEPS step %c1 iter_args(%slot_1 = %slot, %phase_1 = %phase) -> (index, index) {
// CHECK: nv.mbarrier.wait %empty[%slot_1] parity %{{[0-9]+}} : !nv.mbarrier<3>
// CHECK: nv.mbarrier.expect_tx %full[%slot_1] bytes 10240 : !nv.mbarrier<3>
// CHECK: nv.tma_load %map_a[%c0, %k] to %smem_a[%slot_1, %c0, %c0] signal %full[%slot_1] : !nv.tensor_map<16x64xbf16, b128>, !nv.smem<3x16x64xbf16, b128>, !nv.mbarrier<3>
// CHECK: nv.tma_load %map_b[%n, %k] to %smem_b[%slot_1, %c0, %c0] signal %full[%slot_1] : !nv.tensor_map<64x64xbf16, b128>, !nv.smem<3x64x64xbf16, b128>, !nv.mbarrier<3>
// CHECK: nv.role consumer threads 128 to 256 {
// CHECK: %{{[0-9]+}}, %{{[0-9]+}} = scf.for %item_1 = %block to %c2 step %c2 iter_args(%slot_2 = %c0, %phase_2 = %c0) -> (index, index) {
// CHECK: %acc = nv.frag : !nv.frag<64x16xf32, C of m64k16>
// CHECK: %{{[0-9]+}}, %{{[0-9]+}}, %{{[0-9]+}} = scf.for %step_1 = %c0 to %STEPS step %c1 iter_args(%slot_3 = %slot_2, %phase_3 = %phase_2, %before = %c0) -> (index, index, index) {
// CHECK: nv.mbarrier.wait %full[%slot_3] parity %phase_3 : !nv.mbarrier<3>
// CHECK: nv.wgmma.fence
// CHECK: nv.wgmma.mma %acc, %smem_b[%slot_3, %c0, %c0] ND, %smem_a[%slot_3, %c0, %c0] DN if %adds : !nv.frag<64x16xf32, C of m64k16>, !nv.smem<3x64x64xbf16, b128>, !nv.smem<3x16x64xbf16, b128>
// CHECK: nv.wgmma.mma %acc, %smem_b[%slot_3, %c0, %c16] ND, %smem_a[%slot_3, %c0, %c16] DN : !nv.frag<64x16xf32, C of m64k16>, !nv.smem<3x64x64xbf16, b128>, !nv.smem<3x16x64xbf16, b128>
// CHECK: nv.wgmma.mma %acc, %smem_b[%slot_3, %c0, %c32] ND, %smem_a[%slot_3, %c0, %c32] DN : !nv.frag<64x16xf32, C of m64k16>, !nv.smem<3x64x64xbf16, b128>, !nv.smem<3x16x64xbf16, b128>
// CHECK: nv.wgmma.mma %acc, %smem_b[%slot_3, %c0, %c48] ND, %smem_a[%slot_3, %c0, %c48] DN : !nv.frag<64x16xf32, C of m64k16>, !nv.smem<3x64x64xbf16, b128>, !nv.smem<3x16x64xbf16, b128>
// CHECK: nv.wgmma.commit
// CHECK: nv.wgmma.wait 1
// CHECK: nv.single warpgroup {
// CHECK: nv.mbarrier.arrive %empty[%before] : !nv.mbarrier<3>
// CHECK: nv.wgmma.wait 0
// CHECK: nv.single warpgroup {
// CHECK: nv.mbarrier.arrive %empty[%{{[0-9]+}}] : !nv.mbarrier<3>
// CHECK: %c_tile = nv.epilogue %acc : !nv.frag<64x16xf32, C of m64k16>[%c0, %n_1] in [16, 128] dims [1, 0] guard [] tile [64, 16] addresses [] widths [] -> !nv.frag<64x16xbf16, C of m64k16> {
// CHECK: nv.yield %{{[0-9]+}} : bf16
// CHECK: nv.single warpgroup {
// CHECK: nv.bulk.wait_read 0
// CHECK: nv.barrier 1 threads 128
// CHECK: nv.stmatrix %c_tile column 0 DN to %smem_c[%c0, %c0, %c0] : !nv.frag<64x16xbf16, C of m64k16>, !nv.smem<1x16x64xbf16, b128>
// CHECK: nv.fence_async
// CHECK: nv.barrier 1 threads 128
// CHECK: nv.single warpgroup {
// CHECK: nv.tma_store %smem_c[%c0, %c0, %c0] to %map_c[%c0, %n_1] : !nv.smem<1x16x64xbf16, b128>, !nv.tensor_map<16x64xbf16, b128>
// CHECK: nv.bulk.commit
// CHECK: nv.single warpgroup {
// CHECK: nv.bulk.wait_read 0
// CHECK: %{{[0-9]+}} = memref.alloc() : memref<16x128xbf16>
// CHECK: %map_a = nv.tensor_map %x offset 0 sizes [16, 64] strides [64, 1] : memref<16x64xbf16> -> !nv.tensor_map<16x64xbf16, b128>
// CHECK: %map_b = nv.tensor_map %w offset 0 sizes [128, 64] strides [64, 1] : memref<128x64xbf16> -> !nv.tensor_map<64x64xbf16, b128>
// CHECK: %map_c = nv.tensor_map %{{[0-9]+}} offset 0 sizes [16, 128] strides [128, 1] : memref<16x128xbf16> -> !nv.tensor_map<16x64xbf16, b128>
// CHECK: nv.launch @kernels::@k grid [2, 1, 1] block [256, 1, 1] shared 32816(%map_a, %map_b, %map_c : !nv.tensor_map<16x64xbf16, b128>, !nv.tensor_map<64x64xbf16, b128>, !nv.tensor_map<16x64xbf16, b128>)

pto.kernel @k(%x: memref<16x64xbf16> align 16, %w: memref<128x64xbf16> align 16) -> (%c: memref<16x128xbf16> align 256 gmem) plan #plan.schedule<{arch = "sm90", tile = [16, 64, 64], stages = 3, warp_tile = "16x64", roles = "cooperative", cache = [{tensor = "A", where = "smem", at = "k.i", pingpong = true}, {tensor = "B", where = "smem", at = "k.i", pingpong = true}], vectorize = {axis = "m.i.i", width = 8}, epilogue = ["cast"], layout_hints = {A_swizzle = true, B_swizzle = true, C_stride = "col"}, algo_choice = {matmul = "implicit_gemm"}}> {
  pto.tiles (%m, %n) in [16, 128] step [16, 64] {
    %ring = pto.channel : !pto.channel<3, [!pto.tile<64x16xbf16, #pto.tile_info<loc=Mat, layout=DN>>, !pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>]>
    %0 = arith.constant 0 : index
    %1 = arith.constant 64 : index
    %2 = arith.constant 64 : index
    pto.process {
      scf.for %k = %0 to %1 step %2 {
        pto.channel.acquire %ring : !pto.channel<3, [!pto.tile<64x16xbf16, #pto.tile_info<loc=Mat, layout=DN>>, !pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>]>
        %3 = pto.tile.load.map %x[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [16, 128, 64] dims [2, 0] : memref<16x64xbf16> -> tile<64x16xbf16, #pto.tile_info<loc=Mat, layout=DN>>
        %4 = pto.tile.load.map %w[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i1), (i2)] }"> in [16, 128, 64] dims [1, 2] : memref<128x64xbf16> -> tile<64x64xbf16, #pto.tile_info<loc=Mat>>
        pto.channel.commit %ring, %3, %4 : !pto.channel<3, [!pto.tile<64x16xbf16, #pto.tile_info<loc=Mat, layout=DN>>, !pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>]>, tile<64x16xbf16, #pto.tile_info<loc=Mat, layout=DN>>, tile<64x64xbf16, #pto.tile_info<loc=Mat>>
      }
    }
    %5 = pto.tile.expands 0.000000e+00 : f32 : tile<64x16xf32, #pto.tile_info<loc=Acc>>
    %6 = scf.for %k_1 = %0 to %1 step %2 iter_args(%7 = %5) -> (!pto.tile<64x16xf32, #pto.tile_info<loc=Acc>>) {
      %8, %9 = pto.channel.wait %ring : !pto.channel<3, [!pto.tile<64x16xbf16, #pto.tile_info<loc=Mat, layout=DN>>, !pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>]> -> tile<64x16xbf16, #pto.tile_info<loc=Mat, layout=DN>>, tile<64x64xbf16, #pto.tile_info<loc=Mat>>
      %10 = pto.tile.mov.m2l %9 : tile<64x64xbf16, #pto.tile_info<loc=Mat>> -> tile<64x64xbf16, #pto.tile_info<loc=Left>>
      %11 = pto.tile.mov.m2r %8 : tile<64x16xbf16, #pto.tile_info<loc=Mat, layout=DN>> -> tile<64x16xbf16, #pto.tile_info<loc=Right>>
      %12 = pto.tile.matmul.acc %7, %10, %11 : tile<64x16xf32, #pto.tile_info<loc=Acc>>, tile<64x64xbf16, #pto.tile_info<loc=Left>>, tile<64x16xbf16, #pto.tile_info<loc=Right>> -> tile<64x16xf32, #pto.tile_info<loc=Acc>>
      pto.channel.release %ring : !pto.channel<3, [!pto.tile<64x16xbf16, #pto.tile_info<loc=Mat, layout=DN>>, !pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>]>
      scf.yield %12 : !pto.tile<64x16xf32, #pto.tile_info<loc=Acc>>
    }
    %13 = pto.tile.mov.a2v %6 : tile<64x16xf32, #pto.tile_info<loc=Acc>> -> tile<64x16xf32>
    %14 = pto.tile.cvt %13 : tile<64x16xf32> -> tile<64x16xbf16>
    pto.tile.store.map %14, %c[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [16, 128] dims [1, 0] : tile<64x16xbf16>, memref<16x128xbf16>
  }
}
func.func @host(%x: memref<16x64xbf16>, %w: memref<128x64xbf16>) -> memref<16x128xbf16> {
  %0 = memref.alloc() : memref<16x128xbf16>
  region.launch @k ins(%x, %w : memref<16x64xbf16>, memref<128x64xbf16>) outs(%0 : memref<16x128xbf16>)
  func.return %0 : memref<16x128xbf16>
}

// -----

// Rows of 66 bytes: TMA cannot store them, the epilogue does; epilogue_tile has no meaning there.

// CHECK-LABEL: "gpu.func"
// CHECK: ^bb0(%c: memref<64x33xbf16>, %map_a: !nv.tensor_map<64x64xbf16, b128>, %map_b: !nv.tensor_map<40x64xbf16, b128>):
// CHECK: %smem_a = nv.smem at 0 : !nv.smem<3x64x64xbf16, b128>
// CHECK: %smem_b = nv.smem at 24576 : !nv.smem<3x40x64xbf16, b128>
// CHECK: %full = nv.mbarrier at 39936 : !nv.mbarrier<3>
// CHECK: %empty = nv.mbarrier at 39960 : !nv.mbarrier<3>
// CHECK: nv.single block {
// CHECK: nv.mbarrier.init %full arrivals 1 : !nv.mbarrier<3>
// CHECK: nv.mbarrier.init %empty arrivals 1 : !nv.mbarrier<3>
// CHECK: nv.mbarrier.init_fence
// CHECK: nv.role producer threads 0 to 128 {
// CHECK: nv.single role {
// CHECK: %{{[0-9]+}}, %{{[0-9]+}} = scf.for %item = %block to %c1 step %c1 iter_args(%slot = %c0, %phase = %c0) -> (index, index) {
// CHECK: %{{[0-9]+}}, %{{[0-9]+}} = scf.for %step = %c0 to %STEPS step %c1 iter_args(%slot_1 = %slot, %phase_1 = %phase) -> (index, index) {
// CHECK: nv.mbarrier.wait %empty[%slot_1] parity %{{[0-9]+}} : !nv.mbarrier<3>
// CHECK: nv.mbarrier.expect_tx %full[%slot_1] bytes 13312 : !nv.mbarrier<3>
// CHECK: nv.tma_load %map_a[%c0, %k] to %smem_a[%slot_1, %c0, %c0] signal %full[%slot_1] : !nv.tensor_map<64x64xbf16, b128>, !nv.smem<3x64x64xbf16, b128>, !nv.mbarrier<3>
// CHECK: nv.tma_load %map_b[%n, %k] to %smem_b[%slot_1, %c0, %c0] signal %full[%slot_1] : !nv.tensor_map<40x64xbf16, b128>, !nv.smem<3x40x64xbf16, b128>, !nv.mbarrier<3>
// CHECK: nv.role consumer threads 128 to 256 {
// CHECK: %{{[0-9]+}}, %{{[0-9]+}} = scf.for %item_1 = %block to %c1 step %c1 iter_args(%slot_2 = %c0, %phase_2 = %c0) -> (index, index) {
// CHECK: %acc = nv.frag : !nv.frag<64x40xf32, C of m64k16>
// CHECK: %{{[0-9]+}}, %{{[0-9]+}}, %{{[0-9]+}} = scf.for %step_1 = %c0 to %STEPS step %c1 iter_args(%slot_3 = %slot_2, %phase_3 = %phase_2, %before = %c0) -> (index, index, index) {
// CHECK: nv.mbarrier.wait %full[%slot_3] parity %phase_3 : !nv.mbarrier<3>
// CHECK: nv.wgmma.fence
// CHECK: nv.wgmma.mma %acc, %smem_a[%slot_3, %c0, %c0] ND, %smem_b[%slot_3, %c0, %c0] DN if %adds : !nv.frag<64x40xf32, C of m64k16>, !nv.smem<3x64x64xbf16, b128>, !nv.smem<3x40x64xbf16, b128>
// CHECK: nv.wgmma.mma %acc, %smem_a[%slot_3, %c0, %c16] ND, %smem_b[%slot_3, %c0, %c16] DN : !nv.frag<64x40xf32, C of m64k16>, !nv.smem<3x64x64xbf16, b128>, !nv.smem<3x40x64xbf16, b128>
// CHECK: nv.wgmma.mma %acc, %smem_a[%slot_3, %c0, %c32] ND, %smem_b[%slot_3, %c0, %c32] DN : !nv.frag<64x40xf32, C of m64k16>, !nv.smem<3x64x64xbf16, b128>, !nv.smem<3x40x64xbf16, b128>
// CHECK: nv.wgmma.mma %acc, %smem_a[%slot_3, %c0, %c48] ND, %smem_b[%slot_3, %c0, %c48] DN : !nv.frag<64x40xf32, C of m64k16>, !nv.smem<3x64x64xbf16, b128>, !nv.smem<3x40x64xbf16, b128>
// CHECK: nv.wgmma.commit
// CHECK: nv.wgmma.wait 1
// CHECK: nv.single warpgroup {
// CHECK: nv.mbarrier.arrive %empty[%before] : !nv.mbarrier<3>
// CHECK: nv.wgmma.wait 0
// CHECK: nv.single warpgroup {
// CHECK: nv.mbarrier.arrive %empty[%{{[0-9]+}}] : !nv.mbarrier<3>
// CHECK: nv.epilogue %acc : !nv.frag<64x40xf32, C of m64k16>[%c0, %n_1] in [64, 33] dims [0, 1] guard [1] tile [64, 40] outs(%c : memref<64x33xbf16>) addresses [#poly.map<"{ [i0, i1] -> [(33i0 + i1)] }">] widths [1] {
// CHECK: nv.yield %{{[0-9]+}} : bf16
// CHECK: %{{[0-9]+}} = memref.alloc() : memref<64x33xbf16>
// CHECK: %map_a = nv.tensor_map %x offset 0 sizes [64, 64] strides [64, 1] : memref<64x64xbf16> -> !nv.tensor_map<64x64xbf16, b128>
// CHECK: %map_b = nv.tensor_map %w offset 0 sizes [33, 64] strides [64, 1] : memref<33x64xbf16> -> !nv.tensor_map<40x64xbf16, b128>
// CHECK: nv.launch @kernels::@k grid [1, 1, 1] block [256, 1, 1] shared 39984(%{{[0-9]+}}, %map_a, %map_b : memref<64x33xbf16>, !nv.tensor_map<64x64xbf16, b128>, !nv.tensor_map<40x64xbf16, b128>)

pto.kernel @k(%x: memref<64x64xbf16> align 16, %w: memref<33x64xbf16> align 16) -> (%c: memref<64x33xbf16> align 256 gmem) plan #plan.schedule<{arch = "sm90", tile = [64, 40, 64], stages = 3, warp_tile = "64x40", roles = "cooperative", cache = [{tensor = "A", where = "smem", at = "k.i", pingpong = true}, {tensor = "B", where = "smem", at = "k.i", pingpong = true}], vectorize = {axis = "n.i.i", width = 8}, predicate_tail = ["n.i.i"], epilogue = ["cast"], layout_hints = {A_swizzle = true, B_swizzle = true, C_stride = "row"}, algo_choice = {matmul = "implicit_gemm"}}> {
  pto.tiles (%m, %n) in [64, 33] step [64, 40] {
    %ring = pto.channel : !pto.channel<3, [!pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x40xbf16, #pto.tile_info<loc=Mat, layout=DN>>]>
    %0 = arith.constant 0 : index
    %1 = arith.constant 64 : index
    %2 = arith.constant 64 : index
    pto.process {
      scf.for %k = %0 to %1 step %2 {
        pto.channel.acquire %ring : !pto.channel<3, [!pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x40xbf16, #pto.tile_info<loc=Mat, layout=DN>>]>
        %3 = pto.tile.load.map %x[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [64, 33, 64] dims [0, 2] : memref<64x64xbf16> -> tile<64x64xbf16, #pto.tile_info<loc=Mat>>
        %4 = pto.tile.load.map %w[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i1), (i2)] }"> in [64, 33, 64] dims [2, 1] : memref<33x64xbf16> -> tile<64x40xbf16, #pto.tile_info<loc=Mat, layout=DN>>
        pto.channel.commit %ring, %3, %4 : !pto.channel<3, [!pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x40xbf16, #pto.tile_info<loc=Mat, layout=DN>>]>, tile<64x64xbf16, #pto.tile_info<loc=Mat>>, tile<64x40xbf16, #pto.tile_info<loc=Mat, layout=DN>>
      }
    }
    %5 = pto.tile.expands 0.000000e+00 : f32 : tile<64x40xf32, #pto.tile_info<loc=Acc>>
    %6 = scf.for %k_1 = %0 to %1 step %2 iter_args(%7 = %5) -> (!pto.tile<64x40xf32, #pto.tile_info<loc=Acc>>) {
      %8, %9 = pto.channel.wait %ring : !pto.channel<3, [!pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x40xbf16, #pto.tile_info<loc=Mat, layout=DN>>]> -> tile<64x64xbf16, #pto.tile_info<loc=Mat>>, tile<64x40xbf16, #pto.tile_info<loc=Mat, layout=DN>>
      %10 = pto.tile.mov.m2l %8 : tile<64x64xbf16, #pto.tile_info<loc=Mat>> -> tile<64x64xbf16, #pto.tile_info<loc=Left>>
      %11 = pto.tile.mov.m2r %9 : tile<64x40xbf16, #pto.tile_info<loc=Mat, layout=DN>> -> tile<64x40xbf16, #pto.tile_info<loc=Right>>
      %12 = pto.tile.matmul.acc %7, %10, %11 : tile<64x40xf32, #pto.tile_info<loc=Acc>>, tile<64x64xbf16, #pto.tile_info<loc=Left>>, tile<64x40xbf16, #pto.tile_info<loc=Right>> -> tile<64x40xf32, #pto.tile_info<loc=Acc>>
      pto.channel.release %ring : !pto.channel<3, [!pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x40xbf16, #pto.tile_info<loc=Mat, layout=DN>>]>
      scf.yield %12 : !pto.tile<64x40xf32, #pto.tile_info<loc=Acc>>
    }
    %13 = pto.tile.mov.a2v %6 : tile<64x40xf32, #pto.tile_info<loc=Acc>> -> tile<64x40xf32>
    %14 = pto.tile.cvt %13 : tile<64x40xf32> -> tile<64x40xbf16>
    pto.tile.store.map %14, %c[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [64, 33] dims [0, 1] : tile<64x40xbf16>, memref<64x33xbf16>
  }
}
func.func @host(%x: memref<64x64xbf16>, %w: memref<33x64xbf16>) -> memref<64x33xbf16> {
  %0 = memref.alloc() : memref<64x33xbf16>
  region.launch @k ins(%x, %w : memref<64x64xbf16>, memref<33x64xbf16>) outs(%0 : memref<64x33xbf16>)
  func.return %0 : memref<64x33xbf16>
}
