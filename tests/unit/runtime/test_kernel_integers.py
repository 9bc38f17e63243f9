"""
Integers in elementwise kernels: the emulator, the interpreter and Python's integers agree on all boundary values.

Signless and `si` integers are signed. Sums wrap. Casts saturate, convert NaN to 0, and round integers to the nearest float.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf, isnan, nan
from typing import Any

import numpy as np
import pytest

import ptir
from ptir.dialects.plan.schedule import Vectorize
from ptir.runtime.devices import Emulator

from ..builders.elementwise import DTYPES, FLOATS, Op, emulated, nearest, pairs, program, same
from ..builders.programs import Draft, planned

pytestmark = pytest.mark.sampled(4)

INTEGERS = ("i8", "ui8", "i16", "ui16", "i32", "ui32", "i64", "ui64")
SINGLE, VECTORS = (121,), (11, 12)
"""Shapes that are accessed by single elements, and by vectors."""


def limits(dtype: str) -> tuple[int, int]:
    info = np.iinfo(DTYPES[dtype])
    return int(info.min), int(info.max)


def wrapped(number: int, dtype: str) -> int:
    low, high = limits(dtype)
    return (number - low) % (high - low + 1) + low


def clamped(number: int, dtype: str) -> int:
    low, high = limits(dtype)
    return min(max(number, low), high)


def boundaries(dtype: str, count: int) -> list[int]:
    """Returns the extremes of a type and of narrower ones, and numbers near zero."""
    low, high = limits(dtype)
    near = [low, high, 0, 1, -1, high - 1, low + 1, 2, 3, -3, high // 2 + 1, high // 3, 127, 128, 255, -128]
    return [v for v in dict.fromkeys(near) if low <= v <= high][:count]


def operands(dtype: str, sizes: Sequence[int]) -> tuple[Any, Any]:
    total = int(np.prod(sizes))
    x, y = pairs(boundaries(dtype, 12), dtype)
    more = np.random.default_rng(0).integers(*limits(dtype), (2, total), dtype=DTYPES[dtype], endpoint=True)
    return tuple(np.concatenate([a, m])[:total].reshape(sizes) for a, m in zip((x, y), more, strict=True))


# --- functions ----------------------------------------------------------------------------------

FUNCTIONS: dict[str, Callable[[int, int], int]] = {
    "ptir.add %x, %y": lambda a, b: a + b,
    "ptir.sub %x, %y": lambda a, b: a - b,
    "ptir.mul %x, %y": lambda a, b: a * b,
    "ptir.maximum %x, %y": max,
    "ptir.minimum %x, %y": min,
    "ptir.neg %x": lambda a, b: -a,
    "ptir.abs %x": lambda a, b: abs(a),
    "ptir.clamp %x, %y, %x": lambda a, b: min(max(a, b), a),
}
COMPARES: dict[str, Callable[[int, int], bool]] = {
    "lt": int.__lt__,
    "le": int.__le__,
    "eq": int.__eq__,
    "ne": int.__ne__,
    "ge": int.__ge__,
    "gt": int.__gt__,
}


@pytest.mark.sampled(6)
@pytest.mark.parametrize(
    ("dtype", "sizes"),
    [*((t, VECTORS) for t in (*INTEGERS, "si8", "si32")), *((t, SINGLE) for t in ("i8", "ui16", "i64"))],
)
def test_functions(dtype: str, sizes: tuple[int, ...]):
    x, y = operands(dtype, sizes)
    p = (np.arange(x.size) % 3 == 0).reshape(sizes)
    ops = [(f"{op} : <{dtype}>", dtype) for op in FUNCTIONS]
    ops += [(f"ptir.compare {c} %x, %y : <{dtype}> -> <i1>", "i1") for c in COMPARES]
    ops += [(f"ptir.select %p, %x, %y : <i1>, <{dtype}>", dtype)]
    results = emulated(program({"x": dtype, "y": dtype, "p": "i1"}, ops, sizes), (x, y, p))
    lanes = [(int(a), int(b)) for a, b in zip(x.flat, y.flat, strict=True)]
    wants = [[wrapped(f(a, b), dtype) for a, b in lanes] for f in FUNCTIONS.values()]
    wants += [[f(a, b) for a, b in lanes] for f in COMPARES.values()]
    wants += [[a if c else b for (a, b), c in zip(lanes, p.flat, strict=True)]]
    for (op, t), got, want in zip(ops, results, wants, strict=True):
        same(got, np.array(want, DTYPES[t]).reshape(sizes), op)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("dtype", INTEGERS)
def test_constants(dtype: str):
    """Every boundary as a literal: one that is added, and one that is compared with."""
    x, _ = operands(dtype, SINGLE)
    numbers = boundaries(dtype, 7)
    lines: list[str] = []
    for k, v in enumerate(numbers):
        lines.append(f"  %c{k} = ptir.constant dense<{v}> : tensor<121x{dtype}>")
        lines.append(f"  %s{k} = ptir.add %x, %c{k} : tensor<121x{dtype}>")
        lines.append(f"  %m{k} = ptir.maximum %s{k}, %c{k} : tensor<121x{dtype}>")
        lines.append(f"  %p{k} = ptir.compare lt %m{k}, %c{k} : tensor<121x{dtype}> -> tensor<121xi1>")
        lines.append(f"  %r{k} = ptir.select %p{k}, %x, %m{k} : tensor<121xi1>, tensor<121x{dtype}>")
    results = ", ".join(f"%r{k}" for k in range(len(numbers)))
    types = ", ".join([f"tensor<121x{dtype}>"] * len(numbers))
    head = f"func.func @f(%x: tensor<121x{dtype}>) -> ({types}) {{"
    text = "\n".join([head, *lines, f"  func.return {results} : {types}", "}", ""])
    got = emulated(text, (x,))
    tiles = ptir.PassManager("ptir-to-tiny,form-regions,plan-regions{arch=sm80},region-to-pto").run(ptir.parse(text))
    for array, by_tiles in zip(got, ptir.reference(tiles, x), strict=True):
        same(array, by_tiles, "the interpreter of the tile program")
    for v, array in zip(numbers, got, strict=True):
        want = [max(wrapped(int(a) + v, dtype), v) for a in x]
        same(array, np.array(want, DTYPES[dtype]), f"{dtype} and {v}")


# --- casts --------------------------------------------------------------------------------------


@pytest.mark.sampled(3)
@pytest.mark.parametrize("source", ["i1", *INTEGERS])
def test_casts_of_integers(source: str):
    sizes = VECTORS
    x = np.arange(132).reshape(sizes) % 2 == 0 if source == "i1" else operands(source, sizes)[0]
    if source in ("i32", "ui32", "i64", "ui64"):  # ties of every float type, and what is near them
        low, high = limits(source)
        ties = [s * (((1 << d) + o << w) + (1 << w - 1) + e) for d in (7, 10, 23) for w in (2, 8, 22, 30) for o in (0, 1)
                for e in (-1, 0, 1) for s in (1, -1)]  # fmt: skip
        fit = [t for t in ties if low <= t <= high][:90]
        x.reshape(-1)[: len(fit)] = fit
    targets = [t for t in (*INTEGERS, *FLOATS, "i1") if t != source]
    ops: list[Op] = [(f"ptir.cast %x : <{source}> -> <{t}>", t) for t in targets]
    results = emulated(program({"x": source}, ops, sizes), (x,))
    for t, got in zip(targets, results, strict=True):
        numbers = [int(v) for v in x.flat]
        if t in FLOATS:
            want = [nearest(v, t) for v in numbers]
        else:
            want = [v != 0 if t == "i1" else clamped(v, t) for v in numbers]
        same(got, np.array(want).astype(DTYPES[t]).reshape(sizes), f"{source} to {t}")


def floats(source: str) -> Any:
    """Returns numbers on both sides of the extremes of all integer types, halves, zeros, subnormals, infinities and NaN."""
    dtype = DTYPES[source]
    ends = [
        float(s * (2**k + o)) for k in (7, 8, 15, 16, 31, 32, 63, 64) for o in (-1, -0.5, 0, 0.5, 1) for s in (1, -1)
    ]
    rest = [0.0, -0.0, 0.5, -0.5, 0.99, -0.99, 1.5, -1.5, 2.5, 1e-40, -5e-324, 1e300, -1e300, inf, -inf, nan]
    with np.errstate(over="ignore"):
        near = np.array([*ends, *rest]).astype(dtype)
    steps = [np.nextafter(near, dtype(to)) for to in (inf, -inf)]
    x = np.concatenate([near, *steps]).astype(dtype)
    return x[: x.size // 4 * 4]


@pytest.mark.parametrize("source", FLOATS)
def test_casts_of_floats(source: str):
    x = floats(source)
    targets = (*INTEGERS, "i1")
    ops: list[Op] = [(f"ptir.cast %x : <{source}> -> <{t}>", t) for t in targets]
    results = emulated(program({"x": source}, ops, x.shape), (x,))
    for t, got in zip(targets, results, strict=True):
        numbers = [float(v) for v in x]
        if t == "i1":
            want = [v != 0 for v in numbers]
        else:
            low, high = limits(t)
            want = [0 if isnan(v) else low if v < low else high if v >= high + 1 else int(v) for v in numbers]
        same(got, np.array(want, DTYPES[t]), f"{source} to {t}")


# --- vectors ------------------------------------------------------------------------------------


@pytest.mark.parametrize("width", [1, 2, 4, 8, 16])
def test_vectors_of_every_width(width: int):
    """8 bytes of i8 beside 16 bytes of i64, by the plan."""
    d = Draft()
    x, y = d.arg(5, 24, dtype="i8"), d.arg(5, 24, dtype="i64")
    d.results = (d.binary("add", d.cast(x, "i64"), y), d.cast(d.binary("mul", x, x), "ui16"))
    run = ptir.compile(planned(d, tile=(1, 24), vectorize=Vectorize(axis="n.i.i", width=width)), device=Emulator())
    rng = np.random.default_rng(width)
    arrays = [rng.integers(-128, 128, (5, 24), DTYPES["i8"]), rng.integers(-(2**62), 2**62, (5, 24))]
    total, square = run(*arrays)
    same(total, arrays[0].astype(np.int64) + arrays[1], "i8 + i64")
    product = [max(0, wrapped(int(a) ** 2, "i8")) for a in arrays[0].flat]
    same(square, np.array(product, np.uint16).reshape(5, 24), "i8 * i8 as ui16")
    widths = {1: 1, 2: 2, 4: 4, 8: 8, 16: 8}[width]
    narrow = "vec<u8, 2>" if widths == 2 else f"vec<u32, {max(1, widths // 4)}>"  # as words, if they fill some
    assert (f"*(const {narrow}*)(a0" in run.program.cuda) == (width > 1)
    assert (f"vec<u64, {min(widths, 2)}>" in run.program.cuda) == (width > 1)
    assert "vec<u64, 4>" not in run.program.cuda, "16 bytes are the most that one instruction moves"


@pytest.mark.parametrize("n", [64, 36, 33])
def test_the_sums_of_a_multiplication_of_integers(n: int):
    """An epilogue that computes with i32 sums, wraps, and narrows them to 8, 16 and 64 bits."""
    text = f"""
    func.func @f(%x: tensor<20x32xi8>, %w: tensor<32x{n}xi8>, %b: tensor<{n}xi32>)
        -> (tensor<20x{n}xi8>, tensor<20x{n}xi32>, tensor<20x{n}xbf16>, tensor<20x{n}xi64>) {{
      %0 = ptir.dot_general %x, %w contract [1] x [0] accum i32 out i32
         : (tensor<20x32xi8>, tensor<32x{n}xi8>) -> tensor<20x{n}xi32>
      %1 = ptir.broadcast_to %b : tensor<{n}xi32> -> tensor<20x{n}xi32>
      %2 = ptir.add %0, %1 : tensor<20x{n}xi32>
      %3 = ptir.cast %2 : tensor<20x{n}xi32> -> tensor<20x{n}xi8>
      %4 = ptir.mul %2, %0 : tensor<20x{n}xi32>
      %5 = ptir.cast %0 : tensor<20x{n}xi32> -> tensor<20x{n}xbf16>
      %6 = ptir.cast %0 : tensor<20x{n}xi32> -> tensor<20x{n}xi64>
      func.return %3, %4, %5, %6
        : tensor<20x{n}xi8>, tensor<20x{n}xi32>, tensor<20x{n}xbf16>, tensor<20x{n}xi64>
    }}"""
    rng = np.random.default_rng(n)
    x, w = (rng.integers(-128, 128, s, np.int8) for s in ((20, 32), (32, n)))
    b = rng.integers(-(2**31), 2**31, n, np.int32)
    results = emulated(text, (x, w, b))
    sums = [[sum(int(x[i, k]) * int(w[k, j]) for k in range(32)) for j in range(n)] for i in range(20)]
    biased = [[wrapped(c + int(b[j]), "i32") for j, c in enumerate(row)] for row in sums]
    wants = (
        [[clamped(c, "i8") for c in row] for row in biased],
        [
            [wrapped(c * d, "i32") for c, d in zip(left, right, strict=True)]
            for left, right in zip(biased, sums, strict=True)
        ],
        [[nearest(c, "bf16") for c in row] for row in sums],
        sums,
    )
    for got, want, t in zip(results, wants, ("i8", "i32", "bf16", "i64"), strict=True):
        same(got, np.array(want).astype(DTYPES[t]), t)


@pytest.mark.parametrize("n", [32, 36, 33])
def test_quantised_results_of_a_contraction(n: int):
    """Integers go into the epilogue of a multiplication and come out of it, with tails of vectors and of elements."""
    text = f"""
    func.func @f(%x: tensor<20x16xbf16>, %w: tensor<16x{n}xbf16>, %z: tensor<20x{n}xi32>, %u: tensor<{n}xui8>)
        -> (tensor<20x{n}xi8>, tensor<20x{n}xi64>) {{
      %0 = ptir.dot_general %x, %w contract [1] x [0] accum f32 out f32
         : (tensor<20x16xbf16>, tensor<16x{n}xbf16>) -> tensor<20x{n}xf32>
      %1 = ptir.cast %z : tensor<20x{n}xi32> -> tensor<20x{n}xf32>
      %2 = ptir.add %0, %1 : tensor<20x{n}xf32>
      %3 = ptir.cast %2 : tensor<20x{n}xf32> -> tensor<20x{n}xi8>
      %4 = ptir.cast %0 : tensor<20x{n}xf32> -> tensor<20x{n}xi64>
      %5 = ptir.broadcast_to %u : tensor<{n}xui8> -> tensor<20x{n}xui8>
      %6 = ptir.cast %5 : tensor<20x{n}xui8> -> tensor<20x{n}xi64>
      %7 = ptir.mul %4, %6 : tensor<20x{n}xi64>
      func.return %3, %7 : tensor<20x{n}xi8>, tensor<20x{n}xi64>
    }}"""
    rng = np.random.default_rng(n)
    x, w = (rng.integers(-3, 4, s).astype(DTYPES["bf16"]) for s in ((20, 16), (16, n)))
    z, u = rng.integers(-200, 200, (20, n), np.int32), rng.integers(0, 256, n, np.uint8)
    quantised, scaled = emulated(text, (x, w, z, u))
    product = (x.astype(np.float64) @ w.astype(np.float64)).astype(np.int64)
    same(quantised, np.clip(product + z, -128, 127).astype(np.int8), "quantised")
    same(scaled, product * u.astype(np.int64), "scaled")
