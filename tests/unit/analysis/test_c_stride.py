"""
`C_stride`: which of m and n is the column axis of a block's tile. Results do not depend on it, but the width of stores does.

With "row", a lane holds adjacent elements along n; with "col", along m, because the kernel computes the transposed product. If
that axis is contiguous in the output, stores are 16 bytes wide.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import ptir
from ptir.analysis.regions.kernel_space import contiguous_axis, kernel_space
from ptir.dialects import pto
from ptir.dialects.plan.schedule import Vectorize
from ptir.dialects.region import RegionKernelOp
from ptir.emulator.engine.report import Report
from ptir.passes.manager import PassManager
from ptir.runtime.devices import Emulator
from ptir.semantics.bounds import check
from ptir.semantics.interpreter import call

from ..builders.programs import Draft, Value, draft, planned

pytestmark = pytest.mark.sampled(4)

AXIS = {"row": "n.i.i", "col": "m.i.i"}


def stride(hint: str, width: int = 4, **changes: Any) -> dict[str, Any]:
    return {
        "tile": (32, 64, 32),
        "warp_tile": "32x32",
        "stages": 2,
        "local_edges": (),
        "layout_hints": {"C_stride": hint},
        "vectorize": Vectorize(axis=AXIS[hint], width=width),
        **changes,
    }


def ran(d: Draft, arrays: Any, **plan: Any) -> tuple[tuple[Any, ...], Report]:
    """Returns the results, and the emulator's report of the last kernel."""
    device = Emulator()
    results = ptir.compile(planned(d, **plan), device=device, entry=d.name)(*arrays)
    return results, device.reports[-1]


# --- results ------------------------------------------------------------------------------------


@pytest.mark.sampled(9)
@pytest.mark.parametrize("hint", AXIS)
@pytest.mark.parametrize(
    "name",
    [
        "relu",
        "weights_nk",
        "x_transposed",
        "both_transposed",
        "transposed",
        "transposed_then_biased",
        "residual_transposed",
        "two_results_one_transposed",
        "row_scale_times_column_scale",
        "batched_nk_biased",
        "reshaped_to_heads",
        "short_output",
        "mask_output",
        "chained_transposed",
    ],
)
def test_programs(name: str, hint: str):
    """Results are bit-equal for every layout of operands and outputs, with tails along every axis."""
    d = draft(name, (33, 47, 90), "bf16")
    arrays = d.arrays(5, integers=True)
    results, _ = ran(d, arrays, **stride(hint))
    tiles = PassManager("region-to-pto").run(planned(d, **stride(hint)))
    for got, other, oracle in zip(results, call(tiles, d.name, *arrays), d.oracle(arrays), strict=True):
        np.testing.assert_array_equal(got, np.asarray(oracle).astype(got.dtype))
        np.testing.assert_array_equal(got, other, strict=True)


@pytest.mark.parametrize("along", ["m", "n"])
@pytest.mark.parametrize(("tile", "warp"), [((32, 64, 32), "16x32"), ((64, 64, 16), "16x32"), ((64, 64, 32), "32x16")])
def test_tiles_that_are_not_square(tile: tuple[int, int, int], warp: str, along: str):
    """m and n of tile, warp_tile and bind keep their meaning, though rows and columns change places."""
    d = draft("transposed", (70, 76, 72), "f16")
    arrays = d.arrays(5, integers=True)
    other = "n" if along == "m" else "m"
    bind = {"m.o": "block.y", "n.o": "block.x", f"{along}.i.o": "warp.x", f"{other}.i.o": "warp.y"}
    run = ptir.compile(planned(d, **stride("col", tile=tile, warp_tile=warp, bind=bind)), device=Emulator())
    (got,) = run(*arrays)
    np.testing.assert_array_equal(got, np.asarray(d.oracle(arrays)[0]).astype(np.float32))
    rows, columns = warp.split("x")[::-1]
    text = str(run.program.module)
    assert f"%acc = nv.frag : !nv.frag<{rows}x{columns}xf32, C of" in text
    for axis, size in zip("mn", (columns, rows), strict=True):
        assert re.search(rf"%WARP_{axis.upper()} = arith.constant {size} ", text)
        step = "arith.remui" if axis == along else "arith.divui"
        assert (place := re.search(rf"%warp_{axis} = arith.muli (%\d+), %WARP_{axis.upper()} ", text))
        assert f"{place[1]} = {step} %warp, " in text


@pytest.mark.parametrize("mode", ["serial", "parallel"])
def test_with_a_split(mode: str):
    d = draft("transposed_then_biased", (40, 47, 130), "bf16")
    arrays = d.arrays(5, integers=True)
    plan = stride("col", split=3, algo_choice={"matmul": f"splitk_{mode}"})
    (got,), _ = ran(d, arrays, **plan)
    np.testing.assert_array_equal(got, np.asarray(d.oracle(arrays)[0]).astype(np.float32))


