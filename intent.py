"""
Intents from Python: what a kernel means, and whether an implementation computes it.

>>> import ptir
>>> softmax = ptir.intent.load("softmax.json")                      # doctest: +SKIP
>>> y, = softmax.run(x)                                             # the meaning, on NumPy arrays   # doctest: +SKIP
>>> report = softmax.verify(my_softmax)                             # doctest: +SKIP
>>> print(report.status, report.counterexample)                     # doctest: +SKIP

In a test of pytest, `check` fails with the report and a smallest counterexample:

>>> def test_my_softmax():
...     ptir.intent.load("softmax.json").check(my_softmax)          # doctest: +SKIP
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from xdsl.dialects.builtin import ModuleOp, StringAttr

from .dialects import intent
from .embedding import compile
from .errors import PtirError, require
from .frontends.json.intent import import_json
from .passes.environment import make_context
from .passes.manager import PassManager
from .runtime.compile import to_regions
from .runtime.compiled import Compiled
from .runtime.devices import Emulator
from .runtime.launch import Device
from .semantics.arrays.scalars import Array
from .semantics.intent import bind as infer
from .semantics.intent import run as evaluate
from .text.parsing import parse_text
from .text.sources import read_source
from .text.verify import verify_module
from .transforms.intent_attach_schedule import numbers
from .verification import Candidate, Report
from .verification import verify as compare
from .verification.candidates import IntentCandidate, PythonCandidate

MAX_BYTES = 1 << 26


class NoIntent(PtirError):
    """A module without exactly one function of the `intent` dialect."""

    code = "PTIR0587"
    template = "the module has {count} functions of the intent dialect, expected one"
    hint = "write one intent.func in a file"


class Intent:
    """A function of the `intent` dialect, whose module is verified."""

    def __init__(self, module: ModuleOp):
        functions = [op for op in module.ops if isinstance(op, intent.FuncOp)]
        if len(functions) != 1:
            raise NoIntent(module, count=len(functions))
        verify_module(module)
        self.module = module
        self.function = functions[0]

    @property
    def name(self) -> str:
        return self.function.sym_name.data

    @property
    def symbols(self) -> tuple[str, ...]:
        return self.function.symbols()

    def bind(self, *arrays: Array, **sizes: int) -> dict[str, int]:
        """
        Returns the numbers of all symbols for these arguments. `sizes` has the symbols that no argument determines. Raises `Unbound`,
        `BindingConflict` and `ArgumentMismatch`.
        """
        return infer(self.function, [a.shape for a in arrays], sizes)

    def run(self, *arrays: Array, **sizes: int) -> tuple[Array, ...]:
        """Returns the results on NumPy arrays; see `bind`. Raises a `Violation` where the function is not defined."""
        return evaluate(self.function, arrays, sizes)

    def compile(self, *arrays: Array, arch: str = "sm80", device: Device | None = None, **sizes: int) -> Compiled:
        """
        Returns kernels for arguments of these shapes. Without `arrays`, `sizes` has all symbols. The plan honors the schedule of the
        function, or `ScheduleNotHonored` is raised.
        """
        binding = self.bind(*arrays, **sizes) if arrays else sizes
        module = self.module.clone()
        text = ",".join(f"{s}={n}" for s, n in binding.items())
        pipeline = f'intent-lower-macros,intent-to-ptir{{sizes="{text}"}}'
        if self.function.schedule is not None and numbers(self.function.schedule):
            pipeline += f",ptir-check-cuda{{arch={arch}}},{to_regions(arch)},intent-attach-schedule{{arch={arch}}}"
        PassManager(pipeline, make_context()).run(module)
        return compile(module, arch=arch, entry=self.name, device=device)

    def verify(self, candidate: Candidate | Callable[..., Any] | Intent, **options: Any) -> Report:
        """
        Returns the report on a candidate: a Python function of the arguments, another intent, or one of
        `ptir.verification.candidates`. The options are those of `ptir.verification.verify`.
        """
        return compare(self.function, as_candidate(candidate), **options)

    def check(self, candidate: Candidate | Callable[..., Any] | Intent, **options: Any) -> None:
        """Raises `AssertionError` with the report if a layer fails. For tests."""
        report = self.verify(candidate, **options)
        if report.status == "FAIL":
            raise AssertionError(report.text())

    def __repr__(self) -> str:
        types = ", ".join(f"{arg.name_hint}: {arg.type}" for arg in self.function.inputs)
        return f"<ptir.Intent {self.name}({types})>"


class CompiledCandidate:
    """The kernels that an intent is compiled to, in the emulator. They are compiled for each binding."""

    def __init__(self, source: Intent, arch: str):
        self.source, self.arch, self.name = source, arch, f"kernels for {arch}"
        self._compiled: dict[tuple[tuple[str, int], ...], Compiled] = {}

    def fixed_shapes(self) -> Sequence[Sequence[int]] | None:
        return None

    def __call__(self, arrays: Sequence[Array], binding: Mapping[str, int]) -> Sequence[Array]:
        key = tuple(sorted(binding.items()))
        if key not in self._compiled:
            self._compiled[key] = self.source.compile(arch=self.arch, device=Emulator(), **binding)
        return self._compiled[key](*arrays)


def load(source: str | Path) -> Intent:
    """
    Reads an intent from a file, JSON or IR, or from text, which is JSON if it starts with `{`. Raises `PtirError`s with a code and a
    location. Nothing in a file is executed.
    """
    require(source, str | Path, "the intent", "the path of a file, or text")
    is_file = isinstance(source, Path) or ("\n" not in source and source.endswith((".json", ".mlir")))
    text = read_source(str(source), MAX_BYTES) if is_file else str(source)
    return parse(text, str(source) if is_file else "<string>")


def parse(text: str, name: str = "<string>") -> Intent:
    """Reads an intent from text, the content of the file `name`."""
    if text.lstrip()[:1] == "{":
        return Intent(import_json(text, StringAttr(name)))
    return Intent(parse_text(text, make_context(), name))


def as_candidate(candidate: Candidate | Callable[..., Any] | Intent) -> Candidate:
    """Returns a candidate for a function, an intent, or a candidate."""
    if isinstance(candidate, Intent):
        return IntentCandidate(candidate.function, f"@{candidate.name}")
    if hasattr(candidate, "fixed_shapes"):
        return candidate  # type: ignore[return-value]
    require(candidate, Callable, "the candidate", "a function of arrays")  # type: ignore[arg-type]
    return PythonCandidate(candidate)
