// RUN: ptir-opt %s -t cuda --split-input-file | filecheck %s

// Rows of 1000 elements in tiles of 1024, a row a warp: a lane has eight vectors, four chains of partial sums, and then lanes exchange.
// Stores are half as wide as a lane's vectors. One lane stores the sum.

// CHECK-LABEL: __global__
// CHECK: float e1[32];  // elements, 4 x 1024 per block
// CHECK-NEXT: // 4 x 1024 tile: 4 contiguous columns per lane
// CHECK-NEXT: #pragma unroll
// CHECK-NEXT: for (int h = 0; h < 8; ++h) {
// CHECK-NEXT: const int tile_row = warp, tile_column = h * 128 + lane * 4;
// CHECK-NEXT: const int row1 = tile_row;
// CHECK-NEXT: const int column1 = tile_column;
// CHECK-NEXT: __align__(16) float x_in[4];
// CHECK-NEXT: *(vec<float, 4>*)(x_in + 0) = row1 < 3 && column1 < 1000 ? *(const vec<float, 4>*)(x + (1000 * row1 + column1)) : vec<float, 4>{};
// CHECK-NEXT: #pragma unroll
// CHECK-NEXT: for (int v = 0; v < 4; ++v) {
// CHECK-NEXT: e1[h * 4 + v] = x_in[v];
// CHECK: float s1;  // of each row of e1
// CHECK-NEXT: float part1[4];
// CHECK-NEXT: #pragma unroll
// CHECK-NEXT: for (int e = 0; e < 4; ++e) {
// CHECK-NEXT: part1[e] = e1[e];
// CHECK-NEXT: }
// CHECK-NEXT: #pragma unroll
// CHECK-NEXT: for (int e = 4; e < 32; ++e) {
// CHECK-NEXT: const float c = part1[e % 4] + e1[e];
// CHECK-NEXT: part1[e % 4] = c;
// CHECK-NEXT: }
// CHECK-NEXT: const float c1 = part1[0] + part1[1];
// CHECK-NEXT: part1[0] = c1;
// CHECK-NEXT: const float c2 = part1[2] + part1[3];
// CHECK-NEXT: part1[2] = c2;
// CHECK-NEXT: const float c3 = part1[0] + part1[2];
// CHECK-NEXT: part1[0] = c3;
// CHECK-NEXT: s1 = part1[0];
// CHECK-NEXT: #pragma unroll
// CHECK-NEXT: for (int away = 1; away < 32; away *= 2) {
// CHECK-NEXT: const float c4 = s1 + __shfl_xor_sync(0xffffffff, s1, away);
// CHECK-NEXT: s1 = c4;
// CHECK: const int tile_row = warp, tile_column = h * 128 + lane * 4;
// CHECK-NEXT: const int row2 = tile_row;
// CHECK-NEXT: const int column2 = tile_column;
// CHECK-NEXT: if (row2 < 3 && column2 < 1000) {
// CHECK-NEXT: __align__(16) float y_out[4];
// CHECK-NEXT: #pragma unroll
// CHECK-NEXT: for (int v = 0; v < 4; ++v) {
// CHECK-NEXT: const float q = e1[h * 4 + v] / s1;
// CHECK-NEXT: y_out[v] = q;
// CHECK-NEXT: }
// CHECK-NEXT: *(vec<float, 2>*)(y + (1000 * row2 + column2)) = *(vec<float, 2>*)(y_out + 0);
// CHECK-NEXT: *(vec<float, 2>*)(y + (1000 * row2 + (column2 + 2))) = *(vec<float, 2>*)(y_out + 2);
// CHECK: if (row3 < 3 && lane == 0) {
// CHECK: z_out[v] = s1;
// CHECK: *(z + (row3)) = z_out[v];

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<3x1000xf32>, memref<3x1000xf32>, memref<3xf32>) -> (), kernel}> ({
  ^bb0(%x: memref<3x1000xf32>, %y: memref<3x1000xf32>, %z: memref<3xf32>):
    %c0 = arith.constant 0 : index
    %e = nv.map [%c0, %c0] in [3, 1000] dims [0, 1] guard [0, 1] tile [4, 1024] ins(%x : memref<3x1000xf32>) addresses [#poly.map<"{ [i0, i1] -> [(1000i0 + i1)] }">] widths [4] -> !nv.frag<4x1024xf32, lane(32: 4j) warp(4: i) reg(4: j, 8: 128j)> {
    ^bb0(%a: f32):
      nv.yield %a : f32
    }
    %s = nv.row_reduce %e : !nv.frag<4x1024xf32, lane(32: 4j) warp(4: i) reg(4: j, 8: 128j)> -> !nv.frag<4x1xf32, lane(32: 0) warp(4: i)> {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      nv.yield %c : f32
    }
    nv.map (%e, %s : !nv.frag<4x1024xf32, lane(32: 4j) warp(4: i) reg(4: j, 8: 128j)>, !nv.frag<4x1xf32, lane(32: 0) warp(4: i)>) [%c0, %c0] in [3, 1000] dims [0, 1] guard [0, 1] tile [4, 1024] outs(%y : memref<3x1000xf32>) addresses [#poly.map<"{ [i0, i1] -> [(1000i0 + i1)] }">] widths [2] {
    ^bb0(%a0: f32, %a1: f32):
      %q = arith.divf %a0, %a1 : f32
      nv.yield %q : f32
    }
    nv.map (%s : !nv.frag<4x1xf32, lane(32: 0) warp(4: i)>) [%c0, %c0] in [3, 1000] dims [0, 1] guard [0] tile [4, 1] outs(%z : memref<3xf32>) addresses [#poly.map<"{ [i0, i1] -> [(i0)] }">] widths [1] {
    ^bb0(%a0: f32):
      nv.yield %a0 : f32
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 128, 1, 1>} : () -> ()
}) : () -> ()

