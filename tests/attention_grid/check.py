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
        result, *rows = execute(program, arrays, device)
        got = np.asarray(result).astype(np.float64)
        line["error"] = compare(got, want, TOLERANCE[case.dtype], problems)
        for row in rows:
            compare(np.asarray(row).astype(np.float64), case.expected_log_sums(*arrays), LOG_SUMS, problems)
        line["launches"] = len(device.reports)
        line["registers"] = max(k.registers for k in program.binary.kernels.values())
        line["conflicts"] = sum(r.conflicts for r in device.reports)
        wanted = 2 + len(rows) if point.algorithm else 1 + divides_keys(program)
        if is_one_kernel(case) and line["launches"] != wanted:
            problems.append(f"{line['launches']} kernels instead of {wanted}")
    except PtirError as error:
        problems.append(f"{error.code}: {error.message.splitlines()[0]}")
    line |= {"problems": problems, "seconds": round(time.process_time() - start, 2)}
    return line


def divides_keys(program: Program) -> bool:
    """Returns whether the planner divides the keys, so that a second kernel combines their parts."""
    plans = [op.attributes["nv.plan"].schedule() for op in program.module.walk() if "nv.plan" in op.attributes]
    return any(plan.algo_choice.get("attention") == "split_kv" for plan in plans)


def compare(got: np.ndarray, want: np.ndarray, tolerance: float, problems: list[str]) -> float:
    """Returns the largest error relative to its tolerance; appends what is wrong to `problems`."""
    nan = np.isnan(want)
    if wrong := int((np.isnan(got) != nan).sum()):
        problems.append(f"{wrong} of {want.size} elements are NaN, or should be")
    both = ~nan & ~np.isnan(got)
    if not both.any():
        return 0.0
    error = np.abs(got - want)[both] / (tolerance * np.abs(want[~nan]).max())
    if wrong := int((error > 1).sum()):
        problems.append(f"{wrong} of {want.size} elements are wrong, by up to {error.max():.1f} times the tolerance")
    return round(float(error.max()), 3)
