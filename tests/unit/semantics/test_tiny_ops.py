"""
`tiny.unary`, `tiny.binary` and `tiny.reduce` on every element type, compared with Python's integers, rationals and `math`: the
oracles of `test_ptir_elementwise.py`, which share no code with the interpreter.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.dialects.builtin import TensorType, f32
from xdsl.utils.test_value import create_ssa_value

import ptir
from ptir.dialects import tiny
from ptir.dialects.tiny.vocabulary import problem_with
from ptir.semantics.bounds import bounds, bounds_of, check
from ptir.semantics.bounds.intervals import Interval
from ptir.semantics.errors import BrokenPromise, IndexOutOfRange, NoBounds, Violation
from ptir.semantics.samples import draw

from ..builders.amount import examples
from ..builders.ptir_oracle import (
    COMPLEX,
    DTYPES,
    FLOATS,
    INTEGERS,
    agree,
    array,
    integers,
    near,
    nearest,
    numbers,
    pairs,
    program,
    spell,
    values,
    wrap,
)
from ..builders.ptir_strategies import ATTRIBUTES
from ..dialects import test_ptir_elementwise as oracles

pytestmark = pytest.mark.sampled(3)

WORDS = {"reciprocal": "recip", "maximum": "max", "minimum": "min", "logistic": "sigmoid"}
"""Functions that have another name in the oracles."""


def words(table: dict[str, Any]) -> dict[str, Any]:
    return {WORDS.get(name, name): oracle for name, oracle in table.items() if name != "stop_gradient"}


def run(args: Sequence[tuple[Any, str]], ops: Sequence[tuple[str, str]]) -> list[Any]:
    """Runs ops on %a, %b, …. An op is its text and its result's type."""
    types = [spell(a.shape, t) for a, t in args]
    return list(ptir.reference(program(types, [(op, [t]) for op, t in ops]), *(a for a, _ in args)))


def unary(fn: str, t: str, out: str = "") -> tuple[str, str]:
    return f"tiny.unary {fn} %a : {t} -> {out or t}", out or t


def binary(fn: str, t: str, out: str = "") -> tuple[str, str]:
    return f"tiny.binary {fn} %a, %b : ({t}, {t}) -> {out or t}", out or t


# --- what each word means -----------------------------------------------------------------------


def test_every_word_has_an_oracle():
    floats = [*words(oracles.float_unary("f32")), *words(oracles.TRANSCENDENTAL), *formulas()]
    assert set(tiny.UNARIES) == {*floats, *words(oracles.INTEGER_UNARY), "is_finite", "tf32", "cast", "bitcast"}
    shifts = ("shift_left", "shift_right_arithmetic", "shift_right_logical")
    known = {*words(oracles.float_binary("f32")), *words(oracles.INTEGER_BINARY), *shifts, *oracles.COMPARISONS}
    assert set(tiny.BINARIES) == {*known, "where", *tiny.CHECKS}


@pytest.mark.parametrize(
    ("fn", "error"), [("index", IndexOutOfRange), ("sorted", BrokenPromise), ("unique", BrokenPromise)]
)
def test_checks(fn: str, error: type[Violation]):
    """A check returns its second operand, broadcast, or fails if its predicate does not hold at some element."""
    op = f"tiny.binary require_{fn} %a, %b : (tensor<2x1xi1>, tensor<3xf32>) -> tensor<2x3xf32>"
    text = program(["tensor<2x1xi1>", "tensor<3xf32>"], [(op, ["tensor<2x3xf32>"])])
    x = np.array([1.5, -0.0, np.nan], np.float32)
    holds = np.ones((2, 1), np.bool_)
    (got,) = ptir.reference(text, holds, x)
    assert got.tobytes() == 2 * x.tobytes()
    (bound,) = bounds(ptir.parse(text), "f", holds, x)
    assert check(got, bound).ok
    holds[1] = False
    for run in (ptir.reference, lambda text, *arrays: bounds(ptir.parse(text), "f", *arrays)):
        with pytest.raises(error):
            run(text, holds, x)


