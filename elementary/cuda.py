"""
The functions as CUDA device functions: `cr_exp_bf16(x)` is the value of exp, rounded to bf16, as a float.

The intrinsics are never contracted or flushed, whatever the compiler's options; `__fma_rn` stands only where its result is exact.
"""

from __future__ import annotations

from .functions import OPERANDS, POWER, graph, power_graph
from .graph import Graph
from .power import UNCERTAINTY
from .rounding import FORMATS
from .tables import load
from .text import C_BOOLEAN, C_INTEGER, INFIX_FORMS, Spelling, body, c_literal, c_table, table_name

PREFIX = "cr_"
TABLE = f"{PREFIX}table_"
OF_BITS = "__longlong_as_double({})"
CUDA = Spelling(
    {
        "f64": INFIX_FORMS
        | {
            "add": "__dadd_rn({0}, {1})",
            "sub": "__dsub_rn({0}, {1})",
            "mul": "__dmul_rn({0}, {1})",
            "div": "__ddiv_rn({0}, {1})",
            "neg": "-{0}",
            "sqrt": "__dsqrt_rn({0})",
            "product_error": "__fma_rn({0}, {1}, -{2})",
            "bits": "__double_as_longlong({0})",
        },
        "i64": C_INTEGER
        | {"convert": "__ll2double_rn({0})", "number": OF_BITS.format("{0}"), "lookup": "{0}[(int){1}]"},
        "i1": C_BOOLEAN | {"select": "{0} ? {1} : {2}", "eq": "{0} == {1}"},
    },
    "const {0} {1} = {2};",
    lambda number: c_literal(number, OF_BITS),
    TABLE,
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


NATIVE = {
    **{f"{op}_f32": f"__f{op}_rn(x, y)" for op in ("add", "sub", "mul", "div")},
    "sqrt_f32": "__fsqrt_rn(x)",
    "fma_f32": "__fmaf_rn(x, y, z)",
}
"""Operations that CUDA has. Their NaN has other bits."""
CANONICAL = f"""{INLINE} float cr_canonical(float x) {{
  return x == x ? x : __int_as_float(0x7fc00000);
}}"""
WORDS = {
    "value_f32": ("float", "u32 x", "return __uint_as_float(x);"),
    "value_bf16": ("float", "u32 x", "return __uint_as_float(x << 16);"),
    "value_f16": ("float", "u32 x", 'float y; asm("cvt.f32.f16 %0, %1;" : "=f"(y) : "h"((u16)x)); return y;'),
    "word_f32": ("u32", "float x", "return __float_as_uint(x);"),
    "word_bf16": ("u32", "float x", "return __float_as_uint(x) >> 16;"),
    "word_f16": (
        "u32",
        "float x",
        'u16 y; asm("cvt.rn.f16.f32 %0, %1;" : "=h"(y) : "f"(x)); return x == x ? y : 0x7e00;',
    ),
}
"""Between the bits of a number of a format and its value as a float: type, parameter and body."""


def names() -> list[str]:
    """Returns the names of all functions to call."""
    return [f"{PREFIX}{name}_{format}" for name in OPERANDS for format in FORMATS]


def piece(name: str) -> tuple[str, tuple[str, ...]]:
    """Returns the text of a function or a table, and the names of the functions and tables that it uses."""
    word = name.removeprefix(PREFIX)
    kind, _, last = word.rpartition("_")
    if word == "canonical":
        return CANONICAL, ()
    if kind == "round":
        return ROUND[last], ("cr_round_odd",) if last in ("f16", "bf16") else ()
    if word in WORDS:
        result, parameter, text = WORDS[word]
        return f"{INLINE} {result} {name}({parameter}) {{ {text} }}", ()
    if word.startswith("table_"):
        of = next(t for t in load() if name == table_name(t, CUDA))
        return c_table(of, f"static __device__ const double {name}[{{}}]"), ()
    if kind == "pow_part":
        part = "with_signs" if last == "signs" else last
        return _double(name, power_graph(part), CALLED if last == "accurate" else INLINE)
    if last == "odd":
        return _double(name, graph(kind), INLINE)
    if kind == POWER:
        return _power(last)
    parameters = "xyz"[: OPERANDS[kind]]
    if word in NATIVE:
        call, uses = f"cr_canonical({NATIVE[word]})", ("cr_canonical",)
    else:
        arguments = ", ".join(f"(double){x}" for x in parameters)
        call, uses = f"cr_round_{last}(cr_{kind}_odd({arguments}))", (f"cr_round_{last}", f"cr_{kind}_odd")
    return f"{INLINE} float {name}({', '.join(f'float {x}' for x in parameters)}) {{ return {call}; }}", uses


def _double(name: str, graph: Graph, qualifiers: str) -> tuple[str, tuple[str, ...]]:
    parameters = ", ".join(f"double {v.immediate}" for v in graph.inputs)
    text = f"{qualifiers} double {name}({parameters}) {{\n{body(graph, CUDA)}\n}}"
    return text, tuple(table_name(t, CUDA) for t in graph.tables())


def _power(format: str) -> tuple[str, tuple[str, ...]]:
    infinity = OF_BITS.format("0x7ff0000000000000LL")
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
