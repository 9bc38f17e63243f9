// RUN: ptir-opt %s -p 'ptir-to-tiny,form-regions{arch=sm80},plan-regions{arch=sm80},region-to-pto' --split-input-file | filecheck %s

// An array is two sources of an operand. What is outside of it is zero in the ring: no select.

// CHECK-LABEL: pto.kernel @row_before_0
// CHECK: pto.process
// CHECK: pto.tile.load.map %x[%m, %n, %k] by <"{ [i0, i1, i2] -> [(-1 + i0), (i2)] }"> in [32, 16, 64] dims [0, 2] where <"{ [i0, i1, i2] : i0 > 0 }"> : memref<32x64xbf16>
// CHECK-NEXT: pto.tile.load.map %x[%m, %n, %k] by <"{ [i0, i1, i2] -> [(i0), (i2)] }"> in [32, 16, 64] dims [0, 2] : memref<32x64xbf16>
// CHECK: pto.channel.wait
// CHECK-NOT: pto.tile.mask
// CHECK-NOT: pto.tile.sel
// CHECK: pto.tile.mov.v2l
func.func @row_before(%x: tensor<32x64xbf16>, %w: tensor<64x16xbf16>) -> tensor<32x16xf32> {
  %0 = ptir.pad %x with 0.0 : bf16 low [1, 0] high [0, 0] interior [0, 0] : tensor<32x64xbf16> -> tensor<33x64xbf16>
  %1 = ptir.slice %0 [0, 0] : tensor<33x64xbf16> -> tensor<32x64xbf16>
  %2 = ptir.sub %x, %1 : tensor<32x64xbf16>
  %3 = ptir.dot_general %2, %w contract [1] x [0] accum f32 out f32 : (tensor<32x64xbf16>, tensor<64x16xbf16>) -> tensor<32x16xf32>
  func.return %3 : tensor<32x16xf32>
}

// -----

// Padding by ones, and of what is computed: selects.

// CHECK-LABEL: pto.kernel @ones_0
// CHECK: pto.tile.load.map %x[%m, %n, %k] {{.*}} where <"{ [i0, i1, i2] : i0 > 0 }"> : memref<32x64xbf16>
// CHECK: pto.channel.wait
// CHECK: pto.tile.exp
// CHECK: %[[IN:.*]] = pto.tile.mask[%m, %n, %k_1] in [32, 16, 64] dims [0, 2] where <"{ [i0, i1, i2] : i0 > 0 }">
// CHECK: pto.tile.sel %[[IN]]
func.func @ones(%x: tensor<32x64xbf16>, %w: tensor<64x16xbf16>) -> tensor<32x16xf32> {
  %0 = ptir.exp %x : tensor<32x64xbf16>
  %1 = ptir.pad %0 with 1.0 : bf16 low [1, 0] high [0, 0] interior [0, 0] : tensor<32x64xbf16> -> tensor<33x64xbf16>
  %2 = ptir.slice %1 [0, 0] : tensor<33x64xbf16> -> tensor<32x64xbf16>
  %3 = ptir.abs %2 : tensor<32x64xbf16>
  %4 = ptir.dot_general %3, %w contract [1] x [0] accum f32 out f32 : (tensor<32x64xbf16>, tensor<64x16xbf16>) -> tensor<32x16xf32>
  func.return %4 : tensor<32x16xf32>
}
