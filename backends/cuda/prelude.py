"""
The device functions that kernels call, one PTX instruction each where there is one.

`source(names)` gives the text of those and of everything they use, in this order. References are to the PTX
ISA 9.0.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Piece:
    """A declaration and the pieces it uses."""

    text: str
    uses: tuple[str, ...] = ()


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


def _cp_async(bytes: int) -> Piece:
    cache = "cg" if bytes == 16 else "ca"
    return Piece(
        f"""// PTX ISA 9.7.9.25.3: copies `size` bytes and fills the rest of {bytes} with zeros
DEV void cp_async_{bytes}(u32 to, const void* from, u32 size) {{
  asm volatile("cp.async.{cache}.shared.global [%0], [%1], {bytes}, %2;" :: "r"(to), "l"(from), "r"(size) : "memory");
}}"""
    )


def _narrow(dtype: str, to_float: str) -> Piece:
    return Piece(
        f"""struct {dtype} {{ u16 bits; }};
DEV float to_float({dtype} x) {{ float y; asm("{to_float}" : "=f"(y) : "h"(x.bits)); return y; }}
DEV {dtype} to_{dtype}(float x) {{ {dtype} y; asm("cvt.rn.{dtype}.f32 %0, %1;" : "=h"(y.bits) : "f"(x)); return y; }}
DEV float round_{dtype}(float x) {{ return to_float(to_{dtype}(x)); }}"""
    )


PIECES: dict[str, Piece] = {
    "bf16": _narrow("bf16", "{ .reg .b16 z; mov.b16 z, 0; mov.b32 %0, {z, %1}; }"),
    "f16": _narrow("f16", "cvt.f32.f16 %0, %1;"),
    "vec": Piece("template <class T, int N> struct alignas(N * sizeof(T)) vec { T at[N]; };"),
    "shared_address": Piece("DEV u32 shared_address(const void* p) { return (u32)__cvta_generic_to_shared(p); }"),
    "swizzled": Piece(
        """// byte offset in a row-major tile whose 16-byte chunks are permuted by the row: eight rows of one column
// of chunks fall into eight different groups of banks
template <int COLUMNS> DEV u32 swizzled(int row, int column) {
  constexpr int CHUNKS = COLUMNS / 8, MASK = (CHUNKS < 8 ? CHUNKS : 8) - 1, ROWS = CHUNKS < 8 ? 8 / CHUNKS : 1;
  const int chunk = column / 8 ^ (row / ROWS & MASK);
  return (row * COLUMNS + chunk * 8 + column % 8) * 2;
}"""
    ),
    "linear": Piece(
        "template <int COLUMNS> DEV u32 linear(int row, int column) { return (row * COLUMNS + column) * 2; }"
    ),
    "clamp": Piece("DEV int clamp(int x, int low, int high) { return x < low ? low : x > high ? high : x; }"),
    **{f"cp_async_{b}": _cp_async(b) for b in (16, 8, 4)},
    "store_shared_16": Piece(
        """DEV void store_shared_16(u32 to, const u32 (&w)[4]) {
  asm volatile("st.shared.v4.b32 [%0], {%1,%2,%3,%4};" :: "r"(to), "r"(w[0]), "r"(w[1]), "r"(w[2]), "r"(w[3]) : "memory");
}"""
    ),
    "commit_group": Piece('DEV void commit_group() { asm volatile("cp.async.commit_group;" ::: "memory"); }'),
    "wait_group": Piece(
        'template <int PENDING> DEV void wait_group() { asm volatile("cp.async.wait_group %0;" :: "n"(PENDING) : "memory"); }'
    ),
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
    "max_nan": Piece(
        'DEV float max_nan(float a, float b) { float y; asm("max.NaN.f32 %0, %1, %2;" : "=f"(y) : "f"(a), "f"(b)); return y; }'
    ),
    "min_nan": Piece(
        'DEV float min_nan(float a, float b) { float y; asm("min.NaN.f32 %0, %1, %2;" : "=f"(y) : "f"(a), "f"(b)); return y; }'
    ),
}
HEADER = """typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
#define DEV static __device__ __forceinline__
"""


def source(names: Iterable[str]) -> str:
    """The header, then the named pieces and what they use, in the order of the table."""
    wanted: set[str] = set()
    todo = list(names)
    while todo:
        name = todo.pop()
        if name not in wanted:
            wanted.add(name)
            todo += PIECES[name].uses
    return HEADER + "".join(f"\n{piece.text}\n" for name, piece in PIECES.items() if name in wanted)
