"""Programs with control flow, calls and tuples: the host function around the kernels, in the emulator and on the fake driver."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import ptir
from ptir.analysis.errors import CallOfDeclaration
from ptir.errors import PtirError
from ptir.passes.manager import PassManager
from ptir.runtime.emulated_call import EmulatedCall
from ptir.runtime.execute import CannotRecord
from ptir.runtime.memory import DeviceArray
from ptir.semantics.errors import DivisionByZero, TooLarge
from tests.unit.builders.fake_driver import FakeDriver
from tests.unit.builders.host_programs import PROGRAMS

pytestmark = pytest.mark.sampled(2)


@pytest.fixture
def driver(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> FakeDriver:
    monkeypatch.setenv("PTIR_CACHE_DIR", str(tmp_path / "cache"))
    return FakeDriver().install(monkeypatch)


def equal(got: Any, want: Any) -> None:
    assert len(got) == len(want)
    for g, w in zip(got, want, strict=True):
        assert g.dtype == w.dtype
        np.testing.assert_array_equal(g, w)


@pytest.mark.parametrize("arch", ["sm80", "sm90"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_the_emulator_computes_what_the_interpreter_computes(name: str, arch: str, monkeypatch: pytest.MonkeyPatch):
    """One arena, of the size that was planned, is enough for each call: whichever branch it takes, and however often it loops."""
    sizes, new_arena = list[int](), EmulatedCall.new_arena
    monkeypatch.setattr(EmulatedCall, "new_arena", lambda self, size: sizes.append(size) or new_arena(self, size))
    program = PROGRAMS[name]
    compiled = ptir.compile(program.text, arch=arch, device=ptir.Emulator())
    for arguments in program.arguments:
        before = [np.copy(a) for a in arguments]
        equal(compiled(*arguments), ptir.reference(program.text, *arguments))
        equal(arguments, before)
    assert len(sizes) <= len(program.arguments)


@pytest.mark.parametrize("name", PROGRAMS)
def test_every_level_computes_the_same(name: str):
    program = PROGRAMS[name]
    module = ptir.parse(program.text)
    for passes in ("ptir-flatten-tuples,ptir-to-tiny,tiny-emulate-int4,tiny-fold-empty,form-regions",
                   "plan-regions{arch=sm80},region-to-pto"):  # fmt: skip
        PassManager(passes).run(module)
        for arguments in program.arguments:
            equal(ptir.reference(module, *arguments), ptir.reference(program.text, *arguments))


# --- on a GPU ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_gpu_computes_what_the_interpreter_computes(name: str, driver: FakeDriver):
    program = PROGRAMS[name]
    compiled = ptir.compile(program.text)
    for arguments in program.arguments:
        want = ptir.reference(program.text, *arguments)
        equal(compiled(*arguments), want)
        on_device = compiled_on_device(program.text, arguments)
        equal([r.numpy() for r in on_device], want)
        outs = [np.empty_like(w) for w in want]
        equal(compiled(*arguments, out=outs), want)


def compiled_on_device(text: str, arguments: Any) -> Any:
    return ptir.compile(text)(*[ptir.to_device(a) for a in arguments])


class Copies:
    """Records the copies and allocations that a program makes on the fake driver."""

    def __init__(self, driver: FakeDriver, monkeypatch: pytest.MonkeyPatch):
        self.downloads: list[int] = []
        self.allocations: list[int] = []
        self.moves: list[int] = []
        download, allocate, move = driver.cuMemcpyDtoHAsync, driver.cuMemAllocAsync, driver.cuMemcpyDtoDAsync

        def downloading(to: int, source: Any, size: int, stream: Any) -> Any:
            self.downloads.append(size)
            return download(to, source, size, stream)

        def allocating(size: int, stream: Any) -> Any:
            self.allocations.append(size)
            return allocate(size, stream)

        def moving(to: Any, source: Any, size: int, stream: Any) -> Any:
            self.moves.append(size)
            return move(to, source, size, stream)

        monkeypatch.setattr(driver, "cuMemcpyDtoDAsync", moving, raising=False)
        monkeypatch.setattr(driver, "cuMemcpyDtoHAsync", downloading, raising=False)
        monkeypatch.setattr(driver, "cuMemAllocAsync", allocating, raising=False)


def test_only_predicates_are_copied_to_the_host(driver: FakeDriver, monkeypatch: pytest.MonkeyPatch):
    text = PROGRAMS["while"].text
    compiled = ptir.compile(text)
    arguments = [ptir.to_device(a) for a in (np.array(5, np.int32), np.arange(4, dtype=np.float32))]
    compiled(*arguments)
    copies = Copies(driver, monkeypatch)
    compiled(*arguments)
    assert copies.downloads == [1] * 6, "the predicate, before each iteration and after the last"


def test_callees_compute_results_in_their_places(driver: FakeDriver, monkeypatch: pytest.MonkeyPatch):
    """Only what a callee returns again, or takes as an argument, is copied."""
    copies = Copies(driver, monkeypatch)
    compiled_on_device(PROGRAMS["results of calls"].text, PROGRAMS["results of calls"].arguments[0])
    assert copies.moves == [16] * 4, "%b, %c, %f and %g"


def test_iterations_allocate_nothing(driver: FakeDriver, monkeypatch: pytest.MonkeyPatch):
    text = PROGRAMS["while"].text
    compiled = ptir.compile(text)
    copies = Copies(driver, monkeypatch)
    x = ptir.to_device(np.ones(4, np.float32))
    found: list[int] = []
    for n in (1, 100):
        before = len(copies.allocations)
        compiled(ptir.to_device(np.array(n, np.int32)), x)
        found.append(len(copies.allocations) - before)
    # The first call also loads the program: one arena. Each call has its argument and two results.
    assert found == [1 + 3, 3]


def test_a_loop_alternates_between_two_buffers():
    text = PROGRAMS["while"].text
    compiled = ptir.compile(text, device=ptir.Emulator())
    # The old array, and the new counter and array: the predicate and the old counter are dead when the new array is made.
    assert compiled._executable.arena_size == 3 * 256


def test_a_chain_of_layers_needs_two_buffers():
    matrix = "tensor<16x16xf32>"
    layers = [
        f"""%{k + 1} = ptir.dot_general %{k}, %w contract [1] x [0] accum f32 out f32 : ({matrix}, {matrix}) -> {matrix}"""
        for k in range(10)
    ]
    text = f"""func.func @f(%0: {matrix}, %w: {matrix}) -> {matrix} {{
      {chr(10).join(layers)}
      func.return %10 : {matrix}
    }}"""
    compiled = ptir.compile(text.replace("%0", "%x"), device=ptir.Emulator())
    x = (np.arange(256) % 3 - 1).astype(np.float32).reshape(16, 16)
    w = np.eye(16, dtype=np.float32)[::-1].copy()
    equal(compiled(x, w), ptir.reference(text.replace("%0", "%x"), x, w))
    assert compiled._executable.arena_size == 2 * 16 * 16 * 4


def test_a_scan_is_recorded(driver: FakeDriver):
    program = PROGRAMS["scan of rows of 12 bytes"]
    (arguments,) = program.arguments
    graph = ptir.compile(program.text).graph(*[ptir.to_device(a) for a in arguments])
    for _ in range(2):
        graph.launch()
        equal([r.numpy() for r in graph.outputs], ptir.reference(program.text, *arguments))


def test_calls_are_recorded(driver: FakeDriver):
    program = PROGRAMS["calls"]
    (arguments,) = program.arguments
    graph = ptir.compile(program.text).graph(*[ptir.to_device(a) for a in arguments])
    graph.launch()
    equal([r.numpy() for r in graph.outputs], ptir.reference(program.text, *arguments))


@pytest.mark.parametrize("name", ["cond", "while", "cond in while in scan"])
def test_control_flow_on_data_cannot_be_recorded(name: str, driver: FakeDriver):
    program = PROGRAMS[name]
    compiled = ptir.compile(program.text)
    with pytest.raises(CannotRecord, match="@f branches or loops on values that it computes") as caught:
        compiled.graph(*[ptir.to_device(a) for a in program.arguments[0]])
    assert caught.value.code == "PTIR0538" and "call it without a graph" in caught.value.help


# --- kernels ------------------------------------------------------------------------------------------------------


def test_a_function_that_is_called_twice_has_one_kernel():
    compiled = ptir.compile(PROGRAMS["calls"].text, device=ptir.Emulator())
    assert compiled.cuda.count("__global__") == 3


# --- failing ops ----------------------------------------------------------------------------------------------------

DIVIDING_LOOP = """
func.func @f(%n: tensor<i32>, %x: tensor<4xi32>, %y: tensor<4xi32>) -> (tensor<i32>, tensor<4xi32>) {
  %m, %r = ptir.while (%n, %x) : (tensor<i32>, tensor<4xi32>) -> (tensor<i32>, tensor<4xi32>) cond (%j, %a) {
    %zero = ptir.constant dense<0> : tensor<i32>
    %more = ptir.compare gt %j, %zero : tensor<i32> -> tensor<i1>
    ptir.yield %more, %j, %a : tensor<i1>, tensor<i32>, tensor<4xi32>
  } do (%k, %b) {
    %one = ptir.constant dense<1> : tensor<i32>
    %next = ptir.sub %k, %one : tensor<i32>
    %many = ptir.broadcast_to %k : tensor<i32> -> tensor<4xi32>
    %two = ptir.constant dense<2> : tensor<4xi32>
    %divisor = ptir.sub %many, %two : tensor<4xi32>
    %q = ptir.div %b, %divisor : tensor<4xi32>
    ptir.yield STEP, %q : tensor<i32>, tensor<4xi32>
  }
  func.return %m, %r : tensor<i32>, tensor<4xi32>
}"""
DIVIDING_CALLEE = """
builtin.module attributes {ptir.entry = "f"} {
  func.func @f(%x: tensor<4xi32>, %y: tensor<4xi32>) -> tensor<4xi32> {
    %0 = func.call @g(%x, %y) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
    %1 = ptir.div %0, %y : tensor<4xi32>
    func.return %1 : tensor<4xi32>
  }
  func.func private @g(%x: tensor<4xi32>, %y: tensor<4xi32>) -> tensor<4xi32> {
    %0 = ptir.div %x, %y : tensor<4xi32>
    func.return %0 : tensor<4xi32>
  }
}"""


def devices(driver: FakeDriver) -> list[Any]:
    return [ptir.Emulator(), ptir.Gpu()]


def test_a_division_by_zero_ends_a_loop(driver: FakeDriver):
    """The loop that does not count down would never end: the status is read with the predicate."""
    x = np.array([12, 24, 36, 48], np.int32)
    for step, bad in (("%next", 3), ("%k", 2)):
        text = DIVIDING_LOOP.replace("STEP", step).replace(", %y: tensor<4xi32>)", ")")
        for device in devices(driver):
            compiled = ptir.compile(text, device=device)
            with pytest.raises(DivisionByZero) as caught:
                compiled(np.array(bad, np.int32), x)
            assert caught.value.op is not None and caught.value.location is not None
            assert caught.value.location.line == 13
            if step == "%next":  # the program can be called again
                equal(compiled(np.array(1, np.int32), x), ptir.reference(text, np.array(1, np.int32), x))


def test_a_division_by_zero_in_a_function_that_is_called(driver: FakeDriver):
    x, good, bad = np.array([8, 9, 10, 11], np.int32), np.full(4, 2, np.int32), np.array([1, 0, 2, 3], np.int32)
    for device in devices(driver):
        compiled = ptir.compile(DIVIDING_CALLEE, device=device)
        for _ in range(2):
            with pytest.raises(DivisionByZero):
                compiled(x, bad)
            equal(compiled(x, good), ptir.reference(DIVIDING_CALLEE, x, good))


# --- custom calls -----------------------------------------------------------------------------------------------

CUSTOM = """
func.func @f(%n: tensor<3xi32>, %x: tensor<5xf32>) -> (tensor<5xf32>, tensor<3x5xf32>) {
  %y = ptir.add %x, %x : tensor<5xf32>
  %l, %all = ptir.scan (%y) over (%n) : (tensor<5xf32>, tensor<3xi32>) -> (tensor<5xf32>, tensor<3x5xf32>) do (%s, %k) {
    %c, %d = ptir.custom_call "test.scale.v1"(%s, %k) {by = 3.0 : f64} : (tensor<5xf32>, tensor<i32>)
        -> (tensor<5xf32>, tensor<5xf32>)
    %e = ptir.sub %c, %d : tensor<5xf32>
    ptir.yield %e, %d : tensor<5xf32>, tensor<5xf32>
  }
  func.return %l, %all : tensor<5xf32>, tensor<3x5xf32>
}"""


def scale(x: Any, k: Any, *, by: float) -> tuple[Any, Any]:
    assert isinstance(x, np.ndarray) and isinstance(k, np.ndarray)
    return x * np.float32(by), x + k.astype(np.float32)


def test_a_custom_call_between_kernels_gets_numpy_arrays_in_the_emulator():
    n, x = np.array([1, 2, 3], np.int32), np.arange(5, dtype=np.float32)
    with ptir.register_custom_call("test.scale.v1", scale):
        want = ptir.reference(CUSTOM, n, x)
        equal(ptir.compile(CUSTOM, device=ptir.Emulator())(n, x), want)


def test_a_custom_call_for_numpy_is_copied_from_and_to_a_gpu(driver: FakeDriver):
    n, x = np.array([1, 2, 3], np.int32), np.arange(5, dtype=np.float32)
    with ptir.register_custom_call("test.scale.v1", scale, numpy=True):
        equal(compiled_on_device_of(CUSTOM, n, x), ptir.reference(CUSTOM, n, x))


def compiled_on_device_of(text: str, *arguments: Any) -> list[Any]:
    return [r.numpy() for r in compiled_on_device(text, arguments)]


def test_a_custom_call_gets_the_arrays_of_a_gpu_where_they_are(driver: FakeDriver, monkeypatch: pytest.MonkeyPatch):
    n, x = np.array([1, 2, 3], np.int32), np.arange(5, dtype=np.float32)
    with ptir.register_custom_call("test.scale.v1", scale):
        want = ptir.reference(CUSTOM, n, x)
    seen: list[Any] = []

    def on_device(x: Any, k: Any, *, by: float) -> tuple[Any, Any]:
        seen.append((type(x), x.shape, x.device, k.shape))
        return tuple(ptir.to_device(r) for r in scale(x.numpy(), k.numpy(), by=by))  # type: ignore[return-value]

    with ptir.register_custom_call("test.scale.v1", on_device):
        equal(compiled_on_device_of(CUSTOM, n, x), want)
    assert seen == [(DeviceArray, (5,), "cuda:0", ())] * 3


@pytest.mark.parametrize(
    "function, got",
    [
        (scale, "CustomCallFailed"),
        (lambda x, k, *, by: (np.ones(5, np.float32), x), "WrongResult"),
        (lambda x, k, *, by: (x, k), "WrongResult"),
        (lambda x, k, *, by: x, "WrongResult"),
        (lambda x, k, *, by: (x, 3), "WrongResult"),
    ],
)
def test_wrong_results_of_a_custom_call_on_a_gpu(driver: FakeDriver, function: Any, got: str):
    n, x = np.array([1, 2, 3], np.int32), np.arange(5, dtype=np.float32)
    with ptir.register_custom_call("test.scale.v1", function), pytest.raises(PtirError) as caught:
        compiled_on_device_of(CUSTOM, n, x)
    assert type(caught.value).__name__ == got
    assert caught.value.location is not None and caught.value.location.line == 5


def test_a_custom_call_cannot_be_recorded(driver: FakeDriver):
    n, x = ptir.to_device(np.array([1, 2, 3], np.int32)), ptir.to_device(np.arange(5, dtype=np.float32))
    with pytest.raises(CannotRecord, match="@f calls Python functions"):
        ptir.compile(CUSTOM).graph(n, x)


TUPLE_CALL = """
func.func @f(%x: tensor<5xsi4>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<5xsi4>, tensor<4xf32>) {
  %n = ptir.neg %x : tensor<5xsi4>
  %t = ptir.custom_call "test.pair.v1"(%n, %y) : (tensor<5xsi4>, tensor<4xf32>)
      -> tuple<tensor<4xf32>, tuple<tensor<5xsi4>, tensor<4xf32>>>
  %a = ptir.tuple_element %t[0] : tuple<tensor<4xf32>, tuple<tensor<5xsi4>, tensor<4xf32>>> -> tensor<4xf32>
  %u = ptir.tuple_element %t[1] : tuple<tensor<4xf32>, tuple<tensor<5xsi4>, tensor<4xf32>>>
      -> tuple<tensor<5xsi4>, tensor<4xf32>>
  %b = ptir.tuple_element %u[0] : tuple<tensor<5xsi4>, tensor<4xf32>> -> tensor<5xsi4>
  %c = ptir.tuple_element %u[1] : tuple<tensor<5xsi4>, tensor<4xf32>> -> tensor<4xf32>
  %d = ptir.add %b, %b : tensor<5xsi4>
  func.return %a, %d, %c : tensor<4xf32>, tensor<5xsi4>, tensor<4xf32>
}"""


@pytest.mark.campaign
def test_a_custom_call_of_nibbles_that_returns_tuples(driver: FakeDriver):
    x, y = (np.arange(5) - 2).astype(ml_dtypes.int4), np.arange(4, dtype=np.float32)

    def pair(x: Any, y: Any) -> Any:
        assert x.dtype == ml_dtypes.int4 and x.shape == (5,)
        return -y, (x, y + 1)

    with ptir.register_custom_call("test.pair.v1", pair, numpy=True):
        want = ptir.reference(TUPLE_CALL, x, y)
        module = ptir.parse(TUPLE_CALL)
        for passes in ("ptir-flatten-tuples", "ptir-to-tiny,tiny-emulate-int4", "form-regions"):
            PassManager(passes).run(module)
            equal(ptir.reference(module, x, y), want)
        for device in devices(driver):
            equal(ptir.compile(TUPLE_CALL, device=device)(x, y), want)


# --- what is refused ----------------------------------------------------------------------------------------------


def test_a_call_of_a_declaration():
    text = """
    func.func private @g(tensor<4xf32>) -> tensor<4xf32>
    func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = func.call @g(%x) : (tensor<4xf32>) -> tensor<4xf32>
      func.return %0 : tensor<4xf32>
    }"""
    with pytest.raises(PtirError, match=r"'func\.call' calls @g, which is only declared"):
        ptir.compile(text)
    with pytest.raises(CallOfDeclaration, match=r"'func\.call' calls @g, which is only declared") as caught:
        PassManager("form-regions").run(ptir.parse(text))
    assert caught.value.code == "PTIR0470" and "ptir.custom_call" in caught.value.help


def test_a_function_that_calls_itself_forever():
    text = """
    func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = func.call @f(%x) : (tensor<4xf32>) -> tensor<4xf32>
      %1 = ptir.neg %0 : tensor<4xf32>
      func.return %1 : tensor<4xf32>
    }"""
    with pytest.raises(TooLarge, match="nested too deeply"):
        ptir.compile(text, device=ptir.Emulator())(np.zeros(4, np.float32))
