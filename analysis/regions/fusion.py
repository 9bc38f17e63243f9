"""
Partitions a block into kernels: which values are stored, and which ops are fused into which kernel.

Ops that the host executes, such as calls and loops, are steps between the kernels; the blocks inside them are partitioned on their
own. Works backwards from the *roots*, the values that must exist in memory: results, operands of host ops, computed operands of
contractions, and values that fusion decides to store, called *cuts*. The ops that a root needs are its slice (`slices.py`). Fusing a root with a
contraction is legal if its slice reaches

- exactly one contraction (the *anchor*),
- at exactly one index per root element, or at one position of all members of a batch (`members.py`), and
- one-to-one: the map from root to anchor has an inverse of one quasi-affine piece.

Otherwise the contraction is stored and the root reads it back. An operand of the contraction may be computed in its kernel,
too (`prologue.py`). Roots that share an anchor or a row reduction are computed by one kernel, so that the shared op is computed
once. They stay apart if the kernels would otherwise depend on each other in a cycle. A value is also stored if its index grows
too complex.

Cost decides only whether an operand of a contraction is computed in its kernel. Any other elementwise result stays in registers,
which is never slower than storing it. Spec: `tensor-compiler.ja §4.1` (output-rooted backward greedy).
"""

from __future__ import annotations

import logging
from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence

import islpy as isl
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue

from ...dialects import tiny
from ...dialects.common.shapes import shape
from ...dialects.plan.choice import COMPUTES
from ..errors import KernelsWait, NotComputed
from ..index import affine
from ..index.book import body_of, index_book
from ..index.positions import Positions
from .attention import Attention
from .chained import Chained, NotChained
from .chains import chains
from .contraction import Contraction, contractions
from .fused_products import fused_products
from .gathered import gathered
from .joins import Joins
from .kernel import Kernel, bytes_of
from .kernel_ops import HOST_OPS, foreign_op, is_atomic_scatter, is_tensor_op, require_body
from .members import members_in
from .places import Place, Slice, is_computed, is_splat
from .prologue import joins, prologue
from .result_rows import ResultRow, result_rows
from .scattered import stored_first
from .slices import Slicer
from .step_order import in_order
from .upstream import upstream

log = logging.getLogger(__name__)
NO_TEMPLATE = "no architecture is given whose templates could compute it"
"""The reason for which chained products are not one kernel where nothing else is said."""
MAX_CONSTANT = 4096
"""Maximum number of bytes of a splat constant that host ops read from the constants of the program: a larger one is computed."""


def gathered_values(c: Chained) -> dict[SSAValue, Slice]:
    """Returns the right operand of an attention, with its slice, if it is gathered in the kernel."""
    value = c.product.rhs.value
    if not isinstance(c, Attention) or (g := gathered(value)) is None:
        return {}
    sizes = shape(value)
    whole = affine.identity(len(sizes))
    leaves = [Place(v, whole, sizes, is_gathered=True) for v in (g.pool, g.table)]
    return {value: Slice(value, sizes, whole, set(g.ops), leaves=leaves)}


def _numbered_ops(block: Block) -> dict[Operation, int]:
    """Returns the ops of a block with their positions. Raises an error at an op that neither a kernel nor the host computes."""
    for op in block.ops:
        if isinstance(op, HOST_OPS):
            require_body(op)
        elif not is_tensor_op(op) and op is not block.last_op:
            raise foreign_op(op, "form-regions")
    return {op: k for k, op in enumerate(block.ops)}


def _kernels_wait(kernels: Sequence[Kernel]) -> KernelsWait:
    op = kernels[0].roots[0].owner if kernels else None
    return KernelsWait(op if isinstance(op, Operation) else None, kernels=len(kernels))


Choice = Callable[["Fusion"], "list[Kernel] | None"]
"""Returns the kernels that compute the stored values of a block, whose kernels by legality alone are known, or None to keep those."""


