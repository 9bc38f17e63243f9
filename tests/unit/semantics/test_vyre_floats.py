"""Strict floats of the vyre dialect against NumPy's own arithmetic and exact fractions."""

from __future__ import annotations

import math
from fractions import Fraction

import ml_dtypes
import mpmath as mp
import numpy as np
import pytest

import ptir
from ptir.conformance.rounding_oracle import rounded
from ptir.dialects.vyre.floats import IDENTITY, STRICT
from ptir.elementary.functions import FUNCTIONS, POWER, graph
from ptir.elementary.vocabulary import FORMATS, OPERANDS, WORD_OPERATIONS
from ptir.elementary.words import evaluate
from ptir.semantics.vyre import VyreRace, dispatch, find_program
from tests.unit.builders.vyre_floats import applied, words_of

KINDS = {"f32": np.float32, "f16": np.float16, "bf16": ml_dtypes.bfloat16}
NATIVE = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide, "sqrt": np.sqrt}
NAN = {"f32": 0x7FC00000, "f16": 0x7E00, "bf16": 0x7FC0}


def wide(words: np.ndarray, format: str) -> np.ndarray:
    with np.errstate(invalid="ignore"):  # signaling NaN
        return numbers(words, format).astype(np.float64)


def numbers(words: np.ndarray, format: str) -> np.ndarray:
    return words.astype(np.uint32 if format == "f32" else np.uint16).view(KINDS[format])


def bits(values: np.ndarray, format: str) -> np.ndarray:
    """Returns the bits of numbers, with the one NaN that strict operations give."""
    words = np.ascontiguousarray(values).view(np.uint32 if format == "f32" else np.uint16).astype(np.uint32)
    return np.where(np.isnan(values.astype(np.float64)), np.uint32(NAN[format]), words)


def run(text: str, **buffers: np.ndarray) -> dict[str, np.ndarray]:
    module = ptir.parse(text)
    return dispatch(find_program(module), buffers)


def test_the_vocabulary_is_what_there_is():
    assert set(OPERANDS) == {*FUNCTIONS, POWER, *(op for op, _ in STRICT.values() if op in OPERANDS)}
    assert all(len(graph(op).inputs) == count for op, count in OPERANDS.items() if op != POWER)
    assert {f"{op}_{f}" for op, _ in STRICT.values() for f in FORMATS} <= set(WORD_OPERATIONS)


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("op", NATIVE)
def test_arithmetic_is_that_of_ieee_754(op: str, format: str):
    """NumPy's f32 is the machine's. For 16 bits NumPy and ml_dtypes round the f32 result, which is innocuous."""
    arguments = words_of(format, OPERANDS[op])
    with np.errstate(all="ignore"):
        want = bits(NATIVE[op](*(numbers(a, format) for a in arguments)), format)
    np.testing.assert_array_equal(evaluate(f"{op}_{format}", *arguments), want)


@pytest.mark.parametrize("format", FORMATS)
def test_a_multiply_add_is_rounded_once(format: str):
    arguments = words_of(format, 3, 1200)
    got = evaluate(f"fma_{format}", *arguments)
    with np.errstate(all="ignore"):  # in binary64, exact zeros have the right sign
        operands = np.stack([wide(a, format) for a in arguments], axis=-1)
        want = bits((operands[:, 0] * operands[:, 1] + operands[:, 2]).astype(KINDS[format]), format)
    for k, (x, y, z) in enumerate(operands.tolist()):
        if not all(map(math.isfinite, (x, y, z))):
            continue
        if exact := Fraction(x) * Fraction(y) + Fraction(z):
            with mp.workprec(500):
                near = rounded(mp.mpf(exact.numerator) / exact.denominator, format)
            want[k] = bits(np.asarray([near]).astype(KINDS[format]), format)[0]
    np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize(("format", "digits"), [("f32", 12), ("bf16", 4)])
def test_a_multiply_add_is_not_rounded_to_binary64_first(format: str, digits: int):
    """The product is half way between two numbers; the addend is 2^-100."""
    x = bits(np.array([1 + 2.0**-digits], KINDS[format]), format)
    even, above = (
        bits(np.array([1 + 2.0 ** (1 - digits) + d], KINDS[format]), format) for d in (0, 2.0 ** (1 - 2 * digits))
    )
    for z, want in ((0.0, even), (2.0**-100, above), (-(2.0**-100), even)):
        np.testing.assert_array_equal(evaluate(f"fma_{format}", x, x, bits(np.array([z], KINDS[format]), format)), want)


