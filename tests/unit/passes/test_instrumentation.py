"""Instrumentation of pass pipelines: IR dumps, times, statistics, levels, reproducers, and the locations of operations."""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

import pytest
from xdsl.context import Context
from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import FileLineColLoc, ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from ptir.analysis.program.statistics import count, counting
from ptir.backends.cuda.emit import emit_cuda
from ptir.backends.cuda.errors import CudaCompileError, FatalCompilerRemark
from ptir.diagnostics.diagnostic import diagnose
from ptir.diagnostics.rendering import render_error
from ptir.passes import timing
from ptir.passes.environment import available_passes, make_context
from ptir.passes.errors import Cancelled, NoReproducer, PassCrashed
from ptir.passes.instrumentation import ALL, PrintIR
from ptir.passes.levels import LEVELS, Levels, level_of, parse_levels
from ptir.passes.manager import Instrumentation, PassManager
from ptir.passes.pipeline import build_pipeline
from ptir.passes.pipeline_elements import dump_pipeline
from ptir.passes.registry import PIPELINES
from ptir.passes.reproducer import Configuration, Reproducers, needs_unregistered, reproducer
from ptir.passes.statistics import Statistics
from ptir.text.errors import VerificationFailed
from ptir.text.parsing import parse_text

TWO = """func.func @f(%a: i32) -> i32 {
  %0 = arith.addi %a, %a : i32
  %1 = arith.addi %a, %a : i32
  %2 = arith.muli %0, %1 : i32
  func.return %2 : i32
}
func.func @g() {
  func.return
}
"""

LINEAR = """func.func @linear(%x: tensor<32x16xbf16>, %w: tensor<16x32xbf16>, %b: tensor<32xf32>) -> tensor<32x32xf32> {
  %0 = ptir.dot_general %x, %w contract [1] x [0] accum f32 out f32 : (tensor<32x16xbf16>, tensor<16x32xbf16>) -> tensor<32x32xf32>
  %1 = ptir.broadcast_to %b : tensor<32xf32> -> tensor<32x32xf32>
  %2 = ptir.add %0, %1 : tensor<32x32xf32>
  func.return %2 : tensor<32x32xf32>
}
"""


@dataclass(frozen=True)
class Counts(ModulePass):
    """A pass that adds to a statistic and creates a constant."""

    name = "counts"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        count("things seen", 3)
        op.body.block.add_op(ConstantOp.from_int_and_width(1, 32))


@dataclass(frozen=True)
class Crash(ModulePass):
    name = "crash"
    text: str = ""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        raise KeyError("oops")


@dataclass(frozen=True)
class Break(ModulePass):
    """A pass that removes the terminator of a function."""

    name = "break"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        function = next(o for o in op.walk() if isinstance(o, FuncOp))
        last = function.body.block.last_op
        if last is not None:
            Rewriter.erase_op(last)


PASSES = {**available_passes(), "counts": lambda: Counts, "crash": lambda: Crash, "break": lambda: Break}


def module_of(text: str = TWO) -> ModuleOp:
    return parse_text(text, make_context(), "m.mlir")


def run(pipeline: str, text: str = TWO, *instrumentations: Instrumentation) -> PassManager:
    manager = PassManager(pipeline, passes=PASSES, instrumentations=instrumentations)
    manager.run(module_of(text))
    return manager


# --- IR dumps -----------------------------------------------------------------------------------


def test_only_changes_are_printed():
    out = StringIO()
    run("func.func(cse),func.func(cse),cse", TWO, PrintIR(out, after={ALL}, after_change=True))
    assert [line for line in out.getvalue().splitlines() if "IR Dump" in line] == [
        "// -----// IR Dump After cse ('func.func' operation: @f) //----- //"
    ]


def test_module_scope_shows_the_functions_around():
    out = StringIO()
    run("func.func(cse)", TWO, PrintIR(out, before={"cse"}, module_scope=True))
    assert out.getvalue().count("func.func @g") == 2


def test_a_failure_is_printed_once_and_in_the_generic_form():
    for after in ((), {ALL}):
        out = StringIO()
        with pytest.raises(VerificationFailed):
            run("break", TWO, PrintIR(out, after=after, after_failure=True))
        assert out.getvalue().count("IR Dump After break Failed") == 1
        assert '"func.func"()' in out.getvalue()


def test_the_tree_has_one_file_a_pass(tmp_path: Path):
    dump = PrintIR(StringIO(), before={"dce"}, after={ALL}, tree=tmp_path)
    run("cse,func.func(cse,canonicalize),dce", TWO, dump)
    top = tmp_path / "builtin_module_no-symbol-name"
    files = sorted(str(path.relative_to(top)) for path in top.rglob("*.mlir"))
    assert files == [
        "0_cse.mlir",
        "2_dce-before.mlir",
        "2_dce.mlir",
        *(f"func_func_{name}/1_{k}_{pass_}.mlir" for name in "fg" for k, pass_ in enumerate(("cse", "canonicalize"))),
    ]
    parse_text((top / "func_func_f/1_0_cse.mlir").read_text(), make_context())


