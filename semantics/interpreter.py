"""
Runs a module, at any level above `nv`, on NumPy arrays.

>>> call(module, "linear", x, w, b)          # doctest: +SKIP
(array([[...]], dtype=float32),)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib import import_module
from typing import Any, Protocol

import numpy as np
from xdsl.dialects.builtin import DYNAMIC_INDEX, IndexType, IntegerType, MemRefType, ModuleOp, TensorType, TupleType
from xdsl.dialects.func import FuncOp
from xdsl.interpreter import Interpreter
from xdsl.ir import Attribute
from xdsl.traits import SymbolTable

from ..dialects.common.shapes import is_float
from ..dialects.common.strict import is_strict
from ..dialects.ptir.packed import packed_array, seen_type
from ..dialects.ptir.tuples import leaves
from ..dialects.pto.types import MemRefType as PtoMemRefType
from ..errors import kind_of
from .arrays.bits import pack, unpack
from .arrays.scalars import Array, DType, numpy_dtype
from .errors import ArgumentMismatch, NoSuchFunction
from .sizes import SizedInterpreter
from .tuples import leaf_values

FUNCTIONS = (
    "xdsl.interpreters.func:FuncFunctions",
    "ptir.semantics.ptir.elementwise:ElementwiseFunctions",
    "ptir.semantics.ptir.contraction:ContractionFunctions",
    "ptir.semantics.ptir.reductions:ReductionFunctions",
    "ptir.semantics.ptir.quantization:QuantizationFunctions",
    "ptir.semantics.ptir.movement:MovementFunctions",
    "ptir.semantics.ptir.indexing:IndexingFunctions",
    "ptir.semantics.ptir.control:ControlFunctions",
    "ptir.semantics.ptir.windows:WindowFunctions",
    "ptir.semantics.ptir.normalization:NormalizationFunctions",
    "ptir.semantics.ptir.random:RandomFunctions",
    "ptir.semantics.tiny:TinyFunctions",
    "ptir.semantics.tiny.movement:TinyMovement",
    "ptir.semantics.region.memref:MemRefFunctions",
    "ptir.semantics.region:RegionFunctions",
    "ptir.semantics.pto:PtoFunctions",
    "xdsl.interpreters.scf:ScfFunctions",
    "xdsl.interpreters.arith:ArithFunctions",
    "ptir.semantics.indices:IndexFunctions",
)
"""The classes of interpreter functions of all dialects, as `module:class`."""


def interpreter(
    module: ModuleOp,
    functions: Sequence[str] = FUNCTIONS,
    kind: Callable[[ModuleOp], SizedInterpreter] = SizedInterpreter,
) -> SizedInterpreter:
    """Returns an interpreter of `module` with the interpreter functions of these classes."""
    out, strict = kind(module), is_strict(module)
    for path in functions:
        where, class_name = path.split(":")
        family = getattr(import_module(where), class_name)()
        family.strict = strict  # those of xDSL do not read it
        out.register_implementations(family)
    return out


def find_function(module: ModuleOp, name: str) -> FuncOp:
    """Returns the function of that name. Raises `NoSuchFunction`."""
    function = SymbolTable.lookup_symbol(module, name)
    if not isinstance(function, FuncOp):
        known = [op.sym_name.data for op in module.ops if isinstance(op, FuncOp)]
        raise NoSuchFunction(module, name=name, known=", ".join(f"@{k}" for k in known) or "none")
    return function


class Shaped(Protocol):
    """An array, or a value with the shape and element type of one."""

    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def dtype(self) -> DType: ...


def check_arguments(function: FuncOp, arrays: Sequence[Shaped]) -> None:
    """
    Checks the element types and shapes of the arguments, in which tuples are flattened. A dynamic size accepts any number; names
    of sizes are checked on entry to the function. A scalar of a tile program is a number. Raises `ArgumentMismatch`.
    """
    want = list(leaves(seen_type(function).inputs))
    unfit = [k for k, (a, t) in enumerate(zip(arrays, want, strict=False)) if not _fits(a, t)]
    if unfit or len(want) != len(arrays):
        got = [f"{a.dtype}{list(a.shape)}" if _is_shaped(a) else kind_of(a) for a in arrays]
        texts = [", ".join(types) or "nothing" for types in (map(str, want), got)]
        help = ""
        if unfit:
            t = want[unfit[0]]
            dtype = numpy_dtype(t.element_type) if isinstance(t, TensorType | MemRefType | PtoMemRefType) else ""  # pyright: ignore[reportUnknownMemberType,reportUnknownArgumentType]
            help = f"argument {unfit[0]} does not fit; numpy.asarray(…, dtype='{dtype}') converts, reshape(…) gives a shape"
        raise ArgumentMismatch(function, name=function.sym_name.data, want=texts[0], got=texts[1], help=help)


def _is_shaped(value: object) -> bool:
    """Whether a value has a shape and an element type, no mask, and is not an array on a device."""
    if isinstance(value, np.ma.MaskedArray):
        return False
    device = getattr(value, "__dlpack_device__", None)
    return hasattr(value, "shape") and hasattr(value, "dtype") and (device is None or device()[0] == 1)


def _fits(value: Any, want: Attribute) -> bool:
    if isinstance(want, IndexType | IntegerType) or is_float(want):
        kinds = "iu" if isinstance(want, IndexType | IntegerType) else "fV"
        number = np.asarray(value) if isinstance(value, int | float | np.generic | np.ndarray) else None
        return number is not None and number.ndim == 0 and number.dtype.kind in kinds
    if not isinstance(want, TensorType | MemRefType | PtoMemRefType) or not _is_shaped(value):
        return False
    if isinstance(want, PtoMemRefType):
        sizes = tuple(DYNAMIC_INDEX if s == -1 else s for s in want.sizes)
    else:
        sizes = want.get_shape()
    same = len(sizes) == len(value.shape) and all(
        s in (DYNAMIC_INDEX, n) for s, n in zip(sizes, value.shape, strict=True)
    )
    return same and value.dtype == numpy_dtype(want.element_type)  # pyright: ignore[reportUnknownMemberType,reportUnknownArgumentType]


def call(module: ModuleOp, name: str, *arrays: Array) -> tuple[Array, ...]:
    """
    Returns the results of function `name` on `arrays`, which have the element types and shapes of its signature.

    Tuples are flattened, in arguments and in results. Results share no memory with `arrays`. Raises `NoSuchFunction`,
    `ArgumentMismatch`, or a `Violation` on inputs for which an op is undefined.
    """
    results = map(np.asarray, call_on(interpreter(module), module, name, arrays))
    return tuple(r.copy() if any(np.may_share_memory(r, a) for a in arrays) else r for r in results)


def call_on(run: Interpreter, module: ModuleOp, name: str, values: Sequence[Any]) -> tuple[Any, ...]:
    """Returns the results of function `name`, executed by the interpreter `run` on `values` of the kind that it computes with."""
    function = find_function(module, name)
    check_arguments(function, values)
    seen, own = seen_type(function), function.function_type
    pairs = zip(leaves(seen.inputs), leaves(own.inputs), strict=True)
    inputs = [pack(v) if packed_array(*types) else v for v, types in zip(values, pairs, strict=True)]
    results = leaf_values(run.call_op(name, nested(own.inputs, iter(inputs))))
    arrays = (packed_array(*types) for types in zip(leaves(seen.outputs), leaves(own.outputs), strict=True))
    return tuple(
        r if t is None else unpack(r, t.get_shape(), numpy_dtype(t.element_type))
        for r, t in zip(results, arrays, strict=True)
    )


def nested(types: Iterable[Attribute], leaves: Iterator[Any]) -> tuple[Any, ...]:
    """Builds values of `types` from their leaves in order; tuples are nested as in the types."""
    return tuple(nested(t.types, leaves) if isinstance(t, TupleType) else next(leaves) for t in types)
