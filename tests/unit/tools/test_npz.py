"""Input files that are damaged, inconsistent or too large: an error names the file and the array."""

from __future__ import annotations

import struct
import tracemalloc
import warnings
import zipfile
from io import BytesIO
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from ptir.tools import ptir_run
from ptir.tools.errors import BadInputs
from ptir.tools.npz import Npz

from ..builders.tool import Run, tool

PROGRAM = """func.func @f(%x: tensor<8x16xf32>, %n: tensor<?xi32>) -> tensor<8x16xf32> {
  func.return %x : tensor<8x16xf32>
}"""
X = np.arange(128, dtype=np.float32).reshape(8, 16)
N = np.arange(3, dtype=np.int32)


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    run = tool(ptir_run.main, tmp_path / "m.mlir", capsys)
    return lambda text, *args: run(text, *map(str, args), "--target", "reference")


def stored(compress: bool = False, **arrays: Any) -> bytes:
    file = BytesIO()
    (np.savez_compressed if compress else np.savez)(file, **({"x": X, "n": N} | arrays))
    return file.getvalue()


def with_header(header: str, data: bytes, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """Returns an npz file whose array `n` has this header."""
    text = header.encode() + b"\n"
    member = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + data
    file = BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        archive.writestr("n.npy", member)
        x = BytesIO()
        np.save(x, X)
        archive.writestr("x.npy", x.getvalue())
    return file.getvalue()


def damaged(rng: Random) -> bytes:
    """Returns a file that is damaged: with flipped bits, a truncated end, overwritten bytes, or a changed number in a header."""
    data = bytearray(stored(compress=rng.random() < 0.5))
    match rng.randrange(5):
        case 0:
            for _ in range(rng.randint(1, 4)):
                data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        case 1:
            del data[rng.randrange(len(data)) :]
        case 2:
            at = rng.randrange(len(data))
            data[at : at + 8] = rng.randbytes(8)
        case 3:  # a field of a local header or of the directory
            at = rng.choice(
                [
                    data.find(b"PK\x03\x04"),
                    data.find(b"PK\x01\x02"),
                    data.rfind(b"PK\x01\x02"),
                    data.rfind(b"PK\x05\x06"),
                ]
            )
            field = at + rng.randrange(4, 30)
            data[field : field + 2] = struct.pack("<H", rng.choice([0, 1, 9, 99, 0xFFFF, rng.randrange(1 << 16)]))
        case _:
            sizes = rng.choice(["(8, 16)", "(99999999999,)", "(-1, 3)", "(3,)", "(1,) * 99", "[3]", "(" * 300])
            kind = rng.choice(["<i4", "<f8", "|O", "<U9", "<i3", "|V4", "no", "<f1", ">i4"])
            header = f"{{'descr': '{kind}', 'fortran_order': {rng.choice(('False', 'True', '7'))}, 'shape': {sizes}, }}"
            return with_header(header, rng.randbytes(rng.randrange(20)))
    return bytes(data)


def read(path: Path) -> None:
    with Npz(path) as archive:
        for name in archive.names:
            archive.array(name, lambda shape, each: None)


def test_whatever_is_damaged_is_an_error_with_a_place(tmp_path: Path):
    rng, refused = Random(0), 0
    path = tmp_path / "in.npz"
    for _ in range(600):
        path.write_bytes(damaged(rng))
        try:
            read(path)
        except BadInputs as e:
            refused += 1
            assert str(path) in e.message
            assert "\n" not in e.message
            assert "allow_pickle" not in e.message
    assert refused > 300


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            with_header("{'descr': '<i4', 'fortran_order': False, 'shape': (-1,)}", b"1234"),
            "header has the invalid type int32[-1]",
        ),
        (
            with_header("{'descr': '<i4', 'fortran_order': False, 'shape': (1,)}", b"12345678"),
            "its data has another size",
        ),
        (with_header("{'descr': '|O', 'fortran_order': False, 'shape': (1,)}", b"12345678"), "Python objects"),
        (stored().replace(b"PK\x03\x04", b"PK\x03\x04\0\0\1", 1), ""),
        (b"module {}", "not a zip file"),
    ],
)
def test_what_is_said(run: Run, tmp_path: Path, text: bytes, reason: str):
    (tmp_path / "in.npz").write_bytes(text)
    status, _, err = run(PROGRAM, "--inputs", tmp_path / "in.npz")
    assert status == 1
    assert "error[PTIR0620]: cannot read" in err
    assert "in.npz" in err
    assert reason in err


