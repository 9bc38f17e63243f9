"""Calls of compiled programs on the fake driver, which runs work only when the program waits for it."""

from __future__ import annotations

import inspect
import os
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from cuda.bindings import driver as real

import ptir
from ptir.backends.cuda.nvrtc import compile_cuda
from ptir.errors import PtirError
from ptir.runtime.context import LEGACY
from ptir.runtime.devices import Emulator
from ptir.runtime.driver import DeviceUnavailable, DriverFailure
from ptir.runtime.execute import BadArgument, BadOutput, CannotRecord, WrongDevice, execute
from ptir.runtime.gpu import Gpu, WrongChip
from ptir.runtime.launch import Launch
from ptir.runtime.memory import DeviceArray
from ptir.runtime.streams import BadStream
from tests.unit.builders import fake_driver
from tests.unit.builders.fake_arrays import DlpackArray, HostTensor, InterfaceArray, Stream, library
from tests.unit.builders.fake_driver import FakeDriver

pytestmark = pytest.mark.sampled(2)

ROWS, COLUMNS, DEPTH = 16, 24, 40
PRODUCT = f"""
func.func @f(%x: tensor<{ROWS}x{DEPTH}xbf16>, %w: tensor<{DEPTH}x{COLUMNS}xbf16>) -> tensor<{ROWS}x{COLUMNS}xf32> {{
  %0 = ptir.dot_general %x, %w contract [1] x [0] accum f32 out f32
     : (tensor<{ROWS}x{DEPTH}xbf16>, tensor<{DEPTH}x{COLUMNS}xbf16>) -> tensor<{ROWS}x{COLUMNS}xf32>
  func.return %0 : tensor<{ROWS}x{COLUMNS}xf32>
}}"""
MANY = """
func.func @f(%x: tensor<16x16xbf16>, %w: tensor<16x16xbf16>) ->
    (tensor<16x16xf32>, tensor<16x16xbf16>, tensor<8xf32>, tensor<16x16xf32>) {
  %0 = ptir.dot_general %x, %w contract [1] x [0] accum f32 out f32
     : (tensor<16x16xbf16>, tensor<16x16xbf16>) -> tensor<16x16xf32>
  %c = ptir.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]> : tensor<8xf32>
  func.return %0, %x, %c, %0 : tensor<16x16xf32>, tensor<16x16xbf16>, tensor<8xf32>, tensor<16x16xf32>
}"""
"""A program whose results are a computed value, an argument, a constant, and the first value again."""
KERNELS = """
extern "C" __global__ void first(const float* x, float* between, int* count) {
  between[threadIdx.x] = 2 * x[threadIdx.x] + atomicAdd(count + threadIdx.x, 1);
  count[threadIdx.x] = 0;
}
extern "C" __global__ void second(const float* between, const float* c, float* y) {
  y[threadIdx.x] = between[threadIdx.x] + c[threadIdx.x];
}"""
"""Two kernels that compute y = 2·x + c, with a buffer between them and counters."""


