// RUN: ptir-opt %s --split-input-file --verify-diagnostics

// One case for each rule of the dialect.

vyre.program @p workgroup [64, 1, 1] {
  %ro = vyre.buffer "ro" binding 0 : !vyre.buffer<u32, read_only>
  %i = vyre.position global x
  // expected-error@+1 {{Store on a buffer that is read_only. Fix: declare the buffer as read_write or workgroup.}}
  vyre.store %i, %ro[%i] : !vyre.u32, !vyre.buffer<u32, read_only>
}

// -----

vyre.program @p workgroup [64, 1, 1] {
  %un = vyre.buffer "un" binding 2 count 4 : !vyre.buffer<u32, uniform>
  %i = vyre.position global x
  // expected-error@+1 {{Store on a buffer that is uniform. Fix: declare the buffer as read_write or workgroup.}}
  vyre.store %i, %un[%i] : !vyre.u32, !vyre.buffer<u32, uniform>
}

// -----

vyre.program @p workgroup [64, 1, 1] {
  %ro = vyre.buffer "ro" binding 0 : !vyre.buffer<u32, read_only>
  %i = vyre.position global x
  // expected-error@+1 {{Atomic on a buffer that is read_only. Fix: declare the buffer as read_write.}}
  %0 = vyre.atomic add %ro[%i], %i : !vyre.buffer<u32, read_only>, !vyre.u32 -> !vyre.u32
}

// -----

vyre.program @p workgroup [64, 1, 1] {
  %un = vyre.buffer "un" binding 2 count 4 : !vyre.buffer<u32, uniform>
  %i = vyre.position global x
  // expected-error@+1 {{Atomic on a buffer that is uniform. Fix: declare the buffer as read_write.}}
  %0 = vyre.atomic add %un[%i], %i : !vyre.buffer<u32, uniform>, !vyre.u32 -> !vyre.u32
}

// -----

vyre.program @p workgroup [64, 1, 1] {
  %wg = vyre.buffer "wg" count 4 : !vyre.buffer<u32, workgroup>
  %i = vyre.position global x
  // expected-error@+1 {{Atomic on a buffer that is workgroup. Fix: declare the buffer as read_write.}}
  %0 = vyre.atomic add %wg[%i], %i : !vyre.buffer<u32, workgroup>, !vyre.u32 -> !vyre.u32
}

// -----

vyre.program @p workgroup [64, 1, 1] {
  %wg = vyre.buffer "wg" count 4 : !vyre.buffer<u32, workgroup>
  %i = vyre.position global x
  // expected-error@+1 {{Atomic on a buffer that is workgroup. Fix: declare the buffer as read_write.}}
  %0 = vyre.compare_exchange %wg[%i], %i, %i : !vyre.buffer<u32, workgroup>, !vyre.u32, !vyre.u32 -> !vyre.u32
}

// -----

vyre.program @p workgroup [64, 1, 1] {
  %i = vyre.position global x
  %b = vyre.buffer "b" binding 0 : !vyre.buffer<bytes, read_only>
  // expected-error@+1 {{Store on a buffer that is read_only. Fix: declare the buffer as read_write or workgroup.}}
  vyre.store_word %i, %b[%i] : !vyre.buffer<bytes, read_only>
}

// -----

vyre.program @p workgroup [64, 1, 1] {
  %ro = vyre.buffer "ro" binding 0 : !vyre.buffer<u32, read_only>
  %i = vyre.position global x
  // expected-error@+1 {{the result is a !vyre.i32, but an element of the buffer is a !vyre.u32. Fix: cast it to u32.}}
  %0 = vyre.load %ro[%i] : !vyre.buffer<u32, read_only> -> !vyre.i32
}

// -----

vyre.program @p workgroup [64, 1, 1] {
  %rw = vyre.buffer "rw" binding 1 : !vyre.buffer<u32, read_write>
  %i = vyre.position global x
  %s = vyre.constant -5 : !vyre.i32
  // expected-error@+1 {{the value is a !vyre.i32, but an element of the buffer is a !vyre.u32. Fix: cast it to u32.}}
  vyre.store %s, %rw[%i] : !vyre.i32, !vyre.buffer<u32, read_write>
}

// -----

vyre.program @p workgroup [64, 1, 1] {
  %by = vyre.buffer "by" binding 3 : !vyre.buffer<bytes, read_write>
  %i = vyre.position global x
  %s = vyre.constant -5 : !vyre.i32
  // expected-error@+1 {{the value is a !vyre.i32, but an element of the buffer is a !vyre.u32. Fix: cast it to u32.}}
  vyre.store %s, %by[%i] : !vyre.i32, !vyre.buffer<bytes, read_write>
}

// -----

vyre.program @p workgroup [64, 1, 1] {
  %rw = vyre.buffer "rw" binding 1 : !vyre.buffer<u32, read_write>
  %i = vyre.position global x
  // expected-error@+1 {{a word of a buffer of u32. Fix: use vyre.load, whose index counts elements.}}
  %0 = vyre.load_word %rw[%i] : !vyre.buffer<u32, read_write>
}

// -----

vyre.program @p workgroup [64, 1, 1] {
  %rw = vyre.buffer "rw" binding 1 : !vyre.buffer<u32, read_write>
  %i = vyre.position global x
  // expected-error@+1 {{a word of a buffer of u32. Fix: use vyre.store, whose index counts elements.}}
  vyre.store_word %i, %rw[%i] : !vyre.buffer<u32, read_write>
}

// -----

vyre.program @p workgroup [64, 1, 1] {
  %v4 = vyre.buffer "v4" binding 4 : !vyre.buffer<vec4u32, read_write>
  %i = vyre.position global x
  %x = vyre.vector %i, %i, %i, %i : !vyre.vec4u32
  // expected-error@+1 {{an atomic is not defined on vec4u32. Fix: use a buffer of u32, i32, bytes.}}
  %0 = vyre.atomic add %v4[%i], %x : !vyre.buffer<vec4u32, read_write>, !vyre.vec4u32 -> !vyre.vec4u32
}

// -----

vyre.program @p workgroup [64, 1, 1] {
  %rw = vyre.buffer "rw" binding 1 : !vyre.buffer<u32, read_write>
  %i = vyre.position global x
  %s = vyre.constant -5 : !vyre.i32
  // expected-error@+1 {{a value is a !vyre.i32, but an element of the buffer is a !vyre.u32. Fix: cast it to u32.}}
  %0 = vyre.atomic add %rw[%i], %s : !vyre.buffer<u32, read_write>, !vyre.i32 -> !vyre.u32
}

// -----

vyre.program @p workgroup [64, 1, 1] {
  %rw = vyre.buffer "rw" binding 1 : !vyre.buffer<u32, read_write>
  %i = vyre.position global x
  %s = vyre.constant -5 : !vyre.i32
  // expected-error@+1 {{the expected value is a !vyre.i32, but an element of the buffer is a !vyre.u32. Fix: cast it to u32.}}
  %0 = vyre.compare_exchange %rw[%i], %s, %i : !vyre.buffer<u32, read_write>, !vyre.i32, !vyre.u32 -> !vyre.u32
}

// -----

vyre.program @p workgroup [64, 1, 1] {
  %rw = vyre.buffer "rw" binding 1 : !vyre.buffer<u32, read_write>
  %i = vyre.position global x
  // expected-error@+1 {{'fn' is 'nand'}}
  %0 = vyre.atomic nand %rw[%i], %i : !vyre.buffer<u32, read_write>, !vyre.u32 -> !vyre.u32
}

// -----

vyre.program @p workgroup [64, 1, 1] {
  // expected-error@+1 {{'kind' is 'lane'}}
  %0 = vyre.position lane x
}

// -----

vyre.program @p workgroup [64, 1, 1] {
  // expected-error@+1 {{'axis' is 'w'}}
  %0 = vyre.position global w
}

// -----

vyre.program @p workgroup [64, 1, 1] {
  // expected-error@+1 {{buffer 'b' has no binding. Fix: give it one.}}
  %b = vyre.buffer "b" : !vyre.buffer<u32, read_only>
}

// -----

vyre.program @p workgroup [64, 1, 1] {
  // expected-error@+1 {{workgroup buffer 'b' has binding 1. Fix: remove the binding: workgroup memory has none.}}
  %b = vyre.buffer "b" binding 1 count 4 : !vyre.buffer<u32, workgroup>
}

// -----

