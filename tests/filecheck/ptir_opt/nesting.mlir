// RUN: ptir-opt %s --pass-pipeline='builtin.module(func.func(cse))' | filecheck %s
// RUN: ptir-opt %s -p 'func.func(cse)' | filecheck %s
// RUN: ptir-opt %s --pass-pipeline='builtin.module(any(cse))' | filecheck %s

// Only what is inside a function is merged: the pass sees nothing else.

// CHECK:      func.func @f(%a: i32) -> i32 {
// CHECK-NEXT:   %0 = arith.addi %a, %a : i32
// CHECK-NEXT:   %1 = arith.muli %0, %0 : i32
// CHECK-NEXT:   func.return %1 : i32
// CHECK-NEXT: }
func.func @f(%a: i32) -> i32 {
  %0 = arith.addi %a, %a : i32
  %1 = arith.addi %a, %a : i32
  %2 = arith.muli %0, %1 : i32
  func.return %2 : i32
}

// CHECK:      %{{.*}} = arith.constant 1 : i32
// CHECK-NEXT: %{{.*}} = arith.constant 1 : i32
%x = arith.constant 1 : i32
%y = arith.constant 1 : i32
