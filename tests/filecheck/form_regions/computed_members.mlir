// RUN: ptir-opt %s -p 'ptir-to-tiny,tiny-choose-convolutions,form-regions{arch=sm80}' --split-input-file --verify-diagnostics --validate-passes | filecheck %s
// RUN: ptir-opt %s -p 'ptir-to-tiny,tiny-choose-convolutions,form-regions{arch=sm80},plan-regions{arch=sm80},region-to-pto' --split-input-file --verify-diagnostics | filecheck %s --check-prefix TILES

// Winograd's F(2, 3) in one kernel, besides that of the filter's transform. The ring has the 4 elements of a window, not their 4 sums, and 4
// sums of the filter. What the sums share is computed once.
// CHECK-LABEL: region.kernel @fused_0(%w:
// CHECK-LABEL: region.kernel @fused_1(%x:
// CHECK-NOT: region.kernel
// CHECK: func.func @fused
// TILES-LABEL: pto.kernel @fused_1
// TILES-COUNT-4: pto.tile.load.map %x[%m, %n, %k]
// TILES-COUNT-4: pto.tile.load.map %0[%m, %n, %k]
// TILES-NEXT: pto.channel.commit
// TILES: pto.channel.wait
// TILES-COUNT-4: pto.tile.mov.m2v
// TILES: %[[A:[0-9]+]] = pto.tile.cvt
// TILES-NEXT: %[[C:[0-9]+]] = pto.tile.cvt
// TILES-NEXT: pto.tile.sub %[[A]], %[[C]]
// TILES: pto.tile.matmul.acc
// TILES-NEXT: %[[B:[0-9]+]] = pto.tile.cvt
// TILES-NEXT: pto.tile.add %[[B]], %[[C]]
// TILES: pto.tile.matmul.acc
// TILES-NEXT: pto.tile.sub %[[B]], %[[C]]
// TILES: pto.tile.matmul.acc
// TILES-NEXT: %[[D:[0-9]+]] = pto.tile.cvt
// TILES-NEXT: pto.tile.sub %[[B]], %[[D]]
// TILES: pto.tile.matmul.acc
// TILES-NEXT: pto.channel.release
builtin.module attributes {ptir.extensions} {
func.func @fused(%x: tensor<2x16x32xbf16>, %w: tensor<3x32x8xbf16>) -> tensor<2x16x8xf32> {
  %0 = ptir.convolution %x, %w padding [(1, 1)] accum f32 out f32 {plan.algo_choice = {conv = "winograd_3x3", tolerance = 0.1, fused = true}} : (tensor<2x16x32xbf16>, tensor<3x32x8xbf16>) -> tensor<2x16x8xf32>
  func.return %0 : tensor<2x16x8xf32>
}
}

// -----

// Without the choice, it is stored.
// CHECK: region.kernel @stored_2
builtin.module attributes {ptir.extensions} {
func.func @stored(%x: tensor<2x16x32xbf16>, %w: tensor<3x32x8xbf16>) -> tensor<2x16x8xf32> {
  %0 = ptir.convolution %x, %w padding [(1, 1)] accum f32 out f32 {plan.algo_choice = {conv = "winograd_3x3", tolerance = 0.2}} : (tensor<2x16x32xbf16>, tensor<3x32x8xbf16>) -> tensor<2x16x8xf32>
  func.return %0 : tensor<2x16x8xf32>
}
}

// -----

// The products of the points are a result.
func.func @read_elsewhere(%x: tensor<16x32xbf16>, %w: tensor<2x32x8xbf16>) -> tensor<2x16x8xf32> {
  %0 = tiny.unary neg %x : tensor<16x32xbf16> -> tensor<16x32xbf16>
  %1 = tiny.movement reshape %x : tensor<16x32xbf16> -> tensor<1x16x32xbf16>
  %2 = tiny.movement reshape %0 : tensor<16x32xbf16> -> tensor<1x16x32xbf16>
  %3 = tiny.movement pad %1 low [0, 0, 0] high [1, 0, 0] value 0.0 : bf16 : tensor<1x16x32xbf16> -> tensor<2x16x32xbf16>
  %4 = tiny.movement pad %2 low [1, 0, 0] high [0, 0, 0] value 0.0 : bf16 : tensor<1x16x32xbf16> -> tensor<2x16x32xbf16>
  %5 = tiny.iota axis 0 : tensor<2x1x1xsi64>
  %6 = tiny.const dense<1> : tensor<si64>
  %7 = tiny.binary lt %5, %6 : (tensor<2x1x1xsi64>, tensor<si64>) -> tensor<2x1x1xi1>
  %8 = tiny.binary where %7, %3, %4 : (tensor<2x1x1xi1>, tensor<2x16x32xbf16>, tensor<2x16x32xbf16>) -> tensor<2x16x32xbf16>
  %9 = tiny.movement reshape %8 : tensor<2x16x32xbf16> -> tensor<2x16x32x1xbf16>
  %10 = tiny.movement reshape %w : tensor<2x32x8xbf16> -> tensor<2x1x32x8xbf16>
  %11 = tiny.unary cast %9 : tensor<2x16x32x1xbf16> -> tensor<2x16x32x1xf32>
  %12 = tiny.unary cast %10 : tensor<2x1x32x8xbf16> -> tensor<2x1x32x8xf32>
  %13 = tiny.binary mul %11, %12 : (tensor<2x16x32x1xf32>, tensor<2x1x32x8xf32>) -> tensor<2x16x32x8xf32>
  // expected-error@+1 {{it joins arrays, and the products of the batch are stored: nothing combines the products of its batch}}
  %14 = tiny.reduce sum %13 axes [2] accum f32 {plan.computes_lhs} : tensor<2x16x32x8xf32> -> tensor<2x16x8xf32>
  func.return %14 : tensor<2x16x8xf32>
}
