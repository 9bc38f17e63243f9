"""
PTIR text → CUDA → PTX → emulator, compared with the interpreter, its error bounds, and NumPy's float64.

On integer-valued inputs whose sums are exact in f32, results must be bit-equal with any tiling; on random inputs, they must stay
within `ptir.bounds`. The NumPy oracle is in `programs.py` and shares no code with `semantics/`.
"""

from __future__ import annotations

import cProfile
from collections.abc import Sequence
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ptir
from ptir.analysis.errors import CallOfDeclaration
from ptir.dialects.plan.schedule import Vectorize
from ptir.runtime.devices import Emulator
from ptir.semantics.bounds import check
from ptir.targets.architectures import ARCHS

from ..builders.amount import examples
from ..builders.programs import (
    ACTIVATIONS,
    CONTRACTIONS,
    DTYPES,
    ELEMENTWISE,
    INEXACT,
    PROGRAMS,
    Draft,
    Size,
    draft,
    planned,
)

pytestmark = pytest.mark.sampled(4)


def compiled(d: Draft) -> ptir.Compiled:
    return ptir.compile(d.text, device=Emulator(), entry=d.name)


def bits(a: Any) -> Any:
    """Returns bits for comparison: zeros are equal, and so are NaNs."""
    a = np.asarray(a)
    return np.where(a == 0, np.zeros_like(a), a)


def agree_on_integers(d: Draft, run: ptir.Compiled, seed: int) -> None:
    arrays = d.arrays(seed, integers=True)
    results = run(*arrays)
    assert len(results) == len(d.results)
    for k, (got, by_interpreter, want) in enumerate(
        zip(results, ptir.reference(d.text, *arrays, entry=d.name), d.oracle(arrays), strict=True)
    ):
        np.testing.assert_array_equal(bits(got), bits(by_interpreter), f"result {k} and the interpreter", strict=True)
        exact = np.asarray(want).astype(DTYPES[d.results[k].dtype])
        np.testing.assert_array_equal(bits(got), bits(exact), f"result {k} and NumPy", strict=True)


def stay_in_bounds(d: Draft, run: ptir.Compiled, seed: int) -> None:
    arrays = d.arrays(seed, integers=False)
    results = run(*arrays)
    for k, (got, interval) in enumerate(zip(results, ptir.bounds(d.text, *arrays, entry=d.name), strict=True)):
        report = check(got, interval)
        assert report.ok, f"result {k}: {report}\n{d.text}"


def near_numpy(d: Draft, run: ptir.Compiled, seed: int, tolerance: float) -> None:
    arrays = d.arrays(seed, integers=False)
    for got, want in zip(run(*arrays), d.oracle(arrays), strict=True):
        np.testing.assert_allclose(got.astype(np.float64), want, rtol=tolerance, atol=tolerance)


def agree(d: Draft, seed: int, *, exact: bool = True) -> None:
    run = compiled(d)
    if exact:
        agree_on_integers(d, run, seed)
    stay_in_bounds(d, run, seed + 1)


# --- every program ------------------------------------------------------------------------------


@pytest.mark.sampled(24)
@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_with_tails_everywhere(name: str):
    agree(draft(name, (33, 47, 70), "bf16"), 1, exact=name not in INEXACT)


@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_of_whole_tiles(name: str):
    d = draft(name, (48, 32, 64), "f16")
    (stay_in_bounds if name in INEXACT else agree_on_integers)(d, compiled(d), 3)


@pytest.mark.parametrize("name", [n for n in PROGRAMS if n not in ACTIVATIONS])
def test_programs_of_one_element(name: str):
    d = draft(name, (1, 1, 1), "bf16")
    agree_on_integers(d, compiled(d), 5)


@pytest.mark.parametrize("name", sorted(INEXACT))
@pytest.mark.parametrize("dtype", ["bf16", "f16"])
def test_activations_are_numpys(name: str, dtype: str):
    d = draft(name, (31, 17, 65), dtype)
    near_numpy(d, compiled(d), 1, 2e-5)


# --- shapes -------------------------------------------------------------------------------------

