// RUN: ptir-opt %s --verify-roundtrip | filecheck %s
// RUN: ptir-opt %s --print-op-generic | filecheck %s --check-prefix=GENERIC

// GENERIC: "nv.red_global"(%one, %y, %p, %row, %column) <{at = #poly.map<"{ [i0, i1] -> [(8i0 + i1)] }">, bounds = array<i64: 8, 8>, combined, kind = "max", operandSegmentSizes = array<i32: 1, 1, 1, 2>}> : (i32, memref<8x8xui32>, i1, index, index) -> ()
func.func @f(%y: memref<8x8xui32>, %m: index, %p: i1) {
  nv.epilogue[%m, %m] in [8, 8] dims [0, 1] guard [] tile [8, 8] addresses [] widths [] {
    %row, %column = nv.point
    %one = arith.constant 1 : i32
    // CHECK: nv.red_global max %one, %y[%row, %column] at <"{ [i0, i1] -> [(8i0 + i1)] }"> in [8, 8] combined if %p : i32, memref<8x8xui32>
    nv.red_global max %one, %y[%row, %column] at <"{ [i0, i1] -> [(8i0 + i1)] }"> in [8, 8] combined if %p : i32, memref<8x8xui32>
    // CHECK-NEXT: nv.red_global add %one, %y[%row, %column] at <"{ [i0, i1] -> [(8i0 + i1)] }"> in [8, 8] : i32, memref<8x8xui32>
    nv.red_global add %one, %y[%row, %column] at <"{ [i0, i1] -> [(8i0 + i1)] }"> in [8, 8] : i32, memref<8x8xui32>
    nv.yield
  }
  func.return
}
