"""Every elementwise op of `ptir` on every element type, compared with Python's integers, rationals and `math`."""

from __future__ import annotations

import cmath
import math
import operator
import struct
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import ptir
from ptir.conformance.integers import quotient
from ptir.semantics.errors import DivisionByZero, OperandShapesDiffer, SizeMismatch
from ptir.semantics.interpreter import call

from ..builders.ptir_oracle import (
    COMPLEX,
    DTYPES,
    FLOATS,
    INTEGERS,
    SHAPES,
    agree,
    array,
    exact,
    integers,
    near,
    nearest,
    numbers,
    pairs,
    parse,
    run,
    saturate,
    spell,
    values,
    wrap,
)

pytestmark = pytest.mark.sampled(3)

# --- integers -----------------------------------------------------------------------------------


def power(a: int, b: int) -> int:
    if b < 0:
        return {1: 1, -1: (-1) ** (b % 2)}.get(a, 0)
    return pow(a, b, 2**64)


INTEGER_UNARY: dict[str, Callable[[int], int]] = {
    "neg": operator.neg,
    "abs": abs,
    "sign": lambda a: (a > 0) - (a < 0),
    "not": operator.invert,
}
INTEGER_BINARY: dict[str, Callable[[int, int], int]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": quotient,
    "remainder": lambda a, b: a - quotient(a, b) * b,
    "maximum": max,
    "minimum": min,
    "pow": power,
    "and": operator.and_,
    "or": operator.or_,
    "xor": operator.xor,
}


@pytest.mark.parametrize("dtype", INTEGERS)
def test_integer_functions(dtype: str):
    some = integers(dtype)
    t = spell([len(some)], dtype)
    results = run([(array(some, dtype), dtype)], *((f"ptir.{name} %a : {t}", t) for name in INTEGER_UNARY))
    for (name, oracle), got in zip(INTEGER_UNARY.items(), results, strict=True):
        agree(got, [wrap(oracle(v), dtype) for v in some], f"{name} {dtype}")
    left, right = pairs(some)
    kept = [k for k, b in enumerate(right) if b != 0]
    left, right = [left[k] for k in kept], [right[k] for k in kept]
    t = spell([len(left)], dtype)
    args = [(array(left, dtype), dtype), (array(right, dtype), dtype)]
    results = run(args, *((f"ptir.{name} %a, %b : {t}", t) for name in INTEGER_BINARY))
    for (name, oracle), got in zip(INTEGER_BINARY.items(), results, strict=True):
        agree(got, [wrap(oracle(a, b), dtype) for a, b in zip(left, right, strict=True)], f"{name} {dtype}")


@pytest.mark.parametrize("dtype", INTEGERS)
def test_shifts(dtype: str):
    """Shifts count as unsigned, so a negative one is far beyond the width."""
    low, high = INTEGERS[dtype]
    width = (high - low + 1).bit_length() - 1
    some = integers(dtype)
    by = [b for b in (0, 1, 2, 3, width - 1, width, width + 1, high, low, -1) if low <= b <= high]
    left, right = [a for a in some for _ in by], [b for _ in some for b in by]
    t = spell([len(left)], dtype)
    names = ("shift_left", "shift_right_arithmetic", "shift_right_logical")
    args = [(array(left, dtype), dtype), (array(right, dtype), dtype)]
    results = run(args, *((f"ptir.{name} %a, %b : {t}", t) for name in names))

    def want(name: str, a: int, b: int) -> int:
        by = b % 2**width
        bits = a % 2**width
        if name == "shift_left":
            return bits << by if by < width else 0
        if name == "shift_right_logical":
            return bits >> by if by < width else 0
        signed = bits - 2**width if bits >= 2 ** (width - 1) else bits
        return signed >> min(by, width - 1)

    for name, got in zip(names, results, strict=True):
        agree(got, [wrap(want(name, a, b), dtype) for a, b in zip(left, right, strict=True)], f"{name} {dtype}")


