// RUN: ptir-opt %s -p 'ptir-to-cuda{arch=sm80}' --split-input-file | filecheck %s

// Unsigned tiles are signless in an epilogue, whose ops say how they are read; memrefs keep their types.

// CHECK: nv.epilogue{{.*}}ins(%x, %y : memref<4x8xui8>, memref<4x8xui8>) outs({{.*}} : memref<4x8xui8>){{.*}}widths [8, 8, 8]
// CHECK-NEXT: ^bb0(%x_1: i8, %y_1: i8):
// CHECK-NEXT: %[[SUM:.*]] = arith.addi %x_1, %y_1 : i8
// CHECK-NEXT: %[[MOST:.*]] = arith.constant -56 : i8
// CHECK-NEXT: %[[LESS:.*]] = arith.minui %[[SUM]], %[[MOST]] : i8
// CHECK-NEXT: %[[P:.*]] = arith.cmpi ult, %[[LESS]], %y_1 : i8
// CHECK-NEXT: %[[ZERO:.*]] = arith.constant 0 : i8
// CHECK-NEXT: %[[NEG:.*]] = arith.subi %[[ZERO]], %x_1 : i8
// CHECK-NEXT: %[[OUT:.*]] = arith.select %[[P]], %[[NEG]], %[[LESS]] : i8
// CHECK-NEXT: nv.yield %[[OUT]] : i8

func.func @f(%x: tensor<4x8xui8>, %y: tensor<4x8xui8>) -> tensor<4x8xui8> {
  %most = ptir.constant dense<200> : tensor<4x8xui8>
  %0 = ptir.add %x, %y : tensor<4x8xui8>
  %1 = ptir.minimum %0, %most : tensor<4x8xui8>
  %2 = ptir.compare lt %1, %y : tensor<4x8xui8> -> tensor<4x8xi1>
  %3 = ptir.neg %x : tensor<4x8xui8>
  %4 = ptir.abs %3 : tensor<4x8xui8>
  %5 = ptir.select %2, %4, %1 : tensor<4x8xi1>, tensor<4x8xui8>
  func.return %5 : tensor<4x8xui8>
}

// -----

// Signed ones, signless or not.

// CHECK: ^bb0(%x_1: i64):
// CHECK-NEXT: %[[ABS:.*]] = math.absi %x_1 : i64
// CHECK-NEXT: %[[C:.*]] = arith.constant 9 : i64
// CHECK-NEXT: %[[MAX:.*]] = arith.maxsi %[[ABS]], %[[C]] : i64
// CHECK-NEXT: %[[P:.*]] = arith.cmpi sge, %[[MAX]], %x_1 : i64
// CHECK-NEXT: arith.uitofp %[[P]] : i1 to f64

func.func @f(%x: tensor<4x8xsi64>) -> tensor<4x8xf64> {
  %nine = ptir.constant dense<9> : tensor<4x8xsi64>
  %0 = ptir.abs %x : tensor<4x8xsi64>
  %1 = ptir.maximum %0, %nine : tensor<4x8xsi64>
  %2 = ptir.compare ge %1, %x : tensor<4x8xsi64> -> tensor<4x8xi1>
  %3 = ptir.cast %2 : tensor<4x8xi1> -> tensor<4x8xf64>
  func.return %3 : tensor<4x8xf64>
}

// -----

// Integer casts saturate: only towards what the narrower range lacks.

// CHECK: ^bb0(%x_1: i32):
// CHECK-NEXT: %[[ZERO:.*]] = arith.constant 0 : i32
// CHECK-NEXT: %[[MAX:.*]] = arith.maxsi %x_1, %[[ZERO]] : i32
// CHECK-NEXT: %[[MOST:.*]] = arith.constant 255 : i32
// CHECK-NEXT: %[[MIN:.*]] = arith.minsi %[[MAX]], %[[MOST]] : i32
// CHECK-NEXT: %[[U:.*]] = arith.trunci %[[MIN]] : i32 to i8
// CHECK-NEXT: %[[W:.*]] = arith.extui %[[U]] : i8 to i16
// CHECK-NEXT: nv.yield %[[W]] : i16

