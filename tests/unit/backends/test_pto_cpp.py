"""
Programs that are compiled from PTIR to C++ for the PTO tile library, run with the header of `tests/pto_headers`, against NumPy.

The kernels of all selected tests are in one file, which g++ compiles once. The header checks what a core does not, the order of pipes among others.
"""

from __future__ import annotations

import ctypes
import re
import shutil
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from numpy.typing import NDArray
from xdsl.dialects.func import FuncOp

import ptir
from ptir.analysis.pto.effects import tile_functions
from ptir.backends.pto.emit import print_pto
from ptir.dialects import pto
from ptir.passes.manager import PassManager
from ptir.runtime.devices import Emulator

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")

HEADERS = Path(__file__).parents[2] / "pto_headers"
DIGITS = Path(__file__).parents[3] / "examples" / "digits"
IMAGES = 150
TILES = (
    "ptir-flatten-tuples,ptir-to-tiny,tiny-fold-empty,tiny-order-reductions,cse,form-regions{arch=sm80},"
    "plan-regions{arch=sm80 target=a3},region-to-pto"
)
"""The passes to the tile program, which goes to both targets."""
CPP = "pto-legalize{target=a3},pto-check-legality,pto-pipeline,pto-bufferize,pto-insert-events"
Array = NDArray[Any]


@dataclass(frozen=True)
class Case:
    """A function of PTIR with one kernel, its inputs, and what NumPy computes."""

    name: str
    text: str
    want: Callable[..., Array]
    dtypes: Sequence[str]
    shapes: Sequence[tuple[int, ...]]
    scale: float = 1.0
    tolerance: float = 2e-5
    split: int = 1


@cache
def tile_program(text: str, split: int = 1) -> Any:
    """Returns the tile program that both targets compile. A split of k is asked for; a PTO target would not choose it."""
    passes = TILES if split == 1 else TILES.replace("target=a3", f"split={split}")
    return PassManager(passes).run(ptir.parse(text))


def lowered(text: str, split: int = 1) -> Any:
    return PassManager(CPP).run(tile_program(text, split).clone())


def inputs(case: Case) -> list[Array]:
    rng = np.random.default_rng(len(case.name))
    made: list[Array] = []
    for dtype, shape in zip(case.dtypes, case.shapes, strict=True):
        if dtype == "i8":
            made.append(rng.integers(-8, 8, shape).astype(np.int8))
        else:
            t = {"f32": np.float32, "f16": np.float16, "bf16": ml_dtypes.bfloat16}[dtype]
            made.append((case.scale * rng.standard_normal(shape)).astype(t))
    return made


def f32(x: Array) -> Array:
    return x.astype(np.float32)


def matmul(m: int, k: int, n: int, dtype: str, name: str) -> Case:
    """A product with a bias and ReLU."""
    acc = "i32" if dtype == "i8" else "f32"
    zero = "0" if dtype == "i8" else "0.0"
    text = f"""
    func.func @{name}(%x: tensor<{m}x{k}x{dtype}>, %w: tensor<{k}x{n}x{dtype}>, %b: tensor<{n}x{acc}>) -> tensor<{m}x{n}x{acc}> {{
      %0 = ptir.dot_general %x, %w contract [1] x [0] accum {acc} out {acc}
         : (tensor<{m}x{k}x{dtype}>, tensor<{k}x{n}x{dtype}>) -> tensor<{m}x{n}x{acc}>
      %1 = ptir.broadcast_to %b : tensor<{n}x{acc}> -> tensor<{m}x{n}x{acc}>
      %2 = ptir.add %0, %1 : tensor<{m}x{n}x{acc}>
      %z = ptir.constant dense<{zero}> : tensor<{acc}>
      %3 = ptir.broadcast_to %z : tensor<{acc}> -> tensor<{m}x{n}x{acc}>
      %4 = ptir.maximum %2, %3 : tensor<{m}x{n}x{acc}>
      func.return %4 : tensor<{m}x{n}x{acc}>
    }}"""

    def want(x: Array, w: Array, b: Array) -> Array:
        wide = np.float64 if acc == "f32" else np.int64
        return np.maximum(x.astype(wide) @ w.astype(wide) + b.astype(wide), 0).astype(b.dtype)

    return Case(name, text, want, (dtype, dtype, "i8" if acc == "i32" else "f32"), ((m, k), (k, n), (n,)))


