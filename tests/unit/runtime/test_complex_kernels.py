"""
Complex numbers in kernels: functions are within error bounds of an oracle in long double, and have the infinities and NaNs of the
reference; sums, products and contractions are exact on small integers; memory accesses, constants and casts.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from xdsl.dialects.func import FuncOp

import ptir
from ptir.runtime.devices import Emulator
from tests.random_programs.oracle.table import ORACLES

from ..builders.elementwise import program

TYPES: dict[str, Any] = {"complex<f32>": np.complex64, "complex<f64>": np.complex128}
UNARY = ["neg", "exp", "log", "tanh", "rsqrt", "reciprocal", "sqrt", "sin", "cos", "sign", "log1p", "expm1", "logistic"]
BINARY = ["add", "sub", "mul", "div", "pow"]
inf, nan = np.inf, np.nan

pytestmark = pytest.mark.parametrize("dtype", TYPES)


def run(text: str, *arrays: Any, arch: str = "sm80") -> Any:
    return ptir.compile(extended(text), arch=arch, device=Emulator())(*arrays)


def extended(text: str) -> str:
    return "builtin.module attributes {ptir.extensions} {" + text + "}"


def numbers(dtype: str, parts: list[float]) -> Any:
    """Returns all complex numbers with these real and imaginary parts."""
    with np.errstate(over="ignore"):
        return np.array([complex(a, b) for a in parts for b in parts], TYPES[dtype])


def within(text: str, arrays: Any, results: Any) -> None:
    """Requires that the results of a function, which has one op per result, are within bounds."""
    (function,) = ptir.parse(extended(text)).ops
    assert isinstance(function, FuncOp)
    ops = [op for op in function.body.block.ops if op.name.startswith("ptir.")]
    for op, got in zip(ops, results, strict=True):
        (want,) = ORACLES[op.name](op, arrays[: len(op.operands)], got)
        assert want is not None and (problem := want.problem(got)) is None, f"{op.name}: {problem}"


def whole(dtype: str, shape: tuple[int, ...], seed: int = 0) -> Any:
    x, y = np.random.default_rng(seed).integers(-3, 4, (2, *shape))
    return (x + 1j * y).astype(TYPES[dtype])


# --- functions ----------------------------------------------------------------------------------


@pytest.mark.sampled(2)
def test_functions_of_one_number(dtype: str):
    """Infinities and NaN equal the reference's, except for the reciprocal of zero, which equals 1 / 0."""
    rng = np.random.default_rng(0)
    big = float(np.finfo(TYPES[dtype]).max) / 3
    x = numbers(
        dtype, [0.0, -0.0, 1.0, 0.5, -2.5, 1e-3, -1e-12, np.pi, -40.0, 1e18, big, -big, 1 / big, inf, -inf, nan]
    )
    x = x[np.isfinite(x.real) | np.isfinite(x.imag)]
    some = rng.standard_normal(150) * 10.0 ** rng.integers(-4, 3, 150)
    x = np.concatenate([x, (some * np.exp(1j * rng.uniform(-4, 4, 150))).astype(x.dtype)])
    text = program({"x": dtype}, [(f"ptir.{fn} %x : <{dtype}>", dtype) for fn in UNARY], x.shape)
    results = run(text, x)
    tame = np.isfinite(x) & (np.abs(x.astype(np.clongdouble)) < 1e19)
    within(program({"x": dtype}, [(f"ptir.{fn} %x : <{dtype}>", dtype) for fn in UNARY], (int(tame.sum()),)),
           (x[tame],), [got[tame] for got in results])  # fmt: skip
    for fn, got, want in zip(UNARY, results, ptir.reference(extended(text), x), strict=True):
        kept = (x != 0) | (fn not in ("rsqrt", "reciprocal"))
        for part in ("real", "imag"):
            a, b = getattr(got, part)[kept], getattr(want, part)[kept]
            odd = ~(np.isfinite(a) & np.isfinite(b))
            np.testing.assert_array_equal(a[odd], b[odd], f"{fn}, {part}")
        if fn == "reciprocal":
            assert np.isinf(got.real[~kept]).all() and np.isnan(got.imag[~kept]).all()


