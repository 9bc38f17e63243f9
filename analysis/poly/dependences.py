"""
Dependences between the points of statements: which must run before which, and why.

```
   v0[i] = …            true     v1 reads what v0 wrote
   v1[i] = f(v0[i])     anti     v2 overwrites what v1 has read: v2 lives in the memory that v0 had
   v2[i] = g(v1[i])     output   v2 overwrites what v0 wrote
```

SSA values alone have true dependences only. With a plan of buffers (`plan_buffers`) every value has memory, ops run
sequentially, and isl's flow analysis finds the last write before each access. A statement reads at the points of its
iteration axes. It writes once per element of its value: a reduction writes an element when its sum is complete.

A value whose indices are not affine has no dependences. Its writes still kill earlier writes to the same memory.

Spec: `tensor-compiler.ja §1.4` (`deps`), `§1.6`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce
from typing import Literal

import islpy as isl
from xdsl.dialects.builtin import TensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue

from ...dialects.common.shapes import index_names
from ...dialects.ptir.dims import sizes
from ...dialects.ptir.tuples import leaves
from ...errors import Unsupported
from ..index import affine
from ..index.book import IndexBook, index_book
from ..index.info import Access
from ..index.isl_text import Symbol
from ..program.buffers import BufferPlan, Place

Kind = Literal["true", "anti", "output"]


@dataclass(frozen=True)
class Dependence:
    """
    `relation` maps points of `target` to the earlier points of `source` that they depend on: reads to writes (true), writes
    to reads of the same memory (anti), and writes to writes (output).
    """

    kind: Kind
    source: SSAValue
    target: SSAValue
    relation: isl.Map


def dependences(function: FuncOp, buffers: BufferPlan | None = None) -> list[Dependence]:
    """
    Returns the dependences between the statements of a function of tiny ops, ordered by target. Raises `Unsupported` if
    the address of an element in its memory is not affine.
    """
    book = index_book(function)
    if buffers is not None:
        return _Flow(book, buffers).dependences()
    return [
        Dependence("true", access.value, value, relation(book, value, access))
        for value in statements(book)
        for access in book[value].accesses
        if is_statement(book, access.value)
    ]


def is_statement(book: IndexBook, value: SSAValue) -> bool:
    """Whether the value has affine indices."""
    return value in book and book[value].non_scop is None


def statements(book: IndexBook) -> list[SSAValue]:
    return [value for value in book if is_statement(book, value)]


def relation(book: IndexBook, value: SSAValue, access: Access) -> isl.Map:
    """Returns the map from each iteration point of `value` where `access` reads to the element that it reads."""
    domain = book[value].domain if access.guard is None else book[value].domain.intersect(access.guard)
    return access.map.as_map().intersect_domain(domain).coalesce()


@dataclass(frozen=True)
class _Piece:
    """A value that is a tensor, or one tensor of a tuple, with its location and sizes."""

    value: SSAValue
    place: Place
    sizes: tuple[Symbol, ...]


class _Flow:
    """
    isl's flow analysis of a function. Value k reads at time 2k and writes at time 2k + 1. The isl space `R3` has the points
    where value 3 reads, `W4` those where piece 4 is written; a tuple has a piece for each of its tensors.
    """

    def __init__(self, book: IndexBook, plan: BufferPlan):
        self.book = book
        self.plan = plan
        self.values: list[SSAValue] = [value for op in plan.function.body.block.ops for value in op.results]
        self.order: dict[SSAValue, int] = {value: k for k, value in enumerate(self.values)}
        shapes: dict[str, set[tuple[Symbol, ...]]] = {}
        for piece in (piece for value in plan.places for piece in self.pieces_of(value)):
            shapes.setdefault(self.memory(piece), set()).add(piece.sizes)
        self.linear = {memory for memory, used in shapes.items() if len(used) > 1}  # addressed in row-major order
        self.pieces = [piece for value in self.values for piece in self.pieces_of(value)]
        self.writes = _union(self.address(piece, f"W{k}") for k, piece in enumerate(self.pieces))
        readers = [value for value in self.values if is_statement(book, value)]
        self.reads = _union(self.read(value, a) for value in readers for a in book[value].accesses)
        times = [(f"R{self.order[v]}", len(book[v].sizes), 2 * self.order[v]) for v in readers]
        times += [(f"W{k}", len(p.sizes), 2 * self.order[p.value] + 1) for k, p in enumerate(self.pieces)]
        self.schedule = _union(
            isl.Map.read_from_str(affine.CONTEXT, f"{{ {name}[{', '.join(index_names(rank))}] -> [{time}] }}")
            for name, rank, time in times
        )

    def pieces_of(self, value: SSAValue) -> list[_Piece]:
        """Returns the tensor itself, or the tensors of a tuple that may share a slot with others."""
        places = self.plan.places[value]
        if isinstance(value.type, TensorType):
            return [_Piece(value, places[0], tuple(axis.size for axis in self.book[value].axes))]
        tensors = zip(places, leaves([value.type]), strict=True)
        slots = ((place, t) for place, t in tensors if self.plan.memories[place.memory].slot is not None)
        return [_Piece(value, place, tuple(s for s in sizes(t) if s is not None)) for place, t in slots]

    def memory(self, piece: _Piece) -> str:
        slot = self.plan.memories[piece.place.memory].slot
        return f"M{piece.place.memory}" if slot is None else f"S{slot}"

    def address(self, piece: _Piece, name: str = "") -> isl.Map:
        """Returns the map from the elements of a piece, in isl space `name`, to addresses in its memory. Raises `Unsupported`."""
        lengths, memory = piece.sizes, self.memory(piece)
        axes = index_names(len(lengths))
        inner = [s for s in lengths[1:] if isinstance(s, int)]
        if piece.place.how == "view" or (memory in self.linear and len(inner) < len(lengths) - 1):
            owner = piece.value.owner
            raise Unsupported(
                owner if isinstance(owner, Operation) else self.plan.function,
                what=f"addressing {piece.value.type} in memory shared with other shapes",
                need="write numbers for all sizes but the first, and run ptir-to-tiny",
            )
        at = axes
        if memory in self.linear:
            strides = affine.row_major_strides([1, *inner]) if lengths else []
            at = [" + ".join(f"{s}*{a}" for s, a in zip(strides, axes, strict=True)) or "0"]
        elements = f"{{ {name}[{', '.join(axes)}] -> {memory}[{', '.join(at)}] }}"
        box = affine.box(lengths)
        return isl.Map.read_from_str(affine.CONTEXT, elements).intersect_domain(
            box.set_tuple_name(name) if name else box
        )

    def read(self, value: SSAValue, access: Access) -> isl.Map:
        (piece,) = self.pieces_of(access.value)
        at = relation(self.book, value, access).apply_range(self.address(piece))
        return at.set_tuple_name(isl.dim_type.in_, f"R{self.order[value]}")

    def dependences(self) -> list[Dependence]:
        found = [
            *self.dependences_of_kind("true", _flow(self.reads, self.schedule, source=self.writes)),
            *self.dependences_of_kind("anti", _flow(self.writes, self.schedule, source=self.reads, kill=self.writes)),
            *self.dependences_of_kind("output", _flow(self.writes, self.schedule, source=self.writes)),
        ]
        return sorted(found, key=lambda d: (self.order[d.target], self.order[d.source]))

    def dependences_of_kind(self, kind: Kind, flow: isl.UnionMap) -> list[Dependence]:
        maps: list[isl.Map] = []
        flow.foreach_map(maps.append)
        out: list[Dependence] = []
        for m in maps:
            source, target = (self.value(m.get_tuple_name(t)) for t in (isl.dim_type.in_, isl.dim_type.out))
            if is_statement(self.book, source) and is_statement(self.book, target):
                out.append(Dependence(kind, source, target, _without_tuple_names(m.reverse())))
        return out

    def value(self, name: str) -> SSAValue:
        """Returns the value that an isl space such as `R3` or `W4` belongs to."""
        number = int(name[1:])
        return self.values[number] if name.startswith("R") else self.pieces[number].value


def _flow(
    sink: isl.UnionMap, schedule: isl.UnionMap, *, source: isl.UnionMap, kill: isl.UnionMap | None = None
) -> isl.UnionMap:
    """
    Maps sources to the sinks that depend on them. Without `kill`, a sink depends on the last source before it; with `kill`,
    on every source before it since the last kill.
    """
    info = isl.UnionAccessInfo.from_sink(sink).set_schedule_map(schedule)
    info = info.set_must_source(source) if kill is None else info.set_may_source(source).set_kill(kill)
    return info.compute_flow().get_may_dependence().coalesce()


def _without_tuple_names(m: isl.Map) -> isl.Map:
    """Returns the map without tuple names; its input axes are named `i0, i1, …`."""
    sources, targets = m.dim(isl.dim_type.in_), m.dim(isl.dim_type.out)
    unnamed = isl.Space.alloc(m.get_ctx(), 0, targets, targets)
    m = m.reset_tuple_id(isl.dim_type.in_).reset_tuple_id(isl.dim_type.out).apply_range(isl.Map.identity(unnamed))
    for k, name in enumerate(index_names(sources)):
        m = m.set_dim_name(isl.dim_type.in_, k, name)
    return m.coalesce()


def _union(maps: Iterable[isl.Map]) -> isl.UnionMap:
    return reduce(isl.UnionMap.union, map(isl.UnionMap.from_map, maps), isl.UnionMap("{ }", affine.CONTEXT))
