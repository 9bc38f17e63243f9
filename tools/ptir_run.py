"""
`ptir-run`: runs a program on arrays from the command line, and compares its results with the reference.

```
ptir-run net.mlir --entry mlp --inputs in.npz --target emulator -o out.npz
ptir-run net.mlir --random 0 --compare reference
ptir-run net.mlir --random 0 --strict --compare reference        # bit for bit, docs/strict.md
ptir-run net.mlir --random 0 --report            # counters: instructions, bytes, sectors, bank conflicts by line
```

Inputs are read from an `.npz` file by the names of the function's arguments (`x` for `%x`) or, if the arrays are named
`arr_0, arr_1, …`, by position; `--random` draws them instead. Dynamic sizes are those of the inputs; `--random` draws sizes for
which the program is defined, unless `--sizes=B=8,S=128` gives them. NumPy has no bf16 and no fp8: such inputs and results are stored
as unsigned integers of the same width; inputs may also have a type of ml_dtypes. An array of another type is accepted if every
value is exact in the argument's type. Results are stored as `r0, r1, …`. The exit status is 1 on any error and if a
comparison fails. A tile program for a GPU is run in the emulator, and one with events, by `--target pto`, in orders that these allow
(`pto_run.py`). A module of programs of `vyre` is
dispatched on buffers instead (`vyre_run.py`).
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ..errors import counted
from .console import run_command
from .plan_files import plans_in

if TYPE_CHECKING:
    import argparse

    from xdsl.dialects.builtin import ModuleOp
    from xdsl.dialects.func import FuncOp

    from ..emulator.engine.report import Report
    from ..runtime.compile import Program
    from ..semantics.arrays.scalars import Array


def main(argv: Sequence[str] | None = None) -> None:
    """Entry point of the command line. Never ends in a traceback without `--debug`."""
    run_command(_run, argv)


def _run(argv: Sequence[str]) -> int:
    from ..text.parsing import allow_deep_nesting
    from .arguments import run_arguments

    allow_deep_nesting()
    return run(run_arguments().parse(argv))


def run(args: argparse.Namespace) -> int:
    """Executes the command, reports the warnings of the compilation and returns the exit status."""
    from ..diagnostics.diagnostic import LogDiagnostics
    from ..diagnostics.rendering import report

    with plans_in((), args.plan, args.max_input_size), LogDiagnostics().attached() as log:
        try:
            return _run_and_explain(args)
        finally:
            report([d for d in log.found if d.severity == "warning"])


def _run_and_explain(args: argparse.Namespace) -> int:
    if args.explain_plan is None:
        return _run_program(args)
    import sys

    from ..planning import explain

    with explain.explaining() as found:
        status = _run_program(args)
    shown = explain.as_json(found) if args.explain_plan == "json" else explain.as_text(found)
    print(shown, file=sys.stderr)
    return status


def _run_program(args: argparse.Namespace) -> int:
    from ..analysis.program.signature import entry_function
    from ..dialects.common.strict import is_strict, make_strict
    from ..embedding import reference
    from ..passes.environment import make_context
    from ..text.parsing import parse_text
    from ..text.verify import verify_module
    from ..transforms.specialize_sizes import parse_sizes, specialize
    from .arrays import npz_bytes
    from .errors import BadInputs
    from .output import Output, read_input, shown
    from .vyre_run import is_dispatched, refuse_options, run_dispatch

    output = None if args.output is None else Output(args.output)
    ctx = make_context()
    module = parse_text(read_input(args.program, args.max_input_size), ctx, shown(args.program))
    if args.strict:
        make_strict(module)
    verify_module(module)
    if is_dispatched(module):
        return run_dispatch(module, args)
    refuse_options(args, dispatched=False)
    function = entry_function(module, args.entry)
    name = function.sym_name.data
    if args.sizes is not None:
        specialize(module, function, parse_sizes(function, args.sizes))
        function = entry_function(module, name)
    if args.target != "pto" and "schedules" in vars(args).get("given", ()):
        raise BadInputs(function, problem="--schedules is an option for --target pto", help="leave it out")
    arrays, results = _inputs(module, function, args)
    if args.target == "pto":
        from .pto_run import run_schedules

        return run_schedules(module, function, arrays, args)
    if args.target == "emulator" and any(op.name.startswith("pto.tile.") for op in function.walk()):
        from .pto_run import run_kernel

        return run_kernel(module, function, arrays, args)
    if args.target != "reference":
        results = _execute(module, function, arrays, args)
    elif results is None:
        results = reference(module, *arrays, entry=name)
    if args.report != "json":
        for k, result in enumerate(results):
            print(f"r{k}: {result.dtype}{list(result.shape)}")
    if output is not None:
        output.write(npz_bytes(results))
        output.commit()
    if args.compare:
        return (compare_bits if is_strict(module) else compare)(module, name, arrays, results)
    return 0


def _inputs(
    module: ModuleOp, function: FuncOp, args: argparse.Namespace
) -> tuple[list[Array], tuple[Array, ...] | None]:
    """Returns the arguments of a function, and its results if the reference interpreter had to compute them to find sizes."""
    from .arrays import has_dynamic_sizes, random_inputs, read_inputs, require_inputs

    if args.inputs is not None:
        return read_inputs(function, args.inputs), None
    if args.random is None:
        require_inputs(function)
    seed = args.random or 0
    return (
        _on_random_inputs(module, function, seed)
        if has_dynamic_sizes(function)
        else (random_inputs(function, seed), None)
    )


SIZE_ATTEMPTS = 40
"""Maximum number of attempts to draw dynamic sizes that all ops accept."""


def _on_random_inputs(module: ModuleOp, function: FuncOp, seed: int) -> tuple[list[Array], tuple[Array, ...]]:
    """Returns random inputs of random sizes for which the program is defined, and the interpreter's results for them."""
    from ..embedding import reference
    from ..semantics.errors import Violation
    from .arrays import random_inputs

    attempt = 0
    while True:
        arrays = random_inputs(function, seed, attempt)
        try:
            return arrays, reference(module, *arrays, entry=function.sym_name.data)
        except Violation as error:
            if attempt == SIZE_ATTEMPTS - 1:
                error.help = error.help or "no sizes that were drawn fit: --sizes=B=8,S=128 gives them"
                raise
        attempt += 1


