"""`ptir-run`, run in this process, and the checks of arguments in the Python API."""

from __future__ import annotations

import io
import json
import logging
import os
import re
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

import ptir
from ptir.backends.cuda.nvrtc import compile_cuda
from ptir.diagnostics.diagnostic import diagnose
from ptir.emulator.errors import OutOfBounds
from ptir.passes.manager import PassManager
from ptir.passes.registry import PIPELINES
from ptir.runtime.devices import Emulator
from ptir.runtime.execute import BadArgument, execute
from ptir.tools import ptir_run

BF16 = ml_dtypes.bfloat16
PROGRAM = """func.func @f(%x: tensor<3x4xbf16>, %y: tensor<3x4xf32>, %m: tensor<3x4xi1>) -> (tensor<3x4xbf16>, tensor<3x4xf32>) {
  %0 = ptir.cast %x : tensor<3x4xbf16> -> tensor<3x4xf32>
  %1 = ptir.select %m, %0, %y : tensor<3x4xi1>, tensor<3x4xf32>
  %2 = ptir.cast %1 : tensor<3x4xf32> -> tensor<3x4xbf16>
  func.return %2, %1 : tensor<3x4xbf16>, tensor<3x4xf32>
}
"""
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs `ptir-run` on a text. Returns exit status, stdout and stderr."""

    def run(text: str | None, *args: object) -> tuple[int, str, str]:
        path = tmp_path / "m.mlir"
        if text is not None:
            path.write_text(text)
        monkeypatch.setattr(sys, "argv", ["ptir-run", "-" if text is None else str(path), *map(str, args)])
        status = 0
        try:
            ptir_run.main()
        except SystemExit as e:
            status = int(e.code or 0)
        out, err = capsys.readouterr()
        assert "Traceback" not in err
        assert "internal error" not in err
        return status, out, err

    return run


def inputs() -> dict[str, Any]:
    rng = np.random.default_rng(0)
    x, y = rng.standard_normal((2, 3, 4)).astype(np.float32)
    return {"x": x.astype(BF16), "y": y, "m": rng.integers(0, 2, (3, 4)).astype(bool)}


def wanted() -> Any:
    a = inputs()
    return np.where(a["m"], a["x"].astype(np.float32), a["y"])


def save(path: Path, **changes: Any) -> Path:
    arrays = {**inputs(), **changes}
    stored = {k: v.view(np.uint16) if v.dtype == BF16 else v for k, v in arrays.items() if v is not None}
    np.savez(path, **stored)
    return path


# --- what works ---------------------------------------------------------------------------------


@pytest.mark.parametrize("target", ["emulator", "reference"])
def test_arrays_go_in_and_come_out(run: Run, tmp_path: Path, target: str):
    path, out = save(tmp_path / "in.npz"), tmp_path / "out.npz"
    status, text, err = run(PROGRAM, "--inputs", path, "-o", out, "--target", target, "--compare", "reference")
    assert (status, err) == (0, "")
    assert text.splitlines()[:2] == ["r0: bfloat16[3, 4]", "r1: float32[3, 4]"]
    assert text.count("within the bound") == 2
    with np.load(out) as results:
        assert results.files == ["r0", "r1"]
        assert results["r0"].dtype == np.uint16
        np.testing.assert_array_equal(results["r0"].view(BF16), wanted().astype(BF16))
        np.testing.assert_array_equal(results["r1"], wanted())


def test_results_can_be_inputs_again(run: Run, tmp_path: Path):
    text = "func.func @g(%r0: tensor<3x4xbf16>, %r1: tensor<3x4xf32>) -> tensor<3x4xbf16> { func.return %r0 : tensor<3x4xbf16> }"
    first, second = tmp_path / "1.npz", tmp_path / "2.npz"
    assert run(PROGRAM, "--inputs", save(tmp_path / "in.npz"), "-o", first)[0] == 0
    assert run(text, "--inputs", first, "-o", second)[0] == 0
    np.testing.assert_array_equal(np.load(second)["r0"], np.load(first)["r0"])


def test_arrays_without_names_go_in_order(run: Run, tmp_path: Path):
    a = inputs()
    np.savez(tmp_path / "in.npz", a["x"].view(np.uint16), a["y"], a["m"])
    assert run(PROGRAM, "--inputs", tmp_path / "in.npz", "-o", tmp_path / "out.npz")[0] == 0
    np.testing.assert_array_equal(np.load(tmp_path / "out.npz")["r1"], wanted())


@pytest.mark.parametrize(
    "change",
    [
        {"y": np.ones((3, 4), np.float64)},
        {"y": np.ones((3, 4), np.int64)},
        {"y": np.asfortranarray(np.ones((3, 4), np.float32))},
        {"x": np.full((3, 4), 1.5, np.float32)},
        {"m": np.ones((3, 4), np.uint8)},
    ],
    ids=lambda c: str({k: v.dtype for k, v in c.items()}),
)
def test_exact_values_of_another_type_are_taken(run: Run, tmp_path: Path, change: dict[str, Any]):
    path = save(tmp_path / "in.npz", **change)
    assert run(PROGRAM, "--inputs", path, "-o", tmp_path / "out.npz") == (
        0,
        "r0: bfloat16[3, 4]\nr1: float32[3, 4]\n",
        "",
    )
    a = {**inputs(), **change}
    want = np.where(a["m"].astype(bool), a["x"].astype(np.float32), a["y"].astype(np.float32))
    np.testing.assert_array_equal(np.load(tmp_path / "out.npz")["r1"], want)


def test_random_inputs_depend_on_the_seed_only(run: Run, tmp_path: Path):
    outs = [tmp_path / f"{k}.npz" for k in range(3)]
    for out, seed in zip(outs, (5, 5, 6), strict=True):
        assert run(PROGRAM, "--random", seed, "-o", out)[0] == 0
    first, again, other = (np.load(o)["r1"] for o in outs)
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)


def test_one_function_of_several_is_named(run: Run):
    text = PROGRAM + "func.func @g(%x: tensor<5xf32>) -> tensor<5xf32> { func.return %x : tensor<5xf32> }"
    assert run(text, "--entry", "g", "--random", 0) == (0, "r0: float32[5]\n", "")


def test_the_program_can_come_from_standard_input(run: Run, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(PROGRAM.encode())))
    assert run(None, "--random", 0)[0] == 0


@pytest.mark.parametrize("passes", ["ptir-to-tiny", "ptir-to-tiny,form-regions,plan-regions", "ptir-to-cuda"])
def test_lower_levels_run(run: Run, tmp_path: Path, passes: str):
    text = str(ptir.passes.manager.PassManager(passes).run(ptir.parse(PROGRAM)))
    assert run(text, "--inputs", save(tmp_path / "in.npz"), "-o", tmp_path / "out.npz")[0] == 0
    np.testing.assert_array_equal(np.load(tmp_path / "out.npz")["r1"], wanted())


def test_attention_is_within_its_bounds(run: Run):
    assert (
        run(Path("examples/blocks/causal_attention.mlir").read_text(), "--random", 1, "--compare", "reference")[0] == 0
    )


def test_a_wrong_result_is_found_by_compare(run: Run, monkeypatch: pytest.MonkeyPatch):
    """On results of a faulty machine, the exit status is 1, and the wrong element is named."""

    def broken(module: Any, function: Any, arrays: Any, args: Any) -> Any:
        results = ptir.reference(module, *arrays, entry=function.sym_name.data)
        results[1][2, 3] += 1
        return results

    monkeypatch.setattr(ptir_run, "_execute", broken)
    status, out, _ = run(PROGRAM, "--random", 0, "--compare", "reference")
    assert status == 1
    assert "r1: largest error 1 at [2, 3], PAST THE BOUND at [2, 3]" in out


# --- what does not ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"y": None}, "has no array 'y'"),
        ({"y": np.ones((4, 3), np.float32)}, r"array 'y' has shape [4, 3], %y has [3, 4]"),
        ({"y": np.ones((), np.float32)}, r"array 'y' has shape [], %y has [3, 4]"),
        ({"y": np.full((3, 4), 0.1)}, "array 'y' is float64 and %y is float32: not every value can be converted exactly"),
        ({"y": np.ones((3, 4), np.complex64)}, "array 'y' is complex64"),
        ({"y": np.full((3, 4), "1")}, "array 'y' is <U1"),
        ({"x": np.full((3, 4), 1.001, np.float32)}, "array 'x' is float32 and %x is bfloat16"),
        ({"x": np.ones((3, 4), np.uint32) * 2**20 + 1}, "array 'x' is uint32"),
        ({"m": np.full((3, 4), 2)}, "array 'm' is int64 and %m is bool"),
        ({"x": np.array([[{}] * 4] * 3)}, "its elements are Python objects"),
    ],
)  # fmt: skip
def test_arrays_that_do_not_fit(run: Run, tmp_path: Path, change: dict[str, Any], message: str):
    status, out, err = run(PROGRAM, "--inputs", save(tmp_path / "in.npz", **change), "-o", tmp_path / "out.npz")
    assert (status, out) == (1, "")
    assert "error[PTIR0620]" in err
    assert message in err
    assert not (tmp_path / "out.npz").exists()


def test_files_that_are_no_npz(run: Run, tmp_path: Path):
    np.save(tmp_path / "one.npy", np.ones(3))
    (tmp_path / "text").write_text("hello")
    (tmp_path / "empty").write_text("")
    (tmp_path / "half").write_bytes(save(tmp_path / "in.npz").read_bytes()[:300])
    for name in ("one.npy", "text", "empty", "half", "missing", "."):
        status, _, err = run(PROGRAM, "--inputs", tmp_path / name)
        assert status == 1
        assert "error[PTIR0620]: cannot read" in err, name


def test_arguments_whose_names_differ_by_a_number_only(run: Run, tmp_path: Path):
    """xDSL drops `_1` of a name when it parses: taking arrays by such names could exchange them."""
    text = """func.func @f(%w_1: tensor<4xf32>, %w_2: tensor<4xf32>) -> tensor<4xf32> {
      %0 = ptir.sub %w_1, %w_2 : tensor<4xf32>
      func.return %0 : tensor<4xf32> }"""
    one, two = np.arange(4, dtype=np.float32), np.ones(4, np.float32)
    np.savez(tmp_path / "named.npz", w=one, w_1=one, w_2=two)
    status, _, err = run(text, "--inputs", tmp_path / "named.npz")
    assert status == 1
    assert "several arguments 'w'" in err
    np.savez(tmp_path / "ordered.npz", one, two)
    assert run(text, "--inputs", tmp_path / "ordered.npz", "-o", tmp_path / "out.npz")[0] == 0
    np.testing.assert_array_equal(np.load(tmp_path / "out.npz")["r0"], one - two)


def test_a_warning_of_the_compilation_is_reported_at_its_op(run: Run, monkeypatch: pytest.MonkeyPatch):
    def warned(module: ModuleOp, function: FuncOp, *_: object) -> tuple[()]:
        log = logging.getLogger("ptir.runtime")
        log.info("no remark")
        log.warning("every plan spills", extra={"op": function.body.block.first_op})
        return ()

    monkeypatch.setattr(ptir_run, "_execute", warned)
    status, _, err = run(PROGRAM, "--random", 0)
    assert status == 0 and "2:8: warning: every plan spills\n" in err and "no remark" not in err


def test_an_array_that_no_argument_has_the_name_of(run: Run, tmp_path: Path):
    status, out, err = run(PROGRAM, "--inputs", save(tmp_path / "in.npz", unused=np.ones(7), xs=np.ones(7)))
    assert status == 0 and "r0: bfloat16" in out
    assert "warning: " in err and "array 'unused' is not used: @f has no such argument\nhelp: it takes x, y, m" in err
    assert "array 'xs' is not used: @f has no such argument\nhelp: did you mean 'x'?" in err


@pytest.mark.parametrize("option", [("--target", "reference"), ("--target", "emulator"), ("--compare", "reference")])
def test_a_program_runs_on_no_arrays_that_nobody_asked_for(run: Run, option: tuple[str, str]):
    status, out, err = run(PROGRAM, *option)
    assert (status, out) == (1, "") and "error[PTIR0620]: @f takes x, y, m, but no inputs are given" in err
    nothing = (
        "func.func @f() -> tensor<f32> { %0 = ptir.constant dense<1.0> : tensor<f32> func.return %0 : tensor<f32> }"
    )
    assert run(nothing, "--target", "reference") == (0, "r0: float32[]\n", "")


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--entry", "g"], "there is no function @g"),
        (["--random", 0, "--arch", "sm99"], "'arch' is 'sm99'"),
        (["--random", 0, "-o", "/nowhere/out.npz"], "cannot write '/nowhere/out.npz'"),
        (["--inputs", "a.npz", "--random", "1"], "not allowed with argument"),
        (["--target", "tpu"], "invalid choice: 'tpu'"),
        (["--random", "x"], "invalid natural value"),
        (["--random", "-1"], "-1 is negative"),
        (["--nonsense"], "unrecognized arguments: --nonsense"),
        (["--scheduel", "1"], "did you mean '--schedule'?"),
        (["more.mlir"], "only one input file is allowed, and 'more.mlir' is another"),
        (["--max-input-size=0"], "error[PTIR0006]"),
        (["-o", ""], "the name of the file is empty"),
        (["-o", "-"], "standard output is for text"),
        (["-o", "/"], "cannot write '/': it is a directory"),
    ],
)  # fmt: skip
def test_bad_options(run: Run, args: list[str], message: str):
    status, _, err = run(PROGRAM, *args)
    assert status == 1
    assert message in err


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("func.func @f(", "m.mlir:1:14: error[PTIR0001]"),
        (PROGRAM + PROGRAM.replace("@f", "@g"), "the module has 2 functions: give the name of one"),
        ("builtin.module {}", "the module has 0 functions"),
        ("func.func @f(%x: memref<?xf32>) { func.return }", "argument 0 of @f is memref<?xf32>"),
        ("func.func @f(%x: tensor<3xf32>) -> tensor<4xf32> { func.return %x : tensor<3xf32> }", "error["),
    ],
)  # fmt: skip
def test_bad_programs(run: Run, text: str, message: str):
    status, _, err = run(text)
    assert status == 1
    assert message in err


def test_the_function_that_no_other_calls_is_run():
    t = "tensor<1xf32>"
    text = f"""
      func.func @g(%x: {t}) -> {t} {{ %0 = ptir.neg %x : {t} func.return %0 : {t} }}
      func.func @f(%x: {t}) -> {t} {{
        %0 = func.call @g(%x) : ({t}) -> {t}
        %1 = ptir.add %0, %0 : {t}
        func.return %1 : {t}
      }}"""
    assert ptir.reference(text, np.array([1], np.float32))[0] == -2


def test_the_module_says_which_function_is_run(run: Run):
    def function(name: str, op: str) -> str:
        t = "tensor<1xf32>"
        return f"func.func @{name}(%x: {t}) -> {t} {{ %0 = ptir.{op} %x : {t} func.return %0 : {t} }}"

    text = f'builtin.module attributes {{ptir.entry = "g"}} {{ {function("f", "neg")} {function("g", "abs")} }}'
    x = np.array([-2], np.float32)
    for entry, want in ((None, 2), ("g", 2), ("f", 2), (None, 2)):
        (got,) = ptir.reference(text, x, entry=entry)
        assert got == want
    (minus,) = ptir.reference(text, -x, entry="f")
    assert ptir.compile(text, device=Emulator(), entry="f")(-x)[0] == -2
    assert run(text, "--random", 0, "--entry", "f", "--target", "emulator")[0] == 0
    assert minus == -2 and ptir.compile(text, device=Emulator())(-x)[0] == 2
    assert run(text, "--random", 0)[0] == 0


@pytest.mark.parametrize("option", [("--compare", "reference"), ("--target", "reference")])
def test_only_the_interpreters_levels_are_compared(run: Run, option: tuple[str, str]):
    for stages in range(len(PIPELINES["ptir-to-cuda"].stages)):
        passes = ",".join(PIPELINES["ptir-to-cuda"].stages[:stages])
        assert run(str(PassManager(passes).run(ptir.parse(PROGRAM))), "--random", 0, *option)[0] == 0, passes
    status, _, err = run(str(PassManager("ptir-to-cuda").run(ptir.parse(PROGRAM))), "--random", 0, *option)
    assert status == 1
    assert "error[PTIR0482]: could not find interpretation function for op nv.launch" in err and option[0] in err


def test_results_go_through_what_is_no_file(run: Run, tmp_path: Path):
    fifo, link, kept = tmp_path / "fifo", tmp_path / "link", tmp_path / "kept.npz"
    os.mkfifo(fifo)
    reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    assert run(PROGRAM, "--random", 0, "-o", fifo)[0] == 0
    got = os.read(reader, 1 << 16)
    os.close(reader)
    assert np.load(io.BytesIO(got)).files == ["r0", "r1"]
    assert fifo.is_fifo()
    kept.write_bytes(b"before")
    kept.chmod(0o640)
    link.symlink_to(kept)
    assert run(PROGRAM, "--random", 0, "-o", link)[0] == 0
    assert link.is_symlink() and kept.stat().st_mode & 0o777 == 0o640
    assert np.load(kept).files == ["r0", "r1"]
    assert sorted(p.name for p in tmp_path.iterdir()) == ["fifo", "kept.npz", "link", "m.mlir"]


def test_a_new_file_has_the_mode_that_every_new_file_has(run: Run, tmp_path: Path):
    (tmp_path / "plain").touch()
    assert run(PROGRAM, "--random", 0, "-o", tmp_path / "out.npz")[0] == 0
    assert (tmp_path / "out.npz").stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_deep_nesting_is_read_or_refused(run: Run):
    deep = "tuple<" * 300 + "i32" + ">" * 300
    status, _, err = run(PROGRAM + f'"test.op"() {{a = {deep}}} : () -> ()', "--random", 0)
    assert (status, err) == (0, "")


def test_a_bare_report_does_not_take_the_program_for_its_form(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    (tmp_path / "m.mlir").write_text(PROGRAM)
    ptir_run.main(["--random=0", "--report", str(tmp_path / "m.mlir")])
    assert "lane instructions" in capsys.readouterr().out


def test_the_report_counts_and_says_where(run: Run):
    status, out, _ = run(PROGRAM, "--random", 0, "--report", "--schedule", 3)
    assert status == 0 and "r1: float32[3, 4]" in out
    assert re.search(r"^f_0: [\d,]+ lane instructions", out, re.M)
    assert re.search(r"^ +\d+ +[\d.]+ +0 +0 +\S+m.mlir:[2-4]:8 nv.epilogue$", out, re.M), out
    assert re.search(r"\d+ registers a thread, 0 bytes spilled", out)
    status, out, _ = run(PROGRAM, "--random", 0, "--report=json")
    launches = json.loads(out)["launches"]
    assert [launch["bytes"]["global_store"] for launch in launches] == [12 * 4 + 12 * 2]
    assert launches[0]["resources"]["spill_stores"] == 0


def test_a_fault_points_at_the_program():
    compiled = ptir.compile(PROGRAM, device=Emulator())
    text = compiled.program.cuda.replace("(y + (", "(y + (100000 + ")
    assert text != compiled.program.cuda
    binary = compile_cuda(text, "sm_80")
    with pytest.raises(OutOfBounds) as caught:
        execute(replace(compiled.program, cuda=text, binary=binary), list(inputs().values()), Emulator())
    (diagnostic,) = diagnose(caught.value)
    assert diagnostic.place is not None and diagnostic.place.file == "<string>" and diagnostic.function == "@f_0"


def test_debug_shows_the_traceback(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    (tmp_path / "m.mlir").write_text(PROGRAM)
    monkeypatch.setattr(sys, "argv", ["ptir-run", str(tmp_path / "m.mlir"), "--entry", "g", "--debug"])
    with pytest.raises(SystemExit, match="1"):
        ptir_run.main()
    assert "Traceback" in capsys.readouterr().err


# --- the Python API -----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def compiled() -> ptir.Compiled:
    return ptir.compile(PROGRAM, device=Emulator())


def misaligned(a: Any) -> Any:
    raw = np.zeros(a.nbytes + 32, np.uint8)
    start = -raw.ctypes.data % 16 + 4
    out = raw[start : start + a.nbytes].view(a.dtype).reshape(a.shape)
    out[:] = a
    return out


@pytest.mark.parametrize(
    ("key", "change", "problem"),
    [
        ("y", np.asfortranarray, "argument 1 of @f is not C-contiguous"),
        ("y", lambda a: np.repeat(a, 2, axis=1)[:, ::2], "argument 1 of @f is not C-contiguous"),
        ("y", misaligned, "argument 1 of @f is not aligned to 16 bytes"),
        ("x", lambda a: a.astype(np.float32), "argument 0 of @f has element type float32, but the signature says bfloat16"),
        ("x", lambda a: a.view(np.uint16), "argument 0 of @f has element type uint16"),
        ("m", lambda a: a.astype(np.uint8), "argument 2 of @f has element type uint8"),
        ("y", lambda a: a.reshape(12), r"argument 1 of @f has shape \[12\], but the signature says \[3, 4\]"),
        ("y", lambda a: a.astype(">f4"), "argument 1 of @f has element type >f4"),
    ],
)  # fmt: skip
def test_arrays_that_the_kernels_were_not_compiled_for(compiled: ptir.Compiled, key: str, change: Any, problem: str):
    arrays = inputs()
    arrays[key] = change(arrays[key])
    with pytest.raises(BadArgument, match=problem):
        compiled(*arrays.values())


def test_the_number_of_arrays_is_checked(compiled: ptir.Compiled):
    for arrays in ((), (*inputs().values(), np.ones(3))):
        with pytest.raises(BadArgument, match=r"is missing|is one too many") as failure:
            compiled(*arrays)
        assert failure.value.help.startswith("it takes 3 arrays")


def test_a_list_is_no_array(compiled: ptir.Compiled):
    with pytest.raises(BadArgument, match="is a list"):
        compiled([1, 2], *list(inputs().values())[1:])


def test_a_small_array_need_not_be_aligned_more_than_itself():
    """NumPy gives no alignment to a scalar's view; an access is never wider than the array."""
    text = "func.func @f(%x: tensor<3xf32>, %s: tensor<f32>) -> tensor<f32> { func.return %s : tensor<f32> }"
    x, s = np.ones(3, np.float32), np.ones(5, np.float32)[1:2].reshape(())
    assert ptir.compile(text, device=Emulator())(x, s) == (s,)
    with pytest.raises(BadArgument, match="not aligned"):
        ptir.compile(text, device=Emulator())(np.ones(5, np.float32)[1:4], s)


