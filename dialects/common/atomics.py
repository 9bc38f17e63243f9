"""Atomic updates of elements of memory: the functions and types of the instruction `red` (PTX ISA 9.7.13.7)."""

from __future__ import annotations

from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Attribute, Operation
from xdsl.utils.hints import isa

from .checks import check_type, check_word

ATOMICS = ("add", "max", "min")
"""The functions that atomic updates apply. The order of updates of integers does not change the result."""
WIDTHS = (32, 64)
"""Widths in bits of the integers that are updated."""


def is_atomic(kind: str, dtype: Attribute) -> bool:
    """Returns whether an element of a type can be updated atomically."""
    return kind in ATOMICS and isa(dtype, IntegerType) and dtype.width.data in WIDTHS


def check_atomic(op: Operation, kind: str, dtype: Attribute) -> None:
    """Checks the function and the element type of an atomic update."""
    check_word(op, "kind", kind, ATOMICS)
    check_type(op, is_atomic(kind, dtype), "an element", dtype, "integers of 32 and 64 bits are updated atomically")
