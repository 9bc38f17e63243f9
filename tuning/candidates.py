"""
The plans that the tuner tries for a kernel: those of all templates that match it, ranked by the model, and variations of the best ones.

The planner's candidates differ in tile, warp tile, stages, split and cluster. A variation changes one further field: the width of vectors,
the order of tiles, a stage more or less, two steps of k written out, or a tile of half or twice the size. Only plans that are legal for
the kernel, and for every other member of its shape set, are tried. Spec: `tensor-compiler.ja §6` (search space).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import msgspec

from ..dialects.plan.schedule import Schedule
from ..planning.completion import guarded
from ..planning.planner import Planner
from ..planning.row_time import BLOCK_BYTES, memory_clocks
from ..planning.rules import tile_counts
from ..planning.template import Request
from ..planning.templates import template_of
from ..targets.machines import Machine
from .kernels import Tunable, moved_bytes

COUNT = 16
"""Default number of candidates of a kernel (§6: 10 to 20)."""
VARIED = 4
"""Number of the best candidates whose variations are considered."""
VARIATIONS = 0.25
"""Minimum share of the variations among the candidates; more if there are too few others."""


@dataclass(frozen=True)
class Candidate:
    """A legal plan, and its predicted time in seconds."""

    plan: Schedule
    estimate: float


def candidates(
    kernel: Tunable, members: Sequence[Tunable], machine: Machine, count: int | None = COUNT
) -> list[Candidate]:
    """
    Returns the planner's own plan, followed by the plans with the lowest predicted times: `count` in total, or all of them if it is None.
    All are legal for the `members` of the kernel's shape set. Raises `NoPlanFits` if no plan fits the kernel.
    """
    request, others = kernel.request(machine), [Planner(m.request(machine)) for m in members if m is not kernel]
    planner = Planner(request)
    own = [template.completed(plan) for template in planner.templates for plan in _ranked(template)]
    if not own:
        raise planner.failure(planner.exhausted(0), "give a smaller tile by hand: plan #plan.schedule<{…}>")

    def legal(plan: Schedule) -> bool:
        return planner.accepts(plan) and all(o.accepts(guarded(plan, o.request)) for o in others)

    def best(plans: Iterable[Schedule], most: int | None) -> Iterator[Candidate]:
        timed = [Candidate(plan, predicted_seconds(plan, request)) for plan in _distinct(plans)]
        for candidate in sorted(timed, key=lambda c: c.estimate):
            if most == 0:
                return
            if legal(candidate.plan):
                most = None if most is None else most - 1
                yield candidate

    planned = Candidate(own[0], predicted_seconds(own[0], request))
    ranked = list(best(own, None if count is None else max(1, count - int(VARIATIONS * count))))
    varied = list(best((v for c in [planned, *ranked[:VARIED]] for v in variations(c.plan, request)), count))
    found: dict[str, Candidate] = {}
    for candidate in ([planned] if legal(planned.plan) else []) + ranked + varied:
        if count is None or len(found) < count:
            found.setdefault(candidate.plan.to_json(), candidate)
    return list(found.values())


def _ranked(template: Any) -> Sequence[Schedule]:
    return [plan for plan in (*template.ranked(), *template.fallbacks()) if template.overflow(plan) is None]


def _distinct(plans: Iterable[Schedule]) -> list[Schedule]:
    return list({plan.to_json(): plan for plan in plans}.values())


def variations(plan: Schedule, request: Request) -> Iterator[Schedule]:
    """Yields plans that differ from `plan` in one field, and in the guards that follow from it. They need not be legal."""
    for change in _changes(plan):
        try:
            yield guarded(msgspec.convert({**plan.to_dict(), **change}, Schedule), request)
        except (ValueError, msgspec.ValidationError):
            continue


def _changes(plan: Schedule) -> Iterator[Mapping[str, Any]]:
    fields = plan.to_dict()
    for width in (16, 8, 4, 2, 1):
        if width != plan.vectorize.width:
            yield {"vectorize": {**fields["vectorize"], "width": width}}
    if len(plan.tile) == 3:
        yield from ({"order": order} for order in ("row", "col", "grouped_4", "grouped_8") if order != plan.order)
        yield {"unroll": {"k.o": 2}}
    if isinstance(plan.stages, int):
        yield from ({"stages": n} for n in (plan.stages - 1, plan.stages + 1) if n >= 2)
    for axis, side in enumerate(plan.tile):
        for changed in (side * 2, side // 2):
            tile = [changed if k == axis else size for k, size in enumerate(plan.tile)]
            yield {"tile": tile}
            if isinstance(plan.warp_tile, str) and axis < 2:
                warp = [size * changed // side if k == axis else size for k, size in enumerate(plan.warp)]
                yield {"tile": tile, "warp_tile": "x".join(map(str, warp))}


def predicted_seconds(plan: Schedule, request: Request) -> float:
    """
    Returns the predicted time of a kernel: the template's estimate or, for templates without one, the time in which its blocks move the
    bytes of its arrays (`planning/row_time.py`).
    """
    row = template_of(plan)(request).row(plan)
    clocks = row["total"] if "total" in row else _memory_clocks(plan, request)
    return float(clocks) / (request.machine.clock * 1e9)


def _memory_clocks(plan: Schedule, request: Request) -> float:
    size, blocks = moved_bytes(request.kernel), prod(tile_counts(plan, request.space))
    return memory_clocks(request.machine, size, blocks, in_flight=max(1, min(BLOCK_BYTES, size // blocks)))
