"""
Uniformity analysis: the scope over which each value is uniform, and whether collective ops are reached convergently.

Thread ids are divergent, warp ids and votes of a warp are uniform over a warp, and `nv.warpgroup` over a warpgroup. All other sources
(constants, block ids) are uniform over the role. A computed value takes the narrowest scope of its operands. For a value
that a conditional selects or a loop carries, the condition or the loop bounds count as operands, too.
"""

from __future__ import annotations

from collections.abc import Iterable

from xdsl.dialects import arith, gpu, scf
from xdsl.ir import Block, Operation, SSAValue

from ...dialects.nv.any_differs import AnyDiffersOp
from ...dialects.nv.points import PointOp
from ...dialects.nv.roles import Collective, PerElement, RoleOp, Scope, SingleOp, WarpgroupOp, WarpOp, enclosing
from ...dialects.nv.types import constant_of
from ...errors import VerifyError
from ...targets.architectures import WARP, WARPGROUP


class Uniformity:
    """The uniformity of the values in a kernel's block."""

    def __init__(self, kernel: Block):
        self.narrowed: dict[SSAValue, Scope] = {}
        """The scopes of values that are uniform over less than the role."""
        ops = list(kernel.walk())
        with_regions = [op for op in ops if op.regions]
        self._narrow(ops)
        while self._narrow(
            with_regions
        ):  # to a fixpoint, because of loop-carried values; it exists because scopes only narrow
            self._narrow(ops)

    def _narrow(self, ops: Iterable[Operation]) -> bool:
        """Narrows the scopes of the values that the ops define, and returns whether one has changed."""
        changed = False
        for op in ops:
            for value, scope in self.defined_scopes(op):
                if scope < self.scope_of(value):
                    self.narrowed[value], changed = scope, True
        return changed

    def scope_of(self, *values: SSAValue) -> Scope:
        """Returns the widest scope over which all these values are uniform."""
        return min((self.narrowed.get(v, Scope.ROLE) for v in values), default=Scope.ROLE)

    def defined_scopes(self, op: Operation) -> Iterable[tuple[SSAValue, Scope]]:
        """Yields the values that `op` defines, block arguments of its regions included, each with its scope."""
        match op:
            case gpu.ThreadIdOp() | gpu.LaneIdOp() | PointOp():
                yield from ((value, Scope.THREAD) for value in op.results)
            case gpu.SubgroupIdOp() | AnyDiffersOp() | WarpOp():
                yield op.results[0], Scope.WARP
            case WarpgroupOp():
                yield op.result, Scope.WARPGROUP
            case arith.DivUIOp() | arith.DivSIOp() | arith.ShRUIOp():
                # A thread id divided by 32 is uniform over a warp; divided by 128, over a warpgroup.
                divisor = constant_of(op.rhs) or 0
                if isinstance(op, arith.ShRUIOp) and divisor > 0:
                    divisor = 1 << min(divisor, 63)
                quotient = Scope.THREAD
                if divisor > 0 and divisor % WARP == 0:
                    quotient = Scope.WARPGROUP if divisor % WARPGROUP == 0 else Scope.WARP
                yield op.result, max(quotient, self.scope_of(op.lhs, op.rhs))
            case scf.ForOp():
                bounds = self.scope_of(op.lb, op.ub, op.step)
                body = op.body.block
                yield body.args[0], bounds
                for arg, result, first, following in zip(
                    body.args[1:], op.results, op.iter_args, yielded(body), strict=False
                ):
                    scope = min(bounds, self.scope_of(first, following))
                    yield arg, scope
                    yield result, scope
            case scf.IfOp():
                for number, result in enumerate(op.results):
                    choices = [y[number] for region in op.regions if region.blocks and (y := yielded(region.block))]
                    yield result, self.scope_of(op.cond, *choices)
            case _:
                inner = [block for region in op.regions for block in region.blocks]
                scope = self.scope_of(*op.operands, *(v for block in inner for v in yielded(block)))
                for value in (*op.results, *(arg for block in inner for arg in block.args)):
                    yield value, scope

    def control_scope(self, op: Operation) -> Scope:
        """Returns the scope over which the control flow into the regions of `op` is uniform."""
        match op:
            case scf.ForOp():
                return self.scope_of(op.lb, op.ub, op.step)
            case scf.IfOp():
                return self.scope_of(op.cond)
            case PerElement():
                return Scope.THREAD
            case scf.WhileOp():
                return self.scope_of(*(v for region in op.regions for block in region.blocks for v in yielded(block)))
            case _:
                return Scope.ROLE

    def check_convergence(self, block: Block, reached: Scope = Scope.ROLE, branch: Operation | None = None) -> None:
        """
        Raises `VerifyError` at a collective op in `block` that is not reached by all its threads. `reached` is the widest scope
        whose threads reach the block together, `branch` the op at which wider scopes diverge.
        """
        for op in block.ops:
            trait = op.get_trait(Collective)
            collective = Scope.ROLE if isinstance(op, gpu.BarrierOp) else trait.scope_of(op) if trait else Scope.THREAD
            if collective > reached:
                outside = collective is Scope.ROLE and enclosing(op, RoleOp) is None
                who = "the block" if outside else collective.noun
                raise VerifyError(
                    op,
                    problem=f"must be reached by all threads of {who}, but control flow diverges",
                    notes=[(branch, f"control flow is uniform only within {reached.noun} here")],
                )
            if isinstance(op, SingleOp):
                continue
            scope = self.control_scope(op)
            for region in op.regions:
                for inner in region.blocks:
                    self.check_convergence(inner, min(scope, reached), op if scope < reached else branch)


def yielded(block: Block) -> tuple[SSAValue, ...]:
    """Returns the operands of the block's `scf.yield` or `scf.condition`."""
    last = block.last_op
    return tuple(last.operands) if isinstance(last, scf.YieldOp | scf.ConditionOp) else ()
