// RUN: ptir-translate --export-tiny-json %s --split-input-file --verify-diagnostics | filecheck %s --allow-empty

// What a tiny program has no place for is an error, never left out.

// CHECK-NOT: "ops"

// expected-error@+1 {{the module's attribute acme.note = "x" cannot be written as Tiny JSON}}
builtin.module attributes {acme.note = "x"} {
}

// -----

func.func @stays(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{'ptir.neg' cannot be written as Tiny JSON}}
  %0 = ptir.neg %x : tensor<4xf32>
  func.return %0 : tensor<4xf32>
}

// -----

func.func @one() {
  func.return
}

// expected-error@+1 {{a module of 2 functions cannot be written as Tiny JSON}}
func.func @two() {
  func.return
}

// -----

func.func @noted(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{the attribute acme.note = "x" cannot be written as Tiny JSON}}
  %0 = tiny.unary neg %x {acme.note = "x"} : tensor<4xf32> -> tensor<4xf32>
  func.return %0 : tensor<4xf32>
}
