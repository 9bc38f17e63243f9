"""
Tensor maps, the emulator's counterpart of `cuTensorMapEncodeTiled` and `cuTensorMapEncodeIm2col` (CUDA driver API §6.32).

A `TensorMap` is the argument for a kernel's 128-byte `__grid_constant__` struct; its encoding is private to the emulator.
The driver accepts every map that is valid here, because the checks are the same.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import prod

import numpy as np

from ...errors import counted
from ..errors import BadTensorMap
from ..isa.types import Array

BYTES = 128
_MAGIC = b"PTIRTMAP"
_LAYOUT = struct.Struct("<8sQ5I4Q5H5BBBBBB6hB")
DTYPES = {
    "u8": 1, "u16": 2, "u32": 4, "s32": 4, "u64": 8, "s64": 8, "f16": 2, "bf16": 2, "f32": 4, "f64": 8, "tf32": 4,
}  # fmt: skip
"""The driver's element types with their size in bytes."""
IM2COL_LIMITS = {3: (-(2**15), 2**15 - 1, 2**16 - 1), 4: (-128, 127, 255), 5: (-16, 15, 31)}
"""For each rank of an im2col map, the least and the greatest corner, and the greatest offset (CUDA driver API §6.32)."""
SWIZZLES = {0: 0, 32: 0x10, 64: 0x30, 128: 0x70}
"""For each swizzle span in bytes, the mask of the address bits that are XORed with the bits three positions higher."""


