// RUN: ptir-opt %s -p ptir-prepare-parameters --verify-diagnostics

// expected-note@+1 {{here}}
func.func @f.apply() {
  func.return
}

// expected-error@+1 {{there is already a symbol @f.apply}}
func.func @f(%w: tensor<4xf32> {ptir.parameter}, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = ptir.exp %w : tensor<4xf32>
  %1 = ptir.mul %y, %0 : tensor<4xf32>
  func.return %1 : tensor<4xf32>
}
