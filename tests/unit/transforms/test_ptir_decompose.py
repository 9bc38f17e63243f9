"""Decompositions give the same bits as the ops that they replace, on values that reveal typical mistakes."""

from __future__ import annotations

import itertools

import ml_dtypes
import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.exceptions import VerifyException

import ptir
from ptir.passes.errors import BadOptionValue
from ptir.semantics.errors import IndexOutOfRange
from ptir.transforms.ptir_decompose.decompose import INDEXING_FORMS, SIMPLER

pytestmark = pytest.mark.sampled(3)

FLOATS = {
    "f64": np.float64,
    "f32": np.float32,
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "f8E5M2": ml_dtypes.float8_e5m2,
}
INTEGERS = {"si8": np.int8, "ui8": np.uint8, "i32": np.int32, "si64": np.int64, "ui16": np.uint16}


def module(signature: str, body: str) -> ModuleOp:
    result = signature.split("->")[1].strip()
    text = f"func.func @f{signature} {{\n{body}\nfunc.return %r : {result}\n}}"
    return ptir.parse(f"builtin.module attributes {{ptir.extensions}} {{\n{text}\n}}")


def names(of: ModuleOp) -> list[str]:
    return [op.name for op in of.walk()]


def decomposed(of: ModuleOp, ops: str = "", pass_: str = "ptir-decompose") -> ModuleOp:
    options = f"{{ops={ops}}}" if ops else ""
    return ptir.PassManager(f"{pass_}{options}").run(of.clone())


def same(before: ModuleOp, after: ModuleOp, *arrays: np.ndarray) -> None:
    """Requires bit-equal results. All NaNs are equal."""
    for want, got in zip(ptir.reference(before, *arrays), ptir.reference(after, *arrays), strict=True):
        assert (want.dtype, want.shape) == (got.dtype, got.shape)
        if want.dtype.kind in "biu":
            np.testing.assert_array_equal(got, want)
            continue
        with np.errstate(invalid="ignore"):
            w, g = want.astype(np.float64), got.astype(np.float64)
        np.testing.assert_array_equal(g, w)
        np.testing.assert_array_equal(np.signbit(g[~np.isnan(g)]), np.signbit(w[~np.isnan(w)]))


def every_16_bits(dtype: type) -> np.ndarray:
    """Returns all values of a type of 8 or 16 bits; for wider types, values with all upper 16 bits, and more."""
    size = np.dtype(dtype).itemsize
    if size <= 2:
        return np.arange(1 << 8 * size, dtype=np.dtype(f"u{size}")).view(dtype)
    uint = np.dtype(f"u{size}")
    top = np.arange(1 << 16, dtype=np.uint16).astype(uint) << np.array(8 * size - 16, uint)
    rng = np.random.default_rng(0)
    low = rng.integers(0, 1 << (8 * size - 16), top.size, dtype=np.uint64).astype(uint)
    return np.concatenate([top, top | low]).view(dtype)


NEAR = [k / 4 for k in range(-40, 41)]


def floats(dtype: type) -> np.ndarray:
    with np.errstate(over="ignore", invalid="ignore"):
        near = np.array(NEAR + [2.0**e + d for e in range(1, 60) for d in (-0.5, 0.5, 0, -1.5)]).astype(dtype)
        both = np.concatenate([near, -near, np.nextafter(near.astype(np.float64), 0).astype(dtype)])
        edges = [
            np.nextafter(np.dtype(dtype).type(x), np.dtype(dtype).type(0)) if dtype in (np.float32, np.float64) else x
            for x in (0.5, 1.5, 2.5, -0.5, -1.5)
        ]
    return np.concatenate([both, np.array(edges).astype(dtype), every_16_bits(dtype)])


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("op", ["floor", "ceil", "round", "sign"])
def test_whole_numbers_and_signs(op: str, dtype: str):
    x = floats(FLOATS[dtype])
    t = f"tensor<{x.size}x{dtype}>"
    before = module(f"(%x: {t}) -> {t}", f"%r = ptir.{op} %x : {t}")
    after = decomposed(before, op)
    assert f"ptir.{op}" not in names(after)
    same(before, after, x)


