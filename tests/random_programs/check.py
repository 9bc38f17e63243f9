"""
What must hold of a random program: it verifies, reads back as it was written in either form of the text and as JSON, runs,
gives the same twice, and every op that ran gave what its oracle says.

`Problem`s are what must not happen; each has a kind, by which the shrinker knows that a smaller program fails alike.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.interpreter import Interpreter, PythonValues
from xdsl.ir import Operation

from ptir.errors import PtirError
from ptir.passes.environment import make_context
from ptir.passes.manager import PassManager
from ptir.semantics.interpreter import interpreter
from ptir.text.errors import RoundTripFailed
from ptir.text.roundtrip import check_round_trip
from ptir.text.verify import verify_module
from ptir.text.writing import print_module

from .dtypes import spelling
from .generator import Case
from .oracle.control import RUNNING
from .oracle.table import ORACLES


@dataclass(frozen=True)
class Problem:
    """What went wrong: `kind` is the stage and the kind of failure, `detail` what it said."""

    kind: str
    detail: str


@dataclass
class Watch(Interpreter.Listener):
    """Holds each op that was interpreted against its oracle."""

    problems: list[Problem] = field(default_factory=list[Problem])
    ran: Counter[tuple[str, str]] = field(default_factory=Counter[tuple[str, str]])
    """How often each op ran with operands or results of each element type."""
    without: Counter[str] = field(default_factory=Counter[str])
    """Ops that have no oracle."""
    _open: list[tuple[Operation, PythonValues]] = field(default_factory=list[tuple[Operation, PythonValues]])

    def will_interpret_op(self, op: Operation, args: PythonValues) -> None:
        self._open.append((op, args))

    def did_interpret_op(self, op: Operation, results: PythonValues) -> None:
        while self._open[-1][0] is not op:
            self._open.pop()
        _, args = self._open.pop()
        if not op.name.startswith("ptir."):
            return
        oracle = ORACLES.get(op.name)
        if oracle is None:
            self.without[op.name] += 1
            return
        for name in {
            spelling(v.type.element_type) for v in (*op.operands, *op.results) if isinstance(v.type, TensorType)
        }:  # pyright: ignore
            self.ran[op.name, name] += 1
        for want, got in zip(oracle(op, args, results), results, strict=True):
            if want is not None and (problem := want.problem(got)) is not None:
                self.problems.append(Problem(f"oracle: {op.name}", f"{op}\n{problem}"))


def run(module: ModuleOp, name: str, arrays: Sequence[Any], watch: Watch | None = None) -> tuple[Any, ...]:
    """The results of a function, each op held against its oracle by `watch`."""
    machine = interpreter(module)
    if watch is not None:
        machine.listeners = (*machine.listeners, watch)
    token = RUNNING.set(machine)
    try:
        return tuple(np.asarray(x) for x in machine.call_op(name, arrays))
    finally:
        RUNNING.reset(token)


def same(a: Sequence[Any], b: Sequence[Any]) -> bool:
    """Bit for bit, but for NaN's payload."""
    return len(a) == len(b) and all(_same(x, y) for x, y in zip(a, b, strict=True))


def _same(x: Any, y: Any) -> bool:
    if x.dtype != y.dtype or x.shape != y.shape:
        return False
    both = [v.astype(np.complex128) if v.dtype.kind == "c" else v for v in (x, y)]
    with np.errstate(all="ignore"):
        equal = both[0] == both[1]
        nan = (both[0] != both[0]) & (both[1] != both[1])
    return bool(np.all(equal | nan))


def json_problems(case: Case) -> list[Problem]:
    """The program through its serialized form and back."""
    from ptir.frontends.json.common.errors import NotInTheForm
    from ptir.frontends.json.ptir import export_json, import_json

    try:
        again = import_json(export_json(case.module))
    except NotInTheForm:  # calls
        return []
    except Exception as e:
        return [Problem(f"JSON: {type(e).__name__}", str(e))]
    if again.is_structurally_equivalent(case.module):
        return []
    return [Problem("JSON: another program", print_module(again))]


@dataclass
class Checker:
    """Checks programs. `pipelines` are rewrites under which results must stay as they were."""

    pipelines: dict[str, str] = field(default_factory=dict[str, str])
    watch: Watch = field(default_factory=Watch)
    errors: Counter[str] = field(default_factory=Counter[str])
    """Codes of the errors in which runs ended that were allowed to."""
    extra: Sequence[Callable[[Case], list[Problem]]] = ()
    """What else must hold."""
    quick: bool = False
    """Only that it verifies, runs, and gives what the oracles say."""

    def __post_init__(self) -> None:
        self.ctx: Context = make_context()

    def check(self, case: Case) -> list[Problem]:
        """Everything that is wrong with the program, in order; later stages need the earlier ones."""
        try:
            verify_module(case.module)
        except Exception as e:
            return [Problem(f"verify: {type(e).__name__}", str(e))]
        try:
            if not self.quick:
                check_round_trip(case.module, self.ctx)
        except RoundTripFailed as e:
            return [Problem("round trip", str(e))]
        except Exception as e:
            return [Problem(f"round trip: {type(e).__name__}", str(e))]
        found = [] if self.quick else json_problems(case)
        results: dict[str, Any] = {}
        for name, arrays in case.inputs.items():
            before = [a.copy() for a in arrays]
            outcome = self._run(case, case.module, name, arrays, "run", found, self.watch)
            if not same(before, arrays):
                found.append(Problem("run: writes its arguments", name))
            again = outcome if self.quick else self._run(case, case.module, name, arrays, "run again", [], None)
            if (outcome is None) != (again is None) or (outcome is not None and not same(outcome, again)):
                found.append(Problem("run twice", f"@{name} gives other results"))
            results[name] = outcome
            found += self.watch.problems
            self.watch.problems.clear()
        for name, pipeline in self.pipelines.items():
            found += self._rewritten(case, name, pipeline, results)
        for more in self.extra:
            found += more(case)
        return found

    def _run(
        self,
        case: Case,
        module: ModuleOp,
        name: str,
        arrays: Any,
        stage: str,
        found: list[Problem],
        watch: Watch | None,
    ) -> tuple[Any, ...] | None:
        try:
            return run(module, name, arrays, watch)
        except PtirError as e:
            if case.violated:
                self.errors[e.code] += 1
            else:
                found.append(Problem(f"{stage}: {e.code}", str(e)))
        except Exception as e:
            found.append(Problem(f"{stage}: {type(e).__name__}", f"{e}"))
        return None

    def _rewritten(self, case: Case, name: str, pipeline: str, results: dict[str, Any]) -> list[Problem]:
        module = case.module.clone()
        found: list[Problem] = []
        try:
            PassManager(pipeline, self.ctx, verify_input=False).run(module)
        except PtirError as e:
            if e.code.startswith("PTIR02"):  # legal input that the pass has no lowering for
                self.errors[f"{name}: {e.code}"] += 1
                return []
            return [Problem(f"{name}: {e.code}", str(e))]
        except Exception as e:
            code = getattr(e, "code", None) or type(e).__name__
            return [Problem(f"{name}: {code}", str(e))]
        try:
            check_round_trip(module, self.ctx)
        except Exception as e:
            return [Problem(f"{name}: round trip: {type(e).__name__}", str(e))]
        for function, arrays in case.inputs.items():
            if results[function] is None:
                continue  # a program without a meaning may be given one
            again = self._run(case, module, function, arrays, name, found, None)
            if again is not None and not same(results[function], again):
                found.append(Problem(f"{name}: other results", f"@{function}\n{module}"))
        return found
