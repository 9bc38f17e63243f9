"""Scalar ops, types and constants in CUDA C++: tables of expressions, and literals that preserve every bit."""

from __future__ import annotations

import re
from collections.abc import Mapping
from math import inf, isinf, isnan

import numpy as np
from xdsl.dialects import arith, complex, math
from xdsl.dialects.builtin import (
    BFloat16Type,
    Float8E4M3FNType,
    Float8E5M2Type,
    Float16Type,
    Float32Type,
    Float64Type,
    FloatAttr,
    IntegerType,
)
from xdsl.ir import Attribute, Operation
from xdsl.utils.hints import isa

from ...dialects import nv

Table = Mapping[type[Operation], str]
"""The C expressions of ops as format strings; `{0}`, `{1}`, … stand for the operands."""
CTYPES: dict[type[Attribute], str] = {
    Float64Type: "double",
    Float32Type: "float",
    BFloat16Type: "bf16",
    Float16Type: "f16",
    Float8E4M3FNType: "e4m3",
    Float8E5M2Type: "e5m2",
}
COMPLEX_TYPES: dict[type[Attribute], str] = {Float64Type: "c128", Float32Type: "c64"}
"""The C types of complex numbers, by the type of their parts."""
NARROW = ("bf16", "f16", "e4m3", "e5m2")
"""Storage types whose arithmetic is done in float and rounded."""
NARROW_BYTES = {"bf16": 2, "f16": 2, "e4m3": 1, "e5m2": 1, "u8": 1, "u16": 2}
"""Sizes of the types that are narrower than a word."""
DECLARED = (*NARROW, *COMPLEX_TYPES.values(), "u64")
"""Types that the prelude defines."""
BITS_OF = {"float": "__float_as_uint", "double": "__double_as_longlong"}
"""CUDA's functions that convert a float to the integer with the same bits, by C type."""
FROM_BITS = {"float": "__uint_as_float", "double": "__longlong_as_double"}
"""CUDA's functions that convert an integer to the float with the same bits, by C type."""
WORDS = {8: "u8", 16: "u16", 32: "u32", 64: "u64"}
"""C's unsigned integer types, by width in bits."""
SIGNED_WORDS = {8: "signed char", 16: "short", 32: "int", 64: "long long"}
"""C's signed integer types, by width in bits."""
COMPARES = {
    "oeq": "{0} == {1}",
    "une": "{0} != {1}",
    "olt": "{0} < {1}",
    "ole": "{0} <= {1}",
    "ogt": "{0} > {1}",
    "oge": "{0} >= {1}",
}
COMPARISONS = {
    "eq": "==",
    "ne": "!=",
    **{f"{sign}{name}": text for sign in "us" for name, text in (("lt", "<"), ("le", "<="), ("gt", ">"), ("ge", ">="))},
}
"""C's operators for the predicates of `arith.cmpi`; the operands carry the signedness."""
FLOAT: Table = {
    arith.AddfOp: "{0} + {1}",
    arith.SubfOp: "{0} - {1}",
    arith.MulfOp: "{0} * {1}",
    arith.DivfOp: "{0} / {1}",
    arith.MaximumfOp: "max_nan({0}, {1})",
    arith.MinimumfOp: "min_nan({0}, {1})",
    arith.NegfOp: "-{0}",
    math.AbsFOp: "fabsf({0})",
    math.ExpOp: "expf({0})",
    math.Exp2Op: "exp2_ftz({0})",
    math.LogOp: "logf({0})",
    math.SqrtOp: "sqrtf({0})",
    math.RsqrtOp: "1.0f / sqrtf({0})",
    math.SinOp: "sinf({0})",
    math.CosOp: "cosf({0})",
    math.FloorOp: "floorf({0})",
    math.CeilOp: "ceilf({0})",
    math.RoundEvenOp: "rintf({0})",
    math.Log1pOp: "log1pf({0})",
    math.ExpM1Op: "expm1f({0})",
    math.PowFOp: "powf({0}, {1})",
    math.FmaOp: "fmaf({0}, {1}, {2})",
    nv.ErfcOp: "erfcf({0})",
    nv.FmodOp: "fmodf({0}, {1})",
    math.TanhOp: "tanhf({0})",
    math.ErfOp: "erff({0})",
}
DOUBLE: Table = {
    **FLOAT,
    arith.MaximumfOp: "max_nan_f64({0}, {1})",
    arith.MinimumfOp: "min_nan_f64({0}, {1})",
    math.AbsFOp: "fabs({0})",
    math.ExpOp: "exp({0})",
    math.Exp2Op: "exp2({0})",
    math.LogOp: "log({0})",
    math.SqrtOp: "sqrt({0})",
    math.RsqrtOp: "1.0 / sqrt({0})",
    math.SinOp: "sin({0})",
    math.CosOp: "cos({0})",
    math.FloorOp: "floor({0})",
    math.CeilOp: "ceil({0})",
    math.RoundEvenOp: "rint({0})",
    math.Log1pOp: "log1p({0})",
    math.ExpM1Op: "expm1({0})",
    math.PowFOp: "pow({0}, {1})",
    math.FmaOp: "fma({0}, {1}, {2})",
    nv.ErfcOp: "erfc({0})",
    nv.FmodOp: "fmod({0}, {1})",
    math.TanhOp: "tanh({0})",
    math.ErfOp: "erf({0})",
}
ELEMENTARY: Table = {
    math.ExpOp: "exp",
    math.Exp2Op: "exp2",
    math.ExpM1Op: "expm1",
    math.LogOp: "log",
    math.Log1pOp: "log1p",
    math.SinOp: "sin",
    math.CosOp: "cos",
    math.TanhOp: "tanh",
    math.ErfOp: "erf",
    nv.ErfcOp: "erfc",
    math.RsqrtOp: "rsqrt",
    math.PowFOp: "pow",
}
"""The functions of `elementary` that compute ops of strict floats, correctly rounded."""
FORMATS: Mapping[type[Attribute], str] = {Float32Type: "f32", Float16Type: "f16", BFloat16Type: "bf16"}
"""The formats of these functions."""
EXACT = (arith.NegfOp, math.AbsFOp, arith.SelectOp, arith.MaximumfOp, arith.MinimumfOp, math.FloorOp, math.CeilOp,
         math.RoundEvenOp, nv.FmodOp)  # fmt: skip