// -----

// Four warps share two rows, sixteen lanes each: partial results are at the row and the warp, and each reduction has its own.

// CHECK-LABEL: __global__
// CHECK: double e1;  // elements, 4 x 64 per block
// CHECK-NEXT: // 4 x 64 tile: 1 contiguous columns per lane
// CHECK-NEXT: {
// CHECK-NEXT: const int tile_row = warp / 4 * 2 + lane / 16, tile_column = warp % 4 * 16 + lane % 16;
// CHECK: s1 = e1;
// CHECK-NEXT: #pragma unroll
// CHECK-NEXT: for (int away = 1; away < 16; away *= 2) {
// CHECK-NEXT: const double c = max_nan_f64(s1, __shfl_xor_sync(0xffffffff, s1, away));
// CHECK-NEXT: s1 = c;
// CHECK-NEXT: }
// CHECK-NEXT: double* scratch = (double*)(shared + 0) + (lane / 16 + warp / 4 * 2) * 4;
// CHECK-NEXT: if (lane % 16 == 0) scratch[warp % 4] = s1;
// CHECK-NEXT: __syncthreads();
// CHECK-NEXT: s1 = scratch[0];
// CHECK-NEXT: #pragma unroll
// CHECK-NEXT: for (int other = 1; other < 4; ++other) {
// CHECK-NEXT: const double c1 = max_nan_f64(s1, scratch[other]);
// CHECK-NEXT: s1 = c1;
// CHECK: double* scratch1 = (double*)(shared + 256) + (lane / 16 + warp / 4 * 2) * 4;
// CHECK-NEXT: if (lane % 16 == 0) scratch1[warp % 4] = t;
// CHECK-NEXT: __syncthreads();
// CHECK: if (lane % 16 == 0 && warp % 4 == 0) {
// CHECK: const double q = s1 / t;
// CHECK-NEXT: y_out[v] = q;
// CHECK-NEXT: }
// CHECK-NEXT: #pragma unroll
// CHECK-NEXT: for (int v = 0; v < 1; ++v) {
// CHECK-NEXT: *(y + (row2)) = y_out[v];

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<4x64xf64>, memref<4xf64>) -> (), kernel}> ({
  ^bb0(%x: memref<4x64xf64>, %y: memref<4xf64>):
    %c0 = arith.constant 0 : index
    %e = nv.map [%c0, %c0] in [4, 64] dims [0, 1] guard [] tile [4, 64] ins(%x : memref<4x64xf64>) addresses [#poly.map<"{ [i0, i1] -> [(64i0 + i1)] }">] widths [1] -> !nv.frag<4x64xf64, lane(16: j, 2: i) warp(4: 16j, 2: 2i)> {
    ^bb0(%a: f64):
      nv.yield %a : f64
    }
    %s = nv.row_reduce %e scratch 0 : !nv.frag<4x64xf64, lane(16: j, 2: i) warp(4: 16j, 2: 2i)> -> !nv.frag<4x1xf64, lane(16: 0, 2: i) warp(4: 0, 2: 2i)> {
    ^bb0(%a: f64, %b: f64):
      %c = arith.maximumf %a, %b : f64
      nv.yield %c : f64
    }
    %t = nv.row_reduce %e scratch 256 : !nv.frag<4x64xf64, lane(16: j, 2: i) warp(4: 16j, 2: 2i)> -> !nv.frag<4x1xf64, lane(16: 0, 2: i) warp(4: 0, 2: 2i)> {
    ^bb0(%a: f64, %b: f64):
      %c = arith.mulf %a, %b : f64
      nv.yield %c : f64
    }
    nv.map (%s, %t : !nv.frag<4x1xf64, lane(16: 0, 2: i) warp(4: 0, 2: 2i)>, !nv.frag<4x1xf64, lane(16: 0, 2: i) warp(4: 0, 2: 2i)>) [%c0, %c0] in [4, 64] dims [0, 1] guard [] tile [4, 1] outs(%y : memref<4xf64>) addresses [#poly.map<"{ [i0, i1] -> [(i0)] }">] widths [1] {
    ^bb0(%a0: f64, %a1: f64):
      %q = arith.divf %a0, %a1 : f64
      nv.yield %q : f64
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 256, 1, 1>} : () -> ()
}) : () -> ()

