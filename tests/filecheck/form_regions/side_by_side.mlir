// RUN: ptir-opt %s --split-input-file -p 'ptir-to-tiny,cse,form-regions{arch=sm80}' --explain-fusion 2>%t | filecheck %s
// RUN: filecheck %s --check-prefix=EXPLAIN --input-file %t

// Independent launches of one kernel are a group; the third one moves before the exponential, which its operands do not need.
// EXPLAIN: group  3 launches of @products_0 are one: dtime -5.11 us = launch
// CHECK: region.kernel @products_0
// CHECK: func.func @products
// CHECK: region.launch @products_0 group 0 ins(%x, %u :
// CHECK-NOT: @products_1
// CHECK: region.launch @products_0 group 0 ins(%x, %v :
// CHECK-NOT: @products_1
// CHECK: region.launch @products_0 group 0 ins(%x, %w :
// CHECK: region.launch @products_1 ins(%z
func.func @products(%x: tensor<32x64xbf16>, %u: tensor<64x64xbf16>, %v: tensor<64x64xbf16>, %w: tensor<64x64xbf16>, %z: tensor<80xf32>) -> (tensor<32x64xf32>, tensor<32x64xf32>, tensor<80xf32>, tensor<32x64xf32>) {
  %0 = ptir.dot_general %x, %u contract [1] x [0] accum f32 out f32 : (tensor<32x64xbf16>, tensor<64x64xbf16>) -> tensor<32x64xf32>
  %1 = ptir.dot_general %x, %v contract [1] x [0] accum f32 out f32 : (tensor<32x64xbf16>, tensor<64x64xbf16>) -> tensor<32x64xf32>
  %2 = ptir.exp %z : tensor<80xf32>
  %3 = ptir.dot_general %x, %w contract [1] x [0] accum f32 out f32 : (tensor<32x64xbf16>, tensor<64x64xbf16>) -> tensor<32x64xf32>
  func.return %0, %1, %2, %3 : tensor<32x64xf32>, tensor<32x64xf32>, tensor<80xf32>, tensor<32x64xf32>
}

// -----

// What waits for any launch of a group is not in it.
// CHECK: func.func @waits
// CHECK: region.launch @waits_0
// CHECK: region.launch @waits_[[K:[0-9]]]{{[a-z0-9_]*}} group [[G:[0-9]]] ins(%{{[0-9]+}}, %u :
// CHECK: region.launch @waits_[[K]]{{[a-z0-9_]*}} group [[G]] ins(%{{[0-9]+}}, %v :
// CHECK: region.launch @waits_[[K]] ins(%{{[0-9]+}}, %w :
func.func @waits(%x: tensor<64x64xf32>, %u: tensor<64x64xbf16>, %v: tensor<64x64xbf16>, %w: tensor<64x64xbf16>) -> (tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xbf16>) {
  %m = ptir.reduce max %x axes [1] keepdims : tensor<64x64xf32> -> tensor<64x1xf32>
  %n = ptir.broadcast_to %m : tensor<64x1xf32> -> tensor<64x64xf32>
  %s = ptir.sub %x, %n : tensor<64x64xf32>
  %h = ptir.cast %s : tensor<64x64xf32> -> tensor<64x64xbf16>
  %0 = ptir.dot_general %h, %u contract [1] x [0] accum f32 out bf16 : (tensor<64x64xbf16>, tensor<64x64xbf16>) -> tensor<64x64xbf16>
  %1 = ptir.dot_general %h, %v contract [1] x [0] accum f32 out bf16 : (tensor<64x64xbf16>, tensor<64x64xbf16>) -> tensor<64x64xbf16>
  %2 = ptir.dot_general %0, %w contract [1] x [0] accum f32 out bf16 : (tensor<64x64xbf16>, tensor<64x64xbf16>) -> tensor<64x64xbf16>
  func.return %0, %1, %2 : tensor<64x64xbf16>, tensor<64x64xbf16>, tensor<64x64xbf16>
}