"""Ops whose result needs no rounding: the element type of the operands holds it."""
COMPLEX: Table = {
    complex.AddOp: "{0} + {1}",
    complex.SubOp: "{0} - {1}",
    complex.MulOp: "{0} * {1}",
    complex.DivOp: "{0} / {1}",
    complex.NegOp: "-{0}",
    complex.EqualOp: "{0} == {1}",
    complex.NotEqualOp: "{0} != {1}",
    complex.ReOp: "{0}.re",
    complex.ImOp: "{0}.im",
}
COMPLEX_FUNCTIONS: Table = {
    complex.ExpOp: "exp",
    complex.LogOp: "log",
    complex.SqrtOp: "sqrt",
    complex.RsqrtOp: "rsqrt",
    complex.SinOp: "sin",
    complex.CosOp: "cos",
    complex.TanhOp: "tanh",
    complex.Log1pOp: "log1p",
    complex.Expm1Op: "expm1",
    complex.SignOp: "sign",
    complex.PowOp: "pow",
}
"""Functions of `prelude/complex.py`."""
INTEGER: Table = {
    arith.AddiOp: "{0} + {1}",
    arith.SubiOp: "{0} - {1}",
    arith.MuliOp: "{0} * {1}",
    arith.MaxUIOp: "max({0}, {1})",
    arith.MinUIOp: "min({0}, {1})",
    arith.ExtUIOp: "{0}",
    arith.TruncIOp: "{0}",
    arith.MaxSIOp: "max({0}, {1})",
    arith.MinSIOp: "min({0}, {1})",
    arith.ExtSIOp: "{0}",
    arith.AndIOp: "{0} & {1}",
    arith.OrIOp: "{0} | {1}",
    arith.XOrIOp: "{0} ^ {1}",
    arith.ShLIOp: "{0} << {1}",
    arith.ShRUIOp: "{0} >> {1}",
    arith.ShRSIOp: "{0} >> {1}",
    nv.PowSIOp: "powsi({0}, {1})",
    nv.PowUIOp: "powui({0}, {1})",
    nv.DivSIOp: "divsi({0}, {1})",
    nv.DivUIOp: "{0} / ({1} ? {1} : 1)",
    nv.RemSIOp: "remsi({0}, {1})",
    nv.RemUIOp: "{0} % ({1} ? {1} : 1)",
}
SHORT: Table = {**INTEGER, arith.MuliOp: "(u32){0} * {1}"}
"""Ops on 16-bit integers. C promotes u16 operands to int, in which the product could overflow, so it is computed in u32."""
LOGICAL: Table = {op: INTEGER[op] for op in (arith.AndIOp, arith.OrIOp, arith.XOrIOp)}
"""Ops on predicates."""
BY_WIDTH: Mapping[int, Table] = {1: LOGICAL, 16: SHORT}
"""The tables of widths that differ from `INTEGER`."""
SIGNED = (arith.MaxSIOp, arith.MinSIOp, arith.ExtSIOp, arith.ShRSIOp, nv.PowSIOp, nv.DivSIOp, nv.RemSIOp)
"""Ops that interpret their operands as signed."""
INDEX: Table = {
    **LOGICAL,
    arith.AddiOp: "{0} + {1}",
    arith.SubiOp: "{0} - {1}",
    arith.MuliOp: "{0} * {1}",
    arith.DivUIOp: "{0} / {1}",
    arith.DivSIOp: "{0} / {1}",
    arith.RemUIOp: "{0} % {1}",
    arith.RemSIOp: "{0} % {1}",
    arith.ShLIOp: "{0} << {1}",
    arith.ShRUIOp: "{0} >> {1}",
    arith.MinUIOp: "min({0}, {1})",
    arith.MaxUIOp: "max({0}, {1})",
    arith.MinSIOp: "min({0}, {1})",
    arith.MaxSIOp: "max({0}, {1})",
    arith.SelectOp: "{0} ? {1} : {2}",
    arith.IndexCastOp: "(int){0}",
}
CALLED = {
    name for form in (*FLOAT.values(), *DOUBLE.values(), *INTEGER.values()) for name in re.findall(r"(\w+)\(", form)
}
"""Functions that expressions call; no variable may shadow them."""


