"""
The index information of one value: its axes, its domain, and its operand accesses.

The specification's `AxisExpr` is an `isl.Aff`: an affine expression with integer division. Its `AxisMap` is an
`isl.MultiAff`: one such expression per axis of the operand. Spec: `tensor-compiler.ja §1.3`, `§12.2`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import Literal

import islpy as isl
from xdsl.ir import Operation, SSAValue

from ...dialects.ptir.scalars import ScalarAttr, scalar_text
from ..errors import FillsDiffer
from . import affine
from .isl_text import Symbol, bounds

AxisExpr = isl.Aff
AxisMap = isl.MultiAff

Kind = Literal["iter", "reduce", "broadcast", "position"]
"""
`iter` and `broadcast` axes are axes of the result, which is constant along `broadcast` axes; `reduce` axes are axes of the
operand that the op reduces; the index along a `position` axis is an element of a tensor of indices.
"""


@dataclass(frozen=True)
class AxisVar:
    """An axis. Unary ops, permutes and reductions keep its `id`; its `name` is its position, such as `i0`."""

    id: int
    name: str
    size: Symbol
    kind: Kind = "iter"


@dataclass(frozen=True)
class Access:
    """
    A read of an operand through `map`, from the op's iteration axes to the operand's axes. Outside of `guard`, a set over the
    iteration axes, the operand is not read, and the value is `fill`.
    """

    value: SSAValue
    map: AxisMap
    guard: isl.Set | None = None
    fill: ScalarAttr | None = None


@dataclass(frozen=True)
class Domain:
    """The points that satisfy all `constraints`, in isl's syntax; `pieces` are disjoint and cover the domain."""

    constraints: tuple[str, ...]
    pieces: tuple[Domain, ...] = ()


@dataclass(frozen=True)
class IndexInfo:
    """
    The index information of one value. Its iteration axes are `axes`, the axes of the value, followed by `reduced`, the axes
    that the op reduces; `reduce_axes` are the ids of the latter on the operand. `guards` bound the remainders of divisions in
    the accesses; `assumed` constrains symbolic sizes. `non_scop` is None if the indices are affine; otherwise it is the reason
    why they are not, and there are no accesses unless there are `positions`.

    The last iteration axes are `positions`. The element that `accesses[1 + k]` reads is the index along `positions[k]`, so that
    `accesses[0]` is affine in all iteration axes; the other accesses do not depend on `positions`. For example, for a gather along
    axis 0, `accesses` are { [i0, i1, i2] -> [i2, i1] } to x and { [i0, i1, i2] -> [i0, i1] } to the indices.
    """

    axes: tuple[AxisVar, ...]
    reduced: tuple[AxisVar, ...] = ()
    accesses: tuple[Access, ...] = ()
    reduce_axes: tuple[int, ...] = ()
    guards: tuple[str, ...] = ()
    assumed: isl.Set | None = None
    non_scop: str | None = None
    positions: tuple[AxisVar, ...] = ()

    @property
    def iteration(self) -> tuple[AxisVar, ...]:
        return self.axes + self.reduced + self.positions

    @cached_property
    def sizes(self) -> tuple[Symbol, ...]:
        """Sizes of the iteration axes."""
        return tuple(axis.size for axis in self.iteration)

    @property
    def static_sizes(self) -> tuple[int, ...]:
        """`sizes` as numbers; raises `ValueError` at a symbolic one."""
        for axis in self.iteration:
            if isinstance(axis.size, str):
                raise ValueError(f"the size {axis.size} of {axis.name} is symbolic")
        return tuple(int(size) for size in self.sizes)

    @property
    def rank(self) -> int:
        """The number of output axes."""
        return len(self.axes)

    @property
    def constraints(self) -> tuple[str, ...]:
        """
        The constraints of the domain in isl's syntax, including division guards. Every point satisfies the division guards, so
        the set `domain` omits them.
        """
        assumed = () if self.assumed is None else (affine.condition(self.assumed),)
        return (*bounds(self.sizes), *self.guards, *assumed)

    @property
    def pieces(self) -> tuple[Domain, ...]:
        """
        Disjoint parts of the domain, if an access has a guard: first those where all operands are read, then those where the
        fill of an access replaces its operand. Empty without guards.
        """
        guards = [access.guard for access in self.accesses if access.guard is not None]
        if not guards:
            return ()
        inside = reduce(isl.Set.intersect, guards, self.domain)
        return tuple(Domain((text,)) for s in (inside, self.domain.subtract(inside)) for text in affine.pieces(s))

    @property
    def domain_text(self) -> Domain:
        """The domain as the specification writes it."""
        return Domain(self.constraints, self.pieces)

    @cached_property
    def domain(self) -> isl.Set:
        box = affine.box(self.sizes)
        return box if self.assumed is None else box.intersect_params(self.assumed)


def compose_access(outer: Access, inner: Access, sizes: Sequence[Symbol]) -> Access:
    """
    Composes two accesses: `inner` reads a value from the box of `sizes`, and `outer` is an access of the op that defines that
    value. The guard of the result is the conjunction of both guards. Raises `TooComplex`, and `FillsDiffer` if both guards
    are needed and their fills differ.
    """
    with affine.quota(what="the composition of two accesses"):
        at = affine.compose(outer.map, inner.map, sizes)
        guards = [inner.guard] if inner.guard is not None else []
        if outer.guard is not None:
            guards.append(outer.guard.preimage_multi_aff(inner.map))
        guard = affine.simplify_guard(guards, sizes) if guards else None
        fill = _fill(outer, inner, sizes) if guard is not None else None
    return Access(outer.value, at, guard, fill)


def _fill(outer: Access, inner: Access, sizes: Sequence[Symbol]) -> ScalarAttr | None:
    """Returns the fill outside of both guards. A guard that always holds is dropped, and its fill with it."""
    if inner.guard is None or inner.fill is None:
        return outer.fill
    if outer.guard is None or outer.fill is None or inner.fill == outer.fill:
        return inner.fill
    if affine.box(sizes).intersect(inner.guard).is_subset(outer.guard.preimage_multi_aff(inner.map)):
        return inner.fill
    op = inner.value.owner if isinstance(inner.value.owner, Operation) else None
    raise FillsDiffer(op, a=scalar_text(outer.fill), b=scalar_text(inner.fill))
