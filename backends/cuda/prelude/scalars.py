"""Storage types, vectors of them, and scalar functions."""

from __future__ import annotations

from .piece import Piece

ROUND_BF16 = """DEV float round_bf16(float x) {  // one cvt: the upper half of a bf16x2 is already the float's bits
  u32 y;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(y) : "f"(x), "f"(0.0f));
  return __uint_as_float(y);
}"""


def _narrow(dtype: str, bits: str, to_float: str, from_float: str, round: str) -> dict[str, Piece]:
    """Returns a storage type and its conversions, one piece each; `to_float` is overloaded."""
    return {
        dtype: Piece(f"struct {dtype} {{ {bits} bits; }};"),
        f"to_float {dtype}": Piece(to_float, (dtype,)),
        f"to_{dtype}": Piece(from_float, (dtype,)),
        f"round_{dtype}": Piece(round, () if round == ROUND_BF16 else (f"to_float {dtype}", f"to_{dtype}")),
    }


def _half(dtype: str, to_float: str, round: str) -> dict[str, Piece]:
    return _narrow(
        dtype,
        "u16",
        f"""DEV float to_float({dtype} x) {{ float y; asm("{to_float}" : "=f"(y) : "h"(x.bits)); return y; }}""",
        f"""DEV {dtype} to_{dtype}(float x) {{ {dtype} y; asm("cvt.rn.{dtype}.f32 %0, %1;" : "=h"(y.bits) : "f"(x)); return y; }}""",
        round,
    )


def _fp8(dtype: str, largest: str, overflow: str) -> dict[str, Piece]:
    """
    Returns an fp8 type and its conversions. `overflow` is the condition under which |x| rounds to more than `largest`; the
    result's bits are then those of `largest` plus one.
    """
    return _narrow(
        dtype,
        "u8",
        f"""// PTX ISA 9.7.9.21, sm_89 and up
DEV float to_float({dtype} x) {{
  u32 halves;
  asm("cvt.rn.f16x2.{dtype}x2 %0, %1;" : "=r"(halves) : "h"((u16)x.bits));
  float y;
  asm("cvt.f32.f16 %0, %1;" : "=f"(y) : "h"((u16)halves));
  return y;
}}""",
        f"""// PTX ISA 9.7.9.21, sm_89 and up: cvt stops at {largest}; after it comes {"NaN" if dtype == "e4m3" else "infinity"}
DEV {dtype} to_{dtype}(float x) {{
  u16 pair;
  asm("cvt.rn.satfinite.{dtype}x2.f32 %0, %1, %2;" : "=h"(pair) : "f"(0.0f), "f"(x));
  return {{(u8)(pair + (fabsf(x) {overflow}))}};
}}""",
        f"DEV float round_{dtype}(float x) {{ return to_float(to_{dtype}(x)); }}",
    )


def _software_fp8(dtype: str, to_float: str, fraction: int, bias: int, code: str) -> dict[str, Piece]:
    """
    Returns fp8 conversions in integer arithmetic. A result that is subnormal is rounded by adding a float whose last bit
    has the value of the smallest `dtype`; otherwise the carry of the rounding goes into the exponent. `code` is the C
    expression of the result without its sign.
    """
    shift, least = 23 - fraction, f"{2.0 ** (24 - bias - fraction)}f"
    return {
        f"to_float {dtype}": Piece(f"""DEV float to_float({dtype} x) {{
  float y;
  {to_float}
}}""", (dtype,)),
        f"to_{dtype}": Piece(f"""DEV {dtype} to_{dtype}(float x) {{  // to nearest even
  const u32 size = __float_as_uint(fabsf(x)), sign = __float_as_uint(x) >> 24 & 0x80;
  const u32 subnormal = __float_as_uint(fabsf(x) + {least}) - __float_as_uint({least});
  const u32 normal = (size + 0x{(1 << shift - 1) - 1:x} + (size >> {shift} & 1) >> {shift}) - 0x{127 - bias << fraction:x};
  const u32 code = size < 0x{128 - bias << 23:x} ? subnormal : normal;
  return {{(u8)(sign | {code})}};
}}""", (dtype,)),
    }  # fmt: skip


def _extreme_f64(name: str) -> Piece:
    """`max.f64` has no `.NaN` modifier: it drops a NaN operand, which must be propagated instead."""
    return Piece(
        f"""// PTX ISA 9.7.3.{11 if name == "min" else 12}
DEV double {name}_nan_f64(double a, double b) {{
  double y;
  asm("{name}.f64 %0, %1, %2;" : "=d"(y) : "d"(a), "d"(b));
  return a == a && b == b ? y : a + b;
}}"""
    )


POWUI = """DEV u64 powui(u64 base, u64 exponent) {  // modulo 2^64
  u64 power = 1;
  for (; exponent; exponent >>= 1, base *= base) if (exponent & 1) power *= base;
  return power;
}"""
POWSI = """DEV u64 powsi(long long base, long long exponent) {  // 0 for negative exponents, but for the bases 1 and -1
  return exponent >= 0 || base == 1 || base == -1 ? powui(base, exponent) : 0;
}"""


