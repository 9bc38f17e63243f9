// RUN: ptir-opt %s --split-input-file --verify-diagnostics

// One case for each rule of SM90: bulk copies.

// Bulk copies.

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (!nv.tensor_map<128x64xbf16, b128>) -> (), kernel}> ({
  ^bb0(%ma: !nv.tensor_map<128x64xbf16, b128>):
    %c0 = arith.constant 0 : index
    %sa = nv.smem at 0 : !nv.smem<4x128x64xbf16, b128>
    %full = nv.mbarrier at 246784 : !nv.mbarrier<4>
    nv.role consumer threads 128 to 384 {
      // expected-error@+1 {{'nv.tma_load' is executed by one thread: it belongs inside nv.single}}
      nv.tma_load %ma[%c0, %c0] to %sa[%c0, %c0, %c0] signal %full[%c0] : !nv.tensor_map<128x64xbf16, b128>, !nv.smem<4x128x64xbf16, b128>, !nv.mbarrier<4>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %sa = nv.smem at 0 : !nv.smem<4x128x64xbf16, b128>
    %full = nv.mbarrier at 246784 : !nv.mbarrier<4>
    nv.role consumer threads 128 to 384 {
      nv.single role {
        %t = "test.op"() : () -> !nv.tensor_map<128x64xbf16, b128>
        // expected-error@+1 {{'nv.tma_load' must take its tensor map from the kernel's arguments}}
        nv.tma_load %t[%c0, %c0] to %sa[%c0, %c0, %c0] signal %full[%c0] : !nv.tensor_map<128x64xbf16, b128>, !nv.smem<4x128x64xbf16, b128>, !nv.mbarrier<4>
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (!nv.tensor_map<128x64xbf16, b128>) -> (), kernel}> ({
  ^bb0(%ma: !nv.tensor_map<128x64xbf16, b128>):
    %c0 = arith.constant 0 : index
    %sa = nv.smem at 0 : !nv.smem<4x128x64xbf16, b128>
    %full = nv.mbarrier at 246784 : !nv.mbarrier<4>
    nv.role consumer threads 128 to 384 {
      nv.single role {
        // expected-error@+1 {{the map takes one coordinate for each axis (2), got 3}}
        nv.tma_load %ma[%c0, %c0, %c0] to %sa[%c0, %c0, %c0] signal %full[%c0] : !nv.tensor_map<128x64xbf16, b128>, !nv.smem<4x128x64xbf16, b128>, !nv.mbarrier<4>
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (!nv.tensor_map<64x64xf16, b128>) -> (), kernel}> ({
  ^bb0(%mh: !nv.tensor_map<64x64xf16, b128>):
    %c0 = arith.constant 0 : index
    %sa = nv.smem at 0 : !nv.smem<4x128x64xbf16, b128>
    %full = nv.mbarrier at 246784 : !nv.mbarrier<4>
    nv.role consumer threads 128 to 384 {
      nv.single role {
        // expected-error@+1 {{the ring's element type is bf16; the map has f16}}
        nv.tma_load %mh[%c0, %c0] to %sa[%c0, %c0, %c0] signal %full[%c0] : !nv.tensor_map<64x64xf16, b128>, !nv.smem<4x128x64xbf16, b128>, !nv.mbarrier<4>
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (!nv.tensor_map<64x32xbf16, b64>) -> (), kernel}> ({
  ^bb0(%m6: !nv.tensor_map<64x32xbf16, b64>):
    %c0 = arith.constant 0 : index
    %sa = nv.smem at 0 : !nv.smem<4x128x64xbf16, b128>
    %full = nv.mbarrier at 246784 : !nv.mbarrier<4>
    nv.role consumer threads 128 to 384 {
      nv.single role {
        // expected-error@+1 {{'swizzle' is 'b128'}}
        nv.tma_load %m6[%c0, %c0] to %sa[%c0, %c0, %c0] signal %full[%c0] : !nv.tensor_map<64x32xbf16, b64>, !nv.smem<4x128x64xbf16, b128>, !nv.mbarrier<4>
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (!nv.tensor_map<256x64xbf16, b128>) -> (), kernel}> ({
  ^bb0(%mr: !nv.tensor_map<256x64xbf16, b128>):
    %c0 = arith.constant 0 : index
    %sa = nv.smem at 0 : !nv.smem<4x128x64xbf16, b128>
    %full = nv.mbarrier at 246784 : !nv.mbarrier<4>
    nv.role consumer threads 128 to 384 {
      nv.single role {
        // expected-error@+1 {{the box has shape [256, 64], expected at most 128 rows of the 64 columns of a panel of the slot}}
        nv.tma_load %mr[%c0, %c0] to %sa[%c0, %c0, %c0] signal %full[%c0] : !nv.tensor_map<256x64xbf16, b128>, !nv.smem<4x128x64xbf16, b128>, !nv.mbarrier<4>
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (!nv.tensor_map<64x32xbf16, b128>) -> (), kernel}> ({
  ^bb0(%mw: !nv.tensor_map<64x32xbf16, b128>):
    %c0 = arith.constant 0 : index
    %sa = nv.smem at 0 : !nv.smem<4x128x64xbf16, b128>
    %full = nv.mbarrier at 246784 : !nv.mbarrier<4>
    nv.role consumer threads 128 to 384 {
      nv.single role {
        // expected-error@+1 {{the box has shape [64, 32], expected at most 128 rows}}
        nv.tma_load %mw[%c0, %c0] to %sa[%c0, %c0, %c0] signal %full[%c0] : !nv.tensor_map<64x32xbf16, b128>, !nv.smem<4x128x64xbf16, b128>, !nv.mbarrier<4>
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (!nv.tensor_map<2x64x64xbf16, b128>) -> (), kernel}> ({
  ^bb0(%m3: !nv.tensor_map<2x64x64xbf16, b128>):
    %c0 = arith.constant 0 : index
    %sa = nv.smem at 0 : !nv.smem<4x128x64xbf16, b128>
    %full = nv.mbarrier at 246784 : !nv.mbarrier<4>
    nv.role consumer threads 128 to 384 {
      nv.single role {
        // expected-error@+1 {{the box has shape [2, 64, 64], expected at most 128 rows}}
        nv.tma_load %m3[%c0, %c0, %c0] to %sa[%c0, %c0, %c0] signal %full[%c0] : !nv.tensor_map<2x64x64xbf16, b128>, !nv.smem<4x128x64xbf16, b128>, !nv.mbarrier<4>
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (!nv.tensor_map<1x16xbf16, none>) -> (), kernel}> ({
  ^bb0(%mn: !nv.tensor_map<1x16xbf16, none>):
    %c0 = arith.constant 0 : index
    %sn = nv.smem at 245760 : !nv.smem<2x1x16xbf16, none>
    %full = nv.mbarrier at 246784 : !nv.mbarrier<4>
    nv.role consumer threads 128 to 384 {
      nv.single role {
        // expected-error@+1 {{'smem' has slots of 32 bytes}}
        nv.tma_load %mn[%c0, %c0] to %sn[%c0, %c0, %c0] signal %full[%c0] : !nv.tensor_map<1x16xbf16, none>, !nv.smem<2x1x16xbf16, none>, !nv.mbarrier<4>
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (!nv.tensor_map<128x64xbf16, b128>) -> (), kernel}> ({
  ^bb0(%ma: !nv.tensor_map<128x64xbf16, b128>):
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %sa = nv.smem at 0 : !nv.smem<4x128x64xbf16, b128>
    %full = nv.mbarrier at 246784 : !nv.mbarrier<4>
    nv.role consumer threads 128 to 384 {
      nv.single role {
        // expected-error@+1 {{'slot' is 4}}
        nv.tma_load %ma[%c0, %c0] to %sa[%c4, %c0, %c0] signal %full[%c0] : !nv.tensor_map<128x64xbf16, b128>, !nv.smem<4x128x64xbf16, b128>, !nv.mbarrier<4>
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (!nv.tensor_map<128x64xbf16, b128>) -> (), kernel}> ({
  ^bb0(%ma: !nv.tensor_map<128x64xbf16, b128>):
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %sa = nv.smem at 0 : !nv.smem<4x128x64xbf16, b128>
    %full = nv.mbarrier at 246784 : !nv.mbarrier<4>
    nv.role consumer threads 128 to 384 {
      nv.single role {
        // expected-error@+1 {{'row' is 8}}
        nv.tma_load %ma[%c0, %c0] to %sa[%c0, %c8, %c0] signal %full[%c0] : !nv.tensor_map<128x64xbf16, b128>, !nv.smem<4x128x64xbf16, b128>, !nv.mbarrier<4>
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (!nv.tensor_map<64x64xbf16, b128>) -> (), kernel}> ({
  ^bb0(%mc: !nv.tensor_map<64x64xbf16, b128>):
    %c0 = arith.constant 0 : index
    %c65 = arith.constant 65 : index
    %sa = nv.smem at 0 : !nv.smem<4x128x64xbf16, b128>
    %full = nv.mbarrier at 246784 : !nv.mbarrier<4>
    nv.role consumer threads 128 to 384 {
      nv.single role {
        // expected-error@+1 {{'row' is 65}}
        nv.tma_load %mc[%c0, %c0] to %sa[%c0, %c65, %c0] signal %full[%c0] : !nv.tensor_map<64x64xbf16, b128>, !nv.smem<4x128x64xbf16, b128>, !nv.mbarrier<4>
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (!nv.tensor_map<64x32xbf16, b64>) -> (), kernel}> ({
  ^bb0(%m6: !nv.tensor_map<64x32xbf16, b64>):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %s6 = nv.smem at 229376 : !nv.smem<2x128x32xbf16, b64>
    %full = nv.mbarrier at 246784 : !nv.mbarrier<4>
    nv.role consumer threads 128 to 384 {
      nv.single role {
        // expected-error@+1 {{'row' is 1}}
        nv.tma_load %m6[%c0, %c0] to %s6[%c0, %c1, %c0] signal %full[%c0] : !nv.tensor_map<64x32xbf16, b64>, !nv.smem<2x128x32xbf16, b64>, !nv.mbarrier<4>
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (!nv.tensor_map<64x64xbf16, b128>) -> (), kernel}> ({
  ^bb0(%mc: !nv.tensor_map<64x64xbf16, b128>):
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %sb = nv.smem at 65536 : !nv.smem<4x64x128xbf16, b128>
    %full = nv.mbarrier at 246784 : !nv.mbarrier<4>
    nv.role consumer threads 128 to 384 {
      nv.single role {
        // expected-error@+1 {{'column' is 32}}
        nv.tma_load %mc[%c0, %c0] to %sb[%c0, %c0, %c32] signal %full[%c0] : !nv.tensor_map<64x64xbf16, b128>, !nv.smem<4x64x128xbf16, b128>, !nv.mbarrier<4>
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (!nv.tensor_map<64x64xbf16, b128>) -> (), kernel}> ({
  ^bb0(%mc: !nv.tensor_map<64x64xbf16, b128>):
    %c0 = arith.constant 0 : index
    %c128 = arith.constant 128 : index
    %sb = nv.smem at 65536 : !nv.smem<4x64x128xbf16, b128>
    %full = nv.mbarrier at 246784 : !nv.mbarrier<4>
    nv.role consumer threads 128 to 384 {
      nv.single role {
        // expected-error@+1 {{'column' is 128}}
        nv.tma_load %mc[%c0, %c0] to %sb[%c0, %c0, %c128] signal %full[%c0] : !nv.tensor_map<64x64xbf16, b128>, !nv.smem<4x64x128xbf16, b128>, !nv.mbarrier<4>
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (!nv.tensor_map<128x64xbf16, b128>) -> (), kernel}> ({
  ^bb0(%ma: !nv.tensor_map<128x64xbf16, b128>):
    %c0 = arith.constant 0 : index
    %c6 = arith.constant 6 : index
    %sa = nv.smem at 0 : !nv.smem<4x128x64xbf16, b128>
    %full = nv.mbarrier at 246784 : !nv.mbarrier<4>
    nv.role consumer threads 128 to 384 {
      nv.single role {
        // expected-error@+1 {{'slot' is 6}}
        nv.tma_load %ma[%c0, %c0] to %sa[%c0, %c0, %c0] signal %full[%c6] : !nv.tensor_map<128x64xbf16, b128>, !nv.smem<4x128x64xbf16, b128>, !nv.mbarrier<4>
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (!nv.tensor_map<128x64xbf16, b128>) -> (), kernel}> ({
  ^bb0(%ma: !nv.tensor_map<128x64xbf16, b128>):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %sa = nv.smem at 0 : !nv.smem<4x128x64xbf16, b128>
    %full = nv.mbarrier at 246784 : !nv.mbarrier<4>
    nv.role consumer threads 128 to 384 {
      nv.single role {
        // expected-error@+1 {{'nv.tma_load' sends to other blocks, but the kernel has no nv.cluster}}
        nv.tma_load %ma[%c0, %c0] to %sa[%c0, %c0, %c0] signal %full[%c0] multicast %c1 : !nv.tensor_map<128x64xbf16, b128>, !nv.smem<4x128x64xbf16, b128>, !nv.mbarrier<4>
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (!nv.tensor_map<128x64xbf16, b128>) -> (), kernel}> ({
  ^bb0(%ma: !nv.tensor_map<128x64xbf16, b128>):
    %c0 = arith.constant 0 : index
    %sa = nv.smem at 0 : !nv.smem<4x128x64xbf16, b128>
    %full = nv.mbarrier at 246784 : !nv.mbarrier<4>
    nv.role consumer threads 128 to 384 {
      nv.single role {
        // expected-error@+1 {{'multicast' is 0}}
        nv.tma_load %ma[%c0, %c0] to %sa[%c0, %c0, %c0] signal %full[%c0] multicast %c0 : !nv.tensor_map<128x64xbf16, b128>, !nv.smem<4x128x64xbf16, b128>, !nv.mbarrier<4>
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>, "nv.cluster" = array<i64: 2, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (!nv.tensor_map<128x64xbf16, b128>) -> (), kernel}> ({
  ^bb0(%ma: !nv.tensor_map<128x64xbf16, b128>):
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %sa = nv.smem at 0 : !nv.smem<4x128x64xbf16, b128>
    %full = nv.mbarrier at 246784 : !nv.mbarrier<4>
    nv.role consumer threads 128 to 384 {
      nv.single role {
        // expected-error@+1 {{'multicast' is 4}}
        nv.tma_load %ma[%c0, %c0] to %sa[%c0, %c0, %c0] signal %full[%c0] multicast %c4 : !nv.tensor_map<128x64xbf16, b128>, !nv.smem<4x128x64xbf16, b128>, !nv.mbarrier<4>
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>, "nv.cluster" = array<i64: 2, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (!nv.tensor_map<64x64xbf16, b128>) -> (), kernel}> ({
  ^bb0(%mc: !nv.tensor_map<64x64xbf16, b128>):
    %c0 = arith.constant 0 : index
    %sc = nv.smem at 131072 : !nv.smem<2x64x64xbf16, b128>
    nv.role consumer threads 128 to 384 {
      // expected-error@+1 {{'nv.tma_store' is executed by one thread: it belongs inside nv.single}}
      nv.tma_store %sc[%c0, %c0, %c0] to %mc[%c0, %c0] : !nv.smem<2x64x64xbf16, b128>, !nv.tensor_map<64x64xbf16, b128>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (!nv.tensor_map<64x64xbf16, b128>) -> (), kernel}> ({
  ^bb0(%mc: !nv.tensor_map<64x64xbf16, b128>):
    %c0 = arith.constant 0 : index
    %sc = nv.smem at 131072 : !nv.smem<2x64x64xbf16, b128>
    nv.role consumer threads 128 to 384 {
      nv.single role {
        // expected-error@+1 {{the map takes one coordinate for each axis (2), got 1}}
        nv.tma_store %sc[%c0, %c0, %c0] to %mc[%c0] : !nv.smem<2x64x64xbf16, b128>, !nv.tensor_map<64x64xbf16, b128>
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (!nv.tensor_map<32x64xbf16, b128>) -> (), kernel}> ({
  ^bb0(%t: !nv.tensor_map<32x64xbf16, b128>):
    // expected-error@+1 {{'nv.prefetch_map' is executed by one thread: it belongs inside nv.single}}
    nv.prefetch_map %t : !nv.tensor_map<32x64xbf16, b128>
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    nv.role consumer threads 128 to 384 {
      // expected-error@+1 {{'nv.bulk.commit' is executed by one thread: it belongs inside nv.single}}
      nv.bulk.commit
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    nv.role consumer threads 128 to 384 {
      // expected-error@+1 {{'nv.bulk.wait_read' is executed by one thread: it belongs inside nv.single}}
      nv.bulk.wait_read 0
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    nv.role consumer threads 128 to 384 {
      nv.single role {
        // expected-error@+1 {{'pending' is 8}}
        nv.bulk.wait_read 8
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()