// -----

// A lane has a row of predicates.

// CHECK-LABEL: __global__
// CHECK: const int tile_row = lane, tile_column = 0;
// CHECK: bool any;  // of each row of p1
// CHECK-NEXT: any = p1[0];
// CHECK-NEXT: #pragma unroll
// CHECK-NEXT: for (int e = 1; e < 3; ++e) {
// CHECK-NEXT: const bool c = any | p1[e];
// CHECK-NEXT: any = c;
// CHECK: for (int v = 0; v < 1; ++v) {
// CHECK-NEXT: y_out[v] = any;
// CHECK-NEXT: }
// CHECK-NEXT: #pragma unroll
// CHECK-NEXT: for (int v = 0; v < 1; ++v) {
// CHECK-NEXT: *(y + (row2)) = y_out[v];

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<32x3xi1>, memref<32xi1>) -> (), kernel}> ({
  ^bb0(%x: memref<32x3xi1>, %y: memref<32xi1>):
    %c0 = arith.constant 0 : index
    %p = nv.map [%c0, %c0] in [32, 3] dims [0, 1] guard [] tile [32, 3] ins(%x : memref<32x3xi1>) addresses [#poly.map<"{ [i0, i1] -> [(3i0 + i1)] }">] widths [1] -> !nv.frag<32x3xi1, lane(32: i) reg(3: j)> {
    ^bb0(%a: i1):
      nv.yield %a : i1
    }
    %any = nv.row_reduce %p : !nv.frag<32x3xi1, lane(32: i) reg(3: j)> -> !nv.frag<32x1xi1, lane(32: i)> {
    ^bb0(%a: i1, %b: i1):
      %c = arith.ori %a, %b : i1
      nv.yield %c : i1
    }
    nv.map (%any : !nv.frag<32x1xi1, lane(32: i)>) [%c0, %c0] in [32, 3] dims [0, 1] guard [] tile [32, 1] outs(%y : memref<32xi1>) addresses [#poly.map<"{ [i0, i1] -> [(i0)] }">] widths [1] {
    ^bb0(%a0: i1):
      nv.yield %a0 : i1
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 32, 1, 1>} : () -> ()
}) : () -> ()

// -----

// A fragment of bf16 is held as floats, and a maximum compares two of them at a time; one of integers is held in words without a sign.