def test_modules_without_names_have_folders_of_their_own(tmp_path: Path):
    text = "module { func.func @f() { func.return } }\n" * 2
    run("builtin.module(func.func(cse))", text, PrintIR(StringIO(), after={ALL}, tree=tmp_path))
    assert not list(tmp_path.rglob("*.mlir"))  # the outer module has no function as a direct child
    run("builtin.module(builtin.module(func.func(cse)))", text, PrintIR(StringIO(), after={ALL}, tree=tmp_path))
    assert len(list(tmp_path.rglob("*.mlir"))) == 2


# --- times --------------------------------------------------------------------------------------


def test_spans_are_nested_and_a_report_adds_up():
    timer = run("cse,func.func(cse,dce)").timer
    nested = [span for span in timer.passes if span.path]
    assert [(span.name, span.scope) for span in nested] == [
        ("cse", "@f"), ("dce", "@f"), ("cse", "@g"), ("dce", "@g"),
    ]  # fmt: skip
    root = timing.tree(timer.spans)
    assert [*root.children] == ["(verify)", "cse", "'func.func' pipeline"]
    for node in (root, *root.children.values()):
        assert node.seconds == pytest.approx(node.own + sum(child.seconds for child in node.children.values()))
    pipeline = root.children["'func.func' pipeline"]
    assert pipeline.count == 2 and [*pipeline.children] == ["cse", "(verify)", "dce"]


def test_times_as_data():
    spans = run("func.func(cse)").timer.spans
    tree = json.loads(timing.as_json(spans))
    assert tree["name"] == "total" and tree["children"][1]["children"][0]["count"] == 2
    events = json.loads(timing.as_trace(spans))["traceEvents"]
    complete = [event for event in events if event["ph"] == "X"]
    assert len(complete) == len(spans)
    pipeline = next(e for e in complete if e["cat"] == "pipeline")
    inner = next(e for e in complete if e["name"] == "cse")
    assert inner["args"] == {"scope": "@f"}
    assert pipeline["ts"] <= inner["ts"] and inner["ts"] + inner["dur"] <= pipeline["ts"] + pipeline["dur"] + 0.01


def test_a_failing_pass_has_a_time_too():
    manager = PassManager("cse,crash", passes=PASSES)
    with pytest.raises(PassCrashed):
        manager.run(module_of())
    assert [span.name for span in manager.timer.passes] == ["cse", "crash"]


# --- statistics ---------------------------------------------------------------------------------


def test_statistics_of_each_run_of_a_pass():
    seen = Statistics()
    run("func.func(cse),counts", TWO, seen)
    assert [(r.name, r.scope) for r in seen.runs] == [("cse", "@f"), ("cse", "@g"), ("counts", "")]
    first, _, last = (r.counts for r in seen.runs)
    assert (first["operations"], first["operations made"], first["operations erased"]) == (4, 0, 1)
    assert last["things seen"] == 3 and last["operations made"] == 1
    assert "1  operations erased" in seen.as_list() and "// cse on @f" in seen.as_pipeline()
    assert json.loads(seen.as_json())[2]["counts"]["things seen"] == 3


def test_counting_without_a_listener_is_no_error_and_listeners_do_not_mix():
    count("nobody hears this")
    with counting() as outer:
        count("a")
        with counting() as inner:
            count("b")
        thread = threading.Thread(target=count, args=("c",))
        thread.start()
        thread.join()
    assert dict(outer) == {"a": 1} and dict(inner) == {"b": 1}


def test_our_passes_count():
    seen = Statistics()
    run("ptir-to-cuda", LINEAR, seen)
    counts = {run.name: run.counts for run in seen.runs}
    assert counts["form-regions"]["kernels formed"] == 1
    assert counts["plan-regions"]["plans made"] == 1
    assert counts["pto-to-nv"]["operands copied 16 bytes at a time"] == 2


# --- levels -------------------------------------------------------------------------------------


