"""
4-bit integers in kernels: all pairs of values through every function, against Python's integers and the reference; odd numbers
of elements, of which the last byte holds one; and arrays on the host, on a GPU and as bytes.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import ptir
from ptir.semantics.arrays.bits import pack, unpack
from ptir.semantics.errors import NoBounds

from ..builders.fake_driver import FakeDriver

pytestmark = pytest.mark.sampled(2)

DTYPES = {"si4": ml_dtypes.int4, "i4": ml_dtypes.int4, "ui4": ml_dtypes.uint4}
ARCHS = ("sm80", "sm90")


def values(dtype: str) -> list[int]:
    return list(range(16)) if dtype == "ui4" else list(range(-8, 8))


def wrapped(number: int, dtype: str) -> int:
    low = min(values(dtype))
    return (number - low) % 16 + low


def compiled(text: str, *arrays: Any, arch: str = "sm80") -> tuple[Any, ...]:
    """Returns the emulator's results. Requires that they equal the reference's, bit for bit."""
    results = ptir.compile(text, arch=arch, device=ptir.Emulator())(*arrays)
    for got, want in zip(results, ptir.reference(text, *arrays), strict=True):
        assert (np.asarray(got) == np.asarray(want)).all() and got.dtype == want.dtype and got.shape == want.shape
    return results


FUNCTIONS: dict[str, Callable[[int, int], int]] = {
    "add %x, %y": lambda a, b: a + b,
    "sub %x, %y": lambda a, b: a - b,
    "mul %x, %y": lambda a, b: a * b,
    "maximum %x, %y": max,
    "minimum %x, %y": min,
    "abs %x": lambda a, b: abs(a),
    "neg %x": lambda a, b: -a,
    "not %x": lambda a, b: ~a,
    "and %x, %y": lambda a, b: a & b,
    "or %x, %y": lambda a, b: a | b,
    "xor %x, %y": lambda a, b: a ^ b,
    "shift_left %x, %y": lambda a, b: a << (b & 15),
    "shift_right_logical %x, %y": lambda a, b: (a & 15) >> (b & 15),
    "shift_right_arithmetic %x, %y": lambda a, b: ((a & 15 ^ 8) - 8) >> (b & 15),
}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("dtype", DTYPES)
def test_every_pair_of_values(dtype: str):
    """Of 16 by 16 pairs without the last one: 255 elements, an odd number."""
    pairs = [(a, b) for a in values(dtype) for b in values(dtype)][:-1]
    x, y = (np.array(side, np.int8).astype(DTYPES[dtype]) for side in zip(*pairs, strict=True))
    functions = {k: v for k, v in FUNCTIONS.items() if dtype != "ui4" or k[:3] not in ("neg", "abs")}
    t = f"tensor<255x{dtype}>"
    ops = "\n".join(f"%{k} = ptir.{op} : {t}" for k, op in enumerate(functions))
    names = ", ".join(f"%{k}" for k in range(len(functions)))
    types = ", ".join([t] * len(functions))
    text = f"""module attributes {{ptir.extensions}} {{
      func.func @f(%x: {t}, %y: {t}) -> ({types}) {{
        {ops}
        func.return {names} : {types} }} }}"""
    for got, (op, function) in zip(compiled(text, x, y), functions.items(), strict=True):
        want = [wrapped(function(a, b), dtype) for a, b in pairs]
        assert got.astype(int).tolist() == want, op


@pytest.mark.campaign
@pytest.mark.parametrize("dtype", DTYPES)
def test_casts_saturate(dtype: str):
    """Casts from wider integers and floats, NaN included, and back; and bitcasts, within 4 bits and to bytes."""
    numbers = np.array([-1000, -9, -8, -7, -1, 0, 1, 6, 7, 8, 9, 15, 16, 255, 1000], np.int32)
    floats = np.array([*numbers[:-2] + 0.75, np.nan, -np.inf], np.float32)
    steps = [
        ("cast %x", "i32", dtype),
        ("cast %y", "f32", dtype),
        ("cast %p", "i1", dtype),
        ("cast %0", dtype, "f16"),
        ("cast %1", dtype, "i1"),
        ("cast %1", dtype, "i64"),
        ("bitcast %0", dtype, "ui4"),
        ("bitcast %0", dtype, "si4"),
        ("cast %0", dtype, "ui8"),
    ]
    ops = "\n".join(f"%{k} = ptir.{op} : tensor<15x{a}> -> tensor<15x{b}>" for k, (op, a, b) in enumerate(steps))
    names, types = ", ".join(f"%{k}" for k in range(len(steps))), ", ".join(f"tensor<15x{b}>" for *_, b in steps)
    text = f"""module attributes {{ptir.extensions}} {{
      func.func @f(%x: tensor<15xi32>, %y: tensor<15xf32>, %p: tensor<15xi1>) -> ({types}) {{
        {ops}
        func.return {names} : {types} }} }}"""
    low, high = min(values(dtype)), max(values(dtype))
    results = compiled(text, numbers, floats, numbers % 2 == 0)
    assert results[0].astype(int).tolist() == np.clip(numbers, low, high).tolist()


@pytest.mark.campaign
@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize("dtype", ["si4", "ui4"])
@pytest.mark.parametrize("sizes", [(1, 1), (5, 7), (3, 16), (33, 2)])
def test_reductions_and_movements(arch: str, dtype: str, sizes: tuple[int, int]):
    m, n = sizes
    rng = np.random.default_rng(m)
    x = rng.choice(values(dtype), sizes).astype(DTYPES[dtype])
    t, row, column, padded = (f"tensor<{s}x{dtype}>" for s in (f"{m}x{n}", m, n, f"{n}x{m + 1}"))
    text = f"""func.func @f(%x: {t}) -> ({row}, {column}, tensor<{m}xsi32>, {padded}, tensor<{m}xsi32>) {{
      %0 = ptir.reduce sum %x axes [1] accum {dtype} : {t} -> {row}
      %1 = ptir.reduce max %x axes [0] : {t} -> {column}
      %2 = ptir.cast %x : {t} -> tensor<{m}x{n}xsi32>
      %3 = ptir.reduce sum %2 axes [1] : tensor<{m}x{n}xsi32> -> tensor<{m}xsi32>
      %4 = ptir.transpose %x [1, 0] : {t} -> tensor<{n}x{m}x{dtype}>
      %5 = ptir.pad %4 with 3 : {dtype} low [0, 1] high [0, 0] interior [0, 0] : tensor<{n}x{m}x{dtype}> -> {padded}
      %6 = ptir.argmax %x axis 1 : {t} -> tensor<{m}xsi32>
      func.return %0, %1, %3, %5, %6 : {row}, {column}, tensor<{m}xsi32>, {padded}, tensor<{m}xsi32> }}"""
    compiled(text, x, arch=arch)


@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize(("left", "right"), [("si4", "si4"), ("ui4", "si4")])
def test_contractions(arch: str, left: str, right: str):
    """Products of 4-bit integers are those of the tensor cores' 8-bit ones, and sums are exact."""
    m, k, n = 17, 35, 9
    rng = np.random.default_rng(0)
    x, w = (
        rng.choice(values(left), (m, k)).astype(DTYPES[left]),
        rng.choice(values(right), (k, n)).astype(DTYPES[right]),
    )
    text = f"""func.func @f(%x: tensor<{m}x{k}x{left}>, %w: tensor<{k}x{n}x{right}>) -> tensor<{m}x{n}xsi32> {{
      %0 = ptir.dot_general %x, %w contract [1] x [0] accum si32 out si32 : (tensor<{m}x{k}x{left}>, tensor<{k}x{n}x{right}>) -> tensor<{m}x{n}xsi32>
      func.return %0 : tensor<{m}x{n}xsi32> }}"""
    (got,) = compiled(text, x, w, arch=arch)
    np.testing.assert_array_equal(got, x.astype(np.int32) @ w.astype(np.int32))


