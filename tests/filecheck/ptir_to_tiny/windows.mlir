// RUN: ptir-opt %s -p ptir-to-tiny | filecheck %s

// Windows are axes of a view: positions first, then what is in a window. Padding of a maximum is the least value.

// CHECK: func.func @pool(%x: tensor<3x7x8xf32>) -> tensor<3x4x4xf32> {
// CHECK-NEXT: %0 = tiny.movement pad %x low [0, 1, 0] high [0, 1, 0] value "0x000080FF" : f32 : tensor<3x7x8xf32> -> tensor<3x9x8xf32>
// CHECK-NEXT: %1 = tiny.movement view %0 offset 0 strides [72, 16, 2, 8, 1] : tensor<3x9x8xf32> -> tensor<3x4x4x3x2xf32>
// CHECK-NEXT: %2 = tiny.reduce max %1 axes [3, 4] accum f32 : tensor<3x4x4x3x2xf32> -> tensor<3x4x4xf32>
// CHECK-NEXT: func.return %2 : tensor<3x4x4xf32>
func.func @pool(%x: tensor<3x7x8xf32>) -> tensor<3x4x4xf32> {
  %0 = ptir.reduce_window max %x window [1, 3, 2] strides [1, 2, 2] padding [(0, 0), (1, 1), (0, 0)] : tensor<3x7x8xf32> -> tensor<3x4x4xf32>
  func.return %0 : tensor<3x4x4xf32>
}

// Dilation is the stride inside of a window; sums accumulate in f32, and what is padded with 0 is the input.
// CHECK: func.func @dilated(%x: tensor<9xbf16>) -> tensor<7xbf16> {
// CHECK-NEXT: %0 = tiny.unary cast %x : tensor<9xbf16> -> tensor<9xf32>
// CHECK-NEXT: %1 = tiny.movement pad %0 low [2] high [0] value 0.0 : f32 : tensor<9xf32> -> tensor<11xf32>
// CHECK-NEXT: %2 = tiny.movement view %1 offset 0 strides [1, 2] : tensor<11xf32> -> tensor<7x3xf32>
// CHECK-NEXT: %3 = tiny.reduce sum %2 axes [1] accum f32 : tensor<7x3xf32> -> tensor<7xf32>
// CHECK-NEXT: %4 = tiny.unary cast %3 : tensor<7xf32> -> tensor<7xbf16>
// CHECK-NEXT: func.return %4 : tensor<7xbf16>
func.func @dilated(%x: tensor<9xbf16>) -> tensor<7xbf16> {
  %0 = ptir.reduce_window sum %x window [3] padding [(2, 0)] dilation [2] : tensor<9xbf16> -> tensor<7xbf16>
  func.return %0 : tensor<7xbf16>
}

// Base dilation puts values between the elements; negative padding takes away what is then at the edge.
// CHECK: func.func @spread(%x: tensor<3xsi8>) -> tensor<5xsi8> {
// CHECK-NEXT: %0 = tiny.movement reshape %x : tensor<3xsi8> -> tensor<3x1xsi8>
// CHECK-NEXT: %1 = tiny.movement pad %0 low [0, 0] high [0, 1] value 127 : si8 : tensor<3x1xsi8> -> tensor<3x2xsi8>
// CHECK-NEXT: %2 = tiny.movement reshape %1 : tensor<3x2xsi8> -> tensor<6xsi8>
// CHECK-NEXT: %3 = tiny.movement shrink %2 from [0] : tensor<6xsi8> -> tensor<5xsi8>
// CHECK-NEXT: %4 = tiny.movement pad %3 low [0] high [2] value 127 : si8 : tensor<5xsi8> -> tensor<7xsi8>
// CHECK-NEXT: %5 = tiny.movement shrink %4 from [1] : tensor<7xsi8> -> tensor<6xsi8>
// CHECK-NEXT: %6 = tiny.movement view %5 offset 0 strides [1, 1] : tensor<6xsi8> -> tensor<5x2xsi8>
// CHECK-NEXT: %7 = tiny.reduce min %6 axes [1] accum si8 : tensor<5x2xsi8> -> tensor<5xsi8>
// CHECK-NEXT: func.return %7 : tensor<5xsi8>
func.func @spread(%x: tensor<3xsi8>) -> tensor<5xsi8> {
  %0 = ptir.reduce_window min %x window [2] padding [(-1, 2)] base_dilation [2] : tensor<3xsi8> -> tensor<5xsi8>
  func.return %0 : tensor<5xsi8>
}

