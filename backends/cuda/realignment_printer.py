"""
Prints realigned vectors of an `nv.map`: a row begins at any multiple of its element size, but accesses are aligned vectors.

```
memory     | . . . 0 | 1 2 3 4 | 5 6 7 8 |       a row that begins at element 3 of an aligned vector
load       lane 0 loads . . . 0, and gets 1 2 3 from lane 1, which loads 1 2 3 4
store      lane 0 holds 0 1 2 3, gets 4 from lane 1, and stores 1 2 3 4; element 0, an edge, is stored alone
```

A run is the part of a row that a warp holds. Its last vector continues in one that its first lane loads in addition. All vectors are
loaded before the first one is used, so that the loads are in flight together.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod

from ...analysis.index import affine
from ...analysis.regions.addresses import is_contiguous
from ...analysis.regions.tile_access import point_set, vector_width
from ...dialects import nv
from ...dialects.common.shapes import memref_of
from ...dialects.common.syntax import ints
from ...dialects.nv.rows import lanes_of_runs
from ...errors import Unsupported
from ...targets.architectures import WARP
from ...targets.mma import element_bytes
from .fragment_printer import FragmentPrinter, holders_of, lane_terms
from .scalars import product, sum_of


@dataclass(frozen=True)
class Realigned:
    """
    A memref with realigned vectors of `width` elements of `bytes` bytes, and the names of variables: the pointer `run` to the run,
    the array `held` of a lane's vectors, and the `shift` from an aligned address in elements: of the run, or to the run's first
    aligned vector if it is stored. Without a shift, all vectors are aligned. The `lanes` of a run have `rounds` times `parts`
    contiguous vectors each.
    """

    memref: str
    kind: str
    elements: int
    bytes: int
    width: int
    lanes: int
    rounds: int
    parts: int
    run: str
    held: str
    shift: str | None

    @property
    def vectors(self) -> int:
        """The number of vectors of the run."""
        return self.rounds * self.parts * self.lanes

    @property
    def lane(self) -> str:
        """The number of the lane among those of the run."""
        return "0" if self.lanes == 1 else "lane" if self.lanes == WARP else f"lane % {self.lanes}"

    @property
    def first(self) -> str:
        """The number of the lane's first vector among those of the run."""
        return product(self.lane, self.parts)

    def places(self, round: str) -> Iterator[tuple[str, str]]:
        """Yields the index of each vector of a round in `held`, and its number relative to the lane's first vector."""
        for part in range(self.parts):
            yield self.index(round, part), sum_of(product(round, self.lanes * self.parts), str(part))

    def index(self, round: str, part: int) -> str:
        """Returns the index in `held` of a vector of a round; `parts` stands for the first one of the next round."""
        return sum_of(product(round, self.parts), str(part))

    def vector(self, round: str, part: int) -> str:
        """Returns the vector of a lane that begins `shift` elements after the aligned one with this place."""
        own, first, after = (f"{self.held}[{self.index(round, at)}]" for at in (part, 0, part + 1))
        if self.shift is None:
            return own
        if part + 1 == self.parts:
            after = f"next_vector<{self.lanes}>({first}, {after})"
        return f"realigned<{self.bytes}>({own}, {after}, {self.shift} * {self.bytes})"


