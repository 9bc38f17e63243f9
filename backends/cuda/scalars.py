"""How scalar ops, types and constants are spelt in CUDA C++: tables, and literals whose bits survive."""

from __future__ import annotations

import re
from collections.abc import Mapping
from math import inf, isinf, isnan

import numpy as np
from xdsl.dialects import arith, math
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

Table = Mapping[type[Operation], str]
CTYPES: dict[type[Attribute], str] = {
    Float64Type: "double",
    Float32Type: "float",
    BFloat16Type: "bf16",
    Float16Type: "f16",
    Float8E4M3FNType: "e4m3",
    Float8E5M2Type: "e5m2",
}
NARROW = ("bf16", "f16", "e4m3", "e5m2")
"""Types of memory that are computed in float, and rounded."""
WORDS = {8: "u8", 16: "u16", 32: "u32", 64: "u64"}
SIGNED_WORDS = {8: "signed char", 16: "short", 32: "int", 64: "long long"}
COMPARES = {
    "oeq": "{0} == {1}",
    "une": "{0} != {1}",
    "olt": "{0} < {1}",
    "ole": "{0} <= {1}",
    "ogt": "{0} > {1}",
    "oge": "{0} >= {1}",
}
UNSIGNED = {
    "eq": "==",
    "ne": "!=",
    "ult": "<",
    "ule": "<=",
    "ugt": ">",
    "uge": ">=",
    "slt": "<",
    "sle": "<=",
    "sgt": ">",
    "sge": ">=",
}
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
    math.LogOp: "logf({0})",
    math.SqrtOp: "sqrtf({0})",
    math.RsqrtOp: "1.0f / sqrtf({0})",
    math.TanhOp: "tanhf({0})",
    math.ErfOp: "erff({0})",
}
DOUBLE: Table = {
    **FLOAT,
    arith.MaximumfOp: "max_nan_f64({0}, {1})",
    arith.MinimumfOp: "min_nan_f64({0}, {1})",
    math.AbsFOp: "fabs({0})",
    math.ExpOp: "exp({0})",
    math.LogOp: "log({0})",
    math.SqrtOp: "sqrt({0})",
    math.RsqrtOp: "1.0 / sqrt({0})",
    math.TanhOp: "tanh({0})",
    math.ErfOp: "erf({0})",
}
EXACT = (arith.NegfOp, math.AbsFOp, arith.SelectOp, arith.MaximumfOp, arith.MinimumfOp)
"""Ops whose result needs no rounding: it is one of the operands, or their negative."""
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
}
SHORT: Table = {**INTEGER, arith.MuliOp: "(u32){0} * {1}"}
"""For 16 bits: they are multiplied in 32, as int the product would overflow."""
BY_WIDTH: Mapping[int, Table] = {1: {}, 16: SHORT}
"""A bool is no number."""
SIGNED = (arith.MaxSIOp, arith.MinSIOp, arith.ExtSIOp)
"""Ops that take their operands as signed."""
INDEX_BINARY: Table = {
    arith.AddiOp: "+",
    arith.SubiOp: "-",
    arith.MuliOp: "*",
    arith.DivUIOp: "/",
    arith.RemUIOp: "%",
}
CALLED = {
    name for form in (*FLOAT.values(), *DOUBLE.values(), *INTEGER.values()) for name in re.findall(r"(\w+)\(", form)
}
"""Functions that expressions call: no variable may hide them."""


def form_of(op: Operation) -> str | None:
    """The expression that an op is, given its operands."""
    result = op.results[0].type if op.results else None
    if isinstance(result, Float64Type):
        return DOUBLE.get(type(op))
    if isa(result, IntegerType):
        return BY_WIDTH.get(result.width.data, INTEGER).get(type(op))
    return FLOAT.get(type(op))


def float_literal(value: FloatAttr, op: Operation) -> str:
    """A float or a double whose bits survive: digits for the ordinary, functions for the special."""
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
    """A number of so many bits, read as signed or as the unsigned word: hexadecimal where that has the sign bit."""
    if signed and value > -(1 << bits - 1):
        return f"{value}ll" if bits == 64 else str(value)
    word = value % (1 << bits)
    suffix = {32: "u", 64: "ull"}.get(bits, "")
    text = f"{word}{suffix}" if value >= 0 else f"0x{word:x}{suffix}"
    return f"({SIGNED_WORDS[bits]}){text}" if signed else text


def sum_of(*terms: str) -> str:
    """`a + b`, without zeros."""
    return " + ".join(t for t in terms if t and t != "0") or "0"
