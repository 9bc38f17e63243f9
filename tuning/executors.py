"""
Where trials run: `processes` on this machine, or the workers of a dask or ray cluster, each as a `concurrent.futures.Executor`.

Either way a trial has a process of its own (`child.py`). A worker of a cluster needs this package, and for `--measure=gpu` a GPU: the resource
`GPU` of dask (`dask worker … --resources GPU=1`), or what ray finds itself; other workers compile. Both move the trials of a worker that is
lost to another one.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Generator
from concurrent.futures import CancelledError, Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from typing import Any, ParamSpec, TypeVar

from .child import end_children, run_isolated
from .errors import ExecutorUnavailable
from .trial import Outcome, Task

P = ParamSpec("P")
T = TypeVar("T")

DASK, RAY = "dask://", "ray"
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
        except Exception as error:  # a cluster gives up on a trial that several workers did not survive
            return Outcome(word="crashed", reason=f"{type(error).__name__}: {error}".splitlines()[0])


@contextmanager
def workers(name: str, jobs: int | None = None) -> Generator[Workers]:
    """
    A context manager with the workers that a name selects: `processes`, of which `jobs` run at a time, `dask://HOST:PORT`, or `ray`, on the
    cluster of this machine, and `ray://HOST:PORT`. Trials that have not begun are dropped at its end if there is an error. Raises
    `ExecutorUnavailable`.
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
    elif name == RAY or name.startswith(f"{RAY}://"):
        with _ray(name) as ray:
            yield Workers(name, RayExecutor(ray), RayExecutor(ray, gpus=1))
    else:
        help = "processes, or a cluster: dask://HOST:PORT, ray, ray://HOST:PORT"
        raise ExecutorUnavailable(name=name, problem="there is no such executor", help=help)


@dataclass(frozen=True)
class RayExecutor(Executor):
    """Calls functions as tasks of ray, each of which occupies `gpus` GPUs of a worker."""

    ray: Any
    gpus: int = 0

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        return self.ray.remote(fn).options(num_gpus=self.gpus).remote(*args, **kwargs).future()


@contextmanager
def _ray(name: str) -> Generator[Any]:
    try:
        ray = import_module("ray")
    except ImportError as error:
        raise ExecutorUnavailable(name=name, problem="ray is not installed", help="pip install ray") from error
    try:
        ray.init(address=None if name == RAY else name, log_to_driver=False)
    except (OSError, ValueError, RuntimeError) as error:
        problem = f"no cluster answers: {(str(error).splitlines() or [type(error).__name__])[0]}"
        raise ExecutorUnavailable(name=name, problem=problem, help="`ray start --head` prints its address") from error
    try:
        yield ray
    finally:
        ray.shutdown()


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