@pytest.mark.parametrize("format", FORMATS)
def test_minimum_and_maximum(format: str):
    a, b = words_of(format, 2)
    x, y = (wide(w, format) for w in (a, b))
    sign = np.signbit(x)
    for op, choose in (("min", (x < y) | (x == y) & sign), ("max", (x > y) | (x == y) & ~sign)):
        want = np.where(np.isnan(x) | np.isnan(y), np.uint32(NAN[format]), np.where(choose, a, b))
        np.testing.assert_array_equal(evaluate(f"{op}_{format}", a, b), want)


@pytest.mark.parametrize("format", FORMATS)
def test_conversions(format: str):
    (a,) = words_of(format, 1)
    x = numbers(a, format)
    with np.errstate(all="ignore"):
        for to in FORMATS:
            if to != format:
                want = bits(x.astype(np.float32).astype(KINDS[to]), to)
                np.testing.assert_array_equal(evaluate(f"{format}_to_{to}", a), want)
    for to, low, high in (("u32", 0, 2**32 - 1), ("i32", -(2**31), 2**31 - 1)):
        want = [0 if v != v else int(min(max(v, low), high)) for v in x.astype(np.float64).tolist()]
        np.testing.assert_array_equal(evaluate(f"{format}_to_{to}", a), np.array(want).astype(np.uint32))
    integers = words_of("f32", 1)[0]
    for of, values in (("u32", integers), ("i32", integers.view(np.int32))):
        want = [rounded(mp.mpf(v), format) for v in values[:300].tolist()]
        with np.errstate(all="ignore"):
            want = bits(np.array(want).astype(KINDS[format]), format)
        np.testing.assert_array_equal(evaluate(f"{of}_to_{format}", integers[:300]), want)


OPS = [
    *(("strict fsub", 2, "f16", ""), ("strict fneg", 1, "bf16", ""), ("strict fabs", 1, "f32", "")),
    *[(f"compare {fn}", 2, "f32", "") for fn in ("eq", "ne", "lt", "le", "gt", "ge")],
    *[("cast", 1, "bf16", t) for t in ("!vyre.preview<f32>", "!vyre.i32", "!vyre.u32")],
    ("approximate fexp", 1, "bf16", ""),
]


@pytest.mark.parametrize(("op", "count", "format", "result"), OPS, ids=str)
def test_ops_of_programs(op: str, count: int, format: str, result: str):
    arguments = words_of(format, count, 64) + [np.zeros(64, np.uint32)] * (3 - count)
    text = applied(op, count, format, result)
    text = text.replace("approximate fexp %ax", "approximate fexp %ax ulp 2")
    got = run(text, **dict(zip("abc", arguments, strict=True)), o=np.zeros(64, np.uint32))["o"]
    x, y = (numbers(a, format) for a in arguments[:2])
    with np.errstate(all="ignore"):
        match op.split():
            case ["strict", "fsub"]:
                want = bits(x - y, format)
            case ["strict", "fneg"]:
                want = arguments[0] ^ np.uint32(0x8000)
            case ["strict", "fabs"]:
                want = arguments[0] & np.uint32(0x7FFFFFFF)
            case ["compare", fn]:
                compares = {"eq": x == y, "ne": x != y, "lt": x < y, "le": x <= y, "gt": x > y, "ge": x >= y}
                want = compares[fn].astype(np.uint32)
            case ["cast"] if result == "!vyre.preview<f32>":
                want = bits(x.astype(np.float32), "f32")
            case ["cast"]:
                low, high = (0, 2**32 - 1) if "u32" in result else (-(2**31), 2**31 - 1)
                exact = [0 if v != v else int(min(max(v, low), high)) for v in x.astype(np.float64).tolist()]
                want = np.array(exact).astype(np.uint32)
            case _:
                want = evaluate("exp_bf16", arguments[0])
    np.testing.assert_array_equal(got, want)


