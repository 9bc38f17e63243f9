"""The meaning of intents: independent oracles in NumPy, the lowerings bit for bit, bindings and their errors."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import ptir
from ptir.dialects import intent
from ptir.dialects.intent import symbols
from ptir.dialects.intent.symbols import (
    ASSUMPTION,
    SCALE,
    SIZE,
    InvalidExpression,
    Undefined,
    are_equal,
    evaluate,
    parse,
)
from ptir.errors import PtirError
from ptir.passes.environment import make_context
from ptir.passes.manager import PassManager
from ptir.semantics.errors import ArgumentMismatch, DivisionByZero, IndexOutOfRange, WrongShape
from ptir.semantics.intent.binding import AssumptionViolated, BindingConflict, Unbound
from ptir.semantics.interpreter import call
from ptir.verification.cases import Cases
from ptir.verification.tolerances import difference, outside, tolerance

from ..builders.intents import EXAMPLES, Example, OracleCandidate

F32 = np.float32


ORDERED_SUMS = ("conv", "bicubic")
"""Examples whose lowerings add in another order. The reference adds in f64, which may round before the one rounding to f32."""


@cache
def loaded(example: int) -> ptir.intent.Intent:
    return EXAMPLES[example].load()


def cases(source: ptir.intent.Intent, example: Example, count: int):
    drawn = Cases(source.function, 7, example.sizes)
    found = [drawn.drawn(k, (1, 2, 3, 4, 5, 9) if k else (1, 2)) for k in range(count)]
    distinct = {**{s: k + 2 for k, s in enumerate(source.symbols)}, **example.sizes}
    if drawn.allows(distinct):  # no two axes have the same size by chance
        found[-1] = drawn.with_binding(count, distinct)
    return [case for case in found if case is not None]


@pytest.mark.parametrize("number", range(len(EXAMPLES)), ids=[e.name for e in EXAMPLES])
def test_results_are_those_of_the_oracle(number: int):
    example, source = EXAMPLES[number], loaded(number)
    oracle = OracleCandidate(example, source.function)
    drawn = cases(source, example, 4)
    assert len(drawn) >= 2
    for case in drawn:
        got = source.run(*case.arrays, **case.binding)
        found = difference(oracle(case.arrays, case.binding), got, tolerance(source.function), None)
        assert found is None or case.kind in ("boundary", "adversarial"), found.text()


@pytest.mark.parametrize("number", range(len(EXAMPLES)), ids=[e.name for e in EXAMPLES])
def test_lowered_programs_have_the_same_bits(number: int):
    example, source = EXAMPLES[number], loaded(number)
    for case in cases(source, example, 2):
        module = source.module.clone()
        want = source.run(*case.arrays, **case.binding)
        PassManager("intent-lower-macros", make_context()).run(module)
        function = next(op for op in module.ops if isinstance(op, intent.FuncOp))
        assert not any(isinstance(op, intent.MacroOp) for op in module.walk())
        lowered = ptir.intent.Intent(module).run(
            *case.arrays, **{s: n for s, n in case.binding.items() if s in function.symbols()}
        )
        sizes = ",".join(f"{s}={n}" for s, n in case.binding.items())
        PassManager(f'intent-to-ptir{{sizes="{sizes}"}}' if sizes else "intent-to-ptir", make_context()).run(module)
        got = call(module, source.name, *case.arrays)
        for a, b, c in zip(want, lowered, got, strict=True):
            assert a.dtype == b.dtype == c.dtype
            if source.name in ORDERED_SUMS:
                assert not (outside(b, a, 1e-6) | outside(c, a, 1e-6)).any()
            else:
                np.testing.assert_array_equal(a, b)
                np.testing.assert_array_equal(a, c)


def test_schedules_and_metadata_do_not_change_results():
    example = next(e for e in EXAMPLES if e.name == "linear")
    text = example.json()
    rng = np.random.default_rng(0)
    a, b, w = (rng.standard_normal(s).astype(t) for s, t in (((3, 5), "f2"), ((4, 5), "f2"), ((4,), "f4")))
    want = example.load().run(a, b, w)
    for schedule in (
        {"tile_m": 3, "vec_width": 7},
        {"tile_k": "B", "axis_bindings": {"tile_k": "K"}},
        {"memory_hint": {"a": "smem"}},
    ):
        import json

        again = ptir.intent.load(json.dumps({**text, "schedule": schedule, "meta": {"by": [schedule]}}))
        np.testing.assert_array_equal(again.run(a, b, w)[0], want[0])


# --- bindings ---------------------------------------------------------------------------------------

EXPRESSIONS = """intent.func @f(%x: !intent.tensor<[M, "2*N + 1"], f32>, %y: !intent.tensor<["M * N"], f32>) attributes {
  contract = {level = "FULL", assumptions = ["M < N", "finite(x)"]}
} {
  %c = intent.const expr "K" : !intent.tensor<[], f32>
  intent.return %x : !intent.tensor<[M, "2*N + 1"], f32>
}"""


def test_bindings_are_inferred_and_checked():
    source = ptir.intent.load(EXPRESSIONS)
    x, y = np.zeros((2, 7), F32), np.zeros(6, F32)
    assert source.bind(x, y, K=3) == {"M": 2, "N": 3, "K": 3}
    with pytest.raises(Unbound) as unbound:
        source.bind(x, y)
    assert "error[PTIR0583]: no argument of @f determines K" in str(unbound.value)
    with pytest.raises(BindingConflict) as conflict:
        source.bind(x, np.zeros(7, F32), K=3)
    assert "error[PTIR0584]: axis 0 of y has 7, but M * N is 6" in str(conflict.value)
    with pytest.raises(BindingConflict):
        source.bind(np.zeros((2, 6), F32), y, K=3)  # 2*N + 1 is odd
    for arrays, sizes in (((x,), {"K": 1}), ((x, y), {"Q": 1}), ((x, y), {"K": 0})):
        with pytest.raises(ArgumentMismatch):
            source.bind(*arrays, **sizes)


def test_assumptions_and_types_of_arguments_are_checked():
    source = ptir.intent.load(EXPRESSIONS)
    with pytest.raises(AssumptionViolated) as violated:
        source.run(np.zeros((3, 5), F32), np.zeros(6, F32), K=1)
    assert "error[PTIR0585]: @f assumes M < N, which does not hold" in str(violated.value)
    with pytest.raises(AssumptionViolated):
        source.run(np.full((1, 5), np.inf, F32), np.zeros(2, F32), K=1)
    with pytest.raises(ArgumentMismatch):
        source.run(np.zeros((1, 5)), np.zeros(2, F32), K=1)


def function(
    body: str, args: str = "%x: !intent.tensor<[M, N], f32>, %i: !intent.tensor<[K], i32>"
) -> ptir.intent.Intent:
    return ptir.intent.load(f"intent.func @f({args}) {{\n{body}\n}}")


def test_undefined_runs_are_refused():
    x, i = np.zeros((2, 3), F32), np.array([0, 2], np.int32)
    types = (
        "(!intent.tensor<[M, N], f32>, !intent.tensor<[K], i32>, !intent.tensor<[K], i32>) -> !intent.tensor<[K], f32>"
    )
    gather = function(f"%y = intent.gather %x[%i, %i] : {types}\nintent.return %y : !intent.tensor<[K], f32>")
    with pytest.raises(IndexOutOfRange):
        gather.run(x, i)
    vector = "!intent.tensor<[K], i32>"
    quotient = function(
        f"%y = intent.binary div %i, %i : ({vector}, {vector}) -> {vector}\nintent.return %y : {vector}"
    )
    with pytest.raises(DivisionByZero):
        quotient.run(x, i)
    matrix = "!intent.tensor<[M, N], f32>"
    cast = f"%z = intent.cast %i : {vector} -> !intent.tensor<[K], f32>\n"
    total = function(
        f"{cast}%y = intent.binary add %x, %z : ({matrix}, !intent.tensor<[K], f32>) -> {matrix}\nintent.return %y : {matrix}"
    )
    with pytest.raises(WrongShape):
        total.run(x, i)  # K must be N
    assert total.run(np.ones((2, 2), F32), i)[0].tolist() == [[1, 3], [1, 3]]


def test_a_module_with_two_functions_is_no_intent():
    with pytest.raises(PtirError) as error:
        ptir.intent.load("intent.func @f() {\n  intent.return\n}\nintent.func @g() {\n  intent.return\n}")
    assert "error[PTIR0587]: the module has 2 functions of the intent dialect, expected one" in str(error.value)


# --- expressions ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "value"),
    [("2*N + 1", 9), ("-N // 3", -2), ("ceildiv(N, 3)", 2), ("max(N, M) % 4", 3), ("min(M, 2)", 2), ("(M - N) * 2", 6)],
)
def test_values_of_sizes(text: str, value: int):
    assert evaluate(parse(text, SIZE), {"N": 4, "M": 7}) == value
    assert evaluate(parse(symbols.text(parse(text, SIZE)), SIZE), {"N": 4, "M": 7}) == value


@pytest.mark.parametrize(
    ("a", "b", "equal"),
    [
        ("M*(N + 1)", "M + N*M", True),
        ("(2*N) // 2", "N", True),
        ("N + 1", "N", False),
        ("N", "M", None),
        ("N // 2", "N // 2", True),
        ("N // 2 * 2", "N", None),
        ("ceildiv(7, 2)", "4", True),
    ],
)
def test_equal_sizes(a: str, b: str, equal: bool | None):
    assert are_equal(parse(a, SIZE), parse(b, SIZE)) is equal


@pytest.mark.parametrize(
    "text",
    ["", "1 +", "N.real", "__import__('os')", "N if N else 1", "[N]", "N ** 2", "f(N)", "1 / N", "N; M", "1.5", "inf", "N < 2",
     "(" * 300, "-" * 400 + "N", "N" * 600, "lambda: 1", "N:=2", "0x10 + ö"],
)  # fmt: skip
def test_what_is_no_size(text: str):
    with pytest.raises(InvalidExpression):
        parse(text, SIZE)


def test_scales_and_assumptions():
    assert evaluate(parse("1 / sqrt(D)", SCALE), {"D": 16}) == 0.25
    with pytest.raises(Undefined):
        evaluate(parse("1 / (N - N)", SCALE), {"N": 2})
    x = np.array([0, 1, 2])
    assert evaluate(parse("0 <= x < N or not x == x", ASSUMPTION), {"x": x, "N": 2}).tolist() == [True, True, False]
