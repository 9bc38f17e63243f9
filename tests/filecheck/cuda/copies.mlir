// RUN: ptir-opt %s -t cuda --split-input-file | filecheck %s

// A whole copy of 16 bytes a thread: no guard, and rows and columns follow from the thread alone.

// CHECK-LABEL: __global__
// CHECK: const u32 s1 = shared_address(shared) + 1024;  // 2 slots of 16 x 64 bf16
// CHECK: // s1[{{.*}}] = 16 x 64 tile of x, 16-byte cp.async
// CHECK-NEXT: #pragma unroll
// CHECK-NEXT: for (int i = 0; i < 2; ++i) {
// CHECK-NEXT: const int row = i * 8 + (int)threadIdx.x / 8, column = (int)threadIdx.x % 8 * 8;
// CHECK-NEXT: cp_async_16(s1 + (int)blockIdx.x * 2048 + at_64_j_8_i_8j_2_8i<2>((int)threadIdx.x / 8, (int)threadIdx.x % 8 * 8) + i * 1024, x + (64 * ((int)blockIdx.x + row) + column), 16);
// CHECK-NEXT: }
// CHECK-NEXT: commit_group();
// CHECK-NEXT: wait_group<0>();
// CHECK-NEXT: __syncthreads();

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<80x64xbf16>) -> (), kernel}> ({
  ^bb0(%x: memref<80x64xbf16>):
    %c0 = arith.constant 0 : index
    %m = "gpu.block_id"() <{dimension = #gpu<dim x>}> : () -> index
    %s = nv.smem at 1024 : !nv.smem<2x16x64xbf16, xor>
    nv.cp_async %x[%m, %c0] to %s[%m] address <"{ [i0, i1] -> [(64i0 + i1)] }"> in [80, 64] dims [0, 1] guard [] bytes 16 : memref<80x64xbf16>, !nv.smem<2x16x64xbf16, xor>
    nv.commit_group
    nv.wait_group 0
    "gpu.barrier"() : () -> ()
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 64, 1, 1>} : () -> ()
}) : () -> ()

// -----

// Without swizzle.

// CHECK-LABEL: __global__
// CHECK: cp_async_16(s1 + (int)blockIdx.x * 2048 + at_64_j_16_i<2>((int)threadIdx.x / 8, (int)threadIdx.x % 8 * 8) + i * 1024, x + (64 * ((int)blockIdx.x + row) + column), 16);

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<80x64xbf16>) -> (), kernel}> ({
  ^bb0(%x: memref<80x64xbf16>):
    %c0 = arith.constant 0 : index
    %m = "gpu.block_id"() <{dimension = #gpu<dim x>}> : () -> index
    %s = nv.smem at 0 : !nv.smem<2x16x64xbf16, none>
    nv.cp_async %x[%m, %c0] to %s[%m] address <"{ [i0, i1] -> [(64i0 + i1)] }"> in [80, 64] dims [0, 1] guard [] bytes 16 : memref<80x64xbf16>, !nv.smem<2x16x64xbf16, none>
    nv.commit_group
    nv.wait_group 0
    "gpu.barrier"() : () -> ()
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 64, 1, 1>} : () -> ()
}) : () -> ()

// -----

// Swizzled for lanes that read columns.

// CHECK-LABEL: __global__
// CHECK: cp_async_16(s1 + (int)blockIdx.x * 4096 + at_64_j_4_i_8j_4_4i<4>((int)threadIdx.x / 16, (int)threadIdx.x % 16 * 4) + i * 1024, x + (64 * ((int)blockIdx.x + row) + column), 16);

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<80x64xf32>) -> (), kernel}> ({
  ^bb0(%x: memref<80x64xf32>):
    %c0 = arith.constant 0 : index
    %m = "gpu.block_id"() <{dimension = #gpu<dim x>}> : () -> index
    %s = nv.smem at 0 : !nv.smem<2x16x64xf32, xor_columns>
    nv.cp_async %x[%m, %c0] to %s[%m] address <"{ [i0, i1] -> [(64i0 + i1)] }"> in [80, 64] dims [0, 1] guard [] bytes 16 : memref<80x64xf32>, !nv.smem<2x16x64xf32, xor_columns>
    nv.commit_group
    nv.wait_group 0
    "gpu.barrier"() : () -> ()
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 64, 1, 1>} : () -> ()
}) : () -> ()

