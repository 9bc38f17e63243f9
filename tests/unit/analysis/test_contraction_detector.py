"""The detector of contractions in tiny programs: results do not depend on the order of movements; similar programs are rejected."""

from __future__ import annotations

import re
from collections.abc import Mapping
from math import prod
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

import ptir
from ptir.analysis.index import affine
from ptir.analysis.index.book import IndexBook
from ptir.analysis.index.isl_text import map_text
from ptir.analysis.poly.view import build_view
from ptir.analysis.regions.contraction import Contraction, find_contraction, find_pattern
from ptir.dialects import poly
from ptir.dialects.common.shapes import shape
from ptir.frontends.json.tiny import export_json, import_json
from ptir.passes.environment import make_context
from ptir.passes.manager import PassManager
from ptir.semantics.arrays.scalars import numpy_dtype
from ptir.semantics.interpreter import call
from ptir.text.parsing import parse_text


def tiny(signature: str, *lines: str) -> str:
    """
    Returns the text of @f. A line is `%r = op args : 4x8 -> 8x4`, with short forms of the types; the function returns the value of
    the last line.
    """
    out: list[str] = []
    last, result = "", ""
    for line in lines:
        head, types = line.rsplit(" : ", 1)
        operands, result = (part.strip() for part in types.split("->"))
        last, op = head.split(" = ", 1)
        spelt = ", ".join(tensor(t) for t in operands.split(", "))
        out.append(
            f"  {last} = tiny.{op} : " + (f"({spelt})" if op.startswith("binary") else spelt) + f" -> {tensor(result)}"
        )
    args = re.sub(r": ([0-9a-z]*)", lambda m: f": {tensor(m[1])}", signature)
    return "\n".join(
        [f"func.func @f({args}) -> {tensor(result)} {{", *out, f"  func.return {last} : {tensor(result)}", "}"]
    )


def tensor(short: str) -> str:
    """Returns the tensor type for `4x8` (f32) or `4x8xbf16`."""
    return (
        f"tensor<{short}>"
        if re.search(r"[a-z]\w*$", short.split("x")[-1])
        else f"tensor<{short}{'x' if short else ''}f32>"
    )


def function(text: str, pipeline: str = "builtin.module()") -> FuncOp:
    module = PassManager(pipeline).run(ptir.parse(text))
    return next(op for op in module.ops if isinstance(op, FuncOp))


def blocks(of: FuncOp) -> list[poly.BlockOp]:
    """Returns the blocks of contractions in the Poly-View, in order."""
    return [b for b in build_view(of).blocks.values() if b.kind.data == "contraction_pattern"]


def seen(of: FuncOp) -> list[tuple[object, ...]]:
    """Returns the properties of the contractions, without the names of intermediate values."""
    return [(str(b.domain), str(b.tensors), str(b.maps), str(b.guards), str(b.pattern)) for b in blocks(of)]


# --- one contraction, written in many ways ----------------------------------------------------------

