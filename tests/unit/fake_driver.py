"""
`cuda.bindings.driver` for a machine without a GPU: memory is NumPy's, kernels run in the emulator.

It has what this project calls, with the signatures of cuda-python 13, checks what a driver checks (sizes of copies,
handles that were destroyed, launches before their module, memory left behind), and nothing more.
"""

from __future__ import annotations

import ctypes
from enum import IntEnum
from typing import Any

import numpy as np

from ptir.backends.cuda import nvrtc
from ptir.backends.cuda.nvrtc import Binary
from ptir.backends.cuda.ptx.launch import launch
from ptir.backends.cuda.ptx.memory import Memory
from ptir.backends.cuda.ptx.parse import parse

ATTRIBUTES = {
    "COMPUTE_CAPABILITY_MAJOR": 8,
    "COMPUTE_CAPABILITY_MINOR": 0,
    "MAX_SHARED_MEMORY_PER_BLOCK_OPTIN": 166912,
    "L2_CACHE_SIZE": 4096,
}


class CUresult(IntEnum):
    CUDA_SUCCESS = 0
    CUDA_ERROR_INVALID_VALUE = 1
    CUDA_ERROR_NO_BINARY_FOR_GPU = 209


class CUstreamCaptureMode(IntEnum):
    CU_STREAM_CAPTURE_MODE_THREAD_LOCAL = 1


class CUstream_flags(IntEnum):
    CU_STREAM_NON_BLOCKING = 1


class CUfunction_attribute(IntEnum):
    CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8


CUdevice_attribute = IntEnum("CUdevice_attribute", [f"CU_DEVICE_ATTRIBUTE_{name}" for name in ATTRIBUTES])  # pyright: ignore


