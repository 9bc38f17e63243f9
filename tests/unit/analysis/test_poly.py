"""
`analysis/poly`: the queries of Poly Core, on typical programs of models.

Footprints are compared with arrays of element numbers that NumPy moves; legality, buffers and groups with expected answers.
"""

from __future__ import annotations

import doctest
import itertools
from math import prod
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from xdsl.dialects.builtin import TensorType, f16, f32
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue
from xdsl.utils.test_value import create_ssa_value

from ptir.analysis.errors import InvalidTile, TooComplex, UnknownValue
from ptir.analysis.poly import Extent, MinBuffer, PolyCore, accesses, banks, describe
from ptir.analysis.program.buffers import plan_buffers
from ptir.dialects import tiny
from ptir.emulator.memory.banks import wavefronts as emulated
from ptir.errors import InvalidAttributeValue
from ptir.passes.environment import make_context
from ptir.targets.architectures import ARCHS
from ptir.text.parsing import parse_text


def function(text: str) -> FuncOp:
    return next(op for op in parse_text(text, make_context()).walk() if isinstance(op, FuncOp))


def poly(text: str, arch: Any = "sm80", **options: Any) -> PolyCore:
    return PolyCore(function(text), arch, **options)


GEMM = """
func.func @gemm(%a: tensor<128x64xf16>, %b: tensor<64x96xf16>, %bias: tensor<96xf32>) -> tensor<128x96xf32> {
  %ar = tiny.movement reshape %a : tensor<128x64xf16> -> tensor<128x64x1xf16>
  %br = tiny.movement reshape %b : tensor<64x96xf16> -> tensor<1x64x96xf16>
  %t = tiny.binary mul %ar, %br : (tensor<128x64x1xf16>, tensor<1x64x96xf16>) -> tensor<128x64x96xf16>
  %c = tiny.reduce sum %t axes [1] accum f32 : tensor<128x64x96xf16> -> tensor<128x96xf32>
  %d = tiny.binary add %c, %bias : (tensor<128x96xf32>, tensor<96xf32>) -> tensor<128x96xf32>
  %e = tiny.unary relu %d : tensor<128x96xf32> -> tensor<128x96xf32>
  func.return %e : tensor<128x96xf32>
}
"""
CONV = """
func.func @conv(%x: tensor<2x8x16x16xf16>, %w: tensor<4x8x3x3xf16>) -> tensor<2x4x16x16xf32> {
  %e = tiny.unary relu %x : tensor<2x8x16x16xf16> -> tensor<2x8x16x16xf16>
  %p = tiny.movement pad %e low [0,0,1,1] high [0,0,1,1] value 0.0 : f16
    : tensor<2x8x16x16xf16> -> tensor<2x8x18x18xf16>
  %v = tiny.movement view %p offset 0 strides [2592, 0, 18, 1, 324, 18, 1]
    : tensor<2x8x18x18xf16> -> tensor<2x4x16x16x8x3x3xf16>
  %u = tiny.movement view %w offset 0 strides [0, 72, 0, 0, 9, 3, 1]
    : tensor<4x8x3x3xf16> -> tensor<2x4x16x16x8x3x3xf16>
  %m = tiny.binary mul %v, %u
    : (tensor<2x4x16x16x8x3x3xf16>, tensor<2x4x16x16x8x3x3xf16>) -> tensor<2x4x16x16x8x3x3xf16>
  %s = tiny.reduce sum %m axes [4,5,6] accum f32 : tensor<2x4x16x16x8x3x3xf16> -> tensor<2x4x16x16xf32>
  %o = tiny.unary silu %s : tensor<2x4x16x16xf32> -> tensor<2x4x16x16xf32>
  func.return %o : tensor<2x4x16x16xf32>
}
"""
SOFTMAX = """
func.func @softmax(%x: tensor<16x128xf32>) -> tensor<16x128xf32> {
  %m = tiny.reduce max %x axes [1] accum f32 : tensor<16x128xf32> -> tensor<16xf32>
  %r = tiny.movement reshape %m : tensor<16xf32> -> tensor<16x1xf32>
  %c = tiny.binary sub %x, %r : (tensor<16x128xf32>, tensor<16x1xf32>) -> tensor<16x128xf32>
  %e = tiny.unary exp %c : tensor<16x128xf32> -> tensor<16x128xf32>
  %s = tiny.reduce sum %e axes [1] accum f32 : tensor<16x128xf32> -> tensor<16xf32>
  %q = tiny.movement reshape %s : tensor<16xf32> -> tensor<16x1xf32>
  %o = tiny.binary div %e, %q : (tensor<16x128xf32>, tensor<16x1xf32>) -> tensor<16x128xf32>
  func.return %o : tensor<16x128xf32>
}
"""
M, R, C, E, S, Q, OUT = (f"v{k}" for k in range(7))
"""The names of the values in `SOFTMAX`."""


@pytest.mark.parametrize("module", [banks])
def test_the_examples(module: Any):
    failed, attempted = doctest.testmod(module)
    assert attempted and not failed


# --- halo ---------------------------------------------------------------------------------------


def test_a_product_has_no_halo():
    answer = poly(GEMM).can_compute_at("arg0", "v5", {"i0": 32, "i1": 16})
    assert answer.ok and answer.halo.bytes == 0 and answer.halo.per_axis == {"i0": 0, "i1": 0}
    assert {axis: e.read for axis, e in answer.extents.items()} == {"i0": 32, "i1": 64}
    assert answer.repeats == 6  # the tiles along n read the same rows of a
    assert poly(GEMM).can_compute_at("arg0", "v5", {"i1": 36}).repeats == 3


