"""
Memory of a GPU, and arrays in it that other libraries can take without a copy.

Memory comes and goes in the order of a stream (`cuMemAllocAsync`): nothing waits. A stream on which an array was
used must therefore live as long as the array; it is the same with the allocators of PyTorch and CuPy.
"""

from __future__ import annotations

import weakref
from contextlib import suppress
from math import prod
from typing import Any

import numpy as np

from ..semantics.arrays.scalars import Array
from . import dlpack
from .context import LEGACY, Context, Event
from .driver import DriverFailure


class Memory:
    """
    `size` bytes, from now on in the order of `stream`. When nobody refers to them any more they go back in that order
    too, behind what `uses` has of other streams by then: a stream, or an event.
    """

    def __init__(self, gpu: Context, size: int, stream: int):
        self.size = size
        self.pointer = int(gpu.call("cuMemAllocAsync", max(1, size), stream))
        self.uses: set[int | Event] = set()
        weakref.finalize(self, _free, gpu, self.pointer, stream, self.uses).atexit = False


def _free(gpu: Context, pointer: int, home: int, uses: set[int | Event]) -> None:
    with suppress(DriverFailure), gpu.current():  # after the fault of a kernel every call fails
        for use in uses:
            if isinstance(use, Event):
                use.wait(home)
            else:
                gpu.order(use, home)
        gpu.call("cuMemFreeAsync", pointer, home)


class DeviceArray:
    """
    A row-major array in the memory of a GPU: what a program gives back that was called with such arrays.

    `torch.from_dlpack(a)`, `cupy.from_dlpack(a)` and `jax.dlpack.from_dlpack(a)` take it without a copy, in the order
    of their streams; `a.numpy()` waits and copies. Its contents are due in `stream`.
    """

    def __init__(self, gpu: Context, memory: Memory, shape: tuple[int, ...], dtype: np.dtype[Any], stream: int):
        self.gpu = gpu
        self.memory = memory
        self.shape = shape
        self.dtype = dtype
        self.stream = stream

    @property
    def nbytes(self) -> int:
        return prod(self.shape) * self.dtype.itemsize

    @property
    def device(self) -> str:
        return f"cuda:{self.gpu.ordinal}"

    def numpy(self) -> Array:
        """A copy on the host, when all is there."""
        out = np.empty(self.shape, self.dtype)
        with self.gpu.current():
            self.gpu.download(out, self.memory.pointer, self.stream)
            self.gpu.synchronize(self.stream)
        return out

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
        """For whoever reads or writes it in `stream`: None is the legacy default stream, -1 asks for no order."""
        if dl_device is not None and tuple(dl_device) != self.__dlpack_device__():
            raise BufferError(f"it lies on {self.device}: .numpy() copies it to the host")
        if copy:
            raise BufferError("no copies are made here")
        if stream != -1:
            self.used_in(LEGACY if stream is None else stream)
        versioned = max_version is not None and max_version[0] >= 1
        pointer, ordinal = self.memory.pointer, self.gpu.ordinal
        return dlpack.make(pointer, self.shape, self.dtype, ordinal, self.memory, versioned=versioned)

    def used_in(self, stream: int) -> None:
        """Its contents are there for what is put into `stream`, and its memory stays until that is done."""
        self.memory.uses.add(stream)
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
