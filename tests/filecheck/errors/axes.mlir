// RUN: not ptir-opt %s --split-input-file 2>&1 >/dev/null | filecheck %s --match-full-lines

// The codes of wrong axes, windows, pads and views.

// CHECK: {{.*}}error[PTIR0105]: axis 2 is out of range for rank 2
// CHECK: help: axes run from -2 to 1
func.func @f(%x: tensor<2x3xf32>) {
  %0 = tiny.iota axis 2 : tensor<2x3xsi32>
  func.return
}

// -----

// CHECK: {{.*}}error[PTIR0105]: axis -3 is out of range for rank 2
// CHECK: help: axes run from -2 to 1
func.func @f(%x: tensor<2x3xf32>) {
  %0 = ptir.reduce sum %x axes [-3] : tensor<2x3xf32> -> tensor<3xf32>
  func.return
}

// -----

// CHECK: {{.*}}error[PTIR0105]: axis 0 is out of range for rank 0
// CHECK: help: a rank-0 tensor has no axes
func.func @f() {
  %0 = ptir.iota axis 0 : tensor<si32>
  func.return
}

// -----

// CHECK: {{.*}}error[PTIR0105]: axis 1 is out of range for rank 1
// CHECK: help: axes run from -1 to 0
func.func @f() {
  %0 = ptir.iota axis 1 : tensor<3xsi32>
  func.return
}

// -----

// CHECK: {{.*}}error[PTIR0106]: axis -2 is given twice in axes
func.func @f(%x: tensor<2x3xf32>) {
  %0 = ptir.reduce sum %x axes [0, -2] : tensor<2x3xf32> -> tensor<3xf32>
  func.return
}

// -----

// CHECK: {{.*}}error[PTIR0106]: axis 0 is given twice in the permutation
func.func @f(%x: tensor<2x3xf32>) {
  %0 = ptir.transpose %x [0, 0] : tensor<2x3xf32> -> tensor<2x2xf32>
  func.return
}

// -----

// CHECK: {{.*}}error[PTIR0115]: axis 1 has no elements, so it has no largest element
// CHECK: help: argmax of an empty axis is undefined in the contract
func.func @f(%x: tensor<2x0xf32>) {
  %0 = ptir.argmax %x axis -1 : tensor<2x0xf32> -> tensor<2xsi64>
  func.return
}

// -----

// CHECK: {{.*}}error[PTIR0118]: axis 1: a window of size 2 at offset 2 exceeds the extent of 3
func.func @f(%x: tensor<2x3xf32>) {
  %0 = ptir.slice %x [0, 2] : tensor<2x3xf32> -> tensor<2x2xf32>
  func.return
}

// -----

// CHECK: {{.*}}error[PTIR0118]: axis 1: a window of size ? at offset 4 exceeds the extent of 3
func.func @f(%x: tensor<2x3xf32>) {
  %0 = ptir.slice %x [0, 4] : tensor<2x3xf32> -> tensor<2x?xf32>
  func.return
}

// -----

// CHECK: {{.*}}error[PTIR0118]: axis 0: a window of size B at offset 1 exceeds the extent of B
func.func @f(%x: tensor<?x6xf32, #ptir.dims<B, _>>) {
  %0 = ptir.slice %x [1, 0] : tensor<?x6xf32, #ptir.dims<B, _>> -> tensor<?x6xf32, #ptir.dims<B, _>>
  func.return
}

// -----

// CHECK: {{.*}}error[PTIR0119]: 'update_window_dims' is [1, 0], which is not ascending
// CHECK: help: give the axes in ascending order
func.func @f(%x: tensor<4x6xf32>, %i: tensor<3xsi32>, %u: tensor<3x6xf32>) {
  %0 = ptir.scatter_add %x, %i, %u update_window_dims [1, 0] inserted_window_dims [] scatter_dims_to_operand_dims [0] : tensor<4x6xf32>, tensor<3xsi32>, tensor<3x6xf32>
  func.return
}

// -----

// CHECK: {{.*}}error[PTIR0120]: cannot infer the ? of axis 1: no operand determines it
// CHECK: help: write a number, or a name that is already bound
func.func @f() {
  %0 = ptir.iota axis 0 : tensor<2x?xsi32>
  func.return
}

