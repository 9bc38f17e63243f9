"""
Every way from a consumer back to a producer, with the index that is read at its end.

```
   x ──pad──▶ · ──view──▶ · ──mul──▶ · ──sum──▶ y        x is read by y at [i0 + i1 - 1] where 0 <= i0 + i1 - 1 < 8
                      w ─────▲
```

Maps are composed with isl. What a reduction on the way sums becomes a further iteration axis.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from xdsl.ir import Operation, SSAValue

from ...dialects import tiny
from ...text.literals import splat
from ..errors import TooComplex
from ..index import affine
from ..index.book import IndexBook
from ..index.info import Access, IndexInfo
from ..index.isl_text import Symbol, names
from ..index.rules import both
from .ranges import Read

MOST_WAYS = 64
"""From a consumer to one producer: a diamond doubles them, and those that read at the same index are one."""

MOST_STEPS = 4096
"""Of a walk back from one consumer."""


class NotAffine(Exception):
    """A value on the way has no index rule, and why."""

    def __init__(self, value: SSAValue, why: str):
        super().__init__(why)
        self.value = value


Key = tuple[SSAValue, str]
"""A value and where it is read: equal keys, equal reads. The same map of other sizes reads other elements."""


@dataclass(frozen=True)
class Ways:
    """The ways between the values of a block; `order` has the place of each op. What lies behind a read is found once."""

    book: IndexBook
    order: Mapping[Operation, int]
    _behind: dict[Key, tuple[tuple[SSAValue, Read], ...]] = field(default_factory=dict, repr=False)  # pyright: ignore[reportUnknownVariableType]

    def reads(self, producer: SSAValue, consumer: SSAValue) -> tuple[Read, ...]:
        """
        All ways from `consumer` to `producer`, none if it does not depend on it. Raises `NotAffine` at a value between
        the two whose indices are not, `TooComplex` if there are too many ways.
        """
        between = self.users(producer, consumer)
        if consumer not in between:
            return ()
        found: list[Read] = []
        for value, read in self.back(consumer, between.__contains__):
            if value == producer:
                found.append(read)
            if len(found) > MOST_WAYS:
                raise TooComplex(what="the set of ways from a consumer to a producer", bound=MOST_WAYS)
        return tuple(found)

    def users(self, producer: SSAValue, until: SSAValue) -> set[SSAValue]:
        """The values that depend on the producer, of those ops in `order` that are not after that of `until`."""
        last = self.order.get(until.owner, -1) if isinstance(until.owner, Operation) else -1
        found: set[SSAValue] = set()
        todo = [producer]
        while todo:
            for use in todo.pop().uses:
                op: Operation | None = use.operation
                while op is not None and op not in self.order:  # it stands in a region of one that is
                    op = op.parent_op()
                if op is not None and self.order[op] <= last:
                    new = [result for result in op.results if result not in found]
                    found.update(new)
                    todo += new
        return found

    def back(self, consumer: SSAValue, through: Callable[[SSAValue], bool]) -> Iterator[tuple[SSAValue, Read]]:
        """
        The values that `consumer` reads, directly and by way of values that may be gone `through`, each with the read.
        Raises `NotAffine` at one of these, or a consumer, without index rule.
        """
        info = require_affine(self.book, consumer)
        whole = Read(affine.identity(len(info.sizes)), info.sizes, assumed=info.assumed)
        todo = [(access.value, behind(whole, access)) for access in reversed(info.accesses)]
        seen: set[Key] = set()
        while todo:
            value, read = todo.pop()
            key = (value, read.text)
            if key in seen:
                continue
            seen.add(key)
            if len(seen) > MOST_STEPS:
                raise TooComplex(what="the set of ways back from a consumer", bound=MOST_STEPS)
            yield value, read
            if through(value):
                if key not in self._behind:
                    self._behind[key] = tuple(self._operands(value, read))
                todo += self._behind[key]

    def _operands(self, value: SSAValue, read: Read) -> Iterator[tuple[SSAValue, Read]]:
        """What is read of the operands of a value, last first, where it is read."""
        info = require_affine(self.book, value)
        opened = open_sum(replace(read, assumed=both(read.assumed, info.assumed)), info.sizes[info.rank :])
        return ((access.value, behind(opened, access)) for access in reversed(info.accesses))


def require_affine(book: IndexBook, value: SSAValue) -> IndexInfo:
    """The info of a value. Raises `NotAffine`."""
    info = book[value]
    if info.non_scop is not None:
        raise NotAffine(value, info.non_scop)
    return info


def behind(read: Read, access: Access) -> Read:
    """What is read of an operand where `read` reads what is computed from it."""
    guard = read.guard
    if access.guard is not None:
        inside = access.guard.preimage_multi_aff(read.map)
        guard = affine.simplify_guard([inside] if guard is None else [guard, inside], read.sizes)
    return replace(read, map=affine.compose(access.map, read.map, read.sizes), guard=guard)


def open_sum(read: Read, summed: tuple[Symbol, ...]) -> Read:
    """The read of a sum's iteration points: further axes, whole, where the sum itself was read."""
    if not summed:
        return read
    sizes, known = (*read.sizes, *summed), len(read.sizes)
    kept = affine.make_map(len(sizes), names(len(sizes))[:known])
    new = affine.make_map(len(sizes), names(len(sizes))[known:])
    guard = read.guard.preimage_multi_aff(kept) if read.guard is not None else None
    return replace(read, map=read.map.pullback_multi_aff(kept).flat_range_product(new), sizes=sizes, guard=guard)


def is_computed(value: SSAValue) -> bool:
    """Whether a value is not in memory from the start: neither an argument nor a constant."""
    return isinstance(value.owner, Operation) and not isinstance(value.owner, tiny.ConstOp | tiny.IotaOp)


def is_made_anywhere(value: SSAValue) -> bool:
    """Whether it takes nothing to have any element of a value: the same constant everywhere, or an index."""
    op = value.owner
    return isinstance(op, tiny.IotaOp) or (isinstance(op, tiny.ConstOp) and splat(op.value) is not None)
