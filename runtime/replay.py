"""
Times the kernels of a compiled program on a GPU, inside a CUDA graph and with a cold L2.

The graph launches the program repeatedly. Consecutive runs use different sets of buffers, which together are several times
as large as the L2.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ..semantics.arrays.scalars import Array
from .compile import Program
from .context import LEGACY, Event
from .execute import Executable
from .gpu import Gpu
from .gpu_program import Scratch
from .graphs import Recording
from .host import Host
from .memory import Memory

TIMES_L2 = 3
"""Minimum size of all sets of buffers together, as a multiple of the size of the L2."""
MOST_SETS = 64
"""Maximum number of sets of buffers."""
RUNS = 16
"""Minimum number of runs of the program in a graph, unless they take longer than `LONG`."""
LONG = 0.2
"""Maximum time of a graph, in seconds."""


def sets_of_buffers(bytes_: int, l2: int, free: int) -> int:
    """Returns the number of sets of `bytes_` each that take turns: enough for a cold L2, within half of the `free` memory."""
    cold = -(-TIMES_L2 * l2 // bytes_) + 1
    return max(2, min(cold, MOST_SETS, free // 2 // bytes_))


class Replay:
    """
    A program in a CUDA graph. `seconds()` replays it and returns the time of one run; `results()` downloads the results of
    the entry function. It is a context manager, because it holds memory of the GPU.
    """

    def __init__(self, gpu: Gpu, program: Program, inputs: Sequence[Array]):
        self.gpu = gpu
        self.executable = Executable(program)
        self.inputs = inputs
        self.sets: list[Set] = []
        self.graph: Recording | None = None

    def __enter__(self) -> Replay:
        try:
            with self.gpu.current():
                self._prepare()
        except BaseException:
            self.__exit__()
            raise
        return self

    def _prepare(self) -> None:
        gpu, host = self.gpu, self.executable.host
        program = self.executable.load(gpu)
        self.begin, self.end = (Event(gpu, timing=True) for _ in range(2))
        bytes_ = sum(b.nbytes for b in host.buffers if b is not None and b.kind not in ("constant", "name"))
        count = sets_of_buffers(bytes_, l2_bytes(gpu), gpu.call("cuMemGetInfo")[0])
        self.sets += [Set(gpu, host, self.inputs) for _ in range(count)]
        gpu.synchronize(LEGACY)

        def launch(run: int, stream: int) -> None:
            used = self.sets[run % count]
            program.enqueue(used.scratch, used.arguments, used.outputs, stream, used.keep)

        launch(0, LEGACY)
        self.runs = runs_of(self._between(lambda: launch(1, LEGACY)), count)

        def record(stream: int) -> None:
            for run in range(self.runs):
                launch(run, stream)

        self.graph = Recording(gpu, record)
        self.seconds()

    def seconds(self) -> float:
        """Replays the graph; returns the time of one run in seconds."""
        graph = self.graph
        assert graph is not None
        with self.gpu.current():
            return self._between(lambda: graph.launch(LEGACY)) / self.runs

    def _between(self, launch: Callable[[], object]) -> float:
        """Returns the seconds between two events, before and after `launch`."""
        self.begin.record(LEGACY)
        launch()
        self.end.record(LEGACY)
        self.gpu.call("cuEventSynchronize", self.end.handle)
        return float(self.gpu.call("cuEventElapsedTime", self.begin.handle, self.end.handle)) / 1000

    def results(self) -> tuple[Array, ...]:
        """Returns the results of the program for the last set of buffers."""
        host = self.executable.host
        outputs = [np.empty(b.shape, b.dtype) for b in host.buffers_of(host.results)]
        with self.gpu.current():
            for array, pointer in zip(outputs, self.sets[-1].results, strict=True):
                self.gpu.download(array, pointer, LEGACY)
            self.gpu.synchronize(LEGACY)
        return tuple(outputs)

    def __exit__(self, *_: object) -> None:
        self.executable.close()
        self.graph = None
        self.sets.clear()
        with self.gpu.current():
            self.gpu.synchronize(LEGACY)


class Set:
    """The buffers of one run."""

    def __init__(self, gpu: Gpu, host: Host, inputs: Sequence[Array]):
        self.scratch = Scratch(gpu, host, exact=True)
        self.inputs = [gpu.upload(a, LEGACY) for a in inputs]
        self.memory = {k: Memory(gpu, host.buffer(k).nbytes, LEGACY) for k in host.outputs}
        self.arguments = [m.pointer for m in self.inputs]
        self.outputs = {k: m.pointer for k, m in self.memory.items()}
        self.results: Sequence[int] = ()
        """The addresses of the results of the last run."""

    def keep(self, results: Sequence[int]) -> None:
        self.results = results


def runs_of(single: float, sets: int) -> int:
    """Returns how often a graph runs a program that takes `single` seconds: a multiple of the number of sets."""
    return sets * max(1, min(-(-RUNS // sets), int(LONG / max(single, 1e-9)) // sets))


def l2_bytes(gpu: Gpu) -> int:
    return gpu.attribute("L2_CACHE_SIZE")
