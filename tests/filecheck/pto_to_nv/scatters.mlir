// RUN: ptir-opt %s -p pto-to-nv | filecheck %s
// RUN: ptir-opt %s -p pto-to-nv -t cuda | filecheck %s --check-prefix=CUDA

// Nothing is updated past the tail, or at an index out of range. Threads of a warp that update the same element combine their values.

// CHECK: nv.epilogue[%{{.*}}, %{{.*}}] in [1, 30] dims [0, 1] guard [1] tile [1, 32] ins(%i : memref<30xsi64>) addresses
// CHECK: %{{.*}}, %[[N:.*]] = nv.point
// CHECK: %[[ONE:.*]] = arith.constant 1 : i32
// CHECK-NEXT: %[[AT:.*]] = arith.index_cast %i{{.*}} : i64 to index
// CHECK-NEXT: %[[TAIL:.*]] = arith.cmpi ult, %[[N]], %c30 : index
// CHECK-NEXT: %[[SIZE:.*]] = arith.constant 9 : i64
// CHECK-NEXT: %[[INSIDE:.*]] = arith.cmpi ult, %i{{.*}}, %[[SIZE]] : i64
// CHECK-NEXT: %[[BOTH:.*]] = arith.andi %[[TAIL]], %[[INSIDE]] : i1
// CHECK-NEXT: nv.red_global add %[[ONE]], %y[%{{.*}}, %[[N]], %[[AT]]] at <"{ [i0, i1, i2] -> [(i2)] }"> in [1, 30, 9] combined if %[[BOTH]] : i32, memref<9xui32>
// CHECK-NEXT: nv.yield

// CUDA: red.relaxed.gpu.global.add.u32
// CUDA: void red_add_u32_combined(
// CUDA: __global__ void {{.*}}counts(const long long* __restrict__ i1, u32* __restrict__ y)
// CUDA: if ({{.*}}) red_add_u32_combined(y, {{.*}}, 1u);
pto.kernel @counts(%i: memref<30xsi64> align 16) -> (%y: memref<9xui32> align 16 updated) plan #plan.schedule<{arch = "sm80", tile = [1, 32], bind = {m.o = "block.y", n.o = "block.x"}, vectorize = {axis = "n.i.i", width = 2}, predicate_tail = ["n.i.i"]}> {
  pto.tiles (%m, %n) in [1, 30] step [1, 32] {
    %p = pto.tile.load.map %i[%m, %n] by <"{ [i0, i1] -> [(i1)] }"> in [1, 30] dims [0, 1] : memref<30xsi64> -> tile<1x32xsi64>
    %one = pto.tile.expands 1 : ui32 : tile<1x32xui32>
    pto.tile.scatter.map add %one, %y[%m, %n] at (%p : tile<1x32xsi64>) by <"{ [i0, i1, i2] -> [(i2)] }"> in [1, 30, 9] dims [0, 1] : tile<1x32xui32>, memref<9xui32>
  }
}

// Elements of rows differ, so that there is nothing to combine. The functions of signed integers are those of the memref's type.

// CHECK: nv.red_global min %{{.*}}, %y[%{{.*}}, %{{.*}}, %{{.*}}] at <"{ [i0, i1, i2] -> [(i1 + 64i2)] }"> in [4, 64, 9] if %{{.*}} : i64, memref<9x64xsi64>
// CUDA: if ({{.*}}) red_min_s64(y, {{.*}});
pto.kernel @rows(%i: memref<4xsi32> align 16, %u: memref<4x64xsi64> align 16) -> (%y: memref<9x64xsi64> align 16 updated) plan #plan.schedule<{arch = "sm80", tile = [4, 64], bind = {m.o = "block.y", n.o = "block.x"}, vectorize = {axis = "n.i.i", width = 2}}> {
  pto.tiles (%m, %n) in [4, 64] step [4, 64] {
    %p = pto.tile.load.map %i[%m, %n] by <"{ [i0, i1] -> [(i0)] }"> in [4, 64] dims [0, 1] : memref<4xsi32> -> tile<4x1xsi32>
    %v = pto.tile.load.map %u[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [4, 64] dims [0, 1] : memref<4x64xsi64> -> tile<4x64xsi64>
    pto.tile.scatter.map min %v, %y[%m, %n] at (%p : tile<4x1xsi32>) by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [4, 64, 9] dims [0, 1] : tile<4x64xsi64>, memref<9x64xsi64>
  }
}
