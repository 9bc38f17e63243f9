// RUN: ptir-opt %s -p 'ptir-prepare-parameters{parameters=w}' | filecheck %s
// RUN: ptir-opt %s -p 'ptir-prepare-parameters{parameters=w},ptir-prepare-parameters{parameters=w}' | filecheck %s
// RUN: ptir-opt %s -p 'ptir-prepare-parameters{parameters=w growth=2.0}' | filecheck %s --check-prefix=GROWTH
// RUN: not ptir-opt %s -p 'ptir-prepare-parameters{parameters=weights}' 2>&1 | filecheck %s --check-prefix=NAME

// GROWTH:     func.func @f.prepare(%w: tensor<4xbf16>) -> tensor<4xf32> {
// NAME: error[PTIR0215]: no function has an argument %weights
// NAME: help: the named arguments are: w, x, y
// CHECK-LABEL: func.func @f(
// CHECK-NOT: func.call
// CHECK-LABEL: func.func @g(
// CHECK: func.call @g.prepare(%w)
// CHECK-LABEL: func.func @g.prepare(
// CHECK-NOT: func.func @g.prepare
// CHECK-LABEL: func.func @g.apply(
// CHECK-NOT: func.func
func.func @f(%w: tensor<4xbf16>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = ptir.cast %w : tensor<4xbf16> -> tensor<4xf32>
  %1 = ptir.mul %x, %0 : tensor<4xf32>
  func.return %1 : tensor<4xf32>
}

func.func @g(%w: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = ptir.exp %w : tensor<4xf32>
  %1 = ptir.mul %y, %0 : tensor<4xf32>
  func.return %1 : tensor<4xf32>
}