func.func @f(%x: tensor<4x8xi32>) -> tensor<4x8xi16> {
  %0 = ptir.cast %x : tensor<4x8xi32> -> tensor<4x8xui8>
  %1 = ptir.cast %0 : tensor<4x8xui8> -> tensor<4x8xi16>
  func.return %1 : tensor<4x8xi16>
}

// -----

// Of one width, only the sign differs: up to the common end. Between si32 and i32 nothing does.

// CHECK: ^bb0(%x_1: i32):
// CHECK-NEXT: %[[MOST:.*]] = arith.constant 2147483647 : i32
// CHECK-NEXT: %[[MIN:.*]] = arith.minui %x_1, %[[MOST]] : i32
// CHECK-NEXT: nv.yield %[[MIN]] : i32

func.func @f(%x: tensor<4x8xui32>) -> tensor<4x8xi32> {
  %0 = ptir.cast %x : tensor<4x8xui32> -> tensor<4x8xsi32>
  %1 = ptir.cast %0 : tensor<4x8xsi32> -> tensor<4x8xi32>
  func.return %1 : tensor<4x8xi32>
}

// -----

// From floats: what does not fit is selected away. 16-bit floats are widened first, which is exact.

// CHECK: ^bb0(%x_1: f16):
// CHECK-NEXT: %[[X:.*]] = arith.extf %x_1 : f16 to f32
// CHECK-NEXT: %[[N:.*]] = arith.fptoui %[[X]] : f32 to i16
// CHECK-NEXT: %[[HIGH:.*]] = arith.constant 6.553600e+04 : f32
// CHECK-NEXT: %[[ABOVE:.*]] = arith.cmpf oge, %[[X]], %[[HIGH]] : f32
// CHECK-NEXT: %[[MOST:.*]] = arith.constant -1 : i16
// CHECK-NEXT: %[[A:.*]] = arith.select %[[ABOVE]], %[[MOST]], %[[N]] : i16
// CHECK-NEXT: %[[LOW:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-NEXT: %[[BELOW:.*]] = arith.cmpf olt, %[[X]], %[[LOW]] : f32
// CHECK-NEXT: %[[LEAST:.*]] = arith.constant 0 : i16
// CHECK-NEXT: %[[B:.*]] = arith.select %[[BELOW]], %[[LEAST]], %[[A]] : i16
// CHECK-NEXT: %[[NAN:.*]] = arith.cmpf une, %[[X]], %[[X]] : f32
// CHECK-NEXT: %[[ZERO:.*]] = arith.constant 0 : i16
// CHECK-NEXT: arith.select %[[NAN]], %[[ZERO]], %[[B]] : i16

func.func @f(%x: tensor<4x8xf16>) -> tensor<4x8xui16> {
  %0 = ptir.cast %x : tensor<4x8xf16> -> tensor<4x8xui16>
  func.return %0 : tensor<4x8xui16>
}

// -----

// Floats narrow in one step, which rounds once.

// CHECK: ^bb0(%x_1: f64):
// CHECK-NEXT: %[[H:.*]] = arith.truncf %x_1 : f64 to bf16
// CHECK-NEXT: nv.yield %[[H]] : bf16

func.func @f(%x: tensor<4x8xf64>) -> tensor<4x8xbf16> {
  %0 = ptir.cast %x : tensor<4x8xf64> -> tensor<4x8xbf16>
  func.return %0 : tensor<4x8xbf16>
}

// -----

// Any number but zero is true, NaN as well.

// CHECK: ^bb0(%x_1: i8, %y_1: f64):
// CHECK: arith.cmpi ne, %x_1, %{{.*}} : i8
// CHECK: arith.cmpf une, %y_1, %{{.*}} : f64

func.func @f(%x: tensor<4x8xui8>, %y: tensor<4x8xf64>) -> (tensor<4x8xi1>, tensor<4x8xi1>) {
  %0 = ptir.cast %x : tensor<4x8xui8> -> tensor<4x8xi1>
  %1 = ptir.cast %y : tensor<4x8xf64> -> tensor<4x8xi1>
  func.return %0, %1 : tensor<4x8xi1>, tensor<4x8xi1>
}
