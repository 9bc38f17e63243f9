"""
The plans that the grid pins, one row each: what the planner is asked for, and what is then changed in its answer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from msgspec.structs import replace
from xdsl.dialects.builtin import ModuleOp

import ptir
from ptir.analysis.arch import ARCHS
from ptir.analysis.contraction import Contraction
from ptir.analysis.kernel_space import KernelSpace, kernel_space
from ptir.dialects.mma import element_bytes
from ptir.dialects.plan import ScheduleAttr
from ptir.dialects.region import RegionKernelOp
from ptir.dialects.schedule import Schedule
from ptir.passes.manager import PassManager
from ptir.runtime.compile import UPPER
from ptir.transforms.plan_regions import plan_region
from ptir.transforms.plan_rules import fragment_edges, instruction, tails

Change = Callable[[Schedule, Contraction], dict[str, Any]]


@dataclass(frozen=True)
class Plan:
    """`asked` are options of `plan-regions`, `changes` what is then different."""

    asked: Mapping[str, int] = field(default_factory=dict[str, int])
    changes: tuple[Change, ...] = ()
    retreats: bool = True
    """Whether one that spills is made again, smaller: `own` does so itself, a tile by hand has nothing smaller."""
    conflicts: bool = False
    """Whether bank conflicts are to be expected."""

    def splits(self, k: int) -> bool:
        """Whether so many parts of whole steps, of 32 where there is no choice, are none of them empty."""
        steps, parts = -(-k // 32), self.asked.get("split", 1)
        return -(-steps // -(-steps // parts)) == parts


def _summed(how: str) -> Change:
    return lambda plan, contraction: {"algo_choice": {"matmul": f"splitk_{how}"}}


def _single(plan: Schedule, contraction: Contraction) -> dict[str, Any]:
    return {"local_edges": tuple(e for e in plan.local_edges if e not in fragment_edges())}


def _double(plan: Schedule, contraction: Contraction) -> dict[str, Any]:
    """BK has two steps of the instruction at least."""
    bm, bn, bk = plan.tile
    edges = (*fragment_edges(), *_single(plan, contraction)["local_edges"])
    return {"tile": (bm, bn, max(bk, 2 * instruction(contraction).k)), "local_edges": edges}


def _stride(along: str) -> Change:
    """The tile grows where the instruction, turned or not, is larger than the warp tile."""

    def change(plan: Schedule, contraction: Contraction) -> dict[str, Any]:
        mma = instruction(contraction)
        rows, columns = (mma.m, mma.n) if along == "row" else (mma.n, mma.m)
        (bm, bn, bk), (wm, wn) = plan.tile, plan.warp
        rows, columns = max(rows, wm), max(columns, wn)
        return {
            "tile": (max(bm, rows), max(bn, columns), bk),
            "warp_tile": f"{rows}x{columns}",
            "vectorize": replace(plan.vectorize, axis="n.i.i" if along == "row" else "m.i.i"),
            "layout_hints": {**plan.layout_hints, "C_stride": along},
        }

    return change


def _tile(bm: int, bn: int, k_bytes: int, wm: int, wn: int, stages: int = 3) -> Change:
    """`k_bytes` of A and B along k in each stage."""

    def change(plan: Schedule, contraction: Contraction) -> dict[str, Any]:
        bk = k_bytes // element_bytes(contraction.dtypes[0])
        return {"tile": (bm, bn, bk), "warp_tile": f"{wm}x{wn}", "stages": stages}

    return change


def _fields(**changes: Any) -> Change:
    return lambda plan, contraction: changes


def _narrow_vectors(plan: Schedule, contraction: Contraction) -> dict[str, Any]:
    return {"vectorize": replace(plan.vectorize, width=1)}


SWAPPED = {"m.o": "block.x", "n.o": "block.y", "m.i.o": "warp.x", "n.i.o": "warp.y"}
UNSWIZZLED = {"A_swizzle": False, "B_swizzle": False, "C_stride": "row"}

PLANS = {
    "own": Plan(retreats=False),
    "stages3": Plan({"stages": 3}),
    "stages4": Plan({"stages": 4}),
    "stages5": Plan({"stages": 5}),
    "serial2": Plan({"split": 2}, (_summed("serial"),)),
    "serial3": Plan({"split": 3}, (_summed("serial"),)),
    "parallel2": Plan({"split": 2}, (_summed("parallel"),)),
    "parallel4": Plan({"split": 4}, (_summed("parallel"),)),
    "single": Plan({}, (_single,)),
    "double": Plan({}, (_double,)),
    "row": Plan({}, (_stride("row"),)),
    "col": Plan({}, (_stride("col"),)),
    "col_parallel2": Plan({"split": 2}, (_summed("parallel"), _stride("col"))),
    "col_serial2_single": Plan({"split": 2}, (_summed("serial"), _stride("col"), _single)),
    "tile64": Plan({}, (_stride("row"), _tile(64, 64, 64, 32, 32), _double), retreats=False),
    "tile128": Plan({}, (_stride("row"), _tile(128, 64, 64, 32, 32, 4), _single), retreats=False),
    "swapped": Plan({}, (_fields(bind=SWAPPED),)),
    "scalar": Plan({}, (_narrow_vectors,)),
    "unswizzled": Plan({}, (_stride("row"), _fields(layout_hints=UNSWIZZLED)), conflicts=True),
}
"""By name. `own` is the planner's; all others are pinned."""


def planned(text: str, name: str, arch: str, retreat: int = 0) -> ModuleOp:
    """The regions of a program; the kernel that contracts has the plan `name`, so many steps down the planner's ladder."""
    module = PassManager(UPPER).run(ptir.parse(text))
    row = PLANS[name]
    if name == "own":
        return module
    for kernel in module.ops:
        if isinstance(kernel, RegionKernelOp) and kernel_space(kernel).contraction is not None:
            plan_region(kernel, ARCHS[arch], retreat, **row.asked)
            assert kernel.plan is not None
            kernel.plan = ScheduleAttr(changed(kernel.plan.schedule(), kernel_space(kernel), row.changes))
    return module


def changed(plan: Schedule, space: KernelSpace, changes: tuple[Change, ...]) -> Schedule:
    """The plan after each of the changes; the tails follow the tile."""
    assert space.contraction is not None
    for change in changes:
        plan = replace(plan, **change(plan, space.contraction))
    return replace(plan, predicate_tail=tails(plan.tile, space))
