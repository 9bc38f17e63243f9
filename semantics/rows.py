"""Ops whose semantics, or error bounds, are rows of a table: their interpreter functions are derived from the vocabulary."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from xdsl.interpreter import Interpreter, PythonValues, impl, register_impls
from xdsl.ir import Operation

from ..dialects import ptir, tiny
from .values import ArrayFunctions

F = TypeVar("F", bound=ArrayFunctions)

ROWS: Mapping[str, str] = {"sigmoid": "logistic"}
"""Functions of `tiny` whose row of `arrays/scalars.py` has another name."""
PTIR_ROWS: Mapping[type[Operation], str] = {
    **{op: ROWS.get(word, word) for word, op in {**tiny.UNARY_OPS, **tiny.BINARY_OPS}.items()},
    ptir.SelectOp: "where",
    ptir.IsFiniteOp: "is_finite",
}
"""Elementwise ops of `ptir` with the names of their rows."""


def register_rows(rows: Mapping[type[Operation], str]) -> Callable[[type[F]], type[F]]:
    """Registers a class of interpreter functions, in which `self.row(op, row, *args)` implements the ops of `rows`."""

    def register(functions: type[F]) -> type[F]:
        for op_type, row in rows.items():

            def run(self: Any, interpreter: Interpreter, op: Operation, args: PythonValues, row: str = row) -> Any:
                return (self.row(op, row, *args),)

            setattr(functions, f"run_{op_type.__name__}", impl(op_type)(run))
        return register_impls(functions)

    return register
