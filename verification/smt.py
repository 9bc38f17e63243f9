"""Decides obligations by z3, over mathematical integers."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from types import MappingProxyType
from typing import Any

from xdsl.dialects.builtin import StringAttr, f32, f64
from xdsl.ir import SSAValue

from ..dialects import intent
from ..dialects.intent import symbols
from ..dialects.intent.broadcast import joint
from ..dialects.intent.symbols import ASSUMPTION, SCALE, Node
from ..dialects.intent.types import type_of
from ..dialects.ptir.domains import is_integer
from ..dialects.ptir.scalars import ScalarAttr
from ..semantics.arrays.scalars import integer_range, numpy_dtype
from ..semantics.intent.evaluation import amount
from .obligations import Obligation, Verdict

z3: Any = import_module("z3")  # it has no type annotations
Term = Any
LARGEST = 2**20
"""Maximum number of a symbol."""


class NotModeled(Exception):
    """A value whose elements have no term."""


class Prover:
    """The symbols and assumptions of a function as z3 terms. `budget` limits a query."""

    def __init__(self, function: intent.FuncOp, budget: int):
        self.function = function
        self.budget = budget
        self.names: dict[str, Term] = {name: z3.Int(name) for name in function.symbols()}
        self._guards: list[Term] = []
        """Facts about the terms of an obligation: ranges of indices and elements, and divisors that are not zero."""
        self.given: list[Term] = [z3.And(s >= 1, s <= LARGEST) for s in self.names.values()]
        self.arguments = {arg.name_hint or "": arg for arg in function.inputs}
        self.about: dict[str, list[Node]] = {}
        """The assumptions about the elements of each argument."""
        for text in function.assumptions:
            node = symbols.parse(text, ASSUMPTION)
            named = {name for name in symbols.symbols(node) if name not in self.names}
            try:
                if not named:
                    self.given.append(self.term(node))
                elif len(named) == 1:
                    self.about.setdefault(named.pop(), []).append(node)
            except NotModeled:
                continue  # an assumption less cannot prove more
        self.given += self._guards
        self._fresh = 0
        self._ranges: list[Term] = []
        """The conditions that intermediate integers of an element are in the range of their types."""

    def verdict(self, o: Obligation) -> Verdict:
        """Returns whether an obligation holds for all symbols and arguments."""
        self._guards, self._ranges = [], []
        try:
            if isinstance(o.left, SSAValue):
                left = self.element(o.left, [self.index(size) for size in type_of(o.left).sizes])
            else:
                left = self.term(o.left)
            right = self.term(o.right)
        except NotModeled as why:
            return Verdict(o, "UNKNOWN", str(why))
        holds = {"==": left == right, ">=": left >= right, "<": left < right, "!=": left != right}[o.relation]
        answer, model = self.refute(holds)
        if answer == z3.unsat and self._ranges:
            answer, model = self.refute(z3.And(*self._ranges))
            if answer == z3.sat:
                return Verdict(o, "UNKNOWN", f"an integer on the way wraps {model}")
        second, small = self.second_opinion(holds)
        if answer == z3.unsat:
            if second == "sat":
                return Verdict(o, "UNKNOWN", f"z3 proves it, and bitwuzla refutes it {small}")
            return Verdict(o, "PASS", "", second == "unsat")
        if answer == z3.sat or second == "sat":
            return Verdict(o, "FAIL", model or small, second == "sat")
        return Verdict(o, "UNKNOWN", "the solvers find neither a proof nor a counterexample")

    def second_opinion(self, holds: Term) -> tuple[str, str]:
        """Returns bitwuzla's answer, for small sizes, with a model."""
        if find_spec("bitwuzla") is None:
            return "unknown", ""
        from .bounded import search

        answer, model = search([*self.given, *self._guards], holds, tuple(self.names))
        return answer, _shown(model) if answer == "sat" else ""

    def refute(self, holds: Term) -> tuple[Any, str]:
        """Asks for a model in which a statement is false."""
        solver = z3.Solver()
        solver.set("rlimit", self.budget)
        solver.add(*self.given, *self._guards, z3.Not(holds))
        answer = solver.check()
        return answer, self._model(solver.model()) if answer == z3.sat else ""

    def _model(self, model: Any) -> str:
        return _shown({d.name(): model[d] for d in model.decls() if d.name() in self.names})

    def term(self, node: Node, elements: Mapping[str, Term] = MappingProxyType({})) -> Term:
        """Returns the term of an expression; `elements` are those of arguments. Raises `NotModeled`."""
        if isinstance(node, str):
            if (found := elements.get(node, self.names.get(node))) is None:
                raise NotModeled(f"{node} is no integer")
            return found
        if isinstance(node, int):
            return z3.IntVal(node)
        if not isinstance(node, tuple) or node[0] not in _TERMS:
            raise NotModeled(f"{symbols.text(node)} is no integer")
        parts = [self.term(part, elements) for part in node[1:]]
        if node[0] in ("//", "%", "ceildiv"):
            self._guards.append(parts[1] != 0)  # another obligation says so
        return _TERMS[node[0]](*parts)

    def index(self, size: Node) -> Term:
        """Returns any index of an axis."""
        self._fresh += 1
        at = z3.Int(f"i{self._fresh}!")
        self._guards.append(z3.And(at >= 0, at < self.term(size)))
        return at

    def element(self, value: SSAValue, at: Sequence[Term]) -> Term:
        """Returns the term of an integer element at the index `at`. Raises `NotModeled`."""
        dtype = type_of(value).element_type
        if not is_integer(dtype):
            raise NotModeled(f"{dtype} is no integer type")
        term, (low, high) = self._element(value, at), integer_range(numpy_dtype(dtype))
        if isinstance(value.owner, intent.CastOp):
            return _least(_most(term, z3.IntVal(low)), z3.IntVal(high))
        if isinstance(value.owner, intent.BinaryOp | intent.IotaOp):
            self._ranges.append(z3.And(term >= low, term <= high))
        return term

    def _element(self, value: SSAValue, at: Sequence[Term]) -> Term:
        match value.owner:
            case intent.IotaOp() as op:
                return at[op.axis()]
            case intent.ConstOp() as op:
                if isinstance(op.value, StringAttr):
                    return self.term(symbols.parse(op.value.data, SCALE))
                number = amount(op.value, {})
                if isinstance(number, int):
                    return z3.IntVal(int(number))
                raise NotModeled("a fraction")
            case intent.BinaryOp() as op if op.fn.data in _ELEMENTS:
                x, y = self.elements(op, at)
                if op.fn.data == "div":
                    self._guards.append(y != 0)  # another obligation says so
                return _ELEMENTS[op.fn.data](x, y)
            case intent.WhereOp() as op:
                predicate, *choices = self.places(op, at)
                return z3.If(self.condition(op.predicate, predicate), *map(self.element, op.operands[1:], choices))
            case intent.GatherOp() as op:
                places = self.places(op, at, op.indices)
                return self.element(op.data, list(map(self.element, op.indices, places)))
            case intent.TransposeOp() as op:
                return self.element(op.input, [at[op.permutation().index(axis)] for axis in range(len(at))])
            case intent.BroadcastInDimOp() as op:
                dims = type_of(op.input).dims
                places = [z3.IntVal(0) if d == 1 else at[axis] for d, axis in zip(dims, op.axes(), strict=True)]
                return self.element(op.input, places)
            case intent.ReshapeOp() as op:
                return self.element(op.input, self.reshaped(op, at))
            case intent.CastOp() as op if (shift := _shifted(op)) is not None:
                x, divisor = self.element(shift[0], at), shift[1]
                self._ranges.append(z3.And(x >= -(2**24), x <= 2**24))  # so that floats are exact
                return _floor_div(x, z3.IntVal(divisor))
            case intent.CastOp() as op:
                return self.element(op.input, at)
            case intent.UnaryOp() as op if op.fn.data in ("identity", "layout_cast"):
                return self.element(op.input, at)
            case intent.UnaryOp() as op if op.fn.data in ("relu", "abs"):
                x = self.element(op.input, at)
                return z3.If(x >= 0, x, z3.IntVal(0) if op.fn.data == "relu" else -x)
            case _:
                return self.argument(value, at)

    def argument(self, value: SSAValue, at: Sequence[Term]) -> Term:
        """Returns the element of an argument, about which its type and the assumptions are known."""
        name = value.name_hint or ""
        if self.arguments.get(name) is not value:
            raise NotModeled(f"the elements of %{name} are not known")
        term = z3.Function(f"{name}!", *[z3.IntSort()] * (len(at) + 1))(*at) if at else z3.Int(f"{name}!")
        low, high = integer_range(numpy_dtype(type_of(value).element_type))
        self._guards.append(z3.And(term >= low, term <= high))
        for node in self.about.get(name, ()):
            try:
                self._guards.append(self.term(node, {name: term}))
            except NotModeled:
                continue
        return term

    def reshaped(self, op: intent.ReshapeOp, at: Sequence[Term]) -> list[Term]:
        """Returns the index in the operand: that of the result if only axes of size 1 change, otherwise any."""
        source, result = type_of(op.input), type_of(op.result)
        kept = [i for i, d in zip(at, result.dims, strict=True) if d != 1]
        if [d for d in source.dims if d != 1] != [d for d in result.dims if d != 1]:
            return [self.index(size) for size in source.sizes]
        return [z3.IntVal(0) if d == 1 else kept.pop(0) for d in source.dims]

    def places(
        self, op: intent.IntentOp, at: Sequence[Term], values: Sequence[SSAValue] | None = None
    ) -> list[list[Term]]:
        """Returns the index in each operand of an elementwise op, or in each of `values`, whose result is at `at`."""
        shapes = [type_of(v).dims for v in (op.operands if values is None else values)]
        _, placed = joint(op, shapes)
        return [
            [z3.IntVal(0) if d == 1 else at[axis] for d, axis in zip(dims, axes, strict=True)]
            for dims, axes in zip(shapes, placed, strict=True)
        ]

    def elements(self, op: intent.IntentOp, at: Sequence[Term]) -> list[Term]:
        return list(map(self.element, op.operands, self.places(op, at)))

    def condition(self, value: SSAValue, at: Sequence[Term]) -> Term:
        """Returns a Boolean element; one that is not known may be true or false."""
        match value.owner:
            case intent.BinaryOp() as op if op.fn.data in _COMPARISONS and is_integer(type_of(op.lhs).element_type):
                return _TERMS[_COMPARISONS[op.fn.data]](*self.elements(op, at))
            case intent.BinaryOp() as op if op.fn.data in ("and", "or"):
                return _TERMS[op.fn.data](*map(self.condition, op.operands, self.places(op, at)))
            case intent.UnaryOp() as op if op.fn.data == "not":
                return z3.Not(self.condition(op.input, at))
            case _:
                self._fresh += 1
                return z3.Bool(f"p{self._fresh}!")


