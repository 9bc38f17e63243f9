"""
The plans that the user gives in files, and the regions that they are for.

Passes do not open files. A tool reads those that its command line names, and `plan-regions` finds them here.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

from xdsl.dialects.builtin import UnitAttr

from ..analysis.program.structural_hash import structural_hash
from ..dialects.common.strict import STRICT, is_strict
from ..dialects.plan.given import GivenPlan
from ..dialects.region import RegionKernelOp
from ..errors import NoSuchRegion, PlanFileNotOpened
from ..text.suggest import did_you_mean

FEWEST_DIGITS = 8
"""Minimum number of digits of a structural hash that name a region."""
FOR_ALL = ""
"""The key of the plans that all runs of `plan-regions` use, those of `--plan`."""

_given: ContextVar[Mapping[str, Sequence[GivenPlan]] | None] = ContextVar("ptir_plans", default=None)


@contextmanager
def given_plans(files: Mapping[str, Sequence[GivenPlan]]) -> Generator[None]:
    """A context manager in which `plan-regions{from=FILE}` finds the plans of the file, and without `from` those of `FOR_ALL`."""
    token = _given.set(files)
    try:
        yield
    finally:
        _given.reset(token)


def plans_of(path: str | None) -> Sequence[GivenPlan]:
    """Returns the plans of a file, or those for all runs. Raises `PlanFileNotOpened`."""
    files = _given.get() or {}
    if path is not None and path not in files:
        raise PlanFileNotOpened(path=path)
    return files.get(FOR_ALL if path is None else path, ())


def region_hash(kernel: RegionKernelOp) -> str:
    """Returns the structural hash of a region, which does not depend on its name or plan, but on whether its floats are strict."""
    return structural_hash(unplanned(kernel))


def unplanned(kernel: RegionKernelOp) -> RegionKernelOp:
    """Returns a copy of a region without its plan. It has the module's attribute if its floats are strict."""
    copy = kernel.clone()
    copy.plan = None
    if is_strict(kernel):
        copy.attributes[STRICT] = UnitAttr()
    return copy


def assign_plans(plans: Sequence[GivenPlan], kernels: Sequence[RegionKernelOp]) -> dict[RegionKernelOp, GivenPlan]:
    """Returns the plan of each region that has one. Raises `NoSuchRegion` if a plan is for no region or for several."""
    found: dict[RegionKernelOp, GivenPlan] = {}
    names = {kernel.sym_name.data: kernel for kernel in kernels}
    hashes = {region_hash(kernel): kernel for kernel in kernels} if any(p.region.startswith("#") for p in plans) else {}
    for plan in plans:
        kernel = _region_of(plan, names, hashes)
        if kernel in found:
            problem = f"@{kernel.sym_name.data} has another plan in this file"
            raise NoSuchRegion(plan.span((), False), problem=problem, help="remove one of them")
        found[kernel] = plan
    return found


def _region_of(
    plan: GivenPlan, names: Mapping[str, RegionKernelOp], hashes: Mapping[str, RegionKernelOp]
) -> RegionKernelOp:
    every = ", ".join(f"@{name}" for name in names) or "none"
    if not plan.region:
        if len(names) == 1:
            return next(iter(names.values()))
        problem = f"this plan is for no region, and the module has {len(names)}"
        help = f'begin with region @name, or write {{"@name": …}} in JSON; the regions are: {every}'
    elif not plan.region.startswith("#"):
        if plan.region in names:
            return names[plan.region]
        problem = f"the module has no region @{plan.region}"
        help = did_you_mean(plan.region, names, otherwise=f"its regions are: {every}")
    else:
        digits = plan.region[1:]
        matching = [kernel for found, kernel in hashes.items() if found.startswith(digits)]
        if len(matching) == 1 and len(digits) >= FEWEST_DIGITS:
            return matching[0]
        problem = f"the module has no region with the hash {plan.region}"
        help = "--explain-plan prints the hashes of all regions"
        if len(digits) < FEWEST_DIGITS:
            problem, help = f"{plan.region} is too short", f"give at least {FEWEST_DIGITS} digits of the hash"
    raise NoSuchRegion(plan.span((), False), problem=problem, help=help)
