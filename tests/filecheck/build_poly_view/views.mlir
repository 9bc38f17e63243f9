// RUN: ptir-opt %s -p ptir-to-tiny,build-poly-view | filecheck %s
// RUN: ptir-opt %s -p ptir-to-tiny,build-poly-view,build-poly-view | filecheck %s

// A block a value, an edge a use; a contraction reads its sources through all movements and exact casts.

// CHECK: func.func @linear
// CHECK: poly.view @linear {
// CHECK: poly.block @v0 movement_affine <"{ [i0, i1 = 0, i2] : 0 <= i0 <= 3 and 0 <= i2 <= 7 }"> reads ["arg0"] by [#poly.map<"{ [i0, i1, i2] -> [(i0), (i2)] }">]
// CHECK: poly.block @v5 contraction_pattern <"{ [i0, i1, i2] : 0 <= i0 <= 3 and 0 <= i1 <= 1 and 0 <= i2 <= 7 }"> reads ["arg0", "arg1"] by [#poly.map<"{ [i0, i1, i2] -> [(i0), (i2)] }">, #poly.map<"{ [i0, i1, i2] -> [(i1), (i2)] }">] pattern {pattern = "matmul", lhs_idx = ["i0", "i2"], rhs_idx = ["i1", "i2"], out_idx = ["i0", "i1"], reduce_idx = ["i2"]}
// CHECK: poly.block @v6 movement_affine <"{ [i0, i1] : 0 <= i0 <= 3 and 0 <= i1 <= 1 }"> reads ["arg2"] by [#poly.map<"{ [i0, i1] -> [(i1)] }">]
// CHECK: poly.block @v7 ewise <"{ [i0, i1] : 0 <= i0 <= 3 and 0 <= i1 <= 1 }"> reads ["v5", "v6"]
// CHECK: poly.edge "v5" to "v7" by <"{ [i0, i1] -> [(i0), (i1)] }">
// CHECK: poly.edge "v6" to "v7" by <"{ [i0, i1] -> [(i0), (i1)] }">
func.func @linear(%x: tensor<4x8xbf16>, %w: tensor<2x8xbf16>, %b: tensor<2xf32>) -> tensor<4x2xf32> {
  %0 = ptir.dot_general %x, %w contract [1] x [1] accum f32 out f32 : (tensor<4x8xbf16>, tensor<2x8xbf16>) -> tensor<4x2xf32>
  %1 = ptir.broadcast_to %b : tensor<2xf32> -> tensor<4x2xf32>
  %2 = ptir.add %0, %1 : tensor<4x2xf32>
  func.return %2 : tensor<4x2xf32>
}

// A reduction that is no contraction is a reduce block.
// CHECK: poly.view @total {
// CHECK-NEXT: poly.block @v0 reduce <"{ [i0, i1] : 0 <= i0 <= 3 and 0 <= i1 <= 7 }"> reads ["arg0"] by [#poly.map<"{ [i0, i1] -> [(i0), (i1)] }">]
// CHECK-NEXT: }
func.func @total(%x: tensor<4x8xf32>) -> tensor<4xf32> {
  %0 = ptir.reduce sum %x axes [1] : tensor<4x8xf32> -> tensor<4xf32>
  func.return %0 : tensor<4xf32>
}

// A stale view is replaced, not kept; views of functions that do not exist go away.
// CHECK: poly.view @still {
// CHECK-NEXT: ^bb0:
// CHECK-NEXT: }
// CHECK-NOT: poly.view
func.func @still(%x: tensor<4xf32>) -> tensor<4xf32> {
  func.return %x : tensor<4xf32>
}
poly.view @gone {
  poly.block @v0 ewise <"{ [i0] : 0 <= i0 <= 7 }"> reads ["arg0"] by [#poly.map<"{ [i0] -> [(i0)] }">]
}

// A declaration has nothing to describe.
// CHECK: func.func private @elsewhere
func.func private @elsewhere(tensor<4xf32>) -> tensor<4xf32>
