// RUN: not ptir-opt %s --split-input-file --verify-each 2>&1 | filecheck %s

// CHECK: error[PTIR0205]: 'ptir.exp' has no strict meaning: exp of f64 is not correctly rounded
// CHECK: help: cast its operand to f32
builtin.module attributes {ptir.strict_floats} {
  func.func @f(%x: tensor<4xf64>) -> tensor<4xf64> {
    %0 = ptir.exp %x : tensor<4xf64>
    func.return %0 : tensor<4xf64>
  }
}
