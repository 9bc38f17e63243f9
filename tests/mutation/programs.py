"""Programs with the plan that the compiler chooses, or a change of it, as subjects of the campaign. Results must be within the error bounds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, cast

import numpy as np
from xdsl.dialects.builtin import TensorType

import ptir
from ptir.runtime.compile import Program
from ptir.semantics.arrays.scalars import numpy_dtype
from ptir.semantics.bounds import bounds, check
from tests.unit.builders.changed_plans import compiled

from .subject import Arrays, mixed


@dataclass(frozen=True)
class Chosen:
    """The program `source` of arrays of floats, of which `size` and `dtype` are shown."""

    source: str
    size: tuple[int, ...]
    shows: str
    dtype: str = "f32"
    arch: str = "sm80"
    changes: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Fields of the plan. A small ring is filled again, and a block of few multiprocessors has several tiles."""

    def compile(self) -> Program:
        if self.changes:
            return compiled(self.source, self.arch, self.changes)
        return ptir.compile(self.source, arch=self.arch).program

    def _arrays(self, seed: int) -> Arrays:
        rng, function = np.random.default_rng(seed), ptir.compile(self.source, arch=self.arch).signature
        types = [cast(TensorType[Any], t) for _, t in function.arguments]
        return [rng.standard_normal(t.get_shape()).astype(numpy_dtype(t.element_type)) for t in types]

    @cached_property
    def inputs(self) -> tuple[Arrays, Arrays]:
        return self._arrays(11), mixed(self._arrays(11))

    @cached_property
    def _wanted(self) -> list[Arrays]:
        return [bounds(ptir.parse(self.source), "f", *x) for x in self.inputs]

    @cached_property
    def numbers(self) -> Arrays:
        return mixed(self._arrays(12))

    def is_right(self, k: int, got: Arrays) -> bool:
        return all(check(g, w).ok for g, w in zip(got, self._wanted[k], strict=True))
