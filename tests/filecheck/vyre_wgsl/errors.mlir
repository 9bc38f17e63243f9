// RUN: ptir-opt %s --split-input-file --verify-diagnostics -t vyre-wgsl

vyre.op @f() -> !vyre.u32 {
  %i = vyre.position local x
  vyre.return %i : !vyre.u32
}
vyre.program @p workgroup [1, 1, 1] {
  // expected-error@+1 {{'vyre.call' does not belong in the input of the WGSL printer}}
  %0 = vyre.call @f() : () -> !vyre.u32
}

// -----

vyre.program @p workgroup [1, 1, 1] {
  // expected-error@+1 {{'test.op' does not belong in the input of the WGSL printer}}
  %0 = "test.op"() : () -> !vyre.u32
}

// -----

vyre.program @p workgroup [1, 1, 1] {
  vyre.yield
}
// expected-error@+1 {{a module of 2 programs as one shader module is not supported yet}}
vyre.program @q workgroup [1, 1, 1] {
  vyre.yield
}

// -----

vyre.program @p workgroup [1, 1, 1] {
  %b = vyre.buffer "b" binding 0 : !vyre.buffer<!vyre.preview<f32>, read_only>
  %i = vyre.position global x
  // expected-error@+1 {{'vyre.reduce' does not belong in the input of the WGSL printer}}
  %r = vyre.reduce tree fadd %b[%i] count 3 : !vyre.buffer<!vyre.preview<f32>, read_only>
}

// -----

vyre.program @p workgroup [1, 1, 1] {
  %b = vyre.buffer "b" binding 0 : !vyre.buffer<!vyre.preview<f32>, read_only>
  %i = vyre.position global x
  // expected-error@+1 {{'vyre.dot' does not belong in the input of the WGSL printer}}
  %r = vyre.dot %b[%i], %b[%i] count 3 steps[1, 1] : !vyre.buffer<!vyre.preview<f32>, read_only>, !vyre.buffer<!vyre.preview<f32>, read_only>
}
