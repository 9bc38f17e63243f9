// RUN: ptir-opt %s -p pto-to-nv --split-input-file | filecheck %s

// 16 bytes of bf16: each lane gets 8 neighbours.

// CHECK-LABEL: "gpu.func"
// CHECK: %acc_rows = nv.convert_layout %acc : !nv.frag<16x32xf32, C of m16n8k16> -> !nv.frag<16x32xf32, lane(4: 8j, 8: i) reg(8: j, 2: 8i)>
// CHECK-NEXT: nv.epilogue %acc_rows : !nv.frag<16x32xf32, lane(4: 8j, 8: i) reg(8: j, 2: 8i)>[{{.*}} widths [8] {

pto.kernel @f_0(%x: memref<16x16xbf16> align 16, %w: memref<16x32xbf16> align 16) -> (%y: memref<16x32xbf16> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 32, 16], stages = 2, warp_tile = "16x32", vectorize = {axis = "n.i.i", width = 8}}> {
  pto.tiles (%m, %n) in [16, 32] step [16, 32] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x32xbf16, #pto.tile_info<loc=Mat>>]>
    %zero = arith.constant 0 : index
    %last = arith.constant 16 : index
    %step = arith.constant 16 : index
    pto.process {
      scf.for %k = %zero to %last step %step {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x32xbf16, #pto.tile_info<loc=Mat>>]>
        %a = pto.tile.load.map %x[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [16, 32, 16] dims [0, 2] : memref<16x16xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        %b = pto.tile.load.map %w[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [16, 32, 16] dims [2, 1] : memref<16x32xbf16> -> tile<16x32xbf16, #pto.tile_info<loc=Mat>>
        pto.channel.commit %ring, %a, %b : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x32xbf16, #pto.tile_info<loc=Mat>>]>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x32xbf16, #pto.tile_info<loc=Mat>>
      }
    }
    %none = pto.tile.expands 0.000000e+00 : f32 : tile<16x32xf32, #pto.tile_info<loc=Acc>>
    %sum = scf.for %kk = %zero to %last step %step iter_args(%s = %none) -> (!pto.tile<16x32xf32, #pto.tile_info<loc=Acc>>) {
      %p, %q = pto.channel.wait %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x32xbf16, #pto.tile_info<loc=Mat>>]> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x32xbf16, #pto.tile_info<loc=Mat>>
      %l = pto.tile.mov.m2l %p : tile<16x16xbf16, #pto.tile_info<loc=Mat>> -> tile<16x16xbf16, #pto.tile_info<loc=Left>>
      %r = pto.tile.mov.m2r %q : tile<16x32xbf16, #pto.tile_info<loc=Mat>> -> tile<16x32xbf16, #pto.tile_info<loc=Right>>
      %t = pto.tile.matmul.acc %s, %l, %r : tile<16x32xf32, #pto.tile_info<loc=Acc>>, tile<16x16xbf16, #pto.tile_info<loc=Left>>, tile<16x32xbf16, #pto.tile_info<loc=Right>> -> tile<16x32xf32, #pto.tile_info<loc=Acc>>
      pto.channel.release %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x32xbf16, #pto.tile_info<loc=Mat>>]>
      scf.yield %t : !pto.tile<16x32xf32, #pto.tile_info<loc=Acc>>
    }
    %v = pto.tile.mov.a2v %sum : tile<16x32xf32, #pto.tile_info<loc=Acc>> -> tile<16x32xf32>
    %o = pto.tile.cvt %v : tile<16x32xf32> -> tile<16x32xbf16>
    pto.tile.store.map %o, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [16, 32] dims [0, 1] : tile<16x32xbf16>, memref<16x32xbf16>
  }
}

// -----

// 16 bytes of f32: 4.

// CHECK-LABEL: "gpu.func"
// CHECK: %acc_rows = nv.convert_layout %acc : !nv.frag<16x32xf32, C of m16n8k16> -> !nv.frag<16x32xf32, lane(2: 8j, 2: 4j, 8: i) reg(4: j, 2: 16j, 2: 8i)>
// CHECK-NEXT: nv.epilogue %acc_rows : !nv.frag<16x32xf32, lane(2: 8j, 2: 4j, 8: i) reg(4: j, 2: 16j, 2: 8i)>[{{.*}} widths [4] {

pto.kernel @f_0(%x: memref<16x16xbf16> align 16, %w: memref<16x32xbf16> align 16) -> (%y: memref<16x32xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 32, 16], stages = 2, warp_tile = "16x32", vectorize = {axis = "n.i.i", width = 8}}> {
  pto.tiles (%m, %n) in [16, 32] step [16, 32] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x32xbf16, #pto.tile_info<loc=Mat>>]>
    %zero = arith.constant 0 : index
    %last = arith.constant 16 : index
    %step = arith.constant 16 : index
    pto.process {
      scf.for %k = %zero to %last step %step {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x32xbf16, #pto.tile_info<loc=Mat>>]>
        %a = pto.tile.load.map %x[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [16, 32, 16] dims [0, 2] : memref<16x16xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        %b = pto.tile.load.map %w[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [16, 32, 16] dims [2, 1] : memref<16x32xbf16> -> tile<16x32xbf16, #pto.tile_info<loc=Mat>>
        pto.channel.commit %ring, %a, %b : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x32xbf16, #pto.tile_info<loc=Mat>>]>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x32xbf16, #pto.tile_info<loc=Mat>>
      }
    }
    %none = pto.tile.expands 0.000000e+00 : f32 : tile<16x32xf32, #pto.tile_info<loc=Acc>>
    %sum = scf.for %kk = %zero to %last step %step iter_args(%s = %none) -> (!pto.tile<16x32xf32, #pto.tile_info<loc=Acc>>) {
      %p, %q = pto.channel.wait %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x32xbf16, #pto.tile_info<loc=Mat>>]> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x32xbf16, #pto.tile_info<loc=Mat>>
      %l = pto.tile.mov.m2l %p : tile<16x16xbf16, #pto.tile_info<loc=Mat>> -> tile<16x16xbf16, #pto.tile_info<loc=Left>>
      %r = pto.tile.mov.m2r %q : tile<16x32xbf16, #pto.tile_info<loc=Mat>> -> tile<16x32xbf16, #pto.tile_info<loc=Right>>
      %t = pto.tile.matmul.acc %s, %l, %r : tile<16x32xf32, #pto.tile_info<loc=Acc>>, tile<16x16xbf16, #pto.tile_info<loc=Left>>, tile<16x32xbf16, #pto.tile_info<loc=Right>> -> tile<16x32xf32, #pto.tile_info<loc=Acc>>
      pto.channel.release %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x32xbf16, #pto.tile_info<loc=Mat>>]>
      scf.yield %t : !pto.tile<16x32xf32, #pto.tile_info<loc=Acc>>
    }
    %v = pto.tile.mov.a2v %sum : tile<16x32xf32, #pto.tile_info<loc=Acc>> -> tile<16x32xf32>
    pto.tile.store.map %v, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [16, 32] dims [0, 1] : tile<16x32xf32>, memref<16x32xf32>
  }
}

// -----

// The plan asks for 4 of bf16.

// CHECK-LABEL: "gpu.func"
// CHECK: %acc_rows = nv.convert_layout %acc : !nv.frag<16x32xf32, C of m16n8k16> -> !nv.frag<16x32xf32, lane(2: 8j, 2: 4j, 8: i) reg(4: j, 2: 16j, 2: 8i)>
// CHECK-NEXT: nv.epilogue %acc_rows : !nv.frag<16x32xf32, lane(2: 8j, 2: 4j, 8: i) reg(4: j, 2: 16j, 2: 8i)>[{{.*}} widths [4] {

pto.kernel @f_0(%x: memref<16x16xbf16> align 16, %w: memref<16x32xbf16> align 16) -> (%y: memref<16x32xbf16> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 32, 16], stages = 2, warp_tile = "16x32", vectorize = {axis = "n.i.i", width = 4}}> {
  pto.tiles (%m, %n) in [16, 32] step [16, 32] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x32xbf16, #pto.tile_info<loc=Mat>>]>
    %zero = arith.constant 0 : index
    %last = arith.constant 16 : index
    %step = arith.constant 16 : index
    pto.process {
      scf.for %k = %zero to %last step %step {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x32xbf16, #pto.tile_info<loc=Mat>>]>
        %a = pto.tile.load.map %x[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [16, 32, 16] dims [0, 2] : memref<16x16xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        %b = pto.tile.load.map %w[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [16, 32, 16] dims [2, 1] : memref<16x32xbf16> -> tile<16x32xbf16, #pto.tile_info<loc=Mat>>
        pto.channel.commit %ring, %a, %b : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x32xbf16, #pto.tile_info<loc=Mat>>]>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x32xbf16, #pto.tile_info<loc=Mat>>
      }
    }
    %none = pto.tile.expands 0.000000e+00 : f32 : tile<16x32xf32, #pto.tile_info<loc=Acc>>
    %sum = scf.for %kk = %zero to %last step %step iter_args(%s = %none) -> (!pto.tile<16x32xf32, #pto.tile_info<loc=Acc>>) {
      %p, %q = pto.channel.wait %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x32xbf16, #pto.tile_info<loc=Mat>>]> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x32xbf16, #pto.tile_info<loc=Mat>>
      %l = pto.tile.mov.m2l %p : tile<16x16xbf16, #pto.tile_info<loc=Mat>> -> tile<16x16xbf16, #pto.tile_info<loc=Left>>
      %r = pto.tile.mov.m2r %q : tile<16x32xbf16, #pto.tile_info<loc=Mat>> -> tile<16x32xbf16, #pto.tile_info<loc=Right>>
      %t = pto.tile.matmul.acc %s, %l, %r : tile<16x32xf32, #pto.tile_info<loc=Acc>>, tile<16x16xbf16, #pto.tile_info<loc=Left>>, tile<16x32xbf16, #pto.tile_info<loc=Right>> -> tile<16x32xf32, #pto.tile_info<loc=Acc>>
      pto.channel.release %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x32xbf16, #pto.tile_info<loc=Mat>>]>
      scf.yield %t : !pto.tile<16x32xf32, #pto.tile_info<loc=Acc>>
    }
    %v = pto.tile.mov.a2v %sum : tile<16x32xf32, #pto.tile_info<loc=Acc>> -> tile<16x32xf32>
    %o = pto.tile.cvt %v : tile<16x32xf32> -> tile<16x32xbf16>
    pto.tile.store.map %o, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [16, 32] dims [0, 1] : tile<16x32xbf16>, memref<16x32xbf16>
  }
}

// -----

// Two are what a lane holds already.

// CHECK-LABEL: "gpu.func"
// CHECK-NOT: nv.convert_layout
// CHECK: nv.epilogue %acc : !nv.frag<16x32xf32, C of m16n8k16>[{{.*}} widths [2] {

pto.kernel @f_0(%x: memref<16x16xbf16> align 16, %w: memref<16x32xbf16> align 16) -> (%y: memref<16x32xbf16> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 32, 16], stages = 2, warp_tile = "16x32", vectorize = {axis = "n.i.i", width = 2}}> {
  pto.tiles (%m, %n) in [16, 32] step [16, 32] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x32xbf16, #pto.tile_info<loc=Mat>>]>
    %zero = arith.constant 0 : index
    %last = arith.constant 16 : index
    %step = arith.constant 16 : index
    pto.process {
      scf.for %k = %zero to %last step %step {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x32xbf16, #pto.tile_info<loc=Mat>>]>
        %a = pto.tile.load.map %x[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [16, 32, 16] dims [0, 2] : memref<16x16xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        %b = pto.tile.load.map %w[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [16, 32, 16] dims [2, 1] : memref<16x32xbf16> -> tile<16x32xbf16, #pto.tile_info<loc=Mat>>
        pto.channel.commit %ring, %a, %b : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x32xbf16, #pto.tile_info<loc=Mat>>]>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x32xbf16, #pto.tile_info<loc=Mat>>
      }
    }
    %none = pto.tile.expands 0.000000e+00 : f32 : tile<16x32xf32, #pto.tile_info<loc=Acc>>
    %sum = scf.for %kk = %zero to %last step %step iter_args(%s = %none) -> (!pto.tile<16x32xf32, #pto.tile_info<loc=Acc>>) {
      %p, %q = pto.channel.wait %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x32xbf16, #pto.tile_info<loc=Mat>>]> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x32xbf16, #pto.tile_info<loc=Mat>>
      %l = pto.tile.mov.m2l %p : tile<16x16xbf16, #pto.tile_info<loc=Mat>> -> tile<16x16xbf16, #pto.tile_info<loc=Left>>
      %r = pto.tile.mov.m2r %q : tile<16x32xbf16, #pto.tile_info<loc=Mat>> -> tile<16x32xbf16, #pto.tile_info<loc=Right>>
      %t = pto.tile.matmul.acc %s, %l, %r : tile<16x32xf32, #pto.tile_info<loc=Acc>>, tile<16x16xbf16, #pto.tile_info<loc=Left>>, tile<16x32xbf16, #pto.tile_info<loc=Right>> -> tile<16x32xf32, #pto.tile_info<loc=Acc>>
      pto.channel.release %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x32xbf16, #pto.tile_info<loc=Mat>>]>
      scf.yield %t : !pto.tile<16x32xf32, #pto.tile_info<loc=Acc>>
    }
    %v = pto.tile.mov.a2v %sum : tile<16x32xf32, #pto.tile_info<loc=Acc>> -> tile<16x32xf32>
    %o = pto.tile.cvt %v : tile<16x32xf32> -> tile<16x32xbf16>
    pto.tile.store.map %o, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [16, 32] dims [0, 1] : tile<16x32xbf16>, memref<16x32xbf16>
  }
}

// -----

// 16 columns cannot give 8 neighbours to each of four lanes: 4.

// CHECK-LABEL: "gpu.func"
// CHECK: %acc_rows = nv.convert_layout %acc : !nv.frag<16x16xf32, C of m16n8k16> -> !nv.frag<16x16xf32, lane(2: 8j, 2: 4j, 8: i) reg(4: j, 2: 8i)>
// CHECK-NEXT: nv.epilogue %acc_rows : !nv.frag<16x16xf32, lane(2: 8j, 2: 4j, 8: i) reg(4: j, 2: 8i)>[{{.*}} widths [4] {

pto.kernel @f_0(%x: memref<16x16xbf16> align 16, %w: memref<16x16xbf16> align 16) -> (%y: memref<16x16xbf16> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 16, 16], stages = 2, warp_tile = "16x16", vectorize = {axis = "n.i.i", width = 8}}> {
  pto.tiles (%m, %n) in [16, 16] step [16, 16] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
    %zero = arith.constant 0 : index
    %last = arith.constant 16 : index
    %step = arith.constant 16 : index
    pto.process {
      scf.for %k = %zero to %last step %step {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>]>
        %a = pto.tile.load.map %x[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [16, 16, 16] dims [0, 2] : memref<16x16xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        %b = pto.tile.load.map %w[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [16, 16, 16] dims [2, 1] : memref<16x16xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
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
    %o = pto.tile.cvt %v : tile<16x16xf32> -> tile<16x16xbf16>
    pto.tile.store.map %o, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [16, 16] dims [0, 1] : tile<16x16xbf16>, memref<16x16xbf16>
  }
}

// -----

// A warp tile of 8 columns stays as it is.

// CHECK-LABEL: "gpu.func"
// CHECK-NOT: nv.convert_layout
// CHECK: nv.epilogue %acc : !nv.frag<16x8xf32, C of m16n8k16>[{{.*}} widths [2] {

pto.kernel @f_0(%x: memref<16x16xbf16> align 16, %w: memref<8x16xbf16> align 16) -> (%y: memref<16x8xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 8, 16], stages = 2, warp_tile = "16x8", vectorize = {axis = "n.i.i", width = 8}}> {
  pto.tiles (%m, %n) in [16, 8] step [16, 8] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x8xbf16, #pto.tile_info<loc=Mat, layout=DN>>]>
    %zero = arith.constant 0 : index
    %last = arith.constant 16 : index
    %step = arith.constant 16 : index
    pto.process {
      scf.for %k = %zero to %last step %step {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x8xbf16, #pto.tile_info<loc=Mat, layout=DN>>]>
        %a = pto.tile.load.map %x[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [16, 8, 16] dims [0, 2] : memref<16x16xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        %b = pto.tile.load.map %w[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i1), (i2)] }"> in [16, 8, 16] dims [2, 1] : memref<8x16xbf16> -> tile<16x8xbf16, #pto.tile_info<loc=Mat, layout=DN>>
        pto.channel.commit %ring, %a, %b : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x8xbf16, #pto.tile_info<loc=Mat, layout=DN>>]>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x8xbf16, #pto.tile_info<loc=Mat, layout=DN>>
      }
    }
    %none = pto.tile.expands 0.000000e+00 : f32 : tile<16x8xf32, #pto.tile_info<loc=Acc>>
    %sum = scf.for %kk = %zero to %last step %step iter_args(%s = %none) -> (!pto.tile<16x8xf32, #pto.tile_info<loc=Acc>>) {
      %p, %q = pto.channel.wait %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x8xbf16, #pto.tile_info<loc=Mat, layout=DN>>]> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x8xbf16, #pto.tile_info<loc=Mat, layout=DN>>
      %l = pto.tile.mov.m2l %p : tile<16x16xbf16, #pto.tile_info<loc=Mat>> -> tile<16x16xbf16, #pto.tile_info<loc=Left>>
      %r = pto.tile.mov.m2r %q : tile<16x8xbf16, #pto.tile_info<loc=Mat, layout=DN>> -> tile<16x8xbf16, #pto.tile_info<loc=Right>>
      %t = pto.tile.matmul.acc %s, %l, %r : tile<16x8xf32, #pto.tile_info<loc=Acc>>, tile<16x16xbf16, #pto.tile_info<loc=Left>>, tile<16x8xbf16, #pto.tile_info<loc=Right>> -> tile<16x8xf32, #pto.tile_info<loc=Acc>>
      pto.channel.release %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x8xbf16, #pto.tile_info<loc=Mat, layout=DN>>]>
      scf.yield %t : !pto.tile<16x8xf32, #pto.tile_info<loc=Acc>>
    }
    %v = pto.tile.mov.a2v %sum : tile<16x8xf32, #pto.tile_info<loc=Acc>> -> tile<16x8xf32>
    pto.tile.store.map %v, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [16, 8] dims [0, 1] : tile<16x8xf32>, memref<16x8xf32>
  }
}

