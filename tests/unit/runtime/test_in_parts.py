"""Programs whose sizes depend on data: the host runs their control flow, and compiles the parts between for the sizes that it meets."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ptir
from ptir.errors import SizesDiffer
from ptir.runtime.execute import BadArgument, BadOutput, CannotRecord
from ptir.runtime.memory import DeviceArray
from ptir.semantics.errors import DivisionByZero
from ptir.transforms.errors import InvalidSizes
from tests.unit.builders.fake_driver import FakeDriver

pytestmark = pytest.mark.sampled(2)

GROWING = """
func.func @f(%n: tensor<i32>, %x: tensor<?xf32>) -> (tensor<i32>, tensor<?xf32>) {
  %m, %y = ptir.while (%n, %x) : (tensor<i32>, tensor<?xf32>) -> (tensor<i32>, tensor<?xf32>) cond (%j, %a) {
    %zero = ptir.constant dense<0> : tensor<i32>
    %more = ptir.compare gt %j, %zero : tensor<i32> -> tensor<i1>
    ptir.yield %more, %j, %a : tensor<i1>, tensor<i32>, tensor<?xf32>
  } do (%k, %b) {
    %one = ptir.constant dense<1> : tensor<i32>
    %next = ptir.sub %k, %one : tensor<i32>
    %c = ptir.concat %b, %b axis 0 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    ptir.yield %next, %c : tensor<i32>, tensor<?xf32>
  }
  %z = ptir.neg %y : tensor<?xf32>
  func.return %m, %z : tensor<i32>, tensor<?xf32>
}"""
CHOOSING = """
func.func @f(%p: tensor<i1>, %q: tensor<i1>, %x: tensor<?x4xf32, #ptir.dims<B, _>>, %d: tensor<i32>)
    -> (tensor<?x?xf32>, tensor<4xi32>) {
  %t = ptir.tuple %x, %d : tuple<tensor<?x4xf32, #ptir.dims<B, _>>, tensor<i32>>
  %r = ptir.cond %p (%t) : (tuple<tensor<?x4xf32, #ptir.dims<B, _>>, tensor<i32>>) -> tensor<?x?xf32> then (%a) {
    %b = ptir.tuple_element %a[0] : tuple<tensor<?x4xf32, #ptir.dims<B, _>>, tensor<i32>> -> tensor<?x4xf32, #ptir.dims<B, _>>
    %c = ptir.transpose %b [1, 0] : tensor<?x4xf32, #ptir.dims<B, _>> -> tensor<4x?xf32, #ptir.dims<_, B>>
    %e = ptir.dim_cast %c : tensor<4x?xf32, #ptir.dims<_, B>> -> tensor<?x?xf32>
    ptir.yield %e : tensor<?x?xf32>
  } else (%a) {
    %b = ptir.tuple_element %a[0] : tuple<tensor<?x4xf32, #ptir.dims<B, _>>, tensor<i32>> -> tensor<?x4xf32, #ptir.dims<B, _>>
    %e = ptir.dim_cast %b : tensor<?x4xf32, #ptir.dims<B, _>> -> tensor<?x?xf32>
    ptir.yield %e : tensor<?x?xf32>
  }
  %s = ptir.cond %q (%d) : (tensor<i32>) -> tensor<4xi32> then (%a) {
    %c = ptir.constant dense<[12, 24, 36, 48]> : tensor<4xi32>
    %b = ptir.broadcast_to %a : tensor<i32> -> tensor<4xi32>
    %e = ptir.div %c, %b : tensor<4xi32>
    ptir.yield %e : tensor<4xi32>
  } else (%a) {
    %b = ptir.broadcast_to %a : tensor<i32> -> tensor<4xi32>
    ptir.yield %b : tensor<4xi32>
  }
  func.return %r, %s : tensor<?x?xf32>, tensor<4xi32>
}"""
CACHE = """
func.func @f(%cache: tensor<?x2xf32>, %xs: tensor<?x2xf32, #ptir.dims<T, _>>) -> (tensor<?x2xf32>, tensor<?x2xf32, #ptir.dims<T, _>>) {
  %last, %sums = ptir.scan (%cache) over (%xs)
      : (tensor<?x2xf32>, tensor<?x2xf32, #ptir.dims<T, _>>) -> (tensor<?x2xf32>, tensor<?x2xf32, #ptir.dims<T, _>>) do (%c, %x) {
    %row = ptir.reshape %x : tensor<2xf32> -> tensor<1x2xf32>
    %grown = ptir.concat %c, %row axis 0 : (tensor<?x2xf32>, tensor<1x2xf32>) -> tensor<?x2xf32>
    %sum = ptir.reduce sum %grown axes [0] : tensor<?x2xf32> -> tensor<2xf32>
    ptir.yield %grown, %sum : tensor<?x2xf32>, tensor<2xf32>
  }
  func.return %last, %sums : tensor<?x2xf32>, tensor<?x2xf32, #ptir.dims<T, _>>
}"""


def i32(n: int) -> Any:
    return np.array(n, np.int32)


X = np.arange(12, dtype=np.float32).reshape(3, 4)
PAIRS = X.reshape(6, 2)
CALLS = [
    *((GROWING, (i32(n), X[0, :3].copy())) for n in (0, 1, 3)),
    *((CHOOSING, (np.array(p), np.array(q), X, i32(2))) for p in (False, True) for q in (False, True)),
    (CACHE, (PAIRS[:2].copy(), PAIRS[2:].copy())),
    (CACHE, (PAIRS[:0].copy(), PAIRS[:0].copy())),
]


def equal(got: Any, want: Any) -> None:
    for g, w in zip(got, want, strict=True):
        assert g.dtype == w.dtype
        np.testing.assert_array_equal(g, w)


@pytest.fixture
def driver(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> FakeDriver:
    monkeypatch.setenv("PTIR_CACHE_DIR", str(tmp_path / "cache"))
    return FakeDriver().install(monkeypatch)


@pytest.mark.parametrize(("text", "arguments"), CALLS)
def test_results_are_those_of_the_interpreter(text: str, arguments: Any, driver: FakeDriver):
    want = ptir.reference(text, *arguments)
    equal(ptir.compile(text, device=ptir.Emulator())(*arguments), want)
    got = ptir.compile(text)(*[ptir.to_device(a) for a in arguments])
    assert all(isinstance(g, DeviceArray) for g in got)
    equal([g.numpy() for g in got], want)
    outs = [np.empty_like(w) for w in want]
    ptir.compile(text, device=ptir.Emulator())(*arguments, out=outs)
    equal(outs, want)


def test_a_part_is_compiled_once_for_a_set_of_sizes():
    compiled = list[str]()
    program = ptir.compile(GROWING, device=ptir.Emulator(), watch=lambda name, _: compiled.append(name))
    counts = list[int]()
    for n in (1, 1, 2):
        program(i32(n), X[0])
        counts.append(compiled.count("specialize-sizes"))
    assert counts[0] == counts[1] < counts[2]
    assert "compiled in parts" in repr(program.compile_for(**{"x[0]": 4}))


def test_control_flow_whose_sizes_are_known_is_compiled_whole():
    """Of the two branches, one gives sizes that depend on data; the other is one program, whose division is not run in parts."""
    modules = list[Any]()
    program = ptir.compile(CHOOSING, device=ptir.Emulator(), watch=lambda n, m: modules.append((n, str(m))))
    program(np.array(True), np.array(True), X, i32(2))
    parts = [text for name, text in modules if name == "specialize-sizes"]
    assert ["ptir.cond" in text.split("@f_part")[-1] for text in parts].count(True) == 1


def test_errors_are_those_of_a_compiled_program():
    program = ptir.compile(CHOOSING, device=ptir.Emulator())
    with pytest.raises(DivisionByZero) as caught:
        program(np.array(True), np.array(True), X, i32(0))
    line = CHOOSING[: CHOOSING.index("ptir.div")].count("\n") + 1
    assert f":{line}:" in str(caught.value.location)
    with pytest.raises(BadArgument, match="argument 2 of @f has element type float64"):
        program(np.array(True), np.array(True), X.astype(np.float64), i32(1))
    with pytest.raises(BadOutput, match=r"out\[1\] of @f has shape"):
        program(np.array(True), np.array(True), X, i32(1), out=(np.empty((4, 3), np.float32), np.empty(3, np.int32)))
    with pytest.raises(CannotRecord, match="@f has sizes that depend on data"):
        program.graph(np.array(True), np.array(True), X, i32(1))
    with pytest.raises(InvalidSizes, match="depend on data"):
        print(program.compile_for(B=3).cuda)


def test_names_of_sizes_hold_across_parts():
    text = """
    func.func @f(%p: tensor<i1>, %x: tensor<?xf32, #ptir.dims<B>>) -> tensor<?xf32, #ptir.dims<B>> {
      %r = ptir.cond %p (%x) : (tensor<?xf32, #ptir.dims<B>>) -> tensor<?xf32> then (%a) {
        %b = ptir.dim_cast %a : tensor<?xf32, #ptir.dims<B>> -> tensor<?xf32>
        ptir.yield %b : tensor<?xf32>
      } else (%a) {
        %b = ptir.concat %a, %a axis 0 : (tensor<?xf32, #ptir.dims<B>>, tensor<?xf32, #ptir.dims<B>>) -> tensor<?xf32>
        ptir.yield %b : tensor<?xf32>
      }
      %y = ptir.dim_cast %r : tensor<?xf32> -> tensor<?xf32, #ptir.dims<B>>
      %z = ptir.add %x, %y : tensor<?xf32, #ptir.dims<B>>
      func.return %z : tensor<?xf32, #ptir.dims<B>>
    }"""
    program = ptir.compile(text, device=ptir.Emulator())
    equal(program(np.array(True), X[0]), [2 * X[0]])
    with pytest.raises(SizesDiffer, match="8 and 4 are known to differ"):
        program(np.array(False), X[0])


def test_a_part_may_name_a_size_for_later_ones():
    """The name N occurs first in a part that needs it no more, then in the type of a broadcast, which has no other size."""
    text = """
    func.func @f(%p: tensor<i1>, %x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32, #ptir.dims<N>>) {
      %n = ptir.dim_cast %x : tensor<?xf32> -> tensor<?xf32, #ptir.dims<N>>
      %m = ptir.reduce max %n axes [0] : tensor<?xf32, #ptir.dims<N>> -> tensor<f32>
      %r = ptir.cond %p (%x) : (tensor<?xf32>) -> tensor<?xf32> then (%a) {
        ptir.yield %a : tensor<?xf32>
      } else (%a) {
        %b = ptir.concat %a, %a axis 0 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
        ptir.yield %b : tensor<?xf32>
      }
      %w = ptir.broadcast_to %m : tensor<f32> -> tensor<?xf32, #ptir.dims<N>>
      func.return %r, %w : tensor<?xf32>, tensor<?xf32, #ptir.dims<N>>
    }"""
    for p in (True, False):
        equal(ptir.compile(text, device=ptir.Emulator())(np.array(p), X[0]), ptir.reference(text, np.array(p), X[0]))