@pytest.mark.parametrize("name", ["div", "remainder"])
@pytest.mark.parametrize("dtype", ["i4", "ui8", "si64"])
def test_a_zero_divisor_is_a_violation(name: str, dtype: str):
    t = spell([2], dtype)
    with pytest.raises(DivisionByZero) as caught:
        run([(array([1, 2], dtype), dtype), (array([1, 0], dtype), dtype)], (f"ptir.{name} %a, %b : {t}", t))
    assert caught.value.op is not None and caught.value.op.name == f"ptir.{name}"


def test_predicates():
    a, b = pairs([False, True])
    t = spell([4], "i1")
    names = {"and": operator.and_, "or": operator.or_, "xor": operator.xor}
    ops = [
        *((f"ptir.{n} %a, %b : {t}", t) for n in names),
        (f"ptir.not %a : {t}", t),
        (f"ptir.stop_gradient %a : {t}", t),
    ]
    *logic, inverted, same = run([(array(a, "i1"), "i1"), (array(b, "i1"), "i1")], *ops)
    for (name, oracle), got in zip(names.items(), logic, strict=True):
        agree(got, [oracle(x, y) for x, y in zip(a, b, strict=True)], name)
    agree(inverted, [not x for x in a])
    agree(same, a)


# --- floats -------------------------------------------------------------------------------------


def ordered(larger: bool) -> Callable[[float, float], float]:
    """Returns IEEE 754-2019 `maximum` or `minimum`: NaN if an operand is NaN, and -0 < +0."""

    def apply(a: float, b: float) -> float:
        if math.isnan(a) or math.isnan(b):
            return math.nan
        key = lambda v: (v, math.copysign(1, v))  # noqa: E731
        return max(a, b, key=key) if larger else min(a, b, key=key)

    return apply


def special(
    a: float, b: float, exactly: Callable[[float, float], float], ieee: Callable[[float, float], float]
) -> float:
    """Computes with rationals on finite operands, and with Python's IEEE floats on infinities, NaN and zeros."""
    if all(map(math.isfinite, (a, b))) and (value := exactly(a, b)) != 0:
        return value
    return ieee(a, b)


def ieee_divide(a: float, b: float) -> float:
    if b != 0:
        return a / b
    return math.nan if a == 0 or math.isnan(a) else math.copysign(math.inf, a) * math.copysign(1, b)


def fmod(a: float, b: float) -> float:
    return math.nan if math.isnan(a) or math.isnan(b) or math.isinf(a) or b == 0 else math.fmod(a, b)


def float_binary(dtype: str) -> dict[str, Callable[[float, float], float]]:
    """Returns the oracles of binary functions on values of a float type. A quotient that underflows has the sign of IEEE 754."""
    add, sub, mul = (exact(f, dtype) for f in (operator.add, operator.sub, operator.mul))
    div = exact(lambda p, q: p / q, dtype)
    return {
        "add": lambda a, b: special(a, b, add, operator.add),
        "sub": lambda a, b: special(a, b, sub, operator.sub),
        "mul": lambda a, b: special(a, b, mul, lambda x, y: nearest(x * y, dtype)),
        "div": lambda a, b: special(
            a, b, lambda x, y: div(x, y) if y else 0.0, lambda x, y: nearest(ieee_divide(x, y), dtype)
        ),
        "maximum": ordered(True),
        "minimum": ordered(False),
        "remainder": lambda a, b: nearest(fmod(a, b), dtype),
    }


