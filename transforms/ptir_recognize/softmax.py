"""
Recognizes the stable softmax (contract, *Canonical library forms*).

```
m = reduce max z axes [a]      e = exp(z - m)      s = reduce sum e axes [a]      e / s
```

Both reductions are over the same axis, with or without `keepdims`. The maximum is computed in a type that holds the values of
z. The sum may accumulate and round in any way. Between these ops there may be exact casts, `stop_gradient`, and any movements
that broadcast m and s back along the axis.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass

from xdsl.ir import Attribute, Operation, SSAValue

from ...dialects import ptir
from ...dialects.common.shapes import element, widens_exactly
from ...dialects.ptir.dims import sizes
from .views import Ops, axes_of, between, origins, walk_back

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Softmax:
    """A match of the softmax of `input` over `axis`. `ops` are its ops, the last op, a division, first."""

    input: SSAValue
    axis: int
    ops: Ops

    @property
    def result(self) -> SSAValue:
        return next(iter(self.ops)).results[0]


@dataclass(frozen=True)
class _Reduced:
    """A reduction over one axis whose result is broadcast back to the shape of its operand."""

    op: ptir.ReduceOp
    axis: int
    ops: Ops
    dtypes: tuple[Attribute, ...]
    """The types of the reduction and of the casts of its result."""


def find_softmax(op: Operation) -> Softmax | None:
    """Returns the softmax whose last op is `op`. If there is none, logs the reason and returns None."""

    def no(why: str) -> None:
        log.debug("'%s' does not complete a softmax: %s", op.name, why, extra={"op": op})

    if not isinstance(op, ptir.DivOp):
        return None
    total = _reduced(op.rhs, "sum")
    if total is None:
        return no("the divisor is not a sum over one axis, broadcast along it")
    shares, summed = origins(op.lhs), origins(total.op.input)
    exp = shares[-1].owner
    if not isinstance(exp, ptir.ExpOp) or summed[-1] is not shares[-1]:
        return no("the dividend is not an exponential, or not the one that is summed")
    minus = origins(exp.input)[-1].owner
    if not isinstance(minus, ptir.SubOp):
        return no("the operand of the exponential is not a difference")
    largest = _reduced(minus.rhs, "max")
    if largest is None:
        return no("the subtrahend is not a maximum over one axis, broadcast along it")
    if largest.axis != total.axis:
        return no(f"the maximum is over axis {largest.axis}, the sum over axis {total.axis}")
    scores, compared = origins(minus.lhs), origins(largest.op.input)
    common = [v for v in scores if any(v is w for w in compared)]
    source = next((v for v in common if all(widens_exactly(element(v), t) for t in largest.dtypes)), None)
    if source is None:
        return no("the maximum is rounded" if common else "the maximum is of another value than the minuend")
    ops = {op: None} | total.ops | {total.op: None}
    ops |= between(op.lhs, shares[-1]) | between(total.op.input, summed[-1]) | {exp: None}
    ops |= between(exp.input, minus.result) | {minus: None} | largest.ops | {largest.op: None}
    ops |= between(minus.lhs, source) | between(largest.op.input, source)
    return Softmax(source, total.axis, ops)


def _reduced(value: SSAValue, kind: str) -> _Reduced | None:
    """
    Returns `value` as a reduction over one axis whose result is broadcast back along it, or None. Casts in between must be
    exact for a sum; for a maximum, the caller checks them.
    """
    rank = len(sizes(value))
    at, axes, passed = walk_back(value, axes_of(rank))
    while kind == "max" and isinstance(cast := at.owner, ptir.CastOp):  # the caller checks that it is exact
        at, axes, more = walk_back(cast.input, axes)
        passed |= {cast: None} | more
    op = at.owner
    if not isinstance(op, ptir.ReduceOp) or op.kind.data != kind or len(op.axes()) != 1:
        return None
    if len(sizes(op.input)) != rank or sizes(op.input) != sizes(value):
        return None
    (axis,) = op.axes()
    kept = [None if a == axis else a for a in range(rank) if op.keepdims is not None or a != axis]
    single = [sizes(op.input)[a] == 1 if a is not None else True for a in kept]
    if not all(got == want or one for got, want, one in zip(axes, kept, single, strict=True)):
        return None
    dtypes = tuple(element(p.results[0]) for p in passed)
    return _Reduced(op, axis, passed, (op.accum, element(op.result), *dtypes))
