// RUN: ptir-opt %s -p ptir-to-tiny,build-poly-view | filecheck %s
// RUN: ptir-opt %s -p ptir-to-tiny,build-poly-view,build-poly-view | filecheck %s
// RUN: ptir-opt %s -p ptir-to-tiny,build-poly-view | ptir-opt -p build-poly-view | filecheck %s

// A block a value, an edge for two that depend on each other; a contraction reads its sources through all movements
// and exact casts.

// CHECK: func.func @linear
// CHECK: poly.view @linear {
// CHECK: poly.block @v0 movement_affine <"{ [i0, i1 = 0, i2] : 0 <= i0 <= 3 and 0 <= i2 <= 7 }"> reads ["arg0"] by [#poly.map<"{ [i0, i1, i2] -> [i0, i2] }">]
// CHECK: poly.block @v5 contraction_pattern <"{ [i0, i1, i2] : 0 <= i0 <= 3 and 0 <= i1 <= 1 and 0 <= i2 <= 7 }"> reduces ["i2"] reads ["arg0", "arg1"] by [#poly.map<"{ [i0, i1, i2] -> [i0, i2] }">, #poly.map<"{ [i0, i1, i2] -> [i1, i2] }">] pattern {pattern = "matmul", lhs_idx = ["i0", "i2"], rhs_idx = ["i1", "i2"], out_idx = ["i0", "i1"], reduce_idx = ["i2"]}
// CHECK: poly.block @v6 movement_affine <"{ [i0, i1] : 0 <= i0 <= 3 and 0 <= i1 <= 1 }"> reads ["arg2"] by [#poly.map<"{ [i0, i1] -> [i1] }">]
// CHECK: poly.block @v7 ewise <"{ [i0, i1] : 0 <= i0 <= 3 and 0 <= i1 <= 1 }"> reads ["v5", "v6"]
// CHECK: poly.edge "v5" to "v7" true [#poly.map<"{ [i0, i1] -> [i0, i1] }">]
// CHECK: poly.edge "v6" to "v7" true [#poly.map<"{ [i0, i1] -> [i0, i1] }">]
func.func @linear(%x: tensor<4x8xbf16>, %w: tensor<2x8xbf16>, %b: tensor<2xf32>) -> tensor<4x2xf32> {
  %0 = ptir.dot_general %x, %w contract [1] x [1] accum f32 out f32 : (tensor<4x8xbf16>, tensor<2x8xbf16>) -> tensor<4x2xf32>
  %1 = ptir.broadcast_to %b : tensor<2xf32> -> tensor<4x2xf32>
  %2 = ptir.add %0, %1 : tensor<4x2xf32>
  func.return %2 : tensor<4x2xf32>
}

// A reduction that is no contraction is a reduce block.
// CHECK: poly.view @total {
// CHECK-NEXT: poly.block @v0 reduce <"{ [i0, i1] : 0 <= i0 <= 3 and 0 <= i1 <= 7 }"> reduces ["i1"] reads ["arg0"] by [#poly.map<"{ [i0, i1] -> [i0, i1] }">]
// CHECK-NEXT: }
func.func @total(%x: tensor<4x8xf32>) -> tensor<4xf32> {
  %0 = ptir.reduce sum %x axes [1] : tensor<4x8xf32> -> tensor<4xf32>
  func.return %0 : tensor<4xf32>
}

// One edge for two blocks, with a relation for each index at which the one reads the other.
// CHECK: poly.view @twice {
// CHECK: poly.edge "v0" to "v1" true [#poly.map<"{ [i0, i1] -> [i1, i0] }">]
// CHECK-NEXT: poly.edge "v0" to "v2" true [#poly.map<"{ [i0, i1] -> [i0, i1] }">]
// CHECK-NEXT: poly.edge "v1" to "v2" true [#poly.map<"{ [i0, i1] -> [i0, i1] }">]
// CHECK-NEXT: poly.edge "v2" to "v3" true [#poly.map<"{ [i0, i1] -> [i0, i1] }">]
// CHECK-NEXT: }
func.func @twice(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = ptir.exp %x : tensor<4x4xf32>
  %1 = ptir.transpose %0 [1, 0] : tensor<4x4xf32> -> tensor<4x4xf32>
  %2 = ptir.add %0, %1 : tensor<4x4xf32>
  %3 = ptir.mul %2, %2 : tensor<4x4xf32>
  func.return %3 : tensor<4x4xf32>
}