// -----

// What waits for another launch is in no group with it. A kernel that is launched alone, too, is copied.
// CHECK: region.kernel @two_0(
// CHECK: region.kernel @two_0_by2(
// CHECK: func.func @two
// CHECK: region.launch @two_0_by2 group 0 ins(%x, %u :
// CHECK: region.launch @two_0_by2 group 0 ins(%x, %w :
// CHECK: func.func @layers
// CHECK: region.launch @two_0 ins(%x, %u :
// CHECK-NOT: group
func.func @two(%x: tensor<64x64xbf16>, %u: tensor<64x64xbf16>, %w: tensor<64x64xbf16>) -> (tensor<64x64xbf16>, tensor<64x64xbf16>) {
  %0 = ptir.dot_general %x, %u contract [1] x [0] accum f32 out bf16 : (tensor<64x64xbf16>, tensor<64x64xbf16>) -> tensor<64x64xbf16>
  %1 = ptir.dot_general %x, %w contract [1] x [0] accum f32 out bf16 : (tensor<64x64xbf16>, tensor<64x64xbf16>) -> tensor<64x64xbf16>
  func.return %0, %1 : tensor<64x64xbf16>, tensor<64x64xbf16>
}
func.func @layers(%x: tensor<64x64xbf16>, %u: tensor<64x64xbf16>) -> (tensor<64x64xbf16>, tensor<64x64xbf16>) {
  %0 = ptir.dot_general %x, %u contract [1] x [0] accum f32 out bf16 : (tensor<64x64xbf16>, tensor<64x64xbf16>) -> tensor<64x64xbf16>
  %1 = ptir.dot_general %0, %u contract [1] x [0] accum f32 out bf16 : (tensor<64x64xbf16>, tensor<64x64xbf16>) -> tensor<64x64xbf16>
  func.return %0, %1 : tensor<64x64xbf16>, tensor<64x64xbf16>
}

// -----

// Small maps of one shape and reductions of one shape are one kernel each, whatever they read.
// CHECK: region.kernel @maps_0(%{{.*}}: memref<64x40xf32> align 16, %{{.*}}: memref<64x40xf32> align 16) -> (%{{.*}}: memref<64x40xf32> align 256 gmem, %{{.*}}: memref<64x40xf32> align 256 gmem)
// CHECK: region.kernel @maps_1(%{{.*}}: memref<64x40xf32> align 16, %{{.*}}: memref<64x40xf32> align 16) -> (%{{.*}}: memref<64xf32> align 256 gmem, %{{.*}}: memref<64xf32> align 256 gmem)
// CHECK-NOT: region.kernel
// CHECK: func.func @maps
func.func @maps(%x: tensor<64x40xf32>, %y: tensor<64x40xf32>, %u: tensor<64x40xf32>, %v: tensor<64x40xf32>) -> (tensor<64x40xf32>, tensor<64x40xf32>, tensor<64xf32>, tensor<64xf32>) {
  %0 = ptir.exp %x : tensor<64x40xf32>
  %1 = ptir.tanh %y : tensor<64x40xf32>
  %2 = ptir.reduce sum %u axes [1] accum f32 out f32 : tensor<64x40xf32> -> tensor<64xf32>
  %3 = ptir.reduce max %v axes [1] : tensor<64x40xf32> -> tensor<64xf32>
  func.return %0, %1, %2, %3 : tensor<64x40xf32>, tensor<64x40xf32>, tensor<64xf32>, tensor<64xf32>
}

// -----

