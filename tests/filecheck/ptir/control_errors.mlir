// RUN: ptir-opt %s --split-input-file --verify-diagnostics

func.func @f(%p: tensor<1xi1>, %a: tensor<f32>) {
  // expected-error@+1 {{the predicate has shape [1], expected []}}
  %r = "ptir.cond"(%p, %a) ({
  ^bb0(%x: tensor<f32>):
    ptir.yield %x : tensor<f32>
  }, {
  ^bb0(%x: tensor<f32>):
    ptir.yield %x : tensor<f32>
  }) : (tensor<1xi1>, tensor<f32>) -> tensor<f32>
  func.return
}

// -----

func.func @f(%p: tensor<i8>, %a: tensor<f32>) {
  // expected-error@+1 {{the predicate has element type i8, expected i1}}
  %r = "ptir.cond"(%p, %a) ({
  ^bb0(%x: tensor<f32>):
    ptir.yield %x : tensor<f32>
  }, {
  ^bb0(%x: tensor<f32>):
    ptir.yield %x : tensor<f32>
  }) : (tensor<i8>, tensor<f32>) -> tensor<f32>
  func.return
}

// -----

func.func @f(%p: tensor<i1>, %a: tensor<4xf32>) {
  // expected-error@+1 {{the parameters of 'then': got (tensor<4xf16>), expected (tensor<4xf32>)}}
  %r = ptir.cond %p (%a) : (tensor<4xf32>) -> tensor<4xf16> then (%x: tensor<4xf16>) {
    ptir.yield %x : tensor<4xf16>
  } else (%y) {
    %0 = ptir.cast %y : tensor<4xf32> -> tensor<4xf16>
    ptir.yield %0 : tensor<4xf16>
  }
  func.return
}

// -----

func.func @f(%p: tensor<i1>, %a: tensor<4xf32>) {
  // expected-error@+1 {{the parameters of 'else': got (), expected (tensor<4xf32>)}}
  %r = ptir.cond %p (%a) : (tensor<4xf32>) -> tensor<4xf32> then (%x) {
    ptir.yield %x : tensor<4xf32>
  } else {
    %0 = ptir.constant dense<1.0> : tensor<4xf32>
    ptir.yield %0 : tensor<4xf32>
  }
  func.return
}

// -----

func.func @f(%p: tensor<i1>, %a: tensor<4xf32>) {
  // expected-note@+1 {{of this op}}
  %r = ptir.cond %p (%a) : (tensor<4xf32>) -> tensor<4xf32> then (%x) {
    ptir.yield %x : tensor<4xf32>
  } else (%y) {
    // expected-error@+1 {{the results of 'else': got (tensor<4xf32>, tensor<4xf32>), expected (tensor<4xf32>)}}
    ptir.yield %y, %y : tensor<4xf32>, tensor<4xf32>
  }
  func.return
}

// -----

// Names of dimensions are part of the type.
func.func @f(%p: tensor<i1>, %a: tensor<?xf32, #ptir.dims<B>>) {
  // expected-note@+1 {{of this op}}
  %r = ptir.cond %p (%a) : (tensor<?xf32, #ptir.dims<B>>) -> tensor<?xf32> then (%x) {
    // expected-error@+1 {{the results of 'then': got (tensor<?xf32, #ptir.dims<B>>), expected (tensor<?xf32>)}}
    ptir.yield %x : tensor<?xf32, #ptir.dims<B>>
  } else (%y) {
    %0 = ptir.dim_cast %y : tensor<?xf32, #ptir.dims<B>> -> tensor<?xf32>
    ptir.yield %0 : tensor<?xf32>
  }
  func.return
}

// -----

func.func @f(%p: tensor<i1>) {
  // expected-error@+1 {{the end of 'then': got test.termop, expected ptir.yield}}
  ptir.cond %p : () -> () then {
    "test.termop"() : () -> ()
  } else {
    ptir.yield
  }
  func.return
}

// -----

func.func @f(%p: tensor<i1>) {
  // expected-error@+1 {{'ptir.cond' has an empty block where a terminator is expected}}
  "ptir.cond"(%p) ({
    ptir.yield
  }, {
  ^bb0:
  }) : (tensor<i1>) -> ()
  func.return
}

