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
    """
    The function of a kernel. Its first arguments are arrays of the kernel, of which `buffers` has the numbers; an array that is read in
    several ways is several arguments. Then it has `workspaces`, each with its rows for one core, and the number of a core and of all cores.
    """

    function: FuncOp
    buffers: tuple[int, ...]
    workspaces: tuple[tuple[pto.MemRefType, int], ...]


def call_kernel(launch: region.LaunchOp, callee: Function) -> None:
    """Replaces a launch by a call for one core, which computes all tiles."""
    made: list[Operation] = []
    arguments: list[SSAValue] = []
    types = list(callee.function.function_type.inputs)
    given = [*launch.ins, *launch.outs]
    buffers = [given[number] for number in callee.buffers]
    for t, rows in callee.workspaces:
        made.append(memref.AllocOp.get(t.element_type, shape=[rows, *t.sizes[1:]]))
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
