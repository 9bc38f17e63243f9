"""The command line, run in this process: exit status, output files, flags."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from xdsl.dialects import test
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, IntegerAttr, ModuleOp, TensorType, f32
from xdsl.ir import Dialect
from xdsl.irdl import IRDLOperation, irdl_op_definition, prop_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.universe import Universe

from ptir.passes.environment import make_context
from ptir.passes.errors import RoundTripFailed
from ptir.passes.registry import DIALECTS, PASSES, TARGETS
from ptir.passes.roundtrip import check_round_trip
from ptir.passes.universe import PTIR
from ptir.tools.ptir_opt import main

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
    """Runs `ptir-opt` on a text; gives exit status, stdout, stderr."""

    def run(text: str | None, *args: str) -> tuple[int, str, str]:
        path = tmp_path / "m.mlir"
        if text is not None:
            path.write_text(text)
        status = 0
        try:
            main([str(path), *args])
        except SystemExit as e:
            status = int(e.code or 0)
        out, err = capsys.readouterr()
        assert "Traceback" not in err
        return status, out, err

    return run


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
    """An op that prints less than it holds."""

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
    with pytest.raises(RoundTripFailed, match="first difference"):
        check_round_trip(module, ctx)


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


def test_lists(opt):
    assert "\nptir-to-tiny " in opt(GOOD, "--list-passes")[1]
    assert "= ptir-to-tiny,build-poly-view," in opt(GOOD, "--list-pipelines")[1]
    assert "ptir\n" in opt(GOOD, "--show-dialects")[1]


def test_plugins_are_registered_without_clashes():
    names = Universe.get_multiverse()
    assert set(DIALECTS) <= set(names.all_dialects)
    assert set(PASSES) <= set(names.all_passes)
    assert set(TARGETS) <= set(names.all_targets)
    assert set(PTIR.all_passes) == set(PASSES)


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
    assert not {name for name in loaded if name.startswith(("ptir.dialects.", "ptir.transforms.", "ptir.backends."))}
