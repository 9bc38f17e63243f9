"""
Tiles of which some elements are unspecified: those outside of the valid region, and those that are computed from others.

An unspecified element is *poison*: it may be moved and computed with, and its result is poison too, but it must not be stored, and
must not be an index. Its bits are all ones. Poison has a cause, the op since which the element is unspecified.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from xdsl.dialects.builtin import DenseArrayBase, IntegerType
from xdsl.ir import Operation, SSAValue

from ...dialects.pto.indices import joined
from ..arrays import strict
from ..arrays.contraction import summands
from ..arrays.scalars import FUNCTIONS, Array, DType, narrow, widen
from ..values import ArrayFunctions, Value

Sizes = tuple[int, ...]


@dataclass(frozen=True)
class Partial:
    """A tile with poison: the elements, the sizes of the valid region, and the number of each element's cause, or 0."""

    array: Array
    valid: Sizes
    causes: Array

    def __array__(self, dtype: DType | None = None, copy: bool | None = None) -> Array:
        """Returns the elements, for a function that returns a tile; the bits of poison are ones. NumPy converts them to `dtype`."""
        return self.array

    @property
    def shape(self) -> Sizes:
        return self.array.shape

    @property
    def dtype(self) -> DType:
        return self.array.dtype


def elements_of(tile: Any) -> Any:
    """Returns the elements of a tile, poison included."""
    return tile.array if isinstance(tile, Partial) else tile


def causes_of(tile: Any) -> Array | None:
    """Returns the numbers of causes of a tile's elements; None if all are specified."""
    return tile.causes if isinstance(tile, Partial) else None


def valid_of(tile: Any) -> Sizes:
    return tile.valid if isinstance(tile, Partial) else tile.shape


def box(sizes: Sequence[int], offsets: Sequence[int] | None = None) -> tuple[slice, ...]:
    """Returns the slices of the box of `sizes` at `offsets`."""
    return tuple(slice(o, o + n) for o, n in zip(offsets or [0] * len(sizes), sizes, strict=True))


def least(*sizes: Sizes) -> Sizes:
    """Returns the sizes of the intersection of boxes at the origin."""
    return tuple(map(min, zip(*sizes, strict=True)))


def largest(*sizes: Sizes) -> Sizes:
    """Returns the sizes of the least box around boxes at the origin."""
    return tuple(map(max, zip(*sizes, strict=True)))


def replaced(sizes: Sizes, axis: int, size: int) -> Sizes:
    return (*sizes[:axis], size, *sizes[axis + 1 :])


class TileFunctions(ArrayFunctions):
    """The primitives of the meaning of instructions. Subclasses override these methods for other values than arrays."""

    in_grid: bool = False
    """Whether a tile of `pto.tiles` is being computed."""
    causes: dict[Operation, int]
    """The number of each op as a cause of poison."""

    def __init__(self) -> None:
        self.causes = {}

    def cause(self, op: Operation) -> int:
        """Returns the number of an op as a cause of poison."""
        return self.causes.setdefault(op, len(self.causes) + 1)

    def divide(self, op: Operation, name: str, a: Value, b: Value) -> Value:
        """Divides integers; `name` is `div` or `remainder`. A divisor of 0 counts as 1."""
        return divide(name, a, b)

    def multiply(self, acc: Value, a: Value, b: Value) -> Value:
        """Returns `acc + a · b`, rounded once to the accumulator type; integers wrap. Strict floats are added one after the other."""
        if self.strict and strict.is_strict("sum", acc.dtype):
            left, right = widen(a), widen(b)
            terms = (left[:, k, None] * right[None, k] for k in range(left.shape[1]))
            return strict.fold("sum", terms, acc.shape, acc.dtype, acc)
        first, left, right = (summands(x, acc.dtype) for x in (acc, a, b))
        with np.errstate(all="ignore"):
            return narrow(first + left @ right, acc.dtype)

    def require_arrays(self, op: Operation) -> None:
        """Raises an error if values are no arrays: the meaning of `op` is on arrays only."""

    def indices(
        self, values: Mapping[SSAValue, Any], static: DenseArrayBase[IntegerType], dynamic: Sequence[SSAValue]
    ) -> list[int]:
        """Returns the values of a list of indices."""
        return [i if isinstance(i, int) else int(values[i]) for i in joined(static, dynamic)]


@dataclass
class Call:
    """One execution of an op: its region, and of each tile operand the part that it reads, its valid region and causes of poison."""

    functions: TileFunctions
    op: Operation
    values: Mapping[SSAValue, Any]
    """The values of the operands."""
    sizes: Sizes
    """The sizes of the result."""
    valids: Sequence[Sizes]
    region: Sizes = ()
    parts: Sequence[Value] = ()
    causes: Sequence[Array | None] = ()
    poison: Array | None = None
    """The causes of elements of the result that are poison for another reason than their operands."""

    @property
    def cause(self) -> int:
        """The number of this op as a cause of poison."""
        return self.functions.cause(self.op)

    def specified(self, operand: int) -> Array | bool:
        """Returns which elements of a part are specified."""
        causes = self.causes[operand] if self.causes else None
        return True if causes is None else causes == 0


def divide(name: str, a: Array, b: Array) -> Array:
    """Returns the quotients or remainders of integers. A divisor of 0, as it may be outside of the box, counts as 1."""
    return FUNCTIONS[name](a, np.where(b == 0, np.ones_like(b), b))
