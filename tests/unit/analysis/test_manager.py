"""`analysis/manager.py`: an analysis runs once for a body, and again only after the body has changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, StringAttr, TensorType, UnitAttr, f32, i64
from xdsl.dialects.func import FuncOp
from xdsl.rewriter import InsertPoint, Rewriter

from ptir.analysis.index import book
from ptir.analysis.index.book import IndexBook, index_book
from ptir.analysis.index.describe import describe
from ptir.analysis.manager import analysis, shared_analyses
from ptir.dialects.tiny.elementwise import UnaryOp
from ptir.passes.environment import make_context
from ptir.passes.manager import PassManager
from ptir.text.parsing import parse_text

PROGRAM = """
func.func @f(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = tiny.unary exp %x : tensor<4x8xf32> -> tensor<4x8xf32>
  %1 = tiny.unary exp %x : tensor<4x8xf32> -> tensor<4x8xf32>
  %2 = tiny.binary add %0, %y : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  func.return %2 : tensor<4x8xf32>
}
"""
GEMM = """
func.func @f(%x: tensor<48x32xf16>, %w: tensor<32x40xf16>) -> tensor<48x40xf32> {
  %0 = ptir.dot_general %x, %w contract [1] x [0] accum f32 out f32 : (tensor<48x32xf16>, tensor<32x40xf16>) -> tensor<48x40xf32>
  %1 = ptir.exp %0 : tensor<48x40xf32>
  func.return %1 : tensor<48x40xf32>
}
"""


def parsed(text: str) -> ModuleOp:
    return parse_text(text, make_context())


def function() -> FuncOp:
    (f,) = parsed(PROGRAM).ops
    assert isinstance(f, FuncOp)
    return f


@analysis
def op_names(f: FuncOp) -> Counter[str]:
    return Counter(op.name for op in f.body.block.ops)


def test_a_result_is_shared_within_the_context_only():
    f = function()
    assert op_names(f) is not op_names(f)
    with shared_analyses():
        kept = op_names(f)
        with shared_analyses():
            assert op_names(f) is kept
        assert op_names(f) is kept
        assert op_names(function()) is not kept
    assert op_names(f) is not kept


def replace_operand(f: FuncOp) -> None:
    _, _, add, _ = f.body.block.ops
    add.operands[0] = f.body.block.args[0]


def swap_operand_for_equal_op(f: FuncOp) -> None:
    _, other, add, _ = f.body.block.ops
    add.operands[0] = other.results[0]


def change_property(f: FuncOp) -> None:
    first, *_ = f.body.block.ops
    first.properties["fn"] = StringAttr("log")


def add_attribute(f: FuncOp) -> None:
    first, *_ = f.body.block.ops
    first.attributes["note"] = UnitAttr()


def change_result_type(f: FuncOp) -> None:
    first, *_ = f.body.block.ops
    Rewriter.replace_value_with_new_type(first.results[0], TensorType(f32, [8, 4]))


def change_argument_type(f: FuncOp) -> None:
    Rewriter.replace_value_with_new_type(f.body.block.args[1], TensorType(f32, [8, 4]))


def insert_op(f: FuncOp) -> None:
    x = f.body.block.args[0]
    Rewriter.insert_op(UnaryOp("sqrt", x), InsertPoint.at_start(f.body.block))


def erase_op(f: FuncOp) -> None:
    _, unused, *_ = f.body.block.ops
    Rewriter.erase_op(unused)


def reorder(f: FuncOp) -> None:
    first, second, *_ = f.body.block.ops
    first.detach()
    f.body.block.insert_op_after(first, second)


@pytest.mark.parametrize(
    "change",
    [
        replace_operand,
        swap_operand_for_equal_op,
        change_property,
        add_attribute,
        change_result_type,
        change_argument_type,
        insert_op,
        erase_op,
        reorder,
    ],
)
def test_a_change_drops_the_result(change: Callable[[FuncOp], None]):
    f = function()
    with shared_analyses():
        kept = op_names(f)
        change(f)
        assert op_names(f) is not kept


def test_a_nested_change_drops_the_result():
    module = parsed(PROGRAM)

    @analysis
    def count(m: ModuleOp) -> list[int]:
        return [sum(1 for _ in m.walk())]

    (f,) = module.ops
    assert isinstance(f, FuncOp)
    with shared_analyses():
        kept = count(module)
        change_property(f)
        assert count(module) is not kept


def test_names_locations_and_own_attributes_keep_the_result():
    f = function()
    with shared_analyses():
        kept = op_names(f)
        f.attributes["plan"] = IntegerAttr(3, i64)
        f.body.block.args[0].name_hint = "renamed"
        assert op_names(f) is kept


@pytest.mark.parametrize("arch", ["sm80", "sm90"])
def test_a_pipeline_computes_a_book_once_for_a_body(arch: str, monkeypatch: pytest.MonkeyPatch):
    """One book of the function in form-regions, one of the kernel in all passes after it."""
    made: list[int] = []

    class Counted(IndexBook):
        def __init__(self, ops: object = ()):
            super().__init__(ops)  # pyright: ignore[reportArgumentType]
            made.append(len(self._infos))

    monkeypatch.setattr(book, "IndexBook", Counted)
    PassManager(f"ptir-to-tiny,form-regions,plan-regions{{arch={arch}}},region-to-pto,pto-to-nv").run(parsed(GEMM))
    assert len(made) == 2


def test_a_book_does_not_depend_on_the_order_of_requests():
    text = "func.func @f(%x: tensor<?xf32>, %y: tensor<?xf32>, %z: tensor<?xf32>) -> tensor<?xf32> {\n"
    text += "  %0 = tiny.unary exp %z : tensor<?xf32> -> tensor<?xf32>\n  func.return %0 : tensor<?xf32>\n}"
    axes: list[list[object]] = []
    for step in (1, -1):
        (f,) = parsed(text).ops
        assert isinstance(f, FuncOp)
        found = index_book(f)
        asked = {v: found.axes(v) for v in f.body.block.args[::step]}
        axes.append([asked[v] for v in f.body.block.args])
        assert "i0" in describe(f)
    assert axes[0] == axes[1]
