"""Evaluates terms on arrays with the interpreter's elementwise functions, for guards, folded constants and tests."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import ml_dtypes
import numpy as np

from ...semantics.arrays.scalars import FUNCTIONS, Array, DType, bit_width, integer_range, is_complex, is_float
from .terms import BITS, GREATEST, Apply, Lit, Sort, Term, Var

Values = Mapping[str, Array]

FUNCTION_NAMES = {"maximum": "max", "minimum": "min", "reciprocal": "recip", "select": "where"}
"""Maps names of `ptir` ops to names in the interpreter's table, where they differ."""


def evaluate(term: Term, values: Values, dtype: DType) -> Array:
    """Returns the value of a term for element type T = `dtype`; predicates are bool. Raises `ZeroDivisionError`."""
    match term:
        case Var(name):
            return values[name]
        case Lit():
            return literal(term, dtype)
        case Apply("exact_reciprocal", (of,)):
            return _has_exact_reciprocal(evaluate(of, values, dtype))
        case Apply("log2", (of,)):
            c = evaluate(of, values, dtype)
            return np.asarray(np.log2(np.maximum(c.astype(np.float64), 1.0))).astype(dtype)
        case Apply("clamp", (x, low, high)):
            x, low, high = (evaluate(a, values, dtype) for a in (x, low, high))
            return FUNCTIONS["min"](FUNCTIONS["max"](x, low), high)
        case Apply(op, args):
            return FUNCTIONS[FUNCTION_NAMES.get(op, op)](
                *np.broadcast_arrays(*(evaluate(a, values, dtype) for a in args))
            )


def literal(lit: Lit, dtype: DType) -> Array:
    """Returns a literal as an element of T = `dtype`, or as a bool if it is a predicate."""
    if lit.sort is Sort.P:
        return np.array(lit.value)
    if lit == BITS:
        return np.array(bit_width(dtype)).astype(dtype)
    if isinstance(lit.value, str):
        return _extreme(dtype, 1 if lit == GREATEST else -1)
    if is_float(dtype):
        return np.array(lit.value).astype(dtype)
    if is_complex(dtype):
        return np.array(complex(lit.value, lit.value if lit.value == 0 else 0.0)).astype(dtype)
    if dtype == np.bool_:
        return np.array(bool(lit.value & 1) if isinstance(lit.value, int) else bool(lit.value))
    low, high = integer_range(dtype)
    return np.array((int(lit.value) - low) % (high - low + 1) + low).astype(dtype)


def _extreme(dtype: DType, sign: int) -> Array:
    """Returns the lowest (`sign` -1) or greatest (`sign` 1) value of a type: an infinity if it has infinities."""
    if not is_float(dtype):
        return np.array(integer_range(dtype)[sign > 0]).astype(dtype)
    info = cast(Any, ml_dtypes).finfo(dtype)
    infinity = np.array(sign * np.inf).astype(dtype)
    return np.array(sign * float(info.max)).astype(dtype) if np.isnan(infinity) else infinity


def _has_exact_reciprocal(c: Array) -> Array:
    with np.errstate(all="ignore"):
        wide = c.astype(np.float64)
        inverse = np.asarray((1 / wide).astype(c.dtype)).astype(np.float64)
        return np.asarray(
            np.isfinite(inverse) & np.isfinite(wide) & (inverse * wide == 1) & (np.abs(np.frexp(wide)[0]) == 0.5)
        )
