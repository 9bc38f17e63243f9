"""
Equal layers are fused once: each becomes a call of one function until the kernels are formed.

```
%1 = …layer(%0, %w0)…                 %1 = call @f_layer(%0, %w0)           func private @f_layer(%x, %w) { …layer(%x, %w)… }
%2 = …layer(%1, %w1)…        →        %2 = call @f_layer(%1, %w1)
%3 = …layer(%2, %w2)…                 %3 = call @f_layer(%2, %w2)
```

Layers are found in the ops of a function, in an order that depends on what they compute alone: as sections that repeat, each with the
same ops between values of the same types, at least one product among them. They begin where the fewest bytes cross from one to the next:
what crosses is stored. Ops that a layer can compute from fewer bytes than it would read, such as masks of positions and broadcasts, are
copied into it. Spec: `tensor-compiler.ja §4.1` (5).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.ir import Block, Operation, Region, SSAValue

from ...analysis.regions.kernel import bytes_of
from ...analysis.regions.kernel_ops import HOST_OPS
from ...dialects import tiny
from ...dialects.common.kernel import free_symbol
from ..inline import inline_call
from .sections import Sections, is_elementwise

MAX_FUNCTIONS = 8
"""Maximum number of kinds of layers of a function."""


@dataclass
class Layers:
    """A function that computes one of equal layers, and the calls of it."""

    function: FuncOp
    calls: list[CallOp]

    def inline(self) -> None:
        """Replaces the calls in the module by the body of the function, and erases it."""
        module = self.function.parent_op()
        assert module is not None
        for call in [op for op in module.walk() if isinstance(op, CallOp) and op.callee == self.calls[0].callee]:
            inline_call(call, self.function)
        self.function.detach()
        self.function.erase()


def outline_layers(module: ModuleOp, function: FuncOp) -> list[Layers]:
    """Moves equal layers of a function into functions of their own, those of the most ops first."""
    out: list[Layers] = []
    while len(out) < MAX_FUNCTIONS and (found := Sections.of(function.body.block)) is not None:
        out.append(_outlined(module, function, found))
    return out


def passed_on(layers: Sequence[Layers]) -> dict[FuncOp, set[SSAValue]]:
    """Returns the results of each layer that only kernels, and other layers, read."""
    calls = {call for each in layers for call in each.calls}

    def leaves(value: SSAValue) -> bool:
        users = (use.operation for use in value.uses)
        return any(isinstance(op, (ReturnOp, *HOST_OPS)) and op not in calls for op in users)

    out: dict[FuncOp, set[SSAValue]] = {}
    for each in layers:
        last = each.function.body.block.last_op
        results = zip(last.operands if last is not None else (), *(c.results for c in each.calls), strict=True)
        out[each.function] = {v for v, *found in results if not any(map(leaves, found))}
    return out


Column = tuple[SSAValue, ...]
"""The values that the sections read at one operand, one for each section."""


@dataclass
class _Body:
    """The body of the function of a layer. `columns` are what the calls pass, for each argument."""

    is_free: Callable[[SSAValue], bool]
    block: Block = field(default_factory=Block)
    columns: list[Column] = field(default_factory=list[Column])
    known: dict[Column, SSAValue] = field(default_factory=dict[Column, SSAValue])

    def read(self, column: Column) -> SSAValue:
        """Returns the value in the body for what the sections read: a copy of the op that computes it, or an argument."""
        todo = [column]
        while column not in self.known:
            here = todo[-1]
            op = here[0].owner
            if (is_elementwise(op) and len(set(here)) == 1 and self._is_smaller(op)) or self.is_free(here[0]):
                assert isinstance(op, Operation)
                if missing := [c for c in ((v,) * len(here) for v in op.operands) if c not in self.known]:
                    todo += missing
                    continue
                self.known[here] = self.copy(op, [self.known[(v,) * len(here)] for v in op.operands])
            elif here not in self.known:
                arg = self.block.insert_arg(here[0].type, len(self.columns))
                arg.name_hint = here[0].name_hint
                self.columns.append(here)
                self.known[here] = arg
            todo.pop()
        return self.known[column]

    def _is_smaller(self, op: Operation) -> bool:
        """Whether what an op reads has fewer bytes than its result, or as many if the op only moves them."""
        read = sum(bytes_of(v) for v in set(op.operands) if not self.is_free(v))
        return read < bytes_of(op.results[0]) + isinstance(op, tiny.MovementOp)

    def copy(self, op: Operation, operands: Sequence[SSAValue]) -> SSAValue:
        copy = op.clone()
        copy.operands, copy.location = operands, op.location
        self.block.add_op(copy)
        return copy.results[0]


def _outlined(module: ModuleOp, function: FuncOp, found: Sections) -> Layers:
    body, block = _Body(found.is_free), function.body.block
    places: list[dict[SSAValue, int]] = [{op.results[0]: k for k, op in enumerate(ops)} for ops in found.ops]
    made: list[SSAValue] = []
    for k, op in enumerate(found.ops[0]):
        operands: list[SSAValue] = []
        for j, v in enumerate(op.operands):
            own = v in places[0]
            operands.append(made[places[0][v]] if own else body.read(tuple(ops[k].operands[j] for ops in found.ops)))
        made.append(body.copy(op, operands))
    body.block.add_op(end := ReturnOp(*(made[k] for k in found.results)))
    name = free_symbol(module, f"{function.sym_name.data}_layer")
    types = [a.type for a in body.block.args], list(end.operand_types)
    layer = FuncOp(name, types, Region(body.block), StringAttr("private"))
    layer.location, end.location = function.location, found.ops[0][-1].location
    module.body.block.insert_op_before(layer, function)
    calls = [CallOp(name, [c[i] for c in body.columns], types[1]) for i in range(len(found.ops))]
    place = {op: i for i, ops in enumerate(found.ops) for op in ops}
    for call, ops in zip(calls, found.ops, strict=True):
        call.location = ops[-1].location
    seen = set[int]()
    last = block.last_op
    assert last is not None
    for op in found.order:
        op.detach()
        if op not in place:
            block.insert_op_before(op, last)
        elif place[op] not in seen:
            seen.add(place[op])
            block.insert_op_before(calls[place[op]], last)
    for call, ops in zip(calls, found.ops, strict=True):
        for result, k in zip(call.results, found.results, strict=True):
            result.name_hint = ops[k].results[0].name_hint
            ops[k].results[0].replace_all_uses_with(result)
    for op in [op for ops in found.ops for op in reversed(ops)]:
        op.erase(safe_erase=False)
    return Layers(layer, calls)