@pytest.mark.parametrize("dtype", FLOATS)
def test_is_finite(dtype: str):
    x = floats(FLOATS[dtype])
    t = f"tensor<{x.size}x{dtype}>"
    p = f"tensor<{x.size}xi1>"
    before = module(f"(%x: {t}) -> {p}", f"%r = ptir.is_finite %x : {t} -> {p}")
    after = decomposed(before)
    assert "ptir.is_finite" not in names(after)
    same(before, after, x)


def integers(dtype: type) -> np.ndarray:
    info = np.iinfo(dtype)
    rng = np.random.default_rng(1)
    edges = [info.min, info.min + 1, info.max, info.max - 1, 0, 1, 2, 7] + ([-1, -2] if info.min < 0 else [])
    return np.concatenate([np.array(edges, dtype), rng.integers(info.min, info.max, 50, dtype, endpoint=True)])


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("op", ["sign", "not"])
def test_functions_of_one_integer(op: str, dtype: str):
    x = integers(INTEGERS[dtype])
    t = f"tensor<{x.size}x{dtype}>"
    before = module(f"(%x: {t}) -> {t}", f"%r = ptir.{op} %x : {t}")
    after = decomposed(before)
    assert f"ptir.{op}" not in names(after)
    same(before, after, x)


@pytest.mark.parametrize("dtype", INTEGERS)
def test_remainder_of_integers(dtype: str):
    x = integers(INTEGERS[dtype])
    a, b = (g.reshape(-1) for g in np.meshgrid(x, x[x != 0]))
    t = f"tensor<{a.size}x{dtype}>"
    before = module(f"(%x: {t}, %y: {t}) -> {t}", f"%r = ptir.remainder %x, %y : {t}")
    after = decomposed(before)
    assert "ptir.remainder" not in names(after)
    same(before, after, a, b)


@pytest.mark.parametrize("op", ["and", "or", "xor"])
def test_predicates(op: str):
    t = "tensor<4xi1>"
    before = module(f"(%x: {t}, %y: {t}) -> {t}", f"%r = ptir.{op} %x, %y : {t}")
    after = decomposed(before)
    assert f"ptir.{op}" not in names(after)
    same(before, after, np.array([0, 0, 1, 1], bool), np.array([0, 1, 0, 1], bool))


def test_not_of_predicates():
    before = module("(%x: tensor<2xi1>) -> tensor<2xi1>", "%r = ptir.not %x : tensor<2xi1>")
    same(before, decomposed(before, "not"), np.array([False, True]))


@pytest.mark.parametrize("sizes", [(2, 3), (2, 0), (0, 3)])
@pytest.mark.parametrize("keep", [True, False])
@pytest.mark.parametrize("kind", ["any", "all"])
def test_reductions_of_predicates(kind: str, keep: bool, sizes: tuple[int, int]):
    out = f"{sizes[0]}x1" if keep else f"{sizes[0]}"
    source = f"tensor<{sizes[0]}x{sizes[1]}xi1>"
    words = "axes [1] keepdims" if keep else "axes [1]"
    before = module(
        f"(%x: {source}) -> tensor<{out}xi1>", f"%r = ptir.reduce {kind} %x {words} : {source} -> tensor<{out}xi1>"
    )
    after = decomposed(before, "reduce")
    assert f"reduce {kind}" not in str(after)
    for bits in range(2 ** (sizes[0] * sizes[1])):
        x = np.array([bits >> k & 1 for k in range(sizes[0] * sizes[1])], bool).reshape(sizes)
        same(before, after, x)


