"""Describes the tiles that a kernel of chained products copies, such as queries, keys and values: their maps, addresses and layouts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, reduce

import islpy as isl
from xdsl.ir import SSAValue

from ...analysis.index import affine
from ...analysis.index.info import Access
from ...analysis.regions.addresses import is_affine, linear_address, stride
from ...analysis.regions.attention import RowProduct
from ...analysis.regions.chained import Chained
from ...analysis.regions.contraction import Contraction
from ...analysis.regions.gathered import gathered
from ...analysis.regions.moved import moved
from ...analysis.regions.pages import Pages, pages
from ...analysis.regions.space import KernelSpace
from ...dialects.common.shapes import element, shape
from ...targets.architectures import TMA_AXES, TMA_BYTES
from ...targets.mma import element_bytes

BOX_ROWS = 8
"""The number of rows of which a box of a gathered tile has a multiple: swizzles repeat every 8 rows."""


@dataclass(frozen=True)
class Operand:
    """
    An array of a product, and its map `at` from a space of `sizes`, whose last two axes are the rows and the columns of its tiles. If the
    array is gathered, the space of the map has a further axis of `places`, and the `table`, read from the space without it, has the numbers.
    """

    value: SSAValue
    at: isl.MultiAff
    sizes: tuple[int, ...]
    table: Access | None = None
    places: int = 1
    computed: Access | None = None
    """The value that the kernel computes from the tile of the array and multiplies instead, read from the space."""

    @property
    def space(self) -> tuple[int, ...]:
        """The sizes of the space of `at`."""
        return (*self.sizes, self.places) if self.table else self.sizes

    @property
    def address(self) -> isl.Aff:
        return linear_address(shape(self.value), self.at, self.space)

    @cached_property
    def transposed(self) -> bool:
        """Whether elements of adjacent rows are contiguous, and not those of a row."""
        *_, rows, columns = range(len(self.sizes))
        return not self._is_contiguous(columns) and self._is_contiguous(rows)

    @cached_property
    def pages(self) -> Pages | None:
        """The pages of a gathered array, or None."""
        if self.table is None:
            return None
        rank = len(self.sizes)
        return pages(shape(self.value), self.at, self.table.map, self.space, rank - 2, rank - 1)

    @property
    def is_strided(self) -> bool:
        """
        Whether TMA can load the tiles: rows, or columns, are contiguous, they are not copies of one, and all their addresses are multiples of
        16 bytes. Those of a gathered array have pages of a multiple of 8 rows.
        """
        address, sizes, rank = self.address, self.sizes, len(self.sizes)
        if self.table is not None:
            if self.pages is None or self.pages.rows % BOX_ROWS:
                return False
            address, sizes = self.pages.address, self.pages.sizes
        along = rank - 1 - (self.table is None and self.transposed)
        if not is_affine(address) or stride(address, along) not in ((0, 1) if sizes[along] == 1 else (1,)):
            return False
        steps = {a: stride(address, a) for a, n in enumerate(sizes) if n > 1 and a != along}
        tile = rank - 2, rank - 1
        outer = [step for a, step in steps.items() if a not in tile]
        first, size = int(address.get_constant_val().to_python()), element_bytes(element(self.value))
        if sum(map(bool, outer)) > TMA_AXES - 2 or any(steps.get(a) == 0 for a in tile):
            return False
        return all(step * size % TMA_BYTES == 0 and step >= 0 for step in (*steps.values(), first))

    @property
    def is_affine(self) -> bool:
        """Whether the address is affine in the positions, so that threads copy as many elements at a time as alignment allows."""
        return is_affine(self.address)

    def _is_contiguous(self, axis: int) -> bool:
        return self.is_affine and stride(self.address, axis) in ((0, 1) if self.sizes[axis] == 1 else (1,))


def operands(space: KernelSpace, a: Chained) -> tuple[Operand, ...]:
    """
    Returns the left and the right operand of each inner product, then the right one of the product, unless it is computed: the queries,
    keys and values of an attention. Their spaces are the outer axes, the positions, and the columns.
    """
    outer = space.outer
    rank, n, k = len(space.sizes), outer + 1, outer + 2
    found: list[Operand] = []

    def inner(c: Contraction, access: Access, row: int) -> Operand:
        """Returns the operand that is read along the outer axes, one of m and k, and the head."""
        exprs = [f"i{axis}" if axis < outer else f"i{outer}" if axis == row else "0" for axis in range(rank)]
        sizes = (*space.sizes[:outer], space.sizes[row], c.sizes[c.k[0]])
        into = affine.make_map(outer + 2, exprs)
        there = reduce(lambda inside, at: affine.compose(at, inside, sizes), (space.iteration, a.at_of(c)), into)
        there = there.flat_range_product(affine.make_map(outer + 2, [f"i{outer + 1}"]))
        if row == outer and (queries := a.queries) is not None:
            at, source = affine.compose(access.map, there, sizes), queries.source
            return Operand(
                source.value, affine.compose(source.map, at, sizes), sizes, computed=Access(access.value, at)
            )
        return _operand(space, access, there, sizes)

    for c in a.inner:
        left, right = a.sides(c)
        found += [inner(c, left, outer), inner(c, right, k)]
    if isinstance(a, RowProduct):
        return tuple(found)
    of_values = affine.make_map(
        outer + 2,
        [f"i{axis}" if axis < outer else {n: f"i{outer + 1}", k: f"i{outer}"}.get(axis, "0") for axis in range(rank)],
    )
    sizes = (*space.sizes[:outer], space.sizes[k], space.sizes[n])
    iteration = affine.compose(space.iteration, of_values, sizes)
    return *found, _operand(space, a.product.rhs, iteration, sizes)


def _operand(space: KernelSpace, access: Access, there: isl.MultiAff, sizes: tuple[int, ...]) -> Operand:
    """Returns the operand of an access, read from a space of `sizes` through `there`."""
    at = affine.compose(access.map, there, sizes)
    if space.attention is None or (g := gathered(access.value)) is None:
        return Operand(access.value, at, sizes)
    (pool, table), places = space.book[access.value].accesses, shape(g.pool)[g.op.axis()]
    value, where = moved(table.value, affine.compose(table.map, _first(at, sizes), sizes), sizes, space.book)
    rank = len(sizes)
    outside = affine.make_map(rank + 1, [f"i{axis}" for axis in range(rank)])
    both = affine.compose(at, outside, (*sizes, places)).flat_range_product(affine.make_map(rank + 1, [f"i{rank}"]))
    return Operand(g.pool, affine.compose(pool.map, both, (*sizes, places)), sizes, Access(value, where), places)


def _first(at: isl.MultiAff, sizes: tuple[int, ...]) -> isl.MultiAff:
    """Returns a map with a further output, 0: indices do not depend on positions."""
    return at.flat_range_product(affine.make_map(len(sizes), ["0"]))


def has_one_place_a_row(operand: Operand) -> bool:
    """Returns whether all elements of a row of an operand are at one place, if it is gathered."""
    return operand.table is None or not affine.uses_axis(operand.table.map, len(operand.sizes) - 1)


def all_strided(found: Sequence[Operand]) -> bool:
    return all(operand.is_strided for operand in found)
