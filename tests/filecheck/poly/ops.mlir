// RUN: ptir-opt --allow-unregistered-dialect %s | filecheck %s
// RUN: ptir-opt --allow-unregistered-dialect %s | ptir-opt --allow-unregistered-dialect | filecheck %s
// RUN: ptir-opt --allow-unregistered-dialect --print-op-generic %s | ptir-opt --allow-unregistered-dialect | filecheck %s

// A view prints as it is read, and its generic form reads as the same view.

// CHECK: poly.view @f {
poly.view @f {
  // CHECK-NEXT: poly.block @v0 movement_affine <"{ [i0, i1] : 0 <= i0 <= 3 and 0 <= i1 <= 7 }"> reads ["arg0"] by [#poly.map<"{ [i0, i1] -> [(i1), (i0)] }">]
  poly.block @v0 movement_affine <"{ [i0, i1] : 0 <= i0 <= 3 and 0 <= i1 <= 7 }"> reads ["arg0"] by [#poly.map<"{ [i0, i1] -> [(i1), (i0)] }">]
  // CHECK-NEXT: poly.block @v1 ewise <"{ [i0] : 0 <= i0 <= 3 }"> reads ["v0", "arg1"] by [#poly.map<"{ [i0] -> [(i0)] }">, #poly.map<"{ [i0] -> [(0)] }">]
  poly.block @v1 ewise <"{ [i0] : 0 <= i0 <= 3 }"> reads ["v0", "arg1"] by [#poly.map<"{ [i0] -> [(i0)] }">, #poly.map<"{ [i0] -> [(0)] }">]
  // CHECK-NEXT: poly.block @v2 reduce <"{ [i0] : 0 <= i0 <= 3 }"> reads ["v1"] by [#poly.map<"{ [i0] -> [(i0)] }">]
  poly.block @v2 reduce <"{ [i0] : 0 <= i0 <= 3 }"> reads ["v1"] by [#poly.map<"{ [i0] -> [(i0)] }">]
  // CHECK-NEXT: poly.block @v3 contraction_pattern <"{ [] }"> reads [] by [] pattern {pattern = "matmul", reduce_idx = ["i2"]}
  poly.block @v3 contraction_pattern <"{ [] }"> reads [] by [] pattern {pattern = "matmul", reduce_idx = ["i2"]}
  // CHECK-NEXT: poly.edge "v0" to "v1" by <"{ [i0] -> [(i0), (0)] }">
  poly.edge "v0" to "v1" by <"{ [i0] -> [(i0), (0)] }">
// CHECK-NEXT: }
}

// A view of a function that computes nothing has an empty block, which is printed so that it reads again.

// CHECK: poly.view @g attributes {note = "by hand"} {
// CHECK-NEXT: ^bb0:
// CHECK-NEXT: }
poly.view @g attributes {note = "by hand"} {
^bb0:
}

// CHECK: "test.op"() {set = #poly.set<"{ [i0] : 0 <= i0 }">, map = #poly.map<"{ [i0] -> [(floor((i0)/2))] }">} : () -> ()
"test.op"() {set = #poly.set<"{ [i0] : 0 <= i0 }">, map = #poly.map<"{ [i0] -> [(floor((i0)/2))] }">} : () -> ()
