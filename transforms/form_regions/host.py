"""The host function of a tensor function, and its kernels."""

from __future__ import annotations

from collections.abc import Callable, Collection

from xdsl.dialects.builtin import FunctionType, ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, SSAValue

from ...analysis.regions.fusion import Fusion
from .blocks import BlockWriter, HostProgram
from .control import STEPS
from .kernels import Kernels, memref_block


def write_host(
    module: ModuleOp,
    function: FuncOp,
    formed: dict[str, str],
    fuse: Callable[[FuncOp | Block], Fusion],
    passed_on: Collection[SSAValue] = (),
) -> None:
    """
    Moves the kernels out of a function, which becomes the host function that launches them. `formed` has the symbols of the kernels
    of all functions by their structural hashes, and `fuse` partitions a block into kernels and host ops. `passed_on` are
    results that only kernels read.
    """
    old = function.body.block
    host = memref_block(old.args)
    program = HostProgram(module, function, Kernels(module, function, formed), STEPS, fuse, passed_on)
    program.buffers |= zip(old.args, host.args, strict=True)
    block = BlockWriter(program, fuse(function), host)
    results = block.write()
    if old.last_op is not None:
        block.add(ReturnOp(*results), old.last_op)
    function.body.detach_block(old)
    function.body.add_block(host)
    function.function_type = FunctionType.from_lists([a.type for a in host.args], [r.type for r in results])
    old.erase(safe_erase=False)
