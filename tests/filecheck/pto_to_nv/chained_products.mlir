// RUN: ptir-opt %s -p pto-to-nv | filecheck %s

// Causal attention: the loops over keys are pipelined. The first tile of keys is peeled, in the first loop that has one; in each loop,
// the second product of the tile of keys before is issued after the first product of this one, the vector ops run under it, and the
// operand, whose registers it reads, is written after it. Sums of rows are exchanged between lanes only after the loops.

// CHECK: nv.role producer threads 0 to 128 {
// CHECK: nv.setmaxnreg 24
// CHECK: %{{[0-9]+}}, %{{[0-9]+}}, %{{[0-9]+}}, %{{[0-9]+}}, %{{[0-9]+}} = scf.for %item = %block to %c2 step %c2 iter_args(%phase_q = %c0, %slot_k = %c0,
// CHECK: nv.mbarrier.wait %empty_q[%c0] parity %{{[0-9]+}}
// CHECK: nv.mbarrier.expect_tx %full_q[%c0] bytes 16384
// CHECK: nv.tma_load %map_q[%m, %c0] to %smem_q[%c0, %c0, %c0] signal %full_q[%c0]
// CHECK: %{{[0-9]+}}, %{{[0-9]+}}, %{{[0-9]+}}, %{{[0-9]+}} = scf.for %n = %c0 to %{{end[_0-9]*}} step %c64 iter_args(%slot_k_1 = %slot_k, %phase_k_1 = %phase_k,
// CHECK: nv.mbarrier.wait %empty_k[%slot_k_1] parity %{{[0-9]+}}
// CHECK: nv.mbarrier.expect_tx %full_k[%slot_k_1] bytes 8192
// CHECK: nv.tma_load %map_k[%n, %c0] to %smem_k[%slot_k_1, %c0, %c0] signal %full_k[%slot_k_1]
// CHECK: nv.mbarrier.wait %empty_v[%slot_v_1] parity %{{[0-9]+}}
// CHECK: nv.mbarrier.expect_tx %full_v[%slot_v_1] bytes 8192
// CHECK: nv.tma_load %map_v[%n, %c0] to %smem_v[%slot_v_1, %c0, %c0] signal %full_v[%slot_v_1]
// CHECK: nv.role consumer threads 128 to 384 {
// CHECK: nv.setmaxnreg 240
// CHECK: scf.if %is_last {
// CHECK: nv.order.arrive 8
// CHECK: %{{[0-9]+}}, %{{[0-9]+}}, %{{[0-9]+}}, %{{[0-9]+}}, %{{[0-9]+}} = scf.for %item_1 = %block to %c2 step %c2 iter_args(%phase_q_1 = %c0, %slot_k_2 =
// CHECK: nv.mbarrier.wait %full_q[%c0] parity %phase_q_1
// CHECK: %acc = nv.frag : !nv.frag<64x64xf32, C of m64k16>
// CHECK: %least = nv.map[%c0, %c0, %c0, %{{[0-9]+}}, %c0]
// CHECK: %none = nv.map[%c0, %c0, %c0, %{{[0-9]+}}, %c0]
// CHECK: nv.assign %least to %m_
// CHECK: nv.assign %none to %l_
// CHECK: %operand = nv.frag : !nv.frag<64x64xbf16, C of m64k16>
// CHECK: nv.order.wait 8
// CHECK: nv.mbarrier.wait %full_k[%slot_k_2] parity %phase_k_2
// CHECK: %scores = nv.frag : !nv.frag<64x64xf32, C of m64k16>
// CHECK: nv.wgmma.fence
// CHECK: nv.wgmma.mma %scores, %smem_q[%c0, %warp_m, %c0] ND, %smem_k[%slot_k_2, %c0, %c0] DN if %{{[0-9]+}}
// CHECK: nv.wgmma.mma %scores, %smem_q[%c0, %warp_m, %c16] ND, %smem_k[%slot_k_2, %c0, %c16] DN
// CHECK: nv.wgmma.mma %scores, %smem_q[%c0, %warp_m, %c32] ND, %smem_k[%slot_k_2, %c0, %c32] DN
// CHECK: nv.wgmma.mma %scores, %smem_q[%c0, %warp_m, %c48] ND, %smem_k[%slot_k_2, %c0, %c48] DN
// CHECK: nv.wgmma.commit
// CHECK: nv.order.arrive 8
// CHECK: nv.wgmma.wait 0
// CHECK: nv.mbarrier.arrive %empty_k[%slot_k_2]
// CHECK: scf.if %{{[0-9]+}} {
// CHECK: %mx = nv.row_reduce %scores : !nv.frag<64x64xf32, C of m64k16> -> !nv.frag<64x1xf32, lane(4: 0, 8: i, 4: 16i) reg(2: 8i)> {
// CHECK: %new, %minus, %c_1 = nv.map(%m_, %mx
// CHECK: %p = nv.map(%scores, %minus
// CHECK: math.fma %x, %{{[0-9]+}}, %minus_1 : f32
// CHECK-NEXT: math.exp2
// CHECK: %rs = nv.row_reduce %p : !nv.frag<64x64xf32, C of m64k16> -> !nv.frag<64x4xf32, lane(4: j, 8: i, 4: 16i) reg(2: 8i)> {
// CHECK: %ln = nv.map(%l_, %c_1, %rs
// CHECK: nv.assign %new to %m_
// CHECK: nv.assign %ln to %l_
// CHECK: nv.assign %c_1 to %c
// CHECK: nv.hold %ln
// CHECK: nv.map(%p{{.*}} into %operand :
// CHECK: } else {
// CHECK: %xm = nv.map(%scores
// CHECK: %mx_2 = nv.row_reduce %xm : !nv.frag<64x64xf32, C of m64k16> -> !nv.frag<64x1xf32, lane(4: 0, 8: i, 4: 16i) reg(2: 8i)> {
// CHECK: %new_1, %minus_2, %c_3 = nv.map(%m_, %mx_2
// CHECK: %p_2 = nv.map(%xm, %minus_2
// CHECK: %rs_2 = nv.row_reduce %p_2 : !nv.frag<64x64xf32, C of m64k16> -> !nv.frag<64x4xf32, lane(4: j, 8: i, 4: 16i) reg(2: 8i)> {
// CHECK: %ln_1 = nv.map(%l_, %c_3, %rs_2
// CHECK: nv.assign %new_1 to %m_
// CHECK: nv.assign %ln_1 to %l_
// CHECK: nv.assign %c_3 to %c
// CHECK: nv.hold %ln_1
// CHECK: nv.map(%p_2{{.*}} into %operand :
// CHECK: %{{[0-9]+}}, %{{[0-9]+}}, %{{[0-9]+}}, %{{[0-9]+}} = scf.for %n_1 = %c64 to %{{whole[_0-9]*}} step %c64 iter_args(%slot_k_3 = %next_slot_2, %phase_k_3 =
// CHECK: nv.order.wait 8
// CHECK: nv.mbarrier.wait %full_k[%slot_k_3] parity %phase_k_3
// CHECK: %scores_1 = nv.frag : !nv.frag<64x64xf32, C of m64k16>
// CHECK: nv.wgmma.fence
// CHECK: nv.wgmma.mma %scores_1, %smem_q[%c0, %warp_m, %c0] ND, %smem_k[%slot_k_3, %c0, %c0] DN if %{{[0-9]+}}
// CHECK: nv.wgmma.mma %scores_1, %smem_q[%c0, %warp_m, %c16] ND, %smem_k[%slot_k_3, %c0, %c16] DN
// CHECK: nv.wgmma.mma %scores_1, %smem_q[%c0, %warp_m, %c32] ND, %smem_k[%slot_k_3, %c0, %c32] DN
// CHECK: nv.wgmma.mma %scores_1, %smem_q[%c0, %warp_m, %c48] ND, %smem_k[%slot_k_3, %c0, %c48] DN
// CHECK: nv.wgmma.commit
// CHECK: nv.mbarrier.wait %full_v[%slot_v_3] parity %phase_v_3
// CHECK: nv.map(%acc, %c{{.*}} into %acc :
// CHECK: nv.wgmma.fence
// CHECK: nv.wgmma.mma_frag %acc, %operand column 0, %smem_v[%slot_v_3, %c0, %c0] ND
// CHECK: nv.wgmma.mma_frag %acc, %operand column 16, %smem_v[%slot_v_3, %c16, %c0] ND
// CHECK: nv.wgmma.mma_frag %acc, %operand column 32, %smem_v[%slot_v_3, %c32, %c0] ND
// CHECK: nv.wgmma.mma_frag %acc, %operand column 48, %smem_v[%slot_v_3, %c48, %c0] ND
// CHECK: nv.wgmma.commit
// CHECK: nv.order.arrive 8
// CHECK: nv.wgmma.wait 1
// CHECK: nv.mbarrier.arrive %empty_k[%slot_k_3]
// CHECK: %mx_4 = nv.row_reduce %scores_1 : !nv.frag<64x64xf32, C of m64k16> -> !nv.frag<64x1xf32, lane(4: 0, 8: i, 4: 16i) reg(2: 8i)> {
// CHECK: %new_2, %minus_4, %c_6 = nv.map(%m_, %mx_4
// CHECK: %p_4 = nv.map(%scores_1, %minus_4
// CHECK: %rs_4 = nv.row_reduce %p_4 : !nv.frag<64x64xf32, C of m64k16> -> !nv.frag<64x4xf32, lane(4: j, 8: i, 4: 16i) reg(2: 8i)> {
// CHECK: %ln_2 = nv.map(%l_, %c_6, %rs_4
// CHECK: nv.assign %new_2 to %m_
// CHECK: nv.assign %ln_2 to %l_
// CHECK: nv.assign %c_6 to %c
// CHECK: nv.hold %ln_2
// CHECK: nv.wgmma.wait 0
// CHECK: nv.mbarrier.arrive %empty_v[%slot_v_3]
// CHECK: nv.map(%p_4{{.*}} into %operand :
// CHECK: %{{[0-9]+}}, %{{[0-9]+}}, %{{[0-9]+}}, %{{[0-9]+}} = scf.for %n_2 = %{{[a-z0-9_]+}} to %{{end[_0-9]*}} step %c64 iter_args(%slot_k_4 = %{{[0-9]+}}, %phase_k_4 =
// CHECK: nv.order.wait 8
// CHECK: nv.mbarrier.wait %full_k[%slot_k_4] parity %phase_k_4
// CHECK: %scores_2 = nv.frag : !nv.frag<64x64xf32, C of m64k16>
// CHECK: nv.wgmma.fence
// CHECK: nv.wgmma.mma %scores_2, %smem_q[%c0, %warp_m, %c0] ND, %smem_k[%slot_k_4, %c0, %c0] DN if %{{[0-9]+}}
// CHECK: nv.wgmma.mma %scores_2, %smem_q[%c0, %warp_m, %c16] ND, %smem_k[%slot_k_4, %c0, %c16] DN
// CHECK: nv.wgmma.mma %scores_2, %smem_q[%c0, %warp_m, %c32] ND, %smem_k[%slot_k_4, %c0, %c32] DN
// CHECK: nv.wgmma.mma %scores_2, %smem_q[%c0, %warp_m, %c48] ND, %smem_k[%slot_k_4, %c0, %c48] DN
// CHECK: nv.wgmma.commit
// CHECK: nv.mbarrier.wait %full_v[%slot_v_4] parity %phase_v_4
// CHECK: nv.map(%acc, %c{{.*}} into %acc :
// CHECK: nv.wgmma.fence
// CHECK: nv.wgmma.mma_frag %acc, %operand column 0, %smem_v[%slot_v_4, %c0, %c0] ND
// CHECK: nv.wgmma.mma_frag %acc, %operand column 16, %smem_v[%slot_v_4, %c16, %c0] ND
// CHECK: nv.wgmma.mma_frag %acc, %operand column 32, %smem_v[%slot_v_4, %c32, %c0] ND
// CHECK: nv.wgmma.mma_frag %acc, %operand column 48, %smem_v[%slot_v_4, %c48, %c0] ND
// CHECK: nv.wgmma.commit
// CHECK: nv.order.arrive 8
// CHECK: nv.wgmma.wait 1
// CHECK: nv.mbarrier.arrive %empty_k[%slot_k_4]
// CHECK: %xm_2 = nv.map(%scores_2
// CHECK: %mx_6 = nv.row_reduce %xm_2 : !nv.frag<64x64xf32, C of m64k16> -> !nv.frag<64x1xf32, lane(4: 0, 8: i, 4: 16i) reg(2: 8i)> {
// CHECK: %new_3, %minus_6, %c_9 = nv.map(%m_, %mx_6
// CHECK: %p_6 = nv.map(%xm_2, %minus_6
// CHECK: %rs_6 = nv.row_reduce %p_6 : !nv.frag<64x64xf32, C of m64k16> -> !nv.frag<64x4xf32, lane(4: j, 8: i, 4: 16i) reg(2: 8i)> {
// CHECK: %ln_3 = nv.map(%l_, %c_9, %rs_6
// CHECK: nv.assign %new_3 to %m_
// CHECK: nv.assign %ln_3 to %l_
// CHECK: nv.assign %c_9 to %c
// CHECK: nv.hold %ln_3
// CHECK: nv.wgmma.wait 0
// CHECK: nv.mbarrier.arrive %empty_v[%slot_v_4]
// CHECK: nv.map(%p_6{{.*}} into %operand :
// CHECK: nv.mbarrier.arrive %empty_q[%c0]
// CHECK: nv.mbarrier.wait %full_v[%{{[0-9]+}}] parity %{{[0-9]+}}
// CHECK: nv.map(%acc, %c{{.*}} into %acc :
// CHECK: nv.wgmma.fence
// CHECK: nv.wgmma.mma_frag %acc, %operand column 0, %smem_v[%{{[0-9]+}}, %c0, %c0] ND
// CHECK: nv.wgmma.mma_frag %acc, %operand column 16, %smem_v[%{{[0-9]+}}, %c16, %c0] ND
// CHECK: nv.wgmma.mma_frag %acc, %operand column 32, %smem_v[%{{[0-9]+}}, %c32, %c0] ND
// CHECK: nv.wgmma.mma_frag %acc, %operand column 48, %smem_v[%{{[0-9]+}}, %c48, %c0] ND
// CHECK: nv.wgmma.commit
// CHECK: %sum = nv.row_reduce %l_ : !nv.frag<64x4xf32, lane(4: j, 8: i, 4: 16i) reg(2: 8i)> -> !nv.frag<64x1xf32, lane(4: 0, 8: i, 4: 16i) reg(2: 8i)> {
// CHECK: nv.wgmma.wait 0
// CHECK: nv.mbarrier.arrive %empty_v[%{{[0-9]+}}]
// CHECK: %rs_8 = nv.map(%sum
// CHECK: %yb = nv.map(%acc, %rs_8
// CHECK: scf.if %{{[0-9]+}} {
// CHECK: nv.order.wait 8
// CHECK: nv.launch @kernels::@attention_0 grid [2, 1, 1] block [384, 1, 1] shared 66560(%map_q, %map_k, %map_v, %map_y

