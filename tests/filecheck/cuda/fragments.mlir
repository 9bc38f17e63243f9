// RUN: ptir-opt %s -t cuda --split-input-file | filecheck %s

// A along k: x4 is one tile, two matrices below each other and two beside.

// CHECK-LABEL: __global__
// CHECK: u32 f[2][4];  // operand A, 32 x 16 per warp
// CHECK-NEXT: #pragma unroll
// CHECK-NEXT: for (int i = 0; i < 2; ++i) {
// CHECK-NEXT: ldmatrix_x4(f[i][0], f[i][1], f[i][2], f[i][3], s1 + (int)threadIdx.y * 4096 + at_64_j_8_i_8j_4_8i<2>(i * 16 + lane % 16, (int)threadIdx.y + lane / 16 * 8));

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
  ^bb0():
    %c0 = arith.constant 0 : index
    %m = "gpu.thread_id"() <{dimension = #gpu<dim y>}> : () -> index
    %s = nv.smem at 0 : !nv.smem<2x32x64xbf16, xor>
    %f = nv.frag : !nv.frag<32x16xbf16, A of m16n8k16>
    nv.ldmatrix %s[%m, %c0, %m] ND to %f : !nv.smem<2x32x64xbf16, xor>, !nv.frag<32x16xbf16, A of m16n8k16>
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 32, 1, 1>} : () -> ()
}) : () -> ()

// -----

// A across k: turned by .trans.

// CHECK-LABEL: __global__
// CHECK: ldmatrix_x4_trans(f[i][0], f[i][1], f[i][2], f[i][3], s1 + (int)threadIdx.y * 4096 + at_64_j_8_i_8j_4_8i<2>(lane % 8 + lane / 16 * 8, (int)threadIdx.y + i * 16 + lane / 8 % 2 * 8));

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
  ^bb0():
    %c0 = arith.constant 0 : index
    %m = "gpu.thread_id"() <{dimension = #gpu<dim y>}> : () -> index
    %s = nv.smem at 0 : !nv.smem<2x32x64xbf16, xor>
    %f = nv.frag : !nv.frag<32x16xbf16, A of m16n8k16>
    nv.ldmatrix %s[%m, %c0, %m] DN to %f : !nv.smem<2x32x64xbf16, xor>, !nv.frag<32x16xbf16, A of m16n8k16>
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 32, 1, 1>} : () -> ()
}) : () -> ()

// -----

// B along k: x4 is two tiles.

// CHECK-LABEL: __global__
// CHECK: u32 f[4][2];  // operand B, 16 x 32 per warp
// CHECK-NEXT: #pragma unroll
// CHECK-NEXT: for (int i = 0; i < 2; ++i) {
// CHECK-NEXT: ldmatrix_x4(f[i * 2][0], f[i * 2][1], f[i * 2 + 1][0], f[i * 2 + 1][1], s1 + (int)threadIdx.y * 4096 + at_64_j_8_i_8j_4_8i<2>(i * 16 + lane % 8 + lane / 16 * 8, (int)threadIdx.y + lane / 8 % 2 * 8));
// CHECK-NEXT: }
// CHECK-NOT: ldmatrix_x2

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
  ^bb0():
    %c0 = arith.constant 0 : index
    %m = "gpu.thread_id"() <{dimension = #gpu<dim y>}> : () -> index
    %s = nv.smem at 0 : !nv.smem<2x32x64xf16, xor>
    %f = nv.frag : !nv.frag<16x32xf16, B of m16n8k16>
    nv.ldmatrix %s[%m, %c0, %m] DN to %f : !nv.smem<2x32x64xf16, xor>, !nv.frag<16x32xf16, B of m16n8k16>
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 32, 1, 1>} : () -> ()
}) : () -> ()

// -----

// B across k.

// CHECK-LABEL: __global__
// CHECK: ldmatrix_x4_trans(f[i * 2][0], f[i * 2][1], f[i * 2 + 1][0], f[i * 2 + 1][1], s1 + (int)threadIdx.y * 4096 + at_64_j_8_i_8j_4_8i<2>(lane % 16, (int)threadIdx.y + i * 16 + lane / 16 * 8));

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
  ^bb0():
    %c0 = arith.constant 0 : index
    %m = "gpu.thread_id"() <{dimension = #gpu<dim y>}> : () -> index
    %s = nv.smem at 0 : !nv.smem<2x32x64xf16, xor>
    %f = nv.frag : !nv.frag<16x32xf16, B of m16n8k16>
    nv.ldmatrix %s[%m, %c0, %m] ND to %f : !nv.smem<2x32x64xf16, xor>, !nv.frag<16x32xf16, B of m16n8k16>
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 32, 1, 1>} : () -> ()
}) : () -> ()

// -----

// An odd number of tiles of B: the last by x2.