def test_a_convolution_through_its_padding():
    answer = poly(CONV).can_compute_at("v0", "v5", {"i2": 4, "i3": 8})
    assert answer.ok
    assert answer.halo.per_axis == {"i0": 0, "i1": 0, "i2": 2, "i3": 1}
    assert answer.halo.low == {"i0": 0, "i1": 0, "i2": 1, "i3": 1} == answer.halo.high
    assert answer.halo.bytes == 2 * 2 * 8 * (6 * 9 - 4 * 8)
    assert (answer.extents["i3"].read, answer.extents["i3"].unclipped) == (9, 10)


def test_a_convolution_is_the_same_for_what_follows_it():
    c = poly(CONV)
    for tile in ({"i2": 3}, {"i3": 5, "i1": 1}, None):
        assert c.can_compute_at("arg0", "v6", tile).halo == c.can_compute_at("v0", "v5", tile).halo


def test_the_padded_value_is_read_beyond_the_padding():
    answer = poly(CONV).can_compute_at("v1", "v5", {"i2": 16, "i3": 4})
    assert answer.halo.per_axis == {"i0": 0, "i1": 0, "i2": 2, "i3": 2}
    assert answer.halo.low["i3"] == 0 and answer.halo.high["i3"] == 2


def test_channels_in_steps():
    answer = poly(CONV).can_compute_at("v0", "v5", {"i2": 4, "i4": 2})
    assert answer.extents["i1"].read == 2 and answer.halo.per_axis["i1"] == 0


def test_a_softmax_needs_whole_rows():
    c = poly(SOFTMAX)
    assert c.can_compute_at(E, OUT, {"i0": 4}).halo.bytes == 0
    answer = c.can_compute_at(E, OUT, {"i0": 4, "i1": 32})
    assert answer.ok and answer.halo.per_axis == {"i0": 0, "i1": 96} and answer.halo.bytes == 4 * 4 * 96


def test_why_has_the_numbers_and_the_maps():
    why = poly(CONV).can_compute_at("v0", "v5", {"i2": 4, "i3": 8}).why
    assert "v5 reads v0 at [i0, i1, i2, i3, i4, i5, i6] -> [i0, i4, i2 + i5 - 1, i3 + i6 - 1] where " in why
    assert "A tile of i2=4, i3=8 reads at most 2 x 8 x 6 x 9 (10 along i3 with the padding)." in why
    assert "2 along i2 (up to 1 before, 1 after), 1 along i3 (up to 1 before, 1 after)" in why


# --- random programs ----------------------------------------------------------------------------


class Chain:
    """A value and, for each of its elements, the index of the source's element from which it is computed; -1 for none."""

    def __init__(self, source: tuple[int, ...]):
        self.source = source
        self.ops: list[Operation] = []
        self.leaf = create_ssa_value(TensorType(f16, source))
        self.value: SSAValue = self.leaf
        self.numbers: Any = np.arange(prod(source)).reshape(source)

    def __repr__(self) -> str:
        return f"{self.source}: {'; '.join(map(str, self.ops))}"

    def to(self, op: Any, numbers: Any) -> None:
        self.ops.append(op)
        self.value, self.numbers = op.results[0], numbers


@st.composite
def chains(draw: st.DrawFn) -> tuple[Chain, list[int | None]]:
    """Draws a chain of pads, shrinks, permutes, reshapes and overlapping views, perhaps a sum, and a tile of the result."""
    chain = Chain(tuple(draw(st.lists(st.integers(1, 6), min_size=1, max_size=3))))
    for _ in range(draw(st.integers(1, 3))):
        sizes = chain.numbers.shape
        rank = len(sizes)
        match draw(st.sampled_from(["pad", "shrink", "permute", "reshape", "windows", "relu"])):
            case "pad":
                low = [draw(st.integers(0, 2)) for _ in sizes]
                high = [draw(st.integers(0, 2)) for _ in sizes]
                pads = np.pad(chain.numbers, list(zip(low, high, strict=True)), constant_values=-1)
                chain.to(tiny.MovementOp.pad(chain.value, low, high, 0.0), pads)
            case "shrink":
                start = [draw(st.integers(0, s - 1)) for s in sizes]
                to = [draw(st.integers(1, s - at)) for s, at in zip(sizes, start, strict=True)]
                cut = chain.numbers[tuple(slice(a, a + n) for a, n in zip(start, to, strict=True))]
                chain.to(tiny.MovementOp.shrink(chain.value, start, to), cut)
            case "permute":
                perm = draw(st.permutations(range(rank)))
                chain.to(tiny.MovementOp.permute(chain.value, perm), chain.numbers.transpose(perm))
            case "reshape":
                total, to = prod(sizes), []
                while total > 1 and len(to) < 3:
                    to.append(draw(st.sampled_from([d for d in range(1, total + 1) if total % d == 0])))
                    total //= to[-1]
                chain.to(tiny.MovementOp.reshape(chain.value, [*to, total]), chain.numbers.reshape([*to, total]))
            case "windows" if sizes[0] > 1:
                taps = draw(st.integers(1, sizes[0]))
                step = draw(st.integers(1, 3))
                outputs = (sizes[0] - taps) // step + 1
                rows = [prod(sizes[k + 1 :]) for k in range(rank)]
                view = tiny.MovementOp.view(
                    chain.value, [outputs, taps, *sizes[1:]], [step * rows[0], rows[0], *rows[1:]]
                )
                index = step * np.arange(outputs)[:, None] + np.arange(taps)
                chain.to(view, chain.numbers[index])
            case _:
                chain.to(tiny.UnaryOp("relu", chain.value), chain.numbers)
    if chain.numbers.ndim > 1 and draw(st.booleans()):
        axis = draw(st.integers(0, chain.numbers.ndim - 1))
        chain.to(tiny.ReduceOp("sum", chain.value, [axis], f32), np.moveaxis(chain.numbers, axis, -1))
        tile = [draw(st.sampled_from([None, *range(1, 4)])) for _ in range(chain.numbers.ndim - 1)]
    else:
        tile = [draw(st.sampled_from([None, *range(1, 4)])) for _ in range(chain.numbers.ndim)]
    return chain, tile


