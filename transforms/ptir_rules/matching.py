"""
Matches rows of the table in the IR and applies them.

A pattern is matched from its root op towards the operands, with both operand orders of commutative ops; the first match of the
first matching row is taken. A row does not fire if

- the element type is not one of its kinds, or its guard does not hold for the constants;
- the replacement needs an op that the module does not allow (`ptir.extensions`), or a literal of unknown size;
- the replacement drops a value whose type has an unnamed `?`: the runtime check that sizes are equal would be lost;
- the row is marked `single`, and an op between the root and the variables has other uses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import permutations
from types import MappingProxyType
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ComplexType, ModuleOp, i1
from xdsl.ir import Attribute, Operation, SSAValue

from ...dialects import ptir
from ...dialects.common.shapes import element, is_float, is_predicate, is_unsigned
from ...dialects.ptir.base import Extension
from ...dialects.ptir.dims import sizes, tensor_type
from ...dialects.ptir.elementwise import ClampOp, SelectOp
from ...dialects.ptir.functions import IsFiniteOp
from ...semantics.arrays.scalars import Array, numpy_dtype
from ..op_writer import Declined
from .constants import Constants
from .evaluation import evaluate, literal
from .terms import COMMUTATIVE, COMPARISONS, Apply, Kind, Lit, Rule, Sort, Term, Var, is_known, subterms, variables
from .write import Writer

OPS: Mapping[str, type[Any]] = MappingProxyType(
    {
        op.name.removeprefix("ptir."): op
        for op in ptir.PTIR.operations
        if issubclass(op, ptir.UnaryOp | ptir.BinaryOp | SelectOp | ClampOp | IsFiniteOp)
    }
)
"""The elementwise ops, by their names in terms."""


def term_name(op: Operation) -> str:
    """Returns the name of an op in terms; the name of a comparison is its kind, such as `lt`."""
    return op.op.data if isinstance(op, ptir.CompareOp) else op.name.removeprefix("ptir.")


def kind_of(dtype: Attribute) -> Kind:
    if is_float(dtype):
        return Kind.FLOAT
    if isinstance(dtype, ComplexType):
        return Kind.COMPLEX
    if is_predicate(dtype):
        return Kind.BOOL
    return Kind.UNSIGNED if is_unsigned(dtype) else Kind.SIGNED


@dataclass(frozen=True)
class Match:
    """A match of a row: the values of its variables, the type of T, and the ops between the root and the variables."""

    values: Mapping[str, SSAValue]
    type: Attribute | None = None
    inner: tuple[Operation, ...] = ()

    def bind(self, var: Var, value: SSAValue) -> Match | None:
        if var.name in self.values:
            return self if self.values[var.name] is value else None
        return Match({**self.values, var.name: value}, self._type(var.sort, value), self.inner)

    def literal(self, lit: Lit, value: SSAValue) -> Match:
        return Match(self.values, self._type(lit.sort, value), self.inner)

    def through(self, op: Operation) -> Match:
        return Match(self.values, self.type, (*self.inner, op))

    def _type(self, sort: Sort, value: SSAValue) -> Attribute | None:
        return value.type if self.type is None and sort is Sort.T else self.type


@cache
def by_root(rules: tuple[Rule, ...]) -> Mapping[str, Sequence[Rule]]:
    """Groups the rows by the op at the root of their pattern."""
    out: dict[str, list[Rule]] = {}
    for rule in rules:
        if isinstance(rule.pattern, Apply):
            out.setdefault(rule.pattern.op, []).append(rule)
    return MappingProxyType(out)


@dataclass(frozen=True)
class Matcher:
    """Finds and applies rows."""

    rules: Mapping[str, Sequence[Rule]]
    constants: Constants

    def attempts(self, op: Operation, write: Writer) -> Iterator[tuple[str, Callable[[], SSAValue | str]]]:
        """Yields, for each row that matches the op, its name and a function that applies it."""
        for rule in self.rules.get(term_name(op), ()):
            for match in self._match_args(rule.pattern, op, Match({})):
                yield rule.name, partial(self._apply, rule, match, op, write)

    # --- patterns ---------------------------------------------------------------------------------

    def _match(self, term: Term, value: SSAValue, match: Match) -> Iterator[Match]:
        match term:
            case Var(constant=constant):
                if not constant or self.constants.known(value) is not None:
                    bound = match.bind(term, value)
                    if bound is not None:
                        yield bound
            case Lit():
                found = self.constants.splat(value)
                if found is not None and _same(found, literal(term, found.dtype)):
                    yield match.literal(term, value)
            case Apply(name):
                op = value.owner
                if isinstance(op, Operation) and term_name(op) == name:
                    yield from self._match_args(term, op, match.through(op))

    def _match_args(self, term: Term, op: Operation, match: Match) -> Iterator[Match]:
        assert isinstance(term, Apply)
        orders = list(permutations(term.args)) if term.op in COMMUTATIVE else [term.args]
        for args in orders:
            yield from self._match_all(args, op.operands, match)

    def _match_all(self, terms: Sequence[Term], values: Sequence[SSAValue], match: Match) -> Iterator[Match]:
        if not terms:
            yield match
            return
        for found in self._match(terms[0], values[0], match):
            yield from self._match_all(terms[1:], values[1:], found)

    # --- replacements -----------------------------------------------------------------------------

    def _apply(self, rule: Rule, match: Match, root: Operation, write: Writer) -> SSAValue | str:
        """Returns the replacement, or the reason why the row does not fire; some reasons are raised as `Declined`."""
        type = root.results[0].type if match.type is None else match.type
        if (kind := kind_of(element(type))) not in rule.kinds:
            return f"it does not apply to {kind.value}"
        if rule.single and any(len(list(op.results[0].uses)) > 1 for op in match.inner):
            return "an intermediate result has other uses"
        if None in sizes(type) and _loses_a_value(rule):
            return "a value whose size is checked would be dropped"
        if not _allowed(rule, root):
            return "the module does not allow extensions"
        if rule.guard is not None and not self._holds(rule.guard, match, type):
            return f"{rule.guard} does not hold"
        return self._build(rule.replacement, match, type, write)

    def _holds(self, guard: Term, match: Match, type: Attribute) -> bool:
        return bool(np.all(evaluate(guard, self._constants_in(guard, match), numpy_dtype(element(type)))))

    def _constants_in(self, term: Term, match: Match) -> dict[str, Array]:
        known = {v.name: self.constants.known(match.values[v.name]) for v in variables(term)}
        return {name: value for name, value in known.items() if value is not None}

    def _build(self, term: Term, match: Match, type: Attribute, write: Writer) -> SSAValue:
        if isinstance(term, Var):
            return match.values[term.name]
        if is_known(term):
            return self._compute(term, match, type, write)
        assert isinstance(term, Apply)
        args = [self._build(arg, match, type, write) for arg in term.args]
        if term.op in COMPARISONS:
            return write.add(ptir.CompareOp(term.op, *args))
        return write.add(OPS[term.op](*args))

    def _compute(self, term: Term, match: Match, type: Attribute, write: Writer) -> SSAValue:
        """Returns a term of constants as a literal, computed by the interpreter. Raises `Declined`."""
        dtype = element(type)
        try:
            value = evaluate(term, self._constants_in(term, match), numpy_dtype(dtype))
        except ZeroDivisionError as error:
            raise Declined("it divides by zero") from error
        if term.sort is Sort.P:
            type = tensor_type(dtype := i1, sizes(type))
        return write.array(value, dtype) if value.ndim else write.splat(value, type)


def _same(a: Array, b: Array) -> bool:
    """Returns whether two arrays are equal bit for bit."""
    return a.dtype == b.dtype and a.tobytes() == b.tobytes()


def _allowed(rule: Rule, root: Operation) -> bool:
    """Returns whether the module allows the ops of the replacement that are not in the pattern."""
    there, needed = (
        {t.op for t in subterms(of) if isinstance(t, Apply) and not is_known(t)} - COMPARISONS.keys()
        for of in (rule.pattern, rule.replacement)
    )
    return not any(_is_extension(name) for name in needed - there) or allows_extensions(root)


def _loses_a_value(rule: Rule) -> bool:
    """Returns whether the replacement drops an operand. Constants count, too, as their sizes may be checked at run time."""
    kept = variables(rule.replacement)
    return any(isinstance(t, Lit) or (isinstance(t, Var) and t not in kept) for t in subterms(rule.pattern))


@cache
def _is_extension(name: str) -> bool:
    return OPS[name].has_trait(Extension())


def allows_extensions(op: Operation) -> bool:
    module: Operation | None = op
    while module is not None and not isinstance(module, ModuleOp):
        module = module.parent_op()
    return module is None or "ptir.extensions" in module.attributes