# --- fp8 ----------------------------------------------------------------------------------------

FLOAT8 = """func.func @f(%x: tensor<4x32xf8E4M3FN>, %w: tensor<32x8xf8E5M2>) -> (tensor<4x8xf32>, tensor<32x8xf8E5M2>) {
  %0 = ptir.dot_general %x, %w contract [1] x [0] accum f32 out f32 : (tensor<4x32xf8E4M3FN>, tensor<32x8xf8E5M2>) -> tensor<4x8xf32>
  %1 = ptir.neg %w : tensor<32x8xf8E5M2>
  func.return %0, %1 : tensor<4x8xf32>, tensor<32x8xf8E5M2>
}
"""
E4, E5 = ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2


@pytest.mark.parametrize("form", ["as they are", "bits", "floats"])
def test_arrays_of_fp8(run: Run, tmp_path: Path, form: str):
    """As ml_dtypes and NumPy write them (of E5M2, what NumPy itself does not read), as bytes, and as floats."""
    rng = np.random.default_rng(0)
    x, w = rng.standard_normal((4, 32)).astype(E4), rng.standard_normal((32, 8)).astype(E5)
    stored = {"bits": (x.view(np.uint8), w.view(np.uint8)), "floats": (x.astype(np.float32), w.astype(np.float64))}
    left, right = stored.get(form, (x, w))
    np.savez(tmp_path / "in.npz", x=left, w=right)
    out = tmp_path / "out.npz"
    status, text, err = run(FLOAT8, "--inputs", tmp_path / "in.npz", "-o", out, "--target", "reference")
    assert (status, err) == (0, "")
    assert text.splitlines() == ["r0: float32[4, 8]", "r1: float8_e5m2[32, 8]"]
    with np.load(out) as results:
        want = (x.astype(np.float64) @ w.astype(np.float64)).astype(np.float32)
        np.testing.assert_array_equal(results["r0"], want)
        np.testing.assert_array_equal(results["r1"], w.view(np.uint8) ^ 0x80)