// -----

// Tails: rows by a condition, columns by the number of bytes; nothing else of the row is read.

// CHECK-LABEL: __global__
// CHECK: // s1[{{.*}}] = 16 x 64 tile of x, 8-byte cp.async
// CHECK: const int row = i * 4 + (int)threadIdx.x / 16, column = (int)threadIdx.x % 16 * 4;
// CHECK-NEXT: const int size = (int)blockIdx.x + row < 17 ? clamp(60 - (column), 0, 4) * 2 : 0;
// CHECK-NEXT: cp_async_8(s1 + (int)blockIdx.x * 2048 + at_64_j_8_i_8j_2_8i<2>(row, column), size ? x + (60 * ((int)blockIdx.x + row) + column) : x, size);

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<17x60xf16>) -> (), kernel}> ({
  ^bb0(%x: memref<17x60xf16>):
    %c0 = arith.constant 0 : index
    %m = "gpu.block_id"() <{dimension = #gpu<dim x>}> : () -> index
    %s = nv.smem at 0 : !nv.smem<2x16x64xf16, xor>
    nv.cp_async %x[%m, %c0] to %s[%m] address <"{ [i0, i1] -> [(60i0 + i1)] }"> in [17, 60] dims [0, 1] guard [0, 1] bytes 8 : memref<17x60xf16>, !nv.smem<2x16x64xf16, xor>
    nv.commit_group
    nv.wait_group 0
    "gpu.barrier"() : () -> ()
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 64, 1, 1>} : () -> ()
}) : () -> ()

// -----

// A guard along the rows alone.

// CHECK-LABEL: __global__
// CHECK: const int size = (int)blockIdx.x + row < 17 ? 16 : 0;

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<17x64xf16>) -> (), kernel}> ({
  ^bb0(%x: memref<17x64xf16>):
    %c0 = arith.constant 0 : index
    %m = "gpu.block_id"() <{dimension = #gpu<dim x>}> : () -> index
    %s = nv.smem at 0 : !nv.smem<2x16x64xf16, xor>
    nv.cp_async %x[%m, %c0] to %s[%m] address <"{ [i0, i1] -> [(64i0 + i1)] }"> in [17, 64] dims [0, 1] guard [0] bytes 16 : memref<17x64xf16>, !nv.smem<2x16x64xf16, xor>
    nv.commit_group
    nv.wait_group 0
    "gpu.barrier"() : () -> ()
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 64, 1, 1>} : () -> ()
}) : () -> ()

// -----

// A guard along the columns alone.

// CHECK-LABEL: __global__
// CHECK: const int size = clamp(62 - (column), 0, 2) * 2;
// CHECK: cp_async_4(

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<80x62xf16>) -> (), kernel}> ({
  ^bb0(%x: memref<80x62xf16>):
    %c0 = arith.constant 0 : index
    %m = "gpu.block_id"() <{dimension = #gpu<dim x>}> : () -> index
    %s = nv.smem at 0 : !nv.smem<2x16x64xf16, xor>
    nv.cp_async %x[%m, %c0] to %s[%m] address <"{ [i0, i1] -> [(62i0 + i1)] }"> in [80, 62] dims [0, 1] guard [1] bytes 4 : memref<80x62xf16>, !nv.smem<2x16x64xf16, xor>
    nv.commit_group
    nv.wait_group 0
    "gpu.barrier"() : () -> ()
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 64, 1, 1>} : () -> ()
}) : () -> ()

// -----

// The memory's order turned: its columns are the tile's rows.

// CHECK-LABEL: __global__
// CHECK: const int size = row < 60 ? 16 : 0;
// CHECK-NEXT: cp_async_16(s1 + (int)blockIdx.x * 2048 + at_16_j_4_i_2_4i_8j_8_8i<2>((int)threadIdx.x / 2, (int)threadIdx.x % 2 * 8) + i * 1024, size ? x + (((int)blockIdx.x + column) + 80 * row) : x, size);

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<60x80xbf16>) -> (), kernel}> ({
  ^bb0(%x: memref<60x80xbf16>):
    %c0 = arith.constant 0 : index
    %m = "gpu.block_id"() <{dimension = #gpu<dim x>}> : () -> index
    %s = nv.smem at 0 : !nv.smem<2x64x16xbf16, xor>
    nv.cp_async %x[%m, %c0] to %s[%m] address <"{ [i0, i1] -> [(i0 + 80i1)] }"> in [80, 60] dims [1, 0] guard [1] bytes 16 : memref<60x80xbf16>, !nv.smem<2x64x16xbf16, xor>
    nv.commit_group
    nv.wait_group 0
    "gpu.barrier"() : () -> ()
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 64, 1, 1>} : () -> ()
}) : () -> ()

