// RUN: ptir-translate --export-json %s --split-input-file --verify-diagnostics --allow-unregistered-dialect | filecheck %s --allow-empty

// What a program has no place for is an error, never left out.

// CHECK-NOT: "functions"

// expected-error@+1 {{the module's attribute acme.note = "x" cannot be written as PTIR JSON}}
builtin.module attributes {acme.note = "x"} {
}

// -----

// expected-error@+1 {{'ptir.entry' is "g"}}
builtin.module attributes {ptir.entry = "g"} {
  func.func @f() {
    func.return
  }
}

// -----

func.func @calls(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{'func.call' cannot be written as PTIR JSON}}
  %0 = func.call @calls(%x) : (tensor<4xf32>) -> tensor<4xf32>
  func.return %0 : tensor<4xf32>
}

// -----

func.func @other_dialect(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{'acme.op' cannot be written as PTIR JSON}}
  %0 = "acme.op"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  func.return %0 : tensor<4xf32>
}

// -----

func.func @attribute(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{the attribute note = "kept" cannot be written as PTIR JSON}}
  %0 = ptir.neg %x {note = "kept"} : tensor<4xf32>
  func.return %0 : tensor<4xf32>
}

// -----

// expected-error@+1 {{the function's attribute sym_visibility = "private" cannot be written as PTIR JSON}}
func.func private @private() {
  func.return
}

// -----

// expected-error@+1 {{a function without a body cannot be written as PTIR JSON}}
func.func @declared() -> ()

// -----

// expected-error@+1 {{the function's attribute arg_attrs = [{acme.layout = 1 : i64}] cannot be written as PTIR JSON}}
func.func @argument(%x: tensor<4xf32> {acme.layout = 1 : i64}) {
  func.return
}

// -----

// expected-error@+1 {{a function of several blocks cannot be written as PTIR JSON}}
func.func @blocks() {
  cf.br ^next
^next:
  func.return
}

// -----

// expected-error@+1 {{the type i32 cannot be written as PTIR JSON}}
func.func @scalar(%x: i32) {
  func.return
}

// -----

// expected-error@+1 {{the element type f80 cannot be written as PTIR JSON}}
func.func @dtype(%x: tensor<4xf80>) {
  func.return
}

// -----

// expected-error@+1 {{the type tensor<4xf32, "sparse"> cannot be written as PTIR JSON}}
func.func @encoding(%x: tensor<4xf32, "sparse">) {
  func.return
}
