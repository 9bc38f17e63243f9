"""The verifier: correct and wrong candidates, counterexamples, obligations with known answers, kernels in PTX."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import ptir
from ptir.dialects.intent.symbols import ASSUMPTION, evaluate, parse
from ptir.tools.ptir_verify import read_case
from ptir.verification.candidates import CandidateFailed, KernelCandidate, PythonCandidate, results_of
from ptir.verification.launches import Launch
from ptir.verification.report import Case

from ..builders.intents import EXAMPLES

QUICK: dict[str, Any] = {"cases": 6, "layers": ("differential",)}


def example(name: str) -> ptir.intent.Intent:
    return next(e for e in EXAMPLES if e.name == name).load()


def softmax(x: Any) -> Any:
    e = np.exp(x - x.max(0, keepdims=True))
    return e / e.sum(0, keepdims=True)


def test_a_correct_candidate_passes_every_layer():
    report = example("softmax0").verify(softmax, cases=8)
    assert report.status == "PASS"
    assert [layer.name for layer in report.layers] == [
        "well-formed",
        "obligations",
        "differential",
        "stability",
        "determinism",
    ]


def wrong_tail(x: Any) -> Any:
    y = softmax(x)
    y[16:] = 0
    return y


@pytest.mark.parametrize(
    ("candidate", "problem", "sizes"),
    [
        (wrong_tail, "elements differ", {"M": 17, "N": 1}),
        (lambda x: softmax(x).astype(np.float64), "output 0 is float64", {"M": 1, "N": 1}),
        (lambda x: softmax(x)[:-1], "output 0 is float32", {"M": 1, "N": 1}),
        (lambda x: (softmax(x), x), "the candidate returns 2 arrays", {"M": 1, "N": 1}),
        (lambda x: 1 / 0, "raises ZeroDivisionError: division by zero", {"M": 1, "N": 1}),
    ],
)
def test_a_wrong_candidate_fails_with_a_small_counterexample(candidate: Any, problem: str, sizes: dict[str, int]):
    source = example("softmax0")
    report = source.verify(candidate, cases=30, layers=("differential",))
    found = report.counterexample
    assert report.status == "FAIL" and found is not None
    assert problem in found.difference.text()
    assert found.case.binding == sizes
    assert not np.any(found.case.arrays[0])
    again = read_case(source, json.dumps(found.to_json()), "case.json")
    assert source.verify(candidate, case=again).status == "FAIL"
    assert source.verify(softmax, case=again).status == "PASS"


def test_check_is_a_test_of_pytest():
    example("exp").check(np.exp, **QUICK)
    with pytest.raises(AssertionError, match="FAIL: floor against @exp"):
        example("exp").check(np.floor, **QUICK)


def test_an_unstable_formula_fails_the_stability_layer():
    unstable = lambda x: np.exp(x) / np.exp(x).sum(0, keepdims=True)  # noqa: E731
    report = example("softmax0").verify(unstable, layers=("stability",))
    assert report.status == "FAIL"


def test_a_candidate_that_changes_fails_the_determinism_layer():
    state = np.random.default_rng(0)
    report = example("identity").verify(lambda x: x + state.random() * 1e-6, layers=("determinism",))
    assert report.status == "FAIL"


@pytest.mark.parametrize("assumptions", [["0 <= i < M", "0 <= j < N"], []])
def test_nothing_outside_the_contract_is_generated(assumptions: list[str]):
    """Without assumptions, the arrays that are indexed bound the indices."""
    described = next(e for e in EXAMPLES if e.name == "gather_op").json()
    text = json.dumps({**described, "contract": {"level": "FULL", "assumptions": assumptions}})
    seen: list[tuple[int, int]] = []

    def gather(x: Any, i: Any, j: Any) -> Any:
        seen.append((int(min(i.min(), j.min())), int(max(i.max() - x.shape[0], j.max() - x.shape[1]))))
        return x[i, j]

    report = ptir.intent.load(text).verify(gather, cases=12, layers=("differential",))
    assert report.status == "PASS"
    assert "0 undefined" in report.text() or "undefined" not in report.text()
    assert all(low >= 0 and above < 0 for low, above in seen)


def test_a_contract_that_excludes_everything_is_unknown():
    text = json.dumps({**EXAMPLES[0].json(), "contract": {"level": "FULL", "assumptions": ["M > N and N > M"]}})
    assert ptir.intent.load(text).verify(np.exp, layers=("differential",)).status == "UNKNOWN"
    text = json.dumps({**EXAMPLES[0].json(), "contract": {"level": "OUT_OF_SCOPE"}})
    assert ptir.intent.load(text).verify(np.floor).status == "UNKNOWN"


def test_sums_in_another_order_pass():
    """f32 sums in order differ from the intent's by more than the tolerance where they cancel; the intervals allow that."""

    def in_order(x: Any) -> Any:
        out = np.zeros(x.shape[1], np.float32)
        for m, k in np.ndindex(x.shape[0], x.shape[2]):
            out = (out + x[m, :, k]).astype(np.float32)
        total = np.float32(0)
        for v in x.reshape(-1)[::-1]:
            total = np.float32(total + v)
        return out, x.max(1, keepdims=True), np.asarray(np.float32(total * np.float32(0.5)))

    assert example("sums").verify(in_order, cases=12, layers=("differential",)).status == "PASS"


