"""
`pto-canonicalize`: folds constants and removes what is not used.

```
%c8 = pto.constant 8 : index                %t = pto.tile.load %x[16, %i]
%r  = pto.muli %c8, %c2 : index        →
%s  = pto.addi %i, %c0 : index
%t  = pto.tile.load %x[%r, %s]
```

- Arithmetic on constants is computed, and wraps in the width of its type; `x + 0`, `x - 0`, `x · 1`, `x · 0` and `x - x` are simplified.
- Indices that are constants become numbers of the op: offsets, sizes, strides, `valid`, addresses. A number out of the op's range stays an operand.
- `abs`, `relu` and `mov.v2v` of themselves, `neg` and `not` of `neg` and `not`, and conversions to the same type are removed. Ops with
  events, `valid` or an address are kept.
- Ops without effects whose results are not used are removed, as are ops that compute the same as an earlier one.

Results are the same bit for bit.

Spec: `pto-ir.md §8`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from xdsl.context import Context
from xdsl.dialects.builtin import DYNAMIC_INDEX, DenseArrayBase, IntegerAttr, IntegerType, ModuleOp, i64
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter
from xdsl.transforms.common_subexpression_elimination import cse
from xdsl.transforms.dead_code_elimination import region_dce
from xdsl.utils.hints import isa

from ..analysis.pto.effects import constant, tile_functions
from ..dialects import pto
from ..dialects.pto.indices import Index, joined
from ..dialects.pto.transfers import TransferOp
from ..errors import PtirError
from .operand_segments import set_operands

IDEMPOTENT = ("pto.tile.abs", "pto.tile.relu", "pto.tile.mov.v2v")
INVOLUTIONS = ("pto.tile.neg", "pto.tile.not")


@dataclass(frozen=True)
class PtoCanonicalize(ModulePass):
    """Folds constants and removes ops that are not needed."""

    name = "pto-canonicalize"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in tile_functions(op):
            for inner in list(function.walk()):
                simplify(inner)
            cse(function)
            region_dce(function.body)


def simplify(op: Operation) -> None:
    """Replaces `op` by a constant or an operand if it computes one; writes constant indices as numbers."""
    match op:
        case pto.AddIOp() | pto.SubIOp() | pto.MulIOp():
            _replace(op, _folded(op))
        case pto.InstructionOp() | pto.SubviewOp() | pto.AssignOp():
            _fold_indices(op)
            if isinstance(op, pto.InstructionOp) and (value := _same(op)) is not None:
                Rewriter.replace_op(op, [], [value])
        case _:
            pass


def _folded(op: pto.AddIOp | pto.SubIOp | pto.MulIOp) -> int | SSAValue | None:
    a, b = constant(op.lhs), constant(op.rhs)
    match op:
        case pto.AddIOp():
            return a + b if a is not None and b is not None else op.lhs if b == 0 else op.rhs if a == 0 else None
        case pto.SubIOp():
            if op.lhs is op.rhs:
                return 0
            return a - b if a is not None and b is not None else op.lhs if b == 0 else None
        case pto.MulIOp():
            if 0 in (a, b):
                return 0
            return a * b if a is not None and b is not None else op.lhs if b == 1 else op.rhs if a == 1 else None


def _replace(op: Operation, value: int | SSAValue | None) -> None:
    (result,) = op.results
    if isinstance(value, SSAValue):
        Rewriter.replace_op(op, [], [value])
    elif value is not None:
        number = pto.ConstantOp(IntegerAttr(_wrapped(value, result.type), result.type))  # type: ignore[arg-type]
        Rewriter.replace_op(op, [number])
        number.result.name_hint = result.name_hint


def _wrapped(value: int, dtype: Attribute) -> int:
    width = dtype.width.data if isa(dtype, IntegerType) else 64
    value &= (1 << width) - 1
    return value - (1 << width) if width > 1 and value >> (width - 1) else value


def _fold_indices(op: pto.InstructionOp | pto.SubviewOp | pto.AssignOp) -> None:
    for name, _ in op.get_irdl_definition().operands:
        static = op.properties.get(f"static_{name}")
        before: Sequence[SSAValue] = getattr(op, name)
        if not before or not isinstance(static, DenseArrayBase):
            continue
        fields = joined(cast(DenseArrayBase[IntegerType], static), before)
        indices = [i if isinstance(i, int) or (n := constant(i)) is None else n for i in fields]
        rest = [i for i in indices if not isinstance(i, int)]
        if len(rest) == len(before):
            continue
        op.properties[f"static_{name}"] = DenseArrayBase.from_list(
            i64, [i if isinstance(i, int) else DYNAMIC_INDEX for i in indices]
        )
        set_operands(op, name, rest)
        try:
            if name != "offsets" or not _inside(op, indices):
                op.verify_()
        except PtirError:  # only a run may report a number that is out of range
            op.properties[f"static_{name}"] = static
            set_operands(op, name, before)


def _inside(op: Operation, offsets: Sequence[Index]) -> bool:
    """Whether the elements that a transfer or a view reaches from `offsets` on are in the array: a cheap part of the verifier."""
    match op:
        case TransferOp():
            tile = next(pto.tile_type(v) for v in (*op.results, *op.operands) if isinstance(v.type, pto.TileType))
            spans, array = tile.sizes, op.memref
        case pto.SubviewOp():
            _, sizes, strides = op.parts
            known = [(n, t) for n, t in zip(sizes, strides, strict=True) if isinstance(n, int) and isinstance(t, int)]
            spans, array = tuple((n - 1) * t + 1 for n, t in known), op.source
        case _:
            return False
    whole = pto.memref_type(array).sizes
    return len(spans) == len(whole) and all(
        not isinstance(o, int) or (o >= 0 and -1 not in (span, size) and o + span <= size)
        for o, span, size in zip(offsets, spans, whole, strict=True)
    )


def _same(op: pto.InstructionOp) -> SSAValue | None:
    """Returns the tile that `op` computes once more, if there is one."""
    if op.is_asynchronous or op.static_valid is not None or len(op.operands) != 1 or len(op.results) != 1:
        return None
    (operand,), (result,) = op.operands, op.results
    if any(isinstance(use.operation, pto.AssignOp) for use in result.uses) or operand.type != result.type:
        return None
    before = operand.owner
    if isinstance(op, pto.CvtOp):
        return operand
    plain = isinstance(before, pto.InstructionOp) and before.static_valid is None and before.name == op.name
    if plain and op.name in IDEMPOTENT:
        return operand
    return before.operands[0] if plain and isinstance(before, pto.InstructionOp) and op.name in INVOLUTIONS else None
