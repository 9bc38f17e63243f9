// RUN: ptir-opt %s -p pto-to-nv --split-input-file | filecheck %s

// A softmax in three phases, and a map of tiles of one column: what later maps and reductions read is held, the mask is computed again.

// CHECK-LABEL: "gpu.func"
// CHECK: %0 = "gpu.block_id"() <{dimension = #gpu<dim x>}> : () -> index
// CHECK-NEXT: %m = arith.muli %0, %c4 : index
// CHECK-NEXT: %1, %2 = nv.map[%m, %c0] in [8, 40] dims [0, 1] guard [1] tile [4, 64] ins(%x : memref<8x40xf32>) addresses [#poly.map<"{ [i0, i1] -> [(40i0 + i1)] }">] widths [2] -> !nv.frag<4x64xf32, lane(32: 2j) warp(4: i) reg(2: j)>, !nv.frag<4x64xf32, lane(32: 2j) warp(4: i) reg(2: j)> {
// CHECK-NEXT: ^bb0(%x_1: f32):
// CHECK-NEXT: %at_row, %at_column = nv.point
// CHECK-NEXT: %mask = arith.cmpi ult, %at_column, %c40 : index
// CHECK-NEXT: %3 = arith.constant 0xFF800000 : f32
// CHECK-NEXT: %4 = arith.select %mask, %x_1, %3 : f32
// CHECK-NEXT: nv.yield %4, %x_1 : f32, f32
// CHECK-NEXT: }
// CHECK-NEXT: %5 = nv.row_reduce %1 : !nv.frag<4x64xf32, lane(32: 2j) warp(4: i) reg(2: j)> -> !nv.frag<4x1xf32, lane(32: 0) warp(4: i)> {
// CHECK-NEXT: ^bb0(%6: f32, %7: f32):
// CHECK-NEXT: %8 = arith.maximumf %6, %7 : f32
// CHECK-NEXT: nv.yield %8 : f32
// CHECK-NEXT: }
// CHECK-NEXT: %9, %10 = nv.map(%2, %5 : !nv.frag<4x64xf32, lane(32: 2j) warp(4: i) reg(2: j)>, !nv.frag<4x1xf32, lane(32: 0) warp(4: i)>) [%m, %c0] in [8, 40] dims [0, 1] guard [1] tile [4, 64] addresses [] widths [] -> !nv.frag<4x64xf32, lane(32: 2j) warp(4: i) reg(2: j)>, !nv.frag<4x64xf32, lane(32: 2j) warp(4: i) reg(2: j)> {
// CHECK-NEXT: ^bb0(%11: f32, %12: f32):
// CHECK-NEXT: %at_row_1, %at_column_1 = nv.point
// CHECK-NEXT: %mask_1 = arith.cmpi ult, %at_column_1, %c40 : index
// CHECK-NEXT: %13 = arith.subf %11, %12 : f32
// CHECK-NEXT: %14 = math.exp %13 : f32
// CHECK-NEXT: %15 = arith.constant 0.000000e+00 : f32
// CHECK-NEXT: %16 = arith.select %mask_1, %14, %15 : f32
// CHECK-NEXT: nv.yield %16, %14 : f32, f32
// CHECK-NEXT: }
// CHECK-NEXT: %17 = nv.row_reduce %9 : !nv.frag<4x64xf32, lane(32: 2j) warp(4: i) reg(2: j)> -> !nv.frag<4x1xf32, lane(32: 0) warp(4: i)> {
// CHECK-NEXT: ^bb0(%18: f32, %19: f32):
// CHECK-NEXT: %20 = arith.addf %18, %19 : f32
// CHECK-NEXT: nv.yield %20 : f32
// CHECK-NEXT: }
// CHECK-NEXT: nv.map(%17 : !nv.frag<4x1xf32, lane(32: 0) warp(4: i)>) [%m, %c0] in [8, 40] dims [0, 1] guard [1] tile [4, 1] outs(%l : memref<8xf32>) addresses [#poly.map<"{ [i0, i1] -> [(i0)] }">] widths [1] {
// CHECK-NEXT: ^bb0(%21: f32):
// CHECK-NEXT: %22 = math.log %21 : f32
// CHECK-NEXT: nv.yield %22 : f32
// CHECK-NEXT: }
// CHECK-NEXT: nv.map(%10, %17 : !nv.frag<4x64xf32, lane(32: 2j) warp(4: i) reg(2: j)>, !nv.frag<4x1xf32, lane(32: 0) warp(4: i)>) [%m, %c0] in [8, 40] dims [0, 1] guard [1] tile [4, 64] outs(%y : memref<8x40xf32>) addresses [#poly.map<"{ [i0, i1] -> [(40i0 + i1)] }">] widths [2] {
// CHECK-NEXT: ^bb0(%23: f32, %24: f32):
// CHECK-NEXT: %25 = arith.divf %23, %24 : f32
// CHECK-NEXT: nv.yield %25 : f32
// CHECK-NEXT: }