// CHECK-LABEL: __global__
// CHECK: u32 f[3][2];  // operand B, 16 x 24 per warp
// CHECK-NEXT: ldmatrix_x4(
// CHECK-NEXT: ldmatrix_x2(f[2][0], f[2][1], s1 + (int)threadIdx.y * 4096 + at_64_j_32_i<2>(16 + lane % 8, (int)threadIdx.y + lane / 8 % 2 * 8));

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
  ^bb0():
    %c0 = arith.constant 0 : index
    %m = "gpu.thread_id"() <{dimension = #gpu<dim y>}> : () -> index
    %s = nv.smem at 0 : !nv.smem<2x32x64xf16, none>
    %f = nv.frag : !nv.frag<16x24xf16, B of m16n8k16>
    nv.ldmatrix %s[%m, %c0, %m] DN to %f : !nv.smem<2x32x64xf16, none>, !nv.frag<16x24xf16, B of m16n8k16>
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 32, 1, 1>} : () -> ()
}) : () -> ()

// -----

// One tile across k.

// CHECK-LABEL: __global__
// CHECK: u32 f[1][2];  // operand B, 16 x 8 per warp
// CHECK-NEXT: ldmatrix_x2_trans(f[0][0], f[0][1], s1 + (int)threadIdx.y * 4096 + at_64_j_8_i_8j_4_8i<2>(lane % 16, (int)threadIdx.y));

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
  ^bb0():
    %c0 = arith.constant 0 : index
    %m = "gpu.thread_id"() <{dimension = #gpu<dim y>}> : () -> index
    %s = nv.smem at 0 : !nv.smem<2x32x64xf16, xor>
    %f = nv.frag : !nv.frag<16x8xf16, B of m16n8k16>
    nv.ldmatrix %s[%m, %c0, %m] ND to %f : !nv.smem<2x32x64xf16, xor>, !nv.frag<16x8xf16, B of m16n8k16>
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 32, 1, 1>} : () -> ()
}) : () -> ()

// -----

// Words of tf32: 4 to a row of 16 bytes.

// CHECK-LABEL: __global__
// CHECK: u32 f[1][4];  // operand A, 16 x 8 per warp
// CHECK: ldmatrix_x4(f[0][0], f[0][1], f[0][2], f[0][3], s1 + (int)threadIdx.y * 2048 + at_32_j_8_i_4j_2_8i<4>(lane % 16, (int)threadIdx.y + lane / 16 * 4));

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
  ^bb0():
    %c0 = arith.constant 0 : index
    %m = "gpu.thread_id"() <{dimension = #gpu<dim y>}> : () -> index
    %s = nv.smem at 0 : !nv.smem<2x16x32xf32, xor>
    %f = nv.frag : !nv.frag<16x8xf32, A of m16n8k8>
    nv.ldmatrix %s[%m, %c0, %m] ND to %f : !nv.smem<2x16x32xf32, xor>, !nv.frag<16x8xf32, A of m16n8k8>
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 32, 1, 1>} : () -> ()
}) : () -> ()

// -----

// 8-bit integers: 16.

// CHECK-LABEL: __global__
// CHECK: u32 f[2][2];  // operand B, 32 x 16 per warp
// CHECK: ldmatrix_x4(f[0][0], f[0][1], f[1][0], f[1][1], s1 + (int)threadIdx.y * 1024 + at_64_j_2_i_4_2i_16j_2_8i<1>(lane % 8 + lane / 16 * 8, (int)threadIdx.y + lane / 8 % 2 * 16));

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
  ^bb0():
    %c0 = arith.constant 0 : index
    %m = "gpu.thread_id"() <{dimension = #gpu<dim y>}> : () -> index
    %s = nv.smem at 0 : !nv.smem<2x16x64xi8, xor>
    %f = nv.frag : !nv.frag<32x16xi8, B of m16n8k32>
    nv.ldmatrix %s[%m, %c0, %m] DN to %f : !nv.smem<2x16x64xi8, xor>, !nv.frag<32x16xi8, B of m16n8k32>
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 32, 1, 1>} : () -> ()
}) : () -> ()

// -----

// Element by element: two neighbours of 2 bytes are one word.

// CHECK-LABEL: __global__
// CHECK: for (int i = 0; i < 1; ++i) {
// CHECK-NEXT: ld_shared_4(f[i][0], s1 + (int)threadIdx.y * 2048 + at_64_j_8_i_8j_2_8i<2>(lane / 4 + i * 16, (int)threadIdx.y + lane % 4 * 2));
// CHECK-NEXT: ld_shared_4(f[i][1], s1 + (int)threadIdx.y * 2048 + at_64_j_8_i_8j_2_8i<2>(lane / 4 + 8 + i * 16, (int)threadIdx.y + lane % 4 * 2));
// CHECK-NEXT: ld_shared_4(f[i][2], s1 + (int)threadIdx.y * 2048 + at_64_j_8_i_8j_2_8i<2>(lane / 4 + i * 16, (int)threadIdx.y + lane % 4 * 2 + 8));
// CHECK-NEXT: ld_shared_4(f[i][3], s1 + (int)threadIdx.y * 2048 + at_64_j_8_i_8j_2_8i<2>(lane / 4 + 8 + i * 16, (int)threadIdx.y + lane % 4 * 2 + 8));

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
  ^bb0():
    %c0 = arith.constant 0 : index
    %m = "gpu.thread_id"() <{dimension = #gpu<dim y>}> : () -> index
    %s = nv.smem at 0 : !nv.smem<2x16x64xbf16, xor>
    %f = nv.frag : !nv.frag<16x16xbf16, A of m16n8k16>
    nv.ld_shared %s[%m, %c0, %m] ND to %f : !nv.smem<2x16x64xbf16, xor>, !nv.frag<16x16xbf16, A of m16n8k16>
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 32, 1, 1>} : () -> ()
}) : () -> ()

