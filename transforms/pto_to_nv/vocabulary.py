"""
The part of PTO's vocabulary that a kernel for a GPU computes by other ops, and the part that it does not have.

```
adds %a, %s        →  add %a, (expands 2.0)          %s is a constant
cmps, sels         →  cmp, sel
rowexpandsub %a, %r →  sub %a, (rowexpand %r)
relu, not          →  max %a, 0 and xor %a, -1
mov.v2v %a         →  %a
```
"""

from __future__ import annotations

from typing import cast

from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloat, FloatAttr, IntegerAttr, IntegerType
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ...dialects import pto
from ...dialects.common.shapes import is_float
from ...errors import Unsupported
from ..scalar_casts import limits

OTHER_TARGETS = (
    pto.LoadOp, pto.StoreOp, pto.StoreScaledOp, pto.PrefetchOp, pto.MatmulOp, pto.MatmulBiasOp, pto.MatmulMxOp, pto.MoveScaledOp,
    pto.MoveToBiasOp, pto.MoveToScaleOp, pto.TransOp, pto.ReshapeOp, pto.ExtractOp, pto.InsertOp, pto.GatherOp, pto.GatherBytesOp,
    pto.ScatterOp, pto.CiOp, pto.Sort32Op, pto.MrgSortOp, *pto.PARTIAL.values(), pto.AssignOp, pto.SyncOp, pto.SyncOpcodeOp,
)  # fmt: skip
"""Instructions of PTO's own targets that kernels for GPUs do not have, or have in another form."""


def expand(kernel: pto.PtoKernelOp) -> None:
    """Replaces ops by others that kernels have. Raises `Unsupported` at an instruction that has no lowering for GPUs."""
    for op in list(kernel.walk()):
        _check(op)
        expansion = Expansion(op)
        if (result := expansion.result()) is not None:
            op.results[0].replace_all_uses_with(result)
            Rewriter.erase_op(op)
    for op in [o for o in kernel.walk(reverse=True) if isinstance(o, pto.ConstantOp) and not o.result.uses]:
        Rewriter.erase_op(op)


def _check(op: Operation) -> None:
    refused = [(isinstance(op, OTHER_TARGETS), f"'{op.name}'", "write loads and stores by access maps, and matmul.acc")]
    if isinstance(op, pto.InstructionOp):
        refused += [
            (op.is_asynchronous, "an event", "leave out wait(...) and events: channels order copies and products"),
            (op.static_valid is not None, "a valid region", "bound the access map of the load or store instead"),
        ]
    if isinstance(op, pto.CvtOp) and op.mode is not None:
        default = "CAST_RINT" if is_float(pto.tile_type(op.result).element_type) else "CAST_TRUNC"
        rounds = op.mode.word not in (default, "CAST_NONE")
        refused.append((rounds, f"'rmode' {op.mode.word}", f"leave it out: conversions to this type are {default}"))
    for holds, what, need in refused:
        if holds:
            raise Unsupported(op, what=f"{what} in a kernel for a GPU", need=need)


class Expansion:
    """Writes the ops that replace an op, before it."""

    def __init__(self, op: Operation):
        self.op = op

    def add(self, new: Operation) -> SSAValue:
        new.location = self.op.location
        Rewriter.insert_op(new, InsertPoint.before(self.op))
        new.results[0].name_hint = self.op.results[0].name_hint
        return new.results[0]

    def filled(self, scalar: SSAValue, tile: pto.TileType) -> SSAValue:
        """Writes a tile that is filled with a constant. Raises `Unsupported` for another scalar."""
        number = scalar.owner.value if isinstance(scalar.owner, pto.ConstantOp | arith.ConstantOp) else None
        if not isinstance(number, IntegerAttr | FloatAttr):
            need = "make it a constant: a kernel for a GPU has no other scalars"
            raise Unsupported(self.op, what=f"the scalar of '{self.op.name}'", need=need)
        return self.number(number.value.data, tile)

    def number(self, value: float, tile: pto.TileType) -> SSAValue:
        dtype = tile.element_type
        if is_float(dtype):
            return self.add(pto.ExpandsOp(FloatAttr(value, cast(AnyFloat, dtype)), tile))
        low, high = limits(integer := cast(IntegerType, dtype))
        wrapped = (int(value) - low) % (high - low + 1) + low
        return self.add(pto.ExpandsOp(IntegerAttr(wrapped, integer), tile))

    def result(self) -> SSAValue | None:
        """Writes the replacement of the op, and returns its result; None for an op that kernels have."""
        match op := self.op:
            case pto.ScalarBinaryOp():
                t = pto.tile_type(op.result)
                a, b = (v if isinstance(v.type, pto.TileType) else self.filled(v, t) for v in (op.lhs, op.rhs))
                return self.add(pto.BINARY[op.FN](a, b))
            case pto.ExpandedBinaryOp():
                t = pto.tile_type(op.lhs)
                vector = pto.RowExpandOp(op.rhs, t.sizes[-1]) if op.FROM_END else pto.ColExpandOp(op.rhs, t.sizes[0])
                return self.add(pto.BINARY[op.FN](op.lhs, self.add(vector)))
            case pto.CmpsOp():
                return self.add(pto.CmpOp(op.mode.word, op.lhs, self.filled(op.rhs, pto.tile_type(op.lhs))))
            case pto.SelsOp():
                scalar = self.filled(op.on_false, pto.tile_type(op.on_true))
                return self.add(pto.SelOp(op.mask, op.on_true, scalar))
            case pto.ExpandsOp() if op.scalar is not None:
                return self.filled(op.scalar, pto.tile_type(op.result))
            case pto.CopyOp():
                return op.input
            case _ if isinstance(op, pto.UNARY["relu"]):
                return self.add(pto.BINARY["max"](op.input, self.number(0, pto.tile_type(op.result))))
            case _ if isinstance(op, pto.UNARY["not"]):
                return self.add(pto.BINARY["xor"](op.input, self.number(-1, pto.tile_type(op.result))))
            case _:
                return None