pto.kernel @k(%x: memref<8x40xf32> align 16) -> (%y: memref<8x40xf32> align 256 gmem, %l: memref<8xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [4, 64], warp_tile = "1x64", bind = {m.o = "block.x", n.o = "block.y"}, vectorize = {axis = "n.i.i", width = 2}, predicate_tail = ["n.i.i"]}> {
  pto.tiles (%m, %n) in [8, 40] step [4, 64] {
    %0 = pto.tile.load.map %x[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 40] dims [0, 1] : memref<8x40xf32> -> tile<4x64xf32>
    %mask = pto.tile.mask [%m, %n] in [8, 40] dims [0, 1] : tile<4x64xi1>
    %inf = pto.tile.expands 0xFF800000 : f32 : tile<4x64xf32>
    %1 = pto.tile.sel %mask, %0, %inf : tile<4x64xi1>, tile<4x64xf32>
    %2 = pto.tile.rowmax %1 : tile<4x64xf32> -> tile<4x1xf32>
    %3 = pto.tile.rowexpand %2 : tile<4x1xf32> -> tile<4x64xf32>
    %4 = pto.tile.sub %0, %3 : tile<4x64xf32>
    %5 = pto.tile.exp %4 : tile<4x64xf32>
    %zero = pto.tile.expands 0.0 : f32 : tile<4x64xf32>
    %6 = pto.tile.sel %mask, %5, %zero : tile<4x64xi1>, tile<4x64xf32>
    %7 = pto.tile.rowsum %6 : tile<4x64xf32> -> tile<4x1xf32>
    %8 = pto.tile.log %7 : tile<4x1xf32>
    pto.tile.store.map %8, %l[%m, %n] by <"{ [i0, i1] -> [(i0)] }"> in [8, 40] dims [0, 1] : tile<4x1xf32>, memref<8xf32>
    %9 = pto.tile.rowexpand %7 : tile<4x1xf32> -> tile<4x64xf32>
    %10 = pto.tile.div %5, %9 : tile<4x64xf32>
    pto.tile.store.map %10, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 40] dims [0, 1] : tile<4x64xf32>, memref<8x40xf32>
  }
}

// -----

// What is loaded after the reduction; the second map holds the first one's fragment, as a fragment of a column does not say which lanes hold the
// columns.