class FakeDriver:
    """The module, as an object. `binaries` are the programs that NVRTC has made, by their cubins."""

    CUresult = CUresult
    CUstreamCaptureMode = CUstreamCaptureMode
    CUstream_flags = CUstream_flags
    CUfunction_attribute = CUfunction_attribute
    CUdevice_attribute = CUdevice_attribute

    def __init__(self) -> None:
        self.binaries: dict[bytes, Binary] = {}
        self.memory: dict[int, np.ndarray[Any, Any]] = {}
        self.recording: list[tuple[Any, ...]] | None = None
        self.launches = 0
        self.clock = 0.0

    def seeing(self, monkeypatch: Any) -> FakeDriver:
        """Stands in for the driver and learns what is compiled."""
        real = nvrtc._compile  # pyright: ignore[reportPrivateUsage]

        def compile(*args: Any) -> Binary:
            binary = real(*args)
            self.binaries[binary.cubin] = binary
            return binary

        monkeypatch.setattr(nvrtc, "_compile", compile)
        return self

    def _ok(self, *values: Any) -> tuple[Any, ...]:
        return (CUresult.CUDA_SUCCESS, *values)

    def cuInit(self, flags: int) -> Any:
        return self._ok()

    def cuDeviceGet(self, ordinal: int) -> Any:
        return self._ok(ordinal)

    def cuDevicePrimaryCtxRetain(self, device: int) -> Any:
        return self._ok("context")

    def cuCtxSetCurrent(self, context: Any) -> Any:
        return self._ok()

    def cuCtxSynchronize(self) -> Any:
        assert self.recording is None
        return self._ok()

    def cuDeviceGetName(self, size: int, device: int) -> Any:
        return self._ok(b"Fake GPU 80GB\0\0\0")

    def cuDriverGetVersion(self) -> Any:
        return self._ok(13000)

    def cuDeviceGetAttribute(self, attribute: Any, device: int) -> Any:
        return self._ok(ATTRIBUTES[attribute.name.removeprefix("CU_DEVICE_ATTRIBUTE_")])

    # --- memory ---

    def cuMemGetInfo(self) -> Any:
        return self._ok(1 << 30, 1 << 30)

    def cuMemAlloc(self, size: int) -> Any:
        assert self.recording is None
        data = np.full(size + 256, 0xFF, np.uint8)  # as random as it gets
        base = -(-data.ctypes.data // 256) * 256
        self.memory[base] = data[base - data.ctypes.data :][:size]
        return self._ok(base)

    def cuMemFree(self, pointer: int) -> Any:
        del self.memory[int(pointer)]
        return self._ok()

    def cuMemcpyHtoD(self, to: int, source: int, size: int) -> Any:
        assert size == self.memory[int(to)].size
        ctypes.memmove(int(to), source, size)
        return self._ok()

    def cuMemcpyDtoH(self, to: int, source: int, size: int) -> Any:
        assert size == self.memory[int(source)].size
        ctypes.memmove(to, int(source), size)
        return self._ok()

    def cuMemcpyDtoD(self, to: int, source: int, size: int) -> Any:
        assert size == self.memory[int(to)].size == self.memory[int(source)].size
        ctypes.memmove(int(to), int(source), size)
        return self._ok()

    # --- modules and launches ---

    def cuModuleLoadData(self, image: bytes) -> Any:
        assert self.recording is None, "a module cannot be loaded while a stream is captured"
        if image not in self.binaries:
            return (CUresult.CUDA_ERROR_INVALID_VALUE, None)
        return self._ok(self.binaries[image])

    def cuModuleGetFunction(self, module: Binary, name: bytes) -> Any:
        assert name.decode() in module.kernels
        return self._ok((module, name.decode()))

    def cuFuncSetAttribute(self, function: Any, attribute: Any, value: int) -> Any:
        return self._ok()

    def cuLaunchKernel(self, function: Any, *rest: Any) -> Any:
        *sizes, shared, _, addresses, _ = rest
        binary, name = function
        count = len(parse(binary.ptx).kernels[name].parameters)
        table = (ctypes.c_uint64 * count).from_address(addresses)
        pointers = [ctypes.c_uint64.from_address(address).value for address in table]
        call = (binary, name, tuple(sizes[:3]), tuple(sizes[3:]), shared, pointers)
        if self.recording is not None:
            self.recording.append(call)
        else:
            self.clock += 1
            self._run(*call)
        return self._ok()

    def _run(self, binary: Binary, name: str, grid: Any, block: Any, shared: int, pointers: list[int]) -> None:
        self.launches += 1
        memory = Memory()
        args = [memory.bind(self.memory[p]) for p in pointers]
        launch(parse(binary.ptx), name, grid=grid, block=block, args=args, dynamic_shared=shared, memory=memory)

    # --- streams, events, graphs ---

    def cuStreamCreate(self, flags: int) -> Any:
        return self._ok("stream")

    def cuStreamSynchronize(self, stream: Any) -> Any:
        return self._ok()

    def cuStreamBeginCapture(self, stream: Any, mode: CUstreamCaptureMode) -> Any:
        assert isinstance(mode, CUstreamCaptureMode) and self.recording is None
        self.recording = []
        return self._ok()

    def cuStreamEndCapture(self, stream: Any) -> Any:
        graph, self.recording = self.recording, None
        assert graph
        return self._ok(graph)

    def cuGraphInstantiate(self, graph: Any, flags: int) -> Any:
        return self._ok(list(graph))

    def cuGraphDestroy(self, graph: Any) -> Any:
        graph.clear()
        return self._ok()

    def cuGraphLaunch(self, graph: Any, stream: Any) -> Any:
        assert graph, "the graph was destroyed"
        self.clock += len(graph)
        self._run(*graph[-1])  # one of them will do
        return self._ok()

    def cuGraphExecDestroy(self, graph: Any) -> Any:
        graph.clear()
        return self._ok()

    def cuEventCreate(self, flags: int) -> Any:
        return self._ok([0.0])

    def cuEventRecord(self, event: Any, stream: Any) -> Any:
        event[0] = self.clock
        return self._ok()

    def cuEventSynchronize(self, event: Any) -> Any:
        return self._ok()

    def cuEventElapsedTime(self, begin: Any, end: Any) -> Any:
        return self._ok(end[0] - begin[0])  # a millisecond a launch
