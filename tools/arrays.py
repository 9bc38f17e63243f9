"""The arguments and results of a program: draws random arguments, and reads and writes npz files."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import partial
from io import BytesIO
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from xdsl.dialects.builtin import AnyFloat, IndexType, IntegerType, MemRefType, TensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute
from xdsl.utils.hints import isa

from ..analysis.program.signature import Signature
from ..diagnostics.diagnostic import Diagnostic
from ..diagnostics.rendering import report
from ..dialects.ptir.dims import sizes, sizes_text
from ..dialects.pto.types import MemRefType as PtoMemRefType
from ..semantics.arrays.scalars import Array, is_complex, is_float, numpy_dtype
from ..semantics.samples import draw_shapes
from ..semantics.sizes import MAX_RANK
from ..text.known_sizes import Size
from ..text.suggest import did_you_mean
from .errors import BadInputs
from .npz import Npz


def _signature(function: FuncOp) -> list[tuple[str, np.dtype[Any], tuple[Size, ...]]]:
    """Returns the name, element type and sizes of each array that `function` takes."""
    out: list[tuple[str, np.dtype[Any], tuple[Size, ...]]] = []
    for k, (name, t) in enumerate(Signature.of(function).arguments):
        if isa(t, TensorType[Attribute]):
            out.append((name, numpy_dtype(t.element_type), sizes(t)))
        elif isa(t, MemRefType[Attribute]) and min(t.get_shape(), default=0) >= 0:
            out.append((name, numpy_dtype(t.element_type), t.get_shape()))
        elif isinstance(t, PtoMemRefType) and -1 not in t.sizes:
            out.append((name, numpy_dtype(t.element_type), t.sizes))
        elif isinstance(t, IndexType):
            out.append((name, np.dtype(np.int64), ()))
        elif isa(t, IntegerType | AnyFloat):
            out.append((name, numpy_dtype(t), ()))
        else:
            problem = f"argument {k} of @{function.sym_name.data} is {t}"
            help = "arguments are tensors, tuples of them, memrefs of known shape, and numbers"
            raise BadInputs(function, problem=problem, help=help)
    return out


def require_inputs(function: FuncOp) -> None:
    """Raises `BadInputs` if `function` takes arrays, since random arguments are only used on request."""
    if names := [name for name, _, _ in _signature(function)]:
        problem = f"@{function.sym_name.data} takes {', '.join(names)}, but no inputs are given"
        help = "--inputs=FILE.npz gives arrays by these names, --random=SEED makes them"
        raise BadInputs(function, problem=problem, help=help)


def has_dynamic_sizes(function: FuncOp) -> bool:
    """Returns whether an argument has a dynamic size."""
    return any(not isinstance(size, int) for _, _, sizes in _signature(function) for size in sizes)


def random_inputs(function: FuncOp, seed: int, attempt: int = 0) -> list[Array]:
    """
    Returns random arguments: standard normal floats, and small integers. Dynamic sizes are random, one for each name of a size,
    and differ between attempts.
    """
    rng = np.random.default_rng(seed)
    out: list[Array] = []
    signature = _signature(function)
    shapes = draw_shapes(np.random.default_rng([seed, attempt]), [sizes for _, _, sizes in signature])
    for shape, (name, dtype, _) in zip(shapes, signature, strict=True):
        _require_memory(function, name, shape, 8)  # bytes per random number
        floats, count = is_float(dtype) or is_complex(dtype), prod(shape)
        values = rng.standard_normal(count) if floats else rng.integers(0, 2 if dtype.kind == "b" else 8, count)
        out.append(values.astype(dtype).reshape(shape))
    return out


def _require_memory(function: FuncOp, name: str, shape: tuple[int, ...], each: int) -> None:
    """Raises `BadInputs` if NumPy does not support the rank, or this machine has too little memory for elements of `each` bytes."""
    if len(shape) > MAX_RANK:
        problem = f"%{name} has {len(shape)} axes, but arrays have at most {MAX_RANK}"
    elif each * prod(shape) > os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"):
        problem = f"%{name} has {prod(shape)} elements, more than this machine has memory for"
    else:
        return
    raise BadInputs(function, problem=problem, help="run the program on smaller sizes")


def read_inputs(function: FuncOp, path: Path) -> list[Array]:
    """Returns the arguments that an npz file stores. Raises `BadInputs`, which names the array."""
    signature = _signature(function)
    with Npz(path) as archive:
        keys = _keys(function, archive.names, [name for name, _, _ in signature], path)
        return [
            _convert(function, name, archive.array(key, partial(_require_shape, function, name, sizes)), dtype)
            for key, (name, dtype, sizes) in zip(keys, signature, strict=True)
        ]


def _keys(function: FuncOp, stored: Sequence[str], names: list[str], path: Path) -> list[str]:
    """Returns for each argument the name of its array in the file. Raises `BadInputs` if an array is missing."""
    if set(stored) == (by_order := {f"arr_{k}": None for k in range(len(names))}).keys():
        return list(by_order)
    if twice := sorted({name for name in names if names.count(name) > 1}):
        problem = (
            f"@{function.sym_name.data} has several arguments '{twice[0]}': a number after '_' is not part of a name"
        )
        help = "store the arrays in the order of the arguments: arr_0, arr_1, …"
        raise BadInputs(function, problem=problem, help=help)
    if missing := [name for name in names if name not in stored]:
        have = f"the function needs {', '.join(names)}; the file has {', '.join(stored)}"
        raise BadInputs(function, problem=f"{path} has no array '{missing[0]}'", help=have)
    for name in stored:
        if name not in names:
            near = did_you_mean(name, names, otherwise=f"it takes {', '.join(names) or 'no arrays'}")
            message = f"{path}: array '{name}' is not used: @{function.sym_name.data} has no such argument"
            report([Diagnostic("warning", message, help=near)])
    return names


def _require_shape(function: FuncOp, name: str, sizes: tuple[Size, ...], shape: tuple[int, ...], each: int) -> None:
    if len(sizes) != len(shape) or any(isinstance(s, int) and s != n for s, n in zip(sizes, shape, strict=True)):
        problem = f"array '{name}' has shape {list(shape)}, %{name} has {sizes_text(sizes)}"
        raise BadInputs(function, problem=problem, help="reshape the array, or change the program")
    _require_memory(function, name, shape, each)


def _convert(function: FuncOp, name: str, array: Array, dtype: np.dtype[Any]) -> Array:
    if array.dtype == dtype:
        return np.asarray(array, order="C")
    if not _native(dtype) and array.dtype.kind in "uV" and array.dtype.itemsize == dtype.itemsize:
        return np.asarray(array, order="C").view(dtype)
    with np.errstate(all="ignore"):  # the comparison below finds overflows
        converted = array.astype(dtype) if array.dtype.kind in "biuf" else None
    if converted is not None and np.array_equal(converted.astype(np.float64), array.astype(np.float64), equal_nan=True):
        return np.asarray(converted, order="C")
    raise BadInputs(
        function,
        problem=f"array '{name}' is {array.dtype} and %{name} is {dtype}: not every value can be converted exactly",
        help="round the array yourself, or store the bits as unsigned integers",
    )


def _native(dtype: np.dtype[Any]) -> bool:
    """Returns whether the type is NumPy's own, and not a type of ml_dtypes, for which `isbuiltin` is 2."""
    return dtype.isbuiltin == 1


def npz_bytes(results: Sequence[Array]) -> bytes:
    """Returns the bytes of an npz file with the results."""
    stored = {f"r{k}": r if _native(r.dtype) else r.view(f"u{r.dtype.itemsize}") for k, r in enumerate(results)}
    file = BytesIO()
    np.savez(file, **stored)  # pyright: ignore[reportArgumentType]
    return file.getvalue()