def root(x: float, dtype: str) -> float:
    """Returns the correctly rounded square root, computed with twice as many digits and a sticky bit."""
    if math.isnan(x) or x < 0:
        return math.nan
    if x == 0 or math.isinf(x):
        return x
    scaled = Fraction(x) * 4**1200
    whole = math.isqrt(scaled.numerator // scaled.denominator)
    sticky = Fraction(whole) + (Fraction(1, 4) if Fraction(whole) ** 2 != scaled else 0)
    return nearest(sticky / 2**1200, dtype)


def whole(rounding: Callable[[float], int]) -> Callable[[float], float]:
    return lambda x: x if not math.isfinite(x) or x == 0 else math.copysign(float(rounding(x)), x)


def float_unary(dtype: str) -> dict[str, Callable[[float], float]]:
    return {
        "neg": lambda a: -a,
        "abs": abs,
        "sqrt": lambda a: root(a, dtype),
        "reciprocal": lambda a: float_binary(dtype)["div"](1.0, a),
        "floor": whole(math.floor),
        "ceil": whole(math.ceil),
        "round": whole(round),
        "sign": lambda a: a if a == 0 or math.isnan(a) else math.copysign(1.0, a),
        "stop_gradient": lambda a: a,
    }


@pytest.mark.parametrize("dtype", FLOATS)
def test_float_functions_that_are_correctly_rounded(dtype: str):
    some = [float(v) for v in values(dtype, 12)]
    if dtype == "f8E4M3FN":  # it has only 256 values
        some = numbers(np.arange(256, dtype=np.uint8).view(DTYPES[dtype]))
    t = spell([len(some)], dtype)
    unary = float_unary(dtype)
    for (name, oracle), got in zip(
        unary.items(), run([(array(some, dtype), dtype)], *((f"ptir.{n} %a : {t}", t) for n in unary)), strict=True
    ):
        agree(got, [nearest(oracle(v), dtype) for v in some], f"{name} {dtype}")
    left, right = pairs([float(v) for v in values(dtype, 4)])
    t = spell([len(left)], dtype)
    binary = float_binary(dtype)
    args = [(array(left, dtype), dtype), (array(right, dtype), dtype)]
    for (name, oracle), got in zip(
        binary.items(), run(args, *((f"ptir.{n} %a, %b : {t}", t) for n in binary)), strict=True
    ):
        agree(got, [nearest(oracle(a, b), dtype) for a, b in zip(left, right, strict=True)], f"{name} {dtype}")


def guarded(function: Callable[..., float], *special: tuple[float, float]) -> Callable[..., float]:
    """Wraps a function of `math`, with the results of IEEE 754 where it raises."""

    def apply(*args: float) -> float:
        for x, value in special:
            if args[0] == x:
                return value
        try:
            return function(*args)
        except OverflowError:
            return math.inf
        except ValueError:
            return math.nan

    return apply


def rsqrt(x: float) -> float:
    return math.nan if x < 0 else math.copysign(math.inf, x) if x == 0 else 0.0 if math.isinf(x) else 1 / math.sqrt(x)


def logistic(x: float) -> float:
    return 1 / (1 + math.exp(-x)) if x > -700 else math.exp(x)


TRANSCENDENTAL: dict[str, Callable[[float], float]] = {
    "exp": guarded(math.exp),
    "exp2": guarded(lambda x: math.pow(2.0, x)),
    "log": guarded(math.log, (0.0, -math.inf)),
    "tanh": math.tanh,
    "erf": math.erf,
    "rsqrt": rsqrt,
    "sin": guarded(math.sin),
    "cos": guarded(math.cos),
    "log1p": guarded(math.log1p, (-1.0, -math.inf)),
    "expm1": guarded(math.expm1),
    "erfc": math.erfc,
    "logistic": logistic,
}


@pytest.mark.parametrize("dtype", FLOATS)
def test_transcendental_functions(dtype: str):
    """Rounded once from float64, or within a few ulp of it."""
    some = [float(v) for v in values(dtype, 40)]
    if dtype.startswith("f8"):
        some = numbers(np.arange(256, dtype=np.uint8).view(DTYPES[dtype]))
    t = spell([len(some)], dtype)
    results = run([(array(some, dtype), dtype)], *((f"ptir.{n} %a : {t}", t) for n in TRANSCENDENTAL))
    for (name, oracle), got in zip(TRANSCENDENTAL.items(), results, strict=True):
        want = [math.nan if math.isnan(v) else oracle(v) for v in some]
        if dtype == "f64":
            near(got, want, 5 * 2.0**-52, name)
        else:
            agree(got, [nearest(v, dtype) for v in want], f"{name} {dtype}")


@pytest.mark.parametrize("dtype", FLOATS)
def test_powers(dtype: str):
    left, right = pairs([float(v) for v in values(dtype, 8)])
    t = spell([len(left)], dtype)

    def want(a: float, b: float) -> float:
        if a == 0 and b < 0:
            odd = math.isfinite(b) and b % 2 == 1
            return math.copysign(math.inf, a) if odd else math.inf
        try:
            return math.pow(a, b)
        except OverflowError:
            return -math.inf if a < 0 and b % 2 == 1 else math.inf
        except ValueError:
            return math.nan

    (got,) = run([(array(left, dtype), dtype), (array(right, dtype), dtype)], (f"ptir.pow %a, %b : {t}", t))
    wanted = [want(a, b) for a, b in zip(left, right, strict=True)]
    if dtype == "f64":
        near(got, wanted, 4 * 2.0**-52, "pow")
    else:
        agree(got, [nearest(v, dtype) for v in wanted], "pow")


@pytest.mark.parametrize("dtype", FLOATS)
def test_clamp_and_is_finite(dtype: str):
    """A lower bound above the upper one loses, and NaN is NaN whichever of the three it is."""
    some = [float(v) for v in values(dtype, 0)]
    x, rest = [a for a in some for _ in range(49)], [b for _ in some for b in pairs([*some[:5], math.nan, 1.0])[0]]
    hi = [b for _ in some for b in pairs([*some[:5], math.nan, 1.0])[1]]
    t = spell([len(x)], dtype)
    args = [(array(v, dtype), dtype) for v in (x, rest, hi)]
    clamped, finite = run(
        args,
        (f"ptir.clamp %a, %b, %c : {t}", t),
        (f"ptir.is_finite %a : {t} -> {spell([len(x)], 'i1')}", spell([len(x)], "i1")),
    )
    larger, smaller = ordered(True), ordered(False)
    agree(clamped, [smaller(larger(a, b), c) for a, b, c in zip(x, rest, hi, strict=True)], "clamp")
    agree(finite, [math.isfinite(a) for a in x], "is_finite")


@pytest.mark.parametrize("dtype", [t for t in INTEGERS if t.startswith(("s", "u"))])
def test_clamp_on_integers(dtype: str):
    some = integers(dtype, 2)
    x, lo = pairs(some)
    hi = lo[::-1]
    t = spell([len(x)], dtype)
    (got,) = run([(array(v, dtype), dtype) for v in (x, lo, hi)], (f"ptir.clamp %a, %b, %c : {t}", t))
    agree(got, [min(max(a, b), c) for a, b, c in zip(x, lo, hi, strict=True)])


# --- complex numbers ----------------------------------------------------------------------------

COMPLEX_UNARY: dict[str, Callable[[complex], complex]] = {
    "neg": operator.neg,
    "exp": cmath.exp,
    "log": cmath.log,
    "tanh": cmath.tanh,
    "rsqrt": lambda z: 1 / cmath.sqrt(z),
    "reciprocal": lambda z: 1 / z,
    "sqrt": cmath.sqrt,
    "sin": cmath.sin,
    "cos": cmath.cos,
    "sign": lambda z: z / abs(z),
    "log1p": lambda z: cmath.log(1 + z),
    "expm1": lambda z: cmath.exp(z) - 1,
    "logistic": lambda z: 1 / (1 + cmath.exp(-z)),
    "stop_gradient": lambda z: z,
}
COMPLEX_BINARY: dict[str, Callable[[complex, complex], complex]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": operator.truediv,
    "pow": operator.pow,
}


@pytest.mark.parametrize("dtype", COMPLEX)
def test_complex_functions(dtype: str):
    rng = np.random.default_rng(3)
    single = COMPLEX[dtype]
    left, right = (
        [complex(nearest(float(a), single), nearest(float(b), single)) for a, b in rng.uniform(-3, 3, (30, 2))]
        for _ in "ab"
    )
    t = spell([30], dtype)
    args = [(array(left, dtype), dtype), (array(right, dtype), dtype)]
    unary = [(f"ptir.{n} %a : {t}", t) for n in COMPLEX_UNARY]
    binary = [(f"ptir.{n} %a, %b : {t}", t) for n in COMPLEX_BINARY]
    results = run(args, *unary, *binary)
    want = [[f(a) for a in left] for f in COMPLEX_UNARY.values()]
    want += [[f(a, b) for a, b in zip(left, right, strict=True)] for f in COMPLEX_BINARY.values()]
    for name, got, wanted in zip([*COMPLEX_UNARY, *COMPLEX_BINARY], results, want, strict=True):
        near(got, wanted, 2.0**-22 if single == "f32" else 2.0**-46, f"{name} {dtype}")


# --- comparisons, selection, casts --------------------------------------------------------------

COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "lt": operator.lt, "le": operator.le, "eq": operator.eq, "ge": operator.ge, "gt": operator.gt, "ne": operator.ne,
}  # fmt: skip


