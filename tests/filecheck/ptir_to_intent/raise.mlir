// RUN: ptir-opt %s -p ptir-to-intent --split-input-file | filecheck %s

// CHECK: intent.func @linear(%x: !intent.tensor<[B, 8], bf16>, %w: !intent.tensor<[2, 8], bf16>, %b: !intent.tensor<[2], f32>) {
func.func @linear(%x: tensor<?x8xbf16, #ptir.dims<B,_>>, %w: tensor<2x8xbf16>, %b: tensor<2xf32>) -> tensor<?x2xf32, #ptir.dims<B,_>> {
  // CHECK-NEXT: %0 = intent.transpose %w by [1, 0]
  // CHECK-NEXT: %1 = intent.matmul %x, %0 accum f32 : (!intent.tensor<[B, 8], bf16>, !intent.tensor<[8, 2], bf16>) -> !intent.tensor<[B, 2], f32>
  %0 = ptir.dot_general %x, %w contract [1] x [1] accum f32 out f32 : (tensor<?x8xbf16, #ptir.dims<B,_>>, tensor<2x8xbf16>) -> tensor<?x2xf32, #ptir.dims<B,_>>
  // CHECK-NEXT: %2 = intent.broadcast_in_dim %b dims [1]
  %1 = ptir.broadcast_to %b : tensor<2xf32> -> tensor<?x2xf32, #ptir.dims<B,_>>
  // CHECK-NEXT: %3 = intent.binary add %1, %2
  %2 = ptir.add %0, %1 : tensor<?x2xf32, #ptir.dims<B,_>>
  // CHECK-NEXT: %4 = intent.const -1 : i64 : !intent.tensor<[], f32>
  // CHECK-NEXT: %5 = intent.binary mul %3, %4
  %3 = ptir.neg %2 : tensor<?x2xf32, #ptir.dims<B,_>>
  // CHECK-NEXT: intent.return %5
  func.return %3 : tensor<?x2xf32, #ptir.dims<B,_>>
}