@pytest.mark.parametrize("dtype", ["f32", "bf16", "i32"])
def test_clamp(dtype: str):
    kind = {**FLOATS, **INTEGERS}[dtype]
    some = floats(kind)[:30] if dtype in FLOATS else integers(kind)[:30]
    if dtype in FLOATS:
        some = np.concatenate([some, np.array([np.nan, np.inf, -0.0]).astype(kind)])
    x, lo, hi = (g.reshape(-1) for g in np.meshgrid(some, some[::3], some[::5]))
    t = f"tensor<{x.size}x{dtype}>"
    before = module(f"(%x: {t}, %l: {t}, %h: {t}) -> {t}", f"%r = ptir.clamp %x, %l, %h : {t}")
    same(before, decomposed(before, "clamp"), x, lo, hi)


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("dtype", ["f32", "bf16", "f64", "f8E5M2"])
def test_layer_norm(dtype: str, axis: int):
    sizes = (4, 6, 5)
    t, g = f"tensor<4x6x5x{dtype}>", f"tensor<{sizes[axis]}x{dtype}>"
    before = module(
        f"(%x: {t}, %g: {g}, %b: {g}) -> {t}",
        f"%r = ptir.layer_norm %x, %g, %b axis {axis} epsilon 1.0e-05 : {t}, {g}",
    )
    after = decomposed(before)
    assert "ptir.layer_norm" not in names(after)
    rng = np.random.default_rng(2)
    arrays = [rng.normal(size=s).astype(FLOATS[dtype]) for s in (sizes, sizes[axis], sizes[axis])]
    same(before, after, *arrays)


def test_stop_gradient_vanishes():
    before = module("(%x: tensor<2xf32>) -> tensor<2xf32>", "%r = ptir.stop_gradient %x : tensor<2xf32>")
    assert "ptir.stop_gradient" not in names(decomposed(before))


# --- indexing forms -----------------------------------------------------------------------------


EVERY = {**FLOATS, **INTEGERS, "i1": np.bool_, "complex<f32>": np.complex64}


@pytest.mark.sampled(6)
@pytest.mark.parametrize("kind", ["sum", "max", "min", "mul", "any", "all"])
def test_reductions_of_every_accumulator_and_result(kind: str):
    """Where a reduction is legal, what stands for it has its type and means the same."""
    seen = 0
    of = "i1" if kind in ("any", "all") else "si8"
    x = np.array([[0, 1, 0], [1, 1, 0]]).astype(EVERY[of])
    for accum, out in itertools.product(EVERY, repeat=2):
        body = f"%r = ptir.reduce {kind} %x axes [0] accum {accum} out {out} : tensor<2x3x{of}> -> tensor<3x{out}>"
        before = module(f"(%x: tensor<2x3x{of}>) -> tensor<3x{out}>", body)
        try:
            before.verify()
        except VerifyException:
            continue
        seen += 1
        after = decomposed(before)
        same(before, after, x)
        same(before, decomposed(before, pass_="ptir-to-tiny"), x)
    assert seen


@pytest.mark.parametrize("rest", [(), (3,), (3, 2), (0,)])
@pytest.mark.parametrize("index", [(), (4,), (2, 3), (0,)])
def test_take_as_gather(rest: tuple[int, ...], index: tuple[int, ...]):
    def spelt(sizes: tuple[int, ...], dtype: str) -> str:
        return f"tensor<{''.join(f'{s}x' for s in sizes)}{dtype}>"

    x, i, r = spelt((5, *rest), "f32"), spelt(index, "si32"), spelt((*index, *rest), "f32")
    before = module(f"(%x: {x}, %i: {i}) -> {r}", f"%r = ptir.take %x, %i : ({x}, {i}) -> {r}")
    after = decomposed(before, "take")
    assert "ptir.take" not in names(after) and "ptir.gather" in names(after)
    rng = np.random.default_rng(3)
    arrays = rng.normal(size=(5, *rest)).astype(np.float32), rng.integers(0, 5, index, np.int32)
    same(before, after, *arrays)
    if 0 not in index:  # rows without elements have indices, too
        for program in (before, after):
            with pytest.raises(IndexOutOfRange):
                ptir.reference(program, arrays[0], np.full(index, 5, np.int32))


