"""
Bounds of loops over keys that depend on the tile of queries, such as those of causal and sliding windows: index arithmetic on the
offsets of the tile, and what isl knows about its values.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property, reduce
from types import MappingProxyType
from typing import cast

import islpy as isl
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import BlockArgument, Operation, OpResult, SSAValue

from ....errors import Unsupported
from ..kernel.access import Access

INT_MAX = 2**31 - 1
COMPARES: Mapping[str, Callable[[isl.PwAff, isl.PwAff], isl.Set]] = MappingProxyType(
    {
        "eq": isl.PwAff.eq_set,
        "ne": isl.PwAff.ne_set,
        **{f"{sign}lt": isl.PwAff.lt_set for sign in "su"},
        **{f"{sign}le": isl.PwAff.le_set for sign in "su"},
        **{f"{sign}gt": isl.PwAff.gt_set for sign in "su"},
        **{f"{sign}ge": isl.PwAff.ge_set for sign in "su"},
    }
)
BINARY: Mapping[type[Operation], Callable[[isl.PwAff, isl.PwAff], isl.PwAff]] = MappingProxyType(
    {
        arith.AddiOp: isl.PwAff.add,
        arith.SubiOp: isl.PwAff.sub,
        arith.MuliOp: isl.PwAff.mul,
        arith.DivSIOp: isl.PwAff.tdiv_q,
        arith.DivUIOp: isl.PwAff.tdiv_q,
        arith.FloorDivSIOp: isl.PwAff.tdiv_q,
        arith.RemSIOp: isl.PwAff.tdiv_r,
        arith.RemUIOp: isl.PwAff.tdiv_r,
        **dict.fromkeys((arith.MinUIOp, arith.MinSIOp), isl.PwAff.min),
        **dict.fromkeys((arith.MaxUIOp, arith.MaxSIOp), isl.PwAff.max),
    }
)
"""Ops on indices, and isl's functions. Those of `NONNEGATIVE` equal them for operands that are not negative."""
NONNEGATIVE: tuple[type[Operation], ...] = (
    arith.DivUIOp,
    arith.RemUIOp,
    arith.MinUIOp,
    arith.MaxUIOp,
    arith.FloorDivSIOp,
)
QUOTIENTS: tuple[type[Operation], ...] = (
    arith.DivUIOp,
    arith.DivSIOp,
    arith.FloorDivSIOp,
    arith.RemUIOp,
    arith.RemSIOp,
)
LOGIC = (arith.AndIOp, arith.OrIOp)
SCALARS: tuple[type[Operation], ...] = (arith.ConstantOp, arith.CmpiOp, arith.SelectOp, *LOGIC, *BINARY)
"""Ops on offsets and on bounds of loops."""
LINEAR: tuple[type[Operation], ...] = (arith.ConstantOp, arith.AddiOp, arith.MuliOp)
"""Those of which `Access` computes offsets and their divisors."""