def test_every_level_is_reached_on_the_way_to_cuda():
    levels = Levels(LEVELS, lambda module: emit_cuda(module).text)
    module = module_of(LINEAR)
    levels.see(module)
    PassManager("ptir-to-cuda", instrumentations=[levels]).run(module)
    assert not levels.missing
    assert "ptir.dot_general" in levels.texts["frontend"]
    assert "tiny.reduce" in levels.texts["tiny"]
    assert "reduces i2" in levels.texts["indexbook"]
    assert levels.texts["poly_view"].startswith("poly.view") and "func.func" not in levels.texts["poly_view"]
    assert "region.kernel" in levels.texts["region"] and "plan.schedule" not in levels.texts["region"]
    assert [plan["arch"] for plan in json.loads(levels.texts["plan"]).values()] == ["sm80"]
    assert "matmul" in levels.texts["pto"]
    assert "nv.mma_sync" in levels.texts["gpu"]
    assert "__global__" in levels.texts["cu"]
    assert [line for line in levels.text().splitlines() if line.startswith("// -----//")] == [
        f"// -----// {level} //----- //" for level in LEVELS
    ]


def test_levels_not_reached_are_known():
    levels = Levels(("tiny", "cu"))
    PassManager("ptir-to-tiny", instrumentations=[levels]).run(module_of(LINEAR))
    assert levels.missing == ["cu"]
    assert level_of(module_of(TWO)) == "frontend"
    assert parse_levels("cu,tiny") == ("tiny", "cu")


# --- reproducers --------------------------------------------------------------------------------


def read(text: str) -> tuple[ModuleOp, str]:
    resources: dict[str, dict[str, object]] = {}
    module = parse_text(text, make_context(), "r.mlir", resources=resources)
    return module, Configuration.of(resources, "r.mlir").pipeline


def failed(pipeline: str, **options: object) -> tuple[Reproducers, BaseException]:
    elements = build_pipeline(pipeline, PASSES)
    writer = Reproducers(TWO, elements, **options)  # pyright: ignore[reportArgumentType]
    with pytest.raises(Exception) as caught:
        PassManager(elements, instrumentations=[writer]).run(module_of())
    return writer, caught.value


def test_a_crash_leaves_a_reproducer(tmp_path: Path):
    writer, error = failed('cse,func.func(crash{text="a \\"b\\" \\\\ {c}"}),dce', path=tmp_path / "r.mlir")
    module, pipeline = read((tmp_path / "r.mlir").read_text())
    assert dump_pipeline(build_pipeline(pipeline, PASSES)) == dump_pipeline(writer.pipeline)
    assert str(module) == str(module_of())
    assert f"reproducer written to {tmp_path / 'r.mlir'}" in render_error(error)


def test_a_local_reproducer_begins_at_the_pass_that_failed(tmp_path: Path):
    failed("cse,func.func(crash),dce", path=tmp_path / "r.mlir", local=True)
    module, pipeline = read((tmp_path / "r.mlir").read_text())
    assert pipeline == "builtin.module(func.func(crash))"
    assert str(module).count("arith.addi") == 1


def test_only_bugs_leave_one_unasked():
    for pipeline in ("crash", "break"):
        writer, _ = failed(pipeline)
        assert writer.written is not None
        writer.written.unlink()
    assert failed("ptir-check-legality{target=cuda}")[0].written is None


def test_a_reproducer_that_cannot_be_written_does_not_hide_the_failure(tmp_path: Path):
    _, error = failed("crash", path=tmp_path / "no" / "such" / "r.mlir")
    assert isinstance(error, PassCrashed) and "reproducer not written: cannot write" in render_error(error)


def test_a_reproducer_of_a_reproducer_has_one_pipeline(tmp_path: Path):
    path = tmp_path / "r.mlir"
    failed("crash", path=path)
    again = reproducer(path.read_text(), "builtin.module(cse)", allow_unregistered=True)
    assert again.count("{-#") == 1 and read(again)[1] == "builtin.module(cse)"
    assert needs_unregistered(again) and not needs_unregistered(path.read_text())


def test_what_is_no_reproducer():
    with pytest.raises(NoReproducer):
        read(TWO)
    with pytest.raises(NoReproducer):
        read(reproducer(TWO, "cse").replace("pipeline:", "pipe:"))


# --- embedding ----------------------------------------------------------------------------------


def test_a_run_can_be_cancelled_from_another_thread():
    cancel, seen = threading.Event(), []

    class Stop(Instrumentation):
        def after_pass(self, pass_: ModulePass, scope: object) -> None:
            seen.append(pass_.name)
            thread = threading.Thread(target=cancel.set)
            thread.start()
            thread.join()

    manager = PassManager("cse,dce,canonicalize", instrumentations=[Stop()])
    module = module_of()
    with pytest.raises(Cancelled, match="before pass 'dce'") as caught:
        manager.run(module, cancel=cancel)
    assert str(caught.value) == "m.mlir:1:1: error[PTIR0613]: cancelled before pass 'dce'"
    assert seen == ["cse"]
    cancel.clear()
    manager.run(module)


