"""
fp8 in kernels: the emulator, the interpreter and the definitions of the formats agree on all codes, ties, and casts from and to
other types. Casts do not saturate: beyond their ranges, f8E4M3FN is NaN and f8E5M2 is infinite.
"""

from __future__ import annotations

from collections.abc import Callable
from math import copysign, inf, isnan, ldexp, nan
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import ptir
from ptir.runtime.devices import Emulator
from ptir.semantics.arrays.scalars import cast
from ptir.semantics.bounds import check

from ..builders.elementwise import DTYPES, Op, emulated, program, same

FP8 = ("f8E4M3FN", "f8E5M2")
FRACTION = {"f8E4M3FN": (3, 7), "f8E5M2": (2, 15)}
"""For each format: the bits of the fraction, and the exponent's bias."""
LARGEST = {"f8E4M3FN": 0x7E, "f8E5M2": 0x7B}
CODES = np.arange(256, dtype=np.uint8)


def value_of(code: int, dtype: str) -> float:
    """Returns the value of a code by the OCP *8-bit Floating Point Specification*."""
    bits, bias = FRACTION[dtype]
    sign, rest = copysign(1.0, -(code >> 7)) if code >> 7 else 1.0, code & 0x7F
    exponent, fraction = rest >> bits, rest & (1 << bits) - 1
    if rest > LARGEST[dtype]:
        return sign * inf if (dtype, rest) == ("f8E5M2", 0x7C) else nan
    if exponent == 0:
        return sign * ldexp(fraction, 1 - bias - bits)
    return sign * ldexp((1 << bits) + fraction, exponent - bias - bits)


VALUES = {t: np.array([value_of(c, t) for c in range(256)]) for t in FP8}


def steps(dtype: str) -> Any:
    """Returns all finite values from 0 up, and the value that would follow the largest."""
    finite = VALUES[dtype][: LARGEST[dtype] + 1]
    return np.append(finite, 2 * finite[-1] - finite[-2])


def encoded(x: Any, dtype: str) -> Any:
    """Rounds float64 to the nearest value, ties to the even code. Overflow is NaN or infinity."""
    x = np.asarray(x, np.float64)
    table = steps(dtype)
    size = np.minimum(np.where(np.isnan(x), 0.0, np.abs(x)), table[-1])
    above = np.minimum(np.searchsorted(table, size, side="left"), len(table) - 1)
    below = np.maximum(above - 1, 0)
    middle = (table[above] + table[below]) / 2
    code = np.where((size > middle) | (size == table[above]) | (size == middle) & (above % 2 == 0), above, below)
    code = np.where(np.isnan(x), 0x7F, code)
    return (code | np.where(np.signbit(x), 0x80, 0)).astype(np.uint8).view(DTYPES[dtype])


def critical(dtype: str, carrier: Any) -> Any:
    """Returns values, ties and the adjacent values of `carrier`, of both signs, and infinities, NaN and values out of range."""
    table = steps(dtype)
    with np.errstate(all="ignore"):
        exact = np.concatenate([table, (table[1:] + table[:-1]) / 2]).astype(carrier)
        near = [exact, np.nextafter(exact, carrier(inf)), np.nextafter(exact, carrier(-inf))]
        rest = np.array([inf, nan, ml_dtypes.finfo(carrier).max, 1e-30, 5e-8, 1e6]).astype(carrier)
        x = np.concatenate([*near, rest])
        x = np.concatenate([x, -x])
    return np.concatenate([x, np.zeros(-x.size % 4, carrier)])


# --- the interpreter and the oracle -------------------------------------------------------------


@pytest.mark.parametrize("dtype", FP8)
def test_the_codes_mean_what_the_specification_says(dtype: str):
    with np.errstate(all="ignore"):
        same(CODES.view(DTYPES[dtype]).astype(np.float64), VALUES[dtype], dtype)


