"""
⟦M⟧ = ⟦lower(M)⟧ for all sizes, by SMT, where macros compute with integers: the positions that they read, and the pixels of `resize`.
"""

from __future__ import annotations

from typing import Any

import pytest

from ptir.dialects import intent
from ptir.passes.environment import make_context
from ptir.transforms.intent_lower_macros import IntentLowerMacros
from ptir.verification.discharge import BUDGET, decide
from ptir.verification.obligations import obligations

from ..builders.intents import EXAMPLES

z3: Any = pytest.importorskip("z3")


def lowered(name: str) -> intent.FuncOp:
    module = next(e for e in EXAMPLES if e.name == name).load().module
    IntentLowerMacros().apply(make_context(), module)
    return next(op for op in module.ops if isinstance(op, intent.FuncOp))


def clipped(x: Any, most: Any) -> Any:
    return z3.If(x < 0, 0, z3.If(x > most, most, x))


def byte(x: Any) -> Any:
    return (x + 128) % 256 - 128


# For each gather of the lowered macro, the number of an index and its meaning at an element of the result: D, H … are sizes.
ROPE = [
    (0, 3, lambda n, at: (at[3] + n["D"] / 2) % n["D"]),
    *[(k, 1, lambda n, at: at[3] % (n["D"] / 2)) for k in (1, 2)],
]
CONV = [
    (0, 1, lambda n, at: at[1] * 2 + at[2]),
    (0, 2, lambda n, at: clipped(at[5] * 2 - 1 + at[3], n["H"] - 1)),
    (0, 3, lambda n, at: clipped(at[6] * 2 - 1 + at[4], n["W"] - 1)),
]
RESIZE = [
    (0, 2, lambda n, at: at[2] / 2),
    (1, 2, lambda n, at: clipped(at[2] / 2 + 1, n["W"] - 1)),
    (2, 1, lambda n, at: at[1] / 2),
    (3, 1, lambda n, at: clipped(at[1] / 2 + 1, n["H"] - 1)),
]
OFFSET = z3.Function("o!", *[z3.IntSort()] * 3)
WARP = [
    (0, 2, lambda n, at: clipped(byte(at[2] - OFFSET(at[1], at[2]) / 256), n["W"] - 1)),
    (1, 2, lambda n, at: clipped(byte(byte(at[2] - OFFSET(at[1], at[2]) / 256) - 1), n["W"] - 1)),
]
CORRELATION = [(0, 2, lambda n, at: clipped(at[3] - at[0], n["W"] - 1))]
BICUBIC = [
    (k, axis, lambda n, at, o=o, i=i, a=axis: clipped(_start(n[i], n[o], at[a]) + at[4], n[i] - 1))
    for k, axis, i, o in ((0, 3, "IW", "OW"), (1, 2, "IH", "OH"))
]


def _start(extent: Any, size: Any, o: Any) -> Any:
    """max(⌊c - 2t + 1/2⌋, 0) for c = s·(o + 1/2), s = extent/size, t = max(s, 1)."""
    largest = z3.If(extent > size, extent, size)
    least = extent * (2 * o + 1) - 4 * largest + size
    return z3.If(least < 0, 0, least) / (2 * size)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("rope_op", ROPE),
        ("conv", CONV),
        ("resize_op", RESIZE),
        ("warp_op", WARP),
        ("correlation_op", CORRELATION),
        ("bicubic", BICUBIC),
    ],
)
def test_the_positions_that_a_lowered_macro_reads(name: str, wanted: Any):
    from ptir.verification.smt import Prover

    function = lowered(name)
    gathers = [op for op in function.body.walk() if isinstance(op, intent.GatherOp)]
    for gather, index, meaning in wanted:
        prover, op = Prover(function, BUDGET), gathers[gather]
        at = [prover.index(size) for size in intent.type_of(op.result).sizes]
        places = prover.places(op, at, op.indices)
        got = prover.element(op.indices[index], places[index])
        answer, model = prover.refute(got == meaning(prover.names, at))
        assert answer == z3.unsat, f"gather {gather}, index {index}: {answer} {model}"


def test_the_pixels_of_resize():
    from ptir.verification.smt import Prover

    function = lowered("resize_op")
    prover = Prover(function, BUDGET)
    (value,) = function.outputs
    c, y, x = at = [prover.index(size) for size in intent.type_of(value).sizes]
    got, pixel = prover.element(value, at), z3.Function("x!", *[z3.IntSort()] * 4)

    def across(row: Any) -> Any:
        left, right = pixel(c, row, x / 2), pixel(c, row, clipped(x / 2 + 1, prover.names["W"] - 1))
        return z3.If(x % 2 == 0, left, (left * 64 + right * 64) / 128)

    above, below = across(y / 2), across(clipped(y / 2 + 1, prover.names["H"] - 1))
    answer, model = prover.refute(got == z3.If(y % 2 == 0, above, (above * 64 + below * 64) / 128))
    assert answer == z3.unsat, f"{answer} {model}"


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", ["rope_op", "conv", "resize_op", "warp_op", "correlation_op", "bicubic"])
def test_lowered_macros_read_inside_of_their_operands(name: str):
    function = lowered(name)
    verdicts = decide(function, list(obligations(function)))
    assert len(verdicts) >= 6
    assert {v.status for v in verdicts} == {"PASS"}
