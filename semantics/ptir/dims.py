"""Sizes at run time: what a `?` of a result type stands for."""

from __future__ import annotations

from xdsl.interpreter import Interpreter
from xdsl.ir import SSAValue

from ...dialects.ptir.dims import sizes
from ...errors import Unsupported


def result_shape(interpreter: Interpreter, result: SSAValue) -> tuple[int, ...]:
    """The sizes of a result that its operands do not determine: numbers, and names bound in the running function."""
    out = sizes(result)
    if not all(isinstance(s, int) for s in out):
        raise Unsupported(result.owner, what=f"a result of type {result.type}", need="sizes that are numbers")  # pyright: ignore[reportArgumentType]
    return tuple(s for s in out if isinstance(s, int))
