"""
Formulas for functions of `tiny.unary` that have no vector op of their own.

`sigmoid`, `gelu` and `silu` of a float of 16 or 8 bits are computed in f32 and rounded once, as in `tiny`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import sqrt
from typing import cast

from xdsl.dialects.builtin import AnyFloat, ComplexType, FloatAttr, IntegerAttr, IntegerType, Signedness, f32, f64
from xdsl.ir import Operation, SSAValue

from ...dialects import pto
from ...dialects.common.numbers import complex_number
from ...dialects.common.shapes import is_complex, is_float, is_unsigned, widens_exactly


@dataclass(frozen=True)
class Formula:
    """Writes formulas of vector ops, which the function `add` inserts."""

    add: Callable[[Operation], SSAValue]

    def number(self, value: float, like: SSAValue) -> SSAValue:
        """Writes a tile of the type of `like` that is filled with `value`. An integer wraps, so -1 sets all bits."""
        tile = pto.tile_type(like)
        dtype = tile.element_type
        if is_complex(dtype):
            return self.add(pto.ExpandsOp(complex_number(value, 0.0, dtype), tile))
        if is_float(dtype):
            return self.add(pto.ExpandsOp(FloatAttr(value, cast(AnyFloat, dtype)), tile))
        bits = cast(IntegerType, dtype).width.data
        least = 0 if is_unsigned(dtype) else -(2 ** (bits - 1))
        integer = (int(value) - least) % 2**bits + least
        return self.add(pto.ExpandsOp(IntegerAttr(integer, cast(IntegerType, dtype)), tile))

    def unary(self, fn: str, x: SSAValue) -> SSAValue:
        return self.add(pto.UNARY[fn](x))

    def binary(self, fn: str, x: SSAValue, y: SSAValue | float) -> SSAValue:
        y = y if isinstance(y, SSAValue) else self.number(y, x)
        return self.add(pto.BINARY[fn](x, y))

    def shift_right(self, fn: str, x: SSAValue, by: SSAValue) -> SSAValue:
        """Writes the shift `fn`, which is `pto.tile.shr` on integers with or without sign: the bits of others are reinterpreted."""
        dtype = cast(IntegerType, pto.tile_type(x).element_type)
        if is_unsigned(dtype) == (fn == "shift_right_logical"):
            return self.add(pto.SHIFT_RIGHT(x, by))
        sign = Signedness.SIGNED if is_unsigned(dtype) else Signedness.UNSIGNED
        other = IntegerType(dtype.width.data, sign)
        shifted = self.add(pto.SHIFT_RIGHT(self.add(pto.BitcastOp(x, other)), self.add(pto.BitcastOp(by, other))))
        return self.add(pto.BitcastOp(shifted, dtype))

    def compare(self, mode: str, x: SSAValue, y: float) -> SSAValue:
        return self.add(pto.CmpOp(mode, x, self.number(y, x)))

    def in_wide(self, function: Callable[[SSAValue], SSAValue], x: SSAValue) -> SSAValue:
        """Applies `function` in f32 to floats of less than 32 bits, in complex<f64> to complex numbers, and rounds once."""
        dtype = pto.tile_type(x).element_type
        wide = ComplexType(f64) if is_complex(dtype) else f32
        if widens_exactly(wide, dtype):
            return function(x)
        return self.add(pto.CvtOp(function(self.add(pto.CvtOp(x, wide))), dtype))

    def wrapped(self, x: SSAValue, dtype: IntegerType) -> SSAValue:
        """
        Converts an integer modulo 2^width of `dtype`. As `pto.tile.cvt` saturates, the low bits and the top bit are converted
        apart.
        """
        source = cast(IntegerType, pto.tile_type(x).element_type)
        if source == dtype or widens_exactly(source, dtype):
            return x if source == dtype else self.add(pto.CvtOp(x, dtype))
        top = 2 ** (min(source.width.data, dtype.width.data) - 1)
        low = self.add(pto.CvtOp(self.binary("and", x, top - 1), dtype))
        is_set = self.compare("NE", self.binary("and", x, top), 0)
        high = self.add(pto.SelOp(is_set, self.number(-top, low), self.number(0, low)))
        return self.binary("or", low, high)

    # --- the formulas -----------------------------------------------------------------------------

    def relu(self, x: SSAValue) -> SSAValue:
        return self.binary("max", x, 0)

    def sigmoid(self, x: SSAValue) -> SSAValue:
        """Writes `1 / (1 + exp(-x))`."""
        return self.in_wide(
            lambda x: self.unary("recip", self.binary("add", self.unary("exp", self.unary("neg", x)), 1)), x
        )

    def silu(self, x: SSAValue) -> SSAValue:
        """Writes `x · sigmoid(x)`."""
        return self.in_wide(lambda x: self.binary("mul", x, self.sigmoid(x)), x)

    def gelu(self, x: SSAValue) -> SSAValue:
        """Writes `x/2 · (1 + erf(x/√2))`."""

        def function(x: SSAValue) -> SSAValue:
            one_plus_erf = self.binary("add", self.unary("erf", self.binary("mul", x, sqrt(0.5))), 1)
            return self.binary("mul", self.binary("mul", x, 0.5), one_plus_erf)

        return self.in_wide(function, x)

    def is_finite(self, x: SSAValue) -> SSAValue:
        """Writes `x - x == 0`, as x - x is NaN for infinities and NaN. (Not every type has infinities to compare with.)"""
        return self.compare("EQ", self.binary("sub", x, x), 0)

    def bitwise_not(self, x: SSAValue) -> SSAValue:
        """Writes `x xor -1`."""
        return self.binary("xor", x, -1)


FORMULAS: Mapping[str, Callable[[Formula, SSAValue], SSAValue]] = {
    "relu": Formula.relu,
    "sigmoid": Formula.sigmoid,
    "silu": Formula.silu,
    "gelu": Formula.gelu,
    "is_finite": Formula.is_finite,
    "not": Formula.bitwise_not,
}
