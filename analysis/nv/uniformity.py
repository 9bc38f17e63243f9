"""
Which threads agree on a value, and whether all that a statement of the `nv` dialect is for come to it.

Numbers of threads differ, those of warps agree in a warp, `nv.warpgroup` in a warpgroup; the rest (constants, numbers of
blocks, what is computed from them) in a role. A value that a condition chooses, or a loop repeats, agrees where that
condition and those bounds do.
"""

from __future__ import annotations

from collections.abc import Iterable

from xdsl.dialects import arith, gpu, scf
from xdsl.ir import Block, Operation, SSAValue

from ...dialects.nv.roles import WARP, WARPGROUP, Collective, Scope, SingleOp, WarpgroupOp
from ...dialects.nv.types import constant_of
from ...errors import VerifyError


class Uniformity:
    """Of the values in a kernel's block."""

    def __init__(self, kernel: Block):
        self.less: dict[SSAValue, Scope] = {}
        changed = True
        while changed:
            changed = False
            for op in kernel.walk():
                for value, scope in self.defined(op):
                    if scope < self.of(value):
                        self.less[value], changed = scope, True

    def of(self, *values: SSAValue) -> Scope:
        """The threads that agree on all these values."""
        return min((self.less.get(v, Scope.ROLE) for v in values), default=Scope.ROLE)

    def defined(self, op: Operation) -> Iterable[tuple[SSAValue, Scope]]:
        """The values that an op defines, in its regions too."""
        match op:
            case gpu.ThreadIdOp() | gpu.LaneIdOp():
                yield op.results[0], Scope.THREAD
            case gpu.SubgroupIdOp():
                yield op.results[0], Scope.WARP
            case WarpgroupOp():
                yield op.result, Scope.WARPGROUP
            case arith.DivUIOp() | arith.DivSIOp() | arith.ShRUIOp():
                known = constant_of(op.rhs)
                by = (
                    1 << min(known, 63) if known is not None and isinstance(op, arith.ShRUIOp) and known >= 0 else known
                )
                whole = Scope.THREAD
                if by is not None and by > 0 and by % WARP == 0:
                    whole = Scope.WARPGROUP if by % WARPGROUP == 0 else Scope.WARP
                yield op.result, max(whole, self.of(op.lhs, op.rhs))
            case scf.ForOp():
                bounds = self.of(op.lb, op.ub, op.step)
                body = op.body.block
                yield body.args[0], bounds
                for arg, result, first, following in zip(
                    body.args[1:], op.results, op.iter_args, yielded(body), strict=False
                ):
                    scope = min(bounds, self.of(first, following))
                    yield arg, scope
                    yield result, scope
            case scf.IfOp():
                for number, result in enumerate(op.results):
                    choices = [y[number] for region in op.regions if region.blocks and (y := yielded(region.block))]
                    yield result, self.of(op.cond, *choices)
            case _:
                inner = [block for region in op.regions for block in region.blocks]
                scope = self.of(*op.operands, *(v for block in inner for v in yielded(block)))
                for value in (*op.results, *(arg for block in inner for arg in block.args)):
                    yield value, scope

    def control(self, op: Operation) -> Scope:
        """The threads that go the same way through an op's regions."""
        match op:
            case scf.ForOp():
                return self.of(op.lb, op.ub, op.step)
            case scf.IfOp():
                return self.of(op.cond)
            case scf.WhileOp():
                return self.of(*(v for region in op.regions for block in region.blocks for v in yielded(block)))
            case _:
                return Scope.ROLE

    def check_participants(self, block: Block, coming: Scope = Scope.ROLE, because: Operation | None = None) -> None:
        """Each statement of a role must be reached by all threads that it is for; those of `coming` come together."""
        for op in block.ops:
            trait = op.get_trait(Collective)
            if trait is not None and trait.scope_of(op) > coming:
                raise VerifyError(
                    op,
                    message=f"is for all threads of {trait.scope_of(op).words}, which do not come here together",
                    notes=[(because, f"{coming.words} goes its own way here")],
                )
            if isinstance(op, SingleOp):
                continue
            scope = self.control(op)
            for region in op.regions:
                for inner in region.blocks:
                    self.check_participants(inner, min(scope, coming), op if scope < coming else because)


def yielded(block: Block) -> tuple[SSAValue, ...]:
    """What a block hands to the op around it."""
    last = block.last_op
    return tuple(last.operands) if isinstance(last, scf.YieldOp | scf.ConditionOp) else ()