@pytest.fixture
def driver(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> FakeDriver:
    monkeypatch.setenv("PTIR_CACHE_DIR", str(tmp_path / "cache"))
    return FakeDriver().install(monkeypatch)


def operands(seed: int = 0) -> tuple[Any, Any, Any]:
    """Returns small integers, whose matrix product is exact in any order."""
    r = np.random.default_rng(seed)
    x, w = (r.integers(-4, 5, sizes).astype(ml_dtypes.bfloat16) for sizes in ((ROWS, DEPTH), (DEPTH, COLUMNS)))
    return x, w, x.astype(np.float32) @ w.astype(np.float32)


def flush(driver: FakeDriver) -> None:
    for ordinal in (0, 1):
        driver.contexts.append(ordinal)
        driver.cuCtxSynchronize()
        driver.contexts.pop()


@pytest.fixture
def two(monkeypatch: pytest.MonkeyPatch, driver: FakeDriver) -> Any:
    """Returns a program that calls y = 2·x + c, whose host function is built from its ops."""
    from xdsl.dialects.builtin import MemRefType, f32, i32
    from xdsl.dialects.func import FuncOp

    from ptir.runtime import execute as executing
    from ptir.runtime.host import Buffer, Host
    from ptir.runtime.steps import Allocate, Body, Step

    t = MemRefType(f32, [32])
    constant = np.arange(32, dtype=np.float32)
    buffers = (
        Buffer("argument", t),
        Buffer("fresh", t),
        Buffer("zeros", MemRefType(i32, [32])),
        Buffer("constant", t, constant),
        Buffer("fresh", t),
    )
    function = FuncOp("two", ([t], [t]))
    first = Launch("first", (1, 1, 1), (32, 1, 1), 0, frozenset({1}), frozenset(), frozenset({2}))
    second = Launch("second", (1, 1, 1), (32, 1, 1), 0, frozenset({2}))
    op: Any = None
    steps = (
        Allocate(makes=(1,)),
        Step(reads=(0, 1, 2), launch=first, op=op),
        Allocate(makes=(4,)),
        Step(reads=(1, 3, 4), launch=second, op=op),
    )
    monkeypatch.setattr(executing, "read_host", lambda *_: Host(function, buffers, Body((0,), steps, (4,)), (2, 3)))
    monkeypatch.setattr(executing, "entry_function", lambda *_: function)
    program = SimpleNamespace(binary=compile_cuda(KERNELS, "sm_80"), module=None, origins=())
    return executing.Executable(program)  # type: ignore[arg-type]


# --- NumPy arrays -------------------------------------------------------------------------------------------


def test_numpy_in_numpy_out(driver: FakeDriver):
    compiled = ptir.compile(PRODUCT)
    for seed in range(3):
        x, w, want = operands(seed)
        (y,) = compiled(x, w)
        assert isinstance(y, np.ndarray)
        np.testing.assert_array_equal(y, want)
    assert isinstance(compiled.device, Gpu) and driver.launched == ["f_0"] * 3 and driver.loaded == 1
    assert not driver.contexts
    compiled.close()
    assert not driver.memory and driver.loaded == 0
    np.testing.assert_array_equal(compiled(x, w)[0], want)


def test_numpy_out(driver: FakeDriver):
    x, w, want = operands()
    for device in (Gpu(), Emulator()):
        y = np.zeros((ROWS, COLUMNS), np.float32)
        results = ptir.compile(PRODUCT, device=device)(x, w, out=y)
        assert results == (y,) or results[0] is y
        np.testing.assert_array_equal(y, want)


def test_numpy_arrays_are_waited_for_in_the_given_stream(driver: FakeDriver):
    x, w, want = operands()
    stream = Stream(driver)
    (y,) = ptir.compile(PRODUCT)(x, w, stream=stream)
    np.testing.assert_array_equal(y, want)
    assert driver.streams[0, stream.handle].last is not None


def test_tensors_of_the_host_run_in_the_emulator_and_on_a_gpu(driver: FakeDriver):
    x, w, want = operands()
    out = HostTensor(np.zeros((ROWS, COLUMNS), np.float32))
    for device in (Emulator(), Gpu()):
        compiled = ptir.compile(PRODUCT, device=device)
        (y,) = compiled(HostTensor(x), HostTensor(w))
        assert isinstance(y, np.ndarray)
        np.testing.assert_array_equal(y, want)
        compiled(HostTensor(x), w, out=out)
        np.testing.assert_array_equal(out.values, want)


@pytest.mark.parametrize("kind", ["emulator", "numpy", "device"])
def test_results_of_every_origin(driver: FakeDriver, kind: str):
    r = np.random.default_rng(0)
    x, w = (r.integers(-4, 5, (16, 16)).astype(ml_dtypes.bfloat16) for _ in range(2))
    want = x.astype(np.float32) @ w.astype(np.float32)
    arrays: Any = (x, w) if kind != "device" else (ptir.to_device(x), ptir.to_device(w))
    compiled = ptir.compile(MANY, device=Emulator() if kind == "emulator" else Gpu())
    for _ in range(2):
        first, argument, constant, again = compiled(*arrays)
        assert argument is arrays[0] and again is first
        values = [a.numpy() if kind == "device" else a for a in (first, constant)]
        np.testing.assert_array_equal(values[0], want)
        np.testing.assert_array_equal(values[1], np.arange(1, 9))
    types = [np.float32, ml_dtypes.bfloat16, np.float32, np.float32]
    outs: Any = [np.zeros((16, 16) if k != 2 else 8, t) for k, t in enumerate(types)]
    outs = outs if kind != "device" else [ptir.to_device(o) for o in outs]
    given = compiled(*arrays, out=outs)
    assert all(a is b for a, b in zip(given, outs, strict=True))
    values = [o.numpy() if kind == "device" else o for o in outs]
    for got, wanted in zip(values, (want, x, np.arange(1, 9), want), strict=True):
        np.testing.assert_array_equal(got.astype(np.float32), wanted.astype(np.float32))
    constant = compiled(*arrays)[2]  # a returned constant is the caller's own
    if kind == "device":
        constant.numpy()
        driver.memory[constant.memory.pointer][:] = 0
        np.testing.assert_array_equal(compiled(*arrays)[2].numpy(), np.arange(1, 9))
    else:
        constant[...] = 0
        np.testing.assert_array_equal(compiled(*arrays)[2], np.arange(1, 9))


# --- arrays of a GPU ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [DlpackArray, "ours"])
def test_device_arrays_in_and_out(driver: FakeDriver, kind: Any):
    compiled = ptir.compile(PRODUCT)
    for seed in range(3):
        x, w, want = operands(seed)
        arrays = [ptir.to_device(a, 1) if kind == "ours" else kind(driver, a, ordinal=1) for a in (x, w)]
        (y,) = compiled(*arrays)
        assert isinstance(y, DeviceArray) and (y.shape, y.dtype) == (want.shape, want.dtype)
        assert y.device == "cuda:1" and compiled.device.ordinal == 1
        assert len(driver.launched) == seed, "a call must not wait"
        np.testing.assert_array_equal(y.numpy(), want)
    assert driver.loaded == 1 and not driver.contexts
    del y, arrays
    compiled.close()
    flush(driver)
    assert kind != "ours" or not driver.memory


def test_inputs_are_waited_for_and_results_are_in_order(driver: FakeDriver):
    """Inputs are still being made in another stream; the result is read in a third one."""
    x, w, want = operands()
    theirs, ours, last = (Stream(driver) for _ in range(3))
    tensors = [DlpackArray(driver, np.zeros_like(a), home=theirs.handle).produce(a) for a in (x, w)]
    (y,) = ptir.compile(PRODUCT)(*tensors, stream=ours)
    assert [t.asked for t in tensors] == [[ours.handle]] * 2 and y.stream == ours.handle
    out = np.zeros_like(want)
    gpu = Gpu()
    capsule = y.__dlpack__(stream=last.handle)
    with gpu.current():
        gpu.download(out, y.memory.pointer, last.handle)
        del y, capsule
        gpu.synchronize(last.handle)
    np.testing.assert_array_equal(out, want)


def test_the_interface_works_where_dlpack_is_missing(driver: FakeDriver, two: Any):
    x = np.arange(32, dtype=np.float32)
    stream = Stream(driver)
    array = InterfaceArray(driver, x, stream=stream.handle)
    (y,) = two([array], Gpu())
    assert y.stream == stream.handle
    np.testing.assert_array_equal(y.numpy(), 2 * x + np.arange(32))


def test_the_library_s_current_stream_is_used(driver: FakeDriver, monkeypatch: pytest.MonkeyPatch):
    x, w, want = operands()
    stream = Stream(driver)
    cuda = SimpleNamespace(current_stream=lambda ordinal: SimpleNamespace(cuda_stream=stream.handle))
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(cuda=cuda))
    tensor = library("torch")
    (y,) = ptir.compile(PRODUCT)(tensor(driver, x), tensor(driver, w))
    assert y.stream == stream.handle
    np.testing.assert_array_equal(y.numpy(), want)


