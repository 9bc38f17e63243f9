"""
Straight-line functions on binary64 numbers and 64-bit integers, in static single assignment form.

A function of this package is written once, on `Value`s; that builds a `Graph`, which `evaluation.py` executes on arrays and `text.py`
prints. Its operations are exactly those that IEEE 754 defines: each is rounded once, to nearest, and no two are ever fused.

    i64, i1   add sub mul neg and or xor not shl shr (arithmetic), comparisons, select
    f64       add sub mul div neg sqrt, comparisons, select
              product_error(a, b, p)   a * b - p, which is exact for p = a * b, hence the same by an fma or by Dekker's algorithm
    between   bits (f64 → i64), number (i64 → f64 of these bits), convert (i64 → f64 of this value), lookup (i64 → f64 of a table)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

Kind = Literal["f64", "i64", "i1"]
Immediate = float | int | str | None
Scalar = float | int


class Value:
    """The result of an operation. Python's operators on values add operations to their graph; numbers become constants."""

    __slots__ = ("graph", "immediate", "kind", "op", "operands", "position")

    def __init__(
        self, graph: Graph, op: str, operands: tuple[Value, ...], kind: Kind, immediate: Immediate, position: int
    ):
        self.graph, self.op, self.operands = graph, op, operands
        self.kind: Kind = kind
        self.immediate, self.position = immediate, position

    def _with(self, op: str, other: Value | Scalar, kind: Kind | None = None) -> Value:
        return self.graph.add(op, (self, self.graph.lift(other, self.kind)), kind or self.kind)

    def _after(self, op: str, other: Scalar) -> Value:
        return self.graph.add(op, (self.graph.lift(other, self.kind), self), self.kind)

    def __add__(self, other: Value | Scalar) -> Value:
        return self._with("add", other)

    def __sub__(self, other: Value | Scalar) -> Value:
        return self._with("sub", other)

    def __mul__(self, other: Value | Scalar) -> Value:
        return self._with("mul", other)

    def __truediv__(self, other: Value | Scalar) -> Value:
        return self._with("div", other)

    def __and__(self, other: Value | Scalar) -> Value:
        return self._with("and", other)

    def __or__(self, other: Value | Scalar) -> Value:
        return self._with("or", other)

    def __lshift__(self, other: int) -> Value:
        return self._with("shl", other)

    def __rshift__(self, other: int) -> Value:
        return self._with("shr", other)

    def __radd__(self, other: Scalar) -> Value:
        return self._after("add", other)

    def __rsub__(self, other: Scalar) -> Value:
        return self._after("sub", other)

    def __rmul__(self, other: Scalar) -> Value:
        return self._after("mul", other)

    def __rtruediv__(self, other: Scalar) -> Value:
        return self._after("div", other)

    def __lt__(self, other: Value | Scalar) -> Value:
        return self._with("lt", other, "i1")

    def __le__(self, other: Value | Scalar) -> Value:
        return self._with("le", other, "i1")

    def __gt__(self, other: Value | Scalar) -> Value:
        return self._with("gt", other, "i1")

    def __ge__(self, other: Value | Scalar) -> Value:
        return self._with("ge", other, "i1")

    def equals(self, other: Value | Scalar) -> Value:
        return self._with("eq", other, "i1")

    def differs(self, other: Value | Scalar) -> Value:
        return self._with("ne", other, "i1")

    def __neg__(self) -> Value:
        return self.graph.add("neg", (self,), self.kind)

    def __invert__(self) -> Value:
        return self.graph.add("not", (self,), self.kind)


class Graph:
    """The operations of a function, in order. Equal operations on equal operands are one."""

    def __init__(self, inputs: Sequence[str]):
        self.values: list[Value] = []
        self._known: dict[tuple[object, ...], Value] = {}
        self.inputs = [self.add("input", (), "f64", name) for name in inputs]
        self.result = self.inputs[0]

    def add(self, op: str, operands: tuple[Value, ...], kind: Kind, immediate: Immediate = None) -> Value:
        key = (op, *(v.position for v in operands), kind, _identity(immediate))
        if key not in self._known:
            self._known[key] = Value(self, op, operands, kind, immediate, len(self.values))
            self.values.append(self._known[key])
        return self._known[key]

    def lift(self, value: Value | Scalar, kind: Kind) -> Value:
        """Returns a value, or the constant of this number."""
        if isinstance(value, Value):
            return value
        return self.add("constant", (), kind, float(value) if kind == "f64" else int(value))

    def live(self) -> list[Value]:
        """Returns the operations that the result depends on, in order."""
        reached, todo = {self.result}, [self.result]
        while todo:
            for operand in todo.pop().operands:
                if operand not in reached:
                    reached.add(operand)
                    todo.append(operand)
        return [v for v in self.values if v in reached]

    def tables(self) -> list[str]:
        """Returns the names of the tables that are looked up."""
        return sorted({str(v.immediate) for v in self.live() if v.op == "lookup"})


def _identity(immediate: Immediate) -> object:
    return immediate.hex() if isinstance(immediate, float) else immediate  # -0.0 and 0.0 are two constants


def select(condition: Value, on_true: Value | Scalar, on_false: Value | Scalar) -> Value:
    """Returns `condition ? on_true : on_false`. Two numbers are of type f64."""
    graph = condition.graph
    if isinstance(on_true, Value):
        on_false = graph.lift(on_false, on_true.kind)
    elif isinstance(on_false, Value):
        on_true = graph.lift(on_true, on_false.kind)
    a, b = graph.lift(on_true, "f64"), graph.lift(on_false, "f64")
    return graph.add("select", (condition, a, b), a.kind)


def bits(x: Value) -> Value:
    """Returns the 64 bits of a number as an integer."""
    return x.graph.add("bits", (x,), "i64")


def number(n: Value) -> Value:
    """Returns the number that has these 64 bits."""
    return n.graph.add("number", (n,), "f64")


def convert(n: Value) -> Value:
    """Returns an integer, of at most 53 bits, as a number."""
    return n.graph.add("convert", (n,), "f64")


def square_root(x: Value) -> Value:
    return x.graph.add("sqrt", (x,), "f64")


def product_error(a: Value, b: Value | Scalar, product: Value) -> Value:
    """Returns `a * b - product`, exactly, where `product` is `a * b` rounded."""
    return a.graph.add("product_error", (a, a.graph.lift(b, "f64"), product), "f64")


def lookup(table: str, index: Value) -> Value:
    """Returns the number at an index of a table, whose rows follow one another."""
    return index.graph.add("lookup", (index,), "f64", table)