class Bounds(Access):
    """Extends offsets by all of `SCALARS`."""

    def offset(self, value: SSAValue) -> SSAValue:
        if value in self.map or not isinstance(value, OpResult):
            return super().offset(value)
        if (number := self.number(value)) is not None:
            return self.index(number)
        match value.owner:
            case arith.MuliOp() as op if (self.number(op.rhs) or 0) < 1:
                return self.add(arith.MuliOp(self.offset(op.lhs), self.offset(op.rhs)), value.name_hint)
            case arith.FloorDivSIOp() as op:  # of what is not negative
                return self.add(arith.DivUIOp(self.offset(op.lhs), self.offset(op.rhs)), value.name_hint)
            case op if isinstance(op, SCALARS) and not isinstance(op, LINEAR):
                return self.add(op.clone({v: self.offset(v) for v in op.operands}), value.name_hint)
            case _:
                return super().offset(value)

    def bind_bounds(self) -> None:
        """Computes, at the insertion point, what the program computes from the offsets of the current tile."""
        for op in self.tiles.body.block.ops:
            if isinstance(op, SCALARS) and not isinstance(op, arith.ConstantOp) and self.is_bound(op.results[0]):
                self.map.pop(op.results[0], None)
                self.map[op.results[0]] = self.offset(op.results[0])

    def number(self, value: SSAValue) -> int | None:
        """Returns the value of a constant, or None."""
        match value.owner:
            case arith.ConstantOp(value=IntegerAttr() as number):
                return number.value.data
            case _:
                return None

    def range_of(self, value: SSAValue) -> tuple[int, int]:
        more = isinstance(value.owner, SCALARS) and not isinstance(value.owner, LINEAR)
        return (1, self.largest(value)) if more else super().range_of(value)

    # --- what isl knows ---------------------------------------------------------------------------

    @cached_property
    def tile_offsets(self) -> isl.Set:
        """The offsets of all tiles."""
        args = [arg for arg in self.tiles.body.block.args if arg in self.ranges]
        names = [f"t{k}" for k in range(len(args))]
        rules = [
            f"0 <= {t} <= {last} and {t} mod {max(1, step)} = 0"
            for t, (step, last) in zip(names, map(self.ranges.__getitem__, args), strict=True)
        ]
        return isl.Set(f"{{ [{', '.join(names)}] : {' and '.join(rules)} }}")

    @cached_property
    def pieces(self) -> dict[SSAValue, isl.PwAff]:
        """The bounds that `piecewise` has returned."""
        return {}

    def is_bound(self, value: SSAValue) -> bool:
        """Returns whether a value is computed from the offsets of the tile alone."""
        if value.owner is self.tiles.body.block:
            return value in self.ranges
        return isinstance(op := value.owner, SCALARS) and all(map(self.is_bound, op.operands))

    def piecewise(self, value: SSAValue) -> isl.PwAff:
        """Returns a bound as a function of the offsets of the tile. Raises `Unsupported` if isl cannot express it."""
        if value not in self.pieces:
            self.pieces[value] = self._piecewise(value)
        return self.pieces[value]

    def _piecewise(self, value: SSAValue) -> isl.PwAff:
        domain, op = self.tile_offsets, value.owner
        if not self.is_bound(value):
            raise self.unsupported_bound(op, "compute it from the offsets of pto.tiles, by ops of arith on indices")
        if not isinstance(op, Operation):
            args = [arg for arg in self.tiles.body.block.args if arg in self.ranges]
            space = isl.LocalSpace.from_space(domain.space)
            return isl.PwAff.from_aff(
                isl.Aff.var_on_domain(space, isl.dim_type.set, args.index(cast(BlockArgument, value)))
            )
        match op:
            case arith.ConstantOp():
                space = isl.LocalSpace.from_space(domain.space)
                return isl.PwAff.from_aff(isl.Aff.val_on_domain(space, isl.Val(self.number(value) or 0)))
            case arith.SelectOp():
                where = self.where(op.cond)
                one, other = self.piecewise(op.lhs), self.piecewise(op.rhs)
                result = one.intersect_domain(where).union_add(other.intersect_domain(domain - where))
            case _:
                left, right = map(self.piecewise, op.operands)
                constant = right.is_cst() if isinstance(op, QUOTIENTS) else left.is_cst() or right.is_cst()
                if isinstance(op, (*QUOTIENTS, arith.MuliOp)) and not constant:
                    raise self.unsupported_bound(op, "multiply and divide by constants")
                if isinstance(op, QUOTIENTS) and self.least_of(right) < 1:
                    raise self.unsupported_bound(op, "divide by what is positive")
                if isinstance(op, NONNEGATIVE) and min(map(self.least_of, (left, right))) < 0:
                    raise self.unsupported_bound(
                        op, "take signed ops, or arith.maxsi, of operands that may be negative"
                    )
                result = BINARY[type(op)](left, right)
        if max(-self.least_of(result), self.largest_of(result)) > INT_MAX:
            raise self.unsupported_bound(op, "use bounds of less than 2^31: indices are 32-bit")
        return result

    def where(self, condition: SSAValue) -> isl.Set:
        """Returns the offsets of the tiles for which a predicate holds."""
        match condition.owner:
            case arith.CmpiOp() as op:
                name = arith.CMPI_COMPARISON_OPERATIONS[op.predicate.value.data]
                left, right = self.piecewise(op.lhs), self.piecewise(op.rhs)
                if name[0] == "u" and min(map(self.least_of, (left, right))) < 0:
                    raise self.unsupported_bound(op, "compare operands that may be negative as signed ones")
                return COMPARES[name](left, right) & self.tile_offsets
            case arith.AndIOp() | arith.OrIOp() as op:
                left, right = self.where(op.lhs), self.where(op.rhs)
                return left & right if isinstance(op, arith.AndIOp) else left | right
            case owner:
                raise self.unsupported_bound(owner, "select by arith.cmpi, arith.andi and arith.ori")

    def unsupported_bound(self, op: object, need: str) -> Unsupported:
        by = f"'{op.name}'" if isinstance(op, Operation) else "a block argument"
        return Unsupported(op if isinstance(op, Operation) else self.at, what=f"a bound of a loop by {by}", need=need)

    def least_of(self, bound: isl.PwAff) -> int:
        return bound.intersect_domain(self.tile_offsets).min_val().to_python()

    def largest_of(self, bound: isl.PwAff) -> int:
        return bound.intersect_domain(self.tile_offsets).max_val().to_python()

    def largest(self, value: SSAValue) -> int:
        """Returns the largest value of a bound."""
        return self.largest_of(self.piecewise(value))

    def bind_counter(self, loop: scf.ForOp) -> None:
        """Sets the range of a loop's counter. Raises `Unsupported` if it may be negative."""
        first, step = self.piecewise(loop.lb), self.nonnegative(loop.step)
        if self.least_of(first) < 0:
            raise Unsupported(loop, what="a loop that may start before the first key", need="start at arith.maxsi of 0")
        each = step if self.largest_of(first.mod_val(isl.Val(step))) == 0 else 1
        self.ranges[loop.body.block.args[0]] = each, max(0, self.largest(loop.ub) - 1) // each * each

    def runs(self, loop: scf.ForOp) -> isl.Set:
        """Returns the offsets of the tiles for which a loop has an iteration."""
        return self.piecewise(loop.lb).lt_set(self.piecewise(loop.ub)) & self.tile_offsets

    def runs_at_most_once(self, loop: scf.ForOp) -> bool:
        """Returns whether a loop has no second iteration, for every tile."""
        second = self.piecewise(loop.lb).add(self.piecewise(loop.step))
        return self.tile_offsets.is_subset(second.ge_set(self.piecewise(loop.ub)))

    def never_empty(self, *loops: scf.ForOp) -> bool:
        """Returns whether one of these loops has an iteration, for every tile."""
        return self.tile_offsets.is_subset(reduce(isl.Set.union, map(self.runs, loops)))