@pytest.mark.parametrize("dtype", FP8)
@pytest.mark.parametrize("carrier", [np.float64, np.float32, np.float16, ml_dtypes.bfloat16], ids=lambda t: t.__name__)
def test_the_interpreter_rounds_once_and_saturates_nothing(dtype: str, carrier: Any):
    x = critical(dtype, carrier)
    with np.errstate(all="ignore"):
        same(cast(x, np.dtype(DTYPES[dtype])), encoded(x.astype(np.float64), dtype), f"{carrier} to {dtype}")


def test_what_is_too_large():
    x = np.array([464.0, np.nextafter(464.0, 465.0), -465.0, inf, nan])
    assert [str(v) for v in cast(x, np.dtype(DTYPES["f8E4M3FN"]))] == ["448", "nan", "nan", "nan", "nan"]
    x = np.array([np.nextafter(61440.0, 0.0), 61440.0, -61440.0, inf, nan])
    assert [str(v) for v in cast(x, np.dtype(DTYPES["f8E5M2"]))] == ["57344", "inf", "-inf", "inf", "nan"]


# --- casts in kernels ---------------------------------------------------------------------------


@pytest.mark.sampled(3)
@pytest.mark.parametrize("arch", ["sm80", "sm90"])
@pytest.mark.parametrize("dtype", FP8)
def test_every_code_to_every_type(dtype: str, arch: str):
    x = CODES.view(DTYPES[dtype])
    targets = [t for t in DTYPES if t != dtype and not t.startswith("si")]
    ops: list[Op] = [(f"ptir.cast %x : <{dtype}> -> <{t}>", t) for t in targets]
    results = emulated(program({"x": dtype}, ops, (256,)), (x,), arch)
    for t, got in zip(targets, results, strict=True):
        numbers = VALUES[dtype]
        if t in FP8:
            want = encoded(numbers, t)
        elif np.dtype(DTYPES[t]).kind in "iu":
            info = np.iinfo(DTYPES[t])
            want = [0 if isnan(v) else min(max(v, info.min), info.max) for v in numbers]
            want = np.array([int(v) for v in want], DTYPES[t])
        else:
            with np.errstate(all="ignore"):
                want = numbers.astype(DTYPES[t])
        same(got, want, f"{dtype} to {t}")


@pytest.mark.parametrize("arch", ["sm80", "sm89"])
@pytest.mark.parametrize("source", ["f64", "f32", "f16", "bf16"])
def test_casts_of_floats(source: str, arch: str):
    for dtype in FP8:
        if source in ("f16", "bf16"):
            x = np.arange(1 << 16).astype(np.uint16).view(DTYPES[source])
        else:
            x = critical(dtype, DTYPES[source])
        (got,) = emulated(
            program({"x": source}, [(f"ptir.cast %x : <{source}> -> <{dtype}>", dtype)], x.shape), (x,), arch
        )
        with np.errstate(all="ignore"):
            same(got, encoded(x.astype(np.float64), dtype), f"{source} to {dtype}")


@pytest.mark.sampled(2)
@pytest.mark.parametrize("source", ["i1", "i8", "ui8", "i16", "ui16", "i32", "ui32", "i64", "ui64"])
def test_casts_of_integers(source: str):
    if source == "i1":
        x = np.arange(8) % 3 == 0
    else:
        info = np.iinfo(DTYPES[source])
        whole = [int(v) for t in FP8 for v in critical(t, np.float64) if np.isfinite(v) and abs(v) < 2**20]
        more = [s * (t + o) for s in (1, -1) for t in (464, 61440, 2**31, 2**62) for o in (-1, 0, 1)]
        fit = sorted({v for v in (*whole, *more, info.min, info.max) if info.min <= v <= info.max})
        x = np.array(fit + [0] * (-len(fit) % 4), DTYPES[source])
    ops: list[Op] = [(f"ptir.cast %x : <{source}> -> <{t}>", t) for t in FP8]
    for t, got in zip(FP8, emulated(program({"x": source}, ops, x.shape), (x,)), strict=True):
        same(got, encoded([float(v) for v in x], t), f"{source} to {t}")