// -----

// Elements of 4 bytes: 16, 8 and 4 at a time.

// CHECK-LABEL: __global__
// CHECK: // s1[{{.*}}] = 16 x 16 tile of x, 16-byte cp.async
// CHECK: const int row = i * 16 + (int)threadIdx.x / 4, column = (int)threadIdx.x % 4 * 4;
// CHECK-NEXT: const int size = clamp(12 - (column), 0, 4) * 4;
// CHECK-NEXT: cp_async_16(s1 + (int)blockIdx.x * 1024 + at_16_j_2_i_4_2i_4j_2_8i<4>((int)threadIdx.x / 4, (int)threadIdx.x % 4 * 4), size ? x + (12 * ((int)blockIdx.x + row) + column) : x, size);

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<80x12xf32>) -> (), kernel}> ({
  ^bb0(%x: memref<80x12xf32>):
    %c0 = arith.constant 0 : index
    %m = "gpu.block_id"() <{dimension = #gpu<dim x>}> : () -> index
    %s = nv.smem at 0 : !nv.smem<2x16x16xf32, xor>
    nv.cp_async %x[%m, %c0] to %s[%m] address <"{ [i0, i1] -> [(12i0 + i1)] }"> in [80, 12] dims [0, 1] guard [1] bytes 16 : memref<80x12xf32>, !nv.smem<2x16x16xf32, xor>
    nv.commit_group
    nv.wait_group 0
    "gpu.barrier"() : () -> ()
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 64, 1, 1>} : () -> ()
}) : () -> ()

// -----

// 8.

// CHECK-LABEL: __global__
// CHECK: // s1[{{.*}}] = 16 x 16 tile of x, 8-byte cp.async
// CHECK: const int row = i * 8 + (int)threadIdx.x / 8, column = (int)threadIdx.x % 8 * 2;
// CHECK-NEXT: const int size = clamp(14 - (column), 0, 2) * 4;
// CHECK-NEXT: cp_async_8(s1 + (int)blockIdx.x * 1024 + at_16_j_2_i_4_2i_4j_2_8i<4>((int)threadIdx.x / 8, (int)threadIdx.x % 8 * 2) + i * 512, size ? x + (14 * ((int)blockIdx.x + row) + column) : x, size);

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<80x14xf32>) -> (), kernel}> ({
  ^bb0(%x: memref<80x14xf32>):
    %c0 = arith.constant 0 : index
    %m = "gpu.block_id"() <{dimension = #gpu<dim x>}> : () -> index
    %s = nv.smem at 0 : !nv.smem<2x16x16xf32, xor>
    nv.cp_async %x[%m, %c0] to %s[%m] address <"{ [i0, i1] -> [(14i0 + i1)] }"> in [80, 14] dims [0, 1] guard [1] bytes 8 : memref<80x14xf32>, !nv.smem<2x16x16xf32, xor>
    nv.commit_group
    nv.wait_group 0
    "gpu.barrier"() : () -> ()
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 64, 1, 1>} : () -> ()
}) : () -> ()

// -----

// 4.

// CHECK-LABEL: __global__
// CHECK: // s1[{{.*}}] = 16 x 16 tile of x, 4-byte cp.async
// CHECK: const int row = i * 4 + (int)threadIdx.x / 16, column = (int)threadIdx.x % 16 * 1;
// CHECK-NEXT: const int size = clamp(15 - (column), 0, 1) * 4;
// CHECK-NEXT: cp_async_4(s1 + (int)blockIdx.x * 1024 + at_16_j_2_i_4_2i_4j_2_8i<4>(row, column),

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<80x15xf32>) -> (), kernel}> ({
  ^bb0(%x: memref<80x15xf32>):
    %c0 = arith.constant 0 : index
    %m = "gpu.block_id"() <{dimension = #gpu<dim x>}> : () -> index
    %s = nv.smem at 0 : !nv.smem<2x16x16xf32, xor>
    nv.cp_async %x[%m, %c0] to %s[%m] address <"{ [i0, i1] -> [(15i0 + i1)] }"> in [80, 15] dims [0, 1] guard [1] bytes 4 : memref<80x15xf32>, !nv.smem<2x16x16xf32, xor>
    nv.commit_group
    nv.wait_group 0
    "gpu.barrier"() : () -> ()
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 64, 1, 1>} : () -> ()
}) : () -> ()

