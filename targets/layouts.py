"""
Layouts: which lane of which warp holds which elements of a tile. Also their text, such as `lane(32: 8j) warp(4: i) reg(8: j, 4: 256j)`.

The numbers of the lane, of the warp, of the block in its cluster and of the register are written in mixed radix, least
significant digit first. Each digit is `radix: stride`; the stride counts rows `i` or columns `j`, and is 0 if the digit numbers
copies of the same elements.

```
lane(32: 8j) warp(4: i) reg(8: j, 4: 256j)    warp w holds row w; its lane l holds columns 8l … 8l + 7, + 256, + 512, + 768
lane(8: 0, 4: i)                              one element a row; 8 lanes hold copies of it
lane(32: j) warp(2: 32j) block(4: 64j)        a row of 256 elements in four blocks of a cluster
```
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, cached_property
from math import prod

from .architectures import WARP

PARTS = ("lane", "warp", "block", "reg")
_DIGIT = re.compile(r"([1-9][0-9]{0,5}): ?(?:0|([1-9][0-9]{0,8})?([ij]))\Z")


@dataclass(frozen=True)
class Mode:
    """One mixed-radix digit: its radix and its strides, the rows and columns that one unit of it adds."""

    radix: int
    rows: int
    columns: int

    @property
    def transposed(self) -> Mode:
        """The digit whose rows and columns are exchanged."""
        return Mode(self.radix, self.columns, self.rows)


@dataclass(frozen=True)
class Layout:
    """
    The distribution of a tile of `rows` x `columns` over the lanes of a warp or warpgroup: which lane holds which elements. A
    larger fragment repeats the tile. If `warps` is not empty, all warps of a block hold the tile together, and with `blocks` all
    blocks of a cluster. A digit with stride 0 numbers lanes, warps or blocks that hold copies of the same elements.
    """

    rows: int
    columns: int
    lanes: tuple[Mode, ...]
    elements: tuple[Mode, ...]
    warps: tuple[Mode, ...] = ()
    blocks: tuple[Mode, ...] = ()

    @property
    def threads(self) -> int:
        """Number of threads: 32 for a warp, 128 for a warpgroup. `warps` are not counted."""
        return prod(m.radix for m in self.lanes)

    @cached_property
    def count(self) -> int:
        """Number of elements of the tile that one lane holds."""
        return prod(m.radix for m in self.elements)

    @property
    def transposed(self) -> Layout:
        """The layout whose rows and columns are exchanged."""
        parts = (self.lanes, self.elements, self.warps, self.blocks)
        return Layout(self.columns, self.rows, *(tuple(mode.transposed for mode in part) for part in parts))

    def element(self, number: int) -> tuple[int, int]:
        """Returns the row and column of an element of lane 0."""
        return _position(self.elements, number)

    def lanes_apart(self, rows: int) -> int | None:
        """
        Returns by which XOR the numbers of the lanes differ that hold rows r and r XOR `rows`, a power of two, of the same columns; None if
        these are not in different lanes of a warp.
        """
        place = 1
        for mode in self.lanes:
            if mode.rows and not mode.columns and rows % mode.rows == 0 and not mode.radix & (mode.radix - 1):
                step = rows // mode.rows
                if 0 < step < mode.radix and not step & (step - 1) and place * step < WARP:
                    return place * step
            place *= mode.radix
        return None

    def lane(self, number: int) -> tuple[int, int]:
        """Returns the row and column of element 0 of a lane."""
        return _position(self.lanes, number)

    @property
    def vectors(self) -> tuple[Mode, ...]:
        """The digits that number a lane's vectors of contiguous elements."""
        run = 1
        for at, mode in enumerate(self.elements):
            if (mode.rows, mode.columns) != (0, run):
                return self.elements[at:]
            run *= mode.radix
        return ()

    @property
    def contiguous(self) -> int:
        """Number of elements that a lane holds contiguously in a row."""
        return self.count // prod(mode.radix for mode in self.vectors)


def _position(modes: tuple[Mode, ...], number: int) -> tuple[int, int]:
    row = column = 0
    for mode in modes:
        number, digit = divmod(number, mode.radix)
        row, column = row + digit * mode.rows, column + digit * mode.columns
    return row, column


def layout_text(layout: Layout) -> str:
    """Returns the textual form of a layout."""
    parts = zip(PARTS, (layout.lanes, layout.warps, layout.blocks, layout.elements), strict=True)
    return " ".join(f"{name}({', '.join(map(_digit, modes))})" for name, modes in parts if modes)


def _digit(mode: Mode) -> str:
    axis, step = ("i", mode.rows) if mode.rows else ("j", mode.columns)
    return f"{mode.radix}: {'0' if not step else axis if step == 1 else f'{step}{axis}'}"


@cache
def parse_layout(text: str) -> Layout:
    """Parses the textual form that `layout_text` returns. Raises `ValueError` for any other text."""
    found: dict[str, tuple[Mode, ...]] = {}
    for name, digits in re.findall(r"(\w+)\(([^()]*)\)", text):
        found[name] = tuple(_mode(digit.strip()) for digit in digits.split(","))
    layout = layout_of(*(found.get(part, ()) for part in ("lane", "warp", "reg", "block")))
    if set(found) - set(PARTS) or layout_text(layout) != text:
        raise ValueError(
            f"a layout lists the digits of {', '.join(PARTS)}, such as lane(32: 8j) warp(4: i) reg(8: j, 4: 256j)"
        )
    return layout


def layout_of(
    lanes: Iterable[Mode], warps: Iterable[Mode], elements: Iterable[Mode], blocks: Iterable[Mode] = ()
) -> Layout:
    """Returns the layout with these digits, without digits of radix 1. Its tile is the smallest one that has all elements."""
    parts = [tuple(mode for mode in part if mode.radix > 1) for part in (lanes, warps, elements, blocks)]
    modes = [mode for part in parts for mode in part]
    rows = 1 + sum((mode.radix - 1) * mode.rows for mode in modes)
    columns = 1 + sum((mode.radix - 1) * mode.columns for mode in modes)
    return Layout(rows, columns, parts[0], parts[2], parts[1], parts[3])


def reaches_each_once(layout: Layout) -> bool:
    """
    Whether the layout holds each element of the tile exactly once, apart from copies in other lanes, warps and blocks.

    This is so if the digits with a row stride enumerate all rows, and those with a column stride all columns: sorted by
    stride, each stride must be the product of the radices before it.
    """
    modes = (*layout.lanes, *layout.warps, *layout.blocks, *layout.elements)
    for steps in ([(m.rows, m.radix) for m in modes if m.rows], [(m.columns, m.radix) for m in modes if m.columns]):
        below = 1
        for step, radix in sorted(steps):
            if step != below:
                return False
            below *= radix
    return all(mode.rows or mode.columns for mode in layout.elements)


def _mode(digit: str) -> Mode:
    match = _DIGIT.match(digit)
    if match is None:
        raise ValueError(f"'{digit}' is not a digit of a layout: write its radix and its stride, as in 8: 4j or 2: 0")
    step = int(match[2] or 1) if match[3] else 0
    return Mode(int(match[1]), *((step, 0) if match[3] == "i" else (0, step)))
