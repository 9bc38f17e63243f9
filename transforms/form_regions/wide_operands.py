"""
Widens the fp8 operands of attention to 16 bits, so that one kernel computes it:

```
%s = product of (cast %q : f8 to f32), (cast %k : f8 to f32)      %w = cast %q : f8 to f16            stored, as is that of %k
…                                                            →    %s = product of (cast %w : f16 to f32), …
```

f16 and bf16 have all numbers of either fp8 type, so the products are the same. The tensor cores of fp8 take the left operand from other
lanes than those that hold an accumulator of scores, and sum with fewer bits. Operands stay fp8 where the scores take less memory than
the widened arrays, as those of a few queries: it takes less time to store the scores.
"""

from __future__ import annotations

from math import prod

from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ...analysis.regions.attention import Attention, RowProduct, attentions
from ...analysis.regions.chained import operand_type
from ...analysis.regions.contraction import Contraction
from ...dialects import tiny
from ...dialects.common.shapes import FLOAT8, element, shape
from ...dialects.ptir.dims import sizes, tensor_type


def widen_operands(function: FuncOp) -> None:
    """Casts the fp8 operands of the attention of a function to the type of 16 bits in which its products are multiplied."""
    wide: dict[tuple[SSAValue, Attribute], SSAValue] = {}
    for a in attentions(function).values():
        dtype = operand_type(*(c.dtypes for c in a.products))
        if dtype is not None and not isinstance(a, RowProduct) and _is_worthwhile(a):
            for c in a.products:
                _widen(c, dtype, wide)


def _is_worthwhile(a: Attention) -> bool:
    """Returns whether there are fewer elements to widen than scores."""
    narrow = {v for c in a.products for v in (c.lhs.value, c.rhs.value) if isinstance(element(v), FLOAT8)}
    return bool(narrow) and sum(prod(shape(v)) for v in narrow - {a.weights}) < prod(shape(a.scores.out))


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
