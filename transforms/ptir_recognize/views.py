"""
Looks through ops that change no value: exact casts, `stop_gradient`, and movements that map each axis to a known axis.

```
%m = reduce max %z axes [1]             the axis of %z for each axis:   (0,)
%a = reshape %m  4 -> 4x1                                               (0, -)
%b = broadcast_to %a  4x1 -> 4x8                                        (0, -)      element [i, j] of %b is element [i] of %m
```
"""

from __future__ import annotations

import numpy as np
from xdsl.ir import Block, Operation, SSAValue

from ...dialects import ptir
from ...dialects.common.shapes import element, widens_exactly
from ...dialects.ptir.dims import sizes
from ...semantics.arrays.scalars import Array, dense_array
from ...semantics.sizes import MAX_RANK
from ...text.literals import splat

Ops = dict[Operation, None]
"""An ordered set of ops, in the order of discovery."""
Axes = tuple[int | None, ...]
"""For each axis of a value, the corresponding axis of the value at which the walk began; None for an axis of size 1."""


def definition(value: SSAValue) -> Operation | None:
    """Returns the op that defines a value, looking through arguments of composites to their operands."""
    while isinstance(owner := value.owner, Block):
        around = owner.parent_op()
        if not isinstance(around, ptir.CompositeOp):
            return None
        value = around.inputs[owner.args.index(value)]
    return owner


def is_unchanged(op: Operation | None) -> bool:
    """Returns whether the op is known to return its operand, with the same shape and equal elements."""
    match op:
        case ptir.CastOp():
            return widens_exactly(element(op.input), element(op.result))
        case ptir.StopGradientOp():
            return True
        case ptir.ReshapeOp() | ptir.BroadcastToOp():
            return sizes(op.input) == sizes(op.result) and None not in sizes(op.input)
        case ptir.TransposeOp():
            return op.permutation() == tuple(range(len(sizes(op.input))))
        case _:
            return False


def origins(value: SSAValue) -> list[SSAValue]:
    """Returns `value` and the values that are equal to it along its chain of definitions, the earliest last."""
    out = [value]
    while isinstance(op := out[-1].owner, Operation) and is_unchanged(op):
        out.append(op.operands[0])
    return out


def between(value: SSAValue, source: SSAValue) -> Ops:
    """Returns the ops that compute `value` from `source`, which must be one of the `origins` of `value`."""
    ops: Ops = {}
    while value is not source and isinstance(op := value.owner, Operation):
        ops[op] = None
        value = op.operands[0]
    return ops


def step_back(op: Operation | None, axes: Axes) -> tuple[SSAValue, Axes] | None:
    """
    Returns the operand of a movement, or of an op that changes nothing, and the operand's axes, given the result's `axes`. Returns
    None for other ops, and for movements that do not map axes to axes.
    """
    if op is not None and is_unchanged(op):
        return op.operands[0], axes
    match op:
        case ptir.TransposeOp():
            places = {p: axes[i] for i, p in enumerate(op.permutation())}
            return op.input, tuple(places[a] for a in range(len(axes)))
        case ptir.BroadcastToOp():
            got, want = sizes(op.input), sizes(op.result)
            kept = axes[len(want) - len(got) :]
            pairs = list(zip(got, want[len(want) - len(got) :], kept, strict=True))
            if any(a is None or (a != 1 and a != b) for a, b, _ in pairs):
                return None
            return op.input, tuple(None if a == 1 else axis for a, _, axis in pairs)
        case ptir.ReshapeOp():
            got, want = sizes(op.input), sizes(op.result)
            if None in (*got, *want) or [s for s in got if s != 1] != [s for s in want if s != 1]:
                return None
            rest = iter([axis for axis, s in zip(axes, want, strict=True) if s != 1])
            return op.input, tuple(None if s == 1 else next(rest) for s in got)
        case _:
            return None


def walk_back(value: SSAValue, axes: Axes) -> tuple[SSAValue, Axes, Ops]:
    """Steps back as far as possible. Returns the value reached, its axes, and the ops passed."""
    passed: Ops = {}
    while isinstance(op := value.owner, Operation) and (step := step_back(op, axes)) is not None:
        passed[op] = None
        value, axes = step
    return value, axes, passed


def back(value: SSAValue, axes: Axes) -> tuple[SSAValue, Axes]:
    """Steps back as far as possible, also through arguments of composites. Returns the value reached and its axes."""
    while (step := step_back(definition(value), axes)) is not None:
        value, axes = step
    return value, axes


def constant(value: SSAValue) -> Array | None:
    """Returns the elements of a literal, with size 1 along each axis if it is a splat, or None for other values."""
    op = definition(value)
    if not isinstance(op, ptir.ConstantOp) or len(op.value.get_shape()) > MAX_RANK:
        return None
    return dense_array(op.value)[(slice(1),) * len(op.value.get_shape()) if splat(op.value) is not None else ...]


def uniform(value: SSAValue) -> float | None:
    """Returns the number that all elements of `value` are equal to, or None if it is not known."""
    literal = constant(back(value, axes_of(len(sizes(value))))[0])
    if literal is None or literal.size == 0 or literal.dtype.kind == "c":
        return None
    first = literal.reshape(-1)[0]
    same = bool(np.all(literal == first))
    return float(first) if same else None


def axes_of(rank: int) -> Axes:
    return tuple(range(rank))
