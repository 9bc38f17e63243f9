"""
`ptir-run` for programs of the `vyre` dialect: buffers from the command line, a dispatch, and the buffers that it wrote.

```
ptir-run checksum.mlir --buffer in=text:hello --buffer out=zeros:1 --buffer params=numbers:5,0,0,0
ptir-run decode.mlir --buffer in=file:mail.b64 --buffer out=zeros:4096 … --workgroups 4 --target wgsl --write out=mail.bin
```
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from io import BytesIO
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from ..dialects import vyre
from ..dialects.vyre.types import WORD_BYTES, bytes_
from ..semantics.arrays.scalars import Array
from ..semantics.vyre import dispatch, find_program
from ..semantics.vyre.rules import dtype
from .errors import BadInputs
from .npz import Npz
from .output import Output, write_file

OPTIONS = {"entry", "inputs", "buffer", "workgroups", "target", "arch", "compare", "schedule", "output", "write"}
"""Options that say how a program is dispatched."""
ANY = {"program", "max_input_size", "debug"}
MAX_BYTES = 1 << 30
"""Size of an array of zeros or of an archive."""
SHOWN = 16
"""Number of elements, or of words of `Bytes`, that are printed of a buffer."""
KINDS = "text:TEXT, hex:DIGITS, file:FILE, numbers:1,2,3 or zeros:COUNT"


def is_dispatched(module: ModuleOp) -> bool:
    """Returns whether a module has programs, and no functions."""
    kinds = {type(op) for op in module.ops}
    return vyre.ProgramOp in kinds and kinds <= {vyre.ProgramOp, vyre.OpOp}


def refuse_options(args: argparse.Namespace, *, dispatched: bool) -> None:
    """Raises `BadInputs` for options that the kind of program does not have."""
    named: Sequence[str] = vars(args).get("given", ())
    given = {*named, *["buffer"] * bool(args.buffer), *["write"] * bool(args.write)} - ANY
    wrong = given - OPTIONS if dispatched else given & {"buffer", "workgroups", "write"}
    if not dispatched and args.target == "wgsl":
        raise BadInputs(problem="--target wgsl runs programs of vyre", help="use reference, emulator or cuda")
    if dispatched and args.target == "cuda":
        raise BadInputs(problem="--target cuda runs functions", help="use reference, emulator or wgsl")
    for name in sorted(wrong):
        kind = "functions" if dispatched else "programs of vyre"
        raise BadInputs(problem=f"--{name.replace('_', '-')} is an option for {kind}", help="leave it out")


def run_dispatch(module: ModuleOp, args: argparse.Namespace) -> int:
    """Executes a program as the command line says; returns the exit status: 1 if a comparison fails."""
    refuse_options(args, dispatched=True)
    program = find_program(module, args.entry)
    buffers = read_buffers(program, args.inputs, args.buffer)
    targets = _assignments(program, "--write", args.write, "FILE")
    workgroups = args.workgroups or (1, 1, 1)
    results = _dispatch(module, program, buffers, workgroups, args)
    written = [b for b in program.bound() if b.type.access.writable]
    for b in written:
        name = b.label.data
        values = _typed(b, results[name])
        print(f"{name}: {b.type.dtype.word}{list(values.shape)} {shown(b, values)}")
    if args.output is not None:
        output = Output(args.output)
        output.write(_npz({b.label.data: _typed(b, results[b.label.data]) for b in written}))
        output.commit()
    for name, path in targets.items():
        values = _typed(_declared(program, name), results[name])
        write_file(path, _npy(values) if path.endswith(".npy") else values.tobytes())
    if args.compare is None:
        return 0
    want = dispatch(program, buffers, workgroups)
    failed = False
    for name, words in want.items():
        wrong = np.flatnonzero(words != results[name])
        failed |= wrong.size > 0
        if wrong.size:
            k = int(wrong[0])
            print(
                f"{name}: word {k} is {results[name][k]:#010x}, the reference has {words[k]:#010x} ({wrong.size} differ)"
            )
    if not failed:
        print("equal to the reference, bit for bit")
    return int(failed)


def _dispatch(
    module: ModuleOp,
    program: vyre.ProgramOp,
    buffers: Mapping[str, Array],
    workgroups: Sequence[int],
    args: argparse.Namespace,
) -> dict[str, Array]:
    name = program.sym_name.data
    if args.target == "reference":
        return dispatch(program, buffers, workgroups)
    if args.target == "wgsl":
        from ..runtime.wgsl import WgslProgram

        return WgslProgram(module, name).dispatch(buffers, workgroups)
    from ..runtime.vyre import PtxPrograms

    return PtxPrograms.compile(module, args.arch).dispatch(buffers, workgroups, name, args.schedule)


def read_buffers(program: vyre.ProgramOp, path: Path | None, texts: Sequence[str]) -> dict[str, Array]:
    """Returns the arrays of an npz file and of `NAME=KIND:VALUE`. Raises `BadInputs`; a dispatch checks names and sizes."""
    buffers: dict[str, Array] = {}
    if path is not None:
        with Npz(path) as archive:
            buffers = {name: archive.array(name, _limited) for name in archive.names}
    for name, text in _assignments(program, "--buffer", texts, "KIND:VALUE").items():
        buffers[name] = _values(_declared(program, name), text)
    return buffers


def _limited(shape: tuple[int, ...], size: int) -> None:
    """Refuses an array of an archive that is too large to read: a small archive may hold one."""
    if prod(shape) * size > MAX_BYTES:
        raise BadInputs(
            problem=f"an array has {prod(shape) * size} bytes", help=f"use arrays of up to {MAX_BYTES} bytes"
        )


def _declared(program: vyre.ProgramOp, name: str) -> vyre.BufferOp:
    found = next((b for b in program.bound() if b.label.data == name), None)
    if found is None:
        known = ", ".join(b.label.data for b in program.bound()) or "none"
        raise BadInputs(program, problem=f"the program has no buffer '{name}'", help=f"its buffers are {known}")
    return found


def _assignments(program: vyre.ProgramOp, option: str, texts: Sequence[str], what: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not value or name in found:
            problem = f"{option} gives '{name}' twice" if name in found else f"{option} {text} is not NAME={what}"
            raise BadInputs(program, problem=problem, help=f"write {option} NAME={what}, once for each buffer")
        _declared(program, name)
        found[name] = value
    return found


def _values(buffer: vyre.BufferOp, text: str) -> Array:
    """Returns the array that a text of the command line describes. `Bytes` are filled with zeros to whole words."""
    kind, _, value = text.partition(":")
    name = buffer.label.data
    if kind not in READERS:
        raise BadInputs(buffer, problem=f"buffer '{name}' is given as '{text}'", help=f"write {KINDS}")
    try:
        array = READERS[kind](buffer, value)
    except (OSError, ValueError, OverflowError) as error:
        problem = f"cannot read buffer '{name}' from {kind}:{value[:40]}: {error}"
        raise BadInputs(buffer, problem=problem, help=f"write {KINDS}") from error
    if buffer.type.dtype == bytes_:
        data = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
        return np.pad(data, (0, -data.size % WORD_BYTES))
    return array


def _numbers(buffer: vyre.BufferOp, text: str) -> Array:
    t = _dtype(buffer)
    values = [int(part, 0) for part in text.split(",")]
    low, high = int(np.iinfo(t).min), int(np.iinfo(t).max)
    if wrong := [v for v in values if not low <= v <= high]:
        raise ValueError(f"{wrong[0]} is not from {low} to {high}")
    return np.array(values, t)


def _zeros(buffer: vyre.BufferOp, text: str) -> Array:
    count = int(text or buffer.elements or 0)
    size = count * buffer.type.dtype.words * WORD_BYTES
    if not 0 <= size <= MAX_BYTES:
        raise ValueError(f"{size} bytes are not from 0 to {MAX_BYTES}")
    return np.zeros(size, np.uint8)


def _file(_: vyre.BufferOp, path: str) -> Array:
    if not Path(path).is_file():
        raise OSError("it is not a regular file")
    if path.endswith(".npy"):
        return np.load(path, mmap_mode="r", allow_pickle=False)
    return np.fromfile(path, np.uint8)


READERS: dict[str, Callable[[vyre.BufferOp, str], Array]] = {
    "text": lambda _, text: np.frombuffer(text.encode("utf-8", "surrogateescape"), np.uint8),
    "hex": lambda _, text: np.frombuffer(bytes.fromhex(text), np.uint8),
    "file": _file,
    "numbers": _numbers,
    "zeros": _zeros,
}


def _dtype(buffer: vyre.BufferOp) -> np.dtype[Any]:
    """Returns NumPy's type of the numbers of a buffer: bytes, the integers of vectors, and 0 and 1 of Bool."""
    t = buffer.type.dtype
    if t == bytes_:
        return np.dtype(np.uint8)
    return np.dtype(dtype(t)) if t.BITS else np.dtype(np.uint32)


def _typed(buffer: vyre.BufferOp, words: Array) -> Array:
    """Returns the words of a buffer as an array of its elements; vectors are rows."""
    t = _dtype(buffer)
    columns = buffer.type.dtype.words * WORD_BYTES // t.itemsize
    values = words.view(t)
    return values if columns == 1 or buffer.type.dtype == bytes_ else values.reshape(-1, columns)


def shown(buffer: vyre.BufferOp, values: Array) -> str:
    """Returns the first elements as text: numbers, and `Bytes` as hexadecimal digits."""
    if buffer.type.dtype == bytes_:
        head, rest = values[: SHOWN * WORD_BYTES], values.size > SHOWN * WORD_BYTES
        return head.tobytes().hex() + (" …" if rest else "")
    head = values[:SHOWN].tolist()
    return str(head)[:-1] + ", …]" if len(values) > SHOWN else str(head)


def _npz(arrays: Mapping[str, Array]) -> bytes:
    file = BytesIO()
    np.savez(file, **arrays)  # pyright: ignore[reportArgumentType]
    return file.getvalue()


def _npy(array: Array) -> bytes:
    file = BytesIO()
    np.save(file, array)
    return file.getvalue()