vyre.program @p workgroup [64, 1, 1] {
  // expected-error@+1 {{workgroup buffer 'b' has no count. Fix: give the number of its elements: its size is static.}}
  %b = vyre.buffer "b" : !vyre.buffer<u32, workgroup>
}

// -----

vyre.program @p workgroup [64, 1, 1] {
  // expected-error@+1 {{uniform buffer 'b' has no count. Fix: give the number of its elements: its size is static.}}
  %b = vyre.buffer "b" binding 0 : !vyre.buffer<u32, uniform>
}

// -----

vyre.program @p workgroup [64, 1, 1] {
  // expected-error@+1 {{uniform buffer 'b' has 65552 bytes. Fix: use at most 65536 bytes, or a read_only buffer.}}
  %b = vyre.buffer "b" binding 0 count 4097 : !vyre.buffer<vec4u32, uniform>
}

// -----

vyre.program @p workgroup [64, 1, 1] {
  // expected-error@+1 {{buffer 'b' has 0 elements. Fix: use 1 to 2147483647.}}
  %b = vyre.buffer "b" count 0 : !vyre.buffer<u32, workgroup>
}

// -----

vyre.program @p workgroup [64, 1, 1] {
  // expected-error@+1 {{buffer 'b' has binding -1. Fix: use 0 to 65535.}}
  %b = vyre.buffer "b" binding -1 : !vyre.buffer<u32, read_only>
}

// -----

vyre.program @p workgroup [64, 1, 1] {
  // expected-error@+1 {{a buffer has the name 'a b'. Fix: use letters, digits and _.}}
  %b = vyre.buffer "a b" binding 1 : !vyre.buffer<u32, read_only>
}

// -----

vyre.program @p workgroup [64, 1, 1] {
  // expected-note@+1 {{the first one is here}}
  %ro = vyre.buffer "ro" binding 0 : !vyre.buffer<u32, read_only>
  // expected-error@+1 {{two buffers have the name ro. Fix: give each buffer a name of its own.}}
  %b = vyre.buffer "ro" binding 1 : !vyre.buffer<u32, read_only>
}

// -----

vyre.program @p workgroup [64, 1, 1] {
  // expected-note@+1 {{the first one is here}}
  %ro = vyre.buffer "ro" binding 0 : !vyre.buffer<u32, read_only>
  // expected-error@+1 {{two buffers have the binding 0. Fix: give each buffer a binding of its own.}}
  %b = vyre.buffer "b" binding 0 : !vyre.buffer<u32, read_only>
}

// -----

vyre.program @p workgroup [64, 1, 1] {
  %c = vyre.constant true : !vyre.bool
  vyre.if %c {
    // expected-error@+1 {{buffer 'b' is not in a program. Fix: declare it in the body of a vyre.program.}}
    %b = vyre.buffer "b" binding 0 : !vyre.buffer<u32, read_only>
  }
}

// -----

vyre.program @p workgroup [64, 1, 1] {
  // expected-error@+1 {{private is no access of a buffer. Fix: write one of read_only, read_write, uniform, workgroup.}}
  %b = vyre.buffer "b" binding 0 : !vyre.buffer<u32, private>
}

// -----

vyre.program @p workgroup [64, 1, 1] {
  // expected-error@+1 {{a buffer of !vyre.preview<f16> has no lowering. Fix: keep each number in the low half of an element of a buffer of u32, and vyre.bitcast it to !vyre.preview<f16>.}}
  %b = vyre.buffer "b" binding 0 : !vyre.buffer<!vyre.preview<f16>, read_only>
}

// -----

vyre.program @p workgroup [64, 1, 1] {
  // expected-error@+1 {{unknown data type: expected one of u32}}
  %b = vyre.buffer "b" binding 0 : !vyre.buffer<f64, read_only>
}

// -----

// expected-error@+1 {{a workgroup has the size 64 x 1. Fix: give three sizes from 1 to 1024, 1024, 64.}}
vyre.program @p workgroup [64, 1] {
  vyre.yield
}

// -----

// expected-error@+1 {{a workgroup has the size 8 x 8 x 128. Fix: give three sizes from 1 to 1024, 1024, 64.}}
vyre.program @p workgroup [8, 8, 128] {
  vyre.yield
}

// -----

// expected-error@+1 {{a workgroup has the size 0 x 1 x 1. Fix: give three sizes from 1 to 1024, 1024, 64.}}
vyre.program @p workgroup [0, 1, 1] {
  vyre.yield
}

// -----

// expected-error@+1 {{a workgroup of 64 x 64 x 1 has 4096 invocations. Fix: use at most 1024.}}
vyre.program @p workgroup [64, 64, 1] {
  vyre.yield
}

// -----

// expected-error@+1 {{a program has arguments. Fix: declare buffers in its body.}}
"vyre.program"() <{sym_name = "p", workgroup = array<i64: 64, 1, 1>}> ({
^bb0(%x: !vyre.u32):
  "vyre.yield"() : () -> ()
}) : () -> ()

// -----

// expected-error@+1 {{the params at binding 2 is missing. Fix: declare a uniform buffer there.}}
vyre.program @p workgroup [64, 1, 1] convention <v1> {
  %in = vyre.buffer "in" binding 0 : !vyre.buffer<u32, read_only>
  %out = vyre.buffer "out" binding 1 : !vyre.buffer<u32, read_write>
}

// -----

vyre.program @p workgroup [64, 1, 1] convention <v1> {
  %in = vyre.buffer "in" binding 0 : !vyre.buffer<u32, read_only>
  // expected-error@+1 {{the output at binding 1 is read_only. Fix: declare a read_write buffer there.}}
  %out = vyre.buffer "out" binding 1 : !vyre.buffer<u32, read_only>
  %par = vyre.buffer "par" binding 2 count 4 : !vyre.buffer<u32, uniform>
}

// -----

vyre.program @p workgroup [64, 1, 1] convention <v1> {
  %in = vyre.buffer "in" binding 0 : !vyre.buffer<u32, read_only>
  %out = vyre.buffer "out" binding 1 : !vyre.buffer<u32, read_write>
  %par = vyre.buffer "par" binding 2 count 4 : !vyre.buffer<u32, uniform>
  // expected-error@+1 {{the convention has no buffer at binding 3. Fix: use the bindings 0, 1, 2.}}
  %b = vyre.buffer "b" binding 3 : !vyre.buffer<u32, read_only>
}

// -----

// expected-error@+1 {{the lookup table at binding 5 is missing. Fix: declare a read_only buffer there.}}
vyre.program @p workgroup [64, 1, 1] convention <v2, lookup_binding = 5> {
  %in = vyre.buffer "in" binding 0 : !vyre.buffer<u32, read_only>
  %out = vyre.buffer "out" binding 1 : !vyre.buffer<u32, read_write>
  %par = vyre.buffer "par" binding 2 count 4 : !vyre.buffer<u32, uniform>
}

// -----

// expected-error@+1 {{the lookup table has binding 1, which is that of the input, the output or the params. Fix: use a binding of at least 3.}}
vyre.program @p workgroup [64, 1, 1] convention <v2, lookup_binding = 1> {
  %in = vyre.buffer "in" binding 0 : !vyre.buffer<u32, read_only>
  %out = vyre.buffer "out" binding 1 : !vyre.buffer<u32, read_write>
  %par = vyre.buffer "par" binding 2 count 4 : !vyre.buffer<u32, uniform>
}

// -----

// expected-error@+1 {{unknown convention: expected v1 or v2}}
vyre.program @p workgroup [64, 1, 1] convention <v3> {
  %in = vyre.buffer "in" binding 0 : !vyre.buffer<u32, read_only>
  %out = vyre.buffer "out" binding 1 : !vyre.buffer<u32, read_write>
  %par = vyre.buffer "par" binding 2 count 4 : !vyre.buffer<u32, uniform>
}

// -----

vyre.program @p workgroup [64, 1, 1] signature <(u32) -> u64> {
  %in = vyre.buffer "in" binding 0 : !vyre.buffer<u32, read_only>
  // expected-error@+1 {{the output at binding 1 is u32, but the signature has !vyre.u64. Fix: give the buffer and the signature one type.}}
  %out = vyre.buffer "out" binding 1 : !vyre.buffer<u32, read_write>
}

// -----

// expected-error@+1 {{the input at binding 0 is missing, but the signature has !vyre.u32. Fix: give the buffer and the signature one type.}}
vyre.program @p workgroup [64, 1, 1] signature <(u32) -> u64> {
  %out = vyre.buffer "out" binding 1 : !vyre.buffer<u32, read_write>
}