// CHECK-LABEL: "gpu.func"
// CHECK: %0 = "gpu.block_id"() <{dimension = #gpu<dim x>}> : () -> index
// CHECK-NEXT: %m = arith.muli %0, %c4 : index
// CHECK-NEXT: %1 = nv.map[%m, %c0] in [8, 64] dims [0, 1] guard [] tile [4, 64] ins(%x : memref<8x64xf32>) addresses [#poly.map<"{ [i0, i1] -> [(64i0 + i1)] }">] widths [2] -> !nv.frag<4x64xf32, lane(32: 2j) warp(4: i) reg(2: j)> {
// CHECK-NEXT: ^bb0(%x_1: f32):
// CHECK-NEXT: nv.yield %x_1 : f32
// CHECK-NEXT: }
// CHECK-NEXT: %2 = nv.row_reduce %1 : !nv.frag<4x64xf32, lane(32: 2j) warp(4: i) reg(2: j)> -> !nv.frag<4x1xf32, lane(32: 0) warp(4: i)> {
// CHECK-NEXT: ^bb0(%3: f32, %4: f32):
// CHECK-NEXT: %5 = arith.maximumf %3, %4 : f32
// CHECK-NEXT: nv.yield %5 : f32
// CHECK-NEXT: }
// CHECK-NEXT: %6 = nv.map(%2 : !nv.frag<4x1xf32, lane(32: 0) warp(4: i)>) [%m, %c0] in [8, 64] dims [0, 1] guard [] tile [4, 1] ins(%r : memref<8xf32>) addresses [#poly.map<"{ [i0, i1] -> [(i0)] }">] widths [1] -> !nv.frag<4x1xf32, lane(32: 0) warp(4: i)> {
// CHECK-NEXT: ^bb0(%7: f32, %r_1: f32):
// CHECK-NEXT: %8 = arith.addf %7, %r_1 : f32
// CHECK-NEXT: nv.yield %8 : f32
// CHECK-NEXT: }
// CHECK-NEXT: nv.map(%6, %1 : !nv.frag<4x1xf32, lane(32: 0) warp(4: i)>, !nv.frag<4x64xf32, lane(32: 2j) warp(4: i) reg(2: j)>) [%m, %c0] in [8, 64] dims [0, 1] guard [] tile [4, 64] ins(%b : memref<8x64xf32>) outs(%y : memref<8x64xf32>) addresses [#poly.map<"{ [i0, i1] -> [(64i0 + i1)] }">, #poly.map<"{ [i0, i1] -> [(64i0 + i1)] }">] widths [2, 2] {
// CHECK-NEXT: ^bb0(%9: f32, %10: f32, %b_1: f32):
// CHECK-NEXT: %11 = arith.subf %b_1, %9 : f32
// CHECK-NEXT: nv.yield %11 : f32
// CHECK-NEXT: }

pto.kernel @k(%x: memref<8x64xf32> align 16, %b: memref<8x64xf32> align 16, %r: memref<8xf32> align 16) -> (%y: memref<8x64xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [4, 64], warp_tile = "1x64", bind = {m.o = "block.x", n.o = "block.y"}, vectorize = {axis = "n.i.i", width = 2}}> {
  pto.tiles (%m, %n) in [8, 64] step [4, 64] {
    %0 = pto.tile.load.map %x[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 64] dims [0, 1] : memref<8x64xf32> -> tile<4x64xf32>
    %1 = pto.tile.load.map %b[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 64] dims [0, 1] : memref<8x64xf32> -> tile<4x64xf32>
    %2 = pto.tile.load.map %r[%m, %n] by <"{ [i0, i1] -> [(i0)] }"> in [8, 64] dims [0, 1] : memref<8xf32> -> tile<4x1xf32>
    %3 = pto.tile.rowmax %0 : tile<4x64xf32> -> tile<4x1xf32>
    %4 = pto.tile.add %3, %2 : tile<4x1xf32>
    %5 = pto.tile.rowexpand %4 : tile<4x1xf32> -> tile<4x64xf32>
    %6 = pto.tile.sub %1, %5 : tile<4x64xf32>
    pto.tile.store.map %6, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 64] dims [0, 1] : tile<4x64xf32>, memref<8x64xf32>
  }
}

// -----

// Warps that share a row: scratch of 16 bytes for each reduction of two warps. A store before the reductions, reductions of a
// position and of a repeated element, which become fragments.

