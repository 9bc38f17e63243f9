// RUN: ptir-opt %s --split-input-file --verify-diagnostics

// One case for each rule of SM90: the order of a kernel, arrivals and bytes.

// The order of a kernel.

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %full = nv.mbarrier at 246784 : !nv.mbarrier<4>
    nv.role consumer threads 128 to 384 {
      // expected-error@+1 {{'nv.mbarrier.wait' uses mbarriers that no nv.mbarrier.init initializes}}
      nv.mbarrier.wait %full[%c0] parity %c0 : !nv.mbarrier<4>
      nv.mbarrier.arrive %full[%c1] : !nv.mbarrier<4>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %full = nv.mbarrier at 246784 : !nv.mbarrier<4>
    nv.role producer threads 0 to 128 {
      nv.fence_async
    }
    nv.single block {
      // expected-error@+1 {{'nv.mbarrier.init' is too late: mbarriers are initialized before the roles}}
      nv.mbarrier.init %full arrivals 256 : !nv.mbarrier<4>
      nv.mbarrier.init_fence
    }
    "gpu.barrier"() : () -> ()
    nv.role consumer threads 128 to 384 {
      nv.mbarrier.wait %full[%c0] parity %c0 : !nv.mbarrier<4>
      nv.mbarrier.arrive %full[%c1] : !nv.mbarrier<4>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %full = nv.mbarrier at 246784 : !nv.mbarrier<4>
    nv.role consumer threads 128 to 384 {
      nv.single role {
        // expected-error@+1 {{'nv.mbarrier.init' is too late: mbarriers are initialized before the roles}}
        nv.mbarrier.init %full arrivals 1 : !nv.mbarrier<4>
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %full = nv.mbarrier at 246784 : !nv.mbarrier<4>
    nv.single block {
      // expected-note@+1 {{first initialized here}}
      nv.mbarrier.init %full arrivals 256 : !nv.mbarrier<4>
      nv.mbarrier.init_fence
    }
    "gpu.barrier"() : () -> ()
    nv.single block {
      // expected-error@+1 {{'nv.mbarrier.init' initializes these mbarriers again}}
      nv.mbarrier.init %full arrivals 256 : !nv.mbarrier<4>
      nv.mbarrier.init_fence
    }
    "gpu.barrier"() : () -> ()
    nv.role consumer threads 128 to 384 {
      nv.mbarrier.wait %full[%c0] parity %c0 : !nv.mbarrier<4>
      nv.mbarrier.arrive %full[%c1] : !nv.mbarrier<4>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %full = nv.mbarrier at 246784 : !nv.mbarrier<4>
    nv.single block {
      // expected-error@+1 {{'nv.mbarrier.init' needs nv.mbarrier.init_fence after it}}
      nv.mbarrier.init %full arrivals 256 : !nv.mbarrier<4>
    }
    "gpu.barrier"() : () -> ()
    nv.role consumer threads 128 to 384 {
      nv.mbarrier.wait %full[%c0] parity %c0 : !nv.mbarrier<4>
      nv.mbarrier.arrive %full[%c1] : !nv.mbarrier<4>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %full = nv.mbarrier at 246784 : !nv.mbarrier<4>
    nv.single block {
      // expected-error@+1 {{'nv.mbarrier.init' needs gpu.barrier after its fence}}
      nv.mbarrier.init %full arrivals 256 : !nv.mbarrier<4>
      nv.mbarrier.init_fence
    }
    nv.role consumer threads 128 to 384 {
      nv.mbarrier.wait %full[%c0] parity %c0 : !nv.mbarrier<4>
      nv.mbarrier.arrive %full[%c1] : !nv.mbarrier<4>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %full = nv.mbarrier at 246784 : !nv.mbarrier<4>
    nv.single block {
      // expected-error@+1 {{'nv.mbarrier.init' needs nv.cluster.sync after its fence}}
      nv.mbarrier.init %full arrivals 256 : !nv.mbarrier<4>
      nv.mbarrier.init_fence
    }
    "gpu.barrier"() : () -> ()
    nv.role consumer threads 128 to 384 {
      nv.mbarrier.wait %full[%c0] parity %c0 : !nv.mbarrier<4>
      nv.mbarrier.arrive %full[%c1] : !nv.mbarrier<4>
    }
    nv.cluster.sync
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>, "nv.cluster" = array<i64: 2, 1, 1>} : () -> ()
}) : () -> ()

// -----

// The barrier comes before the fence.

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %full = nv.mbarrier at 246784 : !nv.mbarrier<4>
    nv.single block {
      // expected-error@+1 {{'nv.mbarrier.init' needs gpu.barrier after its fence}}
      nv.mbarrier.init %full arrivals 256 : !nv.mbarrier<4>
    }
    "gpu.barrier"() : () -> ()
    nv.single block {
      nv.mbarrier.init_fence
    }
    nv.role consumer threads 128 to 384 {
      nv.mbarrier.wait %full[%c0] parity %c0 : !nv.mbarrier<4>
      nv.mbarrier.arrive %full[%c1] : !nv.mbarrier<4>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %full = nv.mbarrier at 246784 : !nv.mbarrier<4>
    nv.single block {
      // expected-error@+1 {{'nv.mbarrier.init' needs nv.cluster.sync after its fence}}
      nv.mbarrier.init %full arrivals 256 : !nv.mbarrier<4>
    }
    nv.cluster.sync
    nv.single block {
      nv.mbarrier.init_fence
    }
    nv.role consumer threads 128 to 384 {
      nv.mbarrier.wait %full[%c0] parity %c0 : !nv.mbarrier<4>
      nv.mbarrier.arrive %full[%c1] : !nv.mbarrier<4>
    }
    nv.cluster.sync
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>, "nv.cluster" = array<i64: 2, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    // expected-error@+1 {{'nv.role' ends the kernel while other blocks of the cluster may still write to this block's shared memory}}
    nv.role consumer threads 128 to 384 {
      nv.fence_async
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>, "nv.cluster" = array<i64: 2, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    nv.role consumer threads 128 to 384 {
      nv.fence_async
    }
    nv.cluster.sync
    // expected-error@+1 {{'nv.mbarrier' ends the kernel while other blocks of the cluster may still write to this block's shared memory}}
    %f = nv.mbarrier at 0 : !nv.mbarrier<4>
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>, "nv.cluster" = array<i64: 2, 1, 1>} : () -> ()
}) : () -> ()

// -----

// Arrivals and bytes.

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %full = nv.mbarrier at 246784 : !nv.mbarrier<4>
    nv.single block {
      // expected-note@+1 {{initialized here}}
      nv.mbarrier.init %full arrivals 256 : !nv.mbarrier<4>
      nv.mbarrier.init_fence
    }
    "gpu.barrier"() : () -> ()
    nv.role consumer threads 128 to 384 {
      // expected-error@+1 {{'nv.mbarrier.wait' waits on an mbarrier that no op arrives on}}
      nv.mbarrier.wait %full[%c0] parity %c0 : !nv.mbarrier<4>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %full = nv.mbarrier at 246784 : !nv.mbarrier<4>
    nv.single block {
      // expected-error@+1 {{'arrivals' is 128, but each phase gets 256}}
      nv.mbarrier.init %full arrivals 128 : !nv.mbarrier<4>
      nv.mbarrier.init_fence
    }
    "gpu.barrier"() : () -> ()
    nv.role consumer threads 128 to 384 {
      nv.mbarrier.wait %full[%c0] parity %c0 : !nv.mbarrier<4>
      nv.mbarrier.arrive %full[%c1] : !nv.mbarrier<4>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %full = nv.mbarrier at 246784 : !nv.mbarrier<4>
    nv.single block {
      // expected-error@+1 {{'arrivals' is 256, but each phase gets 2}}
      nv.mbarrier.init %full arrivals 256 : !nv.mbarrier<4>
      nv.mbarrier.init_fence
    }
    "gpu.barrier"() : () -> ()
    nv.role consumer threads 128 to 384 {
      nv.mbarrier.wait %full[%c0] parity %c0 : !nv.mbarrier<4>
      nv.single warpgroup {
        nv.mbarrier.arrive %full[%c1] : !nv.mbarrier<4>
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %full = nv.mbarrier at 246784 : !nv.mbarrier<4>
    nv.single block {
      // expected-error@+1 {{'arrivals' is 2, but each phase gets 1}}
      nv.mbarrier.init %full arrivals 2 : !nv.mbarrier<4>
      nv.mbarrier.init_fence
    }
    "gpu.barrier"() : () -> ()
    nv.role consumer threads 128 to 384 {
      nv.mbarrier.wait %full[%c0] parity %c0 : !nv.mbarrier<4>
      nv.single role {
        nv.mbarrier.arrive %full[%c1] : !nv.mbarrier<4>
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %full = nv.mbarrier at 246784 : !nv.mbarrier<4>
    nv.single block {
      // expected-error@+1 {{'arrivals' is 3, but each phase gets 1 + 1}}
      nv.mbarrier.init %full arrivals 3 : !nv.mbarrier<4>
      nv.mbarrier.init_fence
    }
    "gpu.barrier"() : () -> ()
    nv.role producer threads 0 to 128 {
      nv.single role {
        nv.mbarrier.arrive %full[%c0] : !nv.mbarrier<4>
      }
    }
    nv.role consumer threads 128 to 384 {
      nv.mbarrier.wait %full[%c0] parity %c0 : !nv.mbarrier<4>
      nv.single role {
        nv.mbarrier.arrive %full[%c1] : !nv.mbarrier<4>
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

// Once for each slot of a loop.

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %full = nv.mbarrier at 246784 : !nv.mbarrier<4>
    nv.single block {
      // expected-error@+1 {{'arrivals' is 1, but each phase gets 2}}
      nv.mbarrier.init %full arrivals 1 : !nv.mbarrier<4>
      nv.mbarrier.init_fence
    }
    "gpu.barrier"() : () -> ()
    nv.role consumer threads 128 to 384 {
      scf.for %i = %c0 to %c4 step %c1 {
        nv.mbarrier.wait %full[%i] parity %c0 : !nv.mbarrier<4>
        nv.single warpgroup {
          nv.mbarrier.arrive %full[%i] : !nv.mbarrier<4>
        }
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

// From all blocks, to all blocks.

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %full = nv.mbarrier at 246784 : !nv.mbarrier<4>
    nv.single block {
      // expected-error@+1 {{'arrivals' is 2, but each phase gets 4}}
      nv.mbarrier.init %full arrivals 2 : !nv.mbarrier<4>
      nv.mbarrier.init_fence
    }
    nv.cluster.sync
    nv.role consumer threads 128 to 384 {
      scf.for %i = %c0 to %c4 step %c1 {
        nv.mbarrier.wait %full[%i] parity %c0 : !nv.mbarrier<4>
        nv.single warpgroup {
          scf.for %b = %c0 to %c2 step %c1 {
            nv.mbarrier.arrive %full[%i] at %b : !nv.mbarrier<4>
          }
        }
      }
    }
    nv.cluster.sync
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>, "nv.cluster" = array<i64: 2, 1, 1>} : () -> ()
}) : () -> ()

// -----

// To itself and to its neighbour.

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %full = nv.mbarrier at 246784 : !nv.mbarrier<4>
    nv.single block {
      // expected-error@+1 {{'arrivals' is 2, but each phase gets 4}}
      nv.mbarrier.init %full arrivals 2 : !nv.mbarrier<4>
      nv.mbarrier.init_fence
    }
    nv.cluster.sync
    nv.role consumer threads 128 to 384 {
      %r = nv.cluster.rank
      %s = arith.addi %r, %c1 : index
      %o = arith.remui %s, %c2 : index
      nv.mbarrier.wait %full[%c0] parity %c0 : !nv.mbarrier<4>
      nv.single warpgroup {
        nv.mbarrier.arrive %full[%c1] at %r : !nv.mbarrier<4>
        nv.mbarrier.arrive %full[%c1] at %o : !nv.mbarrier<4>
      }
    }
    nv.cluster.sync
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>, "nv.cluster" = array<i64: 2, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %full = nv.mbarrier at 246784 : !nv.mbarrier<4>
    nv.single block {
      // expected-error@+1 {{'arrivals' is 1, but each phase gets 1 + 256}}
      nv.mbarrier.init %full arrivals 1 : !nv.mbarrier<4>
      nv.mbarrier.init_fence
    }
    "gpu.barrier"() : () -> ()
    nv.role producer threads 0 to 128 {
      nv.single role {
        nv.mbarrier.arrive %full[%c0] : !nv.mbarrier<4>
      }
    }
    nv.role consumer threads 128 to 384 {
      nv.mbarrier.wait %full[%c0] parity %c0 : !nv.mbarrier<4>
      nv.mbarrier.arrive %full[%c1] : !nv.mbarrier<4>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (!nv.tensor_map<128x64xbf16, b128>) -> (), kernel}> ({
  ^bb0(%ma: !nv.tensor_map<128x64xbf16, b128>):
    %c0 = arith.constant 0 : index
    %sa = nv.smem at 0 : !nv.smem<4x128x64xbf16, b128>
    %full = nv.mbarrier at 246784 : !nv.mbarrier<4>
    nv.single block {
      nv.mbarrier.init %full arrivals 1 : !nv.mbarrier<4>
      nv.mbarrier.init_fence
    }
    "gpu.barrier"() : () -> ()
    nv.role producer threads 0 to 128 {
      nv.single role {
        // expected-error@+1 {{'bytes' is 16384, but the loads that signal this slot bring 32768}}
        nv.mbarrier.expect_tx %full[%c0] bytes 16384 : !nv.mbarrier<4>
        nv.tma_load %ma[%c0, %c0] to %sa[%c0, %c0, %c0] signal %full[%c0] : !nv.tensor_map<128x64xbf16, b128>, !nv.smem<4x128x64xbf16, b128>, !nv.mbarrier<4>
        nv.tma_load %ma[%c0, %c0] to %sa[%c0, %c0, %c0] signal %full[%c0] : !nv.tensor_map<128x64xbf16, b128>, !nv.smem<4x128x64xbf16, b128>, !nv.mbarrier<4>
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (!nv.tensor_map<128x64xbf16, b128>) -> (), kernel}> ({
  ^bb0(%ma: !nv.tensor_map<128x64xbf16, b128>):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %sa = nv.smem at 0 : !nv.smem<4x128x64xbf16, b128>
    %full = nv.mbarrier at 246784 : !nv.mbarrier<4>
    nv.single block {
      nv.mbarrier.init %full arrivals 1 : !nv.mbarrier<4>
      nv.mbarrier.init_fence
    }
    "gpu.barrier"() : () -> ()
    nv.role producer threads 0 to 128 {
      nv.single role {
        nv.mbarrier.expect_tx %full[%c1] bytes 16384 : !nv.mbarrier<4>
        // expected-error@+1 {{'bytes' is 32768, but the loads that signal this slot bring 16384}}
        nv.mbarrier.expect_tx %full[%c0] bytes 32768 : !nv.mbarrier<4>
        nv.tma_load %ma[%c0, %c0] to %sa[%c1, %c0, %c0] signal %full[%c1] : !nv.tensor_map<128x64xbf16, b128>, !nv.smem<4x128x64xbf16, b128>, !nv.mbarrier<4>
        nv.tma_load %ma[%c0, %c0] to %sa[%c0, %c0, %c0] signal %full[%c0] : !nv.tensor_map<128x64xbf16, b128>, !nv.smem<4x128x64xbf16, b128>, !nv.mbarrier<4>
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %full = nv.mbarrier at 246784 : !nv.mbarrier<4>
    nv.single block {
      nv.mbarrier.init %full arrivals 1 : !nv.mbarrier<4>
      nv.mbarrier.init_fence
    }
    "gpu.barrier"() : () -> ()
    nv.role producer threads 0 to 128 {
      nv.single role {
        // expected-error@+1 {{'bytes' is 16384, but the loads that signal this slot bring 0}}
        nv.mbarrier.expect_tx %full[%c0] bytes 16384 : !nv.mbarrier<4>
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (!nv.tensor_map<128x64xbf16, b128>) -> (), kernel}> ({
  ^bb0(%ma: !nv.tensor_map<128x64xbf16, b128>):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %sa = nv.smem at 0 : !nv.smem<4x128x64xbf16, b128>
    %full = nv.mbarrier at 246784 : !nv.mbarrier<4>
    nv.single block {
      nv.mbarrier.init %full arrivals 1 : !nv.mbarrier<4>
      nv.mbarrier.init_fence
    }
    "gpu.barrier"() : () -> ()
    nv.role producer threads 0 to 128 {
      nv.single role {
        // expected-error@+1 {{'bytes' is 16384, but the loads that signal this slot bring 49152}}
        nv.mbarrier.expect_tx %full[%c0] bytes 16384 : !nv.mbarrier<4>
        scf.for %i = %c0 to %c3 step %c1 {
          nv.tma_load %ma[%c0, %c0] to %sa[%c0, %c0, %c0] signal %full[%c0] : !nv.tensor_map<128x64xbf16, b128>, !nv.smem<4x128x64xbf16, b128>, !nv.mbarrier<4>
        }
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

// Both blocks send to both.

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (!nv.tensor_map<128x64xbf16, b128>) -> (), kernel}> ({
  ^bb0(%ma: !nv.tensor_map<128x64xbf16, b128>):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %sa = nv.smem at 0 : !nv.smem<4x128x64xbf16, b128>
    %full = nv.mbarrier at 246784 : !nv.mbarrier<4>
    nv.single block {
      nv.mbarrier.init %full arrivals 1 : !nv.mbarrier<4>
      nv.mbarrier.init_fence
    }
    nv.cluster.sync
    nv.role producer threads 0 to 128 {
      nv.single role {
        scf.for %i = %c0 to %c4 step %c1 {
          // expected-error@+1 {{'bytes' is 16384, but the loads that signal this slot bring 32768}}
          nv.mbarrier.expect_tx %full[%i] bytes 16384 : !nv.mbarrier<4>
          nv.tma_load %ma[%c0, %c0] to %sa[%i, %c0, %c0] signal %full[%i] multicast %c3 : !nv.tensor_map<128x64xbf16, b128>, !nv.smem<4x128x64xbf16, b128>, !nv.mbarrier<4>
        }
      }
    }
    nv.cluster.sync
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>, "nv.cluster" = array<i64: 2, 1, 1>} : () -> ()
}) : () -> ()

// -----

// One block sends to both.

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (!nv.tensor_map<128x64xbf16, b128>) -> (), kernel}> ({
  ^bb0(%ma: !nv.tensor_map<128x64xbf16, b128>):
    %c0 = arith.constant 0 : index
    %c3 = arith.constant 3 : index
    %sa = nv.smem at 0 : !nv.smem<4x128x64xbf16, b128>
    %full = nv.mbarrier at 246784 : !nv.mbarrier<4>
    nv.single block {
      nv.mbarrier.init %full arrivals 1 : !nv.mbarrier<4>
      nv.mbarrier.init_fence
    }
    nv.cluster.sync
    nv.role producer threads 0 to 128 {
      nv.single role {
        %r = nv.cluster.rank
        %p = arith.cmpi eq, %r, %c0 : index
        // expected-error@+1 {{'bytes' is 32768, but the loads that signal this slot bring 16384}}
        nv.mbarrier.expect_tx %full[%c0] bytes 32768 : !nv.mbarrier<4>
        scf.if %p {
          nv.tma_load %ma[%c0, %c0] to %sa[%c0, %c0, %c0] signal %full[%c0] multicast %c3 : !nv.tensor_map<128x64xbf16, b128>, !nv.smem<4x128x64xbf16, b128>, !nv.mbarrier<4>
        }
      }
    }
    nv.cluster.sync
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>, "nv.cluster" = array<i64: 2, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (!nv.tensor_map<128x64xbf16, b128>) -> (), kernel}> ({
  ^bb0(%ma: !nv.tensor_map<128x64xbf16, b128>):
    %c0 = arith.constant 0 : index
    %sa = nv.smem at 0 : !nv.smem<4x128x64xbf16, b128>
    %full = nv.mbarrier at 246784 : !nv.mbarrier<4>
    nv.single block {
      nv.mbarrier.init %full arrivals 1 : !nv.mbarrier<4>
      nv.mbarrier.init_fence
    }
    "gpu.barrier"() : () -> ()
    nv.role producer threads 0 to 128 {
      nv.single role {
        nv.mbarrier.arrive %full[%c0] : !nv.mbarrier<4>
        // expected-error@+1 {{'nv.tma_load' signals an mbarrier that has no nv.mbarrier.expect_tx}}
        nv.tma_load %ma[%c0, %c0] to %sa[%c0, %c0, %c0] signal %full[%c0] : !nv.tensor_map<128x64xbf16, b128>, !nv.smem<4x128x64xbf16, b128>, !nv.mbarrier<4>
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

// One block sends to itself, and the other waits.

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (!nv.tensor_map<128x64xbf16, b128>) -> (), kernel}> ({
  ^bb0(%ma: !nv.tensor_map<128x64xbf16, b128>):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %sa = nv.smem at 0 : !nv.smem<4x128x64xbf16, b128>
    %full = nv.mbarrier at 246784 : !nv.mbarrier<4>
    nv.single block {
      nv.mbarrier.init %full arrivals 1 : !nv.mbarrier<4>
      nv.mbarrier.init_fence
    }
    nv.cluster.sync
    nv.role producer threads 0 to 128 {
      nv.single role {
        %r = nv.cluster.rank
        %p = arith.cmpi eq, %r, %c0 : index
        // expected-error@+1 {{'bytes' is 16384, but the loads that signal this slot bring 0}}
        nv.mbarrier.expect_tx %full[%c0] bytes 16384 : !nv.mbarrier<4>
        scf.if %p {
          nv.tma_load %ma[%c0, %c0] to %sa[%c0, %c0, %c0] signal %full[%c0] multicast %c1 : !nv.tensor_map<128x64xbf16, b128>, !nv.smem<4x128x64xbf16, b128>, !nv.mbarrier<4>
        }
      }
    }
    nv.cluster.sync
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>, "nv.cluster" = array<i64: 2, 1, 1>} : () -> ()
}) : () -> ()
