// RUN: ptir-opt %s -p ptir-to-tiny | filecheck %s

// What stops a gradient is nothing here, an inline literal is a literal, and every function of one or two numbers has its word.

builtin.module attributes {ptir.extensions} {
// CHECK: func.func @f(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xi1>, tensor<4xui32>) {
// CHECK-NEXT: %c = tiny.const dense<1.000000e+00> : tensor<4xf32>
// CHECK-NEXT: %0 = tiny.unary sqrt %x : tensor<4xf32> -> tensor<4xf32>
// CHECK-NEXT: %1 = tiny.unary sigmoid %0 : tensor<4xf32> -> tensor<4xf32>
// CHECK-NEXT: %2 = tiny.binary pow %1, %c : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %3 = tiny.binary remainder %2, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %4 = tiny.unary bitcast %3 : tensor<4xf32> -> tensor<4xui32>
// CHECK-NEXT: %5 = tiny.binary shift_right_logical %4, %4 : (tensor<4xui32>, tensor<4xui32>) -> tensor<4xui32>
// CHECK-NEXT: %6 = tiny.unary not %5 : tensor<4xui32> -> tensor<4xui32>
// CHECK-NEXT: %7 = tiny.unary is_finite %3 : tensor<4xf32> -> tensor<4xi1>
// CHECK-NEXT: func.return %7, %6 : tensor<4xi1>, tensor<4xui32>
func.func @f(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xi1>, tensor<4xui32>) {
  %s = ptir.stop_gradient %x : tensor<4xf32>
  %c = ptir.constant inline dense<1.0> : tensor<4xf32>
  %0 = ptir.sqrt %s : tensor<4xf32>
  %1 = ptir.logistic %0 : tensor<4xf32>
  %2 = ptir.pow %1, %c : tensor<4xf32>
  %3 = ptir.remainder %2, %y : tensor<4xf32>
  %4 = ptir.bitcast %3 : tensor<4xf32> -> tensor<4xui32>
  %5 = ptir.shift_right_logical %4, %4 : tensor<4xui32>
  %6 = ptir.not %5 : tensor<4xui32>
  %7 = ptir.is_finite %3 : tensor<4xf32> -> tensor<4xi1>
  func.return %7, %6 : tensor<4xi1>, tensor<4xui32>
}

// CHECK: func.func @complex(%x: tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>> {
// CHECK-NEXT: %0 = tiny.unary exp %x : tensor<4xcomplex<f32>> -> tensor<4xcomplex<f32>>
// CHECK-NEXT: func.return %0 : tensor<4xcomplex<f32>>
func.func @complex(%x: tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>> {
  %0 = ptir.exp %x : tensor<4xcomplex<f32>>
  func.return %0 : tensor<4xcomplex<f32>>
}

// The parts of an element are shifted from or into an integer as wide as the whole.
// CHECK: func.func @parts(%x: tensor<4xf32>, %y: tensor<4x2xbf16>) -> (tensor<4x2xbf16>, tensor<4xf32>) {
// CHECK-NEXT: %0 = tiny.iota axis 0 : tensor<2xui32>
// CHECK-NEXT: %1 = tiny.const dense<16> : tensor<ui32>
// CHECK-NEXT: %2 = tiny.binary mul %0, %1 : (tensor<2xui32>, tensor<ui32>) -> tensor<2xui32>
// CHECK-NEXT: %3 = tiny.unary bitcast %x : tensor<4xf32> -> tensor<4xui32>
// CHECK-NEXT: %4 = tiny.movement reshape %3 : tensor<4xui32> -> tensor<4x1xui32>
// CHECK-NEXT: %5 = tiny.binary shift_right_logical %4, %2 : (tensor<4x1xui32>, tensor<2xui32>) -> tensor<4x2xui32>
// CHECK-NEXT: %6 = tiny.const dense<65535> : tensor<ui32>
// CHECK-NEXT: %7 = tiny.binary and %5, %6 : (tensor<4x2xui32>, tensor<ui32>) -> tensor<4x2xui32>
// CHECK-NEXT: %8 = tiny.unary cast %7 : tensor<4x2xui32> -> tensor<4x2xui16>
// CHECK-NEXT: %9 = tiny.unary bitcast %8 : tensor<4x2xui16> -> tensor<4x2xbf16>
// CHECK: %[[LOW:.*]] = tiny.unary bitcast %y : tensor<4x2xbf16> -> tensor<4x2xui16>
// CHECK-NEXT: %[[WIDE:.*]] = tiny.unary cast %[[LOW]] : tensor<4x2xui16> -> tensor<4x2xui32>
// CHECK-NEXT: %[[UP:.*]] = tiny.binary shift_left %[[WIDE]], %{{.*}} : (tensor<4x2xui32>, tensor<2xui32>) -> tensor<4x2xui32>
// CHECK-NEXT: %[[SUM:.*]] = tiny.reduce sum %[[UP]] axes [1] accum ui32 : tensor<4x2xui32> -> tensor<4xui32>
// CHECK-NEXT: tiny.unary bitcast %[[SUM]] : tensor<4xui32> -> tensor<4xf32>
func.func @parts(%x: tensor<4xf32>, %y: tensor<4x2xbf16>) -> (tensor<4x2xbf16>, tensor<4xf32>) {
  %0 = ptir.bitcast %x : tensor<4xf32> -> tensor<4x2xbf16>
  %1 = ptir.bitcast %y : tensor<4x2xbf16> -> tensor<4xf32>
  func.return %0, %1 : tensor<4x2xbf16>, tensor<4xf32>
}

// Codes are computed in 64 bits, so that nothing wraps before it saturates; numbers in f64, so that they are rounded once.
// CHECK: func.func @codes(%x: tensor<4x8xf32>, %s: tensor<4xf32>, %z: tensor<4xsi8>) -> tensor<4x8xf32> {
// CHECK-NEXT: %q = tiny.movement reshape %s : tensor<4xf32> -> tensor<4x1xf32>
// CHECK-NEXT: %q_1 = tiny.binary div %x, %q : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
// CHECK-NEXT: %q_2 = tiny.unary round %q_1 : tensor<4x8xf32> -> tensor<4x8xf32>
// CHECK-NEXT: %q_3 = tiny.unary cast %q_2 : tensor<4x8xf32> -> tensor<4x8xsi32>
// CHECK-NEXT: %q_4 = tiny.unary cast %q_3 : tensor<4x8xsi32> -> tensor<4x8xsi64>
// CHECK-NEXT: %q_5 = tiny.unary cast %z : tensor<4xsi8> -> tensor<4xsi64>
// CHECK-NEXT: %q_6 = tiny.movement reshape %q_5 : tensor<4xsi64> -> tensor<4x1xsi64>
// CHECK-NEXT: %q_7 = tiny.binary add %q_4, %q_6 : (tensor<4x8xsi64>, tensor<4x1xsi64>) -> tensor<4x8xsi64>
// CHECK-NEXT: %q_8 = tiny.unary cast %q_7 : tensor<4x8xsi64> -> tensor<4x8xsi8>
// CHECK-NEXT: %y = tiny.unary cast %z : tensor<4xsi8> -> tensor<4xsi32>
// CHECK-NEXT: %y_1 = tiny.movement reshape %y : tensor<4xsi32> -> tensor<4x1xsi32>
// CHECK-NEXT: %y_2 = tiny.unary cast %q_8 : tensor<4x8xsi8> -> tensor<4x8xsi32>
// CHECK-NEXT: %y_3 = tiny.binary sub %y_2, %y_1 : (tensor<4x8xsi32>, tensor<4x1xsi32>) -> tensor<4x8xsi32>
// CHECK-NEXT: %y_4 = tiny.unary cast %y_3 : tensor<4x8xsi32> -> tensor<4x8xf64>
// CHECK-NEXT: %y_5 = tiny.unary cast %s : tensor<4xf32> -> tensor<4xf64>
// CHECK-NEXT: %y_6 = tiny.movement reshape %y_5 : tensor<4xf64> -> tensor<4x1xf64>
// CHECK-NEXT: %y_7 = tiny.binary mul %y_4, %y_6 : (tensor<4x8xf64>, tensor<4x1xf64>) -> tensor<4x8xf64>
// CHECK-NEXT: %y_8 = tiny.unary cast %y_7 : tensor<4x8xf64> -> tensor<4x8xf32>
// CHECK-NEXT: func.return %y_8 : tensor<4x8xf32>
func.func @codes(%x: tensor<4x8xf32>, %s: tensor<4xf32>, %z: tensor<4xsi8>) -> tensor<4x8xf32> {
  %q = ptir.quantize %x, %s, %z axis 0 : (tensor<4x8xf32>, tensor<4xf32>, tensor<4xsi8>) -> tensor<4x8xsi8>
  %y = ptir.dequantize %q, %s, %z axis 0 : (tensor<4x8xsi8>, tensor<4xf32>, tensor<4xsi8>) -> tensor<4x8xf32>
  func.return %y : tensor<4x8xf32>
}
}
