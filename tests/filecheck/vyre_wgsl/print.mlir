// RUN: ptir-opt %s --split-input-file -p vyre-inline -t vyre-wgsl | filecheck %s

// The mapping of types to the letter, guards, and the functions of a U64 that are used.

// CHECK:      @group(0) @binding(0) var<storage, read> buf_in_1: array<u32>;
// CHECK-NEXT: @group(0) @binding(3) var<storage, read_write> buf_out_1: array<vec2<u32>>;
// CHECK:      fn u64_sub(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
// CHECK-NEXT: return vec2<u32>(a.x - b.x, a.y - b.y - select(0u, 1u, a.x < b.x));
// CHECK-NEXT: }
// CHECK:      fn u64_lt(a: vec2<u32>, b: vec2<u32>) -> bool {
// CHECK-NEXT: return a.y < b.y || (a.y == b.y && a.x < b.x);
// CHECK-NEXT: }
// CHECK:      fn u64_shl(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
// CHECK-NEXT: let n = b.x & 31u;
// CHECK-NEXT: let carry = select(a.x >> ((32u - n) & 31u), 0u, n == 0u);
// CHECK-NEXT: let near = vec2<u32>(a.x << n, (a.y << n) | carry);
// CHECK-NEXT: return select(near, vec2<u32>(0u, near.x), (b.x & 32u) != 0u);
// CHECK-NEXT: }
// CHECK:      fn u64_shr(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
// CHECK-NEXT: let n = b.x & 31u;
// CHECK-NEXT: let carry = select(a.y << ((32u - n) & 31u), 0u, n == 0u);
// CHECK-NEXT: let near = vec2<u32>((a.x >> n) | carry, a.y >> n);
// CHECK-NEXT: return select(near, vec2<u32>(near.y, 0u), (b.x & 32u) != 0u);
// CHECK-NEXT: }
// CHECK:      fn u64_divide(a: vec2<u32>, b: vec2<u32>) -> vec4<u32> {  // quotient and remainder, bit by bit
// CHECK-NEXT: var q = vec2<u32>(0u, 0u);
// CHECK-NEXT: var r = vec2<u32>(0u, 0u);
// CHECK-NEXT: if (all(b == vec2<u32>(0u, 0u))) {
// CHECK-NEXT: return vec4<u32>(0u, 0u, 0u, 0u);
// CHECK-NEXT: }
// CHECK-NEXT: for (var k = 64u; k > 0u; k = k - 1u) {
// CHECK-NEXT: let lost = r.y >> 31u;
// CHECK-NEXT: r = u64_shl(r, vec2<u32>(1u, 0u));
// CHECK-NEXT: r.x = r.x | (u64_shr(a, vec2<u32>(k - 1u, 0u)).x & 1u);
// CHECK-NEXT: if (lost != 0u || !u64_lt(r, b)) {
// CHECK-NEXT: r = u64_sub(r, b);
// CHECK-NEXT: let bit = u64_shl(vec2<u32>(1u, 0u), vec2<u32>(k - 1u, 0u));
// CHECK-NEXT: q = q | bit;
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: return vec4<u32>(q, r);
// CHECK-NEXT: }
// CHECK:      fn u64_div(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
// CHECK-NEXT: return u64_divide(a, b).xy;
// CHECK-NEXT: }
// CHECK:      @compute @workgroup_size(32, 2, 1)
// CHECK-NEXT: fn main(@builtin(global_invocation_id) global_invocation_id: vec3<u32>) {
// CHECK-NEXT: let i_1 = global_invocation_id.x;
// CHECK-NEXT: var x_1: u32 = u32();
// CHECK-NEXT: if (i_1 < arrayLength(&buf_in_1)) { x_1 = buf_in_1[i_1]; }
// CHECK-NEXT: let y_1 = x_1 + x_1;
// CHECK-NEXT: let z_1 = vec2<u32>(y_1, 0u);
// CHECK-NEXT: let q_1 = u64_div(z_1, z_1);
// CHECK-NEXT: if (i_1 < arrayLength(&buf_out_1)) { buf_out_1[i_1] = q_1; }
// CHECK-NEXT: }

