"""
Translation validation accepts correct passes, and reports wrong ones by name, with a seed that reproduces the failure.

A wrong pass is a regular expression and its replacement in the module's text. It runs between passes of the compiler.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

import ptir
from ptir.diagnostics.rendering import render_error
from ptir.passes.environment import available_passes
from ptir.passes.errors import FunctionLost, MeaningChanged, MeaningLost
from ptir.passes.manager import PassManager
from ptir.passes.pipeline import build_pipeline
from ptir.passes.pipeline_elements import Nest, PipelineElement
from ptir.passes.validation import CannotRun, Executor, Interpret, ValidatePasses
from ptir.runtime.validate import executors
from ptir.semantics.bounds import CONTROL, FAMILIES, bounds, check
from ptir.semantics.bounds.extensions import divide, multiply
from ptir.semantics.bounds.intervals import Interval
from ptir.semantics.interpreter import FUNCTIONS, call
from ptir.semantics.samples import KINDS, draw

from ..builders.amount import examples
from ..builders.programs import PROGRAMS, draft

pytestmark = pytest.mark.sampled(4)

MLP = Path(__file__).resolve().parents[3] / "examples" / "digits" / "mlp.mlir"
TO_TINY = "ptir-to-tiny"
TO_REGION = "ptir-to-tiny,build-poly-view,form-regions"
TO_PTO = f"{TO_REGION},plan-regions{{arch=sm80}},region-to-pto"
TO_NV = f"{TO_PTO},pto-to-nv"


def passes(text: str) -> tuple[PipelineElement, ...]:
    return build_pipeline(text, available_passes()) if text else ()


def validated(source: str | ModuleOp, *elements: PipelineElement, **options: Any) -> ModuleOp:
    """Runs passes with translation validation. Returns the module."""
    module = ptir.parse(source) if isinstance(source, str) else source
    options.setdefault("executors", executors())
    return PassManager(elements, instrumentations=[ValidatePasses(**options)]).run(module)


def wrong(pattern: str, replacement: str, name: str = "wrong", **attributes: Any) -> ModulePass:
    """Returns a pass that rewrites the module's text."""

    def apply(self: ModulePass, ctx: Context, op: ModuleOp) -> None:
        text, count = re.subn(pattern, replacement, str(op))
        assert count, f"{pattern} is not in\n{op}"
        block = op.body.block
        for old in list(block.ops):
            old.detach()
            old.erase(safe_erase=False)
        for new in list((parsed := ptir.parse(text)).body.block.ops):
            new.detach()
            block.add_op(new)
        parsed.erase()

    return dataclass(frozen=True)(type("Wrong", (ModulePass,), {"name": name, "apply": apply, **attributes}))()


# --- right passes --------------------------------------------------------------------------------


@pytest.mark.sampled(60)
@pytest.mark.parametrize("name", PROGRAMS)
def test_the_compiler_is_right_about_every_program(name: str, caplog: pytest.LogCaptureFixture):
    """All levels down to the emulator agree, and all can be run."""
    d = draft(name, (33, 47, 70), "bf16")
    with caplog.at_level(logging.WARNING, "ptir"):
        validated(d.text, *passes(TO_NV), seed=len(name))
    assert not caplog.records


@pytest.mark.campaign
def test_the_digits():
    validated(MLP.read_text("utf-8").replace("1797", "70"), *passes(TO_NV))


@pytest.mark.sampled(6)
@pytest.mark.parametrize(
    "name", ["relu", "gelu_erf", "chained", "mask_output", "constant_weights", "log_rsqrt", "rank4"]
)
def test_modules_that_begin_at_any_level(name: str, caplog: pytest.LogCaptureFixture):
    """The first level that a validation sees is the reference."""
    text = draft(name, (17, 20, 33), "f16").text
    for stage in (TO_TINY, "form-regions,plan-regions{arch=sm80}", "region-to-pto", "pto-to-nv", "cse,canonicalize"):
        text = str(validated(text, *passes(stage)))
    assert not caplog.records


@settings(max_examples=examples(3))
@given(seed=st.integers(0, 2**32), name=st.sampled_from(sorted(PROGRAMS)))
def test_no_seed_is_a_false_alarm(seed: int, name: str):
    validated(draft(name, (7, 18, 33), "f16").text, *passes(TO_NV), seed=seed, samples=8)


