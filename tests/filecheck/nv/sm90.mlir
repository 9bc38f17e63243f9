// RUN: ptir-opt %s | filecheck %s
// RUN: ptir-opt %s | ptir-opt | filecheck %s
// RUN: ptir-opt --print-op-generic %s | ptir-opt | filecheck %s

// Each op of SM90 prints as it is read, and its generic form reads as the same op; a kernel that has all of them in legal
// places.

// CHECK: "gpu.module"() <{sym_name = "kernels"}> ({
"gpu.module"() <{sym_name = "kernels"}> ({
  // CHECK-NEXT: "gpu.func"() <{function_type = (memref<64x128xf32>, !nv.tensor_map<1x128x64xbf16, b128>, !nv.tensor_map<32x64xbf16, b128>, !nv.tensor_map<64x64xbf16, b128>) -> (), kernel}> ({
  "gpu.func"() <{function_type = (memref<64x128xf32>, !nv.tensor_map<1x128x64xbf16, b128>, !nv.tensor_map<32x64xbf16, b128>, !nv.tensor_map<64x64xbf16, b128>) -> (), kernel}> ({
  // CHECK-NEXT: ^bb0(%bias: memref<64x128xf32>, %ta: !nv.tensor_map<1x128x64xbf16, b128>, %tb: !nv.tensor_map<32x64xbf16, b128>, %tc: !nv.tensor_map<64x64xbf16, b128>):
  ^bb0(%bias: memref<64x128xf32>, %ta: !nv.tensor_map<1x128x64xbf16, b128>, %tb: !nv.tensor_map<32x64xbf16, b128>, %tc: !nv.tensor_map<64x64xbf16, b128>):
    // CHECK-NEXT: %c0 = arith.constant 0 : index
    %c0 = arith.constant 0 : index
    // CHECK-NEXT: %c1 = arith.constant 1 : index
    %c1 = arith.constant 1 : index
    // CHECK-NEXT: %c2 = arith.constant 2 : index
    %c2 = arith.constant 2 : index
    // CHECK-NEXT: %c3 = arith.constant 3 : index
    %c3 = arith.constant 3 : index
    // CHECK-NEXT: %c4 = arith.constant 4 : index
    %c4 = arith.constant 4 : index
    // CHECK-NEXT: %c32 = arith.constant 32 : index
    %c32 = arith.constant 32 : index
    // CHECK-NEXT: %c64 = arith.constant 64 : index
    %c64 = arith.constant 64 : index
    // CHECK-NEXT: %sa = nv.smem at 0 : !nv.smem<4x128x64xbf16, b128>
    %sa = nv.smem at 0 : !nv.smem<4x128x64xbf16, b128>
    // CHECK-NEXT: %sb = nv.smem at 65536 : !nv.smem<4x64x128xbf16, b128>
    %sb = nv.smem at 65536 : !nv.smem<4x64x128xbf16, b128>
    // CHECK-NEXT: %sc = nv.smem at 131072 : !nv.smem<2x64x64xbf16, b128>
    %sc = nv.smem at 131072 : !nv.smem<2x64x64xbf16, b128>
    // CHECK-NEXT: %full = nv.mbarrier at 196608 : !nv.mbarrier<4>
    %full = nv.mbarrier at 196608 : !nv.mbarrier<4>
    // CHECK-NEXT: %empty = nv.mbarrier at 196640 : !nv.mbarrier<4>
    %empty = nv.mbarrier at 196640 : !nv.mbarrier<4>
    // CHECK-NEXT: nv.single block {
    nv.single block {
      // CHECK-NEXT: nv.mbarrier.init %full arrivals 1 : !nv.mbarrier<4>
      nv.mbarrier.init %full arrivals 1 : !nv.mbarrier<4>
      // CHECK-NEXT: nv.mbarrier.init %empty arrivals 4 : !nv.mbarrier<4>
      nv.mbarrier.init %empty arrivals 4 : !nv.mbarrier<4>
      // CHECK-NEXT: nv.mbarrier.init_fence
      nv.mbarrier.init_fence
      // CHECK-NEXT: nv.prefetch_map %ta : !nv.tensor_map<1x128x64xbf16, b128>
      nv.prefetch_map %ta : !nv.tensor_map<1x128x64xbf16, b128>
    // CHECK-NEXT: }
    }
    // CHECK-NEXT: nv.cluster.sync
    nv.cluster.sync
    // CHECK-NEXT: %rank = nv.cluster.rank
    %rank = nv.cluster.rank
    // CHECK-NEXT: %row = arith.muli %rank, %c32 : index
    %row = arith.muli %rank, %c32 : index
    // CHECK-NEXT: nv.role producer threads 0 to 128 {
    nv.role producer threads 0 to 128 {
      // CHECK-NEXT: nv.setmaxnreg 40
      nv.setmaxnreg 40
      // CHECK-NEXT: nv.single role {
      nv.single role {
        // CHECK-NEXT: scf.for %slot = %c0 to %c4 step %c1 {
        scf.for %slot = %c0 to %c4 step %c1 {
          // CHECK-NEXT: nv.mbarrier.wait %empty[%slot] parity %c1 : !nv.mbarrier<4>
          nv.mbarrier.wait %empty[%slot] parity %c1 : !nv.mbarrier<4>
          // CHECK-NEXT: nv.mbarrier.expect_tx %full[%slot] bytes 32768 : !nv.mbarrier<4>
          nv.mbarrier.expect_tx %full[%slot] bytes 32768 : !nv.mbarrier<4>
          // CHECK-NEXT: nv.tma_load %ta[%c0, %c0, %c0] to %sa[%slot, %c0, %c0] signal %full[%slot] : !nv.tensor_map<1x128x64xbf16, b128>, !nv.smem<4x128x64xbf16, b128>, !nv.mbarrier<4>
          nv.tma_load %ta[%c0, %c0, %c0] to %sa[%slot, %c0, %c0] signal %full[%slot] : !nv.tensor_map<1x128x64xbf16, b128>, !nv.smem<4x128x64xbf16, b128>, !nv.mbarrier<4>
          // CHECK-NEXT: nv.tma_load %tb[%row, %c0] to %sb[%slot, %row, %c0] signal %full[%slot] multicast %c3 : !nv.tensor_map<32x64xbf16, b128>, !nv.smem<4x64x128xbf16, b128>, !nv.mbarrier<4>
          nv.tma_load %tb[%row, %c0] to %sb[%slot, %row, %c0] signal %full[%slot] multicast %c3 : !nv.tensor_map<32x64xbf16, b128>, !nv.smem<4x64x128xbf16, b128>, !nv.mbarrier<4>
          // CHECK-NEXT: nv.tma_load %tb[%row, %c64] to %sb[%slot, %row, %c64] signal %full[%slot] multicast %c3 : !nv.tensor_map<32x64xbf16, b128>, !nv.smem<4x64x128xbf16, b128>, !nv.mbarrier<4>
          nv.tma_load %tb[%row, %c64] to %sb[%slot, %row, %c64] signal %full[%slot] multicast %c3 : !nv.tensor_map<32x64xbf16, b128>, !nv.smem<4x64x128xbf16, b128>, !nv.mbarrier<4>
        // CHECK-NEXT: }
        }
      // CHECK-NEXT: }
      }
    // CHECK-NEXT: }
    }
    // CHECK-NEXT: nv.role consumer threads 128 to 384 {
    nv.role consumer threads 128 to 384 {
      // CHECK-NEXT: nv.setmaxnreg 232
      nv.setmaxnreg 232
      // CHECK-NEXT: %g = nv.warpgroup
      %g = nv.warpgroup
      // CHECK-NEXT: %w = nv.warp
      %w = nv.warp
      // CHECK-NEXT: nv.warp_sync
      nv.warp_sync
      // CHECK-NEXT: %m = arith.muli %g, %c64 : index
      %m = arith.muli %g, %c64 : index
      // CHECK-NEXT: %acc = nv.frag : !nv.frag<64x128xf32, C of m64k16>
      %acc = nv.frag : !nv.frag<64x128xf32, C of m64k16>
      // CHECK-NEXT: %sum = nv.frag : !nv.frag<64x128xf32, C of m64k16>
      %sum = nv.frag : !nv.frag<64x128xf32, C of m64k16>
      // CHECK-NEXT: %a = nv.frag : !nv.frag<64x16xbf16, A of m64k16>
      %a = nv.frag : !nv.frag<64x16xbf16, A of m64k16>
      // CHECK-NEXT: scf.for %slot_1 = %c0 to %c4 step %c1 {
      scf.for %slot_1 = %c0 to %c4 step %c1 {
        // CHECK-NEXT: nv.mbarrier.wait %full[%slot_1] parity %c0 : !nv.mbarrier<4>
        nv.mbarrier.wait %full[%slot_1] parity %c0 : !nv.mbarrier<4>
        // CHECK-NEXT: %adds = arith.cmpi ne, %slot_1, %c0 : index
        %adds = arith.cmpi ne, %slot_1, %c0 : index
        // CHECK-NEXT: nv.wgmma.fence
        nv.wgmma.fence
        // CHECK-NEXT: nv.wgmma.mma %acc, %sa[%slot_1, %m, %c0] ND, %sb[%slot_1, %c0, %c0] ND if %adds : !nv.frag<64x128xf32, C of m64k16>, !nv.smem<4x128x64xbf16, b128>, !nv.smem<4x64x128xbf16, b128>
        nv.wgmma.mma %acc, %sa[%slot_1, %m, %c0] ND, %sb[%slot_1, %c0, %c0] ND if %adds : !nv.frag<64x128xf32, C of m64k16>, !nv.smem<4x128x64xbf16, b128>, !nv.smem<4x64x128xbf16, b128>
        // CHECK-NEXT: nv.wgmma.mma_frag %acc, %a, %sb[%slot_1, %c32, %c0] ND : !nv.frag<64x128xf32, C of m64k16>, !nv.frag<64x16xbf16, A of m64k16>, !nv.smem<4x64x128xbf16, b128>
        nv.wgmma.mma_frag %acc, %a, %sb[%slot_1, %c32, %c0] ND : !nv.frag<64x128xf32, C of m64k16>, !nv.frag<64x16xbf16, A of m64k16>, !nv.smem<4x64x128xbf16, b128>
        // CHECK-NEXT: nv.wgmma.commit
        nv.wgmma.commit
        // CHECK-NEXT: nv.wgmma.wait 1
        nv.wgmma.wait 1
        // CHECK-NEXT: nv.single warpgroup {
        nv.single warpgroup {
          // CHECK-NEXT: scf.for %block = %c0 to %c2 step %c1 {
          scf.for %block = %c0 to %c2 step %c1 {
            // CHECK-NEXT: nv.mbarrier.arrive %empty[%slot_1] at %block : !nv.mbarrier<4>
            nv.mbarrier.arrive %empty[%slot_1] at %block : !nv.mbarrier<4>
          // CHECK-NEXT: }
          }
        // CHECK-NEXT: }
        }
      // CHECK-NEXT: }
      }
      // CHECK-NEXT: nv.wgmma.wait 0
      nv.wgmma.wait 0
      // CHECK-NEXT: nv.promote %acc to %sum : !nv.frag<64x128xf32, C of m64k16>, !nv.frag<64x128xf32, C of m64k16>
      nv.promote %acc to %sum : !nv.frag<64x128xf32, C of m64k16>, !nv.frag<64x128xf32, C of m64k16>
      // CHECK-NEXT: %out = nv.epilogue %sum : !nv.frag<64x128xf32, C of m64k16>[%c0, %c0] in [64, 128] dims [0, 1] guard [] tile [64, 128] ins(%bias : memref<64x128xf32>) addresses [#poly.map<"{ [i0, i1] -> [(128i0 + i1)] }">] widths [2] -> !nv.frag<64x128xbf16, C of m64k16> {
      %out = nv.epilogue %sum : !nv.frag<64x128xf32, C of m64k16>[%c0, %c0] in [64, 128] dims [0, 1] guard [] tile [64, 128] ins(%bias : memref<64x128xf32>) addresses [#poly.map<"{ [i0, i1] -> [(128i0 + i1)] }">] widths [2] -> !nv.frag<64x128xbf16, C of m64k16> {
      // CHECK-NEXT: ^bb0(%x: f32, %b: f32):
      ^bb0(%x: f32, %b: f32):
        // CHECK-NEXT: %r = arith.addf %x, %b : f32
        %r = arith.addf %x, %b : f32
        // CHECK-NEXT: %h = arith.truncf %r : f32 to bf16
        %h = arith.truncf %r : f32 to bf16
        // CHECK-NEXT: nv.yield %h : bf16
        nv.yield %h : bf16
      // CHECK-NEXT: }
      }
      // CHECK-NEXT: nv.stmatrix %out column 64 ND to %sc[%g, %c0, %c0] : !nv.frag<64x128xbf16, C of m64k16>, !nv.smem<2x64x64xbf16, b128>
      nv.stmatrix %out column 64 ND to %sc[%g, %c0, %c0] : !nv.frag<64x128xbf16, C of m64k16>, !nv.smem<2x64x64xbf16, b128>
      // CHECK-NEXT: nv.store_operand %sa[%c0, %m, %c32] ND from %a : !nv.smem<4x128x64xbf16, b128>, !nv.frag<64x16xbf16, A of m64k16>
      nv.store_operand %sa[%c0, %m, %c32] ND from %a : !nv.smem<4x128x64xbf16, b128>, !nv.frag<64x16xbf16, A of m64k16>
      // CHECK-NEXT: nv.fence_async
      nv.fence_async
      // CHECK-NEXT: nv.barrier 1 threads 128
      nv.barrier 1 threads 128
      // CHECK-NEXT: nv.single warpgroup {
      nv.single warpgroup {
        // CHECK-NEXT: nv.tma_store %sc[%g, %c0, %c0] to %tc[%m, %c64] : !nv.smem<2x64x64xbf16, b128>, !nv.tensor_map<64x64xbf16, b128>
        nv.tma_store %sc[%g, %c0, %c0] to %tc[%m, %c64] : !nv.smem<2x64x64xbf16, b128>, !nv.tensor_map<64x64xbf16, b128>
        // CHECK-NEXT: nv.bulk.commit
        nv.bulk.commit
        // CHECK-NEXT: nv.bulk.wait_read 0
        nv.bulk.wait_read 0
      // CHECK-NEXT: }
      }
    // CHECK-NEXT: }
    }
    // CHECK-NEXT: nv.cluster.sync
    nv.cluster.sync
    // CHECK-NEXT: "gpu.return"() : () -> ()
    "gpu.return"() : () -> ()
  // CHECK-NEXT: }) {gpu.known_block_size = array<i32: 384, 1, 1>, nv.cluster = array<i64: 2, 1, 1>, sym_name = "k"} : () -> ()
  }) {gpu.known_block_size = array<i32: 384, 1, 1>, nv.cluster = array<i64: 2, 1, 1>, sym_name = "k"} : () -> ()
// CHECK-NEXT: }) : () -> ()
}) : () -> ()
// CHECK-NEXT: func.func @host(%bias: memref<64x128xf32>, %x: memref<4x512x768xbf16>, %w: memref<64x128xbf16>, %y: memref<128x128xbf16>) {
func.func @host(%bias: memref<64x128xf32>, %x: memref<4x512x768xbf16>, %w: memref<64x128xbf16>, %y: memref<128x128xbf16>) {
  // CHECK-NEXT: %ta = nv.tensor_map %x offset 0 sizes [4, 512, 768] strides [393216, 768, 1] : memref<4x512x768xbf16> -> !nv.tensor_map<1x128x64xbf16, b128>
  %ta = nv.tensor_map %x offset 0 sizes [4, 512, 768] strides [393216, 768, 1] : memref<4x512x768xbf16> -> !nv.tensor_map<1x128x64xbf16, b128>
  // CHECK-NEXT: %tb = nv.tensor_map %w offset 8 sizes [60, 120] strides [128, 1] : memref<64x128xbf16> -> !nv.tensor_map<32x64xbf16, b128>
  %tb = nv.tensor_map %w offset 8 sizes [60, 120] strides [128, 1] : memref<64x128xbf16> -> !nv.tensor_map<32x64xbf16, b128>
  // CHECK-NEXT: %tc = nv.tensor_map %y offset 0 sizes [128, 128] strides [128, 1] : memref<128x128xbf16> -> !nv.tensor_map<64x64xbf16, b128>
  %tc = nv.tensor_map %y offset 0 sizes [128, 128] strides [128, 1] : memref<128x128xbf16> -> !nv.tensor_map<64x64xbf16, b128>
  // CHECK-NEXT: nv.launch @kernels::@k grid [8, 1, 1] block [384, 1, 1] cluster [2, 1, 1] shared 196672(%bias, %ta, %tb, %tc : memref<64x128xf32>, !nv.tensor_map<1x128x64xbf16, b128>, !nv.tensor_map<32x64xbf16, b128>, !nv.tensor_map<64x64xbf16, b128>)
  nv.launch @kernels::@k grid [8, 1, 1] block [384, 1, 1] cluster [2, 1, 1] shared 196672(%bias, %ta, %tb, %tc : memref<64x128xf32>, !nv.tensor_map<1x128x64xbf16, b128>, !nv.tensor_map<32x64xbf16, b128>, !nv.tensor_map<64x64xbf16, b128>)
  // CHECK-NEXT: func.return
  func.return
// CHECK-NEXT: }
}
