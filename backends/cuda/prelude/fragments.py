"""Loads of fragments, tensor-core multiplications, exchanges among lanes."""

from __future__ import annotations

from .piece import Piece


def _mma(dtype: str) -> Piece:
    return Piece(
        f"""// PTX ISA 9.7.14.5: d += a * b, 16x8x16, f32 accumulation
DEV void mma_m16n8k16_{dtype}(float (&d)[4], const u32 (&a)[4], u32 b0, u32 b1) {{
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.{dtype}.{dtype}.f32 {{%0,%1,%2,%3}}, {{%4,%5,%6,%7}}, {{%8,%9}}, {{%0,%1,%2,%3}};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}}""",
    )


def _ldmatrix(name: str, modifier: str) -> Piece:
    return Piece(
        f"""// PTX ISA 9.7.14.5.15: four 8x8 matrices of 16-bit elements, one row address a lane
DEV void {name}(u32 (&r)[4], u32 row) {{
  asm volatile("ldmatrix.sync.aligned.m8n8.x4{modifier}.shared.b16 {{%0,%1,%2,%3}}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(row) : "memory");
}}"""
    )


PIECES: dict[str, Piece] = {
    "ldmatrix": _ldmatrix("ldmatrix", ""),
    "ldmatrix_trans": _ldmatrix("ldmatrix_trans", ".trans"),
    "mma_m16n8k16_bf16": _mma("bf16"),
    "mma_m16n8k16_f16": _mma("f16"),
    "quad_transpose": Piece(
        """// transposes four values of each of four lanes: afterwards value s of lane t is what lane s had as value t
DEV void quad_transpose(float (&e)[4]) {
  #pragma unroll
  for (int step = 1; step < 4; step *= 2) {
    const bool high = threadIdx.x & step;
    #pragma unroll
    for (int s = 0; s < 4; ++s) {
      if (s & step) continue;
      float x = high ? e[s] : e[s + step];
      asm volatile("shfl.sync.bfly.b32 %0, %0, %1, 0x1f, 0xffffffff;" : "+f"(x) : "r"(step));  // PTX ISA 9.7.9.6
      if (high) e[s] = x; else e[s + step] = x;
    }
  }
}"""
    ),
}
