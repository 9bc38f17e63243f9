"""
`ptir-conform`: certifies that ops are what they should be, on every backend.

    ptir-conform vyre --track integer -o integer.json
    ptir-conform vyre --only fexp.f32,fadd.f16 --backends interpreter,ptx
    ptir-conform vyre --only fexp.f32 --all-inputs --state exp.jsonl
    ptir-conform vyre mine.mlir --only popcount
    ptir-conform vyre --only add.u32 --input 0x1,0xffffffff
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from .console import run_command

if TYPE_CHECKING:
    import argparse

    from ..conformance.certificate import BackendResult
    from ..conformance.domains import Domain
    from ..conformance.running import Backend
    from ..conformance.subjects import Subject


def main(argv: Sequence[str] | None = None) -> None:
    """Entry point of the command line. Never ends in a traceback without `--debug`."""
    run_command(_run, argv)


def _run(argv: Sequence[str]) -> int:
    from ..text.parsing import allow_deep_nesting
    from .arguments import conform_arguments

    allow_deep_nesting()
    return run(conform_arguments(__doc__).parse(argv))


def run(args: argparse.Namespace) -> int:
    """Executes the command and returns its exit status: 1 if an op fails."""
    import json
    import sys

    from ..conformance.certificate import json_schema
    from ..conformance.certify import Options, certify
    from .output import Output

    output = Output(args.output_file)
    if args.json_schema:
        output.write(json.dumps(json_schema(), indent=2) + "\n")
        output.commit()
        return 0
    chosen = chosen_subjects(args)
    if args.list:
        output.write("".join(f"{s.track:12} {s.name:24} {s.signature_text}\n" for s in chosen))
        output.commit()
        return 0
    backends, missing = chosen_backends(args)
    options = Options(
        backends=backends,
        missing=missing,
        seed=args.seed,
        count=args.count,
        given=given_inputs(chosen, args.input) if args.input else None,
        source="" if args.file is None else f"{args.file} ",
        every=_every(args),
    )

    def done(entry: Any) -> None:
        if sys.stderr.isatty():
            print(f"{entry.status} {entry.op}", file=sys.stderr)

    certificate = certify(chosen, options, done)
    text = certificate.json() if args.format == "json" else certificate.text()
    if args.output_file is None:
        output.write(text)
    else:
        output.write(certificate.json())
        print(certificate.text(), end="")
    output.commit()
    return int(certificate.status == "FAIL")


def chosen_subjects(args: argparse.Namespace) -> list[Subject]:
    """Returns what the command line names. Raises `UnknownSubject`, and the errors of a file."""
    from ..conformance.errors import UnknownSubject
    from ..conformance.subjects import subjects
    from ..text.suggest import did_you_mean

    known = subjects()
    if args.file is not None:
        known = implementations(args.file, args.max_input_size)
    names = list(known) if args.only is None else args.only.split(",")
    for name in names:
        if name not in known:
            where = "of this file" if args.file is not None else ""
            help = did_you_mean(name, known) or "ptir-conform vyre --list names the ops"
            raise UnknownSubject(problem=f"no op {where} is called '{name}'".replace("  ", " "), help=help)
    chosen = [known[name] for name in names if args.track in (None, known[name].track)]
    if names and not chosen:
        tracks = {known[name].track: name for name in reversed(names)}
        problem = " and ".join(f"{name} is in the {track} track" for track, name in tracks.items())
        raise UnknownSubject(
            problem=f"{problem}, not in --track {args.track}", help=f"choose --track {' or '.join(tracks)}"
        )
    return chosen


def implementations(path: str, size: int) -> dict[str, Subject]:
    """Returns the ops of a file that have the name of an op that can be certified."""
    from ..conformance.certify import implementation
    from ..conformance.errors import UnknownSubject
    from ..conformance.subjects import subjects
    from ..dialects import vyre
    from ..passes.environment import make_context
    from ..text.parsing import parse_text
    from ..text.verify import verify_module
    from .output import read_input, shown

    module = parse_text(read_input(path, size), make_context(), shown(path))
    verify_module(module)
    known = subjects()
    ops = [op for op in module.ops if isinstance(op, vyre.OpOp)]
    found = {name: implementation(known[name], op) for op in ops if (name := op.sym_name.data) in known}
    if not found:
        help = "name a vyre.op as what it implements: @popcount, @add.u32, @fexp.f32; --list names all"
        raise UnknownSubject(module, problem="no op of this file has an oracle", help=help)
    return found


def chosen_backends(args: argparse.Namespace) -> tuple[list[Backend], list[str]]:
    """Returns the backends that the command line names, by default all that there are, and why others are missing."""
    from ..conformance.running import BACKENDS, available, backend

    if args.backends is None:
        return available(args.arch)
    return [backend(name, args.arch) for name in BACKENDS if name in args.backends], []


def given_inputs(chosen: Sequence[Subject], texts: Sequence[str]) -> Domain:
    """Returns the inputs of `--input`. Raises `UnknownSubject` if one is not the chosen op's."""
    import numpy as np

    from ..conformance.domains import Domain
    from ..conformance.errors import UnknownSubject
    from ..dialects import vyre
    from ..dialects.vyre.types import BufferType

    if len(chosen) != 1 or isinstance(chosen[0].definition, vyre.ProgramOp):
        raise UnknownSubject(problem=f"--input is an input of {len(chosen)} ops", help="choose one op with --only")
    subject = chosen[0]
    rows = [_operands(subject, text) for text in texts]
    columns = zip(*rows, strict=True)
    joined = (
        c[0] if isinstance(t, BufferType) else np.concatenate(c) for c, t in zip(columns, subject.types, strict=True)
    )
    return Domain("given", "given", tuple(joined), len(rows))


def _operands(subject: Subject, text: str) -> list[Any]:
    import numpy as np

    from ..conformance.errors import UnknownSubject
    from ..conformance.values import parsed
    from ..dialects.vyre.types import BufferType

    help = f"{subject.name} takes {subject.signature_text}: write a number for each operand, A:B:… for a vector, bytes:DIGITS for a buffer"
    parts = text.split(",")
    if len(parts) != len(subject.types):
        raise UnknownSubject(problem=f"--input {text} has {len(parts)} operands", help=help)
    try:
        return [
            np.frombuffer(bytes.fromhex(part.removeprefix("bytes:")), np.uint32)
            if isinstance(t, BufferType)
            else parsed(part, t)
            for part, t in zip(parts, subject.types, strict=True)
        ]
    except ValueError as error:
        raise UnknownSubject(problem=f"--input {text}: {error}", help=help) from error


def _every(args: argparse.Namespace) -> Callable[[Subject], BackendResult | None] | None:
    """Returns what tries all inputs of a function of binary32, if `--all-inputs` asks for it."""
    from functools import partial
    from pathlib import Path

    from ..conformance.every_input import tried

    return partial(tried, state=None if args.state is None else Path(args.state)) if args.all_inputs else None


if __name__ == "__main__":
    main()
