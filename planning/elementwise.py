"""
The template that matches every region: a block computes a tile of m x n points of the kernel space, spread over its threads.

An element, including its reductions, is computed by a single thread, so only regions without reductions are fast.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from math import prod
from typing import Literal

import islpy as isl
from msgspec import UNSET
from xdsl.ir import SSAValue

from ..analysis.index import affine
from ..analysis.index.info import Access
from ..analysis.index.positions import Positions
from ..analysis.regions.addresses import is_affine, linear_address, stride
from ..analysis.regions.columns import columns_of
from ..analysis.regions.leaf_accesses import leaf_accesses
from ..analysis.regions.pieces import MAX_WINDOW
from ..analysis.regions.space import KernelSpace
from ..analysis.regions.tile_access import vector_width
from ..dialects import tiny
from ..dialects.common.shapes import element, shape
from ..dialects.plan.schedule import Schedule, Vectorize
from ..dialects.pto import PtoKernelOp
from ..targets.architectures import SECTOR, WARP, WARPGROUP
from ..targets.mma import element_bytes
from .multistage.resources import grid_overflow
from .problem import Overflow
from .rules import DIRECT, Rule, asked_algorithm, bind_want, block_axes, bound_axes, field_rule, loop_rules, tails
from .strict import adds_strict_floats
from .template import Template, distinct

WIDTHS: tuple[Literal[8, 4, 2, 1], ...] = (8, 4, 2, 1)
"""Candidate vector widths, in elements."""
WIDEST = 16
"""Width of the widest access, in bytes."""
VECTORS = 4
"""Maximum number of vectors of a tile that a thread computes."""
INDEX_CLOCKS = 3.0
"""Clocks in which a multiprocessor issues the index arithmetic of a warp's vectors: about twelve instructions."""
HELD = 640
"""Maximum number of bytes that a thread loads and stores at a time."""
LOADS = 16
"""Maximum number of vectors that a thread loads; each takes four registers."""


def unrolls(plan: Schedule, elements: int) -> bool:
    """Whether a reduction of so many elements has no loop in a kernel with this plan, so that its loads are vectors."""
    by_element = len(plan.tile) == 2 and plan.warp_tile is UNSET
    return by_element and plan.vectorize.width > 1 and elements <= MAX_WINDOW


def grid_rules(plan: Schedule, fields: Sequence[str] = ("cache", "layout_hints", "local_edges")) -> Iterator[Rule]:
    """
    Yields the rules for the plans of kernels whose blocks are numbered along m and n, and that stage no operands: `fields` are empty.
    """
    yield from loop_rules(plan)
    bound = set(plan.bind) <= bound_axes(plan) and block_axes(plan)
    yield field_rule(bound, "bind", f"must have {bind_want(plan)}")
    for field in fields:
        yield field_rule(not getattr(plan, field), field, "must be empty: this template uses no multiply instruction")


def direct_rule(plan: Schedule) -> Rule:
    """Returns the rule that `algo_choice` names nothing but a direct convolution."""
    holds = plan.algo_choice in ({}, {"conv": DIRECT})
    want = f'may have conv = "{DIRECT}" only: this template uses no multiply instruction'
    return field_rule(holds, "algo_choice", want)


def _rules(plan: Schedule, _: KernelSpace | PtoKernelOp) -> Iterator[Rule]:
    yield from grid_rules(plan)
    yield direct_rule(plan)


