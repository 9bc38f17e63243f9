"""
The functions as CUDA device functions: `cr_exp_bf16(x)` is the value of exp, rounded to bf16, as a float.

The intrinsics are never contracted or flushed, whatever the compiler's options; `__fma_rn` stands only where its result is exact.
"""

from __future__ import annotations

from .functions import FUNCTIONS, POWER, graph, power_graph
from .graph import Graph
from .power import UNCERTAINTY
from .rounding import FORMATS
from .tables import load
from .text import Spelling, body, table

PREFIX = "cr_"
TABLE = f"{PREFIX}table_"
CUDA = Spelling(
    {
        "add": "__dadd_rn({0}, {1})",
        "sub": "__dsub_rn({0}, {1})",
        "mul": "__dmul_rn({0}, {1})",
        "div": "__ddiv_rn({0}, {1})",
        "sqrt": "__dsqrt_rn({0})",
        "product_error": "__fma_rn({0}, {1}, -{2})",
        "bits": "__double_as_longlong({0})",
        "convert": "__ll2double_rn({0})",
    },
    "__longlong_as_double({})",
    TABLE + "{}",
)
INLINE = "DEV"
"""A macro of the prelude, as are `u16` and `u32`."""
CALLED = "static __device__ __noinline__"
ROUND = {
    "f32": f"""{INLINE} float cr_round_f32(double x) {{  // a conversion of NaN gives 0x7fffffff
  return x == x ? __double2float_rn(x) : __int_as_float(0x7fc00000);
}}""",
    "odd": f"""{INLINE} u32 cr_round_odd(double x) {{
  const u32 bits = __float_as_uint(__double2float_rz(x));
  return (double)__uint_as_float(bits) == x ? bits : bits | 1;
}}""",
    "f16": f"""{INLINE} float cr_round_f16(double x) {{
  u16 half;
  float result;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(half) : "f"(__uint_as_float(cr_round_odd(x))));
  asm("cvt.f32.f16 %0, %1;" : "=f"(result) : "h"(half));
  return x == x ? result : __int_as_float(0x7fc00000);
}}""",
    "bf16": f"""{INLINE} float cr_round_bf16(double x) {{
  const u32 bits = cr_round_odd(x);
  return __uint_as_float(x == x ? (bits + 0x7fff + ((bits >> 16) & 1)) & 0xffff0000 : 0x7fc00000);
}}""",
}


def names() -> list[str]:
    """Returns the names of all functions to call."""
    return [f"{PREFIX}{name}_{format}" for name in (*FUNCTIONS, POWER) for format in FORMATS]


def piece(name: str) -> tuple[str, tuple[str, ...]]:
    """Returns the text of a function or a table, and the names of the functions and tables that it uses."""
    word = name.removeprefix(PREFIX)
    kind, _, last = word.rpartition("_")
    if kind == "round":
        return ROUND[last], ("cr_round_odd",) if last in ("f16", "bf16") else ()
    if word.startswith("table_"):
        of = next(t for t in load() if name == TABLE + t.replace(".", "_"))
        return table(of, f"static __device__ const double {name}[{{}}]"), ()
    if kind == "pow" and last in FORMATS:
        return _power(last)
    if kind == "pow_part":
        return _double(
            name, power_graph(last if last != "signs" else "with_signs"), INLINE if last != "accurate" else CALLED
        )
    if last == "odd":
        return _double(name, graph(kind), INLINE)
    text = f"{INLINE} float {name}(float x) {{ return cr_round_{last}(cr_{kind}_odd((double)x)); }}"
    return text, (f"cr_round_{last}", f"cr_{kind}_odd")


def _double(name: str, graph: Graph, qualifiers: str) -> tuple[str, tuple[str, ...]]:
    parameters = ", ".join(f"double {v.immediate}" for v in graph.inputs)
    text = f"{qualifiers} double {name}({parameters}) {{\n{body(graph, CUDA)}\n}}"
    return text, tuple(TABLE + t.replace(".", "_") for t in graph.tables())


def _power(format: str) -> tuple[str, tuple[str, ...]]:
    infinity = CUDA.number.format("0x7ff0000000000000LL")
    round = f"cr_round_{format}"
    low, high = (float(1 + s * UNCERTAINTY).hex() for s in (-1, 1))
    text = f"""{INLINE} float cr_pow_{format}(float a, float b) {{
  const double x = (double)a, y = (double)b, size = fabs(x);
  const bool usual = size > 0.0 && size < {infinity} && fabs(y) < {infinity};
  const double base = usual ? size : 1.0, exponent = usual ? y : 1.0;
  double result = cr_pow_part_fast(base, exponent);
  if ({round}(__dmul_rn(result, {low})) != {round}(__dmul_rn(result, {high})))
    result = cr_pow_part_accurate(base, exponent);
  return {round}(cr_pow_part_signs(x, y, result));
}}"""
    return text, (round, "cr_pow_part_fast", "cr_pow_part_accurate", "cr_pow_part_signs")
