"""
The elementwise functions that follow a contraction, and the words by which a plan may name them.

The labels of a plan's `epilogue`, and the ends of its `local_edges`, name ops of the region. They change nothing: the region's ops define
what the kernel computes, and a label that names none of them is an error. The words are:

- the function of an op, such as `add` or `tanh`, and its name in the Tiny JSON that it was read from;
- those of the specification: `bias`, an addition of something smaller than the result; `residual`, of something as large; `relu`, also
  written as a maximum with zero; `silu` and `gelu`, also written out.

A cast need not be named. Spec: `tensor-compiler.ja §1.7`, `§7.1` (`local_edges`), `§12.6` (words).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import prod

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Operation, SSAValue

from ..analysis.regions.kernel_space import stored_values
from ..analysis.regions.space import KernelSpace
from ..dialects import region, tiny
from ..dialects.common.shapes import shape
from ..dialects.tiny.vocabulary import OP_NAME

Elementwise = tiny.UnaryOp | tiny.BinaryOp
WRITTEN_OUT = {"silu": ("sigmoid",), "gelu": ("erf", "tanh")}
"""The words of functions that may be written out, each with the functions of which one is in it."""
SIMPLE = ("add", "sub", "mul", "div", "pow", "cast")
"""The functions that are in a function that is written out, besides those of `WRITTEN_OUT`."""


def epilogue_ops(kernel: region.RegionKernelOp, space: KernelSpace) -> list[Elementwise]:
    """Returns the elementwise ops that follow the contraction, in order."""
    stops = {c.op for c in (space.contraction, *(c.product for c in space.chained)) if c is not None}
    if space.attention is not None:
        stops |= {space.attention.maximum, space.attention.total}
    found: set[Operation] = set()
    todo = [value.owner for value in stored_values(kernel)]
    while todo:
        op = todo.pop()
        if isinstance(op, Operation) and op not in found | stops:
            found.add(op)
            todo += [operand.owner for operand in op.operands]
    return [op for op in kernel.body.block.ops if isinstance(op, Elementwise) and op in found]


def epilogue_labels(kernel: region.RegionKernelOp, space: KernelSpace) -> tuple[str, ...]:
    """Returns the functions of the ops that follow the contraction, in order."""
    return tuple(op.fn.data for op in epilogue_ops(kernel, space))


def labels_match(labels: Sequence[str], ops: Sequence[Elementwise]) -> bool:
    """Returns whether labels name all ops in order; casts need no label, and one label may name a function that is written out."""
    if tuple(labels) == tuple(op.fn.data for op in ops):
        return True
    groups = [group for root in ops for group in _written_out(root, ops)]
    tried: set[tuple[int, tuple[int, ...]]] = set()
    todo = [(0, tuple(range(len(ops))))]
    while todo:
        state = at, left = todo.pop()
        if not left and at == len(labels):
            return True
        if not left or state in tried:
            continue
        tried.add(state)
        op, rest = ops[left[0]], left[1:]
        if op.fn.data == "cast":
            todo.append((at, rest))
        if at < len(labels):
            if labels[at] in words_of(op):
                todo.append((at + 1, rest))
            for word, members in groups:
                if word == labels[at] and op in members:
                    todo.append((at + 1, tuple(n for n in left if ops[n] not in members)))
    return False


def words_of(op: Operation) -> set[str]:
    """Returns the words by which a plan may name an op of an epilogue."""
    words = {name.data} if isinstance(name := op.attributes.get(OP_NAME), StringAttr) else set[str]()
    match op:
        case tiny.UnaryOp():
            words.add(op.fn.data)
        case tiny.BinaryOp():
            words.add(op.fn.data)
            if op.fn.data == "add":
                sizes = [prod(shape(_origin(operand))) for operand in op.operands]
                words |= {"bias" if min(sizes) < prod(shape(op.result)) else "residual"}
            elif op.fn.data == "max" and any(_is_zero(operand) for operand in op.operands):
                words.add("relu")
        case _:
            pass
    return words


def edge_ends(kernel: region.RegionKernelOp, space: KernelSpace) -> tuple[set[str], set[str]]:
    """Returns the words for the contraction's sum, and those for the ops that follow it, with which `local_edges` may begin and end."""
    ops = epilogue_ops(kernel, space)
    sums = {"sum", "sum_k"}
    if space.contraction is not None:
        found = space.contraction.op
        casts = [use.operation for use in found.results[0].uses if isinstance(use.operation, tiny.UnaryOp)]
        named = [found, *(op for op in casts if op.fn.data == "cast")]
        sums |= {name.data for op in named if isinstance(name := op.attributes.get(OP_NAME), StringAttr)}
    after = {word for op in ops for word in words_of(op)}
    after |= {word for root in ops for word, _ in _written_out(root, ops)}
    return sums, after


def _written_out(root: Elementwise, ops: Sequence[Elementwise]) -> Iterator[tuple[str, set[Operation]]]:
    """Yields the words for functions that are written out and end with the product `root`, and the ops that they consist of."""
    if root.fn.data != "mul":
        return
    for word, cores in WRITTEN_OUT.items():
        for x in {operand for op in ops for operand in op.operands}:
            members = _between(x, root.result, lambda fn, cores=cores: fn in (*SIMPLE, *cores))
            if (
                members is not None
                and len([op for op in members if op.fn.data in cores]) == 1
                and _is_product_of(x, root, cores)
            ):
                yield word, set(members)
                break


def _between(x: SSAValue, result: SSAValue, allowed: Callable[[str], bool]) -> list[Elementwise] | None:
    """Returns the elementwise ops that compute `result` from `x` and constants alone, or None if something else is needed."""
    found: list[Elementwise] = []
    todo = [result]
    while todo:
        value = todo.pop()
        if value is x or value.owner in found:
            continue
        op = value.owner
        if isinstance(op, Elementwise) and allowed(op.fn.data):
            found.append(op)
            todo += op.operands
        elif not isinstance(_origin(value).owner, tiny.ConstOp):
            return None
    return found


def _is_product_of(x: SSAValue, root: Elementwise, cores: Sequence[str]) -> bool:
    """Returns whether `root` multiplies a function with one of `cores` by `x`, or by `x` times a constant."""
    with_core = [
        any(op.fn.data in cores for op in _between(x, operand, lambda _: True) or ()) for operand in root.operands
    ]
    others = [operand for operand, found in zip(root.operands, with_core, strict=True) if not found]
    return len(others) == 1 and _between(x, others[0], lambda fn: fn in ("mul", "div", "cast")) is not None


def _origin(value: SSAValue) -> SSAValue:
    """Returns the value of which `value` is a cast or a movement."""
    while isinstance(op := value.owner, tiny.MovementOp) or (isinstance(op, tiny.UnaryOp) and op.fn.data == "cast"):
        value = op.operands[0]
    return value


def _is_zero(value: SSAValue) -> bool:
    op = _origin(value).owner
    return isinstance(op, tiny.ConstOp) and not any(op.value.data.data)