// Sizes that are names are parameters, of all sets and maps of a view.
// CHECK: poly.view @named {
// CHECK-NEXT: poly.block @v0 ewise <"[B, S] -> { [i0, i1] : 0 <= i0 < B and 0 <= i1 < S }"> reads ["arg0"] by [#poly.map<"[B, S] -> { [i0, i1] -> [i0, i1] }">]
// CHECK-NEXT: poly.block @v1 reduce <"[B, S] -> { [i0, i1] : 0 <= i0 < B and 0 <= i1 < S }"> reduces ["i1"] reads ["v0"] by [#poly.map<"[B, S] -> { [i0, i1] -> [i0, i1] }">]
// CHECK-NEXT: poly.block @v2 ewise <"[B, S] -> { [i0] : 0 <= i0 < B }"> reads ["v1"] by [#poly.map<"[B, S] -> { [i0] -> [i0] }">]
// CHECK-NEXT: poly.edge "v0" to "v1" true [#poly.map<"[B, S] -> { [i0, i1] -> [i0, i1] }">]
func.func @named(%x: tensor<?x?xf32, #ptir.dims<B, S>>) -> tensor<?xf32, #ptir.dims<B>> {
  %0 = tiny.unary exp %x : tensor<?x?xf32, #ptir.dims<B, S>> -> tensor<?x?xf32, #ptir.dims<B, S>>
  %1 = tiny.reduce max %0 axes [1] accum f32 : tensor<?x?xf32, #ptir.dims<B, S>> -> tensor<?xf32, #ptir.dims<B>>
  %2 = tiny.unary neg %1 : tensor<?xf32, #ptir.dims<B>> -> tensor<?xf32, #ptir.dims<B>>
  func.return %2 : tensor<?xf32, #ptir.dims<B>>
}

// Around a pad nothing is read: the guard says where, what stands for it there, and what depends on what.
// CHECK: poly.view @padded {
// CHECK: poly.block @v1 movement_affine <"{ [i0] : 0 <= i0 <= 6 }"> reads ["v0"] by [#poly.map<"{ [i0] -> [i0 - 1] }">] guards [#poly.guard<"{ [i0] : 0 < i0 <= 4 }" else #ptir.scalar<-1.0 : f32>>]
// CHECK: poly.edge "v0" to "v1" true [#poly.map<"{ [i0] -> [i0 - 1] : 0 < i0 <= 4 }">]
func.func @padded(%x: tensor<4xf32>) -> tensor<7xf32> {
  %0 = ptir.exp %x : tensor<4xf32>
  %1 = ptir.pad %0 with -1.0 : f32 low [1] high [2] interior [0] : tensor<4xf32> -> tensor<7xf32>
  func.return %1 : tensor<7xf32>
}

// What is not affine has no block, and edges end there.
// CHECK: poly.view @border {
// CHECK-NEXT: poly.block @v0 ewise
// CHECK-NEXT: poly.block @v2 ewise <"{ [i0] : 0 <= i0 <= 3 }"> reads ["v1"] by [#poly.map<"{ [i0] -> [i0] }">]
// CHECK-NEXT: poly.block @v3 ewise
// CHECK-NEXT: poly.edge "v2" to "v3"
// CHECK-NEXT: }
func.func @border(%x: tensor<4xf32>, %i: tensor<4xsi32>) -> tensor<4xf32> {
  %0 = ptir.exp %x : tensor<4xf32>
  %1 = ptir.gather %0, %i axis 0 : (tensor<4xf32>, tensor<4xsi32>) -> tensor<4xf32>
  %2 = ptir.neg %1 : tensor<4xf32>
  %3 = ptir.exp %2 : tensor<4xf32>
  func.return %3 : tensor<4xf32>
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
  poly.block @v0 ewise <"{ [i0] : 0 <= i0 <= 7 }"> reads ["arg0"] by [#poly.map<"{ [i0] -> [i0] }">]
}

// A declaration has nothing to describe.
// CHECK: func.func private @elsewhere
func.func private @elsewhere(tensor<4xf32>) -> tensor<4xf32>
