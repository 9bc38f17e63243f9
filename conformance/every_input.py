"""
All 2^32 inputs of a function of binary32, in chunks that are kept in a file, so that a run which was stopped goes on where it was.

What is tried is the function's graph, compiled as C; the interpreter evaluates the same graph, and is compared with it on the other inputs.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from .certificate import BackendResult, Witness
from .exhaustive import CHUNKS, NAMES, OPTIONS, Part, chunk
from .subjects import Subject, subjects


def tried(subject: Subject, state: Path | None = None) -> BackendResult | None:
    """Returns what was found, or None if the op is not a function of one binary32 number, or a user's. Raises `MissingOracle`."""
    name = subject.function
    if name not in NAMES or not subject.name.endswith(".f32") or subject is not subjects().get(subject.name):
        return None
    known = {line["chunk"]: line for line in _lines(state) if line["function"] == name}
    for number in range(CHUNKS):
        if number not in known:
            known[number] = _line(name, number, chunk(name, number))
            if state is not None:
                with state.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(known[number]) + "\n")
    total = sum(int(line["checksum"], 16) for line in known.values()) % 2**64
    wrong = [pair for number in range(CHUNKS) for pair in known[number]["wrong"]]
    witness = None
    if wrong:
        x, got, want = min(wrong, key=lambda pair: int(pair[0], 16) & 0x7FFFFFFF)
        command = f"ptir-conform vyre --only {subject.name} --input {x}"
        witness = Witness((x,), want, got, command)
    return BackendResult("c", " ".join(("cc", *OPTIONS)), 1 << 32, f"{total:016x}", len(wrong), None, witness)


def _line(name: str, number: int, part: Part) -> dict[str, Any]:
    return {"function": name, "chunk": number, "checksum": part.checksum, "judged": part.judged, "wrong": part.wrong}


def _lines(state: Path | None) -> list[dict[str, Any]]:
    """Returns the lines of a file. A line that was cut off is not among them."""
    if state is None or not state.exists():
        return []
    return [json.loads(line) for line in state.read_text("utf-8").splitlines() if line.endswith("}")]