SIZES: Sequence[Size] = [
    (1, 1, 1),
    (1, 300, 77),
    (300, 1, 65),
    (2, 3, 5),
    (7, 13, 11),
    (15, 17, 16),
    (16, 16, 16),
    (17, 15, 15),
    (17, 129, 63),
    (31, 33, 3),
    (33, 10, 64),
    (63, 65, 31),
    (64, 64, 64),
    (65, 63, 33),
    (97, 10, 128),
    (127, 129, 128),
    (129, 127, 129),
    (150, 70, 130),
]


@pytest.mark.sampled(6)
@pytest.mark.parametrize("size", SIZES, ids=lambda s: "x".join(map(str, s)))
def test_sizes_and_weight_layouts(size: Size):
    """Sizes of tiles ± 1, primes, K below one mma step, and rows of 10 elements, which 16-byte copies cannot load."""
    dtype = "bf16" if sum(size) % 2 else "f16"
    for name in ("short_output", "weights_nk", "x_transposed"):
        d = draft(name, size, dtype)
        agree_on_integers(d, compiled(d), sum(size))


@pytest.mark.parametrize("arch", ["sm86", "sm89", "sm90"])
def test_relatives_of_sm80(arch: str):
    d = draft("chained", (70, 40, 50), "bf16")
    run = ptir.compile(d.text, arch=arch, device=Emulator(), entry=d.name)
    target = ARCHS[arch].target
    assert f".target {target}" in run.ptx and run.program.binary.arch == target
    agree_on_integers(d, run, 0)
    stay_in_bounds(d, run, 0)


@pytest.mark.campaign
def test_a_large_product():
    d = draft("gelu_erf", (256, 384, 512), "bf16")
    stay_in_bounds(d, compiled(d), 0)
    d = draft("weights_nk", (256, 384, 512), "f16")
    agree_on_integers(d, compiled(d), 0)


# --- values -------------------------------------------------------------------------------------


def test_special_values_reach_exactly_the_rows_that_read_them():
    """Padding and guards may neither create NaN by Inf · 0 nor lose one."""
    d = draft("none", (17, 19, 70), "bf16")
    x, w, b = d.arrays(4, integers=True)
    x[3, 5], x[16, 69], w[:, 2] = np.inf, np.nan, 1
    (want,) = d.oracle((x, w, b))
    assert np.isinf(want[3, 2]) and np.isnan(want[16]).all() and np.isfinite(want[4:16]).all()
    (got,) = compiled(d)(x, w, b)
    np.testing.assert_array_equal(got, want.astype(np.float32))


@pytest.mark.parametrize("name", ["relu", "clamp", "leaky", "every_compare", "mask_as_number", "through_16_bits"])
def test_special_values_in_the_epilogue(name: str):
    """NaN, infinities and halves through the bias, as the interpreter has them."""
    d = draft(name, (4, 16, 16), "bf16")
    x, w, b = d.arrays(4, integers=True)
    x[:] = 0
    b[:] = [np.nan, np.inf, -np.inf, 0, 2, 65504, 65520, 1e38, -1e38, 3.4e38, 6e-8, 2.5, -3, 5, 1.00390625, -65519]
    (got,), (want,) = compiled(d)(x, w, b), ptir.reference(d.text, x, w, b)
    np.testing.assert_array_equal(got, want)


def test_rounding_to_16_bits_is_to_nearest_even():
    d = Draft()
    x = d.arg(64, dtype="f32")
    d.results = (d.cast(x, "bf16"), d.cast(x, "f16"))
    a = np.random.default_rng(0).standard_normal(64).astype(np.float32)
    a[:5] = [1 + 2**-8, 1 + 3 * 2**-8, 1 + 2**-11, 2.0**-25, 65520]
    results = [compiled(_single(d, k))(a)[0] for k in range(2)]
    np.testing.assert_array_equal(results[0], a.astype(ml_dtypes.bfloat16))
    np.testing.assert_array_equal(results[1], a.astype(np.float16))


def _single(d: Draft, k: int) -> Draft:
    return Draft(d.name, d.args, d.lines, (d.results[k],))


# --- signatures ---------------------------------------------------------------------------------