// -----

// expected-error@+1 {{f32 is planned, not stable}}
vyre.program @p workgroup [64, 1, 1] signature <(f32) -> u32> {
}

// -----

vyre.program @p workgroup [64, 1, 1] {
  // expected-error@+1 {{4294967296 is not in the range of u32. Fix: write a number from 0 to 4294967295.}}
  %0 = vyre.constant 4294967296 : !vyre.u32
}

// -----

vyre.program @p workgroup [64, 1, 1] {
  // expected-error@+1 {{-1 is not in the range of u32. Fix: write a number from 0 to 4294967295.}}
  %0 = vyre.constant -1 : !vyre.u32
}

// -----

vyre.program @p workgroup [64, 1, 1] {
  // expected-error@+1 {{2147483648 is not in the range of i32. Fix: write a number from -2147483648 to 2147483647.}}
  %0 = vyre.constant 2147483648 : !vyre.i32
}

// -----

vyre.program @p workgroup [64, 1, 1] {
  // expected-error@+1 {{18446744073709551616 is not in the range of u64. Fix: write a number from 0 to 18446744073709551615.}}
  %0 = vyre.constant 18446744073709551616 : !vyre.u64
}

// -----

vyre.program @p workgroup [64, 1, 1] {
  // expected-error@+1 {{2 is not in the range of bool. Fix: write a number from 0 to 1.}}
  %0 = vyre.constant 2 : !vyre.bool
}

// -----

vyre.program @p workgroup [64, 1, 1] {
  // expected-error@+1 {{a constant of type !vyre.vec2u32 is not defined. Fix: use u32, i32, u64, bool, !vyre.preview<f32>, !vyre.preview<f16>, !vyre.preview<bf16>; vectors are made by vyre.vector.}}
  %0 = vyre.constant 2 : !vyre.vec2u32
}

// -----

vyre.program @p workgroup [64, 1, 1] {
  %i = vyre.position global x
  // expected-error@+1 {{'fn' is 'pow'}}
  %0 = vyre.binop pow %i, %i : !vyre.u32
}

// -----

vyre.program @p workgroup [64, 1, 1] {
  %c = vyre.constant true : !vyre.bool
  // expected-error@+1 {{add is not defined on !vyre.bool. Fix: use a value of u32, i32, u64, vec2u32, vec4u32.}}
  %0 = vyre.binop add %c, %c : !vyre.bool
}

// -----

vyre.program @p workgroup [64, 1, 1] {
  %i = vyre.position global x
  // expected-error@+1 {{'fn' is 'abs'}}
  %0 = vyre.unop abs %i : !vyre.u32
}

// -----

vyre.program @p workgroup [64, 1, 1] {
  %c = vyre.constant true : !vyre.bool
  // expected-error@+1 {{neg is not defined on !vyre.bool. Fix: use a value of u32, i32, u64, vec2u32, vec4u32.}}
  %0 = vyre.unop neg %c : !vyre.bool
}

// -----

vyre.program @p workgroup [64, 1, 1] {
  %i = vyre.position global x
  // expected-error@+1 {{'fn' is 'uno'}}
  %0 = vyre.compare uno %i, %i : !vyre.u32
}

// -----

vyre.program @p workgroup [64, 1, 1] {
  %c = vyre.constant true : !vyre.bool
  // expected-error@+1 {{lt is not defined on !vyre.bool. Fix: use a value of u32, i32, u64, !vyre.preview<f32>, !vyre.preview<f16>, !vyre.preview<bf16>.}}
  %0 = vyre.compare lt %c, %c : !vyre.bool
}

// -----

vyre.program @p workgroup [64, 1, 1] {
  %i = vyre.position global x
  %v = vyre.vector %i, %i : !vyre.vec2u32
  // expected-error@+1 {{eq is not defined on !vyre.vec2u32. Fix: use a value of u32, i32, u64, !vyre.preview<f32>, !vyre.preview<f16>, !vyre.preview<bf16>, bool.}}
  %0 = vyre.compare eq %v, %v : !vyre.vec2u32
}

// -----

vyre.program @p workgroup [64, 1, 1] {
  %ro = vyre.buffer "ro" binding 0 : !vyre.buffer<u32, read_only>
  %c = vyre.constant true : !vyre.bool
  // expected-error@+1 {{select is not defined on !vyre.buffer<u32, read_only>. Fix: use a value of u32, i32, u64, vec2u32, vec4u32, !vyre.preview<f32>, !vyre.preview<f16>, !vyre.preview<bf16>, bool.}}
  %0 = vyre.select %c, %ro, %ro : !vyre.buffer<u32, read_only>
}

// -----

vyre.program @p workgroup [64, 1, 1] {
  %i = vyre.position global x
  %v = vyre.vector %i, %i : !vyre.vec2u32
  // expected-error@+1 {{!vyre.vec2u32 is not cast to !vyre.u32. Fix: cast it to u64.}}
  %0 = vyre.cast %v : !vyre.vec2u32 to !vyre.u32
}

// -----

vyre.program @p workgroup [64, 1, 1] {
  %ro = vyre.buffer "ro" binding 0 : !vyre.buffer<u32, read_only>
  // expected-error@+1 {{cast is not defined on !vyre.buffer<u32, read_only>. Fix: use a value of u32, i32, u64, bool, vec2u32, !vyre.preview<f32>, !vyre.preview<f16>, !vyre.preview<bf16>.}}
  %0 = vyre.cast %ro : !vyre.buffer<u32, read_only> to !vyre.u32
}

// -----

vyre.program @p workgroup [64, 1, 1] {
  %i = vyre.position global x
  // expected-error@+1 {{a vec2u32 of 3 components. Fix: give it 2 components.}}
  %0 = vyre.vector %i, %i, %i : !vyre.vec2u32
}

// -----

vyre.program @p workgroup [64, 1, 1] {
  %i = vyre.position global x
  // expected-error@+1 {{a vector is not a !vyre.u64. Fix: write one of vec2u32, vec4u32.}}
  %0 = vyre.vector %i, %i : !vyre.u64
}

// -----

vyre.program @p workgroup [64, 1, 1] {
  %i = vyre.position global x
  %v = vyre.vector %i, %i : !vyre.vec2u32
  // expected-error@+1 {{a vec2u32 has no component 2. Fix: write a number from 0 to 1.}}
  %0 = vyre.extract %v[2] : !vyre.vec2u32
}

// -----

vyre.program @p workgroup [64, 1, 1] {
  %i = vyre.position global x
  // expected-error@+1 {{extract is not defined on !vyre.u32. Fix: use a value of vec2u32, vec4u32.}}
  %0 = vyre.extract %i[0] : !vyre.u32
}

// -----

vyre.program @p workgroup [64, 1, 1] {
  %i = vyre.position global x
  %c = vyre.constant true : !vyre.bool
  %0 = vyre.if %c -> (!vyre.u32) {
    // expected-error@+1 {{the first region yields nothing, expected !vyre.u32. Fix: yield a value for each result.}}
    vyre.yield
  } else {
    vyre.yield %i : !vyre.u32
  }
}

// -----

vyre.program @p workgroup [64, 1, 1] {
  %i = vyre.position global x
  %c = vyre.constant true : !vyre.bool
  %0 = vyre.if %c -> (!vyre.u32) {
    vyre.yield %i : !vyre.u32
  } else {
    // expected-error@+1 {{the second region yields !vyre.bool, expected !vyre.u32. Fix: yield a value for each result.}}
    vyre.yield %c : !vyre.bool
  }
}

// -----

vyre.program @p workgroup [64, 1, 1] {
  %i = vyre.position global x
  %c = vyre.constant true : !vyre.bool
  // expected-error@+1 {{a vyre.if with results has one region. Fix: add an else with a vyre.yield.}}
  %0 = vyre.if %c -> (!vyre.u32) {
    vyre.yield %i : !vyre.u32
  }
}

// -----

vyre.program @p workgroup [64, 1, 1] {
  %ro = vyre.buffer "ro" binding 0 : !vyre.buffer<u32, read_only>
  %c = vyre.constant true : !vyre.bool
  // expected-error@+1 {{a result of vyre.if has the type !vyre.buffer<u32, read_only>. Fix: pass values; buffers stay in place.}}
  %0 = vyre.if %c -> (!vyre.buffer<u32, read_only>) {
    vyre.yield %ro : !vyre.buffer<u32, read_only>
  } else {
    vyre.yield %ro : !vyre.buffer<u32, read_only>
  }
}