@pytest.mark.parametrize("dtype", INTEGERS)
def test_integers(dtype: str):
    some = integers(dtype)
    t = spell([len(some)], dtype)
    table = words(oracles.INTEGER_UNARY) | {"relu": lambda a: max(a, 0)}
    for (fn, oracle), got in zip(
        table.items(), run([(array(some, dtype), dtype)], [unary(fn, t) for fn in table]), strict=True
    ):
        agree(got, [wrap(oracle(v), dtype) for v in some], f"{fn} {dtype}")
    left, right = zip(*[(a, b) for a, b in zip(*pairs(some), strict=True) if b != 0], strict=True)
    t = spell([len(left)], dtype)
    table = words(oracles.INTEGER_BINARY)
    args = [(array(left, dtype), dtype), (array(right, dtype), dtype)]
    for (fn, oracle), got in zip(table.items(), run(args, [binary(fn, t) for fn in table]), strict=True):
        agree(got, [wrap(oracle(a, b), dtype) for a, b in zip(left, right, strict=True)], f"{fn} {dtype}")


@pytest.mark.parametrize("dtype", ["si8", "ui16", "si64"])
def test_shifts(dtype: str):
    low, high = INTEGERS[dtype]
    width = (high - low).bit_length()
    left, right = pairs(integers(dtype))
    t = spell([len(left)], dtype)

    def shifted(fn: str, a: int, b: int) -> int:
        by, bits = min(b % 2**width, width), a % 2**width
        signed = bits - 2**width if bits >= 2 ** (width - 1) else bits
        return {"shift_left": bits << by, "shift_right_logical": bits >> by}.get(fn, signed >> by)

    names = ("shift_left", "shift_right_arithmetic", "shift_right_logical")
    args = [(array(left, dtype), dtype), (array(right, dtype), dtype)]
    for fn, got in zip(names, run(args, [binary(fn, t) for fn in names]), strict=True):
        agree(got, [wrap(shifted(fn, a, b), dtype) for a, b in zip(left, right, strict=True)], fn)


def test_predicates():
    left, right = pairs([False, True])
    args = [(array(left, "i1"), "i1"), (array(right, "i1"), "i1")]
    t = spell([4], "i1")
    both, either, differ, inverted = run(args, [*(binary(fn, t) for fn in ("and", "or", "xor")), unary("not", t)])
    agree(both, [a and b for a, b in zip(left, right, strict=True)])
    agree(either, [a or b for a, b in zip(left, right, strict=True)])
    agree(differ, [a != b for a, b in zip(left, right, strict=True)])
    agree(inverted, [not a for a in left])


@pytest.mark.parametrize("dtype", FLOATS)
def test_floats_that_round_once(dtype: str):
    some = [float(v) for v in values(dtype, 12)]
    t = spell([len(some)], dtype)
    table = words(oracles.float_unary(dtype)) | {"relu": lambda a: a if a > 0 or math.isnan(a) else 0.0}
    for (fn, oracle), got in zip(
        table.items(), run([(array(some, dtype), dtype)], [unary(fn, t) for fn in table]), strict=True
    ):
        agree(got, [nearest(oracle(v), dtype) for v in some], f"{fn} {dtype}")
    left, right = pairs([float(v) for v in values(dtype, 4)])
    t = spell([len(left)], dtype)
    table = words(oracles.float_binary(dtype))
    args = [(array(left, dtype), dtype), (array(right, dtype), dtype)]
    for (fn, oracle), got in zip(table.items(), run(args, [binary(fn, t) for fn in table]), strict=True):
        agree(got, [nearest(oracle(a, b), dtype) for a, b in zip(left, right, strict=True)], f"{fn} {dtype}")


def formulas() -> dict[str, Callable[[float], float]]:
    return {
        "relu": lambda x: max(x, 0.0),
        "gelu": lambda x: x / 2 * math.erfc(-x / math.sqrt(2)),
        "silu": lambda x: x * oracles.logistic(x),
    }


@pytest.mark.parametrize("dtype", FLOATS)
def test_transcendental_functions_and_formulas(dtype: str):
    """Rounded once from float64, or within a few ulp of it."""
    some = [float(v) for v in values(dtype, 40)]
    if dtype.startswith("f8"):
        some = numbers(np.arange(256, dtype=np.uint8).view(DTYPES[dtype]))
    t = spell([len(some)], dtype)
    table = {**words(oracles.TRANSCENDENTAL), **{fn: formulas()[fn] for fn in ("gelu", "silu")}}
    for (fn, oracle), got in zip(
        table.items(), run([(array(some, dtype), dtype)], [unary(fn, t) for fn in table]), strict=True
    ):
        want = [math.nan if math.isnan(v) else oracle(v) for v in some]
        if dtype == "f64":
            near(got, want, 9 * 2.0**-52, fn)
        else:
            agree(got, [nearest(v, dtype) for v in want], f"{fn} {dtype}")


