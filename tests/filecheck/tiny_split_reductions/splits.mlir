// RUN: ptir-opt %s -p tiny-split-reductions | filecheck %s
// RUN: ptir-opt %s -p tiny-split-reductions --validate-passes -o /dev/null

// A row that one block would stream too slowly becomes rows; a number of parts that divides it needs no pad.
// CHECK: func.func @even
// CHECK-NEXT: %[[ROWS:.*]] = tiny.movement reshape %x : tensor<400000xf32> -> tensor<50x8000xf32>
// CHECK-NEXT: %[[PARTS:.*]] = tiny.reduce sum %[[ROWS]] axes [1] accum f32 : tensor<50x8000xf32> -> tensor<50xf32>
// CHECK-NEXT: tiny.reduce sum %[[PARTS]] axes [0] accum f32 : tensor<50xf32> -> tensor<f32>
func.func @even(%x: tensor<400000xf32>) -> tensor<f32> {
  %0 = tiny.reduce sum %x axes [0] accum f32 : tensor<400000xf32> -> tensor<f32>
  func.return %0 : tensor<f32>
}

// A prime length is padded by what changes no maximum.
// CHECK: func.func @prime
// CHECK-NEXT: %[[PAD:.*]] = tiny.movement pad %x low [0, 0] high [0, 22] value "0x00FC" : f16 : tensor<3x200003xf16> -> tensor<3x200025xf16>
// CHECK-NEXT: %[[ROWS:.*]] = tiny.movement reshape %[[PAD]] : tensor<3x200025xf16> -> tensor<3x25x8001xf16>
// CHECK-NEXT: %[[PARTS:.*]] = tiny.reduce max %[[ROWS]] axes [2] accum f16 : tensor<3x25x8001xf16> -> tensor<3x25xf16>
// CHECK-NEXT: tiny.reduce max %[[PARTS]] axes [1] accum f16 : tensor<3x25xf16> -> tensor<3xf16>
func.func @prime(%x: tensor<3x200003xf16>) -> tensor<3xf16> {
  %0 = tiny.reduce max %x axes [1] accum f16 : tensor<3x200003xf16> -> tensor<3xf16>
  func.return %0 : tensor<3xf16>
}

// Of several axes the outermost is cut, so that rows stay contiguous.
// CHECK: func.func @all
// CHECK-NEXT: %[[ROWS:.*]] = tiny.movement reshape %x : tensor<300x1000xf32> -> tensor<50x6x1000xf32>
// CHECK-NEXT: %[[PARTS:.*]] = tiny.reduce sum %[[ROWS]] axes [1, 2] accum f32 : tensor<50x6x1000xf32> -> tensor<50xf32>
// CHECK-NEXT: tiny.reduce sum %[[PARTS]] axes [0]
func.func @all(%x: tensor<300x1000xf32>) -> tensor<f32> {
  %0 = tiny.reduce sum %x axes [0, 1] accum f32 : tensor<300x1000xf32> -> tensor<f32>
  func.return %0 : tensor<f32>
}

// Few long columns are cut into parts.
// CHECK: func.func @columns
// CHECK: tiny.reduce sum %{{.*}} axes [1] accum f32 : tensor<100x60x7xf32> -> tensor<100x7xf32>
// CHECK-NEXT: tiny.reduce sum %{{.*}} axes [0] accum f32 : tensor<100x7xf32> -> tensor<7xf32>
func.func @columns(%x: tensor<6000x7xf32>) -> tensor<7xf32> {
  %0 = tiny.reduce sum %x axes [0] accum f32 : tensor<6000x7xf32> -> tensor<7xf32>
  func.return %0 : tensor<7xf32>
}

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

// A sum with one term that is not zero is not split: a kernel loads only this term.
// CHECK: func.func @one_hot
// CHECK-COUNT-2: tiny.reduce max
// CHECK: tiny.reduce sum {{.*}} axes [1] accum f32 : tensor<3x400000xf32> -> tensor<3xf32>
func.func @one_hot(%x: tensor<3x400000xf32>, %t: tensor<3x1xsi32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %0 = tiny.reduce max %x axes [1] accum f32 : tensor<3x400000xf32> -> tensor<3xf32>
  %i = tiny.iota axis 1 : tensor<3x400000xsi32>
  %1 = tiny.movement expand %t : tensor<3x1xsi32> -> tensor<3x400000xsi32>
  %2 = tiny.binary eq %i, %1 : (tensor<3x400000xsi32>, tensor<3x400000xsi32>) -> tensor<3x400000xi1>
  %zero = tiny.const dense<0.0> : tensor<3x400000xf32>
  %3 = tiny.binary where %2, %x, %zero : (tensor<3x400000xi1>, tensor<3x400000xf32>, tensor<3x400000xf32>) -> tensor<3x400000xf32>
  %4 = tiny.reduce sum %3 axes [1] accum f32 : tensor<3x400000xf32> -> tensor<3xf32>
  func.return %0, %4 : tensor<3xf32>, tensor<3xf32>
}