// -----

vyre.program @p workgroup [64, 1, 1] {
  %ro = vyre.buffer "ro" binding 0 : !vyre.buffer<u32, read_only>
  %i = vyre.position global x
  // expected-error@+1 {{a carried value of vyre.for has the type !vyre.buffer<u32, read_only>. Fix: pass values; buffers stay in place.}}
  %0 = vyre.for %k = %i to %i iter (%b = %ro) -> (!vyre.buffer<u32, read_only>) {
    vyre.yield %b : !vyre.buffer<u32, read_only>
  }
}

// -----

vyre.program @p workgroup [64, 1, 1] {
  %i = vyre.position global x
  %0 = vyre.for %k = %i to %i iter (%b = %i) -> (!vyre.u32) {
    // expected-error@+1 {{the loop yields nothing, expected !vyre.u32. Fix: yield a value for each result.}}
    vyre.yield
  }
}

// -----

vyre.program @p workgroup [64, 1, 1] {
  %i = vyre.position global x
  // expected-error@+1 {{1 values are carried, but 0 types given}}
  %0 = vyre.for %k = %i to %i iter (%b = %i) -> () {
  }
}

// -----

vyre.program @p workgroup [64, 1, 1] {
  %i = vyre.position global x
  // expected-error@+1 {{the region of vyre.for takes !vyre.u64, expected !vyre.u32. Fix: give it the counter and the carried values.}}
  "vyre.for"(%i, %i) ({
  ^bb0(%k: !vyre.u64):
    "vyre.yield"() : () -> ()
  }) : (!vyre.u32, !vyre.u32) -> ()
}

// -----

// expected-error@+1 {{an argument of @f has the type index. Fix: pass values; buffers stay in place.}}
vyre.op @f(%x: index) -> !vyre.u32 {
  %0 = vyre.position global x
  vyre.return %0 : !vyre.u32
}

// -----

// expected-error@+1 {{an argument of @f has the type !vyre.preview<u128>. Fix: pass values; buffers stay in place.}}
vyre.op @f(%x: !vyre.preview<u128>) -> !vyre.u32 {
  %0 = vyre.position global x
  vyre.return %0 : !vyre.u32
}

// -----

// expected-error@+1 {{the output of @f has the type !vyre.bytes. Fix: pass values; buffers stay in place.}}
vyre.op @f() -> !vyre.bytes {
  %0 = vyre.position global x
  vyre.return %0 : !vyre.u32
}

// -----

// expected-error@+1 {{@f does not return a !vyre.u32. Fix: end it with a vyre.return of its output.}}
vyre.op @f() -> !vyre.u32 {
}

// -----

vyre.op @f() -> !vyre.u64 {
  %0 = vyre.position global x
  // expected-error@+1 {{@f does not return a !vyre.u64. Fix: end it with a vyre.return of its output.}}
  vyre.return %0 : !vyre.u32
}

// -----

vyre.program @p workgroup [64, 1, 1] {
  %i = vyre.position global x
  // expected-error@+1 {{@f is no op of this module. Fix: define it with vyre.op.}}
  %0 = vyre.call @f(%i) : (!vyre.u32) -> !vyre.u32
}

// -----

vyre.op @f(%x: !vyre.u32) -> !vyre.u32 {
  vyre.return %x : !vyre.u32
}

vyre.program @p workgroup [64, 1, 1] {
  %s = vyre.constant -5 : !vyre.i32
  // expected-error@+1 {{@f takes !vyre.u32, got !vyre.i32. Fix: pass arguments of the op's types.}}
  %0 = vyre.call @f(%s) : (!vyre.i32) -> !vyre.u32
}

// -----

vyre.op @f(%x: !vyre.u32) -> !vyre.u32 {
  vyre.return %x : !vyre.u32
}

vyre.program @p workgroup [64, 1, 1] {
  %i = vyre.position global x
  // expected-error@+1 {{@f returns !vyre.u32, not !vyre.i32. Fix: give the result the op's output type.}}
  %0 = vyre.call @f(%i) : (!vyre.u32) -> !vyre.i32
}

// -----

vyre.op @f(%x: !vyre.u32) -> !vyre.u32 {
  // expected-error@+1 {{@g calls itself. Fix: write a vyre.for: ops are not recursive.}}
  %0 = vyre.call @g(%x) : (!vyre.u32) -> !vyre.u32
  vyre.return %0 : !vyre.u32
}

vyre.op @g(%x: !vyre.u32) -> !vyre.u32 {
  // expected-error@+1 {{@f calls itself. Fix: write a vyre.for: ops are not recursive.}}
  %0 = vyre.call @f(%x) : (!vyre.u32) -> !vyre.u32
  vyre.return %0 : !vyre.u32
}

// -----

