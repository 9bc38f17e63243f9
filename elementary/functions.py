"""The functions by name, with their values where the formula has none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from . import error_function, exponential, logarithm, power, roots, trigonometric
from .arithmetic import Pair, round_to_odd
from .graph import Graph, Value, select
from .operations import OPERATIONS

INF, NAN = float("inf"), float("nan")


@dataclass(frozen=True)
class Function:
    """
    A function of one operand.

    `kernel` returns it as a pair, with an error below 2^-55. `at` has the values at points; it is NaN below `from_`, and at NaN. At zeros,
    `at_zero` gives the zero itself, or its reciprocal, an infinity of its sign.
    """

    kernel: Callable[[Value], Pair]
    at: tuple[tuple[float, float], ...]
    at_zero: str = ""
    from_: float = -INF

    def graph(self) -> Graph:
        """Returns the function rounded to odd in binary64."""
        graph = Graph(["x"])
        (x,) = graph.inputs
        result = round_to_odd(self.kernel(x))
        if self.at_zero:
            result = select(x.equals(0.0), x if self.at_zero == "itself" else 1.0 / x, result)
        if self.from_ > -INF:
            result = select(x < self.from_, NAN, result)
        for point, value in self.at:
            result = select(x.equals(point), value, result)
        graph.result = select(x.equals(x), result, NAN)
        return graph


def _ends(low: float, high: float) -> tuple[tuple[float, float], ...]:
    return ((-INF, low), (INF, high))


FUNCTIONS: dict[str, Function] = {
    "exp": Function(exponential.exp, _ends(0.0, INF)),
    "exp2": Function(exponential.exp2, _ends(0.0, INF)),
    "expm1": Function(exponential.expm1, _ends(-1.0, INF), at_zero="itself"),
    "log": Function(logarithm.log, ((0.0, -INF), (INF, INF)), from_=0.0),
    "log2": Function(logarithm.log2, ((0.0, -INF), (INF, INF)), from_=0.0),
    "log10": Function(logarithm.log10, ((0.0, -INF), (INF, INF)), from_=0.0),
    "log1p": Function(logarithm.log1p, ((-1.0, -INF), (INF, INF)), at_zero="itself", from_=-1.0),
    "sin": Function(trigonometric.sin, _ends(NAN, NAN), at_zero="itself"),
    "cos": Function(trigonometric.cos, _ends(NAN, NAN)),
    "tan": Function(trigonometric.tan, _ends(NAN, NAN), at_zero="itself"),
    "sinh": Function(exponential.sinh, _ends(-INF, INF), at_zero="itself"),
    "cosh": Function(exponential.cosh, _ends(INF, INF)),
    "tanh": Function(exponential.tanh, _ends(-1.0, 1.0), at_zero="itself"),
    "sigmoid": Function(exponential.sigmoid, _ends(0.0, 1.0)),
    "erf": Function(error_function.erf, _ends(-1.0, 1.0), at_zero="itself"),
    "erfc": Function(error_function.erfc, _ends(2.0, 0.0)),
    "rsqrt": Function(roots.rsqrt, ((INF, 0.0),), at_zero="reciprocal", from_=0.0),
    "cbrt": Function(roots.cbrt, _ends(-INF, INF), at_zero="itself"),
}
"""The functions of one operand. Each is right for all inputs of binary32, binary16 and bfloat16."""
POWER = "pow"
NAMES = (*FUNCTIONS, POWER)


OPERANDS = {**dict.fromkeys(FUNCTIONS, 1), POWER: 2, **{name: count for name, (count, _) in OPERATIONS.items()}}
"""The number of operands of each function and operation."""


@cache
def graph(name: str) -> Graph:
    """Returns a function of one operand, or an operation, in binary64: rounded to a format once more, it is as if rounded once."""
    if name in FUNCTIONS:
        return FUNCTIONS[name].graph()
    count, operation = OPERATIONS[name]
    result = Graph(["x", "y", "z"][:count])
    result.result = operation(*result.inputs)
    return result


@cache
def power_graph(part: str) -> Graph:
    """Returns a part of `pow`: `fast` and `accurate`, rounded to odd, or `with_signs`, which takes the result of one of them."""
    if part == "with_signs":
        result = Graph(["x", "y", "result"])
        result.result = power.with_signs(*result.inputs)
        return result
    result = Graph(["x", "y"])
    kernel = power.fast if part == "fast" else power.accurate
    result.result = round_to_odd(kernel(*result.inputs))
    return result
