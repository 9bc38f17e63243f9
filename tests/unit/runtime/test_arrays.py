"""Exchange of arrays with other libraries, in both directions: without copies, and synchronized by streams."""

from __future__ import annotations

import ctypes
import gc
import weakref
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from cuda.core.utils import StridedMemoryView

import ptir
from ptir.runtime import dlpack
from ptir.runtime.arrays import Unfit, check, on_host, ordinal_of, overlapping, view_of_host, view_on_device
from ptir.runtime.context import LEGACY
from ptir.runtime.driver import DeviceUnavailable, DriverFailure
from ptir.runtime.gpu import Gpu, to_device
from ptir.runtime.memory import DeviceArray
from ptir.runtime.streams import BadStream, current_stream, handle
from tests.unit.builders.fake_arrays import (
    LANES,
    OFFSET,
    VERSIONED,
    DlpackArray,
    HostTensor,
    InterfaceArray,
    Stream,
    address,
    library,
)
from tests.unit.builders.fake_driver import FakeDriver


@pytest.fixture
def driver(monkeypatch: pytest.MonkeyPatch) -> FakeDriver:
    return FakeDriver().install(monkeypatch)


def seen(array: Any, ordinal: int = 0, stream: int = LEGACY) -> Any:
    gpu = Gpu(ordinal)
    with gpu.current():
        return view_on_device(array, ordinal, gpu, stream)


# --- the host -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.float32, np.int8, np.uint64, np.bool_, np.complex64, np.float16])
def test_numpy_tensors_by_dlpack_are_the_same_memory(dtype: Any):
    values = np.arange(24).reshape(2, 3, 4).astype(dtype)
    t = dlpack.read(values.__dlpack__())
    assert (t.pointer, t.shape, t.dtype) == (values.ctypes.data, (2, 3, 4), values.dtype)
    assert t.contiguous and not t.readonly
    assert not dlpack.read(values[:, ::2].__dlpack__()).contiguous
    assert not dlpack.read(values.transpose(1, 0, 2).__dlpack__()).contiguous
    assert dlpack.read(values[:, :1].transpose(1, 0, 2).__dlpack__()).contiguous is False
    assert dlpack.read(values[:1].transpose(1, 0, 2).copy().transpose(1, 0, 2).__dlpack__()).contiguous


@pytest.mark.parametrize("dtype", [ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2])
def test_narrow_floats_of_the_host_are_taken_without_a_copy(dtype: Any):
    values = np.array([[1.5, -2], [0.25, 3]], dtype)
    array = on_host(HostTensor(values))
    assert array.dtype == dtype and array.ctypes.data == values.ctypes.data
    np.testing.assert_array_equal(array, values)
    array[0, 0] = -1
    assert values[0, 0] == -1


@pytest.mark.campaign
def test_the_memory_lives_as_long_as_the_array():
    values = np.arange(1000.0)
    alive = weakref.ref(values)
    part = on_host(HostTensor(values))[10:20]
    del values
    gc.collect()
    assert alive() is not None and part[0] == 10
    del part
    gc.collect()
    assert alive() is None


def test_a_read_only_tensor_cannot_be_written_here():
    array = on_host(HostTensor(np.zeros(4), readonly=True))
    assert not array.flags.writeable and view_of_host(array).readonly


def test_a_transposed_tensor_is_not_taken():
    with pytest.raises(Unfit, match="is not C-contiguous"):
        on_host(HostTensor(np.zeros((3, 4)).T))


def test_shared_memory_is_found():
    """Outputs come last; arguments may share memory with each other. An empty array shares none."""
    room, r = np.zeros(40, np.uint8), np.random.default_rng(0)
    for _ in range(500):
        ranges = [sorted(r.integers(0, 40, 2)) for _ in range(4)]
        first = int(r.integers(0, 5))
        shared = {
            k
            for k, (start, end) in enumerate(ranges)
            for other, (begin, stop) in enumerate(ranges)
            if k != other and max(k, other) >= first and max(start, begin) < min(end, stop)
        }
        found = overlapping([view_of_host(room[start:end]) for start, end in ranges], first)
        assert found is None if not shared else found in shared and found >= first


def test_pinned_memory_is_memory_of_the_host():
    assert ordinal_of(HostTensor(np.zeros(4), kind=3)) is None
    assert ordinal_of(HostTensor(np.zeros(4), kind=13)) == 0


@pytest.mark.parametrize(
    ("array", "problem"),
    [
        ([1.0], "is a list"),
        (HostTensor(np.zeros(4), kind=10), "lies on a device of DLPack type 10"),
    ],
)
def test_what_is_no_array_of_ours(array: Any, problem: str):
    with pytest.raises(Unfit, match=problem):
        ordinal_of(array)