// CHECK:      @group(0) @binding(0) var<storage, read_write> buf_b_1: array<u32>;
// CHECK-NEXT: @group(0) @binding(1) var<storage, read_write> buf_s_1: array<atomic<i32>>;
// CHECK-NEXT: var<workgroup> buf_w_1: array<vec2<u32>, 20>;
// CHECK:      @compute @workgroup_size(8, 1, 1)
// CHECK-NEXT: fn main(@builtin(local_invocation_id) local_invocation_id: vec3<u32>, @builtin(num_workgroups) num_workgroups: vec3<u32>) {
// CHECK-NEXT: let i_1 = local_invocation_id.x;
// CHECK-NEXT: let n_1 = num_workgroups.x;
// CHECK-NEXT: let m_1 = i32(-7);
// CHECK-NEXT: let c_1 = m_1 < m_1;
// CHECK-NEXT: var r_1: i32 = i32();
// CHECK-NEXT: if (c_1) {
// CHECK-NEXT: r_1 = m_1;
// CHECK-NEXT: }
// CHECK-NEXT: else {
// CHECK-NEXT: let d_1 = m_1 >> (bitcast<u32>(m_1) & 31u);
// CHECK-NEXT: r_1 = d_1;
// CHECK-NEXT: }
// CHECK-NEXT: var old_1: i32 = i32();
// CHECK-NEXT: if (i_1 < arrayLength(&buf_s_1)) { old_1 = atomicMin(&buf_s_1[i_1], r_1); }
// CHECK-NEXT: var was_1: i32 = i32();
// CHECK-NEXT: if (i_1 < arrayLength(&buf_s_1)) {
// CHECK-NEXT: loop {  // the weak one may fail although the element is as expected
// CHECK-NEXT: let found_1 = atomicCompareExchangeWeak(&buf_s_1[i_1], old_1, r_1);
// CHECK-NEXT: was_1 = found_1.old_value;
// CHECK-NEXT: if (found_1.exchanged || was_1 != old_1) { break; }
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: storageBarrier();
// CHECK-NEXT: workgroupBarrier();
// CHECK-NEXT: var a_1: u32 = n_1;
// CHECK-NEXT: var e_1: bool = c_1;
// CHECK-NEXT: for (var j_1 = i_1; j_1 < n_1; j_1 = j_1 + 1u) {
// CHECK-NEXT: a_1 = j_1;
// CHECK-NEXT: e_1 = c_1;
// CHECK-NEXT: }
// CHECK-NEXT: if ((a_1 / 4u) < arrayLength(&buf_b_1)) { buf_b_1[(a_1 / 4u)] = (buf_b_1[(a_1 / 4u)] & ~(255u << ((a_1 & 3u) * 8u))) | ((n_1 & 255u) << ((a_1 & 3u) * 8u)); }
// CHECK-NEXT: }

// Compilers evaluate constant indices, and refuse what is out of bounds.
// CHECK:      let far_1 = 4294967295u;
// CHECK-NEXT: let near_1 = 2u;
// CHECK-NEXT: let i_1 = far_1 - near_1;
// CHECK-NEXT: if (i_1 < arrayLength(&buf_b_1)) { buf_b_1[min(i_1, arrayLength(&buf_b_1) - 1u)] = near_1; }

vyre.op @twice(%x: !vyre.u32) -> !vyre.u32 {
  %y = vyre.binop add %x, %x : !vyre.u32
  vyre.return %y : !vyre.u32
}
vyre.program @scale workgroup [32, 2, 1] {
  %in = vyre.buffer "in" binding 0 : !vyre.buffer<u32, read_only>
  %out = vyre.buffer "out" binding 3 : !vyre.buffer<u64, read_write>
  %i = vyre.position global x
  %x = vyre.load %in[%i] : !vyre.buffer<u32, read_only> -> !vyre.u32
  %y = vyre.call @twice(%x) : (!vyre.u32) -> !vyre.u32
  %z = vyre.cast %y : !vyre.u32 to !vyre.u64
  %q = vyre.binop div %z, %z : !vyre.u64
  vyre.store %q, %out[%i] : !vyre.u64, !vyre.buffer<u64, read_write>
}

// -----

vyre.program @control workgroup [8, 1, 1] {
  %b = vyre.buffer "b" binding 0 : !vyre.buffer<bytes, read_write>
  %s = vyre.buffer "s" binding 1 : !vyre.buffer<i32, read_write>
  %w = vyre.buffer "w" count 20 : !vyre.buffer<vec2u32, workgroup>
  %i = vyre.position local x
  %n = vyre.position workgroups x
  %m = vyre.constant -7 : !vyre.i32
  %c = vyre.compare lt %m, %m : !vyre.i32
  %r = vyre.if %c -> (!vyre.i32) {
    vyre.yield %m : !vyre.i32
  } else {
    %d = vyre.binop shr %m, %m : !vyre.i32
    vyre.yield %d : !vyre.i32
  }
  %old = vyre.atomic min %s[%i], %r : !vyre.buffer<i32, read_write>, !vyre.i32 -> !vyre.i32
  %was = vyre.compare_exchange %s[%i], %old, %r : !vyre.buffer<i32, read_write>, !vyre.i32, !vyre.i32 -> !vyre.i32
  vyre.barrier
  %k, %f = vyre.for %j = %i to %n iter (%a = %n, %e = %c) -> (!vyre.u32, !vyre.bool) {
    vyre.yield %j, %c : !vyre.u32, !vyre.bool
  }
  vyre.store %n, %b[%k] : !vyre.u32, !vyre.buffer<bytes, read_write>
}

// -----

vyre.program @constant_index workgroup [1, 1, 1] {
  %b = vyre.buffer "b" binding 0 : !vyre.buffer<u32, read_write>
  %far = vyre.constant 4294967295 : !vyre.u32
  %near = vyre.constant 2 : !vyre.u32
  %i = vyre.binop sub %far, %near : !vyre.u32
  vyre.store %near, %b[%i] : !vyre.u32, !vyre.buffer<u32, read_write>
}
