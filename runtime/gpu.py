"""A GPU as a device: uploads, modules and launches."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from functools import lru_cache, partial
from typing import Any

import numpy as np

from ..backends.cuda.nvrtc import Binary
from ..errors import PtirError
from ..semantics.arrays.bits import pack
from ..semantics.arrays.scalars import INT4, UINT4, Array
from .context import LEGACY, Context
from .launch import Launch
from .memory import DeviceArray, Memory
from .tensor_maps import encode

STATIC_SHARED = 48 * 1024
"""Maximum size of dynamic shared memory, in bytes, that a kernel may use without `cuFuncSetAttribute`."""


class WrongChip(PtirError):
    code = "PTIR0535"
    template = "{name} (sm_{capability}) cannot run a program compiled for {target}"
    hint = "compile for it: ptir.compile(…, arch=…), ptir-run --arch"


class Gpu(Context):
    """The GPU number `ordinal`. Modules stay loaded until `unload`. `run` takes host arrays, as the emulator's `run` does."""

    def __init__(self, ordinal: int = 0) -> None:
        super().__init__(ordinal)
        self._modules: dict[int, tuple[Binary, Any]] = {}
        self._functions: dict[tuple[int, str], tuple[Any, int]] = {}
        self.tensor_map = lru_cache(maxsize=1024)(partial(encode, self))
        """Returns the encoded tensor map for a spec, an address and a size; results are cached."""

    def upload(self, array: Array, stream: int) -> Memory:
        """Starts a copy of `array` to new memory of the GPU. The array must not change before the stream is synchronized."""
        memory = Memory(self, array.nbytes, stream)
        self.call("cuMemcpyHtoDAsync", memory.pointer, array.ctypes.data, array.nbytes, stream)
        return memory

    def kernel(self, binary: Binary, name: str, shared: int) -> Any:
        """
        Returns the function of a kernel that may use `shared` bytes of dynamic shared memory. Loads the module if it is not
        loaded. Raises `WrongChip`.
        """
        function, granted = self._functions.get((id(binary), name), (None, STATIC_SHARED))
        if function is None:
            function = self.call("cuModuleGetFunction", self._module(binary), name.encode())
        if shared > granted:
            limit = self.driver.CUfunction_attribute.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
            self.call("cuFuncSetAttribute", function, limit, shared)
        self._functions[id(binary), name] = (function, max(shared, granted))
        return function

    def _module(self, binary: Binary) -> Any:
        """Loads the cubin or, if the GPU is of a later architecture, the PTX, which the driver then compiles."""
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
        """Waits for the GPU and unloads the module of `binary`."""
        loaded = self._modules.pop(id(binary), None)
        self._functions = {key: f for key, f in self._functions.items() if key[0] != id(binary)}
        if loaded is not None:
            with self.current():
                self.call("cuCtxSynchronize")
                self.call("cuModuleUnload", loaded[1])

    def launch(self, function: Any, launch: Launch, pointers: Sequence[int], sizes: Sequence[int], stream: int) -> None:
        """Enqueues a launch. Argument k is at `pointers[k]` and has `sizes[k]` bytes."""
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
            dimensions = attribute.value.clusterDim
            dimensions.x, dimensions.y, dimensions.z = launch.cluster
            config.attrs = [attribute]
            config.numAttrs = 1
        self.call("cuLaunchKernelEx", config, function, ctypes.addressof(parameters), 0)

    def run(self, binary: Binary, launch: Launch, arrays: Sequence[Array]) -> None:
        """Copies host arrays to the GPU, launches the kernel, copies back the arrays that it writes, and waits."""
        fresh = launch.written | launch.workspace
        with self.current():
            function = self.kernel(binary, launch.kernel, launch.shared)
            # An array that is passed twice has one copy on the GPU, which is uploaded if the kernel reads it by either argument.
            memory = {id(a): self.upload(a, LEGACY) for k, a in enumerate(arrays) if k not in fresh}
            memory |= {id(a): Memory(self, a.nbytes, LEGACY) for a in arrays if id(a) not in memory}
            pointers = [memory[id(a)].pointer for a in arrays]
            self.launch(function, launch, pointers, [a.nbytes for a in arrays], LEGACY)
            for k in sorted(launch.written | launch.modified):
                self.download(arrays[k], pointers[k], LEGACY)
            self.synchronize(LEGACY)


def to_device(array: Array, ordinal: int = 0) -> DeviceArray:
    """Copies a host array to a GPU."""
    gpu = Gpu(ordinal)
    dense = np.ascontiguousarray(array).reshape(np.shape(array))
    with gpu.current():
        memory = gpu.upload(pack(dense) if dense.dtype in (INT4, UINT4) else dense, LEGACY)
        gpu.synchronize(LEGACY)
    return DeviceArray(gpu, memory, dense.shape, dense.dtype, LEGACY)
