// RUN: ptir-opt %s -p "ptir-to-tiny,form-regions{strategy=maximal}" | filecheck %s

// Results of one shape that read the same array are one kernel: a split has three outputs.
// CHECK: region.kernel @split_0(%x: memref<4x12xf32> align 16) -> (%{{.*}}: memref<4x4xf32> align 256 gmem, %{{.*}}: memref<4x4xf32> align 256 gmem, %{{.*}}: memref<4x4xf32> align 256 gmem) {
// CHECK-NEXT: region.load
// CHECK-NOT: region.load
// CHECK: func.func @split
// CHECK: region.launch
// CHECK-NOT: region.launch
// CHECK: func.return
func.func @split(%x: tensor<4x12xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) {
  %0 = ptir.slice %x [0, 0] : tensor<4x12xf32> -> tensor<4x4xf32>
  %1 = ptir.slice %x [0, 4] : tensor<4x12xf32> -> tensor<4x4xf32>
  %2 = ptir.slice %x [0, 8] : tensor<4x12xf32> -> tensor<4x4xf32>
  func.return %0, %1, %2 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
}

// A result that reads another one at the same element keeps it in a register.
// CHECK: region.kernel @chain_0(%x: memref<8xf32> align 16) -> (%{{.*}}: memref<8xf32> align 256 gmem, %{{.*}}: memref<8xf32> align 256 gmem) {
// CHECK-NEXT: region.load
// CHECK-NEXT: %[[E:.*]] = tiny.unary exp
// CHECK-NEXT: %[[T:.*]] = tiny.unary tanh %[[E]]
// CHECK-NEXT: region.yield %[[E]], %[[T]]
// CHECK: func.func @chain
func.func @chain(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = ptir.exp %x : tensor<8xf32>
  %1 = ptir.tanh %0 : tensor<8xf32>
  func.return %0, %1 : tensor<8xf32>, tensor<8xf32>
}

// One that reads it at another element reads memory.
// CHECK: region.kernel @transposed_0(
// CHECK: region.kernel @transposed_1(
// CHECK: func.func @transposed
func.func @transposed(%x: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %0 = ptir.exp %x : tensor<4x4xf32>
  %1 = ptir.transpose %0 [1, 0] : tensor<4x4xf32> -> tensor<4x4xf32>
  %2 = ptir.add %0, %1 : tensor<4x4xf32>
  func.return %0, %2 : tensor<4x4xf32>, tensor<4x4xf32>
}

// Results of other shapes, or with only a small operand in common, have kernels of their own.
// CHECK: region.kernel @shapes_0(
// CHECK: region.kernel @shapes_1(
// CHECK: func.func @shapes
func.func @shapes(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x4xf32>) {
  %0 = ptir.exp %x : tensor<4x8xf32>
  %1 = ptir.slice %x [0, 0] : tensor<4x8xf32> -> tensor<4x4xf32>
  func.return %0, %1 : tensor<4x8xf32>, tensor<4x4xf32>
}
// These are equal, so that one is formed and launched twice.
// CHECK: region.kernel @bias_0(
// CHECK-NOT: region.kernel
// CHECK: func.func @bias
// CHECK: region.launch @bias_0 ins(%x, %b
// CHECK: region.launch @bias_0 ins(%y, %b
func.func @bias(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>, %b: tensor<8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %0 = ptir.broadcast_to %b : tensor<8xf32> -> tensor<4x8xf32>
  %1 = ptir.add %x, %0 : tensor<4x8xf32>
  %2 = ptir.add %y, %0 : tensor<4x8xf32>
  func.return %1, %2 : tensor<4x8xf32>, tensor<4x8xf32>
}

// Kernels do not wait for each other: a product lies between these.
// CHECK: region.kernel @between_0(
// CHECK: region.kernel @between_1(
// CHECK: region.kernel @between_2(
// CHECK: func.func @between
func.func @between(%x: tensor<8x8xbf16>, %w: tensor<8x8xbf16>) -> (tensor<8x8xbf16>, tensor<8x8xf32>) {
  %0 = ptir.exp %x : tensor<8x8xbf16>
  %1 = ptir.dot_general %0, %w contract [1] x [0] accum f32 out f32 : (tensor<8x8xbf16>, tensor<8x8xbf16>) -> tensor<8x8xf32>
  %2 = ptir.transpose %1 [1, 0] : tensor<8x8xf32> -> tensor<8x8xf32>
  %3 = ptir.add %1, %2 : tensor<8x8xf32>
  %4 = ptir.cast %x : tensor<8x8xbf16> -> tensor<8x8xf32>
  %5 = ptir.add %3, %4 : tensor<8x8xf32>
  func.return %0, %5 : tensor<8x8xbf16>, tensor<8x8xf32>
}

// The order of their ops in the program does not matter.

// CHECK: region.kernel @orders_0(
// CHECK-NOT: region.kernel
// CHECK: func.func @orders
func.func @orders(%x: tensor<8x40xf32>, %y: tensor<8x40xf32>) -> (tensor<8x40xf32>, tensor<8x40xf32>) {
  %a = ptir.exp %x : tensor<8x40xf32>
  %b = ptir.tanh %x : tensor<8x40xf32>
  %0 = ptir.sub %a, %b : tensor<8x40xf32>
  %c = ptir.tanh %y : tensor<8x40xf32>
  %d = ptir.exp %y : tensor<8x40xf32>
  %1 = ptir.sub %d, %c : tensor<8x40xf32>
  // CHECK: region.launch @orders_0 ins(%x
  // CHECK: region.launch @orders_0 ins(%y
  func.return %0, %1 : tensor<8x40xf32>, tensor<8x40xf32>
}
