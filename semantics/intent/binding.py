"""Bindings: the numbers of the symbols. Spec: `intentir-semantics §1.2`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ...dialects import intent
from ...dialects.common.shapes import shape_text
from ...dialects.intent import symbols
from ...dialects.intent.symbols import ASSUMPTION, Undefined
from ...dialects.intent.types import TensorType, type_of
from ..arrays.scalars import Array, numpy_dtype, widen
from ..errors import ArgumentMismatch, TooLarge, Violation

Binding = Mapping[str, int]
MAX_ELEMENTS = 1 << 28
"""Maximum number of elements of a tensor in the interpreter."""


class Unbound(Violation):
    code = "PTIR0583"
    template = "no argument of @{name} determines {symbols}"
    hint = "give a number for each: {example}"


class BindingConflict(Violation):
    code = "PTIR0584"
    template = "axis {axis} of {argument} has {got}, but {size} is {want}"
    hint = "{help}"


class AssumptionViolated(Violation):
    code = "PTIR0585"
    template = "@{name} assumes {assumption}, which does not hold"
    hint = "the function is not defined on these arguments"


def bind(function: intent.FuncOp, shapes: Sequence[Sequence[int]], given: Binding | None = None) -> dict[str, int]:
    """
    Returns the binding of all symbols of a function whose arguments have these shapes. `given` has the symbols that no argument
    determines. Raises `ArgumentMismatch`, `BindingConflict`, and `Unbound`, which names the missing symbols.
    """
    name, inputs = function.sym_name.data, function.inputs
    binding = dict(given or {})
    for symbol, value in binding.items():
        if symbol not in function.symbols():
            raise _conflict(function, f"'{symbol}' is no symbol of the function", "")
        if value < 1:
            raise _conflict(function, f"{symbol} is {value}", "sizes are at least 1")
    ranks = [len(type_of(arg).dims) for arg in inputs]
    if ranks != [len(shape) for shape in shapes]:
        want = ", ".join(str(arg.type) for arg in inputs)
        got = ", ".join(shape_text(shape) for shape in shapes)
        raise ArgumentMismatch(
            function, name=name, want=want, got=got or "nothing", help="pass an array for each argument"
        )
    pending = [
        (arg, axis, node, shape[axis])
        for arg, shape in zip(inputs, shapes, strict=True)
        for axis, node in enumerate(type_of(arg).sizes)
    ]
    solved = True
    while solved:
        solved = False
        for _, _, node, size in pending:
            if (found := symbols.solve(node, size, binding)) is not None:
                binding[found[0]], solved = found[1], True
    for arg, axis, node, size in pending:
        unknown = [s for s in symbols.symbols(node) if s not in binding]
        if unknown:
            continue
        want = symbols.evaluate(node, binding)
        if want != size:
            help = ", ".join(f"{s} = {binding[s]}" for s in dict.fromkeys(symbols.symbols(node)))
            shown = arg.name_hint or f"argument {arg.index}"
            raise BindingConflict(
                function, axis=axis, argument=shown, got=size, size=symbols.text(node), want=want, help=help
            )
    missing = [s for s in function.symbols() if s not in binding]
    if missing:
        example = ", ".join(f"{s}=8" for s in missing)
        raise Unbound(function, name=name, symbols=", ".join(missing), example=example)
    return binding


def _conflict(function: intent.FuncOp, problem: str, help: str) -> ArgumentMismatch:
    known = ", ".join(function.symbols())
    help = help or f"its symbols are {known or 'none'}"
    return ArgumentMismatch(
        function, name=function.sym_name.data, want="a binding of its symbols", got=problem, help=help
    )


def concrete_shape(of: TensorType, binding: Binding, function: intent.FuncOp | None = None) -> tuple[int, ...]:
    """Returns the sizes of a type under a binding. Raises `TooLarge` unless they are positive, defined, and few enough."""
    try:
        shape = tuple(symbols.evaluate(node, binding) for node in of.sizes)
    except Undefined as error:
        raise TooLarge(function, what=str(of), why=str(error)) from None
    total = 1
    for size in shape:
        if size < 1:
            raise TooLarge(function, what=str(of), why=f"a size is {size} under this binding, and sizes are at least 1")
        total *= size
    if total > MAX_ELEMENTS:
        raise TooLarge(
            function, what=str(of), why=f"it has {total:,} elements, and at most {MAX_ELEMENTS:,} are computed"
        )
    return shape


def assumption_that_fails(function: intent.FuncOp, arrays: Sequence[Array] | None, binding: Binding) -> str | None:
    """Returns the first assumption that does not hold, or None. Without `arrays`, those about arguments count as holding."""
    values: dict[str, object] = dict(binding)
    if arrays is not None:
        values.update({arg.name_hint or "": widen(array) for arg, array in zip(function.inputs, arrays, strict=True)})
    for text in function.assumptions:
        node = symbols.parse(text, ASSUMPTION)
        if any(name not in values for name in symbols.symbols(node)):
            continue
        try:
            with np.errstate(all="ignore"):
                holds = bool(np.all(symbols.evaluate(node, values)))
        except Undefined:
            holds = False
        if not holds:
            return text
    return None


def check_arguments(function: intent.FuncOp, arrays: Sequence[Array]) -> None:
    """Checks the element types of the arguments; their shapes are those of `bind`. Raises `ArgumentMismatch`."""
    for arg, array in zip(function.inputs, arrays, strict=False):
        want = numpy_dtype(type_of(arg).element_type)
        if array.dtype != want:
            name = function.sym_name.data
            shown = arg.name_hint or f"argument {arg.index}"
            help = f"numpy.asarray({shown}, dtype='{want}') converts"
            raise ArgumentMismatch(function, name=name, want=f"{shown} of {want}", got=array.dtype, help=help)
