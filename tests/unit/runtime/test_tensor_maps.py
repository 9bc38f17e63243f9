"""The lowering of `nv.tensor_map` to tensor maps of the driver and of the emulator, and kernels that load and store with them."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from cuda.bindings import driver as real
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser

import ptir
from ptir.analysis.program.signature import entry_function
from ptir.backends.cuda.nvrtc import Binary, compile_cuda
from ptir.dialects import nv
from ptir.dialects.plan import ScheduleAttr
from ptir.dialects.plan.schedule import Cache, Schedule, Vectorize
from ptir.dialects.region import RegionKernelOp
from ptir.emulator.engine.report import Report
from ptir.emulator.errors import BadTensorMap, EmulatorFault
from ptir.emulator.memory.tensor_map import TensorMap
from ptir.passes.environment import make_context
from ptir.passes.manager import PassManager
from ptir.runtime import devices
from ptir.runtime.context import LEGACY
from ptir.runtime.devices import Emulator
from ptir.runtime.driver import DriverFailure
from ptir.runtime.gpu import Gpu
from ptir.runtime.host import read_host
from ptir.runtime.launch import Launch
from ptir.runtime.steps import Step
from ptir.runtime.tensor_maps import TensorMapSpec
from ptir.text.verify import verify_module
from tests.unit.builders import fake_driver
from tests.unit.builders.fake_driver import FakeDriver

F32 = np.dtype(np.float32)
BF16 = np.dtype(ml_dtypes.bfloat16)


def source(rank: int, box_bytes: int) -> str:
    """Returns a kernel in which one thread copies the box at the block's coordinates from one tensor to another."""
    at = ", ".join(("%2", "%3", "%4")[:rank])
    return f"""
typedef unsigned u32; typedef unsigned long long u64;
struct alignas(64) Map {{ u64 opaque[16]; }};
extern "C" __global__ void copy(const __grid_constant__ Map from, const __grid_constant__ Map to, const int* steps) {{
  __shared__ __align__(1024) unsigned char box[{box_bytes}];
  __shared__ u64 full;
  const u32 bar = (u32)__cvta_generic_to_shared(&full), s = (u32)__cvta_generic_to_shared(box);
  const int x = blockIdx.x * steps[0], y = blockIdx.y * steps[1], z = blockIdx.z * steps[2];
  if (threadIdx.x == 0) {{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(bar) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" :: "r"(bar), "r"({box_bytes}) : "memory");
    asm volatile(
        "cp.async.bulk.tensor.{rank}d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {{{at}}}], [%5];"
        :: "r"(s), "l"(&from), "r"(x), "r"(y), "r"(z), "r"(bar) : "memory");
    asm volatile("{{ .reg .pred p; WAIT: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0; @!p bra WAIT; }}"
                 :: "r"(bar) : "memory");
    asm volatile("cp.async.bulk.tensor.{rank}d.global.shared::cta.tile.bulk_group [%1, {{{at}}}], [%0];"
                 :: "r"(s), "l"(&to), "r"(x), "r"(y), "r"(z) : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
  }}
}}"""


