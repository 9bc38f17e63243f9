// RUN: ptir-opt %s -p tiny-fold-empty --dce | filecheck %s
// RUN: ptir-opt %s -p tiny-fold-empty --validate-passes -o /dev/null

// Every op of an empty result is a literal without elements.
// CHECK: func.func @empty
// CHECK-NEXT: %[[NONE:.*]] = tiny.const dense<> : tensor<0x4xf32>
// CHECK-NEXT: %[[COUNT:.*]] = tiny.const dense<> : tensor<2x0xsi32>
// CHECK-NEXT: func.return %x, %[[NONE]], %[[COUNT]] :
func.func @empty(%x: tensor<0x4xf32>) -> (tensor<0x4xf32>, tensor<0x4xf32>, tensor<2x0xsi32>) {
  %0 = tiny.unary exp %x : tensor<0x4xf32> -> tensor<0x4xf32>
  %1 = tiny.binary add %0, %x : (tensor<0x4xf32>, tensor<0x4xf32>) -> tensor<0x4xf32>
  %2 = tiny.iota axis 1 : tensor<2x0xsi32>
  func.return %x, %1, %2 : tensor<0x4xf32>, tensor<0x4xf32>, tensor<2x0xsi32>
}

// A reduction of nothing is its identity.
// CHECK: func.func @reductions
// CHECK-NEXT: %[[SUM:.*]] = tiny.const dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[SUMS:.*]] = tiny.movement expand %[[SUM]] : tensor<f32> -> tensor<3xf32>
// CHECK-NEXT: %[[MAX:.*]] = tiny.const dense<0xFF800000> : tensor<f32>
// CHECK-NEXT: %[[MAXIMA:.*]] = tiny.movement expand %[[MAX]] : tensor<f32> -> tensor<3xf32>
// CHECK-NEXT: %[[MIN:.*]] = tiny.const dense<127> : tensor<i8>
// CHECK-NEXT: func.return %[[SUMS]], %[[MAXIMA]], %[[MIN]] :
func.func @reductions(%x: tensor<3x0xbf16>, %y: tensor<0xi8>) -> (tensor<3xf32>, tensor<3xf32>, tensor<i8>) {
  %0 = tiny.reduce sum %x axes [1] accum f32 : tensor<3x0xbf16> -> tensor<3xf32>
  %1 = tiny.reduce max %x axes [1] accum f32 : tensor<3x0xbf16> -> tensor<3xf32>
  %2 = tiny.reduce min %y axes [0] accum i8 : tensor<0xi8> -> tensor<i8>
  func.return %0, %1, %2 : tensor<3xf32>, tensor<3xf32>, tensor<i8>
}

// CHECK: func.func @pad
// CHECK-NEXT: %[[SEVEN:.*]] = tiny.const dense<7.000000e+00> : tensor<f32>
// CHECK-NEXT: tiny.movement expand %[[SEVEN]] : tensor<f32> -> tensor<2x4xf32>
func.func @pad(%x: tensor<0x4xf32>) -> tensor<2x4xf32> {
  %0 = tiny.movement pad %x low [1, 0] high [1, 0] value 7.0 : f32 : tensor<0x4xf32> -> tensor<2x4xf32>
  func.return %0 : tensor<2x4xf32>
}

// What has elements stays, and so does what has none for an unknown number of rows.
// CHECK: func.func @others
// CHECK-NEXT: tiny.reduce sum %x axes [0] accum f32 : tensor<1x4xf32> -> tensor<4xf32>
// CHECK-NEXT: tiny.reduce sum %y axes [1] accum f32 : tensor<?x0xf32> -> tensor<?xf32>
func.func @others(%x: tensor<1x4xf32>, %y: tensor<?x0xf32>) -> (tensor<4xf32>, tensor<?xf32>) {
  %0 = tiny.reduce sum %x axes [0] accum f32 : tensor<1x4xf32> -> tensor<4xf32>
  %1 = tiny.reduce sum %y axes [1] accum f32 : tensor<?x0xf32> -> tensor<?xf32>
  func.return %0, %1 : tensor<4xf32>, tensor<?xf32>
}

// Any index into no elements is out of range; no indices read nothing.
// CHECK: func.func @gathers
// CHECK-NEXT: %[[ZERO:.*]] = tiny.const dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[X:.*]] = tiny.movement expand %[[ZERO]] : tensor<f32> -> tensor<1x4xf32>
// CHECK-NEXT: %[[MINUS:.*]] = tiny.const dense<-1> : tensor<si32>
// CHECK-NEXT: %[[I:.*]] = tiny.movement expand %[[MINUS]] : tensor<si32> -> tensor<3x4xsi32>
// CHECK-NEXT: ptir.gather %[[X]], %[[I]] axis 0 : (tensor<1x4xf32>, tensor<3x4xsi32>) -> tensor<3x4xf32>
// CHECK-NEXT: tiny.const dense<> : tensor<0x4xf32>
// CHECK-NEXT: tiny.const dense<> : tensor<0x4xf32>
func.func @gathers(%x: tensor<0x4xf32>, %i: tensor<3x4xsi32>, %j: tensor<0x4xsi32>, %s: tensor<2xsi32>) -> (tensor<3x4xf32>, tensor<0x4xf32>, tensor<0x4xf32>) {
  %0 = ptir.gather %x, %i axis 0 : (tensor<0x4xf32>, tensor<3x4xsi32>) -> tensor<3x4xf32>
  %1 = ptir.gather %0, %j axis 0 : (tensor<3x4xf32>, tensor<0x4xsi32>) -> tensor<0x4xf32>
  %2 = ptir.dynamic_slice %0, %s : (tensor<3x4xf32>, tensor<2xsi32>) -> tensor<0x4xf32>
  func.return %0, %1, %2 : tensor<3x4xf32>, tensor<0x4xf32>, tensor<0x4xf32>
}
