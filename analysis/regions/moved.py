"""Follows values backwards through movements and casts, with the maps through which they are read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeGuard

import islpy as isl
from xdsl.dialects.builtin import BFloat16Type, Float16Type, f32
from xdsl.ir import Block, Operation, SSAValue

from ...dialects import tiny
from ...dialects.common.shapes import FLOAT8, element, shape
from ..index import affine
from ..index.book import IndexBook

FLOATS = (*FLOAT8, BFloat16Type, Float16Type, type(f32))


def moved(value: SSAValue, at: isl.MultiAff, sizes: tuple[int, ...], book: IndexBook) -> tuple[SSAValue, isl.MultiAff]:
    """Follows a value, read through `at` from a space of `sizes`, through casts of floats and movements other than pads."""
    while _moves(value.owner):
        (access,) = book[value].accesses
        value, at = access.value, affine.compose(access.map, at, sizes)
    return value, at


def origin(value: SSAValue) -> SSAValue:
    """Returns the value to which `moved` follows a value."""
    while _moves(op := value.owner):
        value = op.input
    return value


def _moves(op: Operation | Block) -> TypeGuard[tiny.MovementOp | tiny.UnaryOp]:
    if isinstance(op, tiny.MovementOp):
        return op.kind.data != "pad"
    return isinstance(op, tiny.UnaryOp) and op.fn.data == "cast" and isinstance(element(op.input), FLOATS)


def broadcast(operand: SSAValue, sizes: Sequence[int]) -> isl.MultiAff:
    """Returns the map by which an elementwise op with a result of `sizes` reads an operand, which may have fewer axes or sizes of 1."""
    of = shape(operand)
    first = len(sizes) - len(of)
    return affine.make_map(len(sizes), [f"i{first + k}" if size != 1 else "0" for k, size in enumerate(of)])
