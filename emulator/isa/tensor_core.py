"""
Helpers that `mma` and `wgmma` share: unpack registers, round accumulators, check convergence (PTX ISA §9.7.14).

Lane layout, with g = lane / 4, t = lane % 4 and e elements in a register: register *r* of A holds row
g + 8 (r % 2), columns 4e (r / 2) + e t …; register *r* of B holds column g, rows 4e r + e t …; the accumulators
are (g, 2t), (g, 2t+1), (g+8, 2t), (g+8, 2t+1).

Products are exact; they are added to the accumulator in float64 and rounded once to its type. A tensor core also truncates
intermediate sums, in an undocumented order: results for random data may differ from it in the last bits, but results for
integer-valued data do not.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np

from ..engine.lanes import Lanes
from ..errors import DivergentWarp
from ..violation import reject
from .rounding import canonical
from .types import Array, Scalar


def require_whole_warps(lanes: Lanes, what: str) -> int:
    """Returns the number of warps; raises a `Violation` if a warp is not converged."""
    if not lanes.full:
        mine = lanes.bits[lanes.index // 32]
        problem = "only lanes {:#010x} of the warp are here"
        reject(mine != 0xFFFF_FFFF, DivergentWarp, what=what, problem=lambda at: problem.format(int(mine[at])))
    return lanes.count // 32


def _bfloats(register: Array) -> Array:
    """Returns bf16 pairs as float32."""
    both = np.empty((register.size, 2), np.uint32)
    np.left_shift(register, 16, out=both[:, 0])
    np.bitwise_and(register, 0xFFFF_0000, out=both[:, 1])
    return both.view(np.float32)


def _tensor_floats(register: Array) -> Array:
    """Returns tf32 values as float32: the low 13 bits are ignored (kernels round with `cvt.rna.tf32`)."""
    return (register & np.uint32(0xFFFF_E000)).view(np.float32)


def _small_floats(dtype: Any) -> Callable[[Array], Array]:
    table = np.arange(256, dtype=np.uint8).view(dtype).astype(np.float32)
    return lambda register: table[register.view(np.uint8)]


ELEMENTS: dict[str, tuple[int, Callable[[Array], Array]]] = {
    "bf16": (2, _bfloats),
    "f16": (2, lambda register: register.view(np.float16)),
    "tf32": (1, _tensor_floats),
    "s8": (4, lambda register: register.view(np.int8)),
    "u8": (4, lambda register: register.view(np.uint8)),
    "e4m3": (4, _small_floats(ml_dtypes.float8_e4m3fn)),
    "e5m2": (4, _small_floats(ml_dtypes.float8_e5m2)),
    "f64": (1, lambda register: register.view(np.float64)),
}
"""For each element type: the elements per register, and the function that unpacks a register."""


def rounded(total: Array, accumulator: Scalar, saturate: bool) -> Array:
    """Rounds float64 sums once to the type of the `accumulator`, which has 32 or 64 bits."""
    if accumulator.is_float:
        return canonical(total.astype(accumulator.dtype), accumulator)
    whole = total.astype(np.int64)
    return (np.clip(whole, -(2**31), 2**31 - 1) if saturate else whole).astype(np.int32)


def tile(elements: Callable[[Array], Array], register: Any, warps: int, width: int) -> Array:
    """Unpacks one register of all lanes, and returns its elements as an array `[warps, 8, width]`."""
    if register.shape != (warps * 32,):
        register = np.full(warps * 32, register)
    return elements(np.ascontiguousarray(register)).reshape(warps, 8, width)