@given(case=chains())
def test_what_tiles_of_a_chain_of_movements_read(case: tuple[Chain, list[int | None]]):
    chain, tile = case
    answer = PolyCore(chain.ops).can_compute_at(chain.leaf, chain.value, tile)
    if isinstance(answer.refusal, TooComplex):
        return  # tiles cut windows over an axis that a reshape has split
    assert answer.ok, answer.why
    most = [0] * len(chain.source)
    sizes = chain.numbers.shape[: len(tile)]
    lengths = [min(n or s, s) for n, s in zip(tile, sizes, strict=True)]
    for at in itertools.product(*(range(0, s, n) for s, n in zip(sizes, lengths, strict=True))):
        here = chain.numbers[tuple(slice(a, a + n) for a, n in zip(at, lengths, strict=True))]
        read = here[here >= 0]
        if read.size:
            index = np.unravel_index(read, chain.source)
            most = [max(m, int(i.max() - i.min()) + 1) for m, i in zip(most, index, strict=True)]
    assert [answer.extents[f"i{k}"].read for k in range(len(most))] == most


# --- legality -----------------------------------------------------------------------------------


def test_a_row_statistic_is_not_computed_in_parts_of_its_row():
    c = poly(SOFTMAX)
    assert str(c.can_compute_at(M, C, {"i0": 4, "i1": 32}).refusal) == (
        "<string>:3:8: error[PTIR0254]: v0 reduces all of i1 of arg0, but tiles along i1 cut it, and all of them need the same elements of v0\n"
        "  help: leave i1 whole, or store v0"
    )
    for producer, consumer in ((M, C), (M, OUT), (S, OUT)):
        assert c.can_compute_at(producer, consumer, {"i0": 4}).ok
        answer = c.can_compute_at(producer, consumer, {"i0": 4, "i1": 32})
        assert not answer.ok and answer.refusal is not None and answer.refusal.code == "PTIR0254"
        assert "leave i1 whole" in answer.why
        assert c.min_buffer_for_edge(producer, consumer, {"i1": 32}) == MinBuffer(
            "gmem", c.can_compute_at(producer, consumer, {"i1": 32}).why, None, 64
        )


def test_a_statistic_of_another_tensor_is_computed_again():
    c = poly("""
func.func @scaled(%x: tensor<16x128xf32>, %w: tensor<16x64xf32>) -> tensor<16x128xf32> {
  %s = tiny.reduce sum %w axes [1] accum f32 : tensor<16x64xf32> -> tensor<16xf32>
  %r = tiny.movement reshape %s : tensor<16xf32> -> tensor<16x1xf32>
  %o = tiny.binary mul %x, %r : (tensor<16x128xf32>, tensor<16x1xf32>) -> tensor<16x128xf32>
  func.return %o : tensor<16x128xf32>
}""")
    answer = c.can_compute_at("v0", "v2", {"i1": 32})
    assert answer.ok and answer.repeats == 4 and "4 tiles need the same" in answer.why


def test_a_product_beside_its_own_operand():
    """In x @ w + x, a tile has only a part of the row that is summed, and each tile needs other sums."""
    c = poly("""
func.func @residual(%x: tensor<32x32xf32>, %w: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %a = tiny.movement reshape %x : tensor<32x32xf32> -> tensor<32x32x1xf32>
  %t = tiny.binary mul %a, %w : (tensor<32x32x1xf32>, tensor<32x32xf32>) -> tensor<32x32x32xf32>
  %c = tiny.reduce sum %t axes [1] accum f32 : tensor<32x32x32xf32> -> tensor<32x32xf32>
  %o = tiny.binary add %c, %x : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  func.return %o : tensor<32x32xf32>
}""")
    assert c.can_compute_at("v2", "v3", {"i0": 8, "i1": 8}).ok
    assert c.can_compute_at("arg0", "v3", {"i0": 8, "i1": 8}).halo.per_axis == {"i0": 0, "i1": 24}


def test_a_window_is_no_whole_row():
    """Each element of s sums three elements of x, however the tiles cut x."""
    c = poly("""
func.func @f(%x: tensor<16xf32>) -> tensor<14x16xf32> {
  %w = tiny.movement view %x offset 0 strides [1, 1] : tensor<16xf32> -> tensor<14x3xf32>
  %s = tiny.reduce sum %w axes [1] accum f32 : tensor<14x3xf32> -> tensor<14xf32>
  %r = tiny.movement reshape %s : tensor<14xf32> -> tensor<14x1xf32>
  %o = tiny.binary add %r, %x : (tensor<14x1xf32>, tensor<16xf32>) -> tensor<14x16xf32>
  func.return %o : tensor<14x16xf32>
}""")
    answer = c.can_compute_at("v1", "v3", {"i1": 4})
    assert answer.ok and answer.repeats == 4


TAKEN = """
func.func @taken(%x: tensor<8x32xf32>, %i: tensor<8xsi32>) -> tensor<8x32xf32> {
  %a = tiny.unary exp %x : tensor<8x32xf32> -> tensor<8x32xf32>
  %b = ptir.take %a, %i : (tensor<8x32xf32>, tensor<8xsi32>) -> tensor<8x32xf32>
  %c = tiny.unary neg %b : tensor<8x32xf32> -> tensor<8x32xf32>
  %d = tiny.unary abs %c : tensor<8x32xf32> -> tensor<8x32xf32>
  func.return %d : tensor<8x32xf32>
}
"""


