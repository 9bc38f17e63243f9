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
