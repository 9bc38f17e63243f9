// RUN: ptir-opt %s --print-op-stats --allow-unregistered-dialect -o /dev/null 2>&1 | filecheck %s
// RUN: ptir-opt %s --print-op-stats=json --allow-unregistered-dialect -o /dev/null 2>&1 | filecheck %s --check-prefix=JSON

// CHECK:      Operations encountered:
// CHECK-NEXT: -----------------------
// CHECK-NEXT:   builtin.module   , 1
// CHECK-NEXT:      func.func     , 2
// CHECK-NEXT:      func.return   , 2
// CHECK-NEXT:           no_dialect , 1
// CHECK-NEXT:      ptir.exp      , 3
// CHECK-NEXT:      test.unknown.op , 1

// JSON:      {
// JSON-NEXT:   "builtin.module" : 1,
// JSON-NEXT:   "func.func" : 2,
// JSON-NEXT:   "func.return" : 2,
// JSON-NEXT:   "no_dialect" : 1,
// JSON-NEXT:   "ptir.exp" : 3,
// JSON-NEXT:   "test.unknown.op" : 1
// JSON-NEXT: }
func.func @f(%x: tensor<4xf32>) {
  %0 = ptir.exp %x : tensor<4xf32>
  %1 = ptir.exp %0 : tensor<4xf32>
  func.return
}
func.func @g(%x: tensor<4xf32>) {
  %0 = ptir.exp %x : tensor<4xf32>
  "test.unknown.op"() : () -> ()
  "no_dialect"() : () -> ()
  func.return
}
