"""`semantics/bounds/__init__.py`: results of correct implementations are within the bounds, those of wrong ones are not."""

from __future__ import annotations

import math

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.context import Context
from xdsl.dialects.builtin import Builtin, ModuleOp
from xdsl.dialects.func import Func
from xdsl.parser import Parser

import ptir
from ptir.dialects.ptir import PTIR
from ptir.passes.manager import PassManager
from ptir.semantics.arrays.float_formats import ulp
from ptir.semantics.bounds import bounds, check, extensions
from ptir.semantics.bounds.intervals import Interval
from ptir.semantics.bounds.weights import rounds_weights
from ptir.semantics.errors import NoBounds
from ptir.semantics.interpreter import call

from ..builders.amount import examples

BF16 = ml_dtypes.bfloat16
F32 = np.float32


def parse(text: str) -> ModuleOp:
    ctx = Context()
    for dialect in (Builtin, Func, PTIR):
        ctx.load_dialect(dialect)
    module = Parser(ctx, text).parse_module()
    module.verify()
    return module


def function(signature: str, *body: str) -> ModuleOp:
    """Returns @f with this signature; it returns %r."""
    result = signature.split("->")[1].strip()
    head = f"module attributes {{ptir.extensions}} {{ func.func @f{signature} {{"
    return parse("\n".join([head, *body, f"func.return %r : {result}", "}}"]))


def interval(lo: float, hi: float, dtype: type = np.float32, nan: bool = False) -> Interval:
    return Interval(np.array(lo), np.array(hi), np.array(nan), np.dtype(dtype))


def gemm(m: int, k: int, n: int, out: str = "f32") -> ModuleOp:
    types = f"tensor<{m}x{k}xbf16>, tensor<{k}x{n}xbf16>"
    return function(
        f"(%a: tensor<{m}x{k}xbf16>, %b: tensor<{k}x{n}xbf16>) -> tensor<{m}x{n}x{out}>",
        f"%r = ptir.dot_general %a, %b contract [1] x [0] accum f32 out {out} : ({types}) -> tensor<{m}x{n}x{out}>",
    )


# --- contractions -------------------------------------------------------------------------------


@pytest.mark.parametrize("k", [1, 2, 17, 64, 1000, 4096])
@pytest.mark.parametrize("order", ["forward", "backward", "split"])
def test_any_order_of_f32_sums_is_inside(k: int, order: str):
    rng = np.random.default_rng(k)
    a, b = (rng.standard_normal(s).astype(BF16) for s in ((8, k), (k, 8)))
    products = a.astype(F32)[:, :, None] * b.astype(F32)[None]
    if order == "backward":
        products = products[:, ::-1]
    parts = np.array_split(products, 4 if order == "split" else 1, axis=1)
    got = sum((p.cumsum(axis=1, dtype=F32)[:, -1] for p in parts if p.shape[1]), np.zeros((8, 8), F32))
    report = check(got, bounds(gemm(8, k, 8), "f", a, b)[0])
    assert report.ok and report.max_error_over_bound < 1


@pytest.mark.parametrize(
    "damage",
    [
        lambda a, b: a[:, :-1] @ b[:-1],  # the last term of the sum is missing
        lambda a, b: a @ np.roll(b, 1, axis=1),
        lambda a, b: (a @ b).T,
        lambda a, b: (a @ b) * np.float32(1 + 2**-12),
        lambda a, b: (a @ b).astype(np.float16).astype(F32),
        lambda a, b: np.where(np.arange(64).reshape(8, 8) == 27, np.nan, a @ b),
        lambda a, b: np.where(np.arange(64).reshape(8, 8) == 27, np.inf, a @ b),
    ],
)
def test_wrong_contractions_are_outside(damage):
    rng = np.random.default_rng(3)
    a, b = (rng.standard_normal(s).astype(BF16) for s in ((8, 64), (64, 8)))
    expected = bounds(gemm(8, 64, 8), "f", a, b)[0]
    report = check(damage(a.astype(F32), b.astype(F32)).astype(F32), expected)
    assert not report.ok and report.max_error_over_bound > 1
    assert check((a.astype(F32) @ b.astype(F32)).astype(F32), expected).ok