// -----

// Elements of 8 bytes.

// CHECK-LABEL: __global__
// CHECK: // s1[{{.*}}] = 16 x 16 tile of x, 16-byte cp.async
// CHECK: const int row = i * 8 + (int)threadIdx.x / 8, column = (int)threadIdx.x % 8 * 2;
// CHECK-NEXT: const int size = clamp(14 - (column), 0, 2) * 8;
// CHECK-NEXT: cp_async_16(s1 + (int)blockIdx.x * 2048 + at_16_j_8_i_2j_2_8i<8>((int)threadIdx.x / 8, (int)threadIdx.x % 8 * 2) + i * 1024, size ? x + (14 * ((int)blockIdx.x + row) + column) : x, size);

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<80x14xf64>) -> (), kernel}> ({
  ^bb0(%x: memref<80x14xf64>):
    %c0 = arith.constant 0 : index
    %m = "gpu.block_id"() <{dimension = #gpu<dim x>}> : () -> index
    %s = nv.smem at 0 : !nv.smem<2x16x16xf64, xor>
    nv.cp_async %x[%m, %c0] to %s[%m] address <"{ [i0, i1] -> [(14i0 + i1)] }"> in [80, 14] dims [0, 1] guard [1] bytes 16 : memref<80x14xf64>, !nv.smem<2x16x16xf64, xor>
    nv.commit_group
    nv.wait_group 0
    "gpu.barrier"() : () -> ()
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 64, 1, 1>} : () -> ()
}) : () -> ()

// -----

// One at a time.

// CHECK-LABEL: __global__
// CHECK: // s1[{{.*}}] = 16 x 16 tile of x, 8-byte cp.async
// CHECK: const int row = i * 4 + (int)threadIdx.x / 16, column = (int)threadIdx.x % 16 * 1;
// CHECK-NEXT: const int size = clamp(15 - (column), 0, 1) * 8;
// CHECK-NEXT: cp_async_8(s1 + (int)blockIdx.x * 2048 + at_16_j_8_i_2j_2_8i<8>(row, column),

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<80x15xf64>) -> (), kernel}> ({
  ^bb0(%x: memref<80x15xf64>):
    %c0 = arith.constant 0 : index
    %m = "gpu.block_id"() <{dimension = #gpu<dim x>}> : () -> index
    %s = nv.smem at 0 : !nv.smem<2x16x16xf64, xor>
    nv.cp_async %x[%m, %c0] to %s[%m] address <"{ [i0, i1] -> [(15i0 + i1)] }"> in [80, 15] dims [0, 1] guard [1] bytes 8 : memref<80x15xf64>, !nv.smem<2x16x16xf64, xor>
    nv.commit_group
    nv.wait_group 0
    "gpu.barrier"() : () -> ()
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 64, 1, 1>} : () -> ()
}) : () -> ()

// -----

// Elements of 1 byte.

// CHECK-LABEL: __global__
// CHECK: // s1[{{.*}}] = 16 x 64 tile of x, 16-byte cp.async
// CHECK: const int row = i * 16 + (int)threadIdx.x / 4, column = (int)threadIdx.x % 4 * 16;
// CHECK-NEXT: const int size = clamp(48 - (column), 0, 16) * 1;
// CHECK-NEXT: cp_async_16(s1 + (int)blockIdx.x * 1024 + at_64_j_2_i_4_2i_16j_2_8i<1>((int)threadIdx.x / 4, (int)threadIdx.x % 4 * 16), size ? x + (48 * ((int)blockIdx.x + row) + column) : x, size);

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<80x48xi8>) -> (), kernel}> ({
  ^bb0(%x: memref<80x48xi8>):
    %c0 = arith.constant 0 : index
    %m = "gpu.block_id"() <{dimension = #gpu<dim x>}> : () -> index
    %s = nv.smem at 0 : !nv.smem<2x16x64xi8, xor>
    nv.cp_async %x[%m, %c0] to %s[%m] address <"{ [i0, i1] -> [(48i0 + i1)] }"> in [80, 48] dims [0, 1] guard [1] bytes 16 : memref<80x48xi8>, !nv.smem<2x16x64xi8, xor>
    nv.commit_group
    nv.wait_group 0
    "gpu.barrier"() : () -> ()
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 64, 1, 1>} : () -> ()
}) : () -> ()