SOFTMAX = """
func.func @softmax(%x: tensor<37x100xf32>) -> tensor<37x100xf32> {
  %max = ptir.reduce max %x axes [1] keepdims : tensor<37x100xf32> -> tensor<37x1xf32>
  %0 = ptir.broadcast_to %max : tensor<37x1xf32> -> tensor<37x100xf32>
  %1 = ptir.sub %x, %0 : tensor<37x100xf32>
  %2 = ptir.exp %1 : tensor<37x100xf32>
  %sum = ptir.reduce sum %2 axes [1] keepdims : tensor<37x100xf32> -> tensor<37x1xf32>
  %3 = ptir.broadcast_to %sum : tensor<37x1xf32> -> tensor<37x100xf32>
  %4 = ptir.div %2, %3 : tensor<37x100xf32>
  func.return %4 : tensor<37x100xf32>
}"""
LAYER_NORM = """
func.func @layer_norm(%x: tensor<24x96xf16>, %g: tensor<96xf16>, %b: tensor<96xf16>) -> tensor<24x96xf16> {
  %0 = ptir.layer_norm %x, %g, %b axis 1 epsilon 1.0e-05 : tensor<24x96xf16>, tensor<96xf16>
  func.return %0 : tensor<24x96xf16>
}"""


def attention_text(name: str, m: int, n: int, masked: str = "") -> str:
    """Returns attention of two heads with `m` queries and `n` keys. `masked` computes %s of %0, from %row and %column."""
    positions = f"""
  %row = ptir.iota axis 1 : tensor<2x{m}x{n}xi32>
  %column = ptir.iota axis 2 : tensor<2x{m}x{n}xi32>
  %least = ptir.constant dense<-1.0e30> : tensor<2x{m}x{n}xf32>"""
    text = f"""
func.func @{name}(%q: tensor<2xMx32xf16>, %k: tensor<2xNx32xf16>, %v: tensor<2xNx32xf16>) -> tensor<2xMx32xf16> {{
  %dot = ptir.dot_general %q, %k batch [0] x [0] contract [2] x [2] accum f32 out f32
    : (tensor<2xMx32xf16>, tensor<2xNx32xf16>) -> tensor<2xMxNxf32>
  %c = ptir.constant dense<0.176776695> : tensor<f32>
  %cb = ptir.broadcast_to %c : tensor<f32> -> tensor<2xMxNxf32>
  %0 = ptir.mul %dot, %cb : tensor<2xMxNxf32>
  {positions + masked if masked else ""}
  %max = ptir.reduce max SCORES axes [2] keepdims : tensor<2xMxNxf32> -> tensor<2xMx1xf32>
  %1 = ptir.broadcast_to %max : tensor<2xMx1xf32> -> tensor<2xMxNxf32>
  %2 = ptir.sub SCORES, %1 : tensor<2xMxNxf32>
  %3 = ptir.exp %2 : tensor<2xMxNxf32>
  %sum = ptir.reduce sum %3 axes [2] keepdims : tensor<2xMxNxf32> -> tensor<2xMx1xf32>
  %4 = ptir.broadcast_to %sum : tensor<2xMx1xf32> -> tensor<2xMxNxf32>
  %5 = ptir.div %3, %4 : tensor<2xMxNxf32>
  %p = ptir.cast %5 : tensor<2xMxNxf32> -> tensor<2xMxNxf16>
  %o = ptir.dot_general %p, %v batch [0] x [0] contract [2] x [1] accum f32 out f16
    : (tensor<2xMxNxf16>, tensor<2xNx32xf16>) -> tensor<2xMx32xf16>
  func.return %o : tensor<2xMx32xf16>
}}"""
    return text.replace("SCORES", "%s" if masked else "%0").replace("xMx", f"x{m}x").replace("xNx", f"x{n}x")