@pytest.mark.parametrize("dtype", DTYPES)
def test_comparison_and_selection(dtype: str):
    some = values(dtype, 4)[:40]
    left, right = pairs(some)
    t, p = spell([len(left)], dtype), spell([len(left)], "i1")
    names = ("eq", "ne") if dtype in COMPLEX else tuple(COMPARISONS)
    chosen = [k % 3 == 0 for k in range(len(left))]
    args = [(array(left, dtype), dtype), (array(right, dtype), dtype), (array(chosen, "i1"), "i1")]
    ops = [(f"ptir.compare {n} %a, %b : {t} -> {p}", p) for n in names]
    *compared, selected = run(args, *ops, (f"ptir.select %c, %a, %b : {p}, {t}", t))
    for name, got in zip(names, compared, strict=True):
        agree(got, [COMPARISONS[name](a, b) for a, b in zip(left, right, strict=True)], f"{name} {dtype}")
    agree(selected, [a if c else b for a, b, c in zip(left, right, chosen, strict=True)], f"select {dtype}")


def converted(x: Any, target: str) -> Any:
    """Casts a Python number as in the contract."""
    if target == "i1":
        return x != 0
    if target in INTEGERS:
        if isinstance(x, float):
            low, high = INTEGERS[target]
            return (
                0 if math.isnan(x) else (high if x > 0 else low) if math.isinf(x) else saturate(math.trunc(x), target)
            )
        return saturate(int(x), target)
    return nearest(int(x) if isinstance(x, bool) else x, target)