// -----

// So does one of 24.

// CHECK-LABEL: "gpu.func"
// CHECK-NOT: nv.convert_layout
// CHECK: nv.epilogue %acc : !nv.frag<16x24xf32, C of m16n8k16>[{{.*}} widths [2] {

pto.kernel @f_0(%x: memref<16x16xbf16> align 16, %w: memref<24x16xbf16> align 16) -> (%y: memref<16x24xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 24, 16], stages = 2, warp_tile = "16x24", vectorize = {axis = "n.i.i", width = 8}}> {
  pto.tiles (%m, %n) in [16, 24] step [16, 24] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x24xbf16, #pto.tile_info<loc=Mat, layout=DN>>]>
    %zero = arith.constant 0 : index
    %last = arith.constant 16 : index
    %step = arith.constant 16 : index
    pto.process {
      scf.for %k = %zero to %last step %step {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x24xbf16, #pto.tile_info<loc=Mat, layout=DN>>]>
        %a = pto.tile.load.map %x[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [16, 24, 16] dims [0, 2] : memref<16x16xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        %b = pto.tile.load.map %w[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i1), (i2)] }"> in [16, 24, 16] dims [2, 1] : memref<24x16xbf16> -> tile<16x24xbf16, #pto.tile_info<loc=Mat, layout=DN>>
        pto.channel.commit %ring, %a, %b : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x24xbf16, #pto.tile_info<loc=Mat, layout=DN>>]>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x24xbf16, #pto.tile_info<loc=Mat, layout=DN>>
      }
    }
    %none = pto.tile.expands 0.000000e+00 : f32 : tile<16x24xf32, #pto.tile_info<loc=Acc>>
    %sum = scf.for %kk = %zero to %last step %step iter_args(%s = %none) -> (!pto.tile<16x24xf32, #pto.tile_info<loc=Acc>>) {
      %p, %q = pto.channel.wait %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x24xbf16, #pto.tile_info<loc=Mat, layout=DN>>]> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x24xbf16, #pto.tile_info<loc=Mat, layout=DN>>
      %l = pto.tile.mov.m2l %p : tile<16x16xbf16, #pto.tile_info<loc=Mat>> -> tile<16x16xbf16, #pto.tile_info<loc=Left>>
      %r = pto.tile.mov.m2r %q : tile<16x24xbf16, #pto.tile_info<loc=Mat, layout=DN>> -> tile<16x24xbf16, #pto.tile_info<loc=Right>>
      %t = pto.tile.matmul.acc %s, %l, %r : tile<16x24xf32, #pto.tile_info<loc=Acc>>, tile<16x16xbf16, #pto.tile_info<loc=Left>>, tile<16x24xbf16, #pto.tile_info<loc=Right>> -> tile<16x24xf32, #pto.tile_info<loc=Acc>>
      pto.channel.release %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x24xbf16, #pto.tile_info<loc=Mat, layout=DN>>]>
      scf.yield %t : !pto.tile<16x24xf32, #pto.tile_info<loc=Acc>>
    }
    %v = pto.tile.mov.a2v %sum : tile<16x24xf32, #pto.tile_info<loc=Acc>> -> tile<16x24xf32>
    pto.tile.store.map %v, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [16, 24] dims [0, 1] : tile<16x24xf32>, memref<16x24xf32>
  }
}

