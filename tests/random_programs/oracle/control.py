"""
Ops with regions, tuples and calls: how often a region runs, on which values, and what its results are.

This file implements only the control flow: the interpreter evaluates the ops inside of regions one by one, and these are compared
with oracles of their own. Contract: *Control flow (regions)*.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextvars import ContextVar
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.interpreter import Interpreter
from xdsl.ir import Block, Operation

from ptir.semantics.custom_calls import register_custom_call
from ptir.semantics.interpreter import interpreter

from .elementwise import element
from .numbers import Oracle, Want, exactly

RUNNING: ContextVar[Interpreter] = ContextVar("RUNNING")
"""The interpreter whose ops are compared with oracles."""


def machine(op: Operation) -> Interpreter:
    """Returns another interpreter, without listeners, in which the same names of sizes are bound as in the running one."""
    module: Operation | None = op
    while not isinstance(module, ModuleOp):
        assert module is not None
        module = module.parent_op()
    out: Any = interpreter(module)
    running: Any = RUNNING.get()
    out.sizes.scope = running.sizes.scope
    return out


def region(block: Block, args: Sequence[Any], runs: Interpreter) -> list[Any]:
    """Runs a block. Returns the operands of its `ptir.yield`."""
    known = dict(zip(block.args, args, strict=True))
    for op in block.ops:
        operands = [known[v] for v in op.operands]
        if op.name == "ptir.yield":
            return operands
        known |= dict(zip(op.results, runs.run_op(op, tuple(operands)), strict=True))
    raise ValueError("a region ends in ptir.yield")


def wants(op: Operation, values: Sequence[Any]) -> list[Want | None]:
    return [
        exactly(v, element(r)) if isinstance(r.type, TensorType) else None
        for r, v in zip(op.results, values, strict=True)
    ]


def cond(op: Any, args: Any, got: Any) -> list[Want | None]:
    chosen = op.true_region if bool(args[0]) else op.false_region
    return wants(op, region(chosen.block, args[1:], machine(op)))


def while_(op: Any, args: Any, got: Any) -> list[Want | None]:
    runs, carried = machine(op), list(args)
    while True:
        more, *carried = region(op.cond_region.block, carried, runs)
        if not bool(more):
            return wants(op, carried)
        carried = region(op.body_region.block, carried, runs)


def scan(op: Any, args: Any, got: Any) -> list[Want | None]:
    runs, count = machine(op), len(op.carried)
    carried, scanned = list(args[:count]), args[count:]
    rows: list[list[Any]] = [[] for _ in op.outputs[count:]]
    for t in range(np.shape(scanned[0])[0]):
        out = region(op.body_region.block, [*carried, *(np.asarray(x)[t] for x in scanned)], runs)
        carried = out[:count]
        for row, value in zip(rows, out[count:], strict=True):
            row.append(np.asarray(value))
    empty = [np.asarray(g)[:0] for g in got[count:]]
    stacked = [np.stack(row) if row else none for row, none in zip(rows, empty, strict=True)]
    return wants(op, [*carried, *stacked])


def composite(op: Any, args: Any, got: Any) -> list[Want | None]:
    return wants(op, region(op.body.block, args, machine(op)))


def tuple_(op: Any, args: Any, got: Any) -> list[Want | None]:
    """Expects nothing: the elements of a tuple are checked at `ptir.tuple_element`."""
    return [None]


def tuple_element(op: Any, args: Any, got: Any) -> list[Want | None]:
    return wants(op, [args[0][op.index.value.data]])


def flip(x: Any, *, both: bool, axes: Any) -> Any:
    """Implements the custom call of random programs: returns `x` reversed along some axes and, if `both`, `x` itself."""
    flipped = np.flip(x, [a for a in axes if a < np.ndim(x)])
    return (flipped, x) if both else flipped


FLIP = register_custom_call("tests.flip.v1", flip)


def custom_call(op: Any, args: Any, got: Any) -> list[Want | None]:
    x = np.asarray(args[0])
    out = np.array([x[len(x) - 1 - i] for i in range(len(x))], x.dtype).reshape(x.shape) if x.ndim else x
    if not isinstance(op.results[0].type, TensorType):
        (pair,) = got
        problems = [exactly(w, element(op.operands[0])).problem(g) for w, g in zip((out, x), pair, strict=True)]
        assert problems == [None, None], problems
        return [None]
    return wants(op, [out])


ORACLES: dict[str, Oracle] = {
    "ptir.cond": cond,
    "ptir.while": while_,
    "ptir.scan": scan,
    "ptir.composite": composite,
    "ptir.tuple": tuple_,
    "ptir.tuple_element": tuple_element,
    "ptir.custom_call": custom_call,
    "ptir.yield": lambda op, args, got: [],
}
