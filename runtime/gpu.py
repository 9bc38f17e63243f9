"""
One GPU through the driver API of cuda-python: its memory, streams, modules and launches.

cuda.core has objects for all of these. They call the driver from compiled code, so that nothing can be put in its
place, and a `LaunchConfig` with a cluster cannot even be made without one: no test on a machine without a GPU
would see a wrong launch. So the plain functions are called here (`cuLaunchKernelEx`, whose grid counts blocks, not
clusters), and cuda.core's streams and buffers are taken as everybody's are: by `__cuda_stream__` and DLPack.
"""

from __future__ import annotations

import ctypes
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from functools import lru_cache, partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

from ..errors import PtirError, require
from .memory import LEGACY, Event, Memory
from .tensor_maps import encode

if TYPE_CHECKING:
    from ..backends.cuda.nvrtc import Binary
    from .devices import Array, Launch

STATIC_SHARED = 48 * 1024
"""More dynamic shared memory than this has to be asked for."""


class DeviceUnavailable(PtirError):
    code = "PTIR0530"
    template = "no GPU can be used: {reason}"
    mend = "use the emulator, which needs none: --target emulator, or ptir.compile(…, device=ptir.Emulator())"


class DriverFailure(PtirError):
    """A call of the driver failed; after a fault of a kernel all that follow it do."""

    code = "PTIR0533"
    template = "{call}: {status} ({meaning})"


class WrongChip(PtirError):
    code = "PTIR0535"
    template = "{name} (sm_{capability}) cannot run what was compiled for {target}"
    mend = "compile for it: ptir.compile(…, arch=…), ptir-run --arch"


class Driver:
    """The functions of the driver, with their errors as ours. Raises `DeviceUnavailable`."""

    def __init__(self) -> None:
        try:
            self.driver: Any = import_module("cuda.bindings.driver")
        except ImportError as e:
            raise DeviceUnavailable(reason=str(e)) from e
        try:
            self.call("cuInit", 0)
        except RuntimeError as e:  # cuda-python finds no driver to load
            raise DeviceUnavailable(reason=str(e)) from e
        except DriverFailure as e:
            raise DeviceUnavailable(reason=e.message) from e

    def call(self, name: str, *args: Any) -> Any:
        """The value of a call, or a list of them. Raises `DriverFailure`."""
        status, *values = getattr(self.driver, name)(*args)
        self.check(status, name)
        return values[0] if len(values) == 1 else values

    def check(self, status: Any, name: str) -> None:
        if int(status) != 0:
            text = self.driver.cuGetErrorString(status)[1]
            meaning = text.decode() if isinstance(text, bytes) else "unknown"
            raise DriverFailure(call=name, status=getattr(status, "name", int(status)), meaning=meaning)

    def ordinal_of(self, pointer: int) -> int:
        """The GPU that this memory belongs to."""
        which = self.driver.CUpointer_attribute.CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL
        return int(self.call("cuPointerGetAttribute", which, pointer))


