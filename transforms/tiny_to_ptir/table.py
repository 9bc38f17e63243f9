"""The table that maps each tiny op to the function that writes its `ptir` ops. Elementwise operands are broadcast first."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import reduce as fold
from math import prod, sqrt
from typing import Any

from xdsl.dialects.builtin import IntegerType, Signedness, f32, f64
from xdsl.ir import Operation, SSAValue

from ...analysis.index.linearize import row_major_strides
from ...dialects import ptir, tiny
from ...dialects.common.shapes import element, is_float, is_predicate, widens_exactly
from ...dialects.ptir.base import default_accum
from ...dialects.ptir.dims import Size, known_sizes, sizes
from ..op_writer import Declined, Draft

INDEX = IntegerType(64, Signedness.SIGNED)
BITS = IntegerType(32, Signedness.UNSIGNED)


class Writer(Draft):
    """Builds the `ptir` ops that replace a tiny op, and verifies each op when it is added."""

    verifies = True

    def fit(self, x: SSAValue, to: Sequence[Size]) -> SSAValue:
        """
        Returns `x` broadcast to the sizes `to`. If the shapes differ only in the names of dynamic sizes, a `ptir.dim_cast` renames
        them.
        """
        of = sizes(x)
        if of == tuple(to):
            return x
        repeats = len(of) != len(to) or any(a == 1 != b for a, b in zip(of, to, strict=True))
        return self.add(ptir.BroadcastToOp(x, to) if repeats else ptir.DimCastOp(x, to))


# --- movements ----------------------------------------------------------------------------------


def movement(op: tiny.MovementOp, write: Writer) -> SSAValue:
    x, to = op.input, sizes(op.result)
    match op.kind.data:
        case "reshape":
            return write.add(ptir.ReshapeOp(x, to))
        case "permute":
            return write.transpose(x, op.permutation())
        case "expand":
            return write.fit(x, to)
        case "pad" if op.value is not None:
            return write.add(ptir.PadOp(x, op.value, *op.pads()))
        case "shrink":
            return write.add(ptir.SliceOp(x, op.starts(), to))
        case _:
            return view(op, write)


def view(op: tiny.MovementOp, write: Writer) -> SSAValue:
    """Writes a slice if the strides are the operand's own, or else a take at computed indices."""
    x, to, (offset, strides) = op.input, sizes(op.result), op.linear()
    if (starts := _window(op)) is not None:
        return write.add(ptir.SliceOp(x, starts, to))
    of = known_sizes(sizes(x))
    flat = write.add(ptir.ReshapeOp(x, [None])) if of is None else write.reshape(x, [prod(of)])
    steps = [(axis, s) for axis, (s, size) in enumerate(zip(strides, to, strict=True)) if s and size != 1]
    terms: list[SSAValue] = []
    if offset or not steps:
        terms.append(write.broadcast(write.add(ptir.ConstantOp(ptir.ScalarAttr.of(offset, INDEX).dense)), to))
    for axis, stride in steps:
        index = write.add(ptir.IotaOp(INDEX, to, axis))
        terms.append(index if stride == 1 else write.add(ptir.MulOp(index, write.splat(stride, index))))
    return write.add(ptir.TakeOp(flat, fold(lambda a, b: write.add(ptir.AddOp(a, b)), terms)))


def _window(op: tiny.MovementOp) -> list[int] | None:
    """Returns the starts of the slice that is equal to a view, or None if the view has other strides or exceeds an axis."""
    of, to, (offset, strides) = known_sizes(sizes(op.input)), known_sizes(sizes(op.result)), op.linear()
    if of is None or to is None or len(of) != len(to):
        return None
    starts: list[int] = []
    for size, extent, stride, step in zip(to, of, strides, row_major_strides(of), strict=True):
        if not step or (size != 1 and stride != step):
            return None
        start, offset = divmod(offset, step)
        if start + size > extent:
            return None
        starts.append(start)
    return starts


# --- elements -----------------------------------------------------------------------------------


