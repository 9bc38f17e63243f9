// RUN: ptir-opt %s -t cuda --split-input-file --verify-diagnostics

// Shuffles reach the lanes of a warp, and the rows of a spelled layout are not where a warpgroup has them.

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    nv.role consumer threads 0 to 128 {
      %acc = nv.frag : !nv.frag<64x64xf32, C of m64k16>
      // expected-error@+1 {{'nv.convert_layout' cannot turn 'C of m64k16' into}}
      %rows = nv.convert_layout %acc : !nv.frag<64x64xf32, C of m64k16> -> !nv.frag<64x64xf32, lane(4: 8j, 8: i) reg(8: j, 2: 32j, 8: 8i)>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 128, 1, 1>} : () -> ()
}) : () -> ()

// -----

// There is one `lane`.

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    // expected-error@+1 {{mixing fragments of warps and of warpgroups is not supported yet}}
    nv.role consumer threads 0 to 128 {
      %acc = nv.frag : !nv.frag<64x64xf32, C of m64k16>
      %other = nv.frag : !nv.frag<64x64xf32, C of m16n8k16>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 128, 1, 1>} : () -> ()
}) : () -> ()

// -----

// A role that shares its sums waits at a barrier of its own.

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<1xi32>) -> (), kernel}> ({
  ^bb0(%counters: memref<1xi32>):
    %c0 = arith.constant 0 : index
    nv.role consumer threads 0 to 1024 {
      nv.barrier 1 threads 128
      nv.barrier 9 threads 1024
      nv.barrier 10 threads 1024
      nv.barrier 11 threads 1024
      nv.barrier 12 threads 1024
      nv.barrier 13 threads 1024
      nv.barrier 14 threads 1024
      nv.barrier 15 threads 1024
      // expected-error@+1 {{a 16th barrier is not supported yet}}
      nv.semaphore.acquire %counters[%c0] for %c0 : memref<1xi32>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 1024, 1, 1>} : () -> ()
}) : () -> ()

// -----

// Indices shift; conditions do not.

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %t = arith.constant true
    // expected-error@+1 {{printing 'arith.shli' as CUDA is not supported yet}}
    %s = arith.shli %t, %t : i1
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 128, 1, 1>} : () -> ()
}) : () -> ()
