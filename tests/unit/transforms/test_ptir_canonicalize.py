"""
`ptir-canonicalize` preserves results of random programs bit for bit, and running it again changes nothing. The pass terminates,
takes linear time, preserves locations, and reports errors.
"""

from __future__ import annotations

import logging
import subprocess
import sys
from collections import Counter
from typing import Any

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

import ptir
from ptir.dialects import ptir as tensors
from ptir.dialects.ptir.elementwise import SelectOp
from ptir.passes.manager import PassManager
from ptir.passes.validation import Interpret, ValidatePasses
from ptir.semantics.interpreter import call
from ptir.transforms.errors import DoesNotSettle, NoSuchRule
from ptir.transforms.ptir_canonicalize import simplify
from ptir.transforms.ptir_rules.engine import Simplify
from ptir.transforms.ptir_rules.table import STRUCTURAL
from ptir.transforms.ptir_rules.terms import ANYTHING, FLOATS, add, maximum, p, rule, select, x, y

from ..builders.amount import WHOLE, examples
from ..builders.movement_programs import program
from .test_ptir_rules import same

PROGRAMS = examples(500)
RARE = {"tuple-element-of-tuple", "drop-dim-cast", "merge-dim-casts"}
"""Rules that no program here triggers. `tests/filecheck/ptir_canonicalize/` covers them."""


def fired(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Counts the applications of each rule."""
    out = Counter[str]()
    rewrite = Simplify.match_and_rewrite

    def watched(self: Simplify, op: Operation, rewriter: Any) -> None:
        before = self.count
        rewrite(self, op, rewriter)
        if self.count > before:
            out[self.last[-1]] += 1

    monkeypatch.setattr(Simplify, "match_and_rewrite", watched)
    return out


@pytest.mark.sampled(1)
def test_random_programs_keep_their_results_bit_for_bit(monkeypatch: pytest.MonkeyPatch):
    """The whole campaign also requires that every structural rule has been applied."""
    count = fired(monkeypatch)
    for seed in range(PROGRAMS):
        module, args = program(seed)
        module.verify()
        want = call(module, "f", *args)
        after = module.clone()
        simplify(after)
        after.verify()
        for a, b in zip(call(after, "f", *args), want, strict=True):
            assert a.shape == b.shape and same(a, b).all(), f"seed {seed}\n{module}\n{after}"
        again = after.clone()
        simplify(again)
        assert str(again) == str(after), f"seed {seed}"
    rules = {r.__name__.replace("_", "-") for rules in STRUCTURAL.values() for r in rules} | {
        "sink-broadcast",
        "constant-right",
        "fold",
    }
    assert rules - RARE <= count.keys() or not WHOLE, sorted(rules - RARE - count.keys())


# --- the pass -------------------------------------------------------------------------------------

CHAIN = "func.func @f(%x: tensor<4xi32>) -> tensor<4xi32> {{\n{body}\n  func.return %v{last} : tensor<4xi32>\n}}"


def chain(length: int) -> ModuleOp:
    """Returns the program x + 1 + 1 + … with `length` additions."""
    lines = ["  %c = ptir.constant dense<1> : tensor<4xi32>", "  %v0 = ptir.add %x, %c : tensor<4xi32>"]
    lines += [f"  %v{i + 1} = ptir.add %c, %v{i} : tensor<4xi32>" for i in range(length)]
    return ptir.parse(CHAIN.format(body="\n".join(lines), last=length))


@pytest.mark.sampled(1)
def test_work_grows_with_the_program(monkeypatch: pytest.MonkeyPatch):
    """Not with its square: ten times the ops, ten times the attempts."""
    attempts: list[int] = []
    rewrite = Simplify.match_and_rewrite

    def counted(self: Simplify, op: Operation, rewriter: Any) -> None:
        attempts[-1] += 1
        rewrite(self, op, rewriter)

    monkeypatch.setattr(Simplify, "match_and_rewrite", counted)
    for length in (40, 400):
        attempts.append(0)
        module = chain(length)
        simplify(module)
        assert sum(isinstance(op, tensors.AddOp) for op in module.walk()) == 1
    assert attempts[1] < 12 * attempts[0]


def test_rules_that_undo_each_other_are_reported():
    swap = (rule("there", ANYTHING, maximum(x, y), add(x, y)), rule("back", ANYTHING, add(x, y), maximum(x, y)))
    module = ptir.parse(
        "func.func @f(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {"
        "  %0 = ptir.add %x, %y : tensor<4xf32>  func.return %0 : tensor<4xf32> }"
    )
    with pytest.raises(DoesNotSettle, match=r"there|back") as caught:
        simplify(module, swap)
    assert str(caught.value) == (
        "<string>:1:1: error[PTIR0214]: ptir-canonicalize has not converged after 1401 rewrites; the last ones are by the rules "
        "there, back, there, back, there, back, there, back\n"
        "  help: this is a bug in the rules: please report it with the program"
    )


def test_unknown_names_of_rules():
    with pytest.raises(NoSuchRule, match="fast-mul-exp") as error:
        PassManager("ptir-canonicalize{rules=fast-mul-exp}").run(chain(1))
    assert "fast-mul-exps" in error.value.help


def test_ops_keep_the_place_they_come_from():
    module = chain(3)
    before = {op.location for op in module.walk()}
    simplify(module)
    for op in module.walk():
        assert op.location in before, op
    (final,) = (op for op in module.walk() if isinstance(op, tensors.AddOp))
    assert "6:" in str(final.location), "the last addition's line"


def test_a_rule_that_changes_a_type_does_not_fire(caplog: pytest.LogCaptureFixture):
    module = ptir.parse(
        "func.func @f(%p: tensor<4xi1>, %x: tensor<4xf32>) -> tensor<4xf32> {"
        "  %0 = ptir.select %p, %x, %x : tensor<4xi1>, tensor<4xf32>  func.return %0 : tensor<4xf32> }"
    )
    wrong = (rule("wrong", FLOATS, select(p, x, x), p),)
    with caplog.at_level(logging.DEBUG, "ptir"):
        simplify(module, wrong)
    assert any(isinstance(op, SelectOp) for op in module.walk())
    assert "ptir.select: wrong does not fire: the type would change" in caplog.messages


def test_random_programs_are_validated():
    """By the instrumentation of the pass manager, on samples of its own."""
    for seed in range(1000, 1015):
        module, _ = program(seed)
        PassManager("ptir-canonicalize", instrumentations=[ValidatePasses([Interpret()])]).run(module)


def test_the_dialect_does_not_import_its_rules():
    code = "import sys, ptir.dialects.ptir; print([m for m in sys.modules if m.startswith('ptir.transforms')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
