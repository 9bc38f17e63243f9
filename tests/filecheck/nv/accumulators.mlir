// RUN: ptir-opt %s | filecheck %s
// RUN: ptir-opt --print-op-generic %s | ptir-opt | filecheck %s

// Ops on accumulators: maps and reductions of rows, storage, products of converted accumulators, and turns of warpgroups.

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %false = arith.constant false
    %sv = nv.smem at 0 : !nv.smem<2x32x32xbf16, b64>
    nv.role consumer threads 128 to 384 {
      %acc = nv.frag : !nv.frag<64x32xf32, C of m64k16>
      %scores = nv.frag : !nv.frag<64x32xf32, C of m64k16>
      %p = nv.frag : !nv.frag<64x32xbf16, C of m64k16>
      // CHECK: %max = nv.row_reduce %scores : !nv.frag<64x32xf32, C of m64k16> -> !nv.frag<64x1xf32, lane(4: 0, 8: i, 4: 16i) reg(2: 8i)> {
      %max = nv.row_reduce %scores : !nv.frag<64x32xf32, C of m64k16> -> !nv.frag<64x1xf32, lane(4: 0, 8: i, 4: 16i) reg(2: 8i)> {
      ^bb0(%a: f32, %b: f32):
        %0 = arith.maximumf %a, %b : f32
        nv.yield %0 : f32
      }
      // CHECK: %e, %pb = nv.map(%scores, %max : !nv.frag<64x32xf32, C of m64k16>, !nv.frag<64x1xf32, lane(4: 0, 8: i, 4: 16i) reg(2: 8i)>) [%c0, %c0] in [64, 32] dims [0, 1] guard [] tile [64, 32] addresses [] widths [] -> !nv.frag<64x32xf32, C of m64k16>, !nv.frag<64x32xbf16, C of m64k16> {
      %e, %pb = nv.map(%scores, %max : !nv.frag<64x32xf32, C of m64k16>, !nv.frag<64x1xf32, lane(4: 0, 8: i, 4: 16i) reg(2: 8i)>) [%c0, %c0] in [64, 32] dims [0, 1] guard [] tile [64, 32] addresses [] widths [] -> !nv.frag<64x32xf32, C of m64k16>, !nv.frag<64x32xbf16, C of m64k16> {
      ^bb0(%x: f32, %m: f32):
        %0 = arith.subf %x, %m : f32
        %1 = arith.truncf %0 : f32 to bf16
        nv.yield %0, %1 : f32, bf16
      }
      // CHECK: %sums = nv.row_reduce %e : !nv.frag<64x32xf32, C of m64k16> -> !nv.frag<64x4xf32, lane(4: j, 8: i, 4: 16i) reg(2: 8i)> {
      %sums = nv.row_reduce %e : !nv.frag<64x32xf32, C of m64k16> -> !nv.frag<64x4xf32, lane(4: j, 8: i, 4: 16i) reg(2: 8i)> {
      ^bb0(%a: f32, %b: f32):
        %0 = arith.addf %a, %b : f32
        nv.yield %0 : f32
      }
      // CHECK: %some = nv.any_differs %sums from 1.000000e+00 : f32 : !nv.frag<64x4xf32, lane(4: j, 8: i, 4: 16i) reg(2: 8i)>
      %some = nv.any_differs %sums from 1.000000e+00 : f32 : !nv.frag<64x4xf32, lane(4: j, 8: i, 4: 16i) reg(2: 8i)>
      // The warps of a warpgroup need not assign together.
      // CHECK-NEXT: scf.if %some
      "scf.if"(%some) ({
        nv.assign %pb to %p : !nv.frag<64x32xbf16, C of m64k16>
        scf.yield
      }, {
      }) : (i1) -> ()
      // CHECK: nv.assign %pb to %p : !nv.frag<64x32xbf16, C of m64k16>
      nv.assign %pb to %p : !nv.frag<64x32xbf16, C of m64k16>
      // CHECK: nv.assign %pb to %p columns [0, 16] : !nv.frag<64x32xbf16, C of m64k16>
      nv.assign %pb to %p columns [0, 16] : !nv.frag<64x32xbf16, C of m64k16>
      // CHECK: nv.map(%e : !nv.frag<64x32xf32, C of m64k16>) [%c0, %c0] in [64, 32] dims [0, 1] guard [] tile [64, 16] addresses [] widths [] into %p : !nv.frag<64x32xbf16, C of m64k16> column 16 {
      nv.map(%e : !nv.frag<64x32xf32, C of m64k16>) [%c0, %c0] in [64, 32] dims [0, 1] guard [] tile [64, 16] addresses [] widths [] into %p : !nv.frag<64x32xbf16, C of m64k16> column 16 {
      ^bb0(%x: f32):
        %0 = arith.truncf %x : f32 to bf16
        nv.yield %0 : bf16
      }
      // The scaled accumulator takes the place of the accumulator; the other result is a fragment of its own.
      // CHECK: %twice = nv.map(%acc : !nv.frag<64x32xf32, C of m64k16>) [%c0, %c0] in [64, 32] dims [0, 1] guard [] tile [64, 32] addresses [] widths [] into %acc : !nv.frag<64x32xf32, C of m64k16> -> !nv.frag<64x32xf32, C of m64k16> {
      %twice = nv.map(%acc : !nv.frag<64x32xf32, C of m64k16>) [%c0, %c0] in [64, 32] dims [0, 1] guard [] tile [64, 32] addresses [] widths [] into %acc : !nv.frag<64x32xf32, C of m64k16> -> !nv.frag<64x32xf32, C of m64k16> {
      ^bb0(%x: f32):
        %0 = arith.addf %x, %x : f32
        %1 = arith.mulf %x, %x : f32
        nv.yield %0, %1 : f32, f32
      }
      // CHECK: nv.hold %sums : !nv.frag<64x4xf32, lane(4: j, 8: i, 4: 16i) reg(2: 8i)>
      nv.hold %sums : !nv.frag<64x4xf32, lane(4: j, 8: i, 4: 16i) reg(2: 8i)>
      // CHECK: nv.order.wait 8
      nv.order.wait 8
      nv.wgmma.fence
      // CHECK: nv.wgmma.mma_frag %acc, %p column 0, %sv[%c0, %c0, %c0] ND if %false : !nv.frag<64x32xf32, C of m64k16>, !nv.frag<64x32xbf16, C of m64k16>, !nv.smem<2x32x32xbf16, b64>
      nv.wgmma.mma_frag %acc, %p column 0, %sv[%c0, %c0, %c0] ND if %false : !nv.frag<64x32xf32, C of m64k16>, !nv.frag<64x32xbf16, C of m64k16>, !nv.smem<2x32x32xbf16, b64>
      // CHECK: nv.wgmma.mma_frag %acc, %p column 16, %sv[%c0, %c16, %c0] ND : !nv.frag<64x32xf32, C of m64k16>, !nv.frag<64x32xbf16, C of m64k16>, !nv.smem<2x32x32xbf16, b64>
      nv.wgmma.mma_frag %acc, %p column 16, %sv[%c0, %c16, %c0] ND : !nv.frag<64x32xf32, C of m64k16>, !nv.frag<64x32xbf16, C of m64k16>, !nv.smem<2x32x32xbf16, b64>
      nv.wgmma.commit
      // CHECK: nv.order.arrive 8
      nv.order.arrive 8
      nv.wgmma.wait 0
      // CHECK: %s = nv.row_reduce %sums : !nv.frag<64x4xf32, lane(4: j, 8: i, 4: 16i) reg(2: 8i)> -> !nv.frag<64x1xf32, lane(4: 0, 8: i, 4: 16i) reg(2: 8i)> {
      %s = nv.row_reduce %sums : !nv.frag<64x4xf32, lane(4: j, 8: i, 4: 16i) reg(2: 8i)> -> !nv.frag<64x1xf32, lane(4: 0, 8: i, 4: 16i) reg(2: 8i)> {
      ^bb0(%a: f32, %b: f32):
        %0 = arith.addf %a, %b : f32
        nv.yield %0 : f32
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()
