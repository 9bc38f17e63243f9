// RUN: ptir-opt %s --split-input-file --verify-diagnostics

// The constraints on operands, results and properties that the custom form cannot break.

vyre.program @p workgroup [1, 1, 1] {
  %a = vyre.buffer "a" binding 0 : !vyre.buffer<u32, read_write>
  %f = vyre.buffer "f" binding 1 : !vyre.buffer<!vyre.preview<f32>, read_only>
  %x = vyre.constant 1 : !vyre.u32
  %y = vyre.constant 1 : !vyre.i32
  %c = vyre.constant true : !vyre.bool
  %h = vyre.constant 1 : !vyre.preview<f16>
  %g = vyre.constant 1 : !vyre.preview<f32>
  %v = vyre.vector %x, %x : !vyre.vec2u32
  // expected-error@+1 {{'vyre.constant' "1" should be of base attribute builtin.int}}
  %0 = "vyre.constant"() <{value = "1"}> : () -> !vyre.u32
}

// -----

vyre.program @p workgroup [1, 1, 1] {
  %a = vyre.buffer "a" binding 0 : !vyre.buffer<u32, read_write>
  %f = vyre.buffer "f" binding 1 : !vyre.buffer<!vyre.preview<f32>, read_only>
  %x = vyre.constant 1 : !vyre.u32
  %y = vyre.constant 1 : !vyre.i32
  %c = vyre.constant true : !vyre.bool
  %h = vyre.constant 1 : !vyre.preview<f16>
  %g = vyre.constant 1 : !vyre.preview<f32>
  %v = vyre.vector %x, %x : !vyre.vec2u32
  // expected-error@+1 {{'vyre.binop' operand 'rhs' at position 1 does not verify: attribute !vyre.u32 expected from variable 'T', but got !vyre.i32}}
  %0 = "vyre.binop"(%x, %y) <{fn = "add"}> : (!vyre.u32, !vyre.i32) -> !vyre.u32
}

// -----

vyre.program @p workgroup [1, 1, 1] {
  %a = vyre.buffer "a" binding 0 : !vyre.buffer<u32, read_write>
  %f = vyre.buffer "f" binding 1 : !vyre.buffer<!vyre.preview<f32>, read_only>
  %x = vyre.constant 1 : !vyre.u32
  %y = vyre.constant 1 : !vyre.i32
  %c = vyre.constant true : !vyre.bool
  %h = vyre.constant 1 : !vyre.preview<f16>
  %g = vyre.constant 1 : !vyre.preview<f32>
  %v = vyre.vector %x, %x : !vyre.vec2u32
  // expected-error@+1 {{'vyre.binop' result 'result' at position 0 does not verify: attribute !vyre.u32 expected from variable 'T', but got !vyre.i32}}
  %0 = "vyre.binop"(%x, %x) <{fn = "add"}> : (!vyre.u32, !vyre.u32) -> !vyre.i32
}

// -----

vyre.program @p workgroup [1, 1, 1] {
  %a = vyre.buffer "a" binding 0 : !vyre.buffer<u32, read_write>
  %f = vyre.buffer "f" binding 1 : !vyre.buffer<!vyre.preview<f32>, read_only>
  %x = vyre.constant 1 : !vyre.u32
  %y = vyre.constant 1 : !vyre.i32
  %c = vyre.constant true : !vyre.bool
  %h = vyre.constant 1 : !vyre.preview<f16>
  %g = vyre.constant 1 : !vyre.preview<f32>
  %v = vyre.vector %x, %x : !vyre.vec2u32
  // expected-error@+1 {{'vyre.binop' 1 : i64 should be of base attribute string}}
  %0 = "vyre.binop"(%x, %x) <{fn = 1 : i64}> : (!vyre.u32, !vyre.u32) -> !vyre.u32
}

// -----

vyre.program @p workgroup [1, 1, 1] {
  %a = vyre.buffer "a" binding 0 : !vyre.buffer<u32, read_write>
  %f = vyre.buffer "f" binding 1 : !vyre.buffer<!vyre.preview<f32>, read_only>
  %x = vyre.constant 1 : !vyre.u32
  %y = vyre.constant 1 : !vyre.i32
  %c = vyre.constant true : !vyre.bool
  %h = vyre.constant 1 : !vyre.preview<f16>
  %g = vyre.constant 1 : !vyre.preview<f32>
  %v = vyre.vector %x, %x : !vyre.vec2u32
  // expected-error@+1 {{'vyre.unop' result 'result' at position 0 does not verify: attribute !vyre.u32 expected from variable 'T', but got !vyre.i32}}
  %0 = "vyre.unop"(%x) <{fn = "neg"}> : (!vyre.u32) -> !vyre.i32
}

// -----

vyre.program @p workgroup [1, 1, 1] {
  %a = vyre.buffer "a" binding 0 : !vyre.buffer<u32, read_write>
  %f = vyre.buffer "f" binding 1 : !vyre.buffer<!vyre.preview<f32>, read_only>
  %x = vyre.constant 1 : !vyre.u32
  %y = vyre.constant 1 : !vyre.i32
  %c = vyre.constant true : !vyre.bool
  %h = vyre.constant 1 : !vyre.preview<f16>
  %g = vyre.constant 1 : !vyre.preview<f32>
  %v = vyre.vector %x, %x : !vyre.vec2u32
  // expected-error@+1 {{'vyre.unop' 1 : i64 should be of base attribute string}}
  %0 = "vyre.unop"(%x) <{fn = 1 : i64}> : (!vyre.u32) -> !vyre.u32
}

// -----

vyre.program @p workgroup [1, 1, 1] {
  %a = vyre.buffer "a" binding 0 : !vyre.buffer<u32, read_write>
  %f = vyre.buffer "f" binding 1 : !vyre.buffer<!vyre.preview<f32>, read_only>
  %x = vyre.constant 1 : !vyre.u32
  %y = vyre.constant 1 : !vyre.i32
  %c = vyre.constant true : !vyre.bool
  %h = vyre.constant 1 : !vyre.preview<f16>
  %g = vyre.constant 1 : !vyre.preview<f32>
  %v = vyre.vector %x, %x : !vyre.vec2u32
  // expected-error@+1 {{'vyre.compare' operand 'rhs' at position 1 does not verify: attribute !vyre.u32 expected from variable 'T', but got !vyre.i32}}
  %0 = "vyre.compare"(%x, %y) <{fn = "eq"}> : (!vyre.u32, !vyre.i32) -> !vyre.bool
}

// -----

