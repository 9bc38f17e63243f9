"""
The families of tile programs. A plan's template (`planning/templates.py`) names the family that writes its program.

| family | regions | plans |
| --- | --- | --- |
| contraction | `mul → reduce sum` with free axes on both sides | multistage, warp-specialized |
| elementwise | no reduction | elementwise |
"""

from __future__ import annotations

from ...dialects.region import RegionKernelOp
from ...errors import PlanMissing
from ...planning.templates import template_of
from .contraction import ContractionProgram
from .elementwise import ElementwiseProgram
from .program import TileProgram

FAMILIES: dict[str, type[ContractionProgram] | type[ElementwiseProgram]] = {
    "contraction": ContractionProgram,
    "elementwise": ElementwiseProgram,
}


def tile_program(kernel: RegionKernelOp) -> TileProgram:
    """Returns the writer of a kernel's tile program. Raises `PlanMissing`, and `PlanMismatch` if the plan breaks a rule."""
    if kernel.plan is None:
        raise PlanMissing(kernel, kernel=kernel.sym_name.data)
    plan = kernel.plan.schedule()
    return FAMILIES[template_of(plan).family](kernel, plan)