// -----

// A region sees nothing from outside.
// expected-note@+2 {{defined here}}
// expected-note@+1 {{defined here}}
func.func @f(%p: tensor<i1>, %a: tensor<f32>) {
  %r = ptir.cond %p : () -> tensor<f32> then {
    // expected-error@+1 {{operand #0 is defined outside of 'ptir.cond', which is isolated from above}}
    ptir.yield %a : tensor<f32>
  } else {
    // expected-error@+1 {{operand #0 is defined outside of 'ptir.cond', which is isolated from above}}
    ptir.yield %a : tensor<f32>
  }
  func.return
}

// -----

func.func private @g(tensor<f32>) -> tensor<f32>
func.func @f(%p: tensor<i1>, %a: tensor<f32>) {
  %r = ptir.cond %p (%a) : (tensor<f32>) -> tensor<f32> then (%x) {
    // expected-error@+1 {{'func.call' is not allowed in a region of 'ptir.cond': it is not known to be pure}}
    %y = func.call @g(%x) : (tensor<f32>) -> tensor<f32>
    ptir.yield %y : tensor<f32>
  } else (%x2) {
    ptir.yield %x2 : tensor<f32>
  }
  func.return
}

// -----

func.func @f(%a: tensor<f32>) {
  // expected-error@+1 {{'ptir.yield' must end a region of a ptir op, but its parent is 'func.func'}}
  ptir.yield %a : tensor<f32>
}

// -----

func.func @f(%a: tensor<f32>) {
  // expected-error@+1 {{the results: got (tensor<1xf32>), expected (tensor<f32>)}}
  %r = ptir.while (%a) : (tensor<f32>) -> tensor<1xf32> cond (%x) {
    %p = ptir.constant dense<false> : tensor<i1>
    ptir.yield %p, %x : tensor<i1>, tensor<f32>
  } do (%y) {
    ptir.yield %y : tensor<f32>
  }
  func.return
}

// -----

func.func @f(%a: tensor<f32>) {
  // expected-note@+1 {{of this op}}
  %r = ptir.while (%a) : (tensor<f32>) -> tensor<f32> cond (%x) {
    // expected-error@+1 {{the results of 'cond': got (tensor<f32>), expected (tensor<i1>, tensor<f32>)}}
    ptir.yield %x : tensor<f32>
  } do (%y) {
    ptir.yield %y : tensor<f32>
  }
  func.return
}

// -----

func.func @f(%a: tensor<f32>) {
  // expected-error@+1 {{the parameters of 'cond': got (tensor<f64>), expected (tensor<f32>)}}
  %r = ptir.while (%a) : (tensor<f32>) -> tensor<f32> cond (%x: tensor<f64>) {
    %p = ptir.constant dense<false> : tensor<i1>
    %z = ptir.cast %x : tensor<f64> -> tensor<f32>
    ptir.yield %p, %z : tensor<i1>, tensor<f32>
  } do (%y) {
    ptir.yield %y : tensor<f32>
  }
  func.return
}

// -----

func.func @f(%a: tensor<f32>) {
  // expected-note@+1 {{of this op}}
  %r = ptir.while (%a) : (tensor<f32>) -> tensor<f32> cond (%x) {
    %p = ptir.constant dense<false> : tensor<i1>
    ptir.yield %p, %x : tensor<i1>, tensor<f32>
  } do (%y) {
    // expected-error@+1 {{the results of 'do': got (), expected (tensor<f32>)}}
    ptir.yield
  }
  func.return
}

// -----

func.func @f(%a: tensor<f32>) {
  // expected-error@+1 {{ptir.scan takes one or more scanned operands, got 0}}
  %r = ptir.scan (%a) : (tensor<f32>) -> tensor<f32> do (%x) {
    ptir.yield %x : tensor<f32>
  }
  func.return
}

// -----