def _shifted(op: intent.CastOp) -> tuple[SSAValue, int] | None:
    """Returns `x` and `2^k` if the op has the value of floor(x · 2^-k) for an integer `x`, computed in f32 or f64."""
    floor = op.input.owner
    if not (isinstance(floor, intent.UnaryOp) and floor.fn.data == "floor"):
        return None
    product = floor.input.owner
    if not (
        isinstance(product, intent.BinaryOp)
        and product.fn.data == "mul"
        and type_of(product.result).element_type in (f32, f64)
    ):
        return None
    wide, factor = product.lhs.owner, product.rhs.owner
    if not (isinstance(wide, intent.CastOp) and isinstance(factor, intent.ConstOp)):
        return None
    scale = amount(factor.value, {}) if isinstance(factor.value, ScalarAttr) else 0
    divisor = round(1 / scale) if 0 < scale <= 1 else 0
    exact = divisor & (divisor - 1) == 0 and divisor * scale == 1 and divisor > 0
    return (wide.input, divisor) if exact and is_integer(type_of(wide.input).element_type) else None


def _shown(model: Mapping[str, object]) -> str:
    shown = sorted(f"{name} = {number}" for name, number in model.items())
    return "for " + ", ".join(shown) if shown else "always"


def _floor_div(a: Term, b: Term) -> Term:
    return z3.If(b > 0, a / b, (-a) / (-b))


def _truncated(a: Term, b: Term) -> Term:
    quotient = z3.If(a >= 0, a, -a) / z3.If(b >= 0, b, -b)
    return z3.If((a >= 0) == (b >= 0), quotient, -quotient)


def _least(a: Term, b: Term) -> Term:
    return z3.If(a <= b, a, b)


def _most(a: Term, b: Term) -> Term:
    return z3.If(a >= b, a, b)


def _not(a: Term) -> Term:
    return z3.Not(a)


def _all(*parts: Term) -> Term:
    return z3.And(*parts)


def _any(*parts: Term) -> Term:
    return z3.Or(*parts)


def _modulo(a: Term, b: Term) -> Term:
    return a - b * _floor_div(a, b)


def _ceil_div(a: Term, b: Term) -> Term:
    return -_floor_div(-a, b)


_TERMS: dict[str, Callable[..., Term]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "//": _floor_div,
    "%": _modulo,
    "ceildiv": _ceil_div,
    "min": _least,
    "max": _most,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
    "and": _all,
    "or": _any,
    "not": _not,
}
_ELEMENTS: dict[str, Callable[[Term, Term], Term]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": _truncated,
    "min": _least,
    "max": _most,
}
_COMPARISONS = {"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "ne": "!="}
