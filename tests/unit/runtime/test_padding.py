"""Programs with dynamic sizes that are compiled once for each shape set of their requests, and run on padded arrays."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from time import sleep
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import ptir
from ptir.analysis.index.prefixes import difference
from ptir.analysis.program.signature import entry_function
from ptir.passes.manager import PassManager
from ptir.runtime.context import LEGACY
from ptir.runtime.execute import BadArgument, BadOutput
from ptir.runtime.gpu import Gpu
from ptir.runtime.graphs import Recording
from ptir.runtime.memory import DeviceArray
from ptir.runtime.padded_graph import PaddedGraphs, copy_prefix, repeat_last
from ptir.runtime.padding import SharedSizes
from ptir.runtime.steps import Step
from ptir.semantics.errors import DivisionByZero, IndexOutOfRange
from ptir.transforms.errors import InvalidSizes
from tests.unit.builders.fake_arrays import DlpackArray, InterfaceArray, Stream
from tests.unit.builders.fake_driver import FakeDriver

X = "tensor<?x16xf32, #ptir.dims<B, _>>"
DOUBLED = f"""func.func @doubled(%x: {X}) -> {X} {{
  %0 = ptir.add %x, %x : {X}
  func.return %0 : {X}
}}"""
ROW = "tensor<16xf32>"
COLUMN_SUMS = f"""func.func @f(%x: {X}) -> {ROW} {{
  %0 = ptir.reduce sum %x axes [0] : {X} -> {ROW}
  func.return %0 : {ROW}
}}"""
DIVIDED = """func.func @f(%x: tensor<?xsi32, #ptir.dims<B>>, %d: tensor<?xsi32, #ptir.dims<B>>) -> tensor<?xsi32, #ptir.dims<B>> {
  %0 = ptir.div %x, %d : tensor<?xsi32, #ptir.dims<B>>
  func.return %0 : tensor<?xsi32, #ptir.dims<B>>
}"""
REQUESTS = {"B=1": 900, "B=2": 40, "B=5": 9, "B=8": 70, "B=30": 1}
"""Shape sets: 1 to 2, 5 to 8, 30."""


def rows(count: int) -> Any:
    return np.random.default_rng(count).standard_normal((count, 16)).astype(np.float32)


def tiny(text: str, sizes: str) -> Any:
    module = ptir.parse(text)
    PassManager(f'specialize-sizes{{sizes="{sizes}"}},ptir-to-tiny').run(module)
    return entry_function(module, None)


def test_there_is_one_compiled_program_for_each_shape_set():
    """Sizes at the boundaries of sets, between them, and outside of all, which have programs of their own."""
    program = ptir.compile(DOUBLED, device=ptir.Emulator(), requests=REQUESTS)
    for b in (1, 2, 1, 5, 6, 8, 4, 3, 30):
        assert np.array_equal(program(x := rows(b))[0], 2 * x)
    assert repr(program).endswith("compiled for 3 sets of sizes>")
    for b, count in ((31, 4), (0, 5)):
        assert np.array_equal(program(x := rows(b))[0], 2 * x)
        assert repr(program).endswith(f"compiled for {count} sets of sizes>")
    assert program.requests["B=1"] == 2, "requests are counted by their own sizes"


def test_results_are_stored_in_the_arrays_of_the_caller():
    program = ptir.compile(DOUBLED, device=ptir.Emulator(), requests={"B=4": 1})
    out = np.zeros((3, 16), np.float32)
    (got,) = program(x := rows(3), out=out)
    assert got is out and np.array_equal(out, 2 * x)
    for wrong, why in (
        (np.zeros((4, 16), np.float32), r"out\[0\] of @doubled has shape \[4, 16\]"),
        (np.frombuffer(bytes(192), np.float32).reshape(3, 16), "is read-only"),
        ([out, out], r"out\[1\] of @doubled is one too many"),
    ):
        with pytest.raises(BadOutput, match=why):
            program(x, out=wrong)
    assert repr(program).endswith("compiled for 1 set of sizes>")


def test_sizes_along_which_arrays_cannot_be_padded_are_equal_in_a_set():
    """The columns are summed over B: each size has its own program."""
    program = ptir.compile(COLUMN_SUMS, device=ptir.Emulator(), requests={"B=3": 1, "B=4": 1})
    for b in (3, 4):
        assert np.allclose(program(x := rows(b))[0], x.sum(0), rtol=1e-5, atol=1e-5)
    assert repr(program).endswith("compiled for 2 sets of sizes>")


def test_one_of_two_sizes_is_padded():
    """A product of matrices with dynamic m and k: only m is padded."""
    x, w, y = (
        "tensor<?x?xf32, #ptir.dims<M, K>>",
        "tensor<?x8xf32, #ptir.dims<K, _>>",
        "tensor<?x8xf32, #ptir.dims<M, _>>",
    )
    text = f"""func.func @f(%x: {x}, %w: {w}) -> {y} {{
      %0 = ptir.dot_general %x, %w contract [1] x [0] : ({x}, {w}) -> {y}
      func.return %0 : {y}
    }}"""
    module = ptir.parse(text)
    shared = SharedSizes(module, entry_function(module, None), {"M=3,K=8": 5, "M=4,K=8": 1, "M=4,K=12": 2})
    assert [(s.low, s.high, s.requests) for s in shared.sets] == [((3, 8), (4, 8), 6), ((4, 12), (4, 12), 2)]
    found = [shared.padded({"M": m, "K": k}) for m, k in ((3, 8), (2, 8), (3, 12), (4, 8), (3, 10), (5, 8))]
    assert [f and tuple(f.sizes.values()) for f in found] == [(4, 8), (4, 8), (4, 12), None, None, None]


def test_an_error_is_that_of_the_program_for_the_exact_sizes():
    """Padding repeats the last elements, so that it has no error of its own."""
    program = ptir.compile(DIVIDED, device=ptir.Emulator(), requests={"B=4": 1})
    x = np.array([8, 9, 7], np.int32)
    assert np.array_equal(program(x, np.array([4, 1, 3], np.int32))[0], [2, 9, 2])
    assert repr(program).endswith("compiled for 1 set of sizes>")
    with pytest.raises(DivisionByZero):
        program(x, np.array([4, 1, 0], np.int32))
    assert repr(program).endswith("compiled for 2 sets of sizes>")


@pytest.mark.parametrize(
    ("requests", "why"), [({"B": 1}, "'B' is no size"), ({"S=4": 1}, "there is no size S"), ({"": 1}, "B is missing")]
)
def test_requests_for_other_sizes(requests: dict[str, int], why: str):
    with pytest.raises(InvalidSizes, match=why):
        ptir.compile(DOUBLED, requests=requests)


def test_requests_for_a_program_without_dynamic_sizes():
    text = "func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {\n  func.return %x : tensor<4xf32>\n}"
    with pytest.raises(InvalidSizes, match="there is no size B"):
        ptir.compile(text, requests={"B=4": 1})


def op(body: str, *types: str) -> str:
    args = ", ".join(f"%{n}: {t}" for n, t in zip("xyz", types[:-1], strict=False))
    return f"func.func @f({args}) -> {types[-1]} {{\n{body}\n  func.return %0 : {types[-1]}\n}}"


B, B2, BB = "tensor<?xf32, #ptir.dims<B>>", "tensor<?x2xf32, #ptir.dims<B, _>>", "tensor<?xf32>"
PROGRAMS: Sequence[tuple[str, str]] = (
    (op(f"  %0 = ptir.exp %x : {B}", B, B), ""),
    (op(f"  %0 = ptir.reshape %x : {B2} -> {BB}", B2, BB), ""),
    (op(f"  %1 = ptir.transpose %x [1, 0] : {B2} -> tensor<2x?xf32, #ptir.dims<_, B>>\n"
        f"  %0 = ptir.reshape %1 : tensor<2x?xf32, #ptir.dims<_, B>> -> {BB}", B2, BB), "other elements"),
    (op(f"  %0 = ptir.reduce sum %x axes [1] : {B2} -> {B}", B2, B), ""),
    (op(f"  %0 = ptir.reduce max %x axes [0] : {B2} -> tensor<2xf32>", B2, "tensor<2xf32>"), "of another size"),
    (op(f"  %0 = ptir.pad %x with 1.0 : f32 low [2] high [0] interior [0] : {B} -> {BB}", B, BB), ""),
    (op(f"  %0 = ptir.pad %x with 1.0 : f32 low [0] high [2] interior [0] : {B} -> {BB}", B, BB), "other elements"),
    (op(f"  %0 = ptir.slice %x [0] : {B} -> tensor<2xf32>", B, "tensor<2xf32>"), ""),
    (op(f"  %0 = ptir.concat %x, %y axis 0 : ({B}, {B}) -> {BB}", B, B, BB), "parameter"),
)  # fmt: skip


ID, I2, TABLE = "tensor<?xsi32, #ptir.dims<B>>", "tensor<?x2xsi32, #ptir.dims<B, _>>", "tensor<9x2xf32>"
PAGES, PAGED = "tensor<9x4x2xf32>", "tensor<?x2x4x2xf32, #ptir.dims<B, _, _, _>>"
B3, FIRST, WINDOW = "tensor<?x3xf32, #ptir.dims<B, _>>", "tensor<2xsi32>", "tensor<?x1xf32, #ptir.dims<B, _>>"
LOOKUPS: Sequence[tuple[str, str]] = (
    (op(f"  %0 = ptir.take %x, %y : ({TABLE}, {ID}) -> {B2}", TABLE, ID, B2), ""),
    (op(f"  %0 = ptir.take %x, %y : ({PAGES}, {I2}) -> {PAGED}", PAGES, I2, PAGED), ""),
    (op(f"  %0 = ptir.gather %x, %y axis 1 : ({B3}, {I2}) -> {B2}", B3, I2, B2), ""),
    (op(f"  %0 = ptir.dynamic_slice %x, %y : ({B3}, {FIRST}) -> {WINDOW}", B3, FIRST, WINDOW), ""),
    (op(f"  %0 = ptir.take %x, %y : ({B2}, {FIRST}) -> tensor<2x2xf32>", B2, FIRST, "tensor<2x2xf32>"), "given by data"),
    (op(f"  %0 = ptir.gather %x, %y axis 0 : ({B2}, {I2}) -> {B2}", B2, I2, B2), "given by data along"),
    (op(f"  %0 = ptir.dynamic_slice %x, %y : ({B2}, {FIRST}) -> tensor<3x2xf32>", B2, FIRST, "tensor<3x2xf32>"), "along"),
    (op(f"  %0 = ptir.scatter_reduce add %x, %y, %z axis 0 : {TABLE}, {I2}, {B2}", TABLE, I2, B2, TABLE), "of another size"),
)  # fmt: skip


@pytest.mark.parametrize(("text", "why"), LOOKUPS)
def test_lookups_that_a_program_for_larger_sizes_serves(text: str, why: str):
    """The padding repeats the last indices. Of what is refused, some has other results, and all may hide indices out of range."""
    found = difference(tiny(text, "B=5"), tiny(text, "B=7"))
    assert (found is None) if not why else found is not None and why in found[1]
    if found is None:
        module, rng = ptir.parse(text), np.random.default_rng(2)
        program = ptir.compile(module, device=ptir.Emulator(), requests={"B=7": 1})
        for size in (5, 7, 6):
            shapes = [([size if n < 0 else n for n in t.get_shape()], str(t.element_type)) for t in arguments(text)]
            arrays = [rng.integers(0, 2, s, np.int32) if e == "si32" else rng.random(s, np.float32) for s, e in shapes]
            assert np.array_equal(program(*arrays)[0], ptir.reference(text, *arrays)[0])
        assert repr(program).endswith("compiled for 1 set of sizes>")


def test_a_padded_lookup_out_of_range_is_that_of_the_program_for_the_exact_sizes():
    program = ptir.compile(LOOKUPS[0][0], device=ptir.Emulator(), requests={"B=4": 1})
    table, tokens = np.ones((9, 2), np.float32), np.array([8, 0, 9], np.int32)
    with pytest.raises(IndexOutOfRange):
        program(table, tokens)
    assert repr(program).endswith("compiled for 2 sets of sizes>")


@pytest.mark.parametrize(("text", "why"), PROGRAMS)
def test_what_a_program_for_larger_sizes_serves(text: str, why: str):
    """Against the interpreter, too: a difference that is found shows in the results, if what is padded is random."""
    found = difference(tiny(text, "B=5"), tiny(text, "B=7"))
    assert (found is None) if not why else found is not None and why in found[1]
    rng = np.random.default_rng(1)
    small = [rng.random([5 if n < 0 else n for n in t.get_shape()], np.float32) for t in arguments(text)]
    large = [rng.random([7 if n < 0 else n for n in t.get_shape()], np.float32) for t in arguments(text)]
    for a, b in zip(small, large, strict=True):
        b[tuple(map(slice, a.shape))] = a
    (want,), (got,) = ptir.reference(text, *small), ptir.reference(text, *large)
    assert np.array_equal(got[tuple(map(slice, want.shape))], want) == (found is None)


@pytest.mark.parametrize(("body", "serves"), [("ptir.exp %y", True), ("ptir.reduce sum %y axes [0] keepdims", False)])
def test_calls_of_functions_that_are_copied_for_the_sizes(body: str, serves: bool):
    of = B if serves else "tensor<1xf32>"
    text = f"""func.func @f(%x: {B}) -> {of} {{
      %0 = func.call @g(%x) : ({B}) -> {of}
      func.return %0 : {of}
    }}
    func.func private @g(%y: {B}) -> {of} {{
      %0 = {body} : {B if serves else f"{B} -> {of}"}
      func.return %0 : {of}
    }}"""
    functions: list[Any] = []
    for size in (5, 7):
        module = ptir.parse(text)
        PassManager(f'specialize-sizes{{sizes="B={size}" entry=f}},ptir-to-tiny').run(module)
        functions.append(entry_function(module, "f"))
    assert (difference(*functions) is None) == serves


def arguments(text: str) -> list[Any]:
    return [arg.type for arg in entry_function(ptir.parse(text), None).body.block.args]


# --- arrays of a GPU --------------------------------------------------------------------------------


@pytest.fixture
def driver(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> FakeDriver:
    monkeypatch.setenv("PTIR_CACHE_DIR", str(tmp_path / "cache"))
    return FakeDriver().install(monkeypatch)


def recorded(monkeypatch: pytest.MonkeyPatch) -> list[Recording]:
    """Returns the graphs that are recorded from now on."""
    graphs: list[Recording] = []
    make = Recording.__init__

    def init(self: Recording, *args: Any) -> None:
        graphs.append(self)
        make(self, *args)

    monkeypatch.setattr(Recording, "__init__", init)
    return graphs


def test_arrays_of_a_gpu_share_one_graph_for_each_shape_set(driver: FakeDriver, monkeypatch: pytest.MonkeyPatch):
    """In streams that run at once; a result is computed when its stream is waited for, and not before."""
    graphs = recorded(monkeypatch)
    program = ptir.compile(DOUBLED, requests=REQUESTS)
    driver.concurrent = True
    found: list[tuple[Any, Any]] = []
    for b, make in ((6, DlpackArray), (7, InterfaceArray), (6, InterfaceArray), (5, DlpackArray), (1, DlpackArray)):
        (y,) = program(make(driver, x := rows(b)), stream=Stream(driver))
        assert isinstance(y, DeviceArray) and y.shape == (b, 16)
        found.append((y, 2 * x))
    assert not driver.launched
    for y, want in reversed(found):
        np.testing.assert_array_equal(y.numpy(), want)
    assert len(graphs) == 2 and repr(program).endswith("compiled for 2 sets of sizes>")
    again = program(DlpackArray(driver, x := rows(3)))[0]
    program.close()
    np.testing.assert_array_equal(again.numpy(), 2 * x)
    np.testing.assert_array_equal(program(DlpackArray(driver, x := rows(7)))[0].numpy(), 2 * x)
    assert len(graphs) == 3, "what was closed is loaded again"
    program.close()
    del program, graphs, y, again, found
    driver.contexts.append(0)
    driver.cuCtxSynchronize()
    driver.contexts.pop()


def test_threads_that_call_at_once_share_a_graph(monkeypatch: pytest.MonkeyPatch):
    made: list[Any] = []

    def make(gpu: Any, program: Any) -> object:
        made.append(gpu)
        sleep(0.02)
        return object()

    monkeypatch.setattr("ptir.runtime.padded_graph.PaddedGraph", make)
    program: Any = SimpleNamespace(host=SimpleNamespace(packed=[]))
    graphs: Any = PaddedGraphs(program)
    with ThreadPoolExecutor(4) as pool:
        found = set(pool.map(graphs._graph, [SimpleNamespace(ordinal=0)] * 4))
    assert len(found) == len(made) == 1


def test_results_on_a_gpu_are_stored_in_the_arrays_of_the_caller(driver: FakeDriver):
    program = ptir.compile(DOUBLED, requests={"B=4": 1})
    x, out = DlpackArray(driver, rows(3)), DlpackArray(driver, np.zeros((3, 16), np.float32))
    assert program(x, out=out)[0] is out
    np.testing.assert_array_equal(out.numpy(), 2 * x.numpy())
    for wrong, why in (
        (DlpackArray(driver, np.zeros((4, 16), np.float32)), r"out\[0\] of @doubled has shape \[4, 16\]"),
        (DlpackArray(driver, np.zeros((3, 16), np.int32)), "has element type int32"),
        ([out, out], r"out\[1\] of @doubled is one too many"),
        (x, "shares memory with another array"),
    ):
        with pytest.raises(BadOutput, match=why):
            program(x, out=wrong)
    with pytest.raises(BadArgument, match="has element type float64"):
        program(DlpackArray(driver, rows(3).astype(np.float64)))


def test_an_error_on_a_gpu_is_that_of_the_program_for_the_exact_sizes(driver: FakeDriver):
    """The padding repeats the last elements, whatever a call before has left there."""
    program = ptir.compile(DIVIDED, requests={"B=8": 1})

    def call(*divisors: int) -> Any:
        d = np.array(divisors, np.int32)
        return program(*(DlpackArray(driver, v) for v in (d * 3, d)))[0].numpy()

    with pytest.raises(DivisionByZero):
        call(1, 1, 1, 1, 1, 0, 0)
    compiled = repr(program)
    assert compiled.endswith("compiled for 2 sets of sizes>")
    np.testing.assert_array_equal(call(4, 1, 3, 2), 3)
    assert repr(program) == compiled, "the call is padded"


@pytest.mark.parametrize(
    ("small", "large"),
    [((3,), (8,)), ((2, 3, 4), (2, 5, 4)), ((3, 2), (4, 7)), ((2, 3, 2, 3), (3, 3, 5, 4)), ((4, 1), (4, 1))],
)
def test_copies_on_a_gpu(driver: FakeDriver, small: tuple[int, ...], large: tuple[int, ...]):
    """Against NumPy: prefixes along any axes, in both directions, and the last elements repeated."""
    gpu = Gpu(0)
    x = np.arange(np.prod(small), dtype=np.int16).reshape(small)
    a, b, back = (DlpackArray(driver, v) for v in (x, np.full(large, -1, np.int16), np.full(small, -2, np.int16)))
    at = [v.values.ctypes.data for v in (a, b, back)]
    with gpu.current():
        copy_prefix(gpu, (at[0], small), (at[1], large), 2, LEGACY)
        repeat_last(gpu, at[1], small, large, 2, LEGACY)
        copy_prefix(gpu, (at[1], large), (at[2], small), 2, LEGACY)
    np.testing.assert_array_equal(back.numpy(), x)
    np.testing.assert_array_equal(b.numpy(), np.pad(x, [(0, n - m) for m, n in zip(small, large, strict=True)], "edge"))


def test_a_program_that_the_host_decides_has_the_exact_sizes(driver: FakeDriver, monkeypatch: pytest.MonkeyPatch):
    graphs = recorded(monkeypatch)
    monkeypatch.setattr("ptir.runtime.execute.Read", Step)
    program = ptir.compile(DOUBLED, requests={"B=4": 1})
    for b in (3, 3, 2):
        np.testing.assert_array_equal(program(DlpackArray(driver, x := rows(b)))[0].numpy(), 2 * x)
    assert not graphs and repr(program).endswith("compiled for 3 sets of sizes>")
