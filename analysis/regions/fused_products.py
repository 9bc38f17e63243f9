"""
Which products have kernels that compute their operands from other products, tile after tile, instead of reading them from memory.

Attention has (`attention.py`), and products that share inner ones do, such as dQ, dK and dV of the backward pass of attention: to compute
these again for each of the products takes less time than to store and to load them. Nothing else may read what is between the products,
or it is stored anyway. The maximum and the sum of the rows of an attention are further results of its kernel.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue

from ...dialects import tiny
from .attention import Attention, softmax_products
from .chained import Chained, chained_products


def fused_products(scope: FuncOp | Block, fuses: Callable[[Sequence[Chained]], bool]) -> dict[SSAValue, Chained]:
    """Returns, by their results, the products of a function or a block that `fuses` allows and that have such kernels."""
    every = {**chained_products(scope), **softmax_products(scope)}
    kept = {out: c for out, c in every.items() if fuses([c])}
    while True:
        ops = {op for c in kept.values() for op in (*c.slice.ops, c.product.op, *c.product.interior)}
        stays = {out: c for out, c in kept.items() if _is_kept(c, kept, ops)}
        if len(stays) == len(kept):
            return kept
        kept = stays


def _is_kept(c: Chained, kept: dict[SSAValue, Chained], ops: set[Operation]) -> bool:
    """Whether what is between products is read by `ops` only, those of the `kept` products, of which several read each inner one."""
    if isinstance(c, Attention):
        return c.read_by <= ops
    return all(
        sum(inner in other.inner for other in kept.values()) > 1
        and inner.out not in kept
        and _is_read_only_by(ops, inner.out)
        for inner in c.inner
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
