"""
f64 in elementwise kernels: the emulator is compared with Python's doubles, `math`, and rounding in rationals.

Sums, products, quotients and roots are correctly rounded (IEEE 754); the errors of other functions stay within the ulps that the
CUDA C++ Programming Guide gives; casts to narrower floats round once.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from math import copysign, inf, isnan, nan
from typing import Any

import numpy as np
import pytest

import ptir
from ptir.runtime.devices import Emulator

from ..builders.elementwise import DTYPES, FLOATS, Op, emulated, nearest, pairs, program, same

LEAST, LARGEST = 5e-324, float(np.finfo(np.float64).max)
VALUES = (
    0.0,
    -0.0,
    1.0,
    -1.0,
    1.5,
    -3.0,
    0.1,
    LEAST,
    -LEAST,
    2.0**-1022,
    LARGEST,
    -LARGEST,
    1e-160,
    3e200,
    inf,
    -inf,
    nan,
)
SIZES = ((289,), (17, 20))
"""Shapes that are accessed by single elements, and by vectors."""


def operands(sizes: tuple[int, ...]) -> tuple[Any, Any]:
    total = int(np.prod(sizes))
    more = np.random.default_rng(1).standard_normal((2, total)) * 10.0 ** (np.arange(total) - total // 2)
    return tuple(np.concatenate([a, m])[:total].reshape(sizes) for a, m in zip(pairs(VALUES, "f64"), more, strict=True))


def divided(a: float, b: float) -> float:
    if b != 0:
        return a / b
    return nan if a == 0 or isnan(a) else copysign(inf, a) * copysign(1, b)


def largest(a: float, b: float) -> float:
    if isnan(a) or isnan(b):
        return nan
    return a + b if a == b == 0 else max(a, b)


EXACT: dict[str, Callable[[float, float], float]] = {
    "ptir.add %x, %y": operator.add,
    "ptir.sub %x, %y": operator.sub,
    "ptir.mul %x, %y": operator.mul,
    "ptir.div %x, %y": divided,
    "ptir.maximum %x, %y": largest,
    "ptir.minimum %x, %y": lambda a, b: -largest(-a, -b),
    "ptir.neg %x": lambda a, b: -a,
    "ptir.abs %x": lambda a, b: abs(a),
    "ptir.reciprocal %x": lambda a, b: divided(1.0, a),
    "tiny.unary sqrt %x": lambda a, b: a if a == 0 else math.sqrt(a) if a > 0 else nan,
    "ptir.rsqrt %x": lambda a, b: divided(1.0, a if a == 0 else math.sqrt(a) if a > 0 else nan),
}
COMPARES: dict[str, Callable[[float, float], bool]] = {
    name: getattr(operator, name) for name in ("lt", "le", "eq", "ne", "ge", "gt")
}


@pytest.mark.parametrize("sizes", SIZES)
def test_exact_functions(sizes: tuple[int, ...]):
    x, y = operands(sizes)
    p = (np.arange(x.size) % 3 == 0).reshape(sizes)
    ops = [(f"{op} : <f64>" + (" -> <f64>" if op.startswith("tiny") else ""), "f64") for op in EXACT]
    ops += [(f"ptir.compare {c} %x, %y : <f64> -> <i1>", "i1") for c in COMPARES]
    ops += [("ptir.select %p, %x, %y : <i1>, <f64>", "f64")]
    results = emulated(program({"x": "f64", "y": "f64", "p": "i1"}, ops, sizes), (x, y, p))
    lanes = [(float(a), float(b)) for a, b in zip(x.flat, y.flat, strict=True)]
    wants: list[list[Any]] = [[f(a, b) for a, b in lanes] for f in (*EXACT.values(), *COMPARES.values())]
    wants += [[a if c else b for (a, b), c in zip(lanes, p.flat, strict=True)]]
    for (op, t), got, want in zip(ops, results, wants, strict=True):
        same(got, np.array(want, DTYPES[t]).reshape(sizes), op)


def test_constants_keep_every_bit():
    """Digits, the ends of the range, zeros, infinities and NaN as literals in the text of a kernel."""
    numbers = (0.1, -1 / 3, 1e300, LEAST, LARGEST, -0.0, inf, -inf, nan)
    bits = [np.float64(v).tobytes()[::-1].hex() for v in numbers]
    lines = [f'  %c{k} = ptir.constant dense<"0x{np.float64(v).tobytes().hex()}"> : tensor<3xf64>' for k, v in enumerate(numbers)]  # fmt: skip
    lines += [f"  %r{k} = ptir.select %p, %c{k}, %x : tensor<3xi1>, tensor<3xf64>" for k in range(len(numbers))]
    types = ", ".join(["tensor<3xf64>"] * len(numbers))
    head = f"func.func @f(%x: tensor<3xf64>, %p: tensor<3xi1>) -> ({types}) {{"
    done = f"  func.return {', '.join(f'%r{k}' for k in range(len(numbers)))} : {types}"
    x = np.array([1.0, 2.0, 3.0])
    results = emulated("\n".join([head, *lines, done, "}", ""]), (x, np.array([True, False, True])))
    for v, b, got in zip(numbers, bits, results, strict=True):
        same(got, np.array([v, 2.0, v]), f"{v}, {b}")


# --- functions within so many units in the last place -------------------------------------------

ULPS: dict[str, tuple[Callable[[float], float], int]] = {
    "exp": (lambda a: inf if a > 709.8 else math.exp(a), 1),
    "log": (lambda a: math.log(a) if a > 0 else -inf if a == 0 else nan, 1),
    "tanh": (math.tanh, 2),
    "erf": (math.erf, 2),
}
"""
Functions and their errors in ulp (CUDA C++ Programming Guide, *Mathematical Functions*). One ulp for `math` itself is added below.
"""


def test_functions_within_their_units():
    rng = np.random.default_rng(3)
    special = [0.0, -0.0, 1.0, LEAST, 1e-300, LARGEST, inf, -inf, nan, 709.7, 709.9, -744.0, -746.0, 6.0, -6.0, 1e-9]
    x = np.concatenate([special, rng.standard_normal(60) * 3, 10.0 ** rng.uniform(-300, 300, 40)])
    ops: list[Op] = [(f"ptir.{name} %x : <f64>", "f64") for name in ULPS]
    results = ptir.compile(program({"x": "f64"}, ops, x.shape), device=Emulator())(x)
    for (name, (function, units)), got in zip(ULPS.items(), results, strict=True):
        want = np.array([function(float(v)) for v in x])
        np.testing.assert_array_equal(np.isnan(got), np.isnan(want), name)
        finite = np.isfinite(want)
        np.testing.assert_array_equal(got[~finite & ~np.isnan(want)], want[~finite & ~np.isnan(want)], name)
        off = np.abs(got[finite] - want[finite]) / np.spacing(np.abs(want[finite]))
        assert off.max() <= units + 1, (name, x[finite][off.argmax()], off.max())


# --- casts --------------------------------------------------------------------------------------


def near_ties(target: str) -> list[float]:
    """
    Returns ties of a narrower type, the adjacent f64 values, and values that double rounding gets wrong, over the whole range.
    """
    digits, least = FLOATS[target]
    scales = (0, 5, least, least - 1, least - digits + 2, least - digits + 1, least - digits, -least, -least + 1)
    ties = [math.ldexp(1 + (2 * odd + 1) * 2.0**-digits, scale) for scale in scales for odd in (0, 1, 2 ** (digits - 1) - 1)]  # fmt: skip
    powers = [math.ldexp(1.0, scale) if scale < 1024 else inf for scale in scales]
    off = [f(v) for v in ties for f in (lambda v: v * (1 + 2.0**-40), lambda v: v * (1 - 2.0**-40))]
    steps = [math.nextafter(v, to) for v in (*ties, *powers) for to in (inf, -inf)]
    return [*ties, *powers, *off, *steps]


def test_casts_to_narrower_floats_round_once():
    values = [v for t in ("f32", "f16", "bf16") for v in near_ties(t)]
    x = np.array([*values, *(-v for v in values), *VALUES])
    ops: list[Op] = [(f"ptir.cast %x : <f64> -> <{t}>", t) for t in ("f32", "f16", "bf16")]
    results = emulated(program({"x": "f64"}, ops, x.shape), (x,))
    for (_, t), got in zip(ops, results, strict=True):
        same(got, np.array([nearest(float(v), t) for v in x]).astype(DTYPES[t]), f"f64 to {t}")


@pytest.mark.parametrize("source", ["f32", "f16", "bf16"])
def test_casts_from_narrower_floats_are_exact(source: str):
    bits = np.arange(0, 2**16, 37, np.uint16)
    x = bits.view(DTYPES[source]) if source != "f32" else (bits.astype(np.uint32) << 16 | 0x8001).view(np.float32)
    (got,) = emulated(program({"x": source}, [(f"ptir.cast %x : <{source}> -> <f64>", "f64")], x.shape), (x,))
    same(got, np.array([float(v) for v in x]), source)


def test_doubles_in_the_epilogue_of_a_contraction():
    """Vectors of two f64 and of eight f16 elements, and rows that vectors do not divide."""
    text = """
    func.func @f(%x: tensor<20x16xf16>, %w: tensor<16x36xf16>, %z: tensor<20x36xf64>)
        -> (tensor<20x36xf64>, tensor<20x36xf16>) {
      %0 = ptir.dot_general %x, %w contract [1] x [0] accum f32 out f32
         : (tensor<20x16xf16>, tensor<16x36xf16>) -> tensor<20x36xf32>
      %1 = ptir.cast %0 : tensor<20x36xf32> -> tensor<20x36xf64>
      %2 = ptir.mul %1, %z : tensor<20x36xf64>
      %3 = ptir.cast %2 : tensor<20x36xf64> -> tensor<20x36xf16>
      func.return %2, %3 : tensor<20x36xf64>, tensor<20x36xf16>
    }"""
    rng = np.random.default_rng(5)
    x, w = (rng.integers(-3, 4, s).astype(np.float16) for s in ((20, 16), (16, 36)))
    z = rng.standard_normal((20, 36))
    wide, narrow = emulated(text, (x, w, z))
    want = (x.astype(np.float64) @ w.astype(np.float64)) * z
    same(wide, want, "f64")
    same(narrow, np.array([nearest(float(v), "f16") for v in want.flat]).reshape(want.shape).astype(np.float16), "f16")


@pytest.mark.parametrize("n", [32, 33])
def test_the_sums_of_a_multiplication_of_doubles(n: int):
    text = f"""
    func.func @f(%x: tensor<20x16xf64>, %w: tensor<16x{n}xf64>, %b: tensor<{n}xf64>)
        -> (tensor<20x{n}xf64>, tensor<20x{n}xbf16>) {{
      %0 = ptir.dot_general %x, %w contract [1] x [0] accum f64 out f64
         : (tensor<20x16xf64>, tensor<16x{n}xf64>) -> tensor<20x{n}xf64>
      %1 = ptir.broadcast_to %b : tensor<{n}xf64> -> tensor<20x{n}xf64>
      %2 = ptir.add %0, %1 : tensor<20x{n}xf64>
      %3 = ptir.maximum %2, %1 : tensor<20x{n}xf64>
      %4 = ptir.cast %2 : tensor<20x{n}xf64> -> tensor<20x{n}xbf16>
      func.return %3, %4 : tensor<20x{n}xf64>, tensor<20x{n}xbf16>
    }}"""
    rng = np.random.default_rng(n)
    x, w = (rng.integers(-1000, 1000, s).astype(np.float64) for s in ((20, 16), (16, n)))
    b = rng.integers(-(2**50), 2**50, n) * 2.0**-20
    wide, narrow = emulated(text, (x, w, b))
    exact = [[sum(int(x[i, k]) * int(w[k, j]) for k in range(16)) + b[j] for j in range(n)] for i in range(20)]
    same(wide, np.maximum(np.array(exact), b), "f64")
    same(narrow, np.array([[nearest(float(v), "bf16") for v in row] for row in exact]).astype(DTYPES["bf16"]), "bf16")
