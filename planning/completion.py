"""
Completes a plan that leaves out fields, and reduces one that does not fit the machine.

A field that a text leaves out has its default. These fields have no default, and the planner chooses them:

- `arch` is that of the request, and `predicate_tail` and `epilogue` are what the region needs;
- `tile`, `warp_tile`, `stages`, `vectorize` and the algorithm of a kernel that is no product are those of one of the planner's candidates:
  of the plans that are complete with them and legal, the fastest. A ring of `local_edges` that says its depth has as many stages.

Spec: `tensor-compiler.ja §1.7`, `§10` (fallback).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import product
from math import prod
from typing import Any, cast

import msgspec
from msgspec.structs import replace

from ..dialects.plan.given import GivenPlan
from ..dialects.plan.schedule import Schedule
from ..errors import InvalidPlanText
from .rules import tails
from .template import Request, Template

OTHER_ALGORITHMS = ("attention", "reduce", "conv")
"""The keys of `algo_choice` that select a template, or that a region has."""


def completed(
    given: GivenPlan, request: Request, templates: Sequence[Template], accepts: Callable[[Schedule], bool]
) -> Schedule:
    """
    Returns the plan of a text for the requested region: the fastest of its completions that the region `accepts` or, if there is none, the
    first one. Raises `InvalidPlanText` if it is not legal for any region.
    """
    found: list[tuple[float, Schedule]] = []
    error: InvalidPlanText | None = None
    first: Schedule | None = None
    for template, added in _additions(given.fields, request, templates):
        try:
            plan = _with_tails(given.schedule(added), given.fields, request)
        except InvalidPlanText as problem:
            error = error or problem
            continue
        first = first or plan
        if accepts(plan):
            found.append((template.row(plan).get("total", 0) if template is not None else 0, plan))
    if found:
        return min(found, key=lambda timed: timed[0])[1]
    if first is None:
        raise error or ValueError("a text has at least one completion")
    return first


def _additions(
    fields: Mapping[str, Any], request: Request, templates: Sequence[Template]
) -> Iterator[tuple[Template | None, dict[str, Any]]]:
    """Yields the fields that complete a text, each time those of another candidate, and the candidate's template."""
    needed: dict[str, Any] = {"arch": request.arch.name, "epilogue": list(request.labels)}
    seen: list[dict[str, Any]] = []
    pairs = [(template, candidate.to_dict()) for template in templates for candidate in template.ranked()]
    for template, candidate in sorted(pairs, key=lambda pair: _kind_differs(pair[1], fields)):
        if (added := needed | _of_candidate(candidate, fields)) not in seen:
            seen.append(added)
            yield template, added
    if not seen:
        yield None, needed


def _kind_differs(candidate: Mapping[str, Any], fields: Mapping[str, Any]) -> tuple[bool, ...]:
    """Returns whether a candidate has other roles, another number of axes, or another orientation than the text asks for."""
    strides = [plan.get("layout_hints", {}).get("C_stride", "row") for plan in (candidate, fields)]
    rank = len(fields.get("tile", candidate["tile"]))
    return candidate.get("roles") != fields.get("roles"), rank != len(candidate["tile"]), strides[0] != strides[1]


def _of_candidate(candidate: Mapping[str, Any], fields: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the fields of a candidate that a text must have, and lacks."""
    added = {"tile": candidate["tile"], "vectorize": candidate["vectorize"]}
    if "algo_choice" not in fields and "split" not in fields:
        added["algo_choice"] = {k: v for k, v in candidate.get("algo_choice", {}).items() if k in OTHER_ALGORITHMS}
    by_element = len(fields.get("tile", added["tile"])) == 2
    if "warp_tile" in candidate and (not by_element or "tile" not in fields):
        added["warp_tile"] = candidate["warp_tile"]
    if not by_element:  # a region without a product refuses the tile, whatever the warp tile is
        whole = "x".join(map(str, fields.get("tile", added["tile"])[:2]))
        stages = _stages(fields, candidate.get("stages", 2))
        added = {"warp_tile": whole, **added, "cache": candidate.get("cache", []), "stages": stages}
    return {name: value for name, value in added.items() if name not in fields}


def _with_tails(plan: Schedule, fields: Mapping[str, Any], request: Request) -> Schedule:
    """Returns the plan with the axes that its tile does not divide, unless the text says which are guarded."""
    return plan if "predicate_tail" in fields else guarded(plan, request)


def guarded(plan: Schedule, request: Request) -> Schedule:
    """Returns the plan with guards along the axes of the space in which it runs that its tile does not divide, and along no other."""
    tile = (plan.tile[0], plan.row_columns) if plan.holds_rows else (*plan.block_tile, *plan.tile[2:])
    return replace(plan, predicate_tail=tails(tile, request.for_plan(plan).space))


def _stages(fields: Mapping[str, Any], otherwise: int) -> int:
    """Returns the number of stages that follows from `cache` and `local_edges`, or `otherwise`."""
    if any(staged.get("pingpong") is False for staged in fields.get("cache", ())):
        return 1
    depths = [
        edge["depth"] for edge in fields.get("local_edges", ()) if edge.get("buffer") == "smem_ring" and "depth" in edge
    ]
    return depths[0] if depths else otherwise


def reductions(plan: Schedule) -> Iterator[Schedule]:
    """
    Yields plans with fewer stages, then with smaller warp tiles, then with narrower vectors, then with smaller tiles. They need not be
    legal.
    """
    widths = [width for width in (16, 8, 4, 2, 1) if width <= plan.vectorize.width]
    warps = [f"{m}x{n}" for m, n in _halves(plan.warp)] if isinstance(plan.warp_tile, str) else [plan.warp_tile]
    stages = range(plan.stages, 1, -1) if isinstance(plan.stages, int) else ()
    for tile, width, warp, count in product(_halves(plan.tile), widths, warps, stages or [plan.stages]):
        vectorize = replace(plan.vectorize, width=width)
        with suppress(ValueError, msgspec.ValidationError):
            yield replace(plan, tile=tile, vectorize=vectorize, warp_tile=warp, stages=count)


def _halves(sizes: Sequence[int]) -> list[tuple[int, ...]]:
    """Returns the sizes, each halved any number of times, those with the largest product first."""
    each = [[size >> n for n in range(size.bit_length()) if size % (1 << n) == 0] for size in sizes]
    return sorted(product(*each), key=lambda sides: [-prod(sides), *sides])


def differences(before: Schedule, after: Schedule) -> str:
    """Returns the fields in which two plans differ, as text: `stages 4 → 2, warp_tile 64x64 → 32x64`."""
    old, new = before.to_dict(), after.to_dict()
    names = [name for name in Schedule.__struct_fields__ if old.get(name) != new.get(name)]
    return ", ".join(f"{name} {_shown(old.get(name))} → {_shown(new.get(name))}" for name in names)


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        return " ".join(f"{key}={inner}" for key, inner in cast("dict[str, Any]", value).items())
    return "none" if value is None else str(list(cast("tuple[Any, ...]", value)) if isinstance(value, tuple) else value)