def unary(op: tiny.UnaryOp, write: Writer) -> SSAValue:
    fn, x, out = op.fn.data, op.input, element(op.result)
    match fn:
        case "cast":
            return write.add(ptir.CastOp(x, out))
        case "bitcast":
            return write.add(ptir.BitcastOp(x, out))
        case "is_finite":
            return write.add(ptir.IsFiniteOp(x))
        case "relu":
            return write.add(ptir.MaximumOp(x, write.splat(0.0 if is_float(out) else 0, x)))
        case _ if fn in FORMULAS:
            return FORMULAS[fn](x, write)
        case _:
            return write.add(tiny.UNARY_OPS[fn](x))


def gelu(x: SSAValue, write: Writer) -> SSAValue:
    """Writes `x/2 · erfc(-x/√2)` in f64, rounded once."""
    wide = write.cast(x, f64)
    tail = write.add(ptir.ErfcOp(write.add(ptir.MulOp(wide, write.splat(-sqrt(0.5), wide)))))
    return write.cast(write.add(ptir.MulOp(write.add(ptir.MulOp(wide, write.splat(0.5, wide))), tail)), element(x))


def silu(x: SSAValue, write: Writer) -> SSAValue:
    """Writes `x · logistic(x)` in f64, rounded once."""
    wide = write.cast(x, f64)
    return write.cast(write.add(ptir.MulOp(wide, write.add(ptir.LogisticOp(wide)))), element(x))


def tf32(x: SSAValue, write: Writer) -> SSAValue:
    """Writes the rounding to 10 fraction bits: adds half an ulp and clears the 13 low bits. Infinities and NaN are kept."""
    bits = write.add(ptir.BitcastOp(x, BITS))
    up = write.add(ptir.AddOp(bits, write.splat(1 << 12, bits)))
    kept = write.add(ptir.AndOp(up, write.splat((1 << 32) - (1 << 13), bits)))
    return write.select(write.add(ptir.IsFiniteOp(x)), write.add(ptir.BitcastOp(kept, f32)), x)


FORMULAS: Mapping[str, Callable[[SSAValue, Writer], SSAValue]] = {"gelu": gelu, "silu": silu, "tf32": tf32}


def binary(op: tiny.BinaryOp, write: Writer) -> SSAValue:
    fn, to = op.fn.data, sizes(op.result)
    inputs = [write.fit(x, to) for x in op.inputs]
    if fn == "where":
        return write.select(*inputs)
    if fn in tiny.CHECKS:
        raise Declined(f"no op of ptir only checks a predicate, as {fn} does")
    return write.compare(fn, *inputs) if fn in tiny.COMPARISONS else write.add(tiny.BINARY_OPS[fn](*inputs))


def reduce(op: tiny.ReduceOp, write: Writer) -> SSAValue:
    """
    Writes a reduction. On predicates, `max` becomes `any` and `min` becomes `all`.

    `ptir.reduce` rounds the elements to its accumulator type before it adds them. If that type cannot represent them exactly, the
    sum is written as a contraction with ones, whose products are exact.
    """
    fn, dtype, accum = op.fn.data, element(op.input), op.accum
    if fn == "sum" and not widens_exactly(dtype, accum):
        of, axes = sizes(op.input), op.axes()
        one = write.add(ptir.ConstantOp(ptir.ScalarAttr.of(1, dtype).dense))
        ones = write.broadcast(one, [of[axis] for axis in axes])
        return write.add(ptir.DotGeneralOp(op.input, ones, (axes, range(len(axes))), accum=accum, out=accum))
    kind = {"max": "any", "min": "all"}[fn] if is_predicate(dtype) else fn
    out = None if accum == dtype else accum
    return write.add(
        ptir.ReduceOp(kind, op.input, op.axes(), accum=None if accum == default_accum(dtype) else accum, out=out)
    )


LIFTINGS: Mapping[type[Operation], Callable[[Any, Writer], SSAValue]] = {
    tiny.ConstOp: lambda op, write: write.add(ptir.ConstantOp(op.value)),
    tiny.IotaOp: lambda op, write: write.add(ptir.IotaOp(element(op.result), sizes(op.result), op.axis())),
    tiny.MovementOp: movement,
    tiny.UnaryOp: unary,
    tiny.BinaryOp: binary,
    tiny.ReduceOp: reduce,
}
"""
Maps each tiny op to the Python function that writes it. `tiny.UNARY_OPS` and `tiny.BINARY_OPS` list the words that map to a
single `ptir` op.
"""
