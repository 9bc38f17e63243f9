"""
Times what a compiled program launches on a GPU: inside a CUDA graph, with an L2 that holds none of its data.

The graph launches the program over and over, on sets of buffers that take turns and that together are several times as
large as the L2.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

import numpy as np

from ptir.runtime.compile import Program
from ptir.runtime.context import LEGACY, Event
from ptir.runtime.execute import Executable
from ptir.runtime.gpu import Gpu
from ptir.runtime.gpu_program import Scratch
from ptir.runtime.graphs import Recording
from ptir.runtime.host import Host
from ptir.runtime.memory import Memory
from ptir.semantics.arrays.scalars import Array

TIMES_L2 = 3
"""The sets of buffers are together at least so many times as large as the L2."""
MOST_SETS = 64
RUNS = 16
"""A graph runs the program at least so many times, unless that takes longer than `LONG`."""
LONG = 0.2
"""Seconds."""


def sets_of_buffers(bytes_: int, l2: int, free: int) -> int:
    """How many sets of so many bytes take turns: enough to be cold, and no more than half of the memory."""
    cold = -(-TIMES_L2 * l2 // bytes_) + 1
    return max(2, min(cold, MOST_SETS, free // 2 // bytes_))


class Replay:
    """
    A program in a CUDA graph. `seconds()` replays it and gives the time of one run; `results()` downloads what
    the entry function returned. A context manager, because it holds memory of the GPU.
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
        bytes_ = sum(b.nbytes for b in host.buffers if b.kind != "constant")
        count = sets_of_buffers(bytes_, l2_bytes(gpu), gpu.call("cuMemGetInfo")[0])
        self.sets += [Set(gpu, host, self.inputs) for _ in range(count)]
        gpu.synchronize(LEGACY)

        def launch(run: int, stream: int) -> None:
            program.enqueue(self.sets[run % count].pointers, stream)

        launch(0, LEGACY)
        self.runs = runs_of(self._between(lambda: launch(1, LEGACY)), count)
        self.graph = Recording(gpu, lambda stream: [launch(run, stream) for run in range(self.runs)])
        self.seconds()

    def seconds(self) -> float:
        """One replay, divided by its runs."""
        assert self.graph is not None
        with self.gpu.current():
            return self._between(lambda: self.graph.launch(LEGACY)) / self.runs

    def _between(self, launch: Callable[[], object]) -> float:
        """Seconds between two events around what is launched."""
        self.begin.record(LEGACY)
        launch()
        self.end.record(LEGACY)
        self.gpu.call("cuEventSynchronize", self.end.handle)
        return float(self.gpu.call("cuEventElapsedTime", self.begin.handle, self.end.handle)) / 1000

    def results(self) -> tuple[Array, ...]:
        """What the program returned on the last set of buffers."""
        host = self.executable.host
        outputs = [np.empty(host.buffers[r].shape, host.buffers[r].dtype) for r in host.results]
        with self.gpu.current():
            for array, r in zip(outputs, host.results, strict=True):
                self.gpu.download(array, self.sets[-1].pointers[r], LEGACY)
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
        self.scratch = Scratch(gpu, host)
        self.memory = {k: gpu.upload(a, LEGACY) for k, a in enumerate(inputs)}
        self.memory |= {k: Memory(gpu, host.buffers[k].nbytes, LEGACY) for k in host.outputs}
        self.pointers = self.scratch.pointers | {k: m.pointer for k, m in self.memory.items()}


def runs_of(single: float, sets: int) -> int:
    """How often a graph runs a program that takes `single` seconds: a whole number of turns through the sets."""
    return sets * max(1, min(-(-RUNS // sets), int(LONG / max(single, 1e-9)) // sets))


def l2_bytes(gpu: Gpu) -> int:
    return gpu.attribute("L2_CACHE_SIZE")


class TorchMatmul:
    """`torch.matmul` of the same operands, replayed in the same way; sets of buffers take turns too."""

    def __init__(self, gpu: Gpu, dtype: str, operands: tuple[Array, Array], *, tf32: bool):
        self.torch: Any = import_module("torch")
        kind = getattr(self.torch, dtype)
        x, w = (self._upload(a, kind) for a in operands)
        self.torch.backends.cuda.matmul.allow_tf32 = tf32
        integers = getattr(self.torch, "_int_mm", None)
        multiply = integers if kind == self.torch.int8 and integers is not None else self.torch.matmul
        y = multiply(x, w)
        bytes_ = sum(t.numel() * t.element_size() for t in (x, w, y))
        count = sets_of_buffers(bytes_, l2_bytes(gpu), self.torch.cuda.mem_get_info()[0])
        self.sets = [(x.clone(), w.clone(), y.clone()) for _ in range(count)]
        side = self.torch.cuda.Stream()
        with self.torch.cuda.stream(side):  # as PyTorch wants it before a capture
            for x, w, y in self.sets[:3]:
                multiply(x, w, out=y)
        self.torch.cuda.synchronize()
        self.runs = runs_of(self._between(lambda: multiply(*self.sets[1][:2], out=self.sets[1][2])), count)
        self.graph = self.torch.cuda.CUDAGraph()
        with self.torch.cuda.graph(self.graph):
            for run in range(self.runs):
                x, w, y = self.sets[run % count]
                multiply(x, w, out=y)
        self.seconds()

    def _upload(self, a: Array, kind: Any) -> Any:
        """PyTorch takes no ml_dtypes."""
        exact = a if a.dtype.kind in "if" else a.astype(np.float32)
        return self.torch.from_numpy(exact).to("cuda").to(kind)

    def seconds(self) -> float:
        """One replay, divided by its runs."""
        return self._between(self.graph.replay) / self.runs

    def _between(self, launch: Callable[[], object]) -> float:
        begin, end = (self.torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        launch()
        end.record()
        end.synchronize()
        return float(begin.elapsed_time(end)) / 1000

    def close(self) -> None:
        """Gives the memory back."""
        self.graph = None
        self.sets.clear()
        self.torch.cuda.empty_cache()


def torch_version() -> str | None:
    """PyTorch's version, if there is one that can use the GPU."""
    try:
        torch: Any = import_module("torch")
    except ImportError:
        return None
    return str(torch.__version__) if torch.cuda.is_available() else None
