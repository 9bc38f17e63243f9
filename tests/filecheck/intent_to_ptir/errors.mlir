// RUN: not ptir-opt %s -p 'intent-to-ptir{sizes="M=8,N=16,W=4"}' --split-input-file 2>&1 | filecheck %s

// CHECK: errors.mlir:4:1: error[PTIR0223]: the layout col_major of !intent.tensor<[M, N], f32, col_major> cannot be lowered to ptir
intent.func @f(%x: !intent.tensor<[M, N], f32, col_major>) {
  %0 = intent.const 1 : i64 : !intent.tensor<[W], f32>
  intent.return %x : !intent.tensor<[M, N], f32, col_major>
}

// -----

intent.func @f(%x: !intent.tensor<[M, N, W], i8>) {
  // CHECK: errors.mlir:13:8: error[PTIR0223]: intent.resize cannot be lowered to ptir
  %0 = intent.resize %x fraction_bits 7 : !intent.tensor<[M, N, W], i8> -> !intent.tensor<[M, "2 * N", "2 * W"], i8>
  // CHECK: help: run intent-lower-macros first
  intent.return %0 : !intent.tensor<[M, "2 * N", "2 * W"], i8>
}

// -----

intent.func @f(%x: !intent.tensor<[M, N], f32>, %y: !intent.tensor<[W], f32>) {
  // CHECK: errors.mlir:22:8: error[PTIR0223]: an operand of intent.binary with 4 elements along an axis of 16 cannot be lowered to ptir
  %0 = intent.binary add %x, %y : (!intent.tensor<[M, N], f32>, !intent.tensor<[W], f32>) -> !intent.tensor<[M, N], f32>
  intent.return %0 : !intent.tensor<[M, N], f32>
}

// -----

// CHECK: errors.mlir:29:1: error[PTIR0582]: !intent.tensor<["M - 8"], f32> is too large for the interpreter: a size is 0 under this binding, and sizes are at least 1
intent.func @f(%x: !intent.tensor<["M - 8"], f32>, %y: !intent.tensor<[N, W], f32>) {
  intent.return %x : !intent.tensor<["M - 8"], f32>
}
