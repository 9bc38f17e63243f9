"""The elementary functions against the C library and mpmath: boundaries, hard inputs, random inputs, all of 16 bits."""

from __future__ import annotations

import numpy as np
import pytest

from ptir.conformance.hard_inputs import HARD, boundaries, exact_powers, floats
from ptir.conformance.rounding_oracle import differences, exact, expected, rounded
from ptir.elementary.evaluation import correctly_rounded
from ptir.elementary.functions import FUNCTIONS, POWER

PUBLISHED = {
    "sin": "46199998:beb1fa5d c6199998:3eb1fa5d 3f3adc51:3f2ab445 3fa7832a:3f7741b6",
    "cos": "5922aa80:3f08aebf 5f18b878:3f7f14bb 6115cb11:3f78142f 46199998:bf70090b 4096cbe4:324cde2e 3f3adc51:3f3ec70f",
    "log": "3c413d3a:c08e158f 41178feb:400fe5e7 4c5d65a5:418f034b 65d890d3:4254d1f9 6f31a8ec:42845a89",
    "log1p": "bb0ec8c4:bb0ef0a5 35400003:353fffff 3ddbfec3:3dd0f671 b70fffe5:b710000d 3710001b:370ffff3 3efd81ad:3ecdeee1",
}
"""Hard inputs with their results, from the exception tables of public libraries."""


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
    anywhere = generator.integers(0, 1 << 32, 1500, dtype=np.uint64).astype(np.uint32).view(np.float32)
    usual = (generator.normal(size=1500) * generator.choice([0.01, 1, 30], 1500)).astype(np.float32)
    check(name, "f32", np.concatenate([boundaries(), anywhere, usual, floats(HARD.get(name, ""))]))


@pytest.mark.sampled(3)
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
    x, y = exact_powers()
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
