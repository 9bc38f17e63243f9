"""
The parts of the campaign. A part has numbered tasks; a task returns a line of the journal, whose `problem` is empty if all is well.

- `mutants`: every mutation of every intent, and each `LOWERED`-th one of intents whose macros are lowered, must FAIL, but for those
  that are shown to be equivalent.
- `correct`: the candidates of `variants.py` and the oracles must not FAIL.
- `kernels`: the kernels for sm80 and sm90 of every intent must PASS, in the emulator.
- `json`: mutated files are read or refused with an error that has a code.
"""

from __future__ import annotations

import json
import random
import time
import traceback
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

import ptir
from ptir.errors import PtirError
from ptir.intent import CompiledCandidate, Intent
from ptir.verification import Candidate
from ptir.verification.cases import Cases
from ptir.verification.differential import Comparison
from tests.unit.builders.intents import EXAMPLES, Example, OracleCandidate

from .equivalents import EQUIVALENT
from .mutations import Mutation, lowered, mutations
from .variants import variants

Line = dict[str, Any]
LOWERED = 24
ARCHS = ("sm80", "sm90")
FILES = 500
"""The number of mutated files in a task."""


@dataclass(frozen=True)
class Task:
    part: str
    name: str
    run: Callable[[], Line]

    @property
    def key(self) -> str:
        return f"{self.part}: {self.name}"

    def line(self) -> Line:
        start = time.process_time()
        try:
            found = self.run()
        except Exception:  # an internal error is a finding, not the end of the campaign
            found = {"problem": traceback.format_exc(limit=-3)}
        return {"part": self.part, "name": self.name, **found, "seconds": round(time.process_time() - start, 2)}