@pytest.fixture
def driver(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> FakeDriver:
    monkeypatch.setenv("PTIR_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setitem(fake_driver.ATTRIBUTES, "COMPUTE_CAPABILITY_MAJOR", 9)
    return FakeDriver().install(monkeypatch)


def copying(device: Any, binary: Binary, x: Any, from_: TensorMapSpec, to: TensorMapSpec, grid: Any) -> Any:
    """Copies all boxes. Returns the contents of the second tensor's buffer."""
    y = np.zeros(x.shape, x.dtype)
    steps = np.array([*from_.box[::-1], 0, 0][:3], np.int32)
    launch = Launch("copy", grid, (32, 1, 1), 0, frozenset({1}), maps={0: from_, 1: to})
    device.run(binary, launch, [x, y, steps])
    return y


@pytest.mark.sampled(3)
@pytest.mark.parametrize("device", ["emulator", "gpu"])
@pytest.mark.parametrize("swizzle", [0, 32, 64, 128])
@pytest.mark.parametrize("dtype", [np.float32, ml_dtypes.bfloat16, np.int8])
def test_a_matrix_is_copied_box_by_box(driver: FakeDriver, device: str, swizzle: int, dtype: Any):
    """Boxes do not divide the sizes. Elements beyond the array are neither read nor written."""
    dtype = np.dtype(dtype)
    columns = (swizzle or 48) // dtype.itemsize
    sizes = 20, 112 // dtype.itemsize
    spec = TensorMapSpec(sizes, (sizes[1], 1), (8, columns), dtype, swizzle)
    x = np.random.default_rng(0).integers(-100, 100, sizes).astype(dtype)
    grid = -(-sizes[1] // columns), 3, 1
    on = Emulator() if device == "emulator" else Gpu()
    y = copying(on, compile_cuda(source(2, 8 * columns * dtype.itemsize), "sm_90a"), x, spec, spec, grid)
    np.testing.assert_array_equal(y, x)
    assert device == "emulator" or not driver.contexts


@pytest.mark.parametrize("device", ["emulator", "gpu"])
def test_offset_and_strides_of_three_axes(driver: FakeDriver, device: str):
    """The middle of one array, its outer axes exchanged, into the same places of another."""
    x = np.arange(1, 4 * 6 * 16 + 1, dtype=np.float32).reshape(4, 6, 16)
    spec = TensorMapSpec((5, 3, 8), (16, 96, 1), (1, 2, 4), F32, offset=96 + 8)
    binary = compile_cuda(source(3, 32), "sm_90a")
    y, steps = np.zeros_like(x), np.array([4, 2, 1], np.int32)
    if device == "emulator":
        with pytest.raises(EmulatorFault, match="no thread stored 1056 of the 1536 bytes of argument 1") as caught:
            copying(Emulator(), binary, x, spec, spec, (2, 2, 5))
        assert str(caught.value) == (
            "error[PTIR0510]: no thread stored 1056 of the 1536 bytes of argument 1\n"
            "  kernel copy, after its last thread"
        )
        launch = Launch("copy", (2, 2, 5), (32, 1, 1), 0, frozenset(), frozenset({1}), maps={0: spec, 1: spec})
        Emulator().run(binary, launch, [x, y, steps])
    else:
        y = copying(Gpu(), binary, x, spec, spec, (2, 2, 5))
    want = np.zeros((4, 6, 16), np.bool_)
    want[1:4, :5, 8:] = True
    np.testing.assert_array_equal(y[want], x[want])
    assert not (y[~want] == x[~want]).any()


def test_what_the_driver_is_told(driver: FakeDriver, monkeypatch: pytest.MonkeyPatch):
    """The example in the module's docstring, field by field."""
    told: list[Any] = []
    encoder = driver._encode_map  # pyright: ignore[reportPrivateUsage]

    def watch(out: int, type_: int, rank: int, address: int, *rest: Any) -> int:
        sizes, strides, box, steps, *modes = rest
        told.append((real.CUtensorMapDataType(type_).name.removeprefix("CU_TENSOR_MAP_DATA_TYPE_"), rank, address,
                     sizes[:rank], strides[: rank - 1], box[:rank], steps[:rank], *modes))  # fmt: skip
        return encoder(out, type_, rank, address, *rest)

    driver._encoder = type(driver._encoder)(watch)  # pyright: ignore[reportPrivateUsage]
    gpu = Gpu()
    base = driver.allocate(4 * 512 * 768 * 2)
    spec = TensorMapSpec((4, 512, 768), (393216, 768, 1), (1, 128, 64), BF16, 128)
    first = gpu.tensor_map(spec, base, 4 * 512 * 768 * 2)
    assert told == [("UINT16", 3, base, [768, 512, 4], [1536, 786432], [64, 128, 1], [1, 1, 1], 0, 3, 2, 0)]
    assert first.address % 128 == 0
    assert gpu.tensor_map(spec, base, 4 * 512 * 768 * 2) is first and len(told) == 1
    for swizzle, want in ((0, 0), (32, 1), (64, 2), (128, 3)):
        gpu.tensor_map(TensorMapSpec((64, 64), (64, 1), (8, 16), BF16, swizzle, offset=64), base, 1 << 16)
        assert told[-1][8] == want and told[-1][2] == base + 128
    for dtype, want in (
        (np.float16, "UINT16"), (np.float32, "UINT32"), (np.float64, "UINT64"), (np.int32, "UINT32"),
        (np.uint8, "UINT8"), (np.bool_, "UINT8"), (ml_dtypes.float8_e4m3fn, "UINT8"), (ml_dtypes.float8_e5m2, "UINT8"),
        (np.int64, "UINT64"), (ml_dtypes.bfloat16, "UINT16"), (np.int16, "UINT16"),
    ):  # fmt: skip
        gpu.tensor_map(TensorMapSpec((64,), (1,), (16,), np.dtype(dtype)), base, 1 << 16)
        assert told[-1][0] == want and told[-1][1] == 1
        assert fake_driver.ELEMENT_BYTES[want] == np.dtype(dtype).itemsize


def test_tf32_is_a_type_of_its_own_to_the_driver(driver: FakeDriver):
    spec = TensorMapSpec((64,), (1,), (16,), F32, tf32=True)
    base = driver.allocate(256)
    Gpu().tensor_map(spec, base, 256)
    assert driver.maps[0][1].dtype == spec.at(base, 256).dtype == "tf32"
    assert TensorMapSpec((64,), (1,), (16,), F32).at(base, 256).dtype == ""


def test_maps_are_encoded_once_a_buffer(driver: FakeDriver):
    spec = TensorMapSpec((16, 16), (16, 1), (8, 16), F32)
    binary = compile_cuda(source(2, 512), "sm_90a")
    gpu = Gpu()
    x, steps = np.arange(256, dtype=np.float32).reshape(16, 16), np.array([16, 8, 0], np.int32)
    launch = Launch("copy", (1, 2, 1), (32, 1, 1), 0, frozenset({1}), maps={0: spec, 1: spec})
    with gpu.current():
        memory = [gpu.upload(a, LEGACY) for a in (x, np.zeros_like(x), steps)]
        function = gpu.kernel(binary, "copy", 0)
        for _ in range(3):
            gpu.launch(function, launch, [m.pointer for m in memory], [m.size for m in memory], LEGACY)
        out = np.zeros_like(x)
        gpu.download(out, memory[1].pointer, LEGACY)
        gpu.synchronize(LEGACY)
    np.testing.assert_array_equal(out, x)
    assert len(driver.maps) == 2 and driver.launched == ["copy"] * 3


GOOD: dict[str, Any] = {"sizes": (4, 32, 64), "strides": (2048, 64, 1), "box": (1, 8, 32), "dtype": BF16, "swizzle": 64}
BYTES = 4 * 32 * 64 * 2


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"strides": (2048, 1)}, "need as many strides"),
        ({"strides": (2048, 64, 2)}, "the last of them 1"),
        ({"strides": (2048, 60, 1)}, "multiples of 16"),
        ({"sizes": (4, 32, 0)}, r"not in \[1, 2\^32\]|are not all among"),
        ({"sizes": (5, 32, 64)}, "elements 0 to 10239 are not all among the 8192 of the buffer"),
        ({"offset": 8}, "elements 8 to 8199 are not all among"),
        ({"offset": -8}, "elements -8 to"),
        ({"sizes": (1, 32, 64), "offset": 4}, "is not 16-byte aligned"),
        ({"box": (1, 257, 32)}, r"box .* is not in \[1, 256\]"),
        ({"box": (1, 0, 32)}, r"box .* is not in \[1, 256\]"),
        ({"box": (8, 32)}, "got 2 box sizes and 3 element strides, expected 3"),
        ({"box": (1, 8, 64)}, "rows of 128 bytes exceed the swizzle's 64"),
        ({"box": (1, 8, 12)}, "rows of 24 bytes must be a multiple of 16"),
        ({"swizzle": 16}, "swizzle 16 is not 0, 32, 64 or 128"),
        ({"dtype": np.dtype(np.complex128)}, "TMA does not copy complex128"),
        ({"sizes": (1,) * 6, "strides": (8,) * 5 + (1,), "box": (1,) * 5 + (32,)}, "rank 6 is not 1 to 5"),
    ],
)
def test_maps_that_the_driver_would_refuse(driver: FakeDriver, change: dict[str, Any], problem: str):
    base = driver.allocate(BYTES)
    TensorMapSpec(**GOOD).at(base, BYTES)
    spec = TensorMapSpec(**(GOOD | change))
    with pytest.raises(BadTensorMap, match=problem) as caught:
        spec.at(base, BYTES)
    assert caught.value.code == "PTIR0552"
    with pytest.raises(BadTensorMap, match=problem):
        Gpu().tensor_map(spec, base, BYTES)
    assert not driver.maps


