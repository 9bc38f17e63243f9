// RUN: not ptir-opt %s 2>&1 | filecheck %s

intent.func @f(%x: !intent.tensor<[M, M, N], f32>, %y: !intent.tensor<[M], f32>) {
// CHECK: intents.mlir:5:8: error[PTIR0130]: shape [M] agrees with [M, M, N] in several places: axes [0] or [1]
  %0 = intent.binary add %x, %y : (!intent.tensor<[M, M, N], f32>, !intent.tensor<[M], f32>) -> !intent.tensor<[M, M, N], f32>
  intent.return
}
