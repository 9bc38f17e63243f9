"""The command line of `ptir-opt`, run in this process: exit status, output files, flags."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest
from xdsl.dialects import test
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, IntegerAttr, ModuleOp, TensorType, f32
from xdsl.ir import Dialect
from xdsl.irdl import IRDLOperation, irdl_op_definition, prop_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.universe import Universe

from ptir.passes.environment import make_context
from ptir.passes.registry import DIALECTS, PASSES, PIPELINES, TARGETS
from ptir.passes.universe import PTIR
from ptir.text.errors import RoundTripFailed
from ptir.text.roundtrip import check_round_trip
from ptir.tools.arguments import opt_arguments
from ptir.tools.ptir_opt import main

from ..builders.tool import tool

GOOD = """func.func @f(%a: i32) -> i32 {
  %0 = arith.constant 1 : i32
  %1 = arith.constant 1 : i32
  %2 = arith.addi %0, %1 : i32
  func.return %2 : i32
}
"""
BAD = "func.func @f() -> i32 {\n  func.return\n}\n"


@pytest.fixture
def opt(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """Runs `ptir-opt` on a text. Returns exit status, stdout and stderr."""
    return tool(main, tmp_path / "m.mlir", capsys)


def test_identity_reaches_a_fixed_point(opt):
    status, out, err = opt(GOOD)
    assert status == 0 and not err
    assert opt(out) == (0, out, "")


@pytest.mark.parametrize(
    "args",
    [
        ["-p", "cse"],
        ["--pass-pipeline=builtin.module(cse)"],
        ["-pass-pipeline", "builtin.module(func.func(cse))"],
        ["--cse"],
        ["-cse"],
    ],
)
def test_every_way_to_ask_for_a_pass(opt, args: list[str]):
    status, out, _ = opt(GOOD, *args)
    assert status == 0
    assert out.count("arith.constant") == 1


def test_passes_as_flags_keep_their_order_and_options(opt):
    _, _, err = opt(GOOD, "--cse", "--convert-scf-to-openmp=collapse=1 schedule=dynamic", "--dump-pass-pipeline")
    assert err == 'builtin.module(cse,convert-scf-to-openmp{collapse=1 schedule="dynamic"})\n'


@pytest.mark.parametrize(
    "args",
    [
        ["-p", "nosuch"],
        ["-p", "cse{"],
        ["-t", "nosuch"],
        ["-t", "mlir{x=1}"],
        ["-t", ""],
        ["--nosuch"],
        ["-o"],
        ["-p"],
        ["-o", "/nonexistent/x"],
    ],
)
def test_bad_arguments_exit_with_1(opt, args: list[str]):
    status, out, err = opt(GOOD, *args)
    assert status == 1
    assert not out or args == ["-o", "/nonexistent/x"]
    assert "error[PTIR06" in err


@pytest.mark.parametrize("text", ["func.func", "%0 = nope", BAD, '"', "\x00"])
def test_bad_input_exits_with_1(opt, text: str):
    status, out, err = opt(text)
    assert status == 1 and not out and "error[PTIR0" in err


def test_missing_input(opt):
    status, _, err = opt(None)
    assert status == 1 and "error[PTIR0002]: cannot read" in err


def test_output_file_is_written_only_if_all_went_well(opt, tmp_path: Path):
    target = tmp_path / "out.mlir"
    assert opt(GOOD, "-o", str(target))[:2] == (0, "")
    before = target.read_text()
    assert "arith.addi" in before
    assert opt(f"{GOOD}// -----\n{BAD}", "--split-input-file", "-o", str(target))[0] == 1
    assert target.read_text() == before
    assert sorted(p.name for p in tmp_path.iterdir()) == ["m.mlir", "out.mlir"]
    assert opt(GOOD, "-o", "/dev/null")[0] == 0


def test_pieces_are_independent_and_keep_their_lines(opt):
    status, out, err = opt(f"{BAD}// -----\n{GOOD}// -----\n{BAD}", "--split-input-file")
    assert status == 1
    assert out.count("arith.addi") == 1
    assert "m.mlir:2:3: error" in err and "m.mlir:13:3: error" in err


def test_expected_diagnostics(opt):
    text = BAD.replace("func.return", "func.return // expected-error {{func.return}}")
    assert opt(text, "--verify-diagnostics")[0] == 0
    assert opt(f"{text}// -----\n{text}", "--verify-diagnostics", "--split-input-file")[0] == 0
    assert opt(f"{text}// -----\n{BAD}", "--verify-diagnostics", "--split-input-file")[0] == 1
    assert opt(GOOD + "// expected-error {{x}}", "--verify-diagnostics")[0] == 1
    assert opt("%0 = foo.bar // expected-error {{not registered}}", "--verify-diagnostics")[0] == 0


def test_round_trip(opt):
    assert opt(GOOD, "--verify-roundtrip")[0] == 0


@irdl_op_definition
class LossyOp(IRDLOperation):
    """An op whose printed form is incomplete."""

    name = "lossy.op"
    number = prop_def(IntegerAttr)

    def print(self, printer: Printer) -> None:
        pass

    @classmethod
    def parse(cls, parser: Parser) -> LossyOp:
        return cls.create(properties={"number": IntegerAttr(0, 32)})


def test_what_does_not_round_trip_is_reported():
    ctx = make_context()
    ctx.load_dialect(Dialect("lossy", [LossyOp]))
    module = ModuleOp([LossyOp.create(properties={"number": IntegerAttr(1, 32)})])
    with pytest.raises(RoundTripFailed, match="first difference") as caught:
        check_round_trip(module, ctx)
    assert str(caught.value) == (
        "error[PTIR0199]: the custom form does not round-trip: the first difference is\n"
        '  printed: "lossy.op"() <{number = 1 : i32}> : () -> ()\n'
        '  parsed:  "lossy.op"() <{number = 0 : i32}> : () -> ()'
    )


def test_a_dense_infinity_round_trips():
    infinity = DenseIntOrFPElementsAttr.from_list(TensorType(f32, [1]), [float("inf")])
    check_round_trip(ModuleOp([test.TestOp(attributes={"a": infinity})]), make_context())


def test_ir_dumps_and_timing_go_to_stderr(opt):
    _, out, err = opt(GOOD, "--cse", "--dce", "--mlir-print-ir-before=dce", "--mlir-print-ir-after", "--mlir-timing")
    assert "Dump" not in out
    assert [line for line in err.splitlines() if "IR Dump" in line] == [
        "// -----// IR Dump After cse //----- //",
        "// -----// IR Dump Before dce //----- //",
        "// -----// IR Dump After dce //----- //",
    ]
    assert "// wall time:" in err


def test_locations_are_printed_and_read_back(opt):
    _, out, _ = opt(GOOD, "--print-debuginfo")
    assert 'm.mlir":4:8)' in out
    assert opt(out, "--print-debuginfo")[1] == out


def test_the_target_mlir_prints_what_no_target_prints(opt):
    text = "func.func @f() {\n  %0 = arith.constant 1.0e+300 : f64\n  func.return\n}\n"
    assert opt(text, "-t", "mlir") == opt(text)
    assert opt(text, "-t", "mlir{print-generic-format}") == opt(text, "--print-op-generic") != opt(text)
    assert "\x1b[" in opt(text, "--syntax-highlight")[1]


def test_near_misses_of_the_separator_are_warned_about(opt):
    status, _, err = opt(f"{GOOD}//-----\n{GOOD.replace('@f', '@g')}", "--split-input-file")
    assert status == 0 and "m.mlir:7:1: warning: this resembles a separator but is not one" in err


def test_a_reproducer_remembers_unregistered_operations(opt, tmp_path: Path):
    path = tmp_path / "r.mlir"
    allow = "--allow-unregistered-dialect"
    assert opt('"no.such"() : () -> ()\n', allow, "--cse", f"--mlir-generate-reproducer={path}")[0] == 0
    assert opt(path.read_text(), "--run-reproducer")[0] == 0


def test_lists(opt):
    assert "\nptir-to-tiny " in opt(GOOD, "--list-passes")[1]
    assert (
        "= ptir-check-cuda,ptir-flatten-tuples,ptir-to-tiny,tiny-emulate-int4,tiny-fold-empty,tiny-form-scatters,tiny-choose-convolutions,"
        "tiny-order-reductions,tiny-split-reductions,cse,form-regions," in opt(GOOD, "--list-pipelines")[1]
    )
    assert "ptir\n" in opt(GOOD, "--show-dialects")[1]


# --- spellings ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("args", "read"),
    [
        (["--verify-diagnostics", "m"], {"verify_diagnostics": "all", "input_file": "m"}),
        (["--verify-diagnostics", "only-expected", "m"], {"verify_diagnostics": "only-expected", "input_file": "m"}),
        (["--verify-each=false"], {"verify_each": False}),
        (["-verify-each=0", "--verify-each=1"], {"verify_each": True}),
        (["--split-input-file=true"], {"split_input_file": True}),
        (["--split-input-file", "--split-input-file=false"], {"split_input_file": False}),
        (["--allow-unregistered-dialect=0"], {"allow_unregistered_dialect": False}),
        (["--mlir-disable-threading", "--mlir-print-local-scope=true", "m"], {"input_file": "m"}),
        (["--mlir-print-ir-after", "cse", "m"], {"mlir_print_ir_after": ["cse"], "input_file": "m"}),
        (["--mlir-print-ir-after", "cse,dce", "m"], {"mlir_print_ir_after": ["cse", "dce"], "input_file": "m"}),
        (["--mlir-print-ir-after", "m"], {"mlir_print_ir_after": ["*"], "input_file": "m"}),
        (["--mlir-print-ir-before=cse, dce"], {"mlir_print_ir_before": ["cse", "dce"]}),
        (["--debug-only=fusion, contraction"], {"debug_only": ["fusion", "contraction"]}),
        (["--", "-m"], {"input_file": "-m"}),
    ],
)
def test_llvms_spellings(args: list[str], read: dict[str, object]):
    found = vars(opt_arguments(None, ["cse", "dce"]).parse(args))
    assert {name: found[name] for name in read} == read


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--split-input-file=//"], "the only separator"),
        (["--verify-each=maybe"], "'maybe' is neither true nor false"),
        (["-o", "a", "-o", "b"], "argument -o/--output-file: given twice"),
        (["-t", "mlir", "--target=cuda"], "argument -t/--target: given twice"),
        (["-o", ""], "the name of the file is empty"),
        (["--", "--cse"], "only one input file is allowed, and '--cse' is another"),
        (["second.mlir"], "only one input file is allowed, and 'second.mlir' is another"),
        (["--csee"], "did you mean '--cse'?"),
        (["--validate-samples=0"], "at least 1"),
        (["--validate-passes"], "nothing to validate"),
        (["--dump="], "does not name a level"),
        (["--dump=tiny", "-t", "cuda"], "-t does not apply"),
        (["--mlir-print-ir-before=cse,dceee"], "there is no pass 'dceee'\nhelp: did you mean 'dce'?"),
        (["--mlir-print-ir-after=ptir-to-cuda"], "there is no pass 'ptir-to-cuda'"),
        (["--debug-only=fusion,contractions"], "'contractions'\nhelp: did you mean 'contraction'?"),
    ],
)
def test_arguments_that_say_nothing_or_too_much(opt, args: list[str], message: str):
    status, out, err = opt(GOOD, *args)
    assert (status, out) == (1, "")
    assert "error[PTIR0612]" in err and message in err


def test_passes_run_in_the_order_given_whatever_the_way(opt):
    args = ["--cse", "-p", "dce", "--pass-pipeline=builtin.module(canonicalize)", "-p", "cse"]
    assert opt(GOOD, *args, "--dump-pass-pipeline")[2] == "builtin.module(cse,dce,canonicalize,cse)\n"


@pytest.mark.parametrize("value", ["arch=sm80},cse{", "},cse{", "}),cse{", "arch=sm80},func.func(cse),dce{"])
def test_the_options_of_a_pass_flag_are_no_pipeline(opt, value: str):
    status, out, err = opt(GOOD, f"--plan-regions={value}", "--dump-pass-pipeline")
    assert (status, out) == (1, "") and "error[PTIR0601]" in err


# --- reports ------------------------------------------------------------------------------------


def test_reports_in_json_are_one_object(opt):
    both = ["--mlir-timing", "--mlir-pass-statistics", "--mlir-output-format=json"]
    assert set(json.loads(opt(GOOD, "--cse", *both)[2])) == {"timing", "statistics"}
    assert set(json.loads(opt(GOOD, "--cse", *both[1:])[2])) == {"statistics"}


def test_levels_are_printed_as_asked(opt):
    assert '"arith.constant"()' in opt(GOOD, "-p", "cse", "--dump=frontend", "--print-op-generic")[1]
    assert 'm.mlir":2:' in opt(GOOD, "-p", "cse", "--dump=frontend", "--print-debuginfo")[1]


def test_a_pass_that_warns_through_python(opt, monkeypatch: pytest.MonkeyPatch):
    def apply(*_: object) -> None:
        warnings.warn("this is slow", UserWarning, stacklevel=1)

    monkeypatch.setattr("xdsl.transforms.common_subexpression_elimination.CommonSubexpressionElimination.apply", apply)
    shown = warnings.showwarning
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        assert opt(GOOD, "--cse")[::2] == (0, "warning: this is slow\n")
    assert warnings.showwarning is shown


FAILING = """func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = ptir.add %x, %x : tensor<4xf32>
  func.return %0 : tensor<4xf32>
}
"""


def test_every_piece_has_a_reproducer_of_its_own(opt, tmp_path: Path):
    text = f"{FAILING}// -----\n{FAILING.replace('@f', '@g')}"
    crash, any_case = tmp_path / "r.mlir", tmp_path / "s.mlir"
    options = [f"--mlir-pass-pipeline-crash-reproducer={crash}", f"--mlir-generate-reproducer={any_case}"]
    assert opt(text, "--split-input-file", "-p", "form-regions", *options)[0] == 1
    for path in (crash, any_case):
        assert "@f" in path.read_text()
        assert "@g" in path.with_name(f"{path.stem}.1.mlir").read_text()
    _, _, err = opt(crash.read_text(), "--run-reproducer", "--dump-pass-pipeline")
    assert err.splitlines()[0] == "builtin.module(form-regions)"


def test_only_failures_go_into_the_tree_if_only_failures_are_asked_for(opt, tmp_path: Path):
    tree = tmp_path / "tree"
    options = ["--mlir-print-ir-after-failure", f"--mlir-print-ir-tree-dir={tree}"]
    assert opt(FAILING, "-p", "cse,form-regions", *options)[0] == 1
    assert [path.name for path in tree.rglob("*.mlir")] == ["1_form-regions.mlir"]


# --- files and streams --------------------------------------------------------------------------


def test_a_file_that_may_not_be_written_is_not_replaced(opt, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    target = tmp_path / "out.mlir"
    target.write_text("before")
    monkeypatch.setattr("ptir.tools.output.os.access", lambda path, mode: path != str(target))
    status, _, err = opt(GOOD, "-o", str(target))
    assert status == 1 and "error[PTIR0608]" in err and target.read_text() == "before"


def test_a_name_that_is_not_utf_8(opt, tmp_path: Path):
    path, target = os.fsencode(tmp_path) + b"/\xff.mlir", tmp_path / "out.mlir"
    with open(path, "w") as f:
        f.write(GOOD)
    main([os.fsdecode(path), "--print-debuginfo", "-o", str(target)])
    assert "xff.mlir" in target.read_text()
    assert opt(GOOD, "-p", "\udcff")[0] == 1


def command(arguments: str, **kwargs: Any) -> subprocess.CompletedProcess[str]:
    """Runs `ptir-opt` in a new process."""
    line = f"{shlex.quote(sys.executable)} -m ptir.tools.ptir_opt {arguments}"
    return subprocess.run(["bash", "-c", line], capture_output=True, text=True, **kwargs)


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("redirection", "status", "message"),
    [
        (">&-", 1, "error[PTIR0608]: cannot write '<stdout>': Bad file descriptor\n"),
        (">/dev/full", 1, "error[PTIR0608]: cannot write '<stdout>': No space left on device\n"),
        ("--list-passes >&-", 1, "error[PTIR0608]: cannot write '<stdout>': Bad file descriptor\n"),
        ("--help >/dev/full", 1, "error[PTIR0608]: cannot write '<stdout>': No space left on device\n"),
        ("--dump-pass-pipeline --cse 2>&-", 0, ""),
    ],
)
def test_closed_streams(tmp_path: Path, redirection: str, status: int, message: str):
    (tmp_path / "m.mlir").write_text(GOOD)
    run = command(f"m.mlir {redirection}", cwd=tmp_path)
    assert (run.returncode, run.stderr) == (status, message)
    assert "builtin.module(cse)" not in run.stdout


def test_a_closed_input():
    run = command("<&-")
    assert (run.returncode, run.stdout) == (1, "")
    assert run.stderr == "error[PTIR0002]: cannot read '<stdin>': Bad file descriptor\n"


@pytest.mark.sampled(1)
def test_a_locale_that_is_not_utf_8():
    run = command("--help", env={**os.environ, "PYTHONIOENCODING": "ascii"})
    assert run.returncode == 0 and "expected-…" in run.stdout


def test_an_interrupt_while_xdsl_is_imported(tmp_path: Path):
    (tmp_path / "xdsl").mkdir()
    (tmp_path / "xdsl" / "__init__.py").write_text("raise KeyboardInterrupt\n")
    run = command("m.mlir", env={**os.environ, "PYTHONPATH": str(tmp_path)})
    assert (run.returncode, run.stdout, run.stderr) == (130, "", "")


def test_plugins_are_registered_without_clashes():
    names = Universe.get_multiverse()
    assert set(DIALECTS) <= set(names.all_dialects)
    assert set(PASSES) <= set(names.all_passes)
    assert set(TARGETS) <= set(names.all_targets)
    assert set(PTIR.all_passes) == {*PASSES, *PIPELINES}


def test_nothing_heavy_is_imported_at_start(tmp_path: Path):
    path = tmp_path / "m.mlir"
    path.write_text("builtin.module {\n}\n")
    script = (
        "import json, sys; from ptir.tools.ptir_opt import main; "
        "main(sys.argv[1:]); print(json.dumps(sorted(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-c", script, str(path)], capture_output=True, text=True, check=True)
    loaded = set(json.loads(run.stdout.splitlines()[-1]))
    heavy = {"islpy", "numpy", "cuda", "rich", "lark", "ml_dtypes", "msgspec", "highspy", "difflib"}
    assert not heavy & loaded
    rooms = ("ptir.dialects.", "ptir.transforms.", "ptir.backends.")
    assert not {name for name in loaded if name.startswith(rooms)}
