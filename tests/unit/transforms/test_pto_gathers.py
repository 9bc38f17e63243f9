"""Gathers by positions, and columns of strided elements, that `pto-legalize` writes, in the interpreter against NumPy."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import ptir
from ptir.analysis.pto.effects import tile_functions
from ptir.passes.manager import PassManager
from ptir.semantics.interpreter import call_on, interpreter

from ..backends.test_pto_cpp import compiled
from ..backends.test_pto_cpp import run as run_cpp

Array = npt.NDArray[Any]
PASSES = "pto-legalize{target=a3},pto-check-legality,pto-pipeline,pto-bufferize,pto-insert-events"
FINISHED = ("pto-legalize{target=a3}", PASSES)
M, N, P = 21, 40, 37


def run(text: str, passes: str, *arrays: Array) -> None:
    module = PassManager(passes).run(ptir.parse(text))
    (function,) = tile_functions(module)
    types = function.function_type.inputs
    views = [a.reshape(t.sizes) for a, t in zip(arrays, types, strict=False)]
    call_on(interpreter(module), module, "k", (*views, 0, 1))


def gather(dtype: str, positions: str, by: str, shape: tuple[int, int], tile: str = "16x24") -> str:
    """Returns a kernel that gathers from an array of `shape` along the last axis of a space. `positions`: the array's access map."""
    rows, columns = tile.split("x")
    wide = "i0, i1" in positions
    p = f"tile<{rows}x{columns if wide else 1}xi32>"
    source = f"memref<{shape[0]}x{shape[1]}x{dtype}>"
    index, out = f"memref<{f'{M}x{N}' if wide else M}xi32>", f"memref<{M}x{N if columns != '1' else 1}x{dtype}>"
    box = f"{M}, {N if columns != '1' else 1}"
    return f"""
    pto.kernel @k(%x: {source} align 16, %p: {index} align 16) -> (%y: {out} align 16 gmem) {{
      pto.tiles (%m, %n) in [{box}] step [{rows}, {columns}] {{
        %0 = pto.tile.load.map %p[%m, %n] by <"{{ [i0, i1] -> [{positions}] }}"> in [{box}] dims [0, 1] : {index} -> {p}
        %1 = pto.tile.load.map %x[%m, %n] at(%0 : {p}) by <"{{ [i0, i1, i2] -> [{by}] }}"> in [{box}, {P}] dims [0, 1]
          : {source} -> tile<{tile}x{dtype}>
        pto.tile.store.map %1, %y[%m, %n] by <"{{ [i0, i1] -> [i0, i1] }}"> in [{box}] dims [0, 1] : tile<{tile}x{dtype}>, {out}
      }}
    }}"""