def test_indices_stay_where_they_are_checked():
    """A gather or scatter_reduce with an empty axis checks no index; a take or scatter_add checks every one."""
    body = """
    %b = ptir.broadcast_to %i : tensor<2x1xsi32> -> tensor<2x0xsi32>
    %r = ptir.gather %x, %b axis 0 : (tensor<4x0xf32>, tensor<2x0xsi32>) -> tensor<2x0xf32>"""
    before = module("(%x: tensor<4x0xf32>, %i: tensor<2x1xsi32>) -> tensor<2x0xf32>", body)
    after = decomposed(before, "gather")
    assert "ptir.take" not in names(after)
    same(before, after, np.zeros((4, 0), np.float32), np.full((2, 1), 99, np.int32))


def gather(axis: int, text: str, operand: str) -> ModuleOp:
    sizes = [4, 4, 4]
    sizes[axis] = 3
    t = f"tensor<{'x'.join(map(str, sizes))}x"
    body = f"""
    %i = {text.replace("$I", t + "si32>")}
    %r = ptir.gather %x, %i axis {axis} : (tensor<4x4x4xf32>, {t}si32>) -> {t}f32>"""
    return module(f"(%x: tensor<4x4x4xf32>, %j: {operand}) -> {t}f32>", body)


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_gather_of_whole_rows_as_take(axis: int):
    sizes = "x".join("3" if a == axis else "1" for a in range(3))
    operand = f"tensor<{sizes}xsi32>"
    before = gather(axis, f"ptir.broadcast_to %j : {operand} -> $I", operand)
    after = decomposed(before, "gather")
    assert "ptir.gather" not in names(after)
    assert "ptir.take" in names(after)
    rng = np.random.default_rng(4)
    shape = [int(s) for s in sizes.split("x")]
    same(before, after, rng.normal(size=(4, 4, 4)).astype(np.float32), rng.integers(0, 4, shape, np.int32))


@pytest.mark.parametrize(
    ("axis", "operand"), [(0, "tensor<3x4x1xsi32>"), (1, "tensor<1xsi32>"), (1, "tensor<4x3x4xsi32>")]
)
def test_gather_with_an_index_for_each_element_stays(axis: int, operand: str):
    text = f"ptir.broadcast_to %j : {operand} -> $I"
    assert "ptir.gather" in names(decomposed(gather(axis, text, operand), "gather"))


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_scatter_reduce_as_scatter_add(axis: int):
    sizes = [3, 4, 5]
    sizes[axis] = 7
    u = "x".join(map(str, sizes))
    before = module(
        f"(%x: tensor<3x4x5xi32>, %i: tensor<{u}xsi64>, %u: tensor<{u}xi32>) -> tensor<3x4x5xi32>",
        f"%r = ptir.scatter_reduce add %x, %i, %u axis {axis} : tensor<3x4x5xi32>, tensor<{u}xsi64>, tensor<{u}xi32>",
    )
    after = decomposed(before, "scatter_reduce")
    assert "ptir.scatter_reduce" not in names(after)
    assert "ptir.scatter_add" in names(after)
    rng = np.random.default_rng(5)
    extent = (3, 4, 5)[axis]
    same(
        before,
        after,
        rng.integers(-9, 9, (3, 4, 5), np.int32),
        rng.integers(0, extent, sizes),
        rng.integers(-9, 9, sizes, np.int32),
    )


