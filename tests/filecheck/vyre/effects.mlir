// RUN: ptir-opt %s -p dce,cse | filecheck %s

// What has no use goes, unless it writes; equal pure ops become one; a load after a store is another.

// CHECK:      vyre.program @p workgroup [1, 1, 1] {
// CHECK-NEXT:   %a = vyre.buffer
// CHECK-NEXT:   %b = vyre.buffer
// CHECK-NEXT:   %f = vyre.buffer
// CHECK-NEXT:   %x = vyre.position global x
// CHECK-NEXT:   vyre.store %x, %a[%x]
// CHECK-NEXT:   vyre.store_word %x, %b[%x]
// CHECK-NEXT:   {{%.*}} = vyre.atomic add %a[%x], %x
// CHECK-NEXT:   {{%.*}} = vyre.compare_exchange %a[%x], %x, %x
// CHECK-NEXT:   vyre.barrier
// CHECK-NEXT:   %c = vyre.compare eq %x, %x : !vyre.u32
// CHECK-NEXT:   vyre.if %c {
// CHECK-NEXT:     vyre.store %x, %a[%x]
// CHECK-NEXT:     vyre.yield
// CHECK-NEXT:   }
// CHECK-NEXT:   vyre.for %i = %x to %x {
// CHECK-NEXT:     vyre.store %i, %a[%i]
// CHECK-NEXT:   }
// CHECK-NEXT:   %s = vyre.binop add %x, %x : !vyre.u32
// CHECK-NEXT:   vyre.store %s, %a[%s]
// CHECK-NEXT:   vyre.store %s, %a[%s]
// CHECK-NEXT:   %w = vyre.load %a[%x]
// CHECK-NEXT:   vyre.store %w, %a[%s]
// CHECK-NEXT:   %v = vyre.load %a[%x]
// CHECK-NEXT:   vyre.store %v, %a[%s]
// CHECK-NEXT:   %e = vyre.load_word %b[%x]
// CHECK-NEXT:   vyre.store %e, %a[%s]
// CHECK-NEXT:   vyre.yield
// CHECK-NEXT: }
vyre.program @p workgroup [1, 1, 1] {
  %a = vyre.buffer "a" binding 0 : !vyre.buffer<u32, read_write>
  %b = vyre.buffer "b" binding 1 : !vyre.buffer<bytes, read_write>
  %f = vyre.buffer "f" binding 2 : !vyre.buffer<!vyre.preview<f32>, read_only>
  %x = vyre.position global x
  %n = vyre.buf_len %a : !vyre.buffer<u32, read_write>
  %k = vyre.constant 3 : !vyre.u32
  %l = vyre.load %a[%x] : !vyre.buffer<u32, read_write> -> !vyre.u32
  %lw = vyre.load_word %b[%x] : !vyre.buffer<bytes, read_write>
  %g = vyre.bitcast %x : !vyre.u32 to !vyre.preview<f32>
  %h = vyre.strict fneg %g : !vyre.preview<f32>
  %ap = vyre.approximate fexp %h ulp 2 : !vyre.preview<f32>
  %r = vyre.reduce tree fadd %f[%x] count 3 : !vyre.buffer<!vyre.preview<f32>, read_only>
  %d = vyre.dot %f[%x], %f[%x] count 3 steps[1, 1] : !vyre.buffer<!vyre.preview<f32>, read_only>, !vyre.buffer<!vyre.preview<f32>, read_only>
  %ve = vyre.vector %x, %x : !vyre.vec2u32
  %ex = vyre.extract %ve[0] : !vyre.vec2u32
  %ca = vyre.cast %x : !vyre.u32 to !vyre.u64
  %un = vyre.unop not %x : !vyre.u32
  %unused = vyre.compare ne %x, %x : !vyre.u32
  %se = vyre.select %unused, %x, %x : !vyre.u32
  vyre.store %x, %a[%x] : !vyre.u32, !vyre.buffer<u32, read_write>
  vyre.store_word %x, %b[%x] : !vyre.buffer<bytes, read_write>
  %at = vyre.atomic add %a[%x], %x : !vyre.buffer<u32, read_write>, !vyre.u32 -> !vyre.u32
  %ce = vyre.compare_exchange %a[%x], %x, %x : !vyre.buffer<u32, read_write>, !vyre.u32, !vyre.u32 -> !vyre.u32
  vyre.barrier
  %c = vyre.compare eq %x, %x : !vyre.u32
  vyre.if %c {
    vyre.store %x, %a[%x] : !vyre.u32, !vyre.buffer<u32, read_write>
  }
  vyre.if %c {
    %z = vyre.load %a[%x] : !vyre.buffer<u32, read_write> -> !vyre.u32
  }
  vyre.for %i = %x to %x {
    vyre.store %i, %a[%i] : !vyre.u32, !vyre.buffer<u32, read_write>
  }
  vyre.for %i = %x to %x {
    %z = vyre.load %a[%i] : !vyre.buffer<u32, read_write> -> !vyre.u32
  }
  %s = vyre.binop add %x, %x : !vyre.u32
  %t = vyre.binop add %x, %x : !vyre.u32
  vyre.store %s, %a[%s] : !vyre.u32, !vyre.buffer<u32, read_write>
  vyre.store %t, %a[%t] : !vyre.u32, !vyre.buffer<u32, read_write>
  %w = vyre.load %a[%x] : !vyre.buffer<u32, read_write> -> !vyre.u32
  vyre.store %w, %a[%s] : !vyre.u32, !vyre.buffer<u32, read_write>
  %v = vyre.load %a[%x] : !vyre.buffer<u32, read_write> -> !vyre.u32
  vyre.store %v, %a[%s] : !vyre.u32, !vyre.buffer<u32, read_write>
  %e = vyre.load_word %b[%x] : !vyre.buffer<bytes, read_write>
  vyre.store %e, %a[%s] : !vyre.u32, !vyre.buffer<u32, read_write>
}
