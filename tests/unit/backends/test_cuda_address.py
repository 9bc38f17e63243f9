"""C expressions of quasi-affine addresses, compared with isl and Python at every point of random boxes."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from math import prod
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from ptir.analysis.index import affine
from ptir.analysis.regions.addresses import linear_address
from ptir.backends.cuda.address import c_text, condition_tree, largest_intermediate, syntax_tree
from ptir.dialects.common.shapes import index_names
from ptir.errors import Unsupported

from ..builders.amount import examples


def c_expression(address: str, variables: Sequence[str], bounds: Sequence[int], at: Operation | None = None) -> str:
    return c_text(syntax_tree(address, bounds, at), variables)


@pytest.mark.parametrize(
    ("address", "bounds", "least", "most"),
    [
        ("{ [i0, i1] -> [(10i0 + i1)] }", [4, 6], 35, 10**5),
        ("{ [i0, i1] -> [(floor((3001i0 + i1)/1000003))] }", [1000003, 3001], 3001 * 1000002 + 3000, 2**33),
        ("{ [i0, i1] -> [(3001i0 + i1 - 1000003*floor((3001i0 + i1)/1000003))] }", [1000003, 3001], 2**31, 2**53),
        ("{ [] -> [(7)] }", [], 7, 7),
    ],
)
def test_the_way_to_an_address_may_be_longer_than_the_address(address: str, bounds: list[int], least: int, most: int):
    assert least <= largest_intermediate(syntax_tree(address, bounds), bounds) <= most


class CInt(int):
    """An int whose division truncates toward zero, as in C."""

    def __truediv__(self, other: int) -> CInt:  # pyright: ignore[reportIncompatibleMethodOverride]
        q = abs(int(self)) // abs(int(other))
        return CInt(q if (self < 0) == (other < 0) else -q)

    def __mod__(self, other: int) -> CInt:
        return CInt(int(self) - int(CInt(int(self)) / other) * int(other))


def _as_c(name: str) -> None:
    """Makes the results of an operator `CInt`s."""
    of_ints = getattr(int, name)
    setattr(CInt, name, lambda self, *args: CInt(of_ints(self, *args)))


for _name in ("add", "sub", "mul", "radd", "rsub", "rmul", "neg"):
    _as_c(f"__{_name}__")


def evaluate(expression: str, values: dict[str, int]) -> int:
    """Evaluates a C expression as Python, with truncating divisions and a translated conditional operator."""
    assert re.fullmatch(r"[\w\s+\-*/%()<>=!&|?:,]*", expression), expression
    text = re.sub(r"\b(\d+)\b", r"C(\1)", expression)
    while "?" in text:
        inner = re.search(
            r"\(([^()?]*(?:\([^()?]*\)[^()?]*)*)\?([^()?:]*(?:\([^()?]*\)[^()?:]*)*):([^()?:]*(?:\([^()?]*\)[^()?:]*)*)\)",
            text,
        )
        assert inner is not None, expression
        text = text[: inner.start()] + f"(({inner[2]}) if ({inner[1]}) else ({inner[3]}))" + text[inner.end() :]
    floord = lambda n, d: CInt(int(n) // int(d))  # noqa: E731
    names: dict[str, Any] = {
        "C": CInt,
        "floord": floord,
        "min": min,
        "max": max,
        **{k: CInt(v) for k, v in values.items()},
    }
    return int(eval(text.replace("&&", " and ").replace("||", " or "), {"__builtins__": {}}, names))


def agrees(address: str, bounds: Sequence[int], meaning: Any) -> None:
    variables = [f"v{k}" for k in range(len(bounds))]
    expression = c_expression(address, variables, bounds)
    for point in itertools.product(*map(range, bounds)):
        got = evaluate(expression, dict(zip(variables, point, strict=True)))
        assert got == meaning(point), f"{address} at {point}: {expression}"


# --- random expressions, with a meaning in Python ------------------------------------------------


@st.composite
def expressions(draw: Any, rank: int, depth: int = 3) -> tuple[str, Any]:
    """Draws a quasi-affine expression that is nonnegative on nonnegative inputs, and the same expression in Python."""
    kind = draw(st.sampled_from(["axis", "number", "sum", "scaled", "floor", "mod"] if depth else ["axis", "number"]))
    if kind == "axis" and rank:
        k = draw(st.integers(0, rank - 1))
        return f"i{k}", lambda p: p[k]
    if kind in ("axis", "number"):
        n = draw(st.integers(0, 9))
        return str(n), lambda p: n
    text, f = draw(expressions(rank, depth - 1))
    if kind == "sum":
        more, g = draw(expressions(rank, depth - 1))
        return f"({text} + {more})", lambda p: f(p) + g(p)
    n = draw(st.integers(2, 7))
    if kind == "scaled":
        return f"{n}*({text})", lambda p: n * f(p)
    if kind == "floor":
        return f"floor(({text})/{n})", lambda p: f(p) // n
    return f"(({text}) mod {n})", lambda p: f(p) % n


small_boxes = st.lists(st.integers(1, 6), min_size=0, max_size=4)


@settings(max_examples=examples(150))
@given(data=st.data(), bounds=small_boxes)
def test_random_quasi_affine_maps(data: Any, bounds: list[int]):
    assume(prod(bounds) <= 300)
    text, meaning = data.draw(expressions(len(bounds)))
    source = affine.canonical_text(affine.make_map(len(bounds), [text]).gist(affine.box(bounds)))
    agrees(source, bounds, meaning)


@given(data=st.data(), bounds=small_boxes)
def test_random_conditions(data: Any, bounds: list[int]):
    """Unions of comparisons of quasi-affine expressions, which may be negative."""
    assume(prod(bounds) <= 300)
    parts: list[list[tuple[Any, int]]] = []
    texts: list[str] = []
    for _ in range(data.draw(st.integers(1, 2))):
        drawn = data.draw(st.lists(st.tuples(expressions(len(bounds)), st.integers(-9, 9)), min_size=1, max_size=2))
        texts.append(" and ".join(f"i0 - {text} >= {n}" if bounds else f"{text} >= {n}" for (text, _), n in drawn))
        parts.append([(meaning, n) for (_, meaning), n in drawn])
    axes = index_names(len(bounds))
    where = f"{{ [{', '.join(axes)}] : {' or '.join(f'({t})' for t in texts)} }}"
    expression = c_text(condition_tree(where, bounds, ModuleOp([])), axes)
    for point in itertools.product(*map(range, bounds)):
        want = any(all(((point[0] - f(point)) if bounds else f(point)) >= n for f, n in part) for part in parts)
        assert bool(evaluate(expression, dict(zip(axes, point, strict=True)))) == want, (
            f"{where} at {point}: {expression}"
        )


# --- the addresses that the compiler makes --------------------------------------------------------


@settings(max_examples=examples(60))
@given(data=st.data())
def test_reshapes_and_transposes_of_arrays(data: Any):
    """Element (i…) of a reshaped transpose, where it lies in the array, by counting."""
    sizes = data.draw(st.lists(st.integers(1, 6), min_size=1, max_size=3))
    perm = data.draw(st.permutations(range(len(sizes))))
    moved = [sizes[p] for p in perm]
    total = prod(sizes)
    first = data.draw(st.sampled_from([d for d in range(1, total + 1) if total % d == 0]))
    target = [first, total // first]
    back = affine.make_map(len(sizes), [f"i{perm.index(k)}" for k in range(len(sizes))])
    at = affine.compose(back, affine.reshape_map(target, moved), target)
    source = f"{{ [i0, i1] -> [({linear_address(sizes, at, target).__str__().split('[(')[1].split(')]')[0]})] }}"

    def meaning(point: Sequence[int]) -> int:
        flat = point[0] * target[1] + point[1]
        index = [flat // prod(moved[k + 1 :]) % moved[k] for k in range(len(moved))]
        return sum(index[perm.index(k)] * prod(sizes[k + 1 :]) for k in range(len(sizes)))

    agrees(source, target, meaning)


CASES = [
    ("{ [] -> [(0)] }", [], lambda p: 0),
    ("{ [i0] -> [(i0)] }", [1], lambda p: p[0]),
    ("{ [i0, i1, i2] -> [(130i0 + i2)] }", [3, 1, 5], lambda p: 130 * p[0] + p[2]),
    ("{ [i0, i1] -> [(12 - 4i0 + i1)] }", [4, 4], lambda p: 12 - 4 * p[0] + p[1]),
    ("{ [i0] -> [(i0 - 3*floor((i0)/3))] }", [10], lambda p: p[0] % 3),
    ("{ [i0] -> [(2*floor((1 + i0)/3))] }", [10], lambda p: (p[0] + 1) // 3 * 2),
    ("{ [i0, i1] -> [(7 + floor((-1 - i0 + 7i1)/2))] }", [8, 3], lambda p: 7 + (-1 - p[0] + 7 * p[1]) // 2),
    (
        "{ [i0, i1] -> [(-5i0 + 8i1 - 23*floor((-i0 + i1)/3))] }",
        [3, 8],
        lambda p: -5 * p[0] + 8 * p[1] - 23 * ((p[1] - p[0]) // 3),
    ),
    ("{ [i0, i1, i2, i3, i4, i5, i6, i7, i8, i9, i10] -> [(i1 + 2i10)] }", [1] * 10 + [3], lambda p: p[1] + 2 * p[10]),
]


@pytest.mark.parametrize(("address", "bounds", "meaning"), CASES, ids=[c[0] for c in CASES])
def test_maps_by_hand(address: str, bounds: list[int], meaning: Any):
    """Also a quotient of something negative, which C would round the other way, and more than ten axes."""
    agrees(address, bounds, meaning)


def test_variables_are_parenthesised_where_they_are_sums():
    text = c_expression("{ [i0, i1] -> [(5i0 + floor((i1)/2))] }", ["(a + b)", "(c - d)"], [4, 6])
    assert evaluate(text, {"a": 1, "b": 2, "c": 7, "d": 2}) == 5 * 3 + 2


def test_names_of_variables_are_not_replaced_again():
    """A kernel argument may be called i1."""
    text = c_expression("{ [i0, i1] -> [(10i0 + i1)] }", ["i1", "i0"], [4, 6])
    assert evaluate(text, {"i1": 3, "i0": 2}) == 32


@pytest.mark.parametrize(
    "address", ["{ [i0] -> [(i0), (i0)] }", "{ [a] -> [(a)] }", "[n] -> { [i0] -> [(n + i0)] }", "nonsense"]
)
def test_what_is_not_one_address_is_an_error(address: str):
    with pytest.raises(Unsupported, match="the address"):
        c_expression(address, ["x"], [4])


def test_the_error_is_about_the_operation_that_has_the_address():
    op = ModuleOp([])
    with pytest.raises(Unsupported) as caught:
        c_expression("nonsense", ["x"], [4], op)
    assert caught.value.op is op
