"""How scalar ops, types and constants are spelt in CUDA C++: tables, and float literals whose bits survive."""

from __future__ import annotations

from math import inf, isinf, isnan

import numpy as np
from xdsl.dialects import arith, math
from xdsl.dialects.builtin import (
    BFloat16Type,
    Float16Type,
    Float32Type,
    FloatAttr,
)
from xdsl.ir import Attribute, Operation

CTYPES: dict[type[Attribute], str] = {Float32Type: "float", BFloat16Type: "bf16", Float16Type: "f16"}
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
FLOAT_BINARY: dict[type[Operation], str] = {
    arith.AddfOp: "{0} + {1}",
    arith.SubfOp: "{0} - {1}",
    arith.MulfOp: "{0} * {1}",
    arith.DivfOp: "{0} / {1}",
    arith.MaximumfOp: "max_nan({0}, {1})",
    arith.MinimumfOp: "min_nan({0}, {1})",
}
FLOAT_UNARY: dict[type[Operation], str] = {
    arith.NegfOp: "-{0}",
    math.AbsFOp: "fabsf({0})",
    math.ExpOp: "expf({0})",
    math.LogOp: "logf({0})",
    math.SqrtOp: "sqrtf({0})",
    math.RsqrtOp: "1.0f / sqrtf({0})",
    math.TanhOp: "tanhf({0})",
    math.ErfOp: "erff({0})",
    arith.ExtFOp: "{0}",
    arith.TruncFOp: "{0}",
    arith.UIToFPOp: "(float){0}",
}
INDEX_BINARY: dict[type[Operation], str] = {
    arith.AddiOp: "+",
    arith.SubiOp: "-",
    arith.MuliOp: "*",
    arith.DivUIOp: "/",
    arith.RemUIOp: "%",
}


def float_literal(value: FloatAttr, op: Operation) -> str:
    """A float whose bits survive: hexadecimal for the ordinary, functions for the special."""
    number = value.value.data
    if isnan(number):
        return "__int_as_float(0x7fffffff)"
    if isinf(number):
        return "__int_as_float(0x7f800000)" if number == inf else "__int_as_float(0xff800000)"
    exact = float(np.float32(number))
    short = f"{exact:.9g}"
    text = f"{short}f" if "." in short or "e" in short else f"{short}.0f"
    return f"({text})" if text.startswith("-") else text


def sum_of(*terms: str) -> str:
    """`a + b`, without zeros."""
    return " + ".join(t for t in terms if t and t != "0") or "0"
