"""
Ops on sizes and tuples. The interpreter itself checks each tensor against its type (`semantics/sizes.py`), so
`ptir.dim_cast` is the identity. DESIGN §4; contract: *Values, tuples, and literals*.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from xdsl.dialects.builtin import TupleType
from xdsl.interpreter import Interpreter, InterpreterFunctions, PythonValues, impl, register_impls
from xdsl.ir import Attribute

from ...dialects import ptir


@register_impls
class DimFunctions(InterpreterFunctions):
    """Values are arrays or intervals, and Python tuples of them."""

    @impl(ptir.DimCastOp)
    def run_dim_cast(self, interpreter: Interpreter, op: ptir.DimCastOp, args: PythonValues) -> PythonValues:
        return args

    @impl(ptir.TupleOp)
    def run_tuple(self, interpreter: Interpreter, op: ptir.TupleOp, args: PythonValues) -> PythonValues:
        return (args,)

    @impl(ptir.TupleElementOp)
    def run_tuple_element(self, interpreter: Interpreter, op: ptir.TupleElementOp, args: PythonValues) -> PythonValues:
        return (args[0][op.index.value.data],)


def pack(types: Iterable[Attribute], leaves: Iterator[Any]) -> tuple[Any, ...]:
    """Builds values of `types` from their leaves in order; tuples are nested as in the types."""
    return tuple(pack(t.types, leaves) if isinstance(t, TupleType) else next(leaves) for t in types)


def unpack(values: Iterable[Any]) -> Iterator[Any]:
    """Yields the leaves of values, the inverse of `pack`."""
    for value in values:
        if isinstance(value, tuple):
            yield from unpack(value)  # pyright: ignore[reportUnknownArgumentType]
        else:
            yield value
