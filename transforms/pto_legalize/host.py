"""Launches of kernels as calls of their functions."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import IndexType, IntegerAttr, UnrealizedConversionCastOp
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import Rewriter

from ...dialects import pto, region


@dataclass(frozen=True)
class Function:
    """The function of a kernel: after the kernel's arguments, it has `workspaces`, and the number of a core and of all cores."""

    function: FuncOp
    workspaces: tuple[pto.MemRefType, ...]


def call_kernel(launch: region.LaunchOp, callee: Function) -> None:
    """Replaces a launch by a call for one core, which computes all tiles."""
    made: list[Operation] = []
    arguments: list[SSAValue] = []
    types = list(callee.function.function_type.inputs)
    buffers: list[SSAValue] = [*launch.ins, *launch.outs]
    for t in callee.workspaces:
        made.append(memref.AllocOp.get(t.element_type, shape=[1 if s == -1 else s for s in t.sizes]))
        buffers.append(made[-1].results[0])
    for buffer, t in zip(buffers, types, strict=False):
        made.append(UnrealizedConversionCastOp.get([buffer], [t]))
        arguments.append(made[-1].results[0])
    for number in (0, 1):
        made.append(arith.ConstantOp(IntegerAttr(number, IndexType())))
        arguments.append(made[-1].results[0])
    made.append(CallOp(launch.kernel.string_value(), arguments, []))
    for op in made:
        op.location = launch.location
    Rewriter.replace_op(launch, made, [])