ARGS = "%x: 4x8, %w: 8x2"
MATMULS = {
    "reshapes": tiny(
        ARGS,
        "%a = movement reshape %x : 4x8 -> 4x8x1",
        "%b = movement reshape %w : 8x2 -> 1x8x2",
        "%p = binary mul %a, %b : 4x8x1, 1x8x2 -> 4x8x2",
        "%s = reduce sum %p axes [1] accum f32 : 4x8x2 -> 4x2",
    ),
    "explicit expands": tiny(
        ARGS,
        "%a = movement reshape %x : 4x8 -> 4x8x1",
        "%c = movement expand %a : 4x8x1 -> 4x8x2",
        "%b = movement expand %w : 8x2 -> 4x8x2",
        "%p = binary mul %c, %b : 4x8x2, 4x8x2 -> 4x8x2",
        "%s = reduce sum %p axes [1] accum f32 : 4x8x2 -> 4x2",
    ),
    "reduced axis last": tiny(
        ARGS,
        "%a = movement reshape %x : 4x8 -> 4x1x8",
        "%b = movement permute %w by [1, 0] : 8x2 -> 2x8",
        "%p = binary mul %a, %b : 4x1x8, 2x8 -> 4x2x8",
        "%s = reduce sum %p axes [2] accum f32 : 4x2x8 -> 4x2",
    ),
    "permuted product": tiny(
        ARGS,
        "%a = movement permute %x by [1, 0] : 4x8 -> 8x4",
        "%c = movement reshape %a : 8x4 -> 8x1x4",
        "%b = movement reshape %w : 8x2 -> 8x2x1",
        "%p = binary mul %c, %b : 8x1x4, 8x2x1 -> 8x2x4",
        "%q = movement permute %p by [2, 0, 1] : 8x2x4 -> 4x8x2",
        "%s = reduce sum %q axes [1] accum f32 : 4x8x2 -> 4x2",
    ),
    "there and back": tiny(
        ARGS,
        "%a = movement permute %x by [1, 0] : 4x8 -> 8x4",
        "%d = movement reshape %a : 8x4 -> 2x4x4",
        "%e = movement reshape %d : 2x4x4 -> 8x4",
        "%f = movement permute %e by [1, 0] : 8x4 -> 4x8",
        "%c = movement reshape %f : 4x8 -> 4x8x1",
        "%p = binary mul %c, %w : 4x8x1, 8x2 -> 4x8x2",
        "%s = reduce sum %p axes [1] accum f32 : 4x8x2 -> 4x2",
    ),
    "a view that repeats": tiny(
        ARGS,
        "%a = movement view %x offset 0 strides [8, 1, 0] : 4x8 -> 4x8x2",
        "%p = binary mul %a, %w : 4x8x2, 8x2 -> 4x8x2",
        "%s = reduce sum %p axes [1] accum f32 : 4x8x2 -> 4x2",
    ),
    "padded and shrunk": tiny(
        ARGS,
        "%a = movement pad %x low [1, 2] high [0, 1] value 0.0 : f32 : 4x8 -> 5x11",
        "%b = movement shrink %a from [1, 2] : 5x11 -> 4x8",
        "%c = movement reshape %b : 4x8 -> 4x8x1",
        "%p = binary mul %c, %w : 4x8x1, 8x2 -> 4x8x2",
        "%s = reduce sum %p axes [1] accum f32 : 4x8x2 -> 4x2",
    ),
    "an exact cast before": tiny(
        "%x: 4x8xbf16, %w: 8x2xbf16",
        "%a = unary cast %x : 4x8xbf16 -> 4x8",
        "%b = unary cast %w : 8x2xbf16 -> 8x2",
        "%c = movement reshape %a : 4x8 -> 4x8x1",
        "%p = binary mul %c, %b : 4x8x1, 8x2 -> 4x8x2",
        "%s = reduce sum %p axes [1] accum f32 : 4x8x2 -> 4x2",
    ),
    "an exact cast after": tiny(
        "%x: 4x8xbf16, %w: 8x2xbf16",
        "%a = movement reshape %x : 4x8xbf16 -> 4x8x1xbf16",
        "%c = unary cast %a : 4x8x1xbf16 -> 4x8x1",
        "%b = unary cast %w : 8x2xbf16 -> 8x2",
        "%p = binary mul %c, %b : 4x8x1, 8x2 -> 4x8x2",
        "%s = reduce sum %p axes [1] accum f32 : 4x8x2 -> 4x2",
    ),
    "32 bits, multiplied in 64": tiny(
        "%x: 4x8, %w: 8x2",
        "%a = movement reshape %x : 4x8 -> 4x8x1",
        "%c = unary cast %a : 4x8x1 -> 4x8x1xf64",
        "%d = unary cast %w : 8x2 -> 8x2xf64",
        "%p = binary mul %c, %d : 4x8x1xf64, 8x2xf64 -> 4x8x2xf64",
        "%s = reduce sum %p axes [1] accum f32 : 4x8x2xf64 -> 4x2",
    ),
    "8 bits, multiplied in 16": tiny(
        "%x: 4x8xsi8, %w: 8x2xsi8",
        "%a = movement reshape %x : 4x8xsi8 -> 4x8x1xsi8",
        "%c = unary cast %a : 4x8x1xsi8 -> 4x8x1xsi16",
        "%d = unary cast %w : 8x2xsi8 -> 8x2xsi16",
        "%p = binary mul %c, %d : 4x8x1xsi16, 8x2xsi16 -> 4x8x2xsi16",
        "%s = reduce sum %p axes [1] accum si32 : 4x8x2xsi16 -> 4x2xsi32",
    ),
}


