"""Attention with the plan that the compiler chooses, or a change of it, as a subject of the campaign. Results are compared with NumPy's in f64."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

import ptir
from ptir.runtime.compile import Program
from tests.unit.builders.attention_cases import Case
from tests.unit.builders.changed_plans import compiled

from .subject import Arrays

TOLERANCE = 2**-7
"""Of the largest element of the result."""
HIDDEN = 5
"""The number of the last keys that are NaN, which a causal mask hides from all queries but the last ones."""


@dataclass(frozen=True)
class Attended:
    """The attention of a case, on an architecture."""

    case: Case
    shows: str
    arch: str = "sm80"
    changes: Mapping[str, Any] = field(default_factory=dict[str, Any])

    @property
    def size(self) -> tuple[int, ...]:
        return self.case.queries, self.case.keys, self.case.size, self.case.columns

    @property
    def dtype(self) -> str:
        return self.case.dtype

    def compile(self) -> Program:
        if self.changes:
            return compiled(self.case.text, self.arch, self.changes)
        return ptir.compile(self.case.text, arch=self.arch).program

    @cached_property
    def inputs(self) -> tuple[Arrays, Arrays]:
        finite, special = self.case.arrays(2.0), self.case.arrays(2.0)
        keys = special[1].reshape(-1, self.case.keys, self.case.size)
        keys[:, -HIDDEN:] = np.nan
        return finite, special

    @cached_property
    def _wanted(self) -> list[np.ndarray]:
        return [self.case.expected(*arrays) for arrays in self.inputs]

    @cached_property
    def numbers(self) -> Arrays:
        """With a small spread all keys have similar weights: each of them changes some bits of the results."""
        return self.case.arrays(0.5)

    def is_right(self, k: int, got: Arrays) -> bool:
        (found,), want = got, self._wanted[k]
        found, nan = np.asarray(found).astype(np.float64), np.isnan(want)
        if (np.isnan(found) != nan).any():
            return False
        return bool((np.abs(found - want)[~nan] <= TOLERANCE * np.abs(want[~nan]).max()).all())