@pytest.mark.parametrize(("producer", "consumer"), [("v0", "v1"), ("v1", "v2"), ("v0", "v3"), ("arg0", "v2")])
def test_what_is_not_affine_is_refused(producer: str, consumer: str):
    c = poly(TAKEN)
    answer = c.can_compute_at(producer, consumer)
    assert not answer.ok and answer.refusal is not None and answer.refusal.code == "PTIR0253"
    assert "v1 is not affine: 'ptir.take' has no index rule" in answer.why
    assert c.min_buffer_for_edge(producer, consumer).buffer == "gmem"
    assert c.barrier(producer, consumer).kind == "kernel"


def test_around_what_is_not_affine():
    c = poly(TAKEN)
    assert c.can_compute_at("v2", "v3").ok
    assert c.make_fusable_groups() == [["v0"], ["v2", "v3"]]
    assert str(c.can_compute_at("v0", "v1").refusal) == (
        "<string>:4:8: error[PTIR0253]: v1 is not affine: 'ptir.take' has no index rule\n"
        "  help: store its operands and its result"
    )
    facts = c.analyze(["v1", "v2", "v3"])
    assert facts.non_affine is not None and facts.non_affine.startswith("v1: ")
    assert c.analyze(["v2", "v3"]).non_affine is None


def test_values_that_do_not_depend_on_each_other():
    answer = poly(SOFTMAX).can_compute_at(OUT, M)
    assert not answer.ok and answer.refusal is not None and answer.refusal.code == "PTIR0255"
    assert str(answer.refusal) == "<string>:3:8: error[PTIR0255]: v0 does not depend on v6"


def test_the_quota_is_said():
    answer = poly(CONV, max_operations=50).can_compute_at("v0", "v5", {"i2": 4})
    assert not answer.ok and isinstance(answer.refusal, TooComplex) and "50 operations" in answer.why
    assert poly(CONV, max_operations=50).min_buffer_for_edge("v0", "v5", {"i2": 4}).buffer == "gmem"
    assert poly(CONV).can_compute_at("v0", "v5", {"i2": 4}).ok


def test_too_many_ways():
    lines = ["  %a0 = tiny.unary exp %x : tensor<64xf32> -> tensor<64xf32>"]
    for k in range(7):
        pad = "low [0] high [{}] value 0.0 : f32 : tensor<64xf32> -> tensor<{}xf32>"
        lines += [
            f"  %p{k} = tiny.movement pad %a{k} {pad.format(2**k, 64 + 2**k)}",
            f"  %s{k} = tiny.movement shrink %p{k} from [{2**k}] : tensor<{64 + 2**k}xf32> -> tensor<64xf32>",
            f"  %a{k + 1} = tiny.binary add %a{k}, %s{k} : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>",
        ]
    text = "\n".join(lines)
    c = poly(f"func.func @f(%x: tensor<64xf32>) -> tensor<64xf32> {{\n{text}\n  func.return %a7 : tensor<64xf32>\n}}")
    assert c.can_compute_at("v0", "v6", {"i0": 8}).halo.per_axis == {"i0": 3}
    answer = c.can_compute_at("v0", "v21", {"i0": 8})
    assert not answer.ok and answer.refusal is not None and answer.refusal.code == "PTIR0230"
    assert "more than 64" in answer.why


# --- sizes that are names -----------------------------------------------------------------------

NAMED = """
func.func @f(%x: tensor<?xf16, #ptir.dims<N>>) -> tensor<?xf16, #ptir.dims<N>> {
  %p = tiny.unary exp %x : tensor<?xf16, #ptir.dims<N>> -> tensor<?xf16, #ptir.dims<N>>
  %q = tiny.unary neg %p : tensor<?xf16, #ptir.dims<N>> -> tensor<?xf16, #ptir.dims<N>>
  func.return %q : tensor<?xf16, #ptir.dims<N>>
}
"""
ROWS = """
func.func @f(%x: tensor<8x?xf32, #ptir.dims<_, N>>) -> tensor<8x?xf32, #ptir.dims<_, N>> {
  %e = tiny.unary exp %x : tensor<8x?xf32, #ptir.dims<_, N>> -> tensor<8x?xf32, #ptir.dims<_, N>>
  %s = tiny.reduce sum %e axes [1] accum f32 : tensor<8x?xf32, #ptir.dims<_, N>> -> tensor<8xf32>
  %r = tiny.movement reshape %s : tensor<8xf32> -> tensor<8x1xf32>
  %o = tiny.binary div %e, %r
    : (tensor<8x?xf32, #ptir.dims<_, N>>, tensor<8x1xf32>) -> tensor<8x?xf32, #ptir.dims<_, N>>
  func.return %o : tensor<8x?xf32, #ptir.dims<_, N>>
}
"""


def test_a_named_axis_in_tiles_and_whole():
    c = poly(NAMED)
    answer = c.can_compute_at("v0", "v1", {"i0": 64})
    assert answer.ok and answer.extents["i0"].read == 64 and answer.halo.bytes == 0
    assert c.min_buffer_for_edge("v0", "v1", {"i0": 64}) == MinBuffer(
        "reg", c.min_buffer_for_edge("v0", "v1").why, None, 128
    )
    whole = c.can_compute_at("v0", "v1")
    assert whole.ok and whole.extents["i0"].read == "N"
    assert c.min_buffer_for_edge("v0", "v1").bytes is None


TAPS = """
func.func @f(%x: tensor<{B}x10xf32{two}>) -> tensor<{B}x8xf32{two}> {{
  %e = tiny.unary exp %x : tensor<{B}x10xf32{two}> -> tensor<{B}x10xf32{two}>
  %w = tiny.movement view %e offset 0 strides [10, 1, 1] : tensor<{B}x10xf32{two}> -> tensor<{B}x8x3xf32{three}>
  %s = tiny.reduce sum %w axes [2] accum f32 : tensor<{B}x8x3xf32{three}> -> tensor<{B}x8xf32{two}>
  func.return %s : tensor<{B}x8xf32{two}>
}}
"""


