"""
What the IndexBook knows of one value: its axes, its domain, and where it reads its operands.

`AxisExpr` and `AxisMap` of the specification are isl's: an expression is affine with integer division (`isl.Aff`), a map
is one expression an axis of the operand (`isl.MultiAff`). Spec: `tensor-compiler.ja §1.3`, `§12.2`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import Literal

import islpy as isl
from xdsl.ir import Attribute, Operation, SSAValue

from ..errors import FillsDiffer
from . import affine
from .isl_text import Symbol, bounds

AxisExpr = isl.Aff
AxisMap = isl.MultiAff

Kind = Literal["iter", "reduce", "broadcast"]
"""`reduce` axes vanish; along a `broadcast` axis the value is the same everywhere."""


@dataclass(frozen=True)
class AxisVar:
    """An axis. The `id` stays where the axis does: through unary ops, permutes and reductions; the name is its place."""

    id: int
    name: str
    size: Symbol
    kind: Kind = "iter"


@dataclass(frozen=True)
class Access:
    """
    An operand and the map from the op's iteration axes to the operand's axes. Outside of `guard`, a set over the
    iteration axes, the operand is not read: its value there is `fill`.
    """

    value: SSAValue
    map: AxisMap
    guard: isl.Set | None = None
    fill: Attribute | None = None


@dataclass(frozen=True)
class Domain:
    """Points that meet all `constraints`, in isl's syntax; `pieces` are disjoint parts that are it together."""

    constraints: tuple[str, ...]
    pieces: tuple[Domain, ...] = ()


@dataclass(frozen=True)
class IndexInfo:
    """
    The iteration axes are `axes`, those of the value, and then `reduced`, those that vanish; `reduce_axes` are the
    ids that these have on the operand. `guards` say what holds of the remainders of the accesses' divisions, `assumed`
    what the program demands of sizes that are names. A value with `non_scop`, a reason, has no accesses: its indices are not
    affine.
    """

    axes: tuple[AxisVar, ...]
    reduced: tuple[AxisVar, ...] = ()
    accesses: tuple[Access, ...] = ()
    reduce_axes: tuple[int, ...] = ()
    guards: tuple[str, ...] = ()
    assumed: isl.Set | None = None
    non_scop: str | None = None

    @property
    def iteration(self) -> tuple[AxisVar, ...]:
        return self.axes + self.reduced

    @cached_property
    def sizes(self) -> tuple[Symbol, ...]:
        """Of the iteration axes."""
        return tuple(axis.size for axis in self.iteration)

    @property
    def numbers(self) -> tuple[int, ...]:
        """`sizes`, where none is a name."""
        return tuple(_number(axis) for axis in self.iteration)

    @property
    def rank(self) -> int:
        """The number of output axes."""
        return len(self.axes)

    @property
    def constraints(self) -> tuple[str, ...]:
        """The domain in isl's syntax: a division's guard holds everywhere, so that isl's set does not show it."""
        assumed = () if self.assumed is None else (affine.condition(self.assumed),)
        return (*bounds(self.sizes), *self.guards, *assumed)

    @property
    def pieces(self) -> tuple[Domain, ...]:
        """Where an access has a guard: the part in which it is read, and those around it in which it is filled."""
        guards = [access.guard for access in self.accesses if access.guard is not None]
        if not guards:
            return ()
        inside = reduce(isl.Set.intersect, guards, self.domain)
        return tuple(Domain((text,)) for s in (inside, self.domain.subtract(inside)) for text in affine.pieces(s))

    @property
    def spelt(self) -> Domain:
        """The domain as the specification writes it."""
        return Domain(self.constraints, self.pieces)

    @cached_property
    def domain(self) -> isl.Set:
        box = affine.box(self.sizes)
        return box if self.assumed is None else box.intersect_params(self.assumed)


def compose_access(outer: Access, inner: Access, sizes: Sequence[Symbol]) -> Access:
    """
    What `outer` reads, seen from the box of `sizes` through `inner`, whose value `outer` makes. It is read where both
    guards hold. Raises `FillsDiffer` if outside of them the values that are seen are not one, and `TooComplex`.
    """
    with affine.quota(what="the composition of two accesses"):
        at = affine.compose(outer.map, inner.map, sizes)
        guards = [inner.guard] if inner.guard is not None else []
        if outer.guard is not None:
            guards.append(outer.guard.preimage_multi_aff(inner.map))
        guard = affine.simplify_guard(guards, sizes) if guards else None
        fill = _fill(outer, inner, sizes) if guard is not None else None
    return Access(outer.value, at, guard, fill)


def _fill(outer: Access, inner: Access, sizes: Sequence[Symbol]) -> Attribute | None:
    """What is seen outside of the guards. (A guard that holds everywhere is none: a fill that a window hides is gone.)"""
    if inner.guard is None or outer.guard is None or inner.fill == outer.fill:
        return outer.fill if inner.fill is None else inner.fill
    if affine.box(sizes).intersect(inner.guard).is_subset(outer.guard.preimage_multi_aff(inner.map)):
        return inner.fill
    op = inner.value.owner if isinstance(inner.value.owner, Operation) else None
    raise FillsDiffer(op, a=outer.fill, b=inner.fill)


def _number(axis: AxisVar) -> int:
    if isinstance(axis.size, str):
        raise ValueError(f"the size {axis.size} of {axis.name} is no number")
    return axis.size