def test_a_bf16_result_has_one_rounding_and_no_more():
    rng = np.random.default_rng(4)
    a, b = (rng.standard_normal(s).astype(BF16) for s in ((32, 64), (64, 32)))
    expected = bounds(gemm(32, 64, 32, "bf16"), "f", a, b)[0]
    exact = (a.astype(F32) @ b.astype(F32)).astype(BF16)
    assert check(exact, expected).ok
    neighbour = (exact.view(np.uint16) + 1).astype(np.uint16).view(BF16)
    assert not check(neighbour, expected).ok


def test_the_bound_is_the_formula():
    a, b = np.full((1, 16), 3, BF16), np.full((16, 1), -2, BF16)
    i = bounds(gemm(1, 16, 1), "f", a, b)[0]
    half = float(i.hi[0, 0] - i.lo[0, 0]) / 2
    assert half == pytest.approx(4 * math.sqrt(16) * 2**-23 * 96, rel=1e-6)
    assert (i.hi[0, 0] + i.lo[0, 0]) / 2 == pytest.approx(-96, rel=1e-9)


def test_report_points_at_the_worst_element():
    a, b = np.ones((2, 4), BF16), np.ones((4, 3), BF16)
    i = bounds(gemm(2, 4, 3), "f", a, b)[0]
    got = np.full((2, 3), 4, F32)
    assert check(got, i).max_error_over_bound == 0
    got[1, 2] += 1
    report = check(got, i)
    assert (report.worst_index, report.worst_error) == ((1, 2), 1.0)
    assert report.max_error_over_bound == pytest.approx(1 / report.worst_bound)
    assert report.worst_bound == pytest.approx(4 * 2 * 2**-23 * 4, rel=1e-6)
    with pytest.raises(ValueError, match="expected"):
        check(got.astype(np.float64), i)


def test_infinite_operands_give_their_infinity_and_nothing_else():
    a, b = np.array([[np.inf, 1], [1, 2], [np.inf, np.nan]]).astype(BF16), np.ones((2, 1), BF16)
    i = bounds(gemm(3, 2, 1), "f", a, b)[0]
    assert check(np.array([[np.inf], [3], [np.nan]], F32), i).ok
    assert not check(np.array([[1e38], [3], [np.nan]], F32), i).ok
    assert not check(np.array([[np.inf], [np.nan], [np.nan]], F32), i).ok
    assert not check(np.array([[np.inf], [3], [3]], F32), i).ok


def test_sums_that_may_overflow_on_the_way_are_not_promised():
    module = function(
        "(%x: tensor<3xf32>) -> tensor<f32>", "%r = ptir.reduce sum %x axes [0] : tensor<3xf32> -> tensor<f32>"
    )
    x = np.array([3e38, 3e38, -6e38 / 2], F32)
    i = bounds(module, "f", x)[0]
    for value in (np.inf, np.nan, 3e38):
        assert check(np.array(value, F32), i).ok


def test_an_uncertain_infinity_is_not_promised():
    module = function(
        "(%x: tensor<2xf32>) -> tensor<f32>",
        "%e = ptir.exp %x : tensor<2xf32>",
        "%r = ptir.reduce sum %e axes [0] : tensor<2xf32> -> tensor<f32>",
    )
    i = bounds(module, "f", np.array([88.722839, 0], F32))[0]  # exp of it is near the largest f32
    assert check(np.array(np.inf, F32), i).ok and check(np.array(3.4028e38, F32), i).ok
    i = bounds(module, "f", np.array([np.inf, 0], F32))[0]
    assert check(np.array(np.inf, F32), i).ok and not check(np.array(3.4028e38, F32), i).ok


