"""
Compares the synchronous meaning of random tile programs with schedules of the asynchronous one, and with their C++, compiled by g++ with the
header of `tests/pto_headers`.

    python -m tests.pto_programs.cpp --count 1000 --state build/campaign/pto-cpp.journal --report tests/pto_programs/results/cpp.json

Programs are printed twice: in their order, and after events, pipelines and addresses, unless they have events of their own. What has events
also runs in a random order and in one that is adversarial, without a hazard. One of a hundred results may be misaligned, which a core does not have.
Many programs are compiled at once. The journal has a line for each program, so that a campaign that was stopped goes on from there. The report
counts the programs that have each op.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import re
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp

from ptir.analysis.pto.effects import tile_functions
from ptir.backends.pto.cpp_types import element_word
from ptir.backends.pto.emit import HEAD, print_pto
from ptir.dialects import pto
from ptir.errors import PtirError
from ptir.semantics.interpreter import call_on, interpreter
from ptir.semantics.pto_async.hazards import races
from ptir.semantics.pto_async.schedules import execute
from ptir.semantics.pto_async.trace import trace
from ptir.targets.pto.machines import MACHINES
from tests import journal

from .events import event_case
from .schedules import condition_case, loop_case, orders, parse, transform, vocabulary_case

HEADERS = Path(__file__).parents[1] / "pto_headers"
BATCH = 50
"""Programs of one C++ file."""
WAYS = ("synchronous", "events pipeline buffers")
SCHEDULES = "schedules"
"""The verdict on the orders of the last of these ways that a program has, or of its own events."""
ALIGNED = partial(vocabulary_case, misaligned=0.01)
CASES = {
    "loops": loop_case,
    "branches": condition_case,
    "vocabulary": ALIGNED,
    "conditions": partial(ALIGNED, conditions=True),
    "events": event_case,
}
"""The kinds of programs."""
LOWERED = tuple(kind for kind in CASES if kind != "events")
"""The kinds that are printed in both ways."""


class NotCompiled(Exception):
    """C++ that g++ does not compile, with its first error."""


@dataclass
class Entry:
    """A program, with the name of its kernel in each way that it is printed, and what it should compute."""

    key: str
    args: tuple[Any, ...]
    kernels: dict[str, str] = field(default_factory=dict[str, str])
    want: list[Any] = field(default_factory=list[Any])
    found: dict[str, str] = field(default_factory=dict[str, str])
    """The verdicts that need no C++."""


def scheduled(module: ModuleOp, entry: Entry, seed: int) -> str:
    """Runs a program with events in sampled orders. Returns `equal`, or how it differs from the interpreter."""
    (function,) = tile_functions(module)
    run = trace(module, function.sym_name.data, *entry.args)
    if found := races(run):
        return str(found[0].error())
    arrays = [a for a in entry.want if isinstance(a, np.ndarray)]
    for number, order in enumerate(orders(run, seed, 1)):
        for k, (got, want) in enumerate(zip(execute(run, order), arrays, strict=True)):
            if not np.array_equal(got, want, equal_nan=got.dtype.kind == "f"):
                return f"array {k} differs in order {number}"
    return "equal"


def wrapper(function: FuncOp, name: str) -> str:
    """Returns a C function that runs a kernel on pointers to its arguments, and returns the text of a fault."""
    values = []
    for k, t in enumerate(function.function_type.inputs):
        word = element_word(t.element_type if isinstance(t, pto.MemRefType) else t, function)[0]
        values.append(f"{'' if isinstance(t, pto.MemRefType) else '*'}({word} *)p[{k}]")
    return f"""
