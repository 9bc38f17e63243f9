"""
How far roundings may move the results of a program for which no error bounds are known, such as one of complex numbers.

The program is interpreted several times, and the results of ops that round are moved by some units in the last place at random,
as are the operands of ops that add many numbers. A NaN that an op makes gets other bits, and a zero the other sign if that depends
on the order of additions. A result may deviate from the reference's by a multiple of the largest deviation seen. Elements that
are not floats, or not finite in every run, must not change; where they do, an index or a branch may depend on roundings, and the
element is free.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.interpreter import OpImplResult, PythonValues
from xdsl.ir import Operation

from ptir.errors import PtirError
from ptir.semantics.arrays.scalars import integer_range, narrow, numpy_dtype
from ptir.semantics.bounds.extensions import EXACT
from ptir.semantics.interpreter import call_on, interpreter
from ptir.semantics.sizes import SizedInterpreter
from ptir.semantics.values import PTIR_ROWS

from .dtypes import COMPLEX, FLOATS, NUMPY
from .oracle.numbers import FORMATS, Want, whole, wide

RUNS, MARGIN, ULPS = 6, 16, 3
"""How often a program is interpreted, the multiple of the deviation that is allowed, and by how many units floats are moved."""
PRECISION = {NUMPY[name]: FORMATS[name.removeprefix("complex<").removesuffix(">")][0] for name in (*FLOATS, *COMPLEX)}
FLUSHED = 2.0**-126
"""Smaller results may be zero, as in the bounds."""
ADDING = {f"ptir.{name}" for name in ("reduce", "dot_general", "convolution", "reduce_window", "layer_norm", "scatter_add",
                                      "scatter_reduce", "segment_reduce")}  # fmt: skip
"""Ops whose error is relative to the numbers that they add, not to the result."""
POWER = "ptir.pow"
"""Of complex numbers, it is exp(y log(x)), whose error is relative to its argument."""
ROUNDING = {
    *ADDING,
    *(op.name for op, function in PTIR_ROWS.items() if function not in EXACT),
    *(f"ptir.{name}" for name in ("quantize", "dequantize", "requantize", "rng_uniform", "rng_normal")),
}
EITHER_SIGN = {*ADDING, "ptir.add", "ptir.sub", "ptir.mul"}
"""Ops whose zeros may have either sign, as in the bounds; so may the parts of the complex numbers that any op rounds."""
COMPUTING = {*ROUNDING, *(op.name for op in PTIR_ROWS), "ptir.cast", "ptir.clamp"}
"""Ops that do not move bits: those of a NaN are not specified."""


class Moving(SizedInterpreter):
    """Moves numbers by units in the last place."""

    def __init__(self, module: ModuleOp, seed: int | None, seen: list[Any]):
        """With a seed of None nothing is moved, and `seen` gets the floats whose bits are taken; otherwise it has them."""
        super().__init__(module)
        self._records, self._seen, self._place = seed is None, seen, 0
        seed = seed or 0
        self._impls = interpreter(module)._impls  # pyright: ignore[reportPrivateUsage]
        self._random = np.random.default_rng(seed)
        self._first = seed < 2
        self._signs, self._flipped = np.random.default_rng(seed // 2), seed % 2
        """The signs of NaNs and zeros: those of an odd seed are the opposite of those of the seed before."""

    def _run_op(self, op: Operation, inputs: PythonValues) -> OpImplResult:
        if op.name == "ptir.bitcast" and inputs[0].dtype in PRECISION:
            inputs = (self._any_bits(inputs[0]),)
        if self._records:
            return super()._run_op(op, inputs)
        given = inputs
        if op.name in ADDING or (op.name == POWER and np.asarray(inputs[0]).dtype.kind == "c"):
            inputs = tuple(self._moved(x, ULPS, _accumulator(op)) for x in inputs)
        out = super()._run_op(op, inputs)
        if op.name not in COMPUTING:
            return out
        values = out.values
        if op.name in ADDING and any(np.asarray(x).dtype in PRECISION for x in inputs):
            sizes = super()._run_op(op, tuple(map(_size, given)))
            values = map(self._overflown, values, sizes.values)
        ulps = ULPS if op.name in ROUNDING else 0
        return out._replace(values=tuple(self._moved(x, ulps, zeros=op.name in EITHER_SIGN) for x in values))

    def _any_bits(self, x: Any) -> Any:
        """Returns floats with other bits where roundings move them: the parts of a float may be anything if its last bit changes."""
        if self._records:
            self._seen.append(x)
            return x
        known = self._seen[self._place] if self._place < len(self._seen) else x
        self._place += 1
        bits = np.atleast_1d(x).view(np.uint8)
        other = (
            np.full(bits.shape, 0xFF, np.uint8)
            if self._flipped
            else self._random.integers(0, 256, bits.shape, np.uint8)
        )
        if known.shape != x.shape:
            return x
        moves = np.repeat(
            (np.atleast_1d(known).view(np.uint8) != bits).reshape(-1, x.dtype.itemsize).any(1), x.dtype.itemsize
        )
        return np.where(moves.reshape(bits.shape), other, bits).view(x.dtype).reshape(x.shape)

    def _overflown(self, total: Any, size: Any) -> Any:
        """Returns a sum with infinities where partial sums may overflow, since the sum of the sizes of all finite terms does."""
        if total.dtype not in PRECISION:
            greatest = total.dtype.type(integer_range(total.dtype)[1])
            other = np.where(total == greatest, 0, greatest).astype(total.dtype) if self._flipped else total
            return np.where(size == greatest, other, total)
        infinity = np.asarray(-np.inf if self._flipped else np.inf).astype(total.dtype)
        return np.where(np.isfinite(size), total, infinity)

    def _moved(self, x: Any, ulps: float, precision: int = 64, *, zeros: bool = False) -> Any:
        """
        Moves floats by units of their type or, if that has fewer bits, of a type with this precision. The signs of zeros change if
        `zeros` is set.
        """
        if np.asarray(x).dtype not in PRECISION:
            return x
        steps = self._random.uniform(-ulps, ulps, x.shape)
        if ulps and self._first:
            steps = np.full(x.shape, -0.75 if self._flipped else 0.75)  # to the neighbors
        steps = steps * 2.0 ** (1 - min(precision, PRECISION[x.dtype]))
        with np.errstate(all="ignore"):
            if x.dtype.kind == "c":
                steps = steps * np.exp(2j * np.pi * self._random.uniform(size=x.shape))
                out = narrow(np.where(np.isfinite(x), x.astype(np.complex128) * (1 + steps), x), x.dtype)
                parts = np.atleast_1d(out).view(out.real.dtype)
                return (self._resigned(parts) if ulps else parts).view(x.dtype).reshape(x.shape)
            wider = x.astype(np.float64)
            out = narrow(np.where(np.isfinite(wider), wider * (1 + steps), wider), x.dtype)
            if ulps and self._flipped and x.dtype != np.float64:
                out = np.where(np.abs(wider) < FLUSHED, np.copysign(np.zeros_like(out), out), out)
        bits, nan = np.atleast_1d(out).view(f"u{x.dtype.itemsize}"), np.atleast_1d(np.isnan(wider))
        ones = (1 << PRECISION[x.dtype] - 1) - 1
        payload = self._random.integers(0, ones + 1, bits.shape).astype(bits.dtype)
        if self._flipped:
            payload[...] = ones  # as machines do: the parts may be NaNs of a narrower type
        out = np.where(nan, bits | payload, bits).view(x.dtype)
        return self._resigned(out, zeros=zeros).reshape(x.shape)

    def _resigned(self, x: Any, zeros: bool = True) -> Any:
        """Returns floats with other signs of NaNs and, if `zeros` is set, of zeros."""
        bits = x.view(f"u{x.dtype.itemsize}")
        top = bits.dtype.type(1 << 8 * x.dtype.itemsize - 1)
        sign = (self._signs.integers(0, 2, x.shape) ^ self._flipped).astype(bits.dtype)
        free = np.isnan(x.astype(np.float64)) | (zeros & (x == 0))
        return np.where(free, bits & ~top | sign * top, bits).view(x.dtype)


def _size(x: Any) -> Any:
    """Returns the absolute values of floats, and 0 for infinities and NaN; other arrays as they are."""
    return np.where(np.isfinite(x), np.abs(x), 0).astype(x.dtype) if np.asarray(x).dtype in PRECISION else x


def _accumulator(op: Operation) -> int:
    """Returns the precision of the type in which an op adds, or a large number if that is no float."""
    accum = getattr(op, "accum", None)
    return 64 if accum is None else PRECISION.get(numpy_dtype(accum), 64)


def wanted(
    module: ModuleOp, name: str, arrays: Sequence[Any], reference: Sequence[Any], dtypes: Sequence[str]
) -> list[Want]:
    """Returns what the results of a function, which are `reference` in the interpreter, may be."""
    runs, seen = list[Sequence[Any]](), list[Any]()
    try:
        for seed in (None, *range(RUNS)):
            with np.errstate(all="ignore"):
                runs.append([np.asarray(x) for x in call_on(Moving(module, seed, seen), module, name, arrays)])
    except PtirError:  # an index depends on roundings
        runs = []
    return [
        _want(x, [run[k] for run in runs], dtype) for k, (x, dtype) in enumerate(zip(reference, dtypes, strict=True))
    ]


def _want(reference: Any, runs: Sequence[Any], dtype: str) -> Want:
    if not runs or any(x.shape != reference.shape for x in runs):
        return Want(reference, reference, dtype, np.ones(reference.shape, bool))
    if dtype not in FLOATS and dtype not in COMPLEX:
        changes = np.any([x != reference for x in runs], axis=0)
        exact = reference if dtype == "i1" else whole(reference)
        return Want(exact, exact, dtype, changes)
    value, moved = wide(reference), [wide(x) for x in runs]
    with np.errstate(all="ignore"):
        finite = np.isfinite(value)
        changes = np.any([np.isfinite(x) != finite for x in moved], axis=0)
        changes |= ~finite & np.any([(x != value) & ~(np.isnan(x) & np.isnan(value)) for x in moved], axis=0)
        error = MARGIN * np.max([np.abs(x - value) for x in moved], axis=0, initial=0)
        error = np.where(finite & ~changes, error, 0)
        low, high = (value, error) if dtype in COMPLEX else (value - error, value + error)
        return Want(low, high, dtype, changes)