// CHECK-LABEL: "gpu.func"
// CHECK: %0 = "gpu.block_id"() <{dimension = #gpu<dim x>}> : () -> index
// CHECK-NEXT: %1, %i = nv.map[%0, %c0] in [8, 64] dims [0, 1] guard [] tile [1, 64] ins(%x : memref<8x64xf32>) outs(%y : memref<8x64xf32>) addresses [#poly.map<"{ [i0, i1] -> [(64i0 + i1)] }">, #poly.map<"{ [i0, i1] -> [(64i0 + i1)] }">] widths [1, 1] -> !nv.frag<1x64xf32, lane(32: j) warp(2: 32j)>, !nv.frag<1x64xi32, lane(32: j) warp(2: 32j)> {
// CHECK-NEXT: ^bb0(%x_1: f32):
// CHECK-NEXT: %at_row, %at_column = nv.point
// CHECK-NEXT: %2 = arith.negf %x_1 : f32
// CHECK-NEXT: %position = nv.affine[%at_row, %at_column] by <"{ [i0, i1] -> [(i1)] }"> in [8, 64] : i32
// CHECK-NEXT: nv.yield %2, %x_1, %position : f32, f32, i32
// CHECK-NEXT: }
// CHECK-NEXT: %3 = nv.row_reduce %1 scratch 0 : !nv.frag<1x64xf32, lane(32: j) warp(2: 32j)> -> !nv.frag<1x1xf32, lane(32: 0) warp(2: 0)> {
// CHECK-NEXT: ^bb0(%4: f32, %5: f32):
// CHECK-NEXT: %6 = arith.maximumf %4, %5 : f32
// CHECK-NEXT: nv.yield %6 : f32
// CHECK-NEXT: }
// CHECK-NEXT: %7 = nv.row_reduce %i scratch 16 : !nv.frag<1x64xi32, lane(32: j) warp(2: 32j)> -> !nv.frag<1x1xi32, lane(32: 0) warp(2: 0)> {
// CHECK-NEXT: ^bb0(%8: i32, %9: i32):
// CHECK-NEXT: %10 = arith.minsi %8, %9 : i32
// CHECK-NEXT: nv.yield %10 : i32
// CHECK-NEXT: }
// CHECK-NEXT: nv.map(%7 : !nv.frag<1x1xi32, lane(32: 0) warp(2: 0)>) [%0, %c0] in [8, 64] dims [0, 1] guard [] tile [1, 1] outs(%w : memref<8xsi32>) addresses [#poly.map<"{ [i0, i1] -> [(i0)] }">] widths [1] {
// CHECK-NEXT: ^bb0(%11: i32):
// CHECK-NEXT: nv.yield %11 : i32
// CHECK-NEXT: }
// CHECK-NEXT: %12 = nv.map(%3 : !nv.frag<1x1xf32, lane(32: 0) warp(2: 0)>) [%0, %c0] in [8, 64] dims [0, 1] guard [] tile [1, 64] addresses [] widths [] -> !nv.frag<1x64xf32, lane(32: j) warp(2: 32j)> {
// CHECK-NEXT: ^bb0(%13: f32):
// CHECK-NEXT: nv.yield %13 : f32
// CHECK-NEXT: }
// CHECK-NEXT: %14 = nv.row_reduce %12 scratch 32 : !nv.frag<1x64xf32, lane(32: j) warp(2: 32j)> -> !nv.frag<1x1xf32, lane(32: 0) warp(2: 0)> {
// CHECK-NEXT: ^bb0(%15: f32, %16: f32):
// CHECK-NEXT: %17 = arith.addf %15, %16 : f32
// CHECK-NEXT: nv.yield %17 : f32
// CHECK-NEXT: }
// CHECK-NEXT: nv.map(%14 : !nv.frag<1x1xf32, lane(32: 0) warp(2: 0)>) [%0, %c0] in [8, 64] dims [0, 1] guard [] tile [1, 1] outs(%z : memref<8xf32>) addresses [#poly.map<"{ [i0, i1] -> [(i0)] }">] widths [1] {
// CHECK-NEXT: ^bb0(%18: f32):
// CHECK-NEXT: nv.yield %18 : f32
// CHECK-NEXT: }

