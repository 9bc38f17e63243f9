// RUN: ptir-opt %s --inline --split-input-file --verify-diagnostics | filecheck %s

// CHECK-LABEL: func.func @calls_blocks(
// CHECK-NEXT:    func.call @blocks
func.func @calls_blocks(%p: i1) -> i32 {
  // expected-remark @+1 {{@blocks is not inlined: it has several blocks}}
  %0 = func.call @blocks(%p) : (i1) -> i32
  func.return %0 : i32
}
func.func private @blocks(%p: i1) -> i32 {
  %a = arith.constant 1 : i32
  cf.cond_br %p, ^one, ^two
^one:
  func.return %a : i32
^two:
  func.return %a : i32
}

// -----

// CHECK-LABEL: func.func @instance(
// CHECK-NEXT:    func.call @named
func.func @instance(%x: tensor<3xf32>) -> tensor<3xf32> {
  // expected-remark @+1 {{@named is not inlined: the types of the call are instances of its signature}}
  %0 = func.call @named(%x) : (tensor<3xf32>) -> tensor<3xf32>
  func.return %0 : tensor<3xf32>
}
func.func private @named(%a: tensor<?xf32, #ptir.dims<N>>) -> tensor<?xf32, #ptir.dims<N>> {
  func.return %a : tensor<?xf32, #ptir.dims<N>>
}

// -----

// The N of the callee is a size of its own: in the caller it would be another's.
// CHECK-LABEL: func.func @same_name(
// CHECK-NEXT:    func.call @binds
// CHECK-NEXT:    ptir.exp
func.func @same_name(%x: tensor<?xf32>, %y: tensor<?xf32, #ptir.dims<N>>) -> tensor<?xf32> {
  // expected-remark @+1 {{a dimension N of its own may be another one in the caller}}
  %0 = func.call @binds(%x) : (tensor<?xf32>) -> tensor<?xf32>
  // The names of the arguments are those of the operands.
  %1 = func.call @same(%y) : (tensor<?xf32, #ptir.dims<N>>) -> tensor<?xf32, #ptir.dims<N>>
  func.return %0 : tensor<?xf32>
}
func.func private @binds(%a: tensor<?xf32>) -> tensor<?xf32> {
  %0 = ptir.dim_cast %a : tensor<?xf32> -> tensor<?xf32, #ptir.dims<N>>
  %1 = ptir.dim_cast %0 : tensor<?xf32, #ptir.dims<N>> -> tensor<?xf32>
  func.return %1 : tensor<?xf32>
}
func.func private @same(%a: tensor<?xf32, #ptir.dims<N>>) -> tensor<?xf32, #ptir.dims<N>> {
  %0 = ptir.exp %a : tensor<?xf32, #ptir.dims<N>>
  func.return %0 : tensor<?xf32, #ptir.dims<N>>
}