def expression_form(op: Operation) -> str | None:
    """Returns the format string of an op's expression, or None if the op has none."""
    if type(op) in COMPLEX:
        return COMPLEX[type(op)]
    result = op.results[0].type if op.results else None
    if isinstance(result, Float64Type):
        return DOUBLE.get(type(op))
    if isa(result, IntegerType):
        return BY_WIDTH.get(result.width.data, INTEGER).get(type(op))
    return FLOAT.get(type(op))


def float_literal(value: FloatAttr, op: Operation) -> str:
    """Returns a literal with exactly these bits: digits for finite numbers, intrinsics for NaN and infinities."""
    number = value.value.data
    if isinstance(value.type, Float64Type):
        if isnan(number):
            return "__longlong_as_double(0x7fffffffffffffff)"
        if isinf(number):
            return f"__longlong_as_double(0x{'7' if number == inf else 'f'}ff0000000000000)"
        return f"({number!r})" if str(number).startswith("-") else repr(number)
    if isnan(number):
        return "__int_as_float(0x7fffffff)"
    if isinf(number):
        return "__int_as_float(0x7f800000)" if number == inf else "__int_as_float(0xff800000)"
    exact = float(np.float32(number))
    short = f"{exact:.9g}"
    text = f"{short}f" if "." in short or "e" in short else f"{short}.0f"
    return f"({text})" if text.startswith("-") else text


def integer_literal(value: int, bits: int, signed: bool) -> str:
    """Returns a literal of `bits` bits: a signed integer, or an unsigned word, which is hexadecimal if `value` is negative."""
    if signed and value > -(1 << bits - 1):
        return f"{value}ll" if bits == 64 else str(value)
    word = value % (1 << bits)
    suffix = {32: "u", 64: "ull"}.get(bits, "")
    text = f"{word}{suffix}" if value >= 0 else f"0x{word:x}{suffix}"
    return f"({SIGNED_WORDS[bits]}){text}" if signed else text


def sum_of(*terms: str) -> str:
    """Returns `a + b + …` without the zero terms."""
    return " + ".join(t for t in terms if t and t != "0") or "0"


def product(count: str, size: int) -> str:
    """Returns `count * size`, folded if `count` is a number."""
    return str(int(count) * size) if count.isdecimal() else count if size == 1 else f"{count} * {size}"
