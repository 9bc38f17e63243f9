"""
Checks that the input of a lowering is at the level that the lowering reads.

A pass that lowers kernels leaves a program without such kernels as it is: the program may be empty, or lowered already, so that
a pipeline can run on its own result. But a program at a level above kernels (`ptir`, `tiny`) has no kernels either, and would be
returned as if it had been lowered. `require_level` therefore raises `WrongLevel` at the first op that must be lowered first,
and names the missing passes.
"""

from __future__ import annotations

from typing import Literal

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from ..errors import WrongLevel

_LEVELS = {"ptir": 0, "tiny": 1, "region.kernel": 2, "pto.kernel": 3, "nv": 4}
"""The level of an op by its name or dialect; 0 is the highest level. Kernels may contain ops of higher levels."""

_STEPS = ("ptir-to-tiny", "form-regions", "plan-regions,region-to-pto")
"""For each level above `pto.kernel`, the passes that lower it to the next level."""


def require_level(module: ModuleOp, kernels: Literal["region.kernel", "pto.kernel"], stage: str) -> None:
    """
    Raises `WrongLevel` if a function of `module` has only ops of levels above kernels, or the whole `module` only ops of levels
    above `kernels`, the level that the pass `stage` lowers.
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