vyre.program @p workgroup [1, 1, 1] {
  %a = vyre.buffer "a" binding 0 : !vyre.buffer<u32, read_write>
  %f = vyre.buffer "f" binding 1 : !vyre.buffer<!vyre.preview<f32>, read_only>
  %x = vyre.constant 1 : !vyre.u32
  %y = vyre.constant 1 : !vyre.i32
  %c = vyre.constant true : !vyre.bool
  %h = vyre.constant 1 : !vyre.preview<f16>
  %g = vyre.constant 1 : !vyre.preview<f32>
  %v = vyre.vector %x, %x : !vyre.vec2u32
  // expected-error@+1 {{'vyre.compare' result 'result' at position 0 does not verify: Expected attribute !vyre.bool but got !vyre.u32}}
  %0 = "vyre.compare"(%x, %x) <{fn = "eq"}> : (!vyre.u32, !vyre.u32) -> !vyre.u32
}

// -----

vyre.program @p workgroup [1, 1, 1] {
  %a = vyre.buffer "a" binding 0 : !vyre.buffer<u32, read_write>
  %f = vyre.buffer "f" binding 1 : !vyre.buffer<!vyre.preview<f32>, read_only>
  %x = vyre.constant 1 : !vyre.u32
  %y = vyre.constant 1 : !vyre.i32
  %c = vyre.constant true : !vyre.bool
  %h = vyre.constant 1 : !vyre.preview<f16>
  %g = vyre.constant 1 : !vyre.preview<f32>
  %v = vyre.vector %x, %x : !vyre.vec2u32
  // expected-error@+1 {{'vyre.compare' 1 : i64 should be of base attribute string}}
  %0 = "vyre.compare"(%x, %x) <{fn = 1 : i64}> : (!vyre.u32, !vyre.u32) -> !vyre.bool
}

// -----

vyre.program @p workgroup [1, 1, 1] {
  %a = vyre.buffer "a" binding 0 : !vyre.buffer<u32, read_write>
  %f = vyre.buffer "f" binding 1 : !vyre.buffer<!vyre.preview<f32>, read_only>
  %x = vyre.constant 1 : !vyre.u32
  %y = vyre.constant 1 : !vyre.i32
  %c = vyre.constant true : !vyre.bool
  %h = vyre.constant 1 : !vyre.preview<f16>
  %g = vyre.constant 1 : !vyre.preview<f32>
  %v = vyre.vector %x, %x : !vyre.vec2u32
  // expected-error@+1 {{'vyre.select' operand 'condition' at position 0 does not verify: !vyre.u32 should be of base attribute vyre.bool}}
  %0 = "vyre.select"(%x, %x, %x) : (!vyre.u32, !vyre.u32, !vyre.u32) -> !vyre.u32
}

// -----

vyre.program @p workgroup [1, 1, 1] {
  %a = vyre.buffer "a" binding 0 : !vyre.buffer<u32, read_write>
  %f = vyre.buffer "f" binding 1 : !vyre.buffer<!vyre.preview<f32>, read_only>
  %x = vyre.constant 1 : !vyre.u32
  %y = vyre.constant 1 : !vyre.i32
  %c = vyre.constant true : !vyre.bool
  %h = vyre.constant 1 : !vyre.preview<f16>
  %g = vyre.constant 1 : !vyre.preview<f32>
  %v = vyre.vector %x, %x : !vyre.vec2u32
  // expected-error@+1 {{'vyre.select' operand 'on_false' at position 2 does not verify: attribute !vyre.u32 expected from variable 'T', but got !vyre.i32}}
  %0 = "vyre.select"(%c, %x, %y) : (!vyre.bool, !vyre.u32, !vyre.i32) -> !vyre.u32
}

// -----

vyre.program @p workgroup [1, 1, 1] {
  %a = vyre.buffer "a" binding 0 : !vyre.buffer<u32, read_write>
  %f = vyre.buffer "f" binding 1 : !vyre.buffer<!vyre.preview<f32>, read_only>
  %x = vyre.constant 1 : !vyre.u32
  %y = vyre.constant 1 : !vyre.i32
  %c = vyre.constant true : !vyre.bool
  %h = vyre.constant 1 : !vyre.preview<f16>
  %g = vyre.constant 1 : !vyre.preview<f32>
  %v = vyre.vector %x, %x : !vyre.vec2u32
  // expected-error@+1 {{'vyre.select' result 'result' at position 0 does not verify: attribute !vyre.u32 expected from variable 'T', but got !vyre.i32}}
  %0 = "vyre.select"(%c, %x, %x) : (!vyre.bool, !vyre.u32, !vyre.u32) -> !vyre.i32
}

// -----

vyre.program @p workgroup [1, 1, 1] {
  %a = vyre.buffer "a" binding 0 : !vyre.buffer<u32, read_write>
  %f = vyre.buffer "f" binding 1 : !vyre.buffer<!vyre.preview<f32>, read_only>
  %x = vyre.constant 1 : !vyre.u32
  %y = vyre.constant 1 : !vyre.i32
  %c = vyre.constant true : !vyre.bool
  %h = vyre.constant 1 : !vyre.preview<f16>
  %g = vyre.constant 1 : !vyre.preview<f32>
  %v = vyre.vector %x, %x : !vyre.vec2u32
  // expected-error@+1 {{'vyre.vector' operand 'components' at positions 0 to 1 does not verify: Expected attribute !vyre.u32 but got !vyre.i32}}
  %0 = "vyre.vector"(%x, %y) : (!vyre.u32, !vyre.i32) -> !vyre.vec2u32
}

// -----

vyre.program @p workgroup [1, 1, 1] {
  %a = vyre.buffer "a" binding 0 : !vyre.buffer<u32, read_write>
  %f = vyre.buffer "f" binding 1 : !vyre.buffer<!vyre.preview<f32>, read_only>
  %x = vyre.constant 1 : !vyre.u32
  %y = vyre.constant 1 : !vyre.i32
  %c = vyre.constant true : !vyre.bool
  %h = vyre.constant 1 : !vyre.preview<f16>
  %g = vyre.constant 1 : !vyre.preview<f32>
  %v = vyre.vector %x, %x : !vyre.vec2u32
  // expected-error@+1 {{'vyre.extract' Expected attribute i64 but got i32}}
  %0 = "vyre.extract"(%v) <{component = 0 : i32}> : (!vyre.vec2u32) -> !vyre.u32
}

// -----

