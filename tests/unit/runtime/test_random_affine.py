"""Random affine programs, compiled and run: a sample of `python -m tests.random_affine`, and programs in which it found bugs."""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.dialects.func import FuncOp

import ptir
from ptir.dialects.common.shapes import element, shape
from ptir.semantics.arrays.scalars import numpy_dtype
from ptir.semantics.bounds.intervals import Interval
from ptir.semantics.samples import draw
from tests.random_affine.check import Compiler
from tests.random_affine.programs import ROWS, SMALL
from tests.random_programs.generator import Case, generate
from tests.random_programs.shrinker import text_of

from ..builders.amount import examples

PROGRAMS, PARTS = examples(180), 6
FOUND = {
    "the number of a row is stored along the row": """
func.func @f(%x: tensor<2xf16>) -> tensor<2xf16> {
  %a = ptir.reduce sum %x axes [0] keepdims : tensor<2xf16> -> tensor<1xf16>
  %b = ptir.broadcast_to %a : tensor<1xf16> -> tensor<2xf16>
  func.return %b : tensor<2xf16>
}""",
    "rows computed from their numbers alone": """
func.func @f(%x: tensor<3xf16>) -> tensor<3xf16> {
  %a = ptir.reduce sum %x axes [0] keepdims : tensor<3xf16> -> tensor<1xf16>
  %b = ptir.tile %a [3] : tensor<1xf16> -> tensor<3xf16>
  %c = ptir.abs %b : tensor<3xf16>
  func.return %c : tensor<3xf16>
}""",
    "outputs of rows of which only the second and the third read the same": """
func.func @f(%x: tensor<2x2xui32>, %y: tensor<1x1xf16>) -> (tensor<1x2xf16>, tensor<1x1xi1>, tensor<1x1xf16>) {
  %a = ptir.reduce max %x axes [0, 1] keepdims accum ui16 out f16 : tensor<2x2xui32> -> tensor<1x1xf16>
  %b = ptir.concat %a, %a axis 1 : (tensor<1x1xf16>, tensor<1x1xf16>) -> tensor<1x2xf16>
  %c = ptir.compare gt %a, %y : tensor<1x1xf16> -> tensor<1x1xi1>
  %d = ptir.add %y, %y : tensor<1x1xf16>
  func.return %b, %c, %d : tensor<1x2xf16>, tensor<1x1xi1>, tensor<1x1xf16>
}""",
    "a reduced axis of one element between others": """
func.func @f(%x: tensor<2x1x2xf16>) -> tensor<2x1x2xf16> {
  %a = ptir.reduce max %x axes [2, 1, 0] keepdims : tensor<2x1x2xf16> -> tensor<1x1x1xf16>
  %b = ptir.broadcast_to %a : tensor<1x1x1xf16> -> tensor<2x1x2xf16>
  %c = ptir.sub %x, %b : tensor<2x1x2xf16>
  func.return %c : tensor<2x1x2xf16>
}""",
    "one row": """
func.func @f(%x: tensor<2x1x2xsi8>) -> tensor<si8> {
  %a = ptir.reduce sum %x axes [0, 2] keepdims : tensor<2x1x2xsi8> -> tensor<1x1x1xsi8>
  %b = ptir.reduce max %a axes [1, 0, 2] accum si32 : tensor<1x1x1xsi8> -> tensor<si8>
  func.return %b : tensor<si8>
}""",
    "rows of a part of an array whose other parts other rows read": """
func.func @f(%x: tensor<6x8xf32>) -> (tensor<2xf32>, tensor<6xf32>, tensor<6x2xf32>, tensor<6xf32>, tensor<6x8xf32>) {
  %rows = ptir.slice %x [3, 0] : tensor<6x8xf32> -> tensor<2x8xf32>
  %a = ptir.reduce sum %rows axes [1] : tensor<2x8xf32> -> tensor<2xf32>
  %b = ptir.reduce max %x axes [1] : tensor<6x8xf32> -> tensor<6xf32>
  %halves = ptir.reshape %x : tensor<6x8xf32> -> tensor<6x2x4xf32>
  %c = ptir.reduce max %halves axes [2] : tensor<6x2x4xf32> -> tensor<6x2xf32>
  %left = ptir.slice %x [0, 4] : tensor<6x8xf32> -> tensor<6x4xf32>
  %d = ptir.reduce sum %left axes [1] : tensor<6x4xf32> -> tensor<6xf32>
  %e = ptir.add %x, %x : tensor<6x8xf32>
  func.return %a, %b, %c, %d, %e : tensor<2xf32>, tensor<6xf32>, tensor<6x2xf32>, tensor<6xf32>, tensor<6x8xf32>
}""",
    "rows of a padded array, of a repeated one, and of the array itself": """
func.func @f(%x: tensor<5x8xf32>) -> (tensor<5xf32>, tensor<6xf32>, tensor<5x3xf32>) {
  %a = ptir.reduce sum %x axes [1] : tensor<5x8xf32> -> tensor<5xf32>
  %padded = ptir.pad %x with 0.0 : f32 low [1, 0] high [0, 0] interior [0, 0] : tensor<5x8xf32> -> tensor<6x8xf32>
  %b = ptir.reduce max %padded axes [1] : tensor<6x8xf32> -> tensor<6xf32>
  %row = ptir.reshape %x : tensor<5x8xf32> -> tensor<5x1x8xf32>
  %repeated = ptir.broadcast_to %row : tensor<5x1x8xf32> -> tensor<5x3x8xf32>
  %c = ptir.reduce min %repeated axes [2] : tensor<5x3x8xf32> -> tensor<5x3xf32>
  func.return %a, %b, %c : tensor<5xf32>, tensor<6xf32>, tensor<5x3xf32>
}""",
    "a vector whose first element is constant": """
func.func @f() -> tensor<2x1x2xf64> {
  %a = ptir.iota axis 2 : tensor<2x1x2xf64>
  func.return %a : tensor<2x1x2xf64>
}""",
}


@pytest.mark.sampled(1)
@pytest.mark.parametrize("part", range(PARTS))
def test_random_programs(part: int):
    """60 programs in the gate, each for both architectures, at the tile level and in the emulator."""
    checker = Compiler()
    for index in range(part, PROGRAMS, PARTS):
        case = generate(3, index, SMALL, ROWS)
        problems = checker.check(case)
        assert not problems, f"{index}: {problems[0].kind}: {problems[0].detail}\n{text_of(case)}"


@pytest.mark.parametrize("name", FOUND)
def test_what_was_found(name: str):
    module = ptir.parse(FOUND[name])
    (function,) = (op for op in module.ops if isinstance(op, FuncOp))
    signature = [(shape(a), numpy_dtype(element(a))) for a in function.body.block.args]
    assert not Compiler().check(Case(module, {"f": draw("f", signature, 0, 0).arrays}))


def test_what_is_checked(monkeypatch: pytest.MonkeyPatch):
    """Other results are seen, at the tile level, which both architectures share, and in the emulator."""
    monkeypatch.setattr("tests.random_affine.check.bounds", lambda *_: [Interval.of(np.array(5, np.int8))])
    case = Case(ptir.parse(FOUND["one row"]), {"f": (np.ones((2, 1, 2), np.int8),)})
    assert [p.kind for p in Compiler().check(case)] == ["tiles: wrong result", *["emulator: wrong result"] * 2]
