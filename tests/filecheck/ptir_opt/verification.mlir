// RUN: not ptir-opt %s 2>&1 | filecheck %s

// Every failing operation is reported, in program order, and only its own line is shown.

// CHECK:      verification.mlir:[[LINE:[0-9]+]]:3: error[PTIR0100]: 'func.return'
// CHECK-NEXT:   func.return
// CHECK-NEXT:   ^~~~~~~~~~~
// CHECK-NEXT:   in @first
// CHECK-NEXT: error[PTIR0198]: operand #0 does not dominate this use
// CHECK-NEXT:   "test.op"(%0)
// CHECK-NEXT:   ^~~~~~~~~
// CHECK-NEXT:   in @second
// CHECK-NEXT: note: defined here
func.func @first() -> i32 {
  func.return
}
func.func @second() {
  "test.op"(%0) : (i32) -> ()
  %0 = "test.op"() : () -> i32
  func.return
}
