// RUN: ptir-opt %s -p 'ptir-to-tiny,form-regions,plan-regions{arch=sm80}' --split-input-file | filecheck %s

// The plan of a convolution names its algorithm; steps of k are parts of a tap where the channels allow it.

// CHECK: region.kernel @plain_0
// CHECK-SAME: tile = [{{[0-9]+}}, {{[0-9]+}}, 32]
// CHECK-SAME: algo_choice = {matmul = "{{[a-z_]+}}", conv = "implicit_gemm"}

builtin.module attributes {ptir.extensions} {
func.func @plain(%x: tensor<8x14x14x96xbf16>, %w: tensor<3x3x96x64xbf16>) -> tensor<8x12x12x64xf32> {
  %0 = ptir.convolution %x, %w accum f32 out f32 : (tensor<8x14x14x96xbf16>, tensor<3x3x96x64xbf16>) -> tensor<8x12x12x64xf32>
  func.return %0 : tensor<8x12x12x64xf32>
}
}

// -----

// CHECK: region.kernel @depthwise_0
// CHECK-SAME: algo_choice = {conv = "direct"}

builtin.module attributes {ptir.extensions} {
func.func @depthwise(%x: tensor<8x14x14x96xbf16>, %w: tensor<3x3x1x96xbf16>) -> tensor<8x12x12x96xf32> {
  %0 = ptir.convolution %x, %w groups 96 accum f32 out f32 : (tensor<8x14x14x96xbf16>, tensor<3x3x1x96xbf16>) -> tensor<8x12x12x96xf32>
  func.return %0 : tensor<8x12x12x96xf32>
}
}

// -----

// A product is no convolution.

// CHECK: region.kernel @product_0
// CHECK-NOT: conv =
// CHECK: region.yield

func.func @product(%x: tensor<64x64xbf16>, %w: tensor<64x64xbf16>) -> tensor<64x64xf32> {
  %0 = ptir.dot_general %x, %w contract [1] x [0] accum f32 out f32 : (tensor<64x64xbf16>, tensor<64x64xbf16>) -> tensor<64x64xf32>
  func.return %0 : tensor<64x64xf32>
}
