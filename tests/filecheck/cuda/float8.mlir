// RUN: ptir-opt %s -p 'ptir-to-cuda{arch=sm89}' -t cuda | filecheck %s

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

func.func @f(%x: tensor<4x8xf8E4M3FN>, %d: tensor<4x8xf64>) -> tensor<4x8xf8E5M2> {
  %0 = ptir.mul %x, %x : tensor<4x8xf8E4M3FN>
  %1 = ptir.cast %0 : tensor<4x8xf8E4M3FN> -> tensor<4x8xf8E5M2>
  %2 = ptir.cast %d : tensor<4x8xf64> -> tensor<4x8xf8E5M2>
  %3 = ptir.maximum %1, %2 : tensor<4x8xf8E5M2>
  func.return %3 : tensor<4x8xf8E5M2>
}
