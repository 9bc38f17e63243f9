"""
Expressions of symbols: sizes (`2*N`), scales (`1/num_elements`) and assumptions (`0 <= index < N`).

The syntax is a part of Python's, and Python's parser reads it; nothing is ever executed. A `Node` is a number, a name, or a tuple
of an operator and its operands:

>>> parse("2*N + 1", SIZE)
('+', ('*', 2, 'N'), 1)
>>> evaluate(parse("2*N + 1", SIZE), {"N": 4})
9

An expression has at most `MAX_LENGTH` characters and `MAX_DEPTH` levels, so that its cost is in proportion to its text.
"""

from __future__ import annotations

import ast
import operator
import re
import warnings
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from functools import cache, reduce
from itertools import product
from math import inf, isqrt, nan, prod, sqrt
from typing import Any, cast

import numpy as np

Node = int | float | str | tuple[Any, ...]
Polynomial = frozenset[tuple[tuple[Node, ...], int]]
"""The terms of a sum: each is the sorted factors of a product, with its coefficient, which is not 0."""

MAX_LENGTH = 512
MAX_DEPTH = 40
MAX_TERMS = 64

SYMBOL = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_CHARACTERS = re.compile(r"[A-Za-z0-9_ .,()+*/%<>=!-]*")
_BINARY: Mapping[type[ast.AST], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Div: "/",
}
_COMPARE: Mapping[type[ast.AST], str] = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
}
_LOGIC: Mapping[type[ast.AST], str] = {ast.And: "and", ast.Or: "or", ast.Not: "not"}
_FUNCTIONS = {"min": 2, "max": 2, "ceildiv": 2, "sqrt": 1, "finite": 1}
CONSTANTS = {"inf": inf, "nan": nan}
"""Names that are no symbols."""

SIZE = frozenset(("+", "-", "*", "//", "%", "min", "max", "ceildiv"))
"""The operators and functions of sizes."""
SCALE = SIZE | {"/", "sqrt", "float"}
"""The operators and functions of real numbers; `float` stands for numbers with a fraction."""
ASSUMPTION = SCALE | {*_COMPARE.values(), *_LOGIC.values(), "finite"}
"""The operators and functions of assumptions."""


class InvalidExpression(Exception):
    """An expression that cannot be read. `at` is the offset of the character at fault."""

    def __init__(self, problem: str, at: int = 0):
        super().__init__(problem)
        self.problem, self.at = problem, at


class Undefined(Exception):
    """An expression without a value: a division by zero, or the root of a negative number."""


@cache
def parse(text: str, allowed: frozenset[str]) -> Node:
    """Returns the tree of an expression. Raises `InvalidExpression`."""
    if len(text) > MAX_LENGTH:
        raise InvalidExpression(f"it has {len(text)} characters, and at most {MAX_LENGTH} are read")
    if (end := _CHARACTERS.match(text)) is None or end.end() < len(text):
        at = 0 if end is None else end.end()
        raise InvalidExpression(f"unexpected {text[at]!r}", at)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text.strip(), mode="eval").body
    except SyntaxError as error:
        raise InvalidExpression("it is not an expression", max((error.offset or 1) - 1, 0)) from None
    except (RecursionError, MemoryError, ValueError):
        raise InvalidExpression("it is nested too deeply") from None
    return _node(tree, allowed, 0)


def _node(tree: ast.AST, allowed: frozenset[str], depth: int) -> Node:
    at: int = getattr(tree, "col_offset", 0)
    if depth > MAX_DEPTH:
        raise InvalidExpression(f"it is nested more than {MAX_DEPTH} levels deep", at)

    def permitted(operator: str | None) -> str:
        if operator is None or operator not in allowed:
            words = ", ".join(sorted(allowed - {"float"}))
            shown = type(tree).__name__ if operator is None else operator
            raise InvalidExpression(f"{shown!r} is not allowed here; {words} are", at)
        return operator

    def inner(tree: ast.AST) -> Node:
        return _node(tree, allowed, depth + 1)

    match tree:
        case ast.Constant(value=bool()):
            raise InvalidExpression("expected a number", at)
        case ast.Constant(value=int(value)):
            return value
        case ast.Constant(value=float(value)):
            permitted("float")
            return value
        case ast.Name(id=name):
            return CONSTANTS[name] if name in CONSTANTS and permitted("float") else name
        case ast.UnaryOp(op=ast.USub(), operand=x):
            return (permitted("-"), 0, inner(x))
        case ast.UnaryOp(op=ast.Not(), operand=x):
            return (permitted("not"), inner(x))
        case ast.BinOp(left=x, op=op, right=y):
            return (permitted(_BINARY.get(type(op), type(op).__name__)), inner(x), inner(y))
        case ast.BoolOp(op=op, values=values):
            return (permitted(_LOGIC.get(type(op), "")), *map(inner, values))
        case ast.Compare(left=first, ops=ops, comparators=rest):
            values = [inner(v) for v in (first, *rest)]
            parts = [
                (permitted(_COMPARE.get(type(op), type(op).__name__)), a, b)
                for op, a, b in zip(ops, values, values[1:], strict=False)
            ]
            return parts[0] if len(parts) == 1 else ("and", *parts)
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if len(args) == _FUNCTIONS.get(name):
            return (permitted(name), *map(inner, args))
        case _:
            permitted(None)
            raise AssertionError


def symbols(node: Node) -> Iterator[str]:
    """Yields the names in an expression, with repetitions."""
    if isinstance(node, str):
        yield node
    elif isinstance(node, tuple):
        for part in node[1:]:
            yield from symbols(part)


