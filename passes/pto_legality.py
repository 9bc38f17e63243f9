"""
`pto-check-legality{target=a3}`: reports everything in a tile program that a target cannot hold or compute; changes nothing.

```mlir
module attributes { pto.target = #pto.target<a3> } { … }     // without the option, this is the target
```

The rules are those of `analysis/pto/legality.py`, the numbers those of `targets/pto/`. Spec: `pto-ir.md §7`.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from ..analysis.pto.extents import Extents
from ..analysis.pto.legality import violations
from ..analysis.pto.target import target_of
from ..targets.pto.machines import machine_named
from .errors import NotLegal


@dataclass(frozen=True)
class PtoCheckLegality(ModulePass):
    """Reports every op and tile that is not legal for a target, with the reason; changes nothing."""

    name = "pto-check-legality"
    target: str | None = None
    """The target: a2, a3, a5, sm80 or sm90. By default that of the module's attribute `pto.target`."""

    def __post_init__(self) -> None:
        if self.target is not None:
            machine_named(self.target)

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        machine, extents = target_of(op, self.target), Extents()
        errors = [error for each in op.walk() for error in violations(each, machine, extents)]
        if len(errors) == 1:
            raise errors[0]
        if errors:
            raise NotLegal([(error.op or op, error) for error in errors], f" {machine.name}")
