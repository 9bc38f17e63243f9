"""The inputs that `build-poly-view` rejects, and those that it accepts."""

from __future__ import annotations

from dataclasses import replace

import pytest

import ptir
from ptir.analysis.index import affine
from ptir.analysis.index.book import IndexBook
from ptir.analysis.index.info import IndexInfo
from ptir.analysis.index.rules import RULES, unary
from ptir.dialects import poly, tiny
from ptir.errors import PtirError, Unsupported
from ptir.passes.manager import PassManager

EXP = """
func.func @f(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = tiny.unary exp %x : tensor<4x8xf32> -> tensor<4x8xf32>
  func.return %0 : tensor<4x8xf32>
}"""


def view(text: str) -> poly.ViewOp:
    module = PassManager("build-poly-view").run(ptir.parse(text))
    return next(op for op in module.ops if isinstance(op, poly.ViewOp))


@pytest.mark.parametrize(
    "exprs",
    [
        ["i0 + 1", "i1"],  # outside of the operand
        ["i0", "i1 - 4*floor(i1/4)", "0"],  # has another rank
    ],
)
def test_an_access_that_breaks_the_book_stops_the_view(exprs: list[str], monkeypatch: pytest.MonkeyPatch):
    def wrong(op: tiny.UnaryOp, book: IndexBook) -> IndexInfo:
        info = unary(op, book)
        (access,) = info.accesses
        return replace(info, accesses=(replace(access, map=affine.make_map(2, exprs)),))

    assert list(view(EXP).blocks) == ["v0"]
    monkeypatch.setitem(RULES, tiny.UnaryOp, wrong)
    with pytest.raises(PtirError) as e:
        view(EXP)
    assert e.value.op is not None and e.value.op.name == "tiny.unary" and e.value.code != "PTIR0000"


def test_control_flow_between_blocks_is_refused():
    text = """
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  cf.br ^bb1(%x : tensor<4xf32>)
^bb1(%y: tensor<4xf32>):
  func.return %y : tensor<4xf32>
}"""
    with pytest.raises(Unsupported, match="control flow"):
        view(text)


def test_values_that_are_no_tensors_and_sizes_of_zero_are_no_obstacle():
    text = """
func.func @f(%x: tuple<tensor<4xf32>>, %y: tensor<0x4xf32>) -> tensor<4xf32> {
  %0 = ptir.tuple_element %x[0] : tuple<tensor<4xf32>> -> tensor<4xf32>
  %1 = tiny.unary exp %0 : tensor<4xf32> -> tensor<4xf32>
  %2 = tiny.unary exp %y : tensor<0x4xf32> -> tensor<0x4xf32>
  %3 = tiny.reduce sum %2 axes [0] accum f32 : tensor<0x4xf32> -> tensor<4xf32>
  %4 = tiny.binary add %1, %3 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  func.return %4 : tensor<4xf32>
}"""
    blocks = view(text).blocks
    assert [b.kind.data for b in blocks.values()] == ["ewise", "ewise", "reduce", "ewise"]
    assert blocks["v2"].domain.source.data.endswith("1 = 0 }") or "false" in blocks["v2"].domain.source.data


def test_a_value_of_rank_0():
    text = """
func.func @f(%x: tensor<f32>) -> tensor<f32> {
  %0 = tiny.unary exp %x : tensor<f32> -> tensor<f32>
  %1 = tiny.unary neg %0 : tensor<f32> -> tensor<f32>
  func.return %1 : tensor<f32>
}"""
    (edge,) = view(text).edges
    assert edge.dependences()["true"] == ["{ [] -> [] }"]
