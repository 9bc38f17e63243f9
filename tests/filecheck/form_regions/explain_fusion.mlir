// RUN: ptir-opt %s --split-input-file -p 'ptir-to-tiny,form-regions{arch=sm80 strategy=exact}' --explain-fusion -o /dev/null 2>&1 | filecheck %s
// RUN: ptir-opt %s --split-input-file -p 'ptir-to-tiny,form-regions{arch=sm80 strategy=maximal}' --explain-fusion --mlir-output-format=json -o /dev/null 2>&1 | filecheck %s --check-prefix=JSON

// Each edge of the graph is fused or cut, with the reason and the terms of the time.

// CHECK: @softmax on a100, strategy exact: 1 kernel, 524288 bytes through global memory
// CHECK: fused {{.*}}'tiny.reduce max' -> {{.*}}'tiny.unary exp' in k0: dtime -{{.*}} us = memory -{{.*}}, launch -{{.*}} bytes saved; halo 0, smem_ring
// CHECK-NEXT: fused {{.*}}'tiny.unary exp' -> {{.*}}'tiny.reduce sum' in k0: {{.*}}; halo 0, reg
// JSON: "strategy": "maximal"
func.func @softmax(%x: tensor<256x256xf32>) -> tensor<256x256xf32> {
  %0 = ptir.reduce max %x axes [1] keepdims accum f32 out f32 : tensor<256x256xf32> -> tensor<256x1xf32>
  %1 = ptir.broadcast_to %0 : tensor<256x1xf32> -> tensor<256x256xf32>
  %2 = ptir.sub %x, %1 : tensor<256x256xf32>
  %3 = ptir.exp %2 : tensor<256x256xf32>
  %4 = ptir.reduce sum %3 axes [1] keepdims accum f32 out f32 : tensor<256x256xf32> -> tensor<256x1xf32>
  %5 = ptir.broadcast_to %4 : tensor<256x1xf32> -> tensor<256x256xf32>
  %6 = ptir.div %3, %5 : tensor<256x256xf32>
  func.return %6 : tensor<256x256xf32>
}

// -----

// Rule 2: no template computes both. The cut is after the bias, of which the results are stored, not at the accumulator.

// CHECK: @products on a100, strategy exact: 2 kernels
// CHECK: k0 {{.*}} stores {{.*}}'tiny.unary cast'
// CHECK: cut {{.*}}'tiny.unary cast' -> {{.*}}'tiny.reduce sum' k0 to k1: STOP 2 not_computable: one kernel computes one contraction
func.func @products(%x: tensor<256x256xbf16>, %w: tensor<256x256xbf16>, %b: tensor<256xf32>) -> tensor<256x256xf32> {
  %0 = ptir.dot_general %x, %w contract [1] x [0] accum f32 out f32 : (tensor<256x256xbf16>, tensor<256x256xbf16>) -> tensor<256x256xf32>
  %1 = ptir.broadcast_to %b : tensor<256xf32> -> tensor<256x256xf32>
  %2 = ptir.add %0, %1 : tensor<256x256xf32>
  %3 = ptir.cast %2 : tensor<256x256xf32> -> tensor<256x256xbf16>
  %4 = ptir.dot_general %3, %w contract [1] x [0] accum f32 out f32 : (tensor<256x256xbf16>, tensor<256x256xbf16>) -> tensor<256x256xf32>
  func.return %4 : tensor<256x256xf32>
}

// -----

// Rule 1: several kernels read the value, which is expensive to compute again.

// CHECK: @readers on a100, strategy exact
// CHECK: STOP 1 several_consumers: {{[0-9]}} kernels read it, limit 1; dtime +
func.func @readers(%x: tensor<4096x4096xf32>, %y: tensor<4096x4096xf32>, %z: tensor<4096x4096xf32>, %w: tensor<4096x64xbf16>) -> (tensor<4096x64xf32>, tensor<4096x64xf32>) {
  %0 = ptir.mul %x, %y : tensor<4096x4096xf32>
  %1 = ptir.add %0, %z : tensor<4096x4096xf32>
  %2 = ptir.cast %1 : tensor<4096x4096xf32> -> tensor<4096x4096xbf16>
  %3 = ptir.dot_general %2, %w contract [1] x [0] accum f32 out f32 : (tensor<4096x4096xbf16>, tensor<4096x64xbf16>) -> tensor<4096x64xf32>
  %4 = ptir.dot_general %2, %w contract [0] x [0] accum f32 out f32 : (tensor<4096x4096xbf16>, tensor<4096x64xbf16>) -> tensor<4096x64xf32>
  func.return %3, %4 : tensor<4096x64xf32>, tensor<4096x64xf32>
}

// -----

// Rule 3: the time does not fall. Each of 65536 columns would compute the operand again.

// CHECK: @wide on a100, strategy exact: 2 kernels
// CHECK: STOP 3 no_gain: dtime >= 0; dtime +{{.*}} us = {{.*}}arithmetic +
func.func @wide(%x: tensor<1024x1024xf32>, %w: tensor<1024x65536xbf16>) -> tensor<1024x65536xf32> {
  %0 = ptir.exp %x : tensor<1024x1024xf32>
  %1 = ptir.tanh %0 : tensor<1024x1024xf32>
  %2 = ptir.cast %1 : tensor<1024x1024xf32> -> tensor<1024x1024xbf16>
  %3 = ptir.dot_general %2, %w contract [1] x [0] accum f32 out f32 : (tensor<1024x1024xbf16>, tensor<1024x65536xbf16>) -> tensor<1024x65536xf32>
  func.return %3 : tensor<1024x65536xf32>
}

// -----

// Recomputation: two kernels compute the exponentials, which takes less time than to store and to read them.

// CHECK: @again on a100, strategy exact: 2 kernels
// CHECK: fused {{.*}}'tiny.unary exp' -> {{.*}}'tiny.reduce max' in k0: the value is also computed by k1; dtime -
// CHECK: fused {{.*}}'tiny.unary exp' -> {{.*}}'tiny.reduce sum' in k1: the value is also computed by k0; dtime -
func.func @again(%x: tensor<4096x1024xf32>) -> (tensor<4096xf32>, tensor<1024xf32>) {
  %0 = ptir.exp %x : tensor<4096x1024xf32>
  %1 = ptir.reduce sum %0 axes [1] : tensor<4096x1024xf32> -> tensor<4096xf32>
  %2 = ptir.reduce max %0 axes [0] : tensor<4096x1024xf32> -> tensor<1024xf32>
  func.return %1, %2 : tensor<4096xf32>, tensor<1024xf32>
}

// -----

// Why a pooling is not part of the kernel of its convolution.

// CHECK: this pooling and the convolution before it are not one kernel: its windows overlap: a kernel that holds each would compute 2.25 times as many elements
builtin.module attributes {ptir.extensions} {
func.func @stem(%x: tensor<2x16x16x32xbf16>, %w: tensor<3x3x32x64xbf16>) -> tensor<2x8x8x64xf32> {
  %0 = ptir.convolution %x, %w padding [(1, 1), (1, 1)] accum f32 out f32 : (tensor<2x16x16x32xbf16>, tensor<3x3x32x64xbf16>) -> tensor<2x16x16x64xf32>
  %1 = ptir.reduce_window max %0 window [1, 3, 3, 1] strides [1, 2, 2, 1] padding [(0, 0), (1, 0), (1, 0), (0, 0)] : tensor<2x16x16x64xf32> -> tensor<2x8x8x64xf32>
  func.return %1 : tensor<2x8x8x64xf32>
}
}
