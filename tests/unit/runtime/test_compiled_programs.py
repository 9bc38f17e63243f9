"""
Random programs, compiled and run: samples of `python -m tests.random_programs --compile` and of its `--affine`, programs in which
they found bugs, and tests of what they compare.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.func import FuncOp

import ptir
from ptir.dialects.common.shapes import element, shape
from ptir.semantics.arrays.scalars import numpy_dtype
from ptir.semantics.bounds.intervals import Interval
from ptir.semantics.samples import draw
from tests.random_programs import affine, branching
from tests.random_programs.compiled import ARCHS, Compiler
from tests.random_programs.dtypes import NUMPY
from tests.random_programs.expected import Expected, Outcome
from tests.random_programs.generator import Case, generate
from tests.random_programs.shrinker import text_of

from ..builders.amount import examples

PARTS = 6
PROGRAMS = {branching: examples(90), affine: examples(54)}
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
    "adjacent rows that are updated at positions": """
func.func @f(%x: tensor<1x2x5x1x2xf64>, %y: tensor<1x2x2x1x2xf64>, %at: tensor<5xsi64>) -> (tensor<1x2x5x1x2xf64>, tensor<1x5x1x2xsi32>) {
  %a = ptir.argmax %x axis 1 : tensor<1x2x5x1x2xf64> -> tensor<1x5x1x2xsi32>
  %b = ptir.dynamic_update_slice %x, %y, %at : tensor<1x2x5x1x2xf64>, tensor<1x2x2x1x2xf64>, tensor<5xsi64>
  func.return %b, %a : tensor<1x2x5x1x2xf64>, tensor<1x5x1x2xsi32>
}""",
    "a vector whose first element is constant": """
func.func @f() -> tensor<2x1x2xf64> {
  %a = ptir.iota axis 2 : tensor<2x1x2xf64>
  func.return %a : tensor<2x1x2xf64>
}""",
    "a reduction that is no row of its own, and rows, both without arrays": """
func.func @f() -> (tensor<5x3x9xf64>, tensor<10x3x9xf64>) {
  %x = ptir.iota axis 1 : tensor<5x3x9xf64>
  %a = ptir.reduce max %x axes [1] keepdims : tensor<5x3x9xf64> -> tensor<5x1x9xf64>
  %b = ptir.broadcast_to %a : tensor<5x1x9xf64> -> tensor<5x3x9xf64>
  %c = ptir.sub %x, %b : tensor<5x3x9xf64>
  %d = ptir.pad %b with 1.0 : f64 low [0, 0, 0] high [1, 0, 0] interior [1, 0, 0] : tensor<5x3x9xf64> -> tensor<10x3x9xf64>
  func.return %c, %d : tensor<5x3x9xf64>, tensor<10x3x9xf64>
}""",
    "columns of two lengths": """
func.func @f(%x: tensor<50x64xf32>, %y: tensor<70x64xf32>) -> tensor<64xf32> {
  %a = ptir.reduce sum %x axes [0] : tensor<50x64xf32> -> tensor<64xf32>
  %b = ptir.reduce max %y axes [0] : tensor<70x64xf32> -> tensor<64xf32>
  %c = ptir.add %a, %b : tensor<64xf32>
  func.return %c : tensor<64xf32>
}""",
    "a product of sums of padding alone": """
