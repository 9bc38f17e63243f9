// RUN: ptir-opt %s --split-input-file --verify-diagnostics

// One case for each rule of SM90: types, statements one by one, then what takes a whole kernel to see.

// The types.

func.func @f() {
  // expected-error@+1 {{'tensor_map' has a box of [1, 1, 1, 1, 1, 8]}}
  %t = "test.op"() : () -> !nv.tensor_map<1x1x1x1x1x8xbf16, none>
  func.return
}

// -----

func.func @f() {
  // expected-error@+1 {{'tensor_map' has a box of [0, 64]}}
  %t = "test.op"() : () -> !nv.tensor_map<0x64xbf16, b128>
  func.return
}

// -----

func.func @f() {
  // expected-error@+1 {{'tensor_map' has a box of [257, 64]}}
  %t = "test.op"() : () -> !nv.tensor_map<257x64xbf16, b128>
  func.return
}

// -----

func.func @f() {
  // expected-error@+1 {{'swizzle' is 'xor'}}
  %t = "test.op"() : () -> !nv.tensor_map<64x64xbf16, xor>
  func.return
}

// -----

func.func @f() {
  // expected-error@+1 {{'tensor_map' has a box with rows of 24 bytes}}
  %t = "test.op"() : () -> !nv.tensor_map<64x12xbf16, b128>
  func.return
}

// -----

func.func @f() {
  // expected-error@+1 {{'tensor_map' has a box with rows of 128 bytes}}
  %t = "test.op"() : () -> !nv.tensor_map<64x64xbf16, b64>
  func.return
}

// -----

func.func @f() {
  // expected-error@+1 {{'tensor_map' has a box with rows of 64 bytes}}
  %t = "test.op"() : () -> !nv.tensor_map<64x64xi8, b32>
  func.return
}

// -----

func.func @f() {
  // expected-error@+1 {{an element of nv.tensor_map is i16}}
  %t = "test.op"() : () -> !nv.tensor_map<64x64xi16, b128>
  func.return
}

// -----

func.func @f() {
  // expected-error@+1 {{'mbarrier' has 0}}
  %t = "test.op"() : () -> !nv.mbarrier<0>
  func.return
}

// -----

func.func @f() {
  // expected-error@+1 {{'smem' has 12 rows of 128 bytes}}
  %t = "test.op"() : () -> !nv.smem<2x12x64xbf16, b128>
  func.return
}

// -----

func.func @f() {
  // expected-error@+1 {{'smem' has 16 rows of 192 bytes}}
  %t = "test.op"() : () -> !nv.smem<2x16x96xbf16, b128>
  func.return
}

// -----

func.func @f() {
  // expected-error@+1 {{'layout' is 'B of m64k16'}}
  %t = "test.op"() : () -> !nv.frag<16x64xbf16, B of m64k16>
  func.return
}

// -----

func.func @f() {
  // expected-error@+1 {{an element of 'C of m64k16' is f64}}
  %t = "test.op"() : () -> !nv.frag<64x64xf64, C of m64k16>
  func.return
}

// -----

func.func @f() {
  // expected-error@+1 {{an element of 'A of m64k32_f8' is bf16}}
  %t = "test.op"() : () -> !nv.frag<64x32xbf16, A of m64k32_f8>
  func.return
}

// -----

func.func @f() {
  // expected-error@+1 {{'frag' has shape [32, 64]}}
  %t = "test.op"() : () -> !nv.frag<32x64xf32, C of m64k16>
  func.return
}

// -----

func.func @f() {
  // expected-error@+1 {{'frag' has shape [64, 32]}}
  %t = "test.op"() : () -> !nv.frag<64x32xbf16, A of m64k16>
  func.return
}

// -----

// Tensor maps.

func.func @f(%x: memref<128x128xbf16>) {
  // expected-error@+1 {{nv.tensor_map takes 2 sizes and strides, one an axis of the box, operands, got 3 and 3}}
  %t = nv.tensor_map %x offset 0 sizes [1, 128, 128] strides [16384, 128, 1] : memref<128x128xbf16> -> !nv.tensor_map<64x64xbf16, b128>
  func.return
}

// -----

func.func @f(%x: memref<128x128xbf16>) {
  // expected-error@+1 {{the map's element type is f16; the memref holds bf16}}
  %t = nv.tensor_map %x offset 0 sizes [128, 128] strides [128, 1] : memref<128x128xbf16> -> !nv.tensor_map<64x64xf16, b128>
  func.return
}

// -----

func.func @f(%x: memref<128x128xbf16>) {
  // expected-error@+1 {{'sizes' is [0, 128]}}
  %t = nv.tensor_map %x offset 0 sizes [0, 128] strides [128, 1] : memref<128x128xbf16> -> !nv.tensor_map<64x64xbf16, b128>
  func.return
}

// -----

func.func @f(%x: memref<128x128xbf16>) {
  // expected-error@+1 {{'strides' is [128, 2]}}
  %t = nv.tensor_map %x offset 0 sizes [64, 32] strides [128, 2] : memref<128x128xbf16> -> !nv.tensor_map<64x64xbf16, b128>
  func.return
}

// -----

func.func @f(%x: memref<128x128xbf16>) {
  // expected-error@+1 {{'strides' is [100, 1]}}
  %t = nv.tensor_map %x offset 0 sizes [64, 64] strides [100, 1] : memref<128x128xbf16> -> !nv.tensor_map<64x64xbf16, b128>
  func.return
}

// -----

func.func @f(%x: memref<128x128xbf16>) {
  // expected-error@+1 {{'strides' is [0, 1]}}
  %t = nv.tensor_map %x offset 0 sizes [64, 64] strides [0, 1] : memref<128x128xbf16> -> !nv.tensor_map<64x64xbf16, b128>
  func.return
}

// -----

func.func @f(%x: memref<128x128xbf16>) {
  // expected-error@+1 {{'offset' is 4}}
  %t = nv.tensor_map %x offset 4 sizes [64, 64] strides [128, 1] : memref<128x128xbf16> -> !nv.tensor_map<64x64xbf16, b128>
  func.return
}

// -----

func.func @f(%x: memref<128x128xbf16>) {
  // expected-error@+1 {{'offset' is -8}}
  %t = nv.tensor_map %x offset -8 sizes [64, 64] strides [128, 1] : memref<128x128xbf16> -> !nv.tensor_map<64x64xbf16, b128>
  func.return
}

// -----

