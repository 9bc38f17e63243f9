"""
Counts the passes over its rows of a kernel that streams them: it reads a row again for ops that depend on the whole row.

```
layer norm:    pass 0: sum of x              pass 1: sum of (x - mean)²            pass 2: the result
softmax:       pass 0: max of x, and by it the sum of exp(x - max)                 pass 1: the result
```

A reduction belongs to the pass after the passes of the reductions on which it depends. There is one exception: a sum whose
summands depend on a maximum m = max(a) only by a factor exp(c · (a - m)) belongs to the same pass as m. It is computed *online*
(Milakov and Gimelshein 2018): relative to the maximum so far, and rescaled whenever that maximum grows. Such sums are found by the
algebra of their summands. A sum with one term that is not zero (`one_hot.py`) needs no pass.
"""

from __future__ import annotations

from collections.abc import Iterable, Set
from dataclasses import dataclass, field
from math import inf
from typing import TypeGuard

from xdsl.dialects.builtin import Float32Type, Float64Type, FloatAttr
from xdsl.ir import Attribute, Block, Operation, SSAValue

from ...dialects import region, tiny
from ...dialects.common.numbers import first_number
from ...dialects.common.shapes import element, shape, widens_exactly
from ...text.literals import splat
from ..index import affine
from ..index.book import IndexBook
from .one_hot import one_hot_sums


@dataclass(frozen=True)
class Online:
    """The factor of an online sum's summands: `exponential(scale · (a - maximum))`, where `exponential` is `exp` or `exp2`."""

    maximum: tiny.ReduceOp
    exponential: str
    scale: float


@dataclass
class Passes:
    """
    The pass of each reduction, and the sums that are computed online. `ready` is the first pass in which the elements of a value
    can be computed.
    """

    book: IndexBook
    one_hot: Set[Operation] = frozenset()
    """The reductions that are computed from single elements of a row."""
    of: dict[tiny.ReduceOp, int] = field(default_factory=dict[tiny.ReduceOp, int])
    online: dict[tiny.ReduceOp, Online] = field(default_factory=dict[tiny.ReduceOp, Online])
    ready: dict[SSAValue, int] = field(default_factory=dict[SSAValue, int])

    def count(self, stored: Iterable[SSAValue]) -> int:
        """Returns the number of passes of a kernel that stores whole rows of these values, besides its reductions."""
        return 1 + max((*self.of.values(), *(self.ready.get(value, 0) for value in stored)), default=-1)

    def add(self, op: Operation) -> None:
        """Adds an op, after those that it depends on."""
        ready = max((self.ready.get(operand, 0) for operand in op.operands), default=0)
        if isinstance(op, tiny.ReduceOp) and op not in self.one_hot:
            if (online := self.online_form(op)) is not None:
                self.online[op], ready = online, self.of[online.maximum]
            self.of[op] = ready
            ready += 1
        for result in op.results:
            self.ready[result] = ready

    def is_pivot(self, op: tiny.ReduceOp) -> bool:
        """Whether `op` is the maximum of an online sum."""
        return any(online.maximum is op for online in self.online.values())

    def online_form(self, op: tiny.ReduceOp) -> Online | None:
        """Returns the exponential factor of the summands if their other factor is ready in the pass of the maximum, else None."""
        if op.fn.data != "sum" or not (_is_wide(element(op.input)) and _is_wide(op.accum)):
            return None
        value, factors = op.input, list[SSAValue]()
        while isinstance(owner := value.owner, Operation):
            match owner:
                case tiny.UnaryOp() if owner.fn.data in ("exp", "exp2"):
                    difference, scale = scaled(owner.input)
                    maximum = self.shifted_by_maximum(difference, op.axes())
                    if maximum is None or any(self.ready.get(f, 0) > self.of[maximum] for f in factors):
                        return None
                    return Online(maximum, owner.fn.data, scale)
                case tiny.UnaryOp() if owner.fn.data == "neg" or _is_exact(owner):
                    value = owner.operands[0]
                case tiny.BinaryOp() if owner.fn.data == "div":
                    value, factor = owner.operands
                    factors.append(factor)
                case tiny.BinaryOp() if owner.fn.data == "mul":
                    value, factor = sorted(owner.operands, key=lambda v: -self.ready.get(v, 0))
                    factors.append(factor)
                case tiny.BinaryOp() if owner.fn.data == "where" and constant_of(owner.operands[2]) == 0:
                    factor, value, _ = owner.operands
                    factors.append(factor)
                case _:
                    return None
        return None

    def shifted_by_maximum(self, difference: SSAValue, axes: tuple[int, ...]) -> tiny.ReduceOp | None:
        """Returns the maximum over `axes` of a, for a value `a - max(a)` whose every row subtracts its own maximum."""
        op = difference.owner
        if not (isinstance(op, tiny.BinaryOp) and op.fn.data == "sub" and _is_wide(element(difference))):
            return None
        a, value = op.operands
        sizes = shape(difference)
        at, types = affine.identity(len(sizes)), [element(value)]
        while _is_cast(value.owner) or (isinstance(value.owner, tiny.MovementOp) and value.owner.kind.data != "pad"):
            (access,) = self.book[value].accesses
            at, value = affine.compose(access.map, at, sizes), access.value
            types.append(element(value))
        maximum = value.owner
        if not (isinstance(maximum, tiny.ReduceOp) and maximum.fn.data == "max" and maximum.axes() == axes):
            return None
        reduced = narrowest(maximum.input)
        if reduced is not narrowest(a) or not all(widens_exactly(element(reduced), t) for t in types):
            return None
        kept = affine.make_map(len(sizes), [f"i{k}" for k in range(len(sizes)) if k not in axes])
        return maximum if affine.equal_on(sizes, at, kept) else None


def passes_of(kernel: region.RegionKernelOp, book: IndexBook) -> Passes:
    """Returns the passes of a kernel of rows."""
    passes = Passes(book, one_hot_sums(kernel.body.block.ops, book).keys())
    for op in kernel.body.block.ops:
        passes.add(op)
    return passes


def _is_wide(dtype: Attribute) -> bool:
    return isinstance(dtype, Float32Type | Float64Type)


def _is_cast(op: Operation | Block) -> TypeGuard[tiny.UnaryOp]:
    return isinstance(op, tiny.UnaryOp) and op.fn.data == "cast"


def _is_exact(op: Operation | Block) -> TypeGuard[tiny.UnaryOp]:
    """Whether an op is a cast that changes no value."""
    return _is_cast(op) and widens_exactly(element(op.input), element(op.result))


def scaled(value: SSAValue) -> tuple[SSAValue, float]:
    """Returns the value that is multiplied by a positive constant, and the constant; 1 if there is none."""
    op = value.owner
    if isinstance(op, tiny.BinaryOp) and op.fn.data == "mul":
        for x, factor in (tuple(op.inputs), tuple(reversed(op.inputs))):
            number = constant_of(factor)
            if number is not None and 0 < number < inf:
                return x, number
    return value, 1.0


def narrowest(value: SSAValue) -> SSAValue:
    """Returns the value before the exact casts that widened it."""
    while _is_exact(op := value.owner):
        value = op.input
    return value


def constant_of(value: SSAValue) -> float | None:
    """Returns the float that is the value of all elements of a constant, or None."""
    while isinstance(op := value.owner, tiny.MovementOp) and op.kind.data in ("reshape", "expand"):
        value = op.input
    if not isinstance(op, tiny.ConstOp) or splat(op.value) is None or not _is_wide(element(value)):
        return None
    number = first_number(op.value)
    return number.value.data if isinstance(number, FloatAttr) else None