// -----

// Rows of 36 bytes are aligned for 2 elements of bf16, and nothing is exchanged for that.

// CHECK-LABEL: "gpu.func"
// CHECK-NOT: nv.convert_layout
// CHECK: nv.epilogue %acc : !nv.frag<16x32xf32, C of m16n8k16>[{{.*}} widths [2] {

pto.kernel @f_0(%x: memref<16x16xbf16> align 16, %w: memref<16x18xbf16> align 16) -> (%y: memref<16x18xbf16> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 32, 16], stages = 2, warp_tile = "16x32", vectorize = {axis = "n.i.i", width = 8}}> {
  pto.tiles (%m, %n) in [16, 18] step [16, 32] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x32xbf16, #pto.tile_info<loc=Mat>>]>
    %zero = arith.constant 0 : index
    %last = arith.constant 16 : index
    %step = arith.constant 16 : index
    pto.process {
      scf.for %k = %zero to %last step %step {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x32xbf16, #pto.tile_info<loc=Mat>>]>
        %a = pto.tile.load.map %x[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [16, 18, 16] dims [0, 2] : memref<16x16xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        %b = pto.tile.load.map %w[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [16, 18, 16] dims [2, 1] : memref<16x18xbf16> -> tile<16x32xbf16, #pto.tile_info<loc=Mat>>
        pto.channel.commit %ring, %a, %b : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x32xbf16, #pto.tile_info<loc=Mat>>]>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x32xbf16, #pto.tile_info<loc=Mat>>
      }
    }
    %none = pto.tile.expands 0.000000e+00 : f32 : tile<16x32xf32, #pto.tile_info<loc=Acc>>
    %sum = scf.for %kk = %zero to %last step %step iter_args(%s = %none) -> (!pto.tile<16x32xf32, #pto.tile_info<loc=Acc>>) {
      %p, %q = pto.channel.wait %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x32xbf16, #pto.tile_info<loc=Mat>>]> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x32xbf16, #pto.tile_info<loc=Mat>>
      %l = pto.tile.mov.m2l %p : tile<16x16xbf16, #pto.tile_info<loc=Mat>> -> tile<16x16xbf16, #pto.tile_info<loc=Left>>
      %r = pto.tile.mov.m2r %q : tile<16x32xbf16, #pto.tile_info<loc=Mat>> -> tile<16x32xbf16, #pto.tile_info<loc=Right>>
      %t = pto.tile.matmul.acc %s, %l, %r : tile<16x32xf32, #pto.tile_info<loc=Acc>>, tile<16x16xbf16, #pto.tile_info<loc=Left>>, tile<16x32xbf16, #pto.tile_info<loc=Right>> -> tile<16x32xf32, #pto.tile_info<loc=Acc>>
      pto.channel.release %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x32xbf16, #pto.tile_info<loc=Mat>>]>
      scf.yield %t : !pto.tile<16x32xf32, #pto.tile_info<loc=Acc>>
    }
    %v = pto.tile.mov.a2v %sum : tile<16x32xf32, #pto.tile_info<loc=Acc>> -> tile<16x32xf32>
    %o = pto.tile.cvt %v : tile<16x32xf32> -> tile<16x32xbf16>
    pto.tile.store.map %o, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [16, 18] dims [0, 1] : tile<16x32xbf16>, memref<16x18xbf16>
  }
}

// -----

// A transposed result is stored element by element.

// CHECK-LABEL: "gpu.func"
// CHECK-NOT: nv.convert_layout
// CHECK: nv.epilogue %acc : !nv.frag<16x32xf32, C of m16n8k16>[{{.*}} widths [1] {

pto.kernel @f_0(%x: memref<16x16xbf16> align 16, %w: memref<16x32xbf16> align 16) -> (%y: memref<32x16xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 32, 16], stages = 2, warp_tile = "16x32", vectorize = {axis = "n.i.i", width = 8}}> {
  pto.tiles (%m, %n) in [16, 32] step [16, 32] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x32xbf16, #pto.tile_info<loc=Mat>>]>
    %zero = arith.constant 0 : index
    %last = arith.constant 16 : index
    %step = arith.constant 16 : index
    pto.process {
      scf.for %k = %zero to %last step %step {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x32xbf16, #pto.tile_info<loc=Mat>>]>
        %a = pto.tile.load.map %x[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [16, 32, 16] dims [0, 2] : memref<16x16xbf16> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>
        %b = pto.tile.load.map %w[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [16, 32, 16] dims [2, 1] : memref<16x32xbf16> -> tile<16x32xbf16, #pto.tile_info<loc=Mat>>
        pto.channel.commit %ring, %a, %b : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x32xbf16, #pto.tile_info<loc=Mat>>]>, tile<16x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x32xbf16, #pto.tile_info<loc=Mat>>
      }
    }
    %none = pto.tile.expands 0.000000e+00 : f32 : tile<16x32xf32, #pto.tile_info<loc=Acc>>
    %sum = scf.for %kk = %zero to %last step %step iter_args(%s = %none) -> (!pto.tile<16x32xf32, #pto.tile_info<loc=Acc>>) {
      %p, %q = pto.channel.wait %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x32xbf16, #pto.tile_info<loc=Mat>>]> -> tile<16x16xbf16, #pto.tile_info<loc=Mat>>, tile<16x32xbf16, #pto.tile_info<loc=Mat>>
      %l = pto.tile.mov.m2l %p : tile<16x16xbf16, #pto.tile_info<loc=Mat>> -> tile<16x16xbf16, #pto.tile_info<loc=Left>>
      %r = pto.tile.mov.m2r %q : tile<16x32xbf16, #pto.tile_info<loc=Mat>> -> tile<16x32xbf16, #pto.tile_info<loc=Right>>
      %t = pto.tile.matmul.acc %s, %l, %r : tile<16x32xf32, #pto.tile_info<loc=Acc>>, tile<16x16xbf16, #pto.tile_info<loc=Left>>, tile<16x32xbf16, #pto.tile_info<loc=Right>> -> tile<16x32xf32, #pto.tile_info<loc=Acc>>
      pto.channel.release %ring : !pto.channel<2, [!pto.tile<16x16xbf16, #pto.tile_info<loc=Mat>>, !pto.tile<16x32xbf16, #pto.tile_info<loc=Mat>>]>
      scf.yield %t : !pto.tile<16x32xf32, #pto.tile_info<loc=Acc>>
    }
    %v = pto.tile.mov.a2v %sum : tile<16x32xf32, #pto.tile_info<loc=Acc>> -> tile<16x32xf32>
    pto.tile.store.map %v, %y[%m, %n] by <"{ [i0, i1] -> [(i1), (i0)] }"> in [16, 32] dims [0, 1] : tile<16x32xf32>, memref<32x16xf32>
  }
}

// -----

// f64 sums stay in their lanes.

// CHECK-LABEL: "gpu.func"
// CHECK-NOT: nv.convert_layout
// CHECK: nv.epilogue %acc : !nv.frag<16x32xf64, C of m8n8k4>[{{.*}} widths [2] {

pto.kernel @f_0(%x: memref<16x4xf64> align 16, %w: memref<4x32xf64> align 16) -> (%y: memref<16x32xf64> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 32, 4], stages = 2, warp_tile = "16x32", vectorize = {axis = "n.i.i", width = 2}}> {
  pto.tiles (%m, %n) in [16, 32] step [16, 32] {
    %ring = pto.channel : !pto.channel<2, [!pto.tile<16x4xf64, #pto.tile_info<loc=Mat>>, !pto.tile<4x32xf64, #pto.tile_info<loc=Mat>>]>
    %zero = arith.constant 0 : index
    %last = arith.constant 4 : index
    %step = arith.constant 4 : index
    pto.process {
      scf.for %k = %zero to %last step %step {
        pto.channel.acquire %ring : !pto.channel<2, [!pto.tile<16x4xf64, #pto.tile_info<loc=Mat>>, !pto.tile<4x32xf64, #pto.tile_info<loc=Mat>>]>
        %a = pto.tile.load.map %x[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [16, 32, 4] dims [0, 2] : memref<16x4xf64> -> tile<16x4xf64, #pto.tile_info<loc=Mat>>
        %b = pto.tile.load.map %w[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [16, 32, 4] dims [2, 1] : memref<4x32xf64> -> tile<4x32xf64, #pto.tile_info<loc=Mat>>
        pto.channel.commit %ring, %a, %b : !pto.channel<2, [!pto.tile<16x4xf64, #pto.tile_info<loc=Mat>>, !pto.tile<4x32xf64, #pto.tile_info<loc=Mat>>]>, tile<16x4xf64, #pto.tile_info<loc=Mat>>, tile<4x32xf64, #pto.tile_info<loc=Mat>>
      }
    }
    %none = pto.tile.expands 0.000000e+00 : f64 : tile<16x32xf64, #pto.tile_info<loc=Acc>>
    %sum = scf.for %kk = %zero to %last step %step iter_args(%s = %none) -> (!pto.tile<16x32xf64, #pto.tile_info<loc=Acc>>) {
      %p, %q = pto.channel.wait %ring : !pto.channel<2, [!pto.tile<16x4xf64, #pto.tile_info<loc=Mat>>, !pto.tile<4x32xf64, #pto.tile_info<loc=Mat>>]> -> tile<16x4xf64, #pto.tile_info<loc=Mat>>, tile<4x32xf64, #pto.tile_info<loc=Mat>>
      %l = pto.tile.mov.m2l %p : tile<16x4xf64, #pto.tile_info<loc=Mat>> -> tile<16x4xf64, #pto.tile_info<loc=Left>>
      %r = pto.tile.mov.m2r %q : tile<4x32xf64, #pto.tile_info<loc=Mat>> -> tile<4x32xf64, #pto.tile_info<loc=Right>>
      %t = pto.tile.matmul.acc %s, %l, %r : tile<16x32xf64, #pto.tile_info<loc=Acc>>, tile<16x4xf64, #pto.tile_info<loc=Left>>, tile<4x32xf64, #pto.tile_info<loc=Right>> -> tile<16x32xf64, #pto.tile_info<loc=Acc>>
      pto.channel.release %ring : !pto.channel<2, [!pto.tile<16x4xf64, #pto.tile_info<loc=Mat>>, !pto.tile<4x32xf64, #pto.tile_info<loc=Mat>>]>
      scf.yield %t : !pto.tile<16x32xf64, #pto.tile_info<loc=Acc>>
    }
    %v = pto.tile.mov.a2v %sum : tile<16x32xf64, #pto.tile_info<loc=Acc>> -> tile<16x32xf64>
    pto.tile.store.map %v, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [16, 32] dims [0, 1] : tile<16x32xf64>, memref<16x32xf64>
  }
}
