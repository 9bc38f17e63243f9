"""
`vyre-inline`: replaces the calls of programs by the bodies of the ops that they call.

```
vyre.op @twice(%x: !vyre.u32) -> !vyre.u32 {      vyre.program @p workgroup [64, 1, 1] {
  %y = vyre.binop add %x, %x                        …
  vyre.return %y                             →      %y = vyre.binop add %a, %a
}                                                   …
vyre.program @p workgroup [64, 1, 1] {            }
  %r = vyre.call @twice(%a)
```

Ops are not recursive, so that no call remains. The ops stay.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import SymbolTable

from ..dialects import vyre
from ..errors import Unsupported

MAX_OPS = 100_000
"""Number of operations of a program. Without a limit, a chain of ops that each call the next one twice would double with every link."""


@dataclass(frozen=True)
class VyreInline(ModulePass):
    """Replaces calls in programs by the bodies of the ops that they call."""

    name = "vyre-inline"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for program in [p for p in op.walk() if isinstance(p, vyre.ProgramOp)]:
            inline(program)


def callee_of(call: vyre.CallOp) -> vyre.OpOp:
    """Returns the op that a call names. The verifier has checked that there is one."""
    return cast(vyre.OpOp, SymbolTable.lookup_symbol(call, call.callee))


def inlined_size(op: Operation, sizes: dict[Operation, int]) -> int:
    """Returns the number of ops in `op` after its calls are inlined. `sizes` has those of the ops that were counted."""
    if op not in sizes:
        sizes[op] = sum(inlined_size(callee_of(o), sizes) if isinstance(o, vyre.CallOp) else 1 for o in op.walk())
    return sizes[op]


def inline(program: vyre.ProgramOp) -> None:
    """Replaces the calls of a program. Raises `Unsupported` if it grows too much."""
    sizes: dict[Operation, int] = {}
    if (size := inlined_size(program, sizes)) > MAX_OPS:
        raise Unsupported(
            program, what=f"a program of {size:,} ops", need=f"call fewer: at most {MAX_OPS:,} are inlined"
        )
    while calls := [op for op in program.walk() if isinstance(op, vyre.CallOp)]:
        for call in calls:
            body = callee_of(call).body
            values: dict[SSAValue, SSAValue] = dict(zip(body.block.args, call.arguments, strict=True))
            for inner in list(body.block.ops)[:-1]:
                Rewriter.insert_op(inner.clone(value_mapper=values), InsertPoint.before(call))
            result = cast(vyre.ReturnOp, body.block.last_op).value
            call.result.replace_all_uses_with(values[result])
            Rewriter.erase_op(call)