@pytest.mark.parametrize(("kind", "got"), [("sum", np.nan), ("mul", np.nan), ("max", np.nan), ("min", -3)])
def test_a_type_without_infinity_holds_nan_instead(kind: str, got: float):
    """An infinity that is reduced in f8E4M3FN is a NaN; what pads the windows of a maximum is below every number."""
    module = function(
        "(%x: tensor<2xf32>) -> tensor<f8E4M3FN>",
        f"%r = ptir.reduce {kind} %x axes [0] accum f8E4M3FN out f8E4M3FN : tensor<2xf32> -> tensor<f8E4M3FN>",
    )
    x = np.array([np.inf if kind != "min" else 400, -3], F32)
    assert check(np.array(got, ml_dtypes.float8_e4m3fn), bounds(module, "f", x)[0]).ok
    module = function(
        "(%x: tensor<1xf32>) -> tensor<2xf8E4M3FN>",
        "%r = ptir.reduce_window max %x window [1] padding [(0, 1)] accum f8E4M3FN out f8E4M3FN "
        ": tensor<1xf32> -> tensor<2xf8E4M3FN>",
    )
    assert check(np.array([-3, np.nan], ml_dtypes.float8_e4m3fn), bounds(module, "f", x[1:])[0]).ok


# --- a whole program ----------------------------------------------------------------------------

SOFTMAX = """
func.func @f(%x: tensor<6x32xf32>, %m: tensor<6x32xf32>) -> tensor<6x32xbf16> {
  %z = ptir.add %x, %m : tensor<6x32xf32>
  %a = ptir.reduce max %z axes [1] keepdims : tensor<6x32xf32> -> tensor<6x1xf32>
  %b = ptir.broadcast_to %a : tensor<6x1xf32> -> tensor<6x32xf32>
  %c = ptir.sub %z, %b : tensor<6x32xf32>
  %e = ptir.exp %c : tensor<6x32xf32>
  %s = ptir.reduce sum %e axes [1] keepdims : tensor<6x32xf32> -> tensor<6x1xf32>
  %t = ptir.broadcast_to %s : tensor<6x1xf32> -> tensor<6x32xf32>
  %p = ptir.div %e, %t : tensor<6x32xf32>
  %r = ptir.cast %p : tensor<6x32xf32> -> tensor<6x32xbf16>
  func.return %r : tensor<6x32xbf16>
}"""


def test_masked_softmax():
    rng = np.random.default_rng(0)
    x = rng.standard_normal((6, 32)).astype(F32) * 5
    mask = np.where(np.arange(32)[None] > np.arange(6)[:, None] * 5, -np.inf, 0).astype(F32)
    mask[5] = -np.inf  # all elements are masked: NaN in every implementation
    i = bounds(parse(SOFTMAX), "f", x, mask)[0]
    with np.errstate(all="ignore"):
        e = np.exp(x + mask - (x + mask).max(axis=1, keepdims=True))
        p = e / e.sum(axis=1, keepdims=True, dtype=F32)
    assert check(p.astype(BF16), i).ok
    assert check(call(parse(SOFTMAX), "f", x, mask)[0], i).ok
    assert not check((p * F32(1.01)).astype(BF16), i).ok
    assert not check(np.where(np.isnan(p), 0, p).astype(BF16), i).ok
    assert not check(np.exp(x).astype(BF16), i).ok


# --- elementwise --------------------------------------------------------------------------------

FUNCTIONS = {
    "exp": np.exp,
    "log": np.log,
    "tanh": np.tanh,
    "erf": np.vectorize(math.erf, otypes=[np.float64]),
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "reciprocal": lambda x: 1 / x,
    "neg": np.negative,
    "abs": np.abs,
}


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("dtype", ["f32", "bf16", "f16", "f64"])
def test_unary_functions_within_documented_ulps(name: str, dtype: str):
    numpy = {"f32": F32, "bf16": BF16, "f16": np.float16, "f64": np.float64}[dtype]
    x = np.linspace(0.01, 8, 501).astype(numpy)
    module = function(f"(%x: tensor<501x{dtype}>) -> tensor<501x{dtype}>", f"%r = ptir.{name} %x : tensor<501x{dtype}>")
    i = bounds(module, "f", x)[0]
    right = FUNCTIONS[name](x.astype(np.float64)).astype(F32 if dtype != "f64" else np.float64).astype(numpy)
    assert check(right, i).ok
    far = right.astype(np.float64)
    far = far + 40 * ulp(far, np.dtype(numpy))
    assert np.all((far > i.hi) | (i.hi == i.lo) & (far != i.lo) | (np.abs(i.hi) == 1))


