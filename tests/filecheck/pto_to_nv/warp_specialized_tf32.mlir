// RUN: ptir-opt %s -p pto-to-nv --split-input-file | filecheck %s

// tf32: TMA rounds A on the way to shared memory, threads round B, whose rows are of 132 bytes: wgmma only cuts off.

// CHECK-LABEL: "gpu.func"
// CHECK: ^bb0(%w: memref<64x33xf32>, %out: memref<64x33xf32>, %map_a: !nv.tensor_map<64x32xf32, b128>):
// CHECK: nv.tma_load %map_a[%c0, %k] to %smem_a[%slot_1, %c0, %c0] signal %full[%slot_1] : !nv.tensor_map<64x32xf32, b128>, !nv.smem<3x64x32xf32, b128>, !nv.mbarrier<3>
// CHECK: nv.cp_async %w[%c0, %n, %k] to %smem_b[%slot_1] address <"{ [i0, i1, i2] -> [(i1 + 33i2)] }"> in [64, 33, 64] dims [1, 2] guard [1] bytes 4 tf32 : memref<64x33xf32>, !nv.smem<3x40x32xf32, b128>
// CHECK: nv.wgmma.mma %acc, %smem_a[%slot_3, %c0, %c0] ND, %smem_b[%slot_3, %c0, %c0] DN if %adds : !nv.frag<64x40xf32, C of m64k8>, !nv.smem<3x64x32xf32, b128>, !nv.smem<3x40x32xf32, b128>
// CHECK: nv.wgmma.mma %acc, %smem_a[%slot_3, %c0, %c8] ND, %smem_b[%slot_3, %c0, %c8] DN : !nv.frag<64x40xf32, C of m64k8>, !nv.smem<3x64x32xf32, b128>, !nv.smem<3x40x32xf32, b128>
// CHECK: nv.wgmma.mma %acc, %smem_a[%slot_3, %c0, %c16] ND, %smem_b[%slot_3, %c0, %c16] DN : !nv.frag<64x40xf32, C of m64k8>, !nv.smem<3x64x32xf32, b128>, !nv.smem<3x40x32xf32, b128>
// CHECK: nv.wgmma.mma %acc, %smem_a[%slot_3, %c0, %c24] ND, %smem_b[%slot_3, %c0, %c24] DN : !nv.frag<64x40xf32, C of m64k8>, !nv.smem<3x64x32xf32, b128>, !nv.smem<3x40x32xf32, b128>
// CHECK: %map_a = nv.tensor_map %x offset 0 sizes [64, 64] strides [64, 1] tf32 : memref<64x64xf32> -> !nv.tensor_map<64x32xf32, b128>
// CHECK: nv.launch @kernels::@k grid [1, 1, 1] block [256, 1, 1] shared 39984(%w, %{{[0-9]+}}, %map_a : memref<64x33xf32>, memref<64x33xf32>, !nv.tensor_map<64x32xf32, b128>)

pto.kernel @k(%x: memref<64x64xf32> align 16, %w: memref<64x33xf32> align 16) -> (%0: memref<64x33xf32> align 256 gmem) plan #plan.schedule<{arch = "sm90", tile = [64, 40, 32], stages = 3, warp_tile = "64x40", roles = "cooperative", cache = [{tensor = "A", where = "smem", at = "k.i", pingpong = true}, {tensor = "B", where = "smem", at = "k.i", pingpong = true}], vectorize = {axis = "n.i.i", width = 8}, predicate_tail = ["n.i.i"], layout_hints = {A_swizzle = true, B_swizzle = true, C_stride = "row"}, algo_choice = {matmul = "implicit_gemm"}}> {
  pto.tiles (%m, %n) in [64, 33] step [64, 40] {
    %ring = pto.channel : !pto.channel<3, [!pto.tile<64x32xf32, #pto.tile_info<loc=Mat>>, !pto.tile<32x40xf32, #pto.tile_info<loc=Mat>>]>
    %1 = arith.constant 0 : index
    %2 = arith.constant 64 : index
    %3 = arith.constant 32 : index
    pto.process {
      scf.for %k = %1 to %2 step %3 {
        pto.channel.acquire %ring : !pto.channel<3, [!pto.tile<64x32xf32, #pto.tile_info<loc=Mat>>, !pto.tile<32x40xf32, #pto.tile_info<loc=Mat>>]>
        %4 = pto.tile.load.map %x[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [64, 33, 64] dims [0, 2] : memref<64x64xf32> -> tile<64x32xf32, #pto.tile_info<loc=Mat>>
        %5 = pto.tile.load.map %w[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [64, 33, 64] dims [2, 1] : memref<64x33xf32> -> tile<32x40xf32, #pto.tile_info<loc=Mat>>
        pto.channel.commit %ring, %4, %5 : !pto.channel<3, [!pto.tile<64x32xf32, #pto.tile_info<loc=Mat>>, !pto.tile<32x40xf32, #pto.tile_info<loc=Mat>>]>, tile<64x32xf32, #pto.tile_info<loc=Mat>>, tile<32x40xf32, #pto.tile_info<loc=Mat>>
      }
    }
    %6 = pto.tile.expands 0.000000e+00 : f32 : tile<64x40xf32, #pto.tile_info<loc=Acc>>
    %7 = scf.for %k_1 = %1 to %2 step %3 iter_args(%8 = %6) -> (!pto.tile<64x40xf32, #pto.tile_info<loc=Acc>>) {
      %9, %10 = pto.channel.wait %ring : !pto.channel<3, [!pto.tile<64x32xf32, #pto.tile_info<loc=Mat>>, !pto.tile<32x40xf32, #pto.tile_info<loc=Mat>>]> -> tile<64x32xf32, #pto.tile_info<loc=Mat>>, tile<32x40xf32, #pto.tile_info<loc=Mat>>
      %11 = pto.tile.mov.m2l %9 : tile<64x32xf32, #pto.tile_info<loc=Mat>> -> tile<64x32xf32, #pto.tile_info<loc=Left>>
      %12 = pto.tile.mov.m2r %10 : tile<32x40xf32, #pto.tile_info<loc=Mat>> -> tile<32x40xf32, #pto.tile_info<loc=Right>>
      %13 = pto.tile.matmul.acc %8, %11, %12 precision tf32 : tile<64x40xf32, #pto.tile_info<loc=Acc>>, tile<64x32xf32, #pto.tile_info<loc=Left>>, tile<32x40xf32, #pto.tile_info<loc=Right>> -> tile<64x40xf32, #pto.tile_info<loc=Acc>>
      pto.channel.release %ring : !pto.channel<3, [!pto.tile<64x32xf32, #pto.tile_info<loc=Mat>>, !pto.tile<32x40xf32, #pto.tile_info<loc=Mat>>]>
      scf.yield %13 : !pto.tile<64x40xf32, #pto.tile_info<loc=Acc>>
    }
    %14 = pto.tile.mov.a2v %7 : tile<64x40xf32, #pto.tile_info<loc=Acc>> -> tile<64x40xf32>
    pto.tile.store.map %14, %0[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [64, 33] dims [0, 1] : tile<64x40xf32>, memref<64x33xf32>
  }
}
func.func @host(%x: memref<64x64xf32>, %w: memref<64x33xf32>) -> memref<64x33xf32> {
  %0 = memref.alloc() : memref<64x33xf32>
  region.launch @k ins(%x, %w : memref<64x64xf32>, memref<64x33xf32>) outs(%0 : memref<64x33xf32>)
  func.return %0 : memref<64x33xf32>
}
