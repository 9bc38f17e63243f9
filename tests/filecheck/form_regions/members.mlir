// RUN: ptir-opt %s -p 'ptir-to-tiny,form-regions{arch=sm80}' --split-input-file --validate-passes | filecheck %s
// RUN: ptir-opt %s -p 'ptir-to-tiny,form-regions' --split-input-file | filecheck %s --check-prefix NO-ARCH

// The members of a batch of products are combined by the products' kernel. Without an architecture, they are stored.
// CHECK-LABEL: region.kernel @combined_0
// CHECK-NOT: region.kernel
// CHECK: func.func @combined
// NO-ARCH: region.kernel @combined_1
func.func @combined(%x: tensor<2x16x16xbf16>, %w: tensor<2x16x8xbf16>) -> tensor<16x8xf32> {
  %0 = ptir.dot_general %x, %w batch [0] x [0] contract [2] x [1] accum f32 out f32 : (tensor<2x16x16xbf16>, tensor<2x16x8xbf16>) -> tensor<2x16x8xf32>
  %1 = ptir.slice %0 [0, 0, 0] : tensor<2x16x8xf32> -> tensor<1x16x8xf32>
  %2 = ptir.slice %0 [1, 0, 0] : tensor<2x16x8xf32> -> tensor<1x16x8xf32>
  %3 = ptir.mul %1, %2 : tensor<1x16x8xf32>
  %4 = ptir.reshape %3 : tensor<1x16x8xf32> -> tensor<16x8xf32>
  func.return %4 : tensor<16x8xf32>
}

// -----

// A member is not read: the kernel would multiply it for nothing.
// CHECK: region.kernel @one_is_not_read_1
func.func @one_is_not_read(%x: tensor<3x16x16xbf16>, %w: tensor<3x16x8xbf16>) -> tensor<1x16x8xf32> {
  %0 = ptir.dot_general %x, %w batch [0] x [0] contract [2] x [1] accum f32 out f32 : (tensor<3x16x16xbf16>, tensor<3x16x8xbf16>) -> tensor<3x16x8xf32>
  %1 = ptir.slice %0 [0, 0, 0] : tensor<3x16x8xf32> -> tensor<1x16x8xf32>
  %2 = ptir.slice %0 [1, 0, 0] : tensor<3x16x8xf32> -> tensor<1x16x8xf32>
  %3 = ptir.mul %1, %2 : tensor<1x16x8xf32>
  func.return %3 : tensor<1x16x8xf32>
}

// -----

// The products are also a result.
// CHECK: region.kernel @read_elsewhere_1
func.func @read_elsewhere(%x: tensor<2x16x16xbf16>, %w: tensor<2x16x8xbf16>) -> (tensor<2x16x8xf32>, tensor<1x16x8xf32>) {
  %0 = ptir.dot_general %x, %w batch [0] x [0] contract [2] x [1] accum f32 out f32 : (tensor<2x16x16xbf16>, tensor<2x16x8xbf16>) -> tensor<2x16x8xf32>
  %1 = ptir.slice %0 [0, 0, 0] : tensor<2x16x8xf32> -> tensor<1x16x8xf32>
  %2 = ptir.slice %0 [1, 0, 0] : tensor<2x16x8xf32> -> tensor<1x16x8xf32>
  %3 = ptir.mul %1, %2 : tensor<1x16x8xf32>
  func.return %0, %3 : tensor<2x16x8xf32>, tensor<1x16x8xf32>
}

// -----

// Rows are read at two positions.
// CHECK: region.kernel @two_positions_1
func.func @two_positions(%x: tensor<2x16x16xbf16>, %w: tensor<2x16x8xbf16>) -> tensor<1x15x8xf32> {
  %0 = ptir.dot_general %x, %w batch [0] x [0] contract [2] x [1] accum f32 out f32 : (tensor<2x16x16xbf16>, tensor<2x16x8xbf16>) -> tensor<2x16x8xf32>
  %1 = ptir.slice %0 [0, 0, 0] : tensor<2x16x8xf32> -> tensor<1x15x8xf32>
  %2 = ptir.slice %0 [1, 1, 0] : tensor<2x16x8xf32> -> tensor<1x15x8xf32>
  %3 = ptir.mul %1, %2 : tensor<1x15x8xf32>
  func.return %3 : tensor<1x15x8xf32>
}

// -----

// More members than a warp has accumulators for.
// CHECK: region.kernel @many_1
func.func @many(%x: tensor<17x16x16xbf16>, %w: tensor<17x16x8xbf16>) -> tensor<16x8xf32> {
  %0 = ptir.dot_general %x, %w batch [0] x [0] contract [2] x [1] accum f32 out f32 : (tensor<17x16x16xbf16>, tensor<17x16x8xbf16>) -> tensor<17x16x8xf32>
  %1 = ptir.reduce sum %0 axes [0] accum f32 : tensor<17x16x8xf32> -> tensor<16x8xf32>
  func.return %1 : tensor<16x8xf32>
}

// -----

// A reduction reads what joins many computed values: an earlier kernel computes them.
// CHECK: region.kernel @joined_0{{.*}} -> (%{{.*}}: memref<10x64xf32> align 256 deferred)
// CHECK: region.kernel @joined_1
builtin.module attributes {ptir.extensions} {
func.func @joined(%x: tensor<1x64xf32>) -> tensor<10xf32> {
  %0 = ptir.exp %x : tensor<1x64xf32>
  %1 = ptir.tanh %x : tensor<1x64xf32>
  %2 = ptir.sin %x : tensor<1x64xf32>
  %3 = ptir.cos %x : tensor<1x64xf32>
  %4 = ptir.neg %x : tensor<1x64xf32>
  %5 = ptir.abs %x : tensor<1x64xf32>
  %6 = ptir.sqrt %x : tensor<1x64xf32>
  %7 = ptir.log %x : tensor<1x64xf32>
  %8 = ptir.logistic %x : tensor<1x64xf32>
  %9 = ptir.rsqrt %x : tensor<1x64xf32>
  %c = ptir.concat %0, %1, %2, %3, %4, %5, %6, %7, %8, %9 axis 0 : (tensor<1x64xf32>, tensor<1x64xf32>, tensor<1x64xf32>, tensor<1x64xf32>, tensor<1x64xf32>, tensor<1x64xf32>, tensor<1x64xf32>, tensor<1x64xf32>, tensor<1x64xf32>, tensor<1x64xf32>) -> tensor<10x64xf32>
  %r = ptir.reduce sum %c axes [1] accum f32 : tensor<10x64xf32> -> tensor<10xf32>
  func.return %r : tensor<10xf32>
}
}
