// RUN: ptir-opt %s --dump=frontend,indexbook,plan,cu | filecheck %s
// RUN: ptir-opt %s --dump=tiny,poly_view | filecheck %s --check-prefix=UPPER
// RUN: not ptir-opt %s -p ptir-to-tiny --dump=tiny,plan 2>&1 | filecheck %s --check-prefix=MISSING
// RUN: not ptir-opt %s --dump=tiny,nonsense 2>&1 | filecheck %s --check-prefix=UNKNOWN

// The levels asked for, in the order of the compiler, instead of the result.

// CHECK:      // -----// frontend //----- //
// CHECK:      ptir.add
// CHECK:      // -----// indexbook //----- //
// CHECK-NEXT: @add
// CHECK-NEXT:   v0 = binary add   axes i0:4[4] i1:5[8]
// CHECK-NEXT:     domain  0 <= i0 < 4, 0 <= i1 < 8
// CHECK-NEXT:     arg0  [i0, i1] -> [i0, i1]
// CHECK-NEXT:     arg1  [i0, i1] -> [i0, i1]
// CHECK:      // -----// plan //----- //
// CHECK-NEXT: {"@add_0": {"arch":"sm80","tile":
// CHECK:      // -----// cu //----- //
// CHECK:      __global__ void __launch_bounds__(128, 1) add_0(
// CHECK-NOT:  builtin.module

// UPPER:      // -----// tiny //----- //
// UPPER:      tiny.binary
// UPPER:      // -----// poly_view //----- //
// UPPER-NEXT: poly.view
// UPPER-NOT:  func.func

// MISSING:    // -----// tiny //----- //
// MISSING:    error[PTIR0615]: the program was never at level plan in builtin.module(ptir-to-tiny)
// UNKNOWN:    error[PTIR0101]: '--dump' names the unknown level 'nonsense'
// UNKNOWN-NEXT: help: levels: frontend, tiny,

func.func @add(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = ptir.add %x, %y : tensor<4x8xf32>
  func.return %0 : tensor<4x8xf32>
}
