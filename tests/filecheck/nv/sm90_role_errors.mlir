// RUN: ptir-opt %s --split-input-file --verify-diagnostics

// One case for each rule of SM90: roles, registers, barriers, mbarriers.

// Roles.

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    // expected-error@+1 {{'label' is ''}}
    "nv.role"() <{label = "", first = 0 : i64, end = 128 : i64}> ({
      nv.fence_async
    }) : () -> ()
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    // expected-error@+1 {{'threads' is 0 to 96}}
    nv.role a threads 0 to 96 {
      nv.fence_async
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    // expected-error@+1 {{'threads' is 64 to 192}}
    nv.role a threads 64 to 192 {
      nv.fence_async
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    // expected-error@+1 {{'threads' is 128 to 128}}
    nv.role a threads 128 to 128 {
      nv.fence_async
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    // expected-error@+1 {{'threads' is 256 to 512}}
    nv.role a threads 256 to 512 {
      nv.fence_async
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    // expected-error@+1 {{'threads' is 0 to 128}}
    nv.role a threads 0 to 128 {
      nv.fence_async
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 128, 2, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    nv.role a threads 0 to 128 {
      // expected-error@+1 {{'nv.role' belongs in the kernel's top-level block, which all threads execute}}
      nv.role b threads 0 to 128 {
        nv.fence_async
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    // expected-note@+1 {{the other role}}
    nv.role a threads 0 to 256 {
      nv.fence_async
    }
    // expected-error@+1 {{'nv.role' shares threads with another role}}
    nv.role b threads 128 to 384 {
      nv.fence_async
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    nv.role consumer threads 128 to 384 {
      // expected-error@+1 {{'who' is 'lane'}}
      nv.single lane {
        nv.fence_async
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    nv.role consumer threads 128 to 384 {
      // expected-note@+1 {{this region is executed by a single thread}}
      nv.single warpgroup {
        // expected-error@+1 {{'nv.single' is nested in another nv.single}}
        nv.single role {
          nv.fence_async
        }
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    nv.role consumer threads 128 to 384 {
      // expected-error@+1 {{'nv.single' selects one thread of the block outside roles only}}
      nv.single block {
        nv.fence_async
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    // expected-error@+1 {{'nv.single' selects one thread of the warpgroup inside a role only}}
    nv.single warpgroup {
      nv.fence_async
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    // expected-error@+1 {{'nv.warpgroup' numbers the warpgroups of a role}}
    %w = nv.warpgroup
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    // expected-error@+1 {{'nv.warp' numbers the warps of a warpgroup: it belongs inside nv.role}}
    %w = nv.warp
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    nv.role consumer threads 128 to 384 {
      // expected-error@+1 {{'nv.cluster.sync' must be reached by all threads}}
      nv.cluster.sync
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

// Registers.

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    nv.role consumer threads 128 to 384 {
      // expected-error@+1 {{'setmaxnreg' is 44}}
      nv.setmaxnreg 44
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    nv.role consumer threads 128 to 384 {
      // expected-error@+1 {{'setmaxnreg' is 16}}
      nv.setmaxnreg 16
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    nv.role consumer threads 128 to 384 {
      // expected-error@+1 {{'setmaxnreg' is 264}}
      nv.setmaxnreg 264
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %p = arith.constant true
    nv.role consumer threads 128 to 384 {
      scf.if %p {
        // expected-error@+1 {{'nv.setmaxnreg' must be reached by all warps of a role}}
        nv.setmaxnreg 40
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    nv.role consumer threads 128 to 384 {
      // expected-error@+1 {{'nv.setmaxnreg' needs gpu.known_block_size}}
      nv.setmaxnreg 40
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k"} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    nv.role consumer threads 128 to 384 {
      // expected-note@+1 {{the first one}}
      nv.setmaxnreg 40
      // expected-error@+1 {{'nv.setmaxnreg' must be the only one in its role}}
      nv.setmaxnreg 48
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    nv.role consumer threads 128 to 384 {
      // expected-note@+1 {{precedes it}}
      nv.fence_async
      // expected-error@+1 {{'nv.setmaxnreg' must be the first op of its role}}
      nv.setmaxnreg 40
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    nv.role producer threads 0 to 128 {
      nv.setmaxnreg 40
    }
    nv.role consumer threads 128 to 384 {
      // expected-error@+1 {{'setmaxnreg' raises the registers of the block's roles to 66560 in total}}
      nv.setmaxnreg 240
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

// What the launch does not give is not there: 168 registers for each of 384 threads.

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    nv.role producer threads 0 to 128 {
      nv.setmaxnreg 32
    }
    nv.role consumer threads 128 to 384 {
      // expected-error@+1 {{'setmaxnreg' raises the registers of the block's roles to 65536 in total}}
      nv.setmaxnreg 240
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

// Threads that say nothing keep what they have.

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    nv.role producer threads 0 to 128 {
      nv.fence_async
    }
    nv.role consumer threads 128 to 384 {
      // expected-error@+1 {{'setmaxnreg' raises the registers of the block's roles to 82944 in total}}
      nv.setmaxnreg 240
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

// 640 threads have 96 each, in eights.

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    nv.role producer threads 0 to 128 {
      nv.setmaxnreg 24
    }
    nv.role consumer threads 128 to 640 {
      // expected-error@+1 {{'setmaxnreg' raises the registers of the block's roles to 64512 in total}}
      nv.setmaxnreg 120
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 640, 1, 1>} : () -> ()
}) : () -> ()

// -----

// Barriers.

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    nv.role producer threads 0 to 128 {
      nv.barrier 1 threads 128
    }
    nv.role consumer threads 128 to 384 {
      // expected-error@+1 {{'barrier' uses hardware barrier 1, which another nv.barrier uses}}
      nv.barrier 1 threads 128
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    // expected-error@+1 {{'nv.barrier' is collective over a warpgroup: it belongs inside nv.role}}
    nv.barrier 1 threads 128
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    nv.role consumer threads 128 to 384 {
      // expected-error@+1 {{'threads' is 64}}
      nv.barrier 1 threads 64
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    nv.role consumer threads 128 to 384 {
      // expected-error@+1 {{'barrier' is 0}}
      nv.barrier 0 threads 256
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    nv.role consumer threads 128 to 384 {
      // expected-error@+1 {{'barrier' is 15}}
      nv.barrier 15 threads 128
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    nv.role consumer threads 128 to 384 {
      // expected-note@+1 {{this region is executed by a single thread}}
      nv.single role {
        // expected-error@+1 {{'nv.barrier' must be reached by all threads of a warpgroup}}
        nv.barrier 1 threads 128
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    nv.role producer threads 0 to 128 {
      nv.barrier 2 threads 128
    }
    nv.role consumer threads 128 to 384 {
      // expected-error@+1 {{'barrier' uses hardware barrier 2, which another nv.barrier uses}}
      nv.barrier 1 threads 128
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    nv.role consumer threads 128 to 384 {
      nv.barrier 1 threads 128
      // expected-error@+1 {{'barrier' uses hardware barrier 1, which another nv.barrier uses}}
      nv.barrier 1 threads 256
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    nv.role consumer threads 128 to 384 {
      // expected-error@+1 {{'gpu.barrier' synchronizes the block, but only one role reaches it}}
      "gpu.barrier"() : () -> ()
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

// mbarriers.

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    // expected-error@+1 {{'at' is 4}}
    %f = nv.mbarrier at 4 : !nv.mbarrier<4>
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %full = nv.mbarrier at 246784 : !nv.mbarrier<4>
    nv.single block {
      // expected-error@+1 {{'arrivals' is 0}}
      nv.mbarrier.init %full arrivals 0 : !nv.mbarrier<4>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %full = nv.mbarrier at 246784 : !nv.mbarrier<4>
    nv.single block {
      // expected-error@+1 {{'arrivals' is 1048576}}
      nv.mbarrier.init %full arrivals 1048576 : !nv.mbarrier<4>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %full = nv.mbarrier at 246784 : !nv.mbarrier<4>
    // expected-error@+1 {{'nv.mbarrier.init' is executed by one thread: it belongs inside nv.single}}
    nv.mbarrier.init %full arrivals 1 : !nv.mbarrier<4>
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    // expected-error@+1 {{'nv.mbarrier.init_fence' is executed by one thread: it belongs inside nv.single}}
    nv.mbarrier.init_fence
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %full = nv.mbarrier at 246784 : !nv.mbarrier<4>
    nv.role consumer threads 128 to 384 {
      // expected-error@+1 {{'nv.mbarrier.expect_tx' is executed by one thread: it belongs inside nv.single}}
      nv.mbarrier.expect_tx %full[%c0] bytes 16 : !nv.mbarrier<4>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %full = nv.mbarrier at 246784 : !nv.mbarrier<4>
    nv.role consumer threads 128 to 384 {
      nv.single role {
        // expected-error@+1 {{'bytes' is 0}}
        nv.mbarrier.expect_tx %full[%c0] bytes 0 : !nv.mbarrier<4>
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
    nv.role consumer threads 128 to 384 {
      nv.single role {
        // expected-error@+1 {{'bytes' is 1048576}}
        nv.mbarrier.expect_tx %full[%c0] bytes 1048576 : !nv.mbarrier<4>
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c4 = arith.constant 4 : index
    %full = nv.mbarrier at 246784 : !nv.mbarrier<4>
    nv.role consumer threads 128 to 384 {
      nv.single role {
        // expected-error@+1 {{'slot' is 4}}
        nv.mbarrier.expect_tx %full[%c4] bytes 16 : !nv.mbarrier<4>
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c5 = arith.constant 5 : index
    %full = nv.mbarrier at 246784 : !nv.mbarrier<4>
    nv.role consumer threads 128 to 384 {
      // expected-error@+1 {{'slot' is 5}}
      nv.mbarrier.arrive %full[%c5] : !nv.mbarrier<4>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %full = nv.mbarrier at 246784 : !nv.mbarrier<4>
    nv.role consumer threads 128 to 384 {
      // expected-error@+1 {{'parity' is 2}}
      nv.mbarrier.wait %full[%c0] parity %c2 : !nv.mbarrier<4>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %full = nv.mbarrier at 246784 : !nv.mbarrier<4>
    nv.role consumer threads 128 to 384 {
      // expected-error@+1 {{'nv.mbarrier.arrive' arrives at another block, but the kernel has no nv.cluster}}
      nv.mbarrier.arrive %full[%c0] at %c0 : !nv.mbarrier<4>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %full = nv.mbarrier at 246784 : !nv.mbarrier<4>
    nv.role consumer threads 128 to 384 {
      // expected-error@+1 {{'at' is 2}}
      nv.mbarrier.arrive %full[%c0] at %c2 : !nv.mbarrier<4>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>, "nv.cluster" = array<i64: 2, 1, 1>} : () -> ()
}) : () -> ()
