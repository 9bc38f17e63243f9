"""A constraint that infers types as another one does, but accepts everything. Mutants replace constraints by it."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from xdsl.irdl import AnyAttr, AttrConstraint, irdl_to_attr_constraint
from xdsl.utils.exceptions import VerifyException


def weak(constraint: Any = None) -> Any:
    """Returns a copy of `constraint` that rejects nothing."""
    if constraint is None:
        return AnyAttr()
    inner = irdl_to_attr_constraint(constraint)
    kind = type(inner)

    def verify(self: Any, attr: Any, constraint_context: Any) -> None:
        with suppress(VerifyException):  # it still binds its variables, from which types are inferred
            kind.verify(self, attr, constraint_context)

    loose = type(f"Weak{kind.__name__}", (kind,), {"verify": verify})
    out: AttrConstraint[Any] = object.__new__(loose)
    for name, value in vars(inner).items():
        object.__setattr__(out, name, value)
    for name in getattr(inner, "__dataclass_fields__", {}):
        object.__setattr__(out, name, getattr(inner, name))
    return out