@pytest.mark.parametrize("name", MATMULS)
def test_one_matmul_in_many_ways(name: str):
    (said,) = seen(function(MATMULS[name]))
    assert said == seen(function(MATMULS["reshapes"]))[0]
    assert '"matmul"' in str(said[-1])


CONV_ARGS = "%x: 2x4x8, %w: 3x4x3"
"""Arguments of a convolution with stride 2 and padding 1: `[N, C, L]` and `[F, C, K]`."""
CONVS = {
    "pad and view": tiny(
        CONV_ARGS,
        "%a = movement pad %x low [0, 0, 1] high [0, 0, 1] value 0.0 : f32 : 2x4x8 -> 2x4x10",
        "%b = movement view %a offset 0 strides [40, 0, 2, 10, 1] : 2x4x10 -> 2x1x4x4x3",
        "%c = movement reshape %w : 3x4x3 -> 1x3x1x4x3",
        "%p = binary mul %b, %c : 2x1x4x4x3, 1x3x1x4x3 -> 2x3x4x4x3",
        "%s = reduce sum %p axes [3, 4] accum f32 : 2x3x4x4x3 -> 2x3x4",
    ),
    "channels last in between": tiny(
        CONV_ARGS,
        "%t = movement permute %x by [0, 2, 1] : 2x4x8 -> 2x8x4",
        "%a = movement pad %t low [0, 1, 0] high [0, 1, 0] value 0.0 : f32 : 2x8x4 -> 2x10x4",
        "%b = movement view %a offset 0 strides [40, 8, 4, 1] : 2x10x4 -> 2x4x3x4",
        "%d = movement permute %b by [0, 1, 3, 2] : 2x4x3x4 -> 2x4x4x3",
        "%e = movement reshape %d : 2x4x4x3 -> 2x1x4x4x3",
        "%c = movement reshape %w : 3x4x3 -> 3x1x4x3",
        "%p = binary mul %e, %c : 2x1x4x4x3, 3x1x4x3 -> 2x3x4x4x3",
        "%s = reduce sum %p axes [3, 4] accum f32 : 2x3x4x4x3 -> 2x3x4",
    ),
    "padded twice": tiny(
        CONV_ARGS,
        "%q = movement pad %x low [0, 0, 1] high [0, 0, 0] value 0.0 : f32 : 2x4x8 -> 2x4x9",
        "%a = movement pad %q low [0, 0, 0] high [0, 0, 1] value 0.0 : f32 : 2x4x9 -> 2x4x10",
        "%b = movement view %a offset 0 strides [40, 2, 10, 1] : 2x4x10 -> 2x4x4x3",
        "%e = movement reshape %b : 2x4x4x3 -> 2x1x4x4x3",
        "%c = movement reshape %w : 3x4x3 -> 3x1x4x3",
        "%p = binary mul %e, %c : 2x1x4x4x3, 3x1x4x3 -> 2x3x4x4x3",
        "%s = reduce sum %p axes [3, 4] accum f32 : 2x3x4x4x3 -> 2x3x4",
    ),
    "padded flat": tiny(
        CONV_ARGS,
        "%q = movement pad %x low [0, 0, 1] high [0, 0, 1] value 0.0 : f32 : 2x4x8 -> 2x4x10",
        "%a = movement reshape %q : 2x4x10 -> 80",
        "%b = movement view %a offset 0 strides [40, 2, 10, 1] : 80 -> 2x4x4x3",
        "%e = movement reshape %b : 2x4x4x3 -> 2x1x4x4x3",
        "%c = movement reshape %w : 3x4x3 -> 3x1x4x3",
        "%p = binary mul %e, %c : 2x1x4x4x3, 3x1x4x3 -> 2x3x4x4x3",
        "%s = reduce sum %p axes [3, 4] accum f32 : 2x3x4x4x3 -> 2x3x4",
    ),
}


