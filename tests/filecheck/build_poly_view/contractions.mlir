// RUN: ptir-opt %s -p ptir-to-tiny,build-poly-view | filecheck %s

// A convolution reads the image and the filters themselves: padding is a guard, stride and groups are in the map. What it
// comes from does not matter: the convolution of patches is the same one.

module attributes {ptir.extensions} {

// CHECK: poly.view @strided {
// CHECK: contraction_pattern <"{ [i0, i1, i2, i3, i4, i5, i6, i7] : {{.*}} }"> reduces ["i5", "i6", "i7"]
// CHECK-SAME: reads ["arg0", "arg1"] by [#poly.map<"{ [i0, i1, i2, i3, i4, i5, i6, i7] -> [i0, 2*i1 + i5 - 1, 2*i2 + i6 - 1, 2*i3 + i7] }">, #poly.map<"{ [i0, i1, i2, i3, i4, i5, i6, i7] -> [i5, i6, i7, 3*i3 + i4] }">]
// CHECK-SAME: guards [#poly.guard<"{ [i0, i1, i2, i3, i4, i5, i6, i7] : i5 > -2i1 and i6 > -2i2 }" else #ptir.scalar<0.0 : f32>>, unit]
// CHECK-SAME: pattern {pattern = "conv", lhs_idx = ["i3", "i0", "i1", "i2", "i5", "i6", "i7"], rhs_idx = ["i3", "i4", "i5", "i6", "i7"], out_idx = ["i0", "i1", "i2", "i3", "i4"], reduce_idx = ["i5", "i6", "i7"],
// CHECK-SAME: affine_offsets = {lhs = [{axis = 1 : i64, stride = 2 : i64, dilation = 1 : i64, offset = -1 : i64, out = "i1", window = "i5"}, {axis = 2 : i64, stride = 2 : i64, dilation = 1 : i64, offset = -1 : i64, out = "i2", window = "i6"}], rhs = []}, groups = 2 : i64}
func.func @strided(%x: tensor<2x8x8x4xf32>, %w: tensor<3x3x2x6xf32>) -> tensor<2x4x4x6xf32> {
  %y = ptir.convolution %x, %w strides [2, 2] padding [(1, 1), (1, 1)] groups 2 : (tensor<2x8x8x4xf32>, tensor<3x3x2x6xf32>) -> tensor<2x4x4x6xf32>
  func.return %y : tensor<2x4x4x6xf32>
}

// CHECK: poly.view @dilated {
// CHECK: contraction_pattern
// CHECK-SAME: reads ["arg0", "arg1"] by [#poly.map<"{ [i0, i1, i2, i3, i4] -> [i0, i1 + 2*i3 - 2, i4] }">
// CHECK-SAME: pattern = "conv"
// CHECK-SAME: {axis = 1 : i64, stride = 1 : i64, dilation = 2 : i64, offset = -2 : i64, out = "i1", window = "i3"}
func.func @dilated(%x: tensor<2x9x4xf32>, %w: tensor<3x4x6xf32>) -> tensor<2x9x6xf32> {
  %y = ptir.convolution %x, %w padding [(2, 2)] dilation [2] : (tensor<2x9x4xf32>, tensor<3x4x6xf32>) -> tensor<2x9x6xf32>
  func.return %y : tensor<2x9x6xf32>
}

// CHECK: poly.view @volume {
// CHECK: pattern = "conv"
// CHECK-SAME: axis = 1 : i64
// CHECK-SAME: axis = 2 : i64
// CHECK-SAME: axis = 3 : i64
func.func @volume(%x: tensor<1x5x6x7x2xf32>, %w: tensor<2x3x2x2x3xf32>) -> tensor<1x4x4x6x3xf32> {
  %y = ptir.convolution %x, %w : (tensor<1x5x6x7x2xf32>, tensor<2x3x2x2x3xf32>) -> tensor<1x4x4x6x3xf32>
  func.return %y : tensor<1x4x4x6x3xf32>
}

// CHECK: poly.view @patches {
// CHECK: contraction_pattern
// CHECK-SAME: reads ["arg0", "arg1"] by [#poly.map<"{ [i0, i1, i2, i3, i4, i5, i6] -> [i0, 2*i1 + i4 - 1, 2*i2 + i5 - 1, i6] }">, #poly.map<"{ [i0, i1, i2, i3, i4, i5, i6] -> [12*i4 + 4*i5 + i6, i3] }">]
// CHECK-SAME: pattern = "conv"
func.func @patches(%x: tensor<2x8x8x4xf32>, %w: tensor<36x6xf32>) -> tensor<2x4x4x6xf32> {
  %p = ptir.extract_patches %x window [3, 3] strides [2, 2] padding [(1, 1), (1, 1)] : tensor<2x8x8x4xf32> -> tensor<2x4x4x36xf32>
  %y = ptir.dot_general %p, %w contract [3] x [0] accum f32 out f32 : (tensor<2x4x4x36xf32>, tensor<36x6xf32>) -> tensor<2x4x4x6xf32>
  func.return %y : tensor<2x4x4x6xf32>
}

// One that reads each pixel alone is a matmul.
// CHECK: poly.view @pixels {
// CHECK: pattern = "matmul"
func.func @pixels(%x: tensor<2x8x8x4xf32>, %w: tensor<1x1x4x6xf32>) -> tensor<2x4x4x6xf32> {
  %y = ptir.convolution %x, %w strides [2, 2] : (tensor<2x8x8x4xf32>, tensor<1x1x4x6xf32>) -> tensor<2x4x4x6xf32>
  func.return %y : tensor<2x4x4x6xf32>
}

// Batches, shared between heads or not.
// CHECK: poly.view @heads {
// CHECK: contraction_pattern
// CHECK-SAME: reads ["arg0", "arg1"] by [#poly.map<"{ [i0, i1, i2, i3] -> [i0, i1, i3] }">, #poly.map<"{ [i0, i1, i2, i3] -> [i0, i2, i3] }">]
// CHECK-SAME: pattern = "matmul", lhs_idx = ["i0", "i1", "i3"], rhs_idx = ["i0", "i2", "i3"]
func.func @heads(%q: tensor<3x4x8xf32>, %k: tensor<3x5x8xf32>) -> tensor<3x4x5xf32> {
  %y = ptir.dot_general %q, %k batch [0] x [0] contract [2] x [2] : (tensor<3x4x8xf32>, tensor<3x5x8xf32>) -> tensor<3x4x5xf32>
  func.return %y : tensor<3x4x5xf32>
}

// CHECK: poly.view @window_sums {
// CHECK-NOT: contraction_pattern
// CHECK: reduce <"{ [i0, i1] : 0 <= i0 <= 5 and 0 <= i1 <= 2 }"> reduces ["i1"]
// CHECK-NOT: contraction_pattern
// CHECK: }
func.func @window_sums(%x: tensor<8xf32>) -> tensor<6xf32> {
  %y = ptir.reduce_window sum %x window [3] : tensor<8xf32> -> tensor<6xf32>
  func.return %y : tensor<6xf32>
}
}
