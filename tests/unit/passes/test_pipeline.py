"""Pipeline strings: both notations, nesting, options, and error messages."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from xdsl.context import Context
from xdsl.dialects import test
from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from ptir.diagnostics.diagnostic import diagnose
from ptir.errors import PtirError, SourceError
from ptir.passes import manager
from ptir.passes.environment import available_passes, make_context
from ptir.passes.errors import (
    BadAnchor,
    BadOptionValue,
    LeavesItsScope,
    PassCrashed,
    PipelineSyntax,
    Unavailable,
    UnknownAnchor,
    UnknownOption,
    UnknownPass,
)
from ptir.passes.manager import Instrumentation, PassManager
from ptir.passes.pipeline import build_pipeline
from ptir.passes.pipeline_elements import Nest, dump_pipeline, format_pipeline
from ptir.passes.pipeline_syntax import parse_pipeline
from ptir.passes.registry import PIPELINES
from ptir.text.errors import VerificationFailed
from ptir.text.parsing import parse_text


@dataclass(frozen=True)
class Probe(ModulePass):
    """A pass that has options of all kinds, and writes their values into attributes of the module's operations."""

    name = "probe"

    count: int = 0
    rate: float | None = None
    fast: bool = False
    arch: str = "sm80"
    tile: tuple[int, ...] = ()

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for child in op.body.block.ops:
            child.attributes["seen"] = StringAttr(f"{len(op.body.block.ops)} {self.arch}")


@dataclass(frozen=True)
class Crash(ModulePass):
    name = "crash"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        raise KeyError("oops")


@dataclass(frozen=True)
class Needs(ModulePass):
    name = "needs"

    level: int

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        pass


PASSES = {"probe": lambda: Probe, "crash": lambda: Crash, "needs": lambda: Needs}


def build(text: str):
    return build_pipeline(text, PASSES)


@pytest.mark.parametrize(
    "text",
    [
        "probe,needs{level=1}",
        "builtin.module(probe,needs{level=1})",
        " builtin.module( probe , needs{ level=1 } ) ",
        "probe{},needs{level=1}",
        "probe , needs { level=1 }",
    ],
)
def test_both_notations_mean_the_same(text: str):
    assert build(text) == (Probe(), Needs(1))


def test_empty_pipelines():
    assert build("") == build("  ") == build("builtin.module()") == ()


def test_options_take_the_type_of_the_field():
    assert build("probe{count=-3 rate=1e-5 fast=true arch=90 tile=128,256,64}") == (
        Probe(-3, 1e-5, True, "90", (128, 256, 64)),
    )
    assert build('probe{fast arch="a b,c"}') == (Probe(fast=True, arch="a b,c"),)
    assert build("probe{arch={x y}}") == (Probe(arch="x y"),)
    assert build("probe{rate=2 tile=7}") == (Probe(rate=2.0, tile=(7,)),)


def test_dashes_and_underscores_are_one_in_option_names():
    upstream = available_passes()
    assert build_pipeline("convert-scf-to-openmp{collapse=1}", upstream)


def test_nesting():
    nested = build("probe,func.func(probe,any(needs{level=2})),probe")
    assert nested == (Probe(), Nest("func.func", (Probe(), Nest("any", (Needs(2),)))), Probe())
    assert format_pipeline(nested) == "probe,func.func(probe,any(needs{level=2})),probe"


def test_operations_to_nest_under_are_those_of_the_context():
    assert build_pipeline("foo.bar(probe)", PASSES, ctx=make_context(allow_unregistered=True))
    with pytest.raises(UnknownAnchor) as caught:
        build_pipeline("func.fun(probe)", PASSES, ctx=make_context())
    assert caught.value.help == "did you mean 'func.func'?"
    with pytest.raises(UnknownAnchor, match=r"func\.func"):
        build_pipeline("func.func(probe)", PASSES, ctx=Context())


def test_backslashes_that_escape_nothing_stay():
    assert build(r'probe{arch="a\db\n\\\""}') == (Probe(arch='a\\db\n\\"'),)
    [element] = build(r"probe{arch='a\n'}")
    assert element == Probe(arch=r"a\n") and build(format_pipeline([element])) == (element,)


