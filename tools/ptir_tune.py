"""
`ptir-tune`: finds fast plans for the kernels of a program, and keeps them in a file that `ptir.compile` reads.

```
ptir-tune net.mlir --machine h100                     # time candidates on the GPU, or predict their times without one
ptir-tune net.mlir --sizes=B=1,S=128 --sizes=B=8,S=512
ptir-tune net.mlir --executor=dask://10.0.0.1:8786    # on the workers of a cluster
ptir-tune --export=plans.json                         # the file's plans as JSON; --import=plans.json adds them
```

Trials are recorded one by one: a run that was stopped goes on where it was. The exit status is 1 on any error, and if no candidate of
a kernel can be used.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from .console import run_command

if TYPE_CHECKING:
    from xdsl.dialects.func import FuncOp

    from ..targets.machines import Machine
    from ..tuning.search import Problem
    from ..tuning.store import Store, Trial


def main(argv: Sequence[str] | None = None) -> None:
    """Entry point of the command line. Never ends in a traceback without `--debug`."""
    run_command(_run, argv)


def _run(argv: Sequence[str]) -> int:
    from ..runtime.tuned_file import default_path
    from ..text.parsing import allow_deep_nesting
    from ..tuning.exchange import export_json, import_json
    from ..tuning.store import Store
    from .arguments import tune_arguments
    from .output import Output, read_input, shown

    allow_deep_nesting()
    parser = tune_arguments("Find fast plans for the kernels of a program.")
    args = parser.parse(argv)
    if args.program is None and args.export is None and args.import_ is None:
        parser.error("there is nothing to do\nname a program, or give --export or --import")
    path = args.tuned or default_path()
    if path is None:
        parser.error("no file of tuned plans is named\ngive --tuned=FILE, or set $PTIR_TUNED")
    imported = (
        [] if args.import_ is None else import_json(read_input(args.import_, args.max_input_size), shown(args.import_))
    )
    output = None if args.export is None else Output(args.export)
    status = 0
    with Store(path, write=args.program is not None or args.import_ is not None) as store:
        for found in imported:
            store.put(found)
        if args.program is not None:
            status = _tune(args, store)
        if output is not None:
            output.write(export_json(store.everything()))
            output.commit()
    return status


def _tune(args: argparse.Namespace, store: Store) -> int:
    from ..analysis.program.signature import entry_function
    from ..passes.environment import make_context
    from ..text.parsing import parse_text
    from ..text.verify import verify_module
    from ..tuning.errors import NothingToTune
    from ..tuning.executors import workers
    from ..tuning.kernels import tunable_kernels
    from ..tuning.search import Settings, problems, search
    from .output import read_input, shown

    machine, how = _machine_and_way(args)
    count = None if args.exhaustive else args.candidates
    settings = Settings(machine, how, count, args.limit, args.seed, args.again, args.shape_sets)
    module = parse_text(read_input(args.program, args.max_input_size), make_context(), shown(args.program))
    verify_module(module)
    function = entry_function(module, args.entry)
    kernels, skipped = tunable_kernels(module, function, _requests(args, function, store), machine)
    if not kernels:
        reasons = "; ".join(f"@{name}: {why}" for name, why in skipped.items())
        raise NothingToTune(
            function, problem=reasons or "the program has no kernel", help="ptir-opt --dump=plan shows the kernels"
        )
    todo = problems(kernels, settings)
    try:
        with (
            workers(args.executor, args.jobs) as pool,
            _progress(todo) as watch,
            _logged(args.csv, machine, watch) as logged,
        ):
            search(todo, store, pool, settings, logged)
    except KeyboardInterrupt:
        done, total = sum(len(p.trials) for p in todo), sum(len(p.candidates) for p in todo)
        print(
            f"interrupted: {done} of {total} trials are in {store.path}; the same command goes on from there",
            file=sys.stderr,
        )
        raise
    _report(todo, skipped, settings.how, args.format)
    return int(any(problem.best is None for problem in todo))


def _machine_and_way(args: argparse.Namespace) -> tuple[Machine, Any]:
    """Returns the machine to tune for and the way to measure: those that are asked for, or those of this machine's GPU."""
    from ..runtime.driver import DeviceUnavailable
    from ..runtime.gpu import Gpu
    from ..targets.machines import MACHINES, machine_in

    here: Machine | None = None
    if args.measure in (None, "gpu"):
        try:
            name = Gpu().name
            here = next((m for m in MACHINES.values() if machine_in(name, m.arch) is m), None)
        except DeviceUnavailable as error:
            if args.measure == "gpu" and args.executor == "processes":
                error.help = "--measure=emulator and --measure=model need none, and the workers of a cluster may have one: --executor"
                raise
    machine = MACHINES[args.machine] if args.machine else here or MACHINES["a100"]
    return machine, args.measure or ("gpu" if here is machine else "emulator")