pto.kernel @attention_0(%q: memref<1x1x200x64xbf16> align 16, %k: memref<1x1x200x64xbf16> align 16, %v: memref<1x1x200x64xbf16> align 16) -> (%y: memref<1x1x200x64xbf16> align 256 gmem) plan #plan.schedule<{arch = "sm90", tile = [128, 64, 64], stages = 2, warp_tile = "64x64", roles = "cooperative", multiprocessors = 2, vectorize = {axis = "n.i.i", width = 8}, predicate_tail = ["m.i.i"], algo_choice = {attention = "online_softmax"}}> {
  pto.tiles (%b, %h, %g, %m, %d) in [1, 1, 1, 200, 64] step [1, 1, 1, 128, 64] {
    %qs = pto.channel : !pto.channel<1, [!pto.tile<128x64xbf16, #pto.tile_info<loc=Mat>>]>
    %ks = pto.channel : !pto.channel<2, [!pto.tile<64x64xbf16, #pto.tile_info<loc=Mat, layout=DN>>]>
    %vs = pto.channel : !pto.channel<2, [!pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>]>
    %c0 = arith.constant 0 : index
    %bn = arith.constant 64 : index
    %c1 = arith.constant 1 : index
    %bm = arith.constant 128 : index
    %keys = arith.constant 200 : index
    %m1 = arith.addi %m, %c1 : index
    %seen = arith.minui %m1, %keys : index
    %tiles = arith.divui %seen, %bn : index
    %whole = arith.muli %tiles, %bn : index
    %me = arith.addi %m, %bm : index
    %end = arith.minui %me, %keys : index
    pto.process {
      pto.channel.acquire %qs : !pto.channel<1, [!pto.tile<128x64xbf16, #pto.tile_info<loc=Mat>>]>
      %qt = pto.tile.load.map %q[%b, %h, %g, %m, %c0] by <"{ [i0, i1, i2, i3, i4] -> [i0, 1i1 + i2, i3, i4] }"> in [1, 1, 1, 200, 64] dims [3, 4] : memref<1x1x200x64xbf16> -> tile<128x64xbf16, #pto.tile_info<loc=Mat>>
      pto.channel.commit %qs, %qt : !pto.channel<1, [!pto.tile<128x64xbf16, #pto.tile_info<loc=Mat>>]>, tile<128x64xbf16, #pto.tile_info<loc=Mat>>
      scf.for %n = %c0 to %end step %bn {
        pto.channel.acquire %ks : !pto.channel<2, [!pto.tile<64x64xbf16, #pto.tile_info<loc=Mat, layout=DN>>]>
        %kt = pto.tile.load.map %k[%b, %h, %g, %n, %c0] by <"{ [i0, i1, i2, i3, i4] -> [i0, i1, i3, i4] }"> in [1, 1, 1, 200, 64] dims [4, 3] : memref<1x1x200x64xbf16> -> tile<64x64xbf16, #pto.tile_info<loc=Mat, layout=DN>>
        pto.channel.commit %ks, %kt : !pto.channel<2, [!pto.tile<64x64xbf16, #pto.tile_info<loc=Mat, layout=DN>>]>, tile<64x64xbf16, #pto.tile_info<loc=Mat, layout=DN>>
        pto.channel.acquire %vs : !pto.channel<2, [!pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>]>
        %vt = pto.tile.load.map %v[%b, %h, %g, %n, %d] by <"{ [i0, i1, i2, i3, i4] -> [i0, i1, i3, i4] }"> in [1, 1, 1, 200, 64] dims [3, 4] : memref<1x1x200x64xbf16> -> tile<64x64xbf16, #pto.tile_info<loc=Mat>>
        pto.channel.commit %vs, %vt : !pto.channel<2, [!pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>]>, tile<64x64xbf16, #pto.tile_info<loc=Mat>>
      }
    }
    %qw = pto.channel.wait %qs : !pto.channel<1, [!pto.tile<128x64xbf16, #pto.tile_info<loc=Mat>>]> -> tile<128x64xbf16, #pto.tile_info<loc=Mat>>
    %left = pto.tile.mov.m2l %qw : tile<128x64xbf16, #pto.tile_info<loc=Mat>> -> tile<128x64xbf16, #pto.tile_info<loc=Left>>
    %least = pto.tile.expands 0xFF800000 : f32 : tile<128x1xf32>
    %none = pto.tile.expands 0.0 : f32 : tile<128x1xf32>
    %empty = pto.tile.expands 0.0 : f32 : tile<128x64xf32, #pto.tile_info<loc=Acc>>
    %max0, %sum0, %acc0 = scf.for %n = %c0 to %whole step %bn iter_args(%m_ = %least, %l_ = %none, %a_ = %empty) -> (!pto.tile<128x1xf32>, !pto.tile<128x1xf32>, !pto.tile<128x64xf32, #pto.tile_info<loc=Acc>>) {
      %kw = pto.channel.wait %ks : !pto.channel<2, [!pto.tile<64x64xbf16, #pto.tile_info<loc=Mat, layout=DN>>]> -> tile<64x64xbf16, #pto.tile_info<loc=Mat, layout=DN>>
      %right = pto.tile.mov.m2r %kw : tile<64x64xbf16, #pto.tile_info<loc=Mat, layout=DN>> -> tile<64x64xbf16, #pto.tile_info<loc=Right>>
      %zero = pto.tile.expands 0.0 : f32 : tile<128x64xf32, #pto.tile_info<loc=Acc>>
      %s = pto.tile.matmul.acc %zero, %left, %right : tile<128x64xf32, #pto.tile_info<loc=Acc>>, tile<128x64xbf16, #pto.tile_info<loc=Left>>, tile<64x64xbf16, #pto.tile_info<loc=Right>> -> tile<128x64xf32, #pto.tile_info<loc=Acc>>
      pto.channel.release %ks : !pto.channel<2, [!pto.tile<64x64xbf16, #pto.tile_info<loc=Mat, layout=DN>>]>
      %x = pto.tile.mov.a2v %s : tile<128x64xf32, #pto.tile_info<loc=Acc>> -> tile<128x64xf32>
      %mx = pto.tile.rowmax %x : tile<128x64xf32> -> tile<128x1xf32>
      %new = pto.tile.max %m_, %mx : tile<128x1xf32>
      %kr = pto.tile.expands 0.18033688011112042 : f32 : tile<128x1xf32>
      %kx = pto.tile.expands 0.18033688011112042 : f32 : tile<128x64xf32>
      %shift = pto.tile.mul %new, %kr : tile<128x1xf32>
      %minus = pto.tile.neg %shift : tile<128x1xf32>
      %dc = pto.tile.fma %m_, %kr, %minus : tile<128x1xf32>
      %nx = pto.tile.rowexpand %minus : tile<128x1xf32> -> tile<128x64xf32>
      %e = pto.tile.fma %x, %kx, %nx : tile<128x64xf32>
      %c = pto.tile.exp2 %dc : tile<128x1xf32>
      %p = pto.tile.exp2 %e : tile<128x64xf32>
      %rs = pto.tile.rowsum %p : tile<128x64xf32> -> tile<128x1xf32>
      %ln = pto.tile.fma %l_, %c, %rs : tile<128x1xf32>
      %pb = pto.tile.cvt %p : tile<128x64xf32> -> tile<128x64xbf16>
      %pl = pto.tile.mov.v2l %pb : tile<128x64xbf16> -> tile<128x64xbf16, #pto.tile_info<loc=Left>>
      %vw = pto.channel.wait %vs : !pto.channel<2, [!pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>]> -> tile<64x64xbf16, #pto.tile_info<loc=Mat>>
      %values = pto.tile.mov.m2r %vw : tile<64x64xbf16, #pto.tile_info<loc=Mat>> -> tile<64x64xbf16, #pto.tile_info<loc=Right>>
      %av = pto.tile.mov.a2v %a_ : tile<128x64xf32, #pto.tile_info<loc=Acc>> -> tile<128x64xf32>
      %cx = pto.tile.rowexpand %c : tile<128x1xf32> -> tile<128x64xf32>
      %scaled = pto.tile.mul %av, %cx : tile<128x64xf32>
      %as = pto.tile.mov.v2a %scaled : tile<128x64xf32> -> tile<128x64xf32, #pto.tile_info<loc=Acc>>
      %an = pto.tile.matmul.acc %as, %pl, %values : tile<128x64xf32, #pto.tile_info<loc=Acc>>, tile<128x64xbf16, #pto.tile_info<loc=Left>>, tile<64x64xbf16, #pto.tile_info<loc=Right>> -> tile<128x64xf32, #pto.tile_info<loc=Acc>>
      pto.channel.release %vs : !pto.channel<2, [!pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>]>
      scf.yield %new, %ln, %an : !pto.tile<128x1xf32>, !pto.tile<128x1xf32>, !pto.tile<128x64xf32, #pto.tile_info<loc=Acc>>
    }
    %max1, %sum1, %acc1 = scf.for %n = %whole to %end step %bn iter_args(%m_ = %max0, %l_ = %sum0, %a_ = %acc0) -> (!pto.tile<128x1xf32>, !pto.tile<128x1xf32>, !pto.tile<128x64xf32, #pto.tile_info<loc=Acc>>) {
      %kw = pto.channel.wait %ks : !pto.channel<2, [!pto.tile<64x64xbf16, #pto.tile_info<loc=Mat, layout=DN>>]> -> tile<64x64xbf16, #pto.tile_info<loc=Mat, layout=DN>>
      %right = pto.tile.mov.m2r %kw : tile<64x64xbf16, #pto.tile_info<loc=Mat, layout=DN>> -> tile<64x64xbf16, #pto.tile_info<loc=Right>>
      %zero = pto.tile.expands 0.0 : f32 : tile<128x64xf32, #pto.tile_info<loc=Acc>>
      %s = pto.tile.matmul.acc %zero, %left, %right : tile<128x64xf32, #pto.tile_info<loc=Acc>>, tile<128x64xbf16, #pto.tile_info<loc=Left>>, tile<64x64xbf16, #pto.tile_info<loc=Right>> -> tile<128x64xf32, #pto.tile_info<loc=Acc>>
      pto.channel.release %ks : !pto.channel<2, [!pto.tile<64x64xbf16, #pto.tile_info<loc=Mat, layout=DN>>]>
      %x = pto.tile.mov.a2v %s : tile<128x64xf32, #pto.tile_info<loc=Acc>> -> tile<128x64xf32>
      %mask = pto.tile.mask [%b, %h, %g, %m, %n] in [1, 1, 1, 200, 200] dims [3, 4] where <"{ [i0, i1, i2, i3, i4] : i4 <= i3 }"> : tile<128x64xi1>
      %inf = pto.tile.expands 0xFF800000 : f32 : tile<128x64xf32>
      %xm = pto.tile.sel %mask, %x, %inf : tile<128x64xi1>, tile<128x64xf32>
      %mx = pto.tile.rowmax %xm : tile<128x64xf32> -> tile<128x1xf32>
      %new = pto.tile.max %m_, %mx : tile<128x1xf32>
      %kr = pto.tile.expands 0.18033688011112042 : f32 : tile<128x1xf32>
      %kx = pto.tile.expands 0.18033688011112042 : f32 : tile<128x64xf32>
      %shift = pto.tile.mul %new, %kr : tile<128x1xf32>
      %minus = pto.tile.neg %shift : tile<128x1xf32>
      %dc = pto.tile.fma %m_, %kr, %minus : tile<128x1xf32>
      %nx = pto.tile.rowexpand %minus : tile<128x1xf32> -> tile<128x64xf32>
      %e = pto.tile.fma %xm, %kx, %nx : tile<128x64xf32>
      %c = pto.tile.exp2 %dc : tile<128x1xf32>
      %p = pto.tile.exp2 %e : tile<128x64xf32>
      %rs = pto.tile.rowsum %p : tile<128x64xf32> -> tile<128x1xf32>
      %ln = pto.tile.fma %l_, %c, %rs : tile<128x1xf32>
      %pb = pto.tile.cvt %p : tile<128x64xf32> -> tile<128x64xbf16>
      %pl = pto.tile.mov.v2l %pb : tile<128x64xbf16> -> tile<128x64xbf16, #pto.tile_info<loc=Left>>
      %vw = pto.channel.wait %vs : !pto.channel<2, [!pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>]> -> tile<64x64xbf16, #pto.tile_info<loc=Mat>>
      %values = pto.tile.mov.m2r %vw : tile<64x64xbf16, #pto.tile_info<loc=Mat>> -> tile<64x64xbf16, #pto.tile_info<loc=Right>>
      %av = pto.tile.mov.a2v %a_ : tile<128x64xf32, #pto.tile_info<loc=Acc>> -> tile<128x64xf32>
      %cx = pto.tile.rowexpand %c : tile<128x1xf32> -> tile<128x64xf32>
      %scaled = pto.tile.mul %av, %cx : tile<128x64xf32>
      %as = pto.tile.mov.v2a %scaled : tile<128x64xf32> -> tile<128x64xf32, #pto.tile_info<loc=Acc>>
      %an = pto.tile.matmul.acc %as, %pl, %values : tile<128x64xf32, #pto.tile_info<loc=Acc>>, tile<128x64xbf16, #pto.tile_info<loc=Left>>, tile<64x64xbf16, #pto.tile_info<loc=Right>> -> tile<128x64xf32, #pto.tile_info<loc=Acc>>
      pto.channel.release %vs : !pto.channel<2, [!pto.tile<64x64xbf16, #pto.tile_info<loc=Mat>>]>
      scf.yield %new, %ln, %an : !pto.tile<128x1xf32>, !pto.tile<128x1xf32>, !pto.tile<128x64xf32, #pto.tile_info<loc=Acc>>
    }
    pto.channel.release %qs : !pto.channel<1, [!pto.tile<128x64xbf16, #pto.tile_info<loc=Mat>>]>
    %yv = pto.tile.mov.a2v %acc1 : tile<128x64xf32, #pto.tile_info<loc=Acc>> -> tile<128x64xf32>
    %rs = pto.tile.recip %sum1 : tile<128x1xf32>
    %ds = pto.tile.rowexpand %rs : tile<128x1xf32> -> tile<128x64xf32>
    %yn = pto.tile.mul %yv, %ds : tile<128x64xf32>
    %yb = pto.tile.cvt %yn : tile<128x64xf32> -> tile<128x64xbf16>
    pto.tile.store.map %yb, %y[%b, %h, %g, %m, %d] by <"{ [i0, i1, i2, i3, i4] -> [i0, 1i1 + i2, i3, i4] }"> in [1, 1, 1, 200, 64] dims [3, 4] : tile<128x64xbf16>, memref<1x1x200x64xbf16>
  }
}
func.func @attention(%q: memref<1x1x200x64xbf16>, %k: memref<1x1x200x64xbf16>, %v: memref<1x1x200x64xbf16>) -> memref<1x1x200x64xbf16> {
  %0 = memref.alloc() : memref<1x1x200x64xbf16>
  region.launch @attention_0 ins(%q, %k, %v : memref<1x1x200x64xbf16>, memref<1x1x200x64xbf16>, memref<1x1x200x64xbf16>) outs(%0 : memref<1x1x200x64xbf16>)
  func.return %0 : memref<1x1x200x64xbf16>
}