def test_logistic_may_be_zero_where_its_exponential_overflows():
    module = function("(%x: tensor<2xf32>) -> tensor<2xf32>", "%r = ptir.logistic %x : tensor<2xf32>")
    i = bounds(module, "f", np.array([-98, -80], F32))[0]
    assert check(np.array([0, np.exp(-80)], F32), i).ok and check(np.exp(np.array([-98, -80], F32)), i).ok
    assert not check(np.array([0, 0], F32), i).ok


@given(
    ends=st.lists(st.floats(-50, 50), min_size=4, max_size=4),
    where=st.tuples(st.floats(0, 1), st.floats(0, 1)),
    name=st.sampled_from(sorted(extensions.BINARY)),
)
@settings(max_examples=examples(400))
def test_binary_functions_contain_every_pair(ends: list[float], where: tuple[float, float], name: str):
    a, b = (interval(min(p), max(p)) for p in (ends[:2], ends[2:]))
    x, y = (float(np.clip(i.lo + t * (i.hi - i.lo), i.lo, i.hi)) for i, t in zip((a, b), where, strict=True))
    with np.errstate(all="ignore"):
        try:
            out = extensions.BINARY[name](a, b).rounded(2.0 if name == "pow" else 0.0)
        except NoBounds:
            assert name == "remainder" or (name == "pow" and a.lo <= 0)
            return
        value = {
            "add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide, "max": max, "min": min,
            "pow": np.power, "remainder": np.fmod,
        }[name](np.float64(x), np.float64(y))  # fmt: skip
    assert bool(out.nan) if np.isnan(value) else out.lo <= value <= out.hi


@given(ends=st.tuples(st.floats(-9, 9), st.floats(-9, 9)), where=st.floats(0, 1), name=st.sampled_from(["exp", "log",
       "tanh", "erf", "sqrt", "rsqrt", "recip", "neg", "abs"]))  # fmt: skip
@settings(max_examples=examples(400))
def test_unary_functions_contain_every_value(ends: tuple[float, float], where: float, name: str):
    x = interval(min(ends), max(ends), np.float64)
    value = np.clip(x.lo + where * (x.hi - x.lo), x.lo, x.hi)
    with np.errstate(all="ignore"):
        out = extensions.UNARY[name](x).rounded(18)
        want = {**FUNCTIONS, "recip": FUNCTIONS["reciprocal"], "sqrt": np.sqrt}[name](value)
    assert bool(out.nan) if np.isnan(want) else out.lo <= want <= out.hi


def test_infinities_that_meet_may_be_nan():
    inf = np.inf
    assert extensions.BINARY["add"](interval(-inf, 1), interval(0, inf)).nan
    assert extensions.multiply(interval(-1, 1), interval(inf, inf)).nan
    assert extensions.divide(interval(-1, 1), interval(-1, 1)).nan
    assert not extensions.divide(interval(1, 2), interval(-1, 1)).nan
    assert extensions.UNARY["log"](interval(-1, 1)).nan
    assert not extensions.UNARY["log"](interval(0, 1)).nan


def test_nan_goes_only_where_it_may():
    module = function(
        "(%x: tensor<3xf32>, %y: tensor<3xf32>) -> tensor<3xf32>", "%r = ptir.maximum %x, %y : tensor<3xf32>"
    )
    x, y = np.array([np.nan, 1, 2], F32), np.array([1, np.nan, 1], F32)
    i = bounds(module, "f", x, y)[0]
    assert check(np.array([np.nan, np.nan, 2], F32), i).ok
    assert not check(np.array([1, np.nan, 2], F32), i).ok  # what fmaxf gives
    assert not check(np.array([np.nan, np.nan, np.nan], F32), i).ok


# --- decisions ----------------------------------------------------------------------------------


