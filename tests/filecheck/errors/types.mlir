// RUN: not ptir-opt %s --split-input-file 2>&1 >/dev/null | filecheck %s --match-full-lines

// The codes of wrong shapes, types and counts, and of attributes that are wrong by themselves.

// CHECK: {{.*}}error[PTIR0100]: 'poly.view' Region 'body' at position 0 expected a single block, but got 0 blocks
poly.view @f {
}

// -----

// CHECK: {{.*}}error[PTIR0100]: 'ptir.yield' must end a region of a ptir op, but its parent is 'func.func'
func.func @f(%a: tensor<f32>) {
  ptir.yield %a : tensor<f32>
}

// -----

// CHECK: {{.*}}error[PTIR0100]: 'region.kernel' must end with region.yield
region.kernel @k() -> () {
  "test.termop"() : () -> ()
}

// -----

// CHECK: {{.*}}error[PTIR0101]: 'align' is 12
// CHECK: help: give a power of two in bytes
region.kernel @k(%x: memref<4xf32> align 12) -> () {
  region.yield
}

// -----

// CHECK: {{.*}}error[PTIR0101]: 'ptir.entry' is set on func.func
// CHECK: help: it belongs on builtin.module
func.func private @f() attributes {ptir.entry = "f"}

// -----

// CHECK: {{.*}}error[PTIR0101]: 'ptir.extensions' has the value true
// CHECK: help: leave the value out
builtin.module attributes {ptir.extensions = true} {
}

// -----

// CHECK: {{.*}}error[PTIR0101]: 'in/step' has an entry below 1
// CHECK: help: sizes and steps are at least 1
pto.kernel @k() -> () {
  pto.tiles (%m) in [0] step [4] {
  }
}

// -----

// CHECK: {{.*}}error[PTIR0102]: the result has shape [3], expected [2]
func.func @f(%x: tensor<2xf32>) {
  %0 = tiny.unary cast %x : tensor<2xf32> -> tensor<3xbf16>
  func.return
}

// -----

// CHECK: {{.*}}error[PTIR0102]: the result has shape [6], expected [2, 3]
func.func @f(%x: tensor<2x3xf32>) {
  %0 = ptir.cast %x : tensor<2x3xf32> -> tensor<6xbf16>
  func.return
}

// -----

// CHECK: {{.*}}error[PTIR0103]: the result has element type f16, expected f32
// CHECK: help: insert a cast: there is no implicit promotion
func.func @f(%x: tensor<2x3xf32>) {
  %0 = ptir.reshape %x : tensor<2x3xf32> -> tensor<6xf16>
  func.return
}

// -----

// CHECK: {{.*}}error[PTIR0103]: the predicate has element type i8, expected i1
// CHECK: help: insert a cast: there is no implicit promotion
func.func @f(%x: tensor<2x3xf32>, %p: tensor<2x3xi8>) {
  %0 = ptir.select %p, %x, %x : tensor<2x3xi8>, tensor<2x3xf32>
  func.return
}

// -----

// CHECK: {{.*}}error[PTIR0104]: the result has rank 1, expected 2
func.func @f(%x: tensor<2x3xf32>) {
  %0 = ptir.slice %x [0, 0] : tensor<2x3xf32> -> tensor<2xf32>
  func.return
}

// -----

// CHECK: {{.*}}error[PTIR0104]: 'starts' has rank 1, expected 2
func.func @f(%x: tensor<2x3xf32>) {
  %0 = ptir.slice %x [0] : tensor<2x3xf32> -> tensor<2x3xf32>
  func.return
}

// -----

// CHECK: {{.*}}error[PTIR0107]: shape [2, 3] does not broadcast to [4, 3]: sizes 2 and 4 differ and neither is 1
func.func @f(%x: tensor<2x3xf32>) {
  %0 = tiny.movement expand %x : tensor<2x3xf32> -> tensor<4x3xf32>
  func.return
}

// -----

// CHECK: {{.*}}error[PTIR0107]: shape [3, 3] does not broadcast to [3]: sizes [3, 3] and [3] differ and neither is 1
func.func @f(%x: tensor<3x3xf32>) {
  %0 = ptir.broadcast_to %x : tensor<3x3xf32> -> tensor<3xf32>
  func.return
}

// -----

// CHECK: {{.*}}error[PTIR0107]: shape [B, 3] does not broadcast to [C, 3]: sizes B and C differ and neither is 1
func.func @f(%x: tensor<?x3xf32, #ptir.dims<B, _>>) {
  %0 = tiny.movement expand %x : tensor<?x3xf32, #ptir.dims<B, _>> -> tensor<?x3xf32, #ptir.dims<C, _>>
  func.return
}

// -----

// CHECK: {{.*}}error[PTIR0108]: the number of elements of the result is 5, expected 6·?
func.func @f(%x: tensor<?x6xf32>) {
  %0 = ptir.reshape %x : tensor<?x6xf32> -> tensor<5xf32>
  func.return
}

// -----

// CHECK: {{.*}}error[PTIR0108]: the number of elements of the result is 1, expected 0
func.func @f(%x: tensor<0x3xf32>) {
  %0 = ptir.reshape %x : tensor<0x3xf32> -> tensor<f32>
  func.return
}

// -----

