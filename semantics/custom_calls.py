"""
Custom calls implemented in Python.

```python
@ptir.register_custom_call("acme.scale.f32.v1")
def scale(x, *, factor):
    return x * np.float32(factor)
```

The function gets the operands as read-only arrays and the call's attributes as keyword arguments. It returns an array; for
several results, or for a result that is a tuple, it returns a sequence of arrays. Results must have the types that the program
declares. The function must be pure. Contract: *Custom calls*.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, TypeVar, cast, overload

import numpy as np
from xdsl.dialects.builtin import TupleType
from xdsl.ir import Attribute

from ..dialects import ptir
from ..dialects.common.shapes import element, shape
from ..dialects.ptir.packed import is_packed, packed_array
from ..dialects.ptir.tuples import leaves
from ..errors import InvalidAttributeValue, PtirError, counted, kind_of
from .arrays.bits import pack, unpack
from .arrays.scalars import Array, numpy_dtype
from .errors import CustomCallFailed, TargetTaken, Unimplemented, WrongResult
from .tuples import leaf_values

Function = Callable[..., Any]
Validate = Callable[[ptir.CustomCallOp], None]
F = TypeVar("F", bound=Function)


@dataclass(frozen=True)
class Registration:
    """The registration of a target. It lasts until `remove` or, used as a context manager, until the end of the `with` body."""

    target: str
    function: Function
    validate: Validate | None
    numpy: bool = False
    """Whether the function takes NumPy arrays even where the operands are on a GPU."""

    def remove(self) -> None:
        if _REGISTERED.get(self.target) is self:
            del _REGISTERED[self.target]

    def __enter__(self) -> Registration:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.remove()


_REGISTERED: dict[str, Registration] = {}


@overload
def register_custom_call(target: str, *, validate: Validate | None = None, numpy: bool = False) -> Callable[[F], F]: ...
@overload
def register_custom_call(
    target: str, function: Function, *, validate: Validate | None = None, numpy: bool = False
) -> Registration: ...
def register_custom_call(
    target: str, function: Function | None = None, *, validate: Validate | None = None, numpy: bool = False
) -> Callable[[F], F] | Registration:
    """
    Registers `function` as the implementation of `ptir.custom_call` for `target`; without a function, returns a decorator.
    `validate` is called with each op before it runs, and may reject the op by raising a `PtirError` or a `ValueError`.

    A compiled program on a GPU passes arrays of the GPU (`ptir.DeviceArray`) where they are, and takes arrays of any library that
    exports DLPack. With `numpy`, the operands are copied to the host and the results to the GPU.

    Raises `InvalidAttributeValue` if the target does not consist of namespace, name and version, and `TargetTaken` if it is
    already registered.
    """
    ptir.require_target(None, target)
    if function is None:

        def decorate(decorated: F) -> F:
            register_custom_call(target, decorated, validate=validate, numpy=numpy)
            return decorated

        return decorate
    if target in _REGISTERED:
        raise TargetTaken(target=target)
    _REGISTERED[target] = Registration(target, function, validate, numpy)
    return _REGISTERED[target]


def run(op: ptir.CustomCallOp, arrays: Sequence[Array]) -> tuple[Any, ...]:
    """
    Returns the results of a custom call. Raises `Unimplemented` if its target is not registered, `InvalidAttributeValue` if its
    operands or attributes are rejected, `CustomCallFailed` for an exception of the function, and `WrongResult`.
    """
    return _results(op, op.result_types, _returned(op, [_frozen(a) for a in arrays]), _checked_result)


def run_in_place(op: ptir.CustomCallOp, arrays: Sequence[Any]) -> tuple[Any, ...]:
    """Returns the results of a custom call on arrays of a GPU: arrays of any library, which the caller checks; tuples are flat."""

    def unchecked(op: ptir.CustomCallOp, t: Attribute, value: Any) -> Any:
        return value

    return tuple(leaf_values(_results(op, op.result_types, _returned(op, arrays), unchecked)))


def takes_numpy(target: str) -> bool:
    """Returns whether the function of a target takes NumPy arrays on any device."""
    return target in _REGISTERED and _REGISTERED[target].numpy


def _returned(op: ptir.CustomCallOp, arrays: Sequence[Any]) -> Any:
    """Returns what the function of a custom call returns: for one result, that or a tuple."""
    target = op.target.data
    if (registered := _REGISTERED.get(target)) is None:
        raise Unimplemented(op, target=target, known=", ".join(sorted(_REGISTERED)) or "none")
    attributes = op.arguments()
    if (signature := _signature(registered.function)) is not None:
        try:
            signature.bind(*arrays, **attributes)
        except TypeError as error:
            raise InvalidAttributeValue(
                op, name=target, problem=f"cannot be called with these operands and attributes: {error}", help=""
            ) from error
    try:
        if registered.validate is not None:
            registered.validate(op)
    except ValueError as error:
        raise InvalidAttributeValue(op, name=target, problem=f"is invalid: {error}", help="") from error
    try:
        found = registered.function(*arrays, **attributes)
    except PtirError:
        raise
    except Exception as error:
        raise CustomCallFailed(op, target=target, reason=f"{type(error).__name__}: {error}") from error
    got: Any = () if found is None else found
    types = op.result_types
    whole = len(types) == 1 and (isinstance(types[0], TupleType) or not isinstance(got, tuple))
    return (got,) if whole else cast(Any, got)


def run_stored(call: ptir.CustomCallOp, arrays: Sequence[Array], types: Sequence[Attribute]) -> tuple[Array, ...]:
    """
    Like `run`, on arrays as they are in memory: 4-bit integers may be bytes of two, and tuples are separate arrays. Returns arrays of
    these `types`.
    """
    given = [
        unpack(a, shape(t), numpy_dtype(element(t))) if is_packed(element(t)) and a.dtype == np.uint8 else a
        for a, t in zip(arrays, call.inputs.types, strict=True)
    ]
    results = zip(leaf_values(run(call, given)), leaves(call.outputs.types), types, strict=True)
    return tuple(_stored(call, value, seen, own) for value, seen, own in results)


def _stored(call: ptir.CustomCallOp, value: Array, seen: Attribute, own: Attribute) -> Array:
    if value.shape != shape(seen):
        raise WrongResult(call, target=call.target.data, got=f"{value.dtype}{list(value.shape)}", want=seen)
    return pack(value) if packed_array(seen, own) is not None else value


def _signature(function: Function) -> inspect.Signature | None:
    """Returns the signature, or None for a C function without one."""
    try:
        return inspect.signature(function)
    except ValueError:
        return None


def _frozen(x: Array) -> Array:
    """Returns a read-only copy. A function that makes it writable anyway does not change the original."""
    copy = np.array(x)
    copy.flags.writeable = False
    return copy


Check = Callable[[ptir.CustomCallOp, Attribute, Any], Any]
"""Checks the result of a call, which has a tensor type, and returns it as an array."""


def _results(op: ptir.CustomCallOp, types: Sequence[Attribute], got: Any, check: Check) -> tuple[Any, ...]:
    """Checks the number of the results, and each of them, recursively in tuples."""
    if not isinstance(got, tuple | list) or len(got) != len(types):  # pyright: ignore[reportUnknownArgumentType]
        many = counted(len(got), "value") if isinstance(got, tuple | list) else kind_of(got)  # pyright: ignore[reportUnknownArgumentType]
        raise WrongResult(op, target=op.target.data, got=many, want=counted(len(types), "value"))
    return tuple(
        _results(op, t.types.data, value, check) if isinstance(t, TupleType) else check(op, t, value)
        for t, value in zip(types, got, strict=True)  # pyright: ignore[reportUnknownArgumentType,reportUnknownVariableType]
    )


def _checked_result(op: ptir.CustomCallOp, t: Attribute, value: Any) -> Array:
    """Checks the element type of a result. The interpreter checks its shape."""
    try:
        array = np.asarray(value)
    except ValueError as error:
        raise WrongResult(op, target=op.target.data, got=f"a value that is not an array ({error})", want=t) from error
    if array.dtype != numpy_dtype(element(t)):
        raise WrongResult(op, target=op.target.data, got=f"{array.dtype}{list(array.shape)}", want=t)
    return array
