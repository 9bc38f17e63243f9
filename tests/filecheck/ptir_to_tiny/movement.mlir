// RUN: ptir-opt %s -p ptir-to-tiny | filecheck %s

// CHECK: func.func @moves(%x: tensor<4x6xf32>) -> tensor<3x24xf32> {
// CHECK-NEXT: %0 = tiny.movement permute %x by [1, 0] : tensor<4x6xf32> -> tensor<6x4xf32>
// CHECK-NEXT: %1 = tiny.movement reshape %0 : tensor<6x4xf32> -> tensor<24xf32>
// CHECK-NEXT: %2 = tiny.movement expand %1 : tensor<24xf32> -> tensor<3x24xf32>
// CHECK-NEXT: func.return %2 : tensor<3x24xf32>
func.func @moves(%x: tensor<4x6xf32>) -> tensor<3x24xf32> {
  %0 = ptir.transpose %x [-1, 0] : tensor<4x6xf32> -> tensor<6x4xf32>
  %1 = ptir.reshape %0 : tensor<6x4xf32> -> tensor<24xf32>
  %2 = ptir.broadcast_to %1 : tensor<24xf32> -> tensor<3x24xf32>
  func.return %2 : tensor<3x24xf32>
}

// What moves nothing is not written.
// CHECK: func.func @still(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
// CHECK-NEXT: func.return %x : tensor<4x6xf32>
func.func @still(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = ptir.transpose %x [0, 1] : tensor<4x6xf32> -> tensor<4x6xf32>
  %1 = ptir.reshape %0 : tensor<4x6xf32> -> tensor<4x6xf32>
  %2 = ptir.broadcast_to %1 : tensor<4x6xf32> -> tensor<4x6xf32>
  %3 = ptir.reduce max %2 axes [] : tensor<4x6xf32> -> tensor<4x6xf32>
  func.return %3 : tensor<4x6xf32>
}

// What is tiny already, and what is neither, is left alone; so is a module without ptir.
// CHECK: func.func @others(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: %0 = tiny.binary add %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %1 = arith.addf %0, %y : tensor<4xf32>
// CHECK-NEXT: func.return %1 : tensor<4xf32>
func.func @others(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tiny.binary add %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = arith.addf %0, %y : tensor<4xf32>
  func.return %1 : tensor<4xf32>
}

// A slice is a shrink, a pad a pad; values between elements are padded on an axis of their own.
// CHECK: func.func @edges(%x: tensor<4x6xf32>) -> (tensor<2x6xf32>, tensor<6x6xf32>, tensor<8x6xf32>) {
// CHECK-NEXT: %0 = tiny.movement shrink %x from [1, 0] : tensor<4x6xf32> -> tensor<2x6xf32>
// CHECK-NEXT: %1 = tiny.movement pad %x low [2, 0] high [0, 0] value -0.0 : f32 : tensor<4x6xf32> -> tensor<6x6xf32>
// CHECK-NEXT: %2 = tiny.movement reshape %x : tensor<4x6xf32> -> tensor<4x1x6xf32>
// CHECK-NEXT: %3 = tiny.movement pad %2 low [0, 0, 0] high [0, 1, 0] value 1.0 : f32 : tensor<4x1x6xf32> -> tensor<4x2x6xf32>
// CHECK-NEXT: %4 = tiny.movement reshape %3 : tensor<4x2x6xf32> -> tensor<8x6xf32>
// CHECK-NEXT: %5 = tiny.movement shrink %4 from [0, 0] : tensor<8x6xf32> -> tensor<7x6xf32>
// CHECK-NEXT: %6 = tiny.movement pad %5 low [1, 0] high [0, 0] value 1.0 : f32 : tensor<7x6xf32> -> tensor<8x6xf32>
// CHECK-NEXT: func.return %0, %1, %6 : tensor<2x6xf32>, tensor<6x6xf32>, tensor<8x6xf32>
func.func @edges(%x: tensor<4x6xf32>) -> (tensor<2x6xf32>, tensor<6x6xf32>, tensor<8x6xf32>) {
  %0 = ptir.slice %x [1, 0] : tensor<4x6xf32> -> tensor<2x6xf32>
  %1 = ptir.pad %x with -0.0 : f32 low [2, 0] high [0, 0] interior [0, 0] : tensor<4x6xf32> -> tensor<6x6xf32>
  %2 = ptir.pad %x with 1.0 : f32 low [1, 0] high [0, 0] interior [1, 0] : tensor<4x6xf32> -> tensor<8x6xf32>
  func.return %0, %1, %2 : tensor<2x6xf32>, tensor<6x6xf32>, tensor<8x6xf32>
}

