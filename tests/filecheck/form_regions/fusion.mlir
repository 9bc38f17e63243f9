// RUN: ptir-opt %s -p ptir-to-tiny,form-regions | filecheck %s
// RUN: ptir-opt %s -p ptir-to-tiny,build-poly-view,form-regions | filecheck %s

// An epilogue joins its contraction; the function becomes allocations and launches.

// CHECK: region.kernel @mlp_0(%x: memref<4x8xbf16> align 16, %w: memref<8x8xbf16> align 16) -> (%{{.*}}: memref<4x8xbf16> align 256 deferred) {
// CHECK: region.load %x : memref<4x8xbf16> -> tensor<4x8xbf16>
// CHECK: tiny.reduce sum
// CHECK-NEXT: tiny.unary tanh
// CHECK-NEXT: tiny.unary cast
// CHECK-NEXT: region.yield %{{.*}} : tensor<4x8xbf16>
// CHECK: region.kernel @mlp_1(
// CHECK-SAME: memref<8x2xbf16> align 16) -> (%{{.*}}: memref<4x2xf32> align 256 gmem) {
// CHECK: func.func @mlp(%x: memref<4x8xbf16>, %w: memref<8x8xbf16>, %v: memref<8x2xbf16>) -> memref<4x2xf32> {
// CHECK-NEXT: %0 = memref.alloc() : memref<4x8xbf16>
// CHECK-NEXT: region.launch @mlp_0 ins(%x, %w : memref<4x8xbf16>, memref<8x8xbf16>) outs(%0 : memref<4x8xbf16>)
// CHECK-NEXT: %1 = memref.alloc() : memref<4x2xf32>
// CHECK-NEXT: region.launch @mlp_1 ins(%0, %v : memref<4x8xbf16>, memref<8x2xbf16>) outs(%1 : memref<4x2xf32>)
// CHECK-NEXT: func.return %1 : memref<4x2xf32>
func.func @mlp(%x: tensor<4x8xbf16>, %w: tensor<8x8xbf16>, %v: tensor<8x2xbf16>) -> tensor<4x2xf32> {
  %0 = ptir.dot_general %x, %w contract [1] x [0] accum f32 out f32 : (tensor<4x8xbf16>, tensor<8x8xbf16>) -> tensor<4x8xf32>
  %1 = ptir.tanh %0 : tensor<4x8xf32>
  %2 = ptir.cast %1 : tensor<4x8xf32> -> tensor<4x8xbf16>
  %3 = ptir.dot_general %2, %v contract [1] x [0] accum f32 out f32 : (tensor<4x8xbf16>, tensor<8x2xbf16>) -> tensor<4x2xf32>
  func.return %3 : tensor<4x2xf32>
}

// c + cᵀ needs c at two places: it is stored, and another kernel reads it back.
// CHECK: region.kernel @symmetric_0
// CHECK-SAME: deferred
// CHECK-NOT: tiny.binary add
// CHECK: region.kernel @symmetric_1
// CHECK-NOT: tiny.reduce
// CHECK: tiny.binary add
// CHECK: func.func @symmetric
func.func @symmetric(%x: tensor<4x8xbf16>, %w: tensor<8x4xbf16>) -> tensor<4x4xf32> {
  %0 = ptir.dot_general %x, %w contract [1] x [0] accum f32 out f32 : (tensor<4x8xbf16>, tensor<8x4xbf16>) -> tensor<4x4xf32>
  %1 = ptir.transpose %0 [1, 0] : tensor<4x4xf32> -> tensor<4x4xf32>
  %2 = ptir.add %0, %1 : tensor<4x4xf32>
  func.return %2 : tensor<4x4xf32>
}

// Roundings to tf32 are the contraction's own if both operands have one; a single one is an operand that is computed in the prologue.
// CHECK: region.kernel @tf32_0(%x: memref<4x8xf32> align 16, %w: memref<8x4xf32> align 16) ->
// CHECK-COUNT-2: tiny.unary tf32
// CHECK: tiny.reduce sum
// CHECK-NEXT: region.yield
// CHECK: func.func @tf32
func.func @tf32(%x: tensor<4x8xf32>, %w: tensor<8x4xf32>) -> tensor<4x4xf32> {
  %0 = ptir.dot_general %x, %w contract [1] x [0] precision tf32 : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  func.return %0 : tensor<4x4xf32>
}

// CHECK: region.kernel @half_0(%x: memref<4x8xf32> align 16, %w: memref<8x4xf32> align 16) ->
// CHECK-COUNT-1: tiny.unary tf32
// CHECK-NOT: tiny.unary tf32
// CHECK: tiny.reduce sum
// CHECK: func.func @half
func.func @half(%x: tensor<4x8xf32>, %w: tensor<8x4xf32>) -> tensor<4x4xf32> {
  %r = tiny.unary tf32 %x : tensor<4x8xf32> -> tensor<4x8xf32>
  %0 = ptir.dot_general %r, %w contract [1] x [0] : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  func.return %0 : tensor<4x4xf32>
}

// A dense literal is a global of the host; an argument that is returned costs nothing.
// CHECK: "memref.global"() <{constant, initial_value = dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>, sym_name = "table_const0", sym_visibility = "private", type = memref<2xf32>}>
// CHECK: func.func @table(%x: memref<3xf32>) -> (memref<2xf32>, memref<3xf32>) {
// CHECK-NEXT: %0 = memref.get_global @table_const0 : memref<2xf32>
// CHECK-NEXT: func.return %0, %x : memref<2xf32>, memref<3xf32>
func.func @table(%x: tensor<3xf32>) -> (tensor<2xf32>, tensor<3xf32>) {
  %0 = ptir.constant dense<[1.0, 2.0]> : tensor<2xf32>
  func.return %0, %x : tensor<2xf32>, tensor<3xf32>
}

// What is a region already, and a declaration, is left alone.
// CHECK: func.func private @elsewhere(tensor<4xf32>) -> tensor<4xf32>
func.func private @elsewhere(tensor<4xf32>) -> tensor<4xf32>

// CHECK: region.kernel @ready() -> (%y: memref<2xf32> align 4 gmem) {
region.kernel @ready() -> (%y: memref<2xf32> align 4 gmem) {
  %0 = tiny.const dense<1.0> : tensor<2xf32>
  region.yield %0 : tensor<2xf32>
}