@pytest.mark.parametrize("stride", [0, 1, 3, 64, 1 << 50])
def test_strides_of_axes_of_size_one_are_made_valid(driver: FakeDriver, stride: int):
    spec = TensorMapSpec((1, 32, 1, 20), (stride, 24, stride, 1), (1, 8, 1, 8), BF16)
    assert spec.at(driver.allocate(BYTES), BYTES).strides == (48, 48, 48)
    assert TensorMapSpec((1, 20), (stride, 1), (1, 8), BF16).at(0, 40).strides == (48,)


def test_the_last_element_is_in_the_buffer():
    TensorMapSpec(**GOOD).at(0, BYTES)
    with pytest.raises(BadTensorMap, match="elements 0 to 8191 are not all among the 8191 of the buffer"):
        TensorMapSpec(**GOOD).at(0, BYTES - 2)


def test_a_wide_stride_and_a_buffer_out_of_line(driver: FakeDriver):
    wide = TensorMapSpec((2, 64), (1 << 39, 1), (1, 32), BF16)
    with pytest.raises(BadTensorMap, match="multiples of 16"):
        wide.at(0, 1 << 41)
    with pytest.raises(BadTensorMap, match="is not 16-byte aligned"):
        TensorMapSpec(**GOOD).at(8, BYTES)