extern "C" const char *run_{name}(void **p) {{
  static pto::Fault fault;
  try {{ pto::begin(); {name}({", ".join(values)}); pto::end(); return nullptr; }}
  catch (pto::Fault &found) {{ fault = found; return fault.text; }}
}}"""


def printed(entry: Entry, program: ModuleOp, seed: int) -> list[str]:
    """Returns the C++ of a program in each way in which it has one; `found` says why it has none in others."""
    out: list[str] = []
    ways = WAYS if entry.key.split()[0] in LOWERED else WAYS[:1]
    for number, way in enumerate(ways):
        name = f"{entry.key.replace(' ', '_')}_{number}"
        module = program.clone()
        (function,) = tile_functions(module)
        function.sym_name = StringAttr(name)
        try:
            if number:
                transform(module, way, stages=2 + seed % 2)
            if way == ways[-1]:
                entry.found[SCHEDULES] = scheduled(module.clone(), entry, seed)
            body = print_pto(module, "a3").removeprefix(HEAD)
        except PtirError as error:
            entry.found[way] = refusal(error)
            continue
        out += [body, wrapper(function, name)]
        entry.kernels[way] = name
    return out


def refusal(error: PtirError) -> str:
    """Returns the code and the message of an error, without names and types."""
    reason = re.sub(r"!pto.tile<.*?>+|'.*?'|\(\d+\)|@\w+", "…", str(error).partition(": error")[2].splitlines()[0])
    return f"refused{reason}"


def compiled(texts: Sequence[str], folder: Path, target: str = "a3") -> ctypes.CDLL:
    """Compiles C++ for a target, and loads it."""
    number = len(list(folder.iterdir()))  # a library that is loaded is not loaded again from the same file
    source, library = folder / f"kernels{number}.cpp", folder / f"kernels{number}.so"
    source.write_text("\n".join([HEAD, *texts]))
    options = ["-std=c++20", "-w", f"-I{HEADERS}", "-shared", "-fPIC", *(["-DPTO_A5"] if target == "a5" else [])]
    done = subprocess.run(
        ["g++", *options, str(source), "-o", str(library)], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise NotCompiled(next(line for line in done.stderr.splitlines() if "error" in line))
    return ctypes.CDLL(str(library))


def expected(module: ModuleOp, args: tuple[Any, ...]) -> list[Any]:
    """Returns the arguments after a program has run in the interpreter."""
    after = [np.array(a) if isinstance(a, np.ndarray) else a for a in args]
    call_on(interpreter(module), module, "f", after)
    return after


def scalar(value: Any, t: Any) -> Any:
    """Returns a scalar as an array of the type that C++ reads."""
    if isinstance(value, np.generic):
        return np.array([value])
    word = element_word(t, None)[0]  # pyright: ignore[reportArgumentType]
    return np.array([value]).astype({"float": "f4", "half": "f2"}.get(word, word.removesuffix("_t")))


def compare(entry: Entry, way: str, library: ctypes.CDLL, types: Sequence[Any]) -> str:
    """Runs the C++ of a program. Returns `equal`, or how it differs from the interpreter."""
    values = [
        np.array(a) if isinstance(a, np.ndarray) else scalar(a, t) for a, t in zip(entry.args, types, strict=True)
    ]
    run = getattr(library, f"run_{entry.kernels[way]}")
    run.restype, run.argtypes = ctypes.c_char_p, [ctypes.c_void_p]
    if (fault := run((ctypes.c_void_p * len(values))(*(v.ctypes.data for v in values)))) is not None:
        return fault.decode()
    for k, (got, want) in enumerate(zip(values, entry.want, strict=True)):
        if isinstance(want, np.ndarray) and not np.array_equal(got, want, equal_nan=got.dtype.kind == "f"):
            where = np.argwhere(got != want)[0]
            return f"argument {k} differs at {where.tolist()}: {got[tuple(where)]} for {want[tuple(where)]}"
    return "equal"


def program_of(kind: str, seed: int) -> tuple[str, tuple[Any, ...]]:
    """Returns a program and its arguments. Columns are contiguous, as cores have them."""
    text, args = CASES[kind](seed)
    return re.sub(r"\btile<(\d+)x1x(\w+)>", r"tile<\1x1x\2, #pto.tile_info<layout=DN>>", text), args


def batch(keys: Sequence[tuple[str, int]]) -> dict[str, dict[str, str]]:
    """Returns for each program, and for each way, `equal`, why it has no C++, or how it differs."""
    entries: list[tuple[Entry, Sequence[Any]]] = []
    texts: list[str] = []
    for kind, seed in keys:
        text, args = program_of(kind, seed)
        module = parse(text)
        (function,) = tile_functions(module)
        entry = Entry(f"{kind} {seed}", args, want=expected(module, args))
        texts += printed(entry, module, seed)
        entries.append((entry, function.function_type.inputs.data))
    with tempfile.TemporaryDirectory() as folder:
        try:
            library = compiled(texts, Path(folder))
        except NotCompiled as error:
            if len(keys) > 1:  # to find the program
                return {k: v for key in keys for k, v in batch([key]).items()}
            (entry, _) = entries[0]
            return {entry.key: entry.found | dict.fromkeys(entry.kernels, str(error))}
        return {
            entry.key: entry.found | {way: compare(entry, way, library, types) for way in entry.kernels}
            for entry, types in entries
        }


def coverage(keys: Iterable[tuple[str, int]]) -> dict[str, int]:
    """Returns for each op of a core how many programs have it."""
    counts = Counter(name for key in keys for name in set(re.findall(r"\bpto\.[\w.]+", program_of(*key)[0])))
    lacks = MACHINES["a3"].lacks
    return {
        op.name: counts[op.name] for op in sorted(pto.PTO.operations, key=lambda op: op.name) if op.name not in lacks
    }


def different(verdicts: dict[str, str]) -> dict[str, str]:
    """Returns the ways in which a program differs from the interpreter."""
    return {way: v for way, v in verdicts.items() if v != "equal" and not v.startswith("refused")}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--state", type=Path)
    parser.add_argument("--report", type=Path)
    options = parser.parse_args()
    done: dict[str, dict[str, str]] = dict(journal.read(options.state))
    keys = [(kind, seed) for seed in range(options.count // len(CASES)) for kind in CASES]
    left = [key for key in keys if f"{key[0]} {key[1]}" not in done]
    for at in range(0, len(left), BATCH):
        found = batch(left[at : at + BATCH])
        done |= found
        for key, verdicts in found.items():
            if bad := different(verdicts):
                print(key, bad, flush=True)
            journal.append(options.state, [key, verdicts])
    ways = (*WAYS, SCHEDULES)
    counts = {way: Counter(v[way] for v in done.values() if way in v and way not in different(v)) for way in ways}
    total = {
        "programs": len(done),
        "verdicts": {way: dict(count.most_common()) for way, count in counts.items()},
        "programs with each op": coverage(keys),
        "different": {key: bad for key, v in done.items() if (bad := different(v))},
    }
    print(json.dumps(total, indent=1))
    if options.report is not None:
        options.report.write_text(json.dumps(total, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
