"""
Sums of rows with at most one term that is not zero, at a position that a number for each row gives: the logit of a target.

```
rowsum sel(iota == rowexpand %target, %x, 0)    =    %x[row, %target], or 0 if there is no such column
```

The term is computed at this position alone, with loads of single elements. Spec: `pto-ir.md §4`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import copysign

from xdsl.dialects.builtin import FloatAttr, IntegerAttr, IntegerType
from xdsl.ir import Operation, SSAValue
from xdsl.utils.hints import isa

from ....analysis.index import affine
from ....dialects import pto
from ....dialects.common.shapes import is_complex
from ....dialects.common.syntax import ints
from .access import IndexSpace, index_space

EXPANSIONS = (pto.RowExpandOp, pto.ColExpandOp)
ELEMENTWISE = (*pto.UNARY.values(), *pto.BINARY.values(), pto.CmpOp, pto.SelOp, pto.CvtOp, pto.BitcastOp)


@dataclass(frozen=True)
class OneHotSum:
    """A sum of rows, the position of the only term (a tile of one column), the ops that compute a term, and the tiles they read."""

    position: SSAValue
    ops: frozenset[Operation]
    reads: tuple[SSAValue, ...]


def source(value: SSAValue) -> SSAValue:
    """Returns the tile before it was broadcast along its rows or columns, or `value` itself."""
    while isinstance(value.owner, EXPANSIONS):
        value = value.owner.input
    return value


def one_hot_sum(op: Operation, ops: Sequence[Operation], space: IndexSpace) -> OneHotSum | None:
    """Returns how a reduction computes a one-hot sum by ops among `ops`, or None if it is another one."""
    if not isinstance(op, pto.RowSumOp) or op.run is not None or is_complex(pto.tile_type(op.result).element_type):
        return None
    if pto.tile_type(op.input).sizes[1] == 1 or (position := position_of_term(op.input, space)) is None:
        return None
    known, found = set(ops), set[Operation]()
    reads: dict[SSAValue, None] = {position: None}
    todo = [op.input]
    while todo:
        value = todo.pop()
        by = value.owner
        if pto.tile_type(value).sizes[1] == 1 and not isinstance(by, pto.ExpandsOp):
            reads[value] = None
            continue
        if isinstance(by, pto.LoadOp | pto.MaskOp | pto.IotaOp):
            fits = index_space(by) == space
        else:
            fits = isinstance(by, (*ELEMENTWISE, pto.ExpandsOp, pto.RowExpandOp))
        if not (isinstance(by, Operation) and by in known and fits):
            return None
        if by not in found:
            found.add(by)
            todo += [o for o in by.operands if isinstance(o.type, pto.TileType)]
    return OneHotSum(position, frozenset(found), tuple(reads))


def position_of_term(tile: SSAValue, space: IndexSpace) -> SSAValue | None:
    """Returns the tile of one column that holds the only column at which `tile` may not be zero, or None if that is not known."""
    match tile.owner:
        case pto.CvtOp():
            return position_of_term(tile.owner.input, space)
        case pto.SelOp() if is_zero(tile.owner.on_false):
            return position_of_truth(tile.owner.mask, space) or position_of_term(tile.owner.on_true, space)
        case _:
            return None


def position_of_truth(mask: SSAValue, space: IndexSpace) -> SSAValue | None:
    """Returns the tile of one column that holds the only column at which `mask` may be true, or None if that is not known."""
    op = mask.owner
    if isinstance(op, pto.BINARY["and"]):
        return next((found for o in op.operands if (found := position_of_truth(o, space)) is not None), None)
    if not (isinstance(op, pto.CmpOp) and op.mode.data == "EQ"):
        return None
    for column, other in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
        position = source(other)
        once = pto.tile_type(position).sizes[1] == 1 and not isinstance(position.owner, pto.ExpandsOp)
        if once and is_column(column, space):
            return position
    return None


def is_column(tile: SSAValue, space: IndexSpace) -> bool:
    """Returns whether the elements of a tile are the numbers of their columns in `space`, in an integer type that holds them all."""
    op, dtype = tile.owner, pto.tile_type(tile).element_type
    if not (isa(dtype, IntegerType) and dtype.width.data >= 32):
        return False
    if isinstance(op, pto.CvtOp):
        return is_column(op.input, space)
    if not (isinstance(op, pto.IotaOp) and index_space(op) == space):
        return False
    column = affine.make_map(len(space.bounds), [f"i{space.dims[1]}"])
    return affine.equal_on(ints(op.bounds), affine.read_map(op.map.source.data), column)


def is_zero(tile: SSAValue) -> bool:
    """Returns whether a tile is a constant 0; not -0, which would be the sum of terms that are."""
    op = source(tile).owner
    if not isinstance(op, pto.ExpandsOp):
        return False
    number = op.value
    if isinstance(number, FloatAttr):
        return number.value.data == 0 and copysign(1, number.value.data) > 0
    return isa(number, IntegerAttr) and number.value.data == 0