// -----

// Two that are not are put together.

// CHECK-LABEL: __global__
// CHECK: f[i][0] = ld_shared_2(s1 + (int)threadIdx.y * 2048 + at_64_j_8_i_8j_2_8i<2>(lane % 4 * 2, (int)threadIdx.y + lane / 4 + i * 16)) | ld_shared_2(s1 + (int)threadIdx.y * 2048 + at_64_j_8_i_8j_2_8i<2>(lane % 4 * 2 + 1, (int)threadIdx.y + lane / 4 + i * 16)) << 16;

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
  ^bb0():
    %c0 = arith.constant 0 : index
    %m = "gpu.thread_id"() <{dimension = #gpu<dim y>}> : () -> index
    %s = nv.smem at 0 : !nv.smem<2x16x64xbf16, xor>
    %f = nv.frag : !nv.frag<16x16xbf16, A of m16n8k16>
    nv.ld_shared %s[%m, %c0, %m] DN to %f : !nv.smem<2x16x64xbf16, xor>, !nv.frag<16x16xbf16, A of m16n8k16>
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 32, 1, 1>} : () -> ()
}) : () -> ()

// -----

// So are four bytes.

// CHECK-LABEL: __global__
// CHECK: f[i][0] = ld_shared_1(s1 + (int)threadIdx.y * 1024 + at_32_j_4_i_2_i_4i_16j_2_2i_8i_2_16i<1>(lane % 4 * 4, (int)threadIdx.y + lane / 4 + i * 8)) | ld_shared_1(s1 + (int)threadIdx.y * 1024 + at_32_j_4_i_2_i_4i_16j_2_2i_8i_2_16i<1>(lane % 4 * 4 + 1, (int)threadIdx.y + lane / 4 + i * 8)) << 8 | ld_shared_1(s1 + (int)threadIdx.y * 1024 + at_32_j_4_i_2_i_4i_16j_2_2i_8i_2_16i<1>(lane % 4 * 4 + 2, (int)threadIdx.y + lane / 4 + i * 8)) << 16 | ld_shared_1(s1 + (int)threadIdx.y * 1024 + at_32_j_4_i_2_i_4i_16j_2_2i_8i_2_16i<1>(lane % 4 * 4 + 3, (int)threadIdx.y + lane / 4 + i * 8)) << 24;
// CHECK-NEXT: f[i][1] = ld_shared_1(s1 + (int)threadIdx.y * 1024 + at_32_j_4_i_2_i_4i_16j_2_2i_8i_2_16i<1>(lane % 4 * 4 + 16, (int)threadIdx.y + lane / 4 + i * 8))

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
  ^bb0():
    %c0 = arith.constant 0 : index
    %m = "gpu.thread_id"() <{dimension = #gpu<dim y>}> : () -> index
    %s = nv.smem at 0 : !nv.smem<2x32x32xi8, xor_columns>
    %f = nv.frag : !nv.frag<32x8xi8, B of m16n8k32>
    nv.ld_shared %s[%m, %c0, %m] ND to %f : !nv.smem<2x32x32xi8, xor_columns>, !nv.frag<32x8xi8, B of m16n8k32>
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 32, 1, 1>} : () -> ()
}) : () -> ()

// -----

// Words of tf32 across k.

// CHECK-LABEL: __global__
// CHECK: ld_shared_4(f[i][0], s1 + (int)threadIdx.y * 1024 + at_32_j_4_i_8j_2_4i<4>(lane % 4, (int)threadIdx.y + lane / 4 + i * 8));
// CHECK-NEXT: ld_shared_4(f[i][1], s1 + (int)threadIdx.y * 1024 + at_32_j_4_i_8j_2_4i<4>(lane % 4 + 4, (int)threadIdx.y + lane / 4 + i * 8));

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
  ^bb0():
    %c0 = arith.constant 0 : index
    %m = "gpu.thread_id"() <{dimension = #gpu<dim y>}> : () -> index
    %s = nv.smem at 0 : !nv.smem<2x8x32xf32, xor_columns>
    %f = nv.frag : !nv.frag<8x8xf32, B of m16n8k8>
    nv.ld_shared %s[%m, %c0, %m] ND to %f : !nv.smem<2x8x32xf32, xor_columns>, !nv.frag<8x8xf32, B of m16n8k8>
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 32, 1, 1>} : () -> ()
}) : () -> ()

// -----

// f64 stays whole.

// CHECK-LABEL: __global__
// CHECK: double f[2][1];  // operand A, 16 x 4 per warp
// CHECK: ld_shared_f64(f[i][0], s1 + (int)threadIdx.y * 2048 + at_16_j_4_i_4j_4_4i<8>(lane / 4 + i * 8, (int)threadIdx.y + lane % 4));

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
  ^bb0():
    %c0 = arith.constant 0 : index
    %m = "gpu.thread_id"() <{dimension = #gpu<dim y>}> : () -> index
    %s = nv.smem at 0 : !nv.smem<2x16x16xf64, xor_columns>
    %f = nv.frag : !nv.frag<16x4xf64, A of m8n8k4>
    nv.ld_shared %s[%m, %c0, %m] ND to %f : !nv.smem<2x16x16xf64, xor_columns>, !nv.frag<16x4xf64, A of m8n8k4>
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 32, 1, 1>} : () -> ()
}) : () -> ()

