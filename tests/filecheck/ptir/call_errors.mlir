// RUN: ptir-opt %s --split-input-file --verify-diagnostics

// A namespace, a name and a version.

func.func @f() {
  // expected-error@+1 {{'target' is 'softmax'}}
  ptir.custom_call "softmax"() : () -> ()
  // expected-error@+1 {{'target' is 'softmax.v1'}}
  ptir.custom_call "softmax.v1"() : () -> ()
  // expected-error@+1 {{'target' is 'acme.softmax'}}
  ptir.custom_call "acme.softmax"() : () -> ()
  // expected-error@+1 {{'target' is 'acme.softmax.v'}}
  ptir.custom_call "acme.softmax.v"() : () -> ()
  // expected-error@+1 {{'target' is 'acme.softmax.v01'}}
  ptir.custom_call "acme.softmax.v01"() : () -> ()
  // expected-error@+1 {{'target' is 'acme..v1'}}
  ptir.custom_call "acme..v1"() : () -> ()
  // expected-error@+1 {{'target' is 'acme.soft max.v1'}}
  ptir.custom_call "acme.soft max.v1"() : () -> ()
  // expected-error@+1 {{'target' is 'acme.softmax.v1.fast'}}
  ptir.custom_call "acme.softmax.v1.fast"() : () -> ()
  func.return
}

// -----

// Only the kinds of attributes that the contract has.

func.func @f() {
  // expected-error@+1 {{'n' is 1 : i32}}
  ptir.custom_call "acme.softmax.v1"() {n = 1 : i32} : () -> ()
  // expected-error@+1 {{'x' is 1.000000e+00 : f32}}
  ptir.custom_call "acme.softmax.v1"() {ok = 1 : i64, x = 1.0 : f32} : () -> ()
  // expected-error@+1 {{'t' is f32}}
  ptir.custom_call "acme.softmax.v1"() {t = f32} : () -> ()
  // expected-error@+1 {{'u' is unit}}
  ptir.custom_call "acme.softmax.v1"() {u} : () -> ()
  // expected-error@+1 {{'mixed' is [1 : i64, 1.000000e+00 : f64]}}
  ptir.custom_call "acme.softmax.v1"() {mixed = [1, 1.0 : f64]} : () -> ()
  // expected-error@+1 {{'bits' is [true, 1 : i64]}}
  ptir.custom_call "acme.softmax.v1"() {bits = [true, 1]} : () -> ()
  // expected-error@+1 {{'deep' is [[1 : i64]]}}
  ptir.custom_call "acme.softmax.v1"() {deep = [[1]]} : () -> ()
  // expected-error@+1 {{'d' is array<i64: 1>}}
  ptir.custom_call "acme.softmax.v1"() {d = array<i64: 1>} : () -> ()
  func.return
}

// -----

func.func @f(%x: i32) {
  // expected-error@+1 {{'ptir.custom_call' operand 'inputs' at position 0 does not verify: i32 should be of base attribute tensor}}
  ptir.custom_call "acme.softmax.v1"(%x) : (i32) -> ()
  func.return
}

// -----

func.func @f(%x: tensor<f32>) {
  // expected-error@+1 {{expected a function type: (the types of 1 operand) -> result types}}
  ptir.custom_call "acme.softmax.v1"(%x) : () -> ()
  func.return
}

// -----

func.func @f(%x: tensor<2x8xi32>, %g: tensor<8xi32>) {
  // expected-error@+1 {{the element type is i32; ptir.layer_norm is defined on floats}}
  %0 = ptir.layer_norm %x, %g, %g axis 1 epsilon 1.0e-05 : tensor<2x8xi32>, tensor<8xi32>
  func.return
}

// -----

func.func @f(%x: tensor<2x8xf32>, %g: tensor<8xf32>) {
  // expected-error@+1 {{axis 2 is out of range for rank 2}}
  %0 = ptir.layer_norm %x, %g, %g axis 2 epsilon 1.0e-05 : tensor<2x8xf32>, tensor<8xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x8xf32>, %g: tensor<8xf32>) {
  // expected-error@+1 {{gamma has shape [8], expected [2]}}
  %0 = ptir.layer_norm %x, %g, %g axis -2 epsilon 1.0e-05 : tensor<2x8xf32>, tensor<8xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x8xf32>, %g: tensor<8xf16>) {
  // expected-error@+1 {{gamma has element type f16, expected f32}}
  %0 = ptir.layer_norm %x, %g, %g axis 1 epsilon 1.0e-05 : tensor<2x8xf32>, tensor<8xf16>
  func.return
}

// -----

func.func @f(%x: tensor<2x8xf32>, %g: tensor<8xf32>, %b: tensor<1xf32>) {
  // expected-error@+1 {{attribute tensor<8xf32> expected from variable 'F', but got tensor<1xf32>}}
  %0 = "ptir.layer_norm"(%x, %g, %b) <{feature_axis = 1 : i64, epsilon = 1.0e-05 : f64}> : (tensor<2x8xf32>, tensor<8xf32>, tensor<1xf32>) -> tensor<2x8xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x8xf32>, %g: tensor<8xf32>) {
  // expected-error@+1 {{attribute tensor<2x8xf32> expected from variable 'T', but got tensor<2x4xf32>}}
  %0 = "ptir.layer_norm"(%x, %g, %g) <{feature_axis = 1 : i64, epsilon = 1.0e-05 : f64}> : (tensor<2x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x4xf32>
  func.return
}

// -----

func.func @f(%x: tensor<2x8xf32>, %g: tensor<8xf32>) {
  // expected-error@+1 {{'epsilon' is -1.0}}
  %0 = ptir.layer_norm %x, %g, %g axis 1 epsilon -1.0 : tensor<2x8xf32>, tensor<8xf32>
  // expected-error@+1 {{'epsilon' is nan}}
  %1 = "ptir.layer_norm"(%x, %g, %g) <{feature_axis = 1 : i64, epsilon = 0x7FF8000000000000 : f64}> : (tensor<2x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x8xf32>
  func.return
}

// -----

func.func @f() {
  // expected-error@+1 {{the element type is i32; ptir.rng_uniform is defined on floats}}
  %0 = ptir.rng_uniform : tensor<2xi32>
  // expected-error@+1 {{the element type is complex<f32>; ptir.rng_normal is defined on floats}}
  %1 = ptir.rng_normal : tensor<2xcomplex<f32>>
  func.return
}

// -----

func.func @f(%s: tensor<ui64>) {
  // expected-error@+1 {{'ptir.rng_normal from' is an extension of PTIR v0.4}}
  %0 = ptir.rng_normal from %s : tensor<2xf32>
  func.return
}

// -----

builtin.module attributes {ptir.extensions} {
func.func @f(%s: tensor<ui64>, %i: tensor<si64>) {
  // expected-error@+1 {{'seed' is given twice}}
  %0 = ptir.rng_uniform seed 1 from %s : tensor<2xf32>
  // expected-error@+1 {{Expected attribute tensor<ui64> but got tensor<si64>}}
  %1 = "ptir.rng_uniform"(%i) : (tensor<si64>) -> tensor<2xf32>
  func.return
}
}
