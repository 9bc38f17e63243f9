// RUN: ptir-opt %s -p ptir-to-tiny | filecheck %s

// A dim_cast between types that say the same numbers is nothing.
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: @f(%x: tensor<4xf32>)
  // CHECK-NEXT: tiny.unary neg %x
  %0 = ptir.dim_cast %x : tensor<4xf32> -> tensor<4xf32>
  %1 = ptir.neg %0 : tensor<4xf32>
  func.return %1 : tensor<4xf32>
}