// -----

// For FMA, A has four neighbours along k: 16 bytes.

// CHECK-LABEL: __global__
// CHECK: u32 f[2][8];  // operand A, 32 x 4 per warp
// CHECK: ld_shared_16(f[i][0], f[i][1], f[i][2], f[i][3], s1 + (int)threadIdx.y * 4096 + at_32_j_8_i_4j_4_8i<4>(lane / 4 + i * 16, (int)threadIdx.y));
// CHECK-NEXT: ld_shared_16(f[i][4], f[i][5], f[i][6], f[i][7], s1 + (int)threadIdx.y * 4096 + at_32_j_8_i_4j_4_8i<4>(lane / 4 + 8 + i * 16, (int)threadIdx.y));

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
  ^bb0():
    %c0 = arith.constant 0 : index
    %m = "gpu.thread_id"() <{dimension = #gpu<dim y>}> : () -> index
    %s = nv.smem at 0 : !nv.smem<2x32x32xf32, xor>
    %f = nv.frag : !nv.frag<32x4xf32, A of fma>
    nv.ld_shared %s[%m, %c0, %m] ND to %f : !nv.smem<2x32x32xf32, xor>, !nv.frag<32x4xf32, A of fma>
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 32, 1, 1>} : () -> ()
}) : () -> ()

// -----

// B has two along n: 8 bytes.

// CHECK-LABEL: __global__
// CHECK: u32 f[1][8];  // operand B, 4 x 8 per warp
// CHECK: ld_shared_8(f[i][0], f[i][1], s1 + (int)threadIdx.y * 512 + at_32_j_4_i_4j<4>(0, (int)threadIdx.y + lane % 4 * 2 + i * 8));
// CHECK-NEXT: ld_shared_8(f[i][2], f[i][3], s1 + (int)threadIdx.y * 512 + at_32_j_4_i_4j<4>(1, (int)threadIdx.y + lane % 4 * 2 + i * 8));

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
  ^bb0():
    %c0 = arith.constant 0 : index
    %m = "gpu.thread_id"() <{dimension = #gpu<dim y>}> : () -> index
    %s = nv.smem at 0 : !nv.smem<2x4x32xf32, xor>
    %f = nv.frag : !nv.frag<4x8xf32, B of fma>
    nv.ld_shared %s[%m, %c0, %m] ND to %f : !nv.smem<2x4x32xf32, xor>, !nv.frag<4x8xf32, B of fma>
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 32, 1, 1>} : () -> ()
}) : () -> ()

// -----

// Turned, words.

// CHECK-LABEL: __global__
// CHECK: ld_shared_4(f[i][0], s1 + (int)threadIdx.y * 1024 + at_32_j_8_i_4j<4>(lane % 4 * 2 + i * 8, (int)threadIdx.y));
// CHECK-NEXT: ld_shared_4(f[i][1], s1 + (int)threadIdx.y * 1024 + at_32_j_8_i_4j<4>(lane % 4 * 2 + 1 + i * 8, (int)threadIdx.y));
// CHECK-NEXT: ld_shared_4(f[i][2], s1 + (int)threadIdx.y * 1024 + at_32_j_8_i_4j<4>(lane % 4 * 2 + i * 8, (int)threadIdx.y + 1));

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
  ^bb0():
    %c0 = arith.constant 0 : index
    %m = "gpu.thread_id"() <{dimension = #gpu<dim y>}> : () -> index
    %s = nv.smem at 0 : !nv.smem<2x8x32xf32, xor>
    %f = nv.frag : !nv.frag<4x8xf32, B of fma>
    nv.ld_shared %s[%m, %c0, %m] DN to %f : !nv.smem<2x8x32xf32, xor>, !nv.frag<4x8xf32, B of fma>
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 32, 1, 1>} : () -> ()
}) : () -> ()

// -----

// Rounding to tf32, each word.

// CHECK-LABEL: __global__
// CHECK: for (int i = 0; i < 2; ++i) {
// CHECK-NEXT: #pragma unroll
// CHECK-NEXT: for (int w = 0; w < 4; ++w) {
// CHECK-NEXT: f[i][w] = to_tf32(f[i][w]);

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
  ^bb0():
    %c0 = arith.constant 0 : index
    %f = nv.frag : !nv.frag<32x8xf32, A of m16n8k8>
    nv.to_tf32 %f : !nv.frag<32x8xf32, A of m16n8k8>
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 32, 1, 1>} : () -> ()
}) : () -> ()

// -----

// Multiplication.