@pytest.mark.parametrize(
    "inside",
    ["builtin.module(probe)", "builtin.module(builtin.module(probe)),probe", "probe,builtin.module(probe)"],
)
def test_modules_in_modules_are_spelt_as_they_are_read(inside: str):
    elements = build(f"builtin.module({inside})")
    assert dump_pipeline(elements) == f"builtin.module({inside})"
    assert build(dump_pipeline(elements)) == build(format_pipeline(elements)) == elements


def test_options_are_spelt_as_they_are_listed():
    @dataclass(frozen=True)
    class Dashed(ModulePass):
        name = "dashed"

        pdl_file: str | None = None

        def apply(self, ctx: Context, op: ModuleOp) -> None:
            pass

    assert dump_pipeline([Dashed("x")]) == 'builtin.module(dashed{pdl-file="x"})'


def test_printing_and_parsing_again_is_the_identity():
    elements = build('probe{count=1 fast arch="x y" tile=1,2},func.func(needs{level=3})')
    assert build(dump_pipeline(elements)) == elements


def test_named_pipeline_expands_and_forwards_its_options():
    seen: list[str] = []

    def named(name: str):
        return lambda: type(name, (Probe,), {"name": name})

    stages = {stage: named(stage) for stage in PIPELINES["ptir-to-cuda"].stages}
    for element in build_pipeline("ptir-to-cuda{arch=sm90a}", stages):
        assert isinstance(element, Probe)
        seen.append(f"{element.name} {element.arch}")
    assert seen == [
        "ptir-check-cuda sm90a",
        "ptir-flatten-tuples sm80",
        "ptir-to-tiny sm80",
        "tiny-emulate-int4 sm80",
        "tiny-fold-empty sm80",
        "tiny-form-scatters sm80",
        "tiny-choose-convolutions sm80",
        "tiny-order-reductions sm80",
        "tiny-split-reductions sm90a",
        "cse sm80",
        "form-regions sm90a",
        "plan-regions sm90a",
        "region-to-pto sm80",
        "pto-to-nv sm80",
    ]


@pytest.mark.parametrize(
    ("text", "error", "column", "message"),
    [
        ("probe,prob", UnknownPass, 7, "unknown pass 'prob'"),
        ("probe{coun=1}", UnknownOption, 7, "has no option 'coun'"),
        ("probe{count=x}", BadOptionValue, 7, "is 'x', expected an integer"),
        ("probe{count}", BadOptionValue, 7, "needs a value"),
        ("probe{count=1 count=2}", BadOptionValue, 15, "is given twice"),
        ("needs", BadOptionValue, 1, "is required"),
        ("probe{tile=1,x}", BadOptionValue, 7, "each item an integer"),
        ("func.func(probe", PipelineSyntax, 10, "this '(' is never closed"),
        ("probe{count=1", PipelineSyntax, 6, "this '{' is never closed"),
        ("probe)", PipelineSyntax, 6, "unmatched ')'"),
        ("probe,,probe", PipelineSyntax, 7, "expected a pass name"),
        ("probe,", PipelineSyntax, 7, "expected a pass name"),
        ("probe probe", PipelineSyntax, 7, "expected ','"),
        ("probe{count=}", PipelineSyntax, 13, "expected a value"),
        ('probe{arch="x}', PipelineSyntax, 12, "string is not closed"),
        ("probe(needs)", PipelineSyntax, 1, "is a pass"),
        ("thing(needs)", PipelineSyntax, 1, "must be an operation"),
        ("probe,func.fun(probe)", UnknownAnchor, 7, "unknown operation 'func.fun'"),
        ("func.func(foo.bar(probe))", UnknownAnchor, 11, "unknown operation 'foo.bar'"),
        ("builtin.module(probe),builtin.module(probe)", PipelineSyntax, 23, "write one builtin.module(…)"),
        ("builtin.module(probe),probe", PipelineSyntax, 23, "write one builtin.module(…)"),
        ("probe{count=" + "9" * 10_000 + "}", BadOptionValue, 7, "…', expected an integer"),
        ("probe{arch=sm80,count=3}", PipelineSyntax, 17, "write a space before 'count'"),
        ("any(" * 500, PipelineSyntax, None, "nested too deeply"),
        ("ptir-to-cuda{arc=1}", UnknownOption, 14, "has no option 'arc'"),
    ],
)
def test_mistakes_are_shown_where_they_are(text: str, error: type[PtirError], column: int | None, message: str):
    with pytest.raises(error) as caught:
        build(text)
    [diagnostic] = diagnose(caught.value)
    assert message in diagnostic.message
    assert diagnostic.place is not None
    assert column is None or diagnostic.place.column == column


