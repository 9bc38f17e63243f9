"""Certificates: right ops pass, wrong ones fail with the smallest witness, tracks are not mixed, bytes repeat."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import ptir
from ptir.conformance import every_input
from ptir.conformance.certificate import Entry, json_schema, read_certificate
from ptir.conformance.certify import Options, certify, implementation
from ptir.conformance.errors import MissingOracle, MixedTracks
from ptir.conformance.exhaustive import Part, check
from ptir.conformance.laws import laws_of
from ptir.conformance.rounding_oracle import mpmath, rounded
from ptir.conformance.running import Backend, Function, backend
from ptir.conformance.subjects import TRACKS, subjects
from ptir.dialects import vyre
from ptir.dialects.vyre.types import f32
from ptir.runtime.wgsl import NoAdapter

INTERPRETER = backend("interpreter")
FEW = Options([INTERPRETER], count=24)
LAST_BIT = """
vyre.op @{name}(%x: !vyre.preview<{t}>) -> !vyre.preview<{t}> {{
  %mask = vyre.constant {mask} : !vyre.u32
  %add = vyre.constant {add} : !vyre.u32
  %y = vyre.{op} %x{bound} : !vyre.preview<{t}>
  %in = vyre.bitcast %x : !vyre.preview<{t}> to !vyre.u32
  %some = vyre.binop and %in, %mask : !vyre.u32
  %value = vyre.constant {value} : !vyre.u32
  %wrong = vyre.compare eq %some, %value : !vyre.u32
  %one = vyre.cast %wrong : !vyre.bool to !vyre.u32
  %ulps = vyre.binop mul %one, %add : !vyre.u32
  %bits = vyre.bitcast %y : !vyre.preview<{t}> to !vyre.u32
  %more = vyre.binop add %bits, %ulps : !vyre.u32
  %r = vyre.bitcast %more : !vyre.u32 to !vyre.preview<{t}>
  vyre.return %r : !vyre.preview<{t}>
}}
"""


def entry(text: str, options: Options) -> Entry:
    """Certifies the only op of a text."""
    module = ptir.parse(text)
    (op,) = (op for op in module.ops if isinstance(op, vyre.OpOp))
    (found,) = certify([implementation(subjects()[op.sym_name.data], op)], options).entries
    return found


@pytest.mark.campaign
@pytest.mark.parametrize("where", ["interpreter", "ptx", "wgsl"])
@pytest.mark.parametrize("name", subjects())
def test_each_op_on_all_its_inputs(name: str, where: str):
    try:
        found = certify([subjects()[name]], Options([backend(where)]))  # pyright: ignore[reportArgumentType]
    except NoAdapter as error:
        pytest.skip(str(error))
    assert found.status == "PASS", found.text()


def test_a_function_that_is_wrong_by_one_ulp_for_one_input_fails():
    """The exponential of F16, wrong for those 128 inputs that have the bits of 0x3abc."""
    text = LAST_BIT.format(name="fexp.f16", t="f16", op="strict fexp", mask=0x3ABC, value=0x3ABC, add=1, bound="")
    found = entry(text, Options([INTERPRETER]))
    assert (found.status, found.claim) == ("FAIL", "all inputs")
    (part,) = found.backends
    assert part.witness is not None and part.wrong == 2**7
    assert part.witness.inputs == ("0x3abc",) and part.witness.command.endswith("--only fexp.f16 --input 0x3abc")
    assert int(part.witness.got, 16) == int(part.witness.expected, 16) + 1


def test_an_approximate_op_may_be_wrong_by_its_bound_and_no_more():
    for ulps, status in ((1, "PASS"), (4, "FAIL")):
        text = LAST_BIT.format(
            name="approximate.fexp.f32",
            t="f32",
            op="approximate fexp",
            bound=" ulp 1",
            mask=0xE0000000,
            value=0x20000000,
            add=ulps,
        )
        found = entry(text, Options([INTERPRETER], count=200))
        error = found.backends[0].error_ulps
        assert error is not None and ulps - 0.51 <= error <= ulps + 0.51 and found.status == status


def test_a_broken_law_has_a_witness():
    text = """vyre.op @add.u32(%x: !vyre.u32, %y: !vyre.u32) -> !vyre.u32 {
      %two = vyre.constant 2 : !vyre.u32
      %z = vyre.binop max %x, %two : !vyre.u32
      %r = vyre.binop add %z, %y : !vyre.u32
      vyre.return %r : !vyre.u32
    }"""
    laws = {law.law: law.witness for law in entry(text, Options([INTERPRETER], count=300)).laws if law.broken}
    assert set(laws) == {"f(x, y) = f(y, x)", "f(f(x, y), z) = f(x, f(y, z))", "f(x, 0) = x"}
    witness = laws["f(x, 0) = x"]
    assert witness is not None and (witness.inputs, witness.expected, witness.got) == (("x = 0x0",), "0x0", "0x2")


def test_a_backend_that_differs_fails_alone(monkeypatch: pytest.MonkeyPatch):
    load = Backend.load

    def flawed(self: Backend, module: object, program: str):
        right = load(INTERPRETER, module, program)  # pyright: ignore[reportArgumentType]
        if self.name == "interpreter":
            return right
        return lambda buffers, groups: {k: v ^ np.uint32(v.size > 3) for k, v in right(buffers, groups).items()}

    monkeypatch.setattr(Backend, "load", flawed)
    found = certify([subjects()["xor.u32"]], replace(FEW, backends=[INTERPRETER, backend("ptx")])).entries[0]
    assert [b.wrong > 0 for b in found.backends] == [False, True] and found.status == "FAIL"


@pytest.mark.parametrize("other", TRACKS)
def test_tracks_are_not_mixed(other: str):
    chosen = [subjects()["add.u32"], subjects()["fadd.f32"], subjects()["approximate.fexp.f32"]]
    mixed = [s for s in chosen if s.track != other]
    with pytest.raises(MixedTracks):
        certify(mixed, FEW)


def test_a_certificate_repeats_and_reads_back():
    chosen = [subjects()[name] for name in ("add.i32", "cast.i32.u64", "vector.vec4u32", "crc32")]
    found = certify(chosen, FEW)
    assert found.json() == certify(chosen, FEW).json() and read_certificate(found.json()) == found
    other = certify(chosen, replace(FEW, seed=1))
    assert [e.backends[0].checksum for e in other.entries] != [e.backends[0].checksum for e in found.entries]
    assert set(json_schema()["$defs"]) == {"Certificate", "Entry", "Inputs", "BackendResult", "LawResult", "Witness"}


def test_the_signature_says_what_is_allocated():
    (found,) = certify([subjects()["fadd.f16"]], FEW).entries
    assert (found.signature, found.min_input_bytes) == ("(preview<f16>, preview<f16>) -> preview<f16>", 4)


def test_pow_says_what_is_not_proven():
    (found,) = certify([subjects()["fpow.bf16"]], FEW).entries
    assert "not proven" in found.note and found.claim == "these inputs"


# --- all inputs of binary32 -----------------------------------------------------------------------


def test_all_inputs_go_on_where_they_were(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    tried: list[int] = []

    def chunk(name: str, number: int) -> Part:
        tried.append(number)
        if len(tried) == 3:
            raise KeyboardInterrupt
        wrong = (("0x80000005", "0x1", "0x2"),) if number == 40 else ()
        return Part(f"{2**63 + number:016x}", 0, wrong)

    monkeypatch.setattr(every_input, "chunk", chunk)
    state = tmp_path / "state.jsonl"
    subject = subjects()["fexp.f32"]
    with pytest.raises(KeyboardInterrupt):
        every_input.tried(subject, state)
    state.write_text(state.read_text() + '{"type":"chunk","function":"exp","number":2', "utf-8")  # cut off
    found = every_input.tried(subject, state)
    assert tried == [0, 1, 2, *range(2, 64)] and found == every_input.tried(subject, state)
    assert found is not None and (found.inputs, found.wrong) == (2**32, 1)
    assert found.checksum == f"{sum(range(64)):016x}" and found.witness is not None
    assert found.witness.inputs == ("0x80000005",) and found.witness.expected == "0x2"
    assert every_input.tried(subjects()["fpow.f32"], state) is every_input.tried(replace(subject), state) is None


def test_inputs_in_c_are_those_of_the_interpreter():
    """One input of 2^20; the checksum is that of the interpreter's results."""
    found = check("rsqrt", 0, 1 << 32, 1 << 20)
    words = np.arange(0, 1 << 32, 1 << 20, dtype=np.uint64)
    definition = subjects()["frsqrt.f32"].definition
    assert isinstance(definition, vyre.OpOp)
    results = Function(definition, INTERPRETER)(words.astype(np.uint32)[:, None])[:, 0]
    want = int(np.sum(results.astype(np.uint64) * (2 * words + np.uint64(1)), dtype=np.uint64))
    assert found.wrong == () and found.checksum == f"{want:016x}"


