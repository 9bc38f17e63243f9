"""
Broadcast rules: merge broadcasts, sink them below elementwise ops, turn broadcasts that repeat nothing into reshapes.

```
broadcast (broadcast x)            →  broadcast x
add (broadcast x), (broadcast y)   →  broadcast (add x, y)      if x and y have the same type
tile x [3, 1]                      →  broadcast x               if the tiled axes have size 1
```
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.ir import Operation, SSAValue

from ...dialects import ptir
from ...dialects.common.shapes import element
from ...dialects.ptir.dims import Size, known_sizes, sizes, tensor_type
from ...dialects.ptir.functions import RemainderOp
from ...semantics.arrays.scalars import is_float, numpy_dtype
from .checks import needs_runtime_check
from .write import Result, Writer, operand_is


def drop_broadcast(op: ptir.BroadcastToOp, write: Writer) -> Result:
    """Drops a broadcast to the operand's own type."""
    if op.input.type != op.result.type:
        return "it changes the shape"
    return "it has a size without a name" if None in sizes(op.result) else op.input


@operand_is(ptir.BroadcastToOp)
def merge_broadcasts(op: ptir.BroadcastToOp, inner: ptir.BroadcastToOp, write: Writer) -> Result:
    middle, out = sizes(inner.result), sizes(op.result)
    first = (1,) * (len(middle) - len(sizes(inner.input))) + sizes(inner.input)
    aligned = zip(first, middle, out[len(out) - len(middle) :], strict=True)
    if not all(m == o is not None or f == m == 1 for f, m, o in aligned):
        return "whether the intermediate size is right is not known statically"
    return write.add(ptir.BroadcastToOp(inner.input, out))


def broadcast_as_reshape(op: ptir.BroadcastToOp, write: Writer) -> Result:
    """Turns a broadcast that only adds leading axes of size 1 into a reshape."""
    got, want = sizes(op.input), sizes(op.result)
    new = len(want) - len(got)
    if None in want or new == 0 or want != (1,) * new + got:
        return "it repeats elements, or may do so"
    return write.add(ptir.ReshapeOp(op.input, want))


@operand_is(ptir.ReshapeOp)
def broadcast_of_reshape(op: ptir.BroadcastToOp, inner: ptir.ReshapeOp, write: Writer) -> Result:
    """Drops a reshape that adds leading axes of size 1 before a broadcast."""
    got, middle = sizes(inner.input), sizes(inner.result)
    new = len(middle) - len(got)
    if None in middle or new < 0 or middle != (1,) * new + got:
        return "the reshape does more than add leading axes of size 1"
    return write.add(ptir.BroadcastToOp(inner.input, sizes(op.result)))


def tile_as_broadcast(op: ptir.TileOp, write: Writer) -> Result:
    repeats, got, want = op.repeats.get_values(), sizes(op.input), sizes(op.result)
    if not all(n == 1 or s == 1 for n, s in zip(repeats, got, strict=True)):
        return "it repeats more than axes of size 1"
    if needs_runtime_check(op):
        return "its sizes are not known statically"
    return op.input if got == want else write.add(ptir.BroadcastToOp(op.input, want))


def sink_broadcast(op: Operation, write: Writer) -> Result:
    """Computes an elementwise op before its operands are broadcast, and broadcasts the result instead."""
    sources = [value.owner for value in op.operands]
    broadcasts = [s for s in sources if isinstance(s, ptir.BroadcastToOp)]
    of = {sizes(s.input) for s in broadcasts}
    if len(of) != 1:
        return "its operands are not all broadcast, or not from one shape"
    small, large = of.pop(), sizes(op.operands[0])
    if not _is_smaller(small, large):
        return "the operand of the broadcast may not be smaller"
    if isinstance(op, ptir.DivOp | RemainderOp) and not is_float(numpy_dtype(element(op.lhs))):
        return "it may divide by a zero that is broadcast to no elements"
    args: list[SSAValue] = []
    for value, source in zip(op.operands, sources, strict=True):
        if isinstance(source, ptir.BroadcastToOp):
            args.append(source.input)
        elif (scalar := write.constants.splat(value)) is not None:
            args.append(write.splat(scalar, tensor_type(element(value), small)))
        else:
            return "an operand is neither broadcast nor constant"
    result = op.results[0]
    fresh = op.create(
        operands=args,
        properties=op.properties,
        attributes=op.attributes,
        result_types=[tensor_type(element(result), small)],
    )
    return write.add(ptir.BroadcastToOp(write.add(fresh), sizes(result)))


def _is_smaller(small: Sequence[Size], large: Sequence[Size]) -> bool:
    """Returns whether `small` is known to have fewer elements than `large` or, with dynamic sizes, never more."""
    a, b = known_sizes(small), known_sizes(large)
    if a is not None and b is not None:
        return prod(a) < prod(b)
    aligned = (1,) * (len(large) - len(small)) + tuple(small)
    return None not in large and all(x in (1, y) for x, y in zip(aligned, large, strict=True)) and small != large
