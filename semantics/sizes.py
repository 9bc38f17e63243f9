"""
Sizes at run time: every tensor is checked against its type.

The arrays determine dynamic sizes. A name is bound to a size at its first occurrence: at an argument of the function, or at a
result whose size the operands determine (`dialects/ptir/names.py`). Every later tensor of that function, including its regions,
must agree. An op that needs a size raises `UnknownSize` for a name that is not bound yet. Each call binds its own names.
Static sizes are compared as well: verifiers accept an op whose operand sizes are dynamic, so the static size in its result type
may be wrong at run time.

```
func.func @f(%a: tensor<?xf32, #ptir.dims<B>>, %b: tensor<?xf32, #ptir.dims<B>>)      on arrays of 3 and 4 elements
  → the name B is 3 in axis 0 of argument 0 of @f, but 4 in axis 0 of argument 1 of @f
```

Elementwise operands of different shapes are rejected before NumPy would broadcast them.

Contract: *Shapes and dynamic dims*, *Broadcasting policy*.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from math import prod
from typing import Any, cast

from xdsl.dialects.builtin import TensorType, TupleType
from xdsl.dialects.func import FuncOp
from xdsl.interpreter import (
    Interpreter,
    OpImplResult,
    PythonValues,
    _InterpreterFunctionImpls,  # pyright: ignore[reportPrivateUsage]
)
from xdsl.ir import Attribute, BlockArgument, Operation, OpResult, Region, SSAValue
from xdsl.utils.exceptions import InterpretationError

from ..dialects.common.shapes import ADDRESSABLE, shape_text
from ..dialects.ptir.base import SameShapes
from ..dialects.ptir.dims import Size, sizes
from ..errors import PtirError
from .errors import NameConflict, NotInterpreted, OperandShapesDiffer, TooLarge, UnknownSize, WrongShape

Wanted = tuple[Size, ...] | TupleType | None
"""The sizes that a tensor must have, or the types that a tuple must have. None for values that are not checked."""

MAX_RANK = 64
"""Maximum rank of a NumPy array."""
MAX_STRIDE = 2**59 - 1
"""Maximum product of the sizes of a NumPy array without elements, not counting those that are 0: strides of up to 16 bytes."""


@dataclass
class Scope:
    """
    The names that one call of a function binds. Each has its size, and the op at which it first occurs with a description of the
    place.
    """

    names: dict[str, tuple[int, Operation | None, str]] = field(
        default_factory=dict[str, tuple[int, Operation | None, str]]
    )

    def check(self, value: SSAValue, want: Wanted, got: Any, inside: str = "") -> None:
        """Checks that the array `got` has the sizes `want`, and binds new names. Raises `WrongShape` and `NameConflict`."""
        if isinstance(want, TupleType):
            for k, (t, element) in enumerate(zip(want.types, got, strict=True)):
                self.check(value, wanted(t), element, f"element {k} of {inside}")
            return
        if want is None or got.shape == want:
            return
        op, place = _op(value), f"{inside}{_place(value)}"
        if len(got.shape) != len(want) or any(
            isinstance(s, int) and s != n for s, n in zip(want, got.shape, strict=True)
        ):
            raise WrongShape(op, what=place, got=shape_text(got.shape), want=value.type)
        for axis, (size, number) in enumerate(zip(want, got.shape, strict=True)):
            if not isinstance(size, str):
                continue
            here = f"axis {axis} of {place}"
            known, binder, first = self.names.setdefault(size, (number, op, here))
            if known != number:
                notes = [] if binder is op else [(binder, f"{size} is {known} here")]
                raise NameConflict(op, notes=notes, name=size, a=known, first=first, b=number, second=here)


class Sizes(Interpreter.Listener):
    """Checks the values that one interpreter computes against their types."""

    def __init__(self) -> None:
        self.scope = Scope()
        self._wanted: dict[SSAValue, Wanted] = {}

    @contextmanager
    def entering(self, region: Region, args: Sequence[Any]) -> Generator[None]:
        """Checks the arguments of a region. The body of a function gets its own scope of names."""
        outer = self.scope
        if isinstance(region.parent, FuncOp):
            self.scope = Scope()
        try:
            if region.first_block is not None:
                self._check(region.first_block.args, args)
            yield
        finally:
            self.scope = outer

    def will_interpret_op(self, op: Operation, args: PythonValues) -> None:
        for result in op.results:
            if result not in self._wanted:
                require_representable(op, result.type)
        if len(args) > 1 and _is_elementwise(type(op)) and any(a.shape != args[0].shape for a in args[1:]):
            *others, last = (shape_text(a.shape) for a in args)
            raise OperandShapesDiffer(op, name=op.name, got=f"{', '.join(others)} and {last}")

    def did_interpret_op(self, op: Operation, results: PythonValues) -> None:
        self._check(op.results, results)

    def _check(self, values: Sequence[SSAValue], got: Sequence[Any]) -> None:
        for value, array in zip(values, got, strict=False):  # a wrong number of values is reported elsewhere
            try:
                want = self._wanted[value]
            except KeyError:
                want = self._wanted[value] = wanted(value.type)
            if want is not None and (isinstance(want, TupleType) or array.shape != want):
                self.scope.check(value, want, array)


class _Implementations(_InterpreterFunctionImpls):
    """Like xDSL's class, but does not append a print of the module to an exception at every op that it passes through."""

    def run(self, interpreter: Interpreter, op: Operation, args: PythonValues) -> OpImplResult:
        if type(op) not in self._impl_dict:
            return super().run(interpreter, op, args)  # raises
        functions, implementation = self._impl_dict[type(op)]
        return implementation(functions, interpreter, op, args)


