"""`analysis/regions/kernel_space.py`: which axes are tiled, which are merged, and the addresses of all operands."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np
import pytest

from ptir.analysis.index import affine
from ptir.analysis.index.info import Access
from ptir.analysis.regions.addresses import is_affine, linear_address, stride
from ptir.analysis.regions.kernel_space import kernel_space, stored_values
from ptir.analysis.regions.leaf_accesses import leaf_accesses
from ptir.analysis.regions.space import KernelSpace
from ptir.dialects import region
from ptir.dialects.common.shapes import shape
from ptir.errors import Unsupported
from ptir.passes.environment import make_context
from ptir.passes.manager import PassManager
from ptir.semantics.pto.access import index_function
from ptir.text.parsing import parse_text


def kernels(text: str, pipeline: str = "ptir-to-tiny,form-regions") -> list[region.RegionKernelOp]:
    module = PassManager(pipeline).run(parse_text(text, make_context()))
    return [o for o in module.ops if isinstance(o, region.RegionKernelOp)]


def leaves(kernel: region.RegionKernelOp) -> list[tuple[Access, tuple[int, ...]]]:
    """The leaves of the first output, from its axes."""
    sizes = shape(root := stored_values(kernel)[0])
    start = Access(root, affine.identity(len(sizes)))
    return list(leaf_accesses(start, sizes, kernel_space(kernel).book, lambda _: False))


def dot(a: str, b: str, c: str, axes: str, *then: str, result: str | None = None) -> KernelSpace:
    """Returns the space of the kernel of a `dot_general` with these shapes; the lines `then` use its result %c."""
    result = result or c
    body = [
        f"func.func @f(%x: tensor<{a}xbf16>, %w: tensor<{b}xbf16>) -> tensor<{result}xf32> {{",
        f"%c = ptir.dot_general %x, %w {axes} accum f32 out f32 : (tensor<{a}xbf16>, tensor<{b}xbf16>)"
        f" -> tensor<{c}xf32>",
        *then,
        f"func.return {'%r' if then else '%c'} : tensor<{result}xf32>",
        "}",
    ]
    (kernel,) = kernels("\n".join(body))
    return kernel_space(kernel)


def moved(text: str) -> KernelSpace:
    """Returns the space of an elementwise kernel."""
    (kernel,) = kernels(text)
    return kernel_space(kernel)


def points(m: Any, sizes: Sequence[int]) -> Any:
    """Evaluates the map at every point of the box. Returns one row of coordinates per point."""
    index = index_function(affine.canonical_text(m))(*np.indices(sizes))
    return np.stack([np.broadcast_to(i, sizes).reshape(-1) for i in index], axis=-1) if index else np.zeros((1, 0))


# --- contractions -------------------------------------------------------------------------------

CASES = [
    # a, b, c, axes → outer, m, n, k
    ("4x6", "6x5", "4x5", "contract [1] x [0]", (), 4, 5, 6),
    ("4x6", "5x6", "4x5", "contract [1] x [1]", (), 4, 5, 6),
    ("6x4", "6x5", "4x5", "contract [0] x [0]", (), 4, 5, 6),
    # B×S rows of one operand are one m.
    ("3x4x6", "6x5", "3x4x5", "contract [2] x [0]", (), 12, 5, 6),
    # K is between the two axes: addresses of merged rows divide m. Only the larger axis is tiled if its tiles are long and full.
    ("3x6x4", "6x5", "3x4x5", "contract [1] x [0]", (), 12, 5, 6),
    ("3x6x128", "6x5", "3x128x5", "contract [1] x [0]", (3,), 128, 5, 6),
    ("3x6x144", "6x5", "3x144x5", "contract [1] x [0]", (), 432, 5, 6),
    # A batch axis is outer.
    ("3x4x6", "3x6x5", "3x4x5", "batch [0] x [0] contract [2] x [1]", (3,), 4, 5, 6),
    ("2x3x4x6", "2x3x6x5", "2x3x4x5", "batch [0, 1] x [0, 1] contract [3] x [2]", (6,), 4, 5, 6),
    # Two contracted axes are one k.
    ("4x2x3", "2x3x5", "4x5", "contract [1, 2] x [0, 1]", (), 4, 5, 6),
    ("4x2x3", "3x2x5", "4x5", "contract [1, 2] x [1, 0]", (), 4, 5, 6),
    # Axes of size 1 vanish.
    ("1x6", "6x5", "1x5", "contract [1] x [0]", (), 1, 5, 6),
    ("4x1", "1x1", "4x1", "contract [1] x [0]", (), 4, 1, 1),
    ("1x4x6", "1x6x5", "1x4x5", "batch [0] x [0] contract [2] x [1]", (), 4, 5, 6),
    # There is no m axis.
    ("3x16", "3x16x5", "3x5", "batch [0] x [0] contract [1] x [1]", (3,), 1, 5, 16),
]


@pytest.mark.parametrize(("a", "b", "c", "axes", "outer", "m", "n", "k"), CASES)
def test_the_space_of_a_contraction(a: str, b: str, c: str, axes: str, outer: tuple[int, ...], m: int, n: int, k: int):
    space = dot(a, b, c, axes)
    assert space.sizes == (*outer, m, n, k)
    assert (space.outer, space.m, space.n, space.k, space.points) == (len(outer), m, n, k, (*outer, m, n))


@pytest.mark.parametrize("case", CASES)
def test_the_space_covers_every_multiplication_once(case: tuple[Any, ...]):
    space = dot(*case[:4])
    assert space.contraction is not None
    iteration = points(space.iteration, space.sizes)
    assert len(np.unique(iteration, axis=0)) == len(iteration) == prod(space.contraction.sizes)
    assert (iteration < np.array(space.contraction.sizes)).all() and (iteration >= 0).all()
    values = points(space.start_map, space.points)
    assert len(np.unique(values, axis=0)) == len(values) == prod(shape(space.start))


@pytest.mark.parametrize("case", CASES)
def test_the_epilogue_sits_where_its_sum_was_computed(case: tuple[Any, ...]):
    """`start_map` equals `iteration` without its reduced axes, for any k."""
    space = dot(*case[:4])
    kept = points(space.iteration, space.sizes)[:, : len(shape(space.start))]
    at = kept.reshape(*space.points, space.k, -1)
    want = points(space.start_map, space.points).reshape(*space.points, -1)
    assert (at == want[..., None, :]).all()


def test_an_epilogue_may_move_the_value():
    """The space stays the contraction's; the root is reached through its own map."""
    space = dot(
        "4x6", "6x5", "4x5", "contract [1] x [0]",
        "%r = ptir.transpose %c [1, 0] : tensor<4x5xf32> -> tensor<5x4xf32>",
        result="5x4",
    )  # fmt: skip
    assert space.sizes == (4, 5, 6)
    assert space.start_map.plain_is_equal(affine.identity(2))


