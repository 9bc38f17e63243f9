"""
Contractions of fp8, also of its two formats with each other, and of signed with unsigned bytes: levels from `ptir` to `pto` have
the same results, the detector finds them, and bounds accept the errors of Hopper's tensor cores on fp8, but no larger ones.

The oracles are float64, in which products of fp8 and their sums are exact here, and a model of the tensor core that follows the
sources cited in `semantics/bounds/sums.py`.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import ptir
from ptir.errors import Unsupported
from ptir.passes.errors import MeaningChanged
from ptir.passes.manager import PassManager
from ptir.runtime.devices import Emulator
from ptir.semantics.bounds import bounds, check
from ptir.semantics.interpreter import call

from ..passes.test_validate_passes import passes, validated, wrong
from .test_contraction_dtypes import chain, found, product, tiles, wrap

pytestmark = pytest.mark.sampled(4)

F32, F64 = np.float32, np.float64
E4, E5 = "f8E4M3FN", "f8E5M2"
NUMPY: dict[str, Any] = {
    E4: ml_dtypes.float8_e4m3fn, E5: ml_dtypes.float8_e5m2, "bf16": ml_dtypes.bfloat16, "f16": np.float16, "f32": F32,
    "i8": np.int8, "si8": np.int8, "ui8": np.uint8, "i32": np.int32, "si32": np.int32,
}  # fmt: skip
FP8 = [(E4, E4), (E5, E5), (E4, E5), (E5, E4)]
BYTES = [("ui8", "si8"), ("i8", "ui8"), ("ui8", "i8"), ("si8", "i8")]
LEVELS = {"ptir": "builtin.module()", "tiny": "ptir-to-tiny", "region": "ptir-to-tiny,form-regions"}
M, K, N = 4, 7, 4
"""The sizes of `tiles`."""


def dot(a: str, b: str, accum: str, out: str, sizes: tuple[int, int, int] = (M, K, N)) -> str:
    """Returns @f for x · w of these types, without casts."""
    m, k, n = sizes
    x, w, y = f"tensor<{m}x{k}x{a}>", f"tensor<{k}x{n}x{b}>", f"tensor<{m}x{n}x{out}>"
    return f"""
