// RUN: ptir-opt %s -p pto-to-nv --split-input-file | filecheck %s

// 16-bit elements: ldmatrix, transposing where the rows of memory do not follow k.

// CHECK-LABEL: "gpu.func"
// CHECK: %acc = nv.frag : !nv.frag<16x16xf32, C of m16n8k16>
// CHECK: nv.ldmatrix %smem_a[%slot, %warp_m, %c0] ND to %frag_a : !nv.smem<2x16x16xf16, xor>, !nv.frag<16x16xf16, A of m16n8k16>
// CHECK-NEXT: nv.ldmatrix %smem_b[%slot, %c0, %c0] ND to %frag_b : !nv.smem<2x16x16xf16, xor>, !nv.frag<16x16xf16, B of m16n8k16>
// CHECK-NEXT: nv.mma_sync %acc, %frag_a, %frag_b : !nv.frag<16x16xf32, C of m16n8k16>, !nv.frag<16x16xf16, A of m16n8k16>, !nv.frag<16x16xf16, B of m16n8k16>

pto.kernel @f_0(%x: memref<16x16xf16> align 16, %w: memref<16x16xf16> align 16) -> (%y: memref<16x16xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 16], stages = 2, warp_tile = "16x16", vectorize = {axis = "n.i.i", width = 1}}> {
  pto.tiles (%m, %n) in [16, 16] step [16, 16] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x16xf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xf16, #pto.tile_info<loc=Mat>>]>
    %zero = arith.constant 0 : index
    %last = arith.constant 16 : index
    %step = arith.constant 16 : index
    pto.process {
      scf.for %k = %zero to %last step %step {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x16xf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xf16, #pto.tile_info<loc=Mat>>]>
        %a = pto.tile.load.map %x[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [16, 16, 16] dims [0, 2] : memref<16x16xf16> -> tile<16x16xf16, #pto.tile_info<loc=Mat>>
        %b = pto.tile.load.map %w[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [16, 16, 16] dims [2, 1] : memref<16x16xf16> -> tile<16x16xf16, #pto.tile_info<loc=Mat>>
        pto.channel.commit %ring, %a, %b : !pto.channel<2, [!pto.tile<16x16xf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xf16, #pto.tile_info<loc=Mat>>]>, tile<16x16xf16, #pto.tile_info<loc=Mat>>, tile<16x16xf16, #pto.tile_info<loc=Mat>>
      }
    }
    %none = pto.tile.expands 0.000000e+00 : f32 : tile<16x16xf32, #pto.tile_info<loc=Acc>>
    %sum = scf.for %kk = %zero to %last step %step iter_args(%s = %none) -> (!pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>) {
      %p, %q = pto.channel.wait %ring : !pto.channel<2, [!pto.tile<16x16xf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xf16, #pto.tile_info<loc=Mat>>]> -> tile<16x16xf16, #pto.tile_info<loc=Mat>>, tile<16x16xf16, #pto.tile_info<loc=Mat>>
      %l = pto.tile.mov.m2l %p : tile<16x16xf16, #pto.tile_info<loc=Mat>> -> tile<16x16xf16, #pto.tile_info<loc=Left>>
      %r = pto.tile.mov.m2r %q : tile<16x16xf16, #pto.tile_info<loc=Mat>> -> tile<16x16xf16, #pto.tile_info<loc=Right>>
      %t = pto.tile.matmul.acc %s, %l, %r : tile<16x16xf32, #pto.tile_info<loc=Acc>>, tile<16x16xf16, #pto.tile_info<loc=Left>>, tile<16x16xf16, #pto.tile_info<loc=Right>> -> tile<16x16xf32, #pto.tile_info<loc=Acc>>
      pto.channel.release %ring : !pto.channel<2, [!pto.tile<16x16xf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xf16, #pto.tile_info<loc=Mat>>]>
      scf.yield %t : !pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>
    }
    %v = pto.tile.mov.a2v %sum : tile<16x16xf32, #pto.tile_info<loc=Acc>> -> tile<16x16xf32>
    pto.tile.store.map %v, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [16, 16] dims [0, 1] : tile<16x16xf32>, memref<16x16xf32>
  }
}

// -----

// Both turned.

// CHECK-LABEL: "gpu.func"
// CHECK: %acc = nv.frag : !nv.frag<16x16xf32, C of m16n8k16>
// CHECK: nv.ldmatrix %smem_a[%slot, %c0, %warp_m] DN to %frag_a : !nv.smem<2x16x16xf16, xor>, !nv.frag<16x16xf16, A of m16n8k16>
// CHECK-NEXT: nv.ldmatrix %smem_b[%slot, %c0, %c0] DN to %frag_b : !nv.smem<2x16x16xf16, xor>, !nv.frag<16x16xf16, B of m16n8k16>
// CHECK-NEXT: nv.mma_sync %acc, %frag_a, %frag_b : !nv.frag<16x16xf32, C of m16n8k16>, !nv.frag<16x16xf16, A of m16n8k16>, !nv.frag<16x16xf16, B of m16n8k16>

pto.kernel @f_0(%x: memref<16x16xf16> align 16, %w: memref<16x16xf16> align 16) -> (%y: memref<16x16xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 16], stages = 2, warp_tile = "16x16", vectorize = {axis = "n.i.i", width = 1}}> {
  pto.tiles (%m, %n) in [16, 16] step [16, 16] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x16xf16, #pto.tile_info<loc=Mat, layout=DN>>, !pto.tile<16x16xf16, #pto.tile_info<loc=Mat, layout=DN>>]>
    %zero = arith.constant 0 : index
    %last = arith.constant 16 : index
    %step = arith.constant 16 : index
    pto.process {
      scf.for %k = %zero to %last step %step {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x16xf16, #pto.tile_info<loc=Mat, layout=DN>>, !pto.tile<16x16xf16, #pto.tile_info<loc=Mat, layout=DN>>]>
        %a = pto.tile.load.map %x[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i0)] }"> in [16, 16, 16] dims [0, 2] : memref<16x16xf16> -> tile<16x16xf16, #pto.tile_info<loc=Mat, layout=DN>>
        %b = pto.tile.load.map %w[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i1), (i2)] }"> in [16, 16, 16] dims [2, 1] : memref<16x16xf16> -> tile<16x16xf16, #pto.tile_info<loc=Mat, layout=DN>>
        pto.channel.commit %ring, %a, %b : !pto.channel<2, [!pto.tile<16x16xf16, #pto.tile_info<loc=Mat, layout=DN>>, !pto.tile<16x16xf16, #pto.tile_info<loc=Mat, layout=DN>>]>, tile<16x16xf16, #pto.tile_info<loc=Mat, layout=DN>>, tile<16x16xf16, #pto.tile_info<loc=Mat, layout=DN>>
      }
    }
    %none = pto.tile.expands 0.000000e+00 : f32 : tile<16x16xf32, #pto.tile_info<loc=Acc>>
    %sum = scf.for %kk = %zero to %last step %step iter_args(%s = %none) -> (!pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>) {
      %p, %q = pto.channel.wait %ring : !pto.channel<2, [!pto.tile<16x16xf16, #pto.tile_info<loc=Mat, layout=DN>>, !pto.tile<16x16xf16, #pto.tile_info<loc=Mat, layout=DN>>]> -> tile<16x16xf16, #pto.tile_info<loc=Mat, layout=DN>>, tile<16x16xf16, #pto.tile_info<loc=Mat, layout=DN>>
      %l = pto.tile.mov.m2l %p : tile<16x16xf16, #pto.tile_info<loc=Mat, layout=DN>> -> tile<16x16xf16, #pto.tile_info<loc=Left>>
      %r = pto.tile.mov.m2r %q : tile<16x16xf16, #pto.tile_info<loc=Mat, layout=DN>> -> tile<16x16xf16, #pto.tile_info<loc=Right>>
      %t = pto.tile.matmul.acc %s, %l, %r : tile<16x16xf32, #pto.tile_info<loc=Acc>>, tile<16x16xf16, #pto.tile_info<loc=Left>>, tile<16x16xf16, #pto.tile_info<loc=Right>> -> tile<16x16xf32, #pto.tile_info<loc=Acc>>
      pto.channel.release %ring : !pto.channel<2, [!pto.tile<16x16xf16, #pto.tile_info<loc=Mat, layout=DN>>, !pto.tile<16x16xf16, #pto.tile_info<loc=Mat, layout=DN>>]>
      scf.yield %t : !pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>
    }
    %v = pto.tile.mov.a2v %sum : tile<16x16xf32, #pto.tile_info<loc=Acc>> -> tile<16x16xf32>
    pto.tile.store.map %v, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [16, 16] dims [0, 1] : tile<16x16xf32>, memref<16x16xf32>
  }
}

// -----

// tf32 along k: ldmatrix moves words; operands are rounded in their registers.

// CHECK-LABEL: "gpu.func"
// CHECK: %acc = nv.frag : !nv.frag<16x16xf32, C of m16n8k8>
// CHECK: nv.ldmatrix %smem_a[%slot, %warp_m, %c0] ND to %frag_a : !nv.smem<2x16x8xf32, xor>, !nv.frag<16x8xf32, A of m16n8k8>
// CHECK-NEXT: nv.to_tf32 %frag_a : !nv.frag<16x8xf32, A of m16n8k8>
// CHECK-NEXT: nv.ldmatrix %smem_b[%slot, %c0, %c0] DN to %frag_b : !nv.smem<2x16x8xf32, xor>, !nv.frag<8x16xf32, B of m16n8k8>
// CHECK-NEXT: nv.to_tf32 %frag_b : !nv.frag<8x16xf32, B of m16n8k8>
// CHECK-NEXT: nv.mma_sync %acc, %frag_a, %frag_b : !nv.frag<16x16xf32, C of m16n8k8>, !nv.frag<16x8xf32, A of m16n8k8>, !nv.frag<8x16xf32, B of m16n8k8>

pto.kernel @f_0(%x: memref<16x8xf32> align 16, %w: memref<16x8xf32> align 16) -> (%y: memref<16x16xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 8], stages = 2, warp_tile = "16x16", vectorize = {axis = "n.i.i", width = 1}}> {
  pto.tiles (%m, %n) in [16, 16] step [16, 16] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x8xf32, #pto.tile_info<loc=Mat>>, !pto.tile<8x16xf32, #pto.tile_info<loc=Mat, layout=DN>>]>
    %zero = arith.constant 0 : index
    %last = arith.constant 8 : index
    %step = arith.constant 8 : index
    pto.process {
      scf.for %k = %zero to %last step %step {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x8xf32, #pto.tile_info<loc=Mat>>, !pto.tile<8x16xf32, #pto.tile_info<loc=Mat, layout=DN>>]>
        %a = pto.tile.load.map %x[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [16, 16, 8] dims [0, 2] : memref<16x8xf32> -> tile<16x8xf32, #pto.tile_info<loc=Mat>>
        %b = pto.tile.load.map %w[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i1), (i2)] }"> in [16, 16, 8] dims [2, 1] : memref<16x8xf32> -> tile<8x16xf32, #pto.tile_info<loc=Mat, layout=DN>>
        pto.channel.commit %ring, %a, %b : !pto.channel<2, [!pto.tile<16x8xf32, #pto.tile_info<loc=Mat>>, !pto.tile<8x16xf32, #pto.tile_info<loc=Mat, layout=DN>>]>, tile<16x8xf32, #pto.tile_info<loc=Mat>>, tile<8x16xf32, #pto.tile_info<loc=Mat, layout=DN>>
      }
    }
    %none = pto.tile.expands 0.000000e+00 : f32 : tile<16x16xf32, #pto.tile_info<loc=Acc>>
    %sum = scf.for %kk = %zero to %last step %step iter_args(%s = %none) -> (!pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>) {
      %p, %q = pto.channel.wait %ring : !pto.channel<2, [!pto.tile<16x8xf32, #pto.tile_info<loc=Mat>>, !pto.tile<8x16xf32, #pto.tile_info<loc=Mat, layout=DN>>]> -> tile<16x8xf32, #pto.tile_info<loc=Mat>>, tile<8x16xf32, #pto.tile_info<loc=Mat, layout=DN>>
      %l = pto.tile.mov.m2l %p : tile<16x8xf32, #pto.tile_info<loc=Mat>> -> tile<16x8xf32, #pto.tile_info<loc=Left>>
      %r = pto.tile.mov.m2r %q : tile<8x16xf32, #pto.tile_info<loc=Mat, layout=DN>> -> tile<8x16xf32, #pto.tile_info<loc=Right>>
      %t = pto.tile.matmul.acc %s, %l, %r precision tf32 : tile<16x16xf32, #pto.tile_info<loc=Acc>>, tile<16x8xf32, #pto.tile_info<loc=Left>>, tile<8x16xf32, #pto.tile_info<loc=Right>> -> tile<16x16xf32, #pto.tile_info<loc=Acc>>
      pto.channel.release %ring : !pto.channel<2, [!pto.tile<16x8xf32, #pto.tile_info<loc=Mat>>, !pto.tile<8x16xf32, #pto.tile_info<loc=Mat, layout=DN>>]>
      scf.yield %t : !pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>
    }
    %v = pto.tile.mov.a2v %sum : tile<16x16xf32, #pto.tile_info<loc=Acc>> -> tile<16x16xf32>
    pto.tile.store.map %v, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [16, 16] dims [0, 1] : tile<16x16xf32>, memref<16x16xf32>
  }
}

// -----

// tf32 across k: ldmatrix cannot transpose words of 32 bits; the rings are swizzled for lanes that read columns.

// CHECK-LABEL: "gpu.func"
// CHECK: %acc = nv.frag : !nv.frag<16x16xf32, C of m16n8k8>
// CHECK: nv.ld_shared %smem_a[%slot, %c0, %warp_m] DN to %frag_a : !nv.smem<2x8x16xf32, xor_columns>, !nv.frag<16x8xf32, A of m16n8k8>
// CHECK-NEXT: nv.to_tf32 %frag_a : !nv.frag<16x8xf32, A of m16n8k8>
// CHECK-NEXT: nv.ld_shared %smem_b[%slot, %c0, %c0] ND to %frag_b : !nv.smem<2x8x16xf32, xor_columns>, !nv.frag<8x16xf32, B of m16n8k8>
// CHECK-NEXT: nv.to_tf32 %frag_b : !nv.frag<8x16xf32, B of m16n8k8>
// CHECK-NEXT: nv.mma_sync %acc, %frag_a, %frag_b : !nv.frag<16x16xf32, C of m16n8k8>, !nv.frag<16x8xf32, A of m16n8k8>, !nv.frag<8x16xf32, B of m16n8k8>

pto.kernel @f_0(%x: memref<8x16xf32> align 16, %w: memref<8x16xf32> align 16) -> (%y: memref<16x16xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 8], stages = 2, warp_tile = "16x16", vectorize = {axis = "n.i.i", width = 1}}> {
  pto.tiles (%m, %n) in [16, 16] step [16, 16] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x8xf32, #pto.tile_info<loc=Mat, layout=DN>>, !pto.tile<8x16xf32, #pto.tile_info<loc=Mat>>]>
    %zero = arith.constant 0 : index
    %last = arith.constant 8 : index
    %step = arith.constant 8 : index
    pto.process {
      scf.for %k = %zero to %last step %step {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x8xf32, #pto.tile_info<loc=Mat, layout=DN>>, !pto.tile<8x16xf32, #pto.tile_info<loc=Mat>>]>
        %a = pto.tile.load.map %x[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i0)] }"> in [16, 16, 8] dims [0, 2] : memref<8x16xf32> -> tile<16x8xf32, #pto.tile_info<loc=Mat, layout=DN>>
        %b = pto.tile.load.map %w[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [16, 16, 8] dims [2, 1] : memref<8x16xf32> -> tile<8x16xf32, #pto.tile_info<loc=Mat>>
        pto.channel.commit %ring, %a, %b : !pto.channel<2, [!pto.tile<16x8xf32, #pto.tile_info<loc=Mat, layout=DN>>, !pto.tile<8x16xf32, #pto.tile_info<loc=Mat>>]>, tile<16x8xf32, #pto.tile_info<loc=Mat, layout=DN>>, tile<8x16xf32, #pto.tile_info<loc=Mat>>
      }
    }
    %none = pto.tile.expands 0.000000e+00 : f32 : tile<16x16xf32, #pto.tile_info<loc=Acc>>
    %sum = scf.for %kk = %zero to %last step %step iter_args(%s = %none) -> (!pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>) {
      %p, %q = pto.channel.wait %ring : !pto.channel<2, [!pto.tile<16x8xf32, #pto.tile_info<loc=Mat, layout=DN>>, !pto.tile<8x16xf32, #pto.tile_info<loc=Mat>>]> -> tile<16x8xf32, #pto.tile_info<loc=Mat, layout=DN>>, tile<8x16xf32, #pto.tile_info<loc=Mat>>
      %l = pto.tile.mov.m2l %p : tile<16x8xf32, #pto.tile_info<loc=Mat, layout=DN>> -> tile<16x8xf32, #pto.tile_info<loc=Left>>
      %r = pto.tile.mov.m2r %q : tile<8x16xf32, #pto.tile_info<loc=Mat>> -> tile<8x16xf32, #pto.tile_info<loc=Right>>
      %t = pto.tile.matmul.acc %s, %l, %r precision tf32 : tile<16x16xf32, #pto.tile_info<loc=Acc>>, tile<16x8xf32, #pto.tile_info<loc=Left>>, tile<8x16xf32, #pto.tile_info<loc=Right>> -> tile<16x16xf32, #pto.tile_info<loc=Acc>>
      pto.channel.release %ring : !pto.channel<2, [!pto.tile<16x8xf32, #pto.tile_info<loc=Mat, layout=DN>>, !pto.tile<8x16xf32, #pto.tile_info<loc=Mat>>]>
      scf.yield %t : !pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>
    }
    %v = pto.tile.mov.a2v %sum : tile<16x16xf32, #pto.tile_info<loc=Acc>> -> tile<16x16xf32>
    pto.tile.store.map %v, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [16, 16] dims [0, 1] : tile<16x16xf32>, memref<16x16xf32>
  }
}

// -----

// 8-bit integers along k.

// CHECK-LABEL: "gpu.func"
// CHECK: %acc = nv.frag : !nv.frag<16x16xi32, C of m16n8k32>
// CHECK: nv.ldmatrix %smem_a[%slot, %warp_m, %c0] ND to %frag_a : !nv.smem<2x16x32xi8, xor>, !nv.frag<16x32xi8, A of m16n8k32>
// CHECK-NEXT: nv.ldmatrix %smem_b[%slot, %c0, %c0] DN to %frag_b : !nv.smem<2x16x32xi8, xor>, !nv.frag<32x16xi8, B of m16n8k32>
// CHECK-NEXT: nv.mma_sync %acc, %frag_a, %frag_b : !nv.frag<16x16xi32, C of m16n8k32>, !nv.frag<16x32xi8, A of m16n8k32>, !nv.frag<32x16xi8, B of m16n8k32>

pto.kernel @f_0(%x: memref<16x32xi8> align 16, %w: memref<16x32xi8> align 16) -> (%y: memref<16x16xi32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 32], stages = 2, warp_tile = "16x16", vectorize = {axis = "n.i.i", width = 1}}> {
  pto.tiles (%m, %n) in [16, 16] step [16, 16] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x32xi8, #pto.tile_info<loc=Mat>>, !pto.tile<32x16xi8, #pto.tile_info<loc=Mat, layout=DN>>]>
    %zero = arith.constant 0 : index
    %last = arith.constant 32 : index
    %step = arith.constant 32 : index
    pto.process {
      scf.for %k = %zero to %last step %step {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x32xi8, #pto.tile_info<loc=Mat>>, !pto.tile<32x16xi8, #pto.tile_info<loc=Mat, layout=DN>>]>
        %a = pto.tile.load.map %x[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [16, 16, 32] dims [0, 2] : memref<16x32xi8> -> tile<16x32xi8, #pto.tile_info<loc=Mat>>
        %b = pto.tile.load.map %w[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i1), (i2)] }"> in [16, 16, 32] dims [2, 1] : memref<16x32xi8> -> tile<32x16xi8, #pto.tile_info<loc=Mat, layout=DN>>
        pto.channel.commit %ring, %a, %b : !pto.channel<2, [!pto.tile<16x32xi8, #pto.tile_info<loc=Mat>>, !pto.tile<32x16xi8, #pto.tile_info<loc=Mat, layout=DN>>]>, tile<16x32xi8, #pto.tile_info<loc=Mat>>, tile<32x16xi8, #pto.tile_info<loc=Mat, layout=DN>>
      }
    }
    %none = pto.tile.expands 0 : i32 : tile<16x16xi32, #pto.tile_info<loc=Acc>>
    %sum = scf.for %kk = %zero to %last step %step iter_args(%s = %none) -> (!pto.tile<16x16xi32, #pto.tile_info<loc=Acc>>) {
      %p, %q = pto.channel.wait %ring : !pto.channel<2, [!pto.tile<16x32xi8, #pto.tile_info<loc=Mat>>, !pto.tile<32x16xi8, #pto.tile_info<loc=Mat, layout=DN>>]> -> tile<16x32xi8, #pto.tile_info<loc=Mat>>, tile<32x16xi8, #pto.tile_info<loc=Mat, layout=DN>>
      %l = pto.tile.mov.m2l %p : tile<16x32xi8, #pto.tile_info<loc=Mat>> -> tile<16x32xi8, #pto.tile_info<loc=Left>>
      %r = pto.tile.mov.m2r %q : tile<32x16xi8, #pto.tile_info<loc=Mat, layout=DN>> -> tile<32x16xi8, #pto.tile_info<loc=Right>>
      %t = pto.tile.matmul.acc %s, %l, %r : tile<16x16xi32, #pto.tile_info<loc=Acc>>, tile<16x32xi8, #pto.tile_info<loc=Left>>, tile<32x16xi8, #pto.tile_info<loc=Right>> -> tile<16x16xi32, #pto.tile_info<loc=Acc>>
      pto.channel.release %ring : !pto.channel<2, [!pto.tile<16x32xi8, #pto.tile_info<loc=Mat>>, !pto.tile<32x16xi8, #pto.tile_info<loc=Mat, layout=DN>>]>
      scf.yield %t : !pto.tile<16x16xi32, #pto.tile_info<loc=Acc>>
    }
    %v = pto.tile.mov.a2v %sum : tile<16x16xi32, #pto.tile_info<loc=Acc>> -> tile<16x16xi32>
    pto.tile.store.map %v, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [16, 16] dims [0, 1] : tile<16x16xi32>, memref<16x16xi32>
  }
}

// -----

// 8-bit integers across k.

// CHECK-LABEL: "gpu.func"
// CHECK: %acc = nv.frag : !nv.frag<16x16xi32, C of m16n8k32>
// CHECK: nv.ld_shared %smem_a[%slot, %c0, %warp_m] DN to %frag_a : !nv.smem<2x32x16xui8, xor_columns>, !nv.frag<16x32xui8, A of m16n8k32>
// CHECK-NEXT: nv.ld_shared %smem_b[%slot, %c0, %c0] ND to %frag_b : !nv.smem<2x32x16xui8, xor_columns>, !nv.frag<32x16xui8, B of m16n8k32>
// CHECK-NEXT: nv.mma_sync %acc, %frag_a, %frag_b : !nv.frag<16x16xi32, C of m16n8k32>, !nv.frag<16x32xui8, A of m16n8k32>, !nv.frag<32x16xui8, B of m16n8k32>

pto.kernel @f_0(%x: memref<32x16xui8> align 16, %w: memref<32x16xui8> align 16) -> (%y: memref<16x16xi32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 32], stages = 2, warp_tile = "16x16", vectorize = {axis = "n.i.i", width = 1}}> {
  pto.tiles (%m, %n) in [16, 16] step [16, 16] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x32xui8, #pto.tile_info<loc=Mat, layout=DN>>, !pto.tile<32x16xui8, #pto.tile_info<loc=Mat>>]>
    %zero = arith.constant 0 : index
    %last = arith.constant 32 : index
    %step = arith.constant 32 : index
    pto.process {
      scf.for %k = %zero to %last step %step {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x32xui8, #pto.tile_info<loc=Mat, layout=DN>>, !pto.tile<32x16xui8, #pto.tile_info<loc=Mat>>]>
        %a = pto.tile.load.map %x[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i0)] }"> in [16, 16, 32] dims [0, 2] : memref<32x16xui8> -> tile<16x32xui8, #pto.tile_info<loc=Mat, layout=DN>>
        %b = pto.tile.load.map %w[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [16, 16, 32] dims [2, 1] : memref<32x16xui8> -> tile<32x16xui8, #pto.tile_info<loc=Mat>>
        pto.channel.commit %ring, %a, %b : !pto.channel<2, [!pto.tile<16x32xui8, #pto.tile_info<loc=Mat, layout=DN>>, !pto.tile<32x16xui8, #pto.tile_info<loc=Mat>>]>, tile<16x32xui8, #pto.tile_info<loc=Mat, layout=DN>>, tile<32x16xui8, #pto.tile_info<loc=Mat>>
      }
    }
    %none = pto.tile.expands 0 : i32 : tile<16x16xi32, #pto.tile_info<loc=Acc>>
    %sum = scf.for %kk = %zero to %last step %step iter_args(%s = %none) -> (!pto.tile<16x16xi32, #pto.tile_info<loc=Acc>>) {
      %p, %q = pto.channel.wait %ring : !pto.channel<2, [!pto.tile<16x32xui8, #pto.tile_info<loc=Mat, layout=DN>>, !pto.tile<32x16xui8, #pto.tile_info<loc=Mat>>]> -> tile<16x32xui8, #pto.tile_info<loc=Mat, layout=DN>>, tile<32x16xui8, #pto.tile_info<loc=Mat>>
      %l = pto.tile.mov.m2l %p : tile<16x32xui8, #pto.tile_info<loc=Mat, layout=DN>> -> tile<16x32xui8, #pto.tile_info<loc=Left>>
      %r = pto.tile.mov.m2r %q : tile<32x16xui8, #pto.tile_info<loc=Mat>> -> tile<32x16xui8, #pto.tile_info<loc=Right>>
      %t = pto.tile.matmul.acc %s, %l, %r : tile<16x16xi32, #pto.tile_info<loc=Acc>>, tile<16x32xui8, #pto.tile_info<loc=Left>>, tile<32x16xui8, #pto.tile_info<loc=Right>> -> tile<16x16xi32, #pto.tile_info<loc=Acc>>
      pto.channel.release %ring : !pto.channel<2, [!pto.tile<16x32xui8, #pto.tile_info<loc=Mat, layout=DN>>, !pto.tile<32x16xui8, #pto.tile_info<loc=Mat>>]>
      scf.yield %t : !pto.tile<16x16xi32, #pto.tile_info<loc=Acc>>
    }
    %v = pto.tile.mov.a2v %sum : tile<16x16xi32, #pto.tile_info<loc=Acc>> -> tile<16x16xi32>
    pto.tile.store.map %v, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [16, 16] dims [0, 1] : tile<16x16xi32>, memref<16x16xi32>
  }
}

// -----

// f64: lanes load their elements themselves, along k and across it.

// CHECK-LABEL: "gpu.func"
// CHECK: %acc = nv.frag : !nv.frag<16x16xf64, C of m8n8k4>
// CHECK: nv.ld_shared %smem_a[%slot, %warp_m, %c0] ND to %frag_a : !nv.smem<2x16x4xf64, none>, !nv.frag<16x4xf64, A of m8n8k4>
// CHECK-NEXT: nv.ld_shared %smem_b[%slot, %c0, %c0] DN to %frag_b : !nv.smem<2x16x4xf64, none>, !nv.frag<4x16xf64, B of m8n8k4>
// CHECK-NEXT: nv.mma_sync %acc, %frag_a, %frag_b : !nv.frag<16x16xf64, C of m8n8k4>, !nv.frag<16x4xf64, A of m8n8k4>, !nv.frag<4x16xf64, B of m8n8k4>

pto.kernel @f_0(%x: memref<16x4xf64> align 16, %w: memref<16x4xf64> align 16) -> (%y: memref<16x16xf64> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 4], stages = 2, warp_tile = "16x16", vectorize = {axis = "n.i.i", width = 1}}> {
  pto.tiles (%m, %n) in [16, 16] step [16, 16] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x4xf64, #pto.tile_info<loc=Mat>>, !pto.tile<4x16xf64, #pto.tile_info<loc=Mat, layout=DN>>]>
    %zero = arith.constant 0 : index
    %last = arith.constant 4 : index
    %step = arith.constant 4 : index
    pto.process {
      scf.for %k = %zero to %last step %step {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x4xf64, #pto.tile_info<loc=Mat>>, !pto.tile<4x16xf64, #pto.tile_info<loc=Mat, layout=DN>>]>
        %a = pto.tile.load.map %x[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [16, 16, 4] dims [0, 2] : memref<16x4xf64> -> tile<16x4xf64, #pto.tile_info<loc=Mat>>
        %b = pto.tile.load.map %w[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i1), (i2)] }"> in [16, 16, 4] dims [2, 1] : memref<16x4xf64> -> tile<4x16xf64, #pto.tile_info<loc=Mat, layout=DN>>
        pto.channel.commit %ring, %a, %b : !pto.channel<2, [!pto.tile<16x4xf64, #pto.tile_info<loc=Mat>>, !pto.tile<4x16xf64, #pto.tile_info<loc=Mat, layout=DN>>]>, tile<16x4xf64, #pto.tile_info<loc=Mat>>, tile<4x16xf64, #pto.tile_info<loc=Mat, layout=DN>>
      }
    }
    %none = pto.tile.expands 0.000000e+00 : f64 : tile<16x16xf64, #pto.tile_info<loc=Acc>>
    %sum = scf.for %kk = %zero to %last step %step iter_args(%s = %none) -> (!pto.tile<16x16xf64, #pto.tile_info<loc=Acc>>) {
      %p, %q = pto.channel.wait %ring : !pto.channel<2, [!pto.tile<16x4xf64, #pto.tile_info<loc=Mat>>, !pto.tile<4x16xf64, #pto.tile_info<loc=Mat, layout=DN>>]> -> tile<16x4xf64, #pto.tile_info<loc=Mat>>, tile<4x16xf64, #pto.tile_info<loc=Mat, layout=DN>>
      %l = pto.tile.mov.m2l %p : tile<16x4xf64, #pto.tile_info<loc=Mat>> -> tile<16x4xf64, #pto.tile_info<loc=Left>>
      %r = pto.tile.mov.m2r %q : tile<4x16xf64, #pto.tile_info<loc=Mat, layout=DN>> -> tile<4x16xf64, #pto.tile_info<loc=Right>>
      %t = pto.tile.matmul.acc %s, %l, %r : tile<16x16xf64, #pto.tile_info<loc=Acc>>, tile<16x4xf64, #pto.tile_info<loc=Left>>, tile<4x16xf64, #pto.tile_info<loc=Right>> -> tile<16x16xf64, #pto.tile_info<loc=Acc>>
      pto.channel.release %ring : !pto.channel<2, [!pto.tile<16x4xf64, #pto.tile_info<loc=Mat>>, !pto.tile<4x16xf64, #pto.tile_info<loc=Mat, layout=DN>>]>
      scf.yield %t : !pto.tile<16x16xf64, #pto.tile_info<loc=Acc>>
    }
    %v = pto.tile.mov.a2v %sum : tile<16x16xf64, #pto.tile_info<loc=Acc>> -> tile<16x16xf64>
    pto.tile.store.map %v, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [16, 16] dims [0, 1] : tile<16x16xf64>, memref<16x16xf64>
  }
}

// -----

// f32 without tf32: no tensor core.

// CHECK-LABEL: "gpu.func"
// CHECK: %acc = nv.frag : !nv.frag<16x16xf32, C of fma>
// CHECK: nv.ld_shared %smem_a[%slot, %warp_m, %c0] ND to %frag_a : !nv.smem<2x16x4xf32, none>, !nv.frag<16x4xf32, A of fma>
// CHECK-NEXT: nv.ld_shared %smem_b[%slot, %c0, %c0] ND to %frag_b : !nv.smem<2x4x16xf32, none>, !nv.frag<4x16xf32, B of fma>
// CHECK-NEXT: nv.fma %acc, %frag_a, %frag_b : !nv.frag<16x16xf32, C of fma>, !nv.frag<16x4xf32, A of fma>, !nv.frag<4x16xf32, B of fma>

pto.kernel @f_0(%x: memref<16x4xf32> align 16, %w: memref<4x16xf32> align 16) -> (%y: memref<16x16xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 4], stages = 2, warp_tile = "16x16", vectorize = {axis = "n.i.i", width = 1}}> {
  pto.tiles (%m, %n) in [16, 16] step [16, 16] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x4xf32, #pto.tile_info<loc=Mat>>, !pto.tile<4x16xf32, #pto.tile_info<loc=Mat>>]>
    %zero = arith.constant 0 : index
    %last = arith.constant 4 : index
    %step = arith.constant 4 : index
    pto.process {
      scf.for %k = %zero to %last step %step {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x4xf32, #pto.tile_info<loc=Mat>>, !pto.tile<4x16xf32, #pto.tile_info<loc=Mat>>]>
        %a = pto.tile.load.map %x[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [16, 16, 4] dims [0, 2] : memref<16x4xf32> -> tile<16x4xf32, #pto.tile_info<loc=Mat>>
        %b = pto.tile.load.map %w[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [16, 16, 4] dims [2, 1] : memref<4x16xf32> -> tile<4x16xf32, #pto.tile_info<loc=Mat>>
        pto.channel.commit %ring, %a, %b : !pto.channel<2, [!pto.tile<16x4xf32, #pto.tile_info<loc=Mat>>, !pto.tile<4x16xf32, #pto.tile_info<loc=Mat>>]>, tile<16x4xf32, #pto.tile_info<loc=Mat>>, tile<4x16xf32, #pto.tile_info<loc=Mat>>
      }
    }
    %none = pto.tile.expands 0.000000e+00 : f32 : tile<16x16xf32, #pto.tile_info<loc=Acc>>
    %sum = scf.for %kk = %zero to %last step %step iter_args(%s = %none) -> (!pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>) {
      %p, %q = pto.channel.wait %ring : !pto.channel<2, [!pto.tile<16x4xf32, #pto.tile_info<loc=Mat>>, !pto.tile<4x16xf32, #pto.tile_info<loc=Mat>>]> -> tile<16x4xf32, #pto.tile_info<loc=Mat>>, tile<4x16xf32, #pto.tile_info<loc=Mat>>
      %l = pto.tile.mov.m2l %p : tile<16x4xf32, #pto.tile_info<loc=Mat>> -> tile<16x4xf32, #pto.tile_info<loc=Left>>
      %r = pto.tile.mov.m2r %q : tile<4x16xf32, #pto.tile_info<loc=Mat>> -> tile<4x16xf32, #pto.tile_info<loc=Right>>
      %t = pto.tile.matmul.acc %s, %l, %r : tile<16x16xf32, #pto.tile_info<loc=Acc>>, tile<16x4xf32, #pto.tile_info<loc=Left>>, tile<4x16xf32, #pto.tile_info<loc=Right>> -> tile<16x16xf32, #pto.tile_info<loc=Acc>>
      pto.channel.release %ring : !pto.channel<2, [!pto.tile<16x4xf32, #pto.tile_info<loc=Mat>>, !pto.tile<4x16xf32, #pto.tile_info<loc=Mat>>]>
      scf.yield %t : !pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>
    }
    %v = pto.tile.mov.a2v %sum : tile<16x16xf32, #pto.tile_info<loc=Acc>> -> tile<16x16xf32>
    pto.tile.store.map %v, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [16, 16] dims [0, 1] : tile<16x16xf32>, memref<16x16xf32>
  }
}

// -----

// Turned.

// CHECK-LABEL: "gpu.func"
// CHECK: %acc = nv.frag : !nv.frag<16x16xf32, C of fma>
// CHECK: nv.ld_shared %smem_a[%slot, %c0, %warp_m] DN to %frag_a : !nv.smem<2x4x16xf32, none>, !nv.frag<16x4xf32, A of fma>
// CHECK-NEXT: nv.ld_shared %smem_b[%slot, %c0, %c0] DN to %frag_b : !nv.smem<2x16x4xf32, none>, !nv.frag<4x16xf32, B of fma>
// CHECK-NEXT: nv.fma %acc, %frag_a, %frag_b : !nv.frag<16x16xf32, C of fma>, !nv.frag<16x4xf32, A of fma>, !nv.frag<4x16xf32, B of fma>

pto.kernel @f_0(%x: memref<4x16xf32> align 16, %w: memref<16x4xf32> align 16) -> (%y: memref<16x16xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 4], stages = 2, warp_tile = "16x16", vectorize = {axis = "n.i.i", width = 1}}> {
  pto.tiles (%m, %n) in [16, 16] step [16, 16] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x4xf32, #pto.tile_info<loc=Mat, layout=DN>>, !pto.tile<4x16xf32, #pto.tile_info<loc=Mat, layout=DN>>]>
    %zero = arith.constant 0 : index
    %last = arith.constant 4 : index
    %step = arith.constant 4 : index
    pto.process {
      scf.for %k = %zero to %last step %step {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x4xf32, #pto.tile_info<loc=Mat, layout=DN>>, !pto.tile<4x16xf32, #pto.tile_info<loc=Mat, layout=DN>>]>
        %a = pto.tile.load.map %x[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i0)] }"> in [16, 16, 4] dims [0, 2] : memref<4x16xf32> -> tile<16x4xf32, #pto.tile_info<loc=Mat, layout=DN>>
        %b = pto.tile.load.map %w[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i1), (i2)] }"> in [16, 16, 4] dims [2, 1] : memref<16x4xf32> -> tile<4x16xf32, #pto.tile_info<loc=Mat, layout=DN>>
        pto.channel.commit %ring, %a, %b : !pto.channel<2, [!pto.tile<16x4xf32, #pto.tile_info<loc=Mat, layout=DN>>, !pto.tile<4x16xf32, #pto.tile_info<loc=Mat, layout=DN>>]>, tile<16x4xf32, #pto.tile_info<loc=Mat, layout=DN>>, tile<4x16xf32, #pto.tile_info<loc=Mat, layout=DN>>
      }
    }
    %none = pto.tile.expands 0.000000e+00 : f32 : tile<16x16xf32, #pto.tile_info<loc=Acc>>
    %sum = scf.for %kk = %zero to %last step %step iter_args(%s = %none) -> (!pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>) {
      %p, %q = pto.channel.wait %ring : !pto.channel<2, [!pto.tile<16x4xf32, #pto.tile_info<loc=Mat, layout=DN>>, !pto.tile<4x16xf32, #pto.tile_info<loc=Mat, layout=DN>>]> -> tile<16x4xf32, #pto.tile_info<loc=Mat, layout=DN>>, tile<4x16xf32, #pto.tile_info<loc=Mat, layout=DN>>
      %l = pto.tile.mov.m2l %p : tile<16x4xf32, #pto.tile_info<loc=Mat, layout=DN>> -> tile<16x4xf32, #pto.tile_info<loc=Left>>
      %r = pto.tile.mov.m2r %q : tile<4x16xf32, #pto.tile_info<loc=Mat, layout=DN>> -> tile<4x16xf32, #pto.tile_info<loc=Right>>
      %t = pto.tile.matmul.acc %s, %l, %r : tile<16x16xf32, #pto.tile_info<loc=Acc>>, tile<16x4xf32, #pto.tile_info<loc=Left>>, tile<4x16xf32, #pto.tile_info<loc=Right>> -> tile<16x16xf32, #pto.tile_info<loc=Acc>>
      pto.channel.release %ring : !pto.channel<2, [!pto.tile<16x4xf32, #pto.tile_info<loc=Mat, layout=DN>>, !pto.tile<4x16xf32, #pto.tile_info<loc=Mat, layout=DN>>]>
      scf.yield %t : !pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>
    }
    %v = pto.tile.mov.a2v %sum : tile<16x16xf32, #pto.tile_info<loc=Acc>> -> tile<16x16xf32>
    pto.tile.store.map %v, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [16, 16] dims [0, 1] : tile<16x16xf32>, memref<16x16xf32>
  }
}

// -----

// Signs may differ.

// CHECK-LABEL: "gpu.func"
// CHECK: nv.mma_sync %acc, %frag_a, %frag_b : !nv.frag<16x16xi32, C of m16n8k32>, !nv.frag<16x32xsi8, A of m16n8k32>, !nv.frag<32x16xui8, B of m16n8k32>

pto.kernel @f_0(%x: memref<16x32xsi8> align 16, %w: memref<16x32xui8> align 16) -> (%y: memref<16x16xi32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 32], stages = 2, warp_tile = "16x16", vectorize = {axis = "n.i.i", width = 1}}> {
  pto.tiles (%m, %n) in [16, 16] step [16, 16] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x32xsi8, #pto.tile_info<loc=Mat>>, !pto.tile<32x16xui8, #pto.tile_info<loc=Mat, layout=DN>>]>
    %zero = arith.constant 0 : index
    %last = arith.constant 32 : index
    %step = arith.constant 32 : index
    pto.process {
      scf.for %k = %zero to %last step %step {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x32xsi8, #pto.tile_info<loc=Mat>>, !pto.tile<32x16xui8, #pto.tile_info<loc=Mat, layout=DN>>]>
        %a = pto.tile.load.map %x[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [16, 16, 32] dims [0, 2] : memref<16x32xsi8> -> tile<16x32xsi8, #pto.tile_info<loc=Mat>>
        %b = pto.tile.load.map %w[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i1), (i2)] }"> in [16, 16, 32] dims [2, 1] : memref<16x32xui8> -> tile<32x16xui8, #pto.tile_info<loc=Mat, layout=DN>>
        pto.channel.commit %ring, %a, %b : !pto.channel<2, [!pto.tile<16x32xsi8, #pto.tile_info<loc=Mat>>, !pto.tile<32x16xui8, #pto.tile_info<loc=Mat, layout=DN>>]>, tile<16x32xsi8, #pto.tile_info<loc=Mat>>, tile<32x16xui8, #pto.tile_info<loc=Mat, layout=DN>>
      }
    }
    %none = pto.tile.expands 0 : i32 : tile<16x16xi32, #pto.tile_info<loc=Acc>>
    %sum = scf.for %kk = %zero to %last step %step iter_args(%s = %none) -> (!pto.tile<16x16xi32, #pto.tile_info<loc=Acc>>) {
      %p, %q = pto.channel.wait %ring : !pto.channel<2, [!pto.tile<16x32xsi8, #pto.tile_info<loc=Mat>>, !pto.tile<32x16xui8, #pto.tile_info<loc=Mat, layout=DN>>]> -> tile<16x32xsi8, #pto.tile_info<loc=Mat>>, tile<32x16xui8, #pto.tile_info<loc=Mat, layout=DN>>
      %l = pto.tile.mov.m2l %p : tile<16x32xsi8, #pto.tile_info<loc=Mat>> -> tile<16x32xsi8, #pto.tile_info<loc=Left>>
      %r = pto.tile.mov.m2r %q : tile<32x16xui8, #pto.tile_info<loc=Mat, layout=DN>> -> tile<32x16xui8, #pto.tile_info<loc=Right>>
      %t = pto.tile.matmul.acc %s, %l, %r : tile<16x16xi32, #pto.tile_info<loc=Acc>>, tile<16x32xsi8, #pto.tile_info<loc=Left>>, tile<32x16xui8, #pto.tile_info<loc=Right>> -> tile<16x16xi32, #pto.tile_info<loc=Acc>>
      pto.channel.release %ring : !pto.channel<2, [!pto.tile<16x32xsi8, #pto.tile_info<loc=Mat>>, !pto.tile<32x16xui8, #pto.tile_info<loc=Mat, layout=DN>>]>
      scf.yield %t : !pto.tile<16x16xi32, #pto.tile_info<loc=Acc>>
    }
    %v = pto.tile.mov.a2v %sum : tile<16x16xi32, #pto.tile_info<loc=Acc>> -> tile<16x16xi32>
    pto.tile.store.map %v, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [16, 16] dims [0, 1] : tile<16x16xi32>, memref<16x16xi32>
  }
}
