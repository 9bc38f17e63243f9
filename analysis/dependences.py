"""
Which points of one statement must run before which points of another, and why.

```
   v0[i] = …            true     v1 reads what v0 wrote
   v1[i] = f(v0[i])     anti     v2 overwrites what v1 has read: v2 lives in the memory that v0 had
   v2[i] = g(v1[i])     output   v2 overwrites what v0 wrote
```

On values alone there are true dependences only. With a plan of buffers (`plan_buffers`) every value is in some memory, ops
run one after the other, and isl's flow analysis finds the last write before each access. A point is an index of the
statement's iteration axes where it reads, and an element of the value where it writes: a reduction writes each element once,
when it is complete.

A value whose indices are not affine has no dependences here. Its own write still ends those of the memory's earlier owner.

Spec: `tensor-compiler.ja §1.4` (`deps`), `§1.6`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import islpy as isl
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue

from ..errors import Unsupported
from . import affine
from .buffers import BufferPlan
from .index_book import Access, IndexBook
from .isl_text import Symbol

Kind = Literal["true", "anti", "output"]


@dataclass(frozen=True)
class Dependence:
    """
    `relation` leads from points of `target` to those of `source` that come before them: from what reads to what was
    written (true), from what is written to what read the place before (anti), and to what was written there (output).
    """

    kind: Kind
    source: SSAValue
    target: SSAValue
    relation: isl.Map


def dependences(function: FuncOp, buffers: BufferPlan | None = None) -> list[Dependence]:
    """
    The dependences between the statements of a function of tiny ops, in program order of their targets. Raises
    `Unsupported` where the place of an element in its memory is not affine.
    """
    book = IndexBook(function.body.block.ops)
    if buffers is not None:
        return _Flow(book, buffers).dependences()
    return [
        Dependence("true", access.value, value, relation(book, value, access))
        for value in statements(book)
        for access in book[value].accesses
        if is_statement(book, access.value)
    ]


def is_statement(book: IndexBook, value: SSAValue) -> bool:
    """Whether the value is computed at affine indices."""
    return value in book and book[value].non_scop is None


def statements(book: IndexBook) -> list[SSAValue]:
    return [value for value in book if is_statement(book, value)]


def relation(book: IndexBook, value: SSAValue, access: Access) -> isl.Map:
    """The points of `value` that read, each with the element that it reads."""
    domain = book[value].domain if access.guard is None else book[value].domain.intersect(access.guard)
    return access.map.as_map().intersect_domain(domain).coalesce()


class _Flow:
    """Statement k reads at time 2k and writes at 2k + 1; `R3` and `W3` are the points of statement 3 that do."""

    def __init__(self, book: IndexBook, plan: BufferPlan):
        self.book = book
        self.plan = plan
        self.values = list(book)
        self.order = {value: k for k, value in enumerate(self.values)}
        shapes: dict[str, set[tuple[Symbol, ...]]] = {}
        for value in plan.places:
            shapes.setdefault(self.memory(value), set()).add(self.sizes(value))
        self.linear = {memory for memory, used in shapes.items() if len(used) > 1}
        self.writes = _union(self.write(value) for value in self.values)
        self.reads = _union(self.read(value, a) for value in self.values for a in book[value].accesses)
        times = [(f"R{k}", len(book[v].sizes), 2 * k) for k, v in enumerate(self.values)]
        times += [(f"W{k}", book[v].rank, 2 * k + 1) for k, v in enumerate(self.values)]
        self.schedule = _union(
            isl.Map.read_from_str(affine.CONTEXT, f"{{ {name}[{', '.join(affine.names(rank))}] -> [{time}] }}")
            for name, rank, time in times
        )

    def sizes(self, value: SSAValue) -> tuple[Symbol, ...]:
        return tuple(axis.size for axis in self.book[value].axes)

    def memory(self, value: SSAValue) -> str:
        (place,) = self.plan.places[value]
        slot = self.plan.memories[place.memory].slot
        return f"M{place.memory}" if slot is None else f"S{slot}"

    def address(self, value: SSAValue) -> isl.Map:
        """From the elements of a value to places in its memory."""
        sizes = self.sizes(value)
        axes = affine.names(len(sizes))
        (place,) = self.plan.places[value]
        inner = [s for s in sizes[1:] if isinstance(s, int)]
        if place.how == "view" or (self.memory(value) in self.linear and len(inner) < len(sizes) - 1):
            raise Unsupported(
                value.owner if isinstance(value.owner, Operation) else self.plan.function,
                what=f"the place of {value.type} in memory that other shapes share",
                need="write numbers for all sizes but the first, and run ptir-to-tiny",
            )
        at = axes
        if self.memory(value) in self.linear:
            strides = affine.row_major([1, *inner]) if sizes else []
            at = [" + ".join(f"{s}*{a}" for s, a in zip(strides, axes, strict=True)) or "0"]
        elements = f"{{ [{', '.join(axes)}] -> {self.memory(value)}[{', '.join(at)}] }}"
        return isl.Map.read_from_str(affine.CONTEXT, elements).intersect_domain(affine.box(sizes))

    def write(self, value: SSAValue) -> isl.Map:
        return self.address(value).set_tuple_name(isl.dim_type.in_, f"W{self.order[value]}")

    def read(self, value: SSAValue, access: Access) -> isl.Map:
        at = relation(self.book, value, access).apply_range(self.address(access.value))
        return at.set_tuple_name(isl.dim_type.in_, f"R{self.order[value]}")

    def dependences(self) -> list[Dependence]:
        found = [
            *self.named("true", _flow(self.reads, self.schedule, source=self.writes)),
            *self.named("anti", _flow(self.writes, self.schedule, source=self.reads, kill=self.writes)),
            *self.named("output", _flow(self.writes, self.schedule, source=self.writes)),
        ]
        return sorted(found, key=lambda d: (self.order[d.target], self.order[d.source]))

    def named(self, kind: Kind, flow: isl.UnionMap) -> list[Dependence]:
        maps: list[isl.Map] = []
        flow.foreach_map(maps.append)
        out: list[Dependence] = []
        for m in maps:
            source, target = (self.values[int(m.get_tuple_name(t)[1:])] for t in (isl.dim_type.in_, isl.dim_type.out))
            if is_statement(self.book, source) and is_statement(self.book, target):
                out.append(Dependence(kind, source, target, _plain(m.reverse())))
        return out


def _flow(
    sink: isl.UnionMap, schedule: isl.UnionMap, *, source: isl.UnionMap, kill: isl.UnionMap | None = None
) -> isl.UnionMap:
    """
    Sources and the sinks that meet them: the last source before each sink, or with `kill` every source that no kill
    comes after.
    """
    info = isl.UnionAccessInfo.from_sink(sink).set_schedule_map(schedule)
    info = info.set_must_source(source) if kill is None else info.set_may_source(source).set_kill(kill)
    return info.compute_flow().get_may_dependence().coalesce()


def _plain(m: isl.Map) -> isl.Map:
    """The map without the names of statements, from `i0, i1, …`."""
    sources, targets = m.dim(isl.dim_type.in_), m.dim(isl.dim_type.out)
    unnamed = isl.Space.alloc(m.get_ctx(), 0, targets, targets)
    m = m.reset_tuple_id(isl.dim_type.in_).reset_tuple_id(isl.dim_type.out).apply_range(isl.Map.identity(unnamed))
    for k, name in enumerate(affine.names(sources)):
        m = m.set_dim_name(isl.dim_type.in_, k, name)
    return m.coalesce()


def _union(maps: Iterable[isl.Map]) -> isl.UnionMap:
    union = isl.UnionMap.read_from_str(affine.CONTEXT, "{ }")
    for m in maps:
        union = union.union(isl.UnionMap.from_map(m))
    return union
