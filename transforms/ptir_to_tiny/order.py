"""
Lowers `top_k` to the ranks of the elements.

```
top_k largest %x k 3 axis 0                             x 8

  %b = binary gt %x along j, %x along i                 8x8: j precedes i; ge if j < i, so that equal elements keep their order
  %r = reduce sum (binary where %b, 1, 0) axes [1]      8: the position of element i
  %c = binary eq %r, iota                               3x8: element i is at position p
  values = the elements selected by %c, indices = reduce sum (binary where %c, iota, 0) axes [1]
```

The number of comparisons is the square of the size of the axis; no tensor of that size is stored.
"""

from __future__ import annotations

from xdsl.dialects.builtin import Float64Type, IntegerType, Signedness, f32
from xdsl.ir import SSAValue

from ...dialects import ptir
from ...dialects.common.shapes import element, is_float
from .selection import selected
from .writer import Writer, static_sizes

POSITION = IntegerType(32, Signedness.SIGNED)


def top_k(op: ptir.TopKOp, write: Writer) -> tuple[SSAValue, SSAValue]:
    x, axis, of = op.input, op.axis(), static_sizes(op.input)
    size, rank = of[axis], len(of) + 1
    above, below = ([*of[:axis], *pair, *of[axis + 1 :]] for pair in ((size, 1), (1, size)))
    keys = key(x, write)
    one, other = write.reshape(keys, above), write.reshape(keys, below)
    i, j = (write.count(POSITION, rank, a, size) for a in (axis, axis + 1))
    after, before = ("gt", "ge") if op.order.data == "largest" else ("lt", "le")
    precedes = write.binary(
        "where", write.binary("lt", j, i), write.binary(before, other, one), write.binary(after, other, one)
    )
    ones = write.binary("where", precedes, write.literal(1, POSITION), write.literal(0, POSITION))
    places = write.reshape(write.reduce("sum", ones, [axis + 1], POSITION), below)
    chosen = write.binary("eq", places, write.count(POSITION, rank, axis, op.count))
    index = element(op.indices)
    numbers = write.binary("where", chosen, write.count(index, rank, axis + 1, size), write.literal(0, index))
    return (
        selected(write, write.reshape(x, below), chosen, [axis + 1]),
        write.reduce("sum", numbers, [axis + 1], index),
    )


def key(x: SSAValue, write: Writer) -> SSAValue:
    """
    Writes integers in the order of the elements: integers themselves; the bits of floats, of which those of negative numbers descend.
    Adding +0 makes zeros equal, and NaN becomes the largest integer.
    """
    if not is_float(element(x)):
        return x
    x = x if isinstance(element(x), Float64Type) else write.cast(x, f32)
    real = element(x)
    integer = IntegerType(64 if isinstance(real, Float64Type) else 32, Signedness.SIGNED)
    last = write.literal(integer.width.data - 1, integer)
    most = write.literal(2 ** (integer.width.data - 1) - 1, integer)
    bits = write.bitcast(write.binary("add", x, write.literal(0.0, real)), integer)
    negative = write.binary("and", write.binary("shift_right_arithmetic", bits, last), most)
    return write.binary("where", write.binary("ne", x, x), most, write.binary("xor", bits, negative))