// CHECK-LABEL: __global__
// CHECK: float c[2][3][4] = {};  // accumulator, 32 x 24 per warp
// CHECK: for (int i = 0; i < 2; ++i) {
// CHECK-NEXT: #pragma unroll
// CHECK-NEXT: for (int j = 0; j < 3; ++j) {
// CHECK-NEXT: mma_m16n8k16_bf16(c[i][j], a[i], b[j]);

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
  ^bb0():
    %c0 = arith.constant 0 : index
    %c = nv.frag : !nv.frag<32x24xf32, C of m16n8k16>
    %a = nv.frag : !nv.frag<32x16xbf16, A of m16n8k16>
    %b = nv.frag : !nv.frag<16x24xbf16, B of m16n8k16>
    nv.mma_sync %c, %a, %b : !nv.frag<32x24xf32, C of m16n8k16>, !nv.frag<32x16xbf16, A of m16n8k16>, !nv.frag<16x24xbf16, B of m16n8k16>
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 32, 1, 1>} : () -> ()
}) : () -> ()

// -----

// Operand A is a part of a converted accumulator: two of its tiles.

// CHECK: DEV const u32 (&adjacent_tiles(const u32 (&first)[2]))[4]
// CHECK-LABEL: __global__
// CHECK: u32 weights[2][4][2] = {};  // accumulator, 32 x 32 per warp
// CHECK: mma_m16n8k16_bf16(c[i][j], adjacent_tiles(weights[i][2]), b[j]);

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
  ^bb0():
    %c = nv.frag : !nv.frag<32x24xf32, C of m16n8k16>
    %weights = nv.frag : !nv.frag<32x32xbf16, C of m16n8k16>
    %b = nv.frag : !nv.frag<16x24xbf16, B of m16n8k16>
    nv.mma_sync %c, %weights column 16, %b : !nv.frag<32x24xf32, C of m16n8k16>, !nv.frag<32x32xbf16, C of m16n8k16>, !nv.frag<16x24xbf16, B of m16n8k16>
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 32, 1, 1>} : () -> ()
}) : () -> ()

// -----

// f16.

// CHECK-LABEL: __global__
// CHECK: float c[1][1][4] = {};  // accumulator, 16 x 8 per warp
// CHECK: for (int i = 0; i < 1; ++i) {
// CHECK-NEXT: #pragma unroll
// CHECK-NEXT: for (int j = 0; j < 1; ++j) {
// CHECK-NEXT: mma_m16n8k16_f16(c[i][j], a[i], b[j]);

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
  ^bb0():
    %c0 = arith.constant 0 : index
    %c = nv.frag : !nv.frag<16x8xf32, C of m16n8k16>
    %a = nv.frag : !nv.frag<16x16xf16, A of m16n8k16>
    %b = nv.frag : !nv.frag<16x8xf16, B of m16n8k16>
    nv.mma_sync %c, %a, %b : !nv.frag<16x8xf32, C of m16n8k16>, !nv.frag<16x16xf16, A of m16n8k16>, !nv.frag<16x8xf16, B of m16n8k16>
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 32, 1, 1>} : () -> ()
}) : () -> ()

// -----

// tf32.

// CHECK-LABEL: __global__
// CHECK: float c[1][2][4] = {};  // accumulator, 16 x 16 per warp
// CHECK: for (int i = 0; i < 1; ++i) {
// CHECK-NEXT: #pragma unroll
// CHECK-NEXT: for (int j = 0; j < 2; ++j) {
// CHECK-NEXT: mma_m16n8k8_tf32(c[i][j], a[i], b[j]);

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
  ^bb0():
    %c0 = arith.constant 0 : index
    %c = nv.frag : !nv.frag<16x16xf32, C of m16n8k8>
    %a = nv.frag : !nv.frag<16x8xf32, A of m16n8k8>
    %b = nv.frag : !nv.frag<8x16xf32, B of m16n8k8>
    nv.mma_sync %c, %a, %b : !nv.frag<16x16xf32, C of m16n8k8>, !nv.frag<16x8xf32, A of m16n8k8>, !nv.frag<8x16xf32, B of m16n8k8>
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 32, 1, 1>} : () -> ()
}) : () -> ()

// -----

// f64: a tile of 8 rows.

// CHECK-LABEL: __global__
// CHECK: double c[2][1][2] = {};  // accumulator, 16 x 8 per warp
// CHECK: for (int i = 0; i < 2; ++i) {
// CHECK-NEXT: #pragma unroll
// CHECK-NEXT: for (int j = 0; j < 1; ++j) {
// CHECK-NEXT: mma_m8n8k4_f64(c[i][j], a[i], b[j]);

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
  ^bb0():
    %c0 = arith.constant 0 : index
    %c = nv.frag : !nv.frag<16x8xf64, C of m8n8k4>
    %a = nv.frag : !nv.frag<16x4xf64, A of m8n8k4>
    %b = nv.frag : !nv.frag<4x8xf64, B of m8n8k4>
    nv.mma_sync %c, %a, %b : !nv.frag<16x8xf64, C of m8n8k4>, !nv.frag<16x4xf64, A of m8n8k4>, !nv.frag<4x8xf64, B of m8n8k4>
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 32, 1, 1>} : () -> ()
}) : () -> ()

// -----

// 8-bit integers, of either sign.

