"""
All 2^32 inputs of a function of binary32, in chunks that are kept in a file, so that a run which was stopped goes on where it was.

The function's graph is compiled as C and tried; the interpreter evaluates the same graph, and is compared with its oracle on the other inputs.
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from .certificate import BackendResult, Witness
from .errors import UnknownSubject
from .exhaustive import CHUNKS, NAMES, OPTIONS, chunk
from .subjects import Subject, subjects


class Chunk(msgspec.Struct, frozen=True, tag="chunk"):
    """The outcome for a chunk of the inputs of a function: a line of the file."""

    function: str
    number: int
    checksum: str
    judged: int
    wrong: tuple[tuple[str, str, str], ...]


def tried(subject: Subject, state: Path | None = None) -> BackendResult | None:
    """
    Returns what was found, or None if the op is not a function of one binary32 number, or a user's. Raises `MissingOracle`, and
    `UnknownSubject` if the file is another.
    """
    name = subject.function
    if name not in NAMES or not subject.name.endswith(".f32") or subject is not subjects().get(subject.name):
        return None
    known = {line.number: line for line in _lines(state) if line.function == name}
    for number in range(CHUNKS):
        if number not in known:
            part = chunk(name, number)
            known[number] = Chunk(name, number, part.checksum, part.judged, part.wrong)
            _keep(state, known[number])
    total = sum(int(line.checksum, 16) for line in known.values()) % 2**64
    wrong = [found for line in known.values() for found in line.wrong]
    witness = None
    if wrong:
        x, got, want = min(wrong, key=lambda found: int(found[0], 16) & 0x7FFFFFFF)
        command = f"ptir-conform vyre --only {subject.name} --input {x}"
        witness = Witness((x,), want, got, command)
    return BackendResult("c", " ".join(("cc", *OPTIONS)), 1 << 32, f"{total:016x}", len(wrong), None, witness)


def _keep(state: Path | None, line: Chunk) -> None:
    """Appends a line, after one that was cut off."""
    if state is not None:
        text = state.read_bytes() if state.exists() else b""
        with state.open("ab") as file:
            file.write(b"\n" * (text[-1:] not in (b"", b"\n")) + msgspec.json.encode(line) + b"\n")


def _lines(state: Path | None) -> list[Chunk]:
    """Returns the lines of a file. A line that was cut off is not among them."""
    if state is None or not state.exists():
        return []
    try:
        lines = [line for line in state.read_bytes().splitlines() if line.endswith(b"}")]
        return [msgspec.json.decode(line, type=Chunk) for line in lines]
    except (OSError, msgspec.DecodeError) as error:
        problem = f"{state} is not a file of --state: {error}"
        raise UnknownSubject(problem=problem, help="name a new file, or one that --all-inputs wrote") from error
