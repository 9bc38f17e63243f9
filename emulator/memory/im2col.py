"""
Loads in im2col mode (PTX ISA §5.5.4): which elements are in the rows of the box.

A filter base is a position of the window's first element. The bases of a spatial dimension are `lower`, `lower + step`, … up to
`size - 1 + upper`; the tensor's other positions are not bases. Row i of the box is the pixel that is `offsets` after the base of row
i; the bases follow each other in the order w, h, d, n, and the innermost one wraps to its lower corner. Elements outside of the
tensor are filled:

    smem[i][j] = x[n, d + od, h + oh, w + ow, c + j]     with (n, d, h, w) the i-th base after the first one
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

import numpy as np

from ..errors import BadTensorCopy
from ..isa.types import Array
from ..violation import Violation
from .tensor_map import IM2COL_LIMITS, TensorMap


def im2col_addresses(tensor: TensorMap, start: Sequence[int], offsets: Sequence[int], unit: int) -> tuple[Array, Array]:
    """
    Returns the global addresses of the units of `unit` bytes of the box whose first base is at `start` (c, w, …, n), in the order of
    shared memory, and flags of those inside the tensor.
    """
    first, *base, image = start
    channels, pixels = tensor.box
    most = IM2COL_LIMITS[len(tensor.sizes)][2]
    if any(not 0 <= offset <= most for offset in offsets):
        _fail(f"the offsets {tuple(offsets)} are not in [0, {most}]")
    steps, bases, number, count = tensor.element_strides[1:-1], tensor.bases, 0, 1
    for at, low, step, size in zip(base, tensor.lower, steps, bases, strict=True):
        place, rest = divmod(at - low, step)
        if rest or not 0 <= place < size:
            _fail(f"the coordinate {at} is not a filter base: these are {size} from {low} on in steps of {step}")
        number, count = number + place * count, count * size
    left = number + image * count + np.arange(pixels)
    address = np.full(pixels, tensor.address, np.int64)
    inside = np.ones(pixels, np.bool_)
    spatial = zip(tensor.sizes[1:-1], tensor.strides, bases, tensor.lower, steps, offsets, strict=False)
    for size, stride, count, low, step, offset in spatial:
        left, place = np.divmod(left, count)
        at = low + place * step + offset
        address, inside = address + at * stride, inside & (at >= 0) & (at < size)
    address, inside = address + left * tensor.strides[-1], inside & (left >= 0) & (left < tensor.sizes[-1])
    at = first + np.arange(0, channels, unit // tensor.element_bytes)
    addresses = address[:, None] + at * tensor.element_bytes
    return addresses.reshape(-1), (inside[:, None] & (at >= 0) & (at < tensor.sizes[0])).reshape(-1)


def _fail(problem: str) -> NoReturn:
    raise Violation(BadTensorCopy, 0, what="im2col", problem=problem)
