// RUN: ptir-opt %s -p 'ptir-to-cuda{arch=sm80}' --split-input-file | filecheck %s
// RUN: ptir-opt %s -p 'ptir-to-cuda{arch=sm90}' --split-input-file | filecheck %s --check-prefix=SM90

// Offsets and masks of the pixels are computed once; in the loop, counters say the tap and how far its pixels are.

// CHECK: %offsets_a = nv.copy_offsets %x[{{.*}}, %c0] to %smem_a address {{.*}} in [128, 64, 1152] dims [0, 2] guard [] bytes 16 along 2 units [128] counts [9] where
// CHECK: %offsets_b = nv.copy_offsets %w[{{.*}}] to %smem_b {{.*}} units [] counts [] where []
// CHECK: scf.for %step = {{.*}} %delta_a_1 = {{.*}} %digit0_a_1 = {{.*}} %digit1_a_1 = {{.*}} %tap_a_1 =
// CHECK: nv.cp_async_at %offsets_a[%delta_a_1] bits[%tap_a_1] to %smem_a[%free]
// CHECK: nv.cp_async_at %offsets_b[%delta_b_1] bits[] to %smem_b[%free]

// On sm90, TMA walks the pixels: the base and the offsets of the window follow from m and k.

// SM90: nv.tma_load %map_a[%image, %base, %base_1, %{{.*}}] filter[%{{.*}}, %{{.*}}] to %smem_a[
// SM90: nv.tensor_map %x offset 0 sizes [2, 8, 8, 128] strides [8192, 1024, 128, 1] lower [-1, -1] upper [-1, -1] steps [1, 1] : memref<2x8x8x128xbf16> -> !nv.tensor_map<{{.*}}x64xbf16, b128>

builtin.module attributes {ptir.extensions} {
func.func @padded(%x: tensor<2x8x8x128xbf16>, %w: tensor<3x3x128x64xbf16>) -> tensor<2x8x8x64xf32> {
  %0 = ptir.convolution %x, %w padding [(1, 1), (1, 1)] accum f32 out f32 : (tensor<2x8x8x128xbf16>, tensor<3x3x128x64xbf16>) -> tensor<2x8x8x64xf32>
  func.return %0 : tensor<2x8x8x64xf32>
}
}

// -----

// 49 taps take a mask for rows and one for columns; their bits are the counters themselves.

// CHECK: nv.copy_offsets %x{{.*}} units [64, 448] counts [7, 7] where
// CHECK: nv.cp_async_at %offsets_a[%delta_a_1] bits[%digit0_a_1, %digit1_a_1] to %smem_a[%free]

builtin.module attributes {ptir.extensions} {
func.func @many_taps(%x: tensor<2x8x8x64xbf16>, %w: tensor<7x7x64x64xbf16>) -> tensor<2x8x8x64xf32> {
  %0 = ptir.convolution %x, %w padding [(3, 3), (3, 3)] accum f32 out f32 : (tensor<2x8x8x64xbf16>, tensor<7x7x64x64xbf16>) -> tensor<2x8x8x64xf32>
  func.return %0 : tensor<2x8x8x64xf32>
}
}

// -----

// A step of k that reaches over taps has addresses and a guard at each load.

// SM90: func.func @many_taps
// CHECK: func.func @many_taps
// CHECK-NOT: nv.copy_offsets %x
// CHECK: nv.cp_async %x{{.*}} bytes 16 where
// SM90-NOT: filter
// SM90: nv.cp_async %x{{.*}} bytes 16 where

builtin.module attributes {ptir.extensions} {
func.func @few_channels(%x: tensor<2x8x8x8xbf16>, %w: tensor<3x3x8x64xbf16>) -> tensor<2x8x8x64xf32> {
  %0 = ptir.convolution %x, %w padding [(1, 1), (1, 1)] accum f32 out f32 : (tensor<2x8x8x8xbf16>, tensor<3x3x8x64xbf16>) -> tensor<2x8x8x64xf32>
  func.return %0 : tensor<2x8x8x64xf32>
}
}
