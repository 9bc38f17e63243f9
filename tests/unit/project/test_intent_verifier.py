"""The campaign that grades the verifier of intents: its last report is complete and without problems, and a sample of its tasks runs."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import ptir
from ptir.errors import PtirError
from tests.intent_verifier import campaign
from tests.intent_verifier.campaign import Line, mutated, tasks
from tests.intent_verifier.equivalents import EQUIVALENT
from tests.intent_verifier.mutations import mutations
from tests.intent_verifier.variants import ORDERS

from ..builders.intents import EXAMPLES

RESULTS = Path(__file__).resolve().parents[2] / "intent_verifier" / "results"
REPORT: dict[str, Any] = json.loads(max(RESULTS.glob("*.json")).read_text("utf-8"))


@cache
def lines(part: str) -> list[Line]:
    return [line for line in REPORT["tasks"] if line["part"] == part]


def test_the_last_report_is_complete_and_without_problems():
    assert not [line for line in REPORT["tasks"] if line.get("problem")]
    assert {line["name"] for line in lines("kernels")} == {f"{e.name} {a}" for e in EXAMPLES for a in campaign.ARCHS}
    assert len(EXAMPLES) >= 40
    assert len(lines("json")) * campaign.FILES == 20_000


def test_mutants_fail_but_for_those_that_are_equivalent():
    graded = [line for line in lines("mutants") if line["status"] != "refused"]
    alive = {line["name"] for line in graded if line["status"] != "FAIL"}
    assert len(graded) >= 1500 and len(alive) <= 0.03 * len(graded)
    assert alive == EQUIVALENT.keys()


def test_no_correct_candidate_fails():
    assert len(lines("correct")) >= 200
    assert {line["status"] for line in lines("correct")} == {"PASS"}


def test_each_kind_of_mutation_has_sites():
    kinds = {line["name"].split(": ", 1)[1].split(" at ")[0].split(",")[0] for line in lines("mutants")}
    wanted = ("reduce axis", "dropped scale", "dropped mask", "softmax axis", "reshape for a transposition", "constant")
    wanted += ("output aliases", "operand order", "other operand", "dropped op", "last lost", "neighbor", "negated")
    wanted += ("doubled", "truncated", "swapped choices", "transpose_lhs", "dropped epilogue", "stride", "iota axis")
    for kind in (*wanted, "index order", "broadcast dims", "sub for add"):
        assert any(k.startswith(kind) for k in kinds), kind


SAMPLE = (
    ("mutants", "layer_norm: other operand 0 %x at 2 intent.binary"),
    ("mutants", "compare: last lost, axis 1 at 4 intent.unary"),
    ("mutants", "masked_softmax: constant -2e+30 at 0 intent.const"),
    ("mutants", "linear: dropped epilogue at 2 intent.matmul"),
    ("correct", f"softmax0: {ORDERS[-1].name}"),
    ("kernels", "layer_norm sm80"),
    ("kernels", "linear sm90"),
    ("kernels", "rope_op sm80"),
)
"""Mutants that survived an earlier verifier, a sum in blocks, and kernels."""


def test_a_sample_of_the_tasks():
    found = {(t.part, t.name): t for t in tasks() if (t.part, t.name) in SAMPLE}
    assert len(found) == len(SAMPLE)
    assert not [line for task in found.values() if (line := task.line())["problem"]]


def test_an_equivalent_mutant_survives():
    source = EXAMPLES[2].load()
    (negated,) = [m for m in mutations(source) if m.name == "negated at %x"]
    mutant = negated.applied(source)
    assert mutant is not None and "abs: negated at %x" in EQUIVALENT
    assert source.verify(mutant, cases=4, layers=("differential",)).status == "PASS"


def test_mutated_files_are_read_or_refused():
    rng, refused = campaign.random.Random(1), 0
    texts = [json.dumps(e.json()) for e in EXAMPLES] + [json.dumps(campaign.EVERYTHING)]
    for _ in range(200):
        try:
            ptir.intent.parse(mutated(rng.choice(texts), rng))
        except PtirError:
            refused += 1
    assert 20 < refused < 200


@pytest.mark.parametrize(
    "text", ['{"name": "\ud800"}', "{" * 5000, '{"name": 1e999}', "{}", "[1]", '{"name": "f", "name": "g"}']
)
def test_what_is_no_intent(text: str):
    with pytest.raises(PtirError):
        ptir.intent.parse(text)
