"""The tiles of queries, keys and values that a kernel of attention copies: their maps, addresses and layouts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

import islpy as isl
from xdsl.ir import SSAValue

from ...analysis.index import affine
from ...analysis.index.info import Access
from ...analysis.regions.addresses import is_affine, linear_address, stride
from ...analysis.regions.attention import Attention
from ...analysis.regions.kernel_space import KernelSpace
from ...dialects.common.shapes import element, shape
from ...targets.architectures import TMA_BYTES
from ...targets.mma import element_bytes


@dataclass(frozen=True)
class Operand:
    """
    An array of a product, its map `at` from a space of `sizes`, whose last two axes are the rows and the columns of its tiles as they are
    contiguous in memory.
    """

    value: SSAValue
    at: isl.MultiAff
    sizes: tuple[int, ...]

    @property
    def address(self) -> isl.Aff:
        return linear_address(shape(self.value), self.at, self.sizes)

    @property
    def is_strided(self) -> bool:
        """Whether rows are contiguous and all addresses of rows are multiples of 16 bytes, as TMA requires."""
        address, size = self.address, element_bytes(element(self.value))
        if not is_affine(address):
            return False
        *outer, rows, columns = range(len(self.sizes))
        steps = [stride(address, a) for a in (*outer, rows) if self.sizes[a] > 1]
        first = int(address.get_constant_val().to_python())
        return stride(address, columns) in ((0, 1) if self.sizes[columns] == 1 else (1,)) and all(
            step * size % TMA_BYTES == 0 and step >= 0 for step in (*steps, first)
        )

    @property
    def is_contiguous(self) -> bool:
        """Whether rows are contiguous, so that threads copy as many elements at a time as alignment allows."""
        address, columns = self.address, len(self.sizes) - 1
        return is_affine(address) and (self.sizes[-1] == 1 or stride(address, columns) == 1)


def operands(space: KernelSpace, a: Attention) -> tuple[Operand, Operand, Operand]:
    """Returns the queries, keys and values of an attention. Their spaces are the outer axes, the positions, and the columns."""
    outer = space.outer
    rank = len(space.sizes)
    d = a.scores.sizes[a.scores.k[0]]

    def of(access: Access, iteration: isl.MultiAff, of_rows: int, size: int) -> Operand:
        sizes = (*space.sizes[:outer], space.sizes[of_rows], size)
        return Operand(access.value, affine.compose(access.map, iteration, sizes), sizes)

    def scores(row: int) -> isl.MultiAff:
        """The map from a space of the outer axes, one of m and k, and the head to the iteration axes of the first product."""
        exprs = [f"i{axis}" if axis < outer else f"i{outer}" if axis == row else "0" for axis in range(rank)]
        sizes = (*space.sizes[:outer], space.sizes[row], d)
        into = affine.make_map(outer + 2, exprs)
        there = reduce(lambda inner, at: affine.compose(at, inner, sizes), (space.iteration, a.scores_at), into)
        return there.flat_range_product(affine.make_map(outer + 2, [f"i{outer + 1}"]))

    queries, keys = a.queries_and_keys
    n, k = outer + 1, outer + 2
    of_values = affine.make_map(
        outer + 2,
        [f"i{axis}" if axis < outer else {n: f"i{outer + 1}", k: f"i{outer}"}.get(axis, "0") for axis in range(rank)],
    )
    values_sizes = (*space.sizes[:outer], space.sizes[k], space.sizes[n])
    iteration = affine.compose(space.iteration, of_values, values_sizes)
    return (
        of(queries, scores(outer), outer, d),
        of(keys, scores(k), k, d),
        of(a.product.rhs, iteration, k, space.sizes[n]),
    )


def all_strided(found: Sequence[Operand]) -> bool:
    return all(operand.is_strided for operand in found)


def all_contiguous(found: Sequence[Operand]) -> bool:
    return all(operand.is_contiguous for operand in found)
