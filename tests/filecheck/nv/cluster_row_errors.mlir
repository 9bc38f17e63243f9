// RUN: ptir-opt %s --split-input-file --verify-diagnostics

// The blocks that hold a fragment are those of the cluster.

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (index, index) -> (), kernel}> ({
  ^bb0(%m: index, %n: index):
    // expected-error@+1 {{a fragment is !nv.frag<1x128xf32, lane(32: j) block(4: 32j)>; the cluster has 2 blocks, not 4}}
    %x = nv.map [%m, %n] in [8, 256] dims [0, 1] guard [] tile [1, 128] addresses [] widths [] -> !nv.frag<1x128xf32, lane(32: j) block(4: 32j)> {
      %a = arith.constant 1.0 : f32
      nv.yield %a : f32
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "f", gpu.known_block_size = array<i32: 32, 1, 1>, nv.cluster = array<i64: 1, 2, 1>} : () -> ()
}) : () -> ()

// -----

// Blocks that share a row exchange partial results, too.

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (index, index) -> (), kernel}> ({
  ^bb0(%m: index, %n: index):
    %x = nv.map [%m, %n] in [8, 256] dims [0, 1] guard [] tile [1, 128] addresses [] widths [] -> !nv.frag<1x128xf32, lane(32: j) block(4: 32j)> {
      %a = arith.constant 1.0 : f32
      nv.yield %a : f32
    }
    nv.cluster.sync
    // expected-error@+1 {{'scratch' is missing}}
    %s = nv.row_reduce %x : !nv.frag<1x128xf32, lane(32: j) block(4: 32j)> -> !nv.frag<1x1xf32, lane(32: 0) block(4: 0)> {
    ^bb0(%b: f32, %c: f32):
      nv.yield %b : f32
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "f", gpu.known_block_size = array<i32: 32, 1, 1>, nv.cluster = array<i64: 1, 4, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (index, index) -> (), kernel}> ({
  ^bb0(%m: index, %n: index):
    %x = nv.map [%m, %n] in [8, 256] dims [0, 1] guard [] tile [16, 8] addresses [] widths [] -> !nv.frag<16x8xf32, lane(2: j, 16: i) block(4: 2j)> {
      %a = arith.constant 1.0 : f32
      nv.yield %a : f32
    }
    nv.cluster.sync
    // expected-error@+1 {{each of 4 blocks gets the result from a lane of its own, but 2 lanes hold a row}}
    %s = nv.row_reduce %x scratch 0 : !nv.frag<16x8xf32, lane(2: j, 16: i) block(4: 2j)> -> !nv.frag<16x1xf32, lane(2: 0, 16: i) block(4: 0)> {
    ^bb0(%b: f32, %c: f32):
      nv.yield %b : f32
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "f", gpu.known_block_size = array<i32: 32, 1, 1>, nv.cluster = array<i64: 1, 4, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (index, index) -> (), kernel}> ({
  ^bb0(%m: index, %n: index):
    %x = nv.map [%m, %n] in [8, 256] dims [0, 1] guard [] tile [4, 32] addresses [] widths [] -> !nv.frag<4x32xf32, lane(32: j) block(4: i)> {
      %a = arith.constant 1.0 : f32
      nv.yield %a : f32
    }
    nv.cluster.sync
    // expected-error@+1 {{'scratch' is 0}}
    %s = nv.row_reduce %x scratch 0 : !nv.frag<4x32xf32, lane(32: j) block(4: i)> -> !nv.frag<4x1xf32, lane(32: 0) block(4: i)> {
    ^bb0(%b: f32, %c: f32):
      nv.yield %b : f32
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "f", gpu.known_block_size = array<i32: 32, 1, 1>, nv.cluster = array<i64: 1, 4, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (index, index) -> (), kernel}> ({
  ^bb0(%m: index, %n: index):
    %x = nv.map [%m, %n] in [8, 256] dims [0, 1] guard [] tile [2, 64] addresses [] widths [] -> !nv.frag<2x64xf32, lane(32: j) block(2: 32j, 2: i)> {
      %a = arith.constant 1.0 : f32
      nv.yield %a : f32
    }
    nv.cluster.sync
    // expected-error@+1 {{all blocks of a cluster hold parts of the same rows}}
    %s = nv.row_reduce %x scratch 0 : !nv.frag<2x64xf32, lane(32: j) block(2: 32j, 2: i)> -> !nv.frag<2x1xf32, lane(32: 0) block(2: 0, 2: i)> {
    ^bb0(%b: f32, %c: f32):
      nv.yield %b : f32
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "f", gpu.known_block_size = array<i32: 32, 1, 1>, nv.cluster = array<i64: 1, 4, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (index, index) -> (), kernel}> ({
  ^bb0(%m: index, %n: index):
    %x = nv.map [%m, %n] in [8, 256] dims [0, 1] guard [] tile [1, 128] addresses [] widths [] -> !nv.frag<1x128xf32, lane(32: j) block(4: 32j)> {
      %a = arith.constant 1.0 : f32
      nv.yield %a : f32
    }
    // expected-error@+1 {{writes to the shared memory of other blocks: an nv.cluster.sync must come before it}}
    %s = nv.row_reduce %x scratch 0 : !nv.frag<1x128xf32, lane(32: j) block(4: 32j)> -> !nv.frag<1x1xf32, lane(32: 0) block(4: 0)> {
    ^bb0(%b: f32, %c: f32):
      nv.yield %b : f32
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "f", gpu.known_block_size = array<i32: 32, 1, 1>, nv.cluster = array<i64: 1, 4, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (index, index) -> (), kernel}> ({
  ^bb0(%m: index, %n: index):
    %x = nv.map [%m, %n] in [8, 256] dims [0, 1] guard [] tile [1, 128] addresses [] widths [] -> !nv.frag<1x128xf32, lane(32: j) block(4: 32j)> {
      %a = arith.constant 1.0 : f32
      nv.yield %a : f32
    }
    nv.cluster.sync
    %z = arith.constant true
    scf.if %z {
    // expected-error@+1 {{must be reached by all threads of a cluster: it belongs in the kernel's top-level block}}
    %s = nv.row_reduce %x scratch 0 : !nv.frag<1x128xf32, lane(32: j) block(4: 32j)> -> !nv.frag<1x1xf32, lane(32: 0) block(4: 0)> {
    ^bb0(%b: f32, %c: f32):
      nv.yield %b : f32
    }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "f", gpu.known_block_size = array<i32: 32, 1, 1>, nv.cluster = array<i64: 1, 4, 1>} : () -> ()
}) : () -> ()
