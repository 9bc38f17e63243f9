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
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, partial
from math import prod

import islpy as isl
from xdsl.ir import Operation, SSAValue

from ...dialects import tiny
from ...dialects.common.shapes import element, shape
from ...targets.mma import element_bytes
from ..errors import TooComplex
from ..index import affine
from ..index.book import IndexBook
from .addresses import operand_reads
from .contraction import Contraction
from .kernel_ops import is_atomic_scatter, require_in_kernel
from .places import Place, Slice, is_leaf, is_splat, space_of
from .repeated_reads import joined_pieces, repeated_source, searched
from .row_layout import adjacent_axis, contiguous, ends_in_rows, split_axis, split_of_rows
from .rows import Rows, rows_of
from .windows import Window, window_in

MAX_INDEX_LENGTH = 600
"""
Maximum number of characters in the text of a map through which a kernel reads a value that it computes itself. Divisions that
do not cancel are nested, so that the text, isl's time and the kernel's index arithmetic grow exponentially along a chain of ops.
"""


MAX_POSITIONS = 12
"""Maximum number of indices given by data at which a kernel reads a value that it computes itself."""
MAX_JOINED = 8
"""Maximum number of computed values that are joined along an axis where a reduction reads them: it evaluates all for each element."""
MAX_SPLITS = 4
"""Maximum number of splits of a root's axes."""
KEPT = 4
"""Number of slices of a root that are kept, for different stops and cuts."""


@dataclass
class Slicer:
    """
    Computes slices; `cuts` are values that a root reads from memory. `rows` maps the maximum and the sum of an attention's rows, which its
    kernel computes, to one of them: a slice reads them as it reads the result of a contraction.
    """

    book: IndexBook
    contractions: Mapping[SSAValue, Contraction]
    rows: Mapping[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])
    windows: bool = False
    """Whether kernels of contractions can reduce windows of their results."""
    cuts: set[tuple[SSAValue, SSAValue]] = field(default_factory=set[tuple[SSAValue, SSAValue]])
    _known: dict[tuple[SSAValue, int | None], list[Slice]] = field(
        default_factory=lambda: defaultdict[tuple[SSAValue, "int | None"], list[Slice]](list)
    )
    _read: dict[tuple[object, ...], list[Place]] = field(default_factory=dict[tuple[object, ...], list[Place]])
    """The places that ops read, from earlier walks: walks from many roots and for many stops visit the same ones."""

    def __post_init__(self) -> None:
        self.is_splat = cache(is_splat)
        self.is_leaf = cache(is_leaf)
        self.require_in_kernel = cache(require_in_kernel)
        self.repeated_source = cache(partial(repeated_source, self.book))

    def without_cuts(self) -> Slicer:
        """Returns a slicer of the same program that cuts nothing."""
        return Slicer(self.book, self.contractions, self.rows, self.windows, _read=self._read)

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
        return _Walk(self, Slice(root, sizes, start, rows=rows, window=window), stops).run(most)

    def reduced_sizes(self, op: tiny.ReduceOp) -> tuple[int, ...]:
        info = self.book[op.result]
        return info.static_sizes[info.rank :]

    def window_read(self, op: tiny.ReduceOp, here: Place) -> Place:
        """Returns what a reduction of windows reads at a point of a space whose last axes are those that it reduces."""
        rank, access = len(here.space), self.book[op.result].accesses[0]
        count = len(self.reduced_sizes(op))
        inside = affine.make_map(rank, [f"i{k}" for k in range(rank - count, rank)])
        return Place(
            access.value, affine.compose(access.map, here.at.flat_range_product(inside), here.space), here.space
        )

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

    def reads(self, op: Operation, here: Place, *, is_root: bool, reduced: bool) -> list[Place]:
        """Returns the places that an op reads, last operand first; if `reduced`, a reduction of the root reads them. Raises `TooComplex`."""
        key = *here.key, here.space, here.positions, is_root, reduced, here.wide
        if (known := self._read.get(key)) is None:
            known = self._places(op, here, is_root)
            if reduced:
                known = [replace(p, wide=here.wide or (p.value if _broadcasts(op, p.value) else None)) for p in known]
            self._read[key] = known
        return known

    def _places(self, op: Operation, here: Place, is_root: bool) -> list[Place]:
        if is_atomic_scatter(op):
            return [Place(value, here.at, here.space) for value in (op.updates, op.indices)]
        out: list[Place] = []
        info = self.book[op.results[0]]
        for access, inner, there in reversed(operand_reads(info, here.at, here.space)):
            added = range(len(here.space), len(inner)) if info.positions else ()
            found = Place(access.value, affine.compose(access.map, there, inner), inner, here.positions.union(added))
            if not is_root and len(found.positions) > MAX_POSITIONS:
                raise TooComplex(what="a chain of reads at indices given by data", bound=f"{MAX_POSITIONS} positions")
            if not is_root and len(found.key[1]) > MAX_INDEX_LENGTH:
                raise TooComplex(what=affine.COMPOSITION, bound=f"{MAX_INDEX_LENGTH} characters")
            out.append(found)
        return out

    @cached_property
    def searched(self) -> set[SSAValue]:
        """The values that are stored because searches, or very many reads at positions, would be repeated."""
        return searched(self.book)


