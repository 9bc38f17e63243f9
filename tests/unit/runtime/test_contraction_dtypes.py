"""
Contractions of f32, tf32, f64 and 8-bit integers: levels from `ptir` to `pto` have the same results, the detector finds them, and
bounds accept any order of the sum but nothing else. Oracles are bits, integers and fractions.
"""

from __future__ import annotations

import logging
from fractions import Fraction
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.dialects.builtin import IntegerType, Signedness

import ptir
from ptir.analysis.index.book import IndexBook
from ptir.analysis.regions.contraction import Contraction, find_contraction
from ptir.dialects.common.shapes import widens_exactly
from ptir.dialects.region import RegionKernelOp
from ptir.passes.errors import MeaningChanged
from ptir.passes.manager import PassManager
from ptir.semantics.arrays.scalars import FUNCTIONS
from ptir.semantics.bounds import bounds, check
from ptir.semantics.bounds.extensions import UNARY
from ptir.semantics.bounds.intervals import Interval
from ptir.semantics.interpreter import call

from ..builders.amount import examples
from ..passes.test_validate_passes import passes, validated, wrong

pytestmark = pytest.mark.sampled(4)

F32, F64 = np.float32, np.float64
NUMPY: dict[str, Any] = {
    "f32": F32, "f64": F64, "bf16": ml_dtypes.bfloat16, "f16": np.float16, "i8": np.int8, "si8": np.int8,
    "ui8": np.uint8, "i32": np.int32, "si32": np.int32,
}  # fmt: skip


# --- the rounding -------------------------------------------------------------------------------


def tf32(x: Any) -> Any:
    """Rounds to tf32 as SM80's instructions do: adds half a unit to the bits, then truncates. Preserves infinities and NaNs."""
    bits = np.asarray(x, F32).view(np.uint32)
    with np.errstate(over="ignore"):
        rounded = ((bits + np.uint32(0x1000)) & np.uint32(0xFFFFE000)).view(F32)
    return np.where(np.isfinite(x), rounded, x)


LOW_BITS = np.array([0, 1, 0xFFF, 0x1000, 0x1001, 0x1FFF, 0x2000, 0x2FFF, 0x3000, 0x3001, 0xF000, 0xFFFF], np.uint32)
EVERY_KIND = (np.arange(1 << 16, dtype=np.uint32)[:, None] << 16 | LOW_BITS).reshape(-1).view(F32)
"""
f32 numbers with all signs, exponents and high fraction bits, at and beside every tie, including subnormals, infinities and NaNs.
"""


def same(got: Any, want: Any) -> None:
    np.testing.assert_array_equal(got, want)
    zero = want == 0
    np.testing.assert_array_equal(np.signbit(got[zero]), np.signbit(want[zero]))


def test_tf32_is_what_the_bits_say():
    same(FUNCTIONS["tf32"](EVERY_KIND), tf32(EVERY_KIND))


@pytest.mark.parametrize(
    ("value", "want"),
    [
        (1 + 2**-11, 1 + 2**-10),  # a tie goes away from zero, not to even
        (-1 - 2**-11, -1 - 2**-10),
        (1 + 2**-11 - 2**-23, 1.0),
        (2 - 2**-23, 2.0),
        (2.0**-149, 0.0),
        (-(2.0**-149), -0.0),
        (2.0**-137, 2.0**-136),
        (3.4028235e38, np.inf),
        (np.inf, np.inf),
        (np.nan, np.nan),
    ],
)
def test_tf32_of(value: float, want: float):
    same(FUNCTIONS["tf32"](np.array([value], F32)), np.array([want], F32))


@pytest.mark.parametrize("dtype", [ml_dtypes.bfloat16, np.float16, ml_dtypes.float8_e5m2, ml_dtypes.float8_e4m3fn])
def test_narrower_floats_are_values_of_tf32(dtype: Any):
    """Why a contraction of 16-bit operands that are rounded to tf32 is exact."""
    count = 8 * np.dtype(dtype).itemsize
    values = np.arange(1 << count).astype(np.uint16 if count == 16 else np.uint8).view(dtype).astype(F32)
    same(FUNCTIONS["tf32"](values), values)
    same(tf32(values), values)


