"""`bitcast` on NumPy arrays, little-endian, including 4-bit integers."""

from __future__ import annotations

from math import prod

import numpy as np

from .scalars import INT4, UINT4, Array, DType, bit_width


def bitcast(x: Array, dtype: DType) -> Array:
    """
    Returns the bits of `x` as values of `dtype`. A narrower type adds a last axis with the parts of each element, lowest bits
    first; a wider type removes such an axis, which must have the right size.
    """
    old, new = bit_width(x.dtype), bit_width(dtype)
    bits = to_bits(x)
    if old > new:
        steps = np.arange(0, old, new, dtype=np.uint64)
        bits = (bits[..., np.newaxis] >> steps) & np.uint64((1 << new) - 1)
    elif old < new:
        steps = np.arange(0, new, old, dtype=np.uint64)
        bits = np.bitwise_or.reduce(bits << steps, axis=-1)
    return from_bits(bits, dtype)


def pack(x: Array) -> Array:
    """Returns the bytes that hold 4-bit integers, the first of two in the low half; an odd last one has zeros in the high half."""
    bits = to_bits(x).astype(np.uint8).reshape(-1)
    bits = np.append(bits, np.zeros(bits.size % 2, np.uint8)).reshape(-1, 2)
    return bits[:, 0] | bits[:, 1] << 4


def unpack(x: Array, shape: tuple[int, ...], dtype: DType) -> Array:
    """Returns the array of 4-bit integers that bytes hold, the inverse of `pack`."""
    return bitcast(x, dtype).reshape(-1)[: prod(shape)].reshape(shape)


def packed_bytes(shape: tuple[int, ...], dtype: DType) -> int:
    """Returns the bytes of an array in memory of a device, where a byte holds two 4-bit integers."""
    return -(-prod(shape) * (4 if dtype in (INT4, UINT4) else 8 * dtype.itemsize) // 8)


def to_bits(x: Array) -> Array:
    """Returns the bits of each element as a uint64."""
    if x.dtype in (INT4, UINT4):
        return x.astype(np.int8).astype(np.uint64) & np.uint64(15)
    return np.ascontiguousarray(x).reshape(x.shape).view(f"u{x.dtype.itemsize}").astype(np.uint64)


def from_bits(bits: Array, dtype: DType) -> Array:
    """Returns the values with these bits, the inverse of `to_bits`."""
    if dtype in (INT4, UINT4):
        return bits.astype(np.int8).astype(dtype)  # keeps the low four bits
    return bits.astype(f"u{dtype.itemsize}").view(dtype)
