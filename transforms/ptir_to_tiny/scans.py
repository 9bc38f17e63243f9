"""
Lowers sliding windows that are long, such as cumulative sums, with O(log window) reads per element.

The axis is divided into blocks as long as the window. A window ends in one block and begins in the one before it, or covers just one. So it
is a prefix of a block, combined with a suffix of the block before (van Herk, *A fast algorithm for local minimum and maximum
filters*, 1992). No element is read twice for one window, so that this works for sums, too.

```
window 4           a b c d   e f g h   i j k l
  that ends at f       c d + e f
prefixes           a ab abc abcd   e ef efg efgh   …
suffixes after     bcd cd d ·      fgh gh h ·      …
```

Prefixes of long blocks are computed in chunks: the prefixes of the chunks' totals are combined with those inside of the chunk.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil, prod

from xdsl.ir import SSAValue

from ...analysis.index.linearize import row_major_strides
from ...dialects import ptir
from ...dialects.common.shapes import element
from ...dialects.ptir import ScalarAttr
from ..op_writer import static_sizes
from .writer import Writer

READS = 128
"""Maximum number of reads per element for which windows are read whole: more take longer than the launches of further kernels."""
CHUNK = 32
"""The elements of a chunk, of which each prefix is one reduction."""

COMBINE = {"sum": "add", "max": "max", "min": "min"}


def long_axes(windows: Sequence[ptir.Window], extents: Sequence[int]) -> list[int]:
    """Returns the axes whose windows are folded one at a time, longest first, so that the other windows have at most `READS` reads."""
    reads = {axis: w.size * w.positions(n) / n for axis, (w, n) in enumerate(zip(windows, extents, strict=True)) if n}
    axes: list[int] = []
    for axis in sorted(reads, key=lambda a: -windows[a].size):
        w = windows[axis]
        if prod(reads.values()) <= READS or w.size == 1:
            break
        if w.dilation == w.base_dilation == 1 and 0 <= w.low < w.size and 0 <= w.high < w.size:
            axes.append(axis)
            del reads[axis]
    return axes


def fold_windows(
    write: Writer, kind: str, x: SSAValue, axis: int, window: ptir.Window, neutral: ScalarAttr
) -> SSAValue:
    """
    Writes the reduction of the windows of one axis at all positions: those of `window` with stride 1. Neither dilation is more than 1;
    padding, of the `neutral` element, is shorter than the window.
    """
    backward = window.high > window.low  # then the windows that begin in the padding's block need no second block
    before, after = (window.high, window.low) if backward else (window.low, window.high)
    scan = Scan(write, kind, neutral, axis, backward)
    extent, length = static_sizes(x)[axis], window.size
    positions = replace(window, stride=1).positions(extent)
    if length <= READS:
        return scan.windows(scan.pad(x, before, after), length)
    wide = scan.pad(x, 0, after)
    blocks = scan.blocks(wide, length)
    inner = replace(scan, axis=axis + 1)
    ends = inner.prefixes(blocks)
    if static_sizes(blocks)[axis] > 1:
        suffixes = inner.reversed.shifted(inner.reversed.prefixes(blocks))
        ends = write.binary(COMBINE[kind], scan.shifted(suffixes), ends)
    return scan.part(scan.joined(ends), length - 1 - before, positions)


@dataclass(frozen=True)
class Scan:
    """Reductions of parts of an axis. If `backward`, the last element of the axis counts as the first one."""

    write: Writer
    kind: str
    neutral: ScalarAttr
    axis: int
    backward: bool = False

    @property
    def reversed(self) -> Scan:
        return replace(self, backward=not self.backward)

    def prefixes(self, x: SSAValue) -> SSAValue:
        """Returns the reduction of the elements up to each element, which is included."""
        extent = static_sizes(x)[self.axis]
        if extent <= READS:
            return self.windows(self.pad(x, extent - 1, 0), extent)
        chunks, inner = self.blocks(x, CHUNK), replace(self, axis=self.axis + 1)
        totals = self.write.reduce(self.kind, chunks, [inner.axis], element(x))
        earlier = self.shifted(self.prefixes(totals))
        column = [1 if a == inner.axis else size for a, size in enumerate(static_sizes(chunks))]
        both = self.write.binary(COMBINE[self.kind], self.write.reshape(earlier, column), inner.prefixes(chunks))
        return self.part(self.joined(both), 0, extent)

    def windows(self, x: SSAValue, length: int) -> SSAValue:
        """Returns the reduction of each window of `length` elements that lies in the axis."""
        of = static_sizes(x)
        strides = row_major_strides(of)
        axes = [(size - length + 1 if a == self.axis else size, strides[a]) for a, size in enumerate(of)]
        view = self.write.view(x, [*axes, (length, strides[self.axis])])
        return self.write.reduce(self.kind, view, [len(of)], element(x))

    def blocks(self, x: SSAValue, length: int) -> SSAValue:
        """Divides the axis into two: blocks, of which the last one may be padded, and their `length` elements."""
        of = static_sizes(x)
        count = ceil(of[self.axis] / length)
        whole = self.pad(x, 0, count * length - of[self.axis])
        return self.write.reshape(whole, [*of[: self.axis], count, length, *of[self.axis + 1 :]])

    def joined(self, x: SSAValue) -> SSAValue:
        """Makes one axis of blocks and their elements."""
        of, axis = static_sizes(x), self.axis
        return self.write.reshape(x, [*of[:axis], of[axis] * of[axis + 1], *of[axis + 2 :]])

    def shifted(self, x: SSAValue) -> SSAValue:
        """Moves each element to the next position. The first one becomes the neutral element."""
        return self.part(self.pad(x, 1, 0), 0, static_sizes(x)[self.axis])

    def pad(self, x: SSAValue, before: int, after: int) -> SSAValue:
        low, high = (after, before) if self.backward else (before, after)
        return self.write.pad(x, self._along(x, low), self._along(x, high), self.neutral)

    def part(self, x: SSAValue, start: int, size: int) -> SSAValue:
        """Returns `size` elements of the axis, of which the first one is `start`."""
        of = list(static_sizes(x))
        first = of[self.axis] - start - size if self.backward else start
        of[self.axis] = size
        return self.write.shrink(x, self._along(x, first), of)

    def _along(self, x: SSAValue, amount: int) -> list[int]:
        return [amount if a == self.axis else 0 for a in range(len(static_sizes(x)))]
