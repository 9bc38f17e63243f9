// RUN: ptir-opt %s -p nv-check-kernels --disable-verify --verify-diagnostics

// With verification off, the pass still finds what the verifier of the last role would.

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    // expected-note@+1 {{the other role}}
    nv.role producer threads 0 to 128 {
      %0 = nv.warpgroup
    }
    // expected-error@+1 {{'nv.role' shares threads with another role}}
    nv.role consumer threads 0 to 256 {
      %0 = nv.warpgroup
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 256, 1, 1>} : () -> ()
}) : () -> ()