def test_suggestions_name_what_is_close_and_what_is_valid():
    with pytest.raises(UnknownPass) as unknown:
        build("prob")
    assert "'probe'" in unknown.value.help
    with pytest.raises(UnknownOption) as option:
        build("probe{conut=1}")
    assert "did you mean 'count'?" in option.value.help
    assert "count, rate, fast, arch, tile" in option.value.help


def test_arbitrary_text_never_crashes_the_parser():
    import random

    rng = random.Random(7)
    for _ in range(3000):
        text = "".join(rng.choice("ab.(){}=, \"'\\x1é\n") for _ in range(rng.randrange(12)))
        try:
            parse_pipeline(text)
        except SourceError as e:
            assert diagnose(e)


# --- running ------------------------------------------------------------------------------------

TWO = """
func.func @f(%a: i32) -> i32 {
  %0 = arith.constant 1 : i32
  %1 = arith.constant 1 : i32
  %2 = arith.addi %0, %1 : i32
  func.return %2 : i32
}
func.func @g() { func.return }
arith.constant 4 : i32
"""


def module_of(text: str) -> ModuleOp:
    return parse_text(text, make_context(), "m.mlir")


def test_a_nested_pass_sees_one_operation_alone():
    module = module_of(TWO)
    PassManager(build("func.func(probe)")).run(module)
    seen = [op.attributes.get("seen") for op in module.ops]
    assert seen == [StringAttr("1 sm80"), StringAttr("1 sm80"), None]
    assert [op.name for op in module.ops] == ["func.func", "func.func", "arith.constant"]


def test_nested_and_flat_cse_give_the_same():
    # A cse on the module deletes it, one nested on functions does not see it.
    text = TWO.removesuffix("arith.constant 4 : i32\n")
    nested, flat = module_of(text), module_of(text)
    PassManager("builtin.module(func.func(cse))").run(nested)
    PassManager("cse").run(flat)
    assert str(nested) == str(flat) != str(module_of(text))


def test_the_operation_goes_back_when_the_pass_raises():
    module = module_of(TWO)
    with pytest.raises(PassCrashed) as caught:
        PassManager(build("func.func(crash)")).run(module)
    assert str(caught.value) == (
        "m.mlir:2:1: error[PTIR0606]: pass 'crash' crashed: KeyError: 'oops'\n"
        "  help: this is a bug in the pass; --debug shows the traceback"
    )
    assert str(module) == str(module_of(TWO))
    assert "KeyError" in caught.value.message
    assert any("while running pass 'crash'" in note.message for note in diagnose(caught.value)[0].notes)


def test_anchors_that_see_outside_values_are_refused():
    module = module_of("%0 = arith.constant true\nscf.if %0 {\n  scf.yield\n}")
    with pytest.raises(BadAnchor):
        PassManager(build("scf.if(probe)")).run(module)


@dataclass(frozen=True)
class Become(ModulePass):
    """A pass that replaces the only operation by copies or by a constant."""

    name = "become"
    copies: int | None = None

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        (old,) = op.body.block.ops
        new = [ConstantOp.from_int_and_width(1, 32)] if self.copies is None else [old.clone()] * bool(self.copies)
        new += [old.clone() for _ in range((self.copies or 1) - 1)]
        old.detach()
        old.erase()
        op.body.block.add_ops(new)


def test_a_nested_pass_may_replace_its_anchor_by_one_operation():
    module = module_of(TWO)
    PassManager([Nest("func.func", (Become(), Probe()))]).run(module)
    assert [op.name for op in module.ops] == ["arith.constant"] * 3
    assert not any("seen" in op.attributes for op in module.ops)  # Probe runs on functions only


@pytest.mark.parametrize(("copies", "left"), [(0, "leaves nothing"), (2, "leaves 2 operations")])
def test_a_nested_pass_that_changes_what_is_around_is_refused(copies: int, left: str):
    with pytest.raises(LeavesItsScope) as caught:
        PassManager([Nest("func.func", (Become(copies),))]).run(module_of(TWO))
    assert str(caught.value).partition(": ")[2] == (
        f"error[PTIR0616]: pass 'become' is nested under 'func.func' and {left} in its place\n"
        "  help: run it on the module: a nested pass sees and changes its operation only"
    )