def test_twice_is_as_once():
    once = FUNCTIONS["tf32"](EVERY_KIND)
    same(FUNCTIONS["tf32"](once), once)


INTEGERS = [IntegerType(w, s) for w in (4, 8, 16, 32, 64) for s in Signedness]


def values_of(t: IntegerType) -> range:
    unsigned, w = t.signedness.data == Signedness.UNSIGNED, t.width.data
    return range(0 if unsigned else -(2 ** (w - 1)), 2 ** (w - (not unsigned)))


@pytest.mark.parametrize("src", INTEGERS, ids=str)
def test_integers_widen_exactly_where_every_value_fits(src: IntegerType):
    """Signless integers are signed, here as in the interpreters."""
    for dst in INTEGERS:
        mine, theirs = values_of(src), values_of(dst)
        assert widens_exactly(src, dst) == (mine[0] in theirs and mine[-1] in theirs), f"{src} to {dst}"
    assert not widens_exactly(IntegerType(1), src)


# --- one meaning on every level -----------------------------------------------------------------

M, K, N = 4, 7, 4


def dot(a: str, b: str, accum: str, precision: str = "", sizes: tuple[int, int, int] = (M, K, N)) -> str:
    """Returns @f for x · w in `ptir`. Operands of different types are cast to the accumulator type first."""
    m, k, n = sizes
    x, w, out = f"tensor<{m}x{k}x$>", f"tensor<{k}x{n}x$>", f"tensor<{m}x{n}x{accum}>"
    casts, t = "", a
    left, right = "%x", "%w"
    if a != b:
        left, right, t = "%a", "%b", accum
        casts = "\n".join(
            f"%{to} = ptir.cast %{of} : {s.replace('$', d)} -> {s.replace('$', accum)}"
            for to, of, s, d in (("a", "x", x, a), ("b", "w", w, b))
        )
    return f"""
func.func @f(%x: {x.replace("$", a)}, %w: {w.replace("$", b)}) -> {out} {{
  {casts}
  %0 = ptir.dot_general {left}, {right} contract [1] x [0] accum {accum} out {accum}{precision} : ({x.replace("$", t)}, {w.replace("$", t)}) -> {out}
  func.return %0 : {out}
}}"""


def tiles(a: str, b: str, accum: str, precision: str = "", start: str = "") -> str:
    """Returns @f in `pto`, with two steps of four along K, of which the second has a tail."""
    left, right, acc = (f"!pto.tile<4x4x{t}, #pto.tile_info<loc={{}}>>" for t in (a, b, accum))
    ring = f"!pto.channel<2, [{left.format('Mat')}, {right.format('Mat')}]>"
    pair = f"{left.format('Mat')}, {right.format('Mat')}"
    sums, zero = acc.format("Acc"), "0.0" if accum.startswith("f") else "0"
    x, w, y = f"memref<{M}x{K}x{a}>", f"memref<{K}x{N}x{b}>", f"memref<{M}x{N}x{accum}>"
    return f"""
pto.kernel @k(%x: {x} align 16, %w: {w} align 16) -> (%y: {y} align 16 gmem) {{
pto.tiles (%m, %n) in [4, 4] step [4, 4] {{
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c7 = arith.constant 7 : index
  %ring = pto.channel : {ring}
  pto.process {{
    scf.for %k = %c0 to %c7 step %c4 {{
      pto.channel.acquire %ring : {ring}
      %a = pto.tile.load.map %x[%m, %n, %k] by <"{{ [i0, i1, i2] -> [(i0), (i2)] }}"> in [4, 4, 7] dims [0, 2] : {x} -> {left.format("Mat")}
      %b = pto.tile.load.map %w[%m, %n, %k] by <"{{ [i0, i1, i2] -> [(i2), (i1)] }}"> in [4, 4, 7] dims [2, 1] : {w} -> {right.format("Mat")}
      pto.channel.commit %ring, %a, %b : {ring}, {pair}
    }}
  }}
  %zero = pto.tile.expands {start or zero} : {accum} : {sums}
  %sum = scf.for %k = %c0 to %c7 step %c4 iter_args(%s = %zero) -> ({sums}) {{
    %a, %b = pto.channel.wait %ring : {ring} -> {pair}
    %l = pto.tile.mov.m2l %a : {left.format("Mat")} -> {left.format("Left")}
    %r = pto.tile.mov.m2r %b : {right.format("Mat")} -> {right.format("Right")}
    %t = pto.tile.matmul.acc %s, %l, %r{precision} : {sums}, {left.format("Left")}, {right.format("Right")} -> {sums}
    pto.channel.release %ring : {ring}
    scf.yield %t : {sums}
  }}
  %v = pto.tile.mov.a2v %sum : {sums} -> tile<4x4x{accum}>
  pto.tile.store.map %v, %y[%m, %n] by <"{{ [i0, i1] -> [(i0), (i1)] }}"> in [4, 4] dims [0, 1] : tile<4x4x{accum}>, {y}
}} }}
func.func @f(%x: {x}, %w: {w}) -> {y} {{
  %y = memref.alloc() : {y}
  region.launch @k ins(%x, %w : {x}, {w}) outs(%y : {y})
  func.return %y : {y}
}}"""


