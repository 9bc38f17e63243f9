"""
Checks a random program: it verifies, survives a round trip through both textual forms and through JSON, runs twice with the same
results, and the result of every op is the one that its oracle expects.

A violation is a `Problem`. Its kind tells the shrinker whether a smaller program fails in the same way.
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
from ptir.semantics.interpreter import call_on, interpreter
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
    """A violation: `kind` is the stage and the kind of failure, `detail` the message."""

    kind: str
    detail: str


@dataclass
class Watch(Interpreter.Listener):
    """Compares the results of each interpreted op with its oracle."""

    problems: list[Problem] = field(default_factory=list[Problem])
    ran: Counter[tuple[str, str]] = field(default_factory=Counter[tuple[str, str]])
    """Counts the ops that ran, by name and by the element types of their operands and results."""
    without: Counter[str] = field(default_factory=Counter[str])
    """Counts the ops that ran but have no oracle, by name."""
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
    """Returns the results of a function. If given, `watch` compares each op with its oracle."""
    machine = interpreter(module)
    if watch is not None:
        machine.listeners = (*machine.listeners, watch)
    token = RUNNING.set(machine)
    try:
        return tuple(np.asarray(x) for x in call_on(machine, module, name, arrays))
    finally:
        RUNNING.reset(token)


def same(a: Sequence[Any], b: Sequence[Any]) -> bool:
    """Whether arrays have equal types, shapes and elements. All NaNs count as equal."""
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
    """Returns the problems of a round trip through JSON."""
    from ptir.frontends.json.common.errors import NotInTheForm
    from ptir.frontends.json.ptir import export_json, import_json

    try:
        again = import_json(export_json(case.module))
    except NotInTheForm:  # JSON has no calls
        return []
    except Exception as e:
        return [Problem(f"JSON: {type(e).__name__}", str(e))]
    if again.is_structurally_equivalent(case.module):
        return []
    return [Problem("JSON: another program", print_module(again))]


@dataclass
class Checker:
    """Checks programs. `pipelines` are rewrites that must preserve the results."""

    pipelines: dict[str, str] = field(default_factory=dict[str, str])
    watch: Watch = field(default_factory=Watch)
    errors: Counter[str] = field(default_factory=Counter[str])
    """Counts the errors that are allowed, by code: those of programs with violations."""
    compared: Counter[str] = field(default_factory=Counter[str])
    """Counts the elements of the results of compiled programs, by how they are compared with the reference."""
    extra: Sequence[Callable[[Case], list[Problem]]] = ()
    """Further checks."""
    quick: bool = False
    """Whether to omit round trips and the second run."""

    def __post_init__(self) -> None:
        self.ctx: Context = make_context()

    @property
    def settings(self) -> dict[str, Any]:
        """What a journal says about the checks."""
        return {"pipelines": self.pipelines}

    def check(self, case: Case) -> list[Problem]:
        """Returns all problems of a program, in order. Stops at a stage on whose success the later ones depend."""
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
            if e.code.startswith("PTIR02"):  # legal input for which the pass has no lowering
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
                continue  # the original is undefined here: a rewrite may define it
            again = self._run(case, module, function, arrays, name, found, None)
            if again is not None and not same(results[function], again):
                found.append(Problem(f"{name}: other results", f"@{function}\n{module}"))
        return found