def test_a_size_that_no_machine_has_is_not_allocated(run: Run, tmp_path: Path):
    header = "{'descr': '<i4', 'fortran_order': False, 'shape': (1000000000000000,)}"
    (tmp_path / "in.npz").write_bytes(with_header(header, b"1234"))
    status, _, err = run(PROGRAM, "--inputs", tmp_path / "in.npz")
    assert status == 1
    assert "error[PTIR0620]: %n has 1000000000000000 elements, more than this machine has memory for" in err


def test_encrypted_members_and_unknown_methods(run: Run, tmp_path: Path):
    good = stored()
    for field, value in ((6, 1), (8, 99)):  # offsets in the local header; in the directory, they are larger by two
        data = bytearray(good)
        for signature, shift in ((b"PK\x03\x04", 0), (b"PK\x01\x02", 2)):
            at = data.find(signature) + field + shift
            data[at : at + 2] = struct.pack("<H", value)
        (tmp_path / "in.npz").write_bytes(data)
        status, _, err = run(PROGRAM, "--inputs", tmp_path / "in.npz")
        assert status == 1
        assert "error[PTIR0620]: cannot read array 'x' of" in err


def test_a_bomb_is_not_unpacked(tmp_path: Path):
    """A member of 32 MiB of zeros, whose header says that it has four numbers."""
    header = "{'descr': '<i4', 'fortran_order': False, 'shape': (4,)}"
    (tmp_path / "in.npz").write_bytes(with_header(header, bytes(1 << 25)))
    tracemalloc.start()
    with pytest.raises(BadInputs, match="array 'n'"):
        read(tmp_path / "in.npz")
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 1 << 21


def test_arrays_that_no_argument_takes_are_not_read(run: Run, tmp_path: Path):
    (tmp_path / "in.npz").write_bytes(stored(more=np.array([{}])))
    assert run(PROGRAM, "--inputs", tmp_path / "in.npz")[0] == 0


def test_a_shape_that_is_wrong_is_said_before_anything_is_read(run: Run, tmp_path: Path):
    (tmp_path / "in.npz").write_bytes(stored(x=np.zeros((9, 16), np.float32)))
    assert "array 'x' has shape [9, 16], %x has [8, 16]" in run(PROGRAM, "--inputs", tmp_path / "in.npz")[2]


def test_what_overflows_is_an_error_and_no_warning(run: Run, tmp_path: Path):
    (tmp_path / "in.npz").write_bytes(stored(n=np.array([1e12])))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        status, _, err = run(PROGRAM, "--inputs", tmp_path / "in.npz")
    assert status == 1
    assert "not every value can be converted exactly" in err
    assert "Warning" not in err


@pytest.mark.parametrize(
    ("argument", "reason"),
    [
        ("tensor<2000000000000xf32>", "more than this machine has memory for"),
        ("tensor<9223372036854775807x9223372036854775807xi8>", "more than this machine has memory for"),
        (f"tensor<{'1x' * 65}f32>", "65 axes"),
    ],
)
def test_random_inputs_that_no_machine_holds(run: Run, argument: str, reason: str):
    status, _, err = run(f"func.func @f(%x: {argument}) -> {argument} {{ func.return %x : {argument} }}", "--random", 0)
    assert status == 1
    assert "error[PTIR0620]: %x has" in err
    assert reason in err


def test_random_inputs_of_many_axes(run: Run):
    t = f"tensor<{'1x' * 62}2x3xf32>"
    assert run(f"func.func @f(%x: {t}) -> {t} {{ func.return %x : {t} }}", "--random", 0)[0] == 0
