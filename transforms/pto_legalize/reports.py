"""
Writes reports of failures to the status.

The status has a word for each core, which has the greatest number that the core has reported. A report is a row of zeros and ones whose greatest
element, times the number of the report, replaces the word if it is greater:

```
%1 = report index %0 if %failed number 3 to %status      %row = trans(rowmax(sels(%failed, 1.0, 0.0)))
                                                         store max(load %status[%block], 3 · rowmax(%row)), %status[%block]
```
"""

from __future__ import annotations

from xdsl.dialects.builtin import DictionaryAttr, f32, i32
from xdsl.ir import SSAValue

from ...dialects import pto
from ...dialects.common.report import REPORT
from ...dialects.common.syntax import ints
from .masks import mask
from .transfers import Transfers
from .values import Line, Splat, Value

STATUS = pto.MemRefType((-1, 1), i32)
WORDS = 8
"""The columns of the tile with the word: a line of 32 bytes."""


def report(points: Transfers, op: pto.ReportOp, core: SSAValue) -> Value:
    """Writes a report, and returns the tile that passes through it."""
    failed = points.values[op.failed]
    for position, bound in zip(
        op.positions, ints(op.bounds)[len(op.offsets) :], strict=True
    ):  # others are reported before
        value = points.bitcast(points.values[position], i32)
        for mode, number in (("GE", 0), ("LT", bound)):
            failed = points.binary("and", failed, points.compare(mode, value, Splat.of(number, i32)))
    if op.where is not None:
        if op.positions:
            raise points.no_form(op, "a report at some points with positions")
        sizes = pto.tile_type(op.failed).sizes
        where = pto.MaskOp(op.offsets, ints(op.bounds), ints(op.dims), sizes, op.where.source.data)
        failed = points.binary("and", failed, mask(points, where))
    extents = points.extents_of(op, op.failed)
    x = points.full(points.convert(failed, f32), points.rounded(op.failed), extents)
    if x.sizes[0] > 1:
        x = points.transposed(x if x.sizes[1] == 1 else points.reduced(pto.RowMaxOp, x))
    copies = points.full(Line(x, True), (WORDS, x.sizes[1]), (WORDS, x.extents[1]))
    greatest = points.transposed(points.reduced(pto.RowMaxOp, copies))
    number = points.binary("mul", points.convert(greatest, i32), Splat.of(op.number.value.data, i32))
    array = points.arrays[op.status, STATUS]
    word = points.part(points.whole(number, op.failed), (1, 1), (1, WORDS))
    known = points.loaded(array, [core, 0], pto.TileType((1, WORDS), i32), (1, 1))
    store = points.stored(points.whole(points.binary("max", known, word), op.failed), array, [core, 0])
    store.attributes[REPORT] = DictionaryAttr({"failure": op.failure, "number": op.number})
    return points.values[op.tile]
