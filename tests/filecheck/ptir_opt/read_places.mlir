// RUN: ptir-opt %s --print-debuginfo --split-input-file --verify-diagnostics | filecheck %s
// RUN: ptir-opt %s -p convert-func-to-riscv-func --print-debuginfo --split-input-file --verify-diagnostics | filecheck %s --check-prefix=RISCV

// Arguments have places, and what replaces a symbol has that of the symbol.

// CHECK: func.func @places(%a: i32 loc("{{.*}}read_places.mlir":9:24), %b: i32 loc("{{.*}}read_places.mlir":10:24))
// CHECK: } loc("{{.*}}read_places.mlir":9:1)
// RISCV: } loc("{{.*}}read_places.mlir":9:1)
func.func @places(     %a: i32,
                       %b: i32) {
  func.return
}

// -----

// expected-note @+1 {{defined here}}
%outside = "test.op"() : () -> i32
func.func @isolated() {
  // expected-error @+1 {{operand #0 is defined outside of 'func.func', which is isolated from above}}
  "test.op"(%outside) : (i32) -> ()
  func.return
}

// -----

// expected-error @+1 {{expected a name of ASCII letters, digits and $ . _ -, or a number}}
%é = "test.op"() : () -> i32