@pytest.mark.parametrize(
    ("axis", "index", "updates", "window", "vector"),
    [
        (0, (2, 6), (2, 6, 4, 5), (2, 3), None),
        (1, (6, 1), (3, 6, 5), (0, 2), 1),
        (2, (1, 6), (6, 3, 4), (1, 2), 0),
        (1, (), (3, 5), (0, 1), None),
    ],
)
def test_scatter_add_of_whole_rows_as_scatter_reduce(axis, index, updates, window, vector):
    def spelt(sizes: tuple[int, ...], dtype: str) -> str:
        return f"tensor<{''.join(f'{s}x' for s in sizes)}{dtype}>"

    i, u = spelt(index, "si32"), spelt(updates, "i32")
    words = f"update_window_dims {list(window)} inserted_window_dims [{axis}] scatter_dims_to_operand_dims [{axis}]"
    words += "" if vector is None else f" index_vector_dim {vector}"
    before = module(
        f"(%x: tensor<3x4x5xi32>, %i: {i}, %u: {u}) -> tensor<3x4x5xi32>",
        f"%r = ptir.scatter_add %x, %i, %u {words} : tensor<3x4x5xi32>, {i}, {u}",
    )
    after = decomposed(before, "scatter_add")
    assert "ptir.scatter_add" not in names(after)
    rng = np.random.default_rng(6)
    same(
        before,
        after,
        rng.integers(-9, 9, (3, 4, 5), np.int32),
        rng.integers(0, (3, 4, 5)[axis], index, np.int32),
        rng.integers(-9, 9, updates, np.int32),
    )


def test_gather_whose_indices_vary_along_another_axis_stays():
    t, i = "tensor<4x4xf32>", "tensor<4x4xsi32>"
    before = module(
        f"(%x: {t}, %j: tensor<1x4xsi32>) -> {t}",
        f"%i = ptir.broadcast_to %j : tensor<1x4xsi32> -> {i}\n%r = ptir.gather %x, %i axis 0 : ({t}, {i}) -> {t}",
    )
    assert str(decomposed(before, "gather")) == str(before)
    assert "ptir.take" in names(decomposed(ptir.parse(str(before).replace("axis 0", "axis 1")), "gather"))


@pytest.mark.parametrize(
    ("index", "updates", "words"),
    [
        ("2x1", "2x3", "update_window_dims [1] inserted_window_dims [0] scatter_dims_to_operand_dims [0]"),
        ("2x2", "2", "update_window_dims [] inserted_window_dims [0, 1] scatter_dims_to_operand_dims [0, 1]"),
        ("2x1", "2x1x4", "update_window_dims [1, 2] inserted_window_dims [] scatter_dims_to_operand_dims [0]"),
    ],
)
def test_scatter_add_of_parts_of_rows_stays(index: str, updates: str, words: str):
    t, i, u = "tensor<9x4xf32>", f"tensor<{index}xsi32>", f"tensor<{updates}xf32>"
    before = module(
        f"(%x: {t}, %i: {i}, %u: {u}) -> {t}",
        f"%r = ptir.scatter_add %x, %i, %u {words} index_vector_dim 1 : {t}, {i}, {u}",
    )
    assert str(decomposed(before, "scatter_add")) == str(before)


# --- convolutions -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("x", "w", "words", "out"),
    [
        ((2, 6, 7, 3), (3, 2, 3, 4), "", (2, 4, 6, 4)),
        ((2, 6, 7, 3), (3, 2, 3, 4), "strides [2, 1] padding [(1, 0), (0, 2)] dilation [1, 2]", (2, 3, 7, 4)),
        ((1, 9, 4), (3, 2, 6), "strides [2] groups 2", (1, 4, 6)),
        ((2, 5, 5, 6), (2, 2, 2, 3), "padding [(1, 1), (0, 0)] groups 3 accum f32", (2, 6, 4, 3)),
    ],
)
def test_convolution_as_patches(x, w, words, out):
    a, b, r = (f"tensor<{'x'.join(map(str, s))}xf32>" for s in (x, w, out))
    before = module(f"(%x: {a}, %w: {b}) -> {r}", f"%r = ptir.convolution %x, %w {words} : ({a}, {b}) -> {r}")
    after = decomposed(before, "convolution")
    assert "ptir.convolution" not in names(after)
    rng = np.random.default_rng(7)
    arrays = [rng.integers(-5, 6, s).astype(np.float32) for s in (x, w)]
    same(before, after, *arrays)
    back = decomposed(after, pass_="ptir-form-convolutions")
    assert ("ptir.convolution" in names(back)) == ("groups" not in words)
    same(before, back, *arrays)
    if "groups" not in words:
        assert str(back) == str(before)


