// RUN: ptir-opt %s --split-input-file --verify-diagnostics

// One case for each rule of SM90: convergence.

// All participating threads arrive at an op; conditions on the thread diverge.

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    nv.role consumer threads 128 to 384 {
      %tid = "gpu.thread_id"() <{dimension = #gpu<dim x>}> : () -> index
      %p = arith.cmpi eq, %tid, %c0 : index
      // expected-note@+1 {{control flow is uniform only within one thread here}}
      scf.if %p {
        // expected-error@+1 {{'nv.barrier' must be reached by all threads of a warpgroup, but control flow diverges}}
        nv.barrier 1 threads 128
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    nv.role consumer threads 128 to 384 {
      %w = nv.warpgroup
      %p = arith.cmpi eq, %w, %c0 : index
      // expected-note@+1 {{control flow is uniform only within a warpgroup here}}
      scf.if %p {
        nv.barrier 1 threads 128
        // expected-error@+1 {{'nv.barrier' must be reached by all threads of its role, but control flow diverges}}
        nv.barrier 3 threads 256
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
    %c32 = arith.constant 32 : index
    nv.role consumer threads 128 to 384 {
      %tid = "gpu.thread_id"() <{dimension = #gpu<dim x>}> : () -> index
      %w = arith.divui %tid, %c32 : index
      // expected-note@+1 {{control flow is uniform only within a warp here}}
      scf.for %i = %c0 to %w step %c1 {
        // expected-error@+1 {{'nv.wgmma.fence' must be reached by all threads of a warpgroup, but control flow diverges}}
        nv.wgmma.fence
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

// The number of a warpgroup, computed.

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<64x128xf32>) -> (), kernel}> ({
  ^bb0(%g: memref<64x128xf32>):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c128 = arith.constant 128 : index
    %sf = nv.smem at 196608 : !nv.smem<2x64x32xf32, b128>
    nv.role consumer threads 128 to 384 {
      %tid = "gpu.thread_id"() <{dimension = #gpu<dim x>}> : () -> index
      %w = arith.divui %tid, %c128 : index
      // expected-note@+1 {{control flow is uniform only within a warpgroup here}}
      scf.for %i = %w to %c4 step %c1 {
        // expected-error@+1 {{'nv.cp_async' must be reached by all threads of its role, but control flow diverges}}
        nv.cp_async %g[%c0, %c0] to %sf[%c0] address <"{ [i0, i1] -> [(128i0 + i1)] }"> in [64, 128] dims [0, 1] guard [] bytes 16 : memref<64x128xf32>, !nv.smem<2x64x32xf32, b128>
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

// A value that a loop carries.

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<6xi32>) -> (), kernel}> ({
  ^bb0(%cn: memref<6xi32>):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    nv.role consumer threads 128 to 384 {
      %w = nv.warpgroup
      %n = scf.for %i = %c0 to %c4 step %c1 iter_args(%k = %c0) -> (index) {
        %l = arith.addi %k, %w : index
        scf.yield %l : index
      }
      // expected-note@+1 {{control flow is uniform only within a warpgroup here}}
      scf.for %i = %c0 to %n step %c1 {
        // expected-error@+1 {{'nv.semaphore.acquire' must be reached by all threads of its role, but control flow diverges}}
        nv.semaphore.acquire %cn[%c0] for %c0 : memref<6xi32>
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

// A value that a condition chooses.

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    nv.role consumer threads 128 to 384 {
      %tid = "gpu.thread_id"() <{dimension = #gpu<dim x>}> : () -> index
      %p = arith.cmpi eq, %tid, %c0 : index
      %n = scf.if %p -> (index) {
        scf.yield %c0 : index
      } else {
        scf.yield %c1 : index
      }
      // expected-note@+1 {{control flow is uniform only within one thread here}}
      scf.for %i = %c0 to %n step %c1 {
        // expected-error@+1 {{'nv.wgmma.fence' must be reached by all threads of a warpgroup, but control flow diverges}}
        nv.wgmma.fence
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

// What is around counts too.

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    nv.role consumer threads 128 to 384 {
      %tid = "gpu.thread_id"() <{dimension = #gpu<dim x>}> : () -> index
      %p = arith.cmpi eq, %tid, %c0 : index
      // expected-note@+1 {{control flow is uniform only within one thread here}}
      scf.if %p {
        scf.for %i = %c0 to %c4 step %c1 {
          // expected-error@+1 {{'nv.wgmma.fence' must be reached by all threads of a warpgroup, but control flow diverges}}
          nv.wgmma.fence
        }
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    nv.role consumer threads 128 to 384 {
      %w = nv.warp
      %lane = "gpu.lane_id"() : () -> index
      %p = arith.cmpi eq, %w, %c0 : index
      %q = arith.cmpi eq, %lane, %c0 : index
      scf.if %p {
        nv.warp_sync
      }
      // expected-note@+1 {{control flow is uniform only within one thread here}}
      scf.if %q {
        // expected-error@+1 {{'nv.warp_sync' must be reached by all threads of a warp, but control flow diverges}}
        nv.warp_sync
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()
