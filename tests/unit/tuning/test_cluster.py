"""The search on dask clusters, and on what is used of ray."""

from __future__ import annotations

import os
import signal
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from ptir.tuning.errors import ExecutorUnavailable
from ptir.tuning.executors import workers
from ptir.tuning.search import Settings, problems, search
from ptir.tuning.store import Store, Trial

from .builder import A100, kernels, product


@pytest.mark.campaign
def test_a_search_on_a_cluster_survives_a_killed_worker(tmp_path: Path):
    """
    One of two workers is killed after the first trial. The result is that of the processes of this machine. Takes 25 seconds of a core: the
    workers, and the children in which trials run, are processes.
    """
    import distributed

    todo = problems(kernels(product(20)), Settings(A100, count=6))
    finished: list[Trial] = []
    killed: list[int] = []
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
        Store(tmp_path / "tuned.sqlite", write=True) as store,
        workers(cluster.scheduler_address.replace("tcp://", "dask://")) as pool,
    ):

        def watch(_: object, trial: Trial) -> None:
            finished.append(trial)
            if not killed:
                killed.append(next(iter(client.run(os.getpid).values())))
                os.kill(killed[0], signal.SIGKILL)

        search(todo, store, pool, Settings(A100, "emulator", limit=120), watch)
        assert len(finished) == 6 and {t.outcome for t in finished} == {"measured"} and killed
        assert len(store.trials(todo[0].kernel.region, "a100", "emulator", finished[0].toolchain)) == 6
        (found,) = store.sets(todo[0].key)
    again = problems(kernels(product(20)), Settings(A100, count=6))
    with Store(tmp_path / "here.sqlite", write=True) as store, workers("processes", 2) as pool:
        search(again, store, pool, Settings(A100, "emulator", limit=120))
        assert store.sets(again[0].key) == [found]


def test_trials_are_tasks_of_dask():
    """The scheduler and its worker are threads of this process."""
    import distributed

    with (
        distributed.LocalCluster(
            n_workers=1, processes=False, protocol="tcp", dashboard_address=None, resources={"GPU": 1}
        ) as cluster,
        workers(cluster.scheduler_address.replace("tcp://", "dask://")) as pool,
    ):
        assert pool.compiling.submit(pow, 2, 5).result() == 32
        assert pool.measuring.submit(abs, -1).result() == 1
        failed = pool.compiling.submit(int, "x")
        wait([failed])
        assert pool.outcome(failed).word == "crashed"


@pytest.mark.campaign
def test_a_cluster_that_does_not_answer(monkeypatch: pytest.MonkeyPatch):
    """The connection is tried for a second."""
    monkeypatch.setattr("ptir.tuning.executors.CONNECT", 1)
    with pytest.raises(ExecutorUnavailable, match="no cluster answers"), workers("dask://127.0.0.1:9"):
        pass


class FakeRay:
    """What is used of ray: tasks run in threads. `asked` has the addresses and the GPUs of the tasks."""

    def __init__(self, problem: str = "") -> None:
        self.threads, self.asked, self.problem = ThreadPoolExecutor(2), list[Any](), problem

    def init(self, address: str | None, log_to_driver: bool) -> None:
        assert not log_to_driver
        self.asked.append(address)
        if self.problem:
            raise ConnectionError(self.problem)

    def shutdown(self) -> None:
        self.asked.append("shutdown")
        self.threads.shutdown()

    def remote(self, fn: Any) -> Any:
        def options(num_gpus: int) -> Any:
            def call(*args: Any) -> Any:
                self.asked.append(num_gpus)
                return SimpleNamespace(future=lambda: self.threads.submit(fn, *args))

            return SimpleNamespace(remote=call)

        return SimpleNamespace(options=options)


@pytest.mark.parametrize(("name", "address"), [("ray", None), ("ray://h:1", "ray://h:1")])
def test_trials_are_tasks_of_ray(name: str, address: str | None, monkeypatch: pytest.MonkeyPatch):
    ray = FakeRay()
    monkeypatch.setattr("ptir.tuning.executors.import_module", lambda _: ray)
    with workers(name) as pool:
        assert pool.compiling.submit(pow, 2, 5).result() == 32
        assert pool.measuring.submit(abs, -1).result() == 1
    assert ray.asked == [address, 0, 1, "shutdown"]


def test_a_cluster_of_ray_that_does_not_answer(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("ptir.tuning.executors.import_module", lambda _: FakeRay("nobody is there"))
    with pytest.raises(ExecutorUnavailable, match="no cluster answers: nobody is there"), workers("ray://h:1"):
        pass


@pytest.mark.parametrize(
    ("name", "help"),
    [
        ("dask://h:1", r"distributed is not installed\n.*ptir\[cluster\]"),
        ("ray", r"ray is not installed\n.*pip install ray"),
    ],
)
def test_without_the_package_a_cluster_is_refused(name: str, help: str, monkeypatch: pytest.MonkeyPatch):
    def missing(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr("ptir.tuning.executors.import_module", missing)
    with pytest.raises(ExecutorUnavailable, match=rf"--executor={name}: {help}"), workers(name):
        pass
