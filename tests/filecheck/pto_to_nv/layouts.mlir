// RUN: ptir-opt %s -p pto-to-nv --split-input-file | filecheck %s

// [M, K] and [K, N]: both row-major as the operands are.

// CHECK-LABEL: "gpu.func"
// CHECK: %smem_a = nv.smem at 0 : !nv.smem<2x16x16xbf16, xor>
// CHECK: %smem_b = nv.smem at 1024 : !nv.smem<2x16x16xbf16, xor>
// CHECK: nv.copy_offsets %a0[{{.*}}] to %smem_a address <"{ [i0, i1, i2] -> [(16i0 + i2)] }"> in [16, 16, 16] dims [0, 2] guard [] bytes 16
// CHECK: nv.copy_offsets %a1[{{.*}}] to %smem_b address <"{ [i0, i1, i2] -> [(i1 + 16i2)] }"> in [16, 16, 16] dims [2, 1] guard [] bytes 16
// CHECK: nv.ldmatrix %smem_a[%slot, %warp_m, %c0] ND to %frag_a : !nv.smem<2x16x16xbf16, xor>, !nv.frag<16x16xbf16, A of m16n8k16>
// CHECK: nv.ldmatrix %smem_b[%slot, %c0, %c0] ND to %frag_b : !nv.smem<2x16x16xbf16, xor>, !nv.frag<16x16xbf16, B of m16n8k16>

