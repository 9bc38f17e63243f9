"""Directed rounding of float64, exact zeros, fp8 and tf32, compared with integers and rationals."""

# ruff: noqa: E501 (lines of CUDA stay whole)

from __future__ import annotations

import math
import sys
from fractions import Fraction
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from tests.unit.builders.ptx_kernels.launch import run_cuda

MODES = {"rn": "rn", "rz": "rz", "rm": "rd", "rp": "ru"}


def rounded(exact: Fraction, mode: str) -> float:
    """Rounds a rational to float64: divides it by the unit in the last place and rounds that to an integer."""
    if exact == 0:
        return 0.0
    size = abs(exact)
    top = size.numerator.bit_length() - size.denominator.bit_length()  # 2^(top - 1) < size < 2^(top + 1)
    exponent = max(top - 53 + (size >= Fraction(2) ** top), -1074)
    if exponent > 971:
        toward_zero = mode == "rz" or mode == ("rm" if exact > 0 else "rp")
        return math.copysign(sys.float_info.max if toward_zero else math.inf, 1 if exact > 0 else -1)
    scaled = exact / Fraction(2) ** exponent
    whole = {"rn": round, "rz": math.trunc, "rm": math.floor, "rp": math.ceil}[mode](scaled)
    if exponent == 971 and abs(whole) >= 2**53:
        return math.copysign(math.inf, whole)
    return math.ldexp(whole, exponent)


OPERATIONS: dict[str, Any] = {
    "add": lambda a, b, c: a + b,
    "sub": lambda a, b, c: a - b,
    "mul": lambda a, b, c: a * b,
    "div": lambda a, b, c: a / b,
    "fma": lambda a, b, c: a * b + c,
    "rcp": lambda a, b, c: 1 / a,
}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", [*OPERATIONS, "sqrt"])
def test_double(name: str, mode: str):
    rng = np.random.default_rng(0)
    a, b, c = (rng.standard_normal(128) * 2.0 ** rng.integers(-3, 4, 128) for _ in range(3))
    a[:6] = [1e308, -1e308, 1e-310, 5e-324, 1e200, 3]
    b[:6] = [1e308, -1e308, -1e-310, 5e-324, 1e-200, 7]
    c[:6] = [1, 1, 1e-320, 1e-320, -1, 1e-30]
    a = np.abs(a) if name == "sqrt" else a
    count = {"fma": 3, "rcp": 1, "sqrt": 1}.get(name, 2)
    names = ", ".join(f"%{i + 1}" for i in range(count))
    sources = ", ".join(f'"d"({v}[t])' for v in "abc"[:count])
    source = f"""extern "C" __global__ void k(const double* a, const double* b, const double* c, double* y) {{ int t = threadIdx.x; double d;
      asm volatile("{name}.{mode}.f64 %0, {names};" : "=d"(d) : {sources}); y[t] = d; }}"""
    y = np.zeros(128)
    run_cuda(source, a, b, c, y, block=128)
    for got, x in zip(y.tolist(), zip(a.tolist(), b.tolist(), c.tolist(), strict=True), strict=True):
        if name == "sqrt":
            exact = Fraction(x[0])
            up = math.nextafter(got, math.inf)
            down = math.nextafter(got, 0)
            low, high = {"rm": (got, up), "rz": (got, up), "rp": (down, got), "rn": (down, up)}[mode]
            assert Fraction(low) ** 2 <= exact <= Fraction(high) ** 2
            assert mode != "rn" or abs(Fraction(got) ** 2 - exact) <= abs(Fraction(up) ** 2 - exact)
            continue
        want = rounded(OPERATIONS[name](*map(Fraction, x)), mode)
        assert got == want, f"{name}.{mode} of {x} is {want!r}, got {got!r}"


@pytest.mark.parametrize("type_", ["f32", "f64"])
def test_exact_zeros_are_negative_when_rounding_down(type_: str):
    ctype, letter = ("float", "f") if type_ == "f32" else ("double", "d")
    source = f"""extern "C" __global__ void k(const {ctype}* a, const {ctype}* b, {ctype}* y) {{ int t = threadIdx.x; {ctype} d;
      asm volatile("add.rm.{type_} %0, %1, %2;" : "={letter}"(d) : "{letter}"(a[t]), "{letter}"(b[t])); y[t] = d;
      asm volatile("fma.rm.{type_} %0, %1, 0f3f800000, %2;" : "={letter}"(d) : "{letter}"(a[t]), "{letter}"(b[t])); y[t + 32] = d;
      asm volatile("add.rp.{type_} %0, %1, %2;" : "={letter}"(d) : "{letter}"(a[t]), "{letter}"(b[t])); y[t + 64] = d; }}"""
    if type_ == "f64":
        source = source.replace("0f3f800000", "0d3ff0000000000000")
    dtype = np.float32 if type_ == "f32" else np.float64
    a, b = np.zeros(32, dtype), np.zeros(32, dtype)
    a[:4], b[:4] = [1.5, 0.0, -0.0, -0.0], [-1.5, 0.0, -0.0, 0.0]
    y = np.zeros(96, dtype)
    run_cuda(source, a, b, y, block=32)
    assert not y.any()
    assert np.signbit(y[:4]).tolist() == np.signbit(y[32:36]).tolist() == [True, False, True, True]
    assert np.signbit(y[64:68]).tolist() == [False, False, True, False]


