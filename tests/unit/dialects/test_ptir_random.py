"""Random numbers: published test vectors, a second implementation of the generator on Python's integers, and statistics."""

from __future__ import annotations

import math
import subprocess
import sys
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import ptir
from ptir.dialects.ptir.random import RngNormalOp, RngUniformOp
from ptir.semantics.arrays.philox import philox
from ptir.semantics.bounds import bounds_of, check
from ptir.semantics.bounds.intervals import Interval
from ptir.semantics.errors import NoBounds, UnknownSize

from ..builders.ptir_strategies import DTYPES, FLOATS

PRECISION = {"f64": 53, "f32": 24, "f16": 11, "bf16": 8, "f8E4M3FN": 4, "f8E5M2": 3}
MASK = 0xFFFFFFFF


def salmon(counter: list[int], key: list[int]) -> list[int]:
    """Computes Philox-4x32-10, from figure 2 and §3.3 of the paper."""
    for _ in range(10):
        high0, low0 = divmod(0xD2511F53 * counter[0], 2**32)
        high1, low1 = divmod(0xCD9E8D57 * counter[2], 2**32)
        counter = [high1 ^ counter[1] ^ key[0], low1, high0 ^ counter[3] ^ key[1], low0]
        key = [(key[0] + 0x9E3779B9) & MASK, (key[1] + 0xBB67AE85) & MASK]
    return counter


VECTORS = [
    ([0] * 4, [0] * 2, [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]),
    ([MASK] * 4, [MASK] * 2, [0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD]),
    (
        [0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344],
        [0xA4093822, 0x299F31D0],
        [0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1],
    ),
]
"""Test vectors: `philox4x32 10` in the file of known answers of the Random123 library."""


@pytest.mark.parametrize(("counter", "key", "want"), VECTORS)
def test_known_answers(counter: list[int], key: list[int], want: list[int]):
    assert [int(word) for word in philox(counter, (key[0], key[1]))] == want
    assert salmon(counter, key) == want


def test_counters_of_any_shape():
    rng = np.random.default_rng(0)
    counter = [rng.integers(0, 2**32, (3, 2), np.uint64) for _ in range(4)]
    got = philox(counter, (7, 8))
    for index in np.ndindex(3, 2):
        assert [int(word[index]) for word in got] == salmon([int(word[index]) for word in counter], [7, 8])


def draw(op: str, dtype: str, shape: tuple[int, ...] = (2000,), seed: int = 0) -> np.ndarray[Any, Any]:
    spelt = f"tensor<{''.join(f'{n}x' for n in shape)}{dtype}>"
    return ptir.reference(
        f"func.func @f() -> {spelt} {{\n%r = ptir.rng_{op} seed {seed} : {spelt}\nfunc.return %r : {spelt}\n}}"
    )[0]


def block(index: int, stream: int, seed: int) -> list[int]:
    seed %= 2**64
    return salmon([index % 2**32, index >> 32, stream, 0], [seed % 2**32, seed >> 32])


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("seed", [0, 1, 2**40 + 3, -1, -(2**63)])
def test_uniform_is_the_first_bits_of_a_block(dtype: str, seed: int):
    got, p = draw("uniform", dtype, (50,), seed), PRECISION[dtype]
    assert got.dtype == DTYPES[dtype][1]
    for index in range(50):
        w = block(index, 0, seed)
        assert float(got[index]) == (((w[0] << 32) + w[1]) >> (64 - p)) / 2**p


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("seed", [0, -5])
def test_normal_is_box_and_muller(dtype: str, seed: int):
    got = draw("normal", dtype, (50,), seed)
    want = np.empty(50)
    for index in range(50):
        w = block(index, 1, seed)
        a = ((((w[0] << 32) + w[1]) >> 11) + 1) / 2**53
        b = (((w[2] << 32) + w[3]) >> 11) / 2**53
        want[index] = math.sqrt(-2 * math.log(a)) * math.cos(2 * math.pi * b)
    if dtype == "f64":
        np.testing.assert_allclose(got, want, rtol=1e-14, atol=1e-15)
    else:  # the error of float64 is much smaller than their distances to a tie
        np.testing.assert_array_equal(got.astype(np.float64), want.astype(got.dtype).astype(np.float64))


@pytest.mark.parametrize("op", ["uniform", "normal"])
def test_an_element_depends_on_its_index_and_the_seed_alone(op: str):
    long = draw(op, "f32", (600,), 9)
    np.testing.assert_array_equal(draw(op, "f32", (2, 3, 100), 9).ravel(), long)
    np.testing.assert_array_equal(draw(op, "f32", (7,), 9), long[:7])
    assert draw(op, "f32", (), 9) == long[0] and draw(op, "f32", (0, 3), 9).shape == (0, 3)
    assert not np.any(draw(op, "f32", (600,), 10) == long)
    other = draw("normal" if op == "uniform" else "uniform", "f32", (600,), 9)
    assert abs(np.corrcoef(long, other)[0, 1]) < 0.15


