// RUN: ptir-opt %s | filecheck %s
// RUN: ptir-opt %s | ptir-opt | filecheck %s
// RUN: ptir-opt --print-op-generic %s | ptir-opt | filecheck %s

// Quantization, inline literals and what stops a gradient.

// CHECK: func.func @f(%x: tensor<4x8xf32>, %h: tensor<4x8xf16>, %s: tensor<f32>, %t: tensor<f16>, %z: tensor<si8>, %v: tensor<8xf32>, %w: tensor<8xi32>) {
func.func @f(%x: tensor<4x8xf32>, %h: tensor<4x8xf16>, %s: tensor<f32>, %t: tensor<f16>, %z: tensor<si8>, %v: tensor<8xf32>, %w: tensor<8xi32>) {
  // CHECK-NEXT: %0 = ptir.quantize %x, %s, %z : (tensor<4x8xf32>, tensor<f32>, tensor<si8>) -> tensor<4x8xsi8>
  %0 = ptir.quantize %x, %s, %z : (tensor<4x8xf32>, tensor<f32>, tensor<si8>) -> tensor<4x8xsi8>
  // CHECK-NEXT: %1 = ptir.quantize %h, %v, %w axis -1 : (tensor<4x8xf16>, tensor<8xf32>, tensor<8xi32>) -> tensor<4x8xui4>
  %1 = ptir.quantize %h, %v, %w axis -1 : (tensor<4x8xf16>, tensor<8xf32>, tensor<8xi32>) -> tensor<4x8xui4>
  // CHECK-NEXT: %2 = ptir.quantize %h, %t, %z : (tensor<4x8xf16>, tensor<f16>, tensor<si8>) -> tensor<4x8xsi8>
  %2 = ptir.quantize %h, %t, %z : (tensor<4x8xf16>, tensor<f16>, tensor<si8>) -> tensor<4x8xsi8>
  // CHECK-NEXT: %3 = ptir.dequantize %1, %v, %w axis 1 : (tensor<4x8xui4>, tensor<8xf32>, tensor<8xi32>) -> tensor<4x8xf8E4M3FN>
  %3 = ptir.dequantize %1, %v, %w axis 1 : (tensor<4x8xui4>, tensor<8xf32>, tensor<8xi32>) -> tensor<4x8xf8E4M3FN>
  // CHECK-NEXT: %4 = ptir.requantize %0 from %s, %z to %v, %w axis 1 : (tensor<4x8xsi8>, tensor<f32>, tensor<si8>, tensor<8xf32>, tensor<8xi32>) -> tensor<4x8xi16>
  %4 = ptir.requantize %0 from %s, %z to %v, %w axis 1 : (tensor<4x8xsi8>, tensor<f32>, tensor<si8>, tensor<8xf32>, tensor<8xi32>) -> tensor<4x8xi16>
  // CHECK-NEXT: %5 = ptir.requantize %0 from %s, %z to %s, %z : (tensor<4x8xsi8>, tensor<f32>, tensor<si8>, tensor<f32>, tensor<si8>) -> tensor<4x8xsi8>
  %5 = ptir.requantize %0 from %s, %z to %s, %z : (tensor<4x8xsi8>, tensor<f32>, tensor<si8>, tensor<f32>, tensor<si8>) -> tensor<4x8xsi8>
  // CHECK-NEXT: %6 = ptir.constant inline dense<[1, 2]> : tensor<2xsi64>
  %6 = ptir.constant inline dense<[1, 2]> : tensor<2xsi64>
  // CHECK-NEXT: %7 = ptir.constant inline {note = "kept"} dense<(1.000000e+00, -2.000000e+00)> : tensor<complex<f32>>
  %7 = ptir.constant inline {note = "kept"} dense<(1.000000e+00, -2.000000e+00)> : tensor<complex<f32>>
  // CHECK-NEXT: %8 = ptir.stop_gradient %h : tensor<4x8xf16>
  %8 = ptir.stop_gradient %h : tensor<4x8xf16>
  // CHECK-NEXT: func.return
  func.return
}
