"""The elementary functions against the C library and mpmath: boundaries, hard inputs, random inputs, all of 16 bits."""

from __future__ import annotations

import numpy as np
import pytest

from ptir.elementary.evaluation import correctly_rounded
from ptir.elementary.functions import FUNCTIONS, POWER
from tests.elementary.oracle import differences, exact, expected, rounded

HARD: dict[str, str] = {
    "exp": "c236bd8c 42996b8d c27ed35b 40ba9f4d",
    "log": "41178feb 4c5d65a5 65d890d3 6f31a8ec 3f800001 500ffb03 7a17f30a 5cd69e88 3c413d3a",
    "log1p": "bb0ec8c4 35400003 3ddbfec3 b70fffe5 6f31a8ec 3710001b 41078feb 3efd81ad 65d890d3 b53ffffd",
    "sin": "46199998 c6199998 3f3adc51 3fa7832a 4116cbe4 55325019 5922aa80 5f18b878 6115cb11 7beef5ef 42a33018 7f7fffff",
    "cos": "5922aa80 5f18b878 6115cb11 46199998 4096cbe4 3f3adc51 3fa7832a 55325019 5aa4542c 7beef5ef 42a33018 7f7fffff",
    "tan": "46199998 40490fdb 3fc90fdb 7f7fffff 5922aa80 6115cb11",
}
"""The inputs that CORE-MATH, LLVM's libc and RLIBM list as the hardest of binary32, and multiples of π/2 that are nearly representable."""
PUBLISHED = {
    "sin": "46199998:beb1fa5d c6199998:3eb1fa5d 3f3adc51:3f2ab445 3fa7832a:3f7741b6",
    "cos": "5922aa80:3f08aebf 5f18b878:3f7f14bb 6115cb11:3f78142f 46199998:bf70090b 4096cbe4:324cde2e 3f3adc51:3f3ec70f",
    "log": "3c413d3a:c08e158f 41178feb:400fe5e7 4c5d65a5:418f034b 65d890d3:4254d1f9 6f31a8ec:42845a89",
    "log1p": "bb0ec8c4:bb0ef0a5 35400003:353fffff 3ddbfec3:3dd0f671 b70fffe5:b710000d 3710001b:370ffff3 3efd81ad:3ecdeee1",
}
"""Hard inputs with their results, from the exception tables of public libraries."""
TURNS = (
    *(1, 2, 0.5, 88.72283, 87.33654, 103.27893, 103.97208, 104, 128, 126, 149, 150, 89.41598, 16.63553, 3.8325069),
    *(3.919206, 9.01, 10, 0.125, 0.0625, 0.25, 2**-12, 2**-7, 2**-8, 17.328679, 0.7071, 1.40625, 1e-45, 2**-126),
)
"""Where functions overflow, underflow, saturate, or change their formula."""


def floats(words: str) -> np.ndarray:
    return np.array([int(w, 16) for w in words.split()], np.uint32).view(np.float32)


def boundaries() -> np.ndarray:
    """Returns specials, powers of two, and the neighbors of all of them and of `TURNS`."""
    near = np.concatenate([np.float32(TURNS).view(np.uint32), np.arange(0, 256, 3, dtype=np.uint32) << 23])
    bits = (near[:, None] + np.arange(-2, 3)).astype(np.uint32).ravel() & np.uint32(0x7FFFFFFF)
    special = np.array([0, 1, 0x7FFFFF, 0x7F7FFFFF, 0x7F800000, 0x7FC00000, 0x7F800001], np.uint32)
    bits = np.concatenate([bits, special])
    return np.concatenate([bits, bits | np.uint32(1 << 31)]).view(np.float32)


def check(name: str, format: str, *operands: np.ndarray) -> None:
    with np.errstate(all="ignore"):  # also for signaling NaN
        wide = [np.asarray(x).astype(np.float64) for x in operands]
    got, want = correctly_rounded(name, format, *wide), expected(name, format, *wide)
    wrong = differences(got, want)
    found = [(*(float(x[k]).hex() for x in wide), got[k], want[k]) for k in wrong[:3]]
    assert not wrong.size, f"{name} in {format}: {wrong.size} wrong, {found}"


