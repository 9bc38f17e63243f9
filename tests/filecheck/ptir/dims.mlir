// RUN: ptir-opt %s | ptir-opt | filecheck %s
// RUN: ptir-opt %s --print-op-generic | ptir-opt | filecheck %s

// The attributes of a module of PTIR.
// CHECK: builtin.module attributes {ptir.spec_version = "ptir.v0.4", ptir.extensions}
builtin.module attributes {ptir.spec_version = "ptir.v0.4", ptir.extensions} {

// A function has names of its own.
%free = "test.op"() : () -> tensor<?xf32, #ptir.dims<B>>
%nine = ptir.dim_cast %free : tensor<?xf32, #ptir.dims<B>> -> tensor<9xf32>

// CHECK-LABEL: @names
// CHECK-SAME: %x: tensor<?x768x?xf16, #ptir.dims<B, _, seq.len_1>>
func.func @names(%x: tensor<?x768x?xf16, #ptir.dims<B, _, seq.len_1>>) -> tensor<?x768x?xf16, #ptir.dims<B, _, seq.len_1>> {
  // CHECK: ptir.add %x, %x : tensor<?x768x?xf16, #ptir.dims<B, _, seq.len_1>>
  %0 = ptir.add %x, %x : tensor<?x768x?xf16, #ptir.dims<B, _, seq.len_1>>
  func.return %0 : tensor<?x768x?xf16, #ptir.dims<B, _, seq.len_1>>
}

// CHECK-LABEL: @dim_cast
func.func @dim_cast(%x: tensor<?x?x?x4xf32, #ptir.dims<A, _, C, _>>) {
  // CHECK: ptir.dim_cast %x : tensor<?x?x?x4xf32, #ptir.dims<A, _, C, _>> -> tensor<?x8x?x?xf32, #ptir.dims<B, _, _, D>>
  %0 = ptir.dim_cast %x : tensor<?x?x?x4xf32, #ptir.dims<A, _, C, _>> -> tensor<?x8x?x?xf32, #ptir.dims<B, _, _, D>>
  // CHECK: ptir.dim_cast {{.*}} -> tensor<?x8x?x4xf32>
  %1 = ptir.dim_cast %0 : tensor<?x8x?x?xf32, #ptir.dims<B, _, _, D>> -> tensor<?x8x?x4xf32>
  // What a size is known to be counts as said of every name for it.
  %2 = ptir.dim_cast %0 : tensor<?x8x?x?xf32, #ptir.dims<B, _, _, D>> -> tensor<2x8x?x4xf32>
  %3 = ptir.dim_cast %x : tensor<?x?x?x4xf32, #ptir.dims<A, _, C, _>> -> tensor<2x8x?x4xf32>
  func.return
}

// Another encoding is nobody's business.
// CHECK-LABEL: @other_encoding
// CHECK-SAME: tensor<4xf32, "sparse">
func.func @other_encoding(%x: tensor<4xf32, "sparse">) -> tensor<4xf32, "sparse"> {
  func.return %x : tensor<4xf32, "sparse">
}

func.func @callee(%a: tensor<?x?xf32, #ptir.dims<M, N>>, %b: tensor<?xf32, #ptir.dims<N>>)
    -> (tensor<?x?xf32, #ptir.dims<N, M>>, tensor<?xf32, #ptir.dims<K>>) {
  %0 = ptir.transpose %a [1, 0] : tensor<?x?xf32, #ptir.dims<M, N>> -> tensor<?x?xf32, #ptir.dims<N, M>>
  %1 = ptir.dim_cast %b : tensor<?xf32, #ptir.dims<N>> -> tensor<?xf32, #ptir.dims<K>>
  func.return %0, %1 : tensor<?x?xf32, #ptir.dims<N, M>>, tensor<?xf32, #ptir.dims<K>>
}

// A call binds the callee's names, to numbers, to names of its own (N is another one here), or to nothing.
// CHECK-LABEL: @calls
func.func @calls(%s: tensor<2x3xf32>, %t: tensor<3xf32>, %n: tensor<?x?xf32, #ptir.dims<N, X>>, %m: tensor<?xf32, #ptir.dims<X>>, %a: tensor<?x?xf32>, %b: tensor<?xf32>) {
  // CHECK: func.call @callee(%s, %t) : (tensor<2x3xf32>, tensor<3xf32>) -> (tensor<3x2xf32>, tensor<7xf32>)
  %0, %1 = func.call @callee(%s, %t) : (tensor<2x3xf32>, tensor<3xf32>) -> (tensor<3x2xf32>, tensor<7xf32>)
  // CHECK: func.call @callee(%n, %m)
  %2, %3 = func.call @callee(%n, %m) : (tensor<?x?xf32, #ptir.dims<N, X>>, tensor<?xf32, #ptir.dims<X>>) -> (tensor<?x?xf32, #ptir.dims<X, N>>, tensor<?xf32, #ptir.dims<Y>>)
  // CHECK: func.call @callee(%a, %b)
  %4, %5 = func.call @callee(%a, %b) : (tensor<?x?xf32>, tensor<?xf32>) -> (tensor<?x?xf32>, tensor<?xf32>)
  func.return
}

// What may be equal is accepted: a run decides. Of two branches only one is run, so that they may differ.
// CHECK-LABEL: @branches
func.func @branches(%p: i1, %x: tensor<?xf32, #ptir.dims<B>>) {
  "test.op"(%p) ({
    %0 = ptir.dim_cast %x : tensor<?xf32, #ptir.dims<B>> -> tensor<3xf32>
    "test.termop"() : () -> ()
  }, {
    %1 = ptir.dim_cast %x : tensor<?xf32, #ptir.dims<B>> -> tensor<4xf32>
    "test.termop"() : () -> ()
  }) : (i1) -> ()
  %2 = ptir.dim_cast %x : tensor<?xf32, #ptir.dims<B>> -> tensor<5xf32>
  func.return
}
}
