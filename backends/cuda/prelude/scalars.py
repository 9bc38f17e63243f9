"""Element types of memory, vectors of them, and scalar functions."""

from __future__ import annotations

from .piece import Piece


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
    "max_nan": Piece(
        'DEV float max_nan(float a, float b) { float y; asm("max.NaN.f32 %0, %1, %2;" : "=f"(y) : "f"(a), "f"(b)); return y; }'
    ),
    "min_nan": Piece(
        'DEV float min_nan(float a, float b) { float y; asm("min.NaN.f32 %0, %1, %2;" : "=f"(y) : "f"(a), "f"(b)); return y; }'
    ),
}
