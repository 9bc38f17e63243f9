"""
Finds all paths from a consumer back to a producer, and composes the access maps along each.

```
   x ──pad──▶ · ──view──▶ · ──mul──▶ · ──sum──▶ y        x is read by y at [i0 + i1 - 1] where 0 <= i0 + i1 - 1 < 8
                      w ─────▲
```

The axes that a reduction on the path reduces become further iteration axes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from xdsl.ir import Operation, SSAValue

from ...dialects import tiny
from ...dialects.common.shapes import index_names
from ...text.literals import splat
from ..errors import TooComplex
from ..index import affine
from ..index.book import IndexBook
from ..index.info import Access, IndexInfo
from ..index.isl_text import Symbol
from ..index.rules import conjunction
from .ranges import Read

MAX_PATHS = 64
"""Maximum number of paths from a consumer to a producer, which every diamond doubles. Paths with equal maps count once."""

MAX_STEPS = 4096
"""Maximum number of steps of a walk back from one consumer."""


class NotAffine(Exception):
    """Raised at a value on the path whose indices are not affine, with the reason."""

    def __init__(self, value: SSAValue, why: str):
        super().__init__(why)
        self.value = value


Key = tuple[SSAValue, str]
"""A value and the text of its read. The text includes the sizes, because on another box the same map reads other elements."""


@dataclass(frozen=True)
class Paths:
    """The paths between the values of a block, whose ops `order` numbers. Composed reads are cached."""

    book: IndexBook
    order: Mapping[Operation, int]
    _behind: dict[Key, tuple[tuple[SSAValue, Read], ...]] = field(default_factory=dict, repr=False)  # pyright: ignore[reportUnknownVariableType]

    def reads(self, producer: SSAValue, consumer: SSAValue) -> tuple[Read, ...]:
        """
        Returns one read for every path from `consumer` to `producer`; empty if the consumer does not depend on the producer.
        Raises `NotAffine` at a value in between without affine indices, `TooComplex` if there are too many paths.
        """
        between = self.dependents(producer, consumer)
        if consumer not in between:
            return ()
        found: list[Read] = []
        for value, read in self.walk_back(consumer, between.__contains__):
            if value == producer:
                found.append(read)
            if len(found) > MAX_PATHS:
                raise TooComplex(what="the set of paths from a consumer to a producer", bound=MAX_PATHS)
        return tuple(found)

    def dependents(self, producer: SSAValue, until: SSAValue) -> set[SSAValue]:
        """Returns the values that depend on `producer` and are defined by ops up to the one that defines `until`."""
        last = self.order.get(until.owner, -1) if isinstance(until.owner, Operation) else -1
        found: set[SSAValue] = set()
        todo = [producer]
        while todo:
            for use in todo.pop().uses:
                op: Operation | None = use.operation
                while op is not None and op not in self.order:  # the use is in a region of an op in `order`
                    op = op.parent_op()
                if op is not None and self.order[op] <= last:
                    new = [result for result in op.results if result not in found]
                    found.update(new)
                    todo += new
        return found

    def walk_back(self, consumer: SSAValue, through: Callable[[SSAValue], bool]) -> Iterator[tuple[SSAValue, Read]]:
        """
        Yields the values that `consumer` reads, directly or through values that satisfy `through`, each with the read. Raises
        `NotAffine` if the indices of such a value, or of the consumer, are not affine, and `TooComplex` after `MAX_STEPS`.
        """
        info = require_affine(self.book, consumer)
        whole = Read(affine.identity(len(info.sizes)), info.sizes, assumed=info.assumed)
        todo = [(access.value, operand_read(whole, access)) for access in reversed(info.accesses)]
        seen: set[Key] = set()
        while todo:
            value, read = todo.pop()
            key = (value, read.text)
            if key in seen:
                continue
            seen.add(key)
            if len(seen) > MAX_STEPS:
                raise TooComplex(what="the set of paths back from a consumer", bound=MAX_STEPS)
            yield value, read
            if through(value):
                if key not in self._behind:
                    self._behind[key] = tuple(self._operands(value, read))
                todo += self._behind[key]

    def _operands(self, value: SSAValue, read: Read) -> Iterator[tuple[SSAValue, Read]]:
        """Yields the reads of a value's operands, last operand first, given the `read` of the value itself."""
        info = require_affine(self.book, value)
        opened = with_summed_axes(
            replace(read, assumed=conjunction(read.assumed, info.assumed)), info.sizes[info.rank :]
        )
        return ((access.value, operand_read(opened, access)) for access in reversed(info.accesses))


def require_affine(book: IndexBook, value: SSAValue) -> IndexInfo:
    """Returns the index information of a value. Raises `NotAffine`."""
    info = book[value]
    if info.non_scop is not None:
        raise NotAffine(value, info.non_scop)
    return info


def operand_read(read: Read, access: Access) -> Read:
    """Returns the read of the operand that `access` accesses, given the `read` of the value computed from it."""
    guard = read.guard
    if access.guard is not None:
        inside = access.guard.preimage_multi_aff(read.map)
        guard = affine.simplify_guard([inside] if guard is None else [guard, inside], read.sizes)
    return replace(read, map=affine.compose(access.map, read.map, read.sizes), guard=guard)


def with_summed_axes(read: Read, summed: tuple[Symbol, ...]) -> Read:
    """Extends the read of a reduction's result to its iteration points: appends axes of sizes `summed` to those of `read`."""
    if not summed:
        return read
    sizes, known = (*read.sizes, *summed), len(read.sizes)
    kept = affine.make_map(len(sizes), index_names(len(sizes))[:known])
    new = affine.make_map(len(sizes), index_names(len(sizes))[known:])
    guard = read.guard.preimage_multi_aff(kept) if read.guard is not None else None
    return replace(read, map=read.map.pullback_multi_aff(kept).flat_range_product(new), sizes=sizes, guard=guard)


def is_computed(value: SSAValue) -> bool:
    """Whether a value is computed: it is neither an argument nor a constant."""
    return isinstance(value.owner, Operation) and not isinstance(value.owner, tiny.ConstOp | tiny.IotaOp)


def is_splat_or_iota(value: SSAValue) -> bool:
    """Whether every thread can compute any element without loading it."""
    op = value.owner
    return isinstance(op, tiny.IotaOp) or (isinstance(op, tiny.ConstOp) and splat(op.value) is not None)
