// RUN: ptir-opt %s -p 'ptir-to-cuda{arch=sm80}' --split-input-file | filecheck %s

// A shift by a number below the width is one op.
// CHECK-LABEL: nv.epilogue
// CHECK: %[[BY:.*]] = arith.constant 3 : i32
// CHECK-NEXT: %[[Y:.*]] = arith.shrsi %x_1, %[[BY]] : i32
// CHECK-NEXT: nv.yield %[[Y]] : i32
module attributes {ptir.extensions} {
  func.func @known(%x: tensor<8xi32>) -> tensor<8xi32> {
    %c = ptir.constant dense<3> : tensor<i32>
    %by = ptir.broadcast_to %c : tensor<i32> -> tensor<8xi32>
    %y = ptir.shift_right_arithmetic %x, %by : tensor<8xi32>
    func.return %y : tensor<8xi32>
  }
}

// -----

// A shift by the width or more is undefined in arith: the amount is limited.
// CHECK-LABEL: nv.epilogue
// CHECK: arith.minui %{{.*}}, %{{.*}} : i32
// CHECK-NEXT: arith.shli %x_1, %{{.*}} : i32
// CHECK: arith.select
module attributes {ptir.extensions} {
  func.func @beyond(%x: tensor<8xi32>) -> tensor<8xi32> {
    %c = ptir.constant dense<32> : tensor<i32>
    %by = ptir.broadcast_to %c : tensor<i32> -> tensor<8xi32>
    %y = ptir.shift_left %x, %by : tensor<8xi32>
    func.return %y : tensor<8xi32>
  }
}