LEVELS = {"ptir": "", "tiny": "ptir-to-tiny", "region": "ptir-to-tiny,form-regions"}
TF32 = ("f32", "f32", "f32", " precision tf32")
TYPES = [
    TF32,
    ("f32", "f32", "f32", ""),
    ("f64", "f64", "f64", ""),
    ("bf16", "bf16", "f32", ""),
    ("i8", "i8", "i32", ""),
    ("si8", "si8", "i32", ""),
    ("ui8", "ui8", "i32", ""),
    ("ui8", "i8", "i32", ""),
    ("i8", "ui8", "si32", ""),
]


def at(level: str, types: tuple[str, str, str, str]) -> Any:
    """Returns @f at a level, after printing and parsing."""
    if level == "pto":
        return ptir.parse(str(ptir.parse(tiles(*types))))
    lowered = PassManager(LEVELS[level] or "builtin.module()").run(ptir.parse(dot(*types)))
    return ptir.parse(str(lowered))


def operands(a: str, b: str, seed: int = 0, sizes: tuple[int, int, int] = (M, K, N)) -> list[Any]:
    m, k, n = sizes
    rng = np.random.default_rng(seed)
    arrays: list[Any] = []
    for t, size in ((a, (m, k)), (b, (k, n))):
        dtype = NUMPY[t]
        whole = rng.integers(-128, 128, size) if t.endswith("i8") else rng.standard_normal(size)
        arrays.append(whole.astype(dtype))
    return arrays


def exact(x: Any, w: Any) -> list[Fraction]:
    """Returns Σ x · w, computed exactly."""
    rows, columns = x.astype(F64), w.astype(F64).T
    return [
        sum((Fraction(p) * Fraction(q) for p, q in zip(r, c, strict=True)), Fraction()) for r in rows for c in columns
    ]


@pytest.mark.parametrize("level", [*LEVELS, "pto"])
@pytest.mark.parametrize("types", TYPES, ids=str)
def test_every_level_means_the_same(level: str, types: tuple[str, str, str, str]):
    a, b, accum, precision = types
    module = at(level, types)
    for seed in range(3):
        x, w = operands(a, b, seed)
        left, right = (tf32(x), tf32(w)) if precision else (x, w)
        (got,) = call(module, "f", x, w)
        assert got.dtype == NUMPY[accum]
        sizes = exact(np.abs(left.astype(F64)), np.abs(right.astype(F64)))
        for value, want, size in zip(got.reshape(-1).tolist(), exact(left, right), sizes, strict=True):
            if accum.endswith("i32"):
                assert value == want
            else:  # one rounding (one per step in `pto`); each f64 product rounds, too, because no type represents it
                half = Fraction(float(np.spacing(NUMPY[accum](float(size))))) / 2
                roundings = 2 if level == "pto" else K if accum == "f64" else 1
                assert abs(Fraction(value) - want) <= half * roundings * Fraction(129, 128)