// A sum that is also a result is computed once, with what is computed from it.
// CHECK: region.kernel @residual_0({{.*}}) -> (%{{.*}}: memref<64x40xf32> align 256 gmem, %{{.*}}: memref<64x40xf32> align 256 gmem)
// CHECK-NOT: region.kernel
// CHECK: func.func @residual
func.func @residual(%x: tensor<64x40xf32>, %y: tensor<64x40xf32>) -> (tensor<64x40xf32>, tensor<64x40xf32>) {
  %0 = ptir.add %x, %y : tensor<64x40xf32>
  %1 = ptir.reduce max %0 axes [1] keepdims : tensor<64x40xf32> -> tensor<64x1xf32>
  %2 = ptir.broadcast_to %1 : tensor<64x1xf32> -> tensor<64x40xf32>
  %3 = ptir.sub %0, %2 : tensor<64x40xf32>
  func.return %0, %3 : tensor<64x40xf32>, tensor<64x40xf32>
}

// -----

// The parts of a product, after its bias and cast, are rows of one array, which its kernel stores.
// CHECK: region.kernel @split_0({{.*}}) -> (%{{.*}}: memref<3x4x32x16xbf16> align 256 gmem)
// CHECK: tiny.unary cast {{.*}} -> tensor<32x192xbf16>
// CHECK-NOT: region.kernel
// CHECK: func.func @split
// CHECK: region.launch @split_0
// CHECK-COUNT-3: region.row {{.*}} : memref<3x4x32x16xbf16> -> memref<4x32x16xbf16>
func.func @split(%x: tensor<32x64xbf16>, %w: tensor<64x192xbf16>, %b: tensor<192xf32>) -> (tensor<4x32x16xbf16>, tensor<4x32x16xbf16>, tensor<4x32x16xbf16>) {
  %0 = ptir.dot_general %x, %w contract [1] x [0] accum f32 out f32 : (tensor<32x64xbf16>, tensor<64x192xbf16>) -> tensor<32x192xf32>
  %1 = ptir.broadcast_to %b : tensor<192xf32> -> tensor<32x192xf32>
  %2 = ptir.add %0, %1 : tensor<32x192xf32>
  %3 = ptir.cast %2 : tensor<32x192xf32> -> tensor<32x192xbf16>
  %q = ptir.slice %3 [0, 0] : tensor<32x192xbf16> -> tensor<32x64xbf16>
  %k = ptir.slice %3 [0, 64] : tensor<32x192xbf16> -> tensor<32x64xbf16>
  %v = ptir.slice %3 [0, 128] : tensor<32x192xbf16> -> tensor<32x64xbf16>
  %4 = ptir.reshape %q : tensor<32x64xbf16> -> tensor<32x4x16xbf16>
  %5 = ptir.reshape %k : tensor<32x64xbf16> -> tensor<32x4x16xbf16>
  %6 = ptir.reshape %v : tensor<32x64xbf16> -> tensor<32x4x16xbf16>
  %7 = ptir.transpose %4 [1, 0, 2] : tensor<32x4x16xbf16> -> tensor<4x32x16xbf16>
  %8 = ptir.transpose %5 [1, 0, 2] : tensor<32x4x16xbf16> -> tensor<4x32x16xbf16>
  %9 = ptir.transpose %6 [1, 0, 2] : tensor<32x4x16xbf16> -> tensor<4x32x16xbf16>
  func.return %7, %8, %9 : tensor<4x32x16xbf16>, tensor<4x32x16xbf16>, tensor<4x32x16xbf16>
}

// -----

// Parts of unequal sizes are read from the product.
// CHECK-NOT: region.row
// CHECK: func.func @unequal
// CHECK-NOT: region.row
func.func @unequal(%x: tensor<32x64xbf16>, %w: tensor<64x192xbf16>) -> (tensor<32x64xf32>, tensor<32x128xf32>) {
  %0 = ptir.dot_general %x, %w contract [1] x [0] accum f32 out f32 : (tensor<32x64xbf16>, tensor<64x192xbf16>) -> tensor<32x192xf32>
  %1 = ptir.slice %0 [0, 0] : tensor<32x192xf32> -> tensor<32x64xf32>
  %2 = ptir.slice %0 [0, 64] : tensor<32x192xf32> -> tensor<32x128xf32>
  func.return %1, %2 : tensor<32x64xf32>, tensor<32x128xf32>
}
