"""
Imports and exports tensors as DLPack capsules, through ctypes and without a copy.

NumPy imports only tensors on the CPU, and neither bf16 nor fp8, so capsules are read here. The structures are defined by DLPack 1.0
(`dlpack.h`, https://dmlc.github.io/dlpack/latest/c_api.html); the meaning of `stream` is specified in
https://data-apis.org/array-api/latest/API_specification/generated/array_api.array.__dlpack__.html.
"""

from __future__ import annotations

import ctypes
from ctypes import (
    POINTER,
    PYFUNCTYPE,
    Structure,
    c_char_p,
    c_int,
    c_int32,
    c_int64,
    c_uint8,
    c_uint16,
    c_uint32,
    c_void_p,
    py_object,
    pythonapi,
)
from ctypes import c_uint64 as u64
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import ml_dtypes
import numpy as np

from ..analysis.index.linearize import row_major_strides

DType = np.dtype[Any]


class Kind(IntEnum):
    """The type of device that holds a tensor: `DLDeviceType`."""

    CPU = 1
    CUDA = 2
    CUDA_HOST = 3
    CUDA_MANAGED = 13


_INT, _UINT, _FLOAT, _BFLOAT, _COMPLEX, _BOOL = 0, 1, 2, 4, 5, 6
DTYPES: dict[tuple[int, int], DType] = {
    **{(_INT, 8 * n): np.dtype(f"i{n}") for n in (1, 2, 4, 8)},
    **{(_UINT, 8 * n): np.dtype(f"u{n}") for n in (1, 2, 4, 8)},
    **{(_FLOAT, 8 * n): np.dtype(f"f{n}") for n in (2, 4, 8)},
    **{(_COMPLEX, 8 * n): np.dtype(f"c{n}") for n in (8, 16)},
    (_INT, 4): np.dtype(ml_dtypes.int4),
    (_UINT, 4): np.dtype(ml_dtypes.uint4),
    (_BOOL, 8): np.dtype(np.bool_),
    (_BFLOAT, 16): np.dtype(ml_dtypes.bfloat16),
    (10, 8): np.dtype(ml_dtypes.float8_e4m3fn),
    (12, 8): np.dtype(ml_dtypes.float8_e5m2),
}
"""The NumPy type for each `DLDataTypeCode` and number of bits."""
_CODES = {dtype: key for key, dtype in DTYPES.items()}
READ_ONLY = 1
"""The flag `DLPACK_FLAG_BITMASK_READ_ONLY`."""
PADDED = 4
"""The flag `DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED`: each element takes a whole byte. Without the flag, elements are packed."""


class _Tensor(Structure):
    """`DLTensor`."""

    _fields_ = [
        ("data", c_void_p), ("kind", c_int32), ("ordinal", c_int32), ("rank", c_int32), ("code", c_uint8),
        ("bits", c_uint8), ("lanes", c_uint16), ("shape", POINTER(c_int64)), ("strides", POINTER(c_int64)),
        ("offset", u64),
    ]  # fmt: skip


class _Managed(Structure):
    """`DLManagedTensor`."""

    _fields_ = [("tensor", _Tensor), ("context", c_void_p), ("deleter", c_void_p)]


class _Versioned(Structure):
    """`DLManagedTensorVersioned`."""

    _fields_ = [
        ("major", c_uint32), ("minor", c_uint32), ("context", c_void_p), ("deleter", c_void_p), ("flags", u64),
        ("tensor", _Tensor),
    ]  # fmt: skip


_NAMES: dict[bytes, type[_Managed] | type[_Versioned]] = {b"dltensor_versioned": _Versioned, b"dltensor": _Managed}


@dataclass(frozen=True)
class Tensor:
    """The contents of a capsule. The memory is valid as long as `owner`, the capsule, lives."""

    pointer: int
    shape: tuple[int, ...]
    dtype: DType
    contiguous: bool
    readonly: bool
    owner: object


def borrow(array: Any, stream: int | None) -> Tensor:
    """
    Returns the memory of an array. For an array on a GPU, the array's library orders its pending work before later work in
    `stream`; on the CPU, `stream` is None. Raises `BufferError`, or the library's own errors.
    """
    order = {} if stream is None else {"stream": stream}
    try:
        capsule = array.__dlpack__(max_version=(1, 0), **order)
    except TypeError:  # the library is older than DLPack 1.0
        capsule = array.__dlpack__(**order)
    return read(capsule)


