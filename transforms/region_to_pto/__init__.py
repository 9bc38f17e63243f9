"""
`region-to-pto`: lowers a region with a plan to a tile program.

```
region.kernel { load · mul · reduce · epilogue · yield }
        →
pto.kernel { pto.tiles (…, m, n) step (1…, BM, BN) {
               process { for k: acquire · load A · load B · commit }      the ring, `stages` deep
               for k: wait · mov.m2l · mov.m2r · matmul.acc · release     the consumer
               mov.a2v · vector ops of the epilogue · store } }
```

The family of the plan's template (`planning/templates.py`) selects the class that writes the program.
Spec: `pto-ir.md §4`, `§6`; `tensor-compiler.ja §1.7` (plan to code).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from xdsl.context import Context
from xdsl.dialects import memref
from xdsl.dialects.builtin import MemRefType, ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import SymbolTable

from ...dialects import region
from ...dialects.common.kernel import COUNTERS, STATUS, free_symbol
from ...dialects.common.report import STATUS_TYPE
from ...dialects.common.shapes import memref_of
from ...dialects.plan.schedule import SPLIT_KV, TWO_PASSES, Schedule
from ...errors import PlanMissing
from ...planning.templates import template_of
from ...targets.pto.machines import machine_named
from ..input_level import require_level
from .attention import chained_program
from .chained import ChainedProgram
from .columns import ColumnProgram
from .contraction import contraction_program
from .further_kernels import PartialProgram
from .program import TileProgram
from .split_keys import SplitKeysProgram
from .streamed_rows import row_program
from .two_passes import TwoPassProgram

ATTENTION = {SPLIT_KV: SplitKeysProgram, TWO_PASSES: TwoPassProgram}
"""The classes for the values of `algo_choice.attention` that take several kernels."""


def attention_program(kernel: region.RegionKernelOp, plan: Schedule) -> ChainedProgram:
    return ATTENTION.get(plan.algo_choice["attention"], chained_program)(kernel, plan)


FAMILIES = {
    "attention": attention_program,
    "contraction": contraction_program,
    "rows": row_program,
    "columns": ColumnProgram,
    "elementwise": TileProgram,
}


@dataclass(frozen=True)
class RegionToPto(ModulePass):
    """
    Lowers each `region.kernel` to a `pto.kernel` of the same name and signature. If k is split, a workspace and
    counters are added to the kernel and to each launch of it. If ops may fail, the kernel and each launch get a status word,
    which a function clears at its head and checks at its end.
    """

    name = "region-to-pto"
    target: str | None = None
    """The target, if it is a PTO target: it has no f64, so that products of f32 are rounded before they are added in f32."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        require_level(op, "region.kernel", self.name)
        kernels = [o for o in op.body.block.ops if isinstance(o, region.RegionKernelOp)]
        launches: dict[Operation | None, list[region.LaunchOp]] = {k: [] for k in kernels}
        for launch in [o for o in op.walk() if isinstance(o, region.LaunchOp)]:
            launches.setdefault(SymbolTable.lookup_symbol(launch, launch.kernel), []).append(launch)
        for kernel in kernels:  # which may grow
            if kernel.plan is None:
                raise PlanMissing(kernel, kernel=kernel.sym_name.data)
            plan = kernel.plan.schedule()
            program = FAMILIES[template_of(plan).family](kernel, plan)
            program.rounds_products = self.target is not None and machine_named(self.target).has_pipes
            op.body.block.insert_op_before(program.build(), kernel)
            if isinstance(program, PartialProgram):
                _add_further_kernels(op, program, kernel, kernels, launches)
            if program.scratch:
                for launch in launches[kernel]:
                    _give_scratch(launch, {word: memref_of(arg) for word, arg in program.scratch.items()})
            Rewriter.erase_op(kernel, safe_erase=False)


def _add_further_kernels(
    module: ModuleOp,
    program: PartialProgram,
    kernel: region.RegionKernelOp,
    kernels: list[region.RegionKernelOp],
    launches: dict[Operation | None, list[region.LaunchOp]],
) -> None:
    """Adds the kernels that read what the first kernel of an attention stores, and launches them after it."""
    found = program.further_kernels(lambda suffix: free_symbol(module, f"{kernel.sym_name.data}_{suffix}"))
    for each in found:
        module.body.block.insert_op_before(each.kernel, kernel)
        launches[each.kernel] = []
    kernels += [each.kernel for each in found]
    for number, launch in enumerate(launches[kernel]):
        stored = [memref.AllocOp.get(t.element_type, shape=t.get_shape()) for _, t in program.workspaces]
        first = region.LaunchOp(
            launch.kernel.string_value(), list(launch.ins), [a.memref for a in stored], launch.group
        )
        others = [
            region.LaunchOp(
                each.kernel.sym_name.data,
                [*(launch.ins[k] for k in each.reads), *(stored[k].memref for k in each.workspaces)],
                [launch.outs[k] for k in each.results],
                launch.group,
            )
            for each in found
        ]
        for each, other in zip(found, others, strict=True):
            launches[each.kernel].append(other)
        for op in (made := [*stored, first, *others]):
            op.location = launch.location
        Rewriter.replace_op(launch, made)
        launches[kernel][number] = first


def _give_scratch(launch: region.LaunchOp, types: Mapping[str, MemRefType[Attribute]]) -> None:
    """Adds a new workspace, counters at zero, and the status word of the function to a launch."""
    made: list[Operation] = []
    outs = list(launch.outs)
    for word, t in types.items():
        if word == STATUS:
            outs.append(_status(launch))
            continue
        made.append(region.ZerosOp(t) if word == COUNTERS else memref.AllocOp.get(t.element_type, shape=t.get_shape()))
        outs.append(made[-1].results[0])
    made.append(region.LaunchOp(launch.kernel.string_value(), list(launch.ins), outs, launch.group))
    for op in made:
        op.location = launch.location
    Rewriter.replace_op(launch, made)


def _status(launch: region.LaunchOp) -> SSAValue:
    """Returns the status word of the function around a launch, which is created if the function has none."""
    function: Operation = launch
    while isinstance(around := function.parent_op(), Operation) and not isinstance(function, FuncOp):
        function = around
    block = function.regions[0].block
    if isinstance(last := cast(Operation, block.last_op).prev_op, region.CheckOp):
        return last.status
    zeros = region.ZerosOp(STATUS_TYPE)
    check = region.CheckOp(zeros.result)
    zeros.result.name_hint = STATUS
    for op in (zeros, check):
        op.location = function.location
    Rewriter.insert_op(zeros, InsertPoint.at_start(block))
    Rewriter.insert_op(check, InsertPoint.before(cast(Operation, block.last_op)))
    return zeros.result
