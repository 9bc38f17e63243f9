"""
Runs a compiled program: walks its host function, which allocates buffers and launches kernels. A fresh buffer is all
ones in its bits, so that whoever counts on its contents finds out.

Arrays are used as they are given. They must have the shapes and element types of the signature and be
C-contiguous and 16-byte aligned, which is what the kernels were compiled for.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
from xdsl.dialects import gpu, memref
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, MemRefType, ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Operation, SSAValue

from ..backends.cuda.errors import EmulatorFault
from ..backends.cuda.identifiers import kernel_names
from ..dialects import nv, region
from ..dialects.shapes import memref_of
from ..dialects.syntax import ints
from ..errors import PtirError, WrongLevel
from ..semantics.memref import poison
from ..semantics.region import zeros
from ..semantics.scalars import dense_array, numpy_dtype
from .compile import Program
from .devices import Array, Device, Launch

ALIGNMENT = 16


class NoEntry(PtirError):
    code = "PTIR0531"
    template = "{problem}"
    mend = "the functions are: {functions}"


class BadArgument(PtirError):
    code = "PTIR0532"
    template = "argument {index} of @{function} {problem}"
    mend = "{help}"


def entry_function(module: ModuleOp, entry: str | None) -> FuncOp:
    """The function named `entry`, or the only one."""
    functions = {o.sym_name.data: o for o in module.ops if isinstance(o, FuncOp) and not o.is_declaration}
    listed = ", ".join(f"@{name}" for name in functions) or "none"
    if entry is None:
        if len(functions) != 1:
            raise NoEntry(problem=f"the module has {len(functions)} functions: name one", functions=listed)
        return next(iter(functions.values()))
    if entry not in functions:
        raise NoEntry(problem=f"there is no function @{entry}", functions=listed)
    return functions[entry]


def execute(program: Program, arrays: Sequence[Array], device: Device, entry: str | None = None) -> tuple[Array, ...]:
    """The results of the entry function on `arrays`. Raises `BadArgument` and what the device raises."""
    function = entry_function(program.module, entry)
    args = function.body.block.args
    name = function.sym_name.data
    if len(arrays) != len(args):
        raise BadArgument(
            function,
            index=min(len(arrays), len(args)),
            function=name,
            problem="is missing" if len(arrays) < len(args) else "is one too many",
            help=f"it takes {len(args)} arrays, got {len(arrays)}",
        )
    buffers: dict[SSAValue, Array] = {}
    for k, (arg, array) in enumerate(zip(args, arrays, strict=True)):
        _check_argument(function, k, array, memref_of(arg))
        buffers[arg] = array
    globals_ = {o.sym_name.data: o for o in program.module.ops if isinstance(o, memref.GlobalOp)}
    for op in function.body.block.ops:
        match op:
            case memref.AllocOp():
                t = memref_of(op.memref)
                buffers[op.memref] = poison(t.get_shape(), t.element_type)
            case region.ZerosOp():
                buffers[op.result] = zeros(op)
            case memref.GetGlobalOp():
                value = globals_[op.name_.root_reference.data].initial_value
                buffers[op.memref] = np.asarray(dense_array(cast(DenseIntOrFPElementsAttr, value)), order="C")
            case nv.LaunchOp():
                try:
                    device.run(program.binary, launch_of(program.module, op), [buffers[v] for v in op.arguments])
                except EmulatorFault as fault:
                    fault.op = _origin(program, fault) or op
                    raise
            case ReturnOp():
                return tuple(buffers[v] for v in op.operands)
            case _:
                raise WrongLevel(
                    op, name=op.name, stage="the host", need="run the whole pipeline: ptir-to-cuda{arch=sm80}"
                )
    return ()


def _origin(program: Program, fault: EmulatorFault) -> Operation | None:
    """The operation that a faulting line was printed for; a line of the prelude has none, but was inlined to one."""
    known = (program.origins[line - 1] for line in fault.lines if line <= len(program.origins))
    return next((op for op in known if op is not None), None)


def launch_of(module: ModuleOp, op: nv.LaunchOp) -> Launch:
    """What a launch op says, and which arguments its kernel writes."""
    kernel = op.kernel.nested_references.data[0].data
    function = next(o for o in module.walk() if isinstance(o, gpu.FuncOp) and _name(o) == kernel)
    outs = nv.outputs(function)
    written, workspace, counters = (
        frozenset(k for k, arg in enumerate(function.body.block.args) if outs.get(arg) == purpose)
        for purpose in ("result", "workspace", "counters")
    )
    grid, block = (cast("tuple[int, int, int]", ints(a)) for a in (op.grid, op.block))
    return Launch(kernel_names(module)[kernel], grid, block, op.shared.value.data, written, workspace, counters)


def _name(function: gpu.FuncOp) -> str:
    return cast(Any, function.sym_name).data


def _check_argument(function: FuncOp, index: int, array: Array, t: MemRefType[Attribute]) -> None:
    def bad(problem: str, help: str) -> BadArgument:
        return BadArgument(function, index=index, function=function.sym_name.data, problem=problem, help=help)

    if not isinstance(array, np.ndarray):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise bad(f"is a {type(array).__name__}", "pass a NumPy array: numpy.asarray(…) makes one")
    want = numpy_dtype(t.element_type)
    if array.dtype != want:
        raise bad(f"has element type {array.dtype}, the signature says {want}", f"convert it: array.astype({want})")
    if array.shape != t.get_shape():
        raise bad(
            f"has shape {list(array.shape)}, the signature says {list(t.get_shape())}",
            "reshape it, or change the program",
        )
    if not array.flags.c_contiguous:
        raise bad(
            "is not C-contiguous",
            "the signature is row-major: declare the transposed shape and transpose in the program",
        )
    reach = 1 << max(1, array.nbytes).bit_length() - 1  # no access is wider than the array
    if array.ctypes.data % min(ALIGNMENT, reach):
        raise bad(f"is not aligned to {ALIGNMENT} bytes", "copy it into a fresh array")
