"""
`inline`: calls become the body of the function that they call.

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

Callees are inlined into before their callers, so that one visit of each function is enough. What is called stays;
`symbol-dce` erases it where nobody else may call it. A call stays, and a remark says why, if its callee

- has several blocks, or the module would grow without measure;
- has types that are instances of the operands' and results', not the same, or binds a name of a dimension that its
  arguments do not have: names mean one size throughout a function, and the caller's may be another's.

Nothing is said of calls of functions that are only declared, that can come to call themselves, or that say `no_inline`, as
the call may too.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from xdsl.context import Context
from xdsl.dialects.builtin import CallSiteLoc, LocationAttr, ModuleOp
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass

from ..analysis.program.statistics import count
from ..analysis.program.symbols import SymbolTables
from ..dialects.ptir.names import names

log = logging.getLogger(__name__)
T = TypeVar("T")

NO_INLINE = "no_inline"
"""MLIR's mark on a function or a call."""


GROWTH, GROWTH_FACTOR = 10_000, 10
"""A module may grow by so many operations, and so many for each that it has: calls in a chain double them over and over."""


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
                    if callee is None or callee in recursive or _is_marked(call) or _is_marked(callee):
                        log.debug(
                            "@%s has no body, is recursive, or is not to be inlined",
                            call.callee.string_value(),
                            extra={"op": call},
                        )
                    elif (objection := _objection(call, callee)) is not None:
                        log.info("@%s is not inlined: %s", callee.sym_name.data, objection, extra={"op": call})
                    elif sizes[callee] > room:
                        log.info(
                            "@%s is not inlined: the module grows too much", callee.sym_name.data, extra={"op": call}
                        )
                    else:
                        inline_call(call, callee)
                        added = sizes[callee] - 3  # neither the function nor its end, and the call goes
                        sizes[function] += added
                        room -= added
                        count("calls inlined")


def _callee(call: CallOp, tables: SymbolTables) -> FuncOp | None:
    """The function that is called, if its body is known."""
    found = tables.resolve(call, call.callee)
    return found[-1] if found and isinstance(found[-1], FuncOp) and not found[-1].is_declaration else None


def _is_marked(op: Operation) -> bool:
    return NO_INLINE in op.attributes or NO_INLINE in op.properties


def _objection(call: CallOp, callee: FuncOp) -> str | None:
    """Why the body cannot stand in the place of the call."""
    if len(callee.body.blocks) > 1:
        return "it has several blocks"
    block = callee.body.block
    if not isinstance(block.last_op, ReturnOp):
        return "it does not end in func.return"
    if call.operand_types != block.arg_types or call.result_types != block.last_op.operand_types:
        return "the types of the call are instances of its signature"
    if unbound := names(v for op in callee.walk() for v in op.results) - names(block.args):
        return f"a dimension {min(unbound)} of its own may be another one in the caller"
    return None


def inline_call(call: CallOp, callee: FuncOp) -> None:
    """Puts a copy of the body of `callee`, a single block, in the place of `call`."""
    body, home = callee.body.block, call.parent
    if home is None or body.last_op is None:
        return
    values: dict[SSAValue, SSAValue] = dict(zip(body.args, call.arguments, strict=True))
    places: dict[int, LocationAttr] = {}
    """By identity: to hash a location takes as long as it is deep."""

    def place(location: LocationAttr) -> LocationAttr:
        if id(location) not in places:
            places[id(location)] = CallSiteLoc(location, call.location)
        return places[id(location)]

    for op in body.ops:
        if op is body.last_op:
            continue
        copy = op.clone(values)
        for inner in copy.walk():
            inner.location = place(inner.location)
            for block in (block for region in inner.regions for block in region.blocks):
                for arg in block.args:
                    arg.location = place(arg.location)
        home.insert_op_before(copy, call)
    for old, new in zip(call.results, (values.get(v, v) for v in body.last_op.operands), strict=True):
        if new.name_hint is None:
            new.name_hint = old.name_hint
        old.replace_all_uses_with(new)
    home.erase_op(call)


def components(nodes: Iterable[T], successors: Callable[[T], Iterable[T]]) -> Iterator[Sequence[T]]:
    """The strongly connected components of a graph, each after those that it leads to (Tarjan's algorithm)."""
    number: dict[T, int] = {}
    lowest: dict[T, int] = {}
    height: dict[T, int] = {}
    """Of the nodes that are in no component yet, where in `stack` they are."""
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