@pytest.mark.parametrize("level", [*LEVELS, "pto"])
def test_a_tie_is_rounded_away_from_zero_on_every_level(level: str):
    x, w = np.zeros((M, K), F32), np.zeros((K, N), F32)
    x[:, 0], w[0] = 1 + 2**-11, [1, -1, 1 + 2**-11, 1 + 2**-12]
    (got,) = call(at(level, TF32), "f", x, w)
    up = 1 + 2**-10
    np.testing.assert_array_equal(got, np.broadcast_to(np.array([up, -up, up * up, up], F32), (M, N)))


def wrap(n: int) -> int:
    return (n + 2**31) % 2**32 - 2**31


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(
    ("a", "b", "left", "right", "k"),
    [("i8", "i8", -128, -128, 140_000), ("ui8", "ui8", 255, 255, 40_000), ("ui8", "i8", 255, -128, 70_000)],
)
def test_sums_wrap(level: str, a: str, b: str, left: int, right: int, k: int):
    text = dot(a, b, "i32", sizes=(1, k, 1))
    module = PassManager(LEVELS[level] or "builtin.module()").run(ptir.parse(text))
    x, w = np.full((1, k), left, NUMPY[a]), np.full((k, 1), right, NUMPY[b])
    assert call(module, "f", x, w)[0] == wrap(left * right * k) != left * right * k
    (i,) = bounds(module, "f", x, w, tight=True)
    assert check(np.full((1, 1), wrap(left * right * k), np.int32), i).ok
    assert not check(np.full((1, 1), np.sign(left * right) * (2**31 - 1), np.int32), i).ok, "saturated"


@pytest.mark.parametrize(("a", "b"), [("i8", "i8"), ("ui8", "i8"), ("i8", "ui8"), ("ui8", "ui8")])
def test_tiles_of_integers_wrap(a: str, b: str):
    module = ptir.parse(tiles(a, b, "i32", start=str(2**31 - 3)))
    x, w = operands(a, b, 4)
    (got,) = call(module, "f", x, w)
    want = x.astype(np.int64) @ w.astype(np.int64) + 2**31 - 3
    np.testing.assert_array_equal(got, [[wrap(int(v)) for v in row] for row in want])
    assert (want != got).any()
    (i,) = bounds(module, "f", x, w)
    assert check(got, i).ok and not check(got + np.int32(1), i).ok


# --- bounds -------------------------------------------------------------------------------------


def f64_sums(x: Any, w: Any) -> dict[str, Any]:
    """Returns sums in several orders, all of which f64 hardware may compute."""
    terms = x[:, :, None] * w[None]
    return {
        "forward": terms.cumsum(axis=1)[:, -1],
        "backward": terms[:, ::-1].cumsum(axis=1)[:, -1],
        "split": sum(part.cumsum(axis=1)[:, -1] for part in np.array_split(terms, 4, axis=1)),
    }


@pytest.mark.parametrize("k", [4, 64, 1000, 4096])
def test_any_order_of_f64_is_inside_and_f32_is_not(k: int):
    module = ptir.parse(dot("f64", "f64", "f64", sizes=(8, k, 8)))
    x, w = operands("f64", "f64", k, (8, k, 8))
    (i,) = bounds(module, "f", x, w)
    right = x @ w
    for name, got in f64_sums(x, w).items():
        assert check(got, i).ok, name
    size = np.abs(x) @ np.abs(w)
    assert not check((x.astype(F32) @ w.astype(F32)).astype(F64), i).ok
    assert not check(right + size * 8 * np.sqrt(k) * 2.0**-52, i).ok, "the bound grows as √K, not as K"
    assert not check(x[:, :-1] @ w[:-1], i).ok