pto.kernel @f_0(%a0: memref<16x16xbf16> align 16, %a1: memref<16x16xbf16> align 16) -> (%0: memref<16x16xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 16], stages = 2, warp_tile = "16x16", vectorize = {axis = "n.i.i", width = 2}}> {
  pto.tiles (%m, %n) in [16, 16] step [16, 16] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
    %1 = arith.constant 0 : index
    %2 = arith.constant 16 : index
    %3 = arith.constant 16 : index
    pto.process {
      scf.for %k = %1 to %2 step %3 {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
        %4 = pto.tile.load.map %a0[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [16, 16, 16] dims [0, 2] : memref<16x16xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        %5 = pto.tile.load.map %a1[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [16, 16, 16] dims [2, 1] : memref<16x16xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        pto.channel.commit %ring, %4, %5 : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>
      }
    }
    %6 = pto.tile.expands 0.000000e+00 : f32 : tile<16x16xf32, #pto.tile_info<loc=Acc>>
    %7 = scf.for %k_1 = %1 to %2 step %3 iter_args(%8 = %6) -> (!pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>) {
      %9, %10 = pto.channel.wait %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>
      %11 = pto.tile.mov.m2l %9 : tile<16x16xbf16, #pto.tile_info<loc=Mat>> -> tile<16x16xbf16, #pto.tile_info<loc=Left>>
      %12 = pto.tile.mov.m2r %10 : tile<16x16xbf16, #pto.tile_info<loc=Mat>> -> tile<16x16xbf16, #pto.tile_info<loc=Right>>
      %13 = pto.tile.matmul.acc %8, %11, %12 : tile<16x16xf32, #pto.tile_info<loc=Acc>>, tile<16x16xbf16, #pto.tile_info<loc=Left>>, tile<16x16xbf16, #pto.tile_info<loc=Right>> -> tile<16x16xf32, #pto.tile_info<loc=Acc>>
      pto.channel.release %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
      scf.yield %13 : !pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>
    }
    %14 = pto.tile.mov.a2v %7 : tile<16x16xf32, #pto.tile_info<loc=Acc>> -> tile<16x16xf32>
    pto.tile.store.map %14, %0[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [16, 16] dims [0, 1] : tile<16x16xf32>, memref<16x16xf32>
  }
}
func.func @f(%a0: memref<16x16xbf16>, %a1: memref<16x16xbf16>) -> memref<16x16xf32> {
  %0 = memref.alloc() : memref<16x16xf32>
  region.launch @f_0 ins(%a0, %a1 : memref<16x16xbf16>, memref<16x16xbf16>) outs(%0 : memref<16x16xf32>)
  func.return %0 : memref<16x16xf32>
}

// -----

// [N, K] weights: columns of B are the rows of the tile.

// CHECK-LABEL: "gpu.func"
// CHECK: %smem_a = nv.smem at 0 : !nv.smem<2x16x16xbf16, xor>
// CHECK: %smem_b = nv.smem at 1024 : !nv.smem<2x16x16xbf16, xor>
// CHECK: nv.copy_offsets %a0[{{.*}}] to %smem_a address <"{ [i0, i1, i2] -> [(16i0 + i2)] }"> in [16, 16, 16] dims [0, 2] guard [] bytes 16
// CHECK: nv.copy_offsets %a0[{{.*}}] to %smem_b address <"{ [i0, i1, i2] -> [(16i1 + i2)] }"> in [16, 16, 16] dims [1, 2] guard [] bytes 16
// CHECK: nv.ldmatrix %smem_a[%slot, %warp_m, %c0] ND to %frag_a : !nv.smem<2x16x16xbf16, xor>, !nv.frag<16x16xbf16, A of m16n8k16>
// CHECK: nv.ldmatrix %smem_b[%slot, %c0, %c0] DN to %frag_b : !nv.smem<2x16x16xbf16, xor>, !nv.frag<16x16xbf16, B of m16n8k16>

pto.kernel @f_0(%a0: memref<16x16xbf16> align 16) -> (%0: memref<16x16xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 16], stages = 2, warp_tile = "16x16", vectorize = {axis = "n.i.i", width = 2}}> {
  pto.tiles (%m, %n) in [16, 16] step [16, 16] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat, layout=DN>>]>
    %1 = arith.constant 0 : index
    %2 = arith.constant 16 : index
    %3 = arith.constant 16 : index
    pto.process {
      scf.for %k = %1 to %2 step %3 {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat, layout=DN>>]>
        %4 = pto.tile.load.map %a0[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [16, 16, 16] dims [0, 2] : memref<16x16xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        %5 = pto.tile.load.map %a0[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i1), (i2)] }"> in [16, 16, 16] dims [2, 1] : memref<16x16xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat, layout=DN>>
        pto.channel.commit %ring, %4, %5 : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat, layout=DN>>]>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x16xbf16, #pto.tile_info<loc=Mat, layout=DN>>
      }
    }
    %6 = pto.tile.expands 0.000000e+00 : f32 : tile<16x16xf32, #pto.tile_info<loc=Acc>>
    %7 = scf.for %k_1 = %1 to %2 step %3 iter_args(%8 = %6) -> (!pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>) {
      %9, %10 = pto.channel.wait %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat, layout=DN>>]> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x16xbf16, #pto.tile_info<loc=Mat, layout=DN>>
      %11 = pto.tile.mov.m2l %9 : tile<16x16xbf16, #pto.tile_info<loc=Mat>> -> tile<16x16xbf16, #pto.tile_info<loc=Left>>
      %12 = pto.tile.mov.m2r %10 : tile<16x16xbf16, #pto.tile_info<loc=Mat, layout=DN>> -> tile<16x16xbf16, #pto.tile_info<loc=Right>>
      %13 = pto.tile.matmul.acc %8, %11, %12 : tile<16x16xf32, #pto.tile_info<loc=Acc>>, tile<16x16xbf16, #pto.tile_info<loc=Left>>, tile<16x16xbf16, #pto.tile_info<loc=Right>> -> tile<16x16xf32, #pto.tile_info<loc=Acc>>
      pto.channel.release %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat, layout=DN>>]>
      scf.yield %13 : !pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>
    }
    %14 = pto.tile.mov.a2v %7 : tile<16x16xf32, #pto.tile_info<loc=Acc>> -> tile<16x16xf32>
    pto.tile.store.map %14, %0[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [16, 16] dims [0, 1] : tile<16x16xf32>, memref<16x16xf32>
  }
}
func.func @f(%a0: memref<16x16xbf16>) -> memref<16x16xf32> {
  %0 = memref.alloc() : memref<16x16xf32>
  region.launch @f_0 ins(%a0 : memref<16x16xbf16>) outs(%0 : memref<16x16xf32>)
  func.return %0 : memref<16x16xf32>
}

