// RUN: ptir-opt %s -p 'intent-to-ptir{sizes="M=8,N=16,K=4"}' | filecheck %s
// RUN: not ptir-opt %s -p 'intent-to-ptir{sizes="M=8"}' 2>&1 | filecheck %s --check-prefix=MISSING
// RUN: not ptir-opt %s -p 'intent-to-ptir{sizes="M=8,N=16,K=4,Q=1"}' 2>&1 | filecheck %s --check-prefix=UNKNOWN
// RUN: not ptir-opt %s -p 'intent-to-ptir{sizes="M=-1"}' 2>&1 | filecheck %s --check-prefix=NUMBER

// CHECK: func.func @center(%x: tensor<8x16xf32>, %top: tensor<8xf32>) -> tensor<8x16xf32> attributes {intent.schedule = {tile_m = 64 : i64}} {
intent.func @center(%x: !intent.tensor<[M, N], f32>, %top: !intent.tensor<[M], f32>) attributes {schedule = {tile_m = 64}} {
  // CHECK-NEXT: %0 = ptir.reduce sum %x axes [1] accum f32 out f32 : tensor<8x16xf32> -> tensor<8xf32>
  // CHECK-NEXT: %1 = ptir.constant dense<6.250000e-02> : tensor<f32>
  // CHECK-NEXT: %2 = ptir.broadcast_to %1 : tensor<f32> -> tensor<8xf32>
  // CHECK-NEXT: %mean = ptir.mul %0, %2 : tensor<8xf32>
  %mean = intent.reduce sum %x axes [1] scale expr "1 / num_elements" : !intent.tensor<[M, N], f32> -> !intent.tensor<[M], f32>
  // The sizes say where the operand of lower rank goes.
  // CHECK-NEXT: %3 = ptir.reshape %mean : tensor<8xf32> -> tensor<8x1xf32>
  // CHECK-NEXT: %4 = ptir.broadcast_to %3 : tensor<8x1xf32> -> tensor<8x16xf32>
  // CHECK-NEXT: %y = ptir.sub %x, %4 : tensor<8x16xf32>
  %y = intent.binary sub %x, %mean : (!intent.tensor<[M, N], f32>, !intent.tensor<[M], f32>) -> !intent.tensor<[M, N], f32>
  // CHECK-NEXT: func.return %y
  intent.return %y : !intent.tensor<[M, N], f32>
}

// CHECK: func.func @product
intent.func @product(%a: !intent.tensor<[3, M, K], f16>, %b: !intent.tensor<[N, K], f16>, %c: !intent.tensor<[N], f32>) {
  // CHECK-NEXT: %0 = ptir.dot_general %a, %b contract [2] x [1] accum f32 out f32 : (tensor<3x8x4xf16>, tensor<16x4xf16>) -> tensor<3x8x16xf32>
  // CHECK-NEXT: %1 = ptir.reshape %c : tensor<16xf32> -> tensor<1x1x16xf32>
  // CHECK-NEXT: %2 = ptir.broadcast_to %1 : tensor<1x1x16xf32> -> tensor<3x8x16xf32>
  // CHECK-NEXT: %y = ptir.add %0, %2 : tensor<3x8x16xf32>
  %y = intent.matmul %a, %b transpose_rhs epilogue {
  ^bb0(%x: !intent.tensor<[3, M, N], f32>):
    %0 = intent.binary add %x, %c : (!intent.tensor<[3, M, N], f32>, !intent.tensor<[N], f32>) -> !intent.tensor<[3, M, N], f32>
    intent.yield %0 : !intent.tensor<[3, M, N], f32>
  } : (!intent.tensor<[3, M, K], f16>, !intent.tensor<[N, K], f16>) -> !intent.tensor<[3, M, N], f32>
  intent.return %y : !intent.tensor<[3, M, N], f32>
}

// A function of another dialect stays.
// CHECK: func.func @other(%x: tensor<4xf32>) -> tensor<4xf32> {
func.func @other(%x: tensor<4xf32>) -> tensor<4xf32> {
  func.return %x : tensor<4xf32>
}

// MISSING: lower.mlir:7:1: error[PTIR0583]: no argument of @center determines N
// MISSING: help: give a number for each: sizes=N=8
// UNKNOWN: error[PTIR0101]: 'sizes' has 'Q', which is no symbol
// NUMBER:  error[PTIR0101]: 'sizes' has 'M=-1'
