"""
Selects the products whose kernels compute their operands from other products, tile after tile, instead of reading them from memory.

These are attention (`attention.py`) and products that share inner ones, such as dQ, dK and dV of the backward pass of attention: to compute
these again for each of the products takes less time than to store and to load them. Nothing else may read what is between the products,
or it is stored anyway; but what reads scores or weights of an attention may have a kernel that computes the scores again, from which, with
the maximum and the sum of the rows, it has the weights. These are further results of the kernel of the attention.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TypeGuard

from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue

from ...dialects import tiny
from .attention import Attention, RowProduct, has_each_row_once, products_of_softmax
from .chained import OF_SHARED, Chained, NotChained, products_of_products


def fused_products(
    scope: FuncOp | Block,
    problem: Callable[[Sequence[Chained]], str | None],
    again: Callable[[Attention], bool] = lambda _: False,
) -> tuple[dict[SSAValue, Chained], list[NotChained]]:
    """
    Returns, by their results, the products of a function or a block that have such kernels, unless there is a `problem`; and the products
    of a softmax, or that share inner ones, that have kernels of their own, with the reasons. `again` says of an attention whether what else
    reads its scores or weights computes the scores again.
    """
    of_softmax, of_products = products_of_softmax(scope), products_of_products(scope)
    readers = Counter(v for c in of_products.values() for v in c.inner_results)
    shared = {out for out, c in of_products.items() if any(readers[v] > 1 for v in c.inner_results)}
    found = {**{out: c for out, c in of_products.items() if out in shared or isinstance(c, Chained)}, **of_softmax}
    found |= {out: c for out, c in of_products.items() if out in shared and not isinstance(found[out], Attention)}
    kept, refused = dict[SSAValue, Chained](), dict[SSAValue, NotChained]()

    def refuse(c: Chained, op: Operation | Block, why: str) -> None:
        """Says why a product has a kernel of its own, if it is of a softmax or shares inner products."""
        if is_attention(c):
            refused[c.product.out] = NotChained(op, why)
        elif c.product.out in shared:
            refused[c.product.out] = NotChained(c.product.op, why, OF_SHARED)

    for out, c in found.items():
        if isinstance(c, NotChained):
            refused[out] = c
        elif (why := problem([c])) is None:
            kept[out] = c
        else:
            refuse(c, c.product.op, why)
    while True:
        ops = {op for c in kept.values() for op in (*c.slice.ops, c.product.op, *c.product.interior)}
        readers = Counter(v for c in kept.values() for v in c.inner_results)
        stored = {out: why for out, c in kept.items() if (why := _why_stored(c, kept, readers, ops, again)) is not None}
        if not stored:
            return kept, [why for out, why in refused.items() if out not in kept]
        for out, why in stored.items():
            c = kept.pop(out)
            refuse(c, _read_elsewhere(c, ops) if isinstance(c, Attention) else c.product.op, why)


def is_attention(c: Chained) -> TypeGuard[Attention]:
    """Returns whether the weights of a product are a softmax, and matrix units multiply them by values."""
    return isinstance(c, Attention) and not isinstance(c, RowProduct)


def _read_elsewhere(a: Attention, ops: set[Operation]) -> Operation | Block:
    """Returns the op of a value between the products of an attention, or of the weights, that other ops than `ops` read."""
    read = (v for v in (*a.of_scores, a.weights) if any(use.operation not in ops for use in v.uses))
    return next(read, a.product.out).owner


def _why_stored(
    c: Chained,
    kept: Collection[SSAValue],
    readers: Mapping[SSAValue, int],
    ops: set[Operation],
    again: Callable[[Attention], bool],
) -> str | None:
    """
    Returns why what is between products is stored: `ops`, those of the `kept` products, do not read all, or `readers` says that only
    one product reads an inner one.
    """
    elsewhere = "a value between the products is also used elsewhere: it must be stored"
    if isinstance(c, Attention):
        return None if c.read_by <= ops or (is_attention(c) and has_each_row_once(c) and again(c)) else elsewhere
    if any(v in kept or not _is_read_only_by(ops, v) for v in c.inner_results):
        return elsewhere
    return None if all(readers[v] > 1 for v in c.inner_results) else "no other kernel computes all of these again"


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
