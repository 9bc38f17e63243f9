"""Certifies ops: compares each with its oracle on every backend, checks its laws, and keeps the smallest witness of what is wrong."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.traits import SymbolTable

from ..dialects import vyre
from ..dialects.vyre.floats import format_of
from ..dialects.vyre.types import FLOATS, BufferType, DataType
from ..text.verify import verify_module
from .certificate import SCHEMA, BackendResult, Certificate, Entry, Inputs, LawResult, Status, Witness
from .domains import Domain, Type, domains, legal_part
from .errors import MixedTracks, UnknownSubject
from .floats import SIGN
from .library import PROGRAMS
from .running import Backend, Function, reached
from .subjects import Subject, Track, signature_text
from .ulps import errors
from .values import shown

Array = npt.NDArray[Any]
LAW_INPUTS = 4096
POWER = (
    "what decides is the accurate path, whose error is about 2^-95; exact results and midpoints are known by a criterion. That it rounds every "
    "pair correctly is not proven: one of 2^60 is expected with probability 2^-10 to lie closer to a boundary"
)


@dataclass(frozen=True)
class Options:
    """Options of a certification. `count` limits the inputs of a domain; `given` are the inputs to try instead; `source` is named in commands."""

    backends: Sequence[Backend]
    missing: Sequence[str] = ()
    seed: int = 0
    count: int | None = None
    given: Domain | None = None
    source: str = ""
    every: Callable[[Subject], BackendResult | None] | None = None
    """Returns the result for all inputs of a function of binary32, or None."""


def certify(chosen: Sequence[Subject], options: Options, done: Callable[[Entry], None] = lambda _: None) -> Certificate:
    """Certifies ops of one track, and calls `done` after each. Raises `MixedTracks`."""
    track = track_of(chosen)
    entries: list[Entry] = []
    for subject in chosen:
        entries.append(_certified(subject, options))
        done(entries[-1])
    status = "FAIL" if any(e.status == "FAIL" for e in entries) else "PASS"
    return Certificate(SCHEMA, track, options.seed, status, tuple(options.missing), tuple(entries))


def track_of(chosen: Sequence[Subject]) -> Track:
    """Returns the track of ops, of which there is at least one. Raises `MixedTracks` if they have several."""
    first: dict[Track, str] = {}
    for subject in chosen:
        first.setdefault(subject.track, subject.name)
    if len(first) > 1:
        named = " and ".join(f"{name} ({track})" for track, name in first.items())
        raise MixedTracks(
            problem=f"{named} are not certified together", help=f"choose one of --track {', '.join(first)}"
        )
    return next(iter(first))


def implementation(subject: Subject, op: vyre.OpOp) -> Subject:
    """
    Returns an op of the user's as an implementation of what a subject is. Raises `UnknownSubject` if its types are others, and `MixedTracks`
    if it computes with floats of another track.
    """
    if (
        isinstance(subject.definition, vyre.ProgramOp)
        or subject.types != tuple(arg.type for arg in op.inputs)
        or subject.signature != op.signature
    ):
        problem = (
            f"@{subject.name} is {signature_text(op.signature)}, but what it implements is {subject.signature_text}"
        )
        raise UnknownSubject(op, problem=problem, help="give it these types, or another name")
    for part in reached(op):
        for inner in part.body.walk():
            kind = _float_track(inner)
            if kind is not None and subject.track != "integer" and kind != subject.track:
                problem = f"@{subject.name} is in the {subject.track} track, but computes with {kind} floats"
                raise MixedTracks(inner, problem=problem, help=f"use vyre.{subject.track}")
    return replace(subject, definition=op)


def _float_track(op: Operation) -> Track | None:
    return "approximate" if isinstance(op, vyre.ApproximateOp) else "strict" if isinstance(op, vyre.StrictOp) else None


# --- one op -------------------------------------------------------------------------------------


def _certified(subject: Subject, options: Options) -> Entry:
    if isinstance(subject.definition, vyre.ProgramOp):
        return _program(subject, subject.definition, options)
    assert subject.oracle is not None
    parts = _inputs(subject, options)
    wants = [subject.oracle(part.columns) for part in parts]
    found = [
        _compared(subject, Function(subject.definition, where), where, parts, wants, options)
        for where in options.backends
    ]
    every = None if options.every is None else options.every(subject)
    laws = _laws(subject, options, parts)
    inputs = [Inputs(p.name, p.kind, p.count) for p in parts]
    if every is not None:
        inputs.append(Inputs("all inputs", "exhaustive", every.inputs))
        found.append(every)
    failed = any(b.wrong for b in found) or any(law.broken for law in laws)
    complete = every is not None or any(p.complete for p in parts)
    return _entry(subject, failed, complete, inputs, found, laws)


def _entry(
    subject: Subject,
    failed: bool,
    complete: bool,
    inputs: Iterable[Inputs],
    found: Iterable[BackendResult],
    laws: Iterable[LawResult],
) -> Entry:
    status: Status = "FAIL" if failed else "PASS"
    return Entry(
        op=subject.name,
        signature=subject.signature_text,
        min_input_bytes=subject.signature.min_input_bytes(),
        oracle=subject.judge,
        claim="all inputs" if complete else "these inputs",
        status=status,
        inputs=tuple(inputs),
        backends=tuple(found),
        laws=tuple(laws),
        bound_ulps=subject.bound,
        note=POWER if subject.function == "pow" else "",
    )


def _inputs(subject: Subject, options: Options) -> list[Domain]:
    if options.given is not None:
        return [options.given]
    generator = np.random.default_rng([options.seed, zlib.crc32(subject.name.encode())])
    parts = list(domains(subject.types, subject.function, generator))
    if (legal := subject.legal) is not None:
        parts = [part for p in parts if (part := legal_part(p, subject.types, legal)).count]
    return parts if options.count is None else [p.only(options.count, subject.types) for p in parts]


def _compared(
    subject: Subject,
    function: Function,
    where: Backend,
    parts: Sequence[Domain],
    wants: Sequence[Array],
    options: Options,
) -> BackendResult:
    gots = [function(*part.columns) for part in parts]
    error = None
    wrongs = [np.flatnonzero((got != want).any(axis=-1)) for got, want in zip(gots, wants, strict=True)]
    if subject.bound:
        t: Any = subject.signature.output
        ulps = [
            errors(subject.function or subject.name.split(".")[1], t, got, want, part.columns)
            for got, want, part in zip(gots, wants, parts, strict=True)
        ]
        error = max(float(u.max(initial=0)) for u in ulps)
        wrongs = [np.flatnonzero(u > subject.bound) for u in ulps]
    witness = None
    for part, got, want, wrong in zip(parts, gots, wants, wrongs, strict=True):
        if witness is None and wrong.size:
            k = smallest(part.columns, wrong, subject.types)
            witness = _witness(subject, part, k, (want[k], got[k]), options)
    count, wrong = sum(p.count for p in parts), sum(w.size for w in wrongs)
    return BackendResult(where.name, where.target, count, checksum(np.concatenate(gots)), wrong, error, witness)


def checksum(words: Array) -> str:
    flat = words.reshape(-1).astype(np.uint64)
    factors = 2 * np.arange(flat.size, dtype=np.uint64) + np.uint64(1)
    return f"{int(np.sum(flat * factors, dtype=np.uint64)):016x}"


def smallest(columns: Sequence[Array], among: Array, types: Sequence[Type]) -> int:
    """Returns the input among some whose operands are the smallest, in sum; the sign of a number does not count."""
    sizes: Array = np.zeros(len(among))
    for column, t in zip(columns, types, strict=True):
        if isinstance(t, BufferType):
            continue
        words = column[among].astype(np.float64)
        if t in FLOATS:
            words %= float(SIGN[format_of(t)])
        elif t.word == "i32":
            words = np.minimum(words, 2.0**32 - words)
        for k in range(words.shape[1]):
            sizes += words[:, k] * 2.0 ** (32 * k)
    return int(among[np.argmin(sizes)])


def _witness(subject: Subject, part: Domain, k: int, results: tuple[Array, Array], options: Options) -> Witness:
    output: Any = subject.signature.output
    inputs = tuple(
        f"bytes:{column.tobytes().hex()}" if isinstance(t, BufferType) else shown(column[k], t)
        for column, t in zip(part.columns, subject.types, strict=True)
    )
    want, got = (shown(r, output) for r in results)
    command = f"ptir-conform vyre {options.source}--only {subject.name} --input {','.join(inputs)}"
    return Witness(inputs, want, got, command)


def _laws(subject: Subject, options: Options, parts: Sequence[Domain]) -> list[LawResult]:
    if not subject.laws or not options.backends:
        return []
    function = Function(_definition(subject), options.backends[0])
    thinned = [p.only(LAW_INPUTS, subject.types) for p in parts]
    columns = [np.concatenate(c) for c in zip(*(p.columns for p in thinned), strict=True)]
    types = [t for t in subject.types if isinstance(t, DataType)]
    found: list[LawResult] = []
    for law in subject.laws:
        left, right, operands = law.sides(function, columns)
        broken = np.flatnonzero((left != right).any(axis=-1))
        witness = None
        if broken.size:
            t = types[0]
            k = smallest(operands, broken, [t] * len(operands))
            output: Any = subject.signature.output
            values = [shown(o[k], t) for o in operands]
            named = tuple(f"{name} = {value}" for name, value in zip(law.operands, values, strict=True))
            inputs = " ".join(f"--input {','.join(values[n] for n in row)}" for row in law.inputs(len(types)))
            command = f"ptir-conform vyre {options.source}--only {subject.name} {inputs}"
            witness = Witness(named, shown(right[k], output), shown(left[k], output), command)
        found.append(LawResult(law.name, len(left), int(broken.size), witness))
    return found


def _definition(subject: Subject) -> vyre.OpOp:
    assert isinstance(subject.definition, vyre.OpOp)
    return subject.definition


# --- programs of the library ----------------------------------------------------------------------


def _program(subject: Subject, program: vyre.ProgramOp, options: Options) -> Entry:
    case = PROGRAMS[subject.name]
    want = np.asarray(case.output()).astype(np.uint32)
    ops = {op for call in program.body.walk() if isinstance(call, vyre.CallOp) for op in reached(_callee(call))}
    module = ModuleOp([*(op.clone() for op in sorted(ops, key=lambda op: op.sym_name.data)), program.clone()])
    verify_module(module)
    found: list[BackendResult] = []
    for where in options.backends:
        got = where.load(module, subject.name)(case.buffers, (case.workgroups,))["out"]
        wrong = np.flatnonzero(got != want)
        witness = None
        if wrong.size:
            k = int(wrong[0])
            command = f"ptir-conform vyre {options.source}--only {subject.name}"
            witness = Witness((f"out[{k}]",), f"{want[k]:#x}", f"{got[k]:#x}", command)
        found.append(BackendResult(where.name, where.target, 1, checksum(got), int(wrong.size), None, witness))
    return _entry(subject, any(b.wrong for b in found), False, [Inputs("a dispatch", "sampled", 1)], found, ())


def _callee(call: vyre.CallOp) -> vyre.OpOp:
    found = SymbolTable.lookup_symbol(call, call.callee)
    assert isinstance(found, vyre.OpOp)
    return found
