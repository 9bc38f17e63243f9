// RUN: ptir-opt %s -p vyre-inline | filecheck %s
// RUN: ptir-opt %s -p vyre-inline,vyre-inline | filecheck %s

// Calls of programs are replaced by bodies, those in ops stay; without calls, a program stays as it is.

// CHECK:      }
// CHECK-NEXT: vyre.op @four_times(%x: !vyre.u32) -> !vyre.u32 {
// CHECK-NEXT: %y = vyre.call @twice(%x) : (!vyre.u32) -> !vyre.u32
// CHECK-NEXT: %z = vyre.call @twice(%y) : (!vyre.u32) -> !vyre.u32
// CHECK-NEXT: vyre.return %z : !vyre.u32
// CHECK-NEXT: }
// CHECK-NEXT: vyre.program @scale workgroup [32, 2, 1] {
// CHECK-NEXT: %in = vyre.buffer "in" binding 0 : !vyre.buffer<u32, read_only>
// CHECK-NEXT: %out = vyre.buffer "out" binding 3 : !vyre.buffer<u64, read_write>
// CHECK-NEXT: %i = vyre.position global x
// CHECK-NEXT: %x = vyre.load %in[%i] : !vyre.buffer<u32, read_only> -> !vyre.u32
// CHECK-NEXT: %y = vyre.binop add %x, %x : !vyre.u32
// CHECK-NEXT: %y_1 = vyre.binop add %y, %y : !vyre.u32
// CHECK-NEXT: %z = vyre.cast %y_1 : !vyre.u32 to !vyre.u64
// CHECK-NEXT: %q = vyre.binop div %z, %z : !vyre.u64
// CHECK-NEXT: vyre.store %q, %out[%i] : !vyre.u64, !vyre.buffer<u64, read_write>
// CHECK-NEXT: vyre.yield
// CHECK-NEXT: }

vyre.op @twice(%x: !vyre.u32) -> !vyre.u32 {
  %y = vyre.binop add %x, %x : !vyre.u32
  vyre.return %y : !vyre.u32
}
vyre.op @four_times(%x: !vyre.u32) -> !vyre.u32 {
  %y = vyre.call @twice(%x) : (!vyre.u32) -> !vyre.u32
  %z = vyre.call @twice(%y) : (!vyre.u32) -> !vyre.u32
  vyre.return %z : !vyre.u32
}
vyre.program @scale workgroup [32, 2, 1] {
  %in = vyre.buffer "in" binding 0 : !vyre.buffer<u32, read_only>
  %out = vyre.buffer "out" binding 3 : !vyre.buffer<u64, read_write>
  %i = vyre.position global x
  %x = vyre.load %in[%i] : !vyre.buffer<u32, read_only> -> !vyre.u32
  %y = vyre.call @four_times(%x) : (!vyre.u32) -> !vyre.u32
  %z = vyre.cast %y : !vyre.u32 to !vyre.u64
  %q = vyre.binop div %z, %z : !vyre.u64
  vyre.store %q, %out[%i] : !vyre.u64, !vyre.buffer<u64, read_write>
}