class SizedInterpreter(Interpreter):
    """xDSL's interpreter of `module`, which checks every tensor against its type."""

    def __init__(self, module: Any):
        self.sizes = Sizes()
        super().__init__(module, _impls=_Implementations(), listeners=(self.sizes,))

    def run_ssacfg_region(self, region: Region, args: PythonValues, name: str = "unknown") -> PythonValues:
        with self.sizes.entering(region, args):
            return super().run_ssacfg_region(region, args, name)

    def _run_op(self, op: Operation, inputs: PythonValues) -> OpImplResult:
        try:
            return super()._run_op(op, inputs)
        except PtirError:
            raise
        except InterpretationError as error:
            reason = str(error)
            raise NotInterpreted(op, reason=reason[:1].lower() + reason[1:]) from None
        except MemoryError as error:
            raise TooLarge(op, what=op.name, why=f"out of memory, {error}") from error
        except RecursionError as error:
            raise TooLarge(op, what=op.name, why="calls and regions are nested too deeply") from error


def require_representable(op: Operation, t: Attribute) -> None:
    """Raises `TooLarge` if NumPy has no arrays of that shape, or no machine has that much memory."""
    if not isinstance(t, TensorType):
        return
    of = sizes(cast("TensorType[Attribute]", t))
    if len(of) > MAX_RANK:
        raise TooLarge(op, what=t, why=f"it has {len(of)} axes, but arrays have at most {MAX_RANK}")
    if prod(s for s in of if isinstance(s, int) and s) > (MAX_STRIDE if 0 in of else ADDRESSABLE):
        raise TooLarge(op, what=t, why="no machine has that much memory")


def known_shape(interpreter: Interpreter, result: SSAValue) -> tuple[int | None, ...]:
    """
    Returns, for each axis of a result, the size that its type determines (a number, or a name that is bound in the running
    function), or None.
    """
    names = interpreter.sizes.scope.names if isinstance(interpreter, SizedInterpreter) else {}
    return tuple((names[s][0] if s in names else None) if isinstance(s, str) else s for s in sizes(result))


def result_shape(
    interpreter: Interpreter, result: SSAValue, unnamed: Sequence[int | None] | None = None
) -> tuple[int, ...]:
    """
    Returns the run-time shape of a result from its type, for ops whose operands do not determine the shape. A `?` without a name
    has the size in `unnamed`. Raises `UnknownSize` for sizes that the type does not determine.
    """
    out: list[int] = []
    for axis, (number, size) in enumerate(zip(known_shape(interpreter, result), sizes(result), strict=True)):
        if number is None and size is None and unnamed is not None:
            number = unnamed[axis]
        if number is None:
            problem = "? without a name" if size is None else f"{size}, which is not bound yet"
            raise UnknownSize(_op(result), axis=axis, what=_place(result), type=result.type, problem=problem)
        out.append(number)
    return tuple(out)


def wanted(t: Attribute) -> Wanted:
    if isinstance(t, TensorType):  # called for every value: `isa` would take a tenth of the interpreter's time
        return sizes(cast("TensorType[Attribute]", t))
    return t if isinstance(t, TupleType) else None


@cache
def _is_elementwise(op_type: type[Operation]) -> bool:
    return op_type.has_trait(SameShapes)


def _op(value: SSAValue) -> Operation | None:
    """Returns the op that defines a value; for an argument, the op of its region."""
    return value.owner if isinstance(value.owner, Operation) else value.owner.parent_op()


def _place(value: SSAValue) -> str:
    op = _op(value)
    if isinstance(value, OpResult):
        return f"result {value.index} of {value.op.name}"
    index = value.index if isinstance(value, BlockArgument) else 0
    if isinstance(op, FuncOp):
        return f"argument {index} of @{op.sym_name.data}"
    return f"argument {index} of a region of {op.name if op is not None else 'nothing'}"
