"""The places that the ops of a program read from the place at which a slice evaluates them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, partial
from math import prod

from xdsl.ir import Operation, SSAValue

from ...dialects import tiny
from ...dialects.common.shapes import shape
from ..errors import TooComplex
from ..index import affine
from ..index.book import IndexBook
from .addresses import operand_reads
from .contraction import Contraction
from .kernel_ops import is_atomic_scatter, require_in_kernel
from .places import Place, is_leaf, is_splat
from .repeated_reads import repeated_source, searched

MAX_INDEX_LENGTH = 600
"""
Maximum number of characters in the text of a map through which a kernel reads a value that it computes itself. Divisions that
do not cancel are nested, so that the text, isl's time and the kernel's index arithmetic grow exponentially along a chain of ops.
"""
MAX_POSITIONS = 12
"""Maximum number of indices given by data at which a kernel reads a value that it computes itself."""


@dataclass
class SliceReads:
    """
    The facts about a program that the walks from all its roots share; `cuts` are values that a root reads from memory. `rows` maps the maximum
    and the sum of an attention's rows, which its kernel computes, to one of them: a slice reads them as it reads the result of a
    contraction.
    """

    book: IndexBook
    contractions: Mapping[SSAValue, Contraction]
    rows: Mapping[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])
    cuts: set[tuple[SSAValue, SSAValue]] = field(default_factory=set[tuple[SSAValue, SSAValue]])
    _read: dict[tuple[object, ...], list[Place]] = field(default_factory=dict[tuple[object, ...], list[Place]])
    """The places that ops read, from earlier walks: walks from many roots and for many stops visit the same ones."""

    def __post_init__(self) -> None:
        self.is_splat = cache(is_splat)
        self.is_leaf = cache(is_leaf)
        self.require_in_kernel = cache(require_in_kernel)
        self.repeated_source = cache(partial(repeated_source, self.book))

    def reads(self, op: Operation, here: Place, *, is_root: bool, reduced: bool) -> list[Place]:
        """Returns the places that an op reads, last operand first; if `reduced`, a reduction of the root reads them. Raises `TooComplex`."""
        key = *here.key, here.space, here.positions, is_root, reduced, here.wide
        if (known := self._read.get(key)) is None:
            known = self._places(op, here, is_root)
            if reduced:
                known = [replace(p, wide=here.wide or (p.value if _broadcasts(op, p.value) else None)) for p in known]
            self._read[key] = known
        return known

    def _places(self, op: Operation, here: Place, is_root: bool) -> list[Place]:
        if is_atomic_scatter(op):
            return [Place(value, here.at, here.space) for value in (op.updates, op.indices)]
        out: list[Place] = []
        info = self.book[op.results[0]]
        for access, inner, there in reversed(operand_reads(info, here.at, here.space)):
            added = range(len(here.space), len(inner)) if info.positions else ()
            found = Place(access.value, affine.compose(access.map, there, inner), inner, here.positions.union(added))
            if not is_root and len(found.positions) > MAX_POSITIONS:
                raise TooComplex(what="a chain of reads at indices given by data", bound=f"{MAX_POSITIONS} positions")
            if not is_root and len(found.key[1]) > MAX_INDEX_LENGTH:
                raise TooComplex(what=affine.COMPOSITION, bound=f"{MAX_INDEX_LENGTH} characters")
            out.append(found)
        return out

    @cached_property
    def searched(self) -> set[SSAValue]:
        """The values that are stored because searches, or very many reads at positions, would be repeated."""
        return searched(self.book)

    def reduced_sizes(self, op: tiny.ReduceOp) -> tuple[int, ...]:
        info = self.book[op.result]
        return info.static_sizes[info.rank :]

    def window_read(self, op: tiny.ReduceOp, here: Place) -> Place:
        """Returns what a reduction of windows reads at a point of a space whose last axes are those that it reduces."""
        rank, access = len(here.space), self.book[op.result].accesses[0]
        count = len(self.reduced_sizes(op))
        inside = affine.make_map(rank, [f"i{k}" for k in range(rank - count, rank)])
        return Place(
            access.value, affine.compose(access.map, here.at.flat_range_product(inside), here.space), here.space
        )


def _broadcasts(op: Operation, value: SSAValue) -> bool:
    """Whether an op reads elements of its operand `value` several times."""
    pads = isinstance(op, tiny.MovementOp) and op.kind.data == "pad"
    return not pads and prod(shape(value)) < prod(shape(op.results[0]))