def test_another_intent_is_a_candidate():
    assert example("softmax0").verify(example("softmax0"), **QUICK).status == "PASS"
    by_hand = example("softmax_by_hand")
    assert by_hand.verify(example("masked_softmax"), **QUICK).status == "FAIL"


def test_exceptions_of_a_candidate_are_reported():
    with pytest.raises(CandidateFailed) as error:
        results_of(PythonCandidate(lambda x: x.nothing, "mine"), [np.zeros(1)], {})
    assert "error[PTIR0586]: mine raises AttributeError: 'numpy.ndarray' object has no attribute 'nothing'" in str(
        error.value
    )


@pytest.mark.parametrize("arch", ["sm80", "sm90"])
def test_kernels_of_an_intent(arch: str):
    source = example("layer_norm")
    rng = np.random.default_rng(1)
    x, w, b = (rng.standard_normal(s).astype(np.float32) for s in ((3, 40), 40, 40))
    from ptir.intent import CompiledCandidate

    case = Case("given", source.bind(x, w, b), (x, w, b))
    report = source.verify(CompiledCandidate(source, arch), case=case)
    assert report.status == "PASS", report.text()


# --- kernels ----------------------------------------------------------------------------------------

PTX = """.version 8.0
.target sm_80
.address_size 64
.visible .entry twice(.param .u64 x, .param .u64 y, .param .u32 n) {
  .reg .u32 %r<6>; .reg .u64 %d<6>; .reg .f32 %f<3>; .reg .pred %p<2>;
  ld.param.u64 %d1, [x];
  ld.param.u64 %d2, [y];
  ld.param.u32 %r1, [n];
  mov.u32 %r2, %tid.x;
  mov.u32 %r3, %ctaid.x;
  mad.lo.u32 %r4, %r3, 32, %r2;
  setp.ge.u32 %p1, %r4, %r1;
  @%p1 bra DONE;
  mul.wide.u32 %d3, %r4, 4;
  add.u64 %d4, %d1, %d3;
  add.u64 %d5, %d2, %d3;
  ld.global.f32 %f1, [%d4];
  add.f32 %f2, %f1, %f1;
  st.global.f32 [%d5], %f2;
DONE:
  ret;
}
"""
TWICE = """{
  "name": "twice",
  "tensors": {"x": {"dtype": "f32", "shape": ["N"]}},
  "ops": [{"op": "add", "inputs": ["x", "x"], "output": "y"}],
  "outputs": ["y"]
}"""


