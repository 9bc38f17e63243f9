"""
Interpreter of the `region` dialect: executes kernel launches on NumPy arrays.

A launch runs the body of its kernel, of any level, on the launch's arrays. The body of a `region.kernel` reads whole
tensors, computes with `tiny` ops and yields values, which the launch copies into the outputs. A `pto.kernel` yields nothing
and stores its results itself.

Spec: `tensor-compiler.ja §1.5`.
"""

from __future__ import annotations

import numpy as np
from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr, ModuleOp, StringAttr
from xdsl.interpreter import Interpreter, PythonValues, impl, impl_terminator, register_impls
from xdsl.ir import Operation
from xdsl.traits import SymbolTable

from ...dialects import nv, pto, region
from ...dialects.common.kernel import KernelOp
from ...dialects.common.report import REPORT
from ...dialects.common.shapes import memref_of
from ...errors import Unsupported
from ..arrays.scalars import numpy_dtype
from ..errors import violation
from ..values import ArrayFunctions, Value, yield_operands


def raise_report(module: ModuleOp, number: int) -> None:
    """Raises the violation at the op of the module that reports `number`, unless that is 0."""
    if number:
        reports = ((op, found) for op in module.walk() if (found := _report(op)) is not None)
        op, failure = next((op, failure) for op, (failure, n) in reports if n == number)
        raise violation(failure, op)


def _report(op: Operation) -> tuple[str, int] | None:
    """Returns the failure that an op reports, and the number of the report."""
    if isinstance(op, pto.ReportOp | nv.ReportOp):
        return op.failure.data, op.number.value.data
    match op.attributes.get(REPORT):
        case DictionaryAttr(data={"failure": StringAttr(data=failure), "number": IntegerAttr() as number}):
            return failure, number.value.data
        case _:
            return None


@register_impls
class RegionFunctions(ArrayFunctions):
    """`region.launch` and the kernels of this level; memrefs are arrays."""

    run_yield = impl_terminator(region.YieldOp)(yield_operands)

    @impl(region.LaunchOp)
    def run_launch(self, interpreter: Interpreter, op: region.LaunchOp, args: PythonValues) -> PythonValues:
        kernel = SymbolTable.lookup_symbol(op, op.kernel)
        if not isinstance(kernel, KernelOp):
            raise Unsupported(op, what=f"launching {op.kernel}", need="a kernel of that name in this module")
        values = interpreter.run_ssacfg_region(kernel.body, args, kernel.sym_name.data)
        for out, value in zip(args[len(op.ins) :], values, strict=bool(values)):
            self.store(out, value)
        return ()

    @impl(region.ZerosOp)
    def run_zeros(self, interpreter: Interpreter, op: region.ZerosOp, args: PythonValues) -> PythonValues:
        t = memref_of(op.result)
        return (self.literal(np.zeros(t.get_shape(), numpy_dtype(t.element_type))),)

    @impl(region.CheckOp)
    def run_check(self, interpreter: Interpreter, op: region.CheckOp, args: PythonValues) -> PythonValues:
        raise_report(interpreter.module, self.number(args[0]))
        return ()

    @impl(region.ReadOp)
    def run_read(self, interpreter: Interpreter, op: region.ReadOp, args: PythonValues) -> PythonValues:
        return (self.is_true(op, args[0]),)

    @impl(region.RowOp)
    def run_row(self, interpreter: Interpreter, op: region.RowOp, args: PythonValues) -> PythonValues:
        array, index = args
        return (self.move(lambda x: x[index, ...], array),)  # a view: writing the row writes the array

    @impl(region.CustomCallOp)
    def run_custom_call(self, interpreter: Interpreter, op: region.CustomCallOp, args: PythonValues) -> PythonValues:
        results = self.call_stored(op.tensor_call(), args[: len(op.ins)], op.outs.types)
        for out, value in zip(args[len(op.ins) :], results, strict=True):
            self.store(out, value)
        return ()

    def number(self, status: Value) -> int:
        """Returns the number in a status word."""
        return int(status[0])

    @impl(region.LoadOp)
    def run_load(self, interpreter: Interpreter, op: region.LoadOp, args: PythonValues) -> PythonValues:
        return args
