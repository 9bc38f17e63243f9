"""
What a compiled program must give: results inside of the bounds of the program that was written, at the tile level and, by
the emulator, as machine code.

Bounds have no width where no order of additions rounds: integers, and floats with exact sums, must come out bit for bit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from xdsl.dialects.builtin import TensorType

import ptir
from ptir.errors import PtirError
from ptir.passes.manager import PassManager
from ptir.semantics.bounds import bounds, check
from ptir.semantics.errors import NoBounds
from ptir.semantics.interpreter import call
from ptir.text.writing import print_module
from tests.random_programs.check import Checker, Problem
from tests.random_programs.dtypes import spelling
from tests.random_programs.generator import Case

TO_TILES = "ptir-to-tiny,build-poly-view,form-regions,plan-regions{{arch={}}},region-to-pto"


def tiles(case: Case, arch: str) -> Callable[..., Any]:
    """The tile program, printed and parsed again, as a function."""
    module = ptir.parse(print_module(PassManager(TO_TILES.format(arch)).run(case.module.clone())))
    (name,) = case.inputs
    return lambda *arrays: call(module, name, *arrays)


def kernels(case: Case, arch: str) -> Callable[..., Any]:
    """The kernels, executed by the emulator, which reports races, accesses out of bounds and what is read unwritten."""
    return ptir.compile(case.module, arch=arch, device=ptir.Emulator())


STAGES = {"pto": tiles, "emulator": kernels}
NO_FORM = "PTIR0202"
"""The code of the error for a product of si64 and ui64, whose values no type holds."""


@dataclass
class Compiler(Checker):
    """Checks programs at every stage for each architecture that has their element types."""

    def check(self, case: Case) -> list[Problem]:
        text = print_module(case.module)
        for op in case.module.walk():
            types = {
                spelling(v.type.element_type) for v in (*op.operands, *op.results) if isinstance(v.type, TensorType)
            }
            for dtype in types:
                self.watch.ran[op.name, dtype] += 1
        ((name, arrays),) = case.inputs.items()
        try:
            intervals = bounds(case.module, name, *arrays)
        except NoBounds as e:
            self.errors[e.code] += 1
            intervals = None
        archs = ("sm90",) if "f8E" in text else ("sm80", "sm90")
        return [p for arch in archs for stage in STAGES for p in self.compiled(case, arch, stage, intervals)]

    def compiled(self, case: Case, arch: str, stage: str, intervals: Sequence[Any] | None) -> Iterator[Problem]:
        """What is wrong with the program at one stage."""
        ((_, arrays),) = case.inputs.items()
        try:
            results = STAGES[stage](case, arch)(*map(np.asarray, arrays))
        except Exception as e:  # whatever goes wrong is the finding
            code = e.code if isinstance(e, PtirError) else type(e).__name__
            if code == NO_FORM:
                self.errors[code] += 1
            else:
                yield Problem(f"{stage}: {code}", f"{arch}: {e}")
            return
        for k, (value, interval) in enumerate(zip(results, intervals or (), strict=intervals is not None)):
            if not (report := check(np.asarray(value), interval)).ok:
                yield Problem(f"{stage}: wrong result", f"{arch}: result {k}: {report}")
