"""
Groups of launches, which `form-regions` puts side by side, become one launch of a kernel with several arguments for one.

```
nv.launch @f grid [24, 4, 1] (%x, %wq, %q)             nv.launch @f grid [24, 4, 3] (%x, %wq, %wk, %wv, %q, %k, %v)
nv.launch @f grid [24, 4, 1] (%x, %wk, %k)      →      gpu.func @f(%x, %w0, %w1, %w2, %out0, …) {
nv.launch @f grid [24, 4, 1] (%x, %wv, %v)               %w = nv.pick %z of %w0, %w1, %w2 …
```

All launches of the kernel are in groups of one size; others stay as they are. So do kernels that add to memory by atomics, such as those of
split sums: the emulator executes an atomic of several blocks on one array. Horizontal fusion: `tensor-compiler.ja §4`.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from xdsl.dialects import arith, gpu, memref
from xdsl.dialects.builtin import FunctionType, IndexType, IntegerAttr
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ...dialects import nv, region
from ...dialects.common.kernel import COUNTERS, UPDATED
from ...dialects.common.syntax import axes_attr, ints
from ...targets.architectures import GRID_LIMIT

ATOMIC = frozenset((COUNTERS, UPDATED))
"""The purposes of arguments that kernels update by atomics. (The status word is one for all members.)"""
BETWEEN = (memref.AllocOp, memref.GetGlobalOp, nv.TensorMapOp, region.ZerosOp, region.RowOp, arith.ConstantOp)
"""The ops that may be between the launches of a group: they access no memory that a kernel uses."""


def join(function: gpu.FuncOp, groups: Sequence[Sequence[nv.LaunchOp]]) -> None:
    """Makes one launch of each group of launches of a kernel, if all of them can be one."""
    (count, *others) = {len(group) for group in groups}
    grid = ints(groups[0][0].grid)
    if (
        others
        or count < 2
        or not ATOMIC.isdisjoint(nv.outputs(function).values())
        or grid[2] * count > GRID_LIMIT[2]
        or not all(map(_is_adjacent, groups))
    ):
        return
    block = function.body.block
    args = list(block.args)
    apart = [any(not _is_same([m.arguments[k] for m in group]) for group in groups) for k in range(len(args))]
    member = gpu.BlockIdOp(gpu.DimensionAttr(gpu.DimensionEnum.Z))
    made: list[Operation] = [member]
    if grid[2] > 1:
        size = arith.ConstantOp(IntegerAttr(grid[2], IndexType()))
        made += [size, number := arith.DivUIOp(member.result, size.result)]
        inside = arith.RemUIOp(member.result, size.result)
        made.append(inside)
        for op in [o for o in function.walk() if isinstance(o, gpu.BlockIdOp) and o.dimension == member.dimension]:
            Rewriter.replace_op(op, [], [inside.result])
        chosen = number.result
    else:
        chosen = member.result
    chosen.name_hint = "member"
    for arg in (a for a, differs in zip(args, apart, strict=True) if differs):
        further = [block.insert_arg(arg.type, arg.index + 1 + k) for k in range(count - 1)]
        pick = nv.PickOp(chosen, [arg, *further])
        arg.replace_uses_with_if(pick.result, lambda use, pick=pick: use.operation is not pick)
        pick.result.name_hint = f"this_{arg.name_hint or 'arg'}"
        for each in further:
            each.name_hint = arg.name_hint
        made.append(pick)
    for op in made:
        op.location = function.location
    Rewriter.insert_op(made, InsertPoint.at_start(block))
    function.properties["function_type"] = FunctionType.from_lists([a.type for a in block.args], [])
    for group in groups:
        *firsts, last = group
        operands = [
            v
            for k, differs in enumerate(apart)
            for v in ([m.arguments[k] for m in group] if differs else [last.arguments[k]])
        ]
        new = nv.LaunchOp(
            last.kernel, grid, ints(last.block), last.shared.value.data, operands, last.cluster and last.cluster_sizes
        )
        new.properties["grid"] = axes_attr((*grid[:2], grid[2] * count))
        new.location = last.location
        Rewriter.replace_op(last, new)
        for op in firsts:
            maps = [v.owner for v in op.arguments if isinstance(v.owner, nv.TensorMapOp)]
            Rewriter.erase_op(op)
            for unused in (m for m in maps if not m.result.uses):
                Rewriter.erase_op(unused)


def _is_adjacent(group: Sequence[nv.LaunchOp]) -> bool:
    """Whether nothing between the launches of a group accesses memory."""
    for first, second in pairwise(group):
        op = first.next_op
        while op is not second:
            if not isinstance(op, BETWEEN):
                return False
            op = op.next_op
    return True


def _is_same(values: Sequence[SSAValue]) -> bool:
    """Whether arguments are one: a memref, or tensor maps that describe one in the same way."""
    first, *others = values
    if not isinstance(owner := first.owner, nv.TensorMapOp):
        return all(v is first for v in others)
    return all(
        isinstance(v.owner, nv.TensorMapOp)
        and (v.owner.memref, v.owner.properties, v.type) == (owner.memref, owner.properties, first.type)
        for v in others
    )
