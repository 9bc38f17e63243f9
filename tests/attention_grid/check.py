"""
Compiles the attention of a point, runs it in the emulator, and compares the result with NumPy's in f64.

Rows without keys must be NaN in both. The emulator must report no race, no access out of bounds, no uninitialized read. There must be one
launch if there is a kernel for the program, and one more if the plan has two passes or divides the keys.
"""

from __future__ import annotations

import time
from dataclasses import asdict
from typing import Any

import numpy as np

import ptir
from ptir.errors import PtirError
from ptir.runtime.compile import Program
from ptir.runtime.devices import Emulator
from ptir.runtime.execute import execute
from tests.unit.builders.changed_plans import compiled

from .points import Point, is_one_kernel

TOLERANCE = {"bf16": 2**-6, "f16": 2**-9}
"""Of the largest element of the result."""
LOG_SUMS = 2**-20
"""Of the largest logarithm of a sum."""
WEIGHTS = 2**-10
"""Of the largest weight or score, or sum of weights, unless they are rounded: an exponential has the error of its score."""


def examine(point: Point, arch: str) -> dict[str, Any]:
    """Returns the outcome of a point: its `problems`, the largest `error` relative to the tolerance, and facts about its kernels."""
    start, problems, case = time.process_time(), list[str](), point.case
    line: dict[str, Any] = {"point": asdict(point), "arch": arch}
    arrays = case.arrays(point.spread)
    want = case.expected(*arrays)
    device = Emulator()
    try:
        if point.algorithm or point.plan:
            program = compiled(case.text, arch, point.plan, point.algorithm)
        else:
            program = ptir.compile(case.text, arch=arch).program
        result, *further = execute(program, arrays, device)
        got = np.asarray(result).astype(np.float64)
        line["error"] = compare(got, want, TOLERANCE[case.dtype], problems)
        wanted = [(case.expected_log_sums(*arrays), LOG_SUMS)] if case.log_sums else []
        if case.also:
            rounded = case.also == "rounded weights"
            wanted.append((case.expected_also(*arrays), TOLERANCE[case.dtype] if rounded else WEIGHTS))
        for found, (of, tolerance) in zip(further, wanted, strict=True):
            compare(np.asarray(found).astype(np.float64), of, tolerance, problems)
        line["launches"] = len(device.reports)
        line["registers"] = max(k.registers for k in program.binary.kernels.values())
        line["conflicts"] = sum(r.conflicts for r in device.reports)
        kernels = 2 + len(further) if point.algorithm else 1 + divides_keys(program)
        if is_one_kernel(case) and line["launches"] != kernels:
            problems.append(f"{line['launches']} kernels instead of {kernels}")
    except PtirError as error:
        problems.append(f"{error.code}: {error.message.splitlines()[0]}")
    line |= {"problems": problems, "seconds": round(time.process_time() - start, 2)}
    return line


def divides_keys(program: Program) -> bool:
    """Returns whether the planner divides the keys, so that a second kernel combines their parts."""
    plans = [op.attributes["nv.plan"].schedule() for op in program.module.walk() if "nv.plan" in op.attributes]
    return any(plan.algo_choice.get("attention") == "split_kv" for plan in plans)


def compare(got: np.ndarray, want: np.ndarray, tolerance: float, problems: list[str]) -> float:
    """
    Returns the largest error relative to its tolerance, of the largest element, or of 1 if all are zero, such as gradients of scores of which
    each row has one; appends what is wrong to `problems`.
    """
    nan = np.isnan(want)
    if wrong := int((np.isnan(got) != nan).sum()):
        problems.append(f"{wrong} of {want.size} elements are NaN, or should be")
    both = ~nan & ~np.isnan(got)
    if not both.any():
        return 0.0
    largest = np.abs(want[np.isfinite(want)]).max(initial=0.0) or 1.0
    with np.errstate(invalid="ignore"):
        error = np.where(got == want, 0.0, np.abs(got - want))[both] / (tolerance * largest)
    if wrong := int((error > 1).sum()):
        problems.append(f"{wrong} of {want.size} elements are wrong, by up to {error.max():.1f} times the tolerance")
    return round(float(error.max()), 3)
