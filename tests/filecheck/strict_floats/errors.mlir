// RUN: ptir-opt %s --split-input-file --verify-diagnostics

// Ops whose meaning does not specify every rounding are refused.

// expected-error@+1 {{'ptir.strict_floats' has the value 1 : i64}}
builtin.module attributes {ptir.strict_floats = 1} {
}

// -----

// expected-error@+1 {{'ptir.strict_floats' is set on func.func}}
func.func @f() attributes {ptir.strict_floats} {
  func.return
}

// -----

builtin.module attributes {ptir.strict_floats} {
  func.func @f(%x: tensor<4xf64>) -> tensor<4xf64> {
    // expected-error@+1 {{'ptir.exp' has no strict meaning: exp of f64 is not correctly rounded}}
    %0 = ptir.exp %x : tensor<4xf64>
    func.return %0 : tensor<4xf64>
  }
}

// -----

builtin.module attributes {ptir.strict_floats} {
  func.func @f(%x: tensor<4xf8E5M2>) -> tensor<4xf8E5M2> {
    // expected-error@+1 {{'tiny.unary' has no strict meaning: silu of f8E5M2 is not correctly rounded}}
    %0 = tiny.unary silu %x : tensor<4xf8E5M2> -> tensor<4xf8E5M2>
    func.return %0 : tensor<4xf8E5M2>
  }
}

// -----

builtin.module attributes {ptir.strict_floats} {
  func.func @f(%x: tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>> {
    // expected-error@+1 {{'ptir.mul' has no strict meaning: arithmetic of complex numbers takes several roundings}}
    %0 = ptir.mul %x, %x : tensor<4xcomplex<f32>>
    func.return %0 : tensor<4xcomplex<f32>>
  }
}

// -----

builtin.module attributes {ptir.strict_floats} {
  func.func @f(%x: tensor<4xcomplex<f32>>) -> tensor<complex<f32>> {
    // expected-error@+1 {{'ptir.reduce' has no strict meaning: arithmetic of complex numbers takes several roundings}}
    %0 = ptir.reduce sum %x axes [0] : tensor<4xcomplex<f32>> -> tensor<complex<f32>>
    func.return %0 : tensor<complex<f32>>
  }
}

// -----

builtin.module attributes {ptir.strict_floats} {
  func.func @f(%x: tensor<4xcomplex<f32>>) -> tensor<complex<f32>> {
    // expected-error@+1 {{'ptir.dot_general' has no strict meaning: arithmetic of complex numbers takes several roundings}}
    %0 = ptir.dot_general %x, %x contract [0] x [0] : (tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>) -> tensor<complex<f32>>
    func.return %0 : tensor<complex<f32>>
  }
}

// -----

builtin.module attributes {ptir.strict_floats} {
  func.func @f(%x: tensor<4xbf16>) -> tensor<bf16> {
    // expected-error@+1 {{it accumulates products of bf16 and bf16 in bf16, which rounds twice}}
    %0 = ptir.dot_general %x, %x contract [0] x [0] accum bf16 : (tensor<4xbf16>, tensor<4xbf16>) -> tensor<bf16>
    func.return %0 : tensor<bf16>
  }
}

// -----

builtin.module attributes {ptir.strict_floats} {
  func.func @f(%x: tensor<4xf32>) -> tensor<f32> {
    %0 = tiny.unary cast %x : tensor<4xf32> -> tensor<4xf64>
    // expected-error@+1 {{it adds f64 to f32, which is no fused multiply-add}}
    %1 = tiny.reduce sum %0 axes [0] accum f32 : tensor<4xf64> -> tensor<f32>
    func.return %1 : tensor<f32>
  }
}

// -----

// The product is also stored, in which case a kernel would add the stored numbers.
builtin.module attributes {ptir.strict_floats} {
  func.func @f(%x: tensor<4xf32>) -> (tensor<f32>, tensor<4xf64>) {
    %0 = tiny.unary cast %x : tensor<4xf32> -> tensor<4xf64>
    %1 = tiny.binary mul %0, %0 : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
    // expected-error@+1 {{it adds f64 to f32, which is no fused multiply-add}}
    %2 = tiny.reduce sum %1 axes [0] accum f32 : tensor<4xf64> -> tensor<f32>
    func.return %2, %1 : tensor<f32>, tensor<4xf64>
  }
}

// -----

builtin.module attributes {ptir.strict_floats} {
  func.func @f(%x: tensor<4xf32>, %i: tensor<2x1xsi32>, %u: tensor<2xf32>) -> tensor<4xf32> {
    // expected-error@+1 {{'ptir.scatter_add' has no strict meaning: the order of its sums depends on data}}
    %0 = ptir.scatter_add %x, %i, %u update_window_dims [] inserted_window_dims [0] scatter_dims_to_operand_dims [0] index_vector_dim 1 : tensor<4xf32>, tensor<2x1xsi32>, tensor<2xf32>
    func.return %0 : tensor<4xf32>
  }
}

// -----

builtin.module attributes {ptir.strict_floats} {
  func.func @f() -> tensor<4xf32> {
    // expected-error@+1 {{'ptir.rng_normal' has no strict meaning: the contract does not say in which steps it is computed}}
    %0 = ptir.rng_normal seed 1 : tensor<4xf32>
    func.return %0 : tensor<4xf32>
  }
}

// -----

builtin.module attributes {ptir.strict_floats} {
  func.func @f(%x: tensor<2x4xf32>, %g: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<2x4xf32> {
    // expected-error@+1 {{'ptir.layer_norm' has no strict meaning: the contract does not say in which steps it is computed}}
    %0 = ptir.layer_norm %x, %g, %b axis 1 epsilon 1.0e-05 : tensor<2x4xf32>, tensor<4xf32>
    func.return %0 : tensor<2x4xf32>
  }
}
