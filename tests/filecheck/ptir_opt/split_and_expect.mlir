// RUN: ptir-opt %s --split-input-file --verify-diagnostics | filecheck %s

// CHECK: "test.op"() {a = "// -----"} : () -> ()
"test.op"() {a = "// -----"} : () -> ()

// -----

func.func @undefined() {
  // expected-error @+1 {{use of undefined value %nope}}
  "test.op"(%nope) : (i32) -> ()
  func.return
}

// -----

func.func @two_failures() -> i32 {
  // expected-error @+2 {{operand #0 does not dominate this use}}
  // expected-error-re @below {{operand #{{[1-9]}} does not dominate}}
  %0 = arith.addi %1, %1 : i32
  %1 = arith.constant 1 : i32 // expected-note {{defined here}}
  // expected-note @-1 {{defined here}}
  func.return
  // expected-error @above {{PTIR0100}}
}

// -----

// expected-error @+1 {{operation 'arith.nope' is not registered}}
arith.nope

// -----

// CHECK:      // -----
// CHECK:      func.func @last
func.func @last() {
  func.return
}
