"""
Checks that a program is at the level that a lowering reads.

A lowering of kernels leaves a program without kernels as it is: an empty one, or one that is lowered already, so that a
pipeline can run on its own result. A program that is still above kernels has none either, and would be returned as if it
had been lowered. `require_level` therefore raises `WrongLevel` at the first op that is left to be lowered, with the passes
that are missing, as form-regions does.
"""

from __future__ import annotations

from typing import Literal

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from ..errors import WrongLevel

_LEVELS = {"ptir": 0, "tiny": 1, "region.kernel": 2, "pto.kernel": 3, "nv": 4}
"""The level of an op, by its name or its dialect; bodies of kernels hold ops of the levels above."""

_STEPS = ("ptir-to-tiny", "form-regions", "plan-regions,region-to-pto")
"""The passes that lower each of the levels above `pto.kernel` to the next."""


def require_level(module: ModuleOp, kernels: Literal["region.kernel", "pto.kernel"], stage: str) -> None:
    """
    Raises `WrongLevel` if a function of `module` has only ops above kernels, or the whole `module` only ops above the
    kernels that `stage` lowers.
    """
    found: dict[int, Operation] = {}
    for part in module.ops:
        levels = _first_of_each_level(part)
        if max(levels, default=len(_STEPS)) < _LEVELS["region.kernel"]:
            found = levels
            break
        found |= levels
    lowest, wanted = max(found, default=len(_STEPS)), _LEVELS[kernels]
    if lowest < wanted:
        need = f"run {','.join(_STEPS[lowest:wanted])} first"
        raise WrongLevel(found[lowest], name=found[lowest].name, stage=stage, need=need)


def _first_of_each_level(part: Operation) -> dict[int, Operation]:
    first: dict[int, Operation] = {}
    for op in part.walk():
        level = _LEVELS.get(op.name, _LEVELS.get(op.name.partition(".")[0]))
        if level is not None:
            first.setdefault(level, op)
    return first
