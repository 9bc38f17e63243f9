// RUN: not ptir-opt %s -p ptir-to-tiny,form-regions --split-input-file --allow-unregistered-dialect 2>&1 >/dev/null | filecheck %s --match-full-lines

// The codes of programs that the lowering to regions refuses.

// CHECK: {{.*}}error[PTIR0109]: a value is tuple<tensor<4xf32>>; a ranked tensor is needed
func.func @g(%x: tuple<tensor<4xf32>>) {
  func.return
}

// -----

// CHECK: {{.*}}error[PTIR0203]: 'ptir.dim_cast' has no form in tiny: it asserts sizes that are checked at run time
// CHECK: help: give its dimensions static sizes, or compute it outside of kernels
func.func @at_the_op(%x: tensor<4xf32>) {
  %0 = ptir.dim_cast %x : tensor<4xf32> -> tensor<?xf32, #ptir.dims<B>>
  func.return
}

// -----

// CHECK: {{.*}}error[PTIR0203]: 'ptir.invented' has no form in tiny
// CHECK: help: write it with ops that have one: ptir.abs, ptir.add, {{.*}}
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %u = "ptir.invented"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  func.return %u : tensor<4xf32>
}

// -----

// CHECK: {{.*}}error[PTIR0210]: the dynamic dimension 1 of tensor<4x?xf32> is not supported yet
// CHECK: help: a static size is needed: specialize-sizes{sizes="argument[axis]=8"} gives it a number, ptir.compile and ptir-run take it from the arrays
func.func @no_name(%y: tensor<2xf32>, %x: tensor<4x?xf32>) {
  func.return
}

// -----

// CHECK: {{.*}}error[PTIR0210]: the dynamic dimension 0 (B) of tensor<?x4xf32, #ptir.dims<B, _>> is not supported yet
// CHECK: help: a static size is needed: specialize-sizes{sizes="B=8"} gives B a number, ptir.compile and ptir-run take it from the arrays
func.func @a_name(%x: tensor<?x4xf32, #ptir.dims<B, _>>) {
  func.return
}

// -----

// CHECK: {{.*}}error[PTIR0210]: 'tiny.binary add' on ui4 in a kernel is not supported yet
// CHECK: help: kernels compute with floats, complex numbers, i1 and integers of 8 to 64 bits: tiny-emulate-int4 widens those of 4
func.func @f(%x: tensor<4xui4>) -> tensor<4xui4> {
  %0 = tiny.binary add %x, %x : (tensor<4xui4>, tensor<4xui4>) -> tensor<4xui4>
  func.return %0 : tensor<4xui4>
}

// -----

// CHECK: {{.*}}error[PTIR0210]: the shape of tensor<0x4xf32> is not supported yet
// CHECK: help: kernels compute at least one element: run tiny-fold-empty first
func.func @f(%x: tensor<0x4xf32>) -> tensor<4xf32> {
  %0 = tiny.reduce sum %x axes [0] accum f32 : tensor<0x4xf32> -> tensor<4xf32>
  func.return %0 : tensor<4xf32>
}

// -----

// CHECK: {{.*}}error[PTIR0210]: the shape of tensor<9223372036854775808xf32> is not supported yet
// CHECK: help: give it fewer than 2^59 elements
func.func @f(%x: tensor<9223372036854775808xf32>) -> tensor<9223372036854775808xf32> {
  %0 = tiny.unary exp %x : tensor<9223372036854775808xf32> -> tensor<9223372036854775808xf32>
  func.return %0 : tensor<9223372036854775808xf32>
}

// -----

// CHECK: {{.*}}error[PTIR0212]: the view of @g contradicts its function at its head: expected the name of a function in the module, got @g
// CHECK: help: run build-poly-view again, or remove the view
poly.view @g {
^bb0:
}

// -----

// CHECK: {{.*}}error[PTIR0212]: the view of @f contradicts its function at its end: expected 1 entry, got 0 entries
// CHECK: help: run build-poly-view again, or remove the view
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tiny.unary exp %x : tensor<4xf32> -> tensor<4xf32>
  func.return %0 : tensor<4xf32>
}
poly.view @f {
^bb0:
}

// -----

// CHECK: {{.*}}error[PTIR0470]: 'func.call' calls @g, which is only declared
// CHECK: {{.*}}note: the declaration
// CHECK: help: give the function a body, or call a Python function by ptir.custom_call
func.func private @g(tensor<4xf32>) -> tensor<4xf32>
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = func.call @g(%x) : (tensor<4xf32>) -> tensor<4xf32>
  func.return %r : tensor<4xf32>
}
