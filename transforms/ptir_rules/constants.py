"""
What the compiler knows of values: literals, and what is the same number at every element.

Literals of more than `limit` elements are neither made nor read, unless all their elements are one: a program that
broadcasts 1.0 to a megabyte stays one that broadcasts.
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
from .checks import asks_a_run

MOVES = (
    ptir.BroadcastToOp,
    ptir.ReshapeOp,
    ptir.TransposeOp,
    ptir.SliceOp,
    ptir.TileOp,
    ptir.DimCastOp,
)
"""Ops that give nothing but elements of their operand."""


@dataclass
class Constants:
    """Remembers what it has found out about ops that do not change."""

    limit: int
    _splats: dict[Operation, Array | None] = field(default_factory=dict[Operation, Array | None])

    def is_small(self, of: Sequence[int]) -> bool:
        return prod(of) <= self.limit and len(of) <= MAX_RANK

    def full(self, of: Sequence[int], scalar: Array) -> Array:
        return np.full(of, scalar, scalar.dtype)

    def splat(self, value: SSAValue) -> Array | None:
        """
        The number that all elements are, as an array of rank 0. None for others, where there are no elements, and where
        a run checks sizes on the way.
        """
        while isinstance(op := value.owner, MOVES):
            if asks_a_run(op):
                return None
            value = op.input
        if not isinstance(op, ptir.ConstantOp):
            return None
        if op not in self._splats:
            self._splats[op] = _splat(op.value)
        return self._splats[op]

    def array(self, value: SSAValue) -> Array | None:
        """The elements of a small literal; None for others."""
        op = value.owner
        if isinstance(op, ptir.ConstantOp) and self.is_small(shape(value)):
            return dense_array(op.value)
        return None

    def known(self, value: SSAValue) -> Array | None:
        """The elements, or the one number that all of them are."""
        found = self.splat(value)
        return self.array(value) if found is None else found


def is_constant(value: SSAValue) -> bool:
    """Whether the value is a literal, or elements of one."""
    while isinstance(op := value.owner, MOVES):
        value = op.input
    return isinstance(op, ptir.ConstantOp)


def _splat(literal: DenseIntOrFPElementsAttr) -> Array | None:
    data = splat(literal)
    return None if data is None else dense_array(dense(TensorType(literal.get_element_type(), []), data))


def literal_bytes(value: Array) -> bytes:
    """The elements as a dense literal stores them: `i1` as 0 and -1, 4 bits in a byte, all else as NumPy does."""
    if value.dtype == np.bool_:
        value = np.where(value, np.int8(-1), np.int8(0))
    elif value.dtype in (INT4, UINT4):
        value = value.astype(np.int8)
    return np.ascontiguousarray(value).tobytes()