@pytest.mark.parametrize("dtype", ["f16", "f32"])
def test_formulas_at_their_ends(dtype: str):
    some = [math.inf, -math.inf, -0.0, 0.0, math.nan]
    relu, gelu, silu = run([(array(some, dtype), dtype)], [unary(fn, spell([5], dtype)) for fn in tiny.FORMULAS])
    agree(relu, [math.inf, 0.0, 0.0, 0.0, math.nan])
    agree(gelu, [math.inf, math.nan, -0.0, 0.0, math.nan])
    agree(silu, [math.inf, math.nan, -0.0, 0.0, math.nan])


@pytest.mark.parametrize("dtype", ["f8E5M2", "bf16", "f32"])
def test_powers_and_is_finite(dtype: str):
    left, right = pairs([0.5, 1.0, 2.0, -2.0, 3.0, 0.0, math.inf])
    args = [(array(left, dtype), dtype), (array(right, dtype), dtype)]
    t, p = spell([len(left)], dtype), spell([len(left)], "i1")
    power, finite = run(args, [binary("pow", t), unary("is_finite", t, p)])
    finite_ones = [(k, a, b) for k, (a, b) in enumerate(zip(left, right, strict=True)) if math.isfinite(a + b)]
    for k, a, b in finite_ones:
        want = math.nan if a < 0 and b != int(b) else math.inf if a == 0 and b < 0 else a**b
        agree(power[k : k + 1], [nearest(want, dtype)], f"{a} ** {b}")
    agree(finite, [math.isfinite(a) for a in left])
    (finite,) = run([(array([math.nan, -1.0], dtype), dtype)], [unary("is_finite", spell([2], dtype), "tensor<2xi1>")])
    agree(finite, [False, True])


@pytest.mark.parametrize("dtype", COMPLEX)
def test_complex_numbers(dtype: str):
    rng = np.random.default_rng(3)
    single = COMPLEX[dtype]
    left, right = (
        [complex(nearest(float(a), single), nearest(float(b), single)) for a, b in rng.uniform(-3, 3, (30, 2))]
        for _ in "ab"
    )
    t, p = spell([30], dtype), spell([30], "i1")
    ones, twos = words(oracles.COMPLEX_UNARY), words(oracles.COMPLEX_BINARY)
    args = [(array(left, dtype), dtype), (array(right, dtype), dtype)]
    *results, same = run(args, [*(unary(f, t) for f in ones), *(binary(f, t) for f in twos), binary("ne", t, p)])
    want = [[f(a) for a in left] for f in ones.values()]
    want += [[f(a, b) for a, b in zip(left, right, strict=True)] for f in twos.values()]
    for fn, got, wanted in zip([*ones, *twos], results, want, strict=True):
        near(got, wanted, 2.0**-22 if single == "f32" else 2.0**-46, f"{fn} {dtype}")
    assert same.all()


@pytest.mark.parametrize("dtype", DTYPES)
def test_comparison_and_selection(dtype: str):
    left, right = pairs(values(dtype, 4)[:30])
    t, p = spell([len(left)], dtype), spell([len(left)], "i1")
    names = ("eq", "ne") if dtype in COMPLEX else tuple(oracles.COMPARISONS)
    chosen = [k % 3 == 0 for k in range(len(left))]
    args = [(array(left, dtype), dtype), (array(right, dtype), dtype), (array(chosen, "i1"), "i1")]
    select = (f"tiny.binary where %c, %a, %b : ({p}, {t}, {t}) -> {t}", t)
    *compared, selected = run(args, [*(binary(fn, t, p) for fn in names), select])
    for fn, got in zip(names, compared, strict=True):
        agree(got, [oracles.COMPARISONS[fn](a, b) for a, b in zip(left, right, strict=True)], f"{fn} {dtype}")
    agree(selected, [a if c else b for a, b, c in zip(left, right, chosen, strict=True)], f"where {dtype}")


@pytest.mark.parametrize("source", ["i1", "ui8", "si64", "f8E4M3FN", "bf16", "f32"])
def test_casts(source: str):
    some = values(source, 30)
    targets = [t for t in DTYPES if t not in COMPLEX]
    n = len(some)
    results = run(
        [(array(some, source), source)], [unary("cast", spell([n], source), spell([n], target)) for target in targets]
    )
    for target, got in zip(targets, results, strict=True):
        assert got.dtype == DTYPES[target]
        agree(got, [oracles.converted(v, target) for v in some], f"{source} to {target}")


