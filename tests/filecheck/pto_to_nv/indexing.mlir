// RUN: ptir-opt %s -p pto-to-nv | filecheck %s
// RUN: ptir-opt %s -p pto-to-nv -t cuda | filecheck %s --check-prefix=CUDA

// Positions of one column: a vector of the row is loaded, and its index reported, once. Memory is not read at an index out of range,
// which is compared before it is cast to an index of 32 bits.

// CHECK: %{{.*}}, %at_column = nv.point
// CHECK: %[[I:.*]] = nv.report index %{{.*}} if %{{.*}} number 1 to %status width 4 : i64, memref<1xi32>
// CHECK: %[[SIZE:.*]] = arith.constant 9 : i64
// CHECK-NEXT: %[[INSIDE:.*]] = arith.cmpi ult, %[[I]], %[[SIZE]] : i64
// CHECK: nv.ld_global %x[%{{.*}}, %at_column, %{{.*}}] at <"{ [i0, i1, i2] -> [(i1 + 16i2)] }"> in [4, 16, 9] width 4 if %[[INSIDE]] : memref<9x16xf32> -> f32

// CUDA: __align__(16) float x_vector[4];
// CUDA: if (v % 4 == 0 && {{.*}}) report(status, 1);
// CUDA: if (v % 4 == 0) *(vec<float, 4>*)x_vector = {{.*}} ? *(const vec<float, 4>*)(x + ({{.*}})) : vec<float, 4>{};
// CUDA: y_out[v] = x_vector[v % 4];
pto.kernel @rows(%x: memref<9x16xf32> align 16, %i: memref<4xsi64> align 16) -> (%y: memref<4x16xf32> align 16 gmem, %status: memref<1xi32> align 16 status) plan #plan.schedule<{arch = "sm80", tile = [4, 16], bind = {m.o = "block.y", n.o = "block.x"}, vectorize = {axis = "n.i.i", width = 4}}> {
  pto.tiles (%m, %n) in [4, 16] step [4, 16] {
    %p = pto.tile.load.map %i[%m, %n] by <"{ [i0, i1] -> [(i0)] }"> in [4, 16] dims [0, 1] : memref<4xsi64> -> tile<4x1xsi64>
    %bits = pto.tile.bitcast %p : tile<4x1xsi64> -> tile<4x1xui64>
    %size = pto.tile.expands 9 : ui64 : tile<4x1xui64>
    %outside = pto.tile.cmp %bits, %size {cmpMode = #pto.cmp<GE>} : tile<4x1xui64> -> tile<4x1xi1>
    %at = pto.tile.report index %p if %outside number 1 to %status [%m, %n] in [4, 16] dims [0, 1] : tile<4x1xsi64>, tile<4x1xi1>, memref<1xi32>
    %a = pto.tile.load.map %x[%m, %n] at (%at : tile<4x1xsi64>) by <"{ [i0, i1, i2] -> [(i2), (i1)] }"> in [4, 16, 9] dims [0, 1] : memref<9x16xf32> -> tile<4x16xf32>
    pto.tile.store.map %a, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [4, 16] dims [0, 1] : tile<4x16xf32>, memref<4x16xf32>
  }
}

// Other positions are loaded element by element; a set is tested at the position.

// CHECK: "gpu.func"() <{function_type = (memref<4x8xf32>, memref<4x16xsi32>, memref<4x16xf32>)
// CHECK: %[[P:.*]] = arith.index_cast %{{.*}} : i32 to index
// CHECK: %[[SET:.*]] = nv.inside[%at_row, %at_column, %[[P]]] in [4, 16, 8] where <"{ [i0, i1, i2] : i2 > 2 }">
// CHECK: nv.ld_global %x[%at_row, %at_column, %[[P]]] at <"{ [i0, i1, i2] -> [(8i0 + i2)] }"> in [4, 16, 8] if %{{.*}} : memref<4x8xf32> -> f32
// CHECK-NOT: width 4 if
// CHECK: nv.yield

// CUDA: elements(
// CUDA: {{.*}} ? x[{{.*}}] : 0;
pto.kernel @elements(%x: memref<4x8xf32> align 16, %i: memref<4x16xsi32> align 16) -> (%y: memref<4x16xf32> align 16 gmem) plan #plan.schedule<{arch = "sm80", tile = [4, 16], bind = {m.o = "block.y", n.o = "block.x"}, vectorize = {axis = "n.i.i", width = 4}}> {
  pto.tiles (%m, %n) in [4, 16] step [4, 16] {
    %p = pto.tile.load.map %i[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [4, 16] dims [0, 1] : memref<4x16xsi32> -> tile<4x16xsi32>
    %a = pto.tile.load.map %x[%m, %n] at (%p : tile<4x16xsi32>) by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [4, 16, 8] dims [0, 1] where <"{ [i0, i1, i2] : i2 > 2 }"> : memref<4x8xf32> -> tile<4x16xf32>
    pto.tile.store.map %a, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [4, 16] dims [0, 1] : tile<4x16xf32>, memref<4x16xf32>
  }
}