func.func @f(%x: tensor<1x0x8xf32>, %y: tensor<1x8x1x6xf32>) -> tensor<1x2x8x1xf32> {
  %a = ptir.reduce_window sum %x window [1, 1, 3] padding [(0, 1), (1, 0), (1, -1)] dilation [2, 2, 1] : tensor<1x0x8xf32> -> tensor<2x1x6xf32>
  %b = ptir.dot_general %a, %y batch [1] x [0] contract [2] x [3] : (tensor<2x1x6xf32>, tensor<1x8x1x6xf32>) -> tensor<1x2x8x1xf32>
  func.return %b : tensor<1x2x8x1xf32>
}""",
}


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("programs", PROGRAMS, ids=lambda module: module.__name__.rpartition(".")[2])
def test_random_programs(programs: ModuleType, part: int):
    """30 programs of all ops and 18 of affine ops in the gate, each for one architecture, at the tile level and in the emulator."""
    for index in range(part, PROGRAMS[programs], PARTS):
        case = generate(3, index, programs.SMALL, programs.ROWS)
        problems = Compiler(archs=ARCHS[index // PARTS % 2 :][:1]).check(case)
        assert not problems, f"{index}: {problems[0].kind}: {problems[0].detail}\n{text_of(case)}"


@pytest.mark.parametrize("name", FOUND)
def test_what_was_found(name: str):
    module = ptir.parse(FOUND[name])
    (function,) = (op for op in module.ops if isinstance(op, FuncOp))
    signature = [(shape(a), numpy_dtype(element(a))) for a in function.body.block.args]
    assert not Compiler().check(Case(module, {"f": draw("f", signature, 0, 0).arrays}))


# --- what is compared ---------------------------------------------------------------------------


def test_other_results_are_seen(monkeypatch: pytest.MonkeyPatch):
    """At the tile level, which both architectures share, and in the emulator."""
    monkeypatch.setattr("tests.random_programs.expected.bounds", lambda *_, tight: [Interval.of(np.array(5, np.int8))])
    case = Case(ptir.parse(FOUND["one row"]), {"f": (np.ones((2, 1, 2), np.int8),)})
    assert [p.kind for p in Compiler().check(case)] == ["tiles: wrong result", *["emulator: wrong result"] * 2]


def expected(text: str, *arrays: Any) -> Expected:
    return Expected.of(ptir.parse(text), "f", arrays)


def kinds(found: Expected, *results: Any) -> str | None:
    """Returns the kind of problem that these results are."""
    problem = found.problem(Outcome(list(results)), True)
    return None if problem is None else problem[0]


COMPLEX = """
func.func @f(%x: tensor<3xcomplex<f32>>, %y: tensor<3xf32>) -> (tensor<3xcomplex<f32>>, tensor<3xf32>) {
  %a = ptir.reduce sum %x axes [0] keepdims : tensor<3xcomplex<f32>> -> tensor<1xcomplex<f32>>
  %b = ptir.broadcast_to %a : tensor<1xcomplex<f32>> -> tensor<3xcomplex<f32>>
  %c = ptir.sub %x, %b : tensor<3xcomplex<f32>>
  %d = ptir.add %y, %y : tensor<3xf32>
  func.return %c, %d : tensor<3xcomplex<f32>>, tensor<3xf32>
}"""


def test_complex_numbers_may_deviate_by_roundings():
    """Cancellation makes the error large relative to the result. A real result beside them has bounds, and is exact."""
    x, y = np.array([1 + 1j, 1000 - 3j, -1e-3], np.complex64), np.arange(3, dtype=np.float32)
    found = expected(COMPLEX, x, y)
    assert +found.compared == {"exactly": 3, "with other roundings": 3}
    right = x - x.sum()
    assert kinds(found, right, y + y) is kinds(found, right + np.complex64(2e-4j), y + y) is None
    assert kinds(found, right + np.complex64(0.1j), y + y) == "wrong result"
    assert kinds(found, right, np.nextafter(y + y, 9)) == "wrong result"


ROUNDED = """
func.func @f(%x: tensor<2xcomplex<f64>>) -> tensor<2xi1> {
  %a = ptir.exp %x : tensor<2xcomplex<f64>>
  %b = ptir.log %a : tensor<2xcomplex<f64>>
  %c = ptir.compare eq %x, %b : tensor<2xcomplex<f64>> -> tensor<2xi1>
  func.return %c : tensor<2xi1>
}"""


def test_what_depends_on_roundings_is_not_compared():
    """The logarithm of the first is the number itself up to roundings; that of the second is 2πi less."""
    found = expected(ROUNDED, np.array([0, 7j]))
    assert +found.compared == {"with other roundings": 1, "not compared": 1}
    assert kinds(found, np.array([True, False])) is kinds(found, np.array([False, False])) is None
    assert kinds(found, np.array([True, True])) == "wrong result"


NOT_A_NUMBER = """
func.func @f(%x: tensor<200x$T>) -> tensor<200xui$W> {
  %a = ptir.log1p %x : tensor<200x$T>
  %n = ptir.neg %a : tensor<200x$T>
  %b = ptir.bitcast %n : tensor<200x$T> -> tensor<200xui$W>
  func.return %b : tensor<200xui$W>
}"""


@pytest.mark.parametrize(("dtype", "width", "nan"), [("f8E4M3FN", "8", 0x7F), ("f16", "16", 0x7C01)])
def test_signs_and_payloads_of_computed_nans_are_not_compared(dtype: str, width: str, nan: int):
    text = NOT_A_NUMBER.replace("$T", dtype).replace("$W", width)
    x = np.where(np.arange(200) < 150, -2, 0).astype(NUMPY[dtype])
    found = expected(text, x)
    assert found.compared["not compared"] == 150
    for sign in (0, 1 << int(width) - 1):
        assert kinds(found, np.where(x < 0, sign | nan, 1 << int(width) - 1).astype(f"u{x.itemsize}")) is None


SIGN_OF_A_SUM = """
func.func @f(%x: tensor<2xf16>, %y: tensor<2xf16>) -> (tensor<ui16>, tensor<2xui16>) {
  %s = ptir.dot_general %x, %y contract [0] x [0] accum f16 : (tensor<2xf16>, tensor<2xf16>) -> tensor<f16>
  %b = ptir.bitcast %s : tensor<f16> -> tensor<ui16>
  %d = ptir.div %x, %y : tensor<2xf16>
  %c = ptir.bitcast %d : tensor<2xf16> -> tensor<2xui16>
  func.return %b, %c : tensor<ui16>, tensor<2xui16>
}"""


def test_the_sign_of_a_zero_is_compared_unless_it_depends_on_the_order_of_additions():
    x = np.zeros(2, np.float16)
    found, plus, minus = expected(SIGN_OF_A_SUM, x, -1 - x), np.uint16(0), np.uint16(0x8000)
    for total in (plus, minus):
        assert kinds(found, total, np.full(2, minus)) is None
    assert kinds(found, plus, np.full(2, plus)) == "wrong result"


DIVISIONS = """
func.func @f(%x: tensor<2xsi32>, %y: tensor<2xsi32>) -> tensor<2xsi32> {
  %a = ptir.div %x, %y : tensor<2xsi32>
  %b = ptir.div %x, %y : tensor<2xsi32>
  %c = ptir.remainder %x, %y : tensor<2xsi32>
  func.return %c : tensor<2xsi32>
}"""


def test_errors_have_a_code_and_a_place():
    """The first division is not used; that it fails is as right as that the used one does."""
    x = np.arange(2, dtype=np.int32)
    found = expected(DIVISIONS, x, x)
    places = [outcome.error for outcome in found.outcomes]
    assert places == ["PTIR0540 at <string>:3:8", "PTIR0540 at <string>:5:8"]
    assert all(found.problem(Outcome(error=place), True) is None for place in places)
    for wrong in (Outcome(error="PTIR0540 at <string>:4:8"), Outcome([x])):
        problem = found.problem(wrong, True)
        assert problem is not None and problem[0] == "other error"
    assert found.problem(Outcome(error="PTIR0540 at <string>:4:8"), False) is None


EMPTY = """
func.func @f(%x: tensor<0x?xsi32>, %y: tensor<2x?xsi32>) -> (tensor<0x?xsi32>, tensor<2x?xsi32>) {
  %a = ptir.neg %x : tensor<0x?xsi32>
  %b = ptir.div %y, %y : tensor<2x?xsi32>
  func.return %a, %b : tensor<0x?xsi32>, tensor<2x?xsi32>
}"""


def test_ops_without_elements_need_not_run_whatever_their_other_sizes():
    found = expected(EMPTY, np.zeros((0, 3), np.int32), np.zeros((2, 5), np.int32))
    assert [outcome.error for outcome in found.outcomes] == ["PTIR0540 at <string>:4:8"] * 2
