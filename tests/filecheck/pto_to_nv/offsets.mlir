// RUN: ptir-opt %s -p pto-to-nv --split-input-file | filecheck %s

// Offsets of a load are computed where the copy stands, of a store where the epilogue does.

// CHECK-LABEL: "gpu.func"
// CHECK: nv.copy_offsets %x[{{.*}}] to %smem_a {{.*}} in [32, 32, 64] dims [0, 2] guard [] bytes 16
// CHECK: scf.for %s = %c0 to %c1 step %c1 {
// CHECK: %o = arith.addi %k, %c16 : index
// CHECK: nv.cp_async_at %offsets_a[{{.*}}] bits[{{.*}}] to %smem_a[%s]
// CHECK: nv.cp_async_at %offsets_b[%delta_b] bits[] to %smem_b[%s]
// CHECK: scf.if %more {
// CHECK: %o_1 = arith.addi %k_1, %c16 : index
// CHECK: nv.cp_async_at %offsets_a[{{.*}}] bits[] to %smem_a[%free]

pto.kernel @f_0(%x: memref<32x64xbf16> align 16, %w: memref<32x32xbf16> align 16) -> (%y: memref<32x32xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 16], stages = 2, warp_tile = "16x16", vectorize = {axis = "n.i.i", width = 2}}> {
  pto.tiles (%m, %n) in [32, 32] step [16, 16] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
    %zero = arith.constant 0 : index
    %last = arith.constant 32 : index
    %step = arith.constant 16 : index
    pto.process {
      scf.for %k = %zero to %last step %step {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
        %c = arith.constant 16 : index
        %o = arith.addi %k, %c : index
        %a = pto.tile.load.map %x[%m, %n, %o] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [32, 32, 64] dims [0, 2] : memref<32x64xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        %b = pto.tile.load.map %w[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [32, 32, 32] dims [2, 1] : memref<32x32xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        pto.channel.commit %ring, %a, %b : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>
      }
    }
    %none = pto.tile.expands 0.000000e+00 : f32 : tile<16x16xf32, #pto.tile_info<loc=Acc>>
    %sum = scf.for %kk = %zero to %last step %step iter_args(%s = %none) -> (!pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>) {
      %p, %q = pto.channel.wait %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>
      %l = pto.tile.mov.m2l %p : tile<16x16xbf16, #pto.tile_info<loc=Mat>> -> tile<16x16xbf16, #pto.tile_info<loc=Left>>
      %r = pto.tile.mov.m2r %q : tile<16x16xbf16, #pto.tile_info<loc=Mat>> -> tile<16x16xbf16, #pto.tile_info<loc=Right>>
      %t = pto.tile.matmul.acc %s, %l, %r : tile<16x16xf32, #pto.tile_info<loc=Acc>>, tile<16x16xbf16, #pto.tile_info<loc=Left>>, tile<16x16xbf16, #pto.tile_info<loc=Right>> -> tile<16x16xf32, #pto.tile_info<loc=Acc>>
      pto.channel.release %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
      scf.yield %t : !pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>
    }
    %v = pto.tile.mov.a2v %sum : tile<16x16xf32, #pto.tile_info<loc=Acc>> -> tile<16x16xf32>
    pto.tile.store.map %v, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [32, 32] dims [0, 1] : tile<16x16xf32>, memref<32x32xf32>
  }
}

// -----

// Multiples; what may reach past the box is guarded.

// CHECK-LABEL: "gpu.func"
// CHECK: %twice = arith.muli %m, %c2 : index
// CHECK: nv.copy_offsets %x[{{.*}}] to %smem_a {{.*}} guard [] bytes 16
// CHECK: %row = arith.addi %m, %warp_m : index