ATTENTION = attention_text("attention", 48, 64)
CAUSAL = attention_text(
    "causal", 40, 136, """
  %keep = ptir.compare ge %row, %column : tensor<2xMxNxi32> -> tensor<2xMxNxi1>
  %s = ptir.select %keep, %0, %least : tensor<2xMxNxi1>, tensor<2xMxNxf32>""",
)  # fmt: skip
WINDOW = attention_text(
    "window", 100, 72, """
  %eight = ptir.constant dense<8> : tensor<2xMxNxi32>
  %end = ptir.add %column, %eight : tensor<2xMxNxi32>
  %near = ptir.compare lt %row, %end : tensor<2xMxNxi32> -> tensor<2xMxNxi1>
  %7 = ptir.select %near, %0, %least : tensor<2xMxNxi1>, tensor<2xMxNxf32>
  %first = ptir.compare lt %column, %eight : tensor<2xMxNxi32> -> tensor<2xMxNxi1>
  %6 = ptir.select %first, %0, %7 : tensor<2xMxNxi1>, tensor<2xMxNxf32>
  %past = ptir.compare ge %row, %column : tensor<2xMxNxi32> -> tensor<2xMxNxi1>
  %s = ptir.select %past, %6, %least : tensor<2xMxNxi1>, tensor<2xMxNxf32>""",
)  # fmt: skip


COLUMN_SUMS = """
func.func @column_sums(%x: tensor<200x70xf16>) -> tensor<70xf16> {
  %0 = ptir.mul %x, %x : tensor<200x70xf16>
  %1 = ptir.reduce sum %0 axes [0] : tensor<200x70xf16> -> tensor<70xf16>
  func.return %1 : tensor<70xf16>
}"""
COLUMN_SOFTMAX = """
func.func @column_softmax(%x: tensor<60x70xf32>) -> tensor<60x70xf32> {
  %max = ptir.reduce max %x axes [0] keepdims : tensor<60x70xf32> -> tensor<1x70xf32>
  %0 = ptir.broadcast_to %max : tensor<1x70xf32> -> tensor<60x70xf32>
  %1 = ptir.sub %x, %0 : tensor<60x70xf32>
  %2 = ptir.exp %1 : tensor<60x70xf32>
  %sum = ptir.reduce sum %2 axes [0] keepdims : tensor<60x70xf32> -> tensor<1x70xf32>
  %3 = ptir.broadcast_to %sum : tensor<1x70xf32> -> tensor<60x70xf32>
  %4 = ptir.div %2, %3 : tensor<60x70xf32>
  func.return %4 : tensor<60x70xf32>
}"""


HEADS = """
func.func @heads(%x: tensor<2x16x4x64xf32>) -> tensor<2x4x16x64xf32> {
  %t = ptir.transpose %x [0, 2, 1, 3] : tensor<2x16x4x64xf32> -> tensor<2x4x16x64xf32>
  %m = ptir.reduce max %t axes [3] keepdims : tensor<2x4x16x64xf32> -> tensor<2x4x16x1xf32>
  %b = ptir.broadcast_to %m : tensor<2x4x16x1xf32> -> tensor<2x4x16x64xf32>
  %s = ptir.sub %t, %b : tensor<2x4x16x64xf32>
  %e = ptir.exp %s : tensor<2x4x16x64xf32>
  func.return %e : tensor<2x4x16x64xf32>
}"""
"""Rows of an array whose axes are exchanged, and which are in several parts of it."""


def softmax(x: Array) -> Array:
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def layer_norm(x: Array, g: Array, b: Array) -> Array:
    x, g, b = f32(x), f32(g), f32(b)
    centered = x - x.mean(1, keepdims=True)
    return centered / np.sqrt((centered**2).mean(1, keepdims=True) + 1e-5) * g + b


def attention(
    q: Array, k: Array, v: Array, keep: Callable[[Array, Array], Array] = lambda row, column: row >= 0
) -> Array:
    scores = f32(q) @ f32(k).transpose(0, 2, 1) / np.sqrt(32)
    rows, columns = np.indices(scores.shape[1:])
    return softmax(np.where(keep(rows, columns), scores, -1e30)) @ f32(v)


def heads(x: Array) -> Array:
    y = x.transpose(0, 2, 1, 3)
    return np.exp(y - y.max(3, keepdims=True))


def causal(*qkv: Array) -> Array:
    return attention(*qkv, keep=lambda row, column: row >= column)


def window(*qkv: Array) -> Array:
    return attention(*qkv, keep=lambda row, column: (row >= column) & ((row < column + 8) | (column < 8)))