def test_fractions_are_rounded_as_numbers_of_mpmath():
    generator = np.random.default_rng(5)
    for format in ("f32", "f16", "bf16"):
        for exponent in (-150, -30, 0, 3, 15, 127):
            value = Fraction(int(generator.integers(1, 2**60))) * Fraction(2) ** (exponent - 59)
            with mpmath().workprec(500):
                number = mpmath().mpf(value.numerator) / value.denominator
            assert rounded(value, format) == rounded(number, format) == -rounded(-value, format)


def test_a_missing_library_is_named(monkeypatch: pytest.MonkeyPatch):
    def missing(name: str) -> object:
        raise ImportError(f"No module named '{name}'")

    monkeypatch.setattr("ptir.conformance.rounding_oracle.import_module", missing)
    with pytest.raises(MissingOracle) as raised:
        mpmath.__wrapped__()
    want = "error[PTIR0599]: correct rounding cannot be judged: mpmath is not installed (No module named 'mpmath')"
    assert str(raised.value).startswith(want)


def test_laws_hold_for_infinities():
    """Only NaN is left out: an identity that is broken by an infinity alone is broken."""
    (law,) = (law for law in laws_of("fadd", f32) if law.name == "f(x, -0) = x")
    infinity = np.array([[0x7F800000], [0x3F800000], [0x7FC00000]], np.uint32)
    got, want, _ = law.sides(lambda x, _: np.where(x == 0x7F800000, np.uint32(0), x), [infinity])
    assert (got != want).ravel().tolist() == [True, False, False]