def test_a_refusal_of_the_driver_is_a_failure(driver: FakeDriver):
    driver._encoder = type(driver._encoder)(lambda *_: 1)  # pyright: ignore[reportPrivateUsage]
    with pytest.raises(DriverFailure, match="cuTensorMapEncodeTiled: CUDA_ERROR_INVALID_VALUE"):
        Gpu().tensor_map(TensorMapSpec(**GOOD), driver.allocate(BYTES), BYTES)


# --- from the IR ----------------------------------------------------------------------------------------------

MODULE = """
builtin.module attributes {gpu.container_module} {
  "gpu.module"() <{sym_name = "kernels"}> ({
    "gpu.func"() <{function_type = (!nv.tensor_map<1x8x32xbf16, b64>, memref<4x32x64xbf16>, !nv.tensor_map<8x16xbf16, none>) -> ()}> ({
    ^bb0(%a: !nv.tensor_map<1x8x32xbf16, b64>, %b: memref<4x32x64xbf16>, %c: !nv.tensor_map<8x16xbf16, none>):
      "gpu.return"() : () -> ()
    }) {sym_name = "k", nv.cluster = array<i64: 2, 1, 1>} : () -> ()
  }) : () -> ()
  func.func @f(%x: memref<4x32x64xbf16>) -> memref<64x128xbf16> {
    %0 = memref.alloc() : memref<64x128xbf16>
    %t = nv.tensor_map %x offset 0 sizes [4, 32, 64] strides [2048, 64, 1] : memref<4x32x64xbf16> -> !nv.tensor_map<1x8x32xbf16, b64>
    %u = nv.tensor_map %0 offset 128 sizes [63, 100] strides [128, 1] : memref<64x128xbf16> -> !nv.tensor_map<8x16xbf16, none>
    nv.launch @kernels::@k grid [4, 2, 1] block [128, 1, 1] cluster [2, 1, 1] shared 1024(%t, %x, %u
      : !nv.tensor_map<1x8x32xbf16, b64>, memref<4x32x64xbf16>, !nv.tensor_map<8x16xbf16, none>)
    func.return %0 : memref<64x128xbf16>
  }
}
"""


def parsed(text: str) -> ModuleOp:
    module = Parser(make_context(), text).parse_module()
    verify_module(module)
    return module


def test_the_host_reads_maps_and_clusters():
    module = parsed(MODULE)
    host = read_host(module, entry_function(module, None))
    (step,) = (step for step in host.steps if isinstance(step, Step))
    assert step.reads == (0, 0, 1) and host.results == (1,) and len(host.buffers) == 2
    assert (step.launch.grid, step.launch.block, step.launch.cluster) == ((4, 2, 1), (128, 1, 1), (2, 1, 1))
    assert step.launch.maps == {
        0: TensorMapSpec((4, 32, 64), (2048, 64, 1), (1, 8, 32), BF16, 64),
        2: TensorMapSpec((63, 100), (128, 1), (8, 16), BF16, 0, 128),
    }
    assert isinstance(step.op, nv.LaunchOp)
    assert step.launch.maps[2].at(1024, 64 * 128 * 2) == TensorMap(1024 + 256, 2, (100, 63), (256,), (16, 8))