NAMES = [
    ("float", "int", "for"),
    ("i", "j", "h"),
    ("row", "column", "v"),
    ("threadIdx", "blockIdx", "shared"),
    ("acc", "acc_1", "a"),
    ("r0_in", "t_out", "t"),
    ("bf16", "u32", "to_float"),
    ("max_nan", "min_nan", "clamp"),
    ("mma_m16n8k16_bf16", "ldmatrix_x4", "vec"),
    ("swizzled", "linear", "DEV"),
    ("lane", "words", "size"),
    ("expf", "tanhf", "erff"),
    ("__syncthreads", "_", "__"),
    ("INFINITY", "NULL", "CHUNKS"),
    ("bitand", "not_eq", "static_cast"),
    ("b.c", "b_c", "b$c"),
    ("cp_async_16", "commit_group", "wait_group"),
    ("warp", "warp_m", "smem_a"),
    ("slot", "step", "free"),
    ("BM", "BK", "STAGES"),
    ("WARP_N", "THREADS", "later"),
    ("frag_a", "frag_b1", "w"),
    ("b", "b_in", "b_1"),
    ("tile_row", "place", "chunk"),
]


@pytest.mark.parametrize("names", NAMES, ids=" ".join)
def test_argument_names_collide_with_nothing(names: tuple[str, str, str]):
    """Names that C, CUDA, the prelude or the printer use as well; every function of the prelude is in play."""
    d = Draft()
    a = d.arg(18, 30, name=names[0])
    c = d.dot(a, d.arg(30, 10, name=names[1]))
    c = d.binary("add", c, d.broadcast(d.arg(10, dtype="f32", name=names[2]), 18, 10))
    c = ACTIVATIONS["clamp"](d, ACTIVATIONS["relu"](d, c))
    d.results = (d.cast(c, "bf16"),)
    agree_on_integers(d, compiled(d), 1)


def test_an_argument_name_that_is_only_a_suffix():
    d = Draft()
    d.results = (ACTIVATIONS["relu"](d, d.arg(3, 4, name="_1")),)
    agree_on_integers(d, compiled(d), 1)


@pytest.mark.parametrize("names", NAMES[:12], ids=" ".join)
def test_argument_names_in_an_elementwise_kernel(names: tuple[str, str, str]):
    d = Draft()
    x, y, z = (d.arg(5, 12, dtype="f32", name=n) for n in names)
    d.results = (d.binary("maximum", d.unary("erf", d.unary("tanh", d.unary("exp", x))), d.binary("mul", y, z)),)
    stay_in_bounds(d, compiled(d), 1)


@pytest.mark.parametrize(
    "name", ["main", "float", "f.g", "threadIdx", "clamp", "ldmatrix", "bf16", "_", "Kernel-1", "é"]
)
def test_function_names(name: str):
    d = Draft(f'"{name}"')
    x = d.arg(17, 20)
    d.results = (ACTIVATIONS["clamp"](d, d.dot(x, d.arg(20, 9))),)
    arrays = d.arrays(1, integers=True)
    (got,) = ptir.compile(d.text, device=Emulator(), entry=name)(*arrays)
    np.testing.assert_array_equal(got, d.oracle(arrays)[0].astype(np.float32))


def test_several_functions_of_one_module():
    one, two = draft("relu", (18, 20, 30), "bf16"), draft("weights_nk", (19, 21, 31), "f16")
    one.name, two.name = "one", "two"
    text = one.text + two.text
    for d in (one, two):
        run = ptir.compile(text, device=Emulator(), entry=d.name)
        arrays = d.arrays(1, integers=True)
        np.testing.assert_array_equal(run(*arrays)[0], d.oracle(arrays)[0].astype(np.float32))


def test_unused_arguments_and_a_value_returned_twice():
    d = Draft()
    d.arg(3, 4, dtype="f32")
    x = d.arg(18, 20)
    d.arg(7, dtype="f32")
    c = d.dot(x, d.arg(20, 9))
    d.results = (c, ACTIVATIONS["relu"](d, c), c)
    agree(d, 1)


def test_an_argument_returned_beside_a_result():
    d = Draft()
    x = d.arg(18, 20)
    d.results = (x, d.dot(x, d.arg(20, 9)), x)
    agree(d, 1)


def test_a_function_without_a_kernel():
    """It returns its arguments and constants: nothing is launched."""
    d = Draft()
    x = d.arg(3, 4)
    d.results = (x, d.constant([1, 2, 3], "f32"))
    agree(d, 1)