def test_a_plan_changes_no_meaning():
    text = draft("relu", (40, 24, 36), "bf16").text
    other = wrong(r"stages = \d+", "stages = 2")
    validated(text, *passes(f"{TO_REGION},plan-regions{{arch=sm80}}"), other, *passes("region-to-pto,pto-to-nv"))


INTEGERS = """
func.func @f(%a: tensor<4x8x$T>, %b: tensor<4x8x$T>) -> (tensor<4x8x$T>, tensor<4x8xi1>, tensor<4x8xf32>) {
  %0 = ptir.add %a, %b : tensor<4x8x$T>
  %1 = ptir.mul %0, %b : tensor<4x8x$T>
  %2 = ptir.maximum %1, %a : tensor<4x8x$T>
  %4 = ptir.compare lt %a, %b : tensor<4x8x$T> -> tensor<4x8xi1>
  %5 = ptir.select %4, %2, %b : tensor<4x8xi1>, tensor<4x8x$T>
  %6 = ptir.cast %5 : tensor<4x8x$T> -> tensor<4x8xf32>
  func.return %5, %4, %6 : tensor<4x8x$T>, tensor<4x8xi1>, tensor<4x8xf32>
}"""


SUMS = """
func.func @f(%a: tensor<4x8x$T>, %b: tensor<8x3x$T>) -> (tensor<4x3x$T>, tensor<4x$T>) {
  %0 = ptir.dot_general %a, %b contract [1] x [0] accum $T out $T : (tensor<4x8x$T>, tensor<8x3x$T>) -> tensor<4x3x$T>
  %1 = ptir.reduce sum %a axes [1] accum $T out $T : tensor<4x8x$T> -> tensor<4x$T>
  func.return %0, %1 : tensor<4x3x$T>, tensor<4x$T>
}"""
TYPES = ["i8", "ui16", "i32", "i64", "ui64", "si4"]


@pytest.mark.parametrize("dtype", TYPES)
def test_integers(dtype: str, caplog: pytest.LogCaptureFixture):
    deepest = TO_TINY if dtype == "si4" else TO_REGION  # kernels have no 4-bit types
    validated(INTEGERS.replace("$T", dtype), *passes(f"cse,{deepest},cse"), samples=8)
    validated(SUMS.replace("$T", dtype), *passes(f"cse,{TO_TINY},cse"), samples=8)
    assert not caplog.records


@pytest.mark.parametrize("dtype", ["f64", "f8E5M2", "f8E4M3FN"])
def test_floats_that_no_kernel_takes(dtype: str, caplog: pytest.LogCaptureFixture):
    accum = "f64" if dtype == "f64" else "f32"
    text = SUMS.replace("accum $T", f"accum {accum}").replace("$T", dtype)
    validated(text, *passes(f"cse,{TO_TINY},cse"), samples=12)
    assert not caplog.records


# --- wrong passes --------------------------------------------------------------------------------

LINEAR = """
func.func @f(%x: tensor<16x16xf32>, %y: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %0 = ptir.sub %x, %y : tensor<16x16xf32>
  %1 = ptir.transpose %0 [1, 0] : tensor<16x16xf32> -> tensor<16x16xf32>
  %2 = ptir.constant dense<0.0> : tensor<16x16xf32>
  %3 = ptir.maximum %1, %2 : tensor<16x16xf32>
  %4 = ptir.cast %3 : tensor<16x16xf32> -> tensor<16x16xbf16>
  %5 = ptir.cast %4 : tensor<16x16xbf16> -> tensor<16x16xf32>
  %6 = ptir.constant dense<3.0> : tensor<16x16xf32>
  %7 = ptir.compare lt %5, %6 : tensor<16x16xf32> -> tensor<16x16xi1>
  %8 = ptir.select %7, %5, %6 : tensor<16x16xi1>, tensor<16x16xf32>
  func.return %8 : tensor<16x16xf32>
}"""
WIDE = INTEGERS.replace("$T", "i64").replace(
    "%0 = ptir.add %a, %b", "%c = ptir.constant dense<1152921504606846977> : tensor<4x8xi64>\n  %0 = ptir.add %a, %c"
)


