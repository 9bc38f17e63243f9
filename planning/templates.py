"""The list of kernel templates, the template that a plan selects, and the check of a plan against its template's rules."""

from __future__ import annotations

from collections.abc import Iterable

from ..analysis.regions.space import KernelSpace
from ..dialects.common.kernel import KernelOp
from ..dialects.plan.schedule import Schedule
from ..dialects.pto import PtoKernelOp
from ..dialects.region import RegionKernelOp
from ..errors import PlanMismatch
from .attention import WarpSpecializedAttention
from .attention.multistage import MultistageAttention
from .columns import ColumnReductions
from .elementwise import Elementwise
from .multistage import Multistage
from .rows import Rows
from .rules import Rule, program_rules, region_rules
from .strict import order_rules
from .template import Template
from .warp_specialized import WarpSpecialized

TEMPLATES = (
    WarpSpecializedAttention,
    MultistageAttention,
    WarpSpecialized,
    Multistage,
    Rows,
    ColumnReductions,
    Elementwise,
)
"""All templates in order of preference. The last one matches every region."""


def template_of(plan: Schedule) -> type[Template]:
    """Returns the template that a plan selects."""
    return next(template for template in TEMPLATES if template.owns(plan))


def check_plan(kernel: RegionKernelOp, plan: Schedule, space: KernelSpace) -> None:
    """Raises `PlanMismatch` if the lowering of this region cannot honor a field of its plan."""
    _require(kernel, order_rules(kernel, plan, space))
    _require(kernel, region_rules(kernel, plan, space))
    _require(kernel, template_of(plan).rules(plan, space))


def check_program_plan(kernel: PtoKernelOp, plan: Schedule) -> None:
    """Raises `PlanMismatch` if the plan of a tile program is invalid or does not match the program."""
    _require(kernel, program_rules(plan))
    _require(kernel, template_of(plan).program_rules(plan, kernel))


def _require(kernel: KernelOp, rules: Iterable[Rule]) -> None:
    for holds, problem, want in rules:
        if not holds:
            raise PlanMismatch(kernel, kernel=kernel.sym_name.data, problem=problem, help=want)