def test_arrays_of_the_other_fp8(run: Run, tmp_path: Path):
    """E5M2 is no E4M3: its values must be exact there. As bits nobody can tell."""
    w = np.full((32, 8), 0.5).astype(E5)
    for x, status in ((np.full((4, 32), 1.5), 0), (np.full((4, 32), 57344.0), 1)):
        np.savez(tmp_path / "in.npz", x=x.astype(E5), w=w)
        got, _, err = run(FLOAT8, "--inputs", tmp_path / "in.npz", "--target", "reference")
        assert got == status and ("not every value can be converted exactly" in err) == bool(status)


def test_random_fp8(run: Run):
    status, text, err = run(FLOAT8, "--random", 3, "--target", "reference", "--compare", "reference")
    assert (status, err) == (0, "") and text.count("within the bound") == 2


def test_random_four_bit_integers_are_small(run: Run):
    text = "func.func @f(%x: tensor<64xi4>) -> tensor<64xi4> { func.return %x : tensor<64xi4> }"
    function = next(iter(ptir.parse(text).ops))
    (x,) = ptir.tools.arrays.random_inputs(function, 0)
    assert set(x.astype(int)) == set(range(8))


PTO = """func.func @f(%x: !pto.memref<8x32xf32>, %y: !pto.memref<8x32xf32>, %n: index) {
  %a, %e0 = pto.tile.load %x[0, 0] {valid = [%n, 32]} : pto.memref<8x32xf32>, tile<8x32xf32>, !pto.event<producer = #pto.op<TLOAD>>
  %b, %e1 = pto.tile.abs %a wait(%e0) : tile<8x32xf32>, !pto.event<producer = #pto.op<TABS>>
  %e2 = pto.tile.store %b, %y[0, 0] wait(%e1) : pto.memref<8x32xf32>, tile<8x32xf32>, !pto.event<producer = #pto.op<TSTORE_VEC>>
  func.return
}
"""


