"""The element types of PTIR in MLIR's spelling, with their NumPy types, and the groups of types that ops accept."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
from xdsl.dialects import builtin
from xdsl.dialects.builtin import ComplexType, IntegerType, Signedness
from xdsl.ir import Attribute

UNSIGNED, SIGNED = Signedness.UNSIGNED, Signedness.SIGNED

NUMPY: dict[str, np.dtype[Any]] = {
    "i1": np.dtype(np.bool_),
    **{f"si{w}": np.dtype(f"int{w}") for w in (8, 16, 32, 64)},
    **{f"ui{w}": np.dtype(f"uint{w}") for w in (8, 16, 32, 64)},
    **{f"i{w}": np.dtype(f"int{w}") for w in (8, 16, 32, 64)},
    "si4": np.dtype(ml_dtypes.int4),
    "i4": np.dtype(ml_dtypes.int4),
    "ui4": np.dtype(ml_dtypes.uint4),
    "f8E4M3FN": np.dtype(ml_dtypes.float8_e4m3fn),
    "f8E5M2": np.dtype(ml_dtypes.float8_e5m2),
    "bf16": np.dtype(ml_dtypes.bfloat16),
    "f16": np.dtype(np.float16),
    "f32": np.dtype(np.float32),
    "f64": np.dtype(np.float64),
    "complex<f32>": np.dtype(np.complex64),
    "complex<f64>": np.dtype(np.complex128),
}
"""The NumPy type of each element type."""

ATTRIBUTES: dict[str, Attribute] = {
    "i1": builtin.i1,
    **{f"i{w}": IntegerType(w) for w in (4, 8, 16, 32, 64)},
    **{f"si{w}": IntegerType(w, SIGNED) for w in (4, 8, 16, 32, 64)},
    **{f"ui{w}": IntegerType(w, UNSIGNED) for w in (4, 8, 16, 32, 64)},
    "f8E4M3FN": builtin.Float8E4M3FNType(),
    "f8E5M2": builtin.Float8E5M2Type(),
    "bf16": builtin.bf16,
    "f16": builtin.f16,
    "f32": builtin.f32,
    "f64": builtin.f64,
    "complex<f32>": ComplexType(builtin.f32),
    "complex<f64>": ComplexType(builtin.f64),
}
"""The attribute of each element type."""

SPELLINGS = {attribute: name for name, attribute in ATTRIBUTES.items()}

PREDICATE = ("i1",)
SIGNED_INTEGERS = tuple(f"{p}{w}" for p in ("si", "i") for w in (4, 8, 16, 32, 64))
UNSIGNED_INTEGERS = tuple(f"ui{w}" for w in (4, 8, 16, 32, 64))
INTEGERS = SIGNED_INTEGERS + UNSIGNED_INTEGERS
FLOAT8 = ("f8E4M3FN", "f8E5M2")
FLOATS = (*FLOAT8, "bf16", "f16", "f32", "f64")
COMPLEX = ("complex<f32>", "complex<f64>")
ORDERED = INTEGERS + FLOATS
NUMBERS = ORDERED + COMPLEX
ALL = PREDICATE + NUMBERS
INDICES = ("si32", "si64", "i32", "i64")
"""The element types of indices."""


def spelling(t: Attribute) -> str:
    """Returns the spelling of an element type."""
    return SPELLINGS[t]


def integer_range(name: str) -> tuple[int, int]:
    """Returns the least and the greatest value of an integer type."""
    if name == "i1":
        return 0, 1
    width = int(name.lstrip("sui"))
    return (0, 2**width - 1) if name.startswith("u") else (-(2 ** (width - 1)), 2 ** (width - 1) - 1)