@dataclass(frozen=True)
class Bug:
    """
    A wrong pass: `source` is a program's text or name, `prefix` the passes before it, and `kinds` the samples that may reveal it
    first.
    """

    source: str
    prefix: str
    pattern: str
    replacement: str
    kinds: str = "integers"
    error: type[Exception] = MeaningChanged


BUGS = {
    "operands of sub exchanged": Bug(LINEAR, "", r"sub %x, %y", "sub %y, %x"),
    "operands of sub exchanged in tiny": Bug(LINEAR, TO_TINY, r"sub (%\w+), (%\w+)", r"sub \2, \1"),
    "no transpose": Bug(LINEAR, "", r"\[1, 0\]", "[0, 1]"),
    "no transpose in tiny": Bug(LINEAR, TO_TINY, r"by \[1, 0\]", "by [0, 1]"),
    "no transpose in a kernel": Bug(LINEAR, TO_REGION, r"by \[1, 0\]", "by [0, 1]"),
    "no transpose in a tile program": Bug("rank2", TO_PTO, r"\[\(i1\), \(i0\)\]", "[(i0), (i0)]", error=Exception),
    "a constant off by one": Bug(LINEAR, "", r"dense<3.0+e\+00>", "dense<4.0>"),
    "a constant off by an ulp": Bug(LINEAR, "", r"dense<3.0+e\+00>", "dense<3.0000002>"),
    "lt is le": Bug(draft("every_compare", (5, 6, 7), "bf16").text, "", r"compare lt", "compare le"),
    "maximum loses NaN": Bug(
        LINEAR,
        "",
        r"%(\w+) = ptir.maximum %(\w+), %(\w+) : tensor<(.*)xf32>",
        r"%p = ptir.compare gt %\2, %\3 : tensor<\4xf32> -> tensor<\4xi1>\n"
        r"%\1 = ptir.select %p, %\2, %\3 : tensor<\4xi1>, tensor<\4xf32>",
        "boundary",
    ),
    "a rounding to bf16 dropped": Bug(LINEAR, "", r"compare lt %5, (.*)\n(.*) %5,", r"compare lt %3, \1\n\2 %3,", "random"),
    "a rounding to bf16 added": Bug(
        "none",
        "",
        r"func.return (%\w+) : (tensor<\w+x)f32>",
        r"%b = ptir.cast \1 : \2f32> -> \2bf16>\n%r = ptir.cast %b : \2bf16> -> \2f32>\nfunc.return %r : \2f32>",
        "random",
    ),
    "a cast rounds to f16": Bug(LINEAR, "", r"bf16", "f16", "random"),
    "products rounded": Bug(
        "none",
        TO_TINY,
        r"(%\w+) = tiny.reduce sum (%\w+)(.*) : (tensor<\w+xf32>)",
        r"%h = tiny.unary cast \2 : \4 -> tensor<33x70x47xbf16>"
        r"\n%s = tiny.unary cast %h : tensor<33x70x47xbf16> -> \4\n\1 = tiny.reduce sum %s\3 : \4",
        "random",
    ),
    "bias subtracted": Bug("relu", TO_TINY, r"binary add", "binary sub"),
    "operands of a kernel exchanged": Bug(draft("weights_nk", (16, 16, 16), "bf16").text, TO_REGION, r"ins\(%(\w+), %(\w+)", r"ins(%\2, %\1"),
    "every row from the end": Bug("relu", TO_PTO, r"-> \[\(i0\), \(i2\)\]", "-> [(32 - i0), (i2)]"),
    "k too short": Bug("relu", TO_PTO, r"arith.constant 70", "arith.constant 64"),
    "tiles of one row less": Bug("relu", TO_PTO, r"(pto.tile.store.map .*) in \[33, 47\]", r"\1 in [32, 47]", error=Exception),
    "a buffer that nobody fills": Bug("chained", TO_REGION, r"region.launch @f_0 .*", ""),
    "the epilogue negated": Bug("none", TO_NV, r"arith.addf", "arith.subf"),
    "maximum loses NaN in the epilogue": Bug(
        "relu",
        TO_NV,
        r"(%\w+) = arith.maximumf (%\w+), (%\w+) : f32",
        r"%p = arith.cmpf ogt, \2, \3 : f32\n\1 = arith.select %p, \2, \3 : f32",
        "boundary",
    ),
    "a grid too small": Bug("relu", TO_NV, r"grid \[(\d+), (\d+), 1\]", r"grid [\1, 1, 1]", error=MeaningLost),
    "no commit": Bug("relu", TO_NV, r"(?s)(.*)\n\s*nv.commit_group", r"\1", error=MeaningLost),
    "copy without its row guard": Bug("relu", TO_NV, r"guard \[0, 2\]", "guard [2]", error=MeaningLost),
    "the last bit of i64": Bug(WIDE, "", r"1152921504606846977", "1152921504606846976"),
    "the last bit of i64 in tiny": Bug(WIDE, TO_TINY, r"1152921504606846977", "1152921504606846976"),
    "the last bit of i64 in a kernel": Bug(WIDE, TO_REGION, r"1152921504606846977", "1152921504606846976"),
}  # fmt: skip