def test_a_function_without_results():
    d = Draft()
    d.arg(3, 4)
    assert compiled(d)(*d.arrays(0, True)) == ()


def test_the_inputs_are_not_written():
    d = draft("residual", (18, 20, 30), "bf16")
    arrays = d.arrays(1, integers=True)
    before = [a.copy() for a in arrays]
    compiled(d)(*arrays)
    for a, b in zip(arrays, before, strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("dtype", ["i32", "f8E4M3FN"])
def test_operands_that_no_instruction_multiplies_are_multiplied_one_by_one(dtype: str):
    accum = "i32" if dtype.startswith("i") else "f32"
    text = f"""func.func @f(%x: tensor<4x8x{dtype}>, %w: tensor<8x4x{dtype}>) -> tensor<4x4x{accum}> {{
      %0 = ptir.dot_general %x, %w contract [1] x [0] accum {accum} out {accum}
         : (tensor<4x8x{dtype}>, tensor<8x4x{dtype}>) -> tensor<4x4x{accum}>
      func.return %0 : tensor<4x4x{accum}> }}"""
    rng = np.random.default_rng(0)
    numbers = np.int32 if dtype == "i32" else ml_dtypes.float8_e4m3fn
    x, w = (rng.integers(-8, 9, shape).astype(numbers) for shape in ((4, 8), (8, 4)))
    compiled = ptir.compile(text, device=Emulator())
    np.testing.assert_array_equal(compiled(x, w)[0], ptir.reference(text, x, w)[0])
    assert "mma" not in compiled.program.cuda


# --- plans by hand ------------------------------------------------------------------------------

SWAPPED = {"m.o": "block.x", "n.o": "block.y"}


def _vector(width: int) -> Vectorize:
    return Vectorize(axis="n.i.i", width=width)  # pyright: ignore[reportArgumentType]


PLANS: dict[str, tuple[str, Size, dict[str, Any]]] = {
    "256x128": ("relu", (300, 140, 90), {"tile": (256, 128, 32), "local_edges": (), "warp_tile": "64x64", "stages": 3}),
    "128x256": ("relu", (130, 260, 90), {"tile": (128, 256, 32), "local_edges": (), "warp_tile": "64x64", "stages": 3}),
    "8 stages, 19 steps": (
        "relu",
        (40, 35, 300),
        {"tile": (32, 32, 16), "local_edges": (), "warp_tile": "16x16", "stages": 8},
    ),
    "8 stages, 2 steps": (
        "relu",
        (40, 35, 20),
        {"tile": (32, 32, 16), "local_edges": (), "warp_tile": "16x16", "stages": 8},
    ),
    "no swizzle": (
        "weights_nk",
        (70, 75, 100),
        {
            "tile": (32, 64, 32),
            "warp_tile": "16x32",
            "stages": 2,
            "layout_hints": {"A_swizzle": False, "B_swizzle": False},
        },
    ),
    "one swizzle": (
        "x_transposed",
        (72, 80, 104),
        {"tile": (32, 64, 32), "warp_tile": "16x32", "stages": 2, "layout_hints": {"A_swizzle": False}},
    ),
    "m over x": ("relu", (70, 75, 100), {"tile": (16, 128, 64), "warp_tile": "16x32", "stages": 3, "bind": SWAPPED}),
    "m over x, batched": (
        "batched",
        (70, 35, 50),
        {"tile": (64, 16, 16), "local_edges": (), "warp_tile": "32x16", "stages": 4, "bind": SWAPPED},
    ),
    "BK of 128, transposed": ("transposed", (70, 75, 200), {"tile": (64, 16, 128), "warp_tile": "32x16", "stages": 4}),
    "BK of 256, two results": (
        "two_results_one_transposed",
        (72, 80, 96),
        {"tile": (64, 64, 256), "warp_tile": "64x16", "stages": 2, "vectorize": _vector(4)},
    ),
    "one warp": (
        "short_output",
        (72, 80, 96),
        {"tile": (64, 64, 16), "local_edges": (), "warp_tile": "64x64", "stages": 2},
    ),
    "32 warps, tall": (
        "short_output",
        (72, 24, 96),
        {"tile": (512, 16, 16), "local_edges": (), "warp_tile": "16x16", "stages": 2},
    ),
    "32 warps, wide": (
        "short_output",
        (20, 520, 96),
        {"tile": (16, 512, 16), "local_edges": (), "warp_tile": "16x16", "stages": 2},
    ),
    "scalar stores": (
        "short_output",
        (72, 80, 96),
        {"tile": (64, 64, 32), "warp_tile": "32x32", "stages": 2, "vectorize": _vector(1)},
    ),
    "8 contiguous": (
        "short_output",
        (72, 72, 96),
        {"tile": (64, 64, 32), "warp_tile": "32x32", "stages": 2, "vectorize": _vector(8)},
    ),
    "4 contiguous of 8, tail": (
        "row_bias",
        (72, 76, 96),
        {"tile": (64, 64, 32), "warp_tile": "32x32", "stages": 2, "vectorize": _vector(4)},
    ),
    "two kernels": (
        "chained",
        (40, 24, 36),
        {"tile": (16, 16, 16), "local_edges": (), "warp_tile": "16x16", "stages": 2},
    ),
    "contracted crosswise": (
        "heads_joined",
        (33, 40, 24),
        {"tile": (16, 32, 64), "warp_tile": "16x32", "stages": 5},
    ),
    "elementwise, single elements": ("rank2", (33, 40, 1), {"tile": (1, 1), "vectorize": _vector(1)}),
    "elementwise, odd tile": ("rank2", (33, 40, 1), {"tile": (3, 7)}),
    "elementwise, wide vectors": ("rank1", (32, 40, 1), {"tile": (1, 24), "vectorize": _vector(16)}),
    "elementwise, vectors that do not divide the tile": (
        "rank1",
        (33, 40, 1),
        {"tile": (1, 12), "vectorize": _vector(16)},
    ),
    "elementwise, m over x": ("rank3", (33, 40, 1), {"tile": (2, 8), "vectorize": _vector(8), "bind": SWAPPED}),
}


@pytest.mark.sampled(8)
@pytest.mark.parametrize("case", PLANS)
def test_a_plan_by_hand_changes_the_kernel_and_not_the_result(case: str):
    name, size, changes = PLANS[case]
    d = draft(name, size, "bf16")
    agree_on_integers(d, ptir.compile(planned(d, **changes), device=Emulator()), 1)


def test_the_swizzle_is_there_for_the_banks():
    """Without it the results are the same and the shared memory conflicts."""
    d = draft("relu", (64, 64, 128), "bf16")
    conflicts: list[int] = []
    for hint in (True, False):
        device = Emulator()
        hints = {"A_swizzle": hint, "B_swizzle": hint}
        plan = {"tile": (64, 64, 64), "warp_tile": "32x32", "stages": 2, "layout_hints": hints}
        agree_on_integers(d, ptir.compile(planned(d, **plan), device=device), 1)
        conflicts.append(device.reports[0].bank_conflicts)
    assert conflicts[0] == 0 < conflicts[1]


# --- a sampler ----------------------------------------------------------------------------------

sizes = st.tuples(*[st.one_of(st.sampled_from([1, 2, 8, 10, 15, 16, 17, 32, 33, 63, 64, 65]), st.integers(1, 90))] * 3)


@settings(max_examples=examples(25))
@given(
    name=st.sampled_from(sorted(CONTRACTIONS)),
    size=sizes,
    dtype=st.sampled_from(["bf16", "f16"]),
    seed=st.integers(0, 99),
)
def test_sampled_contractions(name: str, size: Size, dtype: str, seed: int):
    agree(draft(name, size, dtype), seed, exact=name not in INEXACT)


@settings(max_examples=examples(15))
@given(
    name=st.sampled_from(sorted(ELEMENTWISE)),
    size=sizes,
    dtype=st.sampled_from(["bf16", "f16"]),
    seed=st.integers(0, 99),
)
def test_sampled_elementwise_programs(name: str, size: Size, dtype: str, seed: int):
    agree(draft(name, size, dtype), seed)


@st.composite
def epilogues(draw: Any) -> Draft:
    """Draws a contraction and a chain of exact elementwise ops, whose other inputs are broadcast or transposed in all ways."""
    m, n, k = (draw(st.integers(1, 70)) for _ in range(3))
    d = Draft()
    c = d.dot(d.arg(m, k), d.arg(k, n)) if draw(st.booleans()) else d.dot(d.arg(k, m), d.arg(n, k), [0], [1])
    for _ in range(draw(st.integers(0, 5))):
        match draw(
            st.sampled_from(["row", "column", "whole", "turned", "scalar", "op", "unary", "transpose", "short"])
        ):
            case "row":
                c = d.binary("add", c, d.broadcast(d.arg(c.sizes[0], 1, dtype="f32"), *c.sizes))
            case "column":
                c = d.binary("sub", c, d.broadcast(d.arg(c.sizes[1], dtype="f32"), *c.sizes))
            case "whole":
                c = d.binary("maximum", c, d.arg(*c.sizes, dtype="f32"))
            case "turned":
                c = d.binary("add", c, d.cast(d.transpose(d.arg(c.sizes[1], c.sizes[0]), 1, 0), "f32"))
            case "scalar":
                c = d.binary("minimum", c, d.broadcast(d.arg(1, 1, dtype="f32"), *c.sizes))
            case "op":
                c = ACTIVATIONS[draw(st.sampled_from(["relu", "clamp", "leaky", "mask_as_number", "minus_minimum"]))](
                    d, c
                )
            case "unary":
                c = d.unary(draw(st.sampled_from(["neg", "abs"])), c)
            case "transpose":
                c = d.transpose(c, 1, 0)
            case _:
                c = d.cast(d.cast(c, "bf16"), "f32")
    d.results = (c,)
    return d


@settings(max_examples=examples(8))
@given(d=epilogues())
def test_sampled_epilogues(d: Draft):
    agree_on_integers(d, compiled(d), 7)


def test_weights_that_repeat_along_the_contracted_axis():
    """An operand that is broadcast along k is stored as a matrix first, because it does not depend on k."""
    program = ptir.compile(
        """
        func.func @f(%x: tensor<20x30xbf16>, %s: tensor<bf16>) -> tensor<20x8xf32> {
          %w = ptir.broadcast_to %s : tensor<bf16> -> tensor<30x8xbf16>
          %y = ptir.dot_general %x, %w contract [1] x [0] accum f32 out f32
             : (tensor<20x30xbf16>, tensor<30x8xbf16>) -> tensor<20x8xf32>
          func.return %y : tensor<20x8xf32>
        }""",
        device=Emulator(),
    )
    x = np.random.default_rng(0).integers(-4, 5, (20, 30)).astype(ml_dtypes.bfloat16)
    (y,) = program(x, np.array(3, ml_dtypes.bfloat16))
    np.testing.assert_array_equal(y, np.repeat(3 * x.astype(np.float32).sum(1, keepdims=True), 8, 1))


def test_a_product_that_the_program_rounds_is_not_contracted():
    """`mul` in bf16 rounds each product; mma would not, so the products are computed one by one rather than more exactly."""
    text = """
    func.func @f(%x: tensor<4x16x1xbf16>, %w: tensor<1x16x8xbf16>) -> tensor<4x8xf32> {
      %a = ptir.broadcast_to %x : tensor<4x16x1xbf16> -> tensor<4x16x8xbf16>
      %b = ptir.broadcast_to %w : tensor<1x16x8xbf16> -> tensor<4x16x8xbf16>
      %m = ptir.mul %a, %b : tensor<4x16x8xbf16>
      %c = ptir.cast %m : tensor<4x16x8xbf16> -> tensor<4x16x8xf32>
      %s = ptir.reduce max %c axes [1] : tensor<4x16x8xf32> -> tensor<4x8xf32>
      func.return %s : tensor<4x8xf32>
    }"""
    rng = np.random.default_rng(0)
    for source in (text, text.replace("reduce max %c axes [1]", "reduce sum %c axes [1] accum f32 out f32")):
        x, w = (rng.integers(100, 200, s).astype(ml_dtypes.bfloat16) for s in ((4, 16, 1), (1, 16, 8)))
        compiled = ptir.compile(source, device=Emulator())
        np.testing.assert_array_equal(compiled(x, w)[0], ptir.reference(source, x, w)[0])
        assert "mma" not in compiled.program.cuda


def test_the_negative_of_a_negative_constant():
    """`--1.0f` is not C."""
    program = ptir.compile(
        """
        func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {
          %c = ptir.constant dense<-1.5> : tensor<8xf32>
          %n = ptir.neg %c : tensor<8xf32>
          %y = ptir.sub %n, %x : tensor<8xf32>
          func.return %y : tensor<8xf32>
        }""",
        device=Emulator(),
    )
    (y,) = program(np.arange(8, dtype=np.float32))
    np.testing.assert_array_equal(y, 1.5 - np.arange(8))


def chain(length: int) -> str:
    ops = "\n".join(f"%{k + 1} = ptir.neg %{k} : tensor<4xf32>" for k in range(length))
    return f"""
    func.func @f(%a: tensor<4xi1>, %b: tensor<4xi1>, %0: tensor<4xf32>) -> (tensor<4xi1>, tensor<4xf32>) {{
      %p = ptir.compare gt %a, %b : tensor<4xi1> -> tensor<4xi1>
      {ops}
      func.return %p, %{length} : tensor<4xi1>, tensor<4xf32>
    }}"""


@pytest.mark.campaign
def test_predicates_compare_and_long_chains_lower():
    """i1 operands of a comparison, and more ops than Python would recurse through."""
    program = ptir.compile(chain(1100), device=Emulator())
    a, b, x = np.array([0, 0, 1, 1], bool), np.array([0, 1, 0, 1], bool), np.arange(4, dtype=np.float32)
    p, y = program(a, b, x)
    np.testing.assert_array_equal(p, a & ~b)
    np.testing.assert_array_equal(y, x)


def test_a_chain_twice_as_long_takes_twice_the_calls():
    """The compiler's work is linear in the number of ops: it is counted in calls of Python functions."""

    def calls(length: int) -> int:
        text, profile = chain(length), cProfile.Profile()
        profile.runcall(ptir.compile, text, device=Emulator())
        return sum(entry.callcount for entry in profile.getstats())

    calls(1)  # imports and caches
    short, long = calls(60), calls(120)
    assert long <= 2.1 * short, f"{short} calls for 60 ops, {long} for 120"


def test_an_entry_runs_beside_a_function_that_does_not_compile():
    text = """
    func.func @good(%x: tensor<8xf32>) -> tensor<8xf32> {
      %y = ptir.neg %x : tensor<8xf32>
      func.return %y : tensor<8xf32>
    }
    func.func @bad(%x: tensor<8xf32>) -> tensor<8xf32> {
      %y = func.call @declared(%x) : (tensor<8xf32>) -> tensor<8xf32>
      func.return %y : tensor<8xf32>
    }
    func.func private @declared(tensor<8xf32>) -> tensor<8xf32>"""
    x = np.arange(8, dtype=np.float32)
    (y,) = ptir.compile(text, entry="good", device=Emulator())(x)
    np.testing.assert_array_equal(y, -x)
    with pytest.raises(CallOfDeclaration):
        ptir.compile(text)


@pytest.mark.parametrize("sizes", [(5, 40, 24, 20), (5, 7, 3, 20), (7, 150, 1, 33)])
def test_more_batches_than_z_can_count_go_along_x(monkeypatch: pytest.MonkeyPatch, sizes: tuple[int, int, int, int]):
    monkeypatch.setattr("ptir.targets.architectures.GRID_LIMIT", (2**31 - 1, 65535, 2))
    batch, m, n, k = sizes
    program = ptir.compile(
        f"""
        func.func @f(%x: tensor<{batch}x{m}x{k}xbf16>, %w: tensor<{batch}x{k}x{n}xbf16>) -> tensor<{batch}x{m}x{n}xf32> {{
          %y = ptir.dot_general %x, %w batch [0] x [0] contract [2] x [1] accum f32 out f32
             : (tensor<{batch}x{m}x{k}xbf16>, tensor<{batch}x{k}x{n}xbf16>) -> tensor<{batch}x{m}x{n}xf32>
          func.return %y : tensor<{batch}x{m}x{n}xf32>
        }}""",
        device=Emulator(),
    )
    rng = np.random.default_rng(0)
    x, w = (rng.integers(-4, 5, s).astype(ml_dtypes.bfloat16) for s in ((batch, m, k), (batch, k, n)))
    (y,) = program(x, w)
    np.testing.assert_array_equal(y, x.astype(np.float32) @ w.astype(np.float32))
