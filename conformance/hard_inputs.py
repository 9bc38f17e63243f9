"""Inputs of binary32 at which functions are hard to round, and those where they overflow, saturate or change their formula."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
HARD: dict[str, str] = {
    "exp": "c236bd8c 42996b8d c27ed35b 40ba9f4d",
    "log": "41178feb 4c5d65a5 65d890d3 6f31a8ec 3f800001 500ffb03 7a17f30a 5cd69e88 3c413d3a",
    "log1p": "bb0ec8c4 35400003 3ddbfec3 b70fffe5 6f31a8ec 3710001b 41078feb 3efd81ad 65d890d3 b53ffffd",
    "sin": "46199998 c6199998 3f3adc51 3fa7832a 4116cbe4 55325019 5922aa80 5f18b878 6115cb11 7beef5ef 42a33018 7f7fffff",
    "cos": "5922aa80 5f18b878 6115cb11 46199998 4096cbe4 3f3adc51 3fa7832a 55325019 5aa4542c 7beef5ef 42a33018 7f7fffff",
    "tan": "46199998 40490fdb 3fc90fdb 7f7fffff 5922aa80 6115cb11",
}
"""The inputs that CORE-MATH, LLVM's libc and RLIBM list as the hardest of binary32, and multiples of π/2 that are nearly representable."""
TURNS = (
    *(1, 2, 0.5, 88.72283, 87.33654, 103.27893, 103.97208, 104, 128, 126, 149, 150, 89.41598, 16.63553, 3.8325069),
    *(3.919206, 9.01, 10, 0.125, 0.0625, 0.25, 2**-12, 2**-7, 2**-8, 17.328679, 0.7071, 1.40625, 1e-45, 2**-126),
)
"""Where functions overflow, underflow, saturate, or change their formula."""


def floats(words: str) -> Array:
    return np.array([int(w, 16) for w in words.split()], np.uint32).view(np.float32)


def boundaries() -> Array:
    """Returns specials, powers of two, and the neighbors of all of them and of `TURNS`."""
    near = np.concatenate([np.array(TURNS, np.float32).view(np.uint32), np.arange(0, 256, 3, dtype=np.uint32) << 23])
    bits = (near[:, None] + np.arange(-2, 3)).astype(np.uint32).ravel() & np.uint32(0x7FFFFFFF)
    special = np.array([0, 1, 0x7FFFFF, 0x7F7FFFFF, 0x7F800000, 0x7FC00000, 0x7F800001], np.uint32)
    bits = np.concatenate([bits, special])
    return np.concatenate([bits, bits | np.uint32(1 << 31)]).view(np.float32)


def exact_powers() -> tuple[Array, Array]:
    """
    Returns bases and exponents whose power is exact or near a midpoint: powers of odd numbers and their roots, of up to 25 bits, and powers of
    two down to the smallest subnormal.
    """
    cases = [
        (base ** (2**k) * 2.0 ** (2**k * e), power / 2**k)
        for k in range(4)
        for power in range(1, 16 << k, 1 if k == 0 else 2)
        for base in (1, 3, 5, 7, 9, 11, 4095)
        if base ** (2**k) < 2**24 and base**power < 2**26
        for e in (0, -3, 5)
    ]
    cases += [(2.0**e, y) for e in range(-149, 128, 5) for y in (1, 2, 0.5, -1, 3, -149 / e if e else 1)]
    x, y = np.array(cases, np.float32).T
    return x, y
