"""
Values that are known at compile time: literals, and splats, whose elements are all the same number.

Literals of more than `limit` elements are neither created nor read, except for splats. So a 1.0 that is broadcast to a megabyte
stays a broadcast.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import prod

import numpy as np
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, TensorType
from xdsl.ir import Operation, SSAValue

from ...dialects import ptir
from ...dialects.common.shapes import shape
from ...semantics.arrays.scalars import INT4, UINT4, Array, dense_array
from ...semantics.sizes import MAX_RANK
from ...text.literals import dense, splat
from .checks import needs_runtime_check

MOVES = (
    ptir.BroadcastToOp,
    ptir.ReshapeOp,
    ptir.TransposeOp,
    ptir.SliceOp,
    ptir.TileOp,
    ptir.DimCastOp,
)
"""Ops whose result contains only elements of their operand."""


@dataclass
class Constants:
    """Finds constants, and caches which literals are splats. `limit` is the maximum number of elements of other literals."""

    limit: int
    _splats: dict[Operation, Array | None] = field(default_factory=dict[Operation, Array | None])

    def is_small(self, of: Sequence[int]) -> bool:
        return prod(of) <= self.limit and len(of) <= MAX_RANK

    def splat(self, value: SSAValue) -> Array | None:
        """
        Returns the number that all elements of `value` are equal to, as an array of rank 0. Returns None if they differ, if there
        are no elements, or if a movement between the literal and `value` has a runtime check.
        """
        while isinstance(op := value.owner, MOVES):
            if needs_runtime_check(op):
                return None
            value = op.input
        if not isinstance(op, ptir.ConstantOp):
            return None
        if op not in self._splats:
            self._splats[op] = _splat(op.value)
        return self._splats[op]

    def array(self, value: SSAValue) -> Array | None:
        """Returns the elements of a small literal, or None for other values."""
        op = value.owner
        if isinstance(op, ptir.ConstantOp) and self.is_small(shape(value)):
            return dense_array(op.value)
        return None

    def known(self, value: SSAValue) -> Array | None:
        """Returns the number of a splat, or else the elements of a small literal, or None for other values."""
        found = self.splat(value)
        return self.array(value) if found is None else found


def is_constant(value: SSAValue) -> bool:
    """Returns whether the value is a literal, or contains only elements of a literal."""
    while isinstance(op := value.owner, MOVES):
        value = op.input
    return isinstance(op, ptir.ConstantOp)


def _splat(literal: DenseIntOrFPElementsAttr) -> Array | None:
    data = splat(literal)
    return None if data is None else dense_array(dense(TensorType(literal.get_element_type(), []), data))


def literal_bytes(value: Array) -> bytes:
    """Returns the bytes of a dense literal: `i1` is stored as 0 and -1, 4-bit integers as a byte each, others as in NumPy."""
    if value.dtype == np.bool_:
        value = np.where(value, np.int8(-1), np.int8(0))
    elif value.dtype in (INT4, UINT4):
        value = value.astype(np.int8)
    return np.ascontiguousarray(value).tobytes()