CASES = [
    matmul(70, 88, 41, "f32", "ragged"),
    matmul(33, 40, 48, "bf16", "narrow"),
    matmul(64, 64, 32, "i8", "integers"),
    Case("softmax", SOFTMAX, softmax, ("f32",), ((37, 100),)),
    Case("layer_norm", LAYER_NORM, layer_norm, ("f16",) * 3, ((24, 96), (96,), (96,)), tolerance=2e-3),
    Case("attention", ATTENTION, attention, ("f16",) * 3, ((2, 48, 32), (2, 64, 32), (2, 64, 32)), tolerance=2e-3),
    Case("causal", CAUSAL, causal, ("f16",) * 3, ((2, 40, 32), (2, 136, 32), (2, 136, 32)), tolerance=2e-3),
]
CASES += [
    Case("column_sums", COLUMN_SUMS, lambda x: (f32(x) ** 2).sum(0), ("f16",), ((200, 70),), tolerance=2e-3),
    replace(matmul(33, 1000, 24, "f16", "split"), split=3, tolerance=2e-3),
]
MORE = [
    Case("window", WINDOW, window, ("f16",) * 3, ((2, 100, 32), (2, 72, 32), (2, 72, 32)), tolerance=2e-3),
    Case("heads", HEADS, heads, ("f32",), ((2, 16, 4, 64),)),
    Case("column_softmax", COLUMN_SOFTMAX, lambda x: softmax(x.T).T, ("f32",), ((60, 70),)),
]
"""Cases of the campaign."""

CORES = 2
"""The cores on which each kernel runs, one after the other."""
WORDS = {"f32": "float", "f16": "half", "bf16": "bfloat16_t", "i8": "int8_t", "i32": "int32_t"}


@dataclass(frozen=True)
class Kernel:
    """A kernel of the compiled file: a function of pointers that returns the text of a fault, and the types of its arrays."""

    run: Callable[..., bytes | None]
    types: Sequence[pto.MemRefType]


def wrapper(function: FuncOp) -> str:
    """Returns a C function that runs a kernel for one of `cores`, and returns the text of a fault."""
    name = function.sym_name.data
    arrays = [t for t in function.function_type.inputs if isinstance(t, pto.MemRefType)]
    pointers = [f"({WORDS[str(t.element_type)]} *)p[{k}]" for k, t in enumerate(arrays)]
    scalars = ", core, cores" if len(arrays) < len(function.function_type.inputs) else ""
    return f"""
extern "C" const char *run_{name}(void **p, long core, long cores) {{
  static pto::Fault fault;
  try {{ pto::begin(); {name}({", ".join(pointers)}{scalars}); pto::end(); return nullptr; }}
  catch (pto::Fault &found) {{ fault = found; return fault.text; }}
}}"""


def compiled(modules: Sequence[Any], folder: Path, more: str = "") -> dict[str, Kernel]:
    """Compiles the kernels of modules, and `more` C++, as one file, and returns the kernels by name."""
    functions = [f for m in modules for f in tile_functions(m)]
    text = "\n".join([*map(print_pto, modules), *map(wrapper, functions), more])
    source, library = folder / "kernels.cpp", folder / "kernels.so"
    source.write_text(text)
    options = ["-std=c++20", "-Wall", "-Werror", "-Wno-unused-variable", f"-I{HEADERS}", "-shared", "-fPIC"]
    done = subprocess.run(
        ["g++", *options, str(source), "-o", str(library)], capture_output=True, text=True, check=False
    )
    assert not done.returncode, done.stderr[:3000]
    loaded = ctypes.CDLL(str(library))
    found = {f.sym_name.data: [t for t in f.function_type.inputs if isinstance(t, pto.MemRefType)] for f in functions}
    return {name: Kernel(entry(loaded, name), types) for name, types in found.items()} | {
        name: Kernel(entry(loaded, name), ())
        for names in re.findall(r"FAULT\((?!NAME)(\w+)|run_(without_\d+)", more)
        for name in names
        if name
    }


def entry(library: ctypes.CDLL, name: str) -> Callable[..., bytes | None]:
    """Returns the function of a library that runs a kernel."""
    run = getattr(library, f"run_{name}")
    run.restype, run.argtypes = ctypes.c_char_p, [ctypes.c_void_p, ctypes.c_long, ctypes.c_long]
    return run


