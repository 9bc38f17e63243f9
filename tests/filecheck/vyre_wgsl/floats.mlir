// RUN: ptir-opt %s --split-input-file -t vyre-wgsl | filecheck %s

// Floats of WGSL are not strict: a buffer has words, and ops are on the bits.

// CHECK:      @group(0) @binding(0) var<storage, read_write> buf_b_1: array<u32>;
// CHECK:      fn f64_add(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
// CHECK:      fn strict_sub_f32(x: u32, y: u32) -> u32 {
// CHECK-NEXT: return f64_to_f32(strict_sub_f64(f64_from_f32(x), f64_from_f32(y)));
// CHECK:      let y_1 = strict_sub_f32(x_1, one_1);
// CHECK-NEXT: let z_1 = strict_exp_f32(y_1);
// CHECK-NEXT: let c_1 = strict_ne_f32(y_1, z_1) != 0u;
// CHECK-NEXT: let s_1 = select(z_1, y_1, c_1);
// CHECK-NEXT: let n_1 = bitcast<i32>(strict_f32_to_i32(s_1));
// CHECK-NEXT: let f_1 = strict_i32_to_f32(bitcast<u32>(n_1));
vyre.program @p workgroup [1, 1, 1] {
  %b = vyre.buffer "b" binding 0 : !vyre.buffer<!vyre.preview<f32>, read_write>
  %i = vyre.position global x
  %x = vyre.load %b[%i] : !vyre.buffer<!vyre.preview<f32>, read_write> -> !vyre.preview<f32>
  %one = vyre.constant 1065353216 : !vyre.preview<f32>
  %y = vyre.strict fsub %x, %one : !vyre.preview<f32>
  %z = vyre.strict fexp %y : !vyre.preview<f32>
  %c = vyre.compare ne %y, %z : !vyre.preview<f32>
  %s = vyre.select %c, %y, %z : !vyre.preview<f32>
  %n = vyre.cast %s : !vyre.preview<f32> to !vyre.i32
  %f = vyre.cast %n : !vyre.i32 to !vyre.preview<f32>
  vyre.store %f, %b[%i] : !vyre.preview<f32>, !vyre.buffer<!vyre.preview<f32>, read_write>
}
