"""`benchmarks/gpu.py` with a fake driver that runs kernels in the emulator, and without a driver."""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import ptir
from ptir.targets.machines import MACHINES
from tests.unit.builders.fake_driver import ATTRIBUTES, FakeDriver

BENCHMARKS = Path(__file__).resolve().parents[3] / "benchmarks"
SOME = ("cp.async.cg 16", "ldmatrix x4", "swizzle of 64 columns of 2", "cvt.rn.bf16.f32",
        "mma m16n8k16.row.col.f32.f16.f16.f32 on integers")  # fmt: skip
WITH_WGMMA = {"COMPUTE_CAPABILITY_MAJOR": 9, "MAX_SHARED_MEMORY_PER_BLOCK_OPTIN": 232448}


@pytest.fixture
def gpu(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Returns the benchmark's module without PyTorch, reduced to a few types, micro-kernels and short graphs."""
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    module = importlib.import_module("gpu")
    some = [kernel for kernel in module.micro.kernels() if kernel.name in SOME]
    monkeypatch.setattr(module.micro, "kernels", lambda: some)
    monkeypatch.setattr(module.workloads, "TYPES", ("bf16", "fp8", "i8", "f64"))
    monkeypatch.setattr(module, "torch_version", lambda: None)
    monkeypatch.setattr(importlib.import_module("ptir.runtime.replay"), "RUNS", 1)
    return module


@pytest.fixture
def driver(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> FakeDriver:
    monkeypatch.setenv("PTIR_CACHE_DIR", str(tmp_path / "cache"))
    return FakeDriver().install(monkeypatch)


@pytest.fixture
def driver_with_wgmma(driver: FakeDriver, monkeypatch: pytest.MonkeyPatch) -> FakeDriver:
    for name, value in WITH_WGMMA.items():
        monkeypatch.setitem(ATTRIBUTES, name, value)
    return driver


@pytest.mark.campaign
def test_without_a_gpu_it_says_so_in_one_line(tmp_path: Path):
    command = [sys.executable, str(BENCHMARKS / "gpu.py"), "--quick", "--folder", str(tmp_path)]
    none = os.environ | {"CUDA_VISIBLE_DEVICES": ""}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=none)
    assert done.returncode == 1 and not done.stdout
    assert done.stderr.startswith("gpu.py: no GPU can be used: ") and done.stderr.count("\n") == 1


def everything(gpu: Any, tmp_path: Path, arch: str) -> dict[str, Any]:
    """Runs the whole benchmark, which must report no errors."""
    assert gpu.main(["--quick", "--rounds", "1", "--folder", str(tmp_path)]) == 0
    (path,) = tmp_path.glob("2*-Fake-GPU-80GB.json")
    report = json.loads(path.read_text())
    assert report["gpu"] == "Fake GPU 80GB" and report["arch"] == arch and report["wrong"] == 0
    compared = [row for row in report["correctness"] if "refused" not in row]
    assert {row["product"].split()[0] for row in compared} >= {"bf16", "i8", "f64"}
    for row in compared:
        assert row["integers_gpu_reference_equal"] is row["integers_gpu_emulator_equal"] is True
        assert row.get("random_gpu_in_bounds", True) is row.get("random_emulator_in_bounds", True) is True
    assert len(report["micro"]) == len(SOME) and all(not row["differences"] for row in report["micro"])
    recorded = json.loads((tmp_path / "micro-Fake-GPU-80GB.json").read_text())
    assert [kernel["name"] for kernel in recorded["kernels"]] == [row["kernel"] for row in report["micro"]]
    timed = [row for row in report["timings"] + report.get("ladder", []) if "refused" not in row]
    assert timed and all(row["integers_agree"] and row["random_in_bounds"] for row in timed)
    assert all(row["microseconds"] % 1000 == 0 < row.get("expected", 1) and row["sets"] > 1 for row in timed)
    assert {row["group"] for row in report["timings"]} == {
        "squares", "attention", "convolutions", "epilogues", "others", "llama"
    }  # fmt: skip
    table = path.with_suffix(".md").read_text()
    assert "0 wrong of" in table and table.count("\n| bf16 ") >= 4
    return report


@pytest.mark.campaign
def test_all_parts(gpu: Any, driver: FakeDriver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(gpu, "QUICK", ((33, 24, 40), (2, 16, 24, 40)))
    report = everything(gpu, tmp_path, "sm80")
    assert "ladder" not in report and not any("refused" in row for row in report["correctness"])
    assert not driver.memory  # all memory is freed


@pytest.mark.campaign
def test_all_parts_with_wgmma(gpu: Any, driver_with_wgmma: FakeDriver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                             capsys: pytest.CaptureFixture[str]):  # fmt: skip
    ladder = gpu.ladder
    monkeypatch.setattr(gpu, "QUICK", ((72, 32, 40), (2, 16, 24, 40)))
    monkeypatch.setattr(ladder, "FIRST", ladder.Shape((64, 32, 32), (64, 32), 2))
    monkeypatch.setattr(
        ladder, "STEPS", (("first", {}), ("three stages", {"stages": 3}), ("cluster", {"cluster": (2, 1)}))
    )
    monkeypatch.setattr(ladder, "VARIANTS", (("pingpong", {"roles": "pingpong"}), ("too deep", {"stages": 99})))
    report = everything(gpu, tmp_path, "sm90")
    steps = [
        "mma.sync, no roles",
        "first",
        "three stages",
        "cluster",
        "instead: pingpong",
        "instead: too deep",
        "the planner's",
    ]
    assert [row["step"] for row in report["ladder"]] == steps
    assert "cluster 2x1" in report["ladder"][3]["plan"] and "pingpong" in report["ladder"][4]["plan"]
    assert report["ladder"][5]["refused"].startswith("PTIR0303: ")
    lines = capsys.readouterr().out.splitlines()
    said = next(at for at, line in enumerate(lines) if "three stages" in line)
    assert lines[said].endswith("microseconds expected") and "three stages" in lines[said + 1]
    assert all("cooperative" in row["plan"] for row in report["timings"] if row["group"] in ("squares", "epilogues"))
    assert not driver_with_wgmma.memory


@pytest.mark.campaign
def test_a_wrong_result_is_seen(gpu: Any, driver: FakeDriver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(gpu, "QUICK", ((33, 24, 40),))
    monkeypatch.setattr(gpu.workloads, "TYPES", ("bf16",))
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


def test_what_the_time_does_not_suffice_for_is_left_out(gpu: Any, driver: FakeDriver, tmp_path: Path):
    assert gpu.main(["--quick", "--budget", "0", "--folder", str(tmp_path)]) == 0
    (path,) = tmp_path.glob("2*.json")
    report = json.loads(path.read_text())
    assert report["left_out"]["micro"] == len(SOME) and report["left_out"]["timings"] > 4
    assert "correctness" not in report and "Left out for want of time: " in path.with_suffix(".md").read_text()


def test_the_architecture_is_the_newest_that_the_gpu_can_stand_in_for(gpu: Any, driver: FakeDriver, monkeypatch: Any):
    for major, minor, shared, arch in (
        (8, 0, 166912, "sm80"),
        (8, 6, 101376, "sm86"),
        (8, 7, 166912, "sm86"),
        (8, 9, 101376, "sm89"),
        (9, 0, 232448, "sm90"),
        (10, 0, 232448, "sm89"),  # later architectures do not run code for sm_90a
        (12, 0, 101376, "sm89"),
    ):
        monkeypatch.setitem(ATTRIBUTES, "COMPUTE_CAPABILITY_MAJOR", major)
        monkeypatch.setitem(ATTRIBUTES, "COMPUTE_CAPABILITY_MINOR", minor)
        monkeypatch.setitem(ATTRIBUTES, "MAX_SHARED_MEMORY_PER_BLOCK_OPTIN", shared)
        assert gpu.best_arch(gpu.Gpu()).name == arch
    monkeypatch.setitem(ATTRIBUTES, "COMPUTE_CAPABILITY_MAJOR", 7)
    with pytest.raises(SystemExit, match="Fake GPU 80GB is sm_70; the kernels need sm_80 or newer"):
        gpu.best_arch(gpu.Gpu())


def test_plans_are_made_for_the_machine_that_the_gpu_is(gpu: Any):
    sm90, sm80 = gpu.ARCHS["sm90"], gpu.ARCHS["sm80"]
    assert gpu.machine_for(SimpleNamespace(name="NVIDIA H200"), sm90).name == "h200"
    assert gpu.machine_for(SimpleNamespace(name="NVIDIA H100 80GB HBM3"), sm90).name == "h100"
    assert gpu.machine_for(SimpleNamespace(name="NVIDIA H200"), sm80).name == "a100"


def test_what_is_timed(gpu: Any):
    groups = gpu.workloads.timed()
    assert [p.sizes[0] for p in groups["squares"]] == 2 * [4096, 8192, 2048, 16384, 1024, 512]
    assert {(p.sizes[0], *p.sizes[1:]) for p in groups["llama"]} >= {(16, 57344, 8192), (4096, 4096, 11008)}
    assert len(groups["llama"]) == 40 and all(p.transposed and p.out == "bf16" for p in groups["llama"])
    assert {p.epilogue for p in groups["epilogues"]} >= {("bias",), ("bias", "gelu"), ("residual",)}
    assert {w.mask for w in groups["attention"]} >= {"none", "causal", "window", "documents", "lengths"}
    assert {w.size for w in groups["attention"]} == {64, 128, 256} and len(groups["convolutions"]) == 10
    assert all(w.operations > 0 for w in groups["attention"])
    assert {p.dtype for p in groups["others"]} >= {"fp8", "i8"} and any(len(p.sizes) == 4 for p in groups["others"])


def test_the_rungs_of_the_ladder_are_plans_that_fit(gpu: Any):
    """All of them, on the product that is climbed first."""
    product = gpu.ladder.PRODUCTS[0]
    plans = list(gpu.ladder.rungs(product, MACHINES["h200"]))
    for _, module, expects in plans:
        ptir.PassManager("plan-regions{arch=sm90}").run(module)
        assert expects["expected"] > 0
    # The planner's own plan may be one of the list.
    assert len({expects["plan"] for _, _, expects in plans}) >= len(plans) - 1


@pytest.mark.parametrize("dtype", ["bf16", "i8", "fp8"])
@pytest.mark.parametrize("epilogue", [(), ("relu",), ("bias", "residual"), ("bias", "gelu", "residual")])
def test_programs_mean_what_numpy_computes(gpu: Any, dtype: str, epilogue: tuple[str, ...]):
    if dtype == "i8" and "gelu" in epilogue:
        return
    for transposed, sizes in ((True, (6, 10, 24)), (False, (2, 6, 10, 24))):
        if len(sizes) == 4 and "bias" in epilogue:
            sizes = sizes[1:]
        product = gpu.Product(dtype, sizes, "" if dtype == "i8" else "bf16", epilogue, transposed)
        for integers in (True, False):
            data = product.operands(0, integers=integers)
            (y,) = ptir.reference(product.text, *data)
            assert product.agrees(y, data, whole=integers)
            y.reshape(-1)[-1 - 60 * (len(sizes) == 4)] += 3
            assert not product.agrees(y, data, whole=integers)


def test_buffers_take_turns_until_the_l2_is_cold(gpu: Any):
    sets = importlib.import_module("ptir.runtime.replay").sets_of_buffers
    assert sets(100 << 20, 50 << 20, 1 << 40) == 3
    assert sets(1 << 20, 50 << 20, 1 << 40) == 64
    assert sets(1 << 30, 50 << 20, 1 << 40) == 2
    assert sets(10 << 20, 50 << 20, 100 << 20) == 5
    for size in (1 << 20, 7 << 20, 100 << 20):
        assert (sets(size, 50 << 20, 1 << 40) - 1) * size >= 50 << 20


def test_long_products_run_less_often(gpu: Any, monkeypatch: pytest.MonkeyPatch):
    timing = importlib.import_module("ptir.runtime.replay")
    monkeypatch.setattr(timing, "RUNS", 16)
    assert timing.runs_of(1e-6, 3) == 18 and timing.runs_of(1e-6, 64) == 64 and timing.runs_of(0.0, 2) == 16
    assert timing.runs_of(0.02, 2) == 10 and timing.runs_of(1.0, 2) == 2 and timing.runs_of(1.0, 5) == 5


class Tensor:
    """The part of `torch.Tensor` that `rivals.py` uses, on NumPy."""

    def __init__(self, a: Any, torch: FakeTorch):
        self.a, self.torch = a, torch

    @property
    def mT(self) -> Tensor:
        return Tensor(np.swapaxes(self.a, -1, -2), self.torch)

    def to(self, what: Any) -> Tensor:
        return self if what == "cuda" else Tensor(self.a.astype(what), self.torch)

    def permute(self, *axes: int) -> Tensor:
        return Tensor(self.a.transpose(axes), self.torch)

    def flatten(self, first: int, last: int) -> Tensor:
        shape = self.a.shape
        return Tensor(self.a.reshape(*shape[:first], -1, *shape[last + 1 :]), self.torch)

    def contiguous(self, memory_format: str) -> Tensor:
        assert memory_format == "channels last"
        return self

    def __getitem__(self, at: Any) -> Any:
        return self.a[at]

    def view(self, dtype: Any) -> Tensor:
        return Tensor(self.a.view(dtype), self.torch)

    def clone(self) -> Tensor:
        return Tensor(self.a.copy(), self.torch)

    def numel(self) -> int:
        return self.a.size

    def element_size(self) -> int:
        return self.a.itemsize

    def __add__(self, other: Tensor) -> Tensor:
        return self.torch.kernel(self.a + other.a)


class FakeTorch:
    """A fake of PyTorch on NumPy. A kernel takes a millisecond; a compiled function is one kernel."""

    bfloat16, float16, float32, float64 = ml_dtypes.bfloat16, np.float16, np.float32, np.float64
    int8, int32, float8_e4m3fn = np.int8, np.int32, ml_dtypes.float8_e4m3fn

    def __init__(self) -> None:
        self.clock = 0.0
        self.backends = SimpleNamespace(
            cuda=SimpleNamespace(matmul=SimpleNamespace(allow_tf32=None)), cudnn=SimpleNamespace(benchmark=False)
        )
        functional = SimpleNamespace(gelu=self.gelu, scaled_dot_product_attention=self.sdpa, conv2d=self.conv2d)
        attention = SimpleNamespace(
            sdpa_kernel=nullcontext, SDPBackend=SimpleNamespace(FLASH_ATTENTION=1, CUDNN_ATTENTION=2)
        )
        attention.flex_attention = SimpleNamespace(flex_attention=self.flex, create_block_mask=self.block_mask)
        self.nn, self.channels_last = SimpleNamespace(functional=functional, attention=attention), "channels last"
        self.cuda = SimpleNamespace(
            mem_get_info=lambda: (1 << 30, 1 << 30), Stream=object, synchronize=lambda: None, empty_cache=lambda: None,
            stream=lambda stream: nullcontext(), CUDAGraph=SimpleNamespace, graph=self.capture, Event=self.event,
        )  # fmt: skip

    def kernel(self, a: Any, out: Tensor | None = None) -> Tensor:
        self.clock += 1
        if out is None:
            return Tensor(a, self)
        out.a[:] = a
        return out

    def from_numpy(self, a: Any) -> Tensor:
        assert a.dtype.kind in "if" and a.dtype.name in ("int8", "int16", "int32", "float16", "float32", "float64")
        return Tensor(a, self)

    def empty(self, shape: Any, *, dtype: Any, device: str) -> Tensor:
        return Tensor(np.zeros(shape, dtype), self)

    ones = empty

    def matmul(self, x: Tensor, w: Tensor, out: Tensor | None = None) -> Tensor:
        return self.kernel((x.a.astype(np.float32) @ w.a.astype(np.float32)).astype(x.a.dtype), out)

    def _int_mm(self, x: Tensor, w: Tensor, out: Tensor) -> Tensor:
        assert x.a.dtype == np.int8
        return self.kernel(x.a.astype(np.int32) @ w.a.astype(np.int32), out)

    def _scaled_mm(self, x: Tensor, w: Tensor, *, scale_a: Tensor, scale_b: Tensor, out_dtype: Any) -> Tensor:
        assert w.a.strides[0] == 1, "w is laid out column by column"
        return self.kernel((x.a.astype(np.float32) @ w.a.astype(np.float32)).astype(out_dtype))

    def addmm(self, bias: Tensor, x: Tensor, w: Tensor) -> Tensor:
        return self.kernel(bias.a + self.matmul(x, w).a)

    def gelu(self, x: Tensor, approximate: str) -> Tensor:
        assert approximate == "tanh"
        return self.kernel(x.a)

    def relu(self, x: Tensor) -> Tensor:
        return self.kernel(np.maximum(x.a, x.a.dtype.type(0)))

    def tanh(self, x: Any) -> Any:
        return np.tanh(x)

    def conv2d(self, x: Tensor, w: Tensor, bias: Tensor, strides: Any, pads: Any, ones: Any, groups: int) -> Tensor:
        assert ones == (1, 1) and bias.a.dtype == x.a.dtype
        (p, q), (r, s) = pads, w.a.shape[2:]
        padded = np.pad(x.a.astype(np.float64), ((0, 0), (0, 0), (p, p), (q, q)))
        windows = np.lib.stride_tricks.sliding_window_view(padded, (r, s), (2, 3))[:, :, :: strides[0], :: strides[1]]
        parts = zip(np.split(windows, groups, 1), np.split(w.a.astype(np.float64), groups, 0), strict=True)
        y = np.concatenate([np.einsum("nchwrs,kcrs->nkhw", *part) for part in parts], 1)
        return self.kernel((y + bias.a.astype(np.float64)[:, None, None]).astype(x.a.dtype))

    def cudnn_convolution_relu(self, *given: Any) -> Tensor:
        start = self.clock
        y = self.relu(self.conv2d(*given))
        self.clock = start + 1
        return y

    def sdpa(self, q: Tensor, k: Tensor, v: Tensor, *, is_causal: bool, scale: float, enable_gqa: bool) -> Tensor:
        mask = self.block_mask(lambda b, h, q, k: k <= q, None, None, q.a.shape[2], k.a.shape[2], device="cuda")
        return self.flex(
            q, k, v, score_mod=None, block_mask=mask if is_causal else None, scale=scale, enable_gqa=enable_gqa
        )

    def block_mask(
        self, kept: Any, batch: int | None, heads: int | None, queries: int, keys: int, *, device: str
    ) -> Any:
        return kept(*np.ix_(range(batch or 1), range(heads or 1), range(queries), range(keys)))

    def flex(
        self, q: Tensor, k: Tensor, v: Tensor, *, score_mod: Any, block_mask: Any, scale: float, enable_gqa: bool
    ) -> Tensor:
        group = q.a.shape[1] // k.a.shape[1]
        assert enable_gqa or group == 1
        x, keys, values = (t.a.astype(np.float64).repeat(n, 1) for t, n in ((q, 1), (k, group), (v, group)))
        scores = x @ keys.swapaxes(-1, -2) * scale
        if score_mod is not None:
            scores = score_mod(scores, *np.ix_(*map(range, scores.shape)))
        p = np.exp(np.where(True if block_mask is None else block_mask, scores, -np.inf))
        return self.kernel((p / p.sum(-1, keepdims=True) @ values).astype(q.a.dtype))

    def compile(self, call: Any, dynamic: bool) -> Any:
        def compiled(*t: Any, **how: Any) -> Any:
            start = self.clock
            result = call(*t, **how)
            self.clock = start + 1
            return result

        return compiled

    @contextmanager
    def capture(self, graph: Any) -> Iterator[None]:
        start = self.clock
        yield
        took, self.clock = self.clock - start, start

        def replay() -> None:
            self.clock += took

        graph.replay = replay

    def event(self, enable_timing: bool) -> Any:
        event = SimpleNamespace(synchronize=lambda: None)
        event.record = lambda: setattr(event, "at", self.clock)
        event.elapsed_time = lambda end: end.at - event.at
        return event


@pytest.fixture
def torch(gpu: Any, monkeypatch: pytest.MonkeyPatch) -> FakeTorch:
    """Installs fakes of PyTorch and of Triton, which cannot compile its specialized kernel."""
    torch = FakeTorch()

    def launch(x: Tensor, w: Tensor, y: Tensor, *sizes: int, form: str, **options: int) -> None:
        assert sizes == (*x.a.shape[:1], *y.a.shape[1:], *x.a.shape[1:]) and options == {
            "num_warps": 8,
            "num_stages": 3,
        }
        torch.matmul(x, w.mT, out=y)
        torch.clock += 2

    gemm = SimpleNamespace(PROCESSORS=132, FORMS={"tma": 8, "specialised": 4})
    gemm.constants_of = lambda form, tile, transposed: ({(132,): launch}, {"form": form})
    given = {"torch": torch, "triton": SimpleNamespace(set_allocator=lambda f: None), "triton_gemm": gemm}
    attention = torch.nn.attention
    given |= {"torch.nn.attention": attention, "torch.nn.attention.flex_attention": attention.flex_attention}
    for module in ("gpu", "rivals"):
        monkeypatch.setattr(sys.modules[module], "import_module", given.__getitem__)
    monkeypatch.setattr(gpu, "torch_version", lambda: "fake")
    return torch


@pytest.mark.campaign
def test_others_take_turns_with_us(gpu: Any, torch: FakeTorch, driver: FakeDriver):
    plain = gpu.workloads.plain

    def timed(product: Any, only: str = "") -> dict[str, Any]:
        compiled, expects = gpu.compiled_for(product, MACHINES["a100"])
        row, wrong = gpu.timed(gpu.Gpu(), product, lambda: compiled, expects, 1, only)
        assert not wrong and "refused" not in row
        return row

    row = timed(plain("bf16", 128, 256, 64, transposed=True))
    assert row["torch_microseconds"] == 1000 and row["ratio_to_torch"] == 1
    assert row["triton_microseconds"] == 3000 and row["ratio_to_triton"] == 3
    assert row["triton specialised"].startswith("AssertionError: ") and "compiled_microseconds" not in row
    steps = ("bias", "gelu", "residual")
    row = timed(plain("bf16", 33, 24, 40, transposed=True, epilogue=steps))
    assert row["torch_microseconds"] == 4000 and row["compiled_microseconds"] == 1000
    assert "triton_microseconds" not in row
    assert "compiled_microseconds" not in timed(plain("bf16", 33, 24, 40, epilogue=("bias",)), "torch")
    assert timed(plain("i8", 33, 24, 40))["torch_microseconds"] == 1000
    assert not driver.memory


def test_what_others_compute_is_the_product(gpu: Any, torch: FakeTorch, driver: FakeDriver):
    rivals = importlib.import_module("rivals")
    for product in (gpu.workloads.plain("fp8", 16, 24, 40, transposed=True), gpu.workloads.plain("f64", 2, 8, 24, 40),
                    gpu.workloads.plain("bf16", 16, 24, 40, transposed=True, epilogue=("bias", "residual"))):  # fmt: skip
        data = product.operands(0, integers=True)
        (name, make), *_ = rivals.rivals(torch, product)
        call = make()
        replay = rivals.TorchReplay(gpu.Gpu(), torch, product, data, call)
        assert (
            name == "torch"
            and len(replay.sets) > 1
            and replay.seconds() == pytest.approx(0.001 * (3 if product.epilogue else 1))
        )
        assert product.agrees(call(replay.sets[-1]).a, data, whole=True)
        replay.close()
        assert not replay.sets


@pytest.mark.parametrize("how", [{"mask": "causal"}, {"mask": "window", "window": 5}, {"mask": "documents"}, {"mask": "lengths"},
                                 {"mask": "causal", "bias": "alibi"}, {"bias": "tensor", "cap": 3.0}, {}])  # fmt: skip
def test_what_others_compute_is_the_attention(gpu: Any, torch: FakeTorch, driver: FakeDriver, how: dict[str, Any]):
    work = gpu.workloads.Attention(9, 12, size=8, batch=2, heads=2, group=2, **how)
    data = work.operands(0)
    calls = dict(importlib.import_module("rivals").rivals(torch, work))
    assert set(calls) == ({"flash", "cudnn"} if how in ({}, {"mask": "causal"}) else {"flex"})
    for make in calls.values():
        call = make()
        replay = importlib.import_module("rivals").TorchReplay(gpu.Gpu(), torch, work, data, call)
        y = call(replay.sets[-1]).a.reshape(work.array_shape("y"))
        assert replay.seconds() == pytest.approx(0.001) and work.agrees(y, data)
        y[-1, -1, -1, -1] *= 1.1
        assert not work.agrees(y, data)
    assert work.agrees(ptir.reference(work.text, *data)[0], data)


@pytest.mark.parametrize("at", [0, 2, 4, 7, 9])
def test_what_others_compute_is_the_convolution(gpu: Any, torch: FakeTorch, driver: FakeDriver, at: int):
    full = gpu.workloads.CONVOLUTIONS[at]
    many = 6 if full.groups > 1 else 4
    work = replace(full, channels=many, filters=6, size=9, images=2, groups=min(full.groups, 6))
    for integers in (True, False):
        data = work.operands(0, integers=integers)
        for name, make in importlib.import_module("rivals").rivals(torch, work):
            call = make()
            replay = importlib.import_module("rivals").TorchReplay(gpu.Gpu(), torch, work, data, call)
            assert replay.seconds() == pytest.approx(0.001 if name == "cudnn fused" else 0.002)
            if integers:  # PyTorch's bias is rounded to bf16
                assert work.agrees(call(replay.sets[-1]).a.transpose(0, 2, 3, 1), data, whole=True)
        y = ptir.reference(work.text, *data)[0].copy()
        assert work.agrees(y, data, whole=integers)
        y[-1] += 1
        assert not work.agrees(y, data, whole=integers)


def test_the_bound_on_elements_is_tight(gpu: Any):
    product = gpu.Product("bf16", (64, 48, 512))
    x, w = data = product.operands(0)
    y = x.astype(np.float32) @ w.astype(np.float32)
    rounded = gpu.Product("bf16", (64, 48, 512), "bf16")
    assert product.agrees(y, data) and not product.agrees(y + np.float32(0.01), data)
    assert rounded.agrees(y.astype(x.dtype), data)
    assert not rounded.agrees(y.astype(x.dtype) * np.float32(1.02), data)
    integers = gpu.Product("i8", (8, 8, 64))
    x, w = data = integers.operands(0)
    z = x.astype(np.int32) @ w.astype(np.int32)
    assert integers.agrees(z, data) and not integers.agrees(z + 1, data)