@pytest.mark.parametrize(
    ("ptx", "size", "status", "problem"),
    [
        (PTX, "N", "PASS", ""),
        (PTX.replace("add.f32 %f2", "mul.f32 %f2"), "N", "FAIL", "elements differ"),
        (PTX, "N + 1", "FAIL", "raises OutOfBounds"),
        (PTX, "N - 1", "FAIL", "does not store 4 bytes of out0"),
    ],
)
def test_kernels_in_ptx(ptx: str, size: str, status: str, problem: str):
    source = ptir.intent.load(TWICE)
    how = Launch(grid=("ceildiv(N, 32)",), block=("32",), args=("x", "out0", size))
    report = source.verify(KernelCandidate(ptx, how, source.function, "twice.ptx"), cases=8)
    assert report.status == status, report.text()
    assert problem in report.text()


# --- contracts ----------------------------------------------------------------------------------------


def with_contract(name: str, level: str, assumptions: list[str]) -> ptir.intent.Intent:
    described = next(e for e in EXAMPLES if e.name == name).json()
    return ptir.intent.load(json.dumps({**described, "contract": {"level": level, "assumptions": assumptions}}))


@pytest.mark.parametrize(
    ("name", "assumptions"),
    [
        ("add_op", ["N % 4 == 0", "M < N", "-1 <= x and x < 1", "y != 0", "finite(y)"]),
        ("mul_op", ["M >= 5 or N == 1", "not x > 3", "y == 2"]),
        ("ge_op", ["0 <= x < 10", "y % 2 == 1", "M == N"]),
        ("gather_op", ["2 * M == N", "0 <= i < M // 2 + 1", "0 <= j < min(M, N)"]),
        ("softmax0", ["finite(x)", "x * x < 4", "N <= 3"]),
    ],
)
def test_what_an_assumption_excludes_is_never_generated(name: str, assumptions: list[str]):
    """A candidate that is wrong on purpose is run by all layers and by the shrinker."""
    source, seen = with_contract(name, "FULL", assumptions), [0]
    names = [arg.name_hint or "" for arg in source.function.inputs]

    def candidate(*arrays: Any, **sizes: int) -> Any:
        values: dict[str, Any] = {**source.bind(*arrays, **sizes), **dict(zip(names, arrays, strict=True))}
        assert all(np.all(evaluate(parse(text, ASSUMPTION), values)) for text in assumptions)
        seen[0] += 1
        (result,) = source.run(*arrays, **sizes)
        return result + result.dtype.type(1) if seen[0] > 30 and result.dtype != np.bool_ else result

    report = source.verify(candidate, cases=24)
    assert seen[0] > 20
    assert "AssertionError" not in report.text()


def test_a_violated_assumption_is_no_failure():
    source = with_contract("exp", "FULL", ["x < 1"])
    case = Case("given", {"M": 1, "N": 2}, (np.array([[0, 2]], np.float32),))
    report = source.verify(np.floor, case=case)
    assert report.status == "UNKNOWN" and "1 undefined" in report.text()


def test_a_partial_contract_may_lack_an_assumption():
    """The candidate is wrong on NaN only."""
    relu = lambda x: np.fmax(x, np.float32(0))  # noqa: E731
    for level, status in (("FULL", "FAIL"), ("PARTIAL", "UNKNOWN")):
        report = with_contract("relu", level, []).verify(relu, cases=12, layers=("differential",))
        assert report.status == status and report.counterexample is not None, report.text()
    assert with_contract("relu", "PARTIAL", ["finite(x)"]).verify(relu, **QUICK).status == "PASS"
    assert with_contract("relu", "PARTIAL", []).verify(np.abs, **QUICK).status == "FAIL"
    for level, status in (("FULL", "FAIL"), ("PARTIAL", "UNKNOWN")):
        assert with_contract("correlation_op", level, []).verify(relu, layers=("obligations",)).status == status
    assert with_contract("relu", "OUT_OF_SCOPE", []).verify(np.abs).status == "UNKNOWN"