def dtype_of(t: pto.MemRefType) -> Any:
    return {"f32": np.float32, "f16": np.float16, "bf16": ml_dtypes.bfloat16, "i8": np.int8, "i32": np.int32}[
        str(t.element_type)
    ]


def run(kernel: Kernel, arrays: Sequence[Array], cores: int = CORES) -> str | None:
    """Runs a kernel on `arrays`, of which the last one is the result, for each core, and returns the text of a fault."""
    workspaces = [np.full((cores, 1 << 16), np.nan, np.float32) for _ in kernel.types[len(arrays) :]]
    every = [*arrays, *workspaces]
    pointers = (ctypes.c_void_p * len(every))(*(a.ctypes.data for a in every))
    for core in range(cores):
        if (fault := kernel.run(pointers, core, cores)) is not None:
            return fault.decode()
    return None


FAULTS = {
    "unordered": ("TLOAD(a, g); TEXP(a, a);", "TEXP on pipe V: no flag orders it after a write by pipe MTE2"),
    "overtaken": (
        "TLOAD(a, g); set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); TEXP(b, a); TLOAD(a, g);",
        "TLOAD on pipe MTE2: no flag orders it after a read by pipe V",
    ),
    "set_twice": (
        "set_flag(PIPE_V, PIPE_M, EVENT_ID1); set_flag(PIPE_V, PIPE_M, EVENT_ID1);",
        "set_flag: flag 1 from V to M is set again before it is waited for",
    ),
    "left": ("set_flag(PIPE_V, PIPE_M, EVENT_ID2);", "flag 2 from V to M is still set at the end"),
    "never": ("wait_flag(PIPE_V, PIPE_M, EVENT_ID0);", "wait_flag: flag 0 from V to M is never set"),
    "beyond": ("TASSIGN(a, 196608 - 512);", "TASSIGN: a tile ends beyond its memory"),
    "misaligned": ("TASSIGN(a, 16);", "TASSIGN: an address is a multiple of 32"),
    "nowhere": ("Vec c; TEXP(c, c);", "TEXP: a tile has no address"),
    "extents": (
        "Some c(3, 5); TASSIGN(c, 8192); TLOAD(c, g);",
        "TLOAD: the tensor has another shape than the valid region",
    ),
    "too_many": ("Some c(3, 17);", "Tile: a valid extent is not within the tile"),
}
"""Statements that a core would execute silently, with what the header says of them."""
FAULTY = """
using Vec = Tile<TileType::Vec, float, 16, 16>;
using Some = Tile<TileType::Vec, float, 16, 16, BLayout::RowMajor, -1, -1>;
#define FAULT(NAME, BODY) \\
  extern "C" const char *run_##NAME(void **, long, long) { \\
    static float data[256]; static pto::Fault fault; \\
    try { pto::begin(); Vec a, b; TASSIGN(a, 0); TASSIGN(b, 1024); \\
      GlobalTensor<float, Shape<1, 1, 1, 16, 16>, Stride<256, 256, 256, 16, 1>> g(data); \\
      BODY pto::end(); return nullptr; } \\
    catch (pto::Fault &found) { fault = found; return fault.text; } }
""" + "\n".join(f"FAULT({name}, {body})" for name, (body, _) in FAULTS.items())

CONDITION = """
module attributes {pto.target = #pto.target<a3>} {
  func.func @condition(%x: !pto.memref<32x32xf32>, %y: !pto.memref<64x32xf32>, %core: index, %cores: index) {
    %c1 = arith.constant 1 : index
    %a = pto.tile.load %x[0, 0] : pto.memref<32x32xf32>, tile<32x32xf32>
    %first = arith.cmpi ult, %core, %c1 : index
    scf.if %first {
      %b = pto.tile.exp %a : tile<32x32xf32>
      pto.tile.store %b, %y[0, 0] : pto.memref<64x32xf32>, tile<32x32xf32>
    } else {
      %b = pto.tile.add %a, %a : tile<32x32xf32>
      pto.tile.store %b, %y[32, 0] : pto.memref<64x32xf32>, tile<32x32xf32>
    }
    %c = pto.tile.neg %a : tile<32x32xf32>
    scf.if %first {
      pto.tile.store %c, %y[16, 0] {valid = [32, 32]} : pto.memref<64x32xf32>, tile<32x32xf32>
    }
    func.return
  }
}"""
"""A core computes what the other one does not; a part is written twice."""


