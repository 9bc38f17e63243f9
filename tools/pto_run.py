"""
`ptir-run --target pto`: executes a tile program in orders that its events allow.

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
from ..semantics.arrays.scalars import Array
from ..semantics.interpreter import call_on, interpreter
from ..semantics.pto_async.hazards import races
from ..semantics.pto_async.schedules import adversarial_orders, execute, random_order
from ..semantics.pto_async.trace import trace
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
    for name in vars(args).get("given", ()):
        if name in IGNORED:
            problem = f"--{name.replace('_', '-')} is no option for --target pto"
            raise BadInputs(function, problem=problem, help="leave it out")
    name = function.sym_name.data
    values = [a if a.ndim else a.item() for a in arrays]
    want = [a.copy() for a in arrays]
    call_on(interpreter(module), module, name, [a if a.ndim else a.item() for a in want])
    run = trace(module, name, *values)
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
    if args.output is not None:
        output = Output(args.output)
        output.write(npz_bytes([array for _, array in expected]))
        output.commit()
    return 0
