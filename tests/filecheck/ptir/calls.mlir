// RUN: ptir-opt %s | filecheck %s
// RUN: ptir-opt %s --print-op-generic | ptir-opt | filecheck %s
// RUN: ptir-opt %s --print-op-generic | filecheck %s --check-prefix GENERIC

// Custom calls, layer normalisation, random numbers.

builtin.module attributes {ptir.extensions} {
// CHECK-LABEL: @custom_call
func.func @custom_call(%x: tensor<8xf32>, %y: tensor<?xsi4>) {
  // CHECK: ptir.custom_call "gpt_rs.faer.conv2d.nhwc.f32.v1"(%x, %y) : (tensor<8xf32>, tensor<?xsi4>) -> tensor<?xf32, #ptir.dims<N>>
  %0 = ptir.custom_call "gpt_rs.faer.conv2d.nhwc.f32.v1"(%x, %y) : (tensor<8xf32>, tensor<?xsi4>) -> tensor<?xf32, #ptir.dims<N>>
  // CHECK: %a, %b = ptir.custom_call "acme.best.v12"(%x) {count = -2 : i64, scale = 0x7FF0000000000000 : f64, largest = true, "na-me" = "a\22b"} : (tensor<8xf32>) -> (tensor<2xf32>, tensor<2xi64>)
  // GENERIC: "ptir.custom_call"(%x) <{attrs = {count = -2 : i64, scale = 0x7FF0000000000000 : f64, largest = true, "na-me" = "a\22b"}, target = "acme.best.v12"}>
  %a, %b = ptir.custom_call "acme.best.v12"(%x) {count = -2 : i64, scale = 0x7FF0000000000000 : f64, largest = true, "na-me" = "a\"b"} : (tensor<8xf32>) -> (tensor<2xf32>, tensor<2xi64>)
  // CHECK: ptir.custom_call "acme.lists.v0"() {i = [1 : i64, 2 : i64], f = [5.000000e-01 : f64], b = [true, false], s = ["x", "y"], none = []} attributes {hint = 1 : i8} : () -> tuple<tensor<f32>, tuple<tensor<i1>>>
  %c = ptir.custom_call "acme.lists.v0"() {i = [1 : i64, 2], f = [0.5 : f64], b = [true, false], s = ["x", "y"], none = []} attributes {hint = 1 : i8} : () -> tuple<tensor<f32>, tuple<tensor<i1>>>
  // CHECK: ptir.custom_call "acme.check.v1"(%x) : (tensor<8xf32>) -> ()
  ptir.custom_call "acme.check.v1"(%x) : (tensor<8xf32>) -> ()
  func.return
}

// CHECK-LABEL: @layer_norm
func.func @layer_norm(%x: tensor<?x8xbf16, #ptir.dims<B, _>>, %g: tensor<8xbf16>, %n: tensor<?xbf16, #ptir.dims<B>>) {
  // CHECK: ptir.layer_norm %x, %g, %g axis -1 epsilon 1.000000e-05 : tensor<?x8xbf16, #ptir.dims<B, _>>, tensor<8xbf16>
  // GENERIC: "ptir.layer_norm"(%x, %g, %g) <{epsilon = 1.000000e-05 : f64, feature_axis = -1 : i64}>
  %0 = ptir.layer_norm %x, %g, %g axis -1 epsilon 1.0e-05 : tensor<?x8xbf16, #ptir.dims<B, _>>, tensor<8xbf16>
  // CHECK: ptir.layer_norm %x, %n, %n axis 0 epsilon 0.000000e+00 : tensor<?x8xbf16, #ptir.dims<B, _>>, tensor<?xbf16, #ptir.dims<B>>
  %1 = ptir.layer_norm %x, %n, %n axis 0 epsilon 0.0 : tensor<?x8xbf16, #ptir.dims<B, _>>, tensor<?xbf16, #ptir.dims<B>>
  func.return
}

// CHECK-LABEL: @random
func.func @random(%s: tensor<ui64>) {
  // CHECK: ptir.rng_uniform : tensor<2x3xf32>
  %0 = ptir.rng_uniform : tensor<2x3xf32>
  // CHECK: ptir.rng_normal seed -7 : tensor<f8E5M2>
  // GENERIC: "ptir.rng_normal"() <{seed = -7 : i64}> : () -> tensor<f8E5M2>
  %1 = ptir.rng_normal seed -7 : tensor<f8E5M2>
  // CHECK: ptir.rng_uniform from %s {hint} : tensor<?xf64, #ptir.dims<N>>
  // GENERIC: "ptir.rng_uniform"(%s) {hint} : (tensor<ui64>) -> tensor<?xf64, #ptir.dims<N>>
  %2 = ptir.rng_uniform from %s {hint} : tensor<?xf64, #ptir.dims<N>>
  func.return
}
}
