"""A program that is loaded on one GPU: its kernels, constants and scratch buffers."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from threading import Lock

import numpy as np

from ..backends.cuda.nvrtc import Binary
from ..semantics.arrays.scalars import Array
from .context import LEGACY, Event
from .gpu import Gpu
from .host import Host
from .memory import Memory


class Scratch:
    """
    The buffers that all calls share: workspaces, intermediate values, and counters, which are zero between calls. Each call
    waits for the previous one, even in another stream.
    """

    def __init__(self, gpu: Gpu, host: Host):
        self.memory = {k: Memory(gpu, host.buffers[k].nbytes, LEGACY) for k in host.scratch}
        self._done = Event(gpu)
        self._lock = Lock()
        for k, memory in self.memory.items():
            memory.uses.add(self._done)
            if host.buffers[k].kind == "zeros":
                gpu.call("cuMemsetD8Async", memory.pointer, 0, memory.size, LEGACY)
        self._done.record(LEGACY)

    @property
    def pointers(self) -> dict[int, int]:
        return {k: memory.pointer for k, memory in self.memory.items()}

    @contextmanager
    def turn(self, stream: int) -> Generator[dict[int, int]]:
        """Yields the pointers of the buffers. Work enqueued in `stream` inside the `with` runs after the previous call's work."""
        with self._lock:
            self._done.wait(stream)
            try:
                yield self.pointers
            finally:
                self._done.record(stream)


class GpuProgram:
    """The kernels, constants and scratch buffers of a program. The methods need the GPU's context to be current."""

    def __init__(self, gpu: Gpu, binary: Binary, host: Host):
        self.gpu = gpu
        self.host = host
        self._kernels = [gpu.kernel(binary, s.launch.kernel, s.launch.shared) for s in host.steps]
        values = ((k, b.value) for k, b in enumerate(host.buffers) if b.value is not None)
        self.constants = {k: gpu.upload(value, LEGACY) for k, value in values}
        # Created last: the event that it records follows the uploads of the constants, and the first call waits for that event.
        self.scratch = Scratch(gpu, host)

    def run(self, pointers: Mapping[int, int], stream: int) -> Array | None:
        """
        Enqueues a call, and returns its status word, which is complete when the stream has been synchronized. `pointers` maps the
        buffer numbers of arguments and outputs to addresses.
        """
        with self.scratch.turn(stream) as scratch:
            self.enqueue({**scratch, **pointers}, stream)
            return self.status(scratch, stream)

    def status(self, pointers: Mapping[int, int], stream: int) -> Array | None:
        """Starts a copy of the status word to the host, and returns the array. Returns None if the program has no status word."""
        if self.host.status is None:
            return None
        word = np.empty(1, np.int32)
        self.gpu.download(word, pointers[self.host.status], stream)
        return word

    def enqueue(self, pointers: Mapping[int, int], stream: int) -> None:
        """Enqueues the launches. `pointers` maps the numbers of all buffers except constants to addresses."""
        at = {k: memory.pointer for k, memory in self.constants.items()} | dict(pointers)
        sizes = [b.nbytes for b in self.host.buffers]
        for k in self.host.cleared:
            self.gpu.call("cuMemsetD8Async", at[k], 0, sizes[k], stream)
        for step, kernel in zip(self.host.steps, self._kernels, strict=True):
            where, lengths = [at[b] for b in step.buffers], [sizes[b] for b in step.buffers]
            self.gpu.launch(kernel, step.launch, where, lengths, stream)