@dataclass(frozen=True)
class TensorMap:
    """
    A tensor in global memory and the size of the box that one copy moves. Sizes are innermost first; `strides` are in
    bytes, from dimension 1 on; `box` counts elements; `swizzle` is 0, 32, 64 or 128 bytes. `nan_fill` fills with NaN
    instead of zero where a box exceeds the tensor (floats only). As in the driver, the innermost element stride is
    ignored, and an axis of size 1 may have the stride 0. `dtype` is a PTX type's name, or '' for maps without reductions.
    `tf32` rounds f32 to nearest on the way to shared memory; the driver's documentation does not specify ties, which are
    rounded away from zero here.

    A map with the corners `lower` and `upper`, one of each a spatial dimension (all but the first and the last), is in im2col mode
    (PTX ISA §5.5.4): `box` has the channels of a pixel and the number of pixels (`im2col.py`).
    """

    address: int
    element_bytes: int
    sizes: tuple[int, ...]
    strides: tuple[int, ...]
    box: tuple[int, ...]
    swizzle: int = 0
    element_strides: tuple[int, ...] = ()
    nan_fill: bool = False
    dtype: str = ""
    lower: tuple[int, ...] = ()
    upper: tuple[int, ...] = ()

    @property
    def is_im2col(self) -> bool:
        return bool(self.lower or self.upper)

    def __post_init__(self) -> None:
        rank = len(self.sizes)
        steps = self.element_strides or (1,) * rank
        object.__setattr__(self, "element_strides", steps)
        rules = [
            (1 <= rank <= 5, f"rank {rank} is not 1 to 5"),
            (self.element_bytes in (1, 2, 4, 8), f"elements of {self.element_bytes} bytes are not supported"),
            (
                len(self.box) == (2 if self.is_im2col else rank) and rank == len(steps),
                f"got {len(self.box)} box sizes and {len(steps)} element strides, expected {2 if self.is_im2col else rank} and {rank}",
            ),
            (
                len(self.strides) == rank - 1,
                f"rank {rank} needs {counted(rank - 1, 'stride')}, got {len(self.strides)}",
            ),
            (self.address % 16 == 0, f"address {self.address:#x} is not 16-byte aligned"),
            (all(0 < s <= 1 << 32 for s in self.sizes), f"sizes {self.sizes} are not in [1, 2^32]"),
            (
                all(0 < b <= (1024 if k and self.is_im2col else 256) for k, b in enumerate(self.box)),
                f"box {self.box} is not in [1, 256]" + ", or 1024 pixels" * self.is_im2col,
            ),
            *self._corner_rules(),
            (
                all(s % 16 == 0 and 0 <= s < 1 << 40 for s in self.strides),
                f"strides {self.strides} are not multiples of 16 in [0, 2^40)",
            ),
            (
                all(s or n == 1 for s, n in zip(self.strides, self.sizes[1:], strict=False)),
                f"strides {self.strides} are 0 along an axis of more than one element",
            ),
            (all(1 <= s <= 8 for s in steps), f"element strides {steps} are not in [1, 8]"),
            (
                not (self.nan_fill and self.dtype[:1] in ("u", "s")),
                f"elements of type {self.dtype} cannot be filled with NaN",
            ),
            (
                not self.dtype or DTYPES.get(self.dtype) == self.element_bytes,
                f"elements of type {self.dtype} are not supported",
            ),
            (self.swizzle in SWIZZLES, f"swizzle {self.swizzle} is not 0, 32, 64 or 128"),
        ]
        inner = self.box[0] * self.element_bytes if self.box else 0
        rules += [
            (inner % 16 == 0, f"the box's rows of {inner} bytes must be a multiple of 16"),
            (
                not self.swizzle or inner <= self.swizzle,
                f"the box's rows of {inner} bytes exceed the swizzle's {self.swizzle}",
            ),
        ]
        for good, problem in rules:
            if not good:
                raise BadTensorMap(problem=problem)

    def _corner_rules(self) -> list[tuple[bool, str]]:
        rank = len(self.sizes)
        if not self.is_im2col:
            return []
        least, most, _ = IM2COL_LIMITS.get(rank, (0, 0, 0))
        corners = (*self.lower, *self.upper)
        counted_well = rank in IM2COL_LIMITS and len(self.lower) == len(self.upper) == rank - 2
        return [
            (
                counted_well,
                f"rank {rank} has corners of {len(self.lower)} and {len(self.upper)} dimensions, expected {rank - 2}",
            ),
            (all(least <= c <= most for c in corners), f"corners {corners} are not in [{least}, {most}]"),
            (not counted_well or all(b > 0 for b in self.bases), f"corners {corners} leave no filter bases"),
        ]

    @property
    def bases(self) -> tuple[int, ...]:
        """The number of filter bases of each spatial dimension, innermost first (im2col mode)."""
        spatial = zip(self.sizes[1:-1], self.lower, self.upper, self.element_strides[1:-1], strict=True)
        return tuple((size - 1 + up - low) // step + 1 for size, low, up, step in spatial)

    @classmethod
    def of(cls, array: Array, address: int, box: Sequence[int], *, swizzle: int = 0) -> TensorMap:
        """Returns the map of a C-contiguous `array` at `address`; `box` is outermost first, as the array's shape."""
        sizes = array.shape[::-1]
        strides = driver_strides(sizes, array.strides[-2::-1], array.itemsize)
        kind = "bf" if array.dtype.name == "bfloat16" else {"f": "f", "i": "s"}.get(array.dtype.kind, "u")
        name = f"{kind}{8 * array.itemsize}"
        dtype = name if name in DTYPES else ""
        box_sizes = tuple(box)[::-1]
        return cls(address, array.itemsize, sizes, strides, box_sizes, swizzle, dtype=dtype)

    def encode(self) -> bytes:
        """Returns 128 bytes that only the emulator can decode."""

        def padded(values: Sequence[int], count: int) -> list[int]:
            return [*values, *[0] * (count - len(values))]

        rank = len(self.sizes)
        body = _LAYOUT.pack(
            _MAGIC, self.address, *padded([s - 1 for s in self.sizes], 5), *padded(self.strides, 4),
            *padded(self.box, 5), *padded(self.element_strides, 5), rank, self.element_bytes, self.swizzle, self.nan_fill,
            [*DTYPES, ""].index(self.dtype), *padded(self.lower, 3), *padded(self.upper, 3), self.is_im2col,
        )  # fmt: skip
        return body.ljust(BYTES, b"\0")

    @property
    def box_bytes(self) -> int:
        """Returns the bytes of one box in shared memory."""
        if self.is_im2col:
            return prod(self.box) * self.element_bytes
        steps = (1, *self.element_strides[1:])
        return prod(-(-extent // step) for extent, step in zip(self.box, steps, strict=True)) * self.element_bytes


def driver_strides(sizes: Sequence[int], strides: Sequence[int], element_bytes: int) -> tuple[int, ...]:
    """
    Returns the strides of a tensor in bytes, innermost first, in a form that the driver accepts. The stride of an axis of
    size 1 is arbitrary and may be no multiple of 16. It is replaced by the stride of the next inner axis or, if that is the
    innermost axis, by the size of a row in bytes, rounded up to a multiple of 16.
    """
    valid = [-(-sizes[0] * element_bytes // 16) * 16]
    for size, stride in zip(sizes[1:], strides, strict=True):
        valid.append(valid[-1] if size == 1 else stride)
    return tuple(valid[1:])


@lru_cache
def decode_map(data: bytes) -> TensorMap | None:
    """Returns the map encoded in these bytes, or None."""
    if data[:8] != _MAGIC:
        return None
    _, address, *rest = _LAYOUT.unpack(data[: _LAYOUT.size])
    rank, element, swizzle, nan, dtype = rest[19:24]
    corners, is_im2col = rest[24:30], rest[30]
    sizes = tuple(s + 1 for s in rest[:rank])
    strides, box, steps = rest[5 : 5 + rank - 1], rest[9 : 9 + rank], rest[14 : 14 + rank]
    name = [*DTYPES, ""][int(dtype)]
    lower, upper = ((tuple(corners[k : k + rank - 2]) if is_im2col else ()) for k in (0, 3))
    box = tuple(box[:2]) if is_im2col else tuple(box)
    return TensorMap(address, element, sizes, tuple(strides), box, swizzle, tuple(steps), bool(nan), name, lower, upper)


def box_unit(tensor: TensorMap, start: Sequence[int]) -> int:
    """Returns the bytes that are copied at once for the box at `start`: 16 if all rows consist of whole 16-byte chunks."""
    bytes_ = tensor.element_bytes
    whole = start[0] * bytes_ % 16 == 0 and tensor.sizes[0] * bytes_ % 16 == 0
    return 16 if whole else bytes_


def box_addresses(tensor: TensorMap, start: Sequence[int], unit: int) -> tuple[Array, Array]:
    """
    Returns the global addresses of the units of `unit` bytes (`box_unit`) of the box at `start` (innermost first), in the
    order of shared memory, and flags of those inside the tensor.
    """
    offsets = np.zeros(1, np.int64)
    inside = np.ones(1, np.bool_)
    factor = unit // tensor.element_bytes
    rows = zip(
        (tensor.sizes[0] // factor, *tensor.sizes[1:]),
        (unit, *tensor.strides),
        (tensor.box[0] // factor, *tensor.box[1:]),
        (1, *tensor.element_strides[1:]),
        (start[0] // factor, *start[1:]),
        strict=True,
    )
    for size, stride, extent, step, begin in rows:
        at = begin + step * np.arange(-(-extent // step))
        offsets = (at[:, None] * stride + offsets).reshape(-1)
        inside = (((at >= 0) & (at < size))[:, None] & inside).reshape(-1)
    return offsets + tensor.address, inside


def swizzled(addresses: Array, span: int) -> Array:
    """Returns the swizzled shared addresses of 16-byte chunks, for a swizzle of `span` bytes."""
    mask = addresses.dtype.type(SWIZZLES[span])
    return addresses ^ ((addresses >> addresses.dtype.type(3)) & mask)