def test_results_go_where_the_caller_says(driver: FakeDriver):
    x, w, want = operands()
    compiled = ptir.compile(PRODUCT)
    for out in (DlpackArray(driver, np.zeros_like(want)), InterfaceArray(driver, np.zeros_like(want)),
                ptir.to_device(np.zeros_like(want))):  # fmt: skip
        before = len(driver.memory)
        assert compiled(DlpackArray(driver, x), DlpackArray(driver, w), out=[out]) == (out,)
        assert len(driver.memory) - before <= 2  # the memory of the inputs
        flush(driver)
        values = out.numpy() if not isinstance(out, InterfaceArray) else out.inner.values
        np.testing.assert_array_equal(values, want)


def test_an_output_is_written_after_what_still_reads_it(driver: FakeDriver):
    x, w, want = operands()
    one, other = Stream(driver), Stream(driver)
    compiled = ptir.compile(PRODUCT)
    out = ptir.to_device(np.full_like(want, 7))
    copy = np.zeros_like(want)
    gpu = Gpu()
    out.used_in(one.handle)
    out.stream = one.handle
    with gpu.current():
        gpu.download(copy, out.memory.pointer, one.handle)
    compiled(ptir.to_device(x), ptir.to_device(w), out=out, stream=other)
    np.testing.assert_array_equal(out.numpy(), want)
    assert (copy == 7).all()


@pytest.mark.parametrize("concurrent", [False, True])
def test_calls_share_their_buffers_in_turns(driver: FakeDriver, two: Any, concurrent: bool):
    """Two kernels with a buffer between them, in two streams that nobody else orders."""
    x = np.arange(32, dtype=np.float32)
    streams = [Stream(driver), Stream(driver)]
    inputs = [ptir.to_device(x + 100 * k) for k in range(6)]
    two([inputs[0]], Gpu())
    held = len(driver.memory)
    driver.concurrent = concurrent
    results = [two([a], Gpu(), stream=streams[k % 2])[0] for k, a in enumerate(inputs)]
    assert len(driver.memory) == held + len(results)  # nothing but the results is new
    for k in (5, 0, 2, 4, 1, 3):
        np.testing.assert_array_equal(results[k].numpy(), 2 * (x + 100 * k) + np.arange(32))
    assert driver.loaded == 1
    del results
    two.close()
    flush(driver)
    assert len(driver.memory) == len(inputs)


def test_buffers_go_back_when_the_last_call_is_done_with_them(driver: FakeDriver, two: Any):
    x = np.arange(32, dtype=np.float32)
    array = ptir.to_device(x)
    (y,) = two([array], Gpu(), stream=Stream(driver))
    two._loaded.clear()
    driver.contexts.append(0)
    driver.cuStreamSynchronize(LEGACY)  # the stream in which they are freed
    driver.contexts.pop()
    assert len(driver.memory) == 2, "only the argument and the result are left"
    np.testing.assert_array_equal(y.numpy(), 2 * x + np.arange(32))


