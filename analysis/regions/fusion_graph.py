"""
The graph on which fusion is decided: the values that a kernel may store, and which of them each is computed from.

```
tiny:     %1 = reduce %0     %2 = reshape %1     %3 = expand %2     %4 = sub %0, %3
graph:    %1                                                        %4 ── reads %1 through the movements
```

Movements, constants, numbers of positions, and products that only strict sums read, are no nodes: kernels compute them again where they
read through them. Neither are ops that
it never pays to store (`_merged`): wherever such a value was stored, another one is stored instead that has no more bytes and from which,
or to which, cheap ops lead. Sets of nodes are the bits of integers. Nodes are numbered in a topological order that depends on what they
compute, not on the order of the program, so that equal programs have equal graphs.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import prod

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr
from xdsl.ir import Attribute, Operation, SSAValue

from ...dialects import tiny
from ...dialects.common.shapes import shape
from ...dialects.plan.choice import COMPUTES
from ...text.literals import compact
from .fusion import Fusion
from .kernel import Kernel, bytes_of
from .kernel_ops import HOST_OPS
from .places import is_computed, is_leaf

SHARED_BYTES = 1 << 16
"""Minimum size of an array for which it may pay that kernels which both read it become one."""
SMALL_BYTES = 1 << 20
"""Maximum size of an array whose kernel may become one with an independent one: of larger ones, the time of a launch is a small part."""
SMALL_PART = 16
"""A value that takes at most this part of the bytes of what is computed from it counts as small."""
FOLDED = (tiny.MovementOp, tiny.ConstOp, tiny.IotaOp)
"""The ops that are part of the maps through which kernels read."""


def _is_folded(op: Operation) -> bool:
    """Whether an op is part of what reads its result: of a map, or of a sum of strict floats."""
    return isinstance(op, FOLDED) or tiny.is_part_of_sum(op)


Reads = dict[SSAValue, tuple[dict[SSAValue, None], frozenset[SSAValue]]]
"""The nodes and the leaves that each node reads."""


def bits(of: int) -> Iterator[int]:
    """Yields the nodes of a set, in ascending order."""
    while of:
        low = of & -of
        yield low.bit_length() - 1
        of ^= low


@dataclass
class FusionGraph:
    """
    The nodes of a block. `fusion` has the block's products and its kernels by legality alone, whose stored values all are nodes. With
    `whole`, ops that it never pays to store are nodes, too.
    """

    fusion: Fusion
    whole: bool = False
    apart: Collection[SSAValue] = ()
    """Values that are nodes in any case."""
    values: list[SSAValue] = field(init=False)
    """The values of the nodes, in topological order."""
    reads: list[int] = field(init=False)
    """The nodes from which each node is computed."""
    leaves: list[frozenset[SSAValue]] = field(init=False)
    """The values that are in memory anyway from which each node is computed."""
    fixed: dict[int, Kernel] = field(init=False)
    """The kernels that are not chosen, such as scatters and the backward pass of attention, by each node that they store."""

    def __post_init__(self) -> None:
        kernels = self.fusion.kernels
        self._fixed = {root: k for k in kernels if _is_fixed(self.fusion, k) for root in k.roots}
        self._kept = {r for k in kernels for r in k.roots}
        self._kept |= {v for v in self.fusion.stored_values if is_computed(v)}
        for c in self.fusion.contractions.values():
            self._kept |= {a.value for a in (c.lhs, c.rhs) if is_computed(a.value)}
        self._kept |= set(self.apart)
        self._memo: Reads = {}
        read = self._reached()
        into: dict[SSAValue, SSAValue] = {} if self.whole else self._merged(read)
        nodes = [v for v in read if v not in into]
        if into:
            read = {v: self._through(v, into, read) for v in nodes}
        self.values = self._sorted(read)
        self.number = {v: k for k, v in enumerate(self.values)}
        self.reads = [self._set(read[v][0]) for v in self.values]
        self.leaves = [read[v][1] for v in self.values]
        self.fixed = {self.number[r]: k for r, k in self._fixed.items() if r in self.number}
        self.anchors = self._anchors(into)

    def _set(self, values: Iterable[SSAValue]) -> int:
        return sum(1 << self.number[v] for v in set(values))

    # --- nodes -----------------------------------------------------------------------------------

    def operands(self, value: SSAValue) -> list[SSAValue]:
        """Returns the values that the op of a node reads, with the movements on the way to them."""
        if (kernel := self._fixed.get(value)) is not None:
            return [*kernel.leaves(), *kernel.updated.values()]
        fusion = self.fusion
        if (c := fusion.anchor(value)) is not None:
            if value not in fusion.contractions:
                return [c.out]
            return Kernel(c, [], fusion.prologues[value] if value in fusion.chained else {}).leaves()
        assert isinstance(value.owner, Operation)
        return list(value.owner.operands)

    def _reached(self) -> Reads:
        """Returns the nodes that the stored values need, each with the nodes and the leaves that it reads."""
        todo = [v for v in self.fusion.stored_values if is_computed(v)]
        todo += self._fixed
        found: Reads = {}
        while todo:
            if (value := todo.pop()) in found:
                continue
            nodes, leaves = dict[SSAValue, None](), set[SSAValue]()
            for operand in self.operands(value):
                inner, outer = self._origins(operand)
                nodes |= inner
                leaves |= outer
            found[value] = nodes, frozenset(leaves)
            todo += nodes
        return found

    def _origins(self, value: SSAValue) -> tuple[dict[SSAValue, None], frozenset[SSAValue]]:
        """Returns the nodes and the leaves that are read where `value` is read."""
        if value in self._memo:
            return self._memo[value]
        op = value.owner
        if value not in self._kept and (is_leaf(value) or not isinstance(op, Operation)):
            found = dict[SSAValue, None](), frozenset(() if isinstance(op, tiny.ConstOp) else (value,))
        elif not isinstance(op, Operation) or value in self._kept or not _is_folded(op):
            found = {value: None}, frozenset[SSAValue]()
        else:
            each = [self._origins(v) for v in op.operands]
            found = {v: None for nodes, _ in each for v in nodes}, frozenset(v for _, ls in each for v in ls)
        self._memo[value] = found
        return found

    def _merged(self, read: Reads) -> dict[SSAValue, SSAValue]:
        """
        Returns the nodes that it never pays to store, each with a node that reads it. A node is computed in its only reader if

        - the reader is elementwise, stores no more and waits for nothing else: wherever the node was stored, the reader is stored instead;
        - it is elementwise, and stores no less than the one large value that it reads: that is stored instead.
        """
        users: dict[SSAValue, list[SSAValue]] = {v: [] for v in read}
        for value, (nodes, _) in read.items():
            for node in nodes:
                users[node].append(value)
        number, before = {v: k for k, v in enumerate(read)}, _ancestors(read)
        special, products = self._fixed.keys() | self.fusion.of_rows.keys(), self.fusion.contractions

        def is_merged(value: SSAValue, user: SSAValue) -> bool:
            if value in self._kept or value in self._fixed or user in special or user in products:
                return False
            if prod(shape(value)) != prod(shape(user.owner.input if isinstance(user.owner, tiny.ReduceOp) else user)):
                return False
            elementwise, size = _is_elementwise(value) and value not in special, bytes_of(value)
            others = (v for v in read[user][0] if v is not value)
            if (
                (elementwise or value in products)
                and _is_elementwise(user)
                and bytes_of(user) <= size
                and all(before[value] >> number[v] & 1 for v in others)
            ):
                return True
            nodes, leaves = read[value]
            large = [v for v in (*nodes, *leaves) if bytes_of(v) * SMALL_PART > size]
            return (
                elementwise
                and len(large) == 1
                and bytes_of(large[0]) <= size
                and all(v in large for v in nodes)
                and large[0] not in products
            )

        return {value: to[0] for value, to in users.items() if len(to) == 1 and is_merged(value, to[0])}

    def _through(
        self,
        value: SSAValue,
        into: dict[SSAValue, SSAValue],
        read: Reads,
    ) -> tuple[dict[SSAValue, None], frozenset[SSAValue]]:
        """Returns what a node reads if the nodes in `into` are none."""
        nodes, leaves, todo, seen = dict[SSAValue, None](), set[SSAValue](), [value], {value}
        while todo:
            here = todo.pop()
            leaves |= read[here][1]
            for node in read[here][0]:
                if node not in into:
                    nodes[node] = None
                elif node not in seen:
                    seen.add(node)
                    todo.append(node)
        return nodes, frozenset(leaves)

    def _sorted(self, read: Reads) -> list[SSAValue]:
        """Returns the nodes in depth-first order, each after those that it reads; equal ones in the order of the program."""
        digests = _Digests()

        def key(value: SSAValue) -> tuple[str, int]:
            return digests[value], self.fusion.position(value)

        out: dict[SSAValue, None] = {}
        todo = [(v, False) for v in sorted(read, key=key, reverse=True)]
        while todo:
            value, visited = todo.pop()
            if value in out:
                continue
            if visited:
                out[value] = None
            else:
                todo += [(value, True), *((v, False) for v in sorted(read[value][0], key=key, reverse=True))]
        return list(out)

    def _anchors(self, into: dict[SSAValue, SSAValue]) -> dict[int, SSAValue]:
        """Returns the nodes in which a contraction is computed, with its result."""
        found: dict[int, SSAValue] = {}
        for out in self.fusion.contractions:
            value = out
            while value in into:
                value = into[value]
            if value in self.number and self.number[value] not in self.fixed:
                found[self.number[value]] = out
        return found

    # --- sets ------------------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self.values)

    @cached_property
    def users(self) -> list[int]:
        out = [0] * len(self)
        for node, read in enumerate(self.reads):
            for source in bits(read):
                out[source] |= 1 << node
        return out

    @cached_property
    def above(self) -> list[int]:
        """The nodes from which each node is computed, directly or not."""
        out: list[int] = []
        for read in self.reads:
            out.append(read)
            for source in bits(read):
                out[-1] |= out[source]
        return out

    @cached_property
    def waits(self) -> list[int]:
        """The nodes that host ops read, directly or not, before each node can be computed from their results."""
        found: dict[Operation, int] = {}
        for op in self.fusion.host_ops:  # in program order
            found[op] = self._set(v for v in op.operands if v in self.number)
            for v in op.operands:
                for leaf in self._origins(v)[1] if v not in self.number else (v,):
                    found[op] |= found.get(leaf.owner, 0) if isinstance(leaf.owner, Operation) else 0
        out = [0] * len(self.leaves)
        for node, leaves in enumerate(self.leaves):
            for leaf in leaves:
                if isinstance(leaf.owner, HOST_OPS):
                    out[node] |= found.get(leaf.owner, 0)
        return out

    @cached_property
    def before(self) -> list[int]:
        """The nodes that are stored or computed before each node, because it is computed from them or waits for them."""
        direct = [r | w for r, w in zip(self.reads, self.waits, strict=True)]
        out, known = direct, list[int]()
        while out != known:  # nodes are not in the order of what they wait for
            known, out = out, list(out)
            for node, first in enumerate(direct):
                for source in bits(first):
                    out[node] |= out[source]
        return out

    @cached_property
    def below(self) -> list[int]:
        """The nodes that are computed from each node, directly or not; none for nodes that read no other node."""
        out = [0] * len(self)
        for node in reversed(range(len(self))):
            if self.reads[node]:
                out[node] = self.users[node]
                for user in bits(self.users[node]):
                    out[node] |= out[user]
        return out

    @cached_property
    def moved(self) -> list[int]:
        """The nodes that are movements of each node: results, or what other kernels read."""
        folded = sum(1 << node for node, value in enumerate(self.values) if isinstance(value.owner, tiny.MovementOp))
        return [u & folded for u in self.users]

    @cached_property
    def near(self) -> list[int]:
        """The nodes that may join each node: those that it reads, that read it, and that read the same large array."""
        out = [r | u for r, u in zip(self.reads, self.users, strict=True)]
        readers: dict[SSAValue, int] = {}
        for node, leaves in enumerate(self.leaves):
            for leaf in leaves:
                readers[leaf] = readers.get(leaf, 0) | 1 << node
        shared = [r for leaf, r in readers.items() if bytes_of(leaf) >= SHARED_BYTES]
        shared += [u for value, u in zip(self.values, self.users, strict=True) if bytes_of(value) >= SHARED_BYTES]
        for group in shared:
            for node in bits(group):
                out[node] |= group & ~(1 << node)
        for first, second in self._side_by_side():
            out[first] |= 1 << second
            out[second] |= 1 << first
        return out

    def _side_by_side(self) -> Iterator[tuple[int, int]]:
        """
        Yields pairs of small nodes that a kernel may compute although neither depends on the other: elementwise ops of one shape, and
        reductions of the same axes of one shape. Of several, each is paired with the next one only.
        """
        latest: dict[object, int] = {}
        for node, value in enumerate(self.values):
            op = value.owner
            if node in self.anchors or node in self.fixed or not isinstance(op, Operation):
                continue
            form: object = shape(value)
            if isinstance(op, tiny.ReduceOp):
                form = shape(op.input), op.axes()
            elif not _is_elementwise(value):
                continue
            if bytes_of(op.operands[0]) > SMALL_BYTES:
                continue
            if (other := latest.get(form)) is not None and not self.above[node] >> other & 1:
                yield other, node
            latest[form] = node

    @cached_property
    def required(self) -> int:
        """The nodes that must be stored."""
        return self._set(v for v in self.fusion.stored_values if v in self.number)

    @cached_property
    def every(self) -> int:
        return (1 << len(self)) - 1

    def read_by(self, nodes: int) -> int:
        """Returns the other nodes that the nodes of a set read."""
        out = 0
        for node in bits(nodes):
            out |= self.reads[node]
        return out & ~nodes

    def hull(self, nodes: int) -> int:
        """
        Returns the smallest convex set that contains a set: with two nodes, it contains those between them. Nodes that read no other node
        count as arrays here: several kernels may compute them.
        """
        above = below = 0
        for node in bits(nodes):
            above |= self.above[node]
            below |= self.below[node]
        return nodes | (above & below)

    def slice_of(self, stored: int, read: int) -> int:
        """Returns the nodes that are computed to store those of a set, if those of another set are read."""
        out, todo = 0, list(bits(stored))
        while todo:
            node = todo.pop()
            if not out >> node & 1:
                out |= 1 << node
                todo += bits(self.reads[node] & ~read)
        return out


def _ancestors(read: Reads) -> dict[SSAValue, int]:
    """Returns the nodes from which each node is computed, directly or not: bit k is the k-th node of `read`."""
    number = {v: k for k, v in enumerate(read)}
    out: dict[SSAValue, int] = {}
    todo = list(read)
    while todo:
        value = todo[-1]
        if missing := [v for v in read[value][0] if v not in out] if value not in out else ():
            todo += missing
            continue
        todo.pop()
        if value not in out:
            out[value] = 0
            for v in read[value][0]:
                out[value] |= out[v] | 1 << number[v]
    return out


def _is_elementwise(value: SSAValue) -> bool:
    return isinstance(value.owner, tiny.UnaryOp | tiny.BinaryOp)


def _is_fixed(fusion: Fusion, kernel: Kernel) -> bool:
    """
    Whether a kernel is not chosen by cost: it updates memory, computes several chained products or the rows of an attention, or an operand
    for which the program asks.
    """
    of_rows = any(v in fusion.of_rows for s in kernel.slices for v in s.passed)
    computes = kernel.anchor is not None and COMPUTES in kernel.anchor.op.attributes
    return bool(kernel.updated) or kernel.beside is not None or of_rows or computes


class _Digests(dict[SSAValue, str]):
    """Digests of values: of the op, its attributes, and the values that it reads."""

    def __init__(self) -> None:
        self.texts: dict[Attribute, str] = {}

    def text(self, attribute: Attribute) -> str:
        """Returns a text that only equal attributes have: of a literal, with the digest of its bytes."""
        if (known := self.texts.get(attribute)) is None:
            if isinstance(attribute, DenseIntOrFPElementsAttr):
                known = f"{attribute.get_type()} {hashlib.sha256(compact(attribute).data.data).hexdigest()}"  # pyright: ignore[reportUnknownArgumentType]
            else:
                known = str(attribute)
            self.texts[attribute] = known
        return known

    def __missing__(self, value: SSAValue) -> str:
        todo: list[SSAValue] = [value]
        while todo:
            here = todo[-1]
            op = here.owner
            operands: Sequence[SSAValue] = op.operands if isinstance(op, Operation) else ()
            if isinstance(op, HOST_OPS):
                operands = ()
            if missing := [v for v in operands if v not in self]:
                todo += missing
                continue
            todo.pop()
            if isinstance(op, Operation):
                index = next(k for k, result in enumerate(op.results) if result is here)
                properties = sorted((k, self.text(a)) for k, a in op.properties.items() if k != "report")
                text = f"{op.name} {index} {self.text(here.type)} {properties}"
            else:
                text = f"argument {list(op.args).index(here)} {self.text(here.type)}"  # pyright: ignore[reportArgumentType]
            joined = "\n".join([text, *(self[v] for v in operands)])
            self[here] = hashlib.sha256(joined.encode()).hexdigest()
        return self[value]
