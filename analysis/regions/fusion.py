"""
Partitions a function into kernels: which values are stored, and which ops are fused into which kernel.

Works backwards from the values that must exist in memory (*roots*: results, and computed operands of
contractions). The *slice* of a root is every op needed at the point where the root is computed, each with
the map from the root's axes to its own. Fusing a root with a contraction is legal if its slice reaches

- exactly one contraction (the *anchor*),
- at exactly one index per root element, and
- one-to-one: the map from root to anchor has an inverse of one quasi-affine piece.

Otherwise the contraction is stored and the root reads it back. Roots that share an anchor share its kernel,
so a contraction is computed once, unless kernels would depend on each other in a cycle. A value is also stored if its
index grows too complex.

Kernels can neither evaluate guards nor compute indices as values: a pad or an iota inside of a kernel is refused.

Spec: `tensor-compiler.ja §4.1` (output-rooted backward greedy); there is no cost term yet, because storing
an elementwise result never beats keeping it in registers in this family.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import islpy as isl
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue

from ...dialects import tiny
from ...dialects.common.shapes import shape
from ...errors import Unsupported
from ...text.literals import splat
from ..errors import TooComplex
from ..index import affine
from ..index.book import index_book
from ..index.info import Access, compose_access
from .contraction import Contraction, contractions
from .kernel_ops import foreign_op, require_in_kernel, require_unguarded

log = logging.getLogger(__name__)

TINY = frozenset(op.name for op in tiny.Tiny.operations)


class _Cut(Exception):
    """Signals that a cut was added: all slices must be recomputed."""


@dataclass(frozen=True)
class Slice:
    """The ops that a root needs, the stored values it reads, and its maps to contractions."""

    root: SSAValue
    ops: frozenset[Operation]
    leaves: tuple[SSAValue, ...]
    anchors: dict[SSAValue, list[isl.MultiAff]]

    @property
    def anchor(self) -> SSAValue | None:
        return next(iter(self.anchors), None)


@dataclass
class Kernel:
    """One kernel: the roots that it stores and the contraction that it is built around."""

    anchor: Contraction | None
    slices: list[Slice] = field(default_factory=list[Slice])

    @property
    def roots(self) -> list[SSAValue]:
        return [s.root for s in self.slices]

    def ops(self) -> set[Operation]:
        ops = {op for s in self.slices for op in s.ops}
        return ops | {self.anchor.op, *self.anchor.interior} if self.anchor else ops

    def leaves(self) -> list[SSAValue]:
        """The stored values that the kernel reads, each once, in a fixed order."""
        operands = [self.anchor.lhs.value, self.anchor.rhs.value] if self.anchor else []
        epilogue = (leaf for s in self.slices for leaf in s.leaves if not is_splat(leaf))
        return list(dict.fromkeys([*operands, *epilogue]))


def is_splat(value: SSAValue) -> bool:
    """Whether a value is a splat constant, which kernels do not load."""
    return isinstance(value.owner, tiny.ConstOp) and splat(value.owner.value) is not None


def is_leaf(value: SSAValue) -> bool:
    """Whether a value is in memory without being computed."""
    return not isinstance(value.owner, Operation) or isinstance(value.owner, tiny.ConstOp)


MAX_INDEX_LENGTH = 600
"""
Limit on the text of a map through which a kernel reads a value that it does not store. Divisions that do not cancel nest,
so that text, isl's time and the kernel's index arithmetic grow exponentially with a chain's length.
"""


class Fusion:
    """The kernels of one function, in an executable order."""

    def __init__(self, function: FuncOp):
        self.function = function
        self.order = {op: k for k, op in enumerate(function.body.block.ops)}
        for op in self.order:
            if op.name not in TINY:
                if op is function.body.block.last_op:
                    continue
                raise foreign_op(op, "form-regions")
        self.book, self.contractions = index_book(function), contractions(function)
        self.cuts: set[tuple[SSAValue, SSAValue]] = set()
        self.kernels = self._partition()

    # --- slices -----------------------------------------------------------------------------------

    def slice(self, root: SSAValue, stops: Iterable[SSAValue]) -> Slice:
        """Walks back from `root` to leaves, `stops` and contractions."""
        stored = set(stops) - {root}
        ops: set[Operation] = set()
        leaves: dict[SSAValue, None] = {}
        anchors: dict[SSAValue, list[isl.MultiAff]] = {}
        sizes = shape(root)
        seen: set[tuple[SSAValue, str]] = set()
        todo = [(root, affine.identity(len(sizes)))]
        while todo:
            value, at = todo.pop()
            key = affine.canonical_text(at)
            if (value, key) in seen:
                continue
            seen.add((value, key))
            op = value.owner
            if is_leaf(value) or value in stored or (root, value) in self.cuts:
                leaves[value] = None
                if isinstance(op, tiny.ConstOp) and is_splat(value):
                    require_in_kernel(op)
                    ops.add(op)
            elif value in self.contractions:
                anchors.setdefault(value, []).append(at)
            elif isinstance(op, Operation):
                require_in_kernel(op)
                ops.add(op)
                for access in reversed(self.book[value].accesses):
                    todo.append((access.value, self.compose(access, at, root, op)))
        return Slice(root, frozenset(ops), tuple(leaves), anchors)

    def compose(self, access: Access, at: isl.MultiAff, root: SSAValue, op: Operation) -> isl.MultiAff:
        """Composes an access of `op`, which the root reaches at `at`, into a map from the axes of `root`."""
        try:
            found = compose_access(access, Access(op.results[0], at), shape(root)).map
            if op.results[0] is not root and len(affine.canonical_text(found)) > MAX_INDEX_LENGTH:
                raise TooComplex(what=affine.COMPOSITION, bound=f"{MAX_INDEX_LENGTH} characters")
            return found
        except TooComplex as e:
            if op.results[0] is root:  # stored already
                raise
            log.debug("this value is stored, not fused: %s", e.message, extra={"op": op})
            self.cuts.add((root, op.results[0]))
            raise _Cut from e

    def blocker(self, s: Slice) -> SSAValue | None:
        """Returns the contraction that must be stored because the slice cannot be one kernel; None if it can."""
        if not s.anchors:
            return None
        by_order = sorted(s.anchors, key=lambda v: self.order[v.owner])  # pyright: ignore[reportArgumentType]

        def first(why: str) -> SSAValue:
            log.debug("this contraction is stored, not fused: %s", why, extra={"op": by_order[0].owner})
            return by_order[0]

        if len(by_order) > 1:
            return first("a second contraction feeds the same root")
        (maps,) = s.anchors.values()
        if len(maps) > 1:
            return first(f"it is read at {len(maps)} different indices of one root")
        if affine.inverse(maps[0], shape(s.root), shape(by_order[0])) is None:
            return first(f"the map {affine.canonical_text(maps[0])} from root to contraction is not one-to-one")
        return None

    # --- roots and kernels ------------------------------------------------------------------------

    def _partition(self) -> list[Kernel]:
        """Adds cuts until every slice is legal and the kernels can be ordered. Each round adds one, so the loop ends."""
        while True:
            try:
                slices = self._slices()
            except _Cut:
                continue
            if slices is None:
                continue
            kernels = self._group(slices)
            ordered = self._ordered(kernels)
            if ordered is not None:
                return ordered

    def _slices(self) -> list[Slice] | None:
        """Returns a legal slice for every root, or None after adding a cut."""
        last = self.function.body.block.last_op
        results: Sequence[SSAValue] = last.operands if last is not None else ()
        roots: dict[SSAValue, None] = {}
        todo = [v for v in results if not is_leaf(v) or is_splat(v)]
        todo += [c for _, c in self.cuts]
        while todo:
            root = todo.pop(0)
            if root in roots:
                continue
            roots[root] = None
            for anchor in self.slice(root, ()).anchors:
                c = self.contractions[anchor]
                for op in c.interior:
                    require_unguarded(op)
                todo += [a.value for a in (c.lhs, c.rhs) if not is_leaf(a.value) or is_splat(a.value)]
        out: list[Slice] = []
        elementwise = {r for r in roots if r not in self.contractions}
        for root in roots:
            through = self.slice(root, ())
            if through.anchors and self.blocker(through) is None:
                out.append(through)
                continue
            s = self.slice(root, elementwise)
            if (anchor := self.blocker(s)) is not None:
                self.cuts.add((root, anchor))
                return None
            out.append(s)
        return out

    def _group(self, slices: Sequence[Slice]) -> list[Kernel]:
        anchored: dict[SSAValue, Kernel] = {}
        kernels: list[Kernel] = []
        for s in sorted(slices, key=lambda s: self.order[s.root.owner]):  # pyright: ignore[reportArgumentType]
            anchor = s.anchor
            if anchor is None:
                kernels.append(Kernel(None, [s]))
            elif anchor in anchored:
                anchored[anchor].slices.append(s)
            else:
                anchored[anchor] = Kernel(self.contractions[anchor], [s])
                kernels.append(anchored[anchor])
        return kernels

    def _ordered(self, kernels: Sequence[Kernel]) -> list[Kernel] | None:
        """Sorts topologically; on a cycle, cuts a kernel of several roots apart and returns None."""
        done: set[SSAValue] = set()
        stored = {root for k in kernels for root in k.roots}
        waiting = list(kernels)
        ordered: list[Kernel] = []
        while waiting:
            ready = [k for k in waiting if all(v in done or v not in stored for v in k.leaves())]
            if not ready:
                for k in waiting:
                    if k.anchor is not None and any(r is not k.anchor.out for r in k.roots) and len(k.roots) > 1:
                        self.cuts |= {(r, k.anchor.out) for r in k.roots if r is not k.anchor.out}
                        return None
                raise Unsupported(
                    self.function, what="this order of kernels", need="report this program: kernels wait for each other"
                )
            ordered += ready
            done |= {r for k in ready for r in k.roots}
            waiting = [k for k in waiting if k not in ready]
        return ordered
