"""Bitcasts in kernels preserve all bits, also of NaNs: all values of 8- and 16-bit types, and some of 32- and 64-bit types."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ptir
from ptir.runtime.devices import Emulator
from ptir.semantics.bounds import check

from ..builders.elementwise import DTYPES, Op, program

TYPES = {
    width: [t for t in DTYPES if t != "i1" and 8 * np.dtype(DTYPES[t]).itemsize == width] for width in (8, 16, 32, 64)
}


def patterns(dtype: str) -> Any:
    """Returns all values of a type, or many. Some arrays have odd lengths, so that vectors do not divide them."""
    bits = 8 * np.dtype(DTYPES[dtype]).itemsize
    if bits <= 16:
        return np.arange(1 << bits).astype(f"u{bits // 8}").view(DTYPES[dtype])
    x = np.random.default_rng(bits).integers(0, 1 << bits, 301, f"u{bits // 8}", endpoint=False)
    ones, fraction = (1 << bits) - 1, {32: 23, 64: 52}[bits]
    special = [
        0,
        1,
        ones,
        ones >> 1,
        1 << bits - 1,
        1 << fraction,
        (ones >> 1) - 1,
        (ones >> 1) ^ ((1 << fraction) - 1),
    ]
    x[: len(special)] = special
    return x.view(DTYPES[dtype])


def run(text: str, *arrays: Any, arch: str = "sm80") -> Any:
    return ptir.compile("builtin.module attributes {ptir.extensions} {" + text + "}", arch=arch, device=Emulator())(
        *arrays
    )


def same_bits(got: Any, want: Any, what: str) -> None:
    np.testing.assert_array_equal(*(np.ascontiguousarray(a).view(f"u{a.dtype.itemsize}") for a in (got, want)), what)


@pytest.mark.parametrize("source", [t for types in TYPES.values() for t in types])
def test_every_pair_of_types(source: str):
    x = patterns(source)
    targets = TYPES[8 * x.dtype.itemsize]
    ops: list[Op] = [(f"ptir.bitcast %x : <{source}> -> <{t}>", t) for t in targets]
    for t, got in zip(targets, run(program({"x": source}, ops, x.shape), x), strict=True):
        assert got.dtype == DTYPES[t]
        same_bits(got, x, f"{source} to {t}")


@pytest.mark.parametrize(
    ("whole", "part"), [("ui16", "bf16"), ("i16", "f16"), ("ui8", "f8E4M3FN"), ("i8", "f8E5M2"), ("i32", "f32")]
)
def test_there_and_back_in_one_kernel(whole: str, part: str):
    """No bit of a NaN is lost on the way, and the sign is that of the number."""
    x = patterns(whole)
    t, u = (f"tensor<{x.size}x{d}>" for d in (whole, part))
    text = f"""
    func.func @f(%x: {t}) -> ({t}, {u}) {{
      %0 = ptir.bitcast %x : {t} -> {u}
      %1 = ptir.bitcast %0 : {u} -> {t}
      %2 = ptir.add %1, %1 : {t}
      %3 = ptir.neg %0 : {u}
      func.return %2, %3 : {t}, {u}
    }}"""
    twice, negated = run(text, x)
    same_bits(twice, x + x, f"{whole} by way of {part}")
    numbers = x.view(DTYPES[part])
    with np.errstate(invalid="ignore"):
        known = ~np.isnan(numbers)
        same_bits(negated[known], -numbers[known], f"the opposite of {part}")


@pytest.mark.parametrize("dtype", ["bf16", "f8E5M2"])
def test_elements_loaded_one_by_one(dtype: str):
    """The elements of a padded and transposed operand have no place in a vector load."""
    bits = {"bf16": "ui16", "f8E5M2": "ui8"}[dtype]
    x = patterns(dtype).reshape(16, -1)
    m, n = x.shape
    text = f"""
    func.func @f(%x: tensor<{m}x{n}x{dtype}>, %y: tensor<{n + 1}x{m + 2}x{bits}>) -> tensor<{n + 1}x{m + 2}x{bits}> {{
      %0 = ptir.transpose %x [1, 0] : tensor<{m}x{n}x{dtype}> -> tensor<{n}x{m}x{dtype}>
      %1 = ptir.pad %0 with 1.0 : {dtype} low [1, 2] high [0, 0] interior [0, 0] : tensor<{n}x{m}x{dtype}> -> tensor<{n + 1}x{m + 2}x{dtype}>
      %2 = ptir.bitcast %1 : tensor<{n + 1}x{m + 2}x{dtype}> -> tensor<{n + 1}x{m + 2}x{bits}>
      %3 = ptir.xor %2, %y : tensor<{n + 1}x{m + 2}x{bits}>
      func.return %3 : tensor<{n + 1}x{m + 2}x{bits}>
    }}"""
    y = np.arange((n + 1) * (m + 2)).astype(DTYPES[bits]).reshape(n + 1, m + 2)
    padded = np.pad(
        x.T.view(DTYPES[bits]), ((1, 0), (2, 0)), constant_values=np.ones((), DTYPES[dtype]).view(DTYPES[bits])
    )
    (got,) = run(text, x, y)
    same_bits(got, padded ^ y, dtype)


@pytest.mark.parametrize("arch", ["sm80", "sm90"])
def test_bits_of_an_accumulator(arch: str):
    text = """
    func.func @f(%x: tensor<20x32xbf16>, %w: tensor<32x36xbf16>) -> tensor<20x36xsi32> {
      %0 = ptir.dot_general %x, %w contract [1] x [0] accum f32 out f32 : (tensor<20x32xbf16>, tensor<32x36xbf16>) -> tensor<20x36xf32>
      %1 = ptir.bitcast %0 : tensor<20x36xf32> -> tensor<20x36xsi32>
      func.return %1 : tensor<20x36xsi32>
    }"""
    rng = np.random.default_rng(0)
    x, w = (rng.integers(-9, 10, s).astype(DTYPES["bf16"]) for s in ((20, 32), (32, 36)))
    (got,) = run(text, x, w, arch=arch)
    same_bits(got, x.astype(np.float32) @ w.astype(np.float32), "integers")


@pytest.mark.parametrize(
    ("wide", "narrow"), [("f64", "ui8"), ("f32", "bf16"), ("i64", "f32"), ("si16", "f8E4M3FN"), ("f16", "i8")]
)
def test_elements_split_and_joined(wide: str, narrow: str):
    """The parts of an element are an axis, the lowest bits first."""
    x = patterns(wide)[-48:].copy()  # aligned
    parts = x.dtype.itemsize // np.dtype(DTYPES[narrow]).itemsize
    whole, split = f"tensor<48x{wide}>", f"tensor<48x{parts}x{narrow}>"
    text = f"""
    func.func @f(%x: {whole}, %y: {split}) -> ({split}, {whole}) {{
      %0 = ptir.bitcast %x : {whole} -> {split}
      %1 = ptir.bitcast %y : {split} -> {whole}
      func.return %0, %1 : {split}, {whole}
    }}"""
    y = x.view(DTYPES[narrow]).reshape(48, parts)
    there, back = run(text, x, y)
    same_bits(there, y, f"{wide} to {narrow}")
    same_bits(back, x, f"{narrow} to {wide}")
    checked = ptir.bounds("builtin.module attributes {ptir.extensions} {" + text + "}", x, y)
    assert all(check(got, want).ok for got, want in zip((there, back), checked, strict=True))
