"""
`ptir-inline-composites`: every composite becomes the ops of its region.

```
%p = ptir.composite "softmax.v1" (%z) … do (%x) {        %m = ptir.reduce max %z …
  %m = ptir.reduce max %x …                        →     …
  …                                                      %p = ptir.div …
  ptir.yield %r
}
```

It takes back what `ptir-recognize` has done, but for the order of ops that do not need each other.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass

from ..analysis.program.statistics import count
from ..dialects import ptir


def inline_composites(root: Operation) -> None:
    """Composites in composites too."""
    for op in list(root.walk()):
        if isinstance(op, ptir.CompositeOp):
            _inline(op)
            count("composites inlined")


def _inline(op: ptir.CompositeOp) -> None:
    body, home = op.body.block, op.parent
    end = body.last_op
    if home is None or end is None:
        return
    for arg, operand in zip(body.args, op.inputs, strict=True):
        arg.replace_all_uses_with(operand)
    results: list[SSAValue] = list(end.operands)
    for inner in list(body.ops):
        inner.detach()
        if inner is not end:
            home.insert_op_before(inner, op)
    for old, new in zip(op.outputs, results, strict=True):
        if old.name_hint is not None and new.name_hint is None:
            new.name_hint = old.name_hint
        old.replace_all_uses_with(new)
    end.erase()
    op.detach()
    op.erase()


@dataclass(frozen=True)
class PtirInlineComposites(ModulePass):
    """Puts the regions of composites in their place; names and facts are dropped."""

    name = "ptir-inline-composites"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        inline_composites(op)