def test_integers_in_f64_are_exact_far_beyond_f32():
    module = ptir.parse(dot("f64", "f64", "f64"))
    x, w = (np.floor(v * 2**20) for v in operands("f64", "f64"))
    (i,) = bounds(module, "f", x, w, tight=True)
    assert check(x @ w, i).ok and not check(x @ w + 1 / 16, i).ok


def test_f64_sums_that_may_overflow_on_the_way_are_not_promised():
    module = ptir.parse(dot("f64", "f64", "f64", sizes=(2, 3, 1)))
    x = np.array([[1.7e308, 1.7e308, -1.7e308], [np.inf, 1, 1]])
    (i,) = bounds(module, "f", x, np.ones((3, 1)), tight=True)
    for value in (1.7e308, np.inf, np.nan):
        assert check(np.array([[value], [np.inf]]), i).ok
    assert not check(np.array([[1.7e308], [1e300]]), i).ok


@pytest.mark.parametrize("tight", [False, True])
def test_rounding_where_nobody_asked_is_outside_and_not_rounding_as_well(tight: bool):
    sizes = (8, 64, 8)
    x, w = operands("f32", "f32", 5, sizes)
    right, rounded = (p.astype(F64) @ q.astype(F64) for p, q in ((x, w), (tf32(x), tf32(w))))
    truncated = [(v.view(np.uint32) & np.uint32(0xFFFFE000)).view(F32).astype(F64) for v in (x, w)]
    (plain,) = bounds(ptir.parse(dot("f32", "f32", "f32", sizes=sizes)), "f", x, w, tight=tight)
    (asked,) = bounds(ptir.parse(dot(*TF32, sizes)), "f", x, w, tight=tight)
    assert check(right.astype(F32), plain).ok and not check(rounded.astype(F32), plain).ok
    assert check(rounded.astype(F32), asked).ok and not check(right.astype(F32), asked).ok
    assert not check((truncated[0] @ truncated[1]).astype(F32), asked).ok, "what an mma makes of unrounded operands"


@given(ends=st.tuples(*[st.floats(width=32, allow_nan=False)] * 2), where=st.floats(0, 1))
@settings(max_examples=examples(300))
def test_an_interval_is_rounded_by_its_ends(ends: tuple[float, float], where: float):
    lo, hi = sorted(ends)
    with np.errstate(all="ignore"):
        value = np.clip(np.nan_to_num(F32(lo + where * (hi - lo))), F32(lo), F32(hi))
        out = UNARY["tf32"](Interval(np.array(lo), np.array(hi), np.array(False), np.dtype(F32)))
        assert out.lo <= tf32(value) <= out.hi
        assert (out.lo, out.hi) == (tf32(F32(lo)), tf32(F32(hi)))


def test_a_tie_goes_to_either_neighbour_and_no_further():
    x, w = np.full((M, K), 1 + 2**-11, F32), np.eye(K, N, dtype=F32)
    for module in (at("ptir", TF32), at("tiny", TF32), at("region", TF32), at("pto", TF32)):
        (i,) = bounds(module, "f", x, w, tight=True)
        assert all(check(np.full((M, N), near, F32), i).ok for near in (1, 1 + 2**-10))
        assert not any(check(np.full((M, N), far, F32), i).ok for far in (1 - 2**-11, 1 + 2**-9))


@pytest.mark.parametrize("types", TYPES, ids=str)
def test_tile_programs_stay_inside_of_their_own_bounds_and_of_the_source_s(types: tuple[str, str, str, str]):
    for seed in range(3):
        x, w = operands(types[0], types[1], seed)
        (got,) = call(at("pto", types), "f", x, w)
        for level in ("ptir", "tiny", "region", "pto"):
            (i,) = bounds(at(level, types), "f", x, w, tight=True)
            assert check(got, i).ok
            off = got + (np.int32(1) if types[2].endswith("i32") else np.abs(got) * NUMPY[types[2]](1e-4) + 1e-4)
            assert not check(off.astype(got.dtype), i).ok