vyre.program @p workgroup [1, 1, 1] {
  %a = vyre.buffer "a" binding 0 : !vyre.buffer<u32, read_write>
  %f = vyre.buffer "f" binding 1 : !vyre.buffer<!vyre.preview<f32>, read_only>
  %x = vyre.constant 1 : !vyre.u32
  %y = vyre.constant 1 : !vyre.i32
  %c = vyre.constant true : !vyre.bool
  %h = vyre.constant 1 : !vyre.preview<f16>
  %g = vyre.constant 1 : !vyre.preview<f32>
  %v = vyre.vector %x, %x : !vyre.vec2u32
  // expected-error@+1 {{'vyre.extract' result 'result' at position 0 does not verify: Expected attribute !vyre.u32 but got !vyre.i32}}
  %0 = "vyre.extract"(%v) <{component = 0 : i64}> : (!vyre.vec2u32) -> !vyre.i32
}

// -----

vyre.program @p workgroup [1, 1, 1] {
  %a = vyre.buffer "a" binding 0 : !vyre.buffer<u32, read_write>
  %f = vyre.buffer "f" binding 1 : !vyre.buffer<!vyre.preview<f32>, read_only>
  %x = vyre.constant 1 : !vyre.u32
  %y = vyre.constant 1 : !vyre.i32
  %c = vyre.constant true : !vyre.bool
  %h = vyre.constant 1 : !vyre.preview<f16>
  %g = vyre.constant 1 : !vyre.preview<f32>
  %v = vyre.vector %x, %x : !vyre.vec2u32
  // expected-error@+1 {{'vyre.strict' operand 'arguments' at positions 0 to 1 does not verify: attribute !vyre.preview<f16> expected from variable 'T', but got !vyre.preview<f32>}}
  %0 = "vyre.strict"(%h, %g) <{fn = "fadd"}> : (!vyre.preview<f16>, !vyre.preview<f32>) -> !vyre.preview<f16>
}

// -----

vyre.program @p workgroup [1, 1, 1] {
  %a = vyre.buffer "a" binding 0 : !vyre.buffer<u32, read_write>
  %f = vyre.buffer "f" binding 1 : !vyre.buffer<!vyre.preview<f32>, read_only>
  %x = vyre.constant 1 : !vyre.u32
  %y = vyre.constant 1 : !vyre.i32
  %c = vyre.constant true : !vyre.bool
  %h = vyre.constant 1 : !vyre.preview<f16>
  %g = vyre.constant 1 : !vyre.preview<f32>
  %v = vyre.vector %x, %x : !vyre.vec2u32
  // expected-error@+1 {{'vyre.strict' result 'result' at position 0 does not verify: attribute !vyre.preview<f16> expected from variable 'T', but got !vyre.preview<f32>}}
  %0 = "vyre.strict"(%h) <{fn = "fneg"}> : (!vyre.preview<f16>) -> !vyre.preview<f32>
}

// -----

vyre.program @p workgroup [1, 1, 1] {
  %a = vyre.buffer "a" binding 0 : !vyre.buffer<u32, read_write>
  %f = vyre.buffer "f" binding 1 : !vyre.buffer<!vyre.preview<f32>, read_only>
  %x = vyre.constant 1 : !vyre.u32
  %y = vyre.constant 1 : !vyre.i32
  %c = vyre.constant true : !vyre.bool
  %h = vyre.constant 1 : !vyre.preview<f16>
  %g = vyre.constant 1 : !vyre.preview<f32>
  %v = vyre.vector %x, %x : !vyre.vec2u32
  // expected-error@+1 {{'vyre.strict' 1 : i64 should be of base attribute string}}
  %0 = "vyre.strict"(%h) <{fn = 1 : i64}> : (!vyre.preview<f16>) -> !vyre.preview<f16>
}

// -----

vyre.program @p workgroup [1, 1, 1] {
  %a = vyre.buffer "a" binding 0 : !vyre.buffer<u32, read_write>
  %f = vyre.buffer "f" binding 1 : !vyre.buffer<!vyre.preview<f32>, read_only>
  %x = vyre.constant 1 : !vyre.u32
  %y = vyre.constant 1 : !vyre.i32
  %c = vyre.constant true : !vyre.bool
  %h = vyre.constant 1 : !vyre.preview<f16>
  %g = vyre.constant 1 : !vyre.preview<f32>
  %v = vyre.vector %x, %x : !vyre.vec2u32
  // expected-error@+1 {{'vyre.approximate' operand 'arguments' at positions 0 to 1 does not verify: attribute !vyre.preview<f16> expected from variable 'T', but got !vyre.preview<f32>}}
  %0 = "vyre.approximate"(%h, %g) <{fn = "fdiv", ulp = 1 : i64}> : (!vyre.preview<f16>, !vyre.preview<f32>) -> !vyre.preview<f16>
}

// -----

vyre.program @p workgroup [1, 1, 1] {
  %a = vyre.buffer "a" binding 0 : !vyre.buffer<u32, read_write>
  %f = vyre.buffer "f" binding 1 : !vyre.buffer<!vyre.preview<f32>, read_only>
  %x = vyre.constant 1 : !vyre.u32
  %y = vyre.constant 1 : !vyre.i32
  %c = vyre.constant true : !vyre.bool
  %h = vyre.constant 1 : !vyre.preview<f16>
  %g = vyre.constant 1 : !vyre.preview<f32>
  %v = vyre.vector %x, %x : !vyre.vec2u32
  // expected-error@+1 {{'vyre.approximate' result 'result' at position 0 does not verify: attribute !vyre.preview<f16> expected from variable 'T', but got !vyre.preview<f32>}}
  %0 = "vyre.approximate"(%h) <{fn = "fexp", ulp = 1 : i64}> : (!vyre.preview<f16>) -> !vyre.preview<f32>
}

// -----

vyre.program @p workgroup [1, 1, 1] {
  %a = vyre.buffer "a" binding 0 : !vyre.buffer<u32, read_write>
  %f = vyre.buffer "f" binding 1 : !vyre.buffer<!vyre.preview<f32>, read_only>
  %x = vyre.constant 1 : !vyre.u32
  %y = vyre.constant 1 : !vyre.i32
  %c = vyre.constant true : !vyre.bool
  %h = vyre.constant 1 : !vyre.preview<f16>
  %g = vyre.constant 1 : !vyre.preview<f32>
  %v = vyre.vector %x, %x : !vyre.vec2u32
  // expected-error@+1 {{'vyre.approximate' Expected attribute i64 but got i32}}
  %0 = "vyre.approximate"(%h) <{fn = "fexp", ulp = 1 : i32}> : (!vyre.preview<f16>) -> !vyre.preview<f16>
}

// -----

