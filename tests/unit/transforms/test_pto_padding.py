"""Loads of padded arrays that `pto-legalize` writes, in the interpreter and as C++, against NumPy."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import ptir
from ptir.analysis.program.signature import entry_function
from ptir.analysis.pto.effects import tile_functions
from ptir.passes.manager import PassManager
from ptir.semantics.interpreter import call_on, interpreter
from ptir.tools.arrays import random_inputs

from ..backends.test_pto_cpp import compiled
from ..backends.test_pto_cpp import run as run_cpp

Array = npt.NDArray[Any]
PASSES = "pto-legalize{target=a3},pto-check-legality,pto-pipeline,pto-bufferize,pto-insert-events"
X = np.arange(20 * 16, dtype=np.float32).reshape(20, 16)
PATCHES = "i0 >= 1 - floor(i1/16) and i0 <= 20 - floor(i1/16)"


def image(rows: int, columns: int, top: int, left: int) -> Array:
    """Returns the array in the middle of zeros."""
    found = np.zeros((rows, columns), np.float32)
    at = np.indices(X.shape)
    inside = (at[0] + top >= 0) & (at[0] + top < rows) & (at[1] + left >= 0) & (at[1] + left < columns)
    found[at[0][inside] + top, at[1][inside] + left] = X[inside]
    return found


CASES = {
    "rows": (22, 16, "8x16", "i0 - 1, i1", "1 <= i0 <= 20", image(22, 16, 1, 0)),
    "columns": (20, 21, "8x8", "i0, i1 - 3", "3 <= i1 <= 18", image(20, 21, 0, 3)),
    "both": (25, 21, "16x24", "i0 - 2, i1 - 3", "2 <= i0 <= 21 and 3 <= i1 <= 18", image(25, 21, 2, 3)),
    "cut": (18, 16, "8x16", "i0 + 5, i1", "i0 <= 14", image(18, 16, -5, 0)),
    "spread": (41, 16, "8x16", "floor(i0/2), i1", "i0 mod 2 = 0 and i0 < 40", np.kron(X, [[1], [0]])),
    "union": (20, 16, "8x16", "i0, i1", "i0 < 3 or i0 = 7 or i0 > 17", X),
    "patches": (20, 48, "8x16", "i0 - 1 + floor(i1/16), i1 mod 16", PATCHES, np.hstack([image(20, 16, k, 0) for k in (1, 0, -1)])),
}  # fmt: skip
CASES["spread"] = (*CASES["spread"][:5], np.vstack([CASES["spread"][5], np.zeros((1, 16))]))
CASES["union"] = (*CASES["union"][:5], np.where(np.isin(np.arange(20), [0, 1, 2, 7, 18, 19])[:, None], X, 0))


def program(name: str, dtype: str = "f32") -> str:
    rows, columns, tile, by, where, _ = CASES[name]
    step, x, y = tile.replace("x", ", "), f"memref<20x16x{dtype}>", f"memref<{rows}x{columns}x{dtype}>"
    box = f"in [{rows}, {columns}] dims [0, 1]"
    return f"""
    pto.kernel @k_{name}(%x: {x} align 16) -> (%y: {y} align 16 gmem) {{
      pto.tiles (%m, %n) in [{rows}, {columns}] step [{step}] {{
        %0 = pto.tile.load.map %x[%m, %n] by <"{{ [i0, i1] -> [{by}] }}"> {box} where <"{{ [i0, i1] : {where} }}"> : {x} -> tile<{tile}x{dtype}>
        pto.tile.store.map %0, %y[%m, %n] by <"{{ [i0, i1] -> [i0, i1] }}"> {box} : tile<{tile}x{dtype}>, {y}
      }}
    }}"""


@pytest.mark.parametrize("name", CASES)
def test_equals_numpy(name: str):
    for dtype, kind in (("f32", np.float32), ("f16", np.float16)):
        module = PassManager(PASSES).run(ptir.parse(program(name, dtype)))
        want = CASES[name][-1]
        y = np.full(want.shape, 7, kind)
        (function,) = tile_functions(module)
        arrays = [X.astype(kind), y, np.full((64, 64), np.nan, kind)]
        views = [a.reshape(t.sizes) for a, t in zip(arrays[:2], function.function_type.inputs, strict=False)]
        work = function.function_type.inputs.data[2].sizes[1]
        call_on(
            interpreter(module),
            module,
            f"k_{name}",
            (*views, arrays[2].reshape(-1)[: 64 * work].reshape(64, work), 0, 1),
        )
        np.testing.assert_array_equal(y, want)


@pytest.mark.campaign
@pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")
def test_in_cpp(tmp_path: Path):
    kernels = compiled([PassManager(PASSES).run(ptir.parse(program(name))) for name in CASES], tmp_path)
    for name, (*_, want) in CASES.items():
        y = np.zeros(want.shape, np.float32)
        assert run_cpp(kernels[f"k_{name}"], [X.copy(), y]) is None
        np.testing.assert_array_equal(y, want, name)


@pytest.mark.campaign
@pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")
def test_a_convolution_with_a_maximum_of_windows_in_cpp(tmp_path: Path):
    source = ptir.parse(Path(__file__).parents[3] / "examples" / "blocks" / "conv_block.mlir")
    arrays = random_inputs(entry_function(source, None), 1)
    (want,) = ptir.reference(source, *arrays)
    (kernel,) = compiled([PassManager("ptir-to-pto{target=a3}").run(source)], tmp_path).values()
    y = np.zeros_like(want)
    assert run_cpp(kernel, [*arrays, y]) is None
    np.testing.assert_array_equal(y, want)
