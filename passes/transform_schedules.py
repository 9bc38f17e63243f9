"""
xDSL's interpreter of transform schedules, restricted to the passes that an input may name.

    %1 = transform.apply_registered_pass "cse" to %0 : (!transform.any_op) -> !transform.any_op

A schedule is part of an input program, and inputs must not open files or run programs. `environment.passes_for_inputs` returns
the passes that a schedule may run. xDSL's own interpreter would run any pass, such as `mlir-opt{executable=…}`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from xdsl.context import Context
from xdsl.dialects.builtin import (
    ArrayAttr,
    FloatAttr,
    FloatData,
    IntAttr,
    IntegerAttr,
    ModuleOp,
    StringAttr,
    UnitAttr,
    i1,
)
from xdsl.dialects.transform import ApplyRegisteredPassOp
from xdsl.interpreter import Interpreter, PythonValues, impl, register_impls
from xdsl.interpreters.printf import PrintfFunctions
from xdsl.interpreters.transform import OperationHandle, TransformFunctions
from xdsl.ir import Attribute
from xdsl.transforms.transform_interpreter import TransformInterpreterPass
from xdsl.utils.arg_spec import ArgSpec, ParameterListType

from ..errors import Unsupported
from .environment import passes_for_inputs
from .manager import PassManager
from .pipeline import build_pipeline
from .pipeline_elements import spec_text


@dataclass(frozen=True)
class TransformInterpreter(TransformInterpreterPass):
    """Runs the transform schedule in the module."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        passes = {name: factory for name, factory in passes_for_inputs().items() if name != self.name}  # no recursion
        interpreter = Interpreter(op)
        interpreter.register_implementations(_Schedules(ctx, passes))
        interpreter.register_implementations(PrintfFunctions())
        interpreter.call_op(self.find_transform_entry_point(op, self.entry_point), (OperationHandle(op),))


@register_impls
class _Schedules(TransformFunctions):
    @impl(ApplyRegisteredPassOp)
    def run_apply_registered_pass_op(
        self, interpreter: Interpreter, op: ApplyRegisteredPassOp, args: PythonValues
    ) -> PythonValues:
        spec = ArgSpec(op.pass_name.data, {name: _values(op, name, value) for name, value in op.options.data.items()})
        pipeline = build_pipeline(spec_text(spec), self.passes, op.name, ctx=self.ctx)
        for target in cast(OperationHandle, args[0]).ops:
            if not isinstance(target, ModuleOp):
                raise Unsupported(op, what=f"'{op.name}' to a '{target.name}'", need="apply the pass to a module")
            PassManager(pipeline, self.ctx, verify="never").run(target)
        return args


def _values(op: ApplyRegisteredPassOp, name: str, value: Attribute) -> ParameterListType:
    """Returns the values of option `name`, converted from an attribute. Raises `Unsupported`."""
    match value:
        case StringAttr(data=text):
            return (text,)
        case IntegerAttr(value=IntAttr(data=number), type=type):
            return (number != 0 if type == i1 else number,)
        case FloatAttr(value=FloatData(data=number)):
            return (number,)
        case ArrayAttr(data=items):
            return tuple(v for item in items for v in _values(op, name, item))
        case UnitAttr():
            return (True,)
        case _:
            need = "options are strings, numbers, booleans, or arrays of these"
            raise Unsupported(op, what=f"option '{name}' = {value}", need=need)
