"""
`build-poly-view`: sets a `poly.view` beside every function of tiny ops.

```
func @f { tiny … }      →      func @f { tiny … }   poly.view @f { blocks, edges }
```

The view is for people and tests: no later pass relies on it, and `form-regions` raises an error if it contradicts the IR. With
`buffers`, the edges also have the anti and output dependences of values to which `plan_buffers` assigns the same memory.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from ..analysis.poly.view import build_view
from ..dialects.poly import ViewOp
from ..errors import Unsupported


@dataclass(frozen=True)
class BuildPolyView(ModulePass):
    """Writes a view of domains, accesses and dependences beside every function. Existing views are replaced."""

    name = "build-poly-view"
    buffers: bool = False
    """Also write the anti and output dependences of values that share a buffer."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for old in [o for o in op.body.block.ops if isinstance(o, ViewOp)]:
            Rewriter.erase_op(old)
        for function in [o for o in op.body.block.ops if isinstance(o, FuncOp) and not o.is_declaration]:
            if len(function.body.blocks) != 1:
                need = "write it as one block of operations"
                raise Unsupported(function, what="control flow in a tensor program", need=need)
            view = build_view(function, buffers=self.buffers)
            view.location = function.location
            op.body.block.insert_ops_after([view], function)
