"""
Widens the fp8 operands of attention, and of products that share inner ones, such as those of its backward pass, to 16 bits, so that
their kernels compute scores again instead of storing them:

```
%s = product of (cast %q : f8 to f32), (cast %k : f8 to f32)      %w = cast %q : f8 to f16            stored, as is that of %k
…                                                            →    %s = product of (cast %w : f16 to f32), …
```

f16 and bf16 have all numbers of either fp8 type, so the products are the same. The tensor cores of fp8 take the left operand from other
lanes than those that hold an accumulator of scores, and sum with fewer bits. Operands stay fp8 where the scores take less memory than
the widened arrays, as those of a few queries: it takes less time to store the scores.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ...analysis.regions.attention import Attention
from ...analysis.regions.chained import Chained, operand_type
from ...analysis.regions.contraction import Contraction
from ...analysis.regions.fused_products import fused_products, is_attention
from ...dialects import tiny
from ...dialects.common.shapes import FLOAT8, element, is_tensor, shape
from ...dialects.ptir.dims import sizes, tensor_type


def widen_operands(function: FuncOp, again: Callable[[Attention], bool]) -> None:
    """
    Casts the fp8 operands of chained products of a function to the type of 16 bits in which they are multiplied. `again` says of an attention
    whether what else reads its scores or weights computes the scores again.
    """
    block = function.body.block
    values = [*block.args, *(v for op in block.ops for v in op.results)]
    if not any(is_tensor(v.type) and isinstance(v.type.element_type, FLOAT8) for v in values):
        return
    kept, _ = fused_products(function, lambda products: None, again)
    chained = list(kept.values())
    groups = [[c] for c in chained if is_attention(c)] + _sharing([c for c in chained if not isinstance(c, Attention)])
    chosen: dict[SSAValue, tuple[Contraction, Attribute]] = {}
    for group in groups:
        products = {p.out: p for c in group for p in c.products}
        dtype = operand_type(*(p.dtypes for p in products.values()))
        if dtype is not None and _is_worthwhile(group):
            chosen |= {out: (p, dtype) for out, p in products.items() if out not in chosen}
    wide: dict[tuple[SSAValue, Attribute], SSAValue] = {}
    for product, dtype in chosen.values():
        _widen(product, dtype, wide)


def _sharing(chained: Sequence[Chained]) -> list[list[Chained]]:
    """Returns groups of products, of which each shares inner products with another one of its group."""
    groups: list[list[Chained]] = []
    for c in chained:
        near = [g for g in groups if any(not set(c.inner_results).isdisjoint(other.inner_results) for other in g)]
        groups = [g for g in groups if g not in near] + [[c, *(other for g in near for other in g)]]
    return groups


def _is_worthwhile(group: Sequence[Chained]) -> bool:
    """Returns whether there are fewer elements to widen than scores."""
    sides = {v for c in group for p in c.products for v in (p.lhs.value, p.rhs.value)} - {c.weights for c in group}
    narrow = [v for v in sides if isinstance(element(v), FLOAT8)]
    scores = {p.out for c in group for p in c.inner}
    return bool(narrow) and sum(prod(shape(v)) for v in narrow) < sum(prod(shape(v)) for v in scores)


def _widen(c: Contraction, dtype: Attribute, wide: dict[tuple[SSAValue, Attribute], SSAValue]) -> None:
    """Replaces the fp8 operands of a product by those of `wide`, to which missing ones are added."""
    product = next(op for op in c.interior if isinstance(op, tiny.BinaryOp))
    for index, source in enumerate(product.operands):
        chain = list[Operation]()
        while source not in (c.lhs.value, c.rhs.value) and isinstance(op := source.owner, Operation):
            chain.append(op)
            (source,) = op.operands
        if not isinstance(element(source), FLOAT8):
            continue
        if (key := (source, dtype)) not in wide:
            cast = tiny.UnaryOp("cast", source, dtype)
            wide[key] = cast.result
            of = source.owner
            Rewriter.insert_op(cast, InsertPoint.at_start(of) if isinstance(of, Block) else InsertPoint.after(of))
        x = wide[key]
        for op in reversed(chain):
            new = (
                tiny.MovementOp.create(
                    operands=[x], result_types=[tensor_type(element(x), sizes(op.results[0]))], properties=op.properties
                )
                if isinstance(op, tiny.MovementOp)
                else tiny.UnaryOp("cast", x, element(op.results[0]))
            )
            Rewriter.insert_op(new, InsertPoint.before(product))
            x = new.results[0]
        product.operands[index] = x
        for op in chain:
            if not op.results[0].uses:
                Rewriter.erase_op(op)
