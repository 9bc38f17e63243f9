"""Plans of rows chosen by a test: short rows may be streamed, or spread over a cluster, as long ones are."""

from __future__ import annotations

from functools import cache

from xdsl.dialects.builtin import ModuleOp

import ptir
from ptir.analysis.regions.kernel_space import kernel_space
from ptir.dialects.plan import ScheduleAttr
from ptir.dialects.plan.schedule import Schedule, Vectorize
from ptir.dialects.region import RegionKernelOp
from ptir.passes.manager import PassManager
from ptir.planning.rules import tails


def planned(
    source: str, tile: tuple[int, int], warp_tile: str, width: int, blocks: int = 1, arch: str = "sm80"
) -> ModuleOp:
    """Returns the regions of a program, whose kernels of rows have a plan of this tile, shared by a cluster of so many blocks."""
    module = PassManager(f"ptir-to-tiny,form-regions,plan-regions{{arch={arch}}}").run(ptir.parse(source))
    for kernel in [op for op in module.ops if isinstance(op, RegionKernelOp)]:
        if (plan := kernel.plan and kernel.plan.schedule()) and plan.holds_rows:
            space = kernel_space(kernel)
            plan = Schedule(
                arch=plan.arch,
                tile=tile,
                warp_tile=warp_tile,
                cluster=(1, blocks),
                bind={"m.o": "block.x", "n.o": "block.y"},
                layout_hints=plan.layout_hints,
                vectorize=Vectorize(axis="m.i.i" if plan.transposed else "n.i.i", width=width),  # pyright: ignore[reportArgumentType]
                predicate_tail=tails((tile[0], tile[1] * blocks), space),
                epilogue=plan.epilogue,
            )
            kernel.plan = ScheduleAttr(plan)
    return module


@cache
def tiles(source: str, tile: tuple[int, int], warp_tile: str, width: int, blocks: int = 1, arch: str = "sm80") -> str:
    """Returns the tile program of `source` under this plan."""
    return str(PassManager("region-to-pto").run(planned(source, tile, warp_tile, width, blocks, arch)))
