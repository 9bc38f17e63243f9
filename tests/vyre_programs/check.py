"""Compares the backends: the interpreter, PTX in the emulator, and WGSL, if an adapter is given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from ptir.runtime.vyre import PtxPrograms
from ptir.runtime.wgsl import WgslProgram
from ptir.semantics.vyre import dispatch, find_program
from ptir.text.verify import verify_module

from .generator import Case, generate


def cases(seeds: Sequence[int], floats: bool = False) -> tuple[ModuleOp, list[Case]]:
    """Returns programs, and one module of all of them."""
    made = [generate(seed, name=f"p{seed}", floats=floats) for seed in seeds]
    module = ModuleOp([op.clone() for case in made for op in case.module.ops])
    verify_module(module)
    return module, made


def differs(want: Mapping[str, Any], got: Mapping[str, Any]) -> str | None:
    """Returns the first buffer that differs, and where."""
    for name, words in want.items():
        wrong = np.flatnonzero(words != got[name])
        if wrong.size:
            k = int(wrong[0])
            return f"word {k} of '{name}' is {got[name][k]:#x}, expected {words[k]:#x} ({wrong.size} differ)"
    return None


def check(seeds: Sequence[int], wgsl: bool, floats: bool = False) -> dict[int, str]:
    """Returns what is wrong with each of the programs that a backend executes differently."""
    module, made = cases(seeds, floats)
    ptx = PtxPrograms.compile(module)
    found: dict[int, str] = {}
    for seed, case in zip(seeds, made, strict=True):
        name = f"p{seed}"
        want = dispatch(find_program(module, name), case.buffers, case.workgroups)
        got = {"PTX": ptx.dispatch(case.buffers, case.workgroups, name)}
        if wgsl:
            got["WGSL"] = WgslProgram(case.module).dispatch(case.buffers, case.workgroups)
        for backend, words in got.items():
            if (problem := differs(want, words)) is not None:
                found[seed] = f"{backend}: {problem}"
    return found