// CHECK-LABEL: __global__
// CHECK: int c[1][1][4] = {};  // accumulator, 16 x 8 per warp
// CHECK: for (int i = 0; i < 1; ++i) {
// CHECK-NEXT: #pragma unroll
// CHECK-NEXT: for (int j = 0; j < 1; ++j) {
// CHECK-NEXT: mma_m16n8k32_s8_s8(c[i][j], a[i], b[j]);

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
  ^bb0():
    %c0 = arith.constant 0 : index
    %c = nv.frag : !nv.frag<16x8xi32, C of m16n8k32>
    %a = nv.frag : !nv.frag<16x32xi8, A of m16n8k32>
    %b = nv.frag : !nv.frag<32x8xi8, B of m16n8k32>
    nv.mma_sync %c, %a, %b : !nv.frag<16x8xi32, C of m16n8k32>, !nv.frag<16x32xi8, A of m16n8k32>, !nv.frag<32x8xi8, B of m16n8k32>
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 32, 1, 1>} : () -> ()
}) : () -> ()

// -----

// Unsigned by signed.

// CHECK-LABEL: __global__
// CHECK: int c[1][1][4] = {};  // accumulator, 16 x 8 per warp
// CHECK: for (int i = 0; i < 1; ++i) {
// CHECK-NEXT: #pragma unroll
// CHECK-NEXT: for (int j = 0; j < 1; ++j) {
// CHECK-NEXT: mma_m16n8k32_u8_s8(c[i][j], a[i], b[j]);

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
  ^bb0():
    %c0 = arith.constant 0 : index
    %c = nv.frag : !nv.frag<16x8xi32, C of m16n8k32>
    %a = nv.frag : !nv.frag<16x32xui8, A of m16n8k32>
    %b = nv.frag : !nv.frag<32x8xsi8, B of m16n8k32>
    nv.mma_sync %c, %a, %b : !nv.frag<16x8xi32, C of m16n8k32>, !nv.frag<16x32xui8, A of m16n8k32>, !nv.frag<32x8xsi8, B of m16n8k32>
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 32, 1, 1>} : () -> ()
}) : () -> ()

// -----

// f32 without tensor cores.

// CHECK-LABEL: __global__
// CHECK: float c[1][1][4] = {};  // accumulator, 16 x 8 per warp
// CHECK: for (int i = 0; i < 1; ++i) {
// CHECK-NEXT: #pragma unroll
// CHECK-NEXT: for (int j = 0; j < 1; ++j) {
// CHECK-NEXT: fma_m16n8k4(c[i][j], a[i], b[j]);

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
  ^bb0():
    %c0 = arith.constant 0 : index
    %c = nv.frag : !nv.frag<16x8xf32, C of fma>
    %a = nv.frag : !nv.frag<16x4xf32, A of fma>
    %b = nv.frag : !nv.frag<4x8xf32, B of fma>
    nv.fma %c, %a, %b : !nv.frag<16x8xf32, C of fma>, !nv.frag<16x4xf32, A of fma>, !nv.frag<4x8xf32, B of fma>
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 32, 1, 1>} : () -> ()
}) : () -> ()

// -----

// Eight neighbours a lane: four tiles of 8 columns become one of 32.

// CHECK-LABEL: __global__
// CHECK: float r[32];  // c with 8 contiguous columns per lane, 32 x 32 per warp
// CHECK-NEXT: #pragma unroll
// CHECK-NEXT: for (int n = 0; n < 32; ++n) {
// CHECK-NEXT: r[n] = c[n / 16][n / 2 % 4][n % 2 + n / 8 % 2 * 2];
// CHECK-NEXT: }
// CHECK-NEXT: #pragma unroll
// CHECK-NEXT: for (int n = 0; n < 16; ++n) {
// CHECK-NEXT: exchange(r[n % 2 + n / 2 * 4], r[n % 2 + n / 2 * 4 + 2], 1);
// CHECK-NEXT: }
// CHECK-NEXT: #pragma unroll
// CHECK-NEXT: for (int n = 0; n < 16; ++n) {
// CHECK-NEXT: exchange(r[n % 4 + n / 4 * 8], r[n % 4 + n / 4 * 8 + 4], 2);

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
  ^bb0():
    %c0 = arith.constant 0 : index
    %c = nv.frag : !nv.frag<32x32xf32, C of m16n8k16>
    %r = nv.convert_layout %c : !nv.frag<32x32xf32, C of m16n8k16> -> !nv.frag<32x32xf32, lane(4: 8j, 8: i) reg(8: j, 4: 8i)>
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 32, 1, 1>} : () -> ()
}) : () -> ()

// -----

// Four neighbours: two tiles become one of 16.

// CHECK-LABEL: __global__
// CHECK: u32 r[16];  // c with 4 contiguous columns per lane, 16 x 32 per warp
// CHECK: r[n] = c[0][n / 2 % 4][n % 2 + n / 8 * 2];
// CHECK: exchange(r[n % 2 + n / 2 * 4], r[n % 2 + n / 2 * 4 + 2], 1);

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
  ^bb0():
    %c0 = arith.constant 0 : index
    %c = nv.frag : !nv.frag<16x32xi32, C of m16n8k32>
    %r = nv.convert_layout %c : !nv.frag<16x32xi32, C of m16n8k32> -> !nv.frag<16x32xi32, lane(2: 8j, 2: 4j, 8: i) reg(4: j, 2: 16j, 2: 8i)>
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 32, 1, 1>} : () -> ()
}) : () -> ()

// -----

// Lanes exchange bits 0 and 1 with each other, and bit 4 with the registers.

