"""`ptir-run` on programs of `vyre`."""

from __future__ import annotations

import base64
import hashlib
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from ptir.conformance.library import DIGITS, padded, round_constants
from ptir.runtime.vyre_library import FOLDER
from ptir.runtime.wgsl import NoAdapter, device
from ptir.tools import ptir_run

CHECKSUM = Path(__file__).parents[3] / "docs" / "checksum.mlir"
HELLO = ("--buffer", "in=text:hello world", "--buffer", "out=zeros:1", "--buffer", "params=numbers:11,0x0,0,0")
RACE = """vyre.program @r workgroup [8, 1, 1] {
  %y = vyre.buffer "y" binding 0 : !vyre.buffer<u32, read_write>
  %i = vyre.position global x
  %one = vyre.constant 1 : !vyre.u32
  %j = vyre.binop add %i, %one : !vyre.u32
  %x = vyre.load %y[%i] : !vyre.buffer<u32, read_write> -> !vyre.u32
  vyre.store %i, %y[%i] : !vyre.u32, !vyre.buffer<u32, read_write>
  vyre.store %i, %y[%j] : !vyre.u32, !vyre.buffer<u32, read_write>
}
"""
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs `ptir-run` on a file. Returns exit status, stdout and stderr."""

    def run(*args: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["ptir-run", *map(str, args)])
        status = 0
        try:
            ptir_run.main()
        except SystemExit as e:
            status = int(e.code or 0)
        out, err = capsys.readouterr()
        assert "Traceback" not in err and "internal error" not in err
        return status, out, err

    return run


@pytest.mark.parametrize("target", ["reference", "emulator", "wgsl"])
def test_targets_print_what_is_written(run: Run, target: str):
    if target == "wgsl":
        try:
            device()
        except NoAdapter as error:
            pytest.skip(str(error))
    status, out, err = run(CHECKSUM, *HELLO, "--target", target, "--compare", "reference")
    assert (status, err) == (0, "")
    assert out == "out: u32[1] [3582672807]\nequal to the reference, bit for bit\n"


def test_a_difference_to_the_reference_is_status_1(run: Run, monkeypatch: pytest.MonkeyPatch):
    wrong = {"in": np.zeros(3, np.uint32), "out": np.array([7], np.uint32), "params": np.zeros(4, np.uint32)}
    wrong["in"][:] = np.frombuffer(b"hello world\0", np.uint32)
    wrong["params"][0] = 11
    monkeypatch.setattr("ptir.tools.vyre_run._dispatch", lambda *_: wrong)
    status, out, _ = run(CHECKSUM, *HELLO, "--compare", "reference")
    assert status == 1 and "out: word 0 is 0x00000007, the reference has 0xd58b3fa7 (1 differ)" in out


def test_sha256_of_a_text(run: Run, tmp_path: Path):
    np.save(tmp_path / "table.npy", round_constants())
    status, out, err = run(
        FOLDER / "sha256.mlir", "--target", "reference", "--buffer", f"in=hex:{padded(b'abc', 1).hex()}",
        "--buffer", "out=zeros:8", "--buffer", "params=numbers:1,1,0,0", "--buffer", f"table=file:{tmp_path / 'table.npy'}",
    )  # fmt: skip
    assert (status, err) == (0, "")
    assert out == f"out: bytes[32] {hashlib.sha256(b'abc').hexdigest()}\n"


def test_base64_decode_of_a_file(run: Run, tmp_path: Path):
    text = b"one answer on every backend, bit for bit"
    (tmp_path / "in.b64").write_bytes(base64.b64encode(text))
    np.savez(tmp_path / "table.npz", table=DIGITS)
    status, out, err = run(
        FOLDER / "text.mlir", "--entry", "base64_decode", "--target", "reference", "--inputs", tmp_path / "table.npz",
        "--buffer", f"in=file:{tmp_path / 'in.b64'}", "--buffer", "out=zeros:20", "--buffer", "params=zeros:",
        "--write", f"out={tmp_path / 'out.bin'}", "-o", tmp_path / "all.npz",
    )  # fmt: skip
    assert (status, err) == (0, "")
    assert out.startswith(f"out: bytes[80] {text.hex()}") and out.endswith(" …\n")
    assert (tmp_path / "out.bin").read_bytes().rstrip(b"\0") == text
    assert np.load(tmp_path / "all.npz")["out"].tobytes() == (tmp_path / "out.bin").read_bytes()


def test_a_race_is_reported_with_both_places(run: Run, tmp_path: Path):
    path = tmp_path / "race.mlir"
    path.write_text(RACE)
    status, _, err = run(path, "--buffer", "y=zeros:8", "--target", "reference")
    assert status == 1
    assert (
        "race.mlir:8:3: error[PTIR0590]: the store of element 1 of 'y' by invocation 0 races with invocation 1" in err
    )
    assert "race.mlir:7:3: note: invocation 1 accesses it here" in err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--buffer", "z=zeros:1"], "the program has no buffer 'z'"),
        (["--buffer", "y"], "--buffer y is not NAME=KIND:VALUE"),
        (["--buffer", "y=zeros:1", "--buffer", "y=zeros:1"], "--buffer gives 'y' twice"),
        (["--buffer", "y=zoo:1"], "buffer 'y' is given as 'zoo:1'"),
        (["--buffer", "y=hex:zz"], "cannot read buffer 'y' from hex:zz: non-hexadecimal"),
        (["--buffer", "y=numbers:-1"], "-1 is not from 0 to 4294967295"),
        (["--buffer", "y=zeros:9999999999"], "39999999996 bytes are not from 0 to 1073741824"),
        (["--buffer", "y=file:/nowhere"], "it is not a regular file"),
        (["--buffer", "y=text:abc"], "PTIR0593]: the array for buffer 'y' has 3 bytes"),
        (["--buffer", "y=zeros:8", "--write", "q=f"], "the program has no buffer 'q'"),
        (["--buffer", "y=zeros:8", "--sizes", "B=1"], "--sizes is an option for functions"),
        (["--buffer", "y=zeros:8", "--target", "cuda"], "--target cuda runs functions"),
        (["--buffer", "y=zeros:8", "--workgroups", "1,2,3,4"], "give one to three numbers of workgroups"),
        (["--buffer", "y=zeros:8", "--workgroups", "99999999"], "PTIR0592"),
    ],
)
def test_what_is_refused(run: Run, tmp_path: Path, options: list[str], message: str):
    path = tmp_path / "race.mlir"
    path.write_text(RACE)
    status, _, err = run(path, *([] if "--target" in options else ["--target", "reference"]), *options)
    assert status == 1 and message in err


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("--buffer=x=zeros:1", "--buffer is an option for programs of vyre"),
        ("--target=wgsl", "--target wgsl runs programs"),
    ],
)
def test_functions_have_no_buffers(run: Run, tmp_path: Path, option: str, message: str):
    path = tmp_path / "f.mlir"
    path.write_text("func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> { func.return %x : tensor<2xf32> }")
    status, _, err = run(path, option)
    assert status == 1 and message in err
