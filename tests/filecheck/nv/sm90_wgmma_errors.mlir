// RUN: ptir-opt %s --split-input-file --verify-diagnostics

// One case for each rule of SM90: wgmma and the uses of its accumulators.

// wgmma: types, layouts, places.

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %sa = nv.smem at 0 : !nv.smem<4x128x64xbf16, b128>
    %sb = nv.smem at 65536 : !nv.smem<4x64x128xbf16, b128>
    nv.role consumer threads 128 to 384 {
      %cm = nv.frag : !nv.frag<64x64xf32, C of m16n8k16>
      // expected-error@+1 {{the accumulator is C of m16n8k16; it must be C of m64k16}}
      nv.wgmma.mma %cm, %sa[%c0, %c0, %c0] ND, %sb[%c0, %c0, %c0] ND : !nv.frag<64x64xf32, C of m16n8k16>, !nv.smem<4x128x64xbf16, b128>, !nv.smem<4x64x128xbf16, b128>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %sa = nv.smem at 0 : !nv.smem<4x128x64xbf16, b128>
    %sb = nv.smem at 65536 : !nv.smem<4x64x128xbf16, b128>
    nv.role consumer threads 128 to 384 {
      %a = nv.frag : !nv.frag<64x16xbf16, A of m64k16>
      // expected-error@+1 {{the accumulator is A of m64k16; it must be C of m64k16}}
      nv.wgmma.mma %a, %sa[%c0, %c0, %c0] ND, %sb[%c0, %c0, %c0] ND : !nv.frag<64x16xbf16, A of m64k16>, !nv.smem<4x128x64xbf16, b128>, !nv.smem<4x64x128xbf16, b128>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %sa = nv.smem at 0 : !nv.smem<4x128x64xbf16, b128>
    %sb = nv.smem at 65536 : !nv.smem<4x64x128xbf16, b128>
    nv.role consumer threads 128 to 384 {
      %half = nv.frag : !nv.frag<64x128xbf16, C of m64k16>
      // expected-error@+1 {{the accumulator is bf16; it must be f32}}
      nv.wgmma.mma %half, %sa[%c0, %c0, %c0] ND, %sb[%c0, %c0, %c0] ND : !nv.frag<64x128xbf16, C of m64k16>, !nv.smem<4x128x64xbf16, b128>, !nv.smem<4x64x128xbf16, b128>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %si = nv.smem at 180224 : !nv.smem<2x64x128xi8, b128>
    nv.role consumer threads 128 to 384 {
      %ci40 = nv.frag : !nv.frag<64x40xi32, C of m64k32_i8>
      // expected-error@+1 {{the accumulator has shape [64, 40], expected columns in multiples of 8 up to 256; for integers}}
      nv.wgmma.mma %ci40, %si[%c0, %c0, %c0] ND, %si[%c0, %c0, %c0] DN : !nv.frag<64x40xi32, C of m64k32_i8>, !nv.smem<2x64x128xi8, b128>, !nv.smem<2x64x128xi8, b128>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %sa = nv.smem at 0 : !nv.smem<4x128x64xbf16, b128>
    %sb = nv.smem at 65536 : !nv.smem<4x64x128xbf16, b128>
    nv.role consumer threads 128 to 384 {
      %acc = nv.frag : !nv.frag<64x128xf32, C of m64k16>
      // expected-error@+1 {{'layout' is 'NN'}}
      nv.wgmma.mma %acc, %sa[%c0, %c0, %c0] ND, %sb[%c0, %c0, %c0] NN : !nv.frag<64x128xf32, C of m64k16>, !nv.smem<4x128x64xbf16, b128>, !nv.smem<4x64x128xbf16, b128>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %sa = nv.smem at 0 : !nv.smem<4x128x64xbf16, b128>
    %sf = nv.smem at 196608 : !nv.smem<2x64x32xf32, b128>
    nv.role consumer threads 128 to 384 {
      %acc = nv.frag : !nv.frag<64x128xf32, C of m64k16>
      // expected-error@+1 {{b's element type is f32; m64k16 does not multiply it}}
      nv.wgmma.mma %acc, %sa[%c0, %c0, %c0] ND, %sf[%c0, %c0, %c0] ND : !nv.frag<64x128xf32, C of m64k16>, !nv.smem<4x128x64xbf16, b128>, !nv.smem<2x64x32xf32, b128>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %sa = nv.smem at 0 : !nv.smem<4x128x64xbf16, b128>
    %sx = nv.smem at 147456 : !nv.smem<4x64x64xbf16, xor>
    nv.role consumer threads 128 to 384 {
      %cc = nv.frag : !nv.frag<64x64xf32, C of m64k16>
      // expected-error@+1 {{b's swizzle is xor; wgmma reads b128, b64 or b32}}
      nv.wgmma.mma %cc, %sa[%c0, %c0, %c0] ND, %sx[%c0, %c0, %c0] ND : !nv.frag<64x64xf32, C of m64k16>, !nv.smem<4x128x64xbf16, b128>, !nv.smem<4x64x64xbf16, xor>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %si = nv.smem at 180224 : !nv.smem<2x64x128xi8, b128>
    nv.role consumer threads 128 to 384 {
      %ci = nv.frag : !nv.frag<64x64xi32, C of m64k32_i8>
      // expected-error@+1 {{b with rows across k is i8; wgmma transposes 16-bit elements only}}
      nv.wgmma.mma %ci, %si[%c0, %c0, %c0] ND, %si[%c0, %c0, %c0] ND : !nv.frag<64x64xi32, C of m64k32_i8>, !nv.smem<2x64x128xi8, b128>, !nv.smem<2x64x128xi8, b128>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %sf = nv.smem at 196608 : !nv.smem<2x64x32xf32, b128>
    nv.role consumer threads 128 to 384 {
      %ct = nv.frag : !nv.frag<64x64xf32, C of m64k8>
      // expected-error@+1 {{a with rows across k is f32; wgmma transposes 16-bit elements only}}
      nv.wgmma.mma %ct, %sf[%c0, %c0, %c0] DN, %sf[%c0, %c0, %c0] DN : !nv.frag<64x64xf32, C of m64k8>, !nv.smem<2x64x32xf32, b128>, !nv.smem<2x64x32xf32, b128>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %sa = nv.smem at 0 : !nv.smem<4x128x64xbf16, b128>
    %sb = nv.smem at 65536 : !nv.smem<4x64x128xbf16, b128>
    nv.role consumer threads 128 to 384 {
      %acc = nv.frag : !nv.frag<64x128xf32, C of m64k16>
      // expected-error@+1 {{b has shape 128x16, expected within a slot of [64, 128]}}
      nv.wgmma.mma %acc, %sa[%c0, %c0, %c0] ND, %sb[%c0, %c0, %c0] DN : !nv.frag<64x128xf32, C of m64k16>, !nv.smem<4x128x64xbf16, b128>, !nv.smem<4x64x128xbf16, b128>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %sa = nv.smem at 0 : !nv.smem<4x128x64xbf16, b128>
    %sb = nv.smem at 65536 : !nv.smem<4x64x128xbf16, b128>
    nv.role consumer threads 128 to 384 {
      %acc = nv.frag : !nv.frag<64x128xf32, C of m64k16>
      // expected-error@+1 {{'slot' is 4}}
      nv.wgmma.mma %acc, %sa[%c0, %c0, %c0] ND, %sb[%c4, %c0, %c0] ND : !nv.frag<64x128xf32, C of m64k16>, !nv.smem<4x128x64xbf16, b128>, !nv.smem<4x64x128xbf16, b128>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %c7 = arith.constant 7 : index
    %sa = nv.smem at 0 : !nv.smem<4x128x64xbf16, b128>
    %sb = nv.smem at 65536 : !nv.smem<4x64x128xbf16, b128>
    nv.role consumer threads 128 to 384 {
      %acc = nv.frag : !nv.frag<64x128xf32, C of m64k16>
      // expected-error@+1 {{'slot' is 7}}
      nv.wgmma.mma %acc, %sa[%c7, %c0, %c0] ND, %sb[%c0, %c0, %c0] ND : !nv.frag<64x128xf32, C of m64k16>, !nv.smem<4x128x64xbf16, b128>, !nv.smem<4x64x128xbf16, b128>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %sa = nv.smem at 0 : !nv.smem<4x128x64xbf16, b128>
    %sb = nv.smem at 65536 : !nv.smem<4x64x128xbf16, b128>
    nv.role consumer threads 128 to 384 {
      %acc = nv.frag : !nv.frag<64x128xf32, C of m64k16>
      // expected-error@+1 {{'row of a' is 4}}
      nv.wgmma.mma %acc, %sa[%c0, %c4, %c0] ND, %sb[%c0, %c0, %c0] ND : !nv.frag<64x128xf32, C of m64k16>, !nv.smem<4x128x64xbf16, b128>, !nv.smem<4x64x128xbf16, b128>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %c72 = arith.constant 72 : index
    %sa = nv.smem at 0 : !nv.smem<4x128x64xbf16, b128>
    %sb = nv.smem at 65536 : !nv.smem<4x64x128xbf16, b128>
    nv.role consumer threads 128 to 384 {
      %acc = nv.frag : !nv.frag<64x128xf32, C of m64k16>
      // expected-error@+1 {{'row of a' is 72}}
      nv.wgmma.mma %acc, %sa[%c0, %c72, %c0] ND, %sb[%c0, %c0, %c0] ND : !nv.frag<64x128xf32, C of m64k16>, !nv.smem<4x128x64xbf16, b128>, !nv.smem<4x64x128xbf16, b128>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %sa = nv.smem at 0 : !nv.smem<4x128x64xbf16, b128>
    %sb = nv.smem at 65536 : !nv.smem<4x64x128xbf16, b128>
    nv.role consumer threads 128 to 384 {
      %acc = nv.frag : !nv.frag<64x128xf32, C of m64k16>
      // expected-error@+1 {{'column of a' is 8}}
      nv.wgmma.mma %acc, %sa[%c0, %c0, %c8] ND, %sb[%c0, %c0, %c0] ND : !nv.frag<64x128xf32, C of m64k16>, !nv.smem<4x128x64xbf16, b128>, !nv.smem<4x64x128xbf16, b128>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %sa = nv.smem at 0 : !nv.smem<4x128x64xbf16, b128>
    %sb = nv.smem at 65536 : !nv.smem<4x64x128xbf16, b128>
    nv.role consumer threads 128 to 384 {
      %acc = nv.frag : !nv.frag<64x128xf32, C of m64k16>
      // expected-error@+1 {{'column of a' is 64}}
      nv.wgmma.mma %acc, %sa[%c0, %c0, %c64] ND, %sb[%c0, %c0, %c0] ND : !nv.frag<64x128xf32, C of m64k16>, !nv.smem<4x128x64xbf16, b128>, !nv.smem<4x64x128xbf16, b128>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %c56 = arith.constant 56 : index
    %sa = nv.smem at 0 : !nv.smem<4x128x64xbf16, b128>
    %sb = nv.smem at 65536 : !nv.smem<4x64x128xbf16, b128>
    nv.role consumer threads 128 to 384 {
      %acc = nv.frag : !nv.frag<64x128xf32, C of m64k16>
      // expected-error@+1 {{'row of b' is 56}}
      nv.wgmma.mma %acc, %sa[%c0, %c0, %c0] ND, %sb[%c0, %c56, %c0] ND : !nv.frag<64x128xf32, C of m64k16>, !nv.smem<4x128x64xbf16, b128>, !nv.smem<4x64x128xbf16, b128>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %sa = nv.smem at 0 : !nv.smem<4x128x64xbf16, b128>
    %sb = nv.smem at 65536 : !nv.smem<4x64x128xbf16, b128>
    nv.role consumer threads 128 to 384 {
      %cc = nv.frag : !nv.frag<64x64xf32, C of m64k16>
      // expected-error@+1 {{'column of b' is 32}}
      nv.wgmma.mma %cc, %sa[%c0, %c0, %c0] ND, %sb[%c0, %c0, %c32] ND : !nv.frag<64x64xf32, C of m64k16>, !nv.smem<4x128x64xbf16, b128>, !nv.smem<4x64x128xbf16, b128>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %sb = nv.smem at 65536 : !nv.smem<4x64x128xbf16, b128>
    nv.role consumer threads 128 to 384 {
      %acc = nv.frag : !nv.frag<64x128xf32, C of m64k16>
      // expected-error@+1 {{'column of a' is 16}}
      nv.wgmma.mma %acc, %sb[%c0, %c0, %c16] DN, %sb[%c0, %c0, %c0] ND : !nv.frag<64x128xf32, C of m64k16>, !nv.smem<4x64x128xbf16, b128>, !nv.smem<4x64x128xbf16, b128>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %sa = nv.smem at 0 : !nv.smem<4x128x64xbf16, b128>
    %sh = nv.smem at 212992 : !nv.smem<2x64x64xf16, b128>
    nv.role consumer threads 128 to 384 {
      %cc = nv.frag : !nv.frag<64x64xf32, C of m64k16>
      // expected-error@+1 {{b's element type is f16; a holds bf16}}
      nv.wgmma.mma %cc, %sa[%c0, %c0, %c0] ND, %sh[%c0, %c0, %c0] ND : !nv.frag<64x64xf32, C of m64k16>, !nv.smem<4x128x64xbf16, b128>, !nv.smem<2x64x64xf16, b128>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %sb = nv.smem at 65536 : !nv.smem<4x64x128xbf16, b128>
    nv.role consumer threads 128 to 384 {
      %acc = nv.frag : !nv.frag<64x128xf32, C of m64k16>
      %a2 = nv.frag : !nv.frag<128x16xbf16, A of m64k16>
      // expected-error@+1 {{a is !nv.frag<128x16xbf16, A of m64k16>; it must have 64 rows and be A of m64k16}}
      nv.wgmma.mma_frag %acc, %a2, %sb[%c0, %c0, %c0] ND : !nv.frag<64x128xf32, C of m64k16>, !nv.frag<128x16xbf16, A of m64k16>, !nv.smem<4x64x128xbf16, b128>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %sb = nv.smem at 65536 : !nv.smem<4x64x128xbf16, b128>
    nv.role consumer threads 128 to 384 {
      %acc = nv.frag : !nv.frag<64x128xf32, C of m64k16>
      %acc2 = nv.frag : !nv.frag<64x128xf32, C of m64k16>
      // expected-error@+1 {{a is !nv.frag<64x128xf32, C of m64k16>; it must have 64 rows and be A of m64k16}}
      nv.wgmma.mma_frag %acc, %acc2, %sb[%c0, %c0, %c0] ND : !nv.frag<64x128xf32, C of m64k16>, !nv.frag<64x128xf32, C of m64k16>, !nv.smem<4x64x128xbf16, b128>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %sb = nv.smem at 65536 : !nv.smem<4x64x128xbf16, b128>
    nv.role consumer threads 128 to 384 {
      %acc = nv.frag : !nv.frag<64x128xf32, C of m64k16>
      %ah = nv.frag : !nv.frag<64x16xf16, A of m64k16>
      // expected-error@+1 {{b's element type is bf16; a holds f16}}
      nv.wgmma.mma_frag %acc, %ah, %sb[%c0, %c0, %c0] ND : !nv.frag<64x128xf32, C of m64k16>, !nv.frag<64x16xf16, A of m64k16>, !nv.smem<4x64x128xbf16, b128>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %sb = nv.smem at 65536 : !nv.smem<4x64x128xbf16, b128>
    nv.role consumer threads 128 to 384 {
      %acc = nv.frag : !nv.frag<64x128xf32, C of m64k16>
      %raw = nv.frag : !nv.frag<64x16xi8, A of m64k16>
      // expected-error@+1 {{a's element type is i8; m64k16 does not multiply it}}
      nv.wgmma.mma_frag %acc, %raw, %sb[%c0, %c0, %c0] ND : !nv.frag<64x128xf32, C of m64k16>, !nv.frag<64x16xi8, A of m64k16>, !nv.smem<4x64x128xbf16, b128>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    nv.role consumer threads 128 to 384 {
      // expected-error@+1 {{'pending' is 8}}
      nv.wgmma.wait 8
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    // expected-error@+1 {{'nv.wgmma.fence' is collective over a warpgroup: it belongs inside nv.role}}
    nv.wgmma.fence
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    nv.role consumer threads 128 to 384 {
      // expected-note@+1 {{this region is executed by a single thread}}
      nv.single role {
        // expected-error@+1 {{'nv.wgmma.fence' must be reached by all threads of a warpgroup}}
        nv.wgmma.fence
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    // expected-error@+1 {{'nv.wgmma.commit' is collective over a warpgroup: it belongs inside nv.role}}
    nv.wgmma.commit
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    nv.role consumer threads 128 to 384 {
      // expected-note@+1 {{this region is executed by a single thread}}
      nv.single role {
        // expected-error@+1 {{'nv.wgmma.commit' must be reached by all threads of a warpgroup}}
        nv.wgmma.commit
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    // expected-error@+1 {{'nv.wgmma.wait' is collective over a warpgroup: it belongs inside nv.role}}
    nv.wgmma.wait 0
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    nv.role consumer threads 128 to 384 {
      // expected-note@+1 {{this region is executed by a single thread}}
      nv.single role {
        // expected-error@+1 {{'nv.wgmma.wait' must be reached by all threads of a warpgroup}}
        nv.wgmma.wait 0
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %sa = nv.smem at 0 : !nv.smem<4x128x64xbf16, b128>
    %sb = nv.smem at 65536 : !nv.smem<4x64x128xbf16, b128>
    nv.role consumer threads 128 to 384 {
      %acc = nv.frag : !nv.frag<64x128xf32, C of m64k16>
      // expected-note@+1 {{this region is executed by a single thread}}
      nv.single role {
        // expected-error@+1 {{'nv.wgmma.mma' must be reached by all threads of a warpgroup}}
        nv.wgmma.mma %acc, %sa[%c0, %c0, %c0] ND, %sb[%c0, %c0, %c0] ND : !nv.frag<64x128xf32, C of m64k16>, !nv.smem<4x128x64xbf16, b128>, !nv.smem<4x64x128xbf16, b128>
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    // expected-error@+1 {{'nv.frag' is collective over the fragment's warpgroup: it belongs inside nv.role}}
    %acc = nv.frag : !nv.frag<64x128xf32, C of m64k16>
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    nv.role consumer threads 128 to 384 {
      %half = nv.frag : !nv.frag<64x128xbf16, C of m64k16>
      // expected-error@+1 {{acc is !nv.frag<64x128xbf16, C of m64k16>; it must be f32, C of a wgmma}}
      nv.promote %half to %half : !nv.frag<64x128xbf16, C of m64k16>, !nv.frag<64x128xbf16, C of m64k16>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    nv.role consumer threads 128 to 384 {
      %acc = nv.frag : !nv.frag<64x128xf32, C of m64k16>
      %cc = nv.frag : !nv.frag<64x64xf32, C of m64k16>
      // expected-error@+1 {{part is !nv.frag<64x64xf32, C of m64k16>; it must be another accumulator}}
      nv.promote %cc to %acc : !nv.frag<64x64xf32, C of m64k16>, !nv.frag<64x128xf32, C of m64k16>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    nv.role consumer threads 128 to 384 {
      %acc = nv.frag : !nv.frag<64x128xf32, C of m64k16>
      // expected-error@+1 {{part is !nv.frag<64x128xf32, C of m64k16>; it must be another accumulator}}
      nv.promote %acc to %acc : !nv.frag<64x128xf32, C of m64k16>, !nv.frag<64x128xf32, C of m64k16>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %sc = nv.smem at 131072 : !nv.smem<2x64x64xbf16, b128>
    nv.role consumer threads 128 to 384 {
      %cm = nv.frag : !nv.frag<64x64xf32, C of m16n8k16>
      // expected-error@+1 {{the result is C of m16n8k16; it must be C of a wgmma}}
      nv.stmatrix %cm column 0 ND to %sc[%c0, %c0, %c0] : !nv.frag<64x64xf32, C of m16n8k16>, !nv.smem<2x64x64xbf16, b128>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %sh = nv.smem at 212992 : !nv.smem<2x64x64xf16, b128>
    nv.role consumer threads 128 to 384 {
      %half = nv.frag : !nv.frag<64x128xbf16, C of m64k16>
      // expected-error@+1 {{the slot's element type is f16; the result is bf16}}
      nv.stmatrix %half column 64 ND to %sh[%c0, %c0, %c0] : !nv.frag<64x128xbf16, C of m64k16>, !nv.smem<2x64x64xf16, b128>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %sc = nv.smem at 131072 : !nv.smem<2x64x64xbf16, b128>
    nv.role consumer threads 128 to 384 {
      %half = nv.frag : !nv.frag<64x128xbf16, C of m64k16>
      // expected-error@+1 {{'layout' is 'NN'}}
      nv.stmatrix %half column 64 NN to %sc[%c0, %c0, %c0] : !nv.frag<64x128xbf16, C of m64k16>, !nv.smem<2x64x64xbf16, b128>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %sf = nv.smem at 196608 : !nv.smem<2x64x32xf32, b128>
    nv.role consumer threads 128 to 384 {
      %acc = nv.frag : !nv.frag<64x128xf32, C of m64k16>
      // expected-error@+1 {{a transposed result is f32; stmatrix.trans moves 16-bit elements}}
      nv.stmatrix %acc column 64 DN to %sf[%c0, %c0, %c0] : !nv.frag<64x128xf32, C of m64k16>, !nv.smem<2x64x32xf32, b128>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %sc = nv.smem at 131072 : !nv.smem<2x64x64xbf16, b128>
    nv.role consumer threads 128 to 384 {
      %half = nv.frag : !nv.frag<64x128xbf16, C of m64k16>
      // expected-error@+1 {{the slot has shape [64, 64] from column 72 on}}
      nv.stmatrix %half column 72 ND to %sc[%c0, %c0, %c0] : !nv.frag<64x128xbf16, C of m64k16>, !nv.smem<2x64x64xbf16, b128>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %sc = nv.smem at 131072 : !nv.smem<2x64x64xbf16, b128>
    nv.role consumer threads 128 to 384 {
      %half = nv.frag : !nv.frag<64x128xbf16, C of m64k16>
      // expected-error@+1 {{the slot has shape [64, 64] from column 128 on}}
      nv.stmatrix %half column 128 ND to %sc[%c0, %c0, %c0] : !nv.frag<64x128xbf16, C of m64k16>, !nv.smem<2x64x64xbf16, b128>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %sa = nv.smem at 0 : !nv.smem<4x128x64xbf16, b128>
    nv.role consumer threads 128 to 384 {
      %half = nv.frag : !nv.frag<64x128xbf16, C of m64k16>
      // expected-error@+1 {{the slot has shape [128, 64] from column 0 on, expected 64 rows}}
      nv.stmatrix %half column 0 ND to %sa[%c0, %c0, %c0] : !nv.frag<64x128xbf16, C of m64k16>, !nv.smem<4x128x64xbf16, b128>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %sc = nv.smem at 131072 : !nv.smem<2x64x64xbf16, b128>
    nv.role consumer threads 128 to 384 {
      %half = nv.frag : !nv.frag<64x128xbf16, C of m64k16>
      // expected-error@+1 {{'slot' is 2}}
      nv.stmatrix %half column 64 ND to %sc[%c2, %c0, %c0] : !nv.frag<64x128xbf16, C of m64k16>, !nv.smem<2x64x64xbf16, b128>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %sc = nv.smem at 131072 : !nv.smem<2x64x64xbf16, b128>
    nv.role consumer threads 128 to 384 {
      %half = nv.frag : !nv.frag<64x128xbf16, C of m64k16>
      // expected-error@+1 {{'row' is 8}}
      nv.stmatrix %half column 64 ND to %sc[%c0, %c8, %c0] : !nv.frag<64x128xbf16, C of m64k16>, !nv.smem<2x64x64xbf16, b128>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %sc = nv.smem at 131072 : !nv.smem<2x64x64xbf16, b128>
    nv.role consumer threads 128 to 384 {
      %half = nv.frag : !nv.frag<64x128xbf16, C of m64k16>
      // expected-error@+1 {{'column' is 16}}
      nv.stmatrix %half column 64 ND to %sc[%c0, %c0, %c16] : !nv.frag<64x128xbf16, C of m64k16>, !nv.smem<2x64x64xbf16, b128>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %sc = nv.smem at 131072 : !nv.smem<2x64x64xbf16, b128>
    nv.role consumer threads 128 to 384 {
      %half = nv.frag : !nv.frag<64x128xbf16, C of m64k16>
      // expected-note@+1 {{this region is executed by a single thread}}
      nv.single warpgroup {
        // expected-error@+1 {{'nv.stmatrix' must be reached by all threads of a warpgroup}}
        nv.stmatrix %half column 64 ND to %sc[%c0, %c0, %c0] : !nv.frag<64x128xbf16, C of m64k16>, !nv.smem<2x64x64xbf16, b128>
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<64x128xf32>) -> (), kernel}> ({
  ^bb0(%g: memref<64x128xf32>):
    %c0 = arith.constant 0 : index
    nv.role consumer threads 128 to 384 {
      %acc = nv.frag : !nv.frag<64x128xf32, C of m64k16>
      // expected-note@+1 {{this region is executed by a single thread}}
      nv.single warpgroup {
        // expected-error@+1 {{'nv.epilogue' must be reached by all threads of a warpgroup}}
        nv.epilogue %acc : !nv.frag<64x128xf32, C of m64k16> [%c0, %c0] in [64, 128] dims [0, 1] guard [] tile [64, 128] outs(%g : memref<64x128xf32>) addresses [#poly.map<"{ [i0, i1] -> [(128i0 + i1)] }">] widths [2] {
        ^bb0(%x: f32):
          nv.yield %x : f32
        }
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<6x64x128xf32>) -> (), kernel}> ({
  ^bb0(%ws: memref<6x64x128xf32>):
    %c0 = arith.constant 0 : index
    nv.role consumer threads 128 to 384 {
      %acc = nv.frag : !nv.frag<64x128xf32, C of m64k16>
      // expected-error@+1 {{the workspace has shape [6, 64, 128], expected slots of [64, 128] of 2 warpgroups}}
      nv.frag_store %acc to %ws[%c0] : !nv.frag<64x128xf32, C of m64k16>, memref<6x64x128xf32>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<6x64x128xf32>) -> (), kernel}> ({
  ^bb0(%ws: memref<6x64x128xf32>):
    %c0 = arith.constant 0 : index
    nv.role consumer threads 128 to 384 {
      %cm = nv.frag : !nv.frag<64x64xf32, C of m16n8k16>
      // expected-error@+1 {{the workspace has shape [6, 64, 128], expected slots of [64, 64] of 8 warps}}
      nv.frag_add %ws[%c0] to %cm : memref<6x64x128xf32>, !nv.frag<64x64xf32, C of m16n8k16>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<6xi32>) -> (), kernel}> ({
  ^bb0(%cn: memref<6xi32>):
    %c0 = arith.constant 0 : index
    nv.role consumer threads 128 to 384 {
      // expected-note@+1 {{this region is executed by a single thread}}
      nv.single role {
        // expected-error@+1 {{'nv.semaphore.acquire' must be reached by all threads of its role}}
        nv.semaphore.acquire %cn[%c0] for %c0 : memref<6xi32>
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<64x128xf32>) -> (), kernel}> ({
  ^bb0(%g: memref<64x128xf32>):
    %c0 = arith.constant 0 : index
    %sf = nv.smem at 196608 : !nv.smem<2x64x32xf32, b128>
    nv.role consumer threads 128 to 384 {
      // expected-note@+1 {{this region is executed by a single thread}}
      nv.single role {
        // expected-error@+1 {{'nv.cp_async' must be reached by all threads of its role}}
        nv.cp_async %g[%c0, %c0] to %sf[%c0] address <"{ [i0, i1] -> [(128i0 + i1)] }"> in [64, 128] dims [0, 1] guard [] bytes 16 : memref<64x128xf32>, !nv.smem<2x64x32xf32, b128>
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %sa = nv.smem at 0 : !nv.smem<4x128x64xbf16, b128>
    nv.role consumer threads 128 to 384 {
      %x = nv.frag : !nv.frag<16x16xbf16, A of m16n8k16>
      // expected-error@+1 {{'nv.store_operand' stores operand A of a wgmma of 16-bit elements, not bf16 as 'A of m16n8k16'}}
      nv.store_operand %sa[%c0, %c0, %c0] ND from %x : !nv.smem<4x128x64xbf16, b128>, !nv.frag<16x16xbf16, A of m16n8k16>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()