def _by_magnitudes(name: str, operator: str, is_negative: str) -> Piece:
    """Returns a total function of signed integers that divides their magnitudes; unlike C's operator, it wraps."""
    overloads = [
        f"""DEV {word} {name}({signed} a, {signed} b) {{  // a zero divisor counts as 1
  const {word} x = a < 0 ? -({word})a : a, y = b < 0 ? -({word})b : b, z = x {operator} (y ? y : 1);
  return {is_negative} < 0 ? -z : z;
}}"""
        for word, signed in (("u32", "int"), ("u64", "long long"))
    ]
    return Piece("\n".join(overloads), ("u64",))


ODD = """// rounding to odd (Boldo and Melquiond 2008): the last bit of an inexact result is set, so that rounding the float again
// to 16 or 8 bits gives the correctly rounded x
"""


def _odd_float(ctype: str, ptx: str, register: str) -> str:
    return f"""DEV float odd_float({ctype} x) {{
  float y;
  asm("cvt.rz.f32.{ptx} %0, %1;" : "=f"(y) : "{register}"(x));
  return ({ctype})y == x ? y : __uint_as_float(__float_as_uint(y) | 1);
}}"""


PIECES: dict[str, Piece] = {
    "u64": Piece("typedef unsigned long long u64;"),
    **_half("bf16", "{ .reg .b16 z; mov.b16 z, 0; mov.b32 %0, {z, %1}; }", ROUND_BF16),
    **_half("f16", "cvt.f32.f16 %0, %1;", "DEV float round_f16(float x) { return to_float(to_f16(x)); }"),
    **_fp8("e4m3", "448", "> 464.0f"),
    **_fp8("e5m2", "57344", ">= 61440.0f"),
    "floord": Piece(
        "template <class T> DEV T floord(T n, int d) { return n / d - (n % d < 0); }  // floor division by a positive d"
    ),
    "vec": Piece("template <class T, int N> struct alignas(N * sizeof(T)) vec { T at[N]; };"),
    "max_nan": Piece(
        'DEV float max_nan(float a, float b) { float y; asm("max.NaN.f32 %0, %1, %2;" : "=f"(y) : "f"(a), "f"(b)); return y; }'
    ),
    "min_nan": Piece(
        'DEV float min_nan(float a, float b) { float y; asm("min.NaN.f32 %0, %1, %2;" : "=f"(y) : "f"(a), "f"(b)); return y; }'
    ),
    "halves": Piece(
        """DEV u32 halves(float a, float b) {  // two bf16 that are held as floats: ptxas finds the word from which they come
  u32 y;
  asm("{ .reg .b16 z, x, w; mov.b32 {z, x}, %1; mov.b32 {z, w}, %2; mov.b32 %0, {x, w}; }" : "=r"(y) : "f"(a), "f"(b));
  return y;
}"""
    ),
    **{
        f"{fn}_nan_bf16x2": Piece(
            f'DEV u32 {fn}_nan_bf16x2(u32 a, u32 b) {{ u32 y; asm("{fn}.NaN.bf16x2 %0, %1, %2;" : "=r"(y) : "r"(a), "r"(b)); return y; }}'
        )
        for fn in ("max", "min")
    },
    "exp2_ftz": Piece(
        'DEV float exp2_ftz(float x) { float y; asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x)); return y; }'
    ),
    "max_nan_f64": _extreme_f64("max"),
    "min_nan_f64": _extreme_f64("min"),
    "powui": Piece(POWUI, ("u64",)),
    "powsi": Piece(POWSI, ("u64", "powui")),
    "divsi": _by_magnitudes("divsi", "/", "(a ^ b)"),
    "remsi": _by_magnitudes("remsi", "%", "a"),
    **{
        f"odd_float {ctype}": Piece(ODD + _odd_float(ctype, ptx, register), ("u64",) if ctype == "u64" else ())
        for ctype, ptx, register in (
            ("double", "f64", "d"),
            ("int", "s32", "r"),
            ("u32", "u32", "r"),
            ("long long", "s64", "l"),
            ("u64", "u64", "l"),
        )
    },
}
WITHOUT_FLOAT8_CVT: dict[str, Piece] = {
    **_software_fp8(
        "e4m3",
        """asm("cvt.f32.f16 %0, %1;" : "=f"(y) : "h"((u16)((x.bits & 0x80) << 8 | (x.bits & 0x7f) << 7)));
  return (x.bits & 0x7f) == 0x7f ? __int_as_float(0x7fffffff) : y * 256.0f;  // the bias of f16 is larger by 8""",
        fraction=3,
        bias=7,
        code="min(code, 0x7fu)",
    ),
    **_software_fp8(
        "e5m2",
        """asm("cvt.f32.f16 %0, %1;" : "=f"(y) : "h"((u16)(x.bits << 8)));  // the upper half of an f16
  return y;""",
        fraction=2,
        bias=15,
        code="(x != x ? 0x7f : min(code, 0x7cu))",
    ),
}
"""The conversions that replace those of `PIECES` on architectures without `cvt` for fp8."""