ELEMENTWISE = """
func.func @f(%x: tensor<64xf32>) -> tensor<64xf32> {
  %0 = tiny.unary tf32 %x : tensor<64xf32> -> tensor<64xf32>
  func.return %0 : tensor<64xf32>
}"""
VECTORS = """
pto.kernel @k(%x: memref<64xf32> align 16) -> (%y: memref<64xf32> align 16 gmem) {
  pto.tiles (%m) in [64] step [32] {
    %a = pto.tile.load.map %x[%m] by <"{ [i0] -> [(i0)] }"> in [64] dims [0] : memref<64xf32> -> tile<32xf32>
    %b = pto.tile.tf32 %a : tile<32xf32>
    pto.tile.store.map %b, %y[%m] by <"{ [i0] -> [(i0)] }"> in [64] dims [0] : tile<32xf32>, memref<64xf32>
  }
}
func.func @f(%x: memref<64xf32>) -> memref<64xf32> {
  %y = memref.alloc() : memref<64xf32>
  region.launch @k ins(%x : memref<64xf32>) outs(%y : memref<64xf32>)
  func.return %y : memref<64xf32>
}"""


@pytest.mark.parametrize(
    ("text", "pipeline"), [(ELEMENTWISE, "builtin.module()"), (ELEMENTWISE, "form-regions"), (VECTORS, "cse")]
)
def test_a_rounding_by_itself_leaves_a_machine_no_choice(text: str, pipeline: str):
    module = PassManager(pipeline).run(ptir.parse(text))
    x = np.random.default_rng(0).standard_normal(64).astype(F32)
    same(call(module, "f", x)[0], tf32(x))
    (i,) = bounds(module, "f", x)
    assert check(tf32(x), i).ok
    assert not check(np.nextafter(tf32(x), np.inf, dtype=F32), i).ok and not check(x, i).ok


# --- validation of passes -----------------------------------------------------------------------


@pytest.mark.parametrize("types", TYPES, ids=str)
def test_right_passes_are_no_false_alarm(types: tuple[str, str, str, str], caplog: pytest.LogCaptureFixture):
    for seed in range(4):
        validated(dot(*types), *passes("ptir-to-tiny,form-regions"), samples=8, seed=seed)
    assert not caplog.records
    with caplog.at_level(logging.WARNING, "ptir"):
        validated(tiles(*types), *passes("cse,canonicalize"), samples=8)
    assert not caplog.records


@pytest.mark.parametrize(
    ("text", "pattern", "replacement"),
    [
        (dot(*TF32), " precision tf32", ""),
        (dot("f32", "f32", "f32"), r"out f32 :", "out f32 precision tf32 :"),
        (dot("f64", "f64", "f64"), "accum f64", "accum f32"),
        (dot("ui8", "ui8", "i32", sizes=(1, 140_000, 1)), "accum i32", "accum i64"),  # saturates where it should wrap
        (tiles(*TF32), " precision tf32", ""),
        (tiles("f32", "f32", "f32"), r"(matmul.acc %s, %l, %r) :", r"\1 precision tf32 :"),
    ],
)
def test_wrong_passes_are_caught(text: str, pattern: str, replacement: str):
    with pytest.raises(MeaningChanged, match="'wrong'"):
        validated(text, wrong(pattern, replacement))


def test_a_rounding_that_is_lost_on_the_way_is_caught():
    lost = wrong(r"tiny.unary tf32 %2 : (\S+) -> (\S+)", r"tiny.movement reshape %2 : \1 -> \2")
    with pytest.raises(MeaningChanged, match="'wrong'"):
        validated(dot(*TF32), *passes("ptir-to-tiny"), lost)


# --- what the detector finds --------------------------------------------------------------------


def found(text: str, pipeline: str = "ptir-to-tiny") -> list[Contraction]:
    """Returns the contractions of the first function, or of all kernels."""
    module = PassManager(pipeline).run(ptir.parse(text))
    bodies = [o for o in module.ops if isinstance(o, RegionKernelOp)] or list(module.ops)[:1]
    out: list[Contraction] = []
    for body in bodies:
        ops = list(body.regions[0].block.ops)
        book = IndexBook(ops)
        out += [c for o in ops if (c := find_contraction(o, book))]
    return out


