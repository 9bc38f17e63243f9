"""
Checks that the results of a compiled program are within the error bounds of its source: those of the tile program in the
interpreter, and those of the PTX in the emulator.

Bounds have zero width where no order of additions rounds: integers, and floats with exact sums, must come out bit for bit. The
emulator reports races, accesses out of bounds, and reads of uninitialized memory.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp, TensorType

import ptir
from ptir.errors import PtirError
from ptir.semantics.bounds import bounds, check
from ptir.semantics.bounds.intervals import Interval
from ptir.semantics.errors import NoBounds, Violation
from ptir.semantics.interpreter import call
from ptir.text.writing import print_module
from tests.random_programs.check import Checker, Problem
from tests.random_programs.dtypes import spelling
from tests.random_programs.generator import Case

TO_TILES = "region-to-pto"
"""The pass after which the module is printed, parsed again and interpreted."""
ARCHS = ("sm80", "sm90")


@dataclass
class Compiler(Checker):
    """Checks programs for each architecture."""

    def check(self, case: Case) -> list[Problem]:
        for op in case.module.walk():
            types = {v.type.element_type for v in (*op.operands, *op.results) if isinstance(v.type, TensorType)}
            self.watch.ran.update((op.name, spelling(dtype)) for dtype in types)
        if not case.inputs:  # the shrinker removed the function
            return []
        ((name, arrays),) = case.inputs.items()
        try:
            intervals = bounds(case.module, name, *arrays)
        except NoBounds as e:
            self.errors[e.code] += 1
            intervals = None
        except Violation:  # the shrinker made an index that is out of range
            return []
        interpreted: set[str] = set()
        return [p for arch in ARCHS for p in self.compiled(case, arch, intervals, interpreted)]

    def compiled(
        self, case: Case, arch: str, intervals: Sequence[Interval] | None, interpreted: set[str]
    ) -> list[Problem]:
        """
        Returns the problems of the program compiled for an architecture. Without `intervals`, results are not checked. Tile programs
        in `interpreted` are not interpreted again: often, those of both architectures differ only in its name.
        """
        ((name, inputs),) = case.inputs.items()
        arrays = [np.asarray(x) for x in inputs]
        tiles: list[str] = []
        found: list[Problem] = []

        def watch(pass_: str, module: ModuleOp) -> None:
            if pass_ == TO_TILES:
                tiles.append(print_module(module))

        def outcome(stage: str, function: Callable[[], Any]) -> Any:
            try:
                return function()
            except Exception as e:  # any exception is a finding
                code = e.code if isinstance(e, PtirError) else type(e).__name__
                found.append(Problem(f"{stage}: {code}", f"{arch}: {e}"))
                return None

        def compare(stage: str, run: Callable[[], Any]) -> None:
            values = outcome(stage, run)
            for k, (value, interval) in enumerate(zip(values or (), intervals or (), strict=False)):
                if not (report := check(np.asarray(value), interval)).ok:
                    found.append(Problem(f"{stage}: wrong result", f"{arch}: result {k}: {report}"))

        program = outcome("compiler", lambda: ptir.compile(case.module, arch=arch, device=ptir.Emulator(), watch=watch))
        if tiles and (text := tiles[-1].replace(f'"{arch}"', '"sm"')) not in interpreted:
            interpreted.add(text)
            compare("tiles", lambda: call(ptir.parse(tiles[-1]), name, *arrays))
        if program is not None:
            compare("emulator", lambda: program(*arrays))
        return found
