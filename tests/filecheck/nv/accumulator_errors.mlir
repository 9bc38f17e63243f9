// RUN: ptir-opt %s --split-input-file --verify-diagnostics

// One case for each rule of ops on accumulators.

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %false = arith.constant false
    %sv = nv.smem at 0 : !nv.smem<2x32x32xbf16, b64>
    nv.role consumer threads 128 to 384 {
      %acc = nv.frag : !nv.frag<64x32xf32, C of m64k16>
      %p = nv.frag : !nv.frag<64x32xbf16, C of m64k16>
      %x = nv.map(%acc : !nv.frag<64x32xf32, C of m64k16>) [%c0, %c0] in [64, 32] dims [0, 1] guard [] tile [64, 32] addresses [] widths [] -> !nv.frag<64x32xf32, C of m64k16> {
      ^bb0(%a: f32):
        nv.yield %a : f32
      }
      // expected-error@+1 {{assigns to storage: the result of an nv.frag}}
      nv.assign %acc to %x : !nv.frag<64x32xf32, C of m64k16>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %false = arith.constant false
    %sv = nv.smem at 0 : !nv.smem<2x32x32xbf16, b64>
    nv.role consumer threads 128 to 384 {
      %acc = nv.frag : !nv.frag<64x32xf32, C of m64k16>
      %p = nv.frag : !nv.frag<64x32xbf16, C of m64k16>
      // expected-error@+1 {{the fragment is !nv.frag<64x32xf32, C of m64k16>; it must be f32 with a spelled layout, such as sums of rows}}
      nv.hold %acc : !nv.frag<64x32xf32, C of m64k16>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %false = arith.constant false
    %sv = nv.smem at 0 : !nv.smem<2x32x32xbf16, b64>
    nv.role consumer threads 128 to 384 {
      %acc = nv.frag : !nv.frag<64x32xf32, C of m64k16>
      %p = nv.frag : !nv.frag<64x32xbf16, C of m64k16>
      // expected-error@+1 {{'columns' is [0, 12]}}
      nv.assign %p to %p columns [0, 12] : !nv.frag<64x32xbf16, C of m64k16>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %false = arith.constant false
    %sv = nv.smem at 0 : !nv.smem<2x32x32xbf16, b64>
    nv.role consumer threads 128 to 384 {
      %acc = nv.frag : !nv.frag<64x32xf32, C of m64k16>
      %p = nv.frag : !nv.frag<64x32xbf16, C of m64k16>
      // expected-error@+1 {{the fragment is !nv.frag<64x32xf32, C of m64k16>; the layout must be spelled}}
      %some = nv.any_differs %acc from 1.000000e+00 : f32 : !nv.frag<64x32xf32, C of m64k16>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %false = arith.constant false
    %sv = nv.smem at 0 : !nv.smem<2x32x32xbf16, b64>
    nv.role consumer threads 128 to 384 {
      %acc = nv.frag : !nv.frag<64x32xf32, C of m64k16>
      %p = nv.frag : !nv.frag<64x32xbf16, C of m64k16>
      %f = nv.frag : !nv.frag<64x1xf32, lane(4: 0, 8: i, 4: 16i) reg(2: 8i)>
      %some = nv.any_differs %f from 1.000000e+00 : f32 : !nv.frag<64x1xf32, lane(4: 0, 8: i, 4: 16i) reg(2: 8i)>
      // expected-note@+1 {{control flow is uniform only within a warp here}}
      "scf.if"(%some) ({
        // expected-error@+1 {{must be reached by all threads of a warpgroup, but control flow diverges}}
        nv.wgmma.fence
        scf.yield
      }, {
      }) : (i1) -> ()
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %false = arith.constant false
    %sv = nv.smem at 0 : !nv.smem<2x32x32xbf16, b64>
    nv.role consumer threads 128 to 384 {
      %acc = nv.frag : !nv.frag<64x32xf32, C of m64k16>
      %p = nv.frag : !nv.frag<64x32xbf16, C of m64k16>
      nv.wgmma.fence
      // expected-error@+1 {{'column' is 8}}
      nv.wgmma.mma_frag %acc, %p column 8, %sv[%c0, %c0, %c0] ND : !nv.frag<64x32xf32, C of m64k16>, !nv.frag<64x32xbf16, C of m64k16>, !nv.smem<2x32x32xbf16, b64>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %false = arith.constant false
    %sv = nv.smem at 0 : !nv.smem<2x32x32xbf16, b64>
    nv.role consumer threads 128 to 384 {
      %acc = nv.frag : !nv.frag<64x32xf32, C of m64k16>
      %p = nv.frag : !nv.frag<64x32xbf16, C of m64k16>
      nv.wgmma.fence
      // expected-error@+1 {{a is !nv.frag<64x32xf32, C of m64k16>; it must have 64 rows of 16-bit elements and be C of m64k16}}
      nv.wgmma.mma_frag %acc, %acc column 16, %sv[%c0, %c0, %c0] ND : !nv.frag<64x32xf32, C of m64k16>, !nv.frag<64x32xf32, C of m64k16>, !nv.smem<2x32x32xbf16, b64>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %false = arith.constant false
    %sv = nv.smem at 0 : !nv.smem<2x32x32xbf16, b64>
    nv.role consumer threads 128 to 384 {
      // expected-error@+1 {{'barrier' is 15}}
      nv.order.wait 15
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %false = arith.constant false
    %sv = nv.smem at 0 : !nv.smem<2x32x32xbf16, b64>
    nv.role consumer threads 128 to 384 {
      nv.barrier 8 threads 128
      // expected-error@+1 {{'barrier' uses hardware barrier 8, which another nv.barrier uses}}
      nv.order.arrive 8
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %false = arith.constant false
    %sv = nv.smem at 0 : !nv.smem<2x32x32xbf16, b64>
    nv.role consumer threads 128 to 384 {
      %acc = nv.frag : !nv.frag<64x32xf32, C of m64k16>
      %p = nv.frag : !nv.frag<64x32xbf16, C of m64k16>
      %q = nv.frag : !nv.frag<64x32xbf16, C of m64k16>
      nv.wgmma.fence
      // expected-note@+1 {{in flight from here}}
      nv.wgmma.mma_frag %acc, %p column 0, %sv[%c0, %c0, %c0] ND : !nv.frag<64x32xf32, C of m64k16>, !nv.frag<64x32xbf16, C of m64k16>, !nv.smem<2x32x32xbf16, b64>
      nv.wgmma.commit
      // expected-error@+1 {{accesses registers of a wgmma in flight: put nv.wgmma.wait before it}}
      nv.assign %q to %p : !nv.frag<64x32xbf16, C of m64k16>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %false = arith.constant false
    %sv = nv.smem at 0 : !nv.smem<2x32x32xbf16, b64>
    nv.role consumer threads 128 to 384 {
      %acc = nv.frag : !nv.frag<64x32xf32, C of m64k16>
      %p = nv.frag : !nv.frag<64x32xbf16, C of m64k16>
      // expected-error@+1 {{expected the layout of !nv.frag<64x32xf32, C of m64k16>, or one element a row or a lane}}
      %x = nv.map(%acc, %p : !nv.frag<64x32xf32, C of m64k16>, !nv.frag<64x32xbf16, C of m64k16>) [%c0, %c0] in [64, 32] dims [0, 1] guard [] tile [64, 32] addresses [] widths [] -> !nv.frag<64x32xf32, C of m64k8> {
      ^bb0(%a: f32, %b: bf16):
        nv.yield %a : f32
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %false = arith.constant false
    %sv = nv.smem at 0 : !nv.smem<2x32x32xbf16, b64>
    nv.role consumer threads 128 to 256 {
      // expected-error@+1 {{orders the warpgroups of a role, but the role has only one}}
      nv.order.wait 8
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 256, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    nv.role consumer threads 128 to 384 {
      %acc = nv.frag : !nv.frag<64x32xf32, C of m64k16>
      %p = nv.frag : !nv.frag<64x32xbf16, C of m64k16>
      %x = nv.map(%acc : !nv.frag<64x32xf32, C of m64k16>) [%c0, %c0] in [64, 32] dims [0, 1] guard [] tile [64, 32] addresses [] widths [] -> !nv.frag<64x32xf32, C of m64k16> {
      ^bb0(%a: f32):
        nv.yield %a : f32
      }
      // expected-error@+1 {{writes into the storage of accumulators only: results of nv.frag}}
      nv.map(%acc : !nv.frag<64x32xf32, C of m64k16>) [%c0, %c0] in [64, 32] dims [0, 1] guard [] tile [64, 32] addresses [] widths [] into %x : !nv.frag<64x32xf32, C of m64k16> {
      ^bb0(%a: f32):
        nv.yield %a : f32
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    nv.role consumer threads 128 to 384 {
      %acc = nv.frag : !nv.frag<64x32xf32, C of m64k16>
      %p = nv.frag : !nv.frag<64x32xbf16, C of m64k16>
      // expected-error@+1 {{has a 'column', but does not just write columns of accumulators: give it 'into' only}}
      %x = nv.map(%acc : !nv.frag<64x32xf32, C of m64k16>) [%c0, %c0] in [64, 32] dims [0, 1] guard [] tile [64, 32] addresses [] widths [] column 0 -> !nv.frag<64x32xf32, C of m64k16> {
      ^bb0(%a: f32):
        nv.yield %a : f32
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    nv.role consumer threads 128 to 384 {
      %acc = nv.frag : !nv.frag<64x32xf32, C of m64k16>
      %p = nv.frag : !nv.frag<64x32xbf16, C of m64k16>
      // expected-error@+1 {{'column' is 24, of a tile of}}
      nv.map(%acc : !nv.frag<64x32xf32, C of m64k16>) [%c0, %c0] in [64, 32] dims [0, 1] guard [] tile [64, 16] addresses [] widths [] into %p : !nv.frag<64x32xbf16, C of m64k16> column 24 {
      ^bb0(%a: f32):
        %b = arith.truncf %a : f32 to bf16
        nv.yield %b : bf16
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()
