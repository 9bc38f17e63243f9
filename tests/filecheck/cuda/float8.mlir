// RUN: ptir-opt %s -p 'ptir-to-cuda{arch=sm89}' -t cuda | filecheck %s
// RUN: ptir-opt %s -p 'ptir-to-cuda{arch=sm80}' -t cuda | filecheck %s --check-prefix SOFTWARE

// cvt saturates; a number beyond the largest gets the bits after it, which are NaN in E4M3 and infinity in E5M2.

// CHECK-LABEL: struct e4m3 { u8 bits; };
// CHECK: asm("cvt.rn.f16x2.e4m3x2 %0, %1;"
// CHECK: asm("cvt.f32.f16 %0, %1;"
// CHECK: asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(pair) : "f"(0.0f), "f"(x));
// CHECK-NEXT: return {(u8)(pair + (fabsf(x) > 464.0f))};
// CHECK-LABEL: struct e5m2 { u8 bits; };
// CHECK: return {(u8)(pair + (fabsf(x) >= 61440.0f))};

// CHECK-LABEL: __global__
// CHECK-SAME: f_0(const e4m3* __restrict__ x, const double* __restrict__ d, e5m2* __restrict__ out)
// CHECK: *(vec<e4m3, [[V:[0-9]+]]>*)(x_in + 0) = *(const vec<e4m3, [[V]]>*)(x
// CHECK: const float t = round_e4m3(to_float(x_in[v]) * to_float(x_in[v]));
// CHECK-NEXT: const float t1 = t;
// CHECK-NEXT: const float t2 = round_e5m2(t1);
// CHECK-NEXT: const float t3 = round_e5m2(odd_float(d_in[v]));
// CHECK-NEXT: const float t4 = max_nan(t2, t3);
// CHECK-NEXT: out_out[v] = to_e5m2(t4);
// CHECK: *(vec<e5m2, [[V]]>*)(out

// Where there is no cvt, floats are rounded as integers.

// SOFTWARE-LABEL: DEV float to_float(e4m3 x) {
// SOFTWARE: return (x.bits & 0x7f) == 0x7f ? __int_as_float(0x7fffffff) : y * 256.0f;
// SOFTWARE-LABEL: DEV e4m3 to_e4m3(float x) {
// SOFTWARE-NEXT: const u32 size = __float_as_uint(fabsf(x)), sign = __float_as_uint(x) >> 24 & 0x80;
// SOFTWARE-NEXT: const u32 subnormal = __float_as_uint(fabsf(x) + 16384.0f) - __float_as_uint(16384.0f);
// SOFTWARE-NEXT: const u32 normal = (size + 0x7ffff + (size >> 20 & 1) >> 20) - 0x3c0;
// SOFTWARE-NEXT: const u32 code = size < 0x3c800000 ? subnormal : normal;
// SOFTWARE-NEXT: return {(u8)(sign | min(code, 0x7fu))};
// SOFTWARE-LABEL: DEV e5m2 to_e5m2(float x) {
// SOFTWARE: return {(u8)(sign | (x != x ? 0x7f : min(code, 0x7cu)))};
// SOFTWARE-LABEL: __global__
// SOFTWARE: const float t = round_e4m3(to_float(x_in[v]) * to_float(x_in[v]));

func.func @f(%x: tensor<4x8xf8E4M3FN>, %d: tensor<4x8xf64>) -> tensor<4x8xf8E5M2> {
  %0 = ptir.mul %x, %x : tensor<4x8xf8E4M3FN>
  %1 = ptir.cast %0 : tensor<4x8xf8E4M3FN> -> tensor<4x8xf8E5M2>
  %2 = ptir.cast %d : tensor<4x8xf64> -> tensor<4x8xf8E5M2>
  %3 = ptir.maximum %1, %2 : tensor<4x8xf8E5M2>
  func.return %3 : tensor<4x8xf8E5M2>
}
