"""
The slice of a root: the ops that are needed to compute it, each with the map from the axes of the root, and of the reductions
around the op, to the axes of the op.

A slice can be one kernel if it reads one contraction one-to-one (`fusion.py` has those rules), or if it reads no contraction
and its reductions are of one of these kinds:

- each yields one number for each row of the root; rows have equal length and are contiguous in memory (`rows.py`);
- each is read one-to-one, and not by another reduction.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import islpy as isl
from xdsl.ir import Operation, SSAValue

from ...dialects import region, tiny
from ...dialects.common.shapes import shape
from ...text.literals import splat
from ..errors import TooComplex
from ..index import affine
from ..index.book import IndexBook
from .addresses import extended, is_affine, linear_address, stride
from .contraction import Contraction
from .kernel_ops import require_in_kernel
from .rows import Rows, axes_used, rows_of

log = logging.getLogger(__name__)


def is_splat(value: SSAValue) -> bool:
    """Whether a value is a splat constant, which kernels do not load."""
    return isinstance(value.owner, tiny.ConstOp) and splat(value.owner.value) is not None


def is_computed(value: SSAValue) -> bool:
    """Whether a value must be written by a kernel to be in memory."""
    return not is_leaf(value) or is_splat(value)


def is_leaf(value: SSAValue) -> bool:
    """Whether a value is in memory without being computed."""
    return not isinstance(value.owner, Operation) or isinstance(value.owner, tiny.ConstOp | region.LoadOp)


MAX_INDEX_LENGTH = 600
"""
Maximum number of characters in the text of a map through which a kernel reads a value that it computes itself. Divisions that
do not cancel are nested, so that the text, isl's time and the kernel's index arithmetic grow exponentially along a chain of ops.
"""


@dataclass(frozen=True)
class Place:
    """A value that a root reads, the map `at` through which the root reads it, and the sizes of the map's input axes."""

    value: SSAValue
    at: isl.MultiAff
    space: tuple[int, ...]

    @property
    def key(self) -> tuple[SSAValue, str]:
        return self.value, affine.canonical_text(self.at)


@dataclass
class Slice:
    """
    The ops that a root needs, the stored values that it reads (`leaves`), its maps to contractions (`anchors`), and the
    reductions fused with it (`reduced`), which reduce `rows` unless that is None. `cuts` are values that must be stored first:
    only a slice without cuts can be a kernel.
    """

    root: SSAValue
    ops: set[Operation] = field(default_factory=set[Operation])
    leaves: list[Place] = field(default_factory=list[Place])
    anchors: dict[SSAValue, list[isl.MultiAff]] = field(default_factory=dict[SSAValue, list[isl.MultiAff]])
    reduced: dict[SSAValue, str] = field(default_factory=dict[SSAValue, str])
    """The reductions, each with the text of the map through which it is read."""
    rows: Rows | None = None
    passed: dict[SSAValue, isl.MultiAff] = field(default_factory=dict[SSAValue, isl.MultiAff])
    """The values that are read outside of reductions, each with the map of its first read."""
    cuts: set[SSAValue] = field(default_factory=set[SSAValue])

    @property
    def anchor(self) -> SSAValue | None:
        return next(iter(self.anchors), None)

    @property
    def stored(self) -> list[SSAValue]:
        """The values that the slice reads from memory."""
        return [leaf.value for leaf in self.leaves if not is_splat(leaf.value)]

    def cut(self, value: SSAValue, why: str) -> None:
        log.debug("this value is stored, not fused: %s", why, extra={"op": value.owner})
        self.cuts.add(value)


