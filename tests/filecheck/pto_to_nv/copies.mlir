// RUN: ptir-opt %s -p pto-to-nv --split-input-file | filecheck %s

// Rows of 64 and 32 bytes: whole cp.async of 16 bytes, and no guard where the tile divides.

// CHECK-LABEL: "gpu.func"
// CHECK: nv.copy_offsets %a0[{{.*}}] to %smem_a address <"{ [i0, i1, i2] -> [(32i0 + i2)] }"> in [16, 16, 32] dims [0, 2] guard [] bytes 16
// CHECK: nv.copy_offsets %a1[{{.*}}] to %smem_b address <"{ [i0, i1, i2] -> [(i1 + 16i2)] }"> in [16, 16, 32] dims [2, 1] guard [] bytes 16
// CHECK: scf.for %s = %c0 to %c1 step %c1 {
// CHECK: nv.cp_async_at %offsets_a[{{.*}}] bits[{{.*}}] to %smem_a[%s]
// CHECK: nv.cp_async_at %offsets_b[{{.*}}] bits[{{.*}}] to %smem_b[%s]
// CHECK: scf.for %step = %c0 to %STEPS step %c1 iter_args(%slot = %c0, %free = %c1) -> (index, index) {
// CHECK: nv.cp_async_at %offsets_a[{{.*}}] bits[{{.*}}] to %smem_a[%free]
// CHECK: nv.cp_async_at %offsets_b[{{.*}}] bits[{{.*}}] to %smem_b[%free]

