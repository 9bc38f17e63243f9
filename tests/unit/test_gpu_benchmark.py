"""`benchmarks/gpu.py` with a driver that runs kernels in the emulator, and without any driver."""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests.unit.fake_driver import ATTRIBUTES, FakeDriver

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


SOME = ("cp.async.cg 16", "ldmatrix x4", "swizzle of 64 columns of 2", "cvt.rn.bf16.f32",
        "mma m16n8k16.row.col.f32.f16.f16.f32 on integers")  # fmt: skip


@pytest.fixture
def gpu(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The module, without PyTorch and with a few of the micro-kernels."""
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    module = importlib.import_module("gpu")
    some = [kernel for kernel in module.micro.kernels() if kernel.name in SOME]
    monkeypatch.setattr(module.micro, "kernels", lambda: some)
    monkeypatch.setattr(module, "TYPES", {name: module.TYPES[name] for name in ("bf16", "i8", "f64")})
    monkeypatch.setattr(module, "torch_version", lambda: None)
    return module


@pytest.fixture
def driver(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> FakeDriver:
    monkeypatch.setenv("PTIR_CACHE_DIR", str(tmp_path / "cache"))
    return FakeDriver().install(monkeypatch)


def test_without_a_gpu_it_says_so_in_one_line(tmp_path: Path):
    command = [sys.executable, str(BENCHMARKS / "gpu.py"), "--quick", "--folder", str(tmp_path)]
    none = os.environ | {"CUDA_VISIBLE_DEVICES": ""}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=none)
    assert done.returncode == 1 and not done.stdout
    assert done.stderr.startswith("gpu.py: no GPU can be used: ") and done.stderr.count("\n") == 1


def test_all_parts(gpu: Any, driver: FakeDriver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(gpu, "QUICK", ((33, 24, 40), (2, 16, 24, 40)))
    assert gpu.main(["--quick", "--rounds", "3", "--folder", str(tmp_path)]) == 0
    (path,) = tmp_path.glob("2*-Fake-GPU-80GB.json")
    report = json.loads(path.read_text())
    assert report["gpu"] == "Fake GPU 80GB" and report["arch"] == "sm80" and report["wrong"] == 0
    compared = [row for row in report["correctness"] if "refused" not in row]
    assert "bf16" in {row["dtype"] for row in compared}
    for row in compared:
        assert row["integers_gpu_reference_equal"] is row["integers_gpu_emulator_equal"] is True
        assert row.get("random_gpu_in_bounds", True) is row.get("random_emulator_in_bounds", True) is True
    assert len(report["micro"]) == len(SOME) and all(not row["differences"] for row in report["micro"])
    recorded = json.loads((tmp_path / "micro-Fake-GPU-80GB.json").read_text())
    assert [kernel["name"] for kernel in recorded["kernels"]] == [row["kernel"] for row in report["micro"]]
    timed = [row for row in report["timings"] if "refused" not in row]
    assert timed and all(row["rows_in_bounds"] and row["microseconds"] == 1000.0 for row in timed)
    assert all(row["sets"] > 1 for row in timed)
    assert not driver.memory  # nothing is left behind


def test_a_wrong_result_is_seen(gpu: Any, driver: FakeDriver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(gpu, "QUICK", ((33, 24, 40),))
    real = driver._run  # pyright: ignore[reportPrivateUsage]

    def wrong(*call: Any) -> None:
        real(*call)
        driver.memory[call[-1][-1]][-2] ^= 0x40

    monkeypatch.setattr(driver, "_run", wrong)
    assert gpu.main(["--quick", "--rounds", "1", "--folder", str(tmp_path)]) == 1
    (path,) = tmp_path.glob("2*.json")
    report = json.loads(path.read_text())
    ran = [row for part in ("correctness", "micro", "timings") for row in report[part] if "refused" not in row]
    assert report["wrong"] == len(ran)


def test_the_architecture_is_the_newest_that_the_gpu_can_stand_in_for(gpu: Any, driver: FakeDriver, monkeypatch: Any):
    for major, minor, shared, arch in (
        (8, 0, 166912, "sm80"),
        (8, 6, 101376, "sm86"),
        (8, 7, 166912, "sm86"),
        (8, 9, 101376, "sm89"),
        (9, 0, 232448, "sm90"),
        (10, 0, 232448, "sm89"),
        (12, 0, 101376, "sm89"),
    ):
        monkeypatch.setitem(ATTRIBUTES, "COMPUTE_CAPABILITY_MAJOR", major)
        monkeypatch.setitem(ATTRIBUTES, "COMPUTE_CAPABILITY_MINOR", minor)
        monkeypatch.setitem(ATTRIBUTES, "MAX_SHARED_MEMORY_PER_BLOCK_OPTIN", shared)
        assert gpu.best_arch(gpu.Gpu()).name == arch
    monkeypatch.setitem(ATTRIBUTES, "COMPUTE_CAPABILITY_MAJOR", 7)
    with pytest.raises(SystemExit, match="Fake GPU 80GB is sm_70; the kernels need sm_80 or newer"):
        gpu.best_arch(gpu.Gpu())


def test_buffers_take_turns_until_the_l2_is_cold(gpu: Any):
    sets = importlib.import_module("gpu_timing").sets_of_buffers
    assert sets(100 << 20, 50 << 20, 1 << 40) == 3
    assert sets(1 << 20, 50 << 20, 1 << 40) == 64
    assert sets(1 << 30, 50 << 20, 1 << 40) == 2
    assert sets(10 << 20, 50 << 20, 100 << 20) == 5
    for size in (1 << 20, 7 << 20, 100 << 20):
        assert (sets(size, 50 << 20, 1 << 40) - 1) * size >= 50 << 20


def test_long_products_run_less_often(gpu: Any):
    runs = importlib.import_module("gpu_timing").runs_of
    assert runs(1e-6, 3) == 18 and runs(1e-6, 64) == 64 and runs(0.0, 2) == 16
    assert runs(0.02, 2) == 10 and runs(1.0, 2) == 2 and runs(1.0, 5) == 5


class FakeTorch:
    """As much of PyTorch as `TorchMatmul` uses, on NumPy; a product takes a millisecond."""

    float64, int8, clock, capturing = np.float64, np.int8, 0.0, None

    def __init__(self) -> None:
        self.backends = SimpleNamespace(cuda=SimpleNamespace(matmul=SimpleNamespace(allow_tf32=None)))
        self.cuda = SimpleNamespace(
            mem_get_info=lambda: (1 << 30, 1 << 30), Stream=object, synchronize=lambda: None, empty_cache=lambda: None,
            stream=lambda stream: nullcontext(), CUDAGraph=self.graph, graph=self.capture, Event=self.event,
        )  # fmt: skip

    def from_numpy(self, a: Any) -> Any:
        tensor = SimpleNamespace(a=a, numel=lambda: a.size, element_size=lambda: a.itemsize)
        tensor.clone, tensor.to = (
            (lambda: self.from_numpy(a.copy())),
            (lambda where: self.from_numpy(a if where == "cuda" else a.astype(where))),
        )
        return tensor

    def matmul(self, x: Any, w: Any, out: Any = None) -> Any:
        if self.capturing is not None:
            self.capturing.append((x, w, out))
            return out
        self.clock += 1
        if out is None:
            return self.from_numpy(x.a @ w.a)
        out.a[:] = x.a @ w.a
        return out

    def graph(self) -> Any:
        return SimpleNamespace(calls=[], replay=lambda: None)

    @contextmanager
    def capture(self, graph: Any) -> Iterator[None]:
        self.capturing = graph.calls
        yield
        self.capturing = None
        graph.replay = lambda: [self.matmul(x, w, out=y) for x, w, y in graph.calls]

    def event(self, enable_timing: bool) -> Any:
        event = SimpleNamespace(synchronize=lambda: None)
        event.record = lambda: setattr(event, "at", self.clock)
        event.elapsed_time = lambda end: end.at - event.at
        return event


def test_torch_takes_turns_with_us(gpu: Any, driver: FakeDriver, monkeypatch: pytest.MonkeyPatch):
    timing = importlib.import_module("gpu_timing")
    torch = FakeTorch()
    monkeypatch.setattr(timing, "import_module", lambda name: torch)
    data = gpu.operands(gpu.TYPES["f64"], (33, 24, 40), 0)
    theirs = timing.TorchMatmul(gpu.Gpu(), "float64", data, tf32=True)
    assert torch.backends.cuda.matmul.allow_tf32 is True and len(theirs.sets) > 1
    assert theirs.seconds() == pytest.approx(0.001)
    np.testing.assert_array_equal(theirs.sets[-1][2].a, data[0] @ data[1])
    theirs.close()


def test_the_bound_on_rows_is_tight(gpu: Any):
    x, w = gpu.operands(gpu.TYPES["bf16"], (64, 48, 512), 0)
    y = x.astype(np.float32) @ w.astype(np.float32)
    assert gpu.rows_in_bounds(y, (x, w), "f32")
    assert not gpu.rows_in_bounds(y + np.float32(0.01), (x, w), "f32")
    assert gpu.rows_in_bounds(y.astype(x.dtype), (x, w), "bf16")
    assert not gpu.rows_in_bounds(y.astype(x.dtype) * np.float32(1.02), (x, w), "bf16")
    x, w = gpu.operands(importlib.import_module("products").TYPES["f32"], (64, 48, 512), 0)
    y, rounded = x @ w, x.astype(np.float16).astype(np.float32) @ w
    assert gpu.rows_in_bounds(y, (x, w), "f32") and gpu.rows_in_bounds(rounded, (x, w), "f32", tf32=True)
    assert not gpu.rows_in_bounds(rounded, (x, w), "f32")
    x, w = gpu.operands(gpu.TYPES["i8"], (8, 8, 64), 0)
    z = x.astype(np.int32) @ w.astype(np.int32)
    assert gpu.rows_in_bounds(z, (x, w), "si32") and not gpu.rows_in_bounds(z + 1, (x, w), "si32")