def test_a_halo_beside_an_axis_with_a_name():
    """The symbolic size only makes the number of bytes unknown; the halo exists anyway."""
    named = poly(TAPS.format(B="?", two=", #ptir.dims<B, _>", three=", #ptir.dims<B, _, _>"))
    number = poly(TAPS.format(B=3, two="", three=""))
    tile = {"i1": 4}
    known, open_ = number.can_compute_at("v0", "v2", tile), named.can_compute_at("v0", "v2", tile)
    assert known.halo.per_axis == open_.halo.per_axis == {"i0": 0, "i1": 2}
    assert (known.halo.bytes, open_.halo.bytes) == (3 * 2 * 4, None)
    assert open_.legal and open_.refusal is not None and open_.refusal.code == "PTIR0251"
    assert named.can_compute_at("v0", "v2", {"i0": 3, **tile}).halo.bytes == 3 * 2 * 4
    roles = [c.analyze().axis_kinds["v2"] for c in (named, number)]
    assert roles == [{"i0": "parallel", "i1": "halo"}] * 2


def test_tensors_without_elements_have_no_bank_conflicts():
    c = poly("""
func.func @f(%x: tensor<0xf32>) -> tensor<0xf32> {
  %0 = tiny.reduce max %x axes [0] accum f32 : tensor<0xf32> -> tensor<f32>
  %1 = tiny.binary add %0, %x : (tensor<f32>, tensor<0xf32>) -> tensor<0xf32>
  func.return %1 : tensor<0xf32>
}
""")
    assert c.bank_hints("arg0", "v1") == [] and all(not edge.banks for edge in c.analyze().edges)


def test_a_halo_that_grows_with_a_name_says_which():
    c = poly(ROWS)
    answer = c.can_compute_at("v0", "v3", {"i1": 32})
    assert not answer.ok and answer.refusal is not None and answer.refusal.code == "PTIR0251"
    assert str(answer.refusal) == (
        "<string>:3:8: error[PTIR0251]: the halo of v0 in bytes grows with N\n"
        "  help: give N a number, or give the tile a size along every axis"
    )
    assert "grows with N" in answer.why and "give N a number" in answer.why
    assert c.can_compute_at("v0", "v3", {"i0": 2}).ok
    assert c.min_buffer_for_edge("v0", "v3", {"i0": 2}).buffer == "gmem"
    assert c.make_fusable_groups() == [["v0"], ["v1", "v2", "v3"]]


@pytest.mark.parametrize(
    "tile", [{"i0": "a"}, {"i0": 2.5}, {"i0": True}, {"i0": 0}, {1: 2}, [8, "x"], [1, 2, 3, 4], 8, "8"]
)
def test_a_tile_that_is_none_is_refused(tile: Any):
    with pytest.raises(InvalidTile, match="the tile"):
        poly(GEMM).can_compute_at("v3", "v5", tile)


def test_a_tile_of_numpy_integers_and_a_region_of_one_name():
    c = poly(GEMM)
    assert c.can_compute_at("v3", "v5", {"i0": np.int64(32)}) == c.can_compute_at("v3", "v5", {"i0": 32})
    assert c.analyze("v3").values == ("v3",) and c.make_fusable_groups("v3") == [["v3"]]


def test_an_architecture_that_is_none_is_refused():
    with pytest.raises(InvalidAttributeValue, match="'arch' is 'sm75'"):
        poly(GEMM, arch="sm75")


def test_tails():
    assert poly(GEMM).tail_axes("v5", {"i0": 48, "i1": 32}) == ("i0",)
    assert poly(NAMED).tail_axes("v1", {"i0": 64}) == ("i0",)


# --- buffers ------------------------------------------------------------------------------------


def test_an_epilogue_stays_in_registers():
    c = poly(GEMM)
    tile = {"i0": 32, "i1": 32}
    for producer, consumer in (("v3", "v4"), ("v4", "v5"), ("v3", "v5"), ("v2", "v3")):
        found = c.min_buffer_for_edge(producer, consumer, tile)
        assert (found.buffer, found.depth) == ("reg", None)
    assert c.min_buffer_for_edge("v3", "v5", tile).bytes == 32 * 32 * 4
    products = c.min_buffer_for_edge("v2", "v3", tile)
    assert products.bytes == 32 * 32 * 2, "one product for each sum at a time, not all that are summed"
    assert c.barrier("v3", "v5", tile).kind == "none" and c.bank_hints("v3", "v5", tile) == []


def test_an_operand_of_a_product_waits_in_a_ring():
    found = poly(GEMM).min_buffer_for_edge("arg0", "v3", {"i0": 32, "i1": 32, "i2": 16})
    assert (found.buffer, found.depth, found.bytes) == ("smem_ring", 3, 3 * 32 * 16 * 2)


@pytest.mark.parametrize(("rows", "depth"), [(32, 3), (128, 2), (256, None)])
def test_a_ring_has_as_many_slots_as_fit(rows: int, depth: int | None):
    text = """
func.func @f(%a: tensor<1024x256xf16>, %b: tensor<256x8xf16>) -> tensor<1024x8xf32> {
  %ar = tiny.movement reshape %a : tensor<1024x256xf16> -> tensor<1024x256x1xf16>
  %t = tiny.binary mul %ar, %b : (tensor<1024x256x1xf16>, tensor<256x8xf16>) -> tensor<1024x256x8xf16>
  %c = tiny.reduce sum %t axes [1] accum f32 : tensor<1024x256x8xf16> -> tensor<1024x8xf32>
  func.return %c : tensor<1024x8xf32>
}"""
    found = poly(text).min_buffer_for_edge("arg0", "v2", {"i0": rows})
    box, most = rows * 256 * 2, ARCHS["sm80"].shared_per_block * 8 // 10
    fits = next((d for d in (3, 2) if d * box <= most), None)
    assert fits == depth and found.depth == depth
    assert (found.buffer, found.bytes) == (("smem_ring", depth * box) if depth else ("gmem", 1024 * 256 * 2))
    assert f"{box:,} bytes" in found.why


