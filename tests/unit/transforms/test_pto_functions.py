"""Functions that `pto-legalize` computes by formulas, in the interpreter, against the C library in f64."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest

import ptir
from ptir.errors import PtirError
from ptir.passes.manager import PassManager
from ptir.semantics.interpreter import call_on, interpreter

SUM = """%s = ptir.reduce sum %1 axes [1] : tensor<16x16xf64> -> tensor<16xf64>
      %2 = ptir.broadcast_to %s : tensor<16xf64> -> tensor<16x16xf64>"""
X = np.concatenate([s * np.geomspace(1e-30, 60, 512) for s in (-1, 1)]).astype(np.float32)


@pytest.mark.parametrize("name", ["tanh", "erf", "expm1", "log1p"])
def test_errors_are_relative(name: str):
    x = np.array([*X, 0.0, -np.inf, np.inf, np.nan] + [0.6, 0.9] * 6, np.float32).reshape(8, -1)
    t = f"tensor<{x.shape[0]}x{x.shape[1]}xf32>"
    text = f"func.func @f(%x: {t}) -> {t} {{ %y = ptir.{name} %x : {t} func.return %y : {t} }}"
    text = f"builtin.module attributes {{ptir.extensions}} {{ {text} }}"
    module = PassManager("ptir-to-pto{target=a3}").run(ptir.parse(text))
    (y,) = call_on(interpreter(module), module, "f", [x])
    with np.errstate(all="ignore"):
        want = getattr(np, name, np.vectorize(math.erf))(x.astype(np.float64))
    infinite = np.isinf(want.astype(np.float32))
    np.testing.assert_array_equal(y[infinite], want[infinite].astype(np.float32))
    y, want = np.where(infinite, 0, y), np.where(infinite, 0, want)
    np.testing.assert_array_equal(np.isnan(y), np.isnan(want))
    error = np.abs(y - want) / np.spacing(np.abs(want).astype(np.float32))
    assert np.nanmax(error) < 3, np.nanmax(error)


@pytest.mark.parametrize("name", ["sin", "cos"])
def test_angles_of_any_size(name: str):
    """Numbers of all exponents, and those that are nearest to multiples of π/2."""
    bits = np.random.default_rng(0).integers(0, 0x7F800000, 400).astype(np.int32).view(np.float32)
    quarters = (np.arange(1, 301) * (math.pi / 2)).astype(np.float32)
    hard = np.array([16367173 * 2.0**72, 0.5, 0.49999997, 1e-40, -0.0, 3.4e38], np.float32)
    special = np.array([np.inf, -np.inf, np.nan], np.float32)
    x = np.concatenate([bits, -bits[:80], quarters, hard, special])
    x = x[: len(x) // 8 * 8].reshape(8, -1)
    t = f"tensor<8x{x.shape[1]}xf32>"
    text = f"func.func @f(%x: {t}) -> {t} {{ %y = ptir.{name} %x : {t} func.return %y : {t} }}"
    module = PassManager("ptir-to-pto{target=a3}").run(
        ptir.parse(f"builtin.module attributes {{ptir.extensions}} {{ {text} }}")
    )
    (y,) = call_on(interpreter(module), module, "f", [x])
    with np.errstate(all="ignore"), mpmath.workprec(300):
        want = np.vectorize(lambda v: float(getattr(mpmath, name)(float(v))) if math.isfinite(v) else math.nan)(x)
    np.testing.assert_array_equal(np.isnan(y), np.isnan(want))
    error = np.abs(y - want) / np.spacing(np.abs(want).astype(np.float32))
    assert np.nanmax(error) < 2, np.nanmax(error)
    np.testing.assert_array_equal(np.signbit(y[x == 0]), np.signbit(want[x == 0]))


def test_complements_are_relative():
    x = np.concatenate([np.linspace(-5, 9, 600), np.linspace(0.4, 0.6, 100), [np.inf, -np.inf, np.nan, 0]]).astype(
        np.float32
    )
    x = x.reshape(8, -1)
    t = f"tensor<8x{x.shape[1]}xf32>"
    text = f"func.func @f(%x: {t}) -> {t} {{ %y = ptir.erfc %x : {t} func.return %y : {t} }}"
    module = PassManager("ptir-to-pto{target=a3}").run(
        ptir.parse(f"builtin.module attributes {{ptir.extensions}} {{ {text} }}")
    )
    (y,) = call_on(interpreter(module), module, "f", [x])
    want = np.vectorize(math.erfc)(x.astype(np.float64))
    np.testing.assert_array_equal(np.isnan(y), np.isnan(want))
    error = np.abs(y - want) / np.spacing(np.abs(want).astype(np.float32))
    assert np.nanmax(error) < 6, np.nanmax(error)


@pytest.mark.parametrize("name", ["floor", "ceil", "round"])
def test_roundings_keep_the_sign_of_zero(name: str):
    x = [
        0.0,
        0.5,
        0.3,
        1.5,
        2.5,
        2**23 - 0.5,
        2**23,
        2**24 + 2,
        2**31,
        2**31 * 1.5,
        1e20,
        np.inf,
        1e-40,
        2**22 + 0.5,
        7.0,
        np.nan,
    ]
    x = np.array([x, np.negative(x)], np.float32)
    text = f"func.func @f(%x: tensor<2x16xf32>) -> tensor<2x16xf32> {{ %y = ptir.{name} %x : tensor<2x16xf32> func.return %y : tensor<2x16xf32> }}"
    module = PassManager("ptir-to-pto{target=a3}").run(
        ptir.parse(f"builtin.module attributes {{ptir.extensions}} {{ {text} }}")
    )
    (y,) = call_on(interpreter(module), module, "f", [x])
    want = getattr(np, name)(x)
    np.testing.assert_array_equal(y, want)
    np.testing.assert_array_equal(np.signbit(y[~np.isnan(y)]), np.signbit(want[~np.isnan(want)]))


NUMBERS = [
    0.0,
    -0.0,
    1,
    -1,
    np.inf,
    -np.inf,
    np.nan,
    2,
    -3,
    0.5,
    -0.5,
    1e-40,
    -1e-40,
    1e30,
    -1e30,
    16777217,
    8388609,
    0.99999994,
]
"""Bases and exponents of which pairs are special."""


def test_powers():
    rng = np.random.default_rng(0)
    special = np.meshgrid(np.array(NUMBERS), np.array(NUMBERS))
    x = np.concatenate([special[0].ravel(), np.exp(rng.normal(size=150) * 20), rng.uniform(0.9, 1.1, 150)])
    y = np.concatenate([special[1].ravel(), rng.normal(size=150) * 2, rng.normal(size=150) * 300])
    x, y = (v[:624].astype(np.float32).reshape(8, -1) for v in (x, y))
    t = f"tensor<8x{x.shape[1]}xf32>"
    text = f"func.func @f(%x: {t}, %y: {t}) -> {t} {{ %z = ptir.pow %x, %y : {t} func.return %z : {t} }}"
    module = PassManager("ptir-to-pto{target=a3}").run(
        ptir.parse(f"builtin.module attributes {{ptir.extensions}} {{ {text} }}")
    )
    (z,) = call_on(interpreter(module), module, "f", [x, y])
    with np.errstate(all="ignore"):
        want = np.power(x.astype(np.float64), y.astype(np.float64))
        single = want.astype(np.float32)
    finite = np.isfinite(single) & (np.abs(single) > 2.0**-126)
    np.testing.assert_array_equal(z[~finite & (np.abs(want) > 1e-30)], single[~finite & (np.abs(want) > 1e-30)])
    np.testing.assert_array_equal(np.isnan(z), np.isnan(single))
    error = np.abs(z[finite] - want[finite]) / np.spacing(np.abs(single[finite]))
    assert error.max() < 3


@pytest.mark.parametrize("dtype", ["i8", "i32"])
def test_shifts_by_more_than_the_width(dtype: str):
    kind = {"i8": np.int8, "i32": np.int32}[dtype]
    width = np.iinfo(kind).bits
    x, y = np.meshgrid(
        np.array([0, 1, -1, 5, 77, -78, np.iinfo(kind).min, np.iinfo(kind).max]),
        np.array([0, 1, 3, width - 1, width, width + 1, 33, -1, np.iinfo(kind).min]),
    )
    x, y = x.astype(kind), y.astype(kind)
    t = f"tensor<{x.shape[0]}x{x.shape[1]}x{dtype}>"
    names = ("shift_left", "shift_right_arithmetic", "shift_right_logical")
    ops = " ".join(f"%{k} = ptir.{name} %x, %y : {t}" for k, name in enumerate(names))
    text = f"func.func @f(%x: {t}, %y: {t}) -> ({t}, {t}, {t}) {{ {ops} func.return %0, %1, %2 : {t}, {t}, {t} }}"
    source = ptir.parse(f"builtin.module attributes {{ptir.extensions}} {{ {text} }}")
    lowered = PassManager("ptir-to-pto{target=a3}").run(source.clone())
    for got, want in zip(
        call_on(interpreter(lowered), lowered, "f", [x, y]), ptir.reference(source, x, y), strict=True
    ):
        np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("op", ["sub", "sum"])
def test_arithmetic_on_f64_is_refused(op: str):
    """Products of f32 are computed in f32; what is written in f64 is not."""
    wide, narrow = "tensor<16x16xf64>", "tensor<16x16xf32>"
    text = f"""func.func @f(%x: {narrow}) -> {narrow} {{
      %0 = ptir.cast %x : {narrow} -> {wide}
      %1 = ptir.mul %0, %0 : {wide}
      {"%2 = ptir.sub %1, %0 : " + wide if op == "sub" else SUM}
      %3 = ptir.cast %2 : {wide} -> {narrow}
      func.return %3 : {narrow} }}"""
    with pytest.raises(PtirError, match=r"PTIR0267.*f64"):
        PassManager("ptir-to-pto{target=a3}").run(ptir.parse(text))


@pytest.mark.parametrize(("dtype", "target"), [("i8", "a3"), ("i32", "a3")])
def test_integers_that_instructions_do_not_take(dtype: str, target: str):
    """Bytes are computed in i32, quotients of i32 by those of f32; what wraps, wraps."""
    t = f"tensor<8x32x{dtype.replace('i', 'si')}>"
    ops = ("ptir.add %x, %y", "ptir.maximum %0, %y", "ptir.div %x, %1", "ptir.abs %2", "ptir.not %3", "ptir.sub %4, %x")
    body = " ".join(f"%{k} = {op} : {t}" for k, op in enumerate(ops))
    text = f"func.func @f(%x: {t}, %y: {t}) -> {t} {{ {body} func.return %5 : {t} }}"
    module = PassManager(f"ptir-to-pto{{target={target}}}").run(
        ptir.parse(f"builtin.module attributes {{ptir.extensions}} {{ {text} }}")
    )
    rng, info = np.random.default_rng(0), np.iinfo(f"int{dtype[1:]}")
    x, y = (rng.integers(low, info.max, (8, 32), endpoint=True).astype(info.dtype) for low in (info.min, 1))
    y[1:] //= 1 << (info.bits - 4)
    y = np.maximum(y, 1)
    (got,) = call_on(interpreter(module), module, "f", [x, y])
    with np.errstate(all="ignore"):
        divisor = np.maximum(x + y, y)
        quotient = np.trunc(x.astype(np.float64) / divisor).astype(info.dtype)
        np.testing.assert_array_equal(got, ~np.abs(quotient) - x)