@dataclass
class _Walk:
    """One walk from the root of a slice back to what is stored."""

    slicer: Slicer
    out: Slice
    stops: Collection[SSAValue]
    apart: dict[SSAValue, str] = field(default_factory=dict[SSAValue, str])
    """Reductions that do not reduce the root's rows, each with the reason."""
    nested: dict[SSAValue, str] = field(default_factory=dict[SSAValue, str])
    """Reductions that are not read one-to-one or that another reduction reads, each with the reason."""

    def run(self, most: int | None) -> Slice:
        """Returns the slice; it is incomplete, with a cut, once it reads more than `most` contractions."""
        out, seen = self.out, set[tuple[SSAValue, str]]()
        todo = [Place(out.root, out.start, out.sizes)]
        while todo:
            here = todo.pop()
            if here.key in seen:
                continue
            seen.add(here.key)
            todo += self.visit(here)
            if most is not None and len({*out.anchors, *(p.value for p in out.reduced_anchors)}) > most:
                out.cut(here.value, f"it is one of more than {most} contractions")
                return out
        self.settle()
        return out

    def visit(self, here: Place) -> list[Place]:
        """Adds what is read at a place to the slice. Returns the places from which it is computed, last operand first."""
        out, value, op = self.out, here.value, here.value.owner
        if not self.is_reduced(here):
            out.passed.setdefault(value, here.at)
        elif not here.positions:
            out.summed.setdefault(value, here)
        if self.is_read(value):
            self.read(here)
            return []
        if value is not out.root:
            out.inside.add(value)
            if (why := self.stored_because(here)) is not None:
                out.cut(value, why)
                return []
        if value in self.slicer.contractions or value in self.slicer.rows:
            self.multiply(here)
            return []
        if not isinstance(op, Operation):
            return []
        if not isinstance(op, tiny.ReduceOp):
            return self.compute(op, here)
        if op is out.window:
            out.ops.add(op)
            out.points[op] += prod(out.sizes)
            return [self.slicer.window_read(op, here)]
        reduced = self.reduce(here)
        return [] if reduced is None else self.compute(op, reduced)

    def is_reduced(self, here: Place) -> bool:
        """Whether a reduction of the root reads a place."""
        return len(here.space) > len(self.out.sizes)

    def is_read(self, value: SSAValue) -> bool:
        """Whether the slice reads a value from memory."""
        root = self.out.root
        return (
            self.slicer.is_leaf(value)
            or (value in self.stops and value is not root)
            or (root, value) in self.slicer.cuts
        )

    def read(self, here: Place) -> None:
        value, op = here.value, here.value.owner
        self.out.leaves.append(here)
        if not self.slicer.is_leaf(value):
            self.out.outside.add(value)
        if isinstance(op, tiny.ConstOp) and self.slicer.is_splat(value):
            self.slicer.require_in_kernel(op)
            self.out.ops.add(op)

    def stored_because(self, here: Place) -> str | None:
        """Returns why a value must be stored if a root reads it at this place, or None."""
        slicer, value, op = self.slicer, here.value, here.value.owner
        is_product = value in slicer.contractions
        if value in slicer.searched:
            return "more elements of it are read than it has, each of which a search finds"
        if is_atomic_scatter(op):
            return "its elements are updated in memory"
        if not is_product and isinstance(op, Operation) and tiny.keeps_order(op):
            return "one thread adds strict floats, each in its turn"
        if self.is_reduced(here) and joined_pieces(op) > MAX_JOINED:
            return "a reduction reads it, and each element would compute all that it joins"
        at_positions = here.positions or is_atomic_scatter(self.out.root.owner)
        if at_positions and (is_product or isinstance(op, tiny.ReduceOp)):
            return "it is read, or its elements are updates, at indices given by data"
        return None

    def multiply(self, here: Place) -> None:
        """Adds a contraction, or the rows of an attention, that is read at a place."""
        out, value = self.out, here.value
        if self.is_reduced(here):
            out.reduced_anchors.append(here)
            return
        maps = out.anchors.setdefault(self.slicer.rows.get(value, value), [])
        if not any(affine.equal_on(out.sizes, here.at, at) for at in maps):
            maps.append(here.at)

    def reduce(self, here: Place) -> Place | None:
        """Adds a reduction. Returns its place in the axes that its map needs, or None if it or what is computed from it is cut."""
        out, value = self.out, here.value
        if out.window is not None:
            out.cut(value, "tiles hold the windows of another reduction")
            return None
        self.judge(here)
        if value in out.cuts or here.wide in out.cuts:
            return None
        here = _without_counters(here, len(out.sizes))
        if not self.is_reduced(here):
            out.passed.setdefault(value, here.at)
        return here

    def compute(self, op: Operation, here: Place) -> list[Place]:
        """Adds an op that is evaluated at a place. Returns the places that it reads, or none after a cut."""
        slicer, out = self.slicer, self.out
        slicer.require_in_kernel(op)
        out.ops.add(op)
        out.points[op] += prod(here.space)
        source = slicer.repeated_source(op)
        if not (source is None or source is out.root or source in self.stops or (out.root, source) in slicer.cuts):
            out.inside.add(source)
            out.cut(source, "more elements of it are read, at indices given by data, than it has")
            return []
        is_root = here.value is out.root
        try:
            return slicer.reads(op, here, is_root=is_root, reduced=self.is_reduced(here))
        except TooComplex as e:
            if is_root:  # the root is stored anyway: a cut does not help
                raise
            out.cut(here.value, e.message)
            return []

    def judge(self, here: Place) -> None:
        """Records whether a reduction reduces the root's rows and whether it is read one-to-one; cuts it if neither holds."""
        out, value, sizes = self.out, here.value, self.out.sizes
        info, text = self.slicer.book[value], _without_counters(here, len(sizes)).key[1]
        if value in out.reduced and out.reduced[value] != text:
            out.cut(value, "it is read at two indices")
            return
        if (rows := rows_of(info, here.at, sizes, out.rows)) is None:
            self.apart[value] = "it reduces other rows"
            out.finer = out.finer or split_axis(here.at, sizes)
            if (
                out.rows is not None
                and not out.rows.columns
                and (own := rows_of(info, here.at, sizes, None)) is not None
            ):
                out.wider = out.wider or (own if own.columns else None)
        else:
            out.rows = rows
        if self.is_reduced(here):
            self.nested[value] = "another reduction reads it"
        elif value is not out.root and affine.inverse(here.at, sizes, shape(value)) is None:
            self.nested[value] = "it is not read one-to-one"
        if value in self.apart and value in self.nested:
            out.cut(self.widest(here), self.nested[value])
        elif value is not out.root:
            out.reduced[value] = text

    def settle(self) -> None:
        """
        Cuts the reductions that cannot be fused: with contiguous or adjacent rows, those that do not reduce the rows; otherwise, those that
        are not read one-to-one. If the slice also reads a contraction, it is fused and all reductions are cut. Does nothing if
        there are cuts already: the next walk, which reads those values from memory, decides. Reductions of the rows of a
        contraction are fused with it.
        """
        out, apart, nested = self.out, self.apart, self.nested
        if out.reduced_anchors and (out.cuts or apart or not ends_in_rows(out, self.slicer.contractions)):
            for place in out.reduced_anchors:
                out.cut(place.value, "a reduction reads it")
        if out.cuts or out.reduced_anchors:
            return
        if out.rows is not None:
            is_contiguous = contiguous(out)
            out.adjacent = None if is_contiguous else adjacent_axis(out)
            out.by_columns = out.adjacent is not None and not nested
            fits = is_contiguous or (out.adjacent is not None and not (out.by_columns and apart))
            if not (fits or out.anchors or out.root in apart):
                out.finer = out.finer or split_of_rows(out)
            if out.anchors or out.root in apart or not fits:
                out.rows = None
        refused = dict.fromkeys(out.reduced, "a contraction is fused") if out.anchors else nested
        for value, why in (refused if out.rows is None else apart).items():
            if value not in out.cuts:
                out.cut(value, why)
        for value in out.cuts:
            out.reduced.pop(value, None)

    def widest(self, here: Place) -> SSAValue:
        """
        Returns what is stored if the reduction at `here` cannot be fused: the value that is computed from it and then broadcast, if one
        kernel can compute both, otherwise the reduction.
        """
        wide = here.wide
        while wide is not None and (
            isinstance(op := wide.owner, tiny.MovementOp)
            or (isinstance(op, tiny.UnaryOp) and element_bytes(element(op.input)) < element_bytes(element(wide)))
        ):
            wide = op.input
        if wide is None or is_leaf(wide):
            return here.value
        try:
            s = self.slicer.slice(wide, self.stops)
        except TooComplex:
            return here.value
        return wide if here.value in s.reduced.keys() - s.cuts and not s.anchors else here.value


def _broadcasts(op: Operation, value: SSAValue) -> bool:
    """Whether an op reads elements of its operand `value` several times."""
    pads = isinstance(op, tiny.MovementOp) and op.kind.data == "pad"
    return not pads and prod(shape(value)) < prod(shape(op.results[0]))


def _without_counters(here: Place, rank: int) -> Place:
    """Returns the place with a map from the axes of the root alone, if the map does not depend on the axes of reductions."""
    if len(here.space) == rank or any(axis >= rank for axis in here.axes):
        return here
    space = here.space[:rank]
    first = affine.make_map(rank, [*(f"i{k}" for k in range(rank)), *["0"] * (len(here.space) - rank)])
    return Place(here.value, affine.compose(here.at, first, space), space)


def _leading(sizes: Sequence[int], rank: int) -> isl.MultiAff:
    """Returns the map from a space to its first axes."""
    return affine.make_map(len(sizes), [f"i{k}" for k in range(rank)])
