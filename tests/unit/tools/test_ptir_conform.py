"""`ptir-conform`: what it refuses, and its files."""

from __future__ import annotations

from pathlib import Path

import pytest

from ptir.conformance.certificate import read_certificate
from ptir.tools import ptir_conform

WRONG_TYPES = "vyre.op @popcount(%x: !vyre.i32) -> !vyre.i32 { vyre.return %x : !vyre.i32 }"
UNNAMED = "vyre.op @mine(%x: !vyre.i32) -> !vyre.i32 { vyre.return %x : !vyre.i32 }"
REFUSED = {
    "--only add.u32,approximate.fexp.f32": "add.u32 (integer) and approximate.fexp.f32 (approximate) are not certified together",
    "--backends interpreter": "(integer) and fadd.f32 (strict) and approximate.fdiv.f32 (approximate) are not certified together",
    "--track strict --only add.u32,crc32": "add.u32 is in the integer track, not in --track strict",
    "--track integer --only fadd.f32,approximate.fexp.f32": "approximate.fexp.f32 is in the approximate track and fadd.f32 is in the strict",
    "--only add.u32 --input 1": "--input 1 has 1 operands",
    "--only add.vec2u32 --input 1:2,3": "--input 1:2,3: '3' is not a vec2u32",
    "--only crc32 --input bytes:123,3": "--input bytes:123,3: non-hexadecimal number found",
    "--track integer --input 1": "--input is an input of 175 ops",
    "--backends gpu": "there is no backend 'gpu'",
    "types.mlir": "@popcount is (i32) -> i32, but what it implements is (u32) -> u32",
    "unnamed.mlir": "no op of this file has an oracle",
    "--only fexp.f32 --count 1 --backends interpreter --all-inputs --state types.mlir": "types.mlir is not a file of --state",
}


@pytest.mark.parametrize("line", REFUSED)
def test_refused(line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    monkeypatch.chdir(tmp_path)
    Path("types.mlir").write_text(WRONG_TYPES, "utf-8")
    Path("unnamed.mlir").write_text(UNNAMED, "utf-8")
    with pytest.raises(SystemExit):
        ptir_conform.main(["vyre", *line.split()])
    text = capsys.readouterr().err
    assert REFUSED[line] in text and "internal error" not in text


def test_an_input_is_tried_again_and_a_certificate_is_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    out = tmp_path / "c.json"
    ptir_conform.main(
        ["vyre", "--only", "add.u32", "--input", "0x1,0xffffffff", "--backends", "interpreter", "-o", str(out)]
    )
    assert "PASS add.u32 (u32, u32) -> u32: these inputs (1); interpreter" in capsys.readouterr().out
    found = read_certificate(out.read_bytes())
    assert found.entries[0].inputs[0].kind == "given" and found.entries[0].backends[0].wrong == 0
    ptir_conform.main(["vyre", "--list", "--track", "strict"])
    assert "fmuladd.bf16" in capsys.readouterr().out
    ptir_conform.main(["vyre", "--json-schema"])
    assert '"$schema"' in capsys.readouterr().out