PATCHES = """
    %p = ptir.extract_patches %x window [2, 2] $PADDING : tensor<2x5x6x3xf32> -> tensor<2x$Yx5x12xf32>
    $FLAT
    %r = ptir.dot_general %$LHS, %w contract [$K] x [$C] $WORDS : ($PT, $WT) -> $RT"""


def patches(**pieces: str) -> ModuleOp:
    given = {
        "PADDING": "",
        "Y": "4",
        "FLAT": "",
        "LHS": "p",
        "K": "3",
        "C": "0",
        "WORDS": "accum f32 out f32",
        "PT": "tensor<2x4x5x12xf32>",
        "WT": "tensor<12x7xf32>",
        "RT": "tensor<2x4x5x7xf32>",
    } | pieces
    body = PATCHES
    for name, text in given.items():
        body = body.replace(f"${name}", text)
    return module(f"(%x: tensor<2x5x6x3xf32>, %w: {given['WT']}) -> {given['RT']}", body)


FLAT = {
    "FLAT": "%q = ptir.reshape %p : tensor<2x4x5x12xf32> -> tensor<40x12xf32>",
    "LHS": "q",
    "K": "1",
    "PT": "tensor<40x12xf32>",
    "RT": "tensor<40x7xf32>",
}
PADDED = {"Y": "6", "PT": "tensor<2x6x5x12xf32>", "RT": "tensor<2x6x5x7xf32>"}


@pytest.mark.parametrize(
    "pieces", [{}, FLAT, {"PADDING": "padding [(1, 1), (0, 0)]", **PADDED}, {"PADDING": "pad_value 1.0 : f32"}]
)
def test_patches_with_a_filter_are_a_convolution(pieces: dict[str, str]):
    before = patches(**pieces)
    after = decomposed(before, pass_="ptir-form-convolutions")
    assert "ptir.convolution" in names(after)
    assert "ptir.extract_patches" not in names(after)
    rng = np.random.default_rng(8)
    same(before, after, *(rng.integers(-5, 6, s).astype(np.float32) for s in ((2, 5, 6, 3), (12, 7))))


@pytest.mark.parametrize(
    "pieces",
    [
        {"PADDING": "padding [(1, 1), (0, 0)] pad_value 1.0 : f32", **PADDED},
        {"PADDING": "padding [(1, 1), (0, 0)] pad_value -0.0 : f32", **PADDED},
        {"K": "2", "WT": "tensor<5x7xf32>", "RT": "tensor<2x4x12x7xf32>"},
        {"WT": "tensor<12x12xf32>", "C": "1", "RT": "tensor<2x4x5x12xf32>"},
        {"WT": "tensor<12xf32>", "RT": "tensor<2x4x5xf32>"},
        {"WT": "tensor<12x7x2xf32>", "RT": "tensor<2x4x5x7x2xf32>"},
        {
            "FLAT": "%q = ptir.reshape %p : tensor<2x4x5x12xf32> -> tensor<20x24xf32>",
            "LHS": "q",
            "K": "1",
            "PT": "tensor<20x24xf32>",
            "WT": "tensor<24x7xf32>",
            "RT": "tensor<20x7xf32>",
        },
    ],
)
def test_other_contractions_of_patches_stay(pieces: dict[str, str]):
    assert "ptir.convolution" not in names(decomposed(patches(**pieces), pass_="ptir-form-convolutions"))