@pytest.mark.parametrize("hint", AXIS)
def test_random_inputs_stay_in_bounds(hint: str):
    d = draft("transposed", (40, 47, 130), "bf16")
    arrays = d.arrays(7, integers=False)
    ((got,), _), (interval,) = ran(d, arrays, **stride(hint)), ptir.bounds(d.text, *arrays)
    assert (report := check(got, interval)).ok, str(report)


def test_swizzle_hints_name_the_operands():
    """A is the left operand of the program, even if it is the right one of the tile program."""
    d = draft("transposed", (32, 64, 32), "bf16")
    for hint in AXIS:
        hints = {"C_stride": hint, "A_swizzle": False, "B_swizzle": True}
        run = ptir.compile(planned(d, **stride(hint, layout_hints=hints)), device=Emulator(), entry=d.name)
        rings = [line for line in str(run.program.module).splitlines() if "nv.smem at" in line]
        assert "smem_a" in rings[0] and "none" in rings[0]
        assert "smem_b" in rings[1] and "xor" in rings[1]


# --- stores -------------------------------------------------------------------------------------


def stores(report: Report) -> dict[str, tuple[int, int]]:
    """Returns the number of requests and sectors of each kind of store to global memory."""
    return {name: (c.requests, c.sectors) for name, c in report.by_opcode.items() if name.startswith("st.global")}


@pytest.mark.parametrize(("name", "fitting"), [("transposed", "col"), ("relu", "row")])
def test_stores_of_f32_are_16_bytes_where_memory_is_contiguous(name: str, fitting: str):
    """64 x 64 f32: 32 lanes store 128 vectors of 4, or 4096 elements one by one; 512 sectors hold the output."""
    d = draft(name, (64, 64, 64), "bf16")
    arrays = d.arrays(5, integers=True)
    for hint in AXIS:
        _, report = ran(d, arrays, **stride(hint))
        wide = {"st.global.v4.f32": (32, 512)}
        assert stores(report) == (wide if hint == fitting else {"st.global.f32": (128, 512)})


@pytest.mark.parametrize(("hint", "transpose"), [("col", True), ("row", False)])
def test_stores_of_16_bits_are_8_neighbours(hint: str, transpose: bool):
    d = Draft()
    c = d.dot(d.arg(64, 64), d.arg(64, 64), out="bf16")
    d.results = (d.transpose(c, 1, 0) if transpose else c,)
    (got,), report = ran(d, arrays := d.arrays(5, integers=True), **stride(hint, width=8))
    assert stores(report) == {"st.global.v4.u32": (16, 256)}
    assert got.dtype == ml_dtypes.bfloat16
    np.testing.assert_array_equal(
        got.astype(np.float64), np.asarray(d.oracle(arrays)[0]).astype(got.dtype).astype(np.float64)
    )


# --- the plan -----------------------------------------------------------------------------------


def first_space(d: Draft) -> tuple[RegionKernelOp, Any]:
    module = PassManager("ptir-to-tiny,form-regions").run(ptir.parse(d.text))
    kernel = next(o for o in module.ops if isinstance(o, RegionKernelOp))
    return kernel, kernel_space(kernel)


def one(of: Callable[[Draft, Value], Value]) -> Draft:
    d = Draft()
    d.results = (of(d, d.dot(d.arg(6, 8), d.arg(8, 10))),)
    return d


@pytest.mark.parametrize(
    ("d", "axis"),
    [
        (one(lambda d, c: c), "n"),
        (one(lambda d, c: d.transpose(c, 1, 0)), "m"),
        (draft("two_results_one_transposed", (6, 10, 8), "bf16"), "n"),
        (draft("batched_nk_biased", (6, 10, 8), "bf16"), "n"),
        (draft("rank2", (6, 10, 8), "bf16"), "n"),
        (draft("matrix_vector", (6, 10, 8), "bf16"), "m"),
        (draft("vector_matrix", (6, 10, 8), "bf16"), "n"),
    ],
    ids=lambda x: x if isinstance(x, str) else "",
)
def test_which_axis_is_contiguous(d: Draft, axis: str):
    assert contiguous_axis(*first_space(d)) == axis


def test_an_output_that_is_contiguous_along_a_batch():
    """[b, m, n] stored as [m, n, b]."""
    d = Draft()
    c = d.dot(d.arg(3, 6, 8), d.arg(3, 8, 10), [2], [1], [0])
    d.results = (d.transpose(c, 1, 2, 0),)
    assert contiguous_axis(*first_space(d)) is None


def test_the_tile_program_says_which_axis_is_where():
    d = draft("transposed", (64, 64, 64), "bf16")
    for hint, dims in (("row", (0, 1)), ("col", (1, 0))):
        tiles = PassManager("region-to-pto").run(planned(d, **stride(hint)))
        (store,) = (o for o in tiles.walk() if isinstance(o, pto.StoreMapOp))
        assert tuple(store.dims.get_values()) == dims
        assert pto.tile_type(store.tile).sizes == ((32, 64) if hint == "row" else (64, 32))