def test_orders_of_a_tile_program(run: Run, tmp_path: Path):
    path, inputs = tmp_path / "o.npz", tmp_path / "i.npz"
    x = np.arange(-128, 128, dtype=np.float32).reshape(8, 32)
    np.savez(inputs, x=x, y=np.zeros_like(x), n=np.int64(3))
    given = ("--inputs", inputs, "--target", "pto")
    assert run(PTO, *given, "--schedules", 5, "--schedule", 2, "-o", path) == (
        0,
        "3 instructions, 5 orders: equal to the synchronous program\n",
        "",
    )
    np.testing.assert_array_equal(np.load(path)["r1"], np.abs(x) * (np.arange(8) < 3)[:, None])
    status, out, err = run(PTO.replace(" wait(%e0)", "").replace(" wait(%e1)", ""), *given)
    assert (status, out) == (1, "") and "m.mlir:3:13: error[PTIR0596]: reads memory" in err
    assert "m.mlir:2:13: note: this op writes it before" in err and "note: 1 other pair of instructions" in err
    np.savez(inputs, x=x, y=np.zeros_like(x), n=np.int64(0))
    assert "'valid' is 0 along axis 0" in run(PTO, *given)[2]
    for text, option, problem in (
        (PTO, "--report", "--report is no option for --target pto"),
        ("func.func @f(%x: tensor<4xf32>) { func.return }", "--schedules=2", "@f has no instructions of PTO"),
    ):
        assert f"error[PTIR0620]: {problem}" in run(text, "--random", 0, "--target", "pto", option)[2]
    assert "--schedules is an option for --target pto" in run(PTO, "--random", 0, "--schedules", 3)[2]