# --- elementwise --------------------------------------------------------------------------------


def test_a_plain_elementwise_kernel_is_one_row():
    space = moved("""
func.func @f(%x: tensor<3x4x5xf32>) -> tensor<3x4x5xf32> {
  %0 = ptir.exp %x : tensor<3x4x5xf32>
  func.return %0 : tensor<3x4x5xf32>
}""")
    assert space.sizes == (1, 60) and space.contraction is None and space.k == 1


def test_a_broadcast_row_keeps_its_axis():
    space = moved("""
func.func @f(%x: tensor<3x4x5xf32>, %b: tensor<5xf32>) -> tensor<3x4x5xf32> {
  %0 = ptir.broadcast_to %b : tensor<5xf32> -> tensor<3x4x5xf32>
  %1 = ptir.add %x, %0 : tensor<3x4x5xf32>
  func.return %1 : tensor<3x4x5xf32>
}""")
    assert space.sizes == (12, 5)


def test_a_transpose_keeps_its_axes_apart():
    space = moved("""
func.func @f(%x: tensor<3x4x5xf32>) -> tensor<5x3x4xf32> {
  %0 = ptir.transpose %x [2, 0, 1] : tensor<3x4x5xf32> -> tensor<5x3x4xf32>
  func.return %0 : tensor<5x3x4xf32>
}""")
    assert space.sizes == (5, 12)


