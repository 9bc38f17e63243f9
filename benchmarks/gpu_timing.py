"""
Times what a compiled program launches on a GPU: inside a CUDA graph, with an L2 that holds none of its data.

A program is recorded once through the same device interface that runs it; the graph then launches it over and over, on
sets of buffers that take turns and that together are several times as large as the L2.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

import numpy as np

from ptir.backends.cuda.nvrtc import Binary
from ptir.runtime.compile import Program
from ptir.runtime.devices import Array, Gpu, Launch
from ptir.runtime.execute import execute

TIMES_L2 = 3
"""The sets of buffers are together at least so many times as large as the L2."""
MOST_SETS = 64
RUNS = 16
"""A graph runs the program at least so many times, unless that takes longer than `LONG`."""
LONG = 0.2
"""Seconds."""


@dataclass
class Recorder:
    """A device that runs nothing and remembers what was to be launched."""

    name: str = "recorder"
    calls: list[tuple[Binary, Launch, list[Array]]] = field(default_factory=list[Any])

    def run(self, binary: Binary, launch: Launch, arrays: Sequence[Array]) -> None:
        self.calls.append((binary, launch, list(arrays)))


class TimedGpu(Gpu):
    """A GPU with streams: launches return before they have run."""

    def check(self, answer: Sequence[Any]) -> Any:
        return self._check(answer)

    def attribute(self, name: str) -> int:
        which = getattr(self.driver.CUdevice_attribute, f"CU_DEVICE_ATTRIBUTE_{name}")
        return int(self._check(self.driver.cuDeviceGetAttribute(which, self.device)))

    def enqueue(self, binary: Binary, launch: Launch, pointers: Sequence[int], stream: Any) -> None:
        d, check = self.driver, self._check
        if id(binary) not in self.modules:
            self.modules[id(binary)] = (binary, self._load(binary))
        function = check(d.cuModuleGetFunction(self.modules[id(binary)][1], launch.kernel.encode()))
        if launch.shared > 48 * 1024:
            limit = d.CUfunction_attribute.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
            check(d.cuFuncSetAttribute(function, limit, launch.shared))
        values = np.array(pointers, dtype=np.uint64)
        addresses = np.array([values.ctypes.data + 8 * k for k in range(len(values))], dtype=np.uint64)
        check(d.cuLaunchKernel(function, *launch.grid, *launch.block, launch.shared, stream, addresses.ctypes.data, 0))


def sets_of_buffers(bytes_: int, l2: int, free: int) -> int:
    """How many sets of so many bytes take turns: enough to be cold, and no more than half of the memory."""
    cold = -(-TIMES_L2 * l2 // bytes_) + 1
    return max(2, min(cold, MOST_SETS, free // 2 // bytes_))


class Replay:
    """
    A program in a CUDA graph. `seconds()` replays it and gives the time of one run; `results()` downloads what
    the entry function returned. A context manager, because it holds memory of the GPU.
    """

    def __init__(self, gpu: TimedGpu, program: Program, inputs: Sequence[Array]):
        self.gpu = gpu
        recorder = Recorder()
        self.outputs = execute(program, inputs, recorder)
        self.calls = recorder.calls
        self.arrays = {id(a): a for _, _, arrays in self.calls for a in arrays}
        self.bytes = sum(a.nbytes for a in self.arrays.values())
        self.pointers: list[dict[int, Any]] = []
        self.graph: Any = None

    def __enter__(self) -> Replay:
        try:
            return self._prepare()
        except BaseException:
            self.__exit__()
            raise

    def _prepare(self) -> Replay:
        d, check = self.gpu.driver, self.gpu.check
        self.stream = check(d.cuStreamCreate(int(d.CUstream_flags.CU_STREAM_NON_BLOCKING)))
        self.begin, self.end = (check(d.cuEventCreate(0)) for _ in range(2))
        count = sets_of_buffers(self.bytes, l2_bytes(self.gpu), check(d.cuMemGetInfo())[0])
        for number in range(count):
            self.pointers.append({})
            for key, array in self.arrays.items():
                pointer = self.pointers[-1][key] = check(d.cuMemAlloc(array.nbytes))
                if number:
                    check(d.cuMemcpyDtoD(pointer, self.pointers[0][key], array.nbytes))
                else:
                    check(d.cuMemcpyHtoD(pointer, array.ctypes.data, array.nbytes))
        check(d.cuCtxSynchronize())
        self._launch_all(0)  # loads the modules, which a graph may not
        self.runs = runs_of(self._between(lambda: self._launch_all(1)), count)
        check(d.cuStreamBeginCapture(self.stream, d.CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_THREAD_LOCAL))
        for run in range(self.runs):
            self._launch_all(run % count)
        graph = check(d.cuStreamEndCapture(self.stream))
        self.graph = check(d.cuGraphInstantiate(graph, 0))
        check(d.cuGraphDestroy(graph))
        self.seconds()
        return self

    def _launch_all(self, number: int) -> None:
        for binary, launch, arrays in self.calls:
            pointers = [int(self.pointers[number][id(a)]) for a in arrays]
            self.gpu.enqueue(binary, launch, pointers, self.stream)

    def seconds(self) -> float:
        """One replay, divided by its runs."""
        d, check = self.gpu.driver, self.gpu.check
        return self._between(lambda: check(d.cuGraphLaunch(self.graph, self.stream))) / self.runs

    def _between(self, launch: Callable[[], object]) -> float:
        """Seconds between two events around what is launched."""
        d, check = self.gpu.driver, self.gpu.check
        check(d.cuEventRecord(self.begin, self.stream))
        launch()
        check(d.cuEventRecord(self.end, self.stream))
        check(d.cuEventSynchronize(self.end))
        return float(check(d.cuEventElapsedTime(self.begin, self.end))) / 1000

    def results(self) -> tuple[Array, ...]:
        """What the program returned on the last set of buffers."""
        for array in self.outputs:
            pointer = self.pointers[-1][id(array)]
            self.gpu.check(self.gpu.driver.cuMemcpyDtoH(array.ctypes.data, pointer, array.nbytes))
        return self.outputs

    def __exit__(self, *_: object) -> None:
        d = self.gpu.driver
        if self.graph is not None:
            d.cuGraphExecDestroy(self.graph)
        for pointers in self.pointers:
            for pointer in pointers.values():
                d.cuMemFree(pointer)
        self.pointers.clear()


def runs_of(single: float, sets: int) -> int:
    """How often a graph runs a program that takes `single` seconds: a whole number of turns through the sets."""
    return sets * max(1, min(-(-RUNS // sets), int(LONG / max(single, 1e-9)) // sets))


def l2_bytes(gpu: TimedGpu) -> int:
    return gpu.attribute("L2_CACHE_SIZE")


class TorchMatmul:
    """`torch.matmul` of the same operands, replayed in the same way; sets of buffers take turns too."""

    def __init__(self, gpu: TimedGpu, dtype: str, operands: tuple[Array, Array], *, tf32: bool):
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