@pytest.mark.parametrize("source", [t for t in DTYPES if t not in COMPLEX])
def test_casts(source: str):
    """Every type to every other: what lies halfway between two values of the target, and just beside, is among them."""
    some = values(source, 30)
    if source in FLOATS:
        halves = [
            s * (base + Fraction(1, 2) * step)
            for s in (1, -1)
            for base in (1, 2, 100, 255, 448)
            for step in (1, Fraction(1, 8), Fraction(1, 128))
        ]
        ends = [float(b) for low, high in INTEGERS.values() for b in (low, high, low - 1, high + 1)]
        some = [*some, *(nearest(h, source) for h in halves), *(nearest(e, source) for e in ends)]
        some += [v * (1 + 2.0**-40) for v in some if source == "f64"]  # beyond a tie by less than f32 can represent
        some = [v for v in some if FLOATS[source].infinite or not math.isinf(v)]
    targets = [t for t in DTYPES if t not in COMPLEX]
    t = spell([len(some)], source)
    ops = [(f"ptir.cast %a : {t} -> {spell([len(some)], target)}", spell([len(some)], target)) for target in targets]
    for target, got in zip(targets, run([(array(some, source), source)], *ops), strict=True):
        assert got.dtype == DTYPES[target]
        agree(got, [converted(v, target) for v in some], f"{source} to {target}")