@pytest.mark.sampled(10)
@pytest.mark.parametrize("name", BUGS)
def test_a_wrong_pass_is_caught_by_name(name: str):
    bug = BUGS[name]
    text = bug.source if "\n" in bug.source else draft(bug.source, (33, 47, 70), "bf16").text
    with pytest.raises(bug.error) as caught:
        validated(text, *passes(bug.prefix), wrong(bug.pattern, bug.replacement), *passes("cse"))
    message = str(caught.value)
    assert isinstance(caught.value, MeaningChanged | MeaningLost), message
    assert "pass 'wrong'" in message and "@f " in message and "with seed 0" in message
    kind = re.findall(r"of kind '(\w+)'", message)
    assert kind[0] in bug.kinds, message


def test_the_message_says_everything():
    with pytest.raises(MeaningChanged) as caught:
        validated(LINEAR, *passes("cse"), wrong("sub %x, %y", "sub %y, %x", name="broken-pass"), seed=7)
    text = render_error(caught.value)
    assert "error[PTIR0630]: pass 'broken-pass' changes what @f computes: result #0 at [" in text
    assert re.search(r"\] is 0, expected 1 \(0x1.0+p\+0\);", text)
    assert "by the interpreter, on sample 0 of kind 'integers' with seed 7" in text
    assert "help: to reproduce this: --validate-passes --validate-seed=7 --validate-samples=1" in text


def test_the_seed_finds_it_again():
    def message(seed: int, samples: int) -> str:
        with pytest.raises(MeaningChanged) as caught:
            validated(LINEAR, wrong("bf16", "f16"), seed=seed, samples=samples)
        return str(caught.value)

    first = message(5, 8)
    number = int(re.findall(r"sample (\d+)", first)[0])
    assert message(5, 8) == message(5, number + 1) == first
    assert message(6, 8) != first


def test_small_inputs_are_shown():
    text = "func.func @f(%x: tensor<2xi32>) -> tensor<2xi32> {\n%0 = ptir.neg %x : tensor<2xi32>\nfunc.return %0 : tensor<2xi32>\n}"
    with pytest.raises(MeaningChanged) as caught:
        validated(text, wrong("neg", "abs"))
    arrays = draw("f", [((2,), np.dtype(np.int32))], 0, 1).arrays
    assert f"note: the arguments are {arrays[0].tolist()}" in render_error(caught.value)


def test_a_pass_on_one_function():
    text = LINEAR + LINEAR.replace("@f", "@g")
    good, bad = wrong("dense<3.0+e.00>", "dense<3.0>"), wrong("dense<3.0+e.00>", "dense<4.0>")
    validated(text, Nest("func.func", (good,)))
    with pytest.raises(MeaningChanged, match="@f "):
        validated(text, Nest("func.func", (good, bad)))
    with pytest.raises(MeaningChanged, match="@g "):
        validated(text, wrong("(@g(.*\n)*.*)dense<3.0+e.00>", r"\1dense<4.0>"))


def test_functions_of_inner_modules_are_told_apart():
    text = f"builtin.module @a {{ {LINEAR} }}\nbuiltin.module {{ {LINEAR} }}"
    with pytest.raises(MeaningChanged, match="@1::f "):
        validated(text, wrong(r"((?s:.*))dense<3.0+e.00>", r"\1dense<4.0>"))
    with pytest.raises(MeaningChanged, match="@a::f "):
        validated(text, Nest("builtin.module", (wrong("dense<3.0+e.00>", "dense<4.0>"),)))


# --- what is no difference -----------------------------------------------------------------------


