"""
Element types, and the domains of ops. The domain of an op is the set of element types on which it is defined.

Element types are `i1`, integers of 4 to 64 bits of any signedness, the floats of `FLOATS`, and complex numbers of f32 or f64
(contract, *Element types*). The domain `number` has all types except `i1`; `real` has the ordered types, that is, no complex
ones; `bits` is the domain of logic. All integers are of the same kind, and all floats are of the same kind; an accumulator is
of the same kind as the operands.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from xdsl.dialects.builtin import (
    BFloat16Type,
    ComplexType,
    Float8E4M3FNType,
    Float8E5M2Type,
    Float16Type,
    Float32Type,
    Float64Type,
    IntegerType,
    i1,
)
from xdsl.ir import Attribute, Operation
from xdsl.utils.hints import isa

from ...errors import UnsupportedType
from ..common.checks import check_type
from ..common.shapes import is_complex, is_float, is_predicate, is_unsigned

FLOATS = (Float8E4M3FNType, Float8E5M2Type, BFloat16Type, Float16Type, Float32Type, Float64Type)
WIDTHS = (4, 8, 16, 32, 64)


def is_element(t: Attribute) -> bool:
    """Whether a tensor may have elements of this type."""
    if isinstance(t, ComplexType):
        return isinstance(t.element_type, Float32Type | Float64Type)  # pyright: ignore[reportUnknownMemberType]
    if isa(t, IntegerType):
        return t.width.data in WIDTHS or t == i1
    return isinstance(t, FLOATS)


def integer_width(t: Attribute) -> int:
    """Returns the width of an integer type in bits; 0 for other types."""
    return t.width.data if isa(t, IntegerType) else 0


def is_integer(t: Attribute) -> bool:
    """Whether `t` is an integer type on which arithmetic is defined, that is, not `i1`."""
    return integer_width(t) > 1


def is_index(t: Attribute) -> bool:
    """Whether a tensor of indices may have this element type: a signed or signless integer of 32 or 64 bits."""
    return integer_width(t) in (32, 64) and not is_unsigned(t)


DOMAINS: Mapping[str, tuple[str, Callable[[Attribute], bool]]] = MappingProxyType(
    {
        "any": ("anything", lambda t: True),
        "number": ("numbers", lambda t: not is_predicate(t)),
        "real": ("real numbers", lambda t: is_integer(t) or is_float(t)),
        "float": ("floats", is_float),
        "analytic": ("floats and complex numbers", lambda t: is_float(t) or is_complex(t)),
        "integer": ("integers", is_integer),
        "bits": ("integers and i1", lambda t: is_integer(t) or is_predicate(t)),
    }
)
"""For each domain, its name in messages and a function that returns whether an element type belongs to it."""


def require_domain(op: Operation, dtype: Attribute, domain: str, *, what: str = "the element type") -> None:
    """Checks that the element type `dtype` is in `DOMAINS[domain]`; errors call it `what`."""
    types, contains = DOMAINS[domain]
    check_type(op, is_element(dtype) and contains(dtype), what, dtype, f"{op.name} is defined on {types}")


def require_kind(op: Operation, dtype: Attribute, of: Attribute, what: str) -> None:
    """Checks that both types are of the same kind: integers, floats, complex numbers or `i1`."""
    kinds = (is_integer, is_float, is_complex, is_predicate)
    if not is_element(dtype) or not any(contains(dtype) and contains(of) for contains in kinds):
        raise UnsupportedType(op, what=what, got=dtype, want=f"it must be of the same kind as {of}")


def require_castable(op: Operation, source: Attribute, target: Attribute, what: str) -> None:
    """Checks that both types are complex, or neither is."""
    if is_complex(source) != is_complex(target):
        want = "complex numbers are cast to complex numbers only"
        raise UnsupportedType(op, what=what, got=f"{source} to {target}", want=want)