INSERTED = """
module attributes {pto.target = #pto.target<a3>} {
  func.func @inserted(%x: !pto.memref<32x32xf32>, %y: !pto.memref<64x32xf32>) {
    %a = pto.tile.load %x[0, 0] : pto.memref<32x32xf32>, tile<8x8xf32>
    %b = pto.tile.load %x[0, 0] : pto.memref<32x32xf32>, tile<32x32xf32>
    %c = pto.tile.insert %a, %b[4, 16] : tile<8x8xf32>, tile<32x32xf32>
    %d = pto.tile.add %b, %b : tile<32x32xf32>
    pto.tile.store %c, %y[0, 0] : pto.memref<64x32xf32>, tile<32x32xf32>
    pto.tile.store %d, %y[32, 0] : pto.memref<64x32xf32>, tile<32x32xf32>
    func.return
  }
}"""
"""The tile that another one is inserted into is used again."""
INSERTIONS = {
    "inserted": (INSERTED, "pto-canonicalize"),
    "placed": (INSERTED.replace("@inserted", "@placed"), "pto-bufferize,pto-insert-events"),
}
"""Kernels with their passes."""


@pytest.fixture(scope="module")
def kernels(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Kernel]:
    """The kernels of the tests of this file that are selected."""
    items = [i for i in request.session.items if isinstance(i, pytest.Function) and i.path == request.path]
    parameters = [p for i in items if hasattr(i, "callspec") for p in i.callspec.params.values()]
    tests, names = {i.originalname for i in items}, {p.name if isinstance(p, Case) else p for p in parameters}
    modules, more = [ptir.parse(CONDITION)], FAULTY if names & set(FAULTS) else ""
    if "test_every_flag_of_a_kernel_is_needed" in tests:
        names.add("softmax")
        softmax = lowered(SOFTMAX)
        more += without_flags(print_pto(softmax), softmax)
    if "test_the_digits_network" in tests:
        modules.append(lowered((DIGITS / "mlp.mlir").read_text("utf-8").replace("1797", str(IMAGES))))
    if "test_a_tile_is_copied_before_another_is_inserted" in tests:
        modules += [PassManager(passes).run(ptir.parse(text)) for text, passes in INSERTIONS.values()]
    modules += [lowered(case.text, case.split) for case in CASES if case.name in names]
    return compiled(modules, tmp_path_factory.mktemp("pto"), more)


def result(case: Case, kernel: Kernel, given: Sequence[Array], shape: Sequence[int]) -> Array:
    """Returns what the C++ of a case computes."""
    out = np.full(shape, 77, dtype_of(kernel.types[len(given)]))
    assert run(kernel, [*given, out]) is None
    return f32(out)


def given(case: Case, kernel: Kernel) -> list[Array]:
    """Returns the inputs of a case; the bias of integers is of the accumulator's type."""
    return [np.ascontiguousarray(x.astype(dtype_of(t))) for x, t in zip(inputs(case), kernel.types, strict=False)]


def check_close(got: Array, want: Array, tolerance: float) -> None:
    np.testing.assert_allclose(
        got, f32(want), rtol=tolerance, atol=tolerance * max(1.0, float(np.abs(f32(want)).max()))
    )


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_equals_numpy(case: Case, kernels: dict[str, Kernel]):
    kernel = kernels[f"{case.name}_0"]
    arrays = given(case, kernel)
    want = case.want(*arrays)
    check_close(result(case, kernel, arrays, want.shape), want, case.tolerance)


@pytest.mark.campaign
def test_more_kernels(tmp_path: Path):
    kernels = compiled([lowered(case.text, case.split) for case in MORE], tmp_path)
    for case in MORE:
        test_equals_numpy(case, kernels)
        test_equals_cuda_of_the_same_tile_program(case, kernels)


@pytest.mark.parametrize(
    "case", [c for c in CASES if c.name in ("narrow", "softmax", "causal", "split")], ids=lambda case: case.name
)
def test_equals_cuda_of_the_same_tile_program(case: Case, kernels: dict[str, Kernel]):
    kernel = kernels[f"{case.name}_0"]
    arrays = given(case, kernel)
    program = ptir.compile(tile_program(case.text, case.split).clone(), arch="sm80", device=Emulator())
    (want,) = program(*arrays)
    check_close(result(case, kernel, arrays, want.shape), want, case.tolerance)


