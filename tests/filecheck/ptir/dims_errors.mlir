// RUN: ptir-opt %s --split-input-file --verify-diagnostics

// The encoding and its tensor, wherever a type stands.

// expected-error@+1 {{tensor<?x4xf32, #ptir.dims<B>>: 1 name for 2 dimensions}}
func.func private @too_few(tensor<?x4xf32, #ptir.dims<B>>)

// -----

// expected-error@+1 {{tensor<?xf32, #ptir.dims<B, C>>: 2 names for 1 dimension}}
func.func private @too_many_in_a_result() -> tensor<?xf32, #ptir.dims<B, C>>

// -----

// expected-error@+1 {{tensor<4x?xf32, #ptir.dims<A, B>>: dimension 0 is 4 and is named A}}
func.func @static(%x: tensor<4x?xf32, #ptir.dims<A, B>>) {
  func.return
}

// -----

// expected-error@+1 {{tensor<?x?xf32, #ptir.dims<_, _>>: no dimension has a name}}
func.func private @nothing(tensor<?x?xf32, #ptir.dims<_, _>>)

// -----

func.func @in_a_tuple(%x: tensor<?xf32>) {
  // expected-error@+1 {{tensor<f32, #ptir.dims<>>: no dimension has a name}}
  %0 = "test.op"(%x) : (tensor<?xf32>) -> tuple<i32, tuple<tensor<f32, #ptir.dims<>>>>
  func.return
}

// -----

func.func @in_a_region() {
  // expected-error@+1 {{tensor<4xf32, #ptir.dims<B>>: dimension 0 is 4 and is named B}}
  "test.op"() ({
  ^bb0(%x: tensor<4xf32, #ptir.dims<B>>):
    "test.termop"() : () -> ()
  }) : () -> ()
  func.return
}

// -----

func.func @in_a_property() {
  // expected-error@+1 {{tensor<?xf32, #ptir.dims<A, B>>: 2 names for 1 dimension}}
  "test.op"() <{type = tensor<?xf32, #ptir.dims<A, B>>}> : () -> ()
  func.return
}

// -----

// expected-error@+1 {{expected}}
func.func private @no_identifier(tensor<?xf32, #ptir.dims<3>>)

// -----

// dim_cast

func.func @ranks(%x: tensor<?xf32>) {
  // expected-error@+1 {{the result has rank 2, expected 1}}
  %0 = ptir.dim_cast %x : tensor<?xf32> -> tensor<?x?xf32>
  func.return
}

// -----

func.func @elements(%x: tensor<?xf32>) {
  // expected-error@+1 {{the result has element type f16, expected f32}}
  %0 = ptir.dim_cast %x : tensor<?xf32> -> tensor<4xf16>
  func.return
}

// -----

func.func @numbers(%x: tensor<?x3xf32>) {
  // expected-error@+1 {{dimension 1: 3 and 4 are known to differ}}
  %0 = ptir.dim_cast %x : tensor<?x3xf32> -> tensor<?x4xf32>
  func.return
}

// -----

// What is known of the names of a function.

func.func @twice(%x: tensor<?xf32, #ptir.dims<B>>) {
  // expected-note@+1 {{B is 3 here}}
  %0 = ptir.dim_cast %x : tensor<?xf32, #ptir.dims<B>> -> tensor<3xf32>
  // expected-error@+1 {{dimension 0: B = 3 and 4 are known to differ}}
  %1 = ptir.dim_cast %x : tensor<?xf32, #ptir.dims<B>> -> tensor<4xf32>
  func.return
}

// -----

func.func @through_another_name(%x: tensor<?xf32, #ptir.dims<A>>, %y: tensor<?xf32, #ptir.dims<B>>) {
  %0 = ptir.dim_cast %x : tensor<?xf32, #ptir.dims<A>> -> tensor<?xf32, #ptir.dims<B>>
  // expected-note@+1 {{B is 3 here}}
  %1 = ptir.dim_cast %x : tensor<?xf32, #ptir.dims<A>> -> tensor<3xf32>
  // expected-error@+1 {{dimension 0: B = 3 and 4 are known to differ}}
  %2 = ptir.dim_cast %y : tensor<?xf32, #ptir.dims<B>> -> tensor<4xf32>
  func.return
}

// -----

// Names have the scope of their function, regions included; other functions have others.

func.func @outside(%x: tensor<?xf32, #ptir.dims<B>>) {
  // expected-note@+1 {{B is 3 here}}
  %0 = ptir.dim_cast %x : tensor<?xf32, #ptir.dims<B>> -> tensor<3xf32>
  "test.op"() ({
    // expected-error@+1 {{B = 3 and 4 are known to differ}}
    %1 = ptir.dim_cast %x : tensor<?xf32, #ptir.dims<B>> -> tensor<4xf32>
    "test.termop"() : () -> ()
  }) : () -> ()
  func.return
}

func.func @in_a_branch(%p: tensor<i1>, %x: tensor<?xf32, #ptir.dims<B>>) {
  // expected-note@+1 {{B is 3 here}}
  %0 = ptir.dim_cast %x : tensor<?xf32, #ptir.dims<B>> -> tensor<3xf32>
  %1 = ptir.cond %p (%x) : (tensor<?xf32, #ptir.dims<B>>) -> tensor<4xf32> then (%y) {
    // expected-error@+1 {{B = 3 and 4 are known to differ}}
    %2 = ptir.dim_cast %y : tensor<?xf32, #ptir.dims<B>> -> tensor<4xf32>
    ptir.yield %2 : tensor<4xf32>
  } else (%y) {
    %3 = ptir.dim_cast %y : tensor<?xf32, #ptir.dims<B>> -> tensor<?xf32>
    %4 = ptir.dim_cast %3 : tensor<?xf32> -> tensor<4xf32>
    ptir.yield %4 : tensor<4xf32>
  }
  func.return
}

func.func @another(%x: tensor<?xf32, #ptir.dims<B>>) {
  %0 = ptir.dim_cast %x : tensor<?xf32, #ptir.dims<B>> -> tensor<5xf32>
  func.return
}

// -----

func.func @other_names_differ(%x: tensor<?x2xf32, #ptir.dims<B, _>>) {
  // expected-error@+1 {{the result has shape [C, 2], expected [B, 2]}}
  %0 = ptir.cast %x : tensor<?x2xf32, #ptir.dims<B, _>> -> tensor<?x2xf16, #ptir.dims<C, _>>
  func.return
}

// -----

func.func @across_ops(%x: tensor<?x?xf32, #ptir.dims<B, C>>) {
  // expected-note@+1 {{C is 3 here}}
  %0 = ptir.cast %x : tensor<?x?xf32, #ptir.dims<B, C>> -> tensor<2x3xf16>
  // expected-error@+1 {{the result: 4 and C = 3 are known to differ}}
  %1 = ptir.cast %x : tensor<?x?xf32, #ptir.dims<B, C>> -> tensor<2x4xf16>
  func.return
}

// -----

func.func @in_a_contraction(%x: tensor<2x?xf32, #ptir.dims<_, B>>, %w: tensor<?x4xf32>, %v: tensor<4x2xf32>) {
  // expected-note@+2 {{B is 3 here}}
  // expected-note@+1 {{B is 3 here}}
  %0 = ptir.dim_cast %x : tensor<2x?xf32, #ptir.dims<_, B>> -> tensor<2x3xf32>
  // expected-error@+1 {{rhs (contract axis 0): 4 and B = 3 are known to differ}}
  %1 = ptir.dot_general %x, %v contract [1] x [0] : (tensor<2x?xf32, #ptir.dims<_, B>>, tensor<4x2xf32>) -> tensor<2x2xf32>
  // expected-error@+1 {{rhs (batch axis 0): 4 and B = 3 are known to differ}}
  %2 = ptir.dot_general %x, %v batch [1] x [0] contract [0] x [1] : (tensor<2x?xf32, #ptir.dims<_, B>>, tensor<4x2xf32>) -> tensor<?xf32, #ptir.dims<B>>
  %3 = ptir.dot_general %x, %w contract [1] x [0] : (tensor<2x?xf32, #ptir.dims<_, B>>, tensor<?x4xf32>) -> tensor<2x4xf32>
  func.return
}

// -----

// Calls

// expected-note@+2 {{the signature}}
// expected-note@+1 {{the signature}}
func.func @f(%a: tensor<?xf32, #ptir.dims<N>>, %b: tensor<?xf32, #ptir.dims<N>>) -> tensor<?xf32, #ptir.dims<N>> {
  func.return %a : tensor<?xf32, #ptir.dims<N>>
}
func.func @numbers(%x: tensor<3xf32>, %y: tensor<4xf32>) {
  // expected-error@+1 {{operand 1 of the call of @f (N of its signature): 3 and 4 are known to differ}}
  %0 = func.call @f(%x, %y) : (tensor<3xf32>, tensor<4xf32>) -> tensor<3xf32>
  func.return
}
func.func @names(%x: tensor<?xf32, #ptir.dims<B>>, %y: tensor<?xf32, #ptir.dims<C>>) {
  // expected-error@+1 {{operand 1 of the call of @f (N of its signature): B and C are known to differ}}
  %0 = func.call @f(%x, %y) : (tensor<?xf32, #ptir.dims<B>>, tensor<?xf32, #ptir.dims<C>>) -> tensor<?xf32>
  func.return
}

// -----

// expected-note@+1 {{the signature}}
func.func private @f(tensor<?xf32, #ptir.dims<N>>) -> tensor<?xf32, #ptir.dims<N>>
func.func @result(%x: tensor<?xf32>, %y: tensor<4xf32>) {
  %0 = func.call @f(%x) : (tensor<?xf32>) -> tensor<4xf32>
  // expected-error@+1 {{result 0 of the call of @f (N of its signature): 4 and 3 are known to differ}}
  %1 = func.call @f(%y) : (tensor<4xf32>) -> tensor<3xf32>
  func.return
}

// -----

// expected-note@+1 {{the signature}}
func.func private @f(tuple<tensor<4x?xf32>>)
func.func @static(%x: tuple<tensor<5x?xf32>>) {
  // expected-error@+1 {{operand 0 of the call of @f: 4 and 5 are known to differ}}
  func.call @f(%x) : (tuple<tensor<5x?xf32>>) -> ()
  func.return
}

// -----

// expected-note@+1 {{the signature}}
func.func private @f(tensor<?xf32, #ptir.dims<N>>, tensor<?xf32, #ptir.dims<N>>, tensor<?xf32, #ptir.dims<N>>)
func.func @around_an_unknown_size(%x: tensor<3xf32>, %y: tensor<?xf32>, %z: tensor<4xf32>) {
  // expected-error@+1 {{operand 2 of the call of @f (N of its signature): 3 and 4 are known to differ}}
  func.call @f(%x, %y, %z) : (tensor<3xf32>, tensor<?xf32>, tensor<4xf32>) -> ()
  func.return
}

// -----

// A name that was bound to a number on the way binds what it is called with.

func.func private @f(tensor<?xf32, #ptir.dims<N>>, tensor<?xf32, #ptir.dims<N>>)
func.func @through_a_call(%x: tensor<?xf32, #ptir.dims<B>>, %y: tensor<4xf32>) {
  // expected-note@+1 {{B is 4 here}}
  func.call @f(%x, %y) : (tensor<?xf32, #ptir.dims<B>>, tensor<4xf32>) -> ()
  // expected-error@+1 {{dimension 0: B = 4 and 5 are known to differ}}
  %0 = ptir.dim_cast %x : tensor<?xf32, #ptir.dims<B>> -> tensor<5xf32>
  func.return
}

// -----

func.func private @f(tensor<?xf32, #ptir.dims<N>>)
func.func @types(%x: tensor<?xf16>, %y: tensor<?x?xf32>, %z: i32) {
  // expected-error@+1 {{operand 0 has type tensor<?xf16>, expected tensor<?xf32, #ptir.dims<N>>}}
  func.call @f(%x) : (tensor<?xf16>) -> ()
  // expected-error@+1 {{operand 0 has type tensor<?x?xf32>, expected tensor<?xf32, #ptir.dims<N>>}}
  func.call @f(%y) : (tensor<?x?xf32>) -> ()
  // expected-error@+1 {{operand 0 has type i32, expected tensor<?xf32, #ptir.dims<N>>}}
  func.call @f(%z) : (i32) -> ()
  func.return
}

// -----

func.func private @f(tensor<?xf32, #ptir.dims<N>>)
func.func @counts(%x: tensor<?xf32>) {
  // expected-error@+1 {{'func.call' incorrect number of operands for callee}}
  func.call @f() : () -> ()
  // expected-error@+1 {{'func.call' incorrect number of results for callee}}
  %0 = func.call @f(%x) : (tensor<?xf32>) -> tensor<?xf32>
  // expected-error@+1 {{'func.call' '@nobody' could not be found in symbol table}}
  func.call @nobody() : () -> ()
  func.return
}

// -----

// The attributes of a module

// expected-error@+1 {{the module is written in ptir.v0.3, but this compiler reads ptir.v0.4}}
builtin.module attributes {ptir.spec_version = "ptir.v0.3"} {
}

// -----

// expected-error@+1 {{the module is written in 4 : i64, but this compiler reads ptir.v0.4}}
builtin.module attributes {ptir.spec_version = 4 : i64} {
}

// -----

// expected-error@+1 {{'ptir.spec_version' is set on func.func}}
func.func private @f() attributes {ptir.spec_version = "ptir.v0.4"}

// -----

// expected-error@+1 {{'ptir.extensions' is set on func.func}}
func.func private @f() attributes {ptir.extensions}

// -----

// expected-error@+1 {{'ptir.extensions' has the value true}}
builtin.module attributes {ptir.extensions = true} {
}

// -----

// expected-error@+1 {{'ptir.entry' is set on func.func}}
func.func private @f() attributes {ptir.entry = "f"}

// -----

// expected-error@+1 {{'ptir.entry' is "g"}}
builtin.module attributes {ptir.entry = "g"} {
  func.func @f() {
    func.return
  }
  func.func private @g()
}

// -----

// expected-error@+1 {{'ptir.entry' is unit}}
builtin.module attributes {ptir.entry} {
  func.func @f() {
    func.return
  }
}
