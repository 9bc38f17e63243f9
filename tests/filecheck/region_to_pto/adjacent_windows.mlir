// RUN: ptir-opt %s -p 'ptir-to-tiny,form-regions,plan-regions{arch=sm80},region-to-pto' --split-input-file | filecheck %s

// A thread sums two adjacent windows of three taps and loads the four elements that they read, each once. Products of bf16 are exact in f32,
// so that an FMA adds them.

// CHECK: pto.kernel @depthwise_0
// CHECK: pto.tiles (%m, %n) in [128, 512]
// CHECK-NOT: pto.tile.mul
// CHECK: pto.tile.fma
// CHECK: pto.tile.store.map %{{.*}}, %0[%m, %n] by <"{ [i0, i1] -> [(0), (floor((i0)/8)), (2*((i0) mod 8)), (i1)] }"> in [128, 512]
// CHECK: pto.tile.store.map %{{.*}}, %0[%m, %n] by <"{ [i0, i1] -> [(0), (floor((i0)/8)), (1 + 2*((i0) mod 8)), (i1)] }"> in [128, 512]
// CHECK: func.func @depthwise

builtin.module attributes {ptir.extensions} {
func.func @depthwise(%x: tensor<1x16x16x512xbf16>, %w: tensor<3x3x1x512xbf16>) -> tensor<1x16x16x512xf32> {
  %0 = ptir.convolution %x, %w padding [(1, 1), (1, 1)] groups 512 accum f32 out f32 : (tensor<1x16x16x512xbf16>, tensor<3x3x1x512xbf16>) -> tensor<1x16x16x512xf32>
  func.return %0 : tensor<1x16x16x512xf32>
}
}

// -----

// Products of f32 round: they are not fused with sums.

// CHECK: pto.kernel @rounded_0
// CHECK-NOT: pto.tile.fma
// CHECK: func.func @rounded

builtin.module attributes {ptir.extensions} {
func.func @rounded(%x: tensor<1x16x16x512xf32>, %w: tensor<3x3x1x512xf32>) -> tensor<1x16x16x512xf32> {
  %0 = ptir.convolution %x, %w padding [(1, 1), (1, 1)] groups 512 : (tensor<1x16x16x512xf32>, tensor<3x3x1x512xf32>) -> tensor<1x16x16x512xf32>
  func.return %0 : tensor<1x16x16x512xf32>
}
}

// -----

// Windows that do not overlap share nothing: each thread has one.

// CHECK: pto.kernel @apart_0
// CHECK: pto.tiles (%b0, %m, %n) in [16, 16, 512]
// CHECK: pto.tile.store.map
// CHECK-NOT: pto.tile.store.map
// CHECK: func.func @apart

builtin.module attributes {ptir.extensions} {
func.func @apart(%x: tensor<1x32x32x512xbf16>, %w: tensor<2x2x1x512xbf16>) -> tensor<1x16x16x512xf32> {
  %0 = ptir.convolution %x, %w strides [2, 2] groups 512 accum f32 out f32 : (tensor<1x32x32x512xbf16>, tensor<2x2x1x512xbf16>) -> tensor<1x16x16x512xf32>
  func.return %0 : tensor<1x16x16x512xf32>
}
}

// -----

// Few windows are left apart, so that they fill the machine.

// CHECK: pto.kernel @few_0
// CHECK: pto.tiles (%m, %n) in [64, 512]
// CHECK: pto.tile.store.map
// CHECK-NOT: pto.tile.store.map
// CHECK: func.func @few

builtin.module attributes {ptir.extensions} {
func.func @few(%x: tensor<1x8x8x512xbf16>, %w: tensor<3x3x1x512xbf16>) -> tensor<1x8x8x512xf32> {
  %0 = ptir.convolution %x, %w padding [(1, 1), (1, 1)] groups 512 accum f32 out f32 : (tensor<1x8x8x512xbf16>, tensor<3x3x1x512xbf16>) -> tensor<1x8x8x512xf32>
  func.return %0 : tensor<1x8x8x512xf32>
}
}
