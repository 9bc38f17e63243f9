"""
Lowers ops that move elements to the movements of tiny.

```
op                    operands    lowering                                        result
pad interior [2]      a b c       reshape 3x1, pad 3x3, reshape 9, shrink 7       a . . b . . c
tile [2]              a b c       reshape 1x3, expand 2x3, reshape 6              a b c a b c
concat                a b, c      where(iota < 2, a b . , . . c)                  a b c
```
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import IntegerType, Signedness
from xdsl.ir import SSAValue

from ...dialects import ptir, tiny
from ...dialects.common.shapes import element
from ...dialects.common.syntax import ints
from ...dialects.ptir.dims import product, sizes
from ..op_writer import Declined, static_sizes
from .writer import Writer, zero

INDEX = IntegerType(64, Signedness.SIGNED)


def gather(op: ptir.GatherOp, write: Writer) -> SSAValue:
    """Keeps a gather, which is not affine only along one axis."""
    return write.add(ptir.GatherOp(op.x, op.indices, op.axis()))


def dynamic_slice(op: ptir.DynamicSliceOp, write: Writer) -> SSAValue:
    """Keeps a slice at a start given by data, unless it is whole."""
    if sizes(op.x) == sizes(op.result):
        return op.x
    return write.add(ptir.DynamicSliceOp(op.x, op.start, sizes(op.result)))


def broadcast_to(op: ptir.BroadcastToOp, write: Writer) -> SSAValue:
    """Writes an expand. Raises `Declined` if it is not known statically whether a size is 1."""
    of, to = sizes(op.input), sizes(op.result)
    for a, b in zip(of, to[len(to) - len(of) :], strict=True):
        if a != 1 and a != b and b is not None:
            raise Declined(f"whether {a or '?'} is 1 or {b} is not known statically")
    return write.expand(op.input, to)


def reshape(op: ptir.ReshapeOp, write: Writer) -> SSAValue:
    to = sizes(op.result)
    return write.add(tiny.MovementOp.reshape(op.input, to)) if None in to else write.reshape(op.input, to)


def dim_cast(op: ptir.DimCastOp, write: Writer) -> SSAValue:
    if op.input.type != op.result.type:
        raise Declined("it asserts sizes that are checked at run time")
    return op.input


def pad(op: ptir.PadOp, write: Writer) -> SSAValue:
    spaced = spread(write, op.input, ints(op.interior), op.value)
    return write.pad(spaced, ints(op.low), ints(op.high), op.value)


def spread(write: Writer, x: SSAValue, between: Sequence[int], value: ptir.ScalarAttr) -> SSAValue:
    """Inserts `between` copies of `value` between adjacent elements along each axis."""
    if not any(between):
        return x
    of = static_sizes(x)
    pairs = [(size, 1) if b else (size,) for size, b in zip(of, between, strict=True)]
    apart = write.reshape(x, [s for pair in pairs for s in pair])
    high = [n for b in between for n in ([0, b] if b else [0])]
    filled = write.pad(apart, [0] * len(high), high, value)
    wide = write.reshape(filled, [size * (b + 1) for size, b in zip(of, between, strict=True)])
    return write.shrink(wide, [0] * len(of), [size + max(size - 1, 0) * b for size, b in zip(of, between, strict=True)])


def tile(op: ptir.TileOp, write: Writer) -> SSAValue:
    of, repeats = sizes(op.input), ints(op.repeats)
    apart = [s for size, n in zip(of, repeats, strict=True) for s in ((size,) if n == 1 else (1, size))]
    wide = [s for size, n in zip(of, repeats, strict=True) for s in ((size,) if n == 1 else (n, size))]
    repeated = write.expand(write.reshape(op.input, apart), wide)
    return write.reshape(repeated, [product(size, n) for size, n in zip(of, repeats, strict=True)])


def concat(op: ptir.ConcatOp, write: Writer) -> SSAValue:
    return concatenated(write, op.inputs, op.axis())


def concatenated(write: Writer, inputs: Sequence[SSAValue], axis: int) -> SSAValue:
    """Pads each operand to the size of the result and selects by index. (Adding them would lose -0 and spread NaN.)"""
    rank = len(sizes(inputs[0]))
    extents = [static_sizes(x)[axis] for x in inputs]
    total = sum(extents)
    parts: list[tuple[int, SSAValue]] = []
    end = 0
    for x, extent in zip(inputs, extents, strict=True):
        start, end = end, end + extent
        if extent or not total:
            low, high = ([n if a == axis else 0 for a in range(rank)] for n in (start, total - end))
            parts.append((end, write.pad(x, low, high, zero(element(x)))))
            if not total:
                break
    *first, (_, whole) = parts
    if first:
        index = write.add(tiny.IotaOp(INDEX, [total if a == axis else 1 for a in range(rank)], axis))
        for end, part in reversed(first):
            whole = write.binary("where", write.binary("lt", index, write.literal(end, INDEX)), part, whole)
    return whole