vyre.program @p workgroup [1, 1, 1] {
  %a = vyre.buffer "a" binding 0 : !vyre.buffer<u32, read_write>
  %f = vyre.buffer "f" binding 1 : !vyre.buffer<!vyre.preview<f32>, read_only>
  %x = vyre.constant 1 : !vyre.u32
  %y = vyre.constant 1 : !vyre.i32
  %c = vyre.constant true : !vyre.bool
  %h = vyre.constant 1 : !vyre.preview<f16>
  %g = vyre.constant 1 : !vyre.preview<f32>
  %v = vyre.vector %x, %x : !vyre.vec2u32
  // expected-error@+1 {{'vyre.approximate' 1 : i64 should be of base attribute string}}
  %0 = "vyre.approximate"(%h) <{fn = 1 : i64, ulp = 1 : i64}> : (!vyre.preview<f16>) -> !vyre.preview<f16>
}

// -----

vyre.program @p workgroup [1, 1, 1] {
  %a = vyre.buffer "a" binding 0 : !vyre.buffer<u32, read_write>
  %f = vyre.buffer "f" binding 1 : !vyre.buffer<!vyre.preview<f32>, read_only>
  %x = vyre.constant 1 : !vyre.u32
  %y = vyre.constant 1 : !vyre.i32
  %c = vyre.constant true : !vyre.bool
  %h = vyre.constant 1 : !vyre.preview<f16>
  %g = vyre.constant 1 : !vyre.preview<f32>
  %v = vyre.vector %x, %x : !vyre.vec2u32
  // expected-error@+1 {{'vyre.reduce' operand 'buffer' at position 0 does not verify: !vyre.u32 should be of base attribute vyre.buffer}}
  %0 = "vyre.reduce"(%x, %x) <{order = "tree", fn = "fadd", count = 1 : i64}> : (!vyre.u32, !vyre.u32) -> !vyre.preview<f32>
}

// -----

vyre.program @p workgroup [1, 1, 1] {
  %a = vyre.buffer "a" binding 0 : !vyre.buffer<u32, read_write>
  %f = vyre.buffer "f" binding 1 : !vyre.buffer<!vyre.preview<f32>, read_only>
  %x = vyre.constant 1 : !vyre.u32
  %y = vyre.constant 1 : !vyre.i32
  %c = vyre.constant true : !vyre.bool
  %h = vyre.constant 1 : !vyre.preview<f16>
  %g = vyre.constant 1 : !vyre.preview<f32>
  %v = vyre.vector %x, %x : !vyre.vec2u32
  // expected-error@+1 {{'vyre.reduce' operand 'first' at position 1 does not verify: Expected attribute !vyre.u32 but got !vyre.i32}}
  %0 = "vyre.reduce"(%f, %y) <{order = "tree", fn = "fadd", count = 1 : i64}> : (!vyre.buffer<!vyre.preview<f32>, read_only>, !vyre.i32) -> !vyre.preview<f32>
}

// -----

vyre.program @p workgroup [1, 1, 1] {
  %a = vyre.buffer "a" binding 0 : !vyre.buffer<u32, read_write>
  %f = vyre.buffer "f" binding 1 : !vyre.buffer<!vyre.preview<f32>, read_only>
  %x = vyre.constant 1 : !vyre.u32
  %y = vyre.constant 1 : !vyre.i32
  %c = vyre.constant true : !vyre.bool
  %h = vyre.constant 1 : !vyre.preview<f16>
  %g = vyre.constant 1 : !vyre.preview<f32>
  %v = vyre.vector %x, %x : !vyre.vec2u32
  // expected-error@+1 {{'vyre.reduce' Expected attribute i64 but got i32}}
  %0 = "vyre.reduce"(%f, %x) <{order = "tree", fn = "fadd", count = 1 : i32}> : (!vyre.buffer<!vyre.preview<f32>, read_only>, !vyre.u32) -> !vyre.preview<f32>
}

// -----

vyre.program @p workgroup [1, 1, 1] {
  %a = vyre.buffer "a" binding 0 : !vyre.buffer<u32, read_write>
  %f = vyre.buffer "f" binding 1 : !vyre.buffer<!vyre.preview<f32>, read_only>
  %x = vyre.constant 1 : !vyre.u32
  %y = vyre.constant 1 : !vyre.i32
  %c = vyre.constant true : !vyre.bool
  %h = vyre.constant 1 : !vyre.preview<f16>
  %g = vyre.constant 1 : !vyre.preview<f32>
  %v = vyre.vector %x, %x : !vyre.vec2u32
  // expected-error@+1 {{'vyre.reduce' result 'result' at position 0 does not verify: Expected attribute !vyre.preview<f32> but got !vyre.preview<f16>}}
  %0 = "vyre.reduce"(%f, %x) <{order = "tree", fn = "fadd", count = 1 : i64}> : (!vyre.buffer<!vyre.preview<f32>, read_only>, !vyre.u32) -> !vyre.preview<f16>
}

// -----

vyre.program @p workgroup [1, 1, 1] {
  %a = vyre.buffer "a" binding 0 : !vyre.buffer<u32, read_write>
  %f = vyre.buffer "f" binding 1 : !vyre.buffer<!vyre.preview<f32>, read_only>
  %x = vyre.constant 1 : !vyre.u32
  %y = vyre.constant 1 : !vyre.i32
  %c = vyre.constant true : !vyre.bool
  %h = vyre.constant 1 : !vyre.preview<f16>
  %g = vyre.constant 1 : !vyre.preview<f32>
  %v = vyre.vector %x, %x : !vyre.vec2u32
  // expected-error@+1 {{'vyre.reduce' 1 : i64 should be of base attribute string}}
  %0 = "vyre.reduce"(%f, %x) <{order = 1 : i64, fn = "fadd", count = 1 : i64}> : (!vyre.buffer<!vyre.preview<f32>, read_only>, !vyre.u32) -> !vyre.preview<f32>
}

// -----

vyre.program @p workgroup [1, 1, 1] {
  %a = vyre.buffer "a" binding 0 : !vyre.buffer<u32, read_write>
  %f = vyre.buffer "f" binding 1 : !vyre.buffer<!vyre.preview<f32>, read_only>
  %x = vyre.constant 1 : !vyre.u32
  %y = vyre.constant 1 : !vyre.i32
  %c = vyre.constant true : !vyre.bool
  %h = vyre.constant 1 : !vyre.preview<f16>
  %g = vyre.constant 1 : !vyre.preview<f32>
  %v = vyre.vector %x, %x : !vyre.vec2u32
  // expected-error@+1 {{'vyre.reduce' 1 : i64 should be of base attribute string}}
  %0 = "vyre.reduce"(%f, %x) <{order = "tree", fn = 1 : i64, count = 1 : i64}> : (!vyre.buffer<!vyre.preview<f32>, read_only>, !vyre.u32) -> !vyre.preview<f32>
}

// -----