@pytest.mark.parametrize("name", CONVS)
def test_one_convolution_in_many_ways(name: str):
    (said,) = seen(function(CONVS[name]))
    assert said == seen(function(CONVS["pad and view"]))[0]
    _, tensors, maps, guards, pattern = map(str, said)
    assert tensors == '["arg0", "arg1"]'
    assert '"{ [i0, i1, i2, i3, i4] -> [i0, i3, 2*i2 + i4 - 1] }"' in maps and "poly.guard" in guards
    assert "stride = 2" in pattern and "offset = -1" in pattern and '"conv"' in pattern


IM2COL = tiny(
    CONV_ARGS,
    "%a = movement pad %x low [0, 0, 1] high [0, 0, 1] value 0.0 : f32 : 2x4x8 -> 2x4x10",
    "%b = movement view %a offset 0 strides [40, 2, 10, 1] : 2x4x10 -> 2x4x4x3",
    "%m = movement reshape %b : 2x4x4x3 -> 8x12",
    "%u = movement reshape %w : 3x4x3 -> 3x12",
    "%e = movement reshape %m : 8x12 -> 8x1x12",
    "%p = binary mul %e, %u : 8x1x12, 3x12 -> 8x3x12",
    "%s = reduce sum %p axes [2] accum f32 : 8x3x12 -> 8x3",
)


def test_a_matrix_of_patches_is_the_same_convolution():
    """Its rows and columns are merged axes. `digits` splits them, and the windows are those of the convolution."""
    (block,) = blocks(function(IM2COL))
    assert block.pattern is not None
    assert str(block.pattern.data["affine_offsets"]) == (
        '{lhs = [{axis = 2 : i64, stride = 2 : i64, dilation = 1 : i64, offset = -1 : i64, out = "d1", window = "d4"}], rhs = []}'
    )
    digits = "{ [i0, i1, i2] -> [floor((i0)/4), i0 - 4*floor((i0)/4), i1, floor((i2)/3), i2 - 3*floor((i2)/3)] }"
    assert str(block.pattern.data["digits"]) == f'#poly.map<"{digits}">'


@pytest.mark.parametrize("text", [*MATMULS.values(), *CONVS.values(), IM2COL])
def test_names_attributes_and_trips_through_text_and_json_change_nothing(text: str):
    of = function(text)
    want = seen(of)
    for op in of.walk():
        op.attributes.clear()
        for value in (*op.results, *(a for r in op.regions for b in r.blocks for a in b.args)):
            value.name_hint = None
    assert seen(of) == want
    printed = str(ModuleOp([of.clone()]))
    again = next(iter(parse_text(printed, make_context()).ops))
    assert isinstance(again, FuncOp) and seen(again) == want
    loaded = next(iter(import_json(export_json(ModuleOp([of.clone()]))).ops))
    assert isinstance(loaded, FuncOp) and seen(loaded) == want
    for op in of.walk():
        if op is not of:
            op.attributes["note"] = poly.SetAttr("{ [] }")
    assert seen(of) == want


# --- what is said is true ---------------------------------------------------------------------------


def values_at(expression: str, axes: Mapping[str, Any]) -> Any:
    """Evaluates isl's text of an expression at all points."""
    return eval(re.sub(r"floor\((.*?)/(\d+)\)", r"((\1)//\2)", expression), dict(axes))