func.func @f(%x: {x}, %w: {w}) -> {y} {{
  %0 = ptir.dot_general %x, %w contract [1] x [0] accum {accum} out {out} : ({x}, {w}) -> {y}
  func.return %0 : {y}
}}"""


def lowered(text: str, level: str) -> Any:
    """Returns @f at a level, after printing and parsing."""
    return ptir.parse(str(PassManager(LEVELS[level]).run(ptir.parse(text))))


def operands(a: str, b: str, seed: int = 0, sizes: tuple[int, int, int] = (M, K, N)) -> tuple[Any, Any]:
    m, k, n = sizes
    rng = np.random.default_rng(seed)

    def draw(t: str, size: tuple[int, int]) -> Any:
        if t.endswith("i8"):
            info = np.iinfo(NUMPY[t])
            return rng.integers(info.min, info.max, size, NUMPY[t], endpoint=True)
        return rng.standard_normal(size).astype(NUMPY[t])

    return draw(a, (m, k)), draw(b, (k, n))


# --- one meaning on every level -----------------------------------------------------------------


@pytest.mark.parametrize("level", [*LEVELS, "pto"])
@pytest.mark.parametrize("out", ["f32", "bf16", "f16", E4])
@pytest.mark.parametrize(("a", "b"), FP8)
def test_fp8_is_exact_on_every_level(a: str, b: str, out: str, level: str):
    """Seven products of fp8 have fewer than 24 digits here: nothing is rounded but the result, once."""
    if level == "pto" and out != "f32":
        pytest.skip("written for f32")
    module = ptir.parse(tiles(a, b, "f32")) if level == "pto" else lowered(dot(a, b, "f32", out), level)
    for seed in range(3):
        rng = np.random.default_rng(seed)
        x, w = ((rng.integers(-12, 13, (4 if t == a else 7, 7)[:2]) / 4).astype(NUMPY[t]) for t in (a, b))
        x, w = x[:M], np.resize(w, (K, N)).astype(NUMPY[b])
        (got,) = call(module, "f", x, w)
        want = x.astype(F64) @ w.astype(F64)
        assert got.dtype == NUMPY[out]
        with np.errstate(all="ignore"):
            np.testing.assert_array_equal(got.astype(F64), want.astype(F32).astype(NUMPY[out]).astype(F64))


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("out", ["f32", "bf16"])
@pytest.mark.parametrize(("a", "b"), FP8)
def test_the_sum_is_rounded_once(a: str, b: str, out: str, level: str):
    x, w = operands(a, b, 1, (3, 200, 5))
    (got,) = call(lowered(dot(a, b, "f32", out, (3, 200, 5)), level), "f", x, w)
    exact = [[sum(Fraction(p) * Fraction(q) for p, q in zip(r, c, strict=True)) for c in w.astype(F64).T.tolist()]
             for r in x.astype(F64).tolist()]  # fmt: skip
    want = np.array([[float(v) for v in row] for row in exact]).astype(F32).astype(NUMPY[out])
    np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("level", [*LEVELS, "pto"])
@pytest.mark.parametrize("accum", ["i32", "si32"])
@pytest.mark.parametrize(("a", "b"), BYTES)
def test_bytes_of_two_signs(a: str, b: str, accum: str, level: str):
    module = ptir.parse(tiles(a, b, accum)) if level == "pto" else lowered(dot(a, b, accum, accum), level)
    for seed in range(3):
        x, w = operands(a, b, seed)
        (got,) = call(module, "f", x, w)
        np.testing.assert_array_equal(got, x.astype(np.int64) @ w.astype(np.int64))
        (i,) = bounds(module, "f", x, w)
        assert check(got, i).ok and not check(got + np.int32(1), i).ok


@pytest.mark.parametrize("level", LEVELS)
def test_sums_of_two_signs_wrap(level: str):
    k = 70_000
    module = lowered(dot("ui8", "si8", "i32", "i32", (1, k, 1)), level)
    (got,) = call(module, "f", np.full((1, k), 255, np.uint8), np.full((k, 1), -128, np.int8))
    assert got[0] == wrap(-255 * 128 * k) != -255 * 128 * k


@pytest.mark.parametrize(("a", "b"), BYTES)
def test_bytes_of_two_signs_are_multiplied_on_sm80(a: str, b: str):
    sizes = (20, 48, 33)
    x, w = operands(a, b, 2, sizes)
    (got,) = ptir.compile(dot(a, b, "i32", "i32", sizes), device=Emulator())(x, w)
    np.testing.assert_array_equal(got, x.astype(np.int64) @ w.astype(np.int64))


@pytest.mark.parametrize("types", [(a, b, "f32", "bf16") for a, b in FP8] + [("ui8", "si8", "i32", "i32")], ids=str)
def test_right_passes_are_no_false_alarm(types: tuple[str, str, str, str]):
    for seed in range(3):
        validated(dot(*types), *passes("ptir-to-tiny,form-regions"), samples=8, seed=seed)


@pytest.mark.parametrize(
    ("text", "pattern", "replacement"),
    [
        (dot("ui8", "si8", "i32", "i32"), r"(%\d) = ptir.dot_general %x, %w (.*)", r"%z = ptir.cast %x : tensor<4x7xui8> -> tensor<4x7xsi8>\n"
         r"  \1 = ptir.dot_general %z, %w contract [1] x [0] accum i32 out i32 : (tensor<4x7xsi8>, tensor<7x4xsi8>) -> tensor<4x4xi32>"),
        (dot(E4, E5, "f32", "f32"), r"(%\d) = ptir.dot_general %x, %w (.*)", r"%z = ptir.cast %w : tensor<7x4xf8E5M2> -> tensor<7x4xf8E4M3FN>\n"
         r"  \1 = ptir.dot_general %x, %z contract [1] x [0] accum f32 out f32 : (tensor<4x7xf8E4M3FN>, tensor<7x4xf8E4M3FN>) -> tensor<4x4xf32>"),
    ],
    ids=["sign", "kind"],
)  # fmt: skip
def test_reading_an_operand_as_the_other_s_type_is_caught(text: str, pattern: str, replacement: str):
    with pytest.raises(MeaningChanged, match="'wrong'"):
        validated(text, wrong(pattern, replacement))


# --- what the detector finds --------------------------------------------------------------------


@pytest.mark.parametrize("pipeline", ["ptir-to-tiny", "ptir-to-tiny,form-regions"])
@pytest.mark.parametrize(("a", "b", "accum"), [(a, b, "f32") for a, b in FP8] + [(a, b, "i32") for a, b in BYTES])
def test_each_pair_is_found(a: str, b: str, accum: str, pipeline: str):
    (c,) = found(dot(a, b, accum, accum), pipeline)
    assert ([str(t) for t in c.dtypes], c.precision) == ([a, b, accum], "exact")


STEPS: list[tuple[tuple[str, ...], tuple[str, ...], str, str, tuple[str, str]]] = [
    # left, right, type of x, type of w, what the sources are: the argument (x, w) or an op
    (("cast",), ("cast",), E4, E5, ("x", "w")),
    (("cast", "moved"), ("moved", "cast", "moved"), E5, E4, ("x", "w")),
    (("cast", "tf32"), ("cast", "tf32"), E4, E4, ("x", "w")),
    (("cast",), ("cast",), E4, "bf16", ("cast", "cast")),
    (("cast",), ("moved",), E5, "f32", ("cast", "w")),
]


@pytest.mark.parametrize(("left", "right", "x", "w", "sources"), STEPS, ids=str)
def test_what_is_seen_through(left: Any, right: Any, x: str, w: str, sources: tuple[str, str]):
    text = product(chain("%x", "%l", "4x1x6", x, *left), chain("%w", "%r", "1x5x6", w, *right), x, w)
    (c,) = found(text, "builtin.module()")
    for side, source in zip((c.lhs, c.rhs), sources, strict=True):
        assert (side.value.name_hint if source in ("x", "w") else side.value.owner.fn.data) == source


def through(middle: str, a: str = E4, b: str = E5, sizes: tuple[int, int, int] = (M, K, N)) -> str:
    """Returns x · w of fp8 operands that the program casts to `middle` first."""
    m, k, n = sizes
    x, w, y = f"tensor<{m}x{k}x$>", f"tensor<{k}x{n}x$>", f"tensor<{m}x{n}xf32>"
    return f"""