func.func @f(%x: memref<128x128xbf16>) {
  // expected-error@+1 {{'sizes' is [128, 128]}}
  %t = nv.tensor_map %x offset 8 sizes [128, 128] strides [128, 1] : memref<128x128xbf16> -> !nv.tensor_map<64x64xbf16, b128>
  func.return
}

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<64x128xf32>) -> (), kernel}> ({
  ^bb0(%g: memref<64x128xf32>):
    // expected-error@+1 {{is made on the host: the kernel takes it as an argument}}
    %t = nv.tensor_map %g offset 0 sizes [64, 128] strides [128, 1] : memref<64x128xf32> -> !nv.tensor_map<64x32xf32, b128>
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

// Launches: the kernel stores through its map.

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (!nv.tensor_map<64x64xbf16, b128>) -> (), kernel}> ({
  ^bb0(%mc: !nv.tensor_map<64x64xbf16, b128>):
    %c0 = arith.constant 0 : index
    %sc = nv.smem at 131072 : !nv.smem<2x64x64xbf16, b128>
    nv.role consumer threads 128 to 384 {
      nv.single warpgroup {
        nv.tma_store %sc[%c0, %c0, %c0] to %mc[%c0, %c0] : !nv.smem<2x64x64xbf16, b128>, !nv.tensor_map<64x64xbf16, b128>
        nv.bulk.commit
        nv.bulk.wait_read 0
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()
func.func @f(%x: memref<64x64xbf16>) {
  %t = "test.op"() : () -> !nv.tensor_map<64x64xbf16, b128>
  // expected-error@+1 {{a tensor map is made by nv.tensor_map, for the launch that takes it}}
  nv.launch @kernels::@k grid [1, 1, 1] block [384, 1, 1] shared 147456(%t : !nv.tensor_map<64x64xbf16, b128>)
  func.return
}

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (!nv.tensor_map<128x64xbf16, b128>, !nv.tensor_map<64x64xbf16, b128>) -> (), kernel}> ({
  ^bb0(%ma: !nv.tensor_map<128x64xbf16, b128>, %mc: !nv.tensor_map<64x64xbf16, b128>):
    %c0 = arith.constant 0 : index
    %sc = nv.smem at 131072 : !nv.smem<2x64x64xbf16, b128>
    nv.role consumer threads 128 to 384 {
      nv.single warpgroup {
        nv.tma_store %sc[%c0, %c0, %c0] to %mc[%c0, %c0] : !nv.smem<2x64x64xbf16, b128>, !nv.tensor_map<64x64xbf16, b128>
        nv.bulk.commit
        nv.bulk.wait_read 0
        "test.op"(%ma) : (!nv.tensor_map<128x64xbf16, b128>) -> ()
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()
func.func @f(%x: memref<64x64xbf16>) {
  %t = nv.tensor_map %x offset 0 sizes [64, 64] strides [64, 1] : memref<64x64xbf16> -> !nv.tensor_map<64x64xbf16, b128>
  %u = nv.tensor_map %x offset 0 sizes [64, 64] strides [64, 1] : memref<64x64xbf16> -> !nv.tensor_map<128x64xbf16, b128>
  // expected-error@+1 {{a buffer that the kernel writes is also another operand of this launch}}
  nv.launch @kernels::@k grid [1, 1, 1] block [384, 1, 1] shared 147456(%u, %t : !nv.tensor_map<128x64xbf16, b128>, !nv.tensor_map<64x64xbf16, b128>)
  func.return
}

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (!nv.tensor_map<64x64xbf16, b128>) -> (), kernel}> ({
  ^bb0(%mc: !nv.tensor_map<64x64xbf16, b128>):
    %c0 = arith.constant 0 : index
    %sc = nv.smem at 131072 : !nv.smem<2x64x64xbf16, b128>
    nv.role consumer threads 128 to 384 {
      nv.single warpgroup {
        nv.tma_store %sc[%c0, %c0, %c0] to %mc[%c0, %c0] : !nv.smem<2x64x64xbf16, b128>, !nv.tensor_map<64x64xbf16, b128>
        nv.bulk.commit
        nv.bulk.wait_read 0
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()
func.func @f(%x: memref<64x64xbf16>) {
  %t = nv.tensor_map %x offset 0 sizes [64, 64] strides [64, 1] : memref<64x64xbf16> -> !nv.tensor_map<64x32xbf16, b128>
  // expected-error@+1 {{the operands do not fit @kernels::@k}}
  nv.launch @kernels::@k grid [1, 1, 1] block [384, 1, 1] shared 147456(%t : !nv.tensor_map<64x32xbf16, b128>)
  func.return
}

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (!nv.tensor_map<64x64xbf16, b128>) -> (), kernel}> ({
  ^bb0(%mc: !nv.tensor_map<64x64xbf16, b128>):
    %c0 = arith.constant 0 : index
    %sc = nv.smem at 131072 : !nv.smem<2x64x64xbf16, b128>
    nv.role consumer threads 128 to 384 {
      nv.single warpgroup {
        nv.tma_store %sc[%c0, %c0, %c0] to %mc[%c0, %c0] : !nv.smem<2x64x64xbf16, b128>, !nv.tensor_map<64x64xbf16, b128>
        nv.bulk.commit
        nv.bulk.wait_read 0
      }
    }
    nv.cluster.sync
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>, "nv.cluster" = array<i64: 2, 1, 1>} : () -> ()
}) : () -> ()
func.func @f(%x: memref<64x64xbf16>) {
  %t = nv.tensor_map %x offset 0 sizes [64, 64] strides [64, 1] : memref<64x64xbf16> -> !nv.tensor_map<64x64xbf16, b128>
  // expected-error@+1 {{'cluster' is [1, 1, 1]}}
  nv.launch @kernels::@k grid [2, 1, 1] block [384, 1, 1] shared 147456(%t : !nv.tensor_map<64x64xbf16, b128>)
  func.return
}

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (!nv.tensor_map<64x64xbf16, b128>) -> (), kernel}> ({
  ^bb0(%mc: !nv.tensor_map<64x64xbf16, b128>):
    %c0 = arith.constant 0 : index
    %sc = nv.smem at 131072 : !nv.smem<2x64x64xbf16, b128>
    nv.role consumer threads 128 to 384 {
      nv.single warpgroup {
        nv.tma_store %sc[%c0, %c0, %c0] to %mc[%c0, %c0] : !nv.smem<2x64x64xbf16, b128>, !nv.tensor_map<64x64xbf16, b128>
        nv.bulk.commit
        nv.bulk.wait_read 0
      }
    }
    nv.cluster.sync
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>, "nv.cluster" = array<i64: 2, 1, 1>} : () -> ()
}) : () -> ()
func.func @f(%x: memref<64x64xbf16>) {
  %t = nv.tensor_map %x offset 0 sizes [64, 64] strides [64, 1] : memref<64x64xbf16> -> !nv.tensor_map<64x64xbf16, b128>
  // expected-error@+1 {{'cluster' is [2, 1, 1]}}
  nv.launch @kernels::@k grid [3, 1, 1] block [384, 1, 1] cluster [2, 1, 1] shared 147456(%t : !nv.tensor_map<64x64xbf16, b128>)
  func.return
}

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (!nv.tensor_map<64x64xbf16, b128>) -> (), kernel}> ({
  ^bb0(%mc: !nv.tensor_map<64x64xbf16, b128>):
    %c0 = arith.constant 0 : index
    %sc = nv.smem at 131072 : !nv.smem<2x64x64xbf16, b128>
    nv.role consumer threads 128 to 384 {
      nv.single warpgroup {
        nv.tma_store %sc[%c0, %c0, %c0] to %mc[%c0, %c0] : !nv.smem<2x64x64xbf16, b128>, !nv.tensor_map<64x64xbf16, b128>
        nv.bulk.commit
        nv.bulk.wait_read 0
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()
func.func @f(%x: memref<64x64xbf16>) {
  %t = nv.tensor_map %x offset 0 sizes [64, 64] strides [64, 1] : memref<64x64xbf16> -> !nv.tensor_map<64x64xbf16, b128>
  // expected-error@+1 {{'cluster' is [16, 1, 1]}}
  nv.launch @kernels::@k grid [16, 1, 1] block [384, 1, 1] cluster [16, 1, 1] shared 147456(%t : !nv.tensor_map<64x64xbf16, b128>)
  func.return
}

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (!nv.tensor_map<64x64xbf16, b128>) -> (), kernel}> ({
  ^bb0(%mc: !nv.tensor_map<64x64xbf16, b128>):
    %c0 = arith.constant 0 : index
    %sc = nv.smem at 131072 : !nv.smem<2x64x64xbf16, b128>
    nv.role consumer threads 128 to 384 {
      nv.single warpgroup {
        nv.tma_store %sc[%c0, %c0, %c0] to %mc[%c0, %c0] : !nv.smem<2x64x64xbf16, b128>, !nv.tensor_map<64x64xbf16, b128>
        nv.bulk.commit
        nv.bulk.wait_read 0
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()
func.func @f(%x: memref<64x64xbf16>) {
  %t = nv.tensor_map %x offset 0 sizes [64, 64] strides [64, 1] : memref<64x64xbf16> -> !nv.tensor_map<64x64xbf16, b128>
  // expected-error@+1 {{'shared' is 131072}}
  nv.launch @kernels::@k grid [1, 1, 1] block [384, 1, 1] shared 131072(%t : !nv.tensor_map<64x64xbf16, b128>)
  func.return
}

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %f = nv.mbarrier at 0 : !nv.mbarrier<4>
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()
func.func @f() {
  // expected-error@+1 {{'shared' is 31}}
  nv.launch @kernels::@k grid [1, 1, 1] block [384, 1, 1] shared 31( : )
  func.return
}

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %f = nv.mbarrier at 0 : !nv.mbarrier<4>
    // expected-error@+1 {{overlaps another ring in shared memory}}
    %e = nv.mbarrier at 24 : !nv.mbarrier<4>
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()
func.func @f() {
  nv.launch @kernels::@k grid [1, 1, 1] block [384, 1, 1] shared 256( : )
  func.return
}

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  // expected-error@+1 {{'nv.cluster' is array<i64: 2>}}
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    nv.role consumer threads 128 to 384 {
      nv.fence_async
    }
    nv.cluster.sync
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>, "nv.cluster" = array<i64: 2>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  // expected-error@+1 {{'nv.cluster' is array<i64: 4, 4, 1>}}
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    nv.role consumer threads 128 to 384 {
      nv.fence_async
    }
    nv.cluster.sync
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>, "nv.cluster" = array<i64: 4, 4, 1>} : () -> ()
}) : () -> ()

// -----

// Roles.

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    // expected-error@+1 {{'threads' is 0 to 96}}
    nv.role a threads 0 to 96 {
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    // expected-error@+1 {{'threads' is 64 to 192}}
    nv.role a threads 64 to 192 {
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    // expected-error@+1 {{'threads' is 128 to 128}}
    nv.role a threads 128 to 128 {
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    // expected-error@+1 {{'threads' is 256 to 512}}
    nv.role a threads 256 to 512 {
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    // expected-error@+1 {{'threads' is 0 to 128}}
    nv.role a threads 0 to 128 {
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 128, 2, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    nv.role a threads 0 to 128 {
      // expected-error@+1 {{a role stands in the kernel's own block}}
      nv.role b threads 0 to 128 {
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    nv.role a threads 0 to 256 {
    }
    // expected-error@+1 {{roles have threads in common}}
    nv.role b threads 128 to 384 {
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    nv.role consumer threads 128 to 384 {
      // expected-error@+1 {{'who' is 'warp'}}
      nv.single warp {
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    nv.role consumer threads 128 to 384 {
      nv.single warpgroup {
        // expected-error@+1 {{names one thread of one}}
        nv.single role {
        }
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    nv.role consumer threads 128 to 384 {
      // expected-error@+1 {{one thread of the block is named outside of roles}}
      nv.single block {
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    // expected-error@+1 {{one thread of the warpgroup is named inside of roles}}
    nv.single warpgroup {
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    // expected-error@+1 {{numbers the warpgroups of a role}}
    %w = nv.warpgroup
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    nv.role consumer threads 128 to 384 {
      // expected-error@+1 {{all threads must come here}}
      nv.cluster.sync
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

// Registers.

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    nv.role consumer threads 128 to 384 {
      // expected-error@+1 {{'setmaxnreg' is 44}}
      nv.setmaxnreg 44
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    nv.role consumer threads 128 to 384 {
      // expected-error@+1 {{'setmaxnreg' is 16}}
      nv.setmaxnreg 16
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    nv.role consumer threads 128 to 384 {
      // expected-error@+1 {{'setmaxnreg' is 264}}
      nv.setmaxnreg 264
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %p = arith.constant true
    nv.role consumer threads 128 to 384 {
      scf.if %p {
        // expected-error@+1 {{all warps of a role change their registers together}}
        nv.setmaxnreg 40
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    nv.role consumer threads 128 to 384 {
      // expected-error@+1 {{the kernel must say how many threads share the registers}}
      nv.setmaxnreg 40
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k"} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    nv.role consumer threads 128 to 384 {
      nv.setmaxnreg 40
      // expected-error@+1 {{a role changes its registers once}}
      nv.setmaxnreg 48
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    nv.role consumer threads 128 to 384 {
      nv.fence_async
      // expected-error@+1 {{is a role's first statement}}
      nv.setmaxnreg 40
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    nv.role producer threads 0 to 128 {
      nv.setmaxnreg 40
    }
    nv.role consumer threads 128 to 384 {
      // expected-error@+1 {{'setmaxnreg' makes 66560 registers of the block's roles together}}
      nv.setmaxnreg 240
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

// What the launch does not give is not there: 168 registers for each of 384 threads.

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    nv.role producer threads 0 to 128 {
      nv.setmaxnreg 32
    }
    nv.role consumer threads 128 to 384 {
      // expected-error@+1 {{'setmaxnreg' makes 65536 registers of the block's roles together}}
      nv.setmaxnreg 240
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

// Barriers.

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    // expected-error@+1 {{is for a warpgroup: it stands inside of nv.role}}
    nv.barrier 1 threads 128
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    nv.role consumer threads 128 to 384 {
      // expected-error@+1 {{'threads' is 64}}
      nv.barrier 1 threads 64
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    nv.role consumer threads 128 to 384 {
      // expected-error@+1 {{'barrier' is 0}}
      nv.barrier 0 threads 256
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    nv.role consumer threads 128 to 384 {
      // expected-error@+1 {{'barrier' is 15}}
      nv.barrier 15 threads 128
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    nv.role consumer threads 128 to 384 {
      nv.single role {
        // expected-error@+1 {{is for all threads of a warpgroup}}
        nv.barrier 1 threads 128
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    nv.role producer threads 0 to 128 {
      nv.barrier 2 threads 128
    }
    nv.role consumer threads 128 to 384 {
      // expected-error@+1 {{'barrier' takes hardware barrier 2, which others use}}
      nv.barrier 1 threads 128
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    nv.role consumer threads 128 to 384 {
      nv.barrier 1 threads 128
      // expected-error@+1 {{'barrier' takes hardware barrier 1, which others use}}
      nv.barrier 1 threads 256
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    nv.role consumer threads 128 to 384 {
      // expected-error@+1 {{is for the block, and only a role comes here}}
      "gpu.barrier"() : () -> ()
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

// mbarriers.

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    // expected-error@+1 {{'at' is 4}}
    %f = nv.mbarrier at 4 : !nv.mbarrier<4>
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %full = nv.mbarrier at 246784 : !nv.mbarrier<4>
    nv.single block {
      // expected-error@+1 {{'arrivals' is 0}}
      nv.mbarrier.init %full arrivals 0 : !nv.mbarrier<4>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %full = nv.mbarrier at 246784 : !nv.mbarrier<4>
    nv.single block {
      // expected-error@+1 {{'arrivals' is 1048576}}
      nv.mbarrier.init %full arrivals 1048576 : !nv.mbarrier<4>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %full = nv.mbarrier at 246784 : !nv.mbarrier<4>
    // expected-error@+1 {{is for one thread: it stands inside of nv.single}}
    nv.mbarrier.init %full arrivals 1 : !nv.mbarrier<4>
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    // expected-error@+1 {{is for one thread: it stands inside of nv.single}}
    nv.mbarrier.init_fence
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %full = nv.mbarrier at 246784 : !nv.mbarrier<4>
    nv.role consumer threads 128 to 384 {
      // expected-error@+1 {{is for one thread: it stands inside of nv.single}}
      nv.mbarrier.expect_tx %full[%c0] bytes 16 : !nv.mbarrier<4>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %full = nv.mbarrier at 246784 : !nv.mbarrier<4>
    nv.role consumer threads 128 to 384 {
      nv.single role {
        // expected-error@+1 {{'bytes' is 0}}
        nv.mbarrier.expect_tx %full[%c0] bytes 0 : !nv.mbarrier<4>
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %full = nv.mbarrier at 246784 : !nv.mbarrier<4>
    nv.role consumer threads 128 to 384 {
      nv.single role {
        // expected-error@+1 {{'bytes' is 1048576}}
        nv.mbarrier.expect_tx %full[%c0] bytes 1048576 : !nv.mbarrier<4>
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c4 = arith.constant 4 : index
    %full = nv.mbarrier at 246784 : !nv.mbarrier<4>
    nv.role consumer threads 128 to 384 {
      nv.single role {
        // expected-error@+1 {{'slot' is 4}}
        nv.mbarrier.expect_tx %full[%c4] bytes 16 : !nv.mbarrier<4>
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c5 = arith.constant 5 : index
    %full = nv.mbarrier at 246784 : !nv.mbarrier<4>
    nv.role consumer threads 128 to 384 {
      // expected-error@+1 {{'slot' is 5}}
      nv.mbarrier.arrive %full[%c5] : !nv.mbarrier<4>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %full = nv.mbarrier at 246784 : !nv.mbarrier<4>
    nv.role consumer threads 128 to 384 {
      // expected-error@+1 {{'parity' is 2}}
      nv.mbarrier.wait %full[%c0] parity %c2 : !nv.mbarrier<4>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %full = nv.mbarrier at 246784 : !nv.mbarrier<4>
    nv.role consumer threads 128 to 384 {
      // expected-error@+1 {{no other block to arrive at}}
      nv.mbarrier.arrive %full[%c0] at %c0 : !nv.mbarrier<4>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %full = nv.mbarrier at 246784 : !nv.mbarrier<4>
    nv.role consumer threads 128 to 384 {
      // expected-error@+1 {{'at' is 2}}
      nv.mbarrier.arrive %full[%c0] at %c2 : !nv.mbarrier<4>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>, "nv.cluster" = array<i64: 2, 1, 1>} : () -> ()
}) : () -> ()

// -----

// Bulk copies.

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (!nv.tensor_map<128x64xbf16, b128>) -> (), kernel}> ({
  ^bb0(%ma: !nv.tensor_map<128x64xbf16, b128>):
    %c0 = arith.constant 0 : index
    %sa = nv.smem at 0 : !nv.smem<4x128x64xbf16, b128>
    %full = nv.mbarrier at 246784 : !nv.mbarrier<4>
    nv.role consumer threads 128 to 384 {
      // expected-error@+1 {{is for one thread: it stands inside of nv.single}}
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
        // expected-error@+1 {{takes a tensor map that is an argument of the kernel}}
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
        // expected-error@+1 {{the map takes 2 coordinates, one an axis, operands, got 3}}
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
      %c6 = nv.frag : !nv.frag<64x64xf32, C of m64k16>
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
        // expected-error@+1 {{no other block to send to}}
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
      // expected-error@+1 {{is for one thread: it stands inside of nv.single}}
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
        // expected-error@+1 {{the map takes 2 coordinates, one an axis, operands, got 1}}
        nv.tma_store %sc[%c0, %c0, %c0] to %mc[%c0] : !nv.smem<2x64x64xbf16, b128>, !nv.tensor_map<64x64xbf16, b128>
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    nv.role consumer threads 128 to 384 {
      // expected-error@+1 {{is for one thread: it stands inside of nv.single}}
      nv.bulk.commit
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    nv.role consumer threads 128 to 384 {
      // expected-error@+1 {{is for one thread: it stands inside of nv.single}}
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

// -----

// wgmma: types, layouts, places.

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %sa = nv.smem at 0 : !nv.smem<4x128x64xbf16, b128>
    %sb = nv.smem at 65536 : !nv.smem<4x64x128xbf16, b128>
    nv.role consumer threads 128 to 384 {
      %cm = nv.frag : !nv.frag<64x64xf32, C of m16n8k16>
      // expected-error@+1 {{the accumulator is C of m16n8k16; sums}}
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
      // expected-error@+1 {{the accumulator is A of m64k16; sums}}
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
      // expected-error@+1 {{the accumulator is bf16; it sums in f32}}
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
      // expected-error@+1 {{the accumulator has shape [64, 40], expected columns in multiples of 8 up to 256; of integers}}
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
    %c6 = arith.constant 6 : index
    %sa = nv.smem at 0 : !nv.smem<4x128x64xbf16, b128>
    %sx = nv.smem at 147456 : !nv.smem<4x64x64xbf16, xor>
    nv.role consumer threads 128 to 384 {
      %c6 = nv.frag : !nv.frag<64x64xf32, C of m64k16>
      // expected-error@+1 {{b's swizzle is xor; wgmma reads b128, b64 or b32}}
      nv.wgmma.mma %c6, %sa[%c0, %c0, %c0] ND, %sx[%c0, %c0, %c0] ND : !nv.frag<64x64xf32, C of m64k16>, !nv.smem<4x128x64xbf16, b128>, !nv.smem<4x64x64xbf16, xor>
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
    %c6 = arith.constant 6 : index
    %c32 = arith.constant 32 : index
    %sa = nv.smem at 0 : !nv.smem<4x128x64xbf16, b128>
    %sb = nv.smem at 65536 : !nv.smem<4x64x128xbf16, b128>
    nv.role consumer threads 128 to 384 {
      %c6 = nv.frag : !nv.frag<64x64xf32, C of m64k16>
      // expected-error@+1 {{'column of b' is 32}}
      nv.wgmma.mma %c6, %sa[%c0, %c0, %c0] ND, %sb[%c0, %c0, %c32] ND : !nv.frag<64x64xf32, C of m64k16>, !nv.smem<4x128x64xbf16, b128>, !nv.smem<4x64x128xbf16, b128>
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
    %c6 = arith.constant 6 : index
    %sa = nv.smem at 0 : !nv.smem<4x128x64xbf16, b128>
    %sh = nv.smem at 212992 : !nv.smem<2x64x64xf16, b128>
    nv.role consumer threads 128 to 384 {
      %c6 = nv.frag : !nv.frag<64x64xf32, C of m64k16>
      // expected-error@+1 {{b's element type is f16; a holds bf16}}
      nv.wgmma.mma %c6, %sa[%c0, %c0, %c0] ND, %sh[%c0, %c0, %c0] ND : !nv.frag<64x64xf32, C of m64k16>, !nv.smem<4x128x64xbf16, b128>, !nv.smem<2x64x64xf16, b128>
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
      // expected-error@+1 {{a is !nv.frag<128x16xbf16, A of m64k16>; 64 rows, A of m64k16}}
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
      // expected-error@+1 {{a is !nv.frag<64x128xf32, C of m64k16>; 64 rows, A of m64k16}}
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
    // expected-error@+1 {{is for a warpgroup: it stands inside of nv.role}}
    nv.wgmma.fence
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    nv.role consumer threads 128 to 384 {
      nv.single role {
        // expected-error@+1 {{is for all threads of a warpgroup}}
        nv.wgmma.fence
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    // expected-error@+1 {{is for a warpgroup: it stands inside of nv.role}}
    nv.wgmma.commit
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    nv.role consumer threads 128 to 384 {
      nv.single role {
        // expected-error@+1 {{is for all threads of a warpgroup}}
        nv.wgmma.commit
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    // expected-error@+1 {{is for a warpgroup: it stands inside of nv.role}}
    nv.wgmma.wait 0
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    nv.role consumer threads 128 to 384 {
      nv.single role {
        // expected-error@+1 {{is for all threads of a warpgroup}}
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
      nv.single role {
        // expected-error@+1 {{is for all threads of a warpgroup}}
        nv.wgmma.mma %acc, %sa[%c0, %c0, %c0] ND, %sb[%c0, %c0, %c0] ND : !nv.frag<64x128xf32, C of m64k16>, !nv.smem<4x128x64xbf16, b128>, !nv.smem<4x64x128xbf16, b128>
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    // expected-error@+1 {{is for a warpgroup, which holds the fragment: it stands inside of nv.role}}
    %acc = nv.frag : !nv.frag<64x128xf32, C of m64k16>
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    nv.role consumer threads 128 to 384 {
      %half = nv.frag : !nv.frag<64x128xbf16, C of m64k16>
      // expected-error@+1 {{acc is !nv.frag<64x128xbf16, C of m64k16>; f32 sums}}
      nv.promote %half to %half : !nv.frag<64x128xbf16, C of m64k16>, !nv.frag<64x128xbf16, C of m64k16>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c6 = arith.constant 6 : index
    nv.role consumer threads 128 to 384 {
      %acc = nv.frag : !nv.frag<64x128xf32, C of m64k16>
      %c6 = nv.frag : !nv.frag<64x64xf32, C of m64k16>
      // expected-error@+1 {{part is !nv.frag<64x64xf32, C of m64k16>; other sums}}
      nv.promote %c6 to %acc : !nv.frag<64x64xf32, C of m64k16>, !nv.frag<64x128xf32, C of m64k16>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    nv.role consumer threads 128 to 384 {
      %acc = nv.frag : !nv.frag<64x128xf32, C of m64k16>
      // expected-error@+1 {{part is !nv.frag<64x128xf32, C of m64k16>; other sums}}
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
      // expected-error@+1 {{the result is C of m16n8k16; C of a wgmma}}
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
      nv.single warpgroup {
        // expected-error@+1 {{is for all threads of a warpgroup}}
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
      nv.single warpgroup {
        // expected-error@+1 {{is for all threads of a warpgroup}}
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
      nv.single role {
        // expected-error@+1 {{is for all threads of its role}}
        nv.turn.wait %cn[%c0] for %c0 : memref<6xi32>
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
      nv.single role {
        // expected-error@+1 {{is for all threads of its role}}
        nv.cp_async %g[%c0, %c0] to %sf[%c0] address <"{ [i0, i1] -> [(128i0 + i1)] }"> in [64, 128] dims [0, 1] guard [] bytes 16 : memref<64x128xf32>, !nv.smem<2x64x32xf32, b128>
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

// All come to a statement for whom it is: conditions of threads are not the same in all of them.

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    nv.role consumer threads 128 to 384 {
      %tid = gpu.thread_id x
      %p = arith.cmpi eq, %tid, %c0 : index
      scf.if %p {
        // expected-error@+1 {{is for all threads of a warpgroup, which do not come here together}}
        nv.barrier 1 threads 128
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    nv.role consumer threads 128 to 384 {
      %w = nv.warpgroup
      %p = arith.cmpi eq, %w, %c0 : index
      scf.if %p {
        nv.barrier 1 threads 128
        // expected-error@+1 {{is for all threads of its role, which do not come here together}}
        nv.barrier 3 threads 256
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    nv.role consumer threads 128 to 384 {
      %tid = gpu.thread_id x
      %w = arith.divui %tid, %c32 : index
      scf.for %i = %c0 to %w step %c1 {
        // expected-error@+1 {{is for all threads of a warpgroup, which do not come here together}}
        nv.wgmma.fence
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

// The number of a warpgroup, computed.

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<64x128xf32>) -> (), kernel}> ({
  ^bb0(%g: memref<64x128xf32>):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c128 = arith.constant 128 : index
    %sf = nv.smem at 196608 : !nv.smem<2x64x32xf32, b128>
    nv.role consumer threads 128 to 384 {
      %tid = gpu.thread_id x
      %w = arith.divui %tid, %c128 : index
      scf.for %i = %w to %c4 step %c1 {
        // expected-error@+1 {{is for all threads of its role, which do not come here together}}
        nv.cp_async %g[%c0, %c0] to %sf[%c0] address <"{ [i0, i1] -> [(128i0 + i1)] }"> in [64, 128] dims [0, 1] guard [] bytes 16 : memref<64x128xf32>, !nv.smem<2x64x32xf32, b128>
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

// A value that a loop carries.

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<6xi32>) -> (), kernel}> ({
  ^bb0(%cn: memref<6xi32>):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    nv.role consumer threads 128 to 384 {
      %w = nv.warpgroup
      %n = scf.for %i = %c0 to %c4 step %c1 iter_args(%k = %c0) -> (index) {
        %l = arith.addi %k, %w : index
        scf.yield %l : index
      }
      scf.for %i = %c0 to %n step %c1 {
        // expected-error@+1 {{is for all threads of its role, which do not come here together}}
        nv.turn.wait %cn[%c0] for %c0 : memref<6xi32>
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

// A value that a condition chooses.

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    nv.role consumer threads 128 to 384 {
      %tid = gpu.thread_id x
      %p = arith.cmpi eq, %tid, %c0 : index
      %n = scf.if %p -> (index) {
        scf.yield %c0 : index
      } else {
        scf.yield %c1 : index
      }
      scf.for %i = %c0 to %n step %c1 {
        // expected-error@+1 {{is for all threads of a warpgroup, which do not come here together}}
        nv.wgmma.fence
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

// Sums in flight.

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %sa = nv.smem at 0 : !nv.smem<4x128x64xbf16, b128>
    %sb = nv.smem at 65536 : !nv.smem<4x64x128xbf16, b128>
    nv.role consumer threads 128 to 384 {
      %acc = nv.frag : !nv.frag<64x128xf32, C of m64k16>
      // expected-error@+1 {{no nv.wgmma.fence before the first wgmma of a group}}
      nv.wgmma.mma %acc, %sa[%c0, %c0, %c0] ND, %sb[%c0, %c0, %c0] ND : !nv.frag<64x128xf32, C of m64k16>, !nv.smem<4x128x64xbf16, b128>, !nv.smem<4x64x128xbf16, b128>
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
      nv.wgmma.fence
      nv.wgmma.mma %acc, %sa[%c0, %c0, %c0] ND, %sb[%c0, %c0, %c0] ND : !nv.frag<64x128xf32, C of m64k16>, !nv.smem<4x128x64xbf16, b128>, !nv.smem<4x64x128xbf16, b128>
      nv.wgmma.commit
      // expected-error@+1 {{no nv.wgmma.fence before the first wgmma of a group}}
      nv.wgmma.mma %acc, %sa[%c0, %c0, %c0] ND, %sb[%c0, %c0, %c0] ND : !nv.frag<64x128xf32, C of m64k16>, !nv.smem<4x128x64xbf16, b128>, !nv.smem<4x64x128xbf16, b128>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

// The second time around.

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %sa = nv.smem at 0 : !nv.smem<4x128x64xbf16, b128>
    %sb = nv.smem at 65536 : !nv.smem<4x64x128xbf16, b128>
    nv.role consumer threads 128 to 384 {
      %acc = nv.frag : !nv.frag<64x128xf32, C of m64k16>
      nv.wgmma.fence
      scf.for %i = %c0 to %c4 step %c1 {
        // expected-error@+1 {{no nv.wgmma.fence before the first wgmma of a group}}
        nv.wgmma.mma %acc, %sa[%c0, %c0, %c0] ND, %sb[%c0, %c0, %c0] ND : !nv.frag<64x128xf32, C of m64k16>, !nv.smem<4x128x64xbf16, b128>, !nv.smem<4x64x128xbf16, b128>
        nv.wgmma.commit
      }
      nv.wgmma.wait 0
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
      nv.wgmma.fence
      nv.wgmma.mma %acc, %sa[%c0, %c0, %c0] ND, %sb[%c0, %c0, %c0] ND : !nv.frag<64x128xf32, C of m64k16>, !nv.smem<4x128x64xbf16, b128>, !nv.smem<4x64x128xbf16, b128>
      // expected-error@+1 {{waits for groups, and these wgmmas are in none}}
      nv.wgmma.wait 0
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<64x128xf32>) -> (), kernel}> ({
  ^bb0(%g: memref<64x128xf32>):
    %c0 = arith.constant 0 : index
    %sa = nv.smem at 0 : !nv.smem<4x128x64xbf16, b128>
    %sb = nv.smem at 65536 : !nv.smem<4x64x128xbf16, b128>
    nv.role consumer threads 128 to 384 {
      %acc = nv.frag : !nv.frag<64x128xf32, C of m64k16>
      nv.wgmma.fence
      nv.wgmma.mma %acc, %sa[%c0, %c0, %c0] ND, %sb[%c0, %c0, %c0] ND : !nv.frag<64x128xf32, C of m64k16>, !nv.smem<4x128x64xbf16, b128>, !nv.smem<4x64x128xbf16, b128>
      nv.wgmma.commit
      // expected-error@+1 {{touches registers that a wgmma may still use}}
      nv.epilogue %acc : !nv.frag<64x128xf32, C of m64k16> [%c0, %c0] in [64, 128] dims [0, 1] guard [] tile [64, 128] outs(%g : memref<64x128xf32>) addresses [#poly.map<"{ [i0, i1] -> [(128i0 + i1)] }">] widths [2] {
      ^bb0(%x: f32):
        nv.yield %x : f32
      }
      nv.wgmma.wait 0
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
      %acc2 = nv.frag : !nv.frag<64x128xf32, C of m64k16>
      nv.wgmma.fence
      nv.wgmma.mma %acc, %sa[%c0, %c0, %c0] ND, %sb[%c0, %c0, %c0] ND : !nv.frag<64x128xf32, C of m64k16>, !nv.smem<4x128x64xbf16, b128>, !nv.smem<4x64x128xbf16, b128>
      nv.wgmma.commit
      nv.wgmma.wait 1
      // expected-error@+1 {{touches registers that a wgmma may still use}}
      nv.promote %acc to %acc2 : !nv.frag<64x128xf32, C of m64k16>, !nv.frag<64x128xf32, C of m64k16>
      nv.wgmma.wait 0
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

// The last group of a loop.

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %sa = nv.smem at 0 : !nv.smem<4x128x64xbf16, b128>
    %sb = nv.smem at 65536 : !nv.smem<4x64x128xbf16, b128>
    nv.role consumer threads 128 to 384 {
      %acc = nv.frag : !nv.frag<64x128xf32, C of m64k16>
      %acc2 = nv.frag : !nv.frag<64x128xf32, C of m64k16>
      scf.for %i = %c0 to %c4 step %c1 {
        nv.wgmma.fence
        nv.wgmma.mma %acc, %sa[%c0, %c0, %c0] ND, %sb[%c0, %c0, %c0] ND : !nv.frag<64x128xf32, C of m64k16>, !nv.smem<4x128x64xbf16, b128>, !nv.smem<4x64x128xbf16, b128>
        nv.wgmma.commit
        nv.wgmma.wait 1
      }
      // expected-error@+1 {{touches registers that a wgmma may still use}}
      nv.promote %acc to %acc2 : !nv.frag<64x128xf32, C of m64k16>, !nv.frag<64x128xf32, C of m64k16>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

// Over the back edge: the registers are the same.

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %sa = nv.smem at 0 : !nv.smem<4x128x64xbf16, b128>
    %sb = nv.smem at 65536 : !nv.smem<4x64x128xbf16, b128>
    nv.role consumer threads 128 to 384 {
      scf.for %i = %c0 to %c4 step %c1 {
        // expected-error@+1 {{touches registers that a wgmma may still use}}
        %s = nv.frag : !nv.frag<64x128xf32, C of m64k16>
        nv.wgmma.fence
        nv.wgmma.mma %s, %sa[%c0, %c0, %c0] ND, %sb[%c0, %c0, %c0] ND : !nv.frag<64x128xf32, C of m64k16>, !nv.smem<4x128x64xbf16, b128>, !nv.smem<4x64x128xbf16, b128>
        nv.wgmma.commit
        nv.wgmma.wait 1
      }
      nv.wgmma.wait 0
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

// Operands in registers too.

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %sa = nv.smem at 0 : !nv.smem<4x128x64xbf16, b128>
    %sb = nv.smem at 65536 : !nv.smem<4x64x128xbf16, b128>
    nv.role consumer threads 128 to 384 {
      %acc = nv.frag : !nv.frag<64x128xf32, C of m64k16>
      %a = nv.frag : !nv.frag<64x16xbf16, A of m64k16>
      nv.wgmma.fence
      nv.wgmma.mma_frag %acc, %a, %sb[%c0, %c0, %c0] ND : !nv.frag<64x128xf32, C of m64k16>, !nv.frag<64x16xbf16, A of m64k16>, !nv.smem<4x64x128xbf16, b128>
      nv.wgmma.commit
      // expected-error@+1 {{touches registers that a wgmma may still use}}
      nv.ldmatrix %sa[%c0, %c0, %c0] ND to %a : !nv.smem<4x128x64xbf16, b128>, !nv.frag<64x16xbf16, A of m64k16>
      nv.wgmma.wait 0
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

// One way has waited, the other has not.

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %sa = nv.smem at 0 : !nv.smem<4x128x64xbf16, b128>
    %sb = nv.smem at 65536 : !nv.smem<4x64x128xbf16, b128>
    nv.role consumer threads 128 to 384 {
      %acc = nv.frag : !nv.frag<64x128xf32, C of m64k16>
      %acc2 = nv.frag : !nv.frag<64x128xf32, C of m64k16>
      %p = arith.cmpi eq, %c0, %c0 : index
      nv.wgmma.fence
      nv.wgmma.mma %acc, %sa[%c0, %c0, %c0] ND, %sb[%c0, %c0, %c0] ND : !nv.frag<64x128xf32, C of m64k16>, !nv.smem<4x128x64xbf16, b128>, !nv.smem<4x64x128xbf16, b128>
      nv.wgmma.commit
      scf.if %p {
        nv.wgmma.wait 0
      }
      // expected-error@+1 {{touches registers that a wgmma may still use}}
      nv.promote %acc to %acc2 : !nv.frag<64x128xf32, C of m64k16>, !nv.frag<64x128xf32, C of m64k16>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %sa = nv.smem at 0 : !nv.smem<4x128x64xbf16, b128>
    %sb = nv.smem at 65536 : !nv.smem<4x64x128xbf16, b128>
    nv.role consumer threads 128 to 384 {
      %acc = nv.frag : !nv.frag<64x128xf32, C of m64k16>
      %acc2 = nv.frag : !nv.frag<64x128xf32, C of m64k16>
      // expected-error@+1 {{two sums are in flight over the back edge of this loop: ptxas serialises their wgmmas (C7514, C7517)}}
      scf.for %i = %c0 to %c4 step %c1 {
        nv.wgmma.fence
        nv.wgmma.mma %acc, %sa[%c0, %c0, %c0] ND, %sb[%c0, %c0, %c0] ND : !nv.frag<64x128xf32, C of m64k16>, !nv.smem<4x128x64xbf16, b128>, !nv.smem<4x64x128xbf16, b128>
        nv.wgmma.commit
        nv.wgmma.fence
        nv.wgmma.mma %acc2, %sa[%c0, %c0, %c0] ND, %sb[%c0, %c0, %c0] ND : !nv.frag<64x128xf32, C of m64k16>, !nv.smem<4x128x64xbf16, b128>, !nv.smem<4x64x128xbf16, b128>
        nv.wgmma.commit
        nv.wgmma.wait 2
      }
      nv.wgmma.wait 0
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
      nv.wgmma.fence
      // expected-error@+1 {{the role ends without nv.wgmma.wait for this}}
      nv.wgmma.mma %acc, %sa[%c0, %c0, %c0] ND, %sb[%c0, %c0, %c0] ND : !nv.frag<64x128xf32, C of m64k16>, !nv.smem<4x128x64xbf16, b128>, !nv.smem<4x64x128xbf16, b128>
      nv.wgmma.commit
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
      nv.wgmma.fence
      // expected-error@+1 {{the role ends without nv.wgmma.commit for this}}
      nv.wgmma.mma %acc, %sa[%c0, %c0, %c0] ND, %sb[%c0, %c0, %c0] ND : !nv.frag<64x128xf32, C of m64k16>, !nv.smem<4x128x64xbf16, b128>, !nv.smem<4x64x128xbf16, b128>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    nv.role consumer threads 128 to 384 {
      %acc = nv.frag : !nv.frag<64x128xf32, C of m64k16>
      // expected-error@+1 {{fragments are storage: they do not go through loops and conditions}}
      %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%s = %acc) -> (!nv.frag<64x128xf32, C of m64k16>) {
        scf.yield %s : !nv.frag<64x128xf32, C of m64k16>
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

// What TMA stores.

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (!nv.tensor_map<64x64xbf16, b128>) -> (), kernel}> ({
  ^bb0(%mc: !nv.tensor_map<64x64xbf16, b128>):
    %c0 = arith.constant 0 : index
    %sc = nv.smem at 131072 : !nv.smem<2x64x64xbf16, b128>
    nv.role consumer threads 128 to 384 {
      %half = nv.frag : !nv.frag<64x128xbf16, C of m64k16>
      nv.stmatrix %half column 64 ND to %sc[%c0, %c0, %c0] : !nv.frag<64x128xbf16, C of m64k16>, !nv.smem<2x64x64xbf16, b128>
      nv.barrier 1 threads 128
      nv.single warpgroup {
        // expected-error@+1 {{may not see what was stored there: nv.fence_async, then nv.barrier comes between}}
        nv.tma_store %sc[%c0, %c0, %c0] to %mc[%c0, %c0] : !nv.smem<2x64x64xbf16, b128>, !nv.tensor_map<64x64xbf16, b128>
        nv.bulk.commit
        nv.bulk.wait_read 0
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
    %sc = nv.smem at 131072 : !nv.smem<2x64x64xbf16, b128>
    nv.role consumer threads 128 to 384 {
      %half = nv.frag : !nv.frag<64x128xbf16, C of m64k16>
      nv.stmatrix %half column 64 ND to %sc[%c0, %c0, %c0] : !nv.frag<64x128xbf16, C of m64k16>, !nv.smem<2x64x64xbf16, b128>
      nv.fence_async
      nv.single warpgroup {
        // expected-error@+1 {{may not see what was stored there: nv.barrier comes between}}
        nv.tma_store %sc[%c0, %c0, %c0] to %mc[%c0, %c0] : !nv.smem<2x64x64xbf16, b128>, !nv.tensor_map<64x64xbf16, b128>
        nv.bulk.commit
        nv.bulk.wait_read 0
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
    %sc = nv.smem at 131072 : !nv.smem<2x64x64xbf16, b128>
    nv.role consumer threads 128 to 384 {
      %half = nv.frag : !nv.frag<64x128xbf16, C of m64k16>
      nv.stmatrix %half column 64 ND to %sc[%c0, %c0, %c0] : !nv.frag<64x128xbf16, C of m64k16>, !nv.smem<2x64x64xbf16, b128>
      nv.barrier 1 threads 128
      nv.fence_async
      nv.single warpgroup {
        // expected-error@+1 {{may not see what was stored there: nv.barrier comes between}}
        nv.tma_store %sc[%c0, %c0, %c0] to %mc[%c0, %c0] : !nv.smem<2x64x64xbf16, b128>, !nv.tensor_map<64x64xbf16, b128>
        nv.bulk.commit
        nv.bulk.wait_read 0
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
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %sc = nv.smem at 131072 : !nv.smem<2x64x64xbf16, b128>
    nv.role consumer threads 128 to 384 {
      %half = nv.frag : !nv.frag<64x128xbf16, C of m64k16>
      scf.for %i = %c0 to %c4 step %c1 {
        nv.stmatrix %half column 64 ND to %sc[%c0, %c0, %c0] : !nv.frag<64x128xbf16, C of m64k16>, !nv.smem<2x64x64xbf16, b128>
      }
      nv.barrier 1 threads 128
      nv.single warpgroup {
        // expected-error@+1 {{may not see what was stored there: nv.fence_async, then nv.barrier comes between}}
        nv.tma_store %sc[%c0, %c0, %c0] to %mc[%c0, %c0] : !nv.smem<2x64x64xbf16, b128>, !nv.tensor_map<64x64xbf16, b128>
        nv.bulk.commit
        nv.bulk.wait_read 0
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
    %sc = nv.smem at 131072 : !nv.smem<2x64x64xbf16, b128>
    nv.role consumer threads 128 to 384 {
      nv.single warpgroup {
        // expected-error@+1 {{is in no group: nv.bulk.commit comes after it}}
        nv.tma_store %sc[%c0, %c0, %c0] to %mc[%c0, %c0] : !nv.smem<2x64x64xbf16, b128>, !nv.tensor_map<64x64xbf16, b128>
        nv.bulk.wait_read 0
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
    %sc = nv.smem at 131072 : !nv.smem<2x64x64xbf16, b128>
    nv.role consumer threads 128 to 384 {
      nv.single warpgroup {
        // expected-error@+1 {{may read shared memory after the block's end: end with nv.bulk.wait_read 0}}
        nv.tma_store %sc[%c0, %c0, %c0] to %mc[%c0, %c0] : !nv.smem<2x64x64xbf16, b128>, !nv.tensor_map<64x64xbf16, b128>
        nv.bulk.commit
        nv.bulk.wait_read 1
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

// The order of a kernel.

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %full = nv.mbarrier at 246784 : !nv.mbarrier<4>
    nv.role consumer threads 128 to 384 {
      // expected-error@+1 {{uses mbarriers that nv.mbarrier.init does not initialise}}
      nv.mbarrier.wait %full[%c0] parity %c0 : !nv.mbarrier<4>
      nv.mbarrier.arrive %full[%c1] : !nv.mbarrier<4>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %full = nv.mbarrier at 246784 : !nv.mbarrier<4>
    nv.role producer threads 0 to 128 {
      nv.fence_async
    }
    nv.single block {
      // expected-error@+1 {{comes too late: mbarriers are initialised before the roles}}
      nv.mbarrier.init %full arrivals 256 : !nv.mbarrier<4>
      nv.mbarrier.init_fence
    }
    "gpu.barrier"() : () -> ()
    nv.role consumer threads 128 to 384 {
      nv.mbarrier.wait %full[%c0] parity %c0 : !nv.mbarrier<4>
      nv.mbarrier.arrive %full[%c1] : !nv.mbarrier<4>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %full = nv.mbarrier at 246784 : !nv.mbarrier<4>
    nv.role consumer threads 128 to 384 {
      nv.single role {
        // expected-error@+1 {{comes too late: mbarriers are initialised before the roles}}
        nv.mbarrier.init %full arrivals 1 : !nv.mbarrier<4>
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %full = nv.mbarrier at 246784 : !nv.mbarrier<4>
    nv.single block {
      nv.mbarrier.init %full arrivals 256 : !nv.mbarrier<4>
      nv.mbarrier.init_fence
    }
    "gpu.barrier"() : () -> ()
    nv.single block {
      // expected-error@+1 {{initialises these mbarriers again}}
      nv.mbarrier.init %full arrivals 256 : !nv.mbarrier<4>
      nv.mbarrier.init_fence
    }
    "gpu.barrier"() : () -> ()
    nv.role consumer threads 128 to 384 {
      nv.mbarrier.wait %full[%c0] parity %c0 : !nv.mbarrier<4>
      nv.mbarrier.arrive %full[%c1] : !nv.mbarrier<4>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %full = nv.mbarrier at 246784 : !nv.mbarrier<4>
    nv.single block {
      // expected-error@+1 {{lacks nv.mbarrier.init_fence behind it}}
      nv.mbarrier.init %full arrivals 256 : !nv.mbarrier<4>
    }
    "gpu.barrier"() : () -> ()
    nv.role consumer threads 128 to 384 {
      nv.mbarrier.wait %full[%c0] parity %c0 : !nv.mbarrier<4>
      nv.mbarrier.arrive %full[%c1] : !nv.mbarrier<4>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %full = nv.mbarrier at 246784 : !nv.mbarrier<4>
    nv.single block {
      // expected-error@+1 {{lacks gpu.barrier behind its fence}}
      nv.mbarrier.init %full arrivals 256 : !nv.mbarrier<4>
      nv.mbarrier.init_fence
    }
    nv.role consumer threads 128 to 384 {
      nv.mbarrier.wait %full[%c0] parity %c0 : !nv.mbarrier<4>
      nv.mbarrier.arrive %full[%c1] : !nv.mbarrier<4>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %full = nv.mbarrier at 246784 : !nv.mbarrier<4>
    nv.single block {
      // expected-error@+1 {{lacks nv.cluster.sync behind its fence}}
      nv.mbarrier.init %full arrivals 256 : !nv.mbarrier<4>
      nv.mbarrier.init_fence
    }
    "gpu.barrier"() : () -> ()
    nv.role consumer threads 128 to 384 {
      nv.mbarrier.wait %full[%c0] parity %c0 : !nv.mbarrier<4>
      nv.mbarrier.arrive %full[%c1] : !nv.mbarrier<4>
    }
    nv.cluster.sync
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>, "nv.cluster" = array<i64: 2, 1, 1>} : () -> ()
}) : () -> ()

// -----

// The barrier comes before the fence.

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %full = nv.mbarrier at 246784 : !nv.mbarrier<4>
    nv.single block {
      // expected-error@+1 {{lacks gpu.barrier behind its fence}}
      nv.mbarrier.init %full arrivals 256 : !nv.mbarrier<4>
    }
    "gpu.barrier"() : () -> ()
    nv.single block {
      nv.mbarrier.init_fence
    }
    nv.role consumer threads 128 to 384 {
      nv.mbarrier.wait %full[%c0] parity %c0 : !nv.mbarrier<4>
      nv.mbarrier.arrive %full[%c1] : !nv.mbarrier<4>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    // expected-error@+1 {{is the last of a kernel with a cluster}}
    nv.role consumer threads 128 to 384 {
      nv.fence_async
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>, "nv.cluster" = array<i64: 2, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    nv.role consumer threads 128 to 384 {
      nv.fence_async
    }
    nv.cluster.sync
    // expected-error@+1 {{is the last of a kernel with a cluster}}
    %f = nv.mbarrier at 0 : !nv.mbarrier<4>
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>, "nv.cluster" = array<i64: 2, 1, 1>} : () -> ()
}) : () -> ()

// -----

// Arrivals and bytes.

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %full = nv.mbarrier at 246784 : !nv.mbarrier<4>
    nv.single block {
      nv.mbarrier.init %full arrivals 256 : !nv.mbarrier<4>
      nv.mbarrier.init_fence
    }
    "gpu.barrier"() : () -> ()
    nv.role consumer threads 128 to 384 {
      // expected-error@+1 {{waits for arrivals, and nobody arrives}}
      nv.mbarrier.wait %full[%c0] parity %c0 : !nv.mbarrier<4>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %full = nv.mbarrier at 246784 : !nv.mbarrier<4>
    nv.single block {
      // expected-error@+1 {{'arrivals' is 128, but 256 arrive in each phase}}
      nv.mbarrier.init %full arrivals 128 : !nv.mbarrier<4>
      nv.mbarrier.init_fence
    }
    "gpu.barrier"() : () -> ()
    nv.role consumer threads 128 to 384 {
      nv.mbarrier.wait %full[%c0] parity %c0 : !nv.mbarrier<4>
      nv.mbarrier.arrive %full[%c1] : !nv.mbarrier<4>
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %full = nv.mbarrier at 246784 : !nv.mbarrier<4>
    nv.single block {
      // expected-error@+1 {{'arrivals' is 256, but 2 arrive in each phase}}
      nv.mbarrier.init %full arrivals 256 : !nv.mbarrier<4>
      nv.mbarrier.init_fence
    }
    "gpu.barrier"() : () -> ()
    nv.role consumer threads 128 to 384 {
      nv.mbarrier.wait %full[%c0] parity %c0 : !nv.mbarrier<4>
      nv.single warpgroup {
        nv.mbarrier.arrive %full[%c1] : !nv.mbarrier<4>
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %full = nv.mbarrier at 246784 : !nv.mbarrier<4>
    nv.single block {
      // expected-error@+1 {{'arrivals' is 2, but 1 arrive in each phase}}
      nv.mbarrier.init %full arrivals 2 : !nv.mbarrier<4>
      nv.mbarrier.init_fence
    }
    "gpu.barrier"() : () -> ()
    nv.role consumer threads 128 to 384 {
      nv.mbarrier.wait %full[%c0] parity %c0 : !nv.mbarrier<4>
      nv.single role {
        nv.mbarrier.arrive %full[%c1] : !nv.mbarrier<4>
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %full = nv.mbarrier at 246784 : !nv.mbarrier<4>
    nv.single block {
      // expected-error@+1 {{'arrivals' is 3, but 1 and 1 arrive in each phase}}
      nv.mbarrier.init %full arrivals 3 : !nv.mbarrier<4>
      nv.mbarrier.init_fence
    }
    "gpu.barrier"() : () -> ()
    nv.role producer threads 0 to 128 {
      nv.single role {
        nv.mbarrier.arrive %full[%c0] : !nv.mbarrier<4>
      }
    }
    nv.role consumer threads 128 to 384 {
      nv.mbarrier.wait %full[%c0] parity %c0 : !nv.mbarrier<4>
      nv.single role {
        nv.mbarrier.arrive %full[%c1] : !nv.mbarrier<4>
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

// Once for each slot of a loop.

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %full = nv.mbarrier at 246784 : !nv.mbarrier<4>
    nv.single block {
      // expected-error@+1 {{'arrivals' is 1, but 2 arrive in each phase}}
      nv.mbarrier.init %full arrivals 1 : !nv.mbarrier<4>
      nv.mbarrier.init_fence
    }
    "gpu.barrier"() : () -> ()
    nv.role consumer threads 128 to 384 {
      scf.for %i = %c0 to %c4 step %c1 {
        nv.mbarrier.wait %full[%i] parity %c0 : !nv.mbarrier<4>
        nv.single warpgroup {
          nv.mbarrier.arrive %full[%i] : !nv.mbarrier<4>
        }
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

// From all blocks, to all blocks.

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %full = nv.mbarrier at 246784 : !nv.mbarrier<4>
    nv.single block {
      // expected-error@+1 {{'arrivals' is 2, but 4 arrive in each phase}}
      nv.mbarrier.init %full arrivals 2 : !nv.mbarrier<4>
      nv.mbarrier.init_fence
    }
    nv.cluster.sync
    nv.role consumer threads 128 to 384 {
      scf.for %i = %c0 to %c4 step %c1 {
        nv.mbarrier.wait %full[%i] parity %c0 : !nv.mbarrier<4>
        nv.single warpgroup {
          scf.for %b = %c0 to %c2 step %c1 {
            nv.mbarrier.arrive %full[%i] at %b : !nv.mbarrier<4>
          }
        }
      }
    }
    nv.cluster.sync
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>, "nv.cluster" = array<i64: 2, 1, 1>} : () -> ()
}) : () -> ()

// -----

// To itself and to its neighbour.

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %full = nv.mbarrier at 246784 : !nv.mbarrier<4>
    nv.single block {
      // expected-error@+1 {{'arrivals' is 2, but 4 arrive in each phase}}
      nv.mbarrier.init %full arrivals 2 : !nv.mbarrier<4>
      nv.mbarrier.init_fence
    }
    nv.cluster.sync
    nv.role consumer threads 128 to 384 {
      %r = nv.cluster.rank
      %s = arith.addi %r, %c1 : index
      %o = arith.remui %s, %c2 : index
      nv.mbarrier.wait %full[%c0] parity %c0 : !nv.mbarrier<4>
      nv.single warpgroup {
        nv.mbarrier.arrive %full[%c1] at %r : !nv.mbarrier<4>
        nv.mbarrier.arrive %full[%c1] at %o : !nv.mbarrier<4>
      }
    }
    nv.cluster.sync
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>, "nv.cluster" = array<i64: 2, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (!nv.tensor_map<128x64xbf16, b128>) -> (), kernel}> ({
  ^bb0(%ma: !nv.tensor_map<128x64xbf16, b128>):
    %c0 = arith.constant 0 : index
    %sa = nv.smem at 0 : !nv.smem<4x128x64xbf16, b128>
    %full = nv.mbarrier at 246784 : !nv.mbarrier<4>
    nv.single block {
      nv.mbarrier.init %full arrivals 1 : !nv.mbarrier<4>
      nv.mbarrier.init_fence
    }
    "gpu.barrier"() : () -> ()
    nv.role producer threads 0 to 128 {
      nv.single role {
        // expected-error@+1 {{'bytes' is 16384, but the loads that signal this slot bring 32768}}
        nv.mbarrier.expect_tx %full[%c0] bytes 16384 : !nv.mbarrier<4>
        nv.tma_load %ma[%c0, %c0] to %sa[%c0, %c0, %c0] signal %full[%c0] : !nv.tensor_map<128x64xbf16, b128>, !nv.smem<4x128x64xbf16, b128>, !nv.mbarrier<4>
        nv.tma_load %ma[%c0, %c0] to %sa[%c0, %c0, %c0] signal %full[%c0] : !nv.tensor_map<128x64xbf16, b128>, !nv.smem<4x128x64xbf16, b128>, !nv.mbarrier<4>
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
    nv.single block {
      nv.mbarrier.init %full arrivals 1 : !nv.mbarrier<4>
      nv.mbarrier.init_fence
    }
    "gpu.barrier"() : () -> ()
    nv.role producer threads 0 to 128 {
      nv.single role {
        nv.mbarrier.expect_tx %full[%c1] bytes 16384 : !nv.mbarrier<4>
        // expected-error@+1 {{'bytes' is 32768, but the loads that signal this slot bring 16384}}
        nv.mbarrier.expect_tx %full[%c0] bytes 32768 : !nv.mbarrier<4>
        nv.tma_load %ma[%c0, %c0] to %sa[%c1, %c0, %c0] signal %full[%c1] : !nv.tensor_map<128x64xbf16, b128>, !nv.smem<4x128x64xbf16, b128>, !nv.mbarrier<4>
        nv.tma_load %ma[%c0, %c0] to %sa[%c0, %c0, %c0] signal %full[%c0] : !nv.tensor_map<128x64xbf16, b128>, !nv.smem<4x128x64xbf16, b128>, !nv.mbarrier<4>
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %full = nv.mbarrier at 246784 : !nv.mbarrier<4>
    nv.single block {
      nv.mbarrier.init %full arrivals 1 : !nv.mbarrier<4>
      nv.mbarrier.init_fence
    }
    "gpu.barrier"() : () -> ()
    nv.role producer threads 0 to 128 {
      nv.single role {
        // expected-error@+1 {{'bytes' is 16384, but the loads that signal this slot bring 0}}
        nv.mbarrier.expect_tx %full[%c0] bytes 16384 : !nv.mbarrier<4>
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
    %c3 = arith.constant 3 : index
    %sa = nv.smem at 0 : !nv.smem<4x128x64xbf16, b128>
    %full = nv.mbarrier at 246784 : !nv.mbarrier<4>
    nv.single block {
      nv.mbarrier.init %full arrivals 1 : !nv.mbarrier<4>
      nv.mbarrier.init_fence
    }
    "gpu.barrier"() : () -> ()
    nv.role producer threads 0 to 128 {
      nv.single role {
        // expected-error@+1 {{'bytes' is 16384, but the loads that signal this slot bring 49152}}
        nv.mbarrier.expect_tx %full[%c0] bytes 16384 : !nv.mbarrier<4>
        scf.for %i = %c0 to %c3 step %c1 {
          nv.tma_load %ma[%c0, %c0] to %sa[%c0, %c0, %c0] signal %full[%c0] : !nv.tensor_map<128x64xbf16, b128>, !nv.smem<4x128x64xbf16, b128>, !nv.mbarrier<4>
        }
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

// Both blocks send to both.

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (!nv.tensor_map<128x64xbf16, b128>) -> (), kernel}> ({
  ^bb0(%ma: !nv.tensor_map<128x64xbf16, b128>):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %sa = nv.smem at 0 : !nv.smem<4x128x64xbf16, b128>
    %full = nv.mbarrier at 246784 : !nv.mbarrier<4>
    nv.single block {
      nv.mbarrier.init %full arrivals 1 : !nv.mbarrier<4>
      nv.mbarrier.init_fence
    }
    nv.cluster.sync
    nv.role producer threads 0 to 128 {
      nv.single role {
        scf.for %i = %c0 to %c4 step %c1 {
          // expected-error@+1 {{'bytes' is 16384, but the loads that signal this slot bring 32768}}
          nv.mbarrier.expect_tx %full[%i] bytes 16384 : !nv.mbarrier<4>
          nv.tma_load %ma[%c0, %c0] to %sa[%i, %c0, %c0] signal %full[%i] multicast %c3 : !nv.tensor_map<128x64xbf16, b128>, !nv.smem<4x128x64xbf16, b128>, !nv.mbarrier<4>
        }
      }
    }
    nv.cluster.sync
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>, "nv.cluster" = array<i64: 2, 1, 1>} : () -> ()
}) : () -> ()

// -----

// One block sends to both.

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (!nv.tensor_map<128x64xbf16, b128>) -> (), kernel}> ({
  ^bb0(%ma: !nv.tensor_map<128x64xbf16, b128>):
    %c0 = arith.constant 0 : index
    %c3 = arith.constant 3 : index
    %sa = nv.smem at 0 : !nv.smem<4x128x64xbf16, b128>
    %full = nv.mbarrier at 246784 : !nv.mbarrier<4>
    nv.single block {
      nv.mbarrier.init %full arrivals 1 : !nv.mbarrier<4>
      nv.mbarrier.init_fence
    }
    nv.cluster.sync
    nv.role producer threads 0 to 128 {
      nv.single role {
        %r = nv.cluster.rank
        %p = arith.cmpi eq, %r, %c0 : index
        // expected-error@+1 {{'bytes' is 32768, but the loads that signal this slot bring 16384}}
        nv.mbarrier.expect_tx %full[%c0] bytes 32768 : !nv.mbarrier<4>
        scf.if %p {
          nv.tma_load %ma[%c0, %c0] to %sa[%c0, %c0, %c0] signal %full[%c0] multicast %c3 : !nv.tensor_map<128x64xbf16, b128>, !nv.smem<4x128x64xbf16, b128>, !nv.mbarrier<4>
        }
      }
    }
    nv.cluster.sync
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>, "nv.cluster" = array<i64: 2, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (!nv.tensor_map<128x64xbf16, b128>) -> (), kernel}> ({
  ^bb0(%ma: !nv.tensor_map<128x64xbf16, b128>):
    %c0 = arith.constant 0 : index
    %sa = nv.smem at 0 : !nv.smem<4x128x64xbf16, b128>
    %full = nv.mbarrier at 246784 : !nv.mbarrier<4>
    nv.single block {
      nv.mbarrier.init %full arrivals 1 : !nv.mbarrier<4>
      nv.mbarrier.init_fence
    }
    "gpu.barrier"() : () -> ()
    nv.role producer threads 0 to 128 {
      nv.single role {
        nv.mbarrier.arrive %full[%c0] : !nv.mbarrier<4>
        // expected-error@+1 {{signals an mbarrier at which nv.mbarrier.expect_tx announces no bytes}}
        nv.tma_load %ma[%c0, %c0] to %sa[%c0, %c0, %c0] signal %full[%c0] : !nv.tensor_map<128x64xbf16, b128>, !nv.smem<4x128x64xbf16, b128>, !nv.mbarrier<4>
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()
