"""The index space that a kernel tiles: sizes, and the maps from it to what the kernel computes."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import cast

import islpy as isl
from xdsl.ir import SSAValue

from ..index import affine
from ..index.book import IndexBook
from .attention import Attention
from .chained import Chained
from .contraction import Contraction
from .members import Members, placed
from .windows import Window


@dataclass(frozen=True)
class KernelSpace:
    """
    The tile space of a kernel. Its `sizes` are in the order outer…, m, n and, for a contraction, k. `start` is the contraction's
    result, from which the epilogue starts, or the kernel's first output. `start_map` maps the space without k to the axes
    of `start`. `iteration` maps the whole space to the iteration axes of the contraction; without a contraction, it is
    `start_map`.
    """

    book: IndexBook
    contraction: Contraction | None
    start: SSAValue
    sizes: tuple[int, ...]
    iteration: isl.MultiAff
    start_map: isl.MultiAff
    outputs: dict[SSAValue, tuple[isl.MultiAff, ...]] = field(default_factory=dict[SSAValue, tuple[isl.MultiAff, ...]])
    """
    Without a contraction, the maps from the space to each output: one per piece (`pieces.py`), which together reach every element
    once. The map of an output with one element per row does not depend on n. A scatter has those of its updates and indices instead.
    """
    of_rows: bool = False
    """Whether n is the axis along which the kernel reduces rows."""
    adjacent: bool = False
    """Whether elements of adjacent rows, along m, are contiguous in memory, and not those of a row."""
    chained: tuple[Chained, ...] = ()
    """The chained products, whose spaces are the same: m are the rows of their weights, n the columns of the results, k is summed."""
    window: Window | None = None
    """The windows of the contraction's result that the kernel reduces, which are adjacent along m."""
    members: Members | None = None
    """
    The members of a batch of products of which the kernel combines elements at the same position. The maps of the space are those of the first
    member.
    """
    window_points: isl.MultiAff | None = None
    """The map from the space without k to the axes of the reduction's result and of its windows."""

    def of_member(self, number: int) -> KernelSpace:
        """Returns the space with the maps of a member of the batch."""
        if self.members is None:
            return self
        start, iteration = (placed(at, self.members.axis, number) for at in (self.start_map, self.iteration))
        c = cast(Contraction, self.contraction)
        here = placed(affine.identity(len(c.sizes)), self.members.axis, number)
        lhs, rhs = (replace(a, map=affine.compose(a.map, here, c.sizes)) for a in (c.lhs, c.rhs))
        return replace(self, contraction=replace(c, lhs=lhs, rhs=rhs), start_map=start, iteration=iteration)

    @cached_property
    def of_members(self) -> list[KernelSpace]:
        """The space of each member of the batch, or this one if there is none."""
        return [self.of_member(number) for number in range(self.members.count if self.members else 1)]

    @property
    def attention(self) -> Attention | None:
        """The attention whose second product is `contraction`: m are its queries, n the columns of the values, k the keys."""
        return next((c for c in self.chained if isinstance(c, Attention)), None)

    @property
    def starts(self) -> tuple[SSAValue, ...]:
        """The results of the contractions from which the epilogue starts, or the kernel's first output."""
        return tuple(c.product.out for c in self.chained) or (self.start,)

    @property
    def outer(self) -> int:
        """The number of axes before m."""
        return len(self.sizes) - (3 if self.contraction else 2)

    @property
    def of_scores(self) -> tuple[tuple[int, ...], isl.MultiAff]:
        """The space of the weights of chained products, outer…, m and k, and the map from it to the iteration axes of the contraction."""
        outer = self.outer
        sizes = (*self.sizes[: outer + 1], self.k)
        into = affine.make_map(outer + 2, [*(f"i{axis}" for axis in range(outer + 1)), "0", f"i{outer + 1}"])
        return sizes, affine.compose(self.iteration, into, sizes)

    @property
    def of_rows_of_scores(self) -> isl.MultiAff:
        """The map from the space without k to the axes of the maximum and the sum of an attention's scores."""
        return self.rows_through(cast(Attention, self.attention).rows_at)

    def rows_through(self, at: isl.MultiAff) -> isl.MultiAff:
        """Returns a map from the iteration axes of the contraction, from the space without k instead, at the first k."""
        into = affine.make_map(self.outer + 2, [*(f"i{axis}" for axis in range(self.outer + 2)), "0"])
        return affine.compose(affine.compose(at, self.iteration, self.sizes), into, self.points)

    @property
    def points(self) -> tuple[int, ...]:
        """The sizes without k."""
        return self.sizes[: self.outer + 2]

    @property
    def m(self) -> int:
        return self.sizes[self.outer]

    @property
    def n(self) -> int:
        return self.sizes[self.outer + 1]

    @property
    def k(self) -> int:
        return self.sizes[self.outer + 2] if self.contraction else 1
