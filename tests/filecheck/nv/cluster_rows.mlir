// RUN: ptir-opt %s --verify-roundtrip | filecheck %s

// A row in four blocks of a cluster: a warp of each exchanges its block's result with the others. Rank 0 stores what a row has one of.

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<8x2048xf32>, memref<8xf32>) -> (), kernel}> ({
  ^bb0(%x: memref<8x2048xf32>, %y: memref<8xf32>):
    %m = "gpu.block_id"() <{dimension = #gpu<dim x>}> : () -> index
    %n = arith.constant 0 : index
    // CHECK: -> !nv.frag<1x2048xf32, lane(32: 4j) warp(2: 128j) block(4: 256j) reg(4: j, 2: 1024j)> {
    %e = nv.map [%m, %n] in [8, 2048] dims [0, 1] guard [] tile [1, 2048] ins(%x : memref<8x2048xf32>) addresses [#poly.map<"{ [i0, i1] -> [(2048i0 + i1)] }">] widths [4] -> !nv.frag<1x2048xf32, lane(32: 4j) warp(2: 128j) block(4: 256j) reg(4: j, 2: 1024j)> {
    ^bb0(%a: f32):
      nv.yield %a : f32
    }
    nv.cluster.sync
    // CHECK: %s = nv.row_reduce %e scratch 0 : !nv.frag<1x2048xf32, lane(32: 4j) warp(2: 128j) block(4: 256j) reg(4: j, 2: 1024j)> -> !nv.frag<1x1xf32, lane(32: 0) warp(2: 0) block(4: 0)> {
    %s = nv.row_reduce %e scratch 0 : !nv.frag<1x2048xf32, lane(32: 4j) warp(2: 128j) block(4: 256j) reg(4: j, 2: 1024j)> -> !nv.frag<1x1xf32, lane(32: 0) warp(2: 0) block(4: 0)> {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      nv.yield %c : f32
    }
    nv.map (%s : !nv.frag<1x1xf32, lane(32: 0) warp(2: 0) block(4: 0)>) [%m, %n] in [8, 2048] dims [0, 1] guard [] tile [1, 1] outs(%y : memref<8xf32>) addresses [#poly.map<"{ [i0, i1] -> [(i0)] }">] widths [1] {
    ^bb0(%t: f32):
      nv.yield %t : f32
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "f", gpu.known_block_size = array<i32: 64, 1, 1>, nv.cluster = array<i64: 1, 4, 1>} : () -> ()
}) : () -> ()
