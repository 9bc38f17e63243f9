"""Oracles for the tests of the `ptir` interpreter: element types, boundary and random values, and rounding in rationals."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import ml_dtypes
import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import Builtin, ModuleOp
from xdsl.dialects.func import Func
from xdsl.parser import Parser

from ptir.dialects.ptir import PTIR
from ptir.semantics.interpreter import call


class Float(NamedTuple):
    """A binary format: precision in bits, the least and the largest exponent of a normal number, and the largest value."""

    digits: int
    least: int
    largest: Fraction
    infinite: bool = True


def _largest(digits: int, exponent: int) -> Fraction:
    return (2 - Fraction(2) ** (1 - digits)) * Fraction(2) ** exponent


FLOATS: dict[str, Float] = {
    "f8E4M3FN": Float(4, -6, Fraction(448), infinite=False),
    "f8E5M2": Float(3, -14, Fraction(57344)),
    "bf16": Float(8, -126, _largest(8, 127)),
    "f16": Float(11, -14, _largest(11, 15)),
    "f32": Float(24, -126, _largest(24, 127)),
    "f64": Float(53, -1022, _largest(53, 1023)),
}
INTEGERS: dict[str, tuple[int, int]] = {
    **{f"{sign}{w}": (-(2 ** (w - 1)), 2 ** (w - 1) - 1) for w in (4, 8, 16, 32, 64) for sign in ("i", "si")},
    **{f"ui{w}": (0, 2**w - 1) for w in (4, 8, 16, 32, 64)},
}
COMPLEX: dict[str, str] = {"complex<f32>": "f32", "complex<f64>": "f64"}
DTYPES: dict[str, Any] = {
    "i1": np.dtype(np.bool_),
    "f8E4M3FN": np.dtype(ml_dtypes.float8_e4m3fn),
    "f8E5M2": np.dtype(ml_dtypes.float8_e5m2),
    "bf16": np.dtype(ml_dtypes.bfloat16),
    "f16": np.dtype(np.float16),
    "f32": np.dtype(np.float32),
    "f64": np.dtype(np.float64),
    "complex<f32>": np.dtype(np.complex64),
    "complex<f64>": np.dtype(np.complex128),
    **{f"{s}4": np.dtype(ml_dtypes.int4) for s in ("i", "si")},
    "ui4": np.dtype(ml_dtypes.uint4),
    **{f"{s}{w}": np.dtype(f"int{w}") for w in (8, 16, 32, 64) for s in ("i", "si")},
    **{f"ui{w}": np.dtype(f"uint{w}") for w in (8, 16, 32, 64)},
}
SHAPES = [(), (0,), (1,), (3,), (2, 0, 3), (1, 2, 1, 2), (2, 1, 2, 1, 3)]
"""Shapes of ranks 0 to 5, also with sizes 0 and 1."""


def nearest(x: Any, dtype: str) -> float:
    """Rounds a Python number to the nearest value of a float type, ties to even. Overflow is infinite, or NaN in f8E4M3FN."""
    digits, least, largest, infinite = FLOATS[dtype]
    if isinstance(x, float) and (math.isnan(x) or math.isinf(x)):
        return x if infinite or math.isnan(x) else math.nan
    if x == 0:
        return x if isinstance(x, float) else 0.0
    exact, sign = abs(Fraction(x)), -1 if x < 0 else 1
    exponent = exact.numerator.bit_length() - exact.denominator.bit_length()
    exponent -= exact < Fraction(2) ** exponent
    step = Fraction(2) ** (max(exponent, least) - digits + 1)
    rounded = round(exact / step) * step  # Python rounds ties of rationals to even
    if rounded > largest:
        return sign * math.inf if infinite else math.nan
    return math.copysign(float(rounded), sign)


def wrap(x: int, dtype: str) -> int:
    low, high = INTEGERS[dtype]
    return (x - low) % (high - low + 1) + low


def saturate(x: int, dtype: str) -> int:
    low, high = INTEGERS[dtype]
    return min(max(x, low), high)


def integers(dtype: str, count: int = 12, seed: int = 0) -> list[int]:
    """Returns the extremes of an integer type, numbers near these and near zero, and some others."""
    low, high = INTEGERS[dtype]
    rng = np.random.default_rng(seed)
    others = [low + int(u * (high - low)) for u in rng.random(count)]
    values = [low, low + 1, -2, -1, 0, 1, 2, 3, 5, high // 2, high - 1, high, *others]
    return sorted({v for v in values if low <= v <= high})


def floats(dtype: str, count: int = 24, seed: int = 0) -> list[float]:
    """Returns zeros, infinities, NaN, the extremes of a float type, halves, and numbers of all magnitudes."""
    digits, least, largest, infinite = FLOATS[dtype]
    rng = np.random.default_rng(seed)
    tiny = float(Fraction(2) ** (least - digits + 1))
    ends = [float(largest), tiny, 3 * tiny, float(Fraction(2) ** least), 0.0]
    small = [0.5, 1.0, 1.5, 2.5, 3.0, 1 + 2.0 ** (1 - digits)]
    scale = np.exp2(rng.uniform(least / 2, -least / 2, count))
    others = [nearest(float(v), dtype) for v in rng.uniform(1, 2, count) * scale]
    others += [nearest(float(v), dtype) for v in rng.normal(size=count)]
    both = [s * v for v in (*ends, *small, *others) if not math.isnan(v) for s in (1, -1)]
    return [*both, *([math.inf, -math.inf] if infinite else []), math.nan]


def values(dtype: str, count: int = 24, seed: int = 0) -> list[Any]:
    """Returns such values of any element type."""
    if dtype == "i1":
        return [False, True]
    if dtype in INTEGERS:
        return list(integers(dtype, count, seed))
    if dtype in COMPLEX:
        parts = [v for v in floats(COMPLEX[dtype], 6, seed) if math.isfinite(v) and (v == 0 or 1e-9 < abs(v) < 1e9)]
        return [complex(a, b) for a in parts for b in parts[::3]]
    return list(floats(dtype, count, seed))


def array(values: Sequence[Any], dtype: str) -> np.ndarray:
    """Converts Python numbers to an array of a type that represents them exactly."""
    if dtype in INTEGERS:
        return np.array(values, np.uint64 if INTEGERS[dtype][0] == 0 else np.int64).astype(DTYPES[dtype])
    if dtype in FLOATS:
        return np.array(values, np.float64).astype(DTYPES[dtype])
    return np.array(values, DTYPES[dtype])


def numbers(x: np.ndarray) -> list[Any]:
    """Converts an array to Python numbers."""
    if x.dtype.kind == "b":
        return [bool(v) for v in x.reshape(-1)]
    if x.dtype.kind == "c":
        return [complex(v) for v in x.reshape(-1)]
    if x.dtype.kind in "iu" or x.dtype in (DTYPES["i4"], DTYPES["ui4"]):
        return [int(v) for v in x.reshape(-1)]
    return [float(v) for v in x.reshape(-1)]


def pairs(of: Sequence[Any]) -> tuple[list[Any], list[Any]]:
    """Returns two lists that pair every value with every value."""
    return [a for a in of for _ in of], [b for _ in of for b in of]


def spell(sizes: Sequence[int | str], dtype: str) -> str:
    return f"tensor<{''.join(f'{s}x' for s in sizes)}{dtype}>"


def parse(text: str) -> ModuleOp:
    ctx = Context()
    for dialect in (Builtin, Func, PTIR):
        ctx.load_dialect(dialect)
    module = Parser(ctx, text).parse_module()
    module.verify()
    return module


def program(args: Sequence[str], ops: Sequence[tuple[str, Sequence[str]]]) -> str:
    """Returns a function of arguments %a, %b, … of these types. Each op is its text and the types of its results, all returned."""
    signature = ", ".join(f"%{chr(97 + k)}: {t}" for k, t in enumerate(args))
    results = [f"%r{k}_{i}" for k, (_, types) in enumerate(ops) for i in range(len(types))]
    types = ", ".join(t for _, of in ops for t in of)
    lines: list[str] = []
    for k, (text, of) in enumerate(ops):
        lines.append(f"  {', '.join(f'%r{k}_{i}' for i in range(len(of)))} = {text}")
    body = "\n".join(lines)
    return (
        f"builtin.module attributes {{ptir.extensions}} {{\nfunc.func @f({signature}) -> ({types}) {{\n{body}\n"
        f"  func.return {', '.join(results)} : {types}\n}}\n}}"
    )


def run(args: Sequence[tuple[np.ndarray, str]], *ops: tuple[str, str]) -> list[np.ndarray]:
    """Runs ops on arrays %a, %b, … with element types. An op is its text, and the type or types of its results."""
    types = [spell(a.shape, t) for a, t in args]
    text = program(types, [(op, result.split(", ")) for op, result in ops])
    return list(call(parse(text), "f", *(a for a, _ in args)))


def agree(got: np.ndarray, want: Sequence[Any], what: str = "") -> None:
    """Requires equal values in order. NaNs are equal, zeros of different signs are not."""
    have = numbers(got)
    assert len(have) == len(want), what
    for k, (g, w) in enumerate(zip(have, want, strict=True)):
        assert _same(g, w), f"{what}: element {k} is {g!r}, not {w!r}"


def _same(got: Any, want: Any) -> bool:
    if isinstance(want, float):
        if math.isnan(want):
            return math.isnan(got)
        return got == want and math.copysign(1, got) == math.copysign(1, want)
    return got == want


def near(got: np.ndarray, want: Sequence[Any], relative: float, what: str = "") -> None:
    """Requires values with a relative error of at most `relative`, and infinities and NaN at the same places."""
    have = numbers(got)
    assert len(have) == len(want), what
    for k, (g, w) in enumerate(zip(have, want, strict=True)):
        finite = np.isfinite(w)
        ok = abs(g - w) <= relative * abs(w) if finite else (g == w or (np.isnan(g) and np.isnan(w)))
        assert ok, f"{what}: element {k} is {g!r}, not {w!r}"


def exact(function: Callable[..., Fraction], dtype: str) -> Callable[..., float]:
    """Converts a function of rationals to one of finite floats, which rounds once."""
    return lambda *args: nearest(function(*map(Fraction, args)), dtype)