def _requests(args: argparse.Namespace, function: FuncOp, store: Store) -> list[tuple[Mapping[str, int], int]]:
    """Returns the sizes to tune for, each with the number of requests: those of the command line, else those that were counted."""
    from ..analysis.program.structural_hash import structural_hash
    from ..transforms.specialize_sizes import parse_sizes, require_sizes, sizes_by_key
    from ..tuning.exchange import read_requests
    from .output import read_input, shown

    counts: dict[str, int] = dict.fromkeys(args.sizes, 1)
    if args.requests is not None:
        counts |= read_requests(read_input(args.requests, args.max_input_size), shown(args.requests))
    if not counts and sizes_by_key(function):
        counts = store.requests(structural_hash(function))
    found: list[tuple[Mapping[str, int], int]] = [
        (parse_sizes(function, text), count) for text, count in (counts or {"": 1}).items()
    ]
    for sizes, _ in found:
        require_sizes(function, sizes)
    return found


@contextmanager
def _progress(todo: Sequence[Problem]) -> Generator[Callable[[Problem, Trial], None]]:
    """A bar for all trials, and one for those of the kernel that was tried last; shown on a terminal only."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, disable=not console.is_terminal) as bar:
        whole = bar.add_task("candidates", total=sum(len(problem.candidates) for problem in todo))
        each = bar.add_task("", total=None)

        def watch(problem: Problem, trial: Trial) -> None:
            bar.advance(whole)
            done, total = len(problem.trials), len(problem.candidates)
            bar.update(each, description=f"@{problem.name}", completed=done, total=total)

        yield watch


@contextmanager
def _logged(
    path: str | None, machine: Machine, watch: Callable[[Problem, Trial], None]
) -> Generator[Callable[[Problem, Trial], None]]:
    """Adds to `watch` that each trial is appended to a log. Raises `Unwritable`."""
    if path is None:
        yield watch
        return
    from ..passes.errors import Unwritable
    from ..tuning.exchange import log_rows

    try:
        with open(path, "a", encoding="utf-8", newline="") as file:

            def both(problem: Problem, trial: Trial) -> None:
                watch(problem, trial)
                file.write(log_rows(problem, [trial], machine, header=file.tell() == 0))
                file.flush()

            yield both
    except OSError as error:
        raise Unwritable(path=path, reason=os.strerror(error.errno or 0)) from error


def _report(todo: Sequence[Problem], skipped: Mapping[str, str], how: str, form: str) -> None:
    """Prints for each shape set the best plan, its time and that of the planner's plan, and what was left out and why."""
    rows = [_row(problem, how) for problem in todo]
    if form == "json":
        print(json.dumps({"tuned": rows, "skipped": skipped}))
        return
    for row in rows:
        shapes = " or ".join(dict.fromkeys("x".join(map(str, row[name])) for name in ("low", "high")))
        print(f"@{row['kernel']} on {row['machine']}, {shapes} tuned for {'x'.join(map(str, row['representative']))}:")
        candidates = f"{row['candidates']} candidate{'s' * (row['candidates'] != 1)}"
        if row["best"] is None:
            print(f"  none of {candidates} can be used")
        else:
            faster = row["planned"] / row["best"] if row["planned"] else None
            gain = f", {faster:.2f} times as fast as the planner's" if faster is not None else ""
            print(f"  {row['best'] * 1e6:.2f} µs by the {how}{gain}; {candidates}")
            print(f"  {row['changes'] or 'the plan is the one of the planner'}")
        for outcome, reasons in row["left_out"].items():
            print(f"  {outcome}: {len(reasons)}, such as: {reasons[0].splitlines()[0]}")
    for name, why in skipped.items():
        print(f"@{name} is not tuned: {why}")


def _row(problem: Problem, how: str) -> dict[str, Any]:
    from ..planning.completion import differences
    from ..tuning.candidates import Candidate

    best, planned = problem.best, problem.planned
    plans: dict[str, Candidate] = {c.plan.to_json(): c for c in problem.candidates}
    left_out: dict[str, list[str]] = {}
    for trial in problem.trials.values():
        if trial.seconds is None:
            left_out.setdefault(trial.outcome, []).append(trial.reason)
    return {
        "kernel": problem.name,
        "machine": problem.key.machine,
        "measured_by": how,
        "representative": problem.shapes.representative,
        "low": problem.shapes.low,
        "high": problem.shapes.high,
        "requests": problem.shapes.requests,
        "candidates": len(problem.candidates),
        "best": None if best is None else best.seconds,
        "planned": None if planned is None else planned.seconds,
        "estimate": None if best is None else best.estimate,
        "plan": None if best is None else json.loads(best.plan),
        "changes": "" if best is None else differences(problem.candidates[0].plan, plans[best.plan].plan),
        "left_out": left_out,
    }


if __name__ == "__main__":
    main()
