// RUN: not ptir-opt %s -p ptir-to-intent --split-input-file 2>&1 | filecheck %s

func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: errors.mlir:5:8: error[PTIR0224]: ptir.tanh cannot be raised to intent
  %0 = ptir.tanh %x : tensor<4xf32>
  func.return %0 : tensor<4xf32>
}

// -----

// CHECK: errors.mlir:12:1: error[PTIR0224]: the type tensor<?xf32> cannot be raised to intent
func.func @f(%x: tensor<?xf32>) -> tensor<?xf32> {
  func.return %x : tensor<?xf32>
}
