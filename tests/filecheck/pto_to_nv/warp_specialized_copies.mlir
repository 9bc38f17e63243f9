// RUN: ptir-opt %s -p pto-to-nv --split-input-file | filecheck %s

// Rows of 70 bytes: TMA cannot load B. All producer threads copy it, one step late they make it visible; one of them loads A.

// CHECK-LABEL: "gpu.func"
// CHECK: ^bb0(%w: memref<64x35xbf16>, %out: memref<128x35xf32>, %map_a: !nv.tensor_map<64x64xbf16, b128>):
// CHECK: %smem_a = nv.smem at 0 : !nv.smem<3x64x64xbf16, b128>
// CHECK: %smem_b = nv.smem at 24576 : !nv.smem<3x64x64xbf16, b128>
// CHECK: %full = nv.mbarrier at 49152 : !nv.mbarrier<3>
// CHECK: %empty = nv.mbarrier at 49176 : !nv.mbarrier<3>
// CHECK: nv.single block {
// CHECK: nv.mbarrier.init %full arrivals 129 : !nv.mbarrier<3>
// CHECK: nv.mbarrier.init %empty arrivals 1 : !nv.mbarrier<3>
// CHECK: nv.mbarrier.init_fence
// CHECK: nv.role producer threads 0 to 128 {
// CHECK: nv.commit_group
// CHECK: %{{[0-9]+}}, %{{[0-9]+}}, %{{[0-9]+}}, %{{[0-9]+}} = scf.for %item = %block to %c2 step %c2 iter_args(%slot = %c0, %phase = %c0, %before = %c0, %some = %c0) -> (index, index, index, index) {
// CHECK: %{{[0-9]+}}, %{{[0-9]+}}, %{{[0-9]+}}, %{{[0-9]+}} = scf.for %step = %c0 to %STEPS step %c1 iter_args(%slot_1 = %slot, %phase_1 = %phase, %before_1 = %before, %some_1 = %some) -> (index, index, index, index) {
// CHECK: nv.mbarrier.wait %empty[%slot_1] parity %{{[0-9]+}} : !nv.mbarrier<3>
// CHECK: nv.single role {
// CHECK: nv.mbarrier.expect_tx %full[%slot_1] bytes 8192 : !nv.mbarrier<3>
// CHECK: nv.tma_load %map_a[%m, %k] to %smem_a[%slot_1, %c0, %c0] signal %full[%slot_1] : !nv.tensor_map<64x64xbf16, b128>, !nv.smem<3x64x64xbf16, b128>, !nv.mbarrier<3>
// CHECK: nv.cp_async %w[%m, %c0, %k] to %smem_b[%slot_1] address <"{ [i0, i1, i2] -> [(i1 + 35i2)] }"> in [128, 35, 64] dims [2, 1] guard [1] bytes 2 : memref<64x35xbf16>, !nv.smem<3x64x64xbf16, b128>
// CHECK: nv.commit_group
// CHECK: nv.wait_group 1
// CHECK: nv.fence_async
// CHECK: nv.mbarrier.arrive %full[%before_1] : !nv.mbarrier<3>
// CHECK: nv.wait_group 0
// CHECK: nv.fence_async
// CHECK: nv.mbarrier.arrive %full[%{{[0-9]+}}] : !nv.mbarrier<3>
// CHECK: nv.role consumer threads 128 to 256 {
// CHECK: %{{[0-9]+}}, %{{[0-9]+}} = scf.for %item_1 = %block to %c2 step %c2 iter_args(%slot_2 = %c0, %phase_2 = %c0) -> (index, index) {
// CHECK: %acc = nv.frag : !nv.frag<64x64xf32, C of m64k16>
// CHECK: %{{[0-9]+}}, %{{[0-9]+}}, %{{[0-9]+}} = scf.for %step_1 = %c0 to %STEPS step %c1 iter_args(%slot_3 = %slot_2, %phase_3 = %phase_2, %before_2 = %c0) -> (index, index, index) {
// CHECK: nv.mbarrier.wait %full[%slot_3] parity %phase_3 : !nv.mbarrier<3>
// CHECK: nv.wgmma.fence
// CHECK: nv.wgmma.mma %acc, %smem_a[%slot_3, %c0, %c0] ND, %smem_b[%slot_3, %c0, %c0] ND if %adds : !nv.frag<64x64xf32, C of m64k16>, !nv.smem<3x64x64xbf16, b128>, !nv.smem<3x64x64xbf16, b128>
// CHECK: nv.wgmma.mma %acc, %smem_a[%slot_3, %c0, %c16] ND, %smem_b[%slot_3, %c16, %c0] ND : !nv.frag<64x64xf32, C of m64k16>, !nv.smem<3x64x64xbf16, b128>, !nv.smem<3x64x64xbf16, b128>
// CHECK: nv.wgmma.mma %acc, %smem_a[%slot_3, %c0, %c32] ND, %smem_b[%slot_3, %c32, %c0] ND : !nv.frag<64x64xf32, C of m64k16>, !nv.smem<3x64x64xbf16, b128>, !nv.smem<3x64x64xbf16, b128>
// CHECK: nv.wgmma.mma %acc, %smem_a[%slot_3, %c0, %c48] ND, %smem_b[%slot_3, %c48, %c0] ND : !nv.frag<64x64xf32, C of m64k16>, !nv.smem<3x64x64xbf16, b128>, !nv.smem<3x64x64xbf16, b128>
// CHECK: nv.wgmma.commit
// CHECK: nv.wgmma.wait 1
// CHECK: nv.single warpgroup {
// CHECK: nv.mbarrier.arrive %empty[%before_2] : !nv.mbarrier<3>
// CHECK: nv.wgmma.wait 0
// CHECK: nv.single warpgroup {
// CHECK: nv.mbarrier.arrive %empty[%{{[0-9]+}}] : !nv.mbarrier<3>
// CHECK: nv.epilogue %acc : !nv.frag<64x64xf32, C of m64k16>[%m_1, %c0] in [128, 35] dims [0, 1] guard [1] tile [64, 64] outs(%out : memref<128x35xf32>) addresses [#poly.map<"{ [i0, i1] -> [(35i0 + i1)] }">] widths [1] {
// CHECK: nv.yield %acc_1 : f32
// CHECK: %{{[0-9]+}} = memref.alloc() : memref<128x35xf32>
// CHECK: %map_a = nv.tensor_map %x offset 0 sizes [128, 64] strides [64, 1] : memref<128x64xbf16> -> !nv.tensor_map<64x64xbf16, b128>
// CHECK: nv.launch @kernels::@k grid [2, 1, 1] block [256, 1, 1] shared 49200(%w, %{{[0-9]+}}, %map_a : memref<64x35xbf16>, memref<128x35xf32>, !nv.tensor_map<64x64xbf16, b128>)