// -----

// 8.

// CHECK-LABEL: __global__
// CHECK: // s1[{{.*}}] = 16 x 64 tile of x, 8-byte cp.async
// CHECK: const int row = i * 8 + (int)threadIdx.x / 8, column = (int)threadIdx.x % 8 * 8;
// CHECK-NEXT: const int size = clamp(56 - (column), 0, 8) * 1;
// CHECK-NEXT: cp_async_8(s1 + (int)blockIdx.x * 1024 + at_64_j_2_i_4_2i_16j_2_8i<1>((int)threadIdx.x / 8, (int)threadIdx.x % 8 * 8) + i * 512, size ? x + (56 * ((int)blockIdx.x + row) + column) : x, size);

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<80x56xi8>) -> (), kernel}> ({
  ^bb0(%x: memref<80x56xi8>):
    %c0 = arith.constant 0 : index
    %m = "gpu.block_id"() <{dimension = #gpu<dim x>}> : () -> index
    %s = nv.smem at 0 : !nv.smem<2x16x64xi8, xor>
    nv.cp_async %x[%m, %c0] to %s[%m] address <"{ [i0, i1] -> [(56i0 + i1)] }"> in [80, 56] dims [0, 1] guard [1] bytes 8 : memref<80x56xi8>, !nv.smem<2x16x64xi8, xor>
    nv.commit_group
    nv.wait_group 0
    "gpu.barrier"() : () -> ()
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 64, 1, 1>} : () -> ()
}) : () -> ()

// -----

// 4.

// CHECK-LABEL: __global__
// CHECK: // s1[{{.*}}] = 16 x 64 tile of x, 4-byte cp.async
// CHECK: const int row = i * 4 + (int)threadIdx.x / 16, column = (int)threadIdx.x % 16 * 4;
// CHECK-NEXT: const int size = clamp(60 - (column), 0, 4) * 1;
// CHECK-NEXT: cp_async_4(s1 + (int)blockIdx.x * 1024 + at_64_j_2_i_4_2i_16j_2_8i<1>(row, column),

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<80x60xui8>) -> (), kernel}> ({
  ^bb0(%x: memref<80x60xui8>):
    %c0 = arith.constant 0 : index
    %m = "gpu.block_id"() <{dimension = #gpu<dim x>}> : () -> index
    %s = nv.smem at 0 : !nv.smem<2x16x64xui8, xor>
    nv.cp_async %x[%m, %c0] to %s[%m] address <"{ [i0, i1] -> [(60i0 + i1)] }"> in [80, 60] dims [0, 1] guard [1] bytes 4 : memref<80x60xui8>, !nv.smem<2x16x64xui8, xor>
    nv.commit_group
    nv.wait_group 0
    "gpu.barrier"() : () -> ()
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 64, 1, 1>} : () -> ()
}) : () -> ()

// -----

// Single elements of 2 bytes, each guarded, packed into 16 bytes.

// CHECK-LABEL: __global__
// CHECK: // s1[{{.*}}] = 16 x 16 tile of x, through registers, 2-byte loads
// CHECK: u32 words[4] = {};
// CHECK-NEXT: #pragma unroll
// CHECK-NEXT: for (int e = 0; e < 8; ++e) {
// CHECK-NEXT: words[e / 2] |= ((int)blockIdx.x + row < 20 && column + e < 9 ? (u32)*(const u16*)(x + (9 * ((int)blockIdx.x + row) + (column + e))) : 0) << e % 2 * 16;
// CHECK-NEXT: }
// CHECK-NEXT: store_shared_16(s1 + (int)blockIdx.x * 512 + at_16_j_4_i_2_4i_8j_2_8i<2>((int)threadIdx.x / 2, (int)threadIdx.x % 2 * 8), words);

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<20x9xf16>) -> (), kernel}> ({
  ^bb0(%x: memref<20x9xf16>):
    %c0 = arith.constant 0 : index
    %m = "gpu.block_id"() <{dimension = #gpu<dim x>}> : () -> index
    %s = nv.smem at 0 : !nv.smem<2x16x16xf16, xor>
    nv.cp_async %x[%m, %c0] to %s[%m] address <"{ [i0, i1] -> [(9i0 + i1)] }"> in [20, 9] dims [0, 1] guard [0, 1] bytes 2 : memref<20x9xf16>, !nv.smem<2x16x16xf16, xor>
    nv.commit_group
    nv.wait_group 0
    "gpu.barrier"() : () -> ()
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 32, 1, 1>} : () -> ()
}) : () -> ()

