"""
One program at four levels: act(x @ w + bias) and similar programs run as `ptir`, `tiny`, `region` and `pto` IR.

Each level is printed and parsed again before it runs, so that all information is in the text. On integer-valued inputs with exact
sums, results must be bit-equal; on random ones, they must stay within `semantics/bounds`. The oracle of `programs` is NumPy's
float64, which shares no code with the interpreters.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp

import ptir
from ptir.passes.manager import PassManager
from ptir.semantics.bounds import bounds, check
from ptir.semantics.interpreter import call

from ..builders.amount import examples
from ..builders.programs import ACTIVATIONS, INEXACT, PROGRAMS, Draft, Size, biased, clamp, draft, leaky, relu

pytestmark = pytest.mark.sampled(4)

LEVELS = {
    "tiny": "ptir-to-tiny",
    "region": "build-poly-view,form-regions,plan-regions{arch=sm80}",
    "pto": "region-to-pto",
}
SIZES = (1, 2, 7, 16, 17, 31, 64, 65, 70, 130, 150)


def levels_of(source: str) -> dict[str, ModuleOp]:
    """Returns the program at every level. Each level is computed from the text of the level above."""
    modules = {"ptir": ptir.parse(source)}
    for level, pipeline in LEVELS.items():
        module = PassManager(pipeline).run(ptir.parse(str(list(modules.values())[-1])))
        modules[level] = ptir.parse(str(module))
    return modules


def at_all_levels(source: str, *arrays: Any) -> dict[str, tuple[Any, ...]]:
    """Returns the results of @f at every level."""
    return {level: call(module, "f", *arrays) for level, module in levels_of(source).items()}


sizes = st.tuples(*[st.sampled_from(SIZES)] * 3)
seeds = st.integers(0, 2**31)


@pytest.mark.sampled(36)
@pytest.mark.parametrize("name", PROGRAMS)
@settings(max_examples=examples(2))
@given(size=sizes, dtype=st.sampled_from(["bf16", "f16"]), seed=seeds)
def test_every_level_means_the_same(name: str, size: Size, dtype: str, seed: int):
    """On integers, results are bit-equal, also to NumPy's if nothing is rounded; on random values, they stay within the bounds."""
    d = draft(name, size, dtype)
    integers, reals = d.arrays(seed, integers=True), d.arrays(seed, integers=False)
    modules = levels_of(d.text)
    exact, allowed = call(modules["ptir"], "f", *integers), bounds(modules["ptir"], "f", *reals)
    for level, module in modules.items():
        for k, (value, want) in enumerate(zip(call(module, "f", *integers), exact, strict=True)):
            np.testing.assert_array_equal(value, want, f"result {k} at {level}\n{d.text}", strict=True)
        for k, (value, interval) in enumerate(zip(call(module, "f", *reals), allowed, strict=True)):
            report = check(value, interval)
            assert report.ok, f"result {k} at {level}: {report}\n{d.text}"
    if name not in INEXACT:
        for value, want in zip(exact, d.oracle(integers), strict=True):
            np.testing.assert_array_equal(value.astype(np.float64), want, d.text)


@pytest.mark.sampled(20)
@pytest.mark.parametrize("m", SIZES)
@pytest.mark.parametrize("n", [1, 17, 150])
def test_every_size_of_the_family(m: int, n: int):
    """Sizes with tails: each M and N, with a K on either side of a tile."""
    for k in (31, 65):
        d = draft("relu", (m, n, k), "bf16")
        arrays = d.arrays(m * n, integers=True)
        (want,) = d.oracle(arrays)
        for level, (got,) in at_all_levels(d.text, *arrays).items():
            np.testing.assert_array_equal(got, want.astype(np.float32), level)


def test_a_value_that_is_a_root_and_feeds_a_contraction():
    """relu(c) feeds the contraction e, and c + e is another root of c."""
    d = Draft()
    c = d.dot(d.arg(17, 31), d.arg(31, 17))
    e = d.dot(d.cast(relu(d, c), "bf16"), d.arg(17, 17))
    d.results = (d.binary("add", c, e),)
    arrays = d.arrays(1, integers=True)
    (want,) = d.oracle(arrays)
    for level, (got,) in at_all_levels(d.text, *arrays).items():
        np.testing.assert_array_equal(got, want.astype(np.float32), level)


# --- programs that nobody thought of ------------------------------------------------------------


