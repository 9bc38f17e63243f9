// RUN: ptir-opt %s --split-input-file --verify-diagnostics

// One case for each rule of SM90: types, tensor maps, launches.

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
  // expected-error@+1 {{an element of 'A of m64k32_f8' is i16}}
  %t = "test.op"() : () -> !nv.frag<64x32xi16, A of m64k32_f8>
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

// Places in shared memory.

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    // expected-error@+1 {{'at' is 512}}
    %s = nv.smem at 512 : !nv.smem<4x128x64xbf16, b128>
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    // expected-error@+1 {{'at' is 128}}
    %s = nv.smem at 128 : !nv.smem<2x128x32xbf16, b64>
    "gpu.return"() : () -> ()
  }) {sym_name = "k", "gpu.known_block_size" = array<i32: 384, 1, 1>} : () -> ()
}) : () -> ()

// -----

// Tensor maps.

func.func @f(%x: memref<128x128xbf16>) {
  // expected-error@+1 {{nv.tensor_map takes a size and a stride for each axis of the box (2), got 3 and 3}}
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
    // expected-error@+1 {{'nv.tensor_map' belongs in host code: the kernel takes the tensor map as an argument}}
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
  // expected-error@+1 {{'nv.launch' must take tensor maps from nv.tensor_map}}
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
  // expected-error@+1 {{'nv.launch' writes a buffer that is also another of its operands}}
  nv.launch @kernels::@k grid [1, 1, 1] block [384, 1, 1] shared 147456(%u, %t : !nv.tensor_map<128x64xbf16, b128>, !nv.tensor_map<64x64xbf16, b128>)
  func.return
}

// -----

"gpu.module"() <{sym_name = "kernels"}> ({
  // expected-note@+1 {{the kernel is here}}
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
  // expected-error@+1 {{'nv.launch' has operand types that do not match @kernels::@k}}
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
    // expected-error@+1 {{'nv.mbarrier' overlaps another ring or scratch in shared memory}}
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
