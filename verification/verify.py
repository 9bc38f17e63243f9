"""Runs the layers."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import inf

import numpy as np

from ..dialects import intent
from ..errors import InvalidAttributeValue, PtirError, counted
from ..semantics.arrays.scalars import cast, is_float
from ..semantics.errors import Violation
from ..text.verify import verify_module
from .candidates import Candidate, CandidateFailed, IntentCandidate, KernelCandidate, fixed_binding, results_of
from .cases import Cases, constants
from .differential import Comparison, Found, cases_of, metamorphic, obeys
from .discharge import discharge
from .libraries import LibraryCandidate
from .report import Case, Counterexample, Difference, Layer, Report
from .shrinking import shrink

LAYERS = ("well-formed", "obligations", "differential", "stability", "determinism")
METAMORPHIC_CASES = 2
EXTREMES = ("boundary", "adversarial")
"""The kinds of cases that a PARTIAL contract may mean to exclude."""
STABILITY = ((1.0, 0.0), (1e4, 0.0), (1e-4, 0.0), (88.0, 0.0), (1e3, 0.0), (1.0, 512.0), (0.0625, 512.0), (1e-3, -8.0))
"""Magnitudes and offsets of arguments in the stability layer: e⁸⁸ is near the largest f32, and what nearly is constant cancels."""


def verify(
    function: intent.FuncOp,
    candidate: Candidate,
    *,
    sizes: Mapping[str, int] | None = None,
    cases: int = 40,
    seed: int = 0,
    layers: Sequence[str] = LAYERS,
    tolerance: float | None = None,
    case: Case | None = None,
    shrinks: bool = True,
) -> Report:
    """
    Returns the report on a candidate. `sizes` fixes symbols; `cases` is the number of drawn cases; `tolerance` replaces that of the op
    mix. With `case`, only that case is compared. Without `shrinks`, a counterexample is the first that was found. Raises
    `InvalidAttributeValue` for an unknown layer.
    """
    for name in layers:
        if name not in LAYERS:
            raise InvalidAttributeValue(name="layers", problem=f"has '{name}'", help=f"layers: {', '.join(LAYERS)}")
    if tolerance is not None and not 0 <= tolerance < inf:
        raise InvalidAttributeValue(name="tolerance", problem=f"is {tolerance}", help="a number of at least 0")
    report = Report(function.sym_name.data, candidate.name, function.level)
    first = _timed("well-formed", lambda layer: _well_formed(function, layer))
    if first.status == "FAIL" or "well-formed" in layers:
        report.layers.append(first)
    if first.status == "FAIL":
        return report
    if function.level == "OUT_OF_SCOPE":
        report.layers.append(
            Layer("differential", "UNKNOWN", 0.0, ["the contract is OUT_OF_SCOPE: nothing is promised"])
        )
        return report
    try:
        fixed = {**(fixed_binding(function, candidate) or {}), **(sizes or {})}
    except PtirError as error:
        difference = f"it takes other shapes: {error.message}"
        report.layers.append(Layer("differential", "FAIL", 0.0, [difference]))
        return report
    drawn = Cases(function, seed, fixed, _tiles(candidate))
    compare = Comparison(function, candidate, tolerance, shrinks and case is None)
    run: dict[str, Callable[[Layer], None]] = {
        "obligations": lambda layer: discharge(function, layer),
        "differential": lambda layer: _differential(compare, drawn, cases, layer, case),
        "stability": lambda layer: _stability(compare, drawn, layer),
        "determinism": lambda layer: _determinism(compare, drawn, layer),
    }
    for name in LAYERS[1:]:
        if name in layers and (case is None or name == "differential"):
            report.layers.append(_timed(name, run[name]))
    return report


def _tiles(candidate: Candidate) -> Sequence[int]:
    """Returns numbers in a candidate beside which it may be wrong."""
    match candidate:
        case KernelCandidate():
            return candidate.launch.tiles()
        case IntentCandidate():
            return constants(candidate.function)
        case _:
            return ()


def _timed(name: str, run: Callable[[Layer], None]) -> Layer:
    layer = Layer(name, "PASS")
    start = time.perf_counter()
    run(layer)
    layer.seconds = time.perf_counter() - start
    return layer


def _well_formed(function: intent.FuncOp, layer: Layer) -> None:
    parent = function.parent_op()
    try:
        verify_module(parent if parent is not None else function)  # type: ignore[arg-type]
    except PtirError as error:
        layer.status, layer.evidence = "FAIL", [str(error)]
        return
    layer.evidence.append(counted(sum(1 for _ in function.body.walk()), "op"))


def _differential(compare: Comparison, cases: Cases, count: int, layer: Layer, only: Case | None) -> None:
    found: Found | None = None
    doubtful: Found | None = None
    for case in (only,) if only is not None else cases_of(cases, count):
        if (difference := compare(case)) is not None:
            if compare.function.level != "PARTIAL" or case.kind not in EXTREMES:
                found = case, difference
                break
            doubtful = doubtful or (case, difference)
    if found is None and only is None:
        found = _metamorphic(compare, cases)
    total = sum(compare.counts.values())
    layer.evidence.append(", ".join(f"{n} {kind}" for kind, n in sorted(compare.counts.items())) or "no case")
    layer.evidence.append(f"tolerance {compare.limit:g}")
    if compare.bounded:
        tolerated = compare.bounded - compare.outside_tolerance
        layer.evidence.append(
            f"of {counted(compare.bounded, 'case')}, {tolerated} within it, {compare.proved} within the sound intervals"
        )
    if cases.dropped or compare.undefined:
        layer.evidence.append(f"{cases.dropped} outside the contract, {compare.undefined} undefined")
    if found is not None:
        _fail(layer, compare, cases, *found)
    elif doubtful is not None:
        _doubt(layer, compare, cases, *doubtful)
    elif total == 0:
        layer.status = "UNKNOWN"
        layer.evidence.append(
            "no case was found that the contract allows and whose arrays are small: give sizes, or bound the arguments"
        )


def _doubt(layer: Layer, compare: Comparison, cases: Cases, case: Case, difference: Difference) -> None:
    """Reports a difference on extreme values under a contract that may lack an assumption that excludes them."""
    _fail(layer, compare, cases, case, difference)
    layer.status = "UNKNOWN"
    layer.evidence.append("it differs on extreme values, and the contract is PARTIAL")


def _fail(layer: Layer, compare: Comparison, cases: Cases, case: Case, difference: Difference) -> None:
    layer.status = "FAIL"
    quiet = replace(compare, counts=type(compare.counts)())
    if compare.shrinks and quiet(case) is not None:
        case, difference = shrink(case, difference, cases, quiet)
    names = tuple(arg.name_hint or f"arg{arg.index}" for arg in compare.function.inputs)
    layer.counterexample = Counterexample(case, difference, names)


def _metamorphic(compare: Comparison, cases: Cases) -> Found | None:
    for relation, case, other in metamorphic(compare, cases, METAMORPHIC_CASES):
        for each in (case, other):
            if (difference := compare(each)) is not None:
                return each, difference
        compare.counts["metamorphic pairs"] += 1
        try:
            first, second = (results_of(compare.candidate, c.arrays, c.binding) for c in (case, other))
        except CandidateFailed as error:
            return other, Difference(error.message)
        if not obeys(compare, relation, first, second):
            return other, Difference(f"the results do not obey the {relation.name}")
    return None


def _stability(compare: Comparison, cases: Cases, layer: Layer) -> None:
    """Compares on arguments of one magnitude, or near one number, where an unstable formula overflows or cancels."""
    runs = 0
    for number, (magnitude, offset) in enumerate(STABILITY):
        case = cases.drawn(4 * number + 1)
        if case is None:
            continue
        scaled = [
            cast(np.asarray(a.astype(np.float64) * magnitude + offset), a.dtype) if is_float(a.dtype) else a
            for a in case.arrays
        ]
        probe = cases.case("stability", case.binding, scaled)
        if probe is None:
            continue
        runs += 1
        if (difference := compare(probe)) is not None:
            layer.evidence.append(f"magnitude {magnitude:g}" + f", around {offset:g}" * bool(offset))
            (_doubt if compare.function.level == "PARTIAL" else _fail)(layer, compare, cases, probe, difference)
            return
    layer.evidence.append(counted(runs, "pair of magnitude and offset", "pairs of magnitude and offset"))
    if runs == 0:
        layer.status = "UNKNOWN"


def _determinism(compare: Comparison, cases: Cases, layer: Layer) -> None:
    """Compares the bits of repeated runs: of kernels under several orders of their warps, of C on several contents of the results."""
    candidate = compare.candidate
    schedules: list[Candidate] = [candidate, candidate]
    if isinstance(candidate, KernelCandidate | LibraryCandidate):
        schedules += [candidate.with_seed(seed) for seed in (1, 2)]
    runs = 0
    for number in range(4):
        case = cases.drawn(number)
        if case is None:
            continue
        try:
            if compare.expected(case) is None:
                continue
            results = [results_of(c, case.arrays, case.binding) for c in schedules]
        except CandidateFailed as error:
            layer.status = "FAIL"
            layer.evidence.append(error.message)
            return
        except Violation:
            continue
        runs += 1
        first = [np.asarray(r).tobytes() for r in results[0]]
        if any([np.asarray(r).tobytes() for r in other] != first for other in results[1:]):
            found = Difference("the bits of the results change from run to run")
            _fail(layer, replace(compare, shrinks=False), cases, case, found)
            return
    layer.evidence.append(f"{counted(runs, 'case')}, {counted(len(schedules), 'run')} each")
    if runs == 0:
        layer.status = "UNKNOWN"
