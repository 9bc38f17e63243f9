"""Ops whose meaning, or error bound, is a row of a table: one interpreter function for each, derived from the vocabulary."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from xdsl.ir import Operation

from ..dialects import ptir, tiny

C = TypeVar("C", bound=type)

ROWS: Mapping[str, str] = {"sigmoid": "logistic"}
"""The words of `tiny` whose row of `arrays/scalars.py` has another name."""
PTIR_ROWS: Mapping[type[Operation], str] = {
    **{op: ROWS.get(word, word) for word, op in {**tiny.UNARY_OPS, **tiny.BINARY_OPS}.items()},
    ptir.SelectOp: "where",
}
"""Elementwise ops of `ptir` and their rows."""


def with_rows(rows: Mapping[type[Operation], str], function: Callable[[type[Any], str], Any]) -> Callable[[C], C]:
    """Adds `function(op, row)` to a class of interpreter functions, for each op of `rows`. Stands below `@register_impls`."""

    def decorate(functions: C) -> C:
        for op, row in rows.items():
            setattr(functions, f"run_{row}", function(op, row))
        return functions

    return decorate
