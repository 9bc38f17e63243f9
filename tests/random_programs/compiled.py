"""
Checks that programs compile for sm80 and sm90, and that their results are those of the reference (`expected.py`): those of the tile
program in the interpreter, and those of the PTX in the emulator, which reports races, accesses out of bounds, and reads of
uninitialized memory.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp, TensorType

import ptir
from ptir.analysis.index.static_sizes import is_dynamic
from ptir.errors import PtirError
from ptir.runtime.compiled import Compiled
from ptir.runtime.sizes import bound_sizes, shapes_of
from ptir.semantics.interpreter import call as interpret
from ptir.text.writing import print_module

from .check import Checker, Problem, same
from .dtypes import spelling
from .expected import Expected, Outcome
from .generator import Case

TO_TILES = "region-to-pto"
"""The pass after which the module is printed, parsed again and interpreted."""
ARCHS = ("sm80", "sm90")


@dataclass
class Compiler(Checker):
    """Checks programs for each architecture."""

    archs: Sequence[str] = ARCHS

    @property
    def settings(self) -> dict[str, Any]:
        return {"archs": list(self.archs)}

    def check(self, case: Case) -> list[Problem]:
        for op in case.module.walk():
            types = {v.type.element_type for v in (*op.operands, *op.results) if isinstance(v.type, TensorType)}
            self.watch.ran.update((op.name, spelling(dtype)) for dtype in types)
        module = ptir.parse(print_module(case.module))  # its ops have places, which errors name
        calls: list[Call] = []
        for name, inputs in case.inputs.items():
            arrays = [np.asarray(x) for x in inputs]
            expected = Expected.of(module, name, arrays)
            if expected.outcomes[0].error and not case.violated:
                return []  # the shrinker made an index that is out of range
            self.compared.update(expected.compared)
            self.errors.update(o.error.split()[0] for o in expected.outcomes[:1] if o.error)
            calls.append(Call(module, name, arrays, expected))
        return [problem for arch in self.archs for problem in compiled(module, calls, arch)]


@dataclass
class Call:
    """A call of a function, and the tile programs that have been interpreted: often, those of both architectures are the same."""

    module: ModuleOp
    name: str
    arrays: Sequence[Any]
    expected: Expected
    interpreted: set[str] = field(default_factory=set[str])


def compiled(module: ModuleOp, calls: Sequence[Call], arch: str) -> list[Problem]:
    """Returns the problems of calls of a program that is compiled for an architecture."""
    found: list[Problem] = []
    tiles = ""

    def watch(pass_: str, at: ModuleOp) -> None:
        nonlocal tiles
        if pass_ == TO_TILES:
            tiles = print_module(at)

    def outcome(stage: str, function: Callable[[], Any]) -> Any:
        try:
            return function()
        except Exception as e:  # any exception is a finding
            code = e.code if isinstance(e, PtirError) else type(e).__name__
            found.append(Problem(f"{stage}: {code}", f"{arch}: {e}"))
            return None

    def compare(stage: str, call: Call, run: Callable[[], Any], places: bool) -> None:
        before = [x.copy() for x in call.arrays]
        got = outcome(stage, lambda: Outcome.of(run))
        if got is not None and (problem := call.expected.problem(got, places)) is not None:
            found.append(Problem(f"{stage}: {problem[0]}", f"{arch}: @{call.name}: {problem[1]}"))
        if not same(before, call.arrays):
            found.append(Problem(f"{stage}: writes its arguments", call.name))

    def compile(entry: str | None) -> Compiled:
        return ptir.compile(module, arch=arch, entry=entry, device=ptir.Emulator(), watch=watch)

    whole = None if any(map(is_dynamic, module.ops)) else outcome("compiler", lambda: compile(None))

    def specialized(call: Call) -> Compiled:
        """Returns the program of a function, compiled for the sizes of a call."""
        program = compile(call.name) if whole is None else replace(whole, entry=call.name)
        return program.compile_for(**bound_sizes(program.signature.function, shapes_of(program.signature, call.arrays)))

    for each in () if found else calls:
        if (program := outcome("compiler", lambda call=each: specialized(call))) is None:
            continue
        if (text := tiles.replace(f'"{arch}"', '"sm"')) not in each.interpreted:
            each.interpreted.add(text)
            compare("tiles", each, lambda call=each: interpret(ptir.parse(tiles), call.name, *call.arrays), False)
        compare("emulator", each, lambda call=each, run=program: run(*call.arrays), True)
    return found