@pytest.mark.parametrize(("source", "target"), [("f32", "ui32"), ("bf16", "si16"), ("ui8", "f8E5M2"), ("si4", "ui4")])
def test_bitcasts(source: str, target: str):
    some = array(values(source, 30), source)
    t, u = spell(some.shape, source), spell(some.shape, target)
    (there,) = run([(some, source)], [unary("bitcast", t, u)])
    (back,) = run([(there, target)], [unary("bitcast", u, t)])
    assert there.dtype == DTYPES[target] and back.dtype == DTYPES[source]
    if source == "si4":
        assert [v % 16 for v in numbers(some)] == numbers(there)
    else:
        assert there.tobytes() == some.tobytes() == back.tobytes()


def test_tf32_rounds_ties_away():
    half = 2.0**-11
    some = [
        1 + half,
        1 + 3 * half,
        1 + half - 2.0**-23,
        -(1 + half),
        0.0,
        math.inf,
        math.nan,
        2.0**127 * (2 - 2.0**-23),
    ]
    (got,) = run([(array(some, "f32"), "f32")], [unary("tf32", spell([8], "f32"))])
    agree(got, [1 + 2 * half, 1 + 4 * half, 1.0, -(1 + 2 * half), 0.0, math.inf, math.nan, math.inf])


@pytest.mark.parametrize("shapes", [((2, 1, 3), (4, 1)), ((), (0, 2)), ((1,), (1, 1)), ((0,), (1,)), ((3,), (2, 2, 3))])
def test_broadcasting(shapes: tuple[tuple[int, ...], tuple[int, ...]]):
    a, b = (np.arange(math.prod(s), dtype=np.int32).reshape(s) * 7 % 5 for s in shapes)
    want = np.broadcast_shapes(*shapes)
    types = [spell(s, "i32") for s in (*shapes, want)]
    (got,) = run(
        [(a, "i32"), (b, "i32")], [(f"tiny.binary sub %a, %b : ({types[0]}, {types[1]}) -> {types[2]}", types[2])]
    )
    assert got.shape == want
    for i in np.ndindex(want):
        at = [x[tuple(0 if n == 1 else k for k, n in zip(i[len(i) - x.ndim :], x.shape, strict=True))] for x in (a, b)]
        assert got[i] == at[0] - at[1]


# --- reduce -------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(), (0,), (1,), (2, 3), (2, 0, 3), (2, 1, 3, 2)])
@given(data=st.data())
@settings(max_examples=examples(20))
def test_reductions(shape: tuple[int, ...], data: st.DataObject):
    dtype, accum = data.draw(st.sampled_from([("si8", "si32"), ("ui8", "ui8"), ("f32", "f32"), ("bf16", "f32")]))
    axes = data.draw(st.lists(st.sampled_from(range(len(shape))), unique=True)) if shape else []
    spelt = [a - data.draw(st.sampled_from([0, len(shape)])) for a in axes]
    low = 0 if dtype == "ui8" else -9
    x = np.random.default_rng(data.draw(st.integers(0, 99))).integers(low, 10, shape)
    kept = [n for a, n in enumerate(shape) if a not in axes]
    t, u = spell(shape, dtype), spell(kept, accum)
    ops = [(f"tiny.reduce {fn} %a axes {spelt} accum {accum} : {t} -> {u}", u) for fn in ("sum", "max", "min")]
    for got, fn in zip(run([(x.astype(DTYPES[dtype]), dtype)], ops), ("sum", "max", "min"), strict=True):
        assert got.dtype == DTYPES[accum] and list(got.shape) == kept
        for i in np.ndindex(tuple(kept)):
            place = iter(i)
            where = tuple(slice(None) if a in axes else next(place) for a in range(len(shape)))
            terms = [int(v) for v in np.asarray(x[where]).reshape(-1)]
            assert numbers(got[(*i, ...)]) == [folded(fn, terms, accum)]


def folded(fn: str, terms: list[int], accum: str) -> Any:
    if fn == "sum":
        return wrap(sum(terms), accum) if accum in INTEGERS else float(sum(terms))
    if terms:
        return max(terms) if fn == "max" else min(terms)
    ends = INTEGERS.get(accum, (-math.inf, math.inf))
    return ends[0] if fn == "max" else ends[1]


