// RUN: ptir-opt %s -p intent-lower-macros | filecheck %s

// CHECK: intent.func @rope
intent.func @rope(%x: !intent.tensor<[S, B, H, D], f32>, %c: !intent.tensor<[S, "D//2"], f32>, %s: !intent.tensor<[S, "D//2"], f32>) {
  // CHECK-NOT: intent.rope
  // CHECK:     %[[HALF:.*]] = intent.const expr "D // 2" : !intent.tensor<[], i64>
  // CHECK:     intent.gather %x[
  // CHECK:     %y = intent.where
  %y = intent.rope %x, %c, %s : (!intent.tensor<[S, B, H, D], f32>, !intent.tensor<[S, "D//2"], f32>, !intent.tensor<[S, "D//2"], f32>) -> !intent.tensor<[S, B, H, D], f32>
  // CHECK-NEXT: intent.return %y
  intent.return %y : !intent.tensor<[S, B, H, D], f32>
}

// Ops that are no macros stay as they are.
// CHECK: intent.func @softmax
intent.func @softmax(%x: !intent.tensor<[M], f32>) {
  // CHECK-NEXT: %y = intent.softmax %x axis 0
  %y = intent.softmax %x axis 0 : !intent.tensor<[M], f32> -> !intent.tensor<[M], f32>
  // CHECK-NEXT: intent.return %y
  intent.return %y : !intent.tensor<[M], f32>
}