@pytest.mark.parametrize("name", FUNCTIONS)
def test_binary32(name: str):
    generator = np.random.default_rng(sum(map(ord, name)))
    anywhere = generator.integers(0, 1 << 32, 3000, dtype=np.uint64).astype(np.uint32).view(np.float32)
    usual = (generator.normal(size=3000) * generator.choice([0.01, 1, 30], 3000)).astype(np.float32)
    check(name, "f32", np.concatenate([boundaries(), anywhere, usual, floats(HARD.get(name, ""))]))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_all_of_16_bits(name: str):
    bits = np.arange(1 << 16, dtype=np.uint32)
    check(name, "bf16", (bits << np.uint32(16)).view(np.float32))
    check(name, "f16", bits.astype(np.uint16).view(np.float16))


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_results(name: str):
    x, y = (floats(" ".join(pair.split(":")[k] for pair in PUBLISHED[name].split())) for k in (0, 1))
    np.testing.assert_array_equal(correctly_rounded(name, "f32", x.astype(np.float64)), y.astype(np.float64))
    assert [rounded(exact(name, float(v)), "f32") for v in x] == y.tolist()


def test_power_of_special_values():
    specials = [0, -0.0, 1, -1, 2, -2, 0.5, 3, -3, 1.5, np.inf, -np.inf, np.nan, 1e-45, -1e-45, 3.4e38, 16777215]
    values = np.float32([*specials, 16777216, -16777217, 8388607.5, 0.99999994, 1.0000001])
    x, y = (v.ravel().astype(np.float64) for v in np.meshgrid(values, values))
    with np.errstate(all="ignore"):
        special = ~np.isfinite(np.power(x, y)) | (x == 0) | (y == 0) | (np.abs(x) == np.inf) | (np.abs(y) == np.inf)
        want = np.power(x, y).astype(np.float32).astype(np.float64)
    got = correctly_rounded(POWER, "f32", x, y)
    assert not differences(got[special], want[special]).size
    check(POWER, "f32", *(v[~special] for v in (x, y)))


def test_power_of_exact_results_and_midpoints():
    """Powers of odd numbers and their roots, of up to 25 bits, and powers of two down to the smallest subnormal."""
    cases = [
        (base ** (2**k) * 2.0 ** (2**k * e), power / 2**k)
        for k in range(4)
        for power in range(1, 16 << k, 1 if k == 0 else 2)
        for base in (1, 3, 5, 7, 9, 11, 4095)
        if base ** (2**k) < 2**24 and base**power < 2**26
        for e in (0, -3, 5)
    ]
    cases += [(2.0**e, y) for e in range(-149, 128, 5) for y in (1, 2, 0.5, -1, 3, -149 / e if e else 1)]
    x, y = np.float32(cases).T
    for format in ("f32", "bf16"):
        check(POWER, format, x, y)


@pytest.mark.parametrize("format", ["f32", "f16", "bf16"])
def test_power(format: str):
    generator = np.random.default_rng(7)
    x = np.exp2(generator.uniform(-20, 20, 2000))
    x[::2] = 1 + generator.uniform(-1, 1, 1000) * 2.0 ** generator.uniform(-11, -1, 1000)
    y = generator.uniform(-30, 30, 2000) / np.maximum(np.abs(np.log2(x)), 0.1)
    y[::5] = np.rint(y[::5] * 8) / 8
    x[::7] *= -1
    kind = np.float16 if format == "f16" else np.float32
    with np.errstate(all="ignore"):  # overflow to infinity
        x, y = x.astype(kind), y.astype(kind)
    if format == "bf16":
        x, y = ((v.view(np.uint32) & np.uint32(0xFFFF0000)).view(np.float32) for v in (x, y))
    check(POWER, format, x, y)
