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
