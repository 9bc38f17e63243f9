"""
Packs values of a random program into tuples: inputs and results of control flow, arguments and results of functions.

```
%r:2 = ptir.cond %p (%a, %b, %c) …   →   %t = ptir.tuple %b, %c
                                         %s = ptir.cond %p (%a, %t) …             its regions begin with ptir.tuple_element
                                         %r:2 = ptir.tuple_element %s[0], %s[1]
```
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any

from xdsl.dialects.builtin import ModuleOp, TupleType
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ptir.dialects import ptir

Control = ptir.CondOp | ptir.WhileOp | ptir.ScanOp | ptir.CompositeOp
Build = Callable[[Any, Sequence[SSAValue], Sequence[Block], Sequence[Attribute]], Operation]
BUILD: Mapping[type[Operation], Build] = {
    ptir.CondOp: lambda op, inputs, blocks, types: ptir.CondOp(op.pred, inputs, *blocks, types),
    ptir.WhileOp: lambda op, inputs, blocks, types: ptir.WhileOp(inputs, *blocks, types),
    ptir.ScanOp: lambda op, inputs, blocks, types: ptir.ScanOp(inputs, op.scanned, *blocks, types),
    ptir.CompositeOp: lambda op, inputs, blocks, types: ptir.CompositeOp(
        op.known_as.data, inputs, *blocks, None, types
    ),
    CallOp: lambda op, inputs, blocks, types: CallOp(op.callee, inputs, types),
}
"""Builds an op like another one, with other inputs, blocks and types of the results."""


def pack(rng: Random, module: ModuleOp, share: float) -> None:
    """Packs values at this share of control flow and functions; in some, a tuple becomes an element of another one."""
    for _ in range(2):
        for op in [op for op in module.walk() if isinstance(op, Control) and rng.random() < share]:
            _pack_control(rng, op)
        for function in [op for op in module.ops if isinstance(op, FuncOp) and rng.random() < share]:
            _pack_function(rng, module, function)


def _some(rng: Random, count: int) -> slice:
    """Returns a range of `count` values, which may be empty."""
    start, stop = sorted(rng.choices(range(count + 1), k=2))
    return slice(start, stop)


def _pack_control(rng: Random, op: Control) -> None:
    inputs = op.carried if isinstance(op, ptir.ScanOp) else op.inputs  # pyright: ignore
    part = _some(rng, len(inputs))
    out = part if isinstance(op, ptir.WhileOp | ptir.ScanOp) else _some(rng, len(op.results))
    blocks = [region.detach_block(0) for region in op.regions]
    for k, block in enumerate(blocks):
        _pack_arguments(block, part)
        assert block.last_op is not None
        first = int(isinstance(op, ptir.WhileOp) and k == 0)  # the predicate
        block.last_op.operands = _packed(
            block.last_op, block.last_op.operands, slice(out.start + first, out.stop + first)
        )
    _replace(op, inputs, part, out, blocks)


def _pack_function(rng: Random, module: ModuleOp, function: FuncOp) -> None:
    block, end = function.body.block, function.body.block.last_op
    assert end is not None
    part, out = _some(rng, len(block.args)), _some(rng, len(end.operands))
    _pack_arguments(block, part)
    end.operands = _packed(end, end.operands, out)
    function.update_function_type()
    name = function.sym_name.data
    for call in [op for op in module.walk() if isinstance(op, CallOp) and op.callee.string_value() == name]:
        _replace(call, call.operands, part, out, [])


def _replace(op: Operation, inputs: Sequence[SSAValue], part: slice, out: slice, blocks: Sequence[Block]) -> None:
    """Replaces an op by one that takes and returns tuples."""
    new = BUILD[type(op)](op, _packed(op, inputs, part), blocks, _types(op.result_types, out))
    Rewriter.insert_op(new, InsertPoint.before(op))
    Rewriter.replace_op(op, [], _unpacked(InsertPoint.before(op), new.results, out))


def _packed(op: Operation, values: Sequence[SSAValue], part: slice) -> list[SSAValue]:
    """Adds a tuple of a part of the values before an op. Returns the values, with the tuple for this part."""
    if part.start == part.stop:
        return list(values)
    whole = ptir.TupleOp(values[part])
    Rewriter.insert_op(whole, InsertPoint.before(op))
    return [*values[: part.start], whole.result, *values[part.stop :]]


def _types(types: Sequence[Attribute], part: slice) -> list[Attribute]:
    packed = [TupleType(tuple(types[part]))] if part.start < part.stop else []  # pyright: ignore
    return [*types[: part.start], *packed, *types[part.stop :]]


def _unpacked(at: InsertPoint, values: Sequence[SSAValue], part: slice) -> list[SSAValue]:
    """Takes the tuple among the values apart, and returns the values that there were before."""
    if part.start == part.stop:
        return list(values)
    elements = [ptir.TupleElementOp(values[part.start], k) for k in range(part.stop - part.start)]
    Rewriter.insert_op(elements, at)
    return [*values[: part.start], *(e.result for e in elements), *values[part.start + 1 :]]


def _pack_arguments(block: Block, part: slice) -> None:
    if part.start == part.stop:
        return
    old = list(block.args[part])
    whole = block.insert_arg(TupleType(tuple(arg.type for arg in old)), part.start)  # pyright: ignore
    for arg, value in zip(old, _unpacked(InsertPoint.at_start(block), [whole], slice(0, len(old))), strict=True):
        arg.replace_all_uses_with(value)
        block.erase_arg(arg)