pto.kernel @k(%x: memref<128x64xbf16> align 16, %w: memref<64x35xbf16> align 16) -> (%0: memref<128x35xf32> align 256 gmem) plan #plan.schedule<{arch = "sm90", tile = [64, 64, 64], stages = 3, warp_tile = "64x64", roles = "cooperative", cache = [{tensor = "A", where = "smem", at = "k.i", pingpong = true}, {tensor = "B", where = "smem", at = "k.i", pingpong = true}], vectorize = {axis = "n.i.i", width = 8}, predicate_tail = ["n.i.i"], layout_hints = {A_swizzle = true, B_swizzle = true, C_stride = "row"}, algo_choice = {matmul = "implicit_gemm"}}> {
  pto.tiles (%m, %n) in [128, 35] step [64, 64] {
    %ring = pto.channel : !pto.channel<3, [!pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>]>
    %1 = arith.constant 0 : index
    %2 = arith.constant 64 : index
    %3 = arith.constant 64 : index
    pto.process {
      scf.for %k = %1 to %2 step %3 {
        pto.channel.acquire %ring : !pto.channel<3, [!pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>]>
        %4 = pto.tile.load.map %x[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [128, 35, 64] dims [0, 2] : memref<128x64xbf16> -> tile<64x64xbf16, #pto.tile_info<loc=Mat>>
        %5 = pto.tile.load.map %w[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [128, 35, 64] dims [2, 1] : memref<64x35xbf16> -> tile<64x64xbf16, #pto.tile_info<loc=Mat>>
        pto.channel.commit %ring, %4, %5 : !pto.channel<3, [!pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>]>, tile<64x64xbf16, #pto.tile_info<loc=Mat>>, tile<64x64xbf16, #pto.tile_info<loc=Mat>>
      }
    }
    %6 = pto.tile.expands 0.000000e+00 : f32 : tile<64x64xf32, #pto.tile_info<loc=Acc>>
    %7 = scf.for %k_1 = %1 to %2 step %3 iter_args(%8 = %6) -> (!pto.tile<64x64xf32, #pto.tile_info<loc=Acc>>) {
      %9, %10 = pto.channel.wait %ring : !pto.channel<3, [!pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>]> -> tile<64x64xbf16, #pto.tile_info<loc=Mat>>, tile<64x64xbf16, #pto.tile_info<loc=Mat>>
      %11 = pto.tile.mov.m2l %9 : tile<64x64xbf16, #pto.tile_info<loc=Mat>> -> tile<64x64xbf16, #pto.tile_info<loc=Left>>
      %12 = pto.tile.mov.m2r %10 : tile<64x64xbf16, #pto.tile_info<loc=Mat>> -> tile<64x64xbf16, #pto.tile_info<loc=Right>>
      %13 = pto.tile.matmul.acc %8, %11, %12 : tile<64x64xf32, #pto.tile_info<loc=Acc>>, tile<64x64xbf16, #pto.tile_info<loc=Left>>, tile<64x64xbf16, #pto.tile_info<loc=Right>> -> tile<64x64xf32, #pto.tile_info<loc=Acc>>
      pto.channel.release %ring : !pto.channel<3, [!pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>]>
      scf.yield %13 : !pto.tile<64x64xf32, #pto.tile_info<loc=Acc>>
    }
    %14 = pto.tile.mov.a2v %7 : tile<64x64xf32, #pto.tile_info<loc=Acc>> -> tile<64x64xf32>
    pto.tile.store.map %14, %0[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [128, 35] dims [0, 1] : tile<64x64xf32>, memref<128x35xf32>
  }
}
func.func @host(%x: memref<128x64xbf16>, %w: memref<64x35xbf16>) -> memref<128x35xf32> {
  %0 = memref.alloc() : memref<128x35xf32>
  region.launch @k ins(%x, %w : memref<128x64xbf16>, memref<64x35xbf16>) outs(%0 : memref<128x35xf32>)
  func.return %0 : memref<128x35xf32>
}

// -----

// Bytes with neighbours across k: wgmma reads them along k only, so B is copied element by element.

// CHECK-LABEL: "gpu.func"
// CHECK: ^bb0(%w: memref<128x64xi8>, %map_a: !nv.tensor_map<64x128xi8, b128>, %map_out: !nv.tensor_map<16x32xi32, b128>):
// CHECK: %smem_a = nv.smem at 0 : !nv.smem<3x64x128xi8, b128>
// CHECK: %smem_b = nv.smem at 24576 : !nv.smem<3x64x128xi8, b128>
// CHECK: %smem_out = nv.smem at 49152 : !nv.smem<2x64x32xi32, b128>
// CHECK: %full = nv.mbarrier at 65536 : !nv.mbarrier<3>
// CHECK: %empty = nv.mbarrier at 65560 : !nv.mbarrier<3>
// CHECK: nv.single block {
// CHECK: nv.mbarrier.init %full arrivals 129 : !nv.mbarrier<3>
// CHECK: nv.mbarrier.init %empty arrivals 1 : !nv.mbarrier<3>
// CHECK: nv.mbarrier.init_fence
// CHECK: nv.role producer threads 0 to 128 {
// CHECK: nv.commit_group
// CHECK: %{{[0-9]+}}, %{{[0-9]+}}, %{{[0-9]+}}, %{{[0-9]+}} = scf.for %item = %block to %c1 step %c1 iter_args(%slot = %c0, %phase = %c0, %before = %c0, %some = %c0) -> (index, index, index, index) {
// CHECK: %{{[0-9]+}}, %{{[0-9]+}}, %{{[0-9]+}}, %{{[0-9]+}} = scf.for %step = %c0 to %STEPS step %c1 iter_args(%slot_1 = %slot, %phase_1 = %phase, %before_1 = %before, %some_1 = %some) -> (index, index, index, index) {
// CHECK: nv.mbarrier.wait %empty[%slot_1] parity %{{[0-9]+}} : !nv.mbarrier<3>
// CHECK: nv.single role {
// CHECK: nv.mbarrier.expect_tx %full[%slot_1] bytes 8192 : !nv.mbarrier<3>
// CHECK: nv.tma_load %map_a[%c0, %k] to %smem_a[%slot_1, %c0, %c0] signal %full[%slot_1] : !nv.tensor_map<64x128xi8, b128>, !nv.smem<3x64x128xi8, b128>, !nv.mbarrier<3>
// CHECK: nv.cp_async %w[%c0, %n, %k] to %smem_b[%slot_1] address <"{ [i0, i1, i2] -> [(i1 + 64i2)] }"> in [64, 64, 128] dims [1, 2] guard [] bytes 1 : memref<128x64xi8>, !nv.smem<3x64x128xi8, b128>
// CHECK: nv.commit_group
// CHECK: nv.wait_group 1
// CHECK: nv.fence_async
// CHECK: nv.mbarrier.arrive %full[%before_1] : !nv.mbarrier<3>
// CHECK: nv.wait_group 0
// CHECK: nv.fence_async
// CHECK: nv.mbarrier.arrive %full[%{{[0-9]+}}] : !nv.mbarrier<3>
// CHECK: nv.role consumer threads 128 to 256 {
// CHECK: %{{[0-9]+}}, %{{[0-9]+}} = scf.for %item_1 = %block to %c1 step %c1 iter_args(%slot_2 = %c0, %phase_2 = %c0) -> (index, index) {
// CHECK: %acc = nv.frag : !nv.frag<64x64xi32, C of m64k32_i8>
// CHECK: %{{[0-9]+}}, %{{[0-9]+}}, %{{[0-9]+}} = scf.for %step_1 = %c0 to %STEPS step %c1 iter_args(%slot_3 = %slot_2, %phase_3 = %phase_2, %before_2 = %c0) -> (index, index, index) {
// CHECK: nv.mbarrier.wait %full[%slot_3] parity %phase_3 : !nv.mbarrier<3>
// CHECK: nv.wgmma.fence
// CHECK: nv.wgmma.mma %acc, %smem_a[%slot_3, %c0, %c0] ND, %smem_b[%slot_3, %c0, %c0] DN if %adds : !nv.frag<64x64xi32, C of m64k32_i8>, !nv.smem<3x64x128xi8, b128>, !nv.smem<3x64x128xi8, b128>
// CHECK: nv.wgmma.mma %acc, %smem_a[%slot_3, %c0, %c32] ND, %smem_b[%slot_3, %c0, %c32] DN : !nv.frag<64x64xi32, C of m64k32_i8>, !nv.smem<3x64x128xi8, b128>, !nv.smem<3x64x128xi8, b128>
// CHECK: nv.wgmma.mma %acc, %smem_a[%slot_3, %c0, %c64] ND, %smem_b[%slot_3, %c0, %c64] DN : !nv.frag<64x64xi32, C of m64k32_i8>, !nv.smem<3x64x128xi8, b128>, !nv.smem<3x64x128xi8, b128>
// CHECK: nv.wgmma.mma %acc, %smem_a[%slot_3, %c0, %c96] ND, %smem_b[%slot_3, %c0, %c96] DN : !nv.frag<64x64xi32, C of m64k32_i8>, !nv.smem<3x64x128xi8, b128>, !nv.smem<3x64x128xi8, b128>
// CHECK: nv.wgmma.commit
// CHECK: nv.wgmma.wait 1
// CHECK: nv.single warpgroup {
// CHECK: nv.mbarrier.arrive %empty[%before_2] : !nv.mbarrier<3>
// CHECK: nv.wgmma.wait 0
// CHECK: nv.single warpgroup {
// CHECK: nv.mbarrier.arrive %empty[%{{[0-9]+}}] : !nv.mbarrier<3>
// CHECK: %out_tile = nv.epilogue %acc : !nv.frag<64x64xi32, C of m64k32_i8> column 0[%c0, %n_1] in [64, 64] dims [0, 1] guard [] tile [64, 32] addresses [] widths [] -> !nv.frag<64x32xi32, C of m64k32_i8> {
// CHECK: nv.yield %acc_1 : i32
// CHECK: nv.single warp {
// CHECK: nv.bulk.wait_read 0
// CHECK: nv.warp_sync
// CHECK: nv.stmatrix %out_tile column 0 ND to %smem_out[%c0, %c0, %c0] : !nv.frag<64x32xi32, C of m64k32_i8>, !nv.smem<2x64x32xi32, b128>
// CHECK: %out_tile_1 = nv.epilogue %acc : !nv.frag<64x64xi32, C of m64k32_i8> column 32[%c0, %n_1] in [64, 64] dims [0, 1] guard [] tile [64, 32] addresses [] widths [] -> !nv.frag<64x32xi32, C of m64k32_i8> {
// CHECK: nv.yield %acc_2 : i32
// CHECK: nv.stmatrix %out_tile_1 column 0 ND to %smem_out[%c1, %c0, %c0] : !nv.frag<64x32xi32, C of m64k32_i8>, !nv.smem<2x64x32xi32, b128>
// CHECK-NEXT: nv.fence_async
// CHECK-NEXT: nv.warp_sync
// CHECK-NEXT: nv.single warp {
// CHECK: %warp = nv.warp
// CHECK: nv.tma_store %smem_out[%c0, %warp_row, %c0] to %map_out[%{{warp_row|box_row}}, %n_1] : !nv.smem<2x64x32xi32, b128>, !nv.tensor_map<16x32xi32, b128>
// CHECK: nv.tma_store %smem_out[%c1, %warp_row_1, %c0] to %map_out[%{{warp_row|box_row}}_1, %box_column] : !nv.smem<2x64x32xi32, b128>, !nv.tensor_map<16x32xi32, b128>
// CHECK-NEXT: nv.bulk.commit
// CHECK: nv.single warp {
// CHECK: nv.bulk.wait_read 0
// CHECK: %{{[0-9]+}} = memref.alloc() : memref<64x64xi32>
// CHECK: %map_a = nv.tensor_map %x offset 0 sizes [64, 128] strides [128, 1] : memref<64x128xi8> -> !nv.tensor_map<64x128xi8, b128>
// CHECK: %map_out = nv.tensor_map %{{[0-9]+}} offset 0 sizes [64, 64] strides [64, 1] : memref<64x64xi32> -> !nv.tensor_map<16x32xi32, b128>
// CHECK: nv.launch @kernels::@k grid [1, 1, 1] block [256, 1, 1] shared 65584(%w, %map_a, %map_out : memref<128x64xi8>, !nv.tensor_map<64x128xi8, b128>, !nv.tensor_map<16x32xi32, b128>)

pto.kernel @k(%x: memref<64x128xi8> align 16, %w: memref<128x64xi8> align 16) -> (%0: memref<64x64xi32> align 256 gmem) plan #plan.schedule<{arch = "sm90", tile = [64, 64, 128], stages = 3, warp_tile = "64x64", roles = "cooperative", cache = [{tensor = "A", where = "smem", at = "k.i", pingpong = true}, {tensor = "B", where = "smem", at = "k.i", pingpong = true}], vectorize = {axis = "n.i.i", width = 8}, layout_hints = {A_swizzle = true, B_swizzle = true, C_stride = "row"}, algo_choice = {matmul = "implicit_gemm"}}> {
  pto.tiles (%m, %n) in [64, 64] step [64, 64] {
    %ring = pto.channel : !pto.channel<3, [!pto.tile<64x128xi8, #pto.tile_info<loc=Mat>>, !pto.tile<128x64xi8, #pto.tile_info<loc=Mat>>]>
    %1 = arith.constant 0 : index
    %2 = arith.constant 128 : index
    %3 = arith.constant 128 : index
    pto.process {
      scf.for %k = %1 to %2 step %3 {
        pto.channel.acquire %ring : !pto.channel<3, [!pto.tile<64x128xi8, #pto.tile_info<loc=Mat>>, !pto.tile<128x64xi8, #pto.tile_info<loc=Mat>>]>
        %4 = pto.tile.load.map %x[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [64, 64, 128] dims [0, 2] : memref<64x128xi8> -> tile<64x128xi8, #pto.tile_info<loc=Mat>>
        %5 = pto.tile.load.map %w[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [64, 64, 128] dims [2, 1] : memref<128x64xi8> -> tile<128x64xi8, #pto.tile_info<loc=Mat>>
        pto.channel.commit %ring, %4, %5 : !pto.channel<3, [!pto.tile<64x128xi8, #pto.tile_info<loc=Mat>>, !pto.tile<128x64xi8, #pto.tile_info<loc=Mat>>]>, tile<64x128xi8, #pto.tile_info<loc=Mat>>, tile<128x64xi8, #pto.tile_info<loc=Mat>>
      }
    }
    %6 = pto.tile.expands 0 : i32 : tile<64x64xi32, #pto.tile_info<loc=Acc>>
    %7 = scf.for %k_1 = %1 to %2 step %3 iter_args(%8 = %6) -> (!pto.tile<64x64xi32, #pto.tile_info<loc=Acc>>) {
      %9, %10 = pto.channel.wait %ring : !pto.channel<3, [!pto.tile<64x128xi8, #pto.tile_info<loc=Mat>>, !pto.tile<128x64xi8, #pto.tile_info<loc=Mat>>]> -> tile<64x128xi8, #pto.tile_info<loc=Mat>>, tile<128x64xi8, #pto.tile_info<loc=Mat>>
      %11 = pto.tile.mov.m2l %9 : tile<64x128xi8, #pto.tile_info<loc=Mat>> -> tile<64x128xi8, #pto.tile_info<loc=Left>>
      %12 = pto.tile.mov.m2r %10 : tile<128x64xi8, #pto.tile_info<loc=Mat>> -> tile<128x64xi8, #pto.tile_info<loc=Right>>
      %13 = pto.tile.matmul.acc %8, %11, %12 : tile<64x64xi32, #pto.tile_info<loc=Acc>>, tile<64x128xi8, #pto.tile_info<loc=Left>>, tile<128x64xi8, #pto.tile_info<loc=Right>> -> tile<64x64xi32, #pto.tile_info<loc=Acc>>
      pto.channel.release %ring : !pto.channel<3, [!pto.tile<64x128xi8, #pto.tile_info<loc=Mat>>, !pto.tile<128x64xi8, #pto.tile_info<loc=Mat>>]>
      scf.yield %13 : !pto.tile<64x64xi32, #pto.tile_info<loc=Acc>>
    }
    %14 = pto.tile.mov.a2v %7 : tile<64x64xi32, #pto.tile_info<loc=Acc>> -> tile<64x64xi32>
    pto.tile.store.map %14, %0[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [64, 64] dims [0, 1] : tile<64x64xi32>, memref<64x64xi32>
  }
}
func.func @host(%x: memref<64x128xi8>, %w: memref<128x64xi8>) -> memref<64x64xi32> {
  %0 = memref.alloc() : memref<64x64xi32>
  region.launch @k ins(%x, %w : memref<64x128xi8>, memref<128x64xi8>) outs(%0 : memref<64x64xi32>)
  func.return %0 : memref<64x64xi32>
}
