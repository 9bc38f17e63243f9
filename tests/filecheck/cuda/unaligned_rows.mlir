// RUN: ptir-opt %s -t cuda --split-input-file | filecheck %s

// Rows of 101 floats, eight lanes a row, with two rounds of two vectors each: a lane loads the aligned vectors that contain its
// elements, the first lane also the one after. The last element of the 707 is not in a whole vector. Weights are aligned.

// CHECK-LABEL: __global__
// CHECK: const int run_row = warp * 4 + lane / 8;
// CHECK-NEXT: const int run_column = 0;
// CHECK-NEXT: const int run_left = run_row < 7 && run_column < 101 ? 101 - run_column : 0;
// CHECK-NEXT: const float* x_run = x + (101 * run_row + run_column);
// CHECK-NEXT: const int x_shift = (u32)(u64)x_run % 16 / 4;
// CHECK-NEXT: vec<u32, 4> x_vectors[6] = {};
// CHECK-NEXT: const vec<u32, 4>* x_from = (const vec<u32, 4>*)(x_run - x_shift) + lane % 8 * 2;
// CHECK-NEXT: const int x_left = (run_left ? run_left + 3 + x_shift : 0) / 4 - lane % 8 * 2;
// CHECK-NEXT: const int x_whole = (int)min((long long)x_left, (long long)((const vec<u32, 4>*)(x + 704) - x_from));
// CHECK-NEXT: #pragma unroll
// CHECK-NEXT: for (int h = 0; h < 2; ++h) {
// CHECK-NEXT: if (h * 16 < x_whole) x_vectors[h * 2] = x_from[h * 16];
// CHECK-NEXT: if (h * 16 + 1 < x_whole) x_vectors[h * 2 + 1] = x_from[h * 16 + 1];
// CHECK-NEXT: }
// CHECK-NEXT: if (lane % 8 == 0 && x_shift && 32 < x_whole) x_vectors[4] = x_from[32];
// CHECK-NEXT: if (x_whole < x_left) {
// CHECK-NEXT: vec<u32, 4> x_last = {};
// CHECK-NEXT: #pragma unroll
// CHECK-NEXT: for (int v = 0; v < 3; ++v) {
// CHECK-NEXT: ((u32*)&x_last)[v] = ((const u32*)x)[704 + v];
// CHECK-NEXT: }
// CHECK-NEXT: #pragma unroll
// CHECK-NEXT: for (int h = 0; h < 3; ++h) {
// CHECK-NEXT: if (h * 16 == x_whole) x_vectors[h * 2] = x_last;
// CHECK-NEXT: if (h * 16 + 1 == x_whole) x_vectors[h * 2 + 1] = x_last;
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK: const float* g_run = g + (run_column);
// CHECK-NEXT: vec<u32, 4> g_vectors[6] = {};
// CHECK-NEXT: const vec<u32, 4>* g_from = (const vec<u32, 4>*)(g_run) + lane % 8 * 2;
// CHECK-NEXT: const int g_left = (run_left + 3) / 4 - lane % 8 * 2;
// CHECK-NEXT: const int g_whole = (int)min((long long)g_left, (long long)((const vec<u32, 4>*)(g + 100) - g_from));
// CHECK: bf16* y_run = y + (101 * run_row + run_column);
// CHECK-NEXT: const int y_shift = (0u - (u32)(u64)y_run) % 16 / 2;
// CHECK-NEXT: vec<u32, 4> y_vectors[3] = {};
// CHECK: __align__(16) float x_in[8];
// CHECK-NEXT: *(vec<u32, 4>*)(x_in) = realigned<4>(x_vectors[h * 2], x_vectors[h * 2 + 1], x_shift * 4);
// CHECK-NEXT: *(vec<u32, 4>*)(x_in + 4) = realigned<4>(x_vectors[h * 2 + 1], next_vector<8>(x_vectors[h * 2], x_vectors[h * 2 + 2]), x_shift * 4);
// CHECK-NEXT: __align__(16) float g_in[8];
// CHECK-NEXT: *(vec<u32, 4>*)(g_in) = g_vectors[h * 2];
// CHECK-NEXT: *(vec<u32, 4>*)(g_in + 4) = g_vectors[h * 2 + 1];
// CHECK: y_vectors[h] = *(vec<u32, 4>*)(y_out);
// CHECK-NEXT: }
// CHECK-NEXT: const int y_held = min(run_left, 128);
// CHECK-NEXT: const int y_left = y_held - y_shift, y_whole = y_left / 8 - lane % 8;
// CHECK-NEXT: vec<u32, 4>* y_to = (vec<u32, 4>*)(y_run + y_shift) + lane % 8;
// CHECK-NEXT: vec<u32, 4> y_last = {};
// CHECK-NEXT: #pragma unroll
// CHECK-NEXT: for (int h = 0; h < 2; ++h) {
// CHECK-NEXT: const vec<u32, 4> y_aligned = realigned<2>(y_vectors[h], next_vector<8>(y_vectors[h], y_vectors[h + 1]), y_shift * 2);
// CHECK-NEXT: if (h * 8 < y_whole) y_to[h * 8] = y_aligned;
// CHECK-NEXT: if (h * 8 == y_whole) y_last = y_aligned;
// CHECK-NEXT: }
// CHECK-NEXT: store_edges<8>((u16*)y_run, y_vectors[0], min(y_shift, y_held), (u16*)y_to + (y_left / 8 - lane % 8) * 8, y_last, y_left % 8, y_left / 8 % 8);

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<7x101xf32>, memref<101xf32>, memref<7x101xbf16>) -> (), kernel}> ({
  ^bb0(%x: memref<7x101xf32>, %g: memref<101xf32>, %y: memref<7x101xbf16>):
    %c0 = arith.constant 0 : index
    %e = nv.map [%c0, %c0] in [7, 101] dims [0, 1] guard [0, 1] tile [8, 128] ins(%x, %g : memref<7x101xf32>, memref<101xf32>) outs(%y : memref<7x101xbf16>) addresses [#poly.map<"{ [i0, i1] -> [(101i0 + i1)] }">, #poly.map<"{ [i0, i1] -> [(i1)] }">, #poly.map<"{ [i0, i1] -> [(101i0 + i1)] }">] widths [4, 4, 8] realigned [0, 1, 2] -> !nv.frag<8x128xf32, lane(8: 8j, 4: i) warp(2: 4i) reg(8: j, 2: 64j)> {
    ^bb0(%a: f32, %b: f32):
      %0 = arith.mulf %a, %b : f32
      %1 = arith.truncf %0 : f32 to bf16
      nv.yield %1, %0 : bf16, f32
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 64, 1, 1>} : () -> ()
}) : () -> ()
