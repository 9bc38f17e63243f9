// RUN: ptir-opt %s --split-input-file --verify-diagnostics

func.func @f(%x: !nv.frag<16x32xf32, C of m16n8k16>) {
  // expected-error@+1 {{the layout must be spelled}}
  %moved = nv.any_differs %x from 1.0 : f32 : !nv.frag<16x32xf32, C of m16n8k16>
  func.return
}

// -----

func.func @f(%x: !nv.frag<16x1xbf16, lane(4: 0, 8: i) reg(2: 8i)>) {
  // expected-error@+1 {{an element is bf16; expected f32}}
  %moved = nv.any_differs %x from 1.0 : f32 : !nv.frag<16x1xbf16, lane(4: 0, 8: i) reg(2: 8i)>
  func.return
}

// -----

// Warps may differ: no barrier of a warpgroup belongs under the vote of one.
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    nv.role consumer threads 128 to 384 {
      %f = nv.frag : !nv.frag<16x1xf32, lane(4: 0, 8: i) reg(2: 8i)>
      %moved = nv.any_differs %f from 1.0 : f32 : !nv.frag<16x1xf32, lane(4: 0, 8: i) reg(2: 8i)>
      // expected-note@+1 {{control flow is uniform only within a warp here}}
      scf.if %moved {
        // expected-error@+1 {{'nv.barrier' must be reached by all threads of a warpgroup, but control flow diverges}}
        nv.barrier 1 threads 128
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()
