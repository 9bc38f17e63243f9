"""
Selects elements by the bits of their values, so that no zero loses its sign and no NaN its payload.

`selected` returns, for each point, the operand's element at the one position along an axis that a predicate chooses:

```
%b = unary bitcast %x                                   the element as an unsigned integer
%r = reduce sum (binary where %chosen, %b, 0)           the only term that is not 0
```
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import IntegerType, Signedness
from xdsl.ir import Attribute, SSAValue

from ...dialects.common.shapes import element, is_predicate
from ...dialects.ptir.functions import bit_width
from .writer import Writer

U32, U64 = (IntegerType(width, Signedness.UNSIGNED) for width in (32, 64))


def unsigned(dtype: Attribute) -> IntegerType:
    """Returns the unsigned integer type of the width of a type."""
    return IntegerType(bit_width(dtype), Signedness.UNSIGNED)


def to_bits(write: Writer, x: SSAValue) -> SSAValue:
    """Writes the bits of the elements, as integers of 32 bits, or of 64 for types of that width."""
    dtype = element(x)
    bits = x if is_predicate(dtype) else write.bitcast(x, unsigned(dtype))
    return write.cast(bits, U64 if bit_width(dtype) == 64 else U32)


def from_bits(write: Writer, bits: SSAValue, dtype: Attribute) -> SSAValue:
    """Writes the elements of type `dtype` that have the given bits, which are less than 2^width."""
    if is_predicate(dtype):
        return write.cast(bits, dtype)
    return write.bitcast(write.cast(bits, unsigned(dtype)), dtype)


def selected(write: Writer, x: SSAValue, chosen: SSAValue, axes: Sequence[int]) -> SSAValue:
    """Writes the element of `x` at which `chosen` is true, of those along `axes`; it is true for one at most."""
    bits = to_bits(write, x)
    dtype = element(bits)
    found = write.reduce("sum", write.binary("where", chosen, bits, write.literal(0, dtype)), axes, dtype)
    return from_bits(write, found, element(x))