def _execute(module: ModuleOp, function: FuncOp, arrays: list[Array], args: argparse.Namespace) -> tuple[Array, ...]:
    from ..embedding import compile
    from ..runtime.devices import Emulator
    from ..runtime.gpu import Gpu
    from ..runtime.sizes import bound_sizes

    device = Emulator(seed=args.schedule) if args.target == "emulator" else Gpu()
    with _otherwise_interpreted():
        compiled = compile(module, arch=args.arch, entry=function.sym_name.data, device=device, strategy=args.strategy)
        compiled = compiled.compile_for(**bound_sizes(function, [a.shape for a in arrays]))
    results = compiled(*arrays)
    if not isinstance(device, Emulator):
        return results
    if args.report is not None:
        print_report(device.reports, compiled.program, args.report)
    return results


@contextmanager
def _otherwise_interpreted() -> Generator[None]:
    """Adds a note to errors of lowering: the interpreter can run the program without lowering it."""
    from ..errors import PtirError
    from ..text.errors import VerificationFailed

    try:
        yield
    except PtirError as error:
        last = error.failures[-1][1] if isinstance(error, VerificationFailed) else error
        if isinstance(last, PtirError) and last.code.startswith(("PTIR02", "PTIR03", "PTIR04")):
            last.notes = (*last.notes, (None, "--target reference runs the program as it is, in the interpreter"))
        raise


def print_report(reports: Sequence[Report], program: Program, form: str) -> None:
    """Prints the counters of each launch by line, and the resources of its kernel."""
    import json
    from dataclasses import asdict

    from ..diagnostics.diagnostic import place_of

    def origin(line: int) -> str:
        op = program.origins[line - 1]
        return f"{place_of(op)} {op.name}" if op is not None else ""

    kernels = program.binary.kernels
    if form == "json":
        launches = [{**report.to_dict(), "resources": asdict(kernels[report.kernel])} for report in reports]
        return print(json.dumps({"arch": program.arch, "launches": launches}))
    for report in reports:
        used = kernels[report.kernel]
        print(report.text(origin))
        print(f"  {used.registers} registers a thread, {used.spill_stores} bytes spilled, {used.stack} of stack")
    return None


def compare_bits(module: ModuleOp, name: str, arrays: list[Array], results: tuple[Array, ...]) -> int:
    """Prints whether each result of a strict program has the bits of the reference. Returns the exit status."""
    import numpy as np

    from ..embedding import reference
    from ..semantics.arrays.strict import differs

    failed = False
    for k, (result, want) in enumerate(zip(results, reference(module, *arrays, entry=name), strict=True)):
        wrong = np.argwhere(differs(result, want))
        failed |= len(wrong) > 0
        found = f"DIFFERS in {counted(len(wrong), 'element')}, first at {wrong[0].tolist()}" if len(wrong) else ""
        print(f"r{k}: {found or 'equal, bit for bit'}")
    return int(failed)


def compare(module: ModuleOp, name: str, arrays: list[Array], results: tuple[Array, ...]) -> int:
    """Prints the largest error of each result and its index. Returns the exit status: 1 if an error exceeds its bound, else 0."""
    import numpy as np

    from ..embedding import bounds, reference
    from ..semantics.bounds import check

    expected = reference(module, *arrays, entry=name)
    failed = False
    intervals = bounds(module, *arrays, entry=name)
    for k, (result, want, interval) in enumerate(zip(results, expected, intervals, strict=True)):
        report = check(result, interval)
        with np.errstate(all="ignore"):
            error = np.abs(result.astype(np.float64) - want.astype(np.float64))
        error = np.where(np.isnan(error), 0.0, error)
        at = tuple(int(i) for i in np.unravel_index(int(np.argmax(error)), error.shape)) if error.size else ()
        largest = float(error[at]) if error.size else 0.0
        past = f"PAST THE BOUND at {list(report.worst_index)}: off by {report.worst_error:.3g}, {report.worst_bound:.3g} allowed"
        verdict = "within the bound" if report.ok else past
        print(f"r{k}: largest error {largest:.3g} at {list(at)}, {verdict}")
        failed |= not report.ok
    return int(failed)