vyre.op @f0(%x: !vyre.u32) -> !vyre.u32 {
  vyre.return %x : !vyre.u32
}
vyre.op @f1(%x: !vyre.u32) -> !vyre.u32 {
  %0 = vyre.call @f0(%x) : (!vyre.u32) -> !vyre.u32
  vyre.return %0 : !vyre.u32
}
vyre.op @f2(%x: !vyre.u32) -> !vyre.u32 {
  %0 = vyre.call @f1(%x) : (!vyre.u32) -> !vyre.u32
  vyre.return %0 : !vyre.u32
}
vyre.op @f3(%x: !vyre.u32) -> !vyre.u32 {
  %0 = vyre.call @f2(%x) : (!vyre.u32) -> !vyre.u32
  vyre.return %0 : !vyre.u32
}
vyre.op @f4(%x: !vyre.u32) -> !vyre.u32 {
  %0 = vyre.call @f3(%x) : (!vyre.u32) -> !vyre.u32
  vyre.return %0 : !vyre.u32
}
vyre.op @f5(%x: !vyre.u32) -> !vyre.u32 {
  %0 = vyre.call @f4(%x) : (!vyre.u32) -> !vyre.u32
  vyre.return %0 : !vyre.u32
}
vyre.op @f6(%x: !vyre.u32) -> !vyre.u32 {
  %0 = vyre.call @f5(%x) : (!vyre.u32) -> !vyre.u32
  vyre.return %0 : !vyre.u32
}
vyre.op @f7(%x: !vyre.u32) -> !vyre.u32 {
  %0 = vyre.call @f6(%x) : (!vyre.u32) -> !vyre.u32
  vyre.return %0 : !vyre.u32
}
vyre.op @f8(%x: !vyre.u32) -> !vyre.u32 {
  %0 = vyre.call @f7(%x) : (!vyre.u32) -> !vyre.u32
  vyre.return %0 : !vyre.u32
}
vyre.op @f9(%x: !vyre.u32) -> !vyre.u32 {
  %0 = vyre.call @f8(%x) : (!vyre.u32) -> !vyre.u32
  vyre.return %0 : !vyre.u32
}
vyre.op @f10(%x: !vyre.u32) -> !vyre.u32 {
  %0 = vyre.call @f9(%x) : (!vyre.u32) -> !vyre.u32
  vyre.return %0 : !vyre.u32
}
vyre.op @f11(%x: !vyre.u32) -> !vyre.u32 {
  %0 = vyre.call @f10(%x) : (!vyre.u32) -> !vyre.u32
  vyre.return %0 : !vyre.u32
}
vyre.op @f12(%x: !vyre.u32) -> !vyre.u32 {
  %0 = vyre.call @f11(%x) : (!vyre.u32) -> !vyre.u32
  vyre.return %0 : !vyre.u32
}
vyre.op @f13(%x: !vyre.u32) -> !vyre.u32 {
  %0 = vyre.call @f12(%x) : (!vyre.u32) -> !vyre.u32
  vyre.return %0 : !vyre.u32
}
vyre.op @f14(%x: !vyre.u32) -> !vyre.u32 {
  %0 = vyre.call @f13(%x) : (!vyre.u32) -> !vyre.u32
  vyre.return %0 : !vyre.u32
}
vyre.op @f15(%x: !vyre.u32) -> !vyre.u32 {
  %0 = vyre.call @f14(%x) : (!vyre.u32) -> !vyre.u32
  vyre.return %0 : !vyre.u32
}
vyre.op @f16(%x: !vyre.u32) -> !vyre.u32 {
  %0 = vyre.call @f15(%x) : (!vyre.u32) -> !vyre.u32
  vyre.return %0 : !vyre.u32
}
vyre.op @f17(%x: !vyre.u32) -> !vyre.u32 {
  %0 = vyre.call @f16(%x) : (!vyre.u32) -> !vyre.u32
  vyre.return %0 : !vyre.u32
}
vyre.op @f18(%x: !vyre.u32) -> !vyre.u32 {
  %0 = vyre.call @f17(%x) : (!vyre.u32) -> !vyre.u32
  vyre.return %0 : !vyre.u32
}
vyre.op @f19(%x: !vyre.u32) -> !vyre.u32 {
  %0 = vyre.call @f18(%x) : (!vyre.u32) -> !vyre.u32
  vyre.return %0 : !vyre.u32
}
vyre.op @f20(%x: !vyre.u32) -> !vyre.u32 {
  %0 = vyre.call @f19(%x) : (!vyre.u32) -> !vyre.u32
  vyre.return %0 : !vyre.u32
}
vyre.op @f21(%x: !vyre.u32) -> !vyre.u32 {
  %0 = vyre.call @f20(%x) : (!vyre.u32) -> !vyre.u32
  vyre.return %0 : !vyre.u32
}
vyre.op @f22(%x: !vyre.u32) -> !vyre.u32 {
  %0 = vyre.call @f21(%x) : (!vyre.u32) -> !vyre.u32
  vyre.return %0 : !vyre.u32
}
vyre.op @f23(%x: !vyre.u32) -> !vyre.u32 {
  %0 = vyre.call @f22(%x) : (!vyre.u32) -> !vyre.u32
  vyre.return %0 : !vyre.u32
}
vyre.op @f24(%x: !vyre.u32) -> !vyre.u32 {
  %0 = vyre.call @f23(%x) : (!vyre.u32) -> !vyre.u32
  vyre.return %0 : !vyre.u32
}
vyre.op @f25(%x: !vyre.u32) -> !vyre.u32 {
  %0 = vyre.call @f24(%x) : (!vyre.u32) -> !vyre.u32
  vyre.return %0 : !vyre.u32
}
vyre.op @f26(%x: !vyre.u32) -> !vyre.u32 {
  %0 = vyre.call @f25(%x) : (!vyre.u32) -> !vyre.u32
  vyre.return %0 : !vyre.u32
}
vyre.op @f27(%x: !vyre.u32) -> !vyre.u32 {
  %0 = vyre.call @f26(%x) : (!vyre.u32) -> !vyre.u32
  vyre.return %0 : !vyre.u32
}
vyre.op @f28(%x: !vyre.u32) -> !vyre.u32 {
  %0 = vyre.call @f27(%x) : (!vyre.u32) -> !vyre.u32
  vyre.return %0 : !vyre.u32
}
vyre.op @f29(%x: !vyre.u32) -> !vyre.u32 {
  %0 = vyre.call @f28(%x) : (!vyre.u32) -> !vyre.u32
  vyre.return %0 : !vyre.u32
}
vyre.op @f30(%x: !vyre.u32) -> !vyre.u32 {
  %0 = vyre.call @f29(%x) : (!vyre.u32) -> !vyre.u32
  vyre.return %0 : !vyre.u32
}
vyre.op @f31(%x: !vyre.u32) -> !vyre.u32 {
  %0 = vyre.call @f30(%x) : (!vyre.u32) -> !vyre.u32
  vyre.return %0 : !vyre.u32
}
vyre.op @f32(%x: !vyre.u32) -> !vyre.u32 {
  %0 = vyre.call @f31(%x) : (!vyre.u32) -> !vyre.u32
  vyre.return %0 : !vyre.u32
}
vyre.op @f33(%x: !vyre.u32) -> !vyre.u32 {
  %0 = vyre.call @f32(%x) : (!vyre.u32) -> !vyre.u32
  vyre.return %0 : !vyre.u32
}
vyre.op @f34(%x: !vyre.u32) -> !vyre.u32 {
  %0 = vyre.call @f33(%x) : (!vyre.u32) -> !vyre.u32
  vyre.return %0 : !vyre.u32
}
vyre.op @f35(%x: !vyre.u32) -> !vyre.u32 {
  %0 = vyre.call @f34(%x) : (!vyre.u32) -> !vyre.u32
  vyre.return %0 : !vyre.u32
}
vyre.op @f36(%x: !vyre.u32) -> !vyre.u32 {
  %0 = vyre.call @f35(%x) : (!vyre.u32) -> !vyre.u32
  vyre.return %0 : !vyre.u32
}
vyre.op @f37(%x: !vyre.u32) -> !vyre.u32 {
  %0 = vyre.call @f36(%x) : (!vyre.u32) -> !vyre.u32
  vyre.return %0 : !vyre.u32
}
vyre.op @f38(%x: !vyre.u32) -> !vyre.u32 {
  %0 = vyre.call @f37(%x) : (!vyre.u32) -> !vyre.u32
  vyre.return %0 : !vyre.u32
}
vyre.op @f39(%x: !vyre.u32) -> !vyre.u32 {
  %0 = vyre.call @f38(%x) : (!vyre.u32) -> !vyre.u32
  vyre.return %0 : !vyre.u32
}
vyre.op @f40(%x: !vyre.u32) -> !vyre.u32 {
  %0 = vyre.call @f39(%x) : (!vyre.u32) -> !vyre.u32
  vyre.return %0 : !vyre.u32
}
vyre.op @f41(%x: !vyre.u32) -> !vyre.u32 {
  %0 = vyre.call @f40(%x) : (!vyre.u32) -> !vyre.u32
  vyre.return %0 : !vyre.u32
}
vyre.op @f42(%x: !vyre.u32) -> !vyre.u32 {
  %0 = vyre.call @f41(%x) : (!vyre.u32) -> !vyre.u32
  vyre.return %0 : !vyre.u32
}
vyre.op @f43(%x: !vyre.u32) -> !vyre.u32 {
  %0 = vyre.call @f42(%x) : (!vyre.u32) -> !vyre.u32
  vyre.return %0 : !vyre.u32
}
vyre.op @f44(%x: !vyre.u32) -> !vyre.u32 {
  %0 = vyre.call @f43(%x) : (!vyre.u32) -> !vyre.u32
  vyre.return %0 : !vyre.u32
}
vyre.op @f45(%x: !vyre.u32) -> !vyre.u32 {
  %0 = vyre.call @f44(%x) : (!vyre.u32) -> !vyre.u32
  vyre.return %0 : !vyre.u32
}
vyre.op @f46(%x: !vyre.u32) -> !vyre.u32 {
  %0 = vyre.call @f45(%x) : (!vyre.u32) -> !vyre.u32
  vyre.return %0 : !vyre.u32
}
vyre.op @f47(%x: !vyre.u32) -> !vyre.u32 {
  %0 = vyre.call @f46(%x) : (!vyre.u32) -> !vyre.u32
  vyre.return %0 : !vyre.u32
}
vyre.op @f48(%x: !vyre.u32) -> !vyre.u32 {
  %0 = vyre.call @f47(%x) : (!vyre.u32) -> !vyre.u32
  vyre.return %0 : !vyre.u32
}
vyre.op @f49(%x: !vyre.u32) -> !vyre.u32 {
  %0 = vyre.call @f48(%x) : (!vyre.u32) -> !vyre.u32
  vyre.return %0 : !vyre.u32
}
vyre.op @f50(%x: !vyre.u32) -> !vyre.u32 {
  %0 = vyre.call @f49(%x) : (!vyre.u32) -> !vyre.u32
  vyre.return %0 : !vyre.u32
}
vyre.op @f51(%x: !vyre.u32) -> !vyre.u32 {
  %0 = vyre.call @f50(%x) : (!vyre.u32) -> !vyre.u32
  vyre.return %0 : !vyre.u32
}
vyre.op @f52(%x: !vyre.u32) -> !vyre.u32 {
  %0 = vyre.call @f51(%x) : (!vyre.u32) -> !vyre.u32
  vyre.return %0 : !vyre.u32
}
vyre.op @f53(%x: !vyre.u32) -> !vyre.u32 {
  %0 = vyre.call @f52(%x) : (!vyre.u32) -> !vyre.u32
  vyre.return %0 : !vyre.u32
}
vyre.op @f54(%x: !vyre.u32) -> !vyre.u32 {
  %0 = vyre.call @f53(%x) : (!vyre.u32) -> !vyre.u32
  vyre.return %0 : !vyre.u32
}
vyre.op @f55(%x: !vyre.u32) -> !vyre.u32 {
  %0 = vyre.call @f54(%x) : (!vyre.u32) -> !vyre.u32
  vyre.return %0 : !vyre.u32
}
vyre.op @f56(%x: !vyre.u32) -> !vyre.u32 {
  %0 = vyre.call @f55(%x) : (!vyre.u32) -> !vyre.u32
  vyre.return %0 : !vyre.u32
}
vyre.op @f57(%x: !vyre.u32) -> !vyre.u32 {
  %0 = vyre.call @f56(%x) : (!vyre.u32) -> !vyre.u32
  vyre.return %0 : !vyre.u32
}
vyre.op @f58(%x: !vyre.u32) -> !vyre.u32 {
  %0 = vyre.call @f57(%x) : (!vyre.u32) -> !vyre.u32
  vyre.return %0 : !vyre.u32
}
vyre.op @f59(%x: !vyre.u32) -> !vyre.u32 {
  %0 = vyre.call @f58(%x) : (!vyre.u32) -> !vyre.u32
  vyre.return %0 : !vyre.u32
}
vyre.op @f60(%x: !vyre.u32) -> !vyre.u32 {
  %0 = vyre.call @f59(%x) : (!vyre.u32) -> !vyre.u32
  vyre.return %0 : !vyre.u32
}
vyre.op @f61(%x: !vyre.u32) -> !vyre.u32 {
  %0 = vyre.call @f60(%x) : (!vyre.u32) -> !vyre.u32
  vyre.return %0 : !vyre.u32
}
vyre.op @f62(%x: !vyre.u32) -> !vyre.u32 {
  %0 = vyre.call @f61(%x) : (!vyre.u32) -> !vyre.u32
  vyre.return %0 : !vyre.u32
}
vyre.op @f63(%x: !vyre.u32) -> !vyre.u32 {
  %0 = vyre.call @f62(%x) : (!vyre.u32) -> !vyre.u32
  vyre.return %0 : !vyre.u32
}
vyre.op @f64(%x: !vyre.u32) -> !vyre.u32 {
  %0 = vyre.call @f63(%x) : (!vyre.u32) -> !vyre.u32
  vyre.return %0 : !vyre.u32
}
vyre.op @f65(%x: !vyre.u32) -> !vyre.u32 {
  %0 = vyre.call @f64(%x) : (!vyre.u32) -> !vyre.u32
  vyre.return %0 : !vyre.u32
}
vyre.op @f66(%x: !vyre.u32) -> !vyre.u32 {
  %0 = vyre.call @f65(%x) : (!vyre.u32) -> !vyre.u32
  vyre.return %0 : !vyre.u32
}
vyre.op @f67(%x: !vyre.u32) -> !vyre.u32 {
  %0 = vyre.call @f66(%x) : (!vyre.u32) -> !vyre.u32
  vyre.return %0 : !vyre.u32
}
vyre.op @f68(%x: !vyre.u32) -> !vyre.u32 {
  %0 = vyre.call @f67(%x) : (!vyre.u32) -> !vyre.u32
  vyre.return %0 : !vyre.u32
}
vyre.op @f69(%x: !vyre.u32) -> !vyre.u32 {
  %0 = vyre.call @f68(%x) : (!vyre.u32) -> !vyre.u32
  vyre.return %0 : !vyre.u32
}
vyre.op @f70(%x: !vyre.u32) -> !vyre.u32 {
  %0 = vyre.call @f69(%x) : (!vyre.u32) -> !vyre.u32
  vyre.return %0 : !vyre.u32
}
vyre.op @f71(%x: !vyre.u32) -> !vyre.u32 {
  %0 = vyre.call @f70(%x) : (!vyre.u32) -> !vyre.u32
  vyre.return %0 : !vyre.u32
}
vyre.op @f72(%x: !vyre.u32) -> !vyre.u32 {
  %0 = vyre.call @f71(%x) : (!vyre.u32) -> !vyre.u32
  vyre.return %0 : !vyre.u32
}
vyre.op @f73(%x: !vyre.u32) -> !vyre.u32 {
  %0 = vyre.call @f72(%x) : (!vyre.u32) -> !vyre.u32
  vyre.return %0 : !vyre.u32
}
vyre.op @f74(%x: !vyre.u32) -> !vyre.u32 {
  %0 = vyre.call @f73(%x) : (!vyre.u32) -> !vyre.u32
  vyre.return %0 : !vyre.u32
}
vyre.op @f75(%x: !vyre.u32) -> !vyre.u32 {
  %0 = vyre.call @f74(%x) : (!vyre.u32) -> !vyre.u32
  vyre.return %0 : !vyre.u32
}
vyre.op @f76(%x: !vyre.u32) -> !vyre.u32 {
  %0 = vyre.call @f75(%x) : (!vyre.u32) -> !vyre.u32
  vyre.return %0 : !vyre.u32
}
vyre.op @f77(%x: !vyre.u32) -> !vyre.u32 {
  %0 = vyre.call @f76(%x) : (!vyre.u32) -> !vyre.u32
  vyre.return %0 : !vyre.u32
}
vyre.op @f78(%x: !vyre.u32) -> !vyre.u32 {
  %0 = vyre.call @f77(%x) : (!vyre.u32) -> !vyre.u32
  vyre.return %0 : !vyre.u32
}
vyre.op @f79(%x: !vyre.u32) -> !vyre.u32 {
  %0 = vyre.call @f78(%x) : (!vyre.u32) -> !vyre.u32
  vyre.return %0 : !vyre.u32
}
vyre.op @f80(%x: !vyre.u32) -> !vyre.u32 {
  %0 = vyre.call @f79(%x) : (!vyre.u32) -> !vyre.u32
  vyre.return %0 : !vyre.u32
}
vyre.op @f81(%x: !vyre.u32) -> !vyre.u32 {
  %0 = vyre.call @f80(%x) : (!vyre.u32) -> !vyre.u32
  vyre.return %0 : !vyre.u32
}
vyre.op @f82(%x: !vyre.u32) -> !vyre.u32 {
  %0 = vyre.call @f81(%x) : (!vyre.u32) -> !vyre.u32
  vyre.return %0 : !vyre.u32
}
vyre.op @f83(%x: !vyre.u32) -> !vyre.u32 {
  %0 = vyre.call @f82(%x) : (!vyre.u32) -> !vyre.u32
  vyre.return %0 : !vyre.u32
}
vyre.op @f84(%x: !vyre.u32) -> !vyre.u32 {
  %0 = vyre.call @f83(%x) : (!vyre.u32) -> !vyre.u32
  vyre.return %0 : !vyre.u32
}
vyre.op @f85(%x: !vyre.u32) -> !vyre.u32 {
  %0 = vyre.call @f84(%x) : (!vyre.u32) -> !vyre.u32
  vyre.return %0 : !vyre.u32
}
vyre.op @f86(%x: !vyre.u32) -> !vyre.u32 {
  %0 = vyre.call @f85(%x) : (!vyre.u32) -> !vyre.u32
  vyre.return %0 : !vyre.u32
}
vyre.op @f87(%x: !vyre.u32) -> !vyre.u32 {
  %0 = vyre.call @f86(%x) : (!vyre.u32) -> !vyre.u32
  vyre.return %0 : !vyre.u32
}
vyre.op @f88(%x: !vyre.u32) -> !vyre.u32 {
  %0 = vyre.call @f87(%x) : (!vyre.u32) -> !vyre.u32
  vyre.return %0 : !vyre.u32
}
vyre.op @f89(%x: !vyre.u32) -> !vyre.u32 {
  %0 = vyre.call @f88(%x) : (!vyre.u32) -> !vyre.u32
  vyre.return %0 : !vyre.u32
}
vyre.op @f90(%x: !vyre.u32) -> !vyre.u32 {
  %0 = vyre.call @f89(%x) : (!vyre.u32) -> !vyre.u32
  vyre.return %0 : !vyre.u32
}
vyre.op @f91(%x: !vyre.u32) -> !vyre.u32 {
  %0 = vyre.call @f90(%x) : (!vyre.u32) -> !vyre.u32
  vyre.return %0 : !vyre.u32
}
vyre.op @f92(%x: !vyre.u32) -> !vyre.u32 {
  %0 = vyre.call @f91(%x) : (!vyre.u32) -> !vyre.u32
  vyre.return %0 : !vyre.u32
}
vyre.op @f93(%x: !vyre.u32) -> !vyre.u32 {
  %0 = vyre.call @f92(%x) : (!vyre.u32) -> !vyre.u32
  vyre.return %0 : !vyre.u32
}
vyre.op @f94(%x: !vyre.u32) -> !vyre.u32 {
  %0 = vyre.call @f93(%x) : (!vyre.u32) -> !vyre.u32
  vyre.return %0 : !vyre.u32
}
vyre.op @f95(%x: !vyre.u32) -> !vyre.u32 {
  %0 = vyre.call @f94(%x) : (!vyre.u32) -> !vyre.u32
  vyre.return %0 : !vyre.u32
}
vyre.op @f96(%x: !vyre.u32) -> !vyre.u32 {
  %0 = vyre.call @f95(%x) : (!vyre.u32) -> !vyre.u32
  vyre.return %0 : !vyre.u32
}
vyre.op @f97(%x: !vyre.u32) -> !vyre.u32 {
  %0 = vyre.call @f96(%x) : (!vyre.u32) -> !vyre.u32
  vyre.return %0 : !vyre.u32
}
vyre.op @f98(%x: !vyre.u32) -> !vyre.u32 {
  %0 = vyre.call @f97(%x) : (!vyre.u32) -> !vyre.u32
  vyre.return %0 : !vyre.u32
}
vyre.op @f99(%x: !vyre.u32) -> !vyre.u32 {
  %0 = vyre.call @f98(%x) : (!vyre.u32) -> !vyre.u32
  vyre.return %0 : !vyre.u32
}
vyre.op @f100(%x: !vyre.u32) -> !vyre.u32 {
  %0 = vyre.call @f99(%x) : (!vyre.u32) -> !vyre.u32
  vyre.return %0 : !vyre.u32
}
// expected-error@+2 {{@f100 calls more than 100 ops, directly or indirectly. Fix: write some of them in one op.}}
vyre.op @f101(%x: !vyre.u32) -> !vyre.u32 {
  %0 = vyre.call @f100(%x) : (!vyre.u32) -> !vyre.u32
  vyre.return %0 : !vyre.u32
}

