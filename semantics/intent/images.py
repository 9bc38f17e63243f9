"""The ops on images, rotations, convolutions and random numbers, by their definitions in `dialects/intent`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import numpy as np

from ..arrays.contraction import sum_of_products
from ..arrays.philox import MULTIPLIERS, WEYL
from ..arrays.reductions import total
from ..arrays.scalars import FUNCTIONS, Array, DType
from ..arrays.scalars import cast as convert

TO_UNIT = np.float32(4.6566127342e-10)
"""Triton's factor from 31 random bits to a number below 1."""


def dropout(x: Array, p: Array, seed: int, rounds: int) -> Array:
    """Returns `x / (1 - p)` where a random number exceeds `p`, else 0."""
    bits = philox_first(np.arange(x.size, dtype=np.uint64), seed, rounds).astype(np.uint32).view(np.int32)
    uniform = (np.where(bits < 0, ~bits, bits).astype(np.float32) * TO_UNIT).reshape(x.shape)
    kept = np.float32(1) - p
    return np.where((uniform > p) & (kept > 0), x / kept, np.float32(0)).astype(np.float32)


def philox_first(counter: Array, seed: int, rounds: int) -> Array:
    """Returns the first word of Philox-4x32 for the counters `(counter, 0, 0, 0)` as uint64."""
    low, shift = np.uint64(0xFFFFFFFF), np.uint64(32)
    c0, c1, c2, c3 = (np.array(counter), *(np.zeros_like(counter) for _ in range(3)))
    k0, k1 = seed & 0xFFFFFFFF, seed >> 32 & 0xFFFFFFFF
    for _ in range(rounds):
        left, right = MULTIPLIERS[0] * c0, MULTIPLIERS[1] * c2
        c0, c1, c2, c3 = (
            right >> shift ^ c1 ^ np.uint64(k0),
            right & low,
            left >> shift ^ c3 ^ np.uint64(k1),
            left & low,
        )
        k0, k1 = (k0 + WEYL[0]) & 0xFFFFFFFF, (k1 + WEYL[1]) & 0xFFFFFFFF
    return c0


def rope(x: Array, cos: Array, sin: Array) -> Array:
    half = x.shape[-1] // 2
    first, second = x[..., :half], x[..., half:]
    c, s = (np.broadcast_to(table[:, None, None, :], first.shape) for table in (cos, sin))
    mul, add, sub = FUNCTIONS["mul"], FUNCTIONS["add"], FUNCTIONS["sub"]
    return np.concatenate([sub(mul(first, c), mul(second, s)), add(mul(first, s), mul(second, c))], axis=-1)


def correlation(lhs: Array, rhs: Array, shift: int, channels: int) -> Array:
    width = lhs.shape[-1]
    out = np.zeros((channels, *lhs.shape[1:]), np.int8)
    for c in range(min(channels, width)):
        sums = (lhs[:, :, c:].astype(np.int32) * rhs[:, :, : width - c].astype(np.int32)).sum(0, dtype=np.int32)
        out[c, :, c:] = (sums >> shift).astype(np.int8)
    return out


def resize(x: Array, bits: int) -> Array:
    height, width = x.shape[1:]
    wide = x.astype(np.int32)

    def taps(size: int) -> tuple[Array, Array, Array]:
        position = np.arange(2 * size, dtype=np.int32) << (bits - 1)
        before = position >> bits
        return before, np.minimum(before + 1, size - 1), position - (before << bits)

    (x0, x1, fx), (y0, y1, fy) = taps(width), taps(height)
    across = (wide[:, :, x0] * ((1 << bits) - fx) + wide[:, :, x1] * fx) >> bits
    fy = fy[:, None]
    return ((across[:, y0] * ((1 << bits) - fy) + across[:, y1] * fy) >> bits).astype(np.int8)


def warp(x: Array, offset: Array) -> Array:
    width = x.shape[-1]
    whole = (offset >> 8).astype(np.int16)
    fraction = (offset & 0xFF).astype(np.int8).astype(np.int16)
    right = (np.arange(width, dtype=np.int16)[None, :] - whole).astype(np.int8)
    left = (right.astype(np.int16) - 1).astype(np.int8)

    def pixels(at: Array) -> Array:
        index = np.clip(at.astype(np.int64), 0, width - 1)
        found = np.take_along_axis(x, np.broadcast_to(index, x.shape), axis=2)
        return np.where(at >= 0, found, 0).astype(np.int16)

    r, l = pixels(right), pixels(left)  # noqa: E741
    mixed = ((r << 8) + (l - r) * fraction).astype(np.int16)
    return (mixed >> 8).astype(np.int8)


def conv2d(
    x: Array,
    weight: Array,
    bias: Array | None,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    groups: int,
    out: Sequence[int],
    product: DType,
    accum: DType,
) -> Array:
    batch = x.shape[0]
    filters, depth, *window = weight.shape
    padded = np.pad(x, [(0, 0), (0, 0), *((p, p) for p in padding)])
    rows, columns = (
        cast(Array, np.arange(n)[:, None] * s + np.arange(k)[None, :] * d)
        for n, s, k, d in zip(out, stride, window, dilation, strict=True)
    )
    patches = padded[:, :, rows[:, :, None, None], columns[None, None]]  # [N, C, OH, KH, OW, KW]
    grouped = patches.reshape(batch, groups, depth, *patches.shape[2:])
    filtered = weight.reshape(groups, filters // groups, *weight.shape[1:])
    sums = sum_of_products(grouped, "ngcyixj", filtered, "gocij", "ngoyx", product=product, accum=accum)
    result = convert(sums, x.dtype).reshape(batch, filters, *out)
    if bias is None:
        return result
    return FUNCTIONS["add"](result, np.broadcast_to(bias[:, None, None], result.shape))


def resample(x: Array, axis: int, size: int) -> Array:
    """Resamples an axis to `size` elements, bicubically with antialiasing."""
    moved = np.moveaxis(x, axis, -1)
    extent = moved.shape[-1]
    columns: list[Array] = []
    for o in range(size):
        start, weights = weights_at(o, extent, size)
        products = FUNCTIONS["mul"](
            moved[..., start : start + len(weights)], np.broadcast_to(weights, (*moved.shape[:-1], len(weights)))
        )
        columns.append(total(products, (products.ndim - 1,), np.dtype(np.float32)))
    return np.moveaxis(np.stack(columns, axis=-1), -1, axis)


def weights_at(o: int, extent: int, size: int) -> tuple[int, Array]:
    """Returns the first input of output `o` and the weights, f32, of the inputs from there."""
    largest = max(extent, size)
    center = extent * (2 * o + 1)  # in units of 1 / (2 · size)
    start = max((center - 4 * largest + size) // (2 * size), 0)
    end = min((center + 4 * largest + size) // (2 * size), extent)
    distance = [abs(2 * size * i - center + size) / (2 * largest) for i in range(start, end)]
    raw = np.array([_keys(d) for d in distance])
    return start, (raw / raw.sum()).astype(np.float32)


def _keys(d: float) -> float:
    if d < 1:
        return (1.5 * d - 2.5) * d * d + 1
    return ((-0.5 * d + 2.5) * d - 4) * d + 2 if d < 2 else 0.0
