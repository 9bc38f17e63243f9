// RUN: ptir-opt %s -t cuda --split-input-file | filecheck %s

// Elements that the body loads: by a predicate, as a predicate, narrow floats as they are. Conditions and positions are isl's.

// CHECK-LABEL: __global__
// CHECK: const int column1 = tile_column;
// CHECK: for (int v = 0; v < 1; ++v) {
// CHECK-NEXT: const int column2 = column1 + v;
// CHECK-NEXT: const bool inside = (row1 >= column2 || (row1 - column2 + 70) % 5 >= 2);
// CHECK-NEXT: const float e1 = inside ? x[70 * row1 + column2] : 0;
// CHECK-NEXT: const bf16 g = h1[70 * row1 + column2];
// CHECK-NEXT: const bool q = (row1 == 3) ? p1[70 * row1 + column2] : 0;
// CHECK-NEXT: const u64 i1 = row1 - 3 * ((column2 + 6) / 7);
// CHECK-NEXT: const u32 j1 = 100000 * (long long)(row1) + 65000 * (long long)(column2);

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<64x70xf32>, memref<64x70xbf16>, memref<64x70xi1>, memref<64x70xf32>) -> (), kernel}> ({
  ^bb0(%x: memref<64x70xf32>, %h: memref<64x70xbf16>, %p: memref<64x70xi1>, %y: memref<64x70xf32>):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c9 = arith.constant 9 : index
    nv.epilogue[%c0, %c0] in [64, 70] dims [0, 1] guard [] tile [1, 64] outs(%y : memref<64x70xf32>) addresses [#poly.map<"{ [i0, i1] -> [(70i0 + i1)] }">] widths [1] {
      %row, %column = nv.point
      %inside = nv.inside [%row, %column] in [64, 70] where <"{ [a, b] : (a - b) mod 5 >= 2 or a >= b }">
      %e = nv.ld_global %x[%row, %column] at <"{ [i0, i1] -> [(70i0 + i1)] }"> in [64, 70] if %inside : memref<64x70xf32> -> f32
      %g = nv.ld_global %h[%row, %column] at <"{ [i0, i1] -> [(70i0 + i1)] }"> in [64, 70] : memref<64x70xbf16> -> bf16
      %0 = nv.inside [%row] in [64] where <"{ [a] : a = 3 }">
      %q = nv.ld_global %p[%row, %column] at <"{ [i0, i1] -> [(70i0 + i1)] }"> in [64, 70] if %0 : memref<64x70xi1> -> i1
      %i = nv.affine [%row, %column] by <"{ [i0, i1] -> [(i0 + 3*floor((-i1)/7))] }"> in [64, 70] : i64
      %j = nv.affine [%row, %column] by <"{ [i0, i1] -> [(100000i0 + 65000i1)] }"> in [64, 70000] : i32
      nv.yield %e : f32
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 64, 1, 1>} : () -> ()
}) : () -> ()

// -----

// Loops of the body: short ones are unrolled, and values of any type are carried, also past each other.

// CHECK-LABEL: __global__
// CHECK: float s1 = 0.0f;
// CHECK-NEXT: float t = 1.0f;
// CHECK-NEXT: u32 n = 7u;
// CHECK-NEXT: bool any = false;
// CHECK-NEXT: #pragma unroll 1
// CHECK-NEXT: for (int r = 0; r < 9; ++r) {
// CHECK-NEXT: double u = 0.0;
// CHECK-NEXT: #pragma unroll
// CHECK-NEXT: for (int q = 0; q < 8; ++q) {
// CHECK-NEXT: const double w1 = u + 2.0;
// CHECK-NEXT: u = w1;
// CHECK-NEXT: }
// CHECK-NEXT: const bool on = r == row1;
// CHECK-NEXT: any = on;
// CHECK-NEXT: const float next = t;
// CHECK-NEXT: const float next1 = s1;
// CHECK-NEXT: s1 = next;
// CHECK-NEXT: t = next1;
// CHECK-NEXT: }
// CHECK-NEXT: const float e1 = s1 + t;

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<64x70xf32>, memref<64x70xbf16>, memref<64x70xi1>, memref<64x70xf32>) -> (), kernel}> ({
  ^bb0(%x: memref<64x70xf32>, %h: memref<64x70xbf16>, %p: memref<64x70xi1>, %y: memref<64x70xf32>):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c9 = arith.constant 9 : index
    nv.epilogue[%c0, %c0] in [64, 70] dims [0, 1] guard [] tile [1, 64] outs(%y : memref<64x70xf32>) addresses [#poly.map<"{ [i0, i1] -> [(70i0 + i1)] }">] widths [1] {
      %row, %column = nv.point
      %zero = arith.constant 0.0 : f32
      %one = arith.constant 1.0 : f32
      %two = arith.constant 2.0 : f64
      %seven = arith.constant 7 : i32
      %false = arith.constant false
      %start = arith.constant 0.0 : f64
      %a, %b, %c, %d = scf.for %r = %c0 to %c9 step %c1 iter_args(%s = %zero, %t = %one, %n = %seven, %any = %false) -> (f32, f32, i32, i1) {
        %v = scf.for %q = %c0 to %c8 step %c1 iter_args(%u = %start) -> (f64) {
          %w = arith.addf %u, %two : f64
          scf.yield %w : f64
        }
        %on = nv.inside [%row, %r] in [64, 9] where <"{ [i0, i1] : i0 = i1 }">
        scf.yield %t, %s, %n, %on : f32, f32, i32, i1
      }
      %e = arith.addf %a, %b : f32
      nv.yield %e : f32
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 64, 1, 1>} : () -> ()
}) : () -> ()