class Gpu(Driver):
    """
    A GPU by its number. Launches and copies need its context: `with gpu.current(): …`. Modules stay loaded until
    `unload`. `run` takes host arrays, as the emulator does.
    """

    def __init__(self, ordinal: int = 0) -> None:
        require(ordinal, int, "the number of a GPU", "an int")
        super().__init__()
        self.ordinal = ordinal
        try:
            self.device = self.call("cuDeviceGet", ordinal)
            self.context = self.call("cuDevicePrimaryCtxRetain", self.device)
            text = self.call("cuDeviceGetName", 128, self.device)
        except DriverFailure as e:
            raise DeviceUnavailable(reason=e.message) from e
        self.name: str = text.split(b"\0")[0].decode()
        self._modules: dict[int, tuple[Binary, Any]] = {}
        self._functions: dict[tuple[int, str], tuple[Any, int]] = {}
        self.tensor_map = lru_cache(maxsize=1024)(partial(encode, self))
        """The encoded map of a spec, an address and a size: made once."""

    def attribute(self, name: str) -> int:
        """A number that the driver knows of the GPU: `L2_CACHE_SIZE`."""
        which = getattr(self.driver.CUdevice_attribute, f"CU_DEVICE_ATTRIBUTE_{name}")
        return int(self.call("cuDeviceGetAttribute", which, self.device))

    @property
    def capability(self) -> int:
        """90 for sm_90."""
        return 10 * self.attribute("COMPUTE_CAPABILITY_MAJOR") + self.attribute("COMPUTE_CAPABILITY_MINOR")

    @contextmanager
    def current(self) -> Generator[None]:
        """The GPU's primary context, which other libraries use as well, for this thread."""
        self.call("cuCtxPushCurrent", self.context)
        try:
            yield
        finally:
            self.call("cuCtxPopCurrent")

    # --- streams and copies ---

    def order(self, before: int, after: int) -> None:
        """What is in stream `before` now happens before what will be put into `after`."""
        if before != after:
            event = Event(self)
            event.record(before)
            event.wait(after)

    def synchronize(self, stream: int) -> None:
        self.call("cuStreamSynchronize", stream)

    def upload(self, array: Array, stream: int) -> Memory:
        """A copy; `array` must not change before the stream is synchronised."""
        memory = Memory(self, array.nbytes, stream)
        self.call("cuMemcpyHtoDAsync", memory.pointer, array.ctypes.data, array.nbytes, stream)
        return memory

    def download(self, array: Array, pointer: int, stream: int) -> None:
        """Fills `array`, by the time the stream is synchronised."""
        self.call("cuMemcpyDtoHAsync", array.ctypes.data, pointer, array.nbytes, stream)

    # --- kernels ---

    def kernel(self, binary: Binary, name: str, shared: int) -> Any:
        """The function of a kernel that is launched with so many bytes of shared memory; modules are loaded once."""
        function, granted = self._functions.get((id(binary), name), (None, STATIC_SHARED))
        if function is None:
            function = self.call("cuModuleGetFunction", self._module(binary), name.encode())
        if shared > granted:
            limit = self.driver.CUfunction_attribute.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
            self.call("cuFuncSetAttribute", function, limit, shared)
        self._functions[id(binary), name] = (function, max(shared, granted))
        return function

    def _module(self, binary: Binary) -> Any:
        """On another architecture than it was compiled for, the driver compiles its PTX, if that is a later one."""
        if id(binary) not in self._modules:
            codes = self.driver.CUresult
            other = (codes.CUDA_ERROR_NO_BINARY_FOR_GPU, codes.CUDA_ERROR_INVALID_PTX)
            status, module = self.driver.cuModuleLoadData(binary.cubin)
            if status in other:
                status, module = self.driver.cuModuleLoadData(binary.ptx.encode() + b"\0")
            if status in other:
                raise WrongChip(name=self.name, capability=self.capability, target=binary.arch)
            self.check(status, "cuModuleLoadData")
            self._modules[id(binary)] = (binary, module)
        return self._modules[id(binary)][1]

    def unload(self, binary: Binary) -> None:
        """Waits for the GPU and gives the module of `binary` back."""
        loaded = self._modules.pop(id(binary), None)
        self._functions = {key: f for key, f in self._functions.items() if key[0] != id(binary)}
        if loaded is not None:
            with self.current():
                self.call("cuCtxSynchronize")
                self.call("cuModuleUnload", loaded[1])

    def launch(self, function: Any, launch: Launch, pointers: Sequence[int], sizes: Sequence[int], stream: int) -> None:
        """Puts one launch into the stream; its arguments lie at `pointers` and have `sizes` in bytes."""
        d = self.driver
        values = (ctypes.c_uint64 * len(pointers))(*pointers)
        first = ctypes.addressof(values)
        parameters = (ctypes.c_void_p * len(pointers))(*(first + 8 * k for k in range(len(pointers))))
        for k, spec in launch.maps.items():
            parameters[k] = self.tensor_map(spec, pointers[k], sizes[k]).address
        config = d.CUlaunchConfig()
        config.gridDimX, config.gridDimY, config.gridDimZ = launch.grid
        config.blockDimX, config.blockDimY, config.blockDimZ = launch.block
        config.sharedMemBytes = launch.shared
        config.hStream = stream
        if launch.cluster != (1, 1, 1):
            attribute = d.CUlaunchAttribute()
            attribute.id = d.CUlaunchAttributeID.CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION
            sizes_of = attribute.value.clusterDim
            sizes_of.x, sizes_of.y, sizes_of.z = launch.cluster
            config.attrs = [attribute]
            config.numAttrs = 1
        self.call("cuLaunchKernelEx", config, function, ctypes.addressof(parameters), 0)

    def run(self, binary: Binary, launch: Launch, arrays: Sequence[Array]) -> None:
        """One launch on host arrays: copies them there and what was written back, and waits."""
        fresh, back = launch.written | launch.workspace, launch.written | launch.counters
        with self.current():
            function = self.kernel(binary, launch.kernel, launch.shared)
            memory: dict[int, Memory] = {}
            for k, a in enumerate(arrays):
                if k not in fresh:
                    memory[id(a)] = self.upload(a, LEGACY)
            for a in arrays:
                if id(a) not in memory:
                    memory[id(a)] = Memory(self, a.nbytes, LEGACY)
            pointers = [memory[id(a)].pointer for a in arrays]
            self.launch(function, launch, pointers, [a.nbytes for a in arrays], LEGACY)
            for k in sorted(back):
                self.download(arrays[k], pointers[k], LEGACY)
            self.synchronize(LEGACY)
