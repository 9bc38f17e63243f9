"""
Finds the sections of a block that repeat, such as the layers of a network: each has the same ops between values of the same types.

Ops are compared in an order that depends on what they compute alone. A section has at least one product. Sections begin where the
fewest bytes cross from one to the next: what crosses is stored (`layers.py`). Spec: `tensor-compiler.ja §4.1` (5).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import prod
from typing import TypeGuard

from xdsl.dialects.func import CallOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.traits import SymbolTable

from ...analysis.regions.kernel import bytes_of
from ...analysis.regions.places import is_splat
from ...dialects import ptir, tiny
from ...dialects.common.shapes import shape
from .failures import may_fail

MIN_LAYERS = 4
"""Minimum number of equal layers. The first and the last one stay where they are: what is around them may be fused with them."""
MIN_OPS = 16
"""Minimum number of ops of a layer: smaller ones take little time to fuse where they are."""
MAX_ROW = 128
"""Maximum number of elements of a row that the kernel of a product can reduce."""
MAX_PERIODS = 64
"""Maximum number of distances between equal ops that are tried as the length of a layer."""


@dataclass
class Sections:
    """
    Equal sections of a block: `ops[i][k]` is the k-th op of the i-th one. `order` has the ops of the block without its last one, and
    `results` the numbers of the ops that others read.
    """

    order: list[Operation]
    ops: list[list[Operation]]
    is_free: Callable[[SSAValue], bool]
    results: list[int] = field(default_factory=list[int])

    @staticmethod
    def of(block: Block) -> Sections | None:
        """Returns the sections of the most ops, or None if nothing repeats often enough."""
        if _makes_custom_calls(block):  # they have an order
            return None
        order = canonical_order(block)
        labels = _Labels(order)
        sequence = [op for op in order if op not in labels.free]
        number = {op: k for k, op in enumerate(sequence)}
        kinds = [labels[op] for op in sequence]
        if (repeat := _repeat(sequence, kinds)) is None:
            return None
        first, length, period = repeat
        if (narrowest := _from_narrowest(sequence, number, first, length, period)) is None:
            return None
        first, length = narrowest
        sections = [sequence[s : s + period] for s in range(first, first + length - period + 1, period)]
        sections = _longest_equal(sections, [labels.form(ops) for ops in sections])
        found = Sections(order, sections, lambda v: v.owner in labels.free)
        if len(sections) >= MIN_LAYERS and any(map(_is_sum_of_products, sections[0])):
            found._add_tails(number, labels)
            used = [found._used(ops) for ops in found.ops]
            found.ops = _longest_equal(found.ops, used)
            found.results = list(next(u for ops, u in zip(sections, used, strict=True) if ops is found.ops[0]))
            if len(found.ops) >= MIN_LAYERS and found.results:
                found.ops = found.ops[1:-1]
                return found
        return None

    def _add_tails(self, number: dict[Operation, int], labels: _Labels) -> None:
        """Adds ops after the sections that read one of them, such as those between a value of each layer and a result of the function."""
        of = {op: (i, k) for i, ops in enumerate(self.ops) for k, op in enumerate(ops)}
        first = [number[ops[0]] for ops in self.ops]
        while True:
            found: dict[Hashable, list[list[Operation]]] = {}
            for op in (u.operation for ops in self.ops for o in ops for u in o.results[0].uses):
                if op in of or op not in number or not labels.is_movable(op):
                    continue
                inside = [of[o] for o in _makers(op) if o in of]
                i = inside[0][0]
                outside = (o for o in _makers(op) if o not in of and o not in labels.free)
                if any(k != i for k, _ in inside) or any(number[o] >= first[i] for o in outside):
                    continue
                form = labels.form_of(
                    op, {o: k for o, (_, k) in zip([o for o in _makers(op) if o in of], inside, strict=True)}
                )
                each = found.setdefault(form, [[] for _ in self.ops])
                each[i] += [op] * (op not in each[i])
            added = [each for each in found.values() if len({len(e) for e in each}) == 1]
            if not added:
                return
            for i, ops in enumerate(self.ops):
                for op in [op for each in added for op in each[i]]:
                    of[op] = i, len(ops)
                    ops.append(op)

    def _used(self, ops: Sequence[Operation]) -> tuple[int, ...]:
        inside = set(ops)
        return tuple(k for k, op in enumerate(ops) if any(u.operation not in inside for u in op.results[0].uses))


def canonical_order(block: Block) -> list[Operation]:
    """
    Returns the ops of a block without its last one, depth first from what that reads. What several ops read and is computed from arguments by
    elementwise ops comes first, and ops that nothing needs come last.
    """
    end = block.last_op
    out: dict[Operation, None] = {}
    needed = [v.owner for v in (end.operands if end is not None else ()) if isinstance(v.owner, Operation)]
    todo = [(op, False) for op in reversed([*needed, *(op for op in block.ops if op is not end)])]
    while todo:
        op, visited = todo.pop()
        if op in out or op.parent is not block:
            continue
        if visited:
            out[op] = None
            continue
        todo.append((op, True))
        read = list(op.operands) if not op.regions else [v for o in op.walk() for v in o.operands]
        todo += [(v.owner, False) for v in reversed(read) if isinstance(v.owner, Operation) and v.owner not in out]
    of_arguments, first = set[Operation | Block]([block]), set[Operation]()
    for op in out:
        if _is_leaf(op) or (is_elementwise(op) and all(v.owner in of_arguments for v in op.operands)):
            of_arguments.add(op)
    for op in reversed(out):
        users = {use.operation for result in op.results for use in result.uses}
        if op in of_arguments and (len(users) > 1 or not users.isdisjoint(first)):
            first.add(op)
    return [*(op for op in out if op in first), *(op for op in out if op not in first)]


class _Labels(dict[Operation, int]):
    """
    Numbers of ops that are equal where the ops and their types are. `free` are the ops that are computed from nothing: splat constants,
    positions, and what follows from them.
    """

    def __init__(self, order: Sequence[Operation]):
        known: dict[Hashable, int] = {}
        self.free: dict[Operation | Block, int] = {}
        for op in order:
            form: Hashable = op
            if self.is_movable(op) or _is_leaf(op):
                types = (*op.operand_types, *op.result_types)
                form = op.name, *types, *(tuple(sorted(of.items())) for of in (op.properties, op.attributes))
            self[op] = known.setdefault(form, len(known))
            if _is_leaf(op) or (is_elementwise(op) and all(v.owner in self.free for v in op.operands)):
                what = self[op], *(self.free[v.owner] for v in op.operands)
                self.free[op] = known.setdefault(what, len(known))

    @staticmethod
    def is_movable(op: Operation) -> bool:
        return is_elementwise(op) or isinstance(op, tiny.ReduceOp)

    def form_of(self, op: Operation, inside: Mapping[Operation, int]) -> Hashable:
        """Returns what equal ops of sections have in common: the op, and where each operand comes from."""
        return self[op], *(
            inside[v.owner] if isinstance(v.owner, Operation) and v.owner in inside else (self.free.get(v.owner),)
            for v in op.operands
        )

    def form(self, ops: Sequence[Operation]) -> Hashable:
        """Returns what equal sections have in common."""
        inside = {op: k for k, op in enumerate(ops)}
        return tuple(self.form_of(op, inside) for op in ops)


def _makes_custom_calls(block: Block) -> bool:
    """Whether a block makes custom calls, in blocks of its ops and in functions that it calls, too."""
    todo, seen = list(block.ops), set[Operation]()
    while todo:
        for op in todo.pop().walk():
            if isinstance(op, ptir.CustomCallOp):
                return True
            callee = SymbolTable.lookup_symbol(op, op.callee) if isinstance(op, CallOp) else None
            if callee is not None and callee not in seen:
                seen.add(callee)
                todo.append(callee)
    return False


def _makers(op: Operation) -> list[Operation]:
    """Returns the ops that make the operands of an op."""
    return [v.owner for v in op.operands if isinstance(v.owner, Operation)]


def is_elementwise(op: Operation | Block) -> TypeGuard[tiny.MovementOp | tiny.UnaryOp | tiny.BinaryOp]:
    return isinstance(op, tiny.MovementOp | tiny.UnaryOp | tiny.BinaryOp) and not may_fail(op)


def _is_leaf(op: Operation) -> bool:
    return isinstance(op, tiny.IotaOp) or (isinstance(op, tiny.ConstOp) and is_splat(op.results[0]))


def _repeat(sequence: Sequence[Operation], kinds: Sequence[int]) -> tuple[int, int, int] | None:
    """Returns the first op, the number of ops, and the period of what repeats over the most ops; None if it does not repeat often enough."""
    latest: dict[int, int] = {}
    gaps = Counter[int]()
    for k, (op, kind) in enumerate(zip(sequence, kinds, strict=True)):
        if isinstance(op, tiny.ReduceOp):
            if kind in latest:
                gaps[k - latest[kind]] += 1
            latest[kind] = k
    best: tuple[int, int, int] | None = None
    for period in sorted(sorted(gaps, key=lambda p: (-gaps[p], p))[:MAX_PERIODS]):
        run = 0
        for k in range(len(kinds) - period + 1):
            if k + period < len(kinds) and kinds[k] == kinds[k + period]:
                run += 1
                continue
            length = run + period
            if period >= MIN_OPS and length >= MIN_LAYERS * period and (best is None or length > best[1]):
                best = k - run, length, period
            run = 0
    return best


def _from_narrowest(
    sequence: Sequence[Operation], number: dict[Operation, int], first: int, length: int, period: int
) -> tuple[int, int] | None:
    """
    Returns the first op and the number of ops of the repetition without what comes before the place where the fewest bytes cross; of
    adjacent places that are equal, the last one. Returns None if a reduction of short rows follows.
    """
    crossing = [0] * (period + 1)
    middle = first + (length // period // 2) * period
    for k in range(max(first, middle - 2 * period), middle + period):
        value = sequence[k].results[0]
        users = [number.get(use.operation, -1) for use in value.uses]
        last = max((u for u in users if u <= k + 2 * period), default=-1)
        for at in range(max(k + 1, middle), min(last, middle + period) + 1):
            crossing[at - middle] += bytes_of(value)
    least = min(crossing[:period])
    at = next((k for k in range(period) if crossing[k] == least < crossing[k + 1]), 0)
    after = (op for op in sequence[middle + at :] if isinstance(op, tiny.ReduceOp))
    if (next_one := next(after, None)) is None or _is_short(next_one):
        return None
    return first + at, length - at


def _is_short(op: tiny.ReduceOp) -> bool:
    """Whether an op reduces rows that the kernel of the product before it may reduce as well."""
    return not _is_sum_of_products(op) and prod(shape(op.input)) <= MAX_ROW * prod(shape(op.result))


def _longest_equal(sections: list[list[Operation]], forms: Sequence[Hashable]) -> list[list[Operation]]:
    """Returns the longest run of sections of equal forms."""
    ends = [0, *(k + 1 for k, (a, b) in enumerate(pairwise(forms)) if a != b), len(forms)]
    first, last = max(pairwise(ends), key=lambda ends: ends[1] - ends[0])
    return sections[first:last]


def _is_sum_of_products(op: Operation) -> bool:
    """Whether an op sums products of two arrays, neither of which is computed from the other by movements and casts."""
    if not isinstance(op, tiny.ReduceOp) or op.fn.data != "sum":
        return False
    product = _source(op.input).owner
    return tiny.is_product(product) and _source(product.inputs[0]) is not _source(product.inputs[1])


def _source(value: SSAValue) -> SSAValue:
    while isinstance(op := value.owner, tiny.MovementOp) or (isinstance(op, tiny.UnaryOp) and op.fn.data == "cast"):
        value = op.input
    return value