def test_of_predicates_max_is_any_and_min_is_all():
    x = np.array([[True, False], [True, True], [False, False]])
    t = spell([3, 2], "i1")
    ops = [(f"tiny.reduce {fn} %a axes [1] accum i1 : {t} -> tensor<3xi1>", "tensor<3xi1>") for fn in ("max", "min")]
    empty = [(op.replace("3x2x", "3x0x"), out) for op, out in ops]
    assert [r.tolist() for r in run([(x, "i1")], ops)] == [[True, True, False], [False, True, False]]
    assert [r.tolist() for r in run([(x[:, :0], "i1")], empty)] == [[False] * 3, [True] * 3]
    module = program([t], [(op, [out]) for op, out in ops])
    for result, interval in zip(ptir.reference(module, x), bounds(ptir.parse(module), "f", x), strict=True):
        assert check(result, interval).ok and not check(~result, interval).ok


# --- products that are not rounded --------------------------------------------------------------

EPSILON = {"f8E4M3FN": 3, "f8E5M2": 2, "bf16": 7, "f16": 10, "f32": 23, "f64": 52}


@pytest.mark.parametrize("used", ["once", "twice", "twice by sums"])
@pytest.mark.parametrize(
    ("dtype", "product", "accum"),
    [
        ("f8E4M3FN", "f8E4M3FN", "f16"),
        ("f8E5M2", "f32", "f32"),
        ("bf16", "bf16", "bf16"),
        ("bf16", "bf16", "f32"),
        ("bf16", "f32", "f32"),
        ("f16", "f16", "f64"),
        ("f16", "f32", "bf16"),
        ("f32", "f32", "f32"),
        ("f32", "f64", "f32"),
        ("f32", "f64", "f16"),
        ("f64", "f64", "f32"),
    ],
)
def test_a_product_rounds_in_its_own_type_whatever_uses_it(dtype: str, product: str, accum: str, used: str):
    """(1 + ε)² - (1 + 2ε) is ε², of which a product that is rounded to the type of its factors leaves nothing."""
    small = Fraction(2) ** -EPSILON[dtype]
    a, b = [float(1 + small), 1.0], [float(1 + small), -float(1 + 2 * small)]
    text = summed_products(dtype, product, accum, used, 2)
    arrays = (array(a, dtype), array(b, dtype))
    (got,) = ptir.reference(text, *arrays)
    assert float(got) == (0 if product == dtype else nearest(small**2, accum))
    (interval,) = bounds(ptir.parse(text), "f", *arrays)
    assert check(got, interval).ok
    if product == accum != dtype in ("f8E5M2", "bf16"):  # a machine's error must be below ε²
        assert not check(np.zeros_like(got), interval).ok


def summed_products(dtype: str, product: str, accum: str, used: str, size: int) -> str:
    """Returns a program for Σ a · b, whose factors are cast to `product`."""
    t, wide, out = spell([size], dtype), spell([size], product), spell([], accum)
    factors = [x if dtype == product else f"tiny.unary cast {x} : {t} -> {wide}" for x in ("%a", "%b")]
    casts = [f"%{name} = {text}" for name, text in zip("cd", factors, strict=True) if text[0] != "%"]
    again = {
        "once": "",
        "twice": f"%n = tiny.unary neg %p : {wide} -> {wide}",
        "twice by sums": f"%t = tiny.reduce sum %p axes [0] accum {product} : {wide} -> {spell([], product)}",
    }[used]
    return f"""func.func @f(%a: {t}, %b: {t}) -> {out} {{
      {" ".join(casts)}
      %p = tiny.binary mul {"%c, %d" if casts else "%a, %b"} : ({wide}, {wide}) -> {wide}
      {again}
      %s = tiny.reduce sum %p axes [0] accum {accum} : {wide} -> {out}
      func.return %s : {out}
    }}"""


@pytest.mark.parametrize("used", ["once", "twice", "twice by sums"])
@pytest.mark.parametrize(
    ("dtype", "product", "accum"),
    [
        ("si8", "si8", "si32"),
        ("ui8", "ui8", "si16"),
        ("si8", "si32", "si32"),
        ("si8", "si16", "si8"),
        ("si4", "si4", "si4"),
    ],
)
def test_a_product_wraps_in_its_own_type_whatever_uses_it(dtype: str, product: str, accum: str, used: str):
    terms = [7, 7, 3] if dtype == "si4" else [100, 100, 3]
    a = array(terms, dtype)
    (got,) = ptir.reference(summed_products(dtype, product, accum, used, 3), a, a)
    assert int(got) == wrap(sum(wrap(x * x, product) for x in terms), accum)


