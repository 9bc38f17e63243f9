"""
Tensor maps (PTX ISA §5.5, tensors): converts the maps of `nv.tensor_map` for the emulator and for the driver.

The emulator's `TensorMap` enforces the driver's rules; a GPU takes the 128 bytes that `cuTensorMapEncodeTiled` writes (CUDA
driver API §6.32). A `TensorMapSpec` lists axes from the outermost and its strides count elements. The maps of the emulator and
the driver list axes from the innermost; their strides count bytes and omit the innermost axis:

    sizes [4, 512, 768] strides [393216, 768, 1] of bf16  →  sizes (768, 512, 4), strides (1536, 786432)
"""

from __future__ import annotations

import ctypes
from ctypes import c_int, c_uint32, c_uint64, c_void_p
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..emulator.errors import BadTensorMap
from ..emulator.memory.tensor_map import BYTES, TensorMap, driver_strides
from .driver import Driver

ALIGNMENT = 128
"""Alignment of an encoded map, in bytes, as CUDA 13 requires it. cuda-python's structure is aligned to 16 and cannot be used."""

TYPES = {1: "UINT8", 2: "UINT16", 4: "UINT32", 8: "UINT64"}
"""The driver's `CU_TENSOR_MAP_DATA_TYPE_…` for each width in bytes: elements are copied as integers, so that none is rounded."""


@dataclass(frozen=True)
class TensorMapSpec:
    """
    An array in a buffer, and the `box` that one copy moves. The array begins at element `offset` of the buffer; `sizes`,
    `strides` (in elements) and `box` list its axes from the outermost. The last stride is 1. `swizzle` is 0, 32, 64 or 128
    bytes. Reads beyond the sizes return zero. With `tf32`, f32 elements are rounded to tf32 when they are read. `corners` makes a map
    in im2col mode: the lower and the upper corner and the step of each axis but the first and the last; `box` has pixels and channels.
    """

    sizes: tuple[int, ...]
    strides: tuple[int, ...]
    box: tuple[int, ...]
    dtype: np.dtype[Any]
    swizzle: int = 0
    offset: int = 0
    tf32: bool = False
    corners: tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]] | None = None

    @property
    def type_name(self) -> str:
        """The driver's name for the element type."""
        return "TFLOAT32" if self.tf32 else TYPES[self.dtype.itemsize]

    def at(self, address: int, size: int) -> TensorMap:
        """Returns the emulator's map for a buffer of `size` bytes at `address`. Raises `BadTensorMap`."""
        width = self.dtype.itemsize
        if width not in TYPES:
            raise BadTensorMap(problem=f"TMA does not copy {self.dtype}")
        if len(self.strides) != len(self.sizes) or self.strides[-1:] != (1,):
            raise BadTensorMap(problem=f"sizes {self.sizes} need as many strides, the last of them 1: {self.strides}")
        last = self.offset + sum((n - 1) * s for n, s in zip(self.sizes, self.strides, strict=True))
        if not 0 <= self.offset <= last < size // width:
            problem = f"elements {self.offset} to {last} are not all among the {size // width} of the buffer"
            raise BadTensorMap(problem=problem)
        strides = driver_strides(self.sizes[::-1], [s * width for s in self.strides[-2::-1]], width)
        dtype = "tf32" if self.tf32 else ""
        begin, box = address + self.offset * width, self.box[::-1]
        lower, upper, steps = (tuple(part[::-1]) for part in self.corners or ((), (), ()))
        inner = (1, *steps, 1) if self.corners else ()
        sizes = self.sizes[::-1]
        return TensorMap(begin, width, sizes, strides, box, self.swizzle, inner, False, dtype, lower, upper)


@dataclass(frozen=True)
class Encoded:
    """A map that the driver has encoded: 128 bytes at `address`, which `storage` keeps alive."""

    address: int
    storage: Any


def encode(driver: Driver, spec: TensorMapSpec, address: int, size: int) -> Encoded:
    """
    Returns the driver's encoding of a map for a buffer of `size` bytes at `address`. The driver's function is called through its
    pointer, since cuda-python's wrapper writes to memory that is aligned to 16 bytes only.
    """
    t = spec.at(address, size)
    d, rank = driver.driver, len(t.sizes)
    storage = ctypes.create_string_buffer(BYTES + ALIGNMENT)
    out = -(-ctypes.addressof(storage) // ALIGNMENT) * ALIGNMENT
    name = "cuTensorMapEncodeIm2col" if t.is_im2col else "cuTensorMapEncodeTiled"
    pointer, _ = driver.call("cuGetProcAddress", name.encode(), 12000, 0)
    box = (
        [(c_int * (rank - 2))(*t.lower), (c_int * (rank - 2))(*t.upper), *t.box]
        if t.is_im2col
        else [(c_uint32 * rank)(*t.box)]
    )
    status = d.CUresult(
        (_IM2COL if t.is_im2col else _PROTOTYPE)(int(pointer))(
            out,
            int(getattr(d.CUtensorMapDataType, f"CU_TENSOR_MAP_DATA_TYPE_{spec.type_name}")),
            rank,
            t.address,
            (c_uint64 * rank)(*t.sizes),
            (c_uint64 * rank)(*t.strides),
            *box,
            (c_uint32 * rank)(*t.element_strides),
            int(d.CUtensorMapInterleave.CU_TENSOR_MAP_INTERLEAVE_NONE),
            int(getattr(d.CUtensorMapSwizzle, "CU_TENSOR_MAP_SWIZZLE_" + (f"{t.swizzle}B" if t.swizzle else "NONE"))),
            int(d.CUtensorMapL2promotion.CU_TENSOR_MAP_L2_PROMOTION_L2_128B),
            int(d.CUtensorMapFloatOOBfill.CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE),
        )
    )
    driver.check(status, name)
    return Encoded(out, storage)


_IM2COL = ctypes.CFUNCTYPE(
    c_int, c_void_p, c_int, c_uint32, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_uint32, c_uint32, c_void_p,
    c_int, c_int, c_int, c_int,
)  # fmt: skip
_PROTOTYPE = ctypes.CFUNCTYPE(
    c_int, c_void_p, c_int, c_uint32, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_int, c_int, c_int, c_int
)