@pytest.mark.parametrize("choices", ["%n, %y", "%y, %n"])
def test_uncertain_comparisons_take_the_hull(choices: str):
    module = function(
        "(%x: tensor<3xf32>, %y: tensor<3xf32>) -> tensor<3xf32>",
        "%s = ptir.exp %x : tensor<3xf32>",
        "%p = ptir.compare lt %s, %y : tensor<3xf32> -> tensor<3xi1>",
        "%n = ptir.neg %y : tensor<3xf32>",
        f"%r = ptir.select %p, {choices} : tensor<3xi1>, tensor<3xf32>",
    )
    # exp 0 is 1 within an error: the first is certainly larger, the last certainly smaller, the middle is uncertain.
    i = bounds(module, "f", np.zeros(3, F32), np.array([0.5, 1, 2], F32))[0]
    sign = 1 if choices == "%n, %y" else -1
    assert (i.lo[1], i.hi[1]) == (-1, 1)
    assert i.lo[[0, 2]].tolist() == i.hi[[0, 2]].tolist() == [0.5 * sign, -2 * sign]


@pytest.mark.parametrize("name", ["lt", "le", "eq", "ge", "gt", "ne"])
@given(ends=st.lists(st.integers(-3, 3), min_size=4, max_size=4), nan=st.tuples(st.booleans(), st.booleans()))
@settings(max_examples=examples(80))
def test_predicates_are_exactly_what_may_happen(name: str, ends: list[int], nan: tuple[bool, bool]):
    a, b = (interval(min(p), max(p), nan=n) for p, n in zip((ends[:2], ends[2:]), nan, strict=True))
    compare = {"lt": np.less, "le": np.less_equal, "eq": np.equal}
    compare |= {"ge": np.greater_equal, "gt": np.greater, "ne": np.not_equal}
    grids = [[*np.arange(float(i.lo), float(i.hi) + 0.5, 0.5), *([np.nan] if i.nan else [])] for i in (a, b)]
    seen = {bool(compare[name](x, y)) for x in grids[0] for y in grids[1]}
    got = extensions.compare(name, a, b)
    assert {bool(v) for v in (got.lo, got.hi)} == seen


def test_casts_round_the_ends_and_leave_a_machine_no_choice():
    module = function("(%x: tensor<4xf32>) -> tensor<4xbf16>", "%r = ptir.cast %x : tensor<4xf32> -> tensor<4xbf16>")
    x = np.array([1 + 2**-8, 1 + 3 * 2**-8, 1e39, np.nan], F32)
    i = bounds(module, "f", x)[0]
    assert check(x.astype(BF16), i).ok
    assert not check(np.array([1 + 2**-7, 1 + 2**-6, np.inf, np.nan]).astype(BF16), i).ok  # ties go to even


def test_casts_to_integers():
    module = function(
        "(%x: tensor<3xf32>) -> tensor<3xi8>",
        "%e = ptir.exp %x : tensor<3xf32>",
        "%r = ptir.cast %e : tensor<3xf32> -> tensor<3xi8>",
    )
    i = bounds(module, "f", np.array([0, 100, np.nan], F32))[0]
    assert i.lo.tolist() == [0, 127, 0] and i.hi.tolist() == [1, 127, 0]


# --- integers -----------------------------------------------------------------------------------


def test_integers_are_exact_and_wrap():
    module = function(
        "(%x: tensor<2x3xi32>, %y: tensor<3x1xi32>) -> tensor<2x1xi32>",
        "%s = ptir.mul %x, %x : tensor<2x3xi32>",
        "%r = ptir.dot_general %s, %y contract [1] x [0] : (tensor<2x3xi32>, tensor<3x1xi32>) -> tensor<2x1xi32>",
    )
    x = np.array([[2**20, 3, -5], [1, 2, 3]], np.int32)
    y = np.array([[2**30], [7], [9]], np.int32)
    i = bounds(module, "f", x, y)[0]
    got = call(module, "f", x, y)[0]
    assert check(got, i).ok and np.array_equal(i.lo, i.hi)
    assert not check(got + np.int32(1), i).ok


