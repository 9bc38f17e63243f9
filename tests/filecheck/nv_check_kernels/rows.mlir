// RUN: ptir-opt %s -p nv-check-kernels --split-input-file --verify-diagnostics

// Warps that share a row exchange partial results: all threads of the block reach the reduction, or none.

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (index) -> (), kernel}> ({
  ^bb0(%n: index):
    %x = nv.frag : !nv.frag<1x128xf32, lane(32: j) warp(4: 32j)>
    %block = "gpu.block_id"() <{dimension = #gpu<dim x>}> : () -> index
    %here = arith.cmpi ult, %block, %n : index
    scf.if %here {
      %s = nv.row_reduce %x scratch 0 : !nv.frag<1x128xf32, lane(32: j) warp(4: 32j)> -> !nv.frag<1x1xf32, lane(32: 0) warp(4: 0)> {
      ^bb0(%a: f32, %b: f32):
        nv.yield %a : f32
      }
    }
    %warp = "gpu.subgroup_id"() : () -> index
    %first = arith.cmpi ult, %warp, %n : index
    // expected-note@+1 {{control flow is uniform only within a warp here}}
    scf.if %first {
      // expected-error@+1 {{'nv.row_reduce' must be reached by all threads of the block, but control flow diverges}}
      %s = nv.row_reduce %x scratch 0 : !nv.frag<1x128xf32, lane(32: j) warp(4: 32j)> -> !nv.frag<1x1xf32, lane(32: 0) warp(4: 0)> {
      ^bb0(%a: f32, %b: f32):
        nv.yield %a : f32
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k"} : () -> ()
}) : () -> ()

// -----

// Without scratch, the lanes of a warp do: shuffles reach no further.

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (index) -> (), kernel}> ({
  ^bb0(%n: index):
    %x = nv.frag : !nv.frag<4x32xf32, lane(32: j) warp(4: i)>
    %warp = "gpu.subgroup_id"() : () -> index
    %first = arith.cmpi ult, %warp, %n : index
    scf.if %first {
      %s = nv.row_reduce %x : !nv.frag<4x32xf32, lane(32: j) warp(4: i)> -> !nv.frag<4x1xf32, lane(32: 0) warp(4: i)> {
      ^bb0(%a: f32, %b: f32):
        nv.yield %a : f32
      }
    }
    %lane = "gpu.lane_id"() : () -> index
    %odd = arith.cmpi ult, %lane, %n : index
    // expected-note@+1 {{control flow is uniform only within one thread here}}
    scf.if %odd {
      // expected-error@+1 {{'nv.row_reduce' must be reached by all threads of a warp, but control flow diverges}}
      %s = nv.row_reduce %x : !nv.frag<4x32xf32, lane(32: j) warp(4: i)> -> !nv.frag<4x1xf32, lane(32: 0) warp(4: i)> {
      ^bb0(%a: f32, %b: f32):
        nv.yield %a : f32
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k"} : () -> ()
}) : () -> ()

// -----

// So it is with maps.

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<4x32xf32>, index) -> (), kernel}> ({
  ^bb0(%y: memref<4x32xf32>, %n: index):
    %c0 = arith.constant 0 : index
    %x = nv.frag : !nv.frag<4x32xf32, lane(32: j) warp(4: i)>
    %lane = "gpu.lane_id"() : () -> index
    // expected-note@+1 {{control flow is uniform only within one thread here}}
    scf.for %i = %c0 to %lane step %n {
      // expected-error@+1 {{'nv.map' must be reached by all threads of a warp, but control flow diverges}}
      nv.map (%x : !nv.frag<4x32xf32, lane(32: j) warp(4: i)>) [%c0, %c0] in [4, 32] dims [0, 1] guard [] tile [4, 32] outs(%y : memref<4x32xf32>) addresses [#poly.map<"{ [i0, i1] -> [(32i0 + i1)] }">] widths [1] {
      ^bb0(%a: f32):
        nv.yield %a : f32
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k"} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    // expected-note@+1 {{this region is executed by a single thread}}
    nv.single block {
      %x = "test.op"() : () -> !nv.frag<1x128xf32, lane(32: j) warp(4: 32j)>
      // expected-error@+1 {{'nv.row_reduce' must be reached by all threads of its role}}
      %s = nv.row_reduce %x scratch 0 : !nv.frag<1x128xf32, lane(32: j) warp(4: 32j)> -> !nv.frag<1x1xf32, lane(32: 0) warp(4: 0)> {
      ^bb0(%a: f32, %b: f32):
        nv.yield %a : f32
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k"} : () -> ()
}) : () -> ()
