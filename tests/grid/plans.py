"""
The plans that the grid pins. Each has the options with which the planner is called, and the changes to the plan that it returns.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from dataclasses import replace as changed_machine
from typing import Any

from msgspec import UNSET
from msgspec.structs import replace
from xdsl.dialects.builtin import ModuleOp

import ptir
from ptir.analysis.regions.contraction import Contraction
from ptir.analysis.regions.kernel_space import kernel_space
from ptir.analysis.regions.space import KernelSpace
from ptir.dialects.plan import ScheduleAttr
from ptir.dialects.plan.schedule import Schedule
from ptir.dialects.region import RegionKernelOp
from ptir.passes.manager import PassManager
from ptir.planning.multistage.rules import fragment_edges, instruction
from ptir.planning.rules import tails
from ptir.planning.template import Request
from ptir.runtime.compile import TO_REGIONS
from ptir.targets.machines import MACHINES
from ptir.targets.mma import element_bytes
from ptir.transforms.plan_regions import plan_region

Change = Callable[[Schedule, Contraction], dict[str, Any]]


@dataclass(frozen=True)
class Plan:
    """A plan of the grid: `asked` are options of `plan-regions`, `changes` are applied to the plan that it makes."""

    asked: Mapping[str, int] = field(default_factory=dict[str, int])
    changes: tuple[Change, ...] = ()
    fallbacks: bool = True
    """
    Whether a kernel that spills is compiled again with the planner's next fallback. The compiler itself does so for the plan
    `own`; a tile that is given explicitly has no fallback.
    """
    conflicts: bool = False
    """Whether bank conflicts are expected."""
    roles: bool = False
    """Whether the plan is for the warp-specialized template."""
    parts: int = 1
    """Number of parts of k in a plan with roles."""
    blocks: int = 0
    """Number of multiprocessors; with few, a block has several tiles. 0 means those of the machine."""

    def splits(self, k: int, bytes_: int) -> bool:
        """Whether k can be split into the plan's number of parts such that each has at least one step (of 32 without roles)."""
        steps, parts = -(-k // (ROW // bytes_ if self.roles else 32)), self.asked.get("split", self.parts)
        return -(-steps // -(-steps // parts)) == parts


def _summed(how: str) -> Change:
    return lambda plan, contraction: {"algo_choice": {"matmul": f"splitk_{how}"}}


def _single(plan: Schedule, contraction: Contraction) -> dict[str, Any]:
    return {"local_edges": tuple(e for e in plan.local_edges if e not in fragment_edges())}


def _double(plan: Schedule, contraction: Contraction) -> dict[str, Any]:
    """Double-buffers fragments, with a BK of at least two steps of the mma instruction."""
    bm, bn, bk = plan.tile
    edges = (*fragment_edges(), *_single(plan, contraction)["local_edges"])
    return {"tile": (bm, bn, max(bk, 2 * instruction(contraction).k)), "local_edges": edges}


def _stride(along: str) -> Change:
    """Sets `C_stride`. The tiles grow if the mma instruction (transposed for "col") is larger than the warp tile."""

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
    """Sets the tiles and stages; a stage has `k_bytes` bytes of A and of B along k."""

    def change(plan: Schedule, contraction: Contraction) -> dict[str, Any]:
        bk = k_bytes // element_bytes(contraction.dtypes[0])
        return {"tile": (bm, bn, bk), "warp_tile": f"{wm}x{wn}", "stages": stages}

    return change


def _fields(**changes: Any) -> Change:
    return lambda plan, contraction: changes


def _narrow_vectors(plan: Schedule, contraction: Contraction) -> dict[str, Any]:
    return {"vectorize": replace(plan.vectorize, width=1)}


def _roles(bm: int, bn: int, wm: int, wn: int, stages: int = 3, row: int = 0, **fields: Any) -> tuple[Change, ...]:
    """Sets all fields of a plan with roles; a stage has `row` bytes of A and of B along k (0: `ROW`)."""

    def change(plan: Schedule, contraction: Contraction) -> dict[str, Any]:
        stride = fields.get("stride", "row")
        return {
            "tile": (bm, bn, (row or ROW) // element_bytes(contraction.dtypes[0])),
            "warp_tile": f"{wm}x{wn}",
            "stages": stages,
            "roles": fields.get("roles", "cooperative"),
            "cluster": fields.get("cluster", (1, 1)),
            "order": fields.get("order", "row"),
            "epilogue_tile": fields.get("staged", UNSET),
            "vectorize": replace(plan.vectorize, axis="n.i.i" if stride == "row" else "m.i.i"),
            "layout_hints": {"C_stride": stride},
            "algo_choice": {"matmul": fields.get("sums", "implicit_gemm")},
            "split": fields.get("split", 1),
        }

    return (change,)


def _warp_specialized(*sizes: int, blocks: int = 0, **fields: Any) -> Plan:
    return Plan(
        changes=_roles(*sizes, **fields), fallbacks=False, roles=True, parts=fields.get("split", 1), blocks=blocks
    )


ROW = 128
"""Bytes of A, and of B, along k in a stage of a plan with roles."""
SWAPPED = {"m.o": "block.x", "n.o": "block.y", "m.i.o": "warp.x", "n.i.o": "warp.y"}
UNSWIZZLED = {"A_swizzle": False, "B_swizzle": False, "C_stride": "row"}

PLANS = {
    "own": Plan(fallbacks=False),
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
    "tile64": Plan({}, (_stride("row"), _tile(64, 64, 64, 32, 32), _double), fallbacks=False),
    "tile128": Plan({}, (_stride("row"), _tile(128, 64, 64, 32, 32, 4), _single), fallbacks=False),
    "swapped": Plan({}, (_fields(bind=SWAPPED),)),
    "tiles_in_groups": Plan({}, (_stride("row"), _tile(32, 32, 64, 16, 16), _single, _fields(order="grouped_2"))),
    "step_a_slot": Plan(
        {}, (_stride("row"), _tile(32, 32, 64, 16, 16), _single, _fields(unroll={"k.o": 3})), fallbacks=False
    ),
    "scalar": Plan({}, (_narrow_vectors,)),
    "unswizzled": Plan({}, (_stride("row"), _fields(layout_hints=UNSWIZZLED)), conflicts=True),
    "warp_specialized": Plan(fallbacks=True, roles=True),
    "warp_specialized_few": Plan(fallbacks=True, roles=True, blocks=3),
    "one": _warp_specialized(64, 64, 64, 64, 4, blocks=2),
    "two": _warp_specialized(128, 64, 64, 64, blocks=2),
    "three": _warp_specialized(192, 32, 64, 32, 2),
    "tall": _warp_specialized(128, 64, 128, 64, blocks=1),
    "wide": _warp_specialized(64, 192, 64, 192, 2, 64),
    "deep": _warp_specialized(64, 64, 64, 64, 8, 32, blocks=3),
    "long": _warp_specialized(64, 64, 64, 64, 2, 256),
    "pingpong": _warp_specialized(64, 64, 64, 64, 3, roles="pingpong", blocks=1),
    "pingpong_wide": _warp_specialized(64, 128, 64, 128, 2, 64, roles="pingpong", blocks=2),
    "pingpong_cluster": _warp_specialized(64, 64, 64, 64, 3, roles="pingpong", cluster=(2, 1), blocks=2),
    "cluster21": _warp_specialized(128, 64, 64, 64, cluster=(2, 1), blocks=2),
    "cluster12": _warp_specialized(128, 64, 64, 64, cluster=(1, 2), blocks=4),
    "cluster22": _warp_specialized(128, 64, 64, 64, 4, cluster=(2, 2)),
    "cluster41": _warp_specialized(64, 64, 64, 64, 2, cluster=(4, 1), order="grouped_4"),
    "cluster14": _warp_specialized(64, 64, 64, 64, 3, cluster=(1, 4), order="col"),
    "grouped": _warp_specialized(64, 32, 64, 32, cluster=(2, 1), order="grouped_2", blocks=2),
    "columns": _warp_specialized(64, 32, 64, 32, 4, order="col", blocks=3),
    "turned": _warp_specialized(64, 128, 64, 64, stride="col", blocks=3),
    "turned_narrow": _warp_specialized(16, 128, 16, 64, 5, stride="col"),
    "turned_pingpong": _warp_specialized(32, 64, 32, 64, 3, stride="col", roles="pingpong", blocks=1),
    "staged": _warp_specialized(64, 64, 64, 64, staged=(64, 16)),
    "roles_serial2": _warp_specialized(64, 64, 64, 64, split=2, sums="splitk_serial", blocks=4),
    "roles_serial3": _warp_specialized(128, 64, 64, 64, split=3, sums="splitk_serial"),
    "roles_parallel2": _warp_specialized(128, 64, 64, 64, split=2, sums="splitk_parallel", blocks=3),
    "roles_parallel4": _warp_specialized(64, 128, 64, 128, split=4, sums="splitk_parallel", stride="row"),
    "stream_k": _warp_specialized(64, 64, 64, 64, sums="stream_k", blocks=5),
    "stream_k_two": _warp_specialized(128, 64, 64, 64, sums="stream_k", order="grouped_2", blocks=7),
    "stream_k_turned": _warp_specialized(16, 64, 16, 64, sums="stream_k", stride="col", blocks=6),
}
"""
The plans by name. `own` is the planner's plan, `warp_specialized` its plan with roles. All others are pinned; those after
`warp_specialized` have roles.
"""


def planned(text: str, name: str, arch: str, fallback: int = 0) -> ModuleOp:
    """
    Returns a program at the region level, in which the kernel with the contraction has the plan `name`, made from the planner's
    candidate number `fallback`.
    """
    module = PassManager(TO_REGIONS).run(ptir.parse(text))
    row = PLANS[name]
    if name == "own":
        return module
    for kernel in module.ops:
        if isinstance(kernel, RegionKernelOp) and kernel_space(kernel).contraction is not None:
            plan_region(Request.of(kernel, arch, roles=row.roles, **row.asked), fallback)
            assert kernel.plan is not None
            kernel.plan = ScheduleAttr(changed(kernel.plan.schedule(), kernel_space(kernel), row.changes))
    return module


@contextmanager
def multiprocessors(blocks: int) -> Generator[None]:
    """Gives all machines `blocks` multiprocessors in the `with` body, unless that is 0."""
    own = dict(MACHINES)
    if blocks:
        MACHINES.update({key: changed_machine(m, multiprocessors=blocks) for key, m in own.items()})
    try:
        yield
    finally:
        MACHINES.update(own)


def changed(plan: Schedule, space: KernelSpace, changes: tuple[Change, ...]) -> Schedule:
    """Returns the plan after all changes, with the tails of the new tile."""
    assert space.contraction is not None
    for change in changes:
        plan = replace(plan, **change(plan, space.contraction))
    return replace(plan, predicate_tail=tails(plan.tile, space))