def test_one_output_that_reads_one_element_has_it_in_a_register():
    """It is read on two paths, or at each step of a sum."""
    c = poly("""
func.func @f(%x: tensor<6xf32>) -> tensor<6xf32> {
  %a = tiny.unary exp %x : tensor<6xf32> -> tensor<6xf32>
  %r = tiny.movement reshape %a : tensor<6xf32> -> tensor<6x1xf32>
  %e = tiny.movement expand %r : tensor<6x1xf32> -> tensor<6x8xf32>
  %s = tiny.reduce sum %e axes [1] accum f32 : tensor<6x8xf32> -> tensor<6xf32>
  %t = tiny.binary add %s, %a : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
  func.return %t : tensor<6xf32>
}""")
    for consumer, ways in (("v3", 1), ("v4", 2)):
        found = c.min_buffer_for_edge("v0", consumer, {"i0": 1})
        assert (found.buffer, found.bytes) == ("reg", 4)
        assert len(c.reads(c.value("v0"), c.value(consumer))) == ways
        assert c.min_buffer_for_edge("v0", consumer, {"i0": 2}).buffer == "smem_ring"


def test_another_order_of_the_axes_is_still_one_to_one():
    c = poly("""
func.func @f(%x: tensor<8x16xf32>) -> tensor<16x8xf32> {
  %a = tiny.unary exp %x : tensor<8x16xf32> -> tensor<8x16xf32>
  %t = tiny.movement permute %a by [1, 0] : tensor<8x16xf32> -> tensor<16x8xf32>
  %s = tiny.binary add %t, %t : (tensor<16x8xf32>, tensor<16x8xf32>) -> tensor<16x8xf32>
  func.return %s : tensor<16x8xf32>
}""")
    assert c.min_buffer_for_edge("v0", "v2", {"i0": 4}).buffer == "reg"


def test_two_ways_to_one_value_need_a_ring():
    found = poly(SOFTMAX).min_buffer_for_edge(E, OUT, {"i0": 1})
    assert found.buffer == "smem_ring" and "2 paths" in found.why


def test_a_constant_and_an_index_need_no_buffer():
    c = poly("""
func.func @f(%x: tensor<64x8xsi64>) -> tensor<64x8xsi64> {
  %i = tiny.iota axis 1 : tensor<64x8xsi64>
  %one = tiny.const dense<1> : tensor<si64>
  %j = tiny.binary add %i, %one : (tensor<64x8xsi64>, tensor<si64>) -> tensor<64x8xsi64>
  %y = tiny.binary mul %x, %j : (tensor<64x8xsi64>, tensor<64x8xsi64>) -> tensor<64x8xsi64>
  func.return %y : tensor<64x8xsi64>
}""")
    assert c.make_fusable_groups() == [["v2", "v3"]]
    for producer in ("v0", "v1"):
        assert c.can_compute_at(producer, "v3", {"i0": 8}).ok
        assert c.min_buffer_for_edge(producer, "v2", {"i0": 8}) == MinBuffer(
            "reg", "every thread computes it itself", None, 8
        )
        assert c.barrier(producer, "v2", {"i0": 8}).kind == "none"


def test_barriers():
    tile = {"i0": 32, "i1": 32, "i2": 16}
    sm80, sm90 = poly(GEMM), poly(GEMM, "sm90")
    assert sm80.barrier("arg0", "v3", tile).kind == "commit/wait"
    assert sm80.barrier("arg0", "v3", tile).steps[0] == "cp.async.wait_group 1"
    assert sm90.barrier("arg0", "v3", tile).kind == "mbarrier"
    assert f"write the slot: full[slot] arrive.expect_tx {32 * 16 * 2}" in sm90.barrier("arg0", "v3", tile).steps
    computed = poly(CONV).barrier("v0", "v5", {"i2": 4})
    assert computed.kind == "bar.sync" and computed.steps == ("write the slot", "bar.sync", "read the slot")
    assert "fence.proxy.async" in "".join(poly(CONV, "sm90").barrier("v0", "v5", {"i2": 4}).steps)


# --- bank conflicts -----------------------------------------------------------------------------


