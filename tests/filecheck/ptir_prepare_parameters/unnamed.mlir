// RUN: not ptir-opt %s -p 'ptir-prepare-parameters{parameters=w}' 2>&1 | filecheck %s

// CHECK: error[PTIR0215]: no function has an argument %w
// CHECK: help: no argument has a name
func.func @f(%0: tensor<4xf32>) -> tensor<4xf32> {
  func.return %0 : tensor<4xf32>
}