@dataclass
class Slicer:
    """Computes slices; `cuts` are values that a root reads from memory."""

    book: IndexBook
    contractions: Mapping[SSAValue, Contraction]
    cuts: set[tuple[SSAValue, SSAValue]] = field(default_factory=set[tuple[SSAValue, SSAValue]])

    def slice(self, root: SSAValue, stops: Iterable[SSAValue]) -> Slice:
        """Walks back from `root` to leaves, `stops`, contractions and values that must be stored."""
        stored, sizes = set(stops) - {root}, shape(root)
        out = Slice(root)
        apart: dict[SSAValue, str] = {}
        """Reductions that do not reduce the root's rows, each with the reason."""
        nested: dict[SSAValue, str] = {}
        """Reductions that are not read one-to-one or that another reduction reads, each with the reason."""
        seen: set[tuple[SSAValue, str]] = set()
        todo = [Place(root, affine.identity(len(sizes)), sizes)]
        while todo:
            here = todo.pop()
            if here.key in seen:
                continue
            seen.add(here.key)
            value, op = here.value, here.value.owner
            if len(here.space) == len(sizes):
                out.passed.setdefault(value, here.at)
            if is_leaf(value) or value in stored or (root, value) in self.cuts:
                out.leaves.append(here)
                if isinstance(op, tiny.ConstOp) and is_splat(value):
                    require_in_kernel(op)
                    out.ops.add(op)
                continue
            if value in self.contractions:
                if len(here.space) > len(sizes):
                    out.cut(value, "a reduction reads it")
                else:
                    out.anchors.setdefault(value, []).append(here.at)
                continue
            if not isinstance(op, Operation):
                continue
            if isinstance(op, tiny.ReduceOp):
                self.judge(here, out, apart, nested)
                if value in out.cuts:
                    continue
                here = _without_counters(here, len(sizes))
                if len(here.space) == len(sizes):
                    out.passed.setdefault(value, here.at)
            require_in_kernel(op)
            out.ops.add(op)
            try:
                todo += self.reads(op, here, is_root=value is root)
            except TooComplex as e:
                if value is root:  # the root is stored anyway: a cut does not help
                    raise
                out.cut(value, e.message)
        self.settle(out, apart, nested)
        return out

    def judge(self, here: Place, out: Slice, apart: dict[SSAValue, str], nested: dict[SSAValue, str]) -> None:
        """Records whether a reduction reduces the root's rows and whether it is read one-to-one; cuts it if neither holds."""
        value, sizes = here.value, shape(out.root)
        info, text = self.book[value], _without_counters(here, len(sizes)).key[1]
        if value in out.reduced and out.reduced[value] != text:
            out.cut(value, "it is read at two indices")
            return
        if (rows := rows_of(info, here.at, sizes, out.rows)) is None:
            apart[value] = "it reduces other rows"
        else:
            out.rows = rows
        if len(here.space) > len(sizes):
            nested[value] = "another reduction reads it"
        elif value is not out.root and affine.inverse(here.at, sizes, shape(value)) is None:
            nested[value] = "it is not read one-to-one"
        if value in apart and value in nested:
            out.cut(value, nested[value])
        elif value is not out.root:
            out.reduced[value] = text

    def settle(self, out: Slice, apart: dict[SSAValue, str], nested: dict[SSAValue, str]) -> None:
        """
        Cuts the reductions that cannot be fused: with contiguous rows, those that do not reduce the rows; otherwise, those that
        are not read one-to-one. If the slice also reads a contraction, it is fused and all reductions are cut. Does nothing if
        there are cuts already: the next walk, which reads those values from memory, decides.
        """
        if out.cuts:
            return
        if out.rows is not None and (out.anchors or out.root in apart or not self.contiguous(out)):
            out.rows = None
        refused = dict.fromkeys(out.reduced, "a contraction is fused") if out.anchors else nested
        for value, why in (refused if out.rows is None else apart).items():
            if value not in out.cuts:
                out.cut(value, why)
        for value in out.cuts:
            out.reduced.pop(value, None)

    def contiguous(self, out: Slice) -> bool:
        """Whether the rows read arrays along their columns, and all these are contiguous along them."""
        rank, read = len(shape(out.root)), False
        columns = set(out.rows.columns) if out.rows is not None else set[int]()
        for leaf in out.leaves:
            used = [a for a in axes_used(leaf.at) if a in columns or a >= rank]
            if not used or is_splat(leaf.value):
                continue
            address = linear_address(shape(leaf.value), leaf.at, leaf.space)
            if not is_affine(address) or stride(address, used[-1]) != 1:
                return False
            read = True
        return read

    def reads(self, op: Operation, here: Place, *, is_root: bool) -> list[Place]:
        """Returns the places that an op reads, last operand first. Raises `TooComplex`."""
        out: list[Place] = []
        info = self.book[op.results[0]]
        for access in reversed(info.accesses):
            inner, there = extended(info, here.at, here.space)
            found = affine.compose(access.map, there, inner)
            if not is_root and len(affine.canonical_text(found)) > MAX_INDEX_LENGTH:
                raise TooComplex(what=affine.COMPOSITION, bound=f"{MAX_INDEX_LENGTH} characters")
            out.append(Place(access.value, found, inner))
        return out


def _without_counters(here: Place, rank: int) -> Place:
    """Returns the place with a map from the axes of the root alone, if the map does not depend on the axes of reductions."""
    if len(here.space) == rank or any(axis >= rank for axis in axes_used(here.at)):
        return here
    space = here.space[:rank]
    first = affine.make_map(rank, [*(f"i{k}" for k in range(rank)), *["0"] * (len(here.space) - rank)])
    return Place(here.value, affine.compose(here.at, first, space), space)
