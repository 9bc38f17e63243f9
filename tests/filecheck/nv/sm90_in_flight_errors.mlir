// RUN: ptir-opt %s --split-input-file --verify-diagnostics

// One case for each rule of SM90: accumulators in flight, what TMA stores, what wgmma reads.

// Accumulators in flight.

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %sa = nv.smem at 0 : !nv.smem<4x128x64xbf16, b128>
    %sb = nv.smem at 65536 : !nv.smem<4x64x128xbf16, b128>
    nv.role consumer threads 128 to 384 {
      %acc = nv.frag : !nv.frag<64x128xf32, C of m64k16>
      // expected-error@+1 {{'nv.wgmma.mma' begins a group of wgmmas without nv.wgmma.fence before it}}
      nv.wgmma.mma %acc, %sa[%c0, %c0, %c0] ND, %sb[%c0, %c0, %c0] ND : !nv.frag<64x128xf32, C of m64k16>, !nv.smem<4x128x64xbf16, b128>, !nv.smem<4x64x128xbf16, b128>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %sa = nv.smem at 0 : !nv.smem<4x128x64xbf16, b128>
    %sb = nv.smem at 65536 : !nv.smem<4x64x128xbf16, b128>
    nv.role consumer threads 128 to 384 {
      %acc = nv.frag : !nv.frag<64x128xf32, C of m64k16>
      nv.wgmma.fence
      nv.wgmma.mma %acc, %sa[%c0, %c0, %c0] ND, %sb[%c0, %c0, %c0] ND : !nv.frag<64x128xf32, C of m64k16>, !nv.smem<4x128x64xbf16, b128>, !nv.smem<4x64x128xbf16, b128>
      nv.wgmma.commit
      // expected-error@+1 {{'nv.wgmma.mma' begins a group of wgmmas without nv.wgmma.fence before it}}
      nv.wgmma.mma %acc, %sa[%c0, %c0, %c0] ND, %sb[%c0, %c0, %c0] ND : !nv.frag<64x128xf32, C of m64k16>, !nv.smem<4x128x64xbf16, b128>, !nv.smem<4x64x128xbf16, b128>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

// The second time around.

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %sa = nv.smem at 0 : !nv.smem<4x128x64xbf16, b128>
    %sb = nv.smem at 65536 : !nv.smem<4x64x128xbf16, b128>
    nv.role consumer threads 128 to 384 {
      %acc = nv.frag : !nv.frag<64x128xf32, C of m64k16>
      nv.wgmma.fence
      scf.for %i = %c0 to %c4 step %c1 {
        // expected-error@+1 {{'nv.wgmma.mma' begins a group of wgmmas without nv.wgmma.fence before it}}
        nv.wgmma.mma %acc, %sa[%c0, %c0, %c0] ND, %sb[%c0, %c0, %c0] ND : !nv.frag<64x128xf32, C of m64k16>, !nv.smem<4x128x64xbf16, b128>, !nv.smem<4x64x128xbf16, b128>
        nv.wgmma.commit
      }
      nv.wgmma.wait 0
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %sa = nv.smem at 0 : !nv.smem<4x128x64xbf16, b128>
    %sb = nv.smem at 65536 : !nv.smem<4x64x128xbf16, b128>
    nv.role consumer threads 128 to 384 {
      %acc = nv.frag : !nv.frag<64x128xf32, C of m64k16>
      nv.wgmma.fence
      // expected-note@+1 {{not committed}}
      nv.wgmma.mma %acc, %sa[%c0, %c0, %c0] ND, %sb[%c0, %c0, %c0] ND : !nv.frag<64x128xf32, C of m64k16>, !nv.smem<4x128x64xbf16, b128>, !nv.smem<4x64x128xbf16, b128>
      // expected-error@+1 {{'nv.wgmma.wait' waits while a wgmma is in no committed group}}
      nv.wgmma.wait 0
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<64x128xf32>) -> (), kernel}> ({
  ^bb0(%g: memref<64x128xf32>):
    %c0 = arith.constant 0 : index
    %sa = nv.smem at 0 : !nv.smem<4x128x64xbf16, b128>
    %sb = nv.smem at 65536 : !nv.smem<4x64x128xbf16, b128>
    nv.role consumer threads 128 to 384 {
      %acc = nv.frag : !nv.frag<64x128xf32, C of m64k16>
      nv.wgmma.fence
      // expected-note@+1 {{in flight from here}}
      nv.wgmma.mma %acc, %sa[%c0, %c0, %c0] ND, %sb[%c0, %c0, %c0] ND : !nv.frag<64x128xf32, C of m64k16>, !nv.smem<4x128x64xbf16, b128>, !nv.smem<4x64x128xbf16, b128>
      nv.wgmma.commit
      // expected-error@+1 {{'nv.epilogue' accesses registers of a wgmma in flight}}
      nv.epilogue %acc : !nv.frag<64x128xf32, C of m64k16> [%c0, %c0] in [64, 128] dims [0, 1] guard [] tile [64, 128] outs(%g : memref<64x128xf32>) addresses [#poly.map<"{ [i0, i1] -> [(128i0 + i1)] }">] widths [2] {
      ^bb0(%x: f32):
        nv.yield %x : f32
      }
      nv.wgmma.wait 0
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %sa = nv.smem at 0 : !nv.smem<4x128x64xbf16, b128>
    %sb = nv.smem at 65536 : !nv.smem<4x64x128xbf16, b128>
    nv.role consumer threads 128 to 384 {
      %acc = nv.frag : !nv.frag<64x128xf32, C of m64k16>
      %acc2 = nv.frag : !nv.frag<64x128xf32, C of m64k16>
      nv.wgmma.fence
      // expected-note@+1 {{in flight from here}}
      nv.wgmma.mma %acc, %sa[%c0, %c0, %c0] ND, %sb[%c0, %c0, %c0] ND : !nv.frag<64x128xf32, C of m64k16>, !nv.smem<4x128x64xbf16, b128>, !nv.smem<4x64x128xbf16, b128>
      nv.wgmma.commit
      nv.wgmma.wait 1
      // expected-error@+1 {{'nv.promote' accesses registers of a wgmma in flight}}
      nv.promote %acc to %acc2 : !nv.frag<64x128xf32, C of m64k16>, !nv.frag<64x128xf32, C of m64k16>
      nv.wgmma.wait 0
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

// The last group of a loop.

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %sa = nv.smem at 0 : !nv.smem<4x128x64xbf16, b128>
    %sb = nv.smem at 65536 : !nv.smem<4x64x128xbf16, b128>
    nv.role consumer threads 128 to 384 {
      %acc = nv.frag : !nv.frag<64x128xf32, C of m64k16>
      %acc2 = nv.frag : !nv.frag<64x128xf32, C of m64k16>
      scf.for %i = %c0 to %c4 step %c1 {
        nv.wgmma.fence
        // expected-note@+1 {{in flight from here}}
        nv.wgmma.mma %acc, %sa[%c0, %c0, %c0] ND, %sb[%c0, %c0, %c0] ND : !nv.frag<64x128xf32, C of m64k16>, !nv.smem<4x128x64xbf16, b128>, !nv.smem<4x64x128xbf16, b128>
        nv.wgmma.commit
        nv.wgmma.wait 1
      }
      // expected-error@+1 {{'nv.promote' accesses registers of a wgmma in flight}}
      nv.promote %acc to %acc2 : !nv.frag<64x128xf32, C of m64k16>, !nv.frag<64x128xf32, C of m64k16>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

// Over the back edge: the registers are the same.

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %sa = nv.smem at 0 : !nv.smem<4x128x64xbf16, b128>
    %sb = nv.smem at 65536 : !nv.smem<4x64x128xbf16, b128>
    nv.role consumer threads 128 to 384 {
      scf.for %i = %c0 to %c4 step %c1 {
        // expected-error@+1 {{'nv.frag' accesses registers of a wgmma in flight}}
        %s = nv.frag : !nv.frag<64x128xf32, C of m64k16>
        nv.wgmma.fence
        // expected-note@+1 {{in flight from here}}
        nv.wgmma.mma %s, %sa[%c0, %c0, %c0] ND, %sb[%c0, %c0, %c0] ND : !nv.frag<64x128xf32, C of m64k16>, !nv.smem<4x128x64xbf16, b128>, !nv.smem<4x64x128xbf16, b128>
        nv.wgmma.commit
        nv.wgmma.wait 1
      }
      nv.wgmma.wait 0
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

// Operands in registers too.

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %sa = nv.smem at 0 : !nv.smem<4x128x64xbf16, b128>
    %sb = nv.smem at 65536 : !nv.smem<4x64x128xbf16, b128>
    nv.role consumer threads 128 to 384 {
      %acc = nv.frag : !nv.frag<64x128xf32, C of m64k16>
      %a = nv.frag : !nv.frag<64x16xbf16, A of m64k16>
      nv.wgmma.fence
      // expected-note@+1 {{in flight from here}}
      nv.wgmma.mma_frag %acc, %a, %sb[%c0, %c0, %c0] ND : !nv.frag<64x128xf32, C of m64k16>, !nv.frag<64x16xbf16, A of m64k16>, !nv.smem<4x64x128xbf16, b128>
      nv.wgmma.commit
      // expected-error@+1 {{'nv.ldmatrix' accesses registers of a wgmma in flight}}
      nv.ldmatrix %sa[%c0, %c0, %c0] ND to %a : !nv.smem<4x128x64xbf16, b128>, !nv.frag<64x16xbf16, A of m64k16>
      nv.wgmma.wait 0
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

// The map of the next iteration writes registers that the previous iteration's wgmma reads.

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %sb = nv.smem at 65536 : !nv.smem<4x64x128xbf16, b128>
    nv.role consumer threads 128 to 384 {
      %acc = nv.frag : !nv.frag<64x128xf32, C of m64k16>
      %raw = nv.frag : !nv.frag<64x16xi8, A of m64k16>
      scf.for %i = %c0 to %c4 step %c1 {
        // expected-error@+1 {{'nv.map' accesses registers of a wgmma in flight}}
        %a = nv.map(%raw : !nv.frag<64x16xi8, A of m64k16>) [%c0, %c0] in [64, 64] dims [0, 1] guard [] tile [64, 16] addresses [] widths [] -> !nv.frag<64x16xbf16, A of m64k16> {
        ^bb0(%x: i8):
          %y = arith.sitofp %x : i8 to bf16
          nv.yield %y : bf16
        }
        nv.wgmma.fence
        // expected-note@+1 {{in flight from here}}
        nv.wgmma.mma_frag %acc, %a, %sb[%c0, %c0, %c0] ND : !nv.frag<64x128xf32, C of m64k16>, !nv.frag<64x16xbf16, A of m64k16>, !nv.smem<4x64x128xbf16, b128>
        nv.wgmma.commit
      }
      nv.wgmma.wait 0
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

// One branch has waited, the other has not.

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %sa = nv.smem at 0 : !nv.smem<4x128x64xbf16, b128>
    %sb = nv.smem at 65536 : !nv.smem<4x64x128xbf16, b128>
    nv.role consumer threads 128 to 384 {
      %acc = nv.frag : !nv.frag<64x128xf32, C of m64k16>
      %acc2 = nv.frag : !nv.frag<64x128xf32, C of m64k16>
      %p = arith.cmpi eq, %c0, %c0 : index
      nv.wgmma.fence
      // expected-note@+1 {{in flight from here}}
      nv.wgmma.mma %acc, %sa[%c0, %c0, %c0] ND, %sb[%c0, %c0, %c0] ND : !nv.frag<64x128xf32, C of m64k16>, !nv.smem<4x128x64xbf16, b128>, !nv.smem<4x64x128xbf16, b128>
      nv.wgmma.commit
      scf.if %p {
        nv.wgmma.wait 0
      }
      // expected-error@+1 {{'nv.promote' accesses registers of a wgmma in flight}}
      nv.promote %acc to %acc2 : !nv.frag<64x128xf32, C of m64k16>, !nv.frag<64x128xf32, C of m64k16>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

// In one branch the group is the last one.

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %sa = nv.smem at 0 : !nv.smem<4x128x64xbf16, b128>
    %sb = nv.smem at 65536 : !nv.smem<4x64x128xbf16, b128>
    nv.role consumer threads 128 to 384 {
      %acc = nv.frag : !nv.frag<64x128xf32, C of m64k16>
      %acc2 = nv.frag : !nv.frag<64x128xf32, C of m64k16>
      %p = arith.cmpi eq, %c0, %c0 : index
      nv.wgmma.fence
      // expected-note@+1 {{in flight from here}}
      nv.wgmma.mma %acc, %sa[%c0, %c0, %c0] ND, %sb[%c0, %c0, %c0] ND : !nv.frag<64x128xf32, C of m64k16>, !nv.smem<4x128x64xbf16, b128>, !nv.smem<4x64x128xbf16, b128>
      nv.wgmma.commit
      scf.if %p {
        nv.wgmma.commit
      }
      nv.wgmma.wait 1
      // expected-error@+1 {{'nv.promote' accesses registers of a wgmma in flight}}
      nv.promote %acc to %acc2 : !nv.frag<64x128xf32, C of m64k16>, !nv.frag<64x128xf32, C of m64k16>
      nv.wgmma.wait 0
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %sa = nv.smem at 0 : !nv.smem<4x128x64xbf16, b128>
    %sb = nv.smem at 65536 : !nv.smem<4x64x128xbf16, b128>
    nv.role consumer threads 128 to 384 {
      %acc = nv.frag : !nv.frag<64x128xf32, C of m64k16>
      %acc2 = nv.frag : !nv.frag<64x128xf32, C of m64k16>
      // expected-error@+1 {{'scf.for' keeps two accumulators in flight over its back edge: ptxas serializes their wgmmas (C7514, C7517)}}
      scf.for %i = %c0 to %c4 step %c1 {
        nv.wgmma.fence
        // expected-note@+1 {{in flight from here}}
        nv.wgmma.mma %acc, %sa[%c0, %c0, %c0] ND, %sb[%c0, %c0, %c0] ND : !nv.frag<64x128xf32, C of m64k16>, !nv.smem<4x128x64xbf16, b128>, !nv.smem<4x64x128xbf16, b128>
        nv.wgmma.commit
        nv.wgmma.fence
        // expected-note@+1 {{in flight from here}}
        nv.wgmma.mma %acc2, %sa[%c0, %c0, %c0] ND, %sb[%c0, %c0, %c0] ND : !nv.frag<64x128xf32, C of m64k16>, !nv.smem<4x128x64xbf16, b128>, !nv.smem<4x64x128xbf16, b128>
        nv.wgmma.commit
        nv.wgmma.wait 2
      }
      nv.wgmma.wait 0
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %sa = nv.smem at 0 : !nv.smem<4x128x64xbf16, b128>
    %sb = nv.smem at 65536 : !nv.smem<4x64x128xbf16, b128>
    nv.role consumer threads 128 to 384 {
      %acc = nv.frag : !nv.frag<64x128xf32, C of m64k16>
      nv.wgmma.fence
      // expected-error@+1 {{'nv.wgmma.mma' is not followed by nv.wgmma.wait before its role ends}}
      nv.wgmma.mma %acc, %sa[%c0, %c0, %c0] ND, %sb[%c0, %c0, %c0] ND : !nv.frag<64x128xf32, C of m64k16>, !nv.smem<4x128x64xbf16, b128>, !nv.smem<4x64x128xbf16, b128>
      nv.wgmma.commit
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %sa = nv.smem at 0 : !nv.smem<4x128x64xbf16, b128>
    %sb = nv.smem at 65536 : !nv.smem<4x64x128xbf16, b128>
    nv.role consumer threads 128 to 384 {
      %acc = nv.frag : !nv.frag<64x128xf32, C of m64k16>
      nv.wgmma.fence
      // expected-error@+1 {{'nv.wgmma.mma' is not followed by nv.wgmma.commit before its role ends}}
      nv.wgmma.mma %acc, %sa[%c0, %c0, %c0] ND, %sb[%c0, %c0, %c0] ND : !nv.frag<64x128xf32, C of m64k16>, !nv.smem<4x128x64xbf16, b128>, !nv.smem<4x64x128xbf16, b128>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    nv.role consumer threads 128 to 384 {
      %acc = nv.frag : !nv.frag<64x128xf32, C of m64k16>
      // expected-error@+1 {{'scf.for' takes or returns a fragment, which is storage: loops cannot carry it and conditionals cannot yield it}}
      %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%s = %acc) -> (!nv.frag<64x128xf32, C of m64k16>) {
        scf.yield %s : !nv.frag<64x128xf32, C of m64k16>
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

// What TMA stores.

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (!nv.tensor_map<64x64xbf16, b128>) -> (), kernel}> ({
  ^bb0(%mc: !nv.tensor_map<64x64xbf16, b128>):
    %c0 = arith.constant 0 : index
    %sc = nv.smem at 131072 : !nv.smem<2x64x64xbf16, b128>
    nv.role consumer threads 128 to 384 {
      %half = nv.frag : !nv.frag<64x128xbf16, C of m64k16>
      nv.stmatrix %half column 64 ND to %sc[%c0, %c0, %c0] : !nv.frag<64x128xbf16, C of m64k16>, !nv.smem<2x64x64xbf16, b128>
      nv.barrier 1 threads 128
      nv.single warpgroup {
        // expected-error@+1 {{'nv.tma_store' may read stale elements: put nv.fence_async, then nv.barrier after the stores that it reads}}
        nv.tma_store %sc[%c0, %c0, %c0] to %mc[%c0, %c0] : !nv.smem<2x64x64xbf16, b128>, !nv.tensor_map<64x64xbf16, b128>
        nv.bulk.commit
        nv.bulk.wait_read 0
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (!nv.tensor_map<64x64xbf16, b128>) -> (), kernel}> ({
  ^bb0(%mc: !nv.tensor_map<64x64xbf16, b128>):
    %c0 = arith.constant 0 : index
    %sc = nv.smem at 131072 : !nv.smem<2x64x64xbf16, b128>
    nv.role consumer threads 128 to 384 {
      %half = nv.frag : !nv.frag<64x128xbf16, C of m64k16>
      nv.stmatrix %half column 64 ND to %sc[%c0, %c0, %c0] : !nv.frag<64x128xbf16, C of m64k16>, !nv.smem<2x64x64xbf16, b128>
      nv.fence_async
      nv.single warpgroup {
        // expected-error@+1 {{'nv.tma_store' may read stale elements: put nv.barrier after the stores that it reads}}
        nv.tma_store %sc[%c0, %c0, %c0] to %mc[%c0, %c0] : !nv.smem<2x64x64xbf16, b128>, !nv.tensor_map<64x64xbf16, b128>
        nv.bulk.commit
        nv.bulk.wait_read 0
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (!nv.tensor_map<64x64xbf16, b128>) -> (), kernel}> ({
  ^bb0(%mc: !nv.tensor_map<64x64xbf16, b128>):
    %c0 = arith.constant 0 : index
    %sc = nv.smem at 131072 : !nv.smem<2x64x64xbf16, b128>
    nv.role consumer threads 128 to 384 {
      %half = nv.frag : !nv.frag<64x128xbf16, C of m64k16>
      nv.stmatrix %half column 64 ND to %sc[%c0, %c0, %c0] : !nv.frag<64x128xbf16, C of m64k16>, !nv.smem<2x64x64xbf16, b128>
      nv.fence_async
      nv.warp_sync
      nv.single warpgroup {
        // expected-error@+1 {{'nv.tma_store' may read stale elements: put nv.barrier after the stores that it reads}}
        nv.tma_store %sc[%c0, %c0, %c0] to %mc[%c0, %c0] : !nv.smem<2x64x64xbf16, b128>, !nv.tensor_map<64x64xbf16, b128>
        nv.bulk.commit
        nv.bulk.wait_read 0
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (!nv.tensor_map<64x64xbf16, b128>) -> (), kernel}> ({
  ^bb0(%mc: !nv.tensor_map<64x64xbf16, b128>):
    %c0 = arith.constant 0 : index
    %sc = nv.smem at 131072 : !nv.smem<2x64x64xbf16, b128>
    nv.role consumer threads 128 to 384 {
      %half = nv.frag : !nv.frag<64x128xbf16, C of m64k16>
      nv.stmatrix %half column 64 ND to %sc[%c0, %c0, %c0] : !nv.frag<64x128xbf16, C of m64k16>, !nv.smem<2x64x64xbf16, b128>
      nv.barrier 1 threads 128
      nv.fence_async
      nv.single warpgroup {
        // expected-error@+1 {{'nv.tma_store' may read stale elements: put nv.barrier after the stores that it reads}}
        nv.tma_store %sc[%c0, %c0, %c0] to %mc[%c0, %c0] : !nv.smem<2x64x64xbf16, b128>, !nv.tensor_map<64x64xbf16, b128>
        nv.bulk.commit
        nv.bulk.wait_read 0
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (!nv.tensor_map<64x64xbf16, b128>) -> (), kernel}> ({
  ^bb0(%mc: !nv.tensor_map<64x64xbf16, b128>):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %sc = nv.smem at 131072 : !nv.smem<2x64x64xbf16, b128>
    nv.role consumer threads 128 to 384 {
      %half = nv.frag : !nv.frag<64x128xbf16, C of m64k16>
      scf.for %i = %c0 to %c4 step %c1 {
        nv.stmatrix %half column 64 ND to %sc[%c0, %c0, %c0] : !nv.frag<64x128xbf16, C of m64k16>, !nv.smem<2x64x64xbf16, b128>
      }
      nv.barrier 1 threads 128
      nv.single warpgroup {
        // expected-error@+1 {{'nv.tma_store' may read stale elements: put nv.fence_async, then nv.barrier after the stores that it reads}}
        nv.tma_store %sc[%c0, %c0, %c0] to %mc[%c0, %c0] : !nv.smem<2x64x64xbf16, b128>, !nv.tensor_map<64x64xbf16, b128>
        nv.bulk.commit
        nv.bulk.wait_read 0
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (!nv.tensor_map<64x64xbf16, b128>) -> (), kernel}> ({
  ^bb0(%mc: !nv.tensor_map<64x64xbf16, b128>):
    %c0 = arith.constant 0 : index
    %sc = nv.smem at 131072 : !nv.smem<2x64x64xbf16, b128>
    nv.role consumer threads 128 to 384 {
      nv.single warpgroup {
        // expected-error@+1 {{'nv.tma_store' is in no group: put nv.bulk.commit after it}}
        nv.tma_store %sc[%c0, %c0, %c0] to %mc[%c0, %c0] : !nv.smem<2x64x64xbf16, b128>, !nv.tensor_map<64x64xbf16, b128>
        nv.bulk.wait_read 0
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (!nv.tensor_map<64x64xbf16, b128>) -> (), kernel}> ({
  ^bb0(%mc: !nv.tensor_map<64x64xbf16, b128>):
    %c0 = arith.constant 0 : index
    %sc = nv.smem at 131072 : !nv.smem<2x64x64xbf16, b128>
    nv.role consumer threads 128 to 384 {
      nv.single warpgroup {
        // expected-error@+1 {{'nv.tma_store' may read shared memory after the block has ended: end with nv.bulk.wait_read 0}}
        nv.tma_store %sc[%c0, %c0, %c0] to %mc[%c0, %c0] : !nv.smem<2x64x64xbf16, b128>, !nv.tensor_map<64x64xbf16, b128>
        nv.bulk.commit
        nv.bulk.wait_read 1
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (!nv.tensor_map<64x64xbf16, b128>) -> (), kernel}> ({
  ^bb0(%mc: !nv.tensor_map<64x64xbf16, b128>):
    %c0 = arith.constant 0 : index
    %sc = nv.smem at 131072 : !nv.smem<2x64x64xbf16, b128>
    nv.role consumer threads 128 to 384 {
      nv.single warpgroup {
        // expected-error@+1 {{'nv.tma_store' is in no group: put nv.bulk.commit after it, in the same nv.single}}
        nv.tma_store %sc[%c0, %c0, %c0] to %mc[%c0, %c0] : !nv.smem<2x64x64xbf16, b128>, !nv.tensor_map<64x64xbf16, b128>
      }
      nv.single warpgroup {
        nv.tma_store %sc[%c0, %c0, %c0] to %mc[%c0, %c0] : !nv.smem<2x64x64xbf16, b128>, !nv.tensor_map<64x64xbf16, b128>
        nv.bulk.commit
        nv.bulk.wait_read 0
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (!nv.tensor_map<64x64xbf16, b128>) -> (), kernel}> ({
  ^bb0(%mc: !nv.tensor_map<64x64xbf16, b128>):
    %c0 = arith.constant 0 : index
    %sc = nv.smem at 131072 : !nv.smem<2x64x64xbf16, b128>
    nv.role consumer threads 128 to 384 {
      %half = nv.frag : !nv.frag<64x128xbf16, C of m64k16>
      nv.single warpgroup {
        nv.tma_store %sc[%c0, %c0, %c0] to %mc[%c0, %c0] : !nv.smem<2x64x64xbf16, b128>, !nv.tensor_map<64x64xbf16, b128>
        nv.bulk.commit
      }
      // expected-error@+1 {{'nv.stmatrix' overwrites what TMA may still read: put nv.bulk.wait_read, then nv.barrier before it}}
      nv.stmatrix %half column 64 ND to %sc[%c0, %c0, %c0] : !nv.frag<64x128xbf16, C of m64k16>, !nv.smem<2x64x64xbf16, b128>
      nv.single warpgroup {
        nv.bulk.wait_read 0
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (!nv.tensor_map<64x64xbf16, b128>) -> (), kernel}> ({
  ^bb0(%mc: !nv.tensor_map<64x64xbf16, b128>):
    %c0 = arith.constant 0 : index
    %sc = nv.smem at 131072 : !nv.smem<2x64x64xbf16, b128>
    nv.role consumer threads 128 to 384 {
      %half = nv.frag : !nv.frag<64x128xbf16, C of m64k16>
      nv.single warpgroup {
        nv.tma_store %sc[%c0, %c0, %c0] to %mc[%c0, %c0] : !nv.smem<2x64x64xbf16, b128>, !nv.tensor_map<64x64xbf16, b128>
        nv.bulk.commit
      }
      nv.single warpgroup {
        nv.bulk.wait_read 0
      }
      // expected-error@+1 {{'nv.stmatrix' overwrites what TMA may still read: put nv.barrier before it}}
      nv.stmatrix %half column 64 ND to %sc[%c0, %c0, %c0] : !nv.frag<64x128xbf16, C of m64k16>, !nv.smem<2x64x64xbf16, b128>
      nv.single warpgroup {
        nv.bulk.wait_read 0
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

// The second time around.

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (!nv.tensor_map<64x64xbf16, b128>) -> (), kernel}> ({
  ^bb0(%mc: !nv.tensor_map<64x64xbf16, b128>):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %sc = nv.smem at 131072 : !nv.smem<2x64x64xbf16, b128>
    nv.role consumer threads 128 to 384 {
      %half = nv.frag : !nv.frag<64x128xbf16, C of m64k16>
      scf.for %i = %c0 to %c4 step %c1 {
        nv.single warpgroup {
          nv.bulk.wait_read 0
        }
        // expected-error@+1 {{'nv.stmatrix' overwrites what TMA may still read: put nv.barrier before it}}
        nv.stmatrix %half column 64 ND to %sc[%c0, %c0, %c0] : !nv.frag<64x128xbf16, C of m64k16>, !nv.smem<2x64x64xbf16, b128>
        nv.fence_async
        nv.barrier 1 threads 128
        nv.single warpgroup {
          nv.tma_store %sc[%c0, %c0, %c0] to %mc[%c0, %c0] : !nv.smem<2x64x64xbf16, b128>, !nv.tensor_map<64x64xbf16, b128>
          nv.bulk.commit
        }
      }
      nv.single warpgroup {
        nv.bulk.wait_read 0
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<64x64xbf16>) -> (), kernel}> ({
  ^bb0(%gb: memref<64x64xbf16>):
    %c0 = arith.constant 0 : index
    %sc = nv.smem at 131072 : !nv.smem<2x64x64xbf16, b128>
    %full = nv.mbarrier at 246784 : !nv.mbarrier<4>
    nv.role consumer threads 128 to 384 {
      nv.cp_async %gb[%c0, %c0] to %sc[%c0] address <"{ [i0, i1] -> [(64i0 + i1)] }"> in [64, 64] dims [0, 1] guard [] bytes 16 : memref<64x64xbf16>, !nv.smem<2x64x64xbf16, b128>
      // expected-error@+1 {{'nv.mbarrier.arrive' lets wgmma read stale elements: put nv.fence_async before it}}
      nv.mbarrier.arrive %full[%c0] : !nv.mbarrier<4>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

// One fence for each arrival.

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<64x64xbf16>) -> (), kernel}> ({
  ^bb0(%gb: memref<64x64xbf16>):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %sc = nv.smem at 131072 : !nv.smem<2x64x64xbf16, b128>
    %full = nv.mbarrier at 246784 : !nv.mbarrier<4>
    nv.role consumer threads 128 to 384 {
      nv.cp_async %gb[%c0, %c0] to %sc[%c0] address <"{ [i0, i1] -> [(64i0 + i1)] }"> in [64, 64] dims [0, 1] guard [] bytes 16 : memref<64x64xbf16>, !nv.smem<2x64x64xbf16, b128>
      nv.fence_async
      nv.mbarrier.arrive %full[%c0] : !nv.mbarrier<4>
      nv.cp_async %gb[%c0, %c0] to %sc[%c0] address <"{ [i0, i1] -> [(64i0 + i1)] }"> in [64, 64] dims [0, 1] guard [] bytes 16 : memref<64x64xbf16>, !nv.smem<2x64x64xbf16, b128>
      // expected-error@+1 {{'nv.mbarrier.arrive' lets wgmma read stale elements: put nv.fence_async before it}}
      nv.mbarrier.arrive %full[%c1] : !nv.mbarrier<4>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

// Copies of the turn before.

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<64x64xbf16>) -> (), kernel}> ({
  ^bb0(%gb: memref<64x64xbf16>):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %sc = nv.smem at 131072 : !nv.smem<2x64x64xbf16, b128>
    %full = nv.mbarrier at 246784 : !nv.mbarrier<4>
    nv.role consumer threads 128 to 384 {
      scf.for %i = %c0 to %c4 step %c1 {
        // expected-error@+1 {{'nv.mbarrier.arrive' lets wgmma read stale elements: put nv.fence_async before it}}
        nv.mbarrier.arrive %full[%i] : !nv.mbarrier<4>
        nv.cp_async %gb[%c0, %c0] to %sc[%c0] address <"{ [i0, i1] -> [(64i0 + i1)] }"> in [64, 64] dims [0, 1] guard [] bytes 16 : memref<64x64xbf16>, !nv.smem<2x64x64xbf16, b128>
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

// What wgmma reads that threads have stored.

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %sa = nv.smem at 0 : !nv.smem<4x128x64xbf16, b128>
    %sb = nv.smem at 65536 : !nv.smem<4x64x128xbf16, b128>
    nv.role consumer threads 128 to 384 {
      %acc = nv.frag : !nv.frag<64x128xf32, C of m64k16>
      %x = nv.frag : !nv.frag<64x16xbf16, A of m64k16>
      nv.store_operand %sa[%c0, %c0, %c0] ND from %x : !nv.smem<4x128x64xbf16, b128>, !nv.frag<64x16xbf16, A of m64k16>
      nv.barrier 1 threads 128
      nv.wgmma.fence
      // expected-error@+1 {{'nv.wgmma.mma' may read stale elements: put nv.fence_async, then nv.barrier after the stores that it reads}}
      nv.wgmma.mma %acc, %sa[%c0, %c0, %c0] ND, %sb[%c0, %c0, %c0] ND : !nv.frag<64x128xf32, C of m64k16>, !nv.smem<4x128x64xbf16, b128>, !nv.smem<4x64x128xbf16, b128>
      nv.wgmma.commit
      nv.wgmma.wait 0
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %sa = nv.smem at 0 : !nv.smem<4x128x64xbf16, b128>
    %sb = nv.smem at 65536 : !nv.smem<4x64x128xbf16, b128>
    nv.role consumer threads 128 to 384 {
      %acc = nv.frag : !nv.frag<64x128xf32, C of m64k16>
      %x = nv.frag : !nv.frag<64x16xbf16, A of m64k16>
      nv.store_operand %sa[%c0, %c0, %c0] ND from %x : !nv.smem<4x128x64xbf16, b128>, !nv.frag<64x16xbf16, A of m64k16>
      nv.fence_async
      nv.wgmma.fence
      // expected-error@+1 {{'nv.wgmma.mma' may read stale elements: put nv.barrier after the stores that it reads}}
      nv.wgmma.mma %acc, %sa[%c0, %c0, %c0] ND, %sb[%c0, %c0, %c0] ND : !nv.frag<64x128xf32, C of m64k16>, !nv.smem<4x128x64xbf16, b128>, !nv.smem<4x64x128xbf16, b128>
      nv.wgmma.commit
      nv.wgmma.wait 0
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

// In order.
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %sa = nv.smem at 0 : !nv.smem<4x128x64xbf16, b128>
    %sb = nv.smem at 65536 : !nv.smem<4x64x128xbf16, b128>
    nv.role consumer threads 128 to 384 {
      %acc = nv.frag : !nv.frag<64x128xf32, C of m64k16>
      %x = nv.frag : !nv.frag<64x16xbf16, A of m64k16>
      nv.store_operand %sa[%c0, %c0, %c0] ND from %x : !nv.smem<4x128x64xbf16, b128>, !nv.frag<64x16xbf16, A of m64k16>
      nv.fence_async
      nv.barrier 1 threads 128
      nv.wgmma.fence
      nv.wgmma.mma %acc, %sa[%c0, %c0, %c0] ND, %sb[%c0, %c0, %c0] ND : !nv.frag<64x128xf32, C of m64k16>, !nv.smem<4x128x64xbf16, b128>, !nv.smem<4x64x128xbf16, b128>
      nv.wgmma.commit
      nv.wgmma.wait 0
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %sa = nv.smem at 0 : !nv.smem<4x128x64xbf16, b128>
    nv.role consumer threads 128 to 384 {
      %acc = nv.frag : !nv.frag<64x128xf32, C of m64k16>
      %x = nv.frag : !nv.frag<64x16xbf16, A of m64k16>
      nv.store_operand %sa[%c0, %c0, %c0] ND from %x : !nv.smem<4x128x64xbf16, b128>, !nv.frag<64x16xbf16, A of m64k16>
      nv.barrier 1 threads 128
      nv.wgmma.fence
      // expected-error@+1 {{'nv.wgmma.mma_frag' may read stale elements: put nv.fence_async, then nv.barrier after the stores that it reads}}
      nv.wgmma.mma_frag %acc, %x, %sa[%c0, %c0, %c0] DN : !nv.frag<64x128xf32, C of m64k16>, !nv.frag<64x16xbf16, A of m64k16>, !nv.smem<4x128x64xbf16, b128>
      nv.wgmma.commit
      nv.wgmma.wait 0
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()
