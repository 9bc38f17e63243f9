// RUN: ptir-opt %s --split-input-file --verify-diagnostics -p vyre-to-nv

// expected-error@+1 {{a program with 49156 bytes of workgroup memory is not supported yet}}
vyre.program @p workgroup [1, 1, 1] {
  %w = vyre.buffer "w" count 12289 : !vyre.buffer<u32, workgroup>
}

// -----

vyre.program @p workgroup [1, 1, 1] {
  // expected-error@+1 {{'test.op' does not belong in the input of vyre-to-nv}}
  %0 = "test.op"() : () -> !vyre.u32
}