def test_a_pass_that_does_not_claim_sets_a_new_meaning():
    free = wrong("sub %x, %y", "sub %y, %x", name="free", preserves_meaning=False)
    validated(LINEAR, free, *passes(TO_TINY))
    with pytest.raises(MeaningChanged, match="'wrong'"):
        validated(LINEAR, free, wrong("sub %y, %x", "sub %x, %y"))


def test_private_functions_may_go_and_public_ones_may_not():
    private = LINEAR.replace("func.func @f", "func.func private @p")
    gone = wrong(r"func.func (private )?@p(.*\n)*?  \}", "")
    validated(private + LINEAR, gone)
    with pytest.raises(FunctionLost, match="after pass 'wrong' public function @p is gone") as caught:
        validated(private.replace("private ", "") + LINEAR, gone)
    assert str(caught.value) == (
        "<string>:3:3: error[PTIR0632]: after pass 'wrong' public function @p is gone\n"
        "  help: only private functions may be erased or change their signature; set preserves_meaning = False on a pass that must break this rule"
    )


def test_only_private_functions_may_change_their_signature():
    text = "func.func $V @f(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {\nfunc.return %x : tensor<4xf32>\n}"
    fewer = wrong(r", %y: tensor<4xf32>", "")
    validated(text.replace("$V", "private"), fewer)
    with pytest.raises(FunctionLost, match="public function @f has another signature") as caught:
        validated(text.replace("$V", ""), fewer)
    assert str(caught.value) == (
        "<string>:2:3: error[PTIR0632]: after pass 'wrong' public function @f has another signature\n"
        "  help: only private functions may be erased or change their signature; set preserves_meaning = False on a pass that must break this rule"
    )


def test_an_argument_must_be_left_as_it_was():
    text = draft("rank1", (4, 5, 1), "f16").text.replace(
        "(%a0: tensor<20xf16>)", "(%a0: tensor<20xf16>, %out: tensor<20xf16>)"
    )
    into = wrong(r"(%\w+) = memref.alloc\(\) : memref<20xf16>", "", name="into")
    outs = wrong(r"outs\(%\w+ (.*)\n *func.return %\w+", r"outs(%out \1\nfunc.return %out", name="outs")
    with pytest.raises(MeaningChanged, match="pass 'outs' changes what @f computes: argument #1 at "):
        validated(text, *passes(TO_REGION), outs, into)


# --- what cannot be run --------------------------------------------------------------------------

DYNAMIC = "func.func @d(%x: memref<?xf32>) {\nfunc.return\n}"
BODILESS = "func.func private @nobody(tensor<4xf32>) -> tensor<4xf32>"
FOREIGN = "func.func @o(%x: tensor<4xf32>) -> tensor<4xf32> {\n%0 = tensor.empty() : tensor<4xf32>\nfunc.return %0 : tensor<4xf32>\n}"
COMPLEX = """
func.func @c(%x: tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>> {
  %0 = ptir.mul %x, %x : tensor<4xcomplex<f32>>
  func.return %0 : tensor<4xcomplex<f32>>
}"""
SCALAR = "func.func @s(%x: f32) -> f32 {\nfunc.return %x : f32\n}"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (DYNAMIC, r"@d is not validated: its signature has a memref<\?xf32>, whose sizes are not known"),
        (BODILESS, "@nobody is not validated: it has no body"),
        (FOREIGN, "@o is not validated: the interpreter: .* op tensor.empty; the emulator: there are no kernels"),
        (COMPLEX, "@c is not validated: no error bound is known for complex numbers"),
        (SCALAR, "@s is not validated: its signature has a f32, which is not an array"),
    ],
)
def test_what_cannot_be_run_is_warned_about_once(text: str, reason: str, caplog: pytest.LogCaptureFixture):
    with caplog.at_level(logging.WARNING, "ptir"):
        validated(text + LINEAR, *passes("cse,canonicalize,cse"))
    assert [r for r in caplog.messages if re.match(reason, r)] == caplog.messages and len(caplog.messages) == 1
    with pytest.raises(MeaningChanged, match="@f "):
        validated(text + LINEAR, wrong("sub %x, %y", "sub %y, %x"))