// A tile repeats an axis before its own.
// CHECK: func.func @tiles(%x: tensor<4x6xi1>) -> tensor<8x6xi1> {
// CHECK-NEXT: %0 = tiny.movement reshape %x : tensor<4x6xi1> -> tensor<1x4x6xi1>
// CHECK-NEXT: %1 = tiny.movement expand %0 : tensor<1x4x6xi1> -> tensor<2x4x6xi1>
// CHECK-NEXT: %2 = tiny.movement reshape %1 : tensor<2x4x6xi1> -> tensor<8x6xi1>
// CHECK-NEXT: func.return %2 : tensor<8x6xi1>
func.func @tiles(%x: tensor<4x6xi1>) -> tensor<8x6xi1> {
  %0 = ptir.tile %x [2, 1] : tensor<4x6xi1> -> tensor<8x6xi1>
  func.return %0 : tensor<8x6xi1>
}

// Of several operands each is padded to the whole, and the index chooses: no sum, which would lose -0 and spread NaN.
// Empty ones and all of one are nothing.
// CHECK: func.func @concats(%x: tensor<1x2xf32>, %y: tensor<1x3xf32>, %e: tensor<1x0xf32>) -> (tensor<1x7xf32>, tensor<1x2xf32>, tensor<1x0xf32>) {
// CHECK-NEXT: %0 = tiny.movement pad %x low [0, 0] high [0, 5] value 0.0 : f32 : tensor<1x2xf32> -> tensor<1x7xf32>
// CHECK-NEXT: %1 = tiny.movement pad %y low [0, 2] high [0, 2] value 0.0 : f32 : tensor<1x3xf32> -> tensor<1x7xf32>
// CHECK-NEXT: %2 = tiny.movement pad %x low [0, 5] high [0, 0] value 0.0 : f32 : tensor<1x2xf32> -> tensor<1x7xf32>
// CHECK-NEXT: %3 = tiny.iota axis 1 : tensor<1x7xsi64>
// CHECK-NEXT: %4 = tiny.const dense<5> : tensor<si64>
// CHECK-NEXT: %5 = tiny.binary lt %3, %4 : (tensor<1x7xsi64>, tensor<si64>) -> tensor<1x7xi1>
// CHECK-NEXT: %6 = tiny.binary where %5, %1, %2 : (tensor<1x7xi1>, tensor<1x7xf32>, tensor<1x7xf32>) -> tensor<1x7xf32>
// CHECK-NEXT: %7 = tiny.const dense<2> : tensor<si64>
// CHECK-NEXT: %8 = tiny.binary lt %3, %7 : (tensor<1x7xsi64>, tensor<si64>) -> tensor<1x7xi1>
// CHECK-NEXT: %9 = tiny.binary where %8, %0, %6 : (tensor<1x7xi1>, tensor<1x7xf32>, tensor<1x7xf32>) -> tensor<1x7xf32>
// CHECK-NEXT: func.return %9, %x, %e : tensor<1x7xf32>, tensor<1x2xf32>, tensor<1x0xf32>
func.func @concats(%x: tensor<1x2xf32>, %y: tensor<1x3xf32>, %e: tensor<1x0xf32>) -> (tensor<1x7xf32>, tensor<1x2xf32>, tensor<1x0xf32>) {
  %0 = ptir.concat %x, %e, %y, %x axis 1 : (tensor<1x2xf32>, tensor<1x0xf32>, tensor<1x3xf32>, tensor<1x2xf32>) -> tensor<1x7xf32>
  %1 = ptir.concat %x axis 0 : (tensor<1x2xf32>) -> tensor<1x2xf32>
  %2 = ptir.concat %e, %e axis 1 : (tensor<1x0xf32>, tensor<1x0xf32>) -> tensor<1x0xf32>
  func.return %0, %1, %2 : tensor<1x7xf32>, tensor<1x2xf32>, tensor<1x0xf32>
}

// CHECK: func.func @counts() -> tensor<4x6xbf16> {
// CHECK-NEXT: %0 = tiny.iota axis 1 : tensor<4x6xbf16>
// CHECK-NEXT: func.return %0 : tensor<4x6xbf16>
func.func @counts() -> tensor<4x6xbf16> {
  %0 = ptir.iota axis -1 : tensor<4x6xbf16>
  func.return %0 : tensor<4x6xbf16>
}
