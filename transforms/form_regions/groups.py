"""
Horizontal fusion: independent launches of one kernel, such as the three products of a query, key and value projection, are put side by
side and marked as a group, which `pto-to-nv` makes one launch.

```
launch @f_0 (%x, %wq, %q)                    launch @f_0 group 0 (%x, %wq, %q)
launch @f_1 (%q, …)                   →      launch @f_0 group 0 (%x, %wk, %k)
launch @f_0 (%x, %wk, %k)                    launch @f_1 (%q, …)
```

A launch moves up to the nearest one of its kernel, unless an op between them writes what it uses or uses what it writes. Kernels that update
memory stay apart. The model's time
of a group has one launch instead of several, and nothing else differs. Spec: `tensor-compiler.ja §4`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from xdsl.dialects import memref
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, StringAttr, SymbolRefAttr, i64
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.traits import SymbolTable

from ...dialects import region
from ...dialects.common.kernel import UPDATED, free_symbol
from ...planning.explain import report
from ...planning.fusion.explain import GroupExplanation
from ...targets.machines import Machine

MAX_GROUP = 8
"""Maximum number of launches that become one: three tensor maps each are 3 KiB of arguments."""
REACH = 64
"""Maximum number of ops over which a launch moves."""
FRESH = (memref.AllocOp, memref.GetGlobalOp)
"""Ops without operands, which move with a launch."""

Group = list[region.LaunchOp]


def form_groups(module: ModuleOp, functions: Iterable[FuncOp], machine: Machine) -> None:
    """Marks the groups of launches of the host functions. Launches of one kernel are in groups of one size, or the kernel is copied."""
    found: dict[str, list[Group]] = {}
    for function in functions:
        for block in [b for op in function.walk() for r in op.regions for b in r.blocks]:
            for group in _groups(block):
                found.setdefault(group[0].kernel.string_value(), []).append(group)
    number = 0
    for name, groups in found.items():
        sizes = sorted({len(g) for g in groups})
        kernel = SymbolTable.lookup_symbol(module, name)
        for size in sizes:
            these = [g for g in groups if len(g) == size]
            if size > 1:
                report(GroupExplanation.of(name, size, len(these), machine), "fusion")
            if size != sizes[0] and isinstance(kernel, region.RegionKernelOp):
                _rename(these, _copy(module, kernel, size))
            for group in these if size > 1 else ():
                for launch in group:
                    launch.group = IntegerAttr(number, i64)
                number += 1


def _copy(module: ModuleOp, kernel: region.RegionKernelOp, size: int) -> str:
    copy = kernel.clone()
    copy.location = kernel.location
    name = free_symbol(module, f"{kernel.sym_name.data}_by{size}")
    copy.sym_name = StringAttr(name)
    module.body.block.insert_op_after(copy, kernel)
    return name


def _rename(groups: Sequence[Group], name: str) -> None:
    for launch in (launch for group in groups for launch in group):
        launch.kernel = SymbolRefAttr(name)


def _groups(block: Block) -> list[Group]:
    """Returns the groups of launches of a block, most of which have one launch, and moves the launches of each side by side."""
    groups: list[Group] = []
    latest: dict[str, Group] = {}
    for launch in [op for op in block.ops if isinstance(op, region.LaunchOp)]:
        name = launch.kernel.string_value()
        kernel = SymbolTable.lookup_symbol(launch, launch.kernel)
        updates = isinstance(kernel, region.RegionKernelOp) and any(w.data == UPDATED for w in kernel.materialize)
        group = None if updates else latest.get(name)
        if group is not None and len(group) < MAX_GROUP and (moved := _moves(group, launch)) is not None:
            for op in reversed([*moved, launch]):
                op.detach()
                block.insert_op_after(op, group[-1])
            group.append(launch)
        else:
            groups.append(group := [launch])
            latest[name] = group
    return groups


def _moves(group: Group, launch: region.LaunchOp) -> list[Operation] | None:
    """Returns the ops that move with a launch to the place after a group, or None if it has to stay where it is."""
    reads, writes = {*map(_array, launch.ins)}, {*map(_array, launch.outs)}
    makers = {v.owner for v in launch.operands}
    moved: list[Operation] = []
    between = list(_between(group[-1], launch))
    if len(between) > REACH:
        return None
    for op in (*group, *between):
        if isinstance(op, FRESH):
            moved += [op] * (op in makers)
        elif (
            not isinstance(op, region.LaunchOp)
            or op in makers
            or writes & {*map(_array, op.operands)}
            or reads & {*map(_array, op.outs)}
        ):
            return None
    return moved


def _between(first: Operation, last: Operation) -> Iterator[Operation]:
    op = first.next_op
    while op is not None and op is not last:
        yield op
        op = op.next_op


def _array(value: SSAValue) -> SSAValue:
    """Returns the array of which a memref is a row, or the memref itself."""
    while isinstance(value.owner, region.RowOp):
        value = value.owner.memref
    return value
