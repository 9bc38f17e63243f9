"""Strict floats of the vyre dialect against NumPy's own arithmetic and exact fractions."""

from __future__ import annotations

import numpy as np
import pytest

import ptir
from ptir.conformance.floats import NATIVE, bits, cast, compare, strict
from ptir.conformance.reductions import reduced
from ptir.dialects.vyre.floats import IDENTITY, STRICT
from ptir.elementary.functions import FUNCTIONS, POWER, graph
from ptir.elementary.vocabulary import FORMATS, OPERANDS, WORD_OPERATIONS
from ptir.elementary.words import evaluate
from ptir.semantics.vyre import VyreRace, dispatch, find_program
from tests.unit.builders.vyre_floats import applied, words_of


def run(text: str, **buffers: np.ndarray) -> dict[str, np.ndarray]:
    module = ptir.parse(text)
    return dispatch(find_program(module), buffers)


def test_the_vocabulary_is_what_there_is():
    assert set(OPERANDS) == {*FUNCTIONS, POWER, *(op for op, _ in STRICT.values() if op in OPERANDS)}
    assert all(len(graph(op).inputs) == count for op, count in OPERANDS.items() if op != POWER)
    assert {f"{op}_{f}" for op, _ in STRICT.values() for f in FORMATS} <= set(WORD_OPERATIONS)


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("op", [*NATIVE, "min", "max"])
def test_arithmetic_is_that_of_ieee_754(op: str, format: str):
    """NumPy's f32 is the machine's. For 16 bits NumPy and ml_dtypes round the f32 result, which is innocuous."""
    arguments = words_of(format, OPERANDS[op])
    np.testing.assert_array_equal(evaluate(f"{op}_{format}", *arguments), strict(op, format)(*arguments))


@pytest.mark.parametrize("format", FORMATS)
def test_a_multiply_add_is_rounded_once(format: str):
    arguments = words_of(format, 3, 1200)
    np.testing.assert_array_equal(evaluate(f"fma_{format}", *arguments), strict("fma", format)(*arguments))


@pytest.mark.parametrize(("format", "digits"), [("f32", 12), ("bf16", 4)])
def test_a_multiply_add_is_not_rounded_to_binary64_first(format: str, digits: int):
    """The product is half way between two numbers; the addend is 2^-100."""
    x = bits(np.array([1 + 2.0**-digits]), format)
    even, above = (bits(np.array([1 + 2.0 ** (1 - digits) + d]), format) for d in (0, 2.0 ** (1 - 2 * digits)))
    for z, want in ((0.0, even), (2.0**-100, above), (-(2.0**-100), even)):
        np.testing.assert_array_equal(evaluate(f"fma_{format}", x, x, bits(np.array([z]), format)), want)


CONVERSIONS = [
    (a, b) for a in (*FORMATS, "u32", "i32") for b in (*FORMATS, "u32", "i32") if a != b and {a, b} & {*FORMATS}
]


@pytest.mark.parametrize(("of", "to"), CONVERSIONS, ids=str)
def test_conversions(of: str, to: str):
    (a,) = words_of(of if of in FORMATS else "f32", 1, 1200)
    np.testing.assert_array_equal(evaluate(f"{of}_to_{to}", a), cast(of, to)(a))


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
    x, y = arguments[:2]
    match op.split():
        case ["strict" | "approximate", fn]:
            want = strict(fn[1:], format)(*arguments[:count])
        case ["compare", fn]:
            want = compare(fn, format)(x, y)
        case _:
            want = cast(format, "f32" if "f32" in result else result.removeprefix("!vyre."))(x)
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


@pytest.mark.parametrize("count", [1, 2, 3, 7, 8, 33])
@pytest.mark.parametrize("fn", IDENTITY)
@pytest.mark.parametrize("order", ["strict", "tree"])
def test_reductions_have_one_order(order: str, fn: str, count: int):
    """The invocations reduce overlapping ranges, the last of which go beyond the buffer."""
    x = np.random.default_rng(count).normal(size=count + 4).astype(np.float32)
    text = REDUCE.format(op=f"reduce {order} {fn} %a[%i] count {count}", types=BUFFER, access="read_only")
    got = run(text, a=x, o=np.zeros(8, np.float32))["o"].view(np.float32)
    want = reduced(order, fn, x.view(np.uint32), np.arange(8, dtype=np.uint32)[:, None], count)
    np.testing.assert_array_equal(got.view(np.uint32), want[:, 0])


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