def test_a_tile_program_for_a_gpu_runs_in_the_emulator(run: Run, tmp_path: Path):
    path, inputs = tmp_path / "o.npz", tmp_path / "i.npz"
    x = np.arange(-128, 128, dtype=np.float32).reshape(8, 32)
    np.savez(inputs, x=x, y=np.zeros_like(x), n=np.int64(3))
    text = f"module attributes {{pto.target = #pto.target<sm90>}} {{\n{PTO}}}\n"
    status, out, err = run(text, "--inputs", inputs, "--schedule", 2, "-o", path)
    assert (status, err) == (0, "") and out.splitlines() == [
        f"{name}: float32[8, 32], largest difference from the synchronous program 0" for name in "xy"
    ]
    np.testing.assert_array_equal(np.load(path)["r1"], np.abs(x) * (np.arange(8) < 3)[:, None])
    assert "--report is no option of tile programs" in run(text, "--inputs", inputs, "--report")[2]
    assert "'pto.target' is not given" in run(PTO, "--inputs", inputs)[2]


def test_a_lowered_tile_program_with_numbers_cannot_be_called(run: Run):
    module = ptir.parse(f"module attributes {{pto.target = #pto.target<sm80>}} {{\n{PTO}}}\n")
    text = str(PassManager("pto-to-nv").run(module))
    assert "running a function with an argument of type index" in run(text, "--random", 0)[2]