class Elementwise(Template):
    """The template of regions without a contraction, and of contractions for which there is no multiply instruction."""

    family = "elementwise"

    @classmethod
    def owns(cls, plan: Schedule) -> bool:
        return len(plan.tile) == 2 and not plan.holds_rows and not plan.reduces_columns

    @property
    def matches(self) -> bool:
        return True

    def ranked(self) -> Sequence[Schedule]:
        vectors = self.vectors
        return distinct(self.plan(count) for count in (VECTORS, 2, 1) if count <= vectors)

    def fallbacks(self) -> Sequence[Schedule]:
        narrower = [self.plan(1, width) for width in WIDTHS if width < self.width]
        return distinct([*self.ranked(), *narrower])

    def plan(self, vectors: int, width: Literal[8, 4, 2, 1] | None = None) -> Schedule:
        """
        Returns the plan in which each thread computes `vectors` vectors of a tile, of `width` elements. The tile has whole rows if they
        fit.
        """
        n, width = self.space.n, width or self.width
        points = WARPGROUP * width * vectors
        columns, lanes = n, WARP * width
        if n > points:
            columns = -(-n // (lanes * -(-n // points))) * lanes
        tile = (min(max(1, points // columns), self.space.m), columns)
        return Schedule(
            arch=self.request.arch.name,
            tile=tile,
            bind=self.bind(tile),
            vectorize=Vectorize(axis="n.i.i", width=width),
            predicate_tail=tails(tile, self.space),
            epilogue=self.request.labels,
            algo_choice=self.request.convolution(DIRECT),
        )

    @cached_property
    def reductions(self) -> Sequence[tiny.ReduceOp]:
        return [op for op in self.request.kernel.body.block.ops if isinstance(op, tiny.ReduceOp)]

    @property
    def accesses(self) -> Sequence[tuple[int, isl.Aff, tuple[int, ...]]]:
        """
        The loads and stores of a point, each once, as the size of the element in bytes, the address, and the sizes of the address's axes:
        those of the space, then those of reductions and positions.
        """
        return list(self.found.values())

    @cached_property
    def found(self) -> dict[tuple[SSAValue, str], tuple[int, isl.Aff, tuple[int, ...]]]:
        """The accesses by their arrays and the texts of their maps."""
        space, positions = self.space, Positions(self.space.book)
        found: dict[tuple[SSAValue, str], tuple[int, isl.Aff, tuple[int, ...]]] = {}
        for root, maps in space.outputs.items():
            for at in maps:
                leaves = leaf_accesses(Access(root, at), space.points, space.book, lambda _: False, positions)
                arrays = [leaf for leaf in leaves if not isinstance(leaf[0].value.owner, tiny.ConstOp | tiny.IotaOp)]
                for a, sizes in ((Access(root, at), space.points), *arrays):
                    if (key := (a.value, affine.canonical_text(a.map))) not in found:
                        address = linear_address(shape(a.value), a.map, sizes)
                        found[key] = element_bytes(element(a.value)), address, sizes
        return found

    @cached_property
    def width(self) -> Literal[8, 4, 2, 1]:
        """
        The vector width, in elements, that takes the fewest clocks; at most 16 bytes of the narrowest type, and no more than registers
        hold of all that a thread loads and stores.
        """
        long = any(prod(shape(op.input)) > MAX_WINDOW * prod(shape(op.result)) for op in self.reductions)
        if long or self.space.contraction is not None:
            return 1
        widest = min(WIDEST // min(size for size, *_ in self.accesses), max(1, HELD // self.held))
        return min((w for w in WIDTHS if w <= widest and self.space.n % w == 0), key=self.clocks)

    @property
    def held(self) -> int:
        """The bytes that a thread loads and stores for a point; windows are counted at the first point, what pieces share once."""
        if not self.reductions:
            return sum(size for size, *_ in self.accesses)
        rank, found = len(self.space.points), dict[tuple[SSAValue, int], isl.Set]()
        for (value, _), (size, address, sizes) in self.found.items():
            first = affine.box([1] * rank + list(sizes[rank:]))
            read = isl.Map.from_aff(address).intersect_domain(first).range()
            key = value, size
            found[key] = read.union(found[key]) if key in found else read
        return sum(size * int(read.count_val().to_python()) for (_, size), read in found.items())

    def clocks(self, width: int) -> float:
        """Returns the predicted clocks per element: those of index arithmetic, and of L1, which moves four sectors per clock."""
        space, total = self.space, INDEX_CLOCKS
        column = space.outer + 1
        for size, address, sizes in self.accesses:
            widths = [w for w in WIDTHS if w <= min(width, WIDEST // size)]
            part = vector_width(sizes, address, column, WIDEST // size, widths)
            step = abs(stride(address, column)) if is_affine(address) else WARP
            sectors = min(WARP * max(1, part * size // SECTOR), -(-WARP * width * step * size // SECTOR))
            total += width / part * max(1, sectors / 4) if step else 1
        return total / width

    @property
    def slower(self) -> str:
        if adds_strict_floats(self.request.kernel):
            longest = max(
                prod(self.space.book[op.result].static_sizes[len(shape(op.result)) :]) for op in self.reductions
            )
            return f"a thread adds the {longest} elements of a sum alone, in their order"
        if self.space.contraction is not None:
            asked = asked_algorithm(self.request.kernel) is not None
            why = "the program asks for it" if asked else "no instruction multiplies these element types"
            return f"each thread computes an element alone: {why}"
        if self.reductions:
            why = columns_of(self.request.kernel, self.space)
            return f"each thread reduces an element alone, not whole rows or vectors of columns: {why}"
        space, column = self.space, self.space.outer + 1
        for size, address, sizes in self.accesses:
            steps = stride(address, column) if is_affine(address) else None
            if steps is None or abs(steps) > 1:
                by = "with divisions" if steps is None else f"{abs(steps)} elements apart"
                return f"adjacent elements are accessed {by}: contiguous ones, or a tile in shared memory, would be vectors"
            widest = [w for w in WIDTHS if w <= WIDEST // size]
            if steps and size * vector_width(sizes, address, column, WIDEST // size, widest) < min(
                WIDEST, size * (space.n & -space.n)
            ):
                return "vectors are narrower than 16 bytes: an address is not a multiple of them"
        return ""

    @cached_property
    def vectors(self) -> int:
        """The number of vectors of a tile that a thread computes; fewer if there would be too few blocks to fill the machine."""
        if self.reductions:
            return 1
        blocks = prod(self.space.points) // (WARPGROUP * self.width)
        return max(1, min(VECTORS, LOADS // len(self.accesses), blocks // (2 * self.request.machine.multiprocessors)))

    def overflow(self, plan: Schedule) -> Overflow | None:
        return grid_overflow(plan, self.space)

    rules = program_rules = staticmethod(_rules)


def power_of_two(n: int) -> int:
    """Returns the smallest power of two that is at least `n`."""
    return 1 << (n - 1).bit_length()
