"""
Element types, and the domains of ops: the element types on which they are defined.

Elements are `i1`, integers of 4 to 64 bits with any sign, the floats of `FLOATS`, and complex numbers of f32 or f64
(contract, *Element types*). `number` is everything but `i1`; `real` numbers are ordered, complex ones are not; `bits` are
the domain of logic. Integers of every width and sign are one kind, and so are all floats: an accumulator has the kind of
its operands.
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
    """Returns the bits of an integer type; 0 for other types."""
    return t.width.data if isa(t, IntegerType) else 0


def is_integer(t: Attribute) -> bool:
    """Whether the type is an integer for arithmetic: `i1` is not."""
    return integer_width(t) > 1


def is_index(t: Attribute) -> bool:
    """Whether tensors of indices have this element type: a signed or signless integer of 32 or 64 bits."""
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
"""The name of each domain in messages, and its predicate on element types."""


def require_domain(op: Operation, dtype: Attribute, domain: str, *, what: str = "the element type") -> None:
    """Requires an element type on which the op is defined: one of `DOMAINS[domain]`."""
    types, contains = DOMAINS[domain]
    check_type(op, is_element(dtype) and contains(dtype), what, dtype, f"{op.name} is defined on {types}")


def require_kind(op: Operation, dtype: Attribute, of: Attribute, what: str) -> None:
    """Requires both types to be integers, floats, complex numbers or `i1`."""
    kinds = (is_integer, is_float, is_complex, is_predicate)
    if not is_element(dtype) or not any(contains(dtype) and contains(of) for contains in kinds):
        raise UnsupportedType(op, what=what, got=dtype, want=f"it must be of the same kind as {of}")


def require_castable(op: Operation, source: Attribute, target: Attribute, what: str) -> None:
    """Requires both types to be complex, or neither."""
    if is_complex(source) != is_complex(target):
        want = "complex numbers are cast to complex numbers only"
        raise UnsupportedType(op, what=what, got=f"{source} to {target}", want=want)
