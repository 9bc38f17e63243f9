"""
A pass reads only its input: if a pipeline stops after any pass, prints the IR, and a new process runs the rest, the CUDA is the
same.

One process per program runs the prefixes of the pipeline (one of four in the gate), and another one the remaining passes, by
`ptir-opt`'s `main`, so that they share only text. The results are compared with the CUDA of a process that runs the whole pipeline.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ptir.passes.registry import PIPELINES

from ..builders.amount import WHOLE
from ..builders.programs import draft

PASSES = PIPELINES["ptir-to-cuda"].stages
STOPS = range(0, len(PASSES) + 1, 1 if WHOLE else 4)
"""After how many passes a pipeline stops."""
ROOT = Path(__file__).resolve().parents[3]

SCRIPT = """
import json, sys
from ptir.tools.ptir_opt import main
for arguments in json.loads(sys.argv[1]):
    try:
        main(arguments)
    except SystemExit as e:
        if e.code:
            raise
"""


def in_a_fresh_process(*runs: list[str]) -> None:
    """
    Executes runs of `ptir-opt`, given by their arguments, in a new process. Hashes are salted, so that results do not depend on
    them.
    """
    environment = {**os.environ, "PYTHONHASHSEED": str(len(runs)), "NO_COLOR": "1", "PYTHONWARNINGS": "ignore"}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, json.dumps(runs)], capture_output=True, text=True, env=environment, timeout=100
    )
    assert done.returncode == 0, done.stderr


def sources() -> dict[str, str]:
    out = {"mlp": (ROOT / "examples/digits/mlp.mlir").read_text("utf-8")}
    for name, size in (
        ("chained", (33, 10, 65)),
        ("two_results_one_transposed", (70, 31, 20)),
        ("two_batches", (17, 9, 40)),
    ):
        out[name] = draft(name, size, "f16").text
    d = draft("constant_bias", (20, 9, 30), "bf16")
    d.name = "another"
    out["two functions, a constant"] = draft("symmetric", (18, 18, 18), "bf16").text + d.text
    return out


SOURCES = sources()


@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", SOURCES)
def test_every_prefix_and_the_rest_in_another_process_make_the_same_cuda(name: str, tmp_path: Path):
    source = tmp_path / "source.mlir"
    source.write_text(SOURCES[name])
    prefixes, rests = [], []
    for k in STOPS:
        prefix = ["-p", ",".join(PASSES[:k])] if k else []
        rest = ["-p", ",".join(PASSES[k:])] if k < len(PASSES) else []
        prefixes.append([str(source), *prefix, "-o", str(tmp_path / f"{k}.mlir")])
        rests.append([str(tmp_path / f"{k}.mlir"), *rest, "-t", "cuda", "-o", str(tmp_path / f"{k}.cu")])
    in_a_fresh_process(*prefixes)
    in_a_fresh_process(
        *rests, [str(source), "-p", "ptir-to-cuda{arch=sm80}", "-t", "cuda", "-o", str(tmp_path / "whole.cu")]
    )
    whole = (tmp_path / "whole.cu").read_bytes()
    assert b"__global__" in whole
    for k in STOPS:
        assert (tmp_path / f"{k}.cu").read_bytes() == whole, f"cut after {PASSES[:k]}"


@pytest.mark.campaign
@pytest.mark.sampled(1)
def test_the_text_between_passes_is_a_fixed_point(tmp_path: Path):
    """Printing what was parsed gives the same text, at every level and in the generic form."""
    source = tmp_path / "source.mlir"
    source.write_text(SOURCES["mlp"])
    runs: list[list[str]] = []
    for k in range(len(PASSES) + 1):
        prefix = ["-p", ",".join(PASSES[:k])] if k else []
        first, again, generic, back = (str(tmp_path / f"{k}.{n}.mlir") for n in ("first", "again", "generic", "back"))
        runs += [
            [str(source), *prefix, "-o", first],
            [first, "-o", again],
            [first, "--mlir-print-op-generic", "-o", generic],
            [generic, "-o", back],
        ]
    in_a_fresh_process(*runs)
    for k in range(len(PASSES) + 1):
        first = (tmp_path / f"{k}.first.mlir").read_bytes()
        assert (tmp_path / f"{k}.again.mlir").read_bytes() == first, f"after {PASSES[:k]}"
        assert (tmp_path / f"{k}.back.mlir").read_bytes() == first, f"generic, after {PASSES[:k]}"


@pytest.mark.campaign
def test_a_plan_edited_by_hand_changes_the_kernel(tmp_path: Path):
    """All information is in the text: an edit of it changes the kernel."""
    source, planned, edited = (tmp_path / f"{n}.mlir" for n in ("source", "planned", "edited"))
    source.write_text(SOURCES["two_batches"])
    in_a_fresh_process([str(source), "-p", ",".join(PASSES[:-2]), "-o", str(planned)])
    text = planned.read_text()
    assert "stages = 2" in text
    edited.write_text(text.replace("stages = 2", "stages = 5"))
    in_a_fresh_process([str(edited), "-p", ",".join(PASSES[-2:]), "-t", "cuda", "-o", str(tmp_path / "out.cu")])
    assert "STAGES = 5" in (tmp_path / "out.cu").read_text()
