"""
Control flow, calls and custom calls of the host function.

```
ptir.cond %p (%a) then … else …      →   %b = region.read %p; scf.if %b { … } else { … }      on the memref of %a itself
ptir.while (%a) cond … do …          →   scf.while (%a) { …; scf.condition(region.read …) } do { … }
ptir.scan (%c) over (%xs) do …       →   scf.for %i to n iter_args(%c) { %x = region.row %xs[%i]; … }
func.call @g(%a)                     →   func.call @g(%a)                                     on memrefs
ptir.custom_call "t"(%a)             →   region.custom_call "t" ins(%a) outs(a new buffer)
```

Memrefs are carried, never copied: nothing is written after it has been computed. Kernels store the stacked results of a scan in
their rows. A row whose address need not be a multiple of 16 is copied where it leaves a block, and so is a row of a
stacked result that no kernel of the body computes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from xdsl.dialects import func, memref, scf
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Block, Operation, Region, SSAValue

from ...dialects import ptir, region
from ...dialects.common.shapes import shape
from .blocks import BlockWriter, StepWriter
from .kernels import ARGUMENT_ALIGNMENT, alignment, memref_block, memref_type


def _inner(write: BlockWriter, old: Block, into: Block) -> BlockWriter:
    """Returns the writer of a block inside of an op that `write` writes."""
    return BlockWriter(write.program, write.program.fuse(old), into)


def _end(old: Block) -> Operation:
    return cast(Operation, old.last_op)


def _cond(op: ptir.CondOp, write: BlockWriter) -> Sequence[SSAValue]:
    branches: list[Region] = []
    for body in (op.true_region, op.false_region):
        for arg, value in zip(body.block.args, op.inputs, strict=True):
            write.buffers[arg] = write.buffer(value)
        branches.append(Region(into := Block()))
        inner, end = _inner(write, body.block, into), _end(body.block)
        inner.add(scf.YieldOp(*inner.all_passed(inner.write(), end)), end)
    pred = write.add(region.ReadOp(write.buffer(op.pred)), op)
    then, otherwise = branches
    return write.add(scf.IfOp(pred.result, [memref_type(r) for r in op.outputs], then, otherwise), op).results


def _while(op: ptir.WhileOp, write: BlockWriter) -> Sequence[SSAValue]:
    regions: list[Region] = []
    for body in (op.cond_region, op.body_region):
        into = memref_block(body.block.args)
        write.buffers.update(zip(body.block.args, into.args, strict=True))
        regions.append(Region(into))
        inner, end = _inner(write, body.block, into), _end(body.block)
        results = inner.write()
        if body is op.cond_region:
            pred = inner.add(region.ReadOp(results[0]), end)
            inner.add(scf.ConditionOp(pred.result, *inner.all_passed(results[1:], end)), end)
        else:
            inner.add(scf.YieldOp(*inner.all_passed(results, end)), end)
    initial = write.all_passed([write.buffer(v) for v in op.inputs], op)
    return write.add(scf.WhileOp(initial, [memref_type(r) for r in op.outputs], *regions), op).results


def _scan(op: ptir.ScanOp, write: BlockWriter) -> Sequence[SSAValue]:
    old, carry = op.body_region.block, op.carry_count
    stacks = [write.allocate(s) for s in op.stacked]
    initial = write.all_passed([write.buffer(v) for v in op.carried], op)
    arrays = [write.buffer(v) for v in op.scanned]
    first, length, one = (write.number(n, op) for n in (0, shape(op.scanned[0])[0], 1))
    into = memref_block(old.args[:carry], IndexType())
    index = into.args[0]
    index.name_hint = "step"
    inner, end = _inner(write, old, into), _end(old)
    inner.buffers.update(zip(old.args, into.args[1:], strict=False))
    for arg, array in zip(old.args[carry:], arrays, strict=True):
        inner.buffers[arg] = inner.row(array, index, op)
        inner.buffers[arg].name_hint = arg.name_hint
    inner.rows, inner.index = _stored_in_rows(inner, end.operands[carry:], stacks, index, op), index
    results = inner.write()
    for stack, value, result in zip(stacks, end.operands[carry:], results[carry:], strict=True):
        if inner.rows.get(value) is not stack:
            inner.add(memref.CopyOp(result, inner.row(stack, index, end)), end)
    inner.add(scf.YieldOp(*inner.all_passed(results[:carry], end)), end)
    loop = write.add(scf.ForOp(first, length, one, initial, Region(into)), op)
    return [*loop.results, *stacks]


def _stored_in_rows(
    inner: BlockWriter, values: Sequence[SSAValue], stacks: Sequence[SSAValue], index: SSAValue, op: Operation
) -> Mapping[SSAValue, SSAValue]:
    """
    Maps the values that kernels of the body compute to the stacks in whose rows they store them, unless the value is also passed
    on and its row would have to be copied for that.
    """
    fusion, out = inner.fusion, dict[SSAValue, SSAValue]()
    computed = {root for kernel in fusion.kernels for root in kernel.roots}
    passed = [*fusion.results, *(v for o in fusion.host_ops for v in o.operands)]
    for value, stack in zip(values, stacks, strict=True):
        probe = region.RowOp(stack, index)
        aligned = alignment(probe.result) >= ARGUMENT_ALIGNMENT
        probe.erase()
        if value in computed and value not in out and (aligned or passed.count(value) == 1):
            out[value] = stack
    return out


def _call(op: func.CallOp, write: BlockWriter) -> Sequence[SSAValue]:
    arguments = write.all_passed([write.buffer(v) for v in op.arguments], op)
    call = func.CallOp(op.callee, arguments, [memref_type(r) for r in op.results])
    return write.add(call, op).results


def _custom_call(op: ptir.CustomCallOp, write: BlockWriter) -> Sequence[SSAValue]:
    outs = [write.allocate(v) for v in op.outputs]
    write.add(region.CustomCallOp(op, [write.buffer(v) for v in op.inputs], outs), op)
    return outs


STEPS: Mapping[type[Operation], StepWriter] = {
    ptir.CondOp: _cond,
    ptir.WhileOp: _while,
    ptir.ScanOp: _scan,
    func.CallOp: _call,
    ptir.CustomCallOp: _custom_call,
}
