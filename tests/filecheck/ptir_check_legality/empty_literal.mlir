// RUN: not ptir-opt %s --ptir-to-cuda 2>&1 | filecheck %s

// CHECK: empty_literal.mlir:7:8: error[PTIR0210]: the shape of tensor<0xf32> is not supported yet
// CHECK: help: give every dimension a size of at least 1
func.func @f(%x: tensor<0xf32>) -> tensor<0xf32> {
  // A literal without elements is no splat.
  %c = ptir.constant dense<> : tensor<0xf32>
  %y = ptir.mul %x, %c : tensor<0xf32>
  func.return %y : tensor<0xf32>
}