// CHECK-LABEL: __global__
// CHECK: float e1[8];  // elements, 4 x 64 per warp
// CHECK: e1[v] = to_float(x_in[v]);
// CHECK: u64 i1[8];  // elements, 4 x 64 per warp
// CHECK: u32 pair;
// CHECK-NEXT: pair = halves(e1[0], e1[1]);
// CHECK-NEXT: #pragma unroll
// CHECK-NEXT: for (int e = 1; e < 4; ++e) {
// CHECK-NEXT: pair = max_nan_bf16x2(pair, halves(e1[e * 2], e1[e * 2 + 1]));
// CHECK-NEXT: }
// CHECK-NEXT: s1 = __uint_as_float(pair << 16);
// CHECK-NEXT: const float c = max_nan(s1, __uint_as_float(pair & 0xffff0000));
// CHECK-NEXT: s1 = c;
// CHECK: const u64 c6 = min((long long)t, (long long)__shfl_xor_sync(0xffffffff, t, away));
// CHECK-NEXT: t = c6;
// CHECK: const float q = e1[v] - s1;
// CHECK-NEXT: y_out[v] = to_bf16(q);
// CHECK-NEXT: }
// CHECK-NEXT: *(vec<u32, 4>*)(y + (64 * row3 + column3)) = *(vec<u32, 4>*)(y_out + 0);

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<4x64xbf16>, memref<4x64xsi64>, memref<4x64xbf16>) -> (), kernel}> ({
  ^bb0(%x: memref<4x64xbf16>, %w: memref<4x64xsi64>, %y: memref<4x64xbf16>):
    %c0 = arith.constant 0 : index
    %e = nv.map [%c0, %c0] in [4, 64] dims [0, 1] guard [] tile [4, 64] ins(%x : memref<4x64xbf16>) addresses [#poly.map<"{ [i0, i1] -> [(64i0 + i1)] }">] widths [8] -> !nv.frag<4x64xbf16, lane(8: 8j, 4: i) reg(8: j)> {
    ^bb0(%a: bf16):
      nv.yield %a : bf16
    }
    %i = nv.map [%c0, %c0] in [4, 64] dims [0, 1] guard [] tile [4, 64] ins(%w : memref<4x64xsi64>) addresses [#poly.map<"{ [i0, i1] -> [(64i0 + i1)] }">] widths [2] -> !nv.frag<4x64xi64, lane(8: 8j, 4: i) reg(8: j)> {
    ^bb0(%a: i64):
      nv.yield %a : i64
    }
    %s = nv.row_reduce %e : !nv.frag<4x64xbf16, lane(8: 8j, 4: i) reg(8: j)> -> !nv.frag<4x1xbf16, lane(8: 0, 4: i)> {
    ^bb0(%a: bf16, %b: bf16):
      %c = arith.maximumf %a, %b : bf16
      nv.yield %c : bf16
    }
    %t = nv.row_reduce %i : !nv.frag<4x64xi64, lane(8: 8j, 4: i) reg(8: j)> -> !nv.frag<4x1xi64, lane(8: 0, 4: i)> {
    ^bb0(%a: i64, %b: i64):
      %c = arith.minsi %a, %b : i64
      nv.yield %c : i64
    }
    nv.map (%s, %e, %t : !nv.frag<4x1xbf16, lane(8: 0, 4: i)>, !nv.frag<4x64xbf16, lane(8: 8j, 4: i) reg(8: j)>, !nv.frag<4x1xi64, lane(8: 0, 4: i)>) [%c0, %c0] in [4, 64] dims [0, 1] guard [] tile [4, 64] outs(%y : memref<4x64xbf16>) addresses [#poly.map<"{ [i0, i1] -> [(64i0 + i1)] }">] widths [8] {
    ^bb0(%a0: bf16, %a1: bf16, %a2: i64):
      %q = arith.subf %a1, %a0 : bf16
      nv.yield %q : bf16
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 32, 1, 1>} : () -> ()
}) : () -> ()

// -----

// Of lanes and warps that hold copies, the first ones exchange and store.

