"""
Checks a cell: its program is compiled for both architectures, and the emulator's results are those of the reference.

Results lie within the bounds of the program, which have no width for integers and i1. Complex numbers have no bounds: the
oracles of the random programs judge them. The emulator reports races, accesses out of bounds, and reads of what was not written.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import ReturnOp
from xdsl.interpreter import Interpreter, PythonValues
from xdsl.ir import Operation

import ptir
from ptir.dialects.region import RegionKernelOp
from ptir.errors import PtirError
from ptir.planning.templates import template_of
from ptir.runtime.compile import TO_REGIONS
from ptir.semantics.bounds import bounds, check
from ptir.semantics.bounds.intervals import Interval
from ptir.semantics.errors import NoBounds
from ptir.semantics.interpreter import interpreter
from tests.random_programs.oracle.table import ORACLES

from .cells import Cell, case

ARCHS = ("sm80", "sm90")
PLANNED = "plan-regions"
"""The pass after which each kernel has the plan of its family."""


@dataclass(frozen=True)
class Outcome:
    """
    What became of a cell: the names of the shapes that ran, the families of its kernels, CPU time in seconds, and for each
    architecture what is wrong, if anything is.
    """

    cell: Cell
    shapes: Sequence[str]
    families: Sequence[str]
    seconds: float
    problems: dict[str, str]


def run(cell: Cell, seed: int = 0) -> Outcome:
    """Checks a cell with the operands of a seed."""
    start = time.process_time()
    program, shapes = case(cell, seed)
    arrays = [np.asarray(x) for x in program.inputs["f"]]
    ends = [op for op in program.module.walk() if isinstance(op, ReturnOp)]
    families: set[str] = set()
    problems: dict[str, str] = {}

    def watch(name: str, module: ModuleOp) -> None:
        if name == PLANNED:
            kernels = [op for op in module.walk() if isinstance(op, RegionKernelOp) and op.plan is not None]
            families.update(template_of(k.plan.schedule()).family for k in kernels if k.plan is not None)

    stage = ",".join(ARCHS)
    try:
        judges = _judges(program.module, [v.owner for end in ends for v in end.operands], arrays)
        regions = ptir.PassManager(TO_REGIONS).run(program.module.clone())
        source = regions if any(isinstance(op, RegionKernelOp) for op in regions.ops) else program.module
        for arch in ARCHS:
            stage = arch
            results = ptir.compile(source, arch=arch, device=ptir.Emulator(), watch=watch)(*arrays)
            wrong = (judge(np.asarray(got)) for got, judge in zip(results, judges, strict=True))
            if (first := next(filter(None, wrong), None)) is not None:
                problems[arch] = f"wrong result: {first}"
    except Exception as error:  # whatever goes wrong is the outcome
        code = error.code if isinstance(error, PtirError) else type(error).__name__
        problems[stage] = f"{code}: {str(error).splitlines()[0][:300]}"
    return Outcome(cell, shapes, sorted(families), time.process_time() - start, problems)


def _judges(module: ModuleOp, ops: Sequence[Any], arrays: Sequence[Any]) -> list[Callable[[Any], str | None]]:
    """Returns for each result, that of one of `ops`, the function that says what is wrong with it."""
    try:
        return [partial(_outside, interval) for interval in bounds(module, "f", *arrays)]
    except NoBounds:
        record = Record()
        machine = interpreter(module)
        machine.listeners = (record,)
        machine.call_op("f", tuple(arrays))
        return [partial(_refuted, op, *record.runs[op]) for op in ops]


def _outside(interval: Interval, got: Any) -> str | None:
    report = check(got, interval)
    return None if report.ok else str(report)


def _refuted(op: Operation, operands: PythonValues, results: PythonValues, got: Any) -> str | None:
    """Returns what the oracle of `op` has against a result; without an opinion, it is that of the reference bit for bit."""
    (want,) = ORACLES[op.name](op, operands, results)
    if want is not None:
        return want.problem(got)
    (reference,) = map(np.asarray, results)
    same = (got.dtype, got.shape, got.tobytes()) == (reference.dtype, reference.shape, reference.tobytes())
    return None if same else "the bits differ from the reference's"


@dataclass
class Record(Interpreter.Listener):
    """The operands and results of each op that is interpreted."""

    runs: dict[Operation, tuple[PythonValues, PythonValues]] = field(
        default_factory=dict[Operation, tuple[PythonValues, PythonValues]]
    )

    def will_interpret_op(self, op: Operation, args: PythonValues) -> None:
        self.runs[op] = (args, ())

    def did_interpret_op(self, op: Operation, results: PythonValues) -> None:
        self.runs[op] = (self.runs[op][0], results)