func.func @f(%x: {x.replace("$", a)}, %w: {w.replace("$", b)}) -> {y} {{
  %a = ptir.cast %x : {x.replace("$", a)} -> {x.replace("$", middle)}
  %b = ptir.cast %w : {w.replace("$", b)} -> {w.replace("$", middle)}
  %0 = ptir.dot_general %a, %b contract [1] x [0] accum f32 out f32 : ({x.replace("$", middle)}, {w.replace("$", middle)}) -> {y}
  func.return %0 : {y}
}}"""


@pytest.mark.parametrize(("middle", "want"), [("f32", [E4, E5]), ("bf16", ["bf16"] * 2), ("f16", ["f16"] * 2)])
def test_who_casts_to_16_bits_gets_products_of_16_bits(middle: str, want: list[str]):
    (c,) = found(through(middle))
    assert [str(t) for t in c.dtypes] == [*want, "f32"]


def test_fp8_is_multiplied_as_bf16_where_a_program_says_so():
    """The way around a machine without wgmma."""
    sizes = (20, 40, 36)
    x, w = operands(E4, E5, 3, sizes)
    (got,) = ptir.compile(through("bf16", sizes=sizes), arch="sm89", device=Emulator())(x, w)
    (i,) = bounds(ptir.parse(through("bf16", sizes=sizes)), "f", x, w)
    assert check(got, i).ok


@pytest.mark.parametrize("arch", ["sm80", "sm89"])
@pytest.mark.parametrize(("a", "b"), [(E4, E4), (E5, E4)])
def test_machines_without_wgmma_sum_products_of_fp8_in_a_loop(a: str, b: str, arch: str):
    sizes = (20, 40, 36)
    x, w = operands(a, b, 3, sizes)
    text = dot(a, b, "f32", "f32", sizes)
    compiled = ptir.compile(text, arch=arch, device=Emulator())
    (i,) = bounds(ptir.parse(text), "f", x, w)
    assert check(compiled(x, w)[0], i).ok
    assert "mma" not in compiled.program.cuda


@pytest.mark.parametrize("arch", ["sm80", "sm89", "sm90"])
def test_tile_programs_of_fp8_need_a_plan_with_roles(arch: str):
    sizes = 'tile = [16, 16, 32], stages = 2, warp_tile = "16x16", vectorize = {axis = "n.i.i", width = 1}'
    plan = f'plan #plan.schedule<{{arch = "{arch}", {sizes}}}> {{'
    text = tiles(E4, E5, "f32").replace("gmem) {", f"gmem) {plan}", 1)
    with pytest.raises(Unsupported, match=f"a contraction of {E4} and {E5} into f32") as caught:
        PassManager("pto-to-nv").run(ptir.parse(text))
    assert all(word in caught.value.help for word in ("wgmma", "sm90", "roles"))


# --- bounds -------------------------------------------------------------------------------------


def tensor_core(x: Any, w: Any, run: int = 128, digits: int = 14) -> Any:
    """
    Hopper's fp8: 32 products and the sum so far are aligned to the largest and cut off after so many digits; after `run`
    products the sum is added to one of f32.
    """
    left, right = x.astype(F64), w.astype(F64)
    total = np.zeros((left.shape[0], right.shape[1]), F32)
    for start in range(0, left.shape[1], run):
        part = np.zeros(total.shape)
        for k in range(start, min(start + run, left.shape[1]), 32):
            terms = left[:, k : k + 32, None] * right[None, k : k + 32]
            terms = np.concatenate([terms, part[:, None]], axis=1)
            _, exponent = np.frexp(np.abs(terms).max(axis=1, keepdims=True))
            step = np.ldexp(1.0, exponent - digits)
            part = (np.trunc(terms / step) * step).sum(axis=1)
            _, exponent = np.frexp(part)
            step = np.ldexp(1.0, exponent - digits)
            part = np.trunc(part / step) * step
        total = total + part.astype(F32)
    return total


DRAWS: dict[str, Any] = {
    "normal": lambda rng, size: rng.standard_normal(size),
    "positive": lambda rng, size: rng.random(size) + 0.25,
    "wide": lambda rng, size: rng.standard_normal(size) * np.exp2(rng.integers(-5, 6, size)),
    "spike": lambda rng, size: np.where(rng.random(size) < 0.02, 100.0, rng.standard_normal(size)),
}


@pytest.mark.parametrize("k", [16, 128, 1000, 4096])
@pytest.mark.parametrize("kind", DRAWS)
@pytest.mark.parametrize(("a", "b"), [(E4, E4), (E4, E5)])
def test_what_tensor_cores_lose_is_inside(a: str, b: str, kind: str, k: int):
    sizes = (12, k, 12)
    rng = np.random.default_rng(k)
    x, w = DRAWS[kind](rng, (12, k)).astype(NUMPY[a]), DRAWS[kind](rng, (k, 12)).astype(NUMPY[b])
    exact = (x.astype(F64) @ w.astype(F64)).astype(F32)
    text = dot(a, b, "f32", "f32", sizes)
    for module in (lowered(text, level) for level in LEVELS):
        for tight in (False, True):
            (i,) = bounds(module, "f", x, w, tight=tight)
            assert check(tensor_core(x, w), i).ok and check(exact, i).ok


def test_sums_that_are_never_promoted_are_outside():
    rng = np.random.default_rng(0)
    sizes = (8, 4096, 8)
    x, w = (DRAWS["positive"](rng, s).astype(NUMPY[E4]) for s in ((8, 4096), (4096, 8)))
    (i,) = bounds(ptir.parse(dot(E4, E4, "f32", "f32", sizes)), "f", x, w)
    assert check(tensor_core(x, w), i).ok
    assert not check(tensor_core(x, w, run=4096), i).ok
    assert not check(tensor_core(x, w, digits=10), i).ok


@pytest.mark.parametrize("level", LEVELS)
def test_errors_are_outside(level: str):
    sizes = (8, 64, 8)
    x, w = operands(E4, E5, 7, sizes)
    (i,) = bounds(lowered(dot(E4, E5, "f32", "f32", sizes), level), "f", x, w, tight=True)
    right = x.astype(F64) @ w.astype(F64)
    assert check(right.astype(F32), i).ok
    assert not check((x[:, :-1].astype(F64) @ w[:-1].astype(F64)).astype(F32), i).ok, "a term less"
    size = np.abs(x.astype(F64)) @ np.abs(w.astype(F64))
    assert not check((right + size * 0.006).astype(F32), i).ok


@pytest.mark.parametrize("level", LEVELS)
def test_other_products_have_no_such_slack(level: str):
    """Bounds are not widened for products of bf16 (also if cast from fp8), of fp8 with f32, and of values computed from fp8."""
    sizes = (8, 1024, 8)
    rng = np.random.default_rng(1)
    x, w = (DRAWS["positive"](rng, s).astype(NUMPY[E4]) for s in ((8, 1024), (1024, 8)))
    exact, less = (x.astype(F64) @ w.astype(F64)).astype(F32), tensor_core(x, w)
    assert (exact != less).all()
    twice = (
        through("f32", E4, E4, sizes)
        .replace("%0 =", "%c = ptir.add %a, %a : tensor<8x1024xf32>\n  %0 =")
        .replace("%a, %b contract", "%c, %b contract")
    )
    half = (
        through("f32", E4, E4, sizes)
        .replace("tensor<1024x8xf8E4M3FN>", "tensor<1024x8xf32>")
        .replace(
            "%b = ptir.cast %w : tensor<1024x8xf32> -> tensor<1024x8xf32>", "%b = ptir.abs %w : tensor<1024x8xf32>"
        )
    )
    for text, right, scale in (
        (through("bf16", E4, E4, sizes), w, 1), (through("f16", E4, E4, sizes), w, 1), (twice, w, 2), (half, w.astype(F32), 1)
    ):  # fmt: skip
        (i,) = bounds(lowered(text, level), "f", x, right)
        assert check(scale * exact, i).ok and not check(scale * less, i).ok
    rounded = through("f32", E4, E4, sizes).replace("out f32 :", "out f32 precision tf32 :")
    for text in (dot(E4, E4, "f32", "f32", sizes), through("f32", E4, E4, sizes), rounded):
        (i,) = bounds(lowered(text, level), "f", x, w)
        assert check(exact, i).ok and check(less, i).ok


@pytest.mark.parametrize("level", [*LEVELS, "pto"])
@pytest.mark.parametrize(("a", "b"), FP8)
def test_small_integers_leave_no_choice(a: str, b: str, level: str):
    k = K if level == "pto" else 4000
    rng = np.random.default_rng(5)
    x, w = rng.integers(-4, 5, (M, k)).astype(NUMPY[a]), rng.integers(-4, 5, (k, N)).astype(NUMPY[b])
    module = ptir.parse(tiles(a, b, "f32")) if level == "pto" else lowered(dot(a, b, "f32", "f32", (M, k, N)), level)
    want = (x.astype(F64) @ w.astype(F64)).astype(F32)
    np.testing.assert_array_equal(tensor_core(x, w), want)
    (i,) = bounds(module, "f", x, w, tight=True)
    assert check(want, i).ok and not check(want + F32(1), i).ok and not check(want - F32(2**-10), i).ok


def test_large_values_elsewhere_take_no_digits_away():
    x, w = np.full((M, 64), 3, NUMPY[E4]), np.full((64, N), -2, NUMPY[E4])
    x[0, 0] = 256
    (i,) = bounds(ptir.parse(dot(E4, E4, "f32", "f32", (M, 64, N))), "f", x, w, tight=True)
    want = (x.astype(F64) @ w.astype(F64)).astype(F32)
    assert check(want, i).ok and not check(want + np.array([[0], [1], [0], [0]], F32), i).ok


@pytest.mark.parametrize("level", LEVELS)
def test_larger_integers_may_be_cut_off(level: str):
    """Sums of 128 beyond 2¹³ need more digits than fp8 tensor cores keep; f32 has them."""
    sizes = (8, 128, 8)
    rng = np.random.default_rng(6)
    x, w = (rng.integers(9, 17, s).astype(NUMPY[E4]) for s in ((8, 128), (128, 8)))
    less, exact = tensor_core(x, w), (x.astype(F64) @ w.astype(F64)).astype(F32)
    assert (less != exact).any()
    (i,) = bounds(lowered(dot(E4, E4, "f32", "f32", sizes), level), "f", x, w, tight=True)
    assert check(less, i).ok and check(exact, i).ok
    (j,) = bounds(lowered(through("bf16", E4, E4, sizes), level), "f", x, w, tight=True)
    assert check(exact, j).ok and not check(less, j).ok


@pytest.mark.parametrize("level", LEVELS)
def test_sums_in_f64_have_no_such_slack(level: str):
    """No tensor core sums fp8 in f64."""
    sizes = (8, 128, 8)
    x, w = operands(E4, E4, 8, sizes)
    (i,) = bounds(lowered(dot(E4, E4, "f64", "f64", sizes), level), "f", x, w)
    exact = x.astype(F64) @ w.astype(F64)
    assert check(exact, i).ok and not check(tensor_core(x, w).astype(F64), i).ok


def test_an_infinite_term_is_what_it_was():
    x, w = np.ones((M, K), NUMPY[E5]), np.ones((K, N), NUMPY[E4])
    x[0, 0], x[1, 0], w[0, 0] = np.inf, np.nan, 0.0
    for level in LEVELS:
        (i,) = bounds(lowered(dot(E5, E4, "f32", "f32"), level), "f", x, w, tight=True)
        with np.errstate(all="ignore"):
            want = (x.astype(F64) @ w.astype(F64)).astype(F32)
        assert check(want, i).ok
        finite = np.where(np.isfinite(want), want, F32(3))
        assert not check(finite, i).ok