// -----

// Single bytes.

// CHECK-LABEL: __global__
// CHECK: // s1[{{.*}}] = 16 x 32 tile of x, through registers, 1-byte loads
// CHECK: for (int e = 0; e < 16; ++e) {
// CHECK-NEXT: words[e / 4] |= ((u32)*(const u8*)(x + (33 * ((int)blockIdx.x + row) + (column + e)))) << e % 4 * 8;
// CHECK-NEXT: }
// CHECK-NEXT: store_shared_16(s1 + (int)blockIdx.x * 512 + at_32_j_4_i_2_4i_16j_2_8i<1>((int)threadIdx.x / 2, (int)threadIdx.x % 2 * 16), words);

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<80x33xi8>) -> (), kernel}> ({
  ^bb0(%x: memref<80x33xi8>):
    %c0 = arith.constant 0 : index
    %m = "gpu.block_id"() <{dimension = #gpu<dim x>}> : () -> index
    %s = nv.smem at 0 : !nv.smem<2x16x32xi8, xor>
    nv.cp_async %x[%m, %c0] to %s[%m] address <"{ [i0, i1] -> [(33i0 + i1)] }"> in [80, 33] dims [0, 1] guard [] bytes 1 : memref<80x33xi8>, !nv.smem<2x16x32xi8, xor>
    nv.commit_group
    nv.wait_group 0
    "gpu.barrier"() : () -> ()
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 32, 1, 1>} : () -> ()
}) : () -> ()

// -----

// More threads than copies: some have none.

// CHECK-LABEL: __global__
// CHECK: const int chunk = i * 64 + (int)threadIdx.x;
// CHECK-NEXT: if (chunk < 32) {
// CHECK-NEXT: const int row = chunk / 2, column = chunk % 2 * 8;

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<80x16xbf16>) -> (), kernel}> ({
  ^bb0(%x: memref<80x16xbf16>):
    %c0 = arith.constant 0 : index
    %m = "gpu.block_id"() <{dimension = #gpu<dim x>}> : () -> index
    %s = nv.smem at 0 : !nv.smem<2x16x16xbf16, xor>
    nv.cp_async %x[%m, %c0] to %s[%m] address <"{ [i0, i1] -> [(16i0 + i1)] }"> in [80, 16] dims [0, 1] guard [] bytes 16 : memref<80x16xbf16>, !nv.smem<2x16x16xbf16, xor>
    nv.commit_group
    nv.wait_group 0
    "gpu.barrier"() : () -> ()
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 64, 1, 1>} : () -> ()
}) : () -> ()

// -----

// Threads that do not divide into rows.

// CHECK-LABEL: __global__
// CHECK: for (int i = 0; i < 4; ++i) {
// CHECK-NEXT: const int chunk = i * 96 + (int)threadIdx.x;
// CHECK-NEXT: const int row = chunk / 64, column = chunk % 64 * 4;

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<80x256xf32>) -> (), kernel}> ({
  ^bb0(%x: memref<80x256xf32>):
    %c0 = arith.constant 0 : index
    %m = "gpu.block_id"() <{dimension = #gpu<dim x>}> : () -> index
    %s = nv.smem at 0 : !nv.smem<1x6x256xf32, xor>
    nv.cp_async %x[%m, %c0] to %s[%m] address <"{ [i0, i1] -> [(256i0 + i1)] }"> in [80, 256] dims [0, 1] guard [] bytes 16 : memref<80x256xf32>, !nv.smem<1x6x256xf32, xor>
    nv.commit_group
    nv.wait_group 0
    "gpu.barrier"() : () -> ()
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 96, 1, 1>} : () -> ()
}) : () -> ()
