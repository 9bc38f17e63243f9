// RUN: ptir-opt %s | ptir-opt | filecheck %s
// RUN: ptir-opt %s --print-op-generic | ptir-opt | filecheck %s

// CHECK:      vyre.program @floats workgroup [1, 1, 1] {
// CHECK-NEXT: %b = vyre.buffer "b" binding 0 : !vyre.buffer<!vyre.preview<f32>, read_write>
// CHECK-NEXT: %i = vyre.position global x
// CHECK-NEXT: %x = vyre.load %b[%i] : !vyre.buffer<!vyre.preview<f32>, read_write> -> !vyre.preview<f32>
// CHECK-NEXT: %one = vyre.constant 1065353216 : !vyre.preview<f32>
// CHECK-NEXT: %s = vyre.strict fmuladd %x, %one, %x : !vyre.preview<f32>
// CHECK-NEXT: %a = vyre.approximate fsin %s ulp 4 : !vyre.preview<f32>
// CHECK-NEXT: %c = vyre.compare lt %a, %x : !vyre.preview<f32>
// CHECK-NEXT: %d = vyre.select %c, %a, %x : !vyre.preview<f32>
// CHECK-NEXT: %h = vyre.cast %d : !vyre.preview<f32> to !vyre.preview<bf16>
// CHECK-NEXT: %w = vyre.bitcast %h : !vyre.preview<bf16> to !vyre.u32
// CHECK-NEXT: %k = vyre.bitcast %w : !vyre.u32 to !vyre.preview<f16>
// CHECK-NEXT: %n = vyre.cast %k : !vyre.preview<f16> to !vyre.i32
// CHECK-NEXT: %r = vyre.reduce strict fmin %b[%i] count 65536 : !vyre.buffer<!vyre.preview<f32>, read_write>
// CHECK-NEXT: %t = vyre.reduce tree fadd %b[%w] count 1 : !vyre.buffer<!vyre.preview<f32>, read_write>
// CHECK-NEXT: %p = vyre.dot %b[%i], %b[%w] count 3 steps[0, 4294967295] : !vyre.buffer<!vyre.preview<f32>, read_write>, !vyre.buffer<!vyre.preview<f32>, read_write>
// CHECK-NEXT: vyre.store %p, %b[%i] : !vyre.preview<f32>, !vyre.buffer<!vyre.preview<f32>, read_write>
// CHECK-NEXT: vyre.yield
// CHECK-NEXT: }
vyre.program @floats workgroup [1, 1, 1] {
  %b = vyre.buffer "b" binding 0 : !vyre.buffer<!vyre.preview<f32>, read_write>
  %i = vyre.position global x
  %x = vyre.load %b[%i] : !vyre.buffer<!vyre.preview<f32>, read_write> -> !vyre.preview<f32>
  %one = vyre.constant 0x3F800000 : !vyre.preview<f32>
  %s = vyre.strict fmuladd %x, %one, %x : !vyre.preview<f32>
  %a = vyre.approximate fsin %s ulp 4 : !vyre.preview<f32>
  %c = vyre.compare lt %a, %x : !vyre.preview<f32>
  %d = vyre.select %c, %a, %x : !vyre.preview<f32>
  %h = vyre.cast %d : !vyre.preview<f32> to !vyre.preview<bf16>
  %w = vyre.bitcast %h : !vyre.preview<bf16> to !vyre.u32
  %k = vyre.bitcast %w : !vyre.u32 to !vyre.preview<f16>
  %n = vyre.cast %k : !vyre.preview<f16> to !vyre.i32
  %r = vyre.reduce strict fmin %b[%i] count 65536 : !vyre.buffer<!vyre.preview<f32>, read_write>
  %t = vyre.reduce tree fadd %b[%w] count 1 : !vyre.buffer<!vyre.preview<f32>, read_write>
  %p = vyre.dot %b[%i], %b[%w] count 3 steps[0, 4294967295] : !vyre.buffer<!vyre.preview<f32>, read_write>, !vyre.buffer<!vyre.preview<f32>, read_write>
  vyre.store %p, %b[%i] : !vyre.preview<f32>, !vyre.buffer<!vyre.preview<f32>, read_write>
}