// -----

// expected-error@+1 {{u128 is planned, not stable: it shares storage with Vec4U32}}
vyre.op @f(%x: !vyre.u128) -> !vyre.u32 {
}

// -----

// expected-error@+1 {{f32 is planned, not stable: it requires float BinOp/UnOp variants}}
vyre.op @f(%x: !vyre.f32) -> !vyre.u32 {
}

// -----

// expected-error@+1 {{f16 is planned, not stable: it depends on F32 infrastructure}}
vyre.op @f(%x: !vyre.f16) -> !vyre.u32 {
}

// -----

// expected-error@+1 {{bf16 is planned, not stable: it is a non-standard format}}
vyre.op @f(%x: !vyre.bf16) -> !vyre.u32 {
}

// -----

// expected-error@+1 {{tensor is planned, not stable: it requires shape/stride validation}}
vyre.op @f(%x: !vyre.tensor<f32>) -> !vyre.u32 {
}

// -----

// expected-error@+1 {{f64 is not a planned type. Fix: write one of u128, f32, f16, bf16.}}
vyre.op @f(%x: !vyre.preview<f64>) -> !vyre.u32 {
}

// -----

// expected-error@+1 {{a tensor has elements of bytes. Fix: write one of u32, i32, u64, vec2u32, vec4u32, bool, u128, f32, f16, bf16.}}
vyre.op @f(%x: !vyre.preview_tensor<bytes, [2]>) -> !vyre.u32 {
}