def test_cores_take_the_ways_of_a_condition(kernels: dict[str, Kernel]):
    x, y = np.random.default_rng(0).standard_normal((32, 32)).astype(np.float32), np.zeros((64, 32), np.float32)
    assert run(kernels["condition"], [x, y]) is None
    np.testing.assert_allclose(y, np.concatenate([np.exp(x)[:16], -x[:16], x + x]), rtol=1e-6)


@pytest.mark.parametrize("name", INSERTIONS)
def test_a_tile_is_copied_before_another_is_inserted(name: str, kernels: dict[str, Kernel]):
    x, y = np.random.default_rng(0).standard_normal((32, 32)).astype(np.float32), np.zeros((64, 32), np.float32)
    assert run(kernels[name], [x, y]) is None
    inserted = x.copy()
    inserted[4:12, 16:24] = x[:8, :8]
    np.testing.assert_array_equal(y, np.concatenate([inserted, x + x]))


def test_the_digits_network(kernels: dict[str, Kernel]):
    """Images are classified by both kernels as by NumPy."""
    weights = np.load(DIGITS / "weights.npz")
    w1, w2 = (weights[name].view(ml_dtypes.bfloat16) for name in ("w1_bf16", "w2_bf16"))
    b1, b2 = weights["b1"], weights["b2"]
    x = (np.load(DIGITS / "digits.npz")["images"][:IMAGES].astype(np.float32) / 16).astype(ml_dtypes.bfloat16)
    h, y = np.zeros((IMAGES, 128), ml_dtypes.bfloat16), np.zeros((IMAGES, 10), np.float32)
    assert run(kernels["mlp_0"], [x, w1, b1, h]) is None
    assert run(kernels["mlp_1"], [h, w2, b2, y]) is None
    hidden = np.maximum(f32(x) @ f32(w1) + b1, 0).astype(ml_dtypes.bfloat16)
    np.testing.assert_allclose(f32(h), f32(hidden), rtol=2**-7, atol=1e-6)
    np.testing.assert_allclose(y, f32(h) @ f32(w2) + b2, rtol=1e-5, atol=1e-4)


@pytest.mark.parametrize("name", ["softmax", "causal"])
def test_equals_the_interpreter(name: str, kernels: dict[str, Kernel]):
    """The interpreter poisons what lies outside of valid regions."""
    case = next(c for c in CASES if c.name == name)
    kernel = kernels[f"{name}_0"]
    arrays = given(case, kernel)
    (want,) = ptir.reference(lowered(case.text), *arrays, entry=name)
    check_close(result(case, kernel, arrays, want.shape), want, case.tolerance)


@pytest.mark.parametrize("name", FAULTS)
def test_what_a_core_does_silently_is_reported(name: str, kernels: dict[str, Kernel]):
    fault = kernels[name].run(None, 0, 1)
    assert fault is not None and fault.decode() == FAULTS[name][1]


def test_every_flag_of_a_kernel_is_needed(kernels: dict[str, Kernel]):
    """Without any one of the flags of softmax, the header reports a race."""
    x, y = (np.zeros((37, 100), np.float32) for _ in range(2))
    for number, flag in enumerate(flags_of(print_pto(lowered(SOFTMAX)))):
        fault = run(Kernel(kernels[f"without_{number}"].run, kernels["softmax_0"].types), [x, y])
        assert fault is not None and "no flag orders it" in fault, flag


def flags_of(text: str) -> list[str]:
    """Returns the pipes and ids of the flags in C++."""
    return list(dict.fromkeys(re.findall(r"_flag(\(PIPE_\w+, PIPE_\w+, EVENT_ID\d\));", text)))


def without_flags(text: str, module: Any) -> str:
    """Returns copies of the kernel of a module, of which each lacks one of the flags."""
    (function,) = tile_functions(module)
    name, text = function.sym_name.data, text[text.index("AICORE") :]
    return "".join(
        (re.sub(rf" *(set|wait)_flag{re.escape(flag)};\n", "", text) + wrapper(function)).replace(
            name, f"without_{number}"
        )
        for number, flag in enumerate(flags_of(text))
    )
