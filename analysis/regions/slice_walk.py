"""Walks from a root back to what is stored, and decides what must be stored for the slice to be one kernel."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from math import prod

from xdsl.ir import Operation, SSAValue

from ...dialects import tiny
from ...dialects.common.shapes import element, shape
from ...targets.mma import element_bytes
from ..errors import TooComplex
from ..index import affine
from .kernel_ops import is_atomic_scatter
from .places import Place, Slice, is_leaf
from .repeated_reads import joined_pieces
from .row_layout import adjacent_axis, contiguous, ends_in_rows, split_axis, split_of_rows
from .rows import rows_of
from .slice_reads import SliceReads

MAX_JOINED = 8
"""Maximum number of computed values that are joined along an axis where a reduction reads them: it evaluates all for each element."""


@dataclass
class Walk:
    """One walk from the root of a slice back to what is stored."""

    program: SliceReads
    out: Slice
    stops: Collection[SSAValue]
    slice: Callable[[SSAValue, Collection[SSAValue]], Slice]
    """Returns the slice of another root for the same stops, or others."""
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
        if value in self.program.contractions or value in self.program.rows:
            self.multiply(here)
            return []
        if not isinstance(op, Operation):
            return []
        if not isinstance(op, tiny.ReduceOp):
            return self.compute(op, here)
        if op is out.window:
            out.ops.add(op)
            out.points[op] += prod(out.sizes)
            return [self.program.window_read(op, here)]
        reduced = self.reduce(here)
        return [] if reduced is None else self.compute(op, reduced)

    def is_reduced(self, here: Place) -> bool:
        """Whether a reduction of the root reads a place."""
        return len(here.space) > len(self.out.sizes)

    def is_read(self, value: SSAValue) -> bool:
        """Whether the slice reads a value from memory."""
        root = self.out.root
        return (
            self.program.is_leaf(value)
            or (value in self.stops and value is not root)
            or (root, value) in self.program.cuts
        )

    def read(self, here: Place) -> None:
        value, op = here.value, here.value.owner
        self.out.leaves.append(here)
        if not self.program.is_leaf(value):
            self.out.outside.add(value)
        if isinstance(op, tiny.ConstOp) and self.program.is_splat(value):
            self.program.require_in_kernel(op)
            self.out.ops.add(op)

    def stored_because(self, here: Place) -> str | None:
        """Returns why a value must be stored if a root reads it at this place, or None."""
        program, value, op = self.program, here.value, here.value.owner
        is_product = value in program.contractions
        if value in program.searched:
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
        maps = out.anchors.setdefault(self.program.rows.get(value, value), [])
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
        program, out = self.program, self.out
        program.require_in_kernel(op)
        out.ops.add(op)
        out.points[op] += prod(here.space)
        source = program.repeated_source(op)
        if not (source is None or source is out.root or source in self.stops or (out.root, source) in program.cuts):
            out.inside.add(source)
            out.cut(source, "more elements of it are read, at indices given by data, than it has")
            return []
        is_root = here.value is out.root
        try:
            return program.reads(op, here, is_root=is_root, reduced=self.is_reduced(here))
        except TooComplex as e:
            if is_root:  # the root is stored anyway: a cut does not help
                raise
            out.cut(here.value, e.message)
            return []

    def judge(self, here: Place) -> None:
        """Records whether a reduction reduces the root's rows and whether it is read one-to-one; cuts it if neither holds."""
        out, value, sizes = self.out, here.value, self.out.sizes
        info, text = self.program.book[value], _without_counters(here, len(sizes)).key[1]
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
        if out.reduced_anchors and (out.cuts or apart or not ends_in_rows(out, self.program.contractions)):
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
            s = self.slice(wide, self.stops)
        except TooComplex:
            return here.value
        return wide if here.value in s.reduced.keys() - s.cuts and not s.anchors else here.value


def _without_counters(here: Place, rank: int) -> Place:
    """Returns the place with a map from the axes of the root alone, if the map does not depend on the axes of reductions."""
    if len(here.space) == rank or any(axis >= rank for axis in here.axes):
        return here
    space = here.space[:rank]
    first = affine.make_map(rank, [*(f"i{k}" for k in range(rank)), *["0"] * (len(here.space) - rank)])
    return Place(here.value, affine.compose(here.at, first, space), space)