def test_what_the_library_says_is_passed_on():
    class Grad(HostTensor):
        def __dlpack__(self, **more: Any) -> object:
            raise BufferError("Can't export tensors that require gradient, use tensor.detach()")

    with pytest.raises(Unfit, match="require gradient, use tensor"):
        on_host(Grad(np.zeros(4)))

    class Meta(HostTensor):
        def __dlpack_device__(self) -> tuple[int, int]:
            raise ValueError("meta tensors have no device")

    with pytest.raises(Unfit, match="meta tensors have no device"):
        ordinal_of(Meta(np.zeros(4)))


def test_a_mask_is_not_ignored():
    masked = np.ma.masked_array(np.zeros(4, np.float32), mask=[False, True, False, False])
    with pytest.raises(Unfit, match="has a mask"):
        on_host(masked)
    with pytest.raises(ptir.PtirError, match="got a MaskedArray"):
        ptir.reference("func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> { func.return %x : tensor<4xf32> }", masked)


def test_a_used_capsule_and_unknown_types_are_refused():
    capsule = np.zeros(4).__dlpack__()
    np.from_dlpack(type("Once", (), {"__dlpack__": lambda s, **k: capsule, "__dlpack_device__": lambda s: (1, 0)})())
    with pytest.raises(BufferError, match="not a DLPack capsule, or is already used"):
        dlpack.read(capsule)
    tensor = dlpack._Tensor(0, 1, 0, 0, 2, 128, 1, None, None, 0)  # pyright: ignore[reportPrivateUsage]
    managed = dlpack._Managed(tensor, None, None)  # pyright: ignore[reportPrivateUsage]
    new = dlpack._new_capsule(dlpack.ctypes.addressof(managed), b"dltensor", None)  # pyright: ignore
    with pytest.raises(BufferError, match="code 2, bits 128, lanes 1"):
        dlpack.read(new)


def test_every_field_of_a_tensor_counts():
    values = np.arange(8.0)
    capsule = values.__dlpack__(max_version=(1, 0))
    at = address(capsule)
    ctypes.c_uint64.from_address(at + OFFSET).value = 16
    assert dlpack.read(capsule).pointer == values.ctypes.data + 16
    ctypes.c_uint16.from_address(at + LANES).value = 4
    with pytest.raises(BufferError, match="code 2, bits 64, lanes 4"):
        dlpack.read(capsule)
    ctypes.c_uint32.from_address(at - VERSIONED).value = 2
    with pytest.raises(BufferError, match="has DLPack version 2"):
        dlpack.read(capsule)


def test_the_fit_is_checked():
    f32_4x8 = np.dtype(np.float32), (4, 8)
    good = np.zeros((4, 8), np.float32)
    check(view_of_host(good), *f32_4x8)
    wide = np.zeros(33 * 4 + 4, np.uint8)
    skew = wide[4 - wide.ctypes.data % 4 :]
    odd = skew[4 if skew.ctypes.data % 16 == 0 else 0 :][:128].view(np.float32).reshape(4, 8)
    assert odd.ctypes.data % 16
    for array, problem in (
        (good.astype(np.float64), "has element type float64, but the signature says float32"),
        (good.reshape(8, 4), r"has shape \[8, 4\], but the signature says \[4, 8\]"),
        (np.zeros((8, 4), np.float32).T, "is not C-contiguous"),
        (odd, "is not aligned to 16 bytes"),
    ):
        with pytest.raises(Unfit, match=problem):
            check(view_of_host(array), *f32_4x8)
    check(view_of_host(np.zeros(3, np.int32)[1:2]), np.dtype(np.int32), (1,))  # only single elements are read


# --- a GPU ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("old", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, ml_dtypes.bfloat16, ml_dtypes.float8_e5m2])
def test_device_tensors_are_taken_where_they_lie(driver: FakeDriver, dtype: Any, old: bool):
    array = DlpackArray(driver, np.ones((3, 4), dtype), ordinal=1, old=old)
    assert ordinal_of(array) == 1
    view = seen(array, 1)
    assert (view.pointer, view.shape, view.dtype, view.ordinal) == (array.base, (3, 4), np.dtype(dtype), 1)
    assert view.contiguous and not view.readonly and array.asked == [LEGACY]
    array.values = array.values.T
    assert not seen(array, 1).contiguous