@pytest.mark.campaign
def test_another_process_draws_the_same():
    code = (
        "import ptir; print(ptir.reference('''func.func @f() -> tensor<4xf64> {\n"
        "%r = ptir.rng_normal seed 3 : tensor<4xf64>\nfunc.return %r : tensor<4xf64>\n}''')[0].tolist())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str(draw("normal", "f64", (4,), 3).tolist())


def test_indices_beyond_32_bits():
    high, low = philox(([5], [1], 0, 0), (1, 2)), philox(([5], [0], 0, 0), (1, 2))
    assert salmon([5, 1, 0, 0], [1, 2]) == [int(w[0]) for w in high] != [int(w[0]) for w in low]


@pytest.mark.parametrize("dtype", FLOATS)
def test_statistics_of_uniform(dtype: str):
    x = draw("uniform", dtype, (40, 500), 1).astype(np.float64)
    step = 2.0 ** -PRECISION[dtype]
    assert x.min() >= 0 and x.max() < 1 and np.all(x / step == np.floor(x / step))
    assert abs(x.mean() + step / 2 - 0.5) < 5 / math.sqrt(12 * x.size)
    assert abs(x.var() - (1 - step**2) / 12) < 0.003
    counts, _ = np.histogram(x, bins=8, range=(0, 1))
    assert np.all(np.abs(counts - x.size / 8) < 5 * math.sqrt(x.size / 8))


@pytest.mark.parametrize("dtype", FLOATS)
def test_statistics_of_normal(dtype: str):
    z = draw("normal", dtype, (20000,), 1).astype(np.float64)
    assert np.all(np.isfinite(z)) and abs(z.mean()) < 5 / math.sqrt(z.size)
    assert abs(z.var() - 1) < 0.05 and abs((z**3).mean()) < 0.15 and abs((z**4).mean() - 3) < 0.4
    for bound in (0.5, 1.0, 2.0):
        share = float(np.mean(np.abs(z) < bound)) + float(np.mean(np.abs(z) == bound)) / 2
        assert abs(share - math.erf(bound / math.sqrt(2))) < (0.03 if PRECISION[dtype] > 4 else 0.06)


SEEDED = """builtin.module attributes {ptir.extensions} {
  func.func @f(%s: tensor<ui64>, %x: tensor<?xi8, #ptir.dims<N>>) -> (tensor<?xf32, #ptir.dims<N>>, tensor<?xf16, #ptir.dims<N>>) {
    %u = ptir.rng_uniform from %s : tensor<?xf32, #ptir.dims<N>>
    %z = ptir.rng_normal from %s : tensor<?xf16, #ptir.dims<N>>
    func.return %u, %z : tensor<?xf32, #ptir.dims<N>>, tensor<?xf16, #ptir.dims<N>>
  }
}"""


@pytest.mark.parametrize("seed", [0, 5, 2**64 - 1])
def test_a_seed_that_is_a_value_and_a_size_that_is_a_name(seed: int):
    u, z = ptir.reference(SEEDED, np.uint64(seed), np.zeros(6, np.int8))
    signed = seed if seed < 2**63 else seed - 2**64
    np.testing.assert_array_equal(u, draw("uniform", "f32", (6,), signed))
    np.testing.assert_array_equal(z, draw("normal", "f16", (6,), signed))


def test_a_size_that_nobody_knows():
    with pytest.raises(UnknownSize):
        ptir.reference(
            "func.func @f() -> tensor<?xf32> {\n%r = ptir.rng_uniform : tensor<?xf32>\nfunc.return %r : tensor<?xf32>\n}"
        )


def test_bounds():
    arrays = np.uint64(5), np.zeros(200, np.int8)
    uniform, normal = ptir.bounds(SEEDED, *arrays)
    u, z = ptir.reference(SEEDED, *arrays)
    assert check(u, uniform).ok and np.array_equal(uniform.lo, uniform.hi)
    assert check(z, normal).ok and float((normal.hi - normal.lo).max()) < 2**-7
    assert not check((z.astype(np.float32) + 0.01).astype(np.float16), normal).ok
    uncertain = Interval(np.array(1.0), np.array(2.0), np.array(False), np.dtype(np.uint64))
    with pytest.raises(NoBounds, match="from a seed that is not certain"):
        bounds_of(ptir.parse(SEEDED), "f", uncertain, Interval.of(arrays[1]))


def test_constructors():
    t = ml_dtypes.bfloat16
    dtype = next(a for a, n in DTYPES.values() if n is t)
    from xdsl.dialects.builtin import TensorType

    for kind in (RngUniformOp, RngNormalOp):
        assert kind(TensorType(dtype, [3])).seed is None
        op = kind(TensorType(dtype, [3]), 7)
        op.verify()
        assert op.seed is not None and op.seed.value.data == 7