vyre.program @p workgroup [1, 1, 1] {
  %a = vyre.buffer "a" binding 0 : !vyre.buffer<u32, read_write>
  %f = vyre.buffer "f" binding 1 : !vyre.buffer<!vyre.preview<f32>, read_only>
  %x = vyre.constant 1 : !vyre.u32
  %y = vyre.constant 1 : !vyre.i32
  %c = vyre.constant true : !vyre.bool
  %h = vyre.constant 1 : !vyre.preview<f16>
  %g = vyre.constant 1 : !vyre.preview<f32>
  %v = vyre.vector %x, %x : !vyre.vec2u32
  // expected-error@+1 {{'vyre.dot' operand 'a' at position 0 does not verify: !vyre.u32 should be of base attribute vyre.buffer}}
  %0 = "vyre.dot"(%x, %x, %f, %x) <{count = 1 : i64, step_a = 1 : i64, step_b = 1 : i64}> : (!vyre.u32, !vyre.u32, !vyre.buffer<!vyre.preview<f32>, read_only>, !vyre.u32) -> !vyre.preview<f32>
}

// -----

vyre.program @p workgroup [1, 1, 1] {
  %a = vyre.buffer "a" binding 0 : !vyre.buffer<u32, read_write>
  %f = vyre.buffer "f" binding 1 : !vyre.buffer<!vyre.preview<f32>, read_only>
  %x = vyre.constant 1 : !vyre.u32
  %y = vyre.constant 1 : !vyre.i32
  %c = vyre.constant true : !vyre.bool
  %h = vyre.constant 1 : !vyre.preview<f16>
  %g = vyre.constant 1 : !vyre.preview<f32>
  %v = vyre.vector %x, %x : !vyre.vec2u32
  // expected-error@+1 {{'vyre.dot' operand 'i' at position 1 does not verify: Expected attribute !vyre.u32 but got !vyre.i32}}
  %0 = "vyre.dot"(%f, %y, %f, %x) <{count = 1 : i64, step_a = 1 : i64, step_b = 1 : i64}> : (!vyre.buffer<!vyre.preview<f32>, read_only>, !vyre.i32, !vyre.buffer<!vyre.preview<f32>, read_only>, !vyre.u32) -> !vyre.preview<f32>
}

// -----

vyre.program @p workgroup [1, 1, 1] {
  %a = vyre.buffer "a" binding 0 : !vyre.buffer<u32, read_write>
  %f = vyre.buffer "f" binding 1 : !vyre.buffer<!vyre.preview<f32>, read_only>
  %x = vyre.constant 1 : !vyre.u32
  %y = vyre.constant 1 : !vyre.i32
  %c = vyre.constant true : !vyre.bool
  %h = vyre.constant 1 : !vyre.preview<f16>
  %g = vyre.constant 1 : !vyre.preview<f32>
  %v = vyre.vector %x, %x : !vyre.vec2u32
  // expected-error@+1 {{'vyre.dot' operand 'b' at position 2 does not verify: !vyre.u32 should be of base attribute vyre.buffer}}
  %0 = "vyre.dot"(%f, %x, %x, %x) <{count = 1 : i64, step_a = 1 : i64, step_b = 1 : i64}> : (!vyre.buffer<!vyre.preview<f32>, read_only>, !vyre.u32, !vyre.u32, !vyre.u32) -> !vyre.preview<f32>
}

// -----

vyre.program @p workgroup [1, 1, 1] {
  %a = vyre.buffer "a" binding 0 : !vyre.buffer<u32, read_write>
  %f = vyre.buffer "f" binding 1 : !vyre.buffer<!vyre.preview<f32>, read_only>
  %x = vyre.constant 1 : !vyre.u32
  %y = vyre.constant 1 : !vyre.i32
  %c = vyre.constant true : !vyre.bool
  %h = vyre.constant 1 : !vyre.preview<f16>
  %g = vyre.constant 1 : !vyre.preview<f32>
  %v = vyre.vector %x, %x : !vyre.vec2u32
  // expected-error@+1 {{'vyre.dot' operand 'j' at position 3 does not verify: Expected attribute !vyre.u32 but got !vyre.i32}}
  %0 = "vyre.dot"(%f, %x, %f, %y) <{count = 1 : i64, step_a = 1 : i64, step_b = 1 : i64}> : (!vyre.buffer<!vyre.preview<f32>, read_only>, !vyre.u32, !vyre.buffer<!vyre.preview<f32>, read_only>, !vyre.i32) -> !vyre.preview<f32>
}

// -----

vyre.program @p workgroup [1, 1, 1] {
  %a = vyre.buffer "a" binding 0 : !vyre.buffer<u32, read_write>
  %f = vyre.buffer "f" binding 1 : !vyre.buffer<!vyre.preview<f32>, read_only>
  %x = vyre.constant 1 : !vyre.u32
  %y = vyre.constant 1 : !vyre.i32
  %c = vyre.constant true : !vyre.bool
  %h = vyre.constant 1 : !vyre.preview<f16>
  %g = vyre.constant 1 : !vyre.preview<f32>
  %v = vyre.vector %x, %x : !vyre.vec2u32
  // expected-error@+1 {{'vyre.dot' result 'result' at position 0 does not verify: Expected attribute !vyre.preview<f32> but got !vyre.preview<f16>}}
  %0 = "vyre.dot"(%f, %x, %f, %x) <{count = 1 : i64, step_a = 1 : i64, step_b = 1 : i64}> : (!vyre.buffer<!vyre.preview<f32>, read_only>, !vyre.u32, !vyre.buffer<!vyre.preview<f32>, read_only>, !vyre.u32) -> !vyre.preview<f16>
}

// -----

vyre.program @p workgroup [1, 1, 1] {
  %a = vyre.buffer "a" binding 0 : !vyre.buffer<u32, read_write>
  %f = vyre.buffer "f" binding 1 : !vyre.buffer<!vyre.preview<f32>, read_only>
  %x = vyre.constant 1 : !vyre.u32
  %y = vyre.constant 1 : !vyre.i32
  %c = vyre.constant true : !vyre.bool
  %h = vyre.constant 1 : !vyre.preview<f16>
  %g = vyre.constant 1 : !vyre.preview<f32>
  %v = vyre.vector %x, %x : !vyre.vec2u32
  // expected-error@+1 {{'vyre.dot' Expected attribute i64 but got i32}}
  %0 = "vyre.dot"(%f, %x, %f, %x) <{count = 1 : i32, step_a = 1 : i64, step_b = 1 : i64}> : (!vyre.buffer<!vyre.preview<f32>, read_only>, !vyre.u32, !vyre.buffer<!vyre.preview<f32>, read_only>, !vyre.u32) -> !vyre.preview<f32>
}

