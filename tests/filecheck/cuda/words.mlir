// RUN: ptir-opt %s -p vyre-to-nv -t cuda | filecheck %s

// Kernels of single words: guarded accesses, branches with results, loops over unsigned counters, atomics, shared memory.

// CHECK:      extern "C" __global__ void __launch_bounds__(64, 1) scale(const u32* __restrict__ in, u32* __restrict__ out, const u32* __restrict__ lengths) {
// CHECK-NEXT: const u32 in_words = lengths[0u];
// CHECK-NEXT: const u32 out_words = lengths[1u];
// CHECK-NEXT: const u32 out_elements = out_words >> 1u;
// CHECK-NEXT: const u32 workgroup_x = (u32)(int)blockIdx.x;
// CHECK-NEXT: const u32 t = workgroup_x * 32u;
// CHECK-NEXT: const u32 local_x = (u32)(int)threadIdx.x;
// CHECK-NEXT: const u32 i1 = t + local_x;
// CHECK-NEXT: const bool inside = i1 < in_words;
// CHECK-NEXT: const u32 x = inside ? in[i1] : 0;
// CHECK-NEXT: const u32 y = x + x;
// CHECK-NEXT: const u64 z = y;
// CHECK-NEXT: const bool t1 = z == 0ull;
// CHECK-NEXT: const u64 t2 = z / (z ? z : 1);
// CHECK-NEXT: const u64 q = t1 ? 0ull : t2;
// CHECK-NEXT: const bool inside1 = i1 < out_elements;
// CHECK-NEXT: const u32 t3 = i1 * 2u;
// CHECK-NEXT: const u64 t4 = q >> 32ull;
// CHECK-NEXT: const u32 t5 = q;
// CHECK-NEXT: const u32 t6 = t4;
// CHECK-NEXT: const u32 t7 = t3 + 1u;
// CHECK-NEXT: if (inside1) out[t3] = t5;
// CHECK-NEXT: if (inside1) out[t7] = t6;
// CHECK-NEXT: }
// CHECK:      extern "C" __global__ void __launch_bounds__(8, 1) control(u32* __restrict__ b, u32* __restrict__ s1, const u32* __restrict__ lengths) {
// CHECK-NEXT: const u32 b_words = lengths[0u];
// CHECK-NEXT: const u32 s_words = lengths[1u];
// CHECK-NEXT: __shared__ u32 w1[40];
// CHECK-NEXT: const u32 w_elements = 40u >> 1u;
// CHECK-NEXT: const u32 local_x = (u32)(int)threadIdx.x;
// CHECK-NEXT: #pragma unroll 1
// CHECK-NEXT: for (u32 t = local_x; t < 40u; t += 8u) {
// CHECK-NEXT: w1[t] = 0u;
// CHECK-NEXT: }
// CHECK-NEXT: __syncthreads();
// CHECK-NEXT: const u32 local_x1 = (u32)(int)threadIdx.x;
// CHECK-NEXT: const u32 workgroups_x = (u32)(int)gridDim.x;
// CHECK-NEXT: const bool c = -7 < -7;
// CHECK-NEXT: u32 r;
// CHECK-NEXT: if (c) {
// CHECK-NEXT: r = 0xfffffff9u;
// CHECK-NEXT: }
// CHECK-NEXT: else {
// CHECK-NEXT: const u32 t1 = 0xfffffff9u & 31u;
// CHECK-NEXT: const u32 d = -7 >> (int)t1;
// CHECK-NEXT: r = d;
// CHECK-NEXT: }
// CHECK-NEXT: const bool inside = local_x1 < s_words;
// CHECK-NEXT: const u32 old = inside ? atomicMin((int*)(s1 + local_x1), (int)r) : 0;
// CHECK-NEXT: const bool inside1 = local_x1 < s_words;
// CHECK-NEXT: if (inside1) atomicCAS(s1 + local_x1, old, r);
// CHECK-NEXT: __syncthreads();
// CHECK-NEXT: u32 a = workgroups_x;
// CHECK-NEXT: bool e1 = c;
// CHECK-NEXT: #pragma unroll 1
// CHECK-NEXT: for (u32 j1 = local_x1; j1 < workgroups_x; j1 += 1u) {
// CHECK-NEXT: a = j1;
// CHECK-NEXT: e1 = c;
// CHECK-NEXT: }
// CHECK-NEXT: const u32 t2 = a >> 2u;
// CHECK-NEXT: const bool inside2 = t2 < b_words;
// CHECK-NEXT: const u32 t3 = a & 3u;
// CHECK-NEXT: const u32 t4 = t3 * 8u;
// CHECK-NEXT: const u32 t5 = inside2 ? b[t2] : 0;
// CHECK-NEXT: const u32 t6 = 255u << t4;
// CHECK-NEXT: const u32 t7 = t6 ^ 0xffffffffu;
// CHECK-NEXT: const u32 t8 = workgroups_x & 255u;
// CHECK-NEXT: const u32 t9 = t8 << t4;
// CHECK-NEXT: const u32 t10 = t5 & t7;
// CHECK-NEXT: const u32 t11 = t10 | t9;
// CHECK-NEXT: if (inside2) b[t2] = t11;
// CHECK-NEXT: }

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
