// RUN: ptir-opt %s -p tiny-split-reductions | filecheck %s

// Rows that a block holds or that enough blocks stream, many columns, short columns, and contractions stay.
// CHECK: func.func @whole
// CHECK-NEXT: tiny.reduce sum %x axes [1] accum f32 : tensor<4x16384xf32> -> tensor<4xf32>
// CHECK-NEXT: tiny.reduce sum %x2 axes [1] accum f32 : tensor<64x50000xf32> -> tensor<64xf32>
// CHECK-NEXT: tiny.reduce sum %y axes [0] accum f32 : tensor<128x70000xf32> -> tensor<70000xf32>
// CHECK-NEXT: tiny.reduce sum %z axes [0] accum f32 : tensor<300x50xf32> -> tensor<50xf32>
// CHECK-NEXT: func.return
func.func @whole(%x: tensor<4x16384xf32>, %x2: tensor<64x50000xf32>, %y: tensor<128x70000xf32>, %z: tensor<300x50xf32>) -> (tensor<4xf32>, tensor<64xf32>, tensor<70000xf32>, tensor<50xf32>) {
  %0 = tiny.reduce sum %x axes [1] accum f32 : tensor<4x16384xf32> -> tensor<4xf32>
  %x3 = tiny.reduce sum %x2 axes [1] accum f32 : tensor<64x50000xf32> -> tensor<64xf32>
  %1 = tiny.reduce sum %y axes [0] accum f32 : tensor<128x70000xf32> -> tensor<70000xf32>
  %2 = tiny.reduce sum %z axes [0] accum f32 : tensor<300x50xf32> -> tensor<50xf32>
  func.return %0, %x3, %1, %2 : tensor<4xf32>, tensor<64xf32>, tensor<70000xf32>, tensor<50xf32>
}

// CHECK: func.func @contraction
// CHECK: tiny.reduce sum %{{.*}} axes [1] accum f32 : tensor<2x20000x2xf32> -> tensor<2x2xf32>
// CHECK-NEXT: func.return
func.func @contraction(%x: tensor<2x20000x1xbf16>, %w: tensor<20000x2xbf16>) -> tensor<2x2xf32> {
  %0 = tiny.unary cast %x : tensor<2x20000x1xbf16> -> tensor<2x20000x1xf32>
  %1 = tiny.unary cast %w : tensor<20000x2xbf16> -> tensor<20000x2xf32>
  %2 = tiny.binary mul %0, %1 : (tensor<2x20000x1xf32>, tensor<20000x2xf32>) -> tensor<2x20000x2xf32>
  %3 = tiny.reduce sum %2 axes [1] accum f32 : tensor<2x20000x2xf32> -> tensor<2x2xf32>
  func.return %3 : tensor<2x2xf32>
}

// Sizes that are not numbers, and none, are not cut.
// CHECK: func.func @unknown
// CHECK-NEXT: tiny.reduce sum %x axes [0] accum f32 : tensor<?xf32> -> tensor<f32>
// CHECK-NEXT: tiny.reduce sum %y axes [0] accum f32 : tensor<0x20000xf32> -> tensor<20000xf32>
func.func @unknown(%x: tensor<?xf32>, %y: tensor<0x20000xf32>) -> (tensor<f32>, tensor<20000xf32>) {
  %0 = tiny.reduce sum %x axes [0] accum f32 : tensor<?xf32> -> tensor<f32>
  %1 = tiny.reduce sum %y axes [0] accum f32 : tensor<0x20000xf32> -> tensor<20000xf32>
  func.return %0, %1 : tensor<f32>, tensor<20000xf32>
}