def test_it_is_compared_again_with_what_came_first(caplog: pytest.LogCaptureFixture):
    """The comparison continues after a level that cannot be run."""
    away = wrong("ptir.sub %x, %y", "tensor.empty()", name="away")
    back, wrongly_back = (wrong(r"tensor.empty\(\)", f"ptir.sub {a}", name="back") for a in ("%x, %y", "%y, %x"))
    validated(LINEAR, away, back)
    assert "@f is not validated after 'away'" in caplog.text
    with pytest.raises(MeaningChanged, match="pass 'back'"):
        validated(LINEAR, away, wrongly_back)


def test_nobody_runs_anything_without_executors(caplog: pytest.LogCaptureFixture):
    validated(LINEAR, *passes("cse"), executors=())
    assert caplog.messages == ["@f is not validated after 'cse': there is no executor"]


def test_division(caplog: pytest.LogCaptureFixture):
    """Samples with a zero divisor are drawn again. A program that always divides by zero is undefined and is not compared."""
    text = """
    func.func @f(%x: tensor<40xi8>, %y: tensor<40xi8>) -> tensor<40xi8> {
      %0 = ptir.div %x, %y : tensor<40xi8>
      func.return %0 : tensor<40xi8>
    }"""
    same = Fake([lambda results: results] * 4)
    validated(text, *passes(TO_TINY), executors=[same])
    assert not caplog.records and not same.answers
    with pytest.raises(MeaningChanged):
        validated(text, wrong("div %x, %y", "div %y, %x"), seed=1)
    never = text.replace("ptir.div %x, %y", "ptir.sub %x, %x : tensor<40xi8>\n%1 = ptir.div %x, %0").replace(
        "return %0", "return %1"
    )
    validated(never, *passes(TO_TINY))
    assert caplog.messages == ["@f is not validated: it is undefined on all samples"]


def test_a_program_that_fails_from_the_start_is_only_warned_about(caplog: pytest.LogCaptureFixture):
    text = str(PassManager(TO_PTO).run(ptir.parse(draft("relu", (33, 47, 70), "bf16").text)))
    broken = text.replace("pto.channel.release", "// pto.channel.release")
    validated(broken, *passes("cse"))
    assert len(caplog.messages) == 1 and caplog.messages[0].startswith("@f is not validated: ")


def test_a_function_that_writes_its_arguments_must_go_on_doing_so():
    text = str(PassManager(TO_REGION).run(ptir.parse(draft("rank1", (4, 5, 1), "f16").text)))
    text = re.sub(r"(@f\(%a0 ?: memref<20xf16>)\) -> .*", r"\1, %out : memref<20xf16>) {", text)
    text = re.sub(r"%\w+ = memref.alloc.*\n(.*) outs\(%\w+(.*)\n *func.return .*", r"\1 outs(%out\2\nfunc.return", text)
    validated(text, *passes("plan-regions{arch=sm80},region-to-pto"))
    with pytest.raises(MeaningChanged, match="argument #1 at "):
        validated(text, wrong("region.launch.*", ""))


@dataclass(frozen=True)
class Fake:
    """An executor whose second call has a wrong result, or fails."""

    answers: list[Any]
    name: str = "the fake"

    def run(self, module: ModuleOp, name: str, arrays: Sequence[Any]) -> Sequence[Any]:
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer(call(module, name, *arrays))


def test_executors_are_asked_in_order_and_a_failure_is_the_passes_fault():
    text = "func.func @f(%x: tensor<4xi8>) -> tensor<4xi8> {\nfunc.return %x : tensor<4xi8>\n}"
    never: Executor = Fake([CannotRun("too early")] * 2)
    validated(text, *passes("cse,cse"), executors=[never, Interpret()], samples=1)
    fine, off = (lambda results: results), (lambda results: [r + 1 for r in results])
    with pytest.raises(MeaningChanged, match="by the fake") as caught:
        validated(text, *passes("cse,canonicalize"), executors=[Fake([fine, off])], samples=1)
    assert str(caught.value) == (
        "<string>:1:1: error[PTIR0630]: pass 'canonicalize' changes what @f computes: result #0 at [0] is -1, expected -2"
        "; by the fake, on sample 0 of kind 'integers' with seed 0\n"
        "  help: to reproduce this: --validate-passes --validate-seed=0 --validate-samples=1"
    )
    with pytest.raises(
        MeaningLost, match="after pass 'canonicalize' @f fails: RuntimeError: boom; by the fake"
    ) as caught:
        validated(text, *passes("cse,canonicalize"), executors=[Fake([fine, RuntimeError("boom")])], samples=1)
    assert str(caught.value) == (
        "<string>:1:1: error[PTIR0631]: after pass 'canonicalize' @f fails: RuntimeError: boom"
        "; by the fake, on sample 0 of kind 'integers' with seed 0\n"
        "  help: to reproduce this: --validate-passes --validate-seed=0 --validate-samples=1"
    )


