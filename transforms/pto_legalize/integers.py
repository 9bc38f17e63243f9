"""
Arithmetic on integers that PTO lacks: shifts, unsigned integers, which are held as signed ones with the same bits, and narrow results.

An unsigned integer of up to 16 bits is computed in i32, which has all of them. One of 32 bits is compared, converted and divided by way of its upper
31 bits, which are a signed number, and its last bit.
"""

from __future__ import annotations

import abc
from typing import cast

from xdsl.dialects.builtin import IntegerAttr, f32, i1, i32
from xdsl.ir import Attribute

from ...dialects.common.shapes import is_float, is_unsigned
from ...dialects.ptir.functions import bit_width
from .values import Splat, Value, dtype_of, held

WIDTH = 32
SIGN = -(1 << 31)
"""The bits of an i32 of which only the sign is set."""


class Integers(abc.ABC):
    """The arithmetic on integers of a legalizer."""

    @abc.abstractmethod
    def unary(self, fn: str, x: Value) -> Value: ...

    @abc.abstractmethod
    def binary(self, fn: str, a: Value, b: Value) -> Value: ...

    @abc.abstractmethod
    def compare(self, mode: str, a: Value, b: Value) -> Value: ...

    @abc.abstractmethod
    def select(self, mask: Value, a: Value, b: Value) -> Value: ...

    @abc.abstractmethod
    def convert(self, x: Value, dtype: Attribute) -> Value: ...

    def half(self, x: Value) -> Value:
        """Writes the upper 31 bits of a ui32 as a positive i32."""
        return self.shift(x, Splat.of(1, i32), is_left=False, is_logical=True)

    def unordered(self, x: Value, dtype: Attribute) -> Value:
        """Writes the bits of unsigned integers, given what `ordered` returns."""
        if bit_width(dtype) == WIDTH:
            return self.binary("add", x, Splat.of(SIGN, i32))
        return self.convert(self.wrapped(x, dtype), dtype)

    def extremum(self, fn: str, a: Value, b: Value) -> Value:
        """Writes the maximum or minimum of unsigned integers."""
        is_first = self.compare("GT" if fn == "max" else "LT", self.ordered(a), self.ordered(b))
        return self.select(is_first, a, b)

    def divide_unsigned(self, x: Value, y: Value, *, is_remainder: bool) -> Value:
        """
        Writes the quotient or the remainder of unsigned integers. Of 32 bits, the quotient of the upper 31 bits of x, doubled, is the quotient or one
        less; a divisor with the upper bit set is in x at most once. Source: H. Warren, *Hacker's Delight*, §9-3.
        """
        dtype = dtype_of(x)
        if bit_width(dtype) < WIDTH:
            result = self.binary("remainder" if is_remainder else "div", self.ordered(x), self.ordered(y))
            return self.convert(self.wrapped(result, dtype), dtype)
        is_large = self.compare("LT", y, Splat.of(0, i32))
        quotient = self.binary("div", self.half(x), self.select(is_large, Splat.of(1, i32), y))
        quotient = self.select(is_large, Splat.of(0, i32), self.binary("add", quotient, quotient))
        rest = self.binary("sub", x, self.binary("mul", quotient, y))
        is_more = self.compare("GE", self.ordered(rest), self.ordered(y))
        if is_remainder:
            return self.select(is_more, self.binary("sub", rest, y), rest)
        return self.binary("add", quotient, self.convert(is_more, i32))

    def convert_unsigned(self, x: Value, source: Attribute, target: Attribute) -> Value:
        """Writes a conversion from or to unsigned integers, given the types in the program. Integers saturate, and no number is 0."""
        dtype = held(target)
        if source == i1 or target == i1:
            return self.convert(x, dtype)
        if is_float(target):
            return self.float_of(x, target)
        if is_float(source):
            return self.truncated(self.convert(x, f32), target)
        if is_unsigned(source):
            if bit_width(source) == bit_width(target) == WIDTH and is_unsigned(target):
                return x
            x = self.saturated(x) if bit_width(source) == WIDTH else self.ordered(x)
        else:
            x = self.convert(x, i32)
        if not is_unsigned(target):
            return self.convert(x, dtype)
        x = self.binary("max", x, Splat.of(0, i32))
        if bit_width(target) == WIDTH:
            return x
        x = self.binary("min", x, Splat.of((1 << bit_width(target)) - 1, i32))
        return self.convert(self.wrapped(x, target), dtype)

    def saturated(self, x: Value) -> Value:
        """Writes a ui32 as an i32, of which the greatest stands for those above."""
        is_large = self.compare("LT", x, Splat.of(0, i32))
        return self.select(is_large, Splat.of((1 << 31) - 1, i32), x)

    def float_of(self, x: Value, target: Attribute) -> Value:
        """Writes an unsigned integer as a float. Half of a large one, whose last bit is set if it or the bit before is, rounds as the whole does."""
        if bit_width(dtype_of(x)) < WIDTH:
            return self.convert(self.ordered(x), target)
        is_large = self.compare("LT", x, Splat.of(0, i32))
        odd = self.binary("or", self.half(x), self.binary("and", x, Splat.of(1, i32)))
        half = self.convert(self.select(is_large, odd, x), target)
        return self.select(is_large, self.binary("add", half, half), half)

    def truncated(self, x: Value, target: Attribute) -> Value:
        """Writes a float of f32 as an unsigned integer."""
        x = self.binary("max", x, Splat.of(0, f32))
        if bit_width(target) < WIDTH:
            x = self.binary("min", x, Splat.of((1 << bit_width(target)) - 1, f32))
            return self.convert(self.wrapped(self.convert(x, i32), target), held(target))
        is_large = self.compare("GE", x, Splat.of(1 << 31, f32))
        low = self.select(is_large, self.binary("sub", x, Splat.of(1 << 31, f32)), x)
        whole = self.convert(low, i32)
        return self.select(is_large, self.binary("xor", whole, Splat.of(SIGN, i32)), whole)

    def shift(self, x: Value, by: Value, *, is_left: bool, is_logical: bool) -> Value:
        """
        Writes a shift by an unsigned amount, which may exceed the width, in i32. A logical shift to the right clears the bits that an
        arithmetic one sets.
        """
        dtype = dtype_of(x)
        x, by = self.convert(x, i32), self.convert(by, i32)
        if is_logical and bit_width(dtype) < bit_width(i32):
            x = self.binary("and", x, Splat.of((1 << bit_width(dtype)) - 1, i32))
        inside, amount, count = None, by, 0
        if isinstance(by, Splat):
            count = cast("IntegerAttr", by.number).value.data % (1 << 32)
            if count >= 32 and (is_left or is_logical):
                return Splat.of(0, dtype)
            amount = Splat.of(min(count, 31), i32)
        else:
            least, most = (self.compare(mode, by, Splat.of(n, i32)) for mode, n in (("GE", 0), ("LT", 32)))
            inside = self.binary("and", least, most)
            amount = self.select(inside, by, Splat.of(31, i32))
        shifted = self.binary("shift_left" if is_left else "shift_right_arithmetic", x, amount)
        if is_logical and inside is None:
            shifted = self.binary("and", shifted, Splat.of((1 << (32 - count)) - 1, i32))
        elif is_logical:
            sign = self.binary("shift_right_arithmetic", Splat.of(-(1 << 31), i32), amount)
            sign = self.binary("shift_left", sign, Splat.of(1, i32))
            shifted = self.binary("and", shifted, self.unary("not", sign))
        if inside is not None and (is_left or is_logical):
            shifted = self.select(inside, shifted, Splat.of(0, i32))
        return self.convert(self.wrapped(shifted, dtype), dtype)

    def ordered(self, x: Value) -> Value:
        """Writes an i32 for each unsigned integer, given its bits, in the order of these."""
        width = bit_width(dtype_of(x))
        if isinstance(x, Splat):
            bits = cast("IntegerAttr", x.number).value.data % (1 << width)
            return Splat.of(bits - (1 << 31 if width == bit_width(i32) else 0), i32)
        if width == bit_width(i32):
            return self.binary("add", x, Splat.of(-(1 << 31), i32))
        return self.binary("and", self.convert(x, i32), Splat.of((1 << width) - 1, i32))

    def wrapped(self, x: Value, dtype: Attribute) -> Value:
        """Writes an i32 modulo the numbers of a narrower signed integer, to which a conversion would saturate it."""
        if dtype_of(x) != i32:
            return x
        half = 1 << (bit_width(dtype) - 1)
        for fn, number in (("add", half), ("and", 2 * half - 1), ("sub", half)):
            x = self.binary(fn, x, Splat.of(number, i32))
        return x
