// RUN: ptir-opt %s | filecheck %s
// RUN: ptir-opt %s | ptir-opt --print-op-generic | ptir-opt | filecheck %s

// Each op prints as it is read, and its generic form reads as the same op.

// CHECK:       vyre.op @rotl(%x: !vyre.u32, %by: !vyre.u32) -> !vyre.u32 {
// CHECK-NEXT:  %n = vyre.unop neg %by : !vyre.u32
// CHECK-NEXT:  %a = vyre.binop shl %x, %by : !vyre.u32
// CHECK-NEXT:  %b = vyre.binop shr %x, %n : !vyre.u32
// CHECK-NEXT:  %r = vyre.binop or %a, %b : !vyre.u32
// CHECK-NEXT:  vyre.return %r : !vyre.u32
// CHECK-NEXT:  }
// CHECK-NEXT:  vyre.op @first(%x: !vyre.buffer<bytes, read_write>) -> !vyre.u32 attributes {note = "a byte"} {
// CHECK-NEXT:  %0 = vyre.constant 0 : !vyre.u32
// CHECK-NEXT:  %r = vyre.load %x[%0] : !vyre.buffer<bytes, read_write> -> !vyre.u32
// CHECK-NEXT:  vyre.return %r : !vyre.u32
// CHECK-NEXT:  }
// CHECK-NEXT:  vyre.program @contract workgroup [64, 2, 1] convention <v2, lookup_binding = 7> signature <(u32, vec2u32) -> i32> {
// CHECK-NEXT:  %in = vyre.buffer "in" binding 0 : !vyre.buffer<u32, read_only>
// CHECK-NEXT:  %out = vyre.buffer "out" binding 1 : !vyre.buffer<i32, read_write>
// CHECK-NEXT:  %p = vyre.buffer "p" binding 2 count 4096 : !vyre.buffer<vec4u32, uniform>
// CHECK-NEXT:  %t = vyre.buffer "t" binding 7 : !vyre.buffer<u64, read_only>
// CHECK-NEXT:  vyre.yield
// CHECK-NEXT:  }
// CHECK-NEXT:  vyre.program @every_op workgroup [64, 1, 1] convention <v1> {
// CHECK-NEXT:  %in = vyre.buffer "in" binding 0 : !vyre.buffer<bool, read_only>
// CHECK-NEXT:  %out = vyre.buffer "out" binding 1 : !vyre.buffer<bytes, read_write>
// CHECK-NEXT:  %p = vyre.buffer "p" binding 2 count 4 : !vyre.buffer<u32, uniform>
// CHECK-NEXT:  %w = vyre.buffer "w" count 16 : !vyre.buffer<vec4u32, workgroup>
// CHECK-NEXT:  %i = vyre.position global x
// CHECK-NEXT:  %l = vyre.position local y
// CHECK-NEXT:  %g = vyre.position workgroup z
// CHECK-NEXT:  %gs = vyre.position workgroups x
// CHECK-NEXT:  %n = vyre.buf_len %p : !vyre.buffer<u32, uniform>
// CHECK-NEXT:  %minus = vyre.constant -5 : !vyre.i32
// CHECK-NEXT:  %max = vyre.constant 18446744073709551615 : !vyre.u64
// CHECK-NEXT:  %true = vyre.constant 1 : !vyre.bool
// CHECK-NEXT:  %no = vyre.constant 0 : !vyre.bool
// CHECK-NEXT:  %wide = vyre.cast %i : !vyre.u32 to !vyre.u64
// CHECK-NEXT:  %pair = vyre.cast %wide : !vyre.u64 to !vyre.vec2u32
// CHECK-NEXT:  %v = vyre.vector %i, %l, %g, %n : !vyre.vec4u32
// CHECK-NEXT:  %e = vyre.extract %v[3] : !vyre.vec4u32
// CHECK-NEXT:  %z = vyre.compare lt %i, %n : !vyre.u32
// CHECK-NEXT:  %f = vyre.binop and %z, %true : !vyre.bool
// CHECK-NEXT:  %x = vyre.select %f, %i, %e : !vyre.u32
// CHECK-NEXT:  %q = vyre.load %in[%i] : !vyre.buffer<bool, read_only> -> !vyre.bool
// CHECK-NEXT:  %word = vyre.load_word %out[%i] : !vyre.buffer<bytes, read_write>
// CHECK-NEXT:  %y = vyre.call @rotl(%word, %x) : (!vyre.u32, !vyre.u32) -> !vyre.u32
// CHECK-NEXT:  %b = vyre.call @first(%out) : (!vyre.buffer<bytes, read_write>) -> !vyre.u32
// CHECK-NEXT:  vyre.store %v, %w[%l] : !vyre.vec4u32, !vyre.buffer<vec4u32, workgroup>
// CHECK-NEXT:  vyre.barrier
// CHECK-NEXT:  vyre.store_word %y, %out[%i] : !vyre.buffer<bytes, read_write>
// CHECK-NEXT:  %old = vyre.atomic xor %out[%i], %b : !vyre.buffer<bytes, read_write>, !vyre.u32 -> !vyre.u32
// CHECK-NEXT:  %was = vyre.compare_exchange %out[%i], %old, %x : !vyre.buffer<bytes, read_write>, !vyre.u32, !vyre.u32 -> !vyre.u32
// CHECK-NEXT:  %r, %s = vyre.if %q -> (!vyre.u32, !vyre.bool) {
// CHECK-NEXT:  vyre.yield %x, %q : !vyre.u32, !vyre.bool
// CHECK-NEXT:  } else {
// CHECK-NEXT:  vyre.yield %was, %no : !vyre.u32, !vyre.bool
// CHECK-NEXT:  }
// CHECK-NEXT:  vyre.if %s {
// CHECK-NEXT:  vyre.store %r, %out[%i] : !vyre.u32, !vyre.buffer<bytes, read_write>
// CHECK-NEXT:  vyre.yield
// CHECK-NEXT:  }
// CHECK-NEXT:  %sum, %u = vyre.for %k = %i to %n iter (%acc = %r, %c = %minus) -> (!vyre.u32, !vyre.i32) {
// CHECK-NEXT:  %m = vyre.binop mul %acc, %k : !vyre.u32
// CHECK-NEXT:  vyre.yield %m, %c : !vyre.u32, !vyre.i32
// CHECK-NEXT:  }
// CHECK-NEXT:  vyre.for %k_1 = %i to %sum attributes {note = "nothing is carried"} {
// CHECK-NEXT:  vyre.store %k_1, %out[%k_1] : !vyre.u32, !vyre.buffer<bytes, read_write>
// CHECK-NEXT:  }
// CHECK-NEXT:  vyre.yield
// CHECK-NEXT:  }

