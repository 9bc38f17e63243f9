"""Arrays that go into a program and come out of it: made from the signature, or from and to npz files."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from functools import partial
from io import BytesIO
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from xdsl.dialects.builtin import MemRefType, TensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute
from xdsl.utils.hints import isa

from ..diagnostics.diagnostic import Diagnostic
from ..diagnostics.rendering import render, wants_color
from ..dialects.ptir.dims import sizes, sizes_text
from ..runtime.signature import Signature
from ..semantics.arrays.scalars import Array, is_complex, is_float, numpy_dtype
from ..semantics.samples import draw_shapes
from ..semantics.sizes import MAX_RANK
from ..text.known_sizes import Size
from ..text.suggest import did_you_mean
from .errors import BadInputs
from .npz import Npz


def _signature(function: FuncOp) -> list[tuple[str, np.dtype[Any], tuple[Size, ...]]]:
    """Name, element type and sizes of each array that it takes."""
    out: list[tuple[str, np.dtype[Any], tuple[Size, ...]]] = []
    for k, (name, t) in enumerate(Signature.of(function).arguments):
        if isa(t, TensorType[Attribute]):
            out.append((name, numpy_dtype(t.element_type), sizes(t)))
        elif isa(t, MemRefType[Attribute]) and min(t.get_shape(), default=0) >= 0:
            out.append((name, numpy_dtype(t.element_type), t.get_shape()))
        else:
            problem = f"argument {k} of @{function.sym_name.data} is {t}"
            help = "arguments are tensors, tuples of them, memrefs of known shape"
            raise BadInputs(function, problem=problem, help=help)
    return out


def require_inputs(function: FuncOp) -> None:
    """A program that takes arrays is not run on any that nobody asked for. Raises `BadInputs`."""
    if names := [name for name, _, _ in _signature(function)]:
        problem = f"@{function.sym_name.data} takes {', '.join(names)}, and no inputs are given"
        help = "--inputs=FILE.npz gives arrays by these names, --random=SEED makes them"
        raise BadInputs(function, problem=problem, help=help)


def has_dynamic_sizes(function: FuncOp) -> bool:
    """Whether some size of the arguments is not in the signature."""
    return any(not isinstance(size, int) for _, _, sizes in _signature(function) for size in sizes)


def random_inputs(function: FuncOp, seed: int, attempt: int = 0) -> list[Array]:
    """
    Standard normal floats and small integers of the signature's types. Dynamic sizes are drawn, one for each name: others
    in each attempt.
    """
    rng = np.random.default_rng(seed)
    out: list[Array] = []
    signature = _signature(function)
    shapes = draw_shapes(np.random.default_rng([seed, attempt]), [sizes for _, _, sizes in signature])
    for shape, (name, dtype, _) in zip(shapes, signature, strict=True):
        _require_memory(function, name, shape, 8)  # which numbers are drawn with
        floats, count = is_float(dtype) or is_complex(dtype), prod(shape)
        values = rng.standard_normal(count) if floats else rng.integers(0, 2 if dtype.kind == "b" else 8, count)
        out.append(values.astype(dtype).reshape(shape))
    return out


def _require_memory(function: FuncOp, name: str, shape: tuple[int, ...], each: int) -> None:
    """NumPy must have arrays of that many axes, and this machine memory for so many elements of `each` bytes."""
    help = "run the program on smaller sizes"
    if len(shape) > MAX_RANK:
        problem = f"%{name} has {len(shape)} axes, and arrays have {MAX_RANK} at most"
        raise BadInputs(function, problem=problem, help=help)
    if each * prod(shape) > os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"):
        problem = f"%{name} has {prod(shape)} elements, more than this machine has memory for"
        raise BadInputs(function, problem=problem, help=help)


def read_inputs(function: FuncOp, path: Path) -> list[Array]:
    """The arguments from an npz file. Raises `BadInputs` naming the array at fault."""
    signature = _signature(function)
    with Npz(path) as archive:
        keys = _keys(function, archive.names, [name for name, _, _ in signature], path)
        out: list[Array] = []
        for key, (name, dtype, sizes) in zip(keys, signature, strict=True):
            array = archive.array(key, partial(_require_shape, function, name, sizes))
            out.append(_convert(function, name, array, dtype))
    return out


def _keys(function: FuncOp, stored: Sequence[str], names: list[str], path: Path) -> list[str]:
    """The array in the file for each argument."""
    if set(stored) == (by_order := {f"arr_{k}": None for k in range(len(names))}).keys():
        return list(by_order)
    if twice := sorted({name for name in names if names.count(name) > 1}):
        problem = (
            f"@{function.sym_name.data} has several arguments '{twice[0]}': a number after '_' is no part of a name"
        )
        raise BadInputs(
            function, problem=problem, help="store the arrays in the order of the arguments: arr_0, arr_1, …"
        )
    if missing := [name for name in names if name not in stored]:
        have = f"it needs {', '.join(names)}; it has {', '.join(stored)}"
        raise BadInputs(function, problem=f"{path} has no array '{missing[0]}'", help=have)
    for name in stored:
        if name not in names:
            near = did_you_mean(name, names, otherwise=f"it takes {', '.join(names) or 'no arrays'}")
            message = f"{path}: array '{name}' is not used: @{function.sym_name.data} has no such argument"
            sys.stderr.write(render(Diagnostic("warning", message, help=near), color=wants_color(sys.stderr)))
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
    with np.errstate(all="ignore"):  # what overflows is not exact either
        converted = array.astype(dtype) if array.dtype.kind in "biuf" else None
    if converted is not None and np.array_equal(converted.astype(np.float64), array.astype(np.float64), equal_nan=True):
        return np.asarray(converted, order="C")
    raise BadInputs(
        function,
        problem=f"array '{name}' is {array.dtype} and %{name} is {dtype}: not every value is exact in it",
        help="round the array yourself, or store the bits as unsigned integers",
    )


def _native(dtype: np.dtype[Any]) -> bool:
    """Whether NumPy itself has the type; those of ml_dtypes are registered with it (`isbuiltin` is 2)."""
    return dtype.isbuiltin == 1


def archive(results: Sequence[Array]) -> bytes:
    """The results as the bytes of an npz file."""
    stored = {f"r{k}": r if _native(r.dtype) else r.view(f"u{r.dtype.itemsize}") for k, r in enumerate(results)}
    file = BytesIO()
    np.savez(file, **stored)  # pyright: ignore[reportArgumentType]
    return file.getvalue()