def test_numbers_whose_modulus_is_too_large(dtype: str):
    most = float(np.finfo(TYPES[dtype]).max)
    x = numbers(dtype, [most, -most, 0.75 * most, 1.0])
    text = program(
        {"x": dtype}, [(f"ptir.{fn} %x : <{dtype}>", dtype) for fn in ("sign", "log", "log1p", "sqrt")], x.shape
    )
    for results in (run(text, x), ptir.reference(extended(text), x)):
        assert all(np.isfinite(got).all() for got in results)
        within(text, (x,), results)


@pytest.mark.sampled(2)
def test_functions_of_two_numbers(dtype: str):
    parts = numbers(dtype, [0.0, 1.0, -2.5, 3.0, 1e-5, -1e10])
    x, y = (a.reshape(-1) for a in np.meshgrid(parts, parts))
    text = program({"x": dtype, "y": dtype}, [(f"ptir.{fn} %x, %y : <{dtype}>", dtype) for fn in BINARY], x.shape)
    results = run(text, x, y)
    within(text, (x, y), results)
    if dtype == "complex<f32>":  # rounded once: bit-equal to the reference
        for fn, got, want in zip(BINARY[:4], results, ptir.reference(extended(text), x, y), strict=False):
            np.testing.assert_array_equal(got, want, fn)


def test_comparisons_and_choices(dtype: str):
    x = numbers(dtype, [0.0, -0.0, 1.0, nan])
    x, y = (a.reshape(-1) for a in np.meshgrid(x, x))
    ops = [(f"ptir.compare {fn} %x, %y : <{dtype}> -> <i1>", "i1") for fn in ("eq", "ne")]
    ops += [(f"ptir.select %p, %x, %y : <i1>, <{dtype}>", dtype)]
    p = np.arange(x.size) % 3 == 0
    equal, different, chosen = run(program({"x": dtype, "y": dtype, "p": "i1"}, ops, x.shape), x, y, p)
    np.testing.assert_array_equal(equal, x == y)
    np.testing.assert_array_equal(different, x != y)
    np.testing.assert_array_equal(chosen, np.where(p, x, y))


# --- reductions ---------------------------------------------------------------------------------


@pytest.mark.sampled(2)
@pytest.mark.parametrize("shape", [(5, 8), (3, 70), (2, 700), (1, 5000)])
def test_sums_and_products_of_rows_and_columns(dtype: str, shape: tuple[int, int]):
    """In one lane, in lanes that shuffle, in warps that share memory, and in loops."""
    m, n = shape
    text = f"""
    func.func @f(%x: tensor<{m}x{n}x{dtype}>, %y: tensor<{m}x{n}x{dtype}>) -> (tensor<{m}x{dtype}>, tensor<{n}x{dtype}>, tensor<{m}x{dtype}>) {{
      %0 = ptir.reduce sum %x axes [1] : tensor<{m}x{n}x{dtype}> -> tensor<{m}x{dtype}>
      %1 = ptir.reduce sum %x axes [0] : tensor<{m}x{n}x{dtype}> -> tensor<{n}x{dtype}>
      %2 = ptir.reduce mul %y axes [1] : tensor<{m}x{n}x{dtype}> -> tensor<{m}x{dtype}>
      func.return %0, %1, %2 : tensor<{m}x{dtype}>, tensor<{n}x{dtype}>, tensor<{m}x{dtype}>
    }}"""
    x, y = whole(dtype, shape), np.array([1, -1, 1j, -1j], TYPES[dtype])[np.arange(m * n).reshape(shape) % 3]
    rows, columns, products = run(text, x, y)
    np.testing.assert_array_equal(rows, x.sum(axis=1))
    np.testing.assert_array_equal(columns, x.sum(axis=0))
    np.testing.assert_array_equal(products, y.prod(axis=1))