@st.composite
def compositions(pick: st.DrawFn) -> Draft:
    """Draws a matmul, then ops that compute, move and read further arguments, then one or two results."""
    d = Draft()
    small = st.sampled_from((1, 2, 6, 17, 34))
    m, n, k = pick(small), pick(small), pick(small)
    dtype = pick(st.sampled_from(["bf16", "f16"]))
    lhs = d.arg(*pick(st.sampled_from([(m, k), (2, m, k)])), dtype=dtype)
    values = [d.dot(lhs, d.arg(k, n, dtype=dtype), [len(lhs.sizes) - 1], [0])]
    for _ in range(pick(st.integers(1, 6))):
        x = pick(st.sampled_from(values))
        match pick(st.sampled_from(("act", "swap", "flat", "split", "bias", "like", "pair", "self", "cast"))):
            case "act":
                values.append(pick(st.sampled_from([relu, clamp, leaky]))(d, x))
            case "swap":
                values.append(d.transpose(x, *pick(st.permutations(range(len(x.sizes))))))
            case "flat":
                values.append(d.reshape(x, math.prod(x.sizes)))
            case "split" if len(x.sizes) < 4:
                last = x.sizes[-1]
                part = next(p for p in (2, 17, 1) if last % p == 0)
                values.append(d.reshape(x, *x.sizes[:-1], part, last // part))
            case "bias":
                values.append(biased(d, x))
            case "like":
                values.append(d.binary("add", x, d.arg(*x.sizes, dtype="f32")))
            case "pair":
                values.append(d.binary("add", x, pick(st.sampled_from([v for v in values if v.type == x.type]))))
            case "self" if len(x.sizes) == 2 and x.sizes[0] == x.sizes[1]:
                values.append(d.binary("sub", x, d.transpose(x, 1, 0)))
            case _:
                values.append(d.cast(d.cast(x, dtype), "f32"))
    d.results = (values[-1], *(pick(st.lists(st.sampled_from(values), max_size=1))))
    return d


@settings(max_examples=examples(12))
@given(program=compositions(), seed=seeds)
def test_compositions_come_out_bit_for_bit(program: Draft, seed: int):
    results = at_all_levels(program.text, *program.arrays(seed, integers=True))
    for level, got in results.items():
        for k, (value, want) in enumerate(zip(got, results["ptir"], strict=True)):
            np.testing.assert_array_equal(value, want, f"result {k} at {level}\n{program.text}", strict=True)


# --- roundings and special values ---------------------------------------------------------------


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_activations_are_numpys(name: str):
    d = draft(name, (31, 17, 65), "bf16")
    arrays = d.arrays(1, integers=False)
    (want,) = d.oracle(arrays)
    near = 1e-2 if name == "through_16_bits" else 2e-5
    for level, (got,) in at_all_levels(d.text, *arrays).items():
        np.testing.assert_allclose(got, want, rtol=near, atol=near, err_msg=level)


def test_special_values_pass_through_every_level():
    """Inf and NaN of an operand reach exactly the rows that read them; padding adds none."""
    d = draft("none", (17, 17, 17), "bf16")
    x, w, b = d.arrays(4, integers=True)
    x[3, 5], x[16, 16], w[:, 2] = np.inf, np.nan, 1
    with np.errstate(invalid="ignore"):
        want = (x.astype(np.float64) @ w.astype(np.float64) + b).astype(np.float32)
    assert np.isinf(want[3, 2]) and np.isnan(want[16]).all() and np.isfinite(want[4:16]).all()
    for level, (got,) in at_all_levels(d.text, x, w, b).items():
        np.testing.assert_array_equal(got, want, level)


# --- reductions ---------------------------------------------------------------------------------


@pytest.mark.parametrize("accum", ["si8", "ui8", "si16", "ui16", "si32", "ui64"])
@pytest.mark.parametrize("dtype", ["si8", "ui8", "si16", "ui32", "si64"])
def test_sums_of_integers_wrap(dtype: str, accum: str):
    """This also holds if the accumulator is narrower than the elements, or has another signedness."""
    source = f"""func.func @f(%x: tensor<3x6x{dtype}>) -> tensor<3x{accum}> {{
      %y = tiny.reduce sum %x axes [1] accum {accum} : tensor<3x6x{dtype}> -> tensor<3x{accum}>
      func.return %y : tensor<3x{accum}>
    }}"""
    numpy, result = (np.dtype(name.replace("ui", "uint").replace("si", "int")) for name in (dtype, accum))
    low, high = np.iinfo(numpy).min, np.iinfo(numpy).max
    x = np.array([[low, low, low, high, 1, 2], [high, high, 3, 5, 8, 13], [low, high, 1, 1, 0, 0]], numpy)
    want = (x.astype(object).sum(1) % 2**64).astype(np.uint64).astype(result)
    for level, (got,) in at_all_levels(source, x).items():
        np.testing.assert_array_equal(got, want, level, strict=True)


@pytest.mark.parametrize(("kind", "fold"), [("any", np.any), ("all", np.all)])
def test_reductions_of_predicates(kind: str, fold: Any):
    source = f"""module attributes {{ptir.extensions}} {{ func.func @f(%x: tensor<4x3xi1>) -> tensor<4xi1> {{
      %y = ptir.reduce {kind} %x axes [1] : tensor<4x3xi1> -> tensor<4xi1>
      func.return %y : tensor<4xi1>
    }} }}"""
    x = np.array([[0, 0, 0], [0, 1, 0], [1, 1, 0], [1, 1, 1]], bool)
    for level, (got,) in at_all_levels(source, x).items():
        np.testing.assert_array_equal(got, fold(x, axis=1), level, strict=True)