REDUCE = """
vyre.program @p workgroup [8, 1, 1] {{
  %a = vyre.buffer "a" binding 0 : !vyre.buffer<!vyre.preview<f32>, {access}>
  %o = vyre.buffer "o" binding 1 : !vyre.buffer<!vyre.preview<f32>, read_write>
  %i = vyre.position global x
  %r = vyre.{op} : {types}
  vyre.store %r, %o[%i] : !vyre.preview<f32>, !vyre.buffer<!vyre.preview<f32>, read_write>
}}
"""
BUFFER = "!vyre.buffer<!vyre.preview<f32>, read_only>"
COMBINE = {"fadd": np.add, "fmul": np.multiply, "fmin": np.minimum, "fmax": np.maximum}


def reduced(order: str, fn: str, x: np.ndarray, count: int) -> np.ndarray:
    """Reduces with NumPy's f32: pairs of neighbors, level by level."""
    if order == "strict":
        total = x[0]
        for element in x[1:]:
            total = COMBINE[fn](total, element)
        return total
    identity = np.uint32(IDENTITY[fn]).view(np.float32)
    level = np.concatenate([x, np.full((1 << (count - 1).bit_length()) - count, identity, np.float32)])
    while level.size > 1:
        level = COMBINE[fn](level[::2], level[1::2])
    return level[0]


@pytest.mark.parametrize("count", [1, 2, 3, 7, 8, 33])
@pytest.mark.parametrize("fn", IDENTITY)
@pytest.mark.parametrize("order", ["strict", "tree"])
def test_reductions_have_one_order(order: str, fn: str, count: int):
    """The invocations reduce overlapping ranges, the last of which go beyond the buffer."""
    x = np.random.default_rng(count).normal(size=count + 4).astype(np.float32)
    text = REDUCE.format(op=f"reduce {order} {fn} %a[%i] count {count}", types=BUFFER, access="read_only")
    got = run(text, a=x, o=np.zeros(8, np.float32))["o"].view(np.float32)
    padded = np.concatenate([x, np.zeros(16, np.float32)])
    want = np.array([reduced(order, fn, padded[k : k + count], count) for k in range(8)])
    np.testing.assert_array_equal(got.view(np.uint32), want.view(np.uint32))


def test_orders_differ_and_padding_keeps_the_sign_of_zero():
    x = np.float32([1e8, 1, -1e8, 1, -0.0, -0.0, -0.0] + [0] * 8)
    outs = list[float]()
    for order in ("strict", "tree"):
        text = REDUCE.format(op=f"reduce {order} fadd %a[%i] count 4", types=BUFFER, access="read_only")
        outs.append(run(text, a=x, o=np.zeros(8, np.float32))["o"].view(np.float32)[0])
    assert outs == [1.0, 0.0]
    text = REDUCE.format(op="reduce tree fadd %a[%i] count 3", types=BUFFER, access="read_only")
    assert run(text, a=x, o=np.zeros(8, np.float32))["o"][4] == 0x80000000


def test_a_dot_product_rounds_each_product_and_each_sum():
    x = np.random.default_rng(1).normal(size=40).astype(np.float32)
    text = REDUCE.format(op="dot %a[%i], %a[%i] count 5 steps[1, 9]", types=f"{BUFFER}, {BUFFER}", access="read_only")
    got = run(text, a=x, o=np.zeros(8, np.float32))["o"].view(np.float32)
    for i in range(8):
        total = x[i] * x[i]
        for k in range(1, 5):
            total = np.float32(total + np.float32(x[i + k] * (x[i + 9 * k] if i + 9 * k < 40 else np.float32(0))))
        assert got[i] == total


def test_a_reduction_races_as_its_loads_do():
    text = REDUCE.format(op="reduce strict fadd %a[%i] count 2", types=BUFFER, access="read_write")
    text = text.replace("BUFFER", "").replace(
        ": !vyre.buffer<!vyre.preview<f32>, read_only>", ": !vyre.buffer<!vyre.preview<f32>, read_write>"
    )
    text = text.replace("%o[%i]", "%a[%i]")
    with pytest.raises(VyreRace):
        run(text, a=np.zeros(9, np.float32), o=np.zeros(8, np.float32))
