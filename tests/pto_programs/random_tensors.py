"""
Compares random tensor programs on their way to PTO with the reference: the C++ of their kernels, run by g++ with the header of
`tests/pto_headers`, random and adversarial schedules of their tile programs, and the PTX of the same programs in the emulator.

    python -m tests.pto_programs.random_tensors --count 300 --state build/campaign/tensors.journal --report tensors.json

Programs are those of `tests.random_programs` with affine ops, of element types that the target has. The host's function runs in the
interpreter, where each call of a kernel runs its C++.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import re
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp, SymbolRefAttr
from xdsl.interpreter import Interpreter, PythonValues
from xdsl.ir import Operation

import ptir
from ptir.analysis.pto.effects import tile_functions
from ptir.backends.pto.emit import HEAD, print_pto
from ptir.errors import PtirError
from ptir.passes.manager import PassManager
from ptir.semantics.interpreter import call_on, interpreter
from ptir.semantics.pto_async.hazards import races
from ptir.semantics.pto_async.schedules import execute
from ptir.semantics.pto_async.trace import trace
from ptir.semantics.sizes import SizedInterpreter
from ptir.text.writing import print_module
from tests import journal
from tests.random_programs import affine
from tests.random_programs.expected import Expected, Outcome
from tests.random_programs.generator import generate

from .cpp import NotCompiled, compiled, refusal, wrapper
from .schedules import orders

TARGETS = ("a3", "a2", "a5")
BATCH = 20
"""Programs of one C++ file."""
SEED = 20
OPTIONS = replace(
    affine.OPTIONS,
    dtypes=("f32", "f16", "bf16", "i32", "i8", "i1"),
    float8=0,
    max_elements=1500,
    length=(3, 8),
)
Kernel = Callable[..., bytes | None]


class Host(SizedInterpreter):
    """Runs the function of the host, and calls `kernels` by their names."""

    kernels: dict[str, Kernel]

    def call_op(self, op: Operation | SymbolRefAttr | str, inputs: PythonValues = ()) -> PythonValues:
        name = op.root_reference.data if isinstance(op, SymbolRefAttr) else op
        if (kernel := self.kernels.get(name) if isinstance(name, str) else None) is None:
            return super().call_op(op, inputs)
        values = [v if isinstance(v, np.ndarray) else np.array([v], np.int64) for v in inputs]
        assert all(v.flags.c_contiguous or v.flags.f_contiguous for v in values)
        if (fault := kernel((ctypes.c_void_p * len(values))(*(v.ctypes.data for v in values)))) is not None:
            raise Fault(fault.decode())
        return ()


def host_of(module: ModuleOp, library: ctypes.CDLL, prefix: str = "") -> Interpreter:
    """Returns an interpreter of a host's function that calls the C++ of its kernels, whose names in the library have a prefix."""
    host = interpreter(module, kind=Host)
    kernels: dict[str, Kernel] = {}
    for function in tile_functions(module):
        name = function.sym_name.data
        run = kernels[name] = getattr(library, f"run_{prefix}{name}")
        run.restype, run.argtypes = ctypes.c_char_p, [ctypes.c_void_p]
    host.kernels = kernels  # pyright: ignore[reportAttributeAccessIssue]
    return host


class Fault(Exception):
    """What the header reports of a kernel."""


class Scheduled(SizedInterpreter):
    """Runs the function of the host, and each call of a kernel in some schedules, which must agree."""

    module: ModuleOp
    seed: int = 0

    def call_op(self, op: Operation | SymbolRefAttr | str, inputs: PythonValues = ()) -> PythonValues:
        name = op.root_reference.data if isinstance(op, SymbolRefAttr) else op
        if name not in {f.sym_name.data for f in tile_functions(self.module)}:
            return super().call_op(op, inputs)
        run = trace(self.module, str(name), *inputs)
        if found := races(run):
            raise Fault(str(found[0].error()))
        arrays = [v for v in inputs if isinstance(v, np.ndarray)]
        results = [execute(run, order) for order in orders(run, self.seed, 1)]
        for other in results[1:]:
            for a, b in zip(results[0], other, strict=True):
                if a.tobytes() != b.tobytes():
                    raise Fault(f"two schedules of {name} differ")
        for array, result in zip(arrays, results[0], strict=True):
            array[...] = result
        return ()


