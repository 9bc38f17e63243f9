"""
Interpreter of the `region` dialect: executes kernel launches on NumPy arrays.

A launch runs the body of its kernel, of any level, on the launch's arrays. The body of a `region.kernel` reads whole
tensors, computes with `tiny` ops and yields values, which the launch copies into the outputs. A `pto.kernel` yields nothing
and stores its results itself.

Spec: `tensor-compiler.ja §1.5`.
"""

from __future__ import annotations

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.interpreter import Interpreter, PythonValues, impl, impl_terminator, register_impls
from xdsl.traits import SymbolTable

from ...dialects import nv, pto, region
from ...dialects.common.kernel import KernelOp
from ...dialects.common.shapes import memref_of
from ...errors import Unsupported, counted
from ..arrays.scalars import numpy_dtype
from ..errors import DivisionByZero, IndexOutOfRange
from ..values import ArrayFunctions, Value, yield_operands


def raise_report(module: ModuleOp, number: int) -> None:
    """Raises `DivisionByZero` or `IndexOutOfRange` at the op of the module that reports `number`, unless that is 0."""
    if number:
        reports = (op for op in module.walk() if isinstance(op, pto.ReportOp | nv.ReportOp))
        op = next(op for op in reports if op.number.value.data == number)
        if op.extent is None:
            raise DivisionByZero(op)
        raise IndexOutOfRange(op, index="an index", axis="the axis", extent=counted(op.extent.value.data, "element"))


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

    def number(self, status: Value) -> int:
        """Returns the number in a status word."""
        return int(status[0])

    @impl(region.LoadOp)
    def run_load(self, interpreter: Interpreter, op: region.LoadOp, args: PythonValues) -> PythonValues:
        return args
