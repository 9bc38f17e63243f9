"""Attention whose keys and values are gathered from a pool of pages by a table, in its kernel, against NumPy in f64."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import ptir
from ptir.runtime.devices import Emulator
from ptir.semantics.errors import IndexOutOfRange
from tests.grid.machines import NUMPY


@dataclass(frozen=True)
class Paged:
    """
    Attention to the `pages` of `page` keys each that a table lists for each batch, out of a pool of `count`. Heads are before the keys of a page
    if `heads_first`. Numbers of the table are clamped to `bounds`, if there are any.
    """

    queries: int = 40
    batch: int = 2
    heads: int = 2
    group: int = 1
    size: int = 32
    page: int = 16
    pages: int = 6
    count: int = 11
    dtype: str = "bf16"
    index: str = "si32"
    heads_first: bool = False
    lengths: bool = False
    bounds: tuple[int, int] | None = (0, 10)

    @property
    def keys(self) -> int:
        return self.page * self.pages

    def arrays(self) -> list[Any]:
        rng, h, d = np.random.default_rng(0), self.heads, self.size
        page = (h, self.page, d) if self.heads_first else (self.page, h, d)
        shapes = (self.batch, h, self.group, self.queries, d), (self.count, *page), (self.count, *page)
        arrays = [rng.standard_normal(shape).astype(NUMPY[self.dtype]) for shape in shapes]
        table = rng.integers(0, self.count, (self.batch, self.pages)).astype(
            np.int64 if self.index == "si64" else np.int32
        )
        return [*arrays, table, np.array([self.keys // 3, self.keys][: self.batch], np.int32)]

    def expected(self, q: Any, k: Any, v: Any, table: Any, lengths: Any) -> Any:
        table = np.clip(table, 0, self.count - 1)

        def moved(pool: Any) -> Any:
            pages = pool.astype(np.float64)[table]
            pages = pages.swapaxes(2, 3) if self.heads_first else pages
            return pages.reshape(self.batch, self.keys, self.heads, self.size).transpose(0, 2, 1, 3)[:, :, None]

        s = q.astype(np.float64) @ moved(k).swapaxes(-1, -2) * 0.25
        if self.lengths:
            s = np.where(np.arange(self.keys) < lengths[:, None, None, None, None], s, -np.inf)
        p = np.exp(s - s.max(-1, keepdims=True))
        return p / p.sum(-1, keepdims=True) @ moved(v)

    def clamp(self, table: str) -> list[str]:
        """Returns the lines that clamp the table, which is of the type `table`."""
        if self.bounds is None:
            return []
        return [
            f"%low = ptir.constant dense<{self.bounds[0]}> : {table}",
            f"%high = ptir.constant dense<{self.bounds[1]}> : {table}",
            f"%t0 = ptir.maximum %table, %low : {table}",
            f"%t1 = ptir.minimum %t0, %high : {table}",
        ]

    @property
    def text(self) -> str:
        b, h, g, n, m, d = self.batch, self.heads, self.group, self.queries, self.keys, self.size

        def t(*sizes: int, dtype: str = self.dtype) -> str:
            return f"tensor<{''.join(f'{size}x' for size in sizes)}{dtype}>"

        page = (h, self.page, d) if self.heads_first else (self.page, h, d)
        pool, q, table = t(self.count, *page), t(b, h, g, n, d), t(b, self.pages, dtype=self.index)
        listed, taken = t(b * self.pages, 1, 1, 1, dtype=self.index), (b * self.pages, *page)
        s, r, w, y = (t(b, h, g, n, x, dtype=e) for x, e in ((m, "f32"), (1, "f32"), (m, self.dtype), (d, "f32")))
        lines = [
            *self.clamp(table),
            f"%list = ptir.reshape {'%t1' if self.bounds else '%table'} : {table} -> {listed}",
            f"%at = ptir.broadcast_to %list : {listed} -> {t(*taken, dtype=self.index)}",
        ]
        for name in "kv":
            lines.append(
                f"%{name}0 = ptir.gather %{name}, %at axis 0 : ({pool}, {t(*taken, dtype=self.index)}) -> {t(*taken)}"
            )
            lines.append(f"%{name}1 = ptir.reshape %{name}0 : {t(*taken)} -> {t(b, self.pages, *page)}")
            axes, to = [0, 2, 1, 3, 4] if self.heads_first else [0, 3, 1, 2, 4], (b, h, self.pages, self.page, d)
            lines.append(f"%{name}2 = ptir.transpose %{name}1 {axes} : {t(b, self.pages, *page)} -> {t(*to)}")
            lines.append(f"%{name}3 = ptir.reshape %{name}2 : {t(*to)} -> {t(b, h, 1, m, d)}")
            lines.append(f"%{name}4 = ptir.broadcast_to %{name}3 : {t(b, h, 1, m, d)} -> {t(b, h, g, m, d)}")
        kv, batch = t(b, h, g, m, d), "batch [0, 1, 2] x [0, 1, 2]"
        lines += [
            f"%s = ptir.dot_general %q, %k4 {batch} contract [4] x [4] accum f32 out f32 : ({q}, {kv}) -> {s}",
            f"%c = ptir.constant dense<0.25> : {s}",
            f"%x{'0' if self.lengths else ''} = ptir.mul %s, %c : {s}",
        ]
        if self.lengths:
            one, wide, keep = (
                t(b, 1, 1, 1, 1, dtype="si32"),
                t(b, h, g, n, m, dtype="si32"),
                t(b, h, g, n, m, dtype="i1"),
            )
            lines += [
                f"%j = ptir.iota axis 4 : {wide}",
                f"%l0 = ptir.reshape %lengths : {t(b, dtype='si32')} -> {one}",
                f"%l = ptir.broadcast_to %l0 : {one} -> {wide}",
                f"%keep = ptir.compare lt %j, %l : {wide} -> {keep}",
                f"%none = ptir.constant dense<0xFF800000> : {s}",
                f"%x = ptir.select %keep, %x0, %none : {keep}, {s}",
            ]
        lines += [
            f"%max = ptir.reduce max %x axes [4] keepdims : {s} -> {r}",
            f"%most = ptir.broadcast_to %max : {r} -> {s}",
            f"%d = ptir.sub %x, %most : {s}",
            f"%e = ptir.exp %d : {s}",
            f"%sum = ptir.reduce sum %e axes [4] keepdims : {s} -> {r}",
            f"%all = ptir.broadcast_to %sum : {r} -> {s}",
            f"%p = ptir.div %e, %all : {s}",
            f"%w = ptir.cast %p : {s} -> {w}",
            f"%y = ptir.dot_general %w, %v4 {batch} contract [4] x [3] accum f32 out f32 : ({w}, {kv}) -> {y}",
            f"func.return %y : {y}",
        ]
        args = f"%q: {q}, %k: {pool}, %v: {pool}, %table: {table}, %lengths: {t(b, dtype='si32')}"
        body = "\n  ".join(lines)
        return f"builtin.module attributes {{ptir.extensions}} {{\nfunc.func @f({args}) -> {y} {{\n  {body}\n}}\n}}\n"


CASES = {
    "pages": Paged(),
    "lengths": Paged(lengths=True, queries=17),
    "one query of a group": Paged(queries=1, group=4, page=8, pages=20, size=64, lengths=True),
    "pages that no tile divides": Paged(page=24, pages=9, size=40, dtype="f16"),
    "heads before the keys of a page": Paged(heads_first=True, index="si64", batch=1),
    "pages of one key": Paged(page=1, pages=50, size=20),
    "pages longer than a tile": Paged(page=200, pages=2, size=16, batch=1, heads=1, lengths=True),
    "rows of 40 bytes": Paged(page=8, size=20),
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("arch", ["sm80", "sm90"])
@pytest.mark.parametrize("name", CASES)
def test_paged_keys_and_values(name: str, arch: str):
    """
    One kernel clamps the numbers of the table, the other one gathers the pages, by TMA where boxes of 8 rows are in one page. The table has
    some numbers that are out of range.
    """
    case, device = CASES[name], Emulator()
    arrays = case.arrays()
    arrays[3][0, 0], arrays[3][-1, -1] = -5, 1000
    compiled = ptir.compile(case.text, arch=arch, device=device)
    (got,) = compiled(*arrays)
    want = case.expected(*arrays)
    by_tma = arch == "sm90" and case.page % 8 == case.size % 8 == 0
    assert ("tma_load" in compiled.program.cuda) == by_tma
    assert len(device.reports) == 2 and not any(r.conflicts for r in device.reports)
    tolerance = 2**-9 if case.dtype == "f16" else 2**-6
    np.testing.assert_allclose(got, want, atol=tolerance * np.abs(want).max(), rtol=0)


def test_rows_beyond_the_last_page_are_zero():
    """A tile has a box beyond the last page. NaN in pages that no table lists must not leak into it."""
    case = Paged(page=8, pages=3, size=16, batch=1, heads=1, queries=5)
    q, k, v, table, lengths = case.arrays()
    k[0], v[0], table[table == 0] = np.nan, np.nan, 1
    compiled = ptir.compile(case.text, arch="sm90", device=Emulator())
    (got,) = compiled(q, k, v, table, lengths)
    want = case.expected(q, k, v, table, lengths)
    assert "tma_load" in compiled.program.cuda
    np.testing.assert_allclose(got, want, atol=2**-6 * np.abs(want).max(), rtol=0)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("arch", ["sm80", "sm90"])
@pytest.mark.parametrize(
    ("bounds", "beyond"), [(None, 11), (None, -1), (None, 2**31 - 1), ((0, 11), 11), ((-1, 10), -1)]
)
def test_numbers_that_may_be_out_of_range(bounds: tuple[int, int] | None, beyond: int, arch: str):
    """Kernels of their own gather the pages, and read nothing at a number that is out of range, which is the interpreter's error."""
    case, device = Paged(page=8, pages=3, size=16, batch=1, heads=1, queries=5, bounds=bounds), Emulator()
    arrays = case.arrays()
    compiled = ptir.compile(case.text, arch=arch, device=device)
    (got,) = compiled(*arrays)
    want = case.expected(*arrays)
    np.testing.assert_allclose(got, want, atol=2**-6 * np.abs(want).max(), rtol=0)
    arrays[3][0, 1] = beyond
    places: list[Any] = []
    for run in (compiled, lambda *a: ptir.reference(case.text, *a)):
        with pytest.raises(IndexOutOfRange) as caught:
            run(*arrays)
        places.append(caught.value.location)
    assert places[0] == places[1] is not None
