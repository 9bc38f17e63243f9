"""
Memory of a GPU, and arrays in it that other libraries can use without a copy.

Memory is allocated and freed asynchronously, in stream order (`cuMemAllocAsync`). A stream in which an array was
used must therefore live as long as the array, as with the allocators of PyTorch and CuPy.
"""

from __future__ import annotations

import ctypes
import weakref
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..semantics.arrays.bits import packed_bytes, unpack
from ..semantics.arrays.scalars import INT4, UINT4, Array
from . import dlpack
from .context import LEGACY, Context, Event
from .driver import DriverFailure


class Memory:
    """
    `size` bytes that are allocated in the order of `stream`. When the object dies, they are freed in the order of `stream`, after
    the work that is then in the streams and events in `uses`.
    """

    def __init__(self, gpu: Context, size: int, stream: int):
        self.size = size
        self.pointer = int(gpu.call("cuMemAllocAsync", max(1, size), stream))
        self.uses: set[int | Event] = set()
        weakref.finalize(self, _free, gpu, self.pointer, stream, self.uses).atexit = False


class StatusWord:
    """An integer of the host that kernels write in place, 0 until then. Its streams must be done before it is read, and before it dies."""

    def __init__(self, gpu: Context):
        flag = gpu.driver.CU_MEMHOSTALLOC_DEVICEMAP
        address = int(gpu.call("cuMemHostAlloc", 4, flag))
        self.pointer = int(gpu.call("cuMemHostGetDevicePointer", address, 0))
        self._word = ctypes.c_int32.from_address(address)
        self._word.value = 0
        weakref.finalize(self, _free_host, gpu, address).atexit = False

    def take(self) -> int:
        """Returns the number and sets it to 0."""
        number, self._word.value = self._word.value, 0
        return number


def _free_host(gpu: Context, address: int) -> None:
    with suppress(DriverFailure), gpu.current():
        gpu.call("cuMemFreeHost", address)


@dataclass(frozen=True)
class BorrowedMemory:
    """`size` bytes that a running program owns. `uses` collects the streams in which others use them."""

    pointer: int
    size: int
    uses: set[int | Event] = field(default_factory=set["int | Event"])


def _free(gpu: Context, pointer: int, home: int, uses: set[int | Event]) -> None:
    with suppress(DriverFailure), gpu.current():  # every call fails after a kernel has faulted
        for use in uses:
            if isinstance(use, Event):
                use.wait(home)
            else:
                gpu.order(use, home)
        gpu.call("cuMemFreeAsync", pointer, home)


class DeviceArray:
    """
    A row-major array in the memory of a GPU, where a byte holds two 4-bit integers. A program that is called with arrays on a
    GPU returns such arrays.

    `torch.from_dlpack(a)`, `cupy.from_dlpack(a)` and `jax.dlpack.from_dlpack(a)` share the memory without a copy, ordered by
    streams; `a.numpy()` waits and copies. `stream` is the stream in which the contents are computed.
    """

    def __init__(
        self, gpu: Context, memory: Memory | BorrowedMemory, shape: tuple[int, ...], dtype: np.dtype[Any], stream: int
    ):
        self.gpu = gpu
        self.memory = memory
        self.shape = shape
        self.dtype = dtype
        self.stream = stream

    @property
    def nbytes(self) -> int:
        return packed_bytes(self.shape, self.dtype)

    @property
    def device(self) -> str:
        return f"cuda:{self.gpu.ordinal}"

    def numpy(self) -> Array:
        """Waits for the contents and returns a copy on the host."""
        packed = self.dtype in (INT4, UINT4)
        out = np.empty(self.nbytes, np.uint8) if packed else np.empty(self.shape, self.dtype)
        with self.gpu.current():
            self.gpu.download(out, self.memory.pointer, self.stream)
            self.gpu.synchronize(self.stream)
        return unpack(out, self.shape, self.dtype) if packed else out

    def __dlpack_device__(self) -> tuple[int, int]:
        return int(dlpack.Kind.CUDA), self.gpu.ordinal

    def __dlpack__(
        self,
        *,
        stream: int | None = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> object:
        """
        Returns a capsule for use in `stream`: None is the legacy default stream, -1 asks for no synchronization. Raises
        `BufferError`.
        """
        if dl_device is not None and tuple(dl_device) != self.__dlpack_device__():
            raise BufferError(f"it lies on {self.device}: .numpy() copies it to the host")
        if copy:
            raise BufferError("copy=True is not supported: .numpy() copies it to the host")
        if stream != -1:
            self.used_in(LEGACY if stream is None else stream)
        versioned = max_version is not None and max_version[0] >= 1
        pointer, ordinal = self.memory.pointer, self.gpu.ordinal
        return dlpack.make(pointer, self.shape, self.dtype, ordinal, self.memory, versioned=versioned)

    def used_in(self, stream: int) -> None:
        """Makes later work in `stream` wait until the contents are computed, and keeps the memory until that work is done."""
        self.memory.uses.add(stream)
        if stream != self.stream:
            with self.gpu.current():
                self.gpu.order(self.stream, stream)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        if self.dtype.isbuiltin != 1:
            raise AttributeError(f"__cuda_array_interface__ has no {self.dtype}: use DLPack")
        return {
            "shape": self.shape,
            "typestr": self.dtype.str,
            "data": (self.memory.pointer, False),
            "strides": None,
            "stream": self.stream,
            "version": 3,
        }

    def __repr__(self) -> str:
        return f"DeviceArray({self.dtype}{list(self.shape)} on {self.device})"
