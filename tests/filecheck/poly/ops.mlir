// RUN: ptir-opt --allow-unregistered-dialect %s | filecheck %s
// RUN: ptir-opt --allow-unregistered-dialect %s | ptir-opt --allow-unregistered-dialect | filecheck %s
// RUN: ptir-opt --allow-unregistered-dialect --print-op-generic %s | ptir-opt --allow-unregistered-dialect | filecheck %s

// A view prints as it is read, and its generic form reads as the same view.

// CHECK: poly.view @f {
poly.view @f {
  // CHECK-NEXT: poly.block @v0 movement_affine <"{ [i0, i1] : 0 <= i0 <= 3 and 0 <= i1 <= 7 }"> reads ["arg0"] by [#poly.map<"{ [i0, i1] -> [i1, floor(i0/2)] }">]
  poly.block @v0 movement_affine <"{ [i0, i1] : 0 <= i0 <= 3 and 0 <= i1 <= 7 }"> reads ["arg0"] by [#poly.map<"{ [i0, i1] -> [i1, floor(i0/2)] }">]
  // CHECK-NEXT: poly.block @v1 ewise <"[B] -> { [i0] : 0 <= i0 < B }"> reads ["v0", "arg1"] by [#poly.map<"[B] -> { [i0] -> [i0, B - 1] }">, #poly.map<"{ [i0] -> [0] }">]
  poly.block @v1 ewise <"[B] -> { [i0] : 0 <= i0 < B }"> reads ["v0", "arg1"] by [#poly.map<"[B] -> { [i0] -> [i0, B - 1] }">, #poly.map<"{ [i0] -> [0] }">]
  // CHECK-NEXT: poly.block @v2 reduce <"{ [i0] : 0 <= i0 <= 3 }"> reduces ["i0"] reads ["v1"] by [#poly.map<"{ [i0] -> [i0] }">]
  poly.block @v2 reduce <"{ [i0] : 0 <= i0 <= 3 }"> reduces ["i0"] reads ["v1"] by [#poly.map<"{ [i0] -> [i0] }">]
  // CHECK-NEXT: poly.block @v3 movement_affine <"{ [i0] : 0 <= i0 <= 5 }"> reads ["v1"] by [#poly.map<"{ [i0] -> [i0 - 1] }">] guards [#poly.guard<"{ [i0] : 0 < i0 <= 4 }" else #ptir.scalar<0.0 : f32>>]
  poly.block @v3 movement_affine <"{ [i0] : 0 <= i0 <= 5 }"> reads ["v1"] by [#poly.map<"{ [i0] -> [i0 - 1] }">] guards [#poly.guard<"{ [i0] : 0 < i0 <= 4 }" else #ptir.scalar<0.0 : f32>>]
  // CHECK-NEXT: poly.block @v4 contraction_pattern <"{ [i0, i1, i2] }"> reduces ["i2"] reads ["v0", "arg1"] by [#poly.map<"{ [i0, i1, i2] -> [i0, i2] }">, #poly.map<"{ [i0, i1, i2] -> [i2, i1] }">] guards [unit, #poly.guard<"{ [i0, i1, i2] : i2 > 0 }" else #ptir.scalar<0 : i32>>] pattern {pattern = "matmul", lhs_idx = ["i0", "i2"], rhs_idx = ["i1", "i2"], out_idx = ["i0", "i1"], reduce_idx = ["i2"]}
  poly.block @v4 contraction_pattern <"{ [i0, i1, i2] }"> reduces ["i2"] reads ["v0", "arg1"] by [#poly.map<"{ [i0, i1, i2] -> [i0, i2] }">, #poly.map<"{ [i0, i1, i2] -> [i2, i1] }">] guards [unit, #poly.guard<"{ [i0, i1, i2] : i2 > 0 }" else #ptir.scalar<0 : i32>>] pattern {pattern = "matmul", lhs_idx = ["i0", "i2"], rhs_idx = ["i1", "i2"], out_idx = ["i0", "i1"], reduce_idx = ["i2"]}
  // CHECK-NEXT: poly.block @v5 contraction_pattern <"{ [i0, i1] : 0 <= i0 <= 5 and 0 <= i1 <= 5 }"> reduces ["i1"] reads ["arg0", "arg1"] by [#poly.map<"{ [i0, i1] -> [2*i0 + i1] }">, #poly.map<"{ [i0, i1] -> [i1] }">] pattern {pattern = "conv", lhs_idx = ["d0", "d1", "d2"], rhs_idx = ["d1", "d2"], out_idx = ["d0"], reduce_idx = ["d1", "d2"], groups = 1 : i64, affine_offsets = {lhs = [{axis = 0 : i64, out = "d0", window = "d1", stride = 1 : i64, dilation = 1 : i64, offset = 0 : i64, unit = 2 : i64}], rhs = []}, digits = #poly.map<"{ [i0, i1] -> [i0, floor(i1/2), i1 - 2*floor(i1/2)] }">}
  poly.block @v5 contraction_pattern <"{ [i0, i1] : 0 <= i0 <= 5 and 0 <= i1 <= 5 }"> reduces ["i1"] reads ["arg0", "arg1"] by [#poly.map<"{ [i0, i1] -> [2*i0 + i1] }">, #poly.map<"{ [i0, i1] -> [i1] }">] pattern {pattern = "conv", lhs_idx = ["d0", "d1", "d2"], rhs_idx = ["d1", "d2"], out_idx = ["d0"], reduce_idx = ["d1", "d2"], groups = 1 : i64, affine_offsets = {lhs = [{axis = 0 : i64, out = "d0", window = "d1", stride = 1 : i64, dilation = 1 : i64, offset = 0 : i64, unit = 2 : i64}], rhs = []}, digits = #poly.map<"{ [i0, i1] -> [i0, floor(i1/2), i1 - 2*floor(i1/2)] }">}
  // CHECK-NEXT: poly.block @v6 reduce <"{ [] }"> reduces [] reads [] by []
  poly.block @v6 reduce <"{ [] }"> reduces [] reads [] by []
  // CHECK-NEXT: poly.edge "v0" to "v1" true [#poly.map<"{ [i0] -> [i0, 0] }">, #poly.map<"{ [i0] -> [0, i0 - 1] : i0 > 0 }">] anti [#poly.map<"{ [i0] -> [0, i0] }">] output [#poly.map<"{ [i0] -> [0, i0] }">]
  poly.edge "v0" to "v1" true [#poly.map<"{ [i0] -> [i0, 0] }">, #poly.map<"{ [i0] -> [0, i0 - 1] : i0 > 0 }">] anti [#poly.map<"{ [i0] -> [0, i0] }">] output [#poly.map<"{ [i0] -> [0, i0] }">]
  // CHECK-NEXT: poly.edge "v2" to "v3" anti [#poly.map<"{ [i0] -> [j] : j >= i0 }">]
  poly.edge "v2" to "v3" anti [#poly.map<"{ [i0] -> [j] : j >= i0 }">]
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