def test_one_object_follows_one_module_after_the_other():
    validation = ValidatePasses(executors())
    for text in (LINEAR, LINEAR.replace("sub", "add")):
        PassManager(TO_TINY, instrumentations=[validation]).run(ptir.parse(text))


@pytest.mark.campaign
def test_threads_do_not_disturb_one_another():
    names = ["relu", "gated", "rank2"]

    def outcome(name: str) -> str:
        text = draft(name, (17, 20, 33), "bf16").text
        validated(text, *passes(TO_NV))
        with pytest.raises(MeaningChanged) as caught:
            validated(LINEAR, wrong("bf16", "f16"), seed=len(name))
        return str(caught.value)

    with ThreadPoolExecutor(3) as pool:
        assert list(pool.map(outcome, names)) == [outcome(name) for name in names]


# --- inputs --------------------------------------------------------------------------------------


def test_samples_are_what_they_say():
    signature = [((40, 30), np.dtype(t)) for t in (np.float32, ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn, np.int8)]
    assert [draw("f", signature, 0, k).kind for k in range(5)] == [*KINDS, "integers"]
    integers, random, boundary, spread = (draw("f", signature, 3, k).arrays for k in range(4))
    for a in integers:
        assert np.array_equal(a.astype(np.float64), np.round(a.astype(np.float64))) and np.abs(a.astype(int)).max() <= 3
    assert 0.9 < np.std(random[0]) < 1.1 and {-128, 127} <= set(boundary[3].ravel().tolist())
    x = boundary[0]
    assert (
        np.isnan(x).any()
        and np.isposinf(x).any()
        and np.isneginf(x).any()
        and (np.abs(x) == np.finfo(np.float32).max).any()
    )
    assert ((x == 0) & np.signbit(x)).any() and ((x != 0) & (np.abs(x) < np.finfo(np.float32).tiny)).any()
    rows = np.isfinite(x).all(1) & (np.abs(x) <= 1).all(1)
    assert rows.any(), "some rows have no wild value"
    pairs = np.abs(spread[0][:, ::2] + spread[0][:, 1::2]) / np.abs(spread[0][:, ::2])
    assert pairs.max() < 1 and np.log2(np.abs(spread[0]).max() / np.abs(spread[0]).min()) > 12
    for other in ({"seed": 4, "number": 0}, {"seed": 3, "number": 4}):
        assert not np.array_equal(draw("f", signature, **other).arrays[0], integers[0])
    assert not np.array_equal(draw("g", signature, 3, 0).arrays[0], integers[0])
    assert not (draw("f", signature, 3, 0, attempt=1).arrays[3] == 0).any()


@pytest.mark.parametrize("kind", range(4))
@pytest.mark.parametrize("dtype", [np.bool_, np.float16, np.float64, np.uint64, np.int64, np.complex64, ml_dtypes.int4])
def test_every_type_and_shape_can_be_drawn(dtype: Any, kind: int):
    for sizes in ((), (0,), (1,), (3, 0, 2), (2, 3, 4)):
        (array,) = draw("f", [(sizes, np.dtype(dtype))], 0, kind).arrays
        assert array.shape == sizes and array.dtype == dtype


# --- tight bounds, and those of the lower levels ------------------------------------------------


@pytest.mark.sampled(42)
@pytest.mark.parametrize("level", ["", TO_TINY, TO_REGION, TO_PTO])
@pytest.mark.parametrize("name", sorted(PROGRAMS))
def test_the_bounds_of_every_level_hold_the_results_of_ptir(name: str, level: str):
    d = draft(name, (17, 20, 150), "bf16")
    module = PassManager(level).run(ptir.parse(d.text))
    for integers in (True, False):
        arrays = d.arrays(1, integers)
        for tight in (True, False):
            for value, interval in zip(
                ptir.reference(d.text, *arrays), bounds(module, "f", *arrays, tight=tight), strict=True
            ):
                assert check(value, interval).ok