vyre.op @rotl(%x: !vyre.u32, %by: !vyre.u32) -> !vyre.u32 {
  %n = vyre.unop neg %by : !vyre.u32
  %a = vyre.binop shl %x, %by : !vyre.u32
  %b = vyre.binop shr %x, %n : !vyre.u32
  %r = vyre.binop or %a, %b : !vyre.u32
  vyre.return %r : !vyre.u32
}
vyre.op @first(%x: !vyre.buffer<bytes, read_write>) -> !vyre.u32 attributes {note = "a byte"} {
  %0 = vyre.constant 0 : !vyre.u32
  %r = vyre.load %x[%0] : !vyre.buffer<bytes, read_write> -> !vyre.u32
  vyre.return %r : !vyre.u32
}
vyre.program @contract workgroup [64, 2, 1] convention <v2, lookup_binding = 7> signature <(u32, vec2u32) -> i32> {
  %in = vyre.buffer "in" binding 0 : !vyre.buffer<u32, read_only>
  %out = vyre.buffer "out" binding 1 : !vyre.buffer<i32, read_write>
  %p = vyre.buffer "p" binding 2 count 4096 : !vyre.buffer<vec4u32, uniform>
  %t = vyre.buffer "t" binding 7 : !vyre.buffer<u64, read_only>
}
vyre.program @every_op workgroup [64, 1, 1] convention <v1> {
  %in = vyre.buffer "in" binding 0 : !vyre.buffer<bool, read_only>
  %out = vyre.buffer "out" binding 1 : !vyre.buffer<bytes, read_write>
  %p = vyre.buffer "p" binding 2 count 4 : !vyre.buffer<u32, uniform>
  %w = vyre.buffer "w" count 16 : !vyre.buffer<vec4u32, workgroup>
  %i = vyre.position global x
  %l = vyre.position local y
  %g = vyre.position workgroup z
  %gs = vyre.position workgroups x
  %n = vyre.buf_len %p : !vyre.buffer<u32, uniform>
  %minus = vyre.constant -5 : !vyre.i32
  %max = vyre.constant 18446744073709551615 : !vyre.u64
  %true = vyre.constant true : !vyre.bool
  %no = vyre.constant 0 : !vyre.bool
  %wide = vyre.cast %i : !vyre.u32 to !vyre.u64
  %pair = vyre.cast %wide : !vyre.u64 to !vyre.vec2u32
  %v = vyre.vector %i, %l, %g, %n : !vyre.vec4u32
  %e = vyre.extract %v[3] : !vyre.vec4u32
  %z = vyre.compare lt %i, %n : !vyre.u32
  %f = vyre.binop and %z, %true : !vyre.bool
  %x = vyre.select %f, %i, %e : !vyre.u32
  %q = vyre.load %in[%i] : !vyre.buffer<bool, read_only> -> !vyre.bool
  %word = vyre.load_word %out[%i] : !vyre.buffer<bytes, read_write>
  %y = vyre.call @rotl(%word, %x) : (!vyre.u32, !vyre.u32) -> !vyre.u32
  %b = vyre.call @first(%out) : (!vyre.buffer<bytes, read_write>) -> !vyre.u32
  vyre.store %v, %w[%l] : !vyre.vec4u32, !vyre.buffer<vec4u32, workgroup>
  vyre.barrier
  vyre.store_word %y, %out[%i] : !vyre.buffer<bytes, read_write>
  %old = vyre.atomic xor %out[%i], %b : !vyre.buffer<bytes, read_write>, !vyre.u32 -> !vyre.u32
  %was = vyre.compare_exchange %out[%i], %old, %x : !vyre.buffer<bytes, read_write>, !vyre.u32, !vyre.u32 -> !vyre.u32
  %r, %s = vyre.if %q -> (!vyre.u32, !vyre.bool) {
    vyre.yield %x, %q : !vyre.u32, !vyre.bool
  } else {
    vyre.yield %was, %no : !vyre.u32, !vyre.bool
  }
  vyre.if %s {
    vyre.store %r, %out[%i] : !vyre.u32, !vyre.buffer<bytes, read_write>
  }
  %sum, %u = vyre.for %k = %i to %n iter (%acc = %r, %c = %minus) -> (!vyre.u32, !vyre.i32) {
    %m = vyre.binop mul %acc, %k : !vyre.u32
    vyre.yield %m, %c : !vyre.u32, !vyre.i32
  }
  vyre.for %k = %i to %sum attributes {note = "nothing is carried"} {
    vyre.store %k, %out[%k] : !vyre.u32, !vyre.buffer<bytes, read_write>
  }
}