pto.kernel @k(%x: memref<8x64xf32> align 16) -> (%y: memref<8x64xf32> align 256 gmem, %z: memref<8xf32> align 256 gmem, %w: memref<8xsi32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [1, 64], warp_tile = "1x32", bind = {m.o = "block.x", n.o = "block.y"}, vectorize = {axis = "n.i.i", width = 1}}> {
  pto.tiles (%m, %n) in [8, 64] step [1, 64] {
    %0 = pto.tile.load.map %x[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 64] dims [0, 1] : memref<8x64xf32> -> tile<1x64xf32>
    %1 = pto.tile.neg %0 : tile<1x64xf32>
    pto.tile.store.map %1, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 64] dims [0, 1] : tile<1x64xf32>, memref<8x64xf32>
    %2 = pto.tile.rowmax %0 : tile<1x64xf32> -> tile<1x1xf32>
    %3 = pto.tile.rowexpand %2 : tile<1x1xf32> -> tile<1x64xf32>
    %4 = pto.tile.rowsum %3 : tile<1x64xf32> -> tile<1x1xf32>
    %i = pto.tile.iota [%m, %n] by <"{ [i0, i1] -> [(i1)] }"> in [8, 64] dims [0, 1] : tile<1x64xsi32>
    %5 = pto.tile.rowmin %i : tile<1x64xsi32> -> tile<1x1xsi32>
    pto.tile.store.map %4, %z[%m, %n] by <"{ [i0, i1] -> [(i0)] }"> in [8, 64] dims [0, 1] : tile<1x1xf32>, memref<8xf32>
    pto.tile.store.map %5, %w[%m, %n] by <"{ [i0, i1] -> [(i0)] }"> in [8, 64] dims [0, 1] : tile<1x1xsi32>, memref<8xsi32>
  }
}

// -----

// Four lanes a row, eight rows a warp, and an axis of its own along z.

// CHECK-LABEL: "gpu.func"
// CHECK: %0 = "gpu.block_id"() <{dimension = #gpu<dim z>}> : () -> index
// CHECK-NEXT: %1 = nv.map[%0, %c0, %c0] in [3, 8, 64] dims [1, 2] guard [1] tile [16, 64] ins(%x : memref<3x8x64xi1>) addresses [#poly.map<"{ [i0, i1, i2] -> [(512i0 + 64i1 + i2)] }">] widths [4] -> !nv.frag<16x64xi1, lane(4: 4j, 8: i) warp(2: 8i) reg(4: j, 4: 16j)> {
// CHECK-NEXT: ^bb0(%x_1: i1):
// CHECK-NEXT: nv.yield %x_1 : i1
// CHECK-NEXT: }
// CHECK-NEXT: %2 = nv.row_reduce %1 : !nv.frag<16x64xi1, lane(4: 4j, 8: i) warp(2: 8i) reg(4: j, 4: 16j)> -> !nv.frag<16x1xi1, lane(4: 0, 8: i) warp(2: 8i)> {
// CHECK-NEXT: ^bb0(%3: i1, %4: i1):
// CHECK-NEXT: %5 = arith.ori %3, %4 : i1
// CHECK-NEXT: nv.yield %5 : i1
// CHECK-NEXT: }
// CHECK-NEXT: nv.map(%2 : !nv.frag<16x1xi1, lane(4: 0, 8: i) warp(2: 8i)>) [%0, %c0, %c0] in [3, 8, 64] dims [1, 2] guard [1] tile [16, 1] outs(%y : memref<3x8xi1>) addresses [#poly.map<"{ [i0, i1, i2] -> [(8i0 + i1)] }">] widths [1] {
// CHECK-NEXT: ^bb0(%6: i1):
// CHECK-NEXT: nv.yield %6 : i1
// CHECK-NEXT: }

pto.kernel @k(%x: memref<3x8x64xi1> align 16) -> (%y: memref<3x8xi1> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [16, 64], warp_tile = "8x64", bind = {m.o = "block.x", n.o = "block.y"}, vectorize = {axis = "n.i.i", width = 4}, predicate_tail = ["m.i.i"]}> {
  pto.tiles (%b, %m, %n) in [3, 8, 64] step [1, 16, 64] {
    %0 = pto.tile.load.map %x[%b, %m, %n] by <"{ [i0, i1, i2] -> [(i0), (i1), (i2)] }"> in [3, 8, 64] dims [1, 2] : memref<3x8x64xi1> -> tile<16x64xi1>
    %1 = pto.tile.rowmax %0 : tile<16x64xi1> -> tile<16x1xi1>
    pto.tile.store.map %1, %y[%b, %m, %n] by <"{ [i0, i1, i2] -> [(i0), (i1)] }"> in [3, 8, 64] dims [1, 2] : tile<16x1xi1>, memref<3x8xi1>
  }
}

