// RUN: ptir-opt %s -p pto-to-nv | filecheck %s

// Without roles, attention is multiplied by the instructions of a warp, of which each has 32 queries. Keys and values are copied one tile
// ahead; the queries stay in registers, and the weights become operand A of the second product as they are.

// CHECK: %smem_q = nv.smem at 0 : !nv.smem<1x64x32xbf16, xor>
// CHECK: %smem_k = nv.smem at 4096 : !nv.smem<2x32x32xbf16, xor>
// CHECK: %smem_v = nv.smem at 8192 : !nv.smem<2x32x32xbf16, xor>
// CHECK: %acc = nv.frag : !nv.frag<32x32xf32, C of m16n8k16>
// CHECK: nv.cp_async %q[%c0, %c0, %c0, %c0, %c0] to %smem_q[%c0]
// CHECK: nv.cp_async %k[%c0, %c0, %c0, %c0, %c0] to %smem_k[%c0]
// CHECK: nv.cp_async %v[%c0, %c0, %c0, %c0, %c0] to %smem_v[%c0]
// CHECK: nv.commit_group
// CHECK: nv.wait_group 0
// CHECK: nv.ldmatrix %smem_q[%c0, %warp_m, %c0] ND to %frag_q
// CHECK: nv.ldmatrix %smem_q[%c0, %warp_m, %c16] ND to %frag_q_1
// CHECK: scf.for %n = %c0 to %c64 step %c32 iter_args(%slot = %c0, %free = %c1)
// CHECK-NEXT: nv.wait_group 0
// CHECK-NEXT: gpu.barrier
// CHECK: %more_1 = arith.cmpi ult, %later, %c64
// CHECK: scf.if %more_1 {
// CHECK: nv.cp_async %k[%c0, %c0, %c0, %later, %c0] to %smem_k[%free]
// CHECK: nv.cp_async %v[%c0, %c0, %c0, %later, %c0] to %smem_v[%free]
// CHECK: nv.commit_group
// CHECK: nv.ldmatrix %smem_k[%slot, %c0, %c0] DN to %frag_k
// CHECK: nv.ldmatrix %smem_k[%slot, %c0, %c16] DN to %frag_k_1
// CHECK: nv.mma_sync %scores, %frag_q, %frag_k
// CHECK: nv.mma_sync %scores, %frag_q_1, %frag_k_1
// CHECK: %mx = nv.row_reduce %scores
// CHECK: nv.assign %new to %m_
// CHECK: nv.assign %ln to %l_
// CHECK: %pb = nv.map(%p
// CHECK: %moved = nv.any_differs %c from 1.000000e+00 : f32
// CHECK-NEXT: scf.if %moved {
// CHECK: nv.map(%acc, %c{{.*}} into %acc :
// CHECK: nv.yield
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK: nv.ldmatrix %smem_v[%slot, %c0, %c0] ND to %frag_v
// CHECK: nv.ldmatrix %smem_v[%slot, %c16, %c0] ND to %frag_v_1
// CHECK: nv.mma_sync %acc, %pb column 0, %frag_v : {{.*}} !nv.frag<32x32xbf16, C of m16n8k16>
// CHECK: nv.mma_sync %acc, %pb column 16, %frag_v_1
// CHECK: scf.yield %next_slot, %slot
// CHECK: %sum = nv.row_reduce %l_
// CHECK: nv.map(%acc
// CHECK: nv.launch @kernels::@attention_0 grid [1, 1, 1] block [64, 1, 1] shared 12288

