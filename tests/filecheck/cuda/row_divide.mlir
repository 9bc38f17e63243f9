// RUN: ptir-opt %s -t cuda | filecheck %s

// Lanes of two rows of ten elements: a reciprocal for each row, and a branch for up to eight elements.

// CHECK: template <int N> static __device__ __noinline__ void divide_one_by_one(float* x, float b)
// CHECK: float q[20];  // x / s1, 8 x 80 per warp
// CHECK-NEXT: #pragma unroll
// CHECK-NEXT: for (int r = 0; r < 2; ++r) {
// CHECK-NEXT: const float reciprocal = row_reciprocal(s1[r]);
// CHECK-NEXT: divide_by<8>(q + r * 10, x + r * 10, s1[r], reciprocal);
// CHECK-NEXT: divide_by<2>(q + r * 10 + 8, x + r * 10 + 8, s1[r], reciprocal);
// CHECK-NEXT: }

"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = (memref<8x80xf32>, memref<8xf32>, memref<8x80xf32>) -> (), kernel}> ({
  ^bb0(%in: memref<8x80xf32>, %by: memref<8xf32>, %out: memref<8x80xf32>):
    %c0 = arith.constant 0 : index
    %x = nv.map [%c0, %c0] in [8, 80] dims [0, 1] guard [] tile [8, 80] ins(%in : memref<8x80xf32>) addresses [#poly.map<"{ [i0, i1] -> [(80i0 + i1)] }">] widths [1] -> !nv.frag<8x80xf32, lane(8: j, 4: i) reg(10: 8j, 2: 4i)> {
    ^bb0(%a: f32):
      nv.yield %a : f32
    }
    %s = nv.map [%c0, %c0] in [8, 80] dims [0, 1] guard [] tile [8, 1] ins(%by : memref<8xf32>) addresses [#poly.map<"{ [i0, i1] -> [(i0)] }">] widths [1] -> !nv.frag<8x1xf32, lane(8: 0, 4: i) reg(2: 4i)> {
    ^bb0(%a: f32):
      nv.yield %a : f32
    }
    %q = nv.row_divide %x by %s : !nv.frag<8x80xf32, lane(8: j, 4: i) reg(10: 8j, 2: 4i)>, !nv.frag<8x1xf32, lane(8: 0, 4: i) reg(2: 4i)>
    nv.map (%q : !nv.frag<8x80xf32, lane(8: j, 4: i) reg(10: 8j, 2: 4i)>) [%c0, %c0] in [8, 80] dims [0, 1] guard [] tile [8, 80] outs(%out : memref<8x80xf32>) addresses [#poly.map<"{ [i0, i1] -> [(80i0 + i1)] }">] widths [1] {
    ^bb0(%a: f32):
      nv.yield %a : f32
    }
    "gpu.return"() : () -> ()
  }) {sym_name = "k", gpu.known_block_size = array<i32: 32, 1, 1>} : () -> ()
}) : () -> ()