def tasks() -> Iterator[Task]:
    """Yields all tasks, part by part."""
    for example in EXAMPLES:
        source = example.load()
        for mutation in mutations(source):
            name = f"{example.name}: {mutation.name}"
            yield Task("mutants", name, partial(_mutant, example, source, mutation, name))
        other = lowered(source)
        if any(op.name not in {o.name for o in source.function.walk()} for op in other.function.walk()):
            for mutation in list(mutations(other))[::LOWERED]:
                name = f"{example.name}, lowered: {mutation.name}"
                yield Task("mutants", name, partial(_mutant, example, other, mutation, name))
    for example in EXAMPLES:
        source = example.load()
        for candidate in (OracleCandidate(example, source.function), *variants(source.function)):
            name = f"{example.name}: {candidate.name}"
            yield Task("correct", name, partial(_correct, example, source, candidate))
    for example in EXAMPLES:
        for arch in ARCHS:
            yield Task("kernels", f"{example.name} {arch}", partial(_kernels, example, arch))
    for k in range(20_000 // FILES):
        yield Task("json", f"files {k * FILES} to {(k + 1) * FILES - 1}", partial(_files, k))


def _mutant(example: Example, source: Intent, mutation: Mutation, name: str) -> Line:
    mutant = mutation.applied(source)
    if mutant is None:
        return {"status": "refused", "problem": ""}
    reason = EQUIVALENT.get(name, "")
    status = example.load().verify(mutant, layers=("differential",), sizes=example.sizes, shrinks=False).status
    if status != "FAIL":
        status = example.load().verify(mutant, layers=("stability",), sizes=example.sizes, shrinks=False).status
    if reason:
        return {"status": status, "reason": reason, "problem": "is no equivalent" * (status == "FAIL")}
    return {"status": status, "problem": "survives" * (status != "FAIL")}


def _correct(example: Example, source: Intent, candidate: Candidate) -> Line:
    report = source.verify(
        candidate, layers=("differential", "stability"), sizes=example.sizes, cases=16, shrinks=False
    )
    return {"status": report.status, "problem": report.text() if report.status != "PASS" else ""}


def _kernels(example: Example, arch: str) -> Line:
    """Compares small integers, random numbers and extremes at two bindings: all sizes differ, and sizes beside those of tiles."""
    source = example.load()
    cases, compare = (
        Cases(source.function, 0, example.sizes),
        Comparison(source.function, CompiledCandidate(source, arch)),
    )
    small = {**{s: k + 2 for k, s in enumerate(source.symbols)}, **example.sizes}
    bindings = [small if cases.allows(small) else cases.binding(np.random.default_rng(0), (2, 3, 4))]
    bindings.append(cases.binding(np.random.default_rng(1), (4, 16, 17, 32, 33)))
    found: list[str] = []
    for binding in bindings:
        for number in range(3):
            case = None if binding is None else cases.with_binding(number, binding)
            if case is not None and (difference := compare(case)) is not None:
                found.append(f"{case.kind} {binding}: {difference.text()}")
    checked = sum(compare.counts.values())
    return {"status": f"{checked} cases", "problem": "; ".join(found) or "no case" * (checked == 0)}


def mutated(text: str, rng: random.Random) -> str:
    """Returns the text with one to three mutations: of characters, pieces, strings, values or fields."""
    for _ in range(rng.choice((1, 1, 2, 3))):
        text = _mutated_once(text, rng)
    return text


PIECES = ('"', "{", "]", "null", "-1", "1e999", '"M"', '"$x"', '"__import__(1)"', "[[]]", "9" * 40, "\\u0000", ",", "NaN",
          "true", "1.5", '"ceildiv(M, 0)"', '"' + "(" * 60, "-0", '""', "{}", '"../x.mlir"', "\ud800", "é", "[" * 200)  # fmt: skip


def _mutated_once(text: str, rng: random.Random) -> str:
    if not text:
        return rng.choice(PIECES)
    at, end = sorted((rng.randrange(len(text)), rng.randrange(len(text))))
    piece = rng.choice(PIECES)
    match rng.randrange(7):
        case 0:
            return text[:at] + piece + text[at:]
        case 1:
            return text[:at] + text[min(end, at + 20) :]
        case 2:
            words = text.split('"')
            i, j = rng.randrange(len(words)), rng.randrange(len(words))
            words[i], words[j] = words[j], words[i]
            return '"'.join(words)
        case 3:
            return text[:at] + text[at:end] * 2 + text[end:]
        case 4:
            return text.replace(rng.choice(("f32", "M", "N", "x", "y", "op", "[", "1")), piece.strip('"'), 1)
        case _:
            return _mutated_value(text, piece, rng)


def _mutated_value(text: str, piece: str, rng: random.Random) -> str:
    """Replaces, drops or repeats a value of the document, if the text is one."""
    try:
        document = json.loads(text)
        value = json.loads(piece)
    except (ValueError, RecursionError):
        return text
    places: list[tuple[Any, Any]] = []

    def visit(node: Any) -> None:
        for key in node if isinstance(node, dict) else range(len(node)) if isinstance(node, list) else ():
            places.append((node, key))
            visit(node[key])

    visit(document)
    if not places:
        return text
    (node, key), (other, name) = rng.choice(places), rng.choice(places)
    match rng.randrange(4):
        case 0:
            node[key] = value
        case 1:
            node[key] = json.loads(json.dumps(other[name]))
        case 2:
            del node[key]
        case _ if isinstance(node, list):
            node.insert(rng.randrange(len(node) + 1), json.loads(json.dumps(other[name])))
        case _:
            node[rng.choice(("level", "axes", "shape", "op", "attrs", "x"))] = node[key]
    return json.dumps(document)


def _files(number: int) -> Line:
    """Reads mutated files. Any exception but a `PtirError` is an internal error, and no code of theirs runs."""
    rng = random.Random(number)
    texts = [json.dumps(e.json()) for e in EXAMPLES] + [json.dumps(EVERYTHING)]
    refused = 0
    for k in range(FILES):
        text = mutated(rng.choice(texts), rng)
        try:
            ptir.intent.parse(text)
        except PtirError as error:
            refused += 1
            if error.code in ("", "PTIR0699"):
                return {"status": "internal", "problem": f"file {k}: {error}"}
        except Exception as error:
            return {"status": "internal", "problem": f"file {k}: {type(error).__name__}: {error}\n{text[:3000]!r}"}
    return {"status": f"{refused} refused", "problem": ""}


EVERYTHING: Mapping[str, Any] = {
    **next(e for e in EXAMPLES if e.name == "linear").json(),
    "parallel_axes": ["M"],
    "axis_roles": {"M": "spatial", "K": "reduction"},
    "schedule": {"tile_m": 64, "vec_width": "VEC", "axis_bindings": {"tile_m": "M"}, "memory_hint": {"a": "smem"}},
    "contract": {"level": "PARTIAL", "assumptions": ["M % 2 == 0", "finite(a) and 0 <= w < N"]},
    "meta": {"by": [1, 2.5, None, {"x": True}]},
}
"""A file with all fields."""