// -----

vyre.program @p workgroup [1, 1, 1] {
  %a = vyre.buffer "a" binding 0 : !vyre.buffer<u32, read_write>
  %f = vyre.buffer "f" binding 1 : !vyre.buffer<!vyre.preview<f32>, read_only>
  %x = vyre.constant 1 : !vyre.u32
  %y = vyre.constant 1 : !vyre.i32
  %c = vyre.constant true : !vyre.bool
  %h = vyre.constant 1 : !vyre.preview<f16>
  %g = vyre.constant 1 : !vyre.preview<f32>
  %v = vyre.vector %x, %x : !vyre.vec2u32
  // expected-error@+1 {{'vyre.dot' Expected attribute i64 but got i32}}
  %0 = "vyre.dot"(%f, %x, %f, %x) <{count = 1 : i64, step_a = 1 : i32, step_b = 1 : i64}> : (!vyre.buffer<!vyre.preview<f32>, read_only>, !vyre.u32, !vyre.buffer<!vyre.preview<f32>, read_only>, !vyre.u32) -> !vyre.preview<f32>
}

// -----

vyre.program @p workgroup [1, 1, 1] {
  %a = vyre.buffer "a" binding 0 : !vyre.buffer<u32, read_write>
  %f = vyre.buffer "f" binding 1 : !vyre.buffer<!vyre.preview<f32>, read_only>
  %x = vyre.constant 1 : !vyre.u32
  %y = vyre.constant 1 : !vyre.i32
  %c = vyre.constant true : !vyre.bool
  %h = vyre.constant 1 : !vyre.preview<f16>
  %g = vyre.constant 1 : !vyre.preview<f32>
  %v = vyre.vector %x, %x : !vyre.vec2u32
  // expected-error@+1 {{'vyre.dot' Expected attribute i64 but got i32}}
  %0 = "vyre.dot"(%f, %x, %f, %x) <{count = 1 : i64, step_a = 1 : i64, step_b = 1 : i32}> : (!vyre.buffer<!vyre.preview<f32>, read_only>, !vyre.u32, !vyre.buffer<!vyre.preview<f32>, read_only>, !vyre.u32) -> !vyre.preview<f32>
}

// -----

vyre.program @p workgroup [1, 1, 1] {
  %a = vyre.buffer "a" binding 0 : !vyre.buffer<u32, read_write>
  %f = vyre.buffer "f" binding 1 : !vyre.buffer<!vyre.preview<f32>, read_only>
  %x = vyre.constant 1 : !vyre.u32
  %y = vyre.constant 1 : !vyre.i32
  %c = vyre.constant true : !vyre.bool
  %h = vyre.constant 1 : !vyre.preview<f16>
  %g = vyre.constant 1 : !vyre.preview<f32>
  %v = vyre.vector %x, %x : !vyre.vec2u32
  // expected-error@+1 {{'vyre.load' operand 'buffer' at position 0 does not verify: !vyre.u32 should be of base attribute vyre.buffer}}
  %0 = "vyre.load"(%x, %x) : (!vyre.u32, !vyre.u32) -> !vyre.u32
}

// -----

vyre.program @p workgroup [1, 1, 1] {
  %a = vyre.buffer "a" binding 0 : !vyre.buffer<u32, read_write>
  %f = vyre.buffer "f" binding 1 : !vyre.buffer<!vyre.preview<f32>, read_only>
  %x = vyre.constant 1 : !vyre.u32
  %y = vyre.constant 1 : !vyre.i32
  %c = vyre.constant true : !vyre.bool
  %h = vyre.constant 1 : !vyre.preview<f16>
  %g = vyre.constant 1 : !vyre.preview<f32>
  %v = vyre.vector %x, %x : !vyre.vec2u32
  // expected-error@+1 {{'vyre.load' operand 'index' at position 1 does not verify: Expected attribute !vyre.u32 but got !vyre.i32}}
  %0 = "vyre.load"(%a, %y) : (!vyre.buffer<u32, read_write>, !vyre.i32) -> !vyre.u32
}

// -----

vyre.program @p workgroup [1, 1, 1] {
  %a = vyre.buffer "a" binding 0 : !vyre.buffer<u32, read_write>
  %f = vyre.buffer "f" binding 1 : !vyre.buffer<!vyre.preview<f32>, read_only>
  %x = vyre.constant 1 : !vyre.u32
  %y = vyre.constant 1 : !vyre.i32
  %c = vyre.constant true : !vyre.bool
  %h = vyre.constant 1 : !vyre.preview<f16>
  %g = vyre.constant 1 : !vyre.preview<f32>
  %v = vyre.vector %x, %x : !vyre.vec2u32
  // expected-error@+1 {{'vyre.load_word' result 'result' at position 0 does not verify: Expected attribute !vyre.u32 but got !vyre.i32}}
  %0 = "vyre.load_word"(%a, %x) : (!vyre.buffer<u32, read_write>, !vyre.u32) -> !vyre.i32
}

// -----

vyre.program @p workgroup [1, 1, 1] {
  %a = vyre.buffer "a" binding 0 : !vyre.buffer<u32, read_write>
  %f = vyre.buffer "f" binding 1 : !vyre.buffer<!vyre.preview<f32>, read_only>
  %x = vyre.constant 1 : !vyre.u32
  %y = vyre.constant 1 : !vyre.i32
  %c = vyre.constant true : !vyre.bool
  %h = vyre.constant 1 : !vyre.preview<f16>
  %g = vyre.constant 1 : !vyre.preview<f32>
  %v = vyre.vector %x, %x : !vyre.vec2u32
  // expected-error@+1 {{'vyre.store_word' operand 'value' at position 0 does not verify: Expected attribute !vyre.u32 but got !vyre.buffer<u32, read_write>}}
  "vyre.store_word"(%a, %x, %y) : (!vyre.buffer<u32, read_write>, !vyre.u32, !vyre.i32) -> ()
}

// -----

vyre.program @p workgroup [1, 1, 1] {
  %a = vyre.buffer "a" binding 0 : !vyre.buffer<u32, read_write>
  %f = vyre.buffer "f" binding 1 : !vyre.buffer<!vyre.preview<f32>, read_only>
  %x = vyre.constant 1 : !vyre.u32
  %y = vyre.constant 1 : !vyre.i32
  %c = vyre.constant true : !vyre.bool
  %h = vyre.constant 1 : !vyre.preview<f16>
  %g = vyre.constant 1 : !vyre.preview<f32>
  %v = vyre.vector %x, %x : !vyre.vec2u32
  // expected-error@+1 {{'vyre.atomic' operand 'buffer' at position 1 does not verify: !vyre.u32 should be of base attribute vyre.buffer}}
  %0 = "vyre.atomic"(%a, %x, %x) <{fn = 1 : i64}> : (!vyre.buffer<u32, read_write>, !vyre.u32, !vyre.u32) -> !vyre.u32
}