// -----

// The points of an accumulator's elements, in an epilogue that neither loads nor stores.

// CHECK-LABEL: __global__
// CHECK: const int tile_row = i * 16 + h * 8 + lane / 4, tile_column = j * 8 + lane % 4 * 2;
// CHECK-NEXT: const int row1 = tile_row;
// CHECK-NEXT: const int column1 = tile_column;
// CHECK: const int column2 = column1 + v;
// CHECK-NEXT: const bool on = column2 == row1;
// CHECK-NEXT: const float e1 = on ? acc[i][j][h * 2 + v] : 0.0f;

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    %c0 = arith.constant 0 : index
    %acc = nv.frag : !nv.frag<16x16xf32, C of m16n8k16>
    %out = nv.epilogue %acc : !nv.frag<16x16xf32, C of m16n8k16>[%c0, %c0] in [16, 16] dims [0, 1] guard [] tile [16, 16] addresses [] widths [] -> !nv.frag<16x16xf32, C of m16n8k16> {
    ^bb0(%a: f32):
      %row, %column = nv.point
      %on = nv.inside [%row, %column] in [16, 16] where <"{ [i0, i1] : i0 = i1 }">
      %zero = arith.constant 0.0 : f32
      %e = arith.select %on, %a, %zero : f32
      nv.yield %e : f32
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 32, 1, 1>} : () -> ()
}) : () -> ()

// -----

// Inputs by sets: a vector whose elements are all in the set or all outside of it is loaded by a predicate; one at the border
// element by element; and one along a column of memory always is.

// CHECK-LABEL: __global__
// CHECK: __align__(16) float x_in[4];
// CHECK-NEXT: *(vec<float, 4>*)(x_in + 0) = row1 >= 3 && column1 <= 56 ? *(const vec<float, 4>*)(x + (64 * row1 + column1)) : vec<float, 4>{};
// CHECK-NEXT: __align__(16) float p1_in[4] = {};
// CHECK-NEXT: if (column1 <= 56) *(vec<float, 4>*)(p1_in + 0) = *(const vec<float, 4>*)(p1 + (64 * row1 + column1));
// CHECK-NEXT: else {
// CHECK-NEXT: #pragma unroll
// CHECK-NEXT: for (int v = 0; v < 4; ++v) {
// CHECK-NEXT: if ((column1 + v) <= 60) p1_in[v] = *(p1 + (64 * row1 + (column1 + v)));
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: __align__(16) float q_in[4] = {};
// CHECK-NEXT: #pragma unroll
// CHECK-NEXT: for (int v = 0; v < 4; ++v) {
// CHECK-NEXT: if ((column1 + v) >= 1) q_in[v] = *(q + (row1 + 64 * (column1 + v)));
// CHECK-NEXT: }
// CHECK-NEXT: __align__(16) float r_in[4];
// CHECK-NEXT: *(vec<float, 4>*)(r_in + 0) =

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<64x64xf32>, memref<64x64xf32>, memref<64x64xf32>, memref<64x64xf32>, memref<64x64xf32>) -> (), kernel}> ({
  ^bb0(%x: memref<64x64xf32>, %p: memref<64x64xf32>, %q: memref<64x64xf32>, %r: memref<64x64xf32>, %y: memref<64x64xf32>):
    %c0 = arith.constant 0 : index
    nv.epilogue[%c0, %c0] in [64, 64] dims [0, 1] guard [] tile [1, 64] ins(%x, %p, %q, %r : memref<64x64xf32>, memref<64x64xf32>, memref<64x64xf32>, memref<64x64xf32>) outs(%y : memref<64x64xf32>)
      addresses [#poly.map<"{ [i0, i1] -> [(64i0 + i1)] }">, #poly.map<"{ [i0, i1] -> [(64i0 + i1)] }">, #poly.map<"{ [i0, i1] -> [(i0 + 64i1)] }">, #poly.map<"{ [i0, i1] -> [(64i0 + i1)] }">, #poly.map<"{ [i0, i1] -> [(64i0 + i1)] }">] widths [4, 4, 1, 4, 4]
      where [#poly.set<"{ [i0, i1] : i0 >= 3 and i1 < 60 }">, #poly.set<"{ [i0, i1] : i1 <= 60 }">, #poly.set<"{ [i0, i1] : i1 > 0 }">, #poly.set<"{ [i0, i1] }">] {
    ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
      %0 = arith.addf %a, %b : f32
      %1 = arith.addf %0, %c : f32
      %2 = arith.addf %1, %d : f32
      nv.yield %2 : f32
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 64, 1, 1>} : () -> ()
}) : () -> ()
