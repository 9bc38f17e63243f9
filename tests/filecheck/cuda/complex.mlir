// RUN: ptir-opt %s -p 'ptir-to-cuda{arch=sm80}' -t cuda | filecheck %s

// A struct with operators; functions of complex<f32> are computed in complex<f64>. A vector is of 16 bytes.

// CHECK-LABEL: struct alignas(16) c128 { double re, im; };
// CHECK: DEV c128 operator*(c128 a, c128 b) { return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }
// CHECK-LABEL: struct alignas(8) c64 { float re, im; };
// CHECK: DEV c64 operator*(c64 a, c64 b) { return narrow(wide(a) * wide(b)); }
// CHECK: DEV c128 exp(c128 z) {
// CHECK: DEV c64 exp(c64 z) { return narrow(exp(wide(z))); }

// CHECK-LABEL: __global__
// CHECK-SAME: f_0(const c64* __restrict__ x, const c64* __restrict__ y, c64* __restrict__ out)
// CHECK: __align__(16) c64 x_in[2];
// CHECK: *(vec<c64, 2>*)(x_in + 0) = *(const vec<c64, 2>*)(x + (column1));
// CHECK: const c64 t = x_in[v] * y_in[v];
// CHECK-NEXT: const c64 t1 = exp(t);
// CHECK-NEXT: const c64 t2 = t1 + c64{1.5f, (-2.0f)};
// CHECK-NEXT: const c64 t3 = c64{1.0f, 0.0f} / t2;
// CHECK-NEXT: const bool t4 = t3 != y_in[v];
// CHECK-NEXT: const c64 t5 = t4 ? t3 : y_in[v];
// CHECK-NEXT: out_out[v] = t5;

func.func @f(%x: tensor<4x8xcomplex<f32>>, %y: tensor<4x8xcomplex<f32>>) -> tensor<4x8xcomplex<f32>> {
  %c = ptir.constant dense<(1.5, -2.0)> : tensor<4x8xcomplex<f32>>
  %0 = ptir.mul %x, %y : tensor<4x8xcomplex<f32>>
  %1 = ptir.exp %0 : tensor<4x8xcomplex<f32>>
  %2 = ptir.add %1, %c : tensor<4x8xcomplex<f32>>
  %3 = ptir.reciprocal %2 : tensor<4x8xcomplex<f32>>
  %4 = ptir.compare ne %3, %y : tensor<4x8xcomplex<f32>> -> tensor<4x8xi1>
  %5 = ptir.select %4, %3, %y : tensor<4x8xi1>, tensor<4x8xcomplex<f32>>
  func.return %5 : tensor<4x8xcomplex<f32>>
}
