"""
Ops with regions, tuples, and custom calls (`custom_calls.py`). Loops are Python loops, so that iterations do not deepen the
stack and Ctrl-C ends them. Contract: *Control flow (regions)*, *Values, tuples, and literals*, *Custom calls*.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar

import numpy as np
from xdsl.interpreter import Interpreter, PythonValues, impl, impl_terminator, register_impls
from xdsl.ir import Operation, SSAValue

from ...dialects import ptir
from ...dialects.common.shapes import element, shape_text
from ..arrays.scalars import numpy_dtype
from ..errors import SizeMismatch, TooManyIterations
from ..sizes import result_shape
from ..values import ArrayFunctions, Value, yield_operands

_REMAINING: ContextVar[list[int] | None] = ContextVar("_REMAINING", default=None)


@contextmanager
def at_most(iterations: int) -> Generator[None]:
    """Raises `TooManyIterations` if all `ptir.while` loops that run in the `with` body exceed `iterations` in total."""
    token = _REMAINING.set([iterations, iterations])
    try:
        yield
    finally:
        _REMAINING.reset(token)


def _count_iteration(op: Operation) -> None:
    if (left := _REMAINING.get()) is not None:
        left[0] -= 1
        if left[0] < 0:
            raise TooManyIterations(op, iterations=left[1])


@register_impls
class ControlFunctions(ArrayFunctions):
    def empty_stack(self, interpreter: Interpreter, row: SSAValue) -> Value:
        """Returns the stacked result of a scan without iterations: an array of zero rows, each of the type of `row`."""
        return self.literal(np.empty((0, *result_shape(interpreter, row)), numpy_dtype(element(row))))

    run_yield = impl_terminator(ptir.YieldOp)(yield_operands)

    @impl(ptir.CondOp)
    def run_cond(self, interpreter: Interpreter, op: ptir.CondOp, args: PythonValues) -> PythonValues:
        predicate, *inputs = args
        region = op.true_region if self.is_true(op, predicate) else op.false_region
        return interpreter.run_ssacfg_region(region, tuple(inputs), op.name)

    @impl(ptir.WhileOp)
    def run_while(self, interpreter: Interpreter, op: ptir.WhileOp, args: PythonValues) -> PythonValues:
        while True:
            more, *carried = interpreter.run_ssacfg_region(op.cond_region, args, op.name)
            if not self.is_true(op, more):
                return tuple(carried)
            _count_iteration(op)
            args = interpreter.run_ssacfg_region(op.body_region, tuple(carried), op.name)

    @impl(ptir.ScanOp)
    def run_scan(self, interpreter: Interpreter, op: ptir.ScanOp, args: PythonValues) -> PythonValues:
        carried, scanned = args[: op.carry_count], args[op.carry_count :]
        lengths = [x.shape[0] for x in scanned]
        for position, length in enumerate(lengths):
            if length != lengths[0]:
                raise SizeMismatch(
                    op, what=f"the leading axis of scanned input {position}", got=length, want=lengths[0]
                )
        steps: list[PythonValues] = []
        for at in range(lengths[0]):
            slices = (self.move(lambda v, at=at: v[at, ...], x) for x in scanned)
            out = interpreter.run_ssacfg_region(op.body_region, (*carried, *slices), op.name)
            carried = out[: op.carry_count]
            steps.append(out[op.carry_count :])
        if not steps:
            end = op.body_region.block.last_op
            rows = end.operands[op.carry_count :] if end is not None else ()
            return (*carried, *(self.empty_stack(interpreter, row) for row in rows))
        for rows in zip(*steps, strict=True):
            first = rows[0].shape
            for row in rows:
                if row.shape != first:
                    raise SizeMismatch(
                        op, what="a row", got=shape_text(row.shape), want=f"{shape_text(first)}, the first row's"
                    )
        return (*carried, *(self.join(lambda *v: np.stack(v), *rows) for rows in zip(*steps, strict=True)))

    @impl(ptir.DimCastOp)
    def run_dim_cast(self, interpreter: Interpreter, op: ptir.DimCastOp, args: PythonValues) -> PythonValues:
        return args  # `semantics/sizes.py` checks every tensor against its type

    @impl(ptir.TupleOp)
    def run_tuple(self, interpreter: Interpreter, op: ptir.TupleOp, args: PythonValues) -> PythonValues:
        return (args,)

    @impl(ptir.TupleElementOp)
    def run_tuple_element(self, interpreter: Interpreter, op: ptir.TupleElementOp, args: PythonValues) -> PythonValues:
        return (args[0][op.index.value.data],)

    @impl(ptir.CompositeOp)
    def run_composite(self, interpreter: Interpreter, op: ptir.CompositeOp, args: PythonValues) -> PythonValues:
        return interpreter.run_ssacfg_region(op.body, args, op.name)

    @impl(ptir.CustomCallOp)
    def run_custom_call(self, interpreter: Interpreter, op: ptir.CustomCallOp, args: PythonValues) -> PythonValues:
        return self.call(op, args)