// -----

// expected-error@+1 {{Expected integer literal}}
"test.op"() {t = !vyre.preview_tensor<f32, [4], [true]>} : () -> ()

// -----

// expected-error@+1 {{a workgroup has the size []. Fix: give three sizes from 1 to 1024, 1024, 64.}}
vyre.program @p workgroup [] {
}

// -----

// expected-error@+1 {{a tensor has 2 dimensions and 1 strides. Fix: give a stride for each dimension, or none.}}
vyre.op @f(%x: !vyre.preview_tensor<f32, [2, n], [1]>) -> !vyre.u32 {
}

// -----

// expected-error@+1 {{a dimension or a stride of a tensor does not fit in a U32. Fix: write numbers from 0 to 4294967295.}}
vyre.op @f(%x: !vyre.preview_tensor<f32, [4294967296]>) -> !vyre.u32 {
}

// -----

vyre.program @p workgroup [64, 1, 1] {
  %i = vyre.position global x
  %v = vyre.vector %i, %i : !vyre.vec2u32
  // expected-error@+1 {{a vec2u32 has no component -1. Fix: write a number from 0 to 1.}}
  %0 = vyre.extract %v[-1] : !vyre.vec2u32
}

// -----

vyre.program @p workgroup [64, 1, 1] {
  // expected-error@+1 {{-2147483649 is not in the range of i32}}
  %0 = vyre.constant -2147483649 : !vyre.i32
}

// -----

vyre.program @p workgroup [64, 1, 1] {
  // expected-error@+1 {{-1 is not in the range of u64}}
  %0 = vyre.constant -1 : !vyre.u64
}

// -----

vyre.program @p workgroup [64, 1, 1] {
  // expected-error@+1 {{-1 is not in the range of bool}}
  %0 = vyre.constant -1 : !vyre.bool
}

// -----

vyre.program @p workgroup [64, 1, 1] {
  // expected-error@+1 {{buffer 'b' has binding 65536. Fix: use 0 to 65535.}}
  %b = vyre.buffer "b" binding 65536 : !vyre.buffer<u32, read_only>
}

// -----

vyre.program @p workgroup [64, 1, 1] {
  // expected-error@+1 {{buffer 'b' has 2147483648 elements. Fix: use 1 to 2147483647.}}
  %b = vyre.buffer "b" binding 1 count 2147483648 : !vyre.buffer<u32, read_only>
}

// -----

vyre.program @p workgroup [64, 1, 1] {
  // expected-error@+1 {{uniform buffer 'b' has 65540 bytes}}
  %b = vyre.buffer "b" binding 0 count 16385 : !vyre.buffer<u32, uniform>
}

// -----

vyre.program @p workgroup [64, 1, 1] {
  // expected-error@+1 {{tensor is planned, not stable: it requires shape/stride validation, dynamic dimension support, and tensor-specific lowering. Fix: use a stable type.}}
  %b = vyre.buffer "b" binding 0 : !vyre.buffer<tensor, read_only>
}

// -----

vyre.program @p workgroup [64, 1, 1] {
  // expected-error@+1 {{a buffer has the name 'é'. Fix: use letters, digits and _.}}
  %b = vyre.buffer "é" binding 1 : !vyre.buffer<u32, read_only>
}

// -----

// expected-error@+1 {{a workgroup has the size 1025 x 1 x 1}}
vyre.program @p workgroup [1025, 1, 1] {
  vyre.yield
}

// -----

// expected-error@+1 {{a workgroup has the size 1 x 1 x 65}}
vyre.program @p workgroup [1, 1, 65] {
  vyre.yield
}

// -----

// expected-error@+1 {{a workgroup of 1 x 25 x 41 has 1025 invocations. Fix: use at most 1024.}}
vyre.program @p workgroup [1, 25, 41] {
  vyre.yield
}

// -----

