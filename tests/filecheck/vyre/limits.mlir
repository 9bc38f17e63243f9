// RUN: ptir-opt %s | filecheck %s

// What is just inside of the limits is accepted.

// CHECK: vyre.program @numbers workgroup [1024, 1, 1]
vyre.program @numbers workgroup [1024, 1, 1] {
  %a = vyre.buffer "a" binding 0 count 2147483647 : !vyre.buffer<u32, read_only>
  %b = vyre.buffer "b" binding 65535 count 1 : !vyre.buffer<u32, read_write>
  %c = vyre.buffer "c" binding 1 count 4096 : !vyre.buffer<vec4u32, uniform>
  %d = vyre.buffer "d" binding 2 count 16384 : !vyre.buffer<bytes, uniform>
  %e = vyre.buffer "d" count 1 : !vyre.buffer<bool, workgroup>
  %f = vyre.buffer "d" count 1 : !vyre.buffer<bool, workgroup>
  %0 = vyre.constant 0 : !vyre.u32
  %1 = vyre.constant 4294967295 : !vyre.u32
  %2 = vyre.constant -2147483648 : !vyre.i32
  %3 = vyre.constant 2147483647 : !vyre.i32
  %4 = vyre.constant 0 : !vyre.u64
  %5 = vyre.constant 18446744073709551615 : !vyre.u64
  %6 = vyre.constant false : !vyre.bool
  %v = vyre.vector %0, %1, %0, %1 : !vyre.vec4u32
  %7 = vyre.extract %v[0] : !vyre.vec4u32
  %8 = vyre.extract %v[3] : !vyre.vec4u32
  %w = vyre.vector %0, %1 : !vyre.vec2u32
  %9 = vyre.extract %w[0] : !vyre.vec2u32
}

// CHECK: vyre.program @sizes workgroup [1, 1024, 1]
vyre.program @sizes workgroup [1, 1024, 1] {
  vyre.yield
}

// CHECK: vyre.program @deep workgroup [1, 16, 64]
vyre.program @deep workgroup [1, 16, 64] convention <v2, lookup_binding = 3> {
  %in = vyre.buffer "in" binding 0 : !vyre.buffer<u32, read_only>
  %out = vyre.buffer "out" binding 1 : !vyre.buffer<u32, read_write>
  %params = vyre.buffer "params" binding 2 count 1 : !vyre.buffer<u32, uniform>
  %table = vyre.buffer "table" binding 3 : !vyre.buffer<u32, read_only>
}

// CHECK: "test.op"() {t = !vyre.preview_tensor<u64, [0, 4294967295, n], [4294967295, 0, 1]>}
"test.op"() {t = !vyre.preview_tensor<u64, [0, 4294967295, n], [4294967295, 0, 1]>} : () -> ()
// CHECK: "test.op"() {t = !vyre.preview_tensor<bf16, []>}
"test.op"() {t = !vyre.preview_tensor<bf16, []>} : () -> ()
// CHECK: "test.op"() {s = #vyre.signature<(bytes, !vyre.preview<u128>) -> vec2u32>, c = #vyre.convention<v1>}
"test.op"() {s = #vyre.signature<(bytes, !vyre.preview<u128>) -> vec2u32>, c = #vyre.convention<v1>} : () -> ()
