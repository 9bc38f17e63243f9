"""Shrinks a failing case: first the numbers of the symbols, then the values."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from itertools import chain

import numpy as np

from ..dialects.intent.types import type_of
from ..semantics.arrays.scalars import Array, cast
from ..semantics.intent import concrete_shape
from .cases import Cases
from .report import Case, Difference

MAX_RUNS = 400
"""Maximum number of runs of the candidate while a case is shrunk."""
MAX_SECONDS = 20.0


def shrink(
    case: Case, found: Difference, cases: Cases, test: Callable[[Case], Difference | None]
) -> tuple[Case, Difference]:
    """Returns a case on which `test` still finds a difference and which none of the steps makes smaller."""
    runs, end = 0, time.monotonic() + MAX_SECONDS
    progress = True
    while progress and runs < MAX_RUNS:
        progress = False
        for smaller in chain(_fewer(case, cases), _simpler(case, cases)):
            if runs >= MAX_RUNS or time.monotonic() > end:
                break
            runs += 1
            if (still := test(smaller)) is not None:
                case, found, progress = smaller, still, True
                break
    return Case(f"{case.kind}, shrunk", case.binding, case.arrays), found


def _fewer(case: Case, cases: Cases) -> Iterator[Case]:
    """Yields the case with one smaller number; arrays keep their first or their last elements, or repeat."""
    for name, number in case.binding.items():
        if name in cases.fixed:
            continue
        for less in dict.fromkeys((1, number // 2, number - 1)):
            binding = {**case.binding, name: less}
            if not 1 <= less < number or not cases.allows(binding):
                continue
            for last in (False, True):
                arrays = [
                    _fitted(a, concrete_shape(type_of(arg), binding), last=last)
                    for arg, a in zip(cases.function.inputs, case.arrays, strict=True)
                ]
                if (smaller := cases.case(case.kind, binding, arrays)) is not None:
                    yield smaller


def _fitted(array: Array, shape: tuple[int, ...], *, last: bool) -> Array:
    for axis, size in enumerate(shape):
        first = array.shape[axis] - size if last else 0
        array = np.take(array, np.arange(first, first + size) % array.shape[axis], axis=axis)
    return np.ascontiguousarray(array).reshape(shape)  # which keeps rank 0


def _simpler(case: Case, cases: Cases) -> Iterator[Case]:
    """Yields the case with simpler values: zeros, ones or integers in a whole array, a half of it, or one element."""
    for k, array in enumerate(case.arrays):
        for changed in _values(array):
            if changed.tobytes() != array.tobytes():
                arrays = [changed if i == k else a for i, a in enumerate(case.arrays)]
                if (simpler := cases.case(case.kind, case.binding, arrays)) is not None and _is_simpler(simpler, case):
                    yield simpler


def _values(array: Array) -> Iterator[Array]:
    size = array.size
    if array.dtype == np.bool_:
        replacements = [np.zeros_like(array)]
    else:
        wide = array.astype(np.float64)
        whole = np.where(np.isfinite(wide), np.clip(np.rint(wide), -8, 8), wide)
        replacements = [cast(w, array.dtype) for w in (np.zeros_like(wide), np.ones_like(wide), whole)]
    for replacement in replacements:
        yield replacement
        width = -(-size // 2)
        while 1 <= width < size and size <= 256:
            for start in range(0, size, width):
                part = array.reshape(-1).copy()
                part[start : start + width] = replacement.reshape(-1)[start : start + width]
                yield part.reshape(array.shape)
            if width == 1:
                break
            width = -(-width // 2)


def _is_simpler(a: Case, b: Case) -> bool:
    return sum(map(_weight, a.arrays)) < sum(map(_weight, b.arrays))


def _weight(array: Array) -> float:
    """The complexity of an array: an element that is 0 has none, 1 little, an integer less than a fraction."""
    wide = np.abs(array.astype(np.float64))
    with np.errstate(all="ignore"):
        fraction = np.where(np.isfinite(wide), wide != np.rint(wide), True)
        size = np.where(np.isfinite(wide), np.minimum(wide, 1e3), 1e3)
    return float(np.sum(np.where(wide == 0, 0.0, 1.0 + size * 1e-3 + 4.0 * fraction)))