def test_a_sum_adds_its_elements_as_they_are():
    """1 + 2⁻⁴⁰ is 1 in f32, so that -1 would leave nothing; 300 is 127 in si8, if it is cast, and 44, if the sum wraps."""
    text = """func.func @f(%x: tensor<2xf64>, %i: tensor<1xsi32>) -> (tensor<f32>, tensor<si8>) {
      %0 = tiny.reduce sum %x axes [0] accum f32 : tensor<2xf64> -> tensor<f32>
      %1 = tiny.reduce sum %i axes [0] accum si8 : tensor<1xsi32> -> tensor<si8>
      func.return %0, %1 : tensor<f32>, tensor<si8>
    }"""
    arrays = array([1 + 2.0**-40, -1.0], "f64"), array([300], "si32")
    float_sum, integer_sum = ptir.reference(text, *arrays)
    assert float(float_sum) == 2.0**-40
    assert int(integer_sum) == 44
    for result, interval in zip((float_sum, integer_sum), bounds(ptir.parse(text), "f", *arrays), strict=True):
        assert check(result, interval).ok
    lifted = ptir.PassManager("tiny-to-ptir").run(ptir.parse(text))
    assert [float(x) for x in ptir.reference(lifted, *arrays)] == [2.0**-40, 44]


@pytest.mark.parametrize(
    ("lines", "largest"),
    [
        (["%s = SUM %p : HALF", "%o = SUM %p : HALF"], False),
        (["%q = tiny.movement reshape %p : HALF -> HALF", "%s = SUM %q : HALF"], False),
        (["%q = tiny.unary cast %p : HALF -> tensor<2xf32>", "%s = SUM %q : tensor<2xf32>"], False),
        (["%s = tiny.reduce max %p axes [0] accum f32 : HALF"], True),
    ],
)
def test_other_products_are_rounded(lines: list[str], largest: bool):
    t = "tensor<2xf16>"
    spelt = [line.replace("SUM %", "tiny.reduce sum %").replace("HALF", t) for line in lines]
    spelt = [re.sub(r"(sum %\w) :", r"\1 axes [0] accum f32 :", line) for line in spelt]
    spelt = [f"{line} -> tensor<f32>" if "reduce" in line else line for line in spelt]
    product = f"%p = tiny.binary mul %a, %b : ({t}, {t}) -> {t}"
    body = "\n".join([product, *spelt, "func.return %s : tensor<f32>"])
    e = 2.0**-10
    arrays = array([1 + e, 1.0], "f16"), array([1 + e, -(1 + 2 * e)], "f16")
    (got,) = ptir.reference(f"func.func @f(%a: {t}, %b: {t}) -> tensor<f32> {{\n{body}\n}}", *arrays)
    assert float(got) == (1 + 2 * e if largest else 0.0)


# --- bounds -------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", range(8))
@pytest.mark.parametrize("dtype", ["f16", "f32", "f64", "si16", "i1"])
def test_results_lie_within_their_bounds(dtype: str, number: int):
    """Every word that is defined on the type, on samples of every kind."""
    arrays = draw("f", [((12,), DTYPES[dtype])] * 2, 3, number, attempt=1).arrays
    t, p = spell([12], dtype), spell([12], "i1")
    ones = [
        fn for fn in tiny.UNARIES if fn not in ("cast", "bitcast") and not problem_with(fn, ATTRIBUTES[arrays[0].dtype])
    ]
    twos = [
        fn
        for fn in tiny.BINARIES
        if fn not in ("where", *tiny.CHECKS) and not problem_with(fn, ATTRIBUTES[arrays[0].dtype])
    ]
    ops = [unary(fn, t, p if fn == "is_finite" else t) for fn in ones]
    ops += [binary(fn, t, p if fn in tiny.COMPARISONS else t) for fn in twos]
    text = program([t, t], [(op, [out]) for op, out in ops])
    for tight in (False, True):
        found = bounds(ptir.parse(text), "f", *arrays, tight=tight)
        for fn, got, interval in zip([*ones, *twos], ptir.reference(text, *arrays), found, strict=True):
            assert check(got, interval).ok, fn


def interval_of(fn: str, x: Any, dtype: str) -> Interval:
    t = spell(x.shape, dtype)
    return bounds(ptir.parse(program([t], [(unary(fn, t)[0], [t])])), "f", x)[0]