pto.kernel @f_0(%a0: memref<16x32xbf16> align 16, %a1: memref<32x16xbf16> align 16) -> (%0: memref<16x16xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 16], stages = 2, warp_tile = "16x16", vectorize = {axis = "n.i.i", width = 2}}> {
  pto.tiles (%m, %n) in [16, 16] step [16, 16] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
    %1 = arith.constant 0 : index
    %2 = arith.constant 32 : index
    %3 = arith.constant 16 : index
    pto.process {
      scf.for %k = %1 to %2 step %3 {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
        %4 = pto.tile.load.map %a0[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [16, 16, 32] dims [0, 2] : memref<16x32xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        %5 = pto.tile.load.map %a1[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [16, 16, 32] dims [2, 1] : memref<32x16xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
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
func.func @f(%a0: memref<16x32xbf16>, %a1: memref<32x16xbf16>) -> memref<16x16xf32> {
  %0 = memref.alloc() : memref<16x16xf32>
  region.launch @f_0 ins(%a0, %a1 : memref<16x32xbf16>, memref<32x16xbf16>) outs(%0 : memref<16x16xf32>)
  func.return %0 : memref<16x16xf32>
}

// -----

// Rows of 24 bytes: 8 at a time.

// CHECK-LABEL: "gpu.func"
// CHECK: nv.copy_offsets %a0[{{.*}}] to %smem_a address <"{ [i0, i1, i2] -> [(16i0 + i2)] }"> in [16, 12, 16] dims [0, 2] guard [] bytes 16
// CHECK: nv.copy_offsets %a1[{{.*}}] to %smem_b address <"{ [i0, i1, i2] -> [(i1 + 12i2)] }"> in [16, 12, 16] dims [2, 1] guard [1] bytes 8

pto.kernel @f_0(%a0: memref<16x16xbf16> align 16, %a1: memref<16x12xbf16> align 16) -> (%0: memref<16x12xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 16], stages = 2, warp_tile = "16x16", vectorize = {axis = "n.i.i", width = 2}}> {
  pto.tiles (%m, %n) in [16, 12] step [16, 16] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
    %1 = arith.constant 0 : index
    %2 = arith.constant 16 : index
    %3 = arith.constant 16 : index
    pto.process {
      scf.for %k = %1 to %2 step %3 {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
        %4 = pto.tile.load.map %a0[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [16, 12, 16] dims [0, 2] : memref<16x16xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        %5 = pto.tile.load.map %a1[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [16, 12, 16] dims [2, 1] : memref<16x12xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
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
    pto.tile.store.map %14, %0[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [16, 12] dims [0, 1] : tile<16x16xf32>, memref<16x12xf32>
  }
}
func.func @f(%a0: memref<16x16xbf16>, %a1: memref<16x12xbf16>) -> memref<16x12xf32> {
  %0 = memref.alloc() : memref<16x12xf32>
  region.launch @f_0 ins(%a0, %a1 : memref<16x16xbf16>, memref<16x12xbf16>) outs(%0 : memref<16x12xf32>)
  func.return %0 : memref<16x12xf32>
}

// -----

// Rows of 20 bytes, the digits weights: 4 at a time.

// CHECK-LABEL: "gpu.func"
// CHECK: nv.copy_offsets %a0[{{.*}}] to %smem_a address <"{ [i0, i1, i2] -> [(16i0 + i2)] }"> in [16, 10, 16] dims [0, 2] guard [] bytes 16
// CHECK: nv.copy_offsets %a1[{{.*}}] to %smem_b address <"{ [i0, i1, i2] -> [(i1 + 10i2)] }"> in [16, 10, 16] dims [2, 1] guard [1] bytes 4

pto.kernel @f_0(%a0: memref<16x16xf16> align 16, %a1: memref<16x10xf16> align 16) -> (%0: memref<16x10xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 16], stages = 2, warp_tile = "16x16", vectorize = {axis = "n.i.i", width = 2}}> {
  pto.tiles (%m, %n) in [16, 10] step [16, 16] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x16xf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xf16, #pto.tile_info<loc=Mat>>]>
    %1 = arith.constant 0 : index
    %2 = arith.constant 16 : index
    %3 = arith.constant 16 : index
    pto.process {
      scf.for %k = %1 to %2 step %3 {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x16xf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xf16, #pto.tile_info<loc=Mat>>]>
        %4 = pto.tile.load.map %a0[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [16, 10, 16] dims [0, 2] : memref<16x16xf16> -> tile<16x16xf16, #pto.tile_info<loc=Mat>>
        %5 = pto.tile.load.map %a1[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [16, 10, 16] dims [2, 1] : memref<16x10xf16> -> tile<16x16xf16, #pto.tile_info<loc=Mat>>
        pto.channel.commit %ring, %4, %5 : !pto.channel<2, [!pto.tile<16x16xf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xf16, #pto.tile_info<loc=Mat>>]>, tile<16x16xf16, #pto.tile_info<loc=Mat>>, tile<16x16xf16, #pto.tile_info<loc=Mat>>
      }
    }
    %6 = pto.tile.expands 0.000000e+00 : f32 : tile<16x16xf32, #pto.tile_info<loc=Acc>>
    %7 = scf.for %k_1 = %1 to %2 step %3 iter_args(%8 = %6) -> (!pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>) {
      %9, %10 = pto.channel.wait %ring : !pto.channel<2, [!pto.tile<16x16xf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xf16, #pto.tile_info<loc=Mat>>]> -> tile<16x16xf16, #pto.tile_info<loc=Mat>>, tile<16x16xf16, #pto.tile_info<loc=Mat>>
      %11 = pto.tile.mov.m2l %9 : tile<16x16xf16, #pto.tile_info<loc=Mat>> -> tile<16x16xf16, #pto.tile_info<loc=Left>>
      %12 = pto.tile.mov.m2r %10 : tile<16x16xf16, #pto.tile_info<loc=Mat>> -> tile<16x16xf16, #pto.tile_info<loc=Right>>
      %13 = pto.tile.matmul.acc %8, %11, %12 : tile<16x16xf32, #pto.tile_info<loc=Acc>>, tile<16x16xf16, #pto.tile_info<loc=Left>>, tile<16x16xf16, #pto.tile_info<loc=Right>> -> tile<16x16xf32, #pto.tile_info<loc=Acc>>
      pto.channel.release %ring : !pto.channel<2, [!pto.tile<16x16xf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xf16, #pto.tile_info<loc=Mat>>]>
      scf.yield %13 : !pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>
    }
    %14 = pto.tile.mov.a2v %7 : tile<16x16xf32, #pto.tile_info<loc=Acc>> -> tile<16x16xf32>
    pto.tile.store.map %14, %0[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [16, 10] dims [0, 1] : tile<16x16xf32>, memref<16x10xf32>
  }
}
func.func @f(%a0: memref<16x16xf16>, %a1: memref<16x10xf16>) -> memref<16x10xf32> {
  %0 = memref.alloc() : memref<16x10xf32>
  region.launch @f_0 ins(%a0, %a1 : memref<16x16xf16>, memref<16x10xf16>) outs(%0 : memref<16x10xf32>)
  func.return %0 : memref<16x10xf32>
}

// -----

// Rows of 18 bytes: single elements through registers.

// CHECK-LABEL: "gpu.func"
// CHECK: nv.copy_offsets %a0[{{.*}}] to %smem_a address <"{ [i0, i1, i2] -> [(16i0 + i2)] }"> in [16, 9, 16] dims [0, 2] guard [] bytes 16
// CHECK: nv.cp_async %a1[%c0, %c0, %k] to %smem_b[%s] address <"{ [i0, i1, i2] -> [(i1 + 9i2)] }"> in [16, 9, 16] dims [2, 1] guard [1] bytes 2 : memref<16x9xbf16>, !nv.smem<2x16x16xbf16, xor>

pto.kernel @f_0(%a0: memref<16x16xbf16> align 16, %a1: memref<16x9xbf16> align 16) -> (%0: memref<16x9xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 16], stages = 2, warp_tile = "16x16", vectorize = {axis = "n.i.i", width = 2}}> {
  pto.tiles (%m, %n) in [16, 9] step [16, 16] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
    %1 = arith.constant 0 : index
    %2 = arith.constant 16 : index
    %3 = arith.constant 16 : index
    pto.process {
      scf.for %k = %1 to %2 step %3 {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
        %4 = pto.tile.load.map %a0[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [16, 9, 16] dims [0, 2] : memref<16x16xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        %5 = pto.tile.load.map %a1[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [16, 9, 16] dims [2, 1] : memref<16x9xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
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
    pto.tile.store.map %14, %0[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [16, 9] dims [0, 1] : tile<16x16xf32>, memref<16x9xf32>
  }
}
func.func @f(%a0: memref<16x16xbf16>, %a1: memref<16x9xbf16>) -> memref<16x9xf32> {
  %0 = memref.alloc() : memref<16x9xf32>
  region.launch @f_0 ins(%a0, %a1 : memref<16x16xbf16>, memref<16x9xbf16>) outs(%0 : memref<16x9xf32>)
  func.return %0 : memref<16x9xf32>
}

// -----

// A rows of 6 bytes, K below one mma step: guarded along k on both sides.

// CHECK-LABEL: "gpu.func"
// CHECK: nv.cp_async %a0[%c0, %c0, %k] to %smem_a[%s] address <"{ [i0, i1, i2] -> [(3i0 + i2)] }"> in [16, 16, 3] dims [0, 2] guard [2] bytes 2 : memref<16x3xbf16>, !nv.smem<2x16x16xbf16, xor>
// CHECK: nv.cp_async %a1[%c0, %c0, %k] to %smem_b[%s] address <"{ [i0, i1, i2] -> [(i1 + 16i2)] }"> in [16, 16, 3] dims [2, 1] guard [2] bytes 16 : memref<3x16xbf16>, !nv.smem<2x16x16xbf16, xor>

pto.kernel @f_0(%a0: memref<16x3xbf16> align 16, %a1: memref<3x16xbf16> align 16) -> (%0: memref<16x16xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 16], stages = 2, warp_tile = "16x16", vectorize = {axis = "n.i.i", width = 2}}> {
  pto.tiles (%m, %n) in [16, 16] step [16, 16] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
    %1 = arith.constant 0 : index
    %2 = arith.constant 3 : index
    %3 = arith.constant 16 : index
    pto.process {
      scf.for %k = %1 to %2 step %3 {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
        %4 = pto.tile.load.map %a0[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [16, 16, 3] dims [0, 2] : memref<16x3xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        %5 = pto.tile.load.map %a1[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [16, 16, 3] dims [2, 1] : memref<3x16xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
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
func.func @f(%a0: memref<16x3xbf16>, %a1: memref<3x16xbf16>) -> memref<16x16xf32> {
  %0 = memref.alloc() : memref<16x16xf32>
  region.launch @f_0 ins(%a0, %a1 : memref<16x3xbf16>, memref<3x16xbf16>) outs(%0 : memref<16x16xf32>)
  func.return %0 : memref<16x16xf32>
}

// -----

// Only the axes with a tail are guarded.

// CHECK-LABEL: "gpu.func"
// CHECK: nv.copy_offsets %a0[{{.*}}] to %smem_a address <"{ [i0, i1, i2] -> [(16i0 + i2)] }"> in [17, 16, 16] dims [0, 2] guard [0] bytes 16
// CHECK: nv.copy_offsets %a1[{{.*}}] to %smem_b address <"{ [i0, i1, i2] -> [(i1 + 16i2)] }"> in [17, 16, 16] dims [2, 1] guard [] bytes 16

pto.kernel @f_0(%a0: memref<17x16xbf16> align 16, %a1: memref<16x16xbf16> align 16) -> (%0: memref<17x16xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 16], stages = 2, warp_tile = "16x16", vectorize = {axis = "n.i.i", width = 2}}> {
  pto.tiles (%m, %n) in [17, 16] step [16, 16] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
    %1 = arith.constant 0 : index
    %2 = arith.constant 16 : index
    %3 = arith.constant 16 : index
    pto.process {
      scf.for %k = %1 to %2 step %3 {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
        %4 = pto.tile.load.map %a0[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [17, 16, 16] dims [0, 2] : memref<17x16xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        %5 = pto.tile.load.map %a1[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [17, 16, 16] dims [2, 1] : memref<16x16xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
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
    pto.tile.store.map %14, %0[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [17, 16] dims [0, 1] : tile<16x16xf32>, memref<17x16xf32>
  }
}
func.func @f(%a0: memref<17x16xbf16>, %a1: memref<16x16xbf16>) -> memref<17x16xf32> {
  %0 = memref.alloc() : memref<17x16xf32>
  region.launch @f_0 ins(%a0, %a1 : memref<17x16xbf16>, memref<16x16xbf16>) outs(%0 : memref<17x16xf32>)
  func.return %0 : memref<17x16xf32>
}

// -----

// A contracted pair of axes in crossed order: the address divides, by multiples of a vector.

// CHECK-LABEL: "gpu.func"
// CHECK: nv.cp_async %a0[%c0, %c0, %k] to %smem_a[%s] address <"{ [i0, i1, i2] -> [(24i0 + i2)] }"> in [16, 16, 24] dims [0, 2] guard [2] bytes 16 : memref<16x3x8xbf16>, !nv.smem<2x16x16xbf16, xor>
// CHECK: nv.cp_async %a1[%c0, %c0, %k] to %smem_b[%s] address <"{ [i0, i1, i2] -> [(i1 + 2i2 + 46*((i2) mod 8))] }"> in [16, 16, 24] dims [2, 1] guard [2] bytes 16 : memref<8x3x16xbf16>, !nv.smem<2x16x16xbf16, xor>
// CHECK: nv.cp_async %a0[%c0, %c0, %k_1] to %smem_a[%free] address <"{ [i0, i1, i2] -> [(24i0 + i2)] }"> in [16, 16, 24] dims [0, 2] guard [2] bytes 16 : memref<16x3x8xbf16>, !nv.smem<2x16x16xbf16, xor>
// CHECK: nv.cp_async %a1[%c0, %c0, %k_1] to %smem_b[%free] address <"{ [i0, i1, i2] -> [(i1 + 2i2 + 46*((i2) mod 8))] }"> in [16, 16, 24] dims [2, 1] guard [2] bytes 16 : memref<8x3x16xbf16>, !nv.smem<2x16x16xbf16, xor>

pto.kernel @f_0(%a0: memref<16x3x8xbf16> align 16, %a1: memref<8x3x16xbf16> align 16) -> (%0: memref<16x16xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 16], stages = 2, warp_tile = "16x16", vectorize = {axis = "n.i.i", width = 2}}> {
  pto.tiles (%m, %n) in [16, 16] step [16, 16] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
    %1 = arith.constant 0 : index
    %2 = arith.constant 24 : index
    %3 = arith.constant 16 : index
    pto.process {
      scf.for %k = %1 to %2 step %3 {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
        %4 = pto.tile.load.map %a0[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (floor((i2)/8)), ((i2) mod 8)] }"> in [16, 16, 24] dims [0, 2] : memref<16x3x8xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        %5 = pto.tile.load.map %a1[%m, %n, %k] by <"{ [i0, i1, i2] -> [((i2) mod 8), (floor((i2)/8)), (i1)] }"> in [16, 16, 24] dims [2, 1] : memref<8x3x16xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
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
func.func @f(%a0: memref<16x3x8xbf16>, %a1: memref<8x3x16xbf16>) -> memref<16x16xf32> {
  %0 = memref.alloc() : memref<16x16xf32>
  region.launch @f_0 ins(%a0, %a1 : memref<16x3x8xbf16>, memref<8x3x16xbf16>) outs(%0 : memref<16x16xf32>)
  func.return %0 : memref<16x16xf32>
}

// -----

// A batch of 3 x 3 matrices: no stride is even.

// CHECK-LABEL: "gpu.func"
// CHECK: nv.cp_async %a0[%0, %c0, %c0, %k] to %smem_a[%s] address <"{ [i0, i1, i2, i3] -> [(9i0 + 3i1 + i3)] }"> in [3, 3, 3, 3] dims [1, 3] guard [1, 3] bytes 2 : memref<3x3x3xbf16>, !nv.smem<2x16x16xbf16, xor>
// CHECK: nv.cp_async %a1[%0, %c0, %c0, %k] to %smem_b[%s] address <"{ [i0, i1, i2, i3] -> [(9i0 + i2 + 3i3)] }"> in [3, 3, 3, 3] dims [3, 2] guard [3, 2] bytes 2 : memref<3x3x3xbf16>, !nv.smem<2x16x16xbf16, xor>

pto.kernel @f_0(%a0: memref<3x3x3xbf16> align 16, %a1: memref<3x3x3xbf16> align 16) -> (%0: memref<3x3x3xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 16], stages = 2, warp_tile = "16x16", vectorize = {axis = "n.i.i", width = 2}}> {
  pto.tiles (%b0, %m, %n) in [3, 3, 3] step [1, 16, 16] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
    %1 = arith.constant 0 : index
    %2 = arith.constant 3 : index
    %3 = arith.constant 16 : index
    pto.process {
      scf.for %k = %1 to %2 step %3 {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
        %4 = pto.tile.load.map %a0[%b0, %m, %n, %k] by <"{ [i0, i1, i2, i3] -> [(i0), (i1), (i3)] }"> in [3, 3, 3, 3] dims [1, 3] : memref<3x3x3xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        %5 = pto.tile.load.map %a1[%b0, %m, %n, %k] by <"{ [i0, i1, i2, i3] -> [(i0), (i3), (i2)] }"> in [3, 3, 3, 3] dims [3, 2] : memref<3x3x3xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
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
    %15 = pto.tile.expands 0.000000e+00 : f32 : tile<16x16xf32>
    %16 = pto.tile.max %14, %15 : tile<16x16xf32>
    pto.tile.store.map %16, %0[%b0, %m, %n] by <"{ [i0, i1, i2] -> [(i0), (i1), (i2)] }"> in [3, 3, 3] dims [1, 2] : tile<16x16xf32>, memref<3x3x3xf32>
  }
}
func.func @f(%a0: memref<3x3x3xbf16>, %a1: memref<3x3x3xbf16>) -> memref<3x3x3xf32> {
  %0 = memref.alloc() : memref<3x3x3xf32>
  region.launch @f_0 ins(%a0, %a1 : memref<3x3x3xbf16>, memref<3x3x3xbf16>) outs(%0 : memref<3x3x3xf32>)
  func.return %0 : memref<3x3x3xf32>
}

// -----

// A set that cuts through vectors: elements are copied one by one. One that does not: vectors are copied, or zeros.

// CHECK: nv.cp_async %a0[{{.*}}] to %smem_a[%s] {{.*}} bytes 2 where <"{ [i0, i1, i2] : i0 < i2 }">
// CHECK: nv.copy_offsets %a0[{{.*}}] to %smem_a {{.*}} bytes 16 along 2 units [16] counts [1] where [#poly.set<"{ [i0, i1, i2] : i0 >= 4 }">]

pto.kernel @f_0(%a0: memref<32x32xbf16> align 16, %a1: memref<32x32xbf16> align 16) -> (%0: memref<32x32xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 16], stages = 2, warp_tile = "16x16", vectorize = {axis = "n.i.i", width = 2}}> {
  pto.tiles (%m, %n) in [32, 32] step [16, 16] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
    %1 = arith.constant 0 : index
    %2 = arith.constant 32 : index
    %3 = arith.constant 16 : index
    pto.process {
      scf.for %k = %1 to %2 step %3 {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
        %4 = pto.tile.load.map %a0[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [32, 32, 32] dims [0, 2] where <"{ [i0, i1, i2] : i0 < i2 }"> : memref<32x32xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        %5 = pto.tile.load.map %a1[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [32, 32, 32] dims [2, 1] : memref<32x32xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
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
    pto.tile.store.map %14, %0[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [32, 32] dims [0, 1] : tile<16x16xf32>, memref<32x32xf32>
  }
}
func.func @f(%a0: memref<32x32xbf16>, %a1: memref<32x32xbf16>) -> memref<32x32xf32> {
  %0 = memref.alloc() : memref<32x32xf32>
  region.launch @f_0 ins(%a0, %a1 : memref<32x32xbf16>, memref<32x32xbf16>) outs(%0 : memref<32x32xf32>)
  func.return %0 : memref<32x32xf32>
}

// -----

pto.kernel @f_0(%a0: memref<32x32xbf16> align 16, %a1: memref<32x32xbf16> align 16) -> (%0: memref<32x32xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 16], stages = 2, warp_tile = "16x16", vectorize = {axis = "n.i.i", width = 2}}> {
  pto.tiles (%m, %n) in [32, 32] step [16, 16] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
    %1 = arith.constant 0 : index
    %2 = arith.constant 32 : index
    %3 = arith.constant 16 : index
    pto.process {
      scf.for %k = %1 to %2 step %3 {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
        %4 = pto.tile.load.map %a0[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [32, 32, 32] dims [0, 2] where <"{ [i0, i1, i2] : i0 > 3 }"> : memref<32x32xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        %5 = pto.tile.load.map %a1[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [32, 32, 32] dims [2, 1] : memref<32x32xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
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
    pto.tile.store.map %14, %0[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [32, 32] dims [0, 1] : tile<16x16xf32>, memref<32x32xf32>
  }
}
func.func @f(%a0: memref<32x32xbf16>, %a1: memref<32x32xbf16>) -> memref<32x32xf32> {
  %0 = memref.alloc() : memref<32x32xf32>
  region.launch @f_0 ins(%a0, %a1 : memref<32x32xbf16>, memref<32x32xbf16>) outs(%0 : memref<32x32xf32>)
  func.return %0 : memref<32x32xf32>
}