def test_what_an_instrumentation_raises_is_a_failure_of_the_pass():
    class Object(Instrumentation):
        failures = 0

        def after_pass(self, pass_: ModulePass, scope: object) -> None:
            raise Cancelled(name=pass_.name)

        def after_failed_pass(self, pass_: ModulePass, scope: object, error: BaseException) -> None:
            self.failures += 1

    objects = Object()
    with pytest.raises(Cancelled) as caught:
        run("cse", TWO, objects)
    assert objects.failures == 1
    assert any("while running pass 'cse'" in note.message for note in diagnose(caught.value)[0].notes)


@pytest.mark.campaign
@pytest.mark.sampled(1)
def test_modules_in_threads_do_not_disturb_each_other():
    """Each thread has its own broken program under the same name, and must see its own source line."""
    results: dict[int, str] = {}
    good: dict[int, str] = {}
    start = threading.Barrier(6)

    def work(k: int) -> None:
        start.wait()
        for _ in range(5):
            module = parse_text(f"func.func @f{k}() -> i32 {{\n  func.return // of {k}\n}}", make_context(), "m.mlir")
            try:
                PassManager("cse").run(module)
            except VerificationFailed as error:
                results[k] = render_error(error)
            fine = parse_text(LINEAR.replace("linear", f"l{k}"), make_context(), "m.mlir")
            good[k] = str(PassManager("ptir-to-cuda").run(fine)).replace(f"l{k}", "linear")

    threads = [threading.Thread(target=work, args=(k,)) for k in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(f"// of {k}" in results[k] and f"in @f{k}" in results[k] for k in range(6))
    assert len(set(good.values())) == 1


def test_no_state_of_xdsl_is_patched():
    from xdsl.pattern_rewriter import PatternRewriter

    before = dict(vars(PatternRewriter))
    run("canonicalize,cse", TWO)
    assert dict(vars(PatternRewriter)) == before


# --- locations ----------------------------------------------------------------------------------


def lines_of(module: ModuleOp, name: str) -> set[int]:
    return {
        op.location.line.data for op in module.walk() if op.name == name and isinstance(op.location, FileLineColLoc)
    }


def test_locations_survive_every_pass_of_the_pipeline():
    """Also if the IR is printed and read between any two."""
    module = module_of(LINEAR)
    for stage in PIPELINES["ptir-to-cuda"].stages:
        PassManager(stage).run(module)
        for op in module.walk():
            if op is not module:
                assert isinstance(op.location, FileLineColLoc), (stage, op.name)
                assert op.location.filename.data == "m.mlir", (stage, op.name)
        out = StringIO()
        from xdsl.printer import Printer

        Printer(stream=out, print_debuginfo=True).print_op(module)
        module = parse_text(out.getvalue(), make_context(), "between.mlir")
    assert lines_of(module, "nv.mma_sync") == {2}
    assert lines_of(module, "nv.epilogue") == {4}
    assert lines_of(module, "arith.addf") == {4}


def test_locations_survive_passes_that_know_nothing_of_them():
    text = "func.func @f(%a: i32) -> i32 {\n  %0 = arith.constant 0 : i32\n  %1 = arith.constant 2 : i32\n"
    text += "  %2 = arith.addi %1, %1 : i32\n  %3 = arith.addi %a, %2 : i32\n  func.return %3 : i32\n}"
    module = module_of(text)
    PassManager("canonicalize,cse,dce").run(module)
    assert lines_of(module, "arith.constant") == {4}  # the constant that folding made from line 4
    assert lines_of(module, "arith.addi") == {5}


def test_what_the_compiler_of_cuda_says_points_at_the_program():
    module = module_of(LINEAR)
    PassManager("ptir-to-cuda").run(module)
    cuda = emit_cuda(module)
    lines = cuda.text.splitlines()
    assert len(lines) == len(cuda.origins)
    wrong = next(k for k, line in enumerate(lines) if "b_in[v];" in line)
    found = cuda.origin(f"kernel.cu({wrong + 1}): error: no")
    assert found is not None and found.name == "arith.addf"
    after = cuda.origins[wrong + 1]  # the next text belongs to the enclosing operation
    assert after is not None and after.name == "nv.epilogue"
    log = "ptxas info    : (C7510) Potential Performance Loss: wgmma.mma_async … in the function 'linear_0'"
    kernel = cuda.origin(log)
    assert kernel is not None and kernel.name == "gpu.func" and 'loc("m.mlir"' in str(kernel.location)
    assert cuda.origin("ptxas fatal : something") is None and cuda.origin("kernel.cu(1): error") is None
    for error in (
        CudaCompileError(arch="sm_80", log=f"kernel.cu({wrong + 1}): error: no"),
        FatalCompilerRemark(remark="C7510", arch="sm_90a", meaning="wgmma is serialized", log=log),
    ):
        error.op = cuda.origin(error.message)
        place = diagnose(error)[0].place
        assert place is not None and place.file == "m.mlir" and place.line == 4