// -----

// Rows of 101 elements, from the second column on: vectors are realigned, those of bytes too. So are the weights, whose last vector is
// not whole. Others are accessed element by element: an array at any multiple of 4 bytes, columns that are not contiguous, and
// a part of a row.

// CHECK-LABEL: "gpu.func"
// CHECK: ins(%x, %q, %g, %u, %t, %p : memref<8x102xf32>, memref<8x101xui8>, memref<101xf32>, memref<8x101xf32>, memref<101x8xf32>, memref<8x99xf32>) addresses [#poly.map<"{ [i0, i1] -> [(1 + 102i0 + i1)] }">,
// CHECK-SAME: widths [4, 4, 4, 1, 1, 1] realigned [0, 1, 2] where [
// CHECK: outs(%y : memref<8x101xf32>) addresses [#poly.map<"{ [i0, i1] -> [(101i0 + i1)] }">] widths [4] realigned [0] {

pto.kernel @k(%x: memref<8x102xf32> align 16, %q: memref<8x101xui8> align 16, %g: memref<101xf32> align 16, %u: memref<8x101xf32> align 4, %t: memref<101x8xf32> align 16, %p: memref<8x99xf32> align 16) -> (%y: memref<8x101xf32> align 256 gmem) plan #plan.schedule<{arch = "sm80", tile = [4, 128], warp_tile = "1x128", bind = {m.o = "block.x", n.o = "block.y"}, vectorize = {axis = "n.i.i", width = 4}, predicate_tail = ["n.i.i"]}> {
  pto.tiles (%m, %n) in [8, 101] step [4, 128] {
    %0 = pto.tile.load.map %x[%m, %n] by <"{ [i0, i1] -> [(i0), (1 + i1)] }"> in [8, 101] dims [0, 1] : memref<8x102xf32> -> tile<4x128xf32>
    %1 = pto.tile.load.map %q[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 101] dims [0, 1] : memref<8x101xui8> -> tile<4x128xui8>
    %2 = pto.tile.load.map %g[%m, %n] by <"{ [i0, i1] -> [(i1)] }"> in [8, 101] dims [0, 1] : memref<101xf32> -> tile<4x128xf32>
    %3 = pto.tile.load.map %u[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 101] dims [0, 1] : memref<8x101xf32> -> tile<4x128xf32>
    %4 = pto.tile.load.map %t[%m, %n] by <"{ [i0, i1] -> [(i1), (i0)] }"> in [8, 101] dims [0, 1] : memref<101x8xf32> -> tile<4x128xf32>
    %5 = pto.tile.load.map %p[%m, %n] by <"{ [i0, i1] -> [(i0), (-2 + i1)] }"> in [8, 101] dims [0, 1] where <"{ [i0, i1] : i1 >= 2 }"> : memref<8x99xf32> -> tile<4x128xf32>
    %6 = pto.tile.cvt %1 : tile<4x128xui8> -> tile<4x128xf32>
    %7 = pto.tile.add %0, %6 : tile<4x128xf32>
    %8 = pto.tile.mul %7, %2 : tile<4x128xf32>
    %9 = pto.tile.add %8, %3 : tile<4x128xf32>
    %10 = pto.tile.add %9, %4 : tile<4x128xf32>
    %11 = pto.tile.add %10, %5 : tile<4x128xf32>
    %12 = pto.tile.mask[%m, %n] in [8, 101] dims [0, 1] : tile<4x128xi1>
    %13 = pto.tile.expands 0.0 : f32 : tile<4x128xf32>
    %14 = pto.tile.sel %12, %11, %13 : tile<4x128xi1>, tile<4x128xf32>
    %15 = pto.tile.rowsum %14 : tile<4x128xf32> -> tile<4x1xf32>
    %16 = pto.tile.rowexpand %15 : tile<4x1xf32> -> tile<4x128xf32>
    pto.tile.store.map %16, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [8, 101] dims [0, 1] : tile<4x128xf32>, memref<8x101xf32>
  }
}
