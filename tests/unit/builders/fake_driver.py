"""
A fake of `cuda.bindings.driver` for a machine without a GPU: memory is NumPy's, and kernels run in the emulator.

It has only the functions that this project calls, with the signatures of cuda-python 13 and its types and enums, which need no
driver. Work in a stream runs as late as possible: when the program waits for it. Therefore missing waits, and missing
synchronization between streams, cause wrong results. The fake also checks what a driver checks, and errors by which a driver would
let memory be corrupted: contexts, devices, sizes of copies, destroyed handles, memory that is freed before work on it has run,
tensor maps, and illegal calls during stream capture.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from importlib import import_module
from typing import Any

import numpy as np
from cuda.bindings import driver as real

from ptir.backends.cuda import nvrtc
from ptir.backends.cuda.nvrtc import Binary
from ptir.emulator.engine.launch import launch
from ptir.emulator.isa.parse import parse
from ptir.emulator.memory.memory import Memory
from ptir.emulator.memory.tensor_map import TensorMap

ATTRIBUTES = {
    "COMPUTE_CAPABILITY_MAJOR": 8,
    "COMPUTE_CAPABILITY_MINOR": 0,
    "MAX_SHARED_MEMORY_PER_BLOCK_OPTIN": 166912,
    "L2_CACHE_SIZE": 4096,
}
DEVICES = 2
LEGACY = 1
ELEMENT_BYTES = {"UINT8": 1, "UINT16": 2, "FLOAT16": 2, "BFLOAT16": 2, "UINT32": 4, "INT32": 4, "FLOAT32": 4,
                 "UINT64": 8, "INT64": 8, "FLOAT64": 8, "TFLOAT32": 4}  # fmt: skip
INNERMOST_FIRST = "the driver counts axes from the innermost"


parsed = lru_cache(maxsize=4)(parse)


@dataclass(eq=False)
class Work:
    """An item of work in a stream: its action, the memory that it uses, and the work that must precede it."""

    action: Callable[[], None]
    uses: tuple[int, ...] = ()
    before: list[Work] = field(default_factory=list["Work"])
    done: bool = False

    def finish(self, between: Callable[[], None] = lambda: None) -> None:
        stack = [self]
        while stack:
            waiting = [w for w in stack[-1].before if not w.done]
            if waiting:
                stack += waiting
                continue
            work = stack.pop()
            if not work.done:
                work.done = True
                work.before = []
                work.action()
                between()


@dataclass(eq=False)
class Stream:
    ordinal: int
    last: Work | None = None
    captured: list[Work] | None = None


@dataclass(eq=False)
class Event:
    timing: bool
    record: Work | None = None
    at: float = 0.0
    alive: bool = True


@dataclass(eq=False)
class Graph:
    works: list[Work]
    last: Work | None = None
    alive: bool = True


@dataclass(eq=False)
class Function:
    binary: Binary
    name: str
    ordinal: int
    shared: int = 48 << 10
    loaded: bool = True


class FakeDriver:
    """An object that replaces the module. `binaries` are the programs that NVRTC has compiled, by their cubins and PTX."""

    def __init__(self) -> None:
        self.binaries: dict[bytes, Binary] = {}
        self.memory: dict[int, np.ndarray[Any, Any]] = {}
        self.owner: dict[int, int] = {}
        self.allocated: dict[int, Work | None] = {}
        self.streams: dict[tuple[int, int], Stream] = {}
        self.pending: list[Work] = []
        self.concurrent = False
        """Whether ready work of all other streams runs between any two items of work."""
        self.contexts: list[int] = []
        self.functions: list[Function] = []
        self.maps: list[tuple[int, TensorMap]] = []
        self.launched: list[str] = []
        self.loaded = 0
        self.clock = 0.0
        self.handles = 0x5000
        prototype = ctypes.CFUNCTYPE(
            ctypes.c_int, ctypes.c_void_p, ctypes.c_int, ctypes.c_uint32, ctypes.c_void_p,
            *[ctypes.POINTER(t) for t in (ctypes.c_uint64, ctypes.c_uint64, ctypes.c_uint32, ctypes.c_uint32)],
            *[ctypes.c_int] * 4,
        )  # fmt: skip
        self._encoder = prototype(self._encode_map)

    def __getattr__(self, name: str) -> Any:
        """Returns the types and enums of cuda-python."""
        if name.startswith("CU"):
            return getattr(real, name)
        raise AttributeError(name)

    def install(self, monkeypatch: Any) -> FakeDriver:
        """Replaces the driver, and records the programs that are compiled."""
        from ptir.runtime import driver

        compiler = nvrtc._compile  # pyright: ignore[reportPrivateUsage]

        def compile(*args: Any) -> Binary:
            binary = compiler(*args)
            self.binaries[binary.cubin] = self.binaries[binary.ptx.encode() + b"\0"] = binary
            return binary

        def find(name: str, package: str | None = None) -> Any:
            return self if name == "cuda.bindings.driver" else import_module(name, package)

        monkeypatch.setattr(nvrtc, "_compile", compile)
        monkeypatch.setattr(driver, "import_module", find)
        return self

    def _ok(self, *values: Any) -> tuple[Any, ...]:
        return (real.CUresult.CUDA_SUCCESS, *values)

    # --- devices and contexts ---

    def cuInit(self, flags: int) -> Any:
        assert flags == 0
        return self._ok()

    def cuGetErrorString(self, status: Any) -> Any:
        return self._ok(b"as the fake driver says")

    def cuDeviceGet(self, ordinal: int) -> Any:
        if ordinal >= DEVICES:
            return (real.CUresult.CUDA_ERROR_INVALID_DEVICE, None)
        return self._ok(ordinal)

    def cuDevicePrimaryCtxRetain(self, device: int) -> Any:
        return self._ok(f"context {device}")

    def cuCtxPushCurrent(self, context: str) -> Any:
        self.contexts.append(int(context.split()[1]))
        return self._ok()

    def cuCtxPopCurrent(self) -> Any:
        return self._ok(f"context {self.contexts.pop()}")

    @property
    def here(self) -> int:
        """Returns the device of the current context."""
        assert self.contexts, "no context is current"
        return self.contexts[-1]

    def cuCtxSynchronize(self) -> Any:
        assert not self._capturing()
        for (ordinal, _), stream in self.streams.items():
            if ordinal == self.here and stream.last is not None:
                stream.last.finish()
        return self._ok()

    def cuDeviceGetName(self, size: int, device: int) -> Any:
        return self._ok(b"Fake GPU 80GB\0\0\0")

    def cuDriverGetVersion(self) -> Any:
        return self._ok(13000)

    def cuDeviceGetAttribute(self, attribute: Any, device: int) -> Any:
        return self._ok(ATTRIBUTES[attribute.name.removeprefix("CU_DEVICE_ATTRIBUTE_")])

    # --- streams ---

    def _stream(self, handle: Any) -> Stream:
        number = int(handle)
        if number == LEGACY:
            return self.streams.setdefault((self.here, LEGACY), Stream(self.here))
        assert (self.here, number) in self.streams, f"no stream {number:#x} on device {self.here}"
        return self.streams[self.here, number]

    def _put(self, handle: Any, action: Callable[[], None], uses: Sequence[int] = ()) -> Work:
        """Appends work to a stream or, if the stream is being captured, to its graph."""
        stream = self._stream(handle)
        bases = tuple(self._base(p, stream.ordinal) for p in uses)
        work = Work(action, bases)
        if stream.captured is not None:
            stream.captured.append(work)
            return work
        work.before = [stream.last] if stream.last is not None else []
        work.action = lambda: self._now(action, bases)
        stream.last = work
        self.pending = [w for w in self.pending if not w.done] + [work]
        return work

    def _now(self, action: Callable[[], None], bases: Sequence[int]) -> None:
        for base in bases:
            assert base in self.memory, "memory is used after it was freed"
            made = self.allocated[base]
            assert made is None or made.done, "memory is used before the stream that it comes from has it"
        action()

    def _capturing(self) -> bool:
        return any(s.captured is not None for s in self.streams.values())

    def cuStreamCreate(self, flags: int) -> Any:
        assert flags == int(real.CUstream_flags.CU_STREAM_NON_BLOCKING)
        self.handles += 0x10
        self.streams[self.here, self.handles] = Stream(self.here)
        return self._ok(real.CUstream(self.handles))

    def cuStreamDestroy(self, stream: Any) -> Any:
        assert self._stream(stream).captured is None
        del self.streams[self.here, int(stream)]
        return self._ok()

    def cuStreamSynchronize(self, stream: Any) -> Any:
        found = self._stream(stream)
        assert found.captured is None, "a stream that is captured cannot be waited for"
        if found.last is not None:
            found.last.finish(self._one_more if self.concurrent else lambda: None)
        return self._ok()

    def _one_more(self) -> None:
        """Runs all work that is ready, in every stream."""
        for work in [w for w in self.pending if not w.done and all(b.done for b in w.before)]:
            work.finish()

    def cuStreamWaitEvent(self, stream: Any, event: Event, flags: int) -> Any:
        assert event.alive and flags == 0
        assert self._stream(stream).captured is None, "an event from outside of the capture"
        work = self._put(stream, lambda: None)
        work.before += [event.record] if event.record is not None else []
        return self._ok()

    def cuEventCreate(self, flags: int) -> Any:
        assert self.here is not None
        return self._ok(Event(flags != int(real.CUevent_flags.CU_EVENT_DISABLE_TIMING)))

    def cuEventDestroy(self, event: Event) -> Any:
        assert event.alive
        event.alive = False
        return self._ok()

    def cuEventRecord(self, event: Event, stream: Any) -> Any:
        assert event.alive

        def note() -> None:
            event.at = self.clock

        assert self._stream(stream).captured is None
        event.record = self._put(stream, note)
        return self._ok()

    def cuEventSynchronize(self, event: Event) -> Any:
        if event.record is not None:
            event.record.finish()
        return self._ok()

    def cuEventElapsedTime(self, begin: Event, end: Event) -> Any:
        assert begin.timing and end.timing and begin.record is not None and end.record is not None
        if not (begin.record.done and end.record.done):
            return (real.CUresult.CUDA_ERROR_NOT_READY, None)
        return self._ok(end.at - begin.at)  # a launch takes a millisecond

    # --- memory ---

    def _base(self, pointer: int, ordinal: int) -> int:
        """Returns the address of the allocation that contains `pointer`."""
        for base, data in self.memory.items():
            if base <= pointer < base + max(1, data.size):
                assert self.owner[base] == ordinal, f"memory of device {self.owner[base]} used on device {ordinal}"
                return base
        raise AssertionError(f"{pointer:#x} is not memory of a device")

    def _room(self, pointer: int, size: int) -> np.ndarray[Any, Any]:
        base = self._base(pointer, self.here if self.contexts else self.owner[self._any(pointer)])
        at = pointer - base
        assert at + size <= self.memory[base].size, "a copy that is larger than the memory"
        return self.memory[base][at : at + size]

    def _any(self, pointer: int) -> int:
        return next(b for b, d in self.memory.items() if b <= pointer < b + max(1, d.size))

    def allocate(self, size: int, ordinal: int = 0) -> int:
        """Allocates memory as another library would do, outside of any stream."""
        data = np.full(size + 256, 0xFF, np.uint8)  # stands for uninitialized memory
        base = -(-data.ctypes.data // 256) * 256
        self.memory[base] = data[base - data.ctypes.data :][:size]
        self.owner[base] = ordinal
        self.allocated[base] = None
        return base

    def cuMemGetInfo(self) -> Any:
        return self._ok(1 << 30, 1 << 30)

    def cuMemAllocAsync(self, size: int, stream: Any) -> Any:
        assert size > 0 and self._stream(stream).captured is None
        base = self.allocate(size, self.here)
        self.allocated[base] = self._put(stream, lambda: None)
        return self._ok(real.CUdeviceptr(base))

    def cuMemFreeAsync(self, pointer: Any, stream: Any) -> Any:
        base = int(pointer)
        assert base in self.memory and self._stream(stream).captured is None

        def free() -> None:
            late = [w for w in self.pending if not w.done and base in w.uses]
            assert not late, "memory is freed while work on it is still to run"
            del self.memory[base]

        work = self._put(stream, free)
        work.before += [made] if (made := self.allocated[base]) is not None else []
        return self._ok()

    def cuMemcpyHtoDAsync(self, to: Any, source: int, size: int, stream: Any) -> Any:
        pointer = int(to)
        self._room(pointer, size)
        self._put(stream, lambda: ctypes.memmove(self._room(pointer, size).ctypes.data, source, size), [pointer])
        return self._ok()

    def cuMemcpyDtoHAsync(self, to: int, source: Any, size: int, stream: Any) -> Any:
        pointer = int(source)
        self._room(pointer, size)
        self._put(stream, lambda: ctypes.memmove(to, self._room(pointer, size).ctypes.data, size), [pointer])
        return self._ok()

    def cuMemcpyDtoDAsync(self, to: Any, source: Any, size: int, stream: Any) -> Any:
        pointers = int(to), int(source)

        def copy() -> None:
            self._room(pointers[0], size)[:] = self._room(pointers[1], size)

        self._put(stream, copy, pointers)
        return self._ok()

    def cuMemcpy2DAsync(self, of: Any, stream: Any) -> Any:
        assert of.srcMemoryType == of.dstMemoryType == real.CUmemorytype.CU_MEMORYTYPE_DEVICE
        ends = (int(of.dstDevice), of.dstPitch), (int(of.srcDevice), of.srcPitch)
        width, height = of.WidthInBytes, of.Height
        assert height > 0 and 0 < width <= min(pitch for _, pitch in ends)

        def copy() -> None:
            for row in range(height):
                to, source = (self._room(at + row * pitch, width) for at, pitch in ends)
                to[:] = source

        self._put(stream, copy, [at for at, _ in ends])
        return self._ok()

    def cuMemsetD8Async(self, to: Any, value: int, size: int, stream: Any) -> Any:
        pointer = int(to)
        self._room(pointer, size)
        self._put(stream, lambda: self._room(pointer, size).fill(value), [pointer])
        return self._ok()

    def cuMemHostAlloc(self, size: int, flags: int) -> Any:
        assert flags == real.CU_MEMHOSTALLOC_DEVICEMAP
        return self._ok(self.allocate(size, self.here))

    def cuMemHostGetDevicePointer(self, address: int, flags: int) -> Any:
        assert flags == 0 and self._base(address, self.here) == address
        return self._ok(real.CUdeviceptr(address))

    def cuMemFreeHost(self, address: int) -> Any:
        assert not [w for w in self.pending if not w.done and address in w.uses], "memory is freed while work is to run"
        del self.memory[address]
        return self._ok()

    def cuPointerGetAttribute(self, attribute: Any, pointer: int) -> Any:
        assert attribute is real.CUpointer_attribute.CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL
        return self._ok(self.owner[self._any(int(pointer))])

    # --- modules and launches ---

    def cuModuleLoadData(self, image: bytes) -> Any:
        assert not self._capturing(), "a module cannot be loaded while a stream is captured"
        if image not in self.binaries:
            return (real.CUresult.CUDA_ERROR_INVALID_VALUE, None)
        binary = self.binaries[image]
        here = 10 * ATTRIBUTES["COMPUTE_CAPABILITY_MAJOR"] + ATTRIBUTES["COMPUTE_CAPABILITY_MINOR"]
        chip, one = int(binary.arch[3:].rstrip("a")), binary.arch.endswith("a")
        if image == binary.cubin:
            if chip // 10 != here // 10 or chip > here or (one and chip != here):
                return (real.CUresult.CUDA_ERROR_NO_BINARY_FOR_GPU, None)
        elif chip > here or (one and chip != here):
            return (real.CUresult.CUDA_ERROR_INVALID_PTX, None)
        self.loaded += 1
        return self._ok((self.here, binary))

    def cuModuleUnload(self, module: Any) -> Any:
        assert all(w.done for w in self.pending), "a module is unloaded while work is still to run"
        for function in self.functions:
            function.loaded = function.loaded and (function.ordinal, function.binary) != module
        self.loaded -= 1
        return self._ok()

    def cuModuleGetFunction(self, module: Any, name: bytes) -> Any:
        ordinal, binary = module
        assert name.decode() in binary.kernels
        self.functions.append(Function(binary, name.decode(), ordinal))
        return self._ok(self.functions[-1])

    def cuFuncSetAttribute(self, function: Function, attribute: Any, value: int) -> Any:
        assert attribute is real.CUfunction_attribute.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
        function.shared = value
        return self._ok()

    def cuLaunchKernelEx(self, config: Any, function: Function, parameters: int, extra: int) -> Any:
        assert isinstance(config, real.CUlaunchConfig) and extra == 0
        assert function.loaded and function.ordinal == self.here
        grid = config.gridDimX, config.gridDimY, config.gridDimZ
        block = config.blockDimX, config.blockDimY, config.blockDimZ
        shared, cluster = config.sharedMemBytes, (1, 1, 1)
        assert shared <= function.shared, "more dynamic shared memory than was asked for"
        assert config.numAttrs == len(config.attrs)
        for attribute in config.attrs:
            assert attribute.id is real.CUlaunchAttributeID.CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION
            cluster = tuple(getattr(attribute.value.clusterDim, axis) for axis in "xyz")
        if any(g % c for g, c in zip(grid, cluster, strict=True)):
            return (real.CUresult.CUDA_ERROR_INVALID_VALUE,)
        kernel = parsed(function.binary.ptx).kernels[function.name]
        table = (ctypes.c_uint64 * len(kernel.parameters)).from_address(parameters)
        arguments: list[int | tuple[int, TensorMap]] = []
        for address, parameter in zip(table, kernel.parameters, strict=True):
            value = ctypes.c_uint64.from_address(address).value
            if parameter.size == 128:
                magic, index = (ctypes.c_uint64 * 2).from_address(address)
                assert magic == 0x7E5508 and address % 64 == 0, "no tensor map where the kernel takes one"
                arguments.append(self.maps[index])
            else:
                assert parameter.size == 8
                arguments.append(value)
        call = (function.binary, function.name, grid, block, cluster, shared, arguments)

        def run() -> None:
            self.clock += 1
            self._run(*call)

        self._put(config.hStream, run, [a if isinstance(a, int) else a[0] for a in arguments])
        return self._ok()

    def _run(
        self, binary: Binary, name: str, grid: Any, block: Any, cluster: Any, shared: int, arguments: Sequence[Any]
    ) -> None:
        self.launched.append(name)
        memory = Memory()
        bound: dict[int, int] = {}

        def at(pointer: int) -> int:
            base = self._any(pointer)
            if base not in bound:
                bound[base] = memory.bind(self.memory[base])
            return bound[base] + pointer - base

        args = [at(a) if isinstance(a, int) else _moved(a[1], at(a[0])) for a in arguments]
        module, sizes = parsed(binary.ptx), None if cluster == (1, 1, 1) else cluster
        launch(module, name, grid=grid, block=block, cluster=sizes, args=args, dynamic_shared=shared, memory=memory)

    # --- tensor maps ---

    def cuGetProcAddress(self, symbol: bytes, version: int, flags: int) -> Any:
        assert symbol == b"cuTensorMapEncodeTiled" and version >= 12000 and flags == 0
        found = real.CUdriverProcAddressQueryResult.CU_GET_PROC_ADDRESS_SUCCESS
        return self._ok(ctypes.cast(self._encoder, ctypes.c_void_p).value, found)

    def _encode_map(
        self, out: int, type_: int, rank: int, address: int, sizes: Any, strides: Any, box: Any, steps: Any,
        interleave: int, swizzle: int, promotion: int, fill: int,
    ) -> int:  # fmt: skip
        name = real.CUtensorMapDataType(type_).name.removeprefix("CU_TENSOR_MAP_DATA_TYPE_")
        promoted = real.CUtensorMapL2promotion.CU_TENSOR_MAP_L2_PROMOTION_L2_128B
        if out % 64 or interleave or fill or promotion != promoted or steps[:rank] != [1] * rank:
            return int(real.CUresult.CUDA_ERROR_INVALID_VALUE)
        width, span = ELEMENT_BYTES[name], 16 << swizzle if swizzle else 0
        kind = "tf32" if name == "TFLOAT32" else ""
        t = TensorMap(
            address, width, tuple(sizes[:rank]), tuple(strides[: rank - 1]), tuple(box[:rank]), span, dtype=kind
        )  # it rejects what the driver rejects
        last = sum((n - 1) * s for n, s in zip(t.sizes, (width, *t.strides), strict=True))
        base = self._any(address)
        assert address + last + width <= base + self.memory[base].size, INNERMOST_FIRST
        self.maps.append((address, t))
        (ctypes.c_uint64 * 16).from_address(out)[:] = [0x7E5508, len(self.maps) - 1, *[0] * 14]
        return 0

    # --- graphs ---

    def cuStreamBeginCapture(self, stream: Any, mode: Any) -> Any:
        assert mode is real.CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_THREAD_LOCAL
        assert int(stream) != LEGACY, "the legacy default stream cannot be captured"
        found = self._stream(stream)
        assert found.captured is None
        found.captured = []
        return self._ok()

    def cuStreamIsCapturing(self, stream: Any) -> Any:
        status = real.CUstreamCaptureStatus
        capturing = self._stream(stream).captured is not None
        return self._ok(status.CU_STREAM_CAPTURE_STATUS_ACTIVE if capturing else status.CU_STREAM_CAPTURE_STATUS_NONE)

    def cuStreamEndCapture(self, stream: Any) -> Any:
        found = self._stream(stream)
        works, found.captured = found.captured, None
        assert works is not None
        return self._ok(Graph(works))

    def cuGraphInstantiate(self, graph: Graph, flags: int) -> Any:
        assert graph.alive and flags == 0
        return self._ok(Graph(list(graph.works)))

    def cuGraphDestroy(self, graph: Graph) -> Any:
        graph.alive = False
        return self._ok()

    def cuGraphExecDestroy(self, graph: Graph) -> Any:
        graph.alive = False
        return self._ok()

    def cuGraphLaunch(self, graph: Graph, stream: Any) -> Any:
        assert graph.alive, "the graph was destroyed"
        for number, work in enumerate(graph.works):
            placed = self._put(stream, work.action, work.uses)
            if number == 0 and graph.last is not None:
                placed.before.append(graph.last)
            graph.last = placed
        return self._ok()


def _moved(t: TensorMap, address: int) -> TensorMap:
    return replace(t, address=address)