@pytest.mark.parametrize("arch", ["sm80", "sm90"])
def test_contractions(dtype: str, arch: str):
    """Products are exact, or computed in f64; a bias is added to the sums."""
    x, w, b = whole(dtype, (2, 9, 20)), whole(dtype, (2, 20, 6), 1), whole(dtype, (6,), 2)
    text = f"""
    func.func @f(%x: tensor<2x9x20x{dtype}>, %w: tensor<2x20x6x{dtype}>, %b: tensor<6x{dtype}>) -> tensor<2x9x6x{dtype}> {{
      %0 = ptir.dot_general %x, %w batch [0] x [0] contract [2] x [1] : (tensor<2x9x20x{dtype}>, tensor<2x20x6x{dtype}>) -> tensor<2x9x6x{dtype}>
      %1 = ptir.broadcast_to %b : tensor<6x{dtype}> -> tensor<2x9x6x{dtype}>
      %2 = ptir.add %0, %1 : tensor<2x9x6x{dtype}>
      func.return %2 : tensor<2x9x6x{dtype}>
    }}"""
    np.testing.assert_array_equal(run(text, x, w, b, arch=arch)[0], x @ w + b)


# --- memory, constants, casts -------------------------------------------------------------------


def test_elements_that_are_moved_counted_and_filled_in(dtype: str):
    x = whole(dtype, (7, 5))
    text = f"""
    func.func @f(%x: tensor<7x5x{dtype}>) -> tensor<6x9x{dtype}> {{
      %0 = ptir.transpose %x [1, 0] : tensor<7x5x{dtype}> -> tensor<5x7x{dtype}>
      %1 = ptir.pad %0 with (1.0, -2.0) : {dtype} low [1, 2] high [0, 0] interior [0, 0] : tensor<5x7x{dtype}> -> tensor<6x9x{dtype}>
      %2 = ptir.iota axis 1 : tensor<6x9x{dtype}>
      %3 = ptir.constant dense<(0.5, 0x7F800000)> : tensor<6x9x{dtype}>
      %4 = ptir.mul %1, %2 : tensor<6x9x{dtype}>
      %5 = ptir.add %4, %3 : tensor<6x9x{dtype}>
      func.return %5 : tensor<6x9x{dtype}>
    }}"""
    if dtype == "complex<f64>":
        text = text.replace("0x7F800000", "0x7FF0000000000000")
    want = np.pad(x.T, ((1, 0), (2, 0)), constant_values=1 - 2j) * np.arange(9)
    (got,) = run(text, x)
    np.testing.assert_array_equal(got.real, want.real + 0.5)
    assert np.isposinf(got.imag).all()


def test_every_level_prints_what_it_parses(dtype: str):
    text = extended(f"""
    func.func @f(%x: tensor<8x{dtype}>) -> tensor<8x{dtype}> {{
      %c = ptir.constant dense<(-1.5, 0x{"7FC00000" if dtype == "complex<f32>" else "7FF8000000000000"})> : tensor<8x{dtype}>
      %0 = ptir.logistic %x : tensor<8x{dtype}>
      %1 = ptir.add %0, %c : tensor<8x{dtype}>
      func.return %1 : tensor<8x{dtype}>
    }}""")
    module = ptir.parse(text)
    for passes in ("ptir-to-tiny,form-regions,plan-regions", "region-to-pto", "pto-to-nv"):
        module = ptir.PassManager(passes).run(module)
        again = ptir.parse(str(module))
        assert str(again) == str(module)
        module = again
    assert "nan" in ptir.print_cuda(module).lower() or "0x7f" in ptir.print_cuda(module)


def test_casts(dtype: str):
    other = next(t for t in TYPES if t != dtype)
    x = numbers(dtype, [0.1, -1e30, 1e-30, 7.25, inf, nan])
    (got,) = run(program({"x": dtype}, [(f"ptir.cast %x : <{dtype}> -> <{other}>", other)], x.shape), x)
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(got, x.astype(TYPES[other]))
