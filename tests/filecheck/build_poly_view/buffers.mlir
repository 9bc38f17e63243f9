// RUN: ptir-opt %s -p 'build-poly-view{buffers=true}' | filecheck %s
// RUN: ptir-opt %s -p 'build-poly-view{buffers=true},build-poly-view' | filecheck %s --check-prefix=VALUES
// RUN: ptir-opt %s -p 'build-poly-view{buffers=true}' | ptir-opt -p form-regions | filecheck %s --check-prefix=REGIONS

// Once values share memory, what overwrites comes after what reads (anti) and after what was written before (output).

// CHECK: poly.edge "v0" to "v1" true [#poly.map<"{ [i0, i1] -> [i1, i0] }">]
// CHECK-NEXT: poly.edge "v1" to "v2" true [#poly.map<"{ [i0, i1] -> [i0, i1] }">] anti [#poly.map<"{ [i0, i1] -> [{{.*}}] : {{.*}} }">]
// CHECK-NEXT: poly.edge "v2" to "v3" true [#poly.map<"{ [i0, i1] -> [i0, i1] }">]
// CHECK-NEXT: poly.edge "v0" to "v2" output [#poly.map<"{ [i0, i1] -> [{{.*}}] : {{.*}} }">]
// CHECK-NEXT: }

// VALUES: poly.view @f
// VALUES-NOT: anti
// VALUES-NOT: output
// REGIONS-NOT: poly.view
// REGIONS: region.kernel @f_0
func.func @f(%x: tensor<2x3xf32>) -> tensor<3x2xf32> {
  %0 = tiny.unary exp %x : tensor<2x3xf32> -> tensor<2x3xf32>
  %1 = tiny.movement permute %0 by [1, 0] : tensor<2x3xf32> -> tensor<3x2xf32>
  %2 = tiny.unary exp %1 : tensor<3x2xf32> -> tensor<3x2xf32>
  %3 = tiny.unary neg %2 : tensor<3x2xf32> -> tensor<3x2xf32>
  func.return %3 : tensor<3x2xf32>
}
