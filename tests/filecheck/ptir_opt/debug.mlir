// RUN: ptir-opt %s -p ptir-to-tiny,form-regions --debug -o /dev/null 2>&1 | filecheck %s
// RUN: ptir-opt %s -p ptir-to-tiny,form-regions --debug-only=fusion -o /dev/null 2>&1 | filecheck %s --check-prefix=ONLY --allow-empty

// Why a pattern did not match, with the place.

// CHECK: debug.mlir:[[# @LINE + 6]]:8: debug[contraction]: 'tiny.reduce' is no contraction: the summed value is not a product
// ONLY-NOT: debug[contraction]

func.func @f(%x: tensor<4x8xf32>) -> tensor<4xf32> {
  %y = ptir.mul %x, %x : tensor<4x8xf32>
  %z = ptir.neg %y : tensor<4x8xf32>
  %0 = ptir.reduce sum %z axes [1] : tensor<4x8xf32> -> tensor<4xf32>
  func.return %0 : tensor<4xf32>
}
