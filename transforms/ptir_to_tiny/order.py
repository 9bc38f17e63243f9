"""
Lowers `top_k` to a sort of integers in the order of the elements (`sort.py`), whose positions are the indices:

```
top_k smallest %x k 3 axis 0 (f32)

  %w = the bits of %x, of which those of negative numbers are inverted, as an unsigned integer
  %i = the positions of the 3 least of %w
  %v = ptir.gather %x, %i axis 0
```
"""

from __future__ import annotations

from math import prod

from xdsl.dialects.builtin import Float64Type, IntegerType, Signedness, f32
from xdsl.ir import SSAValue

from ...dialects import ptir
from ...dialects.common.shapes import element, is_float, is_unsigned
from ...dialects.ptir.functions import bit_width
from ..op_writer import static_sizes
from .sort import Sort
from .writer import U32, U64, Writer


def top_k(op: ptir.TopKOp, write: Writer) -> tuple[SSAValue, ...]:
    axis, of = op.axis(), static_sizes(op.input)
    if prod(static_sizes(op.values)) == 0:
        return tuple(write.expand(write.literal(0, element(r)), static_sizes(r)) for r in op.results)
    order = [*(a for a in range(len(of)) if a != axis), axis]
    back = [order.index(a) for a in range(len(of))]
    rows = write.permute(op.input, order)
    *others, size = static_sizes(rows)
    rows = write.reshape(rows, [*(s for s in others if s != 1), size])
    sort = Sort(write, words(rows, write, descending=op.order.data == "largest"))
    positions = sort.positions(sort.least(op.count))
    results = write.at(rows, positions), write.cast(positions, element(op.indices))
    return tuple(write.permute(write.reshape(r, [*others, op.count]), back) for r in results)


def words(x: SSAValue, write: Writer, *, descending: bool) -> SSAValue:
    """
    Writes unsigned integers of 32 or 64 bits in the order of the elements. Zeros are equal, since +0 is added to them, and all NaN are the
    largest.
    """
    if is_float(element(x)):
        x = x if isinstance(element(x), Float64Type) else write.cast(x, f32)
    real = element(x)
    wide = U64 if bit_width(real) == 64 else U32
    signed = IntegerType(wide.width.data, Signedness.SIGNED)
    flipped = 2**wide.width.data - 1 if descending else 0
    if is_unsigned(real):
        bits = write.cast(x, wide)
    else:
        flipped ^= 2 ** (wide.width.data - 1)
        bits = write.bitcast(_ordered(x, signed, write) if is_float(real) else write.cast(x, signed), wide)
    return write.binary("xor", bits, write.literal(flipped, wide)) if flipped else bits


def _ordered(x: SSAValue, integer: IntegerType, write: Writer) -> SSAValue:
    """Writes signed integers in the order of floats: their bits, of which those of negative numbers descend."""
    width = integer.width.data
    last, most = write.literal(width - 1, integer), write.literal(2 ** (width - 1) - 1, integer)
    bits = write.bitcast(write.binary("add", x, write.literal(0.0, element(x))), integer)
    negative = write.binary("and", write.binary("shift_right_arithmetic", bits, last), most)
    return write.binary("where", write.binary("ne", x, x), most, write.binary("xor", bits, negative))