// CHECK-LABEL: __global__
// CHECK: for (int away = 1; away < 16; away *= 2) {
// CHECK-NEXT: const float c = s1 + __shfl_xor_sync(0xffffffff, s1, away);
// CHECK-NEXT: s1 = c;
// CHECK-NEXT: }
// CHECK-NEXT: float* scratch = (float*)(shared + 16);
// CHECK-NEXT: if (lane % 16 == 0 && lane / 16 == 0 && warp / 4 == 0) scratch[warp % 4] = s1;
// CHECK-NEXT: __syncthreads();
// CHECK-NEXT: s1 = scratch[0];
// CHECK-NEXT: #pragma unroll
// CHECK-NEXT: for (int other = 1; other < 4; ++other) {
// CHECK: if (lane / 16 == 0 && warp / 4 == 0) {
// CHECK: *(y + ((column2 + v))) = y_out[v];

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<1x64xf32>, memref<1x64xf32>) -> (), kernel}> ({
  ^bb0(%x: memref<1x64xf32>, %y: memref<1x64xf32>):
    %c0 = arith.constant 0 : index
    %e = nv.map [%c0, %c0] in [1, 64] dims [0, 1] guard [] tile [1, 64] ins(%x : memref<1x64xf32>) addresses [#poly.map<"{ [i0, i1] -> [(64i0 + i1)] }">] widths [1] -> !nv.frag<1x64xf32, lane(16: j, 2: 0) warp(4: 16j, 2: 0)> {
    ^bb0(%a: f32):
      nv.yield %a : f32
    }
    %s = nv.row_reduce %e scratch 16 : !nv.frag<1x64xf32, lane(16: j, 2: 0) warp(4: 16j, 2: 0)> -> !nv.frag<1x1xf32, lane(16: 0, 2: 0) warp(4: 0, 2: 0)> {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      nv.yield %c : f32
    }
    nv.map (%e, %s : !nv.frag<1x64xf32, lane(16: j, 2: 0) warp(4: 16j, 2: 0)>, !nv.frag<1x1xf32, lane(16: 0, 2: 0) warp(4: 0, 2: 0)>) [%c0, %c0] in [1, 64] dims [0, 1] guard [] tile [1, 64] outs(%y : memref<1x64xf32>) addresses [#poly.map<"{ [i0, i1] -> [(64i0 + i1)] }">] widths [1] {
    ^bb0(%a0: f32, %a1: f32):
      %q = arith.divf %a0, %a1 : f32
      nv.yield %q : f32
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 256, 1, 1>} : () -> ()
}) : () -> ()

// -----

// Sixteen warps share a row: each lane takes one of their results, and all exchange them. Vectors divide the bound of the mask, so that
// it is the same for all elements of a vector.

// CHECK-LABEL: __global__
// CHECK: const bool inside = column1 < 2044;
// CHECK: if (lane % 32 == 0) scratch[warp % 16] = s1;
// CHECK-NEXT: __syncthreads();
// CHECK-NEXT: s1 = scratch[lane % 16];
// CHECK-NEXT: #pragma unroll
// CHECK-NEXT: for (int away = 1; away < 16; away *= 2) {
// CHECK-NEXT: const float c2 = s1 + __shfl_xor_sync(0xffffffff, s1, away);
// CHECK-NEXT: s1 = c2;
// CHECK-NEXT: }
// CHECK-NOT: scratch

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<1x2044xf32>, memref<1xf32>) -> (), kernel}> ({
  ^bb0(%x: memref<1x2044xf32>, %y: memref<1xf32>):
    %c0 = arith.constant 0 : index
    %c2044 = arith.constant 2044 : index
    %e = nv.map [%c0, %c0] in [1, 2044] dims [0, 1] guard [1] tile [1, 2048] ins(%x : memref<1x2044xf32>) addresses [#poly.map<"{ [i0, i1] -> [(2044i0 + i1)] }">] widths [4] -> !nv.frag<1x2048xf32, lane(32: 4j) warp(16: 128j) reg(4: j)> {
    ^bb0(%a: f32):
      %row, %column = nv.point
      %inside = arith.cmpi ult, %column, %c2044 : index
      %zero = arith.constant 1.0 : f32
      %b = arith.select %inside, %a, %zero : f32
      nv.yield %b : f32
    }
    %s = nv.row_reduce %e scratch 0 : !nv.frag<1x2048xf32, lane(32: 4j) warp(16: 128j) reg(4: j)> -> !nv.frag<1x1xf32, lane(32: 0) warp(16: 0)> {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      nv.yield %c : f32
    }
    nv.map (%s : !nv.frag<1x1xf32, lane(32: 0) warp(16: 0)>) [%c0, %c0] in [1, 2044] dims [0, 1] guard [] tile [1, 1] outs(%y : memref<1xf32>) addresses [#poly.map<"{ [i0, i1] -> [(i0)] }">] widths [1] {
    ^bb0(%a0: f32):
      nv.yield %a0 : f32
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 512, 1, 1>} : () -> ()
}) : () -> ()
