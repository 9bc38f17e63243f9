"""
The arrays that a program is called with: NumPy's, anything with `__dlpack__` (PyTorch, CuPy, JAX, ours), and anything
with `__cuda_array_interface__`. Each is looked at where it lies; none is copied or converted.

Specs: DLPack (`dlpack.py`); CUDA array interface 3, https://numba.readthedocs.io/en/stable/cuda/cuda_array_interface.html.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Any, cast

import numpy as np
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Attribute

from ..errors import kind_of
from ..semantics.arrays.scalars import Array, numpy_dtype
from . import dlpack
from .context import Context
from .driver import Driver

ALIGNMENT = 16


class Unfit(Exception):
    """What is wrong with an array, and what mends it; whoever knows its name says it."""

    def __init__(self, problem: str, help: str):
        super().__init__(problem)
        self.problem = problem
        self.help = help


@dataclass(frozen=True)
class View:
    """Memory of an array on the host (`ordinal` None) or on a GPU. It lives as long as `owner`."""

    pointer: int
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    ordinal: int | None
    contiguous: bool
    readonly: bool
    owner: object

    @property
    def nbytes(self) -> int:
        return prod(self.shape) * self.dtype.itemsize

    def overlaps(self, other: View) -> bool:
        return self.pointer < other.pointer + other.nbytes and other.pointer < self.pointer + self.nbytes


def ordinal_of(array: Any) -> int | None:
    """The number of the GPU that an array lies on, None for the host. Raises `Unfit`."""
    if isinstance(array, np.ndarray):
        return None
    if hasattr(array, "__dlpack__") and hasattr(array, "__dlpack_device__"):
        kind, ordinal = dlpack.place(array)
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


def on_host(array: Any) -> Array:
    """An array of the host as NumPy's, without a copy. Raises `Unfit`."""
    if isinstance(array, np.ndarray):
        return cast("Array", array)
    t = _borrow(array, None)
    if not t.contiguous:
        raise not_contiguous()
    window = np.asarray(_Window(t))
    return window.view(t.dtype).reshape(t.shape)


class _Window:
    """Bytes of a tensor as NumPy reads them; the array made of it keeps it, and with it the tensor."""

    def __init__(self, tensor: dlpack.Tensor):
        self.owner = tensor
        size = prod(tensor.shape) * tensor.dtype.itemsize
        data = (tensor.pointer, tensor.readonly)
        self.__array_interface__ = {"shape": (size,), "typestr": "|u1", "data": data, "version": 3}


def view_of_host(array: Array) -> View:
    flags = array.flags
    return View(array.ctypes.data, array.shape, array.dtype, None, flags.c_contiguous, not flags.writeable, array)


def view_on_device(array: Any, ordinal: int, gpu: Context, stream: int) -> View:
    """An array on a GPU; what its library has still to do with it happens before what is put into `stream`."""
    if hasattr(array, "__dlpack__"):
        t = _borrow(array, stream)
        return View(t.pointer, t.shape, t.dtype, ordinal, t.contiguous, t.readonly, t.owner)
    interface = array.__cuda_array_interface__
    if interface.get("mask") is not None:
        raise Unfit("has a mask", "fill it in: kernels take whole arrays")
    pointer, readonly = interface["data"]
    shape, dtype = tuple(interface["shape"]), np.dtype(interface["typestr"])
    strides = interface.get("strides")
    each = tuple(s // dtype.itemsize for s in strides) if strides is not None else None
    if (before := interface.get("stream")) is not None:
        gpu.order(before, stream)
    dense = each is None or dlpack.is_contiguous(shape, each)
    return View(int(pointer), shape, dtype, ordinal, dense, bool(readonly), array)


def _borrow(array: Any, stream: int | None) -> dlpack.Tensor:
    try:
        return dlpack.borrow(array, stream)
    except Exception as error:  # whatever its library says: a gradient, a layout, a type without a number
        raise Unfit(f"cannot be taken by DLPack: {error}", "detach or convert it first") from error


def not_contiguous() -> Unfit:
    return Unfit(
        "is not C-contiguous", "the signature is row-major: declare the transposed shape and transpose in the program"
    )


def check(view: View, t: MemRefType[Attribute]) -> None:
    """Raises `Unfit` for what is not as the signature says, which is what the kernels were compiled for."""
    want = numpy_dtype(t.element_type)
    if view.dtype != want:
        help = f"convert it: array.astype({want})"
        if view.dtype.kind == "V":
            help = "__cuda_array_interface__ has no bf16 and no fp8: give it by DLPack"
        raise Unfit(f"has element type {view.dtype}, the signature says {want}", help)
    if view.shape != t.get_shape():
        raise Unfit(
            f"has shape {list(view.shape)}, the signature says {list(t.get_shape())}",
            "reshape it, or change the program",
        )
    if not view.contiguous:
        raise not_contiguous()
    reach = 1 << max(1, view.nbytes).bit_length() - 1  # no access is wider than the array
    if view.pointer % min(ALIGNMENT, reach):
        raise Unfit(f"is not aligned to {ALIGNMENT} bytes", "copy it into a fresh array")
