"""
`tiny-order-reductions`: lets reductions visit the elements of an array in the order in which they lie in memory.

```
%1 = permute %x by [0, 3, 1, 2]           8x256x32x32       of x: 8x32x32x256, channels last
%2 = reshape %1                           8x32x8192         32 groups of 8 channels
%3 = tiny.reduce sum %2 axes [2]          8x32

%3 = reshape %2                           8x32x8x1024
%4 = permute %3 by [0, 1, 3, 2]           8x32x1024x8       the channels, which are adjacent in x, are last
%5 = tiny.reduce sum %4 axes [2, 3]       8x32
```

A reduced axis at which an address divides is split, and reduced axes are sorted by their strides. Movements cancel in access maps, so
that kernels of rows and columns find contiguous elements (`analysis/regions/rows.py`). If a reduction reads several arrays, the
largest decides. Contractions are not changed: their operands may have any layout. Sums of strict floats keep their order.
Spec: `tensor-compiler.ja §1.3` (`AxisMap`).
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, prod

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, SSAValue
from xdsl.passes import ModulePass

from ..analysis.errors import TooComplex
from ..analysis.index import affine
from ..analysis.index.book import IndexBook, index_book
from ..analysis.index.info import Access
from ..analysis.index.static_sizes import blocks_of
from ..analysis.program.statistics import count
from ..analysis.regions.addresses import is_affine, linear_address, stride
from ..analysis.regions.contraction import contractions
from ..analysis.regions.leaf_accesses import leaf_accesses
from ..analysis.regions.places import is_leaf, is_splat
from ..analysis.regions.row_layout import split_axis
from ..analysis.regions.rows import axes_used
from ..analysis.regions.slices import MAX_SPLITS
from ..dialects import tiny
from ..dialects.common.shapes import shape
from ..dialects.ptir.dims import known_sizes, sizes
from ..planning.attention import reductions_of_chained_products
from .op_writer import rewrite
from .ptir_to_tiny.writer import Writer

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class TinyOrderReductions(ModulePass):
    """Splits and permutes reduced axes of static sizes so that their strides in memory descend."""

    name = "tiny-order-reductions"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in [o for o in op.body.block.ops if isinstance(o, FuncOp) and len(o.body.blocks) == 1]:
            for block in blocks_of(function):
                for reduce, order in orders(block).items():
                    rewrite(Writer(reduce), order.written)
                    count("reductions reordered")


@dataclass(frozen=True)
class Order:
    """The sizes of a reduction's operand after splits, the order of its axes, and the positions of the reduced ones in that order."""

    sizes: Sequence[int]
    perm: Sequence[int]
    reduced: Sequence[int]

    def written(self, op: tiny.ReduceOp, write: Writer) -> SSAValue:
        """Writes the reduction of the reordered operand. Returns its result."""
        x = write.permute(write.reshape(op.input, self.sizes), self.perm)
        return write.reduce(op.fn.data, x, self.reduced, op.accum)


def orders(block: Block) -> dict[tiny.ReduceOp, Order]:
    """Returns the reductions of a block that do not visit an array in the order of memory, each with the order to visit it in."""
    contracted = {op for c in contractions(block).values() for op in (c.op, *c.interior)}
    contracted |= reductions_of_chained_products(block)
    book = index_book(block)
    found: dict[tiny.ReduceOp, Order] = {}
    for op in block.ops:
        if (
            not isinstance(op, tiny.ReduceOp)
            or op in contracted
            or tiny.keeps_order(op)
            or not (of := known_sizes(sizes(op.input)))
            or 0 in of
        ):
            continue
        try:
            array = largest_array(op, of, book)
            order = None if array is None else order_of(array, of, op.axes())
        except TooComplex as e:
            log.debug("this reduction keeps its order: %s", e.message, extra={"op": op})
            continue
        if order is not None:
            found[op] = order
    return found


def largest_array(reduce: tiny.ReduceOp, of: tuple[int, ...], book: IndexBook) -> Access | None:
    """
    Returns the access from the axes of the operand to the largest array that the reduction reads along its axes. None if there is no
    array, or if one is read at indices given by data.
    """
    start = Access(reduce.input, affine.identity(len(of)))
    reads = list(leaf_accesses(start, of, book, lambda v: is_leaf(v) or isinstance(v.owner, tiny.ReduceOp)))
    arrays = [
        at
        for at, _ in reads
        if not (is_splat(at.value) or isinstance(at.value.owner, tiny.IotaOp))
        and not set(reduce.axes()).isdisjoint(axes_used(at.map))
    ]
    affine_reads = all(space == of for _, space in reads)
    return max(arrays, key=lambda at: prod(shape(at.value)), default=None) if affine_reads else None


def order_of(array: Access, whole: tuple[int, ...], reduced: Sequence[int]) -> Order | None:
    """
    Returns the order in which a reduction of the axes `reduced` of an operand of sizes `whole` visits the elements of an array by
    descending strides, or None if it does so already, or if no splits give each axis a stride.
    """
    at, split, axes = array.map, whole, list(range(len(whole)))
    while not is_affine(address := linear_address(shape(array.value), at, split)):
        finer = split_axis(at, split)
        if finer is None or len(split) == len(whole) + MAX_SPLITS:
            return None
        place = next(k for k, size in enumerate(split) if size != finer[k])
        axes.insert(place, axes[place])  # both parts are of the same axis of the operand
        at, split = affine.compose(at, affine.reshape_map(finer, split), finer), finer
    parts = [
        (axis, size, stride(address, k)) if axis in reduced else (axis, whole[axis], 0)
        for k, (axis, size) in enumerate(zip(axes, split, strict=True))
        if axis in reduced or axis not in axes[:k]
    ]
    places = [k for k, (axis, _, _) in enumerate(parts) if axis in reduced]
    order = sorted(places, key=lambda k: -(parts[k][2] or inf))
    wide = [k for k in order if parts[k][1] > 1]
    if wide == sorted(wide) and len(parts) == len(whole):
        return None
    to = dict(zip(places, order, strict=True))
    return Order([size for _, size, _ in parts], [to.get(k, k) for k in range(len(parts))], places)
