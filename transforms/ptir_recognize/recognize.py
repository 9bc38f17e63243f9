"""
`ptir-recognize`: outlines softmax and attention into named composites.

```
%s = ptir.dot_general %q, %k …            %o = ptir.composite "attention.v1" (%q, %k, %v)
%m = ptir.reduce max %s …                        {causal, heads = 12 : i64, scale = 0.125 : f64} … do (…) {
…                                   →       the same ops
%o = ptir.dot_general %p, %v …            }
```

| composite | operands | facts (attributes) |
| --- | --- | --- |
| `softmax.v1` | the scores | `axis` |
| `attention.v1` | queries, keys, values, then those in `others` | `heads`: the size of the last batch axis, or 1 if there is none |
| | | `key_heads`: the number of heads of keys and values, if they are fewer and repeated |
| | | `scale`: the number by which the scores are multiplied, if they are and it is known |
| | | `causal`: present if a mask is causal |
| | | `causal_offset`: the number of keys that query 0 sees beyond the first, unless it is 0 |
| | | `cast`: the type to which the probabilities are rounded before they are multiplied by the values |
| | | `others`: the kind of each further operand: `mask`, `scale` or `literal` |

Ops with uses outside the match are not outlined: a literal becomes an operand, any other op prevents the match. A composite that is
already in the program must match its name and facts; otherwise, an error is raised. The module gets the attribute
`ptir.extensions`, as composites are an extension.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, FloatAttr, IntegerAttr, ModuleOp, StringAttr, UnitAttr, f64, i64
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue
from xdsl.passes import ModulePass

from ...analysis.program.statistics import count
from ...dialects import ptir
from ...dialects.ptir.dims import sizes
from ..errors import CompositeMismatch
from .attention import Attention, find_attention
from .outline import absorb, free_ops, is_private, outline, outside
from .softmax import Softmax, find_softmax
from .views import Ops, axes_of, step_back

log = logging.getLogger(__name__)

ATTENTION, SOFTMAX = "attention.v1", "softmax.v1"
Facts = dict[str, Attribute]


@dataclass(frozen=True)
class Recognized:
    """A match to be outlined: the `ops` to move, the `last` of them, and the operands of the composite (`inputs`)."""

    name: str
    last: Operation
    ops: Ops
    inputs: tuple[SSAValue, ...]
    facts: Facts


def recognize(op: Operation, name: str, free: set[Operation]) -> Recognized | None:
    """Returns the match of composite `name` that ends in `op`, or None. `free` are the ops that depend on no argument."""
    if name == SOFTMAX:
        softmax = find_softmax(op)
        return softmax and _as_softmax(op, softmax)
    attention = find_attention(op)
    return attention and _as_attention(op, attention, free)


def _as_softmax(op: Operation, found: Softmax) -> Recognized:
    inputs = _inputs(found.ops, op, [found.input])
    return Recognized(SOFTMAX, op, found.ops, inputs, {"axis": IntegerAttr(found.axis, i64)})


def _as_attention(op: Operation, found: Attention, free: set[Operation]) -> Recognized:
    ops = absorb(found.ops, op, lambda before: before in found.loose or before in free)
    inputs = _inputs(ops, op, [found.scores.query, found.scores.key, found.value])
    kinds = {_source(v, ops): "mask" for v in found.scores.masks}
    if found.scores.factor is not None and found.scores.scale is None:
        kinds[_source(found.scores.factor, ops)] = "scale"
    others = [StringAttr(kinds.get(v, "literal")) for v in inputs[3:]]
    offset, scale = found.scores.offset, found.scores.scale
    facts: dict[str, Attribute | None] = {
        "causal": UnitAttr() if offset is not None else None,
        "causal_offset": IntegerAttr(offset, i64) if offset else None,
        "heads": IntegerAttr(found.heads, i64) if isinstance(found.heads, int) else None,
        "key_heads": IntegerAttr(found.key_heads, i64) if found.key_heads is not None else None,
        "scale": FloatAttr(scale, f64) if scale is not None else None,
        "cast": StringAttr(found.cast_to) if found.cast_to is not None else None,
        "others": ArrayAttr(others) if others else None,
    }
    return Recognized(ATTENTION, op, ops, inputs, {k: v for k, v in facts.items() if v is not None})


def _inputs(ops: Ops, last: Operation, first: Sequence[SSAValue]) -> tuple[SSAValue, ...]:
    """Returns the operands of a composite of these ops: `first`, then the other values that they read from outside."""
    ordered = [op for op in last.parent.ops if op in ops] if last.parent is not None else []
    return (*first, *(v for v in outside(ordered) if v not in first))


def _source(value: SSAValue, ops: Ops) -> SSAValue:
    """Returns the value from which movements among these ops compute `value`."""
    axes = axes_of(len(sizes(value)))
    while (op := value.owner) in ops and isinstance(op, Operation) and (step := step_back(op, axes)) is not None:
        value, axes = step
    return value


# --- composites that are there already ----------------------------------------------------------


def require_as_called(composite: ptir.CompositeOp, free: set[Operation]) -> None:
    """Raises `CompositeMismatch` if the region of a composite does not match its name, operands and facts."""
    name = composite.known_as.data
    end = composite.body.block.last_op
    owner = end.operands[0].owner if end is not None and len(end.operands) == 1 else None
    found = recognize(owner, name, free) if isinstance(owner, Operation) else None
    if found is None or not all(op in found.ops or op is end for op in composite.body.block.ops):
        raise CompositeMismatch(composite, name=name, problem="the region does not match")
    inputs = [composite.inputs[v.index] for v in found.inputs if isinstance(v, BlockArgument)]
    if inputs != list(composite.inputs):
        raise CompositeMismatch(composite, name=name, problem="the operands are in another order")
    stated = dict(composite.facts.data) if composite.facts is not None else Facts()
    for fact in sorted({*stated, *found.facts}):
        if stated.get(fact) != found.facts.get(fact):
            got, want = (facts.get(fact, "missing") for facts in (stated, found.facts))
            raise CompositeMismatch(composite, name=name, problem=f"'{fact}' is {got}, but {want} in the region")


# --- the pass -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class PtirRecognize(ModulePass):
    """Outlines softmax and attention into composites."""

    name = "ptir-recognize"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        free = free_ops(op)
        for old in list(op.walk()):
            if isinstance(old, ptir.CompositeOp) and old.known_as.data in (ATTENTION, SOFTMAX):
                require_as_called(old, free)
        for name, kind in ((ATTENTION, ptir.DotGeneralOp), (SOFTMAX, ptir.DivOp)):
            for last in [o for o in op.walk() if isinstance(o, kind) and not _in_composite(o)]:
                found = recognize(last, name, free)
                if found is None:
                    continue
                if not is_private(found.ops, last):
                    log.debug("'%s' completes %s, but its ops have other uses", last.name, name, extra={"op": last})
                    continue
                outline(found.ops, last, found.inputs, name, found.facts)
                count(f"{name} recognized")
                op.attributes.setdefault("ptir.extensions", UnitAttr())


def _in_composite(op: Operation | None) -> bool:
    while op is not None and not isinstance(op, ptir.CompositeOp):
        op = op.parent_op()
    return op is not None
