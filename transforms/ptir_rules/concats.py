"""
Rules of concatenations, pads and tiles: flatten nested ops, drop empty pieces, join adjacent slices.

```
concat x                                       →  x
concat (concat x, y), z                        →  concat x, y, z
concat (slice x [0, 2)), (slice x [2, 5))      →  slice x [0, 5)
pad (pad x)                                    →  pad x             if both pad with the same value
tile (tile x)                                  →  tile x
```
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from ...dialects import ptir
from ...dialects.ptir.dims import known_sizes, sizes
from .checks import is_in_bounds, needs_runtime_check, pieces_agree
from .slices import window
from .write import Result, Writer, operand_is


def simplify_concat(op: ptir.ConcatOp, write: Writer) -> Result:
    if not pieces_agree(op):
        return "whether the sizes of the pieces agree is not known statically"
    axis = op.axis()
    pieces = merged(flattened(op, axis), axis, write)
    if 1 < len(pieces) == len(op.inputs) and all(a is b for a, b in zip(pieces, op.inputs, strict=True)):
        return "every piece is needed"
    if not pieces:
        pieces = [op.inputs[0]]
    return pieces[0] if len(pieces) == 1 else write.add(ptir.ConcatOp(pieces, axis))


def flattened(op: ptir.ConcatOp, axis: int) -> list[SSAValue]:
    """Returns the pieces of `op`, with nested concatenations flattened, except for pieces of size 0 along the axis."""
    out: list[SSAValue] = []
    for x in op.inputs:
        inner = x.owner
        if isinstance(inner, ptir.ConcatOp) and inner.axis() == axis and not needs_runtime_check(inner):
            out += inner.inputs
        elif sizes(x)[axis] != 0:
            out.append(x)
    return out


def merged(pieces: Sequence[SSAValue], axis: int, write: Writer) -> list[SSAValue]:
    """Returns the pieces with adjacent slices of one value joined."""
    out: list[SSAValue] = []
    for x in pieces:
        joined = _joined(out[-1], x, axis, write) if out else None
        if joined is None:
            out.append(x)
        else:
            out[-1] = joined
    return out


def _joined(left: SSAValue, right: SSAValue, axis: int, write: Writer) -> SSAValue | None:
    a, b = left.owner, right.owner
    if not isinstance(a, ptir.SliceOp) or not isinstance(b, ptir.SliceOp) or a.input is not b.input:
        return None
    if not is_in_bounds(a) or not is_in_bounds(b):
        return None
    starts, others = list(a.starts.get_values()), list(b.starts.get_values())
    of, more = list(sizes(left)), sizes(right)
    size, extra = of[axis], more[axis]
    if not isinstance(size, int) or not isinstance(extra, int) or starts[axis] + size != others[axis]:
        return None
    if any(s != o for i, (s, o) in enumerate(zip(starts, others, strict=True)) if i != axis):
        return None
    of[axis] = size + extra
    return window(a.input, starts, of, write)


def drop_pad(op: ptir.PadOp, write: Writer) -> Result:
    amounts = (op.low, op.high, op.interior)
    if any(any(a.get_values()) for a in amounts) or op.input.type != op.result.type:
        return "it pads"
    return op.input


@operand_is(ptir.PadOp)
def merge_pads(op: ptir.PadOp, inner: ptir.PadOp, write: Writer) -> Result:
    if inner.value != op.value:
        return "its operand is not a pad with the same value"
    if any(op.interior.get_values()):
        return "it also pads between elements that are padding"
    if any(known_sizes(sizes(v)) is None for v in (inner.input, op.input, op.result)):
        return "a size is not known"
    low, high = (
        [a + b for a, b in zip(first.get_values(), second.get_values(), strict=True)]
        for first, second in ((inner.low, op.low), (inner.high, op.high))
    )
    return write.add(ptir.PadOp(inner.input, op.value, low, high, inner.interior.get_values()))


@operand_is(ptir.TileOp)
def merge_tiles(op: ptir.TileOp, inner: ptir.TileOp, write: Writer) -> Result:
    if known_sizes(sizes(inner.input) + sizes(op.input)) is None:
        return "a size is not known"
    repeats = [a * b for a, b in zip(inner.repeats.get_values(), op.repeats.get_values(), strict=True)]
    return write.add(ptir.TileOp(inner.input, repeats))
