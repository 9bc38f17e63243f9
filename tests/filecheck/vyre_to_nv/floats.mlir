// RUN: ptir-opt %s -p vyre-to-nv | filecheck %s
// RUN: ptir-opt %s -p vyre-to-nv -t cuda | filecheck %s --check-prefix CUDA

// A float is its bits: an op is one on words, a comparison gives 0 or 1, a reduction a loop.

// CHECK:      %y = nv.float_word fma_f32 %x, %x, %x
// CHECK-NEXT: %z = nv.float_word sin_f32 %y
// CHECK-NEXT: %t_{{.*}} = nv.float_word ge_f32 %y, %z
// CHECK-NEXT: %t_{{.*}} = arith.constant 0 : i32
// CHECK-NEXT: %c = arith.cmpi ne
// CHECK-NEXT: %s = arith.select %c, %y, %z : i32
// CHECK-NEXT: %h = nv.float_word f32_to_bf16 %s
// CHECK-NEXT: %t_{{.*}} = arith.constant 65535 : i32
// CHECK-NEXT: %k = arith.andi %h, %t_{{.*}} : i32
// CHECK-NEXT: %n = nv.float_word f16_to_i32 %k
// CHECK:      scf.for
// CHECK:      nv.float_word add_f32

// CUDA:       DEV float cr_canonical(float x) {
// CUDA:       DEV float cr_fma_f32(float x, float y, float z) { return cr_canonical(__fmaf_rn(x, y, z)); }
// CUDA:       DEV u32 crw_ge_f32(u32 x, u32 y) { return cr_value_f32(x) >= cr_value_f32(y); }
// CUDA:       const u32 y = crw_fma_f32(x, x, x);
vyre.program @p workgroup [1, 1, 1] {
  %b = vyre.buffer "b" binding 0 : !vyre.buffer<!vyre.preview<f32>, read_write>
  %i = vyre.position global x
  %x = vyre.load %b[%i] : !vyre.buffer<!vyre.preview<f32>, read_write> -> !vyre.preview<f32>
  %y = vyre.strict fmuladd %x, %x, %x : !vyre.preview<f32>
  %z = vyre.approximate fsin %y ulp 2 : !vyre.preview<f32>
  %c = vyre.compare ge %y, %z : !vyre.preview<f32>
  %s = vyre.select %c, %y, %z : !vyre.preview<f32>
  %h = vyre.cast %s : !vyre.preview<f32> to !vyre.preview<bf16>
  %w = vyre.bitcast %h : !vyre.preview<bf16> to !vyre.u32
  %k = vyre.bitcast %w : !vyre.u32 to !vyre.preview<f16>
  %n = vyre.cast %k : !vyre.preview<f16> to !vyre.i32
  %m = vyre.cast %n : !vyre.i32 to !vyre.u32
  %r = vyre.reduce strict fadd %b[%m] count 3 : !vyre.buffer<!vyre.preview<f32>, read_write>
  vyre.store %r, %b[%i] : !vyre.preview<f32>, !vyre.buffer<!vyre.preview<f32>, read_write>
}
