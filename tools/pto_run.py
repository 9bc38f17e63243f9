"""
`ptir-run` of a tile program. `--target emulator` executes the PTX of one for sm80 or sm90 (`pto-to-nv`), and compares its arrays with those of
the synchronous program.

`--target pto` executes a program in orders that its events allow.

```
ptir-run scheduled.mlir --random 0 --target pto --schedules 20 --schedule 7
```

It is an error, with both places, if two instructions on different pipes access the same memory and no event orders them. If there is no such
pair, the orders are executed: those in which some pipes run as far ahead as events allow, and random ones. Each has the results of the
synchronous program; `-o` stores the arrays after it as `r0, r1, …`.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from itertools import islice

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from ..analysis.program.signature import Signature
from ..analysis.pto.effects import tile_functions
from ..errors import counted
from ..runtime.tiles import PtxTiles
from ..semantics.arrays.scalars import Array
from ..semantics.interpreter import call_on, interpreter
from ..semantics.pto_async.hazards import races
from ..semantics.pto_async.schedules import adversarial_orders, execute, random_order
from ..semantics.pto_async.trace import trace
from ..verification.tolerances import SUMS, outside
from .arrays import npz_bytes
from .errors import BadInputs
from .output import Output

IGNORED = ("report", "compare", "explain_plan", "plan", "arch", "strategy", "strict")
"""Options that say how kernels for GPUs are compiled."""


def run_schedules(module: ModuleOp, function: FuncOp, arrays: Sequence[Array], args: argparse.Namespace) -> int:
    """Executes a tile program as the command line says. Returns the exit status: 1 if an order has other results."""
    if function not in tile_functions(module):
        problem = f"@{function.sym_name.data} has no instructions of PTO"
        raise BadInputs(function, problem=problem, help="lower it with ptir-to-pto{target=a3}, or use another --target")
    refuse_ignored(function, args, "for --target pto")
    name = function.sym_name.data
    want = synchronous(module, name, arrays)
    run = trace(module, name, *(a if a.ndim else a.item() for a in arrays))
    if found := races(run):
        error = found[0].error()
        if more := len(found) - 1:
            error.notes = (*error.notes, (None, f"{counted(more, 'other pair')} of instructions must be ordered, too"))
        raise error
    count, seed = args.schedules, args.schedule or 0
    orders = list(islice(adversarial_orders(run), count // 2))
    orders += [random_order(run, seed + k) for k in range(count - len(orders))]
    arguments = zip(Signature.of(function).arguments, want, strict=True)
    expected = [(name, array) for (name, _), array in arguments if array.ndim]
    for number, order in enumerate(orders):
        for (label, array), got in zip(expected, execute(run, order), strict=True):
            if not np.array_equal(got, array, equal_nan=got.dtype.kind in "fc"):
                at = np.argwhere(got != array)[0].tolist()
                print(
                    f"{label}: order {number} gives {got[tuple(at)]} at {at}, the synchronous program {array[tuple(at)]}"
                )
                return 1
    print(f"{counted(len(run.steps), 'instruction')}, {counted(count, 'order')}: equal to the synchronous program")
    write([array for _, array in expected], args)
    return 0


def run_kernel(module: ModuleOp, function: FuncOp, arrays: Sequence[Array], args: argparse.Namespace) -> int:
    """Executes the PTX of a tile program in the emulator. Returns the exit status: 1 if an array differs by more than the tolerance."""
    refuse_ignored(function, args, "of tile programs")
    name, got = function.sym_name.data, [a.copy() for a in arrays]
    want = synchronous(module, name, arrays)
    PtxTiles.compile(module).call(name, [a if a.ndim else a.item() for a in got], args.schedule)
    failed = False
    for (label, _), found, array in zip(Signature.of(function).arguments, got, want, strict=True):
        if array.ndim:
            wrong = outside(found, array, SUMS)
            failed |= bool(wrong.any())
            print(f"{label}: {array.dtype}{list(array.shape)}, {_verdict(found, array, wrong)}")
    write([a for a in got if a.ndim], args)
    return int(failed)


def _verdict(found: Array, want: Array, wrong: Array) -> str:
    if wrong.any():
        at = np.argwhere(wrong)[0].tolist()
        return f"DIFFERS at {at}: {found[tuple(at)]}, the synchronous program {want[tuple(at)]}"
    with np.errstate(all="ignore"):
        error = np.nan_to_num(np.abs(found.astype(np.float64) - want.astype(np.float64)), posinf=0.0)
    return f"largest difference from the synchronous program {error.max(initial=0.0):.3g}"


def refuse_ignored(function: FuncOp, args: argparse.Namespace, of: str) -> None:
    """Raises `BadInputs` for an option that has no effect on tile programs."""
    for name in vars(args).get("given", ()):
        if name in IGNORED:
            raise BadInputs(function, problem=f"--{name.replace('_', '-')} is no option {of}", help="leave it out")


def synchronous(module: ModuleOp, name: str, arrays: Sequence[Array]) -> list[Array]:
    """Returns the arrays after the synchronous program."""
    want = [a.copy() for a in arrays]
    call_on(interpreter(module), module, name, [a if a.ndim else a.item() for a in want])
    return want


def write(arrays: Sequence[Array], args: argparse.Namespace) -> None:
    """Writes arrays to the file that the command line gives, if it does."""
    if args.output is not None:
        output = Output(args.output)
        output.write(npz_bytes(arrays))
        output.commit()
