"""Contractions with a plan, as subjects of the campaign. Results on integers must be bit-equal."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

import ptir
from ptir.analysis.regions.kernel_space import kernel_space
from ptir.dialects.plan import ScheduleAttr
from ptir.dialects.plan.schedule import Cache, Schedule, Vectorize
from ptir.dialects.region import RegionKernelOp
from ptir.passes.manager import PassManager
from ptir.planning.epilogue import epilogue_labels
from ptir.planning.rules import tails
from ptir.runtime.compile import TO_REGIONS, Program, compile_module
from tests.grid.plans import multiprocessors
from tests.unit.builders.programs import Draft, planned

from .subject import Arrays, mixed

Size = tuple[int, int, int]

ROLES: dict[str, Any] = {
    "arch": "sm90",
    "cache": (Cache(tensor="A"), Cache(tensor="B")),
    "vectorize": Vectorize(axis="n.i.i", width=8),
}


@dataclass(frozen=True)
class Contraction:
    """A program with sizes (M, N, K), a dtype and a plan; `shows` names the features of the template that it tests."""

    program: Callable[[Draft, Size, str], Any]
    size: Size
    dtype: str
    plan: dict[str, Any]
    shows: str
    blocks: int = 0
    """Number of multiprocessors, for plans with roles."""

    @cached_property
    def draft(self) -> Draft:
        d = Draft()
        d.results = tuple(self.program(d, self.size, self.dtype))
        return d

    def compile(self) -> Program:
        if "roles" not in self.plan:
            return ptir.compile(planned(self.draft, **self.plan)).program
        module = PassManager(TO_REGIONS).run(ptir.parse(self.draft.text))
        (kernel,) = (op for op in module.ops if isinstance(op, RegionKernelOp))
        space = kernel_space(kernel)
        left = {"predicate_tail": tails(self.plan["tile"], space), "epilogue": epilogue_labels(kernel, space)}
        kernel.plan = ScheduleAttr(Schedule(**ROLES, **left, **self.plan))
        with multiprocessors(self.blocks):
            return compile_module(module, "sm90")

    @cached_property
    def inputs(self) -> tuple[Arrays, Arrays]:
        """Integers whose sums are exact in f32, and the same with some zeros of both signs, infinities and NaN."""
        return self.draft.arrays(11, True), mixed(self.draft.arrays(11, True))

    @cached_property
    def _wanted(self) -> list[Arrays]:
        return [self.draft.oracle(arrays) for arrays in self.inputs]

    @cached_property
    def numbers(self) -> Arrays:
        return mixed(self.draft.arrays(12, False))

    def is_right(self, k: int, got: Arrays) -> bool:
        return all(_same(g, w) for g, w in zip(got, self._wanted[k], strict=True))


def _same(got: Any, wanted: Any) -> bool:
    """Whether `got` equals `wanted`, which is float64 and represents all values of the type of `got`. NaNs are equal."""
    return got.shape == wanted.shape and np.array_equal(np.asarray(got, np.float64), wanted, equal_nan=True)
