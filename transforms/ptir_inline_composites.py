"""
`ptir-inline-composites`: replaces every composite by the ops of its region.

```
%p = ptir.composite "softmax.v1" (%z) … do (%x) {        %m = ptir.reduce max %z …
  %m = ptir.reduce max %x …                        →     …
  …                                                      %p = ptir.div …
  ptir.yield %r
}
```

This is the inverse of `ptir-recognize`, except for the order of independent ops.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from ..analysis.program.statistics import count
from ..dialects import ptir
from .inline import inline_block


def inline_composites(root: Operation) -> None:
    """Inlines all composites under `root`, nested ones included."""
    for op in list(root.walk()):
        if isinstance(op, ptir.CompositeOp):
            inline_block(op, op.body.block, op.inputs)
            count("composites inlined")


@dataclass(frozen=True)
class PtirInlineComposites(ModulePass):
    """Replaces composites by the ops of their regions; the composites' names and attributes are dropped."""

    name = "ptir-inline-composites"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        inline_composites(op)