def test_an_operand_of_wgmma_may_be_partly_constant():
    """All columns of operand A but one are zeros, whose registers must be written before the fence, too."""
    x, w, out = "tensor<3x2x5x1xui4>", "tensor<1x1xui4>", "tensor<3x2x5x1xui32>"
    text = f"""builtin.module attributes {{ptir.extensions}} {{ func.func @f(%x: {x}, %w: {w}) -> {out} {{
      %0 = ptir.dot_general %x, %w contract [3] x [1] accum si32 out ui32 : ({x}, {w}) -> {out}
      func.return %0 : {out} }} }}"""
    (got,) = compiled(
        text, np.arange(30).reshape(3, 2, 5, 1).astype(ml_dtypes.uint4), np.array([[3]], ml_dtypes.uint4), arch="sm90"
    )
    np.testing.assert_array_equal(got.reshape(-1), np.arange(30) % 16 * 3)


NEG = """func.func @f(%x: tensor<5xsi4>) -> (tensor<5xsi4>, tensor<5xsi4>) {
  %0 = ptir.neg %x : tensor<5xsi4>
  func.return %0, %x : tensor<5xsi4>, tensor<5xsi4> }"""
X = np.array([-8, -1, 0, 3, 7], ml_dtypes.int4)
MINUS = [-8, 1, 0, -3, -7]


def test_arrays_are_packed_low_half_first():
    assert pack(X).tolist() == [0xF8, 0x30, 0x07]
    assert unpack(np.array([0xF8, 0x30, 0xA7], np.uint8), (5,), X.dtype).tolist() == X.tolist()


def test_bytes_and_places_of_the_caller():
    """The bytes of an array can be given instead of it; a result is written where the caller wants it."""
    program = ptir.compile(NEG, device=ptir.Emulator())
    results = program(pack(X))
    assert [r.tolist() for r in results] == [MINUS, X.tolist()] and results[0].dtype == X.dtype
    place, packed = np.zeros(5, ml_dtypes.int4), np.zeros(3, np.uint8)
    assert program(X, out=[place, packed])[0] is place
    assert place.tolist() == MINUS and packed.tolist() == pack(X).tolist()


def test_arrays_on_a_gpu(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    """Arrays of a GPU are packed there; DLPack passes them to the program, and results come back as 4-bit integers."""
    monkeypatch.setenv("PTIR_CACHE_DIR", str(tmp_path))
    FakeDriver().install(monkeypatch)
    program = ptir.compile(NEG)
    assert [r.tolist() for r in program(X)] == [MINUS, X.tolist()]
    given = ptir.to_device(X)
    assert (given.nbytes, given.numpy().tolist()) == (3, X.tolist())
    negated, same = program(given)
    assert (negated.nbytes, negated.shape, negated.dtype) == (3, (5,), X.dtype)
    assert (negated.numpy().tolist(), same) == (MINUS, given)


def test_every_level_takes_and_gives_the_array():
    """`ptir.signature` says what callers see, at each level; bounds are known above packing only."""
    module = ptir.parse(NEG)
    for pipeline in ("ptir-to-tiny", "tiny-emulate-int4", "form-regions", "plan-regions", "region-to-pto"):
        module = ptir.PassManager(pipeline).run(module)
        assert [r.tolist() for r in ptir.reference(ptir.parse(str(module)), X)] == [MINUS, X.tolist()], pipeline
    assert str(ptir.compile(module, device=ptir.Emulator()).signature).startswith("@f(x: tensor<5xsi4>)")
    with pytest.raises(NoBounds, match="packed"):
        ptir.bounds(module, X)