pto.kernel @f_0(%x: memref<48x16xbf16> align 16, %w: memref<16x16xbf16> align 16) -> (%y: memref<32x16xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 16], stages = 2, warp_tile = "16x16", vectorize = {axis = "n.i.i", width = 2}}> {
  pto.tiles (%m, %n) in [32, 16] step [16, 16] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
    %zero = arith.constant 0 : index
    %last = arith.constant 16 : index
    %step = arith.constant 16 : index
    pto.process {
      scf.for %k = %zero to %last step %step {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
        %c = arith.constant 2 : index
        %twice = arith.muli %m, %c : index
        %a = pto.tile.load.map %x[%twice, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [48, 16, 16] dims [0, 2] : memref<48x16xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        %b = pto.tile.load.map %w[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [32, 16, 16] dims [2, 1] : memref<16x16xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        pto.channel.commit %ring, %a, %b : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>
      }
    }
    %none = pto.tile.expands 0.000000e+00 : f32 : tile<16x16xf32, #pto.tile_info<loc=Acc>>
    %sum = scf.for %kk = %zero to %last step %step iter_args(%s = %none) -> (!pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>) {
      %p, %q = pto.channel.wait %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>
      %l = pto.tile.mov.m2l %p : tile<16x16xbf16, #pto.tile_info<loc=Mat>> -> tile<16x16xbf16, #pto.tile_info<loc=Left>>
      %r = pto.tile.mov.m2r %q : tile<16x16xbf16, #pto.tile_info<loc=Mat>> -> tile<16x16xbf16, #pto.tile_info<loc=Right>>
      %t = pto.tile.matmul.acc %s, %l, %r : tile<16x16xf32, #pto.tile_info<loc=Acc>>, tile<16x16xbf16, #pto.tile_info<loc=Left>>, tile<16x16xbf16, #pto.tile_info<loc=Right>> -> tile<16x16xf32, #pto.tile_info<loc=Acc>>
      pto.channel.release %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
      scf.yield %t : !pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>
    }
    %v = pto.tile.mov.a2v %sum : tile<16x16xf32, #pto.tile_info<loc=Acc>> -> tile<16x16xf32>
    pto.tile.store.map %v, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [32, 16] dims [0, 1] : tile<16x16xf32>, memref<32x16xf32>
  }
}

// -----

// One tile further than the last that is whole.

// CHECK-LABEL: "gpu.func"
// CHECK: %next = arith.addi %m, %c16 : index
// CHECK: nv.copy_offsets %x[{{.*}}] to %smem_a {{.*}} guard [0] bytes 16

pto.kernel @f_0(%x: memref<40x16xbf16> align 16, %w: memref<16x16xbf16> align 16) -> (%y: memref<32x16xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 16], stages = 2, warp_tile = "16x16", vectorize = {axis = "n.i.i", width = 2}}> {
  pto.tiles (%m, %n) in [32, 16] step [16, 16] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
    %zero = arith.constant 0 : index
    %last = arith.constant 16 : index
    %step = arith.constant 16 : index
    pto.process {
      scf.for %k = %zero to %last step %step {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
        %c = arith.constant 16 : index
        %next = arith.addi %m, %c : index
        %a = pto.tile.load.map %x[%next, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [40, 16, 16] dims [0, 2] : memref<40x16xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        %b = pto.tile.load.map %w[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [32, 16, 16] dims [2, 1] : memref<16x16xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        pto.channel.commit %ring, %a, %b : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>
      }
    }
    %none = pto.tile.expands 0.000000e+00 : f32 : tile<16x16xf32, #pto.tile_info<loc=Acc>>
    %sum = scf.for %kk = %zero to %last step %step iter_args(%s = %none) -> (!pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>) {
      %p, %q = pto.channel.wait %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>
      %l = pto.tile.mov.m2l %p : tile<16x16xbf16, #pto.tile_info<loc=Mat>> -> tile<16x16xbf16, #pto.tile_info<loc=Left>>
      %r = pto.tile.mov.m2r %q : tile<16x16xbf16, #pto.tile_info<loc=Mat>> -> tile<16x16xbf16, #pto.tile_info<loc=Right>>
      %t = pto.tile.matmul.acc %s, %l, %r : tile<16x16xf32, #pto.tile_info<loc=Acc>>, tile<16x16xbf16, #pto.tile_info<loc=Left>>, tile<16x16xbf16, #pto.tile_info<loc=Right>> -> tile<16x16xf32, #pto.tile_info<loc=Acc>>
      pto.channel.release %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
      scf.yield %t : !pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>
    }
    %v = pto.tile.mov.a2v %sum : tile<16x16xf32, #pto.tile_info<loc=Acc>> -> tile<16x16xf32>
    pto.tile.store.map %v, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [32, 16] dims [0, 1] : tile<16x16xf32>, memref<32x16xf32>
  }
}

// -----

// The offset of a store.

// CHECK-LABEL: "gpu.func"
// CHECK: %o = arith.addi %m, %c32 : index
// CHECK: %row = arith.addi %o, %warp_m : index
// CHECK-NEXT: nv.epilogue %acc : !nv.frag<16x16xf32, C of m16n8k16>[%row, %c0] in [64, 16] dims [0, 1] guard []

pto.kernel @f_0(%x: memref<32x16xbf16> align 16, %w: memref<16x16xbf16> align 16) -> (%y: memref<64x16xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 16], stages = 2, warp_tile = "16x16", vectorize = {axis = "n.i.i", width = 2}}> {
  pto.tiles (%m, %n) in [32, 16] step [16, 16] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
    %zero = arith.constant 0 : index
    %last = arith.constant 16 : index
    %step = arith.constant 16 : index
    pto.process {
      scf.for %k = %zero to %last step %step {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
        %a = pto.tile.load.map %x[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [32, 16, 16] dims [0, 2] : memref<32x16xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        %b = pto.tile.load.map %w[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [32, 16, 16] dims [2, 1] : memref<16x16xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        pto.channel.commit %ring, %a, %b : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>
      }
    }
    %none = pto.tile.expands 0.000000e+00 : f32 : tile<16x16xf32, #pto.tile_info<loc=Acc>>
    %sum = scf.for %kk = %zero to %last step %step iter_args(%s = %none) -> (!pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>) {
      %p, %q = pto.channel.wait %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>
      %l = pto.tile.mov.m2l %p : tile<16x16xbf16, #pto.tile_info<loc=Mat>> -> tile<16x16xbf16, #pto.tile_info<loc=Left>>
      %r = pto.tile.mov.m2r %q : tile<16x16xbf16, #pto.tile_info<loc=Mat>> -> tile<16x16xbf16, #pto.tile_info<loc=Right>>
      %t = pto.tile.matmul.acc %s, %l, %r : tile<16x16xf32, #pto.tile_info<loc=Acc>>, tile<16x16xbf16, #pto.tile_info<loc=Left>>, tile<16x16xbf16, #pto.tile_info<loc=Right>> -> tile<16x16xf32, #pto.tile_info<loc=Acc>>
      pto.channel.release %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
      scf.yield %t : !pto.tile<16x16xf32, #pto.tile_info<loc=Acc>>
    }
    %v = pto.tile.mov.a2v %sum : tile<16x16xf32, #pto.tile_info<loc=Acc>> -> tile<16x16xf32>
    %c = arith.constant 32 : index
    %o = arith.addi %m, %c : index
    pto.tile.store.map %v, %y[%o, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [64, 16] dims [0, 1] : tile<16x16xf32>, memref<64x16xf32>
  }
}
