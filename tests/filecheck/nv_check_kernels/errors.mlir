// RUN: ptir-opt %s -p nv-check-kernels --split-input-file --verify-diagnostics

// A kernel without roles has no verifier of its own.

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %tid = "gpu.thread_id"() <{dimension = #gpu<dim x>}> : () -> index
    %p = arith.cmpi eq, %tid, %c0 : index
    // expected-note@+1 {{control flow is uniform only within one thread here}}
    scf.if %p {
      // expected-error@+1 {{'gpu.barrier' must be reached by all threads of the block, but control flow diverges}}
      "gpu.barrier"() : () -> ()
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k"} : () -> ()
}) : () -> ()

// -----

// Each kernel is checked, and the first broken rule of each is reported.

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (index) -> (), kernel}> ({
  ^bb0(%n: index):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %warp = "gpu.subgroup_id"() : () -> index
    // expected-note@+1 {{control flow is uniform only within a warp here}}
    scf.for %i = %c0 to %warp step %c1 {
      // expected-error@+1 {{'gpu.barrier' must be reached by all threads of the block, but control flow diverges}}
      "gpu.barrier"() : () -> ()
      "gpu.barrier"() : () -> ()
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "first"} : () -> ()
  "gpu.func"() <{function_type = (index) -> (), kernel}> ({
  ^bb0(%n: index):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %block = "gpu.block_id"() <{dimension = #gpu<dim x>}> : () -> index
    %here = arith.cmpi ult, %block, %n : index
    // Block ids and arguments are the same for all threads of a block.
    scf.if %here {
      scf.for %i = %c0 to %block step %c1 {
        "gpu.barrier"() : () -> ()
      }
    }
    %tid = "gpu.thread_id"() <{dimension = #gpu<dim x>}> : () -> index
    %odd = arith.cmpi ult, %tid, %n : index
    // expected-note@+1 {{control flow is uniform only within one thread here}}
    scf.if %odd {
      // expected-error@+1 {{'gpu.barrier' must be reached by all threads of the block, but control flow diverges}}
      "gpu.barrier"() : () -> ()
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "second"} : () -> ()
}) : () -> ()

// -----

// A barrier that the lanes reach once for each of their elements.

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<32x32xf32>) -> (), kernel}> ({
  ^bb0(%x: memref<32x32xf32>):
    %c0 = arith.constant 0 : index
    // expected-note@+1 {{control flow is uniform only within one thread here}}
    %e = nv.map [%c0, %c0] in [32, 32] dims [0, 1] guard [] tile [32, 32] ins(%x : memref<32x32xf32>) addresses [#poly.map<"{ [i0, i1] -> [(32i0 + i1)] }">] widths [1] -> !nv.frag<32x32xf32, lane(32: i) reg(32: j)> {
    ^bb0(%a: f32):
      // expected-error@+1 {{'gpu.barrier' must be reached by all threads of the block, but control flow diverges}}
      "gpu.barrier"() : () -> ()
      nv.yield %a : f32
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 32, 1, 1>} : () -> ()
}) : () -> ()
