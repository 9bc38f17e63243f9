"""Rows at any multiple of their element size: aligned vectors are shifted by elements of the next lane."""

from __future__ import annotations

from .piece import Piece

PIECES: dict[str, Piece] = {
    "realigned": Piece(
        """// the vector that begins at byte `shift` of `a` and continues in `b`; shifts are multiples of BYTES
template <int BYTES, int N> DEV vec<u32, N> realigned(const vec<u32, N>& a, const vec<u32, N>& b, u32 shift) {
  u32 w[2 * N];
  #pragma unroll
  for (int k = 0; k < N; ++k) w[k] = a.at[k], w[N + k] = b.at[k];
  #pragma unroll
  for (int by = N / 2; by * 4 >= BYTES && by > 0; by /= 2) {
    #pragma unroll
    for (int k = 0; k < N + by; ++k) w[k] = shift & by * 4 ? w[k + by] : w[k];
  }
  vec<u32, N> y;
  #pragma unroll
  for (int k = 0; k < N; ++k) y.at[k] = BYTES < 4 ? __funnelshift_r(w[k], w[k + 1], shift * 8) : w[k];
  return y;
}""",
        ("vec",),
    ),
    "next_vector": Piece(
        """// the vector `own` of the next of LANES lanes; the last lane gets `after` of the first one
template <int LANES, int N> DEV vec<u32, N> next_vector(const vec<u32, N>& own, const vec<u32, N>& after) {
  const int lane = threadIdx.x % LANES;
  vec<u32, N> y;
  #pragma unroll
  for (int k = 0; k < N; ++k) y.at[k] = __shfl_sync(0xffffffff, lane == 0 ? after.at[k] : own.at[k], lane + 1, LANES);
  return y;
}""",
        ("vec",),
    ),
    "store_edges": Piece(
        """// stores elements of LANES lanes one by one: the first `heads` of `head` of the first lane to `to`, and the first `tails` of
// `tail` of lane `last` to `end`
template <int LANES, class T, int N>
DEV void store_edges(T* to, const vec<u32, N>& head, int heads, T* end, const vec<u32, N>& tail, int tails, int last) {
  constexpr int EACH = 4 * N / sizeof(T);
  vec<u32, N> of_first, of_last;
  #pragma unroll
  for (int k = 0; k < N; ++k) {
    of_first.at[k] = __shfl_sync(0xffffffff, head.at[k], 0, LANES);
    of_last.at[k] = __shfl_sync(0xffffffff, tail.at[k], last, LANES);
  }
  #pragma unroll
  for (int first = 0; first < 2 * EACH; first += LANES) {
    const int e = first + threadIdx.x % LANES, at = e % EACH;
    const bool at_end = e >= EACH;
    constexpr int WORDS = sizeof(T) > 4 ? sizeof(T) / 4 : 1;
    T y = 0;
    #pragma unroll
    for (int k = 0; k < N; ++k) {
      const u32 w = at_end ? of_last.at[k] : of_first.at[k];
      if (at * (int)sizeof(T) / (4 * WORDS) == k / WORDS) y = k % WORDS ? y | (T)w << k % WORDS * 32 : (T)(w >> at * sizeof(T) % 4 * 8);
    }
    if (at < (at_end ? tails : heads) && e < 2 * EACH) (at_end ? end : to)[at] = y;
  }
}""",
        ("vec",),
    ),
}
