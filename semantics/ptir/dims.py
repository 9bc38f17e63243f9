"""
Ops about sizes and tuples. Each tensor is held to its type by the interpreter itself (`semantics/sizes.py`), so that
nothing is left to do for a `ptir.dim_cast`. DESIGN §4; contract: *Values, tuples, and literals*.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from xdsl.dialects.builtin import TupleType
from xdsl.interpreter import Interpreter, InterpreterFunctions, PythonValues, impl, register_impls
from xdsl.ir import Attribute

from ...dialects import ptir
from ..sizes import known_shape as known_shape
from ..sizes import result_shape as result_shape


@register_impls
class DimFunctions(InterpreterFunctions):
    """Values are whatever stands for a tensor: arrays or intervals; tuples are Python's."""

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
    """Values of `types`: the leaves one after the other, tuples made of theirs."""
    return tuple(pack(t.types, leaves) if isinstance(t, TupleType) else next(leaves) for t in types)


def unpack(values: Iterable[Any]) -> Iterator[Any]:
    """The leaves of values, as `pack` was given them."""
    for value in values:
        if isinstance(value, tuple):
            yield from unpack(value)  # pyright: ignore[reportUnknownArgumentType]
        else:
            yield value
