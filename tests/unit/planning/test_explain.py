"""`--explain-plan`: the candidates and the reasons for the choice, as text and JSON; the numbers must be consistent."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ptir.planning.explain import SHOWN, Explanation, as_json, as_text, explaining, is_explaining
from ptir.tools import ptir_opt, ptir_run

from .test_multistage import KINDS, gemm, planned, replanned

COLUMNS = [
    "tile",
    "warp_tile",
    "roles",
    "cluster",
    "order",
    "C_stride",
    "stages",
    "split",
    "waves",
    "tensor",
    "shared",
    "l2",
    "dram",
    "latency",
    "epilogue",
    "total",
    "shared_bytes",
    "registers",
    "tflops",
    "limit",
]


def explained(text: str, options: str) -> Explanation:
    with explaining() as found:
        planned(text, options)
    (explanation,) = found
    assert isinstance(explanation, Explanation)
    return explanation


def test_nobody_listens_unless_asked():
    assert not is_explaining()
    with explaining() as found:
        assert is_explaining()
    assert not is_explaining() and found == []


@pytest.mark.parametrize("options", ["arch=sm90 machine=h200 roles=true", "arch=sm90 roles=false", "arch=sm80"])
def test_the_winner_is_the_fastest_of_what_was_considered(options: str):
    e = explained(gemm(1024, 1024, 1024), options)
    plan = planned(gemm(1024, 1024, 1024), options)
    assert e.chosen == e.considered[0] and list(e.chosen) == COLUMNS
    assert e.chosen["tile"] == "x".join(map(str, plan.tile)) and e.chosen["warp_tile"] == plan.warp_tile
    assert e.chosen["total"] == min(row["total"] for row in e.considered) and e.rejected
    totals = [row["total"] for row in e.considered]
    assert totals == sorted(totals) and "it has the lowest predicted time" in e.why
    assert e.machine == options.split("machine=")[-1].split()[0] if "machine" in options else e.machine[1:] == "100"
    parts = {name: e.chosen[name] for name in ("tensor", "shared", "l2", "dram", "latency", "epilogue")}
    assert parts[e.chosen["limit"]] == max(parts.values()) and max(parts.values()) <= e.chosen["total"]


def test_tflops_are_operations_in_the_time():
    e = explained(gemm(2048, 2048, 2048), "arch=sm90 machine=h200 roles=true")
    assert e.chosen["tflops"] == pytest.approx(2 * 2048**3 * 1.83e9 / e.chosen["total"] / 1e12, abs=0.1)


def test_what_was_rejected_says_the_number():
    e = explained(gemm(4096, 4096, 4096), "arch=sm90 roles=true")
    over = "the accumulators take 256 registers per consumer thread, but only 176 of 240 are free"
    assert ("128x256x64 of 128x256", over) in e.rejected
    plain = explained(gemm(4096, 4096, 4096), "arch=sm90 roles=false")
    assert any("bytes of shared memory, the limit is 232448" in problem for _, problem in plain.rejected)


def test_other_reasons():
    assert "fallback 2" in explained(gemm(512, 512, 512), "arch=sm80 fallback=2").why
    with explaining() as found:
        replanned({})
    (given,) = found
    assert given.why == "it was given" and given.chosen["tile"] == "128x64x32"


def test_the_text_marks_the_winner_among_the_first():
    e = explained(gemm(4096, 4096, 4096, KINDS["tf32"]), "arch=sm90 machine=h200 roles=true")
    lines = as_text([e]).splitlines()
    assert lines[0] == (
        f"@f_0 on h200: m = 4096, n = 4096, k = 4096 of 4096x4096x4096; {len(e.considered)} considered, {len(e.rejected)} rejected (#{e.hash})"
    )
    assert lines[1] == f"  chosen: {e.why}" and e.takes["shared"] == e.chosen["shared_bytes"]
    assert lines.pop(2) == "  predicted: " + ", ".join(f"{name} {number}" for name, number in e.takes.items())
    assert lines[2].split() == COLUMNS
    assert lines[3].split()[:4] == ["*", "128x256x32", "64x256", "cooperative"]
    assert [line.startswith("  * ") for line in lines[3 : 3 + SHOWN]] == [True] + [False] * (SHOWN - 1)
    assert lines[3 + SHOWN] == "  rejected:" and len({len(line) for line in lines[3 : 3 + SHOWN]}) <= 5
    far = explained(gemm(512, 512, 512), "arch=sm80 fallback=9")
    assert sum(line.startswith("  * ") for line in as_text([far]).splitlines()) == 1


def test_json_has_it_all():
    e = explained(gemm(256, 256, 256), "arch=sm90 roles=true")
    (read,) = json.loads(as_json([e]))
    assert (
        read["kernel"] == "f_0" and read["machine"] == "h100" and len(read["considered"]) == len(e.considered) > SHOWN
    )
    assert read["chosen"] == read["considered"][0] and set(read["chosen"]) == set(COLUMNS)
    assert all(set(row) == {"plan", "problem"} for row in read["rejected"])


def program(tmp_path: Path) -> Path:
    path = tmp_path / "f.mlir"
    path.write_text(gemm(64, 32, 32), encoding="utf-8")
    return path


def opt(path: Path, *options: str, capsys: pytest.CaptureFixture[str]) -> str:
    ptir_opt.main([str(path), "-p", "ptir-to-tiny,form-regions,plan-regions", "-o", f"{path}.out", *options])
    return capsys.readouterr().err


def test_ptir_opt_explains(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    path = program(tmp_path)
    assert opt(path, capsys=capsys) == ""
    assert opt(path, "--explain-plan", capsys=capsys).startswith("@f_0 on a100: m = 64, n = 32, k = 32")
    both = json.loads(opt(path, "--explain-plan", "--mlir-output-format=json", "--mlir-timing", capsys=capsys))
    assert set(both) == {"timing", "plans"} and both["plans"][0]["kernel"] == "f_0"


@pytest.mark.parametrize("form", ["text", "json"])
def test_ptir_run_explains(tmp_path: Path, capsys: pytest.CaptureFixture[str], form: str):
    ptir_run.main([str(program(tmp_path)), "--random", "0", f"--explain-plan={form}"])
    said: Any = capsys.readouterr().err
    assert said.startswith("@f_0 on a100") if form == "text" else json.loads(said)[0]["kernel"] == "f_0"


@pytest.mark.parametrize(
    ("op", "shapes", "note"),
    [
        ("ptir.exp %x", ("64x64xf32", "64x64xf32"), ""),
        ("ptir.transpose %x [1, 0]", ("32x64xf32", "64x32xf32"), "adjacent elements are accessed 64 elements apart"),
        ("ptir.slice %x [0, 1]", ("64x65xf32", "64x64xf32"), "vectors are narrower than 16 bytes"),
        (
            "ptir.reduce max %x axes [0, 2]",
            ("7x5x3x9xf32", "5x9xf32"),
            "not whole rows or vectors of columns: the reduced axes",
        ),
    ],
)
def test_what_would_be_faster(op: str, shapes: tuple[str, str], note: str):
    """A kernel of one thread an element says why it is not one of vectors, rows or columns."""
    x, y = (f"tensor<{shape}>" for shape in shapes)
    types = x if x == y else f"{x} -> {y}"
    e = explained(f"func.func @f(%x: {x}) -> {y} {{ %0 = {op} : {types}\n func.return %0 : {y} }}", "arch=sm80")
    assert note in e.slower and bool(note) == bool(e.slower)
    assert (f"note: {e.slower}" in e.text()) == bool(note)
