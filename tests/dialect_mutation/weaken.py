"""A constraint that infers as another one does and holds for everything: what a mutant puts in a constraint's place."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from xdsl.irdl import AnyAttr, AttrConstraint, irdl_to_attr_constraint
from xdsl.utils.exceptions import VerifyException


def weak(constraint: Any = None) -> Any:
    """`constraint`, which no longer says no."""
    if constraint is None:
        return AnyAttr()
    inner = irdl_to_attr_constraint(constraint)
    kind = type(inner)

    def verify(self: Any, attr: Any, constraint_context: Any) -> None:
        with suppress(VerifyException):  # it still binds its variables, by which types are inferred
            kind.verify(self, attr, constraint_context)

    loose = type(f"Weak{kind.__name__}", (kind,), {"verify": verify})
    out: AttrConstraint[Any] = object.__new__(loose)
    for name, value in vars(inner).items():
        object.__setattr__(out, name, value)
    for name in getattr(inner, "__dataclass_fields__", {}):
        object.__setattr__(out, name, getattr(inner, name))
    return out
