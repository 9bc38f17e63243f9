"""Sorts as C++ for the PTO tile library, run with the header of `tests/pto_headers`, against the interpreter."""

from __future__ import annotations

import ctypes
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ptir.analysis.pto.effects import tile_functions
from ptir.backends.pto.emit import HEAD, print_pto
from tests.pto_programs.cpp import compiled, expected, scalar, wrapper
from tests.pto_programs.schedules import parse

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")

Case = tuple[str, tuple[Any, ...]]
DTYPES = {"f32": np.float32, "f16": np.float16}
SPECIAL = {
    "random": None,
    "all": (0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 2.0),
    "nan": (np.nan,),
    "last": (np.inf, np.nan),
    "ties": (-2.0, -1.0, 0.0, 1.0, 2.0),
}
"""The numbers of which elements are chosen, by name."""


def elements(dtype: str, shape: tuple[int, int], kind: str) -> Any:
    rng, numbers = np.random.default_rng(len(kind)), SPECIAL[kind]
    found = rng.standard_normal(shape) if numbers is None else rng.choice(numbers, shape)
    return found.astype(DTYPES[dtype])


def sort(dtype: str, size: tuple[int, int], valid: tuple[int, int], kind: str, *, dynamic: bool = False) -> Case:
    """A TSORT32 of a tile with a valid region, whose rows may be dynamic."""
    shape, rows = f"{size[0]}x{size[1]}", "%n" if dynamic else valid[0]
    tile, columns = f"tile<{shape}x{dtype}>", f"tile<{shape}xui32>"
    text = f"""func.func @f(%x: !pto.memref<{shape}x{dtype}>, %y: !pto.memref<{shape}x{dtype}>, %z: !pto.memref<{shape}xui32>, %n: index) {{
  %0 = pto.tile.load %x[0, 0] {{valid = [{rows}, {valid[1]}]}} : pto.memref<{shape}x{dtype}>, {tile}
  %1, %2 = pto.tile.sort32 %0 : {tile} -> {tile}, {columns}
  pto.tile.store %1, %y[0, 0] : pto.memref<{shape}x{dtype}>, {tile}
  pto.tile.store %2, %z[0, 0] : pto.memref<{shape}xui32>, {columns}
  func.return
}}"""
    x = elements(dtype, size, kind)
    return text, (x, np.zeros_like(x), np.zeros(size, np.uint32), valid[0])


def merge(dtype: str, lists: list[tuple[int, int]], kind: str, *, dynamic: bool = False) -> Case:
    """A merge of lists with columns and valid columns, which may be dynamic."""
    total, valid = sum(n for n, _ in lists), " {valid = [1, %total]}" * dynamic
    params = "".join(f"%x{k}: !pto.memref<1x{n}x{dtype}>, %n{k}: index, " for k, (n, _) in enumerate(lists))
    loads = "".join(
        f"  %t{k} = pto.tile.load %x{k}[0, 0] {{valid = [1, {f'%n{k}' if dynamic else v}]}}"
        f" : pto.memref<1x{n}x{dtype}>, tile<1x{n}x{dtype}>\n"
        for k, (n, v) in enumerate(lists)
    )
    names, types = ", ".join(f"%t{k}" for k in range(len(lists))), ", ".join(f"tile<1x{n}x{dtype}>" for n, _ in lists)
    text = f"""func.func @f({params}%y: !pto.memref<1x{total}x{dtype}>, %total: index) {{
{loads}  %r = pto.tile.mrgsort {names}{valid} : {types} -> tile<1x{total}x{dtype}>
  pto.tile.store %r, %y[0, 0] : pto.memref<1x{total}x{dtype}>, tile<1x{total}x{dtype}>
  func.return
}}"""
    args: list[Any] = []
    for n, v in lists:
        x = elements(dtype, (1, n), kind)
        x[0, :v] = np.sort(x[0, :v])
        args += [x, v]
    return text, (*args, np.zeros((1, total), DTYPES[dtype]), sum(v for _, v in lists))


def blocks(dtype: str, size: int, valid: int, block: int, kind: str) -> Case:
    """A merge of each four blocks of a list."""
    memref, tile = f"pto.memref<1x{size}x{dtype}>", f"tile<1x{size}x{dtype}>"
    text = f"""func.func @f(%x: !{memref}, %y: !{memref}) {{
  %0 = pto.tile.load %x[0, 0] {{valid = [1, {valid}]}} : {memref}, {tile}
  %1 = pto.tile.mrgsort %0 {{blockLen = {block}}} : {tile} -> {tile}
  pto.tile.store %1, %y[0, 0] : {memref}, {tile}
  func.return
}}"""
    x = np.sort(elements(dtype, (1, size), kind).reshape(-1, block), 1).reshape(1, size)
    return text, (x, np.zeros_like(x))


def cases() -> Iterator[Case]:
    """150 sorts: of both types, of each kind of elements, with valid regions and blocks of several sizes."""
    for kind in SPECIAL:
        for dtype in DTYPES:
            for size, valid in (((1, 32), (1, 32)), ((4, 64), (3, 40)), ((8, 96), (8, 96)), ((64, 64), (64, 64))):
                yield sort(dtype, size, valid, kind)
            yield sort(dtype, (4, 64), (3, 64), kind, dynamic=True)
            for lists in ([(64, 40), (32, 7)], [(32, 32)] * 4, [(16, 1), (32, 32), (16, 5)], [(512, 300), (512, 512)]):
                yield merge(dtype, lists, kind)
            yield merge(dtype, [(64, 40), (32, 7)], kind, dynamic=True)
            for size, valid, block in ((256, 256, 16), (512, 512, 64), (512, 300, 32), (64, 64, 4), (128, 128, 32)):
                yield blocks(dtype, size, valid, block, kind)


def check(found: list[Case], folder: Path) -> None:
    """Asserts that the C++ of programs computes the bits that the interpreter computes, but for those of NaN."""
    modules = [parse(text.replace("@f(", f"@f{k}(")) for k, (text, _) in enumerate(found)]
    functions = [tile_functions(m)[0] for m in modules]
    bodies = [print_pto(m, "a3").removeprefix(HEAD) for m in modules]
    library = compiled([*bodies, *(wrapper(f, f"f{k}") for k, f in enumerate(functions))], folder)
    for k, ((text, args), function) in enumerate(zip(found, functions, strict=True)):
        types = function.function_type.inputs.data
        got = [np.array(a) if isinstance(a, np.ndarray) else scalar(a, t) for a, t in zip(args, types, strict=True)]
        run = getattr(library, f"run_f{k}")
        run.restype, run.argtypes = ctypes.c_char_p, [ctypes.c_void_p]
        assert run((ctypes.c_void_p * len(got))(*(v.ctypes.data for v in got))) is None, text
        for a, want in zip(got, expected(parse(text), args), strict=True):
            if isinstance(want, np.ndarray):
                np.testing.assert_array_equal(a, want, text)
                known = ~np.isnan(want)
                np.testing.assert_array_equal(np.signbit(a[known]), np.signbit(want[known]), text)


def test_sorts_are_those_of_the_interpreter(tmp_path: Path):
    check(
        [
            sort("f32", (4, 64), (3, 40), "all"),
            merge("f16", [(64, 40), (32, 7)], "last"),
            blocks("f32", 512, 300, 32, "all"),
        ],
        tmp_path,
    )


@pytest.mark.campaign
def test_all_sorts(tmp_path: Path):
    check(list(cases()), tmp_path)
