"""
Represents what a kernel reads: by places, each a value with the map through which it is read, and by slices, which the kernel computes from places.
"""

from __future__ import annotations

import logging
from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from math import prod

import islpy as isl
from xdsl.ir import Operation, SSAValue

from ...dialects import region, tiny
from ...dialects.common.shapes import shape
from ...text.literals import splat
from ..index import affine
from .addresses import linear_address
from .axis_groups import axes_of_groups, merged_groups, rows_axis
from .kernel_ops import HOST_OPS, is_atomic_scatter
from .rows import Rows, axes_used

log = logging.getLogger(__name__)


_LEAVES = frozenset({tiny.ConstOp, region.LoadOp, *HOST_OPS})
"""A set, since xDSL's `isinstance` of an op takes a third of a microsecond for each class, and walks ask this of every value."""


def is_splat(value: SSAValue) -> bool:
    """Whether a value is a splat constant, which kernels do not load."""
    return isinstance(value.owner, tiny.ConstOp) and splat(value.owner.value) is not None


def is_computed(value: SSAValue) -> bool:
    """Whether a value must be written by a kernel to be in memory."""
    return not is_leaf(value) or is_splat(value)


def is_leaf(value: SSAValue) -> bool:
    """Whether a value is in memory without being computed by a kernel: an argument, a constant, or the result of a host op."""
    return not isinstance(value.owner, Operation) or type(value.owner) in _LEAVES


def space_of(root: SSAValue) -> tuple[int, ...]:
    """Returns the sizes of the space in which a root is computed: its shape or, if it is a scatter, that of the updates."""
    return shape(root.owner.updates if is_atomic_scatter(root.owner) else root)


@dataclass(frozen=True)
class Place:
    """A value that a root reads, the map `at` through which the root reads it, and the sizes of the map's input axes."""

    value: SSAValue
    at: isl.MultiAff
    space: tuple[int, ...]
    positions: frozenset[int] = frozenset()
    """The input axes of the map along which the index is an element of a tensor of indices."""
    wide: SSAValue | None = None
    """A value that is computed from this one, and that a reduction of the root broadcasts."""
    is_gathered: bool = False
    """Whether the map leads to the elements of a gather of the value, such as pages of a pool, not to those of the value itself."""

    @cached_property
    def key(self) -> tuple[SSAValue, str]:
        return self.value, affine.canonical_text(self.at)

    @cached_property
    def address(self) -> isl.Aff:
        """The row-major element offset that is read."""
        return linear_address(shape(self.value), self.at, self.space)

    @cached_property
    def axes(self) -> tuple[int, ...]:
        """The input axes on which the map depends."""
        return axes_used(self.at)


@dataclass
class Slice:
    """
    The ops that a root needs, the stored values that it reads (`leaves`), its maps to contractions (`anchors`), and the
    reductions fused with it (`reduced`), which reduce `rows` unless that is None. `cuts` are values that must be stored first:
    only a slice without cuts can be a kernel.
    """

    root: SSAValue
    sizes: tuple[int, ...]
    """The sizes of the space in which the root is computed: its shape, or a finer one."""
    start: isl.MultiAff
    """The map from this space to the axes of the root or, if it is a scatter, of its updates."""
    ops: set[Operation] = field(default_factory=set[Operation])
    points: Counter[Operation] = field(default_factory=Counter[Operation])
    """The number of points at which each op is evaluated, if it is evaluated wherever it is read."""
    leaves: list[Place] = field(default_factory=list[Place])
    anchors: dict[SSAValue, list[isl.MultiAff]] = field(default_factory=dict[SSAValue, list[isl.MultiAff]])
    reduced_anchors: list[Place] = field(default_factory=list[Place])
    """The contractions that reductions read."""
    reduced: dict[SSAValue, str] = field(default_factory=dict[SSAValue, str])
    """The reductions, each with the text of the map through which it is read."""
    rows: Rows | None = None
    adjacent: int | None = None
    """The axis along which elements of adjacent rows are contiguous in memory, unless the elements of a row are."""
    by_columns: bool = False
    """Whether the rows are adjacent, and no reduction is read by another one or broadcast along a row: a kernel of columns fits, too."""
    passed: dict[SSAValue, isl.MultiAff] = field(default_factory=dict[SSAValue, isl.MultiAff])
    """The values that are read outside of reductions, each with the map of its first read."""
    summed: dict[SSAValue, Place] = field(default_factory=dict[SSAValue, Place])
    """The values that reductions of the root's rows read, each with its first read."""
    cuts: set[SSAValue] = field(default_factory=set[SSAValue])
    reasons: dict[SSAValue, str] = field(default_factory=dict[SSAValue, str])
    """For each cut, why its value must be stored."""
    inside: set[SSAValue] = field(default_factory=set[SSAValue])
    """The values that are computed, or that are contractions."""
    outside: set[SSAValue] = field(default_factory=set[SSAValue])
    """The computed values that are read from memory."""
    finer: tuple[int, ...] | None = None
    """`sizes` with one axis split, if a reduction, or an array of the rows, is read at that axis divided by a number; otherwise None."""
    wider: Rows | None = None
    """The rows of a reduction that extend along axes of the root, if `rows`, those of an earlier one, have one element each."""
    window: tiny.ReduceOp | None = None
    """The reduction of windows of the contraction's result that is fused with it: its reduced axes are the last ones of the space."""

    @property
    def anchor(self) -> SSAValue | None:
        return next(iter(self.anchors), None)

    @property
    def loops(self) -> bool:
        """Whether the slice has reductions but no rows, so that each is a loop."""
        return self.rows is None and any(isinstance(op, tiny.ReduceOp) for op in self.ops)

    @cached_property
    def stored(self) -> list[SSAValue]:
        """The values that the slice, which is complete, reads from memory."""
        return [leaf.value for leaf in self.leaves if not is_splat(leaf.value)]

    @cached_property
    def row_space(self) -> tuple[tuple[int, ...], isl.MultiAff]:
        """The sizes of the space of the rows of the slice, which is complete, and the map from it to `sizes`."""
        rows, sizes = self.rows, self.sizes
        assert rows is not None
        reads = [(shape(leaf.value), leaf.at, leaf.space) for leaf in self.leaves]
        groups = merged_groups(sizes, rows.rows, reads, sizes)
        m = next((g for g in groups if self.adjacent in g), None) or rows_axis(groups, sizes, rows.length)
        order = [*(g for g in groups if g is not m), m, rows.columns]
        points = *(prod(sizes[a] for a in g) for g in order[:-1]), rows.length
        return points, axes_of_groups(order, points, sizes)

    def cut(self, value: SSAValue, why: str) -> None:
        log.debug("this value is stored, not fused: %s", why, extra={"op": value.owner})
        self.cuts.add(value)
        self.reasons.setdefault(value, why)

    def include(self, other: Slice) -> None:
        """Adds the values that another walk from the root has computed, or read from memory."""
        self.inside |= other.inside
        self.outside |= other.outside
