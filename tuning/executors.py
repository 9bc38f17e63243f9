"""
Executors of trials: `processes` on this machine, or the workers of a dask or ray cluster, each as a `concurrent.futures.Executor`.

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
    scheme, _, address = name.partition("://")
    if name == "processes":
        compiling, measuring = ThreadPoolExecutor(jobs or os.cpu_count() or 1), ThreadPoolExecutor(1)
        try:
            yield Workers(name, compiling, measuring)
        finally:
            for executor in (compiling, measuring):
                executor.shutdown(wait=False, cancel_futures=True)
            end_children()
    elif scheme in CLUSTERS and (address or name == "ray"):
        cluster = CLUSTERS[scheme]
        with cluster.client(name, address) as client:
            yield Workers(name, cluster.executor(client, 0), cluster.executor(client, 1))
    else:
        help = "processes, or a cluster: dask://HOST:PORT, ray, ray://HOST:PORT"
        raise ExecutorUnavailable(name=name, problem="there is no such executor", help=help)


@dataclass(frozen=True)
class Cluster:
    """
    A library whose workers run trials: `connect` returns a client for an address, `close` ends it, and `executor` runs functions on workers
    with a number of GPUs. `package` is what pip installs, `address` says who prints the address.
    """

    library: str
    package: str
    address: str
    connect: Callable[[Any, str], Any]
    close: Callable[[Any], object]
    executor: Callable[[Any, int], Executor]

    @contextmanager
    def client(self, name: str, address: str) -> Generator[Any]:
        """A context manager with the client of the cluster at an address. Raises `ExecutorUnavailable`."""
        try:
            library = import_module(self.library)
        except ImportError as error:
            problem, help = f"{self.library} is not installed", f"pip install {self.package}"
            raise ExecutorUnavailable(name=name, problem=problem, help=help) from error
        try:
            client = self.connect(library, address)
        except (OSError, ValueError, RuntimeError) as error:
            problem = f"no cluster answers: {(str(error).splitlines() or [type(error).__name__])[0]}"
            raise ExecutorUnavailable(name=name, problem=problem, help=self.address) from error
        try:
            yield client
        finally:
            self.close(client)


@dataclass(frozen=True)
class RayExecutor(Executor):
    """Calls functions as tasks of ray, each of which occupies `gpus` GPUs of a worker."""

    ray: Any
    gpus: int = 0

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        return self.ray.remote(fn).options(num_gpus=self.gpus).remote(*args, **kwargs).future()


def _dask(distributed: Any, address: str) -> Any:
    return distributed.Client(f"tcp://{address}", timeout=CONNECT)


def _ray(ray: Any, address: str) -> Any:
    ray.init(address=f"ray://{address}" if address else None, log_to_driver=False)
    return ray


CLUSTERS = {
    "dask": Cluster(
        "distributed",
        "'ptir[cluster]'",
        "`dask scheduler` prints its address",
        _dask,
        lambda client: client.close(),
        lambda client, gpus: client.get_executor(pure=False, **({"resources": {"GPU": gpus}} if gpus else {})),
    ),
    "ray": Cluster(
        "ray", "ray", "`ray start --head` prints its address", _ray, lambda ray: ray.shutdown(), RayExecutor
    ),
}
"""The clusters by the schemes of their addresses."""