@pytest.mark.parametrize("pipeline", ["ptir-to-tiny", "ptir-to-tiny,form-regions"])
@pytest.mark.parametrize("types", TYPES, ids=str)
def test_each_pair_is_found(types: tuple[str, str, str, str], pipeline: str):
    (c,) = found(dot(*types), pipeline)
    assert [str(t) for t in c.dtypes] == list(types[:3])
    assert c.precision == ("tf32" if types[3] else "exact")


def product(left: str, right: str, x: str = "f32", w: str = "f32") -> str:
    """Returns x · wᵀ in tiny. `left` and `right` compute the f32 factors %l and %r from %x (4x1x6) and %w (1x5x6)."""
    return f"""
func.func @f(%x: tensor<4x1x6x{x}>, %w: tensor<1x5x6x{w}>) -> tensor<4x5xf32> {{
  {left}
  {right}
  %p = tiny.binary mul %l, %r : (tensor<4x1x6xf32>, tensor<1x5x6xf32>) -> tensor<4x5x6xf32>
  %s = tiny.reduce sum %p axes [2] accum f32 : tensor<4x5x6xf32> -> tensor<4x5xf32>
  func.return %s : tensor<4x5xf32>
}}"""


def chain(start: str, end: str, size: str, dtype: str, *steps: str) -> str:
    """Returns a chain of ops: `tf32`, `cast`, `moved` (a permutation and its inverse) or another unary function."""
    lines: list[str] = []
    value = start
    for k, step in enumerate(steps):
        name = end if k == len(steps) - 1 else f"{end}{k}"
        t, after = f"tensor<{size}x{dtype}>", f"tensor<{size}xf32>"
        if step == "moved":
            flat = f"tensor<{'x'.join(reversed(size.split('x')))}x{dtype}>"
            lines += [
                f"{name}_ = tiny.movement permute {value} by [2, 1, 0] : {t} -> {flat}",
                f"{name} = tiny.movement permute {name}_ by [2, 1, 0] : {flat} -> {t}",
            ]
        else:
            lines.append(f"{name} = tiny.unary {step} {value} : {t} -> {after if step == 'cast' else t}")
            dtype = "f32" if step == "cast" else dtype
        value = name
    return "\n".join(lines)


CHAINS: list[tuple[tuple[str, ...], tuple[str, ...], str, str, str, tuple[str, str]]] = [
    # left, right, type of x, type of w, precision, what the sources are: the argument (x, w) or an op
    (("tf32",), ("tf32",), "f32", "f32", "tf32", ("x", "w")),
    (("moved", "tf32", "moved"), ("tf32", "moved"), "f32", "f32", "tf32", ("x", "w")),
    (("tf32", "tf32"), ("tf32",), "f32", "f32", "tf32", ("x", "w")),
    (("tf32", "moved", "tf32"), ("moved", "tf32"), "f32", "f32", "tf32", ("x", "w")),
    (("moved",), ("moved",), "f32", "f32", "exact", ("x", "w")),
    (("tf32",), ("moved",), "f32", "f32", "exact", ("tf32", "w")),
    (("moved",), ("moved", "tf32", "moved"), "f32", "f32", "exact", ("x", "tf32")),
    (("tf32", "exp", "tf32"), ("tf32",), "f32", "f32", "tf32", ("exp", "w")),
    (("tf32", "exp"), ("tf32",), "f32", "f32", "exact", ("exp", "tf32")),
    (("cast", "tf32"), ("cast", "tf32"), "bf16", "bf16", "exact", ("x", "w")),
    (("cast", "tf32", "moved"), ("cast",), "f16", "f16", "exact", ("x", "w")),
    (("cast", "tf32"), ("tf32",), "bf16", "f32", "tf32", ("cast", "w")),
    (("cast",), ("tf32",), "bf16", "f32", "exact", ("cast", "tf32")),
    (("cast",), ("moved",), "bf16", "f32", "exact", ("cast", "w")),
    (("cast",), ("cast",), "bf16", "f16", "exact", ("cast", "cast")),
]


