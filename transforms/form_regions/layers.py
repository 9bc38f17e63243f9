"""
Equal layers are fused once: each becomes a call of one function until the kernels are formed.

```
%1 = …layer(%0, %w0)…                 %1 = call @f_layer(%0, %w0)           func private @f_layer(%x, %w) { …layer(%x, %w)… }
%2 = …layer(%1, %w1)…        →        %2 = call @f_layer(%1, %w1)
%3 = …layer(%2, %w2)…                 %3 = call @f_layer(%2, %w2)
```

Layers are found in the ops of a function, in an order that depends on what they compute alone: as sections that repeat, each with the
same ops between values of the same types, at least one product among them. They begin where the fewest bytes cross from one to the next:
what crosses is stored. Ops that a layer can compute from fewer bytes than it would read, such as masks of positions and broadcasts, are
copied into it. Spec: `tensor-compiler.ja §4.1` (5).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import prod
from typing import TypeGuard

from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.traits import SymbolTable

from ...analysis.regions.fusion import bytes_of
from ...analysis.regions.kernel_ops import HOST_OPS
from ...analysis.regions.slices import is_splat
from ...dialects import ptir, tiny
from ...dialects.common.kernel import free_symbol
from ...dialects.common.shapes import shape
from ..inline import inline_call
from .failures import may_fail

MIN_LAYERS = 4
"""Minimum number of equal layers. The first and the last one stay where they are: what is around them may be fused with them."""
MIN_OPS = 16
"""Minimum number of ops of a layer: smaller ones take little time to fuse where they are."""
MAX_ROW = 128
"""Maximum number of elements of a row that the kernel of a product can reduce."""
MAX_PERIODS = 64
"""Maximum number of distances between equal ops that are tried as the length of a layer."""
MAX_FUNCTIONS = 8
"""Maximum number of kinds of layers of a function."""


@dataclass
class Layers:
    """A function that computes one of equal layers, and the calls of it."""

    function: FuncOp
    calls: list[CallOp]

    def inline(self) -> None:
        """Replaces the calls in the module by the body of the function, and erases it."""
        module = self.function.parent_op()
        assert module is not None
        for call in [op for op in module.walk() if isinstance(op, CallOp) and op.callee == self.calls[0].callee]:
            inline_call(call, self.function)
        self.function.detach()
        self.function.erase()


def outline_layers(module: ModuleOp, function: FuncOp) -> list[Layers]:
    """Moves equal layers of a function into functions of their own, those of the most ops first."""
    out: list[Layers] = []
    while len(out) < MAX_FUNCTIONS and (found := _Sections.of(function.body.block)) is not None:
        out.append(_outlined(module, function, found))
    return out


def passed_on(layers: Sequence[Layers]) -> dict[FuncOp, set[SSAValue]]:
    """Returns the results of each layer that only kernels, and other layers, read."""
    calls = {call for each in layers for call in each.calls}

    def leaves(value: SSAValue) -> bool:
        users = (use.operation for use in value.uses)
        return any(isinstance(op, (ReturnOp, *HOST_OPS)) and op not in calls for op in users)

    out: dict[FuncOp, set[SSAValue]] = {}
    for each in layers:
        last = each.function.body.block.last_op
        results = zip(last.operands if last is not None else (), *(c.results for c in each.calls), strict=True)
        out[each.function] = {v for v, *found in results if not any(map(leaves, found))}
    return out


# --- finding ----------------------------------------------------------------------------------------


@dataclass
class _Sections:
    """
    Equal sections of a block: `ops[i][k]` is the k-th op of the i-th one. `order` has the ops of the block without its last one, and
    `results` the numbers of the ops that others read.
    """

    order: list[Operation]
    ops: list[list[Operation]]
    is_free: Callable[[SSAValue], bool]
    results: list[int] = field(default_factory=list[int])

    @staticmethod
    def of(block: Block) -> _Sections | None:
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
        found = _Sections(order, sections, lambda v: v.owner in labels.free)
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
        if _is_leaf(op) or (_is_elementwise(op) and all(v.owner in of_arguments for v in op.operands)):
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
            if _is_leaf(op) or (_is_elementwise(op) and all(v.owner in self.free for v in op.operands)):
                what = self[op], *(self.free[v.owner] for v in op.operands)
                self.free[op] = known.setdefault(what, len(known))

    @staticmethod
    def is_movable(op: Operation) -> bool:
        return _is_elementwise(op) or isinstance(op, tiny.ReduceOp)

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


def _is_elementwise(op: Operation | Block) -> TypeGuard[tiny.MovementOp | tiny.UnaryOp | tiny.BinaryOp]:
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


# --- moving -----------------------------------------------------------------------------------------

Column = tuple[SSAValue, ...]
"""What each of the sections reads."""


@dataclass
class _Body:
    """The body of the function of a layer. `columns` are what the calls pass, for each argument."""

    is_free: Callable[[SSAValue], bool]
    block: Block = field(default_factory=Block)
    columns: list[Column] = field(default_factory=list[Column])
    known: dict[Column, SSAValue] = field(default_factory=dict[Column, SSAValue])

    def read(self, column: Column) -> SSAValue:
        """Returns the value in the body for what the sections read: a copy of the op that computes it, or an argument."""
        todo = [column]
        while column not in self.known:
            here = todo[-1]
            op = here[0].owner
            if (_is_elementwise(op) and len(set(here)) == 1 and self._is_smaller(op)) or self.is_free(here[0]):
                assert isinstance(op, Operation)
                if missing := [c for c in ((v,) * len(here) for v in op.operands) if c not in self.known]:
                    todo += missing
                    continue
                self.known[here] = self.copy(op, [self.known[(v,) * len(here)] for v in op.operands])
            elif here not in self.known:
                arg = self.block.insert_arg(here[0].type, len(self.columns))
                arg.name_hint = here[0].name_hint
                self.columns.append(here)
                self.known[here] = arg
            todo.pop()
        return self.known[column]

    def _is_smaller(self, op: Operation) -> bool:
        """Whether what an op reads has fewer bytes than its result, or as many if the op only moves them."""
        read = sum(bytes_of(v) for v in set(op.operands) if not self.is_free(v))
        return read < bytes_of(op.results[0]) + isinstance(op, tiny.MovementOp)

    def copy(self, op: Operation, operands: Sequence[SSAValue]) -> SSAValue:
        copy = op.clone()
        copy.operands, copy.location = operands, op.location
        self.block.add_op(copy)
        return copy.results[0]


def _outlined(module: ModuleOp, function: FuncOp, found: _Sections) -> Layers:
    body, block = _Body(found.is_free), function.body.block
    places: list[dict[SSAValue, int]] = [{op.results[0]: k for k, op in enumerate(ops)} for ops in found.ops]
    made: list[SSAValue] = []
    for k, op in enumerate(found.ops[0]):
        operands: list[SSAValue] = []
        for j, v in enumerate(op.operands):
            own = v in places[0]
            operands.append(made[places[0][v]] if own else body.read(tuple(ops[k].operands[j] for ops in found.ops)))
        made.append(body.copy(op, operands))
    body.block.add_op(end := ReturnOp(*(made[k] for k in found.results)))
    name = free_symbol(module, f"{function.sym_name.data}_layer")
    types = [a.type for a in body.block.args], list(end.operand_types)
    layer = FuncOp(name, types, Region(body.block), StringAttr("private"))
    layer.location, end.location = function.location, found.ops[0][-1].location
    module.body.block.insert_op_before(layer, function)
    calls = [CallOp(name, [c[i] for c in body.columns], types[1]) for i in range(len(found.ops))]
    place = {op: i for i, ops in enumerate(found.ops) for op in ops}
    for call, ops in zip(calls, found.ops, strict=True):
        call.location = ops[-1].location
    seen = set[int]()
    last = block.last_op
    assert last is not None
    for op in found.order:
        op.detach()
        if op not in place:
            block.insert_op_before(op, last)
        elif place[op] not in seen:
            seen.add(place[op])
            block.insert_op_before(calls[place[op]], last)
    for call, ops in zip(calls, found.ops, strict=True):
        for result, k in zip(call.results, found.results, strict=True):
            result.name_hint = ops[k].results[0].name_hint
            ops[k].results[0].replace_all_uses_with(result)
    for op in [op for ops in found.ops for op in reversed(ops)]:
        op.erase(safe_erase=False)
    return Layers(layer, calls)
