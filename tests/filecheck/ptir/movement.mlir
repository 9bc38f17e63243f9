// RUN: ptir-opt %s --verify-roundtrip | filecheck %s
// RUN: ptir-opt %s | ptir-opt | filecheck %s
// RUN: ptir-opt --print-op-generic %s | ptir-opt | filecheck %s

// Literals and movements.

// CHECK: func.func @f(%x: tensor<4x6xf32>, %e: tensor<0x6xf32>) {
func.func @f(%x: tensor<4x6xf32>, %e: tensor<0x6xf32>) {
  // CHECK-NEXT: %0 = ptir.constant dense<[1.000000e+00, -2.500000e+00]> : tensor<2xf32>
  %0 = ptir.constant dense<[1.000000e+00, -2.500000e+00]> : tensor<2xf32>
  // CHECK-NEXT: %1 = ptir.constant dense<true> : tensor<2xi1>
  %1 = ptir.constant dense<true> : tensor<2xi1>
  // CHECK-NEXT: %2 = ptir.constant dense<-7> : tensor<si4>
  %2 = ptir.constant dense<-7> : tensor<si4>
  // CHECK-NEXT: %3 = ptir.reshape %x : tensor<4x6xf32> -> tensor<2x12xf32>
  %3 = ptir.reshape %x : tensor<4x6xf32> -> tensor<2x12xf32>
  // CHECK-NEXT: %4 = ptir.transpose %x [1, 0] : tensor<4x6xf32> -> tensor<6x4xf32>
  %4 = ptir.transpose %x [1, 0] : tensor<4x6xf32> -> tensor<6x4xf32>
  // CHECK-NEXT: %5 = ptir.transpose %x [-1, 0] : tensor<4x6xf32> -> tensor<6x4xf32>
  %5 = ptir.transpose %x [-1, 0] : tensor<4x6xf32> -> tensor<6x4xf32>
  // CHECK-NEXT: %6 = ptir.broadcast_to %x : tensor<4x6xf32> -> tensor<3x4x6xf32>
  %6 = ptir.broadcast_to %x : tensor<4x6xf32> -> tensor<3x4x6xf32>
  // CHECK-NEXT: %7 = ptir.reshape %e : tensor<0x6xf32> -> tensor<2x0xf32>
  %7 = ptir.reshape %e : tensor<0x6xf32> -> tensor<2x0xf32>
  // CHECK-NEXT: %8 = ptir.slice %x [4, 2] : tensor<4x6xf32> -> tensor<0x4xf32>
  %8 = ptir.slice %x [4, 2] : tensor<4x6xf32> -> tensor<0x4xf32>
  // CHECK-NEXT: %9 = ptir.concat %x axis 0 : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %9 = ptir.concat %x axis 0 : (tensor<4x6xf32>) -> tensor<4x6xf32>
  // CHECK-NEXT: %10 = ptir.concat %x, %e, %x axis -2 : (tensor<4x6xf32>, tensor<0x6xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
  %10 = ptir.concat %x, %e, %x axis -2 : (tensor<4x6xf32>, tensor<0x6xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
  // CHECK-NEXT: %11 = ptir.pad %x with -1.5 : f32 low [0, 1] high [2, 0] interior [1, 0] : tensor<4x6xf32> -> tensor<9x7xf32>
  %11 = ptir.pad %x with -1.5 : f32 low [0, 1] high [2, 0] interior [1, 0] : tensor<4x6xf32> -> tensor<9x7xf32>
  // CHECK-NEXT: %12 = ptir.pad %e with 0.0 : f32 low [1, 0] high [0, 0] interior [5, 0] : tensor<0x6xf32> -> tensor<1x6xf32>
  %12 = ptir.pad %e with 0 : f32 low [1, 0] high [0, 0] interior [5, 0] : tensor<0x6xf32> -> tensor<1x6xf32>
  // CHECK-NEXT: %13 = ptir.tile %x [2, 0] : tensor<4x6xf32> -> tensor<8x0xf32>
  %13 = ptir.tile %x [2, 0] : tensor<4x6xf32> -> tensor<8x0xf32>
  // CHECK-NEXT: %14 = ptir.iota axis -1 : tensor<4x6xui4>
  %14 = ptir.iota axis -1 : tensor<4x6xui4>
  // CHECK-NEXT: %15 = ptir.iota axis 0 : tensor<3xcomplex<f32>>
  %15 = ptir.iota axis 0 : tensor<3xcomplex<f32>>
  // CHECK-NEXT: func.return
  func.return
}

// What to pad with: any value of any type comes back as it was.

// CHECK-LABEL: func.func @values
func.func @values(%p: tensor<2xi1>, %i: tensor<2xsi4>, %u: tensor<2xui64>, %h: tensor<2xbf16>, %q: tensor<2xf8E4M3FN>,
                  %f: tensor<2xf32>, %d: tensor<2xf64>, %c: tensor<2xcomplex<f32>>) {
  // CHECK-NEXT: with true : i1
  %0 = ptir.pad %p with true : i1 low [1] high [0] interior [0] : tensor<2xi1> -> tensor<3xi1>
  // CHECK-NEXT: with -8 : si4
  %1 = ptir.pad %i with -8 : si4 low [1] high [0] interior [0] : tensor<2xsi4> -> tensor<3xsi4>
  // CHECK-NEXT: with 18446744073709551615 : ui64
  %2 = ptir.pad %u with 0xFFFFFFFFFFFFFFFF : ui64 low [1] high [0] interior [0] : tensor<2xui64> -> tensor<3xui64>
  // CHECK-NEXT: with 0.100098 : bf16
  %3 = ptir.pad %h with 0.1 : bf16 low [1] high [0] interior [0] : tensor<2xbf16> -> tensor<3xbf16>
  // CHECK-NEXT: with "0x7F" : f8E4M3FN
  %4 = ptir.pad %q with "0x7F" : f8E4M3FN low [1] high [0] interior [0] : tensor<2xf8E4M3FN> -> tensor<3xf8E4M3FN>
  // CHECK-NEXT: with -0.0 : f32
  %5 = ptir.pad %f with -0.0 : f32 low [1] high [0] interior [0] : tensor<2xf32> -> tensor<3xf32>
  // CHECK-NEXT: with "0x000080FF" : f32
  %6 = ptir.pad %f with "0x000080FF" : f32 low [1] high [0] interior [0] : tensor<2xf32> -> tensor<3xf32>
  // CHECK-NEXT: with "0x0100A07F" : f32
  %7 = ptir.pad %f with "0x0100A07F" : f32 low [1] high [0] interior [0] : tensor<2xf32> -> tensor<3xf32>
  // CHECK-NEXT: with 1.4013e-45 : f32
  %8 = ptir.pad %f with "0x01000000" : f32 low [1] high [0] interior [0] : tensor<2xf32> -> tensor<3xf32>
  // CHECK-NEXT: with 0.1 : f64
  %9 = ptir.pad %d with 0.1 : f64 low [1] high [0] interior [0] : tensor<2xf64> -> tensor<3xf64>
  // CHECK-NEXT: with (0.5, -0.0) : complex<f32>
  %10 = ptir.pad %c with (0.5, -0.0) : complex<f32> low [1] high [0] interior [0] : tensor<2xcomplex<f32>> -> tensor<3xcomplex<f32>>
  // CHECK-NEXT: with "0x0000803F0000C07F" : complex<f32>
  %11 = ptir.pad %c with "0x0000803F0000C07F" : complex<f32> low [1] high [0] interior [0] : tensor<2xcomplex<f32>> -> tensor<3xcomplex<f32>>
  // CHECK-NEXT: with 0.333333343 : f32
  %12 = ptir.pad %f with 0.3333333333 : f32 low [1] high [0] interior [0] : tensor<2xf32> -> tensor<3xf32>
  func.return
}

// Sizes that are not numbers.

// CHECK-LABEL: func.func @dynamic
func.func @dynamic(%x: tensor<?x6xf32, #ptir.dims<B, _>>, %y: tensor<?x?xf32>, %z: tensor<?x6xf32, #ptir.dims<C, _>>, %r: tensor<6xf32>) {
  // Names on both sides cancel; one `?` is inferred.
  // CHECK-NEXT: -> tensor<2x3x?xf32, #ptir.dims<_, _, B>>
  %0 = ptir.reshape %x : tensor<?x6xf32, #ptir.dims<B, _>> -> tensor<2x3x?xf32, #ptir.dims<_, _, B>>
  // CHECK-NEXT: -> tensor<?x4xf32>
  %1 = ptir.reshape %y : tensor<?x?xf32> -> tensor<?x4xf32>
  // CHECK-NEXT: -> tensor<?x2xf32, #ptir.dims<C, _>>
  %2 = ptir.reshape %y : tensor<?x?xf32> -> tensor<?x2xf32, #ptir.dims<C, _>>
  // CHECK-NEXT: -> tensor<6x?xf32, #ptir.dims<_, B>>
  %3 = ptir.transpose %x [1, 0] : tensor<?x6xf32, #ptir.dims<B, _>> -> tensor<6x?xf32, #ptir.dims<_, B>>
  // CHECK-NEXT: -> tensor<?x6xf32, #ptir.dims<B, _>>
  %4 = ptir.broadcast_to %r : tensor<6xf32> -> tensor<?x6xf32, #ptir.dims<B, _>>
  // CHECK-NEXT: -> tensor<2x?x5xf32>
  %5 = ptir.broadcast_to %y : tensor<?x?xf32> -> tensor<2x?x5xf32>
  // CHECK-NEXT: -> tensor<?x2xf32, #ptir.dims<B, _>>
  %6 = ptir.slice %x [0, 4] : tensor<?x6xf32, #ptir.dims<B, _>> -> tensor<?x2xf32, #ptir.dims<B, _>>
  // CHECK-NEXT: -> tensor<?x3xf32>
  %7 = ptir.slice %y [7, 0] : tensor<?x?xf32> -> tensor<?x3xf32>
  // CHECK-NEXT: -> tensor<?x6xf32>
  %8 = ptir.concat %x, %z axis 0 : (tensor<?x6xf32, #ptir.dims<B, _>>, tensor<?x6xf32, #ptir.dims<C, _>>) -> tensor<?x6xf32>
  // CHECK-NEXT: -> tensor<?x8xf32, #ptir.dims<B, _>>
  %9 = ptir.pad %x with 0.0 : f32 low [0, 1] high [0, 1] interior [0, 0] : tensor<?x6xf32, #ptir.dims<B, _>> -> tensor<?x8xf32, #ptir.dims<B, _>>
  // CHECK-NEXT: -> tensor<?x12xf32, #ptir.dims<B, _>>
  %10 = ptir.tile %x [1, 2] : tensor<?x6xf32, #ptir.dims<B, _>> -> tensor<?x12xf32, #ptir.dims<B, _>>
  // CHECK-NEXT: ptir.iota axis 1 : tensor<?x6xsi64, #ptir.dims<B, _>>
  %11 = ptir.iota axis 1 : tensor<?x6xsi64, #ptir.dims<B, _>>
  func.return
}