// -----

// [K, M] and [N, K]: both turned.

// CHECK-LABEL: "gpu.func"
// CHECK: %smem_a = nv.smem at 0 : !nv.smem<2x16x16xbf16, xor>
// CHECK: %smem_b = nv.smem at 1024 : !nv.smem<2x16x16xbf16, xor>
// CHECK: nv.copy_offsets %a0[{{.*}}] to %smem_a address <"{ [i0, i1, i2] -> [(i0 + 16i2)] }"> in [16, 16, 16] dims [2, 0] guard [] bytes 16
// CHECK: nv.copy_offsets %a1[{{.*}}] to %smem_b address <"{ [i0, i1, i2] -> [(16i1 + i2)] }"> in [16, 16, 16] dims [1, 2] guard [] bytes 16
// CHECK: nv.ldmatrix %smem_a[%slot, %c0, %warp_m] DN to %frag_a : !nv.smem<2x16x16xbf16, xor>, !nv.frag<16x16xbf16, A of m16n8k16>
// CHECK: nv.ldmatrix %smem_b[%slot, %c0, %c0] DN to %frag_b : !nv.smem<2x16x16xbf16, xor>, !nv.frag<16x16xbf16, B of m16n8k16>

pto.kernel @f_0(%a0: memref<16x16xbf16> align 16, %a1: memref<16x16xbf16> align 16) -> (%0: memref<16x16xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 16], stages = 2, warp_tile = "16x16", vectorize = {axis = "n.i.i", width = 2}}> {
  pto.tiles (%m, %n) in [16, 16] step [16, 16] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat, layout=DN>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat, layout=DN>>]>
    %1 = arith.constant 0 : index
    %2 = arith.constant 16 : index
    %3 = arith.constant 16 : index
    pto.process {
      scf.for %k = %1 to %2 step %3 {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat, layout=DN>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat, layout=DN>>]>
        %4 = pto.tile.load.map %a0[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i0)] }"> in [16, 16, 16] dims [0, 2] : memref<16x16xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat, layout=DN>>
        %5 = pto.tile.load.map %a1[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i1), (i2)] }"> in [16, 16, 16] dims [2, 1] : memref<16x16xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat, layout=DN>>
        pto.channel.commit %ring, %4, %5 : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat, layout=DN>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat, layout=DN>>]>, tile<16x16xbf16, #pto.tile_info<loc=Mat, layout=DN>>, tile<16x16xbf16, #pto.tile_info<loc=Mat, layout=DN>>
      }
    }
    %6 = pto.tile.expands 0.000000e+00 : f32 : tile<16x16xf32, #pto.tile_info<loc=Acc>>
    %7 = scf.for %k_1 = %1 to %2 step %3 iter_args(%8 = %6) -> (!pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>) {
      %9, %10 = pto.channel.wait %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat, layout=DN>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat, layout=DN>>]> -> tile<16x16xbf16, #pto.tile_info<loc=Mat, layout=DN>>, tile<16x16xbf16, #pto.tile_info<loc=Mat, layout=DN>>
      %11 = pto.tile.mov.m2l %9 : tile<16x16xbf16, #pto.tile_info<loc=Mat, layout=DN>> -> tile<16x16xbf16, #pto.tile_info<loc=Left>>
      %12 = pto.tile.mov.m2r %10 : tile<16x16xbf16, #pto.tile_info<loc=Mat, layout=DN>> -> tile<16x16xbf16, #pto.tile_info<loc=Right>>
      %13 = pto.tile.matmul.acc %8, %11, %12 : tile<16x16xf32, #pto.tile_info<loc=Acc>>, tile<16x16xbf16, #pto.tile_info<loc=Left>>, tile<16x16xbf16, #pto.tile_info<loc=Right>> -> tile<16x16xf32, #pto.tile_info<loc=Acc>>
      pto.channel.release %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat, layout=DN>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat, layout=DN>>]>
      scf.yield %13 : !pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>
    }
    %14 = pto.tile.mov.a2v %7 : tile<16x16xf32, #pto.tile_info<loc=Acc>> -> tile<16x16xf32>
    pto.tile.store.map %14, %0[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [16, 16] dims [0, 1] : tile<16x16xf32>, memref<16x16xf32>
  }
}
func.func @f(%a0: memref<16x16xbf16>, %a1: memref<16x16xbf16>) -> memref<16x16xf32> {
  %0 = memref.alloc() : memref<16x16xf32>
  region.launch @f_0 ins(%a0, %a1 : memref<16x16xbf16>, memref<16x16xbf16>) outs(%0 : memref<16x16xf32>)
  func.return %0 : memref<16x16xf32>
}

