"""
Correctly rounded quotients of many floats by one divisor.

With `r` the rounded reciprocal of `b` and `q` the rounded product `a * r`, the residual `b * q - a` is exact, and `q` less the
residual times `r`, rounded once, is the rounded quotient `a / b` (Markstein 1990). That holds for all significands
(`tests/unit/backends/test_row_quotients.py` tries those whose quotients are nearly midpoints of two floats), if no intermediate result
overflows and the residual is no fraction of the smallest float: `b` and its reciprocal are normal, `|a|` is at least 2^-100, and
the quotient is normal. A quotient is NaN if the product overflows, or if the reciprocal is replaced by NaN. Zeros keep
their sign, as the residual is subtracted, if `b` is positive.
"""

from __future__ import annotations

from .piece import Piece

RECIPROCAL = """DEV float row_reciprocal(float b) {  // NaN if quotients by b need divisions
  return b >= 0x1p-126f && b <= 0x1p126f ? 1.0f / b : __int_as_float(0x7fffffff);
}"""
ONE_BY_ONE = """template <int N> static __device__ __noinline__ void divide_one_by_one(float* x, float b) {
  #pragma unroll 1
  for (int v = 0; v < N; ++v) if (x[v] != 0.0f || !(b > 0.0f)) x[v] /= b;
}"""
DIVIDE = """// a / b, correctly rounded (Markstein 1990); r is the reciprocal of b
template <int N> DEV void divide_by(float* q, const float* a, float b, float r) {
  float least = 0x1p127f;
  #pragma unroll
  for (int v = 0; v < N; ++v) {
    const float product = __fmul_rn(a[v], r);
    q[v] = __fmaf_rn(-__fmaf_rn(b, product, -a[v]), r, product);
    least = min_nan(least, fabsf(q[v]));
  }
  if (least >= fmaxf(0x1p-100f * r, 0x1p-125f)) return;
  u32 bits = 0;
  #pragma unroll
  for (int v = 0; v < N; ++v) bits |= __float_as_uint(a[v]);
  if (least == 0.0f && bits << 1 == 0) return;  // all are zero
  __align__(16) float x[N];
  #pragma unroll
  for (int v = 0; v < N; ++v) x[v] = a[v];
  divide_one_by_one<N>(x, b);
  #pragma unroll
  for (int v = 0; v < N; ++v) q[v] = x[v];
}"""
PIECES: dict[str, Piece] = {
    "row_reciprocal": Piece(RECIPROCAL),
    "divide_one_by_one": Piece(ONE_BY_ONE),
    "divide_by": Piece(DIVIDE, ("min_nan", "divide_one_by_one")),
}
