"""
Layer 2: statements that must hold for all numbers of the symbols, and all arguments, that the contract allows.

- sizes are at least 1, and no size divides by zero;
- sizes that an op needs to be equal are equal, and a reshape keeps the number of elements;
- an index of a `gather` is in range, and an integer divisor is not zero.

A statement that follows from equal polynomials needs no solver. Others are refuted, or proved, by z3 over mathematical integers:
symbols are at least 1 and at most 2²⁰, an `iota` is any index of its axis, and an argument is any number within its assumptions. A
statement about elements is UNKNOWN if an integer on the way may wrap. What z3 does not decide within its budget is searched by bitwuzla for
small sizes (`bounded.py`), and UNKNOWN if it finds nothing. bitwuzla also checks the answers of z3; if they disagree, the answer is UNKNOWN.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Literal

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Operation, SSAValue

from ..dialects import intent
from ..dialects.intent import symbols
from ..dialects.intent.broadcast import joint
from ..dialects.intent.symbols import SCALE, Node
from ..dialects.intent.types import type_of
from ..dialects.ptir.domains import is_integer
from ..errors import location_of


@dataclass(frozen=True)
class Obligation:
    """`left` `relation` `right` for all symbols; a value stands for any of its elements."""

    op: Operation
    what: str
    left: Node | SSAValue
    relation: Literal["==", ">=", "<", "!="]
    right: Node

    def text(self) -> str:
        where = location_of(self.op)
        left = "it" if isinstance(self.left, SSAValue) else symbols.text(self.left)
        return f"{f'{where}: ' if where else ''}{self.what}: {left} {self.relation} {symbols.text(self.right)}"


@dataclass(frozen=True)
class Verdict:
    """The answer to an obligation, with the model that refutes it or the reason why there is no answer."""

    obligation: Obligation
    status: Literal["PASS", "FAIL", "UNKNOWN"]
    why: str = ""
    seconded: bool = False
    """Whether a second solver comes to the same answer, for sizes up to its bound."""


def obligations(function: intent.FuncOp) -> Iterator[Obligation]:
    """Yields the obligations of a function."""
    seen: set[Node] = set()
    for value in (*function.inputs, *(r for op in function.body.walk() for r in op.results)):
        op = value.owner if isinstance(value.owner, Operation) else function
        for node in type_of(value).sizes:
            if isinstance(node, tuple) and node not in seen:
                seen.add(node)
                yield from (Obligation(op, "a divisor", d, "!=", 0) for d in _divisors(node))
                yield Obligation(op, "a size", node, ">=", 1)
    for op in function.body.walk():
        for name in ("value", "scale"):
            if isinstance(text := op.properties.get(name), StringAttr):
                node = symbols.parse(text.data, SCALE)
                free = [d for d in _divisors(node) if "num_elements" not in symbols.symbols(d)]
                yield from (Obligation(op, "a divisor", d, "!=", 0) for d in free)
        if isinstance(op, intent.IntentOp):
            yield from _of_op(op)


def _of_op(op: intent.IntentOp) -> Iterator[Obligation]:
    result = type_of(op.result)
    for got, want in zip(result.sizes, op.inferred().sizes, strict=True):
        yield from _equal(op, "a size of the result", got, want)
    match op:
        case intent.ReshapeOp():
            counts = [reduce(lambda a, b: ("*", a, b), t.sizes, 1) for t in (result, type_of(op.input))]
            yield from _equal(op, "the number of elements", *counts)
        case intent.BinaryOp() | intent.WhereOp():
            yield from _joint(op, op.operands)
        case intent.GatherOp():
            yield from _joint(op, op.indices)
            for index, size in zip(op.indices, type_of(op.data).sizes, strict=True):
                yield Obligation(op, "an index", index, ">=", 0)
                yield Obligation(op, "an index", index, "<", size)
        case intent.MatmulOp():
            k = [
                type_of(v).sizes[-2 if (flag is not None) == first else -1]
                for v, flag, first in ((op.lhs, op.transpose_lhs, True), (op.rhs, op.transpose_rhs, False))
            ]
            yield from _equal(op, "the axis that is summed", *k)
        case intent.BroadcastInDimOp():
            for dim, axis in zip(type_of(op.input).sizes, op.axes(), strict=True):
                if dim != 1:
                    yield from _equal(op, "a size of the operand", dim, result.sizes[axis])
        case intent.CorrelationOp():
            yield Obligation(op, "the shift", op.shift, ">=", 0)
            yield Obligation(op, "the shift", op.shift, "<", 32)
        case _:
            pass
    if isinstance(op, intent.BinaryOp) and op.fn.data == "div" and is_integer(result.element_type):
        yield Obligation(op, "a divisor", op.rhs, "!=", 0)


def _joint(op: intent.IntentOp, values: Sequence[SSAValue]) -> Iterator[Obligation]:
    dims, placed = joint(op, [type_of(v).dims for v in values])
    sizes = [d if isinstance(d, int) else symbols.parse(d, symbols.SIZE) for d in dims]
    for value, axes in zip(values, placed, strict=True):
        for node, axis in zip(type_of(value).sizes, axes, strict=True):
            if node != 1:
                yield from _equal(op, "a size of an operand", node, sizes[axis])


def _equal(op: Operation, what: str, got: Node, want: Node) -> Iterator[Obligation]:
    if got != want:
        yield Obligation(op, what, got, "==", want)


def _divisors(node: Node) -> Iterator[Node]:
    if isinstance(node, tuple):
        if node[0] in ("//", "%", "/", "ceildiv"):
            divisor: Node = node[2]
            while isinstance(divisor, tuple) and divisor[0] == "sqrt":
                divisor = divisor[1]
            if not isinstance(divisor, int | float) or divisor == 0:
                yield divisor
        for part in node[1:]:
            yield from _divisors(part)