# --- functions in kernels -----------------------------------------------------------------------


def ordered(a: Any, b: Any, first: Callable[[Any, Any], Any]) -> Any:
    """Returns max or min, where -0 < +0, and NaN if an operand is NaN."""
    picked = np.where(first(a, b) | (a == b) & first(np.signbit(b) * 1, np.signbit(a) * 1), a, b)
    return np.where(np.isnan(a) | np.isnan(b), nan, picked)


BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "maximum": lambda a, b: ordered(a, b, np.greater),
    "minimum": lambda a, b: ordered(a, b, np.less),
}
COMPARES: dict[str, Callable[[Any, Any], Any]] = {
    "lt": np.less,
    "ge": np.greater_equal,
    "eq": np.equal,
    "ne": np.not_equal,
}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("dtype", FP8)
def test_functions(dtype: str):
    """All pairs of codes; sums, products and quotients of fp8 are exact in float64, or no ties there."""
    x, y = (a.reshape(-1) for a in np.meshgrid(CODES, CODES, indexing="ij"))
    ops = [(f"ptir.{fn} %x, %y : <{dtype}>", dtype) for fn in BINARY]
    ops += [(f"ptir.compare {fn} %x, %y : <{dtype}> -> <i1>", "i1") for fn in COMPARES]
    ops += [(f"ptir.neg %x : <{dtype}>", dtype), (f"ptir.abs %x : <{dtype}>", dtype)]
    results = emulated(program({"x": dtype, "y": dtype}, ops, x.shape), (x.view(DTYPES[dtype]), y.view(DTYPES[dtype])))
    a, b = VALUES[dtype][x], VALUES[dtype][y]
    with np.errstate(all="ignore"):
        wants = [encoded(f(a, b), dtype) for f in BINARY.values()]
        wants += [f(a, b) for f in COMPARES.values()]
        wants += [encoded(-a, dtype), encoded(np.abs(a), dtype)]
    for (op, _), got, want in zip(ops, results, wants, strict=True):
        same(got, want, op)


@pytest.mark.parametrize("dtype", FP8)
def test_transcendental_functions_and_constants(dtype: str):
    names = ("exp", "tanh", "rsqrt")
    lines = [f"%r{k} = ptir.{fn} %x : tensor<256x{dtype}>" for k, fn in enumerate(names)]
    types = ", ".join([f"tensor<256x{dtype}>"] * 4)
    text = f"""
    func.func @f(%x: tensor<256x{dtype}>) -> ({types}) {{
      {chr(10).join(lines)}
      %c = ptir.constant dense<0.2> : tensor<256x{dtype}>
      %p = ptir.compare gt %x, %c : tensor<256x{dtype}> -> tensor<256xi1>
      %r3 = ptir.select %p, %x, %c : tensor<256xi1>, tensor<256x{dtype}>
      func.return %r0, %r1, %r2, %r3 : {types}
    }}"""
    x = CODES.view(DTYPES[dtype])
    results = ptir.compile(text, device=Emulator())(x)
    for got, interval in zip(results, ptir.bounds(text, x), strict=True):
        assert check(got, interval).ok
    a, fifth = VALUES[dtype], float(encoded(0.2, dtype).astype(np.float64))
    with np.errstate(all="ignore"):
        same(results[3], encoded(np.where(a > fifth, a, fifth), dtype), "select")
        exact = encoded(np.tanh(a), dtype).astype(np.float64)
    assert np.nanmax(np.abs(results[1].astype(np.float64) - exact)) <= 2.0**-3, "one unit in the last place of 1"


# --- epilogues ----------------------------------------------------------------------------------