def test_complex_casts_round_each_part():
    some = [complex(1 + 2**-24, -(1 + 2**-24 + 2**-40)), complex(1e300, -0.0), complex(math.nan, 2.0)]
    wide, narrow = spell([3], "complex<f64>"), spell([3], "complex<f32>")
    down, same = run(
        [(array(some, "complex<f64>"), "complex<f64>")],
        (f"ptir.cast %a : {wide} -> {narrow}", narrow),
        (f"ptir.cast %a : {wide} -> {wide}", wide),
    )
    agree(np.real(down), [nearest(z.real, "f32") for z in some])
    agree(np.imag(down), [nearest(z.imag, "f32") for z in some])
    agree(np.imag(same), [z.imag for z in some])
    (up,) = run([(down, "complex<f32>")], (f"ptir.cast %a : {narrow} -> {wide}", wide))
    agree(np.real(up), [nearest(z.real, "f32") for z in some])


# --- bits ---------------------------------------------------------------------------------------

CODES = {"i8": "b", "si8": "b", "ui8": "B", "i16": "h", "si16": "h", "ui16": "H", "i32": "i", "si32": "i", "ui32": "I",
         "i64": "q", "si64": "q", "ui64": "Q", "f16": "e", "f32": "f", "f64": "d"}  # fmt: skip