def nearest_small(value: float, exponent_bits: int, largest: float) -> float:
    """Rounds to fp8 by rationals: to nearest even, saturating."""
    if value != value:
        return value
    mantissa, bias = 7 - exponent_bits, 2 ** (exponent_bits - 1) - 1
    least = 1 - bias - mantissa
    exponent = max(math.frexp(value)[1] - 1 - mantissa, least) if value and abs(value) != math.inf else least
    if abs(value) >= largest:
        return math.copysign(largest, value)
    return min(
        largest, max(-largest, float(round(Fraction(value) / Fraction(2) ** exponent) * Fraction(2) ** exponent))
    )


FP8 = {"e4m3": (ml_dtypes.float8_e4m3fn, 4, 448.0), "e5m2": (ml_dtypes.float8_e5m2, 5, 57344.0)}


@pytest.mark.parametrize("name", FP8)
def test_fp8_conversions(name: str):
    dtype, bits, largest = FP8[name]
    source = f"""extern "C" __global__ void k(const float* a, const float* b, const unsigned* h, unsigned short* y, unsigned short* r, unsigned short* p, unsigned* w) {{
      int t = threadIdx.x; unsigned short d; unsigned u;
      asm volatile("cvt.rn.satfinite.{name}x2.f32 %0, %1, %2;" : "=h"(d) : "f"(a[t]), "f"(b[t])); y[t] = d;
      asm volatile("cvt.rn.f16x2.{name}x2 %0, %1;" : "=r"(u) : "h"(d)); w[t] = u;
      asm volatile("cvt.rn.satfinite.relu.{name}x2.f32 %0, %1, %2;" : "=h"(d) : "f"(a[t]), "f"(b[t])); r[t] = d;
      asm volatile("cvt.rn.satfinite.{name}x2.f16x2 %0, %1;" : "=h"(d) : "r"(h[t])); p[t] = d; }}"""
    rng = np.random.default_rng(2)
    a = (rng.standard_normal(256) * 2.0 ** rng.integers(-18, 18, 256)).astype(np.float32)
    a[:9] = [0, -0.0, np.inf, -np.inf, np.nan, 447.9, 464, 2.0**-10, 1e9]
    b = np.roll(a, 5)
    h = rng.standard_normal((256, 2)).astype(np.float16)
    y, r, p, w = (np.zeros((256, 2), d) for d in (np.uint8, np.uint8, np.uint8, np.float16))
    run_cuda(source, a, b, h, y, r, p, w, arch="sm_89", block=256)
    for source_values, got in ((b, y[:, 0]), (a, y[:, 1]), (h[:, 0], p[:, 0]), (h[:, 1], p[:, 1])):
        want = [nearest_small(float(v), bits, largest) for v in source_values]
        assert np.array_equal(got.view(dtype).astype(np.float64), want, equal_nan=True)
    assert np.array_equal(w.astype(np.float32), y.view(dtype).astype(np.float32), equal_nan=True)
    assert not (r.view(dtype).astype(np.float32) < 0).any() and r[4, 1] == 0x7F
    positive = a > 0
    assert np.array_equal(r[positive, 1], y[positive, 1])


@pytest.mark.parametrize("mode", ["rna", "rn", "rz"])
def test_tensor_float_conversion(mode: str):
    source = f"""extern "C" __global__ void k(const float* a, unsigned* y) {{ int t = threadIdx.x; unsigned d;
      asm volatile("cvt.{mode}.tf32.f32 %0, %1;" : "=r"(d) : "f"(a[t])); y[t] = d; }}"""
    rng = np.random.default_rng(3)
    a = rng.standard_normal(64).astype(np.float32)
    a[:3] = np.array([0x3F801000, 0x3F803000, 0xBF801000], np.uint32).view(np.float32)  # ties
    a[3:5] = [np.inf, -np.inf]
    y = np.zeros(64, np.float32)
    run_cuda(source, a, y, arch="sm_90")
    for got, value in zip(y.tolist(), a.tolist(), strict=True):
        if math.isinf(value):
            assert got == value
            continue
        scale = Fraction(2) ** (math.frexp(value)[1] - 11)
        steps = Fraction(value) / scale
        away = math.copysign(math.floor(abs(steps) + Fraction(1, 2)), value)
        assert Fraction(got) == scale * {"rna": int(away), "rn": round(steps), "rz": math.trunc(steps)}[mode]