// -----

// Swizzles switched off by the plan.

// CHECK-LABEL: "gpu.func"
// CHECK: %smem_a = nv.smem at 0 : !nv.smem<2x16x16xbf16, none>
// CHECK: %smem_b = nv.smem at 1024 : !nv.smem<2x16x16xbf16, none>

pto.kernel @f_0(%a0: memref<16x16xbf16> align 16, %a1: memref<16x16xbf16> align 16) -> (%0: memref<16x16xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 16], stages = 2, warp_tile = "16x16", vectorize = {axis = "n.i.i", width = 2}, layout_hints = {A_swizzle = false, B_swizzle = false}}> {
  pto.tiles (%m, %n) in [16, 16] step [16, 16] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
    %1 = arith.constant 0 : index
    %2 = arith.constant 16 : index
    %3 = arith.constant 16 : index
    pto.process {
      scf.for %k = %1 to %2 step %3 {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
        %4 = pto.tile.load.map %a0[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [16, 16, 16] dims [0, 2] : memref<16x16xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        %5 = pto.tile.load.map %a1[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [16, 16, 16] dims [2, 1] : memref<16x16xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        pto.channel.commit %ring, %4, %5 : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>
      }
    }
    %6 = pto.tile.expands 0.000000e+00 : f32 : tile<16x16xf32, #pto.tile_info<loc=Acc>>
    %7 = scf.for %k_1 = %1 to %2 step %3 iter_args(%8 = %6) -> (!pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>) {
      %9, %10 = pto.channel.wait %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>
      %11 = pto.tile.mov.m2l %9 : tile<16x16xbf16, #pto.tile_info<loc=Mat>> -> tile<16x16xbf16, #pto.tile_info<loc=Left>>
      %12 = pto.tile.mov.m2r %10 : tile<16x16xbf16, #pto.tile_info<loc=Mat>> -> tile<16x16xbf16, #pto.tile_info<loc=Right>>
      %13 = pto.tile.matmul.acc %8, %11, %12 : tile<16x16xf32, #pto.tile_info<loc=Acc>>, tile<16x16xbf16, #pto.tile_info<loc=Left>>, tile<16x16xbf16, #pto.tile_info<loc=Right>> -> tile<16x16xf32, #pto.tile_info<loc=Acc>>
      pto.channel.release %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
      scf.yield %13 : !pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>
    }
    %14 = pto.tile.mov.a2v %7 : tile<16x16xf32, #pto.tile_info<loc=Acc>> -> tile<16x16xf32>
    pto.tile.store.map %14, %0[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [16, 16] dims [0, 1] : tile<16x16xf32>, memref<16x16xf32>
  }
}
func.func @f(%a0: memref<16x16xbf16>, %a1: memref<16x16xbf16>) -> memref<16x16xf32> {
  %0 = memref.alloc() : memref<16x16xf32>
  region.launch @f_0 ins(%a0, %a1 : memref<16x16xbf16>, memref<16x16xbf16>) outs(%0 : memref<16x16xf32>)
  func.return %0 : memref<16x16xf32>
}