def test_a_buffer_of_zeros_that_is_no_counter_is_cleared(driver: FakeDriver):
    from xdsl.dialects.builtin import MemRefType, f32
    from xdsl.dialects.func import FuncOp

    from ptir.runtime.gpu_program import GpuProgram
    from ptir.runtime.host import Buffer, Host
    from ptir.runtime.steps import Allocate, Body, Step

    t = MemRefType(f32, [32])
    op: Any = None
    add = 'extern "C" __global__ void add(const float* x, float* sum) { sum[threadIdx.x] += x[threadIdx.x]; }'
    launch = Launch("add", (1, 1, 1), (32, 1, 1), 0, frozenset({1}))
    buffers = (Buffer("argument", t), Buffer("zeros", t))
    gpu = Gpu()
    ones, nines = np.ones(32, np.float32), np.full(32, 9, np.float32)
    steps = (Allocate(makes=(1,), zero=True), Step(reads=(0, 1), launch=launch, op=op))
    for results in ((), (1,)):
        host = Host(FuncOp("f", ([t], [])), buffers, Body((0,), steps, results))
        with gpu.current():
            program = GpuProgram(gpu, compile_cuda(add, "sm_80"), host, lambda _: None)
            x, y = gpu.upload(ones, LEGACY), gpu.upload(nines, LEGACY)
            found: list[int] = []
            for _ in range(2):
                program.run([x.pointer], {1: y.pointer} if results else {}, LEGACY, found.extend)
            assert found == [y.pointer] * 2 * len(results)
            where = y.pointer if results else program.scratch.arenas[0].memory.pointer
            out = np.zeros(32, np.float32)
            gpu.download(out, where, LEGACY)
            gpu.synchronize(LEGACY)
        assert (out == 1).all()


# --- what is refused --------------------------------------------------------------------------------------------


def test_arrays_in_different_places(driver: FakeDriver):
    x, w, want = operands()
    compiled = ptir.compile(PRODUCT)
    on = [ptir.to_device(w, k) for k in (0, 1)]
    with pytest.raises(WrongDevice, match="argument 1 of @f is on cuda:0, but argument 0 is on the host") as caught:
        compiled(x, on[0])
    assert str(caught.value) == (
        "<string>:2:1: error[PTIR0534]: argument 1 of @f is on cuda:0, but argument 0 is on the host\n"
        "  help: move them to one device: ptir.to_device(array, 0) copies to a GPU, .numpy() to the host"
    )
    assert caught.value.code == "PTIR0534" and "ptir.to_device" in caught.value.help
    with pytest.raises(WrongDevice, match="argument 1 of @f is on cuda:1, but argument 0 is on cuda:0"):
        compiled(ptir.to_device(x), on[1])
    with pytest.raises(WrongDevice, match=r"out\[0\] of @f is on the host, but argument 0 is on cuda:1"):
        compiled(ptir.to_device(x, 1), on[1], out=want)
    with pytest.raises(WrongDevice, match="is on cuda:1, but the program runs on cuda:0"):
        ptir.compile(PRODUCT, device=Gpu(0))(ptir.to_device(x, 1), on[1])
    with pytest.raises(WrongDevice, match="is on cuda:0, but the program runs on the emulator"):
        ptir.compile(PRODUCT, device=Emulator())(ptir.to_device(x), on[0])
    assert not driver.launched