// CHECK: {{.*}}error[PTIR0108]: the number of elements of the result is 7·B, expected 3·B
func.func @f(%x: tensor<?x3xf32, #ptir.dims<B, _>>) {
  %0 = tiny.movement reshape %x : tensor<?x3xf32, #ptir.dims<B, _>> -> tensor<7x?xf32, #ptir.dims<_, B>>
  func.return
}

// -----

// CHECK: {{.*}}error[PTIR0109]: the element type is i1; ptir.neg is defined on numbers
func.func @f(%x: tensor<2xi1>) {
  %0 = ptir.neg %x : tensor<2xi1>
  func.return
}

// -----

// CHECK: {{.*}}error[PTIR0109]: the buffer is memref<?xi32>; its sizes must be known
func.func @f() {
  %0 = region.zeros : memref<?xi32>
  func.return
}

// -----

// CHECK: {{.*}}error[PTIR0110]: add takes 2 operands, got 1
func.func @f(%x: tensor<2x3xf32>) {
  %0 = tiny.binary add %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  func.return
}

// -----

// CHECK: {{.*}}error[PTIR0110]: region.yield takes 1 operand, got 0
region.kernel @k() -> (%y: memref<4xf32> align 16 gmem) {
  region.yield
}

// -----

// CHECK: {{.*}}error[PTIR0110]: ptir.concat takes one or more operands, got 0
func.func @f() {
  %0 = "ptir.concat"() <{axis = 0 : i64}> : () -> tensor<2xf32>
  func.return
}

// -----

// CHECK: {{.*}}error[PTIR0110]: 'in' takes one number for each argument (1), got 2
pto.kernel @k() -> () {
  pto.tiles (%m) in [8, 8] step [4] {
  }
}

// -----

// CHECK: {{.*}}error[PTIR0111]: 'ptir.not' is an extension of PTIR v0.4
// CHECK: help: write module attributes {ptir.extensions} around the program to allow extensions
func.func @f(%x: tensor<2xi1>) {
  %0 = ptir.not %x : tensor<2xi1>
  func.return
}

// -----

// CHECK: {{.*}}error[PTIR0112]: tensor<?x?xf32, #ptir.dims<_, _>>: no dimension has a name
// CHECK: help: leave the encoding out
func.func private @nothing(tensor<?x?xf32, #ptir.dims<_, _>>)

// -----

// CHECK: {{.*}}error[PTIR0112]: tensor<?xf32, #ptir.dims<B, C>>: 2 names for 1 dimension
// CHECK: help: give a name for each dimension, _ where it has none
func.func private @too_many_in_a_result() -> tensor<?xf32, #ptir.dims<B, C>>

// -----

// CHECK: {{.*}}error[PTIR0112]: tensor<?x4xf32, #ptir.dims<B>>: 1 name for 2 dimensions
// CHECK: help: give a name for each dimension, _ where it has none
func.func private @too_few(tensor<?x4xf32, #ptir.dims<B>>)

// -----

// CHECK: {{.*}}error[PTIR0112]: tensor<4x?xf32, #ptir.dims<A, B>>: dimension 0 is 4 and is named A
// CHECK: help: only ? has a name: write ? or _
func.func @static(%x: tensor<4x?xf32, #ptir.dims<A, B>>) {
  func.return
}

// -----

// CHECK: {{.*}}error[PTIR0112]: tensor<4xf32, 3 : i32>: its encoding is 3 : i32
// CHECK: help: an encoding names dimensions
func.func @encoding(%x: tensor<4xf32, 3 : i32>) {
  %0 = ptir.neg %x : tensor<4xf32, 3 : i32>
  func.return
}

// -----

// CHECK: {{.*}}error[PTIR0113]: dimension 1: 3 and 4 are known to differ
// CHECK: help: equal names are equal sizes; insert a ptir.dim_cast to check at run time that two sizes are equal
func.func @numbers(%x: tensor<?x3xf32>) {
  %0 = ptir.dim_cast %x : tensor<?x3xf32> -> tensor<?x4xf32>
  func.return
}

// -----

// CHECK: {{.*}}error[PTIR0113]: the result: 4 and C = 3 are known to differ
// CHECK: help: equal names are equal sizes; insert a ptir.dim_cast to check at run time that two sizes are equal
func.func @across_ops(%x: tensor<?x?xf32, #ptir.dims<B, C>>) {
  %0 = ptir.cast %x : tensor<?x?xf32, #ptir.dims<B, C>> -> tensor<2x3xf16>
  %1 = ptir.cast %x : tensor<?x?xf32, #ptir.dims<B, C>> -> tensor<2x4xf16>
  func.return
}

// -----

// CHECK: {{.*}}error[PTIR0114]: element 0 has type tensor<5xf32>, expected tensor<4xf32>
func.func @another_type(%t: tuple<tensor<4xf32>>) {
  %0 = ptir.tuple_element %t[0] : tuple<tensor<4xf32>> -> tensor<5xf32>
  func.return
}

// -----

// CHECK: {{.*}}error[PTIR0204]: the module is written in ptir.v0.3, but this compiler reads ptir.v0.4
// CHECK: help: export it again as ptir.v0.4
builtin.module attributes {ptir.spec_version = "ptir.v0.3"} {
}

// -----

// CHECK: {{.*}}error[PTIR0204]: the module is written in 4 : i64, but this compiler reads ptir.v0.4
// CHECK: help: export it again as ptir.v0.4
builtin.module attributes {ptir.spec_version = 4 : i64} {
}