// Windows that lie side by side are a reshape, windows of one element nothing, but that a sum begins at 0.
// CHECK: func.func @side_by_side(%x: tensor<2x6xf32>) -> (tensor<2x3xf32>, tensor<2x6xf32>, tensor<2x6xf32>) {
// CHECK-NEXT: %0 = tiny.movement reshape %x : tensor<2x6xf32> -> tensor<2x3x2xf32>
// CHECK-NEXT: %1 = tiny.reduce max %0 axes [2] accum f32 : tensor<2x3x2xf32> -> tensor<2x3xf32>
// CHECK-NEXT: %2 = tiny.const dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %3 = tiny.binary add %x, %2 : (tensor<2x6xf32>, tensor<f32>) -> tensor<2x6xf32>
// CHECK-NEXT: func.return %1, %x, %3 : tensor<2x3xf32>, tensor<2x6xf32>, tensor<2x6xf32>
func.func @side_by_side(%x: tensor<2x6xf32>) -> (tensor<2x3xf32>, tensor<2x6xf32>, tensor<2x6xf32>) {
  %0 = ptir.reduce_window max %x window [1, 2] strides [1, 2] : tensor<2x6xf32> -> tensor<2x3xf32>
  %1 = ptir.reduce_window min %x window [1, 1] : tensor<2x6xf32> -> tensor<2x6xf32>
  %2 = ptir.reduce_window sum %x window [1, 1] : tensor<2x6xf32> -> tensor<2x6xf32>
  func.return %0, %1, %2 : tensor<2x3xf32>, tensor<2x6xf32>, tensor<2x6xf32>
}

// A type without infinity is folded in one that has it.
// CHECK: func.func @no_infinity(%x: tensor<4xf8E4M3FN>) -> tensor<4xf8E4M3FN> {
// CHECK-NEXT: %0 = tiny.unary cast %x : tensor<4xf8E4M3FN> -> tensor<4xf16>
// CHECK-NEXT: %1 = tiny.movement pad %0 low [1] high [0] value "0x00FC" : f16 : tensor<4xf16> -> tensor<5xf16>
// CHECK-NEXT: %2 = tiny.movement view %1 offset 0 strides [1, 1] : tensor<5xf16> -> tensor<4x2xf16>
// CHECK-NEXT: %3 = tiny.reduce max %2 axes [1] accum f16 : tensor<4x2xf16> -> tensor<4xf16>
// CHECK-NEXT: %4 = tiny.unary cast %3 : tensor<4xf16> -> tensor<4xf8E4M3FN>
// CHECK-NEXT: func.return %4 : tensor<4xf8E4M3FN>
func.func @no_infinity(%x: tensor<4xf8E4M3FN>) -> tensor<4xf8E4M3FN> {
  %0 = ptir.reduce_window max %x window [2] padding [(1, 0)] accum f8E4M3FN : tensor<4xf8E4M3FN> -> tensor<4xf8E4M3FN>
  func.return %0 : tensor<4xf8E4M3FN>
}

// CHECK: func.func @patches(%x: tensor<1x8x8x4xf32>) -> tensor<1x4x8x24xf32> {
// CHECK-NEXT: %0 = tiny.movement pad %x low [0, 1, 1, 0] high [0, 1, 0, 0] value -1.0 : f32 : tensor<1x8x8x4xf32> -> tensor<1x10x9x4xf32>
// CHECK-NEXT: %1 = tiny.movement view %0 offset 0 strides [0, 72, 4, 36, 4, 1] : tensor<1x10x9x4xf32> -> tensor<1x4x8x3x2x4xf32>
// CHECK-NEXT: %2 = tiny.movement reshape %1 : tensor<1x4x8x3x2x4xf32> -> tensor<1x4x8x24xf32>
// CHECK-NEXT: func.return %2 : tensor<1x4x8x24xf32>
func.func @patches(%x: tensor<1x8x8x4xf32>) -> tensor<1x4x8x24xf32> {
  %0 = ptir.extract_patches %x window [3, 2] strides [2, 1] padding [(1, 1), (1, 0)] pad_value -1.0 : f32 : tensor<1x8x8x4xf32> -> tensor<1x4x8x24xf32>
  func.return %0 : tensor<1x4x8x24xf32>
}