// -----

vyre.program @p workgroup [1, 1, 1] {
  %a = vyre.buffer "a" binding 0 : !vyre.buffer<u32, read_write>
  %f = vyre.buffer "f" binding 1 : !vyre.buffer<!vyre.preview<f32>, read_only>
  %x = vyre.constant 1 : !vyre.u32
  %y = vyre.constant 1 : !vyre.i32
  %c = vyre.constant true : !vyre.bool
  %h = vyre.constant 1 : !vyre.preview<f16>
  %g = vyre.constant 1 : !vyre.preview<f32>
  %v = vyre.vector %x, %x : !vyre.vec2u32
  // expected-error@+1 {{'vyre.buf_len' operand 'buffer' at position 0 does not verify: !vyre.u32 should be of base attribute vyre.buffer}}
  %0 = "vyre.buf_len"(%x) : (!vyre.u32) -> !vyre.u32
}

// -----

vyre.program @p workgroup [1, 1, 1] {
  %a = vyre.buffer "a" binding 0 : !vyre.buffer<u32, read_write>
  %f = vyre.buffer "f" binding 1 : !vyre.buffer<!vyre.preview<f32>, read_only>
  %x = vyre.constant 1 : !vyre.u32
  %y = vyre.constant 1 : !vyre.i32
  %c = vyre.constant true : !vyre.bool
  %h = vyre.constant 1 : !vyre.preview<f16>
  %g = vyre.constant 1 : !vyre.preview<f32>
  %v = vyre.vector %x, %x : !vyre.vec2u32
  // expected-error@+1 {{'vyre.buf_len' result 'result' at position 0 does not verify: Expected attribute !vyre.u32 but got !vyre.i32}}
  %0 = "vyre.buf_len"(%a) : (!vyre.buffer<u32, read_write>) -> !vyre.i32
}

// -----

vyre.program @p workgroup [1, 1, 1] {
  %a = vyre.buffer "a" binding 0 : !vyre.buffer<u32, read_write>
  %f = vyre.buffer "f" binding 1 : !vyre.buffer<!vyre.preview<f32>, read_only>
  %x = vyre.constant 1 : !vyre.u32
  %y = vyre.constant 1 : !vyre.i32
  %c = vyre.constant true : !vyre.bool
  %h = vyre.constant 1 : !vyre.preview<f16>
  %g = vyre.constant 1 : !vyre.preview<f32>
  %v = vyre.vector %x, %x : !vyre.vec2u32
  // expected-error@+1 {{'vyre.position' result 'result' at position 0 does not verify: Expected attribute !vyre.u32 but got !vyre.i32}}
  %0 = "vyre.position"() <{kind = "global", axis = "x"}> : () -> !vyre.i32
}

// -----

vyre.program @p workgroup [1, 1, 1] {
  %a = vyre.buffer "a" binding 0 : !vyre.buffer<u32, read_write>
  %f = vyre.buffer "f" binding 1 : !vyre.buffer<!vyre.preview<f32>, read_only>
  %x = vyre.constant 1 : !vyre.u32
  %y = vyre.constant 1 : !vyre.i32
  %c = vyre.constant true : !vyre.bool
  %h = vyre.constant 1 : !vyre.preview<f16>
  %g = vyre.constant 1 : !vyre.preview<f32>
  %v = vyre.vector %x, %x : !vyre.vec2u32
  // expected-error@+1 {{'vyre.position' 1 : i64 should be of base attribute string}}
  %0 = "vyre.position"() <{kind = 1 : i64, axis = "x"}> : () -> !vyre.u32
}

// -----

vyre.program @p workgroup [1, 1, 1] {
  %a = vyre.buffer "a" binding 0 : !vyre.buffer<u32, read_write>
  %f = vyre.buffer "f" binding 1 : !vyre.buffer<!vyre.preview<f32>, read_only>
  %x = vyre.constant 1 : !vyre.u32
  %y = vyre.constant 1 : !vyre.i32
  %c = vyre.constant true : !vyre.bool
  %h = vyre.constant 1 : !vyre.preview<f16>
  %g = vyre.constant 1 : !vyre.preview<f32>
  %v = vyre.vector %x, %x : !vyre.vec2u32
  // expected-error@+1 {{'vyre.position' 1 : i64 should be of base attribute string}}
  %0 = "vyre.position"() <{kind = "global", axis = 1 : i64}> : () -> !vyre.u32
}

// -----

vyre.program @p workgroup [1, 1, 1] {
  %a = vyre.buffer "a" binding 0 : !vyre.buffer<u32, read_write>
  %f = vyre.buffer "f" binding 1 : !vyre.buffer<!vyre.preview<f32>, read_only>
  %x = vyre.constant 1 : !vyre.u32
  %y = vyre.constant 1 : !vyre.i32
  %c = vyre.constant true : !vyre.bool
  %h = vyre.constant 1 : !vyre.preview<f16>
  %g = vyre.constant 1 : !vyre.preview<f32>
  %v = vyre.vector %x, %x : !vyre.vec2u32
  // expected-error@+1 {{'vyre.if' operand 'condition' at position 0 does not verify: !vyre.u32 should be of base attribute vyre.bool}}
  "vyre.if"(%x) ({ vyre.yield }, {}) : (!vyre.u32) -> ()
}

// -----

vyre.program @p workgroup [1, 1, 1] {
  %a = vyre.buffer "a" binding 0 : !vyre.buffer<u32, read_write>
  %f = vyre.buffer "f" binding 1 : !vyre.buffer<!vyre.preview<f32>, read_only>
  %x = vyre.constant 1 : !vyre.u32
  %y = vyre.constant 1 : !vyre.i32
  %c = vyre.constant true : !vyre.bool
  %h = vyre.constant 1 : !vyre.preview<f16>
  %g = vyre.constant 1 : !vyre.preview<f32>
  %v = vyre.vector %x, %x : !vyre.vec2u32
  // expected-error@+1 {{'vyre.for' operand 'start' at position 0 does not verify: Expected attribute !vyre.u32 but got !vyre.i32}}
  "vyre.for"(%y, %x) ({ ^bb0(%i: !vyre.u32):
    vyre.yield }) : (!vyre.i32, !vyre.u32) -> ()
}

// -----

