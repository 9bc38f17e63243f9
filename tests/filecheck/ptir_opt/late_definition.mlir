// RUN: ptir-opt %s --verify-diagnostics

// The operand's definition comes too late for xDSL's parser to connect the two, and deeper inside.

func.func @f(%n: index) {
  // expected-error@+1 {{operand #3 does not dominate this use}}
  %0 = scf.for %i = %n to %n step %n iter_args(%x = %y) -> (f32) {
    %y = arith.constant 1.0 : f32
    scf.yield %y : f32
  }
  func.return
}