def test_a_pass_whose_class_cannot_be_imported_is_named():
    def missing() -> type[ModulePass]:
        raise ImportError("No module named 'acme'")

    with pytest.raises(Unavailable) as caught:
        build_pipeline("acme-pass", {"acme-pass": missing})
    assert str(caught.value).endswith("error[PTIR0609]: pass 'acme-pass' cannot be loaded: No module named 'acme'")


def test_what_is_around_a_nest_is_verified_after_it():
    @dataclass(frozen=True)
    class Rename(ModulePass):
        name = "rename"

        def apply(self, ctx: Context, op: ModuleOp) -> None:
            for child in op.body.block.ops:
                child.properties["sym_name"] = StringAttr("same")

    with pytest.raises(VerificationFailed, match=r"after the pipeline under 'func\.func'"):
        PassManager([Nest("func.func", (Rename(),))]).run(module_of(TWO))


def test_callbacks_come_in_pairs_whatever_happens():
    class Spy(Instrumentation):
        def __init__(self, calls: list[str], bad: str = ""):
            self.calls, self.bad = calls, bad

        def note(self, what: str) -> None:
            self.calls.append(what)
            if what == self.bad:
                raise KeyError(what)

        def before_pipeline(self, nest: Nest, scope: object) -> None:
            self.note("enter")

        def after_pipeline(self, nest: Nest, scope: object) -> None:
            self.note("leave")

        def before_pass(self, pass_: ModulePass, scope: object) -> None:
            self.note("before")

        def after_pass(self, pass_: ModulePass, scope: object) -> None:
            self.note("after")

        def after_failed_pass(self, pass_: ModulePass, scope: object, error: BaseException) -> None:
            self.note("failed")

    for pass_, bad, error in (
        (Probe(), "before", KeyError),
        (Probe(), "after", KeyError),
        (Crash(), "failed", PassCrashed),
    ):
        seen: list[str] = []
        manager = PassManager([Nest("func.func", (pass_,))], instrumentations=[Spy([], bad), Spy(seen)])
        with pytest.raises(error):
            manager.run(module_of(TWO))
        assert seen[0] == "enter" and seen[-2:] == ["failed", "leave"], (bad, seen)


def test_a_nest_of_modules_is_spelt_so_that_it_reads_back():
    manager = PassManager([Nest("builtin.module", (Probe(),))])
    assert str(manager) == "builtin.module(builtin.module(probe))" == dump_pipeline(manager.pipeline)
    assert build(str(manager)) == manager.pipeline


@dataclass(frozen=True)
class Break(ModulePass):
    """A pass that moves the last addition of each function to the front."""

    name = "break"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for inner in list(op.walk()):
            if inner.name == "arith.addi":
                block = inner.parent
                assert block is not None and block.first_op is not None
                inner.detach()
                block.insert_op_before(inner, block.first_op)


def test_verification_collects_every_failure_in_program_order():
    module = module_of(TWO.replace("@g() { func.return }", "@g() -> i32 { func.return }"))
    with pytest.raises(VerificationFailed) as caught:
        PassManager([]).run(module)
    assert [op.name for op, _ in caught.value.failures] == ["func.return"]
    module = module_of(TWO + TWO.replace("@f", "@h").replace("@g", "@i"))
    with pytest.raises(VerificationFailed) as caught:
        PassManager([Break()]).run(module)
    assert [op.name for op, _ in caught.value.failures] == ["arith.addi"] * 4  # two operands each
    assert "after pass 'break'" in str(caught.value)


def test_verification_can_wait_or_be_left_out():
    PassManager([Break()], verify="never").run(module_of(TWO))
    with pytest.raises(VerificationFailed, match="after the pipeline"):
        PassManager([Break()], verify="ends").run(module_of(TWO))


def test_what_did_not_change_is_verified_once(monkeypatch: pytest.MonkeyPatch):
    @dataclass(frozen=True)
    class Misname(ModulePass):
        """A pass that changes nothing but an attribute of the module, or of an op in it."""

        name = "misname"
        inside: bool

        def apply(self, ctx: Context, op: ModuleOp) -> None:
            changed = op.body.block.first_op if self.inside else op
            assert changed is not None
            changed.attributes["ptir.spec_version"] = StringAttr("never")

    verified: list[str] = []
    real = manager.verify_module
    monkeypatch.setattr(manager, "verify_module", lambda op, when: (verified.append(when), real(op, when=when)))
    idle = PassManager("builtin.module(dce,dce,cse)")
    idle.run(module_of(TWO))
    idle.run(module_of(TWO))
    assert verified == ["", " after pass 'dce'", " after pass 'cse'"] * 2
    for inside in (False, True):
        with pytest.raises(VerificationFailed, match="after pass 'misname'"):
            PassManager([Misname(inside)]).run(module_of(TWO))


