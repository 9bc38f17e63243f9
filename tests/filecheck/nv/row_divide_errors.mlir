// RUN: ptir-opt %s --split-input-file --verify-diagnostics

func.func @f(%x: !nv.frag<16x32xf32, C of m16n8k16>, %s: !nv.frag<1x1xf32, lane(32: 0)>) {
  // expected-error@+1 {{the layout must be spelled}}
  %q = nv.row_divide %x by %s : !nv.frag<16x32xf32, C of m16n8k16>, !nv.frag<1x1xf32, lane(32: 0)>
  func.return
}

// -----

func.func @f(%x: !nv.frag<1x64xf64, lane(32: 2j) reg(2: j)>, %s: !nv.frag<1x1xf64, lane(32: 0)>) {
  // expected-error@+1 {{an element is f64; expected f32}}
  %q = nv.row_divide %x by %s : !nv.frag<1x64xf64, lane(32: 2j) reg(2: j)>, !nv.frag<1x1xf64, lane(32: 0)>
  func.return
}

// -----

func.func @f(%x: !nv.frag<8x16xf32, lane(8: j, 4: i) reg(2: 4i, 2: 8j)>, %s: !nv.frag<8x1xf32, lane(8: 0, 4: i) reg(2: 4i)>) {
  // expected-error@+1 {{the elements that a lane holds of a row must be consecutive}}
  %q = nv.row_divide %x by %s : !nv.frag<8x16xf32, lane(8: j, 4: i) reg(2: 4i, 2: 8j)>, !nv.frag<8x1xf32, lane(8: 0, 4: i) reg(2: 4i)>
  func.return
}

// -----

func.func @f(%x: !nv.frag<1x64xf32, lane(32: 2j) reg(2: j)>) {
  // expected-error@+1 {{the divisor is !nv.frag<1x64xf32, lane(32: 2j) reg(2: j)>; expected !nv.frag<1x1xf32, lane(32: 0)>}}
  %q = nv.row_divide %x by %x : !nv.frag<1x64xf32, lane(32: 2j) reg(2: j)>, !nv.frag<1x64xf32, lane(32: 2j) reg(2: j)>
  func.return
}

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %x = nv.frag : !nv.frag<4x64xf32, lane(32: 2j) warp(4: i) reg(2: j)>
    %s = nv.frag : !nv.frag<4x1xf32, lane(32: 0) warp(4: i)>
    // expected-error@+1 {{the block has 64 threads, not 128}}
    %q = nv.row_divide %x by %s : !nv.frag<4x64xf32, lane(32: 2j) warp(4: i) reg(2: j)>, !nv.frag<4x1xf32, lane(32: 0) warp(4: i)>
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 64, 1, 1>} : () -> ()
}) : () -> ()