@dataclass
class Program:
    """A program: its text, the arrays of a call, what they should give, and its kernels on a target."""

    number: int
    module: ModuleOp
    name: str
    arrays: list[Any]
    expected: Expected
    target: str
    lowered: ModuleOp | None = None
    verdicts: dict[str, str] = field(default_factory=dict[str, str])

    @classmethod
    def of(cls, number: int) -> Program:
        case = generate(SEED, number, OPTIONS, affine.ROWS)
        module = ptir.parse(print_module(case.module))
        ((name, inputs),) = case.inputs.items()
        arrays = [np.asarray(x) for x in inputs]
        target = TARGETS[number % 4] if number % 4 < 3 else TARGETS[0]
        return cls(number, module, name, arrays, Expected.of(module, name, arrays), target)

    def verdict(self, run: Callable[[], Sequence[Any]]) -> str:
        try:
            problem = self.expected.problem(Outcome.of(run), False)
        except Fault as fault:
            return str(fault)
        except PtirError as error:
            return refusal(error)
        except Exception as error:  # any exception is a finding
            return f"crashed: {type(error).__name__}: {error}"
        return "equal" if problem is None else ": ".join(problem)

    def lower(self) -> str:
        """Lowers the program, and returns its C++. The names of kernels are unique among programs."""
        try:
            lowered = PassManager(f"ptir-to-pto{{target={self.target}}}").run(self.module.clone())
            text = print_pto(lowered).removeprefix(HEAD)
        except PtirError as error:
            self.verdicts["C++"] = refusal(error)
            return ""
        except Exception as error:
            self.verdicts["C++"] = f"crashed: {type(error).__name__}: {error}"
            return ""
        self.lowered = lowered
        names = {f: f"p{self.number}_{f.sym_name.data}" for f in tile_functions(lowered)}
        for function, name in names.items():
            text = re.sub(rf"\bvoid {function.sym_name.data}\(", f"void {name}(", text)
        return "\n".join([text, *(wrapper(function, name) for function, name in names.items())])

    def check(self, library: ctypes.CDLL) -> None:
        """Runs what was lowered."""
        module = self.lowered
        if module is None:
            return
        host = host_of(module, library, f"p{self.number}_")
        self.verdicts["C++"] = self.verdict(lambda: call_on(host, module, self.name, self.arrays))
        scheduled = interpreter(module, kind=Scheduled)
        scheduled.module, scheduled.seed = module, self.number  # pyright: ignore[reportAttributeAccessIssue]
        self.verdicts["schedules"] = self.verdict(lambda: call_on(scheduled, module, self.name, self.arrays))

    def emulate(self) -> None:
        """Runs the PTX of the program in the emulator."""
        self.verdicts["PTX"] = self.verdict(
            lambda: ptir.compile(self.module.clone(), arch="sm80", device=ptir.Emulator())(*self.arrays)
        )


def batch(numbers: Sequence[int], *, emulates: bool = True) -> dict[int, dict[str, str]]:
    """Returns for each program, and each way to run it, `equal`, why there is none, or how it differs from the reference."""
    programs = [Program.of(number) for number in numbers]
    texts = {p.number: p.lower() for p in programs}
    with tempfile.TemporaryDirectory() as folder:
        for target in TARGETS:
            mine = [p for p in programs if p.target == target and texts[p.number]]
            try:
                library = compiled([texts[p.number] for p in mine], Path(folder), target)
            except NotCompiled:
                for p in mine:  # one by one, to find those that are not compiled
                    try:
                        p.check(compiled([texts[p.number]], Path(folder), target))
                    except NotCompiled as error:
                        p.verdicts["C++"] = str(error)
                continue
            for p in mine:
                p.check(library)
    for p in programs:
        if emulates and "C++" in p.verdicts:
            p.emulate()
    return {p.number: p.verdicts for p in programs}


def is_different(verdict: str) -> bool:
    return verdict != "equal" and not verdict.startswith("refused")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--only", type=int)
    parser.add_argument("--state", type=Path)
    parser.add_argument("--report", type=Path)
    options = parser.parse_args()
    if options.only is not None:
        print(print_module(Program.of(options.only).module), batch([options.only]))
        return
    done: dict[int, dict[str, str]] = dict(journal.read(options.state))
    left = [n for n in range(options.count) if n not in done]
    for at in range(0, len(left), BATCH):
        found = batch(left[at : at + BATCH])
        done |= found
        for number, verdicts in found.items():
            if bad := {way: v for way, v in verdicts.items() if is_different(v)}:
                print(number, bad, flush=True)
            journal.append(options.state, [number, verdicts])
    ways = list(dict.fromkeys(way for v in done.values() for way in v))
    counts = {way: Counter(v[way] for v in done.values() if way in v and not is_different(v[way])) for way in ways}
    total = {
        "programs": len(done),
        "verdicts": {way: dict(count.most_common()) for way, count in counts.items()},
        "different": {n: v for n, v in done.items() if any(map(is_different, v.values()))},
    }
    print(json.dumps(total, indent=1))
    if options.report is not None:
        options.report.write_text(json.dumps(total, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