class RealignmentPrinter(FragmentPrinter):
    """Prints loads and stores of realigned vectors. `realigned` has those of the map that is being printed, by their numbers."""

    realigned: dict[int, Realigned]
    run_left: str
    """The number of elements of the row from the beginning of the run on."""

    def load_realigned(self, op: nv.ElementsOp) -> None:
        """Prints the loads of realigned vectors, and declares those that will be stored."""
        self.realigned = {}
        if (like := op.like) is None or not op.realigned_memrefs:
            return
        self.used |= {"realigned", "next_vector", "u64"}
        (row_dim, column_dim), bounds, guarded = ints(op.dims), ints(op.bounds), ints(op.guards)
        row, column, self.run_left = (self.fresh(f"run_{name}") for name in ("row", "column", "left"))
        lanes, *others = (lane_terms(modes, name) for name, modes in holders_of(like.layout))
        rows, columns = zip(*reversed(others), strict=True)
        self.line(f"const int {row} = {sum_of(self.name(op.offsets[row_dim]), *rows, lanes[0])};")
        self.line(f"const int {column} = {sum_of(self.name(op.offsets[column_dim]), *columns)};")
        points = {k: self.name(o) for k, o in enumerate(op.offsets)} | {row_dim: row, column_dim: column}
        inside = " && ".join(f"{points[d]} < {bounds[d]}" for d in (row_dim, column_dim) if d in guarded)
        left = f"{bounds[column_dim]} - {column}"
        self.line(f"const int {self.run_left} = {f'{inside} ? {left} : 0' if inside else left};")
        for k in op.realigned_memrefs:
            self.realigned[k] = self.declare_realigned(op, like, k, points)
            if k < len(op.ins):
                self.load_run(self.realigned[k])

    def declare_realigned(self, op: nv.ElementsOp, like: nv.FragType, k: int, points: dict[int, str]) -> Realigned:
        """Declares the variables of the run of memref `k` whose first element is at `points`."""
        memref, width, column = (*op.ins, *op.outs)[k], ints(op.widths)[k], ints(op.dims)[1]
        t, source, bounds, load = memref_of(memref), op.addresses.data[k].source.data, ints(op.bounds), k < len(op.ins)
        run = self.pointer(memref, source, points, bounds)
        address = affine.read_map(source).get_at(0)
        if not is_contiguous(address, column) or (load and self.guarded(op, k) is not None):
            need = f"an address that steps by 1 along axis {column}, and no set of points in 'where'"
            raise Unsupported(op, what=f"realigning vectors at {source}", need=need)
        size, dtype, layout = element_bytes(t.element_type), self.ctype(t.element_type, op), like.layout
        name, aligned = self.name(memref), vector_width(bounds, address, column, width, (width,)) == width
        r = Realigned(
            name,
            self.vector_type("u32", width * size // 4),
            prod(t.get_shape()),
            size,
            width,
            lanes_of_runs(layout) or 1,
            layout.count // layout.contiguous,
            layout.contiguous // width,
            self.fresh(f"{name}_run"),
            self.fresh(f"{name}_vectors"),
            None if aligned else self.fresh(f"{name}_shift"),
        )
        self.line(f"{'const ' * load}{dtype}* {r.run} = {run};")
        if not aligned:
            at = f"(u32)(u64){r.run}" if load else f"(0u - (u32)(u64){r.run})"
            self.line(f"const int {r.shift} = {at} % {width * size}{f' / {size}' * (size > 1)};")
        self.line(f"{r.kind} {r.held}[{(r.rounds + 1) * r.parts}] = {{}};")
        return r

    def guarded(self, op: nv.ElementsOp, k: int) -> str | None:
        """Returns the set of points at which memref `k` is accessed, inputs first, or None if it is at all points."""
        if op.where is None or k >= len(op.where):
            return None
        where, rank = op.where.data[k].source.data, len(op.bounds)
        return None if point_set(op, where, rank).plain_is_universe() else where

    def load_run(self, r: Realigned) -> None:
        """Prints the loads of the vectors of a run that have an element of the row. Those beyond the array are not read."""
        start, left, whole = (self.fresh(f"{r.memref}_{name}") for name in ("from", "left", "whole"))
        begin = f"{r.run} - {r.shift}" if r.shift else r.run
        self.line(f"const {r.kind}* {start} = (const {r.kind}*)({begin}) + {r.first};")
        up = f"{self.run_left} + {r.width - 1}"
        vectors = f"({self.run_left} ? {up} + {r.shift} : 0)" if r.shift else f"({up})"
        self.line(f"const int {left} = {vectors} / {r.width} - {r.first};")
        tail = r.elements % r.width
        if tail:
            end = f"(const {r.kind}*)({r.memref} + {r.elements - tail}) - {start}"
            self.line(f"const int {whole} = (int)min((long long){left}, (long long)({end}));")
        with self.unrolled(h=r.rounds):
            for index, number in r.places("h"):
                self.line(f"if ({number} < {whole if tail else left}) {r.held}[{index}] = {start}[{number}];")
        if r.shift:
            first = f"{r.lane} == 0 && " if r.lanes > 1 else ""
            condition = f"{first}{r.shift} && {r.vectors} < {whole if tail else left}"
            self.line(f"if ({condition}) {r.held}[{r.rounds * r.parts}] = {start}[{r.vectors}];")
        if tail:
            last = self.fresh(f"{r.memref}_last")
            with self.block(f"if ({whole} < {left})"):  # the array ends within a vector
                self.line(f"{r.kind} {last} = {{}};")
                word = f"u{8 * r.bytes}"
                with self.unrolled(v=tail):
                    self.line(f"(({word}*)&{last})[v] = ((const {word}*){r.memref})[{r.elements - tail} + v];")
                with self.unrolled(h=r.rounds + bool(r.shift)):
                    for index, number in r.places("h"):
                        self.line(f"if ({number} == {whole}) {r.held}[{index}] = {last};")

    def store_realigned(self, op: nv.ElementsOp) -> None:
        """Prints the stores of realigned vectors: whole aligned vectors, then the elements before and after these."""
        for k, r in self.realigned.items():
            if k >= len(op.ins):
                self.store_run(r)

    def store_run(self, r: Realigned) -> None:
        """Prints the stores of the vectors of a run."""
        names = ("held", "to", "left", "whole", "last")
        held, to, left, whole, last = (self.fresh(f"{r.memref}_{name}") for name in names)
        word, shift, lines = f"u{8 * r.bytes}", r.shift or "0", f"{left} / {r.width}"
        self.line(f"const int {held} = min({self.run_left}, {r.vectors * r.width});")
        self.line(f"const int {left} = {held} - {shift}, {whole} = {lines} - {r.first};")
        self.line(f"{r.kind}* {to} = ({r.kind}*)({r.run} + {shift}) + {r.first};")
        self.line(f"{r.kind} {last} = {{}};")
        with self.unrolled(h=r.rounds):
            for part, (_, number) in enumerate(r.places("h")):
                y = self.fresh(f"{r.memref}_aligned")
                self.line(f"const {r.kind} {y} = {r.vector('h', part)};")
                self.line(f"if ({number} < {whole}) {to}[{number}] = {y};")
                self.line(f"if ({number} == {whole}) {last} = {y};")
        end = f"({word}*){to} + ({lines} - {r.first}) * {r.width}"
        lane = lines if r.parts == 1 else f"{lines} / {r.parts}"
        heads, tails = f"min({shift}, {held})", f"{left} % {r.width}"
        edges = f"({word}*){r.run}", f"{r.held}[0]", heads, end, last, tails, f"{lane} % {r.lanes}"
        self.print_call(f"store_edges<{r.lanes}>", *edges)
