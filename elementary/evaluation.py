"""Evaluates the functions on arrays, with NumPy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from .functions import POWER, graph, power_graph
from .graph import Graph, Value
from .power import UNCERTAINTY
from .rounding import ROUNDED
from .tables import load

Array = npt.NDArray[Any]
BLOCK = 4096
"""The number of elements processed at once, so that intermediate results stay in the cache."""
SPLITTER = float((1 << 27) + 1)
DTYPES = {"f64": np.float64, "i64": np.int64, "i1": np.bool_}


def _split(a: Array) -> tuple[Array, Array]:
    scaled = a * SPLITTER
    high = scaled - (scaled - a)
    return high, a - high


def _product_error(a: Array, b: Array, product: Array) -> Array:
    """Dekker's algorithm, which is exact as no product here overflows or is subnormal."""
    (a_high, a_low), (b_high, b_low) = _split(a), _split(b)
    return ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low


def _bits(x: Array) -> Array:
    return x.view(np.int64)


def _number(n: Array) -> Array:
    return n.view(np.float64)


def _convert(n: Array) -> Array:
    return n.astype(np.float64)


OPERATIONS: dict[str, Callable[..., Array]] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "neg": np.negative,
    "sqrt": np.sqrt,
    "product_error": _product_error,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "not": np.invert,
    "shl": np.left_shift,
    "shr": np.right_shift,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
    "eq": np.equal,
    "ne": np.not_equal,
    "select": np.where,
    "bits": _bits,
    "number": _number,
    "convert": _convert,
}


def evaluate(graph: Graph, *operands: Array) -> Array:
    """Returns the result of a graph for operands of type float64 and of one dimension."""
    steps = graph.live()
    last = {operand: step for step in steps for operand in step.operands}
    known: dict[Value, Array] = dict(zip(graph.inputs, operands, strict=True))
    tables = load()
    for step in steps:
        arguments = [known[v] for v in step.operands]
        if step.op == "constant":
            known[step] = np.full(1, step.immediate, DTYPES[step.kind])
        elif step.op == "lookup":
            known[step] = tables[str(step.immediate)].reshape(-1)[arguments[0]]
        elif step.op != "input":
            known[step] = OPERATIONS[step.op](*arguments)
        for operand in set(step.operands):
            if last[operand] is step and operand is not graph.result:
                del known[operand]
    return np.broadcast_to(known[graph.result], operands[0].shape)


def _unrounded(name: str, format: str, operands: Sequence[Array]) -> Array:
    """Returns a function, rounded to odd, or otherwise so that rounding it to the format gives the result."""
    if name != POWER:
        return evaluate(graph(name), *operands)
    x, y = operands
    size = np.abs(x)
    usual = (size > 0) & (size < np.inf) & (np.abs(y) < np.inf)
    base, exponent = np.where(usual, size, 1.0), np.where(usual, y, 1.0)
    result = np.array(evaluate(power_graph("fast"), base, exponent))
    low, high = (ROUNDED[format](result * (1 + s * UNCERTAINTY)) for s in (-1, 1))
    unsure = low != high
    if unsure.any():
        result[unsure] = evaluate(power_graph("accurate"), base[unsure], exponent[unsure])
    return evaluate(power_graph("with_signs"), x, y, result)


def correctly_rounded(name: str, format: str, *operands: Array) -> Array:
    """
    Returns a function or operation of `functions.OPERANDS`, correctly rounded to `f32`, `f16` or `bf16`, as float64 numbers. The
    operands are numbers of `f32`, or of a format within it. A NaN is the one with the bits 0x7FF8000000000000.
    """
    arrays = [np.ascontiguousarray(a, np.float64) for a in np.broadcast_arrays(*operands)]
    out = np.empty(np.broadcast_shapes(*(np.shape(a) for a in operands)))
    flat = out.reshape(-1)
    with np.errstate(all="ignore"):
        for start in range(0, flat.size, BLOCK):
            part = slice(start, start + BLOCK)
            flat[part] = ROUNDED[format](_unrounded(name, format, [a.reshape(-1)[part] for a in arrays]))
    return out
