// RUN: ptir-opt %s -p ptir-to-tiny,form-regions --split-input-file | filecheck %s

// The padding of a convolution is the guard of its loads: with the bias, one kernel computes it.

// CHECK: region.kernel @padded_0(%x: memref<1x8x8x16xbf16> align 16, %w: memref<3x3x16x8xbf16> align 16, %b: memref<8xf32> align 16)
// CHECK: tiny.movement pad %{{.*}} low [0, 1, 1, 0] high [0, 1, 1, 0]
// CHECK: tiny.reduce sum
// CHECK: tiny.binary add
// CHECK-NOT: region.kernel
// CHECK: func.func @padded

builtin.module attributes {ptir.extensions} {
func.func @padded(%x: tensor<1x8x8x16xbf16>, %w: tensor<3x3x16x8xbf16>, %b: tensor<8xf32>) -> tensor<1x8x8x8xf32> {
  %0 = ptir.convolution %x, %w padding [(1, 1), (1, 1)] accum f32 out f32 : (tensor<1x8x8x16xbf16>, tensor<3x3x16x8xbf16>) -> tensor<1x8x8x8xf32>
  %1 = ptir.broadcast_to %b : tensor<8xf32> -> tensor<1x8x8x8xf32>
  %2 = ptir.add %0, %1 : tensor<1x8x8x8xf32>
  func.return %2 : tensor<1x8x8x8xf32>
}
}

// -----

// Patches whose product is rounded to tf32 are a convolution, too: they are not stored.

// CHECK: region.kernel @rounded_0(%x: memref<1x8x8x16xf32> align 16, %w: memref<144x8xf32> align 16)
// CHECK: tiny.unary tf32
// CHECK-NOT: region.kernel
// CHECK: func.func @rounded

builtin.module attributes {ptir.extensions} {
func.func @rounded(%x: tensor<1x8x8x16xf32>, %w: tensor<144x8xf32>) -> tensor<1x8x8x8xf32> {
  %p = ptir.extract_patches %x window [3, 3] padding [(1, 1), (1, 1)] : tensor<1x8x8x16xf32> -> tensor<1x8x8x144xf32>
  %0 = ptir.dot_general %p, %w contract [3] x [0] precision tf32 : (tensor<1x8x8x144xf32>, tensor<144x8xf32>) -> tensor<1x8x8x8xf32>
  func.return %0 : tensor<1x8x8x8xf32>
}
}

// -----

// A pad of channels, along which memory is contiguous, is a kernel of its own: it gives rows that 16 bytes divide.

// CHECK: region.kernel @channels_0(%x: memref<1x8x8x3xbf16> align 16) -> (%p: memref<1x8x8x8xbf16>
// CHECK: region.kernel @channels_1
// CHECK-NOT: tiny.movement pad
// CHECK: tiny.reduce sum

builtin.module attributes {ptir.extensions} {
func.func @channels(%x: tensor<1x8x8x3xbf16>, %w: tensor<3x3x8x8xbf16>) -> tensor<1x6x6x8xf32> {
  %p = ptir.pad %x with 0.0 : bf16 low [0, 0, 0, 0] high [0, 0, 0, 5] interior [0, 0, 0, 0] : tensor<1x8x8x3xbf16> -> tensor<1x8x8x8xbf16>
  %0 = ptir.convolution %p, %w accum f32 out f32 : (tensor<1x8x8x8xbf16>, tensor<3x3x8x8xbf16>) -> tensor<1x6x6x8xf32>
  func.return %0 : tensor<1x6x6x8xf32>
}
}

// -----

// So is a pad with another value than zero.

// CHECK: region.kernel @ones_0(%x: memref<1x8x8x16xbf16> align 16) ->
// CHECK: region.kernel @ones_1

builtin.module attributes {ptir.extensions} {
func.func @ones(%x: tensor<1x8x8x16xbf16>, %w: tensor<3x3x16x8xbf16>) -> tensor<1x8x8x8xf32> {
  %p = ptir.pad %x with 1.0 : bf16 low [0, 1, 1, 0] high [0, 1, 1, 0] interior [0, 0, 0, 0] : tensor<1x8x8x16xbf16> -> tensor<1x10x10x16xbf16>
  %0 = ptir.convolution %p, %w accum f32 out f32 : (tensor<1x10x10x16xbf16>, tensor<3x3x16x8xbf16>) -> tensor<1x8x8x8xf32>
  func.return %0 : tensor<1x8x8x8xf32>
}
}

// -----

// The zeros between the elements of a transposed convolution are a guard with remainders.

// CHECK: region.kernel @transposed_0(%x: memref<1x4x4x16xbf16> align 16, %w: memref<3x3x16x8xbf16> align 16)
// CHECK-NOT: region.kernel
// CHECK: func.func @transposed

builtin.module attributes {ptir.extensions} {
func.func @transposed(%x: tensor<1x4x4x16xbf16>, %w: tensor<3x3x16x8xbf16>) -> tensor<1x7x7x8xf32> {
  %p = ptir.pad %x with 0.0 : bf16 low [0, 1, 1, 0] high [0, 1, 1, 0] interior [0, 1, 1, 0] : tensor<1x4x4x16xbf16> -> tensor<1x9x9x16xbf16>
  %0 = ptir.convolution %p, %w accum f32 out f32 : (tensor<1x9x9x16xbf16>, tensor<3x3x16x8xbf16>) -> tensor<1x7x7x8xf32>
  func.return %0 : tensor<1x7x7x8xf32>
}
}

// -----

// Channels first, windows slide along contiguous elements, which are copied one by one: the padding is a guard, too.

// CHECK: region.kernel @first_0(%x: memref<1x16x8x8xbf16> align 16, %w: memref<3x3x16x8xbf16> align 16)
// CHECK-NOT: region.kernel
// CHECK: func.func @first

builtin.module attributes {ptir.extensions} {
func.func @first(%x: tensor<1x16x8x8xbf16>, %w: tensor<3x3x16x8xbf16>) -> tensor<1x8x8x8xf32> {
  %t = ptir.transpose %x [0, 2, 3, 1] : tensor<1x16x8x8xbf16> -> tensor<1x8x8x16xbf16>
  %0 = ptir.convolution %t, %w padding [(1, 1), (1, 1)] accum f32 out f32 : (tensor<1x8x8x16xbf16>, tensor<3x3x16x8xbf16>) -> tensor<1x8x8x8xf32>
  func.return %0 : tensor<1x8x8x8xf32>
}
}