def test_the_cuda_array_interface(driver: FakeDriver):
    array = InterfaceArray(driver, np.ones((3, 4), np.float32), ordinal=1)
    assert ordinal_of(array) == 1  # determined by the driver
    view = seen(array, 1)
    assert (view.pointer, view.shape, view.dtype) == (array.inner.base, (3, 4), np.float32)
    assert view.contiguous and not view.readonly and view.owner is array
    for more, contiguous in (({"strides": (16, 4)}, True), ({"strides": (4, 12)}, False), ({"strides": None}, True)):
        assert seen(InterfaceArray(driver, np.ones((3, 4), np.float32), **more)).contiguous is contiguous
    pointer = array.inner.base
    assert seen(InterfaceArray(driver, np.ones((3, 4), np.float32), data=(pointer, True), ordinal=1), 1).readonly
    with pytest.raises(Unfit, match="has a mask"):
        seen(InterfaceArray(driver, np.ones(4), mask=object()))
    view = seen(InterfaceArray(driver, np.ones(4, np.uint16), typestr="<V2"))
    with pytest.raises(Unfit, match="has element type") as caught:
        check(view, np.dtype(ml_dtypes.bfloat16), (4,))
    assert "pass an array with __dlpack__" in caught.value.help
    with pytest.raises(Unfit):
        check(seen(InterfaceArray(driver, np.ones(4, np.uint8))), np.dtype(ml_dtypes.float8_e4m3fn), (4,))


def test_the_interface_s_stream_is_waited_for(driver: FakeDriver):
    theirs, ours = Stream(driver), Stream(driver)
    array = InterfaceArray(driver, np.zeros(4, np.float32), stream=theirs.handle)
    array.inner.produce(np.arange(4))
    gpu = Gpu()
    out = np.zeros(4, np.float32)
    view = seen(array, 0, ours.handle)
    with gpu.current():
        gpu.download(out, view.pointer, ours.handle)
        gpu.synchronize(ours.handle)
    np.testing.assert_array_equal(out, np.arange(4))


