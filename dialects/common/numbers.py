"""A number of any element type as an attribute. A complex number is an array of its real and imaginary part."""

from __future__ import annotations

from typing import cast

from xdsl.dialects.builtin import (
    AnyFloat,
    AnyFloatConstr,
    ArrayAttr,
    ArrayOfConstraint,
    ComplexType,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IntegerAttr,
)
from xdsl.ir import Attribute
from xdsl.irdl import AnyAttr, EqIntConstraint, ParamAttrConstraint, RangeOf, VarConstraint, base

from .shapes import is_complex

Number = FloatAttr | IntegerAttr | ArrayAttr[FloatAttr]
PART = ParamAttrConstraint(FloatAttr, (AnyAttr(), VarConstraint("Part", AnyFloatConstr)))
NUMBER = base(FloatAttr) | base(IntegerAttr) | ArrayOfConstraint(RangeOf(PART).of_length(EqIntConstraint(2)))


def complex_number(re: float, im: float, dtype: ComplexType[AnyFloat]) -> ArrayAttr[FloatAttr]:
    return ArrayAttr([FloatAttr(part, dtype.element_type) for part in (re, im)])


def first_number(literal: DenseIntOrFPElementsAttr) -> Number:
    """Returns the first element of a literal as an attribute."""
    if is_complex(dtype := literal.get_element_type()):
        re, im = cast(tuple[float, float], literal.get_values()[0])
        return complex_number(re, im, dtype)
    return next(literal.iter_attrs())


def number_type(number: Number) -> Attribute:
    return ComplexType(number.data[0].type) if isinstance(number, ArrayAttr) else number.type
