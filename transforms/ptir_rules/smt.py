"""
Proves rows with z3: on integers of a given width, pattern and replacement are equal for all values that satisfy the guard.

The translation to bit-vectors is independent of the interpreter. A division by zero is undefined: wherever the pattern is defined,
the replacement must be defined and equal. This needs z3 (`pip install 'ptir[smt]'`).
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import Any

from .terms import Apply, Kind, Lit, Rule, Sort, Term, Var, variables

Vector = Any
"""A z3 bit-vector; predicates have one bit. (z3 has no type annotations.)"""


OPERATORS = {
    **{op: op for op in ("neg", "add", "sub", "mul", "xor")},
    "not": "invert",
    "and": "and_",
    "or": "or_",
    "shift_left": "lshift",
    "shift_right_arithmetic": "rshift",
}
"""Maps ops that are Python operators on bit-vectors to their names in the module `operator`."""


@cache
def _z3() -> Any:
    return import_module("z3")


def counterexample(rule: Rule, width: int, kind: Kind) -> str | None:
    """
    Returns values for which a row is wrong, as text. None means that the row is proven for this `width` and `kind` of integers.
    Raises `TimeoutError` if z3 cannot decide.
    """
    z3, width = _z3(), 1 if kind is Kind.BOOL else width
    values = {
        v.name: z3.BitVec(v.name, 1 if v.sort is Sort.P else width)
        for of in (rule.pattern, rule.replacement)
        for v in variables(of)
    }
    before, after = (Translation(width, kind is Kind.SIGNED, values) for _ in range(2))
    left, right = before(rule.pattern), after(rule.replacement)
    solver = z3.Solver()
    if rule.guard is not None:
        solver.add(before(rule.guard) == 1)
    solver.add(*before.defined)
    solver.add(z3.Or(left != right, *(z3.Not(d) for d in after.defined)))
    answer = solver.check()
    if answer == z3.unknown:
        raise TimeoutError(f"z3 could not decide {rule.name}: {solver.reason_unknown()}")
    return str(solver.model()) if answer == z3.sat else None


def _predicate(holds: Any) -> Vector:
    return _z3().If(holds, _z3().BitVecVal(1, 1), _z3().BitVecVal(0, 1))


@dataclass
class Translation:
    """Translates terms to bit-vectors of `width` bits; `defined` collects the conditions under which the terms are defined."""

    width: int
    signed: bool
    values: Mapping[str, Vector]
    defined: list[Any] = field(default_factory=list[Any])

    def __call__(self, term: Term) -> Vector:
        match term:
            case Var(name):
                return self.values[name]
            case Lit():
                return self._literal(term)
            case Apply(op, args):
                return self._apply(op, *map(self, args))

    def _literal(self, lit: Lit) -> Vector:
        half = 1 << self.width - 1
        words = {
            "LOWEST": -half if self.signed else 0,
            "GREATEST": half - 1 if self.signed else 2 * half - 1,
            "BITS": self.width,
        }
        value = words[lit.value] if isinstance(lit.value, str) else lit.value
        return _z3().BitVecVal(int(value), 1 if lit.sort is Sort.P else self.width)

    def _apply(self, op: str, a: Vector, b: Vector = None, c: Vector = None) -> Vector:
        """
        Returns the result of an op. z3's semantics are those of the ops: signed division and remainder truncate, shift counts are
        unsigned, and shifts by the width or more leave zeros or copies of the sign. Raises `KeyError` for ops of floats only.
        """
        if op in OPERATORS:
            return getattr(operator, OPERATORS[op])(*(v for v in (a, b) if v is not None))
        if op in ("div", "remainder"):
            self.defined.append(b != 0)
        z3, zero, signed = _z3(), a - a, self.signed
        less = operator.lt if signed else z3.ULT
        forms: dict[str, Callable[[], Vector]] = {
            "abs": lambda: z3.If(a < 0, -a, a) if signed else a,
            "sign": lambda: z3.If(a == 0, a, z3.If(a < 0, zero - 1, zero + 1) if signed else zero + 1),
            "div": lambda: a / b if signed else z3.UDiv(a, b),
            "remainder": lambda: z3.SRem(a, b) if signed else z3.URem(a, b),
            "maximum": lambda: z3.If(less(a, b), b, a),
            "minimum": lambda: z3.If(less(a, b), a, b),
            "clamp": lambda: self._apply("minimum", self._apply("maximum", a, b), c),
            "select": lambda: z3.If(a == 1, b, c),
            "eq": lambda: _predicate(a == b),
            "ne": lambda: _predicate(a != b),
            "lt": lambda: _predicate(less(a, b)),
            "le": lambda: _predicate(z3.Not(less(b, a))),
            "gt": lambda: _predicate(less(b, a)),
            "ge": lambda: _predicate(z3.Not(less(a, b))),
            "shift_right_logical": lambda: z3.LShR(a, b),
            "log2": lambda: sum((z3.If(a == 1 << k, zero + k, zero) for k in range(self.width)), zero),
        }
        return forms[op]()