// expected-error@+1 {{a signature has the type !vyre.preview_tensor<f32, [2]>. Fix: use data types.}}
"test.op"() {s = #vyre.signature<(u32, !vyre.preview_tensor<f32, [2]>) -> u32>} : () -> ()

// -----

vyre.op @f() -> !vyre.u32 {
  // expected-error@+1 {{@f calls itself. Fix: write a vyre.for: ops are not recursive.}}
  %0 = vyre.call @f() : () -> !vyre.u32
  vyre.return %0 : !vyre.u32
}

// -----

vyre.program @p workgroup [1, 1, 1] {
  // expected-error@+1 {{@p is no op of this module}}
  %0 = vyre.call @p() : () -> !vyre.u32
}

// -----

vyre.op @f(%x: !vyre.u32) -> !vyre.u32 {
  // expected-error@+1 {{@f does not return a !vyre.u32}}
  vyre.yield
}

// -----

vyre.program @p workgroup [1, 1, 1] {
  // expected-error@+1 {{Expected SymbolRefAttr with no nested symbols}}
  %0 = "vyre.call"() <{callee = @f::@g}> : () -> !vyre.u32
}

// -----

vyre.program @p workgroup [1, 1, 1] {
  %x = vyre.constant 1 : !vyre.preview<f32>
  // expected-error@+1 {{fma}}
  %y = vyre.strict fma %x, %x, %x : !vyre.preview<f32>
}

// -----

vyre.program @p workgroup [1, 1, 1] {
  %x = vyre.constant 1 : !vyre.preview<f32>
  // expected-error@+1 {{fadd of 1 operands. Fix: give it 2.}}
  %y = vyre.strict fadd %x : !vyre.preview<f32>
}

// -----

vyre.program @p workgroup [1, 1, 1] {
  %x = vyre.constant 1 : !vyre.u32
  // expected-error@+1 {{fneg is not defined on !vyre.u32. Fix: use a value of !vyre.preview<f32>, !vyre.preview<f16>, !vyre.preview<bf16>.}}
  %y = vyre.strict fneg %x : !vyre.u32
}

// -----

vyre.program @p workgroup [1, 1, 1] {
  %x = vyre.constant 1 : !vyre.preview<bf16>
  // expected-error@+1 {{a bound of 0 ulp. Fix: write at least 1, or use vyre.strict.}}
  %y = vyre.approximate fsin %x ulp 0 : !vyre.preview<bf16>
}

// -----

vyre.program @p workgroup [1, 1, 1] {
  %x = vyre.constant 1 : !vyre.preview<bf16>
  // expected-error@+1 {{fsin of 2 operands. Fix: give it 1.}}
  %y = vyre.approximate fsin %x, %x ulp 1 : !vyre.preview<bf16>
}

// -----

vyre.program @p workgroup [1, 1, 1] {
  %x = vyre.constant 1 : !vyre.preview<f32>
  // expected-error@+1 {{approx}}
  %y = vyre.approximate approx %x ulp 1 : !vyre.preview<f32>
}

// -----

vyre.program @p workgroup [1, 1, 1] {
  // expected-error@+1 {{65536 is not in the range of !vyre.preview<f16>. Fix: write a number from 0 to 65535.}}
  %x = vyre.constant 65536 : !vyre.preview<f16>
}

// -----

vyre.program @p workgroup [1, 1, 1] {
  %x = vyre.constant 1 : !vyre.preview<f32>
  // expected-error@+1 {{!vyre.preview<f32> has no bits in common with !vyre.i32. Fix: cast between u32 and a float.}}
  %y = vyre.bitcast %x : !vyre.preview<f32> to !vyre.i32
}

// -----

vyre.program @p workgroup [1, 1, 1] {
  %x = vyre.constant 1 : !vyre.preview<f32>
  // expected-error@+1 {{!vyre.preview<f32> is not cast to !vyre.u64. Fix: cast it to u32, i32, !vyre.preview<f16>, !vyre.preview<bf16>.}}
  %y = vyre.cast %x : !vyre.preview<f32> to !vyre.u64
}

// -----

vyre.program @p workgroup [1, 1, 1] {
  %x = vyre.constant 1 : !vyre.preview<f32>
  // expected-error@+1 {{add is not defined on !vyre.preview<f32>. Fix: use a value of u32, i32, u64, vec2u32, vec4u32.}}
  %y = vyre.binop add %x, %x : !vyre.preview<f32>
}

// -----

vyre.program @p workgroup [1, 1, 1] {
  %b = vyre.buffer "b" binding 0 : !vyre.buffer<!vyre.preview<f32>, read_only>
  %i = vyre.position global x
  // expected-error@+1 {{sum}}
  %y = vyre.reduce tree sum %b[%i] count 2 : !vyre.buffer<!vyre.preview<f32>, read_only>
}

// -----

vyre.program @p workgroup [1, 1, 1] {
  %b = vyre.buffer "b" binding 0 : !vyre.buffer<!vyre.preview<f32>, read_only>
  %i = vyre.position global x
  // expected-error@+1 {{unordered}}
  %y = vyre.reduce unordered fadd %b[%i] count 2 : !vyre.buffer<!vyre.preview<f32>, read_only>
}

// -----

vyre.program @p workgroup [1, 1, 1] {
  %b = vyre.buffer "b" binding 0 : !vyre.buffer<u32, read_only>
  %i = vyre.position global x
  // expected-error@+1 {{a buffer of !vyre.u32 is not reduced. Fix: use a buffer of F32.}}
  %y = vyre.reduce tree fadd %b[%i] count 2 : !vyre.buffer<u32, read_only>
}

// -----

vyre.program @p workgroup [1, 1, 1] {
  %b = vyre.buffer "b" binding 0 : !vyre.buffer<!vyre.preview<f32>, read_only>
  %i = vyre.position global x
  // expected-error@+1 {{65537 elements. Fix: write a number from 1 to 65536, and combine parts.}}
  %y = vyre.reduce tree fadd %b[%i] count 65537 : !vyre.buffer<!vyre.preview<f32>, read_only>
}

// -----

vyre.program @p workgroup [1, 1, 1] {
  %a = vyre.buffer "a" binding 0 : !vyre.buffer<!vyre.preview<f32>, read_only>
  %b = vyre.buffer "b" binding 1 : !vyre.buffer<u32, read_only>
  %i = vyre.position global x
  // expected-error@+1 {{a buffer of !vyre.u32 is not reduced. Fix: use a buffer of F32.}}
  %y = vyre.dot %a[%i], %b[%i] count 2 steps[1, 1] : !vyre.buffer<!vyre.preview<f32>, read_only>, !vyre.buffer<u32, read_only>
}

// -----

vyre.program @p workgroup [1, 1, 1] {
  %a = vyre.buffer "a" binding 0 : !vyre.buffer<u32, read_only>
  %b = vyre.buffer "b" binding 1 : !vyre.buffer<!vyre.preview<f32>, read_only>
  %i = vyre.position global x
  // expected-error@+1 {{a buffer of !vyre.u32 is not reduced. Fix: use a buffer of F32.}}
  %y = vyre.dot %a[%i], %b[%i] count 2 steps[1, 1] : !vyre.buffer<u32, read_only>, !vyre.buffer<!vyre.preview<f32>, read_only>
}

// -----

vyre.program @p workgroup [1, 1, 1] {
  %a = vyre.buffer "a" binding 0 : !vyre.buffer<!vyre.preview<f32>, read_only>
  %i = vyre.position global x
  // expected-error@+1 {{0 elements. Fix: write a number from 1 to 65536, and combine parts.}}
  %y = vyre.dot %a[%i], %a[%i] count 0 steps[1, 1] : !vyre.buffer<!vyre.preview<f32>, read_only>, !vyre.buffer<!vyre.preview<f32>, read_only>
}

// -----

vyre.program @p workgroup [1, 1, 1] {
  %a = vyre.buffer "a" binding 0 : !vyre.buffer<!vyre.preview<f32>, read_only>
  %i = vyre.position global x
  // expected-error@+1 {{steps of 1 and 4294967296 elements. Fix: write numbers from 0 to 4294967295.}}
  %y = vyre.dot %a[%i], %a[%i] count 2 steps[1, 4294967296] : !vyre.buffer<!vyre.preview<f32>, read_only>, !vyre.buffer<!vyre.preview<f32>, read_only>
}

// -----

vyre.op @f(%x: !vyre.u32) -> !vyre.i32 {
  // expected-error@+1 {{!vyre.u32 has no bits in common with !vyre.i32. Fix: cast between u32 and a float.}}
  %y = vyre.bitcast %x : !vyre.u32 to !vyre.i32
  vyre.return %y : !vyre.i32
}

// -----

vyre.program @p workgroup [1, 1, 1] {
  // expected-error@+1 {{a buffer of !vyre.preview<bf16> has no lowering. Fix: keep each number in the low half of an element of a buffer of u32, and vyre.bitcast it to !vyre.preview<bf16>.}}
  %b = vyre.buffer "b" binding 0 : !vyre.buffer<!vyre.preview<bf16>, read_only>
}

// -----

vyre.program @p workgroup [1, 1, 1] {
  // expected-error@+1 {{a buffer of !vyre.preview<u128> has no lowering. Fix: write one of u32, i32, u64, vec2u32, vec4u32, bool, bytes, !vyre.preview<f32>.}}
  %b = vyre.buffer "b" binding 0 : !vyre.buffer<!vyre.preview<u128>, read_only>
}