def test_the_emulator_gets_maps_and_a_cluster(monkeypatch: pytest.MonkeyPatch):
    module = parsed(MODULE)
    (step,) = (s for s in read_host(module, entry_function(module, None)).steps if isinstance(s, Step))
    seen: list[dict[str, Any]] = []
    monkeypatch.setattr(devices, "emulate", lambda *args, **more: (seen.append(more), Report(kernel="k"))[1])
    binary = compile_cuda('extern "C" __global__ void k(const int* x, const int* y, const int* z) {}', "sm_90a")
    x, y = np.zeros((4, 32, 64), BF16), np.zeros((64, 128), BF16)
    Emulator().run(binary, step.launch, [x, x, y])
    first, second, third = seen[0]["args"]
    assert isinstance(first, TensorMap) and isinstance(third, TensorMap)
    assert first.address == second and third.address != second, "a buffer has one address"
    assert first == TensorMap(second, 2, (64, 32, 4), (128, 4096), (32, 8, 1), 64)
    assert seen[0]["cluster"] == (2, 1, 1)
    Emulator().run(binary, Launch("k", (1, 1, 1), (32, 1, 1), 0, frozenset()), [x, x, y])
    assert seen[1]["cluster"] is None and seen[1]["registers"] == binary.kernels["k"].registers > 0


# --- a whole program -------------------------------------------------------------------------------------------

PRODUCT = """
func.func @f(%x: tensor<256x64xbf16>, %w: tensor<64x64xbf16>) -> tensor<256x64xf32> {
  %0 = ptir.dot_general %x, %w contract [1] x [0] accum f32 out f32
     : (tensor<256x64xbf16>, tensor<64x64xbf16>) -> tensor<256x64xf32>
  func.return %0 : tensor<256x64xf32>
}"""


def warp_specialized() -> ModuleOp:
    """Returns a program of a matrix product in four tiles, with clusters of two blocks, and TMA loads and stores."""
    module = PassManager("ptir-to-tiny,form-regions").run(ptir.parse(PRODUCT))
    (kernel,) = (op for op in module.walk() if isinstance(op, RegionKernelOp))
    plan = Schedule(
        arch="sm90", tile=(64, 64, 64), stages=2, warp_tile="64x64", roles="cooperative", cluster=(2, 1),
        cache=(Cache(tensor="A"), Cache(tensor="B")), vectorize=Vectorize(axis="n.i.i", width=4),
        algo_choice={"matmul": "implicit_gemm"},
    )  # fmt: skip
    kernel.plan = ScheduleAttr(plan)
    return module


@pytest.mark.sampled(1)
def test_a_warp_specialized_program_on_a_gpu(driver: FakeDriver, monkeypatch: pytest.MonkeyPatch):
    """Calls and graphs on arrays of a GPU, and NumPy's, through the same kernel."""
    r = np.random.default_rng(0)
    x, w = (r.integers(-4, 5, sizes).astype(BF16) for sizes in ((256, 64), (64, 64)))
    want = x.astype(np.float32) @ w.astype(np.float32)
    calls: list[Any] = []
    kept = driver._run  # pyright: ignore[reportPrivateUsage]
    monkeypatch.setattr(driver, "_run", lambda *call: (calls.append(call), kept(*call)))
    compiled = ptir.compile(warp_specialized(), arch="sm90")
    arrays = ptir.to_device(x), ptir.to_device(w)
    np.testing.assert_array_equal(compiled(*arrays)[0].numpy(), want)
    (call,) = calls
    maps = [a for a in call[-1] if not isinstance(a, int)]
    assert call[4] == (2, 1, 1) and len(maps) >= 2 and {base for base, _ in maps} >= {a.memory.pointer for a in arrays}
    encoded = len(driver.maps)
    out = ptir.to_device(np.zeros_like(want))
    for _ in range(2):
        compiled(*arrays, out=out)
    np.testing.assert_array_equal(out.numpy(), want)
    assert len(driver.maps) - encoded <= 1, "the inputs' maps are there already"
    graph = compiled.graph(*arrays, out=out)
    graph.launch()
    np.testing.assert_array_equal(out.numpy(), want)
    np.testing.assert_array_equal(compiled(x, w)[0], want)
    (emulated,) = ptir.compile(warp_specialized(), arch="sm90", device=Emulator())(x, w)
    np.testing.assert_array_equal(emulated, want)