def stepwise(fn: str, x: Any) -> Any:
    """Computes a formula as a kernel does, rounding each step to f32."""
    one, half, root = np.float32(1), np.float32(0.5), np.float32(math.sqrt(0.5))
    if fn == "silu":
        return x * (one / (one + np.exp(-x)))
    return x * half * (one + np.array([math.erf(v) for v in x * root], np.float32))


@pytest.mark.parametrize("fn", ["gelu", "silu"])
def test_formulas_computed_step_by_step_in_f32_lie_within_their_bounds(fn: str):
    x = np.linspace(-8, 8, 401, dtype=np.float32)
    interval = interval_of(fn, x, "f32")
    assert check(stepwise(fn, x), interval).ok
    exact = np.array([formulas()[fn](float(v)) for v in x])
    assert not check((exact + 1e-5).astype(np.float32), interval).ok
    assert (interval.hi - interval.lo < 1e-5).all()
    half = x.astype(np.float16)
    narrow = interval_of(fn, half, "f16")
    assert check(stepwise(fn, half.astype(np.float32)).astype(np.float16), narrow).ok
    assert not check((exact + 0.01 * np.abs(exact) + 1e-5).astype(np.float16), narrow).ok


@pytest.mark.parametrize("fn", ["gelu", "silu"])
def test_formulas_in_f64_are_bounded_in_f64(fn: str):
    x = np.linspace(-3, 3, 13)
    interval = interval_of(fn, x, "f64")
    assert check(run([(x, "f64")], [unary(fn, spell([13], "f64"))])[0], interval).ok
    assert (interval.hi - interval.lo < 1e-13).all()


def test_uncertain_values_through_a_formula():
    """gelu has its least value, -0.17, near -0.75: the ends of an interval do not tell."""
    x = Interval(np.array([-1.0]), np.array([-0.5]), np.array([False]), np.dtype(np.float32))
    t = spell([1], "f32")
    (out,) = bounds_of(ptir.parse(program([t], [(unary("gelu", t)[0], [t])])), "f", x)
    assert out.lo[0] <= -0.17 and out.hi[0] < 0
    (out,) = bounds_of(ptir.parse(program([t], [(unary("relu", t)[0], [t])])), "f", x)
    assert (out.lo[0], out.hi[0]) == (0, 0)


def test_a_maximum_is_one_of_the_rounded_terms():
    x = np.array([1 + 2.0**-9, 0.5], np.float32)
    out = "tensor<bf16>"
    text = program([spell([2], "f32")], [(f"tiny.reduce max %a axes [0] accum bf16 : tensor<2xf32> -> {out}", [out])])
    (got,), (interval,) = ptir.reference(text, x), bounds(ptir.parse(text), "f", x)
    assert float(got) == 1 and check(got, interval).ok and interval.lo == interval.hi


def test_terms_of_a_float_sum_are_not_rounded_to_its_narrower_type():
    """Each is 1 in bf16; their exact sum is nearer to the bf16 number above 3."""
    x = np.full(3, 1 + 2.0**-8 - 2.0**-12, np.float32)
    out = "tensor<bf16>"
    text = program([spell([3], "f32")], [(f"tiny.reduce sum %a axes [0] accum bf16 : tensor<3xf32> -> {out}", [out])])
    (got,), (interval,) = ptir.reference(text, x), bounds(ptir.parse(text), "f", x, tight=True)
    assert float(got) == 3 + 2.0**-6 and check(got, interval).ok


@pytest.mark.parametrize(("ends", "sums"), [((300.0, 400.0), (-128, 127)), ((3.0, 4.0), (3, 4))])
def test_an_uncertain_sum_of_integers_wraps(ends: tuple[float, float], sums: tuple[float, float]):
    x = Interval(np.array(ends[:1]), np.array(ends[1:]), np.array([False]), np.dtype(np.int16))
    text = program(
        [spell([1], "si16")],
        [("tiny.reduce sum %a axes [0] accum si8 : tensor<1xsi16> -> tensor<si8>", ["tensor<si8>"])],
    )
    (out,) = bounds_of(ptir.parse(text), "f", x)
    assert (out.lo, out.hi) == sums


def test_bits_of_uncertain_values_have_no_bound():
    x = Interval(np.array([1.0]), np.array([2.0]), np.array([False]), np.dtype(np.float32))
    t, u = spell([1], "f32"), spell([1], "ui32")
    with pytest.raises(NoBounds, match="bits"):
        bounds_of(ptir.parse(program([t], [(unary("bitcast", t, u)[0], [u])])), "f", x)