def evaluate(node: Node, binding: Mapping[str, Any]) -> Any:
    """
    Returns the value of an expression. Integers and quotients are exact; `//` rounds toward minus infinity, as in Python. The
    values of `binding` may be arrays. Raises `Undefined`, and `KeyError` for a name that is not bound.
    """
    if isinstance(node, str):
        return binding[node]
    if not isinstance(node, tuple):
        return node
    values = [evaluate(part, binding) for part in node[1:]]
    try:
        return _MEANING[node[0]](*values)
    except (ArithmeticError, ValueError):
        given = ", ".join(f"{name} = {binding[name]}" for name in dict.fromkeys(symbols(node)))
        raise Undefined(f"{text(node)} has no value" + f" for {given}" * bool(given)) from None


def _quotient(a: Any, b: Any) -> Any:
    exact = isinstance(a, int | Fraction) and isinstance(b, int | Fraction)
    return Fraction(a) / Fraction(b) if exact else a / b


def _floor_div(a: Any, b: Any) -> Any:
    return a // b


def _ceil_div(a: Any, b: Any) -> Any:
    return -(-a // b)


def _root(a: Any) -> Any:
    if isinstance(a, int) and isqrt(a) ** 2 == a:
        return isqrt(a)
    return cast(Any, np.sqrt)(a) if isinstance(a, np.ndarray) else sqrt(a)


def _extreme(of_numbers: Callable[..., Any], of_arrays: Callable[..., Any]) -> Callable[[Any, Any], Any]:
    return lambda a, b: (of_arrays if isinstance(a, np.ndarray) or isinstance(b, np.ndarray) else of_numbers)(a, b)


_MEANING: dict[str, Callable[..., Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "//": _floor_div,
    "%": operator.mod,
    "/": _quotient,
    "min": _extreme(min, np.minimum),
    "max": _extreme(max, np.maximum),
    "ceildiv": _ceil_div,
    "sqrt": _root,
    "finite": np.isfinite,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
    "and": lambda *parts: reduce(np.logical_and, parts),
    "or": lambda *parts: reduce(np.logical_or, parts),
    "not": np.logical_not,
}


def text(node: Node) -> str:
    """Returns an expression as text; every operation but the outermost is in parentheses."""
    if not isinstance(node, tuple):
        return str(node)
    name, parts = cast(str, node[0]), [cast(Node, part) for part in node[1:]]
    inner = [f"({text(p)})" if isinstance(p, tuple) and p[0] not in _FUNCTIONS else text(p) for p in parts]
    if name in _FUNCTIONS:
        return f"{name}({', '.join(map(text, parts))})"
    return f" {name} ".join(inner) if len(inner) > 1 else f"{name} {inner[0]}"


# --- equality of sizes -----------------------------------------------------------------------------


@cache
def polynomial(node: Node) -> Polynomial:
    """
    Returns the sum of products that equals an expression of a size. A `//`, `%`, `min`, `max` or `ceildiv` is a factor; so is a
    part of more than `MAX_TERMS` terms.
    """
    if isinstance(node, int):
        return _collected({(): node})
    if not isinstance(node, tuple):
        return frozenset({((node,), 1)})
    name = node[0]
    a, b = (polynomial(part) for part in node[1:])
    terms: dict[tuple[Node, ...], int] = {}
    if name in ("+", "-"):
        for part, sign in ((a, 1), (b, 1 if name == "+" else -1)):
            for factors, count in part:
                terms[factors] = terms.get(factors, 0) + sign * count
    elif name == "*" and len(a) * len(b) <= MAX_TERMS:
        for (left, m), (right, n) in product(a, b):
            factors = tuple(sorted((*left, *right), key=repr))
            terms[factors] = terms.get(factors, 0) + m * n
    else:
        m, n = constant(a), constant(b)
        if m is not None and n:
            return polynomial(evaluate((name, m, n), {}))
        if name == "//" and n and all(count % n == 0 for _, count in a):
            return frozenset((factors, count // n) for factors, count in a)
        return frozenset({(((name, a, b),), 1)})
    return _collected(terms) if len(terms) <= MAX_TERMS else frozenset({(((name, a, b),), 1)})


def _collected(terms: Mapping[tuple[Node, ...], int]) -> Polynomial:
    return frozenset((factors, count) for factors, count in terms.items() if count)


def constant(of: Polynomial) -> int | None:
    """Returns the value of a polynomial without symbols, or None."""
    terms = dict(of)
    return terms.get((), 0) if not terms.keys() - {()} else None


def are_equal(a: Node, b: Node) -> bool | None:
    """Returns whether two sizes are equal: True and False hold for all values of the symbols; None if it depends on them."""
    difference = constant(polynomial(("-", a, b)))
    return None if difference is None else difference == 0


def solve(node: Node, value: int, binding: Mapping[str, int]) -> tuple[str, int] | None:
    """
    Returns the only symbol that `binding` lacks and its value for which a size is `value`, if the size is linear in it; a value that
    is not a whole number is rounded down. Returns None otherwise.
    """
    missing = {name for name in symbols(node) if name not in binding}
    if len(missing) != 1:
        return None
    (name,) = missing
    slope = offset = 0
    for factors, count in polynomial(node):
        if any(isinstance(f, tuple) for f in factors) or factors.count(name) > 1:
            return None
        part = count * prod(binding[f] for f in factors if isinstance(f, str) and f != name)
        slope, offset = (slope + part, offset) if name in factors else (slope, offset + part)
    return (name, (value - offset) // slope) if slope else None