@given(
    stride=st.integers(0, 300), row=st.integers(0, 9), width=st.sampled_from([1, 2, 4, 8, 16]), lanes=st.integers(1, 32)
)
def test_wavefronts_as_the_emulator_counts_them(stride: int, row: int, width: int, lanes: int):
    addresses = [((lane * stride) ^ (row * lane // 4)) * width for lane in range(lanes)]
    assert banks.wavefronts(addresses, width)[0] == emulated(np.arange(lanes), np.array(addresses), width)[0]


def test_rows_of_an_operand_conflict_without_a_swizzle():
    hints = {(h.lanes, h.width): h for h in poly(GEMM).bank_hints("arg0", "v3", {"i0": 64, "i1": 32, "i2": 64})}
    rows = hints["i0", 16]
    assert (rows.ways, rows.pad) == (8, 16)
    assert hints["i0", 2].ways == 32
    columns = {(h.lanes, h.width): h for h in poly(GEMM).bank_hints("arg1", "v3", {"i0": 64, "i1": 32, "i2": 64})}
    assert columns["i1", 2].ways == 1


def test_planes_apart_by_a_power_of_two_are_not_mended_by_longer_rows():
    (hint,) = [h for h in poly(CONV).bank_hints("v0", "v5") if (h.lanes, h.width) == ("i0", 2)]
    assert (hint.ways, hint.pad) == (2, None)


# --- regions ------------------------------------------------------------------------------------


def test_the_facts_of_a_region():
    facts = poly(GEMM).analyze(["v2", "v3", "v4", "v5"], {"i0": 48, "i1": 32})
    assert (facts.values, facts.results, facts.inputs) == (("v2", "v3", "v4", "v5"), ("v5",), ("v0", "v1", "arg2"))
    assert facts.reduction == {"v3": ("i2",)} and facts.parallel["v3"] == ("i0", "i1")
    assert facts.tails == {"v5": ("i0",)} and facts.non_affine is None
    assert facts.axis_kinds == {"v5": {"i0": "parallel", "i1": "parallel"}}
    assert [(e.producer, e.consumer, e.buffer.buffer) for e in facts.edges][-2:] == [
        ("arg2", "v4", "smem_ring"),
        ("v4", "v5", "reg"),
    ]
    edge = facts.edges[-1]
    assert edge.dependence == "{ [i0, i1] -> [i0, i1] : 0 <= i0 <= 127 and 0 <= i1 <= 95 }"


def test_what_overwrites_what_under_a_plan_of_buffers():
    f = function("""
func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {
  %a = tiny.unary exp %x : tensor<8xf32> -> tensor<8xf32>
  %b = tiny.unary neg %a : tensor<8xf32> -> tensor<8xf32>
  %c = tiny.unary exp %b : tensor<8xf32> -> tensor<8xf32>
  %d = tiny.unary neg %c : tensor<8xf32> -> tensor<8xf32>
  func.return %d : tensor<8xf32>
}""")
    c = PolyCore(f)
    assert c.analyze().reuse == ()
    found = [(r.kind, r.before, r.after, r.dependence) for r in c.analyze(plan=plan_buffers(f)).reuse]
    same = "{ [i0] -> [i0] : 0 <= i0 <= 7 }"
    assert ("anti", "v1", "v2", same) in found and ("output", "v0", "v2", same) in found
    assert c.analyze(["v1"], plan=plan_buffers(f)).reuse == ()


def test_the_roles_of_axes():
    assert poly(CONV).analyze().axis_kinds == {"v6": {"i0": "parallel", "i1": "halo", "i2": "halo", "i3": "halo"}}
    assert poly(SOFTMAX).analyze().axis_kinds == {OUT: {"i0": "parallel", "i1": "whole"}}


def test_groups_are_chains_of_single_consumers():
    assert poly(GEMM).make_fusable_groups() == [["v0", "v1", "v2", "v3", "v4", "v5"]]
    assert poly(CONV).make_fusable_groups() == [["v0", "v1", "v2", "v3", "v4", "v5", "v6"]]
    assert poly(SOFTMAX).make_fusable_groups() == [[M, R, C, E], [S, Q, OUT]]
    assert poly(SOFTMAX).make_fusable_groups([R, C, S]) == [[R, C], [S]]


def test_groups_end_where_a_tile_cannot_have_its_producer():
    c = poly(SOFTMAX)
    assert c.make_fusable_groups(tile={"i1": 32}) == [[M], [R, C, E], [S], [Q, OUT]]
    assert c.make_fusable_groups(tile={"i0": 4}) == c.make_fusable_groups()


# --- asking -------------------------------------------------------------------------------------


def test_values_by_name_op_and_itself():
    f = function(GEMM)
    c = PolyCore(f)
    relu = list(f.body.block.ops)[5]
    asked = [c.can_compute_at(p, q) for p, q in (("v4", "v5"), (relu.operands[0], relu), ("v4", relu.results[0]))]
    assert asked[0] == asked[1] == asked[2]


@pytest.mark.parametrize("place", ["v99", "arg7", "x"])
def test_an_unknown_value(place: str):
    with pytest.raises(UnknownValue, match=f"'{place}' does not name exactly one tensor"):
        poly(GEMM).can_compute_at(place, "v5")


def test_an_op_without_a_result():
    f = function(GEMM)
    with pytest.raises(UnknownValue, match=r"func\.return") as caught:
        PolyCore(f).can_compute_at("v5", list(f.body.block.ops)[-1])
    assert str(caught.value) == (
        "<string>:9:3: error[PTIR0252]: 'func.return' does not name exactly one tensor of the program\n"
        "  help: the values are arg0, arg1, arg2, v0, v1, v2, v3, v4, v5"
    )


def test_a_tile_of_no_axis():
    with pytest.raises(InvalidTile, match="names the unknown axis i5") as caught:
        poly(GEMM).can_compute_at("v4", "v5", {"i5": 4})
    assert str(caught.value) == (
        "error[PTIR0250]: the tile names the unknown axis i5\n  help: give a size of at least 1 for any of i0 of 128, i1 of 96"
    )


def test_every_edge_is_described():
    text = describe.describe(function(CONV))
    lines = text.splitlines()
    assert lines[0] == "@conv on sm80" and lines[-1] == "  fusable: [v0, v1, v2, v3, v4, v5, v6]"
    assert any(line.startswith("  v1 to v2, tile i0=1, i1=1, ") for line in lines)
    assert "  v1 to v2: refused" not in text
    assert "refused (PTIR0253)" in describe.describe(function(TAKEN))


def test_answers_are_kept(monkeypatch: pytest.MonkeyPatch):
    c = poly(CONV)
    first = c.can_compute_at("v0", "v5", {"i2": 4})
    monkeypatch.setattr(accesses, "footprint", None)
    assert c.can_compute_at("v0", "v5", [None, None, 4]) is first


def test_two_sums_over_the_same_index_with_other_ends():
    """The maps of both paths are `[i0, i1] -> [i0, i1]`; only the size of i1 differs."""
    c = poly("""
func.func @f(%x: tensor<4x16xf32>) -> tensor<4xf32> {
  %c = tiny.unary exp %x : tensor<4x16xf32> -> tensor<4x16xf32>
  %h = tiny.movement shrink %c from [0, 0] : tensor<4x16xf32> -> tensor<4x8xf32>
  %a = tiny.reduce sum %h axes [1] accum f32 : tensor<4x8xf32> -> tensor<4xf32>
  %b = tiny.reduce sum %c axes [1] accum f32 : tensor<4x16xf32> -> tensor<4xf32>
  %y = tiny.binary add %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  func.return %y : tensor<4xf32>
}
""")
    answer = c.can_compute_at("v0", "v4", {"i0": 1})
    assert answer.extents["i1"].read == 16 and answer.why.count("[i0, i1] -> [i0, i1]") == 1


def test_few_points_are_visited_where_isl_would_take_long():
    """isl has an answer for neither within a second: divisions of divisions. There are 54 and 30 points."""
    c = poly("""
func.func @f(%x: tensor<2x6xf32>) -> tensor<9x2x3xf32> {
  %0 = tiny.movement shrink %x from [0, 1] : tensor<2x6xf32> -> tensor<2x5xf32>
  %1 = tiny.movement view %0 offset 0 strides [0, 1, 4] : tensor<2x5xf32> -> tensor<6x2x2xf32>
  %2 = tiny.movement permute %1 by [0, 2, 1] : tensor<6x2x2xf32> -> tensor<6x2x2xf32>
  %3 = tiny.movement pad %2 low [2, 0, 0] high [1, 0, 1] value 0.0 : f32 : tensor<6x2x2xf32> -> tensor<9x2x3xf32>
  func.return %3 : tensor<9x2x3xf32>
}
""")
    assert c.can_compute_at("arg0", "v3").extents == {"i0": Extent(2, 2), "i1": Extent(5, 5)}
    c = poly("""
func.func @f(%x: tensor<5x6xf32>) -> tensor<2x7xf32> {
  %0 = tiny.movement reshape %x : tensor<5x6xf32> -> tensor<3x10xf32>
  %1 = tiny.movement permute %0 by [1, 0] : tensor<3x10xf32> -> tensor<10x3xf32>
  %2 = tiny.movement reshape %1 : tensor<10x3xf32> -> tensor<2x15xf32>
  %3 = tiny.movement shrink %2 from [0, 8] : tensor<2x15xf32> -> tensor<2x7xf32>
  func.return %3 : tensor<2x7xf32>
}
""")
    for tile in (None, {"i1": 3}, {"i0": 1}, {"i0": 1, "i1": 2}):
        assert c.can_compute_at("arg0", "v3", tile).ok


def test_a_row_that_is_repeated_and_flattened_is_no_tiles_own():
    c = poly("""
func.func @f(%x: tensor<4xf32>) -> tensor<12xf32> {
  %0 = tiny.unary exp %x : tensor<4xf32> -> tensor<4xf32>
  %1 = tiny.movement expand %0 : tensor<4xf32> -> tensor<3x4xf32>
  %2 = tiny.movement reshape %1 : tensor<3x4xf32> -> tensor<12xf32>
  func.return %2 : tensor<12xf32>
}
""")
    for tile in (1, 4, 5):
        answer = c.can_compute_at("v0", "v2", {"i0": tile})
        assert answer.ok and answer.halo.per_axis == {"i0": min(tile, 4)}
    assert c.analyze().axis_kinds == {"v2": {"i0": "halo"}}


@pytest.mark.parametrize("steps", [1, 2])
def test_a_fold_of_all_rows_in_one_step_or_two(steps: int):
    folds = {
        1: "%p = tiny.reduce sum %x axes [0, 1] accum f32 : tensor<8x4xf32> -> tensor<f32>",
        2: """%s = tiny.reduce sum %x axes [1] accum f32 : tensor<8x4xf32> -> tensor<8xf32>
              %p = tiny.reduce sum %s axes [0] accum f32 : tensor<8xf32> -> tensor<f32>""",
    }
    c = poly(f"""
func.func @f(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {{
  {folds[steps]}
  %y = tiny.binary sub %x, %p : (tensor<8x4xf32>, tensor<f32>) -> tensor<8x4xf32>
  func.return %y : tensor<8x4xf32>
}}
""")
    p, y = f"v{steps - 1}", f"v{steps}"
    for tile in ({"i0": 1}, {"i1": 2}):
        refusal = c.can_compute_at(p, y, tile).refusal
        assert refusal is not None and refusal.code == "PTIR0254"
    assert c.analyze().axis_kinds[y] == {"i0": "whole", "i1": "whole"}


@pytest.mark.sampled(1)
def test_coefficients_may_be_longer_than_64_bits():
    """Two hundred permutes and reshapes that cannot be proven to cancel: factors of divisions multiply."""
    x, lines = "%x", list[str]()
    for k in range(100):
        lines.append(f"%p{k} = tiny.movement permute {x} by [2, 0, 1] : tensor<4x3x5xf32> -> tensor<5x4x3xf32>")
        lines.append(f"%r{k} = tiny.movement reshape %p{k} : tensor<5x4x3xf32> -> tensor<4x3x5xf32>")
        x = f"%r{k}"
    c = poly("func.func @f(%x: tensor<4x3x5xf32>) -> tensor<4x3x5xf32> {\n" + "\n".join(lines)
             + f"\nfunc.return {x} : tensor<4x3x5xf32> }}")  # fmt: skip
    number = np.arange(60).reshape(4, 3, 5)
    for k in range(20):
        number = number.transpose(2, 0, 1).reshape(4, 3, 5)
        answer = c.can_compute_at("arg0", f"v{2 * k + 1}", {"i0": 1})
        read = np.unravel_index(number.reshape(4, -1), (4, 3, 5))
        wide = [int((axis.max(1) - axis.min(1) + 1).max()) for axis in read]
        assert [e.read for e in answer.extents.values()] == wide
    last = c.can_compute_at("arg0", "v199", {"i0": 1})
    assert last.ok or (last.refusal is not None and last.refusal.code == "PTIR0230")
