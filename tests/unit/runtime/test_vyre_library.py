"""Every op and program of the library of `vyre`, against hashlib, zlib, base64, Python's integers, NumPy and published values."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest

from ptir.conformance.certify import Options, certify
from ptir.conformance.library import ORACLES, PROGRAMS, is_utf8, padded, round_constants
from ptir.conformance.running import Backend, Function, backend
from ptir.conformance.subjects import subjects
from ptir.dialects import vyre
from ptir.runtime.vyre_library import library
from ptir.runtime.wgsl import NoAdapter, WgslProgram
from ptir.semantics.vyre import dispatch, find_program

NAMES = (*ORACLES, *PROGRAMS)
SAMPLE = ("clz", "fnv1a64", "gcd", "base64_decode", "byte_histogram", "compact")
"""What the gate compiles; `make campaign` compiles all."""


def certified(names: Sequence[str], *where: Backend) -> None:
    found = certify([subjects()[name] for name in names], Options(where, count=64))
    assert found.status == "PASS", found.text()


def interpreted(name: str) -> Function:
    definition = subjects()[name].definition
    assert isinstance(definition, vyre.OpOp)
    return Function(definition, backend("interpreter"))


def test_the_library_has_an_oracle_for_each_op_and_program():
    kinds = (vyre.OpOp, vyre.ProgramOp)
    names = [op.sym_name.data for op in library().ops if isinstance(op, kinds)]
    assert sorted(names) == sorted(NAMES) and len(names) >= 40


@pytest.mark.parametrize("name", NAMES)
def test_op_or_program(name: str):
    certified([name], backend("interpreter"))


PUBLISHED = {
    ("murmur3", b"The quick brown fox jumps over the lazy dog", 0x9747B28C): 0x2FA826CD,
    ("murmur3", b"", 1): 0x514E28B7,
    ("xxhash32", b"", 0): 0x02CC5D05,
    ("xxhash32", b"abc", 0): 0x32D153FF,
    ("xxhash32", b"Nobody inspects the spammish repetition", 0): 0xE2293B2F,
    ("fnv1a", b"foobar", None): 0xBF9CF968,
    ("fnv1a64", b"foobar", None): 0x85944171F73967E8,
    ("utf8_validate", "żółw 亀 🐢".encode(), None): 1,
}


@pytest.mark.parametrize(("name", "data", "seed"), PUBLISHED)
def test_published_values(name: str, data: bytes, seed: int | None):
    lanes = [np.array([[number]], np.uint32) for number in (len(data), seed) if number is not None]
    got = interpreted(name)(np.frombuffer(data + bytes(4 - len(data) % 4), np.uint32), *lanes)
    assert int.from_bytes(got.tobytes(), "little") == PUBLISHED[name, data, seed]


UTF8 = [
    b"\xc3\xa9",
    b"\xe2\x82\xac",
    b"\xf0\x9f\x90\xa2",
    b"\xf4\x8f\xbf\xbf",
    b"\x7f",
    b"\xed\x9f\xbf",
    b"\xef\xbf\xbf",
]
NOT_UTF8 = [b"\x80", b"\xc0\x80", b"\xc1\xbf", b"\xe0\x9f\xbf", b"\xed\xa0\x80", b"\xf0\x8f\xbf\xbf", b"\xf4\x90\x80\x80",
            b"\xf5\x80\x80\x80", b"\xc3", b"\xe2\x82", b"\xf0\x9f\x90", b"\xc3\xc3", b"\xff", b"\xe2\x28\xa1"]  # fmt: skip


def test_utf8_at_the_limits_of_each_form():
    validate = interpreted("utf8_validate")
    for data in [*UTF8, *NOT_UTF8]:
        got = validate(np.frombuffer(data.ljust(4, b"a"), np.uint32), np.array([[len(data)]], np.uint32))
        assert got[0, 0] == is_utf8(data) == (data in UTF8), data


# --- backends -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def adapter() -> Backend:
    try:
        return backend("wgsl")
    except NoAdapter as error:
        pytest.skip(str(error))


@pytest.mark.parametrize("names", [SAMPLE, pytest.param(NAMES, marks=pytest.mark.campaign)], ids=["sample", "all"])
def test_ptx_is_bit_equal_to_the_oracles(names: Sequence[str]):
    certified(names, backend("ptx"))


@pytest.mark.parametrize("names", [SAMPLE, pytest.param(NAMES, marks=pytest.mark.campaign)], ids=["sample", "all"])
def test_wgsl_is_bit_equal_to_the_oracles(adapter: Backend, names: Sequence[str]):
    certified(names, adapter)


def hashes() -> Iterator[tuple[dict[str, Any], int, bytes]]:
    """Yields dispatches that hash 10,000 messages of one and of two blocks: their buffers, workgroups and digests."""
    generator = np.random.default_rng(22)
    messages = [generator.bytes(int(n)) for n in generator.integers(0, 120, 10000)]
    for blocks in (1, 2):
        chosen = [m for m in messages if (len(m) > 55) == (blocks == 2)]
        yield {
            "in": np.frombuffer(b"".join(padded(m, blocks) for m in chosen), np.uint8),
            "out": np.zeros(8 * len(chosen), np.uint32), "params": np.array([blocks, len(chosen), 0, 0], np.uint32),
            "table": round_constants(),
        }, -(-len(chosen) // 32), b"".join(hashlib.sha256(m).digest() for m in chosen)  # fmt: skip


@pytest.mark.campaign
def test_interpreter_hashes_10000_messages():
    for buffers, groups, digests in hashes():
        assert dispatch(find_program(library(["sha256"])), buffers, (groups,))["out"].tobytes() == digests


@pytest.mark.campaign
def test_wgsl_hashes_10000_messages(adapter: Backend):
    compiled = WgslProgram(library(["sha256"]))
    for buffers, groups, digests in hashes():
        assert compiled.dispatch(buffers, (groups,))["out"].tobytes() == digests