def test_sums_of_complex_numbers_have_no_bound():
    t, one = spell([3], "complex<f32>"), spell([], "complex<f32>")
    text = f"func.func @f(%x: {t}) -> {one} {{ %0 = tiny.reduce sum %x axes [0] accum complex<f32> : {t} -> {one}\n"
    with pytest.raises(NoBounds, match="complex numbers"):
        bounds(ptir.parse(text + f"func.return %0 : {one} }}"), "f", np.ones(3, np.complex64))


def test_sums_of_what_is_no_product():
    """A product that is only summed is not rounded first; other functions are computed as they are."""
    t = spell([3], "f32")
    x, y = np.array([1, 2, 3], np.float32), np.array([4, 5, 6], np.float32)
    for fn, want in (("mul", 32), ("add", 21), ("sub", -9), ("max", 15)):
        ops = [(f"tiny.binary {fn} %a, %b : ({t}, {t}) -> {t}", [t]),
               ("tiny.reduce sum %0 axes [0] accum f32 : tensor<3xf32> -> tensor<f32>", ["tensor<f32>"])]  # fmt: skip
        text = (
            f"func.func @f(%a: {t}, %b: {t}) -> tensor<f32> {{ %0 = {ops[0][0]}\n %1 = {ops[1][0]}\n"
            "func.return %1 : tensor<f32> }"
        )
        (got,) = ptir.reference(text, x, y)
        assert float(got) == want, fn


def test_exact_products_have_narrower_bounds_than_rounded_ones():
    """A product with another user than a sum is rounded to f32 first."""
    t = spell([3, 8], "f32")
    text = (
        f"func.func @f(%a: {t}, %b: {t}) -> RESULTS {{ %0 = tiny.binary mul %a, %b : ({t}, {t}) -> {t}\n"
        f"%1 = tiny.reduce sum %0 axes [1] accum f32 : {t} -> tensor<3xf32>\nfunc.return VALUES }}"
    )
    summed = text.replace("RESULTS", "tensor<3xf32>").replace("VALUES", "%1 : tensor<3xf32>")
    both = text.replace("RESULTS", f"(tensor<3xf32>, {t})").replace("VALUES", f"%1, %0 : tensor<3xf32>, {t}")
    x, y = draw_pair(3, 8)
    exact, rounded = (bounds(ptir.parse(p), "f", x, y)[0] for p in (summed, both))
    assert np.all(exact.hi - exact.lo < rounded.hi - rounded.lo)


def test_sums_of_known_floats_are_not_exact():
    x, _ = draw_pair(1, 64)
    text = (
        f"func.func @f(%a: {spell([1, 64], 'f32')}) -> tensor<1xf32> {{ %0 = tiny.reduce sum %a axes [1] accum f32 : "
    )
    text += f"{spell([1, 64], 'f32')} -> tensor<1xf32>\nfunc.return %0 : tensor<1xf32> }}"
    (interval,) = bounds(ptir.parse(text), "f", x)
    for order in (np.sort(x[0]), np.sort(x[0])[::-1]):
        total = np.float32(0)
        for term in order:
            total = np.float32(total + term)
        assert interval.lo[0] <= total <= interval.hi[0]
    assert interval.lo[0] < interval.hi[0]


def draw_pair(rows: int, columns: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(4)
    x, y = (rng.normal(size=(rows, columns)).astype(np.float32) for _ in "xy")
    return x, y


def test_sums_of_known_integers_are_exact():
    """Greater than f64 can hold, and wrapping."""
    x = np.array([2**63 - 1, 2**62 + 1, 3], np.int64)
    text = "func.func @f(%a: tensor<3xi64>) -> tensor<i64> { %0 = tiny.reduce sum %a axes [0] accum i64 : tensor<3xi64> -> tensor<i64>\n"
    (interval,) = bounds(ptir.parse(text + "func.return %0 : tensor<i64> }"), "f", x)
    exact = int(x.sum())
    assert check(np.array(exact), interval).ok
    assert not check(np.array(exact + 1), interval).ok


def test_products_are_multiplications():
    a = create_ssa_value(TensorType(f32, [2]))
    assert tiny.is_product(tiny.BinaryOp("mul", a, a))
    assert not tiny.is_product(tiny.BinaryOp("add", a, a))
    assert not tiny.is_product(tiny.UnaryOp("exp", a))
