"""
Finds tuned plans for the kernels of a program that is compiled.

The plan is that of the nearest shape set for which it is legal; its guards are those that the kernel's sizes need. A plan that cannot be
used, because it is damaged, was made for another version, or is not legal for the kernel, is refused with a warning, and the planner's
plan is used. Nothing in the file is executed: plans are parsed and checked as those that a user writes.
"""

from __future__ import annotations

import logging
import weakref
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ..dialects.plan.schedule import Schedule
from ..dialects.region import RegionKernelOp
from ..errors import NoPlanFits, PlanMismatch, PtirError
from ..frontends.plan_files import read_plans
from ..planning.completion import guarded
from ..planning.planner import Planner
from ..planning.shape_sets import nearest
from ..planning.template import Request
from ..runtime.tuned_file import default_path
from ..targets.machines import Machine
from .errors import NotATunedFile
from .kernels import key_of
from .store import Store

log = logging.getLogger(__name__)

TRIED = 8
"""Maximum number of plans that are tried for a kernel: as many as `ptir-tune` makes shape sets by default."""
EXIT_PATIENCE = 5.0
"""How long the end of a process waits for others that write the file, in seconds."""


@dataclass(frozen=True)
class TunedPlans:
    """The tuned plans for a machine in a file. Called with a kernel, it returns its plan, or None."""

    path: Path
    machine: Machine

    def __call__(self, kernel: RegionKernelOp) -> Schedule | None:
        key = key_of(kernel, self.machine)
        try:
            with Store(self.path) as store:
                known = {found.shapes: found for found in store.sets(key)}
        except NotATunedFile as error:
            log.warning("tuned plans are not used: %s", error.message)
            return None
        if not known:
            return None
        planner = Planner(Request(kernel, self.machine.limits, self.machine))
        for shapes in nearest(known, planner.request.space.sizes)[:TRIED]:
            try:
                return usable(known[shapes].plan, planner)
            except PtirError as error:
                name = kernel.sym_name.data
                log.warning("a tuned plan of @%s is refused: %s", name, error.message, extra={"op": kernel})
        return None

    def count_at_end(self, owner: object, requests: dict[str, int], program: str) -> None:
        """Adds the calls of a program, which `requests` counts, to the file when `owner` is no longer used, or at the end of the process."""
        weakref.finalize(owner, self.count_requests, program, requests)

    def count_requests(self, program: str, histogram: Mapping[str, int]) -> None:
        """Adds the calls of a program by their sizes to the file, if it can be written."""
        if not histogram:
            return
        try:
            with Store(self.path, write=True, patience=EXIT_PATIENCE) as store:
                store.count_requests(program, histogram)
        except NotATunedFile as error:
            log.debug("requests are not counted: %s", error.message)


def usable(text: str, planner: Planner) -> Schedule:
    """Returns the plan in a text if the planner's region can have it. Raises `SourceError`, `PlanMismatch` and `NoPlanFits`."""
    (given,) = read_plans(text, "tuned plan")
    try:
        return planner.checked(guarded(given.schedule({}), planner.request))
    except (PlanMismatch, NoPlanFits) as error:
        raise given.refused(error) from None


def tuned_plans(chosen: str | Path | bool | None, machine: Machine) -> TunedPlans | None:
    """
    Returns the plans in the file `chosen`, in the default one for None, or None for False and if the default file does not exist. Raises
    `NotATunedFile` if a file that is chosen cannot be read.
    """
    path = default_path() if chosen is None or chosen is True else Path(chosen) if chosen else None
    if path is None or (chosen is None and not path.is_file()):
        return None
    if chosen is not None:
        Store(path).close()
    return TunedPlans(path, machine)