@pytest.mark.parametrize("text", [*MATMULS.values(), *CONVS.values(), IM2COL], ids=[*MATMULS, *CONVS, "im2col"])
def test_the_sum_over_what_is_read_is_the_result(text: str):
    """Adding `lhs[map] · rhs[map]` at all points, zero outside of the guards, gives what the program computes."""
    of = function(text)
    book = IndexBook(of.body.block.ops)
    (found,) = [c for op in of.body.block.ops if (c := find_pattern(op, book))]
    rng = np.random.default_rng(1)
    arrays = [rng.integers(-4, 5, size=a.type.get_shape()).astype(np.float32) for a in of.body.block.args]  # pyright: ignore[reportAttributeAccessIssue]
    inputs = dict(zip(of.body.block.args, arrays, strict=True))
    product, _ = found
    sizes = [int(s) for s in product.sizes]
    points = {f"i{k}": v for k, v in enumerate(np.indices(sizes, dtype=np.int64))}
    total = np.ones(sizes)
    for side in (product.lhs, product.rhs):
        index = map_text(side.map).split(" -> ")[1].strip("[]").split(", ")
        at = [np.broadcast_to(values_at(e, points), sizes) for e in index]
        inside = np.ones(sizes, dtype=bool)
        for a, size in zip(at, inputs[side.value].shape, strict=True):
            inside &= (a >= 0) & (a < size)
        assert (side.guard is None) == bool(inside.all())
        if side.guard is not None:
            reads = affine.box(shape(side.value)).preimage_multi_aff(side.map)
            assert reads.intersect(affine.box(sizes)).is_equal(side.guard.intersect(affine.box(sizes)))
        clipped = [np.clip(a, 0, size - 1) for a, size in zip(at, inputs[side.value].shape, strict=True)]
        total = total * np.where(inside, inputs[side.value][tuple(clipped)], 0)
    got = total.sum(axis=tuple(range(product.rank, len(sizes))))
    typed = [np.asarray(a).astype(dtype_of(arg)) for a, arg in zip(arrays, of.body.block.args, strict=True)]
    (want,) = call(ModuleOp([of.clone()]), "f", *typed)
    assert prod(sizes) > 0 and np.array_equal(got, np.asarray(want, dtype=np.float64))


def dtype_of(value: Any) -> Any:

    return numpy_dtype(value.type.element_type)


# --- near misses ------------------------------------------------------------------------------------

PAIR = "%x: 4x6, %y: 4x6"
PRODUCT = "%p = binary mul %x, %y : 4x6, 4x6 -> 4x6"
NEAR_MISSES = {
    "a sum of sums": tiny(
        PAIR, "%p = binary add %x, %y : 4x6, 4x6 -> 4x6", "%s = reduce sum %p axes [1] accum f32 : 4x6 -> 4"
    ),
    "the largest product": tiny(PAIR, PRODUCT, "%s = reduce max %p axes [1] accum f32 : 4x6 -> 4"),
    "a relu between": tiny(
        PAIR, PRODUCT, "%r = unary relu %p : 4x6 -> 4x6", "%s = reduce sum %r axes [1] accum f32 : 4x6 -> 4"
    ),
    "a rounding between": tiny(
        PAIR,
        PRODUCT,
        "%h = unary cast %p : 4x6 -> 4x6xbf16",
        "%r = unary cast %h : 4x6xbf16 -> 4x6",
        "%s = reduce sum %r axes [1] accum f32 : 4x6 -> 4",
    ),
    "products that are rounded": tiny(
        "%x: 4x6xbf16, %y: 4x6xbf16",
        "%p = binary mul %x, %y : 4x6xbf16, 4x6xbf16 -> 4x6xbf16",
        "%r = unary cast %p : 4x6xbf16 -> 4x6",
        "%s = reduce sum %r axes [1] accum f32 : 4x6 -> 4",
    ),
    "products that are read twice, and so rounded": tiny(
        "%x: 4x6xbf16, %y: 4x6xbf16",
        "%p = binary mul %x, %y : 4x6xbf16, 4x6xbf16 -> 4x6xbf16",
        "%s = reduce sum %p axes [1] accum f32 : 4x6xbf16 -> 4",
        "%t = reduce max %p axes [1] accum bf16 : 4x6xbf16 -> 4xbf16",
        "%c = unary cast %t : 4xbf16 -> 4",
        "%u = binary add %s, %c : 4, 4 -> 4",
    ),
    "a product of three": tiny(
        "%x: 4x6, %y: 4x6, %z: 4x6",
        PRODUCT,
        "%q = binary mul %p, %z : 4x6, 4x6 -> 4x6",
        "%s = reduce sum %q axes [1] accum f32 : 4x6 -> 4",
    ),
    "a product of three, the third of one axis": tiny(
        "%x: 4x6, %y: 4x6, %z: 6",
        PRODUCT,
        "%q = binary mul %z, %p : 6, 4x6 -> 4x6",
        "%s = reduce sum %q axes [1] accum f32 : 4x6 -> 4",
    ),
    "an axis that one operand does not read": tiny(
        "%x: 4x6, %y: 4x1",
        "%p = binary mul %x, %y : 4x6, 4x1 -> 4x6",
        "%s = reduce sum %p axes [1] accum f32 : 4x6 -> 4",
    ),
    "an axis that is repeated by an expand": tiny(
        "%x: 4x6, %y: 4x1",
        "%e = movement expand %y : 4x1 -> 4x6",
        "%p = binary mul %x, %e : 4x6, 4x6 -> 4x6",
        "%s = reduce sum %p axes [1] accum f32 : 4x6 -> 4",
    ),
    "an axis that is repeated by a view": tiny(
        "%x: 4x6, %y: 4x1",
        "%e = movement view %y offset 0 strides [1, 0] : 4x1 -> 4x6",
        "%p = binary mul %x, %e : 4x6, 4x6 -> 4x6",
        "%s = reduce sum %p axes [1] accum f32 : 4x6 -> 4",
    ),
    "products padded with 1": tiny(
        PAIR,
        PRODUCT,
        "%r = movement pad %p low [0, 1] high [0, 0] value 1.0 : f32 : 4x6 -> 4x7",
        "%s = reduce sum %r axes [1] accum f32 : 4x7 -> 4",
    ),
}