def test_instrumentation_and_timings():
    calls: list[str] = []

    class Spy(Instrumentation):
        def before_pass(self, pass_: ModulePass, scope: object) -> None:
            calls.append(f"before {pass_.name}")

        def after_pass(self, pass_: ModulePass, scope: object) -> None:
            calls.append(f"after {pass_.name}")

        def after_failed_pass(self, pass_: ModulePass, scope: object, error: BaseException) -> None:
            calls.append(f"failed {pass_.name}")

    manager = PassManager(build("probe,func.func(probe),crash"), instrumentations=[Spy()])
    with pytest.raises(PassCrashed):
        manager.run(module_of(TWO))
    assert calls == ["before probe", "after probe"] * 3 + ["before crash", "failed crash"]
    assert [t.name for t in manager.timer.passes] == ["probe"] * 3 + ["crash"]
    assert all(t.seconds >= 0 for t in manager.timer.passes)


def test_new_operations_inherit_the_location_of_what_they_replace():
    @dataclass(frozen=True)
    class Replace(ModulePass):
        name = "replace"

        def apply(self, ctx: Context, op: ModuleOp) -> None:
            for inner in list(op.walk()):
                if isinstance(inner, ConstantOp) and inner.parent_op() is not op:
                    Rewriter.replace_op(inner, ConstantOp(inner.value))

    module = module_of(TWO)
    PassManager([Replace()]).run(module)
    function = next(iter(module.ops))
    locations = {op.name: str(op.location) for op in function.walk()}
    assert str(function.location) == 'loc("m.mlir":2:1)'
    # The location of the replaced op, which is known from its users.
    assert locations["arith.constant"] == 'loc("m.mlir":4:8)'
    assert locations["arith.addi"] == 'loc("m.mlir":5:8)'


def test_what_a_rewriter_inserts_has_the_location_of_what_it_replaces():
    module = parse_text(
        "func.func @f(%a: i32) -> i32 {\n  %0 = arith.constant 0 : i32\n  %1 = arith.constant 2 : i32\n"
        "  %2 = arith.addi %1, %1 : i32\n  func.return %2 : i32\n}",
        make_context(),
        "m.mlir",
    )
    PassManager("canonicalize").run(module)  # folds the addition
    constant = next(op for op in module.walk() if op.name == "arith.constant")
    assert str(constant.location) == 'loc("m.mlir":4:8)'


def test_what_replaces_a_symbol_or_an_operation_without_results_has_its_location():
    text = (
        "func.func @f(%a: i32, %p: index) {\n  %0 = arith.constant 0 : i32\n"
        '  "test.op"(%0, %p) : (i32, index) -> ()\n  %1 = arith.addi %a, %a : i32\n'
        '  "test.op"(%1) : (i32) -> ()\n  func.return\n}'
    )

    @dataclass(frozen=True)
    class Replace(ModulePass):
        name = "replace"

        def apply(self, ctx: Context, op: ModuleOp) -> None:
            (f,) = op.ops
            for inner in [inner for inner in f.walk() if inner.name in ("test.op", "func.return")]:
                Rewriter.replace_op(inner, test.TestTermOp(operands=list(reversed(inner.operands))), [])
            f.detach()
            body = f.detach_region(f.regions[0])
            for name, region in (("f", body), ("new", body.clone())):
                op.body.block.add_op(test.TestOp(regions=[region], attributes={"sym_name": StringAttr(name)}))

    module = module_of(text)
    PassManager([Replace()], verify="never").run(module)
    f, new = module.ops
    assert str(f.location) == 'loc("m.mlir":1:1)'
    assert str(new.location) == 'loc("m.mlir":2:8)'  # the location of the first nested operation that has one
    places = [str(inner.location) for inner in f.walk() if inner.name == "test.termop"]
    assert places == [f'loc("m.mlir":{line}:3)' for line in (3, 5, 6)]
