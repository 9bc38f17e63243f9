"""`semantics/arrays/special_functions.py` in float64, compared with the C library's functions."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ptir.semantics.arrays.special_functions import erf, erfc, logistic, power, sign

POINTS = np.concatenate(
    [np.linspace(-7, 28, 8001), np.linspace(0.499, 0.501, 401), 2.0 ** np.arange(-1074.0, 6), [-0.0, np.inf, -np.inf]]
)
POINTS = np.concatenate([POINTS, -POINTS])


def ulps(got: np.ndarray, want: np.ndarray) -> np.ndarray:
    with np.errstate(all="ignore"):
        return np.where(got == want, 0.0, np.abs(got - want) / np.spacing(np.abs(want)))


def test_the_error_function():
    """The C library is within 1 ulp itself."""
    got, want = erf(POINTS), np.array([math.erf(x) for x in POINTS])
    assert ulps(got, want).max() <= 4
    assert np.array_equal(np.signbit(got), np.signbit(POINTS))


def test_its_complement():
    """Down to the smallest subnormal, where an ulp is the value itself."""
    got, want = erfc(POINTS), np.array([math.erfc(x) for x in POINTS])
    normal = want >= 2.0**-1022
    assert ulps(got, want)[normal].max() <= 5
    assert np.abs(got - want)[~normal].max() <= 4 * 5e-324
    assert got[np.inf == POINTS].tolist() == [0, 0] and got[-np.inf == POINTS].tolist() == [2, 2]


@pytest.mark.parametrize("function", [erf, erfc])
def test_nan_and_shapes(function):
    x = np.array([[np.nan, 0.25], [3.0, np.nan]])
    assert np.array_equal(np.isnan(function(x)), np.isnan(x))
    assert function(np.array(0.25)).shape == () and function(np.zeros((2, 0))).shape == (2, 0)
    wide = np.linspace(-3, 3, 20001)  # more than a block
    assert np.array_equal(function(wide)[[0, 9000, 20000]], function(wide[[0, 9000, 20000]]))
    assert np.array_equal(function(wide[::-2]), function(wide)[::-2])


def test_the_logistic_function_does_not_overflow():
    got = logistic(np.array([-720.0, -30.0, 0.0, 30.0, 800.0]))
    want = [math.exp(-720), 1 / (1 + math.exp(30)), 0.5, 1 / (1 + math.exp(-30)), 1.0]
    assert np.all(ulps(got, np.array(want)) <= 2)


@pytest.mark.parametrize("exponent", [2.0, -1.0, 0.5, 3.0])
@pytest.mark.parametrize("dtype", [np.float64, np.complex128])
def test_powers_do_not_depend_on_how_exponents_lie_in_memory(exponent: float, dtype: type):
    """NumPy has other functions for one exponent of all elements; one such base is 0x1.07542fd97a12ep-15."""
    base = np.exp(np.random.default_rng(0).uniform(-20, 20, 2000)).astype(dtype)
    base[0] = float.fromhex("0x1.07542fd97a12ep-15")
    want = power(base, np.full(base.shape, exponent, dtype))
    one = np.array(exponent, dtype)
    assert np.array_equal(power(base, np.broadcast_to(one, base.shape)), want)
    assert np.array_equal(power(base, one), want)
    assert [power(x.reshape(()), one).tolist() for x in base] == want.tolist()
    assert power(base.reshape(40, 50), one).shape == (40, 50) and power(base[0].reshape(()), one).shape == ()


def test_the_sign_of_a_complex_number_keeps_the_signs_of_its_parts():
    x = np.array([complex(-np.inf, -0.5), complex(2.0, -np.inf), complex(-0.0, 0.0), complex(-1e308, -1e308)])
    with np.errstate(all="ignore"):
        got = sign(x)
    np.testing.assert_array_equal(np.signbit(got.real), np.signbit(x.real))
    np.testing.assert_array_equal(np.signbit(got.imag), np.signbit(x.imag))
    np.testing.assert_allclose(np.abs(got), [1, 1, 0, 1])
