"""The fuzzer finds no bugs in ptir but all seeded ones; mutants and resumed runs are reproducible."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from xdsl.context import Context
from xdsl.dialects import memref
from xdsl.dialects.builtin import ModuleOp, StringAttr, f32
from xdsl.passes import ModulePass

from ptir.errors import Unsupported
from tests.fuzz.campaign import Campaign, OtherCampaign
from tests.fuzz.check import Examiner
from tests.fuzz.corpus import Program, load_corpus
from tests.fuzz.findings import Finding
from tests.fuzz.minimise import minimise
from tests.fuzz.mutate import Mutator
from tests.fuzz.tokens import phrases, tokenize

from ..builders.amount import WHOLE

PROGRAM = """\
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = ptir.exp %x : tensor<4xf32>
  func.return %0 : tensor<4xf32>
}
"""
NEED_A_TARGET = {"ptir-check-legality", "pto-check-legality", "pto-infer-tile-info", "pto-legalize", "pto-bufferize"}
"""Passes that reject all programs of the corpus."""


@pytest.fixture(scope="module")
def corpus() -> tuple[Program, ...]:
    """Returns a part of the corpus; the campaign uses all of it."""
    folders = ("docs", "examples", "tests/filecheck/nv", "tests/filecheck/region", "tests/filecheck/ptir_to_tiny")
    return load_corpus(folders=folders, every=1 if WHOLE else 12)


@pytest.fixture(scope="module")
def few() -> tuple[Program, ...]:
    return load_corpus(folders=("docs", "tests/filecheck/tiny"))


# --- the product --------------------------------------------------------------------------------


@pytest.mark.parametrize("steps", [6, pytest.param(70, marks=pytest.mark.campaign)])
def test_a_short_run_finds_nothing(corpus: tuple[Program, ...], steps: int):
    campaign = Campaign(Mutator(corpus, seed=20), tries=0)
    for _ in range(steps):
        campaign.step()
    totals = campaign.totals
    told = "\n".join(f"mutant {e['index']}: {e['signature']}\n{e['detail']}" for e in totals.failures)
    assert not totals.failures, f"python -m tests.fuzz.text --seed 20 --only N shows one alone\n{told}"
    never = {name for name, outcomes in totals.passes.items() if not outcomes["passed"]}
    assert steps < 70 or never == NEED_A_TARGET


@pytest.mark.campaign
def test_a_good_share_of_the_mutants_reaches_the_passes(corpus: tuple[Program, ...]):
    campaign = Campaign(Mutator(corpus, seed=20), Examiner(pipelines={}), tries=0)
    for _ in range(200):
        campaign.step()
    assert campaign.totals.share >= 0.2  # measured on 300 mutants of three seeds: 0.26 to 0.31


def test_every_program_of_the_corpus_is_sound(corpus: tuple[Program, ...]):
    folders = {program.name.split("/")[0] for program in corpus}
    assert folders == {"docs", "examples", "tests"}
    assert any(program.name.endswith("after pto-to-nv") for program in corpus)
    for program in corpus[:: 60 if WHOLE else 20]:
        verdict = Examiner(pipelines={}).examine(program.text)
        assert verdict.reached == program.generic
        assert not verdict.findings


# --- mutants ------------------------------------------------------------------------------------


@pytest.mark.campaign
def test_a_mutant_depends_on_seed_and_index_alone(few: tuple[Program, ...]):
    first, second, other = Mutator(few, 3), Mutator(few, 3), Mutator(few, 4)
    forwards = [first.mutant(i) for i in range(50)]
    assert [second.mutant(i) for i in reversed(range(50))] == forwards[::-1]
    assert [other.mutant(i) for i in range(50)] != forwards


@pytest.mark.campaign
def test_a_mutant_is_not_its_origin(few: tuple[Program, ...]):
    mutator = Mutator(few, 5)
    assert all(mutant.text != mutant.origin.text for mutant in map(mutator.mutant, range(200)))


@pytest.mark.parametrize("text", ["", '"', "tensor<4x8xf32", "\x00²\ud800", '%a#1 = "x\\', "0x1g dense<[[>"])
def test_any_text_has_tokens(text: str):
    assert "".join(token.text for token in tokenize(text)) == text.replace(" ", "")
    assert all(token.text == text[token.start : token.end] for token in [*tokenize(text), *phrases(text)])


def test_shapes_fall_into_sizes_and_element_types():
    kinds = [(token.kind, token.text) for token in tokenize("tensor<4x?x8xbf16>")]
    assert kinds[2:-1] == [
        ("integer", "4"),
        ("by", "x"),
        ("punctuation", "?"),
        ("by", "x"),
        ("integer", "8"),
        ("by", "x"),
        ("scalar", "bf16"),
    ]


def test_minimising_keeps_what_fails_and_little_else():
    text = "".join(f"line {i}\n" for i in range(50))
    assert minimise(text, lambda t: "31" in t).strip() == "31"
    assert minimise(text, lambda t: "31" in t, tries=0) == text


# --- planted bugs -------------------------------------------------------------------------------


@dataclass(frozen=True)
class Raises(ModulePass):
    name = "raises"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        raise TypeError("planted")


@dataclass(frozen=True)
class Invalid(ModulePass):
    name = "invalid"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in op.body.block.ops:
            if (last := function.regions[0].block.last_op) is not None:
                last.detach()


@dataclass(frozen=True)
class Loops(ModulePass):
    name = "loops"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        while True:
            try:
                hash(op)
            except Exception:
                continue


@dataclass(frozen=True)
class Placeless(ModulePass):
    name = "placeless"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for inner in op.walk():
            inner.location = ModuleOp([]).location
        raise Unsupported(op, what="everything", need="nothing")


@dataclass(frozen=True)
class Forgets(ModulePass):
    """A pass that creates an operation whose custom form is incomplete."""

    name = "forgets"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        alloc = memref.AllocOp.get(f32, shape=[1])
        alloc.attributes["a"] = StringAttr("b")
        op.body.block.add_op(alloc)


def planted(pass_: ModulePass, text: str = PROGRAM) -> Sequence[Finding]:
    verdict = Examiner(pipelines={"planted": [pass_]}, limit=0.2).examine(text)
    assert verdict.reached is not None
    assert verdict.passes == {"planted": "failed"}
    return verdict.findings


def test_it_finds_a_python_exception():
    (finding,) = planted(Raises())
    assert finding.kind == "traceback"
    assert "TypeError: planted" in finding.detail


def test_it_finds_invalid_ir_after_a_pass():
    (finding,) = planted(Invalid())
    assert finding.kind == "invalid after pass"


def test_it_finds_a_hang():
    (finding,) = planted(Loops())
    assert finding.kind == "hang"


def test_it_finds_a_message_without_a_place():
    (finding,) = planted(Placeless())
    assert finding.kind == "no position"


def test_it_finds_what_does_not_read_back_and_whose_it_is():
    (finding,) = planted(Forgets())
    assert (finding.kind, finding.signature) == ("upstream", "round trip: memref.alloc reads back otherwise")


def test_a_verifier_that_trips_over_an_invalid_operation_is_no_finding():
    launch = '"region.launch"() <{kernel = @k, operandSegmentSizes = array<i32: 0, 0>}> : () -> ()'
    kernel = '"region.kernel"() <{sym_name = "k", input_count = 1 : f32, alignments = array<i64>, materialize = []}>'
    verdict = Examiner().examine(f"{kernel} ({{\n^bb0:\n}}) : () -> ()\nfunc.func @f() {{\n{launch}\nfunc.return\n}}")
    assert (verdict.reached, verdict.findings) == (None, [])


def test_a_clean_refusal_is_no_finding():
    verdict = Examiner().examine(PROGRAM.replace("ptir.exp", "ptir.exq"))
    assert (verdict.reached, verdict.findings) == (None, [])
    called = PROGRAM.replace("ptir.exp %x :", "func.call @g(%x) : (tensor<4xf32>) ->")
    verdict = Examiner().examine(called + "func.func private @g(tensor<4xf32>) -> tensor<4xf32>")
    assert verdict.passes["ptir-to-cuda"] == "refused" and not verdict.findings


# --- campaigns ----------------------------------------------------------------------------------


def small(journal: Path | None, seed: int = 1) -> Campaign:
    programs = (Program("p", PROGRAM, ""),)
    examiner = Examiner(pipelines={"cse": "cse", "planted": [Raises()]})
    return Campaign(Mutator(programs, seed), examiner, journal, tries=20)


def test_a_stopped_campaign_goes_on_where_it_was(tmp_path: Path):
    whole = small(None)
    for _ in range(30):
        whole.step()
    for steps in (7, 0, 23):
        part = small(tmp_path / "journal")
        for _ in range(steps):
            part.step()
    assert part.next_index == 30
    assert part.totals == whole.totals
    assert whole.totals.failures and whole.totals.failures[0]["count"] > 1


def test_a_journal_of_another_campaign_is_refused(tmp_path: Path):
    small(tmp_path / "journal")
    with pytest.raises(OtherCampaign):
        small(tmp_path / "journal", seed=2)


def test_a_mutant_that_takes_the_process_down_twice_is_a_finding(tmp_path: Path):
    journal = tmp_path / "journal"
    small(journal).step()
    for _ in range(2):
        with journal.open("a") as file:
            file.write(json.dumps({"begun": 1}) + "\n")
    resumed = small(journal)
    assert resumed.next_index == 2
    assert resumed.totals.kinds["hang"] == 1


def test_a_torn_last_line_is_forgotten(tmp_path: Path):
    journal = tmp_path / "journal"
    small(journal).step()
    with journal.open("a") as file:
        file.write('{"index": 1, "ori')
    assert small(journal).next_index == 1