// CHECK-LABEL: __global__
// CHECK: r[n] = x[n];
// CHECK: exchange(r[n * 2], r[n * 2 + 1], 16);
// CHECK: const int source = (lane >> 1 & 1) << 0 | (lane >> 0 & 1) << 1 | (lane >> 2 & 1) << 2 | (lane >> 3 & 1) << 3 | (lane >> 4 & 1) << 4;
// CHECK: for (int n = 0; n < 6; ++n) {
// CHECK: r[n] = __shfl_sync(0xffffffff, r[n], source);

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
  ^bb0():
    %x = nv.frag : !nv.frag<3x64xf64, lane(32: j) reg(2: 32j, 3: i)>
    %r = nv.convert_layout %x : !nv.frag<3x64xf64, lane(32: j) reg(2: 32j, 3: i)> -> !nv.frag<3x64xf64, lane(2: 2j, 2: j, 4: 4j, 2: 32j) reg(2: 16j, 3: i)>
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 32, 1, 1>} : () -> ()
}) : () -> ()

// -----

// A fragment of one register is a variable, not an array.

// CHECK-LABEL: __global__
// CHECK: u8 r;  // x with 1 contiguous columns per lane
// CHECK: r = x;
// CHECK: r = __shfl_sync(0xffffffff, r, source);

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
  ^bb0():
    %x = nv.frag : !nv.frag<2x16xi8, lane(4: j, 2: i, 2: 8j, 2: 4j)>
    %r = nv.convert_layout %x : !nv.frag<2x16xi8, lane(4: j, 2: i, 2: 8j, 2: 4j)> -> !nv.frag<2x16xi8, lane(2: j, 2: i, 2: 8j, 4: 2j)>
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 32, 1, 1>} : () -> ()
}) : () -> ()

// -----

// Where the sums of a lane go: C, two halves of 8 rows.

// CHECK-LABEL: __global__
// CHECK: // epilogue of c, 16 x 32 tile: 2 contiguous columns per lane
// CHECK: for (int h = 0; h < 2; ++h) {
// CHECK-NEXT: const int tile_row = i * 16 + h * 8 + lane / 4, tile_column = j * 8 + lane % 4 * 2;
// CHECK: y_out[v] = c[i][j][h * 2 + v];

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<16x32xf32>) -> (), kernel}> ({
  ^bb0(%y: memref<16x32xf32>):
    %c0 = arith.constant 0 : index
    %c = nv.frag : !nv.frag<16x32xf32, C of m16n8k16>
    nv.epilogue %c : !nv.frag<16x32xf32, C of m16n8k16>[%c0, %c0] in [16, 32] dims [0, 1] guard [] tile [16, 32] outs(%y : memref<16x32xf32>) addresses [#poly.map<"{ [i0, i1] -> [(32i0 + i1)] }">] widths [2] {
    ^bb0(%e: f32):
      nv.yield %e : f32
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 32, 1, 1>} : () -> ()
}) : () -> ()

// -----

// C of f64 has one half.

// CHECK-LABEL: __global__
// CHECK: for (int j = 0; j < 4; ++j) {
// CHECK-NEXT: const int tile_row = i * 8 + lane / 4, tile_column = j * 8 + lane % 4 * 2;
// CHECK: y_out[v] = c[i][j][v];

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<16x32xf64>) -> (), kernel}> ({
  ^bb0(%y: memref<16x32xf64>):
    %c0 = arith.constant 0 : index
    %c = nv.frag : !nv.frag<16x32xf64, C of m8n8k4>
    nv.epilogue %c : !nv.frag<16x32xf64, C of m8n8k4>[%c0, %c0] in [16, 32] dims [0, 1] guard [] tile [16, 32] outs(%y : memref<16x32xf64>) addresses [#poly.map<"{ [i0, i1] -> [(32i0 + i1)] }">] widths [2] {
    ^bb0(%e: f64):
      nv.yield %e : f64
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 32, 1, 1>} : () -> ()
}) : () -> ()

// -----

// Eight contiguous columns.

// CHECK-LABEL: __global__
// CHECK: const int tile_row = h * 8 + lane / 4, tile_column = lane % 4 * 8;
// CHECK: y_out[v] = c[h * 8 + v];
// CHECK: *(vec<float, 4>*)(y + (32 * row1 + column1)) = *(vec<float, 4>*)(y_out + 0);
// CHECK: *(vec<float, 4>*)(y + (32 * row1 + (column1 + 4))) = *(vec<float, 4>*)(y_out + 4);

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<16x32xf32>) -> (), kernel}> ({
  ^bb0(%y: memref<16x32xf32>):
    %c0 = arith.constant 0 : index
    %c = nv.frag : !nv.frag<16x32xf32, lane(4: 8j, 8: i) reg(8: j, 2: 8i)>
    nv.epilogue %c : !nv.frag<16x32xf32, lane(4: 8j, 8: i) reg(8: j, 2: 8i)>[%c0, %c0] in [16, 32] dims [0, 1] guard [] tile [16, 32] outs(%y : memref<16x32xf32>) addresses [#poly.map<"{ [i0, i1] -> [(32i0 + i1)] }">] widths [4] {
    ^bb0(%e: f32):
      nv.yield %e : f32
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 32, 1, 1>} : () -> ()
}) : () -> ()

// -----

