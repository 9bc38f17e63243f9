"""
`inline`: replaces calls by the body of the function that they call.

```
func.func @f(%x: …) {                         func.func @f(%x: …) {
  %0, %1 = func.call @g(%x)                     %0 = ptir.exp %x          // callsite(in @g at the call)
  func.return %1                       →        func.return %0
}                                             }
func.func private @g(%a: …) {                 func.func private @g(%a: …) {
  %e = ptir.exp %a                              …
  func.return %a, %e                          }
}
```

Functions are visited after their callees, so that one visit of each is enough. Callees are not erased; `symbol-dce` erases
private ones. A call stays, and a remark gives the reason, if

- the callee has several blocks, or the module would grow too much;
- the call's types are not equal to the callee's signature, but instances of it, such as a static size for a dynamic one;
- the callee binds the name of a dimension that its arguments do not have: a name stands for one size throughout a function,
  and may stand for another size in the caller.

A call stays without a remark if the callee has no body or is recursive, or if it or the call has the attribute
`no_inline`.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from xdsl.context import Context
from xdsl.dialects.builtin import CallSiteLoc, LocationAttr, ModuleOp
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint, Rewriter

from ..analysis.program.statistics import count
from ..analysis.program.symbols import SymbolTables
from ..dialects.ptir.names import names

log = logging.getLogger(__name__)
T = TypeVar("T")

NO_INLINE = "no_inline"
"""MLIR's attribute of a function or call that must not be inlined."""

GROWTH = 10_000
"""
Number of operations by which any module may grow, in addition to `GROWTH_FACTOR`. Without a limit, a chain of functions that each
call the next one twice would double with every link.
"""
GROWTH_FACTOR = 10
"""Multiple of its own number of operations by which a module may grow."""


@dataclass(frozen=True)
class Inline(ModulePass):
    """Replaces calls of functions by their bodies."""

    name = "inline"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        sizes = {f: sum(1 for _ in f.walk()) for f in op.walk() if isinstance(f, FuncOp)}
        room = GROWTH + GROWTH_FACTOR * sum(sizes.values())
        tables = SymbolTables()
        calls = {f: [(c, _callee(c, tables)) for c in f.walk() if isinstance(c, CallOp)] for f in sizes}
        recursive: set[FuncOp] = set()
        for component in components(sizes, lambda f: [g for _, g in calls[f] if g is not None]):
            if len(component) > 1 or any(callee is component[0] for _, callee in calls[component[0]]):
                recursive.update(component)
            for function in component:
                for call, callee in calls[function]:
                    name = call.callee.string_value()
                    if callee is None or callee in recursive or _is_marked(call) or _is_marked(callee):
                        log.debug("@%s has no body, is recursive, or is not to be inlined", name, extra={"op": call})
                    elif (reason := _obstacle(call, callee, room - sizes[callee])) is not None:
                        log.info("@%s is not inlined: %s", name, reason, extra={"op": call})
                    else:
                        inline_call(call, callee)
                        added = sizes[callee] - 3  # without the function, its terminator and the call
                        sizes[function] += added
                        room -= added
                        count("calls inlined")


def _callee(call: CallOp, tables: SymbolTables) -> FuncOp | None:
    """Returns the function that is called, or None if its body is not known."""
    found = tables.resolve(call, call.callee)
    return found[-1] if found and isinstance(found[-1], FuncOp) and not found[-1].is_declaration else None


def _is_marked(op: Operation) -> bool:
    return NO_INLINE in op.attributes or NO_INLINE in op.properties


def _obstacle(call: CallOp, callee: FuncOp, room: int) -> str | None:
    """
    Returns the reason why the call cannot be replaced by the callee's body, or None. `room` is the number of operations by which
    the module may still grow after that.
    """
    if len(callee.body.blocks) > 1:
        return "it has several blocks"
    block = callee.body.block
    if not isinstance(block.last_op, ReturnOp):
        return "it does not end in func.return"
    if call.operand_types != block.arg_types or call.result_types != block.last_op.operand_types:
        return "the types of the call are instances of its signature"
    if unbound := names(v for op in callee.walk() for v in op.results) - names(block.args):
        return f"a dimension {min(unbound)} of its own may be another one in the caller"
    return "the module grows too much" if room < 0 else None


def inline_call(call: CallOp, callee: FuncOp) -> None:
    """Replaces `call` by a copy of the body of `callee`, which is a single block."""
    body = callee.body.clone().block
    locations: dict[int, LocationAttr] = {}
    """Maps the `id` of each old location to the new one. (Hashing a location itself takes time proportional to its depth.)"""

    def at_call(location: LocationAttr) -> LocationAttr:
        return locations.setdefault(id(location), CallSiteLoc(location, call.location))

    for op in body.walk():
        op.location = at_call(op.location)
        for arg in (arg for region in op.regions for block in region.blocks for arg in block.args):
            arg.location = at_call(arg.location)
    inline_block(call, body, call.arguments)


def inline_block(op: Operation, body: Block, arguments: Sequence[SSAValue]) -> None:
    """Replaces `op` by the ops of `body`, and its results by the operands of `body`'s terminator."""
    end = body.last_op
    assert end is not None
    Rewriter.inline_block(body, InsertPoint.before(op), arguments)
    PatternRewriter(op).replace(op, [], list(end.operands))
    Rewriter.erase_op(end)


def components(nodes: Iterable[T], successors: Callable[[T], Iterable[T]]) -> Iterator[Sequence[T]]:
    """Yields the strongly connected components of a graph, each after its successors (Tarjan's algorithm)."""
    number: dict[T, int] = {}
    lowest: dict[T, int] = {}
    height: dict[T, int] = {}
    """Maps each node that is not in a component yet to its position in `stack`."""
    stack: list[T] = []
    path: list[tuple[T, Iterator[T]]] = []

    def enter(node: T) -> None:
        number[node] = lowest[node] = len(number)
        height[node] = len(stack)
        stack.append(node)
        path.append((node, iter(successors(node))))

    for root in nodes:
        if root not in number:
            enter(root)
        while path:
            node, rest = path[-1]
            ahead = next(rest, None)
            if ahead is None:
                path.pop()
                if path:
                    around = path[-1][0]
                    lowest[around] = min(lowest[around], lowest[node])
                if lowest[node] == number[node]:
                    component = stack[height[node] :]
                    del stack[height[node] :]
                    for member in component:
                        del height[member]
                    yield component
            elif ahead not in number:
                enter(ahead)
            elif ahead in height:
                lowest[node] = min(lowest[node], number[ahead])