def test_without_a_driver_an_interface_cannot_be_placed(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    pointer = {"data": (4096, False), "shape": (4,), "typestr": "<f4", "version": 3}
    with pytest.raises((DeviceUnavailable, DriverFailure)):
        ordinal_of(type("Theirs", (), {"__cuda_array_interface__": pointer})())


# --- ours ---------------------------------------------------------------------------------------------------


def test_a_copy_there_and_back(driver: FakeDriver):
    for values in (np.arange(12, dtype=np.int16).reshape(3, 4), np.array(2.5), np.zeros((2, 2), ml_dtypes.bfloat16)):
        array = to_device(values, 1)
        assert (array.shape, array.dtype, array.device) == (values.shape, values.dtype, "cuda:1")
        np.testing.assert_array_equal(array.numpy(), values)
    strided = np.arange(12).reshape(3, 4).T
    np.testing.assert_array_equal(to_device(strided).numpy(), strided)
    assert repr(array) == "DeviceArray(bfloat16[2, 2] on cuda:1)"
    del array
    Gpu(1)
    flush(driver)
    assert not driver.memory and not driver.contexts


def flush(driver: FakeDriver) -> None:
    for ordinal in (0, 1):
        driver.contexts.append(ordinal)
        driver.cuCtxSynchronize()
        driver.contexts.pop()


@pytest.mark.parametrize("dtype", [np.float32, np.uint8, np.complex64, np.bool_, ml_dtypes.bfloat16])
def test_others_see_it_as_it_is(driver: FakeDriver, dtype: Any):
    array = to_device(np.zeros((2, 5, 3), dtype), 1)
    view = StridedMemoryView.from_dlpack(array, stream_ptr=-1)
    assert (view.ptr, view.shape, view.device_id) == (array.memory.pointer, (2, 5, 3), 1)
    assert view.strides in (None, (15, 3, 1)) and view.dtype == dtype and not view.readonly
    assert view.is_device_accessible
    assert array.__dlpack_device__() == (2, 1)


@pytest.mark.parametrize("version", [None, (0, 8), (1, 0), (1, 3)])
def test_a_capsule_keeps_the_memory_and_nothing_else_does(driver: FakeDriver, version: Any):
    array = to_device(np.arange(4.0))
    pointer = array.memory.pointer
    capsule = array.__dlpack__(max_version=version)
    assert ("versioned" in repr(capsule)) is (version is not None and version[0] == 1)
    t = dlpack.read(capsule)
    assert (t.pointer, t.shape, t.dtype, t.readonly) == (pointer, (4,), np.float64, False)
    del array
    flush(driver)
    assert pointer in driver.memory
    del capsule, t
    flush(driver)
    assert not driver.memory and not dlpack._alive  # pyright: ignore[reportPrivateUsage]


def test_a_consumer_that_takes_the_tensor_frees_it(driver: FakeDriver):
    array = to_device(np.arange(4.0))
    view = StridedMemoryView.from_dlpack(array, stream_ptr=-1)
    del array
    flush(driver)
    assert view.ptr in driver.memory
    del view
    flush(driver)
    assert not driver.memory


def test_it_refuses_what_it_cannot_do(driver: FakeDriver):
    array = to_device(np.arange(4.0))
    with pytest.raises(BufferError, match="lies on cuda:0"):
        array.__dlpack__(dl_device=(1, 0))
    with pytest.raises(BufferError, match="copy=True is not supported"):
        array.__dlpack__(copy=True)
    array.__dlpack__(dl_device=(2, 0), copy=False)
    with pytest.raises(BufferError, match="DLPack has no"):
        to_device(np.zeros(3, "M8[s]")).__dlpack__()


def test_its_interface(driver: FakeDriver):
    array = to_device(np.zeros((2, 3), np.float32))
    want = {"shape": (2, 3), "typestr": "<f4", "data": (array.memory.pointer, False), "strides": None, "stream": 1,
            "version": 3}  # fmt: skip
    assert array.__cuda_array_interface__ == want
    assert not hasattr(to_device(np.zeros(2, ml_dtypes.bfloat16)), "__cuda_array_interface__")


def test_consumers_get_it_in_the_order_of_their_stream(driver: FakeDriver):
    """The consumer copies the array on an unordered stream; the producer frees it immediately."""
    home, theirs = Stream(driver), Stream(driver)
    gpu = Gpu()
    values = np.arange(6.0)
    with gpu.current():
        array = DeviceArray(gpu, gpu.upload(values, home.handle), (6,), values.dtype, home.handle)
    out = np.zeros(6)
    capsule = array.__dlpack__(stream=theirs.handle, max_version=(1, 0))
    with gpu.current():
        gpu.download(out, dlpack.read(capsule).pointer, theirs.handle)
        del array, capsule  # while the copy is in flight
        gpu.synchronize(home.handle)
        gpu.synchronize(theirs.handle)
    np.testing.assert_array_equal(out, values)
    assert not driver.memory


# --- streams ------------------------------------------------------------------------------------------------


def test_handles_of_streams(driver: FakeDriver):
    assert handle(0) == handle(LEGACY) == LEGACY and handle(2) == 2 and handle(0x7F00) == 0x7F00
    stream = Stream(driver)
    assert handle(stream) == stream.handle
    assert handle(type("Default", (), {"__cuda_stream__": lambda self: (0, 0)})()) == LEGACY
    assert handle(type("Torch", (), {"cuda_stream": 0})()) == LEGACY
    assert handle(type("CuPy", (), {"ptr": 0x44})()) == 0x44
    newer = type("Newer", (), {"__cuda_stream__": lambda self: (1, 5)})()
    for wrong, problem in ((-1, "is -1"), (True, "is True"), ("s", "is a str"), (newer, "has version 1")):
        with pytest.raises(BadStream, match=problem):
            handle(wrong)


def test_the_current_stream_of_the_arrays_library(driver: FakeDriver, monkeypatch: pytest.MonkeyPatch):
    import sys
    from types import SimpleNamespace

    torch = SimpleNamespace(
        cuda=SimpleNamespace(current_stream=lambda ordinal: SimpleNamespace(cuda_stream=0x40 + ordinal))
    )
    cupy = SimpleNamespace(cuda=SimpleNamespace(get_current_stream=lambda ordinal: SimpleNamespace(ptr=0x90 + ordinal)))
    monkeypatch.setitem(sys.modules, "torch", torch)
    monkeypatch.setitem(sys.modules, "cupy", cupy)
    plain = DlpackArray(driver, np.zeros(4), ordinal=1)
    tensor = library("torch.nn.parameter")(driver, np.zeros(4), ordinal=1)
    theirs = library("cupy")(driver, np.zeros(4), ordinal=1)
    assert current_stream([plain], 1) == current_stream([], 0) == LEGACY
    assert current_stream([plain, tensor, theirs], 1) == 0x41 and current_stream([theirs, tensor], 1) == 0x91
    assert current_stream([InterfaceArray(driver, np.zeros(4), stream=0x66)], 0) == 0x66
    ours = to_device(np.zeros(4))
    ours.stream = 0x22
    assert current_stream([plain, ours], 0) == 0x22
    torch.cuda.current_stream = lambda ordinal: SimpleNamespace(cuda_stream=0)
    assert current_stream([tensor], 0) == LEGACY
