"""
The slice of a root: the ops that are needed to compute it, each with the map from the axes of the root, and of the reductions
around the op, to the axes of the op.

A slice can be one kernel if it reads one contraction one-to-one (`fusion.py` has those rules), or if it reads no contraction
and its reductions are of one of these kinds:

- each yields one number for each row of the root; rows have equal length and are contiguous in memory (`rows.py`), or are short
  enough to be held while the elements of adjacent rows are contiguous;
- each is read one-to-one, and not by another reduction.

A reduction of windows of a contraction's result is fused with the contraction if a tile can hold the windows (`windows.py`).
A sum of strict floats is always stored.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

import islpy as isl
from xdsl.ir import SSAValue

from ...dialects import tiny
from ...dialects.common.shapes import shape
from ..index import affine
from .places import Slice, space_of
from .rows import Rows
from .slice_reads import SliceReads
from .slice_walk import Walk
from .windows import Window, window_in

MAX_SPLITS = 4
"""Maximum number of splits of a root's axes."""
KEPT = 4
"""Number of slices of a root that are kept, for different stops and cuts."""


@dataclass
class Slicer(SliceReads):
    """Computes the slices of the roots of a program."""

    windows: bool = False
    """Whether kernels of contractions can reduce windows of their results."""
    _known: dict[tuple[SSAValue, int | None], list[Slice]] = field(
        default_factory=lambda: defaultdict[tuple[SSAValue, "int | None"], list[Slice]](list)
    )

    def without_cuts(self) -> Slicer:
        """Returns a slicer of the same program that cuts nothing."""
        return Slicer(self.book, self.contractions, self.rows, windows=self.windows, _read=self._read)

    def slice(self, root: SSAValue, stops: Collection[SSAValue], most: int | None = None) -> Slice:
        """
        Walks back from `root` to leaves, `stops`, contractions and values that must be stored. Of the rows of several reductions, those
        along axes of the root are taken if that needs fewer cuts. If a reduction yields one number per group along an axis of the
        root, such as a group of channels, or if rows read an array whose address divides an axis of the root, such as one that merges
        two axes in another order, that axis is split, provided that the rows can then be computed.
        If the slice reads more than `most` contractions, it is not completed, and has cuts.
        """
        slices = self._known[root, most]
        found = next((s for s in slices if self.holds(s, stops)), None)
        if found is None:
            slices[:] = [found := self.compute_slice(root, stops, most), *slices[: KEPT - 1]]
        return found

    def holds(self, known: Slice, stops: Collection[SSAValue]) -> bool:
        """Whether a walk would compute the same values as the slice that an earlier one returned."""

        def is_stored(value: SSAValue) -> bool:
            return value in stops or (known.root, value) in self.cuts

        return all(map(is_stored, known.outside)) and not any(map(is_stored, known.inside))

    def compute_slice(self, root: SSAValue, stops: Collection[SSAValue], most: int | None) -> Slice:
        """
        Tries several walks: with wider rows, with the windows of a reduction, and with axes of the root split. Returns the slice of the first
        that needs fewer cuts; what any of them has computed or read counts as computed or read, so that `holds` depends on all.
        """
        whole = self.walk(root, stops, space_of(root), most)
        if whole.cuts and whole.wider is not None:
            again = self.walk(root, stops, space_of(root), most, whole.wider)
            again.include(whole)
            whole = min(again, whole, key=lambda s: len(s.cuts))
        if (window := self.window_of(whole, stops)) is not None:
            held = self.walk(root, stops, (*space_of(root), *self.reduced_sizes(window)), most, window=window)
            held.include(whole)
            if held.anchors and not held.cuts:
                return held
        finer, sizes = whole, whole.finer
        while sizes is not None and len(sizes) < len(shape(root)) + MAX_SPLITS:
            finer = self.walk(root, stops, sizes, most)
            whole.include(finer)
            sizes = finer.finer
        if finer.rows is None or finer.cuts:
            return whole
        finer.include(whole)
        return finer

    def walk(
        self,
        root: SSAValue,
        stops: Collection[SSAValue],
        sizes: tuple[int, ...],
        most: int | None = None,
        rows: Rows | None = None,
        window: tiny.ReduceOp | None = None,
    ) -> Slice:
        """
        Returns the slice of a root that is computed in a space of `sizes`, in which its shape may be split further. Its rows are those of
        the first reduction, unless they are given. With a `window`, the last axes of the space are those that this op reduces.
        """
        start = affine.reshape_map(sizes, space_of(root)) if window is None else _leading(sizes, len(space_of(root)))
        return Walk(self, Slice(root, sizes, start, rows=rows, window=window), stops, self.slice).run(most)

    def window_of(self, out: Slice, stops: Collection[SSAValue]) -> tiny.ReduceOp | None:
        """Returns the only reduction of a slice that cannot be a kernel, if a contraction's kernel can reduce its windows."""
        reductions = [op for op in out.ops if isinstance(op, tiny.ReduceOp)]
        if not (self.windows and out.cuts and out.reduced_anchors and len(reductions) == 1):
            return None
        stored = {*stops, *(value for root, value in self.cuts if root is out.root)}
        return reductions[0] if isinstance(self.window(reductions[0], stored), Window) else None

    def window(self, op: tiny.ReduceOp, stored: Collection[SSAValue] = ()) -> Window | str | None:
        """
        Returns the windows that a reduction reduces in the kernel of a contraction, the reason why a tile does not hold them, or None if what it
        reduces is not computed from one contraction, element by element, and from values that are `stored`.
        """
        sizes = (*shape(op.result), *self.reduced_sizes(op))
        s = self.walk(op.result, stored, sizes, window=op)
        found = {value: maps for value, maps in s.anchors.items() if value in self.contractions}
        if s.cuts or len(found) != 1 or s.anchors.keys() != found.keys():
            return None
        ((value, maps),) = found.items()
        return window_in(op, maps, sizes, self.contractions[value])


def _leading(sizes: Sequence[int], rank: int) -> isl.MultiAff:
    """Returns the map from a space to its first axes."""
    return affine.make_map(len(sizes), [f"i{k}" for k in range(rank)])