def test_uncertain_integers_that_may_wrap_become_anything():
    module = function(
        "(%x: tensor<1xf32>) -> tensor<1xi8>",
        "%e = ptir.exp %x : tensor<1xf32>",
        "%i = ptir.cast %e : tensor<1xf32> -> tensor<1xi8>",
        "%c = ptir.constant dense<127> : tensor<1xi8>",
        "%r = ptir.add %i, %c : tensor<1xi8>",
    )
    i = bounds(module, "f", np.zeros(1, F32))[0]
    assert (i.lo.tolist(), i.hi.tolist()) == ([-128], [127])


def test_what_has_no_bounds_says_so():
    module = function(
        "(%x: tensor<1xf32>, %y: tensor<1xi8>) -> tensor<1xi8>",
        "%e = ptir.exp %x : tensor<1xf32>",
        "%i = ptir.cast %e : tensor<1xf32> -> tensor<1xi8>",
        "%r = ptir.div %i, %y : tensor<1xi8>",
    )
    with pytest.raises(NoBounds, match=r"ptir\.div on integers that are not exact"):
        bounds(module, "f", np.zeros(1, F32), np.ones(1, np.int8))


def test_intervals_hold_the_interpreter():
    """Every op at once: what the interpreter computes is one of the values that a machine may compute."""
    module = parse("""
    func.func @f(%x: tensor<4x6xbf16>, %w: tensor<6x5xbf16>, %b: tensor<5xf32>) -> tensor<5x4xf16> {
      %0 = ptir.dot_general %x, %w contract [1] x [0] accum f32 out f32 : (tensor<4x6xbf16>, tensor<6x5xbf16>) -> tensor<4x5xf32>
      %1 = ptir.broadcast_to %b : tensor<5xf32> -> tensor<4x5xf32>
      %2 = ptir.add %0, %1 : tensor<4x5xf32>
      %3 = ptir.erf %2 : tensor<4x5xf32>
      %4 = ptir.tanh %2 : tensor<4x5xf32>
      %5 = ptir.clamp %2, %3, %4 : tensor<4x5xf32>
      %6 = ptir.abs %5 : tensor<4x5xf32>
      %7 = ptir.reduce sum %6 axes [0] keepdims : tensor<4x5xf32> -> tensor<1x5xf32>
      %8 = ptir.rsqrt %7 : tensor<1x5xf32>
      %9 = ptir.broadcast_to %8 : tensor<1x5xf32> -> tensor<4x5xf32>
      %10 = ptir.mul %9, %2 : tensor<4x5xf32>
      %11 = ptir.transpose %10 [1, 0] : tensor<4x5xf32> -> tensor<5x4xf32>
      %12 = ptir.reshape %11 : tensor<5x4xf32> -> tensor<20xf32>
      %13 = ptir.reshape %12 : tensor<20xf32> -> tensor<5x4xf32>
      %14 = ptir.cast %13 : tensor<5x4xf32> -> tensor<5x4xf16>
      func.return %14 : tensor<5x4xf16>
    }""")
    rng = np.random.default_rng(8)
    args = [rng.standard_normal((4, 6)).astype(BF16), rng.standard_normal((6, 5)).astype(BF16)]
    args.append(rng.standard_normal(5).astype(F32))
    assert check(call(module, "f", *args)[0], bounds(module, "f", *args)[0]).ok


@pytest.mark.parametrize("kind", ["max", "min"])
@pytest.mark.parametrize("zeros", [(0.0, -0.0), (-0.0, 0.0), (-0.0, -0.0), (0.0, 0.0)])
def test_extrema_of_zeros_have_the_sign_of_the_reference(kind: str, zeros: tuple[float, float]):
    """A reciprocal tells the zeros apart."""
    reduced = f"ptir.reduce {kind} %x axes [0] : tensor<2xf32> -> tensor<f32>"
    window = f"ptir.reduce_window {kind} %x window [2] : tensor<2xf32> -> tensor<1xf32>"
    for op, result in ((reduced, "tensor<f32>"), (window, "tensor<1xf32>")):
        text = f"""
        func.func @f(%x: tensor<2xf32>) -> {result} {{
          %0 = {op}
          %1 = ptir.reciprocal %0 : {result}
          func.return %1 : {result}
        }}"""
        x = np.array(zeros, np.float32)
        (got,) = ptir.reference(text, x)
        assert check(got, bounds(ptir.parse(text), "f", x)[0]).ok