@pytest.mark.sampled(2)
@pytest.mark.parametrize("arch", ["sm80", "sm90"])
@pytest.mark.parametrize("n", [64, 36, 33])
def test_fp8_around_a_multiplication_of_bf16(n: int, arch: str):
    """A bias of fp8, a result of each kind; integers, so that sums are exact and only the casts round."""
    f32, e4, e5 = (f"tensor<20x{n}x{t}>" for t in ("f32", *FP8))
    text = f"""
    func.func @f(%x: tensor<20x32xbf16>, %w: tensor<32x{n}xbf16>, %b: tensor<{n}xf8E5M2>) -> ({e4}, {e5}) {{
      %0 = ptir.dot_general %x, %w contract [1] x [0] accum f32 out f32 : (tensor<20x32xbf16>, tensor<32x{n}xbf16>) -> {f32}
      %1 = ptir.cast %b : tensor<{n}xf8E5M2> -> tensor<{n}xf32>
      %2 = ptir.broadcast_to %1 : tensor<{n}xf32> -> {f32}
      %3 = ptir.add %0, %2 : {f32}
      %4 = ptir.cast %3 : {f32} -> {e4}
      %5 = ptir.cast %3 : {f32} -> {e5}
      func.return %4, %5 : {e4}, {e5}
    }}"""
    rng = np.random.default_rng(n)
    x, w = (rng.integers(-9, 10, s).astype(ml_dtypes.bfloat16) for s in ((20, 32), (32, n)))
    b = encoded(rng.choice([0.0, 3.0, 40.0, -256.0], n), "f8E5M2")
    total = x.astype(np.float64) @ w.astype(np.float64) + b.astype(np.float64)
    assert (np.abs(total) > 464).any()
    for got, t in zip(emulated(text, (x, w, b), arch), FP8, strict=True):
        same(got, encoded(total, t), t)


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("a", "b"), [(a, b) for a in FP8 for b in FP8])
def test_fp8_from_memory_to_memory(a: str, b: str):
    """Multiplied by wgmma, in each pair of kinds; a bias of fp8 is added, and the sum leaves as fp8."""
    m, n, k = 40, 48, 96
    text = f"""
    func.func @f(%x: tensor<{m}x{k}x{a}>, %w: tensor<{n}x{k}x{b}>, %b: tensor<{n}x{b}>) -> tensor<{m}x{n}x{a}> {{
      %0 = ptir.dot_general %x, %w contract [1] x [1] accum f32 out f32
         : (tensor<{m}x{k}x{a}>, tensor<{n}x{k}x{b}>) -> tensor<{m}x{n}xf32>
      %1 = ptir.cast %b : tensor<{n}x{b}> -> tensor<{n}xf32>
      %2 = ptir.broadcast_to %1 : tensor<{n}xf32> -> tensor<{m}x{n}xf32>
      %3 = ptir.add %0, %2 : tensor<{m}x{n}xf32>
      %4 = ptir.cast %3 : tensor<{m}x{n}xf32> -> tensor<{m}x{n}x{a}>
      func.return %4 : tensor<{m}x{n}x{a}>
    }}"""
    planned = ptir.PassManager("ptir-to-tiny,form-regions,plan-regions{arch=sm90 roles=true}").run(ptir.parse(text))
    rng = np.random.default_rng(0)
    x, w = (rng.integers(-12, 13, s).astype(np.float64) for s in ((m, k), (n, k)))
    bias = rng.choice([0.0, 3.0, 40.0, -256.0], n)
    arrays = encoded(x, a), encoded(w, b), encoded(bias, b)
    x, w, bias = (v.astype(np.float64) for v in arrays)
    total = x @ w.T + bias
    assert (np.abs(total) > 464).any()
    compiled = ptir.compile(planned, arch="sm90", device=Emulator())
    kinds = [{"f8E4M3FN": "e4m3", "f8E5M2": "e5m2"}[t] for t in (a, b)]
    assert any(f"k32.f32.{p}.{q}" in compiled.program.binary.ptx for p, q in (kinds, kinds[::-1]))
    (got,) = compiled(*arrays)
    same(got, encoded(total, a), f"{a} x {b}")
