// RUN: ptir-opt %s -p tiny-to-ptir | filecheck %s

// CHECK: func.func @moves(%x: tensor<4x6xf32>) -> (tensor<2x12x2xf32>, tensor<2x3xf32>) {
// CHECK-NEXT: %0 = ptir.transpose %x [1, 0] : tensor<4x6xf32> -> tensor<6x4xf32>
// CHECK-NEXT: %1 = ptir.reshape %0 : tensor<6x4xf32> -> tensor<12x2xf32>
// CHECK-NEXT: %2 = ptir.broadcast_to %1 : tensor<12x2xf32> -> tensor<2x12x2xf32>
// CHECK-NEXT: %3 = ptir.pad %x with -0.0 : f32 low [1, 0] high [0, 2] interior [0, 0] : tensor<4x6xf32> -> tensor<5x8xf32>
// CHECK-NEXT: %4 = ptir.slice %3 [2, 1] : tensor<5x8xf32> -> tensor<2x3xf32>
// CHECK-NEXT: func.return %2, %4 : tensor<2x12x2xf32>, tensor<2x3xf32>
func.func @moves(%x: tensor<4x6xf32>) -> (tensor<2x12x2xf32>, tensor<2x3xf32>) {
  %0 = tiny.movement permute %x by [1, 0] : tensor<4x6xf32> -> tensor<6x4xf32>
  %1 = tiny.movement reshape %0 : tensor<6x4xf32> -> tensor<12x2xf32>
  %2 = tiny.movement expand %1 : tensor<12x2xf32> -> tensor<2x12x2xf32>
  %3 = tiny.movement pad %x low [1, 0] high [0, 2] value -0.0 : f32 : tensor<4x6xf32> -> tensor<5x8xf32>
  %4 = tiny.movement shrink %3 from [2, 1] : tensor<5x8xf32> -> tensor<2x3xf32>
  func.return %2, %4 : tensor<2x12x2xf32>, tensor<2x3xf32>
}

// A view whose strides are the operand's is a slice; of another the index is computed.
// CHECK: func.func @views(%x: tensor<4x6xf32>) -> (tensor<2x3xf32>, tensor<4x3xf32>, tensor<f32>) {
// CHECK-NEXT: %0 = ptir.slice %x [1, 1] : tensor<4x6xf32> -> tensor<2x3xf32>
// CHECK-NEXT: %1 = ptir.reshape %x : tensor<4x6xf32> -> tensor<24xf32>
// CHECK-NEXT: %2 = ptir.constant dense<1> : tensor<si64>
// CHECK-NEXT: %3 = ptir.broadcast_to %2 : tensor<si64> -> tensor<4x3xsi64>
// CHECK-NEXT: %4 = ptir.iota axis 0 : tensor<4x3xsi64>
// CHECK-NEXT: %5 = ptir.constant dense<2> : tensor<si64>
// CHECK-NEXT: %6 = ptir.broadcast_to %5 : tensor<si64> -> tensor<4x3xsi64>
// CHECK-NEXT: %7 = ptir.mul %4, %6 : tensor<4x3xsi64>
// CHECK-NEXT: %8 = ptir.iota axis 1 : tensor<4x3xsi64>
// CHECK-NEXT: %9 = ptir.add %3, %7 : tensor<4x3xsi64>
// CHECK-NEXT: %10 = ptir.add %9, %8 : tensor<4x3xsi64>
// CHECK-NEXT: %11 = ptir.take %1, %10 : (tensor<24xf32>, tensor<4x3xsi64>) -> tensor<4x3xf32>
// CHECK-NEXT: %12 = ptir.reshape %x : tensor<4x6xf32> -> tensor<24xf32>
// CHECK-NEXT: %13 = ptir.constant dense<23> : tensor<si64>
// CHECK-NEXT: %14 = ptir.take %12, %13 : (tensor<24xf32>, tensor<si64>) -> tensor<f32>
// CHECK-NEXT: func.return %0, %11, %14 : tensor<2x3xf32>, tensor<4x3xf32>, tensor<f32>
func.func @views(%x: tensor<4x6xf32>) -> (tensor<2x3xf32>, tensor<4x3xf32>, tensor<f32>) {
  %0 = tiny.movement view %x offset 7 strides [6, 1] : tensor<4x6xf32> -> tensor<2x3xf32>
  %1 = tiny.movement view %x offset 1 strides [2, 1] : tensor<4x6xf32> -> tensor<4x3xf32>
  %2 = tiny.movement view %x offset 23 strides [] : tensor<4x6xf32> -> tensor<f32>
  func.return %0, %1, %2 : tensor<2x3xf32>, tensor<4x3xf32>, tensor<f32>
}

// Names are sizes of an index too.
// CHECK: func.func @named(%x: tensor<?x6xf32, #ptir.dims<B, _>>) -> tensor<?x2xf32, #ptir.dims<B, _>> {
// CHECK-NEXT: %0 = ptir.reshape %x : tensor<?x6xf32, #ptir.dims<B, _>> -> tensor<?xf32>
// CHECK-NEXT: %1 = ptir.iota axis 0 : tensor<?x2xsi64, #ptir.dims<B, _>>
// CHECK-NEXT: %2 = ptir.constant dense<6> : tensor<si64>
// CHECK-NEXT: %3 = ptir.broadcast_to %2 : tensor<si64> -> tensor<?x2xsi64, #ptir.dims<B, _>>
// CHECK-NEXT: %4 = ptir.mul %1, %3 : tensor<?x2xsi64, #ptir.dims<B, _>>
// CHECK-NEXT: %5 = ptir.iota axis 1 : tensor<?x2xsi64, #ptir.dims<B, _>>
// CHECK-NEXT: %6 = ptir.constant dense<3> : tensor<si64>
// CHECK-NEXT: %7 = ptir.broadcast_to %6 : tensor<si64> -> tensor<?x2xsi64, #ptir.dims<B, _>>
// CHECK-NEXT: %8 = ptir.mul %5, %7 : tensor<?x2xsi64, #ptir.dims<B, _>>
// CHECK-NEXT: %9 = ptir.add %4, %8 : tensor<?x2xsi64, #ptir.dims<B, _>>
// CHECK-NEXT: %10 = ptir.take %0, %9 : (tensor<?xf32>, tensor<?x2xsi64, #ptir.dims<B, _>>) -> tensor<?x2xf32, #ptir.dims<B, _>>
// CHECK-NEXT: func.return %10 : tensor<?x2xf32, #ptir.dims<B, _>>
func.func @named(%x: tensor<?x6xf32, #ptir.dims<B, _>>) -> tensor<?x2xf32, #ptir.dims<B, _>> {
  %0 = tiny.movement view %x offset 0 strides [6, 3] : tensor<?x6xf32, #ptir.dims<B, _>> -> tensor<?x2xf32, #ptir.dims<B, _>>
  func.return %0 : tensor<?x2xf32, #ptir.dims<B, _>>
}

// CHECK: func.func @leaves() -> (tensor<2xf32>, tensor<3x4xui8>) {
// CHECK-NEXT: %0 = ptir.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
// CHECK-NEXT: %1 = ptir.iota axis 1 : tensor<3x4xui8>
// CHECK-NEXT: func.return %0, %1 : tensor<2xf32>, tensor<3x4xui8>
func.func @leaves() -> (tensor<2xf32>, tensor<3x4xui8>) {
  %0 = tiny.const dense<[1.0, 2.0]> : tensor<2xf32>
  %1 = tiny.iota axis 1 : tensor<3x4xui8>
  func.return %0, %1 : tensor<2xf32>, tensor<3x4xui8>
}