def test_axes_that_are_not_tiled_are_outer():
    space = moved("""
func.func @f(%x: tensor<3x4x5xf32>) -> tensor<5x4x3xf32> {
  %0 = ptir.transpose %x [2, 1, 0] : tensor<3x4x5xf32> -> tensor<5x4x3xf32>
  func.return %0 : tensor<5x4x3xf32>
}""")
    assert sorted(space.sizes) == [3, 4, 5] and space.outer == 1


@pytest.mark.parametrize(
    ("sizes", "tiled"), [((300, 2, 8), (2, 300, 8)), ((300, 16, 8), (300, 16, 8)), ((2, 9, 8), (2, 9, 8))]
)
def test_the_rows_of_a_tile_are_the_innermost_axis_if_that_fills_a_block(
    sizes: tuple[int, ...], tiled: tuple[int, ...]
):
    """Otherwise they are the widest axis: a block would have few threads with work."""
    x, outer, inner = "x".join(map(str, sizes)), sizes[0], sizes[2]
    space = moved(f"""
func.func @f(%x: tensor<{x}xf32>, %y: tensor<{outer}x1x{inner}xf32>) -> tensor<{x}xf32> {{
  %0 = ptir.broadcast_to %y : tensor<{outer}x1x{inner}xf32> -> tensor<{x}xf32>
  %1 = ptir.add %x, %0 : tensor<{x}xf32>
  func.return %1 : tensor<{x}xf32>
}}""")
    assert space.sizes == tiled


def test_a_scalar_has_one_point():
    space = moved("""
func.func @f(%x: tensor<f32>) -> tensor<f32> {
  %0 = ptir.exp %x : tensor<f32>
  func.return %0 : tensor<f32>
}""")
    assert prod(space.sizes) == 1


# --- reductions ---------------------------------------------------------------------------------


def reduced(
    kind: str, axes: str, sizes: str, result: str, before: str = "%a = region.load %x : $S -> $T"
) -> KernelSpace:
    text = f"""
region.kernel @k(%x: $S align 16) -> (%y: memref<{result}xf32> align 16 gmem) {{
  {before}
  %s = tiny.reduce {kind} %a axes {axes} accum f32 : $T -> tensor<{result}xf32>
  region.yield %s : tensor<{result}xf32>
}}""".replace("$S", f"memref<{sizes}xf32>").replace("$T", f"tensor<{sizes}xf32>")
    (kernel,) = kernels(text, "builtin.module()")
    return kernel_space(kernel)


def test_the_space_of_rows_has_their_number_and_their_length():
    space = reduced("max", "[1]", "4x6", "4")
    assert space.sizes == (4, 6) and space.contraction is None and space.k == 1
    ((at,),) = space.outputs.values()
    assert affine.canonical_text(at) == "{ [i0, i1] -> [(i0)] }"
    assert reduced("sum", "[2]", "4x5x6", "4x5").sizes == (20, 6)
    assert reduced("sum", "[1, 2]", "4x5x6", "4").sizes == (4, 30)


def test_the_space_of_other_reductions_has_the_axes_of_the_result():
    """Two axes that a reduction reads contiguously are merged."""
    space = reduced("max", "[0]", "6x4", "4")
    assert space.sizes == (1, 4) and not space.of_rows
    assert reduced("sum", "[0]", "6x4x5", "4x5").sizes == (1, 20)
    assert reduced("sum", "[1]", "4x6x5", "4x5").sizes == (4, 5)
    assert reduced("min", "[0, 2]", "3x4x5x6", "4x6").sizes == (4, 6)


