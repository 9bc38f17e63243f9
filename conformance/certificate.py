"""
The outcome of a certification, as JSON. It has no times: a certificate of the same ops, seed, backends and adapter has the same bytes.

Numbers of 32 bits and more are texts of hexadecimal digits.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from ..errors import counted
from .domains import Kind
from .running import BackendName
from .subjects import Track

SCHEMA = "ptir.vyre.certificate.v1"
Status = Literal["PASS", "FAIL"]


class Inputs(msgspec.Struct, frozen=True):
    """A set of inputs, and how many."""

    name: str
    kind: Kind
    count: int


class Witness(msgspec.Struct, frozen=True, omit_defaults=True):
    """The smallest input for which a result is wrong, and the command that shows it again."""

    inputs: tuple[str, ...]
    expected: str
    got: str
    command: str = ""


class BackendResult(msgspec.Struct, frozen=True, omit_defaults=True):
    """
    The results of a backend. The checksum is the sum, modulo 2^64, of each word of the results times 2 k + 1, k being its number; for all 2^32
    inputs in their order, it is the same on any machine. `error_ulps` is the largest error of an approximate op.
    """

    backend: BackendName | Literal["c"]
    target: str
    inputs: int
    checksum: str
    wrong: int
    error_ulps: float | None = None
    witness: Witness | None = None


class LawResult(msgspec.Struct, frozen=True, omit_defaults=True):
    """A law, checked on the interpreter."""

    law: str
    inputs: int
    broken: int
    witness: Witness | None = None


class Entry(msgspec.Struct, frozen=True, omit_defaults=True):
    """
    The evidence about one op. `claim` is `all inputs` if every input of the signature was compared, or `these inputs`; for an op whose
    correctness is not decided by trying, `note` says what is not proven.
    """

    op: str
    signature: str
    min_input_bytes: int
    oracle: str
    claim: str
    status: Status
    inputs: tuple[Inputs, ...]
    backends: tuple[BackendResult, ...]
    laws: tuple[LawResult, ...] = ()
    bound_ulps: int = 0
    note: str = ""


class Certificate(msgspec.Struct, frozen=True):
    """The ops of one track. Tracks are never mixed. `missing` says which backends did not run, and why."""

    schema: Literal["ptir.vyre.certificate.v1"]
    track: Track
    seed: int
    status: Status
    missing: tuple[str, ...]
    entries: tuple[Entry, ...]

    def json(self) -> str:
        """Returns the certificate with a line for each op, so that a comparison of two shows the ops that differ."""
        head = msgspec.json.encode(msgspec.structs.replace(self, entries=())).decode().removesuffix("]}")
        entries = ",\n".join(msgspec.json.encode(entry).decode() for entry in self.entries)
        return f"{head}\n{entries}\n]}}\n"

    def text(self) -> str:
        """Returns a line for each op, and the witnesses."""
        lines = [line for entry in self.entries for line in _lines(entry)]
        passed = sum(entry.status == "PASS" for entry in self.entries)
        return "\n".join(
            [*lines, *self.missing, f"{self.track}: {passed} of {counted(len(self.entries), 'op')} passed", ""]
        )


def _lines(entry: Entry) -> list[str]:
    tried = sum(part.count for part in entry.inputs)
    where = ", ".join(f"{b.backend} on {b.target}" if b.backend == "wgsl" else b.backend for b in entry.backends)
    errors = [b.error_ulps for b in entry.backends if b.error_ulps is not None]
    within = f", error {max(errors):.3g} of {entry.bound_ulps} ulp" if errors else ""
    lines = [f"{entry.status} {entry.op} {entry.signature}: {entry.claim} ({tried}){within}; {where}"]
    for found in (*entry.backends, *entry.laws):
        if (w := found.witness) is not None:
            what = found.law if isinstance(found, LawResult) else found.backend
            lines.append(f"  {what}: {entry.op}({', '.join(w.inputs)}) is {w.got}, expected {w.expected}")
            lines += [f"  {w.command}"] * bool(w.command)
    return lines


def json_schema() -> dict[str, Any]:
    """Returns the JSON Schema of a certificate."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **msgspec.json.schema(Certificate)}


def read_certificate(text: str | bytes) -> Certificate:
    """Reads a certificate. Raises `msgspec.ValidationError`."""
    return msgspec.json.decode(text, type=Certificate)
