"""
The language of algebraic rules: terms, which apply elementwise ops to variables and literals, and rows, which consist of terms.

```
Rule("sub-self", INTEGERS, sub(x, x), 0)          x - x  →  0
```

`x y z` stand for values of one element type T, `p q` for predicates of the same shape, `c d` for constants of T. A literal stands
for that number in T, modulo 2^w for integers; `-0.0` differs from `0.0`. `LOWEST` and `GREATEST` are the extreme values of T
(infinities, if T has them), `BITS` is its width. Comparisons and `is_finite` yield predicates, a select has the type of its arms,
every other op the type of its first operand. The operands of commutative ops match in either order.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator
from dataclasses import dataclass


class Kind(enum.Enum):
    """A family of element types; signless integers are signed."""

    SIGNED = "si"
    UNSIGNED = "ui"
    BOOL = "i1"
    FLOAT = "float"
    COMPLEX = "complex"


Kinds = frozenset[Kind]
SIGNED, UNSIGNED, BOOLS, FLOATS, COMPLEX = (frozenset({kind}) for kind in Kind)
INTEGERS = SIGNED | UNSIGNED
BITS_OF = INTEGERS | BOOLS
REALS = INTEGERS | FLOATS
NUMBERS = REALS | COMPLEX
ANYTHING = NUMBERS | BOOLS


class Sort(enum.Enum):
    """The type of a term: the row's element type T, or predicate (P)."""

    T = "T"
    P = "P"


@dataclass(frozen=True)
class Var:
    """A variable; variables of the same name match the same value."""

    name: str
    sort: Sort = Sort.T
    constant: bool = False
    """Whether the variable only matches values that are known at compile time."""

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Lit:
    """A literal, which is the same for every element; a string names a number that depends on T, such as `LOWEST`."""

    value: bool | int | float | str

    @property
    def sort(self) -> Sort:
        return Sort.P if isinstance(self.value, bool) else Sort.T

    def __str__(self) -> str:
        return str(self.value).lower() if isinstance(self.value, bool) else str(self.value)


@dataclass(frozen=True)
class Apply:
    """The application of an op to terms."""

    op: str
    args: tuple[Term, ...]

    @property
    def sort(self) -> Sort:
        if self.op in PREDICATES:
            return Sort.P
        return self.args[1 if self.op == "select" else 0].sort

    def __str__(self) -> str:
        return f"{self.op}({', '.join(map(str, self.args))})"


Term = Var | Lit | Apply

COMPARISONS = {"lt": "gt", "le": "ge", "eq": "eq", "ge": "le", "gt": "lt", "ne": "ne"}
"""Maps each comparison to the equivalent one with exchanged operands."""
PREDICATES = frozenset(COMPARISONS) | {"is_finite"}
COMMUTATIVE = frozenset({"add", "mul", "maximum", "minimum", "and", "or", "xor", "eq", "ne"})


@dataclass(frozen=True)
class Rule:
    """
    A row: for element types in `kinds`, `pattern` equals `replacement` if `guard` holds for the constants.

    - `exact`: they are equal bit for bit, except for NaN payloads; inexact rows are off by default.
    - `single`: the row does not fire if an intermediate result has other uses.
    """

    name: str
    kinds: Kinds
    pattern: Term
    replacement: Term
    guard: Term | None = None
    exact: bool = True
    single: bool = False

    def __str__(self) -> str:
        where = "" if self.guard is None else f"  if {self.guard}"
        return f"{self.pattern} → {self.replacement}{where}"


def subterms(term: Term) -> Iterator[Term]:
    """Yields the term and its subterms."""
    yield term
    if isinstance(term, Apply):
        for arg in term.args:
            yield from subterms(arg)


def variables(term: Term) -> list[Var]:
    """Returns the variables of a term in order of appearance, each once."""
    return list(dict.fromkeys(t for t in subterms(term) if isinstance(t, Var)))


def is_known(term: Term) -> bool:
    """Returns whether all variables of the term are constants, so that it can be computed at compile time."""
    return all(t.constant for t in variables(term))


# --- writing terms ------------------------------------------------------------------------------

x, y, z = (Var(name) for name in "xyz")
p, q = (Var(name, Sort.P) for name in "pq")
c, d = (Var(name, constant=True) for name in "cd")
TRUE, FALSE = Lit(True), Lit(False)
LOWEST, GREATEST, BITS = Lit("LOWEST"), Lit("GREATEST"), Lit("BITS")

Writable = Term | int | float


def term(value: Writable) -> Term:
    """Returns a term, which may be given as a number."""
    return value if isinstance(value, Var | Lit | Apply) else Lit(value)


@dataclass(frozen=True)
class Op:
    """A constructor of terms, as in `add(x, 0)`."""

    name: str

    def __call__(self, *args: Writable) -> Apply:
        return Apply(self.name, tuple(term(a) for a in args))


neg, abs_, sign, floor, ceil, round_ = map(Op, ("neg", "abs", "sign", "floor", "ceil", "round"))
exp, log, expm1, log1p, cos, sqrt, rsqrt = map(Op, ("exp", "log", "expm1", "log1p", "cos", "sqrt", "rsqrt"))
reciprocal, logistic, is_finite = map(Op, ("reciprocal", "logistic", "is_finite"))
add, sub, mul, div, pow_, remainder = map(Op, ("add", "sub", "mul", "div", "pow", "remainder"))
maximum, minimum, clamp, select = map(Op, ("maximum", "minimum", "clamp", "select"))
lt, le, eq, ge, gt, ne = map(Op, COMPARISONS)
and_, or_, xor, not_ = map(Op, ("and", "or", "xor", "not"))
shift_left = Op("shift_left")
shift_right, shift_right_arithmetic = Op("shift_right_logical"), Op("shift_right_arithmetic")
exact_reciprocal = Op("exact_reciprocal")
"""A function for guards, which is not an op: whether 1 / c is exact in T, as for powers of two."""
log2 = Op("log2")
"""A function of constants, which is not an op: the exponent of a power of two."""


def rule(
    name: str,
    kinds: Kinds,
    pattern: Term,
    replacement: Writable,
    guard: Term | None = None,
    *,
    exact: bool = True,
    single: bool = False,
) -> Rule:
    return Rule(name, kinds, pattern, term(replacement), guard, exact, single)
