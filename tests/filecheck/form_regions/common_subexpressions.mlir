// RUN: ptir-opt %s -p ptir-to-tiny,cse,form-regions | filecheck %s
// RUN: ptir-opt %s -p 'ptir-to-cuda{arch=sm80}' | filecheck %s --check-prefix=NV

// Two products read a row-normalized value through casts of their own: one is computed and stored.

// CHECK: region.kernel @f_0(%x: memref<16x32xf32> align 16) -> (%{{[a-z0-9]+}}: memref<16x32xbf16> align 256 deferred) {
// CHECK: func.func @f
// NV: func.func @f
// NV-COUNT-3: memref.alloc
func.func @f(%x: tensor<16x32xf32>, %v: tensor<32x24xbf16>, %w: tensor<32x40xbf16>) -> (tensor<16x24xf32>, tensor<16x40xf32>) {
  %m = ptir.reduce max %x axes [1] keepdims : tensor<16x32xf32> -> tensor<16x1xf32>
  %b = ptir.broadcast_to %m : tensor<16x1xf32> -> tensor<16x32xf32>
  %n = ptir.sub %x, %b : tensor<16x32xf32>
  %0 = ptir.cast %n : tensor<16x32xf32> -> tensor<16x32xbf16>
  %1 = ptir.cast %n : tensor<16x32xf32> -> tensor<16x32xbf16>
  %2 = ptir.dot_general %0, %v contract [1] x [0] accum f32 out f32 : (tensor<16x32xbf16>, tensor<32x24xbf16>) -> tensor<16x24xf32>
  %3 = ptir.dot_general %1, %w contract [1] x [0] accum f32 out f32 : (tensor<16x32xbf16>, tensor<32x40xbf16>) -> tensor<16x40xf32>
  // NV-NOT: memref.alloc
  func.return %2, %3 : tensor<16x24xf32>, tensor<16x40xf32>
}
