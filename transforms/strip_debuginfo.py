"""
`strip-debuginfo`: replaces every location by `unknown`.

```
%0 = ptir.exp %x : tensor<4xf32> loc("m.mlir":3:8)     →     %0 = ptir.exp %x : tensor<4xf32> loc(unknown)
```

This includes the locations of block arguments. Later diagnostics have no locations.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import UNKNOWN_LOC, ModuleOp
from xdsl.passes import ModulePass


@dataclass(frozen=True)
class StripDebuginfo(ModulePass):
    """Replaces all locations by `unknown`."""

    name = "strip-debuginfo"
    keeps_locations: ClassVar[bool] = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for inner in op.walk():
            inner.location = UNKNOWN_LOC
        for block in op.walk_blocks():
            for arg in block.args:
                arg.location = UNKNOWN_LOC