def test_a_leaf_is_read_from_the_axes_of_the_result_and_of_the_reductions_on_the_way():
    (kernel,) = kernels("""
func.func @f(%x: tensor<4x6xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %0 = ptir.reduce max %x axes [1] : tensor<4x6xf32> -> tensor<4xf32>
  %1 = ptir.add %0, %b : tensor<4xf32>
  func.return %1 : tensor<4xf32>
}""")
    found = leaves(kernel)
    assert sorted((affine.canonical_text(at.map), sizes) for at, sizes in found) == [
        ("{ [i0, i1] -> [(i0), (i1)] }", (4, 6)),
        ("{ [i0] -> [(i0)] }", (4,)),
    ]


# --- addresses ----------------------------------------------------------------------------------


@pytest.mark.parametrize("perm", [(0, 1, 2), (2, 0, 1), (1, 0, 2)])
def test_linear_addresses_are_numpys_strides(perm: tuple[int, ...]):
    sizes = (3, 4, 5)
    seen = tuple(sizes[p] for p in perm)
    at = affine.make_map(3, [f"i{perm.index(a)}" for a in range(3)])
    address = linear_address(sizes, at, seen)
    assert is_affine(address)
    array = np.zeros(sizes, np.int8).transpose(perm)
    assert [stride(address, k) for k in range(3)] == list(array.strides)


def test_an_address_that_divides_is_not_affine():
    at = affine.reshape_map((6,), (2, 3))
    assert is_affine(linear_address((2, 3), at, (6,)))  # the divisions cancel
    swapped = affine.compose(affine.make_map(2, ["i1", "i0"]), affine.reshape_map((6,), (3, 2)), (6,))
    assert not is_affine(linear_address((2, 3), swapped, (6,)))


def test_paths_list_every_way_to_an_input():
    (kernel,) = kernels("""
func.func @f(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = ptir.transpose %x [1, 0] : tensor<4x4xf32> -> tensor<4x4xf32>
  %1 = ptir.add %x, %0 : tensor<4x4xf32>
  %2 = ptir.mul %1, %x : tensor<4x4xf32>
  func.return %2 : tensor<4x4xf32>
}""")
    found = leaves(kernel)
    assert sorted(affine.canonical_text(p.map) for p, _ in found) == [
        "{ [i0, i1] -> [(i0), (i1)] }",
        "{ [i0, i1] -> [(i1), (i0)] }",
    ]


# --- what is refused ----------------------------------------------------------------------------

SUM = """
  %{0} = tiny.movement reshape %x{0} : tensor<4x6xf32> -> tensor<4x6x1xf32>
  %p{0} = tiny.binary mul %{0}, %w : (tensor<4x6x1xf32>, tensor<6x5xf32>) -> tensor<4x6x5xf32>
  %s{0} = tiny.reduce sum %p{0} axes [1] accum f32 : tensor<4x6x5xf32> -> tensor<4x5xf32>"""


def test_two_contractions_in_one_region_are_refused():
    text = f"""
region.kernel @k(%a: memref<4x6xf32> align 16, %b: memref<6x5xf32> align 16) -> (%y: memref<4x5xf32> align 16 gmem) {{
  %x0 = region.load %a : memref<4x6xf32> -> tensor<4x6xf32>
  %x1 = region.load %a : memref<4x6xf32> -> tensor<4x6xf32>
  %w = region.load %b : memref<6x5xf32> -> tensor<6x5xf32>
  {SUM.format(0)}
  {SUM.format(1)}
  %r = tiny.binary add %s0, %s1 : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
  region.yield %r : tensor<4x5xf32>
}}"""
    (kernel,) = kernels(text, "builtin.module()")
    with pytest.raises(Unsupported, match="a second contraction in one region"):
        kernel_space(kernel)


def test_what_a_reduction_in_a_region_reads_is_computed_there():
    there = "%b = region.load %x : $S -> $T\n  %c = tiny.unary cast %b : $T -> tensor<4x6xui4>\n"
    back = "%a = tiny.unary cast %c : tensor<4x6xui4> -> $T"
    with pytest.raises(Unsupported, match=r"'tiny.unary cast' on ui4 in a kernel"):
        reduced("max", "[1]", "4x6", "4", there + back)