func.func @f(%a: tensor<f32>) {
  // expected-error@+1 {{a scanned input has rank 0, expected at least 1: a scan steps along the leading axis}}
  %r = ptir.scan over (%a) : (tensor<f32>) -> tensor<1xf32> do (%x) {
    ptir.yield %x : tensor<f32>
  }
  func.return
}

// -----

func.func @f(%a: tensor<3xf32>, %b: tensor<4xf32>) {
  // expected-error@+1 {{a scanned input has shape [4], expected [3]}}
  ptir.scan over (%a, %b) : (tensor<3xf32>, tensor<4xf32>) -> () do (%x, %y) {
    ptir.yield
  }
  func.return
}

// -----

// `?` may be 3 and N may be 3, but M is not N.
func.func @f(%a: tensor<?xf32>, %b: tensor<?xf32, #ptir.dims<N>>, %c: tensor<?xf32, #ptir.dims<M>>) {
  // expected-error@+1 {{a scanned input has shape [M], expected [N]}}
  ptir.scan over (%a, %b, %c) : (tensor<?xf32>, tensor<?xf32, #ptir.dims<N>>, tensor<?xf32, #ptir.dims<M>>) -> () do (%x, %y, %z) {
    ptir.yield
  }
  func.return
}

// -----

func.func @f(%a: tensor<3xf32>) {
  // expected-error@+1 {{a stacked result has shape [4], expected [3]}}
  %r = ptir.scan over (%a) : (tensor<3xf32>) -> tensor<4xf32> do (%x) {
    ptir.yield %x : tensor<f32>
  }
  func.return
}

// -----

func.func @f(%a: tensor<3xf32>) {
  // expected-error@+1 {{a stacked result has element type f16, expected f32}}
  %r = ptir.scan over (%a) : (tensor<3xf32>) -> tensor<3xf16> do (%x) {
    ptir.yield %x : tensor<f32>
  }
  func.return
}

// -----

func.func @f(%a: tensor<3x2xf32>) {
  // expected-error@+1 {{the parameters of 'do': got (tensor<3xf32>), expected (tensor<2xf32>)}}
  %r = ptir.scan over (%a) : (tensor<3x2xf32>) -> tensor<3x3xf32> do (%x: tensor<3xf32>) {
    ptir.yield %x : tensor<3xf32>
  }
  func.return
}

// -----

func.func @f(%c: tensor<f32>, %a: tensor<3xf32>) {
  // expected-note@+1 {{of this op}}
  %r = ptir.scan (%c) over (%a) : (tensor<f32>, tensor<3xf32>) -> tensor<f32> do (%s, %x) {
    // expected-error@+1 {{the results of 'do': got (), expected (tensor<f32>)}}
    ptir.yield
  }
  func.return
}

// -----

func.func @f(%c: tensor<f32>, %a: tensor<3xf32>) {
  // expected-error@+1 {{the carried results: got (tensor<f64>), expected (tensor<f32>)}}
  %r = ptir.scan (%c) over (%a) : (tensor<f32>, tensor<3xf32>) -> tensor<f64> do (%s, %x) {
    ptir.yield %s : tensor<f32>
  }
  func.return
}

// -----

func.func @f(%c: tensor<f32>, %a: tensor<3xf32>) {
  %r = ptir.scan (%c) over (%a) : (tensor<f32>, tensor<3xf32>) -> tensor<f32> do (%s, %x) {
    // expected-error@+1 {{the end of a scan takes 1 operand, got 2}}
    ptir.yield %s, %x : tensor<f32>, tensor<f32>
  }
  func.return
}

// -----

func.func @f(%c: tensor<f32>, %a: tensor<3xf32>) {
  // expected-error@+1 {{expected a function type: (the types of 2 operands) -> result types}}
  %r = ptir.scan (%c) over (%a) : (tensor<f32>) -> tensor<f32> do (%s, %x) {
    ptir.yield %s : tensor<f32>
  }
  func.return
}

// -----

func.func @f(%p: tensor<i1>) {
  // expected-error@+1 {{this parameter has no type, and there are only 0 operands}}
  %r = ptir.cond %p : () -> tensor<f32> then (%x) {
    ptir.yield %x : tensor<f32>
  } else {
    ptir.yield
  }
  func.return
}
