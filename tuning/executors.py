"""
Where trials run: `processes` on this machine, or the workers of a dask cluster, both as a `concurrent.futures.Executor`.

Either way a trial has a process of its own (`child.py`). A worker of a cluster needs this package, and for `--measure=gpu` the resource
`GPU` (`dask worker … --resources GPU=1`); other workers compile. dask moves the trials of a worker that is lost to another one.
"""

from __future__ import annotations

import os
from collections.abc import Generator
from concurrent.futures import CancelledError, Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from .child import end_children, run_isolated
from .errors import ExecutorUnavailable
from .trial import Outcome, Task

DASK = "dask://"
CONNECT = 10
"""How long to wait for the scheduler of a cluster, in seconds."""


@dataclass(frozen=True)
class Workers:
    """The executor of trials that only compile or emulate, and that of trials that measure on a GPU, one at a time for each GPU."""

    name: str
    compiling: Executor
    measuring: Executor

    def submit(self, task: Task, limit: float) -> Future[Outcome]:
        return (self.measuring if task.how == "gpu" else self.compiling).submit(run_isolated, task, limit)

    def outcome(self, future: Future[Outcome]) -> Outcome:
        """Returns the outcome of a trial whose future is done. Raises `ExecutorUnavailable` if the cluster is lost."""
        try:
            return future.result()
        except CancelledError as error:
            help = "start it again: trials that are finished are not repeated"
            raise ExecutorUnavailable(name=self.name, problem="the cluster is lost", help=help) from error
        except Exception as error:  # dask gives up on a trial that several workers did not survive
            return Outcome(word="crashed", reason=f"{type(error).__name__}: {error}".splitlines()[0])


@contextmanager
def workers(name: str, jobs: int | None = None) -> Generator[Workers]:
    """
    A context manager with the workers that a name selects: `processes`, of which `jobs` run at a time, or `dask://HOST:PORT`. Trials that
    have not begun are dropped at its end if there is an error. Raises `ExecutorUnavailable`.
    """
    if name == "processes":
        compiling, measuring = ThreadPoolExecutor(jobs or os.cpu_count() or 1), ThreadPoolExecutor(1)
        try:
            yield Workers(name, compiling, measuring)
        finally:
            for executor in (compiling, measuring):
                executor.shutdown(wait=False, cancel_futures=True)
            end_children()
    elif name.startswith(DASK):
        with _client(name) as client:
            yield Workers(name, client.get_executor(pure=False), client.get_executor(pure=False, resources={"GPU": 1}))
    else:
        problem, help = "there is no such executor", "processes, or dask://HOST:PORT for a cluster"
        if name.partition(":")[0] == "ray":
            problem = "ray has no executor of concurrent.futures"
        raise ExecutorUnavailable(name=name, problem=problem, help=help)


@contextmanager
def _client(name: str) -> Generator[Any]:
    try:
        distributed = import_module("distributed")
    except ImportError as error:
        help = "pip install 'ptir[cluster]'"
        raise ExecutorUnavailable(name=name, problem="dask.distributed is not installed", help=help) from error
    try:
        client: Any = distributed.Client(f"tcp://{name.removeprefix(DASK)}", timeout=CONNECT)
    except (OSError, ValueError, TimeoutError) as error:
        problem = f"no scheduler answers: {str(error).splitlines()[0]}"
        raise ExecutorUnavailable(name=name, problem=problem, help="`dask scheduler` prints its address") from error
    try:
        yield client
    finally:
        client.close()