// Four contiguous columns: lanes 0 and 2 have the first 8 columns.

// CHECK-LABEL: __global__
// CHECK: const int tile_row = h / 2 * 8 + lane / 4, tile_column = h % 2 * 16 + lane % 2 * 8 + lane / 2 % 2 * 4;

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<16x32xf32>) -> (), kernel}> ({
  ^bb0(%y: memref<16x32xf32>):
    %c0 = arith.constant 0 : index
    %c = nv.frag : !nv.frag<16x32xf32, lane(2: 8j, 2: 4j, 8: i) reg(4: j, 2: 16j, 2: 8i)>
    nv.epilogue %c : !nv.frag<16x32xf32, lane(2: 8j, 2: 4j, 8: i) reg(4: j, 2: 16j, 2: 8i)>[%c0, %c0] in [16, 32] dims [0, 1] guard [] tile [16, 32] outs(%y : memref<16x32xf32>) addresses [#poly.map<"{ [i0, i1] -> [(32i0 + i1)] }">] widths [4] {
    ^bb0(%e: f32):
      nv.yield %e : f32
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 32, 1, 1>} : () -> ()
}) : () -> ()

// -----

// Another layout, whose elements come from other warps: through shared memory, each element once, and in vectors where both allow it.

// CHECK-LABEL: __global__
// CHECK-NEXT: extern __shared__ __align__(128) u8 shared[];
// CHECK: float b[8];  // a with 8 contiguous columns per lane, 8 x 32 per block
// CHECK-NEXT: #pragma unroll
// CHECK-NEXT: for (int n = 0; n < 2; ++n) {
// CHECK-NEXT: vec<float, 2> x;
// CHECK-NEXT: #pragma unroll
// CHECK-NEXT: for (int v = 0; v < 2; ++v) {
// CHECK-NEXT: x.at[v] = a[n * 2 + v];
// CHECK-NEXT: }
// CHECK-NEXT: *(vec<float, 2>*)(shared + 32 + at_[[MEMORY:\w+]]<4>(lane / 4, warp * 16 + lane % 4 * 2 + n * 8)) = x;
// CHECK-NEXT: }
// CHECK-NEXT: __syncthreads();
// CHECK-NEXT: #pragma unroll
// CHECK-NEXT: for (int n = 0; n < 2; ++n) {
// CHECK-NEXT: const vec<float, 4> x = *(vec<float, 4>*)(shared + 32 + at_[[MEMORY]]<4>(lane / 4, lane % 4 * 8 + n * 4));
// CHECK-NEXT: #pragma unroll
// CHECK-NEXT: for (int v = 0; v < 4; ++v) {
// CHECK-NEXT: b[n * 4 + v] = x.at[v];
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK: float d;  // c with 1 contiguous columns per lane, 2 x 32 per block
// CHECK-NEXT: if (lane / 16 == 0) {
// CHECK-NEXT: #pragma unroll
// CHECK-NEXT: for (int n = 0; n < 2; ++n) {

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
  ^bb0():
    %a = nv.frag : !nv.frag<8x32xf32, lane(4: 2j, 8: i) warp(2: 16j) reg(2: j, 2: 8j)>
    %b = nv.convert_layout %a scratch 32 : !nv.frag<8x32xf32, lane(4: 2j, 8: i) warp(2: 16j) reg(2: j, 2: 8j)> -> !nv.frag<8x32xf32, lane(4: 8j, 8: i) warp(2: 0) reg(8: j)>
    %c = nv.frag : !nv.frag<2x32xf32, lane(16: j, 2: 0) warp(2: 16j) reg(2: i)>
    %d = nv.convert_layout %c scratch 1056 : !nv.frag<2x32xf32, lane(16: j, 2: 0) warp(2: 16j) reg(2: i)> -> !nv.frag<2x32xf32, lane(32: j) warp(2: i)>
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 64, 1, 1>} : () -> ()
}) : () -> ()

// -----

// Columns of an accumulator that are written in place: two words of two of four tiles, packed from what another one holds.

// CHECK-LABEL: __global__
// CHECK: u32 half[1][4][2] = {};  // accumulator, 64 x 32 per warpgroup
// CHECK-NOT: epilogue's result
// CHECK: // columns 16 to 31: 2 contiguous columns per lane
// CHECK: for (int j = 0; j < 2; ++j) {
// CHECK: half_out[v] = acc[i][2 + j][h * 2 + v];
// CHECK: half[i][2 + j][h] = pack_bf16(half_out[0], half_out[1]);

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
  ^bb0():
    %c0 = arith.constant 0 : index
    nv.role consumer threads 0 to 128 {
      %acc = nv.frag : !nv.frag<64x32xf32, C of m64k16>
      %half = nv.frag : !nv.frag<64x32xbf16, C of m64k16>
      nv.map(%acc : !nv.frag<64x32xf32, C of m64k16>) [%c0, %c0] in [64, 32] dims [0, 1] guard [] tile [64, 16] addresses [] widths [] into %half : !nv.frag<64x32xbf16, C of m64k16> column 16 {
      ^bb0(%a: f32):
        %b = arith.truncf %a : f32 to bf16
        nv.yield %b : bf16
      }
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 128, 1, 1>} : () -> ()
}) : () -> ()