def gemm(k: int) -> ModuleOp:
    return ptir.parse(f"""func.func @f(%a: tensor<2x{k}xf32>, %b: tensor<{k}x1xf32>) -> tensor<2x1xf32> {{
      %0 = ptir.dot_general %a, %b contract [1] x [0] : (tensor<2x{k}xf32>, tensor<{k}x1xf32>) -> tensor<2x1xf32>
      func.return %0 : tensor<2x1xf32> }}""")


@pytest.mark.parametrize("module", [gemm(4), PassManager(TO_TINY).run(gemm(4))], ids=["ptir", "tiny"])
def test_tight_sums_are_exact_up_to_24_bits(module: ModuleOp):
    a = np.array([[2**12, 0, 0.25, 3], [1, 2, 3, -3]], np.float32)
    for scale, exact in ((1, True), (2**9, True), (2**10, False), (2**-40, True), (2**-140, False)):
        b = np.full((4, 1), scale, np.float32)
        b[2] = 1 if scale > 1 else scale  # 0.25 beside 2¹² · scale: 2 bits below 1, and Σ|term| above it
        (i,) = bounds(module, "f", a, b, tight=True)
        assert (i.lo[0, 0] == i.hi[0, 0]) == exact, scale
        (i,) = bounds(module, "f", a, b)
        assert i.lo[0, 0] < i.hi[0, 0]


def binary(op: str, a: float, b: float) -> tuple[float, float]:
    text = f"func.func @f(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {{\n%0 = ptir.{op} %a, %b : tensor<f32>\nfunc.return %0 : tensor<f32>\n}}"
    (i,) = bounds(ptir.parse(text), "f", np.float32(a).reshape(()), np.float32(b).reshape(()), tight=True)
    return float(i.lo), float(i.hi)


def test_tight_arithmetic_is_exact_where_nothing_rounds():
    for op, a, b in (("add", 1, 2**-23), ("mul", 4097, 4095), ("sub", 3, 3), ("add", np.inf, 1)):
        lo, hi = binary(op, a, b)
        assert lo == hi, op
    for op, a, b in (
        ("add", 1, 2**-24),
        ("add", 2**60, 1),
        ("mul", 4097, 4097),
        ("sub", 2**24, 0.5),
        ("mul", 1e-30, 1e-15),
        ("div", 6, 3),
    ):
        lo, hi = binary(op, a, b)
        assert lo < hi, op


def test_zero_times_anything_may_be_zero():
    anything, zero, inf = (Interval(*map(np.array, ends), np.dtype(np.float32)) for ends in
                           ((-np.inf, np.inf, True), (0.0, 0.0, False), (np.inf, np.inf, False)))  # fmt: skip
    with np.errstate(all="ignore"):
        for out in (multiply(anything, zero), divide(anything, inf)):
            assert out.lo <= 0 <= out.hi and out.nan
        assert np.isnan(multiply(inf, zero).lo) and divide(anything, zero).nan


def test_infinities_and_underflow_in_sums():
    """A finite sum that overflows meets an infinity as NaN; products below the subnormals may vanish."""
    a = np.array([[np.inf, 3e38, 3e38, 0], [1e-30, 0, 0, 0]], np.float32)
    (i,) = bounds(gemm(4), "f", a, np.array([[1], [-1], [-1], [0]], np.float32))
    for value, ok in ((np.inf, True), (np.nan, True), (-np.inf, False), (3e38, False)):
        assert check(np.array([[value], [1e-30]], np.float32), i).ok == ok
    (i,) = bounds(gemm(4), "f", a, np.full((4, 1), 1e-30, np.float32))
    assert check(np.array([[np.inf], [0]], np.float32), i).ok
    assert not check(np.array([[np.nan], [0]], np.float32), i).ok
    assert not check(np.array([[np.inf], [1e-43]], np.float32), i).ok


def ops_of(functions: Sequence[Any]) -> set[Any]:
    """Returns the ops that classes of interpreter functions implement."""
    made = [(resolve_name(f) if isinstance(f, str) else f)() for f in functions]
    return {op for f in made for op, _ in f._impls()}


def test_every_op_that_has_a_meaning_has_bounds():
    assert ops_of(FUNCTIONS) == ops_of([*CONTROL, *FAMILIES])