@pytest.mark.parametrize("name", NEAR_MISSES)
def test_near_misses(name: str):
    assert not blocks(function(NEAR_MISSES[name]))


def test_a_sum_of_a_sum_of_products_is_a_contraction_and_a_sum():
    text = tiny(
        PAIR,
        PRODUCT,
        "%s = reduce sum %p axes [1] accum f32 : 4x6 -> 4",
        "%t = reduce sum %s axes [0] accum f32 : 4 -> ",
    )
    view = build_view(function(text))
    assert [b.kind.data for b in view.blocks.values()] == ["ewise", "contraction_pattern", "reduce"]


@pytest.mark.parametrize(
    ("value", "source", "guarded"),
    [
        ("0.0 : f32", "arg0", True),
        ("1.0 : f32", "v0", False),
        ("-0.0 : f32", "v0", False),
        ('"0x0000C07F" : f32', "v0", False),
    ],
)
def test_only_pads_with_zero_are_seen_through(value: str, source: str, guarded: bool):
    """Other pads are computed first, and the convolution reads their result without a guard."""
    (block,) = blocks(function(CONVS["pad and view"].replace("0.0 : f32", value)))
    assert block.tensors.data[0].data == source and (block.guards is not None) == guarded
    assert block.pattern is not None and block.pattern.data["pattern"].data == "conv"  # pyright: ignore[reportAttributeAccessIssue]


@pytest.mark.parametrize("op", ["relu", "exp", "neg"])
def test_what_is_computed_before_is_an_operand(op: str):
    text = MATMULS["reshapes"].replace(
        "  %a = tiny.movement reshape %x",
        f"  %n = tiny.unary {op} %x : tensor<4x8xf32> -> tensor<4x8xf32>\n  %a = tiny.movement reshape %n",
    )
    (block,) = blocks(function(text))
    assert [t.data for t in block.tensors] == ["v0", "arg1"]


def test_a_scaled_operand_is_one_operand():
    """The product with gamma is computed for [4, 8], not for all of [4, 8, 2]: two factors are summed."""
    text = tiny(
        "%x: 4x8, %g: 8, %w: 8x2",
        "%n = binary mul %x, %g : 4x8, 8 -> 4x8",
        "%a = movement reshape %n : 4x8 -> 4x8x1",
        "%p = binary mul %a, %w : 4x8x1, 8x2 -> 4x8x2",
        "%s = reduce sum %p axes [1] accum f32 : 4x8x2 -> 4x2",
    )
    (block,) = blocks(function(text))
    assert [t.data for t in block.tensors] == ["v0", "arg2"]


def test_tf32_is_seen_through_on_both_sides_or_on_neither():
    def rounded(*names: str) -> str:
        text = MATMULS["reshapes"]
        for name in names:
            shape = {"x": "4x8", "w": "8x2"}[name]
            line = f"  %t{name} = tiny.unary tf32 %{name} : {tensor(shape)} -> {tensor(shape)}\n"
            text = text.replace("{\n", "{\n" + line, 1).replace(f"reshape %{name} ", f"reshape %t{name} ")
        return text

    assert [t.data for b in blocks(function(rounded("x", "w"))) for t in b.tensors] == ["arg0", "arg1"]
    assert [t.data for b in blocks(function(rounded("x"))) for t in b.tensors] == ["v0", "arg1"]