@pytest.mark.parametrize("source", CODES)
@pytest.mark.parametrize("target", CODES)
def test_bitcast(source: str, target: str):
    """As `struct` reads little-endian bytes."""
    old, new = (struct.calcsize(CODES[t]) for t in (source, target))
    some = [v for v in values(source, 8) if not (isinstance(v, float) and math.isnan(v))]
    some = some[: len(some) // max(new // old, 1) * max(new // old, 1)]
    sizes = [len(some) // (new // old), new // old] if new > old else [len(some)]
    kept = [sizes[0]] if new > old else [*sizes, old // new] if old > new else sizes
    x = array(some, source).reshape(sizes)
    (got,) = run(
        [(x, source)], (f"ptir.bitcast %a : {spell(sizes, source)} -> {spell(kept, target)}", spell(kept, target))
    )
    data = struct.pack(f"<{len(some)}{CODES[source]}", *some)
    agree(got, list(struct.unpack(f"<{len(data) // new}{CODES[target]}", data)), f"{source} to {target}")


def test_bitcast_of_types_that_struct_does_not_know():
    x = np.array([[0x21, 0x43], [0x8F, 0xF8]], np.uint8)
    nibbles, signed, pair, tiny = run(
        [(x, "ui8")],
        ("ptir.bitcast %a : tensor<2x2xui8> -> tensor<2x2x2xui4>", "tensor<2x2x2xui4>"),
        ("ptir.bitcast %a : tensor<2x2xui8> -> tensor<2x2x2xsi4>", "tensor<2x2x2xsi4>"),
        ("ptir.bitcast %a : tensor<2x2xui8> -> tensor<2xbf16>", "tensor<2xbf16>"),
        ("ptir.bitcast %a : tensor<2x2xui8> -> tensor<2x2xf8E5M2>", "tensor<2x2xf8E5M2>"),
    )
    agree(nibbles, [1, 2, 3, 4, 15, 8, 8, 15])
    agree(signed, [1, 2, 3, 4, -1, -8, -8, -1])
    assert pair.view(np.uint16).tolist() == [0x4321, 0xF88F] and tiny.view(np.uint8).tolist() == x.tolist()
    (back,) = run([(signed, "si4")], ("ptir.bitcast %a : tensor<2x2x2xsi4> -> tensor<2x2xui8>", "tensor<2x2xui8>"))
    assert back.tolist() == x.tolist()
    (same,) = run([(nibbles, "ui4")], ("ptir.bitcast %a : tensor<2x2x2xui4> -> tensor<2x2x2xsi4>", "tensor<2x2x2xsi4>"))
    agree(same, numbers(signed))


def test_a_bitcast_that_does_not_fit_in_a_run_is_an_error():
    text = """
    builtin.module attributes {ptir.extensions} { func.func @f(%a: tensor<2x?xui8>) -> tensor<2xui32> {
      %0 = ptir.bitcast %a : tensor<2x?xui8> -> tensor<2xui32>
      func.return %0 : tensor<2xui32>
    } }"""
    assert call(parse(text), "f", np.ones((2, 4), np.uint8))[0].tolist() == [0x01010101] * 2
    with pytest.raises(SizeMismatch, match=r"the last axis has size \[3\]"):
        call(parse(text), "f", np.ones((2, 3), np.uint8))


# --- shapes -------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", SHAPES)
def test_every_rank_and_size(shape: tuple[int, ...]):
    x = np.arange(1, 1 + math.prod(shape), dtype=np.float32).reshape(shape)
    t, p, n = (spell(shape, dtype) for dtype in ("f32", "i1", "si8"))
    ops = [
        (f"ptir.neg %a : {t}", t),
        (f"ptir.add %a, %b : {t}", t),
        (f"ptir.compare lt %a, %b : {t} -> {p}", p),
        (f"ptir.cast %a : {t} -> {n}", n),
        (f"ptir.clamp %a, %a, %b : {t}", t),
        (f"ptir.erfc %a : {t}", t),
        (f"ptir.is_finite %a : {t} -> {p}", p),
        (f"ptir.select %c, %a, %b : {p}, {t}", t),
    ]
    results = run([(x, "f32"), (x + 1, "f32"), (x > 1, "i1")], *ops)
    want: list[Any] = [-x, 2 * x + 1, np.ones(shape, bool), x, x, None, np.ones(shape, bool), np.where(x > 1, x, x + 1)]
    for (op, _), got, wanted in zip(ops, results, want, strict=True):
        assert got.shape == shape, op
        if wanted is not None:
            np.testing.assert_array_equal(got, wanted, op)


@pytest.mark.parametrize("op", ["compare lt %a, %b : tensor<?xf32> -> tensor<?xi1>", "select %p, %a, %b : tensor<?xi1>, tensor<?xf32>",
                                "add %a, %b : tensor<?xf32>"])  # fmt: skip
def test_nothing_broadcasts_at_run_time(op: str):
    result = "tensor<?xi1>" if "compare" in op else "tensor<?xf32>"
    signature = "(%a: tensor<?xf32>, %b: tensor<?xf32>, %p: tensor<?xi1>)"
    module = parse(f"func.func @f{signature} -> {result} {{ %r = ptir.{op} func.return %r : {result} }}")
    one, three = np.ones(1, np.float32), np.ones(3, np.float32)
    with pytest.raises(OperandShapesDiffer):
        call(module, "f", one, three, np.ones(3, bool))
    assert call(module, "f", three, three, np.ones(3, bool))[0].shape == (3,)


@pytest.mark.parametrize("dtype", ["f16", "f32", "f64", "complex<f32>", "complex<f64>"])
@pytest.mark.parametrize("word", ["eq", "ne", "lt"])
@pytest.mark.filterwarnings("error")
def test_signaling_nans_compare_without_a_warning(word: str, dtype: str):
    parts, width = 1 + dtype.startswith("complex"), int(dtype.rstrip(">")[-2:])
    if parts == 2 and word == "lt":
        return
    bits = {16: 0x7C01, 32: 0x7F800001, 64: 0x7FF0000000000001}[width]
    x = np.full(4 * parts, bits, f"u{width // 8}").view(f"{'c' if parts == 2 else 'f'}{width // 8 * parts}")
    (out,) = ptir.reference(
        f"""func.func @f(%x: tensor<4x{dtype}>) -> tensor<4xi1> {{
          %r = ptir.compare {word} %x, %x : tensor<4x{dtype}> -> tensor<4xi1>
          func.return %r : tensor<4xi1>
        }}""",
        x,
    )
    assert (out == (word == "ne")).all()