def read(capsule: object) -> Tensor:
    """Returns the contents of a capsule. The capsule still owns the tensor: its destructor frees it. Raises `BufferError`."""
    name = next((name for name in _NAMES if _is_valid(capsule, name)), None)
    if name is None:
        raise BufferError(f"{capsule!r} is not a DLPack capsule, or is already used")
    kind = _NAMES[name]
    managed = kind.from_address(_pointer_in(capsule, name))
    if isinstance(managed, _Versioned) and managed.major != 1:
        raise BufferError(f"the capsule has DLPack version {managed.major}.{managed.minor}, but only 1.x is supported")
    t: Any = managed.tensor
    dtype = DTYPES.get((t.code, t.bits))
    if dtype is None or t.lanes != 1:
        raise BufferError(f"its element type (DLPack code {t.code}, bits {t.bits}, lanes {t.lanes}) is not known")
    if t.bits < 8 and isinstance(managed, _Versioned) and managed.flags & PADDED:
        raise BufferError(f"its elements of {t.bits} bits are padded to bytes, but packed ones are needed")
    shape = tuple(t.shape[: t.rank]) if t.rank else ()
    strides = tuple(t.strides[: t.rank]) if t.rank and t.strides else None
    return Tensor(
        (t.data or 0) + t.offset,
        shape,
        dtype,
        strides is None or is_contiguous(shape, strides),
        isinstance(managed, _Versioned) and bool(managed.flags & READ_ONLY),
        capsule,
    )


def is_contiguous(shape: tuple[int, ...], strides: tuple[int, ...]) -> bool:
    """Returns whether `strides`, in elements, are those of a row-major array. Strides of axes of size 1 do not matter."""
    dense = row_major_strides(shape)
    return 0 in shape or all(n == 1 or s == d for n, s, d in zip(shape, strides, dense, strict=True))


_alive: dict[int, tuple[object, ...]] = {}
"""Maps the address of each exported structure to the objects that must live as long as the structure."""


def make(pointer: int, shape: tuple[int, ...], dtype: DType, ordinal: int, owner: object, *, versioned: bool) -> object:
    """
    Returns the capsule of a row-major array on a CUDA device. `owner` is kept alive until the consumer deletes the tensor.
    Raises `BufferError` if DLPack has no such `dtype`.
    """
    if dtype not in _CODES:
        raise BufferError(f"DLPack has no {dtype}")
    rank = len(shape)
    sizes = (c_int64 * rank)(*shape)
    strides = (c_int64 * rank)(*row_major_strides(shape))
    code, bits = _CODES[dtype]
    tensor = _Tensor(pointer, Kind.CUDA, ordinal, rank, code, bits, 1, sizes, strides, 0)
    deleter = ctypes.cast(_delete, c_void_p)
    managed = _Versioned(1, 0, None, deleter, 0, tensor) if versioned else _Managed(tensor, None, deleter)
    address = ctypes.addressof(managed)
    _alive[address] = (managed, sizes, strides, owner)
    return _new_capsule(address, _VERSIONED if versioned else _PLAIN, ctypes.cast(_destroy, c_void_p))


@ctypes.CFUNCTYPE(None, c_void_p)
def _delete(managed: int) -> None:
    """The deleter of an exported structure, which the consumer calls."""
    _alive.pop(managed, None)


@ctypes.CFUNCTYPE(None, c_void_p)
def _destroy(capsule: int) -> None:
    """
    The destructor of a capsule. It frees the tensor only if nobody has imported it: a consumer that imports a tensor renames the
    capsule.
    """
    for name in _NAMES:
        if _is_valid_at(capsule, name):
            _alive.pop(_pointer_at(capsule, name), None)


_VERSIONED, _PLAIN = _NAMES
_new_capsule = PYFUNCTYPE(py_object, c_void_p, c_char_p, c_void_p)(("PyCapsule_New", pythonapi))
_is_valid = PYFUNCTYPE(c_int, py_object, c_char_p)(("PyCapsule_IsValid", pythonapi))
_pointer_in = PYFUNCTYPE(c_void_p, py_object, c_char_p)(("PyCapsule_GetPointer", pythonapi))
_is_valid_at = PYFUNCTYPE(c_int, c_void_p, c_char_p)(("PyCapsule_IsValid", pythonapi))
_pointer_at = PYFUNCTYPE(c_void_p, c_void_p, c_char_p)(("PyCapsule_GetPointer", pythonapi))
