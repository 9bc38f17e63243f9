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
            slices[:] = [found := self.walks(root, stops, most), *slices[: KEPT - 1]]
        return found

    def holds(self, known: Slice, stops: Collection[SSAValue]) -> bool:
        """Whether a walk would compute the same values as the slice that an earlier one returned."""

        def is_stored(value: SSAValue) -> bool:
            return value in stops or (known.root, value) in self.cuts

        return all(map(is_stored, known.outside)) and not any(map(is_stored, known.inside))

    def walks(self, root: SSAValue, stops: Collection[SSAValue], most: int | None) -> Slice:
        whole = self.walk(root, stops, space_of(root), most)
        if whole.cuts and whole.wider is not None:
            again = self.walk(root, stops, space_of(root), most, whole.wider)
            again.inside |= whole.inside
            again.outside |= whole.outside
            whole = min(again, whole, key=lambda s: len(s.cuts))
        if (window := self.window_of(whole, stops)) is not None:
            held = self.walk(root, stops, (*space_of(root), *self.reduced_sizes(window)), most, window=window)
            held.inside |= whole.inside
            held.outside |= whole.outside
            if held.anchors and not held.cuts:
                return held
        finer, sizes = whole, whole.finer
        while sizes is not None and len(sizes) < len(shape(root)) + MAX_SPLITS:
            finer = self.walk(root, stops, sizes, most)
            whole.inside |= finer.inside
            whole.outside |= finer.outside
            sizes = finer.finer
        if finer.rows is None or finer.cuts:
            return whole
        finer.inside, finer.outside = whole.inside, whole.outside
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
        out = Slice(root, sizes, start, rows=rows, window=window)
        apart: dict[SSAValue, str] = {}
        """Reductions that do not reduce the root's rows, each with the reason."""
        nested: dict[SSAValue, str] = {}
        """Reductions that are not read one-to-one or that another reduction reads, each with the reason."""
        seen: set[tuple[SSAValue, str]] = set()
        todo = [Place(root, start, sizes)]
        while todo:
            here = todo.pop()
            if here.key in seen:
                continue
            seen.add(here.key)
            value, op = here.value, here.value.owner
            if len(here.space) == len(sizes):
                out.passed.setdefault(value, here.at)
            elif not here.positions:
                out.summed.setdefault(value, here)
            if (leaf := self.is_leaf(value)) or (value in stops and value is not root) or (root, value) in self.cuts:
                out.leaves.append(here)
                if not leaf:
                    out.outside.add(value)
                if isinstance(op, tiny.ConstOp) and self.is_splat(value):
                    self.require_in_kernel(op)
                    out.ops.add(op)
                continue
            if value is not root:
                out.inside.add(value)
                if value in self.searched:
                    out.cut(value, "more elements of it are read than it has, each of which a search finds")
                    continue
                if is_atomic_scatter(op):
                    out.cut(value, "its elements are updated in memory")
                    continue
                if value not in self.contractions and isinstance(op, Operation) and tiny.keeps_order(op):
                    out.cut(value, "one thread adds strict floats, each in its turn")
                    continue
            if len(here.space) > len(sizes) and joined_pieces(op) > MAX_JOINED:
                out.cut(value, "a reduction reads it, and each element would compute all that it joins")
                continue
            reduces = value in self.contractions or isinstance(op, tiny.ReduceOp)
            if reduces and (here.positions or is_atomic_scatter(root.owner)):
                out.cut(value, "it is read, or its elements are updates, at indices given by data")
                continue
            if value in self.contractions or value in self.rows:
                if len(here.space) > len(sizes):
                    out.reduced_anchors.append(here)
                else:
                    maps = out.anchors.setdefault(self.rows.get(value, value), [])
                    maps += [here.at] * all(not affine.equal_on(sizes, here.at, at) for at in maps)
                if most is not None and len({*out.anchors, *(p.value for p in out.reduced_anchors)}) > most:
                    out.cut(value, f"it is one of more than {most} contractions")
                    return out
                continue
            if not isinstance(op, Operation):
                continue
            if window is not None and op is window:
                out.ops.add(window)
                out.points[window] += prod(sizes)
                todo.append(self.window_read(window, here))
                continue
            if isinstance(op, tiny.ReduceOp):
                if window is not None:
                    out.cut(value, "tiles hold the windows of another reduction")
                    continue
                self.judge(here, out, apart, nested, stops)
                if value in out.cuts or here.wide in out.cuts:
                    continue
                here = _without_counters(here, len(sizes))
                if len(here.space) == len(sizes):
                    out.passed.setdefault(value, here.at)
            self.require_in_kernel(op)
            out.ops.add(op)
            out.points[op] += prod(here.space)
            if (
                (source := self.repeated_source(op)) is not None
                and source is not root
                and (root, source) not in self.cuts
                and source not in stops
            ):
                out.inside.add(source)
                out.cut(source, "more elements of it are read, at indices given by data, than it has")
                continue
            try:
                todo += self.reads(op, here, is_root=value is root, reduced=len(here.space) > len(sizes))
            except TooComplex as e:
                if value is root:  # the root is stored anyway: a cut does not help
                    raise
                out.cut(value, e.message)
        self.settle(out, apart, nested)
        return out

    def judge(
        self,
        here: Place,
        out: Slice,
        apart: dict[SSAValue, str],
        nested: dict[SSAValue, str],
        stops: Collection[SSAValue],
    ) -> None:
        """Records whether a reduction reduces the root's rows and whether it is read one-to-one; cuts it if neither holds."""
        value, sizes = here.value, out.sizes
        info, text = self.book[value], _without_counters(here, len(sizes)).key[1]
        if value in out.reduced and out.reduced[value] != text:
            out.cut(value, "it is read at two indices")
            return
        if (rows := rows_of(info, here.at, sizes, out.rows)) is None:
            apart[value] = "it reduces other rows"
            out.finer = out.finer or split_axis(here.at, sizes)
            if (
                out.rows is not None
                and not out.rows.columns
                and (own := rows_of(info, here.at, sizes, None)) is not None
            ):
                out.wider = out.wider or (own if own.columns else None)
        else:
            out.rows = rows
        if len(here.space) > len(sizes):
            nested[value] = "another reduction reads it"
        elif value is not out.root and affine.inverse(here.at, sizes, shape(value)) is None:
            nested[value] = "it is not read one-to-one"
        if value in apart and value in nested:
            out.cut(self.widest(here, stops), nested[value])
        elif value is not out.root:
            out.reduced[value] = text

    def settle(self, out: Slice, apart: dict[SSAValue, str], nested: dict[SSAValue, str]) -> None:
        """
        Cuts the reductions that cannot be fused: with contiguous or adjacent rows, those that do not reduce the rows; otherwise, those that
        are not read one-to-one. If the slice also reads a contraction, it is fused and all reductions are cut. Does nothing if
        there are cuts already: the next walk, which reads those values from memory, decides. Reductions of the rows of a
        contraction are fused with it.
        """
        if out.reduced_anchors and (out.cuts or apart or not ends_in_rows(out, self.contractions)):
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

    def widest(self, here: Place, stops: Collection[SSAValue]) -> SSAValue:
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
            s = self.slice(wide, stops)
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