def test_arrays_that_do_not_fit(driver: FakeDriver):
    x, w, _ = operands()
    compiled = ptir.compile(PRODUCT)
    good = DlpackArray(driver, w)
    for array, problem in (
        (x.astype(np.float32), "has element type float32, but the signature says bfloat16"),
        (x.T, r"has shape \[40, 16\]"),
        (x.reshape(ROWS // 2, DEPTH * 2)[:, :DEPTH], "has shape"),
    ):
        with pytest.raises(BadArgument, match=f"argument 0 of @f {problem}"):
            compiled(DlpackArray(driver, array), good)
    bad = DlpackArray(driver, x)
    bad.values = bad.values.reshape(DEPTH, ROWS).T
    with pytest.raises(BadArgument, match="argument 0 of @f is not C-contiguous") as caught:
        compiled(bad, good)
    assert str(caught.value) == (
        "<string>:2:1: error[PTIR0532]: argument 0 of @f is not C-contiguous\n"
        "  help: the signature is row-major: declare the transposed shape and transpose in the program"
    )
    room = DlpackArray(driver, np.zeros(x.nbytes + 16, np.uint8))
    room.values = room.values[2 : 2 + x.nbytes].view(ml_dtypes.bfloat16).reshape(x.shape)
    with pytest.raises(BadArgument, match="argument 0 of @f is not aligned to 16 bytes"):
        compiled(room, good)
    with pytest.raises(BadArgument, match="argument 1 of @f is missing"):
        compiled(DlpackArray(driver, x))
    with pytest.raises(BadArgument, match="argument 0 of @f is a list"):
        compiled([1], good)
    assert not driver.launched


@pytest.mark.parametrize("place", ["host", "device"])
def test_outputs_that_do_not_fit(driver: FakeDriver, place: str):
    x, w, want = operands()
    there = (lambda a: a) if place == "host" else lambda a: DlpackArray(driver, a)
    compiled = ptir.compile(PRODUCT, device=Emulator() if place == "host" else Gpu())
    arrays = there(x), there(w)
    with pytest.raises(BadOutput, match=r"out\[0\] of @f has shape") as caught:
        compiled(*arrays, out=there(want.T.copy()))
    assert caught.value.code == "PTIR0537"
    with pytest.raises(BadOutput, match=r"out\[1\] of @f is one too many") as caught:
        compiled(*arrays, out=[there(want), there(want)])
    assert str(caught.value) == (
        "<string>:2:1: error[PTIR0537]: out[1] of @f is one too many\n  help: it returns 1 result, got 2"
    )
    with pytest.raises(BadOutput, match=r"out\[0\] of @f is missing"):
        compiled(*arrays, out=[])
    if place == "host":
        fixed = want.copy()
        fixed.flags.writeable = False
        with pytest.raises(BadOutput, match=r"out\[0\] of @f is read-only"):
            compiled(*arrays, out=fixed)


@pytest.mark.parametrize("place", ["host", "device"])
def test_an_output_must_not_be_an_input(driver: FakeDriver, place: str):
    compiled = ptir.compile(MANY, device=Emulator() if place == "host" else Gpu())
    room = np.zeros((3, 16, 16), ml_dtypes.bfloat16)
    whole = DlpackArray(driver, room)
    base = room if place == "host" else whole.values

    def part(k: int) -> Any:
        if place == "host":
            return base[k]
        view = DlpackArray(driver, room[k])
        view.values = whole.values[k]
        return view

    types = [np.float32, None, np.float32, np.float32]
    outs: list[Any] = [np.zeros((16, 16) if k != 2 else 8, t or ml_dtypes.bfloat16) for k, t in enumerate(types)]
    if place == "device":
        outs = [DlpackArray(driver, o) for o in outs]
    outs[1] = part(1)
    with pytest.raises(BadOutput, match=r"out\[1\] of @f shares memory with another array"):
        compiled(part(0), part(1), out=outs)
    outs[1] = part(2)
    compiled(part(0), part(1), out=outs)
    outs[3] = outs[0]
    with pytest.raises(BadOutput, match=r"out\[3\] of @f shares memory"):
        compiled(part(0), part(1), out=outs)


def test_streams_that_make_no_sense(driver: FakeDriver):
    x, w, _ = operands()
    with pytest.raises(BadStream, match="cannot be used: the emulator has no streams") as caught:
        ptir.compile(PRODUCT, device=Emulator())(x, w, stream=1)
    assert str(caught.value) == (
        "error[PTIR0536]: the stream cannot be used: the emulator has no streams\n"
        "  help: give the handle as an int, or an object with __cuda_stream__, such as a stream of cuda.core, CuPy or PyTorch"
    )
    with pytest.raises(BadStream, match="is a str"):
        ptir.compile(PRODUCT)(ptir.to_device(x), ptir.to_device(w), stream="main")


def test_a_stream_that_is_captured_is_left_alone(driver: FakeDriver):
    x, w, _ = operands()
    compiled = ptir.compile(PRODUCT)
    arrays = ptir.to_device(x), ptir.to_device(w)
    gpu = Gpu()
    with gpu.current():
        stream = driver.cuStreamCreate(1)[1]
        driver.cuStreamBeginCapture(stream, real.CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_THREAD_LOCAL)
    for call in (arrays, (x, w)):
        with pytest.raises(CannotRecord, match="@f is called in a stream that is being captured") as caught:
            compiled(*call, stream=int(stream))
        assert "compiled.graph" in caught.value.help
    assert driver.streams[0, int(stream)].captured == []


def test_a_chip_that_cannot_run_it(driver: FakeDriver, monkeypatch: pytest.MonkeyPatch):
    x, w, want = operands()
    monkeypatch.setitem(fake_driver.ATTRIBUTES, "COMPUTE_CAPABILITY_MAJOR", 9)
    np.testing.assert_array_equal(ptir.run(PRODUCT, x, w)[0], want)  # the driver compiles the PTX
    monkeypatch.setitem(fake_driver.ATTRIBUTES, "COMPUTE_CAPABILITY_MAJOR", 7)
    message = r"Fake GPU 80GB \(sm_70\) cannot run a program compiled for sm_80"
    with pytest.raises(WrongChip, match=message) as caught:
        ptir.run(PRODUCT, x, w)
    assert str(caught.value) == (
        "error[PTIR0535]: Fake GPU 80GB (sm_70) cannot run a program compiled for sm_80\n"
        "  help: compile for it: ptir.compile(…, arch=…), ptir-run --arch"
    )
    assert caught.value.code == "PTIR0535" and not driver.contexts


def test_a_failure_of_the_driver_has_its_name(driver: FakeDriver, monkeypatch: pytest.MonkeyPatch):
    x, w, _ = operands()
    compiled = ptir.compile(PRODUCT)
    full = (real.CUresult.CUDA_ERROR_OUT_OF_MEMORY, None)
    monkeypatch.setattr(driver, "cuMemAllocAsync", lambda *_: full)
    with pytest.raises(DriverFailure, match=r"cuMemAllocAsync: CUDA_ERROR_OUT_OF_MEMORY \(as the fake") as caught:
        compiled(x, w)
    assert str(caught.value) == "error[PTIR0533]: cuMemAllocAsync: CUDA_ERROR_OUT_OF_MEMORY (as the fake driver says)"
    assert caught.value.code == "PTIR0533" and not driver.contexts


def test_without_a_driver_the_emulator_is_offered(monkeypatch: pytest.MonkeyPatch, driver: FakeDriver):
    x, w, want = operands()
    (y,) = ptir.run(PRODUCT, x, w, device=ptir.Emulator())
    np.testing.assert_array_equal(y, want)
    with pytest.raises(DeviceUnavailable, match="cuDeviceGet: CUDA_ERROR_INVALID_DEVICE"):
        Gpu(7)

    def missing(*_: Any) -> Any:
        raise RuntimeError("Failed to dlopen libcuda.so.1")

    monkeypatch.setattr(driver, "cuInit", missing)
    with pytest.raises(DeviceUnavailable, match="no GPU can be used: Failed to dlopen") as caught:
        Gpu()
    assert str(caught.value) == (
        "error[PTIR0530]: no GPU can be used: Failed to dlopen libcuda.so.1\n"
        "  help: use the emulator, which needs none: --target emulator, or ptir.compile(…, device=ptir.Emulator())"
    )
    assert caught.value.code == "PTIR0530"
    assert "--target emulator" in caught.value.help and "ptir.Emulator()" in caught.value.help
    compiled = ptir.compile(PRODUCT)
    np.testing.assert_array_equal(compiled(x, w)[0], want)
    assert isinstance(compiled.device, Emulator)
    monkeypatch.setattr(driver, "cuInit", lambda _: (real.CUresult.CUDA_ERROR_NO_DEVICE,))
    with pytest.raises(DeviceUnavailable, match="cuInit: CUDA_ERROR_NO_DEVICE"):
        Gpu()


@pytest.mark.campaign
@pytest.mark.sampled(1)
def test_the_command_line_offers_the_emulator(tmp_path: Path):
    program = tmp_path / "f.mlir"
    program.write_text(PRODUCT)
    tool = Path(sys.executable).parent / "ptir-run"
    command = [str(tool), str(program), "--random", "0", "--target"]
    none = os.environ | {"CUDA_VISIBLE_DEVICES": "", "PTIR_CACHE_DIR": str(tmp_path / "cache")}
    done = subprocess.run([*command, "cuda"], capture_output=True, text=True, check=False, env=none)
    assert done.returncode == 1 and not done.stdout and "Traceback" not in done.stderr
    assert "error[PTIR0530]: no GPU can be used: " in done.stderr and "--target emulator" in done.stderr
    done = subprocess.run([*command, "emulator"], capture_output=True, text=True, check=False, env=none)
    assert done.returncode == 0 and "r0: float32[16, 24]" in done.stdout


# --- launches one by one ------------------------------------------------------------------------------------------


def test_a_launch_on_host_arrays(driver: FakeDriver):
    """Launches as `benchmarks/micro.py` does; counters are zero again afterwards."""
    binary = compile_cuda(KERNELS, "sm_80")
    gpu = Gpu()
    x, y, count = np.arange(32, dtype=np.float32), np.zeros(32, np.float32), np.zeros(32, np.int32)
    launch = Launch("first", (1, 1, 1), (32, 1, 1), 0, frozenset({1}), counters=frozenset({2}))
    gpu.run(binary, launch, [x, y, count])
    np.testing.assert_array_equal(y, 2 * x)
    count[3] = 5
    gpu.run(binary, launch, [x, y, count])
    assert y[3] == 2 * 3 + 5 and count[3] == 0
    flush(driver)
    assert not driver.memory and not driver.contexts and driver.loaded == 1
    gpu.unload(binary)
    assert driver.loaded == 0


def test_shared_memory_grid_and_block_are_as_the_launch_says(driver: FakeDriver, monkeypatch: pytest.MonkeyPatch):
    source = """
extern "C" __global__ void k(int* y) {
  extern __shared__ int s[];
  const int thread = threadIdx.x + 32 * (threadIdx.y + 2 * threadIdx.z);
  s[15000 + thread] = blockIdx.x + 10 * blockIdx.y + 100 * blockIdx.z;
  y[thread + 128 * (blockIdx.x + 2 * (blockIdx.y + 3 * blockIdx.z))] = s[15000 + thread];
}"""
    binary = compile_cuda(source, "sm_80")
    y = np.zeros((4, 3, 2, 2, 2, 32), np.int32)
    calls: list[Any] = []
    kept = driver._run  # pyright: ignore[reportPrivateUsage]
    monkeypatch.setattr(driver, "_run", lambda *call: (calls.append(call), kept(*call)))
    Gpu().run(binary, Launch("k", (2, 3, 4), (32, 2, 2), 61440, frozenset({0})), [y])
    want = np.arange(4)[:, None, None] * 100 + np.arange(3)[:, None] * 10 + np.arange(2)
    np.testing.assert_array_equal(y, np.broadcast_to(want[..., None, None, None], y.shape))
    assert calls[0][2:6] == ((2, 3, 4), (32, 2, 2), (1, 1, 1), 61440)


def test_clusters_are_given_to_the_driver(driver: FakeDriver, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(fake_driver.ATTRIBUTES, "COMPUTE_CAPABILITY_MAJOR", 9)
    binary = compile_cuda('extern "C" __global__ void k(int* y) { y[threadIdx.x] = 1; }', "sm_90a")
    calls: list[Any] = []
    monkeypatch.setattr(driver, "_run", lambda *call: calls.append(call))
    gpu = Gpu()
    y = np.zeros(32, np.int32)
    gpu.run(binary, Launch("k", (8, 4, 2), (32, 1, 1), 0, frozenset({0}), cluster=(4, 2, 1)), [y])
    assert calls[0][2:5] == ((8, 4, 2), (32, 1, 1), (4, 2, 1))
    with pytest.raises(DriverFailure, match="cuLaunchKernelEx"):
        gpu.run(binary, Launch("k", (3, 1, 1), (32, 1, 1), 0, frozenset({0}), cluster=(2, 1, 1)), [y])


# --- graphs -----------------------------------------------------------------------------------------------------


def test_calls_and_graphs_of_a_program_with_dynamic_sizes(driver: FakeDriver):
    dims = ("?x?x{}, #ptir.dims<M, K>", "?x?x{}, #ptir.dims<K, N>", "?x?x{}, #ptir.dims<M, N>")
    a, b, c = (f"tensor<{d.format(t)}>" for d, t in zip(dims, ("bf16", "bf16", "f32"), strict=True))
    compiled = ptir.compile(f"""
    func.func @f(%x: {a}, %w: {b}) -> {c} {{
      %0 = ptir.dot_general %x, %w contract [1] x [0] accum f32 out f32 : ({a}, {b}) -> {c}
      func.return %0 : {c}
    }}""")
    x, w, want = operands()
    for rows in (ROWS, ROWS // 2):
        arrays = DlpackArray(driver, x[:rows].copy()), DlpackArray(driver, w)
        np.testing.assert_array_equal(compiled(*arrays)[0].numpy(), want[:rows])
        graph = compiled.graph(*arrays)
        graph.launch()
        np.testing.assert_array_equal(graph.outputs[0].numpy(), want[:rows])
    assert "compiled for 2 sets" in repr(compiled)
    compiled.close()


def test_a_graph_reads_and_writes_its_arrays_anew(driver: FakeDriver):
    x, w, want = operands()
    compiled = ptir.compile(PRODUCT)
    arrays = DlpackArray(driver, x), DlpackArray(driver, w)
    graph = compiled.graph(*arrays)
    (y,) = graph.outputs
    assert isinstance(y, DeviceArray) and not driver.launched, "recording runs nothing"
    graph.launch()
    np.testing.assert_array_equal(y.numpy(), want)
    other, _, _ = operands(1)
    arrays[0].values[...] = other
    stream = Stream(driver)
    graph.launch(stream)
    assert y.stream == stream.handle
    np.testing.assert_array_equal(y.numpy(), other.astype(np.float32) @ w.astype(np.float32))
    assert driver.launched == ["f_0", "f_0"] and driver.loaded == 1


def test_a_graph_writes_to_the_callers_arrays(driver: FakeDriver):
    x, w, want = operands()
    out = DlpackArray(driver, np.zeros_like(want))
    graph = ptir.compile(PRODUCT).graph(ptir.to_device(x), ptir.to_device(w), out=out)
    assert graph.outputs == (out,)
    graph.launch()
    np.testing.assert_array_equal(out.numpy(), want)


def test_graphs_and_calls_have_buffers_of_their_own(driver: FakeDriver, two: Any):
    """All run at once, in unordered streams."""
    x = np.arange(32, dtype=np.float32)
    inputs = [ptir.to_device(x + 100 * k) for k in range(3)]
    graphs = [two.graph([a], Gpu()) for a in inputs[:2]]
    streams = [Stream(driver) for _ in range(3)]
    driver.concurrent = True
    for graph, stream in zip(graphs, streams, strict=False):
        graph.launch(stream)
    (y,) = two([inputs[2]], Gpu(), stream=streams[2])
    for k, array in ((1, graphs[1].outputs[0]), (2, y), (0, graphs[0].outputs[0])):
        np.testing.assert_array_equal(array.numpy(), 2 * (x + 100 * k) + np.arange(32))


def test_a_graph_is_ready_for_any_stream(driver: FakeDriver, two: Any):
    """Its constants and counters are there, and the work on its arrays was waited for."""
    x = np.arange(32, dtype=np.float32)
    home, other = Stream(driver), Stream(driver)
    array = DlpackArray(driver, np.zeros_like(x), home=home.handle).produce(x)
    out = DlpackArray(driver, np.zeros_like(x), home=other.handle)
    graph = two.graph([array], Gpu(), out=out)
    graph.launch(other)
    np.testing.assert_array_equal(out.numpy(), 2 * x + np.arange(32))


def test_a_graph_copies_what_no_kernel_makes(driver: FakeDriver):
    r = np.random.default_rng(0)
    x, w = (r.integers(-4, 5, (16, 16)).astype(ml_dtypes.bfloat16) for _ in range(2))
    want = x.astype(np.float32) @ w.astype(np.float32)
    arrays = ptir.to_device(x), ptir.to_device(w)
    compiled = ptir.compile(MANY)
    types = [np.float32, ml_dtypes.bfloat16, np.float32, np.float32]
    outs = [ptir.to_device(np.zeros((16, 16) if k != 2 else 8, t)) for k, t in enumerate(types)]
    for graph in (compiled.graph(*arrays, out=outs), compiled.graph(*arrays)):
        graph.launch()
        for got, wanted in zip(graph.outputs, (want, x, np.arange(1, 9), want), strict=True):
            np.testing.assert_array_equal(got.numpy().astype(np.float32), wanted.astype(np.float32))


def test_a_graph_keeps_what_it_needs_and_gives_it_back(driver: FakeDriver, two: Any):
    x = np.arange(32, dtype=np.float32)
    graph = two.graph([ptir.to_device(x)], Gpu())
    flush(driver)
    stream = Stream(driver)
    graph.launch(stream)
    out = graph.outputs[0]
    del graph
    flush(driver)
    np.testing.assert_array_equal(out.numpy(), 2 * x + np.arange(32))
    del out
    two.close()
    flush(driver)
    assert not driver.memory and not driver.contexts


def test_a_graph_needs_arrays_on_a_gpu(driver: FakeDriver):
    x, w, _ = operands()
    with pytest.raises(CannotRecord, match="@f cannot be recorded on arrays of the host") as caught:
        ptir.compile(PRODUCT).graph(x, w)
    assert str(caught.value) == (
        "<string>:2:1: error[PTIR0538]: @f cannot be recorded on arrays of the host\n"
        "  help: a graph has fixed arrays on a GPU: ptir.to_device(array) copies one there"
    )
    assert caught.value.code == "PTIR0538" and "ptir.to_device" in caught.value.help


def test_a_failure_while_recording_ends_the_capture(driver: FakeDriver, monkeypatch: pytest.MonkeyPatch):
    x, w, want = operands()
    compiled = ptir.compile(PRODUCT)
    arrays = ptir.to_device(x), ptir.to_device(w)
    compiled(*arrays)
    launching = driver.cuLaunchKernelEx
    monkeypatch.setattr(driver, "cuLaunchKernelEx", lambda *_: (real.CUresult.CUDA_ERROR_INVALID_VALUE,))
    with pytest.raises(DriverFailure, match="cuLaunchKernelEx"):
        compiled.graph(*arrays)
    assert not driver.contexts and {number for _, number in driver.streams} == {LEGACY}
    monkeypatch.setattr(driver, "cuLaunchKernelEx", launching)
    np.testing.assert_array_equal(compiled(*arrays)[0].numpy(), want)


# --- the fake itself ---


def test_the_fake_takes_what_cuda_python_takes():
    """The numbers of arguments agree with the first lines of cuda-python's docstrings."""
    for name in (n for n in vars(FakeDriver) if n.startswith("cu")):
        head = (getattr(real, name).__doc__ or "").split("\n")[0]
        listed = re.sub(r"\[[^]]*\]", "", head.removeprefix(name + "(").removesuffix(")"))
        want = len(listed.split(",")) if listed else 0
        assert len(inspect.signature(getattr(FakeDriver, name)).parameters) - 1 == want, head


def test_cuda_python_converts_every_argument(driver: FakeDriver, monkeypatch: pytest.MonkeyPatch, two: Any):
    """Each call goes to cuda-python as well, which reads its arguments before it looks for a driver in vain."""
    try:
        real.cuInit(0)
    except RuntimeError:
        pass
    else:
        pytest.skip("there is a driver, which would do all this")
    names: set[str] = set()

    def checked(name: str, method: Any) -> Any:
        def call(*args: Any) -> Any:
            names.add(name)
            plain = [1 if type(a).__module__ == fake_driver.__name__ or type(a) in (str, tuple) else a for a in args]
            with pytest.raises(RuntimeError, match="dlopen"):
                getattr(real, name)(*plain)
            return method(*args)

        return call

    for name in (n for n in vars(FakeDriver) if n.startswith("cu") and n != "cuGetErrorString"):
        monkeypatch.setattr(driver, name, checked(name, getattr(driver, name)))
    x = np.arange(32, dtype=np.float32)
    (y,) = two([x], Gpu())
    np.testing.assert_array_equal(y, 2 * x + np.arange(32))
    stream = Stream(driver)
    graph = two.graph([ptir.to_device(x)], Gpu())
    graph.launch(stream)
    np.testing.assert_array_equal(graph.outputs[0].numpy(), y)
    array = InterfaceArray(driver, x)
    np.testing.assert_array_equal(two([array], Gpu(), stream=stream)[0].numpy(), y)
    del graph
    two.close()
    assert names >= {"cuLaunchKernelEx", "cuMemAllocAsync", "cuMemFreeAsync", "cuMemcpyHtoDAsync", "cuMemcpyDtoHAsync",
                     "cuMemsetD8Async", "cuStreamWaitEvent", "cuGraphInstantiate", "cuModuleUnload"}  # fmt: skip


# --- the rest ---------------------------------------------------------------------------------------------------


def test_execute_takes_arrays_of_a_gpu(driver: FakeDriver):
    x, w, want = operands()
    program = ptir.compile(PRODUCT).program
    (y,) = execute(program, [ptir.to_device(x), ptir.to_device(w)], Gpu())
    np.testing.assert_array_equal(y.numpy(), want)


def test_every_error_has_a_code_and_a_mend(driver: FakeDriver):
    for error in (BadOutput, WrongDevice, CannotRecord, BadStream, WrongChip, DriverFailure, DeviceUnavailable):
        assert issubclass(error, PtirError) and error.code != PtirError.code