vyre.program @p workgroup [1, 1, 1] {
  %a = vyre.buffer "a" binding 0 : !vyre.buffer<u32, read_write>
  %f = vyre.buffer "f" binding 1 : !vyre.buffer<!vyre.preview<f32>, read_only>
  %x = vyre.constant 1 : !vyre.u32
  %y = vyre.constant 1 : !vyre.i32
  %c = vyre.constant true : !vyre.bool
  %h = vyre.constant 1 : !vyre.preview<f16>
  %g = vyre.constant 1 : !vyre.preview<f32>
  %v = vyre.vector %x, %x : !vyre.vec2u32
  // expected-error@+1 {{'vyre.for' operand 'stop' at position 1 does not verify: Expected attribute !vyre.u32 but got !vyre.i32}}
  "vyre.for"(%x, %y) ({ ^bb0(%i: !vyre.u32):
    vyre.yield }) : (!vyre.u32, !vyre.i32) -> ()
}

// -----

vyre.program @p workgroup [1, 1, 1] {
  %a = vyre.buffer "a" binding 0 : !vyre.buffer<u32, read_write>
  %f = vyre.buffer "f" binding 1 : !vyre.buffer<!vyre.preview<f32>, read_only>
  %x = vyre.constant 1 : !vyre.u32
  %y = vyre.constant 1 : !vyre.i32
  %c = vyre.constant true : !vyre.bool
  %h = vyre.constant 1 : !vyre.preview<f16>
  %g = vyre.constant 1 : !vyre.preview<f32>
  %v = vyre.vector %x, %x : !vyre.vec2u32
  // expected-error@+1 {{'vyre.buffer' 1 : i64 should be of base attribute string}}
  %0 = "vyre.buffer"() <{label = 1 : i64, binding = 3 : i64}> : () -> !vyre.buffer<u32, read_write>
}

// -----

vyre.program @p workgroup [1, 1, 1] {
  %a = vyre.buffer "a" binding 0 : !vyre.buffer<u32, read_write>
  %f = vyre.buffer "f" binding 1 : !vyre.buffer<!vyre.preview<f32>, read_only>
  %x = vyre.constant 1 : !vyre.u32
  %y = vyre.constant 1 : !vyre.i32
  %c = vyre.constant true : !vyre.bool
  %h = vyre.constant 1 : !vyre.preview<f16>
  %g = vyre.constant 1 : !vyre.preview<f32>
  %v = vyre.vector %x, %x : !vyre.vec2u32
  // expected-error@+1 {{'vyre.buffer' Expected attribute i64 but got i32}}
  %0 = "vyre.buffer"() <{label = "b", binding = 3 : i32}> : () -> !vyre.buffer<u32, read_write>
}

// -----

vyre.program @p workgroup [1, 1, 1] {
  %a = vyre.buffer "a" binding 0 : !vyre.buffer<u32, read_write>
  %f = vyre.buffer "f" binding 1 : !vyre.buffer<!vyre.preview<f32>, read_only>
  %x = vyre.constant 1 : !vyre.u32
  %y = vyre.constant 1 : !vyre.i32
  %c = vyre.constant true : !vyre.bool
  %h = vyre.constant 1 : !vyre.preview<f16>
  %g = vyre.constant 1 : !vyre.preview<f32>
  %v = vyre.vector %x, %x : !vyre.vec2u32
  // expected-error@+1 {{'vyre.buffer' Expected attribute i64 but got i32}}
  %0 = "vyre.buffer"() <{label = "b", binding = 3 : i64, count = 4 : i32}> : () -> !vyre.buffer<u32, read_write>
}

// -----

vyre.program @p workgroup [1, 1, 1] {
  %a = vyre.buffer "a" binding 0 : !vyre.buffer<u32, read_write>
  %f = vyre.buffer "f" binding 1 : !vyre.buffer<!vyre.preview<f32>, read_only>
  %x = vyre.constant 1 : !vyre.u32
  %y = vyre.constant 1 : !vyre.i32
  %c = vyre.constant true : !vyre.bool
  %h = vyre.constant 1 : !vyre.preview<f16>
  %g = vyre.constant 1 : !vyre.preview<f32>
  %v = vyre.vector %x, %x : !vyre.vec2u32
  // expected-error@+1 {{'vyre.buffer' result 'result' at position 0 does not verify: !vyre.u32 should be of base attribute vyre.buffer}}
  %0 = "vyre.buffer"() <{label = "b", binding = 3 : i64}> : () -> !vyre.u32
}

// -----

vyre.program @p workgroup [1, 1, 1] {
  %a = vyre.buffer "a" binding 0 : !vyre.buffer<u32, read_write>
  %f = vyre.buffer "f" binding 1 : !vyre.buffer<!vyre.preview<f32>, read_only>
  %x = vyre.constant 1 : !vyre.u32
  %y = vyre.constant 1 : !vyre.i32
  %c = vyre.constant true : !vyre.bool
  %h = vyre.constant 1 : !vyre.preview<f16>
  %g = vyre.constant 1 : !vyre.preview<f32>
  %v = vyre.vector %x, %x : !vyre.vec2u32
  // expected-error@+1 {{'vyre.call' The following constraints were not satisfied: "f" should be of base attribute symbol_ref Expected SymbolRefAttr with no nested symbols. Underlying verification failure: "f" should be of base attribute symbol_ref}}
  %0 = "vyre.call"() <{callee = "f"}> : () -> !vyre.u32
}

// -----

// expected-error@+1 {{'vyre.program' 1 : i64 should be a string}}
"vyre.program"() <{sym_name = 1 : i64, workgroup = array<i64: 1, 1, 1>}> ({ vyre.yield }) : () -> ()

// -----

// expected-error@+1 {{'vyre.program' Expected attribute i64 but got i32}}
"vyre.program"() <{sym_name = "p", workgroup = array<i32: 1, 1, 1>}> ({ vyre.yield }) : () -> ()

// -----

// expected-error@+1 {{'vyre.program' 1 : i64 should be of base attribute vyre.convention}}
"vyre.program"() <{sym_name = "p", workgroup = array<i64: 1, 1, 1>, convention = 1 : i64}> ({ vyre.yield }) : () -> ()

// -----

// expected-error@+1 {{'vyre.program' 1 : i64 should be of base attribute vyre.signature}}
"vyre.program"() <{sym_name = "p", workgroup = array<i64: 1, 1, 1>, signature = 1 : i64}> ({ vyre.yield }) : () -> ()

// -----

// expected-error@+1 {{'vyre.op' 1 : i64 should be a string}}
"vyre.op"() <{sym_name = 1 : i64, output = !vyre.u32}> ({ ^bb0(%i: !vyre.u32):
  vyre.return %i : !vyre.u32 }) : () -> ()