def found(of: FuncOp) -> list[Contraction]:
    """Returns the contractions around which kernels are formed, in order."""
    book = IndexBook(of.body.block.ops)
    return [c for op in of.body.block.ops if (c := find_contraction(op, book))]


def test_a_kernel_may_store_what_is_no_pattern():
    """A kernel can store an operand that is broadcast along the summed axis. By access maps alone, this is no contraction."""
    of = function(
        tiny(
            "%x: 4x1, %w: 6x2",
            "%a = movement expand %x : 4x1 -> 4x6",
            "%b = movement reshape %a : 4x6 -> 4x6x1",
            "%p = binary mul %b, %w : 4x6x1, 6x2 -> 4x6x2",
            "%s = reduce sum %p axes [1] accum f32 : 4x6x2 -> 4x2",
        )
    )
    assert not blocks(of)
    (contraction,) = found(of)
    assert contraction.lhs.value.name_hint == "a"


def test_a_pad_along_contiguous_elements_is_a_guard_if_windows_slide_there():
    of = function(CONVS["pad and view"])
    (block,), (contraction,) = blocks(of), found(of)
    assert block.tensors.data[0].data == "arg0" and block.guards is not None
    assert contraction.lhs.value.name_hint == "x" and contraction.lhs.guard is not None


@pytest.mark.parametrize(
    ("signature", "product", "axes", "sizes"),
    [
        ("%x: 4x6, %y: 4x6", "%x, %y : 4x6, 4x6 -> 4x6", "[1]", "4x6 -> 4"),
        ("%x: 4x6", "%x, %x : 4x6, 4x6 -> 4x6", "[0, 1]", "4x6 -> "),
        ("%x: 6, %y: 6", "%x, %y : 6, 6 -> 6", "[0]", "6 -> "),
        ("%x: 1x6x1, %y: 6x1", "%x, %y : 1x6x1, 6x1 -> 1x6x1", "[1]", "1x6x1 -> 1x1"),
    ],
)
def test_products_without_a_free_axis_are_a_pattern_and_a_reduction(
    signature: str, product: str, axes: str, sizes: str
):
    """A matrix instruction would use only one row or column of each operand."""
    of = function(tiny(signature, f"%p = binary mul {product}", f"%s = reduce sum %p axes {axes} accum f32 : {sizes}"))
    assert blocks(of) and not found(of)


def test_named_sizes():
    text = """
func.func @f(%x: tensor<?x4x?xf32, #ptir.dims<N, _, L>>, %w: tensor<3x4x1xf32>) -> tensor<?x3x?xf32, #ptir.dims<N, _, L>> {
  %a = tiny.movement reshape %x : tensor<?x4x?xf32, #ptir.dims<N, _, L>> -> tensor<?x1x4x?xf32, #ptir.dims<N, _, _, L>>
  %p = tiny.binary mul %a, %w : (tensor<?x1x4x?xf32, #ptir.dims<N, _, _, L>>, tensor<3x4x1xf32>) -> tensor<?x3x4x?xf32, #ptir.dims<N, _, _, L>>
  %s = tiny.reduce sum %p axes [2] accum f32 : tensor<?x3x4x?xf32, #ptir.dims<N, _, _, L>> -> tensor<?x3x?xf32, #ptir.dims<N, _, L>>
  func.return %s : tensor<?x3x?xf32, #ptir.dims<N, _, L>>
}"""
    (block,) = blocks(function(text))
    assert block.domain.source.data.startswith("[L, N] -> { [i0, i1, i2, i3] : 0 <= i0 < N")
    assert block.pattern is not None and str(block.pattern.data["lhs_idx"]) == '["i0", "i2", "i3"]'
    assert str(block.maps.data[0]) == '#poly.map<"[L, N] -> { [i0, i1, i2, i3] -> [i0, i3, i2] }">'