@pytest.mark.parametrize(("left", "right", "x", "w", "precision", "sources"), CHAINS, ids=str)
def test_what_is_seen_through(left: Any, right: Any, x: str, w: str, precision: str, sources: tuple[str, str]):
    """Both operands are rounded to tf32 or neither is, and their types can be multiplied."""
    text = product(chain("%x", "%l", "4x1x6", x, *left), chain("%w", "%r", "1x5x6", w, *right), x, w)
    (c,) = found(text, "builtin.module()")
    assert c.precision == precision
    for side, source in zip((c.lhs, c.rhs), sources, strict=True):
        op = side.value.owner
        assert (side.value.name_hint if source in ("x", "w") else op.fn.data) == source
    # The kernel formed from it has the same results. It computes the sources while it loads them.
    kernels = [o for o in validated(text, *passes("form-regions"), samples=8).ops if isinstance(o, RegionKernelOp)]
    assert len(kernels) == 1
    (again,) = found(text, "form-regions")
    assert again.precision == precision


@pytest.mark.parametrize(
    ("dtype", "middle", "accum"),
    [
        ("i8", "i8", "i32"),
        ("f32", "f32", "f64"),
        ("i16", "i16", "i64"),
        ("bf16", "bf16", "f32"),
        ("f8E5M2", "f8E5M2", "f32"),
    ],
)
def test_a_product_that_is_rounded_or_wraps_first_is_no_contraction(dtype: str, middle: str, accum: str):
    """Cast before or after it is summed: only products of factors that are cast are exact."""
    text = f"""
func.func @f(%x: tensor<4x6x1x{dtype}>, %y: tensor<6x5x{dtype}>) -> tensor<4x5x{accum}> {{
  %p = tiny.binary mul %x, %y : (tensor<4x6x1x{dtype}>, tensor<6x5x{dtype}>) -> tensor<4x6x5x{middle}>
  $CAST
  %s = tiny.reduce sum $P axes [1] accum {accum} : tensor<4x6x5x$T> -> tensor<4x5x{accum}>
  func.return %s : tensor<4x5x{accum}>
}}"""
    cast = f"%c = tiny.unary cast %p : tensor<4x6x5x{middle}> -> tensor<4x6x5x{accum}>"
    assert not found(text.replace("$CAST", cast).replace("$P", "%c").replace("$T", accum), "builtin.module()")
    assert not found(text.replace("$CAST", "").replace("$P", "%p").replace("$T", middle), "builtin.module()")
    factors = "".join(
        f"%{b} = tiny.unary cast %{a} : tensor<{of}x{dtype}> -> tensor<{of}x{accum}>\n"
        for a, b, of in (("x", "a", "4x6x1"), ("y", "b", "6x5"))
    )
    exact = text.replace("%p =", f"{factors} %p =").replace("mul %x, %y", "mul %a, %b").replace("$CAST", "")
    types = "(tensor<4x6x1x{0}>, tensor<6x5x{0}>) -> tensor<4x6x5x{1}>"
    wide = exact.replace(types.format(dtype, middle), types.format(accum, accum))
    (c,) = found(wide.replace("$P", "%p").replace("$T", accum), "builtin.module()")
    assert [str(t) for t in c.dtypes] == [dtype, dtype, accum]


@pytest.mark.parametrize(("dtype", "accum"), [("bf16", "bf16"), ("f8E4M3FN", "f8E4M3FN")])
def test_narrow_accumulators_are_no_contraction(dtype: str, accum: str):
    text = f"""
func.func @f(%x: tensor<4x6x{dtype}>) -> tensor<4x{accum}> {{
  %p = tiny.binary mul %x, %x : (tensor<4x6x{dtype}>, tensor<4x6x{dtype}>) -> tensor<4x6x{dtype}>
  %s = tiny.reduce sum %p axes [1] accum {accum} : tensor<4x6x{dtype}> -> tensor<4x{accum}>
  func.return %s : tensor<4x{accum}>
}}"""
    assert not found(text, "builtin.module()")
