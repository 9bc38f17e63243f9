"""
Which products have kernels that compute their operands from other products, tile after tile, instead of reading them from memory.

Attention has (`attention.py`), and products that share inner ones do, such as dQ, dK and dV of the backward pass of attention: to compute
these again for each of the products takes less time than to store and to load them. Nothing else may read what is between the products,
or it is stored anyway. The maximum and the sum of the rows of an attention are further results of its kernel.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import TypeGuard

from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue

from ...dialects import tiny
from .attention import Attention, RowProduct, products_of_softmax
from .chained import Chained, NotChained, chained_products


def fused_products(
    scope: FuncOp | Block, problem: Callable[[Sequence[Chained]], str | None]
) -> tuple[dict[SSAValue, Chained], list[NotChained]]:
    """
    Returns, by their results, the products of a function or a block that have such kernels, unless there is a `problem`; and the products
    of a softmax that have kernels of their own, with the reasons.
    """
    of_softmax = products_of_softmax(scope)
    refused = {out: a for out, a in of_softmax.items() if isinstance(a, NotChained)}
    every = {**chained_products(scope), **{out: a for out, a in of_softmax.items() if isinstance(a, Attention)}}
    kept = dict[SSAValue, Chained]()
    for out, c in every.items():
        if (why := problem([c])) is None:
            kept[out] = c
        elif is_attention(c):
            refused[out] = NotChained(c.product.op, why)
    while True:
        ops = {op for c in kept.values() for op in (*c.slice.ops, c.product.op, *c.product.interior)}
        leaves = {out: c for out, c in kept.items() if not _is_kept(c, kept, ops)}
        if not leaves:
            return kept, [why for out, why in refused.items() if out not in kept]
        for out, c in leaves.items():
            del kept[out]
            if is_attention(c):
                why = "a value between the products is also used elsewhere: it must be stored"
                refused[out] = NotChained(_read_elsewhere(c, ops), why)


def is_attention(c: Chained) -> TypeGuard[Attention]:
    """Returns whether the weights of a product are a softmax, and matrix units multiply them by values."""
    return isinstance(c, Attention) and not isinstance(c, RowProduct)


def _read_elsewhere(a: Attention, ops: set[Operation]) -> Operation | Block:
    """Returns the op of a value between the products of an attention that other ops than `ops` read."""
    read = (v for v in a.of_scores if any(use.operation not in ops for use in v.uses))
    return next(read, a.product.out).owner


def _is_kept(c: Chained, kept: Mapping[SSAValue, Chained], ops: set[Operation]) -> bool:
    """Whether what is between products is read by `ops` only, those of the `kept` products, of which several read each inner one."""
    if isinstance(c, Attention):
        return c.read_by <= ops
    readers = Counter(inner.out for other in kept.values() for inner in other.inner)
    return all(
        readers[inner.out] > 1 and inner.out not in kept and _is_read_only_by(ops, inner.out) for inner in c.inner
    )


def _is_read_only_by(ops: set[Operation], value: SSAValue) -> bool:
    """Whether what is computed from a value is computed by these ops, up to their sums."""
    todo, seen = [value], {value}
    while todo:
        for use in todo.pop().uses:
            if use.operation not in ops:
                return False
            if not isinstance(use.operation, tiny.ReduceOp):
                todo += [r for r in use.operation.results if r not in seen]
                seen |= set(use.operation.results)
    return True
