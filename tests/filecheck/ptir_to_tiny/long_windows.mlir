// RUN: ptir-opt %s -p ptir-to-tiny | filecheck %s

// A cumulative sum of 200 elements: sums of chunks of 32, of those before each chunk, and of those inside of it.
// CHECK: func.func @cumulative(%x: tensor<3x200xf32>) -> tensor<3x200xf32> {
// CHECK-NEXT: %0 = tiny.movement reshape %x : tensor<3x200xf32> -> tensor<3x1x200xf32>
// CHECK-NEXT: %1 = tiny.movement pad %0 low [0, 0, 0] high [0, 0, 24] value 0.0 : f32 : tensor<3x1x200xf32> -> tensor<3x1x224xf32>
// CHECK-NEXT: %2 = tiny.movement reshape %1 : tensor<3x1x224xf32> -> tensor<3x1x7x32xf32>
// CHECK-NEXT: %3 = tiny.reduce sum %2 axes [3] accum f32 : tensor<3x1x7x32xf32> -> tensor<3x1x7xf32>
// CHECK-NEXT: %4 = tiny.movement pad %3 low [0, 0, 6] high [0, 0, 0] value 0.0 : f32 : tensor<3x1x7xf32> -> tensor<3x1x13xf32>
// CHECK-NEXT: %5 = tiny.movement view %4 offset 0 strides [13, 0, 1, 1] : tensor<3x1x13xf32> -> tensor<3x1x7x7xf32>
// CHECK-NEXT: %6 = tiny.reduce sum %5 axes [3] accum f32 : tensor<3x1x7x7xf32> -> tensor<3x1x7xf32>
// CHECK-NEXT: %7 = tiny.movement pad %6 low [0, 0, 1] high [0, 0, 0] value 0.0 : f32 : tensor<3x1x7xf32> -> tensor<3x1x8xf32>
// CHECK-NEXT: %8 = tiny.movement shrink %7 from [0, 0, 0] : tensor<3x1x8xf32> -> tensor<3x1x7xf32>
// CHECK-NEXT: %9 = tiny.movement reshape %8 : tensor<3x1x7xf32> -> tensor<3x1x7x1xf32>
// CHECK-NEXT: %10 = tiny.movement pad %2 low [0, 0, 0, 31] high [0, 0, 0, 0] value 0.0 : f32 : tensor<3x1x7x32xf32> -> tensor<3x1x7x63xf32>
// CHECK-NEXT: %11 = tiny.movement view %10 offset 0 strides [441, 0, 63, 1, 1] : tensor<3x1x7x63xf32> -> tensor<3x1x7x32x32xf32>
// CHECK-NEXT: %12 = tiny.reduce sum %11 axes [4] accum f32 : tensor<3x1x7x32x32xf32> -> tensor<3x1x7x32xf32>
// CHECK-NEXT: %13 = tiny.binary add %9, %12 : (tensor<3x1x7x1xf32>, tensor<3x1x7x32xf32>) -> tensor<3x1x7x32xf32>
// CHECK-NEXT: %14 = tiny.movement reshape %13 : tensor<3x1x7x32xf32> -> tensor<3x1x224xf32>
// CHECK-NEXT: %15 = tiny.movement shrink %14 from [0, 0, 0] : tensor<3x1x224xf32> -> tensor<3x1x200xf32>
// CHECK-NEXT: %16 = tiny.movement reshape %15 : tensor<3x1x200xf32> -> tensor<3x200xf32>
// CHECK-NEXT: func.return %16 : tensor<3x200xf32>
func.func @cumulative(%x: tensor<3x200xf32>) -> tensor<3x200xf32> {
  %0 = ptir.reduce_window sum %x window [1, 200] padding [(0, 0), (199, 0)] : tensor<3x200xf32> -> tensor<3x200xf32>
  func.return %0 : tensor<3x200xf32>
}

// Few positions are read directly, however long the window is: each element is read once.
// CHECK: func.func @global_pool(
// CHECK-NEXT: %0 = tiny.movement view %x offset 0 strides [0, 0, 0, 1, 448, 8] : tensor<1x56x56x8xf32> -> tensor<1x1x1x8x56x56xf32>
// CHECK-NEXT: %1 = tiny.reduce sum %0 axes [4, 5] accum f32
// CHECK-NEXT: func.return %1
func.func @global_pool(%x: tensor<1x56x56x8xf32>) -> tensor<1x1x1x8xf32> {
  %0 = ptir.reduce_window sum %x window [1, 56, 56, 1] : tensor<1x56x56x8xf32> -> tensor<1x1x1x8xf32>
  func.return %0 : tensor<1x1x1x8xf32>
}

// So are windows with gaps.
// CHECK: func.func @dilated(
// CHECK-NEXT: %0 = tiny.movement view %x offset 0 strides [1, 2] : tensor<600xf32> -> tensor<202x200xf32>
// CHECK-NEXT: %1 = tiny.reduce sum %0 axes [1] accum f32
// CHECK-NEXT: func.return %1
func.func @dilated(%x: tensor<600xf32>) -> tensor<202xf32> {
  %0 = ptir.reduce_window sum %x window [200] dilation [2] : tensor<600xf32> -> tensor<202xf32>
  func.return %0 : tensor<202xf32>
}
