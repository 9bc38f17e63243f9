// RUN: ptir-opt %s --ptir-decompose=ops=convolution | filecheck %s
// RUN: ptir-opt %s --ptir-decompose=ops=convolution --ptir-form-convolutions | filecheck %s --check-prefix=BACK

builtin.module attributes {ptir.extensions} {
  // CHECK-LABEL: func.func @one
  // CHECK-NEXT: %0 = ptir.extract_patches %x window [3, 3] strides [2, 1] padding [(1, 1), (0, 2)] : tensor<2x8x8x3xbf16> -> tensor<2x4x8x27xbf16>
  // CHECK-NEXT: %1 = ptir.reshape %w : tensor<3x3x3x5xbf16> -> tensor<27x5xbf16>
  // CHECK-NEXT: %{{.*}} = ptir.dot_general %0, %1 contract [3] x [0] accum f32 out f32 : (tensor<2x4x8x27xbf16>, tensor<27x5xbf16>) -> tensor<2x4x8x5xf32>
  // BACK-LABEL: func.func @one
  // BACK-NEXT: %{{.*}} = ptir.convolution %x, %w strides [2, 1] padding [(1, 1), (0, 2)] accum f32 out f32 : (tensor<2x8x8x3xbf16>, tensor<3x3x3x5xbf16>) -> tensor<2x4x8x5xf32>
  // BACK-NEXT: func.return
  func.func @one(%x: tensor<2x8x8x3xbf16>, %w: tensor<3x3x3x5xbf16>) -> tensor<2x4x8x5xf32> {
    %0 = ptir.convolution %x, %w strides [2, 1] padding [(1, 1), (0, 2)] accum f32 out f32 : (tensor<2x8x8x3xbf16>, tensor<3x3x3x5xbf16>) -> tensor<2x4x8x5xf32>
    func.return %0 : tensor<2x4x8x5xf32>
  }
  // CHECK-LABEL: func.func @rounded
  // CHECK: ptir.dot_general {{.*}} contract [2] x [0] precision tf32
  // BACK-LABEL: func.func @rounded
  // BACK-NEXT: ptir.convolution %x, %w precision tf32
  func.func @rounded(%x: tensor<2x8x4xf32>, %w: tensor<3x4x6xf32>) -> tensor<2x6x6xf32> {
    %0 = ptir.convolution %x, %w precision tf32 : (tensor<2x8x4xf32>, tensor<3x4x6xf32>) -> tensor<2x6x6xf32>
    func.return %0 : tensor<2x6x6xf32>
  }
  // CHECK-LABEL: func.func @groups
  // CHECK: ptir.dot_general {{.*}} batch [3] x [2] contract [2, 4] x [0, 1] precision tf32
  // CHECK: ptir.transpose {{.*}} [1, 2, 0, 3]
  // BACK-LABEL: func.func @groups
  // BACK: ptir.dot_general
  func.func @groups(%x: tensor<2x8x4xf32>, %w: tensor<3x2x6xf32>) -> tensor<2x6x6xf32> {
    %0 = ptir.convolution %x, %w groups 2 precision tf32 : (tensor<2x8x4xf32>, tensor<3x2x6xf32>) -> tensor<2x6x6xf32>
    func.return %0 : tensor<2x6x6xf32>
  }
}
