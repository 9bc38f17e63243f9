"""
Recognizes attention (contract, *Canonical attention*).

```
   scores = dot_general q, k                           k may be transposed, or contracted along its last axis
   scores = scores * scale                             scale is a scalar; or scores / a power of two
   scores = scores + mask                              for each mask; or select(…, scores, -inf)
   p      = softmax(scores) over the keys              softmax.py
   out    = dot_general p, v                           p may be cast to the type of v first
```

The batch axes of both contractions are batch and heads, the heads last. `k` and `v` may have fewer heads, each of which is
repeated by reshape, broadcast and reshape (grouped queries). Accumulators and types are arbitrary.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import frexp

from xdsl.ir import Operation, SSAValue

from ...dialects import ptir
from ...dialects.common.shapes import element, is_float
from ...dialects.ptir.dims import sizes
from .masks import causal_offset, causal_offset_of_mask, removes_scores
from .softmax import find_softmax
from .views import Ops, axes_of, between, is_unchanged, origins, uniform, walk_back

log = logging.getLogger(__name__)

STEPS = 8
"""Maximum number of scales and masks between a contraction and its softmax."""


@dataclass(frozen=True)
class Scores:
    """The scores between a contraction and a softmax. `ops` are the ops that compute the scores, the last op first."""

    query: SSAValue
    key: SSAValue
    dot: ptir.DotGeneralOp
    ops: Ops
    scale: float | None = None
    factor: SSAValue | None = None
    """The factor or divisor of the scores."""
    masks: tuple[SSAValue, ...] = ()
    offset: int | None = None
    """The offset of the causal mask, or None if no mask is causal."""


@dataclass(frozen=True)
class Attention:
    """A match of attention, whose last op is a contraction."""

    scores: Scores
    value: SSAValue
    heads: int | str | None
    key_heads: int | None
    cast_to: str | None
    """The type to which the probabilities are rounded, or None."""
    ops: Ops
    loose: Ops = field(default_factory=Ops)
    """Movements and casts of masks and scales. They belong to the match only if they have no other uses."""


def find_attention(op: Operation) -> Attention | None:
    """Returns the attention whose last op is `op`. If there is none, logs the reason and returns None."""

    def no(why: str) -> None:
        log.debug("'%s' does not complete an attention: %s", op.name, why, extra={"op": op})

    if not isinstance(op, ptir.DotGeneralOp):
        return None
    rank = len(sizes(op.lhs))
    batch, value_batch, contract, _ = op.axes()
    if batch != tuple(range(rank - 2)) or contract != (rank - 1,) or len(sizes(op.rhs)) != rank:
        return no("it does not contract the last axis of one operand with one axis of the other")
    shares, casts = _through_casts(op.lhs)
    softmax = find_softmax(shares.owner) if isinstance(shares.owner, Operation) else None
    if softmax is None:
        return no("its left operand is not a softmax")
    if softmax.axis != rank - 1:
        return no(f"the softmax is over axis {softmax.axis}, not over the keys")
    scores = _scores(softmax.input, STEPS)
    if scores is None:
        return no("the operand of the softmax is not a contraction, scaled and then masked")
    value = origins(op.rhs)[-1]
    ops = {op: None} | casts | softmax.ops | scores.ops | between(op.rhs, value)
    found = Attention(
        scores,
        value,
        heads=sizes(softmax.input)[rank - 3] if rank > 2 else 1,
        key_heads=None,
        cast_to=str(element(op.lhs)) if any(not is_unchanged(c) for c in casts) else None,
        ops=ops,
        loose=_loose([*scores.masks, *([scores.factor] if scores.factor is not None else [])]),
    )
    return _grouped(found, scores.dot.axes()[1], value_batch) if rank > 2 else found


def _through_casts(value: SSAValue) -> tuple[SSAValue, Ops]:
    """Walks back through float casts and ops that change nothing; returns the value before them, and these ops."""
    passed: Ops = {}
    while isinstance(op := value.owner, Operation) and (
        is_unchanged(op) or (isinstance(op, ptir.CastOp) and is_float(element(op.result)))
    ):
        passed[op] = None
        value = op.operands[0]
    return value, passed


def _loose(values: Sequence[SSAValue]) -> Ops:
    """Returns the movements and exact casts that compute these values."""
    out: Ops = {}
    for value in values:
        out |= walk_back(value, axes_of(len(sizes(value))))[2]
    return out


# --- scores -------------------------------------------------------------------------------------


def _scores(value: SSAValue, left: int) -> Scores | None:
    """Returns `value` as scores, if it is computed from a contraction by at most `left` scales and masks, or None."""
    if left < 0:
        return None
    source = origins(value)[-1]
    passed = between(value, source)
    match source.owner:
        case ptir.DotGeneralOp() as op:
            found = _products(op)
        case ptir.MulOp() as op:
            found = _multiplied(left - 1, op, op.lhs, op.rhs) or _multiplied(left - 1, op, op.rhs, op.lhs)
        case ptir.DivOp() as op if (divisor := uniform(op.rhs)) is not None and abs(frexp(divisor)[0]) == 0.5:
            found = _scaled(left - 1, op, op.lhs, op.rhs, 1 / divisor)
        case ptir.AddOp() as op:
            found = _masked(left - 1, op, op.lhs, op.rhs) or _masked(left - 1, op, op.rhs, op.lhs)
        case ptir.SelectOp() as op:
            found = _selected(left - 1, op)
        case _:
            return None
    return found and replace(found, ops=passed | found.ops)


def _products(op: ptir.DotGeneralOp) -> Scores | None:
    """Returns the scores if `op` contracts each query with each key of its head along one axis, or None."""
    free = op.free_axes()
    if [len(axes) for axes in free] != [1, 1] or len(op.axes()[2]) != 1:
        return None
    query, key = origins(op.lhs)[-1], origins(op.rhs)[-1]
    ops = {op: None} | between(op.lhs, query) | between(op.rhs, key)
    rank = len(sizes(key))
    swapped = (*range(rank - 2), rank - 1, rank - 2)
    if isinstance(swap := key.owner, ptir.TransposeOp) and swap.permutation() == swapped:
        key = origins(swap.input)[-1]
        ops |= {swap: None} | between(swap.input, key)
    return Scores(query, key, op, ops)


def _multiplied(left: int, op: ptir.MulOp, scores: SSAValue, factor: SSAValue) -> Scores | None:
    number = uniform(factor)
    source, _, _ = walk_back(factor, axes_of(len(sizes(factor))))
    if number is None and any(s != 1 for s in sizes(source)):
        return None
    return _scaled(left, op, scores, factor, number)


def _scaled(left: int, op: Operation, scores: SSAValue, factor: SSAValue, scale: float | None) -> Scores | None:
    found = _scores(scores, left)
    if found is None or found.masks or found.factor is not None:
        return None
    return replace(found, ops={op: None} | found.ops, scale=scale, factor=factor)


def _masked(left: int, op: ptir.AddOp, scores: SSAValue, mask: SSAValue) -> Scores | None:
    found, rank = _scores(scores, left), len(sizes(mask))
    return found and _with_mask(found, op, mask, causal_offset_of_mask(mask, rank - 2, rank - 1))


def _selected(left: int, op: ptir.SelectOp) -> Scores | None:
    rank = len(sizes(op.result))
    for scores, rest, negated in ((op.on_true, op.on_false, False), (op.on_false, op.on_true, True)):
        if removes_scores(rest) and (found := _scores(scores, left)) is not None:
            return _with_mask(found, op, op.pred, causal_offset(op.pred, rank - 2, rank - 1, negated=negated))
    return None


def _with_mask(found: Scores, op: Operation, mask: SSAValue, offset: int | None) -> Scores:
    offset = min((o for o in (found.offset, offset) if o is not None), default=None)
    return replace(found, ops={op: None} | found.ops, masks=(*found.masks, mask), offset=offset)


# --- grouped queries ----------------------------------------------------------------------------


def _grouped(found: Attention, key_batch: Sequence[int], value_batch: Sequence[int]) -> Attention:
    """Returns `found` with its keys and values before their heads are repeated, if both have the same number of heads there."""
    at = len(key_batch) - 1
    key, value = _repeated(found.scores.key, key_batch[at]), _repeated(found.value, value_batch[at])
    if key is None or value is None or key[1] != value[1]:
        return found
    scores = replace(found.scores, key=key[0])
    return replace(found, scores=scores, value=value[0], key_heads=key[1], ops=found.ops | key[2] | value[2])


def _repeated(value: SSAValue, axis: int) -> tuple[SSAValue, int, Ops] | None:
    """Matches `… h … → … h 1 … → … h g … → … h·g …`. Returns the first value, h and the ops, or None."""
    last = value.owner
    if not isinstance(last, ptir.ReshapeOp) or not isinstance(spread := last.input.owner, ptir.BroadcastToOp):
        return None
    if not isinstance(first := spread.input.owner, ptir.ReshapeOp):
        return None
    start, wide, end = (list(sizes(v)) for v in (first.input, spread.result, last.result))
    heads, groups = start[axis], wide[axis + 1] if len(wide) > axis + 1 else None
    if not isinstance(heads, int) or not isinstance(groups, int):
        return None
    if (
        list(sizes(spread.input)) != [*start[: axis + 1], 1, *start[axis + 1 :]]
        or wide != [*start[: axis + 1], groups, *start[axis + 1 :]]
        or end != [*start[:axis], heads * groups, *start[axis + 1 :]]
    ):
        return None
    source = origins(first.input)[-1]
    ops: Ops = {last: None, spread: None, first: None}
    return source, heads, ops | between(first.input, source)