# --- weights of a softmax -----------------------------------------------------------------------

ATTENTION = """
%x = ptir.dot_general %q, %k contract [1] x [1] accum f32 out f32 : (tensor<8x16xbf16>, tensor<24x16xbf16>) -> tensor<8x24xf32>
%m = ptir.reduce max %x axes [1] keepdims : tensor<8x24xf32> -> tensor<8x1xf32>
%mb = ptir.broadcast_to %m : tensor<8x1xf32> -> tensor<8x24xf32>
%d = ptir.sub %x, %mb : tensor<8x24xf32>
%e = ptir.exp %d : tensor<8x24xf32>
%s = ptir.reduce sum %e axes [1] keepdims : tensor<8x24xf32> -> tensor<8x1xf32>
%sb = ptir.broadcast_to %s : tensor<8x1xf32> -> tensor<8x24xf32>
%p = ptir.div %e, %sb : tensor<8x24xf32>
%w = ptir.cast %p : tensor<8x24xf32> -> tensor<8x24xbf16>
"""
SUM = "%r = ptir.dot_general %w, %v contract [1] x [0] accum f32 out f32 : (tensor<8x24xbf16>, tensor<24x16xbf16>) -> tensor<8x16xf32>"
QKV = "(%q: tensor<8x16xbf16>, %k: tensor<24x16xbf16>, %v: tensor<24x16xbf16>)"


@pytest.mark.parametrize("passes", ["", "ptir-to-tiny"])
def test_weights_of_attention_may_be_rounded_before_they_are_divided(passes: str):
    """An online softmax over two tiles of keys is within the bounds; one that forgets to rescale the first tile is not."""
    rng = np.random.default_rng(1)
    q, k, v = (rng.standard_normal(s).astype(BF16) for s in ((8, 16), (24, 16), (24, 16)))
    module = PassManager(passes).run(function(f"{QKV} -> tensor<8x16xf32>", ATTENTION, SUM))
    x = (q.astype(F32) @ k.astype(F32).T).astype(F32)

    def online(rescale: bool) -> np.ndarray:
        low = x[:, :12].max(1, keepdims=True)
        high = np.maximum(low, x[:, 12:].max(1, keepdims=True))
        old, new = np.exp(x[:, :12] - low), np.exp(x[:, 12:] - high)
        c = np.exp(low - high) if rescale else F32(1)
        total = c * (old.astype(BF16).astype(F32) @ v[:12].astype(F32)) + new.astype(BF16).astype(F32) @ v[12:].astype(
            F32
        )
        return total / (c * old.sum(1, keepdims=True) + new.sum(1, keepdims=True))

    (interval,) = bounds(module, "f", q, k, v)
    assert check(online(rescale=True), interval).ok
    assert not check(online(rescale=False), interval).ok


def test_other_casts_round_exact_values_to_one_value():
    """The weights as a result; and a softmax-free row between an exponential and a contraction."""
    rng = np.random.default_rng(1)
    arrays = [rng.standard_normal(s).astype(BF16) for s in ((8, 16), (24, 16), (24, 16))]
    (weights,) = bounds(function(f"{QKV} -> tensor<8x24xbf16>", ATTENTION.replace("%w =", "%r =")), "f", *arrays)
    assert weights.exact.mean() > 0.9
    lines = [line for line in ATTENTION.splitlines() if not line.startswith(("%m", "%s", "%d", "%p"))]
    gate = "\n".join(lines).replace("ptir.exp %d", "ptir.exp %x").replace("ptir.cast %p", "ptir.cast %e")
    module = function(f"{QKV} -> tensor<8x16xf32>", gate, SUM)
    assert not any(rounds_weights(op) for op in module.walk() if op.name == "ptir.cast")
