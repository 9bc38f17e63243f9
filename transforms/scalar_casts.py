"""
Expands `ptir.cast` of one element to `arith`, with the contract's results where those of `arith` are undefined.

```
float → integer    fptosi, and selects for values out of range: the cast saturates, and NaN becomes 0
integer → integer  maxsi and minsi (or minui) to the narrower range, then trunci, extsi or nothing: the cast saturates
float → float      extf, or one truncf, which rounds once; between types of equal width, both, by way of f32
```

Spec: `ptir-backend-contract.md`, *cast*.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from xdsl.dialects import arith, complex
from xdsl.dialects.builtin import AnyFloat, ComplexType, Float64Type, FloatAttr, IntegerAttr, IntegerType, f32
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.utils.hints import isa

from ..dialects.common.shapes import is_complex, is_float, is_predicate, is_unsigned, signless

Adder = Callable[[Operation], SSAValue]
"""Inserts an op and returns its result."""


def convert(value: SSAValue, source: Attribute, target: Attribute, add: Adder) -> SSAValue:
    """Returns `value`, an element of type `source`, cast to type `target`."""
    if source == target:
        return value
    if is_complex(target):
        return _complex(value, source, target, add)
    if isa(target, IntegerType):
        if is_predicate(target):
            return add(_is_not_zero(value, source, add))
        return _truncated(value, target, add) if is_float(source) else _saturated(value, source, target, add)
    if isa(source, IntegerType):
        return add((arith.UIToFPOp if is_unsigned(source) else arith.SIToFPOp)(value, cast(AnyFloat, target)))
    return _rounded(value, source, target, add)


def integer_attr(value: int, dtype: Attribute) -> IntegerAttr:
    """Returns the attribute of an `arith.constant` that is the number `value` of type `dtype`."""
    return IntegerAttr(value, cast(IntegerType, signless(dtype)))


def limits(dtype: IntegerType) -> tuple[int, int]:
    """Returns the least and the greatest value of an integer type; signless integers are signed."""
    half = 1 << dtype.width.data - 1
    return (0, 2 * half - 1) if is_unsigned(dtype) else (-half, half - 1)


def _is_not_zero(value: SSAValue, source: Attribute, add: Adder) -> Operation:
    if is_float(source):
        return arith.CmpfOp(value, add(arith.ConstantOp(FloatAttr(0.0, cast(AnyFloat, source)))), "une")
    return arith.CmpiOp(value, add(arith.ConstantOp(integer_attr(0, source))), "ne")


def _complex(value: SSAValue, source: Attribute, target: ComplexType[AnyFloat], add: Adder) -> SSAValue:
    """Casts the real and the imaginary part separately; the imaginary part of a real number is 0."""
    part = target.element_type
    if is_complex(source):
        re, im = (convert(add(op(value)), source.element_type, part, add) for op in (complex.ReOp, complex.ImOp))
    else:
        re, im = convert(value, source, part, add), add(arith.ConstantOp(FloatAttr(0.0, part)))
    return add(complex.CreateOp(re, im, target))


def _rounded(value: SSAValue, source: Attribute, target: Attribute, add: Adder) -> SSAValue:
    before, after = (cast(AnyFloat, t).bitwidth for t in (source, target))
    if before < after:
        return add(arith.ExtFOp(value, cast(AnyFloat, target)))
    if before == after:
        value = add(arith.ExtFOp(value, f32))
    return add(arith.TruncFOp(value, cast(AnyFloat, target)))


def _truncated(value: SSAValue, target: IntegerType, add: Adder) -> SSAValue:
    """Casts by `fptosi`. Its result is poison for numbers that are out of range; a select replaces it in each such case."""
    if not isinstance(value.type, Float64Type) and value.type != f32:
        value = add(arith.ExtFOp(value, f32))
    low, high = limits(target)

    def float_constant(number: int) -> SSAValue:
        return add(arith.ConstantOp(FloatAttr(float(number), cast(AnyFloat, value.type))))

    def constant(number: int) -> SSAValue:
        return add(arith.ConstantOp(integer_attr(number, target)))

    out = add((arith.FPToUIOp if is_unsigned(target) else arith.FPToSIOp)(value, cast(IntegerType, signless(target))))
    out = add(arith.SelectOp(add(arith.CmpfOp(value, float_constant(high + 1), "oge")), constant(high), out))
    out = add(arith.SelectOp(add(arith.CmpfOp(value, float_constant(low), "olt")), constant(low), out))
    return add(arith.SelectOp(add(arith.CmpfOp(value, value, "une")), constant(0), out))


def _saturated(value: SSAValue, source: Attribute, target: IntegerType, add: Adder) -> SSAValue:
    source, out = cast(IntegerType, source), cast(IntegerType, signless(target))
    (low, high), (least, most) = limits(source), limits(target)
    unsigned = is_unsigned(source)
    if low < least:
        value = add(arith.MaxSIOp(value, add(arith.ConstantOp(integer_attr(least, source)))))
    if most < high:
        minimum = arith.MinUIOp if unsigned else arith.MinSIOp
        value = add(minimum(value, add(arith.ConstantOp(integer_attr(most, source)))))
    if source.width.data < out.width.data:
        return add((arith.ExtUIOp if unsigned else arith.ExtSIOp)(value, out))
    return value if source.width == out.width else add(arith.TruncIOp(value, out))
