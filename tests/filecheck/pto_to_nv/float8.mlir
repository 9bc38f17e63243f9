// RUN: ptir-opt %s -p 'ptir-to-cuda{arch=sm89}' --split-input-file | filecheck %s

// Elements of fp8 are computed with as those of bf16; from one kind to the other the way leads through f32.

// CHECK: nv.epilogue{{.*}}ins(%x, %y : memref<4x8xf8E4M3FN>, memref<4x8xf8E5M2>) outs({{.*}} : memref<4x8xf8E5M2>){{.*}}
// CHECK-NEXT: ^bb0(%x_1: f8E4M3FN, %y_1: f8E5M2):
// CHECK-NEXT: %[[WIDE:.*]] = arith.extf %x_1 : f8E4M3FN to f32
// CHECK-NEXT: %[[OTHER:.*]] = arith.truncf %[[WIDE]] : f32 to f8E5M2
// CHECK-NEXT: %[[SUM:.*]] = arith.addf %[[OTHER]], %y_1 : f8E5M2
// CHECK-NEXT: nv.yield %[[SUM]] : f8E5M2

func.func @f(%x: tensor<4x8xf8E4M3FN>, %y: tensor<4x8xf8E5M2>) -> tensor<4x8xf8E5M2> {
  %0 = ptir.cast %x : tensor<4x8xf8E4M3FN> -> tensor<4x8xf8E5M2>
  %1 = ptir.add %0, %y : tensor<4x8xf8E5M2>
  func.return %1 : tensor<4x8xf8E5M2>
}

// -----

// An integer goes there at once, and back through f32.

// CHECK: ^bb0(%i_1: i64):
// CHECK-NEXT: %[[SMALL:.*]] = arith.sitofp %i_1 : i64 to f8E4M3FN
// CHECK-NEXT: %[[WIDE:.*]] = arith.extf %[[SMALL]] : f8E4M3FN to f32
// CHECK-NEXT: arith.fptosi %[[WIDE]] : f32 to i16

func.func @g(%i: tensor<4x8xi64>) -> tensor<4x8xi16> {
  %0 = ptir.cast %i : tensor<4x8xi64> -> tensor<4x8xf8E4M3FN>
  %1 = ptir.cast %0 : tensor<4x8xf8E4M3FN> -> tensor<4x8xi16>
  func.return %1 : tensor<4x8xi16>
}
