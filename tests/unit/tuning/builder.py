"""Kernels to tune, and workers that run in this process."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor, Future
from typing import Any

import ptir
from ptir.analysis.program.signature import entry_function
from ptir.targets.machines import MACHINES
from ptir.tuning.executors import Workers
from ptir.tuning.kernels import Tunable, tunable_kernels
from ptir.tuning.trial import Outcome, Task, run

A100 = MACHINES["a100"]


def product(m: int | str, n: int = 24, k: int = 40) -> str:
    """Returns a product of bf16 matrices; `m` may be a name, such as `B`."""
    rows, dims = ("?", f", #ptir.dims<{m}, _>") if isinstance(m, str) else (m, "")
    x, w, y = f"tensor<{rows}x{k}xbf16{dims}>", f"tensor<{k}x{n}xbf16>", f"tensor<{rows}x{n}xf32{dims}>"
    return f"""func.func @f(%x: {x}, %w: {w}) -> {y} {{
  %0 = ptir.dot_general %x, %w contract [1] x [0] accum f32 out f32 : ({x}, {w}) -> {y}
  func.return %0 : {y}
}}"""


ROWS = """func.func @f(%x: tensor<6x64xf32>) -> tensor<6x64xf32> {
  %0 = ptir.reduce sum %x axes [1] keepdims : tensor<6x64xf32> -> tensor<6x1xf32>
  %1 = ptir.broadcast_to %0 : tensor<6x1xf32> -> tensor<6x64xf32>
  %2 = ptir.sub %x, %1 : tensor<6x64xf32>
  func.return %2 : tensor<6x64xf32>
}"""


def kernels(
    text: str, requests: Sequence[tuple[Mapping[str, int], int]] = (({}, 1),), machine: Any = A100
) -> list[Tunable]:
    module = ptir.parse(text)
    return tunable_kernels(module, entry_function(module, None), requests, machine)[0]


class Here(Executor):
    """Runs each trial at once; `trial` replaces what a child process would do."""

    def __init__(self, trial: Callable[[Task], Outcome] = run):
        self.trial = trial
        self.tasks: list[Task] = []

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        task, future = args[0], Future[Any]()
        self.tasks.append(task)
        try:
            future.set_result(self.trial(task))
        except Exception as error:
            future.set_exception(error)
        return future


def here(trial: Callable[[Task], Outcome] = run) -> Workers:
    executor = Here(trial)
    return Workers("processes", executor, executor)
