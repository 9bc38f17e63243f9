// RUN: not ptir-opt %s --split-input-file --verify-each 2>&1 | filecheck %s

// Messages of the vyre dialect read `problem. Fix: action.`

// CHECK: error[PTIR0170]: the first region yields nothing, expected !vyre.u32. Fix: yield a value for each result.
vyre.program @p workgroup [1, 1, 1] {
  %c = vyre.constant true : !vyre.bool
  %0 = vyre.if %c -> (!vyre.u32) {
    vyre.yield
  } else {
    %x = vyre.constant 1 : !vyre.u32
    vyre.yield %x : !vyre.u32
  }
}

// -----

// CHECK: error[PTIR0171]: f32 is planned, not stable: it requires float BinOp/UnOp variants (FAdd, FMul, FSin, etc.), strict lowering constraints, and CR-Math conformance infrastructure. Fix: write !vyre.preview<f32>.
vyre.op @f(%x: !vyre.f32) -> !vyre.u32 {
}

// -----

// CHECK: error[PTIR0172]: buffer 'b' has no binding. Fix: give it one.
vyre.program @p workgroup [1, 1, 1] {
  %b = vyre.buffer "b" : !vyre.buffer<u32, read_only>
}

// -----

// CHECK: error[PTIR0173]: Store on a buffer that is read_only. Fix: declare the buffer as read_write or workgroup.
vyre.program @p workgroup [1, 1, 1] {
  %b = vyre.buffer "b" binding 0 : !vyre.buffer<u32, read_only>
  %i = vyre.position global x
  vyre.store %i, %b[%i] : !vyre.u32, !vyre.buffer<u32, read_only>
}

// -----

// CHECK: error[PTIR0174]: add is not defined on !vyre.bool. Fix: use a value of u32, i32, u64, vec2u32, vec4u32.
vyre.program @p workgroup [1, 1, 1] {
  %c = vyre.constant true : !vyre.bool
  %0 = vyre.binop add %c, %c : !vyre.bool
}

// -----

// CHECK: error[PTIR0175]: the input at binding 0 is missing. Fix: declare a read_only buffer there.
vyre.program @p workgroup [1, 1, 1] convention <v1> {
  vyre.yield
}

// -----

// CHECK: error[PTIR0176]: @f is no op of this module. Fix: define it with vyre.op.
vyre.program @p workgroup [1, 1, 1] {
  %0 = vyre.call @f() : () -> !vyre.u32
}
