"""Programs with the plan that the compiler chooses, as subjects of the campaign. Results must be within the error bounds."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

import numpy as np
from xdsl.dialects.builtin import TensorType

import ptir
from ptir.runtime.compile import Program
from ptir.semantics.arrays.scalars import numpy_dtype
from ptir.semantics.bounds import bounds, check

from .subject import Arrays, mixed


@dataclass(frozen=True)
class Chosen:
    """The program `source` of arrays of floats, of which `size` and `dtype` are shown."""

    source: str
    size: tuple[int, ...]
    shows: str
    dtype: str = "f32"
    arch: str = "sm80"

    def compile(self) -> Program:
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
