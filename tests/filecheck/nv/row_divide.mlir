// RUN: ptir-opt %s --split-input-file --verify-roundtrip | filecheck %s
// RUN: ptir-opt %s --split-input-file --print-op-generic | filecheck %s --check-prefix=GENERIC

// A divisor for each row, in all lanes that share the row.

// CHECK-LABEL: func.func @a_row_four_warps
// GENERIC: %q = "nv.row_divide"(%x, %s) : (!nv.frag<1x512xf32, lane(32: 4j) warp(4: 128j) reg(4: j)>, !nv.frag<1x1xf32, lane(32: 0) warp(4: 0)>) -> !nv.frag<1x512xf32, lane(32: 4j) warp(4: 128j) reg(4: j)>
func.func @a_row_four_warps(%x: !nv.frag<1x512xf32, lane(32: 4j) warp(4: 128j) reg(4: j)>, %s: !nv.frag<1x1xf32, lane(32: 0) warp(4: 0)>) {
  // CHECK: %q = nv.row_divide %x by %s : !nv.frag<1x512xf32, lane(32: 4j) warp(4: 128j) reg(4: j)>, !nv.frag<1x1xf32, lane(32: 0) warp(4: 0)>
  %q = nv.row_divide %x by %s : !nv.frag<1x512xf32, lane(32: 4j) warp(4: 128j) reg(4: j)>, !nv.frag<1x1xf32, lane(32: 0) warp(4: 0)>
  func.return
}

// -----

// CHECK-LABEL: func.func @rows_of_a_lane
func.func @rows_of_a_lane(%x: !nv.frag<8x16xf32, lane(8: j, 4: i) reg(2: 8j, 2: 4i)>, %s: !nv.frag<8x1xf32, lane(8: 0, 4: i) reg(2: 4i)>) {
  // CHECK: nv.row_divide %x by %s {note = "two rows"} :
  %q = nv.row_divide %x by %s {note = "two rows"} : !nv.frag<8x16xf32, lane(8: j, 4: i) reg(2: 8j, 2: 4i)>, !nv.frag<8x1xf32, lane(8: 0, 4: i) reg(2: 4i)>
  func.return
}