class Fusion:
    """The steps of one function or block, kernels and host ops, in an executable order."""

    def __init__(
        self,
        scope: FuncOp | Block,
        problem: Callable[[Sequence[Chained]], str | None] = lambda _: NO_TEMPLATE,
        choose: Choice | None = None,
        by_rows: bool = False,
        *,
        windows: bool = False,
        again: Callable[[Attention], bool] = lambda _: False,
    ):
        """
        `problem` returns why no kernel computes chained products, so that each has a kernel of its own, or None. `again` says of an attention
        whether what else reads its scores or weights computes the scores again. `choose` returns other kernels than those of this module.
        With `by_rows`, results that are rows of one array are not stored, but the array is. With `windows`, kernels of contractions can
        reduce windows of their results.
        """
        self.block = body_of(scope)
        self.order = _numbered_ops(self.block)
        self.results: Sequence[SSAValue] = self.block.last_op.operands if self.block.last_op is not None else ()
        self.host_ops, own = self._host_ops(), isinstance(scope, FuncOp)
        self.rows_of_arrays: Mapping[SSAValue, ResultRow] = result_rows(self.results) if own and by_rows else {}
        self.stored_values = self._stored_values(own=own)
        """The values that must exist in memory for the results and the host ops."""
        self.book = index_book(scope)
        self.chained, self.refused = fused_products(scope, problem, again)
        """
        The products whose kernels compute what their operands are computed from, by their results; and products of a softmax, or that share
        inner ones, that have kernels of their own, with the reasons.
        """
        self.apart: dict[SSAValue, NotChained] = {}
        """Chained products that compute the inner ones of another kernel again, by their results, with the reasons."""
        self.reasons: dict[SSAValue, str] = {}
        """Contractions that are stored, not fused with what reads them, with the reasons."""
        self.contractions = {**contractions(scope), **{out: c.product for out, c in self.chained.items()}}
        self.of_rows = {v: a for a in self.chained.values() if isinstance(a, Attention) for v in a.rows}
        """The maxima and the sums of rows that the kernel of an attention computes, each with that attention."""
        self.slicer = Slicer(
            self.book, self.contractions, {v: a.total.result for v, a in self.of_rows.items()}, windows=windows
        )
        self.cuts = self.slicer.cuts
        self.positions = Positions(self.book)
        self.alone: set[SSAValue] = {
            r
            for op in self.order
            for r in op.results
            if is_atomic_scatter(op) or (tiny.keeps_order(op) and r not in self.contractions)
        }
        """
        Roots that get kernels of their own: scatters, sums of strict floats, and those whose joined kernels would depend on each other in
        a cycle.
        """
        self.joins = Joins(self.book, self.slicer, self.chained, problem, self.alone, self.apart)
        self.chains = chains(self.contractions)
        self.chain_ends = {chain[-1] for chain in self.chains.values()}
        self.prologues = {out: self._prologues(c) for out, c in self.contractions.items()}
        """For each contraction's result, the operands that its kernel computes, with their slices."""
        self.steps: list[Kernel | Operation] = self._partition()
        if choose is not None and (kernels := choose(self)) is not None:
            self.steps, stuck = in_order(kernels, self.host_ops, self.position)
            if stuck:
                raise _kernels_wait(stuck)

    @property
    def not_fused(self) -> Sequence[NotChained]:
        """Products that have kernels of their own, with the reasons."""
        return [*self.refused, *self.apart.values()]

    @property
    def kernels(self) -> list[Kernel]:
        return [step for step in self.steps if isinstance(step, Kernel)]

    def _prologues(self, c: Contraction) -> dict[SSAValue, Slice]:
        """Returns the operands of a contraction that its kernel computes, with their slices."""
        if (chained := self.chained.get(c.out)) is not None:
            return {chained.weights: chained.slice, **gathered_values(chained)}
        slices = ((operand.value, prologue(c, operand, self.slicer, self.stored)) for operand in (c.lhs, c.rhs))
        return {value: s for value, s in slices if s is not None}

    def _host_ops(self) -> list[Operation]:
        """Returns the host ops on which the results depend, in program order."""
        todo, needed = list(self.results), set[Operation]()
        while todo:
            op = todo.pop().owner
            if isinstance(op, Operation) and op in self.order and op not in needed:
                needed.add(op)
                todo += op.operands
        return [op for op in self.order if op in needed and isinstance(op, HOST_OPS)]

    def _stored_values(self, *, own: bool) -> list[SSAValue]:
        """
        Returns the results and the operands of host ops. Small splat constants are left out, since they are constants of the
        program, except for the results of a function (`own`), which are arrays of their own.
        """
        read: list[SSAValue] = [v for op in self.host_ops for v in op.operands]
        read += [] if own else self.results
        kept = [v for v in read if not (is_splat(v) and bytes_of(v) <= MAX_CONSTANT)]
        rows = self.rows_of_arrays
        results = [rows[v].array if v in rows else v for v in (self.results if own else ())]
        return list(dict.fromkeys([*results, *kept]))

    def blockers(self, s: Slice) -> set[SSAValue]:
        """
        Returns the values that must be stored because the slice cannot be one kernel, none if it can: a contraction or, of an attention,
        also the maximum and the sum of its rows.
        """
        if not s.anchors:
            return set()
        by_order = sorted(s.anchors, key=lambda v: (v not in self.of_rows, self.order[v.owner]))  # pyright: ignore[reportArgumentType]

        def first(why: str) -> set[SSAValue]:
            self.reasons[by_order[0]] = why
            log.debug("this contraction is stored, not fused: %s", why, extra={"op": by_order[0].owner})
            product = self.anchor(by_order[0])
            return {v for v in s.passed if self.anchor(v) is product}

        if len(by_order) > 1:
            return first("a second contraction feeds the same root")
        (maps,) = s.anchors.values()
        if len(maps) > 1:
            return set() if (why := self._combines(s, by_order[0], maps)) is None else first(why)
        if s.window is not None:
            if by_order[0] in self.chained:
                return first("the kernel of a chained product reduces no windows")
            return first("it is read outside of windows, too") if self._read_besides(by_order[0], s) else set()
        if affine.inverse(maps[0], shape(s.root), shape(by_order[0])) is None:
            return first(f"the map {affine.canonical_text(maps[0])} from root to contraction is not one-to-one")
        return set()

    def _combines(self, s: Slice, value: SSAValue, maps: Sequence[isl.MultiAff]) -> str | None:
        """Returns why the kernel of a contraction that a slice reads at several indices does not combine its elements, or None if it does."""
        several = f"it is read at {len(maps)} different indices of one root"
        if not self.slicer.windows or value in self.chained or s.window is not None or value not in self.contractions:
            return several
        if isinstance(found := members_in(s.sizes, maps, c := self.contractions[value]), str):
            return f"{several}: {found}"
        if self.prologues.get(c.out) and COMPUTES not in c.op.attributes:
            return f"{several}, and an operand is computed in its kernel"
        return f"{several}, and read outside of that root, too" if self._read_besides(value, s) else None

    def _read_besides(self, value: SSAValue, s: Slice) -> bool:
        """Whether a contraction, or what is computed from it element by element, is read by others than the slice, or its windows."""
        todo, seen = [value], set[SSAValue]()
        while todo:
            if (value := todo.pop()) in seen or value is s.root:
                continue
            seen.add(value)
            users = {use.operation for use in value.uses}
            if value in self.stored_values or not users <= s.ops:
                return True
            todo += [r for op in users if op is not s.window for r in op.results]
        return False

    def check_computed(self) -> None:
        """Raises `NotComputed` at a sum whose kernel does not compute its left factors although the program asks for that."""
        for op in self.order:
            if COMPUTES not in op.attributes:
                continue
            kernel = next((k for k in self.kernels if k.anchor is not None and k.anchor.op is op), None)
            if kernel is None or kernel.anchor is None or (s := kernel.prologues.get(kernel.anchor.lhs.value)) is None:
                raise NotComputed(op, problem="no kernel multiplies matrices here, of which one is computed")
            if any(map(joins, s.ops)) and not any(len(maps) > 1 for k in kernel.slices for maps in k.anchors.values()):
                why = self.reasons.get(op.results[0], "nothing combines the products of its batch")
                raise NotComputed(op, problem=f"it joins arrays, and the products of the batch are stored: {why}")

    def anchor(self, value: SSAValue) -> Contraction | None:
        """Returns the contraction whose kernel computes a value: the contraction's result, or the maximum or the sum of an attention's rows."""
        return self.of_rows[value].product if value in self.of_rows else self.contractions.get(value)

    def stored(self, value: SSAValue, root: SSAValue) -> SSAValue:
        """Returns what is stored if `root` is not fused with `value`: that value or, for a contraction, the last of its chain."""
        chain = self.chains.get(value, [value])
        return chain[chain.index(root) - 1] if root in chain else chain[-1]

    # --- roots and kernels ------------------------------------------------------------------------

    def _partition(self) -> list[Kernel | Operation]:
        """Adds cuts until every slice is legal and the steps can be ordered. Each round adds one, so the loop ends."""
        while True:
            if (slices := self._slices()) is None:
                continue
            kernels = self._group(slices)
            if self._cut_shared(kernels):
                continue
            steps, stuck = in_order(kernels, self.host_ops, self.position)
            if not stuck:
                return steps
            self._split(stuck)

    def _roots(self) -> list[SSAValue]:
        """
        Returns the stored values, the cuts, and the computed operands of the contractions, and the scatters and their initial values, on
        which these depend.
        """
        todo = deque([*self.stored_values, *(value for _, value in self.cuts)])
        roots = dict.fromkeys(v for v in todo if is_computed(v))
        seen: set[SSAValue] = set()
        while todo:
            if (value := todo.popleft()) in seen:
                continue
            seen.add(value)
            if (c := self.anchor(value)) is not None:
                found = self.prologues[c.out]
                operands = [
                    v for a in (c.lhs, c.rhs) for v in (found[a.value].stored if a.value in found else [a.value])
                ]
                roots |= dict.fromkeys(v for v in operands if is_computed(v))
                todo += operands
            elif isinstance(op := value.owner, Operation):
                if is_atomic_scatter(op):
                    roots |= dict.fromkeys(v for v in (op.x, value) if is_computed(v))
                todo += op.operands
        return list(roots)

    def _slices(self) -> list[Slice] | None:
        """Returns a legal slice for every root, or None after adding cuts."""
        roots = self._roots()
        self.elementwise = elementwise = {r for r in roots if r not in self.contractions}
        ends = {chain[-1] for chain in self.chains.values()} & elementwise
        out: list[Slice] = []
        before = len(self.cuts)

        def fails(s: Slice) -> bool:
            return bool(s.cuts or self.blockers(s)) or (not s.anchors and (s.rows is None or s.by_columns))

        for root in roots:
            s = self.slicer.slice(root, (), most=1)
            if fails(s):
                s = self.slicer.slice(root, ends)
            if (value := stored_first(s, self.slicer, ends, self.positions)) is not None:
                self.cuts.add((root, value))
                continue
            if fails(s) and (rows := self._rows_of_chains(root)) is not None and not fails(rows):
                self.cuts |= {(root, value) for value in rows.stored if value in self.chain_ends}
                s = rows
            if fails(s):
                s = self.slicer.slice(root, elementwise)
                self.cuts |= {(root, self.stored(value, root)) for value in s.cuts or self.blockers(s)}
            out.append(s)
        return out if len(self.cuts) == before else None

    def _rows_of_chains(self, root: SSAValue) -> Slice | None:
        """
        Returns the slice of `root` that reads the last value of a contraction's chain, if it reduces this and no other: a norm of a
        contraction is then one kernel.
        """
        s = self.slicer.slice(root, self.chain_ends - {root})
        read = {value for value in s.stored if value in self.chain_ends}
        return (
            s
            if s.reduced and len(read) == 1 and all(not read.isdisjoint(upstream([value])) for value in s.reduced)
            else None
        )

    def _group(self, slices: Sequence[Slice]) -> list[Kernel]:
        """
        Forms kernels of slices that share a contraction or reductions of rows, and joins those that share what they read (`joins.py`).
        """
        kernels: dict[Kernel, set[SSAValue]] = {}  # each with the values that it shares
        for s in sorted(slices, key=lambda s: self.order[s.root.owner]):  # pyright: ignore[reportArgumentType]
            new = Kernel(None, [s])
            if s.anchor is not None and (anchor := self.anchor(s.anchor)) is not None:
                new = Kernel(anchor, [s], self.prologues[anchor.out])
            if (s.anchor is not None or s.rows is not None) and s.root not in self.alone:
                shared = new.shared
                for known in [k for k, values in kernels.items() if values & shared and k.joins(s)]:
                    del kernels[known]
                    new.slices = [*known.slices, *new.slices]
            kernels[new] = new.shared
        return self.joins.join(list(kernels), self.elementwise)

    def _cut_shared(self, kernels: Sequence[Kernel]) -> bool:
        """Cuts the reductions that several kernels would compute. Returns whether there are any."""
        before, times = len(self.cuts), Counter(value for k in kernels for value in k.shared)
        self.cuts |= {(s.root, v) for k in kernels for s in k.slices for v in s.reduced if times[v] > 1}
        return len(self.cuts) > before

    def _split(self, stuck: Sequence[Kernel]) -> None:
        """Adds cuts, or takes roots out of joined kernels, where kernels wait for each other; raises `KernelsWait` if there is no such root."""
        joined = {r for k in stuck if (k.anchor is None or k.beside) and len(k.roots) > 1 for r in k.roots}
        if joined:
            self.alone |= joined
            return
        if waits := self._after_chains(stuck):
            self.cuts |= waits
            return
        for k in stuck:
            inner = {v for s in k.slices for v in s.passed if k.anchor is not None and self.anchor(v) is k.anchor}
            waits = {(r, v) for r in k.roots for v in inner if r not in inner and len(k.roots) > 1} - self.cuts
            if waits:
                self.cuts |= waits
                return
        raise _kernels_wait(stuck)

    def _after_chains(self, kernels: Sequence[Kernel]) -> set[tuple[SSAValue, SSAValue]]:
        """
        Returns the cuts that leave a contraction's kernel the values of its chain that are stored anyway: other roots read the last of
        these.
        """
        found: set[tuple[SSAValue, SSAValue]] = set()
        for k in kernels:
            chain = [v for v in self.chains[k.anchor.out] if v in k.roots] if k.anchor is not None else []
            if chain:
                found |= {(r, chain[-1]) for r in k.roots if r not in chain}
        return found - self.cuts

    def position(self, value: SSAValue) -> int:
        """Returns the position of the op that defines `value` in the block."""
        return self.order[value.owner] if isinstance(value.owner, Operation) else -1