// -----

// CHECK: {{.*}}error[PTIR0120]: cannot infer the ? of axis 0: the operand lacks this axis
// CHECK: help: write a number, or a name that is already bound
func.func @f(%x: tensor<1x3xf32>) {
  %0 = ptir.broadcast_to %x : tensor<1x3xf32> -> tensor<?x3xf32>
  func.return
}

// -----

// CHECK: {{.*}}error[PTIR0120]: cannot infer the ? of axis 1: only one size can be inferred
// CHECK: help: write a number, or a name that is already bound
func.func @f(%x: tensor<2x3xf32>) {
  %0 = tiny.movement reshape %x : tensor<2x3xf32> -> tensor<?x?xf32>
  func.return
}

// -----

// CHECK: {{.*}}error[PTIR0120]: cannot infer the ? of axis 0: a size beside an extent of 0 cannot be inferred
// CHECK: help: write a number, or a name that is already bound
func.func @f(%x: tensor<0x3xf32>) {
  %0 = ptir.reshape %x : tensor<0x3xf32> -> tensor<?x0xf32>
  func.return
}

// -----

// CHECK: {{.*}}error[PTIR0120]: cannot infer the ? of axis 0: no operand determines the number of segments
// CHECK: help: write a number, or a name that is already bound
func.func @f(%x: tensor<6x4xf32>, %i: tensor<6xsi32>) {
  %0 = ptir.segment_reduce sum %x, %i : (tensor<6x4xf32>, tensor<6xsi32>) -> tensor<?x4xf32>
  func.return
}

// -----

// CHECK: {{.*}}error[PTIR0120]: cannot infer the ? of axis 0: a view has the sizes of its type
// CHECK: help: write a number, or a name that is already bound
func.func @f(%x: tensor<?x3xf32, #ptir.dims<B, _>>) {
  %0 = tiny.movement view %x offset 0 strides [3, 1] : tensor<?x3xf32, #ptir.dims<B, _>> -> tensor<?x3xf32>
  func.return
}

// -----

// CHECK: {{.*}}error[PTIR0123]: the stride of axis 1 is -1, which is negative
// CHECK: help: the strides of a view are 0 or more; no movement reverses an axis
func.func @f(%x: tensor<2x3xf32>) {
  %0 = tiny.movement view %x offset 2 strides [3, -1] : tensor<2x3xf32> -> tensor<2x3xf32>
  func.return
}

// -----

// CHECK: {{.*}}error[PTIR0124]: 'low' is -1 on axis 0: a pad cannot remove elements
// CHECK: help: shrink the operand there first
func.func @f(%x: tensor<2x3xf32>) {
  %0 = tiny.movement pad %x low [-1, 0] high [0, 0] value 0.0 : f32 : tensor<2x3xf32> -> tensor<1x3xf32>
  func.return
}

// -----

// CHECK: {{.*}}error[PTIR0124]: 'high' is -2 on axis 1: a pad cannot remove elements
// CHECK: help: shrink the operand there first
func.func @f(%x: tensor<2x3xf32>) {
  %0 = tiny.movement pad %x low [0, 0] high [0, -2] value 0.0 : f32 : tensor<2x3xf32> -> tensor<2x1xf32>
  func.return
}

// -----

// CHECK: {{.*}}error[PTIR0125]: a view of shape [] reads element 6 of an operand with 6 elements
// CHECK: help: make it smaller, or pad the operand first
func.func @f(%x: tensor<2x3xf32>) {
  %0 = tiny.movement view %x offset 6 strides [] : tensor<2x3xf32> -> tensor<f32>
  func.return
}

// -----

// CHECK: {{.*}}error[PTIR0125]: a view of shape [1] reads element 0 of an operand with 0 elements
// CHECK: help: make it smaller, or pad the operand first
func.func @f(%x: tensor<0x3xf32>) {
  %0 = tiny.movement view %x offset 0 strides [0] : tensor<0x3xf32> -> tensor<1xf32>
  func.return
}