pto.kernel @attention_0(%q: memref<1x1x64x32xbf16> align 16, %k: memref<1x1x64x32xbf16> align 16, %v: memref<1x1x64x32xbf16> align 16) -> (%y: memref<1x1x64x32xbf16> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [64, 32, 32], stages = 2, warp_tile = "32x32", vectorize = {axis = "n.i.i", width = 8}, algo_choice = {attention = "online_softmax"}}> {
  pto.tiles (%b, %h, %g, %m, %d) in [1, 1, 1, 64, 32] step [1, 1, 1, 64, 32] {
    %qs = pto.channel : !pto.channel<1, [!pto.tile<64x32xbf16, #pto.tile_info<loc=Mat>>]>
    %ks = pto.channel : !pto.channel<2, [!pto.tile<32x32xbf16, #pto.tile_info<loc=Mat, layout=DN>>]>
    %vs = pto.channel : !pto.channel<2, [!pto.tile<32x32xbf16, #pto.tile_info<loc=Mat>>]>
    %c0 = arith.constant 0 : index
    %bn = arith.constant 32 : index
    %whole = arith.constant 64 : index
    %end = arith.constant 64 : index
    pto.process {
      pto.channel.acquire %qs : !pto.channel<1, [!pto.tile<64x32xbf16, #pto.tile_info<loc=Mat>>]>
      %qt = pto.tile.load.map %q[%b, %h, %g, %m, %c0] by <"{ [i0, i1, i2, i3, i4] -> [i0, i1 + i2, i3, i4] }"> in [1, 1, 1, 64, 32] dims [3, 4]
        : memref<1x1x64x32xbf16> -> !pto.tile<64x32xbf16, #pto.tile_info<loc=Mat>>
      pto.channel.commit %qs, %qt : !pto.channel<1, [!pto.tile<64x32xbf16, #pto.tile_info<loc=Mat>>]>, tile<64x32xbf16, #pto.tile_info<loc=Mat>>
      scf.for %n = %c0 to %end step %bn {
        pto.channel.acquire %ks : !pto.channel<2, [!pto.tile<32x32xbf16, #pto.tile_info<loc=Mat, layout=DN>>]>
        %kt = pto.tile.load.map %k[%b, %h, %g, %n, %c0] by <"{ [i0, i1, i2, i3, i4] -> [i0, i1, i3, i4] }"> in [1, 1, 1, 64, 32] dims [4, 3] : memref<1x1x64x32xbf16> -> tile<32x32xbf16, #pto.tile_info<loc=Mat, layout=DN>>
        pto.channel.commit %ks, %kt : !pto.channel<2, [!pto.tile<32x32xbf16, #pto.tile_info<loc=Mat, layout=DN>>]>, tile<32x32xbf16, #pto.tile_info<loc=Mat, layout=DN>>
        pto.channel.acquire %vs : !pto.channel<2, [!pto.tile<32x32xbf16, #pto.tile_info<loc=Mat>>]>
        %vt = pto.tile.load.map %v[%b, %h, %g, %n, %d] by <"{ [i0, i1, i2, i3, i4] -> [i0, i1, i3, i4] }"> in [1, 1, 1, 64, 32] dims [3, 4] : memref<1x1x64x32xbf16> -> tile<32x32xbf16, #pto.tile_info<loc=Mat>>
        pto.channel.commit %vs, %vt : !pto.channel<2, [!pto.tile<32x32xbf16, #pto.tile_info<loc=Mat>>]>, tile<32x32xbf16, #pto.tile_info<loc=Mat>>
      }
    }
    %qw = pto.channel.wait %qs : !pto.channel<1, [!pto.tile<64x32xbf16, #pto.tile_info<loc=Mat>>]> -> tile<64x32xbf16, #pto.tile_info<loc=Mat>>
    %left = pto.tile.mov.m2l %qw : tile<64x32xbf16, #pto.tile_info<loc=Mat>> -> tile<64x32xbf16, #pto.tile_info<loc=Left>>
    %least = pto.tile.expands 0xFF800000 : f32 : tile<64x1xf32>
    %none = pto.tile.expands 0.0 : f32 : tile<64x1xf32>
    %empty = pto.tile.expands 0.0 : f32 : tile<64x32xf32, #pto.tile_info<loc=Acc>>
    %max0, %sum0, %acc0 = scf.for %n = %c0 to %whole step %bn iter_args(%m_ = %least, %l_ = %none, %a_ = %empty) -> (!pto.tile<64x1xf32>, !pto.tile<64x1xf32>, !pto.tile<64x32xf32, #pto.tile_info<loc=Acc>>) {
      %kw = pto.channel.wait %ks : !pto.channel<2, [!pto.tile<32x32xbf16, #pto.tile_info<loc=Mat, layout=DN>>]> -> tile<32x32xbf16, #pto.tile_info<loc=Mat, layout=DN>>
      %right = pto.tile.mov.m2r %kw : tile<32x32xbf16, #pto.tile_info<loc=Mat, layout=DN>> -> tile<32x32xbf16, #pto.tile_info<loc=Right>>
      %zero = pto.tile.expands 0.0 : f32 : tile<64x32xf32, #pto.tile_info<loc=Acc>>
      %s = pto.tile.matmul.acc %zero, %left, %right : tile<64x32xf32, #pto.tile_info<loc=Acc>>, tile<64x32xbf16, #pto.tile_info<loc=Left>>, tile<32x32xbf16, #pto.tile_info<loc=Right>> -> tile<64x32xf32, #pto.tile_info<loc=Acc>>
      pto.channel.release %ks : !pto.channel<2, [!pto.tile<32x32xbf16, #pto.tile_info<loc=Mat, layout=DN>>]>
      %x = pto.tile.mov.a2v %s : tile<64x32xf32, #pto.tile_info<loc=Acc>> -> tile<64x32xf32>
      %mx = pto.tile.rowmax %x : tile<64x32xf32> -> tile<64x1xf32>
      %new = pto.tile.max %m_, %mx : tile<64x1xf32>
      %kr = pto.tile.expands 0.25503486164919736 : f32 : tile<64x1xf32>
      %kx = pto.tile.expands 0.25503486164919736 : f32 : tile<64x32xf32>
      %shift = pto.tile.mul %new, %kr : tile<64x1xf32>
      %minus = pto.tile.neg %shift : tile<64x1xf32>
      %dc = pto.tile.fma %m_, %kr, %minus : tile<64x1xf32>
      %nx = pto.tile.rowexpand %minus : tile<64x1xf32> -> tile<64x32xf32>
      %e = pto.tile.fma %x, %kx, %nx : tile<64x32xf32>
      %c = pto.tile.exp2 %dc : tile<64x1xf32>
      %p = pto.tile.exp2 %e : tile<64x32xf32>
      %rs = pto.tile.rowsum %p : tile<64x32xf32> -> tile<64x1xf32>
      %ln = pto.tile.fma %l_, %c, %rs : tile<64x1xf32>
      %pb = pto.tile.cvt %p : tile<64x32xf32> -> tile<64x32xbf16>
      %pl = pto.tile.mov.v2l %pb : tile<64x32xbf16> -> tile<64x32xbf16, #pto.tile_info<loc=Left>>
      %vw = pto.channel.wait %vs : !pto.channel<2, [!pto.tile<32x32xbf16, #pto.tile_info<loc=Mat>>]> -> tile<32x32xbf16, #pto.tile_info<loc=Mat>>
      %values = pto.tile.mov.m2r %vw : tile<32x32xbf16, #pto.tile_info<loc=Mat>> -> tile<32x32xbf16, #pto.tile_info<loc=Right>>
      %av = pto.tile.mov.a2v %a_ : tile<64x32xf32, #pto.tile_info<loc=Acc>> -> tile<64x32xf32>
      %cx = pto.tile.rowexpand %c : tile<64x1xf32> -> tile<64x32xf32>
      %scaled = pto.tile.mul %av, %cx : tile<64x32xf32>
      %as = pto.tile.mov.v2a %scaled : tile<64x32xf32> -> tile<64x32xf32, #pto.tile_info<loc=Acc>>
      %an = pto.tile.matmul.acc %as, %pl, %values : tile<64x32xf32, #pto.tile_info<loc=Acc>>, tile<64x32xbf16, #pto.tile_info<loc=Left>>, tile<32x32xbf16, #pto.tile_info<loc=Right>> -> tile<64x32xf32, #pto.tile_info<loc=Acc>>
      pto.channel.release %vs : !pto.channel<2, [!pto.tile<32x32xbf16, #pto.tile_info<loc=Mat>>]>
      scf.yield %new, %ln, %an : !pto.tile<64x1xf32>, !pto.tile<64x1xf32>, !pto.tile<64x32xf32, #pto.tile_info<loc=Acc>>
    }
    pto.channel.release %qs : !pto.channel<1, [!pto.tile<64x32xbf16, #pto.tile_info<loc=Mat>>]>
    %yv = pto.tile.mov.a2v %acc0 : tile<64x32xf32, #pto.tile_info<loc=Acc>> -> tile<64x32xf32>
    %rs = pto.tile.recip %sum0 : tile<64x1xf32>
    %ds = pto.tile.rowexpand %rs : tile<64x1xf32> -> tile<64x32xf32>
    %yn = pto.tile.mul %yv, %ds : tile<64x32xf32>
    %yb = pto.tile.cvt %yn : tile<64x32xf32> -> tile<64x32xbf16>
    pto.tile.store.map %yb, %y[%b, %h, %g, %m, %d] by <"{ [i0, i1, i2, i3, i4] -> [i0, i1 + i2, i3, i4] }"> in [1, 1, 1, 64, 32] dims [3, 4]
      : !pto.tile<64x32xbf16>, memref<1x1x64x32xbf16>
  }
}
func.func @attention(%q: memref<1x1x64x32xbf16>, %k: memref<1x1x64x32xbf16>, %v: memref<1x1x64x32xbf16>) -> memref<1x1x64x32xbf16> {
  %0 = memref.alloc() : memref<1x1x64x32xbf16>
  region.launch @attention_0 ins(%q, %k, %v : memref<1x1x64x32xbf16>, memref<1x1x64x32xbf16>, memref<1x1x64x32xbf16>) outs(%0 : memref<1x1x64x32xbf16>)
  func.return %0 : memref<1x1x64x32xbf16>
}