def test_patches_that_others_read_stay():
    text = str(patches()).replace(
        "func.return %r : tensor<2x4x5x7xf32>", "func.return %r, %p : tensor<2x4x5x7xf32>, tensor<2x4x5x12xf32>"
    )
    text = text.replace("-> tensor<2x4x5x7xf32> {", "-> (tensor<2x4x5x7xf32>, tensor<2x4x5x12xf32>) {")
    assert "ptir.convolution" not in names(decomposed(ptir.parse(text), pass_="ptir-form-convolutions"))


# --- the pass -----------------------------------------------------------------------------------


def test_only_what_is_asked_for():
    before = module(
        "(%x: tensor<2xf32>) -> tensor<2xf32>",
        "%0 = ptir.clamp %x, %x, %x : tensor<2xf32>\n%r = ptir.floor %0 : tensor<2xf32>",
    )
    assert "ptir.clamp" in names(decomposed(before, "floor"))
    assert "ptir.floor" in names(decomposed(before, "clamp"))
    both = names(decomposed(before, "floor,clamp"))
    assert "ptir.clamp" not in both
    assert "ptir.floor" not in both


def test_indexing_forms_must_be_named():
    t = "tensor<4x2xf32>"
    before = module(f"(%x: {t}, %i: tensor<4xsi32>) -> {t}", f"%r = ptir.take %x, %i : ({t}, tensor<4xsi32>) -> {t}")
    assert "ptir.take" in names(decomposed(before))


def test_a_name_that_no_row_has():
    with pytest.raises(BadOptionValue) as failure:
        decomposed(module("(%x: tensor<2xf32>) -> tensor<2xf32>", "%r = ptir.exp %x : tensor<2xf32>"), "exp")
    assert "'exp'" in failure.value.message
    assert all(name in failure.value.help for name in (*SIMPLER, *INDEXING_FORMS))


@pytest.mark.parametrize(
    ("signature", "body", "ops"),
    [
        ("(%x: tensor<?xf32>) -> tensor<?xf32>", "%r = ptir.floor %x : tensor<?xf32>", ""),
        ("(%x: tensor<2xi32>) -> tensor<2xi32>", "%r = ptir.and %x, %x : tensor<2xi32>", ""),
        ("(%x: tensor<2xf32>) -> tensor<2xf32>", "%r = ptir.remainder %x, %x : tensor<2xf32>", ""),
        ("(%x: tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>", "%r = ptir.sign %x : tensor<2xcomplex<f32>>", ""),
        (
            "(%x: tensor<2x3xf32>) -> tensor<2xf32>",
            "%r = ptir.reduce mul %x axes [1] : tensor<2x3xf32> -> tensor<2xf32>",
            "",
        ),
        (
            "(%x: tensor<2xf32>, %i: tensor<2xsi32>) -> tensor<2xf32>",
            "%r = ptir.scatter_reduce max %x, %i, %x axis 0 : tensor<2xf32>, tensor<2xsi32>, tensor<2xf32>",
            "scatter_reduce",
        ),
    ],
)
def test_what_has_no_exact_form_stays_untouched(signature: str, body: str, ops: str):
    before = module(signature, body)
    after = decomposed(before, ops)
    assert str(after) == str(before)
    function = next(iter(after.ops))
    users = {use.operation for arg in function.regions[0].block.args for use in arg.uses}
    assert users <= set(function.walk())


def test_named_sizes_are_no_obstacle():
    t = "tensor<?x4xf32, #ptir.dims<B, _>>"
    before = module(f"(%x: {t}) -> {t}", f"%r = ptir.floor %x : {t}")
    after = decomposed(before)
    assert "ptir.floor" not in names(after)
    same(before, after, np.linspace(-3, 3, 12, dtype=np.float32).reshape(3, 4))
