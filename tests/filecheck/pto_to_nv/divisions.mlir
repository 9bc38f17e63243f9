// RUN: ptir-opt %s -p pto-to-nv | filecheck %s
// RUN: ptir-opt %s -p pto-to-nv -t cuda | filecheck %s --check-prefix=CUDA

// A report covers the points of the tile that are in the box and in its set; the tail is 2 rows of 4, 3 columns of 16.

// CHECK: nv.epilogue
// CHECK: %at_row, %at_column = nv.point
// CHECK: %[[ZERO:.*]] = arith.cmpi eq, %d_1, %{{.*}} : i32
// CHECK-NEXT: %[[ROW:.*]] = arith.cmpi ult, %at_row, %c6 : index
// CHECK-NEXT: %[[COLUMN:.*]] = arith.cmpi ult, %at_column, %c19 : index
// CHECK-NEXT: %[[SET:.*]] = nv.inside[%at_row, %at_column] in [6, 19] where <"{ [i0, i1] : i1 > 0 }">
// CHECK-NEXT: %[[BOX:.*]] = arith.andi %[[ROW]], %[[COLUMN]] : i1
// CHECK-NEXT: %[[INSIDE:.*]] = arith.andi %[[BOX]], %[[SET]] : i1
// CHECK-NEXT: %failed = arith.andi %[[INSIDE]], %[[ZERO]] : i1
// CHECK-NEXT: %[[D:.*]] = nv.report division %d_1 if %failed number 7 to %status : i32, memref<1xi32>
// CHECK-NEXT: nv.divui %x_1, %[[D]] : i32
// CHECK: nv.launch @kernels::@k grid [2, 2, 1] block [128, 1, 1] shared 0(%x, %d, %0, %status :

// CUDA: DEV void report(int* status, int number)
// CUDA: // status: 0 at first, then the largest number of an op that has failed
// CUDA-NEXT: {{.*}} k(const u32* __restrict__ x, const u32* __restrict__ d, u32* __restrict__ y, int* __restrict__ status)
// CUDA: const bool failed = {{.*}};
// CUDA-NEXT: if (failed) report(status, 7);
// CUDA-NEXT: const u32 {{.*}} = x_in[v] / (d_in[v] ? d_in[v] : 1);
pto.kernel @k(%x: memref<6x19xui32> align 16, %d: memref<6x19xui32> align 16) -> (%y: memref<6x19xui32> align 16 gmem, %status: memref<1xi32> align 16 status) plan #plan.schedule<{arch = "sm80", tile = [4, 16], bind = {m.o = "block.y", n.o = "block.x"}, vectorize = {axis = "n.i.i", width = 1}, predicate_tail = ["m.i.i", "n.i.i"], epilogue = ["div"]}> {
  pto.tiles (%m, %n) in [6, 19] step [4, 16] {
    %a = pto.tile.load.map %x[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [6, 19] dims [0, 1] : memref<6x19xui32> -> tile<4x16xui32>
    %b = pto.tile.load.map %d[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [6, 19] dims [0, 1] : memref<6x19xui32> -> tile<4x16xui32>
    %0 = pto.tile.expands 0 : ui32 : tile<4x16xui32>
    %zero = pto.tile.cmp %b, %0 {cmpMode = #pto.cmp<EQ>} : tile<4x16xui32> -> tile<4x16xi1>
    %c = pto.tile.report division %b if %zero number 7 to %status [%m, %n] in [6, 19] dims [0, 1] where <"{ [i0, i1] : i1 > 0 }"> : tile<4x16xui32>, tile<4x16xi1>, memref<1xi32>
    %q = pto.tile.div %a, %c : tile<4x16xui32>
    pto.tile.store.map %q, %y[%m, %n] by <"{ [i0, i1] -> [(i0), (i1)] }"> in [6, 19] dims [0, 1] : tile<4x16xui32>, memref<6x19xui32>
  }
}
func.func @f(%x: memref<6x19xui32>, %d: memref<6x19xui32>) -> memref<6x19xui32> {
  %status = region.zeros : memref<1xi32>
  %0 = memref.alloc() : memref<6x19xui32>
  region.launch @k ins(%x, %d : memref<6x19xui32>, memref<6x19xui32>) outs(%0, %status : memref<6x19xui32>, memref<1xi32>)
  region.check %status : memref<1xi32>
  func.return %0 : memref<6x19xui32>
}
