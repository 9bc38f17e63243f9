// RUN: ptir-opt %s --split-input-file --verify-diagnostics

func.func @twice() { // expected-note {{first defined here}}
  func.return
}
func.func @once() {
  func.return
}
// expected-error @+1 {{[PTIR0196] redefinition of symbol @twice}}
func.func @twice() {
  func.return
}

// -----

func.func @value(%x: i32) { // expected-note {{first defined here}}
  // expected-error @+1 {{redefinition of value %x}}
  %x = arith.constant 1 : i32
  func.return
}

// -----

func.func @inner() {
  %c = arith.constant true // expected-note {{first defined here}}
  scf.if %c {
    // expected-error @+1 {{redefinition of value %c}}
    %c = arith.constant 1 : i32
  }
  func.return
}

// -----

// A name is free again at the end of its region.
func.func @free(%c: i1) {
  scf.if %c {
    %x = arith.constant 1 : i32
  }
  %x = arith.constant 1 : i32
  func.return
}
