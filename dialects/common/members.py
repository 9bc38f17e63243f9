"""Collects the members of a dialect, so that they need not be listed by hand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from xdsl.ir import Attribute, Operation


def members(dialect: str, namespace: Mapping[str, Any]) -> tuple[list[type[Operation]], list[type[Attribute]]]:
    """
    Returns the ops and the attributes of `dialect` that a Python module defines or imports: the arguments of xDSL's `Dialect`.
    `namespace` is the module's `globals()`.
    """
    named = [
        v for v in namespace.values() if isinstance(v, type) and str(vars(v).get("name")).startswith(f"{dialect}.")
    ]
    found = dict.fromkeys(named)
    return [v for v in found if issubclass(v, Operation)], [v for v in found if issubclass(v, Attribute)]