def positions_of(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """Returns positions, of which some are outside of the box."""
    found = rng.integers(0, P, shape).astype(np.int32)
    found.flat[:3] = (P, -1, P - 1)
    return found


def taken(x: Array, p: Array, axis: int) -> Array:
    """Returns elements along an axis, with zero for positions outside."""
    inside = (p >= 0) & (p < P)
    return np.where(inside, np.take_along_axis(x, np.where(inside, p, 0), axis), 0).astype(x.dtype)


@pytest.mark.parametrize("passes", FINISHED, ids=("legal", "scheduled"))
@pytest.mark.parametrize("dtype", ["f32", "i32"])
def test_rows_of_a_table(dtype: str, passes: str):
    rng = np.random.default_rng(1)
    x = rng.integers(-99, 99, (P, N)).astype({"f32": np.float32, "i32": np.int32}[dtype])
    p, y = positions_of(rng, (M,)), np.full((M, N), 7, x.dtype)
    run(gather(dtype, "i0", "i2, i1", (P, N)), passes, x, p, y)
    np.testing.assert_array_equal(y, taken(x, p[:, None] + np.zeros((1, N), int), 0))


@pytest.mark.parametrize("dtype", ["f32", "f16", "i32"])
def test_one_element_a_row(dtype: str):
    rng = np.random.default_rng(2)
    x = rng.integers(-99, 99, (M, P)).astype({"f32": np.float32, "f16": np.float16, "i32": np.int32}[dtype])
    if dtype != "i32":
        x[5, :4] = np.nan, np.inf, -np.inf, np.nan
    p, y = positions_of(rng, (M,)), np.full((M, 1), 7, x.dtype)
    run(gather(dtype, "i0", "i0, i2", (M, P), "16x1"), FINISHED[1], x, p, y)
    np.testing.assert_array_equal(y, taken(x, p[:, None], 1))


def test_a_position_for_each_element():
    rng = np.random.default_rng(3)
    x = rng.normal(size=(P, N)).astype(np.float32)
    p, y = positions_of(rng, (M, N)), np.full((M, N), 7, np.float32)
    run(gather("f32", "i0, i1", "i2, i1", (P, N)), FINISHED[1], x, p, y)
    np.testing.assert_array_equal(y, taken(x, p, 0))


def strided(dtype: str, load: str, store: str, count: int, out: int, tile: str) -> str:
    """Returns a kernel that copies elements of an array of `count` to one of `out` elements."""
    rows, columns = tile.split("x")
    x, y, t = f"memref<{count}x{dtype}>", f"memref<{out}x{dtype}>", f"tile<{tile}x{dtype}>"
    box = f"in [{M}, {columns}] dims [0, 1]"
    return f"""
    pto.kernel @k(%x: {x} align 16) -> (%y: {y} align 16 gmem) {{
      pto.tiles (%m, %n) in [{M}, {columns}] step [{rows}, {columns}] {{
        %0 = pto.tile.load.map %x[%m, %n] by <"{{ [i0, i1] -> [{load}] }}"> {box} : {x} -> {t}
        pto.tile.store.map %0, %y[%m, %n] by <"{{ [i0, i1] -> [{store}] }}"> {box} : {t}, {y}
      }}
    }}"""


@pytest.mark.parametrize("dtype", ["f32", "f16", "i8"])
def test_columns_of_strided_elements(dtype: str):
    kind = {"f32": np.float32, "f16": np.float16, "i8": np.int8}[dtype]
    x, y = (np.arange(5 * M) % 100).astype(kind), np.full(M * 64, 7, kind)
    run(strided(dtype, "3 + 5i0", "64i0 + i1", 5 * M, 64 * M, "8x64"), FINISHED[1], x, y)
    np.testing.assert_array_equal(y.reshape(M, 64), x[3::5][:, None] + np.zeros((1, 64), kind))
    y[:] = 7
    run(strided(dtype, "3 + 5i0", "2 + 64i0", 5 * M, 64 * M, "8x1"), FINISHED[1], x, y)
    want = np.full((M, 64), 7, kind)
    want[:, 2] = x[3::5]
    np.testing.assert_array_equal(y.reshape(M, 64), want)


def test_broadcast_parts():
    x, y = np.arange(2 * M, dtype=np.float32), np.zeros(64 * M, np.float32)
    run(strided("f32", "2i0 + floor(i1/32)", "64i0 + i1", 2 * M, 64 * M, "3x64"), FINISHED[1], x, y)
    np.testing.assert_array_equal(y.reshape(M, 64), np.repeat(x.reshape(M, 2), 32, 1))


def test_two_tiles_of_positions():
    """Elements of the other diagonal. A pair of which one position is outside has no element, although its number may be one of another pair."""
    text = gather("f32", "i0", "i2, i3", (P, P), "16x1")
    t = "tile<16x1xi32>"
    other = f"%last = pto.tile.expands {P - 1} : i32 : {t}\n%other = pto.tile.sub %last, %0 : {t}\n%1 ="
    text = text.replace(f"at(%0 : {t})", f"at(%0, %other : {t}, {t})").replace("%1 =", other)
    text = text.replace("[i0, i1, i2] ->", "[i0, i1, i2, i3] ->").replace(f"[{M}, 1, {P}]", f"[{M}, 1, {P}, {P}]")
    rng = np.random.default_rng(5)
    x, p, y = rng.normal(size=(P, P)).astype(np.float32), positions_of(rng, (M,)), np.full((M, 1), 7, np.float32)
    run(text, FINISHED[1], x, p, y)
    inside = (p >= 0) & (p < P)
    np.testing.assert_array_equal(y[:, 0], np.where(inside, x[p * inside, P - 1 - p * inside], 0))


@pytest.mark.campaign
@pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")
def test_in_cpp(tmp_path: Path):
    rng = np.random.default_rng(4)
    table, scores = rng.normal(size=(P, N)).astype(np.float32), rng.normal(size=(M, P)).astype(np.float16)
    x, p = np.arange(5 * M, dtype=np.float32), positions_of(rng, (M,))
    cases = [
        (gather("f32", "i0", "i2, i1", (P, N)), (table, p), taken(table, p[:, None] + np.zeros((1, N), int), 0)),
        (gather("f16", "i0", "i0, i2", (M, P), "16x1"), (scores, p), taken(scores, p[:, None], 1)),
        (strided("f32", "3 + 5i0", "64i0 + i1", 5 * M, 64 * M, "8x64"), (x,), np.repeat(x[3::5], 64)),
        (strided("f32", "3 + 5i0", "64i0", 5 * M, 64 * M, "8x1"), (x,), np.kron(x[3::5], np.eye(64, dtype="f4")[0])),
    ]
    modules = [
        PassManager(FINISHED[1]).run(ptir.parse(text.replace("@k", f"@k{n}"))) for n, (text, *_) in enumerate(cases)
    ]
    kernels = compiled(modules, tmp_path)
    for n, (_, arrays, want) in enumerate(cases):
        y = np.zeros_like(want)
        assert run_cpp(kernels[f"k{n}"], [*arrays, y]) is None
        np.testing.assert_array_equal(y, want)
