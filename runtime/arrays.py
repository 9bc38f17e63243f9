"""
The arrays that a program can be called with: NumPy arrays, and objects with `__dlpack__` (PyTorch, CuPy, JAX, `DeviceArray`)
or `__cuda_array_interface__`. They are used in place, without a copy or a conversion.

Specs: DLPack (`dlpack.py`); CUDA array interface 3, https://numba.readthedocs.io/en/stable/cuda/cuda_array_interface.html.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import prod
from typing import Any, cast

import numpy as np

from ..errors import kind_of
from ..semantics.arrays.bits import packed_bytes
from ..semantics.arrays.scalars import Array
from . import dlpack
from .context import Context
from .driver import Driver
from .memory import DeviceArray

ALIGNMENT = 16
"""Required alignment of arrays, in bytes: the width of the widest access."""


class Unfit(Exception):
    """
    Raised for an array that cannot be used, with the problem and its fix. The caller, which knows the array's name, raises a
    `PtirError`.
    """

    def __init__(self, problem: str, help: str):
        super().__init__(problem)
        self.problem = problem
        self.help = help


@dataclass(frozen=True)
class View:
    """The memory of an array on the host (`ordinal` is None) or on a GPU. It is valid as long as `owner` lives."""

    pointer: int
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    ordinal: int | None
    contiguous: bool
    readonly: bool
    owner: object

    @property
    def nbytes(self) -> int:
        """The size of the memory in bytes. On a GPU, a byte holds two 4-bit integers."""
        return prod(self.shape) * self.dtype.itemsize if self.ordinal is None else packed_bytes(self.shape, self.dtype)


def overlapping(views: Sequence[View], first: int) -> int | None:
    """Returns the index of a view from `first` on that shares memory with another view, or None."""
    found, end, found_end = None, 0, 0
    for start, stop, k in sorted((v.pointer, v.pointer + size, k) for k, v in enumerate(views) if (size := v.nbytes)):
        if k >= first:
            if start < end:
                return k
            found, found_end = k, stop
        elif start < found_end:
            return found
        end = max(end, stop)
    return None


def ordinal_of(array: Any) -> int | None:
    """Returns the ordinal of the GPU that holds an array, or None if the host does. Raises `Unfit`."""
    if isinstance(array, np.ndarray | np.generic):
        return None
    if hasattr(array, "__dlpack__") and hasattr(array, "__dlpack_device__"):
        with _exporting():
            kind, ordinal = map(int, array.__dlpack_device__())
        if kind in (dlpack.Kind.CPU, dlpack.Kind.CUDA_HOST):
            return None
        if kind in (dlpack.Kind.CUDA, dlpack.Kind.CUDA_MANAGED):
            return ordinal
        raise Unfit(f"lies on a device of DLPack type {kind}", "move it to the host or to a CUDA device")
    if hasattr(array, "__cuda_array_interface__"):
        return Driver().ordinal_of(int(array.__cuda_array_interface__["data"][0]))
    raise Unfit(
        f"is {kind_of(array)}",
        "pass a NumPy array (numpy.asarray(…) makes one), or one with __dlpack__ or __cuda_array_interface__",
    )


def shape_of(array: Any) -> tuple[int, ...]:
    """Returns the shape of an array on any device. Raises `Unfit`."""
    ordinal_of(array)
    if hasattr(array, "shape"):
        return tuple(map(int, array.shape))
    return (
        _borrow(array, None).shape if hasattr(array, "__dlpack__") else tuple(array.__cuda_array_interface__["shape"])
    )


def on_host(array: Any) -> Array:
    """Returns a host array as a NumPy array that shares its memory; a NumPy number is copied. Raises `Unfit`."""
    if isinstance(array, np.ma.MaskedArray):
        raise masked()
    if isinstance(array, np.ndarray | np.generic):
        return np.asarray(cast("Array", array))
    t = _borrow(array, None)
    if not t.contiguous:
        raise not_contiguous()
    return np.asarray(_Bytes(t)).view(t.dtype).reshape(t.shape)


class _Bytes:
    """The bytes of a tensor as NumPy imports them. NumPy's array refers to this object, and thus keeps the tensor alive."""

    def __init__(self, tensor: dlpack.Tensor):
        self.owner = tensor
        size = prod(tensor.shape) * tensor.dtype.itemsize
        data = (tensor.pointer, tensor.readonly)
        self.__array_interface__ = {"shape": (size,), "typestr": "|u1", "data": data, "version": 3}


def view_of_host(array: Array) -> View:
    flags = array.flags
    return View(array.ctypes.data, array.shape, array.dtype, None, flags.c_contiguous, not flags.writeable, array)


def view_on_device(array: Any, ordinal: int, gpu: Context, stream: int) -> View:
    """Returns a view of an array on a GPU. Later work in `stream` waits for the array's pending work in its library."""
    if isinstance(array, DeviceArray):
        array.used_in(stream)
        return View(array.memory.pointer, array.shape, array.dtype, ordinal, True, False, array.memory)
    if hasattr(array, "__dlpack__"):
        t = _borrow(array, stream)
        return View(t.pointer, t.shape, t.dtype, ordinal, t.contiguous, t.readonly, t.owner)
    interface = array.__cuda_array_interface__
    if interface.get("mask") is not None:
        raise masked()
    pointer, readonly = interface["data"]
    shape, dtype = tuple(interface["shape"]), np.dtype(interface["typestr"])
    strides = interface.get("strides")
    if (before := interface.get("stream")) is not None:
        gpu.order(before, stream)
    dense = strides is None or dlpack.is_contiguous(shape, tuple(s // dtype.itemsize for s in strides))
    return View(int(pointer), shape, dtype, ordinal, dense, bool(readonly), array)


def _borrow(array: Any, stream: int | None) -> dlpack.Tensor:
    with _exporting():
        return dlpack.borrow(array, stream)


@contextmanager
def _exporting() -> Generator[None]:
    """Converts an error of the array's library to an `Unfit`."""
    try:
        yield
    except Exception as error:  # libraries raise different types: for a gradient, a layout, an unsupported type
        raise Unfit(f"cannot be exported by DLPack: {error}", "detach or convert it first") from error


def masked() -> Unfit:
    return Unfit("has a mask", "fill in the masked elements, array.filled(…): programs take whole arrays")


def not_contiguous() -> Unfit:
    help = "the signature is row-major: declare the transposed shape and transpose in the program"
    return Unfit("is not C-contiguous", help)


def check(view: View, dtype: np.dtype[Any], shape: tuple[int, ...]) -> None:
    """Raises `Unfit` if an array does not match the type of the signature, for which the kernels were compiled."""
    if view.dtype != dtype:
        help = f"convert it: array.astype({dtype})"
        if view.dtype.kind == "V":
            help = "__cuda_array_interface__ has no bf16 and no fp8: pass an array with __dlpack__"
        raise Unfit(f"has element type {view.dtype}, but the signature says {dtype}", help)
    if view.shape != shape:
        problem = f"has shape {list(view.shape)}, but the signature says {list(shape)}"
        raise Unfit(problem, "reshape it, or change the program")
    if not view.contiguous:
        raise not_contiguous()
    widest = 1 << max(1, view.nbytes).bit_length() - 1  # no access is wider than the array
    if view.pointer % min(ALIGNMENT, widest):
        raise Unfit(f"is not aligned to {ALIGNMENT} bytes", "copy it into a fresh array")
